"""The border lab: its runs are the lesson's on the scalar engine, its counts and borders are those of its network."""

import math
import random
import re
import time

import numpy as np
import pytest

import autograd
from autograd import MLP
from autograd.errors.messages import show
from autograd.lessons.moons import make_moons
from exercises.tasks.moons.check import new_moons
from figures import border
from figures.labs.border import INPUTS, ROOM, SHAPES, defaults, hidden_text
from figures.training.borders import CIRCLE, MOONS, MOST, NEW, RAYS, TASKS, Learning, Net, Settings, first_change
from tests import pictures
from tests.labs import ask, message, moved, run
from tests.walks import assert_plays, shown


def trained(task, epochs, points=None, flipped=0, seed=None):
    """A run of so many epochs."""
    learning = Learning(Settings(task, task.hidden, points or task.points, flipped, seed), task.lr)
    losses_of(learning, epochs)
    return learning


def losses_of(learning, epochs):
    """The losses of the next epochs."""
    found = []
    for _ in range(epochs):
        learning.step()
        found.append(learning.total)
    return found


def stepped(data, epochs, **given):
    """The lab after so many epochs, as it is shown then."""
    lab = border(data, **given)
    losses_of(lab.run, epochs)
    lab.draw()
    return lab


def corners_of(lab):
    """The corners of the border on the map, in pixels: shape (n, 2)."""
    found = re.findall(r"[ML]([\d.]+),([\d.]+)", lab.recording.frames[-1].marks["edge"]["d"])
    return np.array([[float(x), float(y)] for x, y in found])


# The lesson's runs, on the scalar engine


def circle_on_the_engine(epochs):
    """Source A's loop, written out: the network, its points, and for each epoch the sum of the losses."""
    rng = random.Random(7)
    points = [(rng.uniform(-1.5, 1.5), rng.uniform(-1.5, 1.5)) for _ in range(80)]
    data = [(point, float(point[0] ** 2 + point[1] ** 2 < 1)) for point in points]
    net, totals = MLP(2, [8, 1], "sigmoid", "sigmoid", init="fan_in", rng=rng), []
    for _ in range(epochs):
        rng.shuffle(data)
        totals.append(0.0)
        for point, target in data:
            loss = (net(point) - target) ** 2
            totals[-1] += loss.data
            net.zero_grad()
            loss.backward()
            for p in net.parameters():
                p.data -= 0.5 * p.grad
    return net, points, totals


def moons_on_the_engine(steps):
    """The lesson's loop for the moons: the network, its points, and each step's loss."""
    points, labels = make_moons(n_samples=100, noise=0.1, random_state=1337)
    points, labels = points.tolist(), (2 * labels - 1).tolist()
    net, totals = MLP(2, [16, 16, 1], "relu", "linear", init="uniform_zero_bias", rng=random.Random(1337)), []
    parameters = net.parameters()
    for step in range(steps):
        outputs = [net(point) for point in points]
        loss = autograd.hinge(outputs, labels) + 1e-4 * autograd.weighted_sum(parameters, parameters, 0)
        net.zero_grad()
        loss.backward()
        for p in parameters:
            p.data -= (1.0 - 0.9 * step / 100) * p.grad
        totals.append(loss.data)
    return net, points, totals


@pytest.mark.long
def test_the_circle_is_the_engines_run_and_source_as():
    """A recorded one: to the last bit. Source A: loss 17.1256 first, 70 % right after it; .3585 later, all right."""
    lab = border("circle")
    ask(lab, "step")
    assert lab.recording.frames[-1].say.startswith("Epoch 1: its loss was 17.1256. 56 of 80")
    (net, points, totals), learning = circle_on_the_engine(120), lab.run
    assert [learning.total, *losses_of(learning, 119)] == totals
    assert learning.net.numbers() == [p.data for p in net.parameters()]
    assert learning.net(np.array(points)) == pytest.approx([net(point).data for point in points], abs=1e-12)
    losses = losses_of(learning, 81)
    assert (show(losses[-1]), learning.right, learning.new_right) == ("0.3585", 80, 376)
    probes = learning.above(np.array([(0, 0, 1), (0.5, 0.5, 1), (-0.3, 0.3, 1), (1.2, 1.2, 1), (0, 1.2, 1)]))
    assert probes.tolist() == [True, True, True, False, False]


