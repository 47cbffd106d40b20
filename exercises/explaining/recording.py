"""Record an engine's view of a graph: its nodes, their operations and inputs, and the gradients that it gives.

Graphs come in and records go out as plain data, so that an engine may run in its own process. Nothing else of this
project is imported here, because the engine may itself be called `autograd`.
"""

import contextlib
import inspect
import operator
import sys
from dataclasses import dataclass, field
from types import CodeType, FunctionType, MethodType, ModuleType

SIGNS = {"add": "+", "mul": "*", "sub": "-", "truediv": "/", "pow": "**"}
METHODS = {f"__{name}__": (sign, False) for name, sign in SIGNS.items()} | {"__neg__": ("neg", False)}
METHODS |= {f"__r{name}__": (sign, True) for name, sign in SIGNS.items()}
METHODS |= {f"__i{name}__": (sign, False) for name, sign in SIGNS.items()}
TURNED = {"-": operator.sub, "/": operator.truediv}
FORWARD, BACKWARD = "on the way forward", "in backward()"
CONTAINERS = list, tuple, set, frozenset, dict
NESTED = ("item", "data", "value", "val")  # attributes of an object that stands for a number


class NotANode(TypeError):
    """An operation returned no node of the engine."""


@dataclass
class Engine:
    """A class of numbers and how to use it: make(number) is a leaf, backward(root) the pass.

    operations: {operation: function of nodes and numbers}. functions: {operation: the code that computes it}, for those
    that are not operators. data, grad: the names of a node's attributes. aliases: (function, sign) of functions that
    operators call, such as `sub`.
    """

    cls: type
    make: object
    backward: object
    operations: dict
    functions: dict = field(default_factory=dict)
    data: str = "data"
    grad: str = "grad"
    aliases: tuple = ()
    turned: dict = field(default_factory=dict)  # {- or /: whether n - v takes its numbers the wrong way round}
    kept: list = field(default_factory=list)  # the attributes in which nodes keep their inputs, once known

    def value(self, node):
        """Return the number of a node."""
        return to_number(attribute(node, self.data))

    def gradient(self, node):
        """Return the gradient of a node, 0 if it is still None."""
        found = attribute(node, self.grad)
        return 0.0 if found is None else to_number(found)


def attribute(node, name):
    """Return an attribute of a node, or what it returns if it is a method without arguments."""
    found = getattr(node, name)
    return found() if isinstance(found, MethodType) else found


def to_number(thing, depth=0):
    """Return a float, a NumPy scalar, an array of one number or a wrapped number as a float; else raise TypeError."""
    if thing is None or isinstance(thing, bool | str | bytes):
        raise TypeError(f"{thing!r} is no number")
    with contextlib.suppress(TypeError, ValueError, AttributeError):
        return float(thing)
    for name in NESTED if depth < 3 else ():
        found = getattr(thing, name, None)
        with contextlib.suppress(TypeError, ValueError, AttributeError):
            return to_number(found() if callable(found) else found, depth + 1)
    with contextlib.suppress(TypeError):
        if len(thing) == 1 and depth < 3:
            return to_number(next(iter(thing)), depth + 1)
    raise TypeError(f"a {type(thing).__name__} is no number")


def record(engine, leaves, steps, *, tape=True, passes=1, seed=None):
    """Return what an engine gives for a graph, {"value", "grads", "root", "numbers", "tape"}, or {"error", "where"}.

    leaves and steps are those of a Case. seed: the root's gradient, if it must be set by hand.
    """
    where, recorder = FORWARD, Recorder(engine)
    try:
        nodes = {name: engine.make(number) for name, number in leaves}
        recorder.begin(nodes.values())
        with recorder if tape else contextlib.nullcontext():
            for name, operation, operands in steps:
                recorder.step = operation
                nodes[name] = engine.operations[operation](*(nodes[o] if isinstance(o, str) else o for o in operands))
                if not isinstance(nodes[name], engine.cls):
                    raise NotANode(returned(nodes[name], engine.cls))
        root = nodes[steps[-1][0]]
        numbers = {name: engine.value(node) for name, node in nodes.items()}
        taped, where = recorder.tape(root) if tape else None, BACKWARD
        if seed is not None:
            setattr(root, engine.grad, seed)
        for _ in range(passes):
            engine.backward(root)
        grads = [engine.gradient(nodes[name]) for name, _ in leaves]
    except (Exception, SystemExit) as fault:
        line = place_of(fault, recorder.codes)
        told = {"error": type(fault).__name__, "message": str(fault)[:150], "where": where, "line": line}
        return told | ({"tape": taped} if where == BACKWARD else {})
    try:
        last = engine.gradient(root)
    except Exception:
        last = None  # it has none left
    return {"value": numbers[steps[-1][0]], "grads": grads, "root": last, "numbers": numbers, "tape": taped}


