"""The broadcasting lab: an array is stretched to another's shape, and its gradient is folded back and added up."""

from dataclasses import dataclass

import numpy as np

from autograd.arrays import validation
from autograd.errors import messages
from autograd.errors.messages import show
from autograd.tensor import Tensor
from figures.graph.stage import bracketed, few, join_words, mistaken, plural, question, readings
from figures.page import arrays, svg
from figures.page.arrays import array_cell, short
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, choice
from figures.page.picture import labelled
from figures.page.player import Frame, Player, Recording
from figures.page.style import NOT_YET
from figures.passes.questions import MOST

AXES, LINES, COLUMNS = 3, 6, 4  # the most that the lab draws: more would be unreadable
UPSTREAM = (1, 2, 3, 1, 0, -1, 2, 2, 2, 0, 1, 0)  # from lesson 08, for the shape (4, 3)
FOLDS = {  # how the gradients of the copies are combined, and a sentence about it
    "sum": "",
    "mean": "Nothing divides: each use adds its contribution.",
    "first row": "The others are lost, as with = instead of +=.",
    "not folded": "",
}
WIDE, TALL, GAP, TOP, EDGE, SLICE = 59, 42, 30, 30, 8, 12  # pixels: a cell, between arrays, above, around, of slices
NAMES = 150  # the width of the heading above y

CELLS = {  # below the arrays: the key of each reading of a folded entry, and its heading
    "entry": "number",
    "came": "gradients of its copies",
    "used": "used",
    "kept": "left in its grad",
    "right": "right is",
}

INPUTS = Inputs(choice("fold", FOLDS, "fold by"))


@dataclass(frozen=True, eq=False)
class Stretched:
    """An operand in y = a + b: its name, its shape, and its gradient from the engine.

    places: for each of its entries, by index, the places of its copies in y, the entry's own place first.
    """

    name: str
    shape: tuple
    places: dict
    grad: np.ndarray

    @property
    def copies(self):
        """The number of places in y that an entry has."""
        return len(next(iter(self.places.values())))


@dataclass(frozen=True, eq=False)
class Sum:
    """The sum y = a + b: the operands, the shape of y, and its gradient."""

    operands: tuple
    shape: tuple
    upstream: np.ndarray
    name: str = "y"

    @property
    def folds(self):
        """The (operand, entry) of every entry that has copies."""
        return [(one, entry) for one in self.operands if one.copies > 1 for entry in one.places]


def broadcast(shape=(4, 3), other=(3,), *, upstream=None, fold="sum", predict=False):
    """Step through y = a + b for arrays a and b of two shapes: stretched forward, folded together backward.

    shape, other: of a and of b, tuples of up to three sizes; the last of y's is at most 4, the others' product at most
    6. upstream: the gradient of y, of its shape; None takes small whole numbers. fold: what happens to the copies'
    gradients: "sum", which is right, or a mistake, "mean", "first row" (= in place of +=) or "not folded". predict:
    before an entry is folded by "sum" the learner may type its gradient, at most six times.
    """
    made = read(shape, other, upstream)

    @INPUTS.check
    def record_for(fold):
        return record(made, fold, predict)

    return Player(controls=INPUTS.controls(fold=fold), record=record_for)


def read(shape, other, upstream=None):
    """Return the Sum for two shapes; raise ValueError or TypeError if they are not shapes or do not fit."""
    shapes = [sizes(given, name) for given, name in ((shape, "shape"), (other, "other"))]
    validation.fit("+", *shapes)
    whole = np.broadcast_shapes(*shapes)
    lines = int(np.prod(whole[:-1], dtype=int))
    if len(whole) > AXES or lines > LINES or (whole and whole[-1] > COLUMNS):
        raise ValueError(
            f"this lab shows every number: up to {AXES} axes, the last of at most {COLUMNS}, and {LINES} rows in all; "
            f"a + b would have the shape {whole}."
        )
    gradient = np.resize(np.array(UPSTREAM, dtype=float), whole) if upstream is None else given_numbers(upstream, whole)
    a, b = (Tensor(np.zeros(each)) for each in shapes)
    (a + b).backward(gradient=gradient)
    operands = (stretched("a", a, whole), stretched("b", b, whole))
    return Sum(operands, whole, gradient)


