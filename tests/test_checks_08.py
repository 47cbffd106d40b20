"""The checks of lesson 08: right answers of every kind pass, and each typical mistake is told what it is."""

import functools
import itertools
import math
import random
import time

import pytest

import autograd
from autograd import Value
from exercises import check, guard, library
from exercises.checks import lesson_08, lesson_08_reach
from exercises.verdict import LESSONS, Mistake
from tests import lessons

NAMES = ("neuron", "layer", "mlp", "count_parameters", "reach_all")
TAKES = {"neuron": ["Neuron"], "layer": ["Layer"], "mlp": ["MLP"], "reach_all": ["unreached", "left_out"]}
GIVEN = {"Value": Value, "random": random, "math": math, "autograd": autograd}


def put_in(code, names, cell):
    """Run the code of a cell of this name; what one cell defines is told from what others do, as in a notebook."""
    exec(compile(code, f"<the cell of {cell}>", "exec"), names)


@functools.cache
def solved():
    """The names that all solutions define together."""
    names = dict(GIVEN)
    for name in NAMES:
        put_in(library.solution(name).code, names, name)
    return names


def checked(name, names):
    """The Verdict on what a cell defines."""
    return getattr(check, name)(*(names[each] for each in TAKES.get(name, [name])))


def changed(name, *swaps):
    """The Verdict on a solution in which some text is replaced, all other exercises being solved."""
    code = library.solution(name).code
    for old, new in swaps:
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    names = dict(solved())
    put_in(code, names, name)
    return checked(name, names)


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_passes_and_takes_well_under_half_a_second(name):
    started = time.process_time()
    assert checked(name, solved()), checked(name, solved())
    assert time.process_time() - started < 1.0  # two checks


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_stub_is_not_yet(name):
    names = dict(solved())
    put_in(library.stub(name), names, name)
    verdict = checked(name, names)
    assert verdict.state == "not yet" and "not yet" in verdict.text()


@pytest.mark.parametrize("name", NAMES)
def test_hints_are_two_and_the_solution_is_the_stub_filled_in(name):
    solution = library.solution(name)
    assert len(solution.hints) == 2
    for line in library.stub(name).splitlines():
        if line.lstrip().startswith(("def ", "class ", '"""')):
            assert line in solution.code.splitlines()


def test_a_check_leaves_the_luck_of_the_notebook_alone():
    random.seed(3)
    expected = random.random()
    random.seed(3)
    for name in NAMES:
        checked(name, solved())
    assert random.random() == expected


# Neuron


def lines(*code):
    """Lines of a method."""
    return "\n        ".join(code)


class WithOneNode:
    """A right neuron made of one weighted sum."""

    def __init__(self, n_inputs):
        self.bias = Value(0)
        self.weights = tuple(Value(random.uniform(-1, 1)) for _ in range(n_inputs))

    def __call__(self, inputs):
        return autograd.weighted_sum(list(self.weights), inputs, self.bias).tanh()

    def parameters(self):
        return (self.bias, *self.weights)


class ByHand:
    """A right neuron whose tanh is made of exp."""

    def __init__(self, n_inputs):
        self.weights, self.bias = [], Value(random.uniform(-1, 1))
        for _ in range(n_inputs):
            self.weights.append(Value(2 * random.random() - 1))

    def __call__(self, inputs):
        total = sum((w * x for w, x in zip(self.weights, inputs)), self.bias)
        squared = (2 * total).exp()
        return (squared - 1) / (squared + 1)

    def parameters(self):
        return [*self.weights, self.bias]


@pytest.mark.parametrize("Neuron", [WithOneNode, ByHand])
def test_right_neurons_pass(Neuron):
    assert check.neuron(Neuron), check.neuron(Neuron)


