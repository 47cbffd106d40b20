"""One look for every picture: the palette for light and dark, the style sheet, and matplotlib's settings."""

import contextlib
import functools
import logging
import re
import sys
import weakref
from pathlib import Path
from xml.etree import ElementTree

from figures.page.arrays import four_decimals, text_of

PAPER = {"light": "#fdfcf9", "dark": "#15171b"}  # behind labs, on the course's own pages
STYLE_SHEET = Path(__file__).with_name("style.css")
FACE = Path(__file__).parent / "fonts" / "sans.woff2"  # of labs in the book, on the page and in saved files

NOT_YET = "–"  # for a number that no pass has written

# Okabe and Ito's colours (2008), told apart by colour-blind readers, in the order in which series are drawn.
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
HATCHES = ("", "//", "\\\\", "--", "||", "xx")  # so that no series is known by colour alone

# The beginning of selectors for pages in dark mode.
DARK_PAGE = re.compile(r"""^(\[data-jp-theme-light="false"\]|\.vscode-dark|(?:html\[|\[data-)theme="dark"\]) """)

# Matplotlib draws these two colours; `themed` turns them, and those of SERIES, into the page's own, light or dark.
INK, GRID = "#010203", "#a0a1a2"


def number(x):
    """Format a number of a drawing that stands still: 2, −0.25, 0.7071; – for None; an array's shape."""
    return text_of(x, NOT_YET)


def steady(x):
    """Format a number that runs while it is looked at: 0.2500, −1.3000, always four decimals; – for None."""
    return NOT_YET if x is None else four_decimals(x)


@contextlib.contextmanager
def matplotlib_style():
    """Reset matplotlib to its defaults, whatever the learner has set, and apply the course's look."""
    import matplotlib

    settings = {
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlecolor": INK,
        "axes.titlesize": 11,
        "axes.prop_cycle": matplotlib.cycler(color=SERIES),
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "font.size": 10,
        "grid.color": GRID,
        "grid.linewidth": 0.5,
        "hatch.color": INK,
        "hatch.linewidth": 0.5,
        "legend.frameon": False,
        "legend.labelcolor": INK,
        "svg.fonttype": "path",
        "svg.hashsalt": "backprop",  # the same bytes in every run
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(settings)
        yield


def new_figure(width, height):
    """Return an empty matplotlib Figure of this size in inches.

    matplotlib takes long to import, so it is imported here, once a picture is drawn. The first time on a machine it
    lists the fonts; its note on that, which would appear above the picture, is suppressed.
    """
    fonts = logging.getLogger("matplotlib.font_manager")
    level = fonts.level
    fonts.setLevel(logging.ERROR)
    try:
        from matplotlib.figure import Figure
    finally:
        fonts.setLevel(level)
    return as_course_figure(Figure(figsize=(width, height), layout="constrained"))


_course_figures = weakref.WeakSet()


def as_course_figure(figure):
    """Return the Figure, noted as one that the course drew: only these get its look in a notebook."""
    _course_figures.add(figure)
    return figure


def is_course_figure(figure):
    """Return whether the course drew this Figure."""
    return figure in _course_figures


def is_figure(thing):
    """Return whether something is a matplotlib Figure, or a part of one that is drawn into like a whole."""
    module = sys.modules.get("matplotlib.figure")  # if it is not imported, nobody can have made one
    return module is not None and isinstance(thing, module.FigureBase)


def themed(svg):
    """Return a matplotlib SVG with its ink, its grid and its series in the colours of the page around it."""
    svg = re.sub(r' fill="(#\w+)"', r' style="fill: \1"', svg)  # a hatch has an attribute, in which var() has no effect
    for i, colour in enumerate(map(str.lower, SERIES)):
        svg = svg.replace(colour, f"var(--bp-s{i}, {colour})")
    return svg.replace(INK, "var(--bp-ink, #222)").replace(GRID, "var(--bp-line, #a0a1a2)")


@functools.cache
def style_sheet():
    """Return the style sheet of labs and pictures, as text."""
    return STYLE_SHEET.read_text(encoding="utf-8")


@functools.cache
def page_sheet():
    return compact(style_sheet())


def compact(sheet):
    """Return a style sheet (ours) without comments and insignificant spaces."""
    plain = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL))
    return re.sub(r";?\s*([{};])\s*|(?<=[:,])\s+", r"\1", plain).strip()


def needed(svg, sheet=None, on_page=False):
    """Return the rules of a style sheet (ours) that an SVG text with the class bp needs, as a style sheet.

    on_page: also those for a page in dark mode, into which a script may put the SVG.
    """
    sheet = style_sheet() if sheet is None else sheet
    elements, named = [*ElementTree.fromstring(svg).iter()], set(re.findall(r"\[([\w-]+)", sheet))
    tags = frozenset(element.tag.rsplit("}")[-1] for element in elements)
    words = {(name, word) for element in elements for name, value in element.items() for word in value.split()}
    classes = frozenset(word for name, word in words if name == "class")
    states = frozenset((name, word) for name, word in words if name in named)
    return pruned(sheet, tags, classes, states, on_page)


@functools.lru_cache(maxsize=256)
def pruned(sheet, tags, classes, states, on_page):
    """Return a style sheet without the rules that apply to none of these tags, classes and (attribute, value)s."""

    def used(selector):
        plain = re.sub(r":not\([^)]*\)", "", DARK_PAGE.sub("", selector) if on_page else selector)
        if choice := re.search(r":is\(([^)]*)\)", plain):
            return any(used(plain.replace(choice[0], one, 1)) for one in choice[1].split(","))
        wanted = re.findall(r'\[([\w-]+)(?:[~^]?="([^"]*)")?\]', plain)
        names = re.sub(r"\[[^]]*\]|\.[\w-]+|:[\w-]+", " ", plain)
        return (
            ":hover" not in selector
            and classes.issuperset(re.findall(r"\.([\w-]+)", plain))
            and all(any(n == name and v.startswith(value) for n, v in states) for name, value in wanted)
            and tags.issuperset(re.findall(r"[a-z][\w-]*", names))
        )

    def kept(text):
        found = []
        for selectors, body in blocks(text):
            if selectors.startswith("@"):
                if selectors.startswith("@media") and (inside := kept(body)):
                    found.append(f"{selectors}{{{inside}}}")
                continue
            chosen = [s for s in re.split(r",\s*(?![^(]*\))", selectors) if used(s)]
            if chosen:
                found.append(f"{','.join(chosen)}{{{body.strip()}}}")
        return "".join(found)

    return re.sub(r"\s+", " ", kept(re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)))


def blocks(text):
    """Yield each rule of a style sheet's text: what comes before its braces, and what is inside them."""
    depth, start, opened = 0, 0, 0
    for i, character in enumerate(text):
        if character == "{":
            if depth == 0:
                opened = i
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                yield text[start:opened].strip(), text[opened + 1 : i]
                start = i + 1
