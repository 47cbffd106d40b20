"""The checks of lesson 08: right answers in any form pass, wrong ones of other kinds than the known do not."""

import collections
import fractions
import functools
import itertools
import math
import random
import re

import numpy as np
import pytest

import autograd
from autograd import Value, topological_order
from exercises.engine_file import cells, check
from exercises.lessons.lesson_08 import shared, tried
from exercises.lessons.lesson_08.count_parameters import check as count_parameters_check
from exercises.lessons.lesson_08.mlp import check as mlp_check
from exercises.lessons.lesson_08.reach_all import check as reach_all_check
from exercises.sandbox import guard
from exercises.shelf import library
from exercises.verdicts.verdict import MENDED, NOT_YET, WRONG

NAMES = ("neuron", "layer", "mlp", "count_parameters", "reach_all")
GIVEN = {"Value": Value, "random": random, "math": math, "autograd": autograd, "np": np, "collections": collections}


def put_in(code, names, cell):
    """Run the code of a cell with this file name: what it defines is told from what others do, as in a notebook."""
    exec(compile(code, cell, "exec"), names)


@functools.cache
def solved():
    """The names that all solutions define together."""
    names = dict(GIVEN)
    for name in NAMES:
        put_in(library.solution(name).code, names, f"<the cell of {name}>")
    return names


def checked(name, names):
    """The Verdict on what a cell defines."""
    exercise = getattr(check, name)
    return exercise(*(names[each] for each in exercise.takes))


def changed(name, *swaps):
    """The Verdict on a solution in which some text is replaced, all other exercises being solved."""
    code = library.solution(name).code
    for old, new in swaps:
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    names = dict(solved())
    put_in(code, names, cells.known_as(code, name))
    return checked(name, names)


def causes(verdict):
    """The names of known mistakes that a verdict calls the cause."""
    return [mistake.name for mistake in verdict.mistakes if verdict.is_whole and verdict.lead != MENDED]


def lines(*code):
    """Lines of a method."""
    return "\n        ".join(code)


def test_a_check_leaves_the_luck_of_the_notebook_alone():
    random.seed(3)
    expected = random.random()
    random.seed(3)
    for name in NAMES:
        checked(name, solved())
    assert random.random() == expected


# Right in an unusual way

WEIGHTS = "self.weights = [Value(random.uniform(-1, 1)) for _ in range(n_inputs)]"
BIAS = "self.bias = Value(random.uniform(-1, 1))"
BEGIN, PRODUCT, RETURN = "total = self.bias", "total = total + w * x", "return total.tanh()"
SUM = lines("total = self.bias", "for w, x in zip(self.weights, inputs):", "    total = total + w * x", RETURN)
LISTED = "return [*self.weights, self.bias]"
NEURONS = "self.neurons = [Neuron(n_inputs) for _ in range(n_outputs)]"
CALL = "return [neuron(inputs) for neuron in self.neurons]"
FLAT = "return [p for neuron in self.neurons for p in neuron.parameters()]"
READS, LAYERS = "reads = [n_inputs, *sizes]", "[Layer(n, m) for n, m in zip(reads, sizes)]"
END = "return inputs[0] if len(inputs) == 1 else inputs"
RUN = lines("for layer in self.layers:", "    inputs = layer(inputs)", END)
FLAT_LAYERS = "return [p for layer in self.layers for p in layer.parameters()]"

PROPERTIES = """

    @property
    def weights(self):
        return self.all[1:]

    @property
    def bias(self):
        return self.all[0]"""
