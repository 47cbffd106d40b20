"""The course's two moons: scikit-learn's, to the last bit, and what lessons and labs train on."""

import numpy as np
import pytest

from autograd.lessons.moons import make_moons


@pytest.mark.parametrize(
    ("n_samples", "noise", "random_state"),
    [(100, 0.1, 1337), (100, 0.1, 1338), (400, 0.1, 90), (7, 0.3, 0), (2, 0.0, 5)],
)
def test_they_are_scikit_learns_to_the_last_bit(n_samples, noise, random_state):
    datasets = pytest.importorskip("sklearn.datasets", reason='scikit-learn comes with: pip install -e ".[test]"')
    points, labels = make_moons(n_samples, noise=noise, random_state=random_state)
    theirs, which = datasets.make_moons(n_samples=n_samples, noise=noise, random_state=random_state)
    assert points.tobytes() == theirs.tobytes() and labels.tolist() == which.tolist()


def test_each_moon_is_half_a_circle():
    """The upper one around (0, 0), the lower one around (1, 0.5); labels 0 and 1, in no order."""
    points, labels = make_moons(100)
    for label, centre, sign in ((0, (0.0, 0.0), 1), (1, (1.0, 0.5), -1)):
        away = points[labels == label] - centre
        assert len(away) == 50 and np.allclose(np.hypot(*away.T), 1.0) and (sign * away[:, 1] > -1e-12).all()
    assert 10 < (labels[:-1] != labels[1:]).sum() < 90
