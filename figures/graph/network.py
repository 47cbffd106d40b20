"""An MLP as a picture: a line for each weight, as wide as the weight or its gradient is large.

A network may also be of somebody's own class, on their own Value: it is read by .layers, the .neurons of each
layer, and the .weights and .bias of each neuron.
"""

import functools
import math
import random

import numpy as np

from autograd.errors import messages, validation
from autograd.training.nn import MLP
from figures.graph.reader import clean
from figures.page.frame_recorder import FrameTemplate
from figures.page.picture import Picture, labelled
from figures.page.style import number, steady
from figures.page.svg import label, svg

WIDTH, HEIGHT = 520, 296
BOX = (64, 21)  # of a neuron
FITS = 8  # characters of a number in it
TOP, BOTTOM = 24, 266  # the neurons are between these
LIMIT = 10  # neurons in a column, so that each can be read
NEAR = 1e-9  # between a network's outputs and those of its copy on arrays: the rounding of a few sums
SHOWS = ("weights", "gradients")


def draw_network(mlp, inputs=None, target=None, *, shows="weights"):
    """Draw an MLP as a Picture: each weight and bias a line, its width its size, its pattern and colour its sign.

    mlp: an autograd.MLP, or your own network with .layers, their .neurons, and the .weights and .bias of each.
    inputs: a list of numbers; each neuron then shows its activation for them. target: a number, or one for each output.
    shows: "weights", or "gradients" for the current grads of the parameters. At most 10 neurons per layer.
    """
    if isinstance(mlp, type) or not hasattr(mlp, "layers"):
        raise TypeError(f"draw_network takes an MLP, got {messages.described(mlp)}.{made_of(mlp)}")
    sizes = sizes_of(mlp)
    check(sizes)
    inputs = None if inputs is None else list(inputs)
    if inputs is not None and len(inputs) != sizes[0]:
        raise ValueError(f"This network takes {sizes[0]} inputs, got {len(inputs)}.")
    found = [[None] * size for size in sizes] if inputs is None else activations(mlp, inputs)
    stage = FrameTemplate(network)
    updates = stage.updates(mlp, target, found=found, shows=shows, kinds=activations_of(mlp))
    return Picture(stage(updates), description(mlp, inputs, shows))


def check(sizes):
    if max(sizes) > LIMIT or len(sizes) > 5:
        raise ValueError(
            f"A picture of a network has room for {LIMIT} neurons a layer and 3 hidden layers; this one is "
            f"{'-'.join(map(str, sizes))}. repr(mlp) tells its shape and how many parameters it has."
        )


def made_of(thing):
    """Return the advice for a class in place of a network; "" for anything else."""
    if not isinstance(thing, type):
        return ""
    return f" {thing.__name__} is the class: pass a network made of it, as {thing.__name__}(2, [4, 1])."


def neurons_of(net):
    """Return the neurons of each layer, for an MLP or somebody's own network.

    Raise TypeError, which says what is missing, if it has no .layers, .neurons, .weights and .bias, or if layers do not
    fit.
    """
    columns, size = [], None
    for layer in require_list(net, "layers"):
        columns.append(require_list(layer, "neurons"))
        for neuron in columns[-1]:
            weights = require_list(neuron, "weights")
            if not hasattr(neuron, "bias"):
                raise TypeError(unread(f"this one has {messages.described(neuron)} that has no .bias"))
            if not all(hasattr(parameter, name) for parameter in (*weights, neuron.bias) for name in ("data", "grad")):
                raise TypeError(unread("a weight or a bias of this one has no .data and .grad"))
            size = len(weights) if size is None else size
            if len(weights) != size:
                raise TypeError(unread(f"a neuron of layer {len(columns)} has {len(weights)} weights, not {size}"))
        size = len(columns[-1])
    return columns


