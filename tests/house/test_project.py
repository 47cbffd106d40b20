"""The project's own papers: what they declare, what they quote, what a newcomer copies."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

from exercises.content.lessons import LESSONS
from figures import gallery
from figures.page.style import FACE
from site_build import doors
from site_build.book import fonts, texts
from site_build.page import distribution
from tests import lowest, notebooks
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
    return {re.match(r"[\w.-]+", each)[0].lower().replace("_", "-") for each in requirements}


def imported(source):
    """Return the top-level modules that code imports, except the project's own and Python's."""
    ours = {"autograd", "figures", "exercises", "tests", "benchmarks", "site_build", "my_engine"}
    return packages_of(source) - set(sys.stdlib_module_names) - ours


def workflow(name):
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))


def printed(code, **variables):
    command, environment = [sys.executable, "-c", code], os.environ | variables
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env=environment).stdout


def sources(*folders):
    return [path.read_text(encoding="utf-8") for folder in folders for path in (ROOT / folder).rglob("*.py")]


@pytest.mark.parametrize("spec", SPECS)
def test_environment_specs_are_valid_for_conda(spec):
    rattler = pytest.importorskip("rattler", reason='conda\'s parser comes with: pip install -e ".[test]"')
    assert str(rattler.MatchSpec(spec, strict=True))


def test_versions_appear_once_and_environment_lines_have_reasons():
    assert ENVIRONMENT["channels"] == ["conda-forge"]
    assert ENVIRONMENT["dependencies"][-1] == {"pip": ["-e .[lab]"]}
    (python,) = [spec for spec in SPECS if any(sign in spec for sign in "<>=")]
    version, oldest = (re.search(r"3\.(\d+)$", s)[1] for s in (python, PROJECT["project"]["requires-python"]))
    assert python.startswith("python ") and int(version) >= int(oldest)
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    entries = [line for line in text.splitlines() if line.strip().startswith("- ") and not line.endswith("pip:")]
    assert entries and all(" # " in line for line in entries)


@pytest.mark.long
def test_declared_dependencies_match_imports():
    """Jupyter opens the lessons; learners' graphviz output shows graphviz's use; all others are imported."""
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


def test_readme_has_two_standalone_install_lines():
    assert [line for line in LINES if not line.startswith("python3 -m venv .venv && .venv/bin/pip install -e ")] == []
    assert [re.search(r'-e "\.\[(\w+)\]"', line)[1] for line in LINES] == ["lab", "test"]
    clone = "git clone ADDRESS backprop-from-scratch && cd backprop-from-scratch"
    assert f"```bash\n{clone}\n{LINES[0]}\n```" in README
    assert LINES[0].endswith(f" && .venv/bin/{next(iter(PROJECT['project']['scripts']))}")
    begins = ("figures/gallery/backward_pass.svg", "from exercises import check", "git clone", LINES[0])
    places = [README.index(part) for part in (*begins, "<!-- test line -->", LINES[1])]
    assert places == sorted(places)
    assert set(gallery.MOVING) == {"backward_pass.svg"}


def test_test_workflow_runs_readme_lines_from_the_oldest_python():
    tests = workflow("test.yml")
    job, oldest = tests["jobs"]["test"], tests["jobs"]["oldest"]
    lines = {step["run"]: step["if"] for step in job["steps"] if "run" in step}
    weekly = {run: when for run, when in lines.items() if "PYTEST_ADDOPTS=--all" in run}
    assert list(weekly.values()) == ["github.event_name == 'schedule'"] and "schedule" in tests[True]  # YAML's `on`
    lines = {run: when for run, when in lines.items() if run not in weekly}
    windows = re.findall(r"^py -3 -m venv .*$", README, re.MULTILINE)[1]
    assert lines == {LINES[1]: "runner.os != 'Windows'", windows: "runner.os == 'Windows'"}
    first, newest = job["strategy"]["matrix"]["python"]
    assert PROJECT["project"]["requires-python"] == f">={first}" and newest > first
    assert oldest["if"] == "github.event_name == 'schedule'" and oldest["steps"][1]["with"]["python-version"] == first
    assert ".venv/bin/python -m tests.lowest > lowest.txt" in oldest["steps"][-1]["run"]


def test_site_workflow_runs_readme_line_and_publishes_the_result():
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


def test_readme_links_exist_and_lists_all_lessons():
    for target in re.findall(r"\]\(([^)#]+)\)", README + texts.lessons()):
        assert (doors.address() or "nowhere") in target or (ROOT / target).exists(), target
    listed = re.findall(r"^(\d+)\. \[(.*?)\]\(notebooks/(.*?)\)$", README, re.MULTILINE)
    whole = re.findall(r"^\| (\d\d) \| \[(.*?)\]\(notebooks/(.*?)\) \| ([\d +]+) \|", texts.lessons(), re.MULTILINE)
    assert listed == [(str(int(number)), title, file) for number, title, file, _ in whole]
    rows = [(number, title, minutes) for number, title, _, minutes in whole]
    assert [(number, title.replace("`", ""), time) for number, title, time in rows] == [
        (lesson.number, lesson.title, lesson.time) for lesson in LESSONS
    ]
    assert [row[0] for row in rows] == [f"{i:02}" for i in range(11)]
    for path in notebooks.LESSONS:
        first = notebooks.read(path).cells[0].source
        _, title, minutes = rows[int(path.name[:2])]
        assert first.startswith(f"# {path.name[:2]} · {title}\n") and f"**{minutes.partition(' ')[0]} minutes" in first


def test_readme_code_prints_the_quoted_output(tmp_path):
    pair = r"```python\n(from exercises import check.*?)```\n```text\n(.*?)```"
    code, said = re.search(pair, README, re.DOTALL).groups()
    (tmp_path / "answer.py").write_text(code, encoding="utf-8")
    assert printed(f"import runpy; runpy.run_path({str(tmp_path / 'answer.py')!r})") == said
    example = re.search(r"```python\n(from autograd import Value.*?)```", README, re.DOTALL)[1]
    assert printed(example).strip() == example.rsplit("# ", 1)[1].strip()


def test_readme_quotes_the_benchmark_report():
    """Every row of its tables of speed, and each ratio in the text, is in the report that the command wrote."""
    report = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    section = README.split("## How fast it is")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert len(rows) == 11
    assert [row for row in rows if row not in report] == []
    for ratio in ("2.50", "4.95"):
        assert ratio in section and re.search(rf"than micrograd|as fast as micrograd, default gc +\| {ratio} ", report)
    assert "CPython 3.11.7" in report and "AMD EPYC" in report


@pytest.mark.long
def test_gallery_is_reproducible(tmp_path):
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
    """Return (the texts of an SVG without their numbers, these numbers)."""
    texts, number = "\n".join(re.findall(r">([^<>]+)</text>", picture)), r"\d+(?:\.\d+)?"
    return re.sub(number, "#", texts), [float(found) for found in re.findall(number, texts)]


BOUNDED = {"anywidget", "contourpy", "ipywidgets", "jupyter", "jupyterlab", "matplotlib", "numpy", "platformdirs"}


def test_dependencies_have_lower_and_upper_bounds():
    required = [*PROJECT["project"]["dependencies"], *EXTRAS["lab"]]
    assert [each for each in required if ">=" not in each] == []
    assert BOUNDED | {"pygments", "pygraphviz"} == names_of(each for each in required if re.search(r",<\d+$", each))
    assert {each.partition("==")[0] for each in lowest.constraints()} == names_of(
        each for each in required if ";" not in each
    )


def test_notices_are_complete_and_versions_agree():
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text(encoding="utf-8")
    for name in [*names_of(PROJECT["project"]["dependencies"]), "sphinx", "furo", "jupyterlite"]:
        assert name.lower() in notices.lower(), name
    assert f"Pyodide {distribution.VERSION}" in notices and "digits.npz" in notices
    for font in [font for kept in (fonts.FONTS, FACE.parent) for font in kept.glob("*.LICENCE.txt")]:
        maker = re.search(r"Copyright.*?(The [\w ]+ Project Authors)", font.read_text(encoding="utf-8"))[1]
        assert maker in notices
    version = PROJECT["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == version and citation["license"] == PROJECT["project"]["license"]
    assert f"\n## {version}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_issue_forms_and_dev_container_are_valid():
    forms = {
        path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (ROOT / ".github").glob("ISSUE_*/*.yml")
    }
    assert forms.pop("config") == {"blank_issues_enabled": True}
    assert forms.keys() == {"question", "bug", "feature"}
    assert [form for form in forms.values() if form.keys() != {"name", "description", "labels", "body"}] == []
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert LINES[0].startswith(container["postCreateCommand"])
    for paper in (*(ROOT / ".github").glob("*.md"), ROOT / "CITATION.cff"):
        assert not re.search(r"https?://|\w@\w", paper.read_text(encoding="utf-8")), "contact is by the issues"


def test_contributing_names_existing_files_and_is_short():
    """Files from the repository's folder, from `exercises/`, or from its lessons; and modules that `python -m` runs."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    places = ROOT, ROOT / "exercises", ROOT / "exercises" / "lessons"
    named = re.findall(r"`((?:\w+/)+[\w.]*)`", text)
    assert len(named) > 20
    assert [each for each in named if not any((place / each).exists() for place in places)] == []
    modules = {each.replace(".", "/") for each in re.findall(r"python -m ([\w.]+)", text)} - {"pytest"}
    assert [
        each for each in modules if not ((ROOT / f"{each}.py").exists() or (ROOT / each / "__main__.py").exists())
    ] == []
    assert len(text.splitlines()) <= 94 and len(text.split()) <= 1060
