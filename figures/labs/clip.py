"""The clip lab: a training run with clipped gradients next to the same run without; and when clipping does nothing."""

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np

from autograd.errors.messages import show
from autograd.lessons.population import Population
from autograd.tensor import quiet
from figures.graph.stage import BOTTOM, TOP, chart, readings
from figures.page import svg
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, above_zero, choice, whole
from figures.page.player import Frame, Player, Recording
from figures.page.style import steady
from figures.page.svg import UNSEEN

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([[0.0], [1.0], [1.0], [0.0]])


@dataclass(frozen=True)
class Case:
    """A network to train on XOR: layers, hidden activation, output activation, first weights, and a note in words."""

    layers: tuple
    activation: str
    output: str
    init: str
    gain: float
    note: str


CASES = {
    "deep relu, explodes": Case(
        (*[8] * 7, 1), "relu", "linear", "he", 1.3, "7 layers of 8 relu, He weights times 1.3, linear output"
    ),
    "deep sigmoid, vanishes": Case(
        (*[8] * 7, 1), "sigmoid", "sigmoid", "xavier", 1.0, "7 layers of 8 sigmoid, Xavier weights, sigmoid output"
    ),
}
WAYS = ("by norm", "by value", "none")
STEPS = 80

INPUTS = Inputs(
    choice("case", CASES, "network", says=f"the network is one of {'; '.join(CASES)}"),
    choice("way", WAYS, "clip", says=f"clip is one of {'; '.join(WAYS)}"),
    above_zero("limit", (-3, 3), "limit (max_norm)", what="the limit"),
    above_zero("lr", (-3, 0), "learning rate"),
    whole("seed", 0, 30, what="the seed", bound=False),
)

WIDEST_TEXT = (  # as long as the longest sentence
    "After 80 steps: with clipping loss 0.0000, without loss 0.0000. Clipping changed 0 % of the gradients in every "
    "step. It bounds large ones and cannot enlarge small ones: mean |gradient| of the first layer's weights is "
    "0.000e+00, of the last's 0.000e+00."
)
TIME = svg.Scale(0, STEPS, 44, 318)
LOSSES = svg.Scale(1e-6, 1e6, BOTTOM, TOP, log=True)
NORMS = svg.Scale(1e-6, 1e6, BOTTOM, TOP, log=True)
SIZES = svg.Scale(1e-12, 1e6, 44, 318, log=True)  # of single gradients
SHARES = svg.Scale(0, 40, BOTTOM, TOP)  # of all gradients, in percent
EDGES = 10.0 ** np.arange(-12, 6.5, 0.5)
PLACES = [f"{SIZES(edge):.0f}" for edge in EDGES]


@dataclass(frozen=True, eq=False)
class Run:
    """A training run: before each step, and after the last, its loss and gradients.

    losses, norms: of shape (STEPS + 1,); norms are those before clipping. gradients: (STEPS + 1, parameters), before
    clipping; clipped: the same after it. first, last: mean |gradient| of the first and the last layer's weights.
    Once a run's numbers overflow, the rest is nan.
    """

    losses: np.ndarray
    norms: np.ndarray
    gradients: np.ndarray
    clipped: np.ndarray
    first: np.ndarray
    last: np.ndarray

    @functools.cached_property
    def going(self):
        """A list of bools: for each step, True if its numbers are finite."""
        return (np.isfinite(self.losses) & np.isfinite(self.gradients).all(axis=1)).tolist()

    @functools.cached_property
    def changed(self):
        """The number of gradients that clipping changed before each step; 0 if they are not finite."""
        return [
            int(count) if going else 0 for count, going in zip((self.gradients != self.clipped).sum(axis=1), self.going)
        ]

    @functools.cached_property
    def grown(self):
        """For each chart the `d` of its curve up to each step: the learner should predict what comes later."""
        lines = {"loss": (self.losses, LOSSES), "norm": (self.norms, NORMS)}
        return {what: svg.growing(list(enumerate(line)), TIME, scale) for what, (line, scale) in lines.items()}

    @functools.cached_property
    def end(self):
        """The first step whose numbers are not finite; None if there is none."""
        return self.going.index(False) if False in self.going else None


