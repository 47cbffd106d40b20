"""The check of `segmented`: number, slope and gradients of chains, and how much of a graph exists at a time."""

import functools
import itertools
import math
import random

from autograd.dual import Dual, forward_gradient
from autograd.errors.messages import show
from exercises.engine_file import parts
from exercises.judging.vocabulary import AnswerError, called, function_exercise, is_close, kind, make_result, stranger

LAYERS = (  # functions of h and of a parameter, and the parameter's number
    (lambda h, w: h * w + 0.25, 1.5),
    (lambda h, w: (h * w).tanh(), 0.75),
    (lambda h, w: h * h + w, 0.5),
    (lambda h, w: (h * w).exp(), -0.5),
    (lambda h, w: h * h * h * w, 0.5),
    (lambda h, w: (h + h * w).tanh(), 0.5),
    (lambda h, w: w * h + -1.0, 1.5),
)
PLACES = 0, 1, 2, 3, 4, 5, 0  # of each layer's parameter: the last layer shares the first one's
ONCE_OR_TWICE = "1", "2", "from 1 to 2"
SEGMENTED = ((6, 2, 0.4), (7, 3, 0.4), (7, 3, -0.8), (7, 1, 0.4), (4, 4, 0.4), (5, 8, -0.8), (1, 1, 0.3))


def parameters_of(count, scale):
    return [scale * LAYERS[place][1] for place in sorted(set(PLACES[:count]))]


def layers_of(count):
    """Return (function, the place of its parameter) of so many layers; after the last the first comes again."""
    kinds = itertools.cycle(zip(LAYERS, PLACES))
    return [(layer, place) for (layer, _), place in itertools.islice(kinds, count)]


def derivatives(count, x, scale=1.0):
    """Return (the output of so many layers, its derivatives by x and each parameter), by dual numbers."""
    numbers = [x, *parameters_of(count, scale)]

    def output(h, *parameters):
        for layer, place in layers_of(count):
            h = layer(h, parameters[place])
        return h

    return output(*map(Dual, numbers)).value, forward_gradient(output, numbers)


class Chain:
    """Layers with parameters on a fresh engine, which note their runs and the graphs that contain them.

    runs: of each layer. longest: layers in one graph. passes: backward passes. kept: runs of other layers between the
    making of a graph and the backward pass through it.
    """

    def __init__(self, count, scale=1.0):
        self.engine, self.runs, self.longest, self.passes, self.kept = (
            parts.value_class("accumulate"),
            [0] * count,
            0,
            0,
            0,
        )
        self.parameters = list(map(self.engine, parameters_of(count, scale)))
        self.layers = [functools.partial(self.run, i, *each) for i, each in enumerate(layers_of(count))]
        plain = self.engine.backward

        def backward(root):
            made = self.made_in(root)
            self.passes += 1
            self.kept += sum(self.runs) - min(made, default=0) + 1 - len(made) if made else 0
            plain(root)

        self.engine.backward = backward

    def run(self, i, layer, place, h):
        """Run one layer, with the parameter at a place, on a Value."""
        if not isinstance(h, self.engine):
            raise TypeError(f"a layer takes a Value, and was given {stranger(h)}")
        self.runs[i] += 1
        out = layer(h, self.parameters[place])
        out.turn = sum(self.runs)  # the number of the run that made it
        self.longest = max(self.longest, len(self.made_in(out)))
        return out

    def made_in(self, root):
        """Return the turns of the layers whose results are in a graph."""
        found, stack = {root}, [root]
        while stack:
            for node in stack.pop()._prev:
                if node not in found:
                    found.add(node)
                    stack.append(node)
        return [node.turn for node in found if node._prev and hasattr(node, "turn")]


@function_exercise
def segmented(segmented, *, seed=0):
    """`segmented(Value, layers, x, every)` gives number and slope, and the parameters their gradients, in segments."""
    for count, every, x, scale in drawn_chains(seed) if seed else ((*each, 1.0) for each in SEGMENTED):
        words = f"{count} layer{'s' * (count > 1)}, {every} in a segment, x = {x:g}"
        chain, graphs = Chain(count, scale), -(-count // every)
        what = f"segmented(Value, layers, x, every), {words}"
        found = called(segmented, chain.engine, chain.layers, x, every, what=what, returns=object)
        right, slopes = derivatives(count, x, scale)
        names = ("number", "slope", *(f"grad of parameter {i}" for i in range(1, len(slopes))))
        numbers = [*two_numbers(found, words), *(float(parameter.grad) for parameter in chain.parameters)]
        rows = [
            *((name, show(a), show(b), is_close(b, a)) for name, a, b in zip(names, (right, *slopes), numbers)),
            ("layers in the longest graph", f"at most {every}", str(chain.longest), chain.longest <= every),
            ("runs of a layer", "1 or 2", most(chain.runs), lambda got: got in ONCE_OR_TWICE),
            ("runs of other layers while a graph is kept", "0", str(chain.kept)),
            ("backward passes", f"{graphs}, one a segment", str(chain.passes), functools.partial(is_of, graphs)),
        ]
        yield make_result(f"Wrong here: {words}.", *rows, case=f"segmented(Value, layers[:{count}], {x:g}, {every})")
    return f"Right for {len(SEGMENTED)} chains: the gradients of one whole graph, and never more than a segment of it."


def is_of(graphs, got):
    """Return whether the number of backward passes, as text, is one for each graph, or 0."""
    return got in ("0", str(graphs))


def drawn_chains(seed):
    """Draw (layers, how many in a segment, x, the scale of the parameters) for the silent round."""
    luck = random.Random(f"segmented {seed}")
    many = luck.randint(11, 14)
    yield 5, luck.choice((1, 2)), -0.125, 4 / 3  # 0 goes into a segment, and comes back to it
    lengths = [(luck.randint(2, 7), luck.randint(1, 8)) for _ in range(5)] + [(many, many), (many, luck.randint(1, 5))]
    numbers = [0.0, luck.uniform(1.1, 1.6), *(luck.uniform(-1.6, 1.6) for _ in lengths[2:])]
    for (count, every), x in zip(lengths, numbers):
        yield count, every, round(x, 5), round(luck.uniform(0.5, 1.2), 5)


def most(runs):
    """Say in words how often layers ran."""
    low, high = min(runs), max(runs)
    return str(low) if low == high else f"from {low} to {high}"


def two_numbers(found, words):
    """Return the result of `segmented` as two floats. Raise AnswerError if it is anything else."""
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise AnswerError(f"Tested: {words}.", f"Return two numbers, (number, slope). It returned {kind(found)}.")
    for name, each in zip(("number", "slope"), found):
        if isinstance(each, bool) or not isinstance(each, int | float):
            what = "None" if each is None else kind(each)
            raise AnswerError(f"Tested: {words}.", f"The {name} is {what}, and no number.")
    return tuple(float(each) if math.isfinite(each) else math.nan for each in found)