PRODUCT = "total = total + w * x"
WEIGHTS = "self.weights = [Value(random.uniform(-1, 1)) for _ in range(n_inputs)]"
LISTED = "return [*self.weights, self.bias]"
NOT_NEURONS = {
    "no tanh": ("the tanh left out", ("return total.tanh()", "return total")),
    "no bias": ("the bias left out", ("total = self.bias", "total = Value(0.0)")),
    "bias each": ("a bias for each input", ("total = self.bias", "total = 0"), (PRODUCT, PRODUCT + " + self.bias")),
    "bias twice": ("the bias twice", ("return total.tanh()", "return (total + self.bias).tanh()")),
    "bias after": (
        "the bias after the tanh",
        ("total = self.bias", "total = Value(0.0)"),
        ("return total.tanh()", "return total.tanh() + self.bias"),
    ),
    "tanh each": (
        "a tanh for each product",
        (PRODUCT, "total = total + (w * x).tanh()"),
        ("return total.tanh()", "return total"),
    ),
    "tanh inside": (
        "a tanh at every step",
        (PRODUCT, "total = (total + w * x).tanh()"),
        ("return total.tanh()", "return total"),
    ),
    "sum for product": ("w + x for w · x", (PRODUCT, "total = total + w + x")),
    "return inside": ("only the first input", ("        return total.tanh()", "            return total.tanh()")),
    "= for +=": ("only the last input", (PRODUCT, "total = self.bias + w * x")),
    "sums": (
        "sum times sum",
        (PRODUCT, "pass"),
        ("return total.tanh()", "return (sum(self.weights) * sum(inputs) + self.bias).tanh()"),
    ),
    "no inputs": ("the inputs left out", (PRODUCT, "total = total + w")),
    "sigmoid": ("another activation. That is the sigmoid", ("total.tanh()", "total.sigmoid()")),
    "relu": ("another activation. That is relu", ("total.tanh()", "total.relu()")),
    "math.tanh": ("cut off from the graph", ("return total.tanh()", "return math.tanh(total.data)")),
    "data of weights": (
        "cut off from the graph",
        (PRODUCT, "total = total + w.data * x"),
        ("total = self.bias", "total = self.bias.data + Value(0)"),
    ),
    "wrapped": ("cut off from the graph", ("return total.tanh()", "return Value(total.tanh().data)")),
    "float of inputs": ("the inputs cut off", (PRODUCT, "total = total + w * float(x)")),
    "list": ("a list of one", ("return total.tanh()", "return [total.tanh()]")),
    "floats": ("numbers in place of Values", (WEIGHTS, WEIGHTS.replace("Value(random.uniform(-1, 1))", "0.5"))),
    "one Value": ("one Value, several times", (WEIGHTS, "self.weights = [Value(random.uniform(-1, 1))] * n_inputs")),
    "bias among": ("one weight too many", ("for _ in range(n_inputs)", "for _ in range(n_inputs + 1)")),
    "equal": ("all weights equal", (WEIGHTS, "self.weights = [Value(0.5) for _ in range(n_inputs)]")),
    "zeros": ("all weights equal", (WEIGHTS, "self.weights = [Value(0) for _ in range(n_inputs)]")),
    "seeded": ("each neuron the same", (WEIGHTS, "random.seed(1); " + WEIGHTS)),
    "positive": ("never negative", (WEIGHTS, WEIGHTS.replace("random.uniform(-1, 1)", "random.random()"))),
    "wide": ("lie between -1 and 1", (WEIGHTS, WEIGHTS.replace("(-1, 1)", "(-5, 5)"))),
    "anew": (
        "drawn anew at each call",
        ("total = self.bias", lines(WEIGHTS.replace("n_inputs", "len(inputs)"), "total = self.bias")),
    ),
    "biases not listed": ("the biases left out", (LISTED, "return self.weights")),
    "weights not listed": ("the weights left out", (LISTED, "return [self.bias]")),
    "nested": ("lists inside the list", (LISTED, "return [self.weights, self.bias]")),
    "copies": ("copies of the parameters", (LISTED, "return [Value(p.data) for p in [*self.weights, self.bias]]")),
    "data": ("numbers in place of Values", (LISTED, "return [p.data for p in [*self.weights, self.bias]]")),
    "twice": ("a parameter twice", (LISTED, "return [*self.weights, self.bias, self.bias]")),
    "1e-3 off": ("The output is not right", ("return total.tanh()", "return total.tanh() + 1e-3")),
    "another engine": (
        "`weights[0]` should be a Value; it is one of another engine",
        (WEIGHTS, WEIGHTS.replace("Value", "type('Value', (), {'__init__': lambda self, data: None})")),
    ),
    "other names": ("has no `weights`. What it keeps: w, bias", ("self.weights = [", "self.w = [")),
}


