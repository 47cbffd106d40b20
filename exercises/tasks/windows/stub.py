def windows(letters, context):
    """Return (windows, targets) of a name: one for each letter, and one for the end.

    letters: a list of numbers. A window has `context` of them, padded with 0 in front.
    """
    raise NotImplementedError
