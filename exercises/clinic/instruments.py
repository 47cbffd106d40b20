"""The instruments of the clinic: each runs a program's own parts on its own Run, and reads numbers from them.

An instrument is a generator: it yields while it works, so that it can be stopped, and returns its numbers. Each dial
turns numbers into a word; the limits between words are here and nowhere else.
"""

import math

import numpy as np

from autograd.topo import topological_order
from exercises.clinic import data_instruments as data
from exercises.clinic import training_instruments as training
from exercises.clinic.numbers import numbers, rounded, size
from exercises.clinic.readings import Instrument, dial, finished, reading


def read(program, instrument):
    """Return the Reading of an instrument (or of the one with this name) on a program."""
    return finished(reading(program, INSTRUMENTS.get(instrument, instrument)))


def curve(run):
    """Train: return the loss of each step and epoch, and the final measures, which `answers` reads."""
    run = yield from run.program.trained()
    program, epochs = run.program, [float(np.mean(losses)) for losses in run.epochs]
    finite = [loss for loss in epochs if math.isfinite(loss)]
    return {
        "guess": math.log(program.CLASSES) if program.CLASSES else None,
        "losses": run.losses,
        "epochs": epochs,
        "lowest": min(finite, default=math.nan),
        "train": float(program.measure(run.layers, run.x, run.y)),
        "test": float(program.measure(run.layers, run.test_x, run.test_y)),
    }


@dial("first loss", "near guessing")
def start(found):
    """Compare the first loss with that of guessing: ln k for k classes; about 1, the variance, for numbers."""
    first, guess = found["losses"][0], found["guess"] or 2.5
    if not first < 40:
        return "far above guessing"
    if found["guess"] is None:
        return "near guessing" if first < 12 else "above guessing"
    return "below guessing" if first < guess - 0.35 else "near guessing" if first < guess + 0.9 else "above guessing"


@dial("course of the loss", "falls low")
def course(found):
    first, last, low = found["epochs"][0], found["epochs"][-1], found["lowest"]
    if not math.isfinite(found["losses"][-1]):
        return "no number"
    if last > 1.15 * low and last - low > 0.1:
        return "rises"
    if last < 0.2 * (found["guess"] or 1.0):
        return "falls low"
    return "stands still" if abs(last - first) < 0.03 * first else "falls part of the way"


@dial("what it can do", "learned")
def ability(found):
    """Judge what the program can do: on the data it has learned from, and on the test."""
    train, test = (x if math.isfinite(x) else 0.0 for x in (found["train"], found["test"]))
    good = 0.9 if found["guess"] else 0.7
    if train >= good:
        return "learned" if test >= train - 0.15 else "learned, but not the test"
    if train < 0.2 and test < 0.25:
        return "nothing"
    return "a part" if train > test - 0.1 else "the test better"


def curve_says(found):
    first, last = found["epochs"][0], found["epochs"][-1]
    start = rounded(found["losses"][0])
    return f"First loss {start}; mean of the first epoch {rounded(first)}, of the last {rounded(last)}."


def answers(run):
    """Train: return the final measures."""
    return (yield from curve(run))


def answers_say(found):
    of = "Right" if found["guess"] else "R²"
    shares = [f"{100 * x:.1f} %" if found["guess"] else rounded(x) for x in (found["train"], found["test"])]
    return f"{of}: train {shares[0]}, test {shares[1]}."


def gradients(run):
    """Return the gradients of the first step: root mean square of each layer's weights, share of zeros."""
    run.pass_back(*run.first_batch())
    yield
    found = run.gradients()
    return {
        "sizes": [size(each) / math.sqrt(each.size) for each in found[::2]],
        "zeros": float(np.mean(np.concatenate([each.ravel() == 0 for each in found]))),
        "logs": [np.log10(np.abs(each[each != 0])).tolist() for each in found[::2]],
        "large": 0.5 if run.program.CLASSES else 20.0,
        "least": 1e-12,
    }


@dial("sizes of the gradients", "even")
def flow(found):
    sizes = found["sizes"]
    if not all(map(math.isfinite, sizes)):
        return "no number"
    if max(sizes) > found["large"]:
        return "large"
    if max(sizes) == 0:
        return "none"
    if min(sizes) <= found["least"]:
        return "not in all layers"
    return "fading" if sizes[0] < 1e-3 * sizes[-1] else "even"


def gradients_say(found):
    return f"Sizes, first layer to last: {numbers(found['sizes'])}. Exactly 0: {100 * found['zeros']:.0f} %."


def moved(run):
    """Take the first step: return its size relative to the weights, per layer, and the size of the biases' step."""
    before = [p.data.copy() for p in run.parameters]
    run.step(*run.first_batch())
    yield
    steps = [p.data - old for p, old in zip(run.parameters, before)]
    return {
        "shares": [size(step) / (size(old) or 1.0) for step, old in zip(steps[::2], before[::2])],
        "biases": size(*steps[1::2]),
    }


@dial("what a step moves", "usual")
def reach(found):
    shares = found["shares"]
    if max(shares) == 0:
        return "only biases" if found["biases"] else "nothing"
    if not max(shares) < 0.5:
        return "too far"
    if max(shares) < 1e-5:
        return "hardly"
    if min(shares) < 1e-12:
        return "not all layers"
    return "unevenly" if shares[0] < 1e-3 * shares[-1] else "usual"


def moved_says(found):
    says = f"First layer to last: {numbers(found['shares'])}."
    still = " Only biases move." if found["biases"] else " The biases do not move either."
    return says + still * (max(found["shares"]) == 0)


