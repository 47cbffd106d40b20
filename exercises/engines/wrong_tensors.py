"""The right engine on arrays, in closure style, and twelve wrong ones: the same engine with one mistake each.

Most of the wrong rules give an array of the right shape: only its numbers are wrong.
"""

import numpy as np

from exercises.engines.wrong_engines import WrongEngine, post_order


class TensorEngine:
    """The engine on arrays as learners write it: each node keeps a closure that adds a gradient to each of its inputs.

    Its rules are methods, so that a wrong engine is this one with another rule.
    """

    __array_ufunc__ = None  # numpy.ones(3) * tensor asks the engine

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data, self.label = np.array(data, dtype=float), label
        self.grad = np.zeros(self.shape)
        self._prev, self._op = _prev, _op
        self._backward = lambda: None

    def made(self, data, inputs, op, vjps):
        """A node made by an operation; vjps() gives, from its gradient, the contribution to each input."""
        out = type(self)(data, inputs, op)

        def _backward():
            for input, contribution in zip(inputs, vjps(out.grad)):
                self.give(input, contribution)

        out._backward = _backward
        return out

    def give(self, input, contribution):
        """Add a contribution to an input's gradient."""
        input.grad = input.grad + contribution

    def lifted(self, other):
        """`other` if it is a node, else a leaf with its numbers."""
        return other if isinstance(other, TensorEngine) else type(self)(other)

    # The rules: from upstream, the gradient by what an operation made, to the gradient by its input.

    def unbroadcast(self, gradient, shape):
        """The gradient by an array of this shape that was repeated: the sum over its copies."""
        while gradient.ndim > len(shape):
            gradient = gradient.sum(axis=0)
        for axis, size in enumerate(shape):
            if size == 1:
                gradient = gradient.sum(axis=axis, keepdims=True)
        return gradient

    def folded(self, gradients, shapes):
        """The gradients by the two inputs of an operation that broadcasts."""
        return [self.unbroadcast(gradient, shape) for gradient, shape in zip(gradients, shapes)]

    def matmul_vjps(self, x, w, upstream):
        """The gradients by x and by w of x @ w."""
        return upstream @ w.T, x.T @ upstream

    def sum_vjp(self, x, upstream, axis, keepdims):
        """The gradient by x of its sums."""
        if axis is not None and not keepdims:
            upstream = np.expand_dims(upstream, axis)
        return upstream * np.ones(x.shape)

    def rows_vjp(self, x, rows, upstream):
        """The gradient by x of some of its rows."""
        gradient = np.zeros(x.shape)
        np.add.at(gradient, rows, upstream)
        return gradient

    softmax_axis = -1

    # The operations.

    def elementwise(self, other, data, op, locals):
        """The node of an operation on each two numbers, with its local derivatives for both."""
        shapes = self.shape, other.shape
        return self.made(data, (self, other), op, lambda g: self.folded([local * g for local in locals], shapes))

    def __add__(self, other):
        other = self.lifted(other)
        data, shapes = self.data + other.data, (self.shape, other.shape)
        return self.made(data, (self, other), "+", lambda g: self.folded([g, g], shapes))

    def __sub__(self, other):
        other = self.lifted(other)
        return self.elementwise(other, self.data - other.data, "-", (1.0, -1.0))

    def __mul__(self, other):
        other = self.lifted(other)
        return self.elementwise(other, self.data * other.data, "*", (other.data, self.data))

    def __truediv__(self, other):
        other = self.lifted(other)
        quotient = self.data / other.data
        return self.elementwise(other, quotient, "/", (1 / other.data, -quotient / other.data))

    def __neg__(self):
        return self * -1.0

    def __pow__(self, n):
        return self.each(self.data**n, n * self.data ** (n - 1) if n else 0.0 * self.data, f"**{n:g}")

    def __matmul__(self, other):
        other = self.lifted(other)
        if self.data.ndim != 2 or other.data.ndim != 2:
            raise ValueError(f"@ takes two matrices here, got shapes {self.shape} and {other.shape}")
        x, w = self.data, other.data
        return self.made(x @ w, (self, other), "@", lambda g: self.matmul_vjps(x, w, g))

    def __radd__(self, other):  # other + self
        return self.lifted(other) + self

    def __rsub__(self, other):  # other - self
        return self.lifted(other) - self

    def __rmul__(self, other):  # other * self
        return self.lifted(other) * self

    def __rtruediv__(self, other):  # other / self
        return self.lifted(other) / self

    def __rmatmul__(self, other):  # other @ self
        return self.lifted(other) @ self

    def each(self, data, local, op):
        """The node of an operation on each number, with its local derivatives."""
        return self.made(data, (self,), op, lambda g: (local * g,))

    def exp(self):
        y = np.exp(self.data)
        return self.each(y, y, "exp")

    def log(self):
        return self.each(np.log(self.data), 1 / self.data, "log")

    def tanh(self):
        y = np.tanh(self.data)
        return self.each(y, 1 - y * y, "tanh")

    def relu(self):
        return self.each(np.maximum(self.data, 0.0), self.data > 0, "relu")

    def softmax(self):
        """e to the power of each number, and each row of that divided by its sum."""
        axis = self.softmax_axis
        powers = np.exp(self.data - self.data.max(axis=axis, keepdims=True))
        p = powers / powers.sum(axis=axis, keepdims=True)
        return self.made(p, (self,), "softmax", lambda g: (p * (g - (p * g).sum(axis=axis, keepdims=True)),))

    def sum(self, axis=None, keepdims=False):
        x = self.data
        data = x.sum(axis=axis, keepdims=keepdims)
        return self.made(data, (self,), "sum", lambda g: (self.sum_vjp(x, g, axis, keepdims),))

    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis, keepdims)
        return total * (total.data.size / self.data.size)

    def __getitem__(self, rows):
        x = self.data
        return self.made(x[rows], (self,), "[]", lambda g: (self.rows_vjp(x, rows, g),))

    @property
    def shape(self):
        return self.data.shape

    def __len__(self):
        return len(self.data)

    def backward(self):
        self.grad = np.ones(self.shape)
        for node in reversed(post_order(self)):
            node._backward()


