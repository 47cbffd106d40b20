"""The Jacobian lab: the matrix that a VJP stands for, as a grid of dots, and a row vector multiplied by it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from autograd.errors.messages import show
from autograd.tensor import Tensor
from figures.graph.stage import plural, readings
from figures.page import svg
from figures.page.arrays import short
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, choice
from figures.page.picture import labelled
from figures.page.player import Frame, Player, Recording
from figures.page.style import NOT_YET, steady

BATCH, INPUTS_OF, HIDDEN, CLASSES = 50, 64, 32, 10  # the sizes of one step on 50 digits
BYTES = 8  # of a number
WIDE, TALL, LEFT, TOP, EDGE = 54, 27, 126, 46, 10  # pixels: a dot's cell; where the grid begins; a margin
HEADING = 510  # the width of the heading above it
LARGEST = 10.5  # the radius of the largest dot


def softmax(x):
    powers = (x - x.data.max(axis=1, keepdims=True)).exp()
    return powers / powers.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Op:
    """An operation y = f(x) of a small array x whose Jacobian the lab draws, and the same operation on digits.

    by: the name of x. shape: of x. made: f. said: what its Jacobian looks like, and why. outputs, inputs,
    filled: how many numbers y and x have in the step on digits, and how many of the Jacobian's are not 0. kept: what
    the VJP keeps of the forward pass. vjp, cost: the VJP as a formula, and what it takes there.
    """

    by: str
    shape: tuple
    made: Callable
    said: str
    outputs: int
    inputs: int
    filled: int
    kept: str
    vjp: str
    cost: str


BIAS = np.array([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]])
ROWS = np.array([[1.0, -2.0, 0.5], [-1.0, 1.5, 1.0]])
OUT, SCORES, WEIGHTS = BATCH * HIDDEN, BATCH * CLASSES, INPUTS_OF * HIDDEN
X = "x", (2, 4)  # the variable of most operations, and its shape
OPS = {
    "tanh": Op(
        *(*X, Tensor.tanh, "Each output depends on one input: a diagonal, 1 - y² at each place."),
        *(OUT, OUT, OUT, "y", "v * (1 - y²)", f"{OUT:,} slopes, {OUT:,} products"),
    ),
    "relu": Op(
        *(*X, Tensor.relu, "A diagonal of ones and zeros: where x is below 0, nothing comes back."),
        *(OUT, OUT, OUT, "x > 0", "v * (x > 0)", f"{OUT:,} products"),
    ),
    "softmax": Op(
        *(*X, softmax, "Within a row each output depends on every input, and on none in other rows: a full block for "
          "each row."),
        *(SCORES, SCORES, SCORES * CLASSES, "y", "y * (v - (v * y).sum(axis=1))", f"{2 * SCORES:,} products"),
    ),
    "matmul": Op(
        *("W", (3, 4), lambda w: Tensor(ROWS) @ w, "Y = X @ W, with respect to W: Y[i, j] depends on column j of W "
          "alone, so only one number in 4 is not 0, and each number of X appears 4 times."),
        *(OUT, WEIGHTS, BATCH * WEIGHTS, "X", "Xᵀ @ G", f"one product of {BATCH * WEIGHTS:,} multiplications"),
    ),
    "bias": Op(
        *("b", (3,), lambda b: Tensor(BIAS) + b, "Y = X + b, with respect to b: each row of Y uses all of b once more, "
          "so the diagonal is repeated for each row."),
        *(OUT, HIDDEN, OUT, "nothing", "G.sum(axis=0)", f"{OUT - HIDDEN:,} additions"),
    ),
    "sum": Op(
        *(*X, Tensor.sum, "One output, which grows by 1 with each input: a single row of ones."),
        *(1, OUT, OUT, "nothing", "v for each number", "no product"),
    ),
}  # fmt: skip

INPUTS = Inputs(choice("op", OPS, "operation"))


def jacobian(op="matmul"):
    """Show the Jacobian of an operation as a grid of dots: a row for each output, a column for each input.

    Each step multiplies one number of a row vector v, the upstream gradient, by its row of the grid, and adds: the
    result is v @ J, which the operation's VJP gives without the grid. op: "tanh", "relu", "softmax", "matmul" (X @ W
    by W), "bias" (X + b by b) or "sum". The lab counts what the Jacobian would take in one step on 50 digits.
    """
    return Player(controls=INPUTS.controls(op=op), record=record)


@dataclass(frozen=True, eq=False)
class Found:
    """An operation's Jacobian, of shape (outputs, inputs), a row vector v, and the VJP of v: arrays."""

    matrix: np.ndarray
    v: np.ndarray
    vjp: np.ndarray


def find(op):
    """Return the Found of an operation: each Jacobian row by a backward pass from one output, the VJP by one pass."""
    random = np.random.RandomState(3)
    x = Tensor(np.round(random.uniform(-1.5, 1.5, op.shape), 2))
    shape = op.made(x).shape
    size = int(np.prod(shape, dtype=int))
    v = np.resize([1.0, -0.5, 2.0, 0.5, -1.0, 1.5, -2.0, 0.25], size)
    return Found(
        np.array([pulled(op, x, row.reshape(shape)) for row in np.eye(size)]), v, pulled(op, x, v.reshape(shape))
    )


def pulled(op, x, upstream):
    """Return the gradient of x, as a row, after a backward pass from this gradient of the output."""
    x = Tensor(x.data)
    op.made(x).backward(gradient=upstream)
    return x.grad.ravel()


