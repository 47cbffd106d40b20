"""The instruments of the clinic: each runs a program's own parts on a Run of its own, and reads numbers from them.

An instrument is a generator: it yields while it works, so that it can be stopped, and returns its numbers. Each dial
puts numbers into a word; the limits between words stand here and nowhere else.
"""

import math
from dataclasses import dataclass

import numpy as np

from autograd.topo import topological_order
from exercises.clinic import pictures
from exercises.clinic.pictures import number

SMALL_RATE = 1e-4  # of the small step: a step so short that the loss is straight along it
NUDGE = 1e-5  # of the gradient check
BY_HEART, ROWS = 1000, 8  # steps, and rows to learn
LOOKED_AT = 300  # rows whose gradients are looked at one by one
ALONE = 8  # copies of a row that make a batch of it: a loss may want more than one row
COPY, EQUAL = 0.3, 1e-5  # of the usual distance of the nearest row: nearer are copies with noise, and without
COLUMNS = 4  # of rows that can be told to be copies with noise: with fewer, some are so near by chance
LEAK = 0.01  # of the test's rows: where more have a copy among those to learn from, the test has leaked


@dataclass(frozen=True)
class Dial:
    """A part of an instrument. word: a function of its numbers. healthy: the words that a healthy program gives."""

    name: str
    title: str
    word: object
    healthy: tuple


@dataclass(frozen=True)
class Instrument:
    """What is measured, in words; how (a generator of a Run's numbers); its dials; and its reading as a sentence."""

    name: str
    title: str
    asks: str
    measure: object
    dials: tuple
    says: object
    minutes: int = 1


@dataclass(frozen=True)
class Reading:
    """What an instrument read: its numbers, and the word of each dial."""

    instrument: Instrument
    numbers: dict
    words: dict

    @property
    def says(self):
        """The reading as a sentence."""
        return self.instrument.says(self.numbers)

    def __repr__(self):
        return f"{self.instrument.title}: {self.says}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return pictures.bundle(self)


def reading(program, instrument):
    """A generator that yields while an instrument works on a program, and returns its Reading."""
    numbers = yield from quietly(instrument.measure(program.begin()))
    with np.errstate(all="ignore"):
        return Reading(instrument, numbers, {dial.name: dial.word(numbers) for dial in instrument.dials})


def quietly(generator):
    """A generator that does as another does, without NumPy's warnings; whoever works between its pieces has them."""
    while True:
        with np.errstate(all="ignore"):
            try:
                next(generator)
            except StopIteration as end:
                return end.value
        yield


def finished(generator):
    """What a generator returns, run to its end."""
    while True:
        try:
            next(generator)
        except StopIteration as end:
            return end.value


def read(program, instrument):
    """The Reading of an instrument, by its name or itself, on a program."""
    return finished(reading(program, INSTRUMENTS.get(instrument, instrument)))


def size(*arrays):
    """The length of all numbers of some arrays as one vector."""
    return math.hypot(*(float(np.sqrt(np.sum(np.square(array)))) for array in arrays))


def numbers(xs):
    """Some numbers in a row."""
    return ", ".join(map(number, xs))


# i0: the loss curve, free of charge


def curve(run):
    """Train: the loss of each step and epoch; what is measured at the end."""
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


def start(found):
    """Where the first loss is, beside that of guessing: ln k for k classes; about 1, the variance, for numbers."""
    first, guess = found["losses"][0], found["guess"] or 2.5
    if not first < 40:
        return "far above guessing"
    if found["guess"] is None:
        return "near guessing" if first < 12 else "above guessing"
    return "below guessing" if first < guess - 0.35 else "near guessing" if first < guess + 0.9 else "above guessing"


def course(found):
    """How the loss of an epoch goes on."""
    first, last, low = found["epochs"][0], found["epochs"][-1], found["lowest"]
    if not math.isfinite(found["losses"][-1]):
        return "no number"
    if last > 1.15 * low and last - low > 0.1:
        return "rises"
    if last < 0.2 * (found["guess"] or 1.0):
        return "falls low"
    return "stands still" if abs(last - first) < 0.03 * first else "falls part of the way"


def ability(found):
    """What it can do: on what it has learned from, and on the test."""
    train, test = (x if math.isfinite(x) else 0.0 for x in (found["train"], found["test"]))
    good = 0.9 if found["guess"] else 0.7
    if train >= good:
        return "learned" if test >= train - 0.15 else "learned, but not the test"
    if train < 0.2 and test < 0.25:
        return "nothing"
    return "a part" if train > test - 0.1 else "the test better"