@pytest.mark.parametrize("name", NOT_NEURONS)
def test_wrong_neurons_are_explained(name):
    said, *swaps = NOT_NEURONS[name]
    verdict = changed("neuron", *swaps)
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()


def test_float_noise_passes():
    assert changed("neuron", ("return total.tanh()", "return total.tanh() + 1e-12"))


def test_a_failing_neuron_is_shown_with_its_numbers_and_its_graph():
    verdict = changed("neuron", ("return total.tanh()", "return total"))
    assert "Neuron(2)([" in verdict.case and "# its weights: " in verdict.case
    assert verdict.rows[0][0] == "output" and "Computation graph" in verdict.html()


# Layer


NEURONS = "[Neuron(n_inputs) for _ in range(n_outputs)]"
CALL = "return [neuron(inputs) for neuron in self.neurons]"
FLAT = "return [p for neuron in self.neurons for p in neuron.parameters()]"


NOT_LAYERS = {
    "swapped": ("the sizes swapped", (NEURONS, "[Neuron(n_outputs) for _ in range(n_inputs)]")),
    "[neuron] * n": ("one neuron, several times", (NEURONS, "[Neuron(n_inputs)] * n_outputs")),
    "chained": (
        "one after the other",
        (
            CALL,
            lines(
                "outputs = []",
                "for neuron in self.neurons:",
                "    inputs = [neuron(inputs)]",
                "    outputs += inputs",
                "return outputs",
            ),
        ),
    ),
    "one each": ("one input each", (CALL, "return [n([x]) for n, x in zip(self.neurons, inputs)]")),
    "sum": ("the outputs added up", (CALL, "return [sum(neuron(inputs) for neuron in self.neurons)]")),
    "first": ("only the first neuron", (CALL, lines("for neuron in self.neurons:", "    return [neuron(inputs)]"))),
    "last": (
        "only the last neuron",
        (CALL, lines("for neuron in self.neurons:", "    out = [neuron(inputs)]", "return out")),
    ),
    "turned": ("the order turned round", ("for neuron in self.neurons]\n\n", "for neuron in self.neurons[::-1]]\n\n")),
    "tanh twice": ("tanh twice", ("neuron(inputs) for", "neuron(inputs).tanh() for")),
    "unpacked": (
        "one output, unpacked",
        (
            CALL,
            lines("outputs = [n(inputs) for n in self.neurons]", "return outputs[0] if len(outputs) == 1 else outputs"),
        ),
    ),
    "data": ("cut off from the graph", ("neuron(inputs) for", "neuron(inputs).data for")),
    "copied": ("cut off from the graph", ("neuron(inputs) for", "Value(neuron(inputs).data) for")),
    "inputs copied": ("the inputs cut off", ("neuron(inputs) for", "neuron([float(x) for x in inputs]) for")),
    "anew": ("drawn anew at each call", (CALL, "return [Neuron(len(inputs))(inputs) for _ in self.neurons]")),
    "nested": ("lists inside the list", (FLAT, "return [neuron.parameters() for neuron in self.neurons]")),
    "first listed": (
        "only the first one's",
        (FLAT, lines("for neuron in self.neurons:", "    return neuron.parameters()")),
    ),
    "last listed": (
        "only the last one's",
        (FLAT, lines("for neuron in self.neurons:", "    found = neuron.parameters()", "return found")),
    ),
    "weights listed": ("the biases left out", ("in neuron.parameters()", "in neuron.weights")),
    "a generator": (
        "A list of Values was expected; it gives a generator",
        (CALL, "return (neuron(inputs) for neuron in self.neurons)"),
    ),
    "too many": ("neurons: expected 3, got 4", ("range(n_outputs)", "range(n_outputs + 1)")),
    "sizes in a list": ("`neurons` should be a list of neurons; it is an int", (NEURONS, "n_outputs")),
}


