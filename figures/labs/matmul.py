"""The matrix product lab: the gradient of Y = X @ W, cell by cell, and the same cell as a graph of single numbers."""

import html
import itertools
from dataclasses import dataclass

import numpy as np

from autograd import tensor_validation as validation
from autograd.messages import show
from autograd.tensor import Tensor
from figures.graph.stage import plural, question
from figures.page import arrays, svg
from figures.page.arrays import short
from figures.page.inputs import Inputs, choice
from figures.page.pen import Stage
from figures.page.picture import labelled
from figures.page.player import Frame, Player, Recording
from figures.page.style import NOT_YET
from figures.walks.asking import MOST
from figures.walks.passes import SUM, sum_html

SIZES = 4  # rows or columns: more cannot be read
EXAMPLE = {  # of lesson 11: two paths cancel in W.grad[1, 0]
    "X": [[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]],
    "W": [[1.0, -1.0], [2.0, 0.0], [0.5, 1.0]],
    "upstream": [[1.0, 0.0], [2.0, -1.0]],
}
WAYS = ("W", "X", "graph")
WIDE, TALL, GAP, HEAD, EDGE = 84, 42, 56, 42, 10  # pixels: a cell, between matrices, above one, at the margin
BOX, BOX_TALL = 132, 53  # a node of the graph
COLUMNS = 30, 330, 630  # where its columns begin
FORMULA = {"W": "W.grad = Xᵀ @ G", "X": "X.grad = G @ Wᵀ"}

INPUTS = Inputs(choice("wants", WAYS, "gradient of"))


@dataclass(frozen=True, eq=False)
class Product:
    """Y = X @ W with the gradient of Y and what the engine finds for X and W, arrays by name: X, W, Y, G, dX, dW."""

    X: np.ndarray
    W: np.ndarray
    G: np.ndarray
    Y: np.ndarray
    dX: np.ndarray
    dW: np.ndarray

    def terms(self, wants, cell):
        """The (name, number, name, number) of each product that a cell of a gradient is the sum of."""
        row, column = cell
        if wants == "W":
            rows = range(len(self.X))
            return [(f"X[{i}, {row}]", self.X[i, row], f"G[{i}, {column}]", self.G[i, column]) for i in rows]
        columns = range(self.G.shape[1])
        return [(f"G[{row}, {j}]", self.G[row, j], f"W[{column}, {j}]", self.W[column, j]) for j in columns]

    def gradient(self, wants):
        """What the engine found."""
        return self.dW if wants == "W" else self.dX


def matmul(X=None, W=None, upstream=None, *, wants="W", predict=False):
    """Step through the gradient of Y = X @ W: each frame is one cell, a row or column of one times one of the other.

    X, W: lists of rows, or arrays of shape (n, k) and (k, m), with sizes from 1 to 4. upstream: the gradient of Y, of
    shape (n, m). Without them the example of lesson 11. wants: "W" or "X", the input whose gradient is stepped through;
    or "graph": for each number of W the n edges that leave it in a graph of single numbers. predict: before a cell the
    learner may type its number; a wrong one is explained, where a known wrong rule gives it.
    """
    product = read(*(EXAMPLE[name] if given is None else given for name, given in zip(EXAMPLE, (X, W, upstream))))

    @INPUTS.check
    def record(wants):
        return record_graph(product, predict) if wants == "graph" else record_cells(product, wants, predict)

    return Player(controls=INPUTS.controls(wants=wants), record=record)


def read(x, w, upstream):
    """The Product of three matrices. ValueError or TypeError with a sentence where they are none, or do not fit."""
    found = {}
    for name, given in zip(EXAMPLE, (x, w, upstream)):
        array = arrays.numbers(given, name)
        if array.ndim != 2:
            raise ValueError(f"{name} is a matrix, a list of rows such as [[1, 2], [3, 4]]; got shape {array.shape}.")
        if min(array.shape) < 1 or max(array.shape) > SIZES:
            raise ValueError(
                f"this lab shows every number: sizes go from 1 to {SIZES}; {name} has shape {array.shape}."
            )
        found[name] = array
    x, w, upstream = found.values()
    validation.fit("@", x.shape, w.shape)
    if upstream.shape != (len(x), w.shape[1]):
        raise ValueError(f"upstream has the shape of X @ W, ({len(x)}, {w.shape[1]}); got {upstream.shape}.")
    left, right = Tensor(x), Tensor(w)
    made = left @ right
    made.backward(gradient=upstream)
    return Product(left.data, right.data, upstream, made.data, left.grad, right.grad)


