"""Whether a part of an engine works: built, run within its limits, and asked by its exercise's check."""

import contextlib
import math
import sys
import types
from dataclasses import asdict

import numpy as np

from autograd.dual import Dual, forward_gradient
from exercises.engine_file import check
from exercises.engine_file.parts import BY_NAME, used
from exercises.engine_file.regions import NO_EXTRA, Region
from exercises.sandbox.guard import SAID, SECONDS, TimeUp, Trouble, guarded, raised, trying
from exercises.sandbox.output import Output, Printed
from exercises.verdicts.dual_arrays import forward_gradients, same_array
from exercises.verdicts.seen import NOT_YET


def build(own, place, extra=NO_EXTRA):
    """(names of the engine, {name: why it could not be run}) from the learner's regions and the course's parts.

    The regions are run one after the other; without one that fails the engine is built anew.
    """
    module = types.ModuleType("my_engine")
    names, below = vars(module), ""
    names["__file__"] = str(place)
    before, sys.modules["my_engine"] = sys.modules.get("my_engine"), module
    try:
        failing, why = first_that_fails(own, names, place)
        if not failing and extra.text.strip():
            below = ran(extra.text, "below your parts", names)
    finally:
        if before is None:
            sys.modules.pop("my_engine", None)
        else:
            sys.modules["my_engine"] = before
    if failing:
        names, broken = build({name: region for name, region in own.items() if name != failing}, place, extra)
        return names, {failing: why, **broken}
    return names, {"": below} if below else {}


def first_that_fails(own, names, place):
    """Run the parts in order; (name, why) of the first of the learner's that raises, ("", "") if none does."""
    for part in used(own):
        if part.name == "end":
            continue
        if (region := own.get(part.name)) is None:
            exec(part.code, names)
            continue
        if why := ran("\n" * (region.line - 1) + region.text, str(place), names):  # with the lines of the file
            return part.name, why
        if missing := [name for name in part.gives if name not in names]:
            return part.name, f"it does not define {missing[0]}"
        exec(part.wires, names)
    return "", ""


def ran(text, file, names):
    """Why a text of a learner's could not be run, in a sentence without its full stop; "" where it could."""
    try:
        with contextlib.redirect_stdout(Output()):
            guarded(lambda: exec(compile(text, file, "exec"), names))
    except TimeUp:
        return f"it had not ended after {SECONDS:g} seconds"
    except RecursionError:
        return "it calls itself over and over"
    except (SystemExit, Printed) as fault:
        return SAID[type(fault)][0].lower() + SAID[type(fault)][1:].removesuffix(".")
    except BaseException as fault:
        return raised(fault).removesuffix(".")
    return ""


def why_not(good, region, place):
    """Why a region is not right beside these; "" where it is, or where something else was wrong before."""
    if not region.name:
        return build(good, place, region)[1].get("", "")
    names, broken = build({**good, region.name: region}, place)
    why = broken.get(region.name) or judged(region.name, names)
    if not why and (why := works(names)) and works(build(good, place)[0]):
        return ""
    return why


def why_not_there(process, good, region, place):
    """What `why_not` says in another process; runner.Ended where the process has no answer."""
    good = {name: asdict(each) for name, each in good.items()}
    return process.ask("exercises.engine_file.trial:answer", good, asdict(region), str(place))


def answer(good, region, place):
    """What `why_not` says of plain data."""
    return why_not({name: Region(**each) for name, each in good.items()}, Region(**region), place)


def judged(name, names):
    """What the check of an exercise says against an engine's part; "" where it is right."""
    part = BY_NAME[name]
    if part.is_given:
        return works(names)
    verdict = check.judge(name, *(names[each] for each in part.gives))
    if verdict.state == NOT_YET:
        return "it is not finished"
    said = [*verdict.says, *(mistake.text() for mistake in verdict.mistakes)]
    return "" if verdict else " ".join(said).removesuffix(".")


