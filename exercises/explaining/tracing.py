"""What a learner's class does to its gradients, write by write, and the first write that no edge of the graph allows.

While an expression runs, `grad` of the class is a descriptor that notes each write with the line of code that made it;
afterwards the class is as it was. What is right comes from autograd's Values, computed beside it, operation by
operation; never from the class itself.
"""

import contextlib
import inspect
import itertools
import linecache
import math
import operator
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import autograd
from autograd.again import run_again
from autograd.messages import described, show
from exercises.engine_file import parts
from exercises.verdicts.cases import same

COURSE = Path(autograd.__file__).parent, Path(__file__).parents[1]
LIMIT = 5_000  # writes: a pass over a small expression has no more, a recursion without an order may have
BINARY = ("add", "sub", "mul", "truediv", "pow")
SIGNS_OF = {1: ("neg", "exp", "log", "sqrt", "tanh", "sigmoid", "relu", "sin", "cos"), 2: ("+", "-", "*", "/", "**")}
SIGN = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "neg": "-"}


@dataclass(frozen=True)
class Line:
    """A line of code that ran: its number, its text, the function that it stands in, and whose it is."""

    number: int
    text: str
    function: str
    whose: str = "your"

    def __str__(self):
        where = f"line {self.number}" if self.whose == "your" else f"line {self.number} of {self.whose}"
        return f"{where}: {self.text}" if self.text else f"{where}, in {self.function}"

    @property
    def named(self):
        """The line within a sentence, with whose it is."""
        return f"your {self}" if self.whose == "your" else str(self)


@dataclass(frozen=True)
class Write:
    """`grad` of a node, by its place in the graph, goes from before to after, by a line of code.

    along: (consumer, edge), if one fits. seen: the places of the nodes whose grads that line has read for it.
    """

    node: int
    before: float
    after: float
    line: Line
    along: tuple = ()
    seen: frozenset = frozenset()


@dataclass(frozen=True)
class Finding:
    """What is wrong first. kind: "forward", "graph", "rule", "early", "missing" or "raised".

    write: the place of the write in the list, None where there is none. lines: code that made it, the write's first.
    expected: what the edge gives that the write belongs to, if it belongs to one.
    """

    kind: str
    says: str
    write: int | None = None
    lines: tuple = ()
    expected: float | None = None


@dataclass
class Trace:
    """A pass: the nodes of the learner's graph in order, their names and inputs; each write; what is wrong, or None."""

    nodes: list = field(default_factory=list)
    data: list = field(default_factory=list)  # their numbers, as f computed them
    names: list = field(default_factory=list)
    inputs: list = field(default_factory=list)  # of each node: the places of its inputs
    locals: list = field(default_factory=list)  # ∂node/∂input along each edge, by the oracle; None where unknown
    truth: list = field(default_factory=list)  # the right gradient of each node; None where unknown
    writes: list = field(default_factory=list)
    finding: Finding | None = None
    ends: tuple = ()  # of each leaf that f was given: its name, its gradient at the end, the right one
    odd: str = ""  # where all of these are right, what keeps it from being all that is said


def told_apart(one, other):
    """Two numbers as text, with as many digits as tell them apart."""
    texts = [show(one), show(other)]
    return texts if texts[0] != texts[1] or one == other else [repr(one), repr(other)]


class Stopped(Exception):
    """The pass has written so often that it is stopped."""


class Differs(Exception):
    """An operation of the learner's class gives another number than it should."""

    def __init__(self, words, got, right, line):
        super().__init__(words)
        self.words, self.got, self.right, self.line = words, got, right, line


