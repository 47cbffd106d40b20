"""The checks of slopes accept the right answers, and stop any answer that never ends.

Answers to them, right and wrong, are in tests/attempts.
"""

import math

import pytest

from exercises.content import library
from exercises.engine_file import check
from exercises.sandbox import guard
from exercises.tasks.choose_h import check as choose_h_check
from exercises.tasks.shared import slopes as shared
from exercises.verdicts.results import WRONG


def central(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.parametrize("seed", range(20))
def test_choose_h_passes_with_other_random_points(seed):
    for text, f, x, truth in choose_h_check.points(seed):
        for h in (1e-6, 1e-5):
            assert abs(central(f, x, h) - truth) <= 1e-9 * abs(truth), (text, x, h)


def test_expected_slopes_match_finite_differences():
    for f, x, h in shared.secants():
        assert f.between(x, x + h) == pytest.approx((f(x + h) - f(x)) / h, rel=1e-9, abs=1e-9)
        assert eval(f.to_source(), {"x": x}) == pytest.approx(f(x))
    for text, f, x, _ in choose_h_check.points():
        assert eval(text, {"x": x, "math": math}) == f(x)


def test_slope_tests_include_whole_rising_and_falling_cases():
    tests = shared.secants()
    assert any(isinstance(x, int) for _, x, _ in tests) and any(x % 1 for _, x, _ in tests)
    assert {f.between(x, x + h) > 0 for f, x, h in tests} == {True, False} == {h > 0 for _, _, h in tests}


ENDLESS = "relu used_three_times deep_order check_gradients accumulate circle"


@pytest.mark.parametrize("name", ENDLESS.split())
def test_endless_loop_is_stopped_and_the_next_check_works(name, monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    checked, code = getattr(check, name), library.solution(name).code
    found = checked(*checked.answers(f"{code}\n\ndef {checked.takes[-1]}(*given):\n    while True:\n        pass\n"))
    assert found.state == WRONG and "Is there a loop that never ends?" in found.render_text()
    assert checked(*checked.answers(code))
