"""Can I write it from memory? Its counts are what the lab shows, and it accepts a right page."""

import pytest

import autograd
import exercises
import figures
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.practice.blank_page import NOTHING_YET
from tests.notebooks import Lesson

WORKSHOP = Lesson("an_empty_page", with_solutions=True)
COUNTS = {"x*y + 3*x": (6, 14), "(x + y) * (x + y)": (5, 36), "(x + y)**2": (4, 36), "2*3*x": (3, 12), "x*2*3": (5, 12)}
COUNTS |= {"x*x*x*x": (4, 16), "(x*x)*(x*x)": (4, 16), "x*(x*(x*x))": (4, 16), "x*(x*x)*x": (4, 16), "x**4": (2, 16)}


@pytest.mark.parametrize("text", COUNTS)
def test_expression_lab_counts_and_values(text):
    updates = figures.expression(text, {"x": 2.0, "y": 4.0}).recording.frames[0].updates
    assert (int(updates["count"]["text"]), float(updates["root"]["text"])) == COUNTS[text]
    WORKSHOP.says(
        "Six: x, y, 3, two products", "Both give 36", "Five and four.", "Three and five.", "With `x**4`, two."
    )


def test_set_of_inputs_loses_one_of_two_edges():
    twice, a = WORKSHOP["twice"], autograd.Value(2.0)
    assert [figures.graph_dot(root).count("->") for root in (a + a, twice)] == [2, 1]
    assert twice.data == 4 and sum(input.data for input in twice._prev) == 2
    WORKSHOP.says("The number is 4, but the inputs on record add up to 2.")


def test_right_page_matches_autograd_and_wrong_one_is_identified():
    wrong = next(each.engine for each in WRONG_ENGINES if each.id == "M2")
    right, own, off = map(WORKSHOP["gradients"], (autograd.Value, WORKSHOP["Value"], wrong))
    assert own == pytest.approx(right, rel=1e-12) and off != pytest.approx(right, rel=1e-3)
    assert exercises.identify(WORKSHOP["Value"]).is_right and not exercises.identify(wrong).is_right
    assert WORKSHOP.output("exercises.blank_page(Page)") == NOTHING_YET
