"""Solutions, stubs, hints and stages: each in one place, and consistent with each other."""

import pytest

import autograd
from exercises.content import library
from exercises.engine_file import check, parts, saving, trial
from exercises.storage import progress
from exercises.verdicts.cases import cases
from tests.behaviour import agree, behaviour

EXISTING = [lesson for lesson in check.EXERCISES if library.names(lesson)]


@pytest.mark.parametrize("lesson", EXISTING)
def test_lesson_files_match_its_exercises(lesson):
    assert tuple(library.names(lesson)) == check.EXERCISES[lesson]
    assert [name for name in library.names(lesson) if library.solution(name).code == library.stub(name)] == []


def test_each_exercise_is_a_folder_with_its_files():
    folders = [path for path in library.TASKS.glob("*/") if path.name not in ("__pycache__", "shared")]
    assert sorted(library.names()) == sorted(path.name for path in folders)
    for folder in folders:
        assert {"stub.py", "solution.py", "check.py"} <= {path.name for path in folder.iterdir()}, folder


def test_unknown_exercise_name_gets_a_message():
    with pytest.raises(ValueError, match=r"There is no exercise 'nothing'\. There are: "):
        library.hints("nothing")


def test_reset_clears_progress_and_returns_the_stub(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    name = library.names()[0]
    progress.record_pass(name)
    assert library.stub(name) in saving.reset(name)
    assert not progress.passed(name)


def test_fresh_engine_computes_and_builds_the_graph():
    Value = parts.value_class("divide")
    a, b = Value(2.0), Value(-3.0)
    for made, value in [(1 - a, -1), (1 / a, 0.5), (a - b, 5), (a / b, -2 / 3), (2 + a, 4), (-a, -2), (3 * b, -9)]:
        assert made.data == pytest.approx(value) and made._prev
    assert (a + a)._prev == (a, a) and repr(a) == "Value(data=2.0000)"


def test_engine_rules_pass_gradients_back_in_order():
    for case in cases(count=24, seed=5):
        nodes = case.run(parts.value_class("sigmoid"))
        root = nodes[case.root]
        root.grad = 1.0
        for node in reversed(autograd.topological_order(root)):
            node._backward()
        found = root.data, {leaf: nodes[leaf].grad for leaf, _ in case.leaves}
        assert agree(found, (case.value, case.gradients()))


@pytest.mark.parametrize(
    "Value", [parts.value_class("backward"), parts.value_class("accumulate"), trial.template_engine().Value]
)
def test_whole_engine_is_right_at_any_depth(Value):
    for case in cases(count=24, seed=6):
        assert agree(behaviour(Value, case), (case.value, case.gradients()))
    x = end = Value(1.0)
    for _ in range(5000):
        end = end + 0.0
    end.backward()
    assert x.grad == 1.0
