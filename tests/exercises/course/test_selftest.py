"""The self-test: what it finds here, and its message if `autograd` is another library or something is missing."""

import os
import subprocess
import sys

import pytest

from exercises.course import selftest, selftest_page
from figures.graph import layout


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def rows(shown=None):
    return {row.name: row for row in (shown or selftest.self_test()).rows}


def test_self_test_passes_and_widgets_wait_for_the_browser():
    shown = selftest.self_test()
    found = rows(shown)
    assert list(found) == ["kernel", "autograd", "widgets", "graphs", "progress", "PyTorch"]
    assert {found[name].state for name in ("kernel", "autograd", "graphs", "progress")} == {"works"}
    assert found["widgets"].state == "waiting" and found["PyTorch"].state in ("works", "not needed")
    assert found["kernel"].says.startswith(f"Python {sys.version.split()[0]}")
    assert "pygraphviz" in found["graphs"].says
    assert "c     +        a, b" in shown.render_text()
    assert set(shown._repr_mimebundle_()) == {"text/html", "text/plain"}
    assert selftest.wrong_autograd() == ""
    selftest.demand()


def test_kernel_answers_the_browsers_call():
    shown = selftest.self_test()
    assert shown.answer == 0
    for call in (1, 2):  # the page was loaded again
        shown.call = call
        assert shown.answer == call


def test_missing_graphviz_row_has_install_instructions(monkeypatch):
    def broken_svg(dot):
        raise ImportError("No module named 'pygraphviz'")

    monkeypatch.setattr(layout, "BACKENDS", (broken_svg,))
    layout.dot_to_svg.cache_clear()
    layout.lay_out.cache_clear()
    shown = selftest.self_test()
    row = rows(shown)["graphs"]
    assert row.state == "does not work"
    assert layout.HOW_TO_INSTALL in row.says and "No module named 'pygraphviz'" in row.says
    assert "<td>5</td>" in shown.html()  # the graph as a table


def test_missing_pytorch_is_reported_as_not_needed(monkeypatch):
    def version(name):
        raise selftest_page.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(selftest_page.metadata, "version", version)
    row = rows()["PyTorch"]
    assert (row.state, row.says) == ("not needed", "Not installed: nothing needs it.")


def test_unwritable_progress_is_reported(folder):
    folder.write_text("a file in the place of the folder", encoding="utf-8")
    row = rows()["progress"]
    assert row.state == "does not work" and "as long as this kernel" in row.says


WRONG = {
    "another library": ("def grad(f): pass\n", "found another library of that name, in "),
    "one that fails": ("import no_such_numpy\n", "fails here (ModuleNotFoundError: No module named 'no_such_numpy')"),
    "one with a Value of its own": ("class Value: pass\n", "found another library of that name, in "),
}


@pytest.mark.parametrize(("source", "said"), WRONG.values(), ids=WRONG)
def test_wrong_autograd_is_reported_at_import(tmp_path, source, said):
    """In a fresh IPython whose path has another `autograd` before this one, as after `pip install autograd`."""
    (tmp_path / "autograd").mkdir()
    (tmp_path / "autograd" / "__init__.py").write_text(source, encoding="utf-8")
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "for cell in ('import exercises', 'exercises.self_test()'):\n"
        "    print('cell', shell.run_cell(cell).success)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "IPYTHONDIR": str(tmp_path / "ipython")}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, encoding="utf-8"
    )
    assert ran.returncode == 0, ran.stderr
    assert "cell True" in ran.stdout and "cell False" in ran.stdout
    assert said in ran.stdout and selftest.WHAT_TO_DO in ran.stdout
    assert "Traceback" not in ran.stdout and "line 1" not in ran.stdout
    if "found" in said:
        assert str(tmp_path / "autograd" / "__init__.py") in ran.stdout
