"""The deep training lab: its networks are the engine's, and what it says of each is what became of it."""

import math

import numpy as np
import pytest

from autograd import SGD, Adam
from autograd.errors.messages import show
from figures import deep_training
from figures.labs.deep_training import ENDS, ICONS, ROOM, ROW, TOP, UP, in_words
from figures.training import deep_nets
from figures.training.deep_nets import ADAM, DESCENT, KINDS, DeepNet, Settings, moons
from tests.labs import ask, moved, run, scalars
from tests.walks import assert_plays

SIGMOID, TANH, SMALL, HE, RESIDUAL = KINDS


def trained(kind, steps=1000, **settings):
    """A network after some steps."""
    net = DeepNet(kind, Settings(**settings))
    for _ in range(steps):
        net.step()
    return net


def steps(lab, count):
    """So many steps of all networks."""
    for _ in range(count * len(KINDS)):
        lab.step()
    lab.draw()


# The same network on the scalar engine


def scalar_scores(net, weights, biases, points):
    """The score of each point, by Values, one product at a time."""
    scale = {"1": 1.0, "1/√L": net.settings.depth**-0.5}[net.settings.residual_scale]
    for point in points:
        h = list(point)
        for matrix, constants in zip(weights[:-1], biases):
            z = [sum(x * row[j] for x, row in zip(h, matrix)) + b for j, b in enumerate(constants[0])]
            if net.settings.layer_norm:
                middle = sum(z) / len(z)
                spread = (sum((one - middle) ** 2 for one in z) / len(z) + 1e-5).sqrt()
                z = [(one - middle) / spread for one in z]
            a = [getattr(one, net.kind.activation)() for one in z]
            h = [x + scale * y for x, y in zip(h, a)] if net.kind.residual and len(h) == len(a) else a
        yield sum(x * row[0] for x, row in zip(h, weights[-1])) + biases[-1][0][0]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize(("layer_norm", "optimizer", "scale"), [(False, DESCENT, "1"), (True, ADAM, "1/√L")])
def test_losses_gradients_and_steps_are_the_scalar_engines(monkeypatch, kind, layer_norm, optimizer, scale):
    points, labels = moons()
    few = points[::10], labels[::10]
    monkeypatch.setattr(deep_nets, "moons", lambda: few)
    settings = Settings(5, 3, 2, optimizer, 0.05, layer_norm, scale)
    net = DeepNet(kind, settings)
    weights, biases = ([scalars(p.data) for p in each] for each in (net.weights, net.biases))
    parameters = [value for pair in zip(weights, biases) for p in pair for row in p for value in row]
    stepper = {DESCENT: SGD, ADAM: Adam}[optimizer](parameters, 0.05)
    for _ in range(3):
        loss = 0.0
        for score, target in zip(scalar_scores(net, weights, biases, few[0]), few[1][:, 0]):
            chance = score.sigmoid()
            loss = loss - (chance if target else 1.0 - chance).log() / len(few[0])
        stepper.zero_grad()
        loss.backward()
        assert net.loss == pytest.approx(loss.data, rel=1e-10)
        for mine, theirs in ((net.weights, weights), (net.biases, biases)):
            for tensor, values in zip(mine, theirs):
                found = np.array([[value.grad for value in row] for row in values])
                assert tensor.grad == pytest.approx(found.reshape(tensor.shape), rel=1e-9, abs=1e-13)
        stepper.step()
        net.step()


def test_first_weights_have_the_spread_of_their_names():
    """Xavier's variance is 2 / (inputs + units), He's 2 / inputs; the small ones are of N(0, 0.01²)."""
    for kind, spread in ((TANH, 1 / 16), (HE, 2 / 16), (SMALL, 1e-4)):
        net = DeepNet(kind, Settings(30, 16))
        assert np.mean([w.data**2 for w in net.weights[1:-1]]) == pytest.approx(spread, rel=0.05)
        assert not any(biases.data.any() for biases in net.biases)
    sizes = [weights.shape for weights in net.weights]
    assert sizes == [(2, 16), *[(16, 16)] * 28, (16, 1)]


def test_sizes_and_ways_are_those_of_their_formulas():
    net = trained(TANH, 20)
    for weights, start, size, way in zip(net.weights, net.start, net.gradients(), net.moved(), strict=True):
        assert size == pytest.approx(np.linalg.norm(weights.grad) / math.sqrt(weights.grad.size), rel=1e-12)
        assert way == pytest.approx(np.linalg.norm(weights.data - start) / np.linalg.norm(start), rel=1e-12)
    again = DeepNet(TANH, Settings())
    assert again.first == again.gradients() == net.first and again.moved() == [0.0] * 12


