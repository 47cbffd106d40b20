"""Lesson 12: every number in its text is what the engine or a formula gives; the learner's own Tensor learns digits."""

import math

import numpy as np
import pytest

import autograd
from autograd.compile.array_replay import ArrayReplay
from autograd.lessons import digits
from autograd.lessons.digits import load_digits, network, right, scores, train
from autograd.tensor import Tensor
from autograd.training.losses import softmax_cross_entropy
from exercises.course import pytorch
from exercises.engine_file import check, trial
from exercises.quizzes import quiz_data
from exercises.shelf import library
from figures.training.digit_nets import RATES, DigitNet, Settings
from tests.engines import names_in
from tests.notebooks import Lesson

LESSON = Lesson("12", trains=True)
QUESTIONS = {each["id"]: each for each in quiz_data.load("12")["questions"]}
LOSS, SHARE = 1e-3, 1.0  # how far a loss, and a share in per cent, may be from what the text says
DATA = load_digits()


def trained(optimizer, epochs, **settings):
    """The mean loss of the last epoch, and the shares of training and test pictures that are right."""
    losses = train(optimizer.parameters, optimizer, epochs, **settings)
    return losses[-28:].mean(), *right(optimizer.parameters)


def sgd(lr, **settings):
    return autograd.SGD(network(), lr=lr, **settings)


# The data, the network and its training


def test_the_pictures_and_the_network():
    counts = len(DATA.train) + len(DATA.test), len(DATA.train), len(DATA.test)
    LESSON.says("The data are {:,} pictures of 8 × 8 pixels".format(*counts))
    LESSON.says("{1:,} are for training; {2}".format(*counts), f"It's a {DATA.train_labels[0]}. The network")
    assert [p.shape for p in network()] == [(64, 32), (32,), (32, 10), (10,)]
    LESSON.says(f"{sum(p.data.size for p in network()):,} parameters")
    w1, b1, w2, b2 = network(3, hidden=400)  # He's weights
    assert w1.data.std() == pytest.approx(math.sqrt(2 / 64), rel=0.02) and not b1.data.any() and not b2.data.any()
    assert w2.data.std() == pytest.approx(math.sqrt(2 / 400), rel=0.05)
    found = scores(DATA.test, w1, b1, w2, b2).data
    assert found == pytest.approx(np.maximum(DATA.test @ w1.data, 0) @ w2.data)
    said = found.argmax(axis=1)
    assert right([w1, b1, w2, b2])[1] == pytest.approx(100 * sum(said == DATA.test_labels) / 397)


def test_each_epoch_takes_each_picture_once_in_a_new_order(monkeypatch):
    seen, optimizer = [], sgd(0.1)
    step = ArrayReplay.backward
    monkeypatch.setattr(ArrayReplay, "backward", lambda *given: seen.append(given[1]) or step(*given))
    losses = train(optimizer.parameters, optimizer, epochs=2, batch=300)
    assert [len(pictures) for pictures in seen] == [300, 300, 300, 300, 200] * 2 and losses.shape == (10,)
    first, second = (np.concatenate(seen[i : i + 5]) for i in (0, 5))
    assert sorted(map(tuple, first)) == sorted(map(tuple, second)) == sorted(map(tuple, DATA.train))
    assert not np.array_equal(first, second)


# Softmax and the first loss


def test_softmax_by_hand_and_the_first_loss():
    powers = [math.exp(score) for score in (2, 1, 0)]
    shares = [power / sum(powers) for power in powers]
    LESSON.says("{:.3f} of {:.3f} is {:.4f}, then {:.4f} and {:.4f}".format(powers[0], sum(powers), *shares))
    more = np.exp(LESSON["three"] + 100)
    assert more / more.sum() == pytest.approx(shares, rel=1e-12)
    assert LESSON["large"].tolist() == [math.inf, 1.0] and math.isnan(LESSON["shares"][0])
    LESSON.says(f"ln 10 = {math.log(10):.4f}", "weights and inputs are not far too large**: a loss of 15 would")
    assert softmax_cross_entropy([[0.3] * 10], [4]).data == pytest.approx(math.log(10), rel=1e-12)
    losses = LESSON["untrained"]
    assert losses == pytest.approx([2.334, 2.612, 2.691, 2.416, 2.381], abs=LOSS) and min(losses) > math.log(10)
    shuffled = [DigitNet(Settings(seed=seed, shuffled=True)).loss for seed in range(5)]
    twice = [float(LESSON["twice"](scores(DATA.train, *network(seed)), DATA.train_labels)) for seed in range(5)]
    starts = [f"{min(found):.2f} to {max(found):.2f}" for found in (losses, shuffled, twice)]
    LESSON.says(f"Above, from {starts[0]}.", "begin at {} here, and a second softmax at {}.".format(*starts[1:]))
    assert DigitNet(Settings(init="normal")).loss == pytest.approx(14.5, abs=0.1)


