"""Questions of levels 1 to 8: the gradient of one leaf of a small random graph of numbers."""

import contextlib

from autograd import Value, topological_order
from exercises.content.library import Mistake
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.explaining.explanation import states
from exercises.explaining.hand_errors import AT_ZERO
from exercises.explaining.simulation import TABLES, Tape, simulated
from exercises.practice.asked import LARGEST, Question, enough, gathered, with_arithmetic
from exercises.practice.hand import hand_errors, wrong_rules
from exercises.verdicts.cases import FLOATS, Case

LEVELS = {  # {level: (operations that may occur, how many there are)}
    1: (("*",), 1),
    2: (("+", "*"), 2),
    3: (("+", "*"), 3),
    4: (("+", "*", "-", "relu"), 4),
    5: (("+", "*", "-", "**"), 5),
    6: (("+", "*", "-", "relu", "tanh"), 6),
    7: (("+", "*", "-", "/", "**"), 7),
    8: (("+", "*", "-", "/", "relu", "tanh", "**"), 8),
}
LONG = 6  # from this level on the numbers are too hard for mental arithmetic
ARITHMETIC = " It may be typed as arithmetic, such as `(1 - 0.76**2)*3`."
FANNED = (3, 4)  # only fan-out lets five mistakes give different numbers there
NUMBERS = (-3, -2, -1, 1, 2, 3)
STATES = states()
ENGINES = {
    wrong.id: (STATES[wrong.id], Mistake.from_wrong_engine(wrong)) for wrong in WRONG_ENGINES if wrong.id in STATES
}
OF_ONE_RULE = (
    "M11",
    "M12",
    "M13",
    "M14",
    "M16",
    "M17",
)  # one operation's derivative is wrong, not how gradients combine
AT_0 = {("tanh", "slope"): [*TABLES["slopes"]["tanh"]].index("1")}
RULES_ALONE = (*(ENGINES[id] for id in OF_ONE_RULE), (AT_0, AT_ZERO))
OTHERS = tuple(each for id, each in ENGINES.items() if id not in OF_ONE_RULE)


def attempt(level, rng):
    """Return a random Question; None if it is not worth asking."""
    case = random_graph(*LEVELS[level], rng)
    if case is None or (level in FANNED and not fans_out(case)):
        return None
    nodes = case.run(Value)
    nodes[case.root].backward()
    asked = rng.choice([name for name, _ in case.leaves])
    answer = nodes[asked].grad
    if not 0.05 < abs(answer) <= LARGEST or not short(answer, case):
        return None
    tape, leaf = Tape.of_case(case), [name for name, _ in case.leaves].index(asked)
    rules, others = given(tape, leaf, (*wrong_rules(case), *RULES_ALONE)), given(tape, leaf, OTHERS)
    wrong = gathered(answer, [*rules, *hand_errors(nodes, case, asked), *others])
    if not enough(level, wrong):
        return None
    return Question(
        level=level,
        says=f"What is `{asked}.grad` after `{case.root}.backward()`?{ARITHMETIC if level >= LONG else ''}",
        code=code_of(case),
        case=case,
        asked=asked,
        answer=answer,
        wrong=with_arithmetic(answer, wrong),
        patterns=patterns(nodes, case, asked),
    )


def code_of(case):
    """Return the graph as lines of Python, each with its result."""
    values = case.compute([x for _, x in case.leaves], FLOATS)
    first, *steps = case.to_source().splitlines()
    return "\n".join([first, *(f"{line}  # {values[line.split(' =')[0]]:.4g}" for line in steps)])


def random_graph(operations, length, rng):
    """Return a Case of `length` steps on two or three whole numbers that all reach the root; None if it fails."""
    leaves = tuple((name, rng.choice(NUMBERS)) for name in "abc"[: 2 if length < 3 else rng.choice((2, 3))])
    values, unused, steps = dict(leaves), [name for name, _ in leaves], []
    for name in "defghijk"[:length]:
        operation = rng.choice(operations)
        one = operation in ("relu", "tanh", "**")
        left = rng.choice(unused if rng.random() < 0.7 else list(values))
        others = [other for other in (unused if rng.random() < 0.6 else values) if other != left]
        if not one and not others:
            return None
        operands = (left,) if one else (left, rng.choice(others))
        if operation == "**":
            operands = (left, 2)
        try:
            value = FLOATS[operation](*(values[o] if isinstance(o, str) else o for o in operands))
        except ZeroDivisionError:
            return None
        if abs(value) > LARGEST or (operation == "tanh" and not 0 < abs(values[left]) <= 2):
            return None
        if operation == "/" and value * 4 != round(value * 4):  # quarters at most
            return None
        values[name] = value
        unused = [*(known for known in unused if known not in operands), name]
        steps.append((name, operation, operands))
    return Case(leaves, tuple(steps)) if len(unused) == 1 else None


def fans_out(case):
    used = [name for _, _, operands in case.steps for name in operands if isinstance(name, str)]
    return len(set(used)) < len(used)


def short(number, case):
    """Return whether a number has at most two decimals; with a tanh, whether it is small enough to round."""
    if any(operation == "tanh" for _, operation, _ in case.steps):
        return abs(number) <= 3
    return abs(number * 100 - round(number * 100)) < 1e-9


def given(tape, leaf, known):
    """Yield (number, Mistake, True) for each of these states in which the case can be run: the gradient it leaves."""
    for state, mistake in known:
        with contextlib.suppress(ArithmeticError, ValueError):
            yield simulated(tape, state)[leaf], mistake, True


def patterns(nodes, case, asked):
    """Return the names of the ideas that a question trains."""
    used = [operation for _, operation, _ in case.steps]
    above = [node for node in topological_order(nodes[case.root]) if nodes[asked] in topological_order(node)]
    users = {name: sum(operands.count(name) for _, _, operands in case.steps) for name in nodes}
    found = []
    if users[asked] > 1:
        found.append("fan-out")
    if any(users[name] > 1 and nodes[name] in above for name, _, _ in case.steps):
        found.append("order")
    if any(op == "relu" and not nodes[name].data for name, op, _ in case.steps):
        found.append("relu shut")
    names = {"*": "multiplication", "-": "subtraction", "/": "division", "tanh": "tanh from its output", "**": "**"}
    found += [names[operation] for operation in names if operation in used]
    return tuple(found)