@pytest.mark.long
def test_the_moons_are_the_engines_run_and_the_lessons():
    """Every loss to the printed digits and further, and the outputs at last."""
    learning, (net, points, totals) = trained(MOONS, 0), moons_on_the_engine(100)
    losses = losses_of(learning, 100)
    assert losses == pytest.approx(totals, rel=1e-8) and list(map(show, losses)) == list(map(show, totals))
    assert learning.net(np.array(points)) == pytest.approx([net(point).data for point in points], abs=1e-7)
    assert (show(learning.total), learning.right, learning.new_right) == ("0.0110", 100, 400)


@pytest.mark.parametrize("activation", ["sigmoid", "relu", "linear"])
@pytest.mark.parametrize("hidden", [(), (3,), (4, 5)])
def test_gradients_by_hand_are_the_engines(activation, hidden):
    mlp = MLP(2, [*hidden, 1], activation, "sigmoid", rng=random.Random(5))
    points, slopes = [[0.3, -1.2], [1.1, 0.4], [-0.7, 0.9]], [0.5, -2.0, 1.5]
    net = Net(mlp)
    layers = net.layers(np.column_stack([points, np.ones(3)]))
    found = net.gradients(layers, np.array(slopes)[:, None])
    root = sum((slope * mlp(point) for slope, point in zip(slopes, points)), autograd.Value(0.0))
    root.backward()
    for layer, gradient in zip(reversed(mlp.layers), found):
        expected = [[p.grad for p in (*neuron.weights, neuron.bias)] for neuron in layer.neurons]
        assert np.abs(gradient.T - np.array(expected)).max() < 1e-12


# Points


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_points_are_the_first_of_many_new_ones_are_others_and_so_many_labels_are_wrong(task):
    points, targets, new, of_new = Settings(task, (), MOST).data()
    few, of_few, again, _ = Settings(task, (), 10).data()
    assert (len(points), len(new)) == (MOST, NEW) and again is new
    assert few.tolist() == points[:10].tolist() and of_few.tolist() == targets[:10].tolist()
    assert not {tuple(p) for p in points} & {tuple(p) for p in new}
    assert set(targets) == set(of_new) == {task.low, 1.0} == set(of_few)
    for flipped in (0, 10, 30):
        _, wrong, _, of_these = Settings(task, (), 80, flipped).data()
        assert (wrong != targets[:80]).sum() == round(0.8 * flipped) and set(wrong) == {task.low, 1.0}
        assert np.array_equal(of_new, of_these)


def test_the_moons_of_the_lesson_and_those_of_its_check():
    found = Settings(MOONS, (), 100).data()
    assert all(map(np.array_equal, found, (*new_moons(1337, 100), *new_moons())))


def test_seeds_make_other_networks_and_the_same_points():
    one, other, same = (trained(CIRCLE, 0, seed=seed) for seed in (1, 2, 1))
    assert not np.array_equal(one.net.weights[0], other.net.weights[0])
    assert np.array_equal(one.net.weights[0], same.net.weights[0]) and np.array_equal(one.points, other.points)
    expected = Net(MLP(2, [8, 1], "sigmoid", "sigmoid", "fan_in", random.Random(2)))
    assert expected.weights[1] == pytest.approx(other.net.weights[1])


# What a lesson says


