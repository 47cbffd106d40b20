"""Measurements: `python -m benchmarks` compares the engine with its peers, `python -m benchmarks.lab` times the lab."""
