"""The checks of lesson 11: right answers of every kind pass, and wrong ones are told only what is true of them."""

import numpy as np
import pytest

from exercises.engine_file import check
from exercises.shelf import library


def by_axes(gradient, shape):
    extra = gradient.ndim - len(shape)
    stretched = [extra + axis for axis, size in enumerate(shape) if size == 1]
    return gradient.sum(axis=(*range(extra), *stretched)).reshape(shape)


def one_by_one(gradient, shape):
    found = np.zeros(shape)
    for place in np.ndindex(gradient.shape):
        inner = place[len(place) - len(shape) :]
        found[tuple(0 if size == 1 else i for i, size in zip(inner, shape))] += gradient[place]
    return found


def by_cells(x, w, upstream):
    dx, dw = np.zeros(x.shape), np.zeros(w.shape)
    for n, k, m in np.ndindex(len(x), len(w), w.shape[1]):
        dx[n, k] += upstream[n, m] * w[k, m]
        dw[k, m] += x[n, k] * upstream[n, m]
    return [dx, dw]


def by_matrix(x, rows, upstream):
    one_hot = np.eye(len(x))[rows]
    return np.tensordot(one_hot.T, upstream, 1)


def by_loop(x, rows, upstream):
    gradient = np.zeros_like(x)
    for row, contribution in zip(rows, upstream):
        gradient[row] += contribution
    return gradient


def reshaped(x, upstream, axis=None, keepdims=False):
    kept = np.sum(x, axis=axis, keepdims=True).shape
    return np.full(x.shape, np.reshape(upstream, kept))


RIGHT = {
    "unbroadcast": {"by axes": by_axes, "one by one": one_by_one},
    "matmul_vjps": {
        "cell by cell": by_cells,
        "einsum": lambda x, w, g: (np.einsum("nm,km->nk", g, w), np.einsum("nk,nm->km", x, g)),
        "transposed twice": lambda x, w, g: ((w @ g.T).T, (g.T @ x).T),
        "dot": lambda x, w, g: (np.dot(g, np.transpose(w)), np.matmul(np.transpose(x), g)),
    },
    "sum_vjp": {
        "a view": lambda x, g, axis=None, keepdims=False: np.broadcast_to(
            g if keepdims or axis is None else np.expand_dims(g, axis), x.shape
        ),
        "reshaped": reshaped,
    },
    "rows_vjp": {"one-hot": by_matrix, "a loop": by_loop},
}
CASES = [(name, case, given) for name, cases in RIGHT.items() for case, given in cases.items()]


@pytest.mark.parametrize("name, case, given", CASES, ids=[f"{name}: {case}" for name, case, _ in CASES])
def test_other_right_answers_pass(name, case, given):
    verdict = getattr(check, name)(given)
    assert verdict, verdict


def in_place(gradient, shape):
    gradient *= 2.0
    return by_axes(gradient / 2.0, shape)


