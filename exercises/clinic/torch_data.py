"""The readings of a PyTorch model's inputs, rows, weights and modes."""

import math

from exercises.clinic.numbers import numbers, rounded
from exercises.clinic.readings import dial
from exercises.clinic.torch_harness import each_tensor, mapped
from exercises.clinic.torch_loss import tensor_scores

FAR, LARGE = 30, 6  # as in the clinic's data sheet: times the usual input, and the usual input itself
SMALL = 0.01  # inputs are small if nearly all are below it
NEIGHBOURS, ENOUGH = 600, 100  # rows whose nearest ones are searched, at most and at least
ALONE, COPIES = 24, 4  # rows that are read one by one, and the copies of a row in its batch
NORMS = "Norm", "Embedding"  # modules that scale their inputs, or have none


def inputs(bench):
    """Read how large the inputs are, as they come and at the first parameters; whether they drift from read to read."""
    values = [t.flatten().double() for x, _ in bench.batches for t in each_tensor(x) if t.is_floating_point()]
    torch = bench.torch
    found = {"changed": changes(bench), "usual": 0.0, "largest": 0.0, "numbers": True, "targets": True}
    targets = [t for _, y in bench.batches for t in each_tensor(y) if t.is_floating_point()]
    found["targets"] = all(bool(torch.isfinite(t).all()) for t in targets)
    says = ["They are not floats."]
    if values:
        whole = torch.cat(values)
        found["numbers"] = bool(torch.isfinite(whole).all())
        whole = whole[torch.isfinite(whole)]
        size = whole.abs()
        size = size[size > 0]
        if size.numel():
            every = max(1, size.numel() // 1_000_000)
            found["usual"] = float(torch.quantile(size[::every], 0.99))
            found["largest"] = float(size.max())
        says = [
            f"Mean and spread {numbers((float(whole.mean()), float(whole.std())))}. "
            f"Largest {rounded(found['largest'])}."
        ]
    found["alike"] = alike(torch, [x for x, _ in bench.batches])
    if found["alike"]:
        says.append("All rows are the same.")
    found["unused"] = not found["alike"] and unused(bench)
    if found["unused"]:
        says.append("The scores do not depend on them.")
    first = at_first(bench)
    if first is not None:
        found["first"] = first
        if abs(first - found["usual"]) > 0.1 * found["usual"]:
            says.append(f"When they reach the first parameters, 99 % are below {rounded(first)}.")
    if not (found["numbers"] and found["targets"]):
        says.append(f"Some {'inputs' if not found['numbers'] else 'targets'} are nan or infinite.")
    if found["changed"]:
        says.append("Each time they are used they have changed further.")
    return " ".join(says), found


def unused(bench):
    """Return whether the scores are the same for other inputs, also with other parameters."""
    bench.seeded()
    other = mapped(lambda t: t + bench.torch.randn_like(t) if t.is_floating_point() else t.roll(1, 0), bench.x)
    moves = {p: bench.torch.randn_like(p) for p in bench.parameters() if p.is_floating_point()}
    with bench.without_graph():
        for share in (0.0, 0.3, 1.0):
            with bench.moved_by(moves, share):
                one, two = (each_tensor(bench.scores(x)) for x in (bench.x, other))
            if not one or len(one) != len(two) or not all(a.equal(b) for a, b in zip(one, two)):
                return False
    return True


def at_first(bench):
    """Return the size below which 99 % of the first layer's inputs are; None if it is a norm or a table."""
    seen = []

    def note(module, given):
        if not seen:
            floats = [t for t in each_tensor(given) if t.is_floating_point()]
            seen.append(None if any(n in type(module).__name__ for n in NORMS) or not floats else floats[0].detach())

    owners = [m for m in bench.model.modules() if list(m.parameters(recurse=False))]
    hooks = [m.register_forward_pre_hook(note) for m in owners if not isinstance(m, bench.torch.jit.ScriptModule)]
    try:
        with bench.without_graph():
            bench.scores(bench.x)
    finally:
        for hook in hooks:
            hook.remove()
    if not seen or seen[0] is None:
        return None
    size = seen[0].double().abs().flatten()
    size = size[(size > 0) & bench.torch.isfinite(size)][:1_000_000]
    return float(bench.torch.quantile(size, 0.99)) if size.numel() else 0.0


def changes(bench):
    """Return whether repeated reading takes the inputs further and further from their first values."""
    if isinstance(bench.loader, tuple | list):  # the same tensors each time: a model may write into them
        given = mapped(lambda t: t.clone(), bench.x)
        with bench.without_graph():
            bench.model(given)
        return any(
            not a.equal(b) and bool(a.isfinite().all()) for a, b in zip(each_tensor(bench.x), each_tensor(given))
        )
    reads = []
    for _ in range(3):
        x = next(iter(bench.reading()))[0]
        reads.append([t.double() for t in each_tensor(x) if t.is_floating_point()])
    once, twice = (sum(float((a - b).norm()) for a, b in zip(reads[0], reads[i])) for i in (1, 2))
    return math.isfinite(once) and once > 0 and twice > 1.2 * once


def alike(torch, trees):
    rows = [[t for t in each_tensor(tree) if t.dim()] for tree in trees]
    if sum(len(each[0]) for each in rows if each) < 2:
        return False
    return all(t.shape[1:] == u.shape[1:] and bool((t == u[:1]).all()) for ts in rows for t, u in zip(ts, rows[0]))


@dial("inputs", "usual", "large, and brought to scale", noticed=("small", "large but harmless"))
def scale(found):
    """Judge how large the inputs are where they meet the first parameters."""
    if not (found["numbers"] and found["targets"]):
        return "not all numbers"
    if found["largest"] > FAR * found["usual"]:
        return "one far out"
    if found["alike"]:
        return "all rows the same"
    if found.get("unused"):
        return "not used"
    if 0 < found.get("first", 1.0) < SMALL:
        return "small"
    if found.get("first", 0.0) > LARGE:
        return "large"
    return "large, and brought to scale" if found["usual"] > LARGE else "usual"


@dial("data during training", "unchanged")
def change(found):
    return "changed" if found["changed"] else "unchanged"


def batches(bench):
    """Read how many classes a batch has; whether similar rows have the same label, or near targets."""
    torch = bench.torch
    norms = any("BatchNorm" in type(each).__name__ and each.training for each in bench.model.modules())
    alone = sum(len(each_tensor(x)[0]) == 1 for x, _ in bench.batches) if norms else 0
    pairs = [(x, y) for x, y in bench.batches if labels_in(bench, y)]
    x = [each_tensor(x)[0].flatten(1) for x, _ in pairs or bench.batches if each_tensor(x)[0].dim() > 1]
    x = torch.cat(x) if x and len({each.shape[1] for each in x}) == 1 else torch.zeros(0, 1)
    if pairs:
        says, found = of_labels(bench, pairs, x)
    else:
        says, found = of_numbers(bench, x)
    if alone:
        says += f" Batch norm takes its mean over a batch of one row in {alone} of {len(bench.batches)} batches."
    return says, found | {"alone": alone} if found or alone else None


def of_labels(bench, pairs, x):
    """Read the batches if each row has a label."""
    torch, y = bench.torch, bench.torch.cat([y for _, y in pairs])
    counts = torch.bincount(y - y.min()).double()
    shares = counts / counts.sum()
    expected = [float((1 - (1 - shares) ** len(each)).sum()) for _, each in pairs]
    found = {
        "classes": sum(len(each.unique()) for _, each in pairs) / len(pairs),
        "expected": sum(expected) / len(pairs),
    }
    found |= {"batches": len(pairs), "chance": float((shares**2).sum())}
    says = f"{rounded(found['classes'])} classes per batch on average; {rounded(found['expected'])} expected by chance."
    if len(x) == len(y) >= ENOUGH and x.is_floating_point() and bool(torch.isfinite(x).all()):
        found |= neighbours(torch, x.double()[:NEIGHBOURS], y[:NEIGHBOURS])
        says += f" Same label as the nearest row: {100 * found['same']:.0f} %, by chance {100 * found['chance']:.0f} %."
        if not found["patterned"] and by_chance(found):
            says += " (The rows are too different to say whether that is a fault.)"
    return says, found


def of_numbers(bench, x):
    """Read how well a row's target follows from its nearest row's, or from a line fitted to half of the rows."""
    torch, none = bench.torch, ("There are no labels, one for each row.", {})
    y = [y for _, y in bench.batches if hasattr(y, "dim") and y.is_floating_point() and y.dim()]
    y = torch.cat([each.flatten() for each in y if each.numel() == len(each)] or [torch.zeros(0)]).double()
    whole = len(x) == len(y) and x.is_floating_point()
    x, y = x[:NEIGHBOURS].double(), y[:NEIGHBOURS]
    if not whole or len(y) < ENOUGH or not bool(x.isfinite().all() & y.isfinite().all()) or not y.std() > 0:
        return none
    x, y = (x - x.mean(0)) / (x.std(0) + 1e-12), y - y.mean()
    far = torch.cdist(x, x).fill_diagonal_(torch.inf)
    half = torch.randperm(len(x), generator=torch.Generator().manual_seed(0)).tensor_split(2)
    line = torch.linalg.lstsq(x[half[0]], y[half[0], None], driver="gelsd").solution
    told = [correlation(y, y[far.argmin(1)]), correlation(y[half[1]], (x[half[1]] @ line)[:, 0])]
    says = f"A row's target correlates with its nearest row's by {told[0]:.2f}, and with a linear fit by {told[1]:.2f}."
    return says, {"told": max(told[0], told[1] / math.sqrt(2)), "rows": len(x)}


def correlation(a, b):
    """Return the correlation of two vectors; 0 if one of them does not vary."""
    a, b = a - a.mean(), b - b.mean()
    return float(((a @ b) / (a.norm() * b.norm())).nan_to_num())


def labels_in(bench, y):
    plain = hasattr(y, "is_floating_point") and not y.is_floating_point() and y.dim() == 1
    return plain and y.dtype is not bench.torch.bool and len(y) > 1


def neighbours(torch, x, y):
    """Return how many rows have the nearest's label; and whether rows are nearer than with shuffled columns."""
    torch.manual_seed(0)
    mixed = torch.stack([column[torch.randperm(len(x))] for column in x.T], 1)
    nearest = []
    for each in (x, mixed):
        far = torch.cdist(each, each).fill_diagonal_(torch.inf)
        nearest.append(far.min(1))
    near, apart = (float(each.values.median()) for each in nearest)
    same = float((y[nearest[0].indices] == y).double().mean())
    return {"same": same, "patterned": near < 0.85 * apart, "rows": len(x)}


@dial("classes in a batch", "mixed")
def mixture(found):
    few = "classes" in found and found["classes"] < 0.5 * found["expected"] and found["batches"] >= 3
    return "few" if few else "mixed"


@dial("labels of neighbours", "fit", noticed=("no pattern",))
def labels(found):
    """Return whether similar rows have the same label; if rows have no pattern, they cannot tell."""
    if found.get("told", 1.0) * math.sqrt(found.get("rows", 4)) < 2:
        return "no pattern"
    return "do not fit" if found.get("patterned") and by_chance(found) else "fit"


@dial("batch norm", "over many rows", noticed=("over one row",))
def normed(found):
    return "over one row" if found["alone"] else "over many rows"


def by_chance(found):
    """Return whether nearest rows share a label no more often than by chance, within two standard deviations."""
    chance = found["chance"]
    return found["same"] < chance + 2 * math.sqrt(chance * (1 - chance) / found["rows"])


def lonely(bench):
    """Read the gradient of each row alone, divided by that of its scores: the row's own contribution."""
    x = each_tensor(bench.x)[0]
    z = tensor_scores(bench)
    if z is None or bench.random or not x.is_floating_point() or len(x) < 2 or len(z) != len(x):
        return "No row can be looked at alone.", None
    bench.model.eval()
    picked, sizes = [(bench.x, bench.y, i) for i in range(min(len(x), ALONE))], []
    _, place, row = max(
        (float(t[i].abs().max()), b, i)
        for b, (given, _) in enumerate(bench.batches)
        for t in each_tensor(given)[:1]
        for i in [int(t.double().abs().flatten(1).max(1).values.nan_to_num(0).argmax())]
    )
    picked.append((*bench.batches[place], row))
    for given, targets, i in picked:
        alone = [mapped(lambda t, i=i: t[i : i + 1].repeat(COPIES, *[1] * (t.dim() - 1)), e) for e in (given, targets)]
        bench.clear()
        try:
            scores = bench.scores(alone[0])
            scores.retain_grad() if scores.requires_grad else None
            loss = bench.loss_fn(scores, alone[1])
        except Exception:  # the program's rows belong together
            return "No row can be looked at alone.", None
        if not loss.requires_grad or not scores.requires_grad:
            return "The loss has no graph.", None
        loss.backward()
        upstream = float(scores.grad.double().norm()) if scores.grad is not None else 0.0
        sizes.append(bench.size() / upstream if upstream else 0.0)
    some = sorted(size for size in sizes[:-1] if size and math.isfinite(size))
    if not some:
        return "No row has its own gradient.", None
    median = some[len(some) // 2]
    largest = max(sizes) if all(map(math.isfinite, sizes)) else math.nan
    both = f"median {rounded(median)}, largest {rounded(largest)}"
    says = f"Gradients of {len(sizes)} rows, each divided by that of its scores: {both}."
    return says, {"median": median, "largest": largest}


@dial("gradients of rows", "alike")
def outlier(found):
    return "one far out" if not found["largest"] <= 100 * found["median"] else "alike"


def modes(bench):
    """Read if dropout and batch norm are active; if weights change between the loss and its backward pass."""
    off = [m for m in bench.model.modules() if not m.training]
    moody = [m for m in bench.model.modules() if any(word in type(m).__name__ for word in ("Dropout", "BatchNorm"))]
    before = {p: p.detach().clone() for p in bench.parameters()}
    with bench.kept_as_it_was():
        bench.loss_value()
        moved = sum(not p.equal(old) and bool(old.isfinite().all()) for p, old in before.items())
    word = "train" if not off else "eval" if len(off) == len(list(bench.model.modules())) else "both"
    said = {"train": "It is in train mode.", "eval": "It is in eval mode.", "both": "A part is in eval mode."}
    says = said[word]
    if moody:
        kinds = ", ".join(sorted({type(m).__name__ for m in moody}))
        says += f" That matters to: {kinds}."
    if moved:
        says += f" {moved} parameters change while the loss is computed."
    lively = in_eval_random(bench)
    if lively:
        says += " In eval mode the scores are random too: make sure that dropout checks self.training."
    bench.gradient()
    sparse = [n for n, p in bench.named.items() if p.grad is not None and p.grad.is_sparse]
    if sparse:
        says += f" Sparse gradients: {', '.join(sparse)}."
    return says, {"moved": moved, "mode": word, "lively": lively}


@dial("weights meanwhile", "unchanged")
def meanwhile(found):
    return "changed" if found["moved"] else "unchanged"


def in_eval_random(bench):
    """Return whether the scores of a row depend on random numbers in eval mode."""
    with bench.kept_as_it_was(), bench.without_graph():
        bench.model.eval()
        found = []
        for seed in (1, 1, 2):
            with bench.kept_as_it_was():
                bench.seeded(seed)
                found.append(each_tensor(bench.model(mapped(lambda t: t.clone(), bench.x))))
    same = [all(a.equal(b) for a, b in zip(found[0], each)) for each in found[1:]]
    return same == [True, False] and all(bool(t.isfinite().all()) for t in found[0])


@dial("scores in eval mode", "the same each time", noticed=("random",))
def in_use(found):
    """Return whether they are random, which a sampler's are meant to be."""
    return "random" if found["lively"] else "the same each time"


def draws(bench):
    """Return whether other random numbers, or ones that no seed sets, change the loss from the same state."""
    found = []
    for seed in (1, 2):
        with bench.kept_as_it_was(), bench.without_graph():
            bench.seeded(seed)
            found.append(float(bench.loss_fn(bench.model(mapped(lambda t: t.clone(), bench.x)), bench.y)))
    return found[0] != found[1] and not all(map(math.isnan, found))


def twice(bench):
    """Read whether the same rows have the same loss: with the program's random numbers, and with fixed ones."""
    with bench.without_graph():
        free = [float(bench.loss_fn(bench.model(mapped(lambda t: t.clone(), bench.x)), bench.y)) for _ in range(2)]
    fixed = [bench.loss_value() for _ in range(2)]
    differ = [a != b and not (math.isnan(a) and math.isnan(b)) for a, b in (free, fixed)]
    still = bool(modes_moved(bench)) if differ[1] else False
    if any(differ) and not still and not draws(bench):
        bench.random = differ[1]
        both = f"{free[0]:.6g}, then {free[1]:.6g}"
        return f"The model keeps something from one call to the next: the same rows give {both}.", {}
    bench.random = differ[1] and not still
    if bench.random:
        both = f"{fixed[0]:.6g} and {fixed[1]:.6g}"
        return f"The loss is random: {both}, although the usual random numbers were the same.", {}
    if differ[0] and not still:
        both = f"{free[0]:.6g} and {free[1]:.6g}"
        return f"The loss is random: {both}. From here on it is read with the same random numbers.", {}
    return f"The same rows, the same loss: {rounded(fixed[0])}.", {}


def modes_moved(bench):
    return modes(bench)[1]["moved"]
