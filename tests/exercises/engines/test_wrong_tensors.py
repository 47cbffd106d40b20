"""The twelve wrong engines on arrays: each is wrong somewhere, right somewhere, and caught by the learners' checks."""

import numpy as np
import pytest

from autograd.tensor import Tensor
from exercises.content import library
from exercises.engine_file import check
from exercises.engines.wrong_tensors import WRONG_TENSORS, TensorEngine
from exercises.explaining import catalogue
from exercises.judging.array_tests import Arrays
from exercises.judging.grading import run_all
from exercises.tasks.assemble import check as assemble_check
from exercises.verdicts.dual_arrays import Duals, forward_gradients, same_array

each_wrong = pytest.mark.parametrize("wrong", WRONG_TENSORS, ids=lambda wrong: wrong.id)

CASES = {  # expressions with one number for a root, and shapes of their leaves
    "a product": (lambda x, w: (x @ w).tanh().sum(), ((2, 3), (3, 4))),
    "a bias": (lambda x, b: ((b + x) * (x - b) / (b * b + 1.0)).sum(), ((4, 3), (3,))),
    "stretched": (lambda a, b: (a * b).tanh().sum(), ((3, 1), (2, 3, 4))),
    "sums": (lambda x: (x.sum(axis=1) * x.sum(axis=1)).sum() + x.sum(axis=0, keepdims=True).tanh().sum(), ((3, 4),)),
    "a mean": (lambda x: (x.mean(axis=1).exp() + x.mean()).mean(), ((2, 3),)),
    "rows": (lambda x: (x[[1, 1, 0]] * x[[0, 2, 2]]).sum(axis=1).tanh().sum(), ((3, 2),)),
    "functions": (lambda x: ((x * x + 1.0).log() - (-x).relu() + x**3).sum(), ((2, 3),)),
    "met again": (lambda a, b: (a + b + a).sum(), ((2,), (2,))),
    "one number": (lambda a, b: (a * b).tanh(), ((1,), (1,))),
    "numbers": (lambda a: (2.0 * a - (1.0 - a) / 4.0 + np.ones(3) * a).tanh().sum(), ((2, 3),)),
}


def arrays(shapes):
    rng = np.random.RandomState(3)
    return [rng.uniform(-2.0, 2.0, shape) for shape in shapes]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("engine", [TensorEngine, Tensor], ids=lambda engine: engine.__name__)
def test_right_tensor_engines_match_dual_numbers(name, engine):
    f, shapes = CASES[name]
    value, gradients = forward_gradients(f, arrays(shapes))
    leaves = [engine(array) for array in arrays(shapes)]
    root = f(*leaves)
    root.backward()
    assert same_array(root.data, value)
    assert [(leaf, gradient) for leaf, gradient in zip(leaves, gradients) if not same_array(leaf.grad, gradient)] == []


def test_softmax_divides_each_row_by_its_sum():
    x = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 3.0]])
    expected = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    assert TensorEngine(x).softmax().data == pytest.approx(expected, abs=1e-12)
    assert Duals(x).softmax().values == pytest.approx(expected, abs=1e-12)


def test_dual_arrays_match_finite_differences():
    f, shapes = CASES["a product"]
    x, w = arrays(shapes)
    _, (by_x, _) = forward_gradients(f, [x, w])
    for place in np.ndindex(x.shape):
        nudge = np.zeros(x.shape)
        nudge[place] = 1e-6
        up, down = (float(f(Tensor(x + sign * nudge), Tensor(w)).data) for sign in (1, -1))
        assert by_x[place] == pytest.approx((up - down) / 2e-6, abs=1e-7)


def test_twelve_wrong_tensor_engines_exist():
    assert [wrong.id for wrong in WRONG_TENSORS] == [f"TM{i}" for i in range(1, 13)]
    assert len({wrong.name for wrong in WRONG_TENSORS}) == len({wrong.engine for wrong in WRONG_TENSORS}) == 12


