"""The check of `three_tests`: how many wrong engines on arrays they catch, and what hides the others from them."""

import collections

import numpy as np

from autograd import tensor, topological_order
from exercises.engines.wrong_tensors import WRONG_TENSORS, TensorEngine
from exercises.judging.array_tests import Arrays
from exercises.judging.kills import caught
from exercises.judging.matrices import engine_in
from exercises.judging.vocabulary import NUMPY, exercise, holding, trying

MOST = 3
OF_RULES = dict.fromkeys(("TM1", "TM2", "TM3", "TM4"), "@") | {"TM7": "sum", "TM8": "[]", "TM10": "sum"}
OF_RULES |= {"TM11": "softmax"}  # wrong engines whose mistake is in the rule of one operation


@exercise(compares=False, **NUMPY)
def three_tests(three_tests):
    """`three_tests` are at most three tests (f, shapes) that catch all twelve wrong engines on arrays."""
    return (yield from caught(three_tests, MOST, len(WRONG_TENSORS), blind_spots, Arrays))


class Traced(TensorEngine):
    """The right engine, whose nodes record what was summed and which rows were taken."""

    def sum(self, axis=None, keepdims=False):
        out = super().sum(axis, keepdims)
        out.is_along, out.is_first = axis is not None and not keepdims, axis in (0, -self.data.ndim)
        return out

    def __getitem__(self, rows):
        out = super().__getitem__(rows)
        taken = np.arange(len(self.data))[rows].ravel()
        out.is_repeated = len(set(taken.tolist())) < taken.size
        return out


def traced(tests):
    """Return the nodes of all tests' graphs on the right engine, inputs first, with the upstream of each."""
    found = []
    for f, shapes in tests:
        with trying("a test"), engine_in(f, Traced, "Tensor", tensor):
            root = f(*map(Traced, Arrays().inputs(shapes, "a test")))
            order = topological_order(root)
            root.grad = np.ones(root.shape)
            for node in reversed(order):
                node.upstream = node.grad.copy()
                node._backward()
        found += order
    return found


def all_ones(nodes):
    """Return whether there are such nodes, and each got an upstream of ones."""
    return bool(nodes) and all((each.upstream == 1).all() for each in nodes)


def blind_spots(tests, away):
    """Name what lets these wrong engines (ids) get away from all of these tests, the most important first."""
    nodes = [each for each in traced(tests) if each._prev]
    of = {op: [each for each in nodes if each._op == op] for op in ("@", "sum", "[]", "softmax")}
    folded = [[each.shape != input.shape for input in each._prev] for each in nodes if each._op in ("+", "-", "*", "/")]
    left, right = (any(pair[i] for pair in folded) for i in (0, 1))
    along = [each for each in of["sum"] if each.is_along]
    uses = collections.Counter(id(input) for each in nodes for input in each._prev)
    kept = [(each, input) for each in nodes if each._op == "+" for input in each._prev if input.shape == each.shape]
    met = any(uses[id(input)] > 1 for _, input in kept)
    of_rows = [each for each in of["softmax"] if each.shape[-1] > 1]  # one number in a row shows nothing
    summed = any((np.ptp(each.upstream, axis=-1) == 0).all() for each in of_rows)
    spots = {
        "an operation that no test uses": any(not of[OF_RULES[id]] for id in away & OF_RULES.keys()),
        "nothing is broadcast": away & {"TM5", "TM6"} and not left and not right,
        "upstream is all ones": ("TM3" in away and all_ones(of["@"]))
        or ("TM7" in away and all_ones([each for each in along if not each.is_first])),
        "sizes of 1": away & {"TM1", "TM2", "TM4", "TM5", "TM6", "TM10"}
        and any(1 in each.shape for each in nodes for each in each._prev),
        "only the right operand is broadcast": "TM12" in away and right and not left,
        "no sum along axis 1": "TM7" in away and of["sum"] and all(each.is_first for each in along),
        "no row is taken twice": "TM8" in away and of["[]"] and not any(each.is_repeated for each in of["[]"]),
        "a .softmax() that is summed up at once": "TM11" in away and summed,
        "nothing meets its input again": "TM9" in away and not met,
    }
    return holding(spots)