# What becomes of them


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_at_twelve_layers_three_learn_and_two_stand_still(seed):
    tanh, he, residual = (trained(kind, 600, seed=seed) for kind in (TANH, HE, RESIDUAL))
    assert {net.state for net in (tanh, he, residual)} == {"has learned"}
    assert all(min(net.moved()) > 0.01 for net in (tanh, he, residual))
    for kind in (SIGMOID, SMALL):
        net = trained(kind, 600, seed=seed)
        assert net.state == "stands still" and net.loss == pytest.approx(math.log(2), abs=1e-4)
        assert net.moved()[0] < 1e-5
        assert trained(kind, 600, lr=(0.01, 1.0)[seed % 2]).state == "stands still", "no learning rate wakes them"
    assert net.moved()[0] == 0.0 and max(net.moved()) < 1e-7, "a step is smaller than the last digit of a weight"
    assert 0 < net.gradients()[0] < 1e-17 and max(net.first) < 1e-18 and (net.weights[0].data == net.start[0]).all()


@pytest.mark.long
def test_an_unscaled_residual_network_explodes_until_its_rate_is_small_and_takes_no_more_steps():
    net = trained(RESIDUAL, 200, residual_scale="1")
    assert net.state == "exploded" and net.steps < 50 and not math.isfinite(net.loss)
    before = [weights.data.copy() for weights in net.weights]
    net.step()
    assert all(np.array_equal(a, w.data, equal_nan=True) for a, w in zip(before, net.weights))
    assert trained(RESIDUAL, 1000, residual_scale="1", lr=0.003).state == "has learned"
    assert trained(RESIDUAL, 300, residual_scale="1", optimizer=ADAM, lr=0.003).state == "has learned"


JUDGED = {  # a state: the loss 100 steps ago and now, and how many points are right
    "stands still": [(0.7, 0.6931, 50), (0.7, 0.7069, 50), (0.69, 0.687, 50), (9.0, 9.0, 60)],
    "learns": [(0.7, 0.6929, 50)],
    "levelled off": [(0.69, 0.6855, 50), (0.3238, 0.3238, 90)],
    "gets worse": [(0.3, 0.31, 94), (0.7, 0.7071, 94)],
    "has learned": [(0.7, 9.0, 95)],
}


def test_a_state_is_judged_as_the_docstring_says_beside_the_loss_of_100_steps_ago():
    net, losses = DeepNet(TANH, Settings(lr=0.01)), []
    for _ in range(130):
        losses.append(net.loss)
        net.step()
    assert net.past[0] == losses[30] and net.past[-1] == net.loss
    for state, cases in JUDGED.items():
        for before, net.loss, net.right in cases:
            net.past = [before, net.loss]
            assert net.state == state
    net.exploded = True
    assert net.state == "exploded"


# The lab


def test_it_shows_and_says_the_numbers_of_its_networks():
    lab = deep_training()
    steps(lab, 30)
    marks, (opening, *lines) = lab.recording.frames[-1].marks, lab.text().splitlines()
    assert len(lines) == 5
    for i, (kind, net) in enumerate(zip(KINDS, lab.nets, strict=True)):
        twin = trained(kind, 30)
        assert twin.loss == net.loss and twin.gradients() == net.gradients()
        assert marks[f"n{i}.loss"]["text"] == f"loss {show(twin.loss)}"
        assert marks[f"n{i}.right"]["text"] == f"{twin.right} of 100 right"
        assert marks[f"n{i}.state"]["text"] == twin.state
        for name, sizes in (("gradient", twin.gradients()), ("moved", twin.moved())):
            assert marks[f"n{i}.{name}.ends"]["text"] == f"{show(sizes[0])} → {show(sizes[-1])}"
        assert show(net.moved()[-1]) in marks[f"n{i}"]["aria-label"]
        assert lines[i][1:].startswith(
            f"{kind.name[1:]}: {twin.state}; loss {show(twin.loss)}, {twin.right} of 100 points"
        )
    assert f"The first layer has moved by {show(lab.nets[0].moved()[0])} of its size" in lines[0]
    assert "The first layer has not moved at all, the last by " in lines[2]
    assert opening.startswith("Step 30 of 1000. ") and lab.recording.frames[-1].at == "step 30 of 1000"
    assert_plays(lab)


