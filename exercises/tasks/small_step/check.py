"""The check of `small_step`: the step, and its effect compared with what the slope promises."""

import functools
import math
import random

import numpy as np

from exercises.judging.vocabulary import NUMPY, called, function_exercise, make_result
from exercises.tasks.fit.check import Watched, text_of


def small_step_test(small_step, n, rows, lr, moves, count=2, zero=""):
    """Yield the tests of a small step of a Watched model.

    moves: what the program's step does. zero: which loss is 0, "before" or "after" the step; "" for neither.
    """
    model, rates, factors = Watched(n, count), [], (*MOVES[moves], *MOVES[moves])

    def update(rate):
        rates.append(float(rate))
        for p, factor in zip(model.parameters, factors):
            p.data = p.data - factor * rate * p.grad
            if moves == "and clears gradients":
                p.grad = np.zeros(p.data.shape)

    given = ["parameters", "loss_of", "rows", "update", *([] if lr is None else [f"lr={lr}"])]
    case = f"small_step({', '.join(given)})  # rows {text_of(rows)}; update {moves}"
    settings = {} if lr is None else {"lr": lr}
    rate = lr or 1e-4
    before, slopes = model.slopes(rows, parameters := [p.data.copy() for p in model.parameters])
    after, _ = model.slopes(rows, [p - f * rate * g for p, f, g in zip(parameters, factors, slopes)])
    model.shift = {"before": before, "after": after}.get(zero, 0.0)
    right = (after - before) / (-rate * sum(float((slope**2).sum()) for slope in slopes))
    with np.errstate(all="ignore"):
        step = functools.partial(small_step, **settings)
        got = called(step, model.parameters, model, np.array(rows), update, what=case)
    asked = [text_of(order) if isinstance(order, list) else text_of([order]) for order, _ in model.asked]
    other = next((each for each in asked if each != text_of(rows)), text_of(rows))
    made = (
        ("rates of the steps", text_of([rate]), text_of(rates) or "none"),
        ("rows of each loss", text_of(rows), other),
    )
    yield make_result("A step was not made correctly.", *made, case=case)
    is_close = math.isfinite(got) and abs(got - right) <= 1e-5 * max(1.0, abs(right))
    shown = round(got, 6) if math.isfinite(got) else got
    yield make_result("The ratio is wrong.", ("ratio", round(right, 6), shown, is_close), case=case)


MOVES = {  # how many times rate · gradient each parameter goes down
    "as it should": (1.0, 1.0),
    "and clears gradients": (1.0, 1.0),
    "up the slope": (-1.0, -1.0),
    "not at all": (0.0, 0.0),
    "with every other parameter": (1.0, 0.0),
    "at half the rate": (0.5, 0.5),
    "at twice the rate": (2.0, 2.0),
}


@function_exercise(**NUMPY)
def small_step(small_step, *, seed=0):
    """Check that `small_step` divides a step's effect by what its slope promises: 1, -1, 0, or a share."""
    tests = (
        (7, [0, 2, 5], None, "as it should"),
        (8, [1, 3, 4, 6], 0.05, "as it should"),
        (7, [0, 4, 6], 0.001, "and clears gradients"),
        (7, [0, 2, 5], None, "up the slope"),
        (7, [1, 6], 0.001, "not at all"),
        (8, [0, 2, 5], None, "with every other parameter", 4),
        (8, [1, 2, 5, 7], 0.001, "at half the rate", 3),
    )
    for each in drawn_steps(seed) if seed else tests:
        yield from small_step_test(small_step, *each)
    return "Right for seven steps: 1 for a sound one, -1 uphill, 0 if nothing moves, and values in between."


def drawn_steps(seed):
    """Draw small steps for the silent round."""
    luck = random.Random(f"small_step {seed}")
    for zero, moves, count in (("before", "", 2), ("after", "", 3), ("", "", 4), ("", "at twice the rate", 4)):
        n = luck.randint(6, 12)
        rows = sorted(luck.sample(range(n), luck.randint(3, 5)))
        moves = moves or luck.choice(tuple(MOVES))
        yield n, rows, luck.choice((1e-4, 1e-3, 0.01)), moves, count, zero
