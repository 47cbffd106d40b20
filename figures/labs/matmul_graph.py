"""The matmul lab on a graph: the same product as a graph of numbers, edge by edge."""

import html

import numpy as np

from autograd.errors.messages import show
from figures.graph.stage import mistaken, plural, question
from figures.labs.matmul_cells import EDGE
from figures.page import svg
from figures.page.frame_recorder import FrameTemplate
from figures.page.picture import labelled
from figures.page.player import Frame, Recording
from figures.page.style import NOT_YET, number
from figures.passes.questions import MOST
from figures.passes.scalar_passes import SUM, sum_html

BOX, BOX_TALL = 132, 53  # a node of the graph
COLUMNS = 30, 330, 630  # the left ends of its columns


# The same cells as a graph of single numbers


def record_graph(product, predict):
    """Return the Recording of the edges that leave each number of W: one frame per edge."""
    stage, asked = FrameTemplate(graph_drawer(product)), 0
    (n, k), m = product.X.shape, product.W.shape[1]
    others = f", next to {plural(k - 1, 'other')} not shown here" if k > 1 else ""
    first = (
        f"As single numbers: W[0, 0] is used {plural(n, 'time')}, once in each row of X. Each product goes into one "
        f"number of Y{others}. What comes back to W[0, 0]?"
    )
    frames, total = [Frame(first, "Start", stage.updates((0, 0), 0))], k * m
    for turn, cell in enumerate(np.ndindex(product.W.shape), start=1):
        for i in range(n):
            ask = None
            if predict and asked < MOST:
                ask, asked = asked_edge(product, cell, i), asked + 1
            at = f"W[{cell[0]}, {cell[1]}], {turn} of {total}: edge {i + 1} of {n}"
            frames.append(Frame(edge_sentence(product, cell, i), at, stage.updates(cell, i + 1), ask))
    alt = "A number of W, the products that it goes into, and the numbers of Y that these go into."
    return Recording("Each number of W as a node of a graph", frames, stage, alt)


def sums(product, cell, count):
    """Return the running sums of what a number of W gets over its first `count` edges."""
    found = [0.0]
    for _, x, _, g in product.terms("W", cell)[:count]:
        found.append(found[-1] + float(x * g))
    return found


def edge_sentence(product, cell, i):
    k, j = cell
    a, x, b, g = product.terms("W", cell)[i]
    before, after = sums(product, cell, i + 1)[-2:]
    last = i + 1 == len(product.X)
    end = f" That is all: W.grad[{k}, {j}] is the sum over the rows." if last else ""
    return (
        f"From Y[{i}, {j}] through the product back to W[{k}, {j}]: local derivative {a} = {show(x)} times upstream "
        f"gradient {b} = {show(g)} contributes {show(x * g)}, so W.grad[{k}, {j}] goes from {show(before)} to "
        f"{show(after)}.{end}"
    )


def asked_edge(product, cell, i):
    k, j = cell
    _, x, _, g = product.terms("W", cell)[i]
    before, after = sums(product, cell, i + 1)[-2:]
    wrong = mistaken(
        (x * g, "only what came along this edge; it is added to what was there"),
        (before + x, "only the local derivative, without the upstream gradient"),
        (before + g, "only the upstream gradient, without the local derivative"),
        (before + (x + g), "local derivative and upstream gradient are added; they should be multiplied"),
        (before + product.W[cell] * g, "the factor is the input's own number, not the other's"),
        (before, "nothing was added along this edge"),
    )
    asking = (
        f"Which number of X is W[{k}, {j}] multiplied by in row {i}? Multiply it by G[{i}, {j}], and add "
        "that to the sum so far."
    )
    return question(f"W.grad[{k}, {j}]", after, wrong, asking)


