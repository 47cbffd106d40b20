def sees(position, name):
    """Which letters, as columns, each letter sees, as a row: booleans, shape (n, n).

    position, name: arrays of n whole numbers.
    """
    raise NotImplementedError
