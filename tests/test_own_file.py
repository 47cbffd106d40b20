"""What is said of `my_engine.py` is so: what waits for a write, what a copy is made of, what is tried elsewhere."""

import errno
import importlib
import os
import re
import time

import pytest

from exercises import course_map
from exercises.engine_file import cells, own, own_file, parts, store
from exercises.sandbox import runner
from exercises.shelf import files, library
from tests import lessons

progress = importlib.import_module("exercises.progress")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder for the engine, and for progress, and nothing that waits."""
    for name in ("BACKPROP_ENGINE_DIR", "BACKPROP_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    for module, name in ((own, "_waiting"), (progress, "_waiting"), (progress, "_faults"), (progress, "_known")):
        monkeypatch.setattr(module, name, {})
    return tmp_path


def region(name, text=None):
    """A solution, or another text, as a learner's part."""
    text = text or library.solution(name).code
    return own.Region(name, text, "2026-01-31", own.mark_of(text))


def add(*names):
    """Put these parts into the file, one by one; what is said of it."""
    return [store.update(lambda mine, name=name: mine.update({name: region(name)})) for name in names]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_what_could_not_be_written_goes_in_with_the_next_write_that_works(folder, monkeypatch, code):
    add("add")
    with monkeypatch.context() as full:

        def fail(*_):
            raise OSError(code, os.strerror(code))

        full.setattr(files, "write", fail)
        add("multiply", "constants")
        progress.record_pass("slope")
        assert "memory only: multiply, constants" in store.in_memory() and os.strerror(code) in store.in_memory()
        assert store.in_memory() in own.load("03").sentences() and store.in_memory() in repr(course_map())
        assert progress.in_memory() and progress.passed("slope")
    assert own.parse((folder / own.FILE).read_text(encoding="utf-8"))[0].keys() == {"add"}
    other = own.compose({"add": region("add"), "dual": region("dual")})  # of another kernel, meanwhile
    (folder / own.FILE).write_text(other, encoding="utf-8")
    add("subtract")
    progress.record_pass("choose_h")
    kept = own.parse((folder / own.FILE).read_text(encoding="utf-8"))[0]
    assert kept.keys() == {"add", "dual", "multiply", "constants", "subtract"}
    assert store.in_memory() == progress.in_memory() == "" and "memory" not in repr(course_map())
    assert progress.load(progress.path())["exercises"].keys() == {"slope", "choose_h"}


def test_what_was_written_and_is_not_read_back_is_in_memory_only(monkeypatch):
    monkeypatch.setattr(files, "write", lambda place, data: place.write_bytes(b""))
    assert "memory only: add" in add("add")[0][0][0]


def test_a_folder_that_was_deleted_is_made_again(folder):
    add("add")
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert add("multiply") == [([], "")] and (folder / own.FILE).exists()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_to_no_file(folder, tmp_path_factory):
    there = tmp_path_factory.mktemp("there")
    (folder / own.FILE).symlink_to(there / "engine.py")
    assert "is a link to" in own.load("03")._notes[0]
    add("add")
    assert "yours since" in (there / "engine.py").read_text(encoding="utf-8") and not own.load("03")._notes


@pytest.mark.parametrize("part", parts.EXERCISES, ids=lambda part: part.name)
def test_no_copy_is_made_of_what_the_course_wrote(folder, part):
    """Each part is passed after each other one, and after its own earlier form."""
    for other in parts.EXERCISES:
        if other is not part and part.name not in other.replaces:
            store.update(lambda mine: mine.clear())
            for each in (other, part):

                def change(mine, each=each):
                    for name in (each.name, *each.replaces):
                        mine.pop(name, None)
                    mine[each.name] = region(each.name)

                assert store.update(change)[1] == "", (other.name, each.name)


def test_no_copy_is_made_of_an_earlier_version_s_lines(folder, monkeypatch):
    text = own.compose({"add": region("add")})
    for name in ("multiply", "divide"):
        wires = parts.BY_NAME[name].wires
        text = text.replace(
            f"{own_file.WIRES} {own.mark_of(wires)}\n{wires}", f"{own_file.WIRES} {own.mark_of('a = 1')}\na = 1"
        )
    (folder / own.FILE).write_text(re.sub(r"(its version) .*", r"\1 0.0.1.", text), encoding="utf-8")
    assert add("subtract") == [([], "")]
    without_marks = re.sub(rf"(?m)^({own_file.WIRES}) .*", r"\1", text)
    (folder / own.FILE).write_text(without_marks.replace("a = 1", "mine = 1"), encoding="utf-8")
    assert add("constants")[0][1].startswith("my_engine.20")  # a learner's line among the wires


@pytest.mark.parametrize("name", ["add", "multiply", "subtract", "value", "topological_order", "neuron"])
def test_a_heading_that_was_taken_out(folder, name):
    mine = {n: region(n, f"{library.solution(n).code}\nmine = 3\n") for n in ("add", "topological_order", "neuron")}
    store.update(lambda own: store.update(mine))
    text = (folder / own.FILE).read_text(encoding="utf-8")
    (folder / own.FILE).write_text(re.sub(rf"(?m)^# ── {name} .*\n", "", text), encoding="utf-8")
    assert any(f"the heading above {name} is missing" in note for note in own.load("99")._notes)
    kept = own.parse((folder / own.FILE).read_text(encoding="utf-8"))[0]
    assert kept.keys() == {"add", "topological_order", "neuron"} and not own.load("99")._notes


