"""Simulate an engine on a recorded graph, with mistakes switched on, alone or together.

A state is {switch: value}; {} is the right engine. A switch is (operation, "slope", "write", "upstream", "numbers" or
"place") for a rule, and (what,) for a whole backward pass, as `rules.toml` in exercises/engines lists them.
"""

import collections
import functools
import math
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from exercises import engines
from exercises.explaining.recording import SIGNS
from exercises.verdicts.cases import FLOATS

TABLES = tomllib.loads(Path(engines.__file__).with_name("rules.toml").read_text(encoding="utf-8"))
USABLE = {"math": math, "plain": lambda operand: type(operand) is Plain}
BINARY = {*SIGNS.values(), "v**v"}
RULES = {  # for each operation, the functions that give its local derivatives
    sign: [eval(f"lambda {'a' if sign in BINARY else 'x'}, b, y, u: ({text},)", USABLE) for text in texts]
    for sign, texts in TABLES["slopes"].items()
}
LONGEST = 4000  # rules that run in one backward pass
CLOSE = 1e-7


class Plain(float):
    """A plain number that was an operand."""


@dataclass(frozen=True, eq=False)
class Tape:
    """An engine's graph, its nodes numbered in the order in which they were made, and the gradients that it gave.

    made: {node: (operation, operands)}, an operand a node or a Plain number. inputs: {node: the inputs it keeps}.
    grads: those of the leaves, and of the root if it has one.
    """

    data: dict
    made: dict
    inputs: dict
    leaves: tuple
    root: int
    grads: tuple = ()

    def before(self, node):
        """Return all nodes from which a node can be reached along the inputs that nodes keep."""
        found = [*self.inputs.get(node, ())]
        for each in found:
            found += [one for one in self.inputs.get(each, ()) if one not in found]
        return {*found}

    def renamed(self, others):
        """Return the Tape with other names for operations."""
        made = {node: (others.get(sign, sign), operands) for node, (sign, operands) in self.made.items()}
        return replace(self, made=made)

    @classmethod
    def from_record(cls, record):
        """Return the Tape of what `recording.record` gives."""
        taped, last = record["tape"], record.get("root")
        data = {i: Plain(x) if i in taped["plain"] else float(x) for i, x in enumerate(taped["data"])}
        made = {
            node: (sign, tuple(Plain(o[0]) if isinstance(o, list) else o for o in operands))
            for node, sign, operands in taped["made"]
        }
        grads = (*record.get("grads", ()), *([] if last is None else [last]))
        return cls(data, made, dict(taped["inputs"]), tuple(taped["leaves"]), taped["root"], grads)

    @classmethod
    def of_case(cls, case):
        """Return the Tape of a Case on the right engine, without gradients."""
        values = case.compute([number for _, number in case.leaves], FLOATS)
        place = {name: i for i, name in enumerate(values)}
        made = {
            place[name]: (sign, tuple(place[o] if isinstance(o, str) else Plain(o) for o in operands))
            for name, sign, operands in case.steps
        }
        inputs = {node: [o for o in operands if type(o) is int] for node, (_, operands) in made.items()}
        data = {place[name]: float(x) for name, x in values.items()}
        return cls(data, made, inputs, tuple(range(len(case.leaves))), place[case.root])


@functools.lru_cache(maxsize=4096)
def sequence(tape, order="", turned=False, by_number=False):
    """Return the nodes of a Tape in the order in which their rules run.

    turned: whether a node's inputs are visited last to first; "tape" if the rules run from the last one made; "ready"
    if a rule runs as soon as all consumers of its node have run theirs.
    """
    if order == "root-only":
        return [tape.root]
    if turned == "tape" and not order:
        return sorted(tape.made, reverse=True)
    if turned == "ready" and not order:
        return by_uses(tape)
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


def by_uses(tape):
    """Return the nodes of a Tape, each after all its uses are counted off, the latest first."""
    reached, found, ready = {tape.root: None}, [], [tape.root]
    for node in (waiting := [tape.root]):
        new = dict.fromkeys(each for each in tape.inputs.get(node, ()) if each not in reached)
        reached |= new
        waiting += new
    left = collections.Counter(each for node in reached for each in tape.inputs.get(node, ()))
    while ready:
        found.append(ready.pop())
        for each in tape.inputs.get(found[-1], ()):
            left[each] -= 1
            ready += [each] if not left[each] else []
    return found


def simulated(tape, state, turned=False):
    """Return the gradients of the leaves and the root that an engine with these mistakes gives for a Tape."""
    grads, runs = dict.fromkeys(tape.data, 0.0), {}
    if ("carried",) in state:
        carry(tape, state, grads, tape.root, 1.0, set())
        return [grads[leaf] for leaf in tape.leaves] + [grads[tape.root]]
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


def carry(tape, state, grads, node, upstream, seen):
    """Pass a gradient along each path from a node, as a recursion with an argument does."""
    how = state["carried",]
    if how == "once" and node in seen:
        return
    seen.add(node)
    grads[node] = upstream if how == "assign" else grads[node] + upstream
    for operand, contribution in shares(tape, node, state, grads[node] if how == "sum" else upstream):
        carry(tape, state, grads, operand, contribution, seen)


def shares(tape, node, state, upstream):
    """Return (input, local × upstream) for each input of a node, with the local derivatives of a state."""
    sign, operands = tape.made.get(node, ("", ()))
    a, b = [*(tape.data[o] if type(o) is int else o for o in operands), None, None][:2]
    slopes = RULES[sign][state.get((sign, "slope"), 0)](a, b, tape.data[node], upstream) if sign else ()
    return [(o, slope * upstream) for o, slope in zip(operands, slopes) if type(o) is int]


def run(tape, node, state, grads):
    """Let the rule of a node add to the gradients, with the mistakes of a state."""
    sign, operands = tape.made[node]
    write, upstream = state.get((sign, "write")), state.get((sign, "upstream"))
    a, b = [*(tape.data[o] if type(o) is int else o for o in operands), None][:2]
    if sign == "relu" and a <= 0 and ("closed-relu",) in state:
        grads[operands[0]] = 0.0
        return
    rule, numbers = RULES[sign][state.get((sign, "slope"), 0)], state.get((sign, "numbers"))
    slopes = rule(a, b, tape.data[node], grads[node])
    if ("cleared",) in state:
        grads |= dict.fromkeys((o for o in operands if type(o) is int), 0.0)
    same = state.get(("same",)) if len(operands) == 2 and operands[0] == operands[1] else None
    for i, (operand, slope) in enumerate(zip(operands, slopes[-1:] * 2 if same == "last" else slopes)):
        if type(operand) is int and not (same == "once" and i):
            if numbers in ("grads", i):
                slope = rule(*(grads[o] if type(o) is int else 0.0 for o in operands), 0.0, 0.0)[i]
            above = 1.0 if upstream in ("none", i) else grads[operand if upstream == "own" else node]
            grads[operand] = slope * above + (0.0 if write in ("both", i) else grads[operand])


def raises(tape, state):
    """Return the name of the exception that an engine with these mistakes raises on a Tape, "" if none."""
    try:
        simulated(tape, state)
    except (ArithmeticError, ValueError, TypeError) as fault:
        return type(fault).__name__
    return ""


def gives(tape, state, turned):
    """Return whether an engine with these mistakes gives the gradients of a Tape."""
    try:
        found = simulated(tape, state, turned)
    except (ArithmeticError, ValueError, KeyError, TypeError, RecursionError):
        return False
    return all(abs(one - other) <= CLOSE * max(1.0, abs(other)) for one, other in zip(found, tape.grads))
