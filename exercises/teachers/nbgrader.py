"""For teachers: `python -m exercises nbgrader COURSE` writes the lessons as nbgrader assignments.

Each lesson with exercises becomes COURSE/source/<lesson>/<lesson>.ipynb: a cell with an exercise is a solution cell,
and below its check comes a locked cell that gives a point if the check says yes. nbgrader itself is not needed here.
"""

import argparse
import json
from pathlib import Path

from exercises.content import lessons, library

CONFIG = "nbgrader_config.py"
SETTINGS = """\
# Settings that the lessons of Backpropagation from scratch need.
import os
import tempfile

c = get_config()
c.CourseDirectory.course_id = "backpropagation"
c.ClearSolutions.code_stub = {"python": ""}  # what learners start with is above each solution
c.Execute.timeout = 120  # seconds for a cell: some train networks
os.environ.setdefault("BACKPROP_DATA_DIR", tempfile.mkdtemp())  # what is graded is not the teacher's own progress
"""
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"  # nbgrader's own markers
SCHEMA = 3  # the version of nbgrader's metadata


def metadata(grade_id, **more):
    """Return a cell's metadata for nbgrader. more: solution, or grade and points, or locked."""
    return {"grade": False, "locked": False, "solution": False, "task": False} | {
        "schema_version": SCHEMA,
        "grade_id": grade_id,
        **more,
    }


def assignment(notebook):
    """Convert a lesson's notebook, as data, for nbgrader: a source notebook with solutions and a point per exercise."""
    cells, open_name = [], ""
    for cell in notebook["cells"]:
        cells.append(cell)
        if name := library.exercise_of(cell):
            open_name = name
            solution = library.solution(name).code.strip("\n")
            cell["source"] = f"{library.stub(name)}\n{BEGIN}\n{solution}\n{END}"
            cell["metadata"] = {**cell["metadata"], "nbgrader": metadata(name, solution=True)}
        elif open_name and (asked := "".join(cell["source"]).strip()).startswith(f"check.{open_name}("):
            cells.append(graded(open_name, asked))
            open_name = ""
    return {**notebook, "cells": cells}


def graded(name, asked):
    """Return the cell that gives the point for an exercise: 1 or 0. It never raises, so Run All goes on."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"point-{name}",
        "metadata": {"nbgrader": metadata(f"{name}-point", grade=True, locked=True, points=1)},
        "outputs": [],
        "source": f"from exercises import check\n\nint(bool({asked}))  # the point for this exercise",
    }


def export(notebooks, course):
    """Write the lessons of a folder and, if there are none, the settings into a course; yield each Path."""
    for lesson in lessons.BY_NUMBER.values():
        path = notebooks / lesson.file
        if library.names(lesson.number) and path.exists():
            made = assignment(json.loads(path.read_text(encoding="utf-8")))
            place = course / "source" / path.stem / path.name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
            yield place
    if not (course / CONFIG).exists():
        (course / CONFIG).write_text(SETTINGS, encoding="utf-8", newline="\n")
        yield course / CONFIG


def main(arguments=None):
    """Read the command line, export, list what was written; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m exercises nbgrader", description=__doc__.split("\n\n")[0])
    parser.add_argument("course", metavar="COURSE", type=Path, help="the folder of an nbgrader course, or a new one")
    course = parser.parse_args(arguments).course
    notebooks = lessons.folder()
    if notebooks is None:
        print("The lessons are not here: run this in the project's folder, where it was installed with -e.")
        return 1
    try:
        course.mkdir(parents=True, exist_ok=True)
        written = list(export(notebooks, course))
    except OSError as fault:
        print(f"{course} cannot be written to: {fault.strerror or fault}.")
        return 1
    for path in written:
        print(path)
    if course / CONFIG not in written:
        print(f"{CONFIG} exists already and was not changed. The lessons need these settings in it:\n\n{SETTINGS}")
    print(f"Written into {course.resolve()}. Next, there: nbgrader generate_assignment {written[0].parent.name}")
    return 0
