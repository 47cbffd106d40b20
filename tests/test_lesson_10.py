"""Lesson 10: every number in its text is what the engine or a deep pass gives, and its labs show what it says."""

import math

import numpy as np
import pytest

import autograd
import figures
from autograd import Value, weighted_sum
from autograd.dual import forward_gradient
from autograd.lessons.depth import deep_pass, twelve_layer_table
from autograd.messages import show
from exercises.engine_file import check
from exercises.quizzes import quiz_data
from figures.labs import clip
from figures.training import deep, deep_nets
from tests import lessons

PATH = lessons.NOTEBOOKS / "10_vanishing_and_exploding_gradients.ipynb"


@pytest.fixture(scope="module")
def names():
    """The names that the lesson's cells define, unsolved."""
    return lessons.names_of(PATH, with_solutions=False)


def mean(ratios):
    """The geometric mean."""
    return math.exp(np.mean(np.log(list(ratios))))


def test_three_sigmoids(prose):
    h = Value(0.0, label="x")
    locals = []
    for _ in range(3):
        h = h.sigmoid()
        locals.append(h._local[0])
    assert [f"{local:.4f}" for local in locals] == ["0.2500", "0.2350", "0.2273"]
    assert forward_gradient(lambda x: x.sigmoid().sigmoid().sigmoid(), [0.0])[0] == pytest.approx(math.prod(locals))
    assert f"{math.prod(locals):.4f}" == "0.0134" and "0.25 × 0.2350 × 0.2273 = 0.0134" in prose
    assert check.predict(h, x=0.0134) and not check.predict(h, x=0.134)


def test_powers_of_a_quarter(prose):
    assert (0.25**3, 0.25**5, 0.25**10) == (0.015625, 0.0009765625, 9.5367431640625e-07)
    assert "(0.015625, 0.0009765625, 9.5367431640625e-07)" in prose
    steps = [x / 100 for x in range(-500, 501)]
    slopes = {x: forward_gradient(lambda x: x.sigmoid(), [x])[0] for x in steps}
    assert max(slopes.values()) == slopes[0.0] == 0.25


def test_hundred_two_layer_nets(names, prose):
    """The lesson's own nets are those of the published notebook: its random stream, drawn again and run by hand."""
    rng = np.random.RandomState(42)
    found = []
    for _ in range(100):
        first, second = ([Value(w) for w in rng.randn(5) * 0.5] for _ in range(2))
        hidden = [weighted_sum([w], [1.5], 0).relu() for w in first]
        ((weighted_sum(second, hidden, 0) - 1) ** 2).backward()
        found.append([np.mean([abs(w.grad) for w in layer]) for layer in (first, second)])
    np.testing.assert_allclose(names["nets"], found, rtol=1e-12)
    one, two = np.array(found).T
    assert (f"{two.mean():.4f}", f"{one.mean():.4f}") == ("0.6291", "0.5963")
    difference = two - one
    assert (difference > 0).sum() == 53
    assert (f"{difference.mean():.3f}", f"{difference.std(ddof=1) / 10:.3f}") == ("0.033", "0.044")
    assert "0.6291 in layer 2, 0.5963 in layer 1" in prose and "smaller ones in 53 of 100 nets" in prose
    assert "mean size 0.5963" in prose and "mean size 0.6291" in prose
    assert "is 0.033, and its standard error, the last number, 0.044" in prose


def test_a_coin_gives_53_heads_often():
    """The quiz: 53 or more of 100 in about three of ten times."""
    chance = sum(math.comb(100, k) for k in range(53, 101)) / 2**100
    assert 0.29 < chance < 0.32
    feedback = question("10-half-of-100")["options"][1]["feedback"]
    assert "53 or more heads in about three of ten times" in feedback


