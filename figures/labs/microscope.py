"""The microscope: a deep network's gradients layer by layer, and the two gains that make them shrink or grow."""

import functools
import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

from autograd import nn, validation
from autograd.lessons.depth import TWELVE_LAYERS, deep_pass
from autograd.messages import show
from autograd.tensor import Tensor, quiet
from figures.charts.still import histogram
from figures.page.inputs import Input, Inputs, choice, switch, whole
from figures.page.pen import Stage
from figures.page.player import Control, Frame, Player, Recording
from figures.page.style import NOT_YET
from figures.page.svg import Scale, label, power_text, svg
from figures.training.deep import SEEDS, mean_gain, of_seeds, verdict

DEEPEST, WIDEST = 30, 64  # layers; units, and samples of a batch: the largest pass that takes less than 20 ms

OWN, TWO_LAYERS, SIGMOIDS = "your own network", "100 two-layer nets", "twelve sigmoids"
TABLE = {
    f"{activation}, {init}{f' × {gain:g}' if gain != 1 else ''}{', residual' if residual else ''}": {
        **{"activation": activation, "init": init, "gain": gain, "residual": residual, "residual_scale": "1"},
        **{"depth": 12, "width": 32, "batch": 32},
    }
    for activation, init, gain, residual in TWELVE_LAYERS
}
FIXED = {TWO_LAYERS: {"activation": "relu"}, SIGMOIDS: {"activation": "sigmoid"}}  # figures that take no other input
PRESETS = {OWN: {}, **FIXED, **TABLE}
SCALES = {  # of what a residual layer adds, for L layers
    "1": lambda depth: 1.0,
    "1/√L": lambda depth: 1 / math.sqrt(depth),
    "1/√(2L)": lambda depth: 1 / math.sqrt(2 * depth),
    "1/L": lambda depth: 1 / depth,
}

ROOM = (  # a sentence as long as any that is said
    "Each step back multiplies the gradient by 0.000e+00: the weights' gain 0.000e+00 times the activation's gain "
    "0.000e+00 times the residual scale 0.000e+00. After 29 steps, in layer 1, it is 0.000e+00 times as large. The "
    "mean of first / last over seeds 0 to 4 is 0.000e+00: it explodes. The way around a layer counts with the weights. "
    "100% of all units are dead."
)
WIDTH, HEIGHT, TOP, BOTTOM = 712, 388, 44, 354  # of the drawing, and where its rows begin and end
LEFT, RIGHT = 32, 262  # the axis of gradients
SIZE, ZEROS, BAD = 330, 366, 416  # where the columns beside it end
SECOND, LOW, HIGH = 434, 464, 584  # where the gains begin, and their axis
PRODUCT, SHARE = 648, 712  # where the columns beside it end
DEAD = 656, 22  # where the bars of dead units begin, and how long one is that is full
INTERVALS, BINS = 8, 48  # of the axis of gradients: ticks stand still, and their texts change


def finite(number, what):
    """`number` as a finite float."""
    number = validation.real(number, what)
    if not math.isfinite(number):
        raise ValueError(f"{what} is a finite number, got {number}.")
    return number


def factor(value):
    """A gain."""
    if finite(value, "gain") <= 0:
        raise ValueError(f"gain is above 0, got {value!r}.")
    return value


def scale_of(text, depth=1):
    """The number that a residual scale stands for in a network of this depth."""
    if text in SCALES:
        return SCALES[text](depth)
    try:
        return finite(float(text), "residual_scale")
    except (TypeError, ValueError):
        raise ValueError(f"residual_scale is a number or one of {', '.join(SCALES)}; got {text!r}.") from None


def written_scale(value):
    """A residual scale as the text that stands in a choice."""
    value = value if isinstance(value, str) else f"{finite(value, 'residual_scale'):g}"
    scale_of(value)
    return value


def one_of(name, options, label, what):
    """A choice whose sentence names all options."""
    return choice(name, options, label, says=f"{what} is one of: {'; '.join(options)}")


