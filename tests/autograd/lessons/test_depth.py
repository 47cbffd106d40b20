"""`deep_pass` against the scalar engine, its gains and its table; segments that run again, to the last bit."""

import math
import random
import tracemalloc
import warnings
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from autograd import Value
from autograd.lessons.depth import TWELVE_LAYERS, deep_pass, drawn, norm
from autograd.lessons.recompute import backward, cut, deep_network, dense, held, output
from autograd.tensor import Tensor
from autograd.training.nn import ACTIVATIONS, INITIALISATIONS
from tests.approved_calls import check_approved_calls

# |∂L/∂z_1| / |∂L/∂z_12| over 10 seeds: orders of magnitude, or the range that they span.
EXPECTED = {
    ("sigmoid", "xavier", 1.0, False): (1e-7, 1e-7),
    ("sigmoid", "normal", 1.0, False): (1e-2, 1e-2),
    ("tanh", "xavier", 1.0, False): (0.2, 0.2),
    ("tanh", "normal", 1.0, False): (2e2, 2e2),
    ("relu", "normal", 0.01, False): (1e-16, 1e-15),
    ("relu", "xavier", 1.0, False): (0.02, 0.02),
    ("relu", "he", 1.0, False): (0.5, 2.5),
    ("relu", "normal", 1.0, False): (1e6, 1e6),
    ("relu", "he", 1.0, True): (1e2, 1e2),
}


def test_gradient_ratios_of_nine_twelve_layer_networks():
    """The ratio first / last of one sample, as the geometric mean of ten seeds, is within a factor of 3 of its target.

    The ratios of relu scale with the weights: eleven layers give g¹¹.
    """
    table = {}
    for activation, init, gain, residual in TWELVE_LAYERS:
        passes = [deep_pass(activation, init, gain=gain, residual=residual, batch=1, seed=seed) for seed in range(10)]
        table[activation, init, gain, residual] = float(np.exp(np.mean([np.log(one.ratio) for one in passes])))
    assert list(table) == list(EXPECTED)
    for network, (low, high) in EXPECTED.items():
        assert low / 3 <= table[network] <= high * 3, network
    he, normal, small = (table["relu", *rest, False] for rest in (("he", 1.0), ("normal", 1.0), ("normal", 0.01)))
    assert normal == pytest.approx(4**11 * he, rel=1e-9)  # √(2/32) = ¼
    assert small == pytest.approx(0.01**11 * normal, rel=1e-9)


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("init", INITIALISATIONS)
def test_layer_gains_multiply_to_the_gradient_ratio(activation, init, residual):
    """|∂L/∂z_{l-1}| / |∂L/∂z_l| = weights' gain of l × activation's gain of l - 1, and so for all layers at once."""
    found = deep_pass(activation, init, residual=residual, residual_scale=0.7, depth=8, width=10, batch=6, seed=3)
    product = found.weights_gain[1:] * found.activation_gain[:-1]
    np.testing.assert_allclose(found.gradient_norms[:-1] / found.gradient_norms[1:], product, rtol=1e-12)
    assert found.ratio == pytest.approx(np.prod(product), rel=1e-11)


def test_deep_pass_arrays_have_expected_shapes_and_seed():
    found, again, other = (deep_pass("tanh", "xavier", depth=5, width=7, batch=3, seed=seed) for seed in (4, 4, 5))
    assert (found.gradients == again.gradients).all() and (found.gradients != other.gradients).any()
    for name, shape in {
        **dict.fromkeys(("pre_activations", "activations", "gradients"), (5, 3, 7)),
        "weight_gradients": (5, 7, 7),
        **dict.fromkeys(("gradient_norms", "weights_gain", "activation_gain", "dead"), (5,)),
    }.items():
        assert getattr(found, name).shape == shape, name
    np.testing.assert_allclose(found.activations, np.tanh(found.pre_activations), rtol=1e-14)
    np.testing.assert_allclose(found.gradient_norms, np.sqrt((found.gradients**2).mean(axis=(1, 2))), rtol=1e-13)
    with pytest.raises(FrozenInstanceError):
        found.dead = None


