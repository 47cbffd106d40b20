"""Lesson 09: every number in its text is what the engine, its labs or PyTorch give."""

import math
import random

import numpy as np
import pytest

import autograd
from autograd import MLP, Value
from autograd.dual import forward_gradient
from autograd.lessons.population import Population
from exercises.engine_file import check, parts
from exercises.lessons.lesson_09.moons.check import new_moons
from exercises.quizzes import quiz_data
from figures.training import borders
from figures.training.run import Training
from figures.training.seeds import Race, counts
from figures.training.settings import checked
from tests import lessons

PATH = lessons.NOTEBOOKS / "09_xor_training_luck_and_symmetry.ipynb"
ROWS, TARGETS = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


@pytest.fixture(scope="module")
def names():
    """The names that the solved lesson defines."""
    return lessons.names_of(PATH)


def outputs(net):
    return [net(row).data for row in ROWS]


def rounded(numbers, digits):
    return [round(x, digits) for x in numbers]


def right(found):
    """How many outputs are on the right side of one half."""
    return sum((output > 0.5) == (target == 1) for output, target in zip(found, TARGETS))


def guides_net():
    random.seed(42)
    return MLP(2, [4, 1], "sigmoid", "sigmoid", init="fan_in")


def textbooks_nets():
    return [MLP(2, [4, 4, 1], "tanh", "tanh", rng=random.Random(seed)) for seed in range(30)]


# The loop


def test_the_first_steps(names, prose):
    net = guides_net()
    assert len(net.parameters()) == 17
    assert all(0.35 < output < 0.39 for output in outputs(net)) and "close to 0.37" in prose
    losses = names["run"](net, 1.0, 2)
    assert rounded(losses, 4) == [1.0674, 0.999] and "(1.0673852328741387, 0.9989998467524911)" in prose
    assert "from 1.0674 to 0.9990" in prose
    assert outputs(names["untrained"]()) == outputs(guides_net())


def test_the_run_of_1000_epochs(names, prose):
    net = guides_net()
    losses = names["run"](net, 1.0, 1)
    early = means(net)
    losses += names["run"](net, 1.0, 999)
    late = means(net)
    assert rounded(losses[::100], 6) == [
        *(1.067385, 0.805927, 0.190474, 0.035562, 0.015281),
        *(0.009271, 0.006544, 0.005017, 0.00405, 0.003385),
    ]
    assert rounded(outputs(net), 4) == [0.0251, 0.9677, 0.9796, 0.0286]
    assert "[0.0251, 0.9677, 0.9796, 0.0286]" in prose
    assert 11 <= early[1] / early[0] < 12
    assert 245 < early[1] / late[1] < 260 and "250 times" in prose
    assert len(MLP(2, [2, 1]).parameters()) == 9  # 2-2-1 is another network


def means(net):
    """The mean size of each layer's gradients."""
    return [sum(abs(p.grad) for p in layer.parameters()) / len(layer.parameters()) for layer in net.layers]


def test_the_lessons_loop_is_that_of_the_exercise(names):
    one, other = guides_net(), guides_net()
    losses = names["run"](one, 0.3, 20)
    assert names["train"](other, ROWS, TARGETS, 0.3, 20) == pytest.approx(losses, rel=1e-12)
    assert [p.data for p in one.parameters()] == pytest.approx([p.data for p in other.parameters()], rel=1e-9)


def own_runs(zero_grad=True):
    """The losses of 100 epochs of XOR on the engine that learners write, and its outputs, for two orders of adding."""
    engine = parts.course_engine()
    for turned in (False, True):
        random.seed(0)
        net = engine.MLP(2, [4, 4, 1])
        rows, targets = (ROWS[::-1], TARGETS[::-1]) if turned else (ROWS, TARGETS)
        train = engine.train if zero_grad else forgetful
        yield train(net, rows, targets, 0.1, 100), outputs(net)


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


def test_a_learners_engine_learns_xor_as_the_text_says(prose):
    """To two decimals, whatever the order of adding, where weights are drawn before the bias."""
    for losses, found in own_runs():
        assert rounded(found, 2) == [0.29, 0.91, 0.88, 0.19]
        assert round(losses[61], 2) == 0.07 and round(losses[65], 2) == 1.74
    assert "near 0.29, 0.91, 0.88 and 0.19: no, yes, yes, no" in prose
    for losses, found in own_runs(zero_grad=False):
        assert losses[-1] == pytest.approx(2.0, abs=1e-9) and found == pytest.approx([1, 1, 1, 1], abs=1e-9)


