"""The parts of the book, without building it: recorded runs, shared files, the cheat sheet."""

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
import site_build
from exercises.clinic.instruments import DIALS, INSTRUMENTS
from exercises.content.lessons import LESSONS
from site_build import book
from site_build.book import cheat_sheet, fonts, look, recorded, run
from site_build.book.shared import Shared
from tests import notebooks
from tests.figures.page.test_player import completed
from tests.lab_graphs import two_paths

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
def test_recorded_run_matches_the_lab(name, monkeypatch):
    """Each frame, put together from what is sent, is the frame that the lab showed then. This tries each tour."""
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
    for stage, frames_of_stage in itertools.groupby(zip(spec["frames"], seen), lambda pair: pair[0]["stage"]):
        frames, shots = zip(*frames_of_stage)
        for updates, frame, (drawn, controls, was) in zip(completed(frames), frames, shots):
            assert stages[stage] == drawn and updates == was.updates and frame["say"] == was.say
            assert [inputs[place] for place in frame["panel"]] == json.loads(json.dumps(controls))
    assert sum(a[2] != b[2] for a, b in itertools.pairwise(seen)) >= len(seen) - 2, "it changes from step to step"


def test_recording_preserves_the_random_state():
    random.seed(3)
    expected = random.random()
    random.seed(3)
    recorded.run_of(figures.xor(2, epochs=100))
    assert random.random() == expected
    for lab in (figures.neuron(steps=True), figures.step_backward(two_paths()), figures.nudge()):
        assert not recorded.is_toured(lab)


def test_pages_share_scripts_and_styles():
    files, graph = Shared(), figures.draw_graph(two_paths())
    first, again = files.slim(graph.html()), files.slim(figures.step_backward(two_paths()).html())
    assert "<svg" in first and "base64" not in first + again and "<style>" not in first + again
    assert "<script>" not in first + again and "data-spec=" in again
    assert "data-model" not in files.slim(figures.nudge().html())  # no kernel will come
    before = dict(files.files)
    files.slim(figures.step_forward(two_paths()).html())
    assert files.files == before and len(files.names("js")) == 2 and len(files.names("css")) == 1


def test_repeated_style_sheets_are_merged():
    files, filler = Shared(), "".join(f".r{i} {{ top: {i}px }}" for i in range(40))
    for more in (".x { top: 0 } @media print { .y { top: 1px } }", ".z { top: 0 }"):
        assert files.slim(f"<p>1</p><style>{filler}{more}</style>") == "<p>1</p>"
    (sheet,) = (text for name, text in files.files.items() if name.endswith(".css"))
    assert sheet.count(".r7{") == 1 and sheet.index(".r39{") < sheet.index("@media print{ .y") < sheet.index(".z{")


