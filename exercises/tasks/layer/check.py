"""The check of `layer`: layers of several sizes, tested level by level."""

import random

from exercises.judging.vocabulary import exercise
from exercises.tasks.shared.layers import LAYER, needs_class
from exercises.tasks.shared.layers_tried import neurons_answer, tests_of


@exercise
def layer(Layer, *, seed):
    """`Layer(n, m)` holds m neurons that all read the same n inputs, and answers with a list."""
    needs_class(Layer, "Layer")
    rng, sizes = random.Random(seed), ((2, 3), (3, 2), (2, 1), (1, 4), (4, 2), (1, 1), (3, 3))
    if seed:
        sizes = [*((rng.randint(1, 6), m) for m in rng.sample(range(1, 8), 3)), (2, 11 + seed % 4), (11 + seed % 5, 2)]
    yield from tests_of(Layer, LAYER, sizes, lambda tried: neurons_answer(tried, [tried.made]), seed)
    return f"Right for {len(sizes)} layers. A layer of m neurons that reads n numbers has (n + 1) · m parameters."
