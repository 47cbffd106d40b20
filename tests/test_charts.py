"""Histograms of gradients: what is counted, what is said to be left out, and how they are drawn."""

import math
import os
import random
import re
import subprocess
import sys
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot
from matplotlib.figure import Figure

from autograd import MLP, Value, half_squares
from figures import curves, gradient_histogram, layer_gradients
from figures.charts.still import FEW, as_picture, histogram
from figures.graph.reader import clean
from figures.page.style import GRID, INK, SERIES, style_sheet
from tests import pictures
from tests.pictures import LABELS, SVG

inf, nan = math.inf, math.nan
MANY = {f"layer {i}": np.random.default_rng(i).normal(0, 1 / i, 30 * i) for i in (1, 2, 40)}
LAYERS = {"layer 1": [0.01, -0.02, 0.03, 0.0], "layer 2": [[0.5, -1.0], [2.0, 0.25]], "layer 3": np.array([-3.0])}
KINDS, SCALES = ["overlaid", "ridge"], ["linear", "log"]


def counts(counted):
    return {name: list(map(int, one)) for name, one in counted.counts.items()}


# Counting


@pytest.mark.parametrize("bins", [1, 2, 7, 20])
def test_linear_counts_are_numpys(bins):
    """In bins of equal width, common to all layers, from the smallest to the largest of all."""
    rng = np.random.default_rng(0)
    layers = {f"layer {i}": rng.normal(0, 10.0**-i, (50, i)) for i in (1, 2, 3)}
    everything = np.concatenate([array.ravel() for array in layers.values()])
    counted = histogram(layers, bins)
    edges = np.histogram_bin_edges(everything, bins)
    assert counted.edges == pytest.approx(edges, rel=1e-12, abs=1e-15)
    assert len(counted.edges) == bins + 1
    for name, array in layers.items():
        assert counts(counted)[name] == list(np.histogram(array, counted.edges)[0])
        assert sum(counts(counted)[name]) == array.size
        assert counted.means[name] == pytest.approx(np.abs(array).mean(), rel=1e-12)
    assert set(counted.left_out.values()) == {0}


@pytest.mark.parametrize("bins", [1, 5, 20])
def test_log_counts_are_of_sizes_in_bins_of_equal_ratio(bins):
    counted = histogram({"a": [1e-6, -1e-3, 1.0], "b": [-1e-2, 10.0, 1e2]}, bins, "log")
    assert counted.edges[0] == 1e-6 and counted.edges[-1] == 1e2
    assert np.diff(np.log10(counted.edges)) == pytest.approx(8 / bins)
    assert counts(counted)["a"] == list(np.histogram([1e-6, 1e-3, 1.0], counted.edges)[0])
    assert {name: sum(one) for name, one in counts(counted).items()} == {"a": 3, "b": 3}


def test_what_no_bin_can_hold_is_counted_as_left_out():
    layers = {"a": [0.0, 1.0, nan, inf, -inf, -0.0], "b": [2.0, 1e305]}
    linear, log = histogram(layers), histogram(layers, scale="log")
    assert linear.left_out == {"a": 3, "b": 1} and log.left_out == {"a": 5, "b": 1}
    assert {name: sum(one) for name, one in counts(linear).items()} == {"a": 3, "b": 1}
    assert {name: sum(one) for name, one in counts(log).items()} == {"a": 1, "b": 1}
    assert linear.means == log.means == {"a": pytest.approx(1 / 3), "b": 2.0}, "zeros count in a mean"


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    "gradients",
    [[1.0], [2.0] * 5, [1.0, 1.0 + 2**-52], [1e16, 1e16 + 2], [-1e299, 1e299], [1e299], [5e-324], [5e-324, 1e-323]],
    ids=str,
)
def test_numbers_that_are_alike_or_extreme_are_all_counted(gradients, scale):
    """Also where no float lies between them. And the figure can be drawn."""
    layers = {"a": gradients}
    counted = histogram(layers, 20, scale)
    assert sum(counts(counted)["a"]) == len(gradients)
    assert np.isfinite(counted.edges).all() and (np.diff(counted.edges) >= 0).all()
    assert counted.edges[0] < counted.edges[-1]
    assert "a: " in as_picture(gradient_histogram(layers, scale=scale)).alt