def require_list(thing, name):
    """Return an attribute, .layers or .neurons or .weights, as a list; raise TypeError if it is none, or empty."""
    found = getattr(thing, name, None)
    if isinstance(found, (str, bytes, dict)) or not hasattr(found, "__len__") or not hasattr(found, "__iter__"):
        lacks = f"whose .{name} is no list" if hasattr(thing, name) else f"that has no .{name}"
        raise TypeError(unread(f"this one has {messages.described(thing)} {lacks}"))
    if not len(found):
        raise TypeError(unread(f"this one has {messages.described(thing)} whose .{name} is empty"))
    return list(found)


def unread(reason):
    return f"A network is read by its .layers, their .neurons, and the .weights and .bias of each; {reason}."


def sizes_of(mlp):
    """Return the number of inputs, and of neurons in each layer."""
    columns = neurons_of(mlp)
    return [len(columns[0][0].weights), *map(len, columns)]


def activations_of(mlp):
    """Return each layer's activation, by its first neuron; for somebody's own network, tanh if its outputs show it."""
    columns = neurons_of(mlp)
    if isinstance(mlp, MLP):
        return [column[0].activation for column in columns]
    return ["tanh"] * len(columns) if is_tanh(mlp) else []


def real_of(parameter, name):
    """Return a parameter's "data" or "grad" as a float; nan if somebody's own class has something else there."""
    try:
        return validation.real(getattr(parameter, name, None))
    except Exception:  # a property may raise anything
        return math.nan


def outputs_of(answer):
    """Return a network's or a layer's answer, a Value or a list of them, as floats; raise TypeError otherwise."""
    values = list(answer) if isinstance(answer, (list, tuple)) else [answer]
    if not values or not all(hasattr(value, "data") for value in values):
        raise TypeError(f"a network gives a Value, or a list of Values; this one gave {messages.described(answer)}.")
    return [validation.real(value.data, "the data of an output") for value in values]


def on_arrays(columns, points):
    """Return the outputs of tanh neurons for n points, as an array of shape (n, outputs).

    columns: as `neurons_of` returns them. The neurons are treated as tanh(b + Σ w·x), whatever they are: `is_tanh`
    says whether they are that.
    """
    outputs = np.asarray(points, float)
    for column in columns:
        weights = np.array([[real_of(weight, "data") for weight in neuron.weights] for neuron in column])
        outputs = np.tanh(outputs @ weights.T + [real_of(neuron.bias, "data") for neuron in column])
    return outputs


def probes(size):
    rng = random.Random(size)
    return [[rng.uniform(-2, 2) for _ in range(size)] for _ in range(5)]


def is_tanh(net):
    """Return whether somebody's own network matches tanh neurons with its weights and biases, on a few inputs."""
    try:
        columns = neurons_of(net)
        points = probes(len(columns[0][0].weights))
        given = [outputs_of(net(point)) for point in points]
        return bool(np.allclose(given, on_arrays(columns, points), rtol=0, atol=NEAR))
    except Exception:  # whatever somebody's own class may raise: then it is not known to be tanh
        return False


def description(mlp, inputs=None, shows="weights"):
    shape = "-".join(map(str, sizes_of(mlp)))
    said = f"A {shape} network with {len(mlp.parameters())} parameters. Widths of lines are the sizes of its {shows}"
    if inputs is None:
        return f"{said}."
    outputs = activations(mlp, inputs)[-1]
    return f"{said}. For the inputs {', '.join(map(number, inputs))} it gives {', '.join(map(number, outputs))}."


def activations(mlp, inputs):
    """Return the outputs of each layer for a list of inputs, as lists of floats; the inputs first."""
    found = [[float(x) for x in inputs]]
    values = list(inputs)
    for i, (layer, size) in enumerate(zip(mlp.layers, sizes_of(mlp)[1:]), start=1):
        values = layer(values)
        found.append(outputs_of(values))
        if len(found[-1]) != size:
            raise TypeError(f"layer {i} has {size} neurons, and gave {len(found[-1])} outputs.")
        values = values if isinstance(values, (list, tuple)) else [values]
    return found


