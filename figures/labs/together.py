"""Two labs in one output: the seed lottery, and under it the xor lab into which a press loads a seed."""

import ipywidgets

from figures.labs.lottery import Lottery, settings_of
from figures.labs.xor import Trainer
from figures.page.hosts import Paged
from figures.page.player import close_earlier
from figures.training.settings import hidden_values


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
    of the plateaus, where two, three or four rows share an output and the others are right, or elsewhere. The lottery
    trains on arrays; the scalar engine of the xor lab rounds differently, and if it ends differently the lab says so.

    Nothing is trained until the learner presses a button. Raise ValueError or TypeError if an argument is invalid.
    """
    asked = {"lr": lr, "loss": loss, **hidden_values(hidden), "activation": activation, "output": output, "init": init}
    return WithTrainer({**asked, "epochs": epochs, "speed": speed})


class WithTrainer(Paged, ipywidgets.VBox):
    """The lottery, and under it the xor lab into which a press loads a seed."""

    def __init__(self, values):
        settings_of(values)  # says what is wrong before anything is made
        self.trainer = Trainer({**values, "seed": 0, "by": "epoch", "shows": "weights", "zero_grad": True})
        self.lottery = Lottery(values, self.trainer)
        super().__init__([self.lottery, self.trainer])
        close_earlier(self)

    def render_text(self):
        return f"{self.lottery.render_text()}\n{self.trainer.render_text()}"

    def html(self):
        return self.lottery.html(self.trainer)

    def close(self):
        if self.comm is not None:
            self.layout.close()
        for lab in self.children:
            lab.close()
        super().close()
