"""The messages about an exercise that lacks something, and about a name that no new one can have."""

import re
import shutil

import pytest

from exercises.authors import missing, new, sections
from exercises.content import library
from exercises.explaining.catalogue import known_mistakes
from exercises.sandbox import isolation
from figures.authors import templates

RIGHT, BRACKETS = "(f(x + h) - f(x)) / h", "`f(x + h) - f(x) / h`"
LACKS = {  # how the sentence begins: in which file of `slope`, the text there, and what replaces it
    "solution.py still says: “Fill in a hint”.": ("solution.py", "f is a function:", "Fill in a hint:"),
    "The solution does not pass: ✗ slope: not right yet.": ("solution.py", "h\n$", "h + 1\n"),
    "For the stub the check says “wrong”; it should say": ("stub.py", "raise NotImplementedError", "return 0.0"),
    "solution.py does not start with two hints, in a docstring": ("solution.py", "\n\nThe slope", " The slope"),
    "A hint contains a line of the solution: return (": ("solution.py", "f is a", f"return {RIGHT}. f is a"),
    "mistakes.md has 2 known mistakes; it needs at least 6.": ("mistakes.md", "\n## missing brackets.*", ""),
    "Two known mistakes are called “multiplied by h”.": ("mistakes.md", "missing brackets", "multiplied by h"),
    "“not divided by h” points to lesson 01, “A floor, and its slope”. The section does not have all of divide, ": (
        *("mistakes.md", r"\(divide, unit\)", "(divide, zebra)"),
    ),
    "“not divided by h” points to lesson 01, “A floor, and its slope”. It names no words. Words that would do": (
        *("mistakes.md", r" \(divide, unit\)", ""),
    ),
    "“not divided by h” points to lesson 01, “A floor, and its slope”. Too many sections have divide: ": (
        *("mistakes.md", r"\(divide, unit\)", "(divide)"),
    ),
    "“not divided by h” points to lesson 01, “Twice the same number”. The exercise comes before that section.": (
        *("mistakes.md", "“A floor, and its slope” .divide, unit.", "“Twice the same number” (divide, unit)"),
    ),
    "The known mistake “missing brackets” says nothing": ("mistakes.md", "Python divides before.*?divided by h.\n", ""),
    "The known mistake “not divided by h” cannot be made: The solution has no 'zebra'.": (
        *("mistakes.md", f"{re.escape(f'`{RIGHT}` → `f(x + h) - f(x)`')}\n", "`zebra` → `h`\n"),
    ),
    "The check does not refuse the known mistake “missing brackets”; it says “passed” for:": (
        *("mistakes.md", re.escape(BRACKETS), f"`({RIGHT})`"),
    ),
    "The check names “multiplied by h” where the known mistake is “missing brackets”:": (
        *("mistakes.md", re.escape(BRACKETS), "`(f(x + h) - f(x)) * h`"),
    ),
    "What is said about the known mistake “missing brackets” contains a line of the solution: return (": (
        *("mistakes.md", "Python divides", f"return {RIGHT} divides"),
    ),
    "Its files do not work yet: SyntaxError": ("solution.py", "return", "return ="),
}


@pytest.fixture
def slope(tmp_path, monkeypatch):
    """Return a folder with the files of the exercise `slope`, which replaces the real one."""
    isolation.snapshot()  # else the checks would take what is put in place here for the course's own, from now on
    own = library.place
    shutil.copytree(own("slope", ""), tmp_path / "slope")
    monkeypatch.setattr(
        library, "place", lambda name, file: (tmp_path if name == "slope" else own(name, "")) / name / file
    )
    known_mistakes.cache_clear()
    yield tmp_path / "slope"
    known_mistakes.cache_clear()


@pytest.mark.parametrize("said", LACKS)
@pytest.mark.long
def test_missing_exercise_parts_are_named(slope, said):
    file, old, new = LACKS[said]
    text, count = re.subn(
        old, new.replace("\\", r"\\"), (slope / file).read_text(encoding="utf-8"), count=1, flags=re.DOTALL
    )
    assert count == 1
    (slope / file).write_text(text, encoding="utf-8")
    assert [each for each in missing.missing("slope") if each.startswith(said)], missing.missing("slope")


CALL = 'check.slope(slope); and exercises.hints("slope").'
CELLS = {  # what is done with the four cells of `slope`, and how the sentence begins
    "no stub": (
        lambda four: [four[0], *four[2:]],
        "Lesson 01 has no cell with the tag exercise-slope. Four cells follow",
    ),
    "another stub": (
        lambda four: [four[0], four[1] | {"source": "x"}, *four[2:]],
        "The cell with the tag exercise-slope in",
    ),
    "no text": (lambda four: four[1:], "Above the cell with the tag exercise-slope its text is missing. Four cells"),
    "no hints": (lambda four: four[:3], "Below the cell with the tag exercise-slope there are other cells. Four cells"),
    "all": (list, None),
}


@pytest.mark.parametrize("what", CELLS)
def test_missing_lesson_cells_are_named(what, monkeypatch):
    change, said = CELLS[what]
    cells = sections.cells("01")
    at = next(i for i, cell in enumerate(cells) if library.exercise_of(cell) == "slope")
    four = change(cells[at - 1 : at + 3])
    monkeypatch.setattr(sections, "cells", lambda lesson: four)
    found = [*missing.of_lesson("slope")]
    assert not found if said is None else len(found) == 1 and found[0].startswith(said), found


REFUSED = {
    "99 saddle": "There is no lesson 99. There are: 00, 01, ",
    "07 steps-to-leave": "'steps-to-leave' is no name for it: small letters, digits and underscores",
    "07 class": "'class' is no name for it: ",
    "07 slope": "slope is an exercise of lesson 01: choose a different name.",
    "07 predict": "check.predict exists already: choose a different name.",
    "10 shared": "exercises/tasks/shared exists already, but no exercise of this name.",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_invalid_exercise_names_get_a_message(arguments, capsys, monkeypatch):
    monkeypatch.setattr(new, "write", None)  # should a name be free one day, nothing is written here
    assert new.main(arguments.split()) == 1
    assert capsys.readouterr().out.startswith(REFUSED[arguments])


def test_missing_repository_gets_a_message(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(templates, "ROOT", tmp_path)
    assert new.main(["01", "slope"]) == 1
    assert capsys.readouterr().out == f"The repository is not in {tmp_path}: install the course there with -e.\n"


def test_complete_exercise_has_nothing_missing(capsys):
    assert new.main(["1", "slope"]) == 0
    assert capsys.readouterr().out.startswith("Nothing is missing.\n`python -m benchmarks.mutants ")
