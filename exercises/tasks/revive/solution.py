"""A relu on the output shuts it whenever its sum is below 0. Which argument of `Population` is that?

The first activation is that of the hidden layers, the second that of the output. Give the output one that never
shuts, such as "linear" or "tanh".
"""


def revived(seeds):
    """Networks like the dead ones but for one argument. Most of them learn XOR."""
    return Population(seeds, 2, [4, 4, 1], "relu", "linear", init="uniform_zero_bias")
