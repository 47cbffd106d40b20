"""`Session`: a live lab that trains while the learner watches, with a button to play and to pause."""

from figures.page.player import Player
from figures.page.runner import Runner
from figures.training.settings import SPEEDS

BUTTONS = {"play": "Play", "step": "Step", "reset": "Reset"}  # of a lab that trains


class Session(Player):
    """A Player whose picture changes while it trains.

    A lab derives from it and writes `set_up(values)`, its Recording and its controls before the first step; `step()`, a
    piece of work, which returns whether there is more; `pause()`; and `draw()`, which shows the current state.
    """

    live = True
    said = ""  # the sentence under the controls
    playing = False  # as the page shows it: the runner may have ended since

    def __init__(self, values):
        recording, controls = self.set_up(values)
        super().__init__(recording, controls=controls)
        self.values = dict(values)
        self.runner = Runner(self.step, self.draw, self.failed, SPEEDS[values.get("speed", "full speed")])

    def set_up_again(self, values, moved=()):
        """Show another stage, before its first step.

        moved: {name: value} of controls that the learner did not set: the page gets them before the new stage. A
        control that the learner set is not among them, because the learner may have set it again since.
        """
        if moved:
            frame = self.recording.frames[-1]
            self.show({}, frame.say, frame.at, {name: {"value": value} for name, value in moved.items()})
        recording, self.controls = self.set_up(values)
        self.load(recording)

    def paused_by(self, presses):
        """Return the presses that are left once one of them has paused a running lab.

        That one comes first, whatever the controls say: a value that is refused must not keep the lab from pausing.
        """
        presses = list(presses)
        if self.runner.running and "play" in presses:
            presses.remove("play")
            self.pause()
            self.draw()
        return presses

    def ended(self):
        """Return whether a run that the page shows as playing has ended; if so, note that it is not playing."""
        over = self.playing and not self.runner.running
        if over:
            self.playing = False
        return over

    def stopped(self):
        self.playing = False

    def failed(self, fault):
        self.stopped()
        frame = self.recording.frames[-1]
        self.show(frame.updates, frame.say, frame.at, {"play": {"label": "Play"}}, message=str(fault))


class Trained(Session):
    """A Session of a network or several, with the buttons Play, Step and Reset.

    A lab has `inputs`, and `going`, the sentence for a run to a goal. Besides what a Session asks for, it writes
    `begin(values)`, which makes other networks; `apply_controls(values)`, which applies inputs at once; `next_goal()`;
    `prepare_view()`; `updates()`; `format_progress()`, the counter; and `standing(begin)`, a sentence.
    """

    goal = 0  # the end of a run of Play
    fault = ""  # the reason if it can go no further

    def answer(self, values, presses):
        """Handle changes of the controls, and presses of the buttons."""
        presses, given = self.paused_by(presses), self.inputs.checked(values)
        values = self.usual(given)
        moved = {name: value for name, value in values.items() if value != given[name]}
        if "reset" in presses or self.other(values):
            self.runner.stop()
            self.playing = False
            self.begin(values)
            self.values = dict(values)
            self.set_up_again(values, moved)
        self.apply_controls(values)
        self.values = dict(values)
        for press in presses if not self.fault else ():
            if press == "step":
                self.pause()
                self.step()
                self.prepare_view()
                self.said = self.stepped()
            elif press == "play":
                self.play()
        self.draw(moved)

    def usual(self, values):
        """Return the values, with those of other inputs that come along with a change."""
        return values

    def other(self, values):
        """Return whether these values make other networks."""
        return any(values[name] != self.values[name] for name in values.keys() - {"lr", "speed"})

    def stepped(self):
        return self.standing("After")

    def prepare_view(self):
        """Prepare what is shown."""

    def play(self):
        """Run on, to the next goal."""
        self.goal = max(self.goal, self.next_goal())
        self.playing = True
        self.said = self.going.format(self.goal)
        self.runner.start()

    def pause(self):
        if self.runner.running:
            self.runner.stop()
            self.prepare_view()
            self.said = self.standing("Paused after")
        self.playing = False

    def draw(self, moved=()):
        """Show the networks' current state. moved: {name: value} of the controls that the learner did not set."""
        if self.ended():
            self.said = self.standing("After")
        controls = {name: {"value": value} for name, value in dict(moved).items()}
        controls["play"] = {"label": "Pause" if self.playing else "Play", "disabled": bool(self.fault)}
        controls["step"] = {"disabled": bool(self.fault)}
        self.show(self.updates(), self.said, self.format_progress(), controls, self.fault)


def with_rate(values, before, rates):
    """Return the values, with the usual learning rate of a new optimizer if the old one had its own usual rate."""
    same = values["lr"] == before["lr"] == rates[before["optimizer"]]
    return {**values, "lr": rates[values["optimizer"]]} if same else values
