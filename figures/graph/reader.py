"""A graph of any engine, read: its nodes in order, their local derivatives, and texts that a picture can show."""

import bisect
import contextlib
import hashlib
import io
import itertools
import math
import unicodedata
from dataclasses import dataclass, replace
from types import SimpleNamespace

from autograd import Value
from autograd.errors import messages, validation
from autograd.inspect.steps import name_of
from autograd.operations import rerun
from autograd.topo import topological_order
from figures.page import arrays
from figures.page.arrays import Array

NAMED = 1000  # characters of a name in a table or a sentence


@dataclass(frozen=True)
class Node:
    """A node of a graph to be drawn. `inputs` are places in the list of nodes; `locals` are None if not known.

    fault: a sentence, if no local derivative is known, or if the node's rule does not add to what is in a grad.
    """

    name: str
    labelled: bool
    op: str
    data: float | Array | None
    grad: float | Array | None
    inputs: tuple
    locals: tuple | None
    fault: str = ""


class Unreadable(Exception):
    """Raised with a sentence on why the local derivatives of a node are not known."""


class _Reference:
    """A stand-in for a node of any class in `topological_order`: compared by identity, with its inputs as a tuple."""

    def __init__(self, thing):
        self.thing, self._prev, self.key = thing, (), ""


def read_graph(root, allow_cycle=False):
    """Return the nodes that `root` depends on, in topological order, as a list of Node.

    It takes any object with `data` (a number or an array) and `_prev` (tuple, list or set), and uses `grad`, `_op`,
    `label` and `_local` if present. Raise TypeError for anything else, and ValueError if a node depends on itself,
    unless allow_cycle.
    """
    order = references_of(root)
    place = {reference: i for i, reference in enumerate(order)}
    nodes = [read_node(reference, i, place) for i, reference in enumerate(order)]
    if not allow_cycle:
        for i, node in enumerate(nodes):
            if any(input >= i for input in node.inputs):
                raise ValueError(f"{node.name} depends on itself, so there is no order that puts inputs first.")
    return nodes


def things_of(root):
    """Return the nodes of a graph themselves, in the order of `read_graph`."""
    return [reference.thing for reference in references_of(root)]


def references_of(root):
    """Return the nodes that `root` depends on as _References, in topological order."""
    references, stack = {}, [root]
    while stack:
        thing = stack.pop()
        if id(thing) not in references:
            references[id(thing)] = _Reference(thing)
            stack.extend(inputs_of(thing))
    for reference in references.values():
        reference._prev = tuple(references[id(input)] for input in inputs_of(reference.thing))
    order = topological_order(references[id(root)])
    if any(isinstance(reference.thing._prev, (set, frozenset)) for reference in order):
        sort_sets(order)
        order = topological_order(references[id(root)])
    return order


def sort_sets(order):
    """Sort inputs kept in a set by what they are and what made them, not by their places in memory."""
    for reference in order:
        thing, keys = reference.thing, [input.key for input in reference._prev]
        if isinstance(thing._prev, (set, frozenset)):
            reference._prev = tuple(sorted(reference._prev, key=lambda input: input.key))
            inputs = [input.thing for input in reference._prev]
            if len(inputs) == 2 and not made_again(thing, inputs) and made_again(thing, inputs[::-1]):
                reference._prev = reference._prev[::-1]
            keys.sort()
        made_by = hashlib.sha256("\n".join(keys).encode(errors="replace")).hexdigest()
        reference.key = f"{getattr(thing, 'label', '')} {thing.data!r} {getattr(thing, '_op', '')} {made_by}"


