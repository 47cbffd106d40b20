"""The behaviour that all checks share: states, sentences, and tests of a learner's engine."""

import collections

import numpy as np
import pytest

import autograd
from exercises.content.library import Mistake
from exercises.engine_file import check
from exercises.judging.answers import answer, called, engine_tests
from exercises.judging.grading import exercise
from exercises.judging.step_counter import TICK, Ticks, counted
from exercises.sandbox.guard import AnswerError, NotAttempted, TimeUp
from exercises.storage import progress
from exercises.verdicts.results import Verdict, equal_results, make_result, same_outcome
from tests.engines import STORED, engine, swapped


@exercise
def doubled(function):
    for x in (1.0, -2.5):
        yield make_result(
            "It is not twice as much.", (f"doubled({x})", 2 * x, called(function, x, what=f"doubled({x})"))
        )
    return "Twice as much, each time."


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


def test_right_answer_passes_and_is_recorded():
    verdict = doubled(lambda x: x + x)
    assert verdict and verdict.render_text() == "✓ doubled: yes. Twice as much, each time."
    assert progress.passed("doubled")


def failing(x):
    raise NotImplementedError


@pytest.mark.parametrize("nothing", [None, ..., lambda x: None, lambda x: ..., lambda x: NotImplemented, failing])
def test_untouched_stub_is_not_attempted(nothing):
    verdict = doubled(nothing)
    assert verdict.render_text().startswith("○ doubled: not yet.") and not verdict and verdict.state == "not yet"
    assert not progress.passed("doubled")


def test_wrong_answer_shows_expected_and_actual():
    verdict = doubled(lambda x: x * x)
    assert verdict.render_text().splitlines()[-1] == "doubled(1.0): expected 2.0000, got 1.0000"
    assert "<td>2.0000</td><td><b>1.0000</b></td>" in verdict.html()
    assert progress.tries("doubled") == 1 and not progress.passed("doubled")


@pytest.mark.parametrize(
    "given, said",
    [
        (lambda x: "2", "A number was expected; it returned the string '2'."),
        (lambda x: [x], "A number was expected; it returned a list."),
        (lambda x: True, "A number was expected; it returned a bool."),
        (lambda x: int, "A number was expected; it returned the class int."),
        (lambda x: np.zeros(2), "A number was expected; it returned an ndarray."),
        (lambda x, y: x, "It raised TypeError"),
        (3, "It raised TypeError: 'int' object is not callable."),
    ],
)
def test_answer_of_the_wrong_type_gets_a_message(given, said):
    verdict = doubled(given)
    assert verdict.state == "wrong" and said in verdict.render_text()


def test_answers_are_converted_to_the_expected_type():
    assert answer(3, "x") == 3.0 and isinstance(answer(3, "x"), float)
    assert answer([1], "x", list) == [1]
    assert answer(autograd.Value(2.0), "x", object).data == 2.0
    with pytest.raises(AnswerError, match=r"A list or tuple was expected; it returned an int\."):
        answer(3, "x", (list, tuple))
    with pytest.raises(NotAttempted, match=r"It returned None\. Is a `return` missing\?$"):
        answer(None, "x")
    with pytest.raises(NotAttempted, match=r"It returned \.\.\.: not filled in yet\.$"):
        answer(..., "x")
    with pytest.raises(NotAttempted, match=r"Is a `return` missing\? What it printed was only shown, not returned\.$"):
        called(print, "6.5", what="x")


def test_any_ordered_sequence_is_accepted_as_a_list():
    deque, array, generator = collections.deque([1, 2]), np.array([1, 2]), (x for x in (1, 2))
    for sequence in ((1, 2), deque, generator, array, range(1, 3), map(int, "12")):
        assert list(answer(sequence, "x", (list, tuple))) == [1, 2]
    for other in ("12", {1, 2}, {1: 2}, b"12", list, 3):
        with pytest.raises(AnswerError, match="A list or tuple was expected"):
            answer(other, "x", (list, tuple))


@pytest.mark.parametrize(
    "given, change",
    [
        ([3, 1, 2], list.sort),
        ([3, 1], list.clear),
        ({"a": 1}, dict.clear),
        ({"a": 1}, lambda d: d.update(a=2)),
        ({1, 2}, set.pop),
        ([[1.0], [2.0]], list.reverse),
    ],
)
def test_changing_an_argument_is_reported(given, change):
    with pytest.raises(AnswerError, match=r"It changed the (list|dict|set) that it was given: it was .*, and is now "):
        called(lambda x: change(x) or 1.0, given, what="x")


