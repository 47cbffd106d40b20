"""The teacher's guide: five syllabi, links to the two tests and their key, a lecture, and notes on the core."""

import tomllib
from pathlib import Path

from exercises.content.lessons import BY_NUMBER, LESSONS
from site_build.book.guide import forms
from site_build.lecture import HANDOUT

HERE = Path(__file__).parent


def syllabi():
    return tomllib.loads((HERE / "syllabi.toml").read_text(encoding="utf-8"))["syllabus"]


def tests():
    """Return the two tests and their key as MyST, {name of the page: text}."""
    return {forms.PAGES[form]: forms.page(form) for form in forms.FORMS} | {forms.PAGES["key"]: forms.key()}


def page():
    """Return the guide as MyST."""
    parts = [
        "# Teacher's guide",
        "Five ways through the course; two tests of twelve questions, one for before it and one for after it; and what "
        "to expect in class.",
        *("## Five syllabi", *map(syllabus, syllabi())),
        *("## Two tests", forms.render_guide()),
        hall(),
        *("## Notes on the lessons", *notes()),
    ]
    return "\n\n".join(parts) + "\n"


def hall():
    """Return the lecture with its handout, and how to work with an assistant, as MyST."""
    handout = HANDOUT.read_text(encoding="utf-8").strip().replace("\n## ", "\n#### ").replace("# ", "#### ", 1)
    return (HERE / "hall.md").read_text(encoding="utf-8").strip().replace("HANDOUT", handout)


def syllabus(one):
    """Return a syllabus: a row for each session."""
    rows = [
        f"| {i} | {session['minutes']} | {', '.join(map(link, session['lessons'])) or '–'} | {session['does']} |"
        for i, session in enumerate(one["session"], start=1)
    ]
    return "\n".join(
        [f"### {one['title']}", "", one["says"], "", "| | minutes | lessons | |", "|---|---|---|---|", *rows]
    )


def link(number):
    """Return a lesson's number, or a workshop's title, with a link to it."""
    lesson = BY_NUMBER[number]
    return f"[{lesson.title if lesson.after else number}](lessons/{lesson.file})"


def notes():
    """Return the note on each notebook of the core, under its title."""
    texts = tomllib.loads((HERE / "notes.toml").read_text(encoding="utf-8"))
    return [f"### {link(each.number)} · {each.title}\n\n{texts[each.number].strip()}" for each in LESSONS]
