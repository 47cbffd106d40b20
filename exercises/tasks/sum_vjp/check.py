"""The check of `sum_vjp`: for each number the gradient of its sum, found one by one."""

import functools

import numpy as np

from exercises.judging.vocabulary import function_exercise
from exercises.tasks.shared.arrays import Rule, drawn, sizes, tenths, wide

SUMS = (  # (the shape of x, axis, keepdims)
    *(((2, 3), 0, False), ((2, 3), 1, False), ((2, 3), None, False), ((3, 3), 1, False), ((2, 3), 1, True)),
    *(((2, 3), 0, True), ((2, 3), None, True), ((2, 3, 4), 1, False), ((2, 3), -1, False), ((4,), 0, False)),
    *(((4,), None, False), ((1, 3), 0, False), ((2, 3, 4), 2, False), ((2, 3, 4), 0, False), ((3, 3, 3), -2, False)),
    *(((2, 3, 4), -1, True),),
)


def spread(x, upstream, axis, keepdims):
    """Return each number's gradient: that of the sum that it goes into, found one by one."""
    places = np.arange(upstream.size).reshape(upstream.shape)
    gradient = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        one = np.zeros(x.shape)
        one[place] = 1.0
        gradient[place] = upstream.ravel()[places[one.sum(axis=axis, keepdims=keepdims) > 0]].item()
    return gradient


def reduced(luck):
    """Draw (the shape of x, axis, keepdims)."""
    shape = sizes(luck, luck.randint(1, 4))
    return shape, luck.choice((None, *range(-len(shape), len(shape)))), luck.random() < 0.4


@functools.lru_cache(2)
def summed(seed):
    """Return the Rules for sum_vjp."""
    rng, made, sums, numbers = np.random.RandomState(13), [], SUMS, tenths
    if seed:
        luck, rng = drawn("sum_vjp", seed)
        sums, numbers = [reduced(luck) for _ in range(12)], wide
    for shape, axis, keepdims in sums:
        x = tenths(rng, *shape)
        x.flat[0] = 0.0  # a rule that divides by it fails
        upstream = numbers(rng, *np.shape(x.sum(axis=axis, keepdims=keepdims)))
        arguments = {"x": x, "upstream": np.asarray(upstream)}
        arguments |= {"axis": axis} if axis is not None or keepdims else {}
        arguments |= {"keepdims": keepdims} if keepdims else {}
        says = f"x has shape {shape}; axis={axis}, keepdims={keepdims}: upstream has shape {upstream.shape}."
        made.append(Rule("sum_vjp", arguments, {"the gradient": spread(x, upstream, axis, keepdims)}, says))
    return made


@function_exercise
def sum_vjp(sum_vjp, *, seed=0):
    """`sum_vjp(x, upstream, axis, keepdims)` gives each number the gradient of the sum that it went into."""
    for rule in summed(seed):
        yield rule.test(sum_vjp)
    return f"Right for {len(summed(seed))} sums: along each axis, over all, with and without keepdims."
