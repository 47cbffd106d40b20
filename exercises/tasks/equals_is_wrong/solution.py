"""b needs two edges to consumers, a only one. Then look at each result along the way: is it used once?

Add something to `a` that uses b twice. A power won't work: `b**2` has one edge.
"""


def equals_is_wrong(a, b):
    """At most four operations on a and b: with = b.grad is wrong, a.grad right."""
    return a + b * b
