"""Turn the account of a watched loop into readings: one row per question, healthy or not, or why it is unknown."""

import itertools
import os
from collections import Counter

from exercises.clinic.overview import Row
from exercises.clinic.readings import Dial
from exercises.clinic.watch_recorder import FEW

NAMED = 4  # the most parameters that are listed by name


def readings(recorder):
    """Return the Rows of all questions."""
    if recorder.trouble:
        return [unmeasured(title, recorder.trouble) for title, _ in QUESTIONS]
    if not recorder.steps:
        skipped = sum(ledger.scaler["skipped"] for ledger in recorder.ledgers)
        why = "the optimizer took no step while it was watched" + (f"; the scaler skipped {skipped}" if skipped else "")
        others = " (another optimizer did)" if recorder.others else ""
        rows = [unmeasured(title, why + others) for title, _ in QUESTIONS]
        return rows if not recorder.operations.first else [*rows[:-1], finite(recorder, "Finite numbers")]
    return [question(recorder, title) for title, question in QUESTIONS]


def unmeasured(title, why):
    return Row(title, f"Could not be measured: {why}.")


def judged(title, word, says, healthy, noticed=()):
    """Return a Row with one dial, whose word is one of the healthy ones or not."""
    return Row(title, says, ((Dial(title, title, None, healthy, noticed), word),))


def total(recorder, name):
    return sum(getattr(ledger, name) for ledger in recorder.ledgers)


def cleared(recorder, title):
    """Judge whether each step uses the gradients since the last one, and those alone."""
    healthy = ("once per step",)
    ledgers, steps = recorder.ledgers, recorder.steps
    wiped, carried, stale = (total(recorder, name) for name in ("wiped", "carried", "stale"))
    for site, fates in ((site, fates) for ledger in ledgers for site, fates in ledger.fates.items()):
        if fates["used"] and fates["thrown away"] >= max(2, fates["used"]):
            says = (
                f"{fates['thrown away']} of {sum(fates.values())} backward passes{line(site)} were cleared before a "
                "step used them: zero_grad() belongs next to step(), once for each."
            )
            return judged(title, "too often", says, healthy)
    if wiped and 2 * wiped >= steps:
        says = f"At {wiped} of {steps} steps, zero_grad() came between backward() and step(): nothing was left to use."
        return judged(title, "before the step", says, healthy)
    if carried:
        says = (
            f"At {carried} of {steps} steps, the gradient still contained that of earlier steps: zero_grad() is "
            "missing, comes too rarely, or clears other parameters."
        )
        return judged(title, "never" if carried + len(ledgers) >= steps else "not always", says, healthy)
    if stale >= 2 and 2.5 * stale >= steps:
        says = f"{stale} of {steps} steps used a gradient again: step() was called twice for one backward()."
        return judged(title, "used twice", says, healthy)
    if steps < 2:
        return unmeasured(title, "one step does not show what becomes of its gradient")
    if total(recorder, "empty") >= steps - 1:
        return unmeasured(title, "no gradient reached the optimizer")
    return judged(title, healthy[0], f"Each of {steps} steps used its own gradients.", healthy)


def accumulated(recorder, title):
    """Judge whether the losses of several passes per step are divided by their number."""
    healthy = "one pass per step", "divided", "sums", "changed by hand"
    found = [each for ledger in recorder.ledgers for each in usual(ledger.accumulations)]
    if not found:
        within = "passes are not counted for an optimizer that takes a closure, or steps during backward()"
        why = within if total(recorder, "uncounted") else "no backward pass was seen to lead to a step"
        return unmeasured(title, why)
    words = {word: number for number, word in sorted(found) if number > 1}
    many = words.get("not divided", max(number for number, _ in found))
    if many == 1:
        return judged(title, healthy[0], "Each step uses one backward pass of each loss.", healthy)
    if "not divided" in words:
        says = f"{many} backward passes add up for a step, each of a loss that is a mean: the gradient is {many} times "
        says += f"as large as that of one batch. Write (loss / {many}).backward()."
        return judged(title, "not divided", says, ("divided",))
    if {*words} == {"not known"}:
        return unmeasured(
            title, f"{many} passes add up for a step, and the graph does not show if their loss is a mean"
        )
    word = next(each for each in healthy if each in words)
    return judged(title, word, f"{many} backward passes add up for a step.", healthy)


