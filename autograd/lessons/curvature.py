"""A gradient's own derivative: a learner's engine run on dual numbers, and the largest curvature of a loss."""

import contextlib
import math
from itertools import pairwise
from types import SimpleNamespace

from autograd.dual import Dual, as_dual


def knowing_duals(name):
    """Return a function of `math` that also takes a Dual, by the Dual's own method."""
    return lambda x: getattr(x, name)() if isinstance(x, Dual) else getattr(math, name)(x)


dual_math = SimpleNamespace(**vars(math) | {name: knowing_duals(name) for name in ("exp", "log", "tanh")})


@contextlib.contextmanager
def on_duals(engine):
    """Replace `math`, in the file that defines an engine's class, with one that also takes Duals."""
    names = engine.__init__.__globals__
    plain = names.get("math", math)
    names["math"] = dual_math
    try:
        yield
    finally:
        names["math"] = plain


def gradient(engine, loss, at, along=None):
    """Return the gradient of loss at some numbers; with a direction `along`: (it, how fast it changes that way).

    engine: a class of values with `data`, `grad` and `backward()`. loss: a function of a list of its leaves. Both
    results are lists. The second is the Hessian times the direction: by duals, or by nudging if the class turns them
    into floats.
    """
    if along is None:
        leaves = [engine(x) for x in at]
        loss(leaves).backward()
        return [leaf.grad for leaf in leaves]
    leaves = [engine(Dual(x, d)) for x, d in zip(at, along)]
    with on_duals(engine):
        root = loss(leaves)
        root.backward()
    if not isinstance(root.data, Dual):
        above, below = (gradient(engine, loss, [x + h * d for x, d in zip(at, along)]) for h in (1e-5, -1e-5))
        return gradient(engine, loss, at), [(up - down) / 2e-5 for up, down in zip(above, below)]
    grads = [as_dual(leaf.grad) for leaf in leaves]
    return [grad.value for grad in grads], [grad.derivative for grad in grads]


def sharpest(engine, loss, at, rounds=100):
    """Return (λ, direction): the largest second derivative of loss in any direction, by power iteration.

    Each round applies the Hessian to a direction of length 1. If that ends in the most negative second derivative,
    more rounds subtract it from all of them, so that the largest is now the farthest from 0.
    """
    shift = 0.0
    for _ in range(2):
        turned = [1.0 / (i + 1) for i in range(len(at))]
        for _ in range(rounds):
            length = math.hypot(*turned) or 1.0
            direction = [t / length for t in turned]
            change = gradient(engine, loss, at, direction)[1]
            turned = [c - shift * d for c, d in zip(change, direction)]
        found = sum(c * d for c, d in zip(change, direction))
        if found >= shift:
            break
        shift = found
    return found, direction


def xor(hidden):
    """Return the sum of squares of a tanh network on XOR's rows: a function of its parameters, neuron by neuron."""

    def loss(parameters):
        total = 0.0
        for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
            parameter, outputs = iter(parameters), [a, b]
            for _, neurons in pairwise([2, *hidden, 1]):
                rows = [[next(parameter) for _ in (*outputs, "bias")] for _ in range(neurons)]
                outputs = [sum((w * x for w, x in zip(row, outputs)), row[-1]).tanh() for row in rows]
            total = total + (outputs[0] - (a + b) % 2) ** 2
        return total

    return loss


def descent(engine, loss, at, lr, epochs):
    """Yield the numbers at which each step of gradient descent starts."""
    for _ in range(epochs):
        yield at
        at = [x - lr * slope for x, slope in zip(at, gradient(engine, loss, at))]
