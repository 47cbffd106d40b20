"""The check of `sigmoid`: its number, and the input's grad after the rules of its steps."""

import math

from autograd import topological_order
from exercises.judging.vocabulary import (
    all_right,
    answer,
    make_result,
    method_exercise,
    stranger,
    to_plain_data,
    trying,
)
from exercises.tasks.shared.rules_seen import points

OWN_RULE = " It has its own rule, which is right too; built from exp, it needs none."


@method_exercise
def sigmoid(Sigmoid, *, engine, seed):
    """Write `z.sigmoid()` with existing operations: the number, and a gradient from their rules."""
    grads = (1.0, 0.0), (-2.5, 3.0)
    are_right = yield from all_right(tested(engine.Value, z, *two) for z in points("sigmoid", seed) for two in grads)
    is_one_node = are_right and len(topological_order(engine.Value(0.5).sigmoid())) == 2
    right = "The number is right, and so is the gradient: σ(1 - σ) times what arrived."
    return right + OWN_RULE * is_one_node


def tested(Value, z, upstream, before):
    """Return what is seen of the sigmoid at z, after a backward pass to an input whose grad is `before`."""
    lines = [f"z = Value({z})", "out = z.sigmoid()"]
    held = [f"z.grad = {before}"] if before else []
    case = "\n".join([*lines, *held, f"out.grad = {upstream}", "# then every node's rule, that of out first"])
    y, leaf = 1 / (1 + math.exp(-z)), Value(z)
    with trying("; ".join(lines)):
        out = answer(leaf.sigmoid(), "; ".join(lines), object)
    if not isinstance(out, Value) or out is leaf:
        got = "z itself" if out is leaf else stranger(out)
        return make_result("The result should be a new Value.", ("out", "a new Value", got), case=case)
    with trying(f"{'; '.join(lines)}; then the rules"):
        order = topological_order(out)
        leaf.grad, out.grad = before, upstream
        for node in reversed(order):
            node._backward()
    rows = [
        ("out.data", y, to_plain_data(out.data)),
        ("z.grad", before + y * (1 - y) * upstream, to_plain_data(leaf.grad)),
    ]
    rows += [("z.data afterwards", float(z), to_plain_data(leaf.data))]
    says = "The number is right, but the gradient that reaches z is wrong."
    if leaf not in order:
        says = "The number is right, but the result's inputs do not lead back to z, so nothing reaches z.grad."
    if not make_result("", rows[0]).is_right:
        says = "The number is wrong."
    return make_result(says, *rows, case=case)
