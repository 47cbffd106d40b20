"""A learner's operators on an expression: the result is followed back to its inputs and computed again."""

import functools

from exercises.engine_file import parts
from exercises.judging.vocabulary import FLOATS, OPERATIONS, all_right, kind, make_result, short, to_plain_data, trying
from exercises.tasks.shared.nodes import SEQUENCES, close, is_number, member, right_numbers, small_cases


def in_the_engine(kinds, seed, name, answers):
    """Yield the tests of the gradients in an engine with rules whose operators are these answers.

    There `add`, `multiply` and `power` mean the operators of that engine, so an answer may call them as well. A node
    that an answer makes itself gets a gradient only if it brings a rule.
    """
    answered = parts.BY_NAME[name]
    names = parts.engine_namespace("accumulate") | dict(zip(answered.gives, answers))
    for each in (answered, parts.BY_NAME["rules"]):
        exec(each.wires, names)
    with parts.bound_globals(answers, names | {called: OPERATIONS[sign] for called, sign in parts.OPERATORS.items()}):
        none = names["Value"](0.0)._backward.__code__
        for case in small_cases(kinds, seed):
            with trying("; ".join(case.to_source().splitlines())):
                nodes = case.run(names["Value"])
                reached = list(led_to(nodes[case.root]).values())
                nodes[case.root].backward()
            has_rules = all(
                getattr(node._backward, "__code__", None) is not none for node in reached if inputs_of(node)
            )
            rows = [
                (f"{leaf}.grad", slope, to_plain_data(nodes[leaf].grad)) for leaf, slope in case.gradients().items()
            ]
            says = "The number is right. But the rule that the function gives its node computes the wrong gradient."
            if not has_rules:
                says = (
                    "The number is right, but a node on the way to it was not made by an operator between Values, such "
                    "as + or *. Use existing operators: a new kind of node needs a rule, which comes in lesson 02."
                )
                rows = [(f"what made {case.root}", "an operator that exists", "the function itself")]
            yield make_result(says, *rows, case=f"{case.to_source()}\n{case.root}.backward()", graph=case.graph)


FACTORS = 1.5, 2.5, -0.5  # that multiply the leaves
NOT_KNOWN = "not known"
EXPONENTS = -1, 1, 2, -2, 3, -3, 0.5, -0.5, 4, -4


def either_side(Value, sign, seed, answers):
    """Yield the tests of an operation: its numbers, and, if all are right, its records.

    Any graph that gives the number is accepted, even one with other leaves.
    """
    kinds = (sign, f"v{sign}n", f"n{sign}v")
    done = yield from right_numbers(Value, kinds, seed)

    def pasts():
        for each in done:
            with trying("; ".join(each.test.case.splitlines())):
                test = past(each)
            yield test

    if (yield from all_right(pasts())) and done:
        yield from in_the_engine(kinds, seed, {"-": "subtract", "/": "divide"}[sign], answers)
    return f"{len(done)} operations, with a number on either side; each result can be recomputed from its record."


def past(done):
    """Return the TestResult of a record: whether it leads to each leaf, and its result with these and with other
    numbers.
    """
    (name, *_), case, leaves = done.case.steps[-1], done.case, dict(done.case.leaves)
    reached, slip = led_to(done.nodes[name]), ""
    lost = [leaf for leaf in leaves if id(done.nodes[leaf]) not in reached]
    rows = [(f"{name} depends on {leaf}", "yes", "no" if leaf in lost else "yes") for leaf in leaves]
    others = {leaf: leaves[leaf] * factor or factor for leaf, factor in zip(leaves, FACTORS)}
    for numbers in [leaves] if lost else [leaves, others]:
        expected = case.compute(list(numbers.values()), FLOATS)[name]
        try:
            again = worked_out(done.nodes[name], {id(done.nodes[leaf]): number for leaf, number in numbers.items()})
        except Untold as why:
            again, slip = why.args
        got = NOT_KNOWN if again is None else again
        is_right = is_known_as(got, expected)
        given = ", ".join(f"{leaf} = {number:g}" for leaf, number in numbers.items())
        will_do = functools.partial(is_known_as, expected=expected)
        rows.append((f"{name} recomputed with {given}", expected, got, will_do))
        slip = slip or ("" if is_right or isinstance(again, str) else "the record does not match the number")
    if lost and is_right:
        slip = "the number of an input was used, not the input" if inputs_of(done.nodes[name]) else "the result forgets"
    says = "The number is right, but its inputs are not." if lost else "The number is right, but its record is not."
    return make_result(says, *rows, case=done.test.case, graph=done.test.graph, because=slip or ())


def is_known_as(got, expected):
    """Return whether a recomputed number is the right one, or is not known."""
    return got == NOT_KNOWN or close(got, expected)


def inputs_of(node):
    """Return the contents of a learner's `_prev` as a list."""
    prev = member(node, "_prev")
    return list(prev) if isinstance(prev, SEQUENCES | set | frozenset) else [] if prev is None else [prev]


def led_to(root):
    """Return {id: thing} of all that a root's record leads to."""
    found, waiting = {}, [root]
    while waiting:
        node = waiting.pop()
        if id(node) not in found:
            found[id(node)] = node
            waiting += inputs_of(node)
    return found


class Untold(Exception):
    """A record that cannot be followed: the reason, and the name of the mistake."""


def worked_out(node, numbers):
    """Compute a node's number from its record, given some numbers by id; None if a power cannot be determined."""
    if id(node) in numbers:
        return numbers[id(node)]
    prev, op = member(node, "_prev"), member(node, "_op")
    if prev is None:
        raise Untold(f"{kind(node)} among the inputs", "numbers instead of inputs" if is_number(node) else "")
    if not isinstance(prev, SEQUENCES):
        is_set = isinstance(prev, set | frozenset)
        raise Untold(f"{kind(prev)} for the inputs", "a set of inputs" if is_set else "not a tuple")
    xs = [worked_out(input, numbers) for input in prev]
    if not xs:
        return node.data
    if len(xs) == 2 and op in ("+", "-", "*", "/"):
        return None if None in xs else FLOATS[op](*xs)
    if len(xs) == 1 and op in ("neg", "-"):
        return None if None in xs else -xs[0]
    if len(xs) == 1 and isinstance(op, str) and op.startswith("**"):
        return power(xs[0], prev[0].data, node.data, op)
    is_known = op in ("+", "-", "*", "/")  # then it has too few inputs, or too many
    missing = "an input is missing" if len(xs) == 1 else ""
    slip = "the symbol is missing" if not op else missing if is_known else "the wrong symbol"
    raise Untold(f"the symbol {short(op)} with {len(xs)} input{'s' * (len(xs) > 1)}", slip)


def power(x, base, result, op):
    """Return x to the exponent that made `result` of `base`, None if that is unclear; Untold if `op` disagrees."""
    told = [n for n in EXPONENTS if op in (f"**{n}", f"**{float(n)}", f"**({n})")]
    fits = [n for n in EXPONENTS if (base or n > 0) and close(base**n, result)]
    if told and told[0] not in fits:
        raise Untold(
            f"the symbol {op!r} on {result:.10g}, made from {base:.10g}", "the record does not match the number"
        )
    return x ** (told or fits)[0] if fits and x is not None and abs(base) not in (0, 1) else None
