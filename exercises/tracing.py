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
from types import SimpleNamespace

import autograd
from autograd.again import run_again
from autograd.messages import described, show
from exercises import parts
from exercises.cases import same

LIMIT = 5_000  # writes: a pass over a small expression has no more, a recursion without an order may have
BINARY = ("add", "sub", "mul", "truediv", "pow")
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
    names: list = field(default_factory=list)
    inputs: list = field(default_factory=list)  # of each node: the places of its inputs
    locals: list = field(default_factory=list)  # ∂node/∂input along each edge, by the oracle; None where unknown
    truth: list = field(default_factory=list)  # the right gradient of each node; None where unknown
    writes: list = field(default_factory=list)
    finding: Finding | None = None


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
        self.under, self.noted, self.made, self.seen = under, [], {}, []

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
    return Line(number, linecache.getline(file, number).strip(), code.co_name)


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
        if not isinstance(data, int | float) or not alike(float(data), right.data):
            if not made and begins < len(self.watch.noted):
                made = (self.watch.noted[-1][3],)
            raise Differs(words, data, right.data, made[-1] if made else None)
        return Both(own, right, self.watch)

    def __neg__(self):
        return self.done(operator.neg, f"-{name_of(self)}", self)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        def method(*args):
            return self.done(lambda x, *rest: getattr(x, name)(*rest), f"{name_of(self)}.{name}()", self, *args)

        return method


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
            both = f(*(Both(leaf, autograd.Value(x), watch) for leaf, x in zip(leaves, xs)))
        except Differs as differs:
            return forward(found, differs)
        if not isinstance(both, Both):
            says = f"f has to return the node that it makes, of your class; it returned {described(both)}."
            found.finding = Finding("forward", says)
            return found
        read(found, both, 1.0 if hasattr(both.own, "backward") else seed)
        first = len(watch.noted)
        ended = run(found.nodes, seed)
        places = {id(node): i for i, node in enumerate(found.nodes)}
        noted = [each for each in watch.noted[first:] if id(each[0]) in places]
    judge(found, [(places[id(node)], *rest) for node, *rest in noted], watch, ended)
    return found


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
    values = []
    for node, inputs in zip(found.nodes, found.inputs):
        values.append(again(node, [values[i] for i in inputs]) if inputs else autograd.Value(node.data))
        if values[-1] is None:
            values[-1] = autograd.Value(node.data)
    found.locals = [
        [None] * len(inputs) if len(value._prev) != len(inputs) else list(value._local)
        for value, inputs in zip(values, found.inputs)
    ]
    values[-1].backward()
    found.truth = [value.grad * seed for value in values]


def in_order(root):
    """The nodes of a learner's graph, inputs before consumers; however deep."""
    order, seen, stack = [], set(), [(root, None)]
    while stack:
        node, inputs = stack.pop()
        if inputs is None:
            if id(node) in seen:
                continue
            seen.add(id(node))
            inputs = iter(tuple(node._prev))
        for input in inputs:
            if id(input) not in seen:
                stack += [(node, inputs), (input, None)]
                break
        else:
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
            left[i, edge] = input, None if local is None else local * found.truth[i]
    grads = [0.0] * (last + 1)
    for node, before, after, line, read in noted:
        number = as_number(after)
        seen = frozenset(place[id(each)] for each in read if id(each) in place)
        old = as_number(before)
        quiet = number == 0.0 == old and not seen  # as where all grads are set to 0 first
        along = () if quiet or number is None or old is None else allowed(left, node, old, number, seen)
        found.writes.append(Write(node, old, number, line, along[0] if along else (), seen))
        if found.finding is None:
            idle = number == 0.0 == old and not too_early(found, node, seen, left, grads)
            fits = along or idle or (node == last and number == found.truth[last])
            found.finding = None if fits else wrong(found, len(found.writes) - 1, left, grads, watch)
            for each in along:
                left.pop(each, None)
        if number is not None:
            grads[node] = number
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


