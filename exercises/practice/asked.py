"""`Question`: a question of the gym, with named wrong answers; and the slips of arithmetic, which any question has."""

import functools
import math
import operator
from dataclasses import dataclass

from exercises.content.library import Mistake
from exercises.explaining.typed_numbers import matches, reading
from exercises.verdicts.cases import Case

LEAST = {1: 2, 2: 2}  # the fewest mistakes with different answers; five from level 3 on
NAMED = 3  # the most mistakes that are named for one answer
LARGEST, APART = 20, 0.011  # the limit for numbers in a graph; the distance between answers, which have two decimals

SIGN = Mistake("a slip of arithmetic: the sign", "The size is right, the sign is not.")
TENS = Mistake("a slip of arithmetic: the decimal point", "The digits are right, ten times too large or too small.")
SWAPPED = Mistake("a slip of arithmetic: two digits swapped", "The digits are right, in the wrong order.")


@dataclass(frozen=True)
class Question:
    """A graph and a question about it.

    says: the question. code: the computation, as lines of Python. case: the graph; None if only shapes are given.
    asked: a leaf's name, or (name, row, column) of an array. upstream: the root's grad, if given.
    answer: a number, or one of the options. wrong: {Mistake: the answers that it gives}, the most specific first.
    patterns: names of the ideas that it requires, such as "fan-out".
    """

    level: int
    says: str
    code: str
    case: Case | None
    asked: object
    answer: object
    wrong: dict
    patterns: tuple
    options: tuple = ()
    upstream: tuple = ()

    def right(self, given):
        """Return whether this is the answer."""
        return given == self.answer if self.options else number_of(given) is not None and matches(given, self.answer)

    def mistakes_of(self, given):
        """Return at most three Mistakes that give an answer; none if no known one does, or if it is right."""
        if self.right(given) or (not self.options and number_of(given) is None):
            return ()
        fits = functools.partial(operator.eq, given) if self.options else functools.partial(matches, given)
        return tuple(mistake for mistake, answers in self.wrong.items() if any(map(fits, answers)))[:NAMED]

    def certain(self, given):
        """Return the only known Mistake that gives an answer, as a tuple; () if it may be anything else.

        A number that is off by 1 or by 2 may be a slip of counting, whatever else gives it.
        """
        found = self.mistakes_of(given)
        near = not self.options and any(matches(given, self.answer + off) for off in (-2, -1, 1, 2))
        return () if near or len(found) != 1 else found

    @property
    def answer_told(self):
        """The answer as learners read it."""
        return self.answer if self.options else f"{self.answer:.4f}".rstrip("0").rstrip(".")

    def render_text(self):
        """Return the question as lines."""
        options = [f"  {option}" for option in self.options]
        return "\n".join([*self.code.splitlines(), self.says.replace("`", ""), *options])


def number_of(given):
    """Return an answer as a number; None if it is none. A text such as "0.42*3" is one."""
    if not isinstance(given, str):
        return given
    try:
        return reading(given)[0]
    except ValueError:
        return None


def enough(level, wrong):
    """Return whether enough mistakes give different answers to make a question of a level worth asking."""
    taken = []
    for numbers in wrong.values():
        taken += [number for number in numbers if all(abs(number - other) > APART for other in taken)][:1]
    return len(taken) >= LEAST.get(level, 5)


def gathered(answer, found):
    """Return {Mistake: the numbers that it gives} of those that differ from the answer.

    found: (number, Mistake, whether it is made everywhere, as a program would). A 0 is named only for those: by hand, a
    0 is seldom the one slip that happens to cancel.
    """
    wrong = {}
    for number, mistake, everywhere in found:
        far = math.isfinite(number) and abs(number - answer) > APART
        if far and (abs(number) >= APART or (everywhere and number == 0)):
            wrong.setdefault(mistake, {})[round(number, 6) + 0.0] = True
    return {mistake: tuple(numbers) for mistake, numbers in wrong.items()}


def with_arithmetic(answer, wrong):
    """Add the slips of arithmetic, which any question has. The sign comes first: it is seen, not guessed."""
    return gathered(answer, [(-answer, SIGN, True)]) | wrong | gathered(answer, arithmetic(answer))


def arithmetic(answer):
    """Yield (number, Mistake, True) for slips of arithmetic other than the sign."""
    yield answer * 10, TENS, True
    yield answer / 10, TENS, True
    if answer == int(answer) and 10 <= abs(answer) < 100:
        digits = f"{abs(answer):.0f}"
        yield math.copysign(float(digits[::-1]), answer), SWAPPED, True
