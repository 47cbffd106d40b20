"""The exercises of lesson 14, in their order."""

EXERCISES = ("guarded", "segmented", "version_rule")
