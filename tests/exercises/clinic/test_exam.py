"""The exam: what was done survives a reload, any order of calls gets a sentence, and the certificate is true."""

import json
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import exercises
from exercises.clinic import answers, regrade
from exercises.clinic.exam import whole
from exercises.clinic.instruments import INSTRUMENTS
from exercises.clinic.patients import causes, faults, one_drawn, shuffled
from exercises.storage import progress
from tests.exercises.engines.test_held_out import GOOD

SEED = 12
KEYS = ("leaf_loss", "exploding", "not_scaled", "leakage", "old_parameters")  # its patients, which are quick to draw
FEW = [(lambda a: a + a, [2.0]), (lambda a, b: a * b, [2.0, 3.0])] * 3  # six that catch little


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return a new data folder, and keep the exam's patients even if a fault is added."""
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(
        "exercises.clinic.patients.shuffled", lambda seed, keys=None: KEYS if seed == SEED else shuffled(seed, keys)
    )
    forget_all(monkeypatch)


def forget_all(monkeypatch):
    for kept in ("_known", "_waiting", "_faults"):
        monkeypatch.setattr(progress, kept, {})


@pytest.fixture
def exam(folder):
    progress.note("exam", "edition", answers.editions()), progress.note("exam", "seed", SEED)
    return exercises.exam()


def restarted(monkeypatch):
    """Return the exam as a kernel finds it that has just started."""
    forget_all(monkeypatch)
    return exercises.exam()


def finish(exam):
    """Name the cause of each patient, the last one wrong, hand in tests, and answer all questions but one."""
    for number, key in enumerate(KEYS, start=1):
        exam.suspect(number, f"a suspicion of {number}")
        exam.use(number, "moved")
        exam.name(number, key if number < 5 else "leakage")
    exam.tests(GOOD)
    questions = exam.questions()
    for place, made in enumerate(questions.made, start=1):
        questions.answer(place, made.answer if place != 4 else 99)


def test_seed_is_drawn_once_and_again_for_a_new_exam(monkeypatch):
    exercises.exam()
    first = answers.kept_seed()
    restarted(monkeypatch)
    assert answers.kept_seed() == first and 0 <= first < 1_000_000
    monkeypatch.setattr(
        "exercises.clinic.answers.random.SystemRandom", lambda: SimpleNamespace(randrange=lambda n: 123)
    )
    exercises.exam(anew=True)
    assert answers.kept_seed() == 123
    for foreign in (None, "7", True, 1.5, [], {}):
        progress.note("exam", "seed", foreign)
        exercises.exam()
        assert answers.kept_seed() == 123, foreign


@pytest.mark.long
def test_five_patients_have_different_reproducible_causes(exam):
    for number in (1, 4):
        one, other = whole(SEED, number), one_drawn(SEED, number - 1)
        assert one.fault.key == other.fault.key == KEYS[number - 1]
        assert (one.seed, one.settings, one.words()) == (other.seed, other.settings, other.words())
    orders = [shuffled(seed) for seed in range(20)]
    assert orders == [shuffled(seed) for seed in range(20)] and len({tuple(each[:5]) for each in orders}) == 20
    assert [each for each in orders if sorted(each) != sorted(causes().values())] == []


def test_instrument_costs_one_minute_once_and_four_are_allowed(exam, monkeypatch):
    assert "4 of 4 minutes left" in repr(exam.patient(5)) and one_drawn(SEED, 4).complaint in repr(exam.patient(5))
    exam.suspect(5, "the rate")
    for name in ("kept", "moved", "kept", " small_step ", " Kept : fresh "):
        assert exam.use(5, name).instrument.name == ("kept" if "fresh" in name else name.strip())
    assert answers.case(5).taken == ("kept", "moved", "small_step") and "1 of 4 minutes left" in repr(exam.patient(5))
    shown = repr(restarted(monkeypatch).patient(5))
    assert "Kept : fresh" in shown and "One small step" in shown and "Data sheet" not in shown
    exam.use(5, "graph")
    refused = repr(exam.use(5, "sheet"))
    assert refused.startswith("No minutes are left for patient 5") and "Graph of one loss" in refused
    assert answers.case(5).taken == ("kept", "moved", "small_step", "graph")
    assert exam.use(5, "kept").instrument.name == "kept"
    exam.name(5, "old_parameters")
    assert exam.use(5, "sheet").instrument.name == "sheet" and "sheet" not in answers.case(5).taken