# Wrong rules


def rules(product):
    """(sentence, gradient) of each known wrong rule for W and for X, {wants: [...]}, where its shapes fit."""
    x, w, g = product.X, product.W, product.G
    ones, n = np.ones_like(g), len(x)
    said = {
        "transposes": "no matrix is transposed, so rows meet where columns should",
        "result": "the result is transposed, so the number of another cell stands here",
        "order": "the two factors stand in the other order",
        "inputs": "the gradients of X and W are exchanged",
        "upstream": "G is left out, as if it were all ones",
        "elementwise": "numbers at the same place are multiplied, and nothing is added",
        "mean": f"the sum is divided by the {plural(n, 'row')}; contributions add up",
        "transposed": "G is transposed",
        "own": "the factor is the input's own number; it is the other's",
    }
    tried = {
        "W": {
            "transposes": lambda: x @ g,
            "result": lambda: (x.T @ g).T,
            "order": lambda: g @ x.T,
            "inputs": lambda: g @ w.T,
            "upstream": lambda: x.T @ ones,
            "elementwise": lambda: x * g,
            "mean": lambda: x.T @ g / n,
            "transposed": lambda: x.T @ g.T,
            "own": lambda: w.T @ g,
        },
        "X": {
            "transposes": lambda: g @ w,
            "result": lambda: (g @ w.T).T,
            "order": lambda: w.T @ g,
            "inputs": lambda: x.T @ g,
            "upstream": lambda: ones @ w.T,
            "elementwise": lambda: g * w,
            "mean": lambda: g @ w.T / n,
            "transposed": lambda: g.T @ w.T,
            "own": lambda: g @ x.T,
        },
    }
    found = {}
    for wants, ways in tried.items():
        found[wants] = []
        for name, way in ways.items():
            try:
                found[wants].append((said[name], way()))
            except ValueError:  # these shapes do not fit: nobody gets a number
                continue
    return found


def mistakes(product, wants, cell, known):
    """(number, sentence) of the known mistakes for a cell."""
    (row, column), terms, found = cell, product.terms(wants, cell), []
    if len(terms) > 1:
        for name, (_, a, _, b) in (("first", terms[0]), ("last", terms[-1])):
            found.append((float(a * b), f"One mistake gives this: the {name} product alone. All {len(terms)} add up."))
    return found + [
        (float(gradient[cell]), f"One mistake gives this: {said}.")
        for said, gradient in known[wants]
        if row < gradient.shape[0] and column < gradient.shape[1]
    ]


def fitting(product, wants):
    """How many of the 36 products of two of X, Xᵀ, W, Wᵀ, G, Gᵀ have the shape of this gradient."""
    shapes = [s for array in (product.X, product.W, product.G) for s in (array.shape, array.shape[::-1])]
    pairs = itertools.product(shapes, shapes)
    return sum(a[1] == b[0] and (a[0], b[1]) == product.gradient(wants).shape for a, b in pairs)


# Cell by cell


def record_cells(product, wants, predict):
    """The Recording of the gradient of X or W: what is known, a frame for each cell, the whole."""
    stage, known = Stage(drawer(product, wants)), rules(product)
    gradient = product.gradient(wants)
    cells = list(np.ndindex(gradient.shape))
    frames = [Frame(opening(product, wants), "Start", stage.marks(wants, None, 0))]
    for turn, cell in enumerate(cells, start=1):
        name = f"{wants}.grad[{cell[0]}, {cell[1]}]"
        ask = None
        if predict:
            ask = question(name, float(gradient[cell]), mistakes(product, wants, cell, known), hint(wants, cell))
        at = f"Cell {turn} of {len(cells)}"
        frames.append(Frame(sentence(product, wants, cell), at, stage.marks(wants, cell, turn), ask))
    frames.append(Frame(closing(product, wants), "The whole", stage.marks(wants, None, len(cells))))
    alt = f"The matrices X, W and Y, and the gradient of {wants}, cell by cell."
    return Recording(f"The gradient of {wants} in Y = X @ W, cell by cell", frames, stage, alt)


