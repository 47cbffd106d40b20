"""The shape lab: an MLP's layer sizes, what they make in parameters and nodes, and a neuron opened into its ops."""

import html
import itertools
import random
import re

from autograd import MLP, Value, messages
from autograd.messages import show
from figures.graph.stage import plural
from figures.page.inputs import Inputs, choice, switch, whole
from figures.page.pen import Stage
from figures.page.picture import labelled
from figures.page.player import Frame, Player, Recording
from figures.page.svg import label, side_by_side, svg

ACTIVATIONS = ("linear", "tanh", "sigmoid", "relu", "leaky_relu")
LARGEST, HIDDEN = 16, 3  # units in a layer, and hidden layers, that the pictures have room for
ROOM = (  # a sentence as long as any that is said
    "MLP(16, [16, 16, 16, 16]) has (16+1)·16 + (16+1)·16 + (16+1)·16 + (16+1)·16 = 1,088 parameters. Its graph has "
    "1,232 nodes with one for each neuron's sum, 3,216 with one for each operation. Neuron 1.16 is open: 16 products "
    "and 16 additions, then leaky_relu, give -0.000e+00."
)
SAMPLE = (1.0, -0.5, 0.5, -1.0)  # the sample that runs through the network, from the start again where it is short

TALL, TOP, BOTTOM = 252, 40, 232  # of the two upper pictures, and where their columns begin and end
NETWORK, GRAPH, BOX = 400, 640, 96  # widths: of the picture of the network, of its graph, of a neuron's box in it
LOW, ACROSS, SLOT, CELL, LINE = 192, 8, 65, 59, 84  # of the opened neuron: height, inputs in a line, sizes of parts
TAIL = GRAPH - SLOT * (ACROSS + 1) - 1  # the width of the last box of the opened neuron
FACTS = 5  # lines of text beside it
CLOSED = (
    "No neuron is open",
    "Press a box of the graph, or focus it and press Enter:",
    "its weighted sum opens into single operations.",
)

INPUTS = Inputs(
    whole("inputs", 1, LARGEST),
    *(whole(f"hidden{i}", 0, LARGEST, f"hidden {i}", what=f"hidden layer {i}") for i in range(1, HIDDEN + 1)),
    whole("outputs", 1, LARGEST),
    choice(
        "activation", ACTIVATIONS, "hidden activation", says=f"the hidden activation is one of {', '.join(ACTIVATIONS)}"
    ),
    choice(
        "output", ACTIVATIONS, "output activation", says=f"the output activation is one of {', '.join(ACTIVATIONS)}"
    ),
    switch("counts", "show the counts"),
)


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
    if not isinstance(layers, (list, tuple)) or not layers:
        raise ValueError(f"layers is a list of sizes, as in [4, 4, 1]; got {messages.described(layers)}.")
    *hidden, outputs = layers
    if len(hidden) > HIDDEN:
        raise ValueError(f"this picture has room for {HIDDEN} hidden layers, got {len(hidden)}.")
    hidden = [*hidden, *[0] * (HIDDEN - len(hidden))]
    sizes = {f"hidden{i}": n for i, n in enumerate(hidden, start=1)}
    settings = {"inputs": n_inputs, **sizes, "outputs": outputs, "activation": activation, "output": output}
    return Shape({**settings, "counts": counts})


