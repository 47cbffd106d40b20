"""The learner's my_engine.py: its parts, what the course gives of them, loading, keeping, reading it."""