def test_right_cause_is_accepted_in_any_spelling(exam):
    written = ("leaf_loss", " Exploding ", faults()["not_scaled"].cause.upper() + ".", "leakage", "old parameters")
    for number, (key, cause) in enumerate(zip(KEYS, written), start=1):
        said = exam.name(number, cause)
        assert repr(said).startswith(f"✓ Patient {number}: yes") and faults()[key].says in repr(said)
        assert faults()[key].code.strip() in repr(said) and "def " in said._repr_mimebundle_()["text/html"]
    assert [each for each in answers.cases() if not each.right] == [] and repr(exam).count("✓ diagnosed") == 5


def test_wrong_cause_gets_evidence_and_first_answer_counts(exam, monkeypatch):
    """One that no instrument tells apart counts as right."""
    exam.suspect(5, "the rate")
    exam.use(5, "moved")
    said = repr(exam.name(5, "tiny_rate"))
    assert "✗ Patient 5: not so" in said and "You have a reading that speaks against it" in said
    assert "would read “hardly”. It reads “nothing”" in said and faults()["old_parameters"].cause in said
    again = repr(restarted(monkeypatch).name(5, "old_parameters"))
    assert f"You named it before: {faults()['tiny_rate'].cause}. That stands." in again and "not so" in again
    assert not answers.case(5).right
    said = repr(exam.name(4, "other_scale"))  # nothing was read
    assert "reading that speaks against it" in said and "would read" in said
    monkeypatch.setattr("exercises.clinic.exam.Patient.ruled_out", {})
    said = repr(exam.name(1, "all_zero"))
    assert "✓ Patient 1: yes" in said and f"The actual cause is different, {faults()['leaf_loss'].cause};" in said
    assert answers.case(1).right and answers.case(1).cause == "leaf_loss"


def test_tests_are_handed_in_once_and_only_if_they_run(exam, monkeypatch):
    assert "You have not handed in any tests yet" in repr(exam.tests())
    first = exam.tests(iter(FEW))
    assert len(first.killed) == 6 and len(first.wrong) == 32 and first == answers.handed_in() == exam.tests(FEW)
    later = repr(restarted(monkeypatch).tests(GOOD))
    assert f"those count: {first.score} of 32" in later and "32 of 32 wrong engines caught" in later
    assert answers.handed_in() == first == exam.tests()
    assert {"M1", "M12"} <= {wrong.id for wrong in first.caught}


def test_new_exam_is_empty_and_ignores_pages_of_the_previous_one(exam):
    finish(exam)
    before, page = answers.sheet().fingerprint, exam.questions()
    progress.note("exam", "seed", SEED + 1)  # as exam(anew=True) does
    page.answer(4, page.made[3].answer)
    assert answers.handed_in() is None and [each for each in answers.cases() if each.taken or each.named] == []
    assert answers.given() == {} and len(exam.questions().waiting()) == 10
    assert answers.sheet().fingerprint != before
    progress.note("exam", "seed", SEED)
    assert answers.sheet().fingerprint == before


FOREIGN = [3, None, "text", [], {}, {"seed": SEED}]


@pytest.mark.parametrize(
    "found",
    [
        *FOREIGN,
        *({"seed": SEED, "taken": thing, "named": thing, "cause": thing, "right": thing} for thing in FOREIGN),
        *({"seed": SEED, "caught": thing, "day": thing} for thing in (*FOREIGN, [3], [None], [["M99", 3, None, {}]])),
        {"seed": SEED, "taken": ["kept", "kept", "nothing", 3, ["kept"], "scale"], "named": "leakage"},
        {"seed": SEED, "taken": ["kept"] * 9, "named": "leakage", "cause": "a cause of another edition", "right": True},
    ],
    ids=repr,
)
def test_exam_survives_invalid_progress_files(exam, found):
    for name in ("1", "tests", "questions"):
        progress.note("exam", name, found)
    assert answers.case(1).named == "" and answers.case(1).taken in ((), ("kept",))
    assert "patient  complaint" in repr(exam) and "○ 1: not diagnosed yet" in repr(exam.certificate())
    ElementTree.fromstring(exam.certificate().svg)
    assert len(exam.questions().waiting()) == 10
    if answers.case(1).taken:
        progress.note("exam", "1", {"seed": SEED})
    exam.suspect(1, "anything"), exam.use(1, "graph")
    assert answers.case(1).taken[-1] == "graph"


