"""Optimizers, which change parameters by their grads, and clipping, which bounds the grads first. Values or Tensors."""

import math

from autograd.errors.messages import described
from autograd.errors.validation import fraction, nodes, positive


class Optimizer:
    """A list of parameters (`mlp.parameters()`); `step()` changes their data, `zero_grad()` clears their grads."""

    def __init__(self, parameters, lr):
        self.parameters = nodes(parameters, "an optimizer's parameters")
        self.lr = positive(lr, "lr")
        if not self.parameters:
            raise ValueError("an optimizer needs at least one parameter, got none. Pass mlp.parameters().")

    def zero_grad(self):
        """Set the grad of every parameter to 0."""
        for parameter in self.parameters:
            parameter.grad = 0.0


class SGD(Optimizer):
    """Gradient descent: velocity = momentum · velocity + grad, then data -= lr · velocity. As torch.optim.SGD."""

    def __init__(self, parameters, lr=0.01, momentum=0.0):
        super().__init__(parameters, lr)
        self.momentum = fraction(momentum, "momentum")
        self.velocities = [0.0] * len(self.parameters)

    def step(self):
        """Move each parameter once."""
        for i, parameter in enumerate(self.parameters):
            self.velocities[i] = self.momentum * self.velocities[i] + parameter.grad
            parameter.data -= self.lr * self.velocities[i]


class Adam(Optimizer):
    """Steps scaled by running means of grad and grad² (Kingma, Ba 2015, algorithm 1). As torch.optim.Adam."""

    def __init__(self, parameters, lr=0.001, betas=(0.9, 0.999), eps=1e-8):
        super().__init__(parameters, lr)
        if not isinstance(betas, (tuple, list)) or len(betas) != 2:
            raise TypeError(f"betas are two numbers, as in (0.9, 0.999), got {described(betas)}.")
        self.beta1, self.beta2 = fraction(betas[0], "betas[0]"), fraction(betas[1], "betas[1]")
        self.eps = positive(eps, "eps")
        self.steps = 0
        self.means = [0.0] * len(self.parameters)
        self.squares = [0.0] * len(self.parameters)

    def step(self):
        """Move each parameter once."""
        self.steps += 1
        for i, parameter in enumerate(self.parameters):
            self.means[i] = self.beta1 * self.means[i] + (1 - self.beta1) * parameter.grad
            self.squares[i] = self.beta2 * self.squares[i] + (1 - self.beta2) * parameter.grad * parameter.grad
            mean = self.means[i] / (1 - self.beta1**self.steps)
            square = self.squares[i] / (1 - self.beta2**self.steps)
            parameter.data -= self.lr * mean / (square_root(square) + self.eps)


def clip_grad_norm(parameters, max_norm):
    """Scale all grads so that their Euclidean norm is at most `max_norm`; return the norm before.

    Directions stay. For Tensors each number of a grad counts: all of them together have one norm, as in PyTorch.
    """
    parameters, max_norm = nodes(parameters, "parameters"), positive(max_norm, "max_norm")
    norm = math.hypot(*(number for parameter in parameters for number in numbers(parameter.grad)))
    if norm > max_norm:
        for parameter in parameters:
            parameter.grad = parameter.grad * (max_norm / norm)
    return norm


def clip_grad_value(parameters, max_value):
    """Bound each grad to ±`max_value`; return how many numbers were changed."""
    parameters, max_value, clipped = nodes(parameters, "parameters"), positive(max_value, "max_value"), 0
    for parameter in parameters:
        beyond = sum(abs(number) > max_value for number in numbers(parameter.grad))
        if beyond:
            parameter.grad = bounded(parameter.grad, max_value)
            clipped += beyond
    return clipped


# A grad is a float or a NumPy array. Only the array's own methods are used, so NumPy is not imported.


def numbers(grad):
    return grad.ravel().tolist() if hasattr(grad, "ravel") else [grad]


def bounded(grad, limit):
    """Return a grad with each number between -limit and limit."""
    return grad.clip(-limit, limit) if hasattr(grad, "clip") else math.copysign(limit, grad)


def square_root(square):
    """Return √ of a float, or of each number of an array, whose ** 0.5 is exact; a float's may be an ulp off."""
    return square**0.5 if hasattr(square, "ravel") else math.sqrt(square)
