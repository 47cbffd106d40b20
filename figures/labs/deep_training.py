"""The deep training lab: five deep networks learn the two moons side by side, and each layer shows how far it moved."""

import functools
import math
from dataclasses import replace

from figures.graph.stage import join_words
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, above_zero, choice, switch, whole
from figures.page.picture import labelled
from figures.page.player import Frame, Recording, buttons
from figures.page.style import steady
from figures.page.svg import Scale, label, line, power_text, rungs, svg
from figures.training import deep_nets
from figures.training.deep_nets import EXPLODED, GUESS, KINDS, LEARNED, LEARNS, LEVEL, POINTS, STANDS, WORSE
from figures.training.session import BUTTONS, Trained, with_rate
from figures.training.settings import SPEEDS

RUN = 1000  # steps that one press of Play runs
INPUTS = Inputs(
    whole("depth", 2, 30, "layers"),
    above_zero("lr", (-4, 0.5), "learning rate", step=0.05, what="the learning rate"),
    choice("optimizer", deep_nets.OPTIMIZERS),
    switch("layer_norm", "layer normalisation"),
    choice("residual_scale", deep_nets.SCALES, "residual scale"),
    whole("seed", 0, 99),
    choice("speed", SPEEDS),
)
PLURAL = {LEARNED: "have learned", "learns": "learn", STANDS: "stand still", WORSE: "get worse"}
WIDEST_TEXT = (
    f"After 100000 steps: {'; '.join(f'{kind.name} has levelled off' for kind in KINDS)}."  # as long as the longest
)


def deep_training(
    depth=12, lr=None, *, optimizer="SGD", layer_norm=False, residual_scale="1/√L", seed=0, speed="full speed"
):
    """Train five deep networks on the two moons, live: their losses, the gradient of each layer, how far each moved.

    depth: layers with weights, 2 to 30: all have 16 units but the last, which has one. optimizer: "SGD" or
    "Adam". lr: the learning rate of all five; None: the optimizer's usual one, 0.1 or 0.003. layer_norm: whether each
    layer's sums are normalised before its activation. residual_scale: the factor of what a residual layer adds,
    "1" or "1/√L" for L layers. seed: of the first weights, 0 to 99. speed: steps, "2 a second" to "full speed".

    A network has learned if at least 95 of the 100 points are right, and has exploded if a number is past the largest
    float. Otherwise it learns if its loss fell by 1 % over 100 steps, and gets worse if it rose by as much. If it did
    neither, it has levelled off if the loss is at least 1 % below that of a guess, and otherwise it stands still.
    Nothing is trained until the learner presses a button.
    """
    optimizer = choice("optimizer", deep_nets.OPTIMIZERS).check(optimizer)
    asked = {"depth": depth, "lr": deep_nets.RATES[optimizer] if lr is None else lr, "optimizer": optimizer}
    asked |= {"layer_norm": layer_norm, "residual_scale": residual_scale, "seed": seed, "speed": speed}
    return DeepTraining(INPUTS.checked(asked))


class DeepTraining(Trained):
    """The lab of `deep_training`."""

    inputs = INPUTS
    going = "Training all five, up to step {}. Pause stops them; the learning rate acts at once."
    goal, steps, turn = RUN, 0, 0  # turn: the network whose step is next

    def __init__(self, values):
        self.nets = nets_of(values)
        super().__init__(values)

    def set_up(self, values):
        stage, depth = FrameTemplate(functools.partial(draw, depth=values["depth"])), values["depth"]
        self.said = f"Five networks of {depth} layers, each but the last of 16 units; none is trained yet. Press Play."
        recording = Recording(
            f"Deep networks learn the two moons: {depth} layers",
            [Frame(self.said, self.format_progress(), stage.updates(self.nets, self.goal))],
            stage,
            "Five deep networks, one row each: whether it learns, its loss, the size of each layer's gradient, and how "
            "far each layer has moved from its start.",
            room=WIDEST_TEXT,
        )
        return recording, [*buttons(BUTTONS), *INPUTS.controls(**values)]

    def begin(self, values):
        self.nets, self.goal, self.steps, self.turn = nets_of(values), RUN, 0, 0

    def apply_controls(self, values):
        rate = SPEEDS[values["speed"]]
        self.runner.rate = rate and rate * len(self.nets)
        for net in self.nets:
            net.settings = replace(net.settings, lr=values["lr"])

    def usual(self, values):
        return with_rate(values, self.values, deep_nets.RATES)

    def next_goal(self):
        return self.steps // RUN * RUN + RUN

    def step(self):
        """Take a step of the next network, for the runner, in a short piece; return whether there is more to do."""
        self.nets[self.turn].step()
        self.turn = (self.turn + 1) % len(self.nets)
        if self.turn == 0:
            self.steps += 1
            self.goal = max(self.goal, self.steps)
        return self.turn > 0 or self.steps < self.goal

    def prepare_view(self):
        """Let the networks that are a step behind the others catch up."""
        while self.turn:
            self.step()

    def updates(self):
        return self.recording.render.updates(self.nets, self.goal)

    def format_progress(self):
        return f"step {self.steps} of {self.goal}"

    def standing(self, begin):
        return f"{begin} {self.steps} step{'s' * (self.steps != 1)}: {in_words(self.nets)}."

    def render_text(self):
        rows = (sentence(net, net.gradients(), net.moved()) for net in self.nets)
        return "\n".join([f"{self.format_progress().capitalize()}. {self.said}", *rows])


