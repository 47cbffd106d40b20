"""The tutor gives evidence and nothing away: no line of a solution, no unopened hint, and records nothing."""

import json
import re

import nbformat
import pytest

from exercises.content import lessons, library
from exercises.explaining.catalogue import known_mistakes
from exercises.storage import progress
from exercises.teachers import tutor
from tests import notebooks
from tests.learners_files import begin_in, put

SLOPE = "def slope(f, x, h):\n    return f(x + h) - f(x) / h\n"
WRONG = [
    (name, each.mistake.name, code)
    for name in library.names()
    for each in known_mistakes(name)
    for code in each.codes(library.solution(name).code)
]


@pytest.fixture(autouse=True)
def own_files(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    begin_in(tmp_path / "own", monkeypatch)
    monkeypatch.chdir(tmp_path)


def run_tutor(capsys, *arguments):
    """Return what the command prints, as data; or, if it refuses, its sentence."""
    code = tutor.main([str(each) for each in arguments])
    said = capsys.readouterr()
    return json.loads(said.out) if code == 0 else said.err.strip()


def texts_in(data):
    if isinstance(data, dict):
        data = list(data.values())
    return [text for each in data for text in texts_in(each)] if isinstance(data, list) else [str(data)]


def given_away(name, code, data):
    """Return lines of the exercise's solution, and hints, that some data have and the learner's text has not."""
    solution = library.solution(name)
    known_lines = {line.strip() for line in f"{code}\n{library.stub(name)}".splitlines()}
    lines = {line.strip() for line in solution.code.splitlines()} - known_lines
    said = "\n".join(texts_in(data))
    return [each for each in (*lines, *solution.hints) if len(each) > 8 and '"""' not in each and each in said]


@pytest.mark.parametrize(("name", "mistake", "code"), WRONG, ids=[f"{name}-{i}" for i, (name, *_) in enumerate(WRONG)])
def test_evidence_on_a_known_mistake_reveals_no_solution_line(name, mistake, code):
    found = tutor.evidence(name, code)
    assert found["verdict"] == "wrong" and found["says"] and found["ask_next"].endswith("?"), (mistake, found)
    assert given_away(name, code, found) == [], mistake
    assert found["reread"].startswith(("lesson ", "the workshop ")), mistake
    assert not progress.tries(name) and not progress.passed(name)


def test_leak_detector_finds_solution_lines_and_hints():
    code = library.solution("slope").code
    assert given_away("slope", SLOPE, {"says": [f"Write {code.splitlines()[2].strip()}"]})
    assert given_away("slope", SLOPE, {"hint": {"text": library.solution("slope").hints[0]}})
    assert not given_away("slope", code, {"says": code.splitlines()[2].strip()})
    assert {name for name, *_ in WRONG} == {*library.names()} and len(WRONG) > 1000


def test_evidence_on_a_wrong_answer(capsys, tmp_path):
    (tmp_path / "mine.py").write_text(f"print('noise')\n{SLOPE}", encoding="utf-8")
    found = run_tutor(capsys, "slope", tmp_path / "mine.py")
    assert found["known_mistake"] == {"name": "missing brackets", "how_sure": "Known mistake"}
    case, (row,) = found["smallest_failing_case"], found["differs"]
    f, x, h = eval(re.search(r"f = (.*)", case)[1]), *map(float, re.search(r"slope\(f, (.*), (.*)\)", case).groups())
    assert float(row["expected"]) == pytest.approx((f(x + h) - f(x)) / h, abs=1e-4)
    assert float(row["got"]) == pytest.approx(f(x + h) - f(x) / h, abs=1e-4)
    assert found["reread"] == "lesson 01, “A floor, and its slope”"
    assert found["hint"] == {"reached": 0, "of": 2, "text": ""}


def test_evidence_does_not_reveal_the_fix(capsys, tmp_path):
    changed = "def slope(f, x, h):\n    ahead = f(x - h)\n    return (ahead - f(x)) / h\n"
    (tmp_path / "mine.py").write_text(changed, encoding="utf-8")
    found = run_tutor(capsys, "slope", tmp_path / "mine.py")
    assert found["known_mistake"] is None and "`ahead = f(x - h)`" in found["ask_next"]
    assert "f(x + h)" not in "\n".join(texts_in({**found, "asks": ""}))


def test_data_that_is_the_answer_is_withheld():
    code = library.solution("used_three_times").code
    wrong = re.sub(r"contributions = \[.*?\]", "contributions = [1.0, 2.0, 3.0]", code)
    found = tutor.evidence("used_three_times", wrong)
    assert found["verdict"] == "wrong" and wrong != code
    right = {}
    exec(code, right)
    assert [text for text in texts_in(found) if str(right["contributions"]) in text] == []


def test_hints_are_shown_in_order_once_opened(capsys, tmp_path):
    (tmp_path / "mine.py").write_text(SLOPE, encoding="utf-8")
    assert run_tutor(capsys, "slope", "mine.py", "--hint", 2).startswith("Hint 2 comes after hint 1")
    first, second = library.solution("slope").hints
    assert run_tutor(capsys, "slope", "--hint", 1, "mine.py")["hint"] == {"reached": 1, "of": 2, "text": first}
    assert run_tutor(capsys, "slope", "mine.py")["hint"]["text"] == first, "it is remembered"
    assert run_tutor(capsys, "slope", "mine.py", "--hint", 2)["hint"] == {"reached": 2, "of": 2, "text": second}


def test_saved_notebook_is_read_when_no_file_is_given(capsys, tmp_path):
    file = lessons.BY_NUMBER["01"].file
    notebook = notebooks.read(notebooks.NOTEBOOKS / file)
    cell = next(cell for cell in notebook.cells if library.exercise_of(cell) == "slope")
    at = notebook.cells.index(cell)
    cell.source = SLOPE.replace("return f(x + h)", "return ahead(f, x, h)")
    helper = "def ahead(f, x, h):\n    return f(x + h)\nprint(undefined)"
    notebook.cells.insert(at, nbformat.v4.new_code_cell(helper))
    (tmp_path / "notebooks").mkdir()
    nbformat.write(notebook, tmp_path / "notebooks" / file)
    found = run_tutor(capsys, "slope")
    assert found["file"] == file and found["known_mistake"]["name"] == "missing brackets"
    assert run_tutor(capsys, "make_value")["verdict"] == "not yet"


def test_passed_part_is_read_from_the_engine(capsys, tmp_path):
    put("make_value")
    found = run_tutor(capsys, "make_value")
    assert found["file"] == "my_engine.py" and found["verdict"] == "passed"
    assert run_tutor(capsys, "rules", tmp_path / "own" / "my_engine.py").startswith(
        "my_engine.py has no answer to rules"
    )


FILES = {  # a file, its content, and a part of the message about it
    "syntax.py": ("def slope(f, x, h)\n    return 0", "SyntaxError in line 1"),
    "name.py": ("slop = 3", "The answer does not define `slope` yet."),
    "zero.py": ("1 / 0", "Running the answer raised ZeroDivisionError"),
    "loop.py": ("def slope(f, x, h):\n    while True:\n        pass", "It had not ended"),
    "mine.txt": ("", "An answer comes from a .py or an .ipynb file; got mine.txt."),
    "half.ipynb": ('{"cells": [', "half.ipynb is not a complete notebook."),
    "other.ipynb": ('{"cells": []}', "other.ipynb has no cell with the tag exercise-slope."),
    "my_engine.py": ("mine = 3", "The answer cannot be read: it is not a my_engine.py of this course."),
}


@pytest.mark.parametrize("file", FILES)
def test_unreadable_or_failing_file_gets_one_message(file, capsys, tmp_path):
    text, said = FILES[file]
    (tmp_path / file).write_text(text, encoding="utf-8")
    found = run_tutor(capsys, "slope", file)
    assert said in (found if isinstance(found, str) else found["says"])
    assert (tmp_path / file).read_text(encoding="utf-8") == text
    assert run_tutor(capsys, "slope", "gone.py").startswith("[Errno 2]")
    assert run_tutor(capsys, "nothing", file).startswith("There is no exercise 'nothing'.")
