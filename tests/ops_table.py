"""The table of ops that drives the per-op tests, and the random expressions made from it."""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from autograd import weighted_sum

inf, nan = math.inf, math.nan


@dataclass(frozen=True)
class Op:
    """One op: how to run it on Values (and Duals), on floats and on tensors, and where to try it."""

    name: str
    function: Callable  # on Values; on Duals too, unless `dual` is given
    number: Callable  # on floats
    torch: Callable  # from the torch module to the function on tensors
    points: tuple  # inputs where the op is smooth
    edges: tuple = ()  # (inputs, value, local derivatives) at other points, or at infinities
    outside: tuple = ()  # (inputs, error, what its sentence says) out of the domain
    domain: Callable = lambda *xs: True  # where random expressions may use it
    dual: Callable | None = None

    @property
    def arity(self):
        return len(self.points[0])

    @property
    def on_duals(self):
        return self.dual or self.function

    def __repr__(self):
        return self.name


def infix(sign, function, points, **rest):
    return Op(sign, function, function, lambda torch: function, points, **rest)


def of_one(name, function, number, torch, points, edges=(), outside=(), **rest):
    """Return the row of an op of one number: points x, edges (x, value, slope), outside (x, error, sentence)."""
    return Op(
        name,
        function,
        number,
        torch,
        points=tuple((x,) for x in points),
        edges=tuple(((x,), value, (slope,)) for x, value, slope in edges),
        outside=tuple(((x,), error, sentence) for x, error, sentence in outside),
        **rest,
    )


def method(name, points, number=None, **rest):
    """Return the row of a method, which has the same name in PyTorch, and in `math` unless a `number` is given."""
    number = number or getattr(math, name)
    return of_one(name, operator.methodcaller(name), number, operator.attrgetter(name), points, **rest)


def power(n, points, **rest):
    return of_one(f"**{n:g}", *[lambda x: x**n] * 2, lambda torch: lambda x: x**n, points, **rest)


def leaky(slope):
    return of_one(
        f"leaky_relu({slope:g})",
        lambda x: x.leaky_relu(slope),
        lambda x: x if x > 0 else slope * x,
        lambda torch: lambda x: torch.nn.functional.leaky_relu(x, slope),
        points=(2.0, -3.0),
        edges=((0.0, 0.0, slope), (inf, inf, 1.0), (-inf, -inf, slope), (nan, nan, slope)),
    )


def dot(w1, w2, x1, x2, b):
    """Return b + w1·x1 + w2·x2 of anything that can be multiplied and added."""
    return b + w1 * x1 + w2 * x2


def moderate(low, high):
    return lambda x: low < x < high