def usual(found):
    """Return the steps with the usual number of passes, if several: at the end of an epoch, some may be left over."""
    numbers = Counter(number for number, _ in found if number > 1)
    return [each for each in found if each[0] == max(numbers, key=numbers.get, default=1)]


def clipped(recorder, title):
    """Judge whether clipping comes after backward, and after the scaler's unscale."""
    healthy = ("before the step",)
    clips = {key: sum(ledger.clips[key] for ledger in recorder.ledgers) for key in ("calls", "too early", "nothing")}
    scaled = sum(ledger.clips["before unscale_"] for ledger in recorder.ledgers)
    calls = clips["calls"]
    if not calls:
        return unmeasured(title, "clip_grad_norm_ and clip_grad_value_ were not called")
    if scaled:
        says = (
            f"{scaled} of {calls} times gradients were clipped that the scaler had multiplied by {recorder.scale_of:g}"
        )
        return judged(title, "before unscale_", f"{says}: call scaler.unscale_(optimizer) first.", healthy)
    if clips["nothing"] == calls:
        return judged(title, "nothing", "It was given no parameters: model.parameters() can be read once.", healthy)
    if 2 * clips["too early"] > calls:
        says = f"{clips['too early']} of {calls} times there was no new gradient to clip: call it after backward()."
        return judged(title, "not before the step", says, healthy)
    return judged(title, healthy[0], f"Called {calls} times, after backward().", healthy)


def scaled(recorder, title):
    """Judge whether what the scaler has multiplied is divided again before the step."""
    healthy = ("scaled and unscaled",)
    counts = {
        key: sum(ledger.scaler[key] for ledger in recorder.ledgers) for key in ("not unscaled", "loss not scaled")
    }
    steps = sum(ledger.scaler["steps"] for ledger in recorder.ledgers)
    if counts["not unscaled"]:
        says = f"{counts['not unscaled']} steps used gradients of a scaled loss: call scaler.step(optimizer)."
        return judged(title, "not unscaled", says, healthy)
    if counts["loss not scaled"]:
        says = f"scaler.step() divided the gradients of {counts['loss not scaled']} losses that were never scaled."
        return judged(title, "loss not scaled", says, healthy)
    if not steps:
        return unmeasured(title, "the GradScaler is disabled" if recorder.disabled else "no GradScaler was used")
    skipped = sum(ledger.scaler["skipped"] for ledger in recorder.ledgers)
    says = f"{steps - skipped} step{'s' * (steps - skipped != 1)} taken, {skipped} skipped by the scaler."
    return judged(title, healthy[0], says, healthy)


def scheduled(recorder, title):
    """Judge whether a scheduler comes after its optimizer, and has the optimizer that steps."""
    healthy = ("after the optimizer",)
    held = {*recorder.optimized()}
    for optimizer in recorder.foreign:
        if held & {id(p) for group in optimizer.param_groups for p in group["params"]}:
            says = (
                "The scheduler changes the rate of another optimizer, which has the same parameters but takes no steps."
            )
            return judged(title, "of another optimizer", says, healthy)
    if any(ledger.early == 1 for ledger in recorder.ledgers):
        says = "scheduler.step() came before the first optimizer.step(): the first rate of the schedule is left out."
        return judged(title, "before the optimizer", says, healthy)
    calls = total(recorder, "schedule")
    if not calls:
        return unmeasured(title, "no scheduler of torch.optim.lr_scheduler took a step while it was watched")
    rates = [rate for ledger in recorder.ledgers for rate in (ledger.rates[:1] + ledger.rates[-1:])]
    return judged(title, healthy[0], f"{calls} calls; rate {rates[0]:.3g} at first, {rates[-1]:.3g} at last.", healthy)