def clip(case="deep relu, explodes", *, way="by norm", limit=1.0, lr=0.1, seed=11):
    """Compare a run with clipped gradients and the same run without: loss, gradient norm, and all gradients at a step.

    case: one of CASES; both train on the four rows of XOR by gradient descent on the mean squared error, 80 steps. way:
    "by norm", all gradients times limit / norm if the norm is above the limit (Pascanu, Mikolov, Bengio 2013,
    algorithm 1), "by value", each bounded to ±limit, or "none". lr: the learning rate. seed: of the first weights.
    The curves grow with each step. Stepping needs no kernel; the inputs do.
    """
    return Player(controls=INPUTS.controls(case=case, way=way, limit=limit, lr=lr, seed=seed), record=record)


@INPUTS.check
def record(case, way, limit, lr, seed):
    runs, stage = train(CASES[case], way, limit, lr, seed), FrameTemplate(draw)
    frames = [
        Frame(sentence(*runs, way, limit, step), f"Step {step} of {STEPS}", stage.updates(*runs, way, limit, step))
        for step in range(STEPS + 1)
    ]
    alt = (
        f"Training with gradients clipped ({way}, limit {show(limit)}) and without: curves of the loss and of the "
        "gradient norm up to a step, and a histogram of the gradients at it."
    )
    return Recording(f"Clipping: {CASES[case].note}", frames, stage, alt, room=WIDEST_TEXT)


# The runs


@quiet
def train(case, way, limit, lr, seed):
    """Return the Runs of a case with clipping and without: two copies of one network, trained as a population of 2."""
    parameters = [parameter.copy() for parameter in first_parameters(case, seed)]
    sizes = [math.prod(parameter.shape[1:]) for parameter in parameters]
    places = list(itertools.accumulate(sizes, initial=0))
    losses, norms = np.full((2, 2, STEPS + 1), np.nan)
    gradients, clipped = np.full((2, 2, STEPS + 1, places[-1]), np.nan)
    for step in range(STEPS + 1):
        losses[:, step], found = loss_and_gradients(case, parameters)
        flat = np.concatenate([gradient.reshape(2, -1) for gradient in found], axis=1)
        gradients[:, step], norms[:, step] = flat, [euclidean(one) for one in flat]
        flat[0] = bound(flat[0], norms[0, step], way, limit)
        clipped[:, step] = flat
        for i, (start, end) in enumerate(itertools.pairwise(places)):
            parameters[i] = parameters[i] - lr * flat[:, start:end].reshape(parameters[i].shape)
    layers = [np.abs(gradients[..., places[i] : places[i + 1]]).mean(axis=-1) for i in (0, len(parameters) - 2)]
    return [Run(*numbers) for numbers in zip(losses, norms, gradients, clipped, *layers)]


@functools.lru_cache(maxsize=64)
def first_parameters(case, seed):
    """Return each layer's first weights, (2, inputs, outputs), and biases, (2, 1, outputs), for two equal networks."""
    networks = Population([seed, seed], 2, case.layers, case.activation, case.output, case.init, gain=case.gain)
    return [parameter.data for parameter in networks.parameters()]


def loss_and_gradients(case, parameters):
    """Return the mean squared error of both networks on XOR, shape (2,), and one gradient per array of parameters.

    This is the chain rule layer by layer, op for op as in the engine's graph of Tensors and equal to the last bit;
    building a graph for each of 81 steps takes four times as long, and a slider should answer while it moves.
    """
    kinds = [case.activation] * (len(case.layers) - 1) + [case.output]
    h, passed = XOR[0], []
    for weights, biases, kind in zip(parameters[::2], parameters[1::2], kinds):
        a, local = activated(h @ weights + biases, kind)
        passed.append((h, weights, local))
        h = a
    off = h - XOR[1]
    upstream, found = 2.0 * off * (1.0 / len(XOR[1])), []
    for i, (h, weights, local) in reversed(list(enumerate(passed))):
        upstream = upstream if local is None else local * upstream
        found = [h.swapaxes(-1, -2) @ upstream, upstream.sum(axis=1, keepdims=True), *found]
        if i:
            upstream = upstream @ weights.swapaxes(-1, -2)
    return (off**2.0).sum(axis=(-2, -1)) / len(XOR[1]), found


def activated(z, kind):
    """Return an activation of an array and its local derivatives; None for those of linear, which are all 1."""
    if kind == "relu":
        return np.maximum(z, 0.0), ~(z <= 0)
    if kind == "sigmoid":
        e = np.exp(-np.abs(z))
        s = np.where(z >= 0, 1.0, e) / (1.0 + e)
        return s, s * (1.0 - s)
    return z, None


