"""The gradient microscope: its numbers are those of `deep_pass`, and of the two figures of the histogram notebook."""

import itertools
import math
import re

import numpy as np
import pytest

from autograd.errors.messages import show
from autograd.lessons.depth import TWELVE_LAYERS, deep_pass
from autograd.training.nn import INITIALISATIONS
from figures import microscope
from figures.labs import microscope as lab
from figures.labs import microscope_picture, microscope_slides
from figures.page.frame_recorder import FrameTemplate
from figures.training import deep
from tests.labs import ask


def opened(*arguments, **settings):
    """The slide of a new lab, its marks, and a function that gives a column of its rows, such as "row{}.size"."""
    player = microscope(*arguments, **settings)
    updates = player.recording.frames[0].updates
    return player.slide, updates, lambda key, n: [updates[key.format(i)]["text"] for i in range(n)]


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("activation", ["linear", "tanh", "sigmoid", "relu", "leaky_relu"])
@pytest.mark.parametrize("init", INITIALISATIONS)
def test_each_layer_matches_deep_pass(activation, init, residual):
    settings = {"gain": 1.5, "depth": 7, "width": 9, "batch": 5, "seed": 3}
    settings |= {"activation": activation, "init": init, "residual": residual, "residual_scale": 0.5}
    found, (slide, updates, column) = deep_pass(**settings), opened(**settings)
    assert column("row{}.size", 7) == [show(norm) for norm in found.gradient_norms]
    assert column("row{}.zeros", 7) == [str((layer == 0).sum()) for layer in found.gradients]
    assert slide.gains[:-1] == pytest.approx(found.gradient_norms[:-1] / found.gradient_norms[1:], rel=1e-12)
    assert column("gain{}.product", 7) == [*map(show, slide.gains[:-1]), "start"]
    assert slide.dead == list(found.dead) and updates["sum.ratio"]["text"] == show(found.ratio)
    assert slide.counts.sum(axis=1) == pytest.approx([45 - (layer == 0).sum() for layer in found.gradients])
    gains = [deep.mean_gain(gains[:-1]) for gains in (slide.weights, slide.activation)]
    if not residual:
        assert math.prod(gains) ** 6 == pytest.approx(slide.ratio, rel=1e-9)


def test_verdict_is_an_average_over_five_seeds():
    """Seed 0 is a lucky one: of it alone more than 0.1 is left. The judgement is the same whichever seed is shown."""
    ratios = [deep_pass("sigmoid", gain=6.0, seed=seed).ratio for seed in deep.SEEDS]
    mean, player = show(math.prod(ratios) ** (1 / len(ratios))), microscope("sigmoid", gain=6.0)
    for seed in (0, 77):
        updates = ask(player, seed=seed)
        assert updates["sum.ratio"]["text"] == show(deep_pass("sigmoid", gain=6.0, seed=seed).ratio)
        assert updates["sum.ratio.note"]["text"] == "5 seeds: vanishes"
        assert f"The geometric mean of first / last over seeds 0 to 4 is {mean}" in player.slide.say
    assert ratios[0] > deep.LEAST > min(ratios)
    words = ("vanishes", "arrives", "arrives", "explodes", "is not a number")
    assert tuple(map(deep.verdict, (0.099, 0.1, 10.0, 10.1, math.nan))) == words


def test_residual_scale_may_depend_on_depth():
    given = {"activation": "relu", "init": "he", "residual": True, "depth": 30}
    found, (slide, _, _) = deep_pass(**given, residual_scale=1 / 30), opened(**given, residual_scale="1/L")
    gain = deep.mean_gain(slide.activation[:-1])
    assert gain == pytest.approx(deep.mean_gain(found.activation_gain[:-1]) * 30) and slide.ratio == found.ratio
    assert f"the activation's gain {show(gain)} times the residual scale 0.0333" in slide.say
    scales = [microscope_slides.scale_of(text, 8) for text in ("1", "1/√L", "1/√(2L)", "1/L")]
    assert scales == [1, 1 / math.sqrt(8), 0.25, 0.125]


def test_presets_have_the_numbers_of_their_sources():
    """Source E's 100 nets: mean |gradient| 0.6291 and 0.5963, 53 of 100; twelve sigmoids; nine of twelve layers."""
    slide, _, column = opened(preset="100 two-layer nets")
    assert column("row{}.size", 3) == ["0.5963", "0.6291", ""] and "only 53 of 100 nets" in slide.say
    assert slide.counts.sum(axis=1).tolist() == [100, 100] and "0.033 ± 0.044" in slide.say
    slide, _, column = opened(preset="twelve sigmoids")
    printed = [1, 0.2342, 0.0552, 0.01308, 3.113e-3, 7.435e-4, 1.781e-4, 4.280e-5, 1.031e-5, 2.487e-6, 6.014e-7]
    assert [float(f"{mean:.3e}") for mean in slide.sizes[::-1]] == [*printed, 1.457e-7, 3.534e-8]
    for row, preset in zip(TWELVE_LAYERS, lab.TABLE, strict=True):
        values = microscope(preset=preset).values
        assert tuple(values[name] for name in ("activation", "init", "gain", "residual")) == row


