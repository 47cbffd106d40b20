"""The whole course as a learner goes through it: from no file to their own engine, which learns XOR without us."""

import re

import pytest

from exercises.content import library
from exercises.engine_file import check, parts
from exercises.engine_file.places import FILE
from tests import forked, notebooks
from tests.learners_files import owned_in, runs_alone


def go_through(paths, folder):
    """Run these lessons as a learner does, with the solutions; return each message from loading the engine.

    Each lesson runs in a copy of a new kernel, with the files that the last one left. Cells of the story, which
    test_notebooks runs, are left out if neither an exercise nor the learner's code needs them.
    """
    loads = []
    with forked.kernel() as running:
        running.run("import exercises, figures\nfrom exercises import check")
        for path in paths:
            code = notebooks.needed(notebooks.cells(notebooks.read(path), "code"), is_asked)
            names = [notebooks.exercise_of(cell) for cell in code]
            sources = [library.solution(name).code if name else shorter(cell.source) for name, cell in zip(names, code)]
            for source, text in zip(sources, running.tried(here(folder), *sources)[1:]):
                assert not forked.is_error(text), (path.name, source, text)
                if re.match(r"check\.(?!predict|kill_matrix)", source):
                    assert text.startswith("✓"), text
                if "my_engine(" in source:
                    loads.append(text)
    return loads


def shorter(source):
    """Return a cell's source with long training cut to a step or an epoch: test_notebooks runs it whole."""
    return re.sub(r"\bepochs=\d\d\b|(?<=, 32, )300\b", lambda found: "epochs=1" if "=" in found[0] else "1", source)


def here(folder):
    """Return the cell that makes a kernel keep the engine and progress in a folder."""
    return "\n".join(["import os", *(f"os.environ[{name!r}] = {str(folder)!r}" for name in forked.FRESH)])


def is_asked(cell):
    """Return whether a cell is an exercise, its check, or runs the learner's engine."""
    return notebooks.exercise_of(cell) or notebooks.runs_own_engine(cell) or cell.source.startswith("check.")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an empty folder for the engine and progress, here and in kernels."""
    for name in forked.FRESH:
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


@pytest.mark.long
def test_solutions_one_by_one_build_an_engine_that_learns_xor(folder):
    assert not (folder / FILE).exists()
    loads = go_through(notebooks.LESSONS, folder)
    asked = [part for part in parts.EXERCISES if check.LESSON_OF[part.name].isdigit()]
    replaced = {"first_rules", "first_backward", *(name for part in asked for name in part.replaces)}
    assert owned_in(folder) == {part.name for part in asked} - replaced
    assert len(loads) == len(notebooks.LESSONS) and "Your rule" not in "".join(loads)
    assert "parts so far are yours" in loads[-1], loads[-1]
    assert runs_alone(folder)
