"""The course's digits and two moons: scikit-learn's, to the last bit, without scikit-learn."""

import subprocess
import sys

import numpy as np
import pytest

from autograd.lessons import digits
from autograd.lessons.digits import load_digits
from autograd.lessons.moons import make_moons
from tests import make_digits


@pytest.fixture
def theirs():
    pytest.importorskip("sklearn.datasets", reason='scikit-learn comes with: pip install -e ".[test]"')
    return make_digits.theirs()


@pytest.mark.long
def test_digits_file_equals_scikit_learn(theirs, tmp_path, monkeypatch):
    assert [pair for pair in zip(digits.read(), theirs) if not np.array_equal(*pair)] == []
    assert theirs[0].shape == (1797, 64) and theirs[0].dtype == np.uint8 and theirs[0].max() == digits.INK
    (tmp_path / "digits.npz").write_bytes(make_digits.packed(*theirs))
    monkeypatch.setattr(digits, "FILE", tmp_path / "digits.npz")
    assert [pair for pair in zip(digits.read.__wrapped__(), theirs) if not np.array_equal(*pair)] == []


def test_digits_need_no_scikit_learn_and_no_network():
    code = "import sys; sys.modules['sklearn'] = None; from autograd.lessons.digits import load_digits as load"
    code += "; print(len(load().train), 'socket' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert ran.stdout.split() == ["1400", "False"], ran.stderr


def test_digits_split_is_fixed_by_random_state_0():
    found, (pixels, labels) = load_digits(), digits.read()
    order = np.random.RandomState(0).permutation(1797)
    assert found.train.shape == (1400, 64) and found.test.shape == (397, 64)
    assert np.array_equal(np.concatenate([found.train, found.test]) * 16, pixels[order])
    assert np.array_equal(np.concatenate([found.train_labels, found.test_labels]), labels[order])
    assert found.train.min() == 0 and found.train.max() == 1 and found.train.dtype == np.float64
    assert set(found.test_labels) == set(range(10))


def test_load_digits_returns_fresh_copies():
    load_digits().train[:] = 7
    load_digits().train_labels[:] = 7
    assert load_digits().train.max() == 1 and len(set(load_digits().train_labels)) == 10


@pytest.mark.long
@pytest.mark.parametrize(
    ("n_samples", "noise", "random_state"),
    [(100, 0.1, 1337), (100, 0.1, 1338), (400, 0.1, 90), (7, 0.3, 0), (2, 0.0, 5)],
)
def test_moons_equal_scikit_learn(n_samples, noise, random_state):
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
