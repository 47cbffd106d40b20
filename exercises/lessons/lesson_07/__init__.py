"""The exercises of lesson 07, in their order."""

EXERCISES = ("accumulate", "place_zero_grad", "second_pass")
