"""An environment in which the other library named `autograd` was installed first: what pip does, and what helps."""

import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[3]
TRY = "from exercises.course import selftest; selftest.demand(); import autograd; print(autograd.Value(2.0) * 3)"
TOLD = "from exercises.course import selftest; print(selftest.wrong_autograd())"


def wheel(folder, name, files):
    info = f"{name}-1.0.dist-info"
    files = files | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "\n".join(f"{path},," for path in [*files, f"{info}/RECORD"]).encode()
    made = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return made


class Environment:
    """A virtual environment with the other library in it, and the course's engine and self-test as a wheel."""

    def __init__(self, folder):
        self.folder = folder
        venv.create(folder / "venv", with_pip=True, symlinks=sys.platform != "win32")
        self.python = folder / "venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        course = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in (ROOT / "autograd").rglob("*.py")}
        for name in ("exercises/__init__.py", "exercises/course/__init__.py", "exercises/course/selftest.py"):
            course[name] = (ROOT / name).read_bytes()
        self.course = wheel(folder, "backprop_from_scratch", course)
        other = {"autograd/__init__.py": b"def grad(f): pass\n"}
        self.other = wheel(folder, "autograd", other | {"autograd/core.py": b"", "autograd/numpy/__init__.py": b""})

    def begin(self):
        self.pip("uninstall", "--yes", "autograd", "backprop_from_scratch")
        self.pip("install", "--force-reinstall", self.other)

    def run(self, *arguments):
        """Run its Python, with nothing of this checkout in the way."""
        return subprocess.run(
            [self.python, "-I", *map(str, arguments)], cwd=self.folder, capture_output=True, encoding="utf-8"
        )

    def pip(self, *arguments):
        done = self.run("-m", "pip", *arguments, *(["--no-index", "--no-deps"] if "install" in arguments else []))
        assert done.returncode == 0, done.stdout + done.stderr

    def follow(self):
        """Do what the self-test says, in that order; the course comes from its wheel."""
        told = self.run("-c", TOLD).stdout
        steps = re.findall(r'"[^"]+" -m pip (.+?) (?:removes|installs) ', told)
        assert [step.split()[0] for step in steps] == ["uninstall", "install"], told
        self.do(steps)

    def do(self, steps):
        """Run lines of pip; the course, `-e` and its place, comes from its wheel."""
        for step in steps:
            self.pip(*re.sub(r"-e \S+", "COURSE", step).replace("COURSE", str(self.course)).split(" "))

    def works(self):
        return self.run("-c", TRY).stdout == "Value(data=6.0000, grad=0.0000)\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture
def environment(place):
    place.begin()
    return place


def test_editable_install_behind_another_autograd_is_diagnosed(environment):
    (site,) = environment.folder.glob("venv/**/site-packages")
    (site / "_backprop_from_scratch.pth").write_text(str(ROOT), encoding="utf-8")  # as `pip install -e` does
    said = environment.run("-c", TRY).stderr
    assert "found another library of that name" in said and "Traceback" in said
    environment.follow()
    assert environment.works()
    (site / "_backprop_from_scratch.pth").unlink()


def test_install_over_another_autograd_breaks_when_it_is_removed(environment):
    """As in Colab, where the other library is there from the start."""
    environment.pip("install", environment.course)
    assert environment.works()
    environment.pip("uninstall", "--yes", "autograd")
    assert not environment.works() and "found another library" in environment.run("-c", TOLD).stdout
    environment.follow()
    assert environment.works()
    assert environment.run("-c", "import autograd.training.nn").returncode == 0


def test_colab_commands_in_readme_work(environment):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    steps = re.findall(r"^!pip (.*)$", text, re.MULTILINE)
    assert [step.split()[0] for step in steps] == ["uninstall", "install"]
    environment.do(steps)
    assert environment.works()
