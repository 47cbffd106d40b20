"""The teacher's report: it finds hand-ins, runs them again and counts; what is broken gets a sentence."""

import csv
import html
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from exercises.content import library
from exercises.explaining.catalogue import known_mistakes
from exercises.teachers.report import handed_in, rerun, tables
from exercises.teachers.report.command import WARNING, main
from exercises.teachers.report.handed_in import File, Unreadable
from exercises.teachers.report.rerun import LEFT, LOOP
from exercises.teachers.report.results import CLAIMED, CLAIMS, NOTHING, RANKS, TRIED, Result, gather
from tests.learners_files import sources_with

FIRST = ("slope", "make_value", "multiply")  # all of lesson 01
DONE = {"passed": "2026-01-31", "tries": 2}
PROGRESS = {"course": "backprop-from-scratch", "version": 1, "exercises": {}, "questions": {}}
BREAK_IT = "import os\nos._exit(0)\n"


def notebook(path, *answers, before="", said=""):
    """Write a notebook with these (exercise, code); `said` is the output below each check."""
    v4, cells = nbformat.v4, []
    for name, code in answers:
        asked = v4.new_code_cell(f"check.{name}({name})")
        asked.outputs = [v4.new_output("stream", text=said)] if said else []
        cells += [v4.new_code_cell(code, metadata={"tags": ["exercise", f"exercise-{name}"]}), asked]
    start = v4.new_code_cell(f"{before}\nfrom exercises import check")
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(v4.new_notebook(cells=[start, *cells]), path)


def progress(path, **entries):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**PROGRESS, "exercises": entries}), encoding="utf-8")


def wrong(name):
    """Return a known mistake of an exercise: the answer that makes it, and its name."""
    first = known_mistakes(name)[0]
    return first.codes(library.solution(name).code)[0], first.mistake.name


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder, right = tmp_path_factory.mktemp("class"), library.solution("slope").code
    notebook(folder / "ada" / "01.ipynb", ("slope", right), said="✗ slope: not right yet.")
    notebook(folder / "bob" / "01.ipynb", ("slope", wrong("slope")[0]), before="1 / 0", said="✓ slope: yes.")
    notebook(folder / "cem" / "01.ipynb", ("slope", library.stub("slope")), said="✓ slope: yes.")
    notebook(folder / "dan" / "deeper" / "01.ipynb", ("slope", BREAK_IT))
    progress(folder / "dan" / "progress.json", slope=DONE, make_value={"passed": None, "tries": 4})
    notebook(folder / "eve_01_a_number_that_remembers.ipynb", ("slope", wrong("slope")[0]))
    progress(folder / "eve_progress.json", slope=DONE)
    mine = sources_with("relu", functions=wrong("functions")[0]).texts()
    (folder / "fay").mkdir()
    for file, text in mine.items():
        (folder / "fay" / file).write_text(text, encoding="utf-8")
    (folder / "hal").mkdir()  # who has handed in nothing
    copied = library.solution("functions").code.replace("\n", "\n\n") + "# as the course writes it"
    both = ("functions", copied), ("relu", library.solution("relu").code)
    notebook(folder / "ida" / "02.ipynb", *both, before="import math\nfrom autograd import Value")
    (folder / "=gus").mkdir()
    (folder / "=gus" / "<b>.ipynb").write_text('{"cells": [', encoding="utf-8")
    told = []
    found = gather(folder, told.append, jobs=2)
    assert len(told) == 10 and told[-1].startswith("10 of 10: ")
    return found


