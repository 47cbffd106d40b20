"""Find the engine in a loaded file by its behaviour: its class, attribute names, backward pass and operations.

This runs in the examined file's process, and imports little of the project: loading, and the recording of graphs.
"""

import contextlib
import functools
import inspect
import re
import sys
import types
from pathlib import Path

from exercises.doctor.loading import Anything
from exercises.explaining.recording import Engine, NotANode, attribute, attributes, returned, to_number

OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
    "neg": lambda a: -a,
}
FUNCTIONS = {
    "exp": ("exp", "exponential", "exp_"),
    "log": ("log", "ln", "natural_log", "logn"),
    "tanh": ("tanh", "tan_h", "hyperbolic_tangent"),
    "sigmoid": ("sigmoid", "sigm", "logistic", "sig"),
    "relu": ("relu", "rectify"),
    "sqrt": ("sqrt",),
    "sin": ("sin",),
    "cos": ("cos",),
}
ALIASES = {"add": "+", "sub": "-", "mul": "*", "div": "/", "truediv": "/", "neg": "neg", "power": "**", "pow": "**"}
DATA = ("data", "value", "val", "_data", "_value", "v", "x", "primal", "num", "number", "scalar", "item")
GRADIENT = ("grad", "gradient", "_grad", "grads", "grad_value", "derivative", "deriv", "adjoint", "delta", "bar", "g")
BACKWARD = (
    "backward",
    "backprop",
    "backpropagate",
    "back_propagate",
    "back_prop",
    "backward_pass",
    "backwards",
    "back",
)
BACKWARD += ("backpropagation", "run_backward", "calculate_gradients", "compute_gradients", "propagate")
ANY_PASS = re.compile(r"back|prop|reverse|flow|diff|deriv|grad|comput|calc", re.IGNORECASE)
NO_PASS = re.compile(r"zero|reset|clear|set_|get_|add_|update", re.IGNORECASE)
NUMBER = re.compile(r"^_?(data|val|value|x|num|number|v|scalar|item|input)", re.IGNORECASE)
ASKS = re.compile(r"requires?_?grad|needs?_?grad|track", re.IGNORECASE)
GUESSES = (  # what to pass to a parameter without a default, by its name
    (r"child|prev|parent|input|operand|pred|source|args|deps", ()),
    (r"op|label|name|func|fn|sym|role|type", ""),
    (r"grad", 0.0),
)
GRAPHS = (  # small graphs, and the gradients at 2 and 3: the method that gets most of them right is the pass
    (lambda a, b: a * b, (3.0, 2.0)),
    (lambda a, b: a + b, (1.0, 1.0)),
    (lambda a, b: a * b + a, (4.0, 2.0)),
    (lambda a, b: (a * b) * (a + b), (21.0, 16.0)),
)


class NoEngine(Exception):
    """A class is not a scalar engine: how many steps succeeded, and why the search stopped there."""

    def __init__(self, depth, why):
        super().__init__(why)
        self.depth, self.why = depth, why


def find_engine(loaded):
    """Return (the Engine of a loaded file, the name of its pass); raise NoEngine with the reason if there is none."""
    reasons = [NoEngine(0, "there is no class that can be added (`__add__`)")]
    for cls in classes(loaded):
        try:
            return engine_of(cls, loaded.module)
        except NoEngine as fault:
            reasons.append(NoEngine(fault.depth, f"class {cls.__name__}: {fault.why}"))
    raise max(reasons, key=lambda reason: reason.depth)


def classes(loaded):
    """Return the classes with an addition, the file's own first, and later ones before earlier ones."""
    found = [each for each in vars(loaded.module).values() if isinstance(each, type)][::-1]
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and Path(file).resolve().is_relative_to(loaded.root) and module is not loaded.module:
            found += [each for each in vars(module).values() if isinstance(each, type)]
    strange = {*sys.stdlib_module_names, "numpy", "exercises"}
    return [
        cls
        for cls in dict.fromkeys(found)
        if hasattr(cls, "__add__")
        and not issubclass(cls, Anything | BaseException)
        and (cls.__module__.partition(".")[0] not in strange or cls.__module__ == loaded.module.__name__)
    ]


