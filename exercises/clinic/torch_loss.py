"""What a PyTorch loss function does with scores that it is handed: its floor, its softmax, its rows, its shapes."""

import math

from exercises.clinic.numbers import rounded
from exercises.clinic.readings import dial
from exercises.clinic.torch_bench import each_tensor, mapped, take, watching

SURE = 60.0  # a score that leaves no doubt
LOOKED_AT = 64  # rows that are changed one after the other
FLOOR_STEPS = 150


def tensor_scores(bench, x=None):
    """The model's scores where they are one tensor of floats, else None."""
    with bench.without_graph():
        found = bench.scores(bench.x if x is None else x)
    return found.detach() if hasattr(found, "is_floating_point") and found.is_floating_point() else None


def valued(bench, z, y=None):
    """The loss of some scores, as a number; nan where it cannot be had."""
    bench.seeded()
    try:
        with bench.without_graph():
            return float(bench.loss_fn(z, bench.y if y is None else y))
    except Exception:  # a learner's function, on scores that it may not expect
        return math.nan


def classes_of(bench, z):
    """(the axis of the classes, their number) of scores for whole-numbered targets; None where there are none."""
    y = bench.y
    if not hasattr(y, "is_floating_point") or y.is_floating_point() or y.dtype is bench.torch.bool or z is None:
        return None
    for axis in (1, z.dim() - 1):
        rest = z.shape[:axis] + z.shape[axis + 1 :]
        if z.dim() >= 2 and z.shape[axis] > 1 and rest == y.shape and int(y.max()) < z.shape[axis]:
            return axis, z.shape[axis]
    return None


def guessing(bench):
    """(the loss of one that guesses, the number of classes or None, what it says); None where it cannot be told."""
    z = tensor_scores(bench)
    if z is None:
        return None
    at_zero, found = valued(bench, bench.torch.zeros_like(z)), classes_of(bench, z)
    if found:
        expected = math.log(found[1])
        for level in (0.0, -expected):  # of scores, and of log-probabilities
            if abs(valued(bench, bench.torch.full_like(z, level)) - expected) < 0.02 * expected:
                return expected, found[1], ""
    if z.dim() > 1 and shares_of(z.exp(), -1):  # log-probabilities, of targets of another kind
        return None
    where = "scores are 0"
    if bool(((z >= 0) & (z <= 1)).all()) and outside(bench, z):  # probabilities
        at_zero, where = valued(bench, bench.torch.full_like(z, 0.5)), "shares are a half"
    return (at_zero, None, where) if math.isfinite(at_zero) else None


def floor(bench, x, y, by_place=False, within=None, rate=0.3):
    """The lowest loss that any scores have on some rows: 0, but where the loss smooths labels or has a constant.

    by_place: of scores that, at each place of a row of letters, know that letter alone. within: of scores between
    two numbers.
    """
    with bench.without_graph():
        z = mapped(lambda t: t.detach().clone(), bench.scores(x))
    free = [t.requires_grad_() for t in each_tensor(z) if t.is_floating_point()]
    if not free:
        return 0.0
    flat = each_tensor(x)[0].flatten(1) if each_tensor(x)[0].dim() > 1 else each_tensor(x)[0][:, None]
    same = (flat[:, None] == flat[None]).all(2).to(free[0].dtype)
    same = same / same.sum(1, keepdim=True)
    letters = each_tensor(x)[0] if by_place else None
    if by_place and (letters.is_floating_point() or letters.dim() != 2):
        return math.nan

    def tied(t):
        """Rows that are alike have scores that are alike."""
        if by_place and t.dim() == 3 and t.shape[:2] == letters.shape:
            return mean_by(letters, t)
        together = t.dim() > 1 and len(t) == len(same) and t.is_floating_point()
        return (same @ t.flatten(1)).view_as(t) if together else t

    optimizer, least = bench.torch.optim.Adam(free, lr=rate), math.inf
    bench.seeded()
    for _ in range(FLOOR_STEPS):
        try:
            found = bench.loss_fn(mapped(tied, z), y)
        except Exception:
            return 0.0
        value = float(found.detach())
        if not found.requires_grad or not math.isfinite(value):
            break
        least = min(least, value)
        optimizer.zero_grad()
        found.backward()
        optimizer.step()
        for t in free if within else ():
            t.data.clamp_(*within)
    return max(least, 0.0) if math.isfinite(least) else 0.0  # below 0 it is for scores that no model gives


def mean_by(letters, t):
    """Scores of (rows, places, classes), each replaced by the mean of those of the same letter."""
    kinds, place = letters.flatten().unique(return_inverse=True)
    sums = t.new_zeros(len(kinds), t.shape[-1]).index_add(0, place, t.flatten(0, 1))
    return (sums / place.bincount()[:, None])[place].view_as(t)


