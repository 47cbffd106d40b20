"""What is said of `my_engine.py` is so: what waits for a write, what a copy is made of, what is set aside."""

import errno
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from exercises import course_map
from exercises.engine_file import cells, keeping, loading, parts, regions, store, trial
from exercises.sandbox import runner
from exercises.shelf import files, library, progress
from tests import notebooks
from tests.learners_files import kept_in, part, put, save, text_in, write


def fails(code):
    """A function that fails as the system does, with this number."""

    def fail(*_):
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_what_could_not_be_written_goes_in_with_the_next_write_that_works(folder, monkeypatch, code):
    put("add")
    with monkeypatch.context() as full:
        full.setattr(files, "write", fails(code))
        put("multiply", "constants")
        progress.record_pass("slope")
        assert "memory only: multiply, constants" in store.in_memory() and os.strerror(code) in store.in_memory()
        assert store.in_memory() in loading.load("03").sentences() and store.in_memory() in repr(course_map())
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
        empty.setattr(files, "replace", lambda new, old: old.write_bytes(b""))
        assert "memory only: add" in put("add")[0][0][0]
    shutil.rmtree(folder)
    assert put("multiply") == [([], "")] and kept_in(folder).keys() == {"add", "multiply"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no named pipes, and links need rights there")
def test_a_pipe_or_a_link_in_the_files_place(folder, tmp_path_factory):
    os.mkfifo(folder / regions.FILE)
    assert "it is no file" in loading.load("03")._notes[0]
    (folder / regions.FILE).unlink()
    there = tmp_path_factory.mktemp("there") / "engine.py"
    (folder / regions.FILE).symlink_to(there)
    assert "is a link to" in loading.load("03")._notes[0]
    for text in (None, regions.compose({})):  # to no file, and to a file
        if text:
            there.write_text(text, encoding="utf-8")
        put("add")
        assert (folder / regions.FILE).is_symlink() and "yours since" in there.read_text(encoding="utf-8")
        assert not loading.load("03")._notes


@pytest.mark.long
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


def test_no_copy_is_made_of_an_earlier_version_s_lines(folder):
    text = regions.compose({"add": part("add")})
    for wires in (parts.BY_NAME[name].wires for name in ("multiply", "divide")):
        old, new = (f"{regions.WIRES} {regions.mark_of(lines)}\n{lines}" for lines in (wires, "a = 1"))
        text = text.replace(old, new)
    save(folder, re.sub(r"(its version) .*", r"\1 0.0.1.", text))
    assert put("subtract") == [([], "")]
    save(folder, re.sub(rf"(?m)^({regions.WIRES}) .*", r"\1", text).replace("a = 1", "mine = 1"))
    assert put("constants")[0][1].startswith("my_engine.20")  # a learner's line among the wires


@pytest.mark.parametrize("name", ["add", "multiply", "subtract", "value", "topological_order", "neuron"])
def test_a_heading_that_was_taken_out(folder, name):
    mine = {n: part(n, f"{library.solution(n).code}\nmine = 3\n") for n in ("add", "topological_order", "neuron")}
    store.update(lambda own: own.update(mine))
    save(folder, re.sub(rf"(?m)^# ── {name} .*\n", "", text_in(folder)))
    assert any(f"the heading above {name} is missing" in note for note in loading.load("99")._notes)
    kept = kept_in(folder)
    assert kept.keys() == {"add", "topological_order", "neuron"} and not loading.load("99")._notes


def test_what_a_killed_write_left_is_cleared_when_it_is_old(folder):
    for name, age in ((".my_engine.abc.new", 3600), (".my_engine.live.new", 0)):
        (folder / name).write_text("", encoding="utf-8")
        os.utime(folder / name, (time.time() - age,) * 2)
    loading.load("03")
    assert not (folder / ".my_engine.abc.new").exists() and (folder / ".my_engine.live.new").exists()


@pytest.mark.long
def test_a_loop_in_c_is_stopped_and_what_stands_on_the_output_is_no_answer():
    with runner.Runner() as process:
        with pytest.raises(runner.Ended, match="it had not ended after"):
            process.ask("builtins:exec", "sum(range(10**12))", work=1, patience=20)
        forged = "import os\nfor i in range(20):\n try: os.write(i, b'\"\"\\n')\n except OSError: pass\nos._exit(0)"
        with pytest.raises(runner.Ended, match="it ended Python itself"):
            process.ask("builtins:exec", forged)
        assert process.ask("builtins:len", [1, 2]) == 2


def test_a_file_that_is_too_large_is_left_as_it_is(folder):
    text = write(folder, below="#" * 2 * store.MOST)
    assert "2.0 MB, and more than 1 is not read" in loading.load("03")._notes[0]
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
        assert keeping.region_for(parts.BY_NAME[name], text, {}).text == f"{lines}{text}\n"


@pytest.mark.parametrize("magic", ["%%time\n", "%%time\n%%capture\n", "%time "])
def test_a_magic_at_the_head_is_no_part_of_the_text(magic):
    pytest.importorskip("IPython", reason="magics are a notebook's")
    from IPython.core.inputtransformer2 import TransformerManager

    text = "double = lambda x: 2 * x"
    assert cells.plain(TransformerManager().transform_cell(magic + text)).strip() == text


@pytest.mark.parametrize("content", [b"\x00\xff\xfe", b"print('another file')\n", b""])
def test_a_file_that_is_none_is_set_aside(folder, content):
    (folder / regions.FILE).write_bytes(content)
    engine = loading.load("03")
    assert "held something else or was damaged: it is now my_engine.set-aside.py" in engine._notes[0]
    assert (folder / "my_engine.set-aside.py").read_bytes() == content
    assert not loading.load("03")._notes


def test_bytes_that_are_not_utf_8_lose_no_part_and_the_file_is_copied(folder):
    text = write(folder, "add", "multiply", changed=[("def add", "# caf\xe9\ndef add")])
    data = text.encode().replace("\xe9".encode(), b"\xe9")
    (folder / regions.FILE).write_bytes(data)
    ((said, copy),) = put("constants")
    assert said == [f"{store.DAMAGED} The file as it was is now {copy}."] and (folder / copy).read_bytes() == data
    assert kept_in(folder).keys() == {"add", "multiply", "constants"} and "caf\xe9" in text_in(folder)
    assert put("dual") == [([], "")]


def test_a_read_only_file_is_left_as_it_is(folder):
    text = write(folder, "add")
    (folder / regions.FILE).chmod(0o444)
    ((said, _),) = put("multiply")
    assert "it is read-only" in said[0] and "In this kernel's memory only: multiply" in said[0]
    assert text_in(folder) == text
    assert loading.load("03").sentences()[0].startswith("my_engine.py: 2 of the 6 parts")
    assert "The part multiply is the course's again; no copy could be made" in keeping.reset("multiply")


def test_a_folder_that_is_none_keeps_the_parts_in_memory(tmp_path, folder, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(tmp_path / "file"))
    engine = loading.load("03")
    assert "as long as this kernel runs" in engine._notes[0] or "cannot be read" in engine._notes[0]
    assert trial.works(engine._names) == ""


def test_reset_gives_one_part_back_after_a_dated_copy(folder):
    text = write(folder, "add", "multiply")
    said = keeping.reset("add")
    copy = re.search(r"my_engine\.\d{4}-\d\d-\d\d-\d{4}\.py", said)[0]
    assert (folder / copy).read_text(encoding="utf-8") == text
    assert kept_in(folder).keys() == {"multiply"}
    assert "All parts are the course's again" in keeping.reset()
    assert not kept_in(folder)
    assert keeping.reset("nonsense").startswith("There is no exercise 'nonsense'. There are: ")


@pytest.mark.long
def test_two_kernels_at_once_lose_no_part(folder):
    names = ["add", "multiply", "constants", "dual", "neuron", "mlp"]
    command = [sys.executable, "-c", "import sys; from tests.learners_files import put; put(sys.argv[1])"]
    running = [subprocess.Popen([*command, name], env=os.environ.copy()) for name in names]
    assert all(process.wait(60) == 0 for process in running)
    assert kept_in(folder).keys() == set(names)
    assert sorted(path.name for path in folder.iterdir()) == [".my_engine.lock", "my_engine.py"]


def test_where_nothing_can_be_renamed_or_locked_it_is_written_plainly(folder, monkeypatch):
    def unknown(*args):
        raise NotImplementedError

    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setattr(os, "replace", unknown)
    put("add")
    assert loading.load("03")._own.keys() == {"add"}


def test_a_write_that_fails_halfway_leaves_the_old_file(folder, monkeypatch):
    text = write(folder, "add")
    monkeypatch.setattr(os, "fsync", fails(errno.ENOSPC))
    assert "No space left" in put("multiply")[0][0][0]
    assert text_in(folder) == text
    assert sorted(path.name for path in folder.iterdir()) == [".my_engine.lock", "my_engine.py"]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: re.sub(r"(?m)^# ── multiply .*\n", "", text),
        lambda text: re.sub(r"(?m)^# ── multiply ", "  # -- multiply ", text),
        lambda text: text.replace("# ── start", "import this_is_mine\n\n\n# ── start", 1),
        lambda text: text.replace("Value.__mul__ = multiply\n", "Value.__mul__ = multiply\nmine = 3\n", 1),
        lambda text: text + "\nmore = 1\n" + regions.EXTRA + "\neven_more = 2\n",
    ],
)
def test_what_is_changed_by_hand_is_in_some_file_whatever_comes(folder, change):
    text = save(folder, change(write(folder, "add", "multiply")))
    loading.load("99")
    put("subtract")
    kept = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    assert all(line in kept for line in text.splitlines() if not line.startswith("# ── "))
