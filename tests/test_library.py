"""Solutions, stubs, hints and stages: kept once, and in step with each other."""

import ast
import itertools
import math

import pytest

import autograd
from exercises import check, library, progress
from exercises.cases import cases
from exercises.diagnosis import agree, behaviour
from tests import lessons

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


def stage(number):
    """The names that a stage defines, as in a lesson that has imported math."""
    names = {"math": math}
    exec(library.stage(number), names)
    return names


def test_stages_grow():
    members = [set(vars(stage(number)["Value"])) for number in (1, 2, 3, 4)]
    assert all(before < after for before, after in itertools.pairwise(members))
    assert repr(stage(1)["Value"](2)) == repr(stage(2)["Value"](2)) == "Value(data=2.0000)"
    assert repr(stage(3)["Value"](2)) == repr(stage(4)["Value"](2)) == "Value(data=2.0000, grad=0.0000)"


def test_stage_2_computes_and_remembers():
    Value = stage(2)["Value"]
    a, b = Value(2.0), Value(-3.0)
    for made, value in [(1 - a, -1), (1 / a, 0.5), (a - b, 5), (a / b, -2 / 3), (2 + a, 4), (-a, -2), (3 * b, -9)]:
        assert made.data == pytest.approx(value) and made._prev
    assert (a + a)._prev == (a, a)


def test_stage_3_passes_gradients_back_when_told_in_order():
    names = stage(3)
    for case in cases(count=24, seed=5):
        nodes = case.run(names["Value"])
        root = nodes[case.root]
        root.grad = 1.0
        for node in reversed(autograd.topological_order(root)):
            node._backward()
        found = root.data, {leaf: nodes[leaf].grad for leaf, _ in case.leaves}
        assert agree(found, (case.value, case.gradients()))


def test_stage_4_is_the_right_engine_at_any_depth():
    names = stage(4)
    for case in cases(count=24, seed=6):
        assert agree(behaviour(names["Value"], case), (case.value, case.gradients()))
    x = end = names["Value"](1.0)
    for _ in range(5000):
        end = end + 0.0
    end.backward()
    assert x.grad == 1.0


def test_lessons_show_the_stages():
    shown = [
        (path.name[:2], lessons.stage_of(cell))
        for path in lessons.LESSONS
        for cell in lessons.cells(lessons.read(path), "code")
        if lessons.stage_of(cell)
    ]
    opens = {"02": 1, "03": 2, "04": 3, "05": 3, "06": 4, "07": 4}
    for path in lessons.LESSONS:
        if (number := path.name[:2]) in opens:
            assert (number, opens[number]) in shown
