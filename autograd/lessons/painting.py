"""A network that sees the letters of a name and says its colour, on any class of Tensors with `+ * @ tanh sum`.

Each name is the mean of a row for each of its triples of letters and for each of its words; a bend, and two products
around it, make three numbers of that. It has never seen an invented name, but it knows most of its triples.
"""

import numpy as np

from autograd.lessons.colours import rgb_of
from autograd.tensor import Tensor
from autograd.training.optim import SGD

WIDTH = 16


def pieces(name):
    """The triples of letters of a name, its borders with it, and its words: "red" has ".re", "red", "ed." and "red"."""
    whole = f".{name}."
    return [whole[i : i + 3] for i in range(len(whole) - 2)] + name.split()


def vocabulary(names):
    """{piece: its place} of all pieces of some names."""
    return {piece: i for i, piece in enumerate(sorted({piece for name in names for piece in pieces(name)}))}


def shares(names, known):
    """Of each name, in its row, what share each known piece has of those known in it, shape (n, len(known)).

    A product with it is the mean of rows that its pieces look up.
    """
    found = np.zeros((len(names), len(known)))
    for row, name in zip(found, names):
        places = [known[piece] for piece in pieces(name) if piece in known]
        np.add.at(row, places, 1.0 / max(1, len(places)))
    return found


def painter(Tensor, count, seed=0):
    """[E, W, b, V, c], the parameters of `colours_of` for so many pieces, drawn from a seed."""
    rng = np.random.RandomState(seed)
    E = 0.1 * rng.standard_normal((count, WIDTH))
    W, V = rng.standard_normal((WIDTH, WIDTH)) / np.sqrt(WIDTH), rng.standard_normal((WIDTH, 3)) / np.sqrt(WIDTH)
    return [Tensor(array) for array in (E, W, np.zeros(WIDTH), V, np.zeros(3))]


def colours_of(parameters, rows):
    """The colours of names, a Tensor of shape (n, 3), each number from 0 to 1; rows: their `shares`."""
    E, W, b, V, c = parameters
    return ((rows @ E @ W + b).tanh() @ V + c).tanh() * 0.5 + 0.5


def mean_square(parameters, rows, rgb):
    """The mean over names of the squared distance to their colours, a Tensor of one number: the loss."""
    off = colours_of(parameters, rows) - rgb
    return (off * off).sum() * (1 / len(rows))


class Painter:
    """A painter with what it learns from: its `parameters`, the `loss` of some of its names, `colours` of any names."""

    def __init__(self, Tensor, names):
        self.known = vocabulary(names)
        self.rows, self.rgb = shares(names, self.known), rgb_of(names)
        self.parameters = painter(Tensor, len(self.known))

    def loss(self, rows):
        """The loss of the names with these numbers, a Tensor of one number."""
        return mean_square(self.parameters, self.rows[rows], self.rgb[rows])

    def colours(self, names):
        """The colours of some names, a Tensor of shape (n, 3)."""
        return colours_of(self.parameters, shares(names, self.known))

    def off_by(self, names):
        """The `error` on these names."""
        return error(self.parameters, names, self.known)


def trained_painter(names, known, epochs=60):
    """The parameters of a painter on the package's Tensor, as lesson 10 trains one: batches of 16, a rate of 1."""
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
    """How far from right a red, green or blue of these names is: the root of the mean of the squares."""
    found = colours_of(parameters, shares(names, known)).data
    return float(np.sqrt(((found - rgb_of(names)) ** 2).mean()))


def hexadecimal(rgb):
    """A colour as pages have it: "#2f8ece", of three numbers from 0 to 1."""
    return "#" + "".join(f"{round(255 * min(max(float(part), 0.0), 1.0)):02x}" for part in rgb)
