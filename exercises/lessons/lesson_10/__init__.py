"""The exercises of lesson 10, in their order."""

EXERCISES = ("hold_the_range", "relu_vanishes", "sigmoid_survives", "clip", "residual_scale")
