"""Judge an engine by its records: whether it is right on random graphs, and which mistakes explain what it gives."""

import functools
import math
from dataclasses import dataclass, replace

from exercises.explaining import explanation
from exercises.explaining.recording import FORWARD, TURNED
from exercises.explaining.simulation import Tape, raises
from exercises.verdicts.cases import ALL, FLOATS, KINDS, OPERATIONS, TOLERANCE, Case, cases, is_close

COUNT = 60  # random graphs, small ones first
SIMPLE_FIRST = ("+", "*", *(name for name in OPERATIONS if name not in ("+", "*")))


@dataclass(frozen=True)
class Identity:
    """The judgement on an engine. case: the smallest graph that shows an error, and rows (what, right, got).

    alike: the Mistakes that together explain every result; () if none were found that do. lacks: operations that are
    missing. tried: the number of graphs. raised: a record for each kind of exception that some graphs raise.
    """

    is_right: bool
    alike: tuple = ()
    case: object = None
    rows: tuple = ()
    lacks: tuple = ()
    tried: int = 0
    raised: tuple = ()


def judged(run, kinds=ALL, fits=lambda case: True):
    """Return the Identity of an engine.

    run: gives the records (`recording.record`) of some Cases. kinds: of steps that are tried. fits: whether a Case is
    to be tried.
    """
    has = [record.get("where") != FORWARD for record in run([single(kind) for kind in kinds])]
    missing = tuple(kind for kind, there in zip(kinds, has) if not there)
    kinds = tuple(kind for kind, there in zip(kinds, has) if there)
    if not kinds:
        return Identity(False, lacks=missing)
    tried = [case for case in cases(kinds, COUNT) if fits(case)]
    wrong = [case for case, record in zip(tried, run(tried)) if not is_right(case, record)]
    if not wrong:
        return Identity(True, lacks=missing, tried=len(tried))
    parts = list(dict.fromkeys(part for case in tried for part in (case, *parts_of(case)) if fits(part)))
    records = dict(zip(parts, run(parts)))
    case = next(part for part in sorted(parts, key=size_of) if not is_right(part, records[part]))
    records = {part: record for part, record in records.items() if not is_consequence(part, records)}
    ended = [record for record in records.values() if "error" in record]
    worked = [(part, record) for part, record in records.items() if "value" in record]
    watched = [(part, record["numbers"], Tape.from_record(record)) for part, record in worked]
    state, alike = explained(watched) if watched else (None, ())
    if state:
        tapes = {id(each): Tape.from_record(each) for each in ended if "tape" in each}
        ended = [each for each in ended if id(each) not in tapes or raises(tapes[id(each)], state) != each["error"]]
    raised = tuple({said_of(record): record for record in reversed(ended)}.values())
    return Identity(False, alike, case, rows(case, records[case]), missing, len(tried), raised)


def is_consequence(case, records):
    """Return whether an engine raises on a Case where a value before was wrong: 0 or less in log, for instance."""
    if "error" not in records[case]:
        return False
    before = [(part, records[part]) for part in parts_of(case) if "value" in records.get(part, ())]
    return any(not is_close(record["value"], truth(part)[0]) for part, record in before)


def size_of(case):
    """Return a sort key for the size of a Case: its steps, whether they are simple ones, and its leaves."""
    ranks = [SIMPLE_FIRST.index(operation) for _, operation, _ in case.steps]
    return len(ranks), max(ranks), len(case.leaves)


def single(kind):
    """Return a Case of one step of a kind."""
    operation, pattern = KINDS[kind]
    leaves = tuple(zip("ab", (1.5, 2.5)[: sum(place not in "nk" for place in pattern)]))
    names = iter("ab")
    numbers = {"n": 2.0, "k": 2}
    return Case(leaves, (("d", operation, tuple(numbers.get(place) or next(names) for place in pattern)),))


def said_of(record):
    return f"{record['error']} {record['where']}"


def explained(watched):
    """Return (state, Mistakes) that together explain every value and every gradient; (None, ()) if none do.

    watched: (Case, number of each step, Tape). An engine may leave anything in the root's own gradient. The rule of an
    operation that computes another one may be its own or the other's.
    """
    others = computed(watched)
    tapes = [tape for _, _, tape in watched]
    tried = [tapes, [tape.renamed(others) for tape in tapes]] if others else [tapes]
    found = [each for each in map(state_of, tried) if each[0] is not None]
    if not found:
        return None, ()
    state, tapes = min(found, key=lambda each: len(each[0]))
    return state, (*of_values(watched, others), *explanation.mistakes(state, tapes))


