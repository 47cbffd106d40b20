"""The check of `accumulate`: the grads in every node after passes over one graph, and from roots that share nodes."""

import functools
import itertools
import random
import string
import sys
from dataclasses import dataclass

from autograd import Value
from autograd.dual import Dual
from exercises.judging.answers import engine_tests
from exercises.judging.vocabulary import (
    OPERATIONS,
    AnswerError,
    Case,
    NotAttempted,
    all_right,
    any_value,
    cases,
    equal_results,
    function_exercise,
    has,
    is_unwritten,
    make_result,
    number_of,
    to_plain_data,
    trying,
)

KINDS = "+", "*", "**", "v+n", "n*v", "tanh"
COURSES = "<the course's accumulate>"  # the file name of the course's own answer
BY_HAND = (
    Case((("w", 1.0),), (("d", "*", (3.0, "w")), ("e", "*", (5.0, "w")))),  # two mini-batches
    Case((("a", 1.5),), (("d", "*", ("a", "a")),)),
    Case((("a", 0.5), ("b", 2.0)), (("d", "*", ("a", "b")), ("e", "**", ("d", 2)), ("f", "+", ("e", "a")))),
)
ONE, TWO, THREE = "one pass over a fresh graph", "two passes over one graph", "three passes over one graph"
SHARED, CLEARED = "passes from two roots that share nodes", "two passes, with the leaves set to 0 between them"
OLD = "one pass over nodes that hold old gradients"


@dataclass(frozen=True)
class Passes:
    """The acts on the graph of a Case, with a description in words.

    acts: names of roots, from each of which a backward pass runs; and dicts {name: the grad to set}.
    """

    words: str
    case: Case
    acts: tuple

    @functools.cached_property
    def source(self):
        acts = (assigned(act) if isinstance(act, dict) else f"{act}.backward()" for act in self.acts)
        return "\n".join([self.case.to_source(), *acts])

    @functools.cached_property
    def right(self):
        """The right {name: grad}: a leaf's is the sum over all passes, any other node's that of its last pass."""
        leaves, grads = dict(self.case.leaves), dict.fromkeys(names_of(self.case), 0.0)
        for act in self.acts:
            if isinstance(act, dict):
                grads |= act
            else:
                grads |= {name: s + (name in leaves) * grads[name] for name, s in slopes(self.case, act).items()}
        return grads

    def test(self, make):
        """Return the TestResult of these passes on nodes made by `make`."""
        what, nodes = "; ".join(self.source.splitlines()), self.case.run(make)
        turns, before = noted(nodes), describe_nodes(nodes)
        with trying(what):
            for act in self.acts:
                if isinstance(act, dict):
                    for name, grad in act.items():
                        nodes[name].grad = grad
                else:
                    nodes[act].backward()
            after = describe_nodes(nodes)
        grads = [(f"{name}.grad", grad, number_of(nodes[name], "grad", what)) for name, grad in self.right.items()]
        had = {name: list(grads) for name, grads in turns.items()}
        rest = [("the rest of the graph", before, after), ("gradients at the nodes' turns", {}, had, any_value)]
        graph = self.case.graph if len(nodes) < 20 else None
        return make_result(f"After {self.words} a gradient is wrong.", *grads, *rest, case=self.source, graph=graph)


def names_of(case):
    return [name for name, *_ in (*case.leaves, *case.steps)]


def assigned(grads):
    """Return a line of Python that sets these grads."""
    return f"{', '.join(f'{name}.grad' for name in grads)} = {', '.join(map(str, grads.values()))}"


@functools.cache
def slopes(case, root):
    """Return {name: ∂root/∂name} for the root and all named nodes that it depends on, by dual numbers."""
    wanted = {root}
    for name, _, operands in reversed(case.steps):
        wanted |= set(operands) if name in wanted else set()
    return {at: slope(case, root, at) for at in names_of(case) if at in wanted}


def slope(case, root, at):
    """Return ∂root/∂at for two named nodes of a case."""
    known = {name: Dual(number, float(name == at)) for name, number in case.leaves}
    for name, operation, operands in case.steps:
        made = OPERATIONS[operation](*(known.get(o, o) for o in operands))
        known[name] = Dual(made.value, 1.0) if name == at else made  # nudged by itself
    return known[root].derivative


def noted(nodes):
    """Make each node with inputs note its gradient whenever its rule is called, and return these notes, {name: []}."""
    turns = {name: [] for name, node in nodes.items() if node._prev}

    def turn(node, rule, grads):
        grads.append(node.grad)
        rule()

    for name, grads in turns.items():
        nodes[name]._backward = functools.partial(turn, nodes[name], nodes[name]._backward, grads)
    return turns


def describe_nodes(nodes):
    """Return {name: data, inputs, operation and label} of nodes; an input without a name appears as its number."""
    names = {id(node): name for name, node in nodes.items()}
    return {
        name: [node.data, [names.get(id(i), i.data) for i in node._prev], node._op, node.label]
        for name, node in nodes.items()
    }


@functools.cache
def at_random(seed=0):
    """Draw Cases in which every leaf has a gradient, and add a long chain."""
    drawn = cases(KINDS, 12 if seed else 20, seed or 7)
    steep = [case for case in drawn if all(abs(g) > 1e-3 for g in case.gradients().values())]
    steps = tuple((f"n{i}", *(("+", (f"n{i - 1}", "a")) if i % 3 else ("tanh", (f"n{i - 1}",)))) for i in range(1, 41))
    return (*steep[: 4 if seed else 9], Case((("a", 0.5), ("n0", 1.0)), steps))


