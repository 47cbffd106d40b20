"""The microscope: a deep network's gradients layer by layer, and the two gains that make them shrink or grow."""

import functools
import html
import itertools
import math
from dataclasses import dataclass

import numpy as np

from autograd import messages
from autograd.depth import ACTIVATIONS, INITIALISATIONS, TWELVE_LAYERS, deep_pass
from autograd.nn import size
from autograd.real import show
from autograd.tensor import Tensor, quiet
from figures.charts import histogram
from figures.live import Live
from figures.player import Control, Frame, Recording
from figures.style import NOT_YET
from figures.svg import Scale, label, path, power_text, svg

DEEPEST, WIDEST = 30, 64  # layers; units, and samples of a batch: the largest pass that takes less than 20 ms
LEAST, MOST = 0.1, 10.0  # a gradient has arrived if the first layer's is between these times the last layer's
SEEDS = (0, 1, 2, 3, 4)  # of the networks whose mean is judged so: one network alone may be lucky

OWN, TWO_LAYERS, SIGMOIDS = "your own network", "100 two-layer nets", "twelve sigmoids"
TABLE = {
    f"{activation}, {init}{f' × {gain:g}' if gain != 1 else ''}{', residual' if residual else ''}": {
        **{"activation": activation, "init": init, "gain": gain, "residual": residual, "residual_scale": "1"},
        **{"depth": 12, "width": 32, "batch": 32},
    }
    for activation, init, gain, residual in TWELVE_LAYERS
}
PRESETS = {OWN: {}, TWO_LAYERS: {}, SIGMOIDS: {}, **TABLE}
SCALES = {  # of what a residual layer adds, for L layers
    "1": lambda depth: 1.0,
    "1/√L": lambda depth: 1 / math.sqrt(depth),
    "1/√(2L)": lambda depth: 1 / math.sqrt(2 * depth),
    "1/L": lambda depth: 1 / depth,
}

ROOM = (  # a sentence as long as any that is said
    "Each step back multiplies the gradient by 0.000e+00: the weights' gain 0.000e+00 times the activation's gain "
    "0.000e+00. After 29 steps, in layer 1, it is 0.000e+00 times as large. The mean of first / last over seeds 0 to 4 "
    "is 0.000e+00: it explodes. The way around a layer counts with the weights. 100% of all units are dead."
)
HEIGHT, TOP, BOTTOM = 470, 46, 430  # of both drawings, and where their rows begin and end
WIDE, LEFT, RIGHT = 580, 40, 372  # the histograms' drawing, and where its axis begins and ends
NARROW, LOW, HIGH = 460, 40, 300  # the gains' drawing, and where its axis begins and ends
DEAD = 376, 40  # where the bars of dead units begin, and how long one is that is full
INTERVALS, BINS = 8, 48  # of the axis of gradients: ticks stand still, and their texts change


def microscope(
    activation="tanh",
    init="xavier",
    *,
    gain=1.0,
    depth=12,
    width=32,
    batch=32,
    residual=False,
    residual_scale=1.0,
    seed=0,
    preset=None,
):
    """Look at the gradients of a deep network, a layer a row: how large they are, and what made them so.

    On the left a histogram of |∂L/∂z| for each layer on a log axis, with its root mean square. On the right the two
    gains of each step back, from a layer to the one before: that of the weights and that of the activation; their
    product is the ratio of the two layers' gradients. The product of all steps is first / last. Whether the gradient
    vanishes, arrives or explodes is judged by the mean of first / last over the seeds 0 to 4, whichever is shown. Dead
    units are those with slope 0 for the whole batch.

    activation, init, gain, depth (2 to 30), width and batch (1 to 64), residual, residual_scale, seed: as in
    autograd.depth.deep_pass, which says where the formulas come from; residual_scale is a number or one of "1",
    "1/√L", "1/√(2L)", "1/L". preset: one of PRESETS; "100 two-layer nets" and "twelve sigmoids" are figures of a
    published notebook, the others the networks of autograd.depth.TWELVE_LAYERS. Each argument has its control.
    ValueError or TypeError if an argument is something else.
    """
    if not isinstance(residual_scale, str):
        residual_scale = f"{finite(residual_scale, 'residual_scale'):g}"
    settings = {
        **{"preset": OWN if preset is None else preset, "activation": activation, "init": init, "gain": gain},
        **{"depth": depth, "width": width, "batch": batch, "residual": residual, "residual_scale": residual_scale},
        "seed": seed,
    }
    chosen(settings["preset"], PRESETS, "preset")
    return Microscope({**settings, **PRESETS[settings["preset"]]})


