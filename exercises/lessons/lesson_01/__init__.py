"""The exercises of lesson 01, in their order."""

EXERCISES = ("slope", "choose_h", "forward_passes")
