"""This project's engine, as its users run it: `MLP` with every op a node or with neurons as nodes, and `TensorMLP`."""

from autograd import MLP, Value, record
from benchmarks.peers.engine import Arrays, Nodes, Numbers


class EveryOp(Nodes, Numbers):
    """Values; a neuron is built from single multiplications and additions, one node each."""

    leaf, tanh, relu = Value, staticmethod(Value.tanh), staticmethod(Value.relu)
    every_op = True

    def network(self, task):
        mlp = mlp_of(task, every_op=self.every_op)
        return mlp.parameters(), lambda parameters: mlp


class Neurons(EveryOp):
    """Values; a neuron's weighted sum is one node."""

    every_op = False


class Recorded(Neurons):
    """The whole loss recorded once, and replayed."""

    def model(self, task):
        parameters, loss = super().model(task)
        return parameters, record(lambda: loss(parameters), parameters=parameters)

    def value_and_grad(self, loss, parameters):
        return loss(*[p.data for p in parameters])


class RecordedRows(Neurons):
    """The loss of one sample recorded once, and replayed for each row; the L2 norm is added by hand."""

    def model(self, task):
        mlp, margin = mlp_of(task), task["loss"] == "max margin"

        def sample(a, b, target):
            output = mlp([a, b])
            return (1 + -target * output).relu() if margin else (output - target) ** 2

        rows = [(*row, target) for row, target in zip(task["rows"], task["targets"])]
        return mlp.parameters(), (record(sample, *rows[0], parameters=mlp.parameters()), rows, margin)

    def value_and_grad(self, loss, parameters):
        replay, rows, margin = loss
        number = self.run(replay, rows, margin)
        if margin:
            number += 1e-4 * sum(p.data * p.data for p in parameters)
            return number, [p.grad + 2e-4 * p.data for p in parameters]
        return number, [p.grad for p in parameters]

    def run(self, replay, rows, mean):
        return replay.rows(rows, mean=mean, reset="all")


class Tensors(Nodes, Arrays):
    """Tensors on NumPy arrays."""

    def __init__(self):
        import numpy as np

        from autograd.tensor import Tensor

        self.leaf = self.constant = Tensor
        self.whole, self.tanh = np.array, Tensor.tanh

    def network(self, task):
        from autograd.training.tensor_nn import TensorMLP

        network = TensorMLP.from_mlp(mlp_of(task))
        return network.parameters(), lambda parameters: network

    def cross_entropy(self, outputs, targets):
        return outputs.softmax_cross_entropy(targets)

    def max_margin(self, outputs, targets):
        return outputs.hinge(targets.data if isinstance(targets, self.leaf) else targets)


class RecordedTensors(Tensors):
    """The loss of a batch recorded once, and replayed as NumPy."""

    def __init__(self):
        super().__init__()
        self.constant = self.whole

    def model(self, task):
        (parameters, loss), batch = self.batch_model(task), self.batch(task)
        return parameters, (record(lambda *batch: loss(parameters, *batch), *batch, parameters=parameters), batch)

    def value_and_grad(self, loss, parameters):
        replay, batch = loss
        return replay(*[p.data for p in parameters], *batch)


def mlp_of(task, every_op=False):
    """Return an MLP with the task's parameters."""
    n_inputs, *layers = task["sizes"]
    mlp = MLP(n_inputs, layers, task["activation"], task["output"], every_op=every_op)
    for parameter, number in zip(mlp.parameters(), task["parameters"]):
        parameter.data = number
    return mlp