class Microscope(Live):
    """The lab: its controls, and what it answers to a change of one of them."""

    def __init__(self, settings):
        self.slide = slide = look(settings)
        recording = Recording(
            "Gradient microscope", [Frame(slide.say, "", marks_of(slide))], stage, slide.description(), room=ROOM
        )
        super().__init__(recording, controls=controls(settings))

    def answer(self, values, presses):
        """A new picture. A preset sets the other controls; another control makes the network the learner's own."""
        asked = {**self.values, **values}
        changed = {name for name in asked if asked[name] != self.values[name]}
        chosen(asked["preset"], PRESETS, "preset")
        if "preset" in changed:
            settings = {**asked, **PRESETS[asked["preset"]]}
        else:
            settings = {**asked, "preset": OWN} if changed else asked
        self.slide = look(settings)
        self.values = settings
        moved = {name: {"value": value} for name, value in settings.items() if value != asked[name]}
        self.show(marks_of(self.slide), self.slide.say, controls=moved)

    def text(self):
        """The sentence, and a line a layer."""
        return "\n".join([self.slide.say, *self.slide.lines()])


def controls(settings):
    """The lab's controls, at these settings."""
    power = math.log10(settings["gain"])
    scales = tuple(dict.fromkeys([*SCALES, settings["residual_scale"]]))
    return [
        Control("choice", "preset", "network", settings["preset"], options=tuple(PRESETS)),
        Control("choice", "activation", "activation", settings["activation"], options=ACTIVATIONS),
        Control("choice", "init", "initialisation", settings["init"], options=tuple(INITIALISATIONS)),
        Control("range", "seed", "seed", settings["seed"], 0, max(99, settings["seed"]), 1, whole=True),
        Control(
            *("range", "gain", "gain", settings["gain"]),
            *(min(-2, math.floor(power)), max(1, math.ceil(power)), 0.02),
            log=True,
        ),
        Control("range", "depth", "depth", settings["depth"], 2, DEEPEST, 1, whole=True),
        Control("range", "width", "width", settings["width"], 1, WIDEST, 1, whole=True),
        Control("range", "batch", "batch", settings["batch"], 1, WIDEST, 1, whole=True),
        Control("toggle", "residual", "residual", settings["residual"]),
        Control("choice", "residual_scale", "residual scale", settings["residual_scale"], options=scales),
    ]


# Record


@dataclass(frozen=True)
class Axis:
    """An axis of INTERVALS equal intervals: from `first`, each `step` longer; powers of ten if `log`."""

    first: float
    step: float
    log: bool = True

    def ticks(self):
        """The texts at its places."""
        places = [self.first + self.step * i for i in range(INTERVALS + 1)]
        return [power_text(place) if self.log else f"{place:g}" for place in places]

    def pixel(self, number):
        """Where a number stands; None where it has no place, as 0 and nan on a log axis."""
        if not math.isfinite(number) or (self.log and number <= 0):
            return None
        place = ((math.log10(number) if self.log else number) - self.first) / self.step
        return at(min(max(place, 0.0), float(INTERVALS)))


@dataclass(frozen=True)
class Slide:
    """What the microscope shows, a row a layer, the first layer first. nan: there is no such number.

    edges, counts: of the histograms, edges as places on the axis from 0 to INTERVALS. sizes: how large each row's
    gradients are, by `statistic`. weights, activation: the gains of the step that leads back to the row. products:
    theirs, if None. dead: shares of units. ratio: first / last. judged: whether it arrives, in a few words.
    """

    names: list
    counts: np.ndarray
    edges: np.ndarray
    axis: Axis
    sizes: list
    zeros: list
    not_finite: list
    weights: list
    activation: list
    dead: list
    say: str
    each: int  # how many gradients a row has
    ratio: float
    judged: str
    statistic: str = "root mean square"
    of: str = "|∂L/∂z|"
    note: str = ""
    products: list | None = None

    @property
    def gains(self):
        """The gain of each whole step."""
        if self.products is not None:
            return self.products
        with np.errstate(all="ignore"):
            return [float(gain) for gain in np.array(self.weights) * np.array(self.activation)]

    @property
    def steps(self):
        """How many steps lead from the last row back to the first."""
        return len(self.names) - 1

    def lines(self):
        """A line of text for each layer."""
        return [
            f"{self.title(i)}: {self.statistic} of {self.of} {show(self.sizes[i])}, {zero:,} of {self.each:,} are 0, "
            f"{bad:,} are not finite; weights' gain {written(self.weights[i])} × activation's gain "
            f"{written(self.activation[i])} = {written(self.gains[i])}; dead units {percent(self.dead[i])}"
            for i, (zero, bad) in enumerate(zip(self.zeros, self.not_finite))
        ]

    def title(self, i):
        """A row's name in a sentence."""
        return f"layer {self.names[i]}" if self.names[i].isdigit() else self.names[i]

    def description(self):
        """Both drawings in words, for those who cannot see them."""
        return f"Histograms of gradients by layer, and the gains of each step back. {self.say}"


