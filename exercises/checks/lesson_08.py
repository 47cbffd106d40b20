"""The checks of lesson 08: a neuron, a layer, an MLP, the count of parameters; `reach_all` is in lesson_08_reach."""

import contextlib
import functools
import itertools
import math
import random
from dataclasses import dataclass

from autograd import Value
from autograd.dual import Dual, forward_gradient
from exercises.cases import same
from exercises.checks.lesson_08_reach import REACHED, about, reach_all
from exercises.grading import answer, called, exercise, kind, wrong
from exercises.guard import Trouble, Unfinished, trying

__all__ = ["neuron", "layer", "mlp", "count_parameters", "reach_all"]

BY_HAND, LAYER, NETWORK = "One neuron, by hand", "A layer: side by side", "An MLP: one after the other"
RANDOM, FOUR_TIMES = "Why the weights are random", "Break it: one neuron, four times"
COMMON = "Common mistakes"


# What a class is made of


@contextlib.contextmanager
def same_luck():
    """Numbers drawn inside are the same each time, and draws outside go on as if there had been none."""
    state = random.getstate()
    random.seed(8)
    try:
        yield
    finally:
        random.setstate(state)


@contextlib.contextmanager
def part_of(cls):
    """Code of a learner's class: where a stub is met, say which method is missing, or which other class."""
    try:
        yield
    except NotImplementedError as fault:
        frame = fault.__traceback__
        while frame.tb_next:
            frame = frame.tb_next
        owner, method = type(frame.tb_frame.f_locals.get("self")), frame.tb_frame.f_code.co_name
        if owner is cls and method != "__init__":
            raise Unfinished(f"`{method}` is still to be written.") from None
        if owner.__name__ in ("Neuron", "Layer") and owner is not cls:
            raise Unfinished(
                f"{cls.__name__} uses a class {owner.__name__} in which something is still missing."
            ) from None
        raise


def is_class(thing, name):
    """Trouble if a learner's thing is no class."""
    if not isinstance(thing, type):
        said = f"The class itself was expected, without brackets: `{name}`. This is {kind(thing)}."
        raise Trouble("Tested: your class.", said)


def built(cls, *sizes):
    """An object of a learner's class."""
    with trying(code(cls, *sizes)), part_of(cls):
        return cls(*sizes)


def code(cls, *sizes):
    """How an object is made, as Python: "MLP(2, [4, 1])"."""
    return f"{cls.__name__}({', '.join(map(str, sizes))})"


def attribute(made, name, what, of):
    """A list that a learner's object keeps; Trouble where it is missing or no list."""
    if not hasattr(made, name):
        kept = ", ".join(vars(made)) if getattr(made, "__dict__", None) else "nothing"
        raise Trouble(f"Tested: {what}.", f"It has no `{name}`. What it keeps: {kept}.")
    found = getattr(made, name)
    if not isinstance(found, list | tuple):
        raise Trouble(f"Tested: {what}.", f"`{name}` should be a list of {of}; it is {kind(found)}.")
    return list(found)


@dataclass(frozen=True)
class Parts:
    """A learner's neuron: its weights and its bias, all of them Values."""

    weights: list
    bias: Value

    def numbers(self):
        return [w.data for w in self.weights], self.bias.data


NUMBERS = about(
    "numbers in place of Values", "A plain number has no grad, so nothing would ever tell it how to change.", BY_HAND
)
ONE_VALUE = about(
    "one Value, several times", "`[Value(…)] * n` is one Value that stands n times in a list.", FOUR_TIMES
)
BIAS_AMONG = about("one weight too many", "A neuron has a weight for each input. Its bias is kept apart.", BY_HAND)


def parts_of(made, what):
    """The Parts of a learner's neuron, or a `wrong(…)` Verdict."""
    weights = attribute(made, "weights", what, "Values")
    if not hasattr(made, "bias"):
        raise Trouble(f"Tested: {what}.", "It has no `bias`.")
    if any(each is None or each is ... for each in [*weights, made.bias]):
        raise Unfinished
    for name, found in [*((f"weights[{i}]", w) for i, w in enumerate(weights)), ("bias", made.bias)]:
        if isinstance(found, int | float):
            return wrong(f"`{name}` is a plain number.", case=what, mistakes=[NUMBERS])
        if not isinstance(found, Value):
            raise Trouble(f"Tested: {what}.", f"`{name}` should be a Value; it is {no_value(found)}.")
    if len(set(weights)) < len(weights) or made.bias in weights:
        return wrong("The same Value stands there twice.", case=what, mistakes=[ONE_VALUE])
    return Parts(weights, made.bias)


def no_value(found):
    """What something is that is no Value of this lesson's engine, in a few words."""
    if type(found).__name__ == "Value":
        return "one of another engine. This lesson's are made with `Value(…)` alone, its neurons with `Neuron(…)`"
    return kind(found)


