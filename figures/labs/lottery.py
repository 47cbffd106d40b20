"""The seed lottery: one network from each of 100 seeds, all trained at once, and their outcomes."""

import functools
import math

from figures.page.frame_recorder import FrameTemplate
from figures.page.panels import Panels
from figures.page.picture import labelled
from figures.page.player import Frame, buttons
from figures.page.style import number
from figures.page.svg import label, svg
from figures.training import settings as shared
from figures.training.seeds import DEAD, ELSEWHERE, LOST, MOVING, SEEDS, SOLVED, Race, Twin, classes, counts, plateaus
from figures.training.session import Session
from figures.training.settings import HALF, SPEEDS

COLUMNS = 10
INPUTS = ("lr", "loss", "hidden1", "hidden2", "activation", "output", "init", "epochs", "speed")
WIDEST_TEXT = (  # as long as the longest sentence
    "After 20000 epochs: 12 solved, 12 stuck near 0.0000, 12 stuck near 0.0000, 12 stuck near 0.0000, 12 stuck "
    "elsewhere, 12 dead, 12 diverged, 12 still learning. Press a tile to look inside."
)


class Lottery(Session):
    """The lab of `lottery`, without the xor lab. trainer: the lab that loads the seed of a pressed tile."""

    chosen = 0

    def __init__(self, values, trainer=None):
        self.trainer = trainer
        self.race = Race(settings_of(values), int(values["epochs"]))
        super().__init__(values)

    def set_up(self, values):
        stage, self.said = FrameTemplate(draw), opening(self.race)
        recording = Panels(
            f"Seed lottery: {SEEDS} networks learn XOR",
            [Frame(self.said, format_progress(self.race), stage.updates(self.race, self.chosen))],
            stage,
            f"{SEEDS} tiles, one for each seed, each filled as far as its network's loss has fallen; and how many "
            "networks solved XOR, got stuck on each plateau, or are dead.",
            room=WIDEST_TEXT,
            places=((0, 0), (534, 0)),
        )
        return recording, [
            *buttons({"play": "Play", "reset": "Reset"}),
            *shared.controls({name: values[name] for name in INPUTS}).values(),
        ]

    def answer(self, values, presses):
        """Handle changes of the controls, and presses of the buttons and of the tiles."""
        presses, settings = self.paused_by(presses), settings_of(values)
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

    def render_text(self):
        seeds = (self.race.sentence(i) for i in range(SEEDS))
        return "\n".join(
            [f"{format_progress(self.race).capitalize()}. {self.said}", f"{in_words(self.race).capitalize()}.", *seeds]
        )

    def begin(self, settings, values):
        self.runner.stop()
        self.playing = False
        self.race = Race(settings, int(values["epochs"]))
        self.set_up_again(values)

    def look_into(self, seed):
        """Load a seed into the xor lab, with the settings of this one."""
        self.chosen = seed
        self.race.measure_state()
        kept = ("lr", "hidden1", "hidden2", "activation", "output", "init", "loss", "epochs")
        if self.trainer is not None:
            twin = Twin(self.race.epochs, tuple(self.race.right[seed].tolist()))
            self.trainer.begin_with(twin, seed=seed, **{name: self.values[name] for name in kept})
        self.said = f"{self.race.sentence(seed)} Its network is in the lab below, not trained yet: press Play there."

    def pause(self):
        self.runner.stop()
        self.playing = False
        self.race.measure_state()
        self.said = f"Paused after {self.race.epochs} epochs: {in_words(self.race)}."

    def step(self):
        return self.race.step()

    def draw(self):
        self.race.measure_state()
        if self.ended():
            self.said = f"After {self.race.epochs} epochs: {in_words(self.race)}. Press a tile to look inside."
        controls = {"play": {"label": "Pause" if self.playing else "Play", "disabled": self.race.done}}
        self.show(
            self.recording.render.updates(self.race, self.chosen), self.said, format_progress(self.race), controls
        )


def settings_of(values):
    return shared.settings_of({**values, "seed": 0})


# Sentences


def opening(race):
    shape = "-".join(map(str, race.settings.sizes))
    alike = " All have the same start." if race.settings.init == HALF else ""
    return (
        f"{SEEDS} networks of shape {shape}, identical except for the seed of their first weights; none is "
        "trained yet: "
        f"{in_words(race)}.{alike} Press Play."
    )


def in_words(race):
    names = {outcome: name.split(":")[0] for outcome, name in classes(race.settings)}
    return ", ".join(f"{count} {names[outcome]}" for outcome, count in counts(race).items() if count)


def format_progress(race):
    return f"epoch {race.epochs} of {race.goal}"


# The stage

WIDE, TALL, GAP = 46, 38, 5
CHECK, CROSS, WAVE = "M-5,0l4,4l7,-8", "M-4,-4l8,8m0,-8l-8,8", "M-6,1q3,-5 6,0t6,0"
ICONS = {SOLVED: CHECK, DEAD: CROSS, LOST: WAVE}


