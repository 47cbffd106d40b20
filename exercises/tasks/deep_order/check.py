"""The check of `deep_order`: the same lists, and one of a line so long that no call may stay open for each node."""

import math

from exercises.engine_file import parts
from exercises.judging.vocabulary import AnswerError, all_right, exercise, make_result, names_read, needs_functions
from exercises.sandbox.isolation import code_objects
from exercises.tasks.shared.orders import (
    LIMIT,
    call_for_list,
    faults,
    line_of,
    looks_on_ladder,
    order_tests,
    row,
    slow,
    watched,
)

SHORT = 40, 80  # additions in the lines on which the work of a search is counted
LONG = 5000  # additions in the line that an order without recursion must manage
WORK = 250_000  # looks that a search may take on a line; the line is shortened if it would take more


@exercise(work=150)
def deep_order(deep_order, *, engine, seed):
    """Order the same graphs, and a line so long that no call may wait for another."""
    needs_functions(deep_order=deep_order)
    writes_it_anew(deep_order)
    if not (yield from all_right(order_tests(deep_order, engine.Value, seed))):
        return None
    (few, open_before), (many, open_now) = (work_on(deep_order, engine.Value, length) for length in SHORT)
    if open_now - open_before > (SHORT[1] - SHORT[0]) / 2:
        yield recursive(deep_order, line_of(engine.Value, LONG))
    growth = max(1, math.log2(many / few))  # the work grows as the length to this power
    length = min(LONG, int(SHORT[1] * max(1, WORK / many) ** (1 / growth)))
    graph = line_of(engine.Value, length)
    wrong = faults(call_for_list(deep_order, graph.root, f"{length:,} additions in a row"), graph)
    yield make_result(
        "It is right for small graphs, but not for this one.", row("mistakes in the list", wrong), case=graph.text
    )
    if paths := slow(looks_on_ladder(deep_order, engine.Value)):
        return paths
    if growth > 1.5:
        return (
            f"Right, but slow: it looks at nodes {few:,} times for {SHORT[0]} additions, {many:,} times for "
            f"{SHORT[1]}. A set answers at once whether a node is in it, and one visit of each node is enough."
        )
    return f"{length:,} additions in a row are in order, with Python's limit on nested calls at {LIMIT:,}."


def writes_it_anew(function):
    """Raise AnswerError if a function calls the one that it replaces in the engine, and so itself."""
    for code, names in code_objects(function):
        for name in ("inputs_first", "topological_order"):
            other = names.get(name)
            if name in names_read(code) and (other is function or not parts.is_defined_there(other, code)):
                said = f"It calls `{name}`. In the engine deep_order replaces that function, so it would call itself."
                raise AnswerError("Tested: deep_order.", f"{said} Write the search yourself.")


def work_on(function, Value, length):
    """Return (looks that a function takes at the nodes of a line, the most calls that are open at once)."""
    graph = line_of(Value, length)
    work = watched(graph.nodes, comparisons=True, calls=True)
    call_for_list(function, graph.root, f"{length} additions in a row")
    return max(work["looks"], 1), work["calls"]


def ends(function, root, length):
    """Return whether a function ends for so many additions in a row, at Python's usual limit on nested calls."""
    try:
        return call_for_list(function, root, f"{length:,} additions in a row") is not None
    except AnswerError as error:
        if "RecursionError" not in error.kind:
            raise
        return False


def recursive(function, graph):
    """Return the TestResult of a function that has a call open for each addition in a row."""
    work = watched(graph.nodes)
    if ends(function, graph.root, LONG):
        says = "It has an open call for each addition in this row, more than Python's limit on nested calls allows."
        limit = ("the limit, meanwhile", f"{LIMIT:,}", f"{work['limit']:,}")
        return make_result(says, limit, case=graph.text, because="a higher limit on nested calls")
    longest, fails = deepest(function, graph)
    says = f"It is right for small graphs. It manages {longest:,} additions in a row here, but fails at {fails:,}."
    return make_result(says, ("for this row", "a list", "RecursionError"), case=graph.text, because="recursion")


def deepest(function, graph):
    """Return how many additions in a row a recursive function manages at Python's usual limit, and one more."""
    low, high = 0, LONG
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if ends(function, graph.named[f"total {middle}"], middle) else (low, middle)
    return low, high
