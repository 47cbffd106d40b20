"""`TensorMLP` and `Population` compared with their scalar twins: the same draws, steps, training and outcomes."""

import random

import numpy as np
import pytest

from autograd import MLP, Value
from autograd.lessons.population import Population, step, train
from autograd.tensor import Tensor
from autograd.training import losses
from autograd.training.nn import FUNCTIONS, INITIALISATIONS
from autograd.training.tensor_nn import LOSSES, TensorMLP, arrays, binary_cross_entropy
from tests.approved_calls import check_approved_calls

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
TARGETS = np.array([[0.0], [1.0], [1.0], [0.0]])


def outputs_of(mlp, inputs):
    rows = [mlp(list(map(float, row))) for row in inputs]
    return [row if isinstance(row, list) else [row] for row in rows]


def scalar_step(mlp, inputs, targets, lr=0.1, loss="sum_of_squares"):
    """Take one step of gradient descent on Values, with the loss of the same name; return the loss before it."""
    root = getattr(losses, loss)(outputs_of(mlp, inputs), targets.tolist())
    mlp.zero_grad()
    root.backward()
    for parameter in mlp.parameters():
        parameter.data -= lr * parameter.grad
    return root.data


def difference(mlp, other, name="data"):
    """Return the largest difference of two scalar MLPs' numbers, relative if they are above 1."""
    pairs = zip(arrays(mlp, name), arrays(other, name), strict=True)
    return max((np.abs(a - b) / np.maximum(1, np.abs(a))).max() for a, b in pairs)


# One network.


@pytest.mark.parametrize("init", INITIALISATIONS)
def test_tensor_mlp_draws_the_same_numbers_as_mlp(init):
    rngs = random.Random(5), random.Random(5)
    mlp = MLP(3, [4, 2], "relu", "tanh", init, rngs[0], gain=0.7)
    network = TensorMLP(3, [4, 2], "relu", "tanh", init, rngs[1], gain=0.7)
    assert network.activations == ["relu", "tanh"] and network.sizes == [3, 4, 2]
    assert [p.shape for p in network.parameters()] == [(3, 4), (4,), (4, 2), (2,)]
    assert [p.label for p in network.parameters()] == ["W1", "b1", "W2", "b2"]
    for parameter, expected in zip(network.parameters(), arrays(mlp, "data"), strict=True):
        assert (parameter.data == expected).all()
    assert rngs[0].random() == rngs[1].random()


def test_tensor_mlp_converts_to_mlp_and_back():
    mlp = MLP(2, [3, 3, 2], "sigmoid", "leaky_relu", rng=random.Random(1))
    scalar_step(mlp, XOR, np.ones((4, 2)))
    back = TensorMLP.from_mlp(mlp).to_mlp()
    assert repr(back) == repr(mlp) and [p.label for p in back.parameters()] == [p.label for p in mlp.parameters()]
    assert [n.activation for layer in back.layers for n in layer.neurons] == ["sigmoid"] * 6 + ["leaky_relu"] * 2
    for name in ("data", "grad"):
        assert difference(mlp, back, name) == 0
        assert any(array.any() for array in arrays(back, name))
    assert [(p, number) for p in back.parameters() for number in (p.data, p.grad) if type(number) is not float] == []
    network = TensorMLP.from_mlp(mlp)
    scalar_step(mlp, XOR, np.ones((4, 2)))
    assert difference(mlp, network.to_mlp()) > 1e-3


@pytest.mark.parametrize("activation", ["linear", *(name for name in FUNCTIONS if name not in ("log", "sqrt"))])
@pytest.mark.parametrize("loss", ["sum_of_squares", "mean_squares", "half_squares"])
def test_one_step_agrees_with_the_scalar_engine(activation, loss):
    mlp = MLP(3, [5, 4, 2], activation, "linear", "xavier", random.Random(3))
    inputs, targets = np.random.RandomState(0).randn(7, 3), np.random.RandomState(1).randn(7, 2)
    network = TensorMLP.from_mlp(mlp)
    outputs = network(inputs)
    expected = [[value.data for value in row] for row in outputs_of(mlp, inputs)]
    np.testing.assert_allclose(outputs.data, expected, rtol=1e-12, atol=1e-12)
    assert float(step(network, inputs, targets, 0.01, loss)) == pytest.approx(
        scalar_step(mlp, inputs, targets, 0.01, loss), rel=1e-12
    )
    assert difference(mlp, network.to_mlp(), "grad") < 1e-12
    assert difference(mlp, network.to_mlp()) < 1e-12
    assert [p for p in network.parameters() if not p.grad.any()] == []
    network.zero_grad()
    assert [p for p in network.parameters() if not (p.grad.shape == p.shape and not p.grad.any())] == []


