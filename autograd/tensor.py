"""`Tensor`: an array of numbers that remembers how it was made. `Value`'s ideas, for NumPy arrays."""

import numpy as np

from autograd.arrays import messages, validation
from autograd.arrays.backward import cleared, kept_index, made, times, unbroadcast, unchanged
from autograd.errors.validation import flag, real
from autograd.protocols import copying
from autograd.protocols.conversion import Convertible
from autograd.topo import topological_order


def quiet(op):
    """Return `op` without NumPy's warnings: as in the scalar engine, overflow gives inf, and inf - inf gives nan."""
    return np.errstate(all="ignore")(op)


class Tensor(Convertible):
    """An array of float64 numbers, of any shape, in a computation graph.

    An operation on Tensors makes a new Tensor. It keeps its inputs and, for each of them, a vector-Jacobian product
    (VJP): a function from `upstream`, the gradient of the root by the new array, to the gradient by that input. It
    is what multiplication by the local derivative is to a Value; the Jacobian itself is never written down.

    Inputs are broadcast as in NumPy; if they do not fit, a ValueError shows both shapes. Outside an op's domain (log of
    0, division by 0) the errors are those of a Value, with the first number that is wrong; overflow gives inf. Changing
    a leaf's data, by w.data = … or in place by w.data -= …, leaves every graph already built unchanged.
    """

    __slots__ = ("data", "_grad", "label", "_prev", "_op", "_vjps", "_constants")

    def __init__(self, data, _prev=(), _op="", label="", _vjps=(), _constants=()):
        self.data = made(data, _prev) if _vjps else validation.checked(data, _prev)
        self._grad = None  # zeros, which are not made before somebody asks for them
        self.label = label
        self._prev = _prev  # the inputs, in order: a + a keeps two
        self._op = _op  # what made this array: "+", "tanh", …; "" for a leaf
        self._vjps = _vjps  # upstream -> ∂root/∂input, one for each input
        self._constants = _constants  # what else an op was given: an exponent, an axis

    @property
    def grad(self):
        """∂root/∂self, an array of this shape, once backward() has run from a root. A single number fills all of it."""
        if self._grad is None:
            self._grad = np.zeros(self.data.shape)
        return self._grad

    @grad.setter
    def grad(self, grad):
        self._grad = validation.filled(grad, self.data.shape)

    @quiet
    def __mul__(self, other):
        other = operand(self, "*", other)
        x = self._kept()
        y = x if other is self else other._kept()
        return Tensor(x * y, (self, other), "*", "", (times(y), times(x)))

    def _backward(self):
        """Apply the chain rule at this node: each input gets its VJP of this node's gradient."""
        upstream = self.grad
        if upstream.ndim:
            upstream.flags.writeable = False  # other nodes may get this very array
        for input, vjp in zip(self._prev, self._vjps):
            contribution = vjp(upstream)
            if contribution.shape != input.data.shape:
                contribution = unbroadcast(contribution, input.data.shape)
            if input._grad is not None:
                contribution = input._grad + contribution
            elif not input._prev and (contribution is upstream or contribution.base is not None):
                contribution = contribution.copy()  # no two leaves share an array
            input._grad = contribution

    @quiet
    def backward(self, reset="intermediates", gradient=None):
        """Set `grad` of every node that this one depends on to ∂self/∂node, an array of that node's shape.

        `reset` says which old grads are cleared first. "intermediates": all but the leaves', which add up over
        passes, as in PyTorch. "all": the leaves' too. "nothing": none (old grads flow on, and the sums go wrong).
        A root of more than one number needs `gradient`, an array of its shape: ∂L/∂self for some L that comes after.
        """
        seed = validation.seed(self, gradient, reset)
        order = topological_order(self)
        with cleared(order, reset):
            self._grad = seed
            for node in reversed(order):
                if node._prev:  # a leaf has nothing to pass on to
                    node._backward()

    def _kept(self):
        """Return the array, for a VJP to keep: a leaf's is copied, because training changes it in place."""
        return self.data if self._prev else self.data.copy()

    # The other operators. Each has an op's array, its inputs, its name, no label, and its VJPs.

    @quiet
    def __add__(self, other):
        other = operand(self, "+", other)
        return Tensor(self.data + other.data, (self, other), "+", "", (unchanged, unchanged))

    @quiet
    def __sub__(self, other):
        other = operand(self, "-", other)
        return Tensor(self.data - other.data, (self, other), "-", "", (unchanged, np.negative))

    def __neg__(self):
        return Tensor(-self.data, (self,), "neg", "", (np.negative,))

    @quiet
    def __truediv__(self, other):
        other = operand(self, "/", other)
        x, y = self.data, other.data
        if not y.all():
            raise messages.zero_division(self, other)
        quotient = x / y
        return Tensor(quotient, (self, other), "/", "", (times(1.0 / y), times(-quotient / y)))

    @quiet
    def __pow__(self, other):
        if isinstance(other, (Tensor, np.ndarray, list, tuple)):
            return self._to_the(other)
        x, n = self.data, real(other, "an exponent")
        if n < 0 and not x.all():
            raise messages.zero_power(self, n)
        if n % 1 != 0 and (x < 0).any():
            raise messages.fractional_power(self, n)
        slope = n * x ** (n - 1) if n else 0.0
        return Tensor(x**n, (self,), f"**{n:g}", "", (times(slope),), (n,))

    def _to_the(self, other):
        """Raise self to a Tensor, so that the exponents have gradients too: x^y log x."""
        other = operand(self, "**", other)
        x, y = np.broadcast_arrays(self.data, other.data)
        bad = (x < 0) | ((x == 0) & (y <= 0))
        if bad.any():
            raise messages.outside("Tensor ** Tensor", self, bad, "positive bases, or 0 to a positive power")
        z = x**y
        by_base, by_exponent = np.where(y == 0, 0.0, y * x ** (y - 1)), z * np.where(x == 0, 0.0, np.log(x))
        return Tensor(z, (self, other), "**", "", (times(by_base), times(by_exponent)))

    @quiet
    def __matmul__(self, other):
        """Return the matrix product over the last two axes. A vector on the left is a row; on the right, a column."""
        other = other if isinstance(other, Tensor) else Tensor(other)
        validation.fit("@", self.data.shape, other.data.shape)
        x, y = self._kept(), other._kept()
        if x.ndim == y.ndim == 2:
            vjps = (lambda upstream: upstream @ y.T, lambda upstream: x.T @ upstream)
            return Tensor(x @ y, (self, other), "@", "", vjps)
        rows, columns = x[None, :] if x.ndim == 1 else x, y[:, None] if y.ndim == 1 else y
        product = rows @ columns
        shape = product.shape

        def by_left(upstream):
            return upstream.reshape(shape) @ columns.swapaxes(-1, -2)

        def by_right(upstream):
            gradient = rows.swapaxes(-1, -2) @ upstream.reshape(shape)
            return gradient[..., 0] if y.ndim == 1 else gradient

        if x.ndim == 1:
            product = product[..., 0, :]
        if y.ndim == 1:
            product = product[..., 0]
        return Tensor(product, (self, other), "@", "", (by_left, by_right))

    def __radd__(self, other):  # other + self
        return as_tensor(other) + self

    def __rsub__(self, other):  # other - self
        return as_tensor(other) - self

    def __rmul__(self, other):  # other * self
        return as_tensor(other) * self

    def __rtruediv__(self, other):  # other / self
        return as_tensor(other) / self

    def __rpow__(self, other):  # other ** self
        return as_tensor(other) ** self

    def __rmatmul__(self, other):  # other @ self
        return as_tensor(other) @ self

    # Functions of each number.

    @quiet
    def exp(self):
        y = np.exp(self.data)
        return Tensor(y, (self,), "exp", "", (times(y),))

    @quiet
    def log(self):
        bad = self.data <= 0
        if bad.any():
            raise messages.outside("log", self, bad, "positive numbers")
        return Tensor(np.log(self.data), (self,), "log", "", (times(1.0 / self.data),))

    @quiet
    def sqrt(self):
        bad = self.data < 0
        if bad.any():
            raise messages.outside("sqrt", self, bad, "numbers that are not negative")
        y = np.sqrt(self.data)
        return Tensor(y, (self,), "sqrt", "", (times(0.5 / y),))

    def sin(self):
        return Tensor(np.sin(self._finite("sin")), (self,), "sin", "", (times(np.cos(self.data)),))

    def cos(self):
        return Tensor(np.cos(self._finite("cos")), (self,), "cos", "", (times(-np.sin(self.data)),))

    def _finite(self, op):
        """Return the array. Raise ValueError if a number is infinite: `op` has no value there."""
        bad = np.isinf(self.data)
        if bad.any():
            raise messages.outside(op, self, bad, "finite numbers")
        return self.data

    def tanh(self):
        t = np.tanh(self.data)
        return Tensor(t, (self,), "tanh", "", (times(1.0 - t * t),))

    def sigmoid(self):
        e = np.exp(-np.abs(self.data))  # e is never raised to a large positive power
        s = np.where(self.data >= 0, 1.0, e) / (1.0 + e)
        return Tensor(s, (self,), "sigmoid", "", (times(s * (1.0 - s)),))

    def relu(self):
        x = self.data
        return Tensor(np.maximum(x, 0.0), (self,), "relu", "", (times(~(x <= 0)),))  # not x > 0: nan stays nan

    @quiet
    def leaky_relu(self, slope=0.01):
        slope = real(slope, "leaky_relu's slope")
        local = np.where(self.data > 0, 1.0, slope)
        return Tensor(local * self.data, (self,), "leaky_relu", "", (times(local),), (slope,))

    def softplus(self):
        e = np.exp(-np.abs(self.data))  # as in sigmoid, which is its slope
        y = np.log1p(e) + np.maximum(self.data, 0.0)
        return Tensor(y, (self,), "softplus", "", (times(np.where(self.data >= 0, 1.0, e) / (1.0 + e)),))

    # Sums, and other arrangements of the same numbers.

    @quiet
    def sum(self, axis=None, keepdims=False):
        """Return the sum over all axes, or over one or a tuple of them, which keepdims=True keeps with size 1."""
        total, spread = self._summed(axis, keepdims)
        return Tensor(total, (self,), "sum", "", (spread,), (axis, keepdims))

    @quiet
    def mean(self, axis=None, keepdims=False):
        """Return the sum over axes as in `sum`, divided by how many numbers went into it."""
        total, spread = self._summed(axis, keepdims)
        count = self.data.size / max(1, total.size)
        vjps = (lambda upstream: spread(upstream / count),)
        return Tensor(total / count, (self,), "mean", "", vjps, (axis, keepdims))

    def _summed(self, axis, keepdims):
        """Return the sum as an array, and its VJP, which gives each number the gradient of its sum."""
        axis, keepdims = validation.axes(axis, self.data.ndim), flag(keepdims, "keepdims")
        shape, total = self.data.shape, self.data.sum(axis=axis, keepdims=axis is not None or keepdims)
        if axis is None:
            return total, lambda upstream: np.full(shape, upstream.reshape(()))
        kept = total.shape
        return total if keepdims else total.squeeze(axis), lambda upstream: np.full(shape, upstream.reshape(kept))

    def reshape(self, *shape):
        """Return the same numbers, in order, in another shape: x.reshape(2, 3); -1 stands for what is left."""
        before, array = self.shape, validation.reshaped(self.data, shape)
        return Tensor(array.copy(), (self,), "reshape", "", (lambda upstream: upstream.reshape(before),), shape)

    @property
    def T(self):
        """The axes in reverse order: a matrix's transpose."""
        return Tensor(self.data.T.copy(), (self,), "T", "", (np.transpose,))

    def __getitem__(self, rows):
        """Return the rows with these numbers: an int, a slice, a list that may repeat them; or any NumPy index."""
        rows, shape = kept_index(rows), self.shape

        def scatter(upstream):
            gradient = np.zeros(shape)
            np.add.at(gradient, rows, upstream)  # gradient[rows] += upstream would count a repeated row once
            return gradient

        return Tensor(self.data[rows].copy(), (self,), "[]", "", (scatter,), (rows,))

    # Of each row, that is, of the numbers along the last axis.

    @quiet
    def softmax(self):
        """Return each row's numbers as shares of 1: e to the power of each, divided by the sum over its row."""
        x = validation.rows("softmax", self.data)
        powers = np.exp(x - x.max(axis=-1, keepdims=True))  # less the largest, so that exp cannot overflow
        p = powers / powers.sum(axis=-1, keepdims=True)

        def vjp(upstream):  # each gets its upstream less the mean upstream, times its share; p are the mean's weights
            return p * (upstream - (p * upstream).sum(axis=-1, keepdims=True))

        return Tensor(p, (self,), "softmax", "", (vjp,))

    @quiet
    def normalise(self, epsilon=1e-5):
        """Subtract each row's mean, and divide by its spread √(variance + epsilon).

        Source: Ba, Kiros, Hinton, "Layer Normalization" (2016), without gain and bias; the epsilon is PyTorch's.
        """
        epsilon = validation.above_zero("normalise's epsilon", epsilon)
        x = validation.rows("normalise", self.data)
        spread = np.sqrt(x.var(axis=-1, keepdims=True) + epsilon)
        y = (x - x.mean(axis=-1, keepdims=True)) / spread

        def vjp(upstream):  # each gets its upstream less the mean upstream, less its y times the mean of upstream · y
            along = (upstream * y).mean(axis=-1, keepdims=True)
            return (upstream - upstream.mean(axis=-1, keepdims=True) - y * along) / spread

        return Tensor(y, (self,), "normalise", "", (vjp,), (epsilon,))

    # Losses of scores whose last two axes are samples and outputs. Targets are plain: no gradient goes to them.

    @quiet
    def softmax_cross_entropy(self, targets):
        """Return the mean of -log softmax(row)[target], in nats, of an (n, k) array and n ints below k."""
        targets = validation.classes(targets, self.shape)
        n = np.arange(len(targets))
        shifted = self.data - self.data.max(axis=1, keepdims=True)  # so that exp cannot overflow
        powers = np.exp(shifted)
        sums = powers.sum(axis=1, keepdims=True)
        loss = (np.log(sums[:, 0]) - shifted[n, targets]).mean()
        local = powers / sums
        local[n, targets] -= 1.0  # the derivative is softmax(row), less 1 at the target
        return Tensor(loss, (self,), "softmax_cross_entropy", "", (times(local / len(targets)),), (targets,))

    @quiet
    def hinge(self, targets):
        """Return the mean of max(0, 1 - target · score), the max-margin loss.

        Targets are -1 or 1, one for each score. Scores of shape (…, n, k) and targets of shape (n, k) give a loss for
        each network, shape (…).
        """
        targets = validation.targets("hinge", targets, self.data.shape[-2:], allowed=(-1, 1))
        margins, axes = 1.0 - targets * self.data, (-2, -1)[2 - targets.ndim :]
        loss = np.maximum(margins, 0.0).sum(axis=axes) / targets.size
        local, each = np.where(margins <= 0, 0.0, -targets) / targets.size, loss.shape + (1,) * targets.ndim
        vjps = (lambda upstream: local * upstream.reshape(each),)
        return Tensor(loss, (self,), "hinge", "", vjps, (targets,))

    @quiet
    def binary_cross_entropy(self, targets):
        """Return -t log p - (1 - t) log(1 - p) for each number, in nats; p: its sigmoid; t, 0 or 1: its target."""
        targets = validation.numbers(targets, "binary_cross_entropy")
        local = self.sigmoid().data - targets
        terms = np.logaddexp(0.0, (1.0 - 2.0 * targets) * self.data)
        return Tensor(terms, (self,), "binary_cross_entropy", "", (times(local),), (targets,))

    @property
    def shape(self):
        """The size of each axis, a tuple."""
        return self.data.shape

    def __repr__(self):
        name = f", label={self.label!r}" if self.label else ""
        return f"Tensor(data={messages.array_text(self.data)}, grad={messages.array_text(self.grad)}{name})"

    def __deepcopy__(self, memo):
        return copying.copied(self, memo)

    def __reduce_ex__(self, protocol):
        return super().__reduce_ex__(protocol) if not self._prev else validation.no_pickle()

    __array__ = validation.no_array  # numpy.array(Tensor(…)) would lose the graph


def as_tensor(thing):
    """Return `thing` if it is a Tensor, else a new leaf with its numbers."""
    return thing if isinstance(thing, Tensor) else Tensor(thing)


def operand(left, op, right):
    """Return `right` as a Tensor; raise ValueError if its shape and that of `left` do not fit."""
    right = right if isinstance(right, Tensor) else Tensor(right)
    try:
        is_same = left.data.shape == right.data.shape
    except AttributeError:  # somebody has set data to a list
        left.data, right.data = validation.numbers(left.data), validation.numbers(right.data)
        is_same = left.data.shape == right.data.shape
    if not is_same:
        validation.fit(op, left.data.shape, right.data.shape)
    return right
