"""Each operation on numbers once, as data for recordings, questions, the parser, random cases and tests.

`Value`, `Tensor` and `Dual` have a method for each, written out, because people read them. A test,
`tests/autograd/test_operations.py`, compares them with this table, and says in a sentence what an operation lacks, and
in which file. What only arrays can do is in its own table, ARRAY_ROWS, with which the test compares `Tensor`.
"""

import functools
import math
import operator
import re
from collections import namedtuple
from types import SimpleNamespace

from autograd.errors import messages, validation

FIELDS = "name value slopes lines constants outside method sign questions"


class Operation(namedtuple("Operation", FIELDS, defaults=((), (), (), "", "", ()))):
    """An operation, as expressions of floats: a and b are its inputs, z is its value.

    name: as a node's `_op` has it; "**n" is that of a power whose exponent is a plain number.
    value: it may call functions of `math`, which NumPy has for columns. If the engine has an answer and Python's
    arithmetic has none (e to the 1000), or the engine has none, one of the expressions raises.
    slopes: the local derivative for each input, as a factor of a product; "" is 1.
    lines: what is computed before. A name that begins with z_ is the operation's own.
    constants: its plain numbers as parameters, with the default if there is one.
    outside: pairs of a condition under which it has no value, and the engine's message.
    method: what Python calls an operator, as in `operator.add` and `Value.__add__`; sign: how it is printed.
    questions: for each input, what to ask somebody who has the wrong slope: `about_slope` in
    figures/passes/questions.py.
    """


SIGMOID = "(1.0 if a >= 0 else z_exp) / (1.0 + z_exp)"  # after z_exp: e is never raised to a large positive power
POWER = "The slope of xⁿ is n·xⁿ⁻¹. What is it for n = {exponent}, at {x} = {value}?"

ROWS = (
    Operation("+", "a + b", ("", ""), method="add", sign="+"),
    Operation("-", "a - b", ("", "-1.0"), method="sub", sign="-"),
    Operation(
        "*",
        "a * b",
        ("b", "a"),
        method="mul",
        sign="·",
        questions=("{name} is a product. Which number is its other factor, {other}?",) * 2,
    ),
    Operation(
        "/",
        "a / b",
        ("1.0 / b", "-z / b"),
        outside=(("b == 0", "division by 0 has no value"),),
        method="truediv",
        sign="/",
        questions=(
            "{nudged}. How much of that is left, divided by {other}?",
            "Does {name} rise or fall when {x} rises? The slope of n/d along d is -n/d²: what is that here?",
        ),
    ),
    Operation("neg", "-a", ("-1.0",), method="neg", sign="-"),
    Operation(
        "**n",
        "pow(a, n)",
        ("(n * pow(a, n - 1) if n else 0.0)",),
        constants=("n",),
        outside=(
            ("a == 0 and n < 0", "0 to a negative power is a division by 0"),
            ("a < 0 and n % 1 != 0", "a negative number needs a whole exponent"),
        ),
        method="pow",
        sign="**",
        questions=(POWER,),
    ),
    Operation(
        "**",
        "pow(a, b)",
        ("(b * pow(a, b - 1) if b else 0.0)", "z * z_log"),
        lines=("z_log = log(a)",),
        outside=(("a < 0 or a == 0 and b <= 0", "needs a positive base, or 0 to a positive power"),),
        method="pow",
        sign="**",
        questions=(POWER, "Along the exponent the slope of a power is the power times log {other}. What is that here?"),
    ),
    Operation("exp", "exp(a)", ("z",), questions=("exp is its own slope: which number is {name}?",)),
    Operation(
        "log",
        "log(a)",
        ("1.0 / a",),
        outside=(("a <= 0", "log needs a positive number"),),
        questions=("The slope of log x is 1/x. What is that at {x} = {value}?",),
    ),
    Operation(
        "sqrt",
        "sqrt(a)",
        ("0.5 / z",),
        outside=(("a < 0", "sqrt needs a number that is not negative"),),
        questions=("The slope of √x is 1/(2·√x). Which number is {name}, the root?",),
    ),
    Operation(
        "sin",
        "sin(a)",
        ("cos(a)",),
        outside=(("abs(a) == inf", "sin needs a finite number"),),
        questions=("The slope of sin is cos. What is it at {x} = {value}?",),
    ),
    Operation(
        "cos",
        "cos(a)",
        ("-sin(a)",),
        outside=(("abs(a) == inf", "cos needs a finite number"),),
        questions=("The slope of cos is -sin. What is it at {x} = {value}?",),
    ),
    Operation(
        "tanh",
        "tanh(a)",
        ("(1.0 - z * z)",),
        questions=("tanh's slope is 1 minus its output squared. Which number is its output?",),
    ),
    Operation(
        "sigmoid",
        SIGMOID,
        ("(z * (1.0 - z))",),
        lines=("z_exp = exp(-abs(a))",),
        questions=("The sigmoid's slope is output · (1 - output). Which number is its output?",),
    ),
    Operation(
        "relu",
        "0.0 if a <= 0 else a",
        ("(0.0 if a <= 0 else 1.0)",),
        questions=("Is {x} above 0, so that relu is open?",),
    ),
    Operation(
        "leaky_relu",
        "z_slope * a",
        ("z_slope",),
        lines=("z_slope = 1.0 if a > 0 else slope",),
        constants=("slope=0.01",),
        questions=("Is {x} above 0? Then the slope is 1. How steep is the other side?",),
    ),
    Operation(
        "softplus",
        "log1p(z_exp) + (a if a > 0 else 0.0)",
        (SIGMOID,),
        lines=("z_exp = exp(-abs(a))",),
        questions=("The slope of softplus is the sigmoid. What is it at {x} = {value}?",),
    ),
)