# One step at a time


@pytest.mark.long
def test_each_typed_prediction_and_the_values_on_the_way():
    loss, rows = LESSON["loss"], LESSON["rows"]
    loss.backward(reset="all")
    nodes = {node.label: node for node in autograd.topological_order(loss) if node.label}
    value = {name: node.data for name, node in nodes.items()}
    grad = {name: round(node.grad, 4) for name, node in nodes.items()}
    powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    sums, p = powers.sum(axis=1), LESSON["p"]
    slopes = -0.5 / p[0, 0], -0.5 / p[1, 1]
    z = (p - [[1, 0, 0], [0, 1, 0]]) / 2
    by_hand = {"l0": -0.5, "l1": -0.5, "p00": slopes[0], "p11": slopes[1]}
    by_hand |= {f"s{i}": -slopes[i] * powers[i, i] / sums[i] ** 2 for i in (0, 1)}
    by_hand |= {f"e{i}{j}": by_hand[f"s{i}"] + (slopes[i] / sums[i] if i == j else 0) for i in (0, 1) for j in range(3)}
    by_hand |= {f"z{i}{j}": z[i, j] for i in (0, 1) for j in range(3)}
    assert grad == {name: pytest.approx(by_hand[name], abs=5.1e-5) for name in grad}
    assert grad["e11"] == -9.588
    for names in ("l0 p00", "s0 e01 e00", "z00 z01 z02"):
        asked = {name: grad[name] for name in names.split()}
        assert check.predict(loss, **asked)
        name = next(iter(asked))
        assert not check.predict(loss, **asked | {name: asked[name] + 0.01})
        LESSON.says(f"check.predict(loss, {', '.join(f'{name}=...' for name in asked)})")
    assert [f"{value[f'e{i}{j}']:.4f}" for i in (0, 1) for j in range(3)] == [
        *("1.0000", "0.3679", "0.1353", "0.0498", "0.0498", "1.0000"),
    ]
    texts = (
        f"p00, which is {value['p00']:.4f}",
        f"-0.5 / {value['p00']:.4f} = {grad['p00']:.4f}",
        f"in row 1, with {value['p11']:.4f}, it is {grad['p11']:.4f}",
        f"Next the sum, {value['s0']:.4f}",
        f"{-grad['p00']:.4f} / {value['s0']:.4f}² = {grad['s0']:.4f} for s0. e01 gets the same",
        f"{grad['s0']:.4f} - {-grad['p00']:.4f} / {value['s0']:.4f} = {grad['e00']:.4f}",
        "slope is its own value: {:g}, {:.4f} and {:.4f}".format(*(value[f"e0{j}"] for j in range(3))),
        "{:.4f}, {:.4f} and {:.4f}".format(*(grad[f"z0{j}"] for j in range(3))),
        f"through row 1 passes {grad['p11']:.2f} and {grad['e11']:.2f}",
    )
    assert grad["s0"] == grad["e01"]
    LESSON.says(*(text.replace("-", "−") for text in texts))
    assert z.sum(axis=1) == pytest.approx([0, 0], abs=1e-15) and (abs(z) <= 1).all()
    tensor = Tensor(rows)
    tensor.softmax_cross_entropy([0, 1]).backward()
    assert tensor.grad == pytest.approx(z, rel=1e-12)


def test_gradients_that_are_exactly_zero():
    gradient, pictures = LESSON["w1"].grad, DATA.train[:50]
    blank, zeros = (pictures == 0).all(axis=0), (gradient == 0).sum()
    touched = pictures.T @ (pictures @ network()[0].data > 0) > 0  # some picture has ink there and an open unit
    assert (gradient[blank] == 0).all() and (gradient[~touched] == 0).all() and (~touched).sum() == zeros
    LESSON.says(
        f"{gradient.size:,} gradients is exactly 0", f"{zeros}, or {zeros / gradient.size:.0%}".replace("%", " %")
    )
    LESSON.says(f"{blank.sum()} pixels are paper in all 50 pictures")


# Training