def name_of(parameter, i, j, k):
    """Return a parameter's label; if it has none, w1.2.3 or b1.2 by its layer, its neuron and its input, from 1."""
    label_ = getattr(parameter, "label", "")
    label_ = clean(label_) if isinstance(label_, str) else ""
    return label_ or (f"w{i}.{j + 1}.{k}" if k else f"b{i}.{j + 1}")


def network(pen, net, target=None, *, found, shows="weights", known=True, kinds=(), alt=""):
    """Draw a network as an SVG string, by a FrameRecorder.

    target: a number, or one for each output; None: there is no column of targets. found: the outputs of each layer, the
    inputs first; None for those that are not known. known: whether the grads mean something; before a backward pass
    they are –. kinds: each layer's activation.

    Keys, prefixed by `net.`: e2.0.3 is the line from neuron 3 of layer 1 to neuron 0 of layer 2, counted from 1
    at the line's start, where 0 is the bias; n2.0 a neuron's box, n2.0.v its number; t0 a target, d0 the difference.
    """
    if shows not in SHOWS:
        raise ValueError(f"shows is one of {', '.join(SHOWS)}; got {shows!r}.")
    columns = places(sizes_of(net), target is not None)
    drawn, largest = wires(pen, net, columns, shows, known)
    parts = [drawn]
    for i, ((x, ys, one), outputs) in enumerate(zip(columns, found)):
        last = i == len(columns) - 1
        head = "inputs" if i == 0 else "output" if last else f"hidden {i}" if len(columns) > 3 else "hidden"
        kind = f": {kinds[i - 1]}" if i and kinds else ""
        parts.append(label(f"{head}{kind}", x, 16, "caption"))
        for j, (y, a) in enumerate(zip(ys, outputs)):
            if i == 0:
                parts.append(label(f"x{j + 1}", x - BOX[0] / 2 - 8, y + 4, "caption end"))
            parts.append(box(pen, f"net.n{i}.{j}", x, y, a))
        if one is not None:
            parts.append(f'<circle class="one" cx="{x:.1f}" cy="{one:.1f}" r="8"/>')
            parts.append(f'<text class="caption" x="{x:.1f}" y="{one + 4:.1f}">1</text>')
    if target is not None:
        parts.append(aims(pen, columns[-1], found[-1], target))
    parts += [*legend(), pen("text", "net.max", "caption end", at={"x": WIDTH - 12, "y": HEIGHT - 8},
              text=f"thickest line: |{shows[:-1]}| {steady(largest)}")]  # fmt: skip
    drawing = svg(WIDTH, HEIGHT, *parts)
    return labelled(drawing, alt) if alt else drawing


def wires(pen, net, columns, shows, known):
    """Draw the lines of all parameters; return them and the largest size that they show, None if that is not known."""
    wanted, told, edges, drawn = "data" if shows == "weights" else "grad", shows == "weights" or known, [], []
    for i, (neurons, after, before) in enumerate(zip(neurons_of(net), columns[1:], columns), start=1):
        for j, (neuron, y) in enumerate(zip(neurons, after[1])):
            for k, (parameter, start) in enumerate(zip([neuron.bias, *neuron.weights], [before[2], *before[1]])):
                left = before[0] + (8 if k == 0 else BOX[0] / 2)
                d = f"M{left:.1f},{start:.1f}L{after[0] - BOX[0] / 2:.1f},{y:.1f}"
                edges.append(
                    (f"net.e{i}.{j}.{k}", parameter, name_of(parameter, i, j, k), real_of(parameter, wanted), d)
                )
    largest = max((abs(size) for *_, size, _ in edges if math.isfinite(size)), default=0.0)
    for key, parameter, name, size, d in edges:
        state, width = stroke(size, largest, 4.0 if len(edges) > 40 else 6.0) if told else ("none", "0.8")
        grad = number(real_of(parameter, "grad") if known else None)
        title = pen("title", f"{key}.t", text=f"{name} = {number(real_of(parameter, 'data'))}, gradient {grad}")
        drawn.append(pen("path", key, "wire", title, at={"d": d}, state=state, stroke_width=width))
    return "".join(drawn), largest if told else None