ROOT_EDGES = ((0.0, 0.0, inf), (inf, inf, 0.0), (nan, nan, nan))
OPS = (
    infix(
        "+",
        operator.add,
        points=((2.0, 3.0), (-1.5, 0.25)),
        edges=(((inf, -inf), nan, (1.0, 1.0)), ((nan, 1.0), nan, (1.0, 1.0)), ((1e308, 1e308), inf, (1.0, 1.0))),
    ),
    infix(
        "-",
        operator.sub,
        points=((2.0, 3.0), (-1.5, 0.25)),
        edges=(((inf, inf), nan, (1.0, -1.0)), ((-1e308, 1e308), -inf, (1.0, -1.0))),
    ),
    infix(
        "*",
        operator.mul,
        points=((2.0, 3.0), (-1.5, 0.25), (0.0, -4.0)),
        edges=(
            ((0.0, inf), nan, (inf, 0.0)),
            ((nan, 0.0), nan, (0.0, nan)),
            ((1e200, 1e200), inf, (1e200, 1e200)),
            ((1e-200, 1e-200), 0.0, (1e-200, 1e-200)),
        ),
    ),
    infix(
        "/",
        operator.truediv,
        points=((2.0, 4.0), (-1.5, 0.3), (0.0, -2.0)),
        edges=(
            ((1.0, inf), 0.0, (0.0, 0.0)),
            ((inf, inf), nan, (0.0, nan)),
            ((1e308, 0.1), inf, (10.0, -inf)),
            ((0.0, nan), nan, (nan, nan)),
            ((1.0, 1e-200), 1e200, (1e200, -inf)),
        ),
        outside=(
            ((1.0, 0.0), ZeroDivisionError, "(a = 1.0) / (b = 0.0)"),
            ((0.0, -0.0), ZeroDivisionError, "(a = 0.0) / (b = -0.0)"),
        ),
        domain=lambda x, y: abs(y) > 0.1,
    ),
    of_one("neg", operator.neg, operator.neg, lambda torch: torch.neg, points=(2.0, -0.5), edges=((inf, -inf, -1.0),)),
    infix(
        "**",
        operator.pow,
        points=((2.0, 3.0), (0.3, -1.7), (5.0, 0.5)),
        edges=(
            ((2.0, 0.0), 1.0, (0.0, math.log(2))),
            ((5e-324, 0.0), 1.0, (0.0, math.log(5e-324))),
            ((inf, 0.0), 1.0, (0.0, inf)),
            ((nan, 0.0), 1.0, (0.0, nan)),
            ((0.0, 0.5), 0.0, (inf, 0.0)),
            ((0.0, 1.0), 0.0, (1.0, 0.0)),
            ((0.0, 2.0), 0.0, (0.0, 0.0)),
            ((1e200, 2.0), inf, (2e200, inf)),
            ((inf, 2.0), inf, (inf, inf)),
            ((nan, 2.0), nan, (nan, nan)),
            ((0.0, nan), nan, (nan, nan)),
        ),
        outside=(
            ((-2.0, 2.0), ValueError, "** with a Value as exponent of a = -2.0"),
            ((0.0, 0.0), ValueError, "of a = 0.0"),
            ((0.0, -1.0), ValueError, "of a = 0.0"),
        ),
        domain=lambda x, y: 0.1 < x < 5 and abs(y) < 3,
    ),
    power(
        0,
        points=(2.0, -3.0),
        edges=((0.0, 1.0, 0.0), (nan, 1.0, 0.0), (inf, 1.0, 0.0)),
        domain=lambda x: False,  # it would cut every gradient off
    ),
    power(1, points=(2.0, -3.0), edges=((0.0, 0.0, 1.0), (-inf, -inf, 1.0))),
    power(
        2,
        points=(3.0, -1.5),
        edges=((0.0, 0.0, 0.0), (1e200, inf, 2e200), (-inf, inf, -inf), (nan, nan, nan)),
        domain=moderate(-10, 10),
    ),
    power(3, points=(2.0, -1.5), edges=((-1e200, -inf, inf), (0.0, 0.0, 0.0)), domain=moderate(-5, 5)),
    power(
        -1,
        points=(2.0, -0.5),
        edges=((inf, 0.0, 0.0), (-1e-200, -1e200, -inf)),
        outside=((0.0, ZeroDivisionError, "(a = 0.0) ** -1.0"),),
        domain=lambda x: abs(x) > 0.1,
    ),
    power(
        0.5,
        points=(2.0, 0.1),
        edges=ROOT_EDGES,
        outside=((-4.0, ValueError, "(a = -4.0) ** 0.5: a negative number needs a whole exponent"),),
        domain=lambda x: x > 0.1,
    ),
    power(1.5, points=(2.0, 0.01), edges=((0.0, 0.0, 0.0),), domain=moderate(0.1, 20)),
    power(-2.5, points=(2.0, 0.3), outside=((0.0, ZeroDivisionError, "** -2.5"),), domain=moderate(0.3, 99)),
    method(
        "exp",
        points=(0.5, -2.0),
        edges=((0.0, 1.0, 1.0), (1e3, inf, inf), (-1e3, 0.0, 0.0), (inf, inf, inf), (-inf, 0.0, 0.0), (nan, nan, nan)),
        domain=lambda x: x < 4,
    ),
    method(
        "log",
        points=(0.5, 20.0),
        edges=((1.0, 0.0, 1.0), (inf, inf, 0.0), (nan, nan, nan)),
        outside=(
            (0.0, ValueError, "log of a = 0.0: log needs a positive number."),
            (-1.0, ValueError, "log of a = -1.0: log needs a positive number."),
        ),
        domain=lambda x: x > 0.1,
    ),
    method(
        "sqrt",
        points=(2.0, 0.1),
        edges=ROOT_EDGES,
        outside=((-4.0, ValueError, "sqrt of a = -4.0: sqrt needs a number that is not negative."),),
        domain=lambda x: x > 0.1,
    ),
    method(
        "sin",
        points=(0.5, -20.0),
        edges=((0.0, 0.0, 1.0), (nan, nan, nan)),
        outside=((inf, ValueError, "sin of a = inf"), (-inf, ValueError, "sin of a = -inf")),
    ),
    method(
        "cos",
        points=(0.5, -20.0),
        edges=((0.0, 1.0, 0.0), (nan, nan, nan)),
        outside=((inf, ValueError, "cos of a = inf"), (-inf, ValueError, "cos of a = -inf")),
    ),
    method(
        "tanh",
        points=(0.8, -2.0),
        edges=(
            (0.0, 0.0, 1.0),
            (1e3, 1.0, 0.0),
            (-1e3, -1.0, 0.0),
            (inf, 1.0, 0.0),
            (-inf, -1.0, 0.0),
            (nan, nan, nan),
        ),
    ),
    method(
        "sigmoid",
        points=(0.8, -2.0),
        number=lambda x: 1 / (1 + math.exp(-x)),
        edges=((0.0, 0.5, 0.25), (1e3, 1.0, 0.0), (-1e3, 0.0, 0.0), (inf, 1.0, 0.0), (-inf, 0.0, 0.0), (nan, nan, nan)),
        domain=moderate(-500, 500),
    ),
    method(
        "relu",
        points=(2.0, -3.0),
        number=lambda x: max(0.0, x),
        edges=((0.0, 0.0, 0.0), (-0.0, 0.0, 0.0), (inf, inf, 1.0), (-inf, 0.0, 0.0), (nan, nan, 1.0)),
    ),
    leaky(0.01),
    leaky(0.2),
    Op(
        "weighted_sum",
        lambda w1, w2, x1, x2, b: weighted_sum([w1, w2], [x1, x2], b),
        dot,
        lambda torch: dot,
        points=((0.5, -2.0, 3.0, 4.0, 0.1), (0.0, 1.0, -1.0, 0.25, -7.0)),
        edges=(
            ((0.0, 1.0, inf, 2.0, 1.0), nan, (inf, 2.0, 0.0, 1.0, 1.0)),
            ((1e200, 1.0, 1e200, 2.0, 1.0), inf, (1e200, 2.0, 1e200, 1.0, 1.0)),
            ((1.0, 2.0, 3.0, 4.0, nan), nan, (3.0, 4.0, 1.0, 2.0, 1.0)),
        ),
        dual=dot,
    ),
    of_one(  # above 20, PyTorch's softplus is x itself
        "softplus",
        operator.methodcaller("softplus"),
        lambda x: math.log1p(math.exp(x)),
        lambda torch: torch.nn.functional.softplus,
        points=(0.8, -2.0),
        edges=(
            (0.0, math.log(2), 0.5),
            (1e3, 1e3, 1.0),
            (-1e3, 0.0, 0.0),
            (-40.0, math.exp(-40), math.exp(-40)),
            (inf, inf, 1.0),
            (-inf, 0.0, 0.0),
            (nan, nan, nan),
        ),
        domain=moderate(-500, 20),
    ),
)
ON_TENSORS = [op for op in OPS if op.name != "weighted_sum"]  # of them it is a matrix product


