"""`debug`: run a learner's own class on an expression and show its writes up to the first wrong one."""

import ast
import inspect
import math
import numbers
from dataclasses import dataclass, replace
from types import ModuleType

from autograd.errors.messages import show
from exercises.engine_file import parts
from exercises.explaining.tracing import trace
from exercises.sandbox.guard import AnswerError, TimeUp, describe_timeout, run_guarded, trying
from exercises.storage.progress import Note
from figures import writes

OFFER = "To step through it, write by write: exercises.debug()"
MOST = 500  # writes to show, unless the first wrong one comes later
RIGHT = "Every write is one that an edge of the graph allows, and all gradients are right."
_offered = []  # what `debug()` shows: the Trace of the last verdict's failing case


def debug(Value=None, f=None, *xs):
    """Step through what your own class does to the gradients of f(*xs), and stop at the first wrong write.

    Without arguments: show what the last check found wrong, on the case that failed, with your answer in a new engine.

    Value: the class, right or wrong, or an engine that has one (`my_engine`). Its nodes have `data`, `grad` and
    `_prev`, and `backward()`, or a `_backward` each. f: a function of as many nodes as there are numbers xs, made of
    operators and methods. The class is left unchanged.

    Returns a lab, or a sentence if the forward pass is wrong already or the code does not end. Raises TypeError or
    ValueError if the arguments are none of these.
    """
    if Value is f is None:
        return last()
    if isinstance(Value, ModuleType) or not isinstance(Value, type):
        Value = getattr(Value, "Value", Value)
    if not isinstance(Value, type):
        raise TypeError(f"debug takes a class such as your Value, a function and numbers; got {Value!r} as the class.")
    if Value.__module__ == "builtins":
        raise TypeError(f"debug takes a class of your own, got Python's {Value.__name__}.")
    if not callable(f):
        raise TypeError(f"debug takes a function of nodes, such as lambda a, b: a * b; got {type(f).__name__}.")
    if not xs or not all(map(is_number, xs)):
        raise ValueError(f"debug takes a number for each argument of f, as in debug(Value, f, 2.0, 3.0); got {xs!r}.")
    return looked_at(lambda: traced(Value, f, xs))


def is_number(x):
    """Return whether x is a finite real number, of Python or of NumPy, that fits a float."""
    try:
        return isinstance(x, numbers.Real) and not isinstance(x, bool) and math.isfinite(x)
    except OverflowError:
        return False


def looked_at(run):
    """Return the lab of what `run()` traces, or a sentence if there is none."""
    try:
        found = run_guarded(run)
    except AnswerError as error:
        return Note(" ".join(error.sentences))
    except TimeUp:
        return Note(describe_timeout())
    if not found.nodes:
        return Note(found.finding.says)
    return lab_of(found)


def offer(names, answers, case):
    """Keep a failing case for `debug()` and return the line that says so, or "" if its pass shows nothing wrong."""
    _offered.clear()
    if not isinstance(names.get("Value"), type) or (expression := read(case)) is None:
        return ""
    if not hasattr(names["Value"], "backward") and "topological_order" in names:
        exec(parts.BY_NAME["backward"].code, names)  # the learner wrote only the order
    found = run_guarded(lambda: retrace(names, answers, expression))
    if found.finding is None:
        return ""
    _offered.append(found)
    return OFFER


def last():
    """Return the lab of the failing case of the last verdict that offered one."""
    if not _offered:
        return Note(
            "No check has offered a case. On a class of your own: exercises.debug(Value, lambda a, b: a * b, 2.0, 3.0)."
        )
    found = _offered[-1]
    return lab_of(found) if found.nodes else Note(found.finding.says)


def retrace(names, answers, expression):
    """Return the Trace of an Expression on the class of an engine with a learner's answers in it."""
    with parts.bound_globals(answers, names):
        return traced(names["Value"], expression, list(expression.leaves.values()), expression.seed)


@dataclass(frozen=True)
class Expression:
    """A case's lines as a function of nodes. leaves: {name: number}; steps: (name, code); seed: the root's gradient."""

    leaves: dict
    steps: tuple
    root: str
    seed: float = 1.0

    @property
    def __signature__(self):
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([inspect.Parameter(name, kind) for name in self.leaves])

    def __call__(self, *xs):
        known = dict(zip(self.leaves, xs))
        for name, code in self.steps:
            known[name] = eval(code, {}, known)
        return known[self.root]


