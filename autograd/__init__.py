"""A small reverse-mode automatic differentiation engine. Only its Tensors need NumPy."""

from autograd.dual import Dual
from autograd.inspect.gradcheck import check_gradients, gradcheck, numerical_gradient
from autograd.topo import topological_order
from autograd.training.losses import (
    binary_cross_entropy,
    half_squares,
    hinge,
    mean_squares,
    softmax_cross_entropy,
    sum_of_squares,
)
from autograd.training.nn import MLP, Layer, Module, Neuron
from autograd.training.optim import SGD, Adam, clip_grad_norm, clip_grad_value
from autograd.value import Value, weighted_sum

TYPE_CHECKING = False  # what type checkers take for True; typing itself takes longer to import than the engine
if TYPE_CHECKING:
    from autograd.compile.record import record, record_graph
    from autograd.inspect.steps import Step, backward_steps, forward_steps
else:
    LATER = dict.fromkeys(("Step", "backward_steps", "forward_steps"), "inspect.steps")
    LATER |= dict.fromkeys(("record", "record_graph"), "compile.record")

    def __getattr__(name):
        """Import a name's module when the name is first used: what these modules import takes long."""
        if name not in LATER:
            raise AttributeError(f"module 'autograd' has no attribute {name!r}")
        import importlib

        return getattr(importlib.import_module(f"autograd.{LATER[name]}"), name)


__all__ = [
    "MLP",
    "SGD",
    "Adam",
    "Dual",
    "Layer",
    "Module",
    "Neuron",
    "Step",
    "Value",
    "backward_steps",
    "binary_cross_entropy",
    "check_gradients",
    "clip_grad_norm",
    "clip_grad_value",
    "forward_steps",
    "gradcheck",
    "half_squares",
    "hinge",
    "mean_squares",
    "numerical_gradient",
    "record",
    "record_graph",
    "softmax_cross_entropy",
    "sum_of_squares",
    "topological_order",
    "weighted_sum",
]