INPUTS = Inputs(
    one_of("preset", PRESETS, "network", "preset"),
    one_of("activation", nn.ACTIVATIONS, "activation", "activation"),
    one_of("init", nn.INITIALISATIONS, "initialisation", "initialisation"),
    Input(Control("range", "seed", "seed", min=0, max=99, step=1, whole=True), whole("seed", 0, 2**32 - 1).check),
    Input(Control("range", "gain", "gain", min=-2, max=1, step=0.02, log=True), factor),
    whole("depth", 2, DEEPEST),
    whole("width", 1, WIDEST),
    whole("batch", 1, WIDEST),
    switch("residual"),
    Input(Control("choice", "residual_scale", "residual scale", options=tuple(SCALES)), written_scale),
)


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
    product, and a residual scale's, is the ratio of the two layers' gradients. The product of all steps is first /
    last. Whether the gradient vanishes, arrives or explodes is judged by the mean of first / last over the seeds 0 to
    4, whichever is shown; a band holds what they show. Dead units are those with slope 0 for the whole batch.

    activation, init, gain, depth (2 to 30), width and batch (1 to 64), residual, residual_scale, seed: as in
    autograd.lessons.depth.deep_pass, which says where the formulas come from; residual_scale is a number or one of "1",
    "1/√L", "1/√(2L)", "1/L". preset: one of PRESETS; "100 two-layer nets" and "twelve sigmoids" are figures of a
    published notebook, the others the networks of autograd.lessons.depth.TWELVE_LAYERS. Each argument has its control.
    ValueError or TypeError if an argument is something else.
    """
    asked = {"activation": activation, "init": init, "seed": seed, "gain": gain, "depth": depth, "width": width}
    asked |= {"batch": batch, "residual": residual, "residual_scale": residual_scale}
    values = INPUTS.checked({**asked, "preset": OWN if preset is None else preset})
    return Microscope({**values, **PRESETS[values["preset"]]})


class Microscope(Player):
    """The lab: its inputs, and what it answers to a change of one of them."""

    live = True

    def __init__(self, settings):
        self.slide, stage = look(settings), Stage(draw)
        frame = Frame(self.slide.say, "", stage.marks(self.slide))
        recording = Recording("Gradient microscope", [frame], stage, self.slide.description(), room=ROOM)
        super().__init__(recording, controls=controls(settings))

    def answer(self, values, presses):
        """A new picture. A preset sets the other inputs; another input makes the network the learner's own."""
        asked = INPUTS.checked({**self.values, **values})
        changed = {name for name in asked if asked[name] != self.values[name]}
        if "preset" in changed:
            settings = {**asked, **PRESETS[asked["preset"]]}
        else:
            settings = {**asked, "preset": OWN} if changed else asked
        self.slide = look(settings)
        self.values, self.controls = settings, controls(settings)
        moved = {control.name: {"disabled": control.disabled} for control in self.controls}
        for name, value in settings.items():
            moved[name] |= {"value": value} if value != asked[name] else {}
        self.show(self.recording.render.marks(self.slide), self.slide.say, controls=moved)

    def text(self):
        """The sentence, and a line a layer."""
        return "\n".join([self.slide.say, *self.slide.lines()])


