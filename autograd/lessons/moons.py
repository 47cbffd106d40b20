"""Two moons: points of two half circles that reach into each other, the same as scikit-learn's `make_moons`."""

import numpy as np

from autograd.errors.validation import real, seed, size


def make_moons(n_samples=100, *, noise=0.0, random_state=0):
    """Return points of two half circles, an array of shape (n_samples, 2), and which circle each is of, 0 or 1.

    noise: the standard deviation of what is added to both coordinates. random_state: the seed of the noise and of the
    order of the points. Name and parameters are scikit-learn's, and so is each number, to the last bit.
    """
    n_samples, noise, random_state = size(n_samples, "n_samples"), real(noise, "noise"), seed(random_state)
    if not 0 <= noise < np.inf:
        raise ValueError(f"noise is a finite number of at least 0, got {noise!r}.")
    upper = n_samples // 2
    angles = np.linspace(0, np.pi, upper), np.linspace(0, np.pi, n_samples - upper)
    x1 = np.concatenate([np.cos(angles[0]), 1 - np.cos(angles[1])])
    x2 = np.concatenate([np.sin(angles[0]), 1 - np.sin(angles[1]) - 0.5])
    labels = np.repeat([0, 1], [upper, n_samples - upper])
    rng, order = np.random.RandomState(random_state), np.arange(n_samples)
    rng.shuffle(order)
    points = np.stack([x1, x2], axis=1)[order]
    return points + rng.normal(scale=noise, size=points.shape), labels[order]
