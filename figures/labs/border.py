"""The border lab: a network learns two moons or a circle, and where it draws the border is seen while it does."""

import functools
import math
import time
from dataclasses import replace

import contourpy
import numpy as np

from autograd.messages import show
from figures.charts import contours
from figures.charts import losses as chart
from figures.page.inputs import Input, Inputs, choice
from figures.page.panels import Panels, described
from figures.page.pen import Stage
from figures.page.player import Control, Frame
from figures.page.svg import Scale, label, line, svg
from figures.training import settings as shared
from figures.training.borders import MOST, NEW, TASKS, Learning, Settings
from figures.training.session import Session
from figures.training.settings import SPEEDS

LESSON = "the lesson's"
SPEED = {"moons": "10 a second", "circle": "100 a second"}  # so that the border is seen to move
WIDEST, DEEPEST = 32, 2  # neurons in a hidden layer, and hidden layers
SHAPES = ((), (2,), (4,), (8,), (16,), (4, 4), (8, 8), (16, 16))
POINTS, LEAST = (10, 20, 40, 80, 100, 200), 2
PERCENTS = (0, 5, 10, 20, 30)  # of labels that are wrong, to the last of them
SELDOM = 0.12  # seconds from one picture of a run to the next, at the least
ROOM = (  # a sentence as long as any
    "After 20000 epochs the loss of the last was 0.000e+00. 100 of 100 training points and 400 of 400 new points are "
    "right. The border's distance from (0, 0) is at least 0.0000 and off the map at most; the true one's is 1."
)


def border(data="moons", hidden=None, *, points=None, flipped=0, lr=None, seed=None, speed=None):
    """Train a network on points of two classes, live: its border, its loss, and how many points are right.

    data: "moons" or "circle". hidden: neurons in the hidden layer; a list for two layers, [16, 16]; [] for none.
    points: how many it is trained on; 400 others are only looked at. flipped: how many percent of the training
    points get the wrong label, 0 to 30. lr: the learning rate. seed: of the first weights. speed: epochs, "2 a second",
    "10 a second", "100 a second" or "full speed".

    What is None is as lesson 09 has it: for the moons 16 and 16 relu neurons, the max-margin loss and an update an
    epoch; for the circle 8 sigmoid neurons, squares and an update a point. ValueError or TypeError, if one is wrong.
    """
    given = {"hidden": hidden, "points": points, "flipped": flipped, "lr": lr, "seed": seed, "speed": speed}
    return Border(defaults(DATA.check(data)) | {name: value for name, value in given.items() if value is not None})


# Inputs


def shape_of(hidden):
    """The sizes of the hidden layers, as a tuple, from a number, a list, or the text of the control."""
    if isinstance(hidden, str):
        hidden = [] if hidden == "none" else [int(n) if n.strip().isdecimal() else n for n in hidden.split(",")]
    found = list(hidden) if isinstance(hidden, list | tuple) else [hidden]
    if len(found) > DEEPEST:
        raise ValueError(f"this lab has at most two hidden layers, got {len(found)}.")
    return tuple(shared.whole(n, "the size of a hidden layer", 1, WIDEST) for n in found)


def hidden_text(hidden):
    """The shape as the control shows it: 16, 16; none."""
    return ", ".join(map(str, shape_of(hidden))) or "none"


def points_text(points):
    """A number of training points, as the control shows it."""
    points = int(points) if isinstance(points, str) and points.isdecimal() else points
    return str(shared.whole(points, "the number of training points", LEAST, MOST))


def percent_text(flipped):
    """A percentage as the control shows it."""
    if isinstance(flipped, str) and flipped.removesuffix(" %").isdecimal():
        flipped = int(flipped.removesuffix(" %"))
    return f"{shared.whole(flipped, 'flipped, a percentage,', 0, PERCENTS[-1])} %"


