"""The slides of the gradient microscope: a pass through layers as numbers, with their axis."""

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np

from autograd.errors import validation
from autograd.errors.messages import show
from autograd.lessons.depth import deep_pass
from autograd.tensor import Tensor, quiet
from figures.charts.static_charts import histogram
from figures.page.style import NOT_YET
from figures.page.svg import power_text
from figures.training.deep import SEEDS, mean_gain, of_seeds, verdict

DEEPEST, WIDEST = 30, 64  # layers; units, and samples in a batch: the largest pass that takes less than 20 ms
OWN, TWO_LAYERS, SIGMOIDS = "your own network", "100 two-layer nets", "twelve sigmoids"
FIXED = {TWO_LAYERS: {"activation": "relu"}, SIGMOIDS: {"activation": "sigmoid"}}  # figures without other inputs
SCALES = {  # the factor of what a residual layer adds, for L layers
    "1": lambda depth: 1.0,
    "1/√L": lambda depth: 1 / math.sqrt(depth),
    "1/√(2L)": lambda depth: 1 / math.sqrt(2 * depth),
    "1/L": lambda depth: 1 / depth,
}
LEFT, RIGHT = 32, 262  # the axis of gradients
WIDE = 5  # characters of a tick's text, such as 10⁻¹²
INTERVALS, BINS = 8, 48  # of the axis of gradients: ticks never move, but their texts change


def finite(number, what):
    """Return `number` as a float; raise ValueError if it is inf or nan."""
    number = validation.real(number, what)
    if not math.isfinite(number):
        raise ValueError(f"{what} is a finite number, got {number}.")
    return number


def factor(value):
    """Check a gain; raise ValueError unless it is above 0."""
    if finite(value, "gain") <= 0:
        raise ValueError(f"gain is above 0, got {value!r}.")
    return value


def scale_of(text, depth=1):
    """Return the number that a residual scale stands for in a network of this depth."""
    if text in SCALES:
        return SCALES[text](depth)
    try:
        return finite(float(text), "residual_scale")
    except (TypeError, ValueError):
        raise ValueError(f"residual_scale is a number or one of {', '.join(SCALES)}; got {text!r}.") from None


# Record


@dataclass(frozen=True)
class Axis:
    """An axis of INTERVALS equal intervals: from `first`, each `step` longer; powers of ten if `log`."""

    first: float
    step: float
    log: bool = True

    def ticks(self):
        """Return the texts of the ticks; only every second one if two long ones would touch."""
        places = [self.first + self.step * i for i in range(INTERVALS + 1)]
        texts = [power_text(place) if self.log else f"{place:g}" for place in places]
        touch = any(min(map(len, pair)) >= WIDE for pair in itertools.pairwise(texts))
        return ["" if touch and i % 2 else text for i, text in enumerate(texts)]

    def pixel(self, number):
        """Return the pixel of a number; None if it has no place, like 0 and nan on a log axis."""
        if not math.isfinite(number) or (self.log and number <= 0):
            return None
        place = ((math.log10(number) if self.log else number) - self.first) / self.step
        return to_pixel(min(max(place, 0.0), float(INTERVALS)))


