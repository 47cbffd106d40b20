"""Can I do it on paper? Its numbers are what dual numbers and the engine give."""

import pytest

from autograd import MLP, Dual
from autograd.dual import forward_gradient
from tests.notebooks import Lesson

WORKSHOP = Lesson("every_weight_by_hand")


def loss(*numbers):
    """Return the loss of the network of eight weights and two biases."""
    w1, w2, w3, w4, w5, w6, w7, w8, b1, b2 = numbers
    h1, h2 = (w1 * 0.05 + w2 * 0.1 + b1).sigmoid(), (w3 * 0.05 + w4 * 0.1 + b1).sigmoid()
    o1, o2 = (w5 * h1 + w6 * h2 + b2).sigmoid(), (w7 * h1 + w8 * h2 + b2).sigmoid()
    return (o1 + -0.01) ** 2 * 0.5 + (o2 + -0.99) ** 2 * 0.5


def test_eight_weights_match_dual_numbers():
    starts = [*WORKSHOP["numbers"].values()]
    slopes, moved = forward_gradient(loss, starts), [*WORKSHOP["moved"].values()]
    assert [leaf.grad for leaf in WORKSHOP["leaf"].values()] == pytest.approx(slopes, abs=1e-12)
    WORKSHOP.shows("'w1': 0.149780716, 'w2': 0.199561432, 'w3': 0.249751144, 'w4': 0.299502287,")
    WORKSHOP.shows("'w5': 0.35891648, 'w6': 0.408666186, 'w7': 0.51130127, 'w8': 0.561370121")
    ways = starts, [*moved[:8], *starts[8:]], moved
    before, eight, ten = after = [loss(*map(Dual, numbers)).value for numbers in ways]
    WORKSHOP.shows(str(tuple(round(number, 6) for number in after)))
    WORKSHOP.says(f"It falls from {before:.4f} to {eight:.4f} with the eight weights, and to {ten:.4f} with all ten")
    assert (eight - ten) / (before - ten) == pytest.approx(2 / 5, abs=0.03)
    o1, h1, through = WORKSHOP["o1"], WORKSHOP["h1"], (WORKSHOP["through_1"], WORKSHOP["through_2"])
    factors = (o1 - 0.01, o1 * (1 - o1), h1, WORKSHOP["d1"] * h1)
    WORKSHOP.says("{:.4f} · {:.4f} · {:.4f} = {:.4f}".format(*factors), "{:.4f} and {:.4f}".format(*through))
    WORKSHOP.says(f"sum is {sum(through):.4f}", f"slope {h1 * (1 - h1):.4f}", f"it is {slopes[0]:.4f}")
    sizes = [sum(map(abs, slopes[i : i + 4])) for i in (0, 4)]
    assert sizes[1] / sizes[0] == pytest.approx(70, rel=0.1)


def test_node_counts_of_weighted_sums_and_two_calls():
    WORKSHOP.shows("(26, 9)")
    WORKSHOP.says("26 nodes. The 9 parameters are in both graphs; the other 17, which include the two inputs, are new")
    assert [len(MLP(2, sizes).parameters()) for sizes in ([4, 1], [4, 4, 1], [2, 1])] == [17, 37, 9]
