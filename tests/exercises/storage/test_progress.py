"""The progress file: notes stay, two kernels lose nothing, and no file or folder brings a traceback."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import exercises
from exercises.content import library
from exercises.storage import files, progress
from tests.learners_files import begin_in


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    begin_in(tmp_path / "data", monkeypatch)
    return tmp_path / "data"


def test_fresh_progress_is_empty_and_reading_creates_no_file(folder):
    assert not progress.passed("slope")
    assert progress.tries("slope") == 0
    assert progress.question("03-swap") == {"seen": 0, "missed": 0, "last": "", "right": False}
    assert progress.noted("exam") == {}
    assert not folder.exists()


def test_notes_persist_for_the_next_kernel_by_section(folder, monkeypatch):
    progress.record_try("slope")
    progress.record_try("slope")
    assert (progress.tries("slope"), progress.passed("slope")) == (2, False)
    progress.record_pass("slope")
    for name, right in (("03-swap", False), ("03-swap", True), ("half \udc80", True)):  # that, too, loses nothing
        progress.record_answer(name, right)
    taken = {"taken": ["kept"], "right": None}
    for noted in (("exam", "seed", 7), ("exam", "2", taken), ("clinic", "2", {"named": []}), ("exam", "seed", 8)):
        progress.note(*noted)
    begin_in(folder, monkeypatch)
    assert (progress.tries("slope"), progress.passed("slope")) == (2, True)
    known = progress.question("03-swap")
    assert (known["seen"], known["missed"], known["right"]) == (2, 1, True)
    assert progress.question("half \udc80")["right"] and not progress.passed("choose_h")
    assert progress.noted("exam") == {"seed": 8, "2": taken}
    assert progress.noted("clinic") == {"2": {"named": []}} and progress.noted("gym") == {}


def test_first_pass_date_is_kept_and_answers_are_timestamped():
    progress.record_pass("slope")
    kept = json.loads(progress.path().read_text(encoding="utf-8"))
    kept["exercises"]["slope"]["passed"] = "2025-01-31"
    progress.path().write_text(json.dumps(kept), encoding="utf-8")
    progress.record_pass("slope")
    assert progress.first_passed("slope") == "2025-01-31"
    for name in "ab":
        progress.record_answer(name, True)
    assert "" < progress.question("a")["last"] < progress.question("b")["last"]


def test_passes_under_earlier_names_still_count(folder):
    folder.mkdir()
    old = {"add_rule": ["2026-01-30", 1], "multiply_rule": ["2026-01-31", 2], "local_derivatives": ["2026-02-01", 3]}
    entries = {name: {"passed": day, "tries": tries} for name, (day, tries) in old.items()}
    for kept, day in ((entries, "2026-01-31"), ({"add_rule": entries["add_rule"]}, None)):
        files.write(progress.path(), json.dumps({**progress.empty(), "exercises": kept}))
        assert progress.first_passed("rules") == day and progress.passed("relu") == (day is not None)
        progress.record_pass("slope")
    assert progress.passed("add_rule")  # one of two: it stays
    files.write(progress.path(), json.dumps({**progress.empty(), "exercises": entries}))
    assert (progress.tries("rules"), progress.tries("sigmoid")) == (3, 3)
    progress.reset("rules")
    assert not progress.passed("rules") and progress.passed("functions")
    new = {"add_rule": ("rules", "02"), "collect": ("first_rules", "00"), "constants": ("multiply", "01")}
    for earlier, (name, lesson) in new.items():
        said = f"{earlier} is now {name}, in lesson {lesson}; what you had passed still counts."
        assert repr(getattr(exercises.check, earlier)(max)) == said
        with pytest.raises(ValueError, match=said):
            exercises.hints(earlier)


def test_broader_exercise_requires_all_it_replaced(folder):
    folder.mkdir()
    entry = {"passed": "2026-01-30", "tries": 1}
    for earlier, counts in (("add multiply constants", "multiply"), ("add constants", ""), ("collect", "first_rules")):
        files.write(
            progress.path(), json.dumps({**progress.empty(), "exercises": dict.fromkeys(earlier.split(), entry)})
        )
        passed = {name for name in ("multiply", "first_rules", "rules") if progress.passed(name)}
        assert passed == {*counts.split()}, earlier


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


def put_in_the_way(folder, kind):
    """Put something that is not a file in place of the folder or of the file in it."""
    if kind == "a file for the folder":
        folder.write_text("a file stands where the folder should", encoding="utf-8")
    elif kind == "a folder":
        progress.path().mkdir(parents=True)
    elif hasattr(os, "mkfifo"):
        folder.mkdir()
        os.mkfifo(progress.path()) if kind == "a pipe" else progress.path().symlink_to("/dev/zero")
    else:
        pytest.skip("this platform has no named pipes and devices")


@pytest.mark.parametrize("kind", ["a file for the folder", "a folder", "a pipe", "a device"])
def test_unwritable_progress_stays_in_memory_with_one_message(folder, capsys, kind):
    put_in_the_way(folder, kind)
    assert not progress.passed("slope")
    progress.record_pass("slope")
    progress.record_try("choose_h")
    progress.record_answer("03-swap", False)
    assert progress.passed("slope") and progress.tries("choose_h") == 1
    assert progress.question("03-swap")["missed"] == 1
    assert progress.kept_in_memory()
    said = capsys.readouterr()
    assert said.out.count("\n") == 1 and "as long as this kernel runs" in said.out and said.err == ""
    assert ("it is no plain file" in said.out) == (kind != "a file for the folder")
    progress.reset()
    assert not progress.passed("slope")


@pytest.mark.parametrize("writable", [True, False])
def test_notes_are_copied_on_write_and_read(folder, writable, capsys):
    """In the file, and in memory if the folder cannot be written."""
    if not writable:
        put_in_the_way(folder, "a file for the folder")
    given = {"taken": ["kept"], "pair": ("a", "b")}
    progress.note("exam", "2", given)
    given["taken"].append("check")
    progress.noted("exam")["2"]["taken"].append("units")
    assert progress.noted("exam") == {"2": {"taken": ["kept"], "pair": ["a", "b"]}}
    with pytest.raises(TypeError, match="set"):
        progress.note("exam", "2", {"taken": {1, 2}})
    assert progress.noted("exam") == {"2": {"taken": ["kept"], "pair": ["a", "b"]}}
    assert progress.kept_in_memory() is not writable


def whole(**changed):
    """Return the bytes of a file as it is written, with some of it changed."""
    begins = {"course": "backprop-from-scratch", "version": 1, "exercises": {}, "questions": {}}
    return json.dumps(begins | changed).encode()


def test_file_without_a_notes_section_is_valid(folder, capsys):
    folder.mkdir()
    progress.path().write_bytes(whole(exercises={"slope": {"passed": None, "tries": 3}}))
    assert progress.noted("exam") == {}
    progress.note("exam", "seed", 7)
    assert progress.tries("slope") == 3 and progress.noted("exam") == {"seed": 7}
    assert capsys.readouterr().out == ""


def test_removed_exercise_is_kept_silently(folder, capsys):
    """Such as relu_vanishes and residual_scale, which lesson 10 once had, in an old learner's file."""
    folder.mkdir()
    learners = Path(__file__).parents[2] / "approved" / "files" / "progress.json"
    shutil.copy(learners, progress.path())
    left = {"relu_vanishes", "residual_scale"}
    assert not left & set(library.names()) and [each for each in left if not progress.passed(each)] == []
    passed = sum(map(progress.passed, library.names()))
    assert f"Exercises passed: {passed} of {len(library.names())}." in repr(exercises.course_map())
    progress.record_try("clip")
    assert progress.tries("clip") == 1 and [each for each in left if not progress.passed(each)] == []
    assert capsys.readouterr().out == ""


