"""A class on a server needs an environment that repo2docker reads, and lessons that merge with a learner's."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from exercises.content import library
from exercises.content.lessons import BY_NUMBER
from tests import notebooks

ROOT = Path(__file__).parents[3]
PATH = notebooks.NOTEBOOKS / BY_NUMBER["01"].file
AUTHOR = ("-c", "user.name=A Learner", "-c", "user.email=learner@localhost", "-c", "core.autocrlf=false")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="repo2docker does not run on Windows")
def test_repo2docker_reads_the_environment_file(tmp_path):
    pytest.importorskip("repo2docker", reason='repo2docker comes with: pip install -e ".[test]"')
    shutil.copy(ROOT / "environment.yml", tmp_path)
    said = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--no-run", "--debug", str(tmp_path)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "Building conda environment for python=3.12" in said.stdout + said.stderr
    dockerfile = said.stdout + said.stderr
    copied, installed = dockerfile.index("COPY --chown=0:0 src/"), dockerfile.index('--file "environment.yml"')
    assert copied < installed  # `-e .` finds the project


@pytest.mark.parametrize("path", notebooks.LESSONS, ids=lambda path: path.stem[:2])
def test_lesson_is_stored_in_the_format_jupyter_writes(path, tmp_path):
    """So that what a learner saves differs from it only where the learner changed something."""
    nbformat.write(notebooks.read(path), tmp_path / "saved.ipynb")
    assert (tmp_path / "saved.ipynb").read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


def git(folder, *command):
    return subprocess.run(
        ["git", *AUTHOR, *command], cwd=folder, capture_output=True, encoding="utf-8", check=True
    ).stdout


def commit(folder, notebook):
    nbformat.write(notebook, folder / PATH.name)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "saved")


@pytest.fixture
def places(tmp_path):
    """Return (the course's repository, a learner's clone), with one lesson in it."""
    course, learner = tmp_path / "course", tmp_path / "learner"
    course.mkdir()
    git(course, "init", "--quiet", "--initial-branch=main")
    commit(course, notebooks.read(PATH))
    git(tmp_path, "clone", "--quiet", str(course), str(learner))
    return course, learner


def merged(learner):
    """Return the learner's notebook after a merge as in nbgitpuller: commit what is there, and merge with -Xours."""
    git(learner, "fetch", "--quiet")
    git(learner, "merge", "--quiet", "-Xours", "origin/main")
    return notebooks.read(learner / PATH.name)


def test_new_edition_merges_with_a_learners_work(places):
    course, learner = places
    edition, mine = notebooks.read(PATH), notebooks.solved(notebooks.read(PATH))

    told = next(cell for cell in edition.cells if "## Recap" in cell.source)
    told.source = told.source.replace("## Recap", "## Recap of the new edition")
    number = next(i for i, cell in enumerate(edition.cells) if cell.cell_type == "code" and "figures." in cell.source)
    edition.cells[number].source += "  # of the new edition"
    added = nbformat.v4.new_markdown_cell("A cell of the new edition.", id="new-edition")
    edition.cells.insert(number + 3, added)
    commit(course, edition)

    for i, cell in enumerate(notebooks.cells(mine, "code"), start=1):
        cell.execution_count = i
        cell.outputs = [nbformat.v4.new_output("stream", text=f"what cell {cell.id} printed\nin two lines\n")]
    mine.metadata.language_info = {"name": "python", "version": "3.12.1", "mimetype": "text/x-python"}
    commit(learner, mine)

    merge = merged(learner)
    nbformat.validate(merge)
    sources = [cell.source for cell in merge.cells]
    assert any("## Recap of the new edition" in source for source in sources), sources
    assert edition.cells[number].source in sources and added.source in sources
    assert [name for name in library.names("01") if library.solution(name).code not in sources] == []
    outputs = [{cell.id: cell.outputs[0].text for cell in notebooks.cells(each, "code")} for each in (merge, mine)]
    assert outputs[0] == outputs[1]


def test_merge_conflict_keeps_the_learners_line(places):
    course, learner = places
    texts = {}
    for folder, who in ((course, "the course"), (learner, "a learner")):
        notebook = notebooks.read(PATH)
        cell = next(cell for cell in notebook.cells if notebooks.exercise_of(cell) == "slope")
        cell.source = texts[who] = cell.source.replace("raise NotImplementedError", f"return {who!r}")
        commit(folder, notebook)
    sources = [cell.source for cell in merged(learner).cells]
    assert texts["a learner"] in sources and texts["the course"] not in sources
