"""The MLP as a picture: a line for each weight, as wide as the weight or its gradient is large.

A network may also be of a class of somebody's own, on a Value of their own: it is read by .layers, the .neurons of each
layer, and the .weights and .bias of each neuron.
"""

import math
import random

import numpy as np

from autograd import messages
from autograd.nn import MLP
from figures.graph import clean
from figures.picture import Picture
from figures.style import number
from figures.svg import label, part, svg

WIDTH, HEIGHT = 520, 296
BOX = (60, 21)  # of a neuron: a number of 9 characters fits
TOP, BOTTOM = 24, 266  # between these stand the neurons
LIMIT = 10  # neurons in a column, so that each can be read
NEAR = 1e-9  # between a network's outputs and those of its twin on arrays: the rounding of a few sums
SHOWS = ("weights", "gradients")


def draw_network(mlp, inputs=None, target=None, *, shows="weights"):
    """An MLP as a Picture: each weight and bias a line, its width its size, its pattern and colour its sign.

    mlp: an autograd.MLP, or a network of your own with .layers, their .neurons, and the .weights and .bias of each.
    inputs: a list of numbers; each neuron then shows its activation for them. target: a number, or one for each output.
    shows: "weights", or "gradients" for the grads that the parameters have now. At most 10 neurons a layer.
    """
    if isinstance(mlp, type) or not hasattr(mlp, "layers"):
        raise TypeError(f"draw_network takes an MLP, got {messages.described(mlp)}.{made_of(mlp)}")
    sizes = sizes_of(mlp)
    check(sizes)
    inputs = None if inputs is None else list(inputs)
    if inputs is not None and len(inputs) != sizes[0]:
        raise ValueError(f"This network takes {sizes[0]} inputs, got {len(inputs)}.")
    marks = network_marks(mlp, inputs, target, shows=shows)
    drawing = network_svg(sizes, marks, activations_of(mlp))
    return Picture(drawing, description(mlp, inputs, shows))


def check(sizes):
    """ValueError if a network is too large to be read as a picture."""
    if max(sizes) > LIMIT or len(sizes) > 5:
        raise ValueError(
            f"A picture of a network has room for {LIMIT} neurons a layer and 3 hidden layers; this one is "
            f"{'-'.join(map(str, sizes))}. repr(mlp) tells its shape and how many parameters it has."
        )


def made_of(thing):
    """What to do with a class where a network is wanted; "" for anything else."""
    if not isinstance(thing, type):
        return ""
    return f" {thing.__name__} is the class: pass a network made of it, as {thing.__name__}(2, [4, 1])."


def neurons_of(net):
    """The neurons of each layer, for an MLP or a network of somebody's own.

    TypeError, with what is missing, if it has no .layers, .neurons, .weights and .bias, or if layers do not fit.
    """
    columns, size = [], None
    for layer in listed(net, "layers"):
        columns.append(listed(layer, "neurons"))
        for neuron in columns[-1]:
            weights = listed(neuron, "weights")
            if not hasattr(neuron, "bias"):
                raise TypeError(unread(f"this one has {messages.described(neuron)} that has no .bias"))
            if not all(hasattr(parameter, name) for parameter in (*weights, neuron.bias) for name in ("data", "grad")):
                raise TypeError(unread("a weight or a bias of this one has no .data and .grad"))
            size = len(weights) if size is None else size
            if len(weights) != size:
                raise TypeError(unread(f"a neuron of layer {len(columns)} has {len(weights)} weights, not {size}"))
        size = len(columns[-1])
    return columns


def listed(thing, name):
    """What stands under a name, .layers or .neurons or .weights, as a list; TypeError if that is none, or empty."""
    found = getattr(thing, name, None)
    if isinstance(found, (str, bytes, dict)) or not hasattr(found, "__len__") or not hasattr(found, "__iter__"):
        lacks = f"whose .{name} is no list" if hasattr(thing, name) else f"that has no .{name}"
        raise TypeError(unread(f"this one has {messages.described(thing)} {lacks}"))
    if not len(found):
        raise TypeError(unread(f"this one has {messages.described(thing)} whose .{name} is empty"))
    return list(found)


