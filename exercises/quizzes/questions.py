"""The questions that a lesson asks: its quiz, its two quick checks, and recall of earlier lessons."""

import hashlib
import re

from exercises.quizzes.quiz_data import QUIZZES, load
from exercises.quizzes.quiz_widget import Quiz
from exercises.shelf import progress
from exercises.shelf.progress import Note

COUNT = 3
MAY_WAIT = {"06": ("07", "08", "09", "10")}  # a lesson, and those that ask nothing of it: it may come after them
MOST_OF_ONE = 2  # questions of one lesson, as long as others have any

# How many lessons back to look for a question that nobody missed, in this order. A lesson's questions then come back
# after one lesson, after three and after six.
DISTANCES = (1, 3, 6, 2, 4, 5, 7, 8, 9, 10, 11, 12)


def quiz(lesson):
    """The quiz at the end of a lesson, such as quiz("03")."""
    lesson = two_digits(lesson)
    data = load(lesson)
    if data is None:
        return Note(f"There is no quiz for lesson {lesson} yet.")
    return Quiz(f"Quiz: {data['title']}", [q for q in data["questions"] if q["part"] == "quiz"])


def quick_check(name):
    """One question in the middle of a lesson: quick_check("03-1") is the first of lesson 03."""
    if not isinstance(name, str) or not (found := re.fullmatch(r"(\d\d)-([12])", name)):
        raise ValueError(f'quick_check takes a lesson and which check of it, such as "03-1"; got {name!r}.')
    data = load(found[1]) or {"questions": []}
    asked = [q for q in data["questions"] if q["part"] == f"quick-{found[2]}"]
    return Quiz("Quick check", asked) if asked else Note(f"There is no quick check {name} yet.")


def recall(lesson):
    """Three questions from before a lesson, such as recall("04"). Before lesson 01 is what the course takes as known.

    First what was missed, the longest ago first; then questions of lessons one, three and six back.
    """
    lesson = two_digits(lesson)
    chosen = choose(lesson)
    if not chosen:
        return Note(f"There are no questions from before lesson {lesson} yet.")
    title = "Recall: three questions from before" if len(chosen) == COUNT else "Recall: a few questions from before"
    return Quiz(title, [question for _, _, question in chosen], [source(*each) for each in chosen])


def source(lesson, title, question):
    """Where a question comes from, in words."""
    return "What this course takes as known" if lesson == "00" else f"From lesson {lesson}, {title}"


def choose(lesson):
    """The questions for a lesson's recall, as (lesson, title, question): the same for the same progress."""
    earlier = {number: data for number in earlier_lessons(lesson) if (data := load(number))}
    waiting = {
        number: sorted(data["questions"], key=lambda question: (known(question)["last"], shuffled(lesson, question)))
        for number, data in earlier.items()
    }
    missed = [
        (known(question)["last"], number, question)
        for number, questions in waiting.items()
        for question in questions
        if known(question)["missed"] and not known(question)["right"]
    ]
    chosen = []

    def take(number, question, most=COUNT):
        of_lesson = [of for of, _, _ in chosen].count(number)
        if len(chosen) < COUNT and of_lesson < most and question not in [other for _, _, other in chosen]:
            chosen.append((number, earlier[number]["title"], question))

    for _, number, question in sorted(missed, key=lambda entry: entry[:2]):
        take(number, question, MOST_OF_ONE if len(earlier) > 1 else COUNT)
    back = [f"{int(lesson) - distance:02}" for distance in DISTANCES if int(lesson) > distance]
    nearest_first = [number for number in (*back, "00") if number in waiting]  # 00, where there is nothing else
    for number in nearest_first:  # one of each lesson that has none yet
        take(number, waiting[number][0], 1)
    for number in nearest_first:  # few lessons: more of the same
        for question in waiting[number]:
            take(number, question)
    return chosen


def earlier_lessons(lesson):
    """The lessons before this one that have questions; one that may come later only if it was begun."""
    numbers = sorted(place.stem for place in QUIZZES.glob("*.json"))
    return [
        number for number in numbers if number < lesson and (lesson not in MAY_WAIT.get(number, ()) or begun(number))
    ]


def begun(lesson):
    """Whether a question of a lesson was ever answered."""
    return any(known(question)["last"] for question in load(lesson)["questions"])


def known(question):
    """What the progress file says of a question."""
    return progress.question(question["id"])


def shuffled(lesson, question):
    """A place for a question among its like, another one in each lesson's recall."""
    return hashlib.sha256(f"{lesson} {question['id']}".encode()).hexdigest()


def two_digits(lesson):
    """A lesson's number as two digits. ValueError for anything else."""
    if isinstance(lesson, int) and not isinstance(lesson, bool) and 0 <= lesson <= 99:
        return f"{lesson:02}"
    if isinstance(lesson, str) and re.fullmatch(r"\d\d", lesson):
        return lesson
    raise ValueError(f'A lesson is named by its two digits, such as "03"; got {lesson!r}.')
