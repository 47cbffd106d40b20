"""`identify`: whether a learner's whole class is right on random graphs, and which mistakes explain what it gives."""

import functools
from dataclasses import dataclass, replace
from types import ModuleType

import figures
from exercises.explaining import explanation, simulation
from exercises.sandbox.guard import TimeUp, guarded, too_long
from exercises.verdicts.cases import ALL, FLOATS, KINDS, OPERATIONS, Case, cases, same

COUNT = 60  # random graphs, small ones first
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
    try:
        found, watched = guarded(lambda: observed(Value))
    except TimeUp:
        return Identity(False, stopped=True)
    return found if found.is_right or found.raised or not watched else replace(found, alike=explained(watched))


def observed(cls):
    """(the Identity of a class without its mistakes, (Case, {name: number}, Tape) of each graph if it is wrong)."""
    missing = tuple(kind for kind in usable() if not has(cls, kind))
    kinds = tuple(kind for kind in usable() if kind not in missing)
    if not kinds:
        return Identity(False, lacks=missing), ()
    tried = cases(kinds, COUNT)
    results = [result(cls, case) for case in tried]
    wrong = [case for case, got in zip(tried, results) if not agree(got, truth(case))]
    if not wrong:
        return Identity(True, lacks=missing, tried=len(tried)), ()
    case, raised = smallest(cls, wrong), tuple(sorted({got for got in results if isinstance(got, str)}))
    found = Identity(False, (), case, rows(case, result(cls, case)), missing, len(tried), raised=raised)
    parts = dict.fromkeys(part for case in tried for part in (case, *parts_of(case)))
    return found, () if raised else tuple(watched(cls, part) for part in parts)


def watched(cls, case):
    """(a Case, the number of each of its nodes by name, its Tape) as a class computes it."""
    nodes, tape = simulation.record(cls, case)
    nodes[case.root].backward()
    grads = [float(nodes[name].grad) for name, _ in case.leaves]
    root = root_gradient(nodes[case.root])
    numbers = {name: float(node.data) for name, node in nodes.items()}
    return case, numbers, replace(tape, grads=(*grads, *([] if root is None else [root])))


def explained(watched):
    """The Mistakes that together explain every value and every gradient; () if none do."""
    tapes = [tape for _, _, tape in watched]
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
                turned = sign in simulation.TURNED and same(numbers[name], FLOATS[sign](*given[::-1]))
                wrong[kind] = wrong.get(kind, True) and turned
    return tuple(explanation.said("turned" if turned else "value", [kind]) for kind, turned in sorted(wrong.items()))


def smallest(cls, wrong):
    """The smallest part of any of these Cases, with one of its steps as the root, that a class gets wrong."""
    parts = sorted((part for case in wrong for part in parts_of(case)), key=lambda part: len(part.steps))
    return next(part for part in parts if not agree(result(cls, part), truth(part)))


def parts_of(case):
    """The Cases that end at each step of a Case, with no more than that step needs."""
    for i in range(len(case.steps)):
        needed, steps = {case.steps[i][0]}, []
        for step in reversed(case.steps[: i + 1]):
            if step[0] in needed:
                steps.append(step)
                needed |= {each for each in step[2] if isinstance(each, str)}
        yield Case(tuple(leaf for leaf in case.leaves if leaf[0] in needed), tuple(reversed(steps)))


def usable():
    """The kinds of steps of which random graphs are made."""
    return ALL


def has(cls, kind):
    """Whether a class has an operation, on a node and a number as well: tried once."""
    operation, pattern = KINDS[kind]
    try:
        OPERATIONS[operation](*(2 if place in "nk" else cls(1.5) for place in pattern))
    except Exception:
        return False
    return True


@functools.cache
def truth(case):
    """What is right of a Case: (value, gradients of its leaves), by floats and by dual numbers."""
    return case.value, tuple(case.gradients().values())


def result(cls, case):
    """(value, gradients of the leaves, the root's) that a class gives for a Case; words, where it raises."""
    where = "on the way forward"
    try:
        nodes = case.run(cls)
        value, where = float(nodes[case.root].data), "in backward()"
        nodes[case.root].backward()
        return value, tuple(float(nodes[name].grad) for name, _ in case.leaves), root_gradient(nodes[case.root])
    except (Exception, SystemExit) as fault:
        return f"{type(fault).__name__} {where}"


def root_gradient(root):
    """The gradient of a root, as a float; None where it has none any more."""
    try:
        return float(root.grad)
    except Exception:
        return None


def agree(one, other):
    """Whether two results are the same, up to float noise, in the value and the gradients of the leaves."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return same(one[0], other[0]) and all(map(same, one[1], other[1]))


def rows(case, got):
    """(what, right, got) for the value and each leaf."""
    value, slopes = truth(case)
    if isinstance(got, str):
        return (("it", "comes to its end", got),)
    names = [case.root, *(f"{name}.grad" for name, _ in case.leaves)]
    return tuple((name, *apart(*pair)) for name, *pair in zip(names, (value, *slopes), (got[0], *got[1])))


def apart(right, got):
    """Two numbers as text: with four digits, or with all where they look alike and are not."""
    texts = f"{right:.4f}", f"{got:.4f}"
    return texts if texts[0] != texts[1] or same(right, got) else (repr(right), repr(got))
