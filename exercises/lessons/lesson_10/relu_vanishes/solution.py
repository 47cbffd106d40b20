"""With He's weights first / last is about 1. How often does the gain count on the way back through `depth` layers?

From the last of `depth` layers to the first it is depth - 1 steps. So the gain to the power of depth - 1 should be
1e-9, and the gain is a root of that.
"""


def relu_vanishes(depth):
    """The gain on He's weights with which first / last of `depth` relu layers is about 1e-9."""
    return 1e-9 ** (1 / (depth - 1))
