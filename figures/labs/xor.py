"""The XOR lab: the scalar engine trains a network on four rows, and everything that changes is seen as it does.

The engine and the network may be the learner's own: `Own` is a run of those.
"""

import base64
import contextlib
import math
import random
import struct
import textwrap
import time
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from autograd import MLP, messages
from autograd.tensor_nn import TensorMLP
from figures.graph import clean
from figures.labs.trial import (
    ACTIVATIONS,
    HALF,
    INITIALISATIONS,
    LOSSES,
    MOST,
    ROWS,
    Curve,
    Training,
    checked,
    chosen,
    whole,
)
from figures.live import Live, Runner
from figures.network import (
    HEIGHT,
    NEAR,
    SHOWS,
    WIDTH,
    activations,
    is_tanh,
    network_marks,
    network_svg,
    neurons_of,
    on_arrays,
    real_of,
    sizes_of,
)
from figures.player import Control, Frame, Recording
from figures.style import number
from figures.svg import Scale, label, part, power_text, svg

BY = ("epoch", "sample")
SPEEDS = {"2 a second": 2, "10 a second": 10, "100 a second": 100, "full speed": None}  # steps
RUNS = ("100", "500", "1000", "5000", "20000")
LEAST, LARGEST = 1e-4, 1e1  # of the loss axis
PIXELS = 56  # a side of the map
REACH = (-0.5, 1.5)  # the inputs that the map shows
DECADES = (-8, 2)  # of the histogram's axis; below stands a bin for 0
BINS = 2 * (DECADES[1] - DECADES[0])
ROOM = (  # a sentence as long as any but of a run that ends otherwise than its twin in the lottery
    "A 2-8-8-1 network, 105 parameters, from weights ½ and biases 0, all hidden neurons alike; nothing is trained yet. "
    "The loss is 0.000e+00. 0 of 4 rows are right. Press Play or Step."
)
OWN_LOSSES = LOSSES[:3]  # those that + - * and ** can write
OWN_ROOM = (  # the same for a network of the learner's own
    "Your own MLP(2, [8, 8, 1]), on your own Value: 105 parameters, from seed 99. Nothing is trained yet. Its neurons "
    "are always tanh, its first weights lie between -1 and 1. The loss is 0.000e+00. 0 of 4 rows are right. Press Play "
    "or Step."
)
LIBRARIES = (Path(__file__).parents[1], Path(messages.__file__).parent, Path(random.__file__).parent)  # not their code
FIXED = {"activation": "tanh", "output": "tanh", "init": "uniform"}  # what the classes of lesson 08 do, and xor's own
SYMMETRIC = {"hidden": (2,), "activation": "sigmoid", "output": "sigmoid", "init": HALF, "loss": "sum_of_squares"}


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
    hidden layers and of the last one. init: a name of autograd.nn.INITIALISATIONS, or "all 0.5" with biases 0.
    seed: of random.Random. loss: a name in autograd.losses; "hinge" has targets -1 and 1. zero_grad: False leaves old
    gradients in place, so that they add up. epochs: how many a press of Play runs. by: "epoch" makes one update from
    all four rows, "sample" one from each. speed: steps, "2 a second", "10 a second", "100 a second" or "full speed".
    shows: what the lines of the network stand for, "weights" or "gradients".

    network: a class of your own such as MLP, which is called as MLP(2, [4, 1]) after random.seed(seed). Then your own
    network is trained on your own Value; it decides activation, output and init itself, and loss is one of squares.

    Nothing is trained until a button is pressed. ValueError or TypeError, if an argument is none of these.
    """
    return Trainer(
        network=network,
        values={
            "lr": lr,
            "seed": seed,
            **hidden_values(hidden),
            "activation": activation,
            "output": output,
            "init": init,
            "loss": loss,
            "by": by,
            "speed": speed,
            "epochs": str(whole(epochs, "epochs", 1, None)),
            "shows": shows,
            "zero_grad": zero_grad,
        },
    )


@dataclass(frozen=True)
class View:
    """What of a run is shown, and how: a row, weights or gradients, and the epoch at which a run of Play ends."""

    row: int = 1
    shows: str = "weights"
    goal: int = 1000
    running: bool = False


@dataclass(frozen=True)
class Twin:
    """The same run on arrays, in the lottery: after how many epochs, which rows were right."""

    epochs: int
    right: tuple


class Trainer(Live):
    """The lab of `xor`. twin: of a run that the lottery has loaded, for as long as it is the same run.

    network: the class of the learner's own network, or None for the engine's MLP.
    """

    twin = None

    def __init__(self, values, network=None):
        self.network = usable(network)
        settings = self.settings_of(values)
        self.training, self.view = self.new(settings), View(shows=values["shows"], goal=int(values["epochs"]))
        frame = Frame(opening(self.training), at(self.training, self.view), marks_of(self.training, self.view))
        super().__init__(recording_of(self.training, frame), controls=controls_of(values, self.training))
        self.values = dict(values)
        self.runner = Runner(self.step, self.draw, self.failed, SPEEDS[values["speed"]])
        self.said = frame.say
        if self.network is not None:
            self.draw()  # tells the page which controls are fixed, and what the class raised

    def new(self, settings):
        """A run that has not begun."""
        return Training(settings) if self.network is None else Own(settings, self.network)

    def settings_of(self, values):
        """Settings from the values of the controls; ValueError or TypeError, with a sentence, if one is wrong."""
        if self.network is not None:
            for name, value in FIXED.items():
                if values[name] != value:
                    raise ValueError(f"with a network of your own {name} is what your class has: leave it out.")
            chosen(values["loss"], OWN_LOSSES, "the loss of a network of your own")
        return settings_of(values)

    # What was asked for

    def answer(self, values, presses):
        """A change of the controls, and presses of the buttons and of the rows."""
        presses, values = list(presses), {**self.values, **values}  # a control that is fixed sends no value
        if self.runner.running and "play" in presses:  # Pause: whatever the other controls say
            presses.remove("play")
            self.pause()
            self.draw()
        if "symmetric" in presses:
            values = {**values, **symmetric_values()}
        settings = self.settings_of(values)
        anew = "reset" in presses or "symmetric" in presses
        if anew or replace(settings, lr=1.0) != replace(self.training.settings, lr=1.0):
            self.begin(settings, values)
        self.take(settings, values)
        for press in presses:
            if press.startswith("row.") and press[4:] in ("0", "1", "2", "3"):
                self.view = replace(self.view, row=int(press[4:]))
            elif press == "step":
                self.pause()
                self.one_step()
            elif press == "play":
                self.play()
        self.draw(told="symmetric" in presses)

    def load(self, twin=None, **changed):
        """Begin anew with some controls changed, as if they had been moved by hand. Nothing is trained."""
        values = {**self.values, **changed, "by": "epoch", "zero_grad": True}
        settings = self.settings_of(values)
        self.begin(settings, values)
        self.take(settings, values)
        self.twin = twin
        self.draw(told=True)

    def begin(self, settings, values):
        """A new network, not trained; a new stage too, unless all is as before."""
        self.runner.stop()
        before, self.training = self.training, self.new(settings)
        as_before = settings == before.settings and shape_of(self.training) == shape_of(before)
        self.twin = self.twin if as_before else None
        self.view = replace(self.view, goal=int(values["epochs"]), running=False)
        self.said = opening(self.training)
        if not as_before:
            frame = Frame(self.said, at(self.training, self.view), marks_of(self.training, self.view))
            self.controls = controls_of(values, self.training)
            self.recording = recording_of(self.training, frame)
            self.spec = self._spec(self.recording)

    def take(self, settings, values):
        """The controls that change a run without ending it."""
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

    def text(self):
        """What the lab shows, in sentences."""
        training = self.training
        rows = [tile_marks(training, self.view)[f"row.{i}"]["aria-label"] for i in range(len(ROWS))]
        means = [f"{name}, {text}" for (name, _), text in zip(groups_of(training), mean_sizes(training))]
        inside = "; ".join(", ".join(map(number, layer)) for layer in found_in(training, self.view.row)[1:])
        return "\n".join(
            [
                f"{at(training, self.view).capitalize()}. {self.said}",
                *([training.fault] if training.fault and training.fault != self.said else []),
                *(f"{said}." for said in rows),
                f"Activations for {name_of(self.view.row)}, layer by layer: {inside}.",
                f"Sizes of gradients: {'; '.join(means)}.",
            ]
        )

    # Work

    def play(self):
        """Run on, to the next goal."""
        if self.training.fault:
            return
        if self.training.epochs >= self.view.goal:
            self.view = replace(self.view, goal=self.training.epochs + int(self.values["epochs"]))
        self.view = replace(self.view, running=True)
        self.said = f"Training, up to epoch {self.view.goal}. Pause stops it; learning rate and zero_grad act at once."
        self.runner.start()

    def pause(self):
        """Stop, if it runs."""
        if self.runner.running:
            self.runner.stop()
            self.training.look()
            self.said = f"Paused. {standing(self.training)}"
        self.view = replace(self.view, running=False)

    def one_step(self):
        """One update, and a sentence about it."""
        training, by = self.training, self.values["by"]
        if training.fault:
            return
        row = training.row
        before = training.step(by, self.values["zero_grad"])
        if by == "sample":
            self.view = replace(self.view, row=row)
            what = f"Step {training.steps}, on the row {name_of(row)} alone: its loss was {number(before)} before."
        else:
            what = f"Epoch {training.epochs}, on all four rows: the loss was {number(before)} before."
        self.view = replace(self.view, goal=max(self.view.goal, training.epochs))
        training.look()
        what = f"Stopped after {training.epochs} epochs." if training.fault else what
        self.said = f"{what} {standing(training)}"

    def step(self):
        """A piece of work for the runner."""
        training = self.training
        training.step(self.values["by"], self.values["zero_grad"])
        return not training.fault and training.epochs < self.view.goal

    def draw(self, told=False):
        """Show the run as it is. told: also what the controls stand at, where that was not the learner's doing."""
        training = self.training
        training.look()
        if training.fault:
            self.runner.stop()
        if self.view.running and not self.runner.running:
            self.view = replace(self.view, running=False)
            self.said = f"Stopped after {training.epochs} epochs. {standing(training)}{beside(self.twin, training)}"
        elif self.view.running and training.solved_at is not None:
            self.said = (
                f"Training, up to epoch {self.view.goal}. All four rows are right since epoch {training.solved_at}."
            )
        elif self.view.running and self.said.startswith("Training, up to") and "right since" in self.said:
            self.said = f"Training, up to epoch {self.view.goal}. A row has gone wrong again."
        controls = {name: {"value": value} for name, value in self.values.items()} if told else {}
        controls["play"] = {"label": "Pause" if self.view.running else "Play", "disabled": bool(training.fault)}
        controls["step"] = {"disabled": bool(training.fault)}
        if self.network is not None:
            controls |= {name: {"disabled": True} for name in FIXED}
        self.show(marks_of(training, self.view), self.said, at(training, self.view), controls, training.fault)

    def failed(self, fault):
        """What to show of an exception of the runner's."""
        self.view = replace(self.view, running=False)
        frame = self.recording.frames[-1]
        self.show(frame.marks, frame.say, frame.at, {"play": {"label": "Play"}}, message=str(fault))


