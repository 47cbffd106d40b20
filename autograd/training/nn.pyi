from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from autograd.value import Value

class Initialisation:
    scale: Callable[[int, int], float]
    normal: bool
    def __init__(self, scale: Callable[[int, int], float], normal: bool = ...) -> None: ...
    def __call__(self, rng: Random, fan_in: int, fan_out: int) -> float: ...

_Init = str | Callable[[Random, int, int], float]
_Inputs = Iterable[Value | float]

ACTIVATIONS: tuple[str, ...]
FUNCTIONS: tuple[str, ...]
INITIALISATIONS: dict[str, Initialisation]

class Module:
    def parameters(self) -> list[Any]: ...
    def zero_grad(self) -> None: ...

class Neuron(Module):
    activation: str
    every_op: bool
    weights: list[Value]
    bias: Value
    def __init__(
        self,
        n_inputs: int,
        activation: str = ...,
        init: _Init = ...,
        rng: Random | None = ...,
        *,
        gain: float = ...,
        fan_out: int = ...,
        every_op: bool = ...,
        name: str = ...,
    ) -> None: ...
    def __call__(self, inputs: _Inputs) -> Value: ...
    def respond(self, inputs: list[Value]) -> Value: ...
    def parameters(self) -> list[Value]: ...

class Layer(Module):
    neurons: list[Neuron]
    def __init__(
        self,
        n_inputs: int,
        n_outputs: int,
        activation: str = ...,
        init: _Init = ...,
        rng: Random | None = ...,
        *,
        name: str = ...,
        **options: Any,
    ) -> None: ...
    def __call__(self, inputs: _Inputs) -> list[Value]: ...
    def respond(self, inputs: list[Value]) -> list[Value]: ...
    def parameters(self) -> list[Value]: ...

class MLP(Module):
    layers: list[Layer]
    def __init__(
        self,
        n_inputs: int,
        layers: list[int] | tuple[int, ...],
        activation: str = ...,
        output: str = ...,
        init: _Init = ...,
        rng: Random | None = ...,
        *,
        gain: float = ...,
        every_op: bool = ...,
    ) -> None: ...
    def __call__(self, inputs: _Inputs) -> Any: ...  # a Value if the last layer has one neuron, else a list of them
    def parameters(self) -> list[Value]: ...

def activation_name(name: str) -> str: ...