def test_the_package_is_faster_as_its_graphs_are_smaller(names):
    """Several times as fast, says the text; speed itself is no matter for a test, the number of nodes is."""
    assert names["run"] is not names["train"]
    few, many = (MLP(2, [4, 4, 1], "tanh", "tanh", every_op=each) for each in (False, True))
    assert 1.8 * len(autograd.topological_order(few([0, 1]))) < len(autograd.topological_order(many([0, 1])))


def test_the_trainers_tasks(prose):
    settings = checked([4, 4], "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1)
    run = Training(settings)
    losses = [run.step() for _ in range(100)]
    assert round(losses[61], 2) == 0.07 and min(losses[:65]) == losses[61]
    assert round(losses[65], 2) == 1.74 and max(losses[60:]) == losses[65]
    assert run.solved_at == 79 and run.epochs == 100
    assert all(said in prose for said in ("0.07 by epoch 61", "1.74 at epoch 65", "From epoch 79 on"))
    run = Training(settings)
    losses = [run.step(zero_grad=False) for _ in range(100)]
    run.look()
    assert losses[-1] == pytest.approx(2.0, abs=1e-9) and run.outputs == pytest.approx([1, 1, 1, 1], abs=1e-9)
    assert max(abs(p.grad) for p in run.mlp.parameters()) < 10 and "At 2.0, with all outputs at 1" in prose


# One neuron


def test_one_neuron_gets_at_most_three_rows(names, prose):
    rng = random.Random(9)
    for _ in range(2000):
        w1, w2, b = (rng.uniform(-3, 3) for _ in range(3))
        sums = [w1 * x1 + w2 * x2 + b for x1, x2 in ROWS]
        assert sums[0] + sums[3] == pytest.approx(sums[1] + sums[2]) == pytest.approx(w1 + w2 + 2 * b)
        assert sum((s > 0) == (t == 1) for s, t in zip(sums, TARGETS)) <= 3
    sums = [x1 + x2 - 0.5 for x1, x2 in ROWS]
    assert sums == [-0.5, 0.5, 0.5, 1.5] and "| sum | -0.5 | 0.5 | 0.5 | 1.5 |" in prose
    one = names["one"]
    assert rounded(outputs(one), 4) == [0.5] * 4 and "([0.5, 0.5, 0.5, 0.5], 1.0)" in prose


# Luck


def test_thirty_seeds(names, prose):
    assert "100 epochs more: 25 of 30 are right" in prose and "400 epochs more: 30 of 30 are right" in prose
    again = names["again"]
    assert sum(names["solved"](again.to_mlp(i)) for i in range(30)) in (25, 26)
    assert [right(outputs(again.to_mlp(i))) == 4 for i in range(30)] == [
        names["solved"](again.to_mlp(i)) for i in range(30)
    ]


def raced(hidden, epochs=500):
    race = Race(checked([hidden], "tanh", "tanh", "uniform", 0, "sum_of_squares", 0.1), epochs)
    while race.step():
        pass
    race.look()
    return race, {(outcome.kind, outcome.plateau): count for outcome, count in counts(race).items() if count}


def test_the_lotterys_tasks(prose):
    race, found = raced(2)
    assert abs(found["solved", None] - 77) <= 3 and "About 77" in prose
    assert abs(found["stuck", 0.5] - 19) <= 3 and "About 19 are stuck near a loss of 0.5" in prose
    shared = [i for i, outcome in enumerate(race.outcomes) if outcome.plateau == 0.5]
    for i in shared:
        middle = [t for output, t in zip(race.outputs[i], TARGETS) if 0.25 < output < 0.75]
        assert sorted(middle) == [0, 1]
    thirds = [i for i, outcome in enumerate(race.outcomes) if outcome.plateau and outcome.plateau != 0.5]
    assert thirds and all(race.losses[i] == pytest.approx(2 / 3, rel=0.05) for i in thirds)
    assert raced(4)[1] == {("solved", None): 100} and "All 100" in prose


# Symmetry


def test_the_symmetric_start(names, prose):
    twins = MLP(2, [2, 1], "sigmoid", "sigmoid", init=lambda *sizes: 0.5)
    autograd.sum_of_squares([twins(row) for row in ROWS], TARGETS).backward()
    first, second = ([round(p.grad, 4) for p in neuron.parameters()] for neuron in twins.layers[0].neurons)
    assert first == second and f"[{first}, {second}]" in prose
    losses = names["run"](twins, 1.0, 20_000)
    first, second = ([p.data for p in neuron.parameters()] for neuron in twins.layers[0].neurons)
    assert first == second
    assert rounded(outputs(twins), 3) == [0.008, 0.667, 0.667, 0.667] and round(losses[-1], 4) == 0.667
    assert "([0.008, 0.667, 0.667, 0.667], 0.667)" in prose
    third = sum((2 / 3 - t) ** 2 for t in (1, 1, 0))
    assert third == pytest.approx(2 / 3)


def test_a_hundredth_is_enough(names, prose):
    twins = MLP(2, [2, 1], "sigmoid", "sigmoid", init=lambda *sizes: 0.5)
    twins.parameters()[0].data += 0.01
    losses = names["run"](twins, 1.0, 5000)
    assert rounded([losses[k] for k in (0, 1000, 2000, 3000)], 3) == [1.087, 0.673, 0.669, 0.668]
    assert losses[4999] < 0.03 and right(outputs(twins)) == 4
    assert "1.0871, 0.6734, 0.6692, 0.668, 0.025" in prose


# Dead networks


def test_forty_networks_with_relu_on_the_output(names, prose):
    nets = [MLP(2, [4, 4, 1], **names["relus"], rng=random.Random(seed)) for seed in range(40)]
    dead = [net for net in nets if not any(outputs(net))]
    assert len(dead) == 21 and len(nets[0].parameters()) == 37
    for net in nets:
        if net in dead:
            assert names["run"](net, 0.1, 3, autograd.mean_squares) == [0.5] * 3
            assert not any(p.grad for p in net.parameters())
        else:
            names["run"](net, 0.1, 1000, autograd.mean_squares)
    assert sum(not any(outputs(net)) for net in nets) == 22
    solved = [net for net in nets if names["solved"](net)]
    assert len(solved) == 14
    assert all(outputs(net) == pytest.approx(TARGETS, abs=1e-12) for net in solved)
    assert "21 dead at the start" in prose and "(22, 14)" in prose
    assert "21 of 40 are dead from the start, 22 at the end" in prose


# PyTorch


def torch_twin(torch, mlp):
    """The same network in PyTorch, in float64."""
    modules = []
    for layer in mlp.layers:
        linear = torch.nn.Linear(len(layer.neurons[0].weights), len(layer.neurons), dtype=torch.float64)
        with torch.no_grad():
            weights = [[w.data for w in neuron.weights] for neuron in layer.neurons]
            linear.weight.copy_(torch.tensor(weights, dtype=torch.float64))
            linear.bias.copy_(torch.tensor([neuron.bias.data for neuron in layer.neurons], dtype=torch.float64))
        modules += [linear, torch.nn.Tanh()]
    return torch.nn.Sequential(*modules)


def torch_own(torch, seed, dtype):
    """A network with PyTorch's own first weights."""
    torch.manual_seed(seed)
    pairs = ((2, 4), (4, 4), (4, 1))
    return torch.nn.Sequential(*[m for n, k in pairs for m in (torch.nn.Linear(n, k, dtype=dtype), torch.nn.Tanh())])


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
    return losses, right(net(rows).flatten().tolist()) == 4


def test_the_same_loop_made_truly_the_same(torch, names):
    """Same weights, float64, sum: the losses are the engine's, until rounding is amplified."""
    mlp = textbooks_nets()[0]
    theirs, _ = torch_losses(torch, torch_twin(torch, mlp), "sum", 40, torch.float64)
    assert theirs == pytest.approx(names["run"](mlp, 0.1, 40), abs=1e-9)


@pytest.mark.parametrize(
    ("start", "reduction", "expected"), [("ours", "sum", 26), ("ours", "mean", 17), ("its own", "mean", 1)]
)
def test_the_seeds_that_pytorch_learns_from(torch, start, reduction, expected):
    """The numbers that notebooks/more/the_same_loop_in_pytorch.ipynb quotes, as tests/test_more.py reads them."""
    solved, nets = 0, textbooks_nets()
    for seed in range(30):
        dtype = torch.float64 if start == "ours" else torch.float32
        net = torch_twin(torch, nets[seed]) if start == "ours" else torch_own(torch, seed, dtype)
        solved += torch_losses(torch, net, reduction, 100, dtype)[1]
    assert abs(solved - expected) <= 2


def test_the_mean_alone_costs_as_much_here(names):
    """With the mean of squares, 17 of 30; with four times the learning rate the same steps as with the sum."""
    nets = textbooks_nets()
    for net in nets:
        names["run"](net, 0.1, 100, autograd.mean_squares)
    assert sum(map(names["solved"], nets)) == 17
    one, other = textbooks_nets()[0], textbooks_nets()[0]
    sums = names["run"](one, 0.1, 30)
    means = names["run"](other, 0.4, 30, autograd.mean_squares)
    assert sums == pytest.approx([4 * mean for mean in means], abs=1e-9)


# Cross-entropy


def test_cross_entropys_numbers(names, prose):
    assert round(-math.log(0.5), 4) == 0.6931
    z = Value(0.0, label="z")
    p = z.sigmoid()
    loss = -p.log()
    p.label = "p"
    assert check.predict(loss, p=-2, z=-0.5) and not check.predict(loss, p=-0.5, z=-0.5)
    for number in (-4.0, 0.3, 2.0):
        (slope,) = forward_gradient(lambda z: -z.sigmoid().log(), [number])
        assert slope == pytest.approx(1 / (1 + math.exp(-number)) - 1)
        assert names["gradient_at"](number, autograd.binary_cross_entropy) == round(slope, 4)
    assert round(1 / (1 + math.exp(4)), 3) == 0.018
    assert names["gradient_at"](-4.0, autograd.sum_of_squares) == -0.0347 and "(-0.0347, -0.982)" in prose


# Moons


def border_run(task, epochs, **changed):
    """The run of figures.border after so many epochs, which its own tests hold equal to the scalar engine's."""
    given = {"hidden": task.hidden, "points": task.points, "flipped": 0, "seed": None} | changed
    run = borders.Learning(borders.Settings(task, *given.values()), task.lr)
    for _ in range(epochs):
        run.step()
    return run


def test_the_moons(names, prose):
    runs = [border_run(borders.MOONS, 100, **given) for given in ({}, {"hidden": ()}, {"points": 20}, {"flipped": 20})]
    assert [run.right for run in runs] == [100, 86, 20, 79]
    assert [run.new_right for run in runs] == [400, 351, 364, 395]
    assert "All 400; one neuron, which draws a straight line, 351." in prose and "From 20 points 364" in prose
    assert "With wrong labels 395, though 21 of the 100 it learned from" in prose
    points, labels = names["points"], names["labels"]
    assert points == runs[0].settings.data()[0].tolist()
    assert sorted(set(labels)) == [-1, 1] and labels == runs[0].targets.tolist()
    assert sum(weights.size for weights in runs[0].net.weights) == 337 and "337 parameters" in prose


def test_the_circle(prose):
    run = border_run(borders.CIRCLE, 200)
    early = run.total
    for _ in range(1800):
        run.step()
    assert run.best == (384, 99) and "After epoch 99: 384 of 400." in prose
    assert (run.right, run.new_right) == (80, 370) and "and 370 are right" in prose
    assert early / run.total == pytest.approx(30, rel=0.1) and "30 times smaller than at epoch 200" in prose
    _, (far, degrees) = run.distances()
    assert far > 1.9 and degrees < 15 and "To the right of the circle the border bulges" in prose


def test_a_line_through_both_moons():
    """What a check says of a network with a straight border: about 88 % is all it can do."""
    points, labels = new_moons()
    features = np.column_stack([points, np.ones(len(points))])
    weights, *_ = np.linalg.lstsq(features, labels, rcond=None)
    assert 0.84 < ((features @ weights > 0) == (labels > 0)).mean() < 0.92


# Exercises and quiz


def test_expected_wrong_answers_of_the_teachers_note():
    verdict = check.train(forgetful)
    assert "never cleared" in verdict.text() and not any("epoch 1" in what for what, *_ in verdict.rows)
    wide = check.revive(lambda seeds: Population(seeds, 2, [16, 16, 1], "relu", "relu", "uniform_zero_bias"))
    assert "relu still on the output" in wide.text()

    def written_out(outputs, targets):
        terms = [-t * p.log() - (1 - t) * (1 - p).log() for p, t in zip(outputs, targets)]
        return sum(terms) / len(terms)

    assert "0 · log 0" in check.cross_entropy(written_out).text()


def test_the_quizs_numbers():
    asked = {question["id"]: question for question in quiz_data.load("09")["questions"]}
    assert asked["09-step"]["number"]["answer"] == 2 - 0.1 * -3
    p = 0.01
    assert round(p - 1, 2) == -0.99 and round(2 * (p - 1) * p * (1 - p), 2) == -0.02
    assert asked["09-mean-for-sum"]["number"]["answer"] == 4 * 0.1
    assert any(question.get("asks") == "one-neuron-xor" for question in asked.values())
    weight, moved = Value(2.0), Value(2.0)
    (3 * (5 - weight)).backward()
    moved.data -= 0.1 * weight.grad
    assert (weight.grad, round(moved.data, 9)) == (-3, 2.3)
