"""The gradient microscope: its numbers are those of `deep_pass`, and of the two figures of the histogram notebook."""

import itertools
import json
import math
import re

import numpy as np
import pytest

from autograd.errors.messages import show
from autograd.lessons.depth import TWELVE_LAYERS, deep_pass
from autograd.training.nn import ACTIVATIONS as SCALAR_ACTIVATIONS
from autograd.training.nn import INITIALISATIONS
from figures import microscope
from figures.labs import microscope as lab
from figures.labs import microscope_picture, microscope_slides
from figures.page.pen import Stage
from figures.training import deep
from tests.labs import ask, moved

CONTROLS = ["preset", "activation", "init", "seed", "gain", "depth", "width", "batch", "residual", "residual_scale"]


def off(player):
    """The controls that are off, as a page is told that opens now, and one that hears the last answer."""
    told = {control["name"] for control in player._spec(player.recording)["controls"] if control["disabled"]}
    assert not player.patch or told == {name for name, change in player.patch["controls"].items() if change["disabled"]}
    return told


def marks_of(*arguments, **settings):
    """The marks of a new lab."""
    return microscope(*arguments, **settings).recording.frames[0].marks


def column(marks, key, n):
    """A column of a lab's rows: `row{}.size` and such."""
    return [marks[key.format(i)]["text"] for i in range(n)]


