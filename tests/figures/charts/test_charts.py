"""Histograms of gradients: the counts, the note on what is left out, and the drawing."""

import math
import random
import re
import warnings
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib import pyplot
from matplotlib.figure import Figure

from autograd import MLP, half_squares
from figures import curves, gradient_histogram, layer_gradients
from figures.charts.static_charts import FEW, as_picture, histogram
from figures.graph.reader import clean
from figures.page.style import GRID, INK, SERIES, style_sheet
from tests import pictures
from tests.pictures import CHART_TAGS, LABELS, SVG

inf, nan = math.inf, math.nan
MANY = {f"layer {i}": np.random.default_rng(i).normal(0, 1 / i, 30 * i) for i in (1, 2, 40)}
LAYERS = {"layer 1": [0.01, -0.02, 0.03, 0.0], "layer 2": [[0.5, -1.0], [2.0, 0.25]], "layer 3": np.array([-3.0])}
KINDS, SCALES = ["overlaid", "ridge"], ["linear", "log"]
each_scale, each_kind = pytest.mark.parametrize("scale", SCALES), pytest.mark.parametrize("kind", KINDS)


def counts(counted):
    return {name: list(map(int, one)) for name, one in counted.counts.items()}


# Counting


@each_scale
@pytest.mark.parametrize("bins", [1, 2, 7, 20])
def test_counts_match_numpy(bins, scale):
    """In bins common to all layers, from the smallest to the largest of all: of equal width, or of equal ratio."""
    rng = np.random.default_rng(0)
    layers = {f"layer {i}": rng.normal(0, 10.0**-i, (50, i)) for i in (1, 2, 3)}
    sizes = {name: array if scale == "linear" else np.abs(array) for name, array in layers.items()}
    everything = np.concatenate([array.ravel() for array in sizes.values()])
    counted = histogram(layers, bins, scale)
    if scale == "linear":
        assert counted.edges == pytest.approx(np.histogram_bin_edges(everything, bins), rel=1e-12, abs=1e-15)
    else:
        assert (counted.edges[0], counted.edges[-1]) == (everything.min(), everything.max())
        assert np.diff(np.log10(counted.edges)) == pytest.approx(np.log10(everything.max() / everything.min()) / bins)
    assert len(counted.edges) == bins + 1
    for name, array in layers.items():
        assert counts(counted)[name] == list(np.histogram(sizes[name], counted.edges)[0])
        assert sum(counts(counted)[name]) == array.size
        assert counted.means[name] == pytest.approx(np.abs(array).mean(), rel=1e-12)


@each_scale
@pytest.mark.parametrize(
    "gradients",
    [[1.0], [2.0] * 5, [1.0, 1.0 + 2**-52], [1e16, 1e16 + 2], [-1e299, 1e299], [1e299], [5e-324], [5e-324, 1e-323]],
    ids=str,
)
def test_equal_or_extreme_numbers_are_all_counted(gradients, scale):
    """Also where no float lies between them. And the figure can be drawn."""
    counted = histogram({"a": gradients}, 20, scale)
    assert sum(counts(counted)["a"]) == len(gradients)
    assert np.isfinite(counted.edges).all() and (np.diff(counted.edges) >= 0).all()
    assert counted.edges[0] < counted.edges[-1]
    assert "a: " in as_picture(gradient_histogram({"a": gradients}, scale=scale)).alt


