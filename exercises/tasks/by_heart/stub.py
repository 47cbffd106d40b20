def by_heart(step, x, labels, rows=8, steps=1000):
    """Train on the first rows and nothing else; return the loss of the last step.

    step(x, labels): one step on these rows. It returns their loss before the step.
    """
    raise NotImplementedError
