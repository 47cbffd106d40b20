"""The border lab: its runs are the lesson's on the scalar engine, its counts and borders are those of its network."""

import asyncio
import math
import random
import re
import time

import numpy as np
import pytest

import autograd
from autograd import MLP
from autograd.lessons.moons import make_moons
from autograd.messages import show
from figures import border
from figures.labs.border import INPUTS, ROOM, SHAPES, defaults, hidden_text
from figures.labs.border_picture import draw as draw_stage
from figures.training.borders import CIRCLE, MOONS, MOST, NEW, RAYS, TASKS, Learning, Net, Settings, first_change
from tests import pictures
from tests.walks import ask, shown

FEW = {"points": 10, "hidden": 2}


def trained(task, epochs, hidden=None, points=None, flipped=0, seed=None):
    """A run of so many epochs."""
    run = Learning(
        Settings(task, task.hidden if hidden is None else hidden, points or task.points, flipped, seed), task.lr
    )
    for _ in range(epochs):
        run.step()
    return run


def stepped(data, epochs, **given):
    """The lab after so many epochs, as it is shown then."""
    lab = border(data, **given)
    for _ in range(epochs):
        lab.step()
    lab.draw()
    return lab


def corners_of(d):
    """The corners of a path, in pixels: shape (n, 2)."""
    return np.array([[float(x), float(y)] for x, y in re.findall(r"[ML]([\d.]+),([\d.]+)", d)])


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


def assert_same_run(run, losses, engine):
    """A run on arrays and one on the engine: every loss to the printed digits and further, and the outputs at last."""
    net, points, totals = engine
    assert losses == pytest.approx(totals, rel=1e-8)
    assert list(map(show, losses)) == list(map(show, totals))
    assert run.net(np.array(points)) == pytest.approx([net(point).data for point in points], abs=1e-7)


def losses_of(run, epochs):
    """The losses of the next epochs."""
    found = []
    for _ in range(epochs):
        run.step()
        found.append(run.total)
    return found


def test_the_circle_is_the_engines_run():
    """A recorded one: to the last bit."""
    run, (net, points, totals) = trained(CIRCLE, 0), circle_on_the_engine(120)
    assert losses_of(run, 120) == totals
    assert run.net.numbers() == [p.data for p in net.parameters()]
    assert run.net(np.array(points)) == pytest.approx([net(point).data for point in points], abs=1e-12)


def test_the_moons_are_the_engines_run():
    run = trained(MOONS, 0)
    assert_same_run(run, losses_of(run, 100), moons_on_the_engine(100))


def test_the_circles_reference_numbers():
    """Source A: loss 17.1256 in the first epoch, 70 % right after it; .3585 in epoch 200, all right."""
    run = trained(CIRCLE, 1)
    assert (show(run.total), run.right / 80) == ("17.1256", 0.7)
    losses = losses_of(run, 200)
    assert (show(losses[-1]), run.right, run.new_right) == ("0.3585", 80, 376)
    probes = run.above(np.array([(0, 0, 1), (0.5, 0.5, 1), (-0.3, 0.3, 1), (1.2, 1.2, 1), (0, 1.2, 1)]))
    assert probes.tolist() == [True, True, True, False, False]


def test_the_moons_reference_numbers():
    run = trained(MOONS, 100)
    assert (show(run.total), run.right, run.new_right) == ("0.0110", 100, 400)


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


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_gradients_agree_with_difference_quotients(task):
    """The whole loss of an epoch with one update, from two sides."""
    run = trained(task, 3, (3,), 20, seed=1)
    before = [weights.copy() for weights in run.net.weights]

    def loss():
        outputs = run.net.layers(run.points)[-1][:, 0]
        if task.batch:
            return np.maximum(0.0, 1 - run.targets * outputs).mean() + 1e-4 * run.net.squares()
        return float(((outputs - run.targets) ** 2).sum())

    run.lr, run.epochs = 1.0, 0
    if task.batch:
        run.all_at_once()
        moved = [start - now for start, now in zip(before, run.net.weights)]
    else:
        layers = run.net.layers(run.points)
        moved = run.net.gradients(layers, 2 * (layers[-1] - run.targets[:, None]))[::-1]
    for i, start in enumerate(before):
        run.net.weights[i] = start.copy()
    for weights, gradient in zip(run.net.weights, moved):
        for place in np.ndindex(weights.shape):
            at, h = weights[place], 1e-6
            weights[place] = at + h
            above = loss()
            weights[place] = at - h
            below = loss()
            weights[place] = at
            assert gradient[place] == pytest.approx((above - below) / (2 * h), abs=1e-6)


