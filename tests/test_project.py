"""The project's own papers: what is declared, what is quoted, what a newcomer copies."""

import ast
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
from tests import lessons

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))


IN_A_BROWSER = {"pyodide"}  # there by itself, and imported nowhere else


def name_of(requirement):
    """The package that a requirement names."""
    return re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-")


def imported(source):
    """The top-level modules that a piece of code imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module.split(".")[0])
    return (
        found - set(sys.stdlib_module_names) - {"autograd", "figures", "exercises", "tests", "benchmarks", "site_build"}
    )


def sources(*folders):
    """The text of every Python file in some folders."""
    return [path.read_text(encoding="utf-8") for folder in folders for path in (ROOT / folder).rglob("*.py")]


@pytest.mark.parametrize("spec", [s for s in ENVIRONMENT["dependencies"] if isinstance(s, str)])
def test_environment_is_understood_by_conda(spec):
    rattler = pytest.importorskip("rattler", reason='conda\'s parser comes with: pip install -e ".[test]"')
    assert str(rattler.MatchSpec(spec, strict=True))


def test_versions_stand_once():
    assert ENVIRONMENT["channels"] == ["conda-forge"]
    assert ENVIRONMENT["dependencies"][-1] == {"pip": ["-e .[lab]"]}
    (python,) = [s for s in ENVIRONMENT["dependencies"] if isinstance(s, str) and s.startswith("python ")]
    version, oldest = (re.search(r"3\.(\d+)$", s)[1] for s in (python, PROJECT["project"]["requires-python"]))
    assert int(version) >= int(oldest)
    assert sum(isinstance(s, str) and any(c in s for c in "<>=") for s in ENVIRONMENT["dependencies"]) == 1


def test_every_line_of_the_environment_has_a_reason():
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    entries = [line for line in text.splitlines() if line.strip().startswith("- ") and not line.endswith("pip:")]
    assert entries and all(" # " in line for line in entries)


@pytest.mark.parametrize("package", ["jupyter", "matplotlib", "numpy", "graphviz", "ipywidgets"])
def test_what_the_course_stands_on_is_declared_and_used(package):
    """Jupyter opens the lessons; what learners make with graphviz is shown by its name; all others are imported."""
    lab = PROJECT["project"]["optional-dependencies"]["lab"]
    assert package in {name_of(requirement) for requirement in [*PROJECT["project"]["dependencies"], *lab]}
    code = list(sources("autograd", "figures", "exercises"))
    shown = any(f'"{package}.sources"' in each for each in code)
    assert shown or package == "jupyter" or package in set().union(*map(imported, code))


def test_all_that_is_imported_is_declared():
    declared = {name_of(requirement) for requirement in PROJECT["project"]["dependencies"]}
    extras = PROJECT["project"]["optional-dependencies"]
    declared |= {name_of(requirement) for requirement in [*extras["lab"], *extras["torch"]]}
    distributions = {"torch": ["torch"], **packages_distributions()}  # is declared, and need not be installed
    notebooks = [c.source for path in lessons.LESSONS for c in lessons.cells(lessons.read(path), "code")]
    for module in set().union(*map(imported, [*sources("autograd", "figures", "exercises"), *notebooks])):
        names = {name.lower().replace("_", "-") for name in distributions.get(module, [])}
        assert names & declared or module in {"IPython", "traitlets", *IN_A_BROWSER}, f"{module} is not declared"


def test_readme_has_two_lines_that_stand_alone():
    lines = re.findall(r"^python3 -m venv .*$", README, re.MULTILINE)
    assert len(lines) == 2
    assert all(line.startswith("python3 -m venv .venv && .venv/bin/pip install -e ") for line in lines)
    assert [re.search(r'-e "\.\[(\w+)\]"', line)[1] for line in lines] == ["lab", "test"]
    clone = "git clone ADDRESS backprop-from-scratch && cd backprop-from-scratch"
    assert f"```bash\n{clone}\n{lines[0]}\n```" in README
    lesson = re.search(r"/lab/tree/(\S+\.ipynb)", lines[0])[1]
    assert (ROOT / lesson).exists()
    assert README.index(lines[0]) < README.index("<!-- test line -->") < README.index(lines[1])


def test_the_public_workflow_runs_readmes_test_lines_from_the_oldest_python_on():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    lines = {step["run"]: step["if"] for step in job["steps"] if "run" in step}
    weekly = {run: when for run, when in lines.items() if "PYTEST_ADDOPTS=--all" in run}
    assert list(weekly.values()) == ["github.event_name == 'schedule'"] and "schedule" in workflow[True]  # YAML's `on`
    lines = {run: when for run, when in lines.items() if run not in weekly}
    posix = re.findall(r"^python3 -m venv .*$", README, re.MULTILINE)[1]
    windows = re.findall(r"^py -3 -m venv .*$", README, re.MULTILINE)[1]
    assert lines == {posix: "runner.os != 'Windows'", windows: "runner.os == 'Windows'"}
    oldest, newest = job["strategy"]["matrix"]["python"]
    assert PROJECT["project"]["requires-python"] == f">={oldest}" and newest > oldest


def test_the_workflow_that_publishes_runs_readmes_line_and_sends_what_it_makes():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "site.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["publish"]["steps"]
    line = re.search(r"^\.venv/bin/pip install .*site_build.*$", README, re.MULTILINE)[0]
    assert line in steps[2]["run"].splitlines()
    extras = PROJECT["project"]["optional-dependencies"]
    assert all(site in extras for site in re.findall(r"site_build (\w+)", line)), "each has an extra of its name"
    sent = next(step["with"]["path"] for step in steps if "upload-pages-artifact" in step.get("uses", ""))
    assert f"-m http.server -d {sent}" in README
    assert workflow["permissions"] == {"contents": "read", "pages": "write", "id-token": "write"}


def test_readme_shows_only_what_exists():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
    rows = re.findall(r"^\| (\d\d) \| (.*?) \| \d+ \| (.*?) \|$", README, re.MULTILINE)
    assert [row[0] for row in rows] == [f"{i:02}" for i in range(15)]
    existing = {path.name[:2] for path in lessons.LESSONS}
    for number, title, state in rows:
        assert (number in existing) == ("](notebooks/" in title) == (state != "planned")


def test_readme_begins_with_a_moving_picture_and_a_verdict():
    parts = ("figures/gallery/backward_pass.svg", "from exercises import check", "git clone", "<!-- test line -->")
    places = [README.index(part) for part in parts]
    assert places == sorted(places)
    assert set(gallery.MOVING) == {"backward_pass.svg"}


def test_the_wrong_answer_in_readme_gets_what_it_says():
    code, said = re.search(
        r"```python\n(from exercises import check.*?)```\n```text\n(.*?)```", README, re.DOTALL
    ).groups()
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert ran.stdout == said


def test_minutes_and_titles_are_the_same_everywhere():
    rows = {
        n: (t, int(m))
        for n, t, m in re.findall(r"^\| (\d\d) \| \[?(.*?)(?:\]\(.*?\))? \| (\d+) \|", README, re.MULTILINE)
    }
    assert {number: (title.replace("`", ""), minutes) for number, (title, minutes) in rows.items()} == {
        number: (title, minutes) for number, title, minutes in LESSONS
    }
    for path in lessons.LESSONS:
        first = lessons.read(path).cells[0].source
        title, minutes = rows[path.name[:2]]
        assert first.startswith(f"# {path.name[:2]} · {title}\n")
        assert f"**{minutes} minutes" in first


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


def test_the_engines_example_in_readme_prints_what_it_says():
    example = re.search(r"```python\n(from autograd import Value.*?)```", README, re.DOTALL)[1]
    ran = subprocess.run([sys.executable, "-c", example], capture_output=True, encoding="utf-8", check=True)
    assert ran.stdout.strip() == example.rsplit("# ", 1)[1].strip()


def test_the_gallery_is_made_by_its_functions_the_same_each_time(tmp_path):
    again = "import sys; from figures.gallery import make; list(make(sys.argv[1]))"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for folder, seed in (("a", "1"), ("b", "2")):
        subprocess.run([sys.executable, "-c", again, str(tmp_path / folder)], check=True, env=environment(seed))
    for name in [*gallery.PICTURES, *gallery.MOVING]:
        made = [(tmp_path / folder / name).read_bytes() for folder in "ab"]
        assert made[0] == made[1]
        kept = (gallery.HERE / name).read_text(encoding="utf-8")
        (words, numbers), (words_now, numbers_now) = texts_of(kept), texts_of(made[0].decode())
        assert words == words_now
        assert numbers_now == pytest.approx(numbers, rel=0.1), "a long training ends alike on every processor"


def texts_of(picture):
    """(the texts of an SVG without their numbers, these numbers)."""
    texts, number = "\n".join(re.findall(r">([^<>]+)</text>", picture)), r"\d+(?:\.\d+)?"
    return re.sub(number, "#", texts), [float(found) for found in re.findall(number, texts)]


def environment(seed):
    """This process's environment with another seed for hashes."""
    import os

    return {**os.environ, "PYTHONHASHSEED": seed}


def test_no_path_of_a_machine_and_no_outputs_are_kept():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, encoding="utf-8")
    if listed.returncode:
        pytest.skip("this is not a git checkout, so there is no list of its files")
    for name in listed.stdout.split():
        if (path := ROOT / name).suffix in {".py", ".md", ".yml", ".toml", ".ipynb", ".js", ".css"} and path.exists():
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"""(?:^|["'\s=(])/(?:work|root|home|farm)/""", text), name