class ArrayOperation(namedtuple("ArrayOperation", "name vjps told method outside", defaults=("", ""))):
    """An operation on arrays only. In its expressions a and b are its inputs, z is its value, G is upstream.

    name: as a node's `_op` has it. vjps: for each input its VJP, a NumPy expression for matrices a and b; "" if it
    depends on more than these, such as an axis or targets. told: the same for a step in words, where {x} is the input,
    {other} the other one and {out} the value. method: what `Tensor` calls it, if that is not its name. outside: the
    engine's message if it has no value.
    """

    @property
    def called(self):
        """The name of Tensor's method."""
        return self.method or self.name


MEAN = "{}.mean(axis=-1, keepdims=True)"
AT_ROWS = "it needs rows of at least one number"
ARRAY_ROWS = (
    ArrayOperation(
        "@", ("G @ b.T", "a.T @ G"), ("G @ {other}ᵀ", "{other}ᵀ @ G"), "__matmul__", "a row of the left has"
    ),
    ArrayOperation("sum", ("full(a.shape, G)",), ("G for each number",)),
    ArrayOperation("mean", ("full(a.shape, G / a.size)",), ("G / count for each number",)),
    ArrayOperation("reshape", ("G.reshape(a.shape)",), ("G in {x}'s shape",), outside="to place"),
    ArrayOperation("T", ("G.T",), ("Gᵀ",)),
    ArrayOperation("[]", ("",), ("G added into its rows",), "__getitem__"),
    ArrayOperation(
        "softmax",
        ("z * (G - (G * z).sum(axis=-1, keepdims=True))",),
        ("{out} * (G - sum of G * {out} in its row)",),
        outside=AT_ROWS,
    ),
    ArrayOperation(
        "normalise",
        (f"(G - {MEAN.format('G')} - z * {MEAN.format('(G * z)')}) / sqrt(a.var(axis=-1, keepdims=True) + 1e-5)",),
        ("(G - its mean - {out} * mean of G * {out}) / spread",),
        outside=AT_ROWS,
    ),
    ArrayOperation("softmax_cross_entropy", ("",), ("G * (p - one-hot) / n",)),
    ArrayOperation("hinge", ("",), ("-G * target / n, or 0",)),
    ArrayOperation("binary_cross_entropy", ("",), ("G * (p - target)",)),
)
OPERATIONS = {row.name: row for row in ROWS}
FUNCTIONS = tuple(row.name for row in ROWS if not row.sign)  # of one number
RUN = {  # on numbers of any class with these operators and methods: Values, Duals, Tensors
    row.name: getattr(operator, row.method) if row.sign else operator.methodcaller(row.name) for row in ROWS
}
WRITTEN_AS_OPERATORS = {row.name: RUN[row.name] for row in ROWS if row.sign}
WRITTEN_AS_OPERATORS |= {"@": operator.matmul, "[]": operator.getitem, "T": operator.attrgetter("T")}
EXPRESSIONS = " ".join(text for row in ROWS for text in (row.value, *row.slopes, *row.lines))
CALLED = {*re.findall(r"\w+(?=\()", EXPRESSIONS)}
MATH = {name: getattr(math, name) for name in ("inf", "nan", *CALLED) if hasattr(math, name)}