def nets_of(values):
    names = ("depth", "seed", "optimizer", "lr", "layer_norm", "residual_scale")
    return [deep_nets.DeepNet(kind, deep_nets.Settings(**{name: values[name] for name in names})) for kind in KINDS]


# Sentences


def in_words(nets):
    """Summarise what the networks do, grouped by state."""
    states = [net.state for net in nets]
    names = {state: [net.kind.name for net in nets if net.state == state] for state in dict.fromkeys(states)}
    return "; ".join(f"{join_words(each)} {state_verb(state, len(each))}" for state, each in names.items())


def state_verb(state, count):
    """Return a state as the verb for `count` networks."""
    if state in (EXPLODED, LEVEL):
        return f"{'has' if count == 1 else 'have'} {state}"
    return state if count == 1 else PLURAL.get(state, state)


def sentence(net, gradients, moved):
    """Describe a network's row, from the size of each layer's gradient and how far it has moved."""
    first, last = moved[0], moved[-1]
    name, begun = net.kind.name, f"has moved by {steady(first)} of its size" if first else "has not moved at all"
    return (
        f"{name[0].upper()}{name[1:]}: {net.state}; loss {steady(net.loss)}, {net.right} of {POINTS} points right. "
        f"Gradient {steady(gradients[0])} in the first layer, {steady(gradients[-1])} in the last. "
        f"The first layer {begun}, the last by {steady(last)}."
    )


# The stage

WIDTH, TOP, ROW = 720, 40, 92  # of the drawing; the top of its rows, and the height of each
HEIGHT = TOP + ROW * len(KINDS) + 44
UP, DOWN = 22, 80  # within a row: the top and bottom of its charts
LOSS, SIZES, MOVED = (172, 332), (378, 528), (566, 716)  # the left and right ends of the charts
WIDE = 21  # characters that fit over a chart
ENDS = {"gradient": (-20, 4), "moved": (-18, 2)}  # the powers of ten on their axes
ICONS = {
    LEARNED: "M-5,0l4,4l7,-8",
    EXPLODED: "M-4,-4l8,8m0,-8l-8,8",
    STANDS: "M-5,-2h10m-10,5h10",
    LEVEL: "M-5,-5l4,8h7",
    WORSE: "M0,5v-10m-4,4l4,-4l4,4",
    LEARNS: "M0,-5v10m-4,-4l4,4l4,-4",
}
STATES = {LEARNED: "right", LEARNS: "right", STANDS: "wrong", EXPLODED: "wrong", WORSE: "wrong"}


def draw(pen, nets, goal, depth):
    rows = [row(pen, i, net, goal) for i, net in enumerate(nets)]
    ticks = []
    for i, x in enumerate((LOSS[0], sum(LOSS) / 2, LOSS[1])):
        at = {"x": x, "y": TOP + ROW * len(KINDS) + 12}
        ticks.append(pen("text", f"x{i}", "tick", text=f"{goal * i / 2:g}", at=at))
    return labelled(svg(WIDTH, HEIGHT, standing(depth), *rows, *ticks), "Five deep networks, one row each", "group")


@functools.cache
def standing(depth):
    """Draw the fixed parts: headings, axes and ticks."""
    foot = TOP + ROW * len(KINDS) + 12
    parts = [
        label("Network", 0, 14, "heading"),
        label("Loss", LOSS[0], 14, "heading"),
        label("Gradient of each layer", SIZES[0], 14, "heading"),
        label("Moved so far", MOVED[0], 14, "heading"),
        label("dashed: a guess, 0.6931", LOSS[0], 31, "caption start"),
        label("layer 1 → last; line: at first", SIZES[0], 31, "caption start"),
        label("share of its first size", MOVED[0], 31, "caption start"),
        label("step", sum(LOSS) / 2, foot + 17, "caption"),
        label("○ exactly 0", SIZES[0], foot + 17, "caption start"),
        label("⌄ below the axis", MOVED[0], foot + 17, "caption start"),
    ]
    for left, right in (SIZES, MOVED):
        parts += [label("layer 1", left, foot, "tick start"), label(depth, right, foot, "tick y")]
    return "".join(parts + [axes_of(TOP + ROW * i) for i in range(len(KINDS))])


