"""The pictures of the shape lab: the network, one opened neuron, its graph, and the counts."""

import html
import itertools
import re

from autograd.errors.messages import show
from figures.graph.stage import plural
from figures.page.picture import labelled
from figures.page.player import Recording
from figures.page.style import steady
from figures.page.svg import label, side_by_side, svg

TALL, TOP, BOTTOM = 252, 40, 232  # of the two upper pictures, and the top and bottom of their columns
NETWORK, GRAPH, BOX = 400, 640, 96  # widths: of the picture of the network, of its graph, of a neuron's box in it
LOW, ACROSS, SLOT, CELL, LINE = 192, 8, 65, 59, 84  # of the opened neuron: height, inputs per line, sizes of parts
TAIL = GRAPH - SLOT * (ACROSS + 1) - 1  # the width of the last box of the opened neuron
FACTS = 5  # lines of text next to it
CLOSED = (
    "No neuron is open",
    "Press a box of the graph, or focus it and press Enter:",
    "its weighted sum opens into single operations.",
)


def formula(network):
    """Return the count of parameters, written out."""
    return " + ".join(f"({n}+1)·{m}" for n, m in network.pairs)


def opened_sum(network, layer, place):
    """Return a neuron's weighted sum, op by op: the bias, and for each input (weight, input, product, sum so far)."""
    neuron = network.mlp.layers[layer - 1].neurons[place - 1]
    total, terms = neuron.bias.data, []
    for weight, x in zip(neuron.weights, network.values[layer - 1]):
        product = weight.data * x
        total = total + product
        terms.append((weight.data, x, product, total))
    return neuron.bias.data, terms


class Pictures(Recording):
    """A recording whose picture has two rows of drawings."""

    def picture(self, index=-1):
        drawings = re.findall("<svg.*?</svg>", self.render(self.frames[index].updates), re.DOTALL)
        upper, lower = side_by_side(drawings[:2]), side_by_side(drawings[2:])
        width, height = NETWORK + 20 + GRAPH, TALL + 12 + LOW
        return svg(width, height, upper, lower.replace("<svg", f'<svg y="{TALL + 12}"', 1))


# Render


def draw(pen, network, opened, counts):
    """Draw the stage: the counts, the network, its graph, and the opened neuron."""
    upper = network_svg(pen, network, opened, counts) + graph_svg(pen, network, opened)
    return counts_html(network, counts) + upper + facts_svg(pen, network, opened) + opened_svg(pen, network, opened)


def counts_html(network, counts=True):
    """Draw the counts of parameters and nodes, with their formulas; with counts=False, question marks instead."""
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
    """Return for each layer the x of its column and the y of each unit, and the distance between units."""
    columns, last = [], len(network.sizes) - 1
    gap = min(40.0, (BOTTOM - TOP) / max(network.sizes))
    for i, count in enumerate(network.sizes):
        first = (TOP + BOTTOM) / 2 - gap * (count - 1) / 2
        columns.append((left + (right - left) * i / last, [first + gap * j for j in range(count)]))
    return columns, gap


def heads(network, columns):
    last = len(columns) - 1
    names = ["inputs", *(f"hidden {i}" for i in range(1, last)), "outputs" if network.sizes[-1] > 1 else "output"]
    return [label(name, x, 33, "caption") for name, (x, _) in zip(names, columns)]


def state_of(layer, place, opened):
    return "opened" if (layer, place) == opened else ""


def network_svg(pen, network, opened, counts=True):
    """Draw the network: one circle per unit, one line per weight, and if wanted each layer's parameters."""
    columns, gap = places(network, 34, NETWORK - 34)
    r, dots = min(11.0, gap / 2 - 1), []
    parts = [label("The network: one line per weight", 0, 14, "heading"), *heads(network, columns)]
    for layer, ((before, starts), (x, ys)) in enumerate(itertools.pairwise(columns), start=1):
        for place, y in enumerate(ys, start=1):
            d = "".join(f"M{before:.1f},{start:.1f}L{x:.1f},{y:.1f}" for start in starts)
            key, state = f"{layer}.{place}", state_of(layer, place, opened)
            parts.append(pen("path", f"lines{key}", "shape-wire", state=state, at={"d": d}))
            dots.append(pen("circle", f"dot{key}", "shape-dot", state=state, at={"cx": x, "cy": y, "r": r}))
        n, m = network.pairs[layer - 1]
        each = f"({n}+1)" if len(network.pairs) < 4 else str(n + 1)  # with four layers, nothing longer fits
        if counts:
            parts.append(label(f"{each}·{m} = {(n + 1) * m}", (before + x) / 2, 247, "tick"))
    side, (x, ys) = 1.7 * r, columns[0]
    size = f'width="{side:.1f}" height="{side:.1f}"'
    for y in ys:
        dots.append(f'<rect class="shape-input" x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" {size} rx="2"/>')
    words = f"A network with layers of {', '.join(map(str, network.sizes))} units, inputs first."
    return labelled(svg(NETWORK, TALL, *parts, *dots), words)


