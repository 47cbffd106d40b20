"""The readings of a PyTorch model's first loss, gradients and first step: each returns a sentence and its numbers."""

import math

from exercises.clinic.numbers import numbers, rounded
from exercises.clinic.readings import dial
from exercises.clinic.torch_harness import dense, each_tensor
from exercises.clinic.torch_loss import guessing
from exercises.clinic.torch_overfit import make_adam

STEPS = 3  # after these, a layer that began at 0 has a gradient, and so do those before it
BAND = 1e-3, 0.1  # of the weights: a usual step (workshop “SGD, momentum, Adam: how long a step?”)
DECAY = 0.03  # of the weights, lost at each step: half of them in 23 steps


def first_loss(bench):
    """Read the first loss, compared with that of guessing."""
    first, guess, classes = bench.loss_value(), guessing(bench), None
    if guess is not None and guess[1]:
        classes = guess[1]
    found = {"first": first, "guess": guess and guess[0]}
    says = f"{rounded(first)}."
    if classes:
        says = f"{rounded(first)}; guessing gives ln {classes} = {math.log(classes):.4g}."
    elif guess:
        says = f"{rounded(first)}; {rounded(guess[0])} where all {guess[2]}."
    return says, found


@dial(
    "first loss", "near guessing", "above guessing", "below guessing", noticed=("far above guessing but left behind",)
)
def start(found):
    """Judge the first loss; a model that has learned is below guessing, one at its beginning may be a little above."""
    first, guess = found["first"], found["guess"]
    if not math.isfinite(first):
        return "no number"
    if guess is None:
        return "near guessing"
    if first > 3 * abs(guess) + 1:
        return "far above guessing"
    return "above guessing" if first > guess + 0.9 else "near guessing" if first > guess - 0.35 else "below guessing"


