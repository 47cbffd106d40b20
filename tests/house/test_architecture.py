"""Who may import whom, what an import may load, and what no file may contain."""

import ast
import functools
import graphlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import autograd

ROOT = Path(__file__).parents[2]
PACKAGES = ["autograd", "figures", "exercises", "notebooks"]  # each may import those to its left
SOURCES = sorted(p for package in PACKAGES for kind in ("py", "ipynb") for p in (ROOT / package).rglob(f"*.{kind}"))
ENGINE = {  # {a module's name in autograd: its file}
    path.relative_to(ROOT / "autograd").with_suffix("").as_posix().replace("/", "."): path
    for path in sorted((ROOT / "autograd").rglob("*.py"))
    if path.name != "__init__.py"
}
ARRAY_MODULES = set(filter(re.compile(r"(tensor|arrays|lessons)\b|\w+\.(array|tensor)_").match, ENGINE))  # have NumPy
ROOMS = ("errors", "topo", "operations", "arithmetic", "protocols", "value", "dual")  # each imports those before it
ROOMS += ("arrays", "tensor", "training", "inspect", "compile", "lessons")
SCALAR_MODULES = [path for name, path in ENGINE.items() if name not in ARRAY_MODULES]
LABS = {p.stem for p in (ROOT / "figures" / "labs").glob("*.py")} - {"__init__", "together"}


def from_root(path):
    return path.relative_to(ROOT).as_posix()


def code_of(path):
    """Return a module's source, or that of a notebook's code cells without the lines that only IPython understands."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return text
    cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return "\n".join(line for cell in cells for line in cell.splitlines() if not line.lstrip().startswith(("%", "!")))


@functools.cache
def imported_names(source):
    """Return every module that a source imports, at any depth: 'autograd.value'; for `from a import b` also 'a.b'."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name their package"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def packages_of(source):
    return {name.split(".")[0] for name in imported_names(source)}


def modules_of_autograd(source):
    """Return 'value' for `from autograd.value import Value`, 'errors.messages' for its import of messages."""
    found = [name.removeprefix("autograd.") for name in imported_names(source) if name.startswith("autograd.")]
    return {name for whole in found for name in (whole, whole.rpartition(".")[0]) if name in ENGINE}


def run(code, cwd, **variables):
    command, environment = [sys.executable, "-c", code], os.environ | variables
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=True)


@pytest.mark.parametrize("path", SOURCES, ids=from_root)
def test_imports_run_one_way(path):
    """From notebooks → exercises → figures → autograd no arrow runs back, and nothing imports the tests."""
    own = PACKAGES.index(path.relative_to(ROOT).parts[0])
    assert packages_of(code_of(path)).isdisjoint({*PACKAGES[own + 1 :], "tests"})


@pytest.mark.parametrize("path", SCALAR_MODULES, ids=from_root)
def test_scalar_engine_uses_only_the_standard_library(path):
    assert packages_of(code_of(path)) <= {*sys.stdlib_module_names, "autograd"}
    found = ARRAY_MODULES.intersection(modules_of_autograd(code_of(path)))
    allowed = {"compile.array_replay"} if path.stem == "record" else set()  # whatever has a Tensor has NumPy
    assert found == allowed


def test_recording_values_imports_no_arrays():
    """`record` imports the arrays' module inside a function, which only a Tensor calls."""
    code = "import autograd, sys; autograd.record(lambda x: x * x, 2.0)"
    said = run(f"{code}; print({{'numpy', 'autograd.compile.array_replay'}} & {{*sys.modules}})", ROOT)
    assert said.stdout.strip() == "set()"


def test_labs_do_not_import_each_other():
    """Code that labs share, or that exercises use, is in other packages; a lab may have a separate picture."""
    for path in SOURCES:
        if path.parent.name == "labs" or "exercises" in path.relative_to(ROOT).parts[:1]:
            found = {tuple(name.split(".")[:3]) for name in imported_names(code_of(path))}
            others = {lab for lab in LABS if lab.partition("_")[0] != path.stem.partition("_")[0]}
            assert path.stem == "together" or found.isdisjoint({("figures", "labs", lab) for lab in others}), path


def test_import_scanner_finds_nested_and_relative_imports():
    """The tests above can fail: they see an import inside a function, and `from autograd import tensor`."""
    source = "import os.path\ndef f():\n    from autograd import tensor\n    import figures.graph.draw as g"
    assert set(imported_names(source)) == {"os.path", "autograd.tensor", "figures.graph.draw"}
    assert packages_of(source) == {"os", "autograd", "figures"}
    assert modules_of_autograd(source) == {"tensor"}
    assert {"value.py", "topo.py", "steps.py", "nn.py"} <= {path.name for path in SCALAR_MODULES}


