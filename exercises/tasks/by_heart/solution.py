"""Cut both, the rows and their labels, once and before the loop: `x[:rows]`.

In the loop every step gets the same rows. Return the loss of the last one.
"""


def by_heart(step, x, labels, rows=8, steps=1000):
    """Train on the first rows and nothing else; return the loss of the last step.

    step(x, labels): one step on these rows. It returns their loss before the step.
    """
    few, theirs = x[:rows], labels[:rows]
    for _ in range(steps):
        loss = step(few, theirs)
    return loss