def euclidean(array):
    largest = np.abs(array).max()
    if largest == 0 or not np.isfinite(largest):
        return largest
    return largest * math.sqrt(((array / largest) ** 2).sum())


def bound(gradients, norm, way, limit):
    """Return the gradients after clipping, as autograd.clip_grad_norm and clip_grad_value do it for Values."""
    if way == "by value":
        return np.clip(gradients, -limit, limit)
    return gradients * (limit / norm) if way == "by norm" and norm > limit else gradients


def turned(run, step):
    before, after = run.gradients[step], run.clipped[step]
    cosine = (before / euclidean(before)) @ (after / euclidean(after))
    return math.degrees(math.acos(min(1.0, max(-1.0, cosine))))


# Sentences


def sentence(run, without, way, limit, step):
    if step == STEPS:
        return verdict(run, without, way)
    if not run.going[step]:
        return f"Step {step}: the numbers overflowed at step {run.end}, and no gradient is left to clip."
    loss, norm = show(float(run.losses[step])), show(float(run.norms[step]))
    if way == "none":
        return f"Step {step}: loss {loss}, gradient norm {norm}. Nothing is clipped."
    return f"Step {step}: loss {loss}. {clipping(run, way, limit, step, norm)} {beside(without, step)}"


def clipping(run, way, limit, step, norm):
    changed, count = run.changed[step], run.gradients.shape[1]
    if way == "by norm":
        if not changed:
            return f"The gradient norm {norm} is within the limit {show(limit)}, so clipping changes nothing: 0 %."
        factor = show(limit / float(run.norms[step]))
        still = f" ({count - changed} are 0 and stay 0)" if changed < count else ""
        return f"The gradient norm {norm} is above {show(limit)}: all gradients are multiplied by {factor}{still}."
    if not changed:
        return f"No gradient is beyond ±{show(limit)}, so clipping changes 0 of {count}: 0 %."
    angle = turned(run, step)
    return (
        f"{changed} of {count} gradients are beyond ±{show(limit)} and set to it, which turns the step by {angle:.1f}°."
    )


def beside(without, step):
    if not without.going[step]:
        return f"Without clipping the numbers overflowed at step {without.end}."
    return f"Without clipping the loss is {show(float(without.losses[step]))}."


def verdict(run, without, way):
    said = f"After {STEPS} steps: {outcome(run, 'in this run' if way == 'none' else 'with clipping')}"
    if way == "none":
        return f"{said}. Nothing was clipped."
    busy = sum(count > 0 for count in run.changed[:STEPS])
    said += f", {outcome(without, 'without')}."
    if busy:
        return f"{said} Clipping changed gradients in {busy} of {STEPS} steps."
    first, last = show(float(run.first[STEPS])), show(float(run.last[STEPS]))
    return (
        f"{said} Clipping changed 0 % of the gradients in every step. It bounds large ones and cannot enlarge small "
        f"ones: mean |gradient| of the first layer's weights is {first}, of the last's {last}."
    )


def outcome(run, who):
    if run.end is not None:
        return f"{who} the numbers overflowed at step {run.end}"
    zeros, count = int((run.gradients[-1] == 0).sum()), run.gradients.shape[1]
    dead = f" with {zeros} of {count} gradients 0" if zeros > 0.9 * count else ""
    return f"{who} loss {show(float(run.losses[-1]))}{dead}"


# The stage


def draw(pen, run, without, way, limit, step):
    """Draw three charts, and the numbers of the step under them, as an HTML string."""
    runs = {"with": run, "without": without}
    charts = loss_chart(pen, runs, way, step) + norm_chart(pen, runs, way, limit, step)
    charts += histogram(pen, run, way, limit, step)
    norm_after = euclidean(run.clipped[step]) if run.going[step] else None
    cells = (
        ("sum.loss", "loss, clipped", reading(run.losses[step]), True),
        ("sum.without", "loss, unclipped", reading(without.losses[step]), True),
        ("sum.norm", "gradient norm", reading(run.norms[step]), True),
        ("sum.after", "after clipping", steady(norm_after), True),
        ("sum.changed", "changed", f"{share(run, step):.4g} %" if run.going[step] else steady(None), False),
    )
    return f'<div class="bp-charts">{charts}</div>{readings(pen, cells)}'