RIGHT = [
    ("neuron", (SUM, "return autograd.weighted_sum(self.weights, inputs, self.bias).tanh()")),
    ("neuron", (LISTED, "return (self.bias, *self.weights)")),
    (
        "neuron",
        *((line, line.replace("random.uniform(-1, 1)", "round(random.uniform(-1, 1), 2)")) for line in (WEIGHTS, BIAS)),
    ),
    ("neuron", (WEIGHTS, "self.weights = [Value(x) for x in np.random.default_rng().uniform(-1, 1, n_inputs)]")),
    ("neuron", (WEIGHTS, "self.weights = tuple(Value(2 * random.random() - 1) for _ in range(n_inputs))")),
    ("neuron", (WEIGHTS, "self.weights = np.array([Value(random.uniform(-1, 1)) for _ in range(n_inputs)])")),
    ("neuron", (WEIGHTS, f"{WEIGHTS}\n        self.weights = collections.deque(self.weights)")),
    (
        "neuron",
        (WEIGHTS, "self.all = [Value(random.uniform(-1, 1)) for _ in range(n_inputs + 1)]"),
        (BIAS, "pass"),
        (LISTED, f"return self.all{PROPERTIES}"),
    ),
    ("neuron", (RETURN, lines("self.inputs, self.out = inputs, total.tanh()", "return self.out"))),
    ("neuron", (RETURN, "return 1 - 2 / ((2 * total).exp() + 1)")),
    ("neuron", (RETURN, "return total.tanh() + 1e-12")),
    ("neuron", ("    def __init__", "    __slots__ = ('weights', 'bias')\n\n    def __init__")),
    ("layer", (CALL, "return tuple(map(lambda neuron: neuron(inputs), self.neurons))")),
    ("layer", (CALL, lines("inputs = inputs[:]", CALL))),
    ("layer", (FLAT, "return sum((neuron.parameters() for neuron in self.neurons), [])")),
    ("layer", ("Neuron(n_inputs)", "autograd.Neuron(n_inputs)")),
    ("layer", ("class Layer:", "class Layer(autograd.Module):")),
    ("mlp", ("Layer(n, m)", "autograd.Layer(n, m)")),
    ("mlp", (END, "return inputs[0] if len(inputs) == 1 else tuple(inputs)")),
    ("mlp", (RUN, lines("self.outputs = []", RUN.replace(END, "    self.outputs.append(inputs)"), END))),
    ("mlp", (FLAT_LAYERS, "return [p for layer in self.layers[::-1] for p in layer.parameters()]")),
    ("mlp", (READS, lines("MLP.last_sizes = sizes", READS))),
]


@pytest.mark.parametrize("name, swaps", [(name, swaps) for name, *swaps in RIGHT])
def test_right_in_an_unusual_way_passes(name, swaps):
    assert changed(name, *swaps), changed(name, *swaps)


def test_a_network_of_nested_sums_passes():
    class Chain:
        def __init__(self, n_inputs, sizes):
            self.layers = []
            for size in sizes:
                self.layers.append(solved()["Layer"](n_inputs, size))
                n_inputs = size

        def __call__(self, inputs):
            found = functools.reduce(lambda read, layer: layer(read), self.layers, inputs)
            return found if len(found) > 1 else found[0]

        def parameters(self):
            return tuple(itertools.chain.from_iterable(layer.parameters() for layer in self.layers[::-1]))

    assert check.mlp(Chain), check.mlp(Chain)


def by_recursion(sizes):
    return 0 if len(sizes) < 2 else (sizes[0] + 1) * sizes[1] + by_recursion(sizes[1:])


@pytest.mark.parametrize(
    "count",
    [
        by_recursion,
        lambda s: float(sum(n * m for n, m in itertools.pairwise(s)) + sum(s[1:])),
        lambda s: len(autograd.MLP(s[0], s[1:]).parameters()),
        lambda s: (np.array([n + 1 for n in s[:-1]]) * np.array(s[1:])).sum(),
        lambda s: fractions.Fraction(by_recursion(s)),
        lambda s: sum(1 for n, m in itertools.pairwise(s) for _ in range(m) for _ in range(n + 1)),
    ],
)
def test_any_way_of_counting_passes(count):
    assert check.count_parameters(count)


@pytest.mark.parametrize(
    "places, term, cause",
    [
        ("len(sizes) - 1", "sizes[k] * sizes[k + 1]", "the biases left out"),
        ("len(sizes) - 1", "(sizes[0] + 1) * sizes[k + 1]", "every layer reads the inputs"),
        ("len(sizes)", "(sizes[k] + 1) * sizes[k + 1]", "an index too far"),
        ("len(sizes) - 2", "(sizes[k] + 1) * sizes[k + 1]", "the last layer left out"),
    ],
)
def test_a_count_by_places_is_known_as_one_by_pairs(places, term, cause):
    code = (
        f"def count_parameters(sizes):\n    n = 0\n    for k in range({places}):\n        n += {term}\n    return n\n"
    )
    verdict = check.count_parameters(*check.count_parameters.answers(code))
    assert causes(verdict) == [cause], verdict


