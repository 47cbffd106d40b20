"""The check of lesson 08's last exercise: which parameters get no gradient, and which are in no list."""

import functools
import random
from dataclasses import dataclass

from autograd import Value, topological_order
from autograd.dual import Dual, forward_gradient
from exercises.grading import answer, exercise, kind, wrong
from exercises.guard import Trouble, Unfinished, trying
from exercises.verdict import Mistake

REACHED = "Every parameter gets a gradient"


def about(name, sentence, section, lesson="08"):
    """A Mistake that a section of this lesson treats."""
    return Mistake(name, sentence, lesson, section)


@dataclass(frozen=True)
class Model:
    """A network of one hidden layer and a loss, as lines of Python, in which something may be wrong.

    parameters: {label: number} of those that are listed. others: of those that are not.
    """

    lines: tuple
    parameters: dict
    others: dict
    kind: str

    def run(self, leaves, number):
        """What the last line computes on these leaves; `number` makes a leaf that stands in the lines."""
        names = dict(leaves) | {"Value": number}
        for line in self.lines:
            name, _, expression = line.partition(" = ")
            names[name] = eval(expression, {"__builtins__": {}}, names)  # the lines are this module's own
            if isinstance(names[name], Value):
                names[name].label = name
        return names[name]

    def values(self):
        """The listed parameters as Values with old grads, and the loss, labelled as the line that makes it."""
        listed = {label: Value(number, label=label) for label, number in self.parameters.items()}
        rest = {label: Value(number, label=label) for label, number in self.others.items()}
        loss = self.run(listed | rest, Value)
        for i, leaf in enumerate([*listed.values(), *rest.values()]):
            leaf.grad = (0.0, 2.5, -1.5)[i % 3]
        return list(listed.values()), loss

    @functools.cached_property
    def slopes(self):
        """{label: gradient} of the listed parameters, by dual numbers."""
        text = tuple(line.replace(".data", ".value") for line in self.lines)
        model = Model(text, self.parameters, self.others, self.kind)

        def loss(*numbers):
            duals = dict(zip(self.parameters, numbers)) | {name: Dual(x) for name, x in self.others.items()}
            return model.run(duals, lambda number, label="": Dual(number))

        return dict(zip(self.parameters, forward_gradient(loss, list(self.parameters.values()))))

    @property
    def unreached(self):
        """The labels of the parameters that get no gradient."""
        return {label for label, slope in self.slopes.items() if slope == 0}

    @property
    def left_out(self):
        """The labels of labelled leaves that are not listed."""
        return set(self.others) | {line.split('label="')[1].split('"')[0] for line in self.lines if 'label="' in line}


KINDS = ("as it should be", "unused", "copy", "labelled copy", "number", "cut", "silent", "shut", "unlisted", "tiny")


@functools.cache
def models(seed=8):
    """Models of every kind, each twice."""
    rng = random.Random(seed)
    return tuple(model(rng, kind) for _ in range(2) for kind in KINDS)


