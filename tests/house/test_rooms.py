"""The packages are rooms that import one way, as the first docstring of each package draws them; no cycles."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

import autograd
import benchmarks
import exercises
import figures
import site_build

ROOT = Path(__file__).parents[2]
PACKAGES = ("exercises", "figures")
ALL = (autograd, figures, exercises, site_build, benchmarks)
DATA = re.compile(r"\.(?:stub|solution)$|\.programs\.|\.given\.|__main__$|\.peers\b|benchmarks\.worker")  # not modules
LOADERS = ("exercises.clinic.command", "exercises.doctor.loading", "exercises.engine_file.check")
LOADERS += ("exercises.course.selftest",)
DRAWN = re.compile(r"^    (\w+) +\S.*?→ ((?:\w+|,\s+)+)$", re.MULTILINE)


def modules():
    """Return {module: its file} of all packages."""
    found = {}
    for package in ALL:
        for path in sorted(Path(package.__file__).parent.rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return {name: path for name, path in found.items() if not DATA.search(name)}


MODULES = modules()


def imports_of(name):
    """Yield the modules of the project that a module imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name}: a relative import"
            for each in node.names:
                whole = f"{node.module}.{each.name}"
                yield from [found for found in (whole, node.module) if found in MODULES][:1]


@functools.cache
def all_imports():
    return {name: set(imports_of(name)) - {name} for name in MODULES}


def circle(name, way=(), done=None):
    """Return the first cycle of imports that a walk from a module meets; () if there is none."""
    done = set() if done is None else done
    if name in way:
        return (*way[way.index(name) :], name)
    if name in done:
        return ()
    found = next(filter(None, (circle(each, (*way, name), done) for each in sorted(all_imports()[name]))), ())
    done.add(name)
    return found


@pytest.mark.long
def test_no_circular_imports():
    done = set()
    for name in MODULES:
        assert not circle(name, (), done)


def room(name, package):
    """Return the room of a module of a package; "" for what is at its root."""
    rest = name.removeprefix(package).strip(".")
    return rest.split(".")[0] if rest and rest != "__main__" else ""


@pytest.mark.long
@pytest.mark.parametrize("package", PACKAGES)
def test_packages_import_as_their_docstrings_state(package):
    drawn = {name: set(re.findall(r"\w+", to)) - {"none"} for name, to in DRAWN.findall(sys.modules[package].__doc__)}
    folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    assert set(drawn) == folders, "each room is drawn"
    files = {path.name for path in (ROOT / package).iterdir() if path.is_file() and path.suffix != ".pyc"}
    assert files <= {"__init__.py", "__main__.py"}, "at its root there are no other files"
    seen = {name: set() for name in drawn}
    for name, imported in all_imports().items():
        if name.startswith(f"{package}."):
            seen[room(name, package)] |= {room(each, package) for each in imported if each.startswith(f"{package}.")}
    assert {name: rooms - {name} for name, rooms in seen.items()} == drawn


def test_packages_import_one_way():
    order = ("autograd", "figures", "exercises", "site_build")
    for name, imported in all_imports().items():
        if (package := name.split(".")[0]) in order:
            allowed = order[: order.index(package) + 1]
            assert {each.split(".")[0] for each in imported} <= set(allowed), name


@pytest.mark.long
def test_modules_are_imported_by_name_in_few_places():
    for name, path in MODULES.items():
        if name in LOADERS or path.name == "__init__.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "__getattr__"], name
        assert "import_module" not in path.read_text(encoding="utf-8"), name


EACH = """
import importlib, sys
for name in {}:
    importlib.import_module(name)
import exercises, figures
for package in (exercises, figures):
    for name in package.__all__:
        found = getattr(package, name)
        assert callable(found) or name in ("check", "progress"), (name, found)
assert exercises.check.slope and exercises.progress.Note
"""


@pytest.mark.long
def test_no_subpackage_shadows_a_public_name():
    names = [name for name in MODULES if name.split(".")[0] in PACKAGES and not DATA.search(name)]
    assert not {room(name, p) for name in names for p in PACKAGES if name.startswith(p)} & {
        *exercises.__all__,
        *figures.__all__,
    }
    ran = subprocess.run([sys.executable, "-c", EACH.format(names)], capture_output=True, encoding="utf-8", cwd=ROOT)
    assert ran.returncode == 0, ran.stderr


def test_package_roots_contain_only_subpackages_and_files_are_short():
    for package in PACKAGES:
        assert {path.name for path in (ROOT / package).glob("*.py")} == {"__init__.py", "__main__.py"}
    folders = [Path(package.__file__).parent for package in ALL] + [ROOT / "tests"]
    data = ROOT / "tests" / "approved" / "files"  # a learner's
    code = [path for folder in folders for kind in ("py", "js") for path in folder.rglob(f"*.{kind}")]
    ours = [path for path in code if data not in path.parents and "node_modules" not in path.parts]
    assert len(ours) > 500
    assert [path.name for path in ours if len(path.read_text(encoding="utf-8").splitlines()) > 400] == []
