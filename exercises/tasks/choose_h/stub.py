def central(f, x, h):
    """The slope of the line through f at x - h and at x + h."""
    raise NotImplementedError


chosen_h = 0.1