def test_twelve_sigmoids(names, prose):
    slide = figures.microscope(preset="twelve sigmoids").slide
    printed = [1, 0.2342, 0.0552, 0.01308, 3.113e-3, 7.435e-4, 1.781e-4, 4.280e-5, 1.031e-5, 2.487e-6, 6.014e-7]
    assert [float(f"{mean:.3e}") for mean in reversed(slide.sizes)] == [*printed, 1.457e-7, 3.534e-8]
    assert max(i for i, size in enumerate(slide.sizes, start=1) if size < 1e-6) == 3
    assert all(math.isnan(gain) for gain in slide.weights)
    assert "Layer 3, with 6.014e-07" in prose and "at layer 1 3.534e-08 is left" in prose
    assert [size for _, size in names["curves"]["one z"]] == pytest.approx(slide.sizes, rel=1e-12)
    assert [layer for layer, _ in names["curves"]["one z"]] == list(range(1, 14)) and slide.names[-1] == "out"
    assert mean(slide.activation[:12]) == pytest.approx(0.24, abs=0.005) and "by about 0.24" in prose
    assert 0.25**10 < 1e-6 < 0.25**9  # so who predicts from powers of ¼ finds the same layer


def test_twelve_sigmoids_that_are_in_a_row(names, prose):
    """By hand, with the slope σ(1 - σ) of each number on the way, on the inputs that the published figure has."""
    number, slopes = np.array(names["inputs"]), []
    for _ in range(12):
        number = 1 / (1 + np.exp(-number))
        slopes.append(number * (1 - number))
    left = [float(np.mean(np.prod(slopes[layer - 1 :], axis=0))) for layer in range(1, 14)]
    assert [size for _, size in names["curves"]["in a row"]] == pytest.approx(left, rel=1e-12)
    assert (f"{left[2]:.3e}", f"{left[0]:.3e}") == ("3.326e-07", "1.817e-08")
    assert "layer 3 has 3.326e-07, layer 1 1.817e-08" in prose
    assert left[0] / 3.534e-08 == pytest.approx(0.5, abs=0.02) and "half as much as published" in prose
    assert {f"{each:.3f}" for each in number} == {"0.659"} and "settle at 0.659" in prose
    assert f"{slopes[-1].mean():.3f}" == "0.225" and "where the slope is 0.225" in prose
    assert f"and {left[0]:.3e} is left." in figures.microscope(preset="twelve sigmoids").slide.say


def chain(weight, layers=3):
    """x and the end of a chain of relu units with this weight."""
    x = h = Value(1.0, label="x")
    for _ in range(layers):
        h = (weight * h).relu()
    return x, h


def test_three_relu_units(prose):
    for weight, slope in ((0.5, 0.125), (3.0, 27)):
        x, y = chain(weight)
        y.backward()
        assert x.grad == slope == weight**3
    assert check.predict(chain(0.5)[1], x=0.125) and not check.predict(chain(0.5)[1], x=1)
    assert "0.5³ = 0.125. With weights of 3 it would be 27" in prose


def test_the_gains_of_a_sigmoid_network(names, prose):
    found = deep_pass("sigmoid", "xavier")
    assert found.gradients.shape == (12, 32, 32)
    assert found.weights_gain.mean() == pytest.approx(1, abs=0.03)
    assert f"{found.activation_gain.mean():.2f}" == "0.24" and f"{found.ratio:.3g}" == "9.5e-08"
    assert f"{0.24**11:.0e}" in ("1e-07", "2e-07") and "0.24¹¹ is about 1e-7" in prose
    step = found.weights_gain[1:] * found.activation_gain[:-1]
    assert found.ratio == pytest.approx(np.prod(step))


def test_the_microscope_with_tanh(prose):
    xavier, normal = (figures.microscope("tanh", init).slide for init in ("xavier", "normal"))
    assert "the weights' gain 0.9728 times the activation's gain 0.8975" in xavier.say and "arrives" in xavier.say
    for said in ("the weights' gain 5.3895", "the activation's gain 0.3073", "by 1.6560", "explodes"):
        assert said in normal.say
    mean_of_five = deep.of_seeds(activation="tanh", init="normal")[1]
    assert f"{mean_of_five:.0f}" == "397" and show(mean_of_five) in normal.say
    assert "from 0.97 to 5.39" in prose and "from 0.90 down to 0.31" in prose and "1.66 a step" in prose
    assert "first / last, the mean, is 397" in prose


def test_the_lab_says_when_a_gradient_arrives(prose):
    from figures.training import deep

    assert (deep.LEAST, deep.MOST, len(deep.SEEDS)) == (0.1, 10, 5)
    assert "the mean of five seeds, is below 0.1, *explodes* above 10" in prose


