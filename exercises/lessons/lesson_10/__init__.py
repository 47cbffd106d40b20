"""The exercises of lesson 10, in their order."""

EXERCISES = ("hold_the_range", "sigmoid_survives", "clip")