def curve_says(found):
    of = "right" if found["guess"] else "R²"
    shares = [f"{100 * x:.1f} %" if found["guess"] else number(x) for x in (found["train"], found["test"])]
    first, last = found["epochs"][0], found["epochs"][-1]
    return (
        f"First loss {number(found['losses'][0])}; mean of the first epoch {number(first)}, of the last "
        f"{number(last)}. {of[0].upper()}{of[1:]}: train {shares[0]}, test {shares[1]}."
    )


# i1: gradients


def gradients(run):
    """The gradients of the first step: root of the mean square of each layer's weights; how many numbers are 0."""
    run.pass_back(*run.first_batch())
    yield
    found = run.gradients()
    return {
        "sizes": [size(each) / math.sqrt(each.size) for each in found[::2]],
        "zeros": float(np.mean(np.concatenate([each.ravel() == 0 for each in found]))),
        "logs": [np.log10(np.abs(each[each != 0])).tolist() for each in found[::2]],
        "large": 0.5 if run.program.CLASSES else 20.0,
    }


def flow(found):
    """How large they are, and how even over the layers."""
    sizes = found["sizes"]
    if not all(map(math.isfinite, sizes)):
        return "no number"
    if max(sizes) > found["large"]:
        return "large"
    if max(sizes) == 0:
        return "none"
    if min(sizes) < 1e-12:
        return "not in all layers"
    return "fading" if sizes[0] < 1e-3 * sizes[-1] else "even"


def gradients_say(found):
    return f"Sizes, first layer to last: {numbers(found['sizes'])}. Exactly 0: {100 * found['zeros']:.0f} %."


# i2: moved


def moved(run):
    """The first step: its size beside that of the weights, a layer; and whether anything has moved."""
    before = [p.data.copy() for p in run.parameters]
    run.step(*run.first_batch())
    yield
    steps = [p.data - old for p, old in zip(run.parameters, before)]
    return {
        "shares": [size(step) / (size(old) or 1.0) for step, old in zip(steps[::2], before[::2])],
        "biases": size(*steps[1::2]),
    }


def reach(found):
    """How far the weights move."""
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
    return f"First layer to last: {numbers(found['shares'])}."


# i3: the graph of one loss


def graph(run):
    """Nodes, parameters that are reached, and the largest array, of the graph of one loss."""
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


def reached(found):
    """How many of the parameters the loss depends on."""
    return "none" if not found["reached"] else "all" if found["reached"] == found["of"] else "some"


def nodes(found):
    """Whether there are more operations than such a network and loss need."""
    return "more" if found["nodes"] > found["needed"] + 1 else "few"


def shapes(found):
    """Whether an array is larger than any layer's."""
    return "too large" if math.prod(found["largest"]) > found["widest"] else "fit"


def graph_says(found):
    return (
        f"{found['nodes']} node{'s' * (found['nodes'] != 1)}; parameters reached: {found['reached']} of {found['of']}; "
        f"the largest array is of shape {found['largest']}."
    )


# i4: units


def units(run):
    """After training: hidden units of the first layer that are 0 for every row, and how many differ."""
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
    """The hidden units of the first layer, from the program's own scores: what comes after it hands them on."""
    Tensor, (first, *others) = run.program.engine.Tensor, run.layers
    width = first[0].data.shape[1]

    def handed_on(count):
        return run.program.scores([first, *([Tensor(np.eye(width)), Tensor(np.zeros(width))] for _ in range(count))], x)

    try:
        return handed_on(1)
    except (ValueError, TypeError, IndexError):  # scores that are written for just so many layers
        return handed_on(len(others))


def dead(found):
    """How many are dead."""
    return "nearly all" if found["dead"] >= 0.85 else "many" if found["dead"] >= 0.4 else "few"


def different(found):
    """Whether they differ."""
    return "one" if found["different"] == 1 else "many" if found["different"] > found["of"] / 2 else "some"


def units_say(found):
    return f"Dead: {100 * found['dead']:.0f} %. Different: {found['different']} of {found['of']}."


# i5: eight rows by heart


