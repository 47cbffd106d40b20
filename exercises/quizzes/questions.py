"""The questions that a lesson asks: its quiz, and recall of earlier lessons."""

import datetime
import hashlib

from exercises.content import lessons
from exercises.content.lessons import BY_NUMBER, LESSONS
from exercises.quizzes.due import due_today
from exercises.quizzes.quiz_data import load
from exercises.quizzes.quiz_widget import Quiz
from exercises.storage import progress
from exercises.storage.progress import Note
from exercises.storage.schedule import due_on

COUNT = 3
MOST_OF_ONE = 2  # the most questions of one lesson, as long as others have any

# How many lessons back to look for a question that nobody missed, in this order. A lesson's questions then come back
# after one lesson, after three and after six.
DISTANCES = (1, 3, 6, 2, 4, 5, 7, 8, 9, 10, 11, 12)


def quiz(lesson):
    """Show the quiz at the end of a lesson or workshop, such as quiz("03")."""
    data = load(known_place(lesson)) or {"questions": []}
    if questions := [each for each in data["questions"] if each["part"] == "quiz"]:
        return Quiz(f"Quiz: {data['title']}", questions)
    return Note(f"There is no quiz for {BY_NUMBER[lesson].name}.")


def recall(lesson):
    """Show three questions from before a lesson, such as recall("04"); before lesson 01, from what the course assumes.

    First what is due by its date, the longest overdue first; then questions of lessons one, three and six back. The
    title says what is due today.
    """
    chosen = choose(known_place(lesson))
    if not chosen:
        return Note(f"There are no questions from before {BY_NUMBER[lesson].name} yet.")
    title = "Recall: three questions from before" if len(chosen) == COUNT else "Recall: a few questions from before"
    if line := due_today():
        title = f"{title}. {line}"
    return Quiz(title, [question for _, _, question in chosen], [source(*each) for each in chosen])


def source(lesson, title, question):
    return "What this course takes as known" if lesson == LESSONS[0].number else f"From lesson {lesson}, {title}"


def choose(lesson, today=None):
    """Choose the questions for a lesson's recall, as (lesson, title, question), from the progress and the day.

    today: a datetime.date, for tests.
    """
    before, today = lessons.before(lesson), today or datetime.date.today()
    earlier = {number: data for number in before if (data := load(number))}
    waiting = {
        number: sorted(data["questions"], key=lambda question: (known(question)["last"], shuffled(lesson, question)))
        for number, data in earlier.items()
    }
    due = [
        (day, known(question)["last"], number, question)
        for number, questions in waiting.items()
        for question in questions
        if (day := due_on(known(question))) and (day <= today or not known(question)["right"])
    ]
    chosen = []

    def add_question(number, question, most=COUNT):
        of_lesson = [of for of, _, _ in chosen].count(number)
        if len(chosen) < COUNT and of_lesson < most and question not in [other for _, _, other in chosen]:
            chosen.append((number, earlier[number]["title"], question))

    for *_, number, question in sorted(due, key=lambda entry: entry[:3]):
        add_question(number, question, MOST_OF_ONE if len(earlier) > 1 else COUNT)
    back = [before[-distance] for distance in DISTANCES if len(before) > distance]
    nearest_first = [number for number in (*back, *before[:1]) if number in waiting]  # 00, if there is nothing else
    for number in nearest_first:  # one from each lesson that has none yet
        add_question(number, waiting[number][0], 1)
    for number in nearest_first:  # few lessons: more of the same
        for question in waiting[number]:
            add_question(number, question)
    return chosen


def known(question):
    return progress.question(question["id"])


def shuffled(lesson, question):
    """Return a sort key that puts questions in a different order in each lesson's recall."""
    return hashlib.sha256(f"{lesson} {question['id']}".encode()).hexdigest()


def known_place(lesson):
    """Return a lesson's number or a workshop's name unchanged; raise ValueError for anything else."""
    if not isinstance(lesson, str) or lesson not in BY_NUMBER:
        raise ValueError(f'A lesson is named by its two digits, such as "03", a workshop by its file; got {lesson!r}.')
    return lesson