def place_of(fault, codes):
    """Return (file, line) of the last line of an engine's own code that an exception passed, or None."""
    files, found, trace = {code.co_filename for code in codes}, None, fault.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename in files:
            found = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    return found


def returned(thing, cls):
    """Return a sentence about the result of an operation that is no node."""
    if thing is None:
        return "it returns nothing: a return is missing"
    if isinstance(thing, int | float):
        return "it returns a plain number"
    return f"it returns a {type(thing).__name__} and no {cls.__name__}"


class Recorder:
    """Notes which operation makes each node, and of which operands, while the operations of an engine run."""

    def __init__(self, engine):
        self.engine, self.step, self.codes = engine, "", operators(engine)
        self.places, self.nodes, self.made, self.calls, self.leaves, self.before = {}, [], {}, [], [], None
        self.rules = {}  # for each node made, the functions that it holds

    def __enter__(self):
        self.before = sys.getprofile()
        sys.setprofile(self.watch)

    def __exit__(self, *_):
        sys.setprofile(self.before)

    def begin(self, leaves):
        self.leaves = [self.place(node) for node in leaves]

    def place(self, node):
        """Return the number of a node; its object is kept, so that no other gets its id."""
        if id(node) not in self.places:
            self.places[id(node)] = len(self.nodes)
            self.nodes.append(node)
        return self.places[id(node)]

    def watch(self, frame, event, returned):
        """Note the operands of a call of an operation, and the node that it returns if no inner call made it."""
        if frame.f_code not in self.codes:
            return
        if event == "call":
            self.calls.append((self.meaning(frame), self.operands(frame)))
        elif event == "return" and self.calls:
            (sign, reflected), operands = self.calls.pop()
            if not isinstance(returned, self.engine.cls) or any(returned is each for each in operands):
                return
            rules = [content for _, content in attributes(returned) if isinstance(content, FunctionType)]
            if id(returned) not in self.places or rules != self.rules.get(self.places[id(returned)], rules):
                self.note(returned, sign, reflected, operands)  # it made the node, or replaced its rule
                self.rules[self.places.get(id(returned), -1)] = rules

    def meaning(self, frame):
        """Return (operation, whether its operands are swapped) of a call; by its closure if functions share code."""
        candidates = self.codes[frame.f_code]
        if len(candidates) > 1:
            for closure, found in candidates:
                if all(frame.f_locals.get(name) is held for name, held in closure.items()):
                    return found
            return self.step, False
        return candidates[0][1]

    def operands(self, frame):
        """Return the nodes and plain numbers among the arguments of a call."""
        code = frame.f_code
        given = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]]
        if code.co_flags & inspect.CO_VARARGS:
            given += frame.f_locals.get(code.co_varnames[code.co_argcount + code.co_kwonlyargcount], ())
        return [o for o in given if isinstance(o, self.engine.cls) or (is_plain(o) and not isinstance(o, bool))]

    def note(self, node, sign, reflected, operands):
        """Note the node that an operation made of these operands; a plain number becomes a list of one."""
        operands = operands[: 2 if sign in SIGNS.values() else 1]
        if not operands:
            return
        numbers = [self.engine.value(o) if isinstance(o, self.engine.cls) else float(o) for o in operands]
        found = [self.place(o) if isinstance(o, self.engine.cls) else [x] for o, x in zip(operands, numbers)]
        value = self.engine.value(node)
        if reflected and sign in TURNED and is_turned(TURNED[sign], numbers, value) is not None:
            self.engine.turned[sign] = is_turned(TURNED[sign], numbers, value)
        if reflected and not self.engine.turned.get(sign):
            found = found[::-1]  # in the order of the computation
        if sign == "**" and type(found[-1]) is int:
            sign = "v**v"
        self.made[self.place(node)] = [sign, found]

    def tape(self, root):
        """Return the graph as plain data: values, operations, and the inputs that each node keeps, in their order."""
        root, names = self.place(root), self.keepers()
        inputs = {node: [o for o in operands if type(o) is int] for node, (_, operands) in self.made.items()}
        for node, object in enumerate(self.nodes) if names else ():  # their number grows
            kept = [each for name in names for each in contained(getattr(object, name, None), self.engine.cls)]
            if node in self.made or kept:
                inputs[node] = [self.place(each) for each in kept]
            sign, operands = self.made.get(node, ("", ()))
            pairs = [*zip(operands, inputs[node])] if operands and len(operands) == len(kept) else []
            if pairs and all(one == [self.engine.value(self.nodes[o])] or one == o for one, o in pairs):
                self.made[node] = [sign, inputs[node]]  # with the nodes that stand for plain numbers
        data = [self.engine.value(node) for node in self.nodes]
        plain = [i for i in range(len(data)) if i not in self.made and i not in self.leaves and not inputs.get(i)]
        made = [[node, *each] for node, each in self.made.items()]
        kept = [*map(list, inputs.items())]
        return {"data": data, "plain": plain, "made": made, "inputs": kept, "leaves": self.leaves, "root": root}

    def keepers(self):
        """Return the names of the attributes in which nodes keep their inputs: one container, or several nodes.

        Of several containers, the one that keeps most, and never a node itself or one made later.
        """
        counts, single, wrong = {}, {}, set()
        for place in self.made:
            for name, held in attributes(self.nodes[place]):
                found = contained(held, self.engine.cls)
                if any(self.places.get(id(each), -1) >= place for each in found):
                    wrong.add(name)
                elif found:
                    kind = single if isinstance(held, self.engine.cls) else counts
                    kind[name] = kind.get(name, 0) + len(found)
        containers = [name for name in counts if name not in wrong]
        found = [max(containers, key=counts.get)] if containers else [name for name in single if name not in wrong]
        self.engine.kept = found or self.engine.kept
        return self.engine.kept


