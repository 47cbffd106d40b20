def slope(f, x, h):
    """The slope of the line through f at x and at x + h."""
    raise NotImplementedError
