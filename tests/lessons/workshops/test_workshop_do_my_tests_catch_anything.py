"""Would my tests notice a wrong engine? Its counts are what the twenty wrong engines give."""

import autograd
from autograd.dual import forward_gradient
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.judging.kills import kill_matrix
from exercises.quizzes.quiz_data import load
from tests.notebooks import Lesson

WORKSHOP = Lesson("do_my_tests_catch_anything", with_solutions=True)


def test_kill_matrix_of_tidy_tests_and_one_with_fan_out():
    matrix, more = (kill_matrix([*WORKSHOP["tidy"], *tests]) for tests in ([], [WORKSHOP["used_twice"]]))
    caught, again = ([each.id for each in found.caught] for found in (matrix, more))
    assert not set(caught) & {f"M{i}" for i in range(1, 9)}
    assert [name for name in again if name in ("M1", "M2", "M3", "M4")] == ["M2"]
    alone, together = f"</summary>{matrix.score} of 20.</details>", f"the five tests catch {more.score} of 20."
    WORKSHOP.says(alone, f"Only M2; together {together}")
    for f, xs in WORKSHOP["tidy"]:
        uses = [input for node in autograd.topological_order(f(*map(autograd.Value, xs))) for input in node._prev]
        assert len(uses) == len(set(uses))  # nothing is used twice
    right = "([], Right on 60 random graphs: every value and every gradient.)"
    assert WORKSHOP.output("exercises.identify(Value)") == right


def test_gradients_of_m2_look_plausible():
    right, wrong = WORKSHOP["both"]["right"], WORKSHOP["both"]["M2"]
    assert [(one, other) for one, other in zip(right, wrong) if not (abs(one - other - 1) < 1e-12)] == []
    turned = sum(one * other < 0 for one, other in zip(right, wrong))
    WORKSHOP.says(f"Every one of the {len(right)} is wrong, and {turned} have the wrong sign.")


def test_tanh_question_options_are_marked_correctly():
    m4 = next(each.engine for each in WRONG_ENGINES if each.id == "M4")
    options = load(WORKSHOP.path.stem)["questions"][-1]["options"]
    for option in options:
        f = eval(f"lambda x, y: {option['text'].split('`')[1]} + 0 * y")
        x, y = m4(0.5), m4(-0.8)
        f(x, y).backward()
        assert (abs(x.grad - forward_gradient(f, [0.5, -0.8])[0]) > 1e-3) == option.get("right", False), option
