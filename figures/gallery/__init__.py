"""The pictures that README.md and the lessons embed. `python -m figures gallery` draws them again."""

import argparse
import math
import random
from pathlib import Path

import figures
from autograd import Neuron, Value, half_squares
from autograd.lessons import colours, painting, spelling
from figures.charts.static_charts import as_picture, gradient_histogram
from figures.gallery.animated import moving
from figures.graph.stage import with_label
from figures.labs import neuron, step
from figures.page.picture import standalone

HERE = Path(__file__).parent


def twice():
    """Return y = b(b + 1) with b = 2a at a = 1.5: a small graph in which a node is used twice."""
    b = with_label(Value(2.0, label="2") * Value(1.5, label="a"), "b")
    return with_label(b * with_label(b + Value(1.0, label="1"), "c"), "y")


def backward_pass():
    """Draw the backward pass of f = (x + y) · z at (-2, 5, -4), every step of it, as a moving picture."""
    q = with_label(Value(-2.0, label="x") + Value(5.0, label="y"), "q")
    f = with_label(q * Value(-4.0, label="z"), "f")
    return moving(step.record(f, forward=False, direction="LR", title="The backward pass of f = (x + y) · z"))


def step_backward():
    """Draw a neuron in the middle of its backward pass: the graph of the step lab."""
    root = neuron.build({"x1": 2.0, "x2": 3.0, "w1": 0.5, "w2": -0.5, "b": 0.1, "y": 1.0}, "sigmoid", "half_squares")
    recording = step.record(root, direction="LR")
    chosen = next(i for i, frame in enumerate(recording.frames) if frame.say.startswith("From a back to z"))
    return recording.picture(chosen)


def gradients():
    """Draw the gradients of a hundred random neurons, as in lesson 02."""
    layers = {"b": [], "w1": [], "w2": []}
    for seed in range(100):
        one = Neuron(2, activation="tanh", rng=random.Random(seed))
        half_squares([one([2.0, 3.0])], [1.0]).backward()
        for name, parameter in zip(layers, (one.bias, *one.weights)):
            layers[name].append(parameter.grad)
    return as_picture(gradient_histogram(layers, title="Gradients of 100 random neurons")).svg


def invented():
    """Draw lesson 15's card: names that one network made up, painted by another; both trained on autograd's Tensor."""
    data = colours.load_colours()
    known = painting.vocabulary(data.train)
    speller, painter = spelling.trained_windows(data.train), painting.trained_painter(data.train, known)
    names = colours.new_names(spelling.after_windows(speller), 24, data.rgb, 0.9)
    paint = painting.colours_of(painter, painting.shares(names, known))
    return figures.colour_card(names, paint, "Invented by the course's engine").svg


def worked(lab, pieces=math.inf):
    """Draw a live lab after `pieces` pieces of its work, or at its end."""
    while pieces and lab.step():
        pieces -= 1
    lab.draw()
    return draw_frame(lab)


def draw_frame(player, index=-1):
    return player.recording.picture(index)


PICTURES = {
    "step_backward.svg": step_backward,
    "gradients.svg": gradients,
    "goal.svg": lambda: draw_frame(figures.goal(-0.2, 1.9, -0.9), 1),
    "nudge.svg": lambda: draw_frame(figures.nudge(), 3),
    "expression.svg": lambda: draw_frame(figures.expression(gradients=True)),
    "neuron.svg": lambda: draw_frame(figures.neuron((2, 0), (-3, 1), 6.8813735870195432)),
    "paths.svg": lambda: draw_frame(figures.paths(twice())),
    "depth_first.svg": lambda: draw_frame(figures.depth_first(twice())),
    "drag.svg": lambda: draw_frame(figures.drag(twice())),
    "order.svg": lambda: draw_frame(figures.order(twice())),
    "forward_mode.svg": lambda: draw_frame(figures.forward_mode(twice()), 2),
    "policy.svg": lambda: draw_frame(figures.policy()),
    "stale.svg": lambda: draw_frame(figures.stale()),
    "descent.svg": lambda: draw_frame(figures.descent(lr=0.2), 5),
    "shape.svg": lambda: draw_frame(figures.shape()),
    "xor.svg": lambda: worked(figures.xor(), 300),  # epochs, from seed 0
    "lottery.svg": lambda: worked(figures.lottery().lottery),
    "border.svg": lambda: worked(figures.border("circle"), 200),  # epochs
    "microscope.svg": lambda: draw_frame(figures.microscope()),
    "deep_training.svg": lambda: worked(figures.deep_training(), 5 * 300),  # 300 steps of each network
    "classifier.svg": lambda: worked(figures.classifier()),
    "clip.svg": lambda: draw_frame(figures.clip()),
    "matmul.svg": lambda: draw_frame(figures.matmul(), 3),
    "broadcast.svg": lambda: draw_frame(figures.broadcast(), 4),
    "jacobian.svg": lambda: draw_frame(figures.jacobian(), 3),
    "embedding.svg": lambda: draw_frame(figures.embedding(), 10),
    "attention.svg": lambda: draw_frame(figures.attention(), 7),
    "attention_map.svg": lambda: draw_frame(figures.attention_map(), 0),
    "sampling.svg": lambda: draw_frame(figures.sampling(temperature=2), 50),
    "colours.svg": invented,
    "memory.svg": lambda: draw_frame(figures.memory(), 100),
    "torch_graph.svg": lambda: figures.torch_graph("digits").svg,
}
MOVING = {"backward_pass.svg": backward_pass}  # these contain their style and their motion


def make(folder=HERE, names=()):
    """Write every picture into `folder`, or those of these names ("xor"); yield their files' names."""
    for name, draw in (PICTURES | MOVING).items():
        if not names or name.removesuffix(".svg") in names:
            (Path(folder) / name).write_text(draw() if name in MOVING else standalone(draw()), encoding="utf-8")
            yield name


def main(arguments=None):
    """Make the pictures that a command line names, and print what was made; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m figures gallery", description=__doc__)
    known = [name.removesuffix(".svg") for name in (*PICTURES, *MOVING)]
    parser.add_argument("names", metavar="PICTURE", nargs="*", help=f"of these, or all: {', '.join(known)}")
    names = parser.parse_args(arguments).names
    for name in make(names=names):
        print(name)
    if unknown := [name for name in names if name not in known]:
        print(f"The gallery has no {', '.join(unknown)}. It has: {', '.join(known)}.")
    return 1 if unknown else 0
