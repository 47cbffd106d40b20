"""Lesson 10: every number in its text is what the engine or a deep pass gives, and its labs show what it says."""

import math

import numpy as np
import pytest

import autograd
import figures
from autograd import Value, weighted_sum
from autograd.dual import forward_gradient
from autograd.errors.messages import show
from autograd.lessons.depth import deep_pass
from autograd.training.nn import INITIALISATIONS
from exercises.engine_file import check
from exercises.quizzes import quiz_data
from figures.labs import clip
from figures.training import deep, deep_nets
from tests.notebooks import Lesson

LESSON = Lesson("10")
QUESTIONS = {each["id"]: each for each in quiz_data.load("10")["questions"]}


def mean(ratios):
    """The geometric mean."""
    return math.exp(np.mean(np.log(list(ratios))))


def slide(*given, **named):
    return figures.microscope(*given, **named).slide


def test_three_sigmoids_three_relu_units_and_two_residual_layers():
    h, slopes = Value(0.0, label="x"), []
    for _ in range(3):
        h = h.sigmoid()
        slopes.append(h._local[0])
    product = forward_gradient(lambda x: x.sigmoid().sigmoid().sigmoid(), [0.0])[0]
    assert product == pytest.approx(math.prod(slopes)) and slopes[0] == 0.25
    LESSON.says(f"0.25 × {slopes[1]:.4f} × {slopes[2]:.4f} = {product:.4f}.")
    assert check.predict(h, x=0.0134) and not check.predict(h, x=0.134)
    LESSON.says(f"at most 0.25³ = {0.25**3:.4f} of a gradient, and ten at most a millionth")
    assert pytest.approx(1e-6, rel=0.05) == 0.25**10
    sizes = {x / 100: forward_gradient(lambda x: x.sigmoid(), [x / 100])[0] for x in range(-500, 501)}
    assert max(sizes.values()) == sizes[0.0] == 0.25
    for weight, slope in ((0.5, 0.125), (3.0, 27)):
        x = h = Value(1.0, label="x")
        for _ in range(3):
            h = (weight * h).relu()
        assert check.predict(h, x=slope) and not check.predict(h, x=1)
        h.backward()
        assert x.grad == slope == weight**3
    around = Value(1.0, label="x")
    for _ in range(2):
        around = around + 0.5 * around
    assert check.predict(around, x=1.5**2) and not check.predict(around, x=0.5**2)
    LESSON.says(f"0.5³ = {0.5**3}. With weights of 3 it would be {3**3}")
    LESSON.says(f"1.5² = {1.5**2}. Without the way around it would be {0.5**2}.")


@pytest.mark.long
def test_hundred_two_layer_nets():
    """The lesson's own nets are those of the published notebook: its random stream, drawn again and run by hand."""
    rng = np.random.RandomState(42)
    found = []
    for _ in range(100):
        first, second = ([Value(w) for w in rng.randn(5) * 0.5] for _ in range(2))
        hidden = [weighted_sum([w], [1.5], 0).relu() for w in first]
        ((weighted_sum(second, hidden, 0) - 1) ** 2).backward()
        found.append([np.mean([abs(w.grad) for w in layer]) for layer in (first, second)])
    np.testing.assert_allclose(LESSON["nets"], found, rtol=1e-12)
    one, two = np.array(found).T
    difference = two - one
    LESSON.says(
        f"{two.mean():.4f} in layer 2 and {one.mean():.4f} in layer 1",
        f"smaller ones in {(difference > 0).sum()} of 100 nets",
        f"is {difference.mean():.3f}, and its standard error, which is how far chance alone moves such a mean, "
        f"is {difference.std(ddof=1) / 10:.3f}",
    )
    LESSON.shows(f"mean size {one.mean():.4f}", f"mean size {two.mean():.4f}")
    assert 0.29 < sum(math.comb(100, k) for k in range(53, 101)) / 2**100 < 0.32
    feedback = QUESTIONS["10-half-of-100"]["options"][1]["feedback"]
    assert "53 or more heads about three times in ten" in feedback


