"""The card of an engine: its mark, its owner's share of it, and what it can do, as one picture to keep."""

import hashlib
import re
from dataclasses import dataclass, field

import numpy as np

from figures.charts import colour_card
from figures.charts.static_charts import histogram
from figures.page import svg
from figures.page.picture import Picture, labelled

WIDTH, HEIGHT, TILE = 760, 266, 150
LEFT, TOP = (208, 394, 580), 62  # of the three tiles
NOTE = 26  # the height that a note adds
STRIP = 34, 128  # the distance to the names of colours below them, and the height that these add
STEPS = 30  # points of the border's grid along each axis
BLOCKS = 5  # of the mark, along each axis
INKS = (0.25, 0.5, 0.75)  # limits between the four strengths in which a pixel is drawn


@dataclass(frozen=True)
class Tile:
    """One thing that an engine can do. drawn: SVG in a square of TILE; "" if it was not tried, or failed.

    title: its name. says: a sentence, which `drawn` illustrates or which says why there is nothing to show.
    """

    title: str
    says: str
    drawn: str = ""


@dataclass(frozen=True)
class Card:
    """The content of a card. code: the owner's lines, from which the mark is made; "" if there are none.

    strip: a Tile as wide as the card, below the others; None if there is none. note: a line as wide as the card.
    """

    says: tuple
    code: str
    tiles: list = field(default_factory=list)
    strip: Tile | None = None
    note: str = ""


def picture(card):
    """Return the card as a Picture: `savefig("card.svg")` saves it."""
    height = (HEIGHT if card.tiles else 100) + (NOTE if card.note else 0)
    note = [svg.label(card.note, 24, height - 14, "caption start")] if card.note else []
    if card.strip:
        below = height + STRIP[0] - 10
        height = below + (STRIP[1] if card.strip.drawn else 0) + 6
    parts = [f'<rect class="engine-card" x="1" y="1" width="{WIDTH - 2}" height="{height - 2}" rx="10"/>']
    parts += [svg.label("My engine", 24, TOP - 26, "heading start"), *note]
    if card.code:
        parts.append(f'<path class="bars s{turn(card.code)}" d="{mark(card.code)}"/>')
    for i, line in enumerate(card.says):
        parts.append(svg.label(line, 24, (TOP + TILE + 4 if card.code else 76) + 17 * i, "caption start"))
    for left, tile in zip(LEFT, card.tiles):
        parts.append(f'<g transform="translate({left} {TOP})">')
        parts.append(svg.label(tile.title, 0, -26, "heading start"))
        parts += [svg.label(line, 0, TILE + 20 + 16 * i, "caption start") for i, line in enumerate(lines(tile.says))]
        parts.append(tile.drawn or f'<rect class="engine-empty" width="{TILE}" height="{TILE}" rx="6"/>')
        parts.append("</g>")
    if card.strip:
        parts.append(svg.label(f"{card.strip.title}. {card.strip.says}", 24, below - 10, "heading start"))
        parts.append(f'<g transform="translate(24 {below})">{card.strip.drawn}</g>')
    tiles = [*card.tiles, *([card.strip] if card.strip else [])]
    said = [*card.says, *([card.note] if card.note else []), *(f"{tile.title}: {tile.says}" for tile in tiles)]
    alt = "The card of my engine. " + " ".join(f"{each.rstrip('.')}." for each in said)
    return Picture(labelled(svg.svg(WIDTH, height, *parts), alt), alt, "\n".join(said))


def lines(sentence, room=24):
    """Return a sentence in lines of at most `room` characters."""
    return re.findall(rf".{{1,{room}}}(?:\s|$)", sentence)


def digest(code):
    return hashlib.sha256(code.encode("utf-8", "backslashreplace")).digest()


def turn(code):
    return digest(code)[-1] % 3


def mark(code):
    """Return the `d` of a symmetric pattern of blocks, which every change of the code changes."""
    bits, size = int.from_bytes(digest(code)[:4], "big"), 26
    parts = []
    for row in range(BLOCKS):
        for column in range(3):
            if bits >> (3 * row + column) & 1:
                for at in {column, BLOCKS - 1 - column}:
                    parts.append(f"M{24 + size * at},{56 + size * row}h{size}v{size}h-{size}Z")
    return "".join(parts) or "M0,0"


def slopes(gradients):
    found = histogram({"": gradients})
    x = svg.Scale(float(found.edges[0]), float(found.edges[-1]), 0, TILE)
    y = svg.Scale(0, float(max(found.counts[""])), TILE, 6)
    bars = svg.bars(found.edges, found.counts[""], x, y)
    return f'<path class="bars s0" d="{bars}"/><path class="axis" d="M0,{TILE}h{TILE}"/>'


def border(answers, rows, targets):
    """Draw the area where a network says 1, from STEPS × STEPS answers from the bottom up, and the four rows of XOR."""
    side, at = TILE / STEPS, svg.Scale(-0.5, 1.5, 0, TILE)
    d = "".join(
        f"M{side * column:g},{TILE - side * (row + 1):g}h{side:g}v{side:g}h-{side:g}Z"
        for row, column in zip(*np.nonzero(np.asarray(answers) > 0.5))
    )
    parts = [f'<path class="engine-region" d="{d or "M0,0"}"/>']
    parts.append(f'<rect class="axis" width="{TILE}" height="{TILE}"/>')
    for (x1, x2), target in zip(rows, targets):
        parts.append(f'<circle class="engine-row" cx="{at(x1):g}" cy="{TILE - at(x2):g}" r="12"/>')
        parts.append(svg.label(f"{target}", at(x1), TILE - at(x2) + 4, "engine-answer"))
    return "".join(parts)


def digits(pictures, answers):
    """Draw nine pictures of 8 × 8 pixels from 0 to 1, and next to each the engine's answer."""
    parts, pixel = [], 4.4
    strong = [[] for _ in INKS]
    for i, (each, read) in enumerate(zip(pictures, answers)):
        left, top = 56 * (i % 3), 52 * (i // 3)
        for (row, column), ink in np.ndenumerate(np.asarray(each).reshape(8, 8)):
            if level := sum(ink > limit for limit in INKS):
                strong[level - 1].append(
                    f"M{left + pixel * column:.1f},{top + pixel * row:.1f}h{pixel}v{pixel}h-{pixel}Z"
                )
        parts.append(svg.label(f"{read}", left + 44, top + 30, "engine-answer"))
    for level, drawn in enumerate(strong, start=1):
        parts.append(f'<path class="engine-ink{level}" d="{"".join(drawn) or "M0,0"}"/>')
    return "".join(parts)


def colours(names, colours):
    """Draw eight names, each on its colour, in two rows as wide as the card."""
    (width, height), across = colour_card.TILE, 4
    size, parts = (WIDTH - 48) / (across * (width + 6) - 6), []
    for i, (name, rgb) in enumerate(zip(names, colours)):
        at = f"translate({(width + 6) * (i % across)} {(height + 6) * (i // across)})"
        parts.append(f'<g transform="{at}">{colour_card.tile(name, rgb)}</g>')
    return f'<g transform="scale({size:.4f})">{"".join(parts)}</g>'
