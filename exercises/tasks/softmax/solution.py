"""Each row by itself: exp of every score, divided by the sum of its row. `axis=1` adds up a row; `keepdims=True` keeps
the sums as a column, which lines up with the rows.

exp(1000) is inf. Subtract each row's own largest score first: the probabilities stay the same.
"""


def softmax(z):
    """The probabilities of each row of scores, a new array of the same shape."""
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
