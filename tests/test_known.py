"""The known mistakes as files: how wrong code is made of a solution, and which mistakes explain an answer."""

import pytest

from exercises.engine_file import cells, check, parts
from exercises.explaining import evidence, known
from exercises.explaining.known import agreement, changed, read, together
from exercises.shelf import library
from exercises.verdicts.seen import seen
from exercises.verdicts.verdict import MENDED, PAIR

TEXT = """## the sign
Take the old
value from the new.
See lesson 01, “Secant and tangent”.

```diff
- a + b
+ a - b
```

```python
def f():
    return 2
```
"""


def test_a_mistake_is_a_name_a_sentence_a_section_and_wrong_code():
    found = read(TEXT.removeprefix("## "))
    assert (found.mistake.name, found.mistake.sentence) == ("the sign", "Take the old value from the new.")
    assert (found.mistake.lesson, found.mistake.section) == ("01", "Secant and tangent")
    assert found.codes("x = a + b\n") == ("x = a - b\n", "x = a + b\n\n\ndef f():\n    return 2\n")


def test_what_a_text_defines_takes_the_place_of_the_solutions():
    solution = "def f():\n    return 1\n\n\ndef g():\n    return f()\n"
    assert changed(solution, "python", "def f():\n    return 2\n") == solution.replace("1", "2")
    assert changed(solution, "python", "def h():\n    return 2\n").startswith(solution)


def test_two_changes_that_make_no_python_together_tell_nothing():
    assert evidence.score("x = 1\n", "x = 2\n", ["x = (\n"]) == 0.0


def test_an_answer_under_another_name_is_not_mended_by_the_courses_own():
    code = library.solution("add_rule").code.replace("add_with_rule", "mine").replace("1.0 * out.grad", "out.grad / 3")
    names = {name: thing for name, thing in parts.stage("add_rule").items() if name != "add_with_rule"}
    exec(compile(code, cells.known_as(code, "a test"), "exec"), names)
    found = check.add_rule(names["mine"])
    assert found.state == "wrong" and "line too many" not in found.text()


def test_a_wrong_engines_words_stand_once():
    found = read("M9\n\n```diff\n- a\n+ b\n```\n").mistake
    assert found.name == "inputs before consumers" or found.sentence.endswith(".")
    assert found.lesson and found.section


def test_a_diff_may_have_several_lines_and_hunks():
    code = "def f(a):\n    if a:\n        return 1\n    return 2\n"
    assert (
        changed(code, "diff", "-     if a:\n-         return 1\n+     pass\n") == "def f(a):\n    pass\n    return 2\n"
    )
    assert changed(code, "diff", "- if a:\n+ if not a:\n\n- 2\n+ 3\n") == code.replace("if a", "if not a").replace(
        "2", "3"
    )
    assert (
        changed(code, "diff", "-     if a:\n          return 1\n+     else:\n+         return 0\n").count("else") == 1
    )
    with pytest.raises(ValueError, match="The solution has no 'if b:'"):
        changed(code, "diff", "- if b:\n+ if c:\n")


def test_two_changes_are_made_together_where_they_meet_nowhere():
    first, second, other = ("diff", "- a\n+ b\n"), ("diff", "- x\n+ y\n"), ("diff", "- a = x\n+ c\n")
    assert together("a = x\n", first, second) == "b = y\n"
    assert together("a = x\n", first, other) is None


def test_answers_agree_as_far_as_all_that_was_seen_is_the_same():
    one, two, other = seen("", ("n", 1, 1)), seen("", ("n", 1, 2)), seen("", ("n", 1, 3))
    assert agreement([one, two], iter([one, two])) == (2, True)
    assert agreement([one, two], iter([one, other])) == (1, False)
    assert agreement([one, two], iter([one])) == (1, False)
    assert agreement([one], iter([one, two])) == (1, False)


def test_a_mistake_that_passed_tests_contradict_is_not_named():
    """abs() is right where f rises: "the wrong way round" is right nowhere there."""
    found = check.slope(lambda f, x, h: abs((f(x + h) - f(x)) / h))
    assert [mistake.name for mistake in found.mistakes] == ["without its sign"]
    found = check.slope(lambda f, x, h: (f(x + h) - f(x)) / h if x > 0 else (f(x) - f(x + h)) / h)
    assert "the wrong way round" not in found.text()


def test_a_mistake_that_gives_the_failing_test_alone_is_not_named_where_the_text_does_not_bear_it_out():
    found = check.slope(*check.slope.answers("def slope(f, x, h):\n    return 3.25 if x == 3 else 0.0\n"))
    assert not found and not found.mistakes


def test_one_change_that_makes_an_answer_right_is_told_with_its_line():
    code = "def slope(f, x, h):\n    ahead = f(x - h)\n    return (ahead - f(x)) / h\n"
    found = check.slope(*check.slope.answers(code))
    assert found.lead == MENDED
    assert f"{MENDED}: `-` where `+` belongs, in `ahead = f(x - h)`." in found.text()
    assert "<code>-</code> where <code>+</code> belongs" in found.html()


def test_an_exception_alone_names_no_mistake():
    code = "def slope(f, x, h):\n    return undefined(f, x, h)\n"
    found = check.slope(*check.slope.answers(code))
    assert "It raised NameError" in found.text() and not found.mistakes


def test_two_mistakes_at_once_are_both_named():
    code = library.solution("multiply_rule").code
    code = code.replace("other.data * out.grad", "other.data").replace("other.grad +=", "other.grad -=")
    found = check.multiply_rule(*check.multiply_rule.answers(code))
    assert found.lead == PAIR
    assert [mistake.name for mistake in found.mistakes] == ["upstream forgotten in one line, and one line subtracted"]


def test_an_exercise_without_a_file_knows_no_mistakes():
    assert known.known("no exercise") == ()
