contributions = [..., ..., ...]  # through x * y, through x + z, as the second factor


def gradient_from_paths(paths):
    """The gradient of a leaf; each path is a list of the local derivatives along it."""
    return ...
