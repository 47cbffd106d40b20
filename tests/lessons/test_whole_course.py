"""The whole course as a learner goes through it: from no file to an engine of their own that learns XOR without us."""

import re

import pytest

from exercises.engine_file import parts
from exercises.engine_file.places import FILE
from exercises.shelf import library
from tests import forked, notebooks
from tests.learners_files import owned_in, runs_alone


def answer(name, assigns):
    """Return the solution of an exercise; the rules of lesson 03, which takes = as well as +=, with = if asked."""
    code = library.solution(name).code
    return code.replace("+=", "=") if assigns and name == "rules" else code


def go_through(paths, folder, assigns):
    """Run these lessons as a learner does, with the solutions; what loading the engine and its card said each time.

    Each lesson runs in a copy of a new kernel, the files as the last one left them. Cells of the story, which
    test_notebooks runs, are left out where no exercise and nothing of the learner's own needs them.
    """
    loads = []
    with forked.kernel() as running:
        running.run("import exercises, figures\nfrom exercises import check")
        for path in paths:
            code = notebooks.needed(notebooks.cells(notebooks.read(path), "code"), is_asked)
            names = [notebooks.exercise_of(cell) for cell in code]
            sources = [answer(name, assigns) if name else shorter(cell.source) for name, cell in zip(names, code)]
            for source, text in zip(sources, running.tried(here(folder), *sources)[1:]):
                assert not forked.is_error(text), (path.name, source, text)
                if re.match(r"check\.(?!predict|kill_matrix)", source):
                    assert text.startswith("✓"), text
                if "my_engine(" in source or source.endswith("mine.card()"):
                    loads.append(text)
    return loads


def shorter(source):
    """A cell's source, with what it trains at length cut to a step or an epoch: test_notebooks runs it whole."""
    return re.sub(r"\bepochs=\d\d\b|(?<=, 32, )300\b", lambda found: "epochs=1" if "=" in found[0] else "1", source)


def here(folder):
    """The cell that has a kernel keep the engine and progress in a folder."""
    return "\n".join(["import os", *(f"os.environ[{name!r}] = {str(folder)!r}" for name in forked.FRESH)])


def is_asked(cell):
    """Whether a cell is an exercise, its check, or runs the learner's engine."""
    return notebooks.exercise_of(cell) or notebooks.runs_own_engine(cell) or cell.source.startswith("check.")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder for the engine and progress, here and in kernels."""
    for name in forked.FRESH:
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


@pytest.mark.long
def test_solutions_one_by_one_grow_an_engine_that_learns_xor(folder):
    assert not (folder / FILE).exists()
    loads = go_through(notebooks.LESSONS, folder, assigns=False)
    mine = owned_in(folder)
    replaced = {name for part in parts.PARTS for name in part.replaces}
    assert mine == {part.name for part in parts.EXERCISES} - replaced - {"add", "multiply"}
    places = [part for part in parts.EXERCISES if not part.replaces and part.lesson < "15"]
    digits = [re.search(r"It reads digits: (.*)", said)[1] for said in loads if "It reads digits" in said]
    assert len(digits) == 3 and digits[:2] == ["Not yet: lessons 11 and 12."] * 2 and "Not yet" not in digits[2]
    assert f"all {len(places)} parts so far are yours" in loads[-1] and "Your rule" not in "".join(loads)
    assert runs_alone(folder)


@pytest.mark.long
def test_who_assigned_in_lesson_03_meets_the_bug_and_mends_it_in_lesson_04(folder):
    loads = go_through([path for path in notebooks.LESSONS if "02" <= path.name[:2] <= "05"], folder, assigns=True)
    mine = owned_in(folder)
    assert "collect" in mine and "rules" not in mine
    assert any("all 10 parts so far are yours" in load for load in loads) and "Your rule" not in "".join(loads)


@pytest.mark.long
def test_a_rule_that_assigns_and_was_never_mended_is_said_from_lesson_05_on(folder):
    with forked.kernel(folder) as running:
        running.run("import exercises, math, random\nfrom exercises import check")
        running.run('Value = exercises.my_engine("03").Value')
        running.run(answer("rules", True))
        assert running.run("check.rules(Arithmetic)").startswith("✓")
        assert "Your rule" not in running.run('mine = exercises.my_engine("04")')
        assert "Your rule of + assigns" in running.run('mine = exercises.my_engine("05")')
        loaded = running.run('mine = exercises.my_engine("05")')
        assert "Passed, and not in the file" not in loaded
        assert running.run("a = mine.Value(3.0); b = a + a; b.grad = 1.0; b._backward(); a.grad") == "2.0"
