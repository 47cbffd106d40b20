"""Lesson 09: every number in its text is what the engine, its labs or PyTorch give."""

import math
import random
import statistics

import numpy as np
import pytest

import autograd
from autograd import MLP, Value
from autograd.dual import forward_gradient
from exercises.engine_file import check, trial
from exercises.lessons.lesson_09.moons.check import new_moons
from exercises.quizzes import quiz_data
from figures.training import borders
from figures.training.run import Training
from figures.training.seeds import Race, counts
from figures.training.settings import checked
from tests.notebooks import Lesson

LESSON = Lesson("09", with_solutions=True, trains=True)
ROWS, TARGETS = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


def outputs(net, digits=None):
    return [net(row).data if digits is None else round(net(row).data, digits) for row in ROWS]


def is_right(found):
    return all((output > 0.5) == (target == 1) for output, target in zip(found, TARGETS))


def guides_net():
    random.seed(42)
    return MLP(2, [4, 1], "sigmoid", "sigmoid", init="fan_in")


def textbooks_net(seed):
    return MLP(2, [4, 4, 1], "tanh", "tanh", rng=random.Random(seed))


# The loop


@pytest.mark.long
def test_the_first_steps_and_the_run_of_1000_epochs():
    net, losses = guides_net(), LESSON["losses"]
    assert len(net.parameters()) == 17 and outputs(LESSON["untrained"]()) == outputs(net)
    assert all(0.35 < output < 0.39 for output in outputs(net))
    LESSON.says("close to 0.37", f"from {losses[0]:.4f} to {losses[1]:.4f}")
    LESSON.shows(f"({losses[0]!r}, {losses[1]!r})")
    assert [round(loss, 6) for loss in losses[::100]] == [
        *(1.067385, 0.805927, 0.190474, 0.035562, 0.015281),
        *(0.009271, 0.006544, 0.005017, 0.00405, 0.003385),
    ]
    assert outputs(LESSON["trained"], 4) == [0.0251, 0.9677, 0.9796, 0.0286]
    LESSON.shows("[0.0251, 0.9677, 0.9796, 0.0286]")
    early, late = ([statistics.mean(map(abs, sizes)) for sizes in LESSON[when].values()] for when in ("early", "late"))
    assert 11 <= early[1] / early[0] < 12 and 245 < early[1] / late[1] < 260
    LESSON.says("250 times")
    assert len(MLP(2, [2, 1]).parameters()) == 9  # 2-2-1 is another network
    one, other = guides_net(), guides_net()  # the lesson's loop is that of the exercise
    losses = LESSON["run"](one, 0.3, 20)
    assert LESSON["train"](other, ROWS, TARGETS, 0.3, 20) == pytest.approx(losses, rel=1e-12)
    assert [p.data for p in one.parameters()] == pytest.approx([p.data for p in other.parameters()], rel=1e-9)


def forgetful(net, rows, targets, lr, epochs):
    """Training without clearing."""
    losses = []
    for _ in range(epochs):
        loss = sum((net(row) - target) ** 2 for row, target in zip(rows, targets))
        loss.backward()
        for p in net.parameters():
            p.data -= lr * p.grad
        losses.append(loss.data)
    return losses


@pytest.mark.parametrize("order", [1, -1])
def test_a_learners_engine_learns_xor_as_the_text_says(order):
    """To two decimals, whatever the order of adding, where weights are drawn before the bias."""
    engine = trial.template_engine()
    for train in (engine.train, forgetful):
        random.seed(0)
        net = engine.MLP(2, [4, 4, 1])
        losses = train(net, ROWS[::order], TARGETS[::order], 0.1, 100)
        if train is forgetful:
            assert losses[-1] == pytest.approx(2.0, abs=1e-9) and outputs(net) == pytest.approx([1, 1, 1, 1], abs=1e-9)
        else:
            LESSON.says("near {}, {}, {} and {}: no, yes, yes, no".format(*outputs(net, 2)))
            assert (round(losses[61], 2), round(losses[65], 2)) == (0.07, 1.74)