def test_binary_cross_entropy_from_logits_matches_the_scalar_loss():
    logits = np.array([[0.0], [2.0], [-3.0], [1000.0], [-1000.0]])
    targets = np.array([[1.0], [0.0], [1.0], [0.0], [1.0]])
    values = [Value(z) for z in logits.ravel()]
    expected = losses.binary_cross_entropy(values, targets.ravel().tolist(), from_logits=True)
    expected.backward()
    tensor = Tensor(logits)
    got = binary_cross_entropy(tensor, targets, from_logits=True)
    got.backward()
    assert float(got) == pytest.approx(expected.data, rel=1e-13)
    np.testing.assert_allclose(tensor.grad.ravel(), [v.grad for v in values], rtol=1e-12, atol=1e-15)
    three = Tensor(logits[:3])
    by_logits = float(binary_cross_entropy(three, targets[:3], True))
    assert float(binary_cross_entropy(three.sigmoid(), targets[:3])) == pytest.approx(by_logits, rel=1e-13)


@pytest.mark.parametrize(
    ("activation", "output", "loss"),
    [
        *((name, "linear", "mean_squares") for name in ("tanh", "sigmoid", "relu", "leaky_relu")),
        *(("tanh", "linear", "hinge"), ("tanh", "sigmoid", "binary_cross_entropy")),
    ],
)
def test_twenty_training_steps_match_the_scalar_engine(activation, output, loss):
    mlp = MLP(2, [16, 16, 1], activation, output, "xavier", random.Random(7))
    points = np.random.RandomState(0).uniform(-1.5, 1.5, (20, 2))
    targets = np.where((points**2).sum(axis=1, keepdims=True) < 1, 1.0, 0.0 if output == "sigmoid" else -1.0)
    network = TensorMLP.from_mlp(mlp)
    got = train(network, points, targets, 20, 0.1, loss)
    expected = [scalar_step(mlp, points, targets, 0.1, loss) for _ in range(20)]
    assert got.shape == (20,) and got[-1] < got[0]
    np.testing.assert_allclose(got, expected, rtol=1e-9)
    assert difference(mlp, network.to_mlp()) < 1e-9


# A population.


def test_population_draws_the_same_numbers_as_its_scalar_twins():
    population = Population([3, 0, 3], 2, [4, 1], "relu", "linear", "he", gain=0.5)
    assert [p.shape for p in population.parameters()] == [(3, 2, 4), (3, 1, 4), (3, 4, 1), (3, 1, 1)]
    for i, seed in enumerate(population.seeds):
        twin = MLP(2, [4, 1], "relu", "linear", "he", random.Random(seed), gain=0.5)
        assert difference(twin, population.to_mlp(i)) == 0
    assert population(XOR).shape == (3, 4, 1)
    assert population.losses(XOR, TARGETS).shape == (3,)


@pytest.mark.parametrize("loss", LOSSES)
def test_population_step_matches_the_scalar_twins(loss):
    targets = 2 * TARGETS - 1 if loss == "hinge" else TARGETS
    population = Population(range(100), 2, [3, 1], "tanh", "sigmoid")
    outputs, losses_before = population(XOR).data, population.losses(XOR, targets, loss)
    assert (population.step(XOR, targets, 0.1, loss) == losses_before).all()
    for i in range(100):
        twin = MLP(2, [3, 1], "tanh", "sigmoid", rng=random.Random(i))
        np.testing.assert_allclose(outputs[i], [[v.data for v in row] for row in outputs_of(twin, XOR)], rtol=1e-12)
        assert losses_before[i] == pytest.approx(scalar_step(twin, XOR, targets, 0.1, loss), rel=1e-12)
        assert difference(twin, population.to_mlp(i), "grad") < 1e-12
        assert difference(twin, population.to_mlp(i)) < 1e-12


def test_networks_in_a_population_are_independent():
    """One with infinite numbers leaves the others' training unchanged, to the last bit."""
    population, alone = Population(range(4), 2, [3, 1]), Population(range(4), 2, [3, 1])
    population.weights[0].data[2] = np.inf
    got, expected = population.train(XOR, TARGETS, 10), train(alone, XOR, TARGETS, 10)
    assert got.shape == (10, 4) and (got[:, [0, 1, 3]] == expected[:, [0, 1, 3]]).all() and np.isnan(got[-1, 2])


def test_divergence_is_silent_and_loss_may_be_a_function(recwarn):
    """A learning rate that is far too high ends in inf and nan, without NumPy's warnings."""
    population = Population(range(10), 2, [4, 1], "relu", "linear")
    history = population.train(XOR, TARGETS, 200, lr=10.0)
    assert not np.isfinite(history[-1]).all() and len(recwarn) == 0
    network, other = (TensorMLP(2, [3, 1], rng=random.Random(0)) for _ in range(2))
    step(network, XOR, TARGETS, loss=lambda outputs, targets: ((outputs - targets) ** 2).sum())
    step(other, XOR, TARGETS, loss="sum_of_squares")
    assert difference(network.to_mlp(), other.to_mlp()) < 1e-15


def odd_layer():
    mlp = MLP(2, [2, 1])
    mlp.layers[0].neurons[0].activation = "relu"
    return mlp


def test_tensor_nn_messages():
    check_approved_calls("tensor_nn_sentences", **globals())
    with pytest.raises(IndexError, match="out of bounds"):
        Population(range(2), 2, [2, 1]).to_mlp(2)
