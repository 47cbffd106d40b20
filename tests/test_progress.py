"""The progress file: what is noted stands, two kernels lose nothing, and no file or folder brings a traceback."""

import importlib
import json
import os
import subprocess
import sys
import threading

import pytest

from exercises.shelf import files

progress = importlib.import_module("exercises.progress")  # the module, whatever the package calls `progress`


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A data folder of this test's own, and nothing remembered of others."""
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(progress, "_known", {})
    monkeypatch.setattr(progress, "_waiting", {})
    monkeypatch.setattr(progress, "_faults", {})
    return tmp_path / "data"


def forget_all(monkeypatch):
    """As a kernel does that has just started."""
    monkeypatch.setattr(progress, "_known", {})
    monkeypatch.setattr(progress, "_waiting", {})
    monkeypatch.setattr(progress, "_faults", {})


def test_nothing_is_known_at_first_and_reading_makes_no_file(folder):
    assert not progress.passed("slope")
    assert progress.tries("slope") == 0
    assert progress.question("03-swap") == {"seen": 0, "missed": 0, "last": "", "right": False}
    assert not folder.exists()


def test_what_is_noted_stands_for_the_next_kernel(monkeypatch):
    progress.record_try("slope")
    progress.record_try("slope")
    assert (progress.tries("slope"), progress.passed("slope")) == (2, False)
    progress.record_pass("slope")
    progress.record_answer("03-swap", False)
    progress.record_answer("03-swap", True)
    forget_all(monkeypatch)
    assert (progress.tries("slope"), progress.passed("slope")) == (2, True)
    known = progress.question("03-swap")
    assert (known["seen"], known["missed"], known["right"]) == (2, 1, True)
    assert not progress.passed("choose_h")


def test_the_first_day_stands(monkeypatch):
    progress.record_pass("slope")
    kept = json.loads(progress.path().read_text(encoding="utf-8"))
    kept["exercises"]["slope"]["passed"] = "2025-01-31"
    progress.path().write_text(json.dumps(kept), encoding="utf-8")
    progress.record_pass("slope")
    assert progress.first_passed("slope") == "2025-01-31"


def test_of_two_answers_the_later_one_is_told_apart():
    progress.record_answer("a", True)
    progress.record_answer("b", True)
    assert "" < progress.question("a")["last"] < progress.question("b")["last"]


def test_reset_of_one_exercise_and_of_everything():
    for name in ("slope", "choose_h"):
        progress.record_pass(name)
    progress.record_answer("03-swap", True)
    progress.note("exam", "seed", 7)
    assert "slope counts as not done" in repr(progress.reset("slope"))
    assert (progress.passed("slope"), progress.passed("choose_h")) == (False, True)
    assert "no answer to an exercise named slope" in progress.reset("slope")
    assert progress.question("03-swap")["seen"] == 1 and progress.noted("exam") == {"seed": 7}
    progress.reset()
    assert not progress.passed("choose_h") and progress.question("03-swap")["seen"] == 0
    assert progress.noted("exam") == {}
    with pytest.raises(TypeError, match="name of an exercise"):
        progress.reset(3)


def test_notes_stand_for_the_next_kernel_each_in_its_section(monkeypatch):
    assert progress.noted("exam") == {}
    progress.note("exam", "seed", 7)
    progress.note("exam", "2", {"taken": ["kept"], "right": None})
    progress.note("clinic", "2", {"named": []})
    progress.note("exam", "seed", 8)
    forget_all(monkeypatch)
    assert progress.noted("exam") == {"seed": 8, "2": {"taken": ["kept"], "right": None}}
    assert progress.noted("clinic") == {"2": {"named": []}} and progress.noted("gym") == {}


