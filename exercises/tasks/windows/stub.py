def windows(letters, context):
    """Return (windows, targets) of a name: one for each letter, and one for the end.

    letters: a list of numbers. Each window has `context` of them, filled up with 0 in front.
    """
    raise NotImplementedError
