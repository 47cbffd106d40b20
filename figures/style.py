"""One look for every picture: the palette for light and dark, the style sheet, and matplotlib's settings."""

import contextlib
from pathlib import Path

from autograd.real import show

STYLE_SHEET = Path(__file__).with_name("style.css")

NOT_YET = "–"  # a number that no pass has written

# Okabe and Ito's colours (2008), told apart by colour-blind readers, in the order in which series are drawn.
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
HATCHES = ("", "//", "\\\\", "--", "||", "xx")  # so that no series is known by colour alone

# Matplotlib draws these two colours; `themed` turns them into the page's own ink, light or dark.
INK, GRID = "#010203", "#a0a1a2"


def number(x):
    """A number as every picture prints it; – for None."""
    return NOT_YET if x is None else show(x)


@contextlib.contextmanager
def matplotlib_style():
    """Matplotlib's settings for the course's still pictures: no frame, tabular ink, text as paths."""
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
    with matplotlib.rc_context(settings):
        yield


def themed(svg):
    """A matplotlib SVG with its ink and its grid in the colours of the page around it."""
    return svg.replace(INK, "var(--bp-ink, #222)").replace(GRID, "var(--bp-line, #a0a1a2)")


def style_sheet():
    """The style sheet of labs and pictures, as text."""
    return STYLE_SHEET.read_text(encoding="utf-8")