def look(settings):
    """The Slide for these settings. ValueError or TypeError if one cannot be."""
    check(settings)
    if settings["preset"] == TWO_LAYERS:
        return two_layers()
    if settings["preset"] == SIGMOIDS:
        return sigmoids()
    given = {name: settings[name] for name in ("activation", "init", "gain", "residual", "depth", "width", "batch")}
    given["residual_scale"] = scale_of(settings["residual_scale"], settings["depth"])
    found = deep_pass(**given, seed=settings["seed"])
    ratios = [left(found) if seed == found.seed else left_of(seed=seed, **given) for seed in SEEDS]
    return slide_of(found, mean_gain(ratios))


def left(found):
    """first / last of a DeepPass; 0 where the first layer gets no gradient, also if the last gets none."""
    return float(found.ratio) if found.gradients[0].any() else 0.0


@functools.lru_cache(maxsize=100)
def left_of(**settings):
    """`left` of the network with these settings."""
    return left(deep_pass(**settings))


def check(settings):
    """ValueError or TypeError with a sentence unless a network can be made from these settings."""
    chosen(settings["preset"], PRESETS, "network")
    chosen(settings["activation"], ACTIVATIONS, "activation")
    chosen(settings["init"], INITIALISATIONS, "initialisation")
    if finite(settings["gain"], "gain") <= 0:
        raise ValueError(f"gain is above 0, got {settings['gain']!r}.")
    for name, least, most in (("depth", 2, DEEPEST), ("width", 1, WIDEST), ("batch", 1, WIDEST)):
        if not least <= size(settings[name], name) <= most:
            raise ValueError(f"{name} is a whole number from {least} to {most}, got {settings[name]!r}.")
    seed = settings["seed"]
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or not 0 <= seed < 2**32:
        raise ValueError(f"seed is a whole number from 0 to {2**32 - 1}, got {seed!r}.")
    if not isinstance(settings["residual"], bool):
        raise TypeError(f"residual is True or False, got {settings['residual']!r}.")
    scale_of(settings["residual_scale"], settings["depth"])


def chosen(name, names, what):
    """ValueError unless `name` is one of `names`."""
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{what} is one of: {'; '.join(names)}. Got {name!r}.")


def finite(number, what):
    """`number` as a finite float."""
    number = messages.real(number, what)
    if not math.isfinite(number):
        raise ValueError(f"{what} is a finite number, got {number}.")
    return number


def scale_of(text, depth):
    """The number that a residual scale stands for in a network of this depth."""
    if text in SCALES:
        return SCALES[text](depth)
    try:
        return finite(float(text), "residual_scale")
    except (TypeError, ValueError):
        raise ValueError(f"residual_scale is a number or one of {', '.join(SCALES)}; got {text!r}.") from None


@quiet
def slide_of(found, of_seeds):
    """The Slide of a DeepPass. of_seeds: first / last, the mean over SEEDS."""
    depth = len(found.gradients)
    rows = np.abs(found.gradients).reshape(depth, -1)
    finite, zero = np.isfinite(rows), rows == 0
    edges, counts, axis = logarithmic(rows, finite & ~zero)
    step_weights = [*map(float, found.weights_gain[1:]), math.nan]
    step_activation = [*map(float, found.activation_gain[:-1]), math.nan]
    return Slide(
        names=[str(i) for i in range(1, depth + 1)],
        counts=counts,
        edges=edges,
        axis=axis,
        sizes=[float(norm) for norm in found.gradient_norms],
        zeros=[int(n) for n in zero.sum(axis=1)],
        not_finite=[int(n) for n in (~finite).sum(axis=1)],
        weights=step_weights,
        activation=step_activation,
        dead=[float(share) for share in found.dead],
        say=what_happened(found, step_weights[:-1], step_activation[:-1], of_seeds),
        each=rows.shape[1],
        ratio=float(found.ratio),
        judged=f"{len(SEEDS)} seeds: {verdict(of_seeds)}",
    )


