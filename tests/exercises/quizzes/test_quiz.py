"""Quizzes: every file of questions is well made, faults are reported, answers are noted, and recall is spaced."""

import datetime
import json
import re

import pytest

from exercises.course import course as course_map
from exercises.quizzes import questions, quiz_data
from exercises.quizzes.due import due_today
from exercises.quizzes.quiz_data import ASKS, QUIZZES, faults, graph_of, marked_up
from exercises.quizzes.quiz_widget import Quiz, answer
from exercises.storage import progress
from exercises.storage.schedule import due_on, format_date

FILES = sorted(QUIZZES.glob("*.json"))
SAID = "so many words that this is a feedback of use"


@pytest.fixture(autouse=True)
def nothing_known(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path / "data"))


def choice(name, right=0, part="quiz", **more):
    options = [{"text": f"option {i} of {name}", "right": i == right, "feedback": SAID} for i in range(3)]
    return {"id": name, "part": part, "text": f"What about {name}?", "options": options, **more}


def count(name, part="quiz", **more):
    number = {"answer": 6, "shown": "6", "feedback": SAID, "wrong": [[5, SAID]], "otherwise": SAID, "of": "x.grad"}
    graph = {"text": "f = x * x", "values": {"x": 3}}
    return {"id": name, "part": part, "text": f"How many are {name}?", "graph": graph, "number": number, **more}


def sample(lesson="03"):
    made = [choice(f"{lesson}-q{i}", right=i % 3) for i in range(4)]
    made += [count(f"{lesson}-n", "pool"), *(choice(f"{lesson}-k{i}", i, "pool") for i in (1, 2))]
    return {"lesson": lesson, "title": f"Lesson {lesson}", "questions": made}


def test_question_files_are_valid_and_cover_all_sources():
    titles, asked = {number: each.title for number, each in course_map.lessons.BY_NUMBER.items()}, []
    for place in FILES:
        data = json.loads(place.read_text(encoding="utf-8"))
        assert faults(data) == [], place
        assert (data["lesson"], data["title"]) == (number := place.stem, titles[number])
        asked += data["questions"]
    ids = [question["id"] for question in asked]
    assert len(ids) == len(set(ids)) and len(FILES) == len(titles) - 1  # the exam asks other questions
    assert {question["asks"] for question in asked if "asks" in question} == set(ASKS)


def changed(*path_and_value):
    """Return the sample with another value deep in it; a value of ... removes the old one."""
    data = sample()
    *path, last, value = path_and_value
    place = data
    for step in path:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return data


