"""The check of `mlp`: networks of several depths, tested level by level."""

import itertools
import random

from exercises.judging.vocabulary import exercise
from exercises.tasks.shared.layers import NETWORK, needs_class
from exercises.tasks.shared.layers_tried import neurons_answer, right, tests_of

LAYER_FIRST = (
    "Called one by one, its layers do not return what their neurons return. This check supplies a correct `Layer`, "
    "unless your cell defines one."
)


NETWORKS = (
    *((2, [4, 1]), (3, [2, 5, 2]), (4, [3]), (2, [1, 2])),
    *((1, [3, 2]), (3, [2, 2, 2, 1]), (2, [2, 1, 2, 2, 2, 1]), (1, [1, 1]), (3, [3, 3])),
)


@exercise
def mlp(MLP, *, seed):
    """`MLP(n, sizes)` is a chain of layers, each of which reads the outputs of the one before."""
    needs_class(MLP, "MLP")
    rng, networks = random.Random(seed), NETWORKS
    if seed:
        depths = rng.sample(range(1, 6), 4)
        networks = [(rng.randint(1, 5), [rng.randint(1, 4) for _ in range(depth)]) for depth in depths]
        networks.append((11 + seed % 5, [2, 11 + seed % 4, 1]))
    yield from tests_of(MLP, NETWORK, networks, layers_answer, seed)
    return f"Right for {len(NETWORKS)} networks. MLP(2, [4, 4, 1]) has 37 parameters, and each gets its gradient."


def layers_answer(tried):
    """Raise AnswerError unless each layer but the last, and each of its neurons, is right when called by itself."""
    neurons_answer(tried, tried.made.layers[:-1])
    for layer, neurons, shape in zip(tried.made.layers[:-1], tried.layers, tried.shape):
        right(layer, itertools.chain(*neurons), (shape,), tried, LAYER_FIRST)