def as_a_set(parameters, loss):
    """A right `unreached` that leaves the order to a set."""
    for node in [*parameters, *autograd.topological_order(loss)]:
        node.grad = 0
    loss.backward(reset="nothing")
    return {p.label for p in parameters if not p.grad}


def as_a_generator(parameters, loss):
    """A right `unreached` that yields, after a pass by hand."""
    for p in parameters:
        p.grad = 0.0
    loss.backward()
    for p in parameters:
        if p.grad == 0:
            yield p.label


def by_identity(parameters, loss):
    """A right `left_out` that walks the graph itself."""
    listed, seen, found = {id(p) for p in parameters}, set(), []

    def walk(node):
        if id(node) not in seen:
            seen.add(id(node))
            if node._op == "" and node.label != "" and id(node) not in listed:
                found.append(node.label)
            for input in node._prev:
                walk(input)

    walk(loss)
    return np.array(found)


def by_an_optimizer(parameters, loss):
    """A right `unreached` that leaves the zeros to an optimizer, which takes no empty list."""
    autograd.SGD(parameters, lr=0.1).zero_grad()
    loss.backward()
    return [p.label for p in parameters if p.grad == 0]


@pytest.mark.parametrize("unreached", [as_a_set, as_a_generator, by_an_optimizer])
def test_other_ways_to_search_pass(unreached):
    assert check.reach_all(unreached, by_identity), check.reach_all(unreached, by_identity)


# Wrong in other ways than the known

