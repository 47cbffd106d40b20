"""Messages on `my_engine.py` are true: on pending writes, on the content of copies, and on files set aside."""

import errno
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from exercises import course_map
from exercises.content import library
from exercises.engine_file import cells, loading, parts, saving, store, trial
from exercises.engine_file.places import FILE
from exercises.sandbox import runner
from exercises.storage import files, progress
from tests import notebooks
from tests.learners_files import owned_in, put, save, text_in, write

THERE = [".engine.lock", ".my_engine.lock", "engine.json", "my_engine.py"]


def fails(code):
    """Return a function that fails as the system does, with this number."""

    def fail(*_):
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_failed_write_is_included_in_the_next_one(folder, monkeypatch, code):
    put("relu")
    with monkeypatch.context() as full:
        full.setattr(files, "write", fails(code))
        put("clip", "divide")
        progress.record_pass("slope")
        assert "memory only: `Value.__truediv__`, `Value.__rtruediv__`, `clip`" in store.in_memory()
        assert os.strerror(code) in store.in_memory()
        assert store.in_memory() in loading.load("03").sentences() and store.in_memory() in repr(course_map())
        assert progress.in_memory() and progress.passed("slope")
    assert owned_in(folder) == {"relu"}
    with monkeypatch.context() as another:
        another.setattr(store, "_waiting", {})
        put("dual")
    put("subtract")
    progress.record_pass("choose_h")
    assert owned_in(folder) == {"relu", "dual", "clip", "divide", "subtract"}
    assert store.in_memory() == progress.in_memory() == "" and "memory only" not in repr(course_map())
    assert progress.load(progress.path())["exercises"].keys() == {"slope", "choose_h"}


