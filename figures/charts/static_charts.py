"""Still charts, drawn with matplotlib into a Figure, with a description as the Figure's label."""

import io
import math
import re
from dataclasses import dataclass

import numpy as np

from autograd.errors.messages import described, show
from figures.graph.reader import clean
from figures.page.picture import Picture
from figures.page.style import GRID, HATCHES, SERIES, as_course_figure, is_figure, matplotlib_style, new_figure, themed

NAME = 24  # characters of a layer's name that fit next to its histogram
TITLE = 80  # characters that fit above a chart
MANY_DECADES = 1e3  # a log axis longer than this has ticks only at powers of ten
MOST_BINS = 1000  # a bin narrower than a pixel shows nothing, and 10 million would take forever
LARGEST = 1e300  # beyond it matplotlib's own sums become inf
FEW = 24  # up to so many values of a layer are drawn one by one in a ridge: so few have no shape


@dataclass(frozen=True)
class Histogram:
    """Gradients of each layer counted in the same bins.

    edges: (bins + 1,) limits. counts: for each layer's name, (bins,) how many fell between two limits. means: mean
    |gradient| of each layer. left_out: how many of each layer no bin can hold (nan; inf, and what an axis cannot tell
    from it; on a log axis also 0). zeros: on a log axis, how many of each are 0. values: each layer's counted ones.
    """

    edges: np.ndarray
    counts: dict
    means: dict
    left_out: dict
    zeros: dict
    scale: str
    values: dict


def histogram(layers, bins=20, scale="linear"):
    """Count `layers`, a dict from a layer's name to its gradients (any shape), in `bins` bins common to all.

    scale "linear": bins of equal width. "log": bins of equal ratio, of |gradient|.
    """
    if scale not in ("linear", "log"):
        raise ValueError(f'scale is "linear" or "log", got {scale!r}.')
    if not isinstance(layers, dict) or not layers:
        raise ValueError('a histogram needs gradients by layer, as in {"layer 1": [0.1, -0.2]}, and got none.')
    if isinstance(bins, bool) or not isinstance(bins, int) or not 1 <= bins <= MOST_BINS:
        raise ValueError(f"bins is a whole number from 1 to {MOST_BINS}, got {bins!r}.")
    arrays = {clean(name): numbers(gradients, name) for name, gradients in layers.items()}
    kept = {name: array[np.abs(array) < LARGEST] for name, array in arrays.items()}
    zeros = {name: int((array == 0).sum()) for name, array in arrays.items()} if scale == "log" else {}
    means = {name: float(np.abs(array).mean()) if array.size else math.nan for name, array in kept.items()}
    if scale == "log":
        kept = {name: np.abs(array[array != 0]) for name, array in kept.items()}
    edges = bin_edges(np.concatenate(list(kept.values())), bins, scale)
    counts = {name: np.histogram(array, edges)[0] for name, array in kept.items()}
    left_out = {name: int(arrays[name].size - kept[name].size) for name in arrays}
    return Histogram(edges, counts, means, left_out, zeros, scale, kept)


def numbers(gradients, name):
    """Return a layer's gradients as a flat array of floats; raise TypeError if they are something else."""
    try:
        array = np.asarray(gradients)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.dtype.kind not in "iuf":
        raise TypeError(
            f"the gradients of {name} are numbers, as in [0.1, -0.2], and got something else among them. "
            "From Values take their grads: [p.grad for p in parameters]."
        )
    return array.astype(float).ravel()


def bin_edges(array, bins, scale):
    """Return the limits of `bins` bins that hold all of `array`; wider than it, if its numbers are too similar."""
    low, high = (array.min(), array.max()) if array.size else (0.0, 1.0)
    if scale == "log" and array.size:
        low, high = (low, high) if high > low * (1 + 1e-9) else (low / 10 or low, high * 10)
        return np.geomspace(low, high, bins + 1)
    step = 2 * np.spacing(max(abs(low), abs(high)))  # the least width of a bin
    room = 0.0 if high - low > bins * step else max(0.5, bins * step)
    return np.linspace(low - room, high + room, bins + 1)