class Watched:
    """`grad` of a class while it is watched: a descriptor over what stood there, and the list of its writes."""

    def __init__(self, under):
        self.under, self.noted, self.made, self.seen, self.lost = under, [], {}, [], []
        self.owns = {}  # {id of a Value that is right: the learner's node that it should be}

    def __get__(self, node, cls=None):
        if node is None:
            return self
        frame = sys._getframe(1)
        self.seen.append((node, frame.f_code, frame.f_lineno))
        return self.value(node, cls)

    def value(self, node, cls):
        """What `grad` is."""
        if hasattr(self.under, "__get__") and hasattr(type(self.under), "__set__"):  # a slot, or a property
            return self.under.__get__(node, cls)
        if "grad" in vars(node):
            return vars(node)["grad"]
        if self.under is None:
            raise AttributeError(f"{type(node).__name__!r} object has no attribute 'grad'")
        return self.under

    def __set__(self, node, value):
        try:
            before = self.value(node, type(node))
        except AttributeError:
            before = None
        if hasattr(type(self.under), "__set__"):
            self.under.__set__(node, value)
        else:
            vars(node)["grad"] = value
        frame = sys._getframe(1)
        lines, here = lines_of(frame), (frame.f_code, frame.f_lineno)
        self.made.setdefault(id(node), lines)
        read = [each for each, *where in self.seen if tuple(where) == here]
        self.seen.clear()
        self.noted.append((node, before, value, lines[0] if lines else Line(0, "", ""), read))
        if len(self.noted) > LIMIT:
            raise Stopped

    def grad(self, node):
        """The gradient that a node has now; None where it has none."""
        try:
            return as_number(self.value(node, type(node)))
        except AttributeError:
            return None


