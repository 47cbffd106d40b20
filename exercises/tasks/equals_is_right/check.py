"""The check of `equals_is_right`: a function that stays right with = in every rule, at random points."""

from exercises.judging.vocabulary import exercise
from exercises.tasks.shared.fan_out import form, sharing, trials


@exercise(determinism="calls")
def equals_is_right(equals_is_right, *, seed):
    """Check that a function of a, b and c has right gradients although every rule uses =."""
    found = trials("equals_is_right", equals_is_right, ("a", "b", "c"), seed)
    for trial in found:
        says, rows, because = form(trial)
        bad = [name for name in trial.leaves if trial.goes_wrong(name)]
        if bad and not says:
            how, because = sharing(trial, bad[0])
            says = f"With = in every rule, this goes wrong: {how}."
        yield trial.seen(says, *rows, *map(trial.row, trial.leaves), because=because)
    if found[0].shared():
        return f"Right with = at {len(found)} points, though a node is used twice: what = loses there is 0."
    return f"Right with = at {len(found)} points. No node has two consumers, so no contribution meets another."
