"""Which loss, and does it hold on new points? Its numbers are what dual numbers and the labs' trainings give."""

import math

import pytest

from autograd import Dual
from autograd.dual import forward_gradient
from exercises.quizzes.quiz_data import load
from figures.training import borders
from tests.notebooks import Lesson

WORKSHOP = Lesson("which_loss", trains=True)


def test_gradients_arriving_at_z_by_loss():
    def squares(z):
        return (z.sigmoid() + -1) ** 2

    logs, at = [forward_gradient(lambda z: -z.sigmoid().log(), [z])[0] for z in (0.0, -4.0)]
    WORKSHOP.says(f"squares send back {forward_gradient(squares, [-4.0])[0]:.4f}, and cross-entropy {at:.3f}")
    WORKSHOP.says(
        f"so z.grad = {logs:g}", f"{-math.log(0.5):.4f} if it was ½", f"p is {Dual(-4.0).sigmoid().value:.3f}"
    )
    loudest = {name: max(map(abs, found)) for name, found in WORKSHOP["at_z"].items()}
    assert 0.28 < loudest["squares"] < 0.3 < 0.99 < loudest["cross-entropy"] < 1
    hinge = next(each for each in load(WORKSHOP.path.stem)["questions"] if each["id"] == "09-hinge")
    assert hinge["number"]["answer"] == max(0, 1 - -1 * 0.3)


def border_run(task, epochs, **changed):
    given = {"hidden": task.hidden, "points": task.points, "flipped": 0, "seed": None} | changed
    run = borders.Learning(borders.Settings(task, *given.values()), task.lr)
    for _ in range(epochs):
        run.step()
    return run


@pytest.mark.long
def test_moons_and_circle_results():
    runs = [border_run(borders.MOONS, 100, **given) for given in ({}, {"hidden": ()}, {"points": 20}, {"flipped": 20})]
    assert [run.right for run in runs] == [100, 86, 20, 79]
    whole, line, few, wrong = (run.new_right for run in runs)
    WORKSHOP.says(f"All {whole}; one neuron, which draws a straight line, {line}.", f"From 20 points {few}")
    WORKSHOP.says(f"with wrong labels {wrong}, though {100 - runs[3].right} of the 100 it learned from")
    (early, run), (best, epoch) = (border_run(borders.CIRCLE, n) for n in (200, 2000)), (384, 99)
    assert run.best == (best, epoch) and early.total / run.total == pytest.approx(30, rel=0.1)
    WORKSHOP.says(f"After epoch {epoch}: {best} of 400.", f"and {run.new_right} are right")
