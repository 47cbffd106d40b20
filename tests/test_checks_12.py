"""The checks of lesson 12: right answers in other forms pass, halves are told so, and what is no array gets a sentence.

Known mistakes, stubs and answers of any kind are tried in tests/test_contract.py.
"""

import re

import numpy as np
import pytest

from autograd.dual import forward_gradient
from exercises.engine_file import check
from exercises.lessons.lesson_12.backward_by_hand import check as backward_by_hand_check
from exercises.lessons.lesson_12.backward_by_hand.check import by_engine, networks
from exercises.lessons.lesson_12.cross_entropy_gradient.check import TARGETS, gradient_by_scores
from exercises.lessons.lesson_12.shared import scores
from exercises.shelf import library


def verdict(name, code):
    """What the check of an exercise says to a cell with this text."""
    checked = getattr(check, name)
    return checked(*checked.answers(code))


def changed(name, old, new):
    """The solution with something else in a place."""
    code = library.solution(name).code
    assert old in code
    return code.replace(old, new)


# The oracles


@pytest.mark.parametrize("words", [words for words in TARGETS if "1,500" not in words and "far" not in words])
def test_the_right_gradient_is_that_of_dual_numbers(words):
    """Nothing is taken away first here, so rows far from 0 would overflow."""
    rows, targets = scores()[words], TARGETS[words]

    def loss(*numbers):
        found, columns = 0.0, len(rows[0])
        for i, target in enumerate(targets):
            row = numbers[i * columns : (i + 1) * columns]
            total = row[0].exp()
            for one in row[1:]:
                total = total + one.exp()
            found = found + total.log() - row[target]
        return found / len(rows)

    flat = [score for row in rows for score in row]
    assert np.ravel(gradient_by_scores(rows, targets)) == pytest.approx(forward_gradient(loss, flat), abs=1e-12)


def test_sizes_that_tell_wrong_rules_apart():
    x, _, w1, _, w2, _ = networks()[backward_by_hand_check.SMALL]
    assert len({*x.shape, w1.shape[1], w2.shape[1]}) == 4
    a = x @ w1 + networks()[backward_by_hand_check.SMALL][3]
    assert (a == 0).any() and (a > 0).any() and (a < 0).any()  # open, shut, and at the edge
    assert by_engine(backward_by_hand_check.SMALL)["h"][a == 0].any()  # where a wrong slope at 0 would show


# Right answers in other forms


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (
            "softmax",
            "def softmax(z):\n    z = z - z.max(1)[:, None]\n    e = np.exp(z)\n    return e / e.sum(1)[:, None]",
        ),
        ("softmax", "def softmax(z):\n    return np.array([np.exp(r - max(r)) / sum(np.exp(r - max(r))) for r in z])"),
        (
            "softmax",
            "def softmax(z):\n    return [[1 / sum(math.exp(min(b - a, 700)) for b in r) for a in r] for r in z]",
        ),
        (
            "cross_entropy_gradient",
            "def cross_entropy_gradient(z, targets):\n    e = np.exp(z - z.max(1, keepdims=True))\n"
            "    return (e / e.sum(1, keepdims=True) - np.eye(z.shape[1])[targets]) / len(z)",
        ),
        ("backward_by_hand", changed("backward_by_hand", "dh * (a > 0)", "np.where(a > 0, dh, 0)")),
        ("backward_by_hand", changed("backward_by_hand", "h.T @ dz", "(dz.T @ h).T")),
        ("backward_by_hand", changed("backward_by_hand", "da.sum(axis=0)", "np.ones(len(x)) @ da")),
        ("fit", changed("fit", "np.zeros(p.data.shape)", "0.0")),
        ("fit", changed("fit", "np.zeros(p.data.shape)", "np.zeros_like(p.data)")),
        ("fit", changed("fit", "order = rng.permutation(n)", "order = np.arange(n)\n        rng.shuffle(order)")),
        ("fit", changed("fit", "p.data -= lr * p.grad", "p.data = p.data - lr * p.grad")),
        ("fit", changed("fit", "return losses", "return np.array(losses)")),
        ("fit", changed("fit", "return losses", "return tuple(losses)")),
        (
            "momentum_step",
            "def momentum_step(parameters, velocities, lr, keep=0.9):\n"
            "    velocities[:] = [keep * v + p.grad for p, v in zip(parameters, velocities)]\n"
            "    for p, v in zip(parameters, velocities):\n        p.data = p.data - lr * v",
        ),
        ("softmax_twice", "softmax_twice = 1.4612"),
        ("softmax_twice", "softmax_twice = 1.46"),
        ("softmax_twice", "softmax_twice = -math.log(math.e / (math.e + 9))"),
    ],
)
def test_a_right_answer_in_another_form_passes(name, code):
    assert (found := verdict(name, code)), found


# Halves, and what is no answer


def test_a_network_half_by_hand_is_told_which_lines_are_right():
    code = library.stub("backward_by_hand").replace("dz = ...", "dz = (p - np.eye(len(b2))[targets]) / len(x)")
    found = verdict("backward_by_hand", code)
    assert found.state == "not yet"
    assert "Right so far: dz. Still to write: dw2, db2, dh, da, dw1, db1." in found.text()
    wrong = code.replace("db2 = ...", "db2 = dz.mean(axis=0)")
    found = verdict("backward_by_hand", wrong)
    assert found.state == "wrong" and "db2 is another array, and what comes before it is right." in found.text()


