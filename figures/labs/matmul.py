"""The matrix product lab: the gradient of Y = X @ W, cell by cell, and the same cell as a graph of single numbers."""

from dataclasses import dataclass

import numpy as np

from autograd.arrays import validation
from autograd.tensor import Tensor
from figures.labs.matmul_cells import record_cells
from figures.labs.matmul_graph import record_graph
from figures.page import arrays
from figures.page.inputs import Inputs, choice
from figures.page.player import Player

SIZES = 4  # rows or columns: more would be unreadable
EXAMPLE = {  # from lesson 08: two paths cancel in W.grad[1, 0]
    "X": [[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]],
    "W": [[1.0, -1.0], [2.0, 0.0], [0.5, 1.0]],
    "upstream": [[1.0, 0.0], [2.0, -1.0]],
}
WAYS = ("W", "X", "graph")
INPUTS = Inputs(choice("wants", WAYS, "gradient of"))


@dataclass(frozen=True, eq=False)
class Product:
    """Y = X @ W with the gradient of Y and the engine's gradients of X and W, arrays by name: X, W, Y, G, dX, dW."""

    X: np.ndarray
    W: np.ndarray
    G: np.ndarray
    Y: np.ndarray
    dX: np.ndarray
    dW: np.ndarray

    def terms(self, wants, cell):
        """Return (name, number, name, number) for each of the products that add up to a cell of a gradient."""
        row, column = cell
        if wants == "W":
            rows = range(len(self.X))
            return [(f"X[{i}, {row}]", self.X[i, row], f"G[{i}, {column}]", self.G[i, column]) for i in rows]
        columns = range(self.G.shape[1])
        return [(f"G[{row}, {j}]", self.G[row, j], f"W[{column}, {j}]", self.W[column, j]) for j in columns]

    def gradient(self, wants):
        return self.dW if wants == "W" else self.dX


def matmul(X=None, W=None, upstream=None, *, wants="W", predict=False):
    """Step through the gradient of Y = X @ W: each frame is one cell, a row or column of one times one of the other.

    X, W: lists of rows, or arrays of shape (n, k) and (k, m), with sizes from 1 to 4. upstream: the gradient of Y, of
    shape (n, m). Without them, the lab shows the example of lesson 08. wants: "W" or "X", the input whose gradient is
    stepped through; or "graph": for each number of W the n edges that leave it in a graph of single numbers. predict:
    before a cell the learner may type its number; the lab explains a wrong one if a known wrong rule gives it.
    """
    product = read(*(EXAMPLE[name] if given is None else given for name, given in zip(EXAMPLE, (X, W, upstream))))

    @INPUTS.check
    def record(wants):
        return record_graph(product, predict) if wants == "graph" else record_cells(product, wants, predict)

    return Player(controls=INPUTS.controls(wants=wants), record=record)


def read(x, w, upstream):
    """Return the Product of three matrices; raise ValueError or TypeError if they are no matrices or do not fit."""
    found = {}
    for name, given in zip(EXAMPLE, (x, w, upstream)):
        array = arrays.numbers(given, name)
        if array.ndim != 2:
            raise ValueError(f"{name} is a matrix, a list of rows such as [[1, 2], [3, 4]]; got shape {array.shape}.")
        if min(array.shape) < 1 or max(array.shape) > SIZES:
            raise ValueError(
                f"this lab shows every number: sizes go from 1 to {SIZES}; {name} has shape {array.shape}."
            )
        found[name] = array
    x, w, upstream = found.values()
    validation.fit("@", x.shape, w.shape)
    if upstream.shape != (len(x), w.shape[1]):
        raise ValueError(f"upstream has the shape of X @ W, ({len(x)}, {w.shape[1]}); got {upstream.shape}.")
    left, right = Tensor(x), Tensor(w)
    made = left @ right
    made.backward(gradient=upstream)
    return Product(left.data, right.data, upstream, made.data, left.grad, right.grad)