def as_number(x):
    """A gradient as a float; None where it is none."""
    return float(x) if isinstance(x, int | float) or (hasattr(x, "__float__") and not hasattr(x, "data")) else None


def allowed(left, node, old, number, seen):
    """The edges whose contributions take a node's gradient from an old number to another; () where none do.

    One edge, of a consumer whose gradient was read before others; or several of one consumer, if it was read.
    """
    coming = [(key, c) for key, (input, c) in left.items() if input == node and c is not None]
    coming.sort(key=lambda each: each[0][0] not in seen)
    for key, c in coming:
        if added(old, c, number):
            return [key]
    for consumer in seen:
        several = [(key, c) for key, c in coming if key[0] == consumer]
        for count in range(2, min(len(several), 4) + 1):
            for chosen in itertools.combinations(several, count):
                if added(old, sum(c for _, c in chosen), number):
                    return [key for key, _ in chosen]
    return ()


def added(old, c, number):
    """Whether a gradient with a contribution c added is this number; inf stays inf, whatever comes to it."""
    return alike(number - old, c) or (not math.isfinite(number) and alike(old + c, number))


def wrong(found, event, left, grads, watch):
    """The Finding for a write that no edge allows."""
    write, names = found.writes[event], found.names
    name, count = names[write.node], event + 1
    if write.after is None:
        return Finding(
            "rule", f"Event {count}, {write.line.named}, put no number into {name}.grad.", event, (write.line,)
        )
    before = 0.0 if write.before is None else write.before
    change = write.after - before
    begin = (
        f"Event {count}, {write.line.named}, changed {name}.grad from {show(before)} to {show(write.after)}, "
        f"by {show(change)}"
    )
    coming = {key: c for key, (input, c) in left.items() if input == write.node and c is not None}
    for consumer, edge in coming:
        local, upstream = found.locals[consumer][edge], grads[consumer]
        if alike(change, local * upstream) and not alike(upstream, found.truth[consumer]):
            return early(found, event, begin, consumer, upstream)
    made, c = (), None
    if coming:
        read = [each for each in coming.items() if each[0][0] in write.seen]
        (consumer, _), c = (read or list(coming.items()))[0]
        others = f", of {len(coming)} that are still to come" if len(coming) > 1 else ""
        gives = f"; the chain rule gives {show(c)} along {name} → {names[consumer]}{others}"
        made = watch.made.get(id(found.nodes[consumer]), ())
    else:
        gives = "; no edge has anything more to bring it"
    at = next((line for line in reversed(made) if line.function not in ("<lambda>", "<module>")), None)
    origin = f" {names[consumer]} was made in {at.named}." if coming and at and at != write.line else ""
    return Finding("rule", f"{begin}{gives}.{origin}", event, (write.line, *((at,) if at else ())), c)


def early(found, event, begin, consumer, upstream):
    """The Finding for a contribution that was made of a gradient before it was complete."""
    name, right = found.names[consumer], found.truth[consumer]
    if consumer == len(found.nodes) - 1 and upstream == 0:
        why = f"{name}.grad, the root's own, was {show(0.0)}: it has to be 1 before the first rule runs"
    else:
        why = f"{name}.grad was read too early: it was {show(upstream)}, and is {show(right)} once all has arrived"
    return Finding("early", f"{begin}. {why}.", event, (found.writes[event].line,))


def missing(found, left, grads):
    """The Finding where all writes were right, and something is still to come; None where nothing is."""
    for (consumer, _), (input, c) in left.items():
        if c is not None and not alike(c, 0.0) and not alike(grads[input], found.truth[input]):
            name, out = found.names[input], found.names[consumer]
            has, right = grads[consumer], found.truth[consumer]
            why = "" if alike(has, right) else f", from {out}.grad, which is {show(has)} and has to be {show(right)}"
            says = f"Nothing came along {name} → {out}: the chain rule gives {show(c)} there{why}."
            return Finding("missing", says)
    return None
