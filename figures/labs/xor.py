"""The XOR lab: the scalar engine trains a network on four rows, live, and the lab shows everything that changes.

The engine and the network may be the learner's own: `OwnTraining` is a run of those.
"""

from dataclasses import replace

from figures.labs.xor_picture import View, draw, format_progress, mean_sizes, name_of, said_of
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import choice
from figures.page.panels import Panels
from figures.page.player import Frame, buttons
from figures.page.style import steady
from figures.training.own import OwnTraining, usable
from figures.training.run import Training
from figures.training.session import BUTTONS, Session
from figures.training.settings import HALF, INPUTS, ROWS, SPEEDS, controls, hidden_values, settings_of

WIDEST_TEXT = (  # the longest sentence, except for runs that end differently from their twins in the lottery
    "A 2-8-8-1 network, 105 parameters, from weights ½ and biases 0, all hidden neurons alike; not trained yet. "
    "The loss is 0.000e+00. 0 of 4 rows are right. Press Play or Step."
)
OWN_WIDEST_TEXT = (  # the same for the learner's own network
    "Your MLP(2, [8, 8, 1]): 105 parameters, from seed 99. It is not trained yet. All "
    "its neurons use tanh, and its first weights lie between -1 and 1. The loss is 0.000e+00. 0 of 4 rows are right. "
    "Press Play or Step."
)
FIXED = {"activation": "tanh", "output": "tanh", "init": "uniform"}  # as the classes of lesson 06, and by default
SYMMETRIC = {
    **{"hidden1": 2, "hidden2": 0, "activation": "sigmoid", "output": "sigmoid", "init": HALF},
    **{"loss": "sum_of_squares", "lr": 1.0},
}


def xor(
    hidden=4,
    activation="tanh",
    output="tanh",
    init="uniform",
    seed=0,
    lr=0.1,
    loss="sum_of_squares",
    *,
    network=None,
    zero_grad=True,
    epochs=1000,
    by="epoch",
    speed="100 a second",
    shows="weights",
):
    """Train a network on XOR, live: outputs, loss curve, decision map, network and gradients, while it runs.

    hidden: neurons in the hidden layer, 0 to 8; a list for two layers, [4, 4]; [] for none. activation, output: of the
    hidden layers and of the last one. init: a name of autograd.training.nn.INITIALISATIONS, or "all 0.5" with biases 0.
    seed: of random.Random. loss: a name in autograd.training.losses; "hinge" has targets -1 and 1. zero_grad: False
    leaves old gradients in place, so that they add up. epochs: how many a press of Play runs. by: "epoch" makes one
    update from all four rows, "sample" one from each. speed: steps, "2 a second", "10 a second", "100 a second" or
    "full speed". shows: what the lines of the network stand for, "weights" or "gradients".

    network: your own class such as MLP, which the lab calls as MLP(2, [4, 1]) after random.seed(seed). It then trains
    your own network on your own Value; that decides activation, output and init itself, and loss is one of squares.

    Nothing is trained until the learner presses a button. Raise ValueError or TypeError if an argument is invalid.
    """
    asked = {"lr": lr, "seed": seed, **hidden_values(hidden), "activation": activation, "output": output, "init": init}
    asked |= {"loss": loss, "speed": speed, "by": by, "epochs": epochs, "shows": shows, "zero_grad": zero_grad}
    return Trainer(asked, network)


