"""The forward and the backward pass as a Recording, edge by edge, by each node's own rule: of arrays, or numbers."""

import html
from dataclasses import dataclass, field

import numpy as np

from autograd.errors import messages
from autograd.errors.validation import policy
from autograd.operations import ARRAY_ROWS
from autograd.tensor import unbroadcast
from figures.graph.draw import PAGE, description
from figures.graph.reader import clean, read_graph, things_of, unchanged
from figures.graph.stage import join_words, place, plural
from figures.page import arrays
from figures.page.player import Frame, Recording
from figures.page.style import NOT_YET
from figures.passes.scalar_passes import NAME, beginning, graph_and_sum, opening, title_of

SUM = (  # the sum under the graph: key, heading
    ("upstream", "upstream gradient"),
    ("contribution", "contribution"),
    ("before", "+ sum before"),
    ("after", "= sum after"),
)


@dataclass(frozen=True)
class Step:
    """An edge used backward: from a node to the input at this place of its inputs, by their places in the order.

    edges: which of the node's inputs are that input; a rule that adds to `grad` itself serves all of them at once.
    The others are arrays: the upstream gradient, the rule's contribution, and the input's gradient before and after.
    also: the rule's changes of nodes to which no edge leads, {node: gradient}, as with two that share an array.
    """

    node: int
    edges: tuple
    input: int
    upstream: np.ndarray
    contribution: np.ndarray
    before: np.ndarray
    after: np.ndarray
    also: dict = field(default_factory=dict)

    @property
    def is_accumulated(self):
        """True if the old gradient and the contribution add up to the new one: `=` in place of += leaves less."""
        if self.before.shape != self.contribution.shape:
            return False
        with np.errstate(all="ignore"):
            total = self.before + self.contribution
        return total.shape == self.after.shape and np.allclose(total, self.after, rtol=1e-9, atol=0, equal_nan=True)


def is_of_arrays(root):
    """Return whether a graph has arrays in it, such as a graph of Tensors."""
    return any(hasattr(thing, "_vjps") or isinstance(thing.data, np.ndarray) for thing in things_of(root))


def record(root, *, forward=True, backward=True, reset="intermediates", direction=None, note=""):
    """Return the Recording of a pass: a first frame, which ends with `note`, then a frame for each node or edge."""
    nodes, things = read_graph(root), things_of(root)
    names = [clean(node.name, NAME) for node in nodes]
    if backward:
        seeded, steps = walked(nodes, things, names, policy(reset))
    texts = beginning(nodes, forward, reset if backward else None)
    rules = [rule_of(things, nodes, names, step) for step in steps] if backward else []
    totals = [total_of(names, step, rule) for step, rule in zip(steps, rules)] if backward else []
    stage, used = stage_of(nodes, backward, direction, texts, totals), {}
    total = {key: (heading, NOT_YET) for key, heading in SUM}
    done = f", {plural(len(nodes), 'node')}: {names[-1]} = {arrays.format_amount(nodes[-1].data)}"
    said = opening(nodes, forward, reset, done, "The gradients shown are left from an earlier pass.")
    frames = [Frame(f"{said} {note}".strip(), "Start", stage.updates({}, texts, total))]
    if forward:
        made = [i for i, node in enumerate(nodes) if node.inputs]
        for turn, i in enumerate(made, start=1):
            texts = texts | arrays.texts(f"n{i}.data", nodes[i].data, nodes[i].data, NOT_YET)
            states = {f"n{i}": "forward"} | {f"e{i}.{edge}": "forward" for edge in range(len(nodes[i].inputs))}
            at = f"Forward: step {turn} of {len(made)}"
            frames.append(Frame(made_of(nodes, names, i), at, stage.updates(states, texts, total)))
    if backward:
        last, count = len(nodes) - 1, len(steps) + 1
        texts = texts | {f"n{last}.grad": arrays.text_of(arrays.read(seeded), NOT_YET)}
        said = f"Start at the root: ∂{names[last]}/∂{names[last]} = 1, so {names[last]}.grad = {format_array(seeded)}."
        updates = stage.updates({f"n{last}": "backward"}, texts, total)
        frames.append(Frame(said, f"Backward: step 1 of {count}", updates))
        for turn, (step, rule, summed) in enumerate(zip(steps, rules, totals), start=2):
            states = {f"n{step.node}": "backward", f"n{step.input}": "target"}
            edges = [f"e{step.node}.{edge}" for edge in step.edges]
            after = arrays.read(step.after)
            texts = texts | arrays.texts(f"n{step.input}.grad", nodes[step.input].data, after, NOT_YET)
            for i, grad in step.also.items():
                texts = texts | arrays.texts(f"n{i}.grad", nodes[i].data, arrays.read(grad), NOT_YET)
            updates = stage.updates(used | states | dict.fromkeys(edges, "backward"), texts, summed)
            frames.append(Frame(sentence(nodes, names, step, rule), f"Backward: step {turn} of {count}", updates))
            used |= dict.fromkeys(edges, "used")
    return Recording(title_of(names[-1], forward, backward), frames, stage, description(nodes))