# What it answers, and what comes back


def respond(layers, inputs, strict=True, last=None):
    """The outputs of each layer, the inputs first; layers hold (weights, bias) for each neuron, of floats or Duals.

    strict=False: of weights and inputs the shorter list counts, as with a bare zip. last: "linear" for no tanh there.
    """
    found = [list(inputs)]
    for i, layer in enumerate(layers):
        totals = [sum((w * x for w, x in zip(weights, found[-1], strict=strict)), bias) for weights, bias in layer]
        linear = last == "linear" and i == len(layers) - 1
        found.append(totals if linear else [t.tanh() if isinstance(t, Dual) else math.tanh(t) for t in totals])
    return found


@dataclass(frozen=True)
class Trial:
    """A learner's object with numbers set, inputs for it, and what it was asked, as Python.

    layers: for each layer its neurons' Parts; of a neuron and of a layer that is one layer.
    """

    made: object
    layers: list
    inputs: list
    case: str
    given: list

    def numbers(self):
        """The layers as floats."""
        return [[parts.numbers() for parts in layer] for layer in self.layers]

    def leaves(self):
        """(name, Value) for each parameter."""
        for i, layer in enumerate(self.layers):
            for j, parts in enumerate(layer):
                name = f"layers[{i}].neurons[{j}]." if len(self.layers) > 1 else f"neurons[{j}]."
                name = "" if self.alone() else name
                yield from ((f"{name}weights[{k}]", w) for k, w in enumerate(parts.weights))
                yield f"{name}bias", parts.bias

    def alone(self):
        """Whether this is a neuron."""
        return self.layers[0][0].bias is getattr(self.made, "bias", None)

    def right(self):
        """The outputs, as floats."""
        return respond(self.numbers(), self.inputs)[-1]

    def slopes(self, shares):
        """{name: gradient} of the outputs times these shares, summed, for parameters and inputs, by dual numbers."""
        names = [name for name, _ in self.leaves()] + [f"inputs[{i}]" for i in range(len(self.inputs))]
        shape = [[len(parts.weights) for parts in layer] for layer in self.layers]

        def total(*numbers):
            numbers = iter(numbers)
            layers = [[([next(numbers) for _ in range(n)], next(numbers)) for n in layer] for layer in shape]
            outputs = respond(layers, list(numbers))[-1]
            return sum((share * out for share, out in zip(shares, outputs)), 0.0)

        start = [leaf.data for _, leaf in self.leaves()] + list(self.inputs)
        return dict(zip(names, forward_gradient(total, start)))


def trial(made, layers, rng, case):
    """A Trial with random numbers; every second one is given its inputs as Values."""
    for layer in layers:
        for parts in layer:
            names = [*(f"w{i}" for i in range(1, len(parts.weights) + 1)), "b"]
            for leaf, name in zip([*parts.weights, parts.bias], names):
                leaf.data, leaf.grad = rng.choice((-1, 1)) * rng.randint(2, 19) / 10, 0.0
                leaf.label = leaf.label or name
    count = len(layers[0][0].weights)
    inputs = [rng.choice((-2, -1, 1, 2, 3, -0.5, 0.7, 1.5)) for _ in range(count)]
    given = list(inputs)
    if rng.random() < 0.5:
        given = [Value(x, label=f"x{i}") for i, x in enumerate(inputs, start=1)]
    if any(isinstance(x, Value) for x in given):
        text = f"{case}([{', '.join(f'Value({x:g})' for x in inputs)}])"
    else:
        text = f"{case}([{', '.join(f'{x:g}' for x in inputs)}])"
    return Trial(made, layers, inputs, text, given)


CUT = about(
    "cut off from the graph",
    "`.data`, `float(…)` and `math.tanh` give a plain number. No gradient comes back through it.",
    REACHED,
)
ANEW = about(
    "drawn anew at each call",
    "Asked twice, it gives two answers. Parameters are made once, in `__init__`, and kept.",
    COMMON,
)
LIST_OF_ONE = about("a list of one", "One output is to be the Value itself: the loss is made from it.", NETWORK)
NO_LIST = about(
    "one output, unpacked", "A layer always gives a list, also of one neuron: the next one reads a list.", LAYER
)


