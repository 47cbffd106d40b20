"""x has three arrows to a consumer. From each, multiply the local derivatives on the way to f. The first arrow goes
into `x * y`, where the local derivative is the other factor, y; the addition after it contributes a 1.

In the function, use two loops: the inner one multiplies along a path, starting at 1; the outer one adds up the
products, starting at 0.
"""

contributions = [-3, 2, 6]  # through x * y, through x + z, as the second factor


def gradient_from_paths(paths):
    """The gradient of a leaf; each path is a list of the local derivatives along it."""
    total = 0.0
    for path in paths:
        product = 1.0
        for local in path:
            product *= local
        total += product
    return total
