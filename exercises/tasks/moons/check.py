"""The check of `moons`: how many new points a trained network gets right."""

import functools

import numpy as np

from autograd import MLP
from autograd.lessons.moons import make_moons
from autograd.training.tensor_nn import TensorMLP
from exercises.judging.vocabulary import AnswerError, called, exercise, has, kind, make_result

LESSON = 1337, 100  # the seed and the number of the lesson's points
WANTED = 0.95  # of new points
LINE, COIN, WORSE = 0.8, 0.65, 0.35  # a straight line gets at least LINE, guessing at most COIN, and rarely below WORSE


@functools.cache
def new_moons(seed=90, n=400):
    """Return points that no learner has trained on, and their labels, -1 or 1."""
    points, labels = make_moons(n_samples=n, noise=0.1, random_state=seed)
    return points, 2 * labels - 1


def lesson_moons():
    """Return the points and labels that the lesson trains on, by name."""
    points, labels = new_moons(*LESSON)
    return {"points": points.tolist(), "labels": labels.tolist()}


@exercise(compares=False, finds=lesson_moons)
def moons(moons_net):
    """Train a network that tells new points of the two moons apart."""
    points, labels = new_moons()
    scores = scores_of(moons_net, points)
    share = share_of(scores, labels)
    are_numbers = bool(np.isfinite(scores).all())
    is_right = share >= WANTED and are_numbers
    row = (f"right, of {len(points)} new points", f"at least {WANTED:.0%}", f"{share:.1%}")
    row = (*row, lambda got: are_numbers and float(got.rstrip("%")) >= 100 * WANTED)
    because = () if is_right else moon_mistake(moons_net, scores, share)
    yield make_result("It does not separate the moons yet.", row, because=because)
    right = f"{share:.1%} of {len(points)} points are right, none of which it has seen before."
    return f"{right} How it was trained does not matter."


def scores_of(net, points):
    """Return a trained network's outputs for some points, as an array."""
    if not callable(net):
        said = f"A network was expected; this is {kind(net)}. Is it returned at the end?"
        raise AnswerError("Tested: your network on new points.", said)
    return np.array([called(one_output, net, point, what=f"your network at {point}") for point in points.tolist()])


def one_output(net, point):
    """Return a network's output for a point: a number, or a Value of any engine."""
    found = net([point]).data.ravel().tolist() if isinstance(net, TensorMLP) else net(list(point))
    what = f"Tested: your network at {point}."
    if found is None:
        raise AnswerError(what, "It returned None. Every point needs an output.")
    if isinstance(found, list) and len(found) != 1:
        raise AnswerError(what, f"One output per point was expected; it returns {len(found)}.")
    found = found[0] if isinstance(found, list) else found
    return found if hasattr(type(found), "__float__") or not has(found, "data") else found.data


def share_of(scores, labels):
    """Return the share of outputs on their label's side of 0."""
    with np.errstate(invalid="ignore"):
        return float((scores * labels > 0).mean())


def moon_mistake(net, scores, share):
    """Name the mistake that such outputs show, the surest first."""
    labels, activations = new_moons()[1], activations_of(net)
    last = activations[-1] if activations else ""
    if not np.isfinite(scores).all():
        return "outputs that are no numbers"
    if share_of(-scores, labels) >= WANTED:
        return "the wrong way round"
    if last == "relu" or (not last and scores.min() == 0):
        return "no output below 0"
    if share_of(scores - 0.5, labels) >= WANTED and scores.min() > -0.5:
        return "made for the targets 0 and 1"
    if scores.min() >= 0 and last in ("", "sigmoid", "exp"):
        return "no output below 0"
    return slow_mistake(net, scores, share, activations[:-1])


def slow_mistake(net, scores, share, bends):
    """Name what keeps a network from learning more. bends: its activations before the last."""
    points, labels = new_moons(*LESSON)
    if share_of(scores_of(net, points), labels) >= 0.99:
        return "learned by heart"
    if np.ptp(scores) < 1e-6:
        return "one answer for all"
    if isinstance(net, MLP | TensorMLP) and set(bends) <= {"linear"}:
        return "a straight line"
    if share < LINE and isinstance(net, MLP) and all(abs(p.data) <= 1 for p in net.parameters()):
        return "never trained, or to no effect"
    steps = ((WORSE, "the wrong way round"), (COIN, "hardly better than guessing"), (LINE, "half learned"))
    return next((name for limit, name in steps if share < limit), "nearly learned")


def activations_of(net):
    """Return the activation of each layer of one of the course's networks; none for any other."""
    if isinstance(net, MLP):
        return [layer.neurons[0].activation for layer in net.layers]
    return net.activations if isinstance(net, TensorMLP) else []
