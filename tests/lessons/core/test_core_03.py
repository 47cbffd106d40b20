"""Notebook 03: what its text says of its numbers, on six engines."""

import pytest

from tests.lessons.core.engines import TRIED, mine, names_after


@pytest.fixture(scope="module", params=TRIED)
def engine(request):
    return mine(request.param)


def test_value_used_twice(engine):
    names = names_after("03", engine, "dbb2fe07")
    assert names["x"].grad == 8 and names["y"].data == 15 and round(5.01 * 3.01, 4) == 15.0801


def test_value_with_two_consumers(engine):
    names = names_after("03", engine, "26")
    names["f"].backward()
    assert [names[name].grad for name in "edab"] == [5, 4, 24, 9]


def test_all_ten_learn_with_plus_equals_and_none_with_equals(engine):
    names = names_after("03", engine, "c03-0016", "c03-0017", "c03-0018c")
    assert [line[1] for line in names["printed"]] == [10, 0]


def test_assignment_gives_smaller_slopes_and_restores_the_engine(engine):
    rule = engine.Value.__mul__
    slopes = names_after("03", engine, "c03-0016", "c03-0017", "c03-0019")["slopes"]
    right, wrong = (sum(map(abs, slopes[name])) for name in ("+=", "="))
    assert wrong < right and len(slopes["="]) == 17 and engine.Value.__mul__ is rule


def test_gradients_sum_over_paths(engine):
    names = names_after("03", engine, "60", "c03-0066")
    names["f"].backward()
    assert [names[name].grad for name in "xyz"] == [5, 2, 2]
    for times in (10, 50):
        x = engine.Value(1.0)
        names["doublings"](x, times).backward()
        assert x.grad == 2**times
