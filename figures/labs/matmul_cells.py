"""The matmul lab on cells: each number of a gradient as a sum of products."""

import contextlib
import itertools

import numpy as np

from autograd.errors.messages import show
from figures.graph.stage import bracketed, mistaken, plural, question
from figures.page import svg
from figures.page.arrays import array_cell, short
from figures.page.frame_recorder import FrameTemplate
from figures.page.picture import labelled
from figures.page.player import Frame, Recording
from figures.page.style import NOT_YET

WIDE, TALL, GAP, HEAD, EDGE = 84, 42, 56, 42, 10  # pixels: a cell, between matrices, above one, at the margin
FORMULA = {"W": "W.grad = Xᵀ @ G", "X": "X.grad = G @ Wᵀ"}


# Wrong rules


def rules(product):
    """Return (sentence, gradient) of each known wrong rule for W and for X, {wants: [...]}, if its shapes fit."""
    x, w, g = product.X, product.W, product.G
    ones, n = np.ones_like(g), len(x)
    ways = (  # a sentence about it, and its result for W and for X
        ("no matrix is transposed, so rows meet where columns should", lambda: x @ g, lambda: g @ w),
        (
            "the result is transposed, so this is the number of a different cell",
            lambda: (x.T @ g).T,
            lambda: (g @ w.T).T,
        ),
        ("the two factors are in the wrong order", lambda: g @ x.T, lambda: w.T @ g),
        ("the gradients of X and W are swapped", lambda: g @ w.T, lambda: x.T @ g),
        ("G is left out, as if it were all ones", lambda: x.T @ ones, lambda: ones @ w.T),
        ("numbers at the same place are multiplied, and nothing is added", lambda: x * g, lambda: g * w),
        (
            f"the sum is divided by the {plural(n, 'row')}; contributions add up",
            lambda: x.T @ g / n,
            lambda: g @ w.T / n,
        ),
        ("G is transposed", lambda: x.T @ g.T, lambda: g.T @ w.T),
        ("the factor is the input's own number, not the other's", lambda: w.T @ g, lambda: g @ x.T),
    )
    found = {"W": [], "X": []}
    for said, *of_both in ways:
        for wants, way in zip(found, of_both):
            with contextlib.suppress(ValueError):  # shapes that do not fit: no learner can get a number
                found[wants].append((said, way()))
    return found


def mistakes(product, wants, cell, known):
    (row, column), terms, found = cell, product.terms(wants, cell), []
    if len(terms) > 1:
        for name, (_, a, _, b) in (("first", terms[0]), ("last", terms[-1])):
            found.append((a * b, f"only the {name} product. All {len(terms)} are added"))
    for said, gradient in known[wants]:
        if row < gradient.shape[0] and column < gradient.shape[1]:
            found.append((gradient[cell], said))
    return mistaken(*found)


def fitting(product, wants):
    """Count which of the 36 products of two of X, Xᵀ, W, Wᵀ, G, Gᵀ have the shape of this gradient."""
    shapes = [s for array in (product.X, product.W, product.G) for s in (array.shape, array.shape[::-1])]
    pairs = itertools.product(shapes, shapes)
    return sum(a[1] == b[0] and (a[0], b[1]) == product.gradient(wants).shape for a, b in pairs)


# Cell by cell


def record_cells(product, wants, predict):
    """Return the Recording of the gradient of X or W: what is known, a frame for each cell, the whole."""
    stage, known = FrameTemplate(drawer(product, wants)), rules(product)
    gradient = product.gradient(wants)
    cells = list(np.ndindex(gradient.shape))
    frames = [Frame(opening(product, wants), "Start", stage.updates(wants, None, 0))]
    for turn, cell in enumerate(cells, start=1):
        name = f"{wants}.grad[{cell[0]}, {cell[1]}]"
        ask = None
        if predict:
            ask = question(name, float(gradient[cell]), mistakes(product, wants, cell, known), hint(wants, cell))
        at = f"Cell {turn} of {len(cells)}"
        frames.append(Frame(sentence(product, wants, cell), at, stage.updates(wants, cell, turn), ask))
    frames.append(Frame(closing(product, wants), "The whole", stage.updates(wants, None, len(cells))))
    alt = f"The matrices X, W and Y, and the gradient of {wants}, cell by cell."
    return Recording(f"The gradient of {wants} in Y = X @ W, cell by cell", frames, stage, alt)