def seed_text(seed):
    """A seed as the control shows it."""
    if seed == LESSON:
        return LESSON
    return f"seed {shared.seed(int(seed[5:]) if isinstance(seed, str) and seed[5:].isdecimal() else seed)}"


def chosen(name, title, options, check):
    """An input that is chosen from a list, which a learner's own value makes longer."""
    return Input(Control("choice", name, title, options=options), check)


DATA = choice("data", TASKS)
INPUTS = Inputs(
    DATA,
    chosen("hidden", "hidden layers", tuple(map(hidden_text, SHAPES)), hidden_text),
    chosen("points", "training points", tuple(map(str, POINTS)), points_text),
    chosen("flipped", "wrong labels", tuple(map(percent_text, PERCENTS)), percent_text),
    shared.INPUTS["lr"],
    chosen("seed", "first weights", (LESSON, *map(seed_text, range(10))), seed_text),
    choice("speed", SPEEDS),
)


def defaults(data):
    """The values of the inputs that a task begins with: those of the lesson."""
    task = TASKS[data]
    return {
        **{"data": data, "hidden": hidden_text(task.hidden), "points": str(task.points), "flipped": "0 %"},
        **{"lr": task.lr, "seed": LESSON, "speed": SPEED[data]},
    }


def controls_of(values):
    """The controls at these values."""
    buttons = [Control("button", name, title) for name, title in BUTTONS.items()]
    made = INPUTS.controls(**values)
    return [
        *buttons,
        *(longer(each) if each.name in ("hidden", "points", "flipped", "seed") else each for each in made),
    ]


def longer(control):
    """A list with the value in it."""
    return replace(control, options=tuple(dict.fromkeys((*control.options, control.value))))


def settings_of(values):
    """The Settings of a run from checked values."""
    seed = None if values["seed"] == LESSON else int(values["seed"][5:])
    return Settings(
        TASKS[values["data"]], shape_of(values["hidden"]), int(values["points"]), int(values["flipped"][:-2]), seed
    )


BUTTONS = {"play": "Play", "step": "Step", "reset": "Reset"}


# The lab


