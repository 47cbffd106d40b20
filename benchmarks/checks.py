"""The time that each check takes on its solution, with its lesson, as in a notebook: `python -m benchmarks.checks`.

The first time, a check of a part of the engine also tries it alone and puts it into the learner's file.
"""

import os
import re
import statistics
import tempfile
import time
from pathlib import Path

import nbformat
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from exercises.content import library

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
ROUNDS = 3


def main():
    """Print the median over three rounds, and the first round, which makes random cases and keeps a part."""
    for name in ("BACKPROP_DATA_DIR", "BACKPROP_ENGINE_DIR"):  # not those of whoever runs this
        os.environ[name] = tempfile.mkdtemp()
    print(f"{'lesson':7}{'check':22}{'first':>9}{'median':>9}")
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for name, seconds in times(path).items():
            print(f"{path.name[:2]:7}{name:22}{seconds[0] * 1e3:6.0f} ms{statistics.median(seconds) * 1e3:6.0f} ms")


def times(path):
    """Return {exercise: seconds of each round} for a lesson whose stubs are replaced by the solutions."""
    shell, found = InteractiveShell.instance(), {}
    shell.reset()
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        tag = next((tag for tag in cell.metadata.get("tags", []) if tag.startswith("exercise-")), None)
        source = library.solution(tag.removeprefix("exercise-")).code if tag else cell.source
        check = re.match(r"check\.(\w+)\(", source)
        rounds = ROUNDS if check and check[1] != "predict" else 1
        seconds = [timed(shell, source) for _ in range(rounds)]
        if rounds > 1:
            found[check[1]] = seconds
    return found


def timed(shell, source):
    """Return the seconds that a cell takes."""
    with capture_output():
        before = time.perf_counter()
        shell.run_cell(source, store_history=True).raise_error()
        return time.perf_counter() - before


if __name__ == "__main__":
    main()
