"""CONTRIBUTING's example of an exercise: whoever copies its four pieces has one that works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PIECE = re.compile(
    r"^(`{3,4})(?:python|markdown)\n(?:# |<!-- )(exercises/[\w/.]+)(?: -->)?\n(.*?)^\1$", re.MULTILINE | re.DOTALL
)

TRIED = """
import sys
from exercises import check, library
from exercises.known import known
from benchmarks.mutants import mutants, survives
verdict = lambda code: check.halfway(*check.halfway.answers(code))
print(verdict(library.solution("halfway").code))
print(verdict(library.stub("halfway")))
for each in known("halfway"):
    print(verdict(each.codes(library.solution("halfway").code)[0]))
print([mutant.change for mutant in mutants("halfway") if survives("halfway", mutant)])
print(check.EXERCISES["01"])
"""


def test_its_exercise_works_and_touches_no_other_file(tmp_path):
    for package in ("exercises", "benchmarks"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    pieces = PIECE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(pieces) == 4
    for _, name, text in pieces:
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{text}" if name.endswith("lesson_01.py") else text)
    places = {"BACKPROP_DATA_DIR": str(tmp_path), "BACKPROP_ENGINE_DIR": str(tmp_path)}
    environment = os.environ | places | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    ran = subprocess.run(
        [sys.executable, "-c", TRIED], capture_output=True, encoding="utf-8", env=environment, cwd=tmp_path, check=False
    )
    assert ran.returncode == 0, ran.stderr
    right, stub, wrong = ran.stdout.split("\n", 2)
    assert right == "✓ halfway: yes. Right for three pairs." and stub.startswith("○ halfway: not yet.")
    assert wrong.startswith("✗ halfway") and "brackets missing. Python divides before it adds" in wrong
    assert wrong.endswith("[]\n('slope', 'choose_h', 'forward_passes', 'halfway')\n")
