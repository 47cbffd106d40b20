"""The teacher's guide: notes gathered from the lessons, four syllabi, twelve questions for before and after."""

import re
import tomllib
from pathlib import Path

from exercises.shelf.lessons import BY_NUMBER, HOUR, LESSONS

HERE = Path(__file__).parent
NOTE = re.compile(r"<details><summary><b>For teachers</b></summary>\n(.*?)</details>", re.DOTALL)


def syllabi():
    """The syllabi as data."""
    return tomllib.loads((HERE / "syllabi.toml").read_text(encoding="utf-8"))["syllabus"]


def questions():
    """The twelve questions as data."""
    return tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8"))["question"]


def page(notebooks):
    """The guide as MyST. notebooks: {path: notebook}, from which the notes are gathered."""
    parts = [
        "# Teacher's guide",
        "The notes for teachers at the end of each lesson, in one place; four ways through the course; and twelve "
        "questions to ask before it and after it.",
        *("## Four syllabi", *map(syllabus, syllabi())),
        *("## Twelve questions", *test()),
        *("## Notes on the lessons", *notes(notebooks)),
    ]
    return "\n\n".join(parts) + "\n"


def syllabus(one):
    """A syllabus: a row for each session."""
    rows = [
        f"| {i} | {session['minutes']} | {', '.join(map(link, session['lessons'])) or '–'} | {session['does']} |"
        for i, session in enumerate(one["session"], start=1)
    ]
    return "\n".join(
        [f"### {one['title']}", "", one["says"], "", "| | minutes | lessons | |", "|---|---|---|---|", *rows]
    )


def link(number):
    """A lesson's number, or "the hour", with a link to it."""
    if number == "one_hour":
        return f"[the hour](lessons/{HOUR})"
    return f"[{number}](lessons/{BY_NUMBER[number].file})"


def test():
    """The questions, with their options in an order that does not tell, then the answers."""
    yield "No calculator, ten to twenty minutes. Ask the same twelve both times; the second time ask why, too."
    yield "\n".join(f"{i}. {one['asks']}\n{options(one)}\n" for i, one in enumerate(questions(), start=1))
    answers = "\n".join(answer(i, one) for i, one in enumerate(questions(), start=1))
    yield f"<details><summary>The answers, and what a wrong one shows</summary>\n\n{answers}\n\n</details>"


def shuffled(question):
    """The options of a question, in an order that its text decides."""
    first = sum(map(ord, question["asks"])) % len(question["options"])
    return [*question["options"][-first:], *question["options"][:-first]] if first else question["options"]


def options(question):
    """The options, a line each."""
    return "\n".join(f"   {letter}) {text}\\" for letter, (text, _) in zip("abcd", shuffled(question))).rstrip("\\")


def answer(number, question):
    """The right option, and what each other one shows."""
    marked = list(zip("abcd", shuffled(question)))
    right = next(letter for letter, (_, shows) in marked if not shows)
    wrong = " ".join(f"*{letter}*: {shows}" for letter, (_, shows) in marked if shows)
    return f"{number}. **{right}** (lesson {link(question['lesson'])}). {wrong}"


def notes(notebooks):
    """The note of each lesson, under its title."""
    texts = {
        place.name: NOTE.search("\n".join(cell.source for cell in book.cells)) for place, book in notebooks.items()
    }
    for lesson in LESSONS:
        if found := texts.get(lesson.file):
            yield f"### {link(lesson.number)} · {lesson.title}\n\n{found[1].strip()}"
