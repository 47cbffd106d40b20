"""The check of `backward`: passes over random graphs, each built twice on the same leaves, against dual numbers."""

import functools
import math
from dataclasses import replace

from autograd import Value
from autograd import topological_order as right_order
from exercises.judging.vocabulary import (
    AnswerError,
    all_right,
    any_value,
    cases,
    equal_results,
    function_exercise,
    kind,
    make_result,
    trying,
)
from exercises.tasks.shared.orders import LADDER, LINE, changes, ladder, line_of, row, slow, state, watched


@functools.cache
def right_grads(case):
    """Return {name: ∂root/∂node} for a Case: for the leaves by dual numbers, for other nodes by autograd."""
    nodes = case.run(Value)
    nodes[case.root].backward()
    return {name: node.grad for name, node in nodes.items()} | case.gradients()


def pass_tests(Value, seed=0):
    """Yield the tests of backward(): on random graphs, on each built again on the same leaves, and on that again."""
    for case in cases(seed=seed):
        leaves = [Value(number) for _, number in case.leaves]
        one, two = case.compute(leaves), case.compute(leaves)
        nodes = list(dict.fromkeys((*right_order(one[case.root]), *right_order(two[case.root]))))
        watched(nodes)
        turns = counting_turns(one, two)
        text, *steps = case.to_source().splitlines()
        zero = " = ".join(f"{name}.grad" for name, _ in case.leaves) + " = 0.0"
        anew = "The first pass is right. The graph is then built again from the same leaves. "
        held = seed % 5 + 3.0  # the root's old grad, as after a pass of a larger graph
        again = (
            f"Two passes are right. All grads are then set to 0, the root's to {held:g}, and the pass is run again. "
        )
        zero_all = f"for node in topological_order({case.root}):\n    node.grad = 0.0\n{case.root}.grad = {held}"
        for says, graph, cleared, lines in (
            ("", one, [], steps),
            (anew, two, leaves, [zero, *steps]),
            (again, two, nodes, [zero_all]),
        ):
            for node in cleared:
                node.grad = 0.0
            if cleared is nodes:
                two[case.root].grad = held
            text = "\n".join([text, *lines, f"{case.root}.backward()"])
            test = pass_test(case, graph, text, turns)
            yield replace(test, says=f"{says}{test.says}")
    yield from plain_tests(Value)


def counting_turns(*graphs):
    """Return a dict that collects the grad with which each turn of a named node in one of the graphs began."""
    turns = {}

    def wrapped(rule, node, *key):
        def turn():
            turns.setdefault(key, []).append(vars(node).get("grad"))
            rule()

        return turn

    for i, nodes in enumerate(graphs):
        for name, node in nodes.items():
            if node._prev:
                node._backward = wrapped(node._backward, node, i, name)
    return turns


def pass_test(case, nodes, text, turns):
    """Return the TestResult of one backward pass from a Case's root, with all that it did."""
    root = nodes[case.root]
    turns.clear(), vars(root).pop("_was_one", None)
    rows = after_pass(nodes, right_grads(case), case.root, text)
    wrong = next((name for name, test in zip(nodes, rows) if not equal_results(test[2], test[1])), None)
    says = "The gradients of the leaves are right. That of {}, a node on the way, is not."
    if wrong is None:
        says = "The gradients are right. But the pass has changed more than gradients."
    elif wrong == case.root:
        says = "The gradients of the leaves are right. That of {}, the root, is not."
    elif wrong in dict(case.leaves):
        says = "A gradient is wrong for this expression."
    place = {key: i for i, key in enumerate(turns)}  # of each node's first turn
    edges = [((i, user), (i, name)) for i in (0, 1) for user, _, operands in case.steps for name in operands]
    early = [edge for edge in edges if place.get(edge[0], -1) > place.get(edge[1], math.inf)]
    return make_result(
        says.format(wrong),
        *rows,
        ("grads at the turns", "", [[*key, *turns[key]] for key in sorted(turns)], any_value),
        ("turns before a result's", "", early, any_value),
        ("whether the root's grad has been 1", "", vars(root).get("_was_one", False), any_value),
        case=text,
        graph=case.graph,
    )


def after_pass(nodes, right, root, text):
    """Run a backward pass from `root`; return the rows for the named nodes' grads and for anything else it changed."""
    named = [*nodes.values()]
    before, names, rows = state(named), {id(node): name for name, node in nodes.items()}, []
    with trying("; ".join(text.splitlines())):
        nodes[root].backward()
    for name, node in nodes.items():
        try:
            rows.append((f"{name}.grad", float(right[name]), node.grad.__float__()))
        except Exception:
            says = f"It should be a number; it is {kind(vars(node).get('grad'))}."
            raise AnswerError(f"Tested: {name}.grad.", says) from None
    return [*rows, row("changes in the nodes", changes(before, named, lambda node: names[id(node)]))]


def plain_tests(Value):
    """Yield the tests of a pass from a leaf by itself, and from the end of a line."""
    [own, kept] = after_pass({"x": Value(2.0)}, {"x": 1}, "x", "x = Value(2.0)")
    yield make_result("A leaf can be a root too.", own, kept, case="x = Value(2.0)\nx.backward()")
    text, nodes = (graph := line_of(Value, LINE)).text, graph.named
    x, *sums, kept = after_pass(nodes, dict.fromkeys(nodes, 1) | {"x": LINE + 1}, f"total {LINE}", text)
    totals = ("totals whose grad is right", LINE, sum(equal_results(got, expected) for _, expected, got in sums))
    yield make_result("This graph is a long line.", x, totals, kept, case=f"{text}\ntotal.backward()")


@function_exercise(work=150)
def backward(backward, *, engine, seed):
    """Check one pass on each of many fresh graphs of the course's engine, with `backward` in it."""
    if not (yield from all_right(pass_tests(engine.Value, seed))):
        return None
    nodes = ladder(engine.Value)
    work, turns = watched(nodes, comparisons=True), counting_turns(dict(enumerate(nodes)))
    with trying(LADDER):
        nodes[-1].backward()
    return slow(work["looks"] + sum(map(len, turns.values()))) or (
        "On random graphs every leaf's gradient equals the one from a second method. The gradients along the way "
        "are right too."
    )