def controls(settings):
    """The lab's controls, at these settings; those that change nothing are off."""
    made = {control.name: control for control in INPUTS.controls(**settings)}
    off = set() if settings["residual"] else {"residual_scale"}
    off |= made.keys() - {"preset"} if settings["preset"] in FIXED else set()
    power = math.log10(settings["gain"])
    made["gain"] = replace(made["gain"], min=min(-2, math.floor(power)), max=max(1, math.ceil(power)))
    made["seed"] = replace(made["seed"], max=max(99, settings["seed"]))
    scales = dict.fromkeys([*SCALES, settings["residual_scale"]])
    made["residual_scale"] = replace(made["residual_scale"], options=tuple(scales))
    return [replace(control, disabled=name in off) for name, control in made.items()]


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
    gradients are, by `statistic`. weights, activation: the gains of the step that leads back to the row; scale: what a
    residual layer multiplies with besides. products: theirs, if None. dead: shares of units. ratio: first / last.
    judged: whether it arrives, in a few words. seeds: the sizes of the rows in the networks of SEEDS, a row a seed.
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
    scale: float = 1.0
    seeds: np.ndarray | None = None

    @property
    def gains(self):
        """The gain of each whole step."""
        if self.products is not None:
            return self.products
        with np.errstate(all="ignore"):
            return [float(gain) for gain in np.array(self.weights) * np.array(self.activation) * self.scale]

    @property
    def steps(self):
        """How many steps lead from the last row back to the first."""
        return len(self.names) - 1

    def lines(self):
        """A line of text for each layer."""
        return [
            f"{self.title(i)}: {self.statistic} of {self.of} {show(self.sizes[i])}, {zero:,} of {self.each:,} are 0, "
            f"{bad:,} are not finite; weights' gain {written(self.weights[i])} × activation's gain "
            f"{written(self.activation[i])}{self.scaled(' × residual scale ')} = {written(self.gains[i])}; dead units "
            f"{percent(self.dead[i])}"
            for i, (zero, bad) in enumerate(zip(self.zeros, self.not_finite))
        ]

    def scaled(self, words):
        """The residual scale after these words; nothing where it is 1."""
        return f"{words}{show(self.scale)}" if self.scale != 1 else ""

    @property
    def band(self):
        """From where to where the sizes of the rows lie, and the gains of the steps, in the networks of SEEDS."""
        if self.seeds is None:
            return None, None
        with np.errstate(all="ignore"):
            return [
                (found.min(axis=0), found.max(axis=0)) for found in (self.seeds, self.seeds[:, :-1] / self.seeds[:, 1:])
            ]

    def title(self, i):
        """A row's name in a sentence."""
        return f"layer {self.names[i]}" if self.names[i].isdigit() else self.names[i]

    def description(self):
        """Both drawings in words, for those who cannot see them."""
        return f"Histograms of gradients by layer, and the gains of each step back. {self.say}"


def look(settings):
    """The Slide for these settings, checked ones."""
    if settings["preset"] in FIXED:
        return two_layers() if settings["preset"] == TWO_LAYERS else sigmoids()
    given = {name: settings[name] for name in ("activation", "init", "gain", "residual", "depth", "width", "batch")}
    given["residual_scale"] = scale_of(settings["residual_scale"], settings["depth"])
    return slide_of(deep_pass(**given, seed=settings["seed"]), *of_seeds(**given))


@quiet
def slide_of(found, seeds, ratio):
    """The Slide of a DeepPass. seeds: the sizes of each layer's gradients in the networks of SEEDS. ratio: their mean
    first / last."""
    depth = len(found.gradients)
    rows = np.abs(found.gradients).reshape(depth, -1)
    finite, zero = np.isfinite(rows), rows == 0
    edges, counts, axis = logarithmic(rows, finite & ~zero, seeds)
    scale = abs(found.residual_scale) if found.residual and found.residual_scale else 1.0
    step_weights = [*map(float, found.weights_gain[1:]), math.nan]
    step_activation = [*map(float, found.activation_gain[:-1] / scale), math.nan]
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
        say=what_happened(found, step_weights[:-1], step_activation[:-1], scale, ratio),
        each=rows.shape[1],
        ratio=float(found.ratio),
        judged=f"{len(SEEDS)} seeds: {verdict(ratio)}",
        scale=scale,
        seeds=seeds,
    )


def logarithmic(rows, shown, more=()):
    """Edges, counts for each row, and a logarithmic Axis, for the numbers in `rows` that are `shown`.

    more: numbers that the axis has room for, too.
    """
    powers, more = np.log10(rows, out=np.zeros_like(rows), where=shown), np.ravel(more)
    ends = np.concatenate([powers[shown], np.log10(more[(more > 0) & np.isfinite(more)])])
    low, high = (ends.min(), ends.max()) if ends.size else (-6.0, 2.0)
    for step in (1, 2, 3, 5, 10, 20, 50, 100):
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first <= INTERVALS:
            break
    first -= (INTERVALS - (last - first)) // 2  # what is free, on both sides
    bins = np.clip((powers / step - first) * (BINS / INTERVALS), 0, BINS - 1).astype(int)
    place = bins + BINS * np.arange(len(rows))[:, None]
    counts = np.bincount(place[shown], minlength=BINS * len(rows)).reshape(len(rows), BINS)
    return np.linspace(0, INTERVALS, BINS + 1), counts, Axis(first * step, step)


def what_happened(found, weights, activation, scale, of_seeds):
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
        f"Each step back multiplies the gradient by {show(by_weights * by_activation * scale)}: the weights' gain "
        f"{show(by_weights)} times the activation's gain {show(by_activation)}"
        f"{f' times the residual scale {show(scale)}' if scale != 1 else ''}."
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
        note="Layers of different width: no gains are taken.",
        products=nothing,
    )


