"""Every notebook: runs unsolved and solved, keeps its caps, is stripped, and has the parts it should have."""

import ast
import functools
import re

import nbformat
import pytest

from exercises.authors.missing import of_lesson
from exercises.content import lessons
from exercises.engine_file import cells, check
from site_build import doors
from tests import caps, engines, forked, minutes, notebooks

each_notebook = pytest.mark.parametrize("path", notebooks.EVERY, ids=lambda path: path.stem)
each_lesson = pytest.mark.parametrize("path", notebooks.LESSONS, ids=lambda path: path.stem)
each_workshop = pytest.mark.parametrize("path", notebooks.WORKSHOPS, ids=lambda path: path.stem)
EXAM = notebooks.NOTEBOOKS / "workshops" / "exam.ipynb"  # it shows what one asks it for


def code_of(path):
    return notebooks.cells(notebooks.read(path), "code")


def text_of(path):
    return "\n".join(cell.source for cell in notebooks.cells(notebooks.read(path), "markdown"))


def stubs(notebook):
    return [name for name in map(notebooks.exercise_of, notebook.cells) if name]


@pytest.mark.long
@pytest.mark.parametrize("with_solutions", [False, True])
@each_notebook
def test_lesson_runs_unsolved_and_solved(path, with_solutions):
    notebook = notebooks.ran(path, with_solutions)
    assert notebooks.text_of(notebook) and not notebooks.faults(notebook)
    said = notebooks.verdicts(notebook)
    expected = "✓" if with_solutions else "not yet"
    assert [name for name in stubs(notebook) if expected not in said[name]] == [], said


@pytest.mark.long
@each_notebook
def test_answers_do_not_change_other_outputs(path):
    """Solved or not, every cell shows the same: the story does not depend on answers.

    The exceptions: exercises, their checks, the progress map, cells that run the learner's own engine, and timed ones.
    """
    for before, after in zip(*(notebooks.cells(notebooks.ran(path, solved), "code") for solved in (False, True))):
        asks = re.match(r"check\.(?!predict)|exercises\.course_map", before.source)
        apart = asks or notebooks.runs_own_engine(before) or forked.varies(before)
        if notebooks.exercise_of(before) is None and not apart:
            assert forked.normalise(notebooks.output_of(before)) == forked.normalise(notebooks.output_of(after)), (
                before.source
            )


@pytest.mark.long
@pytest.mark.parametrize("way", engines.RIGHT)
@pytest.mark.parametrize("path", notebooks.LESSONS[:8], ids=lambda path: path.stem)
def test_outputs_are_the_same_for_any_right_engine(path, way):
    engine = notebooks.run(notebooks.read(path), engines.swapped(engines.TEMPLATE, *engines.RIGHT[way]))
    for cell, own in zip(*(notebooks.cells(each, "code") for each in (notebooks.ran(path), engine))):
        whose = re.search(r"my_engine\(|exercises\.debug\(|\.card\(|loss_backward|course_map|explained", cell.source)
        if not whose and not forked.varies(cell):
            (words, numbers), (own_words, own_numbers) = map(split, map(notebooks.output_of, (cell, own)))
            assert own_words == words, cell.source
            assert own_numbers == pytest.approx(numbers, rel=1e-6, abs=1e-9, nan_ok=True), cell.source


def split(text):
    number, text = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", forked.normalise(text).replace("−", "-")
    if "made by" in text:  # a graph as a table: an engine that swaps operands lists and numbers the nodes otherwise
        text = "\n".join(sorted(" ".join(line.split()[-2:]) for line in text.splitlines()))
    words = " ".join(re.sub(number, "0", text).split())  # a minus sign widens the column of a table
    return words, [float(each) for each in re.findall(number, text)]


@each_notebook
def test_lesson_keeps_its_caps(path):
    assert [*caps.all_of(path, notebooks.read(path))] == []


def test_core_keeps_its_caps():
    assert [*caps.of_the_core([notebooks.read(path) for path in notebooks.LESSONS])] == []


def test_listed_minutes_match_the_notebooks():
    stated = {each.file: (each.minutes, each.more) for each in lessons.BY_NUMBER.values()}
    read = {path: notebooks.read(path) for path in notebooks.EVERY}
    written = {path.relative_to(notebooks.NOTEBOOKS).as_posix(): minutes.stated(each) for path, each in read.items()}
    assert written == stated