def test_progress_file_is_reread_only_after_changes(monkeypatch):
    progress.record_pass("slope")
    reads, load = [], progress.load
    monkeypatch.setattr(progress, "load", lambda place: reads.append(place) or load(place))
    for _ in range(100):
        assert progress.passed("slope")
    assert reads == []
    other = "from exercises.storage import progress; progress.record_pass('choose_h')"
    subprocess.run([sys.executable, "-c", other], check=True)
    assert progress.passed("choose_h") and len(reads) == 1


def test_concurrent_kernels_and_threads_lose_nothing():
    """Four processes and two threads, 25 notes each, all at the same time."""
    code = "import sys; from exercises.storage import progress; [progress.record_try('shared') for _ in range(25)]; "
    code += "progress.record_pass(sys.argv[1])"
    kernels = [subprocess.Popen([sys.executable, "-c", code, f"own{i}"], stdout=subprocess.PIPE) for i in range(4)]
    threads = [threading.Thread(target=lambda: [progress.record_try("shared") for _ in range(25)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = [kernel.communicate(timeout=60)[0] for kernel in kernels]
    assert [kernel.returncode for kernel in kernels] == [0, 0, 0, 0] and said == [b""] * 4
    assert progress.tries("shared") == 6 * 25
    assert [i for i in range(4) if not progress.passed(f"own{i}")] == []
    assert sorted(p.name for p in progress.path().parent.iterdir()) == [".progress.lock", "progress.json"]


NOT_OURS = {
    "half a file": b'{"course": "backprop-from-sc',
    "empty": b"",
    "not text": b"\xff\xfe\x00\x01",
    "deep": b"[" * 100_000,
    "of another program": b'{"theme": "dark"}',
    "a list": b"[1, 2]",
    "of a later version": whole(version=2),
    "exercises are a list": whole(exercises=[]),
    "an exercise is a number": whole(exercises={"slope": 3}),
    "tries are a text": whole(exercises={"slope": {"passed": None, "tries": "3"}}),
    "notes are a list": whole(notes=["exam"]),
    "notes are nothing": whole(notes=None),
    "a section of notes is a text": whole(notes={"exam": "seed"}),
    "a question without a count": whole(questions={"03-swap": {"seen": 1}}),
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
def test_damaged_progress_file_is_set_aside(folder, capsys, content, first):
    folder.mkdir()
    progress.path().write_bytes(content)
    first()
    progress.record_pass("choose_h")
    assert progress.passed("choose_h")
    aside = folder / "progress.set-aside-1.json"
    assert aside.read_bytes() == content
    said = capsys.readouterr()
    assert said.out.count("\n") == 1 and str(aside) in said.out and said.err == ""
    progress.path().write_bytes(b"another")
    assert not progress.passed("slope")
    assert (folder / "progress.set-aside-2.json").read_bytes() == b"another" and aside.read_bytes() == content


def test_progress_survives_when_writing_starts_to_fail(monkeypatch, capsys):
    progress.record_pass("slope")

    def full(place, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write", full)
    progress.record_pass("choose_h")
    assert progress.passed("slope") and progress.passed("choose_h")
    assert "No space left" in capsys.readouterr().out


def test_huge_progress_file_is_set_aside_quickly(folder, capsys):
    progress.record_pass("slope")
    text = progress.path().read_text(encoding="utf-8") + " " * 60_000_000
    progress.path().write_text(text, encoding="utf-8")
    before = time.monotonic()
    progress.record_try("choose_h")
    assert time.monotonic() - before < 2 and "too large" in capsys.readouterr().out
    assert (folder / "progress.set-aside-1.json").read_text(encoding="utf-8") == text


def test_default_progress_folder_per_platform(monkeypatch, tmp_path):
    """In a browser also if a notebook of a folder below the lessons runs."""
    import platformdirs

    monkeypatch.delenv("BACKPROP_DATA_DIR")
    assert progress.path().parent == platformdirs.user_data_path("backprop-from-scratch", appauthor=False)
    monkeypatch.setattr(sys, "platform", "emscripten")
    (tmp_path / "more").mkdir()
    (tmp_path / "00_start_here.ipynb").touch()
    for here in (tmp_path, tmp_path / "more"):
        monkeypatch.chdir(here)
        assert progress.path() == tmp_path / "progress.json"
