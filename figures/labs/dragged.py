"""The drag lab: the learner drags the leaves of a small graph, and what depends on them changes at once."""

import math

from autograd import Value, topological_order
from autograd.errors.messages import show
from autograd.operations import rerun
from figures.graph.draw import PAGE, description, draw_graph, texts_of
from figures.graph.reader import clean, read_graph
from figures.graph.stage import graph, handle, place, plural
from figures.page.frame_recorder import FrameTemplate
from figures.page.player import Control, Frame, Player, Recording

MOST = 12  # nodes: in a larger graph nobody can follow all changes
NAME = 22  # characters of a name in a sentence

HOW = "Drag a leaf with a dashed border, or focus it and press ↑ or ↓; with Shift the steps are finer."
WIDEST_TEXT = (  # as long as most sentences, so that the picture does not move while a leaf is dragged
    "root = -10.0000: it went down by 10.0000 when 12 leaves moved. "
    "Their gradients at the start, each × how far its leaf moved, predicted -10.0000. These words are not seen."
)


def drag(root, *, direction=None):
    """Show the graph of `root` with its gradients; drag a leaf to another number, and everything is recomputed.

    It works on a copy: the nodes of `root` keep their numbers and grads. The graph is of `autograd.Value` and
    has at most 12 nodes. For any other graph, or if no Graphviz can place it, return `draw_graph` with the reason.
    """
    nodes = read_graph(root)
    placed = place(nodes, direction, True, PAGE)
    if reason := refusal(root, nodes, placed):
        picture = draw_graph(root, direction=direction)
        picture.note = f"{picture.note} {reason}".strip()
        return picture
    order = topological_order(root)
    return Dragged(order, recorder(order, nodes, placed))


def refusal(root, nodes, placed):
    """Return why no leaf of this graph can be dragged, as a sentence; "" if they can."""
    if len(nodes) > MOST:
        return f"It has {plural(len(nodes), 'node')}; leaves can be dragged in a graph of at most {MOST}."
    order = topological_order(root) if isinstance(root, Value) else [root]
    if strange := next((node for node in order if not isinstance(node, Value)), None):
        kind = f"{type(strange).__name__} of {type(strange).__module__}"
        return f"Its leaves cannot be dragged: only nodes of autograd.Value can, and this is a {kind}."
    try:
        rebuild_graph(order, numbers_of(order))
    except (ValueError, TypeError, ZeroDivisionError) as fault:
        return f"Its leaves cannot be dragged. {fault}"
    return "" if placed else "Its leaves cannot be dragged if there is no drawing."


def numbers_of(order):
    """Return the numbers of the leaves, by the keys of their nodes."""
    return {f"n{i}": node.data for i, node in enumerate(order) if not node._prev}


def rebuild_graph(order, numbers):
    """Return the root of a new graph, made by the same operations on leaves with these numbers, after backward()."""
    copies = {}
    for i, node in enumerate(order):
        inputs = [copies[input] for input in node._prev]
        copies[node] = rerun(node, inputs) if inputs else Value(numbers[f"n{i}"])
        copies[node].label = node.label
    root = copies[order[-1]]
    root.backward()
    return root


class Dragged(Player):
    """The lab of a graph: its numbers come from the page, and "Start over" restores those that it opened with."""

    def __init__(self, order, record):
        self.numbers = numbers_of(order)
        super().__init__(controls=[Control("button", "reset", "Start over")], record=record)

    def answer(self, values, presses):
        super().answer(self.numbers if "reset" in presses else {**self.numbers, **values}, ())


def recorder(order, nodes, placed):
    """Return the function that makes the Recording, one frame, from the numbers of leaves by their keys."""
    began = numbers_of(order)
    first = read_graph(rebuild_graph(order, began))
    drawn, boxes = graph(first, placed, local=True), placed.boxes
    name = clean(first[-1].name, NAME)

    def draw(pen, now):
        handles = "".join(
            draw_handle(pen, f"n{i}", node, boxes[f"n{i}"]) for i, node in enumerate(now) if not node.inputs
        )
        shown = drawn(pen, texts=texts_of(now, gradients=True, local=True))
        return f'<div class="bp-main">{shown.replace("</svg>", f"{handles}</svg>")}</div>'

    stage = FrameTemplate(draw)

    def record(**numbers):
        now = read_graph(rebuild_graph(order, began | {key: numbers[key] for key in began.keys() & numbers.keys()}))
        frame = Frame(meaning(first, now), "", stage.updates(now))
        return Recording(f"What {name} depends on", [frame], stage, description(now), room=WIDEST_TEXT)

    return record


def draw_handle(pen, key, leaf, box):
    size = {"x": box.x, "y": box.y, "width": box.width, "height": box.height, "rx": "7"}
    return handle(pen, key, clean(leaf.name, NAME), leaf.data, size)


def meaning(first, now):
    """Describe how far the root went, and what the gradients at the start predicted."""
    root, name = now[-1], clean(now[-1].name, NAME)
    pairs = [(old, new) for old, new in zip(first, now) if not old.inputs and new.data != old.data]
    moved = [(clean(old.name, NAME), old.grad, new.data - old.data) for old, new in pairs]
    if not moved:
        return f"{name} = {show(root.data)}. {HOW} Your own nodes do not change: this is a copy."
    went, foretold = root.data - first[-1].data, sum(grad * way for _, grad, way in moved)
    if not (math.isfinite(went) and math.isfinite(foretold)):
        return f"{name} = {show(root.data)}. A number here is larger than the largest float, 1.8e308: inf or nan."
    if len(moved) == 1:
        leaf, grad, way = moved[0]
        cause, whose = f"{leaf} went {way_of(way)}", f"Its gradient at the start, {show(grad)}, predicted"
    else:
        cause = f"{len(moved)} leaves moved"
        whose = "Their gradients at the start, each × how far its leaf moved, predicted"
    return f"{name} = {show(root.data)}: it went {way_of(went)} when {cause}. {whose} {show(foretold)}."


def way_of(number):
    """Return a change in words: up by 0.1000."""
    return f"{'down' if number < 0 else 'up'} by {show(abs(number))}"
