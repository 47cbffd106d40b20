"""`identify`: what a learner's whole class behaves as: right, like a known wrong engine, or like none of them."""

import functools
from dataclasses import dataclass
from types import ModuleType

import figures
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.sandbox.guard import TimeUp, guarded, too_long
from exercises.shelf.library import Mistake
from exercises.verdicts.cases import ALL, KINDS, OPERATIONS, Case, cases, same

COUNT = 60  # random graphs, small ones first
COMPOSED = "-", "/", "neg", "v-n", "n-v", "v/n", "n/v"  # often made of + * and **: a mistake shows there too


@dataclass(frozen=True)
class Identity:
    """What a class behaves as. case: the smallest graph that shows that it is wrong, and rows (what, right, got).

    alike: the Mistakes of the wrong engines that give the same on every graph; `without` the operations of COMPOSED, if
    on all graphs none does. lacks: operations that it has not. tried: on so many graphs. stopped: whether its code did
    not end.
    """

    is_right: bool
    alike: tuple = ()
    case: object = None
    rows: tuple = ()
    lacks: tuple = ()
    tried: int = 0
    stopped: bool = False
    without: bool = False

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
        if not self.alike:
            known = f"None of the {len(WRONG_ENGINES)} known wrong engines gives all that it gives."
            return f"Your class is not right, and no known mistake gives this. {known}{less}"
        named = " Or: ".join(mistake.text() for mistake in self.alike)
        where = " without - and /" * self.without
        return f"On all {self.tried} graphs{where} your class gives what this mistake gives: {named}{less}"

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

    Value: the class, or an engine that has one (`my_engine`). It is right; or gives on every graph what one of the
    known wrong engines gives; or does neither. TypeError if it is no class.
    """
    if isinstance(Value, ModuleType) or not isinstance(Value, type):
        Value = getattr(Value, "Value", Value)
    if not isinstance(Value, type):
        raise TypeError(f"identify takes a class such as your Value, got {Value!r}.")
    try:
        return guarded(lambda: found(Value))
    except TimeUp:
        return Identity(False, stopped=True)


def found(cls):
    """The Identity of a class."""
    missing = tuple(kind for kind in usable() if not has(cls, kind))
    kinds = tuple(kind for kind in usable() if kind not in missing)
    if not kinds:
        return Identity(False, lacks=missing)
    tried = cases(kinds, COUNT)
    results = [result(cls, case) for case in tried]
    wrong = [i for i, (case, got) in enumerate(zip(tried, results)) if not agree(got, truth(case))]
    if not wrong:
        return Identity(True, lacks=missing, tried=len(tried))
    case = smallest(cls, [tried[i] for i in wrong])
    shown = case, rows(case, result(cls, case)), missing
    if alike := like(tried, results):
        return Identity(False, alike, *shown, len(tried))
    tried = cases(tuple(kind for kind in kinds if kind not in COMPOSED) or kinds, COUNT)
    results = [result(cls, case) for case in tried]
    if all(agree(got, truth(case)) for case, got in zip(tried, results)):
        return Identity(False, (), *shown, len(tried))
    return Identity(False, like(tried, results), *shown, len(tried), without=True)


def like(tried, results):
    """The Mistakes of the wrong engines that give these results, the root's own gradient included."""
    return tuple(
        Mistake.of(each)
        for each in WRONG_ENGINES
        if all(alike(got, result(each.engine, case)) for case, got in zip(tried, results))
    )


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


def alike(one, other):
    """Whether two results are the same, in the root's own gradient too."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return agree(one, other) and (one[2] == other[2] or (None not in (one[2], other[2]) and same(one[2], other[2])))


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
