"""A sum of fan_in products has about √fan_in times the spread of one. What must the weights' spread be, so that the
weights' gain is near 1?

The weights' gain is √fan_in times their spread. tanh takes away a little at each step, so a gain of 1 only just holds,
and a little above 1 holds better.
"""


def hold_the_range(fan_in):
    """The standard deviation of weights with fan_in inputs, for 30 layers of tanh."""
    return 1.2 / math.sqrt(fan_in)