@each_scale
def test_single_value_has_bins_and_empty_layer_is_reported(scale):
    for value, edges in ((1.0, (0.5, 1.5)), (0.0, (-0.5, 0.5))):
        assert histogram({"a": [value]}, 4).edges == pytest.approx(np.linspace(*edges, 5))
    for gradients, said in (([], ""), ([nan, inf], ", 2 not drawn")):
        figure = gradient_histogram({"a": gradients, "b": [1.0]}, scale=scale)
        assert f"a: 0 gradients, mean size nan{said}" in figure.get_label()


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abc"), st.lists(st.floats(), max_size=8), min_size=1),
    st.integers(1, 30),
    st.sampled_from(SCALES),
)
@example({"a": [nan, inf]}, 3, "log")
@example({"a": [0.0, 1.0, nan, inf, -inf, -0.0], "b": [2.0, 1e305]}, 20, "log")
def test_every_gradient_is_counted_or_reported_as_left_out(layers, bins, scale):
    """Whatever floats there are, no warning, and each is in a bin or among those left out; zeros count in a mean."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        counted = histogram(layers, bins, scale)
    for name, gradients in layers.items():
        drawn = [abs(g) for g in gradients if abs(g) < 1e300]
        assert sum(counts(counted)[name]) + counted.left_out[name] == len(gradients)
        assert counted.left_out[name] == len(gradients) - len(drawn) + drawn.count(0) * (scale == "log")
        mean = sum(each / len(drawn) for each in drawn) if drawn else nan
        assert counted.means[name] == pytest.approx(mean, nan_ok=True)


def test_layer_gradients_groups_by_layer():
    mlp = MLP(2, [3, 1], rng=random.Random(0))
    half_squares([mlp([1.0, 2.0])], [1.0]).backward()
    layers = layer_gradients(mlp)
    assert {name: len(grads) for name, grads in layers.items()} == {"layer 1": 9, "layer 2": 4}
    assert layers["layer 1"] + layers["layer 2"] == [p.grad for p in mlp.parameters()]


# Drawing


def stairs(axes):
    """The heights of each histogram in a set of axes, from its filled steps."""
    return [patch.get_data().values.tolist() for patch in axes.patches if patch.get_fill()]


def legend(figure):
    """The texts of the legend of a figure's first axes."""
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


@each_scale
def test_overlaid_draws_counts_of_each_layer_on_shared_axes(scale):
    """A layer of few does not vanish under one of many: heights are then shares of a layer's own."""
    layers = {"layer 1": LAYERS["layer 1"][:3], "layer 2": [0.5, -1.0, 2.0], "layer 3": [-3.0, 1.0, 1.0]}
    (axes,) = gradient_histogram(layers, scale=scale, bins=6).axes
    assert stairs(axes) == list(counts(histogram(layers, 6, scale)).values())
    assert (axes.get_ylabel(), axes.get_xscale()) == ("how many", scale)
    (axes,) = gradient_histogram(MANY, scale=scale).axes
    assert axes.get_ylabel() == "share of the layer"
    for heights, found in zip(stairs(axes), counts(histogram(MANY, 20, scale)).values(), strict=True):
        assert sum(heights) == pytest.approx(1) and heights == pytest.approx([n / sum(found) for n in found])
    assert min(map(max, stairs(axes))) > 0.1 * max(map(max, stairs(axes)))


@each_scale
def test_ridge_draws_a_row_per_layer_and_few_gradients_singly(scale):
    """So few have no shape; all rows are on one axis, which holds them all."""
    layers = {**MANY, **{f"few in {name}": values for name, values in LAYERS.items()}, "none": []}
    figure, counted = gradient_histogram(layers, kind="ridge", scale=scale, bins=6), histogram(layers, 6, scale)
    assert [axes.get_ylabel() for axes in figure.axes] == list(layers)
    assert {axes.get_xscale() for axes in figure.axes} == {scale} and len(
        {axes.get_xlim() for axes in figure.axes}
    ) == 1
    assert [axes.get_xlabel() != "" for axes in figure.axes] == [False] * (len(layers) - 1) + [True]
    for axes, (name, values) in zip(figure.axes, layers.items(), strict=True):
        drawn = [float(x) for lines in axes.collections for (x, _), _ in lines.get_segments()]
        shown = np.ravel(values) if scale == "linear" else np.abs(np.ravel(values)[np.ravel(values) != 0])
        few = len(shown) <= FEW
        assert (drawn, stairs(axes)) == ((shown.tolist(), []) if few else ([], [counts(counted)[name]]))
        low, high = axes.get_xlim()
        assert [x for x in shown if not (low <= x <= high)] == []


