"""Segments that run again: the same loss and gradients to the last bit, and the memory that the formula says."""

import tracemalloc

import numpy as np
import pytest

from autograd.lessons.recompute import backward, cut, deep_network, dense, held, output
from autograd.tensor import Tensor

KEPT = 6  # arrays of its size that a layer of tanh keeps, forward and back


@pytest.mark.parametrize("every", [1, 2, 3, 5, 8, 11, 12, 40, None])
def test_loss_and_gradients_are_those_of_one_graph_to_the_last_bit(every):
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


def test_each_layer_but_the_last_segments_runs_twice():
    runs = []
    stack, _, inputs = deep_network(10, 3, 2)
    counted = [lambda h, layer=layer, i=i: (runs.append(i), layer(h))[1] for i, layer in enumerate(stack)]
    backward(counted, inputs, Tensor.mean, 4)
    assert runs == [*range(10), 4, 5, 6, 7, 0, 1, 2, 3]


def test_a_segment_and_a_network_have_at_least_one_layer():
    for every in (0, -1, 1.5, "2"):
        with pytest.raises(ValueError, match=r"^every is a whole number of at least 1, got"):
            cut(range(4), every)
    with pytest.raises(ValueError, match=r"^a network has at least one layer, got none\.$"):
        backward([], np.ones((1, 1)), Tensor.mean)


def test_a_layer_keeps_six_arrays_of_its_size():
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
    """What a call gives, and the bytes that Python's allocator holds after it and at its peak."""
    tracemalloc.start()
    try:
        return run(), *tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


def test_what_a_graph_holds_is_what_python_allocates_for_it():
    layer, start = dense(Tensor(np.ones((64, 64))), Tensor(np.zeros(64))), Tensor(np.ones((256, 64)))
    end, found, _ = allocated(lambda: layer(start))
    assert held(end) <= found < 1.02 * held(end)


def test_the_peak_is_that_of_the_formula_and_least_at_its_minimum():
    """N/s + 6·s, and a few arrays more: of 64 layers least at √(64/6) = 3.3, not at √64 = 8."""
    stack, _, inputs = deep_network(64, 16, 256)
    found = {}
    for every in (1, 2, 3, 4, 8, 16, 64):
        found[every] = allocated(lambda every=every: backward(stack, inputs, Tensor.mean, every))[2] / inputs.nbytes
    for every, arrays in found.items():
        formula = 64 / every + KEPT * every
        assert formula - 1 < arrays < 1.15 * formula + 6
    assert min(found, key=found.get) == 3
    assert found[4] < found[2] < found[8] < found[1] < found[16] < found[64] and found[64] > 8 * found[4]


def test_a_segments_output_is_the_networks():
    stack, _, inputs = deep_network(3, 4, 2)
    assert (output(inputs, stack) == stack[2](stack[1](stack[0](Tensor(inputs)))).data).all()
