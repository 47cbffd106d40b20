"""Each line of the engine that is shown has its explanation next to it, in its own file."""

import ast
import inspect
import operator
import textwrap

import pytest

import autograd
import exercises
from exercises.content import library
from exercises.engine_file import line_by_line
from exercises.engine_file.parts import PROVIDED

SHOWN = [each[0] for what in ("engine", "network") for each in exercises.explained(what).parts]


def lines_of(part):
    """Return (file, Line) of each line of a part and of its wires."""
    given = PROVIDED / f"{part.name}.py"
    file = given if given.exists() else library.place(part.name, "solution.py")
    yield from ((file, line) for line in part.lines)
    yield from ((PROVIDED / "wires.py", line) for line in line_by_line.WIRES.get(part.name, ()))


@pytest.mark.parametrize("part", SHOWN, ids=lambda part: part.name)
def test_every_shown_line_has_an_explanation(part):
    missing = [
        f"{file}, line {line.number}: `{line.code.strip()}` does not say what it does. Write it behind `  #: `."
        for file, line in lines_of(part)
        if line.code.strip() and not line.says and '"""' not in line.code
    ]
    assert not missing, "\n".join(missing)


def test_solutions_shown_to_learners_have_no_explanation_marks():
    assert not [name for name in library.names() if "#:" in library.solution(name).code]


@pytest.mark.parametrize("name", line_by_line.PACKAGE)
def test_explained_lines_match_the_package_source(name):
    """So that an explanation stays next to its line when the package changes."""
    lines = textwrap.dedent(inspect.getsource(operator.attrgetter(name)(autograd))).splitlines()
    first = ast.parse("\n".join(lines)).body[0].body[0]
    if isinstance(first, ast.Expr):  # its docstring
        del lines[first.lineno - 1 : first.end_lineno]
    for (number, code, says), line in zip(line_by_line.PACKAGE[name], lines, strict=True):
        place = f"{PROVIDED / 'package.py'}, line {number}: `{code.strip()}`"
        assert code == line, f"{place} is `{line.strip()}` in the package."
        assert says, f"{place} does not say what it does."


def test_explanation_may_continue_on_the_next_line():
    text = "x = 1  # one  #: The number\n#: of ones.\n\ny = 2\n"
    assert library.lines(text) == [(1, "x = 1  # one", "The number of ones."), (3, "", ""), (4, "y = 2", "")]
    assert library.code(library.lines(text)) == "x = 1  # one\n\ny = 2\n"