@pytest.mark.parametrize(("value", "edges"), [(1.0, (0.5, 1.5)), (0.0, (-0.5, 0.5))])
def test_a_single_value_has_bins_around_it(value, edges):
    assert histogram({"a": [value]}, 4).edges == pytest.approx(np.linspace(*edges, 5))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("gradients", [[], [nan, inf]], ids=str)
def test_a_layer_without_anything_to_count(gradients, scale):
    counted = histogram({"a": gradients}, 3, scale)
    assert counts(counted) == {"a": [0, 0, 0]} and math.isnan(counted.means["a"])
    assert counted.left_out == {"a": len(gradients)}
    figure = gradient_histogram({"a": gradients, "b": [1.0]}, scale=scale)
    assert f"a: 0 gradients, mean size nan{', 2 not drawn' if gradients else ''}" in figure.get_label()


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abc"), st.lists(st.floats(), max_size=8), min_size=1),
    st.integers(1, 30),
    st.sampled_from(SCALES),
)
def test_every_gradient_is_counted_or_left_out(layers, bins, scale):
    """Whatever floats there are, no warning, and every one is in a bin or among those left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        counted = histogram(layers, bins, scale)
    for name, gradients in layers.items():
        assert sum(counts(counted)[name]) + counted.left_out[name] == len(gradients)
        gone = sum(not abs(g) < 1e300 or (scale == "log" and g == 0) for g in gradients)
        assert counted.left_out[name] == gone


@pytest.mark.parametrize(
    ("arguments", "fault", "sentence"),
    [
        (({},), ValueError, "a histogram needs gradients by layer, as in .* and got none"),
        (([1.0, 2.0],), ValueError, "a histogram needs gradients by layer"),
        ((None,), ValueError, "a histogram needs gradients by layer"),
        ((LAYERS, 0), ValueError, "bins is a whole number of at least 1, got 0"),
        ((LAYERS, 2.0), ValueError, "bins is a whole number of at least 1, got 2.0"),
        ((LAYERS, True), ValueError, "bins is a whole number of at least 1, got True"),
        ((LAYERS, "auto"), ValueError, "bins is a whole number of at least 1, got 'auto'"),
        ((LAYERS, 20, "symlog"), ValueError, 'scale is "linear" or "log", got \'symlog\''),
        ((LAYERS, 20, None), ValueError, 'scale is "linear" or "log", got None'),
        (({"a": ["x"]},), TypeError, "the gradients of a are numbers"),
        (({"a": None},), TypeError, "the gradients of a are numbers"),
        (({"a": [1j]},), TypeError, "the gradients of a are numbers"),
        (({"a": [[1.0], [2.0, 3.0]]},), TypeError, "the gradients of a are numbers"),
        (({"a": [Value(1.0)]},), TypeError, r"From Values take their grads: \[p.grad for p in parameters\]"),
    ],
)
def test_wrong_arguments_get_a_sentence(arguments, fault, sentence):
    with pytest.raises(fault, match=sentence):
        histogram(*arguments)


@pytest.mark.parametrize("kind", ["bars", None, ""])
def test_another_kind_gets_a_sentence(kind):
    with pytest.raises(ValueError, match='kind is "overlaid" or "ridge", got '):
        gradient_histogram(LAYERS, kind=kind)


def test_the_gradients_of_a_network_by_layer():
    mlp = MLP(2, [3, 1], rng=random.Random(0))
    half_squares([mlp([1.0, 2.0])], [1.0]).backward()
    layers = layer_gradients(mlp)
    assert list(layers) == ["layer 1", "layer 2"]
    assert [len(grads) for grads in layers.values()] == [9, 4]
    assert layers["layer 1"] + layers["layer 2"] == [p.grad for p in mlp.parameters()]


# Drawing


def stairs(axes):
    """The heights of each histogram in a set of axes, from its filled steps."""
    return [patch.get_data().values.tolist() for patch in axes.patches if patch.get_fill()]


@pytest.mark.parametrize("scale", SCALES)
def test_overlaid_draws_each_layers_counts_on_the_same_axes(scale):
    layers = {"layer 1": LAYERS["layer 1"][:3], "layer 2": [0.5, -1.0, 2.0], "layer 3": [-3.0, 1.0, 1.0]}
    figure, counted = gradient_histogram(layers, scale=scale, bins=6), histogram(layers, 6, scale)
    (axes,) = figure.axes
    assert stairs(axes) == list(counts(counted).values()) and axes.get_ylabel() == "how many"
    assert axes.get_xscale() == scale


@pytest.mark.parametrize("scale", SCALES)
def test_a_layer_of_few_does_not_vanish_under_one_of_many(scale):
    """Heights are then shares of a layer's own, whose sum is 1 for each that has any."""
    figure, counted = gradient_histogram(MANY, scale=scale), histogram(MANY, 20, scale)
    (axes,) = figure.axes
    assert axes.get_ylabel() == "share of the layer"
    for heights, found in zip(stairs(axes), counts(counted).values(), strict=True):
        assert sum(heights) == pytest.approx(1) and heights == pytest.approx([n / sum(found) for n in found])
    assert min(map(max, stairs(axes))) > 0.1 * max(map(max, stairs(axes)))


