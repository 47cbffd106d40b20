"""CONTRIBUTING's examples, an exercise and a lab: whoever copies their pieces has one that works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PIECE = re.compile(
    r"^(`{3,4})(?:python|markdown)\n(?:# |<!-- )(\w+/[\w/.]+)(?: -->)?\n(.*?)^\1$", re.MULTILINE | re.DOTALL
)

TRIED = """
import sys
from exercises import check, library
from exercises.explaining.known import known
from benchmarks.mutants import mutants, survives
verdict = lambda code: check.halfway(*check.halfway.answers(code))
print(verdict(library.solution("halfway").code))
print(verdict(library.stub("halfway")))
for each in known("halfway"):
    print(verdict(each.codes(library.solution("halfway").code)[0]))
print([mutant.change for mutant in mutants("halfway") if survives("halfway", mutant)])
print(check.EXERCISES["01"])
"""


TRIED_LAB = """
import figures
print(len(open(figures.labs.downhill.__file__).readlines()))
print(figures.downhill(1.0).text().splitlines()[0])
"""


def pieces(*folders):
    """The pieces of CONTRIBUTING that belong into these folders, [(name of the file, text)]."""
    found = PIECE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    return [(name, text) for _, name, text in found if name.startswith(folders)]


def run(folder, *arguments):
    """Run Python in a copy of the project's packages."""
    own = {"BACKPROP_DATA_DIR": str(folder), "BACKPROP_ENGINE_DIR": str(folder), "BACKPROP_PASSED": ""}  # all its tests
    environment = os.environ | own
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, encoding="utf-8", env=environment, cwd=folder, check=False
    )


def copy(folder, *packages):
    """Copy packages of the project into a folder."""
    for package in packages:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))


def test_its_exercise_works_and_touches_no_other_file(tmp_path):
    copy(tmp_path, "exercises", "benchmarks")
    found = pieces("exercises/")
    assert len(found) == 4
    for name, text in found:
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{text}" if name.endswith("lesson_01.py") else text)
    ran = run(tmp_path, "-c", TRIED)
    assert ran.returncode == 0, ran.stderr
    right, stub, wrong = ran.stdout.split("\n", 2)
    assert right == "✓ halfway: yes. Right for eight pairs." and stub.startswith("○ halfway: not yet.")
    assert wrong.startswith("✗ halfway") and "brackets missing. Python divides before it adds" in wrong
    assert wrong.endswith("[]\n('slope', 'choose_h', 'forward_passes', 'halfway')\n")


def test_its_lab_works_and_its_test_passes(tmp_path):
    copy(tmp_path, "figures", "tests")
    found = pieces("figures/", "tests/")
    assert [name for name, _ in found] == [
        "figures/labs/downhill.py",
        "figures/__init__.py",
        "tests/test_downhill_lab.py",
    ]
    for name, text in found:
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write(text)
    tried = run(tmp_path, "-c", TRIED_LAB)
    assert tried.returncode == 0, tried.stderr
    lines, said = tried.stdout.splitlines()
    assert int(lines) < 60
    assert said == "1. At x = 1.0000 the slope is 2.0000: the next step is -0.2000."
    tested = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_downhill_lab.py")
    assert tested.returncode == 0 and "4 passed" in tested.stdout, tested.stdout


def test_the_lab_that_it_says_to_copy_is_the_shortest_whole_one():
    """One that draws, has inputs and records, in under 120 lines."""
    whole = {}
    for path in (ROOT / "figures" / "labs").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        if all(part in text for part in ("Inputs(", "Stage(", "Recording(", "Player(")):
            whole[path.name] = len(text.splitlines())
    shortest = min(whole, key=whole.get)
    assert shortest == "neuron.py" and whole[shortest] < 120
    assert f"copy `figures/labs/{shortest}`" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
