"""Answers that are on no list of known mistakes, and the checks' replies: one file per exercise in `attempts/`.

A heading is `## right`, `## wrong` or `## not yet`, with a word on what the answer does. Below it come one or more
answers, and what each verdict says:

    ## wrong: the biases are left out         the state, and what is special
    `(n + 1) * m` → `n * m`                   changes of the solution, each in a line; one answer
    - `n + 1` → `n`, `m` → `1` “words”        the same in an item: a separate answer, and what holds only for it
    ```python, ```diff                        as in known mistakes: each block a separate answer
    Named: a name | another.                  the mistakes that are called the cause, all of them; `Named: none.`
    “words”, Not “words”                      what the verdict says, and what it does not
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from exercises.content import library
from exercises.content.library import ARROW, BLOCK, changed
from exercises.engine_file import check
from exercises.verdicts.results import MENDED

ATTEMPTS = Path(__file__).parents[2].joinpath("attempts")
NAMED = re.compile(r"Named: (.+?)\.(?=$| [“N])", re.MULTILINE)
WORDS = re.compile(r"(Not )?“([^”\n]+)”")


@dataclass(frozen=True)
class Attempt:
    """An answer's text, and what its verdict must be."""

    exercise: str
    heading: str
    code: str
    names: tuple | None  # of the causes; None if the file does not say
    words: tuple  # (what the verdict says, whether it does)

    @property
    def state(self):
        return {"right": "passed"}.get(kind := self.heading.partition(":")[0], kind)


def attempts(exercise):
    text, solution = (ATTEMPTS / f"{exercise}.md").read_text(encoding="utf-8"), library.solution(exercise).code
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, rest = part.partition("\n")
        answers = [(changed(solution, *block), "") for block in BLOCK.findall(rest)]
        of_all, *items = re.split(r"^- ", BLOCK.sub("", rest), flags=re.MULTILINE)
        texts = [*([of_all] if ARROW.search(WORDS.sub("", of_all)) else []), *items]
        answers += [(changed(solution, "→", WORDS.sub("", each)), each if each in items else "") for each in texts]
        if not answers:
            raise ValueError(f"{exercise}, {heading}: there is no answer")
        for code, own in answers:
            said = f"{own}\n{of_all}"
            named = NAMED.search(said)
            names = None if named is None else () if named[1] == "none" else tuple(named[1].split(" | "))
            words = tuple((each, not negated) for negated, each in WORDS.findall(said))
            if left := ARROW.sub("", WORDS.sub("", NAMED.sub("", said))).replace(",", "").strip():
                raise ValueError(f"{exercise}, {heading}: {left}")
            yield Attempt(exercise, heading, code, names, words)


ALL = [each for path in sorted(ATTEMPTS.glob("*.md")) for each in attempts(path.stem)]


@pytest.mark.parametrize("attempt", ALL, ids=lambda each: f"{each.exercise}: {each.heading}")
def test_attempt_gets_the_verdict_in_its_file(attempt):
    checked = getattr(check, attempt.exercise)
    found = checked(*checked.answers(attempt.code))
    assert found.state == attempt.state, (attempt.code, found)
    if attempt.names is not None:
        causes = [mistake.name for mistake in found.mistakes if found.is_whole and found.lead != MENDED]
        assert tuple(causes) == attempt.names, (attempt.code, found)
    for words, are_said in attempt.words:
        assert (words in found.render_text()) is are_said, (words, attempt.code, found)