def short(x):
    """Return a number as text that fits into a neuron's box; a long one gets fewer digits."""
    shorter = (f"{x:.{digits}g}".replace("-", "−") for digits in (5, 4, 3, 2, 1) if x is not None)
    whole = x is None or not math.isfinite(x) or x == round(x)  # the others change while it learns
    return next(text for text in (number(x) if whole else steady(x), *shorter) if len(text) <= FITS)


def stroke(size, largest, most):
    """Return the state and the width of a line for a number: its size relative to the largest."""
    if not math.isfinite(size):
        return "infinite", f"{most:.1f}"
    if size == 0:
        return "zero", "0.8"
    return "negative" if size < 0 else "positive", f"{0.6 + (most - 0.6) * abs(size) / largest:.2f}"


def places(sizes, aimed=True):
    """Return for each column its x, its neurons' y, and the y of its constant 1 (None in the last).

    aimed: whether there is a column of targets.
    """
    left, right, columns = 58.0, WIDTH - (128.0 if aimed else 58.0), []
    for i, size in enumerate(sizes):
        count = size + (i < len(sizes) - 1)
        gap = min(54.0, (BOTTOM - TOP) / count)
        first = (TOP + BOTTOM) / 2 - gap * (count - 1) / 2
        ys = [first + gap * j for j in range(count)]
        x = left + (right - left) * i / (len(sizes) - 1)
        columns.append((x, ys[:size], ys[size] if count > size else None))
    return columns


def box(pen, key, x, y, a):
    size = {"x": x - BOX[0] / 2, "y": y - BOX[1] / 2, "width": BOX[0], "height": BOX[1], "rx": 11}
    paper = "".join(f' {name}="{value}"' for name, value in size.items())
    shown = a is not None and math.isfinite(a)
    state = ("negative" if a < 0 else "positive") if shown else "zero"
    tint = pen("rect", key, "tint", at=size, state=state, fill_opacity=f"{0.42 * min(1.0, abs(a)) if shown else 0:.2f}")
    value = pen("text", f"{key}.v", "value", text=short(a), at={"x": x, "y": y + 4})
    return f'<g class="unit"><rect class="paper"{paper}/>{tint}{value}</g>'


def aims(pen, column, outputs, target):
    """Draw the targets next to the outputs, and how far each output is off."""
    x, ys, _ = column
    left, parts = x + 92 - BOX[0] / 2, [label("target", x + 92, 16, "caption")]
    for j, (y, a, t) in enumerate(
        zip(ys, outputs, target if isinstance(target, (list, tuple)) else [target] * len(ys))
    ):
        parts += [
            f'<path class="axis" d="M{x + BOX[0] / 2 + 4:.1f},{y:.1f}H{left - 4:.1f}"/>',
            f'<rect class="aim" x="{left:.1f}" y="{y - BOX[1] / 2:.1f}" width="{BOX[0]}" height="{BOX[1]}" rx="3"/>',
            pen("text", f"net.t{j}", "value", text=short(t), at={"x": x + 92, "y": y + 4}),
            pen("text", f"net.d{j}", "caption", text="" if a is None else f"off by {steady(a - t)}",
                at={"x": x + 62, "y": y + 28}),
        ]  # fmt: skip
    return "".join(parts)


@functools.cache
def legend():
    parts, y = [], HEIGHT - 8
    for x, state, text in ((20, "positive", "positive"), (118, "negative", "negative"), (220, "zero", "0")):
        width = "0.8" if state == "zero" else "3"
        parts.append(f'<path class="wire" data-state="{state}" stroke-width="{width}" d="M{x},{y - 4}h30"/>')
        parts.append(label(text, x + 36, y, "caption start"))
    return parts
