"""`record`: a function of Values or of Tensors as a program that needs no graph; `record_graph`: a graph as one."""

from autograd.compile.replay import Replay
from autograd.errors import messages
from autograd.errors.validation import listed, nodes, real
from autograd.operations import rerun
from autograd.topo import topological_order
from autograd.value import Value


def record(f, *at, parameters=()):
    """A Replay of f, a function of one Value for each number in `at`, that returns one Value.

    parameters: Values that f uses and that training changes. What else f uses stays as it is now. TypeError if f
    returns no Value; ValueError if it uses a node that was computed before.

    Where Tensors are among parameters or inputs: an ArrayReplay of f, a function of one thing for each in `at`, a
    Tensor for a Tensor and a plain array for an array (a batch, its targets, rows to look up), that returns a Tensor
    of one number.
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
    """A Replay of a graph that stands already, by its root. parameters, inputs: leaves of it.

    What Python decided while the graph was built cannot be seen in it, and stays decided.
    """
    order, inputs = topological_order(root), listed(inputs, "inputs")
    for leaf in [*listed(parameters, "parameters"), *inputs]:
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
