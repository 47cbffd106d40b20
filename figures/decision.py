"""What a network with two inputs answers over the plane, as a still map with the points that it has to tell apart."""

import numpy as np
from matplotlib.figure import Figure

from autograd import messages
from autograd.nn import MLP
from autograd.tensor_nn import TensorMLP
from figures.graph import clean
from figures.style import INK, SERIES, matplotlib_style

STEPS = 120  # of the grid, along each axis
MARGIN = 0.35  # between the outermost points and the edge of the map


def decision_map(net, points, targets, *, title=""):
    """A network's answers over the plane of its two inputs, drawn into a matplotlib Figure and returned.

    net: an MLP or TensorMLP with two inputs and one output. points: n pairs. targets: n numbers, of two classes: -1
    and 1, told apart at 0, or 0 and 1, told apart at 0.5. Where the network takes the higher class the map is shaded;
    the line is the border. Circles are points of the higher class, triangles of the lower; a cross marks a wrong one.
    """
    net = on_arrays(net)
    points, targets = np.asarray(points, float), np.asarray(targets, float)
    if points.ndim != 2 or points.shape[1:] != (2,) or targets.shape != points.shape[:1] or not len(points):
        raise ValueError(
            f"decision_map takes n points with two numbers each, and n targets; got shapes {points.shape} and "
            f"{targets.shape}."
        )
    if not set(targets) <= {-1.0, 1.0} and not set(targets) <= {0.0, 1.0}:
        raise ValueError(f"targets are -1 and 1, or 0 and 1; got {sorted(set(targets))[:4]}.")
    border = 0.5 if 0.0 in targets else 0.0
    high = targets > border
    wrong = (net(points).data[:, 0] > border) != high
    low, top = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    xs, ys = (np.linspace(a, b, STEPS) for a, b in zip(low, top))
    answers = net(np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)).data.reshape(STEPS, STEPS)
    with matplotlib_style():
        figure = Figure(figsize=(6.0, 4.2), layout="constrained")
        axes = figure.subplots()
        axes.set_aspect("equal")
        axes.contourf(xs, ys, answers > border, levels=[0.5, 1.5], colors=[SERIES[5]], alpha=0.35)
        if answers.min() < border < answers.max():
            axes.contour(xs, ys, answers, levels=[border], colors=[INK], linewidths=1.6)
        for chosen, marker, colour in ((high, "o", SERIES[0]), (~high, "^", SERIES[1])):
            axes.scatter(*points[chosen].T, s=30, marker=marker, color=colour, edgecolors=INK, linewidths=0.6)
        axes.scatter(*points[wrong].T, s=90, marker="x", color=INK, linewidths=1.6)
        axes.set_xlabel("x1")
        axes.set_ylabel("x2")
        axes.set_title(clean(title), loc="left")
    count = f"{len(points) - int(wrong.sum())} of {len(points)} points are on the right side"
    figure.set_label(f"{clean(title) + '. ' if title else ''}Decision map: {count} of the line where it is {border:g}.")
    return figure


def on_arrays(net):
    """The network as a TensorMLP with two inputs and one output; TypeError or ValueError if it is none."""
    if isinstance(net, MLP):
        net = TensorMLP.from_mlp(net)
    if not isinstance(net, TensorMLP):
        raise TypeError(f"decision_map takes an MLP or a TensorMLP, got {messages.described(net)}.")
    if (net.sizes[0], net.sizes[-1]) != (2, 1):
        raise ValueError(f"a decision map needs two inputs and one output; this network has sizes {net.sizes}.")
    return net