def by_heart(run):
    """The loss on eight rows, trained on nothing else; and the spread of what is to be said of them."""
    x, y = (each[:ROWS] for each in run.first_batch())
    losses = []
    for _ in range(BY_HEART):
        losses.append(run.step(x, y))
        if not math.isfinite(losses[-1]):
            break
        yield
    return {"losses": losses, "variance": None if run.program.CLASSES else float(y.var())}


def memory(found):
    """Whether they can be learned."""
    last, first = found["losses"][-1], found["losses"][0]
    if not last < max(1e3, 10 * first):
        return "lost"
    return "learned" if last < 0.05 else "in part" if last < 0.45 else "stuck"


def by_heart_says(found):
    spread = f" Their variance is {number(found['variance'])}." if found["variance"] is not None else ""
    return f"Loss on {ROWS} rows after {len(found['losses']):,} steps: {number(found['losses'][-1])}.{spread}"


# i6: one small step


def small_step(run):
    """The change of the loss by one step at a rate of 1e-4, divided by -rate · ‖g‖², g the gradient of all layers.

    The step is the program's own, shortened: its rate is the median of |move| : |gradient| over all that moves.
    """
    x, y = run.first_batch()
    run.clear()
    old = [p.data.copy() for p in run.parameters]
    before = float(run.pass_back(x, y).data)
    start, slopes = [p.data.copy() for p in run.parameters], run.gradients()
    run.program.update(run.layers, run.optimizer)
    moves = [p.data - here for p, here in zip(run.parameters, start)]
    yield
    rates = np.concatenate([np.abs(m[(m != 0) & (g != 0)] / g[(m != 0) & (g != 0)]) for m, g in zip(moves, slopes)])
    shorter = SMALL_RATE / np.median(rates) if rates.size else 0.0
    for p, here, move in zip(run.parameters, old, moves):
        p.data = here + shorter * move
    change = float(run.program.loss(run.layers, x, y).data) - before
    expected = -SMALL_RATE * size(*slopes) ** 2
    return {"change": change, "expected": expected, "ratio": change / expected if expected else math.nan}


def ratio(found):
    """What the step brings, of what it should."""
    share = found["ratio"]
    if math.isnan(share):
        return "no gradient" if found["expected"] == 0 else "no number"
    for word, at in (("1", 1.0), ("-1", -1.0), ("0", 0.0)):
        if abs(share - at) < 0.03:
            return word
    return "between 0 and 1" if 0 < share < 1 else "above 1" if share > 1 else "below 0"


def small_step_says(found):
    if found["expected"] == 0:
        return "The gradient is 0: there is nothing to divide by."
    share = number(found["ratio"]) if abs(found["ratio"]) < 0.9995 or found["ratio"] > 1.0005 else "1.000"
    return (
        f"The loss changed by {number(found['change'])}; -rate · ‖g‖² is {number(found['expected'])}. Ratio: {share}."
    )


# i7: kept : fresh


def kept(run):
    """The size of the gradient after the fourth backward pass of a training, beside that of one made afresh."""
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


def leftover(found):
    """Whether old gradients are in it."""
    share = found["ratio"]
    if not math.isfinite(share):
        return "no number"
    return "0" if share == 0 else "1" if abs(share - 1) < 0.01 else "not 1"


def kept_says(found):
    return f"Kept {number(found['kept'])}, fresh {number(found['fresh'])}: {number(found['ratio'])}."


# i8: the gradient check


def check(run):
    """The gradients of one loss, zero included, beside nudges of the weights: the largest numbers and some others."""
    x, y = (each[:20] for each in run.first_batch())
    old, rng = [p.data.copy() for p in run.parameters], np.random.RandomState(0)
    run.clear()
    run.pass_back(x, y)
    error = largest = 0.0
    for p, data in zip(run.parameters, old):
        p.data = data  # zero may have changed it
    for p, gradient in zip(run.parameters, run.gradients()):
        flat = gradient.ravel()
        for place in {*np.argsort(-np.abs(flat))[:3].tolist(), *rng.randint(flat.size, size=3).tolist()}:
            index = np.unravel_index(place, p.data.shape)
            here, both = p.data[index], []
            for nudge in (NUDGE, -NUDGE):
                p.data[index] = here + nudge
                both.append(float(run.program.loss(run.layers, x, y).data))
            p.data[index] = here
            slope = (both[0] - both[1]) / (2 * NUDGE)
            error, largest = max(error, abs(slope - flat[place])), max(largest, abs(slope))
        yield
    return {"error": error, "largest": largest}