def logarithmic(rows, shown):
    """Edges, counts for each row, and a logarithmic Axis, for the numbers in `rows` that are `shown`."""
    powers = np.log10(rows, out=np.zeros_like(rows), where=shown)
    low, high = (powers[shown].min(), powers[shown].max()) if shown.any() else (-6.0, 2.0)
    for step in (1, 2, 3, 5, 10, 20, 50, 100):
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first <= INTERVALS:
            break
    first -= (INTERVALS - (last - first)) // 2  # what is free, on both sides
    bins = np.clip((powers / step - first) * (BINS / INTERVALS), 0, BINS - 1).astype(int)
    place = bins + BINS * np.arange(len(rows))[:, None]
    counts = np.bincount(place[shown], minlength=BINS * len(rows)).reshape(len(rows), BINS)
    return np.linspace(0, INTERVALS, BINS + 1), counts, Axis(first * step, step)


def mean_gain(gains):
    """The geometric mean: the gain that, in every step, would come to the same."""
    with np.errstate(all="ignore"):
        return float(np.exp(np.mean(np.log(np.array(gains, dtype=float)))))


def what_happened(found, weights, activation, of_seeds):
    """The picture in some sentences."""
    depth, ratio = len(found.gradients), float(found.ratio)
    bad = [i for i, norm in enumerate(found.gradient_norms, start=1) if not math.isfinite(norm)]
    if bad:
        where = "every layer" if len(bad) == depth else f"layer {max(bad)}"
        return f"In {where} some gradients are inf or nan: a number came to more than the largest float, 1.8e308."
    gone = [i for i, norm in enumerate(found.gradient_norms, start=1) if norm == 0]
    if gone:
        last = max(gone)
        why = "no unit has a slope for any sample, all are dead" if found.dead[last - 1] == 1 else "nothing arrives"
        rest = f"; layers 1 to {last} learn nothing" if last > 1 else ""
        return f"In layer {last} every gradient is 0: {why}. Nothing goes further back{rest}."
    by_weights, by_activation = mean_gain(weights), mean_gain(activation)
    said = [
        f"Each step back multiplies the gradient by {show(by_weights * by_activation)}: the weights' gain "
        f"{show(by_weights)} times the activation's gain {show(by_activation)}."
    ]
    steps = f"After {depth - 1} step{'s' * (depth > 2)}, in layer 1,"
    left = f"{show(ratio)} of it is left" if ratio <= 1 else f"it is {show(ratio)} times as large"
    mean = f"The mean of first / last over seeds {SEEDS[0]} to {SEEDS[-1]} is {show(of_seeds)}"
    said.append(f"{steps} {left}. {mean}: it {verdict(of_seeds)}.")
    if found.residual:
        said.append("The way around a layer counts with the weights.")
    dead = float(np.mean(found.dead))
    if dead > 0:
        said.append(f"{percent(dead)} of all units are dead.")
    return " ".join(said)


def verdict(ratio):
    """What a gradient did that is, in the mean, `ratio` times as large in the first layer as in the last."""
    if not math.isfinite(ratio):
        return "is no number"
    return "vanishes" if ratio < LEAST else "explodes" if ratio > MOST else "arrives"


@functools.cache
def stream():
    """The published notebook's random numbers, np.random.seed(42): weights of 100 nets, then 32 pre-activations."""
    rng = np.random.RandomState(42)
    nets = np.array([[rng.randn(5) * 0.5, rng.randn(5) * 0.5] for _ in range(100)])
    rng.randn(32)  # drawn there and not used
    return nets, rng.randn(32) * 0.5


