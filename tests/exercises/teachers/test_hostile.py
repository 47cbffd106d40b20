"""Hand-ins that want another verdict, or want to end their judge: each costs its own row, and no other."""

import json
import os
import sys
import tomllib
from pathlib import Path

import pytest

from exercises.content import library
from exercises.sandbox import supervisor
from exercises.teachers.report import results
from tests.exercises.teachers.test_report import notebook
from tests.sampling import sample

HOSTILE = tomllib.loads(Path(__file__).with_name("hostile.toml").read_text(encoding="utf-8"))
WRONG = "def slope(f, x, h):\n    return 0.0\n"
ENDLESS = "a loop"
SECONDS = {False: 120.0, True: 40.0}  # for a file; if it has to be stopped
linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot end whatever a process has started")


@linux
@pytest.mark.parametrize("ends", SECONDS, ids=["ends", "is stopped"])
@pytest.mark.long
def test_hostile_submissions_get_the_verdict_they_deserve(ends, tmp_path):
    """They run two at a time among those of others, who get theirs, whatever happens at the same time."""
    assert len(HOSTILE) > 30
    folder, outlived = tmp_path / "class", tmp_path / "outlived"
    names = [name for name in sample(sorted(HOSTILE), 12) if (ENDLESS in HOSTILE[name]["state"]) == ends]
    for name in names:
        before = f"OUTLIVED, FOLDER = {str(outlived)!r}, {str(folder)!r}\nfrom exercises import check\n"
        before, answer = before + HOSTILE[name].get("before", ""), HOSTILE[name].get("answer", WRONG)
        notebook(folder / name / "01.ipynb", ("slope", answer), before=before)
    for name in ("an honest one", "zed"):
        notebook(folder / name / "01.ipynb", ("slope", library.solution("slope").code))
    report = results.gather(folder, lambda line: None, seconds=SECONDS[ends], jobs=2)
    found = {name: report.result_of(name, "slope").state for name in report.learners}
    others = {name: found.pop(name) for name in ("an honest one", "zed")}
    assert others == dict.fromkeys(others, "passed")
    assert {name: state for name, state in found.items() if state not in HOSTILE[name]["state"]} == {}
    assert sorted(found) == names
    assert not [number for number in supervisor.process_ids() if str(outlived) in command_of(number)]
    assert [name for name in names if not report.result_of(name, "slope").says] == []


VICTIM = """
import json, os, sys
from exercises.sandbox import supervisor
given, tell = supervisor.begin_child()
exec(given)
tell("came to its end")
os._exit(0)
"""
ATTACKS = {
    "os.kill(os.getppid(), 9)": supervisor.EXIT,
    "[os.kill(int(open(f'/proc/{os.getppid()}/stat').read().rpartition(')')[2].split()[1]), 9)]": supervisor.EXIT,
    "import time; os.fork() or (os.setsid(), os.fork() or time.sleep(99), time.sleep(99))": "",
}


@linux
@pytest.mark.parametrize("attack", ATTACKS)
def test_supervisor_ends_all_processes_without_namespaces(attack, tmp_path, monkeypatch):
    """Also if it ends its parent, or its parent's, which is the supervisor."""
    (tmp_path / "a_victim.py").write_text(VICTIM, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    ended = supervisor.run("a_victim", json.dumps(f"import time\n{attack}\ntime.sleep(1)").encode(), 60.0, apart=False)
    assert ended.why == ATTACKS[attack] and not ended.apart
    left = [number for number in supervisor.process_ids() if "a_victim" in command_of(number)]
    assert left == []


def command_of(number):
    """Return the command line of a process; "" if it has ended."""
    try:
        return Path(f"/proc/{number}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