def outputs_of(test, single):
    """What a learner's object gives for a Trial, as a list of Values, or a `wrong(…)` Verdict.

    single: whether one output is to be the Value itself.
    """
    cls, results = type(test.made), []
    for _ in range(2):
        with trying(test.case), part_of(cls):
            results.append(answer(test.made(list(test.given)), test.case, object))
    found, again = (list(r) if isinstance(r, list | tuple) else r for r in results)
    if isinstance(found, list) and single and len(found) == len(test.right()) == 1:
        return wrong("It gives a list, not a Value.", case=test.case, mistakes=[LIST_OF_ONE])
    if isinstance(found, Value) and not single and len(test.right()) == 1:
        return wrong("It gives a Value, not a list.", case=test.case, mistakes=[NO_LIST])
    if not single and not isinstance(found, list | Value | int | float):
        raise Trouble(f"Tested: {test.case}.", f"A list of Values was expected; it gives {kind(found)}.")
    outputs, others = (r if isinstance(r, list) else [r] for r in (found, again))
    for out in outputs:
        if isinstance(out, int | float) and not isinstance(out, bool):
            return wrong("It gives a plain number, not a Value.", case=test.case, mistakes=[CUT])
        if not isinstance(out, Value):
            raise Trouble(f"Tested: {test.case}.", f"A Value was expected; there is {no_value(out)}.")
    if [out.data for out in outputs] != [getattr(out, "data", out) for out in others]:
        return wrong("Called twice, it gives two answers.", case=test.case, mistakes=[ANEW])
    return outputs


def answers_fault(tests, slips, single, graphs=False):
    """What is wrong with what a learner's object answers, as a `wrong(…)` Verdict; None if nothing is.

    slips: (Mistake, function of a Trial's numbers and inputs that gives the outputs of that mistake).
    """
    found = []
    for test in tests:
        outputs = outputs_of(test, single)
        if not isinstance(outputs, list):
            return outputs
        found.append(outputs)
    for test, outputs in zip(tests, found):
        right, got = test.right(), [out.data for out in outputs]
        if len(got) != len(right) or not all(map(same, got, right)):
            known = [mistake for mistake, gives in slips if all(gave(gives, t, o) for t, o in zip(tests, found))]
            return wrong(
                "The output is not right." if len(right) == 1 else "The outputs are not right.",
                case=described(test),
                rows=rows_of(right, got),
                graph=outputs[0] if graphs else None,
                mistakes=known[:2],
            )
    for test, outputs in zip(tests, found):
        if (fault := gradients_fault(test, outputs)) is not None:
            return fault
    return None


def rows_of(right, got):
    """(what, expected, got) for outputs."""
    if len(right) == len(got) == 1:
        return [("output", right[0], got[0])]
    if len(right) != len(got):
        return [("outputs", str(len(right)), str(len(got)))]
    return [(f"output {j}", r, g) for j, (r, g) in enumerate(zip(right, got), start=1) if not same(g, r)]


def described(test):
    """A Trial as Python, with the numbers that were set where they are few."""
    if sum(len(layer) for layer in test.layers) > 3:
        return test.case
    lines = []
    for j, (weights, bias) in enumerate(test.numbers()[0], start=1):
        name = "its weights" if len(test.layers[0]) == 1 else f"weights of neuron {j}"
        lines.append(f"# {name}: {', '.join(f'{w:g}' for w in weights)}; bias: {bias:g}")
    return "\n".join([*lines, test.case])


def gave(gives, test, outputs):
    """Whether a mistake gives just these outputs."""
    try:
        numbers = gives(test.numbers(), test.inputs)
    except (IndexError, ValueError):
        return False
    return len(numbers) == len(outputs) and all(same(out.data, number) for out, number in zip(outputs, numbers))


NOT_PASSED_ON = about(
    "the inputs cut off",
    "Nothing comes back to the inputs. In a network they are the layer before, which would learn nothing.",
    REACHED,
)


def gradients_fault(test, outputs):
    """What is wrong with the gradients of a learner's object, as a `wrong(…)` Verdict; None if nothing is."""
    shares = [1.0, -0.5, 2.0, 0.7][: len(outputs)]
    right = test.slopes(shares)
    root = sum((share * out for share, out in zip(shares, outputs)), Value(0.0))
    with trying(test.case):
        root.backward()
    got = {name: leaf.grad for name, leaf in test.leaves()}
    got |= {f"inputs[{i}]": x.grad for i, x in enumerate(test.given) if isinstance(x, Value)}
    bad = [name for name in got if not same(got[name], right[name])]
    if not bad:
        return None
    inputs = [name for name in got if name.startswith("inputs")]
    mistakes = []
    if set(bad) == set(inputs) and not any(got[name] for name in bad):
        mistakes = [NOT_PASSED_ON]
    elif not any(got[name] for name in bad):
        mistakes = [CUT]
    rows = [(f"{name}.grad", right[name], got[name]) for name in bad[:4]]
    return wrong("The output is right. Gradients are not.", case=test.case, rows=rows, mistakes=mistakes)


# The list of parameters

