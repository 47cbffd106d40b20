"""Tests of backward rules as small scripts, for several checks."""

import functools
import itertools
import random
import re
from dataclasses import dataclass

import autograd
from exercises.engines.wrong_engines import Engine
from exercises.judging.vocabulary import (
    answer,
    equal_results,
    in_turn,
    kind,
    make_result,
    stranger,
    to_plain_data,
    trying,
)

NEW, ANOTHER = "a new Value", "a Value of another engine"
OWN, EVERY = "its own", "the one that every new Value has"
CHANGED = "changed besides the gradients"
SPECIAL = (  # a, b, upstream: zeros, ones, equal ones, small and large ones, some with many digits
    *((0, 5.0, -2.5), (4.0, 0.0, 3.0), (1, -4.0, 2.0), (2.5, 1.0, -7.0), (-1.0, 3, 0.5), (6.0, -1, 1.0)),
    *((4.0, 4.0, -3.0), (0.0, 0, 8.0), (-0.4, 0.3, -0.25), (1e-4, 2e3, 1.5e4), (3.0, 2.0, 0.0)),
    (0.3333333, 0.7654321, 1.2345679),
)
WITH_NUMBERS = ("a {} 2", "a {} 0.5", "a {} 1", "a {} 0", "a {} -1", "2 {} a", "1 {} a", "0 {} a")


@dataclass(frozen=True)
class Script:
    """A test of a rule as lines of Python: those that make nodes, and those that set gradients and run rules."""

    makes: str
    runs: str = "out.grad = 10.0\nout._backward()"

    def to_source(self):
        return f"{self.makes}\n{self.runs}"

    def results(self):
        """Return {name: the names in its operation} of the nodes that operations make."""
        made = (line.split(" = ") for line in self.makes.splitlines() if "Value(" not in line)
        return {name: re.findall(r"\w+", operation) for name, operation in made}

    def graph(self):
        """Return the last node that it makes, of autograd's Values, for a drawing."""
        nodes = ran(self.makes, {"Value": autograd.Value})
        for name, node in nodes.items():
            node.label = name
        return list(nodes.values())[-1]


def ran(lines, names):
    """Run these lines and return the nodes by name."""
    exec(compiled(lines, "<a test>", "exec"), names)
    return {name: thing for name, thing in names.items() if name not in ("Value", "__builtins__")}


compiled = functools.cache(compile)


def of_two(sign, a, b, upstream, before=""):
    """Return the Script of one operation on two leaves; on one leaf twice if b is None."""
    makes = f"a = Value({a})\nout = a {sign} a" if b is None else f"a, b = Value({a}), Value({b})\nout = a {sign} b"
    return Script(makes, f"{before}out.grad = {upstream}\nout._backward()")


def of_one(operation, a, upstream, before=""):
    return Script(f"a = Value({a})\nout = a.{operation}()", f"{before}out.grad = {upstream}\nout._backward()")


@functools.cache
def scripts(sign, seed=0):
    """Return the Scripts of a rule: plain ones, some in which several contributions arrive, and the first one again."""
    rng, first = random.Random(seed or 3), of_two(sign, 2.0, -3.0, 10.0)
    drawn = [[drawn_number(rng, most) for most in (4, 4, 9)] for _ in range(10)]
    grads = [(drawn_number(rng), drawn_number(rng)) for _ in drawn]
    made = [first, of_two(sign, 3.0, None, 10.0)]
    made += [of_two(sign, *three, f"a.grad, b.grad = {two}\n") for three, two in zip(drawn, grads)]
    made += [of_two(sign, *numbers) for numbers in SPECIAL]
    made += [Script(f"a = Value({a})\nout = {text.format(sign)}") for a in (3.0, -2) for text in WITH_NUMBERS]
    made += [Script(f'a, b = Value(2.5, label="a"), Value(4.0, label="b")\nout = a {sign} b')]
    made += [Script(f"a, b = Value(2.0), Value(-3.0)\nout = a {sign} b", f"a.grad = b.grad = 5.0\nagain = a {sign} b")]
    # an input that is itself a result: the rule of `out` must not run that of `a`, whatever a.grad is
    makes = f"x, y, b = Value(2.0), Value(-3.0), Value(4.0)\na = x {sign} y\nout = a {sign} b"
    made += [Script(makes, "a.grad = 3.0\nout.grad = 10.0\nout._backward()\na.grad = 0.0")]
    made += [Script(makes, "out.grad = 10.0\nout._backward()\na._backward()")]
    # two rules with one leaf in common, and one rule run twice
    makes = f"a, b, c = Value(2.0), Value(3.0), Value(-4.0)\np = a {sign} b\nq = a {sign} c"
    made += [Script(makes, "q.grad = 5.0\nq._backward()\np.grad = -7.0\np._backward()")]
    runs = "out.grad = 10.0\nout._backward()\nout.grad = -4.0\nout._backward()"
    made += [Script(first.makes, runs)]
    made += [of_two(sign, a, None, u, f"a.grad = {grad}\n") for (a, _, u), (grad, _) in zip(drawn[:5], grads)]
    return (*made, first)