def test_exam_questions_resume_and_first_answers_count(exam, monkeypatch):
    first = exam.questions()
    assert [made.level for made in first.made] == list(answers.LEVELS)
    assert "round = exam.questions(), then round.answer(1, your number)" in first.render_text()
    wrong = -first.made[2].answer
    assert "A slip of arithmetic: the sign. " in first.answer(3, wrong)
    first.answer(1, first.made[0].answer)
    again = restarted(monkeypatch).questions()
    assert again.made == first.made and again.waiting() == [1, *range(3, 10)]
    right, told = first.made[0].answer, first.made[2].answer_told
    said = [f"You answered {right}: right.", f"You answered {wrong}. Right is {told}."]
    given = {"gym-0": (True, str(right), said[0]), "gym-2": (False, str(wrong), said[1])}
    assert again.spec()["given"] == given and [each for each in said if each not in again.render_text()] == []
    again.answer(3, again.made[2].answer), first.answer(3, first.made[2].answer)
    assert answers.given()[3] == (False, str(wrong)) and again.waiting() == [1, *range(3, 10)]
    assert "1 of 2 answered are right" in repr(exercises.exam())
    for noted in (3, [True], [1, "2"], [True, 2], ["yes", "2"], {}, [True, "2", 3]):  # an answer of another shape
        progress.note("exam", "questions", {"seed": SEED, "1": noted, "2": [True, "4"], "11": [True, "4"]})
        assert answers.given() == {2: (True, "4")} and exam.questions().waiting() == [0, *range(2, 10)]


def cells_of(picture):
    kinds = [(each.get("class"), each.text) for each in ElementTree.fromstring(picture.svg).iter()]
    return [kind for kind, _ in kinds].count("bars s2"), kinds.count(("value", "✓"))


def test_certificate_shows_the_matrix_and_diagnoses(exam):
    empty = exam.certificate()
    assert cells_of(empty) == (0, 0) and "so far" in repr(empty) and "not handed in yet" in repr(empty)
    assert "Answers" not in repr(empty)
    finish(exam)
    matrix, picture = answers.handed_in(), exercises.certificate("Ada <Lovelace> & others")
    filled = sum(map(sum, matrix.killed)) + matrix.score  # the last row says what any test catches
    assert cells_of(picture) == (filled, filled)
    text, causes = repr(picture), {key: fault.cause for key, fault in faults().items()}
    for line in [
        "Ada <Lovelace> & others",
        "6 tests against 32 wrong engines: 32 caught, 12 of the 12 held out",
        *("4 of 5 programs with a fault diagnosed", "None was missed.", "✗ 4 (level 6)"),
        "9 of 10 questions of the gym right on the first answer\n✓ 1 (level 3), ✓ 2",
        *(
            f"test {i}: {' '.join(w.id for w, k in zip(matrix.wrong, row) if k)}"
            for i, row in enumerate(matrix.killed, start=1)
        ),
        f"✗ 5: {causes['old_parameters']}\nnamed: {causes['leakage']}\nwith Step : weights",
        f"✓ 1: {causes['leaf_loss']}\nwith Step : weights",
        f"Answers {answers.sheet().fingerprint}, ",
    ]:
        assert line in text
    assert "so far" not in text and "○" not in text
    for page in (exam, exam.patient(1), exam.causes(), exam.instruments(), exam.name(1, "leakage"), exam.tests(FEW)):
        bundle = page._repr_mimebundle_()
        assert bundle["text/plain"] == repr(page)
        assert bundle["text/html"].count("<table") == bundle["text/html"].count("</table>")
    drawn_words = {each.text.casefold() for each in ElementTree.fromstring(picture.svg).iter() if each.text}
    assert {line.casefold() for line in text.splitlines() if not line.startswith("test ")} <= drawn_words


def test_certificate_names_missed_engines_in_short_lines(exam):
    exam.tests(FEW)
    picture = exam.certificate("x" * 500)
    away = [w for w in answers.handed_in().wrong if w not in answers.handed_in().caught]
    lines = " ".join(repr(picture).splitlines())
    assert away and [w for w in away if f"{w.id} {w.name}" not in lines] == []
    assert max(len(line) for line in repr(picture).splitlines()) <= 124
    root = ElementTree.fromstring(picture.svg)
    assert max(float(each.get("y", 0)) for each in root.iter()) < float(root.get("height"))


