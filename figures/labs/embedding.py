"""The embedding lab: letters look up rows of a table, and their gradients come back along the same arrows and add."""

from dataclasses import dataclass

import numpy as np

from autograd.errors import messages
from figures.graph.stage import join_words, mistaken, plural, question
from figures.labs.embedding_picture import drawer, vector
from figures.page import arrays
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Input, Inputs, choice
from figures.page.player import Control, Frame, Player, Recording
from figures.passes.questions import MOST

LETTERS, ROWS, COLUMNS = 7, 8, 3  # the most for a batch and for the table: more would be unreadable
SIGNS = "beglnru"
TABLE = ((0.2, -0.5), (0.9, 0.1), (-0.3, 0.8), (0.4, 0.4), (-0.7, 0.2), (0.6, -0.9), (0.1, 0.3))  # a row per letter
UPSTREAM = ((1, 0), (0, 2), (1, -1), (2, 3), (0, 1), (-1, 2), (2, 0))  # the gradient of each letter of a batch
WAYS = {  # how to put the gradients of a batch's rows into the table's gradient, and a sentence about it
    "np.add.at": "",
    "gradient[rows] += g": "NumPy reads every row before it writes one, so of several writes to a row only the "
    "last remains.",
    "mean": "Nothing divides: each use of a row adds its contribution.",
}


@dataclass(frozen=True, eq=False)
class Lookup:
    """A batch of letters, the rows of the table that they look up, and the gradient that comes back to each.

    signs: a letter for each row of the table. table: (signs, columns); rows: (letters,); upstream: (letters, columns).
    """

    signs: str
    table: np.ndarray
    letters: str
    rows: np.ndarray
    upstream: np.ndarray

    def gradient(self, way, turn=None):
        """Return the table's gradient that this way leaves after the first `turn` letters, or after all if None."""
        rows, upstream, gradient = self.rows[:turn], self.upstream[:turn], np.zeros(self.table.shape)
        if way == "gradient[rows] += g":
            gradient[rows] += upstream
            return gradient
        np.add.at(gradient, rows, upstream)
        if way == "mean":
            gradient /= np.maximum(np.bincount(rows, minlength=len(self.table)), 1)[:, None]
        return gradient

    def sharing(self, turn):
        """Return the places of the letters up to this one that look up the same row, this one last."""
        return [place for place in range(turn + 1) if self.rows[place] == self.rows[turn]]


def embedding(letters="green", table=None, signs=None, *, upstream=None, way="np.add.at", predict=False):
    """Look up rows of a table E by letters, and send the gradients back: they add up in each row.

    letters: a batch of 1 to 7 of them, typed above the drawing. table: 2 to 8 rows of 1 to 3 numbers; signs: the letter
    of each row, a text. Without them, a table for "beglnru". upstream: the gradient of the looked-up rows, a row of
    numbers for each letter; if the batch has more letters its rows are used again. way: how a row's gradient is made:
    "np.add.at", which is right, or a mistake, "gradient[rows] += g" or "mean". predict: before a gradient comes back by
    "np.add.at" the learner may type the new number in its row, at most five times, and the gradient of a row that
    nothing looked up. The engine looks the rows up; the one-hot rows on the left give the same as a product.
    """
    names, numbers = read(table, signs)
    back = read_upstream(upstream, numbers.shape[1])
    inputs = Inputs(typed(names), choice("way", WAYS, "way back"))

    @inputs.check
    def record_for(letters, way):
        rows = np.array([names.index(letter) for letter in letters])
        known = Lookup(names, numbers, letters, rows, np.resize(back, (len(rows), back.shape[1])))
        return record(known, way, predict)

    return Player(controls=inputs.controls(letters=letters, way=way), record=record_for)


