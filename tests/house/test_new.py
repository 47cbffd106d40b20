"""`new` in a copy of the repository: what it writes, what it reports as missing, and two examples filled in."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from exercises.__main__ import COMMANDS
from exercises.content.lessons import BY_NUMBER
from figures.authors import commands

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "tests" / "examples"
LESSON = f"notebooks/{BY_NUMBER['01'].file}"


class Copy:
    """A copy of the repository, without the engine, and what Python says in it."""

    def __init__(self, folder):
        self.folder = folder
        for package in ("benchmarks", "exercises", "figures", "notebooks", "tests"):
            shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "README.md", folder)
        shutil.copytree(ROOT / "site_build" / "book" / "texts", folder / "site_build" / "book" / "texts")

    def run(self, *arguments, code=0):
        """Run Python with these arguments, which must return `code`; return what it prints."""
        own = {"BACKPROP_DATA_DIR": str(self.folder), "BACKPROP_ENGINE_DIR": str(self.folder), "BACKPROP_PASSED": ""}
        own["PYTHONPATH"] = os.pathsep.join([str(self.folder), str(ROOT)])
        ran = subprocess.run(
            [sys.executable, *arguments], capture_output=True, encoding="utf-8", env=os.environ | own, cwd=self.folder
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout

    def tested(self, *arguments):
        return self.run("-m", "pytest", "-q", "--all", "-p", "no:cacheprovider", *arguments)

    def change(self, path, old, new):
        """Replace a text in a file, or append to the whole of it."""
        text = (self.folder / path).read_text(encoding="utf-8")
        assert old in text, old
        (self.folder / path).write_text(text.replace(old, new, 1) if old else text + new, encoding="utf-8")

    def add_cells(self, *cells):
        notebook = json.loads((self.folder / LESSON).read_text(encoding="utf-8"))
        made = [{"cell_type": kind, "metadata": {"tags": tags}, "source": [text]} for kind, text, *tags in cells]
        (self.folder / LESSON).write_text(json.dumps(notebook | {"cells": notebook["cells"] + made}), encoding="utf-8")

    def files(self):
        kinds = ("*.py", "*.md", "*.ipynb")
        return {path: path.read_bytes() for kind in kinds for path in self.folder.rglob(kind)}


def test_missing_or_unknown_command_lists_the_commands(capsys):
    assert commands.run("exercises", COMMANDS, []) == commands.run("exercises", COMMANDS, ["old"]) == 2
    said = capsys.readouterr().err.splitlines()
    names = ["new", "report", "nbgrader", "practice", "examine", "certificate", "tutor", "doctor"]
    assert said[0] == said[9] == "python -m exercises COMMAND, where COMMAND is:"
    assert [line.split()[0] for line in said[1:9]] == names


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path)


@pytest.mark.long
def test_new_exercise_can_be_completed_step_by_step(copy):
    new = "-m", "exercises", "new", "1", "halfway"
    place = "exercises/tasks/halfway"
    before = copy.files()
    wrote = [line.removeprefix("Written: ") for line in copy.run(*new).splitlines() if line.startswith("Written: ")]
    changed = {path for path, text in copy.files().items() if before.get(path) != text}
    assert changed == {copy.folder / path for path in wrote} and len(wrote) == 5
    said = "from exercises import check; print(check.halfway(lambda a: 2 * a).state, check.halfway(abs).state, {})"
    assert copy.run("-c", said.format('check.EXERCISES["01"][-1]')) == "passed wrong halfway\n"

    missing, before = copy.run(*new, code=1).splitlines(), copy.files()
    assert {line.partition(" still says: “Fill in ")[0] for line in missing[:-1]} == {
        *("stub.py", "solution.py", "check.py", "mistakes.md")
    }
    assert missing[-1].startswith("Lesson 01 has no cell with the tag exercise-halfway. Four cells follow each other: ")
    assert copy.files() == before, "the second time it writes nothing"

    for path in (EXAMPLES / "halfway").iterdir():
        shutil.copy(path, copy.folder / place)
    assert copy.run(*new, code=1).splitlines() == missing[-1:]
    copy.add_cells(
        ("markdown", "**Exercise** Difficulty ●, Importance ●, 2 minutes."),
        ("code", (EXAMPLES / "halfway" / "stub.py").read_text(encoding="utf-8"), "exercise-halfway"),
        ("code", "check.halfway(halfway)"),
        ("code", 'exercises.hints("halfway")'),
    )
    assert copy.run(*new).startswith("Nothing is missing.\n")
    assert "failed" not in copy.tested("-k", "halfway", "tests/exercises/judging/test_contract.py")
    assert ", 0 accepted" in copy.run("-m", "benchmarks.mutants", "halfway")

    copy.change(f"{place}/solution.py", "(a + b) / 2", "a + b / 2")
    said = (
        "The known mistake “missing brackets” cannot be made: The solution has no '(a + b) / 2'. The line most like it"
    )
    assert copy.run(*new, code=1).startswith(f"{said} is 'return a + b / 2'.\n")
    (copy.folder / place / "check.py").write_text("halfway =", encoding="utf-8")
    copy.change(f"{place}/solution.py", "a + b / 2", "(a + b) / 2")
    assert copy.run(*new, code=1).startswith("Its files do not work yet: SyntaxError: ")
    (copy.folder / place / "stub.py").unlink()
    assert copy.run(*new, code=1) == f"There is no {place}/stub.py.\n"


@pytest.mark.long
def test_new_lab_can_be_completed_step_by_step(copy):
    new = "-m", "figures", "new", "downhill"
    lab, test = "figures/labs/downhill.py", "tests/figures/labs/test_downhill_lab.py"
    before = copy.files()
    assert copy.run(*new).startswith(f"Written: {lab}\nWritten: {test}\nListed in figures/__init__.py.")
    changed = {path for path, text in copy.files().items() if before.get(path) != text}
    assert changed == {copy.folder / path for path in (lab, test, "figures/__init__.py")}
    assert "3 passed" in copy.tested(test), "what it writes runs"
    subprocess.run([sys.executable, "-m", "ruff", "check", "--config", ROOT / "pyproject.toml", *changed], check=True)

    missing, before = copy.run(*new, code=1).splitlines(), copy.files()
    filled = [line for line in missing if "still says: “Fill in " not in line]
    assert [line.partition(" ")[0] for line in filled] == [
        *(
            "site_build/book/texts/labs.md",
            "figures/gallery/__init__.py",
            "No",
            "tests/approved/labs_refused.txt",
            "LABS",
        ),
    ]
    assert copy.files() == before, "the second time it writes nothing"

    shutil.copy(EXAMPLES / "downhill" / "lab.py", copy.folder / lab)
    shutil.copy(EXAMPLES / "downhill" / "tests_of_it.py", copy.folder / test)
    assert copy.run(*new, code=1).splitlines() == filled
    copy.change(
        "site_build/book/texts/labs.md",
        "| `goal()` | 00 |",
        "| `downhill()` | 01 | gradient descent on a parabola |\n| `goal()` | 00 |",
    )
    picture = '"nudge.svg": lambda: of(figures.nudge(), 3),'
    copy.change("figures/gallery/__init__.py", picture, f'"downhill.svg": lambda: of(figures.downhill()),\n{picture}')
    copy.add_cells(("code", "figures.downhill()"))
    refused = "downhill(lr=0) → ValueError: lr is a number above 0, got 0.0.\n"
    copy.change("tests/approved/labs_refused.txt", "", refused)
    copy.change(
        "tests/snapshots.py", '    "figures.drag(graph())",', '    "figures.downhill()",\n    "figures.drag(graph())",'
    )
    picture, net = copy.run(*new, code=1).splitlines()
    assert picture == "The picture is not made: python -m figures gallery downhill."
    assert net == filled[-1], "the net wants to be approved"
    approved = "000000000000 lab figures.downhill()\n"
    copy.change("tests/approved/snapshots.txt", "", approved)
    assert copy.run("-m", "figures", "gallery", "downhill") == "downhill.svg\n"
    assert copy.run(*new) == "Nothing is missing.\n"
    assert "failed" not in copy.tested("-k", "downhill", test, "tests/figures/labs/test_labs.py")