def drawn_number(rng, most=4):
    """Draw a number, whole or not, that is not near 0, 1 or -1."""
    while True:
        found = rng.choice((rng.randint(-most, most), round(rng.uniform(-most, most), 2)))
        if abs(found) > 1.1:
            return found


def looked_at(Value, script):
    """Run a Script with this class of numbers and return {what: plain data} of all that its nodes show.

    Stop early if a result is not a new Value, or has no own rule.
    """
    what = "; ".join(script.to_source().splitlines())
    with trying(what):
        names = {"Value": Value}
        nodes = ran(script.makes, names)
        found = {name: returned(Value, name, nodes, what) for name in nodes}
        if any(text != NEW for text in found.values()):
            return found
        before = recorded(Value, nodes)
        found |= before | {f"{name}.grad at first": to_plain_data(node.grad) for name, node in nodes.items()}
        if any(found[f"{name}._backward"] != OWN for name in script.results()):
            return found
        ran(script.runs, names)
        found |= {f"{name}.grad": to_plain_data(node.grad) for name, node in nodes.items()}
        changed = [name for name, now in recorded(Value, nodes).items() if differ(now, before[name])]
    return found | {CHANGED: ", ".join(changed) or "nothing"}


POINTS = {  # the points at which each operation is tested: a plain number, then both sides of 0, and 0
    "relu": (2.0, -1.5, 3, 0.001, -0.001, 0.4, -0.4, 100.0, -50.0, 0, 0.0),
    "exp": (0.5, 1, -2.0, 0, -0.4, 8.0),
    "log": (0.5, 2, 4.0, 1, 0.01, 250.0),
    "tanh": (0.5, -1, 2.0, 0, -0.3, 6.0),
    "sigmoid": (0.5, -1, 2.0, 0, -0.3, -8.0),
}


def points(operation, seed):
    """Return the numbers that an operation is tested with: fixed ones, and random ones."""
    rng = random.Random(f"lesson 03 {operation}{seed or ''}")
    low = 0.2 if operation == "log" else -2.5
    return [*POINTS[operation], *(round(rng.uniform(low, 3.0), 9 if seed else 3) for _ in range(8))]


@functools.cache
def function_scripts(operation, seed=0):
    """Return the Scripts of an operation with one input; the first comes again at the end."""
    rng, xs = random.Random(seed or 3), points(operation, seed)
    first, calls = of_one(operation, xs[0], 10.0), f"{operation}()"
    made = [first, *(of_one(operation, x, drawn_number(rng, 9)) for x in xs[1:])]
    made += [of_one(operation, x, u) for x, u in ((0.7654321, 1.2345679), (1.5, 0.0), (2.2, 1.5e4))]
    arrived = (xs[0], 3.0, 5.0), (xs[1], 4.0, 2.0), (xs[2], -2.5, -1.5)
    made += [of_one(operation, x, u, f"a.grad = {grad}\n") for x, u, grad in arrived]
    made += [Script(f'a = Value(2.5, label="a")\nout = a.{calls}')]
    made += [Script(f"a = Value(2.0)\nout = a.{calls}", f"a.grad = 5.0\nagain = a.{calls}")]
    makes = f"x = Value(2.5)\na = x.{calls}\nout = a.{calls}"
    made += [Script(makes, "a.grad = 3.0\nout.grad = 10.0\nout._backward()")]
    made += [Script(makes, "out.grad = 10.0\nout._backward()\na._backward()")]
    makes = f"a = Value(1.5)\np = a.{calls}\nq = a.{calls}"
    made += [Script(makes, "q.grad = 5.0\nq._backward()\np.grad = -7.0\np._backward()")]
    return (*made, first)


right = functools.cache(functools.partial(looked_at, Engine))


def returned(Value, name, nodes, what):
    """Return what a node is: NEW, "a itself", or another kind of thing. Raise NotAttempted if there is none."""
    node = answer(nodes[name], what, object)
    earlier = itertools.takewhile(lambda other: other != name, nodes)
    if (known := next((other for other in earlier if nodes[other] is node), None)) is not None:
        return f"{known} itself"
    return NEW if isinstance(node, Value) else stranger(node)


