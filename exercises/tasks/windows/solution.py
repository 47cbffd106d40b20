"""A name of three letters has four targets: its letters, and then the 0 that ends it. What comes before the first?

Put `context` zeros in front of the letters. Then the window of target i starts at index i, and its length is `context`.
"""


def windows(letters, context):
    """Return (windows, targets) of a name: one for each letter, and one for the end.

    letters: a list of numbers. A window has `context` of them, padded with 0 in front.
    """
    padded = [0] * context + letters
    rows = [padded[i : i + context] for i in range(len(letters) + 1)]
    return rows, [*letters, 0]