def agreement(found):
    """Whether they agree, to a hundred-thousandth of the largest slope."""
    return "right" if found["error"] <= 1e-5 * max(found["largest"], 1e-3) else "wrong"


def check_says(found):
    return f"Largest difference {number(found['error'])}, beside slopes of up to {number(found['largest'])}."


# i9: the data sheet


def sheet(run):
    """The data as the program has them: scales before, after and of the test; classes a batch; neighbours."""
    run = yield from run.program.trained()
    before, classes = run.before, bool(run.program.CLASSES)
    near = distances(run.test_x, before).min(axis=1)
    yield
    among = distances(before, before)
    np.fill_diagonal(among, np.inf)
    usual = max(np.quantile(near, 0.9), np.quantile(among.min(axis=1), 0.9))  # where most have a copy as well
    own = run.program.CLASSES
    return {
        "train": (float(before.mean()), float(before.std())),
        "test": (float(run.test_x.mean()), float(run.test_x.std())),
        "after": float(run.x.std()),
        "largest": float(np.abs(before).max()),
        "usual": float(np.quantile(np.abs(before), 0.99)),
        "classes": float(np.mean(run.classes)) if classes else None,
        "possible": min(own, run.program.BATCH) if classes else None,
        "near": float(np.median(near)),
        "among": float(np.median(among.min(axis=1))),
        "copies": copies(near, usual, before.shape[1]),
        "tested": len(near),
        "same": float((run.y[among.argmin(axis=1)] == run.y).mean()) if classes else None,
    }


def copies(near, usual, columns):
    """How many rows have a copy. near: the distance of each to its nearest; usual: of rows that have none.

    Copies with noise are those within a share of it, if few are just beyond; rows near by chance go on there.
    """
    with_noise, beyond = (near <= COPY * usual).sum(), (near <= 1.5 * COPY * usual).sum()
    is_gap = columns >= COLUMNS and with_noise > 1.5 * (beyond - with_noise)
    return int(with_noise if is_gap else (near <= EQUAL * usual).sum())


def distances(a, b):
    """The distance of each row of a to each row of b."""
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
    return np.sqrt(squares.clip(0))


def scale(found):
    """How large the inputs are."""
    if found["largest"] > 30 * found["usual"]:
        return "one far out"
    return "large" if found["usual"] > 6 else "usual"


def split(found):
    """How the test's inputs are beside those to learn from."""
    (mean, spread), (test_mean, test_spread) = found["train"], found["test"]
    if found["near"] < 0.5 * found["among"] or found["copies"] > LEAK * found["tested"]:
        return "copies"
    apart = abs(mean - test_mean) > 0.25 * spread or not 0.67 < test_spread / spread < 1.5
    return "another scale" if apart and found["largest"] <= 30 * found["usual"] else "alike"


def change(found):
    """Whether training changes them."""
    return "changed" if abs(found["after"] - found["train"][1]) > 0.01 * found["train"][1] else "as they were"


def mixture(found):
    """How many classes a batch has."""
    return "few" if found["classes"] is not None and found["classes"] < 0.5 * found["possible"] else "mixed"


def labels(found):
    """Whether rows that are alike have the same label."""
    return "do not fit" if found["same"] is not None and found["same"] < 0.6 else "fit"


def sheet_says(found):
    words = [
        f"Mean and spread: train {numbers(found['train'])}, test {numbers(found['test'])}; after training spread "
        f"{number(found['after'])}. Largest {number(found['largest'])}.",
        f"Nearest row to learn from: of a test row {number(found['near'])}, of another such row "
        f"{number(found['among'])}.",
    ]
    if found["copies"]:
        words.append(f"Test rows with a near copy among those to learn from: {found['copies']} of {found['tested']}.")
    if found["classes"] is not None:
        words.append(
            f"Classes a batch {number(found['classes'])}; same label as the nearest: {100 * found['same']:.0f} %."
        )
    return " ".join(words)


# i10: rows


