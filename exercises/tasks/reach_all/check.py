"""The check of `reach_all`: which parameters of small faulty networks get no gradient, and which are in no list."""

import functools
import itertools
import random
from collections.abc import Set
from dataclasses import dataclass, replace

from autograd import Value
from autograd.dual import Dual, forward_gradient
from exercises.judging.vocabulary import (
    AnswerError,
    NotAttempted,
    all_right,
    called,
    function_exercise,
    is_a_sequence,
    kind,
    make_result,
)


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
        """Compute the last line on these leaves. `number` makes the leaves that the lines contain."""
        names = dict(leaves) | {"Value": number}
        for line in self.lines:
            name, _, expression = line.partition(" = ")
            names[name] = eval(expression, {"__builtins__": {}}, names)  # the lines come from this module
            if isinstance(names[name], Value):
                names[name].label = name
        return names[name]

    def values(self):
        """Return the listed parameters as Values with old grads, and the loss; each line's result has its label."""
        groups = self.parameters, self.others
        listed, rest = ({name: Value(number, label=name) for name, number in group.items()} for group in groups)
        loss = self.run(listed | rest, Value)
        for leaves, olds in ((listed, (2.5, 0.0, -1.5)), (rest, (0.0, 2.5, -1.5))):
            for leaf, old in zip(leaves.values(), itertools.cycle(olds)):
                leaf.grad = old
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

    @functools.cached_property
    def unreached(self):
        """The labels of the parameters that get no gradient."""
        return sorted(label for label, slope in self.slopes.items() if slope == 0)

    @functools.cached_property
    def left_out(self):
        """The labels of labelled leaves that are not listed."""
        written = [line.split('label="')[1].split('"')[0] for line in self.lines if 'label="' in line]
        return sorted([*self.others, *written])


KINDS = (
    *("as it should be", "unused", "copy", "labelled copy", "number", "cut", "silent", "shut", "unlisted", "tiny"),
    *("cancelled", "deep", "a weight of 0", "silent and unlisted", "twice and unlisted", "most unlisted", "scaled"),
    "never added",
)


@functools.cache
def models(seed=8):
    """Return Models of every kind, two of each."""
    rng = random.Random(seed)
    return tuple(model(rng, kind, j) for j in (1, 2) for kind in KINDS)


def model(rng, kind, wrong_one):
    """Draw a Model of a kind, with the fault in the hidden neuron `wrong_one`."""
    inputs, parameters, lines = [rng.choice((-2.0, -1.5, 0.5, 1.0, 2.0)) for _ in range(2)], {}, []
    if kind.startswith("silent"):
        inputs[1] = 0.0
    for j in (1, 2):
        line, numbers = hidden(rng, j, inputs, kind if j == wrong_one else "")
        lines.append(line)
        parameters |= numbers
    parameters |= {label: draw(rng) for label in ("v1", "v2", "c")}
    reads = [f"v{j} * h{j}{'.data' if kind == 'cut' and j == wrong_one else ''}" for j in (1, 2)]
    lines.append(f"out = {' + '.join([*([] if kind == 'never added' else ['c']), *reads])}")
    lines.append(f"loss = (out - {rng.choice((1.0, 3.0))}) ** 2{' * scale' if kind == 'scaled' else ''}")
    parameters |= {"scale": draw(rng)} if kind == "scaled" else {}
    return Model(tuple(lines), *unlisted(rng, kind, wrong_one, parameters), kind)


