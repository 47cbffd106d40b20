"""The check of `clip`: gradients above and below a limit, and the length that is returned."""

import functools
import math
import random
import string

from autograd import Value
from autograd.errors.messages import show
from exercises.judging.vocabulary import equal_results, function_exercise, make_result, to_plain_data, trying

GRADS = (  # (the gradients, the limit)
    *(((3.0, 4.0), 1.0), ((3.0, 4.0), 10.0), ((-6.0, 2.0, 3.0), 3.5), ((0.0, 0.0), 1.0), ((2e-3, -1e-3, 2e-3), 1e-3)),
    *(((0.5,), 0.25), ((5.0, -12.0), 13.0), ((0.3, 0.3, -0.3, 0.3, 0.3), 0.4), ((900.0, 0.0, 1200.0), 1.0)),
    *(((0.6, -0.8), 1.01), ((0.6, -0.8), 0.99), ((3, 4), 2), ((0.1, -0.2, 0.2, 0.0, 1e-3), 0.5)),
)
SMALL = 1e-6  # what PyTorch adds to the length, so that it never divides by 0


def gradients(seed):
    """Return (gradients, limit) of each test; with a seed, random ones, also just above and below the limit."""
    rng, made = random.Random(seed), []
    for share in (0.995, 0.5, 1.005, 4, 50) if seed else ():
        grads = tuple(round(rng.uniform(-9, 9), 3) for _ in range(rng.randint(2, 12)))
        made.append((grads, math.hypot(*grads) / share))
    return made or GRADS


def within(now, grad, limit, length):
    """Return whether a gradient was scaled as it should be, also with a small number added to the length."""
    most = 1.0 if length <= limit else limit / length
    least = min(1.0, limit / (length + SMALL)) * (1 - 1e-9)
    if not isinstance(now, float) or equal_results(now, grad * most):
        return isinstance(now, float)
    return grad != 0 and least <= now / grad <= most


@function_exercise
def clip(clip, *, seed):
    """Check that `clip(parameters, limit)` scales all gradients by one factor if their length is above the limit."""
    tests = gradients(seed)
    for grads, limit in tests:
        leaves, names = [Value(1.5 + i) for i in range(len(grads))], string.ascii_lowercase[: len(grads)]
        for leaf, grad in zip(leaves, grads):
            leaf.grad = grad
        length = math.hypot(*grads)
        case = "; ".join(f"{name}.grad = {grad:g}" for name, grad in zip(names, grads))
        case = f"{case}\nclip([{', '.join(names)}], {limit:g})"
        with trying(case.replace("\n", "; ")):
            found = clip(leaves, limit)
        got = "nothing" if found is None or found is ... else to_plain_data(found)
        rows = []
        for name, grad, leaf in zip(names, grads, leaves):
            now = to_plain_data(getattr(leaf, "grad", None))
            wanted = grad * limit / length if length > limit else grad
            will_do = functools.partial(within, grad=grad, limit=limit, length=length)
            rows.append((f"{name}.grad", wanted, now, will_do))
        rows += [
            (f"{name}.data", 1.5 + i, to_plain_data(leaf.data)) for i, (name, leaf) in enumerate(zip(names, leaves))
        ]
        says = f"The length of the gradient is {show(length)}, and the limit is {limit:g}."
        yield make_result(says, *rows, ("returned", length, got), case=case)
    return f"Right for {len(tests)} gradients: one factor for all, so the direction is unchanged."
