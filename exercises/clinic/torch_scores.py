"""The range of a PyTorch model's scores, and what they depend on: the last layer, or the other rows, may interfere."""

import math

from exercises.clinic.numbers import rounded
from exercises.clinic.readings import dial
from exercises.clinic.torch_harness import each_tensor, mapped
from exercises.clinic.torch_loss import classes_of, floor, guessing, outside, tensor_scores

RANGES = (0.0, 1.0), (-1.0, 1.0), (0.0, math.inf)  # of a sigmoid or a softmax, of a tanh, of a relu
DEAR = 0.2  # of what there is to learn, lost because the scores are bounded
KEPT = 4  # rows that stay while all others are replaced


def ends(bench):
    """Read the range of the scores, over any parameters; and the lowest loss there, compared with that of any."""
    z, torch = tensor_scores(bench), bench.torch
    if z is None or not z.numel():
        return "The scores are not one tensor.", None
    if bench.twice:
        return "They are probabilities, made by softmax or sigmoid.", None
    if outside(bench, z):
        return "The loss accepts no scores outside the model's range.", None
    seen = [z]
    bench.seeded()
    for size in (1.0, 20.0, -20.0):
        with bench.moved_by({p: torch.randn_like(p) for p in bench.parameters()}, size):
            seen.append(tensor_scores(bench))
    seen = torch.cat([each.flatten().double() for each in seen]).nan_to_num()
    least, most = float(seen.min()), float(seen.max())
    found = next(((low, high) for low, high in RANGES if low <= least and most <= high), None)
    if found is None:
        return f"With other parameters they come to {rounded(least)} and {rounded(most)}.", {"costs": 0.0, "cut": False}
    guess, free = guessing(bench), floor(bench, bench.x, bench.y)
    within = floor(bench, bench.x, bench.y, within=found)
    room = (guess[0] if guess else bench.loss_value()) - (free or 0.0)
    costs = (within - free) / room if room > 0 and None not in (free, within) else 0.0
    says = "They are never below 0." if found[1] == math.inf else "They are between {:g} and {:g}.".format(*found)
    if costs > DEAR:
        says += f" The loss cannot go below {rounded(within)} there; with other scores it could be {rounded(free)}."
    return says, {"costs": costs, "cut": found[1] == math.inf and float((z == 0).double().mean()) > 0.05}


@dial("ends of the scores", "wide enough", "cut off at 0")
def wide(found):
    """Judge whether the model can give the scores that its loss asks for."""
    return "too narrow" if found["costs"] > DEAR else "cut off at 0" if found["cut"] else "wide enough"


def neighbours(bench):
    """Read whether a row's scores depend on other rows of its batch; a place's scores on later letters."""
    bench.model.eval()
    z, xs = tensor_scores(bench), each_tensor(bench.x)
    if z is None or not z.dim() or bench.random or any(not t.dim() or len(t) != len(z) for t in xs) or len(z) <= KEPT:
        return "No row can be told from the others.", None
    if z.dim() > 2 and z.shape[0] == z.shape[1]:
        return f"With {len(z)} rows of {len(z)} places each, one cannot be told from the other.", None
    norms = (m for m in bench.model.modules() if "BatchNorm" in type(m).__name__)
    if any(getattr(each, "running_mean", 0) is None for each in norms):
        return "Batch norm without running means takes them from the batch, also in eval mode.", None

    def others(t):
        return t[:1].expand(t.shape)  # not just another order, which a mean would not notice

    first = tensor_scores(bench, mapped(lambda t: bench.torch.cat([t[:KEPT], others(t[KEPT:])]), bench.x))
    last = tensor_scores(bench, mapped(lambda t: bench.torch.cat([others(t[:-KEPT]), t[-KEPT:]]), bench.x))
    mixed = differ(z[:KEPT], first[:KEPT]) or differ(z[-KEPT:], last[-KEPT:])
    found = {"mixed": mixed, "ahead": ahead(bench, z)}
    says = "A row's scores depend on that row alone."
    if found["mixed"]:
        says = MIXED
    if found["ahead"]:
        says += " Scores of a place change with letters after it, which are the ones it has to predict."
    return says, found


MIXED = (
    "In eval mode, too, a row's scores depend on the other rows of its batch. Unless that is meant, as with the nodes "
    "of a graph, two axes are mixed up: see view, transpose, batch_first and dim."
)


def differ(one, other):
    """Return whether numbers differ by more than rounding; different shapes, of shorter rows, count as equal."""
    return one.shape == other.shape and float((one - other).abs().max()) > 1e-3 * max(float(one.abs().max()), 1e-6)


def ahead(bench, z):
    """Return whether a model that predicts the next letter sees it: its targets are the inputs, one place on."""
    y, found = bench.y, classes_of(bench, z)
    if found is None or y.dim() != 2 or y.shape[1] < 3 or z.dim() != 3:
        return False
    time = 3 - found[0]
    for t in each_tensor(bench.x):
        if t.shape != y.shape or t.is_floating_point() or not next_ones(t, y):
            continue
        last = t.clone()
        last[:, -1] = t[:, -1].roll(1)
        other = tensor_scores(bench, mapped(lambda each, t=t, last=last: last if each is t else each, bench.x))
        return differ(z.narrow(time, 0, z.shape[time] - 1), other.narrow(time, 0, z.shape[time] - 1))
    return False


def next_ones(t, y):
    return float((t[:, 1:] == y[:, :-1])[y[:, :-1] >= 0].double().mean()) > 0.9


@dial("rows", "apart", noticed=("together",))
def apart(found):
    """Report, without a verdict, whether scores of a row depend on others: it may be meant."""
    return "together" if found["mixed"] else "apart"


@dial("letters to come", "unseen")
def unseen(found):
    return "seen" if found["ahead"] else "unseen"