def test_results_are_compared_as_numbers_strings_and_lists():
    assert (
        equal_results(1.0 + 1e-12, 1.0)
        and equal_results(float("nan"), float("nan"))
        and equal_results(float("inf"), float("inf"))
    )
    assert (
        equal_results([1, {"a": (2.0,)}], (1.0, {"a": [2]}))
        and not equal_results([1], [1, 2])
        and not equal_results("1", 1)
    )
    assert not equal_results(True, 1) and not equal_results(1.0, 1.0 + 1e-6) and not equal_results(float("nan"), 1.0)
    assert not equal_results(np.array([1, 2]), np.array([1, 2]))  # that is no single yes: arrays are made lists first


def test_outcomes_are_equal_if_all_results_are():
    one = make_result("", ("a", 1, 2), ("b", 5, 5))
    assert same_outcome(one, make_result("other words", ("a", 1, 2.0), ("b", 5, 5)))
    assert not same_outcome(one, make_result("", ("a", 1, 2), ("b", 5, 6))) and not same_outcome(
        one, make_result("", ("a", 1, 2))
    )
    assert make_result("", ("a", "at most 3", 2, True)).is_right and not make_result("", ("a", 2, 2, False)).is_right


def test_engine_without_a_member_gets_a_message():
    with pytest.raises(AnswerError, match="grad"):
        next(engine_tests(engine(STORED, ("self.data, self.grad,", "self.data, self.slope,"))))
    with pytest.raises(AnswerError, match="has no `data`"):
        next(engine_tests(lambda x: x, ("+",), gradients=False))


def test_engine_tests_without_gradients_check_values_only():
    plain = swapped(
        STORED, ("def backward", "def back"), (" self.grad, self._prev,", " self._prev,"), ("data, 0.0,", "data,")
    )
    assert [test for test in engine_tests(engine(plain), ("+", "*"), gradients=False) if not test.is_right] == []
    adds = engine(plain, ("self.data * other.data", "self.data + other.data"))
    found = [test for test in engine_tests(adds, ("+", "*"), gradients=False) if not test.is_right]
    assert found and [test for test in found if "the value is wrong" not in test.says] == []


def test_verdict_escapes_html():
    verdict = Verdict("x", "wrong", ("<b>",), case="a < b", rows=(("<i>", "<", 1),), mistakes=(Mistake("<u>", "&"),))
    for mark in ("<b>", "<i>", "<u>"):
        assert mark in verdict.render_text()
    assert "&lt;b&gt;" in verdict.html() and "<u>" not in verdict.html() and "a &lt; b" in verdict.html()


def test_verdict_names_both_mistakes():
    two = (Mistake("one", "First."), Mistake("two", "Second.", "03", "Break it: = for +="))
    text = Verdict("x", "wrong", mistakes=two).render_text()
    assert "Known mistake: one. First." in text and "And: two. Second. See lesson 03" in text
    assert '<a href="03_used_more_than_once.ipynb#Break-it:-=-for-+=">' in Verdict("x", "wrong", mistakes=two).html()


def test_numbers_have_enough_digits_to_differ():
    assert Verdict("x", "wrong", rows=(("x", 0.5, 0.5000001),)).render_text().endswith("expected 0.5000, got 0.5000001")
    text = Verdict("x", "wrong", rows=(("the sign", "+", ""),)).render_text()
    assert text.endswith('the sign: expected +, got an empty string, ""')


def test_unknown_check_name_lists_the_checks():
    with pytest.raises(AttributeError, match=r"There is no check named 'nothing'\. There are: "):
        check.nothing  # noqa: B018
    assert "kill_matrix" in dir(check) and "predict" in dir(check)


def test_verdict_drops_characters_that_cannot_be_encoded():
    verdict = Verdict("x", "wrong", ("half \udc80, nothing \x00",), rows=(("\x1b[31m", 1, "\udfff"),))
    for text in (verdict.render_text(), verdict.html()):
        assert text.encode("utf-8") and "\x00" not in text and "\x1b" not in text and "half \ufffd" in text


def test_counted_code_limits_the_size_of_powers():
    def result(code):
        names = {TICK: Ticks(), "x": 3, "y": np.array([2.0, 3.0])}
        exec(compile(counted(code), "mistake", "exec"), names)
        return names

    assert result("x **= 2\nz = x ** -1 + 2.0 ** x")["z"] == 1 / 9 + 512
    assert result("z = y\ny **= 2")["z"].tolist() == [4.0, 9.0]  # in place
    with pytest.raises(TimeUp):
        result("9 ** 9 ** 9 ** x")
