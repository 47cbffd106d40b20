"""`python -m exercises new 07 steps_to_leave` writes the files of a new exercise; again, it says what is missing."""

import argparse
import os
import re
import tempfile
from pathlib import Path
from unittest import mock

from exercises.authors.missing import CELLS, FILES, missing
from exercises.content import lessons, library
from exercises.engine_file import check
from figures.authors import templates
from figures.authors.templates import from_root, report_missing, write

TEMPLATE = Path(__file__).with_name("template")
NEXT = (
    "Fill in every “Fill in”. Then add its cells to notebooks/{file}. {cells} "
    "The same command again says what is still missing."
)
AT_LAST = (
    "`python -m benchmarks.mutants {name}` shows which changes of its solution the check accepts; "
    "`python -m tests.caps notebooks/{file}` whether its lesson has room; `python -m tests.snapshots --approve "
    "{name}` approves its texts."
)


def refused(lesson, name):
    """Return a sentence on why a lesson can have no exercise of this name; "" if it can, or has."""
    if lesson not in lessons.BY_NUMBER:
        return f"There is no lesson {lesson}. There are: {', '.join(lessons.BY_NUMBER)}."
    if fault := templates.refused(name):
        return fault
    if where := check.LESSON_OF.get(name):
        return "" if where == lesson else f"{name} is an exercise of lesson {where}: choose a different name."
    if name in check.OTHERS:
        return f"check.{name} exists already: choose a different name."
    taken = next((path for path in (library.TASKS / f"{name}.py", library.TASKS / name) if path.exists()), None)
    return f"{from_root(taken)} exists already, but no exercise of this name." if taken else ""


def write_files(lesson, name):
    """Write the files of a new exercise, and list it as the last of its lesson; yield the path of each."""
    for file in FILES:
        write(TEMPLATE / f"{file}.txt", library.TASKS / name / file, name=name, lesson=lesson)
        yield library.TASKS / name / file
    listing = library.TASKS / "__init__.py"
    text = listing.read_text(encoding="utf-8")
    row = re.compile(rf'(?<=    "{lesson}": \()[^)]*')
    names = ", ".join(f'"{each}"' for each in (*library.names(lesson), name))
    listing.write_text(row.sub(f"{names}," if "," not in names else names, text), encoding="utf-8", newline="\n")
    yield listing


def main(arguments=None):
    """Write a new exercise's files, or print what one lacks; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m exercises new", description=__doc__)
    parser.add_argument("lesson", metavar="LESSON", help="the lesson's number, such as 07, or the workshop's name")
    parser.add_argument("name", metavar="NAME", help="the exercise: its check is check.NAME")
    options = parser.parse_args(arguments)
    lesson, name = options.lesson.zfill(2), options.name
    if fault := refused(lesson, name):
        print(fault)
        return 1
    if name not in check.LESSON_OF:
        for path in write_files(lesson, name):
            print(f"Written: {from_root(path)}")
        cells = CELLS.format(name=name, call=f"check.{name}({name})")
        print(NEXT.format(file=lessons.BY_NUMBER[lesson].file, cells=cells))
        return 0
    places = ("BACKPROP_DATA_DIR", "BACKPROP_ENGINE_DIR")  # so that nobody's progress or engine changes
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, dict.fromkeys(places, folder)):
        lacks = report_missing(missing(name))
    if not lacks:
        print(AT_LAST.format(name=name, file=lessons.BY_NUMBER[lesson].file))
    return lacks
