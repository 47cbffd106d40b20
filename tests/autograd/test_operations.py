"""The table of operations agrees with the engine; whoever adds an operation learns what is missing, and where."""

import builtins
import operator
import re
from math import isinf
from pathlib import Path

import numpy as np
import pytest

import autograd
from autograd import Dual, Value, record
from autograd.compile.array_ops import NUMPY, SHAPED, SOURCES, by_row
from autograd.operations import ARRAY_ROWS, FUNCTIONS, MATH, OPERATIONS, ROWS, Operation, name_of, on_floats, row_of
from autograd.tensor import Tensor
from exercises.verdicts.cases import Case
from figures.page.expression_parser import build, parse
from tests.ops_table import OPS, cases, is_same_float

FILES = {"autograd/value.py": Value, "autograd/tensor.py": Tensor, "autograd/dual.py": Dual}
HINTS = Path(autograd.__file__).with_name("value.pyi").read_text(encoding="utf-8")
NO_OPERATION = {"backward"}  # a method that makes no node
ON_ARRAYS = {  # how each operation of arrays alone is called on a, of two rows of three numbers, or on it and b
    "@": lambda a, b: a @ b,
    "sum": lambda a: a.sum(),
    "mean": lambda a: a.mean(),
    "reshape": lambda a: a.reshape(3, 2),
    "T": lambda a: a.T,
    "[]": lambda a: a[[1, 0, 1]],
    "softmax": lambda a: a.softmax(),
    "normalise": lambda a: a.normalise(),
    "softmax_cross_entropy": lambda a: a.softmax_cross_entropy([0, 2]),
    "hinge": lambda a: a.hinge([[1, -1, 1]] * 2),
    "binary_cross_entropy": lambda a: a.binary_cross_entropy(np.array([[1, 0, 1]] * 2)),
}
REFUSED = {
    "@": lambda: Tensor([[1.0, 2.0]]) @ [[1.0, 2.0]],
    "reshape": lambda: Tensor([1.0, 2.0]).reshape(3),
    "softmax": lambda: Tensor(1.0).softmax(),
    "normalise": lambda: Tensor([[]]).normalise(),
}


def row_at(op):
    """Return the row of an Op of the table of tests; None for a weighted sum."""
    return row_of(op.name.split("(")[0])


def method_of(row):
    return f"__{row.method}__" if row.sign else row.name


def lacking(row):
    """Yield what an operation lacks, each as a sentence that names the file."""
    method, ops = method_of(row), [op for op in OPS if (tabled := row_at(op)) and tabled.name == row.name]
    yield from (f"{row.name} has no method {method} in {file}." for file, c in FILES.items() if method not in vars(c))
    if f"def {method}(" not in HINTS:
        yield f"{row.name} has no method {method} in autograd/value.pyi."
    for name in re.findall(r"\w+(?=\()", " ".join((row.value, *row.slopes, *row.lines))):
        if name not in vars(builtins) and not (name in MATH and name in NUMPY):
            yield f"{row.name} calls {name} in autograd/operations.py, which math and NumPy do not both have."
    if row.name not in SHAPED and not (SOURCES.get(row.name) or by_row(row)):
        yield f"{row.name} chooses with an if, and has no source for arrays in autograd/compile/array_ops.py."
    if not row.sign and not row.questions:
        yield f"{row.name} has no question about its slope in autograd/operations.py."
    if not ops:
        yield f"{row.name} has no points in tests/ops_table.py."
    elif not row.sign and not any(isinf(x) for op in ops for point, *_ in (*op.edges, *op.outside) for x in point):
        yield f"{row.name} has no edges at inf and -inf in tests/ops_table.py; they agree with PyTorch."
    elif row.outside and not any(op.outside for op in ops):
        yield f"{row.name} has no numbers outside of its domain in tests/ops_table.py."


def without_row(methods, file):
    """Return a sentence for each method that makes a node and is in no row."""
    known = {method_of(row) for row in ROWS} | {row.called for row in ARRAY_ROWS} | NO_OPERATION
    made = {name for name, held in methods.items() if not name.startswith("_") and callable(held)}
    made |= {name for name in methods if hasattr(operator, name) and not hasattr(object, name)}
    return [f"{name} of {file} has no row in autograd/operations.py." for name in sorted(made - known)]


def test_every_operation_is_complete():
    lacks = [sentence for row in ROWS for sentence in lacking(row)]
    lacks += [sentence for file, cls in FILES.items() for sentence in without_row(vars(cls), file)]
    assert not lacks, "\n".join(lacks)


