"""This project's engine, as its users run it: `MLP` with every op a node or with neurons as nodes, and `TensorMLP`."""

from autograd import MLP, Value
from benchmarks.peers.engine import Arrays, Nodes, Numbers


class EveryOp(Nodes, Numbers):
    """Values; a neuron is built from single multiplications and additions, a node each."""

    leaf, tanh, relu = Value, staticmethod(Value.tanh), staticmethod(Value.relu)
    every_op = True

    def network(self, task):
        mlp = mlp_of(task, every_op=self.every_op)
        return mlp.parameters(), lambda parameters: mlp


class Neurons(EveryOp):
    """Values; a neuron's weighted sum is one node."""

    every_op = False


class Tensors(Nodes, Arrays):
    """Tensors on NumPy arrays."""

    def __init__(self):
        from autograd.tensor import Tensor

        self.leaf = self.constant = Tensor
        self.tanh = Tensor.tanh

    def network(self, task):
        from autograd.tensor_nn import TensorMLP

        network = TensorMLP.from_mlp(mlp_of(task))
        return network.parameters(), lambda parameters: network

    def max_margin(self, outputs, targets):
        return outputs.hinge(targets.data)


def mlp_of(task, every_op=False):
    """An MLP with the task's parameters."""
    n_inputs, *layers = task["sizes"]
    mlp = MLP(n_inputs, layers, task["activation"], task["output"], every_op=every_op)
    for parameter, number in zip(mlp.parameters(), task["parameters"]):
        parameter.data = number
    return mlp
