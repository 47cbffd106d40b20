"""Engines written from memory: when, for how long, what was right, and when the next one is due."""

import datetime

from exercises.storage import progress

SECTION = "blank page"
AFTER = (("backward", 1), ("train", 3))  # exercises, and so many days after them an empty page is due
MINUTES = 15  # of the clock, which nobody has to keep to
KINDS = {"begun": str, "minutes": int | float | None, "right": dict, "mistakes": list, "is_right": bool, "text": str}


def attempts():
    """Return {day: attempt} of all pages that were judged, the first one first. Entries that are none are left out."""
    return {day: each for day, each in sorted(noted().items()) if each["text"]}


def noted():
    """Return {day, as "2026-11-29": attempt}, judged or only begun."""
    found = progress.noted(SECTION)
    return {day: each for day, each in found.items() if is_day(day) and progress.has(each, **KINDS)}


def is_day(text):
    """Return whether a text is a date."""
    try:
        return bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


def begin(now):
    """Start the clock, once a day: return the datetime at which today's page was begun."""
    day = now.date().isoformat()
    if day not in noted():
        progress.note(SECTION, day, attempt(now))
    return datetime.datetime.fromisoformat(noted()[day]["begun"] or now.isoformat())


def attempt(begun=None):
    """Return a page of which nothing is known but when it was begun."""
    begun = begun.isoformat(timespec="seconds") if begun else ""
    return {"begun": begun, "minutes": None, "right": {}, "mistakes": [], "is_right": False, "text": ""}


def judge(now, text, right, mistakes, is_right):
    """Note what was found of a page, and return today's attempt; None if this text was judged on a day before.

    What was right counts at the first look; minutes run until all is; each mistake on the way is listed once.
    """
    day = now.date().isoformat()
    if any(each["text"] == text for other, each in attempts().items() if other != day):
        return None
    page = noted().get(day) or attempt()
    if not page["is_right"]:
        took = (now - datetime.datetime.fromisoformat(page["begun"])).total_seconds() / 60 if page["begun"] else None
        page |= {
            "minutes": None if took is None else round(took, 1),
            "right": page["right"] or right,
            "mistakes": list(dict.fromkeys([*page["mistakes"], *mistakes])),
            "is_right": is_right,
            "text": text,
        }
        progress.note(SECTION, day, page)
    return page


def due():
    """Return the day from which an empty page is due, as a datetime.date; None if none is."""
    written = attempts()
    for exercise, days in AFTER:
        if passed := progress.first_passed(exercise):
            day = datetime.date.fromisoformat(passed) + datetime.timedelta(days=days)
            if not any(each >= day.isoformat() for each in written):
                return day
    return None


def summary():
    """Return the first and the last page in one line; "" if there is none."""
    pages = list(attempts().values())
    told = [in_words(each) for each in pages[:1] + pages[1:][-1:]]
    return f"From memory: {', then '.join(told)}." if told else ""


def in_words(page):
    """Return minutes and mistakes of a page in words."""
    count = len(page["mistakes"])
    mistakes = f"{count} mistake{'s' * (count != 1)}" if count else "no mistake" if page["is_right"] else "not right"
    return mistakes if page["minutes"] is None else f"{minutes(page)} and {mistakes}"


def minutes(page):
    """Return the minutes of a page in words."""
    count = max(1, round(page["minutes"]))
    return f"{count} minute{'s' * (count != 1)}"