@pytest.mark.parametrize("scale", SCALES)
def test_a_legend_tells_means_and_what_is_left_out(scale):
    (axes,) = gradient_histogram(LAYERS, scale=scale, bins=6).axes
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    left = ", 1 not drawn (0, nan or inf)" if scale == "log" else ""
    assert legend == [
        f"layer 1: mean |gradient| 0.0150{left}",
        "layer 2: mean |gradient| 0.9375",
        "layer 3: mean |gradient| 3.0000",
    ]


@pytest.mark.parametrize("scale", SCALES)
def test_a_ridge_draws_a_row_for_each_layer(scale):
    figure, counted = gradient_histogram(MANY, kind="ridge", scale=scale, bins=6), histogram(MANY, 6, scale)
    assert [stairs(axes) for axes in figure.axes] == [[one] for one in counts(counted).values()]
    assert [axes.get_ylabel() for axes in figure.axes] == list(MANY)
    assert {axes.get_xscale() for axes in figure.axes} == {scale}
    assert [axes.get_xlabel() != "" for axes in figure.axes] == [False, False, True]
    assert len({axes.get_xlim() for axes in figure.axes}) == 1


@pytest.mark.parametrize("scale", SCALES)
def test_few_gradients_of_a_ridge_are_drawn_one_by_one(scale):
    """So few have no shape; all rows are on one axis, which holds them all."""
    layers = {**LAYERS, "many": MANY["layer 40"], "none": []}
    figure = gradient_histogram(layers, kind="ridge", scale=scale)
    for axes, values in zip(figure.axes, layers.values(), strict=True):
        drawn = [float(x) for lines in axes.collections for (x, _), _ in lines.get_segments()]
        shown = np.ravel(values) if scale == "linear" else np.abs(np.ravel(values)[np.ravel(values) != 0])
        assert (drawn == shown.tolist() and stairs(axes) == []) is (len(shown) <= FEW)
        low, high = axes.get_xlim()
        assert all(low <= x <= high for x in shown)
    assert len({axes.get_xlim() for axes in figure.axes}) == 1


def test_layers_differ_by_more_than_colour():
    patches = [patch for patch in gradient_histogram(LAYERS).axes[0].patches]
    assert len({patch.get_hatch() for patch in patches if patch.get_fill()}) == 3
    assert len({patch.get_linestyle() for patch in patches if not patch.get_fill()}) == 3


