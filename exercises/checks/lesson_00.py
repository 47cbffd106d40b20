"""The check of lesson 00: one number, so that a learner has tried a check once."""

from exercises.grading import answer, exercise, wrong
from exercises.verdict import Mistake

SLIPS = {  # what other numbers of c = a + b, with a = 2 and b = 3, would be the answer to
    6.0: ("That is c afterwards", "6 is what c becomes. By how much is that more than before?"),
    5.0: ("That is c before", "5 is c at the start. What is it once a is one larger?"),
    3.0: ("That is a afterwards", "3 is what a becomes, and b was 3 all along. The question is about c."),
    2.0: ("That is a before", "2 is a at the start. The question is by how much c changes."),
    -1.0: ("The other way", "The size is right. When a goes up, does c go up or down?"),
    0.0: ("b alone stands still", "b does not change, but c is made of a as well."),
}


@exercise
def first_answer(given):
    """By how much c = a + b goes up when a goes up by 1."""
    number = answer(given, "your number")
    if number == 1:
        return "c follows a, step for step. You have used a check; it is noted in your progress."
    slips = [Mistake(*SLIPS[number])] if number in SLIPS else []
    return wrong("Work out c for a = 2, then for a = 3, with b = 3 both times, and compare.", mistakes=slips)
