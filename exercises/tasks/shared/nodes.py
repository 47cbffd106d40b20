"""Operations on a learner's nodes, their numbers and their records, for several checks."""

import functools
import random
from collections import deque
from dataclasses import dataclass, replace

from exercises.judging.vocabulary import (
    FLOATS,
    OPERATIONS,
    AnswerError,
    Case,
    NotAttempted,
    TestResult,
    answer,
    called,
    cases,
    failed_test,
    has,
    holding,
    kind,
    make_result,
    short,
    stranger,
    to_plain_data,
    trying,
)

SEQUENCES = tuple | list | deque
SHOWN = 6  # how many inputs are written out
DIGITS = range(1, 13)  # to which a number may have been rounded


def member(thing, name):
    """Return a member of a learner's object; None if it has none."""
    return getattr(thing, name) if has(thing, name) else None


def is_number(thing):
    """Return whether something is a real number."""
    return not isinstance(to_plain_data(thing), str)


def close(got, expected):
    """Return whether two numbers agree to nine digits, small ones too; where 0 is right, noise of 1e-12 is allowed."""
    return not isinstance(got, str) and abs(got - expected) <= (
        1e-9 * abs(expected) if abs(expected) > 1e-12 else 1e-12
    )


def are_rounded(pairs):
    """Return whether all pairs (actual number, right number) fit if the right ones are rounded to some decimals."""
    wrong = [got for got, right in pairs if not close(got, right)]
    return any(wrong) and any(all(close(got, round(right, digits)) for got, right in pairs) for digits in DIGITS)


def exact(number):
    """Return a small number as text with ten digits, so that it differs from others; anything else unchanged."""
    return f"{number:.10g}" if not isinstance(number, str) and 0 < abs(number) < 1e-3 else number


PAIRS = (  # of operands: few mistakes hide in the first; then zeros, ones, equal ones, ints, and many digits
    *((2.5, -4.0), (3, 5), (-1.5, 0.5), (0.0, 2.5), (2.5, 0), (1, -2.5), (-2.5, 1.0), (-1.0, 3), (3.0, -1)),
    *((2.0, 2.0), (-2, -2), (0, 0), (7.654321, 0.12345), (3.2178654321e-5, 5.43212345e-6), (2.3e-9, 3.7), (-4.5, 3)),
)


@functools.cache
def small_cases(kinds, seed=0):
    """Return Cases of these kinds of operation: first of one step, then longer random ones, a third with ints."""
    rng = random.Random(seed or 2)
    pairs = [*PAIRS, *((round(rng.uniform(1, 9), 5), round(rng.uniform(-9, -1), 5)) for _ in range(3))]
    few = 4 if len(kinds) > 3 else len(pairs)  # of the kinds that use another exercise's function
    asked = [(sort, pair) for sort in kinds for pair in (pairs if sort[0] == "n" else pairs[:few])]
    single = [one_step(sort, x, y) for sort, (x, y) in asked if y or "/" not in sort]
    twice = [Case((("a", 1.5),), (("d", kind, ("a", "a")),)) for kind in kinds if kind in FLOATS]
    longer = [whole(case) if i % 3 == 1 else case for i, case in enumerate(cases(kinds, 12, seed=seed or 2))]
    return (*single, *twice, *longer)


def one_step(kind, x, y):
    """Return the Case of one operation: "-" has two Values, "v-n" a number on the right, "n-v" one on the left."""
    if kind in FLOATS:
        return Case((("a", x), ("b", y)), (("d", kind, ("a", "b")),))
    leaf, operands = (x, ("a", y)) if kind[0] == "v" else (y, (x, "a"))
    return Case((("a", leaf),), (("d", kind[1], operands),))


def whole(case):
    """Return the Case with ints instead of its whole floats."""

    def as_int(number):
        return int(number) if isinstance(number, float) and number == int(number) else number

    leaves = tuple((name, as_int(number)) for name, number in case.leaves)
    return Case(leaves, tuple((name, op, tuple(map(as_int, operands))) for name, op, operands in case.steps))


SAYS = {  # {the end of the first wrong row's name: what to say}
    " is new": "This is not a new Value.",
    ".data": "The number is wrong.",
    ".grad": "Its gradient is not 0 at the start.",
    " of its own": "Its inputs are in a list that other nodes share.",
    " afterwards": "An input has changed.",
}
EARLIER = "no: it is the result of an earlier call"


@dataclass(frozen=True)
class Done:
    """A Case run by a learner's engine: its nodes by name, and the TestResult of their numbers."""

    case: Case
    nodes: dict
    test: TestResult
    is_changed: bool = False  # whether a leaf's number was changed afterwards