# A network of the learner's own


class Unfit(Exception):
    """What a network of the learner's own gave instead of what was wanted, as a sentence."""


class Own(Training):
    """A run of the learner's own network on their own Value. Whatever these raise is said, and ends the run.

    net: their network, None if it could not be made. columns: its neurons, None if they cannot be read; `why` then says
    why. tanh: whether arrays give what it gives. small: whether its first weights lie between -1 and 1. side: of a map
    that is made of calls.
    """

    def __init__(self, settings, network):
        self.settings, self.optimizer = settings, Descent([], settings.lr)
        self.name = clean(getattr(network, "__name__", "network"), 16)
        self.epochs = self.steps = self.row = 0
        self.curve, self.known, self.solved_at, self.fault = Curve(), False, None, ""
        self.net = self.columns = None
        self.why, self.tanh, self.small, self.side = "It could not be made.", False, False, 1
        self.outputs, self.right, self.total = [None] * 4, [False] * 4, math.nan  # None: not known
        self.map = np.full((PIXELS, PIXELS), math.nan), "Output everywhere"
        with self.watched():
            with seeded(settings.seed):
                self.net = network(2, settings.sizes[1:])
            self.read()
            self.optimizer.parameters = parameters_of(self.net)
            self.small = all(abs(real_of(p, "data")) <= 1 for p in self.optimizer.parameters)
            self.side = side(min(self.seconds() for _ in range(3)))
            self.look()

    @contextlib.contextmanager
    def watched(self):
        """An exception of the learner's classes becomes the fault that ends the run."""
        try:
            yield
        except Exception as fault:
            self.fault = raised(fault)

    def read(self):
        """Find out what of the network can be shown, and what it does."""
        try:
            self.columns, self.why = neurons_of(self.net), ""
            if sizes_of(self.net) != self.settings.sizes:
                self.why = f"Its layers have sizes {sizes_of(self.net)}, and {self.settings.sizes} were wanted."
        except TypeError as fault:
            self.why = str(fault)
        except Exception as fault:  # of a property, say
            self.why = raised(fault)
        self.columns = None if self.why else self.columns
        self.tanh = self.columns is not None and is_tanh(self.net)

    def seconds(self):
        """How long the network takes for an output."""
        start = time.perf_counter()
        self.mlp(ROWS[0])
        return time.perf_counter() - start

    def mlp(self, row):
        """The network's output for a row, one Value."""
        with named():
            answer = self.net([*row])
            found = list(answer) if isinstance(answer, (list, tuple)) else [answer]
            if len(found) != 1 or not hasattr(found[0], "data"):
                raise Unfit(
                    f"Your network gave {messages.described(answer)} for the inputs {[*row]}; one Value was wanted. "
                    f"{messages.ADVICE['NoneType'] if answer is None else ''}".rstrip()
                )
            wanted(found[0].data, "The data of your network's output")
            return found[0]

    def loss(self, predictions, targets):
        """The settings' loss, a Value of the learner's own, written with - ** + and * of theirs."""
        with named():
            first, *rest = [(prediction - target) ** 2 for prediction, target in zip(predictions, targets)]
            for square in rest:
                first = first + square
            scale = {"mean_squares": 1 / len(targets), "half_squares": 0.5}.get(self.settings.loss)
            total = first if scale is None else first * scale
            if not hasattr(total, "data"):
                raise Unfit(f"The loss, made of your Values, is {messages.described(total)}, and no Value.")
            wanted(total.data, "The data of the loss, made of your Values,")
            return total

    def step(self, by="epoch", zero_grad=True):
        """One update, by the learner's forward pass, their backward() and their data and grad."""
        try:
            return super().step(by, zero_grad)
        except Exception as fault:
            self.look()  # the outputs of the last whole step: what is shown fits together
            self.fault = raised(fault)
            return math.nan

    def look(self):
        """Take down the outputs and the loss as they are now, unless the run has ended."""
        if self.fault:
            return
        with self.watched():
            predictions = [self.mlp(row) for row in ROWS]
            self.judge([float(prediction.data) for prediction in predictions])
            self.total = float(self.loss(predictions, self.settings.targets).data)
            numbers = [self.total, *self.outputs, *(real_of(p, "data") for p in self.optimizer.parameters)]
            if not all(map(math.isfinite, numbers)):
                self.fault = (
                    f"The run diverged: the loss is {number(self.total)}, and some numbers of your network are inf or "
                    "nan. Take a smaller learning rate, and press Reset."
                )

    def found(self, i):
        """The outputs of each layer for a row; None for those of hidden layers that do not lead to the output."""
        sizes, output = self.settings.sizes, self.outputs[i]
        try:
            found = activations(self.net, ROWS[i])
            if output is not None and abs(found[-1][0] - output) <= NEAR:
                return found
        except Exception:  # only how the layers are called is not known: what ends a run is found in `look`
            pass
        return [list(ROWS[i]), *([None] * size for size in sizes[1:-1]), [output]]

    def surface(self):
        """The outputs over the map, and its heading: by arrays where they give what the network gives."""
        if self.by_arrays():
            with np.errstate(all="ignore"):
                outputs = on_arrays(self.columns, GRID)
            self.map = outputs.reshape(PIXELS, PIXELS), "Output everywhere"
        elif not self.fault:
            rows = [self.row_of(x2) for x2 in middles(self.side)[::-1]]
            each = PIXELS // self.side
            self.map = np.kron(rows, np.ones((each, each))), f"Output at {self.side} × {self.side} points"
        return self.map

    def by_arrays(self):
        """Whether arrays give the network's outputs for the four rows, as they are now."""
        if not self.tanh or None in self.outputs:
            return False
        with np.errstate(all="ignore"):
            return np.allclose(on_arrays(self.columns, ROWS)[:, 0], self.outputs, rtol=0, atol=NEAR)

    def row_of(self, x2):
        """The outputs for one x2 of the coarse map; nan where the network raises."""
        found = [math.nan] * self.side
        for i, x1 in enumerate(middles(self.side).tolist()):
            with contextlib.suppress(Exception):
                found[i] = float(self.mlp((x1, float(x2))).data)
        return found

    def habits(self):
        """What the controls say that this network decides itself."""
        kind = "always tanh" if self.tanh else "your own"
        start = "always -1 to 1" if self.tanh and self.small else "your own"
        return {"activation": f"activation: {kind}", "output": f"output: {kind}", "init": f"init: {start}"}

    def opening(self):
        """The sentence before the first step."""
        if self.fault:
            return self.fault
        parameters, first = self.optimizer.parameters, self.settings.sizes[1:]
        if self.tanh and self.small:
            habits = "Its neurons are always tanh, its first weights lie between -1 and 1."
        else:
            habits = "Its activations and its first weights are what your classes make them."
        return (
            f"Your own {self.name}(2, {first}), on your own {clean(type(parameters[0]).__name__, 16)}: "
            f"{len(parameters)} parameters, from seed {self.settings.seed}. Nothing is trained yet. {habits} "
            f"{standing(self)} Press Play or Step."
        )