@pytest.mark.parametrize("writable", [True, False])
def test_what_is_noted_is_a_copy_on_both_ways(folder, writable, capsys):
    """As in the file, so in memory, where the folder cannot be written."""
    if not writable:
        folder.write_text("a file stands where the folder should", encoding="utf-8")
    given = {"taken": ["kept"], "pair": ("a", "b")}
    progress.note("exam", "2", given)
    given["taken"].append("check")
    progress.noted("exam")["2"]["taken"].append("units")
    assert progress.noted("exam") == {"2": {"taken": ["kept"], "pair": ["a", "b"]}}
    with pytest.raises(TypeError, match="set"):
        progress.note("exam", "2", {"taken": {1, 2}})
    assert progress.noted("exam") == {"2": {"taken": ["kept"], "pair": ["a", "b"]}}
    assert progress.kept_in_memory() is not writable


def test_a_file_from_before_there_were_notes_is_whole(folder, capsys):
    folder.mkdir()
    progress.path().write_text(
        json.dumps(WHOLE | {"exercises": {"slope": {"passed": None, "tries": 3}}}), encoding="utf-8"
    )
    assert progress.noted("exam") == {}
    progress.note("exam", "seed", 7)
    assert progress.tries("slope") == 3 and progress.noted("exam") == {"seed": 7}
    assert capsys.readouterr().out == ""


def test_the_file_is_read_only_when_it_has_changed(monkeypatch):
    progress.record_pass("slope")
    reads, load = [], progress.load
    monkeypatch.setattr(progress, "load", lambda place: reads.append(place) or load(place))
    for _ in range(100):
        assert progress.passed("slope")
    assert reads == []
    other = "from exercises import files, progress; progress.record_pass('choose_h')"
    subprocess.run([sys.executable, "-c", other], check=True)
    assert progress.passed("choose_h") and len(reads) == 1