def graph_drawer(product):
    """Return the function that draws a frame of the graph: W[k, j] after `count` of its edges were used backward."""
    n = len(product.X)
    step = BOX_TALL + 22
    height = n * step + 2 * EDGE
    tops = [EDGE + step * i for i in range(n)]
    middle = EDGE + (n - 1) * step / 2

    def draw(pen, cell, count):
        k, j = cell
        parts = []
        for i, top in enumerate(tops):
            used = "backward" if i == count - 1 else "used" if i < count - 1 else ""
            x, g = product.X[i, k], product.G[i, j]
            parts.append(edge(pen, f"e{i}.0", COLUMNS[0], middle, COLUMNS[1], top, number(x), used))
            parts.append(
                edge(pen, f"e{i}.1", COLUMNS[1], top, COLUMNS[2], top, number(1.0), "used" if i < count else "")
            )
            data, found = number(x * product.W[cell]), number(g) if i < count else NOT_YET
            state = "backward" if i == count - 1 else ""
            parts.append(box(pen, f"p{i}", COLUMNS[1], top, f"X[{i}, {k}] · W[{k}, {j}]", data, found, state))
            parts.append(
                box(pen, f"y{i}", COLUMNS[2], top, f"Y[{i}, {j}]", number(product.Y[i, j]), number(g), "", "+")
            )
        have = sums(product, cell, count)
        target = "target" if count else ""
        data, grad = number(product.W[cell]), number(have[-1]) if count else NOT_YET
        parts.append(box(pen, "w", COLUMNS[0], middle, f"W[{k}, {j}]", data, grad, target))
        drawing = svg.svg(COLUMNS[2] + BOX + COLUMNS[0], f"{height:.0f}", *parts)
        alt = "A number of W at the left, its products in the middle, the numbers of Y at the right."
        return (
            f'<div class="bp-main">{labelled(drawing, alt)}</div>{sum_html(pen, edge_sum(product, cell, count), False)}'
        )

    return draw


def edge_sum(product, cell, count):
    """Return the sum under the graph: {key: (heading, text)}."""
    if not count:
        return {key: (heading, NOT_YET) for key, heading in SUM}
    a, x, b, g = product.terms("W", cell)[count - 1]
    before, after = sums(product, cell, count)[-2:]
    name = f"W.grad[{cell[0]}, {cell[1]}]"
    headings = (b, f"× {a}", "= contribution", "+ sum before", f"= {name}")
    return {key: pair for (key, _), pair in zip(SUM, zip(headings, map(show, (g, x, x * g, before, after))))}


def edge(pen, key, left, top, right, end, local, state):
    """Draw an arrow from one box to another, with its local derivative. left, right: the left ends of the boxes."""
    start, tip = (left + BOX, top + BOX_TALL / 2), (right, end + BOX_TALL / 2)
    bend = (tip[0] - start[0]) / 2
    d = f"M{start[0]:.1f},{start[1]:.1f}C{start[0] + bend:.1f},{start[1]:.1f} {tip[0] - bend:.1f},{tip[1]:.1f} "
    corners = ((0, 0), (-7, -3), (-7, 3))
    arrow = " ".join(f"{tip[0] + dx:.1f},{tip[1] + dy:.1f}" for dx, dy in corners)
    line = f'<path d="{d}{tip[0] - 6:.1f},{tip[1]:.1f}"/><polygon points="{arrow}"/>'
    at = {"x": tip[0] - 40, "y": tip[1] + (16 if tip[1] > start[1] else -6)}
    return pen("g", key, "edge", line + pen("text", f"{key}.local", "local", text=local, at=at), state=state)


def box(pen, key, left, top, name, data, grad, state, sign=""):
    right = left + BOX - 6
    parts = [
        f'<rect rx="7" x="{left:.1f}" y="{top:.1f}" width="{BOX}" height="{BOX_TALL}"/>',
        pen("text", f"{key}.name", "name", text=name, at={"x": left + 7, "y": top + 14}),
        svg.label(html.escape(sign), right, top + 14, "op"),
        f'<path class="rule" d="M{left:.1f},{top + 19.5:.1f}h{BOX}"/>',
    ]
    for what, text, row in (("data", data, 33), ("grad", grad, 47)):
        parts.append(svg.label(what, left + 7, top + row, "what"))
        parts.append(pen("text", f"{key}.{what}", what, text=text, at={"x": right, "y": top + row}))
    return pen("g", key, f"node {'leaf' if key == 'w' else 'made'}", "".join(parts), state=state)