def test_twelve_sigmoids_and_those_that_are_in_a_row():
    """In a row: by hand, with the slope σ(1 - σ) of each number on the way, on the inputs of the published figure.

    The notebook draws 1,000 numbers for its 100 nets, 32 more that it does not use, and then these.
    """
    one_z = slide(preset="twelve sigmoids")
    printed = [1, 0.2342, 0.0552, 0.01308, 3.113e-3, 7.435e-4, 1.781e-4, 4.280e-5, 1.031e-5, 2.487e-6, 6.014e-7]
    assert [float(f"{mean:.3e}") for mean in reversed(one_z.sizes)] == [*printed, 1.457e-7, 3.534e-8]
    layer = max(i for i, size in enumerate(one_z.sizes, start=1) if size < 1e-6)
    LESSON.says(f"layer {layer}, with {one_z.sizes[layer - 1]:.3e}", f"which leaves {one_z.sizes[0]:.3e}")
    assert all(math.isnan(gain) for gain in one_z.weights) and one_z.names[-1] == "out"
    assert mean(one_z.activation[:12]) == pytest.approx(0.24, abs=0.005)
    assert 0.25**10 < 1e-6 < 0.25**9  # so who predicts from powers of ¼ finds the same layer
    stream = np.random.RandomState(42)
    stream.randn(1000 + 32)
    number, slopes = stream.randn(32) * 0.5, []
    for _ in range(12):
        number = 1 / (1 + np.exp(-number))
        slopes.append(number * (1 - number))
    left = float(np.mean(np.prod(slopes, axis=0)))
    assert len({f"{each:.3f}" for each in number}) == 1 and left / one_z.sizes[0] == pytest.approx(0.5, abs=0.02)
    LESSON.says(f"settle at {number[0]:.3f}, where the slope is {slopes[-1].mean():.3f}")
    LESSON.says(f"and {left:.3e} is left, half as much")
    assert f"and {left:.3e} is left." in one_z.say


@pytest.mark.long
def test_the_gains_of_a_sigmoid_network_and_of_relu_which_is_no_cure():
    found = deep_pass("sigmoid", "xavier")
    assert found.gradients.shape == (12, 32, 32) and found.weights_gain.mean() == pytest.approx(1, abs=0.03)
    weights, slopes = mean(found.weights_gain[1:]), mean(found.activation_gain[:-1])
    assert (weights * slopes) ** 11 == pytest.approx(found.ratio)
    LESSON.says(f"it's {slopes:.2f}, beside {weights:.2f}. Eleven such steps leave {found.ratio:.2g}")
    LESSON.shows(f"({float(found.ratio)}, {float(deep_pass('relu', 'normal', gain=0.01).ratio)})")
    assert found.ratio == pytest.approx(np.prod(found.weights_gain[1:] * found.activation_gain[:-1]))
    LESSON.shows("[2.01, 3.96, 8.0]")
    LESSON.says("About {:g}, {:g} and {:g}".format(*(math.sqrt(n) for n in (4, 16, 64))))
    he, small = deep_pass("relu", "he", width=64, batch=64), deep_pass("relu", "normal", gain=0.01)
    he_step, small_step = (mean(each.weights_gain[1:] * each.activation_gain[:-1]) for each in (he, small))
    assert he.activation_gain.mean() == pytest.approx(math.sqrt(0.5), rel=0.1) and he_step == pytest.approx(1, rel=0.1)
    assert 1e8 < deep_pass("sigmoid", "xavier").ratio / small.ratio < 1e9
    LESSON.says("worse by eight powers of ten", f"√32 × 0.01 = {math.sqrt(32) * 0.01:.3f}")
    assert small.weights_gain.mean() == pytest.approx(0.057, rel=0.05) and small_step == pytest.approx(1 / 25, rel=0.1)
    assert "about a twenty-fifth" in QUESTIONS["10-relu-cure"]["options"][0]["feedback"]


def test_the_gain_that_makes_relu_vanish_counts_once_a_step():
    """first / last of five seeds, and with He's weights, which the lab opens with, it arrives."""
    assert "arrives" in slide("relu", "he").say
    for depth, gain in ((12, 0.15), (30, 0.49)):
        assert gain == pytest.approx(1e-9 ** (1 / (depth - 1)), abs=0.005)
        assert 1e-10 < deep.of_seeds(activation="relu", init="he", gain=gain, depth=depth)[1] < 1e-8
    LESSON.says("the eleventh root of 1e-9, 0.15, and for 30 layers the 29th root, 0.49")