@each_scale
def test_legend_shows_means_and_omissions_and_figure_has_alt_text(scale):
    left = ", 1 is exactly 0" if scale == "log" else ""
    figure = gradient_histogram(LAYERS, scale=scale, title="After one pass")
    assert legend(figure) == [
        f"layer 1: mean |gradient| 0.0150{left}",
        "layer 2: mean |gradient| 0.9375",
        "layer 3: mean |gradient| 3.0000",
    ]
    begins, counted = ("0.0100", 3) if scale == "log" else ("-3.0000", 4)
    span = f"{begins} to {'3.0000' if scale == 'log' else '2.0000'}, {scale} axis"
    assert figure.get_label() == as_picture(figure).alt == str(as_picture(figure))
    assert figure.get_label() == (
        f"After one pass. Histogram of gradients, 20 bins from {span}. "
        f"layer 1: {counted} gradients, mean size 0.0150{left}; "
        "layer 2: 4 gradients, mean size 0.9375; layer 3: 1 gradients, mean size 3.0000."
    )


def test_layers_differ_by_more_than_colour():
    patches = gradient_histogram(LAYERS).axes[0].patches
    assert len({patch.get_hatch() for patch in patches if patch.get_fill()}) == 3
    assert len({patch.get_linestyle() for patch in patches if not patch.get_fill()}) == 3


@each_kind
def test_given_figure_is_cleared_and_returned(kind):
    figure, last = Figure(figsize=(3, 2)), {"second": [3.0], "third": [4.0]}
    for layers in ({"first": [1.0, 2.0]}, last):
        assert gradient_histogram(layers, kind=kind, figure=figure, title="T") is figure
        assert len(figure.axes) == (1 if kind == "overlaid" else len(layers))
        assert tuple(figure.get_size_inches()) == (3, 2) and figure.axes[0].get_title(loc="left") == "T"
    assert "first" not in figure.get_label() and "second: 1 gradients" in figure.get_label()
    fresh = gradient_histogram(last, kind=kind, figure=Figure(figsize=(3, 2)), title="T")
    assert as_picture(fresh).svg == as_picture(figure).svg


def test_pyplot_is_not_used():
    """No figure is kept by it, and none of its settings is changed."""
    before = dict(matplotlib.rcParams)
    as_picture(gradient_histogram(LAYERS))
    assert pyplot.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


# As a picture


@each_kind
@each_scale
def test_chart_is_an_svg_in_theme_colours(kind, scale):
    """It has nothing white behind it, and its ink is the theme's: by style, where var() works."""
    picture = as_picture(gradient_histogram(LAYERS, kind=kind, scale=scale))
    root = ElementTree.fromstring(picture.svg)
    assert root.tag == f"{SVG}svg"
    assert not re.search(r"white|#ffffff|#fff\b", picture.svg, re.I)
    svg = picture.svg.replace(f"var(--bp-line, {GRID})", "").replace("var(--bp-ink, #222)", "")
    assert INK not in svg and GRID not in svg and len(svg) < len(picture.svg)
    themed = [pair for element in root.iter() for pair in element.attrib.items() if "var(" in pair[1]]
    assert {name for name, _ in themed} == {"style"} and sum("var(--bp-ink" in value for _, value in themed) > 10
    for element in root.iter(f"{SVG}path"):
        assert "#000000" not in element.get("style", ""), "black ink would not be seen on a dark page"


def test_series_colours_are_defined_for_light_and_dark():
    """Each colour is a name, which the style sheet sets three times: light, dark, and for a dark system."""
    layers = {f"layer {i}": [float(i), i + 1.0] for i in range(len(SERIES))}
    picture, sheet = as_picture(gradient_histogram(layers)), style_sheet()
    rest = re.sub(r"var\(--bp-s\d, #\w+\)", "", picture.svg)
    for i, colour in enumerate(SERIES):
        assert f"var(--bp-s{i}, {colour.lower()})" in picture.svg and colour.lower() not in rest.lower()
        found = re.findall(rf"--bp-s{i}: (#\w+);", sheet)
        assert len(found) == 3 and found[0] != found[1] == found[2]
    assert 'fill="#' not in picture.svg


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
@pytest.mark.parametrize(("label", "shown"), LABELS.values(), ids=LABELS.keys())
def test_hostile_layer_name_is_rendered_as_text(label, shown):
    """In the drawing, whose text is drawn as paths, and in its description."""
    for kind in KINDS:
        picture = as_picture(gradient_histogram({label: [1.0, 2.0]}, title=str(label)[:60], kind=kind))
        pictures.assert_inert(picture.svg, CHART_TAGS)
        assert f". {shown or clean(label)}: 2 gradients" in picture.alt
        assert pictures.Reader(picture.html().encode().decode()).all("img")[0]["alt"] == picture.alt


