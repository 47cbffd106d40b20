"""Trials of an engine's parts: build it, run it within its limits, and have its exercise's check judge it."""

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from autograd.dual import Dual, forward_gradient
from exercises.engine_file import check
from exercises.engine_file.namespace import Namespace
from exercises.engine_file.parts import BY_NAME
from exercises.engine_file.places import FILE, TENSOR_FILE, file_of, order, slots_of
from exercises.engine_file.sources import Sources, key_of
from exercises.sandbox.guard import AnswerError, TimeUp, describe_exception, run_guarded, trying
from exercises.verdicts.dual_arrays import forward_gradients, same_array
from exercises.verdicts.results import NOT_YET


def build(sources, place, namespace=None):
    """Return (a Namespace, {(file, key): why it could not run}) of an engine with the course's items where needed.

    What cannot run is replaced by the course's. namespace: one to bring up to date.
    """
    namespace, broken = namespace or Namespace(place), {}
    while found := namespace.run(whole := sources.whole()):
        broken |= found
        sources = whole.without(found)
    return namespace, broken


def template_engine():
    """Return a fresh engine that is the course's throughout, with its names as attributes."""
    return SimpleNamespace(**build(Sources(), Path(FILE))[0].names)


def why_not(sources, keys, place):
    """Return why some items are not right next to the others; "" if they are, or if something was wrong before."""
    keys = {tuple(key) for key in keys}
    items = {(file, key_of(item)): item for file, item in sources.theirs()}
    asked = {name for key in keys if key in items and (name := sources.exercise_of(items[key].name))}
    namespace, broken = build(sources.as_theirs(asked), place)
    if why := next((broken[key] for key in broken if key in keys), ""):
        return why
    names = [items[key].name for key in keys if key in items]
    for exercise in sorted(asked):
        if why := judged(exercise, namespace.names):
            return why
    if any(is_place(name) for name in names) and (why := works(namespace.names)):
        return "" if works(build(sources.without(keys), place)[0].names) else why
    return ""


def is_place(name):
    """Return whether the engine itself uses a name."""
    return "." in name or name in order(FILE) or name in order(TENSOR_FILE)


def why_not_there(process, sources, keys, place):
    """Call `why_not` in another process; raise runner.Ended if the process has no answer."""
    asked = sources.texts(), sources.records, [list(key) for key in keys], str(place)
    return process.ask("exercises.engine_file.trial:answer", *asked)


def answer(texts, records, keys, place):
    """Call `why_not` with plain data."""
    return why_not(Sources.from_texts(texts, records), keys, Path(place))


def answers_of(exercise, names):
    """Return an engine's answers to an exercise, as its check takes them."""
    if exercise == "make_value":
        return [names["Value"]]
    found, part = [], BY_NAME[exercise]
    if part.methods:  # a class with these, and with what the learner has added to the node's class
        methods = vars(names[part.node])
        added = [member for member in methods if is_added(part.node, member)]
        own = {member: methods[member] for member in (*added, *part.methods)}
        return [*(names[name] for name in part.gives[:-1]), type(part.gives[-1], (), own)]
    for slot in slots_of(exercise):
        owner, _, member = slot.rpartition(".")
        found.append(vars(names[owner])[member] if owner else names.get(slot))
    return found


def is_added(node, member):
    """Return whether a member of Value or of Tensor is one that the course does not have."""
    return f"{node}.{member}" not in order(file_of(node)) and not member.startswith("__")


def judged(exercise, names):
    """Return the check's sentences against an engine's part; "" if it is right."""
    verdict = check.judge(exercise, *answers_of(exercise, names))
    if verdict.state == NOT_YET:
        return "it is not finished"
    said = [*verdict.says, *(mistake.render_text() for mistake in verdict.mistakes)]
    return "" if verdict else " ".join(said).removesuffix(".")


def on_numbers(a, b, c, d, e):
    """Return an expression with all operations of a Value, numbers on either side of each, ints and floats.

    None of its leaves is used twice: lesson 02 asks whether contributions add up.
    """
    left = ((1 + a) * 3 - b / 2 + (2.5 - c) * 0.5).tanh() * (4 / d)
    return left + (2 * e - 1.5).exp() / 2 - 7