@dataclass
class Descent:
    """Gradient descent on Values of the learner's own."""

    parameters: list
    lr: float

    def zero_grad(self):
        """Set the grad of every parameter to 0."""
        for parameter in self.parameters:
            parameter.grad = 0.0

    def step(self):
        """Move each parameter once; none, if a grad is no number."""
        for i, parameter in enumerate(self.parameters, start=1):
            wanted(parameter.grad, f"After backward() the grad of parameter {i} of {len(self.parameters)}")
        for parameter in self.parameters:
            parameter.data -= self.lr * parameter.grad


def usable(network):
    """A class of the learner's own, or None for the engine's; TypeError if it is no class."""
    if network is None or network is MLP:
        return None
    if not callable(network) or (not isinstance(network, type) and hasattr(network, "parameters")):
        raise TypeError(
            f"network takes the class of your network, which the lab calls as MLP(2, [4, 1]); got "
            f"{messages.described(network)}. Write its name without parentheses: network=MLP."
        )
    return network


@contextlib.contextmanager
def seeded(seed):
    """Let the `random` module draw from a seed, and go on afterwards as if nothing had been drawn."""
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)


@contextlib.contextmanager
def named():
    """An exception of the learner's classes becomes an Unfit, so that a ValueError is not taken for the loss's own."""
    try:
        yield
    except Unfit:
        raise
    except Exception as fault:
        raise Unfit(raised(fault)) from fault


