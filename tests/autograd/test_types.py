"""The type hints of the public names: mypy accepts typical use and no wrong use, and the stubs match the code."""

import subprocess
import sys
from pathlib import Path

import pytest

import autograd

pytest.importorskip("mypy", reason='type checks need: pip install -e ".[test]"')

PACKAGE = Path(autograd.__file__).parent
STUBS = sorted(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in PACKAGE.rglob("*.pyi"))


def checked(*command, cwd):
    """Return what a module of mypy prints if it does not succeed."""
    ran = subprocess.run([sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True)
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


@pytest.mark.long
def test_mypy_accepts_right_use_and_rejects_wrong_use(tmp_path):
    """Each wrong line of the file expects its error; if there is none, mypy reports that the comment is not needed."""
    use = Path(__file__).parents[1].joinpath("typed") / "use.py"
    assert not checked("mypy", "--strict", "--cache-dir", tmp_path / "cache", use, cwd=PACKAGE.parent)


@pytest.mark.long
def test_stubs_match_the_code(tmp_path):
    """Names, parameters and defaults, by mypy's stubtest. Helpers of a module need not be in its stub."""
    (tmp_path / "mypy.ini").write_text(f"[mypy]\ncache_dir = {tmp_path / 'cache'}\n", encoding="utf-8")
    options = ["--ignore-missing-stub", "--mypy-config-file", tmp_path / "mypy.ini"]
    assert not checked("mypy.stubtest", *options, *STUBS, cwd=PACKAGE.parent)


def test_every_public_name_has_type_hints():
    assert (PACKAGE / "py.typed").exists()
    modules = {getattr(autograd, name).__module__ for name in autograd.__all__}
    others = {f"autograd.{name}" for name in ("tensor", "compile.replay", "compile.array_replay")}
    assert modules == {*STUBS} - others