def model(rng, kind):
    """A random Model of a kind."""
    hidden, parameters, lines = 2, {}, []
    inputs = [rng.choice((-2.0, -1.5, 0.5, 1.0, 2.0)) for _ in range(2)]
    wrong_one = rng.randint(1, hidden)
    if kind == "silent":
        inputs[1] = 0.0
    for j in range(1, hidden + 1):
        here = j == wrong_one
        numbers = {f"w{j}{i}": draw(rng) for i in (1, 2)} | {f"b{j}": draw(rng)}
        second = f"w{j}2"
        if here and kind == "copy":
            second = f"Value(w{j}2.data)"
        elif here and kind == "labelled copy":
            second = f'Value(w{j}2.data, label="w{j}2")'
        elif here and kind == "number":
            second = f"w{j}2.data"
        elif here and kind == "shut":
            numbers[f"b{j}"] = -9.0
        elif here and kind == "tiny":
            numbers[f"b{j}"] = 9.0 + sum(abs(x) for x in inputs)
        products = f"w{j}1 * {inputs[0]}"
        products += "" if here and kind == "unused" else f" + {second} * {inputs[1]}"
        lines.append(f"h{j} = (b{j} + {products}).{'relu' if here and kind == 'shut' else 'tanh'}()")
        parameters |= numbers
    parameters |= {f"v{j}": draw(rng) for j in range(1, hidden + 1)} | {"c": draw(rng)}
    reads = [f"v{j} * h{j}{'.data' if kind == 'cut' and j == wrong_one else ''}" for j in range(1, hidden + 1)]
    lines.append(f"out = c + {' + '.join(reads)}")
    lines.append(f"loss = (out - {rng.choice((1.0, 3.0))}) ** 2")
    others = {}
    if kind == "unlisted":
        label = rng.choice((f"w{wrong_one}1", f"b{wrong_one}", "c"))
        others[label] = parameters.pop(label)
    return Model(tuple(lines), parameters, others, kind)


def draw(rng):
    """A weight, not 0."""
    return rng.choice((-1, 1)) * rng.randint(2, 9) / 10


def labels(found, what):
    """The labels in a learner's answer: strings, or Values whose labels are meant."""
    made = set()
    for each in found:
        if not isinstance(each, str | Value):
            raise Trouble(f"Tested: {what}.", f"A list of labels was expected; in it there is {kind(each)}.")
        made.add(each.label if isinstance(each, Value) else each)
    return made


OLD = about(
    "old gradients",
    "A gradient from an earlier pass stands there still. A pass does not clear what it never comes by.",
    REACHED,
)


def without_pass(model):
    """What has grad 0 before any pass."""
    return {p.label for p in model.values()[0] if p.grad == 0}


def added_up(model):
    """What has grad 0 after a pass on top of old grads."""
    parameters, loss = model.values()
    loss.backward()
    return {p.label for p in parameters if p.grad == 0}


def reset_all(model):
    """The same with reset="all"."""
    parameters, loss = model.values()
    loss.backward(reset="all")
    return {p.label for p in parameters if p.grad == 0}


def not_in_graph(model):
    """What is not among the nodes of the graph."""
    parameters, loss = model.values()
    return {p.label for p in parameters if p not in topological_order(loss)}


UNREACHED_SLIPS = (
    (OLD, added_up),
    (
        about(
            'old gradients, in spite of reset="all"',
            "That clears what is in the graph. A parameter outside it keeps its old gradient.",
            REACHED,
        ),
        reset_all,
    ),
    (about("no backward pass", "These are the grads as they stood before any pass.", REACHED), without_pass),
    (
        about("no backward pass", "All grads were set to 0, and no pass was run after it.", REACHED),
        lambda model: set(model.parameters),
    ),
    (
        about("the other way round", "Those are the ones that do get a gradient.", REACHED),
        lambda model: {label for label, slope in model.slopes.items() if slope},
    ),
    (
        about("negative ones too", "A negative gradient is a gradient: it says “go up”. Compare with 0.", REACHED),
        lambda model: {label for label, slope in model.slopes.items() if slope <= 0},
    ),
    (
        about("tiny ones too", "A tiny gradient did arrive. Ask for exactly 0; lesson 10 treats the tiny.", REACHED),
        lambda model: {label for label, slope in model.slopes.items() if abs(slope) < 1e-4},
    ),
    (
        about(
            "only what is outside the graph",
            "A parameter can be in the graph and get 0: its input is 0, or its relu is shut. Ask its grad.",
            REACHED,
        ),
        not_in_graph,
    ),
    (
        about("nothing found", "Something is wrong in this model, and the list is empty.", REACHED),
        lambda model: set(),
    ),
)


def leaves_of(model, wanted):
    """Labels of the nodes of a model's graph for which `wanted(node, parameters)`."""
    parameters, loss = model.values()
    return {node.label for node in topological_order(loss) if wanted(node, parameters)}


