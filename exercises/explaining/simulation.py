"""What an engine makes of a graph, and what it would give with mistakes switched on, alone or together.

A state is {switch: value}; {} is the right engine. A switch is (operation, "slope", "write", "upstream" or "place") for
a rule, and (what,) for a whole backward pass, as `rules.toml` in exercises/engines lists them.
"""

import math
import operator
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from autograd import operations
from exercises import engines

TABLES = tomllib.loads(Path(engines.__file__).with_name("rules.toml").read_text(encoding="utf-8"))
SIGNS = {"add": "+", "mul": "*", "sub": "-", "truediv": "/", "pow": "**"}
METHODS = {f"__{name}__": (sign, False) for name, sign in SIGNS.items()} | {"__neg__": ("neg", False)}
METHODS |= {name: (name, False) for name in operations.FUNCTIONS}
METHODS |= {f"__r{name}__": (sign, True) for name, sign in SIGNS.items()}
TURNED = {"-": operator.sub, "/": operator.truediv}
USABLE = {"math": math, "plain": lambda operand: type(operand) is Plain}
RULES = {  # for each operation, the functions that give its local derivatives
    sign: [eval(f"lambda {'a' if sign in SIGNS.values() else 'x'}, b, y, u: ({text},)", USABLE) for text in texts]
    for sign, texts in TABLES["slopes"].items()
}
LONGEST = 4000  # rules that run in one backward pass
CLOSE = 1e-7


class Plain(float):
    """A plain number that was an operand."""


@dataclass(frozen=True, eq=False)
class Tape:
    """What an engine made of a graph, its nodes numbered in the order of their making, and the gradients it gave.

    made: {node: (operation, operands)}, an operand a node or a Plain number. inputs: {node: the inputs it keeps}.
    grads: those of the leaves, and of the root if it has one.
    """

    data: dict
    made: dict
    inputs: dict
    leaves: tuple
    root: int
    grads: tuple = ()


def record(cls, case):
    """({name: node} of a Case computed by a class, its Tape without the gradients)."""
    codes, places, kept, made, calls = operators(cls), {}, [], {}, []

    def place(node):
        if id(node) not in places:
            places[id(node)] = len(kept)
            kept.append(node)  # so that no other node gets its id
        return places[id(node)]

    def watch(frame, event, returned):
        if frame.f_code in codes and event == "call":
            calls.append([frame.f_locals.get(name) for name in frame.f_code.co_varnames[: frame.f_code.co_argcount]])
        elif frame.f_code in codes and event == "return" and calls:
            operands = calls.pop()
            if isinstance(returned, cls) and id(returned) not in places:
                sign, reflected = codes[frame.f_code]
                numbers = [float(getattr(each, "data", each)) for each in operands]
                found = [place(each) if isinstance(each, cls) else Plain(each) for each in operands]
                as_is = sign in TURNED and returned.data == TURNED[sign](*numbers)  # as it was computed, right or wrong
                made[place(returned)] = sign, tuple(found[::-1] if reflected and not as_is else found)

    leaves, before = [cls(number) for _, number in case.leaves], sys.getprofile()
    first = tuple(map(place, leaves))
    sys.setprofile(watch)
    try:
        nodes = case.compute(leaves)
    finally:
        sys.setprofile(before)
    root = place(nodes[case.root])
    container = next(filter(None, (container_of(kept[node], cls) for node in made)), None)
    inputs = {node: [o for o in operands if type(o) is int] for node, (_, operands) in made.items()}
    for node, (sign, operands) in list(made.items()) if container else ():
        inputs[node] = [place(each) for each in getattr(kept[node], container)]
        pairs = [*zip(operands, inputs[node])] if len(operands) == len(inputs[node]) else []
        if pairs and all(one == other or (type(one) is Plain and one == kept[other].data) for one, other in pairs):
            made[node] = sign, tuple(inputs[node])  # with the nodes that stand for plain numbers
    kinds = [float if i in made or i in first else Plain for i in range(len(kept))]
    return nodes, Tape({i: kinds[i](node.data) for i, node in enumerate(kept)}, made, inputs, first, root)


