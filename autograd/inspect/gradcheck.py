"""Gradients checked by nudging: change an input a little, both ways, and see how much the output changes."""

import math

from autograd.errors import messages
from autograd.errors.messages import show
from autograd.errors.validation import function, real, require_list
from autograd.operations import rerun
from autograd.topo import topological_order
from autograd.value import Value


class Row:
    """One number of a gradient check."""

    def __init__(self, name, analytic, numeric, tolerance):
        self.name, self.analytic, self.numeric, self.tolerance = name, analytic, numeric, tolerance

    @property
    def error(self):
        """|analytic - numeric| / max(1, |analytic|, |numeric|): relative, and absolute below 1."""
        if self.analytic == self.numeric:
            return 0.0
        return abs(self.analytic - self.numeric) / max(1.0, abs(self.analytic), abs(self.numeric))

    @property
    def passed(self):
        """True if the error is within the tolerance; nan never is."""
        return self.error <= self.tolerance


class Report:
    """The rows of a gradient check, one per number. True if all passed; printed as a small table."""

    def __init__(self, rows):
        self.rows = rows

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
    """Return [∂f/∂x for x in xs] by central differences, (f(x + ε) - f(x - ε)) / 2ε, whose error shrinks as ε².

    `f` takes as many numbers as `xs` has, as separate arguments, and returns a number or a Value. For a Tensor in `xs`
    it gets Tensors of that shape, and the gradient by it is an array of that shape.
    """
    f, xs = function(f, "numerical_gradient"), require_list(xs, "the inputs")
    epsilon, xs = nudge(epsilon), [x if is_tensor(x) else real(x, "an input") for x in xs]

    def slope(i, place):
        above, below = (float(f(*xs[:i], nudged(xs[i], place, by), *xs[i + 1 :])) for by in (epsilon, -epsilon))
        return (above - below) / (2 * epsilon)

    return [arranged(x, [slope(i, place) for place in places(x)]) for i, x in enumerate(xs)]


def gradcheck(f, xs, epsilon=1e-5, tolerance=1e-6):
    """Compare the gradients that `backward` gives for f(*leaves) with those from nudging; return a Report.

    The leaves are a Value for each number in `xs`, and a new Tensor for each Tensor; f returns a single number. This
    checks that gradients fit the function that `f` computes. It cannot see that `f` computes the wrong function.
    """
    f, xs = function(f, "gradcheck"), require_list(xs, "the inputs")
    leaves = [type(x)(x.data, label=f"x{i}") if is_tensor(x) else Value(x, label=f"x{i}") for i, x in enumerate(xs)]
    root = f(*leaves)
    if not isinstance(root, Value) and not is_tensor(root):
        raise TypeError(f"gradcheck needs a function that returns a Value, got {messages.described(root)}.")
    root.backward()
    inputs = [leaf if is_tensor(leaf) else leaf.data for leaf in leaves]
    numeric = numerical_gradient(lambda *xs: f(*(x if is_tensor(x) else Value(x) for x in xs)), inputs, epsilon)
    pairs = [(leaf, slopes, place) for leaf, slopes in zip(leaves, numeric) for place in places(leaf)]
    return Report(
        tuple(row(leaf, leaf.label, place, number_at(slopes, place), tolerance) for leaf, slopes, place in pairs)
    )


def check_gradients(value, epsilon=1e-5, tolerance=1e-6):
    """Check every leaf of the graph that made `value`: nudge it and run each op again; return a Report.

    `value` is a Value, or a Tensor of a single number. The graph's data and grads stay unchanged.
    """
    epsilon, order = nudge(epsilon), topological_order(value)
    kept = [(node, node.data, node.grad) for node in order]
    try:
        value.backward(reset="all")
        rows = []
        for i, leaf in enumerate(order):
            for place in places(leaf) if not leaf._prev else ():
                above, below = (output_at(order, leaf, nudged(leaf.data, place, by)) for by in (epsilon, -epsilon))
                rows.append(row(leaf, leaf.label or f"v{i}", place, (above - below) / (2 * epsilon), tolerance))
        return Report(tuple(rows))
    finally:
        for node, data, grad in kept:
            node.data, node.grad = data, grad


def output_at(order, leaf, data):
    """Return the root's number when `leaf` has other data: run the whole graph again in order."""
    before, leaf.data = leaf.data, data
    for node in order:
        if node._prev:
            node.data = rerun(node, node._prev).data
    found, leaf.data = float(order[-1]), before
    return found


def nudge(epsilon):
    """Return `epsilon` as a float; raise ValueError unless it is finite and above 0."""
    epsilon = real(epsilon, "epsilon")
    if not (epsilon > 0 and math.isfinite(epsilon)):
        raise ValueError(f"epsilon is a small number above 0, such as 1e-5, got {epsilon!r}.")
    return epsilon


# A number has one place, None. A Tensor has a place for each of its numbers, and its own methods: no NumPy is needed.


def is_tensor(x):
    return hasattr(x, "_vjps")


def places(x):
    """Return the places of the numbers of a plain number, a Value or a Tensor."""
    return range(x.data.size) if is_tensor(x) else (None,)


def number_at(numbers, place):
    """Return the number at a place, a float."""
    return numbers if place is None else numbers.item(place)


def nudged(x, place, by):
    """Return a number, an array or a Tensor with `by` added at a place."""
    if place is None:
        return x + by
    if is_tensor(x):
        return type(x)(nudged(x.data, place, by))
    array = x.copy()
    array.flat[place] += by
    return array


def arranged(x, slopes):
    """Return the slopes at all places of `x`, as a number or as an array of its shape."""
    if not is_tensor(x):
        return slopes[0]
    array = x.data.copy()
    array.flat = slopes
    return array


def row(leaf, name, place, numeric, tolerance):
    """Return the Row for one number of a leaf, named 'x', or 'x[0, 2]' in a Tensor."""
    indices, left = [], place
    for size in reversed(leaf.data.shape) if is_tensor(leaf) else ():
        left, index = divmod(left, size)
        indices.insert(0, str(index))
    where = f"[{', '.join(indices)}]" if indices else ""
    return Row(name + where, number_at(leaf.grad, place), numeric, tolerance)