def test_a_pass_that_is_not_in_the_file_is_said_once():
    progress.record_pass("add")
    assert "Passed, and not in the file: add." in repr(own.load("03"))
    assert "Passed" not in repr(own.load("03"))


@pytest.mark.parametrize("name", [".my_engine.abc.new", ".my_engine.xyz.new"])
def test_what_a_killed_write_left_is_cleared_when_it_is_old(folder, name):
    for path, age in ((folder / name, 3600), (folder / ".my_engine.live.new", 0)):
        path.write_text("", encoding="utf-8")
        os.utime(path, (time.time() - age,) * 2)
    own.load("03")
    assert not (folder / name).exists() and (folder / ".my_engine.live.new").exists()


@pytest.mark.parametrize(
    "top", ["import os\nos._exit(0)", "import os\nos.fork()", "raise SystemExit", "x = bytearray(5 * 10**9)"]
)
@pytest.mark.parametrize("below", [False, True])
def test_what_would_end_the_kernel_costs_a_sentence(folder, top, below):
    text = own.compose({"add": region("add")})
    text = f"{text}{top}\n" if below else text.replace("def add(self", f"{top}\n\n\ndef add(self", 1)
    (folder / own.FILE).write_text(text, encoding="utf-8")
    (note,) = own.load("03")._notes
    assert "cannot be run: " in note if below else "is not right: " in note
    assert (folder / own.FILE).read_text(encoding="utf-8") == text


def test_a_part_that_ends_python_cannot_be_kept(folder):
    text = own.compose({"add": region("add")}).replace("def add(self", "import os\nos._exit(0)\n\n\ndef add(self", 1)
    (folder / own.FILE).write_text(text, encoding="utf-8")
    assert "cannot be used, as a lesson would end with it: it ended Python" in own.keep("add")
    assert (folder / own.FILE).read_text(encoding="utf-8") == text


def test_a_loop_in_c_is_stopped_and_what_stands_on_the_output_is_no_answer():
    with runner.Runner() as process:
        with pytest.raises(runner.Ended, match="it had not ended after"):
            process.ask("builtins:exec", "sum(range(10**12))", work=1, patience=20)
        forged = "import os\nfor i in range(20):\n try: os.write(i, b'\"\"\\n')\n except OSError: pass\nos._exit(0)"
        with pytest.raises(runner.Ended, match="it ended Python itself"):
            process.ask("builtins:exec", forged)
        assert process.ask("builtins:len", [1, 2]) == 2


def test_no_process_is_begun_where_nothing_changed(folder, monkeypatch):
    (folder / own.FILE).write_text(own.compose({"add": region("add")}) + "x = 3\n", encoding="utf-8")
    assert own.load("03")._names["x"] == 3
    monkeypatch.setattr(runner.Runner, "start", None)
    assert own.load("03")._names["x"] == 3 and not own.load("03")._notes


def test_in_a_browser_it_is_said_that_it_was_tried_here(folder, monkeypatch):
    text = own.compose({"add": region("add")}).replace("def add(self, other):", "def add(self, other):  # mine")
    (folder / own.FILE).write_text(text, encoding="utf-8")
    monkeypatch.setattr(runner, "works", lambda: False)
    assert "no other process here" in own.load("03")._notes[0]


def test_a_file_that_is_too_large_is_left_as_it_is(folder):
    text = own.compose({}) + "#" * 2 * store.MOST
    (folder / own.FILE).write_text(text, encoding="utf-8")
    assert "2.0 MB, and more than 1 is not read" in own.load("03")._notes[0]
    assert "memory only: add" in add("add")[0][0][0]
    assert (folder / own.FILE).read_text(encoding="utf-8") == text


def test_what_first_cells_import_a_part_may_use():
    for path in sorted(lessons.NOTEBOOKS.glob("*.ipynb")):
        number = path.name[:2]
        if any(part.lesson == number for part in parts.EXERCISES):
            first = next(cell for cell in lessons.read(path).cells if cell.cell_type == "code").source
            for line in re.findall(r"(?m)^import (?!autograd|exercises|figures).*", first):
                assert line in parts.IMPORTS.values()


def test_the_file_imports_what_a_part_relies_on():
    for name, text, lines in (
        ("clip", "def clip(x):\n    return np.linalg.norm(x)", "import numpy as np\n\n\n"),
        ("check_gradients", "def check_gradients():\n    gc.collect()", "import gc\n\n\n"),
        ("add", "def add(a, b):\n    return math.fsum([a, b])", ""),
        ("sum_vjp", "def sum_vjp(x):\n    return np.sum(x)", ""),
    ):
        assert own.region_for(parts.BY_NAME[name], text, {}).text == f"{lines}{text}\n"


@pytest.mark.parametrize("magic", ["%%time\n", "%%time\n%%capture\n", "%time "])
def test_a_magic_at_the_head_is_no_part_of_the_text(magic):
    pytest.importorskip("IPython", reason="magics are a notebook's")
    from IPython.core.inputtransformer2 import TransformerManager

    text = "double = lambda x: 2 * x"
    assert cells.plain(TransformerManager().transform_cell(magic + text)).strip() == text
