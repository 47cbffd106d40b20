"""The seed lottery: one network from each of 100 seeds, all trained at once, and what becomes of them."""

import math
from dataclasses import dataclass

import ipywidgets
import numpy as np

from autograd.tensor import Tensor
from autograd.tensor_nn import LOSSES as ON_ARRAYS
from autograd.tensor_nn import Population, binary_cross_entropy
from figures.labs.trial import ACTIVATIONS, INITIALISATIONS, LOSSES, MOST, ROWS, checked, chosen, whole
from figures.labs.xor import HALF, RUNS, SPEEDS, Recorded, Trainer, Twin, hidden_values
from figures.live import Live, Runner
from figures.player import Control, Frame, close_earlier
from figures.style import number
from figures.svg import label, part, svg

SEEDS = 100
COLUMNS = 10
STILL = 0.01  # a loss that fell by less than this share of itself, over a tenth of the run, has come to rest
NEAR = 0.05  # and is on a plateau, if it is this close to it
FAR = 1e6  # a larger one has diverged
INPUTS = np.array(ROWS)

SOLVED, DEAD, MOVING, ELSEWHERE, LOST = "solved", "dead", "moving", "elsewhere", "diverged"


def lottery(
    hidden=2,
    activation="tanh",
    output="tanh",
    init="uniform",
    lr=0.1,
    loss="sum_of_squares",
    *,
    epochs=500,
    speed="100 a second",
):
    """Train the networks of seeds 0 to 99 on XOR at once, and see which solve it; a press opens one in the xor lab.

    The arguments are those of `xor`. A network is solved if its four outputs are on their targets' sides, dead if no
    parameter gets a gradient, diverged if its loss is past a million, and stuck if its loss has come to rest: near one
    of the plateaus, where two, three or four rows share an output and the others are right, or elsewhere. Networks are
    trained on arrays; the scalar engine of the xor lab rounds otherwise, and where it ends elsewhere the lab says so.

    Nothing is trained until a button is pressed. ValueError or TypeError, if an argument is none of these.
    """
    values = {
        "lr": lr,
        **hidden_values(hidden),
        "activation": activation,
        "output": output,
        "init": init,
        "loss": loss,
        "epochs": str(whole(epochs, "epochs", 1, None)),
        "speed": speed,
    }
    return WithTrainer(values)


class WithTrainer(ipywidgets.VBox):
    """The lottery, and under it the xor lab into which a press loads a seed."""

    def __init__(self, values):
        settings_of(values)  # says what is wrong before anything is made
        self.trainer = Trainer({**values, "seed": 0, "by": "epoch", "shows": "weights", "zero_grad": True})
        self.lottery = Lottery(values, self.trainer)
        super().__init__([self.lottery, self.trainer])
        close_earlier(self)

    def text(self):
        """What both labs show, in sentences."""
        return f"{self.lottery.text()}\n{self.trainer.text()}"

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.lottery.html() + self.trainer.html(), "text/plain": self.text()}

    def close(self):
        """Free both labs, and what holds them."""
        if self.comm is not None:
            self.layout.close()
        for lab in self.children:
            lab.close()
        super().close()