# Points


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_new_points_are_new_and_fewer_points_are_the_first(task):
    points, targets, new, of_new = Settings(task, (), MOST).data()
    few, of_few, again, _ = Settings(task, (), 10).data()
    assert (len(points), len(new)) == (MOST, NEW) and again is new
    assert few.tolist() == points[:10].tolist() and of_few.tolist() == targets[:10].tolist()
    assert not {tuple(p) for p in points} & {tuple(p) for p in new}
    assert set(targets) == set(of_new) == {task.low, 1.0} == set(of_few)


def test_the_moons_of_the_lesson_and_those_of_its_check():
    from exercises.lessons.lesson_09.moons.check import new_moons

    points, targets, new, of_new = Settings(MOONS, (), 100).data()
    for found, expected in zip((points, targets, new, of_new), (*new_moons(1337, 100), *new_moons())):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("flipped", [0, 10, 30])
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_so_many_labels_are_wrong_and_none_of_a_new_point(task, flipped):
    _, targets, _, of_new = Settings(task, (), 80, flipped).data()
    _, true, _, their = Settings(task, (), 80).data()
    assert (targets != true).sum() == round(0.8 * flipped) and set(targets) == {task.low, 1.0}
    assert np.array_equal(of_new, their)


def test_seeds_make_other_networks_and_the_same_points():
    one, other, same = (trained(CIRCLE, 0, seed=seed) for seed in (1, 2, 1))
    assert not np.array_equal(one.net.weights[0], other.net.weights[0])
    assert np.array_equal(one.net.weights[0], same.net.weights[0]) and np.array_equal(one.points, other.points)
    assert Net(MLP(2, [8, 1], "sigmoid", "sigmoid", "fan_in", random.Random(2))).weights[1] == pytest.approx(
        other.net.weights[1]
    )


# What a lesson says


def test_few_points_are_learned_by_heart():
    run = trained(CIRCLE, 200, points=10)
    always_outside = int((run.new_targets == 0).sum())
    assert run.right == 10 and always_outside == 263
    assert run.new_right < always_outside  # worse than a network that says "outside" to all
    assert trained(CIRCLE, 200, points=200).new_right > 385


def test_new_points_are_best_long_before_the_end():
    run = trained(CIRCLE, 400)
    best, after = run.best
    assert run.right == 80 and best > run.new_right + 5 and after < 120


def test_wrong_labels_are_learned_on_the_circle_and_not_on_the_moons():
    circle, moons = trained(CIRCLE, 300, flipped=20), trained(MOONS, 100, flipped=20)
    assert circle.right > 66 and circle.new_right < circle.best[0] - 30
    assert moons.right < 83 and moons.new_right > 390


def test_one_neuron_draws_one_line():
    lab = stepped("moons", 100, hidden=[])
    assert lab.run.right == 86
    corners = corners_of(lab.recording.frames[-1].marks["edge"]["d"])
    along, off = corners[-1] - corners[0], corners - corners[0]
    distances = (off[:, 0] * along[1] - off[:, 1] * along[0]) / np.hypot(*along)
    assert len(corners) > 10 and np.abs(distances).max() < 0.2  # pixels


# The border


def test_the_distances_are_where_the_output_is_one_half():
    run = trained(CIRCLE, 200)
    for distance, degrees in run.distances():
        turn = math.radians(degrees)
        assert run.net(np.array([[math.cos(turn), math.sin(turn)]]) * distance)[0] == pytest.approx(0.5, abs=1e-6)
    (near, _), (far, _) = run.distances()
    assert (show(near), show(far)) == ("0.7505", "1.6313")


def test_a_circle_has_its_radius_at_every_ray():
    found = first_change(lambda points: (points**2).sum(axis=1) < 0.64, 2.4)
    assert len(found) == RAYS and found == pytest.approx(0.8, abs=1e-8)
    assert first_change(lambda points: points[:, 0] > 0.1, 2.4) is None
    assert math.isinf(first_change(lambda points: points[:, 0] < 1, 2.4).max())


def test_the_line_on_the_map_is_where_the_class_changes():
    lab = stepped("circle", 200)
    corners = corners_of(lab.recording.frames[-1].marks["edge"]["d"])
    points = np.column_stack([(corners[:, 0] - 28) / 392 * 4.8 - 2.4, 2.4 - (corners[:, 1] - 26) / 392 * 4.8])
    assert len(points) > 40 and np.abs(lab.run.net(points) - 0.5).max() < 0.15  # the grid is coarse, the slope steep