@functools.cache
def sigmoids():
    """Twelve sigmoids, 32 times, as published: each at the same pre-activation in every layer, and without weights."""
    _, numbers = stream()
    chain, row = [Tensor(numbers)], Tensor(numbers)
    start = row
    for _ in range(12):
        after, row = chain[-1].sigmoid(), row.sigmoid()
        chain.append(after + (numbers - after.data))  # the pre-activation again, and the slope 1
    for end in (chain[-1], row):
        end.sum().backward()
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
            "Twelve sigmoids as published: no weights, and all twelve at one and the same z. Each step back multiplies "
            f"the mean |gradient| by about {show(mean_gain(gains[:-1]))}, and after 12 steps {show(means[0])} is left. "
            f"In a row, each sigmoid gets what the one before gave, and {show(float(start.grad.mean()))} is left."
        ),
        each=32,
        ratio=means[0] / means[-1],
        judged=verdict(means[0] / means[-1]),
        statistic="mean",
        of="|gradient|",
        note="No weights: the activation's gain alone.",
        products=gains,
    )


# Render


def written(number):
    """A gain as text; – where there is none."""
    return NOT_YET if math.isnan(number) else show(number)


def percent(share):
    """A share as text; – where there is none."""
    return NOT_YET if math.isnan(share) else f"{share:.0%}" if share in (0, 1) or share >= 0.01 else "<1%"


def draw(pen, slide):
    """The sum, and under it the drawing: the histograms on the left, the gains on the right."""
    alt = f"{slide.description()} {'. '.join(slide.lines())}."
    halves = pen("g", "halves", "", gradients(pen, slide) + gains(pen, slide), at={"role": "img"}, aria_label=alt)
    return sum_html(pen, slide) + svg(WIDTH, HEIGHT, standing(), halves)


def sum_html(pen, slide):
    """The sum: weights' gain × activation's gain, to the power of the steps, is first / last."""
    n, steps = slide.steps, slide.steps != 1 or not math.isnan(slide.gains[0])
    gains = [mean_gain(part[:n]) if part and not math.isnan(part[0]) else math.nan for part in parts_of(slide)]
    mean, last = f"mean of {n} step{'s' * (n > 1)}", slide.names[-1]
    taken = [mean if gain == gain else "not taken" for gain in gains]
    cells = (
        ("weights", "weights' gain", written(gains[0]), "no weights" if steps and gains[0] != gains[0] else taken[0]),
        ("activation", "× activation's gain", written(gains[1]), slide.scaled("× residual scale ") or taken[1]),
        ("step", "= gain of a step back", written(gains[2]), taken[2]),
        ("steps", "to the power of steps", str(n), f"from {slide.title(n)} to {slide.names[0]}"),
    )
    made = [
        f'<div class="bp-plain"><span>{heading}</span>{pen("b", f"sum.{key}", text=text)}'
        f"{pen('small', f'sum.{key}.note', text=note)}</div>"
        for key, heading, text, note in cells
    ]
    of = pen("span", "sum.of", text=f"= layer {slide.names[0]} / {slide.title(n) if last.isdigit() else last}")
    ratio = pen("b", "sum.ratio", text=show(slide.ratio)) + pen("small", "sum.ratio.note", text=slide.judged)
    return f'<div class="bp-sum bp-microscope">{"".join(made)}<div>{of}{ratio}</div></div>'


