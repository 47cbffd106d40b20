"""The exercises of lesson 12, in their order."""

EXERCISES = ("softmax", "cross_entropy_gradient", "backward_by_hand", "fit", "momentum_step", "softmax_twice")
