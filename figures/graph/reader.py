"""A graph of any engine, read: its nodes in order, with names and texts that a picture can show."""

import bisect
import hashlib
import itertools
import unicodedata
from dataclasses import dataclass

from autograd.errors import messages
from autograd.inspect.steps import name_of
from autograd.topo import topological_order
from figures.page import arrays
from figures.page.arrays import Array

NAMED = 1000  # characters of a name in a table or a sentence


@dataclass(frozen=True)
class Node:
    """A node of a graph to be drawn. `inputs` are places in the list of nodes; `locals` are None if not known."""

    name: str
    labelled: bool
    op: str
    data: float | Array | None
    grad: float | Array | None
    inputs: tuple
    locals: tuple | None


class _Reference:
    """Stands for a node of any class in `topological_order`: told apart by identity, inputs as a tuple."""

    def __init__(self, thing):
        self.thing, self._prev, self.key = thing, (), ""


def read_graph(root, allow_cycle=False):
    """The nodes that `root` depends on, in topological order, as a list of Node.

    Takes any object with `data` (a number or an array) and `_prev` (tuple, list or set), and uses `grad`, `_op`,
    `label` and `_local` where present. TypeError if it is something else. ValueError if a node depends on itself,
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
    """The nodes of a graph themselves, in the order of `read_graph`."""
    return [reference.thing for reference in references_of(root)]


def references_of(root):
    """The nodes that `root` depends on as _References, in topological order."""
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
    """Put inputs kept in a set in an order of what they are and of what made them, not of where they lie in memory."""
    for reference in order:
        thing, keys = reference.thing, [input.key for input in reference._prev]
        if isinstance(thing._prev, (set, frozenset)):
            reference._prev = tuple(sorted(reference._prev, key=lambda input: input.key))
            keys.sort()
        made_by = hashlib.sha256("\n".join(keys).encode(errors="replace")).hexdigest()
        reference.key = f"{getattr(thing, 'label', '')} {thing.data!r} {getattr(thing, '_op', '')} {made_by}"


def read_node(reference, index, place):
    """The Node for one object. TypeError if its numbers are none."""
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
    """The inputs of a node of any engine, as a tuple."""
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


def clean(text, length=None):
    """A label for one line: no control characters, and cut with … where it has more than `length` characters."""
    text = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return text[: length - 1] + "…" if length and len(text) > length else text


def fitted(text, room):
    """A label for a box with room for so many letters: cut with … where it is wider."""
    text = clean(text)
    widths = list(itertools.accumulate(map(letters, text)))
    return text if not widths or widths[-1] <= room else text[: bisect.bisect_right(widths, room - 1)] + "…"


def letters(character):
    """How many letters' width a character takes: 2 in East Asian scripts and emoji, 1.5 for m and w."""
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 1.5 if character in "mwMW" else 1