def operators(cls):
    """{the code of a method: (operation, whether its operands come in the other order)}."""
    found = {}
    for name, meaning in METHODS.items():
        if (code := getattr(getattr(cls, name, None), "__code__", None)) is not None:
            found.setdefault(code, meaning)
    return found


def container_of(node, cls):
    """The name of the attribute in which a node keeps its inputs; None if there is none."""
    slots = [name for each in type(node).__mro__ for name in vars(each).get("__slots__", ())]
    for name in (*getattr(node, "__dict__", ()), *slots):
        value = getattr(node, name, None)
        if isinstance(value, tuple | list | set | frozenset) and value and all(isinstance(o, cls) for o in value):
            return name
    return None


def sequence(tape, order="", turned=False, by_number=False):
    """The nodes of a Tape in the order in which their rules run. turned: a node's inputs are visited last to first."""
    if order == "root-only":
        return [tape.root]
    found, seen, key = [], set(), tape.data.get if by_number else (lambda node: node)
    first, again = order.startswith(("pre-order", "recursive")), order in ("recursive", "recursive-set")

    def inputs(node):
        kept = tape.inputs.get(node, ())[::-1] if turned else tape.inputs.get(node, ())
        return kept[:1] if order == "first-input" else dict.fromkeys(kept) if order == "recursive-set" else kept

    def visit(node):
        is_new = again or key(node) not in seen
        if len(found) < LONGEST and (is_new or order == "each-time"):
            seen.add(key(node))
            found.extend([node] * first)
            for each in inputs(node) if is_new else ():
                visit(each)
            found.extend([node] * (not first))

    if order.startswith("breadth-first"):
        found.append(tape.root)
        seen.add(key(tape.root))
        for node in found:
            for each in inputs(node):
                if len(found) < LONGEST and (key(each) not in seen or order != "breadth-first"):
                    seen.add(key(each))
                    found.append(each)
        return found
    visit(tape.root)
    return found[: -1 if order == "root-left-out" else None][:: 1 if first or order == "leaves-first" else -1]


def simulated(tape, state, turned=False):
    """The gradients of the leaves and the root that an engine with these mistakes gives for a Tape."""
    grads, runs = dict.fromkeys(tape.data, 0.0), {}
    grads[tape.root] = {"0": 0.0, "number": tape.data[tape.root]}.get(state.get(("start",)), 1.0)
    for node, (sign, operands) in tape.made.items():
        where = state.get((sign, "place"))
        if where != "nowhere":
            runs[next((o for o in operands if type(o) is int), node) if where == "input" else node] = node
    for place in sequence(tape, state.get(("order",), ""), turned, ("visited",) in state):
        if ("zero",) in state and grads[place] == 0:
            break
        if place in runs:
            run(tape, runs[place], state, grads)
    return [grads[leaf] for leaf in tape.leaves] + [grads[tape.root]]


def run(tape, node, state, grads):
    """Let the rule of a node add to the gradients, with the mistakes of a state."""
    sign, operands = tape.made[node]
    write, upstream = state.get((sign, "write")), state.get((sign, "upstream"))
    a, b = [*(tape.data[o] if type(o) is int else o for o in operands), None][:2]
    if sign == "relu" and a <= 0 and ("closed-relu",) in state:
        grads[operands[0]] = 0.0
        return
    slopes = RULES[sign][state.get((sign, "slope"), 0)](a, b, tape.data[node], grads[node])
    same = state.get(("same",)) if len(operands) == 2 and operands[0] == operands[1] else None
    for i, (operand, slope) in enumerate(zip(operands, slopes[-1:] * 2 if same == "last" else slopes)):
        if type(operand) is int and not (same == "once" and i):
            above = 1.0 if upstream in ("none", i) else grads[operand if upstream == "own" else node]
            grads[operand] = slope * above + (0.0 if write in ("both", i) else grads[operand])


def gives(tape, state, turned):
    """Whether an engine with these mistakes gives the gradients of a Tape."""
    try:
        found = simulated(tape, state, turned)
    except (ArithmeticError, ValueError, KeyError, TypeError, RecursionError):
        return False
    return all(abs(one - other) <= CLOSE * max(1.0, abs(other)) for one, other in zip(found, tape.grads))