@functools.cache
def standing():
    """What stands still in the drawing."""
    parts = [
        label("Gradients, layer by layer", 0, 14, "heading"),
        label("layer", 0, 34, "caption start"),
        label("are 0", ZEROS, 34, "caption end"),
        label("nan, inf", BAD, 34, "caption end"),
        label("Gains of a step back", SECOND, 14, "heading"),
        f'<path class="bars s0 scope-solid" d="M{SECOND},25h12v9h-12Z"/>',
        label("weights", SECOND + 15, 34, "caption start"),
        f'<path class="bars s1 scope-hollow" d="M{SECOND + 68},25h12v9h-12Z"/>',
        f'<path class="scope-stripes s1" d="M{SECOND + 72},25v9m4,-9v9"/>',
        label("activation", SECOND + 83, 34, "caption start"),
        f'<path class="scope-line" d="M{PRODUCT - 67},29.5h18"/>',
        f'<path class="scope-dot" d="M{PRODUCT - 62},29.5a4,4 0 1 0 8,0a4,4 0 1 0 -8,0Z"/>',
        label("product", PRODUCT, 34, "caption end"),
        label("dead", SHARE, 34, "caption end"),
        label("dead: slope 0", SHARE, 14, "caption end"),
        label("1", (LOW + HIGH) / 2, BOTTOM + 15, "tick"),
    ]
    for i in range(INTERVALS + 1):
        parts.append(f'<path class="grid" d="M{at(i):.1f},{TOP}V{BOTTOM}"/>')
    for place in range(5):
        x = LOW + (HIGH - LOW) * place / 4
        parts.append(f'<path class="{"axis" if place == 2 else "grid"}" d="M{x:.1f},{TOP}V{BOTTOM}"/>')
    return "".join([*parts, f'<path class="axis" d="M{LEFT},{BOTTOM}H{RIGHT}"/>'])


def gradients(pen, slide):
    """The left half: a histogram a layer, its size, and what it leaves out."""
    n, height = len(slide.names), (BOTTOM - TOP) / len(slide.names)
    points = size_points(slide, height)
    band = slide.band[0]
    shaded = "M0,0" if band is None else band_of(band, slide.axis.pixel, [foot(i, height) for i in range(n)])
    rules = "".join(f"M{LEFT},{TOP + height * (i + 1):.1f}H{RIGHT}" for i in range(n))
    axis = "log" if slide.axis.log else "linear"
    parts = [
        pen("path", "rules", "grid", d=rules),
        pen("path", "ridge", "bars s2", d=ridge(slide, height)),
        pen("path", "band", "scope-band", d=shaded),
        pen("path", "sizes", "scope-line", d=joined(points)),
        pen("path", "sizes.dots", "scope-dot", d=diamonds(points, min(5.0, height / 3.2))),
        pen("path", "seeds", "scope-band", d="M0,0" if band is None else f"M{LEFT + 4},25h16v9h-16Z"),
        words(pen, "seeds.of", LEFT + 24, 34, "start", "" if band is None else f"seeds {SEEDS[0]} to {SEEDS[-1]}"),
        words(pen, "of", 0, HEIGHT - 4, "start", f"{slide.of}, on a {axis} axis; ◆ {slide.statistic}"),
        words(pen, "size", SIZE, 34, "end", "◆ mean" if slide.statistic == "mean" else "◆ rms"),
        words(pen, "each", BAD, 14, "end", f"of {slide.each:,} in each layer"),
    ]
    for i, text in enumerate(slide.axis.ticks()):
        parts.append(pen("text", f"tick{i}", "tick", text=text, at={"x": at(i), "y": BOTTOM + 15}))
    columns = (
        ("row{}", 24, "tick y", slide.names),
        ("row{}.size", SIZE, "tick y scope-ink", map(show, slide.sizes)),
        ("row{}.zeros", ZEROS, "tick y", (f"{count:,}" for count in slide.zeros)),
        ("row{}.bad", BAD, "tick y", (f"{count:,}" for count in slide.not_finite)),
    )
    return "".join([*parts, *(column(pen, height, n, *each) for each in columns)])