@pytest.mark.parametrize("name", NOT_LAYERS)
def test_wrong_layers_are_explained(name):
    said, *swaps = NOT_LAYERS[name]
    verdict = changed("layer", *swaps)
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()


def test_the_courses_own_classes_are_no_answer():
    for name in ("neuron", "layer", "mlp"):
        cls = getattr(autograd, TAKES[name][0])
        assert "comes from the course itself" in getattr(check, name)(cls).text()


def test_layers_and_networks_of_autograds_own_parts_pass():
    assert changed("layer", ("Neuron(n_inputs)", "autograd.Neuron(n_inputs)"))
    assert changed("mlp", ("Layer(n, m)", "autograd.Layer(n, m)"))


BACKWARDS = ("in self.neurons]\n\n", "in self.neurons[::-1]]\n\n")


@pytest.mark.parametrize("code", [library.stub("neuron"), library.solution("neuron").code.replace(".tanh()", "")])
def test_the_first_exercise_undone_or_wrong_does_not_count_in_the_others(code):
    names = dict(solved())
    put_in(code, names, "neuron")
    for name in ("layer", "mlp"):
        put_in(library.solution(name).code, names, name)
        assert checked(name, names), checked(name, names)
    assert names["Neuron"].__call__.__code__.co_filename == "<the cell of neuron>", "as it was, after the checks"
    put_in(library.solution("layer").code.replace(*BACKWARDS), names, "layer")
    assert checked("mlp", names), checked("mlp", names)


def test_a_part_of_the_cell_itself_that_is_missing_or_wrong_is_named():
    neuron, layer, mlp = (library.solution(name).code for name in ("neuron", "layer", "mlp"))
    names = dict(solved())
    put_in(library.stub("neuron") + layer, names, "layer")
    verdict = checked("layer", names)
    assert verdict.state == "not yet" and "Layer uses a class Neuron in which something is still" in verdict.text()
    put_in(library.stub("neuron") + layer + mlp, names, "mlp")
    assert "MLP uses a class Neuron in which something is still missing" in checked("mlp", names).text()
    wrong = neuron.replace("total.tanh()", "total")
    put_in(wrong + layer, names, "layer")
    assert "Asked one by one, the neurons it is made of do not" in checked("layer", names).text()
    put_in(wrong + layer + mlp, names, "mlp")
    assert "Asked one by one, the neurons it is made of do not" in checked("mlp", names).text()
    put_in(neuron + layer.replace(*BACKWARDS) + mlp, names, "mlp")
    assert "Asked one by one, the layers it is made of do not" in checked("mlp", names).text()


@pytest.mark.parametrize("name", ["neuron", "layer", "mlp"])
@pytest.mark.parametrize("method", ["__call__", "parameters"])
def test_a_method_that_is_missing_is_named(name, method):
    names = dict(solved())
    stub, code = library.stub(name).split("    def "), library.solution(name).code.split("    def ")
    parts = [old if old.startswith(method) else new for old, new in zip(stub, code)]
    put_in("    def ".join(parts), names, name)
    verdict = checked(name, names)
    assert verdict.state == "not yet" and f"{method} is still" in verdict.text().replace("`", ""), verdict.text()


# MLP


