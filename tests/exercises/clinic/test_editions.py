"""An exam is judged by the tables that it was drawn from, however they have grown since, or refused."""

import pytest

import exercises
from exercises.clinic import answers, patients, regrade
from exercises.clinic.exam import whole
from exercises.clinic.patients import shuffled
from exercises.storage import progress
from tests.exercises.engines.test_held_out import GOOD


@pytest.fixture
def entries(tmp_path, monkeypatch):
    """Return a function that replaces faults.toml by a changed text."""

    def forget():
        for cached in (patients.faults, patients.causes, whole):
            cached.cache_clear()

    def use(change):
        monkeypatch.setattr(patients, "ENTRIES", tmp_path / "faults.toml")
        patients.ENTRIES.write_text(change(TABLE), encoding="utf-8")
        forget()

    yield use
    monkeypatch.undo()
    forget()


TABLE = patients.ENTRIES.read_text(encoding="utf-8")
MORE = '\n[one_more]\nof = "no_zero"\ncause = "one more cause"\nsettings = { HIDDEN = 24 }\n'


@pytest.mark.long
def test_exam_is_graded_by_the_edition_it_was_drawn_from(entries):
    first = [*patients.faults()][: int(answers.FIRST[0].partition("-")[0])]
    now, old = shuffled(7)[2], shuffled(7, [key for key in patients.causes().values() if key in first])[2]
    then = answers.editions()
    entries(lambda text: text + MORE)
    assert answers.editions() != then and shuffled(7)[2] != now
    for key, edition in ((now, {"edition": then}), (old, {})):  # a file from before there were editions names none
        case = regrade.judged(7, {"patients": {"3": {"named": key}}} | edition).cases[2]
        assert case.right and case.cause == key


def test_exam_of_a_different_edition_is_refused(entries, tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    exercises.exam(anew=True)
    then = answers.editions()
    entries(lambda text: text.replace("50_000", "40_000"))
    assert then[0] != answers.editions()[0]
    for edition in (then, None, ["0-x"] * 3, ["27"] * 3, [1, 2, 3], "27-1", {}, [then[0]], [f"{10**9}-1"] * 3):
        with pytest.raises(ValueError, match="edition"):
            regrade.judged(7, {} if edition is None else {"edition": edition})
    closed = exercises.exam()
    assert "is from a different edition of the course" in repr(closed) and closed.patient(1) is closed


def test_earlier_exam_keeps_its_wrong_engines(tmp_path, monkeypatch):
    """H1 to H12 were held out then. They judge its tests, its certificate and its file."""
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    faults, _, questions = answers.editions()
    for first, edition in (("K", answers.editions()), ("H", [faults, answers.FIRST[1], questions])):
        progress.note("exam", "edition", edition)
        progress.note("exam", "seed", 7)
        held_out = [f"{first}{i}" for i in range(1, 13)]
        exam = exercises.exam(anew=False)
        assert [wrong.id for wrong in exam.tests(GOOD).caught][20:] == held_out, first
        assert f"held out, {first}1 to {first}12" in exam.certificate().svg and answers.handed_in().score == 32
        matrix = regrade.judged(7, answers.as_file()).matrix
        assert [wrong.id for wrong in matrix.wrong][20:] == held_out and matrix == answers.handed_in()
        progress.note("exam", "tests", {})
    assert answers.exam_engines(None) is answers.exam_engines(answers.FIRST) is answers.EarlierExamEngines
