"""The pictures of the border lab: the plane with its areas and points, and the charts next to it."""

import functools

import numpy as np

from figures.charts import contours, loss_chart
from figures.page.inputs import Input
from figures.page.picture import labelled
from figures.page.player import Control
from figures.page.svg import Scale, label, line, rungs, svg
from figures.training.borders import NEW


def chosen(name, title, options, check):
    """Return an input chosen from a list, to which the lab adds a learner's own value."""
    return Input(Control("choice", name, title, options=options), check)


def best_of(run):
    """Return the caption that says when the most new points were right."""
    return "new points at best: {} after epoch {}".format(*run.best)


def format_progress(run, goal):
    """Return the text of the counter."""
    return f"epoch {run.epochs} of {goal}"


# The map

SIDE, LEFT, TOP = 392, 28, 26  # of the map within its drawing
MAP = (428, 500)  # the size of the drawing
GRID = 72  # points per side of the map at which the network is evaluated


def draw(pen, run, goal):
    """Draw both drawings: the map, and next to it the loss and the shares of points that are right."""
    return f'<div class="bp-panels">{plane(pen, run)}{charts(pen, run, goal)}</div>'


def scales(task):
    across, up = task.reach
    return Scale(*across, LEFT, LEFT + SIDE), Scale(*up, TOP + SIDE, TOP)


def plane(pen, run):
    """Draw the side taken for the upper class, the network's border, the points, and crosses on the wrong ones."""
    task = run.settings.task
    x, y = scales(task)
    side, edge = areas(run, x, y)
    heading = "Shaded: the network says inside" if task.radius else "Shaded: the network's output is above 0"
    drawing = svg(
        *MAP,
        label(heading, LEFT, 16, "heading start"),
        f'<rect class="map-paper" x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}"/>',
        pen("path", "side", "map-side", d=side),
        under_points(task),
        points_of(run.settings),
        pen("path", "edge", "line curve", d=edge),
        pen("path", "new.wrong", "cross new", d=crosses(run.new_points[run.new_wrong], 3, x, y)),
        pen("path", "points.wrong", "cross", d=crosses(run.points[run.wrong], 6, x, y)),
        key_of_map(task),
    )
    return labelled(drawing, "The plane of the inputs: the border that the network draws, and the points")


def areas(run, x, y):
    border, (across, up) = run.settings.task.border, run.settings.task.reach
    xs, ys = np.linspace(*across, GRID), np.linspace(*up, GRID)
    outputs = np.ma.masked_invalid(run.outputs(xs, ys))
    side = contours.bands(xs, ys, outputs, [border, np.inf], x, y)[0]
    lines = contours.lines(xs, ys, outputs).lines(border)
    return side or "M0,0", "".join(line(part.tolist(), x, y) for part in lines) or "M0,0"


@functools.lru_cache(maxsize=16)
def points_of(settings):
    """Draw the points of a run: its own filled, the new ones small and hollow; triangles are the lower class."""
    points, targets, new, of_new = settings.data()
    parts, (x, y) = [], scales(settings.task)
    for kind, r, chosen, their in (("new", 2.6, new, of_new), ("dot", 4.5, points, targets)):
        for series, shape, upper in (("s0", circle, True), ("s1", triangle, False)):
            found = chosen[(their > settings.task.border) == upper].tolist()
            parts.append(f'<path class="{kind} {series}" d="{"".join(shape(x(a), y(b), r) for a, b in found)}"/>')
    return "".join(parts)


def circle(x, y, r):
    """Return the `d` of a circle."""
    return f"M{x - r:.1f},{y:.1f}a{r},{r} 0 1,0 {2 * r},0a{r},{r} 0 1,0 {-2 * r},0z"


def triangle(x, y, r):
    return f"M{x:.1f},{y - 1.3 * r:.1f}l{1.2 * r:.1f},{2.1 * r:.1f}h{-2.4 * r:.1f}z"


def crosses(points, r, x, y):
    return "".join(cross(x(a), y(b), r) for a, b, _ in points.tolist()) or "M0,0"


def cross(x, y, r):
    return f"M{x - r:.1f},{y - r:.1f}l{2 * r},{2 * r}m0,{-2 * r}l{-2 * r},{2 * r}"