def unread(reason):
    """Why a network cannot be drawn."""
    return f"A network is read by its .layers, their .neurons, and the .weights and .bias of each; {reason}."


def sizes_of(mlp):
    """The number of inputs, and of neurons in each layer."""
    columns = neurons_of(mlp)
    return [len(columns[0][0].weights), *map(len, columns)]


def activations_of(mlp):
    """The activation of each layer, by its first neuron; of a network of somebody's own, tanh if its outputs say so."""
    columns = neurons_of(mlp)
    if isinstance(mlp, MLP):
        return [column[0].activation for column in columns]
    return ["tanh"] * len(columns) if is_tanh(mlp) else []


def real_of(parameter, name):
    """A parameter's "data" or "grad" as a float; nan where a class of somebody's own has something else there."""
    try:
        return messages.real(getattr(parameter, name, None))
    except Exception:  # a property may raise anything
        return math.nan


def outputs_of(answer):
    """What a network or a layer gave, a Value or a list of them, as floats. TypeError if it is neither."""
    values = list(answer) if isinstance(answer, (list, tuple)) else [answer]
    if not values or not all(hasattr(value, "data") for value in values):
        raise TypeError(f"a network gives a Value, or a list of Values; this one gave {messages.described(answer)}.")
    return [messages.real(value.data, "the data of an output") for value in values]


def on_arrays(columns, points):
    """The outputs of tanh neurons for n points, as an array of shape (n, outputs). columns: as `neurons_of` gives them.

    The neurons are taken for tanh(b + Σ w·x), whatever they are: `is_tanh` says whether they are that.
    """
    outputs = np.asarray(points, float)
    for column in columns:
        weights = np.array([[real_of(weight, "data") for weight in neuron.weights] for neuron in column])
        outputs = np.tanh(outputs @ weights.T + [real_of(neuron.bias, "data") for neuron in column])
    return outputs


def probes(size):
    """A handful of inputs to a network, always the same."""
    rng = random.Random(size)
    return [[rng.uniform(-2, 2) for _ in range(size)] for _ in range(5)]


def is_tanh(net):
    """Whether a network of somebody's own gives what tanh neurons with its weights and biases give, on a few inputs."""
    try:
        columns = neurons_of(net)
        points = probes(len(columns[0][0].weights))
        given = [outputs_of(net(point)) for point in points]
        return bool(np.allclose(given, on_arrays(columns, points), rtol=0, atol=NEAR))
    except Exception:  # whatever a class of somebody's own may raise: then it is not known to be one
        return False


def description(mlp, inputs=None, shows="weights"):
    """What the picture shows, in words."""
    shape = "-".join(map(str, sizes_of(mlp)))
    said = f"A {shape} network with {len(mlp.parameters())} parameters. Widths of lines are the sizes of its {shows}"
    if inputs is None:
        return f"{said}."
    outputs = activations(mlp, inputs)[-1]
    return f"{said}. For the inputs {', '.join(map(number, inputs))} it gives {', '.join(map(number, outputs))}."


def activations(mlp, inputs):
    """The outputs of each layer for a list of inputs, as lists of floats; the inputs first."""
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
    """A parameter's label; where it has none, w1.2.3 or b1.2 by its layer, its neuron and its input, from 1."""
    label_ = getattr(parameter, "label", "")
    label_ = clean(label_) if isinstance(label_, str) else ""
    return label_ or (f"w{i}.{j + 1}.{k}" if k else f"b{i}.{j + 1}")