class NoTransposes(TensorEngine):
    def matmul_vjps(self, x, w, upstream):
        return upstream @ w, x @ upstream


class GradientsSwapped(TensorEngine):
    def matmul_vjps(self, x, w, upstream):
        return super().matmul_vjps(x, w, upstream)[::-1]


class ForgetsUpstream(TensorEngine):
    def matmul_vjps(self, x, w, upstream):
        return super().matmul_vjps(x, w, np.ones(upstream.shape))


class MeanOverRows(TensorEngine):
    def matmul_vjps(self, x, w, upstream):
        by_x, by_w = super().matmul_vjps(x, w, upstream)
        return by_x, by_w / len(x)


class MeanOfCopies(TensorEngine):
    def unbroadcast(self, gradient, shape):
        gradient = gradient.mean(axis=tuple(range(gradient.ndim - len(shape))))
        stretched = tuple(axis for axis, size in enumerate(shape) if size == 1)
        return gradient.mean(axis=stretched, keepdims=True)


class FirstCopy(TensorEngine):
    def unbroadcast(self, gradient, shape):
        gradient = gradient[(0,) * (gradient.ndim - len(shape))]
        return gradient[tuple(slice(0, 1) if size == 1 else slice(None) for size in shape)]


class AxisNotRestored(TensorEngine):
    def sum_vjp(self, x, upstream, axis, keepdims):
        return upstream * np.ones(x.shape)


class RepeatedRowOnce(TensorEngine):
    def rows_vjp(self, x, rows, upstream):
        gradient = np.zeros(x.shape)
        gradient[rows] += upstream
        return gradient


class SharesArrays(TensorEngine):
    def give(self, input, contribution):
        if hasattr(input, "received"):
            input.grad += contribution
        else:
            input.grad = input.received = contribution


class MeanForSum(TensorEngine):
    def sum_vjp(self, x, upstream, axis, keepdims):
        return super().sum_vjp(x, upstream, axis, keepdims) * upstream.size / x.size


class SoftmaxOfColumns(TensorEngine):
    softmax_axis = 0


class UnbroadcastsTheSecond(TensorEngine):
    def folded(self, gradients, shapes):
        return gradients[0], self.unbroadcast(gradients[1], shapes[1])


REPEATED, PRODUCT = "A number used by every row", "The matrix product, one cell at a time"
RIGHT_SHAPE, RULES = "Break it: right shape, wrong value", "Common mistakes"

WRONG_TENSORS = (
    WrongEngine(
        "TM1",
        NoTransposes,
        "@ without transposes",
        "For sizes that differ the shapes do not fit. For square matrices they do, and each cell is another sum.",
        "11",
        PRODUCT,
    ),
    WrongEngine(
        "TM2",
        GradientsSwapped,
        "@ gives each factor the other's gradient",
        "dX goes to W, and dW to X. The gradient by an array has that array's shape.",
        "11",
        PRODUCT,
    ),
    WrongEngine(
        "TM3",
        ForgetsUpstream,
        "@ forgets the upstream gradient",
        "It is right where upstream is all ones, as under a plain sum.",
        "11",
        PRODUCT,
    ),
    WrongEngine(
        "TM4",
        MeanOverRows,
        "@ takes the mean over the rows for their sum",
        "Each row of X uses W once. Uses add up; if the loss is a mean, the loss divides, once.",
        "11",
        PRODUCT,
    ),
    WrongEngine(
        "TM5",
        MeanOfCopies,
        "the mean of the copies for their sum",
        "n uses, n contributions: they add, and nothing divides.",
        "11",
        REPEATED,
    ),
    WrongEngine(
        "TM6",
        FirstCopy,
        "the first copy for all",
        "An array that was repeated gets one copy's gradient. It is what = would leave where += is meant.",
        "11",
        REPEATED,
    ),
    WrongEngine(
        "TM7",
        AxisNotRestored,
        "the axis of a sum is not put back",
        "Without its axis, upstream is laid along the last axis, whichever axis was summed.",
        "11",
        RIGHT_SHAPE,
    ),
    WrongEngine(
        "TM8",
        RepeatedRowOnce,
        "a row taken twice counts once",
        "`gradient[rows] += upstream` reads all rows before it writes any: one of two contributions to a row is lost.",
        "11",
        RULES,
    ),
    WrongEngine(
        "TM9",
        SharesArrays,
        "two nodes share one array of gradients",
        "The first contribution is kept as it is, the array itself; a later += in place changes its owner's grad, too.",
        "11",
        RULES,
    ),
    WrongEngine(
        "TM10",
        MeanForSum,
        "a sum with the rule of a mean",
        "Each number goes into its sum whole: its local derivative is 1, not one over how many there are.",
        "11",
        RULES,
    ),
    WrongEngine(
        "TM11",
        SoftmaxOfColumns,
        "softmax along the columns",
        "Each row is divided by its own sum. Here each column is, and its gradient belongs to that: it is right, of "
        "another function.",
        "11",
        RULES,
    ),
    WrongEngine(
        "TM12",
        UnbroadcastsTheSecond,
        "only the second operand is folded back",
        "b + x and x + b are the same sum. Either operand may be the one that was repeated.",
        "11",
        REPEATED,
    ),
)
