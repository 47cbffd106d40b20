"""The cost of each safety of `Tensor`, from a step of W3 without it: `python -m benchmarks.safeties`.

Rounds are interleaved in one process, and times are processor times; a figure is a median of ratios within a round.
"""

import statistics
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import numpy as np

from autograd.arrays import validation as tensor_validation
from autograd.tensor import Tensor
from benchmarks import peers, tasks, worker
from benchmarks.report import table

ROUNDS = 41
LOUD = {name: op.__wrapped__ for name, op in vars(Tensor).items() if hasattr(op, "__wrapped__")}

SAFETIES = {  # what is taken out, and what replaces it
    "NumPy's warnings are silenced around each op": lambda: [patch.object(Tensor, n, op) for n, op in LOUD.items()],
    "an op keeps copies of leaves, which training changes in place": lambda: [
        patch.object(Tensor, "_kept", lambda self: self.data)
    ],
    "shapes that do not fit get a sentence": lambda: [patch.object(tensor_validation, "fit", lambda *shapes: None)],
    "targets are checked": lambda: [patch.object(tensor_validation, "targets", lambda loss, t, *rest, **more: t)],
}


@contextmanager
def without(*safeties):
    """Take some safeties out of Tensors."""
    with ExitStack() as stack:
        for safety in safeties:
            for change in SAFETIES[safety]():
                stack.enter_context(change)
        yield


def seconds(engine, job):
    """Return the seconds of one step."""
    return worker.timed(engine, job)["seconds"]["step"]


def main():
    """Measure and print."""
    job = {"task": tasks.moons(), "block": 0.02}
    by_hand, tensors = peers.load("NumPy by hand"), peers.load("Tensor")
    cases = {"all safeties": (), **{f"without: {safety}": (safety,) for safety in SAFETIES}, "without any": SAFETIES}
    ratios = {name: [] for name in cases}
    for _ in range(ROUNDS):
        plain = seconds(by_hand, job)
        for name, safeties in cases.items():
            with without(*safeties), np.errstate(all="ignore"):
                ratios[name].append(seconds(tensors, job) / plain)
    rows = [[name, f"{statistics.median(each):.2f}"] for name, each in ratios.items()]
    print(table(["Tensor, a step of W3", "times NumPy by hand"], rows))


if __name__ == "__main__":
    main()