@each_wrong
def test_each_wrong_tensor_engine_fails_only_some_cases(wrong):
    family, caught = Arrays(), []
    for f, shapes in [*CASES.values(), (lambda x: (x.softmax() * x).sum(), ((2, 3),))]:
        xs = arrays(shapes)
        with np.errstate(all="ignore"):
            caught.append(not family.agrees(f, xs, wrong.engine, *forward_gradients(f, xs)))
    assert any(caught) and not all(caught)


def test_shared_array_bug_gives_the_gradients_in_the_lesson():
    sharing = next(wrong.engine for wrong in WRONG_TENSORS if wrong.id == "TM9")
    for engine, right in ((sharing, [2, 2, 2, 2]), (TensorEngine, [2, 1, 1, 1])):
        a, b = engine(3.0), engine(4.0)
        s = a + b
        r = s + a
        r.backward()
        assert [float(node.grad) for node in (a, b, s, r)] == right


RULES = {  # a wrong engine whose mistake is in a rule, and the exercise that asks for this rule
    **dict.fromkeys(("TM1", "TM2", "TM3", "TM4"), "matmul_vjps"),
    **dict.fromkeys(("TM5", "TM6"), "unbroadcast"),
    **dict.fromkeys(("TM7", "TM10"), "sum_vjp"),
    "TM8": "rows_vjp",
}


@pytest.mark.parametrize("id", RULES)
def test_rule_check_names_the_mistake(id):
    name, wrong = RULES[id], next(wrong for wrong in WRONG_TENSORS if wrong.id == id)
    rule = wrong.names[name]
    without_text = eval("lambda rule: lambda *args, **named: rule(*args, **named)")  # that could rule a mistake out
    verdict = getattr(check, name)(without_text(rule))
    assert verdict.state == "wrong"
    names = {wrong.name} | ({"divided by the count"} if id == "TM10" else set())
    told = {mistake.name for mistake in verdict.mistakes}
    assert names & told or ("It raised " in verdict.render_text() and not told), (
        verdict
    )  # an exception alone names nothing


@each_wrong
def test_assemble_cases_tell_each_wrong_engine_from_the_right_one(wrong):
    """The learner's Tensor has no softmax: all but TM11."""
    with np.errstate(all="ignore"):
        cases = [case for case in assemble_check.ARRAY_CASES if case.passes == 1]
        assert [case for case in cases if not case.test(TensorEngine).is_right] == []
        wrongs = [case.test(wrong.engine).is_right for case in cases]
    assert all(wrongs) == (wrong.id == "TM11")


def test_three_tests_catch_all_twelve_wrong_tensor_engines():
    code = library.solution("three_tests").code
    matrix = check.kill_matrix(*check.three_tests.answers(code), arrays=True)
    assert matrix.score == 12 == len(matrix.wrong) and len(matrix.killed) == 3 and not matrix.faults
    assert "12 of 12 wrong engines caught. None was missed." in repr(matrix)
    assert matrix.html().count("<tr>") == 14


def test_catalogue_reuses_the_names_of_wrong_tensor_engines():
    lessons = "08", "the_shape_is_right"
    names = [
        each.mistake.name
        for lesson in lessons
        for name in library.names(lesson)
        for each in catalogue.known_mistakes(name)
    ]
    used = [wrong.id for wrong in WRONG_TENSORS if wrong.name in names]
    assert used == ["TM1", "TM2", "TM3", "TM4", "TM5", "TM6", "TM7", "TM8", "TM12"]


# The kill matrix for arrays


def caught_by(f, *shapes):
    matrix = check.kill_matrix([(f, list(shapes))], arrays=True)
    assert not matrix.faults, matrix
    return {wrong.id for wrong in matrix.caught}


