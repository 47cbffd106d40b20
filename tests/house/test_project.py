"""The project's own papers: what is declared, what is quoted, what a newcomer copies."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

from exercises.shelf.lessons import LESSONS
from figures import gallery
from tests import notebooks
from tests.house.test_architecture import packages_of

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))


EXTRAS = PROJECT["project"]["optional-dependencies"]
SPECS = [spec for spec in ENVIRONMENT["dependencies"] if isinstance(spec, str)]
IN_A_BROWSER = {"pyodide"}  # there by itself, and imported nowhere else
LINES = re.findall(r"^python3 -m venv .*$", README, re.MULTILINE)


def names_of(requirements):
    """The packages that requirements name."""
    return {re.match(r"[\w.-]+", each)[0].lower().replace("_", "-") for each in requirements}


def imported(source):
    """The top-level modules that a piece of code imports, but for the project's own and Python's."""
    ours = {"autograd", "figures", "exercises", "tests", "benchmarks", "site_build"}
    return packages_of(source) - set(sys.stdlib_module_names) - ours


def workflow(name):
    """A workflow that GitHub runs."""
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))


def printed(code, **variables):
    """What a fresh Python prints."""
    command, environment = [sys.executable, "-c", code], os.environ | variables
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env=environment).stdout


def sources(*folders):
    """The text of every Python file in some folders."""
    return [path.read_text(encoding="utf-8") for folder in folders for path in (ROOT / folder).rglob("*.py")]


@pytest.mark.parametrize("spec", SPECS)
def test_environment_is_understood_by_conda(spec):
    rattler = pytest.importorskip("rattler", reason='conda\'s parser comes with: pip install -e ".[test]"')
    assert str(rattler.MatchSpec(spec, strict=True))


def test_versions_stand_once_and_every_line_of_the_environment_has_a_reason():
    assert ENVIRONMENT["channels"] == ["conda-forge"]
    assert ENVIRONMENT["dependencies"][-1] == {"pip": ["-e .[lab]"]}
    (python,) = [spec for spec in SPECS if any(sign in spec for sign in "<>=")]
    version, oldest = (re.search(r"3\.(\d+)$", s)[1] for s in (python, PROJECT["project"]["requires-python"]))
    assert python.startswith("python ") and int(version) >= int(oldest)
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    entries = [line for line in text.splitlines() if line.strip().startswith("- ") and not line.endswith("pip:")]
    assert entries and all(" # " in line for line in entries)


def test_what_is_declared_is_used_and_what_is_imported_is_declared():
    """Jupyter opens the lessons; what learners make with graphviz is shown by its name; all others are imported."""
    declared = names_of([*PROJECT["project"]["dependencies"], *EXTRAS["lab"]])
    code = list(sources("autograd", "figures", "exercises"))
    found = set().union(*map(imported, code))
    for package in ("jupyter", "matplotlib", "numpy", "graphviz", "ipywidgets"):
        shown = any(f'"{package}.sources"' in each for each in code)
        assert package in declared and (shown or package == "jupyter" or package in found), package
    declared |= names_of(EXTRAS["torch"])
    distributions = {"torch": ["torch"], **packages_distributions()}  # is declared, and need not be installed
    cells = [c.source for path in notebooks.EVERY for c in notebooks.cells(notebooks.read(path), "code")]
    for module in found.union(*map(imported, cells)):
        names = {name.lower().replace("_", "-") for name in distributions.get(module, [])}
        assert names & declared or module in {"IPython", "traitlets", *IN_A_BROWSER}, f"{module} is not declared"


def test_readme_has_two_lines_that_stand_alone():
    """After a moving picture and a verdict, with which it begins."""
    assert all(line.startswith("python3 -m venv .venv && .venv/bin/pip install -e ") for line in LINES)
    assert [re.search(r'-e "\.\[(\w+)\]"', line)[1] for line in LINES] == ["lab", "test"]
    clone = "git clone ADDRESS backprop-from-scratch && cd backprop-from-scratch"
    assert f"```bash\n{clone}\n{LINES[0]}\n```" in README
    assert (ROOT / re.search(r"/lab/tree/(\S+\.ipynb)", LINES[0])[1]).exists()
    begins = ("figures/gallery/backward_pass.svg", "from exercises import check", "git clone", LINES[0])
    places = [README.index(part) for part in (*begins, "<!-- test line -->", LINES[1])]
    assert places == sorted(places)
    assert set(gallery.MOVING) == {"backward_pass.svg"}


def test_the_public_workflow_runs_readmes_test_lines_from_the_oldest_python_on():
    tests = workflow("test.yml")
    (job,) = tests["jobs"].values()
    lines = {step["run"]: step["if"] for step in job["steps"] if "run" in step}
    weekly = {run: when for run, when in lines.items() if "PYTEST_ADDOPTS=--all" in run}
    assert list(weekly.values()) == ["github.event_name == 'schedule'"] and "schedule" in tests[True]  # YAML's `on`
    lines = {run: when for run, when in lines.items() if run not in weekly}
    windows = re.findall(r"^py -3 -m venv .*$", README, re.MULTILINE)[1]
    assert lines == {LINES[1]: "runner.os != 'Windows'", windows: "runner.os == 'Windows'"}
    oldest, newest = job["strategy"]["matrix"]["python"]
    assert PROJECT["project"]["requires-python"] == f">={oldest}" and newest > oldest


def test_the_workflow_that_publishes_runs_readmes_line_and_sends_what_it_makes():
    site = workflow("site.yml")
    steps = site["jobs"]["publish"]["steps"]
    line = re.search(r"^\.venv/bin/pip install .*site_build.*$", README, re.MULTILINE)[0]
    built = next(step for step in steps if "run" in step)
    assert line in built["run"].splitlines()
    address = re.search(r"\{\{ steps\.(\w+)\.outputs\.base_url \}\}", built["env"]["SITE_ADDRESS"])[1]
    assert [step["uses"] for step in steps if step.get("id") == address] == ["actions/configure-pages@v5"]
    assert set(re.findall(r"site_build (\w+)", line)) <= EXTRAS.keys(), "each has an extra of its name"
    sent = next(step["with"]["path"] for step in steps if "upload-pages-artifact" in step.get("uses", ""))
    assert f"-m http.server -d {sent}" in README
    assert site["permissions"] == {"contents": "read", "pages": "write", "id-token": "write"}


def test_readme_shows_only_what_exists():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
    states = re.findall(r"^\| (\d\d) \| (.*?) \| [\d +]+ \| (.*?) \|$", README, re.MULTILINE)
    existing = {path.name[:2] for path in notebooks.LESSONS}
    for number, title, state in states:
        assert (number in existing) == ("](notebooks/" in title) == (state != "planned")
    rows = re.findall(r"^\| (\d\d) \| \[?(.*?)(?:\]\(.*?\))? \| ([\d +]+) \|", README, re.MULTILINE)
    assert [(number, title.replace("`", ""), time) for number, title, time in rows] == [
        (lesson.number, lesson.title, lesson.time) for lesson in LESSONS
    ]
    assert [row[0] for row in rows] == [row[0] for row in states] == [f"{i:02}" for i in range(16)]
    for path in notebooks.LESSONS:
        first = notebooks.read(path).cells[0].source
        _, title, minutes = rows[int(path.name[:2])]
        assert first.startswith(f"# {path.name[:2]} · {title}\n") and f"**{minutes.partition(' ')[0]} minutes" in first


def test_the_code_in_readme_prints_what_it_says():
    """A wrong answer, and the engine's example."""
    pair = r"```python\n(from exercises import check.*?)```\n```text\n(.*?)```"
    code, said = re.search(pair, README, re.DOTALL).groups()
    assert printed(code) == said
    example = re.search(r"```python\n(from autograd import Value.*?)```", README, re.DOTALL)[1]
    assert printed(example).strip() == example.rsplit("# ", 1)[1].strip()