@each_notebook
def test_lesson_is_stripped_and_has_no_magics_or_display_code(path):
    notebook, code = notebooks.read(path), code_of(path)
    assert [
        (cell, line) for cell in code for line in cell.source.splitlines() if line.lstrip().startswith(("%", "!"))
    ] == []
    assert [
        (cell, name) for cell in code for name in ("ipywidgets", "IPython", "display(") if name in cell.source
    ] == []
    assert [cell for cell in code if not (not cell.outputs and cell.execution_count is None)] == []
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    nbformat.validate(notebook)


@each_lesson
def test_lesson_has_every_part(path):
    number, first = path.name[:2], notebooks.read(path).cells[0].source
    assert len(re.findall(r"^# ", text_of(path), re.MULTILINE)) == 1
    assert [part for part in ("?", "minutes", "[Run it](") if part not in first] == []
    assert text_of(path).count("**Predict") >= 2
    code = "\n".join(cell.source for cell in code_of(path))
    asked = [f'exercises.recall("{number}")', f'exercises.quiz("{number}")']
    assert [code.count(call) for call in asked] == ([0, 0] if number == "00" else [1, 1])
    ends = {evening[-1] for evening in lessons.EVENINGS}
    assert code.count("exercises.done(") == (number in ends)


@each_workshop
def test_workshop_begins_with_its_question_and_ends_with_its_quiz(path):
    first, code = notebooks.read(path).cells[0].source, code_of(path)
    listed = lessons.BY_NUMBER[path.stem]
    assert first.startswith(f"# {listed.title}\n") and listed.after in first and "[Run it](" in first
    assert path == EXAM or f'exercises.quiz("{path.stem}")' in code[-1].source


@pytest.mark.parametrize("path", [path for path in notebooks.EVERY if path != EXAM], ids=lambda path: path.stem)
def test_notebook_displays_a_graph_and_a_gradient_histogram(path):
    """Graphviz lays out the graph, matplotlib draws the histogram, and both appear after Run All without a click."""
    for call, words in (("draw_graph(", "Computation graph of"), ("gradient_histogram(", "Histogram of")):
        pages = [
            output.get("data", {}).get("text/html", "")
            for cell in notebooks.cells(notebooks.ran(path), "code")
            if f"figures.{call}" in cell.source and "folded(" not in cell.source
            for output in cell.outputs
        ]
        assert any(re.search(rf'class="bp bp-picture"><img alt="[^"]*{words}', page) for page in pages), call


@each_notebook
def test_notebook_uses_at_most_two_engines(path):
    """The learner's, which is live and loaded once, and the package's."""
    code = "\n".join(cell.source for cell in code_of(path))
    assert code.count("my_engine(") <= 1 and "course_engine" not in code


@each_notebook
def test_each_exercise_has_text_stub_check_and_hints(path):
    """In the order of the lesson's list; `python -m exercises new` reports which cell is missing."""
    number = notebooks.number(path)
    found = stubs(notebooks.read(path))
    assert tuple(found) == check.EXERCISES.get(number, ())
    assert [said for name in found for said in of_lesson(name)] == []


@each_notebook
def test_only_the_exercise_cell_defines_its_names(path):
    code = code_of(path)
    given = [set(cells.names_of(cell.source)) for cell in code]
    for i, cell in enumerate(code):
        if name := notebooks.exercise_of(cell):
            asked = given[i] - {"moons_net"}
            again = [other.source for j, other in enumerate(code) if j != i and asked & given[j]]
            assert not again, (name, again)


@pytest.mark.parametrize("path", notebooks.EVERY[1:], ids=lambda path: path.stem)  # 00 begins with the self-test
def test_imports_are_in_the_first_cell_only(path):
    found = [[isinstance(n, ast.Import | ast.ImportFrom) for n in ast.walk(ast.parse(c.source))] for c in code_of(path)]
    assert [i for i, each in enumerate(found) if any(each)] == [0]


@each_notebook
def test_links_resolve(path):
    local = doors.RUNS.sub("", text_of(path)) if doors.address() else text_of(path)
    for target, heading in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", local):
        place = path.parent / target if target else path
        assert place.exists(), target
        if heading and place.suffix == ".ipynb":
            assert heading.replace("-", " ") in headings_of(place), heading


@functools.cache
def headings_of(path):
    """Return the headings of a lesson, hyphens as spaces, as links name them."""
    return [heading.replace("-", " ") for heading in re.findall(r"^#+ (.*)$", text_of(path), re.MULTILINE)]
