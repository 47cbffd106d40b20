"""Run a function once, and write its two passes down as straight-line Python."""
