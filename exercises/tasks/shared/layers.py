"""Networks, the calls that they are tested with, and the parameters in a learner's object, for several checks."""

import functools
import itertools
import math
import random
import traceback
from collections import deque
from dataclasses import dataclass

import autograd
from autograd import Value
from autograd.dual import Dual, forward_gradient
from exercises.judging.vocabulary import AnswerError, NotAttempted, answer, called, has, is_a_sequence, kind, stranger

FORMS = {  # how inputs are passed, as Python; two forms alternate
    "numbers": ("{x}",),
    "Values": ("Value({x})",),
    "results": ("-Value({minus})",),
    "mixed": ("Value({x})", "{x}"),
}
PLAIN = [sign * tenth / 10 for tenth in range(1, 10) for sign in (-1, 1)]
SPECIAL = (0, 1, -1)
SMALL = [sign * step / 50 for step in range(1, 21) for sign in (-1, 1)]  # for wide layers, whose sums are large


@dataclass(frozen=True)
class Ask:
    """A call of a network. shape: (reads, neurons) of each layer. numbers: the parameters set in it, in one row.

    form: one of FORMS; or "one", a single Value that is every input.
    """

    shape: tuple
    numbers: tuple
    inputs: tuple
    form: str

    @functools.cached_property
    def source(self):
        """The inputs, as Python."""
        if self.form == "one":
            return f"[Value({self.inputs[0]})] * {len(self.inputs)}"
        forms = itertools.cycle(FORMS[self.form])
        return f"[{', '.join(form.format(x=x, minus=-x) for form, x in zip(forms, self.inputs))}]"

    def given(self):
        return eval(self.source, {"Value": Value})  # the text comes from this module

    @functools.cached_property
    def outputs(self):
        """The outputs, by plain floats."""
        return respond(self.shape, self.numbers, self.inputs)

    @functools.cached_property
    def slopes(self):
        """The gradient of the outputs' mixture with respect to each number and each input, by dual numbers."""
        count = len(self.numbers)
        return forward_gradient(
            lambda *xs: mixture(respond(self.shape, xs[:count], xs[count:])), [*self.numbers, *self.inputs]
        )

    def described(self):
        """Return a comment with the parameters of each neuron if there are few neurons; else nothing."""
        numbers, count = iter(self.numbers), sum(m for _, m in self.shape)
        rows = [[next(numbers) for _ in range(n + 1)] for n, m in self.shape for _ in range(m)]
        whose = ["its weights"] if count == 1 else [f"weights of neuron {j}" for j in range(1, count + 1)]
        made = [f"# {who}: {', '.join(f'{w:g}' for w in row[:-1])}; bias: {row[-1]:g}" for who, row in zip(whose, rows)]
        return made if len(self.shape) == 1 and count <= 3 else []


def respond(shape, numbers, inputs):
    """Compute the outputs of a network of floats or Duals. numbers: each neuron's weights and its bias, in one row."""
    numbers = iter(numbers)
    for n, m in shape:
        totals = [sum((next(numbers) * x for x in inputs[:n]), 0.0) + next(numbers) for _ in range(m)]
        inputs = [total.tanh() if isinstance(total, Dual) else math.tanh(total) for total in totals]
    return inputs


def mixture(outputs):
    """Return a sum of all outputs, weighted differently."""
    return sum((share * out for share, out in zip(itertools.cycle((1.0, -0.5, 2.0, 0.7)), outputs)), 0.0)


@functools.cache
def asks(shape, seed=0):
    """Return four Asks of a network of this shape: new inputs, then new numbers in it, then the first inputs again."""
    rng, n = random.Random(f"{shape} {seed}" if seed else str(shape)), shape[0][0]
    is_wide = n > 8 or max(m for _, m in shape) > 5
    some = SMALL if is_wide else (-2, -1, 1, 2, 3, -0.5, 0.7, 1.5)
    first, second = (tuple(rng.sample(some, n)) for _ in range(2))
    form = rng.choice(("mixed", "one"))
    third = tuple(rng.choices(SMALL if is_wide else (0.5, -1.5) if form == "one" else (-1, 0, 1, 1, 0.5), k=n))
    third = third[:1] * n if form == "one" else third
    numbers = settled(rng, shape, (first, second))
    others = settled(rng, shape, (first, third), SPECIAL, 0.9999)
    return (
        Ask(shape, numbers, first, "numbers"),
        Ask(shape, numbers, second, rng.choice(("Values", "results"))),
        Ask(shape, others, third, form),
        Ask(shape, others, first, "numbers"),
    )


def settled(rng, shape, inputs, special=(), most=0.97):
    """Draw numbers for a network, special ones among them, so that all outputs are below `most` and differ."""
    count = sum((n + 1) * m for n, m in shape)
    while True:
        numbers = [rng.choice(PLAIN) for _ in range(count)]
        for place, number in zip(rng.sample(range(count), count), special if count > 2 else ()):
            numbers[place] = number
        outputs = [respond(shape[:i], numbers, xs) for xs in inputs for i in range(1, len(shape) + 1)]
        if all(abs(out) < most for outs in outputs for out in outs) and all(len(set(o)) == len(o) for o in outputs):
            return tuple(numbers)


