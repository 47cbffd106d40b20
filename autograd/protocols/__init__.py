"""Protocols of Python and NumPy other than arithmetic: comparisons, conversions, text, copies."""