def test_a_wrong_line_is_told_before_those_that_follow_from_it():
    found = verdict("backward_by_hand", changed("backward_by_hand", "dz @ w2.T", "-dz @ w2.T"))
    assert "dh is another array" in found.text() and "dw1" not in found.text()


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("softmax", "def softmax(z):\n    return z > 0", "An array of numbers was expected; it is an array of bool."),
        (
            "softmax",
            "def softmax(z):\n    return [[1.0], [2.0, 3.0]]",
            "An array of numbers was expected; it is a list of rows that differ in length.",
        ),
        ("softmax", "def softmax(z):\n    return z.sum()", "shape of p: expected (1, 3), got ()"),
        ("softmax", "def softmax(z):\n    return autograd.Value(1.0)", "it is a Value."),
        ("fit", changed("fit", "return losses", "return sum(losses)"), "got a float"),
        ("fit", changed("fit", "float(loss.data)", "loss"), "got a Tensor"),
        ("softmax_twice", "softmax_twice = '1.4612'", "A number was expected"),
        ("softmax_twice", "softmax_twice = 1.5", "The loss can go lower than that, or cannot go so low."),
    ],
)
def test_what_is_wrong_with_the_form_is_said(name, code, said):
    found = verdict(name, code)
    assert found.state == "wrong" and said in found.text(), found


def test_the_floor_is_not_told_to_who_misses_it():
    assert "1.46" not in verdict("softmax_twice", "softmax_twice = 1.5").text()


def test_a_network_that_does_not_learn_is_not_enough():
    found = verdict("fit", changed("fit", "lr * p.grad", "lr * p.grad if n < 100 else 0"))
    assert "Trained so, a network does not learn the digits." in found.text()


# Numbers that print alike, and velocities of other shapes


@pytest.mark.parametrize(
    "change",
    ["np.round(powers / powers.sum(axis=1, keepdims=True), 6)", "powers / (powers.sum(axis=1, keepdims=True) + 1e-8)"],
)
def test_numbers_that_look_alike_are_written_out(change):
    found = verdict("softmax", changed("softmax", "powers / powers.sum(axis=1, keepdims=True)", change))
    assert not found
    for expected, got in re.findall(r"expected (.+?), got (.+?)\n", found.text() + "\n"):
        assert expected != got


@pytest.mark.parametrize("part", ["parameters[::-1]", "parameters[1:]"])
def test_velocities_of_other_shapes_are_said(part):
    found = verdict("momentum_step", changed("momentum_step", "enumerate(parameters)", f"enumerate({part})"))
    assert not found and "shape of velocity of" in found.text() and "does not know what to do" not in found.text()


@pytest.mark.parametrize(
    ("name", "old", "new", "known"),
    [
        ("cross_entropy_gradient", "return p / n", "return -np.log(p[np.arange(n), targets] + 1).mean()", ""),
        ("cross_entropy_gradient", "p[np.arange(n), targets] -= 1", "p -= np.eye(3)[targets]", ""),
        ("fit", "rng.permutation(n)", "np.random.permutation(n)", "an order that is not the rng's"),
        ("fit", "lr * p.grad", "lr * (1 if len(losses) < 3 else 0.5) * p.grad", "later steps of another length"),
        ("momentum_step", "enumerate(parameters)", "enumerate(parameters[:2])", ""),
        ("momentum_step", "keep * velocities", "(keep or 0.9) * velocities", ""),
    ],
)
def test_what_few_sizes_or_settings_let_pass_is_refused(name, old, new, known):
    found = verdict(name, changed(name, old, new))
    assert found.state == "wrong" and known in found.text(), found


ONCE = """
def fit(parameters, loss_of, n, batch, lr, epochs, rng):
    kept, found = list(rng.permutation(n)), []
    for epoch in range(epochs):
        left = kept[:]
        while left:
            rows, left = left[:batch], left[batch:]
            loss = loss_of(np.array(rows))
            for each in parameters:
                each.grad = 0 * each.data
            loss.backward()
            for each in parameters:
                each.data = each.data - lr * each.grad
            found.append(float(loss.data))
    return found
"""


def test_one_order_for_all_epochs_is_named_however_it_is_written():
    assert [mistake.name for mistake in verdict("fit", ONCE).mistakes] == ["one order for all epochs"]


def test_one_order_is_no_whole_account_of_an_answer_that_also_steps_wrongly():
    found = verdict("fit", ONCE.replace("lr * each.grad", "2 * lr * each.grad"))
    assert found.state == "wrong" and "one order for all epochs" not in [mistake.name for mistake in found.mistakes]


def test_whole_numbers_that_are_no_cut_ones_are_not_called_so():
    code = "def softmax(z):\n    return (z == z.max(axis=1, keepdims=True)).astype(int)\n"
    found = check.softmax(*check.softmax.answers(code))
    assert found.state == "wrong" and "whole numbers" not in [each.name for each in found.mistakes]
