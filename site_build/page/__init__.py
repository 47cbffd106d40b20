"""The page: JupyterLite with the three packages and all lessons, as static files; `build(out)` makes it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from site_build import ROOT, TITLE, folder_for, put
from site_build.book import texts
from site_build.page import distribution, packages

START = "lab/index.html?path=notebooks/00_start_here.ipynb"
START_HERE = "Open a lesson: it runs here, in your browser. Run it cell by cell, with Shift+Enter."
MARK = "jupyter-lite.json"  # a folder with this file is a JupyterLite site
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
WIDGETS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")  # extensions of JupyterLab that come with the course
PYODIDE = "@jupyterlite/pyodide-kernel-extension"

# JupyterLite, which goes with the Pyodide that distribution.py names, and what it needs beside jupyter-server. They get
# a folder of their own: where JupyterLab is, it would load their extension, which it cannot use, and report an error.
TOOLS = ("jupyterlite-core==0.6.4", "jupyterlite-pyodide-kernel==0.6.1", "doit>=0.34,<1", "pkginfo")


def build(out, pyodide="cdn", said=print):
    """Make the page in a folder, which is made anew if it holds a page; returns what to open, and how it is served.

    pyodide: the folder of a Pyodide distribution, which the page then holds; or "cdn", and its large packages come at
    run time from Pyodide's makers. said: is told what is done. ValueError or RuntimeError, with a sentence, where
    something is missing or the folder holds something else.
    """
    out = folder_for(out, MARK, "page")
    with tempfile.TemporaryDirectory() as work:
        made, core = Path(work, "made"), Path(work, "core")
        said(f"fetching the core of Pyodide {distribution.VERSION} from npm")
        source = None if pyodide == "cdn" else Path(pyodide)
        lock = distribution.held_by(source, distribution.fetch(core))
        said("fetching JupyterLite from PyPI")
        tools = Path(work, "tools")
        packages.pip("install", "--no-deps", "--target", tools, *TOOLS)
        said("making the course's wheel, and fetching the wheels that it needs from PyPI")
        own = packages.collect(ROOT, Path(work, "wheels"), lock, labextension(tools, PYODIDE) / "static" / "pypi")
        said("building JupyterLite")
        jupyterlite(Path(work), made, tools)
        said("adding Pyodide")
        names = distribution.add(made / "pyodide", core, lock, own, source)
        configure(made / MARK, names)
        said(f"writing {size(made):.0f} MB")
        put(made, out, "*.doit.db")
    return f"http://localhost:8000/{START} once this runs: {Path(sys.executable).name} -m http.server -d {out}"


def jupyterlite(work, made, tools):
    """Build JupyterLite with the lessons, in a folder, with no other extension than the page needs.

    tools: the folder that JupyterLite is in.
    """
    contents = work / "contents"
    lessons(contents)
    found = [labextension(tools, PYODIDE), *(labextension(Path(sys.prefix), name) for name in WIDGETS)]
    extensions = [f"--LiteBuildConfig.federated_extensions={folder}" for folder in found]
    command = [sys.executable, "-m", "jupyterlite_core.app", "build", "--apps=lab", "--no-sourcemaps"]
    command += ["--no-unused-shared-packages", "--ignore-sys-prefix", f"--lite-dir={work}", f"--contents={contents}"]
    command += [f"--output-dir={made}", *extensions]
    ran = subprocess.run(
        command, cwd=work, env=os.environ | {"PYTHONPATH": str(tools)}, capture_output=True, encoding="utf-8"
    )
    if ran.returncode or not (made / MARK).exists():
        raise RuntimeError(f"JupyterLite could not be built:\n{ran.stdout}{ran.stderr}")


def lessons(contents):
    """Write what a learner finds on the page: the lessons, and the list of them that each one links to."""
    for place in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in place.parts:
            copy = contents / place.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(place, copy)
    listed = f"# {TITLE}\n\n## The lessons\n\n{texts.lessons()}\n\n## Start\n\n{START_HERE}\n"
    (contents / "README.md").write_text(listed, encoding="utf-8")


def labextension(prefix, name):
    """The folder of an extension of JupyterLab, installed with this prefix."""
    found = prefix / "share" / "jupyter" / "labextensions" / name
    if not found.is_dir():
        raise ValueError(f'The JupyterLab extension {name} is not in {prefix}. It comes with pip install -e ".[page]"')
    return found


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
