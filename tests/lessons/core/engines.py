"""Six right engines of learners, and a core notebook's cells run on one of them."""

import functools
import random
from types import SimpleNamespace
from unittest.mock import MagicMock

from exercises.engine_file import places
from tests import notebooks, sampling
from tests.engines import swapped

TEXT = (places.PROVIDED / places.FILE).read_text(encoding="utf-8")
WEIGHTS = "        self.weights = [Value(random.uniform(-1, 1)) for _ in range(n_inputs)]\n"
BIAS = "        self.bias = Value(random.uniform(-1, 1))\n"
SUM = "        total = self.bias\n        for w, x in zip(self.weights, inputs):\n            total = total + w * x\n"
DRAWING = {
    "weights first": [],
    "bias first": [
        (WEIGHTS + BIAS, BIAS + WEIGHTS),
        ("return [*self.weights, self.bias]", "return [self.bias, *self.weights]"),
    ],
}
ADDING = {
    "bias, then products": [],
    "products, then bias": [
        (SUM, "        total = sum((w * x for w, x in zip(self.weights, inputs)), Value(0.0)) + self.bias\n")
    ],
    "from the last input": [(SUM, SUM.replace("zip(self.weights, inputs)", "[*zip(self.weights, inputs)][::-1]"))],
}
SIX = {f"{draw}; {add}": [*DRAWING[draw], *ADDING[add]] for draw in DRAWING for add in ADDING}
TRIED = sampling.sample(SIX, 2)  # by a plain run


def mine(name):
    """Return the names of one of the six engines, as `mine` has them."""
    names = {"__name__": "engine"}
    exec(swapped(TEXT, *SIX[name]), names)
    return SimpleNamespace(**names)


@functools.cache
def cells(lesson):
    """Return {id: text} of the code cells of a core notebook."""
    path = next(path for path in notebooks.LESSONS if path.name.startswith(lesson))
    return {cell.id: cell.source for cell in notebooks.cells(notebooks.read(path), "code")}


def names_after(lesson, engine, *ids, **names):
    """Return the names after some cells of a notebook were run on an engine; what they print is in `printed`."""
    printed = []
    names |= {"mine": engine, "Value": engine.Value, "as_value": engine.as_value, "random": random}
    names |= {
        "figures": MagicMock(),
        "topological_order": engine.topological_order,
        "print": lambda *a: printed.append(a),
    }
    for each in ids:
        exec(cells(lesson)[each], names)
    return names | {"printed": printed}
