"""The exercises of lesson 06, in their order."""

EXERCISES = ("check_gradients", "dual", "six_tests")
