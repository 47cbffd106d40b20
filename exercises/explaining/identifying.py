"""`identify`: whether a learner's whole class is right on random graphs, and which mistakes explain what it gives."""

import functools
from dataclasses import dataclass, replace
from types import ModuleType

import figures
from autograd import operations
from exercises.explaining import explanation
from exercises.explaining.recording import FORWARD, TURNED, Engine, record
from exercises.explaining.simulation import Tape
from exercises.sandbox.guard import TimeUp, guarded, too_long
from exercises.verdicts.cases import ALL, FLOATS, KINDS, OPERATIONS, TOLERANCE, Case, cases, same

COUNT = 60  # random graphs, small ones first
SIMPLE_FIRST = ("+", "*", *(name for name in OPERATIONS if name not in ("+", "*")))
NUMBERS = {0: "No known mistakes explain", 1: "One mistake explains"}


@dataclass(frozen=True)
class Identity:
    """What a class behaves as. case: the smallest graph that shows that it is wrong, and rows (what, right, got).

    alike: the Mistakes that together explain every result; () if none were found that do. lacks: operations that it
    has not. tried: on so many graphs. raised: what it raised on some of them. stopped: whether its code did not end.
    """

    is_right: bool
    alike: tuple = ()
    case: object = None
    rows: tuple = ()
    lacks: tuple = ()
    tried: int = 0
    stopped: bool = False
    raised: tuple = ()

    def says(self):
        """The result in sentences."""
        if self.stopped:
            return too_long()
        less = (
            f" Not tried, as your class has not: {', '.join(self.lacks)} (v a node, n a number)." if self.lacks else ""
        )
        if not self.tried:
            return f"Nothing could be tried: your class computes none of the graphs.{less}"
        if self.is_right:
            return f"Your class is right on {self.tried} random graphs: values and gradients.{less}"
        if self.raised:
            return f"Your class is not right. On some of {self.tried} graphs it raises {', '.join(self.raised)}.{less}"
        many = NUMBERS.get(len(self.alike), f"{len(self.alike)} mistakes together explain")
        named = "".join(f" {mistake.text()[0].upper()}{mistake.text()[1:]}" for mistake in self.alike)
        colon = ":" if named else "."
        return f"Your class is not right. {many} all its results on {self.tried} graphs{colon}{named}{less}"

    def __repr__(self):
        lines = [self.says()]
        if self.case:
            lines += ["", *(f"    {line}" for line in self.case.text().splitlines()), ""]
            lines += [f"{what}: right {right}, got {got}" for what, right, got in self.rows]
        return "\n".join(lines)

    def _repr_mimebundle_(self, **kwargs):
        if not self.case:
            return {"text/plain": repr(self)}
        picture = figures.draw_graph(self.case.graph(), gradients=False).html()
        rows = "".join(
            f"<tr><td>{what}</td><td>{right}</td><td><b>{got}</b></td></tr>" for what, right, got in self.rows
        )
        table = f"<table><thead><tr><th></th><th>right</th><th>got</th></tr></thead><tbody>{rows}</tbody></table>"
        lines = self.says().replace("<", "&lt;")
        return {"text/html": f"<p>{lines}</p>{picture}{table}", "text/plain": repr(self)}


def identify(Value):
    """What a class of your own behaves as, on random graphs of the operations that it has: an Identity.

    Value: the class, or an engine that has one (`my_engine`). It is right; or one or several mistakes explain every
    result that it gives; or no known ones do. TypeError if it is no class.
    """
    if isinstance(Value, ModuleType) or not isinstance(Value, type):
        Value = getattr(Value, "Value", Value)
    if not isinstance(Value, type):
        raise TypeError(f"identify takes a class such as your Value, got {Value!r}.")
    engine = Engine(Value, Value, lambda root: root.backward(), OPERATIONS, functions_of(Value))
    try:
        return guarded(lambda: judged(lambda tried: [record(engine, case.leaves, case.steps) for case in tried]))
    except TimeUp:
        return Identity(False, stopped=True)


def functions_of(cls):
    """Return {operation: method} of the operations that are no operators."""
    return {name: getattr(cls, name) for name in operations.FUNCTIONS if callable(getattr(cls, name, None))}