NESTED = about(
    "lists inside the list", "`parameters()` is one flat list of Values: an optimiser goes over it in one loop.", LAYER
)
VALUES_COPIED = about(
    "copies of the parameters", "A new Value has the same number. Changing it leaves the network as it was.", REACHED
)
TWICE = about("a parameter twice", "Each is to stand there once, or it takes two steps where one is meant.", FOUR_TIMES)
NO_BIASES = about("the biases left out", "A bias is learned too. What is not listed is never changed.", BY_HAND)
NO_WEIGHTS = about("the weights left out", "Only biases are listed. What is not listed is never changed.", BY_HAND)
ONLY_LAST = about(
    "only the last one's", "Each turn of the loop replaced the list of the turn before. Add them up.", LAYER
)
ONLY_FIRST = about("only the first one's", "Does a `return` stand inside the loop? It ends at the first turn.", LAYER)


def parameters_fault(test):
    """What is wrong with a learner's `parameters()`, as a `wrong(…)` Verdict; None if nothing is."""
    what = f"{test.case.split('(')[0].lower()}.parameters()"
    if not callable(getattr(test.made, "parameters", None)):
        raise Trouble(f"Tested: {what}.", "There is no method `parameters`.")
    with trying(what), part_of(type(test.made)):
        found = answer(test.made.parameters(), what, (list, tuple))
    names = {leaf: name for name, leaf in test.leaves()}
    listed = [each for each in found if isinstance(each, Value)]
    kinds = {type(each) for each in found if not isinstance(each, Value)}
    if len(listed) == len(found) == len(names) and set(listed) == set(names):
        return None
    missing = {name for leaf, name in names.items() if leaf not in listed}
    rows = [("parameters()", f"{len(names)} Values", f"{len(listed)} Values")]
    mistake = None
    if kinds & {list, tuple}:
        mistake, rows = NESTED, [("parameters()", f"{len(names)} Values", f"{len(found)} items, lists among them")]
    elif kinds & {int, float}:
        mistake, rows = NUMBERS, [("parameters()", f"{len(names)} Values", "plain numbers")]
    elif kinds:
        raise Trouble(f"Tested: {what}.", f"A list of Values was expected; in it there is {kind(found[0])}.")
    elif len(set(listed)) < len(listed):
        mistake = TWICE
    elif any(leaf not in names for leaf in listed):
        mistake = VALUES_COPIED
        rows = [("parameters()", "the Values that it computes with", "other Values")]
    elif missing:
        mistake = missing_of(missing, list(names.values()))
    return wrong("The list of parameters is not right.", case=what, rows=rows, mistakes=[mistake] if mistake else [])


def missing_of(missing, names):
    """The Mistake that leaves out just these parameters; None if there is none."""
    biases = {name for name in names if name.endswith("bias")}
    owners = list(dict.fromkeys(name.split(".")[0] for name in names if "." in name))
    left = list(dict.fromkeys(name.split(".")[0] for name in names if name not in missing and "." in name))
    if missing == biases:
        return NO_BIASES
    if missing == set(names) - biases:
        return NO_WEIGHTS
    if owners and left == owners[-1:]:
        return ONLY_LAST
    return ONLY_FIRST if owners and left == owners[:1] else None


# Exercise 1: a neuron


def dot(w, x):
    """The sum of products."""
    return sum(map(float.__mul__, map(float, w), map(float, x)))


def on_neuron(gives):
    """A slip of a neuron, from its weights, inputs and bias, as a slip of a Trial's numbers."""
    return lambda layers, inputs: [gives(layers[0][0][0], inputs, layers[0][0][1])]


NEURON_SLIPS = tuple(
    (mistake, on_neuron(gives))
    for mistake, gives in (
        (
            about("the tanh left out", "That is the weighted sum. The neuron's output is its tanh.", BY_HAND),
            lambda w, x, b: dot(w, x) + b,
        ),
        (
            about("the bias left out", "That is tanh(w·x). The bias belongs to the sum, before the tanh.", BY_HAND),
            lambda w, x, b: math.tanh(dot(w, x)),
        ),
        (
            about("a bias for each input", "The bias is in the sum once for each input. It is added once.", BY_HAND),
            lambda w, x, b: math.tanh(dot(w, x) + len(w) * b),
        ),
        (
            about("the bias twice", "The sum starts at the bias, and the bias is added again.", BY_HAND),
            lambda w, x, b: math.tanh(dot(w, x) + 2 * b),
        ),
        (
            about("the bias after the tanh", "tanh takes the whole sum, bias included.", BY_HAND),
            lambda w, x, b: math.tanh(dot(w, x)) + b,
        ),
        (
            about("a tanh for each product", "The products are summed first. There is one tanh, of the sum.", BY_HAND),
            lambda w, x, b: sum(math.tanh(wi * xi) for wi, xi in zip(w, x)) + b,
        ),
        (
            about("a tanh at every step", "The tanh stands inside the loop. It comes once, after the loop.", BY_HAND),
            lambda w, x, b: functools.reduce(lambda t, pair: math.tanh(t + pair[0] * pair[1]), zip(w, x), b),
        ),
        (
            about("w + x for w · x", "A weight scales its input: it multiplies.", BY_HAND),
            lambda w, x, b: math.tanh(sum(w) + sum(x) + b),
        ),
        (
            about("only the first input", "Does a `return` stand inside the loop? It ends at the first turn.", BY_HAND),
            lambda w, x, b: math.tanh(w[0] * x[0] + b),
        ),
        (
            about("only the last input", "Each turn of the loop begins the sum anew: = where += is meant.", BY_HAND),
            lambda w, x, b: math.tanh(w[-1] * x[-1] + b),
        ),
        (
            about("sum times sum", "That multiplies the sum of the weights by that of the inputs. Pair them.", BY_HAND),
            lambda w, x, b: math.tanh(sum(w) * sum(x) + b),
        ),
        (
            about("the inputs left out", "That adds up the weights alone. Each is multiplied by its input.", BY_HAND),
            lambda w, x, b: math.tanh(sum(w) + b),
        ),
        (
            about("another activation", "That is the sigmoid of the sum. Here tanh is asked.", BY_HAND),
            lambda w, x, b: 1 / (1 + math.exp(-dot(w, x) - b)),
        ),
        (
            about("another activation", "That is relu of the sum. Here tanh is asked.", BY_HAND),
            lambda w, x, b: max(0.0, dot(w, x) + b),
        ),
    )
)

