"""The workshop on a language model: its counts, the same network of arrays, and its cells as a learner's program."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from autograd.lessons import colours
from exercises.engine_file import parts
from tests import learners_files, notebooks

LESSON = notebooks.Lesson("a_language_model_in_single_numbers", trains=True)


def test_embedding_counts_and_array_model():
    order, tensors = LESSON["order"], LESSON["tensors"]
    share = sum(node._op in ("+", "*") for node in order) / len(order)
    LESSON.says(f"{len(order):,}, and {100 * share:.0f} % of them", f"{sum(t.data.size for t in tensors)} parameters")
    assert (tensors[0].grad.any(axis=1).sum(), tensors[1].grad.any(axis=1).sum()) == (4, 4)
    LESSON.says(f"first loss is {LESSON['loss'].data:.2f}, near ln 30 = {np.log(30):.4f}")
    assert LESSON["apart"] < 1e-12
    single, pairs = (
        colours.mean_surprise(shares(colours.load_colours().train), colours.load_colours().dev)
        for shares in (colours.letter_shares, colours.pair_shares)
    )
    LESSON.says(f"comes scores {single:.2f} on the dev names", f"counting pairs, which scores {pairs:.2f}")
    by_context = eval(LESSON.output("by_context = "))
    assert by_context[1][1] > pairs and [i for i in (0, 1) if not (by_context[8][i] > by_context[4][i])] == []


@pytest.mark.long
def test_cells_saved_as_a_script_give_the_same_losses(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(tmp_path))
    source = "\n".join(cell.source for cell in notebooks.read(LESSON.path).cells)
    code = notebooks.cells(notebooks.read(LESSON.path), "code")
    wanted = "def total", "def softmax", "def plus", "def loss_of", "def network", "def train", "drawn = np"
    cells = [cell.source for start in wanted for cell in code if cell.source.startswith(start)]
    learners_files.write(tmp_path, *(part.name for part in parts.EXERCISES))
    program = "\n\n".join([re.search(r"```python\n(.*?)```", source, re.DOTALL)[1], *cells])
    (tmp_path / "in_numbers.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-W", "error", "in_numbers.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=240)
    first, last = json.loads(ran.stdout)
    LESSON.says(f"the first twenty names is {first:.2f}, that of the last twenty {last:.2f}")
    large = int(re.search(r"\((\d{6}), '", LESSON.printed)[1])
    LESSON.says(f"{large:,} nodes, for a word")
