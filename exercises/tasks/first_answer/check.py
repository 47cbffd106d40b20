"""The check of `first_answer`."""

from exercises.judging.vocabulary import answer, equal, exercise, seen


@exercise
def first_answer(first_answer):
    """By how much c = a + b goes up when a goes up by 1."""
    number = answer(first_answer, "your number", came="it is")
    says = "Work out c for a = 2, then for a = 3, with b = 3 both times, and compare."
    yield seen(says, ("c goes up by", "a different number", f"{number:.12g}", equal(number, 1.0)))
    return "c follows a, step for step. You have used a check; it is noted in your progress."