def axes_of(top):
    down, up = top + DOWN, top + UP
    y = Scale(0, 1, down, up)
    parts = [f'<path class="guide" d="M{LOSS[0]},{y(GUESS):.1f}H{LOSS[1]}"/>']
    parts += [label(tick, LOSS[0] - 6, y(tick) + 4, "tick y") for tick in (0, 1)]
    for (left, right), (low, high), powers in (
        (SIZES, ENDS["gradient"], (-20, -10, 0)),
        (MOVED, ENDS["moved"], (-16, -8, 0)),
    ):
        y = Scale(low, high, down, up)
        parts.append(rungs([(y(power), power_text(power)) for power in powers], left, right))
    parts += [f'<path class="axis" d="M{left},{down}H{right}"/>' for left, right in (LOSS, SIZES, MOVED)]
    return "".join([*parts, f'<path class="grid" d="M0,{top - 1}H{WIDTH}"/>'])


def row(pen, i, net, goal):
    top, state, gradients, moved = TOP + ROW * i, net.state, net.gradients(), net.moved()
    icon = {"transform": f"translate(8 {top + 33})"}
    parts = [
        label(net.kind.name, 0, top + 17, "heading"),
        pen("path", f"n{i}.icon", "icon", at=icon, d=ICONS.get(state, "M0,0")),
        pen("text", f"n{i}.state", "word", text=state, at={"x": 20, "y": top + 38}),
        pen("text", f"n{i}.loss", text=f"loss {steady(net.loss)}", at={"x": 0, "y": top + 59}),
        pen("text", f"n{i}.right", text=f"{net.right} of {POINTS} right", at={"x": 0, "y": top + 78}),
        curve(pen, f"n{i}.curve", net, goal, top),
        layers(pen, f"n{i}.gradient", "bars s1", gradients, SIZES, ENDS["gradient"], top),
        pen("path", f"n{i}.first", "scope-line", d=outline(net.first, SIZES, ENDS["gradient"], top)),
        layers(pen, f"n{i}.moved", "bars s2", moved, MOVED, ENDS["moved"], top),
    ]
    inside, said = "".join(parts), sentence(net, gradients, moved)
    return pen("g", f"n{i}", "row", inside, at={"role": "img"}, state=STATES.get(state, ""), aria_label=said)


def curve(pen, key, net, goal, top):
    """Draw a network's loss over its steps, with a dot at its end, or a cross at the top where it exploded."""
    x, y = Scale(0, goal, *LOSS), Scale(0, 1, top + DOWN, top + UP)
    points, now, lost = net.curve.points(), x(net.steps), net.exploded
    return (
        pen("path", key, "line s0", d=line(points if lost else [*points, (net.steps, net.loss)], x, y))
        + pen("circle", f"{key}.now", "dot s0", cx=now, cy=y(net.loss), r=0 if lost else 4)
        + pen("path", f"{key}.lost", "icon", d=f"M{now - 4:.1f},{top + UP - 4}l8,8m0,-8l-8,8" if lost else "M0,0")
    )


def layers(pen, key, kind, sizes, ends, powers, top):
    """Draw one bar per layer on an axis of powers of ten, and above it the first and last numbers."""
    y, wide, bars, marks = Scale(*powers, top + DOWN, top + UP), (ends[1] - ends[0]) / len(sizes), [], []
    for i, size in enumerate(sizes):
        left, middle = ends[0] + wide * i, ends[0] + wide * (i + 0.5)
        if size > 0 and math.log10(size) > powers[0]:
            bars.append(f"M{left + 0.5:.1f},{y.start}V{y(math.log10(size)):.1f}h{wide - 1:.1f}V{y.start}Z")
        elif size == 0:
            marks.append(f"M{middle - 2:.1f},{y.start - 4}a2,2 0 1 0 4,0a2,2 0 1 0 -4,0Z")
        elif size > 0:
            marks.append(f"M{middle - 2:.1f},{y.start - 5}l2,3l2,-3")
    text = f"{steady(sizes[0])} → {steady(sizes[-1])}"
    if len(text) > WIDE:
        text = f"{sizes[0]:.0e} → {sizes[-1]:.0e}"
    return (
        pen("text", f"{key}.ends", "caption start", text=text, at={"x": ends[0], "y": top + 15})
        + pen("path", key, kind, d="".join(bars) or "M0,0")
        + pen("path", f"{key}.marks", "scope-line", d="".join(marks) or "M0,0")
    )


def outline(sizes, ends, powers, top):
    """Return the `d` of a line over the bars of `layers`, at these sizes."""
    y, wide = Scale(*powers, top + DOWN, top + UP), (ends[1] - ends[0]) / len(sizes)
    heights = [y(math.log10(size) if size > 0 else powers[0]) for size in sizes]
    return f"M{ends[0]},{heights[0]:.1f}" + "".join(
        f"V{height:.1f}H{ends[0] + wide * i:.1f}" for i, height in enumerate(heights, start=1)
    )