@pytest.mark.parametrize("name", ENGINE)
def test_autograd_modules_import_only_earlier_packages(name):
    room = ROOMS.index(name.split(".")[0])
    imported = modules_of_autograd(code_of(ENGINE[name]))
    assert {each.split(".")[0] for each in imported} <= {*ROOMS[: room + 1]}


def test_autograd_modules_have_no_import_cycle():
    graphlib.TopologicalSorter({name: modules_of_autograd(code_of(ENGINE[name])) for name in ENGINE}).prepare()


def test_autograd_root_is_small():
    """Whoever opens the folder sees the engine, and can read its class `Value` on a few screens."""
    lines = {path.name: code_of(path).count("\n") for path in (ROOT / "autograd").glob("*.py")}
    assert len(lines) <= 8 and sum(lines.values()) <= 1200 and lines["value.py"] <= 200


DRAWING = {"matplotlib", "PIL", "contourpy", "torch", "pygraphviz"}
HEAVY = DRAWING | {"dataclasses", "typing", "numpy", "graphviz", "ipywidgets", "anywidget", "IPython", "figures"}


@pytest.mark.parametrize(
    ("imports", "needed", "too_much"),
    [
        ("autograd", {"autograd.value"}, HEAVY | {f"autograd.{name}" for name in ARRAY_MODULES}),
        ("autograd.tensor", {"numpy"}, {"torch"}),
        ("figures, exercises.engine_file.check", {"figures.labs.xor"}, DRAWING | {"sklearn", "scipy", "pandas"}),
    ],
)
def test_import_loads_nothing_heavy(imports, needed, too_much, tmp_path):
    """Drawing a picture loads what it needs, and so does a comparison with PyTorch; an import does not."""
    loaded = set(run(f"import sys, {imports}; print(*sys.modules)", tmp_path).stdout.split())
    assert needed <= loaded and not too_much & loaded


@pytest.mark.long
def test_first_picture_prints_no_matplotlib_note(tmp_path):
    """Once per machine matplotlib lists the fonts, and prints a note; here it has never run."""
    code = "import figures; figures.curves({'a': [(0, 1), (1, 2)]}); import logging; print(logging.getLogger().level)"
    ran = run(code, None, MPLCONFIGDIR=str(tmp_path), MPLBACKEND="agg")
    assert ran.stderr == "" and ran.stdout == "30\n" and any(tmp_path.glob("fontlist*"))


def test_installed_autograd_is_this_one(tmp_path):
    """Another library has the same import name; an import must not find it."""
    found = run("import autograd; print(autograd.Value(2) + 3)", tmp_path).stdout
    assert found == "Value(data=5.0000, grad=0.0000)\n"


def test_public_names():
    assert set(autograd.__all__) == {
        *("Value", "weighted_sum", "topological_order", "Step", "forward_steps", "backward_steps", "Dual"),
        *("Module", "Neuron", "Layer", "MLP", "SGD", "Adam", "clip_grad_norm", "clip_grad_value"),
        *("sum_of_squares", "mean_squares", "half_squares", "hinge", "binary_cross_entropy", "softmax_cross_entropy"),
        *("gradcheck", "check_gradients", "numerical_gradient", "record", "record_graph"),
    }
    assert [name for name in autograd.__all__ if not getattr(autograd, name).__doc__] == []


def test_no_file_contains_a_machine_path():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, encoding="utf-8")
    kinds = {".py", ".md", ".yml", ".toml", ".ipynb", ".js", ".css"}
    for path in {*SOURCES, *(ROOT / name for name in listed.stdout.splitlines())}:  # SOURCES alone where git is not
        if path.suffix in kinds and path.exists():
            text = path.read_text(encoding="utf-8")
            assert len(ROOT.parts) < 3 or str(ROOT) not in text, path
            assert not re.search(r"""(?:^|["'\s=(])/(?:work|root|home|farm)/""", text), path
            if path in SOURCES:
                assert not re.search(r"(?<![\w.])/(home|Users|root)/\w|[A-Z]:\\+Users", text), path


@pytest.mark.parametrize("path", [*ROOT.glob("*/*.py"), *ROOT.glob("*/*/*.py")], ids=from_root)
def test_text_files_are_opened_with_an_encoding(path):
    """Windows has its own encoding, in which the first σ of a file is an error or another letter."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("read_text", "write_text"):
            assert any(word.arg == "encoding" for word in node.keywords), f"{from_root(path)}, line {node.lineno}"