@functools.cache
def two_layers():
    """100 nets of one input (1.5), 5 relu units and a linear output (target 1): each net's mean |∂L/∂w| by layer."""
    nets, _ = stream()
    first, second = Tensor(nets[:, 0]), Tensor(nets[:, 1])
    output = ((first * 1.5).relu() * second).sum(axis=1)
    ((output - 1.0) ** 2).sum().backward()
    rows = np.abs([first.grad, second.grad]).mean(axis=2)
    counted = histogram({"1": rows[0], "2": rows[1]}, bins=20)
    step = next(step for step in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0) if step * INTERVALS >= counted.edges[-1])
    means, difference = rows.mean(axis=1), rows[1] - rows[0]
    larger, error = int((difference > 0).sum()), difference.std(ddof=1) / math.sqrt(len(difference))
    nothing = [math.nan, math.nan]
    return Slide(
        names=["1", "2"],
        counts=np.array(list(counted.counts.values())),
        edges=counted.edges / step,
        axis=Axis(0.0, step, log=False),
        sizes=[float(mean) for mean in means],
        zeros=[int(n) for n in (rows == 0).sum(axis=1)],
        not_finite=[0, 0],
        weights=nothing,
        activation=nothing,
        dead=nothing,
        say=(
            f"Mean |gradient| of the weights, 100 nets: layer 1 {show(means[0])}, layer 2 {show(means[1])}. "
            f"Layer 2's is larger in only {larger} of 100 nets, and the mean difference, {difference.mean():.3f} ± "
            f"{error:.3f}, is less than its standard error: two layers do not show a gradient vanish."
        ),
        each=100,
        ratio=float(means[0] / means[1]),
        judged=verdict(means[0] / means[1]),
        statistic="mean",
        of="|∂L/∂w|, its mean in each of 100 nets",
        note="Two layers of different width: no gains are taken here.",
        products=nothing,
    )


@functools.cache
def sigmoids():
    """Twelve sigmoids in a chain, 32 times, each at the same pre-activation in every layer; there are no weights."""
    _, numbers = stream()
    chain = [Tensor(numbers)]
    for _ in range(12):
        after = chain[-1].sigmoid()
        chain.append(after + (numbers - after.data))  # the pre-activation again, and the slope 1
    chain[-1].sum().backward()
    rows = np.abs([node.grad for node in chain])
    edges, counts, axis = logarithmic(rows, rows > 0)
    means = [float(mean) for mean in rows.mean(axis=1)]
    gains = [*(before / after for before, after in itertools.pairwise(means)), math.nan]
    return Slide(
        names=[*(str(i) for i in range(1, 13)), "out"],
        counts=counts,
        edges=edges,
        axis=axis,
        sizes=means,
        zeros=[0] * 13,
        not_finite=[0] * 13,
        weights=[math.nan] * 13,
        activation=gains,
        dead=[0.0] * 12 + [math.nan],
        say=(
            f"Twelve sigmoids and no weights at all: each step back multiplies the mean |gradient| by about "
            f"{show(mean_gain(gains[:-1]))}, the slope of a sigmoid, and after 12 steps {show(means[0])} is left. "
            "A network has weights, and their gain has a say."
        ),
        each=32,
        ratio=means[0] / means[-1],
        judged=verdict(means[0] / means[-1]),
        statistic="mean",
        of="|gradient|",
        note="There are no weights: the product is the activation's gain.",
        products=gains,
    )


# Render


def written(number):
    """A gain as text; – where there is none."""
    return NOT_YET if math.isnan(number) else show(number)


def percent(share):
    """A share as text; – where there is none."""
    return NOT_YET if math.isnan(share) else f"{share:.0%}" if share in (0, 1) or share >= 0.01 else "<1%"