class Shape(Player):
    """The lab: sliders make another network, presses open and close its neurons."""

    live = True

    def __init__(self, settings):
        controls = INPUTS.controls(**settings)
        self.network, self.opened = Network(settings), None
        super().__init__(record(self.network, None, settings["counts"]), controls=controls)

    def text(self):
        """The text mode has no switch: it says the counts."""
        return f"1. {sentence(self.network, self.opened, counts=True)}"

    def answer(self, values, presses):
        """Another network, with its own pictures; or the same with another neuron open."""
        settings, opened = INPUTS.checked({**self.values, **values}), self.opened
        network = Network(settings) if settings != self.values else self.network
        for press in presses:
            neuron = named(press, network)
            opened = None if neuron == opened else neuron
        if opened is not None and not network.has(*opened):
            opened = None
        recording, other = record(network, opened, settings["counts"]), network is not self.network
        self.network, self.opened, self.values = network, opened, settings
        if other:
            self.load(recording)
            self.patch = {}  # it was of the frame shown before
        else:
            self.show(recording.frames[0].marks, recording.frames[0].say)


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

    sizes: inputs first. activations: of each layer. values: the outputs of each layer, the inputs first. stages: that
    with its counts and that without, once they have been drawn.
    """

    def __init__(self, settings):
        hidden = [settings[f"hidden{i}"] for i in (1, 2, 3) if settings[f"hidden{i}"]]
        self.sizes = [settings["inputs"], *hidden, settings["outputs"]]
        self.activations = [settings["activation"]] * len(hidden) + [settings["output"]]
        self.mlp = MLP(self.sizes[0], self.sizes[1:], settings["activation"], settings["output"], rng=random.Random(0))
        inputs = [SAMPLE[i % len(SAMPLE)] for i in range(self.sizes[0])]
        values = [Value(x) for x in inputs]
        self.values, self.stages = [inputs], {}
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
    say, stage = sentence(network, opened, counts), network.stages.setdefault(counts, Stage(draw))
    return Pictures(
        "The shape of a network", [Frame(say, "", stage.marks(network, opened, counts))], stage, say, room=ROOM
    )


class Pictures(Recording):
    """A recording whose picture has two rows of drawings."""

    def picture(self, index=-1):
        drawings = re.findall("<svg.*?</svg>", self.render(self.frames[index].marks), re.DOTALL)
        upper, lower = side_by_side(drawings[:2]), side_by_side(drawings[2:])
        width, height = NETWORK + 20 + GRAPH, TALL + 12 + LOW
        return svg(width, height, upper, lower.replace("<svg", f'<svg y="{TALL + 12}"', 1))


# Render


def draw(pen, network, opened, counts):
    """The stage: the counts, the network, its graph, and the opened neuron."""
    upper = network_svg(pen, network, opened, counts) + graph_svg(pen, network, opened)
    return counts_html(network, counts) + upper + facts_svg(pen, network, opened) + opened_svg(pen, network, opened)


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


def state_of(layer, place, opened):
    """The state of a neuron's parts."""
    return "opened" if (layer, place) == opened else ""


def network_svg(pen, network, opened, counts=True):
    """The network: a circle a unit, a line a weight, and under each gap its parameters, where counts are shown."""
    columns, gap = places(network, 34, NETWORK - 34)
    r, dots = min(11.0, gap / 2 - 1), []
    parts = [label("The network: a line a weight", 0, 14, "heading"), *heads(network, columns)]
    for layer, ((before, starts), (x, ys)) in enumerate(itertools.pairwise(columns), start=1):
        for place, y in enumerate(ys, start=1):
            d = "".join(f"M{before:.1f},{start:.1f}L{x:.1f},{y:.1f}" for start in starts)
            key, state = f"{layer}.{place}", state_of(layer, place, opened)
            parts.append(pen("path", f"lines{key}", "shape-wire", state=state, at={"d": d}))
            dots.append(pen("circle", f"dot{key}", "shape-dot", state=state, at={"cx": x, "cy": y, "r": r}))
        n, m = network.pairs[layer - 1]
        each = f"({n}+1)" if len(network.pairs) < 4 else str(n + 1)  # of four, there is no room for more
        if counts:
            parts.append(label(f"{each}·{m} = {(n + 1) * m}", (before + x) / 2, 247, "tick"))
    side, (x, ys) = 1.7 * r, columns[0]
    size = f'width="{side:.1f}" height="{side:.1f}"'
    for y in ys:
        dots.append(f'<rect class="shape-input" x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" {size} rx="2"/>')
    words = f"A network with layers of {', '.join(map(str, network.sizes))} units, inputs first."
    return labelled(svg(NETWORK, TALL, *parts, *dots), words)


