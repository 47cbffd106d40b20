"""`Session`: a live lab that trains while it is looked at, with a button to play and to pause."""

from figures.page.player import Player
from figures.page.runner import Runner
from figures.training.settings import SPEEDS


class Session(Player):
    """A Player whose picture changes while it trains.

    A lab derives from it and writes `stage(values)`, its Recording and its controls before the first step; `step()`, a
    piece of work, which returns whether there is more; `pause()`; and `draw()`, which shows what stands.
    """

    live = True
    said = ""  # the sentence under the controls
    playing = False  # as the page shows it: the runner may have come to its end since

    def __init__(self, values):
        recording, controls = self.stage(values)
        super().__init__(recording, controls=controls)
        self.values = dict(values)
        self.runner = Runner(self.step, self.draw, self.failed, SPEEDS[values.get("speed", "full speed")])

    def restage(self, values, moved=()):
        """Show another stage, before its first step.

        moved: {name: value} of controls that the learner did not set: they go there before its sentence is said. One
        that the learner set is not among them: on the page it may have been set once more since.
        """
        if moved:
            frame = self.recording.frames[-1]
            self.show({}, frame.say, frame.at, {name: {"value": value} for name, value in moved.items()})
        recording, self.controls = self.stage(values)
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