def modes(recorder, title):
    """Judge whether steps are taken in training mode, and evaluation is not."""
    healthy, noticed = ("right",), ("eval while training", "training while evaluating, one batch")
    log = recorder.mode_log
    first = next((i for i, (_, training, _) in enumerate(log) if training), None)
    ill = [
        (step, names) for i, (step, training, names) in enumerate(log) if not training and (first is None or i > first)
    ]
    if ill:
        step, names = ill[0]
        says = f"{len(ill)} of {len(log)} steps were taken in eval mode, from step {step} on ({of_modules(names)})"
        drops = any("Norm" not in type(module).__name__ for module in modules(recorder, names))
        word = "eval left on" if first is not None else "eval from the start" if drops else noticed[0]
        return judged(title, word, f"{says}: call model.train() before training goes on.", healthy, noticed)
    often = max(2, recorder.steps / 2)  # a single batch in each step is part of the step: a teacher's, say
    quiet = {name: n for (name, n), times in sorted(recorder.most_quiet.items()) if n > 1 or times < often}
    if quiet:
        batches = max(quiet.values())
        word = "training while evaluating" if batches > 1 else noticed[1]
        says = (
            f"{batches} batch{'es' * (batches > 1)} in a row ran under no_grad in training mode ({of_modules(quiet)})"
        )
        return judged(title, word, f"{says}: call model.eval() before evaluating.", healthy, noticed)
    if not log:
        return unmeasured(title, "no dropout or batch norm layer that learns was run")
    return judged(title, healthy[0], f"{len(log)} steps in training mode.", healthy)


def modules(recorder, names):
    return [module for root in recorder.models for name, module in root.named_modules() if name in names]


def graphs(recorder, title):
    """Judge whether the graphs of earlier losses are freed."""
    healthy, alive = ("freed",), recorder.alive
    if len(alive) < FEW + 2:
        return unmeasured(title, f"it takes {FEW + 2} steps to see whether memory grows")
    grown = sum(b > a for a, b in itertools.pairwise(alive))
    if max(alive) >= FEW and grown >= 0.75 * (len(alive) - 1) - 2:
        says = (
            f"The graphs of up to {max(alive)} earlier losses were still in memory: store loss.item() or loss.detach()."
        )
        return judged(title, "kept", says, healthy)
    says = f"Of earlier losses, at most {max(alive)} {'was' if max(alive) == 1 else 'were'} still in memory."
    says = says if max(alive) else "No graph of an earlier loss was still in memory."
    return judged(title, healthy[0], says, healthy)


