"""The command `backprop`: what it lays out, what it leaves to a learner, and that a wheel brings all of it."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from exercises.content.lessons import LESSONS
from exercises.course import install
from site_build import HUNT_FILE
from tests import notebooks

ROOT = Path(__file__).parents[3]
LAID_OUT = f"{len(notebooks.EVERY) + 2} files were written to "  # and their README.md and AGENTS.md
LESSON = "notebooks/05_order.ipynb"


def editions(*texts):
    return [{LESSON: text.encode(), "README.md": f"of {text}".encode()} for text in texts]


def files(folder):
    """Return {path: text} of everything in a folder, except the list of hashes."""
    every = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_text(encoding="utf-8") for name, path in every.items() if name != install.LIST}


def test_installed_lessons_match_the_repository_and_links_resolve(tmp_path):
    install.install_lessons(tmp_path)
    made = {path.relative_to(tmp_path / "notebooks") for path in tmp_path.rglob("*.ipynb")}
    assert made == {path.relative_to(notebooks.NOTEBOOKS) for path in notebooks.EVERY}
    for place in [tmp_path / "README.md", *tmp_path.rglob("*.ipynb")]:
        text = place.read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)#:\s]+\.(?:ipynb|md))", text):
            assert (place.parent / link).exists(), (place, link)
    assert (tmp_path / "AGENTS.md").read_bytes() == (ROOT / "AGENTS.md").read_bytes()
    assert "## The lessons" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert install.install_lessons(tmp_path) == [f"The lessons are in {tmp_path}, and there is nothing new."]


def test_unchanged_file_is_updated(tmp_path):
    first, second = editions("first", "second")
    assert install.install_lessons(tmp_path, first) == [f"2 files were written to {tmp_path}."]
    assert install.install_lessons(tmp_path, second) == [
        f"2 files that you had not changed were updated in {tmp_path}."
    ]
    assert files(tmp_path) == {LESSON: "second", "README.md": "of second"}


def test_edited_file_stays_and_the_new_edition_goes_next_to_it(tmp_path):
    first, second, third, fourth = editions("first", "second", "third", "fourth")
    install.install_lessons(tmp_path, first)
    mine = {LESSON: "mine", "README.md": "my notes", "notebooks/my_engine.py": "my engine"}
    for name, text in mine.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    install.install_lessons(tmp_path, first)
    assert files(tmp_path) == mine, "no new edition, nothing to lay beside it"
    said = f"{LESSON} has your changes, and stays. The new edition is next to it: 05_order.new.ipynb."
    assert install.install_lessons(tmp_path, second) == [said]
    assert install.install_lessons(tmp_path, second)[0].endswith("there is nothing new.")
    assert files(tmp_path) == mine | {"notebooks/05_order.new.ipynb": "second"}
    (tmp_path / "notebooks" / "05_order.new.ipynb").write_text("mine, too", encoding="utf-8")
    install.install_lessons(tmp_path, third)
    beside = {"notebooks/05_order.new.ipynb": "mine, too", "notebooks/05_order.new-2.ipynb": "third"}
    assert files(tmp_path) == mine | beside
    (tmp_path / LESSON).unlink()
    assert install.install_lessons(tmp_path, fourth) == [f"1 files were written to {tmp_path}."]
    assert files(tmp_path) == mine | beside | {LESSON: "fourth"}


@pytest.mark.parametrize("damaged", ["", "[]", '{"notebooks/05_order.ipynb": 3}', "\udcff", None])
def test_differing_files_are_kept_when_the_list_is_missing(tmp_path, damaged):
    first, second = editions("first", "second")
    install.install_lessons(tmp_path, first)
    (tmp_path / install.LIST).unlink()
    if damaged is not None:
        (tmp_path / install.LIST).write_bytes(damaged.encode("utf-8", "surrogateescape"))
    install.install_lessons(tmp_path, second)
    assert files(tmp_path)[LESSON] == "first" and files(tmp_path)["notebooks/05_order.new.ipynb"] == "second"


@pytest.mark.skipif(os.name == "nt", reason="links need rights of their own on Windows")
def test_symlinks_and_their_targets_are_left_alone(tmp_path):
    first, second = editions("first", "second")
    install.install_lessons(tmp_path / "a", first)
    (tmp_path / "elsewhere.ipynb").write_text("first", encoding="utf-8")
    (tmp_path / "a" / LESSON).unlink()
    (tmp_path / "a" / LESSON).symlink_to(tmp_path / "elsewhere.ipynb")
    install.install_lessons(tmp_path / "a", second)
    assert (tmp_path / "elsewhere.ipynb").read_text(encoding="utf-8") == "first" and (
        tmp_path / "a" / LESSON
    ).is_symlink()


def test_install_reports_a_file_in_place_of_the_folder(tmp_path, capsys):
    (tmp_path / "taken").write_text("mine", encoding="utf-8")
    assert install.main([str(tmp_path / "taken"), "--no-lab"]) == 1
    assert (
        "cannot be installed" in capsys.readouterr().err and (tmp_path / "taken").read_text(encoding="utf-8") == "mine"
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", f"--wheel-dir={folder}", str(ROOT)]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8")
    if ran.returncode and "hatchling" in ran.stderr:
        pytest.skip(f"A wheel is built with hatchling from PyPI, which could not be fetched: {ran.stderr[-300:]}")
    assert ran.returncode == 0, ran.stderr
    return next(folder.glob("*.whl"))


class Installed:
    """An environment with only the wheel in it; `lab` adds what the tests' own has, including JupyterLab."""

    def __init__(self, folder, wheel):
        self.folder = folder
        venv.create(folder / "venv", symlinks=os.name != "nt")
        self.scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        install = ["install", "--quiet", "--no-deps", "--no-index", str(wheel)]
        subprocess.run([sys.executable, "-m", "pip", "--python", self.python, *install], check=True)

    @property
    def python(self):
        return str(self.scripts / "python")

    def lab(self):
        (site,) = self.folder.glob("venv/**/site-packages")
        (site / "lab.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")

    @property
    def world(self):
        return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
            "HOME": str(self.folder),
            "BROWSER": "echo",
        }

    def run(self, *arguments, script="backprop", cwd=None):
        command = [str(self.scripts / script), *arguments]
        where = cwd or self.folder
        return subprocess.run(command, capture_output=True, encoding="utf-8", cwd=where, env=self.world)


