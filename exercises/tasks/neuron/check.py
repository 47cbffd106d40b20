"""The check of `neuron`: neurons of several sizes, tested level by level, and how their first numbers are drawn."""

import itertools
import math
import random

from exercises.judging.vocabulary import exercise, holding, make_result
from exercises.tasks.shared.layers import NEURON, needs_class
from exercises.tasks.shared.layers_tried import Tried, tests_of

MANY = 40  # neurons, to see how they are drawn
DRAWN = "between -1 and 1"


@exercise
def neuron(Neuron, *, seed):
    """`Neuron(n)` is tanh of a weighted sum of n inputs, with random parameters that get their gradients."""
    needs_class(Neuron, "Neuron")
    drawn = *random.Random(seed).sample((2, 3, 1, 4, 5, 6, 7, 8), 4), 11 + seed % 5
    sizes = drawn if seed else (2, 3, 1, 4, 2, 5, 8)
    yield from tests_of(Neuron, NEURON, [(n,) for n in sizes], seed=seed)
    yield draws([Tried(Neuron, NEURON, 3).leaves for _ in range(MANY)])
    return f"Right for {len(sizes)} neurons with 1 to 8 inputs; every parameter and every input gets its gradient."


def draws(neurons):
    """Return the TestResult of the numbers with which neurons of three weights begin."""
    drawn, biases = [[p.data for p in leaves[:-1]] for leaves in neurons], [leaves[-1].data for leaves in neurons]
    weights = list(itertools.chain(*drawn))
    different, taken = len(set(weights)), taken_from(drawn, biases)
    rows = [
        ("all weights lie", DRAWN, spread(weights)),
        ("different numbers among them", str(len(weights)), str(different), lambda got: 2 * int(got) > len(weights)),
        ("neurons with different weights", str(len(neurons)), str(len({tuple(one) for one in drawn}))),
        ("neurons whose weights differ", str(len(neurons)), str(sum(len(set(one)) > 1 for one in drawn))),
        ("all biases lie", DRAWN, spread(biases)),
        ("different biases", str(len(biases)), str(len(set(biases))), lambda got: 2 * int(got) > len(biases)),
        ("biases that are a weight's number", "0", str(taken), lambda got: 2 * int(got) < len(biases)),
        ("Values", str(4 * MANY), str(len({id(p) for leaves in neurons for p in leaves}))),
    ]
    return make_result(
        "The neurons' starting numbers are not drawn evenly from -1 to 1.",
        *rows,
        case=f"[Neuron(3) for _ in range({MANY})]",
        because=because_drawn(weights, biases, drawn),
    )


def spread(numbers):
    """Say in words where random numbers lie."""
    low, high = min(numbers), max(numbers)
    lies = f"between {low:.3g} and {high:.3g}"
    if low >= -1 and high <= 1:
        return DRAWN if low < -0.4 and high > 0.4 else f"only {lies}"
    return lies


def few(numbers):
    """Return whether at most half of the numbers are different."""
    return len(set(numbers)) <= len(numbers) / 2


def taken_from(drawn, biases):
    """Count the biases that are, but for the sign, the number of a weight of the same neuron."""
    return sum(abs(bias) in map(abs, weights) for weights, bias in zip(drawn, biases))


def because_drawn(weights, biases, drawn):
    """Name the mistake that the weights show. drawn: those of each neuron."""
    facts = {
        "all weights equal": all(len(set(one)) == 1 for one in drawn),
        "each neuron the same": all(one == drawn[0] for one in drawn),
        "too far from 0": not all(-1 <= w <= 1 for w in weights),
        "whole numbers": all(w == int(w) for w in weights if math.isfinite(w)),
        "never negative": min(weights) >= 0,
        "all close to 0": max(map(abs, weights)) < 0.4,
        "the bias not drawn": len(set(biases)) == 1,
        "the bias is taken from a weight": taken_from(drawn, biases) == len(biases),
        "the bias is drawn differently": spread(weights) == DRAWN and (spread(biases) != DRAWN or few(biases)),
    }
    return holding(facts)[:1]
