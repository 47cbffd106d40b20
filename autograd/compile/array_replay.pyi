from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autograd.compile.replay import Replay
from autograd.tensor import Tensor

class ArrayReplay(Replay):
    parameters: list[Tensor]  # type: ignore[assignment]
    def __init__(
        self, f: Callable[..., Tensor], at: Sequence[ArrayLike | Tensor], parameters: list[Tensor]
    ) -> None: ...
    def __call__(self, *arrays: ArrayLike) -> tuple[float, list[NDArray[np.float64]]]: ...  # type: ignore[override]
    def backward(
        self, *inputs: ArrayLike | Tensor, reset: Literal["intermediates", "all", "nothing"] = ...
    ) -> float: ...
