"""`Session`: a live lab that trains while it is looked at, with a button to play and to pause."""

from figures.player import Player
from figures.runner import Runner
from figures.training.settings import SPEEDS


class Session(Player):
    """A Player whose picture changes while it trains.

    A lab derives from it and writes `stage(values)`, its Recording and its controls before the first step; `step()`, a
    piece of work, which returns whether there is more; and `draw()`, which shows what stands.
    """

    live = True
    said = ""  # the sentence under the controls

    def __init__(self, values):
        recording, controls = self.stage(values)
        super().__init__(recording, controls=controls)
        self.values = dict(values)
        self.runner = Runner(self.step, self.draw, self.failed, SPEEDS[values["speed"]])

    def restage(self, values):
        """Show another stage, before its first step."""
        recording, self.controls = self.stage(values)
        self.load(recording)

    def failed(self, fault):
        """What to show of an exception of the runner's."""
        self.stopped()
        frame = self.recording.frames[-1]
        self.show(frame.marks, frame.say, frame.at, {"play": {"label": "Play"}}, message=str(fault))