def row_of(op):
    """Return the row of an operation by a node's `_op`, which shows an exponent: "**2"; None if there is none."""
    return OPERATIONS.get("**n" if op.startswith("**") and op != "**" else op)


def name_of(constant):
    """Return the name of a constant, which may have a default: "slope=0.01"."""
    return constant.split("=")[0]


@functools.cache
def on_floats(row):
    """Return two functions of floats, inputs then constants: an operation's value, and its local derivatives, a tuple.

    They raise ValueError or ArithmeticError if an expression of the row does.
    """
    given, names = ", ".join([*"ab"[: len(row.slopes)], *row.constants]), dict(MATH)
    body = {"value": [*row.lines, f"return {row.value}"]}
    body["slopes"] = [*row.lines, f"z = {row.value}", f"return {', '.join(slope or '1.0' for slope in row.slopes)},"]
    for name, lines in body.items():
        exec("\n    ".join([f"def {name}({given}):", *lines]), names)
    return names["value"], names["slopes"]


def operation(op):
    """Return the name of the operation that a node's `_op` shows: "**" for "**2"."""
    return "**" if op.startswith("**") else op


def rerun(node, inputs):
    """Run a node's operation on these inputs: Values, Tensors, or numbers of any class with its operators.

    The plain numbers, such as an exponent, are the node's `_constants`: `_op` may show them rounded. Raise ValueError
    if the inputs have no such operation.
    """
    name = operation(node._op)
    if name == "weighted_sum":
        return rerun_sum(inputs)
    run = WRITTEN_AS_OPERATORS.get(name) or getattr(type(inputs[0]), name, None)
    if run is None:
        kind = type(inputs[0]).__name__
        raise ValueError(f"{messages.named(node)} cannot be run again: {kind} has no operation {node._op!r}.")
    return run(*inputs, *node._constants)


def rerun_sum(inputs):
    """Run a weighted sum: of Values as one node, of other numbers step by step."""
    n = len(inputs) // 2
    weights, xs, total = inputs[:n], inputs[n : 2 * n], inputs[-1]
    if hasattr(total, "_weighted"):
        return total._weighted(weights, xs, total)
    for weight, x in zip(weights, xs):
        total = total + weight * x
    return total


def checked(data, prev, op, local, constants):
    """Return (number, local derivatives) of a new Value whose number is not a float, or whose derivatives are missing.

    If somebody has set an input's data to another kind of number, such as a NumPy float32, it becomes a float, and the
    operation runs again: nothing is computed in 32 bits.
    """
    if prev and not local:
        raise ValueError(
            "a Value with inputs needs the local derivative for each of them: _local=(…). "
            f"Got {messages.described(prev)} alone. For a name write label=…"
        )
    odd = [input for input in prev if type(input.data) is not float]
    for input in odd:
        input.data = validation.real(input.data)
    if odd:
        again = rerun(SimpleNamespace(_op=op, _constants=constants, data=data, label=""), prev)
        return again.data, again._local
    return validation.real(data), tuple(map(validation.real, local))