FRESH = [  # exercise, the cause that is named, or "" for none, what stands instead
    ("neuron", "", (RETURN, "return total.tanh() + 1e-3")),
    ("neuron", "", (RETURN, "return total.tanh() * 0.5")),
    ("neuron", "", (PRODUCT, "total = total + w * x if w.data else total")),
    ("neuron", "", (PRODUCT, "total = total + (w * x if float(x) else 0)")),
    ("neuron", "", (PRODUCT, "total = total + (x if w.data == 1 else w * x)")),
    ("neuron", "", (PRODUCT, "total = total + (w if float(x) == 1 else w * x)")),
    ("neuron", "", (BEGIN, "total = self.bias if self.bias.data else 0")),
    ("neuron", "", (PRODUCT, lines(PRODUCT, "    x = x if isinstance(x, int | float) else setattr(x, 'data', 0)"))),
    ("neuron", "", ("zip(self.weights, inputs)", "zip(self.weights[:6], inputs)")),
    ("neuron", "", (RETURN, "return total.tanh() if abs(total.data) < 3 else Value(1.0 if total.data > 0 else -1.0)")),
    ("neuron", "", (BEGIN, lines("for w in self.weights:", "    w.data = max(-0.5, min(0.5, w.data))", BEGIN))),
    ("neuron", "cut off from the graph", (PRODUCT, "total = total + Value(w.data * float(x))")),
    (
        "neuron",
        "cut off from the graph",
        (
            RETURN,
            lines(
                "self.out = getattr(self, 'out', Value(0))", "self.out.data = math.tanh(total.data)", "return self.out"
            ),
        ),
    ),
    ("neuron", "all weights equal", (WEIGHTS, WEIGHTS.replace("random.uniform(-1, 1)", "int(random.uniform(-1, 1))"))),
    ("neuron", "the bias drawn otherwise", (BIAS, "self.bias = Value(random.uniform(-3, 3))")),
    ("neuron", "the bias drawn otherwise", (BIAS, "self.bias = Value(random.choice([-1, -0.5, 0.5, 1]))")),
    ("neuron", "the bias not drawn", (BIAS, "self.bias = Value(0.0)")),
    ("neuron", "the bias not drawn", (BIAS, "self.bias = Value(-0.3)")),
    ("neuron", "the bias taken from a weight", (BIAS, "self.bias = Value(self.weights[0].data)")),
    ("neuron", "the bias taken from a weight", (BIAS, "self.bias = -1 * Value(random.choice(self.weights).data)")),
    ("neuron", "the tanh left out, and the biases left out", (RETURN, "return total"), (LISTED, "return self.weights")),
    ("neuron", "", (BEGIN, "total = 0"), (RETURN, "return [total.tanh()]")),
    ("layer", "", (NEURONS, "self.neurons = (Neuron(n_inputs) for _ in range(n_outputs))")),
    ("layer", "", (NEURONS, "self.neurons = n_outputs")),
    ("layer", "", (NEURONS, lines(NEURONS, "for neuron in self.neurons:", "    neuron.bias = self.neurons[0].bias"))),
    ("layer", "", (CALL, "return {neuron(inputs) for neuron in self.neurons}")),
    ("layer", "", (CALL, "return [neuron(inputs) + neuron(inputs) for neuron in self.neurons]")),
    ("layer", "", (CALL, "return sorted((neuron(inputs) for neuron in self.neurons), key=float)")),
    ("layer", "", (FLAT, "return {p for neuron in self.neurons for p in neuron.parameters()}")),
    ("layer", "", (FLAT, "return [neuron.parameters for neuron in self.neurons]")),
    ("layer", "", (CALL, lines("self.out = getattr(self, 'out', [])", f"self.out[:] = {CALL[7:]}", "return self.out"))),
    ("layer", "a parameter twice", (FLAT, "return self.neurons[0].parameters() * len(self.neurons)")),
    ("mlp", "", (LAYERS, f"{LAYERS}[:2]")),
    ("mlp", "", (LAYERS, "[Layer(n, m) for n, m in set(zip(reads, sizes))]")),
    ("mlp", "", (END, lines("inputs = [x.relu() for x in inputs]", END))),
    ("mlp", "", ("inputs = layer(inputs)", "inputs = inputs + layer(inputs)")),
    ("mlp", "", ("for layer in self.layers:\n", "for layer in self.layers * 2:\n")),
    ("mlp", "", (END, "return inputs[0] if any(len(layer.neurons) == 1 for layer in self.layers) else inputs")),
    (
        "mlp",
        "",
        ("self.layers = ", lines("MLP.count = len(sizes)", "self.layers = ")),
        ("for layer in self.layers:\n", "for layer in self.layers[: self.count]:\n"),
    ),
    ("mlp", "cut off from the graph", ("inputs = layer(inputs)", "inputs = [Value(float(x)) for x in layer(inputs)]")),
    (
        "mlp",
        "one list for all networks",
        ("sizes):", "sizes, layers=[]):"),
        (f"self.layers = {LAYERS}", lines(f"layers += {LAYERS}", "self.layers = layers")),
    ),
    (
        "mlp",
        "one layer, several times",
        (LAYERS, lines(LAYERS, "if sizes[:2] == [2, 2]:", "    self.layers[2] = self.layers[1]")),
    ),
    ("count_parameters", "", ("return total", "return {4: 37, 3: 17, 2: 4}.get(len(sizes), 0)")),
    ("count_parameters", "", ("return total", "return 37")),
    ("count_parameters", "", ("(n + 1) * m", "abs(n - m)")),
    ("count_parameters", "", ("return total", "return sum(n * n for n in sizes)")),
    ("count_parameters", "the biases left out, and the last layer left out", ("(n + 1)", "n"), ("[1:]", "[1:-1]")),
    ("count_parameters", "", ("    return total", "    return total + 2 * (len(sizes) % 3)")),
    ("reach_all", "one parameter is not asked", ("for p in parameters if", "for p in parameters[:-1] if")),
    ("reach_all", "old gradients", ("for p in parameters:", "for p in parameters[:-1]:")),
    ("reach_all", "one that was found is left out", ("if p.grad == 0]", "if p.grad == 0][1:]")),
    ("reach_all", "", ("[p.label for p in parameters if", "2 * [p.label for p in parameters if")),
    ("reach_all", "", ("p.grad == 0", "p.grad == 0 and p.label[0] == 'w'")),
    ("reach_all", "", ("return [leaf.label for leaf in leaves", "return [leaf.label for leaf in leaves[-1:]")),
    ("reach_all", "", ("if leaf not in parameters", "if leaf not in parameters and leaf.label[0] == 'w'")),
    ("reach_all", "", ("    loss.backward()", "    loss.backward()\n    parameters[0].label += '!'")),
    ("reach_all", "old gradients", ("p.grad = 0.0", "p.grad *= 1.0")),
    ("reach_all", "Values, not labels", ("return [p.label", "return [p")),
    (
        "reach_all",
        "those that are reached",
        ("p.grad == 0", "p.grad != 0"),
        ("return [leaf.label", "return []; [leaf.label"),
    ),
]


@pytest.mark.parametrize("name, cause, swaps", [(name, cause, swaps) for name, cause, *swaps in FRESH])
def test_a_cause_is_named_where_it_gives_everything_and_no_other(name, cause, swaps):
    verdict = changed(name, *swaps)
    assert verdict.state == WRONG and causes(verdict) == [cause][: bool(cause)], verdict


