"""The shape lab: an MLP's layer sizes, what they make in parameters and nodes, and a neuron opened into its ops."""

import html
import itertools
import random
import re

from autograd import MLP, Value, messages
from autograd.nn import size
from autograd.real import show
from figures.live import Live
from figures.player import Control, Frame, Recording
from figures.svg import label, part, side_by_side, svg

ACTIVATIONS = ("linear", "tanh", "sigmoid", "relu", "leaky_relu")
LARGEST, HIDDEN = 16, 3  # units in a layer, and hidden layers, that the pictures have room for
ROOM = (  # a sentence as long as any that is said
    "MLP(16, [16, 16, 16, 16]) has (16+1)·16 + (16+1)·16 + (16+1)·16 + (16+1)·16 = 1,088 parameters. Its graph has "
    "1,232 nodes with one for each neuron's sum, 3,216 with one for each operation. Neuron 1.16 is open: 16 products "
    "and 16 additions, then leaky_relu, give -0.000e+00."
)
INPUTS = (1.0, -0.5, 0.5, -1.0)  # the sample that runs through the network, from the start again where it is short

TALL, TOP, BOTTOM = 252, 40, 232  # of the two upper pictures, and where their columns begin and end
NETWORK, GRAPH, BOX = 400, 640, 96  # widths: of the picture of the network, of its graph, of a neuron's box in it
LOW, ACROSS, SLOT, CELL, LINE = 192, 8, 65, 59, 84  # of the opened neuron: height, inputs in a line, sizes of parts
TAIL = GRAPH - SLOT * (ACROSS + 1) - 1  # the width of the last box of the opened neuron
FACTS = 5  # lines of text beside it


def shape(n_inputs=2, layers=(4, 4, 1), *, activation="tanh", output="linear", counts=False):
    """Choose an MLP's layer sizes; see its parameters and the nodes of its graph counted, and open a neuron.

    A layer of m neurons that reads n numbers has (n + 1)·m parameters. The graph has a node for each input, parameter,
    weighted sum and activation; built from single operations (`every_op=True`), n products and n additions stand in
    for each weighted sum. Pressing a neuron of the graph opens its sum; pressing it again closes it.

    n_inputs, layers: as MLP takes them, with at most 3 hidden layers and 16 units in each; sliders change them, and a
    hidden layer of 0 is left out. activation: that of hidden layers; output: that of the last. counts: whether the
    counts are shown at once, or on a switch, when they have been predicted. ValueError or TypeError if an argument is
    something else.
    """
    if not isinstance(counts, bool):
        raise TypeError(f"counts is True or False, got {messages.described(counts)}.")
    if not isinstance(layers, (list, tuple)) or not layers:
        raise ValueError(f"layers is a list of sizes, as in [4, 4, 1]; got {messages.described(layers)}.")
    *hidden, outputs = layers
    if len(hidden) > HIDDEN:
        raise ValueError(f"this picture has room for {HIDDEN} hidden layers, got {len(hidden)}.")
    hidden = [*hidden, *[0] * (HIDDEN - len(hidden))]
    sizes = {f"hidden{i}": n for i, n in enumerate(hidden, start=1)}
    settings = {"inputs": n_inputs, **sizes, "outputs": outputs, "activation": activation, "output": output}
    return Shape({**settings, "counts": counts})


class Shape(Live):
    """The lab: sliders make another network, presses open and close its neurons."""

    def __init__(self, settings):
        self.network = Network(settings)
        self.opened = None
        super().__init__(record(self.network, None, settings["counts"]), controls=controls(settings))

    def text(self):
        """The text mode has no switch: it says the counts."""
        return f"1. {sentence(self.network, self.opened, counts=True)}"

    def answer(self, values, presses):
        """Another network, with its own pictures; or the same with another neuron open."""
        settings, opened = {**self.values, **values}, self.opened
        network = Network(settings) if settings != self.values else self.network
        for press in presses:
            neuron = named(press, network)
            opened = None if neuron == opened else neuron
        if opened is not None and not network.has(*opened):
            opened = None
        counts = bool(settings["counts"])
        recording, other = record(network, opened, counts), network is not self.network
        self.network, self.opened, self.values = network, opened, settings
        if other:
            self.recording = recording
            self.spec, self.patch = self._spec(recording), {}
        else:
            frame = recording.frames[0]
            self.show(frame.marks, frame.say)


