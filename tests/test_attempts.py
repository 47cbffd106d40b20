"""Answers that no list of known mistakes has, and what the checks say to them: a file an exercise in `attempts/`.

A heading is `## right`, `## wrong` or `## not yet`, with a word on what the answer does. Below it stand the answer, or
several, and what each verdict says:

    ## wrong: the biases are left out         the state, and what is special
    `(n + 1) * m` → `n * m`                   changes of the solution, each in a line; one answer
    ```python, ```diff                        as in exercises/mistakes: each block an answer of its own
    Named: a name | another.                  the mistakes that are called the cause, all of them; `Named: none.`
    “words”                                   what the verdict says, each in a line
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from exercises.engine_file import check
from exercises.explaining.known import BLOCK, changed
from exercises.shelf import library
from exercises.verdicts.verdict import MENDED

ATTEMPTS = Path(__file__).with_name("attempts")
CHANGE = re.compile(r"^`(.+?)` → `(.*)`$", re.MULTILINE)


@dataclass(frozen=True)
class Attempt:
    """An answer's text, and what the verdict on it is to be."""

    exercise: str
    heading: str
    code: str
    names: tuple | None  # of the causes; None where the file does not say
    says: tuple

    @property
    def state(self):
        """The verdict's state."""
        return {"right": "passed"}.get(kind := self.heading.partition(":")[0], kind)


def attempts(exercise):
    """The Attempts of an exercise's file."""
    text, solution = (ATTEMPTS / f"{exercise}.md").read_text(encoding="utf-8"), library.solution(exercise).code
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, rest = part.partition("\n")
        said = CHANGE.sub("", BLOCK.sub("", rest))
        named = re.search(r"^Named: (.+)\.$", said, re.MULTILINE)
        names = None if named is None else () if named[1] == "none" else tuple(named[1].split(" | "))
        codes = [changed(solution, *block) for block in BLOCK.findall(rest)]
        if changes := CHANGE.findall(BLOCK.sub("", rest)):
            codes.append(replaced(solution, changes))
        rest = [line for line in said.splitlines() if line.strip() and not line.startswith(("“", "Named: "))]
        if not codes or rest:
            raise ValueError(f"{exercise}, {heading}: {rest or 'there is no answer'}")
        for code in codes:
            yield Attempt(exercise, heading, code, names, tuple(re.findall(r"^“(.+)”$", said, re.MULTILINE)))


def replaced(solution, changes):
    """The solution with each text, which it holds once, in place of another; `\\n` in a change is a new line."""
    for old, new in ([each.replace("\\n", "\n") for each in change] for change in changes):
        if solution.count(old) != 1:
            raise ValueError(f"The solution has {old!r} {solution.count(old)} times.")
        solution = solution.replace(old, new)
    return solution


ALL = [each for path in sorted(ATTEMPTS.glob("*.md")) for each in attempts(path.stem)]


@pytest.mark.parametrize("attempt", ALL, ids=lambda each: f"{each.exercise}: {each.heading}")
def test_an_answer_is_judged_as_its_file_says(attempt):
    checked = getattr(check, attempt.exercise)
    found = checked(*checked.answers(attempt.code))
    assert found.state == attempt.state, (attempt.code, found)
    if attempt.names is not None:
        causes = [mistake.name for mistake in found.mistakes if found.is_whole and found.lead != MENDED]
        assert tuple(causes) == attempt.names, (attempt.code, found)
    for words in attempt.says:
        assert words in found.text(), (attempt.code, found)
