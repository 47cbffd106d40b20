"""The check of `by_heart`: the rows and the loss of each step of a made-up training; and two programs."""

import functools
import math
import random

import numpy as np

from exercises.clinic.patients import patient
from exercises.judging.vocabulary import NUMPY, called, equal_results, function_exercise, make_result
from exercises.tasks.fit.check import text_of


class Steps:
    """A step of training that notes its arguments. Its loss falls, jumps and pauses, and depends on the rows."""

    LEAPS = (0.0, -9.0, 0.4, 0.4, 1.3)  # added to a falling loss: it is 0 or less at times, the last is not the least

    def __init__(self):
        self.given = []

    def __call__(self, x, labels):
        x, labels = np.asarray(x, float), np.asarray(labels, float)
        self.given.append((x[:, 0].tolist() if x.ndim == 2 else [], labels.ravel().tolist()))
        count = len(self.given)
        if count % 5 == 2 or count % 10 == 8:  # 7 and 8 are equal, so that stopping at no change is wrong
            return 0.0
        return float(0.99**count + 1.0 + self.LEAPS[count % 5] + 0.001 * x.sum() + 0.01 * labels.sum())


def by_heart_test(by_heart, n, *settings):
    """Yield the tests of steps on the first rows of n."""
    rows, steps = settings or (8, 1000)
    x, labels = np.arange(2.0 * n).reshape(n, 2) + 0.25, (7 * np.arange(n)) % 10
    case, step = f"by_heart({', '.join(['step', 'x', 'labels', *map(str, settings)])})  # {n} rows", Steps()
    got = called(by_heart, step, x.copy(), labels.copy(), *settings, what=case)
    right = Steps()
    for _ in range(steps):
        last = right(x[:rows], labels[:rows])
    same = all(given == right.given[0] for given in step.given)
    first = step.given[0] if step.given else ([], [])
    odd = next((given for given in step.given if given != right.given[0]), first)
    yield make_result("The number of steps is wrong.", ("steps", str(steps), str(len(step.given))), case=case)
    yield make_result(
        "Each step should get the same rows: the first ones, with their labels.",
        ("rows of x", text_of(range(rows)), text_of(places(odd[0]))),
        ("labels", text_of(labels[:rows]), text_of(f"{label:g}" for label in odd[1])),
        ("all steps", "the first rows", "the first rows" if same else "different rows", same),
        case=case,
        because=cut_so(step.given, got, x, labels, rows) if len(step.given) == steps else (),
    )
    yield make_result("That is not the loss of the last step.", ("loss", last, got), case=case)


def is_below(loss, learned):
    """Return whether a loss is below 0.05 if it was to be learned, and not below otherwise."""
    return (loss < 0.05) == learned


def cut_so(given, got, x, labels, rows):
    """Name the way in which the rows were cut, if every step got them so and the last step's loss came back."""
    ways = {
        "all rows": (x, labels),
        "the labels are not cut": (x[:rows], labels),
        "the rows are not cut": (x, labels[:rows]),
        "the last rows": (x[-rows:], labels[-rows:]),
    }
    for name, (few, theirs) in ways.items():
        step = Steps()
        for _ in given:
            last = step(few, theirs)
        if given == step.given and equal_results(got, last):
            return name
    return ()


def places(numbers):
    """Return which rows begin with these numbers, as text; the number itself if no row does."""
    return [f"{(x - 0.25) / 2:g}" if (x - 0.25) % 2 == 0 else f"{x:g}" for x in numbers]


@function_exercise(**NUMPY)
def by_heart(by_heart, *, seed=0):
    """Check that `by_heart` trains only on a few rows, which a healthy program soon learns."""
    if seed:
        luck = random.Random(f"by_heart {seed}")
        for place, most in enumerate((6, 6, 11, 20), start=1):
            rows = luck.randint(most - 5, most + 5)
            n = rows + (luck.randint(1, 20) if place < 4 else 0)
            yield from by_heart_test(by_heart, n, rows, 5 * luck.randrange(12) + place)
        return ""
    for n, *settings in ((20, 8, 13), (9, 3, 5), (30,)):
        yield from by_heart_test(by_heart, n, *settings)
    for number, learned in (("healthy", True), (8, False)):
        run = patient(number).program.begin()
        case = f"by_heart(step, x, labels, 8, 200)  # {'the healthy program' if learned else f'patient {number}'}"
        got = called(by_heart, run.step, *run.first_batch(), 8, 200, what=case)
        least = "below 0.05" if learned else "above 0.05"
        row = (
            "loss after 200 steps",
            least,
            round(got, 6) if math.isfinite(got) else got,
            functools.partial(is_below, learned=learned),
        )
        yield make_result("A healthy program overfits eight rows, and this patient does not.", row, case=case)
    return "Right on made-up steps. The healthy program overfits its eight rows; a patient does not."