def controls(settings):
    """The lab's controls, at these settings."""
    sizes = [("inputs", "inputs", 1), *((f"hidden{i}", f"hidden {i}", 0) for i in (1, 2, 3)), ("outputs", "outputs", 1)]
    return [
        *(Control("range", name, text, settings[name], least, LARGEST, 1, whole=True) for name, text, least in sizes),
        Control("choice", "activation", "hidden activation", settings["activation"], options=ACTIVATIONS),
        Control("choice", "output", "output activation", settings["output"], options=ACTIVATIONS),
        Control("toggle", "counts", "show the counts", settings["counts"]),
    ]


def named(press, network):
    """The neuron that a press is for: (layer, place), counted from 1. ValueError if there is none."""
    try:
        layer, place = (int(part) for part in press.removeprefix("neuron ").split("."))
    except (AttributeError, ValueError):
        raise ValueError(f"a press names a neuron, as in 'neuron 1.2'; got {press!r}.") from None
    if not network.has(layer, place):
        raise ValueError(f"this network has no neuron {layer}.{place}.")
    return layer, place


# Record


class Network:
    """An MLP of these settings, the numbers in it for one sample, and its counts.

    sizes: inputs first. activations: of each layer. values: the outputs of each layer, the inputs first.
    """

    def __init__(self, settings):
        for name, least in (("inputs", 1), ("hidden1", 0), ("hidden2", 0), ("hidden3", 0), ("outputs", 1)):
            n, what = settings[name], name.replace("hidden", "hidden layer ")
            if isinstance(n, bool) or not hasattr(n, "__index__") or not least <= n <= LARGEST:
                raise ValueError(f"{what} is a whole number from {least} to {LARGEST}, got {n!r}.")
        for name, what in (("activation", "the hidden activation"), ("output", "the output activation")):
            if settings[name] not in ACTIVATIONS:
                raise ValueError(f"{what} is one of {', '.join(ACTIVATIONS)}; got {settings[name]!r}.")
        hidden = [int(settings[f"hidden{i}"]) for i in (1, 2, 3) if settings[f"hidden{i}"]]
        self.sizes = [size(settings["inputs"], "inputs"), *hidden, int(settings["outputs"])]
        self.activations = [settings["activation"]] * len(hidden) + [settings["output"]]
        self.mlp = MLP(self.sizes[0], self.sizes[1:], settings["activation"], settings["output"], rng=random.Random(0))
        inputs = [INPUTS[i % len(INPUTS)] for i in range(self.sizes[0])]
        values = [Value(x) for x in inputs]
        self.values = [inputs]
        for layer in self.mlp.layers:
            values = layer(values)
            self.values.append([value.data for value in values])

    def has(self, layer, place):
        """Whether there is this neuron."""
        return 1 <= layer < len(self.sizes) and 1 <= place <= self.sizes[layer]

    @property
    def pairs(self):
        """For each layer, how many numbers it reads and how many neurons it has."""
        return list(itertools.pairwise(self.sizes))

    @property
    def parameters(self):
        """How many parameters there are: (n + 1)·m for each layer."""
        return sum((n + 1) * m for n, m in self.pairs)

    @property
    def weights(self):
        """How many of them are weights."""
        return sum(n * m for n, m in self.pairs)

    @property
    def neurons(self):
        """How many neurons there are."""
        return sum(self.sizes[1:])

    @property
    def activated(self):
        """How many neurons have an activation that is a node."""
        return sum(m for m, name in zip(self.sizes[1:], self.activations) if name != "linear")

    @property
    def nodes(self):
        """Nodes of the graph of one sample's outputs: inputs, parameters, a weighted sum a neuron, activations."""
        return self.sizes[0] + self.parameters + self.neurons + self.activated

    @property
    def ops(self):
        """Nodes of the same graph where each weighted sum is made of products and additions, one for each weight."""
        return self.sizes[0] + self.parameters + 2 * self.weights + self.activated

    def __str__(self):
        return f"MLP({self.sizes[0]}, {self.sizes[1:]})"