LEFT_OUT_SLIPS = (
    (
        about("plain numbers too", "A number in a formula is a leaf without a label. It is meant to stay.", REACHED),
        lambda model: leaves_of(model, lambda node, listed: not node._prev and node not in listed),
    ),
    (
        about("results too", "A result of an operation is no leaf: its `_prev` is not empty.", REACHED),
        lambda model: leaves_of(model, lambda node, listed: node.label and node not in listed),
    ),
    (
        about("every node", "Results and plain numbers are among them. Keep leaves that have a label.", REACHED),
        lambda model: leaves_of(model, lambda node, listed: node not in listed),
    ),
    (
        about("all labelled leaves", "The parameters are among them. Leave out those that are listed.", REACHED),
        lambda model: leaves_of(model, lambda node, listed: not node._prev and node.label),
    ),
    (
        about(
            "compared by label",
            "A copy may bear a parameter's label. It is another Value all the same: compare the Values.",
            REACHED,
        ),
        lambda model: leaves_of(
            model, lambda node, listed: not node._prev and node.label and node.label not in model.parameters
        ),
    ),
    (
        about(
            "the other way round", "Those are parameters that the graph lacks. Asked is what the list lacks.", REACHED
        ),
        not_in_graph,
    ),
    (about("nothing found", "The graph has a labelled leaf that is not listed.", REACHED), lambda model: set()),
)


def unreached_in(model):
    """The right answer of the first function."""
    return model.unreached


def left_out_in(model):
    """The right answer of the second."""
    return model.left_out


def labels_fault(function, name, right, slips):
    """What is wrong with a learner's function of parameters and a loss, as a `wrong(…)` Verdict; None if nothing is."""
    tests = models()
    found = []
    for test in tests:
        what = f"{name}(parameters, loss)"
        parameters, loss = test.values()
        with trying(what):
            got = answer(function(parameters, loss), what, object)
        if not isinstance(got, list | tuple | set | frozenset):
            raise Trouble(f"Tested: {what}.", f"A list of labels was expected; it returned {kind(got)}.")
        found.append(labels(got, what))
    failing = next((i for i, (got, test) in enumerate(zip(found, tests)) if got != right(test)), None)
    if failing is None:
        return None
    test = tests[failing]
    known = [mistake for mistake, gives in slips if all(gives(t) == got for t, got in zip(tests, found))]
    listed = f"parameters = [{', '.join(test.parameters)}]"
    return wrong(
        f"`{name}` is not right for this model (test {failing + 1} of {len(tests)}).",
        case="\n".join([*test.lines, listed, f"{name}(parameters, loss)"]),
        graph=test.values()[1],
        rows=[("labels", said(right(test)), said(found[failing]))],
        mistakes=known[:2],
    )


def said(found):
    """A set of labels in words."""
    return ", ".join(sorted(each or "(no label)" for each in found)) or "none"


@exercise
def reach_all(unreached, left_out):
    """`unreached` finds the parameters that a loss gives no gradient, `left_out` those that nobody listed."""
    for function in (unreached, left_out):
        if not callable(function):
            raise Trouble("Tested: your functions.", f"A function was expected; this is {kind(function)}.")
    fault = labels_fault(unreached, "unreached", unreached_in, UNREACHED_SLIPS)
    if fault is not None:
        return fault
    try:
        fault = labels_fault(left_out, "left_out", left_out_in, LEFT_OUT_SLIPS)
    except Unfinished:
        raise Unfinished("`unreached` is right. `left_out` is still missing.") from None
    if fault is not None:
        return fault
    ways = [len({model.kind for model in models() if found(model)}) for found in (unreached_in, left_out_in)]
    return f"Right for {len(models())} models; {ways[0]} kinds of fault show in `unreached`, {ways[1]} in `left_out`."