def state_of(tapes):
    """Return (the state that gives the gradients of all Tapes, or None; the Tapes, without the root's if needed)."""
    state = explanation.explanation(tapes)
    if state is None and any(len(tape.grads) > len(tape.leaves) and tape.grads[-1] != 1 for tape in tapes):
        tapes = [replace(tape, grads=tape.grads[: len(tape.leaves)]) for tape in tapes]
        state = explanation.explanation(tapes)
    return state, tapes


def computed(watched):
    """Return {operation: another one} for each operation that always gives the numbers of that other one."""
    fits = {}
    for case, numbers, _ in watched:
        for name, sign, operands in case.steps:
            narrow(fits, sign, sign, numbers[name], [numbers[o] if isinstance(o, str) else o for o in operands])
    return {sign: names[0] for sign, names in fits.items() if sign not in names and names}


def narrow(fits, kind, sign, number, given):
    """Keep in fits[kind] those operations that give a number of these operands."""
    possible = fits.setdefault(kind, [each for each in OPERATIONS if arity(each) == arity(sign)])
    fits[kind] = [each for each in possible if is_close(number, value_of(each, given))]


def arity(sign):
    return 2 if sign in {operation for operation, pattern in KINDS.values() if len(pattern) == 2} else 1


def value_of(sign, given):
    """Return what an operation gives by plain floats, nan where it has no value."""
    try:
        return FLOATS[sign](*given)
    except (ArithmeticError, ValueError, TypeError):
        return math.nan


def of_values(watched, others):
    """Return the Mistakes that the values show, step by step, before any gradient."""
    turned, fits = {}, {}  # for each kind of step with a wrong value: whether all are turned, and what fits all
    for case, numbers, _ in watched:
        for name, sign, operands in case.steps:
            given = [numbers[o] if isinstance(o, str) else o for o in operands]
            if sign not in others and not is_close(numbers[name], value_of(sign, given)):
                is_plain = not all(isinstance(o, str) for o in operands)
                kind = sign.join("v" if isinstance(o, str) else "n" for o in operands) if is_plain else sign
                is_turned = sign in TURNED and is_close(numbers[name], value_of(sign, given[::-1]))
                turned[kind] = turned.get(kind, True) and is_turned
                narrow(fits, kind, sign, numbers[name], given)
    found = [explanation.describe_mistake("other", [sign], other=other) for sign, other in sorted(others.items())]
    for kind, is_turned in sorted(turned.items()):
        if fits[kind] and not is_turned:
            found.append(explanation.describe_mistake("other", [kind], other=fits[kind][0]))
        else:
            found.append(explanation.describe_mistake("turned" if is_turned else "value", [kind]))
    return tuple(found)


def parts_of(case):
    """Yield the Cases that end at each step of a Case, with no more than that step needs."""
    for i in range(len(case.steps)):
        needed, steps = {case.steps[i][0]}, []
        for step in reversed(case.steps[: i + 1]):
            if step[0] in needed:
                steps.append(step)
                needed |= {each for each in step[2] if isinstance(each, str)}
        yield Case(tuple(leaf for leaf in case.leaves if leaf[0] in needed), tuple(reversed(steps)))


@functools.cache
def truth(case):
    """Return the right (value, gradients of the leaves) of a Case, from floats and dual numbers."""
    return case.value, tuple(case.gradients().values())


def is_right(case, record, tolerance=1.0):
    """Return whether a record has the right value and gradients of a Case, up to float noise times `tolerance`."""
    if "error" in record:
        return False
    value, slopes = truth(case)
    pairs = [(record["value"], value), *zip(record["grads"], slopes)]
    return all(abs(got - right) <= TOLERANCE * tolerance * max(1.0, abs(right)) for got, right in pairs)


def rows(case, record):
    """Return (what, right, got) for the value and each leaf; one row of text if the engine raises."""
    value, slopes = truth(case)
    if "error" in record:
        return (("it", "comes to its end", said_of(record)),)
    names = [case.root, *(f"{name}.grad" for name, _ in case.leaves)]
    return tuple(zip(names, (value, *slopes), (record["value"], *record["grads"])))