def typed(signs):
    """Return the input of a batch: a short text of letters that each have a row in the table."""

    def check(value):
        if not isinstance(value, str):
            raise TypeError(f"letters is a string such as 'green'; got {messages.described(value)}.")
        if not 1 <= len(value) <= LETTERS:
            raise ValueError(f"a batch has 1 to {LETTERS} letters here; {value!r} has {len(value)}.")
        if unknown := [letter for letter in value if letter not in signs]:
            raise ValueError(f"the table has rows for {', '.join(signs)}; there is none for {unknown[0]!r}.")
        return value

    return Input(Control("text", "letters", "letters"), check)


def read(table, signs):
    """Return the letters of the rows as a text, and the table as an array; raise ValueError or TypeError if invalid."""
    if (table is None) != (signs is None):
        raise TypeError(
            "embedding takes both, a table and the letter of each of its rows: table=[[1, 2], [3, 4]], signs='ab'."
        )
    if table is None:
        return SIGNS, np.array(TABLE)
    array = arrays.numbers(table, "table")
    if array.ndim != 2 or not 2 <= len(array) <= ROWS or not 1 <= array.shape[1] <= COLUMNS:
        raise ValueError(
            f"this lab draws tables of 2 to {ROWS} rows with 1 to {COLUMNS} numbers; got shape {array.shape}."
        )
    if not isinstance(signs, str) or len(set(signs)) != len(signs) or len(signs) != len(array):
        raise ValueError(f"signs is a string with a different letter for each of the {len(array)} rows; got {signs!r}.")
    return signs, array


def read_upstream(upstream, columns):
    """Return the upstream gradients as an array with as many columns as the table; raise ValueError if invalid."""
    if upstream is None:
        return np.array([np.resize(row, columns) for row in UPSTREAM], dtype=float)
    array = arrays.numbers(upstream, "upstream")
    if array.ndim != 2 or array.shape[1] != columns or not len(array):
        raise ValueError(f"upstream has one row of {columns} for each letter; got shape {array.shape}.")
    return array


# Record


def record(known, way, predict=False):
    """Return the Recording: the table, each letter's look-up, what comes back to each, what is left."""
    stage, count = FrameTemplate(drawer(known, way)), len(known.rows)
    asked = turns_asked(known) if predict and way == "np.add.at" else []
    frames = [Frame(opening(known), "Start", stage.updates("table", None))]
    for turn in range(count):
        frames.append(Frame(looked_up(known, turn), f"Letter {turn + 1} of {count}", stage.updates("forward", turn)))
    frames.append(Frame(turned(known), "Backward", stage.updates("arrived", None)))
    for turn in range(count):
        ask = asked_row(known, turn) if turn in asked else None
        said = came_back(known, turn, way)
        frames.append(Frame(said, f"Back {turn + 1} of {count}", stage.updates("backward", turn), ask))
    ask = asked_unused(known) if asked else None
    frames.append(Frame(closing(known, way), "What is left", stage.updates("left", None), ask))
    alt = f"One-hot rows, a table of {len(known.signs)} rows, and the rows of it that “{known.letters}” looks up."
    return Recording(f"“{known.letters}” looks rows up in a table", frames, stage, alt)


def opening(known):
    count, columns = known.table.shape
    return (
        f"E is a table with one row of {plural(columns, 'number')} for each of {count} letters. The batch is "
        f"“{known.letters}”. Each of its letters looks up its row."
    )


def looked_up(known, turn):
    letter, row = known.letters[turn], int(known.rows[turn])
    again = len(known.sharing(turn)) > 1
    return (
        f"Letter {turn} is {letter}, so Y[{turn}] is row {row} of E, {vector(known.table[row])}"
        f"{', the same row again' if again else ''}. The one-hot row times E is the same: 1 · row {row}, and 0 · "
        "every other."
    )


def turned(known):
    return (
        "The backward pass has brought G = Y.grad, one row for each of the "
        f"{plural(len(known.rows), 'letter')}. The same "
        "arrows lead the other way: each row of G goes to the row of E that its letter looked up."
    )


