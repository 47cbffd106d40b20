"""The neuron lab: one neuron op by op, its inputs on sliders, its values and gradients in the graph."""

import math

from autograd import Value
from autograd.errors.messages import show
from autograd.training.nn import ACTIVATIONS
from figures.graph.draw import PAGE, description, texts_of
from figures.graph.reader import read_graph
from figures.graph.stage import graph, place, with_label
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, choice, finite, switch
from figures.page.player import Frame, Player, Recording
from figures.passes import scalar_passes

ACTIVATION = choice("activation", ACTIVATIONS)
LOSS = choice("loss", ("half_squares", "squares"))
LOSSES = LOSS.control.options

WIDEST_TEXT = (  # the longest sentence: the picture must not move with a slider
    "L = 0.000e+00. It is most sensitive to x1: ∂L/∂x1 = 0.000e+00, so raising x1 by 0.01 changes L by about 0.000e+00."
)


def neuron(x=(2.0,), w=(0.5,), b=0.0, target=None, *, activation="tanh", loss="half_squares", steps=False):
    """Show a live neuron, a = activation(w₁x₁ + … + b); with a target the loss ½(a - y)² ("half_squares") or (a - y)².

    x, w: one or two numbers each. steps: step through both passes; otherwise all numbers are shown at once, with a
    switch for the gradients. Sliders change x, w, b and the target y; the activation is a choice.
    """
    try:
        x, w = list(x), list(w)
    except TypeError:
        raise TypeError(f"x and w are lists of numbers, as in x=[2.0], w=[0.5]; got x={x!r}, w={w!r}.") from None
    if len(x) != len(w) or len(x) not in (1, 2):
        raise ValueError(f"this neuron has 1 or 2 inputs, and a weight for each; got {len(x)} and {len(w)}.")
    LOSS.check(loss)
    numbers = {**{f"x{i}": v for i, v in enumerate(x, 1)}, **{f"w{i}": v for i, v in enumerate(w, 1)}, "b": b}
    if target is not None:
        numbers["y"] = target
    inputs = Inputs(*map(slider, numbers), ACTIVATION, *[switch("gradients")] * (not steps))

    @inputs.check
    def record(activation, gradients=True, **numbers):
        root = build(numbers, activation, loss)
        title = f"A {activation} neuron" + (" and its loss" if target is not None else "")
        if steps:
            return scalar_passes.record(root, title=f"{title}, step by step")
        return record_live(root, gradients, title)

    return Player(controls=inputs.controls(**numbers, activation=activation, gradients=True), record=record)


def slider(name):
    return finite(name, reach=10 if name == "b" else 5)


def build(numbers, activation, loss):
    """Return the root of a neuron's graph, or of its loss's if `numbers` has a y; every op is a node."""
    leaves = {name: Value(number, label=name) for name, number in numbers.items()}
    products = []
    for i in range(1, sum(name.startswith("x") for name in leaves) + 1):
        products.append(with_label(leaves[f"w{i}"] * leaves[f"x{i}"], f"w{i}·x{i}"))
    total = products[0] if len(products) == 1 else with_label(products[0] + products[1], "s")
    z = with_label(total + leaves["b"], "z")
    a = z if activation == "linear" else with_label(getattr(z, activation)(), "a")
    if "y" not in leaves:
        return a
    square = with_label(with_label(a - leaves["y"], "e") ** 2, "e²")
    return with_label(square * Value(0.5, label="½"), "L") if loss == "half_squares" else with_label(square, "L")


def record_live(root, gradients, title):
    """Return a Recording of one frame: the graph with all its numbers, and the meaning of its steepest leaf."""
    root.backward()
    nodes = read_graph(root)
    texts = texts_of(nodes, gradients=gradients, local=True)
    if not gradients:
        texts |= {key: "" for key in texts if key.endswith(".local")}
    drawn = graph(nodes, place(nodes, None, True, PAGE), local=True)
    stage = FrameTemplate(lambda pen: f'<div class="bp-main">{drawn(pen, texts=texts)}</div>')
    frame = Frame(meaning(nodes, gradients), "", stage.updates())
    return Recording(title, [frame], stage, description(nodes), room=WIDEST_TEXT)


def meaning(nodes, gradients):
    root = nodes[-1]
    said = f"{root.name} = {show(root.data)}."
    if not gradients:
        return f"{said} Switch the gradients on to see how fast {root.name} changes with each number."
    leaves = [node for node in nodes if not node.inputs and node.name != "½"]
    if not all(math.isfinite(number) for number in (root.data, *(leaf.grad for leaf in leaves))):
        return f"{said} A number here is larger than the largest float, 1.8e308: inf, or nan when two of them meet."
    steepest = max(leaves, key=lambda leaf: abs(leaf.grad))
    if steepest.grad == 0:
        return f"{said} No small change of an input changes {root.name}: all gradients are 0."
    return (
        f"{said} It is most sensitive to {steepest.name}: ∂{root.name}/∂{steepest.name} = {show(steepest.grad)}, so "
        f"raising {steepest.name} by 0.01 changes {root.name} by about {show(0.01 * steepest.grad)}."
    )
