"""The lessons, run from top to bottom as a reader finds them: unsolved, in a folder that is gone afterwards."""

import concurrent.futures
import os
import shutil
import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat

from exercises.shelf.lessons import HOUR
from site_build import ROOT

NOTEBOOKS = ROOT / "notebooks"
FIRST = "from site_build.book import recorded\n\nrecorded.install()"


def places():
    """The notebooks, the hour and the lessons first, as paths in their folder."""
    found = [NOTEBOOKS / HOUR, *sorted(NOTEBOOKS.glob("[0-9]*.ipynb")), *sorted(NOTEBOOKS.glob("more/*.ipynb"))]
    return [path.relative_to(NOTEBOOKS) for path in found]


def run_all(said):
    """Run every notebook, two at a time; {path: the notebook with its outputs}. said: is told of each that is done."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        copied = work / "notebooks"
        shutil.copytree(NOTEBOOKS, copied, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "my_engine.py"))
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
    """Run one notebook. own: a folder for what its kernel keeps of a learner, which begins empty."""
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
    """An output in which no folder of this machine is named."""
    named = {own: "~/backprop", own.parent: "~", ROOT: "~/backprop-from-scratch", sys.prefix: "~/.venv"}

    def plain(value):
        if isinstance(value, str):
            for place, name in named.items():
                value = value.replace(str(place), name)
            return value
        if isinstance(value, dict):
            return type(value)({key: plain(each) for key, each in value.items()})
        return [plain(each) for each in value] if isinstance(value, list) else value

    return plain(output)
