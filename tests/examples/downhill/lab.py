"""The downhill lab: gradient descent on x², step by step."""

from autograd import Value
from autograd.errors.messages import show
from figures.graph.stage import readings
from figures.page import svg
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, above_zero, bounded
from figures.page.picture import labelled
from figures.page.player import Frame, Player, Recording

STEPS = 20
X, Y = svg.Scale(-3, 3, 40, 318), svg.Scale(0, 9, 262, 52)
CURVE = svg.within([(i / 24, (i / 24) ** 2) for i in range(-72, 73)], X, Y)

INPUTS = Inputs(bounded("start", -3, 3, 0.1), above_zero("lr", (-3, 1), "learning rate"))


def downhill(start=2.5, *, lr=0.1):
    """Twenty steps of gradient descent on x². start: the first x, from -3 to 3. lr: the learning rate, above 0."""
    return Player(controls=INPUTS.controls(start=start, lr=lr), record=record)


@INPUTS.check
def record(start, lr):
    """The Recording: a frame for each x."""
    stage, x, frames = FrameTemplate(draw), Value(start), []
    for step in range(STEPS + 1):
        (x**2).backward()
        said = f"At x = {show(x.data)} the slope is {show(x.grad)}: the next step is {show(-lr * x.grad)}."
        frames.append(Frame(said, f"Step {step} of {STEPS}", stage.updates(x)))
        x = Value(x.data - lr * x.grad)
    return Recording(f"Descent on x², learning rate {show(lr)}", frames, stage, "A point on a parabola goes downhill.")


def draw(pen, x):
    """The parabola, and where x is on it, for one frame."""
    y, seen = x.data**2, Y.low <= x.data**2 <= Y.high
    parts = (
        svg.axes(X, Y, "x", "x²"),
        f'<path class="line s0" d="{CURVE}"/>',
        pen("path", "now", "guide", d=f"M{X(x.data):.1f},{Y(y):.1f}V{Y.start}"),
        pen("circle", "here", "dot s1", cx=X(x.data), cy=Y(y), r=5 if seen else 0),
    )
    cells = (("x", "x", show(x.data), True), ("slope", "slope 2x", show(x.grad), False))
    return labelled(svg.svg(338, 306, *parts), "x² with a point at x.") + readings(pen, cells)
