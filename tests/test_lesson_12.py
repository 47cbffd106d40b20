"""Lesson 12: every number in its text is what the engine or a formula gives; the learner's own Tensor learns digits."""

import math

import numpy as np
import pytest

import autograd
from autograd.lessons import digits
from autograd.lessons.digits import load_digits, network, right, scores, train
from autograd.losses import softmax_cross_entropy
from autograd.messages import show
from autograd.tensor import Tensor
from exercises.course import pytorch
from exercises.engine_file import check, parts
from exercises.quizzes import quiz_data
from exercises.shelf import library
from figures.training.digit_nets import RATES, DigitNet, Settings
from tests import lessons

PATH = lessons.NOTEBOOKS / "12_ten_digits.ipynb"
LOSS, SHARE = 1e-3, 1.0  # how far a loss, and a share in per cent, may be from what the text says


@pytest.fixture(scope="module")
def names():
    """The names that the lesson's cells define, unsolved."""
    return lessons.names_of(PATH, with_solutions=False)


def trained(optimizer, epochs, **settings):
    """The mean loss of the last epoch, and the shares of training and test pictures that are right."""
    losses = train(optimizer.parameters, optimizer, epochs, **settings)
    return losses[-28:].mean(), *right(optimizer.parameters)


def sgd(lr, **settings):
    return autograd.SGD(network(), lr=lr, **settings)


# The data and the network


def test_the_pictures_and_the_network(prose):
    data = load_digits()
    assert (len(data.train) + len(data.test), len(data.train), len(data.test)) == (1797, 1400, 397)
    assert "The data are 1,797 pictures of 8 × 8 pixels" in prose and "1,400 are for training; 397" in prose
    assert data.train_labels[0] == 2 and "A 2. The network" in prose
    assert sum(p.data.size for p in network()) == 2410 and "2,410 parameters" in prose
    assert [p.shape for p in network()] == [(64, 32), (32,), (32, 10), (10,)]


def test_its_weights_are_hes_and_its_scores_those_of_the_formula():
    w1, b1, w2, b2 = network(3, hidden=400)
    assert w1.data.std() == pytest.approx(math.sqrt(2 / 64), rel=0.02) and not b1.data.any() and not b2.data.any()
    assert w2.data.std() == pytest.approx(math.sqrt(2 / 400), rel=0.05)
    x = load_digits().train[:5]
    assert scores(x, w1, b1, w2, b2).data == pytest.approx(np.maximum(x @ w1.data, 0) @ w2.data)


def test_each_epoch_takes_each_picture_once_in_a_new_order(monkeypatch):
    data, seen = load_digits(), []
    monkeypatch.setattr(digits, "scores", lambda pictures, *p: seen.append(pictures) or scores(pictures, *p))
    optimizer = sgd(0.1)
    losses = train(optimizer.parameters, optimizer, epochs=2, batch=300)
    assert [len(pictures) for pictures in seen] == [300, 300, 300, 300, 200] * 2 and losses.shape == (10,)
    first, second = (np.concatenate(seen[i : i + 5]) for i in (0, 5))
    assert sorted(map(tuple, first)) == sorted(map(tuple, second)) == sorted(map(tuple, data.train))
    assert not np.array_equal(first, second)


def test_right_counts_what_the_largest_score_says():
    data, parameters = load_digits(), network(1)
    said = scores(data.test, *parameters).data.argmax(axis=1)
    assert right(parameters)[1] == pytest.approx(100 * sum(said == data.test_labels) / 397)


# Softmax and the first loss


def test_softmax_by_hand(names, prose):
    powers = [math.exp(score) for score in (2, 1, 0)]
    assert (f"{powers[0]:.3f}", f"{sum(powers):.3f}") == ("7.389", "11.107") and "7.389 of 11.107" in prose
    assert [show(power / sum(powers)) for power in powers] == ["0.6652", "0.2447", "0.0900"]
    assert "is 0.6652, then 0.2447 and 0.0900" in prose
    more = np.exp(names["three"] + 100)
    assert more / more.sum() == pytest.approx([power / sum(powers) for power in powers], rel=1e-12)
    assert names["large"].tolist() == [math.inf, 1.0] and math.isnan(names["overflowed"][0])