def cases(field):
    """Return (op, entry) for each entry of a field of each op, for `pytest.mark.parametrize`."""
    rows = [(op, entry, entry if field == "points" else entry[0]) for op in OPS for entry in getattr(op, field)]
    return [pytest.param(op, entry, id=f"{op.name}-{','.join(map(str, point))}") for op, entry, point in rows]


def is_same_float(a, b, rel=1e-13, abs_tol=0.0):
    """Return whether two floats agree to a relative error: inf equals inf, and here nan equals nan."""
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=rel, abs_tol=abs_tol)


@dataclass(frozen=True)
class Expression:
    """An expression as a list of lines, (op, places of its inputs), which runs on Values, Duals, floats and tensors."""

    leaves: tuple
    lines: tuple

    def run(self, numbers, pick):
        """Return the last line's result, from the leaves' numbers. `pick` returns the function to call for an Op."""
        results = list(numbers)
        for op, places in self.lines:
            results.append(pick(op)(*(results[i] for i in places)))
        return results[-1]


def random_program(rng, n_leaves=3, n_ops=8, ops=OPS):
    """Return an Expression of such ops, whose every number is within ±1000 and well inside each op's domain."""
    leaves = tuple(rng.uniform(-2, 2) for _ in range(n_leaves))
    numbers, lines = list(leaves), []
    while len(lines) < n_ops:
        op = rng.choice(ops)
        places = [rng.randrange(len(numbers)) for _ in range(op.arity)]
        places[0] = len(numbers) - 1 if lines else places[0]  # every line uses the one before: none is in vain
        inputs = [numbers[i] for i in places]
        if op.domain(*inputs) and abs(result := op.number(*inputs)) < 1000:
            numbers.append(float(result))
            lines.append((op, tuple(places)))
    return Expression(leaves, tuple(lines))