@pytest.mark.parametrize(("residual", "scale"), [(False, 1.0), (True, 1.0), (True, 0.5)])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("init", ["xavier", "uniform"])
def test_deep_pass_gradients_match_the_scalar_engine(activation, init, residual, scale):
    """The same network on Values has its numbers drawn again in the order in which deep_pass draws them."""
    depth, width, batch = 3, 3, 2
    shape = {"depth": depth, "width": width, "batch": batch}
    found = deep_pass(activation, init, gain=0.8, residual=residual, residual_scale=scale, seed=6, **shape)
    rng = np.random.RandomState(6)
    hs = [[Value(x) for x in row] for row in rng.standard_normal((batch, width))]
    weights, zs = [], []
    for _ in range(depth):
        weights.append([[Value(w) for w in row] for row in 0.8 * drawn(INITIALISATIONS[init], rng, width)])
        biases = rng.uniform(-1, 1, width) if init == "uniform" else np.zeros(width)
        zs.append([[dot(h, [row[j] for row in weights[-1]]) + biases[j] for j in range(width)] for h in hs])
        activated = [[z if activation == "linear" else getattr(z, activation)() for z in row] for row in zs[-1]]
        hs = [[h + scale * a for h, a in zip(*rows)] for rows in zip(hs, activated)] if residual else activated
    v = rng.standard_normal(width)
    loss = sum((dot(h, [Value(x) for x in v]) for h in hs), Value(0))
    loss.backward()
    for name, nodes, expected in (
        ("data", zs, found.pre_activations),
        ("grad", zs, found.gradients),
        ("grad", weights, found.weight_gradients),
    ):
        numbers = [[[getattr(node, name) for node in row] for row in layer] for layer in nodes]
        np.testing.assert_allclose(expected, numbers, rtol=1e-12, atol=1e-13)
    assert found.gradients.any() and found.weight_gradients.any()


def dot(xs, ys):
    return sum((x * y for x, y in zip(xs, ys, strict=True)), Value(0))


@pytest.mark.parametrize("init", INITIALISATIONS)
def test_deep_pass_initialisations_match_nn(init):
    """The same names, and the same spread: the standard deviation of 40,000 draws to 2 %, and the largest of them."""
    rng, n = random.Random(0), 200
    scalar = np.array([INITIALISATIONS[init](rng, n, n) for _ in range(n * n)])
    array = drawn(INITIALISATIONS[init], np.random.RandomState(0), n)
    assert array.shape == (n, n)
    assert array.std() == pytest.approx(scalar.std(), rel=0.02)
    if init not in ("normal", "he"):  # evenly drawn: the largest is the limit
        assert np.abs(array).max() == pytest.approx(np.abs(scalar).max(), rel=0.001)


def test_dead_relu_units_are_counted():
    """A relu unit is dead if no sample of the batch gets through; this counts the same from pre-activations."""
    found = deep_pass("relu", "he", depth=12, width=64, batch=16)
    assert found.dead.tolist() == [(layer <= 0).all(axis=0).mean() for layer in found.pre_activations]
    assert 0 < found.dead[-1] < 1
    unit = (found.pre_activations[-1] <= 0).all(axis=0)
    assert not found.gradients[-1][:, unit].any() and not found.weight_gradients[-1][:, unit].any()
    for activation in ("linear", "tanh", "sigmoid", "leaky_relu"):
        assert not deep_pass(activation, "he", depth=12, width=64, batch=16).dead.any()


def test_vanished_gradients_give_nan_without_warnings():
    """With all weights 0, nothing arrives below the last layer, and there the gain is nan. No warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = deep_pass("relu", lambda rng, n: np.zeros((n, n)), depth=3, width=4, batch=2)
        assert math.isnan(found.ratio)
    assert found.gradient_norms.tolist() == [0.0, 0.0, 0.0] and found.dead.tolist() == [1.0, 1.0, 1.0]
    assert np.isnan(found.weights_gain).all()


def test_gains_of_orthogonal_and_sigmoid_layers():
    """Orthogonal matrices keep the length of every gradient; so does no activation. A sigmoid's slope is at most ¼."""
    found = deep_pass("linear", lambda rng, n: np.linalg.qr(rng.standard_normal((n, n)))[0], depth=30, width=16)
    np.testing.assert_allclose(found.weights_gain, 1, rtol=1e-12)
    assert found.ratio == pytest.approx(1, rel=1e-12) and (found.activation_gain == 1).all()
    assert (deep_pass("sigmoid", "xavier").activation_gain < 0.25).all()


