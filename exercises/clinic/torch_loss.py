"""The readings of a PyTorch loss function: its lowest value, its softmax, its rows, its shapes."""

import math

from exercises.clinic.numbers import rounded
from exercises.clinic.readings import dial
from exercises.clinic.torch_harness import each_tensor, select_rows, watching

SURE = 60.0  # a score that leaves no doubt
LOOKED_AT = 64  # the most rows that are changed one by one


def tensor_scores(bench, x=None):
    """Return the model's scores if they are one tensor of floats, else None."""
    with bench.without_graph():
        found = bench.scores(bench.x if x is None else x)
    return found.detach() if hasattr(found, "is_floating_point") and found.is_floating_point() else None


def valued(bench, z, y=None):
    """Return the loss of some scores, as a float; nan if it cannot be computed."""
    bench.seeded()
    try:
        with bench.without_graph():
            return float(bench.loss_fn(z, bench.y if y is None else y))
    except Exception:  # a learner's function may not expect such scores
        return math.nan


def classes_of(bench, z, y=None):
    """Return (the axis of the classes, their number) of scores for integer targets; None if there are none."""
    y = bench.y if y is None else y
    if not hasattr(y, "is_floating_point") or y.is_floating_point() or y.dtype is bench.torch.bool or z is None:
        return None
    for axis in (1, z.dim() - 1):
        rest = z.shape[:axis] + z.shape[axis + 1 :]
        if z.dim() >= 2 and z.shape[axis] > 1 and rest == y.shape and int(y.max()) < z.shape[axis]:
            return axis, z.shape[axis]
    return None


def guessing(bench):
    """Return (the loss of guessing, the number of classes or None, how it guesses); None if it is not known."""
    z = tensor_scores(bench)
    if z is None:
        return None
    at_zero, found = valued(bench, bench.torch.zeros_like(z)), classes_of(bench, z)
    if found:
        expected = math.log(found[1])
        for level in (0.0, -expected):  # for scores, and for log-probabilities
            if abs(valued(bench, bench.torch.full_like(z, level)) - expected) < 0.02 * expected:
                return expected, found[1], ""
    if z.dim() > 1 and shares_of(z.exp(), -1):  # log-probabilities, for targets of a different kind
        return None
    where = "scores are 0"
    if bool(((z >= 0) & (z <= 1)).all()) and outside(bench, z):  # probabilities
        at_zero, where = valued(bench, bench.torch.full_like(z, 0.5)), "shares are a half"
    return (at_zero, None, where) if math.isfinite(at_zero) else None


def floor(bench, x, y, within=(-math.inf, math.inf), by_place=False):
    """Return the lowest loss that any scores have on some rows, derived from its kind; None if the kind is not known.

    Such scores are sure of the right classes (as sure as smoothed labels are), are the targets themselves, or have
    them as probabilities or as means. The loss is of that kind if no move away from there makes it smaller.
    within: two numbers that bound the scores. by_place: scores of a place depend on its letter alone.
    """
    z, torch = tensor_scores(bench, x), bench.torch
    t = None if z is None else as_scores(bench, z, y)
    known, found = each_tensor(x)[0], classes_of(bench, z, y)
    axis = found[0] if found else -1
    if t is None or (by_place and (known.is_floating_point() or known.dim() != 2 or t.dim() != 3)):
        return None
    rows = known.flatten() if by_place else known.flatten(1) if known.dim() > 1 else known
    groups = rows.unique(dim=0, return_inverse=True)[1]

    def tied(t):
        apart = t.movedim(axis, -1)
        whole = apart.flatten(0, 1) if by_place else apart
        return (mean_by(groups, whole).view_as(apart) if len(groups) == len(whole) else apart).movedim(-1, axis)

    t = tied(t)
    t = t / t.sum(axis, keepdim=True).clamp(min=1e-9) if found else t
    ends = [t, SURE * t.sign(), t.clamp(1e-26).log(), t.clamp(1e-7, 1 - 1e-7).logit(), SURE * (2 * t - 1)]
    ends += [0.1 * i * (2 * t - 1) for i in range(1, 60)] if getattr(bench.loss_fn, "label_smoothing", 1.0) > 0 else []
    logs = z.dim() > 1 and shares_of(z.exp(), axis)  # the model gives log-probabilities and nothing else

    def given(end):
        return (end.log_softmax(axis) if logs else end).clamp(*within)

    ends = [given(end) for end in ends]
    losses = [(valued(bench, end, y), i) for i, end in enumerate(ends)]
    least, i = min((each for each in losses if math.isfinite(each[0])), default=(math.inf, 0))
    if within == (-math.inf, math.inf):
        noise = [size * tied(torch.randn_like(t)) for size in (0.03, -0.03, 0.3, -0.3, 3.0, -3.0)]
        around = min(valued(bench, given(ends[i] + each), y) for each in noise)
        least = math.inf if around < least - 1e-3 * abs(least) - 1e-6 else least
    return least if math.isfinite(least) else None


