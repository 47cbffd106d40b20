"""The card of invented colours: names that one network made up, each on the colour that another gave it."""

import re
from collections.abc import Iterable

import numpy as np

from autograd.errors.messages import described
from autograd.lessons.painting import hexadecimal
from figures.page import arrays, svg
from figures.page.picture import Picture, labelled

COLUMNS, TILE, GAP = 4, (186, 58), 6  # tiles in a row; a tile's width and height; pixels between two
EDGE, TOP = 16, 46
MOST = 96  # tiles
ROOM = 23  # letters of a name per line
INKS = {"black": "#000000", "white": "#ffffff"}
SAYS = "Invented by my engine"


def colour_card(names, colours, says=SAYS):
    """Draw names on their colours, as a Picture: `colour_card(names, colours).savefig("colours.svg")` saves it.

    names: texts. colours: red, green and blue from 0 to 1 for each, an array of shape (n, 3) or such rows, or a Tensor
    of any engine. says: the line above. Raise ValueError or TypeError for anything else.
    """
    names, colours = checked(names, arrays.numbers(colours, "a card"))
    width, height = TILE
    rows = -(-len(names) // COLUMNS)
    across = 2 * EDGE + COLUMNS * width + (COLUMNS - 1) * GAP
    down = TOP + rows * (height + GAP) - GAP + EDGE
    parts = [f'<rect class="engine-card" x="1" y="1" width="{across - 2}" height="{down - 2}" rx="10"/>']
    parts.append(svg.label(says, EDGE, 30, "heading start"))
    for i, (name, rgb) in enumerate(zip(names, colours)):
        left, top = EDGE + (i % COLUMNS) * (width + GAP), TOP + (i // COLUMNS) * (height + GAP)
        parts.append(f'<g transform="translate({left} {top})">{tile(name, rgb)}</g>')
    told = [f"{name or 'a name of no letters'} {hexadecimal(rgb)}" for name, rgb in zip(names, colours)]
    alt = f"{says}: {len(names)} names of colours, each on its own. {', '.join(told)}."
    return Picture(labelled(svg.svg(across, down, *parts), alt), alt, "\n".join([says, *told]))


def checked(names, colours):
    """Return the names as a list and the colours as an array; raise TypeError or ValueError if they do not fit."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"a card takes a list of names, got {described(names)}.")
    names = list(names)
    if strange := [name for name in names if not isinstance(name, str)]:
        raise TypeError(f"a card takes names as texts; one of them is {described(strange[0])}.")
    if not 1 <= len(names) <= MOST or colours.shape != (len(names), 3):
        raise ValueError(
            f"a card takes 1 to {MOST} names and a row of red, green and blue for each; "
            f"got {len(names)} names and colours of shape {colours.shape}."
        )
    return names, np.clip(colours, 0.0, 1.0)


def tile(name, rgb):
    """Draw a name on its colour, in the more readable ink, and below it the colour's hexadecimal code."""
    (width, height), ink = TILE, f'style="fill:{INKS[ink_on(rgb)]};stroke:none"'
    drawn = [f'<rect class="engine-tile" width="{width}" height="{height}" rx="6" style="fill:{hexadecimal(rgb)}"/>']
    lines = cut(name)
    first = 22 if len(lines) == 1 else 18
    for i, line in enumerate(lines):
        drawn.append(svg.label(line, 10, first + 14 * i, "start heading").replace("<text", f"<text {ink}", 1))
    drawn.append(svg.label(hexadecimal(rgb), 10, 50, "start").replace("<text", f"<text {ink}", 1))
    return "".join(drawn)


def cut(name):
    """Return a name as one line or, if it is long, two: broken between two words, if possible."""
    return (re.findall(rf".{{1,{ROOM}}}(?:\s|$)|.{{{ROOM}}}", name) or [name])[:2]


def ink_on(rgb):
    """Return which of two inks has the larger contrast on a colour, measured by the Web's accessibility guidelines."""
    light = luminance(rgb)
    return "black" if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else "white"


def luminance(rgb):
    """Return the relative luminance of an sRGB colour, from 0 to 1."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in map(float, rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