def raised(fault):
    """What to say of an exception of the learner's classes: its kind, where it came from, and its text."""
    if isinstance(fault, Unfit):
        return str(fault)
    place, trace = "", fault.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not any(Path(code.co_filename).is_relative_to(folder) for folder in LIBRARIES):
            place = f" in {clean(code.co_qualname.replace('<locals>.', ''), 30)}, line {trace.tb_lineno}"
        trace = trace.tb_next
    text = clean(fault, 70).rstrip(".")
    text = f": {text}" if text else ""
    said = f"Your code raised {clean(type(fault).__name__, 24)}{place}{text}"
    end = "" if said.endswith("…") else "."
    return f"{said}{end} The run has stopped: mend the class, and run this cell again."


def wanted(thing, what):
    """Unfit, if something is no real number."""
    try:
        messages.real(thing)
    except (TypeError, ValueError):
        raise Unfit(f"{what} is {messages.described(thing)}, and a number was wanted. The run has stopped.") from None


def parameters_of(net):
    """The parameters of a network of the learner's own, as a list of Values. Unfit if they are none."""
    found = net.parameters()
    if isinstance(found, (str, bytes, dict)) or not hasattr(found, "__iter__"):
        raise Unfit(f"parameters() of your network gave {messages.described(found)}, and a list of Values was wanted.")
    found = list(found)
    for thing in found:
        if not hasattr(thing, "data"):
            raise Unfit(f"parameters() of your network gave a list with {messages.described(thing)} in it, no Value.")
    if not found:
        raise Unfit("parameters() of your network gave an empty list: there is nothing to train.")
    return found


def side(seconds):
    """How many points a side a map has room for in 20 ms, where each takes so long."""
    return next((n for n in (28, 14, 8, 7, 4) if n * n * seconds <= 0.02), 2)


# What a run's picture is made of, whoever's network it is


def groups_of(training):
    """The parameters by layer, as (name, parameters) pairs; of a network that cannot be read, all as one."""
    if not isinstance(training, Own):
        return [(f"layer {i}", layer.parameters()) for i, layer in enumerate(training.mlp.layers, start=1)]
    if training.columns is None:
        return [("parameters", training.optimizer.parameters)]
    return [
        (f"layer {i}", [p for neuron in column for p in (*neuron.weights, neuron.bias)])
        for i, column in enumerate(training.columns, start=1)
    ]