def test_mean_and_sum():
    mean, dead, same = (
        trained(sgd(lr), 5, **({"loss": LESSON["summed"]} if summed else {}))
        for lr, summed in ((0.5, False), (0.5, True), (0.01, True))
    )
    assert mean[2] == pytest.approx(95.7, abs=SHARE) and mean[0] == pytest.approx(0.1756, abs=5 * LOSS)
    assert same[2] == pytest.approx(mean[2], abs=SHARE) and same[0] / 50 == pytest.approx(mean[0], abs=5 * LOSS)
    assert dead[2] < 15 and dead[0] / 50 > 2.2
    LESSON.says("ends with the same 95.7 %", "about one in ten right")


def own_network(engine, seed=0):
    return [engine.Tensor(p.data) for p in network(seed)]


def own_scores(engine, pictures, w1, b1, w2, b2):
    return (engine.Tensor(pictures) @ w1 + b1).relu() @ w2 + b2


def test_the_learners_own_tensor_learns_them_to_98_per_cent():
    """Its first step is the package's to 1e-12, and so is a step by its momentum."""
    engine, theirs = trial.template_engine(), network()
    own = own_network(engine)

    def loss_of(rows):
        return engine.softmax_cross_entropy(own_scores(engine, DATA.train[rows], *own), DATA.train_labels[rows])

    loss, their_loss = (
        loss_of(range(50)),
        scores(DATA.train[:50], *theirs).softmax_cross_entropy(DATA.train_labels[:50]),
    )
    loss.backward()
    their_loss.backward()
    assert float(loss.data) == pytest.approx(float(their_loss), abs=1e-12)
    assert all(np.abs(mine.grad - other.grad).max() < 1e-12 for mine, other in zip(own, theirs))
    own = own_network(engine)
    losses = engine.fit(own, loss_of, 1400, 50, 0.5, 30, np.random.RandomState(0))
    said = own_scores(engine, DATA.test, *own).data.argmax(axis=1)
    optimizer = sgd(0.5)
    assert 0.98 <= (said == DATA.test_labels).mean() < 0.995
    LESSON.says("so are 98 to 99 % of the test pictures", "gets 98 % of 397 new pictures right")
    assert losses == pytest.approx(train(optimizer.parameters, optimizer, 30), abs=LOSS)
    package, own, velocities = network(), own_network(engine), [0.0] * 4
    optimizer = autograd.SGD(package, lr=0.05, momentum=0.9)
    momentum_step = names_in(library.solution("momentum_step").code)["momentum_step"]
    for step in range(3):
        for mine, theirs in zip(own, package):
            mine.grad = np.full(mine.shape, step - 0.7)
            theirs.grad = mine.grad.copy()
        momentum_step(own, velocities, 0.05)
        optimizer.step()
    assert all(mine.data == pytest.approx(other.data, rel=1e-12) for mine, other in zip(own, package))


def after(**settings):
    """The lab's network after 20 epochs, and how far its two layers have moved at each step."""
    net, moves = DigitNet(Settings(**settings)), []
    for _ in range(560):
        net.step()
        moves.append(net.moved)
    net.look()
    return net, np.array(moves)


@pytest.mark.long
def test_what_the_lab_shows_after_20_epochs_and_with_shuffled_labels():
    net, moves = after()
    worst = net.tested.worst[0]
    assert DigitNet(Settings()).loss == pytest.approx(2.334, abs=LOSS)
    assert ((moves > 1e-3) & (moves < 1e-1)).mean() > 0.95
    LESSON.says("Just above, at 2.33")
    LESSON.says(f"a {net.data.test_labels[worst]} with a bar, read as a {net.tested.said[worst]}")
    net, moves = after(lr=0.001)
    assert 5e-5 < moves.min() < moves.max() < 1e-3 and net.loss == pytest.approx(2.100, abs=5 * LOSS)
    assert net.tested.right / 397 == pytest.approx(0.20, abs=0.02)
    LESSON.says("a fifth is right, at a loss of 2.10")
    # The lab's seed alone says little of the test; of the training pictures all ten networks say the same.
    nets = [after(shuffled=True, seed=seed)[0] for seed in range(10)]
    losses, on_test = [net.loss for net in nets], [net.tested.right / 3.97 for net in nets]
    assert losses[0] == pytest.approx(2.16, abs=0.02) and max(losses) < 2.22
    assert all(18 < net.right / 14 < 23 for net in nets)
    assert on_test[0] == pytest.approx(14.4, abs=SHARE) and np.mean(on_test) == pytest.approx(9.7, abs=SHARE)
    assert (min(on_test), max(on_test)) == pytest.approx((2.8, 18.1), abs=SHARE)
    LESSON.says("falls to about 2.16", "a fifth of the training pictures is right")
    LESSON.says("it is 14 % with this seed. With seeds 0 to 9 it is 3 to 18 %, on average 10 %")