FIRST, NUMBER = ("questions", 0), ("questions", 4)
BROKEN = {
    "is an object": [1],
    "list of": changed("questions", "three"),
    "is a lesson or a workshop": changed("lesson", 3),
    '"title" is missing': changed("title", " "),
    "fields that mean nothing: author": changed("author", "me"),
    "Each question is an object": changed("questions", 0, "what?"),
    "its id is two digits": changed(*FIRST, "id", "q0"),
    "Two questions have the id '03-q1'": changed(*FIRST, "id", "03-q1"),
    "its part is one of": changed(*FIRST, "part", "exam"),
    "it has no text": changed(*FIRST, "text", ""),
    "not in sight": changed(*FIRST, "text", "What does the graph above show?"),
    "its code is a text": changed(*FIRST, "code", 3),
    "one of M1 to M20": changed(*FIRST, "misconception", "M21"),
    "what it asks is one of": changed(*FIRST, "asks", "why"),
    "either options or a number": changed(*FIRST, "options", ...),
    "is not closed": changed(*FIRST, "text", "What is `x?"),
    "3 or 4 options, not 2": changed(*FIRST, "options", 2, ...),
    "option a has no text": changed(*FIRST, "options", 0, "text", None),
    "the feedback of option b has fewer than 8 words": changed(*FIRST, "options", 1, "feedback", "No."),
    "exactly one option is right": changed(*FIRST, "options", 1, "right", True),
    "two options say the same": changed(*FIRST, "options", 1, "text", "option 0 of 03-q0"),
    '"right" of option a': changed(*FIRST, "options", 0, "right", "yes"),
    "option a has only": changed(*FIRST, "options", 0, "why", "because"),
    '"shown" is the answer': changed(*NUMBER, "number", "shown", "six"),
    '"shown" is 7, but': changed(*NUMBER, "number", "shown", "7"),
    'its number is an object with "answer"': changed(*NUMBER, "number", "answer", "6"),
    '"otherwise" has fewer': changed(*NUMBER, "number", "otherwise", ...),
    "list of pairs": changed(*NUMBER, "number", "wrong", []),
    "6.0 is no wrong number": changed(*NUMBER, "number", "wrong", [[6.0, SAID]]),
    "the sentence for 5 has": changed(*NUMBER, "number", "wrong", [[5, "No."]]),
    "x.grad is 6.0, not 7": changed(*NUMBER, "number", {**count("")["number"], "answer": 7, "shown": "7"}),
    'names a node of the graph and one of its numbers, such as "x.grad"; h': changed(*NUMBER, "number", "of", "y.grad"),
    "no value for 'x'": changed(*NUMBER, "graph", "values", {"y": 1}),
    "cannot be made": changed(*NUMBER, "graph", "text", "x ** log(-1 * x)"),
    "its graph is an object": changed(*NUMBER, "graph", "x * x"),
    "its graph has fields": changed(*NUMBER, "graph", "size", 3),
    '3 to 4 questions of 03 are of the part "quiz"; here 2': {**sample(), "questions": sample()["questions"][2:]},
    '1 to 3 questions of exam are of the part "quiz"; here 4': changed("lesson", "exam"),
    "the same place": {**sample(), "questions": [choice(q["id"], 0, q["part"]) for q in sample()["questions"]]},
}


@pytest.mark.parametrize(("sentence", "data"), BROKEN.items(), ids=BROKEN)
def test_quiz_fault_is_reported_in_a_sentence(sentence, data):
    said = faults(data)
    assert sentence in "\n".join(said)
    assert [(each, line) for each in said for line in each.splitlines() if not line.endswith(".")] == []


def test_valid_quiz_has_no_faults_unless_length_reveals_the_answer():
    data = sample()
    assert faults(data) == []
    for question in data["questions"]:
        for option in question.get("options", []):
            option["text"] += " and so on and on" * option["right"]
    assert "can be told by its length" in "\n".join(faults(data))


def test_invalid_quiz_data_has_faults_without_a_traceback():
    for junk in (None, 3, "text", [], {}, {"questions": [{}]}, {"questions": [{"options": 3}]}):
        assert faults(junk)


def test_markup_becomes_html_and_graphs_are_built():
    assert marked_up("`a < b` and *not* 2 * 3 * 4") == "<code>a &lt; b</code> and <em>not</em> 2 * 3 * 4"
    assert marked_up("`w * x * y` <script>") == "<code>w * x * y</code> &lt;script&gt;"
    nodes, root = graph_of({"text": "q = x + y; f = q * z", "values": {"x": -2, "y": 5, "z": -4}, "gradients": True})
    assert root is nodes["f"] and root.data == -12
    assert (nodes["x"].grad, nodes["q"].grad, nodes["z"].grad) == (-4, -4, 3)


def test_quiz_without_scripts_holds_questions_and_answers():
    data = changed(*FIRST, "code", "a < b")
    quiz = Quiz("Quiz: a title", data["questions"])
    bundle, still = quiz._repr_mimebundle_(), quiz.instead()
    assert set(bundle) == {"text/html", "text/plain"}
    for question in data["questions"]:
        assert question["text"] in bundle["text/plain"] and question["text"] in still
        assert answer(question) in still
    assert "a) option 0 of 03-q0" in bundle["text/plain"]
    assert still.count("<details>") == 7 and "a &lt; b" in still and 'alt="Computation graph' in still
    assert "<script" not in still and "<style" not in still
    html = Quiz("<b>", [choice("03-x", text="</script><img src=x onerror=alert(1)>")]).html()
    assert "<img src=x" not in html and html.count("</script>") == 1


