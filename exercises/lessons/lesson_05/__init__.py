"""The exercises of lesson 05, in their order."""

EXERCISES = ("topological_order", "backward", "deep_order", "breadth_first_fails")