def opening(product, wants):
    count = product.gradient(wants).size
    return (
        f"Y = X @ W is computed, and the backward pass has brought G = Y.grad: one number for each of Y's. {wants} "
        f"has {plural(count, 'number')}, and each gets a gradient. Which numbers meet in {wants}.grad[0, 0]?"
    )


def sentence(product, wants, cell):
    row, column = cell
    terms = product.terms(wants, cell)
    lines = (
        (f"Column {row} of X", f"column {column} of G") if wants == "W" else (f"Row {row} of G", f"row {column} of W")
    )
    numbers = " + ".join(f"{bracketed(show(a))} · {bracketed(show(b))}" for _, a, _, b in terms)
    value = product.gradient(wants)[cell]
    cancels = value == 0 and any(a * b for _, a, _, b in terms)
    return (
        f"{lines[0]} meets {lines[1]}: {wants}.grad[{row}, {column}] = {numbers} = {show(value)}."
        f"{' The contributions cancel.' if cancels else ''}"
    )


def hint(wants, cell):
    row, column = cell
    if wants == "W":
        used, other = f"which numbers of X was W[{row}, {column}] multiplied with", f"Y[·, {column}]"
    else:
        used, other = f"which numbers of W was X[{row}, {column}] multiplied with", f"Y[{row}, ·]"
    return f"In Y = X @ W, {used}? Each product went into one number of {other}: multiply by its G, and add."


def closing(product, wants):
    fit, shape = fitting(product, wants), product.gradient(wants).shape
    lines = "column of X with one of G" if wants == "W" else "row of G with one of W"
    others = "only this one has the shape" if fit == 1 else f"{fit} of them have the shape"
    end = "." if fit == 1 else ". A shape that fits proves little."
    return (
        f"Each cell is a {lines}. All at once that is {FORMULA[wants]}, of shape {shape}, the same as {wants}. "
        f"There are 36 ways to multiply two of X, Xᵀ, W, Wᵀ, G, Gᵀ; {others} {shape}{end}"
    )


def drawer(product, wants):
    """Return the function that draws a frame: X on the left, W above, Y where they meet, and the sum of a cell."""
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
                key, kind = f"{name}.{place[0]}.{place[1]}", "node made" if name == "Y" else "node leaf"
                inside = [svg.label(short(array[place]), x + WIDE - 12, y + (16 if second else 23), "data")]
                if name == "Y":
                    inside.append(svg.label(short(product.G[place]), x + WIDE - 12, y + 32, "grad"))
                elif second:
                    text = short(product.gradient(wants)[place]) if cells.index(place) < done else NOT_YET
                    inside.append(pen("text", f"{key}.grad", "grad", text=text, at={"x": x + WIDE - 12, "y": y + 32}))
                parts.append(array_cell(pen, key, kind, x, y, (WIDE, TALL), inside, state(name, place, cell)))
        formula = FORMULA[wants] if cell is None and done else ""
        parts.append(pen("text", "formula", "heading", text=formula, at={"x": EDGE, "y": HEAD + 20}))
        alt = f"X of shape {product.X.shape} at the left, W of shape {product.W.shape} above, Y where they meet."
        return f'<div class="bp-main">{labelled(svg.svg(*size, *parts), alt)}</div>{summed(pen, product, wants, cell)}'

    return draw


def summed(pen, product, wants, cell):
    shape = product.gradient(wants).shape
    count, made = len(product.terms(wants, (0, 0))), []
    terms = product.terms(wants, cell) if cell else [None] * count
    for i, term in enumerate(terms):
        names, number, factors = NOT_YET, NOT_YET, NOT_YET
        if term:
            a, x, b, y = term
            names, number, factors = f"{'+ ' if i else ''}{a} · {b}", short(x * y), f"{short(x)} · {short(y)}"
        parts = pen("span", f"term.{i}.of", text=names) + pen("b", f"term.{i}", text=number)
        made.append(f'<div class="bp-plain">{parts}{pen("small", f"term.{i}.factors", text=factors)}</div>')
    total = short(product.gradient(wants)[cell]) if cell else NOT_YET
    name = f"= {wants}.grad[{cell[0]}, {cell[1]}]" if cell else f"= {wants}.grad, of shape {shape}"
    made.append(f"<div>{pen('span', 'total.of', text=name)}{pen('b', 'total', text=total)}</div>")
    style = f"grid-template-columns:repeat({count + 1},minmax(0,1fr))"
    return f'<div class="bp-sum bp-wide" style="{style}">{"".join(made)}</div>'