def as_scores(bench, z, y):
    """Return targets as scores: 1 for the right class, or the numbers themselves; None if the shapes differ."""
    found = classes_of(bench, z, y)
    if found:
        axis, k = found
        hot = bench.torch.nn.functional.one_hot(y.clamp(min=0), k) * (y >= 0)[..., None]  # a loss ignores -100
        return hot.movedim(-1, axis).to(z.dtype)
    if not hasattr(y, "numel") or not z.dim() or not z.numel():
        return None
    one_each = y.dim() == z.dim() and y.numel() == len(y) == len(z)  # several scores per target, such as quantiles
    return y.to(z.dtype).view_as(z) if y.numel() == z.numel() else y.to(z.dtype).expand_as(z) if one_each else None


def mean_by(groups, t):
    """Replace each row of numbers by the mean of its group."""
    sums = t.new_zeros(int(groups.max()) + 1, *t.shape[1:]).index_add(0, groups, t)
    return (sums / groups.bincount().view(-1, *[1] * (t.dim() - 1)))[groups]


def softmax(bench):
    """Read how often softmax is used, and along which axis."""
    z, torch = tensor_scores(bench), bench.torch
    found = classes_of(bench, z) if z is not None else None
    if found is None:
        return of_sigmoid(bench, z)
    axis, k = found
    wanted = torch.nn.functional.one_hot(bench.y.clamp(min=0), k).movedim(-1, axis).to(z.dtype)
    sure = valued(bench, SURE * (2 * wanted - 1))
    last = math.log(1 + (k - 1) / math.e)
    base, random = valued(bench, z), torch.randn_like(z)
    by_rows = shift_matters(bench, random, random.new_tensor(range(len(z))).view(-1, *[1] * (z.dim() - 1)) % 3)
    by_columns = shift_matters(
        bench, random, (torch.arange(k) % 3).view([-1 if i == axis else 1 for i in range(z.dim())])
    )
    sums, all_positive = z.sum(axis), bool((z >= 0).all())
    are_shares = all_positive and bool(((sums - 1).abs() < 1e-3).all())
    down = z if all_positive else z.exp()
    shares_down = len(z) > 2 and bool(((down.sum(0) - 1).abs() < 1e-3).all()) and not are_shares
    in_loss = abs(sure - last) < 0.02 * last
    logs = takes_logs(bench, k, z)
    level, even = valued(bench, z * 0), valued(bench, torch.full_like(z, -math.log(k)))
    at_zero = abs(level - math.log(k)) < 0.02 * math.log(k)
    other_class = valued(bench, SURE * (2 * wanted.roll(1, axis) - 1))
    right, wrong = (valued(bench, SURE * sign * (2 * wanted - 1)) for sign in (1, -1))
    found = {
        "raw": logs and not shares_of(z.exp(), axis),
        "astray": bench.y.dim() > 1 and at_zero and right > 0.7 * other_class and not turned(bench, axis, k),
        "against": wrong < right and any(abs(each + math.log(k)) < 0.02 * math.log(k) for each in (level, even)),
        "twice": in_loss or (are_shares and by_rows is False),
        "down": (by_rows is True and by_columns is False) or (shares_down and not shares_of(z.exp(), axis)),
        "sure": sure,
    }
    says = f"{rounded(base)}; {rounded(sure)} if each right class gets {SURE:g}, and every other one -{SURE:g}."
    bench.twice = found["twice"]
    if found["twice"]:
        where = "the loss takes softmax of a softmax" if in_loss else "the scores are shares that add up to 1"
        says += f" With {k} classes, softmax twice ends at ln(1 + {k - 1}/e) = {last:.4f}: {where}."
    if found["raw"]:
        what = "probabilities" if are_shares else "scores, whose shares do not add up to 1"
        says += f" The loss expects log-probabilities, and gets {what}: it falls without limit."
    if found["astray"]:
        says += f" It is {rounded(other_class)} if the next class gets it: scores meet the targets of the wrong places."
    if found["against"]:
        says += f" It is {rounded(wrong)} if each right class gets -{SURE:g}: wrong answers are rewarded."
    if found["down"]:
        says += " Shares are those of the rows of a batch, not of the classes of a row."
    return says, found