def test_a_bar_is_as_high_as_its_power_of_ten_and_a_zero_is_a_ring():
    lab = deep_training()
    steps(lab, 5)
    marks, (low, high) = lab.recording.frames[-1].marks, ENDS["moved"]
    bars = marks["n1.moved"]["d"].split("Z")[:-1]
    for size, bar in zip(lab.nets[1].moved(), bars, strict=True):
        top = TOP + ROW + 80 - (math.log10(size) - low) / (high - low) * (80 - UP)
        assert float(bar.split("V")[1].split("h")[0]) == pytest.approx(top, abs=0.06)
    zeros = lab.nets[2].moved().count(0.0)
    assert zeros >= 6 and marks["n2.moved.marks"]["d"].count("a2,2 0 1 0 4,0") == zeros
    assert marks["n1.moved.marks"]["d"] == "M0,0"


def test_one_that_exploded_is_marked_where_it_did():
    """And states differ by more than colour."""
    assert len(set(ICONS.values())) == len(ICONS) == 6
    lab = deep_training(residual_scale="1")
    steps(lab, 60)
    marks, net = lab.recording.frames[-1].marks, lab.nets[4]
    assert marks["n4.state"]["text"] == "exploded" and marks["n4"]["state"] == "wrong"
    assert marks["n4.curve.now"]["r"] == "0" and marks["n0.curve.now"]["r"] == "4"
    assert marks["n4.curve.lost"]["d"].startswith(f"M{172 + 160 * net.steps / 1000 - 4:.1f},")
    assert marks["n0.curve.lost"]["d"] == "M0,0"
    assert_plays(lab)
    assert marks["n4.moved.ends"]["text"] == f"{net.moved()[0]:.0e} → {net.moved()[-1]:.0e}"


def test_a_run_ends_and_says_what_became_of_each(monkeypatch):
    monkeypatch.setattr("figures.labs.deep_training.RUN", 40)
    lab = deep_training(2)
    ask(lab, "reset")
    assert lab.goal == 40
    run(lab)
    assert lab.steps == 40 and {net.steps for net in lab.nets} == {40}
    assert lab.recording.frames[-1].say == f"After 40 steps: {in_words(lab.nets)}."
    assert lab.patch["controls"]["play"]["label"] == "Play"
    run(lab)
    assert lab.steps == lab.goal == 80


def test_all_five_have_taken_as_many_steps_after_a_pause_and_a_step():
    lab = deep_training()
    ask(lab, lr=0.01)
    assert {net.settings.lr for net in lab.nets} == {0.01}
    run(lab, until=lambda lab: lab.steps >= 3, then=["play"])
    now = lab.steps
    assert {net.steps for net in lab.nets} == {now} and lab.said.startswith(f"Paused after {now} steps: ")
    ask(lab, "step")
    assert {net.steps for net in lab.nets} == {now + 1} and lab.said.startswith(f"After {now + 1} steps: ")
    ask(lab, depth=20)
    assert lab.steps == 0 and len(lab.nets[0].weights) == 20 and "none is trained yet" in lab.said


def test_another_optimizer_brings_its_usual_rate_unless_another_was_chosen():
    lab = deep_training()
    ask(lab, optimizer="Adam")
    assert lab.values["lr"] == 0.003 and moved(lab) == {"lr": 0.003}
    assert [type(net.optimizer) for net in lab.nets] == [Adam] * 5
    ask(lab, optimizer="SGD")
    assert lab.values["lr"] == 0.1
    ask(lab, lr=0.02)
    ask(lab, optimizer="Adam")
    assert lab.values["lr"] == 0.02 and not moved(lab)
    assert deep_training(optimizer="Adam").values["lr"] == 0.003


def test_there_is_room_for_every_sentence():
    lab = deep_training()
    lab.steps = 100_000
    said = {lab.said, lab.standing("After")}
    for kind, net in zip(("has learned", "learns", "levelled off", "gets worse", "exploded"), lab.nets, strict=True):
        net.loss = 0.3 if kind == "levelled off" else net.loss
        net.past = {"gets worse": [0.1], "learns": [9.0]}.get(kind, [net.loss])
        net.right, net.exploded, net.steps = 95 * (kind == "has learned"), kind == "exploded", 1
        assert net.state == kind
    said |= {lab.standing("After"), lab.standing("Paused after")}
    assert lab.spec["room"] == ROOM and max(map(len, said)) <= len(ROOM)
