"""What is said of `my_engine.py` is so: what waits for a write, what a copy is made of, what is tried elsewhere."""

import errno
import os
import re
import shutil
import time

import pytest

from exercises import course_map
from exercises.engine_file import cells, own, own_file, parts, store
from exercises.sandbox import runner
from exercises.shelf import files, library
from tests import notebooks, own_files
from tests.own_files import keep, kept_in, part, progress, put, text_in, write


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder for the engine, and for progress, and nothing that waits."""
    own_files.begin_in(tmp_path, monkeypatch)
    return tmp_path


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_what_could_not_be_written_goes_in_with_the_next_write_that_works(folder, monkeypatch, code):
    put("add")
    with monkeypatch.context() as full:

        def fail(*_):
            raise OSError(code, os.strerror(code))

        full.setattr(files, "write", fail)
        put("multiply", "constants")
        progress.record_pass("slope")
        assert "memory only: multiply, constants" in store.in_memory() and os.strerror(code) in store.in_memory()
        assert store.in_memory() in own.load("03").sentences() and store.in_memory() in repr(course_map())
        assert progress.in_memory() and progress.passed("slope")
    assert kept_in(folder).keys() == {"add"}
    write(folder, "add", "dual")  # of another kernel, meanwhile
    put("subtract")
    progress.record_pass("choose_h")
    kept = kept_in(folder)
    assert kept.keys() == {"add", "dual", "multiply", "constants", "subtract"}
    assert store.in_memory() == progress.in_memory() == "" and "memory" not in repr(course_map())
    assert progress.load(progress.path())["exercises"].keys() == {"slope", "choose_h"}


def test_what_is_not_read_back_is_in_memory_only_and_a_folder_that_was_deleted_is_made_again(folder, monkeypatch):
    with monkeypatch.context() as empty:
        empty.setattr(files, "write", lambda place, data: place.write_bytes(b""))
        assert "memory only: add" in put("add")[0][0][0]
    shutil.rmtree(folder)
    assert put("multiply") == [([], "")] and kept_in(folder).keys() == {"add", "multiply"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no named pipes, and links need rights there")
def test_a_pipe_or_a_link_in_the_files_place(folder, tmp_path_factory):
    os.mkfifo(folder / own.FILE)
    assert "it is no file" in own.load("03")._notes[0]
    (folder / own.FILE).unlink()
    there = tmp_path_factory.mktemp("there") / "engine.py"
    (folder / own.FILE).symlink_to(there)
    assert "is a link to" in own.load("03")._notes[0]
    for text in (None, own.compose({})):  # to no file, and to a file
        if text:
            there.write_text(text, encoding="utf-8")
        put("add")
        assert (folder / own.FILE).is_symlink() and "yours since" in there.read_text(encoding="utf-8")
        assert not own.load("03")._notes


@pytest.mark.parametrize("passed", parts.EXERCISES, ids=lambda part: part.name)
def test_no_copy_is_made_of_what_the_course_wrote(folder, passed):
    """Each part is passed after each other one, and after its own earlier form."""
    for other in parts.EXERCISES:
        if other is not passed and passed.name not in other.replaces:
            store.update(lambda mine: mine.clear())
            for each in (other, passed):
                assert store.update(lambda mine, each=each: replace(mine, each))[1] == "", (other.name, each.name)


def replace(mine, passed):
    """Put the solution of a part among the learner's parts, in place of those that it replaces."""
    for name in (passed.name, *passed.replaces):
        mine.pop(name, None)
    mine[passed.name] = part(passed.name)


def test_no_copy_is_made_of_an_earlier_version_s_lines(folder, monkeypatch):
    text = own.compose({"add": part("add")})
    for name in ("multiply", "divide"):
        wires = parts.BY_NAME[name].wires
        text = text.replace(
            f"{own_file.WIRES} {own.mark_of(wires)}\n{wires}", f"{own_file.WIRES} {own.mark_of('a = 1')}\na = 1"
        )
    keep(folder, re.sub(r"(its version) .*", r"\1 0.0.1.", text))
    assert put("subtract") == [([], "")]
    keep(folder, re.sub(rf"(?m)^({own_file.WIRES}) .*", r"\1", text).replace("a = 1", "mine = 1"))
    assert put("constants")[0][1].startswith("my_engine.20")  # a learner's line among the wires