@functools.cache
def under_points(task):
    """Draw the axes' numbers and, for a circle, the true border and the square that the points are from."""
    (x, y), parts = scales(task), []
    for scale, kind in ((x, "tick"), (y, "tick y")):
        for tick, text in scale.ticks(6):
            at = (x(tick), TOP + SIDE + 15) if scale is x else (LEFT - 5, y(tick) + 4)
            parts.append(label(text, *at, kind))
    parts += [label("x1", x.end - 6, TOP + SIDE + 15, "caption"), label("x2", LEFT - 5, TOP + 10, "tick y")]
    if task.radius:
        half, radius = task.half, x(task.radius) - x(0)
        corner = f'x="{x(-half):.1f}" y="{y(half):.1f}" width="{x(half) - x(-half):.1f}"'
        parts.append(f'<rect class="map-square" {corner} height="{y(-half) - y(half):.1f}"/>')
        parts.append(f'<circle class="line limit" cx="{x(0):.1f}" cy="{y(0):.1f}" r="{radius:.1f}"/>')
    parts.append(f'<rect class="map-frame" x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}"/>')
    return "".join(parts)


@functools.cache
def key_of_map(task):
    upper, lower = ("inside", "outside") if task.radius else ("label 1", "label -1")
    top = TOP + SIDE + 36
    marks = [
        (0, 0, "dot s0", circle, 4.5, upper),
        (84, 0, "dot s1", triangle, 4.5, lower),
        (178, 0, "new s0", circle, 2.6, "small: new points"),
        (320, 0, "cross", cross, 6, "wrong"),
    ]
    parts = []
    for left, down, kind, shape, r, name in marks:
        parts.append(f'<path class="{kind}" d="{shape(LEFT + left + 8, top + down - 4, r)}"/>')
        parts.append(label(name, LEFT + left + 20, top + down, "caption start"))
    rows = [("line curve", "the network's border")]
    if task.radius:
        rows += [("line limit", "the true border"), ("map-square", "the points come from here")]
    for i, (kind, name) in enumerate(rows):
        left, row = LEFT + 196 * (i % 2), top + 22 * (1 + i // 2)
        parts.append(f'<path class="{kind}" d="M{left},{row - 4}h24"/>')
        parts.append(label(name, left + 32, row, "caption start"))
    return "".join(parts)


# The charts next to it

BOTTOM, HIGH, SHARES = 448, 248, 204  # in the chart of the shares: its axis, 100 %, its heading


def charts(pen, run, goal):
    drawn = loss_chart.losses(
        pen, run.curve.points(), run.total, run.settings.task.loss, run.epochs, goal, span=(-3, 2)
    )
    return labelled(
        svg(loss_chart.WIDTH, MAP[1], drawn, shares(pen, run, goal)),
        "The loss of each epoch, and the shares of training points and of new points that are right",
    )


def shares(pen, run, goal):
    x, y = Scale(0, goal, loss_chart.LEFT, loss_chart.RIGHT), Scale(0, 1, BOTTOM, HIGH)
    parts = [rungs([(y(tick), f"{tick:.0%}") for tick in (0, 0.25, 0.5, 0.75, 1)], loss_chart.LEFT, loss_chart.RIGHT)]
    parts.append(loss_chart.epochs_axis(pen, "shares", goal, BOTTOM))
    counts = ((run.right, run.settings.points), (run.new_right, NEW))
    rows = zip(("training", "new"), ("line curve", "line s3"), (run.shares, run.new_shares), counts)
    for i, (name, kind, curve, (right, count)) in enumerate(rows):
        path, left = line([*curve.points(), (run.epochs, right / count)], x, y), loss_chart.LEFT - 34 + 222 * i
        parts.append(pen("path", f"shares.{name}", kind, d=path))
        parts.append(f'<path class="{kind}" d="M{left:.1f},{SHARES + 20}h26"/>')
        text, at = f"{name}: {right} of {count}, {right / count:.1%}", {"x": left + 34, "y": SHARES + 24}
        parts.append(pen("text", f"shares.{name}.now", "start", text=text, at=at))
    head = label("Right", loss_chart.LEFT - 34, SHARES, "heading start")
    best = pen("text", "best", "caption end", text=best_of(run), at={"x": loss_chart.RIGHT, "y": SHARES})
    return "".join(
        [head, best, *parts, label("epoch", (loss_chart.LEFT + loss_chart.RIGHT) / 2, BOTTOM + 35, "caption")]
    )
