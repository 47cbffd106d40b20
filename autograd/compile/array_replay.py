"""`ArrayReplay`: a function of Tensors, run once and written as straight-line NumPy, without a graph."""

import numpy as np

from autograd.arrays import validation
from autograd.compile.array_codegen import ArrayProgram
from autograd.compile.array_ops import NUMPY, source_of
from autograd.compile.array_trace import ArrayTracer, Followed, TracedArray
from autograd.compile.replay import MOST, Replay, compiled, refuse
from autograd.errors import messages
from autograd.errors.validation import policy
from autograd.tensor import Tensor, quiet
from autograd.topo import topological_order

ARRAYS = {np.ndarray, np.float64}


class ArrayReplay(Replay):
    """A recorded function of arrays. Call it with the parameters' arrays, then the inputs'.

    It returns (loss, gradients): a float, and an array for each parameter and for each input that was a Tensor.

    The results are the engine's to the last bit. A program is for the shapes that it was recorded with, including those
    of a batch: for others the function is recorded again. It is also recorded again if a comparison that Python makes
    on plain inputs, on the `data` of a Tensor, or on what NumPy computes from these, comes out differently; and if one
    of them is read as text, as a list or as a number, and has changed. At most 16 programs of a function are kept;
    after that the engine answers if none fits.

    A recording does not see what the function takes from elsewhere: a batch or its targets that are no inputs, a Tensor
    that is no parameter, random numbers. They stay unchanged.
    """

    def __init__(self, f, at, parameters):
        for p in parameters:
            if not isinstance(p, Tensor) or p._prev:
                raise TypeError(f"Parameters of a function of Tensors are Tensors that no operation made, got {p!r}.")
        self.f, self.parameters, self.inputs = f, parameters, len(at)
        self.tensors = [isinstance(x, Tensor) for x in at]
        self.leaves = [True] * len(parameters) + self.tensors  # which arguments have gradients
        code = getattr(f, "__code__", None)
        called = code.co_varnames[: code.co_argcount] if code else ()
        called = called if len(called) == len(at) else [f"x{i}" for i in range(1, len(at) + 1)]
        self.labels = [getattr(x, "label", "") or name for x, name in zip(at, called)]
        self.programs = {}  # {(layout of the arrays, source): function}, the newest last
        self(*(p.data for p in parameters), *at)

    def __call__(self, *arrays):
        """Return (the root's number, a list with the gradient of each Tensor)."""
        arrays = self.checked(arrays, len(self.leaves))
        layout = layout_of(arrays)
        for (made_for, _), program in reversed(self.programs.items()):
            try:
                if made_for == layout:
                    return program(*arrays)
            except Exception:  # another program's branch; or for the engine, which has an answer or a sentence
                continue
        loss, gradients = self.by_engine([arrays])
        return float(loss), gradients

    def backward(self, *inputs, reset="intermediates"):
        """Do to the parameters' grads what `f(*inputs).backward(reset)` does; return the root's number."""
        if reset != "nothing":
            return super().backward(*inputs, reset=reset)
        arrays = self.checked([*(p.data for p in self.parameters), *inputs], len(self.leaves))
        root = self.f(*(Tensor(x) if leaf else x for x, leaf in zip(arrays[len(self.parameters) :], self.tensors)))
        root.backward(reset)  # which adds each contribution to the old grad
        return float(root)

    def rows(self, rows, mean=False, reset="intermediates"):
        """Raise TypeError: an array holds all rows at once."""
        raise TypeError("A recorded function of Tensors takes all rows at once, as arrays: backward(batch, …).")

    def checked(self, arrays, expected):
        """Return things as arrays; raise ValueError for too many or few, TypeError for a Tensor that was an array."""
        if len(arrays) != expected:
            raise ValueError(f"This replay takes {expected} arrays, parameters' and inputs', got {len(arrays)}.")
        if {*map(type, arrays)} <= ARRAYS:
            return arrays
        if any(isinstance(x, Tensor) and not leaf for x, leaf in zip(arrays, self.leaves)):
            raise TypeError("This input was a plain array when it was recorded, got a Tensor: pass tensor.data.")
        arrays = [x.data if isinstance(x, Tensor) else x for x in arrays]
        return [validation.numbers(x) if leaf else np.asarray(x) for x, leaf in zip(arrays, self.leaves)]

    def give(self, gradients, reset):
        """Set the parameters' grads, as `reset` says."""
        policy(reset)
        for parameter, gradient in zip(self.parameters, gradients):
            old = parameter._grad if reset == "intermediates" else None
            parameter._grad = gradient if old is None else gradient + old

    def run(self, arrays):
        """Return (the root of f's graph for these inputs, those that are Tensors), and keep a program of it."""
        room, given = len(self.programs) < MOST, zip(arrays, self.tensors, self.labels)
        inputs = [Tensor(x, label=label) if leaf else Followed(x) if room else x for x, leaf, label in given]
        leaves = [x for x in inputs if isinstance(x, Tensor)]
        if not room:
            return self.rooted(self.f(*inputs)), leaves
        with ArrayTracer() as tracer:
            root = self.f(*(x if isinstance(x, Tensor) else TracedArray(x.data, (x,), tracer) for x in inputs))
        refuse(topological_order(self.rooted(root)), tracer.made, source_of, "autograd/compile/array_ops.py")
        program = ArrayProgram(root, {p: p.label for p in self.parameters} | dict(zip(inputs, self.labels)), tracer)
        layout = layout_of([*(p.data for p in self.parameters), *arrays])
        self.source = program.source
        self.programs[layout, self.source] = quiet(compiled(self.source, NUMPY | program.constants))
        return root, leaves

    def rooted(self, root):
        """Return the root if it is a Tensor of one number; else raise TypeError."""
        if not isinstance(root, Tensor) or root.data.size != 1:
            shape = f"a Tensor of shape {root.shape}: take .sum() or .mean() of it" if isinstance(root, Tensor) else ""
            got = shape or messages.described(root)
            raise TypeError(f"record takes a function that returns a Tensor of one number, got {got}.")
        return root


def layout_of(arrays):
    """Return what a program is made for: each array's shape, strides and type."""
    return tuple([(x.shape, x.strides, x.dtype) for x in arrays])
