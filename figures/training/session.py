"""`Session`: a live lab that trains while it is looked at, with a button to play and to pause."""

from figures.page.player import Player
from figures.page.runner import Runner
from figures.training.settings import SPEEDS

BUTTONS = {"play": "Play", "step": "Step", "reset": "Reset"}  # of a lab that trains


class Session(Player):
    """A Player whose picture changes while it trains.

    A lab derives from it and writes `stage(values)`, its Recording and its controls before the first step; `step()`, a
    piece of work, which returns whether there is more; `pause()`; and `draw()`, which shows what stands.
    """

    live = True
    said = ""  # the sentence under the controls
    playing = False  # as the page shows it: the runner may have come to its end since

    def __init__(self, values):
        recording, controls = self.set_up(values)
        super().__init__(recording, controls=controls)
        self.values = dict(values)
        self.runner = Runner(self.step, self.draw, self.failed, SPEEDS[values.get("speed", "full speed")])

    def set_up_again(self, values, moved=()):
        """Show another stage, before its first step.

        moved: {name: value} of controls that the learner did not set: they go there before its sentence is said. One
        that the learner set is not among them: on the page it may have been set once more since.
        """
        if moved:
            frame = self.recording.frames[-1]
            self.show({}, frame.say, frame.at, {name: {"value": value} for name, value in moved.items()})
        recording, self.controls = self.set_up(values)
        self.load(recording)

    def paused_by(self, presses):
        """The presses that are left once a lab that runs has been paused by one of them.

        That one comes first, whatever the controls say: a value that is refused must not keep the lab from pausing.
        """
        presses = list(presses)
        if self.runner.running and "play" in presses:
            presses.remove("play")
            self.pause()
            self.draw()
        return presses

    def ended(self):
        """Whether a run that the page shows as playing has come to its end; from then on it is not playing."""
        over = self.playing and not self.runner.running
        if over:
            self.playing = False
        return over

    def stopped(self):
        """The run has ended."""
        self.playing = False

    def failed(self, fault):
        """What to show of an exception of the runner's."""
        self.stopped()
        frame = self.recording.frames[-1]
        self.show(frame.marks, frame.say, frame.at, {"play": {"label": "Play"}}, message=str(fault))


class Trained(Session):
    """A Session of a network or several, with the buttons Play, Step and Reset.

    A lab has `inputs`, and `going`, what is said of a run to a goal. It writes, beside what a Session asks for:
    `begin(values)`, which makes other networks; `take(values)`, what inputs change at once; `next_goal()`; `look()`,
    which makes ready what is shown; `marks()`; `at()`, the counter; and `standing(begin)`, a sentence.
    """

    goal = 0  # where a run of Play ends
    fault = ""  # why it can go no further

    def answer(self, values, presses):
        """A change of the controls, and presses of the buttons."""
        presses, given = self.paused_by(presses), self.inputs.checked(values)
        values = self.usual(given)
        moved = {name: value for name, value in values.items() if value != given[name]}
        if "reset" in presses or self.other(values):
            self.runner.stop()
            self.playing = False
            self.begin(values)
            self.values = dict(values)
            self.set_up_again(values, moved)
        self.take(values)
        self.values = dict(values)
        for press in presses if not self.fault else ():
            if press == "step":
                self.pause()
                self.step()
                self.look()
                self.said = self.stepped()
            elif press == "play":
                self.play()
        self.draw(moved)

    def usual(self, values):
        """The values, with those of others that come along with a change."""
        return values

    def other(self, values):
        """Whether these values make other networks."""
        return any(values[name] != self.values[name] for name in values.keys() - {"lr", "speed"})

    def stepped(self):
        """A sentence about a step."""
        return self.standing("After")

    def look(self):
        """Make ready what is shown."""

    def play(self):
        """Run on, to the next goal."""
        self.goal = max(self.goal, self.next_goal())
        self.playing = True
        self.said = self.going.format(self.goal)
        self.runner.start()

    def pause(self):
        """Stop, if it runs."""
        if self.runner.running:
            self.runner.stop()
            self.look()
            self.said = self.standing("Paused after")
        self.playing = False

    def draw(self, moved=()):
        """Show the networks as they are. moved: {name: value} of the controls that it was not the learner who set."""
        if self.ended():
            self.said = self.standing("After")
        controls = {name: {"value": value} for name, value in dict(moved).items()}
        controls["play"] = {"label": "Pause" if self.playing else "Play", "disabled": bool(self.fault)}
        controls["step"] = {"disabled": bool(self.fault)}
        self.show(self.marks(), self.said, self.at(), controls, self.fault)


def with_rate(values, before, rates):
    """The values, with the usual learning rate of another optimizer if that of the one before was at its own."""
    same = values["lr"] == before["lr"] == rates[before["optimizer"]]
    return {**values, "lr": rates[values["optimizer"]]} if same else values
