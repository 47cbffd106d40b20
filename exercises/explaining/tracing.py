"""Trace what a learner's class does to its gradients, up to the first write that no edge of the graph allows.

While an expression runs, `grad` of the class is a descriptor that notes each write with the line of code that made it;
afterwards the class is restored. The right numbers come from autograd's Values, computed alongside, operation by
operation; never from the class itself.
"""

import contextlib
import inspect
from dataclasses import dataclass, field

import autograd
from autograd.errors.messages import described, show
from exercises.explaining.pass_diagnosis import Finding, by_way_of, judge, told_apart
from exercises.explaining.reference_graph import alike, fill_trace
from exercises.explaining.shadow_run import ResultsDiffer, ShadowedValue
from exercises.explaining.watched import run, watched


@dataclass
class Trace:
    """A pass: the nodes of the learner's graph in order, their names and inputs; each write; what is wrong, or None."""

    nodes: list = field(default_factory=list)
    data: list = field(default_factory=list)  # their numbers, as f computed them
    names: list = field(default_factory=list)
    inputs: list = field(default_factory=list)  # for each node, the indices of its inputs
    locals: list = field(default_factory=list)  # ∂node/∂input along each edge, by the oracle; None where unknown
    truth: list = field(default_factory=list)  # the right gradient of each node; None where unknown
    writes: list = field(default_factory=list)
    finding: Finding | None = None
    ends: tuple = ()  # for each leaf passed to f: its name, its gradient at the end, the right one
    odd: str = ""  # if all of these are right, a reservation to add


def trace(cls, f, xs, seed=1.0):
    """Compute f on nodes of a class, run `backward()` of its result, and return the Trace.

    xs: numbers, one for each argument of f. seed: the root's gradient, if the class has no `backward`. Exceptions
    in the learner's code end in a Finding; TimeUp passes through.
    """
    found = Trace()
    with watched(cls) as watch:
        try:
            leaves = [cls(float(x)) for x in xs]
            for leaf, label in zip(leaves, labels_of(f, len(leaves))):
                with contextlib.suppress(Exception):
                    leaf.label = label
            for needed in ("data", "_prev"):
                if not hasattr(leaves[0], needed):
                    says = f"debug reads `{needed}` of each node, and nodes of {cls.__name__} have none."
                    found.finding = Finding("forward", says)
                    return found
            pairs = [ShadowedValue(leaf, autograd.Value(x), watch) for leaf, x in zip(leaves, xs)]
            for leaf in leaves:
                watch.made.setdefault(id(leaf), ())
            both = f(*pairs)
        except ResultsDiffer as differs:
            return forward(found, differs)
        if not isinstance(both, ShadowedValue):
            says = f"f has to return the node that it makes, of your class; it returned {described(both)}."
            found.finding = Finding("forward", says)
            return found
        scale = 1.0 if hasattr(both.own, "backward") else seed
        try:
            fill_trace(found, both, scale)
        except ValueError as circle:
            found.finding = Finding("graph", str(circle))
            return found
        begun = [(node, watch.grad(node), line) for node, _, _, line, _ in watch.noted if watch.grad(node)]
        first = len(watch.noted)
        ended = run(found.nodes, seed)
        both.right.backward()
        found.ends = tuple(
            (label, watch.grad(pair.own), scale * pair.right.grad)
            for label, pair in zip(labels_of(f, len(pairs)), pairs)
        )
        places = {id(node): i for i, node in enumerate(found.nodes)}
        noted = [each for each in watch.noted[first:] if id(each[0]) in places]
    judge(found, [(places[id(node)], *rest) for node, *rest in noted], watch, ended)
    begun = [(places[id(node)], *rest) for node, *rest in begun if id(node) in places and node is not found.nodes[-1]]
    cleared = {write.node for write in found.writes if write.after == 0}
    begun = [each for each in begun if each[0] not in cleared]
    if begun and any(not alike(got or 0.0, right) for _, got, right in found.ends):
        node, grad, line = begun[0]
        says = f"{found.names[node]}.grad is {show(grad)} before backward() begins, and has to be 0: {line.with_owner}."
        found.finding = Finding("rule", says, None, (line,))
        return found
    settle(found, [places.get(id(pair.own)) for pair in pairs], watch.lost)
    return found


def settle(found, leaves, lost):
    """Compare the Finding with the leaves' final gradients, whose right values do not depend on the learner's graph.

    leaves: their indices in the learner's graph, None for one that is not in it. lost: the edges that it lacks.
    """
    wrong = [each for each in found.ends if not alike(each[1] or 0.0, each[2])]
    finding = found.finding
    if not wrong:
        if finding and finding.kind != "raised":
            found.finding, found.odd = None, "though some writes are none that a single edge explains"
        elif not finding and any(None in slopes for slopes in found.locals):
            found.odd = "though not every write could be judged: not all operations are known by their `_op`"
        return
    name, got, right = wrong[0]
    got, right = told_apart(got or 0.0, right)
    at_last = f"At the end {name}.grad is {got}; {right} is right."
    if lost:
        words, operand, made = lost[0]
        where = f", made in {by_way_of(made)}," if made else ""
        says = f"The result of {words}{where} keeps no edge to {operand}: nothing can go back along it. {at_last}"
        found.finding = Finding("graph", says, None, made)
    elif any(
        i is None or found.truth[i] is None or not alike(found.truth[i], end[2]) for i, end in zip(leaves, found.ends)
    ):
        says = f"{at_last} Which write is wrong cannot be told: by `_prev` and `_op` your graph is not that of f."
        found.finding = Finding("graph", says)
    elif finding is None:
        found.finding = Finding(
            "missing", f"Each write is one that an edge of the graph allows. But {at_last[0].lower()}{at_last[1:]}"
        )


def labels_of(f, count):
    with contextlib.suppress(TypeError, ValueError):
        names = list(inspect.signature(f).parameters)
        if len(names) == count:
            return names
    return [f"x{i + 1}" for i in range(count)]


def forward(found, differs):
    """Return the Trace for an operation that gives a wrong number."""
    got, right = f"a {type(differs.got).__name__}", show(differs.right)
    if isinstance(differs.got, int | float):
        got = show(float(differs.got))
        got, right = (got, right) if got != right else (repr(float(differs.got)), repr(differs.right))
    where = f", {differs.line.with_owner}," if differs.line else ""
    says = f"The way forward is wrong already: {differs.words}{where} gives {got}; it is {right}."
    found.finding = Finding("forward", says, None, (differs.line,) if differs.line else ())
    return found