def test_norm_survives_overflow_and_underflow():
    assert norm(np.array([3e200, -4e200])) == pytest.approx(math.sqrt(12.5) * 1e200)
    assert norm(np.array([3e-200, -4e-200])) == pytest.approx(math.sqrt(12.5) * 1e-200)
    assert norm(np.zeros(3)) == 0 and norm(np.array([1.0, -math.inf])) == math.inf
    assert math.isnan(norm(np.array([1.0, math.nan])))


def test_depth_messages():
    check_approved_calls("depth_sentences", deep_pass=deep_pass)


KEPT = 6  # arrays of its size that a layer of tanh keeps, forward and back


@pytest.mark.parametrize("every", [1, 2, 3, 5, 8, 11, 12, 40, None])
def test_checkpointed_gradients_match_one_graph_bit_for_bit(every):
    results = []
    for whole in (True, False):
        stack, parameters, inputs = deep_network(12, 8, 5)
        for _ in range(2):  # gradients add up in the parameters
            if whole:
                start = h = Tensor(inputs)
                for layer in stack:
                    h = layer(h)
                loss = (h * h).mean()
                loss.backward()
                loss, upstream = float(loss), start.grad
            else:
                loss, upstream = backward(stack, inputs, lambda h: (h * h).mean(), every)
        results.append((loss, upstream.tobytes(), [parameter.grad.tobytes() for parameter in parameters]))
    assert results[0] == results[1]


def test_checkpointing_reruns_all_but_the_last_segment():
    runs = []
    stack, _, inputs = deep_network(10, 3, 2)
    counted = [lambda h, layer=layer, i=i: (runs.append(i), layer(h))[1] for i, layer in enumerate(stack)]
    backward(counted, inputs, Tensor.mean, 4)
    assert runs == [*range(10), 4, 5, 6, 7, 0, 1, 2, 3]


def test_checkpointing_needs_at_least_one_layer():
    for every in (0, -1, 1.5, "2"):
        with pytest.raises(ValueError, match=r"^every is a whole number of at least 1, got"):
            cut(range(4), every)
    with pytest.raises(ValueError, match=r"^a network has at least one layer, got none\.$"):
        backward([], np.ones((1, 1)), Tensor.mean)


def test_layer_retains_six_arrays_of_its_size():
    """Forward @, +, tanh and its slopes; backward the gradients at tanh and at +, which @ shares. And a copy of W."""
    stack, _, inputs = deep_network(2, 8, 5)
    one, two = Tensor(inputs), Tensor(inputs)
    one, two = stack[0](one), stack[1](stack[0](two))
    weights = 8 * 8 * 8
    assert held(two) - held(one) == 4 * inputs.nbytes + weights
    for end in (one, two):
        end.mean().backward()
    assert held(two) - held(one) == KEPT * inputs.nbytes + weights
    assert held(two, leaves=True) > held(two)


def allocated(run):
    """Return a call's result, and the bytes that Python's allocator holds after it and at its peak."""
    tracemalloc.start()
    try:
        return run(), *tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


def test_held_matches_memory_python_allocates():
    layer, start = dense(Tensor(np.ones((64, 64))), Tensor(np.zeros(64))), Tensor(np.ones((256, 64)))
    end, found, _ = allocated(lambda: layer(start))
    assert held(end) <= found < 1.02 * held(end)


def test_peak_memory_matches_the_formula():
    """N/s + 6·s, and a few arrays more: for 64 layers least at √(64/6) = 3.3, not at √64 = 8."""
    stack, _, inputs = deep_network(64, 16, 256)
    found = {}
    for every in (1, 2, 3, 4, 8, 16, 64):
        found[every] = allocated(lambda every=every: backward(stack, inputs, Tensor.mean, every))[2] / inputs.nbytes
    for every, arrays in found.items():
        formula = 64 / every + KEPT * every
        assert formula - 1 < arrays < 1.15 * formula + 6
    assert min(found, key=found.get) == 3
    assert found[4] < found[2] < found[8] < found[1] < found[16] < found[64] and found[64] > 8 * found[4]


def test_checkpointed_output_matches_the_network():
    stack, _, inputs = deep_network(3, 4, 2)
    assert (output(inputs, stack) == stack[2](stack[1](stack[0](Tensor(inputs)))).data).all()
