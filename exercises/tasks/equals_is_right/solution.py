"""When do two contributions arrive at one node? Draw a graph in which that never happens.

Use each of a, b and c once, and each result once: then every node has one consumer.
"""


def equals_is_right(a, b, c):
    """Two to four operations on a, b and c whose gradients would be right with =."""
    return a * b + c
