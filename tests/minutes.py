"""How long a notebook takes to work through, counted from its cells: the stated minutes must agree.

The paces are those of the faster of two people who worked through the course with a clock.
"""

import re

import figures
from exercises.quizzes import quiz_data

WORDS_A_MINUTE = 150
A_CELL, A_QUESTION, A_LAB = 0.25, 0.5, 4  # minutes; a prediction is a question
SHARE = 0.1  # by which the stated minutes may differ from those counted
FIGURE = re.compile(r"\bfigures\.(\w+)\(")
HEADING = re.compile(r"^(#+) ", re.MULTILINE)
PRINTED = re.compile(r"^\*.*?(\d+) minutes?( · may be skipped)?\*$", re.MULTILINE)
STATED = re.compile(r"\b(\d+) minutes\b[^*]*(?:\*\*,? and (\d+) more for what may be skipped)?")


def needed(notebook):
    """Return the minutes of all that may not be skipped.

    They are words at 150 a minute, a quarter of a minute per code cell, half a minute per question or prediction, 4
    minutes per lab, exercises as printed. Notes for teachers do not count.
    """
    skipped = may_skip(notebook)
    cells = [cell for i, cell in enumerate(notebook.cells) if i not in skipped]
    prose = "\n".join(
        cell.source for cell in cells if cell.cell_type == "markdown" and "<b>For teachers</b>" not in cell.source
    )
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    text = "\n".join(code)
    labs = sum(getattr(figures, name).__module__.startswith("figures.labs.") for name in re.findall(FIGURE, text))
    questions = 3 * text.count("exercises.recall(") + prose.count("**Predict")
    for lesson in re.findall(r'exercises\.quiz\("(\w+)"\)', text):
        questions += sum(question["part"] == "quiz" for question in quiz_data.load(lesson)["questions"])
    return (
        len(re.sub(r"<[^>]+>", " ", prose).split()) / WORDS_A_MINUTE
        + sum(int(minutes) for minutes, _ in re.findall(PRINTED, prose))
        + len(code) * A_CELL
        + questions * A_QUESTION
        + (labs + text.count("exercises.debug(")) * A_LAB
    )


def apart(notebook):
    """Return the printed minutes of all that may be skipped."""
    return sum(int(found[1]) for cell in notebook.cells for found in re.finditer(PRINTED, cell.source) if found[2])


def may_skip(notebook):
    """Return the places of the cells that may be skipped: from a heading that says so to the next as high."""
    found, level = set(), None
    for i, cell in enumerate(notebook.cells):
        heading = re.search(HEADING, cell.source) if cell.cell_type == "markdown" else None
        if heading and (level is None or len(heading[1]) <= level):
            skip = any(found[2] for found in re.finditer(PRINTED, cell.source))
            level = len(heading[1]) if skip else None
        if level is not None:
            found.add(i)
    return found


def stated(notebook):
    """Return the first cell's (minutes, minutes more for what may be skipped)."""
    minutes, more = re.search(STATED, notebook.cells[0].source).groups()
    return int(minutes), int(more or 0)


def wrong(notebook):
    """Yield a sentence if the stated minutes differ from those counted by more than a tenth."""
    (minutes, more), counted = stated(notebook), needed(notebook)
    if abs(minutes - counted) > SHARE * counted:
        yield f"It says {minutes} minutes and takes {counted:.0f}."
    if more != apart(notebook):
        yield (
            f"It says {more} minutes more for what may be skipped, which has {apart(notebook)} printed. Write it as "
            f"**{minutes} minutes**, and {apart(notebook)} more for what may be skipped."
        )