def marks_of(slide):
    """The marks of a Slide."""
    n = len(slide.names)
    height = (BOTTOM - TOP) / n
    middle = [TOP + height * (i + 0.5) for i in range(n)]
    scale = gain_scale(slide)
    rows = list(zip(middle, slide.weights, slide.activation, slide.gains))
    dots = [(x, y) for y, _, _, product in rows if math.isfinite(product) for x in [scale(product)]]
    marks = {
        "ridge": {"d": ridge(slide, height)},
        "rules": {"d": "".join(f"M{LEFT},{TOP + height * (i + 1):.1f}H{RIGHT}" for i in range(n))},
        "sizes": {"d": joined(size_points(slide, height))},
        "sizes.dots": {"d": diamonds(size_points(slide, height), min(5.0, height / 3.2))},
        "weights": {"d": "".join(bar(scale, gain, y, -1, height) for y, gain, _, _ in rows) or "M0,0"},
        "activation": {"d": "".join(bar(scale, gain, y, 1, height) for y, _, gain, _ in rows) or "M0,0"},
        "stripes": {"d": "".join(stripes(scale, gain, y, height) for y, _, gain, _ in rows) or "M0,0"},
        "product": {"d": joined(dots)},
        "product.dots": {"d": circles(dots, min(4.0, height / 4)) or "M0,0"},
        "dead": {"d": "".join(dead_bar(share, y, height) for y, share in zip(middle, slide.dead)) or "M0,0"},
        "frames": {"d": "".join(dead_bar(1.0, y, height) for y, s in zip(middle, slide.dead) if s == s) or "M0,0"},
        "least": {"text": power_text(round(math.log10(scale.low)))},
        "most": {"text": power_text(round(math.log10(scale.high)))},
        "of": {"text": f"{slide.of}, on a {'log' if slide.axis.log else 'linear'} axis; ◆ {slide.statistic}"},
        "size": {"text": "◆ mean" if slide.statistic == "mean" else "◆ rms"},
        "each": {"text": f"of {slide.each:,} in each layer"},
        "note": {"text": slide.note or "gain of a step back to this layer, on a log axis"},
        "gradients": {"aria-label": f"{slide.description()} {'. '.join(slide.lines()[:n])}."},
        "gains": {"aria-label": gains_in_words(slide)},
    }
    for i, text in enumerate(slide.axis.ticks()):
        marks[f"tick{i}"] = {"text": text}
    for i in range(DEEPEST):
        there = i < n
        y = f"{(middle[i] if there else BOTTOM) + 4:.1f}"
        step = "start" if i == n - 1 and n > 2 else written(slide.gains[i]) if there else ""
        for key, text in (
            (f"row{i}", slide.names[i] if there else ""),
            (f"row{i}.size", show(slide.sizes[i]) if there else ""),
            (f"row{i}.zeros", f"{slide.zeros[i]:,}" if there else ""),
            (f"row{i}.bad", f"{slide.not_finite[i]:,}" if there else ""),
            (f"gain{i}", slide.names[i] if there else ""),
            (f"gain{i}.product", step),
            (f"gain{i}.dead", percent(slide.dead[i]) if there else ""),
        ):
            marks[key] = {"text": text, "y": y}
    return marks | sum_marks(slide)


def sum_marks(slide):
    """The marks of the sum above the drawings: weights' gain × activation's gain, to the power of the steps."""
    n, steps = slide.steps, slide.steps != 1 or not math.isnan(slide.gains[0])
    gains = [mean_gain(part[:n]) if part and not math.isnan(part[0]) else math.nan for part in parts_of(slide)]
    mean = f"mean of {n} step{'s' * (n > 1)}"
    first, last = slide.names[0], slide.names[-1]
    cells = {
        "weights": (written(gains[0]), mean if gains[0] == gains[0] else "no weights" if steps else "not taken"),
        "activation": (written(gains[1]), mean if gains[1] == gains[1] else "not taken"),
        "step": (written(gains[2]), mean if gains[2] == gains[2] else "not taken"),
        "steps": (str(n), f"from {slide.title(n)} to {first}"),
        "ratio": (show(slide.ratio), slide.judged),
    }
    marks = {f"sum.{key}": {"text": number} for key, (number, _) in cells.items()}
    return (
        marks
        | {f"sum.{key}.note": {"text": note} for key, (_, note) in cells.items()}
        | {"sum.of": {"text": f"= layer {first} / {slide.title(n) if last.isdigit() else last}"}}
    )


def parts_of(slide):
    """The gains of the weights, of the activations, and of whole steps."""
    return slide.weights, slide.activation, slide.gains


def at(place):
    """The pixel of a place on the axis of gradients."""
    return LEFT + place * (RIGHT - LEFT) / INTERVALS


def ridge(slide, height):
    """The `d` of all histograms: each row's as high as the row allows."""
    parts, xs = [], [f"{at(edge):.1f}" for edge in slide.edges]
    for i, counts in enumerate(slide.counts.tolist()):
        most, base, before = max(counts), TOP + height * (i + 1), 0
        if not most:
            continue
        unit = (height - min(4.0, 0.15 * height)) / most
        for x, count in zip(xs, [*counts, 0]):
            if count != before:
                start = f"M{x},{base:.1f}" if not before else f"H{x}"
                parts.append(f"{start}V{base - unit * count:.1f}" + ("" if count else "Z"))
                before = count
    return "".join(parts) or "M0,0"


def size_points(slide, height):
    """Where the diamonds of the sizes stand, as (x, y): near the foot of each row."""
    xs = [slide.axis.pixel(number) for number in slide.sizes]
    return [(x, TOP + height * (i + 1) - min(6.0, height / 2)) for i, x in enumerate(xs) if x is not None]