def made_of(nodes, names, i):
    inputs, op = [names[input] for input in nodes[i].inputs], nodes[i].op or "an operation"
    if any(isinstance(nodes[input].data, arrays.Array) for input in nodes[i].inputs):
        inputs = [f"{name}, {shape(nodes[input].data)}" for name, input in zip(inputs, nodes[i].inputs)]
    return f"{names[i]} is made by {op} from {join_words(inputs)}: it is {arrays.format_amount(nodes[i].data)}."


def shape(amount):
    return f"of shape {amount}" if isinstance(amount, arrays.Array) else "a number"


def format_array(array):
    return arrays.format_amount(arrays.read(array))


# The pass


def walked(nodes, things, names, reset):
    """Return (the root's gradient at the start, the Steps back from there), without changing the graph."""
    shapes = [np.shape(thing.data) for thing in things]
    if np.size(things[-1].data) != 1:
        raise ValueError(
            f"backward starts from a single number, got an array of shape {shapes[-1]}: take .sum() or .mean() first."
        )
    old = [grad_of(thing) for thing in things]
    kept = [reset == "nothing" or (reset == "intermediates" and not node.inputs) for node in nodes]
    grads = [grad.copy() if keeps else np.zeros(shape) for grad, keeps, shape in zip(old, kept, shapes)]
    leaf = reset == "intermediates" and not nodes[-1].inputs
    grads[-1] = np.ones(shapes[-1]) + (old[-1] if leaf else 0.0)
    seeded = grads[-1].copy()
    if all(hasattr(thing, "_vjps") for thing in things):
        return seeded, by_vjps(nodes, things, grads)
    return seeded, by_rules(nodes, things, names, grads)


def grad_of(thing):
    """Return a node's current gradient; zeros if it has none, or one of another shape, which a pass cannot add to."""
    grad, shape = getattr(thing, "grad", None), np.shape(thing.data)
    fits = grad is not None and np.shape(grad) in ((), shape)
    return np.array(np.broadcast_to(grad if fits else 0.0, shape), dtype=float)


def by_vjps(nodes, things, grads):
    """Return the Steps through the package's Tensors, which have a vector-Jacobian product for each input's place."""
    steps = []
    for i in range(len(nodes) - 1, -1, -1):
        vjps = things[i]._vjps if nodes[i].inputs else ()
        for edge, (input, vjp) in enumerate(zip(nodes[i].inputs, vjps)):
            contribution = unbroadcast(np.asarray(vjp(grads[i])), grads[input].shape)
            before, grads[input] = grads[input], grads[input] + contribution
            steps.append(Step(i, (edge,), input, grads[i], contribution, before, grads[input]))
    return steps


def by_rules(nodes, things, names, grads):
    """Return the Steps through an engine of closures: run each node's `_backward()`, and restore all grads at the end.

    Each runs twice: with the inputs' grads at 0, for its contribution; and with their current grads, for its result.
    """
    steps = []
    with unchanged(things):
        for thing, grad in zip(things, grads):
            thing.grad = grad
        for i in range(len(nodes) - 1, -1, -1):
            if not nodes[i].inputs:
                continue
            places = {input: [] for input in nodes[i].inputs}
            for edge, input in enumerate(nodes[i].inputs):
                places[input].append(edge)
            upstream, known = np.array(things[i].grad), [np.array(thing.grad, dtype=float) for thing in things]
            found = contributions(things, names, i, places, upstream)
            run(things[i], names[i])
            now = [np.array(thing.grad, dtype=float) for thing in things]
            changed = [not np.array_equal(*pair, equal_nan=True) for pair in zip(known, now)]
            also = {j: now[j] for j in range(len(things)) if changed[j] and j not in places}
            for input, edges in places.items():
                steps.append(Step(i, tuple(edges), input, upstream, found[input], known[input], now[input], also))
                also = {}
    return steps


def contributions(things, names, i, inputs, upstream):
    """Return what a node's rule adds to each of these inputs, {input: array}, by running it with their grads at 0."""
    before = [(things[j], things[j].grad) for j in (*inputs, i)]
    try:
        for j in inputs:
            things[j].grad = np.zeros(np.shape(things[j].data))
        things[i].grad = upstream.copy()
        run(things[i], names[i])
        return {j: np.array(things[j].grad, dtype=float) for j in inputs}
    finally:
        for thing, grad in before:
            thing.grad = grad


def run(thing, name):
    """Run a node's rule; raise TypeError if it has none, ValueError with what it raised."""
    rule = getattr(thing, "_backward", None)
    if not callable(rule):
        raise TypeError(
            f"The step lab runs a node's rule, and {name} has none: it looks for _backward, a function that adds to "
            "the grad of each input."
        )
    try:
        rule()
    except Exception as fault:
        raise ValueError(f"The rule of {name} raised {type(fault).__name__}: {fault}") from fault


# Sentences about rules


