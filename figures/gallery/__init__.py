"""The pictures that README.md and the lessons embed. `python -m figures.gallery` makes them anew, beside this file."""

import random
from pathlib import Path

from autograd import Neuron, half_squares
from figures.charts import as_picture, gradient_histogram
from figures.labs import neuron, step
from figures.picture import standalone

HERE = Path(__file__).parent


def step_backward():
    """A neuron in the middle of its backward pass: the graph of the step lab."""
    root = neuron.build({"x1": 2.0, "x2": 3.0, "w1": 0.5, "w2": -0.5, "b": 0.1, "y": 1.0}, "sigmoid", "half_squares")
    recording = step.record(root, direction="LR")
    chosen = next(i for i, frame in enumerate(recording.frames) if frame.say.startswith("From a back to z"))
    return recording.picture(chosen)


def gradients():
    """The gradients of a hundred random neurons, as lesson 03 draws them."""
    layers = {"b": [], "w1": [], "w2": []}
    for seed in range(100):
        one = Neuron(2, activation="tanh", rng=random.Random(seed))
        half_squares([one([2.0, 3.0])], [1.0]).backward()
        for name, parameter in zip(layers, (one.bias, *one.weights)):
            layers[name].append(parameter.grad)
    return as_picture(gradient_histogram(layers, title="Gradients of 100 random neurons")).svg


PICTURES = {"step_backward.svg": step_backward, "gradients.svg": gradients}


def make(folder=HERE):
    """Write every picture into `folder`; yields their names."""
    for name, draw in PICTURES.items():
        (Path(folder) / name).write_text(standalone(draw()), encoding="utf-8")
        yield name