def test_sums_grow_as_the_root(names, prose):
    rng = np.random.RandomState(1)
    for n, root in ((4, 2), (16, 4), (64, 8)):
        assert rng.randn(20_000, n).sum(axis=1).std() == pytest.approx(root, rel=0.03)
    assert "[2.01, 3.96, 8.0]" in prose and "About 2, 4 and 8" in prose


@pytest.mark.parametrize("spread", [0.05, 0.2, 1.0])
@pytest.mark.parametrize("n", [16, 64])
def test_the_weights_gain_is_the_root_of_n_times_the_spread(spread, n):
    found = deep_pass("tanh", lambda rng, n: spread * rng.standard_normal((n, n)), width=n, batch=64)
    assert found.weights_gain.mean() == pytest.approx(math.sqrt(n) * spread, rel=0.15)


def test_relu_passes_half_of_the_squares():
    found = deep_pass("relu", "he", width=64, batch=64)
    assert found.activation_gain.mean() == pytest.approx(math.sqrt(0.5), rel=0.1)
    assert mean(found.weights_gain[1:] * found.activation_gain[:-1]) == pytest.approx(1, rel=0.1)


def test_relu_is_no_cure(prose):
    sigmoid, relu = deep_pass("sigmoid", "xavier").ratio, deep_pass("relu", "normal", gain=0.01).ratio
    assert 1e8 < sigmoid / relu < 1e9 and "worse by eight powers of ten" in prose
    assert f"{math.sqrt(32) * 0.01:.3f}" == "0.057" and "√32 × 0.01 = 0.057" in prose
    found = deep_pass("relu", "normal", gain=0.01)
    assert found.weights_gain.mean() == pytest.approx(0.057, rel=0.05)
    assert mean(found.weights_gain[1:] * found.activation_gain[:-1]) == pytest.approx(1 / 25, rel=0.1)
    assert "about a twenty-fifth" in question("10-relu-cure")["options"][0]["feedback"]


def trained(kind, steps, **given):
    """A deep network of a kind, by the start of its name, after so many steps."""
    found = next(each for each in deep_nets.KINDS if each.name.startswith(kind))
    net = deep_nets.DeepNet(found, deep_nets.Settings(**given))
    for _ in range(steps):
        net.step()
    return net


ADAM = {"optimizer": "Adam", "lr": deep_nets.RATES["Adam"]}


def test_the_first_layers_stand_still(prose):
    sigmoid, small = trained("sigmoid", 1000), trained("relu with N", 1000)
    assert [net.state for net in (sigmoid, small)] == ["stands still"] * 2
    moved = sigmoid.moved()
    assert moved[-1] == pytest.approx(0.0277, rel=0.05) and moved[0] == pytest.approx(2.3e-6, rel=0.2)
    assert moved[1:] == sorted(moved[1:]) or moved[-1] == max(moved)
    assert "by 0.0277 of its size, the first by 0.0000023" in prose
    assert small.moved()[0] == 0 and all(1e-20 < size < 1e-17 for size in small.gradients())
    assert "all gradients are near 1e-19, and the first layer has not moved at all" in prose


@pytest.mark.parametrize(
    "kind, given, steps, right, state",
    [
        ("sigmoid", ADAM, 1000, (88, 92), "levelled off"),
        ("relu with N", ADAM, 200, (50, 50), "stands still"),
        ("sigmoid", {"layer_norm": True}, 200, (0, 94), "stands still"),
    ],
)
def test_what_adam_and_layer_normalisation_change(prose, kind, given, steps, right, state):
    """That the other three learn, tests/test_deep_training_lab.py says."""
    net = trained(kind, steps, **given)
    assert right[0] <= net.right <= right[1] and net.state == state
    assert "Adam takes the sigmoid network to about 90 of 100 points, where it levels off" in prose
    assert "the small relu network stands still" in prose and "The sigmoid's first layer hardly moves." in prose
    assert "layer_norm" not in given or net.moved()[0] < 1e-3 < net.moved()[-1]


def test_layer_normalisation_and_a_small_rate_wake_the_small_relu_network(prose):
    far, near = (trained("relu with N", steps, layer_norm=True, lr=lr) for steps, lr in ((200, 0.1), (1000, 0.0003)))
    assert f"{far.first[0]:.3f}" == "0.024" and "gets gradients, 0.024 in its first layer" in prose
    assert far.loss == pytest.approx(math.log(2), abs=0.01) and far.moved()[0] > 1 and far.right < 95
    assert near.right >= 95 and "but at a rate of 0.0003 it learns" in prose


