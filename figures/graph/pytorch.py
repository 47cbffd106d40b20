"""`torch_graph`: the graph that PyTorch keeps for its backward pass, drawn like this course's by `draw_graph`."""

import contextlib
import json
import warnings
from pathlib import Path

from autograd.errors import messages
from autograd.topo import topological_order
from figures.graph.draw import LIMIT, collapsed, picture, to_dot
from figures.graph.reader import Node

RECORDED = Path(__file__).with_name("torch_graphs.json")  # the graphs of a real PyTorch, for machines without it

STEP = """\
import torch
from autograd.lessons.digits import load_digits

digits = load_digits()
pictures, labels = torch.tensor(digits.train[:50].tolist()), torch.tensor(digits.train_labels[:50].tolist())
first, second = torch.nn.Linear(64, 32), torch.nn.Linear(32, 10)
names = {"w1": first.weight, "b1": first.bias, "w2": second.weight, "b2": second.bias}
hidden = first(pictures).relu()
loss = torch.nn.CrossEntropyLoss()(second(hidden), labels)
"""
LISTED = """\
import torch


class Listed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [torch.nn.Linear(64, 32)]
        self.last = torch.nn.Linear(32, 10)

    def forward(self, x):
        return self.last(self.hidden[0](x).relu())


net = Listed()
names = dict(net.named_parameters())
loss = net(torch.zeros(50, 64)).logsumexp(1).mean()
"""
PROGRAMS = {"digits": STEP, "detached": STEP.replace(".relu()", ".relu().detach()"), "listed": LISTED}


class Function:
    """A node of PyTorch's graph, for `topological_order`: a step of the backward pass, and those it passes on to."""

    def __init__(self, grad_fn):
        self.grad_fn, self._prev = grad_fn, ()


def functions_of(loss):
    """Return the nodes that a backward pass from a PyTorch tensor visits, as Functions, inputs before consumers."""
    found, stack = {}, [loss.grad_fn]
    while stack:
        grad_fn = stack.pop()
        if grad_fn not in found:
            found[grad_fn] = Function(grad_fn)
            stack += inputs_of(grad_fn)
    for grad_fn, function in found.items():
        function._prev = tuple(found[input] for input in inputs_of(grad_fn))
    return topological_order(found[loss.grad_fn])


def inputs_of(grad_fn):
    """Return the nodes that one passes gradients on to; PyTorch has None for an input that needs no gradient."""
    return [input for input, _ in grad_fn.next_functions if input is not None]


def nodes_of(loss, names):
    """Return PyTorch's graph as Nodes, after the named leaves that a backward pass from `loss` does not reach."""
    order = functions_of(loss)
    reached = {id(function.grad_fn.variable) for function in order if hasattr(function.grad_fn, "variable")}
    called = {id(tensor): name for name, tensor in names.items()}
    apart = [leaf(name, tensor) for name, tensor in names.items() if id(tensor) not in reached]
    place = {function: len(apart) + i for i, function in enumerate(order)}
    return apart + [node_of(function, called, place) for function in order]


def node_of(function, called, place):
    tensor = getattr(function.grad_fn, "variable", None)  # the leaf that an AccumulateGrad adds to
    if tensor is not None:
        return leaf(called.get(id(tensor), "leaf"), tensor)
    name = type(function.grad_fn).__name__
    return Node(name.split("Backward")[0], False, name, None, None, tuple(place[each] for each in function._prev), None)


def leaf(name, tensor):
    return Node(f"{name} {tuple(tensor.shape)}", True, "", None, None, (), None)


def torch_graph(loss, names=None):
    """Draw PyTorch's own graph of a tensor as a Picture: a box for each node of its backward pass, each input an arrow.

    loss: a PyTorch tensor that an operation made; or "digits", a step of lesson 09's network, "detached", the same
    with the hidden layer detached, or "listed", one whose hidden layer is in a Python list: without PyTorch, these
    are recorded graphs. names: {name: tensor}, of leaves, such as dict(net.named_parameters()). A named leaf that
    the pass does not reach is drawn with no arrow.
    """
    if isinstance(loss, str):
        return of_program(loss)
    if not hasattr(loss, "grad_fn"):
        raise TypeError(
            f"torch_graph takes a PyTorch tensor, {' or '.join(map(repr, PROGRAMS))}; got {messages.described(loss)}. "
            "draw_graph draws a Value or a Tensor of this course."
        )
    if loss.grad_fn is None:
        raise ValueError("this tensor has no grad_fn: no operation made it from a tensor that requires a gradient.")
    return drawn(nodes_of(loss, names or {}), "")


def of_program(name):
    """Return the Picture of a program in PROGRAMS: of a run now, or as recorded."""
    if name not in PROGRAMS:
        raise ValueError(f"there is no program {name!r}. There are: {', '.join(PROGRAMS)}.")
    try:
        nodes, version = ran(name)
        return drawn(nodes, f"PyTorch {version}, run now.")
    except ImportError:
        nodes, version = recorded(name)
        return drawn(nodes, f"PyTorch {version}, as recorded: it is not installed here, and nothing needs it.")


def drawn(nodes, note):
    """Return the nodes as a Picture, with sentences about what is reached, and where the graph comes from."""
    used = {len(nodes) - 1, *(input for node in nodes for input in node.inputs)}
    leaves = [i for i, node in enumerate(nodes) if not node.op]
    lost = [nodes[i].name.split(" (")[0] for i in leaves if i not in used]
    count = f"{len(used)} nodes, {len(leaves) - len(lost)} of them leaves."
    missed = f" {len(lost)} of {len(leaves)} leaves not reached: {', '.join(lost)}." if lost else ""
    alt = f"PyTorch's graph of {nodes[-1].name}: {count}{missed}"
    if len(nodes) > LIMIT:
        nodes, few = collapsed(nodes)
        note = f"{few} {note}"
    return picture(nodes, {}, None, False, to_dot(nodes), f"{count}{missed} {note}".strip(), alt=alt)


@contextlib.contextmanager
def one_thread():
    """Give a run of PyTorch the module, on one thread and silent; raise ImportError if it is not installed.

    A process that is forked once PyTorch has had more threads would wait for them for ever.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from a PyTorch without NumPy, or without a graphics card
        import torch

        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield torch
        finally:
            torch.set_num_threads(threads)


def ran(name):
    """Return the Nodes of a program that runs in PyTorch now, and PyTorch's version."""
    with one_thread() as torch:
        made = {}
        exec(PROGRAMS[name], made)
        return nodes_of(made["loss"], made["names"]), torch.__version__.split("+")[0]


def recorded(name):
    """Return the recorded Nodes of a program, and PyTorch's version then."""
    kept = json.loads(RECORDED.read_text(encoding="utf-8"))
    nodes = [Node(each, not op, op, None, None, tuple(inputs), None) for each, op, inputs in kept["graphs"][name]]
    return nodes, kept["version"]


def keep_graphs():
    """Run all programs in PyTorch and save their graphs: for each node its name, PyTorch's, and its inputs' places."""
    graphs, version = {}, ""
    for name in PROGRAMS:
        nodes, version = ran(name)
        graphs[name] = [(node.name, node.op, node.inputs) for node in nodes]
    kept = json.dumps({"version": version, "graphs": graphs}, indent=1, ensure_ascii=False)
    RECORDED.write_text(kept + "\n", encoding="utf-8")