def rows(run):
    """The gradient of each row alone; and how many rows of a batch the loss depends on."""
    sizes = []
    for x, y in zip(run.x[:LOOKED_AT, None], run.y[:LOOKED_AT, None]):
        run.clear()
        run.program.loss(run.layers, np.repeat(x, ALONE, axis=0), np.repeat(y, ALONE, axis=0)).backward()
        sizes.append(size(*run.gradients()))
        yield
    x, y = (each[:50] for each in run.first_batch())
    rng, own = np.random.RandomState(1), run.program.CLASSES
    for p in run.parameters:  # so that no two answers are alike
        p.data = p.data + 0.1 * rng.standard_normal(p.data.shape)
    whole, counted = float(run.program.loss(run.layers, x, y).data), 0
    for i in range(len(y)):
        other = y.copy()
        other[i] = (other[i] + 1) % own if own else other[i] + 1
        counted += float(run.program.loss(run.layers, x, other).data) != whole
    worst = int(np.argmax(sizes))
    return {"sizes": sizes, "median": float(np.median(sizes)), "row": worst, "counted": counted, "of": len(y)}


def outlier(found):
    """Whether one row is beyond all others."""
    largest = found["sizes"][found["row"]]
    return "one far out" if largest > 100 * found["median"] > 0 else "alike"


def counted(found):
    """How many rows count."""
    return "all" if found["counted"] == found["of"] else "a part"


def rows_say(found):
    largest = found["sizes"][found["row"]]
    return (
        f"Gradients of {len(found['sizes'])} rows, each alone: median {number(found['median'])}, largest "
        f"{number(largest)} (row {found['row']}). Rows of a batch that change the loss: {found['counted']} of "
        f"{found['of']}."
    )


ALL = (
    Instrument(
        "curve",
        "Loss curve",
        "Does it learn at all?",
        curve,
        (
            Dial("start", "first loss", start, ("near guessing",)),
            Dial("course", "course of the loss", course, ("falls low",)),
            Dial("ability", "what it can do", ability, ("learned",)),
        ),
        curve_says,
        minutes=0,
    ),
    Instrument(
        "gradients",
        "Gradients",
        "Does a gradient reach each layer?",
        gradients,
        (Dial("flow", "sizes of the gradients", flow, ("even",)),),
        gradients_say,
    ),
    Instrument(
        "moved",
        "Step : weights",
        "Does a step move what it should?",
        moved,
        (Dial("reach", "what a step moves", reach, ("usual",)),),
        moved_says,
    ),
    Instrument(
        "graph",
        "Graph of one loss",
        "What does the loss depend on?",
        graph,
        (
            Dial("reached", "parameters reached", reached, ("all",)),
            Dial("nodes", "operations", nodes, ("few", "more")),
            Dial("shapes", "shapes", shapes, ("fit",)),
        ),
        graph_says,
    ),
    Instrument(
        "units",
        "Units",
        "Are hidden units alive, and different?",
        units,
        (Dial("dead", "dead units", dead, ("few",)), Dial("different", "units that differ", different, ("many",))),
        units_say,
    ),
    Instrument(
        "by_heart",
        "Eight by heart",
        "Can it learn anything at all?",
        by_heart,
        (Dial("memory", "eight rows", memory, ("learned",)),),
        by_heart_says,
    ),
    Instrument(
        "small_step",
        "One small step",
        "Does a step bring what the slope promises?",
        small_step,
        (Dial("ratio", "ratio", ratio, ("1",)),),
        small_step_says,
    ),
    Instrument(
        "kept",
        "Kept : fresh",
        "Are old gradients in the new ones?",
        kept,
        (Dial("leftover", "kept : fresh", leftover, ("1",)),),
        kept_says,
    ),
    Instrument(
        "check",
        "Gradient check",
        "Are the gradients those of the loss?",
        check,
        (Dial("agreement", "gradients", agreement, ("right",)),),
        check_says,
    ),
    Instrument(
        "sheet",
        "Data sheet",
        "Are the data what they should be?",
        sheet,
        (
            Dial("scale", "inputs", scale, ("usual",)),
            Dial("split", "test beside train", split, ("alike",)),
            Dial("change", "data during training", change, ("as they were",)),
            Dial("mixture", "classes in a batch", mixture, ("mixed",)),
            Dial("labels", "labels of neighbours", labels, ("fit",)),
        ),
        sheet_says,
    ),
    Instrument(
        "rows",
        "Row by row",
        "Does each row count, and none too much?",
        rows,
        (
            Dial("outlier", "gradients of rows", outlier, ("alike",)),
            Dial("counted", "rows that count", counted, ("all",)),
        ),
        rows_say,
    ),
)
INSTRUMENTS = {instrument.name: instrument for instrument in ALL}
DIALS = {dial.name: (instrument, dial) for instrument in ALL for dial in instrument.dials}
