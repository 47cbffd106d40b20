"""The dial that shows whether a PyTorch model can overfit eight rows, by its own optimizer's steps or by Adam's."""

import math

from exercises.clinic.numbers import rounded
from exercises.clinic.readings import dial
from exercises.clinic.torch_harness import each_tensor, select_rows
from exercises.clinic.torch_loss import floor, guessing, tensor_scores
from exercises.clinic.training_instruments import BY_HEART, ROWS

FAR = 40  # from the scores to the targets: usual steps take long to cover more


def by_heart(bench):
    """Return (sentence, numbers) of overfitting eight rows by the optimizer's own steps; then, if need be, by Adam's.

    The numbers are None if they allow no verdict.
    """
    if not bench.learnable:
        return "No parameter can learn.", None
    bench.at_rest()
    x, y = select_rows(bench.x, slice(ROWS)), select_rows(bench.y, slice(ROWS))
    try:
        first, least = bench.loss_value(x, y), floor(bench, x, y)
    except Exception:
        bench.loss_value()  # raises, if the number of rows is not to blame
        return "Some rows of a batch cannot be taken without the others.", None
    known, far, guess = least is not None, distance(bench, x, y), guessing(bench)
    guess, least = guess and abs(guess[0]), least if known else 0.0
    count = len(each_tensor(x)[0])
    if known and guess and first < 0.1 * guess and first - least < 0.05 * guess and (guess - least) > 0.1 * guess:
        says = f"Loss on {count} rows: {rounded(first)}: it has memorised them already."
        return says, {"first": first, "floor": least, "lasts": [least], "own": bench.steps_alone, "beaten": True}
    goal = least + 0.05 * (min(first, max(guess, least)) - least if guess and first > 3 * guess else abs(first - least))
    begun = {p: p.detach().clone() for p in bench.parameters()}
    own = type(bench.optimizer).__name__ if bench.steps_alone else None
    runs = []
    for name, steps in ((own, BY_HEART * 3 // 10), ("Adam", BY_HEART // 2)):
        if name is None or (runs and (runs[0][1] <= goal or not known)):
            continue
        with bench.torch.no_grad():
            for p, data in begun.items():
                p.copy_(data)
        if name is own and not runs:
            bench.begin_steps()
        runs.append(
            (name, *learned_by(bench, x, y, bench if name is own and not runs else make_adam(bench), steps, goal))
        )
    last = runs[-1][1]
    says = f"Loss on {count} rows: {rounded(first)}"
    says += "".join(f", {rounded(last)} after {steps} steps of {name}" for name, last, steps in runs)
    says += f"; the loss's own floor there is {rounded(least)}." if least > 0.05 * abs(first) else "."
    if last > first - 0.65 * (first - least):  # most of it is left: is that all one can tell from single letters?
        alone = floor(bench, x, y, by_place=True)
        if alone is not None and last <= alone + 0.1 * (first - alone):
            least, says = alone, f"{says} From each letter alone the best possible is {rounded(alone)}."
    found = {"first": first, "floor": least, "lasts": [last for _, last, _ in runs], "own": own is not None}
    found["beaten"] = known and own is not None and bool(guess) and runs[0][1] <= least + 0.1 * abs(guess - least)
    if bench.beside or far > FAR or not known:
        if bench.beside:
            says += " How low it can go depends on the loss's own floor."
        elif far > FAR:
            far = rounded(far)
            says += f" The targets are up to {far} away from where the scores start: scaled, they take fewer steps."
        if memory.word(found) in ("in part", "stuck", "most of it") or not (known or first > 0):
            return says, None  # it would take long, or nobody knows how low this loss can be
    return says, found


def distance(bench, x, y):
    """Return the largest distance between targets and scores; 0.0 if they are not numbers of the same kind."""
    z = tensor_scores(bench, x)
    if z is None or not hasattr(y, "is_floating_point") or not y.is_floating_point() or y.numel() != z.numel():
        return 0.0
    return float((z.flatten() - y.flatten()).abs().max().nan_to_num())


def learned_by(bench, x, y, optimizer, steps, goal):
    taken, found = 0, bench.gradient(x, y)
    while taken < steps and goal < found < math.inf:
        optimizer.step()
        taken, found = taken + 1, bench.gradient(x, y)
    return found, taken


def make_adam(bench):
    """Return Adam for all parameters that can learn, at its own rate; it takes sparse gradients as well."""
    adam = bench.torch.optim.Adam([p for p in bench.parameters() if p.requires_grad], lr=5e-3)

    class Plain:
        def step(self):
            for p in bench.parameters():
                if p.grad is not None and p.grad.is_sparse:
                    p.grad = p.grad.to_dense()
            adam.step()

    return Plain()


@dial("eight rows", "learned", noticed=("most of it", "learned by other steps", "as far as it can"))
def memory(found):
    first, least, lasts = found["first"], found["floor"], found["lasts"]
    room = first - least
    if not math.isfinite(room) or (room > 0 and not any(last < first + 10 * room for last in lasts)):
        return "lost"
    if room < 1e-3 * max(1.0, abs(first)) or 0 < room < 0.2 * least:
        return "learned"  # there is little to learn, or only scores that no model gives would do it
    shares = [(last - least) / room if math.isfinite(last) else math.inf for last in lasts]
    if found["own"] and shares[0] > 10:
        return "lost"
    if shares[0] < 0.1:
        return "learned"
    if min(shares) < 0.1:
        return "not by such small steps" if 0.99 < shares[0] < 1 else "learned by other steps"
    if min(shares) < 0.35:
        return "most of it"
    if min(shares) >= 0.5:
        return "stuck"
    alike = found["own"] and len(shares) > 1 and max(shares) - min(shares) < 0.05
    return "as far as it can" if alike else "in part"  # both optimizers end alike: a small model can do no more


@dial("eight rows by its own steps", "better", "no better")
def beaten(found):
    """Return whether the optimizer's own steps bring them far below guessing; other dials judge what that means."""
    return "better" if found["beaten"] else "no better"
