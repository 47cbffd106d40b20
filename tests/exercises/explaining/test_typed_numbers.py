"""Typed numbers are compared with the answer, in Python and in a page; `check.predict` replies to wrong ones."""

import json
import re
from pathlib import Path

import pytest

from exercises.engine_file import check
from exercises.explaining.typed_numbers import matches, reading
from exercises.verdicts.results import PASSED
from tests.behaviour import graph

TABLE = json.loads(
    Path(__file__).parents[2].joinpath("js").joinpath("typed.json").read_text(encoding="utf-8")
)  # Node's too


@pytest.mark.parametrize("typed, answer, right", TABLE["right"])
def test_typed_number_is_compared_with_the_answer(typed, answer, right):
    assert matches(typed, answer) is right
    if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]\d+)?", typed):  # and so is the number that Python makes of it
        assert matches(float(typed) if "." in typed or "e" in typed else int(typed), answer) is right


@pytest.mark.parametrize("typed, said", TABLE["faults"])
def test_invalid_number_gets_a_message(typed, said):
    with pytest.raises(ValueError) as fault:
        reading(typed)
    assert str(fault.value) == said


def used_twice():
    """Return f = m + x²/2 with m = q · z, q = x + y: the gradients of x, y, z are 3.39, 1.7 and 4.2."""
    return graph("(f := (m := (q := x + y) * z) + x * x / 2)", x=1.69, y=2.51, z=1.7)[0]


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ({"z": 77}, "z.grad: m is a product. Which number is its other factor, q? And which number is m.grad, "),
        ({"x": 77}, "x.grad: How many arrows leave x? Find what comes back along each: have you added all of it?"),
        ({"y": 77, "x": 55, "z": 66}, "z.grad: m is a product."),
        ({"y": 77, "q": 1.7}, "y.grad: Raise y by 0.01. Does q rise or fall, and by how much?"),
        ({"f": 3}, "f is the root: how fast does a number change with itself?"),
    ],
    ids=str,
)
def test_unexplained_wrong_number_is_answered_with_a_question(typed, asked):
    """It is about the node nearest to the root. It gives no right number away, not even of those typed with it."""
    said = check.predict(used_twice(), **typed).render_text()
    assert asked in said and "off by" not in said
    assert {"3.39", "3.3900", "4.2", "4.2000", "1.7", "1.7000"}.isdisjoint(re.findall(r"[\d.]+\d", said))


def test_explained_wrong_number_names_the_mistake():
    said = check.predict(used_twice(), y=1).render_text()
    assert "upstream gradient" in said and "?" not in said
    both = check.predict(used_twice(), y=1, z=66).render_text()
    assert "z.grad: " in both and "y.grad. The upstream gradient is forgotten" in both


def test_empty_prediction_is_not_attempted():
    assert check.predict(used_twice()).state == "not yet"


@pytest.mark.parametrize("typed", [{"z": 4.2}, {"x": 3.39, "y": 1.7, "z": 4.2}])
def test_each_right_prediction_is_repeated(typed):
    said = check.predict(used_twice(), **typed)
    assert said.state == PASSED and said.says == (" ".join(f"{name}.grad is {typed[name]}." for name in typed),)
