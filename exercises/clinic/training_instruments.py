"""The instruments that train or take a step: overfitting eight rows, a small step, a gradient check."""

import math

import numpy as np

from exercises.clinic.numbers import rounded, size
from exercises.clinic.readings import dial

SMALL_RATE = 1e-4  # of the small step: so short that the loss is linear along it
NUDGE = 1e-5  # of the gradient check
BY_HEART, ROWS = 1000, 8  # steps, and rows to learn


def by_heart(run):
    """Train on eight rows alone; return the losses, and the targets' variance if they are numbers."""
    x, y = (each[:ROWS] for each in run.first_batch())
    losses = []
    for _ in range(BY_HEART):
        losses.append(run.step(x, y))
        if not math.isfinite(losses[-1]):
            break
        yield
    return {"losses": losses, "variance": None if run.program.CLASSES else float(y.var())}


@dial("eight rows", "learned")
def memory(found):
    last, first = found["losses"][-1], found["losses"][0]
    if not last < max(1e3, 10 * first):
        return "lost"
    return "learned" if last < 0.05 else "in part" if last < 0.45 else "stuck"


def by_heart_says(found):
    spread = f" Their variance is {rounded(found['variance'])}." if found["variance"] is not None else ""
    return f"Loss on {ROWS} rows after {len(found['losses']):,} steps: {rounded(found['losses'][-1])}.{spread}"


def small_step(run):
    """Return the loss's change by one step at a rate of 1e-4, divided by -rate · ‖g‖², g the gradient of all layers.

    The step is the program's own, shortened; its rate is the median of |move| : |gradient| over all that moves.
    """
    x, y = run.first_batch()
    run.clear()
    old = [p.data.copy() for p in run.parameters]
    before = float(run.pass_back(x, y).data)
    start, slopes = [p.data.copy() for p in run.parameters], run.gradients()
    run.program.update(run.layers, run.optimizer)
    moves = [p.data - here for p, here in zip(run.parameters, start)]
    yield
    rates = np.concatenate([np.abs(m[(m != 0) & (g != 0)] / g[(m != 0) & (g != 0)]) for m, g in zip(moves, slopes)])
    shorter = SMALL_RATE / np.median(rates) if rates.size else 0.0
    for p, here, move in zip(run.parameters, old, moves):
        p.data = here + shorter * move
    change = float(run.program.loss(run.layers, x, y).data) - before
    expected = -SMALL_RATE * size(*slopes) ** 2
    return {"change": change, "expected": expected, "ratio": change / expected if expected else math.nan}


@dial("ratio", "1")
def ratio(found):
    share = found["ratio"]
    if math.isnan(share):
        return "no gradient" if found["expected"] == 0 else "no number"
    for word, at in (("1", 1.0), ("-1", -1.0), ("0", 0.0)):
        if abs(share - at) < 0.03:
            return word
    return "between 0 and 1" if 0 < share < 1 else "above 1" if share > 1 else "below 0"


def small_step_says(found):
    if found["expected"] == 0:
        return "The gradient is 0: there is nothing to divide by."
    share = "1.000" if abs(found["ratio"] - 1) <= 0.0005 else rounded(found["ratio"])
    return (
        f"The loss changed by {rounded(found['change'])}; -rate · ‖g‖² is {rounded(found['expected'])}. Ratio: {share}."
    )


def check(run):
    """Compare the gradients of one loss, after `zero`, with nudges of the weights: the largest ones and some others."""
    x, y = (each[:20] for each in run.first_batch())
    old, rng = [p.data.copy() for p in run.parameters], np.random.RandomState(0)
    run.clear()
    run.pass_back(x, y)
    error = largest = 0.0
    for p, data in zip(run.parameters, old):
        p.data = data  # zero may have changed it
    for p, gradient in zip(run.parameters, run.gradients()):
        flat = gradient.ravel()
        for place in {*np.argsort(-np.abs(flat))[:3].tolist(), *rng.randint(flat.size, size=3).tolist()}:
            index = np.unravel_index(place, p.data.shape)
            here, both = p.data[index], []
            for nudge in (NUDGE, -NUDGE):
                p.data[index] = here + nudge
                both.append(float(run.program.loss(run.layers, x, y).data))
            p.data[index] = here
            slope = (both[0] - both[1]) / (2 * NUDGE)
            error, largest = max(error, abs(slope - flat[place])), max(largest, abs(slope))
        yield
    return {"error": error, "largest": largest}


@dial("gradients", "right")
def agreement(found):
    """Return whether they agree, to a hundred-thousandth of the largest slope."""
    return "right" if found["error"] <= 1e-5 * max(found["largest"], 1e-3) else "wrong"


def check_says(found):
    return f"Largest difference {rounded(found['error'])}, with slopes of up to {rounded(found['largest'])}."