def test_layer_normalisation_brings_sums_to_mean_0_and_size_1(prose):
    rows = 7 + 3 * np.random.RandomState(0).randn(5, 16)
    out = deep_nets.normalised(autograd.tensor.Tensor(rows)).data
    assert out.mean(axis=1) == pytest.approx(0, abs=1e-12) and (out**2).mean(axis=1) == pytest.approx(1, rel=1e-3)
    assert "brings each layer's sums back to mean 0 and size 1" in prose


def test_the_twelve_layer_table(prose):
    table = twelve_layer_table()
    for (activation, init, gain, residual), ratio in table.items():
        assert f"{activation:8} {init:7} × {gain:<5g} {'residual' if residual else '':9} {ratio:.1e}" in prose
    arrive = [network[:2] for network, ratio in table.items() if 0.1 <= ratio <= 10]
    assert arrive == [("tanh", "xavier"), ("relu", "he")] and "Only tanh with Xavier and relu with He arrive" in prose
    relu = [ratio for network, ratio in table.items() if network[0] == "relu" and not network[3]]
    assert (f"{min(relu):.1e}", f"{max(relu):.1e}") == ("1.7e-16", "1.7e+06")
    assert min(table.values()) == min(relu) and max(table.values()) == max(relu)
    assert 1 / math.sqrt(2 / 32) == 4 and 4**11 == 4_194_304
    normal, he = table["relu", "normal", 1.0, False], table["relu", "he", 1.0, False]
    assert normal / he == pytest.approx(4**11, rel=1e-9) and "4¹¹ is the 4 million" in prose
    assert f"{table['relu', 'he', 1.0, True]:.0f}" == "58" and "says 58" in prose


def test_sigmoid_survives_with_larger_weights(prose):
    def slide(gain, depth=12):
        return figures.microscope("sigmoid", "xavier", gain=gain, depth=depth).slide

    at_four = slide(4.0)
    assert at_four.ratio < 0.01 and "vanishes" in at_four.say and "At 4 it vanishes." in prose
    assert "vanishes" in slide(6.6).say and "arrives" in slide(6.8).say and "From about 6.7 on" in prose
    assert "vanishes" in slide(7.8, 20).say and "arrives" in slide(8.0, 20).say and "20, from about 7.9" in prose
    assert "the activation's gain 0.16" in at_four.say and "the activation's gain 0.13" in slide(6.8).say


def test_clipping_by_hand(prose):
    u, v = Value(0.0), Value(0.0)
    (3 * u + 4 * v).backward()
    assert autograd.clip_grad_norm([u, v], 1.0) == 5
    assert (u.grad, v.grad) == pytest.approx((0.6, 0.8)) == (3 / 5, 4 / 5)
    assert "3 and 4 have the length √(3² + 4²) = 5; for a limit of 1 both are multiplied by 1/5" in prose
    (3 * u + 4 * v).backward(reset="all")
    assert autograd.clip_grad_value([u, v], 1.0) == 2 and (u.grad, v.grad) == (1, 1)


def test_the_clip_lab(prose):
    clipped, without = clip.train(clip.CASES["deep relu, explodes"], "by norm", 1.0, 0.1, 11)
    assert f"{clipped.norms[0]:.0f}" == "105" and f"{1 / 105:.4f}" == "0.0095" and "0.0095, which is 1/105" in prose
    assert without.end == 4 and clipped.end is None and "overflow at step 4" in prose
    by_value, _ = clip.train(clip.CASES["deep relu, explodes"], "by value", 1.0, 0.1, 11)
    assert f"{clip.turned(by_value, 0):.1f}" == "46.3" and "turns step 0 by 46.3°" in prose
    for way in ("by norm", "by value"):
        run, _ = clip.train(clip.CASES["deep sigmoid, vanishes"], way, 1.0, 0.1, 11)
        assert not any(run.changed(step) for step in range(clip.STEPS + 1))
    assert np.abs(run.gradients).max() < 1
    assert run.first.max() < 1e-6 and "the first layer's are below 1e-06" in prose


def test_a_residual_layer_by_hand(prose):
    h = Value(1.0, label="x")
    for _ in range(2):
        h = h + 0.5 * h
    assert check.predict(h, x=2.25) and not check.predict(h, x=0.25)
    assert "1.5² = 2.25. Without the way around: 0.25." in prose