ALL_EQUAL = about("all weights equal", "Neurons that start equal stay equal: four then do the work of one.", RANDOM)
ALL_ALIKE = about(
    "each neuron the same", "Every neuron starts with the same weights. Is a seed set inside `__init__`?", RANDOM
)
POSITIVE = about(
    "never negative", "`random.random()` draws from 0 to 1. `random.uniform(-1, 1)` has both signs.", RANDOM
)


def draws_fault(Neuron):
    """What is wrong with how weights are drawn, as a `wrong(…)` Verdict; None if nothing is."""
    drawn = [[w.data for w in built(Neuron, 3).weights] for _ in range(20)]
    case, every = "[Neuron(3).weights for _ in range(20)]", list(itertools.chain(*drawn))
    if not all(map(math.isfinite, every)):
        return wrong("A weight is not a finite number.", case=case)
    if len(set(every)) == 1:
        return wrong("All weights are the same number.", case=case, mistakes=[ALL_EQUAL])
    if all(len(set(one)) == 1 for one in drawn):
        return wrong("The weights of a neuron are one number.", case=case, mistakes=[ALL_EQUAL])
    if all(one == drawn[0] for one in drawn):
        return wrong("Twenty neurons have the same weights.", case=case, mistakes=[ALL_ALIKE])
    if min(every) < -1 or max(every) > 1:
        far = max(every, key=abs)
        return wrong(f"Weights are to lie between -1 and 1; one of 60 is {far:.4g}.", case=case)
    if min(every) >= 0 or max(every) <= 0:
        return wrong("None of 60 weights has the other sign.", case=case, mistakes=[POSITIVE])
    return None


@exercise
def neuron(Neuron):
    """`Neuron(n)` is tanh of a weighted sum of n inputs, with random parameters that get their gradients."""
    is_class(Neuron, "Neuron")
    rng, tests = random.Random(8), []
    with same_luck():
        for n in (2, 3, 1, 4, 2, 5, 3, 2, 6, 4):
            made, what = built(Neuron, n), code(Neuron, n)
            parts = parts_of(made, what)
            if not isinstance(parts, Parts):
                return parts
            if len(parts.weights) != n:
                rows = [("weights", str(n), str(len(parts.weights)))]
                known = [BIAS_AMONG] if len(parts.weights) == n + 1 else []
                return wrong("The number of weights is not right.", case=what, rows=rows, mistakes=known)
            tests.append(trial(made, [[parts]], rng, what))
        fault = first(
            lambda: draws_fault(Neuron),
            lambda: answers_fault(tests, NEURON_SLIPS, True, graphs=True),
            *(functools.partial(parameters_fault, test) for test in tests),
        )
    if fault is not None:
        return fault
    return f"Right for {len(tests)} neurons of 1 to 6 inputs; every parameter and every input gets its gradient."


def first(*looks):
    """The first fault that one of these functions finds; None if none does."""
    return next((fault for look in looks if (fault := look()) is not None), None)


# Exercise 2: a layer

SWAPPED = about("the sizes swapped", "It has a neuron for each input. The second size says how many neurons.", LAYER)
ONE_NEURON = about(
    "one neuron, several times",
    "`[Neuron(…)] * n` makes one neuron and lists it n times: the same weights everywhere.",
    FOUR_TIMES,
)
NEURON_FIRST = (
    "Asked one by one, the neurons it is made of do not give the tanh of their weighted sums. In this check `Neuron` "
    "makes right ones, unless your cell has a class `Neuron` itself."
)


def one_each(layers, inputs):
    """Each neuron reads one input."""
    return [math.tanh(weights[0] * x + bias) for (weights, bias), x in zip(layers[0], inputs)]


