"""The checks of numbers used more than once: what a failing case shows, and the paths by an oracle.

Answers to them, right and wrong, are in tests/attempts.
"""

from autograd.dual import forward_gradient
from exercises.content import library
from exercises.engine_file import check, trial
from exercises.tasks.shared import fan_out as shared
from exercises.tasks.used_three_times import check as used_three_times_check


def judged(name, old, new):
    checked, code = getattr(check, name), library.solution(name).code
    assert old in code
    return checked(*checked.answers(code.replace(old, new)))


def test_rules_accepts_two_functions_in_place_of_a_class():
    [theirs] = check.rules.answers(library.solution("rules").code)
    adding, multiplying = theirs.__add__, theirs.__mul__
    assert check.rules(adding, multiplying)
    assert check.rules(multiplying, adding).state == check.rules(adding).state == "wrong"
    assert check.rules(trial.template_engine().Value).state == "wrong"


def test_assigning_rule_fails_on_a_plus_a():
    verdict = judged("rules", "+= out.grad", "= out.grad")
    assert verdict.case == "a = Value(3.0)\nout = a + a\nout.grad = 10.0\nout._backward()"
    assert verdict.rows == (("a.grad", 20.0, 10.0),)
    assert "See lesson 00, “Your rules for + and *”" in verdict.render_text()


def test_answer_right_only_at_the_shown_points_is_wrong():
    points = shared.points(3)
    body = f"a * b + c if (a.data, b.data, c.data) in {points} else a * b + c * a"
    assert judged("equals_is_right", "a * b + c", body).state == "wrong"


def test_failing_case_shows_graph_and_both_gradients():
    verdict = judged("equals_is_right", "a * b + c", "a * b + a * c")
    assert verdict.case == "a, b, c = Value(2), Value(3), Value(5)\nequals_is_right(a, b, c)"
    assert verdict.rows == (("a.grad with =", 8.0, 3.0),)
    assert verdict.graph is not None and "Computation graph" in verdict.html()


def test_contributions_add_up_to_the_dual_number_gradient():
    assert used_three_times_check.RIGHT == [-3, 2, 6]
    whole = forward_gradient(
        lambda x: x * used_three_times_check.Y + (x + used_three_times_check.Z) * x, [used_three_times_check.X]
    )
    assert whole == [sum(used_three_times_check.RIGHT)] == [5]


def test_wrong_contributions_do_not_reveal_the_right_ones():
    for given in ("[-3, 2, 5]", "[-3, 12, 2]", "(6, -3)", "[-3, 2, 6, 0]"):
        rows = judged("used_three_times", "[-3, 2, 6]", given).rows
        assert [expected for _, expected, _ in rows if expected != "one for each edge from x"] == [], rows