def found_in(training, i):
    """The outputs of each layer for a row, the inputs first."""
    return training.found(i) if isinstance(training, Own) else activations(training.mlp, ROWS[i])


def shape_of(training):
    """What has to be as before if a stage is to serve for another run."""
    sizes = [(name, len(parameters)) for name, parameters in groups_of(training)]
    return (sizes, training.why, training.habits()) if isinstance(training, Own) else sizes


# Settings and controls


def hidden_values(hidden):
    """The values of the two controls for the hidden layers."""
    found = list(hidden) if isinstance(hidden, (list, tuple)) else [hidden]
    if len(found) > 2:
        raise ValueError(f"this lab has at most two hidden layers, got {len(found)}.")
    return dict(zip(("hidden1", "hidden2"), [*found, 0, 0]))


def settings_of(values):
    """Settings from the values of the controls; ValueError or TypeError, with a sentence, if one is wrong."""
    chosen(values["by"], BY, "by")
    chosen(values["speed"], SPEEDS, "speed")
    chosen(values["shows"], SHOWS, "shows")
    if not isinstance(values["zero_grad"], bool):
        raise TypeError(f"zero_grad is True or False, got {values['zero_grad']!r}.")
    if not str(values["epochs"]).isdecimal() or not int(values["epochs"]):
        raise ValueError(f"epochs is a whole number of at least 1, got {values['epochs']!r}.")
    names = ("activation", "output", "init", "seed", "loss", "lr")
    return checked([values["hidden1"], values["hidden2"]], **{name: values[name] for name in names})


def symmetric_values():
    """The values of the controls for the symmetric start."""
    return {**{k: v for k, v in SYMMETRIC.items() if k != "hidden"}, "hidden1": 2, "hidden2": 0, "lr": 1.0}


def controls_of(values, training):
    """The controls, with these values. Those that a network of the learner's own decides are buttons, always off."""
    own = isinstance(training, Own)

    def choice(name, title, options):
        return Control("choice", name, title, values[name], options=tuple(options))

    def size(name, title):
        return Control("range", name, title, values[name], min=0, max=MOST, step=1, whole=True)

    runs = sorted({*RUNS, values["epochs"]}, key=int)
    return [
        Control("button", "play", "Play"),
        Control("button", "step", "Step"),
        Control("button", "reset", "Reset"),
        *([] if own else [Control("button", "symmetric", "Symmetric start")]),
        Control("range", "lr", "learning rate", values["lr"], min=-3, max=1, step=0.05, log=True),
        Control("range", "seed", "seed", values["seed"], min=0, max=max(99, values["seed"]), step=1, whole=True),
        size("hidden1", "hidden 1"),
        size("hidden2", "hidden 2"),
        *(
            [Control("button", name, title) for name, title in training.habits().items()]
            if own
            else [
                choice("activation", "activation", ACTIVATIONS),
                choice("output", "output", ACTIVATIONS),
                choice("init", "init", INITIALISATIONS),
            ]
        ),
        choice("loss", "loss", OWN_LOSSES if own else LOSSES),
        choice("speed", "speed", SPEEDS),
        choice("by", "step by", BY),
        choice("epochs", "epochs a run", runs),
        choice("shows", "lines show", SHOWS),
        Control("toggle", "zero_grad", "zero_grad()", values["zero_grad"]),
    ]


# Sentences


def name_of(row):
    """A row by its inputs: 0, 1."""
    return ", ".join(f"{x:g}" for x in ROWS[row])


def opening(training):
    """The sentence before the first step."""
    settings = training.settings
    count = len(training.optimizer.parameters)
    if isinstance(training, Own):
        return training.opening()
    start = "weights ½ and biases 0, all hidden neurons alike" if settings.init == HALF else f"seed {settings.seed}"
    return (
        f"A {'-'.join(map(str, settings.sizes))} network, {count} parameters, from {start}; nothing is trained yet. "
        f"{standing(training)} Press Play or Step."
    )


def standing(training):
    """The loss and the rows as they are."""
    right = sum(training.right)
    rows = "All four rows are right" if right == 4 else f"{right} of 4 rows {'is' if right == 1 else 'are'} right"
    return f"The loss is {number(training.total)}. {rows}."


def beside(twin, training):
    """What to say where this run has come to another end than its twin in the lottery."""
    if twin is None or twin.epochs != training.epochs or twin.right == tuple(training.right):
        return ""
    return (
        f" In the lottery {sum(twin.right)} of 4 rows are right for this seed: there arrays add the same numbers in "
        "another order, and training makes much of differences in the last digit."
    )


def at(training, view):
    """The counters."""
    return f"epoch {training.epochs} of {view.goal} · step {training.steps}"


# The picture


def marks_of(training, view):
    """The marks of everything that changes."""
    settings, marks, own = training.settings, {}, isinstance(training, Own)
    if not own or training.columns is not None:
        marks = network_marks(
            training.net if own else training.mlp,
            target=settings.targets[view.row],
            shows=view.shows,
            known=training.known,
            found=found_in(training, view.row),
        )
    return {
        **marks,
        **tile_marks(training, view),
        **map_marks(training, view),
        **curve_marks(training, view),
        **histogram_marks(training),
    }


