from collections.abc import Callable, Sequence
from typing import overload

from numpy.typing import ArrayLike

from autograd.compile.array_replay import ArrayReplay
from autograd.compile.replay import Replay
from autograd.tensor import Tensor
from autograd.value import Value

@overload
def record(f: Callable[..., Value], *at: float, parameters: Sequence[Value] = ...) -> Replay: ...
@overload
def record(f: Callable[..., Tensor], *at: ArrayLike | Tensor, parameters: Sequence[Tensor] = ...) -> ArrayReplay: ...
def record_graph(root: Value, parameters: Sequence[Value], inputs: Sequence[Value] = ...) -> Replay: ...
