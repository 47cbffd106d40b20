"""A still map of the answers of a network with two inputs, with the points that it must tell apart."""

import numpy as np

from autograd.errors import messages
from autograd.training.nn import MLP
from autograd.training.tensor_nn import TensorMLP
from figures.charts.static_charts import TITLE, escape_text
from figures.graph.network import is_tanh, made_of, neurons_of, on_arrays, outputs_of
from figures.graph.reader import clean
from figures.page.style import INK, SERIES, matplotlib_style, new_figure

STEPS = 120  # points of the grid along each axis
COARSE = 30  # points for a network that cannot be read as arrays and must be called for each
MARGIN = 0.35  # between the outermost points and the edge of the map


def decision_map(net, points, targets, *, title="", circle=None):
    """Draw a network's answers over the plane of its two inputs into a matplotlib Figure, and return it.

    net: an MLP, a TensorMLP or your own network, with two inputs and one output. points: n pairs. targets: n
    numbers, of two classes: -1 and 1, told apart at 0, or 0 and 1, told apart at 0.5. The map is shaded where the
    network takes the higher class; the line is the border. Circles are points of the higher class, triangles of the
    lower; a cross marks a wrong one. circle: the radius of a circle around (0, 0) that is the true border, drawn as a
    thin dashed line. Your own network is read as arrays if it is made of tanh neurons, which a few inputs show;
    any other is called for each point of a coarser grid.
    """
    answer, steps = answers_of(net)
    points, targets = np.asarray(points, float), np.asarray(targets, float)
    if points.ndim != 2 or points.shape[1:] != (2,) or targets.shape != points.shape[:1] or not len(points):
        raise ValueError(
            f"decision_map takes n points with two numbers each, and n targets; got shapes {points.shape} and "
            f"{targets.shape}."
        )
    if not set(targets) <= {-1.0, 1.0} and not set(targets) <= {0.0, 1.0}:
        raise ValueError(f"targets are -1 and 1, or 0 and 1; got {sorted({*targets.tolist()})[:4]}.")
    border = 0.5 if 0.0 in targets else 0.0
    high = targets > border
    wrong = (answer(points) > border) != high
    low, top = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    xs, ys = (np.linspace(a, b, steps) for a, b in zip(low, top))
    answers = answer(np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)).reshape(steps, steps)
    with matplotlib_style():
        figure = new_figure(6.0, 4.2)
        axes = figure.subplots()
        axes.set_aspect("equal")
        axes.contourf(xs, ys, answers > border, levels=[0.5, 1.5], colors=[SERIES[5]], alpha=0.35)
        if answers.min() < border < answers.max():
            axes.contour(xs, ys, answers, levels=[border], colors=[INK], linewidths=1.6)
        for chosen, marker, colour in ((high, "o", SERIES[0]), (~high, "^", SERIES[1])):
            axes.scatter(*points[chosen].T, s=30, marker=marker, color=colour, edgecolors=INK, linewidths=0.6)
        axes.scatter(*points[wrong].T, s=90, marker="x", color=INK, linewidths=1.6)
        if circle is not None:
            from matplotlib.patches import Circle

            axes.add_patch(Circle((0, 0), circle, fill=False, edgecolor=INK, linestyle="--", linewidth=0.9))
        axes.set_xlabel("x1")
        axes.set_ylabel("x2")
        axes.set_title(escape_text(title, TITLE), loc="left")
    count = f"{len(points) - int(wrong.sum())} of {len(points)} points are on the right side"
    lead = f"{clean(title, TITLE)}. " if title else ""
    true = f" Dashed: the true border, a circle of radius {circle:g}." if circle is not None else ""
    figure.set_label(f"{lead}Decision map: {count} of the line where it is {border:g}.{true}")
    return figure


def answers_of(net):
    """Return a network's function from n points to n outputs, and how fine a grid it is used on.

    Raise TypeError or ValueError if it does not have two inputs and one output.
    """
    if isinstance(net, MLP):
        net = TensorMLP.from_mlp(net)
    if isinstance(net, TensorMLP):
        fit(net.sizes)
        return (lambda points: net(points).data[:, 0]), STEPS
    if isinstance(net, type) or not callable(net) or not (hasattr(net, "layers") or hasattr(net, "parameters")):
        raise TypeError(
            f"decision_map takes an MLP or a TensorMLP, or a network of your own; got {messages.described(net)}."
            f"{made_of(net)}"
        )
    if is_tanh(net):
        columns = neurons_of(net)
        fit([len(columns[0][0].weights), *map(len, columns)])
        return (lambda points: on_arrays(columns, points)[:, 0]), STEPS
    return (lambda points: np.array([one_output(net, point) for point in points.tolist()])), COARSE


def fit(sizes):
    """Raise ValueError unless a network of these sizes has two inputs and one output."""
    if (sizes[0], sizes[-1]) != (2, 1):
        raise ValueError(f"a decision map needs two inputs and one output; this network has sizes {sizes}.")


def one_output(net, point):
    """Return the only output of somebody's own network, as a float; raise ValueError if it gives more."""
    found = outputs_of(net(point))
    if len(found) != 1:
        raise ValueError(f"a decision map needs two inputs and one output; this network gives {len(found)}.")
    return found[0]
