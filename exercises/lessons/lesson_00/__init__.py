"""The exercises of lesson 00, in their order."""

EXERCISES = ("first_answer",)
