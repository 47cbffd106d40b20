"""The exercises of lesson 04, in their order."""

EXERCISES = ("collect", "equals_is_right", "equals_is_wrong", "used_three_times")