def rule_of(things, nodes, names, step):
    """Return a step's rule as a formula of its upstream gradient G; for an engine of closures, the rule's name."""
    thing, edge = things[step.node], step.edges[0]
    if getattr(thing, "_vjps", None) is None:
        return f"the rule of {nodes[step.node].op or names[step.node]}"
    own, other = names[step.input], names[nodes[step.node].inputs[-1 - edge]]
    formula = FORMULAS.get((nodes[step.node].op, edge), "the VJP of {op}")
    if nodes[step.node].op == "@" and not all(np.ndim(input.data) == 2 for input in thing._prev):
        formula = "the VJP of {op}"
    folded = step.upstream.shape != step.contribution.shape and nodes[step.node].op in ("+", "-", "*", "/")
    made = formula.format(x=own, other=other, out=names[step.node], op=nodes[step.node].op)
    return f"{made}, summed to {step.contribution.shape}" if folded else made


FORMULAS = {  # (op, place among the inputs) -> the formula of the contribution, from the upstream gradient G
    ("+", 0): "G",
    ("+", 1): "G",
    ("-", 0): "G",
    ("-", 1): "-G",
    ("neg", 0): "-G",
    ("*", 0): "G * {other}",
    ("*", 1): "G * {other}",
    ("/", 0): "G / {other}",
    ("exp", 0): "G * {out}",
    ("log", 0): "G / {x}",
    ("tanh", 0): "G * (1 - {out}²)",
    ("sigmoid", 0): "G * {out} * (1 - {out})",
    ("relu", 0): "G * ({x} > 0)",
    **{(row.name, place): told for row in ARRAY_ROWS for place, told in enumerate(row.told)},
}


def sentence(nodes, names, step, rule):
    name, input = names[step.node], names[step.input]
    twice = f" (its {len(step.edges)} edges at once)" if len(step.edges) > 1 else ""
    formula = not rule.startswith("the ")
    by = f"the contribution is {rule}" if formula else f"{rule} turns it into"
    said = f"From {name} back to {input}{twice}: G = {name}.grad is {format_array(step.upstream)}; {by}"
    comma = "," if formula else ""
    if not step.is_accumulated:
        end = (
            f"{comma} {format_array(step.contribution)}. {input}.grad was {format_array(step.before)} "
            f"and is {format_array(step.after)} now: "
            "the old and the new were not added."
        )
    elif large(step.after):
        greatest = messages.show(float(np.abs(step.after).max()))
        where = f"which is added to {input}.grad" if step.before.any() else f"which is {input}.grad so far"
        end = f"{comma} {format_array(step.contribution)}, {where}. The largest number there is now {greatest}."
    else:
        moved = f"so {input}.grad goes from {format_array(step.before)} to {format_array(step.after)}"
        end = f"{format_array(step.contribution)}, {moved if step.before.any() else f'which is {input}.grad so far'}."
        end = f" = {end}" if formula else f" {end}"
    others = [names[i] for i in step.also]
    also = (
        f" {join_words(f'{other}.grad' for other in others)} changed as well, though no edge leads there."
        if others
        else ""
    )
    return f"{said}{end}{also}"


def large(array):
    amount = arrays.read(array)
    return isinstance(amount, arrays.Array) and amount.rows is None


# The stage


def total_of(names, step, rule):
    name, input = names[step.node], names[step.input]
    headings = (f"G = {name}.grad", f"contribution: {rule}", f"+ {input}.grad so far", f"= {input}.grad")
    amounts = (step.upstream, step.contribution, step.before, step.after)
    texts = ("\n".join(arrays.lines(arrays.read(each))) for each in amounts)
    return {key: pair for (key, _), pair in zip(SUM, zip(headings, texts))}


def stage_of(nodes, backward, direction, texts, totals):
    """Return the FrameTemplate: the graph, which begins with these texts, and under it the sum of a backward step.

    totals: the sums of all steps, for which the space must suffice.
    """
    rows = max([1, *(len(node.data.rows) for node in nodes if arrays.grid(node.data))])
    sums = {key: [total[key] for total in totals] for key, _ in SUM}

    def the_sum(pen, total):
        return sum_html(pen, total, rows, sums)

    return graph_and_sum(nodes, place(nodes, direction, False, PAGE), texts, the_sum if backward else None)


def sum_html(pen, total, rows, sums):
    """Draw the upstream gradient, the contribution, and the running sum, with space for `rows` rows, and for `sums`.

    sums: {key: pairs like that of `total`}: a page measures which of them takes most lines.
    """
    cells = []
    for key, pair in total.items():
        kind = ' class="bp-plain"' if key == "before" else ""
        parts = ""
        for tag, part, of in (("span", 0, ".of"), ("b", 1, "")):
            texts = sorted(sorted({each[part] for each in sums[key]}), key=len)[-3:]
            room = "".join(f'<{tag} aria-hidden="true">{html.escape(text)}</{tag}>' for text in texts)
            parts += f'<div class="bp-roomy">{room}{pen(tag, f"sum.{key}{of}", text=pair[part])}</div>'
        cells.append(f"<div{kind}>{parts}</div>")
    return f'<div class="bp-sum bp-wide bp-arrays" style="--bp-lines:{rows}">{"".join(cells)}</div>'
