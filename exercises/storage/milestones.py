"""The thread of the course: what a learner does with slopes, lesson by lesson."""

from typing import NamedTuple

from exercises.storage import progress


class Milestone(NamedTuple):
    """A step with the slopes, its lesson, and the exercises that make it."""

    says: str
    lesson: str
    exercises: tuple


MILESTONES = (
    Milestone("337 nudged one at a time", "01", ("slope",)),
    Milestone("found in one pass", "04", ("topological_order", "backward")),
    Milestone("trained with", "06", ("train",)),
    Milestone("2,410 in four arrays", "08", ("matmul",)),
    Milestone("ten digits read", "09", ("fit",)),
)


def describe():
    """Return a sentence on a learner's milestones: "Slopes, lesson by lesson: ✓ 337 nudged one at a time (01) · …"."""
    marks = ("✓" if all(map(progress.passed, one.exercises)) else "○" for one in MILESTONES)
    steps = (f"{mark} {one.says} ({one.lesson})" for mark, one in zip(marks, MILESTONES))
    return f"Slopes, lesson by lesson: {' · '.join(steps)}"


def describe_if_begun():
    """Return that sentence in a list, or [] while no step is done: a beginner has not met them."""
    return [describe()] if any(map(progress.passed, (name for one in MILESTONES for name in one.exercises))) else []