def plural(n, one, more=None):
    """A number of things."""
    return f"{n:,} {one if n == 1 else more or one + 's'}"


def formula(network):
    """The count of parameters, written out."""
    return " + ".join(f"({n}+1)·{m}" for n, m in network.pairs)


def opened_sum(network, layer, place):
    """A neuron's weighted sum, op by op: the bias, and for each input (weight, input, product, sum so far)."""
    neuron = network.mlp.layers[layer - 1].neurons[place - 1]
    total, terms = neuron.bias.data, []
    for weight, x in zip(neuron.weights, network.values[layer - 1]):
        product = weight.data * x
        total = total + product
        terms.append((weight.data, x, product, total))
    return neuron.bias.data, terms


def sentence(network, opened, counts):
    """The counts, or a question for them, and what is open."""
    said = f"How many parameters has {network}, and how many nodes its graph? Predict, then switch the counts on."
    if counts:
        said = (
            f"{network} has {formula(network)} = {plural(network.parameters, 'parameter')}. Its graph has "
            f"{network.nodes:,} nodes with one for each neuron's sum, {network.ops:,} with one for each operation."
        )
    if opened is None:
        return f"{said} Press a neuron in the graph to open its sum."
    layer, place = opened
    n, activation, value = network.sizes[layer - 1], network.activations[layer - 1], network.values[layer][place - 1]
    end = "give" if activation == "linear" else f"then {activation}, give"
    many = f"{plural(n, 'product')} and {plural(n, 'addition')}"
    return f"{said} Neuron {layer}.{place} is open: {many}, {end} {show(value)}."


def record(network, opened, counts=True):
    """The Recording of a network, with one neuron open or none: one frame. counts: whether they are shown."""
    say = sentence(network, opened, counts)
    frames = [Frame(say, "", marks_of(network, opened))]
    return Pictures("The shape of a network", frames, lambda marks: stage(network, marks, counts), say, room=ROOM)


class Pictures(Recording):
    """A recording whose picture has two rows of drawings."""

    def picture(self, index=-1):
        drawings = re.findall("<svg.*?</svg>", self.render(self.frames[index].marks), re.DOTALL)
        upper, lower = side_by_side(drawings[:2]), side_by_side(drawings[2:])
        width, height = NETWORK + 20 + GRAPH, TALL + 12 + LOW
        return svg(width, height, upper, lower.replace("<svg", f'<svg y="{TALL + 12}"', 1))


def marks_of(network, opened):
    """The marks of all parts that a press changes."""
    marks = {}
    for layer, count in enumerate(network.sizes[1:], start=1):
        for place in range(1, count + 1):
            state = "opened" if (layer, place) == opened else ""
            for kind in ("dot", "lines", "edges"):
                marks[f"{kind}{layer}.{place}"] = {"state": state}
            marks[f"box{layer}.{place}"] = {"state": state, "aria-expanded": "true" if state else "false"}
    slots = max(network.sizes[:-1])
    marks |= {f"c{i}": {"state": "off"} for i in range(slots)}
    marks |= {f"c{i}.{what}": {"text": ""} for i in range(slots) for what in ("w", "x", "p", "s", "of")}
    marks |= {f"fact{i}": {"text": ""} for i in range(FACTS)}
    marks |= {"c.b": {"text": ""}, "start": {"state": "off"}}
    marks |= {"tail": {"state": "off", "transform": "translate(0,0)"}, "tail.op": {"text": ""}, "tail.a": {"text": ""}}
    marks["fact0"] = {"text": "No neuron is open"}
    marks["fact1"] = {"text": "Press a box of the graph, or focus it and press Enter:"}
    marks["fact2"] = {"text": "its weighted sum opens into single operations."}
    marks["c.title"] = {"text": ""}
    marks["large"] = {"transform": enlarged(1)}
    marks["opened"] = {"aria-label": "No neuron is open."}
    return marks | (opened_marks(network, *opened) if opened else {})