def sizes(given, name):
    """Return a shape as a tuple of ints."""
    given = (given,) if isinstance(given, int) and not isinstance(given, bool) else given
    if not isinstance(given, (tuple, list)) or not all(type(size) is int for size in given):
        raise TypeError(f"{name} is a tuple of whole numbers, such as (4, 3); got {messages.described(given)}.")
    if not all(size >= 1 for size in given):
        raise ValueError(f"{name} has sizes of at least 1; got {tuple(given)}.")
    return tuple(given)


def given_numbers(upstream, shape):
    """Return the gradient of y as an array; raise ValueError if its shape is not `shape`."""
    array = arrays.numbers(upstream, "upstream")
    if array.shape != shape:
        raise ValueError(f"upstream has the shape of a + b, {shape}; got {array.shape}.")
    return array


def stretched(name, tensor, whole):
    shape, places = tensor.shape, {}
    for place in np.ndindex(whole):
        own = place[len(whole) - len(shape) :]
        places.setdefault(tuple(0 if size == 1 else at for at, size in zip(own, shape)), []).append(place)
    return Stretched(name, shape, places, tensor.grad)


def left(one, entry, made, fold):
    """Return the gradient of an entry that a way of folding leaves."""
    numbers = [float(made.upstream[place]) for place in one.places[entry]]
    if fold == "mean":
        return sum(numbers) / len(numbers)
    return numbers[0] if fold == "first row" else float(one.grad[entry])


# Record


def record(made, fold, predict=False):
    """Return the Recording: the shapes, the stretched arrays, G in every place, each entry folded, what is left."""
    asked = made.folds[:MOST] if predict and fold == "sum" else []
    stage, folds = FrameTemplate(drawer(made, fold)), made.folds if fold != "not folded" else []
    scenes = [("Shapes", shapes_said(made), "apart", 0), ("Forward", stretched_said(made), "stretched", 0)]
    scenes.append(("Backward", arrived_said(made), "arrived", 0))
    for turn, (one, entry) in enumerate(folds, start=1):
        said = fold_said(one, entry, made, fold)
        scenes.append((f"Fold {turn} of {len(folds)}", said, "folding", turn))
    scenes.append(("What is left", closing(made, fold), "left", len(folds)))
    frames = []
    for at, said, what, turn in scenes:
        ask = asked_fold(*asked[turn - 1], made) if what == "folding" and turn <= len(asked) else None
        frames.append(Frame(said, at, stage.updates(what, turn), ask))
    a, b = made.operands
    alt = f"Arrays a of shape {a.shape} and b of shape {b.shape}, both stretched to {made.shape}, and y = a + b."
    return Recording(f"y = a + b of shapes {a.shape} and {b.shape}", frames, stage, alt)


def shapes_said(made):
    a, b = made.operands
    pairs = []
    for axis in range(1, len(made.shape) + 1):
        pair = [one.shape[-axis] if axis <= len(one.shape) else "nothing" for one in (a, b)]
        pairs.append(f"{pair[0]} and {pair[1]}")
    compared = f" Compared from the right: {'; '.join(pairs)}." if pairs else ""
    rule = " Where the sizes differ, one is 1 or missing, and that array is stretched." if a.shape != b.shape else ""
    return f"a has the shape {a.shape}, b {b.shape}.{compared}{rule} y = a + b has the shape {made.shape}."