def graph_svg(pen, network, opened):
    """Draw the graph of one sample's outputs, collapsed to one box per neuron; each can be pressed."""
    columns, gap = places(network, BOX / 2 + 2, GRAPH - BOX / 2 - 2)
    height, boxes = min(26.0, gap - 1), []
    parts = [label("Its graph, one box per neuron: press one to open it", 0, 14, "heading"), *heads(network, columns)]
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
            button["aria-label"] = f"a{key} {show(value)}, neuron {key}"  # the visible text first, for voice control
            expanded = "true" if state else "false"
            boxes.append(pen("g", f"box{key}", "node shape-box", box, state=state, at=button, aria_expanded=expanded))
    parts.append(label("each box reads all boxes before it, its weights and its bias", 0, 247, "caption start"))
    drawing = svg(GRAPH, TALL, *parts, *boxes)
    return drawing.replace("<svg", '<svg role="group" aria-label="The graph, a box a neuron"', 1)


def box_of(name, value, x, y, width, height):
    font, base = min(12.0, height - 0.5), y + height / 2 + min(4.0, height / 2 - 1.7)
    style = f'style="font-size:{font:.1f}px"'
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width}" height="{height:.1f}" rx="{min(6.0, height / 2):.1f}"/>'
        f'<text class="name" {style} x="{x + 7:.1f}" y="{base:.1f}">{name}</text>'
        f'<text class="data" {style} x="{x + width - 7:.1f}" y="{base:.1f}">{steady(value)}</text>'
    )


def slot(i):
    """Return the upper left corner of the part for one input in the opened neuron."""
    return SLOT + SLOT * (i % ACROSS), LINE * (i // ACROSS)


def enlarged(n):
    """Return the transform that shows a neuron of n inputs as large as it fits."""
    width, height = SLOT * (min(n, ACROSS) + 1) + TAIL, LINE * (-(-n // ACROSS))
    return f"translate(0,24) scale({min(1.6, (GRAPH - 1) / width, (LOW - 24) / height):.3f})"


def cell(pen, key, text, sign, x, y, kind):
    """Draw a node of the opened neuron: its symbol on the left, its number on the right."""
    return (
        f'<g class="node {kind}"><rect x="{x:.1f}" y="{y:.1f}" width="{CELL}" height="16" rx="4"/>{sign}'
        f"{pen('text', key, 'shape-number', text=text, at={'x': x + CELL - 4.0, 'y': y + 12.0})}</g>"
    )


def opened_svg(pen, network, opened):
    """Draw the opened neuron: for each input its product, and the sums from left to right, from the bias to the end."""
    bias, terms = opened_sum(network, *opened) if opened else (None, [])
    n, off = len(terms), {True: "", False: "off"}
    title = "Its weighted sum, op by op: × makes a product, + adds it to the sum so far" if opened else ""
    x, y = slot(n - 1) if opened else (-SLOT, 0)
    activation = network.activations[opened[0] - 1] if opened else ""
    ends = "=" if activation == "linear" else activation.replace("_", " ")
    value = steady(network.values[opened[0]][opened[1] - 1]) if opened else ""
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
    """Draw the opened neuron's work for one input: weight, input, product, sum so far. read: x, or a of a layer."""
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
    if opened is None:
        return "No neuron is open."
    steps = "; ".join(f"{show(w)} × {show(x)} = {show(p)}, sum {show(s)}" for w, x, p, s in terms)
    end = f" {activation} gives {value}." if activation != "linear" else ""
    return f"Neuron {opened[0]}.{opened[1]}, op by op. Bias {show(bias)}; {steps}.{end}"


def facts_svg(pen, network, opened):
    lines = facts(network, *opened) if opened else CLOSED
    parts = [pen("text", "fact0", "heading", text=lines[0], at={"x": 0.0, "y": 14.0})]
    for i in range(1, FACTS):
        text = lines[i] if i < len(lines) else ""
        parts.append(pen("text", f"fact{i}", "shape-fact", text=text, at={"x": 0.0, "y": 18.0 + 22 * i}))
    return svg(NETWORK, LOW, *parts)


def facts(network, layer, place):
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