def recorded(Value, nodes):
    """Return {what: plain data} of all that nodes keep except their gradients."""
    names = {id(node): name for name, node in nodes.items()}
    every = Value(0.0)._backward.__code__

    def input_of(thing):
        return names.get(id(thing)) or (to_plain_data(thing.data) if isinstance(thing, Value) else kind(thing))

    found = {}
    for name, node in nodes.items():
        prev, rule = node._prev, node._backward
        found[f"{name}.data"] = to_plain_data(node.data)
        found[f"{name}._prev"] = in_brackets(map(input_of, prev)) if isinstance(prev, tuple | list) else kind(prev)
        found[f"{name}._op"], found[f"{name}.label"] = (repr(each) for each in (node._op, node.label))
        is_shut = node._op == "relu" and node.data == 0  # an empty rule is right there
        is_own = OWN if is_shut or getattr(rule, "__code__", None) is not every else EVERY
        found[f"{name}._backward"] = is_own if callable(rule) else kind(rule)
    return found


def in_brackets(inputs):
    first, *rest = [*map(str, inputs)] or [""]
    return f"({', '.join([first, *rest])}{'' if rest or not first else ','})"


def rule_tests(Value, sign, seed=0):
    """Yield the tests of the rule of `a sign b` in a learner's class: each contribution must be added."""
    for script in scripts(sign, seed):
        yield compared(sign, script, looked_at(Value, script), right(script))


def function_tests(Value, operation, seed=0):
    """Yield the tests of an operation with one input in a learner's class; relu at 0 may pass all or none.

    Each contribution must be added to what is there: no later exercise tests that.
    """
    for script in function_scripts(operation, seed):
        found, expected = looked_at(Value, script), right(script)
        if (
            operation == "relu"
            and expected["a.data"] == 0
            and equal_results(found.get("a.grad"), found.get("out.grad"))
        ):
            found |= {"a.grad": expected["a.grad"]}
        yield compared(operation, script, found, expected)


def both_rules(Value, seed=0):
    """Yield the tests of + and, if all of these are right, those of *."""
    tests = {sign: tuple(rule_tests(each, sign, seed) for each in (Value, Engine)) for sign in "+*"}
    yield from in_turn(tests, one_of_two)


def one_of_two(done, missing):
    """Return the sentence for methods that are not written yet."""
    methods = {"+": "`__add__`", "*": "`__mul__`"}
    if done:
        return f"{methods[done[0]]} is right. {methods[missing[0]]} is not written yet, or returns nothing."
    return "Neither method returns a node yet: it is not written, or a `return` is missing."


SAYS = {  # {the end of the first wrong thing's name: what to say}
    ".data": "The number is wrong.",
    "._prev": "`_prev` of the new node is not the tuple of its inputs in order.",
    "._op": "`_op` of the new node is wrong.",
    ".label": "A label is wrong.",
    "._backward": "A node has the wrong rule, even before any gradient arrives.",
    ".grad at first": "A grad is not 0 although no rule has run yet.",
    ".grad": "The rule of {} leaves a wrong gradient here.",
    CHANGED: "The rule of {} changes more than gradients.",
}


def compared(sign, script, found, expected):
    """Return the TestResult of a Script. Its rows are the gradients, and everything that is wrong."""
    off = [what for what, got in found.items() if differ(got, expected[what])]
    ends = (words for end, words in SAYS.items() if off and off[0].endswith(end))
    says = next(ends, "An operation should make a new Value.")
    if off and off[0].endswith("._prev") and has_digit(found[off[0]]) and not has_digit(expected[off[0]]):
        says = "The number is right, but it was made in several steps. Make one node, straight from the input."
    rows = [(what, expected[what], got) for what, got in found.items() if what in off or what.endswith(".grad")]
    because = visible(script, found) if off else ()
    return make_result(says.format(sign), *rows, case=script.to_source(), graph=script.graph, because=because)


def has_digit(text):
    return any(map(str.isdigit, text))


def differ(one, other):
    """Return whether two pieces of plain data differ; quick if they do not."""
    return one != other and not equal_results(one, other)


def visible(script, found):
    """Name a mistake that shows whatever the numbers are; () if none does."""
    results = script.results()
    rules = {found.get(f"{name}._backward") for name in results}
    if any(found[name] == f"{each} itself" for name, operation in results.items() for each in operation):
        return "an input is returned"
    if any(found[name] == ANOTHER for name in results):
        return "a Value of another engine"
    if EVERY in rules:
        leaves = [name for name in found if name.endswith("._backward") and name.split(".")[0] not in results]
        return "the rule is on an input" if any(found[name] == OWN for name in leaves) else "no rule on the new node"
    if any(name.endswith(".grad") and got == "a Value" for name, got in found.items()):
        return "a Value instead of its number"
    if ".data" in found.get(CHANGED, ""):
        return "data changed"
    if "out.grad" not in found or not differ(found["out.grad"], right(script)["out.grad"]):
        return ()
    inputs = [name for name in found if name.endswith(".grad") and name.split(".")[0] not in results]
    moved = any(differ(found[name], found[f"{name} at first"]) for name in inputs)
    return "out.grad changed" if moved else "the wrong way round"
