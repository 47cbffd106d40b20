"""`OwnTraining`: a run on XOR of the learner's own network, on their own Value, whatever these may do."""

import contextlib
import math
import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autograd import MLP
from autograd.errors import messages, validation
from figures.graph.network import NEAR, activations, is_tanh, neurons_of, on_arrays, real_of, sizes_of
from figures.graph.reader import clean
from figures.page.style import steady
from figures.training.run import Curve, Training
from figures.training.settings import LOSSES, ROWS
from figures.training.surface import EVERYWHERE, GRID, PIXELS, middles

LIBRARIES = (Path(__file__).parents[1], Path(messages.__file__).parent, Path(random.__file__).parent)  # not their code


class Unfit(Exception):
    """An answer of the learner's network that does not fit, as a sentence."""


class OwnTraining(Training):
    """A run of the learner's own network on their own Value. The lab shows whatever these raise, and that ends the run.

    net: their network, None if it could not be made. columns: its neurons, None if they cannot be read; `why` then says
    why. tanh: whether arrays give what it gives. small: whether its first weights lie between -1 and 1. side: of a map
    that is made of calls.
    """

    losses = LOSSES[:3]  # those that + - * and ** can express

    def __init__(self, settings, network):
        self.settings, self.optimizer = settings, Descent([], settings.lr)
        self.name = clean(getattr(network, "__name__", "network"), 16)
        self.epochs = self.steps = self.row = 0
        self.curve, self.known, self.solved_at, self.fault = Curve(), False, None, ""
        self.net = self.columns = None
        self.why, self.tanh, self.small, self.side = "It could not be built.", False, False, 1
        self.outputs, self.right, self.total = [None] * 4, [False] * 4, math.nan  # None: not known
        self.map = np.full((PIXELS, PIXELS), math.nan), EVERYWHERE
        with self.watched():
            with seeded(settings.seed):
                self.net = network(2, settings.sizes[1:])
            self.read()
            self.optimizer.parameters = parameters_of(self.net)
            self.small = all(abs(real_of(p, "data")) <= 1 for p in self.optimizer.parameters)
            self.side = side(min(self.seconds() for _ in range(3)))
            self.measure_state()

    @contextlib.contextmanager
    def watched(self):
        """Turn an exception of the learner's classes into the fault that ends the run."""
        try:
            yield
        except Exception as fault:
            self.fault = raised(fault)

    def read(self):
        """Find out what of the network can be shown, and how it behaves."""
        try:
            self.columns, self.why = neurons_of(self.net), ""
            if sizes_of(self.net) != self.settings.sizes:
                self.why = f"Its layers have sizes {sizes_of(self.net)}, and {self.settings.sizes} were expected."
        except TypeError as fault:
            self.why = str(fault)
        except Exception as fault:  # from a property, for example
            self.why = raised(fault)
        self.columns = None if self.why else self.columns
        self.tanh = self.columns is not None and is_tanh(self.net)

    def seconds(self):
        start = time.perf_counter()
        self.mlp(ROWS[0])
        return time.perf_counter() - start

    def mlp(self, row):
        """Return the network's output for a row, one Value."""
        with as_unfit():
            answer = self.net([*row])
            found = list(answer) if isinstance(answer, (list, tuple)) else [answer]
            if len(found) != 1 or not hasattr(found[0], "data"):
                raise Unfit(
                    f"Your network returned {messages.described(answer)} for the inputs {[*row]}; one Value was "
                    "expected. "
                    f"{messages.ADVICE['NoneType'] if answer is None else ''}".rstrip()
                )
            wanted(found[0].data, "The data of your network's output")
            return found[0]

    def loss(self, predictions, targets):
        """Return the settings' loss as one of the learner's Values, written with their - ** + and *."""
        with as_unfit():
            first, *rest = [(prediction - target) ** 2 for prediction, target in zip(predictions, targets)]
            for square in rest:
                first = first + square
            scale = {"mean_squares": 1 / len(targets), "half_squares": 0.5}.get(self.settings.loss)
            total = first if scale is None else first * scale
            if not hasattr(total, "data"):
                raise Unfit(f"The loss, made of your Values, is {messages.described(total)}, not a Value.")
            wanted(total.data, "The data of the loss, made of your Values,")
            return total

    def step(self, by="epoch", zero_grad=True):
        """Make one update, by the learner's forward pass, their backward() and their data and grad."""
        try:
            return super().step(by, zero_grad)
        except Exception as fault:
            self.measure_state()  # the outputs of the last whole step, so that the picture is consistent
            self.fault = raised(fault)
            return math.nan

    def whole_pass(self, zero_grad):
        return self.a_pass(range(4), zero_grad)

    def measure_state(self):
        """Note the current outputs and loss, unless the run has ended."""
        if self.fault:
            return
        with self.watched():
            predictions = [self.mlp(row) for row in ROWS]
            self.judge([float(prediction.data) for prediction in predictions])
            self.total = float(self.loss(predictions, self.settings.targets).data)
            numbers = [self.total, *self.outputs, *(real_of(p, "data") for p in self.optimizer.parameters)]
            if not all(map(math.isfinite, numbers)):
                self.fault = (
                    f"The run diverged: the loss is {steady(self.total)}, and some numbers of your network are inf or "
                    "nan. Take a smaller learning rate, and press Reset."
                )

    def found(self, i):
        """Return each layer's outputs for a row; None for those of hidden layers that do not lead to the output."""
        sizes, output = self.settings.sizes, self.outputs[i]
        try:
            found = activations(self.net, ROWS[i])
            if output is not None and abs(found[-1][0] - output) <= NEAR:
                return found
        except Exception:  # only the way to call the layers is unknown: `measure_state` finds what ends a run
            pass
        return [list(ROWS[i]), *([None] * size for size in sizes[1:-1]), [output]]

    def surface(self):
        """Return the outputs over the map, and its heading: by arrays if they give what the network gives."""
        if self.by_arrays():
            with np.errstate(all="ignore"):
                outputs = on_arrays(self.columns, GRID)
            self.map = outputs.reshape(PIXELS, PIXELS), EVERYWHERE
        elif not self.fault:
            rows = [self.row_of(x2) for x2 in middles(self.side)[::-1]]
            each = PIXELS // self.side
            self.map = np.kron(rows, np.ones((each, each))), f"Output at {self.side} × {self.side} points"
        return self.map

    def by_arrays(self):
        """Return whether arrays give the network's current outputs for the four rows."""
        if not self.tanh or None in self.outputs:
            return False
        with np.errstate(all="ignore"):
            return np.allclose(on_arrays(self.columns, ROWS)[:, 0], self.outputs, rtol=0, atol=NEAR)

    def row_of(self, x2):
        """Return the outputs for one x2 of the coarse map; nan if the network raises."""
        found = [math.nan] * self.side
        for i, x1 in enumerate(middles(self.side).tolist()):
            with contextlib.suppress(Exception):
                found[i] = float(self.mlp((x1, float(x2))).data)
        return found

    def habits(self):
        kind = "always tanh" if self.tanh else "your own"
        start = "always -1 to 1" if self.tanh and self.small else "your own"
        return {"activation": f"activation: {kind}", "output": f"output: {kind}", "init": f"init: {start}"}

    def kinds(self):
        return super().kinds() if self.tanh else []

    def groups(self):
        if self.columns is None:
            return [("parameters", self.optimizer.parameters)]
        return [
            (f"layer {i}", [p for neuron in column for p in (*neuron.weights, neuron.bias)])
            for i, column in enumerate(self.columns, start=1)
        ]

    def shape(self):
        return super().shape(), self.why, self.habits()