def graph(run):
    """Return the number of nodes, the parameters reached, and the largest array, of the graph of one loss."""
    x, y = run.first_batch()
    loss = run.program.loss(run.layers, x, y)
    order = topological_order(loss)
    yield
    reached = {id(node) for node in order}
    biggest = max((node.data.shape for node in order), key=math.prod)
    return {
        "loss": loss,
        "nodes": len(order),
        "needed": 5 * (len(run.layers) - 1) + (6 if run.program.CLASSES else 10),
        "reached": sum(id(p) in reached for p in run.parameters),
        "of": len(run.parameters),
        "largest": biggest,
        "widest": len(x) * max(x.shape[1], *(w.data.shape[1] for w, _ in run.layers)),
    }


@dial("parameters reached", "all")
def reached(found):
    return "none" if not found["reached"] else "all" if found["reached"] == found["of"] else "some"


@dial("operations", "few", "more")
def nodes(found):
    """Return whether there are more operations than such a network and loss need."""
    return "more" if found["nodes"] > found["needed"] + 1 else "few"


@dial("shapes", "fit")
def shapes(found):
    return "too large" if math.prod(found["largest"]) > found["widest"] else "fit"


def graph_says(found):
    return (
        f"{found['nodes']} node{'s' * (found['nodes'] != 1)}; parameters reached: {found['reached']} of {found['of']}; "
        f"the largest array is of shape {found['largest']}."
    )


def units(run):
    """Train: return the share of first-layer units that are 0 for every row, and how many differ."""
    run = yield from run.program.trained()
    hidden = first_units(run, run.x[:400]).data
    width = run.layers[0][0].data.shape[1]
    return {
        "dead": float((hidden == 0).all(axis=0).mean()),
        "different": len(np.unique(np.round(hidden.T, 9), axis=0)),
        "of": width,
        "open": (hidden != 0).mean(axis=0).tolist(),
    }


def first_units(run, x):
    """Return the hidden units of the first layer, from the program's own scores with identity layers after it."""
    Tensor, (first, *others) = run.program.engine.Tensor, run.layers
    width = first[0].data.shape[1]

    def handed_on(count):
        return run.program.scores([first, *([Tensor(np.eye(width)), Tensor(np.zeros(width))] for _ in range(count))], x)

    try:
        return handed_on(1)
    except (ValueError, TypeError, IndexError):  # scores may need the exact number of layers
        return handed_on(len(others))


@dial("dead units", "few")
def dead(found):
    return "nearly all" if found["dead"] >= 0.85 else "many" if found["dead"] >= 0.4 else "few"


@dial("units that differ", "many")
def different(found):
    return "one" if found["different"] == 1 else "many" if found["different"] > found["of"] / 2 else "some"


def units_say(found):
    return f"Dead: {100 * found['dead']:.0f} %. Different: {found['different']} of {found['of']}."


def kept(run):
    """Compare the gradient after the fourth backward pass of a training with one made from zero."""
    steps = 0
    while steps < 3:
        for x, y in run.program.batches(run.x, run.y, run.rng):
            run.step(x, y)
            yield
            steps += 1
            if steps == 3:
                break
    x, y = run.first_batch()
    run.pass_back(x, y)
    held = size(*run.gradients())
    run.clear()
    run.program.loss(run.layers, x, y).backward()
    fresh = size(*run.gradients())
    return {"kept": held, "fresh": fresh, "ratio": held / fresh if fresh else 0.0 if not held else math.inf}


@dial("kept : fresh", "1")
def leftover(found):
    share = found["ratio"]
    if not math.isfinite(share):
        return "no number"
    return "0" if share == 0 else "1" if abs(share - 1) < 0.01 else "not 1"


def kept_says(found):
    return f"Kept {rounded(found['kept'])}, fresh {rounded(found['fresh'])}: {rounded(found['ratio'])}."


INSTRUMENTS = {
    instrument.name: instrument
    for instrument in (
        Instrument("Loss curve", "Where does the loss begin and end?", curve, curve_says, (start, course)),
        Instrument("Right answers", "What can it do in the end?", answers, answers_say, (ability,)),
        Instrument("Gradients", "Does a gradient reach each layer?", gradients, gradients_say, (flow,)),
        Instrument("Step : weights", "Does a step move what it should?", moved, moved_says, (reach,)),
        Instrument("Graph of one loss", "What does the loss depend on?", graph, graph_says, (reached, nodes, shapes)),
        Instrument("Units", "Are hidden units alive, and different?", units, units_say, (dead, different)),
        Instrument(
            *("Overfit eight rows", "Can it learn anything at all?"),
            *(training.by_heart, training.by_heart_says, (training.memory,)),
        ),
        Instrument(
            *("One small step", "Does a step bring what the slope promises?"),
            *(training.small_step, training.small_step_says, (training.ratio,)),
        ),
        Instrument("Kept : fresh", "Are old gradients in the new ones?", kept, kept_says, (leftover,)),
        Instrument(
            *("Gradient check", "Are the gradients those of the loss?"),
            *(training.check, training.check_says, (training.agreement,)),
        ),
        Instrument(
            *("Data sheet", "Is the data what it should be?", data.sheet, data.sheet_says),
            (data.scale, data.split, data.change, data.mixture, data.labels),
        ),
        Instrument(
            *("Row by row", "Does each row count, and none too much?"),
            *(data.rows, data.rows_say, (data.outlier, data.counted)),
        ),
    )
}
MINUTES = 4  # for each patient; an instrument takes one
DIALS = {dial.name: (instrument, dial) for instrument in INSTRUMENTS.values() for dial in instrument.dials}
