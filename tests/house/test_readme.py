"""README as a newcomer meets it: its length, its doors, and each of its commands, run as printed or with the reason."""

import os
import re
import subprocess
import sys

import pytest

from exercises.content.lessons import BY_NUMBER, LESSONS
from site_build import ROOT, doors
from tests.engines import CLOSURES

README = (ROOT / "README.md").read_text(encoding="utf-8")
NETWORK, OTHER = "it fetches packages, or the repository", "it is for another system than the one that tests run on"
NOT_RUN = {  # the beginning of each command that is not run here, and why
    "git clone ": NETWORK,
    'python3 -m venv .venv && .venv/bin/pip install -e ".[lab]"': f"{NETWORK}; test_laid_out.py runs what it installs",
    'python3 -m venv .venv && .venv/bin/pip install -e ".[test]"': "it runs this test; .ci/run runs it",
    ".venv/bin/backprop": "it waits until JupyterLab is closed; test_laid_out.py starts and ends it",
    "py -3 -m venv": f"{OTHER}; the second is run by test.yml",
    "uvx ": f"{NETWORK}; test_laid_out.py runs it",
    "conda env create": OTHER,
    "!git clone": NETWORK,
    "!pip ": "it is for Colab; test_other_autograd.py runs it",
    "%cd ": "it is for Colab",
    "apt install": f"{NETWORK}, and needs rights",
    '.venv/bin/pip install -e ".[torch]"': NETWORK,
    '.venv/bin/pip install -e ".[book,page]" &&': f"{NETWORK}; tests/sites makes both",
    ".venv/bin/python -m http.server": "it serves until it is stopped",
    ".venv/bin/python -m benchmarks": "it takes a quarter of an hour; test_benchmarks.py runs each of its parts",
}
MADE = {  # each command that is run, and what it leaves behind, with a text in it
    ".venv/bin/python -m exercises doctor engine.py": ("engine.py", "class Value"),
    ".venv/bin/python -m exercises practice deck.html": ("deck.html", "<html"),
    ".venv/bin/python -m exercises report handed_in --csv report.csv --html report.html": ("report.csv", "ada"),
    ".venv/bin/python -m exercises nbgrader COURSE": ("COURSE/source/09_ten_digits/09_ten_digits.ipynb", "cells"),
    ".venv/bin/python -m site_build doors": ("README.md", README),
    ".venv/bin/python -m site_build lecture": ("build/lecture/handout.html", "Hand in"),
}
BEGINS = r"\.venv/bin/|python3? |!|%cd |apt |exercises\.\w+\(|figures\.\w+\(|mine\.\w+\("


def commands():
    """Return each command of README: a line of a block, or code in the text that begins like one."""
    fenced = re.findall(r"```(\w*)\n(.*?)\n```", README, re.DOTALL)
    blocks = [text for language, text in fenced if language in ("bash", "powershell", "")]
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", README, flags=re.DOTALL))
    return [*"\n".join(blocks).splitlines(), *(each for each in inline if re.match(BEGINS, each))]


CALLS = [each for each in commands() if re.match(r"exercises|figures|mine", each)]


def test_each_readme_command_is_run_or_has_a_reason():
    for each in commands():
        assert (each in MADE) + (each in CALLS) + any(map(each.startswith, NOT_RUN)) == 1, each
    assert [begin for begin in [*NOT_RUN, *MADE] if not any(each.startswith(begin) for each in commands())] == []
    assert not re.search(r"(?<![/\\\w-])python -m", README), "python need not be on the path"


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """Return the repository as a newcomer has it, with this Python as its .venv, and what a learner has handed in."""
    folder = tmp_path_factory.mktemp("clone")
    for path in ROOT.iterdir():
        if not path.name.startswith((".", "build")):
            (folder / path.name).symlink_to(path)
    (folder / ".venv").symlink_to(sys.prefix)
    (folder / "engine.py").write_text(CLOSURES, encoding="utf-8")
    (folder / "handed_in" / "ada").mkdir(parents=True)
    (folder / "handed_in" / "ada" / LESSONS[0].file).write_bytes((ROOT / "notebooks" / LESSONS[0].file).read_bytes())
    return folder


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="README has a line of its own for Windows")
@pytest.mark.parametrize("command", MADE)
def test_readme_command_works_as_printed(command, clone):
    world = os.environ | {"PYTHONPATH": str(clone)}
    ran = subprocess.run(["bash", "-c", command], capture_output=True, encoding="utf-8", cwd=clone, env=world)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    name, text = MADE[command]
    assert text in (clone / name).read_text(encoding="utf-8")


@pytest.mark.long
def test_calls_in_readme_work():
    code = ["import exercises, figures", "mine = exercises.my_engine()", *CALLS]
    ran = subprocess.run([sys.executable, "-c", "\n".join(code)], capture_output=True, encoding="utf-8", cwd=ROOT)
    assert len(CALLS) >= 5 and ran.returncode == 0, ran.stderr


def test_readme_is_short_and_names_no_address_or_person():
    assert len(README.split()) <= 2080
    own = ("http://localhost:8000", *filter(None, [doors.address()]))
    assert [each for each in re.findall(r"https?://[^\s`)]+", README) if not each.startswith(own)] == []
    assert not re.search(r"\w@\w", README)
    begins = (doors.BEGIN, doors.END, "![The backward pass", "## What a wrong answer gets", "## Start")
    places = [README.index(each) for each in begins]
    assert places == sorted(places) and len(README[: places[2]].split()) < 150, "a first screen"


def test_all_links_use_the_configured_address(monkeypatch):
    assert [
        path.name for path, text in doors.insert_doors(doors.address()) if path.read_text(encoding="utf-8") != text
    ] == []
    site = "http://127.0.0.1:8000/"
    texts = {path.relative_to(ROOT).as_posix(): text for path, text in doors.insert_doors(site)}
    assert texts["README.md"].count(f"]({site}") == 5 and "#publish-it" not in texts["README.md"].split(doors.END)[0]
    link = f" · [Run it]({site}page/lab/index.html?path=notebooks/workshops/exam.ipynb)"
    assert link in texts["notebooks/workshops/exam.ipynb"]
    assert len(texts) == 1 + len(BY_NUMBER)
    monkeypatch.setenv("SITE_ADDRESS", site.rstrip("/"))
    assert doors.address() == site


@pytest.mark.parametrize("address", ["example.org", "ftp://example.org", "https://", "https://example.org/?a=1"])
def test_invalid_address_is_rejected(address):
    with pytest.raises(ValueError, match="an address begins with https://"):
        doors.checked(address)
