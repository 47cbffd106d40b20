"""Optimizers, which change parameters by their grads, and clipping, which bounds the grads first."""

import math

from autograd import messages


class Optimizer:
    """A list of parameters (`mlp.parameters()`); `step()` changes their data, `zero_grad()` clears their grads."""

    def __init__(self, parameters, lr):
        self.parameters = messages.listed(parameters, "an optimizer's parameters")
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
            parameter.data -= self.lr * mean / (math.sqrt(square) + self.eps)


def clip_grad_norm(parameters, max_norm):
    """Scale all grads so that their Euclidean norm is at most `max_norm`. Returns the norm before. Directions stay."""
    parameters, max_norm = messages.listed(parameters, "parameters"), positive(max_norm, "max_norm")
    norm = math.hypot(*(parameter.grad for parameter in parameters))
    if norm > max_norm:
        for parameter in parameters:
            parameter.grad *= max_norm / norm
    return norm


def clip_grad_value(parameters, max_value):
    """Bound each grad to ±`max_value`. Returns how many were changed."""
    parameters, max_value, clipped = messages.listed(parameters, "parameters"), positive(max_value, "max_value"), 0
    for parameter in parameters:
        if abs(parameter.grad) > max_value:
            parameter.grad = math.copysign(max_value, parameter.grad)
            clipped += 1
    return clipped


def positive(x, name):
    """`x` as a float; ValueError unless it is above 0."""
    x = messages.real(x, name)
    if not x > 0:
        raise ValueError(f"{name} is a number above 0, got {x!r}.")
    return x


def fraction(x, name):
    """`x` as a float; ValueError unless 0 ≤ x < 1."""
    x = messages.real(x, name)
    if not 0 <= x < 1:
        raise ValueError(f"{name} is at least 0 and below 1, got {x!r}.")
    return x
