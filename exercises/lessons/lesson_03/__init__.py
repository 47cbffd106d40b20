"""The exercises of lesson 03, in their order."""

EXERCISES = ("add_rule", "multiply_rule", "local_derivatives", "neuron_by_hand")