def test_wrong_tensor_engines_caught_by_shapes():
    product = {"TM1", "TM2", "TM3", "TM4"}
    assert caught_by(lambda x, w: (x @ w).tanh().sum(), (2, 3), (3, 4)) >= product
    assert "TM3" not in caught_by(lambda x, w: (x @ w).sum(), (2, 3), (3, 4))
    assert product & caught_by(lambda x, w: (x @ w).sum(), (1, 1), (1, 1)) == {"TM2"}
    assert {"TM5", "TM6"} <= caught_by(lambda x, b: (x + b).tanh().sum(), (4, 3), (3,))
    assert not {"TM5", "TM6"} & caught_by(lambda x, b: (x + b).tanh().sum(), (1, 3), (3,))
    assert "TM12" in caught_by(lambda x, b: (b + x).tanh().sum(), (4, 3), (3,))
    assert "TM12" not in caught_by(lambda x, b: (x + b).tanh().sum(), (4, 3), (3,))
    assert "TM7" in caught_by(lambda x: x.sum(axis=1).tanh().sum(), (3, 3))
    assert "TM7" not in caught_by(lambda x: x.sum(axis=1).sum(), (3, 3))
    assert "TM7" not in caught_by(lambda x: x.sum(axis=0).tanh().sum(), (2, 3))
    assert "TM8" in caught_by(lambda x: x[[1, 1]].sum(), (3, 2))
    assert "TM8" not in caught_by(lambda x: x[[1, 0]].sum(), (3, 2))
    assert "TM11" in caught_by(lambda x: (x.softmax() * x).sum(), (2, 3))


def test_kill_matrix_inputs_may_be_shapes_arrays_lists_and_tensors():
    rng = np.random.RandomState(0)
    for xs in ([(2, 3), (3,)], [rng.randn(2, 3), [1.0, 2.0, 3.0]], [Tensor([[1.0, 2.0, 3.0]]), np.ones(3, int)]):
        assert not check.kill_matrix([(lambda x, b: (x * b).tanh().sum(), xs)], arrays=True).faults


def test_tensor_in_a_test_becomes_a_leaf_of_the_tested_engine():
    names = {"Tensor": Tensor, "two": Tensor([2.0, -1.0])}
    for written in ("a * Tensor([2.0, -1.0])", "two * a", "a * [2.0, -1.0]"):
        f = eval(f"lambda a: ({written}).tanh().sum()", names)
        assert {"TM5", "TM10"} & caught_by(f, (3, 2)), written
    assert names["Tensor"] is Tensor and isinstance(names["two"], Tensor)


def test_wrong_test_catches_nothing_and_is_reported():
    for test, said in [
        (None, "Test 1 is not written yet."),
        (lambda x: x, "the list of shapes or arrays to call it with"),
        ((lambda x: x, [(2, 3)]), "it returned an array of shape (2, 3). Take its sum()."),
        ((lambda x: 3.0, [(2, 3)]), "it returned a float"),
        ((lambda x: x.sum(), "23"), "it is the string"),
        ((lambda x: x.sum(), ["ab"]), "one of them is the string"),
        ((lambda x: x.sum(), [(0, 2)]), "sizes of 1 or more"),
        ((lambda x: x.sum(), [(50, 50)]), "too many numbers"),
        ((lambda x, y: (x + y).sum(), [(15, 15), (15, 15)]), "It has 450 numbers, and the limit is 300."),
        ((lambda x: x.sum(), [[float("nan")]]), "is not finite"),
        ((lambda x: x.data.sum(), [(2,)]), "f uses .data. f only computes"),
        ((lambda x, w: (x @ w).sum(), [(2, 3), (2, 3)]), "It raised ValueError"),
        ((lambda x: (x * np.random.rand()).sum(), [(2, 3)]), "It fails on the right engine too."),
    ]:
        matrix = check.kill_matrix([test], arrays=True)
        assert matrix.score == 0 and said in repr(matrix), matrix
    assert "check.kill_matrix([(lambda a, b" in repr(check.kill_matrix(arrays=True))


def test_checks_begin_with_the_examples_of_the_lesson():
    tests, _ = run_all(check.unbroadcast.tests([lambda gradient, shape: gradient.sum(axis=0)]))
    assert tests[0].rows[0][1] == [4.0, 5.0, 4.0]
    tests, _ = run_all(check.matmul_vjps.tests([lambda x, w, g: (g @ w.T, x.T @ g)]))
    assert [row[1] for row in tests[0].rows[:2]] == [[[1, 2, 0.5], [3, 4, 0]], [[1, 0], [0, 1], [6, -3]]]