def test_certificate_hash_depends_on_the_answers(exam):
    given = [
        (exam.suspect, 1, "the rate"),
        (exam.use, 1, "moved"),
        (exam.name, 1, "leaf_loss"),
        (exam.tests, FEW),
        (exam.name, 2, "leakage"),
    ]
    seen = [answers.sheet().fingerprint]
    for answer, *what in (*given, (exam.questions().answer, 2, 5)):
        answer(*what)
        seen.append(answers.sheet().fingerprint)
    assert len(set(seen)) == 7 and [each for each in seen if not (len(each) == 12 and int(each, 16) >= 0)] == []
    exam.use(1, "graph"), exam.name(1, "leakage"), exam.tests(GOOD), exam.questions().answer(2, 6)
    assert answers.sheet().fingerprint == seen[-1]


def test_certificate_is_saved_as_valid_svg(exam, tmp_path):
    place = exam.certificate("A\x00 name\nwith \udc80 \N{SNOWMAN}").savefig(tmp_path / "certificate.svg")
    assert "A\N{REPLACEMENT CHARACTER} name with" in place.read_text(encoding="utf-8")
    ElementTree.fromstring(place.read_text(encoding="utf-8"))


def test_exam_lasts_for_the_kernel_if_it_cannot_be_saved(tmp_path, capsys):
    (tmp_path / "data").write_text("a file stands where the folder should", encoding="utf-8")
    progress.note("exam", "seed", SEED)
    exam = exercises.exam()
    exam.suspect(1, "the rate"), exam.use(1, "moved"), exam.tests(FEW)
    assert answers.case(1).taken == ("moved",) and len(answers.handed_in().killed) == 6
    assert capsys.readouterr().out.count("\n") == 1


def test_exam_lists_are_complete_and_reveal_no_answer(exam):
    listed = repr(exam.causes())
    assert [(cause, key) for cause, key in causes().items() if not (cause in listed and key in listed)] == []
    assert [name for name in INSTRUMENTS if f"{name} " not in repr(exam.instruments())] == []
    pages = "".join(page.text + page.html for page in (exam.overview(), exam.patient(1), exam.patient(5)))
    for fault in (faults()[KEYS[0]], faults()[KEYS[4]]):
        assert [told for told in (fault.cause, fault.key, fault.says) if told in pages] == []
    kept = json.dumps(progress.noted("exam"))
    exam.suspect(5, "the rate"), exam.use(5, "kept")
    assert [key for key in KEYS if key in kept + json.dumps(progress.noted("exam"))] == []


def test_suspicion_must_precede_the_first_instrument(exam, monkeypatch):
    assert "First write down what you suspect" in repr(exam.use(1, "kept")) and not answers.case(1).taken
    assert repr(exam.suspect(1, "the  rate")) == "You suspect: the rate"
    assert "You suspect: the rate" in repr(restarted(monkeypatch).patient(1))
    exam.suspect(1, "x" * 900), exam.use(1, "moved")
    assert len(answers.case(1).suspected) == answers.LONGEST
    assert "Your suspicion stands: xx" in repr(exam.suspect(1, "something else"))


def command(*given):
    return regrade.main([str(each) for each in given])


@pytest.mark.long
def test_answers_file_is_regraded_from_the_seed(exam, tmp_path, capsys):
    finish(exam)
    assert f"certificate {SEED} answers.json" in repr(exam.save(tmp_path / "answers.json"))
    known, picture = answers.sheet(), repr(exam.certificate("Ada"))
    found = json.loads((tmp_path / "answers.json").read_text(encoding="utf-8"))
    assert found["tests"][0][0].startswith(("def ", "lambda ")) and found["patients"]["1"]["named"] == "leaf_loss"
    assert command(SEED, tmp_path / "answers.json", "--name", "Ada", "--svg", tmp_path / "it.svg") == 0
    printed = capsys.readouterr().out
    assert known.fingerprint in printed and f"Exam {SEED}." in printed and "from the file" in printed
    assert set(picture.splitlines()[:-1]) <= set(printed.splitlines())
    ElementTree.fromstring((tmp_path / "it.svg").read_text(encoding="utf-8"))
    found["patients"]["1"]["named"], found["questions"]["1"] = "no_zero", "12345"
    judged = regrade.judged(SEED, found)
    assert not judged.cases[0].right and not judged.given[1][0]
    assert regrade.judged(SEED, {}).cases == [answers.Case(number) for number in range(1, 6)]


def test_started_exams_are_counted(monkeypatch):
    for count in (1, 2, 3):
        exercises.exam(anew=count > 1)
        assert answers.begun() == count and f"Exams started, according to the file: {count}." in repr(
            exercises.certificate()
        )