def test_first_answers_are_recorded_once():
    quiz = Quiz("Quiz", sample()["questions"])
    quiz.answers = {"03-q0": False}
    quiz.answers = {"03-q0": True, "03-q1": True, "99-other": True}
    noted = [progress.question(name) for name in ("03-q0", "03-q1", "99-other")]
    assert [(each["seen"], each["missed"]) for each in noted] == [(1, 1), (1, 0), (0, 0)] and noted[1]["right"]
    Quiz("Quiz", sample()["questions"]).answers = {"03-q0": True}
    assert (progress.question("03-q0")["seen"], progress.question("03-q0")["missed"]) == (2, 1)


@pytest.fixture
def lessons(tmp_path, monkeypatch):
    """Write files of questions for lessons 00 to 09; return a function that writes more, or removes some."""
    folder = tmp_path / "lessons"
    folder.mkdir()
    monkeypatch.setattr(quiz_data, "QUIZZES", folder)

    def write(*numbers):
        for place in folder.glob("*.json"):
            place.unlink()
        for number in numbers:
            (folder / f"{number}.json").write_text(json.dumps(sample(number)), encoding="utf-8")

    write(*(f"{i:02}" for i in range(10)))
    return write


def chosen(lesson):
    return [question["id"] for _, _, question in questions.choose(lesson)]


def lesson_numbers(ids):
    return [name[:2] for name in ids]


def test_recall_asks_about_lessons_one_three_and_six_back(lessons):
    assert lesson_numbers(chosen("10")) == ["09", "07", "04"]
    assert lesson_numbers(chosen("04")) == ["03", "01", "02"]
    assert lesson_numbers(chosen("03")) == ["02", "01", "00"]
    assert lesson_numbers(chosen("02")) == ["01", "00", "01"] and len(set(chosen("02"))) == 3
    assert lesson_numbers(chosen("01")) == ["00", "00", "00"] and len(set(chosen("01"))) == 3
    assert chosen("00") == []


def test_recall_is_deterministic_and_starts_with_missed_questions(lessons):
    assert [chosen(f"{i:02}") for i in range(11)] == [chosen(f"{i:02}") for i in range(11)]
    before = chosen("10")
    progress.record_answer(before[0], True)
    assert chosen("10") != before and lesson_numbers(chosen("10")) == lesson_numbers(
        before
    )  # the next question of that lesson
    for name in ("08-q1", "02-q2", "08-q3"):
        progress.record_answer(name, False)
    assert chosen("10")[:3] == ["08-q1", "02-q2", "08-q3"]
    progress.record_answer("08-q1", True)  # made good: others are more needed now
    assert chosen("10")[:2] == ["02-q2", "08-q3"] and "08-q1" not in chosen("10")
    assert "08-q3" not in chosen("08")


def test_recall_asks_due_questions_first_and_lists_what_is_due(lessons):
    today = datetime.datetime.now(datetime.UTC).astimezone().date()
    assert due_today() == "" and questions.recall("10").title == "Recall: three questions from before"
    for name in ("03-q1", "02-q2", "01-q1", "01-q1"):
        progress.record_answer(name, True)
    later = today + datetime.timedelta(days=1)
    assert due_today() == f"Nothing is due today. Next: {format_date(later)}." and lesson_numbers(chosen("10")) == [
        "09",
        "07",
        "04",
    ]
    assert questions.recall("10").title.endswith(due_today())
    ids = [question["id"] for *_, question in questions.choose("10", later)]
    assert ids[:2] == ["03-q1", "02-q2"] and "01-q1" not in ids
    assert due_today(later) == "Due today: 2 questions on lessons 02 and 03."
    assert "01-q1" in [question["id"] for *_, question in questions.choose("10", today + datetime.timedelta(days=3))]
    progress.note(
        "gym", "boxes", {"order": {"box": 0, "due": "2026-01-01", "seen": 1, "missed": 1, "level": 3}, "x": 3}
    )
    assert due_today() == "Due today: in the gym order."
    assert due_today(later) == "Due today: 2 questions on lessons 02 and 03; in the gym order."