def chained(layers, inputs):
    """Each neuron reads the output of the one before."""
    outputs, read = [], inputs
    for neuron in layers[0]:
        read = respond([[neuron]], read, strict=False)[-1]
        outputs += read
    return outputs


LAYER_SLIPS = (
    (
        about("one input each", "Neuron j was given input j alone. Every neuron reads all the inputs.", LAYER),
        one_each,
    ),
    (
        about("one after the other", "Each neuron was given the output of the neuron before it.", LAYER),
        chained,
    ),
    (
        about("only the first neuron", "Does a `return` stand inside the loop? It ends at the first turn.", LAYER),
        lambda layers, inputs: respond(layers, inputs)[-1][:1],
    ),
    (
        about("only the last neuron", "Each turn of the loop replaced the output before. Collect them.", LAYER),
        lambda layers, inputs: respond(layers, inputs)[-1][-1:],
    ),
    (
        about("the outputs added up", "A layer keeps its outputs apart. The next layer's neurons add them up.", LAYER),
        lambda layers, inputs: [sum(respond(layers, inputs)[-1])],
    ),
    (
        about("the order turned round", "Output j is to be that of neuron j.", LAYER),
        lambda layers, inputs: respond(layers, inputs)[-1][::-1],
    ),
    (
        about("tanh twice", "The neurons have taken the tanh already.", LAYER),
        lambda layers, inputs: [math.tanh(out) for out in respond(layers, inputs)[-1]],
    ),
)


def neurons_of(made, what):
    """The Parts of each neuron of a learner's layer, or a `wrong(…)` Verdict."""
    found = []
    neurons = attribute(made, "neurons", what, "neurons")
    for neuron in neurons:
        if isinstance(neuron, Value | int | float | list):
            raise Trouble(f"Tested: {what}.", f"`neurons` should hold neurons; in it there is {kind(neuron)}.")
        parts = parts_of(neuron, what)
        if not isinstance(parts, Parts):
            return parts
        found.append(parts)
    if len({id(neuron) for neuron in neurons}) < len(neurons) or len({parts.bias for parts in found}) < len(found):
        rows = [("different neurons", str(len(neurons)), str(len({parts.bias for parts in found})))]
        return wrong("It has the same neuron more than once.", case=what, rows=rows, mistakes=[ONE_NEURON])
    return found


def neurons_answer(layer, parts, rng):
    """Whether each neuron of a layer, asked by itself, gives tanh of its weighted sum."""
    test = trial(None, [parts], rng, "")
    found = [neuron(test.inputs) for neuron in layer.neurons]
    return all(isinstance(out, Value) and same(out.data, right) for out, right in zip(found, test.right()))


@exercise
def layer(Layer):
    """`Layer(n, m)` holds m neurons that all read the same n inputs, and answers with a list."""
    is_class(Layer, "Layer")
    rng, tests = random.Random(8), []
    with same_luck():
        for n, m in ((2, 3), (3, 2), (2, 1), (1, 4), (4, 2), (5, 3), (3, 4)):
            made, what = built(Layer, n, m), code(Layer, n, m)
            parts = neurons_of(made, what)
            if not isinstance(parts, list):
                return parts
            shape = [len(each.weights) for each in parts]
            if shape != [n] * m:
                known = [SWAPPED] if shape == [m] * n else []
                rows = [("neurons", str(m), str(len(parts)))] if len(parts) != m else []
                rows += (
                    [("weights of each", str(n), ", ".join(map(str, sorted(set(shape)))))] if set(shape) != {n} else []
                )
                return wrong("Its neurons are not those asked for.", case=what, rows=rows, mistakes=known)
            with trying(what), part_of(Layer):
                if not neurons_answer(made, parts, rng):
                    return wrong(NEURON_FIRST, case=f"{what}.neurons[0](inputs)")
            tests.append(trial(made, [parts], rng, what))
        fault = first(
            lambda: answers_fault(tests, LAYER_SLIPS, False),
            *(functools.partial(parameters_fault, test) for test in tests),
        )
    if fault is not None:
        return fault
    return f"Right for {len(tests)} layers. A layer of m neurons that reads n numbers has (n + 1) · m parameters."


# Exercise 3: an MLP


def pairs(n_inputs, sizes):
    """(reads, neurons) of each layer."""
    return list(itertools.pairwise([n_inputs, *sizes]))


