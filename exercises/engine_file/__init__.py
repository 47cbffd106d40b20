"""The learner's my_engine.py: its parts, the text that the course provides, loading, storing and reading it."""
