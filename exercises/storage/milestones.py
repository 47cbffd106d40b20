"""The thread of the course: what a learner does, lesson by lesson, with the same 337 slopes."""

from typing import NamedTuple

from exercises.storage import progress


class Milestone(NamedTuple):
    """A step with the slopes, its lesson, and the exercises that make it."""

    says: str
    lesson: str
    exercises: tuple


MILESTONES = (
    Milestone("nudged one at a time", "01", ("slope",)),
    Milestone("found in one pass", "04", ("topological_order", "backward")),
    Milestone("trained with", "06", ("train",)),
    Milestone("as three arrays", "08", ("matmul",)),
    Milestone("ten digits read", "09", ("fit",)),
)


def describe():
    """Return a sentence on a learner's milestones: "337 slopes, lesson by lesson: ✓ nudged one at a time (01) · …"."""
    marks = ("✓" if all(map(progress.passed, one.exercises)) else "○" for one in MILESTONES)
    steps = (f"{mark} {one.says} ({one.lesson})" for mark, one in zip(marks, MILESTONES))
    return f"337 slopes, lesson by lesson: {' · '.join(steps)}"


def describe_if_begun():
    """Return that sentence in a list, or [] while no step is done: a beginner has not met these slopes."""
    return [describe()] if any(map(progress.passed, (name for one in MILESTONES for name in one.exercises))) else []