def test_the_microscope_with_tanh_and_with_sigmoid():
    xavier, normal = (slide("tanh", init).say for init in ("xavier", "normal"))
    assert "the weights' gain 0.9728 times the activation's gain 0.8975" in xavier and "arrives" in xavier
    for said in ("the weights' gain 5.3895", "the activation's gain 0.3073", "by 1.6560", "explodes"):
        assert said in normal
    of_five, of_one = deep.of_seeds(activation="tanh", init="normal")[1], deep_pass("tanh", "normal").ratio
    assert show(of_five) in normal and (deep.LEAST, deep.MOST, len(deep.SEEDS)) == (0.1, 10, 5)
    assert of_one == pytest.approx(1.656**11, rel=1e-3)
    LESSON.says(
        *("from 0.97 to 5.39", "from 0.90 down to 0.31", f"1.656 a step, and 1.656¹¹ = {of_one:.0f} with this seed"),
        f"Over five seeds first / last is {of_five:.0f}",
    )
    LESSON.says("first / last is below 0.1, *explodes* above 10", "the **geometric mean** of five seeds")
    for depth, gain, word in ((12, 4.0, "vanishes"), (12, 6.6, "vanishes"), (12, 6.8, "arrives"),
                              (20, 7.8, "vanishes"), (20, 8.0, "arrives")):  # fmt: skip
        found = slide("sigmoid", "xavier", gain=gain, depth=depth)
        assert word in found.say
        assert gain != 4 or ("the activation's gain 0.16" in found.say and found.ratio < 0.01)
        assert gain != 6.8 or "the activation's gain 0.13" in found.say
    for depth, gain, left in ((12, 6.7, 0.053), (20, 7.9, 0.027)):

        def drawn_normally(rng, n, gain=gain):
            return gain / math.sqrt(n) * rng.standard_normal((n, n))

        found = mean(deep_pass("sigmoid", drawn_normally, depth=depth, seed=seed).ratio for seed in deep.SEEDS)
        assert found == pytest.approx(left, abs=5e-4) and found < deep.LEAST
    LESSON.says("Normal weights of the same spread still make it vanish there.")
    LESSON.says("At 4 it vanishes.", "From about 6.7 on", "20, from about 7.9", "gain is 0.16, at 6.7 it is 0.13")


@pytest.mark.parametrize("spread", [0.05, 0.2, 1.0])
@pytest.mark.parametrize("n", [16, 64])
def test_the_weights_gain_is_the_root_of_n_times_the_spread(spread, n):
    found = deep_pass("tanh", lambda rng, n: spread * rng.standard_normal((n, n)), width=n, batch=64)
    assert found.weights_gain.mean() == pytest.approx(math.sqrt(n) * spread, rel=0.15)


def trained(kind, steps, **given):
    """A deep network of a kind, by the start of its name, after so many steps."""
    found = next(each for each in deep_nets.KINDS if each.name.startswith(kind))
    net = deep_nets.DeepNet(found, deep_nets.Settings(**given))
    for _ in range(steps):
        net.step()
    return net


ADAM = {"optimizer": "Adam", "lr": deep_nets.RATES["Adam"]}


