"""Run a function once, and write its two passes as straight-line Python."""
