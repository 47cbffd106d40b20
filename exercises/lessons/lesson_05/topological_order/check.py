"""The check of `topological_order`."""

from exercises.judging.answers import needs_functions
from exercises.judging.grading import exercise
from exercises.lessons.lesson_05.shared import LADDER, all_right, ladder, listed, order_tests, slow, watched


@exercise
def topological_order(inputs_first, *, engine, seed):
    """Any valid order of the nodes of random graphs passes, found in any way."""
    needs_functions(inputs_first=inputs_first)
    if not (yield from all_right(order_tests(inputs_first, engine.Value, seed))):
        return None
    nodes = ladder(engine.Value)
    work = watched(nodes, comparisons=True)
    listed(inputs_first, nodes[-1], LADDER)
    return slow(work["looks"]) or (
        "Every node once, after its inputs, the root last. Most of these graphs have several right orders, and any of "
        "them would have passed."
    )
