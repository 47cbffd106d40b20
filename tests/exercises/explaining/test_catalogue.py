"""The known mistakes as files: how a solution becomes wrong code, and which mistakes explain an answer."""

import pytest

from exercises.content import library
from exercises.content.library import changed, read
from exercises.engine_file import cells, check, parts
from exercises.explaining import catalogue, features
from exercises.explaining.catalogue import agreement
from exercises.explaining.search import together
from exercises.verdicts.results import MENDED, PAIR, make_result


def test_unparsable_combined_changes_score_zero():
    assert features.score("x = 1\n", "x = 2\n", ["x = (\n"]) == 0.0


def test_renamed_answer_is_not_repaired_by_the_solution():
    code = library.solution("rules").code.replace("Arithmetic", "Mine").replace("+= out.grad", "+= out.grad / 3")
    names = {name: thing for name, thing in parts.engine_namespace("rules").items() if name != "Arithmetic"}
    exec(compile(code, cells.register_text(code, "a test"), "exec"), names)
    found = check.rules(names["Mine"])
    assert found.state == "wrong" and "line too many" not in found.render_text()


def test_wrong_engine_description_is_not_repeated():
    found = catalogue.with_engine_words(read("M9\n\n```diff\n- a\n+ b\n```\n")).mistake
    assert found.name == "the order is not reversed" and found.sentence.endswith(".")
    assert not found.lesson  # its place is for readers of the workshop on tests


def test_diff_may_have_several_hunks_that_match_the_solution():
    code = "def f(a):\n    if a:\n        return 1\n    return 2\n"
    turned = code.replace("if a", "if not a").replace("2", "3")
    assert changed(code, "diff", "- if a:\n+ if not a:\n\n- 2\n+ 3\n") == turned
    with pytest.raises(ValueError, match="The solution has no 'if b:'"):
        changed(code, "diff", "- if b:\n+ if c:\n")


def test_substitutions_must_not_overlap():
    with pytest.raises(ValueError, match="'b' also stands in what the change before it puts there"):
        changed("a + b", "→", "`a` → `2 * b`, `b` → `2 * a`")


def test_two_changes_combine_unless_they_overlap():
    first, second, other = ("diff", "- a\n+ b\n"), ("diff", "- x\n+ y\n"), ("diff", "- a = x\n+ c\n")
    assert together("a = x\n", first, second) == "b = y\n"
    assert together("a = x\n", first, other) is None


def test_agreement_counts_equal_results():
    one, two, other = make_result("", ("n", 1, 1)), make_result("", ("n", 1, 2)), make_result("", ("n", 1, 3))
    assert agreement([one, two], iter([one, two])) == (2, True)
    assert agreement([one, two], iter([one, other])) == (1, False)
    assert agreement([one, two], iter([one])) == (1, False)
    assert agreement([one], iter([one, two])) == (1, False)


SLOPE = "def slope(f, x, h):\n    return "
RULE = library.solution("rules").code
ONE_WRONG = "(f(x + h) - f(x)) / h if x > 0 else (f(x) - f(x + h)) / h"
CHANGED = "def slope(f, x, h):\n    ahead = f(x - h)\n    return (ahead - f(x)) / h\n"
BOTH = RULE.replace("other.data * out.grad", "other.data").replace("other.grad += self", "other.grad -= self")
ANSWERS = {  # an answer, the names of its causes, and what the verdict says
    "abs() is right where f rises": (f"{SLOPE}abs((f(x + h) - f(x)) / h)", ["the sign is lost"], ""),
    "passed tests contradict a mistake": (f"{SLOPE}{ONE_WRONG}", None, ""),
    "the failing test alone, which the text does not bear out": (f"{SLOPE}3.25 if x == 3 else 0.0", [], ""),
    "an exception alone": (f"{SLOPE}undefined(f, x, h)", [], "It raised NameError"),
    "one change makes it right": (CHANGED, None, f"{MENDED}: `ahead = f(x - h)` → `ahead = f(x + h)`."),
    "two mistakes at once": (BOTH, ["upstream forgotten in one line", "one line is subtracted"], PAIR),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_only_mistakes_that_tests_and_text_confirm_are_named(what):
    code, names, said = ANSWERS[what]
    checked = check.slope if "slope" in code else check.rules
    found = checked(*checked.answers(code))
    assert not found and said in found.render_text() and "the wrong way round" not in found.render_text()
    assert names is None or [mistake.name for mistake in found.mistakes] == names
    assert "→" not in said or "<code>ahead = f(x - h)</code> → <code>ahead = f(x + h)</code>" in found.html()


def test_exercise_without_a_file_has_no_known_mistakes():
    assert catalogue.known_mistakes("no exercise") == ()
