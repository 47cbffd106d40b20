"""How long each check takes on its solution, run with its lesson in this process: `python -m benchmarks.checks`."""

import contextlib
import io
import os
import re
import statistics
import tempfile
import time
from pathlib import Path

import nbformat

from exercises import library

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
ROUNDS = 3


def main():
    """Print the median over three rounds, and the slowest first round, in which random cases are made."""
    os.environ["BACKPROP_DATA_DIR"] = tempfile.mkdtemp()  # not the progress of whoever runs this
    print(f"{'lesson':7}{'check':22}{'first':>9}{'median':>9}")
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for name, seconds in times(path).items():
            print(f"{path.name[:2]:7}{name:22}{seconds[0] * 1e3:6.0f} ms{statistics.median(seconds) * 1e3:6.0f} ms")


def times(path):
    """{exercise: seconds of each round} for a lesson whose stubs are replaced by the solutions."""
    names, found = {}, {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        tag = next((tag for tag in cell.metadata.get("tags", []) if tag.startswith("exercise-")), None)
        source = library.solution(tag.removeprefix("exercise-")).code if tag else cell.source
        check = re.match(r"check\.(\w+)\(", source)
        with contextlib.redirect_stdout(io.StringIO()):
            if check and check[1] != "predict":
                found[check[1]] = [timed(source, names) for _ in range(ROUNDS)]
            else:
                exec(source, names)
    return found


def timed(source, names):
    """Seconds that an expression takes."""
    before = time.perf_counter()
    eval(source, names)
    return time.perf_counter() - before


if __name__ == "__main__":
    main()