SHAPE_SLIPS = (
    (
        about("the first layer left out", "The pairs begin with the inputs: the first layer reads them.", NETWORK),
        lambda n, sizes: pairs(sizes[0], sizes[1:]),
    ),
    (
        about(
            "every layer reads the inputs' number",
            "A layer reads what the layer before gives. `zip` stops at the shorter list and hides it.",
            NETWORK,
        ),
        lambda n, sizes: [(n, m) for m in sizes],
    ),
    (
        about("the inputs taken as a layer", "Inputs are numbers that come in. No neuron computes them.", NETWORK),
        lambda n, sizes: [(n, n), *pairs(n, sizes)],
    ),
    (
        about("the sizes swapped", "`Layer` takes first what it reads, then how many neurons it has.", LAYER),
        lambda n, sizes: [(m, k) for k, m in pairs(n, sizes)],
    ),
    (
        about("the last layer left out", "The last pair is missing: there are as many layers as sizes.", NETWORK),
        lambda n, sizes: pairs(n, sizes)[:-1],
    ),
    (
        about("as many reads as neurons", "Each layer reads its own number. It reads the layer before.", NETWORK),
        lambda n, sizes: [(m, m) for m in sizes],
    ),
)

MLP_SLIPS = (
    (
        about(
            "every layer reads the inputs",
            "The last layer was given the network's inputs. It reads the outputs of the layer before.",
            NETWORK,
        ),
        lambda layers, inputs: respond(layers[-1:], inputs, strict=False)[-1],
    ),
    (
        about("only the first layer", "Does a `return` stand inside the loop? It ends at the first layer.", NETWORK),
        lambda layers, inputs: respond(layers[:1], inputs)[-1],
    ),
    (
        about("from the last layer to the first", "The layers ran the wrong way round.", NETWORK),
        lambda layers, inputs: respond(layers[::-1], inputs, strict=False)[-1],
    ),
    (
        about("no tanh at the end", "The last layer gives its weighted sum. Here every neuron has its tanh.", NETWORK),
        lambda layers, inputs: respond(layers, inputs, last="linear")[-1],
    ),
    (
        about("tanh once more", "The neurons of the last layer have taken the tanh already.", NETWORK),
        lambda layers, inputs: [math.tanh(out) for out in respond(layers, inputs)[-1]],
    ),
    (
        about("the outputs of all layers", "Only the last layer's outputs are the network's.", NETWORK),
        lambda layers, inputs: [out for outputs in respond(layers, inputs)[1:] for out in outputs],
    ),
    (
        about("the last layer left out", "That is what the last layer reads.", NETWORK),
        lambda layers, inputs: respond(layers[:-1], inputs)[-1],
    ),
)
ONE_LAYER = about(
    "one layer, several times",
    "Layers of the same size are still different layers, with weights of their own.",
    FOUR_TIMES,
)


@exercise
def mlp(MLP):
    """`MLP(n, sizes)` is a chain of layers, each of which reads the outputs of the one before."""
    is_class(MLP, "MLP")
    rng, tests = random.Random(8), []
    with same_luck():
        for n, sizes in ((2, [4, 4, 1]), (2, [4, 1]), (3, [2, 5, 2]), (1, [3, 2]), (4, [3]), (3, [2, 2, 2, 1])):
            made, what = built(MLP, n, sizes), code(MLP, n, sizes)
            layers = attribute(made, "layers", what, "layers")
            parts = [neurons_of(each, what) for each in layers]
            if (fault := next((each for each in parts if not isinstance(each, list)), None)) is not None:
                return fault
            shape = [(len(each[0].weights) if each else 0, len(each)) for each in parts]
            if shape != pairs(n, sizes):
                known = [mistake for mistake, gives in SHAPE_SLIPS if gives(n, sizes) == shape]
                rows = [("layers, as (reads, neurons)", str(pairs(n, sizes))[1:-1], str(shape)[1:-1] or "none")]
                return wrong("Its layers are not those asked for.", case=what, rows=rows, mistakes=known[:2])
            if len({each.bias for layer in parts for each in layer}) < sum(sizes):
                return wrong("It has the same layer more than once.", case=what, mistakes=[ONE_LAYER])
            if not linear_end(made):
                with trying(what), part_of(MLP):
                    if not all(neurons_answer(each, of, rng) for each, of in zip(layers, parts)):
                        return wrong(NEURON_FIRST, case=f"{what}.layers[0].neurons[0](inputs)")
                    if not all(layer_answers(each, of, rng) for each, of in zip(layers, parts)):
                        return wrong(LAYER_FIRST, case=f"{what}.layers[0](inputs)")
            tests.append(trial(made, parts, rng, what))
        fault = first(
            lambda: answers_fault(tests, MLP_SLIPS, True),
            *(functools.partial(parameters_fault, test) for test in tests),
        )
    if fault is not None:
        return fault
    count = len(list(tests[0].leaves()))
    return f"Right for {len(tests)} networks. MLP(2, [4, 4, 1]) has {count} parameters, and each gets its gradient."


LAYER_FIRST = (
    "Asked one by one, the layers it is made of do not give what their neurons give. In this check `Layer` makes right "
    "ones, unless your cell has a class `Layer` itself."
)


