def windows(letters, context):
    """(windows, targets) of a name: before each letter and the end, the last ones.

    letters: a list of numbers. Each window has `context` of them, filled up with 0.
    """
    raise NotImplementedError