class Border(Session):
    """The lab of `border`. goal: the epoch at which a run of Play ends."""

    drawn = 0.0

    def __init__(self, values):
        values = INPUTS.checked(values)
        self.begin(values)
        super().__init__(values)

    def begin(self, values):
        """A network that is not trained."""
        self.run = Learning(settings_of(values), values["lr"])
        self.goal, self.playing, self.said = self.run.settings.task.epochs, False, opening(self.run)

    def stage(self, values):
        """The Recording of this network's task, and the controls."""
        stage, task = Stage(draw), self.run.settings.task
        name = "Two moons" if task.name == "moons" else "A circle"
        recording = Panels(
            f"{name}: where a network draws the border",
            [Frame(self.said, at(self.run, self.goal), stage.marks(self.run, self.goal))],
            stage,
            f"{name}: a map of the plane with the side that the network takes for one class, the points that it is "
            "trained on and new ones; its loss, and the shares of points that are right.",
            room=ROOM,
            places=((0, 0), (MAP[0] + 20, 0)),
        )
        return recording, controls_of(values)

    def answer(self, values, presses):
        """A change of the controls, and presses of the buttons."""
        presses, values = self.paused_by(presses), INPUTS.checked(values)
        other = values["data"] != self.values["data"]
        if other:
            values = defaults(values["data"])
        if "reset" in presses or settings_of(values) != self.run.settings:
            self.runner.stop()
            self.begin(values)
            self.values = values
            self.restage(values, moved=other)
        self.values, self.run.lr, self.runner.rate = values, values["lr"], SPEEDS[values["speed"]]
        if not self.run.fault:
            for press in presses:
                if press == "step":
                    self.one_step()
                elif press == "play":
                    self.play()
        self.draw(told=other)

    def play(self):
        """Run on, to the next goal."""
        if self.run.epochs >= self.goal:
            self.goal = self.run.epochs + self.run.settings.task.epochs
        self.playing = True
        self.said = f"Training, up to epoch {self.goal}. Pause stops it; the learning rate acts at once."
        self.runner.start()

    def pause(self):
        """Stop, if it runs."""
        if self.playing:
            self.runner.stop()
            self.playing = False
            self.said = f"Paused after {epochs(self.run)}. {standing(self.run)}"

    def one_step(self):
        """One epoch, and a sentence about it."""
        self.pause()
        self.run.step()
        self.goal = max(self.goal, self.run.epochs)
        self.said = f"Epoch {self.run.epochs}: its loss was {show(self.run.total)}. {standing(self.run)}"

    def step(self):
        """A piece of work for the runner."""
        self.run.step()
        return not self.run.fault and self.run.epochs < self.goal

    def draw(self, told=None):
        """Show the run as it is; while it plays, only now and then.

        told: not None, where the learner has asked for something; True, if the controls have other values by that.
        """
        if told is None and self.runner.running and time.perf_counter() - self.drawn < SELDOM:
            return
        if self.ended():
            self.said = (
                f"After {epochs(self.run)} the loss of the last was {show(self.run.total)}. {standing(self.run)}"
            )
        controls = {name: {"value": value} for name, value in self.values.items()} if told else {}
        controls["play"] = {"label": "Pause" if self.playing else "Play", "disabled": bool(self.run.fault)}
        controls["step"] = {"disabled": bool(self.run.fault)}
        marks = self.recording.render.marks(self.run, self.goal)
        self.show(marks, self.said, at(self.run, self.goal), controls, self.run.fault)
        self.drawn = time.perf_counter()

    def text(self):
        """What the lab shows, in sentences."""
        more = () if standing(self.run) in self.said else (standing(self.run),)
        best = f"{best_of(self.run).capitalize()}."
        said = " ".join([f"{at(self.run, self.goal).capitalize()}.", self.said, *more, best])
        return "\n".join(filter(None, [said, self.run.fault]))


# Sentences


def opening(run):
    """The sentence before the first step."""
    shape, count = "-".join(map(str, run.settings.sizes)), sum(weights.size for weights in run.net.weights)
    return f"A {shape} network, {count} parameters, not trained yet. {standing(run)} Press Play or Step."


def standing(run):
    """How many points are right, and where the border is."""
    right = f"{run.right} of {run.settings.points} training points and {run.new_right} of {NEW} new points are right."
    return f"{right} {ends(run)}".strip()


def ends(run):
    """Where the border is, beside the true one; "" of a task that has no circle."""
    found = run.distances()
    if found is None:
        return "(0, 0) is taken for outside." if run.settings.task.radius else ""
    (near, _), (far, _) = found
    if math.isinf(near):
        return "The border is off the map; the true one is at a distance of 1 from (0, 0)."
    most = f"at most {show(far)}" if math.isfinite(far) else "off the map at most"
    return f"The border's distance from (0, 0) is at least {show(near)} and {most}; the true one's is 1."


def best_of(run):
    """When most of the new points were right."""
    return "new points at best: {} after epoch {}".format(*run.best)


def epochs(run):
    """1 epoch, 2 epochs."""
    return f"{run.epochs} epoch{'' if run.epochs == 1 else 's'}"


def at(run, goal):
    """The counter."""
    return f"epoch {run.epochs} of {goal}"


# The map

SIDE, LEFT, TOP = 392, 28, 26  # of the map in its drawing
MAP = (428, 500)  # the size of the drawing
GRID = 72  # points of the map that the network is asked for, on a side


def draw(pen, run, goal):
    """The two drawings: the map, and beside it the loss and the shares of right points."""
    return f'<div class="bp-panels">{plane(pen, run)}{charts(pen, run, goal)}</div>'


