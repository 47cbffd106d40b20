"""The exercises of lesson 15, in their order."""

EXERCISES = ("windows", "untouched", "pick", "softmax_vjp", "sees", "normalise_vjp")
