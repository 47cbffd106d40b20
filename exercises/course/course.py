"""The map of the course: its lessons, their minutes, and a learner's progress in each."""

import html
from dataclasses import dataclass

from exercises.content import lessons, library
from exercises.engine_file import store
from exercises.quizzes.due import due_today
from exercises.quizzes.quiz_data import load
from exercises.storage import milestones, progress
from figures.page.style import page_sheet

LOOKS = """
.bp-map { max-width: 900px; }
.bp.bp-map table { width: 100%; margin: 0; font-size: 14px; table-layout: auto; }
.bp.bp-map table :is(th, td) { padding: 2px 10px; text-align: left; white-space: nowrap; }
.bp.bp-map table :is(th, td) { background: transparent; color: var(--bp-ink); }
.bp.bp-map tbody tr:nth-child(n) { background: transparent; }
.bp.bp-map table thead th { font-size: 12px; font-weight: 400; color: var(--bp-soft); }
.bp.bp-map table tbody th { font-weight: 400; white-space: normal; }
.bp.bp-map table .bp-minutes { text-align: right; }
.bp-map .bp-dots { color: var(--bp-right); letter-spacing: 2px; margin-right: 8px; }
.bp.bp-map table .bp-planned { color: var(--bp-soft); }
"""


@dataclass(frozen=True)
class Row:
    """A lesson or workshop: its notebook ("" if it is not here), and how much of its exercises and quiz is done."""

    number: str
    title: str
    time: str
    notebook: str
    passed: int
    exercises: int
    right: int
    questions: int


class CourseMap:
    """The lessons as a table, with the current progress."""

    def __init__(self, rows):
        self.rows = rows

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html(), "text/plain": repr(self)}

    def __repr__(self):
        lines = [f"{'':4}{'lesson':60}{'minutes':>7}  {'exercises':11}quiz"]
        lines += [
            f"{row.number:4}{row.title:60}{row.time:>7}  {exercises_of(row):11}{quiz_of(row)}".rstrip()
            for row in self.rows
        ]
        return "\n".join([*lines, "", *self.sentences()])

    def sentences(self):
        """Return sentences on the progress so far, and where it is stored."""
        there = [row for row in self.rows if row.notebook]
        passed, total = sum(row.passed for row in there), sum(row.exercises for row in there)
        kept = "in this kernel's memory only" if progress.kept_in_memory() else f"in {progress.path()}"
        told = [
            f"Exercises passed: {passed} of {total}.",
            milestones.describe(),
            due_today(),
            f"Progress is kept {kept}.",
            store.in_memory(),
        ]
        return [*filter(None, told)]

    def html(self):
        """Return the table, with a link to each lesson that exists."""
        body = "".join(map(row_html, self.rows))
        head = '<th scope="col">lesson</th><th scope="col" class="bp-minutes">minutes</th>'
        head += '<th scope="col">exercises</th><th scope="col">quiz</th>'
        notes = "".join(f'<p class="bp-note">{html.escape(sentence)}</p>' for sentence in self.sentences())
        looks = page_sheet() + LOOKS
        return (
            f'<div class="bp bp-map"><style>{looks}</style>'
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}</div>"
        )


def row_html(row):
    name = html.escape(f"{row.number} · {row.title}" if row.number else row.title)
    if row.notebook:
        name = f'<a href="{html.escape(row.notebook)}">{name}</a>'
    dots = ""
    if row.notebook and row.exercises:
        dots = f'<span class="bp-dots" aria-hidden="true">{"●" * row.passed}{"○" * (row.exercises - row.passed)}</span>'
    kind = "" if row.notebook else ' class="bp-planned"'
    return (
        f'<tr><th scope="row"{kind}>{name}</th><td class="bp-minutes">{row.time}</td>'
        f"<td{kind}>{dots}{exercises_of(row)}</td><td>{quiz_of(row)}</td></tr>"
    )


def exercises_of(row):
    """Return how many of a lesson's exercises are passed, in words."""
    if not row.notebook:
        return "not here"
    return f"{row.passed} of {row.exercises}" if row.exercises else "–"


def quiz_of(row):
    """Return how many of a quiz's questions were right at the last answer, in words."""
    if not row.notebook:
        return ""
    return f"{row.right} of {row.questions}" if row.questions else "–"


def course_map():
    """Show the lessons and workshops of this course, their minutes, and your progress."""
    folder = lessons.folder()
    return CourseMap([row(lesson, folder) for lesson in lessons.BY_NUMBER.values()])


def row(lesson, folder):
    """Return the Row of a lesson. folder: where the notebooks are, or None."""
    names = library.names(lesson.number)
    data = load(lesson.number)
    asked = [question["id"] for question in data["questions"] if question["part"] == "quiz"] if data else []
    return Row(
        "" if lesson.after else lesson.number,
        f"{lesson.title} (after {lesson.after})" if lesson.after else lesson.title,
        lesson.time,
        lessons.link(lesson.file) if folder and (folder / lesson.file).exists() else "",
        sum(map(progress.passed, names)),
        len(names),
        sum(progress.question(name)["right"] for name in asked),
        len(asked),
    )