def test_zeros_and_overflows_are_counted_and_reported():
    seed = next(s for s in range(50) if deep_pass("relu", "he", depth=4, width=1, batch=4, seed=s).dead[1] == 1)
    slide, _, column = opened("relu", "he", depth=4, width=1, batch=4, seed=seed)
    assert column("row{}.zeros", 2) == ["4", "4"] and "every gradient is 0" in slide.say
    slide, _, column = opened("linear", "normal", gain=1e30, depth=12)
    bad = [int(text.replace(",", "")) for text in column("row{}.bad", 12)]
    assert max(bad) == 1024 and bad[-1] == 0 and slide.say.startswith(f"In layer {len([n for n in bad if n])} some")


def test_every_frame_has_the_same_parts_and_spaced_rows():
    """So that the page can go from any frame to any; no row lies on another."""
    settings = ({}, {"depth": 30, "activation": "relu"}, *({"preset": name} for name in lab.PRESETS))
    assert len({tuple((key, *mark) for key, mark in opened(**each)[1].items()) for each in settings}) == 1
    for depth in (2, 12, 30):
        _, updates, _ = opened("tanh", "normal", depth=depth)
        ys = [float(updates[f"row{i}"]["y"]) for i in range(depth)]
        assert min(b - a for a, b in itertools.pairwise(ys)) >= 10, "as high as a digit, and more"
        assert ys[0] > microscope_picture.TOP and ys[-1] < microscope_picture.BOTTOM + 4


def test_bars_end_at_the_gains():
    slide, _, _ = opened("relu", "he", depth=5, width=8)
    scale, updates = microscope_picture.gain_scale(slide), FrameTemplate(microscope_picture.draw).updates(slide)
    for key, gains in (("weights", slide.weights), ("activation", slide.activation)):
        ends = [float(end) for end in re.findall(r"H([\d.]+)v", updates[key]["d"])]
        assert ends == pytest.approx([scale(gain) for gain in gains[:-1]], abs=0.06)


@pytest.mark.parametrize(
    ("numbers", "first", "step"),
    [((1e-3, 1.0), -5, 1), ((1e-9, 1.0), -12, 2), ((1e-40, 1e-3), -40, 5), ((1e-300, 1e300), -400, 100), ((), -6, 1)],
)
def test_gradient_axis_holds_all_numbers(numbers, first, step):
    rows = np.array([numbers])
    _, counts, axis = microscope_slides.logarithmic(rows, rows > 0)
    assert (axis.first, axis.step, counts.sum()) == (first, step, len(numbers))
    width = (microscope_slides.RIGHT - microscope_slides.LEFT) / microscope_slides.INTERVALS
    for number in numbers:
        place = (axis.pixel(number) - microscope_slides.LEFT) / width
        assert place == pytest.approx((math.log10(number) - first) / step)
    assert axis.pixel(0.0) is axis.pixel(math.nan) is None


def test_preset_disables_ignored_controls():
    def off(player):
        return {control["name"] for control in player._spec(player.recording)["controls"] if control["disabled"]}

    player = microscope()
    assert off(player) == {"residual_scale"}, "which needs residual"
    ask(player, preset="twelve sigmoids")
    assert off(player) == {*player.values} - {"preset"} and player.values["activation"] == "sigmoid"
    ask(player, preset="relu, he, residual")
    assert off(player) == set()
    for gain, low, high in ((1.0, -2, 1), (0.001, -3, 1), (250, -2, 3)):
        control = next(each for each in microscope(gain=gain).controls if each.name == "gain")
        assert (control.min, control.max) == (low, high)


def test_zero_in_one_seed_makes_the_mean_vanish():
    """Three of five may arrive: where one gives 0, the product is 0; 0 by 0 is 0 here. It has no place on an axis."""
    settings = {"activation": "relu", "init": "he", "depth": 4, "width": 2, "batch": 4}
    ratios = [deep_pass(**settings, seed=seed).ratio for seed in deep.SEEDS]
    assert sum(map(math.isnan, ratios)) == 2 and sum(ratio > deep.LEAST for ratio in ratios) == 3
    assert opened(**settings)[0].judged == "5 seeds: vanishes" and opened(**settings)[1]["band"]["d"].count("M") == 1
    band = microscope_picture.band_of(([1, None, 2, 3], [2, 2, 3, 4]), lambda x: x, range(4))
    assert band == "M2.0,2.0L3.0,3.0L4.0,3.0L3.0,2.0Z"