@pytest.mark.long
def test_submissions_are_rerun_and_stored_outputs_ignored(report):
    """On the terminal each learner is a line of symbols."""
    lines = tables.render_text(report).splitlines()
    assert lines[0].split() == ["learner", "01", "02", "run", "again", "claimed"]
    assert {line.split()[0]: " ".join(line.split()[1:]) for line in lines[1:10]} == {
        "=gus": "··· ···· 0 of 7 0 of 7 =gus/<b>.ipynb: it is not a complete notebook in the lessons' format",
        "ada": "✓·· ···· 1 of 7 0 of 7",
        "bob": "✗·· ···· 0 of 7 0 of 7",
        "cem": "○·· ···· 0 of 7 0 of 7",
        # what was handed in ends Python, whatever the progress file says
        "dan": "E·· ···· 0 of 7 1 of 7 "
        "dan/deeper/01.ipynb: it ended Python itself (exit code 0), in cell 2 of its code",
        "eve": "✗·· ···· 0 of 7 1 of 7",
        "fay": "··· ·✓✗· 1 of 7 0 of 7",
        "hal": "··· ···· 0 of 7 0 of 7 nothing was handed in",
        "ida": "··· ·✓=· 2 of 7 0 of 7",  # the solution's text marks no answer that is short
    }
    assert [sign for sign, *_ in tables.LOOKS.values() if sign not in lines[11]] == []
    assert set(tables.LOOKS) == set(RANKS)
    assert {line.split()[0]: line.split()[1] for line in lines[14:23]}["dan"] == "pt·" and set(tables.CLAIMS) == {
        *CLAIMS
    }
    assert report.result_of("=gus", "slope").state == NOTHING and report.result_of("dan", "slope").state == LEFT
    assert report.result_of("dan", "make_value") == Result(claim=TRIED, tries=4)
    assert report.result_of("eve", "slope").tries == 2 and report.result_of("eve", "slope").day == "2026-01-31"
    assert report.result_of("fay", "relu").kind == "engine"


@pytest.mark.long
def test_most_frequent_mistakes_come_first(report):
    (times, name, said, place), *others = report.mistakes()
    assert (times, name, said) == (2, "slope", wrong("slope")[1]) and place.startswith("lesson 01, “")
    assert [each[:3] for each in others] == [(1, "functions", wrong("functions")[1])]
    assert f"   2  slope: {wrong('slope')[1]} (lesson 01, “" in tables.render_text(report)


@pytest.mark.long
def test_unusable_files_are_listed_without_stopping_the_report(report):
    assert sorted(report.faults) == [
        (str(Path("=gus", "<b>.ipynb")), "it is not a complete notebook in the lessons' format"),
        (str(Path("dan", "deeper", "01.ipynb")), "it ended Python itself (exit code 0), in cell 2 of its code"),
    ]


@pytest.mark.long
def test_csv_has_a_row_per_learner_and_exercise_without_formulas(report):
    rows = list(csv.DictReader(tables.as_csv(report).splitlines()))
    assert len(rows) == 9 * 7
    assert rows[0]["learner"] == "'=gus"
    assert rows[0]["why"] == f"'{Path('=gus', '<b>.ipynb')}: it is not a complete notebook in the lessons' format"
    assert {row["why"] for row in rows if row["learner"] == "hal"} == {"nothing was handed in"}
    (dan,) = [row for row in rows if (row["learner"], row["exercise"]) == ("dan", "slope")]
    why = "It ended Python itself (exit code 0), in cell 2 of its code."
    said = ["dan", "01", "slope", "it ended Python", "notebook", "passed", "2", "2026-01-31", "", why, ""]
    assert dan == dict(zip(tables.COLUMNS, said, strict=True))
    assert [row["exercise"] for row in rows if row["text is the solution's"]] == ["functions"]


@pytest.mark.long
def test_report_page_is_complete_and_escapes_names(report):
    page = tables.page(report, "A & B")
    assert "<title>A &amp; B</title>" in page and "&lt;b&gt;.ipynb" in page and "<b>.ipynb" not in page
    assert page.count('<th scope="row">') == 9 + 2 and "http" not in page
    assert '<th scope="row">hal<small>nothing was handed in</small></th>' in page and tables.SAME[1] in page
    assert page.count('class="wrong"') + page.count('class="first wrong"') == 4


# Tests without a process


HANDED_IN = """
ada/notebooks/03_x.ipynb
ada/.ipynb_checkpoints/03_x-checkpoint.ipynb
ada/my_engine.2026-01-31-1200.py
ada/progress.set-aside-1.json
__MACOSX/ada/03_x.ipynb
Bo Li_77_file_my_engine.py
Bo Li_77_file_04_in_which_order.ipynb
progress.json
notes.txt"""


