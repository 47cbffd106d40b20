"""The check of `unbroadcast`: each entry's copies, counted and summed one by one."""

import functools

import numpy as np

from exercises.judging.vocabulary import function_exercise
from exercises.tasks.shared.arrays import Rule, drawn, sizes, tenths, wide

BIAS = np.array([[1.0, 2, 3], [1, 0, -1], [2, 2, 2], [0, 1, 0]])  # the example of the lesson
SHAPES = (  # (the shape of the array, the shape that it was repeated to)
    *(((4, 1), (4, 3)), ((), (4, 3)), ((3, 1), (2, 3, 4)), ((3,), (3, 3)), ((2, 3), (2, 3)), ((1, 3), (4, 3))),
    *(((1, 1), (2, 3)), ((1,), (4,)), ((2, 1, 3), (2, 4, 3)), ((1, 2), (3, 1, 2)), ((3,), (1, 3))),
)
FIVE_AXES = (2, 3, 1, 2, 1), (2, 3, 4, 2, 3)


def repeated(luck):
    """Draw (the shape of an array, the shape that it was repeated to)."""
    large = sizes(luck, luck.randint(1, 4), 2)
    kept = large[luck.randint(0, len(large)) :]
    return tuple(luck.choice((size, 1)) for size in kept), large


@functools.lru_cache(2)
def foldings(seed):
    """Return the Rules for unbroadcast."""
    rng, shapes, first, numbers = np.random.RandomState(11), SHAPES, [(BIAS, (3,))], tenths
    if seed:
        luck, rng = drawn("unbroadcast", seed)
        shapes, first, numbers = [*(repeated(luck) for _ in range(12)), FIVE_AXES], [], wide
    rules = []
    for gradient, shape in [*first, *((np.asarray(numbers(rng, *large)), small) for small, large in shapes)]:
        places = np.broadcast_to(np.arange(int(np.prod(shape))).reshape(shape), gradient.shape)
        right = np.bincount(places.ravel(), gradient.ravel(), int(np.prod(shape))).reshape(shape)
        says = f"An array of shape {shape} was repeated to {gradient.shape}."
        rules.append(Rule("unbroadcast", {"gradient": gradient, "shape": shape}, {"the gradient": right}, says))
    return rules


@function_exercise
def unbroadcast(unbroadcast, *, seed=0):
    """`unbroadcast(gradient, shape)` sums over the axes along which an array of this shape was repeated."""
    for rule in foldings(seed):
        yield rule.test(unbroadcast)
    return f"Right for {len(foldings(seed))} pairs of shapes: what was repeated (broadcast) forward is summed backward."