def hidden(rng, j, inputs, kind):
    """Return (the line of a hidden neuron with a fault of this kind, its parameters)."""
    numbers = {f"w{j}{i}": draw(rng) for i in (1, 2)} | {f"b{j}": draw(rng) + 0.03125}  # no sum with this bias is 0
    if kind == "a weight of 0":
        numbers[f"w{j}1"] = 0.0
    large = 9.0 + sum(map(abs, inputs))
    numbers[f"b{j}"] = {"shut": -large, "tiny": large}.get(kind, numbers[f"b{j}"])
    copies = {"copy": f"Value(w{j}2.data)", "labelled copy": f'Value(w{j}2.data, label="w{j}2")'}
    second = (copies | {"number": f"w{j}2.data"}).get(kind, f"w{j}2")
    products = f"w{j}1 * {inputs[0]}" + ("" if kind == "unused" else f" + {second} * {inputs[1]}")
    products += {"twice and unlisted": f" + w{j}1", "cancelled": f" - {second} * {inputs[1]}"}.get(kind, "")
    function = {"shut": ".relu()", "deep": 9 * ".tanh()"}.get(kind, ".tanh()")
    return f"h{j} = (b{j} + {products}){function}", numbers


def unlisted(rng, kind, j, parameters):
    """Return (the listed parameters, the others). If only one is not listed, it has the number of a listed one."""
    labels = {
        "unlisted": [rng.choice((f"w{j}1", f"b{j}", "c"))],
        "deep": [f"b{j}"],
        "silent and unlisted": [f"w{j}2"],
        "twice and unlisted": [f"w{j}1"],
        "most unlisted": list(parameters)[1:],
        "scaled": ["scale"],
    }.get(kind, [])
    others = {label: parameters[label] for label in labels}
    listed = {label: number for label, number in parameters.items() if label not in others}
    return listed, others if len(others) != 1 else {labels[0]: listed["v1"]}


def draw(rng):
    """Draw a weight, not 0."""
    return rng.choice((-1, 1)) * rng.randint(2, 9) / 10


@function_exercise
def reach_all(unreached, left_out, *, seed):
    """Find with `unreached` the parameters without a gradient from the loss, with `left_out` those in no list.

    The second is tested once the first is right.
    """
    tests = models(seed or 8)
    if not (yield from all_right(asked("unreached", unreached, model) for model in tests)):
        return None
    if seed:  # a model that lists none
        whole = tests[0]
        tests = (*tests, replace(whole, parameters={}, others=whole.parameters | whole.others))
    try:
        yield from (asked("left_out", left_out, model) for model in tests)
    except NotAttempted as nothing:
        raise NotAttempted(f"`unreached` is right. `left_out` is still missing. {nothing}".strip()) from None
    ways = [len({m.kind for m in models() if getattr(m, name)}) for name in ("unreached", "left_out")]
    return f"Right for {len(models())} models; {ways[0]} kinds of fault show in `unreached`, {ways[1]} in `left_out`."


def asked(name, function, model):
    """Return the TestResult of a learner's function on a model."""
    parameters, loss = model.values()
    kept, what = [(p.label, p.data) for p in parameters], f"{name}(parameters, loss)"
    got, because = labels(called(function, parameters, loss, what=what, returns=object), what)
    now = "unchanged" if [(p.label, p.data) for p in parameters] == kept else "others"
    right, got = (", ".join(sorted(each or "(no label)" for each in found)) for found in (getattr(model, name), got))
    return make_result(
        f"`{name}` is wrong for this model.",
        ("labels", right or "none", got or "none"),
        ("the parameters' labels and numbers afterwards", "unchanged", now),
        case="\n".join([*model.lines, f"parameters = [{', '.join(model.parameters)}]", what]),
        graph=lambda: model.values()[1],
        because=because,
    )


def labels(found, what):
    """Return (the labels in a learner's answer, the mistake that it shows)."""
    if isinstance(found, str | bytes) or not (isinstance(found, list | tuple | Set) or is_a_sequence(found)):
        raise AnswerError(f"Tested: {what}.", f"A list of labels was expected; it returned {kind(found)}.")
    because, got = (), []
    for each in found:
        if isinstance(each, Value):
            because, each = "Values, not labels", f"the Value {each.label}"
        if not isinstance(each, str):
            raise AnswerError(f"Tested: {what}.", f"A list of labels was expected; it contains {kind(each)}.")
        got.append(each)
    return got, because