def scales(task):
    """Where numbers stand on a task's map."""
    across, up = task.reach
    return Scale(*across, LEFT, LEFT + SIDE), Scale(*up, TOP + SIDE, TOP)


def plane(pen, run):
    """The side that the network takes for the upper class, its border, the points, and crosses on the wrong ones."""
    task = run.settings.task
    x, y = scales(task)
    side, edge = areas(run, x, y)
    heading = "Shaded: the network says inside" if task.radius else "Shaded: the network's output is above 0"
    drawing = svg(
        *MAP,
        label(heading, LEFT, 16, "heading start"),
        f'<rect class="map-paper" x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}"/>',
        pen("path", "side", "map-side", d=side),
        under_points(task),
        points_of(run.settings),
        pen("path", "edge", "line curve", d=edge),
        pen("path", "new.wrong", "cross new", d=crosses(run.new_points[run.new_wrong], 3, x, y)),
        pen("path", "points.wrong", "cross", d=crosses(run.points[run.wrong], 6, x, y)),
        key_of_map(task),
    )
    return described(drawing, "The plane of the inputs: the border that the network draws, and the points")


def areas(run, x, y):
    """The `d`s of the upper class's side, and of the border, on the map."""
    border, (across, up) = run.settings.task.border, run.settings.task.reach
    xs, ys = np.linspace(*across, GRID), np.linspace(*up, GRID)
    outputs = np.ma.masked_invalid(run.outputs(xs, ys))
    side = contours.bands(xs, ys, outputs, [border, np.inf], x, y)[0]
    lines = contourpy.contour_generator(xs, ys, outputs).lines(border)
    return side or "M0,0", "".join(line(part.tolist(), x, y) for part in lines) or "M0,0"


@functools.lru_cache(maxsize=16)
def points_of(settings):
    """The points of a run: its own filled, the new ones small and hollow; triangles are the lower class."""
    points, targets, new, of_new = settings.data()
    parts, (x, y) = [], scales(settings.task)
    for kind, r, chosen, their in (("new", 2.6, new, of_new), ("dot", 4.5, points, targets)):
        for series, shape, upper in (("s0", circle, True), ("s1", triangle, False)):
            found = chosen[(their > settings.task.border) == upper].tolist()
            parts.append(f'<path class="{kind} {series}" d="{"".join(shape(x(a), y(b), r) for a, b in found)}"/>')
    return "".join(parts)


def circle(x, y, r):
    """The `d` of a circle."""
    return f"M{x - r:.1f},{y:.1f}a{r},{r} 0 1,0 {2 * r},0a{r},{r} 0 1,0 {-2 * r},0z"


def triangle(x, y, r):
    """The `d` of a triangle of about a circle's size."""
    return f"M{x:.1f},{y - 1.3 * r:.1f}l{1.2 * r:.1f},{2.1 * r:.1f}h{-2.4 * r:.1f}z"


def crosses(points, r, x, y):
    """The `d` of crosses on some points."""
    return "".join(cross(x(a), y(b), r) for a, b, _ in points.tolist()) or "M0,0"


def cross(x, y, r):
    """The `d` of a cross."""
    return f"M{x - r:.1f},{y - r:.1f}l{2 * r},{2 * r}m0,{-2 * r}l{-2 * r},{2 * r}"


@functools.cache
def under_points(task):
    """The axes' numbers, and of a circle the true border and the square from which the points are."""
    (x, y), parts = scales(task), []
    for scale, kind in ((x, "tick"), (y, "tick y")):
        for tick, text in scale.ticks(6):
            at = (x(tick), TOP + SIDE + 15) if scale is x else (LEFT - 5, y(tick) + 4)
            parts.append(label(text, *at, kind))
    parts += [label("x1", x.end - 6, TOP + SIDE + 15, "caption"), label("x2", LEFT - 5, TOP + 10, "tick y")]
    if task.radius:
        half, radius = task.half, x(task.radius) - x(0)
        corner = f'x="{x(-half):.1f}" y="{y(half):.1f}" width="{x(half) - x(-half):.1f}"'
        parts.append(f'<rect class="map-square" {corner} height="{y(-half) - y(half):.1f}"/>')
        parts.append(f'<circle class="line limit" cx="{x(0):.1f}" cy="{y(0):.1f}" r="{radius:.1f}"/>')
    parts.append(f'<rect class="map-frame" x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}"/>')
    return "".join(parts)


