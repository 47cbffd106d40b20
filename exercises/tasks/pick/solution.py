"""First the shares: divide by the temperature, and then softmax as in lesson 09. How large can a score be?

Then go along the shares, adding them up, until the sum is above u. `np.cumsum` computes all the sums at once, and
`np.searchsorted` finds between which of them a number lies.
"""


def pick(scores, temperature, u):
    """The number of the character whose part of softmax(scores / temperature) holds u.

    scores: an array of n numbers. u: from 0 up to 1.
    """
    powers = np.exp((scores - scores.max()) / temperature)
    shares = powers / powers.sum()
    return int(np.searchsorted(np.cumsum(shares), u, side="right"))