def passes_of(case):
    root, half, names = case.root, case.steps[(len(case.steps) - 1) // 2][0], names_of(case)
    yield Passes(ONE, case, (root,))
    yield Passes(TWO, case, (root, root))
    if half != root:
        yield from (Passes(SHARED, case, (half, root)), Passes(SHARED, case, (root, half)))
    yield Passes(CLEARED, case, (root, {name: 0.0 for name, _ in case.leaves}, root))
    yield Passes(OLD, case, ({name: i % 5 - 1.5 for i, name in enumerate(names)}, root))
    yield Passes(THREE, case, (root, root, root))


LEAF_NOTE = "One note: `a.backward()` on a single leaf sets a.grad to 1 each time; PyTorch adds 1."


@function_exercise
def accumulate(backward, zero_grad, *, engine, seed):
    """Check passes over one graph and over losses that share nodes, and that zero_grad lets leaves start again."""
    root = engine.Value(2.0) * 3.0
    later = is_unwritten(zero_grad, [engine.Value(1.0)])
    if is_unwritten(root.backward):
        raise NotAttempted("" if later else "Still to write: `backward`.")
    if runs_the_courses(root.backward):
        raise AnswerError("Tested: backward. It calls the course's own. The exercise is to write your own.")
    small, more = ((p.test(engine.Value) for c in some for p in passes_of(c)) for some in (BY_HAND, at_random(seed)))
    zeroed, rules = (
        () if later else zeroing(engine.Value, zero_grad, seed),
        engine_tests(engine.Value, count=8, seed=seed),
    )
    right = yield from all_right(itertools.chain(small, zeroed, more, rules))
    alone, note = leaf_alone(engine.Value)
    yield alone
    if later and right and alone.is_right:
        raise NotAttempted("`backward` is right. Still to write: `zero_grad`.")
    return f"Two passes double the leaves' gradients, three triple them, and losses that share nodes add up.{note}"


def runs_the_courses(function):
    """Return whether a call runs a backward pass that the course wrote, for this exercise or its package."""
    ran, before = set(), sys.getprofile()
    sys.setprofile(lambda frame, *_: ran.add(frame.f_code))
    try:
        is_unwritten(function)
    finally:
        sys.setprofile(before)
    return any(code is Value.backward.__code__ or code.co_filename == COURSES for code in ran)


def leaf_alone(make):
    """Return the TestResult of two passes from a leaf, and the note that is due if each sets its grad to 1."""
    leaf, text = make(2.0), "a = Value(2.0)\na.backward()\na.backward()"
    with trying("; ".join(text.splitlines())):
        leaf.backward()
        leaf.backward()
    left = number_of(leaf, "grad", "a leaf alone")
    row = ("a.grad", 2.0, 2.0 if equal_results(left, 1.0) else left)
    return make_result("A leaf can be the root too.", row, case=text), "" if equal_results(
        left, 2.0
    ) else f" {LEAF_NOTE}"


GRADS = (2.0, -3.0, 4.0), (2,), (0.5, 0, -1.0, 1, 1e-7, 2.0, 7.0), (), (2.0, -3.0, 4.0)


def zeroing(make, zero_grad, seed=0):
    """Yield the tests of a zero_grad: on few and many leaves, with large and small gradients."""
    rng = random.Random(f"zero_grad {seed}")
    drawn = [[rng.choice((-1, 1)) * rng.uniform(0, 9) for _ in range(n)] for n in (1, 3, 12, 26)]
    for grads in drawn if seed else GRADS:
        names = string.ascii_lowercase[: len(grads)]
        leaves = [make(1.5 + i, label=name) for i, name in enumerate(names)]
        for leaf, grad in zip(leaves, grads):
            leaf.grad = grad
        given, call = list(leaves), f"zero_grad([{', '.join(names)}])"
        with trying(call):
            zero_grad(given)
        now = [to_plain_data(leaf.grad) if has(leaf, "grad") else "none at all" for leaf in leaves]
        known = dict(zip(map(id, leaves), names))
        rows = [(f"{name}.grad", 0.0, grad) for name, grad in zip(names, now)]
        rows += [
            (f"{name}.data", 1.5 + i, to_plain_data(leaf.data)) for i, (name, leaf) in enumerate(zip(names, leaves))
        ]
        rows.append(("labels", list(names), [leaf.label for leaf in leaves]))
        rows.append(("the list", list(names), [known.get(id(thing), type(thing).__name__) for thing in given]))
        text = "\n".join([*([assigned(dict(zip(names, grads)))] if grads else []), call])
        yield make_result("`zero_grad` is not right yet.", *rows, case=text)
    a, b = make(2.0), make(5.0)
    text = "a, b = Value(2.0), Value(5.0)\nd, ps = a * b, [a]\nfor _ in range(3):\n    zero_grad(ps)\n    d.backward()"
    with trying("; ".join(text.splitlines())):
        d, ps = a * b, [a]
        for _ in range(3):
            zero_grad(ps)
            d.backward()
    rows = [("a.grad", 5.0, to_plain_data(a.grad)), ("b.grad", 6.0, to_plain_data(b.grad))]
    yield make_result(
        "Both together are not right yet: the leaves in the list should start from 0 again, and no others.",
        *rows,
        case=text,
    )