def test_readme_quotes_the_benchmarks_report():
    """Every row of its tables of speed, and each ratio in the text, stands in the report that the command wrote."""
    report = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    section = README.split("## How fast it is")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert len(rows) == 14
    assert all(row in report for row in rows)
    for ratio in ("2.17", "4.15"):
        assert ratio in section and re.search(rf"than micrograd|as fast as micrograd, default gc +\| {ratio} ", report)
    assert "CPython 3.11.7" in report and "AMD EPYC" in report


def test_the_gallery_is_made_by_its_functions_the_same_each_time(tmp_path):
    again = "import sys; from figures.gallery import make; list(make({!r}))"
    for folder, seed in (("a", "1"), ("b", "2")):
        (tmp_path / folder).mkdir()
        printed(again.format(str(tmp_path / folder)), PYTHONHASHSEED=seed)
    for name in [*gallery.PICTURES, *gallery.MOVING]:
        made = [(tmp_path / folder / name).read_bytes() for folder in "ab"]
        assert made[0] == made[1]
        kept = (gallery.HERE / name).read_text(encoding="utf-8")
        (words, numbers), (words_now, numbers_now) = texts_of(kept), texts_of(made[0].decode())
        if name == "colours.svg":  # its names are one machine's
            assert kept.count("engine-tile") == made[0].decode().count("engine-tile")
            continue
        assert words == words_now
        assert numbers_now == pytest.approx(numbers, rel=0.1, abs=5e-4), "a long training ends alike on every processor"


def texts_of(picture):
    """(the texts of an SVG without their numbers, these numbers)."""
    texts, number = "\n".join(re.findall(r">([^<>]+)</text>", picture)), r"\d+(?:\.\d+)?"
    return re.sub(number, "#", texts), [float(found) for found in re.findall(number, texts)]


def test_contributing_names_what_exists_and_is_short():
    """Files from the repository's folder, from `exercises/`, or from its lessons; and modules that `python -m` runs."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    places = ROOT, ROOT / "exercises", ROOT / "exercises" / "lessons"
    named = re.findall(r"`((?:\w+/)+[\w.]*)`", text)
    assert len(named) > 20
    assert [each for each in named if not any((place / each).exists() for place in places)] == []
    modules = {each.replace(".", "/") for each in re.findall(r"python -m ([\w.]+)", text)} - {"pytest"}
    assert all((ROOT / f"{each}.py").exists() or (ROOT / each / "__main__.py").exists() for each in modules)
    assert len(text.splitlines()) <= 94 and len(text.split()) <= 1060