LAYERS = "[Layer(n, m) for n, m in zip(reads, sizes)]"
FLAT_LAYERS = "return [p for layer in self.layers for p in layer.parameters()]"
END = "return inputs[0] if len(inputs) == 1 else inputs"
RUN = lines("for layer in self.layers:", "    inputs = layer(inputs)", END)
NOT_NETWORKS = {
    "no first": ("the first layer left out", ("zip(reads, sizes)", "zip(sizes, sizes[1:])")),
    "all read the inputs": ("every layer reads the inputs' number", ("Layer(n, m)", "Layer(n_inputs, m)")),
    "input layer": ("the inputs taken as a layer", (LAYERS, f"[Layer(n_inputs, n_inputs), *{LAYERS}]")),
    "swapped": ("the sizes swapped", ("Layer(n, m)", "Layer(m, n)")),
    "no last": ("the last layer left out", (LAYERS, LAYERS + "[:-1]")),
    "own number": ("as many reads as neurons", ("Layer(n, m)", "Layer(m, m)")),
    "one layer": (
        "one layer, several times",
        (LAYERS, lines(LAYERS, "if sizes[:2] == [2, 2]:", "    self.layers[2] = self.layers[1]")),
    ),
    "all run on the inputs": (
        "every layer reads the inputs",
        (RUN, lines("for layer in self.layers:", "    out = layer(inputs)", "return out[0] if len(out) == 1 else out")),
    ),
    "return inside": (
        "only the first layer",
        (
            RUN,
            lines(
                "for layer in self.layers:", "    out = layer(inputs)", "    return out[0] if len(out) == 1 else out"
            ),
        ),
    ),
    "backwards": (
        "from the last layer to the first",
        ("for layer in self.layers:", "for layer in reversed(self.layers):"),
    ),
    "tanh": ("tanh once more", (END, lines("inputs = [x.tanh() for x in inputs]", END))),
    "linear": ("no tanh at the end", (LAYERS, "[*autograd.MLP(n_inputs, sizes).layers]")),
    "list": ("a list of one", (RUN, RUN.replace(END, "return inputs"))),
    "first output": ("outputs: expected 2, got 1", (RUN, RUN.replace(END, "return inputs[0]"))),
    "cut": (
        "cut off from the graph",
        ("inputs = layer(inputs)", "inputs = [Value(out.data) for out in layer(inputs)]"),
    ),
    "nested": ("lists inside the list", (FLAT_LAYERS, "return [layer.parameters() for layer in self.layers]")),
    "last listed": ("only the last one's", (FLAT_LAYERS, "return self.layers[-1].parameters()")),
    "first listed": ("only the first one's", (FLAT_LAYERS, "return self.layers[0].parameters()")),
    "an object": (
        "The class itself was expected",
        ("class MLP:", "class Network:"),
        (FLAT_LAYERS, FLAT_LAYERS + "\n\n\nMLP = Network(2, [1])"),
    ),
}


@pytest.mark.parametrize("name", NOT_NETWORKS)
def test_wrong_networks_are_explained(name):
    said, *swaps = NOT_NETWORKS[name]
    verdict = changed("mlp", *swaps)
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()


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


# The count


COUNTS = {
    "recursive": lambda s: 0 if len(s) < 2 else (s[0] + 1) * s[1] + COUNTS["recursive"](s[1:]),
    "a float": lambda s: float(sum(n * m for n, m in itertools.pairwise(s)) + sum(s[1:])),
    "by making one": lambda s: len(autograd.MLP(s[0], s[1:]).parameters()),
}
NOT_COUNTS = {
    "weights": (lambda s: sum(n * m for n, m in itertools.pairwise(s)), "the biases left out"),
    "input biases": (lambda s: sum(n * m for n, m in itertools.pairwise(s)) + sum(s), "a bias for each input too"),
    "a bias a layer": (lambda s: sum(n * m + 1 for n, m in itertools.pairwise(s)), "one bias a layer"),
    "wrong side": (lambda s: sum(n * (m + 1) for n, m in itertools.pairwise(s)), "the + 1 on the wrong side"),
    "both sides": (lambda s: sum((n + 1) * (m + 1) for n, m in itertools.pairwise(s)), "+ 1 on both sides"),
    "no last": (lambda s: sum((n + 1) * m for n, m in itertools.pairwise(s[:-1])), "the last layer left out"),
    "no first": (lambda s: sum((n + 1) * m for n, m in itertools.pairwise(s[1:])), "the first layer left out"),
    "inputs": (lambda s: sum((s[0] + 1) * m for m in s[1:]), "every layer reads the inputs"),
    "input layer": (
        lambda s: sum((n + 1) * m for n, m in itertools.pairwise([s[0], *s])),
        "the inputs taken as a layer",
    ),
    "neurons": (lambda s: sum(s[1:]), "neurons counted"),
    "units": (sum, "units counted"),
    "product": (math.prod, "all sizes multiplied"),
    "first": (lambda s: (s[0] + 1) * s[1], "only the first pair"),
    "last": (lambda s: (s[-2] + 1) * s[-1], "only the last pair"),
    "37": (lambda s: 37, "test 2 of 12"),
    "17 and 37": (lambda s: {4: 37, 3: 17, 2: 4}.get(len(s), 0), "The count is not right"),
    "a list": (lambda s: [s], "A number was expected; it returned a list"),
}