def network_marks(mlp, inputs=None, target=None, *, shows="weights", known=True, found=None, key="net"):
    """The marks of a network's picture, for `network_svg` of the same sizes.

    known: whether the grads mean something; before a backward pass they are –. found: the outputs of each layer, the
    inputs first, where they need not be computed; None for those that are not known.
    """
    if shows not in SHOWS:
        raise ValueError(f"shows is one of {', '.join(SHOWS)}; got {shows!r}.")
    marks, sizes, edges = {}, sizes_of(mlp), []
    for i, column in enumerate(neurons_of(mlp), start=1):
        for j, neuron in enumerate(column):
            for k, parameter in enumerate([neuron.bias, *neuron.weights]):
                edges.append((f"{key}.e{i}.{j}.{k}", parameter, name_of(parameter, i, j, k)))
    told = shows == "weights" or known
    numbers = [(edge, real_of(p, "data" if shows == "weights" else "grad")) for edge, p, _ in edges]
    largest = max((abs(size) for _, size in numbers if math.isfinite(size)), default=0.0)
    for (edge, size), (_, p, name) in zip(numbers, edges):
        state, width = stroke(size, largest, 4.0 if len(edges) > 40 else 6.0) if told else ("none", "0.8")
        grad = number(real_of(p, "grad") if known else None)
        marks[edge] = {"state": state, "stroke-width": width}
        marks[f"{edge}.t"] = {"text": f"{name} = {number(real_of(p, 'data'))}, gradient {grad}"}
    what = "weight" if shows == "weights" else "gradient"
    marks[f"{key}.max"] = {"text": f"thickest line: |{what}| {number(largest if told else None)}"}
    if found is None:
        found = activations(mlp, inputs) if inputs is not None else [[None] * size for size in sizes]
    for i, column in enumerate(found):
        for j, a in enumerate(column):
            marks[f"{key}.n{i}.{j}"] = fill(a)
            marks[f"{key}.n{i}.{j}.v"] = {"text": number(a)}
    targets = target if isinstance(target, (list, tuple)) else [target] * sizes[-1]
    for j, (a, t) in enumerate(zip(found[-1], targets)):
        off = None if a is None or t is None else a - t
        marks[f"{key}.t{j}"] = {"text": number(t)}
        marks[f"{key}.d{j}"] = {"text": "" if off is None else f"off by {number(off)}"}
    return marks


def stroke(size, largest, most):
    """The state and the width of a line for a number: as wide as it is large, beside the largest."""
    if not math.isfinite(size):
        return "infinite", f"{most:.1f}"
    if size == 0:
        return "zero", "0.8"
    return "negative" if size < 0 else "positive", f"{0.6 + (most - 0.6) * abs(size) / largest:.2f}"


def fill(a):
    """The mark of a neuron's box: the deeper, the larger its activation."""
    if a is None or not math.isfinite(a):
        return {"state": "zero", "fill-opacity": "0"}
    return {"state": "negative" if a < 0 else "positive", "fill-opacity": f"{0.42 * min(1.0, abs(a)):.2f}"}


def places(sizes, width=WIDTH):
    """Where things stand: for each column its x, its neurons' y, and the y of its constant 1 (None in the last)."""
    left, right, columns = 54.0, width - 128.0, []
    for i, size in enumerate(sizes):
        count = size + (i < len(sizes) - 1)
        gap = min(54.0, (BOTTOM - TOP) / count)
        first = (TOP + BOTTOM) / 2 - gap * (count - 1) / 2
        ys = [first + gap * j for j in range(count)]
        x = left + (right - left) * i / (len(sizes) - 1)
        columns.append((x, ys[:size], ys[size] if count > size else None))
    return columns