def test_a_figure_is_described_in_words():
    assert gradient_histogram(LAYERS, title="After one pass", scale="log").get_label() == (
        "After one pass. Histogram of gradients by layer, 20 bins from 0.0100 to 3.0000, log axis. "
        "layer 1: 3 gradients, mean size 0.0150, 1 not drawn (0, nan or inf); "
        "layer 2: 4 gradients, mean size 0.9375; layer 3: 1 gradients, mean size 3.0000."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_figure_that_is_given_is_drawn_into_and_returned(kind):
    figure = Figure(figsize=(3, 2))
    assert gradient_histogram(LAYERS, kind=kind, figure=figure, title="T") is figure
    assert len(figure.axes) == (1 if kind == "overlaid" else 3)
    assert tuple(figure.get_size_inches()) == (3, 2)
    assert figure.axes[0].get_title(loc="left") == "T"


def test_pyplot_is_not_used():
    """No figure is kept by it, and none of its settings is changed."""
    import matplotlib

    before = dict(matplotlib.rcParams)
    as_picture(gradient_histogram(LAYERS))
    assert pyplot.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


# As a picture


@pytest.fixture(params=[(kind, scale) for kind in KINDS for scale in SCALES], ids=" ".join)
def picture(request):
    kind, scale = request.param
    return as_picture(gradient_histogram(LAYERS, kind=kind, scale=scale, title="Gradients"))


def test_a_chart_is_an_svg_in_the_colours_of_the_page(picture):
    """It parses, has nothing white behind it, and its ink is the theme's: by style, where var() works."""
    root = ElementTree.fromstring(picture.svg)
    assert root.tag == f"{SVG}svg"
    assert not re.search(r"white|#ffffff|#fff\b", picture.svg, re.I)
    svg = picture.svg.replace(f"var(--bp-line, {GRID})", "").replace("var(--bp-ink, #222)", "")
    assert INK not in svg and GRID not in svg and len(svg) < len(picture.svg)
    themed = 0
    for element in root.iter():
        for name, value in element.attrib.items():
            if "var(" in value:
                assert name == "style"
                themed += "var(--bp-ink" in value
    assert themed > 10
    for element in root.iter(f"{SVG}path"):
        assert "#000000" not in element.get("style", ""), "black ink would not be seen on a dark page"


def test_the_series_are_those_of_the_page_in_light_and_dark():
    """Each colour is a name, which the style sheet sets three times: light, dark, and where the system is dark."""
    layers = {f"layer {i}": [float(i), i + 1.0] for i in range(len(SERIES))}
    picture, sheet = as_picture(gradient_histogram(layers)), style_sheet()
    rest = re.sub(r"var\(--bp-s\d, #\w+\)", "", picture.svg)
    for i, colour in enumerate(SERIES):
        assert f"var(--bp-s{i}, {colour.lower()})" in picture.svg and colour.lower() not in rest.lower()
        found = re.findall(rf"--bp-s{i}: (#\w+);", sheet)
        assert len(found) == 3 and found[0] != found[1] == found[2]
    assert 'fill="#' not in picture.svg


def test_a_chart_says_what_it_shows(picture):
    assert picture.alt.startswith("Gradients. Histogram of gradients by layer, 20 bins from ")
    assert picture.alt == str(picture) and picture.alt.count("layer ") == 3


@pytest.mark.parametrize(
    ("make", "alt"),
    [
        (lambda figure: figure.subplots().set_title("Loss", loc="left"), "Loss"),
        (lambda figure: figure.set_label("A loss that falls"), "A loss that falls"),
        (lambda figure: figure.subplots(), "A chart"),
    ],
    ids=["title", "label", "nothing"],
)
def test_a_figure_of_somebody_else_is_described_by_what_it_has(make, alt):
    figure = Figure()
    make(figure)
    assert as_picture(figure).alt == alt


CHART_TAGS = {"svg", "g", "path", "defs", "style", "use", "clipPath", "rect", "pattern"}


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
@pytest.mark.parametrize(("label", "shown"), LABELS.values(), ids=LABELS.keys())
def test_a_hostile_name_of_a_layer_is_text(label, shown):
    """In the drawing, whose text is drawn as paths, and in its description."""
    picture = as_picture(gradient_histogram({label: [1.0, 2.0]}, title=str(label)[:60]))
    pictures.assert_inert(picture.svg, CHART_TAGS)
    assert f". {shown or clean(label)}: 2 gradients" in picture.alt
    assert pictures.Reader(picture.html().encode().decode()).all("img")[0]["alt"] == picture.alt


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_hostile_names_of_the_rows_of_a_ridge_are_text():
    layers = {label: [1.0, 2.0] for label, _ in LABELS.values()}
    picture = as_picture(gradient_histogram(layers, kind="ridge"))
    pictures.assert_inert(picture.svg, CHART_TAGS)
    assert all(f" {shown or clean(label)}: 2 gradients" in picture.alt for label, shown in LABELS.values())


def test_layers_with_long_names_are_not_taken_for_one():
    names = [f"{'a layer with a name of many words, ' * 3}number {i}" for i in (1, 2)]
    figure = gradient_histogram({name: [1.0] for name in names})
    assert all(f"{name}: 1 gradients" in figure.get_label() for name in names)
    assert [text.get_text()[:25] for text in figure.axes[0].get_legend().get_texts()] == [f"{names[0][:23]}…:"] * 2


TWICE = """
from figures import gradient_histogram
from figures.charts.still import as_picture
from tests.test_charts import KINDS, LAYERS, SCALES
for kind in KINDS:
    for scale in SCALES:
        print(as_picture(gradient_histogram(LAYERS, kind=kind, scale=scale, title="T")).html())
"""


def test_a_chart_has_the_same_bytes_in_every_process():
    made = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd(), "PYTHONIOENCODING": "utf-8"}
        made.append(
            subprocess.run([sys.executable, "-c", TWICE], capture_output=True, check=True, env=environment).stdout
        )
    assert made[0] == made[1]
    assert made[0].count(b"<img") == 4


