"""For one picture it is p, minus 1 at the target. Which entries are those of a whole batch? Row 0 has its target in
column targets[0], row 1 in column targets[1]: `p[np.arange(n), targets]` picks them all.

The loss is a mean over n rows, so each row's part is divided by n. And p must not overflow at a score of 1500.
"""


def cross_entropy_gradient(z, targets):
    """The gradient of the batch's mean cross-entropy with respect to its scores.

    z: scores, of shape (n, k). targets: n whole numbers below k.
    """
    n = len(targets)
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    p = powers / powers.sum(axis=1, keepdims=True)
    p[np.arange(n), targets] -= 1
    return p / n