def state_of(outcome, known):
    """Return the state of a tile: its outcome, and for a plateau which one."""
    if outcome.kind != "stuck":
        return outcome.kind
    return f"stuck{known.index(outcome.plateau)}"


def short(outcome):
    if outcome.kind == "stuck":
        return f"{outcome.plateau:.2f}"
    return {MOVING: "…", ELSEWHERE: "?"}.get(outcome.kind, "")


def draw(pen, race, chosen):
    return tiles(pen, race, chosen) + tallies(pen, race)


def tiles(pen, race, chosen):
    """Draw the tiles as buttons, ten per row, and above them how much of the run is done."""
    width = WIDE * COLUMNS + GAP * 9
    parts = [tile(pen, race, i, i == chosen) for i in range(SEEDS)]
    parts.append(f'<rect class="track" x="4" y="4" width="{width}" height="4" rx="2"/>')
    parts.append(
        pen("rect", "done", "done", at={"x": 4, "y": 4, "height": 4, "rx": 2}, width=width * race.epochs / race.goal)
    )
    drawing = svg(4 + COLUMNS * (WIDE + GAP), 14 + 10 * (TALL + GAP), *parts)
    table = drawing.replace("<svg", f'<svg data-columns="{COLUMNS}"', 1)
    return labelled(table, "The networks of seeds 0 to 99; arrow keys move from one to another", "group")


def tile(pen, race, i, pressed):
    """Draw the tile of a seed: the lower its network's loss, the fuller."""
    outcome, loss, worst = race.outcomes[i], float(race.losses[i]), race.plateaus[0] if race.plateaus else 1.0
    share = min(1.0, max(0.0, 1.0 - loss / worst)) if math.isfinite(loss) else 0.0
    size = {"y": TALL * (1 - share), "height": TALL * share}
    icon = pen("path", f"s{i}.icon", "icon", d=ICONS.get(outcome.kind, "M0,0"))
    inside = (
        f'<rect class="tile" width="{WIDE}" height="{TALL}" rx="4"/>'
        + pen("rect", f"s{i}.fill", "fill", at={"width": WIDE, "rx": 4}, **size)
        + f'<text class="caption start" x="5" y="14">{i}</text>'
        + f'<g transform="translate({WIDE / 2 + 4} 25)">{icon}</g>'
        + pen("text", f"s{i}.t", "outcome", text=short(outcome), at={"x": WIDE / 2 + 4, "y": 29})
    )
    x, y = 4 + (i % COLUMNS) * (WIDE + GAP), 14 + (i // COLUMNS) * (TALL + GAP)
    at = {"transform": f"translate({x} {y})", "role": "button", "tabindex": 0 if i == 0 else -1}
    at |= {"data-press": f"seed.{i}", "data-lm-suppress-shortcuts": "true"}
    named = {"aria_label": race.sentence(i).rstrip("."), "aria_pressed": str(pressed).lower()}
    return pen("g", f"s{i}", "seed", inside, at=at, state=state_of(outcome, race.plateaus), **named)


RULER = 150


def tallies(pen, race):
    parts, found = [], counts(race)
    for i, (outcome, _) in enumerate(classes(race.settings)):
        y, at = 52 + 34 * i, {"data-state": state_of(outcome, race.plateaus), "x": 230, "height": 14}
        parts.append(pen("text", f"c{i}.n", "count end", text=found[outcome], at={"x": 220, "y": y}))
        parts.append(pen("rect", f"c{i}", "tally", at=at | {"y": y - 12}, width=RULER * found[outcome] / SEEDS))
    drawing = svg(390, 444, beside_tallies(race.settings), *parts)
    return labelled(drawing, "How many networks ended in each outcome")


@functools.cache
def beside_tallies(settings):
    """Draw the names of the outcomes, each with its icon, and what a tile and a plateau are."""
    parts, known = [label("Outcomes", 4, 20, "heading start")], plateaus(settings)
    for i, (outcome, name) in enumerate(classes(settings)):
        y = 52 + 34 * i
        parts.append(
            f'<g class="seed" data-state="{state_of(outcome, known)}" transform="translate(4 {y})">'
            '<rect class="tile" x="0" y="-15" width="40" height="22" rx="4"/>'
            '<rect class="fill" x="0" y="-15" width="40" height="22" rx="4"/>'
            f'<path class="icon" transform="translate(20 -4)" d="{ICONS.get(outcome.kind, "M0,0")}"/>'
            f'<text class="outcome" x="20" y="0">{short(outcome)}</text></g>'
        )
        parts.append(label(name, 54, y, "start"))
    lines = [
        f"A tile is empty at a loss of {number(known[0] if known else 1.0)} or more,",
        "and full at 0. Press one to train that seed below.",
    ]
    if known:
        lines += ["Plateaus: some rows share one output, their mean,", "and the others are right."]
    y = 52 + 34 * len(classes(settings)) + 4
    return "".join([*parts, *(label(text, 4, y + 19 * i, "caption start") for i, text in enumerate(lines))])