@pytest.mark.long
def test_few_points_and_wrong_labels_are_learned_by_heart_and_new_points_are_best_long_before():
    few, wrong, long = trained(CIRCLE, 200, points=10), trained(CIRCLE, 300, flipped=20), trained(CIRCLE, 400)
    assert few.right == 10 and few.new_right < (few.new_targets == 0).sum() == 263  # less than "outside" to all
    assert wrong.right > 66 and wrong.new_right < wrong.best[0] - 30
    assert long.right == 80 and long.best[0] > long.new_right + 5 and long.best[1] < 120
    moons = trained(MOONS, 100, flipped=20)
    assert moons.right < 83 and moons.new_right > 390, "these take no wrong label for right"


def test_one_neuron_draws_one_line():
    lab = stepped("moons", 100, hidden=[])
    assert lab.run.right == 86
    corners = corners_of(lab)
    along, off = corners[-1] - corners[0], corners - corners[0]
    distances = (off[:, 0] * along[1] - off[:, 1] * along[0]) / np.hypot(*along)
    assert len(corners) > 10 and np.abs(distances).max() < 0.2  # pixels


# The border


def test_the_distances_and_the_line_on_the_map_are_where_the_class_changes():
    lab = stepped("circle", 200)
    for distance, degrees in lab.run.distances():
        turn = math.radians(degrees)
        at = np.array([[math.cos(turn), math.sin(turn)]]) * distance
        assert lab.run.net(at)[0] == pytest.approx(0.5, abs=1e-6)
    assert [show(distance) for distance, _ in lab.run.distances()] == ["0.7505", "1.6313"]
    corners = corners_of(lab)
    points = np.column_stack([(corners[:, 0] - 28) / 392 * 4.8 - 2.4, 2.4 - (corners[:, 1] - 26) / 392 * 4.8])
    assert len(points) > 40 and np.abs(lab.run.net(points) - 0.5).max() < 0.15  # the grid is coarse, the slope steep


def test_a_circle_has_its_radius_at_every_ray():
    found = first_change(lambda points: (points**2).sum(axis=1) < 0.64, 2.4)
    assert len(found) == RAYS and found == pytest.approx(0.8, abs=1e-8)
    assert first_change(lambda points: points[:, 0] > 0.1, 2.4) is None
    assert math.isinf(first_change(lambda points: points[:, 0] < 1, 2.4).max())


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ((0.0, 0.0, -5.0), "(0, 0) is classified as outside."),
        ((0.0, 0.0, 5.0), "The border is off the map; the true one is 1 away from (0, 0)."),
        ((1.0, 0.0, 0.5), "ranges from 0.5000 to beyond the map; the true one's is 1."),  # inside: x1 above -½
    ],
)
def test_a_border_that_is_nowhere_or_off_the_map_is_said_and_not_drawn(weights, said):
    lab = border("circle", [])
    lab.run.net.weights[-1][:, 0] = weights
    lab.run.look()
    lab.draw()
    assert said in lab.text()
    none = [lab.recording.frames[-1].marks[part]["d"] == "M0,0" for part in ("edge", "side")]
    assert none == [weights[0] == 0, weights[-1] < 0]


# The lab


@pytest.mark.parametrize("data", TASKS)
def test_what_is_shown_is_what_the_run_says(data):
    """After steps that are answered at once, in sentences that all have room."""
    lab, took = border(data), []
    for _ in range(30):
        start = time.process_time()
        ask(lab, "step")
        took.append(time.process_time() - start)
        assert len(lab.recording.frames[-1].say) <= len(ROOM)
    assert min(took) < 0.1
    learning, parts, marks = lab.run, shown(lab), lab.recording.frames[-1].marks
    points, right, new = learning.settings.points, learning.right, learning.new_right
    assert parts["curve.loss"] == f"Loss {show(learning.total)}"
    assert parts["shares.training.now"] == f"training: {right} of {points}, {right / points:.1%}"
    assert parts["shares.new.now"] == f"new: {new} of 400, {new / 400:.1%}"
    assert parts["best"] == "new points at best: {} after epoch {}".format(*learning.best)
    assert marks["points.wrong"]["d"].count("M") == max(1, points - right)
    assert marks["new.wrong"]["d"].count("M") == max(1, NEW - new)
    expected = learning.net(learning.points[:, :2]) > learning.settings.task.border
    assert right == (expected == (learning.targets > learning.settings.task.border)).sum()
    assert f"{right} of {points} training points and {new} of 400 new points" in lab.text()
    assert_plays(lab)
    still = pictures.tree(lab.recording.picture())
    assert len(list(still.iter(f"{pictures.SVG}svg"))) == 3
    assert int(still[0].get("width")) < 940 and int(still[0].get("height")) <= 520