def test_a_network_with_one_answer_has_no_line_and_says_so():
    lab = border("circle")
    for weights in lab.run.net.weights:
        weights[:] = 0.0
    lab.run.net.weights[-1][-1] = -5.0
    lab.run.look()
    lab.draw()
    marks = lab.recording.frames[-1].marks
    assert marks["edge"]["d"] == marks["side"]["d"] == "M0,0"
    assert "(0, 0) is taken for outside." in lab.text()


def test_a_border_off_the_map_is_said():
    lab = border("circle")
    for weights in lab.run.net.weights:
        weights[:] = 0.0
    lab.run.net.weights[-1][-1] = 5.0
    lab.run.look()
    assert "The border is off the map; the true one is at a distance of 1 from (0, 0)." in lab.text()


def test_a_border_that_leaves_the_map_somewhere_is_said():
    lab = border("circle", [])
    lab.run.net.weights[-1][:, 0] = 1.0, 0.0, 0.5  # inside: where x1 is above -½
    assert "is at least 0.5000 and off the map at most; the true one's is 1." in lab.text()


# The lab


@pytest.mark.parametrize("data", TASKS)
def test_what_is_shown_is_what_the_run_says(data):
    lab = stepped(data, 30)
    run, parts = lab.run, shown(lab)
    assert parts["curve.loss"] == f"Loss {show(run.total)}"
    assert parts["shares.training.now"] == (
        f"training: {run.right} of {run.settings.points}, {run.right / run.settings.points:.1%}"
    )
    assert parts["shares.new.now"] == f"new: {run.new_right} of 400, {run.new_right / 400:.1%}"
    assert parts["best"] == "new points at best: {} after epoch {}".format(*run.best)
    marks = lab.recording.frames[-1].marks
    assert marks["points.wrong"]["d"].count("M") == max(1, run.settings.points - run.right)
    assert marks["new.wrong"]["d"].count("M") == max(1, NEW - run.new_right)
    expected = run.net(run.points[:, :2]) > run.settings.task.border
    assert run.right == (expected == (run.targets > run.settings.task.border)).sum()
    assert f"{run.right} of {run.settings.points} training points and {run.new_right} of 400 new points" in lab.text()


def test_step_play_pause_and_reset():
    lab = border("circle", speed="full speed")
    assert ask(lab, ["step"]) == ""
    assert lab.run.epochs == 1 and lab.recording.frames[-1].say.startswith("Epoch 1: its loss was 17.1256. 56 of 80")

    async def play():
        ask(lab, ["play"])
        assert lab.runner.running and lab.patch["controls"]["play"]["label"] == "Pause"
        while lab.run.epochs < 20:
            await asyncio.sleep(0.01)
        ask(lab, ["play"])
        assert not lab.runner.running
        return lab.run.epochs

    epochs = asyncio.run(play())
    assert lab.recording.frames[-1].say.startswith(f"Paused after {epochs} epochs.")
    assert lab.recording.frames[-1].at == f"epoch {epochs} of 2000"
    ask(lab, ["reset"])
    assert lab.run.epochs == 0 and lab.patch["controls"]["play"]["label"] == "Play"


def test_play_ends_at_its_goal_and_goes_on():
    lab = border("moons", speed="full speed")

    async def play():
        ask(lab, ["play"])
        async with asyncio.timeout(20):
            while lab.runner.running:
                await asyncio.sleep(0.01)

    asyncio.run(play())
    assert lab.recording.frames[-1].say == (
        "After 100 epochs the loss of the last was 0.0110. 100 of 100 training points and 400 of 400 new points are "
        "right."
    )
    asyncio.run(play())
    assert lab.run.epochs == 200 and lab.recording.frames[-1].at == "epoch 200 of 200"


def test_other_data_bring_the_lessons_settings_with_them():
    lab, sent = border("moons", hidden=4, points=20, lr=0.3), []
    lab.observe(lambda change: sent.append(change["name"]), ["news", "patch"])
    assert ask(lab, data="circle") == ""
    assert sent[:2] == ["patch", "news"], "the controls move before the new stage is there"
    assert lab.values == defaults("circle") and lab.run.settings.task is CIRCLE and lab.run.lr == 0.5
    assert {name: change["value"] for name, change in lab.patch["controls"].items() if "value" in change} == lab.values
    assert {control["name"]: control.get("value") for control in lab.spec["controls"]}.items() >= lab.values.items()