@pytest.mark.parametrize("function", COUNTS.values(), ids=COUNTS)
def test_right_counts_pass(function):
    assert check.count_parameters(function)


@pytest.mark.parametrize("function, said", NOT_COUNTS.values(), ids=NOT_COUNTS)
def test_wrong_counts_are_explained(function, said):
    verdict = check.count_parameters(function)
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()


def test_the_oracle_counts_as_autograds_networks_do():
    for sizes in ([2, 4, 4, 1], [2, 4, 1], [5, 3], [784, 3, 10]):
        assert lesson_08.parameters_counted(sizes) == len(autograd.MLP(sizes[0], sizes[1:]).parameters())


# Parameters without a gradient


def with_values(parameters, loss):
    """A right `unreached` that gives the parameters themselves, and leaves the order to a set."""
    for node in [*parameters, *autograd.topological_order(loss)]:
        node.grad = 0
    loss.backward(reset="nothing")
    return {p for p in parameters if not p.grad}


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
    return found


def test_other_right_functions_pass():
    assert check.reach_all(with_values, by_identity), check.reach_all(with_values, by_identity)


def zeroed(parameters, loss):
    """One fresh pass."""
    for p in parameters:
        p.grad = 0.0
    loss.backward()


def not_zeroed(parameters, loss):
    loss.backward()
    return [p.label for p in parameters if p.grad == 0]


def with_reset(parameters, loss):
    loss.backward(reset="all")
    return [p.label for p in parameters if p.grad == 0]


def no_pass(parameters, loss):
    return [p.label for p in parameters if p.grad == 0]


def no_pass_zeroed(parameters, loss):
    zeroed(parameters, Value(0.0))
    return [p.label for p in parameters if p.grad == 0]


def turned(parameters, loss):
    zeroed(parameters, loss)
    return [p.label for p in parameters if p.grad != 0]


def negative(parameters, loss):
    zeroed(parameters, loss)
    return [p.label for p in parameters if p.grad <= 0]


def tiny(parameters, loss):
    zeroed(parameters, loss)
    return [p.label for p in parameters if abs(p.grad) < 1e-6]


def outside(parameters, loss):
    return [p.label for p in parameters if p not in autograd.topological_order(loss)]


NOT_UNREACHED = {
    "not zeroed": (not_zeroed, "old gradients. A gradient from an earlier pass"),
    "reset all": (with_reset, 'old gradients, in spite of reset="all"'),
    "no pass": (no_pass, "no backward pass. These are the grads as they stood"),
    "no pass, zeroed": (no_pass_zeroed, "no backward pass. All grads were set to 0"),
    "turned": (turned, "the other way round"),
    "negative": (negative, "negative ones too"),
    "tiny": (tiny, "tiny ones too"),
    "outside": (outside, "only what is outside the graph"),
    "nothing": (lambda parameters, loss: [], "nothing found"),
    "a count": (lambda parameters, loss: 3, "A list of labels was expected; it returned an int"),
    "grads": (lambda parameters, loss: [p.grad for p in parameters], "in it there is a float"),
}


@pytest.mark.parametrize("function, said", NOT_UNREACHED.values(), ids=NOT_UNREACHED)
def test_wrong_answers_to_what_is_unreached_are_explained(function, said):
    verdict = check.reach_all(function, by_identity)
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()
    assert len(verdict.mistakes) <= 1 or said in verdict.mistakes[0].text()


def nodes_that(wanted):
    """A function that lists the labels of the nodes of the graph for which `wanted(node, parameters)`."""
    return lambda parameters, loss: [n.label for n in autograd.topological_order(loss) if wanted(n, parameters)]