def layer_gradients(mlp):
    """Return the grads of an MLP's parameters by layer, for `gradient_histogram`: {"layer 1": [...], ...}."""
    if not hasattr(mlp, "layers"):
        raise TypeError(f"layer_gradients takes an MLP, got {described(mlp)}.")
    return {f"layer {i}": [p.grad for p in layer.parameters()] for i, layer in enumerate(mlp.layers, start=1)}


def gradient_histogram(layers, *, kind="overlaid", scale="linear", bins=20, title="", of="gradient", figure=None):
    """Draw a histogram of gradients for each layer, in bins common to all, into a matplotlib Figure, and return it.

    layers: a dict from a layer's name to its gradients. kind "overlaid": one set of axes, and if layers differ in
    how many gradients they have, heights are shares of a layer's own. "ridge": one row per layer, each to its own
    height, first layer on top; few gradients are drawn one by one. scale: as in `histogram`. of: what the numbers are,
    if not gradients: "error". figure: drawn into if given, replacing its content.
    """
    if not (figure is None or is_figure(figure)):
        raise TypeError(f"figure is a matplotlib Figure, as plt.figure() makes one; got {described(figure)}.")
    if kind not in ("overlaid", "ridge"):
        raise ValueError(f'kind is "overlaid" or "ridge", got {kind!r}.')
    counted, title, of = histogram(layers, bins, scale), clean(title, TITLE), clean(of, NAME)
    with matplotlib_style():
        height = 3.2 if kind == "overlaid" else 0.7 + 0.5 * len(counted.counts)
        figure = new_figure(7.2, height) if figure is None else as_course_figure(figure)
        figure.clear()
        (overlaid if kind == "overlaid" else ridge)(figure, counted, of)
        if title:
            figure.axes[0].set_title(escape_text(title), loc="left")
        if scale == "log":
            for axes in figure.axes:
                axes.set_xscale("log")
        figure.axes[-1].set_xlabel(escape_text(of) if scale == "linear" else f"|{escape_text(of)}|, in powers of ten")
    figure.set_label(f"{title + '. ' if title else ''}{in_words(counted, of)}")
    return figure


def overlaid(figure, counted, of):
    """Draw every layer's histogram on the same axes, with equal areas if layers have different numbers of gradients."""
    axes, lines, sizes = figure.subplots(), [], [counts.sum() for counts in counted.counts.values()]
    alike = len({size for size in sizes if size}) <= 1
    for i, (counts, size) in enumerate(zip(counted.counts.values(), sizes)):
        counts = counts if alike else counts / max(1, size)
        colour, line = SERIES[i % len(SERIES)], ("-", "--", ":", "-.")[i % 4]
        axes.stairs(counts, counted.edges, color=colour, fill=True, alpha=0.3, hatch=HATCHES[i % len(HATCHES)])
        lines.append(axes.stairs(counts, counted.edges, color=colour, linewidth=1.8, linestyle=line))
    axes.set_ylabel("how many" if alike else "share of the layer")
    if alike:
        axes.yaxis.get_major_locator().set_params(integer=True)
    else:
        from matplotlib.ticker import PercentFormatter

        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    legend = axes.legend(lines, range(len(lines)), loc="best", fontsize=9)
    for text, name in zip(legend.get_texts(), counted.counts):  # not before: a name that begins with _ is left out
        text.set_text(
            f"{escape_text(name, NAME)}: mean |{escape_text(of)}| {show(counted.means[name])}{left_out(counted, name)}"
        )


