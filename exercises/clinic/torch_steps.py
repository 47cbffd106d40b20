"""The readings of a PyTorch model that compare two changes of the loss, or two gradients."""

import itertools
import math

from exercises.clinic.numbers import rounded
from exercises.clinic.readings import dial
from exercises.clinic.torch_detached import held_back

SHARE = 1e-3  # of the loss: the aim of a small step, small for the loss and large for rounding
CHECKED = 40  # the most parameters whose gradients are checked


def small_step(bench):
    """Read the change of the loss in a small step of the optimizer's own kind, divided by what the slope promises.

    The step is the optimizer's own without weight decay, shortened; what it leaves out would move by its rate. The
    change is half the difference between a step forward and a step back, so that the loss's curvature does not matter.
    """
    before = bench.gradient()
    gradients = bench.gradients()
    if not bench.size():
        return "The gradient is 0: there is nothing to divide by.", {"ratio": math.nan, "none": True}
    if bench.random or bench.coarse:
        return f"Left out, because the loss is {'random' if bench.random else 'in 16 bits'}.", None
    if bench.steps_alone:
        moves, kind = bench.moves(weight_decay=0.0), f"a step of {type(bench.optimizer).__name__}, shortened"
    else:
        moves, kind = {p: -gradient for p, gradient in gradients.items()}, "a plain step"
    moves = {p: move for p, move in moves.items() if float(move.abs().sum()) > 0}
    squares = {p: float((g**2).sum()) for p, g in gradients.items()}
    with_gradient = [p for p in gradients if p in moves and squares[p]]
    groups = bench.optimizer.param_groups if bench.steps_alone and with_gradient else ()
    idle = {p for group in groups if group["lr"] == 0 for p in group["params"]}
    rates = [float(moves[p].norm()) / math.sqrt(squares[p]) for p in with_gradient]
    rate = sorted(rates)[len(rates) // 2] if rates else 1.0
    promise = -sum(abs(float((gradients[p] * moves[p]).sum())) for p in with_gradient)
    promise -= rate * sum(square for p, square in squares.items() if p not in moves and p not in idle)
    if not math.isfinite(promise) or promise == 0 or not math.isfinite(before):
        return "There is no number to divide by.", {"ratio": math.nan, "none": False}
    ratios = []
    for part in (1, 0.1, 0.01):
        share, both = part * SHARE * max(abs(before), SHARE) / -promise, []
        for way in (share, -share):
            with bench.moved_by(moves, way):
                both.append(bench.loss_value())
        change = (both[0] - both[1]) / 2
        ratios.append(change / (share * promise))
        if near(ratios[-1], 1.0) or (len(ratios) > 1 and near(*ratios[-2:])):
            break
    says = f"The loss changed by {rounded(change)} in {kind}; the slope promises {rounded(share * promise)}. "
    says, found = f"{says}Ratio: {rounded(ratios[-1])}.", {"ratio": ratios[-1], "none": False}
    if all(map(math.isfinite, ratios)) and not near(ratios[-1], 1.0) and not near(*ratios[-2:]):
        said = ", ".join(map(rounded, ratios))
        return f"{says} With steps ten times as short each, it is {said}: the loss bends here, or is rounded.", None
    return judged(bench, says, found, ratios[-1] > 0.05 and not near(ratios[-1], 1.0))


def near(ratio, other):
    """Return whether two ratios are the same, as far as single precision can tell."""
    return abs(ratio - other) < 0.05 * max(1.0, abs(other))


def judged(bench, says, found, apart):
    """Return an instrument's result; no numbers for its dial if they are apart because a gradient is held back."""
    held = held_back(bench) if apart else ""
    return (f"{says} {held}", None) if held else (says, found)


@dial("ratio", "1")
def ratio(found):
    share = found["ratio"]
    if found["none"] or not math.isfinite(share):
        return "no gradient" if found["none"] else "no number"
    for word, at in (("1", 1.0), ("-1", -1.0), ("0", 0.0)):
        if abs(share - at) < 0.05:
            return word
    return "between 0 and 1" if 0 < share < 1 else "above 1" if share > 1 else "below 0"


def check(bench):
    """Compare the slope along each parameter's gradient with nudges of it: the nearest of three, for losses with kinks.

    All is done a little away from the model's own parameters, because a relu with a bias of 0 is at its kink.
    """
    before = bench.loss_value()
    if bench.random or bench.coarse or not math.isfinite(before):
        why = "random" if bench.random else "in 16 bits" if bench.coarse else "no number"
        return f"Left out, because the loss is {why}.", None
    bench.seeded()
    aside = {p: bench.torch.randn_like(p) * (0.05 * p.detach().abs().mean() + 5e-3) for p in bench.parameters()}
    with bench.moved_by(aside, 1.0):
        found = nudged(bench)
    if found is None:
        return "There is no gradient to check.", None
    worst, where, count = found
    says = f"Of {count} slopes, the largest difference from nudging is {100 * worst:.2g} % ({where})."
    return judged(bench, says, {"error": worst}, worst >= 0.08)


def nudged(bench):
    """Return (the largest error relative to its slope, its parameter, the number of slopes); None without slopes."""
    before = bench.gradient()
    gradients = bench.gradients()
    slopes = {p: float(g.norm()) for p, g in gradients.items()}
    largest = max(slopes.values(), default=0.0)
    tried = sorted((p for p in slopes if slopes[p] > 0.02 * largest), key=slopes.get, reverse=True)[:CHECKED]
    errors = []
    for p in tried:
        found, direction = [], gradients[p] / slopes[p]
        for share in (SHARE / 10, SHARE, SHARE / 100):
            way, both = share * max(abs(before), SHARE) / slopes[p], []
            for nudge in (way, -way):
                with bench.moved_by({p: direction}, nudge):
                    both.append(bench.loss_value())
            found.append((both[0] - both[1]) / (2 * way) / slopes[p])
            if abs(found[-1] - 1) < 0.03:
                break
        error = min(abs(each - 1) for each in found)
        agree = min((abs(a - b) for a, b in itertools.combinations(found, 2)), default=0.0)
        short = way < 0.1 * float(p.detach().norm())  # else it is no nudge; if they differ, a kink or rounding is near
        if error < 0.03 or (short and agree < error / 2) or not math.isfinite(error):
            errors.append((error, bench.names.get(id(p), "of the loss"), len(tried)))
    return max(errors, default=None)


@dial("gradients", "right")
def agreement(found):
    """Return whether they are those of the loss, as far as single precision can tell."""
    return "right" if found["error"] < 0.08 else "wrong"


def kept(bench):
    """Compare the gradient after the fourth pass with the optimizer's zero_grad with a fresh one."""
    if bench.optimizer is None:
        return "It is the optimizer that sets gradients to 0, and none was given.", None
    bench.gradient()
    fresh = bench.size()
    bench.clear()
    for _ in range(4):
        bench.optimizer.zero_grad()
        found = bench.loss()
        if found.requires_grad:
            found.backward()
    held = bench.size()
    share = held / fresh if fresh else math.nan if held else 0.0
    says = f"Kept {rounded(held)}, fresh {rounded(fresh)}: {rounded(share)}."
    return says, {"ratio": share}
