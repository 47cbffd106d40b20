"""Small grey pictures side by side, each over its name."""

import numpy as np

from figures.page import arrays, svg
from figures.page.picture import Picture, labelled

COLUMNS, TILE, GAP, LINE = 10, 48, 14, 20  # pictures in a row; a picture's width, the space around it, a name's height
MOST = 100


def pictures(rows, names=None):
    """Draw grey pictures, as a Picture: `pictures(digits.train[:50], labels)`; ten in a row, each over its name.

    rows: n square pictures, an array of shape (n, side * side), each number from 0 (paper) to 1 (ink).
    names: n texts or numbers, or None. Raise ValueError if shapes do not fit, or for more than 100.
    """
    rows = np.asarray(arrays.numbers(rows, "pictures"))
    side = round(rows.shape[-1] ** 0.5) if rows.ndim == 2 else 0
    if rows.ndim != 2 or side * side != rows.shape[1] or not 1 <= len(rows) <= MOST:
        raise ValueError(f"pictures takes 1 to {MOST} rows of side × side numbers, got an array of shape {rows.shape}.")
    names = [""] * len(rows) if names is None else [str(name) for name in names]
    if len(names) != len(rows):
        raise ValueError(f"{len(rows)} pictures need as many names, got {len(names)}.")
    high, pixel = TILE + GAP + LINE * any(names), TILE / side
    columns, parts = min(COLUMNS, len(rows)), []
    for i, (row, name) in enumerate(zip(rows, names)):
        left, top = GAP + (i % columns) * (TILE + GAP), GAP + (i // columns) * high
        parts.append(f'<rect x="{left}" y="{top}" width="{TILE}" height="{TILE}" style="fill:#fff;stroke:none"/>')
        for place in np.flatnonzero(row > 0):
            x, y = left + pixel * (place % side), top + pixel * (place // side)
            grey = 255 - round(255 * min(row[place], 1))
            parts.append(
                f'<rect x="{x:g}" y="{y:g}" width="{pixel:g}" height="{pixel:g}" '
                f'style="fill:#{grey:02x}{grey:02x}{grey:02x};stroke:none"/>'
            )
        parts += [svg.label(name, left + TILE / 2, top + TILE + 15)] if name else []
    said = f" Their names: {', '.join(names)}." if any(names) else ""
    alt = f"{len(rows)} grey pictures of {side} × {side} pixels.{said}"
    across, down = GAP + columns * (TILE + GAP), GAP + -(-len(rows) // columns) * high
    return Picture(labelled(svg.svg(across, down, *parts), alt), alt)