def recording_of(training, frame):
    """The Recording of a network of this shape."""
    settings, own = training.settings, isinstance(training, Own)
    kinds = [settings.activation] * len(settings.hidden) + [settings.output]
    kinds = kinds if not own or training.tanh else []
    groups = [(name, len(parameters)) for name, parameters in groups_of(training)]
    why = training.why if own else ""
    shape = "-".join(map(str, settings.sizes))
    return Recorded(
        f"Training on XOR: your own {training.name}" if own else "Training on XOR",
        [frame],
        lambda marks: "".join(panel for _, _, panel in panels(settings, kinds, groups, why, marks)),
        f"{'Your own' if own else 'A'} {shape} network that is trained on XOR: its weights, its outputs for the four "
        "rows, its output over the plane, its loss and its gradients.",
        room=OWN_ROOM if own else ROOM,
        panels=lambda marks: panels(settings, kinds, groups, why, marks),
    )


@dataclass(frozen=True)
class Recorded(Recording):
    """A Recording whose stage is several drawings, which stand together in one as a still picture."""

    panels: object = None

    def picture(self, index=-1):
        """All drawings of a frame in one SVG."""
        found = self.panels(self.frames[index].marks)
        placed = [panel.replace("<svg ", f'<svg x="{x}" y="{y}" ', 1) for x, y, panel in found]
        width, height = (max(at + size(panel)[i] for (*xy, panel) in found for at in [xy[i]]) for i in (0, 1))
        return svg(width, height, *placed)


def size(drawing):
    """The width and the height of an SVG."""
    return tuple(int(drawing.split(f' {what}="', 1)[1].split('"', 1)[0]) for what in ("width", "height"))


def panels(settings, kinds, groups, why, marks):
    """The five drawings of the stage, each with where it stands in a still picture. why: there is no network's."""
    alt = "The network: a line for each weight, a box for each neuron"
    return [
        (0, 0, instead_svg(why) if why else network_svg(settings.sizes, marks, kinds, alt=alt)),
        (536, 0, tiles_svg(settings, marks)),
        (712, 0, map_svg(settings, marks)),
        (0, 308, curve_svg(settings, marks)),
        (470, 308, histogram_svg(groups, marks)),
    ]


def instead_svg(why):
    """What stands in the place of a network that cannot be drawn: why, in a few lines."""
    lines = textwrap.wrap(f"There is no drawing of your network. {why}", 62)
    parts = [label(line, 20, 130 + 20 * i, "start") for i, line in enumerate(lines[:6])]
    return svg(WIDTH, HEIGHT, *parts)


# The four rows

TILE = (152, 58)
BAR = Scale(-0.25, 1.25, TILE[1] - 6, 6)  # of the share of the way from the lower target to 1


def tile_marks(training, view):
    """For each row its output, and whether it is right."""
    settings, marks = training.settings, {}
    for i, (output, target, right) in enumerate(zip(training.outputs, settings.targets, training.right)):
        word = number(None) if output is None else "right" if right else "wrong"
        said = f"Row {name_of(i)}: target {target:g}, output {number(output)}, {word}"
        top = BAR(BAR.low if output is None else (output - settings.low) / (1 - settings.low))
        marks[f"row.{i}"] = {"state": word, "aria-pressed": str(i == view.row).lower(), "aria-label": said}
        marks[f"row.{i}.out"] = {"text": number(output)}
        marks[f"row.{i}.word"] = {"text": word}
        marks[f"row.{i}.icon"] = {
            "d": "M0,0" if output is None else "M-5,0l4,4l7,-8" if right else "M-4,-4l8,8m0,-8l-8,8"
        }
        marks[f"row.{i}.bar"] = {"y": f"{top:.1f}", "height": f"{BAR.start - top:.1f}"}
    return marks


def tiles_svg(settings, marks):
    """The four rows as four tiles to press."""
    parts = [label("Outputs", 4, 16, "heading start")]
    for i, target in enumerate(settings.targets):
        aim = BAR((target - settings.low) / (1 - settings.low))
        inside = "".join(
            [
                f'<rect class="tile" width="{TILE[0]}" height="{TILE[1]}" rx="8"/>',
                part("rect", f"row.{i}.bar", marks, class_="level", x=TILE[0] - 21, width=12),
                f'<path class="mark" d="M{TILE[0] - 25},{aim:.1f}h20"/>',
                label(f"{name_of(i)}  →  {target:g}", 10, 20, "caption start"),
                part("text", f"row.{i}.out", marks, class_="large", x=10, y=45),
                f'<g transform="translate(71 15)">{part("path", f"row.{i}.icon", marks, class_="icon")}</g>',
                part("text", f"row.{i}.word", marks, class_="word", x=82, y=20),
            ]
        )
        parts.append(
            part("g", f"row.{i}", marks, inside, class_="row", transform=f"translate(4 {28 + i * (TILE[1] + 8)})",
                 role="button", tabindex=0, data_press=f"row.{i}", data_lm_suppress_shortcuts="true")
        )  # fmt: skip
    drawing = svg(160, 296, *parts)
    return drawing.replace(
        "<svg", '<svg role="group" aria-label="The four rows: press one to see it in the network"', 1
    )


# The map


def middles(count):
    """The middles of so many equal parts of what the map shows of an input."""
    return REACH[0] + (REACH[1] - REACH[0]) / count * (np.arange(count) + 0.5)


def grid():
    """The inputs of the map's pixels, top left first: shape (PIXELS², 2)."""
    x1, x2 = np.meshgrid(middles(PIXELS), middles(PIXELS)[::-1])
    return np.stack([x1.ravel(), x2.ravel()], axis=1)


GRID = grid()


def surface(mlp):
    """The outputs of a scalar MLP over the map, by its twin on arrays: shape (PIXELS, PIXELS), top row first."""
    with np.errstate(all="ignore"):
        return TensorMLP.from_mlp(mlp)(GRID).data.reshape(PIXELS, PIXELS)