def test_three_ways_to_step_of_which_none_wins_with_every_seed():
    ways = (
        lambda net: autograd.SGD(net, lr=0.5),
        lambda net: autograd.SGD(net, lr=0.05, momentum=0.9),
        lambda net: autograd.Adam(net, lr=0.01),
    )
    shares = np.array([[trained(way(network(seed)), 5, seed=seed)[2] for way in ways] for seed in range(5)])
    assert shares[0] == pytest.approx([96] * 3, abs=SHARE) and trained(sgd(0.05), 5)[2] == pytest.approx(
        84.4, abs=SHARE
    )
    assert shares.min() == pytest.approx(94.5, abs=SHARE / 2) and shares.max() == pytest.approx(97.5, abs=SHARE / 2)
    assert set(shares.argmax(axis=1)) == {0, 1, 2} and list(RATES.values()) == [0.5, 0.05, 0.01]
    LESSON.says(
        "SGD at 0.05 has 84 %", "with seeds 0 to 4, which draw the weights and the order, they reach 94 to 98 %"
    )
    LESSON.says("each of the three is ahead with some seed")


@pytest.mark.parametrize("seed", range(3))
def test_adams_steps_begin_at_lr_and_get_shorter(seed):
    optimizer, moves = autograd.Adam(network(seed), lr=0.01), []
    step = optimizer.step

    def watched():
        before = [p.data.copy() for p in optimizer.parameters]
        step()
        moves.append(np.concatenate([abs(p.data - old).ravel() for p, old in zip(optimizer.parameters, before)]) / 0.01)

    optimizer.step = watched
    train(optimizer.parameters, optimizer, 1, seed=seed)
    assert np.median(moves[0][moves[0] > 0]) == pytest.approx(1, rel=0.01) and 0.15 < np.median(moves[-1]) < 0.25
    LESSON.says("at first each weight moves by about lr", "after one epoch here, half of them by under 0.25 lr")


# Break it: softmax twice


@pytest.mark.long
def test_a_network_with_softmax_twice_works_and_is_stuck_at_the_floor():
    floors = {k: math.log(1 + (k - 1) / math.e) for k in (2, 3, 4, 10)}
    for k, floor in floors.items():
        assert float(LESSON["twice"](Tensor(np.eye(k)[:1] * 100), [0])) == pytest.approx(floor, rel=1e-12)
    LESSON.says(f"ln(1 + 9/e) = {floors[10]:.4f}")
    # And eight rows that it has by heart end at the floor.
    stuck, floor, shorter = LESSON["stuck"], math.log(1 + 9 / math.e), []
    assert stuck[-28:].mean() == pytest.approx(1.49, abs=0.005) and stuck.min() > floor
    assert right(LESSON["optimizer"].parameters)[1] == pytest.approx(98.5, abs=SHARE)
    for seed in range(10):
        lengths = []
        for loss in (digits.mean_cross_entropy, LESSON["twice"]):
            parameters = network(seed)
            loss(scores(DATA.train, *parameters), DATA.train_labels).backward()
            lengths.append(math.sqrt(sum((p.grad**2).sum() for p in parameters)))
        shorter.append(lengths[0] / lengths[1])
    found = f"{shorter[0]:.0f} times here and {min(shorter):.0f} to {max(shorter):.0f} times"
    LESSON.says("stuck at 1.49", f"the gradient over all pictures is shorter, {found} with seeds 0 to 9")
    optimizer = sgd(0.5)
    for _ in range(2000):
        loss = LESSON["twice"](scores(DATA.train[:8], *optimizer.parameters), DATA.train_labels[:8])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert float(loss) == pytest.approx(floor, abs=LOSS)


def test_pytorch_gives_the_same_numbers_and_those_of_the_quiz():
    assert f"ln 100 is {math.log(100):.4f}" in QUESTIONS["12-first-loss"]["options"][1]["text"]
    z = Tensor(np.log([[0.2, 0.3, 0.5]] * 4))
    z.softmax_cross_entropy([0, 1, 1, 2]).backward()
    number = QUESTIONS["12-gradient-at-target"]["number"]
    assert z.grad[0, 0] == pytest.approx(number["answer"])
    wrong = [value for value, _ in number["wrong"]]
    assert wrong == pytest.approx([0.2 - 1, 0.2, 0.2 / 4, 1 - 0.2, -1 / (4 * 0.2), 0.2 * 0.8 / 4])
    assert QUESTIONS["12-sum-or-mean"]["number"]["answer"] == 0.1 / 50
    here, (there, _) = pytorch.ran_here("six digits"), pytorch.recorded("six digits")
    assert [output for output in here if output] == [output for output in there if output] and here[5] == "'2.209674'"