@dataclass
class Descent:
    """Gradient descent on the learner's own Values."""

    parameters: list
    lr: float

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = 0.0

    def step(self):
        """Move each parameter once; move none if a grad is no number."""
        for i, parameter in enumerate(self.parameters, start=1):
            wanted(parameter.grad, f"After backward() the grad of parameter {i} of {len(self.parameters)}")
        for parameter in self.parameters:
            parameter.data -= self.lr * parameter.grad


def usable(network):
    """Return the learner's own class, or None for the engine's; raise TypeError if it is no class."""
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
    """Let the `random` module draw from a seed, and restore its state afterwards."""
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)


@contextlib.contextmanager
def as_unfit():
    """Turn an exception of the learner's classes into an Unfit, to tell their ValueErrors from those of the loss."""
    try:
        yield
    except Unfit:
        raise
    except Exception as fault:
        raise Unfit(raised(fault)) from fault


def raised(fault):
    """Describe an exception of the learner's classes: its kind, where it came from, and its text."""
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
    return f"{said}{end} The run has stopped: fix the class, and run this cell again."


def wanted(thing, what):
    try:
        validation.real(thing)
    except (TypeError, ValueError):
        raise Unfit(f"{what} is {messages.described(thing)}, and a number was expected. The run has stopped.") from None


def parameters_of(net):
    """Return the parameters of the learner's own network, as a list of Values; raise Unfit if they are none."""
    found = net.parameters()
    if isinstance(found, (str, bytes, dict)) or not hasattr(found, "__iter__"):
        raise Unfit(
            f"parameters() of your network returned {messages.described(found)}; a list of Values was expected."
        )
    found = list(found)
    for thing in found:
        if not hasattr(thing, "data"):
            raise Unfit(
                f"parameters() of your network returned a list with {messages.described(thing)} in it, which is "
                "not a Value."
            )
    if not found:
        raise Unfit("parameters() of your network returned an empty list: there is nothing to train.")
    return found


def side(seconds):
    """Return how many points per side a map can have in 20 ms, if each takes so long."""
    return next((n for n in (28, 14, 8, 7, 4) if n * n * seconds <= 0.02), 2)
