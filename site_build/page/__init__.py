"""The page: JupyterLite with the three packages and all lessons, as static files; `build(out)` makes it.

Until Python is ready, a lesson shows what its cells gave when they were run natively. A service worker keeps files, so
that nothing is fetched twice and a second visit needs no network.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from exercises.content.lessons import LESSONS
from site_build import ROOT, TITLE, folder_for, put
from site_build.page import bytecode, contents, distribution, front, packages

START = f"lab/index.html?path=notebooks/{LESSONS[0].file}"
MARK = "jupyter-lite.json"  # a folder with this file is a JupyterLite site
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
WIDGETS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")  # extensions of JupyterLab that come with the course
PYODIDE = "@jupyterlite/pyodide-kernel-extension"
FIRST = '["ssl","sqlite3","ipykernel","comm","pyodide_kernel","jedi","ipython"]'  # fetched before the kernel starts
BEGINS = 'i.push("import pyodide_kernel")'
OWN = '"import page_kernel","page_kernel.install(pyodide_kernel.ipython_shell)"'
SAVES = 3  # seconds between two saves of what was typed
SETTINGS = {  # a cell cannot be interrupted there; light or dark is the system's choice, as in the book
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": SAVES},
    "@jupyterlab/notebook-extension:panel": {"toolbar": [{"name": "interrupt", "disabled": True}]},
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
}

# JupyterLite, to match the Pyodide that distribution.py names, and what it needs besides jupyter-server. They get
# their own folder: next to JupyterLab, it would load their extension, which it cannot use, and report an error.
TOOLS = ("jupyterlite-core==0.6.4", "jupyterlite-pyodide-kernel==0.6.1", "doit>=0.34,<1", "pkginfo")


def build(out, pyodide="cdn", said=print, runs=None):
    """Make the page in a folder, which is replaced if it holds a page; return what to open, and how to serve it.

    pyodide: the folder of a Pyodide distribution, which the page then holds; or "cdn", and its large packages come at
    run time from Pyodide's makers. said: a function that gets a message about each step. runs: a folder that keeps runs
    of the lessons; or the runs to show, {path in the folder of notebooks: the notebook, run}. Raise ValueError or
    RuntimeError, with a sentence, if something is missing or the folder holds something else.
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
        if not isinstance(runs, dict):
            from site_build.book.run import run_all  # needs the packages that run notebooks

            runs = run_all(said, runs)
        contents.write(Path(work, "contents"), runs)
        said("building JupyterLite")
        jupyterlite(Path(work), made, tools)
        said("adding Pyodide")
        lock = distribution.add(made / "pyodide" / "new", core, lock, own, source)
        said("compiling what the kernel imports, in Node")
        try:
            bytecode.add(made / "pyodide" / "new", lock)
        except RuntimeError as fault:
            said(f"leaving that out, so that Python starts some seconds later: {fault}")
        inside = (made / "pyodide" / "new").rename(made / "pyodide" / state_of(made / "pyodide" / "new"))
        kernel(made / "extensions" / PYODIDE / "static")
        configure(made / MARK, inside.name)
        front.add(made, inside, distribution.closure(distribution.KERNEL, lock), lock)
        said(f"writing {size(made):.0f} MB")
        put(made, out, "*.doit.db")
    return f"http://localhost:8000/{START} once this runs: {Path(sys.executable).name} -m http.server -d {out}"


def jupyterlite(work, made, tools):
    """Build JupyterLite with the lessons, in a folder, with only the extensions that the page needs.

    tools: the folder that JupyterLite is in.
    """
    found = [labextension(tools, PYODIDE), *(labextension(Path(sys.prefix), name) for name in WIDGETS)]
    extensions = [f"--LiteBuildConfig.federated_extensions={folder}" for folder in found]
    command = [sys.executable, "-m", "jupyterlite_core.app", "build", "--apps=lab", "--no-sourcemaps"]
    command += ["--no-unused-shared-packages", "--ignore-sys-prefix", f"--lite-dir={work}"]
    command += [f"--contents={work / 'contents'}"]
    command += [f"--output-dir={made}", *extensions]
    ran = subprocess.run(
        command, cwd=work, env=os.environ | {"PYTHONPATH": str(tools)}, capture_output=True, encoding="utf-8"
    )
    if ran.returncode or not (made / MARK).exists():
        raise RuntimeError(f"JupyterLite could not be built:\n{ran.stdout}{ran.stderr}")


def state_of(pyodide):
    """Return what distinguishes this Pyodide and its packages: it is in its address, so that no two builds mix."""
    return front.digest((pyodide / distribution.LOCK).read_bytes())


def kernel(static):
    """Make JupyterLite's kernel start with only what Pyodide has loaded, and with the page's own part."""
    found = []
    for place in static.glob("*.js"):
        text = place.read_text(encoding="utf-8")
        if FIRST in text and BEGINS in text:
            text = text.replace(FIRST, "[]").replace(BEGINS, f"{BEGINS[:-1]},{OWN})")
            place.write_text(text, encoding="utf-8")
            found.append(place)
    if not found:
        raise RuntimeError("JupyterLite's kernel is not as it was: it does not say what it begins with.")


def labextension(prefix, name):
    """Return the folder of an extension of JupyterLab, installed with this prefix."""
    found = prefix / "share" / "jupyter" / "labextensions" / name
    if not found.is_dir():
        raise ValueError(f'The JupyterLab extension {name} is not in {prefix}. It comes with pip install -e ".[page]"')
    return found


def configure(place, folder):
    """Make the site take Pyodide from its own folder, with the kernel's packages, and nothing from PyPI."""
    config = json.loads(place.read_text(encoding="utf-8"))
    data = config["jupyter-config-data"]
    data |= {"appName": TITLE, "exposeAppInBrowser": True, "faviconUrl": "./lab/backprop-icon.svg"}
    data.setdefault("settingsOverrides", {}).update(SETTINGS)
    python = data.setdefault("litePluginSettings", {}).setdefault(KERNEL, {})
    python["pyodideUrl"] = f"./pyodide/{folder}/pyodide.js"
    python["disablePyPIFallback"] = True
    python["loadPyodideOptions"] = {"packages": distribution.KERNEL}
    place.write_text(json.dumps(config, indent=1, sort_keys=True), encoding="utf-8")


def size(folder):
    return sum(place.stat().st_size for place in folder.rglob("*") if place.is_file()) / 1e6
