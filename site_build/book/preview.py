"""The preview picture for links to the book: its title, and the goal lab's curve."""

import numpy as np

from figures.labs.goal import DIALS, DOTS, walk
from site_build import TITLE

NAME = "preview.png"
SIZE = (1200, 630)  # pixels
ALT = "Backpropagation from scratch: six dots, and a curve that forty steps against its slopes have brought near them."
PAPER, INK, SOFT, DATA, GRAD = "#fdfcf9", "#1c1e22", "#5a5c61", "#005a9c", "#a63c00"


def save(path):
    """Draw the picture, as a PNG file. The engine's slopes led to the curve."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure([side / 100 for side in SIZE], dpi=100, facecolor=PAPER)
    axes = figure.add_axes([0.53, 0.14, 0.43, 0.72], facecolor=PAPER)
    x = np.linspace(-0.65, 1.65, 200)
    starts, end = walk(dict.fromkeys(DIALS, 0.0))[0].dials, walk(dict.fromkeys(DIALS, 0.0))[-1].dials
    for dials, style in ((starts, {"color": GRAD, "dashes": (3, 2)}), (end, {"color": DATA})):
        axes.plot(x, dials["a"] + dials["b"] * x + dials["c"] * x**2, linewidth=5, **style)
    axes.plot(*zip(*DOTS), "o", color=INK, markersize=15)
    axes.set_axis_off()
    first, rest = TITLE.split(" ", 1)
    for y, text, size, colour in ((0.62, first, 40, INK), (0.5, rest, 40, GRAD)):
        figure.text(0.05, y, text, fontsize=size, fontweight="bold", color=colour)
    figure.text(0.05, 0.3, "How loss.backward() works:\nan engine that you write yourself.", fontsize=19, color=SOFT)
    FigureCanvasAgg(figure).print_png(path)
