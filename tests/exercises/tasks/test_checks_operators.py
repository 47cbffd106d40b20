"""The checks of multiply, subtract and divide: what their cases and their readings can tell.

Answers to them, right and wrong, are in tests/attempts.
"""

import pytest

from exercises.content import library
from exercises.engine_file import check, parts
from exercises.explaining.catalogue import known_mistakes
from exercises.tasks.shared import nodes as shared
from exercises.tasks.shared import operators
from exercises.verdicts.cases import FLOATS, Case

SEEN = ["one list for all", "an input is changed", "an input is returned", "a result of an earlier call", "rounded"]
SEEN_IN_RECORDS = [
    "the result forgets",
    "the number of an input was used, not the input",
    "the record does not match the number",
]
SEEN_IN_RECORDS += [
    "numbers instead of inputs",
    "a set of inputs",
    "not a tuple",
    "an input is missing",
    "the symbol is missing",
]


@pytest.mark.parametrize("name", ["multiply", "subtract", "divide"])
def test_mistakes_detected_by_a_check_are_in_the_catalogue(name):
    for seen in [*SEEN, "the wrong symbol", *(SEEN_IN_RECORDS if name in ("subtract", "divide") else [])]:
        assert seen in [each.mistake.name for each in known_mistakes(name)]


@pytest.mark.long
def test_function_that_fails_on_a_later_call_is_wrong():
    for calls in range(1, 80, 3):
        code = library.solution("multiply").code.replace(
            "return Value(self", f"made.append(1)\n        return 1 / 0 if len(made) > {calls} else Value(self"
        )
        assert check.multiply(*check.multiply.answers(f"made = []\n\n\n{code}")).state == "wrong"


@pytest.mark.parametrize("kinds", [("+",), ("*",), ("-", "v-n", "n-v"), ("/", "v/n", "n/v")])
def test_operator_cases_are_varied(kinds):
    tests = shared.small_cases(kinds)
    numbers = [number for case in tests for _, number in case.leaves]
    assert len(tests) >= 28 and [case for case in tests if not isinstance(case, Case)] == []
    assert {int, float} == set(map(type, numbers)) and {0, 1, -1} <= set(numbers)
    assert min(abs(number) for number in numbers if number) < 1e-7
    patterns = {tuple(isinstance(o, str) for o in operands) for case in tests for _, _, operands in case.steps}
    assert patterns == ({(True, True)} if len(kinds) == 1 else {(True, True), (True, False), (False, True)})
    assert any(len(set(operands)) == 1 for case in tests for _, _, operands in case.steps), tests  # a node with itself
    assert any(len({number for _, number in case.leaves}) < len(case.leaves) for case in tests), tests  # equal numbers
    assert any(len(case.steps) > 3 for case in tests), tests


@pytest.mark.parametrize("sign, name", [("-", "subtract"), ("/", "divide")])
def test_recorded_graph_is_evaluated_like_floats(sign, name):
    Value = parts.value_class(name)
    for case in shared.small_cases((sign, f"v{sign}n", f"n{sign}v")):
        nodes = case.run(Value)
        others = [number * 1.5 or 0.75 for _, number in case.leaves]
        again = operators.worked_out(
            nodes[case.root], {id(nodes[leaf]): x for (leaf, _), x in zip(case.leaves, others)}
        )
        assert again is None or again == pytest.approx(case.compute(others, FLOATS)[case.root], rel=1e-9)


def test_exponent_is_not_guessed_from_a_rounded_symbol():
    """2.3456789 written with six digits is another number: the check claims nothing of it, and sees a contradiction."""
    base, n = 1.7, 2.3456789
    assert operators.power(3.0, base, base**n, f"**{n:g}") is None
    assert operators.power(3.0, base, base**-1, "**-1") == 1 / 3.0 == operators.power(3.0, base, base**-1, "**")
    assert operators.power(3.0, -1.0, -1.0, "**-1") is None  # also (-1)**3
    with pytest.raises(operators.Untold, match=r"made from 1\.7"):
        operators.power(3.0, base, base**-1, "**2")
