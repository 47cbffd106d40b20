"""The exercises of lesson 09, in their order."""

EXERCISES = ("train", "revive", "cross_entropy", "moons", "circle")