def on_two(a, b, c, d, e):
    """Return an expression with the remaining operations, between Values."""
    return ((a * b + 2) - 1 / c).tanh() + (d**2).relu().sigmoid() * (3 - e).exp()


NUMBERS = [0.5, -1.5, 2.0, 0.7, 2.5]
ARRAYS = [[0.5, -1.0, 2.0], [1.5, 0.5, -0.5]], [[1.0, -0.5], [0.25, 2.0], [-1.5, 1.0]], [0.75, -0.25]
CUBE = [[[0.3, -0.7, 1.1], [0.2, -0.4, 0.9]], [[0.6, -1.3, 0.8], [0.1, -0.5, 0.7]]]


def on_arrays(x, w, b):
    """Return an expression with all operations of a Tensor."""
    y = x[[1, 0, 1]] @ w - b
    return (y.tanh().sum(axis=1) * 2.0 + (b * y).relu().sum(axis=1)).sum()


def on_rows(x, w):
    """Return an expression with the operations on each row of a Tensor."""
    return ((x.softmax() * w.T).normalise() @ w).tanh().sum()


def on_axes(t):
    """Return sums of an array of three axes along each of them."""
    sums = (
        (t.sum(axis=axis, keepdims=keep) * 0.3).tanh().sum() for axis in (0, 1, 2, -1, -2) for keep in (False, True)
    )
    return sum(sums, t.sum())


def works(names):
    """Return why a whole engine computes something wrong; "" if it does not."""
    try:
        for f in (on_numbers, on_two):
            right = [f(*map(Dual, NUMBERS)).value, *forward_gradient(f, NUMBERS)]
            found = passed_back(names["Value"], f, NUMBERS)
            if not all(math.isclose(got, true, rel_tol=1e-9, abs_tol=1e-12) for got, true in zip(found, right)):
                return "in an expression with all operations, gradients come out wrong"
        with trying("one round of training"):
            net = names["MLP"](2, [2, 1])
            losses = run_guarded(lambda: names["train"](net, [[0.0, 1.0]], [1.0], 0.01, 2))
        if len(losses) != 2:
            return "training gives no loss for each epoch"
        for f, arrays in ((on_arrays, ARRAYS), (on_axes, [CUBE]), (on_rows, ARRAYS[:2])):
            value, gradients = forward_gradients(f, list(map(np.array, arrays)))
            if not all(map(same_array, passed_back(names["Tensor"], f, arrays), [value, *gradients])):
                return "in an expression with all operations on arrays, gradients come out wrong"
        return of_ten_classes(names)
    except (AnswerError, TimeUp) as fault:
        return " ".join(getattr(fault, "sentences", ("it does not end",))).removesuffix(".")
    except Exception as fault:
        return describe_exception(fault).removesuffix(".")


def passed_back(make, f, numbers):
    """Return [value, gradients of the leaves] by an engine's class, from a root that held a gradient before."""
    with trying("the whole engine, in an expression with all of its operations"):
        leaves = [make(x) for x in numbers]
        root = run_guarded(lambda: f(*leaves))
        root.grad = root.grad + 5.0
        run_guarded(root.backward)
        return [root.data, *(leaf.grad for leaf in leaves)]


def of_ten_classes(names):
    """Return why the cross-entropy of ten classes, each the target once, comes out wrong; "" if it does not."""
    z, targets = np.cos(np.arange(100.0)).reshape(10, 10), np.arange(10)[::-1]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    with trying("the cross-entropy of ten classes"):
        scores = names["Tensor"](z)
        loss = run_guarded(lambda: names["softmax_cross_entropy"](scores, targets))
        run_guarded(loss.backward)
    right = (-np.log(p[np.arange(10), targets]).mean(), (p - np.eye(10)[targets]) / 10)
    fine = all(map(same_array, (loss.data, scores.grad), right))
    return "" if fine else "in a cross-entropy of ten classes, gradients come out wrong"
