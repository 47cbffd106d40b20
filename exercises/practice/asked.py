"""`Question`: what the gym asks, with the wrong answers that have names; and the slips of arithmetic, which any has."""

import math
from dataclasses import dataclass

from exercises.cases import Case
from exercises.matching import matches
from exercises.verdict import Mistake

LEAST = {1: 2, 2: 2}  # so many mistakes give different answers; five from level 3 on
LARGEST, APART = 20, 0.011  # of a number in a graph; and between two answers, which are typed to two decimals

DIVISION, FLAT = ("03", "Three patterns"), ("03", "Common mistakes")
MOST = 3  # mistakes that one number is called by

LOST_PATH = Mistake(
    "a path forgotten",
    "That is the sum without what comes along one edge. What comes along all paths to the root is added.",
    "04",
    "Break it: = for +=",
)
UPSTREAM = Mistake(
    "the upstream gradient forgotten",
    "That is the sum of the local derivatives alone. Each contribution is local × upstream.",
    "03",
    "Break it: forget the upstream gradient",
)
NO_LOCAL = Mistake(
    "no local derivative anywhere",
    "Every edge hands on what it gets, so the answer counts paths. Each contribution is local × upstream.",
    "03",
    "Two operations: multiply along the way",
)
DIVIDED = Mistake(
    "the sign of a divisor's slope", "The slope of a / b by b is minus a / b²: a larger divisor makes less.", *DIVISION
)
WITHOUT_A = Mistake("the numerator forgotten", "The slope of a / b by b is -a / b², not -1 / b².", *DIVISION)
NOT_SQUARED = Mistake("the divisor not squared", "The slope of a / b by b is -a / b², not -a / b.", *DIVISION)
EXCHANGED = Mistake("the slopes of / exchanged", "1 / b belongs to a, and -a / b² to b.", *DIVISION)
TIMES = Mistake("/ taken for *", "The slope of a / b by a is 1 / b, not b.", *DIVISION)
TANH_ITSELF = Mistake("tanh's slope taken for its output", "With output y the slope is 1 - y².", *FLAT)
TANH_LINE = Mistake("tanh's output not squared", "With output y the slope is 1 - y², not 1 - y.", *FLAT)
SIGN = Mistake("a slip of arithmetic: the sign", "The size is right, the sign is not.")
TENS = Mistake("a slip of arithmetic: the decimal point", "The digits are right, ten times too large or too small.")
SWAPPED = Mistake("a slip of arithmetic: two digits swapped", "The digits are right, in another order.")


@dataclass(frozen=True)
class Question:
    """A graph and what is asked of it.

    says: the question. code: what is computed, as lines of Python. case: the graph; None where only shapes are given.
    asked: what is asked for: a leaf's name, or (name, row, column) of an array. upstream: the root's grad, if given.
    answer: a number, or one of the options. wrong: {answer: a tuple of Mistakes}, those that give it.
    patterns: names of what must be understood for it, such as "fan-out".
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
        """Whether this is the answer."""
        return given == self.answer if self.options else not isinstance(given, str) and matches(given, self.answer)

    def named(self, given):
        """The Mistakes that give an answer; () if no known one does, or if it is right."""
        if self.right(given) or (isinstance(given, str) and not self.options):
            return ()
        if self.options:
            return self.wrong.get(given, ())
        near = [value for value in self.wrong if matches(given, value)]
        return self.wrong[min(near, key=lambda value: abs(value - given))] if near else ()

    @property
    def shown(self):
        """The answer as it is told."""
        return self.answer if self.options else f"{self.answer:.4f}".rstrip("0").rstrip(".")

    def text(self):
        """The question as lines."""
        options = [f"  {option}" for option in self.options]
        return "\n".join([*self.code.splitlines(), self.says.replace("`", ""), *options])


def enough(level, wrong):
    """Whether so many mistakes give different answers that a question of a level is worth asking."""
    return len({mistakes[0].name for mistakes in wrong.values()}) >= LEAST.get(level, 5)


def gathered(answer, found):
    """{number: Mistakes} of those that can be told from the answer: at most MOST of each number, in the order of found.

    found: (number, Mistake, whether a program leaves just that). Numbers that cannot be told apart are one. A 0 is
    named only where a program leaves it: a hand that writes 0 has seldom made the slip that happens to cancel.
    """
    wrong = {}
    for number, mistake, is_left in found:
        if not math.isfinite(number) or abs(number - answer) <= APART:
            continue
        if abs(number) >= APART or (is_left and number == 0):
            known = (other for other in wrong if other == number or (other and number and abs(number - other) <= APART))
            near = next(known, round(number, 6) + 0.0)
            known = wrong.get(near, ())
            if mistake not in known and len(known) < MOST:
                wrong[near] = (*known, mistake)
    return wrong


def with_arithmetic(answer, wrong):
    """The same, with the slips of arithmetic: these are in addition, as any question has them. The sign always is."""
    found = gathered(answer, [(number, mistake, True) for number, mistake in arithmetic(answer)])
    together = dict(wrong)
    for number, slips in found.items():
        near = next((other for other in wrong if abs(number - other) <= APART), number)
        together[near] = (*wrong.get(near, ())[: MOST - 1], *slips[:1])
    return together


def arithmetic(answer):
    """(number, Mistake) for slips of arithmetic."""
    yield -answer, SIGN
    yield answer * 10, TENS
    yield answer / 10, TENS
    if answer == int(answer) and 10 <= abs(answer) < 100:
        digits = f"{abs(answer):.0f}"
        yield math.copysign(float(digits[::-1]), answer), SWAPPED
