"""The exercises of lesson 07, in their order."""

EXERCISES = ("accumulate", "second_pass", "place_zero_grad")
