"""List what is due today in one line: questions on lessons, patterns of the gym, and an empty page."""

import datetime

from exercises.content.lessons import BY_NUMBER, LESSONS
from exercises.quizzes.quiz_data import load
from exercises.storage import blank_pages, progress
from exercises.storage.schedule import due_on, format_date, whole

SHOWN = 3  # names of the gym
PAGE = f"an empty page, in {BY_NUMBER['an_empty_page'].name}"


def dates_of_questions():
    """Return {lesson: [the day on which each question is due]} for those that were answered."""
    found = {}
    for lesson in LESSONS:
        for question in (load(lesson.number) or {"questions": []})["questions"]:
            if day := due_on(progress.question(question["id"])):
                found.setdefault(lesson.number, []).append(day)
    return found


def dates_of_gym():
    """Return {pattern or mistake: the day on which it is due}."""
    boxes = progress.noted("gym").get("boxes", {})
    return {
        name: datetime.date.fromisoformat(entry["due"])
        for name, entry in (boxes.items() if isinstance(boxes, dict) else ())
        if whole(entry) and blank_pages.is_day(entry["due"])
    }


def due_today(today=None):
    """Return one line on what is due today, or on when anything is; "" if nothing was ever answered.

    today: a datetime.date, for tests.
    """
    today = today or datetime.date.today()
    questions, gym, page = dates_of_questions(), dates_of_gym(), blank_pages.due()
    ripe = {number: sum(day <= today for day in days) for number, days in questions.items()}
    told, patterns = [], [name for name, day in gym.items() if day <= today]
    if asked := [number for number, count in ripe.items() if count]:
        count = sum(ripe.values())
        lessons = f"lesson{'s' * (len(asked) > 1)} {join_names(asked)}"
        told.append(f"{count} question{'s' * (count > 1)} on {lessons}")
    if patterns:
        more = len(patterns) - SHOWN
        told.append(f"in the gym {join_names(patterns[:SHOWN] + [f'{more} more'] * (more > 0))}")
    if page and page <= today:
        told.append(PAGE)
    if told:
        return f"Due today: {'; '.join(told)}."
    later = [*(day for days in questions.values() for day in days), *gym.values(), *([page] if page else [])]
    return f"Nothing is due today. Next: {format_date(min(later))}." if later else ""


def join_names(names):
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last
