"""Decides what is due on a day: boxes with days for the gym's patterns and mistakes, and for questions."""

import datetime

DAYS = (0, 1, 3, 7, 21)  # days until the content of a box is due again; a miss leads back to the first box
ROUND, DUE = 10, 6  # questions of a round, and the most of them for what is due
TOP = 11  # the highest level


def after(state, names, right, day, level):
    """Return the state after an answer: {name: {"box", "due", "seen", "missed", "level"}}. The old state is unchanged.

    names: the patterns that the question trains, for a wrong answer the mistake, if it is certain, and for a right one
    those that would have shown.
    day: a datetime.date. level: that of the question. A right answer moves a name up one box, once a day; a wrong one
    back to the first.
    """
    new = {name: dict(entry) for name, entry in state.items()}
    for name in names:
        entry = new.setdefault(name, {"box": 0, "due": day.isoformat(), "seen": 0, "missed": 0})
        entry["seen"] += 1
        entry["missed"] += not right
        entry["level"] = level if not right else entry.get("level", level)
        if not right:
            entry["box"] = 0
        elif entry["due"] <= day.isoformat():
            entry["box"] = min(entry["box"] + 1, len(DAYS) - 1)
        else:
            continue
        entry["due"] = (day + datetime.timedelta(days=DAYS[entry["box"]])).isoformat()
    return new


def due(state, day, level=TOP):
    """Return the names due on a day up to a level: those missed most first, then the longest overdue."""
    ripe = [name for name, entry in state.items() if entry["due"] <= day.isoformat() and entry["level"] <= level]
    return sorted(ripe, key=lambda name: (-state[name]["missed"], state[name]["due"], name))


def planned(level, waiting, state):
    """Return (level, preferred names) for each question of a round: every other one is for a due name, at its level."""
    plan = [(max(1, level - 1), ())] * 4 + [(level, ())] * (ROUND - 4)
    for place, name in zip((*range(0, ROUND, 2), *range(1, ROUND, 2)), waiting[:DUE]):
        plan[place] = (state[name]["level"], (name,))
    return plan


def improved(before, now):
    return [name for name in now if name in before and now[name]["box"] > before[name]["box"]]


def next_level(level, rights):
    """Return the level of the next round: one up from eight right answers of ten, one down below four."""
    share = sum(rights) / len(rights)
    return min(TOP, level + 1) if share >= 0.8 else max(1, level - 1) if share < 0.4 else level


def whole(entry):
    """Return whether an entry of the state, as a file may hold it, is well formed."""
    kinds = {"box": int, "due": str, "seen": int, "missed": int, "level": int}
    return (
        isinstance(entry, dict)
        and all(isinstance(entry.get(name), kind) for name, kind in kinds.items())
        and 0 <= entry["box"] < len(DAYS)
    )


def due_on(question):
    """Return the day on which a question of a lesson is due again, as a datetime.date; None if it was never answered.

    question: its entry in the progress file. Right answers move it up a box, each miss back one, and the last a whole
    way: what was missed last is due on the next day.
    """
    if not question["seen"]:
        return None
    try:
        last = datetime.datetime.fromisoformat(question["last"]).astimezone().date()
    except ValueError:
        return datetime.date.min
    box = question["seen"] - 2 * question["missed"] if question["right"] else 1
    return last + datetime.timedelta(days=DAYS[min(max(box, 1), len(DAYS) - 1)])


def format_date(day):
    """Return a date as a person writes it: Sunday 29 November."""
    return f"{day:%A} {day.day} {day:%B}"
