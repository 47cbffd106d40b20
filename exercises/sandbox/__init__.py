"""A sandbox for a learner's code: it runs within limits, and the state of Python is restored afterwards."""
