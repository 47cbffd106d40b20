"""The check of `momentum_step`: parameters, velocities and gradients over three steps at a time."""

import random

import numpy as np

from autograd.tensor import Tensor
from exercises.judging.vocabulary import NUMPY, function_exercise, make_result, trying
from exercises.tasks.shared.batches import an_array, rows_of

SHAPES = (2, 2), (1,), (3,)  # of the parameters w, b and c
MOMENTA = (0.1, 0.9), (0.5, 0.5), (0.2,), (0.1, 0.0)  # the rate, and keep if it is passed


def stretches(seed):
    """Return (shapes, a rate and maybe keep, whether velocities begin as arrays) for each stretch of steps."""
    if not seed:
        return [(SHAPES[: 2 + i % 2], settings, i == 1) for i, settings in enumerate(MOMENTA)]
    luck = random.Random(f"momentum_step {seed}")
    shapes = [tuple(luck.randint(1, 4) for _ in range(luck.randint(0, 2))) for _ in range(luck.randint(3, 5))]
    return [(shapes, (round(luck.uniform(0.01, 2), 5), round(luck.random(), 5)), luck.random() < 0.5) for _ in range(2)]


def momentum_steps(momentum_step, shapes, settings, as_arrays, rng):
    """Yield the tests of three steps of parameters with these shapes."""
    lr, *keep = settings
    names = "wbcde"[: len(shapes)]
    parameters = [Tensor(np.round(2 * rng.standard_normal(shape), 1)) for shape in shapes]
    right = [parameter.data.copy() for parameter in parameters]
    velocities = [np.zeros(shape) if as_arrays else 0.0 for shape in shapes]
    kept = [np.zeros(shape) for shape in shapes]
    for step in range(1, 4):
        grads = [np.asarray(np.round(2 * rng.standard_normal(shape), 1)) for shape in shapes]
        for parameter, grad in zip(parameters, grads):
            parameter.grad = grad.copy()
        given = ", ".join([f"[{', '.join(names)}]", "velocities", str(lr), *map(str, keep)])
        case = f"momentum_step({given})  # step {step}"
        with trying(case), np.errstate(all="ignore"):
            if momentum_step(parameters, velocities, lr, *keep) is NotImplemented:
                raise NotImplementedError
        kept = [(*keep, 0.9)[0] * velocity + grad for velocity, grad in zip(kept, grads)]
        right = [array - lr * velocity for array, velocity in zip(right, kept)]
        rows = []
        for i, (name, p) in enumerate(zip(names, parameters)):
            rows += rows_of(name, right[i], an_array(p.data, f"{name}.data"))
            velocity = an_array(velocities[i], f"velocities[{i}]")
            velocity = np.full(kept[i].shape, velocity) if velocity.ndim == 0 else velocity
            rows += rows_of(f"velocity of {name}", kept[i], velocity)
            rows += rows_of(f"{name}.grad", grads[i], an_array(p.grad, f"{name}.grad"))
        yield make_result(f"After step {step} something is wrong.", *rows, case=case)


@function_exercise(**NUMPY)
def momentum_step(momentum_step, *, seed=0):
    """Check that `momentum_step(parameters, velocities, lr, keep)` moves parameters by velocities and keeps these."""
    rng = np.random.RandomState(random.Random(f"momentum_step {seed}").getrandbits(32))
    for shapes, settings, as_arrays in stretches(seed):
        yield from momentum_steps(momentum_step, shapes, settings, as_arrays, rng)
    return "Right over three steps, with four learning rates: each velocity remembers, and fades."