@pytest.mark.long
def test_the_first_layers_stand_still_and_what_wakes_the_small_relu_network():
    sigmoid, small = trained("sigmoid", 1000), trained("relu with N", 1000)
    assert [net.state for net in (sigmoid, small)] == ["stands still"] * 2
    moved = sigmoid.moved()
    assert (moved[-1], moved[0]) == (pytest.approx(0.0277, rel=0.05), pytest.approx(2.3e-6, rel=0.2))
    assert moved[1:] == sorted(moved[1:]) or moved[-1] == max(moved)
    assert small.moved()[0] == 0 and all(1e-20 < size < 1e-17 for size in small.gradients())
    LESSON.says("by 0.0277 of its size, the first by 0.0000023", "relu × 0.01, whose gradients all begin below 1e-18")
    assert max(trained("relu with N", 0).gradients()) < 1e-18
    far, near = (trained("relu with N", steps, layer_norm=True, lr=lr) for steps, lr in ((200, 0.1), (1000, 0.0003)))
    assert far.loss == pytest.approx(math.log(2), abs=0.01) and far.moved()[0] > 1 and far.right < 95 <= near.right
    assert far.first[0] > 0.01
    LESSON.says("gives that network gradients: at a rate of 0.0003 it learns")
    rows = 7 + 3 * np.random.RandomState(0).randn(5, 16)
    out = deep_nets.normalised(autograd.tensor.Tensor(rows)).data
    assert out.mean(axis=1) == pytest.approx(0, abs=1e-12) and (out**2).mean(axis=1) == pytest.approx(1, rel=1e-3)
    LESSON.says("brings each layer's sums back to mean 0 and size 1")


@pytest.mark.long
@pytest.mark.parametrize(
    "kind, given, steps, right, state, said",
    [
        ("sigmoid", ADAM, 1000, (88, 92), "levelled off", "takes the sigmoid network to about 90 of 100 points"),
        ("relu with N", ADAM, 200, (50, 50), "stands still", "it adds 1e-8, in which gradients below 1e-18 drown."),
        ("sigmoid", {"layer_norm": True}, 200, (0, 94), "stands still", "The sigmoid's first layer hardly moves."),
    ],
)
def test_what_adam_and_layer_normalisation_change(kind, given, steps, right, state, said):
    """That the other three learn, tests/figures/labs/test_deep_training_lab.py says."""
    net = trained(kind, steps, **given)
    assert right[0] <= net.right <= right[1] and net.state == state
    assert given is ADAM or net.moved()[0] < 1e-3 < net.moved()[-1]
    LESSON.says(said)


def test_adams_eps_swallows_the_small_relu_networks_gradients():
    moved = []
    for eps in (1e-8, 1e-30):
        net = trained("relu with N", 0, **ADAM)
        assert net.optimizer.eps == 1e-8 and 1e-20 < net.gradients()[0] < 1e-18
        net.optimizer.eps = eps
        for _ in range(100):
            net.step()
        moved.append(net.moved()[0])
    assert moved[0] < 1e-9 and moved[1] > 1


@pytest.mark.parametrize("n", [16, 64])
def test_the_spreads_of_xavier_and_of_pytorchs_linear(n):
    """PyTorch draws from ±1/√n; that of Glorot and Bengio, ±√(6 / (n + m)), is 1/√n where n inputs meet n units."""
    bound = INITIALISATIONS["xavier"].scale(n, n)
    assert bound / math.sqrt(3) == pytest.approx(math.sqrt(2 / (n + n))) == pytest.approx(1 / math.sqrt(n))
    drawn = np.random.RandomState(0).uniform(-1, 1, 100_000) / math.sqrt(n)
    assert drawn.std() == pytest.approx(1 / math.sqrt(3 * n), rel=0.01)
    LESSON.says("takes √(2/(fan-in + fan-out))", "starts with less, 1/√(3n), biases included")


def test_clipping_by_hand_and_in_the_lab():
    u, v = Value(0.0), Value(0.0)
    (3 * u + 4 * v).backward()
    assert autograd.clip_grad_norm([u, v], 1.0) == 5 and (u.grad, v.grad) == pytest.approx((3 / 5, 4 / 5))
    (3 * u + 4 * v).backward(reset="all")
    assert autograd.clip_grad_value([u, v], 1.0) == 2 and (u.grad, v.grad) == (1, 1)
    LESSON.says("the length √(3² + 4²) = 5; for a limit of 1 both are multiplied by 1/5")
    relu, sigmoid = (clip.CASES[case] for case in ("deep relu, explodes", "deep sigmoid, vanishes"))
    clipped, without = clip.train(relu, "by norm", 1.0, 0.1, 11)
    by_value, _ = clip.train(relu, "by value", 1.0, 0.1, 11)
    length = f"{clipped.norms[0]:.0f}"
    assert clipped.end is None
    LESSON.says(f"The first gradient has length {length}", f"{1 / int(length):.4f}, which is 1/{length}")
    LESSON.says(f"overflow at step {without.end}")
    assert clip.turned(by_value, 0) > 45
    for way in ("by norm", "by value"):
        run, _ = clip.train(sigmoid, way, 1.0, 0.1, 11)
        assert not any(run.changed)
    assert np.abs(run.gradients).max() < 1 and run.first.max() < 1e-6
    LESSON.says("0 % is clipped, and the first layer's gradients stay below 1e-06")


