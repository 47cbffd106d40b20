"""The check of `cross_entropy`: losses and gradients of batches, also at right and at badly wrong outputs."""

import functools
import math
import random
from dataclasses import dataclass

from autograd import Value
from autograd.dual import forward_gradient
from exercises.judging.vocabulary import (
    AnswerError,
    called,
    equal_results,
    function_exercise,
    kind,
    make_result,
    number_of,
    short,
    trying,
)
from exercises.tasks.train.check import watched

KEPT = "the numbers passed in, afterwards"


@dataclass(frozen=True)
class Batch:
    """Outputs and targets of a cross-entropy.

    ps: the outputs; or, if `bent`, numbers whose sigmoids the outputs are. at: which of them each row has.
    """

    ps: tuple
    ts: tuple
    at: tuple = ()
    bent: bool = False

    def outputs(self, leaves):
        """Compute the output of each row from these leaves: floats, dual numbers or Values."""
        outputs = [sigmoid(leaf) if self.bent else leaf for leaf in leaves]
        return [outputs[i] for i in self.at or range(len(self.ts))]

    @functools.cached_property
    def right(self):
        """The right (loss, gradients)."""
        slopes = forward_gradient(lambda *ps: mean_log(self.outputs(ps), self.ts), list(self.ps))
        return mean_log(self.outputs(self.ps), self.ts), slopes

    def to_source(self):
        """Return the batch as lines of Python."""
        names = [f"x{k}" for k in range(1, len(self.ps) + 1)]
        made = ", ".join(f"Value({p})" for p in self.ps)
        outputs = [names[i] + ".sigmoid()" * self.bent for i in self.at or range(len(names))]
        return f"{', '.join(names)} = {made}\ncross_entropy([{', '.join(outputs)}], {list(self.ts)})"

    def tried(self, function):
        """Return ([(loss, right loss)], a sentence, rows) of a learner's function."""
        leaves = [Value(p, label=f"x{k}") for k, p in enumerate(self.ps, start=1)]
        what = "; ".join(self.to_source().splitlines()) if len(leaves) < 5 else f"a batch of {len(leaves)} rows"
        loss = called(function, self.outputs(leaves), list(self.ts), what=what, returns=object)
        if not isinstance(loss, Value):
            came = f"{kind(loss)}, {short(loss)}" if isinstance(loss, int | float) else kind(loss)
            said = f"A Value was expected, so that gradients can flow back; it returned {came}."
            raise AnswerError(f"Tested: {what}.", said)
        with trying(what):
            loss.backward()
        pair = (number_of(loss, "data", what), self.right[0])
        rows = [("loss", *pair[::-1]), (KEPT, list(self.ps), [number_of(leaf, "data", what) for leaf in leaves])]
        rows += [(f"{x.label}.grad", a, number_of(x, "grad", what)) for a, x in zip(self.right[1], leaves)]
        return (
            [pair],
            "The loss is right, but something else is wrong." if equal_results(*pair) else "The loss is wrong.",
            rows,
        )


# Outputs that are exactly right; and one that gives the right answer almost no probability.
EXACT = Batch((1.0, 0.5), (1, 0)), Batch((0.25, 0.0), (1, 0)), Batch((1, 0, 0.5), (1, 0, 1))
BAD = Batch((1e-9, 0.5), (1, 1))


def sigmoid(z):
    """Return the sigmoid of a float, a dual number or a Value."""
    return z.sigmoid() if hasattr(z, "sigmoid") else 1 / (1 + math.exp(-z))


def mean_log(ps, ts):
    """Return the mean of -log of the probability given to the right answer: of floats, or of dual numbers."""
    given = [p if t else 1 - p for p, t in zip(ps, ts)]
    return -sum(p.log() if hasattr(p, "log") else math.log(p) for p in given) / len(ts)


@functools.cache
def batches(seed=9, count=20):
    """Return batches of one to twelve rows."""
    rng, made = random.Random(seed), [Batch((0.9, 0.2, 0.7), (1, 0, 1)), Batch((0.8,), (1,)), Batch((0.8,), (0,))]
    made.append(Batch((0.5, 0.5, 0.5), (1, 0, 0)))
    while len(made) < count:
        n = 12 if len(made) == 10 else rng.randint(2, 5)
        ps, ts = [round(rng.uniform(0.03, 0.97), 2) for _ in range(n)], [rng.choice((0, 1)) for _ in range(n)]
        if len(set(ts)) == 2:
            made.append(Batch(tuple(ps), tuple(ts)))
    twice = [Batch((0.3,), (1, 0, 1), at=(0, 0, 0)), Batch((0.7, 0.2), (0, 1, 1), at=(1, 0, 1))]
    return (*made, *twice, Batch((-1.5, 0.25, 2.0), (1, 0, 1), bent=True), made[0], made[1])


@function_exercise
def cross_entropy(cross_entropy, *, seed):
    """`cross_entropy(outputs, targets)` is the binary cross-entropy of Values, at right extremes too."""
    yield from watched(cross_entropy, batches(seed or 9), visible)
    for batch in EXACT:
        loss = batch.tried(cross_entropy)[0][0][0]
        yield make_result(
            "An output that is exactly right costs 0.", ("loss", batch.right[0], loss), case=batch.to_source()
        )
    _, _, rows = BAD.tried(cross_entropy)
    rows = [(what, a, b, what == KEPT or abs(a - b) <= 0.01 * abs(a)) for what, a, b in rows]
    yield make_result("A badly wrong output costs much, and its gradient is large.", *rows, case=BAD.to_source())
    return f"{len(batches())} batches, values and gradients, and outputs of exactly 0 and 1 where these are right."


def visible(found):
    """Name the mistake that shows if all losses are right, and all gradients 0."""
    slopes = [got for *_, rows in found for what, _, got in rows if what.endswith(".grad")]
    are_right = all(equal_results(*pair) for _, pairs, *_ in found for pair in pairs)
    return ["the graph is cut"] if are_right and slopes and not any(slopes) else []
