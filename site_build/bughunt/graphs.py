"""Graphs of the game, what each engine shows on them, and the suspects: the wrong engines and two that are right."""

import functools
import itertools
import re

from autograd.errors.messages import show
from autograd.operations import RUN
from exercises.engines.wrong_engines import HUNT, WRONG_ENGINES, Engine

NOTHING = "OK"  # the right engine
STALE = "STALE"  # the right engine, but the inputs' gradients are never set back to 0
WRONG = {wrong.id: wrong for wrong in (*WRONG_ENGINES, *HUNT)}
USUAL = range(-3, 5)  # the numbers that an input may have
LINE = re.compile(r"(\w+) = (?:(\w+)\((\w+)\)|(\S+) (\*\*|[-+*/]) (\S+))$")


@functools.cache
def short(x):
    """Return a number as the game shows it: as the course does, without trailing zeros."""
    text = show(x)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


@functools.cache
def engine(id):
    """Return the class of numbers of a suspect."""
    return WRONG[id].engine if id in WRONG else Engine


def seen(result):
    """Return what a player sees of a run: the gradients of all nodes."""
    return tuple(map(short, (grad for _, grad in result.values())))


class Graph:
    """Lines such as `c = a * b; d = exp(c)`. nodes: (name, operation or "", inputs), the root last.

    numbers: those that the inputs may have, as a list, or {input: list} if some differ from the usual ones.
    """

    def __init__(self, name, text, numbers=USUAL):
        self.name, self.text, self.nodes = name, text, []
        for line in text.split("; "):
            made, function, of, left, sign, right = LINE.match(line).groups()
            inputs = tuple(x if x.isidentifier() else float(x) for x in ((of,) if function else (left, right)))
            self.nodes += [(x, "", ()) for x in dict.fromkeys(inputs) if isinstance(x, str) and x not in self.names()]
            self.nodes.append((made, function or sign, inputs))
        self.leaves = sorted(name for name, op, _ in self.nodes if not op)
        self.root = self.nodes[-1][0]
        each = numbers if isinstance(numbers, dict) else dict.fromkeys(self.leaves, numbers)
        self.numbers = {leaf: [float(x) for x in each.get(leaf, USUAL)] for leaf in self.leaves}
        self.first_runs = {}

    def names(self):
        """Return the names of the nodes so far."""
        return {name for name, _, _ in self.nodes}

    def grid(self):
        """Return every choice of the inputs, as {input: number}."""
        return [dict(zip(self.leaves, xs)) for xs in itertools.product(*(self.numbers[x] for x in self.leaves))]

    def build(self, leaves):
        """Return the nodes by name, made from leaves by name."""
        nodes = dict(leaves)
        for name, op, inputs in self.nodes:
            if op:
                xs = [nodes[x] if isinstance(x, str) else x for x in inputs]
                nodes[name] = RUN[op](*xs)
        return nodes

    def run(self, id, at, before=None):
        """Return {node: (data, grad)} of a suspect at some inputs. before: gradients that the inputs already hold."""
        leaves = {name: engine(id)(at[name]) for name in self.leaves}
        for name in self.leaves if id == STALE and before else ():
            leaves[name].grad = before[name]
        nodes = self.build(leaves)
        nodes[self.root].backward()
        return {name: (nodes[name].data, nodes[name].grad) for name, _, _ in self.nodes}

    def shown(self, id, at):
        """Return what a player sees of a suspect's first run, which is computed once."""
        key = (engine(id), *at.values())
        if key not in self.first_runs:
            self.first_runs[key] = seen(self.run(id, at))
        return self.first_runs[key]

    def runs(self, id, ats):
        """Return the results of a suspect's successive runs."""
        before, results = None, []
        for at in ats:
            results.append(self.run(id, at, before))
            before = {name: results[-1][name][1] for name in self.leaves}
        return results