def graph_svg(pen, network, opened):
    """The graph of one sample's outputs, collapsed to a box a neuron; each can be pressed."""
    columns, gap = places(network, BOX / 2 + 2, GRAPH - BOX / 2 - 2)
    height, boxes = min(26.0, gap - 1), []
    parts = [label("Its graph, a box a neuron: press one to open it", 0, 14, "heading"), *heads(network, columns)]
    for layer, (x, ys) in enumerate(columns):
        for place, (y, value) in enumerate(zip(ys, network.values[layer]), start=1):
            key, state = f"{layer}.{place}", state_of(layer, place, opened)
            box = box_of(f"a{key}" if layer else f"x{place}", value, x - BOX / 2, y - height / 2, BOX, height)
            if not layer:
                boxes.append(f'<g class="node leaf">{box}</g>')
                continue
            before, starts = columns[layer - 1]
            d = "".join(f"M{before + BOX / 2:.1f},{start:.1f}L{x - BOX / 2:.1f},{y:.1f}" for start in starts)
            parts.append(pen("path", f"edges{key}", "shape-wire", state=state, at={"d": d}))
            button = {"data-press": f"neuron {key}", "tabindex": 0, "role": "button"}
            button["aria-label"] = f"neuron {key}, {show(value)}"
            expanded = "true" if state else "false"
            boxes.append(pen("g", f"box{key}", "node shape-box", box, state=state, at=button, aria_expanded=expanded))
    parts.append(label("each box reads all boxes before it, its weights and its bias", 0, 247, "caption start"))
    drawing = svg(GRAPH, TALL, *parts, *boxes)
    return drawing.replace("<svg", '<svg role="group" aria-label="The graph, a box a neuron"', 1)


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


def cell(pen, key, text, sign, x, y, kind):
    """A node of the opened neuron: its sign on the left, its number on the right."""
    return (
        f'<g class="node {kind}"><rect x="{x:.1f}" y="{y:.1f}" width="{CELL}" height="16" rx="4"/>{sign}'
        f"{pen('text', key, 'shape-number', text=text, at={'x': x + CELL - 4.0, 'y': y + 12.0})}</g>"
    )


def opened_svg(pen, network, opened):
    """The opened neuron: for each input its product, and the sums from left to right, from the bias to the end."""
    bias, terms = opened_sum(network, *opened) if opened else (None, [])
    n, off = len(terms), {True: "", False: "off"}
    title = "Its weighted sum, op by op: × makes a product, + adds it to the sum so far" if opened else ""
    x, y = slot(n - 1) if opened else (-SLOT, 0)
    activation = network.activations[opened[0] - 1] if opened else ""
    ends = "=" if activation == "linear" else activation.replace("_", " ")
    value = show(network.values[opened[0]][opened[1] - 1]) if opened else ""
    sign = label("b", 4, slot(0)[1] + 72, "shape-sign")
    start = cell(pen, "c.b", show(bias) if opened else "", sign, 0, slot(0)[1] + 60, "leaf")
    inputs = [
        one_input(pen, i, terms[i] if i < n else None, "" if i >= n else "x" if opened[0] == 1 else "a")
        for i in range(max(network.sizes[:-1]))
    ]
    tail = (
        f'<path class="shape-link" d="M{CELL - SLOT},68h{SLOT - CELL}"/>'
        f'<g class="node"><rect x="0" y="44" width="{TAIL}" height="32" rx="4"/>'
        f"{pen('text', 'tail.op', 'shape-sign', text=ends, at={'x': 4, 'y': 57})}"
        f"{pen('text', 'tail.a', 'shape-number', text=value, at={'x': TAIL - 4, 'y': 71})}</g>"
    )
    place = f"translate({x + SLOT:.1f},{y})" if opened else "translate(0,0)"
    inside = [
        pen("g", "start", "shape-part", start, state=off[bool(opened)]),
        *inputs,
        pen("g", "tail", "shape-part", tail, state=off[bool(opened)], transform=place),
    ]
    drawing = pen("text", "c.title", "heading", text=title, at={"x": 0.0, "y": 14.0}) + pen(
        "g", "large", "", "".join(inside), transform=enlarged(n or 1)
    )
    size = {"xmlns": "http://www.w3.org/2000/svg", "width": GRAPH, "height": LOW, "viewBox": f"0 0 {GRAPH} {LOW}"}
    words = described(opened, bias, terms, activation, value)
    return pen("svg", "opened", "", drawing, at={"role": "img", **size}, aria_label=words)


