"""Count one layer first: m neurons, each of which reads n numbers. How many weights has one of them, and what else?

A layer has (n + 1) · m parameters. Each pair of neighbours in `sizes` is such an n and m: add up over the pairs.
"""


def count_parameters(sizes):
    """How many parameters an MLP has. sizes: inputs, then neurons of each layer."""
    total, n = 0, sizes[0]
    for m in sizes[1:]:
        total += (n + 1) * m
        n = m
    return total
