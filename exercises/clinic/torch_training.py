"""What is read on a PyTorch model's losses, gradients and steps. Each reading gives a sentence and its numbers."""

import itertools
import math

from exercises.clinic.numbers import numbers, rounded
from exercises.clinic.readings import dial
from exercises.clinic.torch_bench import dense, each_tensor
from exercises.clinic.torch_heart import plain
from exercises.clinic.torch_loss import guessing
from exercises.clinic.torch_stops import held_back

SHARE = 1e-3  # of the loss: what a small step is to bring, small beside the loss and large beside rounding
STEPS = 3  # after which a layer that began at 0, and those before it, have gradients
BAND = 1e-3, 0.1  # of the weights: what a step usually moves (lesson 12)
DECAY = 0.03  # of the weights, taken off at each step: half of them in 23 steps
CHECKED = 40  # parameters whose gradients are checked, at most


def first_loss(bench):
    """The first loss, beside that of guessing."""
    first, guess, classes = bench.loss_value(), guessing(bench), None
    if guess is not None and guess[1]:
        classes = guess[1]
    found = {"first": first, "guess": guess and guess[0]}
    says = f"{rounded(first)}."
    if classes:
        says = f"{rounded(first)}; guessing costs ln {classes} = {math.log(classes):.4g}."
    elif guess:
        says = f"{rounded(first)}; {rounded(guess[0])} where all {guess[2]}."
    return says, found


@dial("first loss", "near guessing", "above guessing", "below guessing", "far above guessing but left behind")
def start(found):
    """Where it is; a model that has learned is below, and one at its beginning may be somewhat above."""
    first, guess = found["first"], found["guess"]
    if not math.isfinite(first):
        return "no number"
    if guess is None:
        return "near guessing"
    if first > 3 * abs(guess) + 1:
        return "far above guessing"
    return "above guessing" if first > guess + 0.9 else "near guessing" if first > guess - 0.35 else "below guessing"


def parameters(bench):
    """Which of the parameters the loss depends on, and which leaves of its graph are none."""
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
        (cut, "No gradient comes to these, though the loss changes with them"),
        (unused, "Not used by this loss"),
        (aside, "Neither reached nor moved by the optimizer"),
    ):
        if names:
            says.append(f"{said}: {listed(names)}.")
    if cut:
        says.append("If a detach() or a no_grad() is meant there, set their requires_grad to False.")
    if frozen:
        says.append(f"{frozen} more {'are' if frozen > 1 else 'is'} frozen: requires_grad is False.")
    if kept:
        shapes = ", ".join(str(tuple(leaf.shape)) for leaf in kept[:4])
        says.append(f"The loss depends on {len(kept)} leaves that are no parameters of the model: {shapes}.")
    bench.beside = len(beside)
    if beside:  # another network in the loss, say; or targets that ask for a gradient
        says.append(f"The loss function has {len(beside)} leaves of its own, which this optimizer does not move.")
    if anew:
        says.append(f"{len(anew)} parameters are made anew at each pass, so they cannot learn.")
    found = {"reached": count - len(missed), "of": count, "cut": cut, "unused": unused, "aside": aside}
    return " ".join(says), found | {"leaves": len(kept) + len(anew)}


def listed(names):
    """Some names, not all of many."""
    return f"{', '.join(names[:6])}{' and others' if len(names) > 6 else ''}"


def counts(bench, p):
    """Whether the loss changes with a parameter."""
    move = bench.torch.randn_like(p) * (p.detach().abs().mean() + 0.1)
    before = bench.loss_value()
    with bench.moved_by({p: move}, 1.0):
        return bench.loss_value() != before


def leaves_of(*ends):
    """The leaves that a backward pass from some tensors adds to."""
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


@dial("parameters reached", "all", "all that are used")
def reached(found):
    """How many of them, of those that are used and that the optimizer has."""
    if not found["reached"]:
        return "none" if found["of"] else "all are frozen"
    return "some" if found["cut"] else "all that are used" if found["unused"] or found["aside"] else "all"


@dial("leaves", "parameters")
def leaves(found):
    """Whether there are leaves that no optimizer will move."""
    return "others, too" if found["leaves"] else "parameters"


def layers(bench):
    """The root of the mean square of each gradient of two dimensions or more, first layer to last."""
    bench.gradient()
    first = sizes(bench)
    if not first:
        return "There are no weights of two dimensions.", None
    later = dict(first)
    if not all(first.values()) and bench.size():
        optimizer = plain(bench)
        for _ in range(STEPS):
            optimizer.step()
            bench.gradient()
            later = {name: max(size, later[name]) for name, size in sizes(bench).items()}
    says = f"Sizes, first layer to last: {numbers(first.values())}."
    if later != first and min(later.values()) > 0:
        says += f" Those of 0 have a gradient after {STEPS} steps."
    return says, {"sizes": list(later.values()), "coarse": bench.coarse}


