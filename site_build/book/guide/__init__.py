"""The teacher's guide: notes gathered from the lessons, four syllabi, and the way to the two tests and their key."""

import re
import tomllib
from pathlib import Path

from exercises.shelf.lessons import BY_NUMBER, HOUR, LESSONS
from site_build.book.guide import forms

HERE = Path(__file__).parent
NOTE = re.compile(r"<details><summary><b>For teachers</b></summary>\n(.*?)</details>", re.DOTALL)


def syllabi():
    """The syllabi as data."""
    return tomllib.loads((HERE / "syllabi.toml").read_text(encoding="utf-8"))["syllabus"]


def tests():
    """The two tests and their key as MyST, {name of the page: text}."""
    return {forms.PAGES[form]: forms.page(form) for form in forms.FORMS} | {forms.PAGES["key"]: forms.key()}


def page(notebooks):
    """The guide as MyST. notebooks: {path: notebook}, from which the notes are gathered."""
    parts = [
        "# Teacher's guide",
        "The notes for teachers at the end of each lesson, in one place; four ways through the course; and two tests "
        "of twelve questions, one for before it and one for after it.",
        *("## Four syllabi", *map(syllabus, syllabi())),
        *("## Two tests", forms.said()),
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


def notes(notebooks):
    """The note of each lesson, under its title."""
    texts = {
        place.name: NOTE.search("\n".join(cell.source for cell in book.cells)) for place, book in notebooks.items()
    }
    for lesson in LESSONS:
        if found := texts.get(lesson.file):
            yield f"### {link(lesson.number)} · {lesson.title}\n\n{found[1].strip()}"