@pytest.mark.parametrize(
    ("entry", "days"),
    [
        ((1, 0, True), 1),
        ((2, 0, True), 3),
        ((3, 0, True), 7),
        ((9, 0, True), 21),
        ((4, 1, True), 3),
        ((9, 0, False), 1),
    ],
)
def test_question_waits_longer_the_more_often_it_was_right(entry, days):
    seen, missed, right = entry
    question = {"seen": seen, "missed": missed, "right": right, "last": "2026-11-29T12:00:00"}
    assert (due_on(question) - datetime.date(2026, 11, 29)).days == days
    assert due_on({**question, "seen": 0}) is None and due_on({**question, "last": "?"}) == datetime.date.min


def test_workshop_recall_asks_about_its_prerequisite_lessons(lessons):
    assert lesson_numbers(chosen("why_backward")) == ["04", "02", "03"]
    assert lesson_numbers(chosen("attention_by_hand")) == ["08", "05", "09"]  # 10 has no questions here


def test_recall_is_never_all_from_one_lesson(lessons):
    for i in range(4):
        progress.record_answer(f"09-q{i}", False)
    assert lesson_numbers(chosen("10")) == ["09", "09", "07"]


def test_recall_works_with_missing_files_and_names_its_sources(lessons):
    lessons("03", "07")
    assert sorted(set(lesson_numbers(chosen("10")))) == ["03", "07"] and len(chosen("10")) == 3
    assert repr(questions.recall("03")) == "There are no questions from before lesson 03 yet."
    lessons()
    assert repr(questions.recall("10")) == "There are no questions from before lesson 10 yet."
    lessons("00", "01", "02")
    assert [question["source"] for question in questions.recall("03").spec()["questions"]] == [
        "From lesson 02, Lesson 02",
        "From lesson 01, Lesson 01",
        "What this course takes as known",
    ]


def test_quiz_is_found_by_lesson_number(lessons):
    asked = [question["id"] for question in questions.quiz("03").questions]
    assert asked == ["03-q0", "03-q1", "03-q2", "03-q3"]
    assert repr(questions.quiz("10")) == "There is no quiz for lesson 10."
    for wrong in ("3", "lesson 3", None, True, 3.0, 3, []):
        with pytest.raises(ValueError, match="two digits"):
            questions.quiz(wrong)


def test_course_map_shows_progress_of_each_lesson(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "01_a_number_that_remembers.ipynb").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(course_map.library, "names", lambda lesson: ["slope", "choose_h", "cost"] * (lesson == "01"))
    progress.record_pass("slope")
    shown = course_map.course_map()
    first, second = (course_map.lessons.BY_NUMBER[number].time for number in ("01", "05"))
    assert re.search(rf"01  A number that remembers +{first}  1 of 3", repr(shown)) and "+" in second
    assert re.search(rf"05  Again and again +{re.escape(second)}  not here", repr(shown))
    assert re.search(r"\n    Why backward, and not forward\? \(after 04\) +\d+  not here", repr(shown))
    assert "Exercises passed: 1 of 3." in repr(shown)
    html = shown.html()
    assert html.count("<a ") == 1 and 'href="01_a_number_that_remembers.ipynb"' in html
    assert "●○○" in html and html.count("<tr>") == 1 + len(course_map.lessons.BY_NUMBER) == 33
