"""What probability does an output p assign to the right answer? It is p where the target is 1, and 1 - p where it is 0.

Go through the pairs with `zip(outputs, targets)`, subtract the log of that probability from a total, and divide the
total by the number of rows. A `Value` has `.log()`.
"""


def cross_entropy(outputs, targets):
    """The mean of -log of the probability given to the right answer, as a Value."""
    loss = 0.0
    for p, t in zip(outputs, targets):
        right = p if t == 1 else 1 - p
        loss = loss - right.log()
    return loss / len(targets)
