"""The border lab: a network learns two moons or a circle, and its decision border moves while it trains."""

import math
import time
from dataclasses import replace

from autograd.errors.messages import show
from figures.labs.border_picture import MAP, best_of, chosen, draw, format_progress
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, choice
from figures.page.panels import Panels
from figures.page.player import Frame, buttons
from figures.training import settings as shared
from figures.training.borders import MOST, NEW, TASKS, Learning, Settings
from figures.training.session import BUTTONS, Trained
from figures.training.settings import SPEEDS

LESSON = "as in the lesson"
SPEED = {"moons": "10 a second", "circle": "100 a second"}  # slow enough to see the border move
WIDEST, DEEPEST = 32, 2  # neurons in a hidden layer, and hidden layers
SHAPES = ((), (2,), (4,), (8,), (16,), (4, 4), (8, 8), (16, 16))
POINTS, LEAST = (10, 20, 40, 80, 100, 200), 2
PERCENTS = (0, 5, 10, 20, 30)  # of wrong labels; the last is the most
SELDOM = 0.12  # minimum seconds between two pictures of a run
WIDEST_TEXT = (  # as long as the longest sentence
    "After 20000 epochs the last loss was 0.000e+00. 100 of 100 training points and 400 of 400 new points are "
    "right. The border's distance from (0, 0) ranges from 0.0000 to beyond the map; the true one's is 1."
)


def border(data="moons", hidden=None, *, points=None, flipped=0, lr=None, seed=None, speed=None):
    """Train a network on points of two classes, live: its border, its loss, and how many points are right.

    data: "moons" or "circle". hidden: neurons in the hidden layer; a list for two layers, [16, 16]; [] for none.
    points: how many it is trained on; 400 others are only looked at. flipped: how many percent of the training
    points get the wrong label, 0 to 30. lr: the learning rate. seed: of the first weights. speed: epochs, "2 a second",
    "10 a second", "100 a second" or "full speed".

    None means the workshop's value: for the moons 16 and 16 relu neurons, the max-margin loss and one update per epoch;
    for the circle 8 sigmoid neurons, squared errors and one update per point. Raise ValueError or TypeError if an
    argument is wrong.
    """
    given = {"hidden": hidden, "points": points, "flipped": flipped, "lr": lr, "seed": seed, "speed": speed}
    return Border(defaults(DATA.check(data)) | {name: value for name, value in given.items() if value is not None})


# Inputs


def shape_of(hidden):
    """Return the sizes of the hidden layers as a tuple, from a number, a list, or the text of the control."""
    if isinstance(hidden, str):
        hidden = [] if hidden == "none" else [int(n) if n.strip().isdecimal() else n for n in hidden.split(",")]
    found = list(hidden) if isinstance(hidden, list | tuple) else [hidden]
    if len(found) > DEEPEST:
        raise ValueError(f"this lab has at most two hidden layers, got {len(found)}.")
    return tuple(shared.whole(n, "the size of a hidden layer", 1, WIDEST) for n in found)


def hidden_text(hidden):
    return ", ".join(map(str, shape_of(hidden))) or "none"


def points_text(points):
    points = int(points) if isinstance(points, str) and points.isdecimal() else points
    return str(shared.whole(points, "the number of training points", LEAST, MOST))


def percent_text(flipped):
    if isinstance(flipped, str) and flipped.removesuffix(" %").isdecimal():
        flipped = int(flipped.removesuffix(" %"))
    return f"{shared.whole(flipped, 'flipped, a percentage,', 0, PERCENTS[-1])} %"


def seed_text(seed):
    if seed == LESSON:
        return LESSON
    return f"seed {shared.seed(int(seed[5:]) if isinstance(seed, str) and seed[5:].isdecimal() else seed)}"


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
    task = TASKS[data]
    return {
        **{"data": data, "hidden": hidden_text(task.hidden), "points": str(task.points), "flipped": "0 %"},
        **{"lr": task.lr, "seed": LESSON, "speed": SPEED[data]},
    }


def controls_of(values):
    made = INPUTS.controls(**values)
    lists = {"hidden", "points", "flipped", "seed"}  # with the value in them
    return buttons(BUTTONS) + [
        replace(each, options=tuple(dict.fromkeys((*each.options, each.value)))) if each.name in lists else each
        for each in made
    ]


