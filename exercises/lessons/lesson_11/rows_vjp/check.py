"""The check of `rows_vjp`."""

from exercises.judging.answers import needs_functions
from exercises.judging.grading import exercise
from exercises.lessons.lesson_11.shared import taken


@exercise
def rows_vjp(rows_vjp, *, seed=0):
    """`rows_vjp(x, rows, upstream)` gives each row of x the sum of what arrived where it was used."""
    needs_functions(rows_vjp=rows_vjp)
    for rule in taken(seed):
        yield rule.test(rows_vjp)
    return f"Right for {len(taken(seed))} choices of rows: a row that was taken twice has two contributions."
