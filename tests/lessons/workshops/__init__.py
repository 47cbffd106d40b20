"""The workshops' claims, as tests."""
