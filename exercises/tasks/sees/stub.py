def sees(position, name):
    """Which letters (columns) each letter (row) sees: True or 1, shape (n, n).

    position, name: arrays of n whole numbers.
    """
    raise NotImplementedError