def weights(bench):
    """Read each layer's spread of weights times the root of its inputs; which are all 0, or have equal units."""
    gains, equal, zero = {}, [], []
    tables = [m for m in bench.model.modules() if "Embedding" in type(m).__name__]
    tables = [p for m in tables for p in m.parameters()]
    owners = {id(p): m for m in bench.model.modules() for p in m.parameters(recurse=False)}
    layered = [(n, p) for n, p in bench.weights if not any(p is t for t in tables) and p[0].numel() > 1]
    for name, p in layered:
        data = p.detach().double()
        gains[name] = float(data.std()) * math.sqrt(data[0].numel())
        if not bool(data.any()):
            zero.append(name)
            continue
        bias = getattr(owners[id(p)], "bias", None)
        same_bias = not hasattr(bias, "dim") or bool((bias == bias.flatten()[0]).all())
        if len(p) > 1 and bool((data == data[:1]).all()) and same_bias:
            equal.append(name)
    if not layered:
        return "There are no weights of layers.", None
    first, guess = bench.loss_value(), guessing(bench)
    middle = sorted(gains.values())[len(gains) // 2]
    far = guess is not None and not first <= 3 * abs(guess[0]) + 1
    found = {"gain": middle, "zero": len(zero), "of": len(layered), "equal": equal, "far": far}
    found["hidden"] = [n for n in equal if n != layered[-1][0]]
    says = f"Spread times the root of a layer's inputs: {numbers(gains.values())}."
    if found["hidden"]:
        says += f" All units are alike in {', '.join(found['hidden'][:4])}."
    return says, found


@dial("weights", "usual")
def spread(found):
    """Judge how large they are; large ones matter if the first loss is far above that of guessing."""
    if found["zero"] == found["of"] > 1:
        return "all zero"
    return "too large" if found["gain"] > 2.5 and found["far"] else "usual"


@dial("units", "different")
def units(found):
    return "alike" if found["hidden"] and found["zero"] < found["of"] else "different"


def parameters(bench):
    """Read which parameters the loss depends on, and which leaves of its graph are no parameters."""
    bench.gradient()
    scores = bench.scores(bench.x)
    found = bench.loss_fn(scores, bench.y)
    here = {id(each) for each in [*bench.parameters(), *each_tensor(bench.x), *each_tensor(bench.y)]}
    strange = [leaf for leaf in leaves_of(*(each_tensor(scores) or [found])) if id(leaf) not in here]
    beside = {id(leaf) for leaf in leaves_of(found)} - here - {id(leaf) for leaf in strange}
    again = {id(leaf) for leaf in leaves_of(bench.loss())} if strange else set()
    kept, anew = [], []
    for leaf in strange:
        if id(leaf) in again:
            kept.append(leaf)
        elif type(leaf) is bench.torch.nn.Parameter:
            anew.append(leaf)
    missed = [(name, p) for name, p in bench.named.items() if p.requires_grad and p.grad is None]
    cut, unused, aside = [], [], []
    for name, p in missed:
        (aside if bench.optimizer and not bench.moved(p) else cut if counts(bench, p) else unused).append(name)
    count, frozen = len(bench.learnable), len(bench.named) - len(bench.learnable)
    says = [f"{count - len(missed)} of {count} reached."]
    for names, said in (
        (cut, "No gradient reaches these, though the loss changes with them"),
        (unused, "Not used by this loss"),
        (aside, "Neither reached nor moved by the optimizer"),
    ):
        if names:
            says.append(f"{said}: {join_names(names)}.")
    if cut:
        says.append("If a detach() or a no_grad() is meant there, set their requires_grad to False.")
    if frozen:
        says.append(f"{frozen} more {'are' if frozen > 1 else 'is'} frozen: requires_grad is False.")
    if kept:
        shapes = ", ".join(str(tuple(leaf.shape)) for leaf in kept[:4])
        says.append(f"The loss depends on {len(kept)} leaves that are not parameters of the model: {shapes}.")
    bench.beside = len(beside)
    if beside:  # another network in the loss, say; or targets that ask for a gradient
        says.append(f"The loss function itself has {len(beside)} leaves, which this optimizer does not move.")
    if anew:
        says.append(f"{len(anew)} parameters are created again in each pass, so they cannot learn.")
    found = {"reached": count - len(missed), "of": count, "cut": cut, "unused": unused, "aside": aside}
    found["dropped"] = unused and computed(bench, unused)
    if found["dropped"]:
        says.append("What these compute is thrown away.")
    return " ".join(says), found | {"leaves": len(kept) + len(anew)}


def join_names(names):
    return f"{', '.join(names[:6])}{' and others' if len(names) > 6 else ''}"


def computed(bench, names):
    """Return whether all modules that own these parameters run."""
    owners = {bench.model.get_submodule(name.rpartition(".")[0]) for name in names}
    if any(isinstance(each, bench.torch.jit.ScriptModule) for each in owners):
        return False  # it does not take hooks
    ran = set()
    hooks = [each.register_forward_pre_hook(lambda module, given: ran.add(module)) for each in owners]
    try:
        bench.loss_value()
    finally:
        for hook in hooks:
            hook.remove()
    return ran == owners


def counts(bench, p):
    move = bench.torch.randn_like(p) * (p.detach().abs().mean() + 0.1)
    before = bench.loss_value()
    with bench.moved_by({p: move}, 1.0):
        return bench.loss_value() != before


def leaves_of(*ends):
    """Return the leaves that a backward pass from some tensors adds to."""
    found, stack, seen = [], [each.grad_fn for each in ends], set()
    while stack:
        step = stack.pop()
        if step is None or step in seen:
            continue
        seen.add(step)
        if hasattr(step, "variable"):
            found.append(step.variable)
        stack += [each for each, _ in step.next_functions]
    return found


@dial("parameters reached", "all", noticed=("all that are used",))
def reached(found):
    """Judge how many parameters are reached, of those that are used and that the optimizer has."""
    if not found["reached"]:
        return "none" if found["of"] else "all are frozen"
    if found["dropped"] and 2 * len(found["unused"]) >= found["of"]:
        return "most are computed and dropped"
    return "some" if found["cut"] else "all that are used" if found["unused"] or found["aside"] else "all"


@dial("leaves", "parameters")
def leaves(found):
    return "others, too" if found["leaves"] else "parameters"


def layers(bench):
    """Read the root mean square of each gradient of two dimensions or more, first layer to last."""
    loss = bench.gradient()
    odd = [name for name, p in bench.named.items() if p.grad is not None and not dense(p.grad).isfinite().all()]
    if odd and math.isfinite(loss):
        kind = "nan" if dense(bench.named[odd[0]].grad).isnan().any() else "inf"
        more = f" and {len(odd) - 1} more" if odd[1:] else ""
        says = f"The loss is {rounded(loss)}, and there is {kind} in the gradient of {odd[0]}{more}."
        return says, {"sizes": [math.nan]}
    first = sizes(bench)
    if not first:
        return "There are no weights of two dimensions.", None
    later = dict(first)
    if not all(first.values()) and bench.size():
        optimizer = make_adam(bench)
        for _ in range(STEPS):
            optimizer.step()
            bench.gradient()
            later = {name: max(size, later[name]) for name, size in sizes(bench).items()}
    says = f"Sizes, first layer to last: {numbers(first.values())}."
    if later != first and min(later.values()) > 0:
        says += f" Those of 0 have a gradient after {STEPS} steps."
    return says, {"sizes": list(later.values()), "coarse": bench.coarse}


def sizes(bench):
    """Return {name: size} of the gradients of weights that can learn; of a table, only of the rows looked up."""
    found = {}
    for name, p in bench.weights:
        if p.grad is None and ((bench.optimizer and not bench.moved(p)) or not counts(bench, p)):
            continue
        gradient = dense(p.grad) if p.grad is not None else bench.torch.zeros(1)
        used = gradient.flatten(1).abs().sum(1) > 0 if gradient.dim() >= 2 else None
        rows = gradient[used] if used is not None and used.any() else gradient
        found[name] = float(rows.pow(2).mean().sqrt())
    return found


@dial("sizes of the gradients", "even")
def flow(found):
    found, coarse = found["sizes"], found.get("coarse")
    if not all(map(math.isfinite, found)):
        return "no number"
    if max(found) == 0:
        return "too small for 16 bits" if coarse else "none"
    if min(found) == 0:
        return "not in all layers"
    third = max(1, len(found) // 3)
    return "fading" if max(found[:third]) < 1e-3 * max(found[-third:]) else "even"


def step(bench):
    """Read how far one step() moves each layer's weights, and what that promises for the loss."""
    if not bench.steps_alone:
        return "There is no optimizer, or one whose step needs a function.", None
    before = bench.gradient()
    gradients, rate = bench.gradients(), max(group["lr"] for group in bench.optimizer.param_groups)
    moves, shares, moved = bench.moves(), {}, 0.0
    whole = [0.0, 0.0]
    for name, p in bench.weights:
        size, move = float(p.detach().double().norm()), float(moves[p].norm())
        if p in gradients:
            whole = [whole[0] + move**2, whole[1] + size**2]
        if size > 0 and p in gradients and float(gradients[p].norm()) > 0:
            shares[name] = move / size
    moved = sum(float(move.norm()) for move in moves.values())
    promise = sum(float((gradients[p] * moves[p]).sum()) for p in gradients)
    with bench.moved_by(moves, 1.0):
        after = bench.loss_value()
    says = f"First layer to last: {numbers(shares.values())}." if shares else "No weights have a gradient."
    if bench.optimizer.param_groups[0]["lr"] > rate:
        says += " (At the full rate of its schedule.)"
    left = [name for name, p in bench.named.items() if p.requires_grad and p in gradients and not bench.moved(p)]
    if left:
        says += f" The optimizer does not have {len(left)} of {len(bench.learnable)} parameters: {join_names(left)}."
    idle = {p for group in bench.optimizer.param_groups if group["lr"] == 0 for p in group["params"]}
    still = [name for name, p in bench.named.items() if p in idle and p in gradients and not moves[p].any()]
    if still and moved:
        says += f" At a rate of 0 the optimizer does not move these: {join_names(still)}."
    decay = shrinking(bench, moves)
    if decay > DECAY:
        says += f" Weight decay alone shrinks the weights by {100 * decay:.2g} % at each step."
    return says, {
        "still": len(still),
        "idle": rate == 0,
        "summed": steady(bench),
        "decay": decay,
        "shares": list(shares.values()),
        "whole": math.sqrt(whole[0] / whole[1]) if whole[1] else 0.0,
        "moved": moved,
        "weights": math.sqrt(whole[0]),
        "left": len(left),
        "sum": bench.sums,
        "after": after / before if before > 0 else 0.0,
        "brings": abs(promise) / max(abs(before), 1e-12),
    }


@dial("what a step moves", "usual", "little", "far", noticed=("a part does not move",))
def reach(found):
    shares = found["shares"]
    if not math.isfinite(found["moved"]):
        return "no number"
    if found["moved"] == 0:
        return "nothing, at a rate of 0" if found["idle"] else "nothing"
    if found["left"]:
        return "not all layers"
    if found["still"]:
        return "a part does not move"
    if found["weights"] == 0:
        return "only biases"
    if not shares:
        return "usual"
    if (found["whole"] > 0.5 and not found["after"] < 1) or (max(shares) > BAND[1] and not found["after"] < 2):
        return "too far"  # and it has not brought the loss down
    if found["summed"] > 11 and max(shares) * found["summed"] > 3:
        return "too far"  # because momentum adds up
    if found["sum"] and max(shares) > 2 * BAND[1]:
        return "too far"  # a rate fits one loss only
    if max(shares) < 1e-5 and found["brings"] < 1e-5:
        return "hardly"
    return "little" if max(shares) < BAND[0] else "far" if max(shares) > BAND[1] else "usual"


def steady(bench):
    """Return how many first steps a step amounts to under a constant gradient, by SGD's momentum; 1 without it."""
    groups = bench.optimizer.param_groups
    plainly = [1 - g["momentum"] for g in groups if g.get("momentum") and not g.get("dampening")]
    return 1 / max(min(plainly, default=1.0), 1e-6)


def shrinking(bench, moves):
    """Return the share of all weights that a step takes off by weight decay."""
    plainly = bench.moves(weight_decay=0.0)
    inner = sum(float(((plainly[p] - move) * p.detach().double()).sum()) for p, move in moves.items())
    whole = sum(float(p.detach().double().pow(2).sum()) for p in moves)
    return inner / whole if whole and math.isfinite(inner) else 0.0


@dial("weight decay", "usual")
def decay(found):
    """Judge whether weight decay shrinks the weights faster than they could be learned."""
    return "far too strong" if found["decay"] > DECAY else "usual"
