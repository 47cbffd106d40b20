"""The front page: a lab to begin with, four doors, the lessons, and what a wrong answer gets."""

import html
import re

from exercises.content.lessons import LESSONS, WORKSHOPS
from figures.labs.goal import goal
from site_build.book import recorded, shared, texts

TITLE = "Backpropagation *from scratch*"
LEAD = (
    "How <code>loss.backward()</code> works: an engine that you write yourself, and figures that you drag, step and "
    "break. For programmers who know Python and the derivative of x²."
)
WRONG = """\
from exercises import check

def slope(f, x, h):
    return f(x + h) - f(x) / h

check.slope(slope)"""
START = (
    "git clone ADDRESS backprop-from-scratch && cd backprop-from-scratch\n"
    'python3 -m venv .venv && .venv/bin/pip install -e ".[lab]" && .venv/bin/backprop'
)
PICTURES = {  # of the lessons on their cards, from figures/gallery
    **{"00": "goal", "01": "nudge", "02": "neuron", "03": "paths", "04": "depth_first", "05": "descent"},
    **{"06": "lottery", "07": "microscope", "08": "matmul", "09": "classifier", "10": "colours"},
}
TABLE = re.compile(r"(?:^\|.*\n?)+", re.MULTILINE)
RAW = "```{{raw}} html\n{}\n```".format


def page(files, where):
    """Return the page as MyST. files: the Shared. where: the address of a page that runs a lesson, with {}; or ""."""
    return "\n\n".join(
        [
            f"# {TITLE}",
            RAW(f'<div class="front-lead"><p>{LEAD}</p><p class="front-ways">{"".join(ways(where))}</p></div>'),
            RAW(f'<div class="front-lab">{files.slim(recorded.answered(goal()))}</div>'),
            RAW(f'<nav class="front-doors" aria-label="Where to begin">{"".join(map(door, doors()))}</nav>'),
            f"Have you written an engine already? {files_door(where)} whether it is right, and which mistakes it has:",
            "```bash\n.venv/bin/backprop doctor engine.py\n```",
            "## The lessons",
            "Minutes behind a + are those of exercises that may be skipped.",
            cards(texts.lessons().replace("](notebooks/", "](lessons/"), "lessons", lambda row: PICTURES.get(row[2:4])),
            "## What a wrong answer gets",
            "An exercise of lesson 01 asks for the slope of a secant. Leave out two brackets, and the check knows it:",
            f"```python\n{WRONG}\n```",
            RAW(shared.linked(files.slim(verdict())).replace('href="', 'href="lessons/')),
            "## On your own machine",
            "You need Python 3.11 or later. It is two lines, the first with the address of the project's repository in "
            "the place of `ADDRESS`:",
            f"```bash\n{START}\n```",
            "## Beside the lessons",
            "[The labs](labs.md) · [Glossary](glossary.md) · [Cheat sheet](cheat_sheet.md) · "
            f"[From the micrograd lecture](micrograd.md) · [Bugs in the wild]({texts.BUGS}.md) · "
            "[Teacher's guide](teachers.md) · reference of [autograd](reference/autograd.md), "
            "[figures](reference/figures.md) and [exercises](reference/exercises.md) · "
            '<a href="search.html">Search</a> · <a href="THIRD_PARTY_NOTICES.txt">Licences</a>',
        ]
    )


def cards(text, kind, picture):
    """Return Markdown with its tables as cards. picture: a function of a row that returns its picture's name, or None.

    Tables whose rows have pictures are of this kind, the others "plain".
    """

    def table(found):
        head, line, *rows = found[0].splitlines()
        pictures = [picture(row) for row in rows]
        if any(pictures):
            images = [f"![](gallery/{name}.svg)" if name else "" for name in pictures]
            head, line, *rows = f"| {head}", f"|---{line}", *(f"| {each} {row}" for each, row in zip(images, rows))
        body = "\n".join([head, line, *rows])
        return f"````{{container}} cards {kind if any(pictures) else 'plain'}\n{body}\n````\n"

    return TABLE.sub(table, text)


def ways(where):
    """Yield the links next to the lab: to read, and to run the lessons if a page with them is next to the book."""
    first = LESSONS[0].file
    yield f'<a class="front-way" href="{built(first)}">Begin to read</a>'
    if where:
        yield f'<a class="front-way" href="../{html.escape(where.format(first))}">Run it in the browser</a>'


def files_door(where):
    """Return the beginning of a sentence: a link to the page that takes an engine's file, if it is next to the book."""
    page = f"../{where.partition('lab/')[0]}doctor/index.html"
    return f'<a href="{page}">Drop its file here</a>, or run this. Both say' if where else "This says"


def doors():
    """Yield (where it leads, for whom, title, what is behind it) for each door. The lessons give all counts."""
    first, *rest = LESSONS
    hours = round(sum(lesson.minutes for lesson in rest) / 60)
    yield (
        *(built(first.file), f"One sitting · {first.minutes} minutes", "See the one idea"),
        "Seven lines of your own find every slope of a small network, and it learns with them.",
    )
    yield (
        *(built(rest[0].file), f"Five evenings · {hours} hours", "Build the engine"),
        f"An engine of your own that reads handwriting and invents colours. Then {len(WORKSHOPS)} workshops.",
    )
    yield (
        *("bughunt.html", "A game · 2 minutes a case", "Hunt the bug"),
        "One rule of an engine may be wrong. Find it in as few moves as you can.",
    )
    yield (
        *("teachers.html", "For teachers", "Teach with it"),
        "Five syllabi, notes on every lesson, and two parallel tests, for before and after.",
    )


def door(one):
    """Return a door as HTML: one link, named by all of its text."""
    where, for_whom, title, behind = one
    return f'<a class="front-door" href="{where}"><small>{for_whom}</small> <b>{title}</b> <span>{behind}</span></a>'


def built(notebook):
    """Return the page of a lesson, as the front page names it."""
    return f"lessons/{notebook.removesuffix('.ipynb')}.html"


def verdict():
    """Return what the last line of WRONG shows in a notebook, as its HTML."""
    *lines, last = WRONG.splitlines()
    names = {}
    exec("\n".join(lines), names)
    return eval(last, names)._repr_mimebundle_()["text/html"]
