"""The thread of the course: what a learner does, lesson by lesson, with the same 337 slopes."""

from typing import NamedTuple

from exercises.shelf import progress


class Milestone(NamedTuple):
    """What becomes of the slopes, in which lesson, and the exercise that does it."""

    says: str
    lesson: str
    exercise: str


MILESTONES = (
    Milestone("nudged one at a time", "01", "slope"),
    Milestone("found in one pass", "05", "backward"),
    Milestone("proved right", "06", "check_gradients"),
    Milestone("trained with", "09", "train"),
    Milestone("as three arrays", "11", "assemble"),
    Milestone("ten digits read", "12", "fit"),
)


def told():
    """Where a learner stands: "337 slopes, lesson by lesson: ✓ nudged one at a time (01) · …"."""
    steps = (f"{'✓' if progress.passed(one.exercise) else '○'} {one.says} ({one.lesson})" for one in MILESTONES)
    return f"337 slopes, lesson by lesson: {' · '.join(steps)}"