def opened_marks(network, layer, place):
    """The marks of the opened neuron."""
    bias, terms = opened_sum(network, layer, place)
    n, activation, value = len(terms), network.activations[layer - 1], network.values[layer][place - 1]
    marks = {"start": {"state": ""}, "c.b": {"text": show(bias)}, "large": {"transform": enlarged(n)}}
    marks["c.title"] = {"text": "Its weighted sum, op by op: × makes a product, + adds it to the sum so far"}
    for i, numbers in enumerate(terms):
        marks[f"c{i}"] = {"state": ""}
        marks |= {f"c{i}.{what}": {"text": show(number)} for what, number in zip("wxps", numbers)}
        marks[f"c{i}.of"] = {"text": "x" if layer == 1 else "a"}
    x, y = slot(n - 1)
    marks["tail"] = {"state": "", "transform": f"translate({x + SLOT:.1f},{y})"}
    marks["tail.op"] = {"text": "=" if activation == "linear" else activation.replace("_", " ")}
    marks["tail.a"] = {"text": show(value)}
    one = activation != "linear"
    name, read = f"{layer}.{place}", "x" if layer == 1 else f"a{layer - 1}."
    total = "z" if one else "a"
    terms_of = [f"w{i}·{read}{i}" for i in sorted({1, 2, n} if n > 2 else range(1, n + 1))]
    if n > 3:
        terms_of.insert(2, "…")
    facts = [
        f"Neuron {name}, open",
        f"{plural(n, 'weight')} + 1 bias = {plural(n + 1, 'parameter')}",
        f"closed: 1 weighted sum{f' and 1 {activation}' if one else ''}: {plural(1 + one, 'node')}",
        f"open: {plural(n, 'product')}, {plural(n, 'addition')}{f', 1 {activation}' if one else ''}: "
        f"{plural(2 * n + one, 'node')}",
        f"{total}{name} = b + {' + '.join(terms_of)} = {show(terms[-1][3])}",
    ]
    marks |= {f"fact{i}": {"text": text} for i, text in enumerate(facts)}
    steps = "; ".join(f"{show(w)} × {show(x)} = {show(p)}, sum {show(s)}" for w, x, p, s in terms)
    end = f" {activation} gives {show(value)}." if one else ""
    marks["opened"] = {"aria-label": f"Neuron {name}, op by op. Bias {show(bias)}; {steps}.{end}"}
    return marks


# Render


def stage(network, marks, counts=True):
    """The stage: the counts, the network, its graph, and the opened neuron."""
    drawing = network_svg(network, marks, counts) + graph_svg(network, marks)
    return counts_html(network, counts) + drawing + facts_svg(marks) + opened_svg(network, marks)


def counts_html(network, counts=True):
    """Parameters and nodes, with their formulas; a question mark in place of each where they are not shown."""
    common = f"{plural(network.sizes[0], 'input')} + {plural(network.parameters, 'parameter')}"
    ends = f" + {plural(network.activated, 'activation')}" if network.activated else ""
    products = f"{plural(network.weights, 'product')} + {plural(network.weights, 'addition')}"
    cells = (
        ("parameters", network.parameters, f"{formula(network)} = {network.parameters:,}"),
        ("nodes, one for each weighted sum", network.nodes, f"{common} + {plural(network.neurons, 'sum')}{ends}"),
        ("nodes, one for each operation", network.ops, f"{common} + {products}{ends}"),
    )
    made = "".join(
        f"<div><span>{what}</span><b>{f'{count:,}' if counts else '?'}</b>"
        f"<small>{html.escape(how) if counts else ''}</small></div>"
        for what, count, how in cells
    )
    return f'<div class="bp-sum bp-shape">{made}</div>'


def places(network, left, right):
    """For each layer, the x of its column and the y of each unit, and how far these are apart."""
    columns, last = [], len(network.sizes) - 1
    gap = min(40.0, (BOTTOM - TOP) / max(network.sizes))
    for i, count in enumerate(network.sizes):
        first = (TOP + BOTTOM) / 2 - gap * (count - 1) / 2
        columns.append((left + (right - left) * i / last, [first + gap * j for j in range(count)]))
    return columns, gap


def heads(network, columns):
    """What each column is."""
    last = len(columns) - 1
    names = ["inputs", *(f"hidden {i}" for i in range(1, last)), "outputs" if network.sizes[-1] > 1 else "output"]
    return [label(name, x, 33, "caption") for name, (x, _) in zip(names, columns)]