def test_layers_with_long_names_stay_distinct():
    names = [f"{'a layer with a name of many words, ' * 3}number {i}" for i in (1, 2)]
    figure = gradient_histogram({name: [1.0] for name in names})
    assert [name for name in names if f"{name}: 1 gradients" not in figure.get_label()] == []
    assert [text[:25] for text in legend(figure)] == [f"{names[0][:23]}…:"] * 2


@pytest.mark.parametrize("name", ["_hidden", "__init__", "_", "layer_1"])
def test_layer_name_with_leading_underscore_is_in_the_legend(name):
    figure = gradient_histogram({name: [1.0, 2.0], "out": [3.0]})
    assert legend(figure) == [f"{name}: mean |gradient| 1.5000", "out: mean |gradient| 3.0000"]
    rows = gradient_histogram({name: [1.0, 2.0], "out": [3.0]}, kind="ridge").axes
    assert [axes.get_ylabel() for axes in rows] == [name, "out"]


def test_error_histogram_is_labelled_as_errors():
    figure = gradient_histogram({"right": [1e-9, 1e-8], "wrong": [0.5]}, scale="log", of="error")
    assert figure.axes[0].get_xlabel().startswith("|error|") and "Histogram of errors" in figure.get_label()
    assert "gradient" not in figure.get_label() and legend(figure)[1] == "wrong: mean |error| 0.5000"


def test_curves_draw_their_points():
    series = {"slow": [(1, 2), (10, 200)], "quick $": [(1, 2), (10, 20)]}
    figure = curves(series, x="inputs", y="operations", log="xy", title="Cost")
    axes = figure.axes[0]
    assert [line.get_xydata().tolist() for line in axes.lines] == [[list(p) for p in s] for s in series.values()]
    assert (axes.get_xscale(), axes.get_yscale(), axes.get_xlabel()) == ("log", "log", "inputs")
    assert legend(figure) == ["slow", r"quick \$"]
    picture = as_picture(figure)
    pictures.assert_inert(picture.svg, CHART_TAGS)
    begins = "Cost. Lines of operations against inputs: slow from 2.0000 to 200.0000; quick $ from"
    assert picture.alt.startswith(begins)
    assert len({(line.get_linestyle(), line.get_marker()) for line in axes.lines}) == 2  # not by colour alone


@pytest.mark.parametrize(
    "series", [None, {}, [(0, 1)], {"a": [1, 2]}, {"a": [(1, "x")]}, {"a": []}, {"a": [(1, 2), (3,)]}]
)
def test_curves_without_points_get_a_message(series):
    with pytest.raises(TypeError, match=r"^series is a dict from a name to its points \(x, y\), as in"):
        curves(series)
    with pytest.raises(ValueError, match=r'^log is "x", "y" or "xy"'):
        curves({"a": [(0, 1.0)]}, log="yx")


@pytest.mark.parametrize("text", ["$\\bad{x}$", "n" * 100_000, "a\x00b"])
def test_any_text_works_as_title_axis_or_name(text):
    figure = gradient_histogram({text: [1.0, 2.0, 3.0]}, title=text, of=text)
    lines = curves({text: [(0, 1.0), (1, 2.0)]}, title=text, x=text, y=text)
    for made in (figure, lines):
        picture = as_picture(made)
        assert len(picture.html()) < 200_000 and "data:image/svg" in picture.html()