class Lottery(Live):
    """The lab of `lottery`, without the xor lab. trainer: where a press on a tile loads its seed."""

    def __init__(self, values, trainer=None):
        settings = settings_of(values)
        self.trainer, self.chosen = trainer, 0
        self.race = Race(settings, int(values["epochs"]))
        frame = Frame(opening(self.race), at(self.race), marks_of(self.race, self.chosen))
        super().__init__(recording_of(self.race, frame), controls=controls_of(values))
        self.values = dict(values)
        self.runner = Runner(self.step, self.draw, self.failed, SPEEDS[values["speed"]])
        self.said, self.playing = frame.say, False

    def answer(self, values, presses):
        """A change of the controls, and presses of the buttons and of the tiles."""
        presses = list(presses)
        if self.runner.running and "play" in presses:  # Pause: whatever the controls say
            presses.remove("play")
            self.pause()
            self.draw()
        settings = settings_of(values)
        if "reset" in presses or settings != self.race.settings or values["epochs"] != self.values["epochs"]:
            self.begin(settings, values)
        self.runner.rate = SPEEDS[values["speed"]]
        self.values = dict(values)
        for press in presses:
            if press.startswith("seed.") and press[5:].isdecimal() and int(press[5:]) < SEEDS:
                self.look_into(int(press[5:]))
            elif press == "play" and not self.race.done:
                self.playing = True
                self.said = f"Training {SEEDS} networks, up to epoch {self.race.goal}. Pause stops them."
                self.runner.start()
        self.draw()

    def text(self):
        """What the lab shows, in sentences."""
        seeds = (self.race.sentence(i) for i in range(SEEDS))
        return "\n".join([f"{at(self.race).capitalize()}. {self.said}", f"{in_words(self.race).capitalize()}.", *seeds])

    def begin(self, settings, values):
        """New networks, not trained."""
        self.runner.stop()
        self.playing = False
        self.race = Race(settings, int(values["epochs"]))
        self.said = opening(self.race)
        frame = Frame(self.said, at(self.race), marks_of(self.race, self.chosen))
        self.controls = controls_of(values)
        self.recording = recording_of(self.race, frame)
        self.spec = self._spec(self.recording)

    def look_into(self, seed):
        """Load a seed into the xor lab, with the settings of this one."""
        self.chosen = seed
        self.race.look()
        kept = ("lr", "hidden1", "hidden2", "activation", "output", "init", "loss", "epochs")
        if self.trainer is not None:
            twin = Twin(self.race.epochs, tuple(self.race.right[seed].tolist()))
            self.trainer.load(twin, seed=seed, **{name: self.values[name] for name in kept})
        self.said = f"{self.race.sentence(seed)} Its network is in the lab below, not trained yet: press Play there."

    def pause(self):
        """Stop."""
        self.runner.stop()
        self.playing = False
        self.race.look()
        self.said = f"Paused after {self.race.epochs} epochs: {in_words(self.race)}."

    def step(self):
        """A piece of work for the runner."""
        return self.race.step()

    def draw(self):
        """Show the networks as they are."""
        self.race.look()
        if self.playing and not self.runner.running:
            self.playing = False
            self.said = f"After {self.race.epochs} epochs: {in_words(self.race)}. Press a tile to look inside."
        controls = {"play": {"label": "Pause" if self.playing else "Play", "disabled": self.race.done}}
        self.show(marks_of(self.race, self.chosen), self.said, at(self.race), controls)

    def failed(self, fault):
        """What to show of an exception of the runner's."""
        self.playing = False
        frame = self.recording.frames[-1]
        self.show(frame.marks, frame.say, frame.at, {"play": {"label": "Play"}}, message=str(fault))


# The networks


@dataclass(frozen=True)
class Outcome:
    """What became of a network: its class, and the plateau it is stuck on."""

    kind: str
    plateau: float | None = None