def network_svg(network, marks, counts=True):
    """The network: a circle a unit, a line a weight, and under each gap its parameters, where counts are shown."""
    columns, gap = places(network, 34, NETWORK - 34)
    r, dots = min(11.0, gap / 2 - 1), []
    parts = [
        label("The network: a line a weight", 0, 14, "heading"),
        *heads(network, columns),
    ]
    for layer, ((before, starts), (x, ys)) in enumerate(itertools.pairwise(columns), start=1):
        for place, y in enumerate(ys, start=1):
            d = "".join(f"M{before:.1f},{start:.1f}L{x:.1f},{y:.1f}" for start in starts)
            parts.append(part("path", f"lines{layer}.{place}", marks, class_="shape-wire", d=d))
            dots.append(
                part(
                    "circle",
                    f"dot{layer}.{place}",
                    marks,
                    class_="shape-dot",
                    cx=f"{x:.1f}",
                    cy=f"{y:.1f}",
                    r=f"{r:.1f}",
                )
            )
        n, m = network.pairs[layer - 1]
        each = f"({n}+1)" if len(network.pairs) < 4 else str(n + 1)  # of four, there is no room for more
        if counts:
            parts.append(label(f"{each}·{m} = {(n + 1) * m}", (before + x) / 2, 247, "tick"))
    side = 1.7 * r
    for y in columns[0][1]:
        x = columns[0][0]
        size = f'width="{side:.1f}" height="{side:.1f}"'
        dots.append(f'<rect class="shape-input" x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" {size} rx="2"/>')
    words = f"A network with layers of {', '.join(map(str, network.sizes))} units, inputs first."
    return described(svg(NETWORK, TALL, *parts, *dots), words)


def graph_svg(network, marks):
    """The graph of one sample's outputs, collapsed to a box a neuron; each can be pressed."""
    columns, gap = places(network, BOX / 2 + 2, GRAPH - BOX / 2 - 2)
    height, boxes = min(26.0, gap - 1), []
    parts = [label("Its graph, a box a neuron: press one to open it", 0, 14, "heading"), *heads(network, columns)]
    for layer, (x, ys) in enumerate(columns):
        for place, (y, value) in enumerate(zip(ys, network.values[layer]), start=1):
            if layer:
                before, starts = columns[layer - 1]
                d = "".join(f"M{before + BOX / 2:.1f},{start:.1f}L{x - BOX / 2:.1f},{y:.1f}" for start in starts)
                parts.append(part("path", f"edges{layer}.{place}", marks, class_="shape-wire", d=d))
            name = f"a{layer}.{place}" if layer else f"x{place}"
            box = box_of(name, value, x - BOX / 2, y - height / 2, BOX, height)
            boxes.append(pressable(layer, place, value, box, marks) if layer else f'<g class="node leaf">{box}</g>')
    parts.append(label("each box reads all boxes before it, its weights and its bias", 0, 247, "caption start"))
    drawing = svg(GRAPH, TALL, *parts, *boxes)
    return drawing.replace("<svg", '<svg role="group" aria-label="The graph, a box a neuron"', 1)


def pressable(layer, place, value, box, marks):
    """A neuron's box as a button."""
    key, state = f"box{layer}.{place}", marks[f"box{layer}.{place}"]
    return (
        f'<g class="node shape-box" data-key="{key}" data-state="{state["state"]}" data-press="neuron {layer}.{place}" '
        f'tabindex="0" role="button" aria-expanded="{state["aria-expanded"]}" '
        f'aria-label="neuron {layer}.{place}, {show(value)}">{box}</g>'
    )


def box_of(name, value, x, y, width, height):
    """A box with a name and a number."""
    font, base = min(12.0, height - 0.5), y + height / 2 + min(4.0, height / 2 - 1.7)
    style = f'style="font-size:{font:.1f}px"'
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width}" height="{height:.1f}" rx="{min(6.0, height / 2):.1f}"/>'
        f'<text class="name" {style} x="{x + 7:.1f}" y="{base:.1f}">{name}</text>'
        f'<text class="data" {style} x="{x + width - 7:.1f}" y="{base:.1f}">{show(value)}</text>'
    )


