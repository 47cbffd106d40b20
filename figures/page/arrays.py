"""Arrays in pictures of graphs: a small one is shown number by number, a large one by its shape."""

import re
from dataclasses import dataclass

import numpy as np

from autograd.arrays import validation as validated
from autograd.errors import validation
from autograd.errors.messages import show

COLUMNS, ROWS, MOST = 4, 4, 12  # the most numbers: an array with more is shown by its shape
CELL, LINE, WORD = 58, 14, 38  # pixels: the width and height of a number, and the width of the word next to it
LETTERS = 8  # the most characters of a number


@dataclass(frozen=True)
class Array:
    """An array as it is drawn. rows: its numbers as rows, one for a vector; None if it is too large for that.

    Like a number, an Array is true if one of its numbers is not 0; str() gives its shape.
    """

    shape: tuple
    rows: tuple | None
    zero: bool

    def __bool__(self):
        return not self.zero

    def __str__(self):
        return str(self.shape)


def is_array(thing):
    """Return whether something is a NumPy array of numbers with more than one element."""
    return getattr(getattr(thing, "dtype", None), "kind", "none") in "fiu" and getattr(thing, "size", 1) != 1


def read(thing, user="a drawing"):
    """Return a number as a float, an array as an Array; raise TypeError if it is neither. user: who needs it."""
    if not is_array(thing):
        return validation.real(thing, user)
    shape, rows = tuple(thing.shape), None
    few = len(shape) in (1, 2) and 0 < thing.size <= MOST and shape[-1] <= COLUMNS
    if few and (len(shape) == 1 or shape[0] <= ROWS):
        rows = tuple(map(tuple, thing.tolist() if len(shape) == 2 else [thing.tolist()]))
    return Array(shape, rows, not thing.any())


def numbers(given, name):
    """Return an input of a lab as an array: lists of numbers, an array, or a Tensor of any engine, by its `data`.

    Raise TypeError or ValueError if it is none of these, or if one of its numbers is not finite.
    """
    held = getattr(given, "data", None)
    array = validated.numbers(held if isinstance(held, np.ndarray) else given, name)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} needs finite numbers; one of them is {array[~np.isfinite(array)][0]}.")
    return array


def grid(amount):
    """Return the rows of a small Array; None for anything else."""
    return amount.rows if isinstance(amount, Array) else None


def four_decimals(x):
    """Format a number with four decimals, or an exponent where these would hide it, and a true minus sign."""
    return show(x).replace("-", "−")


def quiet(*numbers):
    """Format numbers that appear together: at most four decimals, as many for each as one of them needs."""
    parts = [re.fullmatch(r"(.*?)(?:\.(\d+))?(e.*)?", four_decimals(x)).groups(default="") for x in numbers]
    needed = max((len(decimals.rstrip("0")) for _, decimals, exponent in parts if not exponent), default=0)
    texts = []
    for whole, decimals, exponent in parts:
        kept = decimals.rstrip("0") if exponent else decimals[:needed]
        texts.append(f"{whole}.{kept}{exponent}" if kept else whole + exponent)
    return texts


def text_of(amount, nothing):
    """Format a number as every drawing shows it, or an array's shape; `nothing` for None."""
    if amount is None:
        return nothing
    return str(amount) if isinstance(amount, Array) else quiet(amount)[0]


def keys(key, rows):
    return [[f"{key}.{i}.{j}" for j in range(len(row))] for i, row in enumerate(rows)]


def short(x):
    """Format a number so that it fits into a cell."""
    return shorts([x])[0]


def shorts(numbers):
    """Format the numbers of one array so that each fits into its cell."""
    fitting = zip(numbers, quiet(*numbers))
    return [text if len(text) <= LETTERS else f"{x:.1e}".replace("-", "−") for x, text in fitting]


def texts(key, box, amount, nothing):
    """Return the texts of a number or an array in a box, {key: text}. box: the node's data, which sets its size."""
    rows = grid(box)
    if rows is None:
        none = isinstance(amount, Array) and amount.zero and amount is not box  # a gradient, whose shape is known
        return {key: "all 0" if none else text_of(amount, nothing)}
    cells = [name for names in keys(key, rows) for name in names]
    if amount is None:
        return dict.fromkeys(cells, nothing)
    if isinstance(amount, Array) and amount.shape != box.shape:  # a wrong gradient can have any
        return dict.fromkeys(cells, "") | {cells[len(rows[0]) - 1]: str(amount)}
    if not isinstance(amount, Array):
        return dict.fromkeys(cells, short(amount))
    return dict(zip(cells, shorts([x for row in amount.rows for x in row])))


def lines(amount):
    """Return a small array as lines of text; anything else as one line."""
    rows = grid(amount)
    if isinstance(amount, Array) and amount.zero:
        return ["all 0"]
    return [text_of(amount, "")] if rows is None else ["  ".join(shorts(row)) for row in rows]


def format_amount(amount):
    """Return a number or an array as a sentence shows it: [[1.0000, 0.0000], [0.0000, 1.0000]], or its shape."""
    rows = grid(amount)
    if rows is None:
        return f"an array of shape {amount}" if isinstance(amount, Array) else show(amount)
    inside = ", ".join(f"[{', '.join(map(show, row))}]" for row in rows)
    return f"[{inside}]" if len(amount.shape) == 2 else inside


def size(amount, least):
    """Return the width and the height of a box with this data; `least` is that of a box with one number."""
    if not isinstance(amount, Array):
        return least
    if amount.rows is None:
        return least[0] + 24, least[1]
    width = WORD + CELL * len(amount.rows[0])
    return max(width, least[0] + 24), least[1] + 2 * LINE * (len(amount.rows) - 1)


def joined(found, key, amount):
    """Return the texts of a box as one, its rows separated by ";"."""
    rows = grid(amount)
    if rows is None:
        return found.get(key, "")
    return "; ".join(" ".join(found.get(name, "") for name in names) for names in keys(key, rows))


def cell_html(pen, key, amount, found):
    """Draw the cell of a table for a node's number, or for the rows of its array."""
    rows = grid(amount)
    if rows is None:
        return pen("td", key, text=found.get(key, ""))
    made = [" ".join(pen("span", name, text=found.get(name, "")) for name in names) for names in keys(key, rows)]
    return f"<td>{'<br/>'.join(made)}</td>"


def box_svg(pen, key, what, amount, found, right, top):
    """Draw the numbers of a small array in a box, from the first line at `top`, with columns that end at `right`."""
    parts = []
    for row, names in enumerate(keys(key, amount.rows)):
        for column, name in enumerate(names, start=1):
            at = {"x": right - CELL * (len(names) - column), "y": top + LINE * row}
            parts.append(pen("text", name, what, text=found.get(name, ""), at=at))
    return "".join(parts)


def array_cell(pen, key, kind, left, top, size, parts, state):
    """Draw a number of an array as a box of this size (width, height) less a gap, with these parts in it."""
    box = f'<rect x="{left}" y="{top}" width="{size[0] - 4}" height="{size[1] - 4}" rx="6"/>'
    return pen("g", key, kind, "".join([box, *parts]), state=state)