def palette():
    """254 colours from dark blue to light yellow, evenly lighter (after cividis, Nuñez et al. 2018); a red; a grey."""
    stops = np.array([(0, 34, 78), (53, 69, 108), (102, 105, 112), (148, 142, 119), (200, 184, 102), (254, 232, 56)])
    at = np.linspace(0, len(stops) - 1, 254)
    ramp = np.stack([np.interp(at, range(len(stops)), stops[:, i]) for i in range(3)], axis=1).round()
    return np.concatenate([ramp, [(255, 255, 255), (128, 128, 128)]]).astype(np.uint8).tobytes()


PALETTE = palette()
BORDER, NO_NUMBER = 254, 255


def pixels(outputs, low=0.0):
    """A palette index for each output: dark for `low` and less, light for 1 and more, white where the class changes."""
    with np.errstate(invalid="ignore"):
        share = np.clip((outputs - low) / (1.0 - low), 0.0, 1.0)
        above = outputs > (1.0 + low) / 2
    found = np.where(np.isnan(share), NO_NUMBER, np.nan_to_num(share) * 253 + 0.5).astype(np.uint8)
    change = np.zeros(above.shape, bool)
    change[:, 1:] |= above[:, 1:] != above[:, :-1]
    change[1:, :] |= above[1:, :] != above[:-1, :]
    found[change & ~np.isnan(outputs)] = BORDER
    return found


def png(indices):
    """An array of palette indices as a PNG's data address (PNG specification, third edition, sections 5 and 11)."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = indices.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), indices], axis=1).tobytes()  # filter 0 before each row
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    file = b"\x89PNG\r\n\x1a\n" + b"".join(
        chunk(*each)
        for each in ((b"IHDR", header), (b"PLTE", PALETTE), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    )
    return "data:image/png;base64," + base64.b64encode(file).decode()


SIDE = 186  # of the map, in the drawing
X1 = Scale(*REACH, 26, 26 + SIDE)
X2 = Scale(*REACH, 28 + SIDE, 28)


def map_marks(training, view):
    """The map, and which row is chosen."""
    own = isinstance(training, Own)
    outputs, head = training.surface() if own else (surface(training.mlp), "Output everywhere")
    marks = {"map": {"href": png(pixels(outputs, training.settings.low))}, "map.head": {"text": head}}
    x1, x2 = ROWS[view.row]
    marks["map.row"] = {"cx": f"{X1(x1):.1f}", "cy": f"{X2(x2):.1f}"}
    return marks


def map_svg(settings, marks):
    """The output over the plane of the inputs, with the four rows and their targets on it."""
    image = part(
        "image", "map", marks, class_="pixels", x=26, y=28, width=SIDE, height=SIDE, preserveAspectRatio="none"
    )
    parts = [part("text", "map.head", marks, class_="heading start", x=26, y=16), image]
    parts.append(part("circle", "map.row", marks, class_="ring", r=15))
    for (x1, x2), target in zip(ROWS, settings.targets):
        x, y = X1(x1), X2(x2)
        kind = "point true" if target == 1 else "point"
        parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="10"/>')
        parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y + 4:.1f}">{target:g}</text>')
    for tick in (0, 1):
        parts.append(label(tick, X1(tick), 28 + SIDE + 15, "tick"))
        parts.append(label(tick, 20, X2(tick) + 4, "tick y"))
    parts.append(label("x1", X1(1.5) - 8, 28 + SIDE + 15, "caption"))
    parts.append(label("x2", 20, X2(1.5) + 12, "tick y"))
    top = 28 + SIDE + 24
    bar = png(np.arange(254, dtype=np.uint8)[None, :])
    parts.append(f'<image href="{bar}" x="26" y="{top}" width="{SIDE}" height="10" preserveAspectRatio="none"/>')
    low, border = f"{settings.low:g}", f"{settings.border:g}"
    for text, x, kind in (
        (f"{low} or less", 26, "start"),
        (border, 26 + SIDE / 2, ""),
        ("1 or more", 26 + SIDE, "end"),
    ):
        parts.append(label(text, x, top + 24, f"caption {kind}".rstrip()))
    parts.append(label(f"white line: the output is {border}", 26, top + 42, "caption start"))
    return svg(218, 296, *parts).replace(
        "<svg", '<svg role="img" aria-label="The output for every pair of inputs, dark for 0, light for 1"', 1
    )


# The loss

LOSS = Scale(LEAST, LARGEST, 148, 32, log=True)
LEFT, RIGHT = 46, 416


def curve_marks(training, view):
    """The curve, its axis and how much of the run is done."""
    goal = max(view.goal, training.epochs, 1)
    points = [*training.curve.points(), (training.epochs, training.total)]
    parts, pen = [], "M"
    for epoch, loss in points:
        if not math.isfinite(loss):
            pen = "M"
            continue
        parts.append(f"{pen}{LEFT + (RIGHT - LEFT) * epoch / goal:.1f},{LOSS(loss):.1f}")
        pen = "L"
    x = f"{LEFT + (RIGHT - LEFT) * training.epochs / goal:.1f}"
    y = f"{LOSS(training.total):.1f}" if math.isfinite(training.total) else f"{LOSS.end:.1f}"
    ticks = {f"curve.x{i}": {"text": f"{goal * i / 4:g}"} for i in range(5)}
    return {
        "curve": {"d": "".join(parts) or "M0,0"},
        "curve.now": {"cx": x, "cy": y},
        "curve.done": {"width": f"{float(x) - LEFT:.1f}"},
        "curve.loss": {"text": f"Loss {number(None if None in training.outputs else training.total)}"},
        **ticks,
    }


def curve_svg(settings, marks):
    """The loss over the epochs of the run, on an axis of powers of ten."""
    parts = ['<g class="axes">']
    for tick, text in LOSS.ticks():
        parts.append(f'<path class="grid" d="M{LEFT},{LOSS(tick):.1f}H{RIGHT}"/>')
        parts.append(label(text, LEFT - 6, LOSS(tick) + 4, "tick y"))
    for i in range(5):
        x = LEFT + (RIGHT - LEFT) * i / 4
        parts.append(f'<path class="axis" d="M{x:.1f},{LOSS.start}v4"/>')
        parts.append(part("text", f"curve.x{i}", marks, class_="tick", x=f"{x:.1f}", y=LOSS.start + 19))
    parts.append("</g>")
    parts.append(f'<path class="axis" d="M{LEFT},{LOSS.start}H{RIGHT}"/>')
    parts.append(part("rect", "curve.done", marks, class_="done", x=LEFT, y=LOSS.start - 2, height=5, rx=2))
    parts.append(part("text", "curve.loss", marks, class_="heading start", x=LEFT - 34, y=16))
    parts.append(
        label(settings.loss.replace("_", " ").replace("binary cross", "binary cross-"), RIGHT, 16, "caption end")
    )
    parts.append(part("path", "curve", marks, class_="line s0"))
    parts.append(part("circle", "curve.now", marks, class_="dot s0", r=4.5))
    parts.append(label("epoch", (LEFT + RIGHT) / 2, 183, "caption"))
    return svg(438, 188, *parts).replace("<svg", '<svg role="img" aria-label="The loss at each epoch"', 1)


# The gradients

SIZES = Scale(*DECADES, 146, 448)  # of exponents
ZERO = 112  # where the bin for 0 stands


def bins(gradients):
    """How many gradients are 0, and how many fall in each half decade of size (beyond: in the last)."""
    zeros, counts = 0, [0] * BINS
    for size in map(abs, gradients):
        if size == 0:
            zeros += 1
        elif math.isfinite(size):
            counts[min(BINS - 1, max(0, math.floor(2 * (math.log10(size) - DECADES[0]))))] += 1
    return zeros, counts


def rows_of(count):
    """The top and the height of each layer's row in the histogram."""
    height = 124 / count
    return [(28 + height * i, height) for i in range(count)]