def stretched_said(made):
    said = [
        f"each number of {one.name} appears in {plural(one.copies, 'place')}" for one in made.operands if one.copies > 1
    ]
    if not said:
        return "The shapes are equal: nothing is stretched, and each number is used once."
    return (
        f"Stretched (broadcast), {join_words(said)}. The dashed copies are not new numbers: y = a + b reads the "
        "same one repeatedly."
    )


def arrived_said(made):
    said = [
        f"{one.name} has {plural(one.grad.size, 'number')} and got {made.upstream.size} gradients"
        for one in made.operands
        if one.copies > 1
    ]
    end = f" But {join_words(said)}." if said else ""
    return f"The backward pass has brought G = y.grad. A sum passes it on unchanged to every place of a and of b.{end}"


def fold_said(one, entry, made, fold):
    name, grad, right = entry_name(one, entry), entry_name(one, entry, ".grad"), show(float(one.grad[entry]))
    numbers = came(one, entry, made)
    if fold == "sum":
        times = f"{name} was used {one.copies} times, and {plural(one.copies, 'gradient')} came"
        return f"{times}: {grad} = {numbers} = {right}."
    got = left(one, entry, made, fold)
    how = f"({numbers}) / {one.copies} = {show(got)}" if fold == "mean" else f"{show(got)}, what came to the first copy"
    if show(got) == right:
        return f"{grad} gets {how}. Here that is the right number by chance."
    return f"{grad} gets {how}; the sum, {right}, is right. {FOLDS[fold]}"


def asked_fold(one, entry, made):
    numbers = [float(made.upstream[place]) for place in one.places[entry]]
    wrong = mistaken(
        (left(one, entry, made, "mean"), "the mean of the copies' gradients; nothing divides, they add up"),
        (numbers[0], "only the first copy's gradient"),
        (numbers[-1], "only the last copy's gradient, which is what = leaves instead of +="),
        (made.upstream.sum(), "the sum over all places; each number has its own copies"),
        (one.copies, "how often it was used; each use adds its own G"),
    )
    hint = f"In how many places does {entry_name(one, entry)} appear, and which G came to each? What happens to them?"
    return question(entry_name(one, entry, ".grad"), float(one.grad[entry]), wrong, hint)


def came(one, entry, made):
    """Return the gradients of an entry's copies as a sum in text."""
    numbers = [bracketed(show(float(made.upstream[place]))) for place in one.places[entry]]
    return " + ".join(numbers if len(numbers) <= 6 else [*numbers[:3], "…", numbers[-1]])


def closing(made, fold):
    folded = [one for one in made.operands if one.copies > 1]
    if not folded:
        return "Nothing was repeated, so nothing is summed: a.grad and b.grad are G."
    if fold == "not folded":
        said = [f"{one.name}.grad would have the shape {made.shape}, {one.name} has {one.shape}" for one in folded]
        return (
            f"{'; '.join(said)}. In place, {folded[0].name}.data -= lr * "
            f"{folded[0].name}.grad fails; data = data - … silently makes an array of a different shape."
        )
    shapes = "; ".join(f"{one.name}.grad has the shape of {one.name}, {one.shape}" for one in folded)
    if fold == "sum":
        return f"All copies are folded: {shapes}. What was repeated forward is summed backward."
    wrong = sum(
        show(left(one, entry, made, fold)) != show(float(one.grad[entry])) for one in folded for entry in one.places
    )
    count = sum(len(one.places) for one in folded)
    return f"{shapes}, as it should. But {wrong} of {plural(count, 'number')} {'is' if wrong == 1 else 'are'} wrong."


def entry_name(one, entry, what=""):
    """Return the name of an entry: b.grad[0], a[1, 0]; for an array with no axes, just the array's name."""
    place = (", " if len(entry) < AXES else ",").join(map(str, entry))
    return f"{one.name}{what}[{place}]" if entry else one.name + what


# Draw