def test_learners_are_folders_or_file_names(tmp_path):
    for name in HANDED_IN.split("\n")[1:]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}", encoding="utf-8")
    found = sorted((file.learner, file.kind) for file in handed_in.files(tmp_path))
    bo = "Bo Li_77_file"
    assert found == sorted([("ada", "notebook"), (bo, "engine"), (bo, "notebook"), (tmp_path.name, "progress")])


BROKEN = {
    ".json": ("[1", "[]", '{"course": "another"}', "[" * 100_000),
    ".py": ("", "print('hello')"),
    ".ipynb": ("", "{}", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}', '{"cells": []}', '{"cells": [null]}'),
}


@pytest.mark.parametrize(("ending", "text"), [(ending, text) for ending in BROKEN for text in BROKEN[ending]])
def test_broken_file_is_unreadable_with_a_reason(tmp_path, monkeypatch, ending, text):
    path = tmp_path / f"x{ending}"
    read = {".json": handed_in.progress_in, ".py": handed_in.sources_in, ".ipynb": handed_in.code_in}[ending]
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Unreadable, match=r"^it is not |^it has no "):
        read(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Unreadable, match=r"^it is not UTF-8 text$"):
        read(path)
    with pytest.raises(Unreadable):
        read(tmp_path / f"not there{ending}")
    monkeypatch.setattr(handed_in, "MOST", 2)
    with pytest.raises(Unreadable, match="it is larger than 0 MB"):
        read(path)


def test_better_of_two_results_wins_and_tries_are_kept():
    claimed = Result(claim=CLAIMED, tries=3, day="2026-01-31")
    assert claimed.and_also(Result(claim=TRIED)) == claimed
    seen = Result("wrong", "notebook", "So.", (("a", "b"),))
    assert claimed.and_also(seen) == Result("wrong", "notebook", "So.", (("a", "b"),), CLAIMED, 3, "2026-01-31")
    assert seen.and_also(Result("passed", "engine")).state == "passed"


def test_an_engine_with_the_solutions_text_is_noted_if_the_solution_is_long():
    own = library.solution("functions").code.replace("out", "made")
    for text, same in ((None, ["functions"]), (own, [])):
        sources = sources_with("relu", functions=text or library.solution("functions").code)
        assert [name for name in sources.owned() if handed_in.is_solution(name, sources)] == same
    assert handed_in.tree("x = (") == "" and not handed_in.is_long("relu")


def test_a_class_of_which_nothing_can_be_read_has_a_row_for_each_in_the_table(tmp_path):
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
    (tmp_path / "ada" / "my_engine.py").write_text("nothing", encoding="utf-8")
    rows = list(csv.DictReader(tables.as_csv(gather(tmp_path, print)).splitlines()))
    assert [(row["learner"], row["why"].partition(": ")[2] or row["why"]) for row in rows] == [
        ("ada", "it is not a my_engine.py of this course"),
        ("bob", "nothing was handed in"),
    ]


def test_exercises_of_a_notebook_are_found_by_tags_or_checks(tmp_path):
    notebook(tmp_path / "a.ipynb", *((name, "pass") for name in FIRST))
    found = json.loads((tmp_path / "a.ipynb").read_text(encoding="utf-8"))
    for cell in found["cells"]:
        cell["metadata"] = {}
    (tmp_path / "b.ipynb").write_text(json.dumps(found), encoding="utf-8")
    assert [handed_in.code_in(tmp_path / name)[1] for name in ("a.ipynb", "b.ipynb")] == [list(FIRST)] * 2


def test_endless_submission_is_stopped_at_the_limit(tmp_path):
    path = tmp_path / "a.ipynb"
    notebook(path, ("slope", library.solution("slope").code), before="import time\ntime.sleep(50)")
    found, fault, _ = rerun.judged(handed_in.work_in(File("ada", "notebook", path)), seconds=0.5)
    begun = "and was stopped(, in cell 1 of its code)?"  # a fast machine has come to it
    assert re.fullmatch(rf"it had not finished after 0\.5 seconds, {begun}: an endless loop", fault)
    assert found["slope"] == rerun.clean_report(LOOP, f"{fault.capitalize()}.")


