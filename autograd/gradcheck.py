"""Gradients checked by nudging: change an input a little, both ways, and see how much the output changes."""

import math
from dataclasses import dataclass

from autograd import messages
from autograd.again import run_again
from autograd.real import show
from autograd.topo import topological_order
from autograd.value import Value


@dataclass(frozen=True)
class Row:
    """One input of a gradient check."""

    name: str
    analytic: float
    numeric: float
    tolerance: float

    @property
    def error(self):
        """|analytic - numeric| / max(1, |analytic|, |numeric|): relative, and absolute below 1."""
        if self.analytic == self.numeric:
            return 0.0
        return abs(self.analytic - self.numeric) / max(1.0, abs(self.analytic), abs(self.numeric))

    @property
    def passed(self):
        """Whether the error is within the tolerance; nan never is."""
        return self.error <= self.tolerance


@dataclass(frozen=True)
class Report:
    """The rows of a gradient check, one an input. True if all passed; printed as a small table."""

    rows: tuple

    @property
    def passed(self):
        return all(row.passed for row in self.rows)

    def __bool__(self):
        return self.passed

    def __str__(self):
        width = max([5, *(len(row.name) for row in self.rows)])
        lines = [f"{'input':<{width}}  {'analytic':>12}  {'numeric':>12}  {'rel. error':>10}  pass"]
        for row in self.rows:
            lines.append(
                f"{row.name:<{width}}  {show(row.analytic):>12}  {show(row.numeric):>12}  {row.error:>10.1e}  "
                f"{'yes' if row.passed else 'NO'}"
            )
        return "\n".join(lines)

    __repr__ = __str__


def numerical_gradient(f, xs, epsilon=1e-5):
    """[∂f/∂x for x in xs] by central differences, (f(x + ε) - f(x - ε)) / 2ε, whose error shrinks as ε².

    `f` takes as many numbers as `xs` has, as separate arguments, and returns a number or a Value.
    """
    epsilon, xs = nudge(epsilon), [messages.real(x, "an input") for x in xs]

    def at(i, x):
        return float(f(*xs[:i], x, *xs[i + 1 :]))

    return [(at(i, x + epsilon) - at(i, x - epsilon)) / (2 * epsilon) for i, x in enumerate(xs)]


def gradcheck(f, xs, epsilon=1e-5, tolerance=1e-6):
    """Compare the gradients that `backward` gives for f(*Values) with those of nudging; a Report.

    It checks that gradients fit the function that `f` computes. It cannot see that `f` computes the wrong function.
    """
    leaves = [Value(x, label=f"x{i}") for i, x in enumerate(xs)]
    root = f(*leaves)
    if not isinstance(root, Value):
        raise TypeError(f"gradcheck needs a function that returns a Value, got {messages.described(root)}.")
    root.backward()
    numeric = numerical_gradient(lambda *numbers: f(*map(Value, numbers)), [leaf.data for leaf in leaves], epsilon)
    return Report(tuple(Row(leaf.label, leaf.grad, n, tolerance) for leaf, n in zip(leaves, numeric)))


def check_gradients(value, epsilon=1e-5, tolerance=1e-6):
    """Check every leaf of the graph that made `value`, by nudging the leaf and running each op again; a Report.

    The graph's data and grads are as before when it returns.
    """
    epsilon, order = nudge(epsilon), topological_order(value)
    kept = [(node, node.data, node.grad) for node in order]
    try:
        value.backward(reset="all")
        leaves = [(i, node) for i, node in enumerate(order) if not node._prev]
        rows = []
        for i, leaf in leaves:
            x = leaf.data
            above, below = output_at(order, leaf, x + epsilon), output_at(order, leaf, x - epsilon)
            leaf.data = x
            rows.append(Row(leaf.label or f"v{i}", leaf.grad, (above - below) / (2 * epsilon), tolerance))
        return Report(tuple(rows))
    finally:
        for node, data, grad in kept:
            node.data, node.grad = data, grad


def output_at(order, leaf, x):
    """The root's number when `leaf` is `x`: the whole graph, run again in order."""
    leaf.data = x
    for node in order:
        if node._prev:
            node.data = run_again(node, node._prev).data
    return order[-1].data


def nudge(epsilon):
    """`epsilon` as a float above 0."""
    epsilon = messages.real(epsilon, "epsilon")
    if not (epsilon > 0 and math.isfinite(epsilon)):
        raise ValueError(f"epsilon is a small number above 0, such as 1e-5, got {epsilon!r}.")
    return epsilon