def test_unverified_write_stays_in_memory_and_folder_is_recreated(folder, monkeypatch):
    with monkeypatch.context() as empty:
        empty.setattr(files, "replace", lambda new, old: old.write_bytes(b""))
        assert "memory only: `Value.relu`" in put("relu")[0][0][0]
    shutil.rmtree(folder)
    assert put("clip") == [([], "")] and owned_in(folder) == {"relu", "clip"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no named pipes, and links need rights there")
def test_pipe_is_rejected_and_link_is_followed(folder, tmp_path_factory):
    os.mkfifo(folder / FILE)
    assert "it is no file" in loading.load("03")._notes[0]
    (folder / FILE).unlink()
    there = tmp_path_factory.mktemp("there") / "engine.py"
    (folder / FILE).symlink_to(there)
    assert "is a link to" in loading.load("03")._notes[0]
    for name in ("relu", "sigmoid"):  # to no file, and to a file
        put(name)
        assert (folder / FILE).is_symlink() and f"    def {name}(self" in there.read_text(encoding="utf-8")
        assert not loading.load("03")._notes


@pytest.mark.long
@pytest.mark.parametrize("passed", parts.EXERCISES, ids=lambda part: part.name)
def test_no_copy_is_made_of_saved_or_provided_code(folder, passed):
    others = [part.name for part in parts.EXERCISES if part is not passed and passed.name not in part.replaces][::4]
    for name in (*others, passed.name, passed.name):
        assert put(name) == [([], "")], name
    assert put(**{passed.name: library.solution(passed.name).code + "\n\nmine = 3\n"}) == [([], "")]
    assert put(passed.name) == [([], "")] and "mine" not in "".join(store.current(store.path())[0].texts().values())


def test_hand_edit_is_copied_before_a_pass_replaces_it(folder):
    text = write(folder, "divide", changed=[("return as_value(other) / self", "return as_value(other) * self**-1")])
    ((_, copy),) = put("divide")
    assert (folder / copy).read_text(encoding="utf-8") == text != text_in(folder)


def test_old_leftovers_of_killed_writes_are_removed(folder):
    for name, age in ((".my_engine.abc.new", 3600), (".my_engine.live.new", 0)):
        (folder / name).write_text("", encoding="utf-8")
        os.utime(folder / name, (time.time() - age,) * 2)
    loading.load("03")
    assert not (folder / ".my_engine.abc.new").exists() and (folder / ".my_engine.live.new").exists()


@pytest.mark.long
def test_runner_stops_endless_c_loops_and_ignores_forged_output():
    with runner.Runner() as process:
        with pytest.raises(runner.Ended, match="it had not ended after"):
            process.ask("builtins:exec", "sum(range(10**12))", work=1, timeout=20)
        forged = "import os\nfor i in range(20):\n try: os.write(i, b'\"\"\\n')\n except OSError: pass\nos._exit(0)"
        with pytest.raises(runner.Ended, match="it ended Python itself"):
            process.ask("builtins:exec", forged)
        assert process.ask("builtins:len", [1, 2]) == 2


def test_oversized_file_is_left_unchanged(folder):
    text = write(folder, below="#" * 2 * store.MOST)
    assert "2.0 MB, and more than 1 is not read" in loading.load("03")._notes[0]
    assert "memory only: `Value.relu`" in put("relu")[0][0][0]
    assert text_in(folder) == text


def test_parts_may_use_the_imports_of_first_cells():
    for path in sorted(notebooks.NOTEBOOKS.glob("*.ipynb")):
        number = path.name[:2]
        if any(part.lesson == number for part in parts.EXERCISES):
            first = next(cell for cell in notebooks.read(path).cells if cell.cell_type == "code").source
            for line in re.findall(r"(?m)^import (?!autograd|exercises|figures).*", first):
                assert line in parts.IMPORTS.values()


@pytest.mark.parametrize(
    ("name", "body", "line"),
    [
        ("clip", "np.linalg.norm", "import numpy as np"),
        ("train", "gc.collect", "import gc"),
        ("train", "math.fsum", "import math"),
    ],
)
def test_file_imports_the_modules_a_part_needs(folder, name, body, line):
    put(**{name: f"def {name}(*given):\n    return {body}(given)\n"})
    assert text_in(folder).count(f"\n{line}\n") == 1 and text_in(folder).index(line) < text_in(folder).index(
        "class Value"
    )


@pytest.mark.parametrize("magic", ["%%time\n", "%%time\n%%capture\n", "%time "])
def test_leading_magic_is_not_part_of_the_text(magic):
    pytest.importorskip("IPython", reason="magics are a notebook's")
    from IPython.core.inputtransformer2 import TransformerManager

    text = "double = lambda x: 2 * x"
    assert cells.strip_magics(TransformerManager().transform_cell(magic + text)).strip() == text


@pytest.mark.parametrize("content", [b"\x00\xff\xfe", b"print('another file')\n", b""])
def test_invalid_file_is_set_aside(folder, content):
    (folder / FILE).write_bytes(content)
    engine = loading.load("03")
    assert "held something else or was damaged: it is now my_engine.set-aside.py" in engine._notes[0]
    assert (folder / "my_engine.set-aside.py").read_bytes() == content
    assert not loading.load("03")._notes


def test_invalid_utf_8_loses_no_part_and_is_copied(folder):
    text = write(folder, "relu", "clip", changed=[("    def relu", "    # caf\xe9\n    def relu")])
    data = text.encode().replace("\xe9".encode(), b"\xe9")
    (folder / FILE).write_bytes(data)
    ((said, copy),) = put("sigmoid")
    assert (
        said == [f"{store.DAMAGED.format(FILE)} The file as it was is now {copy}."]
        and (folder / copy).read_bytes() == data
    )
    assert owned_in(folder) == {"relu", "clip", "sigmoid"} and "caf\xe9" in text_in(folder)
    assert put("dual") == [([], "")]


def test_read_only_file_is_left_unchanged(folder):
    text = write(folder, "relu")
    (folder / FILE).chmod(0o444)
    ((said, _),) = put("clip")
    assert "it is read-only" in said[0] and "In this kernel's memory only: `clip`" in said[0]
    assert text_in(folder) == text
    assert loading.load("03").sentences()[0].startswith("my_engine.py: 1 of the 8 parts")
    assert "clip is the course's again; no copy could be made" in saving.reset("clip")


def test_unusable_folder_keeps_the_parts_in_memory(tmp_path, folder, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(tmp_path / "file"))
    engine = loading.load("03")
    assert "as long as this kernel runs" in engine._notes[0] or "cannot be read" in engine._notes[0]
    assert trial.works(engine._names) == ""


def test_reset_restores_one_part_after_a_dated_copy(folder):
    text = write(folder, "relu", "clip")
    said = saving.reset("relu")
    copy = re.search(r"my_engine\.\d{4}-\d\d-\d\d-\d{4}\.py", said)[0]
    assert (folder / copy).read_text(encoding="utf-8") == text
    assert owned_in(folder) == {"clip"}
    assert "All parts are the course's again" in saving.reset()
    assert not owned_in(folder)
    assert saving.reset("nonsense").startswith("There is no exercise 'nonsense'. There are: ")


def test_reset_and_keep_of_earlier_exercise_leave_the_later_part(folder):
    text = write(folder, "backward")
    assert saving.reset("first_backward").startswith("first_backward is as if never tried. Its stub:")
    assert saving.keep("first_backward") == "my_engine.py has a later part of yours in its place: backward."
    assert text_in(folder) == text


@pytest.mark.long
def test_concurrent_writes_lose_no_part(folder):
    names = ["relu", "clip", "sigmoid", "dual", "neuron", "mlp"]
    command = [sys.executable, "-c", "import sys; from tests.learners_files import put; put(sys.argv[1])"]
    running = [subprocess.Popen([*command, name], env=os.environ.copy()) for name in names]
    assert [process for process in running if process.wait(60) != 0] == []
    assert owned_in(folder) == set(names)
    assert sorted(path.name for path in folder.iterdir()) == THERE


def test_writes_plainly_without_rename_or_lock(folder, monkeypatch):
    def unknown(*args):
        raise NotImplementedError

    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setattr(os, "replace", unknown)
    put("relu")
    assert loading.load("03")._sources.owned() == ["relu"]


def test_failed_write_leaves_the_old_file(folder, monkeypatch):
    text = write(folder, "relu")
    monkeypatch.setattr(os, "fsync", fails(errno.ENOSPC))
    assert "No space left" in put("clip")[0][0][0]
    assert text_in(folder) == text
    assert sorted(path.name for path in folder.iterdir()) == THERE


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(
            "    def __neg__", "    size = 3  # mine\n\n    def half(self):\n        return self / 2\n\n    def __neg__"
        ),
        lambda text: text.replace("class Value:", "import textwrap\n\nLIMIT = 3  # mine\n\n\nclass Value:"),
        lambda text: text.replace("    def relu(", "    # above\n\n    # right above\n    def relu("),
        lambda text: text.replace("    def __neg__(self):", "    def __neg__(self:"),
        lambda text: f"# first of all\n{text}\nif __name__ == '__main__':\n    print(Value(3))\n",
        lambda text: text.replace("\n", "\r\n"),
    ],
)
def test_hand_edits_are_never_lost(folder, change):
    text = save(folder, change(write(folder, "relu", "clip")))
    loading.load("99")
    put("subtract", "relu")
    loading.load("02")
    saved = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    lost = {line.rstrip() for line in text.splitlines()} - {line.rstrip() for line in saved.splitlines()}
    assert not {line for line in lost if "# the course's" not in line}