def test_missing_parts_of_an_operation_are_listed():
    assert list(lacking(Operation("cube", "cubed(a)", ("3.0 * a * a",)))) == [
        "cube has no method cube in autograd/value.py.",
        "cube has no method cube in autograd/tensor.py.",
        "cube has no method cube in autograd/dual.py.",
        "cube has no method cube in autograd/value.pyi.",
        "cube calls cubed in autograd/operations.py, which math and NumPy do not both have.",
        "cube has no question about its slope in autograd/operations.py.",
        "cube has no points in tests/ops_table.py.",
    ]
    chooses = OPERATIONS["relu"]._replace(name="ramp", method="relu")
    assert "ramp chooses with an if, and has no source for arrays in autograd/compile/array_ops.py." in lacking(chooses)
    narrow = OPERATIONS["tanh"]._replace(outside=(("a < 0", "tanh needs what it has not"),))
    assert list(lacking(narrow)) == ["tanh has no numbers outside of its domain in tests/ops_table.py."]
    methods = vars(Value) | {"cube": Value.exp, "__mod__": Value.__mul__}
    assert without_row(methods, "autograd/value.py") == [
        "__mod__ of autograd/value.py has no row in autograd/operations.py.",
        "cube of autograd/value.py has no row in autograd/operations.py.",
    ]


@pytest.mark.parametrize("row", ARRAY_ROWS, ids=lambda row: row.name)
def test_array_only_operations_match_their_rows(row):
    """A node of that name, a VJP for each input that is its expression, words for each, and a message outside."""
    rng = np.random.RandomState(2)
    given = [Tensor(rng.uniform(-2, 2, shape)) for shape in ((2, 3), (3, 4))[: len(row.vjps)]]
    node = ON_ARRAYS[row.name](*given)
    assert node._op == row.name and hasattr(Tensor, row.called)
    assert len(node._vjps) == len(row.vjps) == len(row.told) == len(given)
    names = dict(zip("ab", (each.data for each in given))) | {"z": node.data, "G": rng.uniform(-2, 2, node.shape)}
    for vjp, expression in zip(node._vjps, row.vjps):
        if expression:
            np.testing.assert_allclose(vjp(names["G"]), eval(expression, vars(np) | names), rtol=1e-12, atol=1e-15)
    assert (row.name in REFUSED) == bool(row.outside)
    if row.outside:
        with pytest.raises(ValueError, match=row.outside):
            REFUSED[row.name]()


def engines(op, point):
    return op.function(*(Value(x, label=label) for x, label in zip(point, "ab")))


def is_outside(row, numbers):
    """Return the messages of the row for these numbers, inputs and constants, outside its domain."""
    names = dict(zip([*"ab"[: len(row.slopes)], *map(name_of, row.constants)], numbers))
    return [words for condition, words in row.outside if eval(condition, {**MATH, **names})]


TABLED = [case for field in ("points", "edges") for case in cases(field) if row_at(case.values[0])]


@pytest.mark.parametrize(("op", "entry"), TABLED)
def test_expressions_match_the_engine(op, entry):
    """To the last bit; at the edges an expression may raise, if Python's arithmetic has no answer."""
    row, point = row_at(op), entry if entry in op.points else entry[0]
    node = engines(op, point)
    numbers = (*point, *node._constants)
    assert not is_outside(row, numbers)
    try:
        found = [run(*numbers) for run in on_floats(row)]
    except (ValueError, ArithmeticError):
        assert entry not in op.points
        return
    assert [
        (x, y)
        for x, y in zip((found[0], *found[1]), (node.data, *node._local), strict=True)
        if not is_same_float(x, y, rel=0)
    ] == [], found


@pytest.mark.parametrize(("op", "case"), cases("outside"))
def test_engine_reports_domain_errors_and_expressions_raise(op, case):
    row, (point, error, _) = row_at(op), case
    constants = engines(op, op.points[0])._constants
    (words,) = is_outside(row, (*point, *constants))
    with pytest.raises(error, match=re.escape(words)):
        engines(op, point)
    with pytest.raises((ValueError, ZeroDivisionError)):
        on_floats(row)[1](*point, *constants)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if hasattr(Value, name)])  # the first test names others
def test_one_row_adds_a_function_to_cases_and_parser(name):
    node, case = getattr(Value(0.7), name)(), Case((("a", 0.7),), (("d", name, ("a",)),))
    assert case.value == pytest.approx(node.data, rel=1e-15) and case.graph()._op == name
    assert case.gradients() == {"a": pytest.approx(*node._local, rel=1e-14)}
    assert case.to_source() == f"a = Value(0.7)\nd = a.{name}()"
    assert build(parse(f"{name}(x)"), {"x": Value(0.7)}).data == node.data


def test_unknown_op_cannot_be_recorded():
    with pytest.raises(ValueError, match=r"label='c'\) cannot be recorded: autograd/operations.py has no 'cube'\."):
        record(lambda x: Value(x.data**3, (x,), "cube", "c", (3 * x.data**2,)), 2.0)
