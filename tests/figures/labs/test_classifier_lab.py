"""The classifier lab: its network is the engine's, what it shows is what that network does, and it takes any input."""

import base64
import io
import math

import numpy as np
import pytest
from PIL import Image

from autograd import SGD, Adam
from autograd.errors.messages import show
from autograd.lessons.digits import load_digits
from autograd.training.losses import softmax_cross_entropy
from figures import classifier
from figures.labs.classifier import BAND, LOSS, MOVES, ROOM, counted, mistakes
from figures.training import digit_nets, sheets
from figures.training.digit_nets import ADAM, DESCENT, MOMENTUM, SMALL, ZERO, DigitNet, Settings
from tests.labs import ask, moved, run, scalars
from tests.walks import assert_plays


def trained(steps=None, **settings):
    """A network after some steps, or 20 epochs."""
    net = DigitNet(Settings(**settings))
    for _ in range(20 * net.a_whole_epoch if steps is None else steps):
        net.step()
    net.look()
    return net


def steps(lab, count):
    """So many steps of a lab, drawn once."""
    for _ in range(count):
        lab.step()
    lab.draw()
    return lab.recording.frames[-1].marks


# The network


@pytest.mark.parametrize("optimizer", [DESCENT, MOMENTUM, ADAM])
def test_losses_gradients_and_steps_are_the_scalar_engines(optimizer):
    """Three steps on five pictures, by Values, one product at a time."""
    net = DigitNet(Settings(hidden=4, batch=5, lr=0.05, optimizer=optimizer, seed=3))
    order = np.random.RandomState(3)
    order.standard_normal(64 * 4 + 4 * 10)  # the weights
    order, data = order.permutation(1400), load_digits()
    values = [scalars(parameter.data) for parameter in net.parameters()]
    flat = [value for matrix in values for row in matrix for value in row]
    stepper = {DESCENT: SGD(flat, 0.05), MOMENTUM: SGD(flat, 0.05, 0.9), ADAM: Adam(flat, 0.05)}[optimizer]
    w1, (b1,), w2, (b2,) = values
    for step in range(3):
        rows, scores = order[5 * step : 5 * step + 5], []
        for x in data.train[rows]:
            hidden = [sum((p * row[j] for p, row in zip(x, w1)), b).relu() for j, b in enumerate(b1)]
            scores.append([sum((h * row[k] for h, row in zip(hidden, w2)), b) for k, b in enumerate(b2)])
        loss = softmax_cross_entropy(scores, data.train_labels[rows].tolist())
        stepper.zero_grad()
        loss.backward()
        net.step()
        assert net.curve.points()[-1][1] == pytest.approx(loss.data, rel=1e-10)
        for mine, theirs in zip(net.parameters(), values):
            found = np.array([[value.grad for value in row] for row in theirs]).reshape(mine.shape)
            assert mine.grad == pytest.approx(found, rel=1e-9, abs=1e-13)
        stepper.step()
    found = np.array([[value.data for value in row] for row in w1])
    assert net.weights[0].data == pytest.approx(found, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("optimizer", [DESCENT, MOMENTUM, ADAM])
def test_it_learns_the_digits(optimizer):
    net = trained(optimizer=optimizer, lr=digit_nets.RATES[optimizer])
    assert net.epochs == 20 and net.right >= 0.985 * 1400 and net.tested.right >= 0.97 * 397


def test_shuffled_labels_are_learned_by_heart_and_teach_nothing():
    net = trained(shuffled=True)
    assert net.loss > 1.9 and net.tested.right < 0.25 * 397
    data = load_digits()
    assert not np.array_equal(net.labels, data.train_labels) and sorted(net.labels) == sorted(data.train_labels)
    assert np.array_equal(DigitNet(Settings()).labels, data.train_labels)


def test_an_ignorant_networks_loss_is_ln_10():
    assert DigitNet(Settings(init=ZERO)).loss == pytest.approx(math.log(10), rel=1e-12) == digit_nets.GUESS
    assert DigitNet(Settings(init=SMALL)).loss == pytest.approx(math.log(10), abs=0.01)
    assert DigitNet(Settings(init="normal")).loss > 10
    zeros = trained(30, init=ZERO)
    assert not zeros.weights[0].grad.any() and not zeros.weights[1].grad.any() and zeros.biases[1].grad.any()


def test_each_picture_is_seen_once_an_epoch_and_the_last_batch_is_smaller(monkeypatch):
    sizes = []
    net = DigitNet(Settings(batch=200, lr=0.01))
    step = net.recorded.backward
    monkeypatch.setattr(net.recorded, "backward", lambda *batch: sizes.append(len(batch[0])) or step(*batch))
    for _ in range(14):
        net.step()
    assert sizes == [200] * 7 * 2 and net.epochs == 2 and sorted(net.order) == list(range(1400))
    net = DigitNet(Settings(batch=50))
    assert net.a_whole_epoch == 28 and DigitNet(Settings(batch=1)).a_whole_epoch == 1400


def test_a_step_beside_the_weights_is_that_of_its_formula():
    net = trained(3)
    before = [weights.data.copy() for weights in net.weights]
    net.step()
    for way, weights, old in zip(net.moved, net.weights, before, strict=True):
        assert way == pytest.approx(np.linalg.norm(0.5 * weights.grad) / np.linalg.norm(old), rel=1e-9)
        assert BAND[0] < way < BAND[1]


# What the lab shows


def test_it_shows_and_says_the_numbers_of_its_network():
    lab = classifier()
    assert "layer 1 –, layer 2 –" in lab.text() and "not trained yet" in lab.text()
    marks, twin, text = steps(lab, 40), trained(40), lab.text()
    test, labels, scores = twin.tested, twin.data.test_labels, twin.scores(twin.data.test).data
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    losses = -np.log(chances[np.arange(397), labels])
    worst = sorted(range(397), key=lambda i: -losses[i])[:10]
    assert test.losses == pytest.approx(losses, rel=1e-9) and list(test.worst[:10]) == worst
    assert test.confusion.sum() == 397 and np.trace(test.confusion) == test.right
    assert test.confusion[labels[worst[0]], scores[worst[0]].argmax()] > 0
    assert marks["loss"]["text"] == f"Loss {show(twin.loss)}"
    right = f"right: train {100 * twin.right / 1400:.1f} %, test {100 * test.right / 397:.1f} %"
    assert marks["right"]["text"] == right
    for i, weights in enumerate(twin.weights):
        mean, moves = show(float(abs(weights.grad).mean())), f"layer {i + 1} {show(twin.moved[i])}"
        assert (marks[f"g{i}.mean"]["text"], marks[f"m{i}.now"]["text"]) == (f"mean {mean}", moves)
        assert mean in text and moves in text
    for place, i in enumerate(worst):
        assert marks[f"worst{place}.said"]["text"] == f"{labels[i]} → {test.said[i]}"
        assert marks[f"worst{place}.loss"]["text"] == show(float(losses[i]))
    for a in range(10):
        for b in range(10):
            count = test.confusion[a, b]
            assert marks[f"c{a}{b}"]["text"] == (str(count) if count else "")
            assert marks[f"c{a}{b}"]["state"] == ("none" if not count else "right" if a == b else "wrong")
    a, b = max(mistakes(test), key=lambda pair: test.confusion[pair])
    assert f": {test.confusion[a, b]}" in text.splitlines()[-1]
    i = worst[0]
    assert f"a {labels[i]}, said {test.said[i]}, loss {show(float(losses[i]))}" in text
    assert lab.recording.frames[-1].at == "epoch 1.43 of 20"
    assert_plays(lab)


def test_curves_are_where_their_numbers_are():
    """The loss begins above the line of ln 10; a line of steps is as high as its power of ten."""
    lab = classifier()
    marks = lab.recording.frames[-1].marks
    assert float(marks["loss.now"]["cy"]) == pytest.approx(LOSS(lab.net.loss), abs=0.06)
    assert LOSS(lab.net.loss) < LOSS(math.log(10)) and marks["loss.curve"]["d"] == "M0,0"
    assert f"M40,{LOSS(math.log(10)):.1f}H312" in lab.recording.render(marks)
    marks = steps(lab, 1)
    for i, size in enumerate(lab.net.moved):
        assert marks[f"m{i}"]["d"] == f"M40.0,{MOVES(math.log10(size)):.1f}"
    assert steps(classifier(init=ZERO), 5)["m0"]["d"] == "M0,0"
    assert float(steps(lab, 27)["loss.now"]["cx"]) == pytest.approx(40 + 272 * 27.0 / 28 / 20, abs=0.06)


def test_counts_of_sizes():
    zeros, counts = counted(np.array([[0.0, 3e-8, -0.5], [1e-30, 1e9, math.inf], [math.nan, 0.0, -0.4]]))
    assert zeros == 2 and sum(counts) == 5
    assert counts[0] == 1 + 1 and counts[-1] == 1 and counts[15] == 2  # 10^-0.5 to 1 is the half decade of 0.4 and 0.5


def opened(address):
    """The pixels of a PNG's data address."""
    return np.array(Image.open(io.BytesIO(base64.b64decode(address.removeprefix("data:image/png;base64,")))))


def test_pictures_are_the_weights_and_the_digits():
    lab = classifier(4)
    marks = steps(lab, 20)
    sheet = opened(marks["units.picture"]["href"]).astype(int)
    assert sheet.shape == (35, 71, 4) and (sheet[:8, 8, 3] == 0).all() and (sheet[9:, :, 3] == 0).all()
    weights, light = lab.net.weights[0].data, sheet[..., :3].sum(axis=2)
    unit = light[:8, 9:17].ravel()
    order = np.argsort(weights[:, 1])
    assert (np.diff(unit[order]) >= -6).all() and unit[order[-1]] > unit[order[0]]  # lighter for larger
    i = lab.net.tested.worst[0]
    drawn = opened(marks["worst0"]["href"])
    assert drawn == pytest.approx(255 * (1 - lab.net.data.test[i].reshape(8, 8)), abs=0.6)
    assert sheets.weights(np.zeros((64, 8))) and sheets.weights(np.full((64, 40), math.nan))


def test_more_than_32_units_are_said_not_to_be_all():
    assert ask(classifier(), hidden=64)["units"]["text"] == "the first 32 of 64 units"
    assert ask(classifier(), hidden=7)["units"]["text"] == "7 units"


# What can be pressed


def test_a_run_ends_and_says_what_was_learned(monkeypatch):
    monkeypatch.setattr("figures.labs.classifier.RUN", 2)
    lab = classifier(batch=200)
    ask(lab, "reset")
    run(lab)
    assert lab.net.epochs == lab.goal == 2
    said = lab.recording.frames[-1].say
    assert said.startswith(f"After 2 epochs (14 steps): loss {show(lab.net.loss)} on the training pictures; ")
    run(lab)
    assert lab.net.epochs == lab.goal == 4


def test_a_learning_rate_acts_on_the_next_step_and_shuffled_labels_begin_anew():
    lab = classifier(batch=10)
    run(lab, until=lambda lab: lab.net.steps >= 3, then=["play"])
    now = lab.net.steps
    ask(lab, "step", lr=0.01)
    assert lab.net.steps == now + 1 and lab.net.settings.lr == lab.net.optimizer.lr == 0.01
    assert lab.said.startswith("After ")
    ask(lab, shuffled=True)
    assert lab.net.steps == 0 and "whose labels are shuffled" in lab.said and "not trained yet" in lab.said


def test_another_optimizer_brings_its_usual_rate_unless_another_was_chosen():
    lab = classifier()
    ask(lab, optimizer="Adam")
    assert lab.values["lr"] == 0.01 and moved(lab) == {"lr": 0.01}
    assert isinstance(lab.net.optimizer, Adam)
    ask(lab, lr=0.02)
    ask(lab, optimizer="momentum")
    assert lab.values["lr"] == 0.02 and lab.net.optimizer.momentum == 0.9
    assert classifier(optimizer="momentum").values["lr"] == 0.05


def test_numbers_that_overflow_end_the_run_with_a_sentence():
    lab = classifier(lr=1e300)
    run(lab)
    now = lab.net.steps
    assert lab.net.exploded and now < 200 and "larger than the largest float" in lab.said and not lab.playing
    lab.net.step()
    assert lab.net.steps == now
    assert_plays(lab)


@pytest.mark.parametrize("init", digit_nets.INITS)
def test_every_network_has_the_marks_of_its_stage(init):
    lab = classifier()
    ask(lab, init=init, hidden=64, batch="1")
    steps(lab, 40)
    assert_plays(lab)


def test_there_is_room_for_every_sentence():
    lab = classifier(shuffled=True, batch=1)
    said = {lab.said, *(lab.standing(begin) for begin in ("After", "Paused after"))}
    lab.net.steps, lab.net.loss = 139_860, 1.234e-10
    said |= {lab.standing("After"), lab.standing("Paused after")}
    lab.net.exploded = True
    said.add(lab.standing("After"))
    assert lab.spec["room"] == ROOM and max(map(len, said)) <= len(ROOM)
