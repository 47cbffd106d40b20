"""Why is this gradient exactly 0? Its counts are what the engine and the microscope's network give."""

import math
import random

import numpy as np
import pytest

import autograd
from tests.notebooks import Lesson

WORKSHOP = Lesson("why_is_this_gradient_zero", with_solutions=True)


def test_zero_gradients_and_a_nan():
    a, b, c = autograd.Value(0.4), autograd.Value(-0.7), autograd.Value(0.2)
    loss = (3.0 * a + (2.0 * b).relu() - 1) ** 2
    loss.backward()
    reached = autograd.topological_order(loss)
    assert (b.grad, c.grad) == (0, 0) and a.grad != 0 and [p in reached for p in (b, c)] == [True, False]
    b.relu().sqrt().backward(reset="all")
    assert math.isnan(b.grad)
    WORKSHOP.shows("(['b', 'c'], ['c'])", "('w3', 0.0)", "(12, 3)")


def test_shared_neuron_takes_sixteen_times_the_step():
    neurons, steps = WORKSHOP["layer"].neurons, []
    for count in (4, 1):
        neuron = autograd.Neuron(2, rng=random.Random(8))
        assert neuron.bias.data == neurons[0].bias.data and len(set(neurons)) == 1
        sum(neuron([1.0, 2.0]) for _ in range(count)).backward()
        before = neuron.bias.data
        autograd.SGD(neuron.parameters() * count, lr=0.1).step()
        steps.append(before - neuron.bias.data)
    assert steps[0] == pytest.approx(16 * steps[1])


def test_dead_networks_and_closed_units():
    WORKSHOP.shows("{'seed 0': 37, 'seed 2': 13, 'seed 3': 25}", "(21, 21, 14)", "losses 0.5 0.5")
    WORKSHOP.says("21 of 40 are dead, from the start to the end. 14 solve it")
    shut = (WORKSHOP["deep"].pre_activations <= 0).all(axis=1)
    assert (shut.size, shut.sum(), shut[0].sum(), shut[-1].sum()) == (384, 49, 0, 16)
    alike = [WORKSHOP["likeness"](layer) for layer in WORKSHOP["deep"].activations]
    WORKSHOP.says(f"it is {alike[0]:.2f}, because", f"After twelve layers it is {alike[-1]:.2f}")
    assert WORKSHOP["likeness"](np.array([[1.0, 0.0], [0.0, 2.0]])) == 0
    assert autograd.Value(-2.0).leaky_relu()._local == (0.01,)
