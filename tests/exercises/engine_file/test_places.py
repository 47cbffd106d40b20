"""The course's own text of both files: it runs by itself, it is the solutions' text, and it is short."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograd.lessons import digits
from exercises.content import library
from exercises.engine_file import merging, trial
from exercises.engine_file.parts import EXERCISES, PROVIDED
from exercises.engine_file.places import FILE, FILES, TENSOR_FILE, template
from exercises.engine_file.source import COURSES, parse
from exercises.engine_file.sources import Sources
from tests.learners_files import sources_with

ASIDE = ("check_gradients", "dual", "momentum_step")  # tools, which are in the file once they are passed
SHORTER = ("Tensor.sum", "Tensor.__getitem__", "Tensor.__matmul__")  # than the solutions, by functions of workshops


def passed(lesson):
    """Return the Sources of a learner whose answers up to a lesson are the course's solutions."""
    names = [part.name for part in EXERCISES if part.lesson <= lesson and part.name not in ASIDE]
    return sources_with(*names)


@pytest.mark.parametrize(("lesson", "file", "limit"), [("04", FILE, 97), ("07", FILE, 172), ("09", TENSOR_FILE, 162)])
def test_files_with_all_solutions_are_short(lesson, file, limit):
    text = passed(lesson).texts()[file]
    assert sum(bool(line.strip()) for line in text.split("\n")) <= limit
    assert not re.search(r"(?m)^# ──|Put to work|^Value\.\w+ = |[0-9a-f]{8}", text)
    assert "super" not in text and text.count('"""') < 80


def test_provided_files_equal_the_solutions():
    sources = passed("10")
    for file, item in sources.theirs():
        if (known := template(file).find(item.name)) and item.name not in SHORTER:
            assert item.tree == known.tree, item.name


def test_provided_files_run_standalone(tmp_path):
    for file in FILES:
        shutil.copyfile(PROVIDED / file, tmp_path / file)
    shutil.copyfile(digits.FILE, tmp_path / digits.FILE.name)
    xor, read = (
        subprocess.run([sys.executable, tmp_path / file], capture_output=True, encoding="utf-8", cwd="/", timeout=120)
        for file in FILES
    )
    assert re.match(r"XOR: loss 1\.8\d+ at first, 0\.00\d+ after 500 epochs\n", xor.stdout), xor.stderr
    assert int(re.match(r"Digits: (\d+) of 397", read.stdout)[1]) > 375, read.stderr


CLASS = """
class Collecting(Value):
    '''Adds.'''

    # a comment
    def __add__(self, other):
        return self.combined(as_value(other), other, "+")

    def combined(self, other, _, sign):
        out = Value(self.data + other.data, (self, other), sign)

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
"""


@pytest.mark.parametrize("exercise", ["first_rules", "rules"])
def test_class_methods_merge_into_value_with_helpers_and_comments(exercise):
    text = CLASS + "\n    def __mul__" + library.solution(exercise).code.partition("    def __mul__")[2]
    sources = Sources()
    merging.merge(sources, exercise, text, ("Collecting",))
    sources.fill()
    written = sources.texts()[FILE]
    assert "\n    # Adds.\n    # a comment\n    def __add__(self, other):\n        return self.comb" in written
    assert "class Collecting" not in written and sources.owned() == [exercise]
    namespace, broken = trial.build(sources, Path("/nowhere", FILE))
    assert not broken and trial.works(namespace.names) == ""


@pytest.mark.parametrize("lesson", ["00", "01", "02", "04", "05", "06", "07", "08", "09", "10"])
def test_files_grow_with_the_lesson_and_parse_back(lesson):
    sources = Sources()
    sources.fill(lesson)
    texts = sources.texts()
    assert ("class Neuron:  # the course's" in texts[FILE]) == (lesson >= "06")
    assert (TENSOR_FILE in texts) == (lesson >= "08")
    for file, text in texts.items():
        compile(text, file, "exec")
        again = parse(text)
        assert again.to_source() == text
        assert [item for item, _ in again.all() if item.name not in ("head", "import") and not item.is_courses] == [], (
            file
        )
        assert text.count(COURSES) == len([item for item, _ in again.all() if item.is_courses])