def judged(run, kinds=ALL, fits=lambda case: True):
    """Return the Identity of an engine: `identify` and the doctor both judge by this.

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
    raised = tuple(sorted({said_of(record) for record in records.values() if "error" in record}))
    found = Identity(False, (), case, rows(case, records[case]), missing, len(tried), raised=raised)
    watched = [(part, record["numbers"], Tape.of(record)) for part, record in records.items() if not raised]
    return replace(found, alike=explained(watched)) if watched else found


def size_of(case):
    """Return how large a Case is: its steps, whether they are simple ones, and its leaves."""
    ranks = [SIMPLE_FIRST.index(operation) for _, operation, _ in case.steps]
    return len(ranks), max(ranks), len(case.leaves)


def single(kind):
    """Return a Case of one step of a kind."""
    operation, pattern = KINDS[kind]
    leaves = tuple(zip("ab", (1.5, 2.5)[: sum(place not in "nk" for place in pattern)]))
    names = iter("ab")
    return Case(leaves, (("d", operation, tuple(2 if place in "nk" else next(names) for place in pattern)),))


def said_of(record):
    """Return what an engine raised, and where."""
    return f"{record['error']} {record['where']}"


def explained(watched):
    """Return the Mistakes that together explain every value and every gradient; () if none do.

    watched: (Case, number of each step, Tape). An engine may leave anything in the root's own gradient.
    """
    tapes = [tape for _, _, tape in watched]
    state = explanation.explanation(tapes)
    if state is None and any(len(tape.grads) > len(tape.leaves) and tape.grads[-1] != 1 for tape in tapes):
        tapes = [replace(tape, grads=tape.grads[: len(tape.leaves)]) for tape in tapes]
        state = explanation.explanation(tapes)
    return () if state is None else (*of_values(watched), *explanation.mistakes(state, tapes))


def of_values(watched):
    """The Mistakes that the values show, step by step, before any gradient."""
    wrong = {}  # for each kind of step with a wrong value, whether all are those of the numbers the other way round
    for case, numbers, _ in watched:
        for name, sign, operands in case.steps:
            given = [numbers[o] if isinstance(o, str) else o for o in operands]
            if not same(numbers[name], FLOATS[sign](*given)):
                kind = sign if len(given) == 1 else sign.join("v" if isinstance(o, str) else "n" for o in operands)
                turned = sign in TURNED and same(numbers[name], FLOATS[sign](*given[::-1]))
                wrong[kind] = wrong.get(kind, True) and turned
    return tuple(explanation.said("turned" if turned else "value", [kind]) for kind, turned in sorted(wrong.items()))


def parts_of(case):
    """The Cases that end at each step of a Case, with no more than that step needs."""
    for i in range(len(case.steps)):
        needed, steps = {case.steps[i][0]}, []
        for step in reversed(case.steps[: i + 1]):
            if step[0] in needed:
                steps.append(step)
                needed |= {each for each in step[2] if isinstance(each, str)}
        yield Case(tuple(leaf for leaf in case.leaves if leaf[0] in needed), tuple(reversed(steps)))


@functools.cache
def truth(case):
    """What is right of a Case: (value, gradients of its leaves), by floats and by dual numbers."""
    return case.value, tuple(case.gradients().values())


def is_right(case, record, tolerance=1.0):
    """Return whether a record has the right value and gradients of a Case, up to float noise times `tolerance`."""
    if "error" in record:
        return False
    value, slopes = truth(case)
    pairs = [(record["value"], value), *zip(record["grads"], slopes)]
    return all(abs(got - right) <= TOLERANCE * tolerance * max(1.0, abs(right)) for got, right in pairs)


def rows(case, record):
    """Return (what, right, got) for the value and each leaf."""
    value, slopes = truth(case)
    if "error" in record:
        return (("it", "comes to its end", said_of(record)),)
    names = [case.root, *(f"{name}.grad" for name, _ in case.leaves)]
    got = record["value"], *record["grads"]
    return tuple((name, *apart(*pair)) for name, *pair in zip(names, (value, *slopes), got))


def apart(right, got):
    """Two numbers as text: with four digits, or with all where they look alike and are not."""
    texts = f"{right:.4f}", f"{got:.4f}"
    return texts if texts[0] != texts[1] or same(right, got) else (repr(right), repr(got))