def test_no_run_counts_only_progress_files(tmp_path, capsys):
    notebook(tmp_path / "ada" / "a.ipynb", ("slope", f"open({str(tmp_path / 'ran')!r}, 'w')"))
    progress(tmp_path / "ada" / "progress.json", slope=DONE)
    assert main([str(tmp_path), "--no-run", "--csv", str(tmp_path / "a.csv"), "--html", str(tmp_path / "a.html")]) == 0
    shown = capsys.readouterr()
    assert (
        "ada      ···  0 of 3     1 of 3" in shown.out
        and "ada      p··" in shown.out
        and WARNING not in shown.err
        and "2 of 2: " in shown.err
    )
    assert f"Written: {tmp_path / 'a.csv'}" in shown.out and not (tmp_path / "ran").exists()
    assert (tmp_path / "a.csv").read_bytes().startswith("\ufefflearner,lesson".encode())
    assert "<!doctype html>" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_report_command_reports_missing_input(tmp_path, capsys):
    assert main([str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert shown.out == f"{tmp_path} has no lessons (.ipynb), no my_engine.py and no progress file (.json).\n"
    assert shown.err == f"{WARNING}\n"
    ran = subprocess.run(
        [sys.executable, "-m", "exercises", "report", str(tmp_path / "none")], capture_output=True, encoding="utf-8"
    )
    assert ran.returncode == 2 and f"{tmp_path / 'none'} is not a folder" in ran.stderr


def test_stopped_cell_is_named_when_its_answer_is_missing():
    stopped = {4: LOOP, 6: rerun.MEMORY}
    said = [rerun.of_missing(stopped, cell, 20.0) for cell in (6, 4, 5, None)]
    assert [each["state"] for each in said] == [rerun.MEMORY, LOOP, LOOP, LOOP]
    assert said[0]["says"] == "Cell 7 of its code wanted more than 2 GB of memory."
    assert said[1]["says"].startswith(
        "Cell 5 of its code had not finished after 20 seconds, and was stopped: an endless loop"
    )
    assert rerun.of_missing({}, 4, 20.0) == rerun.clean_report("not yet")


NAMES = {  # of folders, as bytes: how they are printed, and how in a table's cell
    b"\xff\xfe": ("\\xff\\xfe", "\\xff\\xfe"),
    b"\x1b[31mred\x07": ("\\x1b[31mred\\x07", "\\x1b[31mred\\x07"),
    "\u202egnp.exe".encode(): ("\\u202egnp.exe", "\\u202egnp.exe"),
    b"a\nb\tc": ("a\\x0ab\\x09c", "a\\x0ab\\x09c"),
    b"=1+1": ("=1+1", "'=1+1"),
    b"+1": ("+1", "'+1"),
    b"-1": ("-1", "'-1"),
    b"@SUM(1)": ("@SUM(1)", "'@SUM(1)"),
    b" =1": (" =1", "' =1"),
    b"\t=1": ("\\x09=1", "\\x09=1"),
    "Zoë Ångström".encode(): ("Zoë Ångström", "Zoë Ångström"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="the file systems of other systems take no such names")
def test_any_learner_name_is_printed_and_exported(tmp_path, capsys):
    folder = tmp_path / "class"
    for name in NAMES:
        (place := folder / os.fsdecode(name)).mkdir(parents=True)
        progress(place / "progress.json", slope={"passed": "=HYPERLINK(1)", "tries": -3})
        (place / "my_engine.py").write_bytes(b"\xff")
    paths = [tmp_path / os.fsdecode(b"\xff.csv"), tmp_path / "a.html"]
    assert main([str(folder), "--no-run", "--csv", str(paths[0]), "--html", str(paths[1])]) == 0
    shown = capsys.readouterr()
    for text in (shown.out, shown.err, paths[1].read_text(encoding="utf-8")):
        assert [each for each in text if not (each.isprintable() or each == "\n")] == []
        assert [
            printed
            for printed, _ in NAMES.values()
            if not (html.escape(printed) in html.escape(text, quote=False) or html.escape(printed) in text)
        ] == []
    rows = list(csv.reader(io.StringIO(paths[0].read_text(encoding="utf-8-sig"))))
    assert {row[0] for row in rows[1:]} == {cell for _, cell in NAMES.values()}
    assert not [cell for row in rows for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]
    assert {tuple(row[5:8]) for row in rows if row[2] == "slope"} == {("passed", "0", "no date")}