def light_of(colour):
    """Return the relative luminance of a colour, "#rrggbb", as WCAG defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_colours_have_enough_contrast(theme):
    found = look.colours(theme)
    for paper in ("paper", "card", "wash", "over"):
        for ink in ("ink", "soft", "muted", "data", "grad", "right", "fault"):
            low, high = sorted((light_of(found[paper]), light_of(found[ink])))
            least = 4 if (ink, paper) == ("muted", "over") else 4.5
            assert (high + 0.05) / (low + 0.05) >= least, (theme, paper, ink)
    assert (
        look.variables(theme)["color-brand-primary"] == "var(--book-data)"
        and found["data"] in look.inks(theme).values()
    )


def test_auto_theme_equals_dark_theme_in_the_dark():
    """A page begins with "auto"."""
    rules = [*look.blocks(look.style_sheet())]
    dark = next(body for selectors, body in rules if selectors.endswith(look.WHERE["dark"]))
    ((_, auto),) = look.blocks(next(body for selectors, body in rules if selectors.startswith("@media (prefers-color")))
    assert auto.split() == dark.split() and "--bp-paper: var(--jp-layout-color0" in dark


def test_pictures_get_their_size_and_pages_wait_for_fonts(tmp_path):
    (tmp_path / "a.svg").write_text('<svg viewBox="0 0 830.4 523">', encoding="utf-8")
    page = '<img alt="a" src="a.svg" /><img width="3" src="a.svg"><img src="data:image/svg+xml;x">'
    assert look.settled(f"<body>{page}", tmp_path).startswith("<body>\n<script>")
    sized = '<img width="830" height="523" loading="lazy" alt'
    assert look.settled(page, tmp_path) == page.replace("<img alt", sized, 1)


def test_each_font_has_its_licence_and_fonts_are_small(tmp_path):
    fonts.lay(tmp_path)
    there = {path.stem for path in tmp_path.glob("*.woff2")}
    licensed = [path.name.removesuffix(".LICENCE.txt") for path in tmp_path.glob("*.txt")]
    assert there == fonts.SOURCES.keys() and {name.split("-")[0] for name in there} == set(licensed)
    assert [
        path
        for path in tmp_path.glob("*.txt")
        if "SIL Open Font License, Version 1.1" not in path.read_text(encoding="utf-8")
    ] == []
    assert sum(path.stat().st_size for path in tmp_path.glob("*.woff2")) < 140_000


def test_cheat_sheet_rejects_a_wrong_rule():
    with pytest.raises(ValueError, match="are not y, y"):
        cheat_sheet.held(lambda x, y: x * y, ("y", "y"))
    assert [(*each,) for _, *each in cheat_sheet.RULES if not cheat_sheet.held(*each)] == []


def test_loop_of_the_cheat_sheet_trains():
    rows, targets = [[0.0, 1.0], [1.0, 1.0]], [1.0, 0.0]
    net = autograd.MLP(2, [2, 1], rng=random.Random(0))
    names = {"net": net, "rows": rows, "targets": targets, "epochs": 60, "sum_of_squares": autograd.sum_of_squares}
    names["optimizer"] = autograd.SGD(net.parameters(), 0.1)
    exec(cheat_sheet.LOOP, names)
    assert names["loss"].data < 0.05


def test_lessons_link_to_a_page_next_to_the_book(tmp_path):
    assert book.where_lessons_run(tmp_path) == ""
    for folder, path in (("files/notebooks", "notebooks/{}"), ("files", "{}")):
        place = tmp_path / "page" / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / LESSONS[0].file).touch()
        assert book.where_lessons_run(tmp_path) == f"page/lab/index.html?path={path}"


@pytest.mark.long
def test_foreign_folder_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "site_build", "book", "--out", str(tmp_path)],
        **{"cwd": Path(book.__file__).parents[2], "capture_output": True, "encoding": "utf-8"},
    )
    assert ran.returncode == 1 and "holds something else than a book" in ran.stderr
    assert "Traceback" not in ran.stderr and (tmp_path / "mine.txt").exists()


def test_site_has_its_licences_and_the_game(tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "index.html").write_text("made", encoding="utf-8")
    site_build.put(tmp_path / "made", tmp_path / "out")
    names = {"index.html", "LICENSE.txt", "THIRD_PARTY_NOTICES.txt", site_build.HUNT_FILE.name}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names


def test_cheat_sheet_lists_the_healthy_readings():
    found = exercises.patient("healthy")
    for instrument in INSTRUMENTS.values():
        (line,) = (line for line in cheat_sheet.page().splitlines() if line.startswith(f"| {instrument.title} |"))
        for dial, word in found.read(instrument.name).words.items():
            title = DIALS[dial][1].title
            said = line.split(f"{title}: ")[1].split(";")[0].rstrip(" |")
            assert word in said.split(" or "), (instrument.name, dial)


def test_stored_run_is_reused_until_a_source_changes(tmp_path, monkeypatch):
    made = []

    def run_each(said):
        made.append(1)
        return {each: notebooks.read(run.NOTEBOOKS / each) for each in run.places()}

    monkeypatch.setattr(run, "run_each", run_each)
    first, again = (run.run_all(lambda line: None, tmp_path) for _ in range(2))
    assert made == [1] and first.keys() == again.keys() and again[Path(notebooks.LESSONS[0].name)].cells
    monkeypatch.setattr(run, "state_of_sources", lambda: "another")
    run.run_all(lambda line: None, tmp_path)
    assert made == [1, 1] and [place.name for place in tmp_path.iterdir()] == ["another"]