def layer_answers(layer, parts, rng):
    """Whether a layer, asked by itself, gives a list of what its neurons give."""
    test = trial(None, [parts], rng, "")
    found, right = layer(test.inputs), test.right()
    return isinstance(found, list | tuple) and len(found) == len(right) and all(map(same, map(float, found), right))


def linear_end(made):
    """Whether the last layer of a network is made of autograd's neurons without an activation."""
    return all(getattr(neuron, "activation", "") == "linear" for neuron in made.layers[-1].neurons)


# Exercise 4: the count


def weights_of(sizes):
    """How many weights."""
    return sum(n * m for n, m in itertools.pairwise(sizes))


COUNT_SLIPS = (
    (
        about("the biases left out", "Those are the weights. Each neuron has a bias as well.", NETWORK),
        weights_of,
    ),
    (
        about("a bias for each input too", "Inputs are numbers that come in, no neurons: they have no bias.", NETWORK),
        lambda sizes: weights_of(sizes) + sum(sizes),
    ),
    (
        about("one bias a layer", "Each neuron has a bias of its own, not each layer.", NETWORK),
        lambda sizes: weights_of(sizes) + len(sizes) - 1,
    ),
    (
        about(
            "the + 1 on the wrong side",
            "n · (m + 1) adds one for each number that is read. The bias belongs to the neuron: (n + 1) · m.",
            NETWORK,
        ),
        lambda sizes: sum(n * (m + 1) for n, m in itertools.pairwise(sizes)),
    ),
    (
        about("+ 1 on both sides", "The + 1 stands for the bias of a neuron. The number of neurons is m.", NETWORK),
        lambda sizes: sum((n + 1) * (m + 1) for n, m in itertools.pairwise(sizes)),
    ),
    (
        about("the last layer left out", "There is a pair of neighbours for each layer, the last included.", NETWORK),
        lambda sizes: sum((n + 1) * m for n, m in itertools.pairwise(sizes[:-1])),
    ),
    (
        about("the first layer left out", "The pairs begin with the inputs: the first layer reads them.", NETWORK),
        lambda sizes: sum((n + 1) * m for n, m in itertools.pairwise(sizes[1:])),
    ),
    (
        about(
            "every layer reads the inputs",
            "A layer reads the layer before: as many numbers as that has neurons.",
            NETWORK,
        ),
        lambda sizes: sum((sizes[0] + 1) * m for m in sizes[1:]),
    ),
    (
        about("the inputs taken as a layer", "That adds a layer of neurons for the inputs themselves.", NETWORK),
        lambda sizes: sum((n + 1) * m for n, m in itertools.pairwise([sizes[0], *sizes])),
    ),
    (
        about("neurons counted", "That is the number of neurons. Each has several parameters.", NETWORK),
        lambda sizes: sum(sizes[1:]),
    ),
    (
        about("units counted", "That adds up the sizes. A neuron has a weight for each number it reads.", NETWORK),
        sum,
    ),
    (
        about("all sizes multiplied", "Layers are counted one by one, and the counts are added.", NETWORK),
        math.prod,
    ),
    (
        about("only the first pair", "Does a `return` stand inside the loop? It ends at the first layer.", NETWORK),
        lambda sizes: (sizes[0] + 1) * sizes[1],
    ),
    (
        about("only the last pair", "Each turn of the loop replaced the count before: = where += is meant.", NETWORK),
        lambda sizes: (sizes[-2] + 1) * sizes[-1],
    ),
)


def parameters_counted(sizes):
    """How many parameters there are, counted one by one."""
    return sum(len([*range(n), "bias"]) for n, m in itertools.pairwise(sizes) for _ in range(m))


def some_sizes(rng):
    """Random sizes of a network, inputs first."""
    return [rng.randint(1, 9) for _ in range(rng.randint(2, 6))]


@exercise
def count_parameters(count_parameters):
    """`count_parameters(sizes)` is the number of weights and biases of an MLP with these sizes, inputs first."""
    rng = random.Random(8)
    tests = [
        [2, 4, 4, 1],
        [2, 4, 1],
        [3, 1],
        *(some_sizes(rng) for _ in range(9)),
    ]
    found = [called(count_parameters, list(sizes), what=f"count_parameters({sizes})") for sizes in tests]
    right = [parameters_counted(sizes) for sizes in tests]
    failing = next((i for i, (one, other) in enumerate(zip(found, right)) if one != other), None)
    if failing is None:
        many = parameters_counted([784, 100, 10])
        return f"Right for {len(tests)} networks. Sizes of 784, 100 and 10 come to {many:,} parameters."
    known = [m for m, gives in COUNT_SLIPS if all(gives(sizes) == one for sizes, one in zip(tests, found))]
    return wrong(
        f"The count is not right (test {failing + 1} of {len(tests)}).",
        case=f"count_parameters({tests[failing]})",
        rows=[("parameters", str(right[failing]), f"{found[failing]:.10g}")],
        mistakes=known[:2],
    )