def on_numbers(a, b, c, d, e):
    """An expression with all operations of a Value, numbers on either side of each, ints and floats.

    None of its leaves is used twice: whether contributions add up is asked by lesson 04.
    """
    left = ((1 + a) * 3 - b / 2 + (2.5 - c) * 0.5).tanh() * (4 / d)
    return left + (2 * e - 1.5).exp() / 2 - 7


def on_two(a, b, c, d, e):
    """The rest of them, between Values."""
    return ((a * b + 2) - 1 / c).tanh() + (d**2).relu().sigmoid() * (3 - e).exp()


NUMBERS = [0.5, -1.5, 2.0, 0.7, 2.5]
ARRAYS = [[0.5, -1.0, 2.0], [1.5, 0.5, -0.5]], [[1.0, -0.5], [0.25, 2.0], [-1.5, 1.0]], [0.75, -0.25]
CUBE = [[[0.3, -0.7, 1.1], [0.2, -0.4, 0.9]], [[0.6, -1.3, 0.8], [0.1, -0.5, 0.7]]]


def on_arrays(x, w, b):
    """An expression with all operations of a Tensor."""
    y = x[[1, 0, 1]] @ w - b
    return (y.tanh().sum(axis=1) * 2.0 + (b * y).relu().sum(axis=1)).sum()


def on_rows(x, w):
    """An expression with what is done to each row of a Tensor."""
    return ((x.softmax() * w.T).normalise() @ w).tanh().sum()


def on_axes(t):
    """Sums of an array of three axes along each of them."""
    sums = (
        (t.sum(axis=axis, keepdims=keep) * 0.3).tanh().sum() for axis in (0, 1, 2, -1, -2) for keep in (False, True)
    )
    return sum(sums, t.sum())


def works(names):
    """Why an engine as a whole gives something else than it should; "" where it does not."""
    try:
        for f in (on_numbers, on_two):
            right = [f(*map(Dual, NUMBERS)).value, *forward_gradient(f, NUMBERS)]
            found = passed_back(names["Value"], f, NUMBERS)
            if not all(math.isclose(got, true, rel_tol=1e-9, abs_tol=1e-12) for got, true in zip(found, right)):
                return "in an expression with all operations, gradients come out wrong"
        with trying("one round of training"):
            net = names["MLP"](2, [2, 1])
            losses = guarded(lambda: names["train"](net, [[0.0, 1.0]], [1.0], 0.01, 2))
        if len(losses) != 2:
            return "training gives no loss for each epoch"
        for f, arrays in ((on_arrays, ARRAYS), (on_axes, [CUBE]), (on_rows, ARRAYS[:2])):
            value, gradients = forward_gradients(f, list(map(np.array, arrays)))
            if not all(map(same_array, passed_back(names["Tensor"], f, arrays), [value, *gradients])):
                return "in an expression with all operations on arrays, gradients come out wrong"
        return of_ten_classes(names)
    except (Trouble, TimeUp) as fault:
        return " ".join(getattr(fault, "sentences", ("it does not end",))).removesuffix(".")
    except Exception as fault:
        return raised(fault).removesuffix(".")


def passed_back(make, f, numbers):
    """[value, gradients of the leaves] by an engine's class, from a root that held a gradient before."""
    with trying("the whole engine, in an expression with all of its operations"):
        leaves = [make(x) for x in numbers]
        root = guarded(lambda: f(*leaves))
        root.grad = root.grad + 5.0
        guarded(root.backward)
        return [root.data, *(leaf.grad for leaf in leaves)]


def of_ten_classes(names):
    """Why the cross-entropy of ten classes, each of them a target once, comes out wrong; "" where it does not."""
    z, targets = np.cos(np.arange(100.0)).reshape(10, 10), np.arange(10)[::-1]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    with trying("the cross-entropy of ten classes"):
        scores = names["Tensor"](z)
        loss = guarded(lambda: names["softmax_cross_entropy"](scores, targets))
        guarded(loss.backward)
    right = (-np.log(p[np.arange(10), targets]).mean(), (p - np.eye(10)[targets]) / 10)
    fine = all(map(same_array, (loss.data, scores.grad), right))
    return "" if fine else "in a cross-entropy of ten classes, gradients come out wrong"