OTHER_ENGINE = "type('Value', (), {'__init__': lambda self, data: None})"
CHANGED = "It changed the list that it was given"
SAID = [
    (
        "neuron",
        "`weights[0]` should be a Value; it is a Value of another engine",
        (WEIGHTS, WEIGHTS.replace("Value", OTHER_ENGINE)),
    ),
    ("neuron", "has no `weights`. What it keeps: w, bias", ("self.weights = [", "self.w = [")),
    ("neuron", "Tested: Neuron(2)([2, 0.7]). A Value was expected; it gives a method", (RETURN, "return total.tanh")),
    ("neuron", "A list of Values was expected; it gives a generator", (LISTED, "yield self.bias")),
    ("layer", "`neurons` should be a list of neurons; it is an int", (NEURONS, "self.neurons = n_outputs")),
    ("layer", "expected 9 Values, got 3 methods", (FLAT, "return [neuron.parameters for neuron in self.neurons]")),
    (
        "layer",
        "the neurons it is made of do not give the tanh",
        ("Neuron(n_inputs)", "autograd.Neuron(n_inputs, 'relu')"),
    ),
    (
        "layer",
        "Tested: Layer(2, 3)([2, 1.5]). A Value was expected; there is a Neuron",
        (CALL, "return [neuron for neuron in self.neurons]"),
    ),
    (
        "layer",
        "Tested: Layer(2, 3)([2, 1.5]). A list of Values was expected; it gives a generator",
        (CALL, f"return ({CALL[8:-1]})"),
    ),
    ("mlp", "The class itself was expected", (FLAT_LAYERS, FLAT_LAYERS + "\n\n\nMLP = MLP(2, [1])")),
    ("mlp", "got a list of 7 numbers", ("inputs = layer(inputs)", "inputs = inputs + layer(inputs)")),
    ("reach_all", "A list of labels was expected; it returned an int", ("return [p.label", "return 3; [p.label")),
    (
        "reach_all",
        "A list of labels was expected; it returned a dict",
        ("[p.label for p in parameters if p.grad == 0]", "{}"),
    ),
    ("reach_all", "in it there is a float", ("return [p.label", "return [p.grad")),
    ("reach_all", "in it there is a tuple", ("return [leaf.label", "return [(leaf.label,)")),
    ("neuron", "It raised TypeError: ", (PRODUCT, "total = total + w * x[0]")),
    ("layer", "It raised AttributeError: ", (CALL, "return [neuron.respond(inputs) for neuron in self.neurons]")),
    ("mlp", "It raised TypeError: ", ("layer(inputs)", "layer(inputs, 1)")),
    ("count_parameters", "It raised IndexError: ", ("sizes[0]", "sizes[9]")),
    ("reach_all", "It raised ValueError", ("    return [p.label", "    raise ValueError\n    yield [p.label")),
    (
        "layer",
        CHANGED,
        (CALL, lines("first = inputs.pop(0)", "return [n([first, *inputs]) for n in self.neurons]")),
    ),
    ("mlp", CHANGED, (READS, lines("sizes.reverse()", READS))),
    ("mlp", CHANGED, ("inputs = layer(inputs)", "inputs += layer(inputs)")),
    ("count_parameters", CHANGED, ("total, n", "sizes.sort()\n    total, n")),
    ("reach_all", CHANGED, ("    return [p.label", "    del parameters[3:]\n    return [p.label")),
]


@pytest.mark.parametrize("name, said, swaps", [(name, said, swaps) for name, said, *swaps in SAID])
def test_an_answer_of_another_kind_is_told_what_it_is(name, said, swaps):
    verdict = changed(name, *swaps)
    assert verdict.state == WRONG and said in verdict.text(), verdict


def test_a_case_shows_the_calls_that_were_made():
    verdict = changed("neuron", (RETURN, "return total"))
    first, numbers, call = verdict.case.splitlines()
    assert first == "neuron = Neuron(2)" and numbers.startswith("# its weights: ") and call.startswith("neuron([")
    assert verdict.rows[0][0] == "output" and "Computation graph" in verdict.html()
    verdict = changed("neuron", (RETURN, lines("self.out = getattr(self, 'out', total.tanh())", "return self.out")))
    assert verdict.case.count("\nneuron([") == 2 and "\n[neuron.parameters() for _ in range(3)]\n" in verdict.case
    kept = ("self.layers = ", lines("MLP.layers = getattr(MLP, 'layers', [])", "self.layers += "))
    assert changed("mlp", kept).case == "MLP(2, [4, 1])\nnet = MLP(3, [2, 5, 2])"


