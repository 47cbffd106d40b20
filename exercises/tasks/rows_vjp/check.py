"""The check of `rows_vjp`: the contributions to each row, added one after the other."""

from exercises.judging.vocabulary import function_exercise
from exercises.tasks.shared.arrays import taken


@function_exercise
def rows_vjp(rows_vjp, *, seed=0):
    """`rows_vjp(x, rows, upstream)` gives each row of x the sum of what arrived where it was used."""
    for rule in taken(seed):
        yield rule.test(rows_vjp)
    return f"Right for {len(taken(seed))} choices of rows: a row that was taken twice has two contributions."
