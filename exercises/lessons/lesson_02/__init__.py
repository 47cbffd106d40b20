"""The exercises of lesson 02, in their order."""

EXERCISES = ("make_value", "add", "multiply", "constants", "subtract", "divide")