def settings_of(values):
    seed = None if values["seed"] == LESSON else int(values["seed"][5:])
    return Settings(
        TASKS[values["data"]], shape_of(values["hidden"]), int(values["points"]), int(values["flipped"][:-2]), seed
    )


# The lab


class Border(Trained):
    """The lab of `border`. goal: the epoch at which a run of Play ends."""

    inputs, drawn = INPUTS, 0.0
    going = "Training, up to epoch {}. Pause stops it; the learning rate acts at once."

    def __init__(self, values):
        values = INPUTS.checked(values)
        self.begin(values)
        super().__init__(values)

    def begin(self, values):
        self.run = Learning(settings_of(values), values["lr"])
        self.goal, self.said = self.run.settings.task.epochs, opening(self.run)

    def set_up(self, values):
        stage, task = FrameTemplate(draw), self.run.settings.task
        name = "Two moons" if task.name == "moons" else "A circle"
        recording = Panels(
            f"{name}: where a network draws the border",
            [Frame(self.said, format_progress(self.run, self.goal), stage.updates(self.run, self.goal))],
            stage,
            f"{name}: a map of the plane, shaded where the network predicts one class, the points that it is "
            "trained on and new ones; its loss, and the share of points that it gets right.",
            room=WIDEST_TEXT,
            places=((0, 0), (MAP[0] + 20, 0)),
        )
        return recording, controls_of(values)

    def usual(self, values):
        """Return the values; a change of data brings the lesson's values for that task."""
        return values if values["data"] == self.values["data"] else defaults(values["data"])

    def other(self, values):
        return settings_of(values) != self.run.settings

    def apply_controls(self, values):
        self.run.lr, self.runner.rate = values["lr"], SPEEDS[values["speed"]]

    @property
    def fault(self):
        return self.run.fault

    def next_goal(self):
        more = self.run.settings.task.epochs if self.run.epochs >= self.goal else 0
        return self.run.epochs + more

    def stepped(self):
        self.goal = max(self.goal, self.run.epochs)
        return f"Epoch {self.run.epochs}: its loss was {show(self.run.total)}. {standing(self.run)}"

    def standing(self, begin):
        loss = f" the last loss was {show(self.run.total)}" if begin == "After" else ""
        return f"{begin} {epochs(self.run)}{loss}. {standing(self.run)}"

    def step(self):
        self.run.step()
        return not self.run.fault and self.run.epochs < self.goal

    def draw(self, moved=None):
        """Show the run in its current state; during Play, only now and then.

        moved: if the learner asked for something, the values of the controls that it changed; otherwise None.
        """
        if moved is None and self.runner.running and time.perf_counter() - self.drawn < SELDOM:
            return
        super().draw(moved or ())
        self.drawn = time.perf_counter()

    def updates(self):
        return self.recording.render.updates(self.run, self.goal)

    def format_progress(self):
        return format_progress(self.run, self.goal)

    def render_text(self):
        more = () if standing(self.run) in self.said else (standing(self.run),)
        best = f"{best_of(self.run).capitalize()}."
        said = " ".join([f"{format_progress(self.run, self.goal).capitalize()}.", self.said, *more, best])
        return "\n".join(filter(None, [said, self.run.fault]))


# Sentences


def opening(run):
    shape, count = "-".join(map(str, run.settings.sizes)), sum(weights.size for weights in run.net.weights)
    return f"A {shape} network, {count} parameters, not trained yet. {standing(run)}"


def standing(run):
    right = f"{run.right} of {run.settings.points} training points and {run.new_right} of {NEW} new points are right."
    return f"{right} {ends(run)}".strip()


def ends(run):
    """Return the sentence comparing the border with the true one; "" if the task has no circle."""
    found = run.distances()
    if found is None:
        return "(0, 0) is classified as outside." if run.settings.task.radius else ""
    (near, _), (far, _) = found
    if math.isinf(near):
        return "The border is off the map; the true one is 1 away from (0, 0)."
    most = show(far) if math.isfinite(far) else "beyond the map"
    return f"The border's distance from (0, 0) ranges from {show(near)} to {most}; the true one's is 1."


def epochs(run):
    return f"{run.epochs} epoch{'' if run.epochs == 1 else 's'}"