def gains(pen, slide):
    """The right half: the gains of each step as bars, their product as a line, the share of dead units."""
    n, height, scale = len(slide.names), (BOTTOM - TOP) / len(slide.names), gain_scale(slide)
    middle = [TOP + height * (i + 0.5) for i in range(n)]
    rows = list(zip(middle, slide.weights, slide.activation, slide.gains))
    dots = [(scale(product), y) for y, _, _, product in rows if math.isfinite(product)]
    band = slide.band[1]
    shaded = "M0,0" if band is None else band_of(band, functools.partial(place_of, scale), middle)
    note = slide.note or "gain of a step back to this layer, on a log axis"
    if slide.scale != 1:
        note = f"product: × residual scale {show(slide.scale)}; log axis"
    paths = {
        "weights": ("bars s0 scope-solid", "".join(bar(scale, gain, y, -1, height) for y, gain, _, _ in rows)),
        "activation": ("bars s1 scope-hollow", "".join(bar(scale, gain, y, 1, height) for y, _, gain, _ in rows)),
        "stripes": ("scope-stripes s1", "".join(stripes(scale, gain, y, height) for y, _, gain, _ in rows)),
        "gains.band": ("scope-band", shaded),
        "product": ("scope-line", joined(dots)),
        "product.dots": ("scope-dot", circles(dots, min(4.0, height / 4))),
        "frames": ("axis", "".join(dead_bar(1.0, y, height) for y, s in zip(middle, slide.dead) if s == s)),
        "dead": ("scope-dead", "".join(dead_bar(share, y, height) for y, share in zip(middle, slide.dead))),
    }
    parts = [pen("path", key, kind, d=d or "M0,0") for key, (kind, d) in paths.items()]
    for key, x, end in (("least", LOW, scale.low), ("most", HIGH, scale.high)):
        text = power_text(round(math.log10(end)))
        parts.append(pen("text", key, "tick", text=text, at={"x": x, "y": BOTTOM + 15}))
    parts.append(words(pen, "note", SECOND, HEIGHT - 4, "start", note))
    products = ["start" if i == n - 1 and n > 2 else written(gain) for i, gain in enumerate(slide.gains)]
    for each in (
        ("gain{}", SECOND + 20, "tick y", slide.names),
        ("gain{}.product", PRODUCT, "tick y scope-ink", products),
        ("gain{}.dead", SHARE, "tick y", map(percent, slide.dead)),
    ):
        parts.append(column(pen, height, n, *each))
    return "".join(parts)


def words(pen, key, x, y, end, text):
    """A caption that changes."""
    return pen("text", key, f"caption {end}", text=text, at={"x": x, "y": y})


def column(pen, height, n, key, x, kind, texts):
    """A text in each of n rows, and empty ones for the rows that there may be."""
    texts = [*texts, *[""] * (DEEPEST - n)]
    ys = [(TOP + height * (i + 0.5) if i < n else BOTTOM) + 4 for i in range(DEEPEST)]
    return "".join(
        pen("text", key.format(i), kind, text=text, at={"x": x}, y=y) for i, (text, y) in enumerate(zip(texts, ys))
    )


def foot(i, height):
    """Where the size of a row stands: near its foot."""
    return TOP + height * (i + 1) - min(6.0, height / 2)


def place_of(scale, gain):
    """Where a gain stands; None if it has no place on a log axis."""
    return scale(gain) if gain > 0 and math.isfinite(gain) else None


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
    return [(x, foot(i, height)) for i, x in enumerate(xs) if x is not None]


def joined(points):
    """The `d` of a line through pixels."""
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points) if points else "M0,0"


def band_of(ends, pixel, ys):
    """The `d` of the band between two rows of numbers, one of each at each y; where one has no place it is cut."""
    parts = []
    for has_place, rows in itertools.groupby(
        zip(*map(functools.partial(map, pixel), ends), ys), lambda row: None not in row
    ):
        low, high, at = zip(*rows) if has_place else ((), (), ())
        parts += [joined([*zip(low, at), *zip(high[::-1], at[::-1])]) + "Z"] * (len(at) > 1)
    return "".join(parts) or "M0,0"


def diamonds(points, r):
    """The `d` of a diamond on each point."""
    r = round(r, 1)
    return on_each(points, r, f"l{r:g},{-r:g} {r:g},{r:g} {-r:g},{r:g}Z")


def circles(points, r):
    """The `d` of a circle around each point."""
    r = round(r, 1)
    half = f"a{r:g},{r:g} 0 1 0 "
    return on_each(points, r, f"{half}{2 * r:g},0{half}{-2 * r:g},0Z")


def on_each(points, r, shape):
    """The `d` of a shape on each point, drawn from r to the left of it."""
    return "".join(f"M{x - r:.1f},{y:.1f}{shape}" for x, y in points) or "M0,0"


def gain_scale(slide):
    """The axis of gains: from 1/r to r for the least r of 10, 100, 10⁴, … that holds them all."""
    band = slide.band[1] or ()
    gains = [gain for part in (*parts_of(slide), *band) for gain in part]
    powers = [abs(math.log10(gain)) for gain in gains if gain > 0 and math.isfinite(gain)]
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