@dataclass(frozen=True)
class Slide:
    """A picture in the microscope, one row per layer, the first layer first. nan: there is no such number.

    edges, counts: of the histograms, edges as places on the axis from 0 to INTERVALS. sizes: how large each row's
    gradients are, by `statistic`. weights, activation: the gains of the step that leads back to the row; scale: the
    additional factor of a residual layer. products: of these, if None. dead: shares of units. ratio: first / last.
    judged: whether it arrives, in a few words. seeds: the sizes of the rows in the networks of SEEDS, one row per seed.
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
        """The number of steps from the last row back to the first."""
        return len(self.names) - 1

    def lines(self):
        return [
            f"{self.title(i)}: {self.statistic} of {self.of} {show(self.sizes[i])}, {zero:,} of {self.each:,} are 0, "
            f"{bad:,} are not finite; weights' gain {format_gain(self.weights[i])} × activation's gain "
            f"{format_gain(self.activation[i])}{self.scaled(' × residual scale ')} = "
            f"{format_gain(self.gains[i])}; dead units "
            f"{percent(self.dead[i])}"
            for i, (zero, bad) in enumerate(zip(self.zeros, self.not_finite))
        ]

    def scaled(self, words):
        """Return the residual scale after these words; "" if it is 1."""
        return f"{words}{show(self.scale)}" if self.scale != 1 else ""

    @property
    def band(self):
        """The lowest and highest sizes of the rows, and gains of the steps, over the networks of SEEDS."""
        if self.seeds is None:
            return None, None
        with np.errstate(all="ignore"):
            return [
                (found.min(axis=0), found.max(axis=0)) for found in (self.seeds, self.seeds[:, :-1] / self.seeds[:, 1:])
            ]

    def title(self, i):
        return f"layer {self.names[i]}" if self.names[i].isdigit() else self.names[i]

    def description(self):
        """Describe both drawings, for those who cannot see them."""
        return f"Histograms of gradients by layer, and the gains of each step back. {self.say}"


def make_slide(settings):
    """Return the Slide for these checked settings."""
    if settings["preset"] in FIXED:
        return two_layers() if settings["preset"] == TWO_LAYERS else sigmoids()
    given = {name: settings[name] for name in ("activation", "init", "gain", "residual", "depth", "width", "batch")}
    given["residual_scale"] = scale_of(settings["residual_scale"], settings["depth"])
    return slide_of(deep_pass(**given, seed=settings["seed"]), *of_seeds(**given))


@quiet
def slide_of(found, seeds, ratio):
    """Return the Slide of a DeepPass.

    seeds: the sizes of each layer's gradients in the networks of SEEDS. ratio: their mean first / last.
    """
    depth = len(found.gradients)
    rows = np.abs(found.gradients).reshape(depth, -1)
    finite, zero = np.isfinite(rows), rows == 0
    edges, counts, axis = logarithmic(rows, finite & ~zero, seeds)
    scale = abs(found.residual_scale) if found.residual and found.residual_scale else 1.0
    step_weights = [*map(float, found.weights_gain[1:]), math.nan]
    step_activation = [*map(float, found.activation_gain[:-1] / scale), math.nan]
    return Slide(
        names=list(map(str, range(1, depth + 1))),
        counts=counts,
        edges=edges,
        axis=axis,
        sizes=list(map(float, found.gradient_norms)),
        zeros=zero.sum(axis=1).tolist(),
        not_finite=(~finite).sum(axis=1).tolist(),
        weights=step_weights,
        activation=step_activation,
        dead=list(map(float, found.dead)),
        say=what_happened(found, step_weights[:-1], step_activation[:-1], scale, ratio),
        each=rows.shape[1],
        ratio=float(found.ratio),
        judged=f"{len(SEEDS)} seeds: {verdict(ratio)}",
        scale=scale,
        seeds=seeds,
    )


def logarithmic(rows, shown, more=()):
    """Return edges, counts for each row, and a logarithmic Axis, for the numbers in `rows` that are `shown`.

    more: further numbers that the axis must hold.
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
    depth, ratio = len(found.gradients), float(found.ratio)
    bad = [i for i, norm in enumerate(found.gradient_norms, start=1) if not math.isfinite(norm)]
    if bad:
        where = "every layer" if len(bad) == depth else f"layer {max(bad)}"
        return f"In {where} some gradients are inf or nan: a number grew larger than the largest float, 1.8e308."
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
    mean = f"The geometric mean of first / last over seeds {SEEDS[0]} to {SEEDS[-1]} is {show(of_seeds)}"
    said.append(f"{steps} {left}. {mean}: it {verdict(of_seeds)}.")
    if found.residual:
        said.append("The skip connections count with the weights.")
    dead = float(np.mean(found.dead))
    if dead > 0:
        said.append(f"{percent(dead)} of all units are dead.")
    return " ".join(said)


@functools.cache
def stream():
    """Return the published notebook's random numbers, np.random.seed(42): 100 nets' weights, 32 pre-activations."""
    rng = np.random.RandomState(42)
    nets = np.array([[rng.randn(5) * 0.5, rng.randn(5) * 0.5] for _ in range(100)])
    rng.randn(32)  # drawn there and not used
    return nets, rng.randn(32) * 0.5


