"""The checks of rules and functions: rules that other exercises have made, and what the tests of a rule can tell.

Answers to them, right and wrong, are in tests/attempts.
"""

import pytest

from autograd.dual import forward_gradient
from exercises.content import library
from exercises.engine_file import check, parts
from exercises.engines.wrong_engines import Engine
from exercises.tasks.shared import rules_seen as shared
from exercises.verdicts.cases import OPERATIONS


def test_rules_accepts_the_rules_of_notebook_00():
    (theirs,) = check.first_rules.answers(library.solution("first_rules").code)
    assert check.rules(theirs)


@pytest.mark.parametrize("sign", "+*")
def test_rule_scripts_cover_edge_cases(sign):
    text = [script.to_source() for script in shared.scripts(sign)]
    assert 45 <= len(text) <= 60 and text[0] == text[-1]
    for piece in (f"a {sign} 1", f"0 {sign} a", "Value(0)", "Value(-1)", "Value(4.0), Value(4.0)", 'label="a"'):
        assert any(piece in each for each in text), piece
    grads_there = [each for each in text if f"{sign} a\na.grad = " in each or "a.grad, b.grad = " in each]
    assert len(grads_there) == 15
    assert any(f"a {sign} a" in each for each in text), text


@pytest.mark.parametrize("sign", "+*")
def test_expected_rule_results_match_dual_numbers(sign):
    for a, b, upstream in ((2.0, -3.0, 10.0), (0, 5.0, -2.5), (1e-4, 2e3, 1.5e4)):
        found = shared.right(shared.of_two(sign, a, b, upstream))
        expected = [upstream * slope for slope in forward_gradient(OPERATIONS[sign], [a, b])]
        assert [found["a.grad"], found["b.grad"]] == pytest.approx(expected)
        assert found["out._prev"] == "(a, b)" and found["a.grad at first"] == 0


def test_rule_tests_accept_the_reference_engine():
    for sign in "+*":
        assert [test for test in shared.rule_tests(Engine, sign) if not test.is_right] == []


@pytest.mark.parametrize("given", [3, parts.value_class("rules")(2.0), "Arithmetic"])
def test_non_class_is_rejected_with_a_message(given):
    found = check.rules(given)
    assert found.state == "wrong" and "Pass the class itself, by its name, without ()." in found.render_text()


@pytest.mark.parametrize("operation", ["relu", "exp", "log", "tanh"])
def test_function_scripts_cover_edge_cases(operation):
    scripts = shared.function_scripts(operation)
    text = [script.to_source() for script in scripts]
    xs = shared.points(operation, 0)
    assert text[0] == text[-1] and len(text) >= 25
    assert (min(xs) < 0 < max(xs) and 0 in xs) or operation == "log"
    assert any("a.grad = " in each and "again" not in each for each in text), text  # something has arrived before
    for script in scripts:
        found = shared.right(script)
        if script.runs.startswith("out.grad"):
            (slope,) = forward_gradient(OPERATIONS[operation], [found["a.data"]])
            assert found["a.grad"] == pytest.approx(found["out.grad"] * slope) or "x = " in script.makes
    assert [test for test in shared.function_tests(Engine, operation) if not test.is_right] == []


def test_assigning_function_is_rejected():
    for name in ("relu", "functions"):
        found = getattr(check, name)(*getattr(check, name).answers(library.solution(name).code.replace("+=", "=")))
        assert found.state == "wrong" and [each.name for each in found.mistakes] == ["= instead of +="]