class Trainer(Session):
    """The lab of `xor`. twin: of a run that the lottery has loaded, for as long as it is the same run.

    network: the class of the learner's own network, or None for the engine's MLP.
    """

    twin = None

    def __init__(self, values, network=None):
        self.network = usable(network)
        self.training = self.new(self.settings_of(values))
        self.view = View(shows=values["shows"], goal=int(values["epochs"]))
        super().__init__({**values, "epochs": str(values["epochs"])})
        if self.network is not None:
            self.draw()  # tells the page which controls are fixed, and what the class raised

    def new(self, settings):
        return Training(settings) if self.network is None else OwnTraining(settings, self.network)

    def settings_of(self, values):
        """Return the Settings from the values of the controls; raise ValueError or TypeError if one is wrong."""
        if self.network is not None:
            for name, value in FIXED.items():
                if values[name] != value:
                    raise ValueError(f"with your own network, {name} is up to your class: leave it out.")
            says = f"the loss of your own network is one of {', '.join(OwnTraining.losses)}"
            choice("loss", OwnTraining.losses, says=says).check(values["loss"])
        return settings_of(values)

    def set_up(self, values):
        training, stage = self.training, FrameTemplate(draw)
        self.said = opening(training)
        shape, own = "-".join(map(str, training.settings.sizes)), isinstance(training, OwnTraining)
        recording = Panels(
            f"Training on XOR: your own {training.name}" if own else "Training on XOR",
            [Frame(self.said, format_progress(training, self.view), stage.updates(training, self.view))],
            stage,
            f"{'Your own' if own else 'A'} {shape} network that is trained on XOR: its weights, its outputs for the "
            "four rows, its output over the plane, its loss and its gradients.",
            room=OWN_WIDEST_TEXT if own else WIDEST_TEXT,
            places=((0, 0), (536, 0), (712, 0), (0, 308), (470, 308)),
        )
        return recording, controls_of(values, training)

    # Controls and presses

    def answer(self, values, presses):
        """Handle changes of the controls, and presses of the buttons and of the rows."""
        presses, values = self.paused_by(presses), {**self.values, **values}  # a control that is fixed sends no value
        moved = SYMMETRIC if "symmetric" in presses else {}
        values = {**values, **moved}
        settings = self.settings_of(values)
        if "reset" in presses or moved or replace(settings, lr=1.0) != replace(self.training.settings, lr=1.0):
            self.begin(settings, values, moved)
        self.apply_controls(settings, values)
        for press in presses:
            if press.startswith("row.") and press[4:] in ("0", "1", "2", "3"):
                self.view = replace(self.view, row=int(press[4:]))
            elif press == "step":
                self.pause()
                self.one_step()
            elif press == "play":
                self.play()
        self.draw(moved)

    def begin_with(self, twin=None, **changed):
        """Begin again with some controls changed, as if the learner had moved them. Nothing is trained."""
        moved = {**changed, "by": "epoch", "zero_grad": True}
        values = {**self.values, **moved}
        settings = self.settings_of(values)
        self.begin(settings, values, moved)
        self.apply_controls(settings, values)
        self.twin = twin
        self.draw(moved)

    def begin(self, settings, values, moved=()):
        """Begin with a new, untrained network, and a new stage if anything changed. moved: as in `set_up_again`."""
        self.runner.stop()
        before, self.training = self.training, self.new(settings)
        as_before = settings == before.settings and self.training.shape() == before.shape()
        self.twin = self.twin if as_before else None
        self.view, self.playing = replace(self.view, goal=int(values["epochs"])), False
        self.said = opening(self.training)
        if not as_before:
            self.set_up_again(values, moved)

    def apply_controls(self, settings, values):
        """Apply the controls that change a run without ending it."""
        if any(values[name] != self.values[name] for name in ("lr", "by", "zero_grad")):
            self.twin = None
        self.training.settings = settings
        self.training.optimizer.lr = settings.lr
        self.runner.rate = SPEEDS[values["speed"]]
        if values["epochs"] != self.values["epochs"]:
            length = int(values["epochs"])
            self.view = replace(self.view, goal=max(length, self.training.epochs))
        self.view = replace(self.view, shows=values["shows"])
        self.values = dict(values)

    def render_text(self):
        training = self.training
        rows = [said_of(training, i) for i in range(len(ROWS))]
        groups = zip(training.groups(), mean_sizes(training))
        means = [", ".join(filter(None, (name, *said))) for (name, _), said in groups]
        inside = "; ".join(", ".join(map(steady, layer)) for layer in training.found(self.view.row)[1:])
        return "\n".join(
            [
                f"{format_progress(training, self.view).capitalize()}. {self.said}",
                *([training.fault] if training.fault and training.fault != self.said else []),
                *(f"{said}." for said in rows),
                f"Activations for {name_of(self.view.row)}, layer by layer: {inside}.",
                f"Sizes of gradients: {'; '.join(means)}.",
            ]
        )

    # Work

    def play(self):
        if self.training.fault:
            return
        if self.training.epochs >= self.view.goal:
            self.view = replace(self.view, goal=self.training.epochs + int(self.values["epochs"]))
        self.playing = True
        self.said = f"Training, up to epoch {self.view.goal}. Pause stops it; learning rate and zero_grad act at once."
        self.runner.start()

    def pause(self):
        if self.runner.running:
            self.runner.stop()
            self.training.measure_state()
            self.said = f"Paused. {standing(self.training)}"
        self.playing = False

    def one_step(self):
        training, by = self.training, self.values["by"]
        if training.fault:
            return
        row = training.row
        before = training.step(by, self.values["zero_grad"])
        if by == "sample":
            self.view = replace(self.view, row=row)
            what = f"Step {training.steps}, on the row {name_of(row)} alone: its loss was {steady(before)} before."
        else:
            what = f"Epoch {training.epochs}, on all four rows: the loss was {steady(before)} before."
        self.view = replace(self.view, goal=max(self.view.goal, training.epochs))
        training.measure_state()
        what = f"Stopped after {training.epochs} epochs." if training.fault else what
        self.said = f"{what} {standing(training)}"

    def step(self):
        training = self.training
        training.step(self.values["by"], self.values["zero_grad"])
        return not training.fault and training.epochs < self.view.goal

    def draw(self, moved=()):
        """Show the run in its current state. moved: {name: value} of the controls that the lab set, not the learner."""
        training = self.training
        training.measure_state()
        if training.fault:
            self.runner.stop()
        if self.ended():
            self.said = f"Stopped after {training.epochs} epochs. {standing(training)}{beside(self.twin, training)}"
        elif self.playing and training.solved_at is not None:
            since = f"All four rows have been right since epoch {training.solved_at}."
            self.said = f"Training, up to epoch {self.view.goal}. {since}"
        elif self.playing and self.said.startswith("Training, up to") and "right since" in self.said:
            self.said = f"Training, up to epoch {self.view.goal}. A row has gone wrong again."
        controls = {name: {"value": value} for name, value in dict(moved).items()}
        controls["play"] = {"label": "Pause" if self.playing else "Play", "disabled": bool(training.fault)}
        controls["step"] = {"disabled": bool(training.fault)}
        if self.network is not None:
            controls |= {name: {"disabled": True} for name in FIXED}
        updates = self.recording.render.updates(training, self.view)
        self.show(updates, self.said, format_progress(training, self.view), controls, training.fault)