WRONG = {
    "an argument is changed": ("unbroadcast", in_place, "gradient afterwards"),
    "a list": ("unbroadcast", lambda g, s: by_axes(g, s).tolist(), "got a list"),
    "an array of objects": ("unbroadcast", lambda g, s: by_axes(g, s).astype(object), "holds no numbers"),
    "one array for two": ("matmul_vjps", lambda x, w, g: g @ w.T, "in place of a pair"),
    "three": ("matmul_vjps", lambda x, w, g: (g @ w.T, x.T @ g, g), "in place of a pair"),
    "right on squares": ("matmul_vjps", lambda x, w, g: (g @ w.T, (g.T @ x).reshape(w.shape)), "the gradient by w"),
    "nan": ("sum_vjp", lambda x, g, axis=None, keepdims=False: x * np.nan, "nan"),
    "it raises": ("rows_vjp", lambda x, rows, g: x[99], "It raised IndexError"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_answers_are_told_what_is_so(case):
    name, answer, said = WRONG[case]
    verdict = getattr(check, name)(answer)
    assert verdict.state == "wrong" and said in verdict.text(), verdict


def assembled(**changes):
    """The verdict on the solution of the assembly with lines of it replaced."""
    code = library.solution("assemble").code
    for old, new in changes.values():
        assert old in code
        code = code.replace(old, new)
    return check.assemble(*check.assemble.answers(code))


def test_other_right_assemblies_pass():
    assert assembled(a=("self.grad += ", "self.grad = self.grad + "))
    assert assembled(
        a=("sum_vjp(self.data, out.grad, axis, keepdims)", "0.0 + sum_vjp(self.data, out.grad, axis, keepdims)")
    )
    assert assembled(a=("self.data @ other.data", "np.dot(self.data, other.data)"))


def test_an_assembly_that_is_half_done_is_told_what_is_missing():
    code = library.solution("assemble").code.partition("def array_sum")[0]
    stub = library.stub("assemble")
    verdict = check.assemble(*check.assemble.answers(code + stub[stub.index("def array_sum") :]))
    assert verdict.state == "not yet" and "without a `return`: sum, []." in verdict.text()


def test_an_assembly_may_keep_its_own_rules_in_the_cell():
    helper = "def folded(g, shape):\n    return unbroadcast(g, shape)\n\n\n"
    code = helper + library.solution("assemble").code.replace("+= unbroadcast(", "+= folded(")
    assert check.assemble(*check.assemble.answers(code))


def test_a_gradient_that_is_only_broadcast_is_refused():
    """numpy's += would repeat it in silence: the rule itself has to give x's shape."""
    verdict = check.sum_vjp(lambda x, upstream, axis=None, keepdims=False: upstream)
    assert verdict.state == "wrong" and "left as it is" in verdict.text()


# Exercise 6

GOOD = (
    (lambda x, w, b: ((b + x @ w).tanh() * b).sum(), [(2, 3), (3, 4), (4,)]),
    (lambda x: (x[[1, 1, 0]].softmax() * x).sum(axis=1).tanh().sum(), [(3, 4)]),
    (lambda a, b: (a + b + a).sum(), [(2,), (2,)]),
)


def everything(x, w, b):
    h = b + x @ w
    return ((h + b)[[1, 1, 0]].softmax() * (h + b)).sum(axis=1).tanh().sum() + (h * b).tanh().sum()


def test_two_tests_may_be_enough():
    assert check.three_tests(list(GOOD))
    assert check.three_tests((*GOOD, None)[:3])
    two = [(everything, [(3, 2), (2, 4), (4,)]), GOOD[2]]
    assert check.three_tests(two), check.three_tests(two)


def test_more_than_three_and_no_tests_get_a_sentence():
    assert "at most 3 are asked for" in check.three_tests([*GOOD, GOOD[0]]).text()
    assert check.three_tests([..., ...]).state == "not yet"
    assert check.three_tests([]).state == "not yet"


def test_what_got_away_is_named_with_the_reason():
    verdict = check.three_tests(list(GOOD[:2]))
    assert "2 tests catch 11 of 12" in verdict.text() and "nothing meets its input again" in verdict.text()
    verdict = check.three_tests([GOOD[2]])
    assert "an operation that no test uses" in verdict.text() and "nothing is broadcast" in verdict.text()


def test_a_name_of_a_reason_is_given_only_where_it_holds():
    """TM3 gets away where another upstream than ones is 0: nothing is said of ones."""
    silent = [(lambda x, w: ((x @ w) * 0.0).sum() + (x @ w).sum() * 0.0, [(2, 3), (3, 4)]), GOOD[1], GOOD[2]]
    verdict = check.three_tests(silent)
    assert verdict.state == "wrong" and "upstream is all ones" not in verdict.text()


def test_the_case_that_is_shown_can_be_run():
    """A keyword stands behind all that has none."""
    import ast

    from exercises.judging.grading import everything

    for name in ("rows_vjp", "sum_vjp", "matmul_vjps"):
        checked = getattr(check, name)
        code = library.solution(name).code
        tests, _ = everything(checked.tests(checked.answers(code)))
        assert tests and all(ast.parse(each.case) for each in tests)


def test_one_array_in_place_of_a_pair_is_said_so():
    found = check.matmul_vjps(lambda x, w, upstream: upstream @ w.T)
    assert not found and "in place of a pair" in found.text() and "the string" not in found.text()


KNOWABLE = {  # what the numbers and sizes of the tests once let pass
    "whole numbers": ("unbroadcast", "    return gradient", "    return gradient.astype(int)"),
    "32 bits": ("sum_vjp", "np.ones(x.shape)", "np.ones(x.shape) * np.float64(0) + upstream.astype(np.float32)"),
    "two axes": ("sum_vjp", "np.expand_dims(upstream, axis)", "upstream[:, None] if axis in (1, -1) else upstream"),
    "whole rows": ("rows_vjp", "np.zeros(x.shape)", "np.zeros(x.shape, dtype=int)"),
}


@pytest.mark.parametrize("case", KNOWABLE)
def test_what_holds_for_few_numbers_or_sizes_alone_is_refused(case):
    name, old, new = KNOWABLE[case]
    code = library.solution(name).code
    checked = getattr(check, name)
    assert old in code and not checked(*checked.answers(code.replace(old, new)))


def test_rows_may_be_put_back_by_a_product():
    assert check.rows_vjp(lambda x, rows, upstream: np.eye(len(x))[rows].T @ upstream)


def test_meeting_again_is_not_denied_where_it_happens():
    tests = [GOOD[0], (lambda a, b: (((a + b) + a) * (a + b).softmax() * a).sum(), [(2, 3), (2, 3)])]
    assert "nothing meets its input again" not in check.three_tests(tests).text()
