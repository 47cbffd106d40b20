"""The exercises of lesson 08, in their order."""

EXERCISES = ("neuron", "layer", "mlp", "count_parameters", "reach_all")
