"""A version counter raises where lesson 07's closures were silently wrong, and nowhere else."""

import pytest

from autograd.lessons.versions import counted
from exercises.course import pytorch
from exercises.engine_file import parts
from exercises.verdicts.cases import cases
from tests.behaviour import agree, behaviour


@pytest.fixture
def engine():
    made = parts.value_class("accumulate")
    with counted(made):
        yield made


def left(engine, new=None):
    """Return b.grad of L = y·y, y = a·b at (2, 3); a.data is set to `new` between the passes."""
    a, b = engine(2.0), engine(3.0)
    y = a * b
    loss = y * y
    if new is not None:
        a.data = new
    loss.backward()
    return b.grad


def test_version_counter_raises_when_the_plain_engine_is_wrong(engine):
    assert left(parts.value_class("accumulate"), new=5.0) == 60.0, "24 is right"
    with pytest.raises(RuntimeError, match=r"Value\(data=5.0000\) was changed: it is at version 1, expected 0\."):
        left(engine, new=5.0)


def test_pytorch_raises_in_the_same_case():
    assert pytorch.recorded("stale numbers")[0][-2].startswith("RuntimeError: one of the variables needed for gradient")


def test_unchanged_data_passes_and_reassigning_it_raises(engine):
    assert left(engine) == left(parts.value_class("accumulate")) == 24.0
    with pytest.raises(RuntimeError, match="expected 0"):
        left(engine, new=2.0)


def test_sum_reads_no_number_so_it_does_not_raise(engine):
    a, b = engine(2.0), engine(3.0)
    total = a + b
    a.data = 5.0
    total.backward()
    assert (a.grad, b.grad) == (1.0, 1.0)


def test_change_after_backward_is_allowed(engine):
    w, seen = engine(0.0), []
    for _ in range(50):
        w.grad = 0.0
        loss = (w * 2 - 3) * (w * 2 - 3)
        loss.backward()
        w.data -= 0.1 * w.grad
        seen.append(loss.data)
    assert w.version == 50 and w.data == pytest.approx(1.5) and seen[-1] < 1e-9


def test_change_between_two_passes_raises(engine):
    w = engine(2.0)
    loss = w * w
    loss.backward()
    w.data -= 0.1 * w.grad
    with pytest.raises(RuntimeError, match="version 1"):
        loss.backward()


def test_gradients_of_random_products_and_sums_stay_right(engine):
    for case in cases(("+", "*"), 20):
        assert agree(behaviour(engine, case), (case.value, case.gradients()))