def test_two_kernels_and_threads_at_once_lose_nothing():
    """Four processes and two threads, 25 notes each, all at the same time."""
    code = "import sys; from exercises import files, progress; [progress.record_try('shared') for _ in range(25)]; " + (
        "progress.record_pass(sys.argv[1])"
    )
    kernels = [subprocess.Popen([sys.executable, "-c", code, f"own{i}"], stdout=subprocess.PIPE) for i in range(4)]
    threads = [threading.Thread(target=lambda: [progress.record_try("shared") for _ in range(25)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = [kernel.communicate(timeout=60)[0] for kernel in kernels]
    assert [kernel.returncode for kernel in kernels] == [0, 0, 0, 0] and said == [b""] * 4
    assert progress.tries("shared") == 6 * 25
    assert all(progress.passed(f"own{i}") for i in range(4))
    assert sorted(p.name for p in progress.path().parent.iterdir()) == [".progress.lock", "progress.json"]


WHOLE = {"course": "backprop-from-scratch", "version": 1, "exercises": {}, "questions": {}}

NOT_OURS = {
    "half a file": b'{"course": "backprop-from-sc',
    "empty": b"",
    "not text": b"\xff\xfe\x00\x01",
    "deep": b"[" * 100_000,
    "of another program": b'{"theme": "dark"}',
    "a list": b"[1, 2]",
    "of a later version": json.dumps(WHOLE | {"version": 2}).encode(),
    "exercises are a list": json.dumps(WHOLE | {"exercises": []}).encode(),
    "an exercise is a number": json.dumps(WHOLE | {"exercises": {"slope": 3}}).encode(),
    "tries are a text": json.dumps(WHOLE | {"exercises": {"slope": {"passed": None, "tries": "3"}}}).encode(),
    "notes are a list": json.dumps(WHOLE | {"notes": ["exam"]}).encode(),
    "notes are nothing": json.dumps(WHOLE | {"notes": None}).encode(),
    "a section of notes is a text": json.dumps(WHOLE | {"notes": {"exam": "seed"}}).encode(),
    "a question without a count": json.dumps(WHOLE | {"questions": {"03-swap": {"seen": 1}}}).encode(),
}


@pytest.mark.parametrize("content", NOT_OURS.values(), ids=NOT_OURS)
@pytest.mark.parametrize(
    "first",
    [
        lambda: progress.passed("slope"),
        lambda: progress.record_pass("slope"),
        lambda: progress.noted("exam"),
        lambda: progress.note("exam", "seed", 7),
    ],
)
def test_a_damaged_or_foreign_file_is_set_aside_whole(folder, capsys, content, first):
    folder.mkdir()
    progress.path().write_bytes(content)
    first()
    progress.record_pass("choose_h")
    assert progress.passed("choose_h")
    aside = folder / "progress.set-aside-1.json"
    assert aside.read_bytes() == content
    said = capsys.readouterr()
    assert said.out.count("\n") == 1 and str(aside) in said.out and said.err == ""


def test_a_second_damaged_file_does_not_replace_the_first(folder):
    folder.mkdir()
    for content in (b"one", b"two"):
        progress.path().write_bytes(content)
        assert not progress.passed("slope")
    assert [(folder / f"progress.set-aside-{i}.json").read_bytes() for i in (1, 2)] == [b"one", b"two"]


def test_where_the_folder_cannot_be_made_progress_lasts_as_long_as_the_kernel(folder, capsys):
    folder.write_text("a file stands where the folder should", encoding="utf-8")
    assert not progress.passed("slope")
    progress.record_pass("slope")
    progress.record_try("choose_h")
    progress.record_answer("03-swap", False)
    assert progress.passed("slope") and progress.tries("choose_h") == 1
    assert progress.question("03-swap")["missed"] == 1
    assert progress.kept_in_memory()
    said = capsys.readouterr()
    assert said.out.count("\n") == 1 and "as long as this kernel runs" in said.out and said.err == ""
    progress.reset()
    assert not progress.passed("slope")


def test_where_writing_begins_to_fail_what_was_known_is_kept(monkeypatch, capsys):
    progress.record_pass("slope")

    def full(place, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write", full)
    progress.record_pass("choose_h")
    assert progress.passed("slope") and progress.passed("choose_h")
    assert "No space left" in capsys.readouterr().out


def test_a_file_that_is_a_folder_is_no_traceback(folder, capsys):
    progress.path().mkdir(parents=True)
    assert not progress.passed("slope")
    progress.record_pass("slope")
    assert progress.passed("slope")
    assert capsys.readouterr().out.count("\n") == 1


def test_a_lock_that_no_one_gives_back_is_not_waited_for_for_ever(monkeypatch):
    """Another kernel holds the lock, and is stuck: after PATIENCE the note is written all the same."""
    monkeypatch.setattr(files, "PATIENCE", 0.05)
    progress.record_pass("slope")
    with files.locked(progress.path()):
        progress.record_pass("choose_h")
    assert progress.passed("choose_h") and progress.passed("slope")


def test_without_the_variable_the_file_is_in_the_platforms_data_folder(monkeypatch):
    import platformdirs

    monkeypatch.delenv("BACKPROP_DATA_DIR")
    assert progress.path().parent == platformdirs.user_data_path("backprop-from-scratch", appauthor=False)


def test_in_a_browser_it_is_beside_the_lessons(monkeypatch, tmp_path):
    """Also where a notebook of a folder below them runs."""
    monkeypatch.delenv("BACKPROP_DATA_DIR")
    monkeypatch.setattr(sys, "platform", "emscripten")
    (tmp_path / "more").mkdir()
    (tmp_path / "00_start_here.ipynb").touch()
    for here in (tmp_path, tmp_path / "more"):
        monkeypatch.chdir(here)
        assert progress.path() == tmp_path / "progress.json"


PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no named pipes and devices")


@pytest.mark.parametrize(
    "kind", [pytest.param("a pipe", marks=PIPES), pytest.param("a device", marks=PIPES), "a folder"]
)
def test_what_is_no_plain_file_is_never_read(kind, folder, capsys):
    folder.mkdir()
    if kind == "a pipe":
        os.mkfifo(progress.path())
    elif kind == "a device":
        progress.path().symlink_to("/dev/zero")
    else:
        progress.path().mkdir()
    progress.record_pass("slope")
    assert progress.passed("slope") and progress.kept_in_memory()
    assert "it is no plain file" in capsys.readouterr().out


def test_half_a_character_in_a_name_loses_nothing(monkeypatch):
    progress.record_answer("half \udc80", True)
    progress.record_pass("slope")
    forget_all(monkeypatch)
    assert progress.passed("slope") and progress.question("half \udc80")["right"]