def softmax(bench):
    """How often softmax is used, and along which axis."""
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
    level = valued(bench, z * 0)
    at_zero = abs(level - math.log(k)) < 0.02 * math.log(k)
    other_class = valued(bench, SURE * (2 * wanted.roll(1, axis) - 1))
    right, wrong = (valued(bench, SURE * sign * (2 * wanted - 1)) for sign in (1, -1))
    found = {
        "raw": logs and not shares_of(z.exp(), axis),
        "astray": bench.y.dim() > 1 and at_zero and right > 0.7 * other_class and not turned(bench, axis, k),
        "against": abs(level + math.log(k)) < 0.02 * math.log(k) and wrong < right,
        "twice": in_loss or (are_shares and by_rows is False),
        "down": (by_rows is True and by_columns is False) or (shares_down and not shares_of(z.exp(), axis)),
        "sure": sure,
    }
    says = f"{rounded(base)}; {rounded(sure)} if each right class gets {SURE:g}, and each other one -{SURE:g}."
    bench.twice = found["twice"]
    if found["twice"]:
        where = "the loss takes softmax of a softmax" if in_loss else "the scores are shares that add up to 1"
        says += f" With {k} classes, softmax twice ends at ln(1 + {k - 1}/e) = {last:.4f}: {where}."
    if found["raw"]:
        what = "probabilities" if are_shares else "scores, whose shares do not add up to 1"
        says += f" The loss takes logarithms of probabilities, and gets {what}: it goes down with no end."
    if found["astray"]:
        says += f" It is {rounded(other_class)} if the next class gets it: scores meet targets of other places."
    if found["against"]:
        says += f" It is {rounded(wrong)} if each right class gets -{SURE:g}: wrong answers are rewarded."
    if found["down"]:
        says += " Shares are those of the rows of a batch, not of the classes of a row."
    return says, found


def turned(bench, axis, k):
    """Whether right classes cost little where rows and places are taken for each other, as they may be alike."""
    y = bench.y.transpose(0, 1)
    if y.shape != bench.y.shape and k != y.shape[0]:
        return False
    hot = bench.torch.nn.functional.one_hot(bench.y.clamp(min=0), k)
    ways = [hot.movedim(-1, axis), hot.movedim(-1, 1), hot.transpose(0, 1).movedim(-1, axis)]
    z = tensor_scores(bench)
    return any(valued(bench, SURE * (2.0 * way - 1)) < 1 for way in ways if way.shape == z.shape)


def takes_logs(bench, k, z):
    """Whether the loss wants logarithms of probabilities: a 1 on all scores takes a 1 off the loss."""
    even = valued(bench, bench.torch.full_like(z, -math.log(k)))
    return abs(even - math.log(k)) < 1e-3 and all(
        abs(valued(bench, start + 1) - valued(bench, start) + 1) < 1e-3 for start in (z, bench.torch.randn_like(z))
    )


@dial("scores", "as the loss takes them")
def taken(found):
    """Whether the loss takes logarithms of probabilities, and gets something else; or rewards what is wrong."""
    if found.get("against"):
        return "wrong ones rewarded"
    if found.get("astray"):
        return "of other places"
    return "no log-probabilities" if found.get("raw") else "as the loss takes them"


def shares_of(z, axis):
    """Whether numbers add up to 1 along an axis."""
    return bool(((z.sum(axis) - 1).abs() < 1e-3).all())


def shift_matters(bench, z, shift):
    """Whether the loss changes if numbers are added to whole rows, or to whole columns; None where that is unknown."""
    one, other = valued(bench, z), valued(bench, z + shift.to(z.dtype))
    if not (math.isfinite(one) and math.isfinite(other)):
        return None
    return abs(one - other) > 1e-3 * max(1.0, abs(one))


def of_sigmoid(bench, z):
    """The same for scores of yes and no: whether sigmoid is used twice."""
    y = bench.y
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


def bounded(bench):
    """Whether the scores stay between 0 and 1 with quite other parameters."""
    moves = {p: bench.torch.randn_like(p) for p in bench.parameters()}
    with bench.moved_by(moves, 20.0):
        z = tensor_scores(bench)
    return bool(((z >= 0) & (z <= 1)).all())


@dial("softmax", "once or none")
def softmaxes(found):
    """How often it is used."""
    return "twice" if found["twice"] else "once or none"


@dial("shares", "of classes")
def shares(found):
    """Along which axis they add up."""
    return "of rows" if found["down"] else "of classes"


def rows(bench):
    """How many rows of a batch the loss depends on; the largest array on its way; whether it is a sum."""
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
    part, twice = (valued(bench, take(z, slice(n)), take(bench.y, slice(n))) for n in (half, 2 * half))
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
        says = "The loss is no number, so that no row can be seen to change it."
    if largest:
        says += f" Scores {tuple(z.shape)}, targets {found['targets']}; the largest array on the way is {largest}."
    return says + (" Twice the rows, twice the loss: it is a sum." if found["sum"] else ""), found


def outside(bench, z):
    """Whether the loss has no number for scores that are not probabilities or their logarithms."""
    return not all(math.isfinite(valued(bench, z * 0 + level)) for level in (-3.0, 3.0))


def ignored(bench, i):
    """Whether a row's targets are all below 0, as -100 is, which PyTorch's losses leave out."""
    y = bench.y
    return hasattr(y, "dim") and y.dim() > 0 and not y.is_floating_point() and bool((y[i] < 0).all())


def largest_shape(bench, z):
    """The shape of the largest array that the loss makes of the scores."""
    shapes = [tuple(z.shape)]
    with watching(lambda each: shapes.append(tuple(each.shape))):
        valued(bench, z)
    return max(shapes, key=math.prod)


@dial("rows that count", "all")
def counted(found):
    """How many rows count."""
    return "all" if found["counted"] == found["of"] else "a part" if found["counted"] else "none"


@dial("shapes", "fit")
def shapes(found):
    """Whether each answer is compared with all targets: one number a row, and an array of rows by rows."""
    n = found["shape"][0]
    one_each = math.prod(found["shape"]) == n and found["targets"] and math.prod(found["targets"]) == n
    differ = found["shape"] != found["targets"] and not found["pairs"]  # a loss of pairs asks for differences alone
    return "too large" if one_each and differ and n > 1 and math.prod(found["largest"]) >= n * n else "fit"


@dial("loss", "a mean", "a sum")
def total(found):
    """Whether it is a sum over the rows."""
    return "a sum" if found["sum"] else "a mean"
