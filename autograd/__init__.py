"""A small reverse-mode automatic differentiation engine for scalars. Standard library only."""

from autograd.dual import Dual
from autograd.gradcheck import check_gradients, gradcheck, numerical_gradient
from autograd.losses import (
    binary_cross_entropy,
    half_squares,
    hinge,
    mean_squares,
    softmax_cross_entropy,
    sum_of_squares,
)
from autograd.nn import MLP, Layer, Module, Neuron
from autograd.optim import SGD, Adam, clip_grad_norm, clip_grad_value
from autograd.steps import Step, backward_steps, forward_steps
from autograd.topo import topological_order
from autograd.value import Value, weighted_sum

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
    "softmax_cross_entropy",
    "sum_of_squares",
    "topological_order",
    "weighted_sum",
]