def right_numbers(Value, kinds, seed, prefix=""):
    """Yield the tests of the numbers that a learner's operations give. Return the Done of each if all were right."""
    done, right, pairs = [], True, []
    try:
        for each in doing(Value, kinds, seed):
            done.append(each)
            test, right = each.test, right and each.test.is_right
            if len(each.case.steps) == 1:
                pairs.append((to_plain_data(member(each.nodes.get(each.case.root), "data")), each.case.value))
            if not test.is_right and not test.because and not test.ended and are_rounded(pairs):
                test = replace(test, because=("rounded",))
            yield replace(test, says=prefix + test.says)
    except NotAttempted as why:
        if right:
            raise NotAttempted(f"Everything tested so far is right. {why}" if done else str(why)) from None
        yield TestResult("It is not finished.", ended="it is not finished")
    return [each for each in done if right and not each.is_changed]


def doing(Value, kinds, seed):
    """Yield each Case as Done, up to one in which something is raised.

    Then yield one of each kind twice in a row, on leaves with equal numbers, and again after one of them was changed.
    """
    earlier = {}
    for case in small_cases(kinds, seed):
        yield (each := do(Value, case, earlier))
        if each.test.ended:
            return
    for sort in kinds:
        case = one_step(sort, *PAIRS[0])
        yield do(Value, case, earlier)
        yield replace(first := do(Value, case, earlier), is_changed=True)
        if first.test.ended:
            return
        (_, operation, operands), leaves = case.steps[0], {name: first.nodes[name] for name, _ in case.leaves}
        leaves["a"].data = 0.5
        again = do(Value, Case((("a", 0.5), *case.leaves[1:]), (("e", operation, operands),)), earlier, leaves)
        text = f"{case.to_source()}\na.data = 0.5\n{again.case.to_source().splitlines()[-1]}"
        yield replace(again, test=replace(again.test, case=text), is_changed=True)


def do(Value, case, earlier, leaves=None):
    """Run a Case with a learner's class, as Done. earlier: {id: result} of all tests so far; this one's are added."""
    expected, rows = case.compute([number for _, number in case.leaves], FLOATS), []
    try:
        with trying(what := "; ".join(case.to_source().splitlines())):
            nodes = dict(leaves or {name: Value(number, label=name) for name, number in case.leaves})
            for name, operation, operands in case.steps:
                before = {o: state(nodes[o], nodes) for o in operands if isinstance(nodes.get(o), Value)}
                node = answer(OPERATIONS[operation](*(nodes.get(o, o) for o in operands)), what, object)
                rows += seen_of(Value, name, node, expected[name], {o: nodes.get(o) for o in operands}, earlier)
                rows += [row for o in before for row in changes(o, before[o], state(nodes[o], nodes))]
                nodes[name] = earlier[id(node)] = node
    except NotAttempted as unfinished:
        what = f"Not written yet: {case.to_source().splitlines()[-1]}." if earlier else ""
        raise NotAttempted(str(unfinished) or what) from None
    except AnswerError as error:
        return Done(case, {}, failed_test(error))
    return Done(case, nodes, complete_result(make_result("", *rows, case=case.to_source(), graph=case.graph)))


def complete_result(test):
    """Complete the TestResult of an operation with its sentence, and with a mistake that shows whatever the number
    is.
    """
    if test.is_right:
        return test
    wrong = test.wrong_rows
    facts = {
        "one list for all": all(what.endswith(" of its own") for what, *_ in wrong),
        "an input is changed": any(what.endswith(" afterwards") for what, *_ in wrong),
        "a result of an earlier call": any(got == EARLIER for *_, got in wrong),
        "an input is returned": any(what.endswith(" is new") for what, *_ in wrong),
    }
    other = f"A Value of the engine was expected; it returned {wrong[0][2]}."
    says = next((said for ending, said in SAYS.items() if wrong[0][0].endswith(ending)), other)
    return replace(test, says=says, because=tuple(holding(facts)[:1]))


def seen_of(Value, name, node, expected, given, earlier):
    """Return the rows for one result. given: the operands by name; earlier: all results before."""
    if not isinstance(node, Value):
        return [(name, "a Value", stranger(node))]
    data, prev = to_plain_data(member(node, "data")), member(node, "_prev")
    there = [f"no: it is {other}" for other, operand in given.items() if operand is node]
    others = earlier.values() if isinstance(prev, list) else ()
    return [
        (name, "a Value", "a Value"),
        (f"{name} is new", "yes", (there or [EARLIER if id(node) in earlier else "yes"])[0]),
        (f"{name}.data", exact(expected), exact(data), close(data, expected)),
        (f"{name}.grad", 0.0, to_plain_data(member(node, "grad"))),
        (f"{name}._prev is its own list", True, all(member(other, "_prev") is not prev for other in others)),
    ]


def state(node, nodes):
    """Return all that a Value holds, as plain data."""
    found = {name: to_plain_data(member(node, name)) for name in ("data", "grad", "label", "_op")}
    return {**found, "_prev": described(member(node, "_prev"), nodes)}


def changes(name, before, after):
    """Return a row for each part of a Value that has changed."""
    return [(f"{name}.{each} afterwards", was, after[each]) for each, was in before.items() if was != after[each]]