def test_thirty_residual_layers(prose):
    found = {}
    for scale in ("1", "1/√L", "1/√(2L)", "1/L"):
        found[scale] = figures.microscope("relu", "he", depth=30, residual=True, residual_scale=scale).slide
    scales = (1.0, 30**-0.5, 60**-0.5, 1 / 30)
    given = {"activation": "relu", "init": "he", "depth": 30, "residual": True}
    means = [deep.of_seeds(**given, residual_scale=scale)[1] for scale in scales]
    assert means[0] == pytest.approx(5e5, rel=0.02) and "half a million times as large" in prose
    assert [f"{each:.3g}" for each in means[1:]] == ["2.73", "1.57", "1.01"]
    assert all(show(each) in slide.say for each, slide in zip(means, found.values()))
    assert all("arrives" in found[scale].say for scale in list(found)[1:])
    assert "2.7 with 1/√L, 1.6 with 1/√(2L), 1.01 with 1/L" in prose


def test_unscaled_residuals_double_the_mean_square(prose):
    assert 23_000 < 2 ** (29 / 2) < 23_500 and "its root is 23,000" in prose
    ratio = deep_pass("linear", residual=True, depth=30, width=64, batch=64).ratio
    assert ratio == pytest.approx(2 ** (29 / 2), rel=0.2)
    for scale in (0.1, 0.3, 1.0):
        ratios = [
            deep_pass("linear", residual=True, residual_scale=scale, depth=12, width=64, seed=seed).ratio
            for seed in range(5)
        ]
        assert mean(ratios) == pytest.approx((1 + scale**2) ** (11 / 2), rel=0.15)
    assert (f"{math.sqrt(math.e):.2f}", f"{math.e**0.25:.2f}") == ("1.65", "1.28") and "√e = 1.65" in prose
    many = (1 + 0.5 / 1000) ** 1000
    assert many == pytest.approx(math.sqrt(math.e), rel=1e-3)


def test_with_relu_the_scale_does_not_hold_for_ever(prose):
    def at(depth):
        scale = 1 / math.sqrt(2 * depth)
        passes = [deep_pass("relu", "he", residual=True, residual_scale=scale, depth=depth, seed=s) for s in range(6)]
        return mean(one.ratio for one in passes)

    assert at(12) < 1.5 < 4 < at(120)


def test_hes_spread_on_tanh_grows_to_about_5_times(prose):
    said = check.hold_the_range(lambda fan_in: math.sqrt(2 / fan_in)).text()
    assert said.startswith("✓") and "to 4.84 times" in said and "gradients grow to about 5 times" in prose


def test_expected_wrong_answers_of_the_teachers_note():
    assert "the variance in place of its root" in check.hold_the_range(lambda fan_in: 1 / fan_in).text()
    assert "one number for every width" in check.hold_the_range(lambda fan_in: 0.2).text()
    assert "one gain for every depth" in check.relu_vanishes(lambda depth: 0.1).text()
    assert "4 against ¼" in check.sigmoid_survives({"init": "xavier", "gain": 4}).text()
    assert "the square forgotten" in check.residual_scale(lambda layers: 1 / layers).text()


def question(name):
    """A question of the lesson by its id."""
    return next(each for each in quiz_data.load("10")["questions"] if each["id"] == name)


def test_the_quiz_is_well_made_and_asks_what_makes_sigmoids_vanish():
    data = quiz_data.load("10")
    assert quiz_data.faults(data) == []
    assert "sigmoid-vanishing" in [each.get("asks") for each in data["questions"]]


def test_the_quizs_numbers():
    assert question("10-product-of-gains")["number"]["answer"] == (3 * 0.5) ** 4
    assert math.sqrt(400) * question("10-wider-layer")["number"]["answer"] == math.sqrt(100) * 0.1
    small = deep_pass("tanh", lambda rng, n: 0.05 * rng.standard_normal((n, n)), width=400, depth=4, batch=4)
    assert small.weights_gain.mean() == pytest.approx(1, rel=0.1)
    larger = [deep_pass("tanh", gain=gain) for gain in (1, 5)]
    assert larger[0].weights_gain.mean() < larger[1].weights_gain.mean()
    assert larger[0].activation_gain.mean() > larger[1].activation_gain.mean()