def drawer(made, fold):
    """Return the function that draws a frame: a, b and y, each in the shape of y, and the entry being folded."""
    across = made.shape[-1] if made.shape else 1
    lines = max(1, int(np.prod(made.shape[:-1], dtype=int)))
    slices = made.shape[0] if len(made.shape) == AXES else 1
    width, height = across * WIDE, lines * TALL + (slices - 1) * SLICE
    lefts = [EDGE + i * (width + GAP) for i in range(3)]
    size = lefts[2] + max(width, NAMES) + EDGE, TOP + height + EDGE
    places = list(np.ndindex(made.shape))
    folds = made.folds if fold != "not folded" else []

    def corner(place, start):
        index = places.index(place)
        line, column = divmod(index, across)
        return start + column * WIDE, TOP + line * TALL + (line * slices // lines) * SLICE

    def cell(pen, key, kind, at, name, number, state):
        x, y = at
        grad = pen("text", f"{key}.grad", "grad", text=number, at={"x": x + WIDE - 7, "y": y + 32})
        return array_cell(pen, key, kind, x, y, (WIDE, TALL), [svg.label(name, x + 4, y + 15, "what"), grad], state)

    def operand(pen, one, start, what, turn):
        parts, done = [], {(each.name, entry) for each, entry in folds[: turn if what == "left" else max(0, turn - 1)]}
        now = folds[turn - 1] if what == "folding" else (None, None)
        for entry, copies in one.places.items():
            folded, folding = (one.name, entry) in done, now[0] is one and now[1] == entry
            for i, place in enumerate(copies):
                arrived = what in ("arrived", "folding", "left")
                number = short(float(made.upstream[place])) if arrived else NOT_YET
                if i == 0 and (folded or folding):
                    number = short(left(one, entry, made, fold))
                state = "" if not folding else "target" if i == 0 else "backward"
                if i and (what == "apart" or folded):
                    state = "off"
                kind = "node leaf" if i == 0 else "node ghost"
                key = f"{one.name}.{'.'.join(map(str, place)) or 'all'}"
                parts.append(cell(pen, key, kind, corner(place, start), entry_name(one, entry), number, state))
        return "".join(parts)

    def draw(pen, what, turn):
        parts = []
        for one, start in zip(made.operands, lefts):
            parts.append(svg.label(f"{one.name} {one.shape}", start, TOP - 10, "word"))
            parts.append(operand(pen, one, start, what, turn))
        parts.append(svg.label(f"y {made.shape}, below: G", lefts[2], TOP - 10, "word"))
        for place in places:
            number = NOT_YET if what in ("apart", "stretched") else short(float(made.upstream[place]))
            name, key = entry_name(made, place), ".".join(map(str, place)) or "all"
            state = ""
            if what == "folding" and place in folds[turn - 1][0].places[folds[turn - 1][1]]:
                state = "backward"
            parts.append(cell(pen, f"y.{key}", "node made", corner(place, lefts[2]), name, number, state))
        for sign, start in (("+", lefts[1]), ("=", lefts[2])):
            parts.append(svg.label(sign, start - GAP / 2 - 2, TOP + height / 2, "caption large"))
        alt = f"Arrays a and b, stretched to the shape {made.shape}, and y, place by place."
        drawing = labelled(svg.svg(size[0], size[1], *parts), alt)
        return f'<div class="bp-main">{drawing}</div>{folding(pen, what, turn)}'

    def folding(pen, what, turn):
        cells = [NOT_YET] * len(CELLS)
        if what == "folding":
            one, entry = folds[turn - 1]
            numbers = few((show(float(made.upstream[place])) for place in one.places[entry]), 4)
            kept, right = left(one, entry, made, fold), float(one.grad[entry])
            cells = [entry_name(one, entry), numbers, plural(one.copies, "time"), show(kept), show(right)]
        made_of = [(key, heading, text, key != "kept") for (key, heading), text in zip(CELLS.items(), cells)]
        return readings(pen, made_of, kind="bp-wide bp-folds")

    return draw