def test_an_error_that_is_clipped_has_no_gradient_and_one_within_the_limit_has():
    for at, slope in ((5.0, 0.0), (0.5, 1.0)):
        error = Value(at, label="error")
        clipped = 1 - (1 - error).relu()
        assert check.predict(clipped**2, error=slope) and clipped.data == min(at, 1)
    LESSON.says("0. Above 1 the clipped error is always 1")


def test_one_matrix_fifty_times():
    W = np.array([[1, 0.1], [0.1, 1]])
    np.testing.assert_allclose(W @ [[1, 1], [1, -1]], [[1.1, 0.9], [1.1, -0.9]])
    assert max(np.linalg.eigvals(W)) == pytest.approx(1.1)
    grown, shrunk = LESSON["fifty_steps"] @ [1, 1], LESSON["fifty_steps"] @ [1, -1]
    assert grown == pytest.approx([1.1**50] * 2) and shrunk == pytest.approx([0.9**50, -(0.9**50)])
    LESSON.says(f"1.1⁵⁰ = {1.1**50:.0f}, and 0.9⁵⁰ = {0.9**50:.3f}")


def test_residual_layers():
    given = {"activation": "relu", "init": "he", "depth": 30, "residual": True}
    means = []
    for name, scale in (("1", 1.0), ("1/√L", 30**-0.5), ("1/√(2L)", 60**-0.5), ("1/L", 1 / 30)):
        means.append(deep.of_seeds(**given, residual_scale=scale)[1])
        said = slide(**given, residual_scale=name).say
        assert show(means[-1]) in said and ("arrives" in said or name == "1")
    assert means[0] == pytest.approx(5e5, rel=0.02)
    LESSON.says("half a million times as large")
    LESSON.says("{:.1f} with 1/√L, {:.1f} with 1/√(2L), {:.2f} with 1/L".format(*means[1:]))
    step, linear = means[0] ** (1 / 29), 2**0.5
    LESSON.says(f"{step:.2f} times a step", f"{linear:.2f} times a step, and {round(linear**29, -3):,.0f} in 29 steps")
    ratio = deep_pass("linear", residual=True, depth=30, width=64, batch=64).ratio
    assert ratio == pytest.approx(2 ** (29 / 2), rel=0.2)

    def ratios(activation, init, seeds, **given):
        return mean(deep_pass(activation, init, residual=True, seed=seed, **given).ratio for seed in range(seeds))

    for scale in (0.1, 0.3, 1.0):
        found = ratios("linear", "xavier", 5, residual_scale=scale, depth=12, width=64)
        assert found == pytest.approx((1 + scale**2) ** (11 / 2), rel=0.15)


def test_hes_spread_on_tanh_and_the_quizs_numbers():
    said = check.hold_the_range(lambda fan_in: math.sqrt(2 / fan_in)).text()
    assert said.startswith("✓") and "to 4.12 times" in said
    assert "sigmoid-vanishing" in [each.get("asks") for each in QUESTIONS.values()]
    assert QUESTIONS["10-product-of-gains"]["number"]["answer"] == (3 * 0.5) ** 4
    assert QUESTIONS["10-wider-layer"]["number"]["answer"] == math.sqrt(100 / 400) * 0.1
    small = deep_pass("tanh", lambda rng, n: 0.05 * rng.standard_normal((n, n)), width=400, depth=4, batch=4)
    one, five = (deep_pass("tanh", gain=gain) for gain in (1, 5))
    assert small.weights_gain.mean() == pytest.approx(1, rel=0.1)
    assert one.weights_gain.mean() < five.weights_gain.mean()
    assert one.activation_gain.mean() > five.activation_gain.mean()
