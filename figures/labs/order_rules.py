"""The orders of the order lab, right and wrong, and the backward pass in each of them."""

from collections import deque
from dataclasses import dataclass, field

from figures.graph.stage import consumers_of
from figures.graph.sums import count_paths

OWN = "your own: click the nodes"
PARTS = "recursion, a part at a time"  # a node passes on only what has just arrived, not its grad
MOST = 120  # the most visits of naive recursion that can be stepped through


# The orders: each returns the nodes with inputs as they pass their gradients on. A leaf passes none on.


def naive_recursion(nodes):
    """Return the root, then the same for each of its inputs, with no memory of visited nodes."""
    visits = sum(count for count, node in zip(count_paths(nodes), nodes) if node.inputs)
    if visits > MOST:
        raise ValueError(
            f"Recursion would take {visits:,} turns, one for each path from the root; more than {MOST} cannot be "
            "shown. Choose another order."
        )
    order, stack = [], [len(nodes) - 1]
    while stack:
        i = stack.pop()
        if nodes[i].inputs:
            order.append(i)
            stack.extend(reversed(nodes[i].inputs))
    return order


def pre_order(nodes):
    """Return the nodes depth first, each when it is first met."""
    order, visited, stack = [], set(), [len(nodes) - 1]
    while stack:
        i = stack.pop()
        if i not in visited:
            visited.add(i)
            if nodes[i].inputs:
                order.append(i)
            stack.extend(reversed(nodes[i].inputs))
    return order


def breadth_first(nodes):
    """Return the root, then its inputs, then theirs: each node when it is first met."""
    order, visited, queue = [], {len(nodes) - 1}, deque([len(nodes) - 1])
    while queue:
        i = queue.popleft()
        if nodes[i].inputs:
            order.append(i)
        for input in nodes[i].inputs:
            if input not in visited:
                visited.add(input)
                queue.append(input)
    return order


def post_order(nodes):
    """Return the nodes depth first, each after its inputs: the topological order itself, from its start."""
    return [i for i, node in enumerate(nodes) if node.inputs]


def reverse_topological(nodes):
    """Return the topological order from its end: each node after all of its consumers."""
    return post_order(nodes)[::-1]


ORDERS = {
    "naive recursion": naive_recursion,
    "depth-first pre-order": pre_order,
    "breadth-first": breadth_first,
    "post-order, not reversed": post_order,
    "reverse topological": reverse_topological,
    PARTS: naive_recursion,
    OWN: None,
}


def first_broken(nodes, order):
    """Return the first dependency that an order of nodes breaks, as (node, consumer): the node comes first.

    None if every node comes after all of its consumers. `order` may leave nodes out; they count as last.
    """
    done, consumers = set(), consumers_of(nodes)
    for node in order:
        for consumer, _ in consumers[node]:
            if consumer not in done:
                return node, consumer
        done.add(node)
    return None


@dataclass
class Visit:
    """One node's turn: what it reads, what it passes on, and the state of the graph at that moment."""

    node: int
    grad: float  # that it reads
    missing: tuple  # consumers that have not passed anything on yet
    again: bool  # it has had a turn before, and now passes on the same once more
    part: bool = False  # it passes on what has just arrived, and nothing else
    given: list = field(default_factory=list)  # (edge, input, local, contribution)
    late: tuple = ()  # inputs that had their last turn already: what they get is lost
    grads: tuple = ()  # of all nodes, after it; None if nothing was written


def run(nodes, order, part=False):
    """Run the backward pass with the nodes in this order, and return the list of Visits.

    Each node adds local × its grad to its inputs.
    part: in place of its grad, a node passes on what its consumer has just given it; the order is naive_recursion's.
    """
    grads, done, visits = [None] * len(nodes), set(), []
    grads[-1], given = 1.0, {len(nodes) - 1: [1.0]}  # given: what a node was given and has not passed on, newest last
    consumers, last = consumers_of(nodes), {node: turn for turn, node in enumerate(order)}
    for turn, i in enumerate(order):
        grads[i] = grads[i] or 0.0
        missing = dict.fromkeys(consumer for consumer, _ in consumers[i] if consumer not in done and not part)
        amount = given[i].pop() if part else grads[i]
        visit = Visit(i, amount, tuple(missing), i in done and not part, part)
        for edge, (input, local) in enumerate(zip(nodes[i].inputs, nodes[i].locals)):
            contribution = local * amount
            visit.given.append((edge, input, local, contribution))
            grads[input] = (grads[input] or 0.0) + contribution
        for _, input, _, contribution in reversed(visit.given):  # the first edge's contribution is passed on first
            given.setdefault(input, []).append(contribution)
        if not part:
            visit.late = tuple(dict.fromkeys(input for input in nodes[i].inputs if last.get(input, turn) < turn))
        visit.grads = tuple(grads)
        done.add(i)
        visits.append(visit)
    return visits


def run_in(nodes, choice):
    """Run the pass in an order by name; raise ValueError if it has too many turns."""
    return run(nodes, ORDERS[choice](nodes), choice == PARTS)


def truth(nodes):
    """Return the gradients of a right order: None for a node that gets no gradient."""
    visits = run_in(nodes, "reverse topological")
    return visits[-1].grads if visits else (1.0,)