@pytest.mark.parametrize("name", ["_hidden", "__init__", "_", "layer_1"])
def test_a_name_that_begins_with_an_underscore_stands_in_the_legend(name):
    figure = gradient_histogram({name: [1.0, 2.0], "out": [3.0]})
    shown = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert shown == [f"{name}: mean |gradient| 1.5000", "out: mean |gradient| 3.0000"]
    rows = gradient_histogram({name: [1.0, 2.0], "out": [3.0]}, kind="ridge").axes
    assert [axes.get_ylabel() for axes in rows] == [name, "out"]


@pytest.mark.parametrize("kind", KINDS)
def test_drawn_again_a_figure_holds_the_new_picture_alone(kind):
    figure = Figure()
    for layers in ({"first": [1.0, 2.0]}, {"second": [3.0], "third": [4.0]}):
        assert gradient_histogram(layers, kind=kind, figure=figure) is figure
        assert len(figure.axes) == (1 if kind == "overlaid" else len(layers))
    assert "first" not in figure.get_label() and "second: 1 gradients" in figure.get_label()
    fresh = gradient_histogram({"second": [3.0], "third": [4.0]}, kind=kind, figure=Figure())
    assert as_picture(fresh).svg == as_picture(figure).svg


@pytest.mark.parametrize("figure", [3, "a", [1]])
def test_a_figure_that_is_none_gets_a_sentence(figure):
    with pytest.raises(TypeError, match=r"figure is a matplotlib Figure, as plt.figure\(\) makes one; got "):
        gradient_histogram({"a": [1.0]}, figure=figure)
    with pytest.raises(TypeError, match="layer_gradients takes an MLP, got "):
        layer_gradients(figure)


def test_a_histogram_of_errors_says_so():
    figure = gradient_histogram({"right": [1e-9, 1e-8], "wrong": [0.5]}, scale="log", of="error")
    assert figure.axes[0].get_xlabel().startswith("|error|") and "Histogram of errors" in figure.get_label()
    assert "gradient" not in as_picture(figure).alt
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()][1] == "wrong: mean |error| 0.5000"


def test_curves_are_drawn_through_their_points():
    series = {"slow": [(1, 2), (10, 200)], "quick $": [(1, 2), (10, 20)]}
    figure = curves(series, x="inputs", y="operations", log="xy", title="Cost")
    axes = figure.axes[0]
    assert [line.get_xydata().tolist() for line in axes.lines] == [[list(p) for p in s] for s in series.values()]
    assert (axes.get_xscale(), axes.get_yscale(), axes.get_xlabel()) == ("log", "log", "inputs")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["slow", r"quick \$"]
    picture = as_picture(figure)
    pictures.assert_inert(picture.svg, CHART_TAGS)
    assert picture.alt.startswith(
        "Cost. Lines of operations against inputs: slow from 2.0000 to 200.0000; quick $ from"
    )
    assert len({(line.get_linestyle(), line.get_marker()) for line in axes.lines}) == 2  # not by colour alone


@pytest.mark.parametrize("text", ["$\\bad{x}$", "n" * 100_000, "a\x00b"])
def test_any_text_is_a_title_an_axis_or_a_name(text):
    figure = gradient_histogram({text: [1.0, 2.0, 3.0]}, title=text, of=text)
    lines = curves({text: [(0, 1.0), (1, 2.0)]}, title=text, x=text, y=text)
    for made in (figure, lines):
        picture = as_picture(made)
        assert len(picture.html()) < 200_000 and "data:image/svg" in picture.html()