def read_node(reference, index, place):
    """Return the Node for one object; raise TypeError if its data or grad are not numbers."""
    thing, inputs = reference.thing, tuple(place[input] for input in reference._prev)
    name, grad = clean(name_of(thing, index), NAMED), getattr(thing, "grad", None)
    local = getattr(thing, "_local", None)
    in_order = local is not None and isinstance(thing._prev, (tuple, list)) and len(local) == len(inputs)
    return Node(
        name=name or f"v{index}",
        labelled=bool(name and getattr(thing, "label", "")),
        op=clean(getattr(thing, "_op", None) or ""),
        data=arrays.read(thing.data, f"a drawing of {name}"),
        grad=None if grad is None else arrays.read(grad, f"a drawing of {name}.grad"),
        inputs=inputs,
        locals=tuple(local) if in_order else None,
    )


def inputs_of(thing):
    """Return the inputs of a node of any engine, as a tuple; raise TypeError if it is no node."""
    inputs = getattr(thing, "_prev", None)
    if not hasattr(thing, "data") or not isinstance(inputs, (tuple, list, set, frozenset)):
        nothing = f" {messages.advice(None)}" if thing is None else ""
        if hasattr(thing, "grad_fn"):
            nothing = " A tensor of PyTorch is drawn by figures.torch_graph(loss)."
        raise TypeError(
            f"A graph is drawn from a node with `data` and `_prev`, such as a Value; got {type(thing).__name__}. "
            f"Pass the root of the graph: the last Value that was computed.{nothing}"
        )
    return tuple(inputs)


# Local derivatives that an engine does not keep


def read_slopes(root):
    """Return the nodes of `read_graph`, with the local derivatives of engines that do not keep them.

    A node's rule, `_backward`, is run: its local derivatives are what it passes on at a grad of 1, right or wrong. A
    node without a rule has those of the operation named by `_op`. All nodes are left unchanged. Of a · a, a set keeps
    one input: the Node has two. Raise ValueError if the graph has an array in it.
    """
    nodes, things = read_graph(root), things_of(root)
    if array := next((node for node in nodes if isinstance(node.data, Array)), None):
        raise ValueError(f"{array.name} is an array. Local derivatives are shown of graphs of single numbers.")
    idle = {rule_code(thing) for thing, node in zip(things, nodes) if not node.inputs} - {None}
    with unchanged(things), contextlib.redirect_stdout(io.StringIO()):
        return [with_slopes(node, things[i], [things[j] for j in node.inputs], idle) for i, node in enumerate(nodes)]


def known_slopes(root):
    """Return `read_slopes(root)`; raise ValueError if a local derivative is not known."""
    nodes = read_slopes(root)
    for node in nodes:
        if node.inputs and node.locals is None:
            raise ValueError(node.fault)
    return nodes


def with_slopes(node, thing, inputs, idle):
    """Return a Node with its local derivatives and its fault. idle: the code of the rules that leaves have."""
    if not inputs or node.locals is not None:
        return replace(node, locals=node.locals or ())
    value, is_set = made_again(thing, inputs), isinstance(thing._prev, (set, frozenset))
    if not value and is_set and len(inputs) == 1 and (value := made_again(thing, inputs * 2)):
        node, inputs = replace(node, inputs=node.inputs * 2), inputs * 2
    known, fault = value and value._local, ""
    try:
        if callable(getattr(thing, "_backward", None)):
            passed, adds = passed_on(node.name, thing, inputs)
            if any(passed.values()) or rule_code(thing) not in idle:
                known = shared_out(node.name, inputs, passed, adds, known)
                fault = "" if adds else f"The rule of {node.name} replaces what is in a grad, and does not add to it."
        if not known:
            op = f"{node.op!r}, whose slope is not known here" if node.op else "an operation that `_op` does not name"
            raise Unreadable(f"{node.name} was made by {op}.")
    except Unreadable as unread:
        return replace(node, fault=str(unread))
    return replace(node, locals=tuple(known), fault=fault)


