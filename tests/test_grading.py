"""What all checks share: states, sentences, and tests of a learner's engine."""

import pytest

import autograd
from exercises import check, grading, progress
from exercises.grading import answer, called, engine_fault, exercise, wrong
from exercises.guard import Trouble, Unfinished
from exercises.verdict import Mistake, Verdict
from exercises.wrong_engines import Engine


@exercise
def doubled(function):
    """An exercise made for these tests."""
    for x in (1.0, -2.5):
        got = called(function, x, what=f"doubled({x})")
        if got != 2 * x:
            return wrong(f"Tested: doubled({x}).", rows=[(f"doubled({x})", 2 * x, got)])
    return "Twice as much, each time."


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


def test_a_right_answer_passes_and_is_recorded():
    verdict = doubled(lambda x: x + x)
    assert verdict and verdict.text() == "✓ doubled: yes. Twice as much, each time."
    assert progress.passed("doubled")


@pytest.mark.parametrize("nothing", [None, ..., lambda x: None, lambda x: ..., lambda x: NotImplemented])
def test_an_untouched_stub_is_not_yet(nothing):
    verdict = doubled(nothing)
    assert verdict.text().startswith("○ doubled: not yet.") and not verdict
    assert not progress.passed("doubled")


def test_a_stub_that_raises_is_not_yet():
    def stub(x):
        raise NotImplementedError

    assert doubled(stub).state == "not yet"


def test_a_wrong_answer_shows_expected_beside_got():
    verdict = doubled(lambda x: x * x)
    assert verdict.text().splitlines()[-1] == "doubled(1.0): expected 2.0000, got 1.0000"
    assert "<td>2.0000</td><td><b>1.0000</b></td>" in verdict.html()
    assert progress.tries("doubled") == 1 and not progress.passed("doubled")


@pytest.mark.parametrize(
    "given, said",
    [
        (lambda x: "2", "A number was expected; it returned the string '2'."),
        (lambda x: [x], "A number was expected; it returned a list."),
        (lambda x: True, "A number was expected; it returned a bool."),
        (lambda x, y: x, "It raised TypeError"),
        (3, "It raised TypeError: 'int' object is not callable."),
    ],
)
def test_an_answer_of_another_kind_gets_a_sentence(given, said):
    verdict = doubled(given)
    assert verdict.state == "wrong" and said in verdict.text()


def test_answers_of_a_kind_that_is_asked_for():
    assert answer(3, "x") == 3.0 and isinstance(answer(3, "x"), float)
    assert answer([1], "x", list) == [1]
    assert answer(autograd.Value(2.0), "x", object).data == 2.0
    with pytest.raises(Trouble, match=r"A list or tuple was expected; it returned an int\."):
        answer(3, "x", (list, tuple))
    with pytest.raises(Unfinished, match="nothing yet, or a `return` is missing"):
        answer(None, "x")


def test_an_engine_that_lacks_a_member_gets_a_sentence():
    class NoGrad(Engine):
        def __init__(self, *args):
            super().__init__(*args)
            del self.grad

    with pytest.raises(Trouble, match="grad"):
        engine_fault(NoGrad)
    with pytest.raises(Trouble, match="has no `data`"):
        engine_fault(lambda x: x, ("+",), gradients=False)


def test_only_values_are_asked_for_where_no_gradient_is_promised():
    class Plain:
        def __init__(self, data):
            self.data = data

        def __add__(self, other):
            return Plain(self.data + other.data)

        def __mul__(self, other):
            return Plain(self.data * other.data)

    assert engine_fault(Plain, ("+", "*"), gradients=False) is None
    Plain.__mul__ = lambda a, b: Plain(a.data + b.data)
    found = engine_fault(Plain, ("+", "*"), gradients=False)
    assert "The value is wrong" in found.text()


def test_a_verdict_escapes_what_it_shows():
    verdict = Verdict("x", "wrong", ("<b>",), case="a < b", rows=(("<i>", "<", 1),), mistakes=(Mistake("<u>", "&"),))
    for mark in ("<b>", "<i>", "<u>"):
        assert mark in verdict.text()
    assert "&lt;b&gt;" in verdict.html() and "<u>" not in verdict.html() and "a &lt; b" in verdict.html()


def test_two_mistakes_are_both_named():
    two = (Mistake("one", "First."), Mistake("two", "Second.", "04", "Break it: = for +="))
    text = Verdict("x", "wrong", mistakes=two).text()
    assert "This is what one mistake gives: one. First." in text and "Or: two. Second. See lesson 04" in text
    assert (
        '<a href="04_fan_out_why_plus_equals.ipynb#Break-it:-=-for-+=">' in Verdict("x", "wrong", mistakes=two).html()
    )


def test_numbers_are_shown_with_as_many_digits_as_tell_them_apart():
    assert grading.wrong(rows=[("x", 0.5, 0.5000001)]).text().endswith("expected 0.5000, got 0.5000001")


def test_the_checks_have_names():
    with pytest.raises(AttributeError, match=r"There is no check named 'nothing'\. There are: "):
        check.nothing  # noqa: B018
    assert "kill_matrix" in dir(check) and "predict" in dir(check)