def read(case):
    """Return the Expression of a case's lines, or None if they have another form.

    The first line makes leaves, "a, b = Value(2.0), Value(-1.0)"; each of the next names an expression of what is
    known; then comes "d.backward()", or "d.grad = 10.0" and "d._backward()", or nothing.
    """
    try:
        first, *rest = ast.parse(case).body
        (target,) = first.targets
        names = [each.id for each in (target.elts if isinstance(target, ast.Tuple) else [target])]
        made = first.value.elts if isinstance(first.value, ast.Tuple) else [first.value]
        if any(call.func.id != "Value" or len(call.args) != 1 or call.keywords for call in made):
            return None
        leaves = {name: float(ast.literal_eval(call.args[0])) for name, call in zip(names, made, strict=True)}
        known, steps, root, seed = set(leaves), [], "", 1.0
        for line in rest:
            if isinstance(line, ast.Expr) and line.value.func.attr in ("backward", "_backward"):
                root = line.value.func.value.id
            elif isinstance(line.targets[0], ast.Attribute) and line.targets[0].attr == "grad":
                seed = float(ast.literal_eval(line.value))
            elif {each.id for each in ast.walk(line.value) if isinstance(each, ast.Name)} <= known:
                known.add(line.targets[0].id)
                steps.append((line.targets[0].id, compile(ast.Expression(line.value), "<the case>", "eval")))
            else:
                return None
    except (AttributeError, SyntaxError, TypeError, ValueError):
        return None
    return Expression(leaves, tuple(steps), root or steps[-1][0], seed) if steps else None


def traced(cls, f, xs, seed=1.0):
    """Return the Trace of f on a class; raise AnswerError if the learner's code raises on the forward pass."""
    with trying("your class, on f"):
        return trace(cls, f, xs, seed)


@dataclass(frozen=True)
class Event:
    """A write to the grad of a node, as `figures.writes` takes it. code: the line that made it, with its number.

    along: (consumer, place among its inputs) of the edge that it belongs to, or None. says: a sentence.
    expected: the contribution of that edge, or None. wrong: whether nothing allows the write.
    """

    node: object
    before: float | None
    after: float | None
    code: str
    says: str
    along: tuple | None = None
    expected: float | None = None
    wrong: bool = False


class Node:
    """A node as it is drawn: its grad may hold anything."""

    def __init__(self, node, data, name, inputs):
        self.data, self.label, self._op, self._prev = data, name, str(getattr(node, "_op", "")), inputs
        self.grad = None


def lab_of(found):
    finding, drawn = found.finding, []
    for node, data, name, inputs in zip(found.nodes, found.data, found.names, found.inputs):
        drawn.append(Node(node, data, name, tuple(drawn[i] for i in inputs)))
    found = replace(found, nodes=drawn)
    wrong = finding.write if finding else None
    count = len(found.writes)
    events = [event(found, i, finding if i == wrong else None) for i in range(min(count, max(MOST, (wrong or 0) + 1)))]
    ending = (
        (f"The gradients of all leaves are right at the end, {found.odd}." if found.odd else RIGHT)
        if finding is None
        else ""
        if wrong is not None
        else finding.says
    )
    opening = f"{found.names[-1]} = {show(found.nodes[-1].data)} is computed. Now backward() begins to write."
    if wrong is not None:
        opening = f"{opening} The first wrong write is event {wrong + 1} of {count:,}."
    if len(events) < count:
        opening = f"{opening} Shown are the first {len(events)} of {count:,} writes."
    first = wrong if wrong is not None else len(events) if ending and finding else None
    return writes(found.nodes[-1], events, opening=opening, ending=ending, first=first)


def event(found, place, finding):
    write = found.writes[place]
    name, code = found.names[write.node], str(write.line)
    edge, gives = None, None
    if write.along:
        consumer, at = write.along
        edge = found.nodes[consumer], at
        gives = None if write.before is None or write.after is None else write.after - write.before
    node, change = found.nodes[write.node], (write.before, write.after)
    if finding:
        return Event(node, *change, code, finding.says, edge, finding.expected, True)
    goes = f"{name}.grad goes from {gradient_said(write.before)} to {gradient_said(write.after)}"
    why = f", along {name} → {found.names[write.along[0]]}" if write.along else ""
    return Event(node, *change, code, f"{goes}{why}.", edge, gives)


def gradient_said(x):
    return "nothing" if x is None else show(x)