def joined(points):
    """The `d` of a line through pixels."""
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points) if points else "M0,0"


def diamonds(points, r):
    """The `d` of a diamond on each point."""
    return (
        "".join(f"M{x - r:.1f},{y:.1f}l{r:.1f},{-r:.1f}l{r:.1f},{r:.1f}l{-r:.1f},{r:.1f}Z" for x, y in points) or "M0,0"
    )


def circles(points, r):
    """The `d` of a circle around each point."""
    return "".join(
        f"M{x - r:.1f},{y:.1f}a{r:.1f},{r:.1f} 0 1 0 {2 * r:.1f},0a{r:.1f},{r:.1f} 0 1 0 {-2 * r:.1f},0Z"
        for x, y in points
    )


def gain_scale(slide):
    """The axis of gains: from 1/r to r for the least r of 10, 100, 10⁴, … that holds them all."""
    powers = [abs(math.log10(gain)) for part in parts_of(slide) for gain in part if gain > 0 and math.isfinite(gain)]
    reach = next(reach for reach in (1, 2, 4, 8, 16, 32, 64, 128, 300) if reach >= min(max(powers, default=1), 300))
    return Scale(10.0**-reach, 10.0**reach, LOW, HIGH, log=True)


def thickness(height):
    """Of a gain's bar in a row of this height."""
    return min(12.0, max(2.0, (height - 3) / 2))


def bar(scale, gain, y, side, height):
    """The `d` of a gain's bar, from 1 to the gain; side -1 is above the middle of the row, 1 below."""
    if math.isnan(gain):
        return ""
    thick, end = thickness(height), scale(gain)
    top = y - thick if side < 0 else y
    return f"M{scale(1):.1f},{top:.1f}H{end:.1f}v{thick:.1f}H{scale(1):.1f}Z"


def stripes(scale, gain, y, height):
    """The `d` of upright stripes in the bar below the middle: it is known by them, as well as by its colour."""
    if math.isnan(gain):
        return ""
    left, right = sorted((scale(1), scale(gain)))
    return "".join(
        f"M{left + 4 * i:.1f},{y:.1f}v{thickness(height):.1f}" for i in range(1, int((right - left) / 4) + 1)
    )


def dead_bar(share, y, height):
    """The `d` of a bar for a share of dead units."""
    if not share > 0:
        return ""
    thick = min(12.0, height - 4)
    return f"M{DEAD[0]},{y - thick / 2:.1f}h{DEAD[1] * share:.1f}v{thick:.1f}h{-DEAD[1] * share:.1f}Z"


def gains_in_words(slide):
    """The right-hand drawing in words."""
    said = [
        f"{slide.title(i)}: weights' gain {written(slide.weights[i])}, activation's gain "
        f"{written(slide.activation[i])}, product {written(slide.gains[i])}, dead units {percent(slide.dead[i])}"
        for i in range(len(slide.names))
    ]
    return f"Gains by layer. {'. '.join(said)}."


def stage(marks):
    """The stage: the sum, the histograms, the gains."""
    return sum_html(marks) + gradients_svg(marks) + gains_svg(marks)


SUM = (
    ("weights", "weights' gain"),
    ("activation", "× activation's gain"),
    ("step", "= gain of a step back"),
    ("steps", "to the power of steps"),
    ("ratio", ""),
)


def sum_html(marks):
    """The sum as cells with keys."""
    cells = []
    for key, heading in SUM:
        of = f'data-key="sum.of">{html.escape(marks["sum.of"]["text"])}' if key == "ratio" else f">{heading}"
        number, note = (html.escape(marks[f"sum.{key}{what}"]["text"]) for what in ("", ".note"))
        plain = "" if key == "ratio" else ' class="bp-plain"'
        cells.append(
            f'<div{plain}><span {of}</span><b data-key="sum.{key}">{number}</b>'
            f'<small data-key="sum.{key}.note">{note}</small></div>'
        )
    return f'<div class="bp-sum bp-microscope">{"".join(cells)}</div>'


def text_of(marks, key, x, kind):
    """A line of text in a row, which marks can change and move."""
    mark = marks[key]
    return f'<text data-key="{key}" class="{kind}" x="{x}" y="{mark["y"]}">{html.escape(mark["text"])}</text>'


def keyed(marks, key, kind):
    """A path that marks can change."""
    return path(key, kind, marks[key]["d"])


