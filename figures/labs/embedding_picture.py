"""The drawing of the embedding lab: one-hot rows, the table, and arrows between its rows and the letters."""

from autograd.errors.messages import show
from autograd.tensor import Tensor
from figures.graph.stage import plural, readings
from figures.page import svg
from figures.page.arrays import array_cell, short
from figures.page.picture import labelled
from figures.page.style import NOT_YET

LINES = 7  # rows that always fit, even if a batch and a table have fewer
HOT, WIDE, TALL, GAP, TOP, EDGE, NAME = 21, 68, 40, 110, 56, 10, 26  # pixels: a 0 or 1, a cell; arrows, margins, a name

CELLS = {  # below the drawing: the key of each reading of a letter, and its heading
    "row": "row of E",
    "uses": "looked up",
    "came": "has come back so far",
    "kept": "in the row's gradient",
    "right": "their sum",
}


def vector(numbers):
    return f"[{', '.join(show(float(x)) for x in numbers)}]"


def drawer(known, way):
    """Return the function that draws a frame: one-hot rows on the left, the table, arrows, and the looked-up rows."""
    (count, columns), letters = known.table.shape, len(known.letters)
    lines = max(count, LINES)
    looked = Tensor(known.table)[known.rows].data
    hot = EDGE + NAME
    table = hot + count * HOT + 44 + NAME
    found = table + columns * WIDE + GAP
    size = found + columns * WIDE + NAME + EDGE, TOP + lines * TALL + EDGE
    tops = [TOP + i * TALL for i in range(lines)]
    fixed = [
        svg.label(f"one-hot ({letters}, {count})", hot, 16, "word"),
        svg.label("@", table - NAME - 24, TOP + 1.5 * TALL, "caption large"),
        svg.label(f"E ({count}, {columns})", table, 16, "word"),
        svg.label("below: E.grad", table, 31, "caption start"),
        svg.label(f"Y = E[rows] ({letters}, {columns})", found - 12, 16, "word"),
        svg.label("below: G = Y.grad", found - 12, 31, "caption start"),
    ]
    fixed += [svg.label(sign, hot + (i + 0.5) * HOT, TOP - 7, "sign") for i, sign in enumerate(known.signs)]
    fixed += [svg.label(sign, table - NAME / 2, tops[i] + 22, "sign") for i, sign in enumerate(known.signs)]
    for i, letter in enumerate(known.letters):
        fixed.append(svg.label(letter, EDGE + NAME / 2, tops[i] + 22, "sign"))
        fixed.append(svg.label(letter, found + columns * WIDE + NAME / 2, tops[i] + 22, "sign"))

    def cells(pen, key, kind, left, top, data, grads, state):
        """Draw a row of an array: each number, with its gradient below."""
        parts = []
        for j, x in enumerate(data):
            at = {"x": left + (j + 1) * WIDE - 11, "y": top + 31}
            inside = [
                pen(
                    "text",
                    f"{key}.{j}",
                    "data",
                    text=NOT_YET if x is None else short(float(x)),
                    at=at | {"y": top + 15},
                ),
                pen(
                    "text", f"{key}.{j}.grad", "grad", text=NOT_YET if grads is None else short(float(grads[j])), at=at
                ),
            ]
            box = (WIDE, TALL)
            parts.append(array_cell(pen, f"{key}.{j}.box", kind, left + j * WIDE, top, box, inside, state))
        return "".join(parts)

    def draw(pen, what, turn):
        back = what in ("arrived", "backward", "left")
        done = {"backward": (turn or 0) + 1, "left": letters}.get(what, 0)
        seen = letters if back else 0 if turn is None else turn + 1
        gradient = known.gradient(way, done)
        reached = range(count) if what == "left" else known.rows[:done]
        now = known.rows[turn] if turn is not None else None
        state = "" if turn is None else what
        parts = []
        for i, row in enumerate(known.rows):
            of_now = state if i == turn else ""
            parts.append(one_hot(pen, i, row, count, hot, tops[i], of_now))
            data = looked[i] if i < seen else [None] * columns
            grads = known.upstream[i] if back else None
            parts.append(cells(pen, f"y{i}", "node made", found, tops[i], data, grads, of_now))
            walked = arrow_state(known, i, what, turn, way)
            ends = table + columns * WIDE, tops[row] + TALL / 2 - 2, found - 4, tops[i] + TALL / 2 - 2
            parts.append(arrow(pen, i, ends, walked))
        for i, numbers in enumerate(known.table):
            grads = gradient[i] if i in reached else None
            of_now = "" if i != now else "target" if what == "backward" else "forward"
            parts.append(cells(pen, f"e{i}", "node leaf", table, tops[i], numbers, grads, of_now))
        alt = f"The letters of {known.letters}, each with an arrow from its row of the table."
        drawing = labelled(svg.svg(*size, *fixed, *parts), alt)
        return f'<div class="bp-main">{drawing}</div>{below(pen, known, what, turn, way)}'

    return draw


def one_hot(pen, i, row, count, left, top, state):
    inside = f'<rect x="{left}" y="{top}" width="{count * HOT}" height="{TALL - 4}" rx="6"/>'
    for j in range(count):
        kind = "sign word" if j == row else "caption"
        inside += svg.label(int(j == row), left + (j + 0.5) * HOT, top + 22, kind)
    return pen("g", f"hot{i}", "node made", inside, state=state)


def arrow(pen, i, ends, state):
    """Draw the arrow between a row of the table and a letter's row; of the heads at both ends, one is visible."""
    x, y, end, below = ends
    middle = (x + end) / 2
    line = f'<path d="M{x:.1f},{y:.1f}C{middle:.1f},{y:.1f} {middle:.1f},{below:.1f} {end:.1f},{below:.1f}"/>'
    heads = f'<polygon class="onward" points="{end},{below} {end - 9},{below - 4} {end - 9},{below + 4}"/>'
    heads += f'<polygon class="homeward" points="{x},{y} {x + 9},{y - 4} {x + 9},{y + 4}"/>'
    return pen("g", f"arrow{i}", "edge gather", line + heads, state=state)


def arrow_state(known, i, what, turn, way):
    """Return how a letter's arrow is drawn: hidden, followed now, followed before, or its gradient lost."""
    if what == "table" or (what == "forward" and i > turn):
        return "off"
    if what == "forward":
        return "forward" if i == turn else ""
    if what == "arrived" or (what == "backward" and i > turn):
        return ""
    last = turn if what == "backward" else len(known.rows) - 1
    if way == "gradient[rows] += g" and known.rows[i] in known.rows[i + 1 : last + 1]:
        return "back lost"
    return "back backward" if what == "backward" and i == turn else "back used"


def below(pen, known, what, turn, way):
    """Show the readings of the row that a gradient comes back to."""
    texts = [NOT_YET] * len(CELLS)
    if what == "backward":
        row, uses = known.rows[turn], known.sharing(turn)
        came = " + ".join(vector(known.upstream[place]) for place in uses[-2:])
        came = came if len(uses) < 3 else f"… + {came}"
        left, right = (known.gradient(each, turn + 1)[row] for each in (way, "np.add.at"))
        times = plural(int((known.rows == row).sum()), "time")
        texts = [f"{row}, {known.letters[turn]}", times, came, vector(left), vector(right)]
    made = [(key, heading, text, key != "kept") for (key, heading), text in zip(CELLS.items(), texts)]
    return readings(pen, made, kind="bp-wide bp-embedding")
