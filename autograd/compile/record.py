"""`record` turns a function of Values or Tensors into a program that needs no graph; `record_graph`, a graph."""

from autograd.compile.replay import Replay
from autograd.errors import messages
from autograd.errors.validation import nodes, real, require_list
from autograd.operations import rerun
from autograd.topo import topological_order
from autograd.value import Value


def record(f, *at, parameters=()):
    """Return a Replay of f, a function of one Value for each number in `at`, that returns one Value.

    parameters: Values that f uses and that training changes. Everything else that f uses stays as it is now. Raise
    TypeError if f returns no Value, and ValueError if it uses a node that was computed before.

    If there are Tensors among parameters or inputs, return an ArrayReplay of f. Then f gets a Tensor for each Tensor in
    `at` and a plain array for each array (a batch, its targets, rows to look up), and returns a Tensor of one number.
    """
    if not callable(f):
        raise TypeError(
            f"record takes a function of Values or Tensors, got {messages.described(f)}. For a graph: record_graph."
        )
    parameters = nodes(parameters, "parameters")
    if any(hasattr(thing, "_vjps") for thing in (*parameters, *at)):
        from autograd.compile.array_replay import ArrayReplay  # which loads NumPy, as these Tensors have

        return ArrayReplay(f, at, parameters)
    if any(getattr(x, "ndim", 0) for x in at):
        raise TypeError("An array is an input of a function of Tensors: name its Tensors, as parameters=[…].")
    return Replay(f, [real(x, "an input") for x in at], parameters)


def record_graph(root, parameters, inputs=()):
    """Return a Replay of an existing graph, by its root. parameters, inputs: leaves of it.

    What Python decided while the graph was built is not in the graph, and stays decided.
    """
    order, inputs = topological_order(root), require_list(inputs, "inputs")
    for leaf in [*require_list(parameters, "parameters"), *inputs]:
        if not isinstance(leaf, Value) or leaf._prev:
            raise ValueError(f"parameters and inputs are leaves, Values that no operation made; got {leaf!r}.")

    def f(*values):
        now = dict(zip(inputs, values))
        for node in order:
            if node._prev:
                now[node] = rerun(node, [now.get(input, input) for input in node._prev])
                now[node].label = node.label
        return now.get(root, root)

    return record(f, *(leaf.data for leaf in inputs), parameters=parameters)