def needs_class(thing, name):
    """Raise AnswerError if a learner's answer is not a class, or leaves the work to the course's own."""
    if not isinstance(thing, type):
        said = f"The class itself was expected, without parentheses: `{name}`. This is {kind(thing)}."
        raise AnswerError("Tested: your class.", said)
    if set(thing.__mro__) & {autograd.Neuron, autograd.Layer, autograd.MLP}:
        raise AnswerError(f"This {name} is derived from the course's own class. Write all of it yourself.")


def use(cls, function, *args, what):
    """Call a learner's class, object or method and return its result.

    Raise AnswerError if it changes a list it was given.

    If the call reaches a stub, raise NotAttempted with the name of the missing method or of the other class.
    """

    def kept(*args):
        try:
            found = function(*args)
            return found if found is None or found is ... or found is NotImplemented else [found]
        except NotImplementedError as fault:
            *_, (frame, _) = traceback.walk_tb(fault.__traceback__)
            owner, method = type(frame.f_locals.get("self")), frame.f_code.co_name
            if owner is cls and method != "__init__":
                raise NotAttempted(f"`{method}` is still to be written.") from None
            if owner.__name__ in ("Neuron", "Layer") and owner is not cls:
                says = f"{cls.__name__} uses a class {owner.__name__} that is not finished yet."
                raise NotAttempted(says) from None
            raise

    return answer(called(kept, *args, what=what, returns=list)[0], what, object)


def as_list(found):
    """Return the items of a list or of a similar sequence; None for anything else."""
    if isinstance(found, list | tuple | deque) or (has(found, "tolist") and is_a_sequence(found)):
        return list(found) if has(found, "__len__") else None
    return None


def attribute(made, name, of, what):
    """Return a list that a learner's object keeps. Raise AnswerError if it is missing or is not a list."""
    if not has(made, name):
        kept = ", ".join(vars(made)) if has(made, "__dict__") and vars(made) else "nothing"
        raise AnswerError(f"Tested: {what}.", f"It has no `{name}`. Its attributes: {kept}.")
    found = getattr(made, name)
    if found is None or found is ...:
        raise NotAttempted
    if as_list(found) is None:
        raise AnswerError(f"Tested: {what}.", f"`{name}` should be a list of {of}; it is {kind(found)}.")
    return as_list(found)


def in_neuron(made, what):
    """Return a neuron's weights and its bias in one list. Raise AnswerError if one of them is not a Value."""
    weights = attribute(made, "weights", "Values", what)
    if not has(made, "bias"):
        raise AnswerError(f"Tested: {what}.", "It has no `bias`.")
    values = {f"weights[{i}]": weight for i, weight in enumerate(weights)} | {"bias": made.bias}
    for name, found in values.items():
        if found is None or found is ...:
            raise NotAttempted
        if not isinstance(found, Value):
            said = f"`{name}` should be a Value; it is {stranger(found)}."
            raise AnswerError(f"Tested: {what}.", said, kind=kind(found))
    return list(values.values())


def in_layer(made, what):
    """Return the parameters of each of a layer's neurons."""
    neurons = attribute(made, "neurons", "neurons", what)
    for neuron in neurons:
        if isinstance(neuron, Value | int | float | list | type):
            raise AnswerError(f"Tested: {what}.", f"`neurons` should hold neurons; it contains {kind(neuron)}.")
    return [in_neuron(neuron, what) for neuron in neurons]


@dataclass(frozen=True)
class Level:
    """One of the three kinds of network: the list that it keeps, and the prefix of its parameters' names."""

    name: str
    holds: str
    prefix: str

    def inside(self, made, what):
        """Return the parameters of each neuron of each layer."""
        if self.name == "neuron":
            return [[in_neuron(made, what)]]
        layers = attribute(made, "layers", "layers", what) if self.name == "net" else [made]
        return [in_layer(layer, what) for layer in layers]

    def names(self, shape):
        """Yield the name of each parameter, as Python."""
        for i, (n, m) in enumerate(shape):
            for j in range(m):
                for each in [*(f"weights[{k}]" for k in range(n)), "bias"]:
                    yield self.prefix.format(i=i, j=j) + each

    def format_shape(self, shape):
        """Return a shape, or the parameters in an object, as text: "(2, 4), (4, 1)", or "2" for a neuron."""
        if self.name == "neuron":
            return f"{shape[0][0]}"
        return ", ".join(f"({n}, {m})" for n, m in shape) or "none"


NEURON, LAYER = Level("neuron", "weights", ""), Level("layer", "neurons", "neurons[{j}].")
NETWORK = Level("net", "layers", "layers[{i}].neurons[{j}].")


def shape_of(n, sizes=1):
    """Return (reads, neurons) of each layer, from the arguments of a learner's class."""
    return tuple(itertools.pairwise([n, *(sizes if isinstance(sizes, list) else [sizes])]))