def network_svg(sizes, marks, kinds=(), *, key="net", alt=""):
    """The picture of a network with these sizes (inputs first) as an SVG string. kinds: each layer's activation.

    Keys, with `net.` before them: e2.0.3 is the line from neuron 3 of layer 1 to neuron 0 of layer 2, counted from 1
    at the line's start, where 0 is the bias; n2.0 a neuron's box, n2.0.v its number; t0 a target, d0 the difference.
    """
    columns, parts = places(sizes), []
    for i, (column, before) in enumerate(zip(columns[1:], columns), start=1):
        for j, y in enumerate(column[1]):
            for k, start in enumerate([before[2], *before[1]]):
                edge = f"{key}.e{i}.{j}.{k}"
                x = before[0] + (8 if k == 0 else BOX[0] / 2)
                title = part("title", f"{edge}.t", marks)
                d = f"M{x:.1f},{start:.1f}L{column[0] - BOX[0] / 2:.1f},{y:.1f}"
                parts.append(part("path", edge, marks, title, class_="wire", d=d))
    for i, (x, ys, one) in enumerate(columns):
        last = i == len(columns) - 1
        head = "inputs" if i == 0 else "output" if last else f"hidden {i}" if len(columns) > 3 else "hidden"
        kind = f": {kinds[i - 1]}" if i and kinds else ""
        parts.append(label(f"{head}{kind}", x, 16, "caption"))
        for j, y in enumerate(ys):
            if i == 0:
                parts.append(label(f"x{j + 1}", x - BOX[0] / 2 - 8, y + 4, "caption end"))
            parts.append(box(f"{key}.n{i}.{j}", x, y, marks))
            if last:
                parts += aim(f"{key}.t{j}", f"{key}.d{j}", x, y, marks)
        if one is not None:
            parts.append(f'<circle class="one" cx="{x:.1f}" cy="{one:.1f}" r="8"/>')
            parts.append(f'<text class="caption" x="{x:.1f}" y="{one + 4:.1f}">1</text>')
    parts.append(label("target", columns[-1][0] + 92, 16, "caption"))
    parts += legend(key, marks)
    drawing = svg(WIDTH, HEIGHT, *parts)
    return drawing.replace("<svg", f'<svg role="img" aria-label="{alt}"', 1) if alt else drawing


def box(key, x, y, marks):
    """A neuron: a box in which its activation stands."""
    size = f'x="{x - BOX[0] / 2:.1f}" y="{y - BOX[1] / 2:.1f}" width="{BOX[0]}" height="{BOX[1]}" rx="11"'
    tint = part("rect", key, marks, class_="tint", x=f"{x - BOX[0] / 2:.1f}", y=f"{y - BOX[1] / 2:.1f}",
                width=BOX[0], height=BOX[1], rx=11)  # fmt: skip
    number_ = part("text", f"{key}.v", marks, class_="value", x=f"{x:.1f}", y=f"{y + 4:.1f}")
    return f'<g class="unit"><rect class="paper" {size}/>{tint}{number_}</g>'


def aim(key, off, x, y, marks):
    """The target beside an output, and how far the output is off."""
    left = x + 92 - BOX[0] / 2
    return [
        f'<path class="axis" d="M{x + BOX[0] / 2 + 4:.1f},{y:.1f}H{left - 4:.1f}"/>',
        f'<rect class="aim" x="{left:.1f}" y="{y - BOX[1] / 2:.1f}" width="{BOX[0]}" height="{BOX[1]}" rx="3"/>',
        part("text", key, marks, class_="value", x=f"{x + 92:.1f}", y=f"{y + 4:.1f}"),
        part("text", off, marks, class_="caption", x=f"{x + 62:.1f}", y=f"{y + 28:.1f}"),
    ]


def legend(key, marks):
    """What the lines mean."""
    parts, y = [], HEIGHT - 8
    for x, state, text in ((20, "positive", "positive"), (118, "negative", "negative"), (220, "zero", "0")):
        width = "0.8" if state == "zero" else "3"
        parts.append(f'<path class="wire" data-state="{state}" stroke-width="{width}" d="M{x},{y - 4}h30"/>')
        parts.append(label(text, x + 36, y, "caption start"))
    parts.append(part("text", f"{key}.max", marks, class_="caption end", x=WIDTH - 12, y=y))
    return parts