def slot(i):
    """The left upper corner of the part for one input in the opened neuron."""
    return SLOT + SLOT * (i % ACROSS), LINE * (i // ACROSS)


def enlarged(n):
    """The transform that shows a neuron of n inputs as large as there is room for."""
    width, height = SLOT * (min(n, ACROSS) + 1) + TAIL, LINE * (-(-n // ACROSS))
    return f"translate(0,24) scale({min(1.6, (GRAPH - 1) / width, (LOW - 24) / height):.3f})"


def text_of(sign, marks, x, y):
    """The sign of a node; one that begins with # is the key of a mark."""
    place = {"class_": "shape-sign", "x": f"{x:.1f}", "y": f"{y:.1f}"}
    if sign.startswith("#"):
        return part("text", sign[1:], marks, **place)
    return label(sign, x, y, "shape-sign")


def cell(key, marks, sign, x, y, kind):
    """A node of the opened neuron: its sign on the left, its number on the right."""
    return (
        f'<g class="node {kind}"><rect x="{x:.1f}" y="{y:.1f}" width="{CELL}" height="16" rx="4"/>'
        f"{text_of(sign, marks, x + 4, y + 12)}"
        f"{part('text', key, marks, class_='shape-number', x=f'{x + CELL - 4:.1f}', y=f'{y + 12:.1f}')}</g>"
    )


def opened_svg(network, marks):
    """The opened neuron: for each input its product, and the sums from left to right, from the bias to the end."""
    parts = [label(marks["c.title"]["text"], 0, 14, "heading", "c.title")]
    parts.append(f'<g data-key="large" transform="{marks["large"]["transform"]}">')
    first = slot(0)[1] + 60
    parts.append(f'<g data-key="start" class="shape-part" data-state="{marks["start"]["state"]}">')
    parts.append(f"{cell('c.b', marks, 'b', 0, first, 'leaf')}</g>")
    for i in range(max(network.sizes[:-1])):
        x, y = slot(i)
        middle = x + CELL / 2
        wires = f"M{middle},{y + 34}v4M{middle},{y + 54}v6"
        if i % ACROSS or i == 0:
            wires += f"M{x - SLOT + CELL},{y + 68}h{SLOT - CELL}"
        else:  # from the end of the line above
            end = slot(i - 1)
            wires += f"M{end[0] + CELL},{end[1] + 68}h6v14H{x - 14}V{y + 68}h14"
        parts.append(f'<g data-key="c{i}" class="shape-part" data-state="{marks[f"c{i}"]["state"]}">')
        parts.append(f'<path class="shape-link" d="{wires}"/>')
        for key, sign, down, kind in (
            ("w", "w", 0, "leaf"),
            ("x", f"#c{i}.of", 18, "leaf"),
            ("p", "×", 38, ""),
            ("s", "+", 60, ""),
        ):
            parts.append(cell(f"c{i}.{key}", marks, sign, x, y + down, kind))
        parts.append("</g>")
    tail = marks["tail"]
    parts.append(
        f'<g data-key="tail" class="shape-part" data-state="{tail["state"]}" transform="{tail["transform"]}">'
        f'<path class="shape-link" d="M{CELL - SLOT},68h{SLOT - CELL}"/>'
        f'<g class="node"><rect x="0" y="44" width="{TAIL}" height="32" rx="4"/>'
        f"{part('text', 'tail.op', marks, class_='shape-sign', x=4, y=57)}"
        f"{part('text', 'tail.a', marks, class_='shape-number', x=TAIL - 4, y=71)}</g></g></g>"
    )
    words = html.escape(marks["opened"]["aria-label"])
    drawing = svg(GRAPH, LOW, *parts)
    return drawing.replace("<svg", f'<svg data-key="opened" role="img" aria-label="{words}"', 1)


def facts_svg(marks):
    """What the opened neuron has, line by line."""
    lines = [label(marks["fact0"]["text"], 0, 14, "heading", "fact0")]
    lines += [label(marks[f"fact{i}"]["text"], 0, 18 + 22 * i, "shape-fact", f"fact{i}") for i in range(1, FACTS)]
    return svg(NETWORK, LOW, *lines)


def described(drawing, words):
    """A drawing with the role of an image, and its description."""
    return drawing.replace("<svg", f'<svg role="img" aria-label="{html.escape(words)}"', 1)
