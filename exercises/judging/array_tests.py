"""A learner's tests of engines on arrays: the inputs of a kill matrix for arrays, and the right results."""

import zlib

import numpy as np

from autograd import tensor
from exercises.engines.wrong_tensors import WRONG_TENSORS, TensorEngine
from exercises.judging.answers import answer, has, kind
from exercises.judging.matrices import Scalars, engine_in, needs_finite, only_computing
from exercises.sandbox.guard import AnswerError
from exercises.verdicts.dual_arrays import Duals, forward_gradients, same_array

MOST = 300  # numbers in a test: dual numbers need a run for each


class Arrays(Scalars):
    """The engines on arrays, and how a test (f, xs) is run on them: xs are arrays, or shapes filled at random."""

    wrong, right, of = WRONG_TENSORS, TensorEngine, "list of shapes or arrays"
    example = "[(lambda a, b: (a * b).sum(), [(2, 3), (3,)])]"
    takes = "check.kill_matrix({}, arrays=True)"
    node, home, is_right = "Tensor", tensor, staticmethod(same_array)

    def inputs(self, xs, what):
        if isinstance(xs, str | bytes | dict) or not has(xs, "__iter__"):
            raise AnswerError(f"Tested: {what}.", f"The inputs are a list of shapes or arrays; it is {kind(xs)}.")
        arrays = [array_of(x, i, what) for i, x in enumerate(xs)]
        count = sum(array.size for array in arrays)
        if count > MOST:
            raise AnswerError(
                f"Tested: {what}.", f"It has {count:,} numbers, and the limit is {MOST}. Small sizes are enough."
            )
        return arrays

    def truth(self, f, xs, what):
        """Return (value, gradients) of f by dual numbers."""
        with engine_in(f, Duals, self.node, self.home), only_computing(what), np.errstate(all="ignore"):
            root = answer(f(*map(Duals, xs)), what, object)
            if not isinstance(root, Duals):
                raise AnswerError(
                    f"Tested: {what}.", f"f should return a result of its inputs; it returned {kind(root)}."
                )
            if root.array.size != 1:
                says = f"f should return one number; it returned an array of shape {root.shape}. Take its sum()."
                raise AnswerError(f"Tested: {what}.", says)
            value, gradients = forward_gradients(f, xs)
        needs_finite(value.item(), [each for gradient in gradients for each in gradient.ravel()], what)
        return value, gradients

    def agrees(self, f, xs, engine, value, gradients):
        """Return whether an engine gives this value and these gradients; one that fails on the test does not."""
        with np.errstate(all="ignore"):
            return super().agrees(f, xs, engine, value, gradients)


def array_of(x, place, what):
    """Return an input as an array: a tuple of whole numbers is a shape, filled at random but the same each time."""
    if type(x).__name__ == "Tensor" and has(x, "data"):
        x = x.data
    if isinstance(x, tuple) and all(isinstance(size, int) and not isinstance(size, bool) for size in x):
        if any(size < 1 for size in x):
            raise AnswerError(f"Tested: {what}.", f"A shape has sizes of 1 or more; one of the inputs is {x}.")
        if np.prod(x) > MOST:
            raise AnswerError(f"Tested: {what}.", f"The shape {x} has too many numbers: at most {MOST}.")
        return np.random.RandomState(zlib.crc32(repr((x, place)).encode())).uniform(-2.0, 2.0, x)
    try:
        array = np.array(x)
        if array.dtype.kind not in "fiu":
            raise ValueError
    except ValueError:
        says = f"The inputs are shapes, such as (2, 3), or arrays of numbers; one of them is {kind(x)}."
        raise AnswerError(f"Tested: {what}.", says) from None
    if not np.isfinite(array).all():
        raise AnswerError(f"Tested: {what}.", "One of the inputs is not finite. Take numbers such as 0.7 and -1.3.")
    return array.astype(float)