@functools.cache
def two_layers():
    """Return the Slide of 100 nets of one input (1.5), 5 relu units and a linear output (target 1).

    It shows each net's mean |∂L/∂w| by layer.
    """
    nets, _ = stream()
    first, second = Tensor(nets[:, 0]), Tensor(nets[:, 1])
    output = ((first * 1.5).relu() * second).sum(axis=1)
    ((output - 1.0) ** 2).sum().backward()
    rows = np.abs([first.grad, second.grad]).mean(axis=2)
    counted = histogram({"1": rows[0], "2": rows[1]}, bins=20)
    step = next(step for step in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0) if step * INTERVALS >= counted.edges[-1])
    difference = rows[1] - rows[0]
    larger, error = int((difference > 0).sum()), difference.std(ddof=1) / math.sqrt(len(difference))
    means, nothing = rows.mean(axis=1).tolist(), [math.nan, math.nan]
    return published(
        rows,
        (counted.edges / step, np.array(list(counted.counts.values())), Axis(0.0, step, log=False)),
        names=["1", "2"],
        activation=nothing,
        dead=nothing,
        say=(
            f"Mean |gradient| of the weights, 100 nets: layer 1 {show(means[0])}, layer 2 {show(means[1])}. "
            f"Layer 2's is larger in only {larger} of 100 nets, and the mean difference, {difference.mean():.3f} ± "
            f"{error:.3f}, is less than its standard error: two layers do not show a vanishing gradient."
        ),
        of="|∂L/∂w|, its mean in each of 100 nets",
        note="Layers of different width: no gains are measured.",
    )


def published(rows, histograms, *, activation, **more):
    """Return the Slide of a published figure without weights' gains, from its gradients, one row per layer.

    histograms: edges, counts and axis. activation: the gains of the steps. more: the other fields of the Slide.
    """
    edges, counts, axis = histograms
    means = rows.mean(axis=1).tolist()
    return Slide(
        counts=counts,
        edges=edges,
        axis=axis,
        sizes=means,
        zeros=(rows == 0).sum(axis=1).tolist(),
        not_finite=[0] * len(rows),
        weights=[math.nan] * len(rows),
        activation=activation,
        products=activation,
        each=rows.shape[1],
        ratio=means[0] / means[-1],
        judged=verdict(means[0] / means[-1]),
        statistic="mean",
        **more,
    )


@functools.cache
def sigmoids():
    """Return the Slide of twelve sigmoids, 32 times, as published: one pre-activation in all layers, and no weights."""
    _, numbers = stream()
    chain, row = [Tensor(numbers)], Tensor(numbers)
    start = row
    for _ in range(12):
        after, row = chain[-1].sigmoid(), row.sigmoid()
        chain.append(after + (numbers - after.data))  # the pre-activation again, and the slope 1
    for end in (chain[-1], row):
        end.sum().backward()
    rows = np.abs([node.grad for node in chain])
    means = rows.mean(axis=1).tolist()
    gains = [*(before / after for before, after in itertools.pairwise(means)), math.nan]
    return published(
        rows,
        logarithmic(rows, rows > 0),
        names=[*map(str, range(1, 13)), "out"],
        activation=gains,
        dead=[0.0] * 12 + [math.nan],
        say=(
            "Twelve sigmoids as published: no weights, and all twelve at the same z. Each step back multiplies "
            f"the mean |gradient| by about {show(mean_gain(gains[:-1]))}, and after 12 steps {show(means[0])} is left. "
            f"In a row, each sigmoid gets the output of the one before, and {show(float(start.grad.mean()))} is left."
        ),
        of="|gradient|",
        note="No weights: only the activation's gain.",
    )


# The numbers as text, and their places


def format_gain(number):
    """Return a gain as text; – if there is none."""
    return NOT_YET if math.isnan(number) else show(number)


def percent(share):
    """Return a share as text; – if there is none."""
    return NOT_YET if math.isnan(share) else f"{share:.0%}" if share in (0, 1) or share >= 0.01 else "<1%"


def words(pen, key, x, y, end, text):
    """Draw a caption that changes."""
    return pen("text", key, f"caption {end}", text=text, at={"x": x, "y": y})


def to_pixel(place):
    """Return the pixel of a place on the axis of gradients."""
    return LEFT + place * (RIGHT - LEFT) / INTERVALS