@pytest.mark.parametrize("name", ["add", "multiply", "subtract", "value", "topological_order", "neuron"])
def test_a_heading_that_was_taken_out(folder, name):
    mine = {n: part(n, f"{library.solution(n).code}\nmine = 3\n") for n in ("add", "topological_order", "neuron")}
    store.update(lambda own: own.update(mine))
    keep(folder, re.sub(rf"(?m)^# ── {name} .*\n", "", text_in(folder)))
    assert any(f"the heading above {name} is missing" in note for note in own.load("99")._notes)
    kept = kept_in(folder)
    assert kept.keys() == {"add", "topological_order", "neuron"} and not own.load("99")._notes


def test_a_pass_that_is_not_in_the_file_is_said_once():
    progress.record_pass("add")
    assert "Passed, and not in the file: add. Run your cell and its check to take it in." in repr(own.load("03"))
    assert "Passed" not in repr(own.load("03"))


def test_what_a_killed_write_left_is_cleared_when_it_is_old(folder):
    for name, age in ((".my_engine.abc.new", 3600), (".my_engine.live.new", 0)):
        (folder / name).write_text("", encoding="utf-8")
        os.utime(folder / name, (time.time() - age,) * 2)
    own.load("03")
    assert not (folder / ".my_engine.abc.new").exists() and (folder / ".my_engine.live.new").exists()


@pytest.mark.parametrize(
    "top", ["import os\nos._exit(0)", "import os\nos.fork()", "raise SystemExit", "x = bytearray(5 * 10**9)"]
)
@pytest.mark.parametrize("below", [False, True])
def test_what_would_end_the_kernel_costs_a_sentence(folder, top, below):
    above = [] if below else [("def add(self", f"{top}\n\n\ndef add(self")]
    text = write(folder, "add", changed=above, below=f"{top}\n" if below else "")
    (note,) = own.load("03")._notes
    assert "cannot be run: " in note if below else "is not right: " in note
    assert text_in(folder) == text


def test_a_part_that_ends_python_cannot_be_kept(folder):
    text = write(folder, "add", changed=[("def add(self", "import os\nos._exit(0)\n\n\ndef add(self")])
    assert "cannot be used, as a lesson would end with it: it ended Python" in own.keep("add")
    assert text_in(folder) == text


def test_a_loop_in_c_is_stopped_and_what_stands_on_the_output_is_no_answer():
    with runner.Runner() as process:
        with pytest.raises(runner.Ended, match="it had not ended after"):
            process.ask("builtins:exec", "sum(range(10**12))", work=1, patience=20)
        forged = "import os\nfor i in range(20):\n try: os.write(i, b'\"\"\\n')\n except OSError: pass\nos._exit(0)"
        with pytest.raises(runner.Ended, match="it ended Python itself"):
            process.ask("builtins:exec", forged)
        assert process.ask("builtins:len", [1, 2]) == 2


def test_no_process_is_begun_where_nothing_changed(folder, monkeypatch):
    write(folder, "add", below="x = 3\n")
    assert own.load("03")._names["x"] == 3
    monkeypatch.setattr(runner.Runner, "start", None)
    assert own.load("03")._names["x"] == 3 and not own.load("03")._notes


def test_in_a_browser_it_is_said_that_it_was_tried_here(folder, monkeypatch):
    write(folder, "add", changed=[("def add(self, other):", "def add(self, other):  # mine")])
    monkeypatch.setattr(runner, "works", lambda: False)
    assert "no other process here" in own.load("03")._notes[0]


def test_a_file_that_is_too_large_is_left_as_it_is(folder):
    text = write(folder, below="#" * 2 * store.MOST)
    assert "2.0 MB, and more than 1 is not read" in own.load("03")._notes[0]
    assert "memory only: add" in put("add")[0][0][0]
    assert text_in(folder) == text


def test_what_first_cells_import_a_part_may_use():
    for path in sorted(notebooks.NOTEBOOKS.glob("*.ipynb")):
        number = path.name[:2]
        if any(part.lesson == number for part in parts.EXERCISES):
            first = next(cell for cell in notebooks.read(path).cells if cell.cell_type == "code").source
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