def turned(bench, axis, k):
    """Return whether right classes cost little if rows and places are swapped, as look-alike shapes allow."""
    y = bench.y.transpose(0, 1)
    if y.shape != bench.y.shape and k != y.shape[0]:
        return False
    hot = bench.torch.nn.functional.one_hot(bench.y.clamp(min=0), k)
    ways = [hot.movedim(-1, axis), hot.movedim(-1, 1), hot.transpose(0, 1).movedim(-1, axis)]
    z = tensor_scores(bench)
    return any(valued(bench, SURE * (2.0 * way - 1)) < 1 for way in ways if way.shape == z.shape)


def takes_logs(bench, k, z):
    """Return whether the loss takes log-probabilities: adding 1 to all scores lowers it by 1."""
    even = valued(bench, bench.torch.full_like(z, -math.log(k)))
    return abs(even - math.log(k)) < 1e-3 and all(
        abs(valued(bench, start + 1) - valued(bench, start) + 1) < 1e-3 for start in (z, bench.torch.randn_like(z))
    )


@dial("scores", "as the loss takes them")
def taken(found):
    """Judge whether the loss gets the log-probabilities that it takes, and rewards what is right."""
    if found.get("against"):
        return "wrong ones rewarded"
    if found.get("astray"):
        return "of other places"
    if found.get("beyond"):
        return "with targets from 0 to 1 alone"
    return "no log-probabilities" if found.get("raw") else "as the loss takes them"


def shares_of(z, axis):
    return bool(((z.sum(axis) - 1).abs() < 1e-3).all())


def shift_matters(bench, z, shift):
    """Return whether the loss changes if numbers are added to whole rows, or columns; None if unknown."""
    one, other = valued(bench, z), valued(bench, z + shift.to(z.dtype))
    if not (math.isfinite(one) and math.isfinite(other)):
        return None
    return abs(one - other) > 1e-3 * max(1.0, abs(one))


def of_sigmoid(bench, z):
    """Read whether sigmoid is used twice, for scores of yes and no."""
    y = bench.y
    astray = of_shares(bench, z)
    if astray:
        said = {
            "raw": "The loss expects log-probabilities, and does not get them: it falls without limit.",
            "beyond": "The loss expects targets from 0 to 1, and there are others: it falls without limit.",
        }
        return said[astray], {"twice": False, "down": False, "sure": math.nan, astray: True}
    if z is None or not hasattr(y, "numel") or y.numel() != z.numel() or not bool(((y == 0) | (y == 1)).all()):
        return "The loss has no classes to choose from.", None
    y = y.to(z.dtype).view_as(z)
    sure, best = valued(bench, SURE * (2 * y - 1)), valued(bench, y)
    takes_scores = sure < 0.01 < 0.1 < best
    twice = takes_scores and bool(((z >= 0) & (z <= 1)).all()) and bounded(bench)
    bench.twice = twice
    says = f"{rounded(sure)} if each yes gets {SURE:g}, and each no -{SURE:g}."
    if not math.isfinite(sure) and math.isfinite(best):
        says = f"{rounded(best)} if each yes gets 1, and each no 0: the loss takes probabilities."
    if twice:
        says += f" The scores lie between 0 and 1, where the lowest loss is {rounded(best)}: sigmoid is used twice."
    return says, {"twice": twice or abs(sure - math.log(1 + 1 / math.e)) < 0.02, "down": False, "sure": sure}


def of_shares(bench, z):
    """Return what a loss of shares should not get: "raw", no log-probabilities; "beyond", other targets; or ""."""
    y = bench.y
    if z is None or not hasattr(y, "numel") or not y.is_floating_point() or y.numel() != z.numel():
        return ""
    at_zero, sure = valued(bench, z * 0), valued(bench, SURE * y.view_as(z).sign())
    if bool(((y < 0) | (y > 1)).any()) and abs(at_zero - math.log(2)) < 1e-3 and sure < -1:
        return "beyond"  # softplus(z) - y z, of binary cross-entropy
    if z.dim() < 2 or y.shape != z.shape or not shares_of(y, 1) or shares_of(z.exp(), 1):
        return ""
    hot = SURE * (2 * bench.torch.nn.functional.one_hot(y.argmax(1), y.shape[1]).movedim(-1, 1).to(z.dtype) - 1)
    if bool((y.amax(1) < 0.99).all()) and valued(bench, hot) < min(valued(bench, y.log()), valued(bench, y)) - 1e-3:
        return "raw"  # it asks for one sure class, though the targets are shares
    once, twice = (valued(bench, z + more) - valued(bench, z) for more in (1, 2))
    return "raw" if once < -1e-3 and abs(twice - 2 * once) < 1e-3 * abs(once) else ""  # y (ln y - z) is linear