@INPUTS.check
def record(op):
    known = OPS[op]
    found = find(known)
    stage, count = FrameTemplate(drawer(known, found)), len(found.v)
    frames = [Frame(opening(known, found), "The Jacobian", stage.updates(0, False))]
    for row in range(1, count + 1):
        frames.append(Frame(sentence(found, row), f"Row {row} of {count}", stage.updates(row, False)))
    frames.append(Frame(closing(known), "Never stored", stage.updates(count, True)))
    alt = f"The Jacobian of {op} with respect to {known.by} as a grid of dots, {count} by {found.matrix.shape[1]}."
    return Recording(f"v @ J for {op}, with respect to {known.by}", frames, stage, alt)


def opening(op, found):
    rows, columns = found.matrix.shape
    filled = int(np.count_nonzero(found.matrix))
    return (
        f"Row i, column j: how fast output i changes with input j. {op.said} {filled} of {rows * columns} numbers are "
        "not 0 here. v, at the left, is the upstream gradient."
    )


def sentence(found, row):
    i = row - 1
    line, v = found.matrix[i], found.v[i]
    reached = np.flatnonzero(line)
    if not len(reached):
        return f"Output {i}: all of its row is 0, so v[{i}] = {show(v)} adds nothing to any input."
    where = f"input {reached[0]}" if len(reached) == 1 else f"{len(reached)} of the {len(line)} inputs"
    first = reached[0]
    return (
        f"Output {i}: v[{i}] = {show(v)} times row {i} is added below. It reaches {where}: {show(v)} · "
        f"{show(line[first])} = {show(v * line[first])} for input {first}."
    )


def closing(op):
    numbers = op.outputs * op.inputs
    return (
        f"v @ J is {op.by}'s gradient. In one step on {BATCH} digits this grid would have {op.outputs:,} × "
        f"{op.inputs:,} = {plural(numbers, 'number')}, {size_of(numbers)}. The VJP is {op.vjp}, {op.cost}; it stores "
        f"{op.kept}. The grid is never made."
    )


def size_of(numbers):
    size = numbers * BYTES
    return f"{size / 1e6:.3g} MB" if size >= 1e6 else f"{size / 1e3:.3g} kB"


def drawer(op, found):
    """Return the function that draws a frame: v on the left, the grid, and below it the sum so far."""
    rows, columns = found.matrix.shape
    size = LEFT + max(columns * WIDE, HEADING) + EDGE, TOP + (rows + 1) * TALL + 26
    largest = np.abs(found.matrix).max()
    sums = np.concatenate([np.zeros((1, columns)), np.cumsum(found.v[:, None] * found.matrix, axis=0)])
    fixed = [
        svg.label("v", LEFT - 34, TOP - 8, "word end"),
        svg.label("J has a row for each output, a column for each input. ○: below 0, ·: 0.", LEFT, TOP - 26, "word"),
        svg.label("v @ J", LEFT - 34, TOP + (rows + 0.5) * TALL + 12, "word end"),
    ]
    fixed += [svg.label(j, LEFT + (j + 0.5) * WIDE, TOP - 8, "caption") for j in range(columns)]
    for i in range(rows):
        y = TOP + (i + 0.5) * TALL
        fixed.append(svg.label(i, LEFT - 12, y + 4, "caption"))
        fixed += [dot(LEFT + (j + 0.5) * WIDE, y, found.matrix[i, j], largest) for j in range(columns)]
    numbers, filled = op.outputs * op.inputs, op.filled
    counts = (
        ("here", "this grid", f"{rows} × {columns} = {rows * columns}", True),
        ("digits", f"on {BATCH} digits", f"{numbers:,}", True),
        ("bytes", "it would take", size_of(numbers), True),
        ("filled", "of them not 0", f"{filled:,}", True),
        ("stored", "ever stored", "0", False),
    )

    def draw(pen, row, ended):
        parts = []
        for i in range(rows):
            y = TOP + i * TALL
            inside = f'<rect x="{LEFT - 112}" y="{y + 1}" width="{112 + columns * WIDE}" height="{TALL - 2}" rx="5"/>'
            inside += svg.label(short(found.v[i]), LEFT - 34, y + TALL / 2 + 4, "grad")
            state = "backward" if i == row - 1 and not ended else ""
            parts.append(pen("g", f"row.{i}", "node made", inside, state=state))
        for j in range(columns):
            x, y = LEFT + j * WIDE, TOP + rows * TALL + 8
            text = short(sums[row][j]) if row else NOT_YET
            inside = f'<rect x="{x + 1}" y="{y}" width="{WIDE - 2}" height="{TALL}" rx="5"/>'
            inside += pen("text", f"sum.{j}", "grad", text=text, at={"x": x + WIDE - 5, "y": y + TALL / 2 + 4})
            touched = row and not ended and found.matrix[row - 1, j]
            parts.append(pen("g", f"sum.{j}.of", "node leaf", inside, state="target" if touched else ""))
        alt = f"A grid of {rows} by {columns} dots, {plural(int(np.count_nonzero(found.matrix)), 'number')} not 0."
        drawing = labelled(svg.svg(size[0], f"{size[1]:.0f}", *parts, *fixed), alt)
        texts = [(key, heading, text if ended else NOT_YET, plain) for key, heading, text, plain in counts]
        return f'<div class="bp-main">{drawing}</div>{readings(pen, [counts[0], *texts[1:]])}'

    return draw


def dot(x, y, number, largest):
    """Draw a number of the grid: filled above 0, a ring below, larger if the number is; a point for 0."""
    if number == 0:
        return f'<circle class="done" cx="{x:.1f}" cy="{y:.1f}" r="1.3"/>'
    radius = 2.5 + (LARGEST - 2.5) * math.sqrt(abs(number) / largest)
    kind = "bars s0" if number > 0 else "least s1"
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>{steady(number)}</title></circle>'
