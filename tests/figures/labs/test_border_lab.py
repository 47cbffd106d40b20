"""The border lab: its counts and borders are those of its network; its runs are held in training/test_borders.py."""

import math
import re

import numpy as np
import pytest

from autograd.errors.messages import show
from figures import border
from figures.training.borders import TASKS
from tests.lab_graphs import shown


def stepped(data, epochs, **given):
    """The lab after so many epochs, as it is shown then; and the corners of the border on its map, in pixels."""
    lab = border(data, **given)
    for _ in range(epochs):
        lab.run.step()
    lab.draw()
    found = re.findall(r"[ML]([\d.]+),([\d.]+)", lab.recording.frames[-1].updates["edge"]["d"])
    return lab, np.array([[float(x), float(y)] for x, y in found])


def test_single_neuron_draws_one_line():
    lab, corners = stepped("moons", 100, hidden=[])
    along, off = corners[-1] - corners[0], corners - corners[0]
    distances = (off[:, 0] * along[1] - off[:, 1] * along[0]) / np.hypot(*along)
    assert lab.run.right == 86 and len(corners) > 10 and np.abs(distances).max() < 0.2  # pixels


def test_distances_and_line_match_the_decision_border():
    lab, corners = stepped("circle", 200)
    for distance, degrees in lab.run.distances():
        turn = math.radians(degrees)
        assert lab.run.net(np.array([[math.cos(turn), math.sin(turn)]]) * distance)[0] == pytest.approx(0.5, abs=1e-6)
    assert [show(distance) for distance, _ in lab.run.distances()] == ["0.7505", "1.6313"]
    points = np.column_stack([(corners[:, 0] - 28) / 392 * 4.8 - 2.4, 2.4 - (corners[:, 1] - 26) / 392 * 4.8])
    assert len(points) > 40 and np.abs(lab.run.net(points) - 0.5).max() < 0.15  # the grid is coarse, the slope steep


@pytest.mark.parametrize(
    ("weights", "said", "drawn"),
    [
        ((0.0, 0.0, -5.0), "(0, 0) is classified as outside.", [False, False]),
        ((0.0, 0.0, 5.0), "The border is off the map; the true one is 1 away from (0, 0)", [False, True]),
        ((1.0, 0.0, 0.5), "ranges from 0.5000 to beyond the map", [True, True]),  # inside: x1 above -½
    ],
)
def test_missing_or_distant_border_is_reported_and_not_drawn(weights, said, drawn):
    lab = border("circle", [])
    lab.run.net.weights[-1][:, 0] = weights
    lab.run.measure_state()
    lab.draw()
    assert said in lab.render_text()
    assert [lab.recording.frames[-1].updates[part]["d"] != "M0,0" for part in ("edge", "side")] == drawn


@pytest.mark.parametrize("data", TASKS)
def test_border_lab_counts_match_the_points(data):
    lab, _ = stepped(data, 30)
    learning, parts, updates = lab.run, shown(lab), lab.recording.frames[-1].updates
    said = learning.net(learning.points[:, :2]) > learning.settings.task.border
    right, points = (said == (learning.targets > learning.settings.task.border)).sum(), learning.settings.points
    assert parts["shares.training.now"] == f"training: {right} of {points}, {right / points:.1%}"
    assert updates["points.wrong"]["d"].count("M") == max(1, points - right)
