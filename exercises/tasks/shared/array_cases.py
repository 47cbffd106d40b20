"""Expressions of Tensors that checks compare with dual numbers."""

import functools
from dataclasses import dataclass

import numpy as np

from exercises.judging.vocabulary import equal_results, failed, kind, make_result, outcome, trying
from exercises.tasks.shared.arrays import drawn, format_numbers, got, row, whole
from exercises.verdicts.dual_arrays import forward_gradients


@dataclass(frozen=True)
class ArrayCase:
    """An expression of Tensors a, b, … that gives one number, with their shapes and the number of backward passes."""

    text: str
    shapes: tuple
    passes: int = 1
    seed: int = 0

    @functools.cached_property
    def arrays(self):
        """The leaves' numbers: whole numbers divided by 4."""
        rng = drawn(self.text, self.seed)[1] if self.seed else np.random.RandomState(len(self.text))
        return [np.asarray(whole(rng, *shape)) / 4 for shape in self.shapes]

    @property
    def names(self):
        return "abcd"[: len(self.shapes)]

    @functools.cached_property
    def f(self):
        return eval(f"lambda {', '.join(self.names)}: {self.text}", {"np": np})

    @functools.cached_property
    def right(self):
        """The right (value, gradients), by dual numbers."""
        return forward_gradients(self.f, self.arrays)

    def code(self):
        """Return the case as lines of Python."""
        made = [f"{name} = Tensor({format_numbers(array.tolist())})" for name, array in zip(self.names, self.arrays)]
        return "\n".join([*made, f"root = {self.text}", *["root.backward()"] * self.passes])

    def test(self, Tensor):
        """Return the TestResult of this case on a learner's class."""
        with np.errstate(all="ignore"):
            found, raised = outcome(self.text, self.run, Tensor)
        if raised:
            return failed(raised, self.code())
        (root, leaves), (value, gradients) = found, self.right
        leaves, rows = dict(zip(self.names, leaves)), [row("the value", value.item(), root.data)]
        rows += [row(f"{n}.grad", g * self.passes, leaf.grad) for (n, leaf), g in zip(leaves.items(), gradients)]
        rows += [row(f"{n}.data afterwards", x, leaf.data) for (n, leaf), x in zip(leaves.items(), self.arrays)]
        is_value = equal_results(got(root.data), float(value.item()))
        says = f"In `{self.text}` {'a gradient' if is_value else 'the value'} is wrong."
        return make_result(says, *rows, case=self.code())

    def run(self, Tensor):
        """Run the passes and return the root and the leaves."""
        leaves = [Tensor(array) for array in self.arrays]
        root = self.f(*leaves)
        if not isinstance(root, Tensor):
            raise TypeError(f"{self.text} gave {kind(root)}, not a Tensor")
        for _ in range(self.passes):
            root.backward()
        return root, leaves


def node(Tensor, text, op, inputs):
    """Return the TestResult of the inputs and the operation that a node records."""
    leaves = {"a": Tensor([[1.0, 2.0], [3.0, 4.0]]), "b": Tensor([[2.0, -1.0], [0.5, 1.0]])}
    with trying(text), np.errstate(all="ignore"):
        made = eval(text, dict(leaves))
        if not isinstance(made, Tensor):
            raise TypeError(f"{text} gave {kind(made)}, not a Tensor")
        names = [next((name for name, leaf in leaves.items() if leaf is each), kind(each)) for each in made._prev]
    rows = (f"{text}: _op", op, made._op), (f"{text}: _prev", ", ".join(inputs), ", ".join(names))
    says = "The numbers are right, but `_op` or `_prev` is not. The backward pass needs `_prev`; drawings show both."
    return make_result(says, *rows, case=text)
