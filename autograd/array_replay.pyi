from typing import Literal

import numpy.typing as npt

from autograd.replay import Replay

def replay_columns(
    replay: Replay, *columns: npt.ArrayLike, mean: bool = ..., reset: Literal["intermediates", "all"] = ...
) -> float: ...
