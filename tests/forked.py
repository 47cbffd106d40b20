"""A lesson in a real kernel, and cells tried in copies of it: each starts from the state after Run All.

`python -m tests.forked notebooks/03_*.ipynb` runs the tests of these lessons in any order: each cell alone, all at
random, and prints what differs from Run All.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import jupyter_client.manager
import pytest

from tests import notebooks
from tests.copied import FRESH

ROOT = Path(__file__).parent.parent


class Kernel:
    """A separate running kernel, in which cells run as in a notebook."""

    def __init__(self, folders):
        environment = os.environ | folders | {"PYTHONPATH": str(ROOT)}
        self.manager, self.client = jupyter_client.manager.start_new_kernel(
            cwd=str(notebooks.NOTEBOOKS), env=environment, stderr=subprocess.DEVNULL
        )
        self.run("from tests.copied import in_a_copy as _in_a_copy")

    def run(self, source):
        """Run a cell; return its text, what it prints first, as a copy does, with an error's message."""
        printed, texts = [], []

        def note(message):
            content = message["content"]
            if message["header"]["msg_type"] == "stream":
                printed.append(content["text"])
            elif message["header"]["msg_type"] in ("execute_result", "display_data"):
                texts.append(content["data"].get("text/plain", ""))
            elif message["header"]["msg_type"] == "error":
                texts.append(f"{content['ename']}: {content['evalue']}")

        self.client.execute_interactive(source, output_hook=note, timeout=120, stop_on_error=False)
        return "".join(printed + texts)

    def tried(self, *sources):
        """Return the texts of these cells, run one after the other in a copy of the kernel in its current state."""
        said = self.run(f"print(_in_a_copy({list(sources)!r}))")
        return json.loads(said.strip().splitlines()[-1])

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@contextlib.contextmanager
def kernel(place=None):
    """Yield a Kernel, which keeps the engine and progress in a folder, or in new ones; end it afterwards."""
    if not hasattr(os, "fork"):
        pytest.skip("this platform cannot copy a process")
    with tempfile.TemporaryDirectory() as folder:
        running = Kernel({name: str(place or tempfile.mkdtemp(dir=folder)) for name in FRESH})
        try:
            yield running
        finally:
            running.close()


def run_all(running, path, with_solutions=False):
    """Run a lesson's code cells in a kernel, in order; return [(cell, its text)]."""
    notebook = notebooks.read(path)
    cells = notebooks.cells(notebooks.solved(notebook) if with_solutions else notebook, "code")
    return [(cell, running.run(cell.source)) for cell in cells]


def normalise(text):
    """Return a text without what differs from one process to the next: addresses, and folders made for one test."""
    for pattern, word in ((r"0x[0-9a-f]+", "0x…"), (rf"{re.escape(tempfile.gettempdir())}/[\w./-]+", "a folder")):
        text = re.sub(pattern, word, text)
    return text.strip()


def is_error(text):
    return re.search(r"^\w+(Error|Exception): .*\Z", text, re.MULTILINE | re.DOTALL) is not None


def varies(cell):
    """Return whether a cell's tag says that it times something or draws at random."""
    return "varies" in cell.metadata.get("tags", [])


if __name__ == "__main__":
    numbers = " or ".join(f"TestLesson{Path(name).name[:2]}" for name in sys.argv[1:])
    sys.exit(pytest.main(["-n0", "--all", str(ROOT / "tests" / "lessons" / "test_any_order.py"), "-k", numbers]))