def reached(recorder, title):
    """Judge whether the optimizer's parameters get gradients and move."""
    healthy, noticed = ("all",), ("some get no gradient", "rate 0")
    optimized, names = recorder.optimized(), recorder.names
    trainable = {key for key, p in optimized.items() if p.requires_grad}
    never = trainable - {key for ledger in recorder.ledgers for key in ledger.reached}
    has_moved = {key for ledger in recorder.ledgers for key in ledger.moved}
    never -= has_moved
    operations = recorder.operations
    frozen, at_rest = (
        {key for ledger in recorder.ledgers for key, n in getattr(ledger, kind).items() if n > 1} - has_moved
        for kind in ("stuck", "at_rest")
    )
    rates = [rate for ledger in recorder.ledgers for rate in ledger.rates]
    if not any(rates) and len(rates) > 2:
        return judged(title, noticed[1], "The learning rate was 0 at every step.", healthy, noticed)
    if frozen:
        says = f"Steps are too small to change them, so they round to nothing: {join_names(frozen, names)}."
        return judged(title, "some never move", says, healthy, noticed)
    if never == trainable:
        says = "No backward pass reached any parameter of the optimizer."
        return judged(title, "none gets a gradient", says, healthy, noticed)
    if never and never & operations.used and operations.cut_sites:
        says = f"No gradient reaches {join_names(never, names)}: the graph is cut{line(operations.cut_sites[0])}."
        return judged(title, "cut off", says, healthy, noticed)
    if never:
        where = (
            "they are used, but not for the loss"
            if never & operations.used
            else "they are not used for the loss, or only through .data or under no_grad"
        )
        if not never & {*names}:
            many = f"{len(never)} parameter{'s' * (len(never) > 1)}"
            says = f"The optimizer holds {many} that the model does not have: was a layer replaced after it was made?"
            return judged(title, noticed[0], says, healthy, noticed)
        says = f"No gradient reaches {join_names(never, names)}: {where}."
        return judged(title, noticed[0], says, healthy, noticed)
    if at_rest:
        says = f"The learning rate of these is 0: {join_names(at_rest, names)}."
        return judged(title, noticed[1], says, healthy, noticed)
    return judged(title, healthy[0], f"All {len(trainable)} in the optimizer get gradients.", healthy)


def held(recorder, title):
    """Judge whether an optimizer has each parameter that can learn."""
    healthy, noticed = ("all",), ("the last layers only",)
    names, known = recorder.names, {*recorder.optimized(), *recorder.others}
    trainable = [p for p in recorder.named.values() if p.requires_grad]
    by_hand = {id(p) for p in trainable if id(p) in recorder.at_start and moved(recorder, p)}
    missing = [id(p) for p in trainable if id(p) not in known | by_hand]
    missing = [
        key
        for key in missing
        if key in recorder.reached or (not recorder.operations.why_not and key in recorder.operations.used)
    ]
    strangers = {key: site for key, (p, site) in recorder.operations.strangers.items() if key not in known}
    if missing:
        order = [id(p) for p in trainable]
        last = order.index(missing[-1]) < min((order.index(key) for key in order if key in known), default=-1)
        says = f"The optimizer is missing {len(missing)} of {len(order)} parameters: {join_names(missing, names)}."
        return judged(title, noticed[0] if last else "not all", says, healthy, noticed)
    if strangers:
        where = line(next(iter(strangers.values())))
        says = f"The model uses {len(strangers)} parameters that model.parameters() does not list{where}"
        return judged(
            title, "not registered", f"{says}: keep layers in an nn.ModuleList, not in a list.", healthy, noticed
        )
    return judged(title, healthy[0], f"An optimizer has all {len(trainable)} that can learn.", healthy)


def moved(recorder, p):
    now = p.detach().reshape(-1)[:256]
    return not recorder.torch.equal(now, recorder.at_start[id(p)])


def finite(recorder, title):
    """Judge whether losses and gradients are finite."""
    first = recorder.operations.first
    return judged(title, "not finite" if first else "finite", first or "All losses and gradients.", ("finite",))


def join_names(keys, names):
    """Return parameters by name, the first few."""
    every = [name for key, name in names.items() if key in keys] or ["parameters that are not the model's"]
    return shortened(every)


def shortened(names):
    names = list(names)
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def of_modules(names):
    """Return modules by name; the names of those in an nn.Sequential are numbers."""
    return f"module{'s' * (len(names) > 1)} {shortened(names)}"


def line(site):
    """Return the innermost line of the loop's own code as words."""
    return f" ({os.path.basename(site[0][0])}, line {site[0][1]})" if site else ""


QUESTIONS = (
    ("Gradients cleared", cleared),
    ("Accumulation", accumulated),
    ("Clipping", clipped),
    ("Gradient scaler", scaled),
    ("Scheduler", scheduled),
    ("Modes", modes),
    ("Graphs of earlier losses", graphs),
    ("Parameters reached", reached),
    ("Parameters in the optimizer", held),
    ("Finite numbers", finite),
)