@functools.cache
def key_of_map(task):
    """What the marks on the map are."""
    upper, lower = ("inside", "outside") if task.radius else ("label 1", "label -1")
    top = TOP + SIDE + 36
    marks = [
        (0, 0, "dot s0", circle, 4.5, upper),
        (84, 0, "dot s1", triangle, 4.5, lower),
        (178, 0, "new s0", circle, 2.6, "small: new points"),
        (320, 0, "cross", cross, 6, "wrong"),
    ]
    parts = []
    for left, down, kind, shape, r, name in marks:
        parts.append(f'<path class="{kind}" d="{shape(LEFT + left + 8, top + down - 4, r)}"/>')
        parts.append(label(name, LEFT + left + 20, top + down, "caption start"))
    rows = [("line curve", "the network's border")]
    if task.radius:
        rows += [("line limit", "the true border"), ("map-square", "the points are from here")]
    for i, (kind, name) in enumerate(rows):
        left, row = LEFT + 196 * (i % 2), top + 22 * (1 + i // 2)
        parts.append(f'<path class="{kind}" d="M{left},{row - 4}h24"/>')
        parts.append(label(name, left + 32, row, "caption start"))
    return "".join(parts)


# The charts beside it

BOTTOM, HIGH, SHARES = 448, 248, 204  # of the shares' chart: where its axis is, where 100 % is, where its heading is


def charts(pen, run, goal):
    """The loss of each epoch, and under it the shares of points that are right."""
    drawn = chart.losses(pen, run.curve.points(), run.total, run.settings.task.loss, run.epochs, goal, span=(-3, 2))
    return described(
        svg(chart.WIDTH, MAP[1], drawn, shares(pen, run, goal)),
        "The loss of each epoch, and the shares of training points and of new points that are right",
    )


def shares(pen, run, goal):
    """The shares of the training points and of the new points that are right, over the epochs."""
    x, y = Scale(0, goal, chart.LEFT, chart.RIGHT), Scale(0, 1, BOTTOM, HIGH)
    parts = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<path class="grid" d="M{chart.LEFT},{y(tick):.1f}H{chart.RIGHT}"/>')
        parts.append(label(f"{tick:.0%}", chart.LEFT - 6, y(tick) + 4, "tick y"))
    parts.append(chart.epochs_axis(pen, "shares", goal, BOTTOM))
    counts = ((run.right, run.settings.points), (run.new_right, NEW))
    rows = zip(("training", "new"), ("line curve", "line s3"), (run.shares, run.new_shares), counts)
    for i, (name, kind, curve, (right, count)) in enumerate(rows):
        path, left = line([*curve.points(), (run.epochs, right / count)], x, y), chart.LEFT - 34 + 222 * i
        parts.append(pen("path", f"shares.{name}", kind, d=path))
        parts.append(f'<path class="{kind}" d="M{left:.1f},{SHARES + 20}h26"/>')
        text, at = f"{name}: {right} of {count}, {right / count:.1%}", {"x": left + 34, "y": SHARES + 24}
        parts.append(pen("text", f"shares.{name}.now", "start", text=text, at=at))
    head = label("Right", chart.LEFT - 34, SHARES, "heading start")
    best = pen("text", "best", "caption end", text=best_of(run), at={"x": chart.RIGHT, "y": SHARES})
    return "".join([head, best, *parts, label("epoch", (chart.LEFT + chart.RIGHT) / 2, BOTTOM + 35, "caption")])
