"""`Training`: a run on XOR on the scalar engine, one update at a time, and its loss curve."""

import functools
import math

from autograd import SGD, record
from autograd.training import losses
from figures.graph.network import activations
from figures.page.style import steady
from figures.training.settings import LOSSES, ROWS
from figures.training.surface import EVERYWHERE, surface


class Curve:
    """A curve with one loss per epoch, kept in at most 2 · `room` pieces: the smallest and largest loss of each."""

    def __init__(self, room=160):
        self.room, self.size, self.count, self.pieces = room, 1, 0, []

    def add(self, loss):
        if self.count // self.size == len(self.pieces):
            self.pieces.append((math.inf, -math.inf))
        low, high = self.pieces[-1]
        self.pieces[-1] = (min(low, loss), max(high, loss)) if math.isfinite(loss) else (low, high)
        self.count += 1
        if len(self.pieces) == 2 * self.room and self.count % self.size == 0:
            pairs = zip(self.pieces[::2], self.pieces[1::2])
            self.pieces = [(min(a, c), max(b, d)) for (a, b), (c, d) in pairs]
            self.size *= 2

    def points(self):
        """Return (epoch, loss) points; for a piece of several epochs, its largest and its smallest loss."""
        found = []
        for i, (low, high) in enumerate(self.pieces):
            at = i * self.size + (self.size - 1) / 2
            found += [(at, low)] if low == high else [(at, high), (at, low)]
        return found


class Training:
    """A run on the scalar engine, one update at a time. losses: the names of the losses that it can use."""

    losses = LOSSES
    why = ""  # the reason if the network cannot be drawn

    def __init__(self, settings):
        self.settings = settings
        self.net = self.mlp = settings.mlp()
        self.loss = getattr(losses, settings.loss)
        self.optimizer = SGD(self.mlp.parameters(), settings.lr)
        self.epochs = self.steps = self.row = 0  # row: the next one, if each has its own update
        self.curve = Curve()
        self.known = False  # whether there has been a backward pass
        self.solved_at = None  # the epoch since which all rows are right
        self.fault = ""  # why it cannot go on
        self.measure_state()

    def step(self, by="epoch", zero_grad=True):
        """Make one update: of the loss over all four rows, or over the next row. Return the loss before it."""
        whole_epoch = by == "epoch"
        if whole_epoch:
            self.row = 0
        elif self.row == 0:
            self.measure_state()
            self.curve.add(self.total)
        try:
            loss, outputs = self.whole_pass(zero_grad) if whole_epoch else self.a_pass([self.row], zero_grad)
        except ValueError as fault:  # the loss cannot take these outputs
            self.fault = str(fault)
            return math.nan
        self.optimizer.step()
        if whole_epoch:
            self.curve.add(loss)
            self.judge(outputs)
        self.known = True
        self.steps += 1
        self.row = 0 if whole_epoch else (self.row + 1) % 4
        self.epochs += self.row == 0
        if not all(math.isfinite(p.data) for p in self.optimizer.parameters) or not math.isfinite(loss):
            self.measure_state()
        return loss

    def a_pass(self, rows, zero_grad):
        """Run a pass forward and backward over rows, through a graph; return the loss and the outputs."""
        predictions = [self.mlp(ROWS[i]) for i in rows]
        loss = self.loss(predictions, [self.settings.targets[i] for i in rows])
        if zero_grad:
            self.optimizer.zero_grad()
        loss.backward()
        return loss.data, [prediction.data for prediction in predictions]

    def whole_pass(self, zero_grad):
        """Run the same over all rows, recorded once and replayed: the engine's numbers, to the last bit."""
        loss, output = self.recorded
        numbers = [p.data for p in self.optimizer.parameters]
        outputs = [output(*numbers, *row)[0] for row in ROWS]
        return loss.backward(reset="all" if zero_grad else "intermediates"), outputs

    @functools.cached_property
    def recorded(self):
        """The loss over all rows, and the output for a row, each as a Replay."""
        parameters = self.optimizer.parameters

        def loss():
            return self.loss([self.mlp(row) for row in ROWS], self.settings.targets)

        return record(loss, parameters=parameters), record(lambda *row: self.mlp(row), *ROWS[0], parameters=parameters)

    def measure_state(self):
        """Note the current outputs and loss, and whether they are finite."""
        self.judge([self.mlp(row).data for row in ROWS])
        try:
            self.total = self.loss(self.outputs, self.settings.targets).data
        except ValueError as fault:
            self.total, self.fault = math.nan, str(fault)
        numbers = [self.total, *self.outputs, *(p.data for p in self.optimizer.parameters)]
        if not self.fault and not all(map(math.isfinite, numbers)):
            self.fault = (
                f"The run diverged: the loss is {steady(self.total)}, because numbers have grown past the largest "
                "float, 1.8e308. Use a smaller learning rate, and press Reset."
            )

    def habits(self):
        """Return the settings that the network decides itself, {name of an input: the text in its place}."""
        return {}

    def kinds(self):
        """Return the activation of each layer; [] if they are not known."""
        return [self.settings.activation] * len(self.settings.hidden) + [self.settings.output]

    def groups(self):
        """Return the parameters by layer, as (name, parameters) pairs."""
        return [(f"layer {i}", layer.parameters()) for i, layer in enumerate(self.net.layers, start=1)]

    def found(self, i):
        """Return the outputs of each layer for row `i`, the inputs first."""
        return activations(self.net, ROWS[i])

    def surface(self):
        """Return the outputs over the map, of shape (PIXELS, PIXELS), and its heading."""
        return surface(self.net), EVERYWHERE

    def shape(self):
        """Return what must be equal if a stage is to serve for another run."""
        return [(name, len(parameters)) for name, parameters in self.groups()]

    def judge(self, outputs):
        """Note which rows are right, and since when all are."""
        self.outputs, targets = outputs, self.settings.targets
        self.right = [self.settings.right(output, target) for output, target in zip(outputs, targets)]
        self.solved_at = (self.epochs if self.solved_at is None else self.solved_at) if all(self.right) else None