def lines_of(frame):
    """The Lines that a frame is in, innermost first, up to where this module called them."""
    found = []
    while frame is not None and frame.f_code.co_filename != __file__:
        found.append(line_of(frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return tuple(found)


def line_of(code, number):
    """The Line of a code object: a learner's, or one of a part that the course has put beside it."""
    file = code.co_filename
    if file.startswith(parts.COURSES_CODE):
        name = file.removeprefix(parts.COURSES_CODE).rstrip(">")
        text = parts.BY_NAME[name].text.splitlines()[number - 1 : number] if name in parts.BY_NAME else ()
        return Line(number, "".join(text).strip(), code.co_name, f"the course's {name}")
    text, place = linecache.getline(file, number).strip(), Path(file)
    whose = f"the course's {place.name}" if any(folder in place.parents for folder in COURSE) else "your"
    return Line(number, text, code.co_name, whose)


@contextlib.contextmanager
def watched(cls):
    """While it lasts, the writes to `grad` of a class are noted in the Watched that it gives."""
    own = "grad" in vars(cls)
    under = inspect.getattr_static(cls, "grad", None)
    descriptor = Watched(under)
    cls.grad = descriptor
    try:
        yield descriptor
    finally:
        if own:
            cls.grad = under
        else:
            del cls.grad


class Both:
    """A node of the learner's class and the autograd Value that it should be; every operation is done on both."""

    def __init__(self, own, right, watch):
        self.own, self.right, self.watch = own, right, watch

    @property
    def data(self):
        return self.right.data

    def __float__(self):
        return float(self.right.data)

    def done(self, run, words, *others):
        """The result of an operation on both. Differs, where the learner's number is another."""
        pairs = [each if isinstance(each, Both) else SimpleNamespace(own=each, right=each) for each in others]
        right = run(*(each.right for each in pairs))
        begins, known = len(self.watch.noted), set(self.watch.made)
        own = run(*(each.own for each in pairs))
        data = getattr(own, "data", own)
        made = () if id(own) in known else self.watch.made.get(id(own), ())
        number = as_number(data)
        if number is None or not alike(number, right.data):
            if not made and begins < len(self.watch.noted):
                made = (self.watch.noted[-1][3],)
            raise Differs(words, data, right.data, made[-1] if made else None)
        kept = known_inputs(own, known)
        for each in others:
            if isinstance(each, Both) and id(each.own) not in kept:
                self.watch.lost.append((words, name_of(each), makers(made)))
        for each, other in zip(right._prev, [each for each in pairs if isinstance(each.right, autograd.Value)]):
            if each is other.right:
                self.watch.owns[id(each)] = other.own
        self.watch.owns.setdefault(id(right), own)
        return Both(own, right, self.watch)

    def __neg__(self):
        return self.done(operator.neg, f"-{name_of(self)}", self)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        if not hasattr(autograd.Value, name):
            raise AttributeError(
                f"f uses .{name}, which autograd's Value has not. debug computes f with both, so f is made of what "
                "both have: + - * / **, exp(), log(), tanh(), relu(), sigmoid()."
            )

        def method(*args):
            return self.done(lambda x, *rest: getattr(x, name)(*rest), f"{name_of(self)}.{name}()", self, *args)

        return method


def known_inputs(node, known):
    """The ids of the nodes among `known` that a node has as inputs, or is, or reaches through nodes of its own."""
    found, stack, seen = set(), [node], set()
    while stack:
        each = stack.pop()
        if id(each) in known:
            found.add(id(each))
        elif id(each) not in seen:
            seen.add(id(each))
            stack.extend(getattr(each, "_prev", ()))
    return found


def makers(made):
    """The Line that made a node, outside of `__init__`, and the one by way of which f came to it, if it is another."""
    inner = [line for line in made if line.function not in ("<lambda>", "<module>")]
    inner = [line for line in inner if line.function != "__init__"] or inner
    return tuple(dict.fromkeys((*inner[:1], *inner[-1:])))


def by_way_of(lines):
    """The Lines of `makers` within a sentence."""
    return ", by way of ".join(line.named for line in lines)


def alike(one, other):
    """Whether two numbers are the same; inf and inf are, and nan and nan."""
    return same(one, other) or one == other or (one != one and other != other)


def name_of(thing):
    """What an operand is called in a sentence: its label, its number."""
    label = getattr(getattr(thing, "own", None), "label", "")
    number = show(thing.right.data) if isinstance(thing, Both) else show(float(thing))
    return f"{label} ({number})" if label else number


def binary(name, reflected):
    """An operator of Both."""
    run, sign = getattr(operator, name), SIGN[name]

    def method(self, other):
        pair = (other, self) if reflected else (self, other)
        return self.done(run, f"{name_of(pair[0])} {sign} {name_of(pair[1])}", *pair)

    return method


def compared(name):
    """A comparison of Both, by its number."""
    run = getattr(operator, name)
    return lambda self, other: run(self.right.data, other.right.data if isinstance(other, Both) else other)


for name in ("lt", "le", "gt", "ge"):
    setattr(Both, f"__{name}__", compared(name))
for name in BINARY:
    setattr(Both, f"__{name}__", binary(name, False))
    setattr(Both, f"__r{name}__", binary(name, True))


def trace(cls, f, xs, seed=1.0):
    """The Trace of f on nodes of a class: f is computed, and `backward()` of its result is run.

    xs: numbers, one for each argument of f. seed: the root's gradient, where the class has no `backward`. Exceptions
    of the learner's code end in a Finding, TimeUp passes through.
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
            pairs = [Both(leaf, autograd.Value(x), watch) for leaf, x in zip(leaves, xs)]
            for leaf in leaves:
                watch.made.setdefault(id(leaf), ())
            both = f(*pairs)
        except Differs as differs:
            return forward(found, differs)
        if not isinstance(both, Both):
            says = f"f has to return the node that it makes, of your class; it returned {described(both)}."
            found.finding = Finding("forward", says)
            return found
        scale = 1.0 if hasattr(both.own, "backward") else seed
        try:
            read(found, both, scale)
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
        says = f"{found.names[node]}.grad is {show(grad)} before backward() begins, and has to be 0: {line.named}."
        found.finding = Finding("rule", says, None, (line,))
        return found
    settle(found, [places.get(id(pair.own)) for pair in pairs], watch.lost)
    return found


def settle(found, leaves, lost):
    """Hold what was found against the gradients of the leaves at the end, whose right numbers no graph of theirs gave.

    leaves: their places in the learner's graph, None for one that is not in it. lost: what their graph does not keep.
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
    """A name for each argument of f."""
    with contextlib.suppress(TypeError, ValueError):
        names = list(inspect.signature(f).parameters)
        if len(names) == count:
            return names
    return [f"x{i + 1}" for i in range(count)]


def run(nodes, seed):
    """Run `backward()` of the last node; what it ended in, as words; "" where it came to its end.

    A class that has none yet, but a rule in each node, has its rules run in the right order, from this seed.
    """
    root = nodes[-1]
    try:
        if hasattr(root, "backward"):
            root.backward()
        else:
            root.grad = seed
            for node in reversed(nodes):
                node._backward()
    except Stopped:
        return f"It had written to a gradient {LIMIT:,} times, and was stopped."
    except RecursionError:
        return "It called itself over and over, until Python gave up: RecursionError."
    except Exception as fault:
        where = lines_of_fault(fault)
        return f"It raised {type(fault).__name__}: {fault}".rstrip(".: ") + (f", in {where[-1]}." if where else ".")
    return ""


def lines_of_fault(fault):
    """The learner's Lines that an exception came through, outermost first."""
    found, at = [], fault.__traceback__
    while at is not None:
        code = at.tb_frame.f_code
        if code.co_filename != __file__:
            found.append(line_of(code, at.tb_lineno))
        at = at.tb_next
    return found


def forward(found, differs):
    """The Trace where an operation gives a wrong number."""
    got, right = f"a {type(differs.got).__name__}", show(differs.right)
    if isinstance(differs.got, int | float):
        got = show(float(differs.got))
        got, right = (got, right) if got != right else (repr(float(differs.got)), repr(differs.right))
    where = f", {differs.line.named}," if differs.line else ""
    says = f"The way forward is wrong already: {differs.words}{where} gives {got}; it is {right}."
    found.finding = Finding("forward", says, None, (differs.line,) if differs.line else ())
    return found


def read(found, both, seed):
    """Put the learner's graph into a Trace, and what is right in it."""
    found.nodes = in_order(both.own)
    place = {id(node): i for i, node in enumerate(found.nodes)}
    found.inputs = [[place[id(input)] for input in node._prev] for node in found.nodes]
    found.names = [str(getattr(node, "label", "") or f"v{i}") for i, node in enumerate(found.nodes)]
    found.data = [float(node.data) for node in found.nodes]
    values, slopes = [], beside(both)
    for node, inputs in zip(found.nodes, found.inputs):
        made = again(node, [values[i] for i in inputs]) if inputs else None
        values.append(made or autograd.Value(float(node.data)))
    for node, value, inputs in zip(found.nodes, values, found.inputs):
        known = list(value._local) if len(value._prev) == len(inputs) else None
        known = known or slopes.get((id(node), *(id(found.nodes[i]) for i in inputs)))
        found.locals.append(known or slopes_of(node, [found.nodes[i] for i in inputs]))
    found.truth = truths(found.inputs, found.locals, seed)


def beside(both):
    """{(id of a node, ids of its inputs): local derivatives} of what f itself has asked for, by a Both."""
    known, owns = {}, both.watch.owns
    for right in autograd.topological_order(both.right):
        own = owns.get(id(right))
        if own is None or not right._prev:
            continue
        left = list(zip(right._prev, right._local))
        found = []
        for input in own._prev:
            fits = [each for each in left if owns.get(id(each[0])) is input]
            fits = fits or [each for each in left if id(each[0]) not in owns and each[0].data == input.data]
            if fits:
                left.remove(fits[0])
                found.append(fits[0][1])
        if len(found) == len(right._prev) == len(own._prev):
            known[id(own), *map(id, own._prev)] = found
    return known


def slopes_of(node, inputs):
    """The local derivatives of a node without an `_op`, where its number is that of one operation alone; Nones else."""
    found = []
    if not getattr(node, "_op", "") and all(as_number(input.data) is not None for input in inputs):
        for op in SIGNS_OF.get(len(inputs), ()):
            with contextlib.suppress(Exception):
                values = [autograd.Value(float(input.data)) for input in inputs]
                made = run_again(SimpleNamespace(_op=op, _constants=(), label="", _prev=values), values)
                if alike(made.data, float(node.data)) and list(made._local) not in found:
                    found.append(list(made._local))
    return found[0] if len(found) == 1 else [None] * len(inputs)


def truths(inputs, locals, seed):
    """The right gradient of each node, from the last one's; None where an edge on the way is not known."""
    found = [0.0] * (len(inputs) - 1) + [seed]
    for i in reversed(range(len(inputs))):
        for input, local in zip(inputs[i], locals[i]):
            known = None not in (local, found[i], found[input])
            found[input] = found[input] + local * found[i] if known else None
    return found


def in_order(root):
    """The nodes of a learner's graph, inputs before consumers; however deep. ValueError where it goes in a circle."""
    order, seen, open_, stack = [], set(), set(), [(root, None)]
    while stack:
        node, inputs = stack.pop()
        if inputs is None:
            if id(node) in seen:
                continue
            seen.add(id(node))
            open_.add(id(node))
            inputs = iter(tuple(node._prev))
        for input in inputs:
            if id(input) in open_:
                raise ValueError(
                    "This graph goes in a circle: a node depends on itself, so nothing can be its gradient."
                )
            if id(input) not in seen:
                stack += [(node, inputs), (input, None)]
                break
        else:
            open_.discard(id(node))
            order.append(node)
    return order


def again(node, inputs):
    """A learner's node as a Value, by its `_op`; None where that is no operation that is known."""
    op = str(getattr(node, "_op", ""))
    constants = (float(op[2:]),) if op.startswith("**") and op[2:] else ()
    with contextlib.suppress(Exception):
        made = run_again(SimpleNamespace(_op=op, _constants=constants, label="", _prev=inputs), inputs)
        if alike(made.data, float(node.data)):
            return made
    return None


def judge(found, noted, watch, ended):
    """Go through the writes, and put down the first that is wrong."""
    last, place = len(found.nodes) - 1, {id(node): i for i, node in enumerate(found.nodes)}
    left = {}  # (consumer, edge): the contribution that is still to come
    for i, (inputs, slopes) in enumerate(zip(found.inputs, found.locals)):
        for edge, (input, local) in enumerate(zip(inputs, slopes)):
            left[i, edge] = input, None if None in (local, found.truth[i]) else local * found.truth[i]
    edges = {key: input for key, (input, _) in left.items()}
    grads, latest = [0.0] * (last + 1), {node: event for event, (node, *_) in enumerate(noted)}
    for event, (node, before, after, line, read) in enumerate(noted):
        number = as_number(after)
        seen = frozenset(place[id(each)] for each in read if id(each) in place)
        old = 0.0 if before is None else as_number(before)
        quiet = number == 0.0 == old and not seen  # as where all grads are set to 0 first
        along = () if quiet or number is None or old is None else allowed(left, edges, node, old, number, seen)
        found.writes.append(Write(node, old, number, line, along[0] if along else (), seen))
        if found.finding is None:
            idle = number == 0.0 == old and not (
                too_early(found, node, seen, left, grads) or dropped(found, node, seen, left, grads)
            )
            unknown = any(input == node and c is None for input, c in left.values())
            fits = along or idle or unknown or (node == last and number == found.truth[last])
            later = {node for node, last_event in latest.items() if last_event > event}
            found.finding = None if fits else wrong(found, len(found.writes) - 1, left, grads, watch, later)
            for each in along:
                left.pop(each, None)
        if number is not None:
            grads[node] = number
        if number == 0.0 == old and not (found.finding and found.finding.write == len(found.writes) - 1):
            found.writes.pop()  # it changed nothing, and had nothing to change
    if found.finding is None and ended:
        found.finding = Finding("raised", ended, None, ())
    if found.finding is None:
        found.finding = missing(found, left, grads)
    elif ended and found.finding.kind != "raised":
        found.finding = Finding(
            found.finding.kind, f"{found.finding.says} {ended}", found.finding.write, found.finding.lines
        )


def too_early(found, node, seen, left, grads):
    """The consumer whose gradient a line has read for a node, and which was not complete; None where there is none."""
    for (consumer, _), (input, c) in left.items():
        if input == node and c and consumer in seen and not alike(grads[consumer], found.truth[consumer]):
            return consumer
    return None


def dropped(found, node, seen, left, grads):
    """Whether a line has read a consumer's complete gradient, and no other, and wrote nothing of what it brings."""
    brings = [c for (consumer, _), (input, c) in left.items() if input == node and consumer in seen and c]
    return bool(brings) and all(alike(grads[each], found.truth[each]) for each in seen - {node})


def as_number(x):
    """A gradient as a float; None where it is none."""
    return float(x) if isinstance(x, int | float) or (hasattr(x, "__float__") and not hasattr(x, "data")) else None


def allowed(left, edges, node, old, number, seen):
    """The edges whose contributions take a node's gradient from an old number to another; () where none do.

    edges: {(consumer, edge): node}, all there are. One edge; or several, of consumers whose gradients were read.
    """
    coming = [(key, c) for key, (input, c) in left.items() if input == node and c is not None]
    if any(input == node for (consumer, _), input in edges.items() if consumer in seen):
        coming = [each for each in coming if each[0][0] in seen]  # the line has read whose contribution it is
    for key, c in coming:
        if added(old, c, number):
            return [key]
    groups = [[consumer] for consumer in seen] + [sorted(seen)]
    for group in groups:
        several = [(key, c) for key, c in coming if key[0] in group]
        for count in range(2, min(len(several), 4) + 1):
            for chosen in itertools.combinations(several, count):
                if added(old, sum(c for _, c in chosen), number):
                    return [key for key, _ in chosen]
    if len(coming) > 1 and not seen - {node} and added(old, sum(c for _, c in coming), number):
        return [key for key, _ in coming]  # collected elsewhere, and written at once
    return ()


def added(old, c, number):
    """Whether a gradient with a contribution c added is this number; inf stays inf, whatever comes to it."""
    return alike(number - old, c) or (not math.isfinite(number) and alike(old + c, number))


def wrong(found, event, left, grads, watch, later):
    """The Finding for a write that no edge allows. later: the nodes that are written to again."""
    write, names = found.writes[event], found.names
    name, count = names[write.node], event + 1
    if write.after is None:
        return Finding(
            "rule", f"Event {count}, {write.line.named}, put no number into {name}.grad.", event, (write.line,)
        )
    change = write.after - write.before
    begin = (
        f"Event {count}, {write.line.named}, changed {name}.grad from {show(write.before)} to {show(write.after)}, "
        "by {}"
    )
    coming = {key: c for key, (input, c) in left.items() if input == write.node and c is not None}
    for consumer, edge in coming:
        local, upstream = found.locals[consumer][edge], grads[consumer]
        read = consumer in write.seen or not write.seen - {write.node}
        if read and alike(change, local * upstream) and not alike(upstream, found.truth[consumer]):
            more = next((found.names[to] for (to, _), (input, c) in left.items() if input == consumer and c), None)
            return early(found, event, begin.format(show(change)), consumer, upstream, more, consumer in later)
    if not coming:
        says = f"{begin.format(show(change))}; no edge has anything more to bring it."
        return Finding("rule", says, event, (write.line,))
    read = [each for each in coming.items() if each[0][0] in write.seen]
    sources = {consumer for (consumer, _), _ in read or coming.items()}
    alone = write.node in write.seen and 2 * sum(line == write.line for *_, line, _ in watch.noted) < len(watch.noted)
    if not read and alone:  # it adds, and is no line that serves all nodes: so it is a rule's, whichever edge is meant
        says = f"{begin.format(show(change))}; no edge brings that, and the line reads no gradient but {name}.grad."
        return Finding("rule", says, event, (write.line,))
    if len(sources) > 1 or not all(alike(grads[each], found.truth[each]) for each in sources):
        in_all, change = told_apart(sum(c for _, c in read or coming.items()), change)
        says = (
            f"{begin.format(change)}; its edges bring {in_all} in all. Which of them is wrong cannot be told from it."
        )
        return Finding("rule", says, event, ())
    (consumer, _), c = (read or list(coming.items()))[0]
    change, gives = told_apart(change, c)
    more = len(coming) - 1
    others = f", and {more} other edge{'s' * (more > 1)} still to bring something" if more else ""
    made = tuple(line for line in makers(watch.made.get(id(found.nodes[consumer]), ())) if line != write.line)
    origin = f" {names[consumer]} was made in {by_way_of(made)}." if made else ""
    says = f"{begin.format(change)}; the chain rule gives {gives} along {name} → {names[consumer]}{others}.{origin}"
    return Finding("rule", says, event, (write.line, *made), c)


def early(found, event, begin, consumer, upstream, more, comes):
    """The Finding for a contribution that was made of a gradient before it was complete.

    more: where what it lacks comes from, if that is known. comes: whether that node is written to again.
    """
    name, right = found.names[consumer], found.truth[consumer]
    was, is_ = told_apart(upstream, right)
    without = f", without what comes along {name} → {more}" if more else ""
    if consumer == len(found.nodes) - 1 and upstream == 0:
        why = f"{name}.grad, the root's own, was {show(0.0)}: it has to be 1 before the first rule runs"
    elif comes:
        why = f"{name}.grad was read too early: it was {was}{without}, and has to be {is_}"
    else:
        why = f"{name}.grad was {was} when it was read{without}, and has to be {is_}"
    return Finding("early", f"{begin}. {why}.", event, (found.writes[event].line,))


def missing(found, left, grads):
    """The Finding where all writes were right, and something is still to come; None where nothing is."""
    for (consumer, _), (input, c) in left.items():
        unknown = None in (c, found.truth[input], found.truth[consumer])
        if not unknown and not alike(c, 0.0) and not alike(grads[input], found.truth[input]):
            name, out = found.names[input], found.names[consumer]
            has, right = grads[consumer], found.truth[consumer]
            why = "" if alike(has, right) else f", from {out}.grad, which is {show(has)} and has to be {show(right)}"
            says = f"Nothing came along {name} → {out}: the chain rule gives {show(c)} there{why}."
            return Finding("missing", says)
    return None
