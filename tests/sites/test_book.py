"""What the book is made of, without building it: recorded runs, shared files, the cheat sheet."""

import itertools
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("myst_nb", reason='the book needs: pip install -e ".[book]"')

import autograd
import exercises
import figures
from exercises.clinic.instruments import DIALS, INSTRUMENTS
from site_build import book
from site_build.book import cheat_sheet, recorded
from site_build.book.shared import Shared
from tests.figures.page.test_player import completed
from tests.walks import two_paths

LABS = {
    "neuron": lambda: figures.neuron(),
    "expression": lambda: figures.expression("x*y"),
    "shape": lambda: figures.shape(),
    "microscope": lambda: figures.microscope(depth=4, width=8, batch=8),
    "xor": lambda: figures.xor(2, epochs=100),
    "lottery": lambda: figures.lottery(epochs=100).lottery,
    "border": lambda: figures.border("moons", 4),
    "deep_training": lambda: figures.deep_training(depth=3),
    "classifier": lambda: figures.classifier(4, batch=200),
    "order": lambda: figures.order(two_paths(), choice="your own: click the nodes"),
    "dragged": lambda: figures.drag(two_paths()),
    "ward": lambda: exercises.ward(7),
}


@pytest.mark.parametrize("name", LABS)
def test_a_recorded_run_is_what_the_lab_itself_shows(name, monkeypatch):
    """Each frame, put together again from what is sent, is the frame that the lab showed then. Each tour is tried."""
    assert LABS.keys() == recorded.TOURS.keys()
    lab = LABS[name]()
    assert recorded.is_toured(lab) and recorded.name_of(lab) == name
    seen, shot = [], recorded.shot

    def noted(lab, done):
        seen.append(shot(lab, done))
        return seen[-1]

    monkeypatch.setattr(recorded, "shot", noted)
    spec = json.loads(json.dumps(recorded.recorded(lab)))
    stages, inputs = spec["run"]
    assert len(spec["frames"]) == len(seen) > 4
    for stage, run in itertools.groupby(zip(spec["frames"], seen), lambda pair: pair[0]["stage"]):
        frames, shots = zip(*run)
        for marks, frame, (drawn, controls, was) in zip(completed(frames), frames, shots):
            assert stages[stage] == drawn and marks == was.marks and frame["say"] == was.say
            assert [inputs[place] for place in frame["panel"]] == json.loads(json.dumps(controls))
    assert sum(a[2] != b[2] for a, b in itertools.pairwise(seen)) >= len(seen) - 2, "it changes from step to step"


def test_a_recorded_run_draws_no_random_number_that_a_lesson_draws_and_what_needs_no_kernel_is_left_as_it_is():
    random.seed(3)
    expected = random.random()
    random.seed(3)
    recorded.part(figures.xor(2, epochs=100))
    assert random.random() == expected
    for lab in (figures.neuron(steps=True), figures.step_backward(two_paths()), figures.nudge()):
        assert not recorded.is_toured(lab)


def test_pages_share_scripts_and_styles_and_show_stills_as_svg():
    files, graph = Shared(), figures.draw_graph(two_paths())
    first, again = files.slim(graph.html()), files.slim(figures.step_backward(two_paths()).html())
    assert "<svg" in first and "base64" not in first + again and "<style>" not in first + again
    assert "<script>" not in first + again and "data-spec=" in again
    before = dict(files.files)
    files.slim(figures.step_forward(two_paths()).html())
    assert files.files == before and len(files.names("js")) == 2 and len(files.names("css")) == 1


def test_the_sheet_refuses_a_rule_that_is_not_the_engines():
    with pytest.raises(ValueError, match="are not y, y"):
        cheat_sheet.held(lambda x, y: x * y, ("y", "y"))
    assert all(cheat_sheet.held(*each) for _, *each in cheat_sheet.RULES)


def test_the_loop_of_the_sheet_trains():
    rows, targets = [[0.0, 1.0], [1.0, 1.0]], [1.0, 0.0]
    net = autograd.MLP(2, [2, 1], rng=random.Random(0))
    names = {"net": net, "rows": rows, "targets": targets, "epochs": 60, "sum_of_squares": autograd.sum_of_squares}
    names["optimizer"] = autograd.SGD(net.parameters(), 0.1)
    exec(cheat_sheet.LOOP, names)
    assert names["loss"].data < 0.05


def test_lessons_run_where_a_page_is_beside_the_book(tmp_path):
    assert book.where_lessons_run(tmp_path) == ""
    for folder, path in (("files/notebooks", "notebooks/{}"), ("files", "{}")):
        place = tmp_path / "page" / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / "00_start_here.ipynb").touch()
        assert book.where_lessons_run(tmp_path) == f"page/lab/index.html?path={path}"


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "site_build", "book", "--out", str(tmp_path)],
        **{"cwd": Path(book.__file__).parents[2], "capture_output": True, "encoding": "utf-8"},
    )
    assert ran.returncode == 1 and "holds something else than a book" in ran.stderr
    assert "Traceback" not in ran.stderr and (tmp_path / "mine.txt").exists()


def test_the_sheet_says_what_each_instrument_reads_where_nothing_is_wrong():
    found = exercises.patient("healthy")
    for instrument in INSTRUMENTS.values():
        (line,) = (line for line in cheat_sheet.page().splitlines() if line.startswith(f"| {instrument.title} |"))
        for dial, word in found.read(instrument.name).words.items():
            title = DIALS[dial][1].title
            said = line.split(f"{title}: ")[1].split(";")[0].rstrip(" |")
            assert word in said.split(" or "), (instrument.name, dial)
