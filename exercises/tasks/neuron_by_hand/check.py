"""The check of `neuron_by_hand`: six numbers at x = 2, w = 0.5, b = 0.3 and target 5; the last is for b = -1.3."""

import functools
from collections.abc import Mapping

from autograd.dual import forward_gradient
from exercises.judging.vocabulary import AnswerError, answer, equal_results, exercise, in_turn, make_result, still_to

SHUT = "w.grad if b = -1.3"
PARTS = ("z", "output", "loss", "w.grad", "b.grad", SHUT)


def neuron(w, b):
    """Return the loss (relu(w·x + b) - y)² of the neuron at x = 2 and y = 5, on dual numbers."""
    return ((w * 2.0 + b).relu() - 5.0) ** 2


def number_test(part, number, expected, because=()):
    """Yield the test of one of the six numbers; nothing if it has not been found yet."""
    if number is None or number is ...:
        return
    got = answer(number, part, came="it is")
    is_right = equal_results(got, expected)
    if not is_right and abs(got - expected) < 0.02:
        because = "a little off"
    bias = "-1.3" if part == SHUT else "0.3"
    case = f"z = w·x + b and L = (relu(z) - 5)², at x = 2, w = 0.5, b = {bias}"
    rows = (part, "a different number", got, is_right), ("what can be seen", "", f"{because}", True)
    yield make_result(f"{part} is wrong.", *rows, case=case, because=because)


@exercise
def neuron_by_hand(by_hand):
    """Find the six numbers of a neuron by hand, in a dict that may be filled in part.

    Only the first wrong one is shown: those after it follow from it.
    """
    if not isinstance(by_hand, Mapping) or not set(PARTS) <= set(by_hand):
        raise AnswerError("Tested: the six numbers.", f"A dict with the keys {', '.join(PARTS)} was expected.")
    z, grads, shut = 0.5 * 2 + 0.3, forward_gradient(neuron, [0.5, 0.3]), forward_gradient(neuron, [0.5, -1.3])
    right = dict(zip(PARTS, (z, max(z, 0.0), (max(z, 0.0) - 5.0) ** 2, *grads, shut[0])))
    both = [by_hand["b.grad"], by_hand["w.grad"]]
    because = {"w.grad": "the two gradients are swapped"} if both == grads else {}
    parts = {
        name: (number_test(name, by_hand[name], number, because.get(name, ())), number_test(name, number, number))
        for name, number in right.items()
    }
    yield from in_turn(parts, functools.partial(still_to, "find"))
    return (
        "w's gradient is twice b's, because w's input is 2 and b's is 1. Behind a closed relu it is 0, at a loss of 25."
    )