def loss_chart(pen, runs, way, step):
    names, ends = {"with": "clipped" if way != "none" else "this run", "without": "not clipped"}, []
    for name, height in (("without", 14), ("with", 30)):
        end = runs[name].end
        said = "" if end is None or end > step else f"× {names[name]} overflows at step {end}"
        ends.append(pen("text", f"end.{name}", "caption end", text=said, at={"x": TIME.end, "y": TOP + height}))
    lines = curves(pen, "loss", {name: run.losses[step] for name, run in runs.items()}, LOSSES, runs, step)
    return curve_chart("loss, before each step", LOSSES, now(pen, "now", step), lines, *ends)


def norm_chart(pen, runs, way, limit, step):
    seen, y = way == "by norm", NORMS(limit)
    bound = pen("path", "limit.norm", "line limit", d=f"M{TIME.start},{y:.1f}H{TIME.end}" if seen else UNSEEN)
    bound += pen("text", "limit.norm.name", "caption end", text="limit" if seen else "", at={"x": TIME.end}, y=y - 5)
    lines = curves(pen, "norm", {name: run.norms[step] for name, run in runs.items()}, NORMS, runs, step)
    return curve_chart("gradient norm, before clipping", NORMS, now(pen, "now.norm", step), bound, lines)


def now(pen, key, step):
    return pen("path", key, "guide now", d=f"M{TIME(step):.1f},{BOTTOM}V{TOP}")


def curves(pen, what, values, scale, runs, step):
    """Draw the runs' curves up to a step, with a circle at their ends while the numbers are finite."""
    parts = []
    for name, kind in (("with", "s0"), ("without", "s1")):
        seen = np.isfinite(values[name])
        parts.append(pen("path", f"{what}.{name}", f"line {kind}", d=runs[name].grown[what][step]))
        place = {"cx": TIME(step), "cy": float(scale(values[name] if seen else scale.low))}
        parts.append(pen("circle", f"{what}.{name}.now", f"dot {kind}", **place, r=5 if seen else 0))
    return "".join(parts)


def curve_chart(heading, scale, *parts):
    words = f"The {heading}, on a logarithmic axis: the clipped run and the unclipped one."
    names = ("line s0", "clipped", 66), ("line s1", "not clipped", 90)
    return chart(heading, words, svg.axes(TIME, scale, "step", most=(5, 5)), names, *parts)


def histogram(pen, run, way, limit, step):
    """Draw the sizes of all gradients of the clipped run at this step, before and after clipping."""
    seen, x, count = way == "by value", SIZES(limit), run.gradients.shape[1]
    before = bars(run.gradients[step])
    after = bars(run.clipped[step]) if run.changed[step] else before
    zeros = f"{int((run.gradients[step] == 0).sum())} of {count} are 0 and not drawn"
    under = {"x": (SIZES.start + SIZES.end) / 2, "y": BOTTOM + 34}
    return chart(
        "|gradient| at this step, % of all",
        "Histogram of the clipped run's gradients at this step, before and after clipping.",
        svg.axes(SIZES, SHARES, "", most=(4, 6)),
        (("bars s0", "before", 60), ("bars after", "after clipping", 90)),
        pen("path", "bars.before", "bars s0", d=before),
        pen("path", "bars.after", "bars after", d=after),
        pen("path", "limit.value", "line limit", d=f"M{x:.1f},{BOTTOM}V{TOP}" if seen else UNSEEN),
        pen("text", "limit.value.name", "caption start", text="limit" if seen else "", at={"y": TOP + 10}, x=x + 5),
        pen("text", "zeros", "caption", text=zeros if run.going[step] else "no numbers are left", at=under),
    )


def reading(value):
    """Return a run's number as text; – if it is nan."""
    return steady(None if np.isnan(value) else float(value))


def share(run, step):
    return 100 * run.changed[step] / run.gradients.shape[1]


def bars(gradients):
    """Return the outline of the histogram of |gradient|; gradients beyond the axis count in its end bins."""
    sizes = np.abs(gradients[np.isfinite(gradients) & (gradients != 0)])
    places = np.clip(np.searchsorted(EDGES, sizes, side="right") - 1, 0, len(EDGES) - 2)
    shares = 100 * np.bincount(places, minlength=len(EDGES) - 1) / len(gradients)
    parts, height = [f"M{PLACES[0]},{BOTTOM}"], 0
    for place, share in zip(PLACES, shares):
        if share != height:
            parts.append(f"H{place}V{SHARES(share):.0f}")
            height = share
    return "".join([*parts, f"H{PLACES[-1]}V{BOTTOM}Z"])
