"""The forward and the backward pass as a sequence of `Step` records, for figures and for text."""

from dataclasses import dataclass

from autograd.errors import messages
from autograd.errors.messages import show
from autograd.errors.validation import policy
from autograd.operations import operation, row_of
from autograd.topo import topological_order


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a pass. Nodes are named by their place in the topological order.

    kind "value": a node gets its number. "seed": the root's gradient becomes 1. "chain": one edge is used backward,
    and `input`'s gradient goes from `before` to `after` by `contribution` = `local` × `upstream`.
    """

    kind: str
    node: int
    op: str
    name: str
    inputs: tuple = ()  # (name, value) of each input of the node
    edge: int | None = None  # place in the node's _prev: a + a has edges 0 and 1
    input: int | None = None  # the node at the far end of that edge
    local: float | None = None
    upstream: float | None = None
    contribution: float | None = None
    before: float | None = None
    after: float | None = None

    def sentence(self):
        """Return the step as one plain sentence with its numbers."""
        if self.kind == "value":
            symbols = expression(self.op, [name for name, _ in self.inputs])
            numbers = expression(self.op, [show(value) for _, value in self.inputs])
            return f"{self.name} = {symbols} = {numbers} = {show(self.after)}."
        if self.kind == "seed":
            was = f", on top of the {show(self.before)} of earlier passes" if self.after != 1 else ""
            return f"Start at the root: ∂{self.name}/∂{self.name} = 1, so {self.name}.grad = {show(self.after)}{was}."
        target, names = self.inputs[self.edge][0], [name for name, _ in self.inputs]
        which = f" (edge {self.edge + 1} of {len(names)})" if names.count(target) > 1 else ""
        return (
            f"From {self.name} back to {target}{which}: local derivative {show(self.local)} times upstream gradient "
            f"{show(self.upstream)} contributes {show(self.contribution)}, "
            f"so {target}.grad goes from {show(self.before)} to {show(self.after)}."
        )


def forward_steps(root):
    """Yield the forward pass that made `root`: a "value" step for each node with inputs, in topological order."""
    order = order_of(root)
    index = {id(node): i for i, node in enumerate(order)}
    for i, node in enumerate(order):
        if node._prev:
            yield Step("value", i, node._op, name_of(node, i), inputs_of(node, index), after=node.data)


def backward_steps(root, reset="intermediates"):
    """Yield what `root.backward(reset)` would do: a "seed" step, then a "chain" step for each edge. Change nothing."""
    order, is_adding = order_of(root), policy(reset) == "intermediates"
    index = {id(node): i for i, node in enumerate(order)}
    kept = {node: node.grad for node in order if is_adding and node.grad and not node._prev}  # added after the pass
    grads = [node.grad if reset == "nothing" else 0.0 for node in order]
    last = len(order) - 1
    grads[last] = 1.0  # ∂root/∂root
    seeded = kept.get(root, 0.0) + grads[last]
    yield Step("seed", last, root._op, name_of(root, last), before=root.grad, after=seeded)
    for i in range(last, -1, -1):
        node, upstream = order[i], grads[i]
        names = inputs_of(node, index)
        for edge, (input, local) in enumerate(zip(node._prev, node._local, strict=True)):
            j, old, contribution = index[id(input)], kept.get(input, 0.0), local * upstream
            before = old + grads[j]
            grads[j] += contribution
            after = old + grads[j]
            yield Step(
                "chain", i, node._op, name_of(node, i), names, edge, j, local, upstream, contribution, before, after
            )


def order_of(root):
    """Return the topological order of a graph of Values. Raise TypeError for Tensors: a step has single numbers."""
    if hasattr(root, "_vjps"):
        raise TypeError(
            f"Steps go from number to number, got {messages.described(root)}. Build the graph from Values, or look at "
            "the grad of each Tensor after backward()."
        )
    return topological_order(root)


def name_of(node, index):
    """Return what a sentence calls a node: its label, or v and its place in the order."""
    return str(getattr(node, "label", "") or f"v{index}")


def inputs_of(node, index):
    """Return (name, value) of each input of a node."""
    return tuple((name_of(input, index[id(input)]), input.data) for input in node._prev)


def expression(op, terms):
    """Write out an op over its terms: 'x + y', 'tanh(x)', '(-1)**2', 'b + w1·x1 + w2·x2'."""
    operands = [f"({term})" if term.startswith("-") else term for term in terms]
    if op == "weighted_sum":
        n = len(operands) // 2
        products = [f"{w}·{x}" for w, x in zip(operands[:n], operands[n:])]
        shown = products if n <= 4 else [*products[:2], "…", products[-1]]
        return " + ".join([operands[-1], *shown])
    if len(operands) == 2 and (row := row_of(op)) and row.sign:
        return f"{operands[0]} {row.sign} {operands[1]}"
    if operation(op) == "**":
        return f"{operands[0]}{op}"
    if op == "neg":
        return f"-{operands[0]}"
    return f"{op}({', '.join(terms)})"
