"""The checks refuse no right answer by chance: each passes the silent tests, whatever seed its text draws."""

import random

import pytest

from exercises.content import library
from exercises.engine_file import check
from exercises.judging.grading import run_all
from exercises.sandbox.guard import run_guarded
from tests import sampling
from tests.exercises.judging.test_attempts import ATTEMPTS, attempts

SEEDED = [name for name in check.LESSON_OF if getattr(check, name).wants_seed]
FEW, MANY, OF_SLOW = 2, 200, 20  # seeds for each answer: in a plain run, with --all, and if a round is slow
SLOW = "deep_order", "multiply", "mlp", "hold_the_range", "check_gradients", "reach_all", "backward", "layer"
SLOW += "subtract", "divide", "fit", "topological_order", "accumulate", "first_backward", "segmented", "train"


def right_answers(name):
    """Return the texts of the solution and of every answer in `attempts/` that is right."""
    noted = attempts(name) if (ATTEMPTS / f"{name}.md").exists() else ()
    return [library.solution(name).code, *(each.code for each in noted if each.state == "passed")]


@pytest.mark.parametrize("name", SEEDED)
def test_right_answer_passes_with_every_hidden_seed(name):
    checked, refused = getattr(check, name), []
    count = FEW if not sampling.Drawing.everything else OF_SLOW if name in SLOW else MANY
    for code in sampling.sample(right_answers(name), 2):
        draw = random.Random(f"{sampling.Drawing.seed} {code}")
        for seed in (draw.randrange(1, 2**32) for _ in range(count)):
            answers = checked.answers(code)
            tests, _ = run_guarded(lambda: run_all(checked.tests(answers, seed)), timeout=600, counts=False)  # noqa: B023
            refused += [(code, seed, test.says, test.wrong_rows) for test in tests if not test.is_right][:1]
    assert refused == []
