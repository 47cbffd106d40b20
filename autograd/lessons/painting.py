"""A network that sees the letters of a name and returns its colour, on any class of Tensors with `+ * @ tanh sum`.

Each name is the mean of a row for each of its triples of letters and for each of its words; a tanh, with a product
before and after it, turns that into three numbers. It has never seen an invented name, but it knows most of its
triples.
"""

import numpy as np

from autograd.lessons.colours import rgb_of
from autograd.tensor import Tensor
from autograd.training.optim import SGD

WIDTH = 16


def pieces(name):
    """Return a name's triples of letters, with its borders, and its words: "red" has ".re", "red", "ed." and "red"."""
    whole = f".{name}."
    return [whole[i : i + 3] for i in range(len(whole) - 2)] + name.split()


def vocabulary(names):
    """Return {piece: its place} of all pieces of some names."""
    return {piece: i for i, piece in enumerate(sorted({piece for name in names for piece in pieces(name)}))}


def shares(names, known):
    """Return a row for each name, with each known piece's share of its known pieces, shape (n, len(known)).

    A product with it is the mean of rows that its pieces look up.
    """
    found = np.zeros((len(names), len(known)))
    for row, name in zip(found, names):
        places = [known[piece] for piece in pieces(name) if piece in known]
        np.add.at(row, places, 1.0 / max(1, len(places)))
    return found


def painter(Tensor, count, seed=0):
    """Draw [E, W, b, V, c], the parameters of `colours_of` for so many pieces, from a seed."""
    rng = np.random.RandomState(seed)
    E = 0.1 * rng.standard_normal((count, WIDTH))
    W, V = rng.standard_normal((WIDTH, WIDTH)) / np.sqrt(WIDTH), rng.standard_normal((WIDTH, 3)) / np.sqrt(WIDTH)
    return [Tensor(array) for array in (E, W, np.zeros(WIDTH), V, np.zeros(3))]


def colours_of(parameters, rows):
    """Return the colours of names, a Tensor of shape (n, 3), each number from 0 to 1; rows: their `shares`."""
    E, W, b, V, c = parameters
    return ((rows @ E @ W + b).tanh() @ V + c).tanh() * 0.5 + 0.5


def mean_square(parameters, rows, rgb):
    """Return the mean over names of the squared distance to their colours, a Tensor of one number: the loss."""
    off = colours_of(parameters, rows) - rgb
    return (off * off).sum() * (1 / len(rows))


class Painter:
    """A painter with what it learns from: its `parameters`, the `loss` of some of its names, `colours` of any names."""

    def __init__(self, Tensor, names):
        self.known = vocabulary(names)
        self.rows, self.rgb = shares(names, self.known), rgb_of(names)
        self.parameters = painter(Tensor, len(self.known))

    def loss(self, rows):
        """Return the loss of the names with these numbers, a Tensor of one number."""
        return mean_square(self.parameters, self.rows[rows], self.rgb[rows])

    def colours(self, names):
        """Return the colours of some names, a Tensor of shape (n, 3)."""
        return colours_of(self.parameters, shares(names, self.known))

    def off_by(self, names):
        """Return the `error` on these names."""
        return error(self.parameters, names, self.known)


def trained_painter(names, known, epochs=60):
    """Train a painter on the package's Tensor as lesson 10 does, in batches of 16, rate 1; return its parameters."""
    parameters, rows, rgb = painter(Tensor, len(known)), shares(names, known), rgb_of(names)
    optimizer, rng = SGD(parameters, lr=1.0), np.random.RandomState(0)
    for _ in range(epochs):
        order = rng.permutation(len(names))
        for start in range(0, len(names), 16):
            batch = order[start : start + 16]
            optimizer.zero_grad()
            mean_square(parameters, rows[batch], rgb[batch]).backward()
            optimizer.step()
    return parameters


def error(parameters, names, known):
    """Return how far a red, green or blue of these names is from right: the root of the mean of the squares."""
    found = colours_of(parameters, shares(names, known)).data
    return float(np.sqrt(((found - rgb_of(names)) ** 2).mean()))


def hexadecimal(rgb):
    """Return a colour as web pages write it, "#2f8ece", from three numbers from 0 to 1."""
    return "#" + "".join(f"{round(255 * min(max(float(part), 0.0), 1.0)):02x}" for part in rgb)