def mean_sizes(training):
    """For each layer the mean size of its gradients, in words."""
    said = []
    for _, parameters in groups_of(training):
        gradients = [real_of(p, "grad") for p in parameters]
        numbers = [abs(gradient) for gradient in gradients if math.isfinite(gradient)]
        lost = len(gradients) - len(numbers) if training.known else 0
        lost = f", {lost} nan or inf" if lost else ""
        said.append(f"mean {number(sum(numbers) / len(numbers) if training.known and numbers else None)}{lost}")
    return said


def histogram_marks(training):
    """For each layer the outline of its bars, and the mean size of its gradients."""
    marks, groups = {}, groups_of(training)
    said = mean_sizes(training)
    for i, ((_, parameters), (top, height)) in enumerate(zip(groups, rows_of(len(groups)))):
        base, room = top + height - 4, min(height - 12, 60)
        zeros, counts = bins([real_of(p, "grad") for p in parameters]) if training.known else (0, [0] * BINS)
        tallest = max(1, *counts, zeros)
        step = (SIZES.end - SIZES.start) / BINS
        outline = "".join(f"v{-room * (c - b) / tallest:.1f}h{step:.1f}" for b, c in zip([0, *counts], counts))
        tall = room * zeros / tallest
        marks[f"hist.{i}"] = {"d": f"M{SIZES.start},{base:.1f}{outline}V{base:.1f}Z"}
        marks[f"hist.{i}.zero"] = {"y": f"{base - tall:.1f}", "height": f"{tall:.1f}"}
        marks[f"hist.{i}.mean"] = {"text": said[i]}
    return marks


def histogram_svg(groups, marks):
    """The sizes of the gradients of each layer's weights and biases, in the same bins. groups: names and counts."""
    parts = [label("Gradients", 8, 16, "heading start")]
    rows = ", a row a layer" if groups[0][0].startswith("layer") else ""
    parts.append(label(f"size of ∂loss/∂parameter{rows}", (ZERO + 448) / 2, 183, "caption"))
    for power in range(DECADES[0], DECADES[1] + 1):
        x = SIZES(power)
        parts.append(f'<path class="grid" d="M{x:.1f},28V150"/>')
        if power % 2 == 0:
            parts.append(
                label(
                    power_text(power),
                    x,
                    167,
                    "tick",
                )
            )
    parts.append(label("0", ZERO + 11, 167, "tick"))
    for i, ((name, count), (top, height)) in enumerate(zip(groups, rows_of(len(groups)))):
        base = top + height - 4
        parts.append(label(f"{name}: {count}", 8, base - 16, "caption start"))
        parts.append(part("text", f"hist.{i}.mean", marks, class_="caption start", x=8, y=base - 1))
        parts.append(f'<path class="axis" d="M{ZERO},{base:.1f}H{SIZES.end}"/>')
        parts.append(part("rect", f"hist.{i}.zero", marks, class_=f"bars s{i % 4}", x=ZERO, width=22))
        parts.append(part("path", f"hist.{i}", marks, class_=f"bars s{i % 4}"))
    return svg(458, 188, *parts).replace(
        "<svg", '<svg role="img" aria-label="Histogram of the sizes of the gradients, a row a layer"', 1
    )
