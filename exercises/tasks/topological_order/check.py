"""The check of `topological_order`: lists of random graphs' nodes, and whether listing changes anything."""

from exercises.judging.vocabulary import all_right, function_exercise
from exercises.tasks.shared.orders import looks_on_ladder, order_tests, slow


@function_exercise
def topological_order(inputs_first, *, engine, seed):
    """List the nodes of random graphs; any valid order passes, found in any way."""
    if not (yield from all_right(order_tests(inputs_first, engine.Value, seed))):
        return None
    return slow(looks_on_ladder(inputs_first, engine.Value)) or (
        "Every node appears once, after its inputs, and the root comes last. Most of these graphs have several right "
        "orders, and any of them would have passed."
    )
