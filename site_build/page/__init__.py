"""The page: JupyterLite with the three packages and all lessons, as static files; `build(out)` makes it."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import jupyterlite_core
import jupyterlite_pyodide_kernel

from site_build.page import distribution, packages

ROOT = Path(__file__).parents[2]
START = "lab/index.html?path=notebooks/00_start_here.ipynb"
MARK = "jupyter-lite.json"  # a folder with this file is a JupyterLite site
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
EXTENSIONS = ("anywidget", "@jupyter-widgets/jupyterlab-manager", "@jupyterlite/pyodide-kernel-extension")
TITLE = "Backpropagation from scratch"


def build(out, pyodide="cdn", said=print):
    """Make the page in a folder, which is made anew if it holds a page; returns what to open, and how it is served.

    pyodide: the folder of a Pyodide distribution, which the page then holds; or "cdn", and its large packages come at
    run time from Pyodide's makers. said: is told what is done. ValueError or RuntimeError, with a sentence, where
    something is missing or the folder holds something else.
    """
    out = Path(out).resolve()
    if out.exists() and (not out.is_dir() or any(out.iterdir())) and not (out / MARK).exists():
        raise ValueError(f"{out} holds something else than a page. Name another folder, or empty it.")
    with tempfile.TemporaryDirectory() as work:
        made, core = Path(work, "made"), Path(work, "core")
        said(f"fetching the core of Pyodide {distribution.VERSION} from npm")
        source = None if pyodide == "cdn" else Path(pyodide)
        lock = distribution.held_by(source, distribution.fetch(core))
        said("making the course's wheel, and fetching the wheels that it needs from PyPI")
        own = packages.collect(ROOT, Path(work, "wheels"), lock, labextension(EXTENSIONS[2]) / "static" / "pypi")
        said("building JupyterLite")
        jupyterlite(Path(work), made)
        said("adding Pyodide")
        names = distribution.add(made / "pyodide", core, lock, own, source)
        configure(made / MARK, names)
        said(f"writing {size(made):.0f} MB")
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(made, out, ignore=shutil.ignore_patterns("*.doit.db", ".jupyterlite.doit.db"))
    return f"http://localhost:8000/{START} once this runs: {Path(sys.executable).name} -m http.server -d {out}"


def jupyterlite(work, made):
    """Build JupyterLite with the lessons, in a folder, with no other extension than the page needs."""
    contents = work / "contents"
    lessons(contents)
    extensions = [f"--LiteBuildConfig.federated_extensions={labextension(name)}" for name in EXTENSIONS]
    command = [sys.executable, "-m", "jupyterlite_core.app", "build", "--apps=lab", "--no-sourcemaps"]
    command += ["--no-unused-shared-packages", "--ignore-sys-prefix", f"--lite-dir={work}", f"--contents={contents}"]
    command += [f"--output-dir={made}", *extensions]
    ran = subprocess.run(command, cwd=work, capture_output=True, encoding="utf-8")
    if ran.returncode or not (made / MARK).exists():
        raise RuntimeError(f"JupyterLite {jupyterlite_core.__version__} could not be built:\n{ran.stdout}{ran.stderr}")


def lessons(contents):
    """Write what a learner finds on the page: the lessons, and the list of them that each one links to."""
    for place in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in place.parts:
            copy = contents / place.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(place, copy)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = re.search(r"^## The lessons\n.*?(?=^## )", readme, re.MULTILINE | re.DOTALL)[0]
    (contents / "README.md").write_text(f"# {TITLE}\n\n{listed}", encoding="utf-8")


def labextension(name):
    """The folder of an installed extension of JupyterLab."""
    for start in (Path(jupyterlite_pyodide_kernel.__file__).parents[4], Path(sys.prefix)):
        found = start / "share" / "jupyter" / "labextensions" / name
        if found.is_dir():
            return found
    raise ValueError(f'The JupyterLab extension {name} is missing: pip install -e ".[page]"')


def configure(place, names):
    """Tell the site to take Pyodide from its own folder, with these packages from the start, and nothing from PyPI."""
    config = json.loads(place.read_text(encoding="utf-8"))
    data = config["jupyter-config-data"]
    data["appName"] = TITLE
    kernel = data.setdefault("litePluginSettings", {}).setdefault(KERNEL, {})
    kernel["pyodideUrl"] = "./pyodide/pyodide.js"
    kernel["disablePyPIFallback"] = True
    kernel["loadPyodideOptions"] = {"packages": names}
    place.write_text(json.dumps(config, indent=1, sort_keys=True), encoding="utf-8")


def size(folder):
    """The size of a folder in MB."""
    return sum(place.stat().st_size for place in folder.rglob("*") if place.is_file()) / 1e6
