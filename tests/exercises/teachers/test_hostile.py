"""Hand-ins that want another verdict, or want to end what judges them: each costs its own row, and no other."""

import sys

import tomllib
from pathlib import Path

import pytest

from exercises.sandbox import warden
from exercises.shelf import library
from exercises.teachers.report import results
from tests.exercises.teachers.test_report import notebook

HOSTILE = tomllib.loads(Path(__file__).with_name("hostile.toml").read_text(encoding="utf-8"))
WRONG = "def slope(f, x, h):\n    return 0.0\n"
SECONDS = 30.0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot end whatever a process has started")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_hand_in_has_the_verdict_that_it_has_earned(name, tmp_path):
    """It stands among others: one that is right has its pass, whatever happens beside it."""
    hand_in, outlived, folder = HOSTILE[name], tmp_path / "outlived", tmp_path / "class"
    before = f"OUTLIVED, FOLDER = {str(outlived)!r}, {str(folder)!r}\nfrom exercises import check\n"
    notebook(
        folder / "a" / "01.ipynb", ("slope", hand_in.get("answer", WRONG)), before=before + hand_in.get("before", "")
    )
    notebook(folder / "b" / "01.ipynb", ("slope", library.solution("slope").code))
    seconds = 8.0 if hand_in["state"] == "a loop" else SECONDS
    report = results.gather(folder, lambda line: None, seconds=seconds)
    assert report.at("a", "slope").state == hand_in["state"], report.at("a", "slope")
    assert report.at("b", "slope").state == "passed", report.at("b", "slope")
    assert report.passed("a") == 0 and not outlived.exists()


LEFT = (
    "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(99)\nif os.fork() == 0:\n    time.sleep(99)\n"
)
