"""`certificate`: the exam in one picture: which test catches which engine, the diagnoses, ten gym questions."""

import itertools
import textwrap

from exercises.clinic.answers import LEVELS, MOST, PATIENTS, ExamEngines, begin, sheet
from exercises.clinic.instruments import INSTRUMENTS, MINUTES
from exercises.clinic.patients import faults
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.verdicts.results import printable_text
from figures.page import svg
from figures.page.picture import Picture, labelled

WIDTH, LEFT, CELL, GAP = 856, 76, 23, 14  # pixels: the picture, the cells' left margin, a cell, between groups
LETTERS, LINE = 122, 18  # characters that fit a line, and its height
LONGEST = 60  # characters of a name
UNFINISHED = "Not everything has been handed in yet."


def certificate(name=""):
    """Draw the exam as a Picture, even if it is not finished. name: whose it is, if the picture should say so."""
    if not isinstance(name, str):
        raise TypeError(f"certificate takes a name, a string; got {type(name).__name__}.")
    begin()
    return drawn(sheet(), name)


def drawn(found, name=""):
    """Draw a Sheet as a Picture."""
    known, matrix, whole = found.cases, found.matrix, found.whole
    name = " ".join(printable_text(name).split())[:LONGEST]
    title = f"The exam of the debugging clinic{f', {name}' if name else ''}{'' if whole else ': so far'}"
    right = sum(each.right for each in known)
    diagnosed = f"{right} of {PATIENTS} programs with a fault diagnosed, {MINUTES} minutes each"
    ends = [exam_says(found), found.source]
    ends.append(f"Answers {', '.join(filter(None, (found.fingerprint, found.day)))}." if whole else UNFINISHED)
    foot = " ".join(filter(None, ends))
    about, rows, away = tests_say(matrix), [patient_says(each) for each in known], not_caught(matrix)
    parts, top = [], 0

    def put(text, kind, step, left=16):
        nonlocal top
        top += step
        parts.append(svg.label(text, left, top, kind))

    put(title, "heading", 28)
    put(capital(about), "name", 30)
    cells, end = matrix_drawn(matrix, top + 22)
    parts.append(cells)
    top = end - LINE
    for line in away:
        put(line, "caption start", LINE)
    put(capital(diagnosed), "name", LINE + 20)
    for first, *others in rows:
        put(first, "", LINE + 6)
        for line in others:
            put(line, "caption start", LINE, 34)
    put(questions_say(found.given), "name", 32)
    for line in questions_in_lines(found.given):
        put(line, "", LINE)
    put(foot, "caption start", 32)
    told = [*itertools.chain(*rows), questions_say(found.given), *questions_in_lines(found.given), foot]
    text = "\n".join([title, about, *tests_in_words(matrix), *away, diagnosed, *told])
    short = f"{title}. {about}. {diagnosed}. {questions_say(found.given)}."
    return Picture(labelled(svg.svg(WIDTH, top + 16, *parts), short), short, text)


def tests_say(matrix):
    if matrix is None:
        return f"tests against {len(ExamEngines.wrong)} wrong engines: not handed in yet"
    tests, held = len(matrix.killed), [wrong for wrong in matrix.caught if wrong not in WRONG_ENGINES]
    return (
        f"{tests} test{'s' * (tests != 1)} against {len(matrix.wrong)} wrong engines: {matrix.score} caught, "
        f"{len(held)} of the {len(matrix.wrong) - len(WRONG_ENGINES)} held out among them"
    )


def tests_in_words(matrix):
    if matrix is None:
        return []
    return [
        f"test {i}: {' '.join(wrong.id for wrong, killed in zip(matrix.wrong, row) if killed) or 'none'}"
        for i, row in enumerate(matrix.killed, start=1)
    ]


def not_caught(matrix):
    if matrix is None:
        return []
    away = [f"{wrong.id} {wrong.name}" for wrong in matrix.wrong if wrong not in matrix.caught]
    return textwrap.wrap(f"Not caught: {'; '.join(away)}." if away else "None was missed.", LETTERS)


def patient_says(each):
    """Return the lines on a patient: the diagnosis, the cause, and the instruments used."""
    if not each.named:
        return [f"○ {each.number}: not diagnosed yet"]
    named, cause = faults()[each.named].cause, faults()[each.cause].cause
    used = ", ".join(INSTRUMENTS[name].title for name in each.taken) or "no instrument"
    used = f"{used}; suspected: {each.suspected[:LONGEST]}" if each.suspected else used
    if each.right:
        return [f"✓ {each.number}: {named}", f"with {used}"]
    return [f"✗ {each.number}: {cause}", f"named: {named}", f"with {used}"]


def exam_says(found):
    """Return which exam it is, so that anybody can draw it again; and how many were begun, by the progress file."""
    count = "" if found.begun is None else f" Exams started, according to the file: {found.begun}."
    return f"Exam {found.seed}.{count}"


def questions_say(given):
    right = sum(each for each, _ in given.values())
    return f"{right} of {len(LEVELS)} questions of the gym right on the first answer"


def questions_in_lines(given):
    signs = ["○" if place not in given else "✓" if given[place][0] else "✗" for place in range(1, len(LEVELS) + 1)]
    found = [f"{sign} {place} (level {level})" for place, (sign, level) in enumerate(zip(signs, LEVELS), start=1)]
    half = len(found) // 2
    return [", ".join(found[:half]), ", ".join(found[half:])]


def matrix_drawn(matrix, top):
    """Draw the matrix, one engine per column, one test per row, the last row for any test. Return (svg, its end)."""
    wrong, killed = (matrix.wrong, matrix.killed) if matrix else (ExamEngines.wrong, ())
    rows = [(f"test {i + 1}", killed[i] if i < len(killed) else None) for i in range(max(MOST, len(killed)))]
    rows.append(("caught", tuple(map(any, zip(*killed))) if killed else None))
    parts, first = [], len(WRONG_ENGINES)
    for j, title in ((0, "the twenty, M1 to M20"), (first, f"held out, {wrong[first].id} to {wrong[-1].id}")):
        parts.append(svg.label(title, column(j) + 1, top + 4, "caption start"))
    for j, each in enumerate(wrong):
        parts.append(svg.label(each.id[1:], column(j) + CELL / 2, top + 21, "tick"))
    for i, (title, row) in enumerate(rows):
        y = top + 27 + i * CELL + (8 if i == len(rows) - 1 else 0)
        parts.append(svg.label(title, LEFT - 10, y + 16, "caption end"))
        for j in range(len(wrong)):
            yes = bool(row and row[j])
            box = f"M{column(j) + 1},{y + 1}h{CELL - 2}v{CELL - 2}h{2 - CELL}Z"
            parts.append(f'<path class="{"bars s2" if yes else "grid"}" d="{box}"/>')
            if row is not None:
                parts.append(svg.label("✓" if yes else "·", column(j) + CELL / 2, y + 16, "value"))
    return "".join(parts), top + 27 + len(rows) * CELL + 8 + 22


def column(j):
    """Return the left edge of an engine's column; the engines that are held out are set apart."""
    return LEFT + j * CELL + (GAP if j >= len(WRONG_ENGINES) else 0)


def capital(text):
    return text[:1].upper() + text[1:]
