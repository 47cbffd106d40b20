"""Solutions, stubs, hints and stages: kept once, and in step with each other."""

import ast

import pytest

import autograd
from exercises.engine_file import check, parts
from exercises.shelf import library, progress
from exercises.verdicts.cases import cases
from tests.behaviour import agree, behaviour

EXISTING = [lesson for lesson in check.EXERCISES if library.names(lesson)]


@pytest.mark.parametrize("lesson", EXISTING)
def test_the_files_of_a_lesson_are_its_exercises(lesson):
    assert tuple(library.names(lesson)) == check.EXERCISES[lesson]
    stubs = sorted((library.STUBS / lesson).glob("*.py"))
    assert [path.name for path in stubs] == [p.name for p in sorted((library.SOLUTIONS / lesson).glob("*.py"))]


@pytest.mark.parametrize("name", library.names())
def test_an_exercise_has_two_hints_and_a_solution(name):
    solution = library.solution(name)
    assert len(solution.hints) == 2 and all(len(hint.split()) >= 5 for hint in solution.hints)
    assert ast.parse(solution.code).body and solution.code != library.stub(name)
    shown = library.hints(name)._repr_mimebundle_()
    assert shown["text/html"].count("<details>") == 3
    code = solution.code.strip()
    assert code not in shown["text/plain"]  # in text, only the first hint
    assert getattr(check, name).__doc__


def test_a_name_that_is_none_gets_a_sentence():
    with pytest.raises(ValueError, match=r"There is no exercise 'nothing'\. There are: "):
        library.hints("nothing")


def test_reset_forgets_and_gives_the_stub_back(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    name = library.names()[0]
    progress.record_pass(name)
    assert library.stub(name) in library.reset(name)
    assert not progress.passed(name)


def test_a_fresh_engine_computes_and_remembers():
    Value = parts.fresh("divide")
    a, b = Value(2.0), Value(-3.0)
    for made, value in [(1 - a, -1), (1 / a, 0.5), (a - b, 5), (a / b, -2 / 3), (2 + a, 4), (-a, -2), (3 * b, -9)]:
        assert made.data == pytest.approx(value) and made._prev
    assert (a + a)._prev == (a, a) and repr(a) == "Value(data=2.0000)"


def test_its_rules_pass_gradients_back_when_told_in_order():
    for case in cases(count=24, seed=5):
        nodes = case.run(parts.fresh("functions"))
        root = nodes[case.root]
        root.grad = 1.0
        for node in reversed(autograd.topological_order(root)):
            node._backward()
        found = root.data, {leaf: nodes[leaf].grad for leaf, _ in case.leaves}
        assert agree(found, (case.value, case.gradients()))


@pytest.mark.parametrize("Value", [parts.fresh("backward"), parts.fresh("accumulate"), parts.course_engine().Value])
def test_whole_it_is_right_at_any_depth(Value):
    for case in cases(count=24, seed=6):
        assert agree(behaviour(Value, case), (case.value, case.gradients()))
    x = end = Value(1.0)
    for _ in range(5000):
        end = end + 0.0
    end.backward()
    assert x.grad == 1.0


def test_what_a_check_puts_in_its_own_meaning_is_taken_out_again():
    names = {"add": 1}
    exec("def f():\n    return Value, add\n\n\ndef g():\n    return as_value", names)
    before = dict(names)
    engine = parts.stage("constants")
    with parts.meaning([names["f"]], engine):
        assert names["f"]() == (engine["Value"], engine["add"]) and names["g"]() is engine["as_value"]
    assert names == before
