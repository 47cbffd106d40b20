"""`gym`: ten questions, chosen by what was missed before; and `deck`, for a page without a kernel."""

import datetime
import random

from exercises.content import library
from exercises.practice.questions import LEVELS, checked, question
from exercises.practice.round import Round, place_of
from exercises.storage import progress, schedule

FIRST = 2  # the level of a learner who has passed nothing yet
# The level after a lesson, until the first round is played.
BEGIN = {"02": 3, "03": 4, "04": 5, "06": 6, "07": 7, "08": 9, "10": 11}


class Practice(Round):
    """A round that sorts what its questions train into boxes in the progress file; a miss changes what comes next."""

    def __init__(self, title, made, level, rng):
        self.level, self.rng, self.before, self.rights = level, rng, boxes(), []
        super().__init__(title, made)

    def trained(self, name, right, given):
        made = self.asked[name]
        state, mistakes = boxes(), () if given is None else made.certain(given)
        names = [*(mistake.name for mistake in mistakes), *made.patterns]
        if right:  # a mistake made before would have shown here, but was not made
            names += [mistake.name for mistake in made.wrong if mistake.name in state]
        now = schedule.after(state, names, right, datetime.date.today(), made.level)
        progress.note("gym", "boxes", now)
        self.rights.append(right)
        if not right:
            self.ask_again(name, made.level, names)

    def ask_again(self, name, level, names):
        """Replace the next waiting question by one on what was missed."""
        later = [place for place in self.waiting() if place > place_of(name)]
        if later:
            self.renew(later[0], question(level, self.rng.random(), prefer=names))

    def end(self):
        """Return what has improved, and record the next level."""
        better = schedule.improved(self.before, boxes())
        level = schedule.next_level(self.level, self.rights)
        progress.note("gym", "level", level)
        said = f"Better than before: {', '.join(better)}." if better else "No earlier question has moved up a level."
        return f"{said} Next time: level {level} ({LEVELS[level]})."


def gym(level=None, *, seed=None):
    """Play a round of ten small graphs: type the gradient of one leaf of each. What you miss comes back sooner.

    level: from 1, one multiplication, to 8, eight operations; 9 to 11 are about arrays (lessons 08 and 10). None goes
    on where you were, at first where your lessons are. seed: for the same round again; without one, the round changes
    as soon as you answer anything.
    """
    level = known_level() if level is None else checked(level)
    state = boxes()
    waiting = schedule.due(state, datetime.date.today(), level)
    rng = random.Random(f"round {answered(state)}" if seed is None else seed)
    made = [question(each, rng.random(), prefer) for each, prefer in schedule.planned(level, waiting, state)]
    due = f"due: {', '.join(waiting[:4])}" if waiting else "nothing is due"
    return Practice(f"The gym, level {level}; {due}", made, level, rng)


def deck(count=60, seed=0):
    """Return questions of all levels made ahead, for a page without a kernel; the page shuffles them."""
    levels = sorted(LEVELS)
    made = [question(levels[i % len(levels)], f"{seed} {i}") for i in range(count)]
    return Round("The gym: a deck of questions", made, shuffled=True)


def page(round):
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<title>The gym</title></head><body><main>{round.html()}</main></body></html>"
    )


def boxes():
    """Return the progress file's entries on patterns and mistakes, without malformed ones."""
    found = progress.noted("gym").get("boxes", {})
    return {name: entry for name, entry in found.items() if schedule.whole(entry)} if isinstance(found, dict) else {}


def answered(state):
    """Return how often anything was trained. It is the seed of a round, so rounds differ once anything was answered."""
    return sum(entry["seen"] for entry in state.values())


def known_level():
    """Return the last level recorded; at first that of the last lesson with a passed exercise."""
    level = progress.noted("gym").get("level")
    if isinstance(level, int) and not isinstance(level, bool) and level in LEVELS:
        return level
    stands = [lesson for lesson in BEGIN if any(map(progress.passed, library.names(lesson)))]
    return BEGIN[max(stands)] if stands else FIRST