def one_input(pen, i, term, read):
    """What the opened neuron does with an input: weight, input, product and sum so far. read: x, or a of a layer."""
    x, y = slot(i)
    middle = x + CELL / 2
    wires = f"M{middle},{y + 34}v4M{middle},{y + 54}v6"
    if i % ACROSS or i == 0:
        wires += f"M{x - SLOT + CELL},{y + 68}h{SLOT - CELL}"
    else:  # from the end of the line above
        end = slot(i - 1)
        wires += f"M{end[0] + CELL},{end[1] + 68}h6v14H{x - 14}V{y + 68}h14"
    parts = [f'<path class="shape-link" d="{wires}"/>']
    numbers = map(show, term) if term else [""] * 4
    for text, key, sign, down, kind in zip(numbers, "wxps", "w.×+", (0, 18, 38, 60), ("leaf", "leaf", "", "")):
        at = {"x": x + 4.0, "y": y + down + 12.0}
        sign = (
            pen("text", f"c{i}.of", "shape-sign", text=read, at=at)
            if key == "x"
            else label(sign, *at.values(), "shape-sign")
        )
        parts.append(cell(pen, f"c{i}.{key}", text, sign, x, y + down, kind))
    return pen("g", f"c{i}", "shape-part", "".join(parts), state="" if term else "off")


def described(opened, bias, terms, activation, value):
    """The opened neuron in words."""
    if opened is None:
        return "No neuron is open."
    steps = "; ".join(f"{show(w)} × {show(x)} = {show(p)}, sum {show(s)}" for w, x, p, s in terms)
    end = f" {activation} gives {value}." if activation != "linear" else ""
    return f"Neuron {opened[0]}.{opened[1]}, op by op. Bias {show(bias)}; {steps}.{end}"


def facts_svg(pen, network, opened):
    """What the opened neuron has, line by line."""
    lines = facts(network, *opened) if opened else CLOSED
    parts = [pen("text", "fact0", "heading", text=lines[0], at={"x": 0.0, "y": 14.0})]
    for i in range(1, FACTS):
        text = lines[i] if i < len(lines) else ""
        parts.append(pen("text", f"fact{i}", "shape-fact", text=text, at={"x": 0.0, "y": 18.0 + 22 * i}))
    return svg(NETWORK, LOW, *parts)


def facts(network, layer, place):
    """What an opened neuron has: parameters, nodes, and its sum."""
    _, terms = opened_sum(network, layer, place)
    n, activation = len(terms), network.activations[layer - 1]
    one, name, read = activation != "linear", f"{layer}.{place}", "x" if layer == 1 else f"a{layer - 1}."
    terms_of = [f"w{i}·{read}{i}" for i in sorted({1, 2, n} if n > 2 else range(1, n + 1))]
    if n > 3:
        terms_of.insert(2, "…")
    return [
        f"Neuron {name}, open",
        f"{plural(n, 'weight')} + 1 bias = {plural(n + 1, 'parameter')}",
        f"closed: 1 weighted sum{f' and 1 {activation}' if one else ''}: {plural(1 + one, 'node')}",
        f"open: {plural(n, 'product')}, {plural(n, 'addition')}{f', 1 {activation}' if one else ''}: "
        f"{plural(2 * n + one, 'node')}",
        f"{'z' if one else 'a'}{name} = b + {' + '.join(terms_of)} = {show(terms[-1][3])}",
    ]