def test_a_learning_rate_acts_at_once_and_another_network_begins_anew():
    lab = stepped("moons", 5)
    assert ask(lab, lr=0.1) == "" and (lab.run.lr, lab.run.epochs) == (0.1, 5)
    assert ask(lab, speed="full speed") == "" and lab.run.epochs == 5
    for change in ({"hidden": "8"}, {"points": "20"}, {"flipped": "10 %"}, {"seed": "seed 3"}):
        lab.step()
        assert ask(lab, **change) == "" and lab.run.epochs == 0


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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"data": "square"}, "data is one of moons, circle; got 'square'."),
        ({"hidden": [4, 4, 4]}, "this lab has at most two hidden layers, got 3."),
        ({"hidden": 33}, "the size of a hidden layer is a whole number from 1 to 32, got 33."),
        ({"hidden": "many"}, "the size of a hidden layer is a whole number, got 'many'."),
        ({"points": 1}, "the number of training points is a whole number from 2 to 200, got 1."),
        ({"points": 0.5}, "the number of training points is a whole number, got 0.5."),
        ({"flipped": 0.2}, "flipped, a percentage, is a whole number, got 0.2."),
        ({"flipped": 31}, "flipped, a percentage, is a whole number from 0 to 30, got 31."),
        ({"lr": 0}, "the learning rate is a positive number, got 0.0."),
        ({"seed": -1}, "seed is a whole number of at least 0, got -1."),
        ({"seed": "mine"}, "seed is a whole number, got 'mine'."),
        ({"speed": "fast"}, "speed is one of 2 a second, 10 a second, 100 a second, full speed; got 'fast'."),
    ],
)
def test_what_is_wrong_is_a_sentence_and_the_picture_stays(given, said):
    with pytest.raises((ValueError, TypeError), match="^" + re.escape(said) + "$"):
        border(**given)
    lab = stepped("moons", 3)
    before = lab.recording.frames[-1]
    lab.request = {"values": {**lab.values, **given}, "presses": [], "number": 1}
    assert lab.patch["message"] == said and lab.reply == 1
    assert lab.recording.frames[-1] == before and lab.run.epochs == 3


def test_a_run_that_diverges_stops_with_a_sentence():
    lab = border("moons", lr=10.0)
    lab.run.lr = 1e200
    for _ in range(20):
        if not lab.step():
            break
    lab.draw()
    assert lab.patch["message"].startswith("The run diverged: its loss is ")
    assert lab.patch["controls"]["play"]["disabled"] and lab.patch["controls"]["step"]["disabled"]
    epochs = lab.run.epochs
    ask(lab, ["step"])
    assert lab.run.epochs == epochs
    ask(lab, ["reset"])
    assert lab.run.epochs == 0 and not lab.patch["message"]


@pytest.mark.parametrize("data", TASKS)
def test_every_sentence_has_room(data):
    """As no sentence is longer, the stage never moves."""
    lab = border(data)
    said = [lab.recording.frames[-1].say]
    for _ in range(30):
        ask(lab, ["step"])
        said.append(lab.recording.frames[-1].say)
    assert max(map(len, said)) <= len(ROOM)


@pytest.mark.parametrize("data", TASKS)
def test_the_picture_of_a_run_is_that_of_its_marks(data):
    """Parts change by their keys alone, also where an epoch makes numbers long."""
    lab = stepped(data, 0, **FEW)
    before = pictures.tree(lab.spec["stage"])
    for _ in range(3):
        ask(lab, ["step"])
    marks = lab.recording.frames[-1].marks
    keyed = {part.get("data-key"): part for part in before.iter() if part.get("data-key")}
    assert set(keyed) == set(marks)
    for key, mark in marks.items():
        pictures.change(keyed[key], mark)
    after = pictures.tree(lab.recording.render(marks))
    for part, again in zip(before.iter(), after.iter(), strict=True):
        assert (part.tag, part.attrib, part.text or "") == (again.tag, again.attrib, again.text or "")


@pytest.mark.parametrize("data", TASKS)
def test_a_press_is_answered_at_once(data):
    lab = border(data)
    ask(lab, ["step"])
    took = []
    for _ in range(5):
        start = time.process_time()
        ask(lab, ["step"])
        took.append(time.process_time() - start)
    assert min(took) < 0.1


def test_the_still_picture_has_both_drawings():
    tree = pictures.tree(stepped("circle", 3).recording.picture())
    assert len(list(tree.iter(f"{pictures.SVG}svg"))) == 3
    assert int(tree[0].get("width")) < 940 and int(tree[0].get("height")) <= 520


def test_the_stage_has_the_same_parts_in_every_run():
    from figures.page.pen import Pen

    first, later = Pen(), Pen()
    draw_stage(first, trained(CIRCLE, 0), 2000)
    draw_stage(later, trained(CIRCLE, 5), 2000)
    assert first.marks.keys() == later.marks.keys()