class Race:
    """The networks of all seeds, trained together on arrays."""

    def __init__(self, settings, goal):
        self.settings, self.goal, self.epochs = settings, goal, 0
        self.logits = settings.loss == "binary_cross_entropy"  # its sigmoid is in the loss: no probability is ever 1
        output = "linear" if self.logits else settings.output
        self.networks = Population(
            range(SEEDS), 2, settings.sizes[1:], settings.activation, output, settings.initialisation()
        )
        self.targets = np.array(settings.targets)[:, None]
        self.plateaus = plateaus(settings)
        self.past = []  # the losses before each epoch
        self.look()

    def loss(self, outputs, targets):
        """The settings' loss."""
        if self.logits:
            return binary_cross_entropy(outputs, targets, from_logits=True)
        return ON_ARRAYS[self.settings.loss](outputs, targets)

    @property
    def done(self):
        """Whether the run is at its end."""
        return self.epochs >= self.goal

    def step(self):
        """One update of each network; returns whether there is more to do."""
        self.past.append(self.networks.step(INPUTS, self.targets, self.settings.lr, self.loss))
        self.epochs += 1
        return not self.done

    def look(self):
        """Take down losses, outputs and gradients as they are now, and what has become of each network."""
        with np.errstate(all="ignore"):
            outputs = self.networks(INPUTS)
            loss = self.loss(outputs, self.targets)
            for parameter in self.networks.parameters():
                parameter.grad = np.zeros(parameter.shape)
            loss.sum().backward()
            self.losses = loss.data
            shown = Tensor(outputs.data).sigmoid().data if self.logits else outputs.data
            self.outputs = shown[:, :, 0]
            off = np.abs(self.outputs - self.targets[:, 0])
            self.right = off < 1.0 - self.settings.border
            grads = [np.abs(p.grad).reshape(SEEDS, -1).max(axis=1) for p in self.networks.parameters()]
            largest = np.max(grads, axis=0)
            before = self.past[-max(1, self.goal // 10)] if len(self.past) >= max(1, self.goal // 10) else None
            rest = np.abs(before - self.losses) < STILL * self.losses if before is not None else np.zeros(SEEDS, bool)
        with np.errstate(invalid="ignore"):
            finite = (self.losses < FAR) & np.isfinite(self.outputs).all(axis=1)
        self.outcomes = [self.outcome(i, finite[i], largest[i] == 0, rest[i]) for i in range(SEEDS)]

    def outcome(self, i, finite, silent, rest):
        """What has become of network i."""
        if not finite:
            return Outcome(LOST)
        if self.right[i].all():
            return Outcome(SOLVED)
        if silent:
            return Outcome(DEAD)
        if not rest:
            return Outcome(MOVING)
        near = [p for p in self.plateaus if abs(self.losses[i] - p) <= NEAR * p]
        return Outcome("stuck", near[0]) if near else Outcome(ELSEWHERE)

    def sentence(self, seed):
        """What has become of a seed, in a sentence."""
        outcome, loss = self.outcomes[seed], number(float(self.losses[seed]))
        right = int(self.right[seed].sum())
        said = {
            SOLVED: "solved",
            DEAD: "dead, no parameter gets a gradient",
            MOVING: "not solved yet",
            ELSEWHERE: "stuck off the plateaus",
            LOST: "diverged",
        }.get(outcome.kind, f"stuck near {number(outcome.plateau)}")
        return f"Seed {seed}: {said}; loss {loss}, {right} of 4 rows right."


def plateaus(settings):
    """The losses at which some rows have the same output, the best one for them, and all others are right.

    Of two, three or four rows that have both targets, a share q is true; the best common output is then their mean for
    squares, and q for cross-entropy. Largest first; none for the hinge loss.
    """
    if settings.loss == "hinge":
        return []
    shares = ((4, 0.5), (3, 1 / 3), (2, 0.5))  # rows together, and the smaller share of them
    if settings.loss == "binary_cross_entropy":
        return [n / 4 * -(q * math.log(q) + (1 - q) * math.log(1 - q)) for n, q in shares]
    scale = {"sum_of_squares": 1.0, "mean_squares": 0.25, "half_squares": 0.5}[settings.loss]
    return [scale * n * q * (1 - q) for n, q in shares]


def classes(settings):
    """All outcomes that these settings may have, each with its name."""
    stuck = [(Outcome("stuck", p), f"stuck near {number(p)}") for p in plateaus(settings)]
    return [
        (Outcome(SOLVED), "solved"),
        *stuck,
        (Outcome(ELSEWHERE), "stuck elsewhere"),
        (Outcome(DEAD), "dead: no gradient"),
        (Outcome(LOST), "diverged"),
        (Outcome(MOVING), "still learning"),
    ]


def counts(race):
    """How many networks came to each outcome."""
    return {outcome: race.outcomes.count(outcome) for outcome, _ in classes(race.settings)}


# Settings and controls


def settings_of(values):
    """Settings from the values of the controls; ValueError or TypeError, with a sentence, if one is wrong."""
    chosen(values["speed"], SPEEDS, "speed")
    if not str(values["epochs"]).isdecimal() or not int(values["epochs"]):
        raise ValueError(f"epochs is a whole number of at least 1, got {values['epochs']!r}.")
    names = ("activation", "output", "init", "loss", "lr")
    hidden = [values["hidden1"], values["hidden2"]]
    return checked(hidden, seed=0, **{name: values[name] for name in names})


def controls_of(values):
    """The controls, with these values."""

    def choice(name, title, options):
        return Control("choice", name, title, values[name], options=tuple(options))

    def size(name, title):
        return Control("range", name, title, values[name], min=0, max=MOST, step=1, whole=True)

    return [
        Control("button", "play", "Play"),
        Control("button", "reset", "Reset"),
        Control("range", "lr", "learning rate", values["lr"], min=-3, max=1, step=0.05, log=True),
        choice("loss", "loss", LOSSES),
        size("hidden1", "hidden 1"),
        size("hidden2", "hidden 2"),
        choice("activation", "activation", ACTIVATIONS),
        choice("output", "output", ACTIVATIONS),
        choice("init", "init", INITIALISATIONS),
        choice("epochs", "epochs", sorted({*RUNS, values["epochs"]}, key=int)),
        choice("speed", "speed", SPEEDS),
    ]


# Sentences


def opening(race):
    """The sentence before the first step."""
    shape = "-".join(map(str, race.settings.sizes))
    alike = " All have the same start." if race.settings.init == HALF else ""
    return (
        f"{SEEDS} networks of shape {shape}, alike but for the seed of their first weights; none is trained yet: "
        f"{in_words(race)}.{alike} Press Play."
    )


def in_words(race):
    """How many networks came to each outcome, in words."""
    names = {outcome: name.split(":")[0] for outcome, name in classes(race.settings)}
    return ", ".join(f"{count} {names[outcome]}" for outcome, count in counts(race).items() if count)


def at(race):
    """The counter."""
    return f"epoch {race.epochs} of {race.goal}"


# The picture

WIDE, TALL, GAP = 46, 38, 5
CHECK, CROSS, WAVE = "M-5,0l4,4l7,-8", "M-4,-4l8,8m0,-8l-8,8", "M-6,1q3,-5 6,0t6,0"
ICONS = {SOLVED: CHECK, DEAD: CROSS, LOST: WAVE}


def state_of(outcome, known):
    """The state of a tile: the class, and of the plateaus the first, second or third."""
    if outcome.kind != "stuck":
        return outcome.kind
    return f"stuck{known.index(outcome.plateau)}"


def short(outcome):
    """What stands in a tile in place of an icon."""
    if outcome.kind == "stuck":
        return f"{outcome.plateau:.2f}"
    return {MOVING: "…", ELSEWHERE: "?"}.get(outcome.kind, "")


def marks_of(race, chosen_seed):
    """The marks of everything that changes."""
    marks, worst = {}, race.plateaus[0] if race.plateaus else 1.0
    for i, outcome in enumerate(race.outcomes):
        loss = float(race.losses[i])
        share = min(1.0, max(0.0, 1.0 - loss / worst)) if math.isfinite(loss) else 0.0
        state = state_of(outcome, race.plateaus)
        marks[f"s{i}"] = {
            "state": state,
            "aria-label": race.sentence(i).rstrip("."),
            "aria-pressed": str(i == chosen_seed).lower(),
        }
        marks[f"s{i}.fill"] = {"y": f"{TALL * (1 - share):.1f}", "height": f"{TALL * share:.1f}"}
        marks[f"s{i}.icon"] = {"d": ICONS.get(outcome.kind, "M0,0")}
        marks[f"s{i}.t"] = {"text": short(outcome)}
    found = counts(race)
    for i, (outcome, _) in enumerate(classes(race.settings)):
        marks[f"c{i}"] = {"width": f"{RULER * found[outcome] / SEEDS:.1f}"}
        marks[f"c{i}.n"] = {"text": str(found[outcome])}
    marks["done"] = {"width": f"{(WIDE * COLUMNS + GAP * 9) * race.epochs / race.goal:.1f}"}
    return marks


def recording_of(race, frame):
    """The Recording of these networks."""
    settings = race.settings
    return Recorded(
        f"Seed lottery: {SEEDS} networks learn XOR",
        [frame],
        lambda marks: "".join(panel for _, _, panel in panels(settings, marks)),
        f"{SEEDS} tiles, one for each seed, filled as far as its network has got rid of its loss; and how many "
        "networks solved XOR, got stuck on each plateau, or are dead.",
        panels=lambda marks: panels(settings, marks),
    )


def panels(settings, marks):
    """The two drawings of the stage, each with where it stands in a still picture."""
    return [(0, 0, tiles_svg(settings, marks)), (534, 0, counts_svg(settings, marks))]


def icon(state, d, text=""):
    """An icon for the counts, like those of the tiles."""
    return (
        f'<g class="seed" data-state="{state}"><rect class="tile" x="0" y="-15" width="40" height="22" rx="4"/>'
        f'<rect class="fill" x="0" y="-15" width="40" height="22" rx="4"/>'
        f'<path class="icon" transform="translate(20 -4)" d="{d}"/>'
        f'<text class="outcome" x="20" y="0">{text}</text></g>'
    )


def tiles_svg(settings, marks):
    """The tiles, ten a row, each to be pressed."""
    parts = []
    for i in range(SEEDS):
        x, y = 4 + (i % COLUMNS) * (WIDE + GAP), 14 + (i // COLUMNS) * (TALL + GAP)
        inside = "".join(
            [
                f'<rect class="tile" width="{WIDE}" height="{TALL}" rx="4"/>',
                part("rect", f"s{i}.fill", marks, class_="fill", width=WIDE, rx=4),
                label(i, 5, 14, "caption start"),
                f'<g transform="translate({WIDE / 2 + 4} 25)">{part("path", f"s{i}.icon", marks, class_="icon")}</g>',
                part("text", f"s{i}.t", marks, class_="outcome", x=WIDE / 2 + 4, y=29),
            ]
        )
        parts.append(
            part("g", f"s{i}", marks, inside, class_="seed", transform=f"translate({x} {y})", role="button",
                 tabindex=0 if i == 0 else -1, data_press=f"seed.{i}", data_lm_suppress_shortcuts="true")
        )  # fmt: skip
    parts.append(f'<rect class="track" x="4" y="4" width="{WIDE * COLUMNS + GAP * 9}" height="4" rx="2"/>')
    parts.append(part("rect", "done", marks, class_="done", x=4, y=4, height=4, rx=2))
    drawing = svg(4 + COLUMNS * (WIDE + GAP), 14 + 10 * (TALL + GAP), *parts)
    name = "The networks of seeds 0 to 99; arrows go from one to another"
    return drawing.replace("<svg", f'<svg role="group" aria-label="{name}" data-columns="{COLUMNS}"', 1)


RULER = 150


def counts_svg(settings, marks):
    """How many networks came to each outcome."""
    parts = [label("Outcomes", 4, 20, "heading start")]
    known = plateaus(settings)
    for i, (outcome, name) in enumerate(classes(settings)):
        y = 52 + 34 * i
        look = icon(state_of(outcome, known), ICONS.get(outcome.kind, "M0,0"), short(outcome))
        parts.append(f'<g transform="translate(4 {y})">{look}</g>')
        parts.append(label(name, 54, y, "start"))
        parts.append(part("text", f"c{i}.n", marks, class_="count end", x=220, y=y))
        state = state_of(outcome, known)
        parts.append(part("rect", f"c{i}", marks, class_="tally", data_state=state, x=230, y=y - 12, height=14))
    y = 52 + 34 * len(classes(settings)) + 4
    worst = known[0] if known else 1.0
    for i, text in enumerate(
        [
            f"A tile is empty at a loss of {number(worst)} or more,",
            "and full at 0. Press one to train that seed below.",
        ]
        + (
            [
                "Plateaus: some rows share one output, their mean,",
                "and the others are right.",
            ]
            if known
            else []
        )
    ):
        parts.append(label(text, 4, y + 19 * i, "caption start"))
    return svg(390, 444, *parts).replace(
        "<svg", '<svg role="img" aria-label="How many networks came to each outcome"', 1
    )
