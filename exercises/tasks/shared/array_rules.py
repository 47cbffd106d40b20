"""Rules of arrays, row by row, for several checks."""

import numpy as np

from exercises.tasks.shared.arrays import Rule, drawn, tenths, wide


def rules(function, shapes, first, right, says, seed, luck_shapes):
    """Return Rules for a VJP of two arrays of one shape, the first of which `first(rng, shape)` makes.

    right(one, upstream): the gradient, from an independent oracle.
    """
    rng, made = np.random.RandomState(15), []
    if seed:
        luck, rng = drawn(function, seed)
        shapes = [(luck.randint(1, 6), luck.randint(2, 7)) for _ in range(luck_shapes)]
    for shape in shapes:
        name, one = first(rng, shape)
        upstream = (wide if seed else tenths)(rng, *one.shape)
        arguments, sentence = {name: one, "upstream": upstream}, says.format(shape=one.shape)
        made.append(Rule(function, arguments, {"the gradient": right(one, upstream)}, sentence))
    return made