def ridge(figure, counted, of):
    rows = figure.subplots(len(counted.counts), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (name, counts) in zip(rows, counted.counts.items()):
        if counts.sum() <= FEW:
            axes.vlines(counted.values[name], 0, 0.7, color=SERIES[0], linewidth=2, alpha=0.75)
            axes.set(ylim=(0, 1), xlim=(counted.edges[0], counted.edges[-1]))
        else:
            axes.stairs(counts, counted.edges, color=SERIES[0], fill=True, alpha=0.35)
            axes.stairs(counts, counted.edges, color=SERIES[0], linewidth=1.4)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.spines["bottom"].set_color(GRID)
        axes.set_ylabel(escape_text(name, NAME), rotation=0, ha="right", va="center")
        note = f"mean |{escape_text(of)}| {show(counted.means[name])}{left_out(counted, name)}"
        axes.text(1.02, 0.3, note, transform=axes.transAxes, fontsize=9)
    for axes in rows[:-1]:
        axes.tick_params(which="both", bottom=False)  # the last row has them for all


def curves(series, *, x="", y="", log="", title=""):
    """Draw a line for each of `series`, a dict from its name to its points (x, y), into a new matplotlib Figure.

    x, y: what the axes show. log: the axes that are logarithmic, "x", "y" or "xy".
    """
    if not isinstance(series, dict) or not series or not all(map(are_points, series.values())):
        raise TypeError('series is a dict from a name to its points (x, y), as in {"loss": [(0, 1.5), (1, 1.2)]}.')
    if not isinstance(log, str) or log not in ("", "x", "y", "xy"):
        raise ValueError(f'log is "x", "y" or "xy", or "" for no logarithmic axis; got {described(log)}.')
    names, x, y, title = [clean(name, NAME) for name in series], clean(x, TITLE), clean(y, TITLE), clean(title, TITLE)
    from matplotlib.ticker import NullLocator

    with matplotlib_style():
        figure = new_figure(7.2, 3.2)
        axes, lines = figure.subplots(), []
        for i, points in enumerate(series.values()):
            style = {"linestyle": ("-", "--", ":", "-.")[i % 4], "marker": "os^D"[i % 4], "markersize": 5}
            lines += axes.plot(*zip(*points), color=SERIES[i % len(SERIES)], linewidth=1.8, **style)
        for axis in log:
            (axes.set_xscale if axis == "x" else axes.set_yscale)("log")
            low, high = sorted((axes.get_xlim if axis == "x" else axes.get_ylim)())
            if high > MANY_DECADES * low:
                (axes.xaxis if axis == "x" else axes.yaxis).set_minor_locator(NullLocator())
        axes.set(xlabel=escape_text(x), ylabel=escape_text(y))
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        legend = axes.legend(lines, range(len(lines)), loc="best", fontsize=9)
        for text, name in zip(legend.get_texts(), names):
            text.set_text(escape_text(name))
        if title:
            axes.set_title(escape_text(title), loc="left")
    ends = (f"{name} from {show(float(p[0][1]))} to {show(float(p[-1][1]))}" for name, p in zip(names, series.values()))
    figure.set_label(f"{title + '. ' if title else ''}Lines of {y} against {x}: {'; '.join(ends)}.")
    return figure


def are_points(points):
    try:
        array = np.asarray(points)
    except ValueError:
        return False
    return array.dtype.kind in "iuf" and array.ndim == 2 and array.shape[1] == 2 and len(array) > 0


def escape_text(text, length=None):
    """Return text that matplotlib shows unchanged: a $ begins no formula. It is cut if it is too long."""
    return clean(text, length).replace("$", r"\$")


def left_out(counted, name):
    """Return the addition to a layer's legend if some of its gradients are in no bin."""
    missing = counted.left_out[name]
    if missing and missing == counted.zeros.get(name):
        return f", {missing} {'is' if missing == 1 else 'are'} exactly 0"
    what = "0, nan or inf" if counted.scale == "log" else "nan or inf"
    return f", {missing} not drawn ({what})" if missing else ""


def in_words(counted, of):
    """Describe a histogram in a sentence, for those who cannot see it."""
    layers = "; ".join(
        f"{name}: {int(counts.sum())} {of}s, mean size {show(counted.means[name])}{left_out(counted, name)}"
        for name, counts in counted.counts.items()
    )
    span = f"from {show(float(counted.edges[0]))} to {show(float(counted.edges[-1]))}"
    return f"Histogram of {of}s, {len(counted.edges) - 1} bins {span}, {counted.scale} axis. {layers}."


def as_picture(figure):
    """Return a matplotlib Figure as a Picture: an SVG in the colours of the page, described by the Figure's label."""
    buffer = io.StringIO()
    with matplotlib_style():
        figure.savefig(buffer, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    svg = re.sub(r"\n\s*", " ", buffer.getvalue())  # with indentation it is a sixth longer
    return Picture(themed(svg[svg.index("<svg") :]), figure.get_label())