def opening(product, wants):
    """What is known before the first cell."""
    count = product.gradient(wants).size
    return (
        f"Y = X @ W is computed, and the pass back has brought G = Y.grad: one number for each number of Y. {wants} "
        f"has {plural(count, 'number')}, and each gets a gradient. Which numbers meet in {wants}.grad[0, 0]?"
    )


def sentence(product, wants, cell):
    """A cell's gradient, worked out."""
    row, column = cell
    terms = product.terms(wants, cell)
    lines = (
        (f"Column {row} of X", f"column {column} of G") if wants == "W" else (f"Row {row} of G", f"row {column} of W")
    )
    numbers = " + ".join(f"{bracketed(a)} · {bracketed(b)}" for _, a, _, b in terms)
    value = product.gradient(wants)[cell]
    cancels = value == 0 and any(a * b for _, a, _, b in terms)
    return (
        f"{lines[0]} meets {lines[1]}: {wants}.grad[{row}, {column}] = {numbers} = {show(value)}."
        f"{' The contributions cancel.' if cancels else ''}"
    )


def hint(wants, cell):
    """What to ask somebody whose number for a cell is wrong."""
    row, column = cell
    if wants == "W":
        used, other = f"which numbers of X was W[{row}, {column}] multiplied with", f"Y[·, {column}]"
    else:
        used, other = f"which numbers of W was X[{row}, {column}] multiplied with", f"Y[{row}, ·]"
    return f"In Y = X @ W, {used}? Each product went into one number of {other}: multiply by its G, and add."


def closing(product, wants):
    """What the cells are together."""
    fit, shape = fitting(product, wants), product.gradient(wants).shape
    lines = "column of X with one of G" if wants == "W" else "row of G with one of W"
    others = "it alone has" if fit == 1 else f"{fit} have"
    end = "." if fit == 1 else ": that the shape fits proves little."
    return (
        f"Each cell is a {lines}. All at once that is {FORMULA[wants]}, of shape {shape}, as {wants} has it. Of the 36 "
        f"products of two of X, Xᵀ, W, Wᵀ, G, Gᵀ {others} this shape{end}"
    )


def bracketed(x):
    """A number in a product."""
    text = show(x)
    return f"({text})" if text.startswith("-") else text


def drawer(product, wants):
    """The function that draws a frame: X at the left, W above, Y where they meet, and the sum of a cell."""
    (n, k), m = product.X.shape, product.W.shape[1]
    right, low = EDGE + k * WIDE + GAP, HEAD + k * TALL + GAP
    places = {"X": (EDGE, low), "W": (right, HEAD), "Y": (right, low)}
    size = right + m * WIDE + EDGE, low + n * TALL + EDGE
    cells = list(np.ndindex(product.gradient(wants).shape))

    def state(name, place, cell):
        if cell is None:
            return ""
        row, column = cell
        line = {"W": {"X": (1, row), "Y": (1, column)}, "X": {"Y": (0, row), "W": (0, column)}}[wants].get(name)
        if name == wants and place == cell:
            return "target"
        return "" if line is None or place[line[0]] != line[1] else "backward" if name == "Y" else "forward"

    def draw(pen, wants, cell, done):
        parts = []
        for name, (left, top) in places.items():
            array = getattr(product, name)
            below = "below: G" if name == "Y" else f"below: {name}.grad" if name == wants else ""
            parts.append(svg.label(f"{name} {array.shape}", left, top - (23 if below else 8), "word"))
            parts.append(svg.label(below, left, top - 8, "caption start"))
            for place in np.ndindex(array.shape):
                x, y = left + place[1] * WIDE, top + place[0] * TALL
                second = name in (wants, "Y")
                inside = f'<rect x="{x}" y="{y}" width="{WIDE - 4}" height="{TALL - 4}" rx="6"/>'
                inside += svg.label(short(array[place]), x + WIDE - 12, y + (16 if second else 23), "data")
                key = f"{name}.{place[0]}.{place[1]}"
                if name == "Y":
                    inside += svg.label(short(product.G[place]), x + WIDE - 12, y + 32, "grad")
                elif second:
                    known = cells.index(place) < done
                    text = short(product.gradient(wants)[place]) if known else NOT_YET
                    inside += pen("text", f"{key}.grad", "grad", text=text, at={"x": x + WIDE - 12, "y": y + 32})
                kind = "node made" if name == "Y" else "node leaf"
                parts.append(pen("g", key, kind, inside, state=state(name, place, cell)))
        whole = cell is None and done
        parts.append(
            pen("text", "formula", "heading", text=FORMULA[wants] if whole else "", at={"x": EDGE, "y": HEAD + 20})
        )
        alt = f"X of shape {product.X.shape} at the left, W of shape {product.W.shape} above, Y where they meet."
        return f'<div class="bp-main">{labelled(svg.svg(*size, *parts), alt)}</div>{summed(pen, product, wants, cell)}'

    return draw


