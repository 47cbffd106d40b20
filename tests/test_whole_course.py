"""The whole course as a learner goes through it: from no file to an engine of their own that learns XOR without us."""

import os
import re
import subprocess
import sys

import pytest

from exercises import library, own, parts
from tests import forked, lessons

ASSIGNING = ("add_rule", "multiply_rule")  # lesson 03 takes = as well as +=


def answer(name, assigns):
    """The solution of an exercise; where the learner writes = in lesson 03, their rules with that."""
    code = library.solution(name).code
    return code.replace("+=", "=") if assigns and name in ASSIGNING else code


@pytest.mark.parametrize("assigns", [False, True], ids=["+=", "="])
def test_solutions_one_by_one_grow_an_engine_that_learns_xor(assigns, tmp_path, monkeypatch):
    for name in forked.FRESH:
        monkeypatch.setenv(name, str(tmp_path))
    said = []
    for path in lessons.LESSONS:
        with forked.kernel(tmp_path) as running:  # each lesson in a new kernel, the files as the last one left them
            for cell in lessons.cells(lessons.read(path), "code"):
                name, tags = lessons.exercise_of(cell), cell.metadata.get("tags", [])
                if name:
                    running.run(answer(name, assigns))
                elif cell.source.startswith("import") or "own-engine" in tags or in_the_way(cell):
                    said.append((path.name[:2], cell.source, running.run(cell.source)))
                    assert not forked.is_error(said[-1][2]), said[-1]
                elif "check." in cell.source and "check.predict" not in cell.source:
                    text = running.run(cell.source)
                    assert not re.match("✗|○", text), text
    file = (tmp_path / own.FILE).read_text()
    mine, _ = own.parse(file)
    assert mine.keys() == {
        part.name for part in parts.EXERCISES if not any(part.name in other.replaces for other in parts.PARTS)
    }
    found = subprocess.run([sys.executable, "-I", "-c", file], capture_output=True, text=True, cwd="/", timeout=60)
    assert not found.stderr
    rows = re.findall(r"^\[(\d), (\d)\] (\d) (\S+)$", found.stdout, re.MULTILINE)
    assert len(rows) == 4 and all((float(output) > 0.5) == (target == "1") for _, _, target, output in rows)
    loads = [text for _, source, text in said if "my_engine(" in source]
    assert "all 18 parts so far are yours" in loads[-1]
    assert all("Your rule" not in text for text in loads)  # lesson 04 has mended what lesson 03 took


def in_the_way(cell):
    """Whether a cell makes data that an answer of lesson 09 or 10 uses."""
    return "make_moons(" in cell.source


def test_a_rule_that_assigns_and_was_never_mended_is_said_from_lesson_05_on(tmp_path, monkeypatch):
    for name in forked.FRESH:
        monkeypatch.setenv(name, str(tmp_path))
    with forked.kernel(tmp_path) as running:
        running.run("import exercises, math, random\nfrom exercises import check")
        running.run(answer("add_rule", True))
        assert running.run("check.add_rule(add_with_rule)").startswith("✓")
        assert "Your rule" not in running.run('mine = exercises.my_engine("04")')
        assert "Your rule of + assigns" in running.run('mine = exercises.my_engine("05")')
        assert running.run("a = mine.Value(3.0); b = a + a; b.grad = 1.0; b._backward(); a.grad") == "2.0"
    assert os.environ["BACKPROP_ENGINE_DIR"] == str(tmp_path)