def is_turned(operation, numbers, value):
    """Return whether a value is that of two numbers as they are, not of the second and the first; None if of both."""
    try:
        as_they_are, swapped = operation(*numbers), operation(*numbers[::-1])
    except ZeroDivisionError:
        return None
    return None if as_they_are == swapped else value == as_they_are


def is_plain(thing):
    """Return whether something is a plain number, including one of NumPy."""
    return isinstance(thing, int | float) or (hasattr(thing, "dtype") and getattr(thing, "shape", None) == ())


def operators(engine):
    """Return {code: [({name: content of the closure}, (operation, reflected))]} of an engine's operations."""
    named = [(getattr(engine.cls, name, None), meaning) for name, meaning in METHODS.items()]
    named += [(function, (name, False)) for name, function in engine.functions.items()]
    named += [(function, (sign, False)) for function, sign in engine.aliases]
    found = {}
    for function, meaning in named:
        function = inspect.unwrap(function) if callable(function) else function
        function = getattr(function, "__func__", function)
        if isinstance(code := getattr(function, "__code__", None), CodeType):
            cells = zip(code.co_freevars, function.__closure__ or ())
            closure = {name: cell.cell_contents for name, cell in cells if cell_is_filled(cell)}
            known = found.setdefault(code, [])
            if not any(len(one) == len(closure) and all(one[n] is closure[n] for n in one) for one, _ in known):
                known.append((closure, meaning))
    return found


def cell_is_filled(cell):
    """Return whether a closure's cell has a content yet."""
    try:
        return cell.cell_contents is not NotImplemented
    except ValueError:
        return False


def attributes(node):
    """Yield (name, content) of each attribute of an object, slots included."""
    slots = [each for cls in type(node).__mro__ for each in as_names(vars(cls).get("__slots__", ()))]
    for name in (*getattr(node, "__dict__", ()), *slots):
        yield name, getattr(node, name, None)


def as_names(slots):
    """Return the names in a class's __slots__."""
    return (slots,) if isinstance(slots, str) else tuple(slots)


def contained(thing, cls, depth=3):
    """Return the nodes in a container, in their order: of a list of pairs, a dict or a context object as well."""
    if isinstance(thing, cls):
        return [thing]
    if depth == 0 or isinstance(thing, type | FunctionType | MethodType | ModuleType):
        return []
    if isinstance(thing, dict):
        return contained(list(thing), cls, depth - 1) or contained(list(thing.values()), cls, depth - 1)
    if isinstance(thing, CONTAINERS):
        return [node for each in thing for node in contained(each, cls, depth - 1)]
    held = [*getattr(thing, "__dict__", {}).values()]
    found = (contained(each, cls, depth - 1) for each in held if not isinstance(each, cls))
    return next(filter(None, found), [each for each in held if isinstance(each, cls)])