def summed(pen, product, wants, cell):
    """The products that a cell is the sum of, as cells of a row."""
    shape = product.gradient(wants).shape
    count, made = len(product.terms(wants, (0, 0))), []
    terms = product.terms(wants, cell) if cell else [None] * count
    for i, term in enumerate(terms):
        names, number, factors = NOT_YET, NOT_YET, NOT_YET
        if term:
            a, x, b, y = term
            names, number, factors = f"{'+ ' if i else ''}{a} · {b}", show(x * y), f"{short(x)} · {short(y)}"
        parts = pen("span", f"term.{i}.of", text=names) + pen("b", f"term.{i}", text=number)
        made.append(f'<div class="bp-plain">{parts}{pen("small", f"term.{i}.factors", text=factors)}</div>')
    total = show(product.gradient(wants)[cell]) if cell else NOT_YET
    name = f"= {wants}.grad[{cell[0]}, {cell[1]}]" if cell else f"= {wants}.grad, of shape {shape}"
    made.append(f"<div>{pen('span', 'total.of', text=name)}{pen('b', 'total', text=total)}</div>")
    style = f"grid-template-columns:repeat({count + 1},minmax(0,1fr))"
    return f'<div class="bp-sum bp-wide" style="{style}">{"".join(made)}</div>'


# The same cells as a graph of single numbers


def record_graph(product, predict):
    """The Recording of the edges that leave each number of W: a frame an edge."""
    stage, asked = Stage(graph_drawer(product)), 0
    (n, k), m = product.X.shape, product.W.shape[1]
    others = f", beside {plural(k - 1, 'other')} that are left out here" if k > 1 else ""
    first = (
        f"As single numbers: W[0, 0] is used {plural(n, 'time')}, once in each row of X. Each product goes into one "
        f"number of Y{others}. What comes back to W[0, 0]?"
    )
    frames, total = [Frame(first, "Start", stage.marks((0, 0), 0))], k * m
    for turn, cell in enumerate(np.ndindex(product.W.shape), start=1):
        for i in range(n):
            ask = None
            if predict and asked < MOST:
                ask, asked = asked_edge(product, cell, i), asked + 1
            at = f"W[{cell[0]}, {cell[1]}], {turn} of {total}: edge {i + 1} of {n}"
            frames.append(Frame(edge_sentence(product, cell, i), at, stage.marks(cell, i + 1), ask))
    alt = "A number of W, the products that it goes into, and the numbers of Y that these go into."
    return Recording("Each number of W as a node of a graph", frames, stage, alt)


def sums(product, cell, count):
    """What a number of W has from its first edges, added up one by one."""
    found = [0.0]
    for _, x, _, g in product.terms("W", cell)[:count]:
        found.append(found[-1] + float(x * g))
    return found


def edge_sentence(product, cell, i):
    """An edge used backward, in words."""
    k, j = cell
    a, x, b, g = product.terms("W", cell)[i]
    before, after = sums(product, cell, i + 1)[-2:]
    last = i + 1 == len(product.X)
    end = f" That is all: W.grad[{k}, {j}] is the sum over the rows." if last else ""
    return (
        f"From Y[{i}, {j}] over the product back to W[{k}, {j}]: local derivative {a} = {show(x)} times upstream "
        f"gradient {b} = {show(g)} contributes {show(x * g)}, so W.grad[{k}, {j}] goes from {show(before)} to "
        f"{show(after)}.{end}"
    )


