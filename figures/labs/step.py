"""The step lab: a graph's forward and backward pass, one step at a time."""

from figures.graph.draw import LIMIT, draw_graph, whole
from figures.graph.reader import read_graph, read_slopes
from figures.page.player import Player
from figures.passes import array_passes
from figures.passes.scalar_passes import record


def step_forward(root, *, direction=None, limit=LIMIT):
    """Step through the forward pass that made `root`: each node gets its number and its edges' local derivatives."""
    return lab(root, forward=True, backward=False, direction=direction, limit=limit)


def step_backward(root, *, reset="intermediates", predict=False, explain=None, direction=None, limit=LIMIT):
    """Step through `root.backward(reset)`: one edge at a time, upstream × local added to the input's grad.

    The graph itself does not change: the steps show what a pass would do, from the grads as they are now.
    predict: before an edge the learner may type the gradient to come, at most six times; a score appears at the end.
    The local derivative appears on an arrow once it has been used. `explain(root, step)` explains a wrong number: it
    yields (number, sentence) for the numbers that known mistakes give; any other number is answered with a question.

    The root may be of any engine with `data` and `_prev`: in one of closures, each step is what its own rule does, and
    all grads are restored. It may also be a Tensor, or have arrays as `data`: a step then takes an array back along an
    edge. Nothing is asked there; `figures.matmul` asks cell by cell.
    """
    prediction = {"predict": predict, "explain": explain}
    return lab(root, forward=False, backward=True, reset=reset, direction=direction, limit=limit, **prediction)


def step_through(root, *, reset="intermediates", predict=False, explain=None, direction=None, limit=LIMIT):
    """Step through both passes in one: forward to the root, then backward to the leaves. See `step_backward`."""
    prediction = {"predict": predict, "explain": explain}
    return lab(root, forward=True, backward=True, reset=reset, direction=direction, limit=limit, **prediction)


def lab(root, *, forward, backward, direction, limit, reset="intermediates", predict=False, explain=None):
    """Return the lab for one or both passes; the collapsed drawing if the graph is too large."""
    of_arrays = array_passes.is_of_arrays(root)
    if of_arrays and predict:
        raise ValueError(
            "A step of this graph gives an array, and predict=True asks for numbers. figures.matmul asks cell by cell."
        )
    nodes = read_graph(root) if of_arrays else read_slopes(root)
    if len(nodes) > whole(limit):
        return draw_graph(root, direction=direction, limit=limit)
    options = {"forward": forward, "backward": backward, "reset": reset, "direction": direction}
    fault = next((node.fault for node in nodes if node.fault), "")  # no autograd Values do what this rule does
    if of_arrays or fault:
        return Player(array_passes.record(root, note=fault, **options))
    return Player(record(root, predict=predict, explain=explain, **options))