# Controls


def controls_of(values, training):
    """Return the controls with these values; those that the learner's own network decides are disabled buttons."""
    habits = training.habits()
    made = controls({name: values[name] for name in INPUTS}) | dict(zip(habits, buttons(habits)))
    made["loss"] = replace(made["loss"], options=training.losses)
    return [*buttons(BUTTONS | ({} if habits else {"symmetric": "Symmetric start"})), *made.values()]


def opening(training):
    settings = training.settings
    count = len(training.optimizer.parameters)
    if isinstance(training, OwnTraining):
        return own_opening(training)
    start = "weights ½ and biases 0, all hidden neurons alike" if settings.init == HALF else f"seed {settings.seed}"
    return (
        f"A {'-'.join(map(str, settings.sizes))} network, {count} parameters, from {start}; not trained yet. "
        f"{standing(training)} Press Play or Step."
    )


def own_opening(run):
    if run.fault:
        return run.fault
    parameters, first = run.optimizer.parameters, run.settings.sizes[1:]
    if run.tanh and run.small:
        habits = "All its neurons use tanh, and its first weights lie between -1 and 1."
    else:
        habits = "Its activations and its first weights are those of your classes."
    return (
        f"Your {run.name}(2, {first}): {len(parameters)} parameters, from seed {run.settings.seed}. "
        f"It is not trained yet. {habits} {standing(run)} Press Play or Step."
    )


def standing(training):
    right = sum(training.right)
    rows = "All four rows are right" if right == 4 else f"{right} of 4 rows {'is' if right == 1 else 'are'} right"
    return f"The loss is {steady(training.total)}. {rows}."


def beside(twin, training):
    if twin is None or twin.epochs != training.epochs or twin.right == tuple(training.right):
        return ""
    return (
        f" In the lottery {sum(twin.right)} of 4 rows are right for this seed: there arrays add the same numbers in "
        "a different order, and training amplifies differences in the last digit."
    )