def asked_edge(product, cell, i):
    """The question before an edge: the sum after it."""
    k, j = cell
    _, x, _, g = product.terms("W", cell)[i]
    before, after = sums(product, cell, i + 1)[-2:]
    said = "One mistake gives this: {}."
    wrong = [
        (float(x * g), said.format("what came along this edge alone; it is added to what was there")),
        (before + float(x), said.format("the local derivative alone, without the upstream gradient")),
        (before + float(g), said.format("the upstream gradient alone, without the local derivative")),
        (before + float(x + g), said.format("local derivative and upstream gradient are added; they are multiplied")),
        (before + float(product.W[cell] * g), said.format("the factor is the input's own number; it is the other's")),
        (before, said.format("nothing was added along this edge")),
    ]
    asking = (
        f"Which number of X stands beside W[{k}, {j}] in the product of row {i}? Multiply it by G[{i}, {j}], and add "
        "that to what has come before."
    )
    return question(f"W.grad[{k}, {j}]", after, wrong, asking)


def graph_drawer(product):
    """The function that draws a frame of the graph: W[k, j] after `count` of its edges have been used backward."""
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
            parts.append(edge(pen, f"e{i}.0", COLUMNS[0], middle, COLUMNS[1], top, show(x), used))
            parts.append(edge(pen, f"e{i}.1", COLUMNS[1], top, COLUMNS[2], top, show(1.0), "used" if i < count else ""))
            data, found = show(x * product.W[cell]), show(g) if i < count else NOT_YET
            state = "backward" if i == count - 1 else ""
            parts.append(box(pen, f"p{i}", COLUMNS[1], top, f"X[{i}, {k}] · W[{k}, {j}]", data, found, state))
            parts.append(box(pen, f"y{i}", COLUMNS[2], top, f"Y[{i}, {j}]", show(product.Y[i, j]), show(g), "", "+"))
        have = sums(product, cell, count)
        target = "target" if count else ""
        data, grad = show(product.W[cell]), show(have[-1]) if count else NOT_YET
        parts.append(box(pen, "w", COLUMNS[0], middle, f"W[{k}, {j}]", data, grad, target))
        drawing = svg.svg(COLUMNS[2] + BOX + COLUMNS[0], f"{height:.0f}", *parts)
        alt = "A number of W at the left, its products in the middle, the numbers of Y at the right."
        return (
            f'<div class="bp-main">{labelled(drawing, alt)}</div>{sum_html(pen, edge_sum(product, cell, count), False)}'
        )

    return draw


def edge_sum(product, cell, count):
    """The sum under the graph: {key: (heading, text)}."""
    if not count:
        return {key: (heading, NOT_YET) for key, heading in SUM}
    a, x, b, g = product.terms("W", cell)[count - 1]
    before, after = sums(product, cell, count)[-2:]
    name = f"W.grad[{cell[0]}, {cell[1]}]"
    headings = (b, f"× {a}", "= contribution", "+ sum before", f"= {name}")
    return {key: pair for (key, _), pair in zip(SUM, zip(headings, map(show, (g, x, x * g, before, after))))}


def edge(pen, key, left, top, right, end, local, state):
    """An arrow from one box to another, with the local derivative on it. left, right: where the boxes begin."""
    start, tip = (left + BOX, top + BOX_TALL / 2), (right, end + BOX_TALL / 2)
    bend = (tip[0] - start[0]) / 2
    d = f"M{start[0]:.1f},{start[1]:.1f}C{start[0] + bend:.1f},{start[1]:.1f} {tip[0] - bend:.1f},{tip[1]:.1f} "
    corners = ((0, 0), (-7, -3), (-7, 3))
    arrow = " ".join(f"{tip[0] + dx:.1f},{tip[1] + dy:.1f}" for dx, dy in corners)
    line = f'<path d="{d}{tip[0] - 6:.1f},{tip[1]:.1f}"/><polygon points="{arrow}"/>'
    at = {"x": tip[0] - 40, "y": tip[1] + (16 if tip[1] > start[1] else -6)}
    return pen("g", key, "edge", line + pen("text", f"{key}.local", "local", text=local, at=at), state=state)


def box(pen, key, left, top, name, data, grad, state, sign=""):
    """A node, whose name may change."""
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