# The parts that an answer is made of

BACKWARDS = ("in self.neurons]\n\n", "in self.neurons[::-1]]\n\n")


@pytest.mark.parametrize("name", ["neuron", "layer", "mlp"])
def test_the_courses_own_classes_are_no_answer(name):
    cls = getattr(autograd, check.__getattr__(name).takes[0])
    assert "comes from the course itself" in getattr(check, name)(cls).text()
    assert "comes from the course itself" in getattr(check, name)(type(cls.__name__, (cls,), {})).text()


@pytest.mark.parametrize("code", [library.stub("neuron"), library.solution("neuron").code.replace(".tanh()", "")])
def test_the_first_exercise_undone_or_wrong_does_not_count_in_the_others(code):
    names = dict(solved())
    put_in(code, names, "<the cell of neuron>")
    for name in ("layer", "mlp"):
        put_in(library.solution(name).code, names, f"<the cell of {name}>")
        assert checked(name, names), checked(name, names)
    assert names["Neuron"].__call__.__code__.co_filename == "<the cell of neuron>", "as it was, after the checks"
    put_in(library.solution("layer").code.replace(*BACKWARDS), names, "layer")
    assert checked("mlp", names), checked("mlp", names)


OVERWRITING = ("            total = total + w * x\n", "            total = total + w * x\n        inputs.clear()\n")


def test_a_part_of_the_cell_itself_that_is_missing_or_wrong_is_named():
    neuron, layer, mlp = (library.solution(name).code for name in ("neuron", "layer", "mlp"))
    wrong = neuron.replace("total.tanh()", "total")
    for name, code, said in (
        ("layer", library.stub("neuron") + layer, "Layer uses a class Neuron in which something is still"),
        ("mlp", library.stub("neuron") + layer + mlp, "MLP uses a class Neuron in which something is still missing"),
        ("layer", wrong + layer, "Asked one by one, the neurons it is made of do not"),
        ("mlp", wrong + layer + mlp, "Asked one by one, the neurons it is made of do not"),
        ("mlp", neuron + layer.replace(*BACKWARDS) + mlp, "Asked one by one, the layers it is made of do not"),
        ("layer", neuron.replace(*OVERWRITING) + layer, "a part of it asked by itself. It changed the list"),
    ):
        names = dict(solved())
        put_in(code, names, name)
        assert said in checked(name, names).text(), checked(name, names)


@pytest.mark.parametrize("name", ["neuron", "layer", "mlp"])
@pytest.mark.parametrize("method", ["__call__", "parameters"])
def test_a_method_that_is_missing_is_named(name, method):
    names = dict(solved())
    stub, code = library.stub(name).split("    def "), library.solution(name).code.split("    def ")
    parts = [old if old.startswith(method) else new for old, new in zip(stub, code)]
    put_in("    def ".join(parts), names, name)
    verdict = checked(name, names)
    assert verdict.state == NOT_YET and f"{method} is still" in verdict.text().replace("`", ""), verdict.text()


def test_the_half_that_is_missing_is_named_and_asked_for_second():
    verdict = check.reach_all(as_a_set, lambda parameters, loss: ...)
    assert verdict.state == NOT_YET and "`left_out` is still missing" in verdict.text()
    verdict = check.reach_all(lambda parameters, loss: [], lambda parameters, loss: ...)
    assert causes(verdict) == ["nothing in `unreached`"]


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    assert "loop that never ends" in changed("neuron", (RETURN, "while True: pass")).text()
    assert checked("neuron", solved())


# What the checks ask, and what they take for right