def test_the_tasks_of_the_trainer_and_of_the_lottery():
    settings = checked([4, 4], "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1)
    run, wrong = Training(settings), Training(settings)
    losses, stuck = ([each.step(zero_grad=zero) for _ in range(100)] for each, zero in ((run, True), (wrong, False)))
    assert min(losses[:65]) == losses[61] and max(losses[60:]) == losses[65] and run.epochs == 100
    LESSON.says(f"{losses[61]:.2f} by epoch 61", f"{losses[65]:.2f} at epoch 65", f"from epoch {run.solved_at} on")
    wrong.look()
    assert stuck[-1] == pytest.approx(2.0, abs=1e-9) and wrong.outputs == pytest.approx([1, 1, 1, 1], abs=1e-9)
    assert max(abs(p.grad) for p in wrong.mlp.parameters()) < 10
    LESSON.says("At 2.0, with all outputs at 1")
    race, found = raced(2)
    assert abs(found["solved", None] - 77) <= 3 and abs(found["stuck", 0.5] - 19) <= 3
    plateaus = {i: outcome.plateau for i, outcome in enumerate(race.outcomes) if outcome.plateau}
    for i in (i for i in plateaus if plateaus[i] == 0.5):
        assert sorted(t for output, t in zip(race.outputs[i], TARGETS) if 0.25 < output < 0.75) == [0, 1]
    thirds = [race.losses[i] for i in plateaus if plateaus[i] != 0.5]
    assert thirds and all(loss == pytest.approx(2 / 3, rel=0.05) for loss in thirds)
    assert raced(4)[1] == {("solved", None): 100}
    LESSON.says("About 77", "About 19 are stuck near a loss of 0.5", "All 100")


# One neuron


@pytest.mark.long
def test_one_neuron_gets_three_rows_and_thirty_seeds():
    LESSON.says(f"| sum | {' | '.join(str(x1 + x2 - 0.5) for x1, x2 in ROWS)} |")
    LESSON.shows(f"({outputs(LESSON['one'], 4)}, 1.0)")
    assert outputs(LESSON["one"], 4) == [0.5] * 4
    LESSON.shows("100 epochs more: 25 of 30 are right", "400 epochs more: 30 of 30 are right")
    LESSON.says("25 are right after 100 epochs, and all 30 after 500")
    again = [LESSON["again"].to_mlp(i) for i in range(30)]
    assert [is_right(outputs(net)) for net in again] == [*map(LESSON["solved"], again)]
    assert sum(map(LESSON["solved"], again)) in (25, 26)


def raced(hidden, epochs=500):
    race = Race(checked([hidden], "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1), epochs)
    while race.step():
        pass
    race.look()
    return race, {(outcome.kind, outcome.plateau): count for outcome, count in counts(race).items() if count}


# Symmetry


@pytest.mark.long
def test_the_symmetric_start_and_networks_that_are_dead():
    twins, alike, unequal = (LESSON[name] for name in ("pair", "alike", "unequal"))
    first, second = ([round(p.grad, 4) for p in neuron.parameters()] for neuron in twins.layers[0].neurons)
    assert first == second
    LESSON.shows(f"[{first}, {second}]", "[0.008, 0.667, 0.667, 0.667] 0.667")
    first, second = ([p.data for p in neuron.parameters()] for neuron in alike.layers[0].neurons)
    assert first == second and outputs(alike, 3) == [0.008, 0.667, 0.667, 0.667]
    assert LESSON["losses_alike"][-1] == pytest.approx(sum((2 / 3 - t) ** 2 for t in (1, 1, 0)), abs=5e-4)
    losses = LESSON["losses_unequal"]
    assert [round(losses[k], 3) for k in (0, 1000, 2000, 3000)] == [1.087, 0.673, 0.669, 0.668]
    assert losses[4999] < 0.03 and is_right(outputs(unequal))
    LESSON.shows("1.0871, 0.6734, 0.6692, 0.668, 0.025")
    run, nets = LESSON["run"], LESSON["relu_nets"]
    begun = [MLP(2, [4, 4, 1], **LESSON["relus"], rng=random.Random(seed)) for seed in range(40)]
    dead = [net for net in begun if not any(outputs(net))]
    for net in dead:
        assert run(net, 0.1, 3, autograd.mean_squares) == [0.5] * 3 and not any(p.grad for p in net.parameters())
    solved = [net for net in nets if LESSON["solved"](net)]
    assert all(outputs(net) == pytest.approx(TARGETS, abs=1e-12) for net in solved) and len(nets[0].parameters()) == 37
    ended = sum(not any(outputs(net)) for net in nets)
    assert (len(dead), ended, len(solved)) == (21, 22, 14)
    LESSON.shows("21 dead at the start", "(22, 14)")
    LESSON.says(f"{len(dead)} of 40 are dead from the start, and {ended} at the end", f"{len(solved)} solve it")


# PyTorch


def torch_net(torch, dtype, mlp=None):
    """A network of the same shape in PyTorch, with the weights of one of ours, or with PyTorch's own."""
    linears = [torch.nn.Linear(n, k, dtype=dtype) for n, k in ((2, 4), (4, 4), (4, 1))]
    for linear, layer in zip(linears, mlp.layers if mlp else ()):
        with torch.no_grad():
            linear.weight.copy_(torch.tensor([[w.data for w in n.weights] for n in layer.neurons], dtype=dtype))
            linear.bias.copy_(torch.tensor([neuron.bias.data for neuron in layer.neurons], dtype=dtype))
    return torch.nn.Sequential(*[module for linear in linears for module in (linear, torch.nn.Tanh())])


def torch_losses(torch, net, reduction, epochs, dtype):
    """The losses of the lesson's loop in PyTorch."""
    rows, targets = torch.tensor(ROWS, dtype=dtype), torch.tensor(TARGETS, dtype=dtype)[:, None]
    optimizer, losses = torch.optim.SGD(net.parameters(), lr=0.1), []
    for _ in range(epochs):
        value = torch.nn.functional.mse_loss(net(rows), targets, reduction=reduction)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        losses.append(value.item())
    return losses, is_right(net(rows).flatten().tolist())


def test_the_same_loop_made_truly_the_same(torch):
    """Same weights, float64, sum: the losses are the engine's, until rounding is amplified."""
    mlp, dtype = textbooks_net(0), torch.float64
    theirs, _ = torch_losses(torch, torch_net(torch, dtype, mlp), "sum", 40, dtype)
    assert theirs == pytest.approx(LESSON["run"](mlp, 0.1, 40), abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(("ours", "reduction", "solved"), [(True, "sum", 26), (True, "mean", 17), (False, "mean", 1)])
def test_the_seeds_that_pytorch_learns_from(torch, ours, reduction, solved):
    """The numbers that notebooks/more/the_same_loop_in_pytorch.ipynb quotes, as test_more.py reads them."""
    found = 0
    for seed in range(30):
        torch.manual_seed(seed)
        dtype = torch.float64 if ours else torch.float32
        net = torch_net(torch, dtype, textbooks_net(seed) if ours else None)
        found += torch_losses(torch, net, reduction, 100, dtype)[1]
    assert abs(found - solved) <= (2 if ours else 0)


@pytest.mark.long
def test_the_mean_alone_costs_as_much_here():
    """With the mean of squares, 17 of 30; with four times the learning rate the same steps as with the sum."""
    nets, run = [textbooks_net(seed) for seed in range(30)], LESSON["run"]
    for net in nets:
        run(net, 0.1, 100, autograd.mean_squares)
    assert sum(map(LESSON["solved"], nets)) == 17
    means = run(textbooks_net(0), 0.4, 30, autograd.mean_squares)
    assert run(textbooks_net(0), 0.1, 30) == pytest.approx([4 * mean for mean in means], abs=1e-9)


# Cross-entropy


def test_cross_entropys_numbers_and_the_quizs():
    z = Value(0.0, label="z")
    p = z.sigmoid()
    loss = -p.log()
    p.label = "p"
    assert check.predict(loss, p=-2, z=-0.5) and not check.predict(loss, p=-0.5, z=-0.5)
    slopes = {}
    for number in (-4.0, 0.3, 2.0):
        (slopes[number],) = forward_gradient(lambda z: -z.sigmoid().log(), [number])
        assert slopes[number] == pytest.approx(1 / (1 + math.exp(-number)) - 1)
    (squares,) = forward_gradient(lambda z: (z.sigmoid() - 1) ** 2, [-4.0])
    for loss, slope in ((autograd.sum_of_squares, squares), (autograd.binary_cross_entropy, slopes[-4.0])):
        z = Value(-4.0)
        loss([z.sigmoid()], [1]).backward()
        assert z.grad == pytest.approx(slope)
    LESSON.says(f"{-math.log(0.5):.4f} if it was ½", f"at z = -4, p is {1 / (1 + math.exp(4)):.3f}")
    LESSON.says(f"squares send back {squares:.4f} there, and cross-entropy {slopes[-4.0]:.3f}")
    asked = {question["id"]: question for question in quiz_data.load("09")["questions"]}
    weight = Value(2.0)
    (3 * (5 - weight)).backward()
    assert weight.grad == -3 and asked["09-step"]["number"]["answer"] == 2 - 0.1 * weight.grad
    assert asked["09-mean-for-sum"]["number"]["answer"] == 4 * 0.1
    assert any(question.get("asks") == "one-neuron-xor" for question in asked.values())


# Moons


def border_run(task, epochs, **changed):
    """The run of figures.border after so many epochs, which its own tests hold equal to the scalar engine's."""
    given = {"hidden": task.hidden, "points": task.points, "flipped": 0, "seed": None} | changed
    run = borders.Learning(borders.Settings(task, *given.values()), task.lr)
    for _ in range(epochs):
        run.step()
    return run


@pytest.mark.long
def test_the_moons_and_the_circle():
    runs = [border_run(borders.MOONS, 100, **given) for given in ({}, {"hidden": ()}, {"points": 20}, {"flipped": 20})]
    assert [run.right for run in runs] == [100, 86, 20, 79]
    whole, line, few, wrong = (run.new_right for run in runs)
    LESSON.says(f"All {whole}; one neuron, which draws a straight line, {line}.", f"From 20 points {few}")
    LESSON.says(f"with wrong labels {wrong}, though {100 - runs[3].right} of the 100 it learned from")
    points, labels = LESSON["points"], LESSON["labels"]
    assert points == runs[0].settings.data()[0].tolist()
    assert sorted(set(labels)) == [-1, 1] and labels == runs[0].targets.tolist()
    LESSON.says(f"{sum(weights.size for weights in runs[0].net.weights)} parameters")
    points, labels = new_moons()  # a line through both: about 88 %, as a check says of a straight border
    features = np.column_stack([points, np.ones(len(points))])
    weights, *_ = np.linalg.lstsq(features, labels, rcond=None)
    assert whole == 400 and 0.84 < ((features @ weights > 0) == (labels > 0)).mean() < 0.92
    run = border_run(borders.CIRCLE, 200)
    early = run.total
    for _ in range(1800):
        run.step()
    best, epoch = run.best
    assert run.right == 80 and early / run.total == pytest.approx(30, rel=0.1)
    LESSON.says(f"After epoch {epoch}: {best} of 400.", f"and {run.new_right} are right")
    LESSON.says("30 times smaller than at epoch 200", "To the right of the circle, where none of the 80 points")
    _, (far, degrees) = run.distances()
    assert far > 1.9 and degrees < 15
