"""The teacher's guide: notes gathered from the lessons, five syllabi, and the way to the two tests and their key."""

import re
import tomllib
from pathlib import Path

from exercises.shelf.lessons import BY_NUMBER
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
        "The notes for teachers at the end of each lesson, in one place; five ways through the course; and two tests "
        "of twelve questions, one for before it and one for after it.",
        *("## Five syllabi", *map(syllabus, syllabi())),
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
    """A lesson's number, or a workshop's title, with a link to it."""
    lesson = BY_NUMBER[number]
    return f"[{lesson.title if lesson.after else number}](lessons/{lesson.file})"


def notes(notebooks):
    """The note of each lesson, under its title."""
    texts = {
        place.as_posix(): NOTE.search("\n".join(cell.source for cell in book.cells))
        for place, book in notebooks.items()
    }
    for lesson in BY_NUMBER.values():
        if found := texts.get(lesson.file):
            title = "" if lesson.after else f" · {lesson.title}"
            yield f"### {link(lesson.number)}{title}\n\n{found[1].strip()}"