def gradients_svg(marks):
    """The left-hand drawing: a histogram a layer, its size, and what it leaves out."""
    parts = [
        label("Gradients, layer by layer", 0, 14, "heading"),
        label("layer", 0, 38, "caption start"),
        label(marks["of"]["text"], 0, HEIGHT - 4, "caption start", "of"),
        label(marks["size"]["text"], 450, 38, "caption end", "size"),
        label("are 0", 510, 38, "caption end"),
        label("nan, inf", 574, 38, "caption end"),
        label(marks["each"]["text"], 574, 14, "caption end", "each"),
    ]
    for i in range(INTERVALS + 1):
        parts.append(f'<path class="grid" d="M{at(i):.1f},{TOP}V{BOTTOM}"/>')
        parts.append(label(marks[f"tick{i}"]["text"], at(i), BOTTOM + 16, "tick", f"tick{i}"))
    parts.append(keyed(marks, "rules", "grid"))
    parts.append(keyed(marks, "ridge", "bars s2"))
    parts.append(f'<path class="axis" d="M{LEFT},{BOTTOM}H{RIGHT}"/>')
    parts.append(keyed(marks, "sizes", "scope-line"))
    parts.append(keyed(marks, "sizes.dots", "scope-dot"))
    for i in range(DEEPEST):
        parts.append(text_of(marks, f"row{i}", 30, "tick y"))
        parts.append(text_of(marks, f"row{i}.size", 450, "tick y scope-ink"))
        parts.append(text_of(marks, f"row{i}.zeros", 510, "tick y"))
        parts.append(text_of(marks, f"row{i}.bad", 574, "tick y"))
    return described(svg(WIDE, HEIGHT, *parts), "gradients", marks)


def gains_svg(marks):
    """The right-hand drawing: the gains of each step as bars, their product as a line, the share of dead units."""
    parts = [
        label("Gains of each step back", 0, 14, "heading"),
        '<path class="bars s0 scope-solid" d="M0,29h16v9h-16Z"/>',
        label("weights", 20, 38, "caption start"),
        '<path class="bars s1 scope-hollow" d="M76,29h16v9h-16Z"/>',
        '<path class="scope-stripes s1" d="M80,29v9M84,29v9M88,29v9"/>',
        label("activation", 96, 38, "caption start"),
        '<path class="scope-line" d="M164,33.5h24"/>',
        '<path class="scope-dot" d="M172,33.5a4,4 0 1 0 8,0a4,4 0 1 0 -8,0Z"/>',
        label("product", 192, 38, "caption start"),
        label("product", 362, 38, "caption end"),
        label("dead units", 456, 38, "caption end"),
        label("slope 0 for the whole batch", 456, 14, "caption end"),
        label(marks["note"]["text"], 0, HEIGHT - 4, "caption start", "note"),
    ]
    for place in range(5):
        x = LOW + (HIGH - LOW) * place / 4
        parts.append(f'<path class="{"axis" if place == 2 else "grid"}" d="M{x:.1f},{TOP}V{BOTTOM}"/>')
    parts.append(label(marks["least"]["text"], LOW, BOTTOM + 16, "tick", "least"))
    parts.append(label("1", (LOW + HIGH) / 2, BOTTOM + 16, "tick"))
    parts.append(label(marks["most"]["text"], HIGH, BOTTOM + 16, "tick", "most"))
    parts.append(keyed(marks, "weights", "bars s0 scope-solid"))
    parts.append(keyed(marks, "activation", "bars s1 scope-hollow"))
    parts.append(keyed(marks, "stripes", "scope-stripes s1"))
    parts.append(keyed(marks, "product", "scope-line"))
    parts.append(keyed(marks, "product.dots", "scope-dot"))
    parts.append(keyed(marks, "frames", "axis"))
    parts.append(keyed(marks, "dead", "scope-dead"))
    for i in range(DEEPEST):
        parts.append(text_of(marks, f"gain{i}", 30, "tick y"))
        parts.append(text_of(marks, f"gain{i}.product", 362, "tick y scope-ink"))
        parts.append(text_of(marks, f"gain{i}.dead", 456, "tick y"))
    return described(svg(NARROW, HEIGHT, *parts), "gains", marks)


def described(drawing, key, marks):
    """A drawing with the role of an image, whose description marks can change."""
    words = html.escape(marks[key]["aria-label"])
    return drawing.replace("<svg", f'<svg data-key="{key}" role="img" aria-label="{words}"', 1)
