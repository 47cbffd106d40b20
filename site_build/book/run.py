"""The lessons, run from top to bottom as a reader finds them: unsolved, in a temporary folder.

The book shows these runs, and so does the page until its Python is ready: a folder can keep them for both.
"""

import concurrent.futures
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat

from exercises.content import lessons
from site_build import ROOT

NOTEBOOKS = ROOT / "notebooks"
NO_SOURCES = {"__pycache__", ".ipynb_checkpoints", "my_engine.py", "my_tensor.py"}
FIRST = "from site_build.book import recorded\n\nrecorded.install()"


def places():
    """Return the paths of the notebooks in their folder, the core first."""
    return [Path(name) for name in lessons.notebooks(NOTEBOOKS)]


def run_all(said, kept=None):
    """Run every notebook, two at a time; return {path: the notebook with its outputs}.

    said: a function that gets a message about each finished notebook. kept: a folder that keeps runs of exactly these
    sources.
    """
    own = kept and Path(kept) / state_of_sources()
    if own and all((own / place).exists() for place in places()):
        said(f"taking the runs of the lessons in {own}")
        return {place: nbformat.read(own / place, as_version=4) for place in places()}
    found = run_each(said)
    if own:
        shutil.rmtree(kept, ignore_errors=True)
        for place, notebook in found.items():
            (own / place).parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, own / place)
    return found


def state_of_sources():
    """Return a hash of all that a run depends on: the packages, the book, the lessons, this Python."""
    made = hashlib.sha256(sys.version.encode())
    for folder in ("autograd", "figures", "exercises", "notebooks", "site_build/book"):
        for path in sorted((ROOT / folder).rglob("*")):
            inside = path.relative_to(ROOT)
            if path.is_file() and (path.parent.name == "given" or not NO_SOURCES.intersection(inside.parts)):
                made.update(f"{inside}\0".encode() + path.read_bytes())
    return made.hexdigest()[:16]


def run_each(said):
    """Run every notebook; return {path: the notebook with its outputs}."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        copied = work / "notebooks"
        shutil.copytree(NOTEBOOKS, copied, ignore=shutil.ignore_patterns(*NO_SOURCES))
        with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
            waiting = {pool.submit(run, copied / place, work / f"{place.stem}-own"): place for place in places()}
            try:
                for done in concurrent.futures.as_completed(waiting):
                    done.result()
                    said(f"ran {waiting[done]}")
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return {place: done.result() for done, place in waiting.items()}


def run(path, own):
    """Run one notebook. own: a folder for what its kernel keeps of a learner, empty at first."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FIRST))
    ours = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {"BACKPROP_DATA_DIR": str(own), "BACKPROP_ENGINE_DIR": str(own), "PYTHONPATH": ours}
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}, store_widget_state=False
    )
    client.extra_arguments = ["--log-level=ERROR"]
    client.execute(env=os.environ | environment)
    del notebook.cells[0]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [without_places(output, own) for output in cell.outputs]
    return notebook


def without_places(output, own):
    """Return an output without the names of this machine's folders."""
    named = {own: "~/backprop", own.parent: "~", ROOT: "~/backprop-from-scratch", sys.prefix: "~/.venv"}

    def replace_places(value):
        if isinstance(value, str):
            for place, name in named.items():
                value = value.replace(str(place), name)
            return value
        if isinstance(value, dict):
            return type(value)({key: replace_places(each) for key, each in value.items()})
        return [replace_places(each) for each in value] if isinstance(value, list) else value

    return replace_places(output)
