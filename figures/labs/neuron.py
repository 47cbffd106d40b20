"""The neuron lab: one neuron op by op, its inputs on sliders, its values and gradients in the graph."""

import math

from autograd import Value, messages
from autograd.real import show
from figures.graph import description, marks_of, read_graph
from figures.labs import step
from figures.labs.drawing import Steady
from figures.player import Control, Frame, Recording

ACTIVATIONS = ("linear", "tanh", "sigmoid", "relu", "leaky_relu")
LOSSES = ("half_squares", "squares")

ROOM = (  # a sentence as long as any that is said: while a slider moves, the picture stands
    "L = 0.000e+00. It is most sensitive to x1: ∂L/∂x1 = 0.000e+00, so raising x1 by 0.01 changes L by about 0.000e+00."
)


def neuron(x=(2.0,), w=(0.5,), b=0.0, target=None, *, activation="tanh", loss="half_squares", steps=False):
    """A live neuron: a = activation(w₁x₁ + … + b), and with a target the loss ½(a - y)² ("half_squares") or (a - y)².

    x, w: one or two numbers each. steps: step through both passes; else all numbers are shown at once, with a switch
    for the gradients. Sliders change x, w, b and the target y; another choice is the activation.
    """
    try:
        x, w = list(x), list(w)
    except TypeError:
        raise TypeError(f"x and w are lists of numbers, as in x=[2.0], w=[0.5]; got x={x!r}, w={w!r}.") from None
    if len(x) != len(w) or len(x) not in (1, 2):
        raise ValueError(f"this neuron has 1 or 2 inputs, and a weight for each; got {len(x)} and {len(w)}.")
    chosen(loss, LOSSES, "loss")
    numbers = {**{f"x{i}": v for i, v in enumerate(x, 1)}, **{f"w{i}": v for i, v in enumerate(w, 1)}, "b": b}
    if target is not None:
        numbers["y"] = target
    numbers = {name: finite(value, name) for name, value in numbers.items()}
    controls = [slider(name, value) for name, value in numbers.items()]
    controls.append(Control("choice", "activation", "activation", activation, options=ACTIVATIONS))
    if not steps:
        controls.append(Control("toggle", "gradients", "gradients", True))

    def record(activation, gradients=True, **numbers):
        chosen(activation, ACTIVATIONS, "activation")
        numbers = {name: finite(value, name) for name, value in numbers.items()}
        root = build(numbers, activation, loss)
        title = f"A {activation} neuron" + (" and its loss" if target is not None else "")
        if steps:
            return step.record(root, title=f"{title}, step by step")
        return record_live(root, gradients, title)

    return Steady(controls=controls, record=record)


def build(numbers, activation, loss):
    """The graph of a neuron, and of its loss if `numbers` has a y. Every op is a node."""
    leaves = {name: Value(number, label=name) for name, number in numbers.items()}
    products = []
    for i in range(1, sum(name.startswith("x") for name in leaves) + 1):
        products.append(named(leaves[f"w{i}"] * leaves[f"x{i}"], f"w{i}·x{i}"))
    total = products[0] if len(products) == 1 else named(products[0] + products[1], "s")
    z = named(total + leaves["b"], "z")
    a = z if activation == "linear" else named(getattr(z, activation)(), "a")
    if "y" not in leaves:
        return a
    square = named(named(a - leaves["y"], "e") ** 2, "e²")
    return named(square * Value(0.5, label="½"), "L") if loss == "half_squares" else named(square, "L")


def named(value, label):
    """`value` with a label."""
    value.label = label
    return value


def record_live(root, gradients, title):
    """One frame: the graph with all its numbers, and what its steepest leaf means."""
    root.backward()
    nodes = read_graph(root)
    marks = {key: {"state": ""} for i, node in enumerate(nodes) for key in keys(i, node)}
    marks |= marks_of(nodes, gradients=gradients, local=True)
    if not gradients:
        marks |= {key: {"text": ""} for key in marks if key.endswith(".local")}
    frame, stage = Frame(meaning(nodes, gradients), "", marks), step.stage(nodes, False, None)
    return Recording(title, [frame], stage, description(nodes), room=ROOM)


def keys(i, node):
    """The keys of a node and of the edges into it."""
    return [f"n{i}", *(f"e{i}.{edge}" for edge in range(len(node.inputs)))]


def meaning(nodes, gradients):
    """What the numbers say, in a sentence or two."""
    root = nodes[-1]
    said = f"{root.name} = {show(root.data)}."
    if not gradients:
        return f"{said} Switch the gradients on to see how fast {root.name} changes with each number."
    leaves = [node for node in nodes if not node.inputs and node.name != "½"]
    if not all(math.isfinite(number) for number in (root.data, *(leaf.grad for leaf in leaves))):
        return f"{said} A number here is larger than the largest float, 1.8e308: inf, or nan where two of them meet."
    steepest = max(leaves, key=lambda leaf: abs(leaf.grad))
    if steepest.grad == 0:
        return f"{said} No small change of an input changes {root.name}: all gradients are 0."
    return (
        f"{said} It is most sensitive to {steepest.name}: ∂{root.name}/∂{steepest.name} = {show(steepest.grad)}, so "
        f"raising {steepest.name} by 0.01 changes {root.name} by about {show(0.01 * steepest.grad)}."
    )


def finite(number, name):
    """`number` as a float that a slider can hold. TypeError or ValueError if it is none."""
    number = messages.real(number, name)
    if not math.isfinite(number):
        raise ValueError(f"{name} is a number on a slider, from -1.8e308 to 1.8e308; got {number}.")
    return number


def slider(name, value):
    """A slider wide enough for `value`."""
    reach = max(10.0 if name == "b" else 5.0, math.ceil(abs(value)))
    return Control("range", name, name, value, min=-reach, max=reach, step=0.1)


def chosen(name, names, what):
    """ValueError unless `name` is one of `names`."""
    if name not in names:
        raise ValueError(f"{what} is one of {', '.join(names)}; got {name!r}.")