SHAPES = [
    *(tried.NEURON.shape(n) for n in (1, 2, 3, 4, 5, 8)),
    *(tried.LAYER.shape(n, m) for n, m in ((2, 3), (1, 4), (3, 3))),
    *(mlp_check.NETWORK.shape(n, sizes) for n, sizes in mlp_check.NETWORKS),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_what_is_right_is_what_autograds_networks_give(shape):
    net = autograd.MLP(shape[0][0], [m for _, m in shape], output="tanh")
    for ask in shared.asks(shape):
        for p, number in zip(net.parameters(), ask.numbers, strict=True):
            p.data, p.grad = number, 0.0
        inputs = [Value(x) for x in ask.inputs]
        assert [float(x) for x in ask.given()] == list(ask.inputs)
        outputs = net(inputs) if shape[-1][1] > 1 else [net(inputs)]
        assert [out.data for out in outputs] == pytest.approx(ask.outputs, abs=1e-12)
        shared.mixture(outputs).backward()
        assert [p.grad for p in [*net.parameters(), *inputs]] == pytest.approx(ask.slopes, abs=1e-12)


def test_the_asks_hold_whole_and_other_numbers_zeros_equal_ones_and_values_of_every_kind():
    asks = [ask for shape in SHAPES for ask in shared.asks(shape)]
    numbers, inputs = ({x for ask in asks for x in of(ask)} for of in (lambda a: a.numbers, lambda a: a.inputs))
    assert {0, 1, -1} <= numbers & inputs and any(isinstance(x, int) for x in inputs) and any(x % 1 for x in inputs)
    assert {ask.form for ask in asks} == {*shared.FORMS, "one"}
    assert any(len(set(ask.inputs)) < len(ask.inputs) for ask in asks if ask.form != "one")
    assert any(abs(out) > 0.995 for ask in asks for out in ask.outputs)
    assert any(1 in sizes[:-1] for _, sizes in mlp_check.NETWORKS)
    for shape in SHAPES:
        first, second, third, fourth = shared.asks(shape)
        assert first.numbers == second.numbers != third.numbers == fourth.numbers and first.inputs == fourth.inputs
        assert first.outputs != fourth.outputs and 0 not in first.numbers + first.inputs


def test_the_oracle_counts_as_autograds_networks_do():
    for sizes in count_parameters_check.some_sizes():
        assert count_parameters_check.parameters_counted(sizes) == len(autograd.MLP(sizes[0], sizes[1:]).parameters())
    assert count_parameters_check.parameters_counted([784, 100, 10]) == 784 * 100 + 100 + 100 * 10 + 10
    assert any(len(set(sizes)) == 1 < len(sizes) - 2 for sizes in count_parameters_check.some_sizes())


@pytest.mark.parametrize("seed", [8, 9, 10])
def test_the_models_hold_every_kind_of_fault(seed):
    models = reach_all_check.models(seed)
    assert {model.kind for model in models} == set(reach_all_check.KINDS)
    for model in models:
        parameters, loss = model.values()
        assert sorted(as_a_set(parameters, loss)) == model.unreached
        for p in parameters:
            assert p.grad == pytest.approx(model.slopes[p.label], abs=1e-12)
        unlisted = model.kind.endswith("unlisted") or model.kind in ("deep", "scaled")
        assert bool(model.left_out) == (unlisted or model.kind == "labelled copy")
        faulty = model.kind == "silent and unlisted" or not unlisted
        healthy = not faulty or model.kind in ("as it should be", "tiny", "a weight of 0")
        assert bool(model.unreached) != healthy
    assert any(0 < abs(slope) < 1e-6 for model in models for slope in model.slopes.values())


def test_the_graph_drawn_has_the_numbers_of_the_call_that_is_shown():
    """Later tests set other parameters."""
    code = library.solution("neuron").code.replace("total = self.bias", "total = 0")
    verdict = check.neuron(*check.neuron.answers(code))
    weights = [float(w) for w in re.search(r"its weights: ([-\d., ]+); bias", verdict.case)[1].split(", ")]
    leaves = [node.data for node in topological_order(verdict.graph) if not node._prev]
    assert set(weights) <= set(leaves), (weights, leaves)


def test_luck_that_changes_no_answer_is_not_blamed_for_it():
    code = (
        "class Neuron:\n    def __init__(self, n):\n"
        "        self.weights = [Value(random.uniform(-1, 1)) for _ in range(n)]\n"
        "        self.bias = Value(random.uniform(-1, 1))\n\n    def __call__(self, inputs):\n        random.random()\n"
        "        return sum((w * x for w, x in zip(self.weights, inputs)), self.bias)\n\n"
        "    def parameters(self):\n        return [*self.weights, self.bias]\n"
    )
    found = check.neuron(*check.neuron.answers(code))
    assert found.state == "wrong" and [each.name for each in found.mistakes] == ["the tanh left out"]