def test_play_ends_at_its_goal_and_goes_on_until_a_pause():
    lab = border("moons", speed="full speed")
    run(lab)
    assert lab.recording.frames[-1].say == (
        "After 100 epochs the last loss was 0.0110. 100 of 100 training points and 400 of 400 new points are right."
    )
    run(lab)
    assert lab.run.epochs == 200 and lab.recording.frames[-1].at == "epoch 200 of 200"
    run(lab, speed="100 a second", until=lambda lab: lab.run.epochs >= 210, then=["play"])
    assert lab.recording.frames[-1].say.startswith(f"Paused after {lab.run.epochs} epochs.")
    assert lab.recording.frames[-1].at == f"epoch {lab.run.epochs} of 300"


def test_other_data_bring_the_lessons_settings_with_them():
    lab, sent = border("moons", hidden=4, points=20, lr=0.3), []
    lab.observe(lambda change: sent.append(change["name"]), ["news", "patch"])
    ask(lab, data="circle")
    assert message(lab) == ""
    assert sent[:2] == ["patch", "news"], "the controls move before the new stage is there"
    assert lab.values == defaults("circle") and lab.run.settings.task is CIRCLE and lab.run.lr == 0.5
    hidden = {"hidden": "8", "points": lab.values["points"], "lr": 0.5, "speed": "100 a second"}
    assert moved(lab) == hidden, "data may have been chosen once more since"
    assert {control["name"]: control.get("value") for control in lab.spec["controls"]}.items() >= lab.values.items()


def test_a_learning_rate_acts_at_once_and_another_network_begins_anew():
    lab = stepped("moons", 5)
    ask(lab, lr=0.1)
    ask(lab, speed="full speed")
    assert message(lab) == "" and (lab.run.lr, lab.run.epochs) == (0.1, 5)
    for change in ({"hidden": "8"}, {"points": "20"}, {"flipped": "10 %"}):
        lab.step()
        ask(lab, **change)
        assert message(lab) == "" and lab.run.epochs == 0


@pytest.mark.parametrize("hidden", [*SHAPES, (3, 7), 5])
def test_arguments_are_values_of_the_controls(hidden):
    lab = border("moons", hidden, points=37, flipped=12, lr=0.25, seed=77, speed="2 a second")
    wanted = (hidden,) if isinstance(hidden, int) else hidden
    assert lab.run.settings == Settings(MOONS, tuple(wanted), 37, 12, 77) and lab.run.lr == 0.25
    assert {each.name for each in INPUTS} == set(lab.values)
    by_name = {control["name"]: control for control in lab.spec["controls"]}
    for name in ("hidden", "points", "flipped", "seed"):
        assert by_name[name]["value"] in by_name[name]["options"]
    assert hidden_text(lab.values["hidden"]) == lab.values["hidden"]


def test_a_run_that_diverges_stops_with_a_sentence():
    lab = border("moons", lr=10.0)
    lab.run.lr = 1e200
    for _ in range(20):
        if not lab.step():
            break
    lab.draw()
    assert message(lab).startswith("The run diverged: its loss is ")
    assert lab.patch["controls"]["play"]["disabled"] and lab.patch["controls"]["step"]["disabled"]
    epochs = lab.run.epochs
    ask(lab, "step")
    assert lab.run.epochs == epochs
    ask(lab, "reset")
    assert lab.run.epochs == 0 and not message(lab)