def described(prev, nodes):
    """Return a learner's `_prev` as text, with the names of the nodes in it."""
    names = {id(node): name for name, node in nodes.items()}

    def one(thing):
        if id(thing) in names or isinstance(thing, int | float | str):
            return names.get(id(thing)) or repr(thing)
        return f"a different {short(thing)}" if has(thing, "data") else kind(thing)

    if isinstance(prev, set | frozenset):
        return f"{{{', '.join(sorted(map(one, prev)))}}}"
    if not isinstance(prev, SEQUENCES):
        return one(prev)
    inner = ", ".join(map(one, prev)) if len(prev) <= SHOWN else f"{len(prev)} things"
    text = f"[{inner}]" if not isinstance(prev, tuple) else f"({inner}{',' * (len(prev) == 1)})"
    return f"deque({text})" if isinstance(prev, deque) else text


def two_steps(Value, sign, seed):
    """Yield the tests of an operation: those of the numbers and, if all are right, those of the record."""
    done = yield from right_numbers(Value, (sign,), seed, "Step 1 of 2. ")
    yield from records(Value, done, "Step 1 of 2 is done: every number is right. Step 2. ")
    return f"Both steps, on {len(done)} operations; a {sign} a keeps a twice."


def records(Value, done, prefix):
    """Yield the tests of what each operation records. They run after all operations, so that a shared list shows."""
    for each in done:
        rows = []
        for name, operation, operands in each.case.steps:
            given = [each.nodes.get(operand, operand) for operand in operands]
            prev, op = member(each.nodes[name], "_prev"), member(each.nodes[name], "_op")
            wanted = f"({', '.join(o if isinstance(o, str) else f'Value({o})' for o in operands)})"
            is_kept = keeps(Value, prev, given, each.nodes)
            rows.append((f"{name}._prev", wanted, wanted if is_kept else described(prev, each.nodes)))
            rows.append((f"{name}._op", repr(operation), repr(op) if isinstance(op, str) else kind(op)))
        signs = [row for row in rows[1::2] if row[2] not in (row[1], "''", "None")]
        says, because = "The inputs are not stored as they should be.", ()
        if all(row[1] == row[2] for row in rows[::2]):
            says, because = "The operator symbol is wrong.", ["the wrong symbol"] * bool(signs)
        yield make_result(prefix + says, *rows, case=each.test.case, graph=each.test.graph, because=because)


def keeps(Value, prev, given, nodes):
    """Return whether `_prev` is a tuple of the operands in order; with a plain number on the left, in any order.

    In place of a plain number `_prev` holds a new leaf with that number.
    """

    def is_operand(input, operand):
        if not isinstance(operand, int | float):
            return input is operand
        if not isinstance(input, Value) or any(input is node for node in nodes.values()):
            return False
        return described(input._prev, {}) == "()" and input._op == "" and to_plain_data(input.data) == operand

    orders = [given, given[::-1]] if isinstance(given[0], int | float) else [given]
    return isinstance(prev, tuple) and len(prev) == 2 and any(all(map(is_operand, prev, order)) for order in orders)


def leaves_made(Value, as_value, seed):
    """Yield the tests of what as_value makes of plain numbers, some of them given twice."""
    rng, earlier = random.Random(seed or 2), []
    numbers = [2, 2.5, -1, 0, 0.0, 1, *(rng.uniform(-9, 9) for _ in range(6)), *(rng.randint(-9, 9) for _ in range(6))]
    for number in [*numbers, 2, 2.5]:
        case = f"as_value({number})"
        leaf = called(as_value, number, what=case, returns=object)
        is_new = all(leaf is not other for other in earlier)
        rows, says = [(case, "a Value", stranger(leaf))], "as_value does not make a Value of this number."
        if isinstance(leaf, Value):
            found, says = state(leaf, {}), "That is not a new leaf with this number."
            rows = [(case, "a Value", "a Value"), (f"{case} is new", True, is_new)]
            rows += [(f"{case}.data", number, found["data"], found["data"] == number)]
            rows += [(f"{case}._prev", "()", found["_prev"]), (f"{case}._op", "''", found["_op"])]
        yield make_result(says, *rows, case=case)
        earlier.append(leaf)


def handed_back(Value, as_value):
    """Yield the tests of what as_value makes of Values: a leaf, a leaf of 0, and a node that is not a leaf."""
    made = Value(5.0, (Value(2.0, label="a"), Value(3.0, label="b")), "+", "v")
    derived = type("Derived", (Value,), {"__slots__": ()})(3.0)
    lines = "Value(2.0)", "Value(0)", "a + b", "Derived(3.0)  # class Derived(Value)"
    for given, line in zip((Value(2.0), Value(0, label="v"), made, derived), lines):
        before, what = state(given, {}), f"v = {line}; as_value(v)"
        found = called(as_value, given, what=what, returns=object)
        after, data = state(given, {}), member(found, "data")
        rows = [("as_value(v) is v", True, found is given)]
        rows += [("as_value(v)", type(given).__name__, type(found).__name__)]
        rows += [("its data", before["data"], to_plain_data(found if data is None else data))]
        rows += changes("v", before, after)
        yield make_result("as_value should return a Value unchanged.", *rows, case=what.replace("; ", "\n"))