def came_back(known, turn, way):
    letter, row = known.letters[turn], known.rows[turn]
    before, after = (known.gradient(way, t)[row] for t in (turn, turn + 1))
    upstream, uses = vector(known.upstream[turn]), known.sharing(turn)
    if way == "np.add.at":
        return f"G[{turn}] goes to row {letter} and is added: {vector(before)} + {upstream} = {vector(after)}."
    if len(uses) == 1:
        return f"G[{turn}] goes to row {letter}, which has {vector(after)} now."
    if way == "mean":
        return (
            f"G[{turn}] goes to row {letter} too, which has the mean of {len(uses)} now: {vector(after)}. {WAYS[way]}"
        )
    zeros = vector(np.zeros(known.table.shape[1]))
    return (
        f"G[{turn}] goes to row {letter} too. It was read as {zeros}, so {zeros} + {upstream} = {vector(after)} is "
        f"written over {vector(before)}."
    )


def closing(known, way):
    if way == "np.add.at":
        unused = [sign for i, sign in enumerate(known.signs) if i not in known.rows]
        counts = np.bincount(known.rows)
        often = "Each row was looked up at most once here."
        if counts.max() > 1:
            often = f"Row {known.signs[counts.argmax()]} was looked up {counts.max()} times and has the sum."
        said = f"All at once, E.grad is the transposed one-hot matrix @ G. {often}"
        whose = "its row is" if len(unused) == 1 else "their rows are"
        return f"{said} Nothing looked up {join_words(unused, 'or')}: {whose} exactly 0." if unused else said
    wrong = [
        sign
        for sign, left, right in zip(known.signs, known.gradient(way), known.gradient("np.add.at"))
        if not np.allclose(left, right)
    ]
    if not wrong:
        return "No row of this batch got a wrong gradient. A letter that appears twice would expose the mistake."
    are = "is" if len(wrong) == 1 else "are"
    return f"{len(wrong)} of {len(known.signs)} rows {are} wrong: {join_words(wrong)}. {WAYS[way]}"


def turns_asked(known):
    """Return the letters whose gradient the lab asks for: first those whose row already has something."""
    order = sorted(range(len(known.rows)), key=lambda turn: len(known.sharing(turn)) == 1)
    return order[: MOST - 1]


def asked_row(known, turn):
    """Return the question before a gradient comes back: the first number its row will then hold."""
    row, uses = known.rows[turn], known.sharing(turn)
    came = [float(known.upstream[place, 0]) for place in uses]
    wrong = mistaken(
        (came[-1], "only what came last; what came to the same row before it is lost"),
        (came[0], "only what came first; each use adds"),
        (sum(came) / len(came), "the mean of what came; nothing divides"),
        (float(known.table[row, 0]), "the number in the table itself; its gradient is asked for"),
        (
            float(known.table[row, 0] * known.upstream[turn, 0]),
            "the table's number times G; a look-up only passes G on",
        ),
        (float(known.upstream[: turn + 1, 0].sum()), "the sum over all letters; each goes to its own row"),
    )
    letter = known.letters[turn]
    hint = f"What is the first number of row {letter} before this, and which number of G[{turn}] comes to it?"
    return question(
        f"E.grad[{row}, 0], in the row of {letter},", float(known.gradient("np.add.at", turn + 1)[row, 0]), wrong, hint
    )


def asked_unused(known):
    unused = [i for i in range(len(known.signs)) if i not in known.rows]
    if not unused:
        return None
    row = unused[0]
    wrong = mistaken(
        (float(known.table[row, 0]), "the number in the table itself; its gradient is asked for"),
        (1.0, "one, as if it had been used once"),
        (float(known.upstream[:, 0].mean()), "the mean of G; nothing went there"),
    )
    hint = f"Which arrow leads to row {known.signs[row]}, and what could come back if there is none?"
    return question(f"E.grad[{row}, 0], in the row of {known.signs[row]},", 0.0, wrong, hint)