def test_clone_opens_its_own_lessons(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert install.main(["--no-lab"]) == 0 and list(tmp_path.iterdir()) == []
    assert capsys.readouterr().out == f"The lessons are in {ROOT}.\n"
    assert install.main(["mine", "--no-lab"]) == 0 and (tmp_path / "mine" / "notebooks" / LESSONS[0].file).exists()


def test_hunt_option_opens_the_browser_and_installs_nothing(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert install.main(["--hunt"]) == 0 and list(tmp_path.iterdir()) == []
    assert opened == [HUNT_FILE.as_uri()] and str(HUNT_FILE) in capsys.readouterr().out


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("installed"), wheel)


@pytest.mark.long
def test_wheel_installs_lessons_and_names_the_jupyterlab_packages(installed):
    ran = installed.run()
    assert ran.returncode == 1 and ran.stdout.startswith(LAID_OUT), ran.stderr
    assert "JupyterLab is not installed here." in ran.stderr
    assert re.search(r'-m pip install "jupyter[^"]*" "jupyterlab[^"]*" "pygraphviz[^"]*"\n$', ran.stderr)
    (hunt,) = installed.folder.glob("venv/**/bughunt.html")
    assert hunt.read_bytes() == HUNT_FILE.read_bytes() and str(hunt) in installed.run("--hunt").stdout
    laid = installed.folder / "backprop" / "notebooks"
    for path in notebooks.EVERY:
        assert (laid / path.relative_to(notebooks.NOTEBOOKS)).read_bytes() == path.read_bytes()
    assert (laid.parent / "AGENTS.md").read_bytes() == (ROOT / "AGENTS.md").read_bytes()
    (laid / "my_engine.py").write_text("mine", encoding="utf-8")
    changed = laid / LESSONS[5].file
    changed.write_text("mine, too", encoding="utf-8")
    assert "there is nothing new" in installed.run("--no-lab").stdout
    assert "there is nothing new" in installed.run("--no-lab", cwd=laid).stdout, "not a folder in the folder"
    assert (laid / "my_engine.py").read_text(encoding="utf-8") == "mine" and changed.read_text(
        encoding="utf-8"
    ) == "mine, too"


@pytest.mark.long
def test_jupyterlab_opens_at_lesson_00(installed):
    installed.lab()
    where = (
        "-c",
        "import autograd, exercises.course.course as c; print(autograd.__file__, c.course_map().rows[5].notebook)",
    )
    installed.run("here", "--no-lab")
    said = installed.run(*where, script="python", cwd=installed.folder / "here" / "notebooks").stdout
    assert str(installed.folder) in said and said.endswith("05_again_and_again.ipynb\n")
    root = ["--allow-root"] if hasattr(os, "geteuid") and not os.geteuid() else []
    if root:
        assert "backprop --allow-root" in installed.run("here").stderr
    command = [str(installed.scripts / "backprop"), "here", "--no-browser", *root]
    with subprocess.Popen(
        command, cwd=installed.folder, env=installed.world, stderr=subprocess.PIPE, encoding="utf-8"
    ) as lab:
        try:
            assert any(f"/lab/tree/notebooks/{LESSONS[0].file}" in line for line in lab.stderr), lab.stderr
        finally:
            lab.terminate()


@pytest.mark.long
def test_uv_command_in_readme_installs_the_lessons(tmp_path):
    """As printed, from the repository's folder, except JupyterLab itself, which waits for somebody to close it."""
    if not (uv := shutil.which("uvx") or shutil.which("uvx", path=sysconfig.get_path("scripts"))):
        pytest.skip('uv comes with: pip install -e ".[test]"')
    (line,) = re.findall(r"^uvx .*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    world = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    command = [uv, *line.replace('"', "").split()[1:], str(tmp_path / "mine"), "--no-lab"]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=ROOT, env=world)
    assert ran.returncode == 0 and ran.stdout.startswith(LAID_OUT), ran.stderr
    assert set(json.loads((tmp_path / "mine" / install.LIST).read_text(encoding="utf-8"))) > {
        f"notebooks/{LESSONS[0].file}"
    }
