"""The known mistakes of each exercise, as text beside wrong code; and which of them give all that was seen.

`mistakes/NN/P_name.md` holds those of an exercise. A mistake is a heading, what to say, the lesson and section that
treat it, and wrong code that makes it: a ```diff block changes the solution, a ```python block stands below it.
"""

import functools
import itertools
import re
from dataclasses import dataclass
from pathlib import Path

from exercises import library
from exercises.guard import ENDLESS
from exercises.seen import alike
from exercises.slips import slips
from exercises.verdict import PAIR, PARTLY, SLIP, WHOLE, Mistake
from exercises.wrong_engines import WRONG_ENGINES
from exercises.wrong_tensors import WRONG_TENSORS

MISTAKES = Path(__file__).with_name("mistakes")
SHOWN = 2  # mistakes of one verdict
PAIRS = 300  # of mistakes that are tried together; a number and no time, so that a verdict is the same on any machine

SEE = re.compile(r"^See lesson (\d\d), “(.+)”\.$")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Known:
    """A Mistake, and the wrong answers that make it: the text of a cell each."""

    mistake: Mistake
    changes: tuple  # ("diff" or "python", text)

    def codes(self, solution):
        """The wrong answers, made of the solution's text."""
        return tuple(changed(solution, *change) for change in self.changes)


@functools.cache
def known(name):
    """The Known mistakes of an exercise, in the order of their file; none where it has no file."""
    try:
        text = library.place(MISTAKES, name, ".md").read_text(encoding="utf-8")
    except ValueError:
        return ()
    return tuple(map(read, re.split(r"^## ", text, flags=re.MULTILINE)[1:]))


def read(text):
    """A Known mistake from its text. A heading such as M9 or TM3 takes the words of that wrong engine."""
    blocks = tuple(BLOCK.findall(text))
    heading, _, rest = BLOCK.sub("", text).partition("\n")
    lines = [line.strip() for line in rest.splitlines()]
    place = next((found.groups() for line in lines if (found := SEE.match(line))), ())
    words = " ".join(line for line in lines if line and not SEE.match(line))
    engine = next((wrong for wrong in (*WRONG_ENGINES, *WRONG_TENSORS) if wrong.id == heading.strip()), None)
    if engine is None:
        return Known(Mistake(heading.strip(), words, *place), blocks)
    named = Mistake.of(engine)
    return Known(Mistake(named.name, words or named.sentence, *(place or (named.lesson, named.section))), blocks)


def changed(solution, kind, text):
    """The text of a wrong answer. A diff replaces its lines wherever they stand; hunks are parted by an empty line."""
    if kind == "python":
        return f"{solution}\n\n{text}"
    for hunk in re.split(r"\n\s*\n", text.strip("\n")):
        lines = [(line[:1], line[1:].removeprefix(" ")) for line in hunk.splitlines()]
        old = "\n".join(rest for sign, rest in lines if sign != "+")
        new = "\n".join(rest for sign, rest in lines if sign != "-")
        if old not in solution:
            raise ValueError(f"The solution has no {old!r}.")
        solution = solution.replace(old, new)
    return solution


def explain(exercise, tests, observe):
    """(Mistakes, the words that lead to them) for the tests of a wrong answer; at most two.

    observe(code) runs a wrong answer and yields its tests. A mistake that is seen in the first failing test goes before
    all others; then those that give the same in every test; then those that give the same up to the first failing test,
    and may be meant or not.
    """
    failing = first_failing(tests)
    if tests[failing].because:
        names = tests[failing].because[:SHOWN]
        return [each.mistake for name in names for each in known(exercise) if each.mistake.name == name], WHOLE
    if not known(exercise) or tests[failing].ended == ENDLESS:
        return [], WHOLE
    solution, whole, partly = library.solution(exercise).code, [], []
    for each in known(exercise):
        agrees = [agreement(tests, observe(code)) for code in each.codes(solution)]
        if any(all_of_it for _, all_of_it in agrees):
            whole.append(each.mistake)
        elif any(count > failing for count, _ in agrees):
            partly.append(each.mistake)
    return (whole[:SHOWN], WHOLE) if whole else (partly[:SHOWN], PARTLY)


def search(exercise, tests, observe, near):
    """The same, from what no file names: a slip in the solution, or two known mistakes made together; None if nothing.

    near: the Mistakes that give a part of it, which are tried first. An answer that ended in an exception is left to
    that: it tells too little apart.
    """
    if not known(exercise) or tests[first_failing(tests)].ended:
        return None
    solution = library.solution(exercise).code
    if found := slipped(tests, observe, solution):
        return found, SLIP
    found = both(exercise, tests, observe, solution, near)
    return (found, PAIR) if found else None


def first_failing(tests):
    """The place of the first test that fails."""
    return next(i for i, test in enumerate(tests) if not test.is_right)


def slipped(tests, observe, solution):
    """The slip in a solution that gives everything, as a Mistake in a list; none if several do: then none is the cause.

    None where the solution is a plain number, which its slips would tell.
    """
    if not re.search(r"^(def|class) ", solution, re.MULTILINE):
        return []
    fit = (Mistake(slip.words, "") for slip in slips(solution) if agreement(tests, observe(slip.code))[1])
    found = list(itertools.islice(dict.fromkeys(fit), 2))
    return found if len(found) == 1 else []


def agreement(tests, others):
    """(how many tests, from the first on, two answers agree in; whether they agree in all)."""
    count = 0
    for one, other in itertools.zip_longest(tests, others):
        if one is None or other is None or not alike(one, other):
            return count, False
        count += 1
    return count, True


def both(exercise, tests, observe, solution, near):
    """The first two mistakes that give everything if they are made together, as one Mistake in a list; else none."""
    changes = [(each.mistake, change) for each in known(exercise) for change in each.changes if change[0] == "diff"]
    changes.sort(key=lambda change: change[0] not in near)
    for (one, first), (other, second) in itertools.islice(itertools.combinations(changes, 2), PAIRS):
        code = together(solution, first, second)
        if one != other and code and agreement(tests, observe(code))[1]:
            return [Mistake(f"{one.name}, and {other.name}", "", one.lesson, one.section)]
    return []


def together(solution, first, second):
    """The text of an answer with two changes; None where they are changes of the same lines."""
    try:
        code, turned = changed(changed(solution, *first), *second), changed(changed(solution, *second), *first)
    except ValueError:
        return None
    return code if code == turned and code not in (changed(solution, *first), changed(solution, *second)) else None
