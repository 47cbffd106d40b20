"""The exercises of lesson 03, in their order."""

EXERCISES = ("rules", "neuron_by_hand", "relu", "functions", "sigmoid")