def points(d):
    """The pixels that a path of straight lines goes through."""
    return [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", d)]


# What it shows of a deep pass


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("activation", ["linear", "tanh", "sigmoid", "relu", "leaky_relu"])
@pytest.mark.parametrize("init", INITIALISATIONS)
def test_each_layer_has_the_numbers_of_a_deep_pass(activation, init, residual):
    settings = {"gain": 1.5, "depth": 7, "width": 9, "batch": 5, "seed": 3}
    settings |= {"activation": activation, "init": init, "residual": residual, "residual_scale": 0.5}
    found, slide, marks = deep_pass(**settings), microscope(**settings).slide, marks_of(**settings)
    assert column(marks, "row{}", 30) == ["1", "2", "3", "4", "5", "6", "7", *[""] * 23]
    assert column(marks, "row{}.size", 7) == [show(norm) for norm in found.gradient_norms]
    assert column(marks, "row{}.zeros", 7) == [str((layer == 0).sum()) for layer in found.gradients]
    assert column(marks, "row{}.bad", 7) == ["0"] * 7
    assert slide.gains[:-1] == pytest.approx(found.gradient_norms[:-1] / found.gradient_norms[1:], rel=1e-12)
    assert column(marks, "gain{}.product", 7) == [*map(show, slide.gains[:-1]), "start"]
    assert slide.dead == list(found.dead) and marks["sum.ratio"]["text"] == show(found.ratio)
    assert slide.counts.sum(axis=1) == pytest.approx([45 - (layer == 0).sum() for layer in found.gradients])


def test_the_mean_gains_multiply_to_the_ratio():
    slide = microscope("tanh", "normal", depth=9, width=16).slide
    weights, activation = deep.mean_gain(slide.weights[:-1]), deep.mean_gain(slide.activation[:-1])
    assert (weights * activation) ** 8 == pytest.approx(slide.ratio, rel=1e-9)
    ratios = [deep_pass("tanh", "normal", depth=9, width=16, seed=seed).ratio for seed in range(5)]
    assert slide.say == (
        f"Each step back multiplies the gradient by {show(weights * activation)}: the weights' gain {show(weights)} "
        f"times the activation's gain {show(activation)}. After 8 steps, in layer 1, it is {show(slide.ratio)} times "
        f"as large. The geometric mean of first / last over seeds 0 to 4 is {show(math.prod(ratios) ** 0.2)}: "
        "it explodes."
    )


def test_the_nine_networks_of_twelve_layers():
    for row, preset in zip(TWELVE_LAYERS, lab.TABLE, strict=True):
        values = microscope(preset=preset).values
        assert tuple(values[name] for name in ("activation", "init", "gain", "residual")) == row
        assert (values["depth"], values["width"], values["batch"], values["residual_scale"]) == (12, 32, 32, "1")


def test_whether_it_arrives_is_judged_over_five_seeds():
    """Seed 0 is a lucky one: of it alone more than 0.1 is left. The judgement is the same whichever seed is shown."""
    ratios = [deep_pass("sigmoid", gain=6.0, seed=seed).ratio for seed in deep.SEEDS]
    mean = show(math.prod(ratios) ** (1 / len(ratios)))
    player = microscope("sigmoid", gain=6.0)
    for seed in (0, 1, 4, 77):
        marks = ask(player, seed=seed)
        found = deep_pass("sigmoid", gain=6.0, seed=seed).ratio
        assert marks["sum.ratio"]["text"] == show(found)
        assert marks["sum.ratio.note"]["text"] == "5 seeds: vanishes"
        said = f"{show(found)} of it is left. The geometric mean of first / last over seeds 0 to 4 is {mean}"
        assert said in player.slide.say
    assert ratios[0] > deep.LEAST > min(ratios)
    words = ("vanishes", "arrives", "arrives", "explodes", "is not a number")
    assert tuple(map(deep.verdict, (0.099, 0.1, 10.0, 10.1, math.nan))) == words


def test_a_residual_scale_may_depend_on_the_depth():
    given = {"activation": "relu", "init": "he", "residual": True, "depth": 30}
    player = microscope(**given, residual_scale="1/√(2L)")
    assert player.slide.ratio == deep_pass(**given, residual_scale=1 / math.sqrt(60)).ratio
    assert "count with the weights" in player.slide.say
    assert ask(player, residual_scale="1")["sum.ratio"]["text"] == show(deep_pass(**given).ratio)
    assert [microscope_slides.scale_of(text, 8) for text in ("1", "1/√L", "1/√(2L)", "1/L")] == [
        1,
        1 / math.sqrt(8),
        0.25,
        0.125,
    ]


# Source E


def test_hundred_two_layer_nets():
    """Mean |gradient|: 0.6291 and 0.5963, 53 of 100, 0.033 ± 0.044; counted in 20 bins, on a linear axis."""
    slide = microscope(preset="100 two-layer nets").slide
    assert [round(mean, 4) for mean in slide.sizes] == [0.5963, 0.6291]
    assert column(marks_of(preset="100 two-layer nets"), "row{}.size", 3) == ["0.5963", "0.6291", ""]
    assert "only 53 of 100 nets" in slide.say and "0.033 ± 0.044" in slide.say
    assert slide.counts.shape == (2, 20) and slide.counts.sum(axis=1).tolist() == [100, 100]
    assert slide.axis.ticks()[:3] == ["0", "0.6", "1.2"] and slide.axis.pixel(0.6) == microscope_slides.at(1)


def test_twelve_sigmoids():
    slide, marks = microscope(preset="twelve sigmoids").slide, marks_of(preset="twelve sigmoids")
    printed = [1, 0.2342, 0.0552, 0.01308, 3.113e-3, 7.435e-4, 1.781e-4, 4.280e-5, 1.031e-5, 2.487e-6, 6.014e-7]
    assert [float(f"{mean:.3e}") for mean in slide.sizes[::-1]] == [*printed, 1.457e-7, 3.534e-8]
    assert column(marks, "row{}", 14) == [*map(str, range(1, 13)), "out", ""]
    texts = [marks[f"sum.{key}"]["text"] for key in ("ratio", "weights", "weights.note")]
    assert texts == ["3.534e-08", "–", "no weights"] and "vanishes" in marks["sum.ratio.note"]["text"]
    assert marks["weights"]["d"] == "M0,0" and marks["activation"]["d"].count("Z") == 12
    assert np.prod(slide.gains[:-1]) == pytest.approx(slide.sizes[0], rel=1e-12)


# Zeros, and what is not a number


def test_zeros_are_counted_and_said():
    """A relu network of one unit whose second layer is dead for the batch: nothing goes further back."""
    seed = next(s for s in range(50) if deep_pass("relu", "he", depth=4, width=1, batch=4, seed=s).dead[1] == 1)
    player = microscope("relu", "he", depth=4, width=1, batch=4, seed=seed)
    assert column(player.recording.frames[0].marks, "row{}.zeros", 2) == ["4", "4"]
    assert "every gradient is 0" in player.slide.say and "learn nothing" in player.slide.say


def test_numbers_that_overflow_are_counted_and_said():
    player = microscope("linear", "normal", gain=1e30, depth=12)
    bad = [int(text.replace(",", "")) for text in column(player.recording.frames[0].marks, "row{}.bad", 12)]
    assert max(bad) == 1024 and bad[-1] == 0
    assert player.slide.say.startswith(f"In layer {12 - bad[::-1].index(next(n for n in bad[::-1] if n))} some")
    assert json.dumps(player.spec, allow_nan=False)
    assert ask(player, gain=1.0)["row0.bad"]["text"] == "0"


# The picture


def test_a_change_moves_nothing_but_rows_and_paths():
    """Every frame has the same keys and the same attributes, so that the page can go from any to any."""
    settings = ({}, {"depth": 30, "activation": "relu"}, *({"preset": name} for name in lab.PRESETS))
    shapes = {tuple(sorted((key, *sorted(mark)) for key, mark in marks_of(**each).items())) for each in settings}
    assert len(shapes) == 1
    assert all(text in ("text", "d", "y", "aria-label") for key in shapes.pop() for text in key[1:])


@pytest.mark.parametrize("depth", [2, 12, 30])
def test_every_row_has_its_place(depth):
    """Rows do not overlap, and all paths stay between the ends of their axes."""
    marks = marks_of("tanh", "normal", depth=depth)
    ys = [float(marks[f"row{i}"]["y"]) for i in range(depth)]
    assert min(b - a for a, b in itertools.pairwise(ys)) >= 10, "as high as a digit, and more"
    assert ys[0] > microscope_picture.TOP and ys[-1] < microscope_picture.BOTTOM + 4
    for key, low, high in (
        ("sizes", microscope_slides.LEFT, microscope_slides.RIGHT),
        ("product", microscope_picture.LOW, microscope_picture.HIGH),
    ):
        found = points(marks[key]["d"])
        assert len(found) == depth - (key == "product")
        assert all(low <= x <= high and microscope_picture.TOP <= y <= microscope_picture.BOTTOM for x, y in found)


def test_the_bars_end_at_the_gains():
    slide = microscope("relu", "he", depth=5, width=8).slide
    scale, marks = microscope_picture.gain_scale(slide), Stage(microscope_picture.draw).marks(slide)
    for key, gains in (("weights", slide.weights), ("activation", slide.activation)):
        ends = [float(end) for end in re.findall(r"H([\d.]+)v", marks[key]["d"])]
        assert ends == pytest.approx([scale(gain) for gain in gains[:-1]], abs=0.06)
    products = [x for x, _ in points(marks["product"]["d"])]
    assert products == pytest.approx([scale(gain) for gain in slide.gains[:-1]], abs=0.06)
    assert marks["stripes"]["d"].count("M") > 0


@pytest.mark.parametrize(
    ("numbers", "first", "step"),
    [((1e-3, 1.0), -5, 1), ((1e-9, 1.0), -12, 2), ((1e-40, 1e-3), -40, 5), ((1e-300, 1e300), -400, 100), ((), -6, 1)],
)
def test_the_axis_of_gradients_holds_them_all(numbers, first, step):
    rows = np.array([numbers])
    edges, counts, axis = microscope_slides.logarithmic(rows, rows > 0)
    assert (axis.first, axis.step) == (first, step)
    assert counts.sum() == len(numbers) and len(edges) == microscope_slides.BINS + 1
    for number in numbers:
        place = (
            (axis.pixel(number) - microscope_slides.LEFT)
            / (microscope_slides.RIGHT - microscope_slides.LEFT)
            * microscope_slides.INTERVALS
        )
        assert place == pytest.approx((math.log10(number) - first) / step)
    assert axis.pixel(0.0) is axis.pixel(math.nan) is None


# Controls


def test_every_argument_has_its_control():
    player = microscope("relu", "he", gain=0.5, depth=20, width=10, batch=4, residual=True, residual_scale=0.3, seed=7)
    controls = {control["name"]: control for control in player.spec["controls"]}
    assert list(controls) == CONTROLS
    assert [controls[name]["value"] for name in CONTROLS[1:]] == ["relu", "he", 7, 0.5, 20, 10, 4, True, "0.3"]
    assert controls["gain"]["log"] and (controls["depth"]["min"], controls["depth"]["max"]) == (2, 30)
    assert set(controls["activation"]["options"]) <= set(SCALAR_ACTIVATIONS)
    assert "0.3" in controls["residual_scale"]["options"]
    for gain, low, high in ((1.0, -2, 1), (0.001, -3, 1), (250, -2, 3)):  # the slider reaches its value
        control = next(each for each in microscope(gain=gain).controls if each.name == "gain")
        assert (control.min, control.max) == (low, high)
    assert ask(microscope(), gain=2)["sum.ratio"] == ask(microscope(), gain=2.0)["sum.ratio"]
    assert microscope(depth=np.int64(5), gain=np.float64(2)).slide.ratio == microscope(depth=5, gain=2.0).slide.ratio


def test_a_preset_sets_the_controls_and_a_control_leaves_the_preset():
    player = microscope()
    ask(player, preset="relu, he, residual")
    assert moved(player) == {"residual": True, "init": "he", "activation": "relu"}
    assert player.slide.say == microscope("relu", "he", residual=True).slide.say
    ask(player, depth=5)
    assert moved(player) == {"preset": "your own network"}
    assert player.values["preset"] == "your own network" and len(player.slide.names) == 5
    assert player.patch["say"] == player.slide.say and len(player.text().splitlines()) == 6
    ask(player, preset="twelve sigmoids")
    assert moved(player) == {"activation": "sigmoid"} and len(player.slide.names) == 13
    ask(player, gain=2.0)
    assert player.values["preset"] == "your own network" and len(player.slide.names) == 5


@pytest.mark.parametrize(("preset", "activation"), [("100 two-layer nets", "relu"), ("twelve sigmoids", "sigmoid")])
def test_a_control_that_a_preset_ignores_is_off(preset, activation):
    """And what it shows is true: of sigmoids, sigmoid. Back at a network of one's own it is on again."""
    player, others = microscope(), {*CONTROLS} - {"preset"}
    assert off(player) == {"residual_scale"}, "which needs residual"
    ask(player, preset=preset)
    assert off(player) == off(microscope(preset=preset)) == others and player.values["activation"] == activation
    ask(player, preset="relu, he, residual")
    assert off(player) == set()
    ask(player, preset="your own network", residual=False)
    assert off(player) == {"residual_scale"}


def test_a_residual_scale_is_said_apart_from_the_activations_gain():
    given = {"activation": "relu", "init": "he", "depth": 30, "residual": True}
    found, player = deep_pass(**given, residual_scale=1 / 30), microscope(**given, residual_scale="1/L")
    slide, marks = player.slide, player.recording.frames[0].marks
    gains = [deep.mean_gain(gains[:-1]) for gains in (slide.weights, slide.activation)]
    assert gains[1] == pytest.approx(deep.mean_gain(found.activation_gain[:-1]) * 30) and 0.5 < gains[1] < 1
    assert slide.say.startswith(
        f"Each step back multiplies the gradient by {show(gains[0] * gains[1] / 30)}: the weights' gain "
        f"{show(gains[0])} times the activation's gain {show(gains[1])} times the residual scale 0.0333. After 29 steps"
    )
    assert len(slide.say) <= len(lab.ROOM)
    assert marks["sum.activation"]["text"] == show(gains[1])
    assert marks["sum.activation.note"]["text"] == "× residual scale 0.0333"
    assert "residual scale 0.0333" in marks["note"]["text"] and slide.lines()[0].count("× residual scale 0.0333") == 1
    assert slide.gains[:-1] == pytest.approx(found.gradient_norms[:-1] / found.gradient_norms[1:])
    assert "scale" not in microscope(**given).slide.say and "scale" not in microscope().slide.say


def test_a_band_holds_what_the_seeds_show():
    """Of each row the root mean square of seeds 0 to 4, and of each step the gain; of the two figures there is none."""
    player = microscope("tanh", "normal", depth=8, seed=77)
    slide, marks = player.slide, player.recording.frames[0].marks
    norms = np.array([deep_pass("tanh", "normal", depth=8, seed=seed).gradient_norms for seed in deep.SEEDS])
    for key, numbers, scale in (
        ("band", norms, slide.axis.pixel),
        ("gains.band", norms[:, :-1] / norms[:, 1:], microscope_picture.gain_scale(slide)),
    ):
        ends = [*numbers.min(axis=0), *numbers.max(axis=0)[::-1]]
        assert [x for x, _ in points(marks[key]["d"])] == pytest.approx([scale(n) for n in ends], abs=0.06)
    assert marks["seeds.of"]["text"] == "seeds 0 to 4"
    for preset in microscope_slides.FIXED:
        marks = marks_of(preset=preset)
        assert marks["band"]["d"] == marks["gains.band"]["d"] == "M0,0" and marks["seeds.of"]["text"] == ""


def test_a_network_that_is_0_in_one_seed_vanishes_in_the_mean_and_its_band_is_cut():
    """Three of five may arrive: where one gives 0, the product is 0; 0 by 0 is 0 here. It has no place on an axis."""
    settings = {"activation": "relu", "init": "he", "depth": 4, "width": 2, "batch": 4}
    ratios = [deep_pass(**settings, seed=seed).ratio for seed in deep.SEEDS]
    assert sum(math.isnan(ratio) for ratio in ratios) == 2 and sum(ratio > deep.LEAST for ratio in ratios) == 3
    assert microscope(**settings).slide.judged == "5 seeds: vanishes"
    assert marks_of(**settings)["band"]["d"].count("M") == 1
    assert (
        microscope_picture.band_of(([1, None, 2, 3], [2, 2, 3, 4]), lambda x: x, range(4))
        == "M2.0,2.0L3.0,3.0L4.0,3.0L3.0,2.0Z"
    )
