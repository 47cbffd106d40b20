"""Look into a graph: gradient checks, and a pass as a sequence of steps."""