def engine_of(cls, module):
    """Return (the Engine of a class, the name of its pass)."""
    reason = NoEngine(1, "no number can be made from it")
    for make in makers(cls):
        try:
            return engine_made_by(cls, make, module)
        except NoEngine as fault:
            reason = max(reason, fault, key=lambda each: each.depth)
    raise reason


def makers(cls):
    """Yield ways to make a leaf from a number: plainly, with gradients switched on, with the arguments it asks for."""
    try:
        parameters = list(inspect.signature(cls).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    if asks := next((each.name for each in parameters if ASKS.search(each.name)), None):
        yield lambda number: cls(number, **{asks: True})
    yield cls
    needed = [each for each in parameters if each.default is each.empty and each.kind in (0, 1, 3)]
    first = next((each.name for each in needed if NUMBER.match(each.name)), needed[0].name if needed else None)
    guessed = {each.name: guess(each.name) for each in needed if each.name != first}
    for empty in (tuple, list, set) if guessed else ():
        rest = {name: empty() if content == () else content for name, content in guessed.items()}
        yield lambda number, rest=rest: cls(**{first: number}, **rest)


def guess(name):
    """Return what to pass to a parameter with this name."""
    return next((content for pattern, content in GUESSES if re.search(pattern, name, re.IGNORECASE)), None)


def engine_made_by(cls, make, module):
    """Return (the Engine of a class whose leaves are made this way, the name of its pass)."""
    a = attempt(2, "a number cannot be made from it", lambda: make(2.0))
    b = make(3.0)
    names = [name for name in known_first(a, DATA) if number_in(a, name) == 2.0]
    if not names:
        raise NoEngine(3, "none of its attributes holds the number that it was made of")
    added = attempt(5, "a + b", lambda: a + b)
    product = attempt(5, "a * b", lambda: a * b)
    names = [name for name in names if number_in(added, name) == 5.0 and number_in(product, name) is not None]
    if not names:
        nothing = next((text for text, made in (("a + b", added), ("a * b", product)) if made is None), None)
        raise NoEngine(6, f"{nothing} returns nothing: a return is missing" if nothing else "a + b holds no sum")
    engine = Engine(cls, make, None, {**OPERATORS}, data=names[0])
    passes = [each for each in backward_passes(cls, a, module) if score(engine, each) is not None]
    if not passes:
        raise NoEngine(7, "no backward pass leaves a gradient in an attribute")
    name, engine.backward = max(passes, key=lambda each: (score(engine, each), each[0].rstrip("()") in BACKWARD))
    engine.grad = gradient_name(engine, engine.backward)
    return engine, name


def attempt(depth, words, action):
    """Return the result of an action; raise NoEngine if it raises."""
    try:
        return action()
    except Exception as fault:
        raise NoEngine(depth, f"{words} raises {type(fault).__name__}: {fault}") from None


def known_first(node, known):
    """Return the names of a node's attributes, the usual names of engines first."""
    names = dict.fromkeys(name for name, _ in attributes(node))
    names |= dict.fromkeys(name for name in dir(type(node)) if is_property(type(node), name))
    return [*(name for name in known if name in names or hasattr(node, name)), *(n for n in names if n not in known)]


def is_property(cls, name):
    return isinstance(inspect.getattr_static(cls, name, None), property)


def number_in(node, name):
    """Return the number in an attribute, or None."""
    with contextlib.suppress(Exception):
        return to_number(attribute(node, name))
    return None


def backward_passes(cls, sample, module):
    """Yield (name, function of a root) for everything that may be the backward pass."""
    own = [name for name in dir(cls) if not name.startswith("__")]
    held = [name for name, content in attributes(sample) if callable(content)]
    names = [name for name in (*BACKWARD, *own, *held) if callable(getattr(sample, name, None))]
    for name in dict.fromkeys(names):
        if name in BACKWARD or (ANY_PASS.search(name) and not NO_PASS.search(name)):
            yield name, functools.partial(run_method, name)
    for name, function in vars(module).items():
        if isinstance(function, types.FunctionType) and re.search(r"back|prop|gradients", name, re.IGNORECASE):
            yield f"{name}()", function


def run_method(name, root):
    """Call a method of a root; parameters without a default get 1.0, the root's gradient."""
    method = getattr(root, name)
    with contextlib.suppress(TypeError, ValueError):
        needed = [p for p in inspect.signature(method).parameters.values() if p.default is p.empty and p.kind in (0, 1)]
        return method(*[1.0] * len(needed)) if needed else method()
    return method()


def gradient_name(engine, backward):
    """Return the attribute in which a backward pass leaves gradients, or None."""
    for graph, _ in GRAPHS[:3]:
        with contextlib.suppress(Exception):
            a, b = engine.make(2.0), engine.make(3.0)
            root = graph(a, b)
            names = [name for name in known_first(a, GRADIENT) if name != engine.data]
            before = {name: number_in(a, name) for name in names}
            backward(root)
            after = {name: number_in(a, name) for name in known_first(a, GRADIENT) if name != engine.data}
            changed = [name for name, number in after.items() if number is not None and number != before.get(name)]
            if changed:
                return changed[0]
    known = [name for name in GRADIENT if hasattr(engine.make(2.0), name)]
    return known[0] if known else None


def score(engine, named):
    """Return how many gradients of four small graphs a backward pass gets right; None if it leaves none."""
    name, backward = named
    if (gradient := gradient_name(engine, backward)) is None:
        return None
    right = 0
    for graph, expected in GRAPHS:
        with contextlib.suppress(Exception):
            leaves = engine.make(2.0), engine.make(3.0)
            backward(graph(*leaves))
            right += sum(abs(number_in(leaf, gradient) - wanted) < 1e-4 for leaf, wanted in zip(leaves, expected))
    return right if right or name.rstrip("()") in BACKWARD else None


def add_functions(engine, module):
    """Add the functions of one number that an engine has; return {operation: exception} for those that fail."""
    failed, held = {}, vars(module)
    named = ((held.get(name), sign) for name, sign in ALIASES.items())
    engine.aliases = tuple(each for each in named if isinstance(each[0], types.FunctionType))
    for operation, names in FUNCTIONS.items():
        for place in (engine.cls, module):
            name = next((each for each in dir(place) if each.lower() in names), None)
            found = getattr(place, name, None) if name else None
            if found is None or not is_own(found, place):
                continue
            try:
                result = call_function(engine, place, name, engine.make(0.5))
                if not isinstance(result, engine.cls):
                    raise NotANode(returned(result, engine.cls))
            except Exception as fault:
                if place is engine.cls:
                    failed[operation] = type(fault).__name__, str(fault)
                    engine.functions[operation] = code_of(found)
                continue
            engine.operations[operation] = functools.partial(call_function, engine, place, name)
            engine.functions[operation] = code_of(found)
            failed.pop(operation, None)
            break
    return failed


def is_own(found, place):
    """Return whether an object named like a function belongs to the file, and not to NumPy or a stand-in."""
    if isinstance(place, type):
        return callable(found)
    is_stand_in = isinstance(found, type) and issubclass(found, Anything)
    return isinstance(found, types.FunctionType | type) and not is_stand_in


def call_function(engine, place, name, node):
    """Apply a function by its name to a node: a method, a static one, a function, or a class of operations."""
    if place is engine.cls:
        is_static = isinstance(inspect.getattr_static(place, name, None), staticmethod | classmethod)
        return getattr(place, name)(node) if is_static else getattr(node, name)()
    found = getattr(place, name)
    return found()(node) if isinstance(found, type) else found(node)


def code_of(found):
    """Return the function that runs when a function, or a class of operations, is applied."""
    return vars(found).get("__call__") if isinstance(found, type) else found
