"""`replay_columns`: a recorded function over all rows of a batch at once, its lines run on NumPy columns."""

import numpy as np

from autograd.messages import described
from autograd.operations import MATH
from autograd.program import Otherwise
from autograd.replay import Replay, compiled

NUMPY = {name: getattr(np, name) for name in MATH if hasattr(np, name)}
NUMPY |= {"pow": np.float_power, "where": np.where, "all_of": np.all, "any_of": np.any}


def replay_columns(replay, *columns, mean=False, reset="intermediates"):
    """What `replay.rows` does, for an array of shape (n,) of each input; equal to it but for rounding.

    Where the rows decide differently, or one of them has no value, they run one by one. TypeError for what is no
    Replay; ValueError for columns of other shapes.
    """
    if not isinstance(replay, Replay):
        raise TypeError(f"replay_columns takes what record gives, got {described(replay)}.")
    columns = [np.asarray(column, dtype=float) for column in columns]
    shapes = {column.shape for column in columns}
    if not columns or len(columns) != replay.inputs or len(shapes) > 1 or columns[0].ndim != 1 or not columns[0].size:
        said = ", ".join(str(column.shape) for column in columns) or "none"
        raise ValueError(f"This replay takes {replay.inputs} columns, all of one shape (n,), n from 1; got {said}.")
    found = at_once(replay, columns, mean)
    if found is None:
        return replay.rows([*zip(*(column.tolist() for column in columns))], mean=mean, reset=reset)
    loss, gradients = found
    replay.give(gradients, reset)
    return loss


def at_once(replay, columns, mean):
    """(the loss of all rows, the gradient of each parameter); None where no program fits them all."""
    n, shared = len(columns[0]), [p.data for p in replay.parameters]
    for source in reversed(replay.wide):
        replay.wide[source] = program = replay.wide[source] or compiled(source, NUMPY)
        try:
            with np.errstate(all="raise", under="ignore"):
                losses, gradients = program(1.0 / n if mean else 1.0, *shared, *columns)
        except (Otherwise, ArithmeticError, ValueError, TypeError):
            continue
        loss, *gradients = (float(np.broadcast_to(each, n).sum()) for each in (losses, *gradients))
        return loss / n if mean else loss, gradients
    return None