NOT_LEFT_OUT = {
    "numbers": (nodes_that(lambda n, listed: not n._prev and n not in listed), "plain numbers too"),
    "results": (nodes_that(lambda n, listed: n.label and n not in listed), "results too"),
    "every": (nodes_that(lambda n, listed: n not in listed), "every node"),
    "labelled": (nodes_that(lambda n, listed: not n._prev and n.label), "all labelled leaves"),
    "by label": (
        nodes_that(lambda n, listed: not n._prev and n.label and n.label not in [p.label for p in listed]),
        "compared by label",
    ),
    "turned": (outside, "the other way round"),
    "nothing": (lambda parameters, loss: [], "nothing found"),
    "a count": (lambda parameters, loss: 3, "A list of labels was expected; it returned an int"),
}


@pytest.mark.parametrize("function, said", NOT_LEFT_OUT.values(), ids=NOT_LEFT_OUT)
def test_wrong_answers_to_what_is_left_out_are_explained(function, said):
    verdict = check.reach_all(with_values, function)
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()


def test_the_half_that_is_missing_is_named():
    verdict = check.reach_all(with_values, lambda parameters, loss: ...)
    assert verdict.state == "not yet" and "`left_out` is still missing" in verdict.text()


def test_the_models_hold_every_kind_of_fault():
    models = lesson_08_reach.models()
    assert {model.kind for model in models} == set(lesson_08_reach.KINDS)
    for model in models:
        parameters, loss = model.values()
        assert with_values(parameters, loss) == {p for p in parameters if p.label in model.unreached}
        for p in parameters:
            assert p.grad == pytest.approx(model.slopes[p.label], abs=1e-12)
        healthy = model.kind in ("as it should be", "unlisted", "tiny")
        assert bool(model.unreached) != healthy
        assert bool(model.left_out) == (model.kind in ("unlisted", "labelled copy"))
    assert any(0 < abs(slope) < 1e-6 for model in models for slope in model.slopes.values())


# All


@pytest.mark.parametrize(
    "verdict",
    [
        lambda: changed("neuron", ("w * x", "w * x[0]")),
        lambda: changed("layer", ("neuron(inputs) for", "neuron.respond(inputs) for")),
        lambda: changed("mlp", ("layer(inputs)", "layer(inputs, 1)")),
        lambda: check.count_parameters(lambda sizes: sizes[9]),
        lambda: check.reach_all(lambda parameters: [], by_identity),
    ],
    ids=NAMES,
)
def test_an_error_in_the_answer_is_told_in_two_sentences(verdict):
    found = verdict()
    assert found.state == "wrong" and len(found.says) == 2
    assert found.says[0].startswith("Tested: ") and "It raised " in found.says[1]


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard.guarded, "__defaults__", (0.3, guard.PATIENCE))
    verdict = changed("neuron", ("return total.tanh()", "while True: pass"))
    assert "loop that never ends" in verdict.text()
    assert checked("neuron", solved())


def test_every_section_that_is_named_exists():
    named = vars(lesson_08) | vars(lesson_08_reach)
    mistakes = [each for each in named.values() if isinstance(each, Mistake)]
    for name, slips in named.items():
        if name.endswith("_SLIPS"):
            mistakes += [mistake for mistake, _ in slips]
    assert len(mistakes) > 60
    for lesson, section in {(mistake.lesson, mistake.section) for mistake in mistakes}:
        notebook = lessons.read(lessons.NOTEBOOKS / f"{LESSONS[lesson]}.ipynb")
        headings = [line for cell in lessons.cells(notebook, "markdown") for line in cell.source.splitlines()]
        assert f"## {section}" in headings, section


def test_a_wrong_answer_is_never_told_the_solution():
    said = [changed("neuron", *swaps).text() for _, *swaps in NOT_NEURONS.values()]
    said += [changed("layer", *swaps).text() for _, *swaps in NOT_LAYERS.values()]
    said += [changed("mlp", *swaps).text() for _, *swaps in NOT_NETWORKS.values()]
    for code in ("self.weights, inputs", "for _ in range(n_", "for p in neuron", "zip(reads"):
        assert not any(code in text for text in said)