def test_the_first_loss_is_ln_k(names, prose):
    assert f"{math.log(10):.4f}" == "2.3026" and "ln 10 = 2.3026" in prose
    assert softmax_cross_entropy([[0.3] * 10], [4]).data == pytest.approx(math.log(10), rel=1e-12)
    losses = [float(loss) for loss in names["untrained"]]
    assert losses == pytest.approx([2.334, 2.612, 2.691, 2.416, 2.381], abs=LOSS)
    assert min(losses) > math.log(10) and "Above, from 2.33 to 2.69" in prose
    large = DigitNet(Settings(init="normal")).loss
    assert large == pytest.approx(14.5, abs=0.1) and "15 would say: weights too large" in prose


# One step at a time

ANSWERS = {
    "l": {"l0": -0.5, "l1": -0.5},
    "p": {"p00": -0.7516, "p11": -11.0428},
    "s": {"s0": 0.3326, "s1": 0.4547},
    "e": {"e00": -0.1674, "e01": 0.3326, "e02": 0.3326, "e10": 0.4547, "e11": -9.5880, "e12": 0.4547},
    "z": {"z00": -0.1674, "z01": 0.1224, "z02": 0.0450, "z10": 0.0226, "z11": -0.4774, "z12": 0.4547},
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_each_typed_prediction(names, prose, kind):
    assert check.predict(names["loss"], **ANSWERS[kind])
    name = next(iter(ANSWERS[kind]))
    assert not check.predict(names["loss"], **ANSWERS[kind] | {name: ANSWERS[kind][name] + 0.01})
    source = f"check.predict(loss, {', '.join(f'{name}=...' for name in ANSWERS[kind])})"
    assert any(cell.source.endswith(source) for cell in lessons.cells(lessons.read(PATH), "code"))


def test_the_values_on_the_way(names, prose):
    nodes = {node.label: node for node in autograd.topological_order(names["loss"]) if node.label}
    assert f"{names['loss'].data:.4f}" == "1.7513" and "the loss is 1.7513" in prose
    values = {"p00": "0.6652", "p11": "0.0453", "s0": "1.5032", "s1": "1.0996", "e01": "0.3679", "e02": "0.1353"}
    values |= {"e00": "1.0000", "e10": "0.0498", "e11": "0.0498", "e12": "1.0000", "l0": "-0.4076", "l1": "-3.0949"}
    assert {name: f"{nodes[name].data:.4f}" for name in values} == values
    assert "The probabilities are 0.6652 and 0.0453" in prose and "the sums, 1.5032 and 1.0996" in prose
    assert "1, 0.3679, 0.1353 in row 0; 0.0498, 0.0498, 1 in row 1" in prose
    assert "−0.1674, 0.1224, 0.0450 and 0.0226, −0.4774, 0.4547" in prose
    p0, p1, s0, s1, e1 = (nodes[name].data for name in ("p00", "p11", "s0", "s1", "e11"))
    assert [show(x) for x in (-0.5 / p0, -0.5 / p1)] == ["-0.7516", "-11.0428"]
    assert [show(x) for x in (0.5 / p0 / s0**2, 0.5 / p1 * e1 / s1**2)] == ["0.3326", "0.4547"]
    assert [show(0.3326 - 0.7516 / 1.5032), show(0.4547 - 11.0428 / 1.0996)] == ["-0.1674", "-9.5879"]
    names["loss"].backward(reset="all")
    assert [show(nodes[name].grad) for name in ("e00", "e11")] == ["-0.1674", "-9.5880"]
    assert "stood −11.04 and −9.59" in prose


def test_one_line_gives_the_same_and_so_does_the_tensor(names):
    rows, p = names["rows"], names["p"]
    formula = (p - [[1, 0, 0], [0, 1, 0]]) / 2
    assert formula.ravel() == pytest.approx(list(ANSWERS["z"].values()), abs=5e-5)
    assert formula.sum(axis=1) == pytest.approx([0, 0], abs=1e-15) and (abs(formula) <= 1).all()
    z = Tensor(rows)
    z.softmax_cross_entropy([0, 1]).backward()
    assert z.grad == pytest.approx(formula, rel=1e-12)


def test_the_solution_by_hand_is_the_engines_step_on_50_digits_to_the_last_bit():
    answer = check.backward_by_hand.answers(library.solution("backward_by_hand").code)[0]
    data, parameters = load_digits(), network()
    found = answer(data.train[:50], data.train_labels[:50], *(p.data for p in parameters))
    scores(data.train[:50], *parameters).softmax_cross_entropy(data.train_labels[:50]).backward()
    for name, p in zip(("w1", "b1", "w2", "b2"), parameters):
        assert np.abs(found[name] - p.grad).max() < 1e-15


def test_gradients_that_are_exactly_zero(names, prose):
    gradient, pictures = names["w1"].grad, load_digits().train[:50]
    blank = (pictures == 0).all(axis=0)
    assert ((gradient == 0).sum(), gradient.size, blank.sum()) == (593, 2048, 11)
    assert (gradient[blank] == 0).all() and f"{593 / 2048:.0%}" == "29%"
    assert "593, or 29 %. A weight" in prose and "11 pixels are paper in all 50 pictures" in prose
    active = (pictures @ network()[0].data > 0).astype(float)
    touched = pictures.T @ active > 0  # some picture has ink there and an open unit
    assert (gradient[~touched] == 0).all() and (~touched).sum() == 593


# Training


def test_mean_and_sum(names, prose):
    mean, dead, same = (
        trained(sgd(lr), 5, **({"loss": names["summed"]} if summed else {}))
        for lr, summed in ((0.5, False), (0.5, True), (0.01, True))
    )
    assert mean[2] == pytest.approx(95.7, abs=SHARE) and mean[0] == pytest.approx(0.1756, abs=5 * LOSS)
    assert same[2] == pytest.approx(mean[2], abs=SHARE) and same[0] / 50 == pytest.approx(mean[0], abs=5 * LOSS)
    assert dead[2] < 15 and dead[0] / 50 > 2.2
    assert "ends with the same 95.7 %" in prose and "about one in ten right" in prose


def test_the_package_learns_to_98_per_cent(prose):
    loss, on_train, on_test = trained(sgd(0.5), 30)
    assert on_train > 99 and on_test >= 98 and loss < 0.05
    assert "of the test it is 98 to 99 %" in prose and "gets 98 of 100 new pictures right" in prose


def own_network(engine, seed=0):
    return [engine.Tensor(p.data) for p in network(seed)]


def own_scores(engine, pictures, w1, b1, w2, b2):
    return (engine.Tensor(pictures) @ w1 + b1).relu() @ w2 + b2


def test_the_learners_own_tensor_learns_them_to_97_per_cent():
    engine, data = parts.course_engine(), load_digits()
    own = own_network(engine)

    def loss_of(rows):
        return engine.softmax_cross_entropy(own_scores(engine, data.train[rows], *own), data.train_labels[rows])

    losses = engine.fit(own, loss_of, 1400, 50, 0.5, 20, np.random.RandomState(0))
    said = own_scores(engine, data.test, *own).data.argmax(axis=1)
    assert (said == data.test_labels).mean() >= 0.97
    optimizer = sgd(0.5)
    assert losses == pytest.approx(train(optimizer.parameters, optimizer, 20), abs=LOSS)


def test_the_learners_own_step_is_the_packages_to_1e_12():
    engine, data = parts.course_engine(), load_digits()
    own, theirs = own_network(engine), network()
    loss = engine.softmax_cross_entropy(own_scores(engine, data.train[:50], *own), data.train_labels[:50])
    loss.backward()
    right = scores(data.train[:50], *theirs).softmax_cross_entropy(data.train_labels[:50])
    right.backward()
    assert float(loss.data) == pytest.approx(float(right), abs=1e-12)
    for mine, other in zip(own, theirs):
        assert np.abs(mine.grad - other.grad).max() < 1e-12


def test_momentum_of_ones_own_is_the_packages():
    engine, package = parts.course_engine(), network()
    own, velocities = own_network(engine), [0.0] * 4
    optimizer = autograd.SGD(package, lr=0.05, momentum=0.9)
    for step in range(3):
        for mine, theirs in zip(own, package):
            mine.grad = np.full(mine.shape, step - 0.7)
            theirs.grad = mine.grad.copy()
        engine.momentum_step(own, velocities, 0.05)
        optimizer.step()
    for mine, theirs in zip(own, package):
        assert mine.data == pytest.approx(theirs.data, rel=1e-12)


def test_what_the_lab_shows_after_20_epochs(prose):
    def after(**settings):
        net = DigitNet(Settings(**settings))
        moves = []
        for _ in range(560):
            net.step()
            moves.append(net.moved)
        net.look()
        return net, np.array(moves)

    net, moves = after()
    assert DigitNet(Settings()).loss == pytest.approx(2.334, abs=LOSS) and "Just above, at 2.33" in prose
    assert ((moves > 1e-3) & (moves < 1e-1)).mean() > 0.95
    worst = net.tested.worst[0]
    assert (net.data.test_labels[worst], net.tested.said[worst]) == (7, 9) and "a 7 with a bar, read as a 9" in prose
    net, moves = after(lr=0.001)
    assert 5e-5 < moves.min() < moves.max() < 1e-3 and net.loss == pytest.approx(2.100, abs=5 * LOSS)
    assert net.tested.right / 397 == pytest.approx(0.20, abs=0.02) and "the loss is 2.10, and a fifth is right" in prose


def test_shuffled_labels_over_ten_seeds(prose):
    """The lab's seed alone says little of the test; of the training pictures all ten networks say the same."""
    found = []
    for seed in range(10):
        net = DigitNet(Settings(shuffled=True, seed=seed))
        for _ in range(560):
            net.step()
        net.look()
        found.append((net.loss, net.right / 14, net.tested.right / 3.97))
    losses, on_train, on_test = zip(*found)
    assert losses[0] == pytest.approx(2.16, abs=0.02) and max(losses) < 2.22 and "falls to about 2.16" in prose
    assert all(18 < share < 23 for share in on_train) and "a fifth of the training pictures is right" in prose
    assert on_test[0] == pytest.approx(14.4, abs=SHARE) and np.mean(on_test) == pytest.approx(9.7, abs=SHARE)
    assert (min(on_test), max(on_test)) == pytest.approx((2.8, 18.1), abs=SHARE)
    assert "it is 14 % with this seed; with seeds 0 to 9 it is 3 to 18 %, and 10 % on average" in prose


def test_three_ways_to_step(prose):
    sgd5, slow, momentum, adam = (
        trained(optimizer, 5)[2]
        for optimizer in (sgd(0.5), sgd(0.05), sgd(0.05, momentum=0.9), autograd.Adam(network(), lr=0.01))
    )
    for share in (sgd5, momentum, adam):
        assert share == pytest.approx(96, abs=SHARE)
    assert slow == pytest.approx(84.4, abs=SHARE) and "SGD at 0.05 has 84 %" in prose
    assert list(RATES.values()) == [0.5, 0.05, 0.01]
    assert sum(0.9**k for k in range(200)) == pytest.approx(10)


def test_none_of_the_three_ways_wins_with_every_seed(prose):
    ways = (
        lambda net: autograd.SGD(net, lr=0.5),
        lambda net: autograd.SGD(net, lr=0.05, momentum=0.9),
        lambda net: autograd.Adam(net, lr=0.01),
    )
    shares = np.array([[trained(way(network(seed)), 5, seed=seed)[2] for way in ways] for seed in range(5)])
    assert shares.min() == pytest.approx(94.5, abs=SHARE / 2) and shares.max() == pytest.approx(97.5, abs=SHARE / 2)
    assert set(shares.argmax(axis=1)) == {0, 1, 2}
    assert "with seeds 0 to 4 it is 94 to 98 %, and each of the three is ahead with one of them" in prose


# Break it: softmax twice


def test_the_floor_of_softmax_twice(names, prose):
    floors = {k: math.log(1 + (k - 1) / math.e) for k in (2, 3, 4, 10)}
    assert [f"{floor:.4f}" for floor in floors.values()] == ["0.3133", "0.5514", "0.7437", "1.4612"]
    assert "0.3133, 0.5514 and 0.7437" in prose and "ln(1 + 9/e) = 1.4612" in prose
    for k, floor in floors.items():
        sure = Tensor(np.eye(k)[:1] * 100)
        assert float(names["twice"](sure, [0])) == pytest.approx(floor, rel=1e-12)


def test_a_network_with_softmax_twice_works_and_is_stuck(names, prose):
    assert names["stuck"][-28:].mean() == pytest.approx(1.49, abs=0.005) and "stuck at 1.49" in prose
    assert right(names["optimizer"].parameters)[1] == pytest.approx(98.5, abs=SHARE)
    assert names["stuck"].min() > math.log(1 + 9 / math.e)
    data, shorter = load_digits(), []
    for seed in range(10):
        lengths = []
        for loss in (digits.mean_cross_entropy, names["twice"]):
            parameters = network(seed)
            loss(scores(data.train, *parameters), data.train_labels).backward()
            lengths.append(math.sqrt(sum((p.grad**2).sum() for p in parameters)))
        shorter.append(lengths[0] / lengths[1])
    assert [f"{ratio:.0f}" for ratio in (shorter[0], min(shorter), max(shorter))] == ["14", "12", "18"]
    assert "the gradient over all pictures is shorter, 14 times here and 12 to 18 times with seeds 0 to 9" in prose


def test_eight_rows_by_heart_end_at_the_floor(names):
    optimizer, data = sgd(0.5), load_digits()
    for _ in range(2000):
        loss = names["twice"](scores(data.train[:8], *optimizer.parameters), data.train_labels[:8])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert float(loss) == pytest.approx(math.log(1 + 9 / math.e), abs=LOSS)


# The quiz


def question(name):
    return next(q for q in quiz_data.load("12")["questions"] if q["id"] == name)


def test_numbers_of_the_quiz():
    assert f"{math.log(100):.4f}" == "4.6052" and "ln 100 is 4.6052" in question("12-first-loss")["options"][1]["text"]
    z = Tensor(np.log([[0.2, 0.3, 0.5]] * 4))
    z.softmax_cross_entropy([0, 1, 1, 2]).backward()
    number = question("12-gradient-at-target")["number"]
    assert z.grad[0, 0] == pytest.approx(number["answer"])
    wrong = [value for value, _ in number["wrong"]]
    assert wrong == pytest.approx([0.2 - 1, 0.2, 0.2 / 4, 1 - 0.2, -1 / (4 * 0.2), 0.2 * 0.8 / 4])
    assert question("12-sum-or-mean")["number"]["answer"] == 0.1 / 50
    assert f"{math.exp(100):.1e}" == "2.7e+43"
    three = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 5.0], [2.0, 2.0, 0.0]])
    wrong = np.exp(three) / np.exp(three).sum(axis=1)
    assert wrong[0, 1] == pytest.approx(np.exp(2.0) / np.exp(three[1]).sum())


# Beside PyTorch


def test_pytorch_gives_the_same_numbers():
    here, (there, _) = pytorch.ran_here("six digits"), pytorch.recorded("six digits")
    assert [output for output in here if output] == [output for output in there if output] and here[5] == "'2.209674'"


def test_the_record_is_what_pytorch_gives():
    pytest.importorskip("torch", reason="PyTorch is not installed: README.md says how")
    assert pytorch.ran_in_pytorch("six digits")[0] == pytorch.recorded("six digits")[0]