def bounded(bench):
    """Return whether the scores stay between 0 and 1 with very different parameters."""
    moves = {p: bench.torch.randn_like(p) for p in bench.parameters()}
    with bench.moved_by(moves, 20.0):
        z = tensor_scores(bench)
    return bool(((z >= 0) & (z <= 1)).all())


@dial("softmax", "once or none")
def softmaxes(found):
    return "twice" if found["twice"] else "once or none"


@dial("shares", "of classes")
def shares(found):
    return "of rows" if found["down"] else "of classes"


def rows(bench):
    """Read how many rows of a batch the loss depends on; the largest array it makes; whether it is a sum."""
    z = tensor_scores(bench)
    if z is None or not z.dim() or len(z) < 2:
        return "The scores are not one tensor, so no row can be changed alone.", None
    torch, count = bench.torch, min(len(z), LOOKED_AT)
    bench.seeded()
    starts = [z, torch.randn_like(z), 3 * torch.randn_like(z)]
    free = math.isfinite(valued(bench, starts[1])) and not outside(bench, z)
    asked = [i for i in range(count) if not ignored(bench, i)]
    seen = set()
    for start in starts if free else starts[:1]:
        whole = valued(bench, start)
        for i in asked:
            other = start.clone()
            other[i] = 3 * torch.randn_like(other[i]) if free else 0.7 * z[i - 1].roll(1) + 0.3 * z.mean(0)
            if i not in seen and valued(bench, other) != whole:
                seen.add(i)
    half = len(z) // 2
    part, twice = (valued(bench, select_rows(z, slice(n)), select_rows(bench.y, slice(n))) for n in (half, 2 * half))
    largest = largest_shape(bench, z)
    found = {
        "counted": len(seen) if math.isfinite(whole) else len(asked),
        "of": len(asked),
        "pairs": shift_matters(bench, starts[1], z.new_ones(())) is False,
        "largest": largest,
        "shape": tuple(z.shape),
        "targets": tuple(bench.y.shape) if hasattr(bench.y, "shape") else None,
        "sum": math.isfinite(twice) and part > 0 and 1.6 < twice / part < 2.5,
    }
    bench.sums = found["sum"]
    says = f"Rows of a batch that change the loss: {len(seen)} of {len(asked)}."
    if not math.isfinite(whole):
        says = "The loss is not a number, so no row can be seen to change it."
    if largest:
        says += f" Scores {tuple(z.shape)}, targets {found['targets']}; the largest array in between is {largest}."
    return says + (" Twice the rows, twice the loss: it is a sum." if found["sum"] else ""), found


def outside(bench, z):
    """Return whether the loss is not finite for scores that are neither probabilities nor their logarithms."""
    return not all(math.isfinite(valued(bench, z * 0 + level)) for level in (-3.0, 3.0))


def ignored(bench, i):
    """Return whether a row's targets are all below 0, such as -100, which PyTorch's losses ignore."""
    y = bench.y
    return hasattr(y, "dim") and y.dim() > 0 and not y.is_floating_point() and bool((y[i] < 0).all())


def largest_shape(bench, z):
    shapes = [tuple(z.shape)]
    with watching(lambda each: shapes.append(tuple(each.shape))):
        valued(bench, z)
    return max(shapes, key=math.prod)


@dial("rows that count", "all", noticed=("a part",))
def counted(found):
    return "all" if found["counted"] == found["of"] else "a part" if found["counted"] else "none"


@dial("shapes", "fit")
def shapes(found):
    """Judge whether each answer is compared with all targets: one number per row, but an array of rows by rows."""
    n = found["shape"][0]
    one_each = math.prod(found["shape"]) == n and found["targets"] and math.prod(found["targets"]) == n
    differ = found["shape"] != found["targets"] and not found["pairs"]  # a loss of pairs asks for differences alone
    return "too large" if one_each and differ and n > 1 and math.prod(found["largest"]) >= n * n else "fit"


@dial("loss", "a mean", "a sum")
def total(found):
    return "a sum" if found["sum"] else "a mean"
