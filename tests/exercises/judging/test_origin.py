"""A check judges what its cell defines: it names what is handed in instead, without a cause read from the text."""

import pytest

from exercises.content import library
from exercises.engine_file import check
from exercises.explaining import features
from exercises.explaining.search import both
from exercises.verdicts.results import ALIKE, WHOLE, make_result
from tests import forked

SLOPE, CENTRAL = library.solution("slope").code, library.solution("choose_h").code
RULES = library.solution("first_rules").code
CALL = "check.choose_h(central, chosen_h)"
NOTEBOOK = {  # cells, the last of which asks a check; what its verdict says
    "a SyntaxError in the cell run last": (
        (SLOPE, SLOPE.replace(") / h", " / h"), "check.slope(slope)"),
        "SyntaxError",
    ),
    "a cell that stops": ((SLOPE, f"1 / 0\n{SLOPE}#", "check.slope(slope)"), "that cell stopped before"),
    "an earlier object": (
        (SLOPE, "old = slope", f"{SLOPE}#", "check.slope(old)"),
        "is not the one that the cell run last",
    ),
    "the cell run once more": ((SLOPE, f"1 / 0\n{SLOPE}#", SLOPE, "check.slope(slope)"), "✓ slope"),
    "a name of one's own": ((SLOPE, SLOPE.replace("slope", "mine"), "check.slope(mine)"), "✓ slope"),
    "a decorator": (
        (SLOPE, f"import functools\n\n@functools.cache\n{SLOPE.lstrip()}", "check.slope(slope)"),
        "✓ slope",
    ),
    "another number": ((CENTRAL, "chosen_h = 1e-2", CALL), f"Run again, its cell passes every test.|`{CALL}`"),
    "arguments exchanged": ((CENTRAL, "check.choose_h(chosen_h, central)"), f"You passed `chosen_h`|`{CALL}`"),
}


@pytest.fixture(scope="module")
def notebook():
    with forked.kernel() as running:
        running.run("import math, autograd\nfrom exercises import check")
        yield running


@pytest.mark.long
@pytest.mark.parametrize("what", NOTEBOOK)
def test_verdict_names_the_code_that_was_checked(notebook, what):
    cells, says = NOTEBOOK[what]
    verdict = notebook.tried(*cells)[-1]
    assert [words for words in says.split("|") if words not in verdict] == [], verdict
    assert WHOLE not in verdict and ("✓" in verdict) == ("✓" in says)


def test_swapped_and_foreign_arguments_are_named():
    first, second = check.subtract.answers(library.solution("subtract").code)
    found = check.subtract(second, first)
    assert "You passed `reflected_subtract`, but the check takes `subtract`" in found.render_text()
    assert "`check.subtract(subtract, reflected_subtract)`" in found.render_text() and not found.mistakes
    assert "You passed `subtract`, but the check takes `slope`" in check.slope(first).render_text()
    assert (
        "You passed `Rules`, but the check takes `Relu`" in check.relu(*check.first_rules.answers(RULES)).render_text()
    )


def test_no_cause_is_named_when_the_text_differs_from_the_function():
    checked = check.slope
    wrong = "def slope(f, x, h):\n    return (f(x + h) - f(x)) / (h * factor[0])\n\n\nfactor = [{}]\n"
    for factor, says in (
        (1, "Run again, its cell passes every test."),
        (4, "Run again, its cell gives different results"),
    ):
        (slope,) = checked.answers(wrong.format(factor))
        slope.__globals__["factor"][0] = 2
        found = checked(slope)
        assert says in found.render_text() and not found.mistakes


def test_pair_of_mistakes_requires_both_to_have_an_effect():
    code = library.solution("backward_by_hand").code.replace("dw2 = h.T @ dz", "dw2 = dz.T @ h")
    found = check.backward_by_hand(*check.backward_by_hand.answers(code))
    assert found.state == "wrong" and "w1" not in " ".join(each.name for each in found.mistakes)
    assert both("slope", [make_result("", ("n", 1, 0), ("m", 2, 0))], iter, SLOPE) == []  # a constant tells too little


UPDATED = "def f(a, b):\n    a.grad += b\n"
FITS = [  # the solution, the mistake, an answer, whether the mistake may be in it
    (UPDATED, UPDATED.replace("+=", "="), "def f(a, b):\n    a.grad = b * 1\n", True),
    (UPDATED, UPDATED.replace("+=", "="), "def f(a, b):\n    a.grad = max(a.grad, b)\n", False),
]


@pytest.mark.parametrize("right, wrong, answer, may_be", FITS)
def test_mistake_is_not_named_when_the_text_refutes_it(right, wrong, answer, may_be):
    assert features.possible(answer, right, [wrong]) is may_be


def test_mistake_about_an_input_requires_code_that_reads_it():
    assert features.inputs_read(SLOPE) == {("slope", 0), ("slope", 1), ("slope", 2)}
    assert features.inputs_read("def slope(f, x, h):\n    return (x + h - x) / h", SLOPE) == {
        ("slope", 1),
        ("slope", 2),
    }
    assert features.inputs_read("def slope(*given):\n    return 1", SLOPE) == features.inputs_read(SLOPE)
    assert features.adds("a = b - c", "a = c - b") and not features.adds("a = b\nc = d", "a = b")


def test_equal_results_alone_are_not_a_known_mistake():
    """It never writes 1, as the known mistake's code does, and gives the same in every test."""
    code = library.solution("rules").code
    found = check.rules(*check.rules.answers(code.replace("+= out.grad", '+= len("1")')))
    assert found.lead == ALIKE and [each.name for each in found.mistakes] == ["the upstream gradient is forgotten"]