def passed_on(name, thing, inputs):
    """Return ({id of an input: what the node's rule passes to it at a grad of 1}, whether it adds that).

    Raise Unreadable if what it passes on is not proportional to the grad.
    """
    inputs = list({id(input): input for input in inputs}.values())
    slopes = run_rule(name, thing, inputs, 1.0, [0.0] * len(inputs))
    before = [1.0 + abs(slope) if math.isfinite(slope) else 1.0 for slope in slopes]
    after = run_rule(name, thing, inputs, -0.5, before)
    added = [alike(grad, start - slope / 2) for grad, start, slope in zip(after, before, slopes)]
    if not all(adds or alike(grad, -slope / 2) for adds, grad, slope in zip(added, after, slopes)):
        raise Unreadable(f"What the rule of {name} passes on is not a local derivative times {name}.grad.")
    return dict(zip(map(id, inputs), slopes)), all(added)


def run_rule(name, thing, inputs, grad, before):
    """Return the grads of a node's inputs after its rule has run from this grad; they begin with `before`."""
    try:
        for input, start in zip(inputs, before):
            input.grad = start
        thing.grad = grad
        thing._backward()
        return [validation.real(input.grad, f"a grad that the rule of {name} writes") for input in inputs]
    except Exception as fault:
        raise Unreadable(f"The rule of {name} raised {type(fault).__name__}: {fault}") from fault


def shared_out(name, inputs, passed, adds, known):
    """Return what a rule passes on along each edge. Two edges to one input have the slopes of the operation."""
    slopes = []
    for edge, input in enumerate(inputs):
        total, edges = passed[id(input)], [i for i, each in enumerate(inputs) if each is input]
        if len(edges) > 1:
            shares = [known[i] for i in edges] if known else []
            if not alike(total, sum(shares)) and (adds or not any(alike(total, share) for share in shares)):
                raise Unreadable(f"{name} has an input twice, and its rule passes on something else to it.")
            total = known[edge]
        slopes.append(total)
    return slopes


def made_again(thing, inputs):
    """Return a node as a Value of autograd, made by the operation that `_op` names; None if that is another number."""
    op = str(getattr(thing, "_op", None) or "")
    with contextlib.suppress(Exception):
        constants = (float(op[2:]),) if op.startswith("**") and op[2:] else ()
        values = [Value(validation.real(input.data)) for input in inputs]
        node = SimpleNamespace(_op=op.lower(), _constants=constants, label="", _prev=values)  # as ReLU
        made = rerun(node, values)
        if alike(made.data, thing.data):
            return made
    return None


@contextlib.contextmanager
def unchanged(things):
    """Restore the attributes of nodes at the end, including `data` and `grad` in slots."""
    pairs = [(thing, name) for thing in things for name in ("data", "grad") if hasattr(thing, name)]
    slots = [(thing, name, getattr(thing, name)) for thing, name in pairs]
    kept = [(vars(thing), dict(vars(thing))) for thing in things if hasattr(thing, "__dict__")]
    try:
        yield
    finally:
        for thing, name, held in slots:
            if getattr(thing, name, None) is not held:
                setattr(thing, name, held)
        for now, before in kept:
            now.clear()
            now.update(before)


def rule_code(thing):
    """Return the code of a node's rule; None if it has none."""
    return getattr(getattr(thing, "_backward", None), "__code__", None)


def alike(one, other):
    """Return whether two numbers agree up to rounding; inf and inf do, and nan and nan."""
    near = abs(one - other) <= 1e-9 * max(1.0, abs(other))
    return near or one == other or (one != one and other != other)


# Texts


def clean(text, length=None):
    """Return a label for one line: no control characters, and cut with … if it is longer than `length` characters."""
    text = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return text[: length - 1] + "…" if length and len(text) > length else text


def fitted(text, room):
    """Return a label for a box that fits `room` letters, cut with … if it is wider."""
    text = clean(text)
    widths = list(itertools.accumulate(map(letters, text)))
    return text if not widths or widths[-1] <= room else text[: bisect.bisect_right(widths, room - 1)] + "…"


def letters(character):
    """Return how many letters' width a character takes: 2 in East Asian scripts and emoji, 1.5 for m and w."""
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 1.5 if character in "mwMW" else 1
