"""Half the way from 1 to 3 is 2. What of both numbers comes to 2?

Both count alike: take their sum, and then a part of it.
"""


def halfway(a, b):
    """The number in the middle between a and b."""
    return (a + b) / 2
