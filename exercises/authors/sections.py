"""The lessons' text by section, and whether a known mistake points to a section that treats it.

An entry declares the words that identify it: `See lesson 01, “Nudge both ways” (brackets, divides).` It has at least
one word or phrase. All of them are in that section, and together in fewer than a tenth of the course's sections.
"""

import functools
import itertools
import json
import re
from dataclasses import replace

from exercises.content import lessons, library
from exercises.engine_file.check import LESSON_OF

SHARE = 0.1
MOST = 3  # the most words, pairs of words, or sections that are proposed
PLAIN = frozenset(  # words that say nothing about a mistake
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
    """Return the cells of a lesson ("03") or a workshop, each source as one text."""
    notebook = json.loads((lessons.folder() / lessons.BY_NUMBER[lesson].file).read_text(encoding="utf-8"))
    return [{**cell, "source": "".join(cell["source"])} for cell in notebook["cells"]]


@functools.cache
def sections():
    """Return {(lesson, heading): the section's text in lower case, up to the next heading of its level or above}."""
    found = {}
    for lesson in lessons.BY_NUMBER.values():
        text = "\n\n".join(
            c["source"] if c["cell_type"] == "markdown" else re.sub(r"^#", "\\\\#", c["source"], flags=re.M)
            for c in cells(lesson.number)
        )
        headings = list(HEADING.finditer(text))
        for i, each in enumerate(headings):
            end = next((h.start() for h in headings[i + 1 :] if len(h[1]) <= len(each[1])), len(text))
            found[lesson.number, each[2].strip().replace("-", " ")] = text[each.start() : end].lower()
    return found


def cell_of(name):
    """Return the index of an exercise's cell in its lesson; if there is none yet, one after all others."""
    found = [library.exercise_of(cell) for cell in cells(LESSON_OF[name])]
    return found.index(name) if name in found else len(found)


def has(text, words):
    """Return whether all words occur in a text, each at the beginning of a word: "divide" is in "divides"."""
    return all(re.search(rf"(?<![a-zà-ÿ0-9_]){re.escape(word.lower())}", text) for word in words)


@functools.cache
def count_of(words):
    return sum(has(other, words) for other in sections().values())


def places(lesson):
    """Return {heading: the index of its cell in a lesson}."""
    texts = [(i, cell["source"]) for i, cell in enumerate(cells(lesson)) if cell["cell_type"] == "markdown"]
    return {heading[2].strip().replace("-", " "): i for i, text in texts for heading in HEADING.finditer(text)}


def is_met(place, lesson, cell):
    """Return whether a reader at a cell of a lesson has passed a place: (lesson, heading)."""
    number, heading = place
    if number == lesson:
        return places(number)[heading.replace("-", " ")] < cell
    return number in lessons.before(lesson)


def fault(mistake, words, lesson=None, cell=0):
    """Return what is wrong with an entry's pointer, in a sentence; "" if nothing. lesson, cell: of its exercise."""
    if not mistake.lesson:
        return ""
    text = sections().get((mistake.lesson, mistake.section.replace("-", " ")))
    if text is None:
        return "There is no such section."
    if lesson and not is_met((mistake.lesson, mistake.section), lesson, cell):
        return "The exercise comes before that section."
    if not words:
        return "It names no words."
    if not has(text, words):
        return f"The section does not have all of {', '.join(words)}."
    count = count_of(words)
    limit = SHARE * len(sections())
    return "" if count < limit else f"Too many sections have {', '.join(words)}: {count} of {len(sections())}."


def advice(mistake):
    """Return what to write in place of a pointer: words for its section, or sections of its lesson with such words."""
    if words := proposals(mistake):
        return f"Words that would do: {'; '.join(map(', '.join, words))}."
    headings = [heading for lesson, heading in sections() if lesson == mistake.lesson]
    found = [(each, words[0]) for each in headings if (words := proposals(replace(mistake, section=each), 1))]
    if not found:
        return f"No section of lesson {mistake.lesson} has a rare word of it: use the lesson's words."
    few = sorted(found, key=lambda each: len(sections()[mistake.lesson, each[0]]))[:MOST]
    told = "; ".join(f"“{each}” ({', '.join(words)})" for each, words in few)
    return f"Sections that would do: {told}."


def proposals(mistake, most=MOST):
    """Return words of the mistake, alone or two together, that would do: single words first, and the rarest."""
    text = sections().get((mistake.lesson, mistake.section.replace("-", " ")), "")
    own = dict.fromkeys(re.findall(r"[a-z_]{3,}|[+*=/-]{2}", f"{mistake.name} {mistake.sentence}".lower()))
    here = [word for word in own if word not in PLAIN and has(text, [word])]
    chosen = [words for n in (1, 2) for words in itertools.combinations(here, n)]
    counted = sorted((len(words), count_of(words), words) for words in chosen)
    return [words for _, count, words in counted if count < SHARE * len(sections())][:most]
