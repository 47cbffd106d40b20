from collections.abc import Iterable
from typing import Any

from autograd.tensor import Tensor
from autograd.value import Value

_Parameters = Iterable[Value] | Iterable[Tensor]

class Optimizer:
    parameters: list[Any]
    lr: float
    def __init__(self, parameters: _Parameters, lr: float) -> None: ...
    def zero_grad(self) -> None: ...

class SGD(Optimizer):
    momentum: float
    velocities: list[Any]
    def __init__(self, parameters: _Parameters, lr: float = ..., momentum: float = ...) -> None: ...
    def step(self) -> None: ...

class Adam(Optimizer):
    beta1: float
    beta2: float
    eps: float
    steps: int
    means: list[Any]
    squares: list[Any]
    def __init__(
        self, parameters: _Parameters, lr: float = ..., betas: tuple[float, float] = ..., eps: float = ...
    ) -> None: ...
    def step(self) -> None: ...

def clip_grad_norm(parameters: _Parameters, max_norm: float) -> float: ...
def clip_grad_value(parameters: _Parameters, max_value: float) -> int: ...
