"""The lessons' text by section, and whether a known mistake points to a section that treats it.

An entry says with which words: `See lesson 01, “Nudge both ways” (brackets, divides).` They stand in that section, and
together in fewer than a tenth of the course's sections.
"""

import functools
import itertools
import json
import re

from exercises.shelf import lessons

SHARE = 0.1
PLAIN = frozenset(  # words that tell nothing of a mistake
    re.findall(
        r"\S+",
        """
the and that not its for one are was with what this from has each only all but then than once which into who
other it's here there where when how much many makes made gives given comes take takes does did too two them
they have more most last first out over own same such still also any belongs
""",
    )
)
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


@functools.cache
def cells(lesson):
    """The cells of a lesson ("03") as its notebook holds them, each source one text."""
    notebook = json.loads((lessons.folder() / lessons.BY_NUMBER[lesson].file).read_text(encoding="utf-8"))
    return [{**cell, "source": "".join(cell["source"])} for cell in notebook["cells"]]


@functools.cache
def sections():
    """{(lesson, heading): the section's text in small letters, to the next heading of its level or of a higher one}."""
    found = {}
    for lesson in lessons.LESSONS:
        text = "\n\n".join(
            c["source"] if c["cell_type"] == "markdown" else re.sub(r"^#", "\\\\#", c["source"], flags=re.M)
            for c in cells(lesson.number)
        )
        headings = list(HEADING.finditer(text))
        for i, each in enumerate(headings):
            end = next((h.start() for h in headings[i + 1 :] if len(h[1]) <= len(each[1])), len(text))
            found[lesson.number, each[2].strip().replace("-", " ")] = text[each.start() : end].lower()
    return found


def has(text, words):
    """Whether all words stand in a text, each from its beginning on: "divide" is in "divides"."""
    return all(re.search(rf"(?<![a-zà-ÿ0-9_]){re.escape(word.lower())}", text) for word in words)


def fault(mistake, words):
    """What is wrong with an entry's pointer, in a sentence; "" if nothing."""
    if not mistake.lesson:
        return ""
    text = sections().get((mistake.lesson, mistake.section.replace("-", " ")))
    if text is None:
        return "There is no such section."
    if len(words) < 2:
        return "It declares fewer than two words."
    if not has(text, words):
        return f"The section has not all of {', '.join(words)}."
    count = sum(has(other, words) for other in sections().values())
    return "" if count < SHARE * len(sections()) else f"{count} of {len(sections())} sections have {', '.join(words)}."


def proposals(mistake, most=3):
    """Pairs of the mistake's own words that would do, the rarest first."""
    text = sections().get((mistake.lesson, mistake.section.replace("-", " ")), "")
    own = dict.fromkeys(re.findall(r"[a-z_]{3,}|[+*=/-]{2}", f"{mistake.name} {mistake.sentence}".lower()))
    here = [word for word in own if word not in PLAIN and has(text, [word])]
    counted = sorted(
        (sum(has(other, pair) for other in sections().values()), pair) for pair in itertools.combinations(here, 2)
    )
    return [pair for count, pair in counted if count < SHARE * len(sections())][:most]