def sizes(bench):
    """{name: size} of the gradients of weights that can learn; of a table, of the rows that were looked up."""
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
    """How even they are over the layers."""
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
    """What one step() really moves, of each layer's weights; and what that promises the loss."""
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
        says += f" The optimizer does not have {len(left)} of {len(bench.learnable)} parameters: {listed(left)}."
    idle = {p for group in bench.optimizer.param_groups if group["lr"] == 0 for p in group["params"]}
    still = [name for name, p in bench.named.items() if p in idle and p in gradients and not moves[p].any()]
    if still and moved:
        says += f" At a rate of 0 the optimizer does not move these: {listed(still)}."
    decay = shrinking(bench, moves)
    if decay > DECAY:
        says += f" Weight decay alone takes {100 * decay:.2g} % off the weights at each step."
    return says, {
        "still": len(still),
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


@dial("what a step moves", "usual", "little", "far")
def reach(found):
    """How far the weights move: usual is the band of lesson 12."""
    shares = found["shares"]
    if not math.isfinite(found["moved"]):
        return "no number"
    if found["moved"] == 0:
        return "nothing"
    if found["left"]:
        return "not all layers"
    if found["still"]:
        return "a part does not move"
    if found["weights"] == 0:
        return "only biases"
    if not shares:
        return "usual"
    if (found["whole"] > 0.5 and not found["after"] < 1) or (max(shares) > BAND[1] and not found["after"] < 2):
        return "too far"  # and it has not come down by it
    if found["sum"] and max(shares) > 2 * BAND[1]:
        return "too far"  # a rate belongs to a loss
    if max(shares) < 1e-5 and found["brings"] < 1e-5:
        return "hardly"
    return "little" if max(shares) < BAND[0] else "far" if max(shares) > BAND[1] else "usual"


def shrinking(bench, moves):
    """The share of all weights that a step takes off by weight decay."""
    plainly = bench.moves(weight_decay=0.0)
    inner = sum(float(((plainly[p] - move) * p.detach().double()).sum()) for p, move in moves.items())
    whole = sum(float(p.detach().double().pow(2).sum()) for p in moves)
    return inner / whole if whole and math.isfinite(inner) else 0.0


@dial("weight decay", "usual")
def decay(found):
    """Whether it takes the weights away faster than they could be learned."""
    return "far too strong" if found["decay"] > DECAY else "usual"


def small_step(bench):
    """The change of the loss in a small step of the optimizer's own kind, divided by what the slope promises.

    The step is the optimizer's own without weight decay, shortened; what it leaves out would move by its rate. The
    change is half the difference between a step on and a step back, so that a bend of the loss does not matter.
    """
    before = bench.gradient()
    gradients = bench.gradients()
    if not bench.size():
        return "The gradient is 0: there is nothing to divide by.", {"ratio": math.nan, "none": True}
    if bench.random or bench.coarse:
        return f"Left out, as the loss is {'random' if bench.random else 'in 16 bits'}.", None
    if bench.steps_alone:
        moves, kind = bench.moves(weight_decay=0.0), f"a step of {type(bench.optimizer).__name__}, shortened"
    else:
        moves, kind = {p: -gradient for p, gradient in gradients.items()}, "a plain step"
    moves = {p: move for p, move in moves.items() if float(move.abs().sum()) > 0}
    squares = {p: float((g**2).sum()) for p, g in gradients.items()}
    with_gradient = [p for p in gradients if p in moves and squares[p]]
    rates = [float(moves[p].norm()) / math.sqrt(squares[p]) for p in with_gradient]
    rate = sorted(rates)[len(rates) // 2] if rates else 1.0
    promise = -sum(abs(float((gradients[p] * moves[p]).sum())) for p in with_gradient)
    promise -= rate * sum(square for p, square in squares.items() if p not in moves)
    if not math.isfinite(promise) or promise == 0 or not math.isfinite(before):
        return "There is no number to divide by.", {"ratio": math.nan, "none": False}
    ratios = []
    for part in (1, 0.1, 0.01):
        share, both = part * SHARE * max(abs(before), SHARE) / -promise, []
        for way in (share, -share):
            with bench.moved_by(moves, way):
                both.append(bench.loss_value())
        change = (both[0] - both[1]) / 2
        ratios.append(change / (share * promise))
        if near(ratios[-1], 1.0) or (len(ratios) > 1 and near(*ratios[-2:])):
            break
    says = f"The loss changed by {rounded(change)} in {kind}; the slope promises {rounded(share * promise)}. "
    says, found = f"{says}Ratio: {rounded(ratios[-1])}.", {"ratio": ratios[-1], "none": False}
    if all(map(math.isfinite, ratios)) and not near(ratios[-1], 1.0) and not near(*ratios[-2:]):
        said = ", ".join(map(rounded, ratios))
        return f"{says} With steps ten times as short each, it is {said}: the loss bends here, or is rounded.", None
    return judged(bench, says, found, ratios[-1] > 0.05 and not near(ratios[-1], 1.0))


def near(ratio, other):
    """Whether two ratios are the same, as far as single precision can tell."""
    return abs(ratio - other) < 0.05 * max(1.0, abs(other))


def judged(bench, says, found, apart):
    """What an instrument returns: nothing for its dial, where its numbers are apart as a gradient is held back."""
    held = held_back(bench) if apart else ""
    return (f"{says} {held}", None) if held else (says, found)


@dial("ratio", "1")
def ratio(found):
    """What the step brings, of what it should."""
    share = found["ratio"]
    if found["none"] or not math.isfinite(share):
        return "no gradient" if found["none"] else "no number"
    for word, at in (("1", 1.0), ("-1", -1.0), ("0", 0.0)):
        if abs(share - at) < 0.05:
            return word
    return "between 0 and 1" if 0 < share < 1 else "above 1" if share > 1 else "below 0"


def check(bench):
    """The slope along each parameter's gradient, beside nudges of it: the nearest of three, as a loss may have kinks.

    All is done a little beside where the model stands, as a relu of a bias of 0 stands on its kink.
    """
    before = bench.loss_value()
    if bench.random or bench.coarse or not math.isfinite(before):
        why = "random" if bench.random else "in 16 bits" if bench.coarse else "no number"
        return f"Left out, as the loss is {why}.", None
    bench.seeded()
    aside = {p: bench.torch.randn_like(p) * (0.05 * p.detach().abs().mean() + 5e-3) for p in bench.parameters()}
    with bench.moved_by(aside, 1.0):
        found = nudged(bench)
    if found is None:
        return "There is no gradient to check.", None
    worst, where, count = found
    says = f"Of {count} slopes, the largest difference from nudging is {100 * worst:.2g} % ({where})."
    return judged(bench, says, {"error": worst}, worst >= 0.08)


def nudged(bench):
    """(the largest error, beside its slope, of which parameter, of how many slopes); None where there are none."""
    before = bench.gradient()
    gradients = bench.gradients()
    slopes = {p: float(g.norm()) for p, g in gradients.items()}
    largest = max(slopes.values(), default=0.0)
    tried = sorted((p for p in slopes if slopes[p] > 0.02 * largest), key=slopes.get, reverse=True)[:CHECKED]
    errors = []
    for p in tried:
        found, direction = [], gradients[p] / slopes[p]
        for share in (SHARE / 10, SHARE, SHARE / 100):
            way, both = share * max(abs(before), SHARE) / slopes[p], []
            for nudge in (way, -way):
                with bench.moved_by({p: direction}, nudge):
                    both.append(bench.loss_value())
            found.append((both[0] - both[1]) / (2 * way) / slopes[p])
            if abs(found[-1] - 1) < 0.03:
                break
        error = min(abs(each - 1) for each in found)
        agree = min((abs(a - b) for a, b in itertools.combinations(found, 2)), default=0.0)
        short = way < 0.1 * float(
            p.detach().norm()
        )  # else it is no nudge; where they differ, a kink or rounding is near
        if error < 0.03 or (short and agree < error / 2) or not math.isfinite(error):
            errors.append((error, bench.names.get(id(p), "of the loss"), len(tried)))
    return max(errors, default=None)


@dial("gradients", "right")
def agreement(found):
    """Whether they are those of the loss, as far as single precision can tell."""
    return "right" if found["error"] < 0.08 else "wrong"


def kept(bench):
    """The size of the gradient after the fourth pass with the optimizer's zero_grad, beside that of a fresh one."""
    if bench.optimizer is None:
        return "It is the optimizer that sets gradients to 0, and none was given.", None
    bench.gradient()
    fresh = bench.size()
    bench.clear()
    for _ in range(4):
        bench.optimizer.zero_grad()
        found = bench.loss()
        if found.requires_grad:
            found.backward()
    held = bench.size()
    share = held / fresh if fresh else math.nan if held else 0.0
    says = f"Kept {rounded(held)}, fresh {rounded(fresh)}: {rounded(share)}."
    return says, {"ratio": share}
