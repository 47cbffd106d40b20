"""The lessons of the course, listed once: number, title, and minutes; all other lists are made from this one."""

import re
from pathlib import Path
from typing import NamedTuple


class Lesson(NamedTuple):
    """A lesson, and how long it takes."""

    number: str
    title: str
    minutes: int

    @property
    def file(self):
        """The name of its notebook: 03_local_rules_one_step_at_a_time.ipynb."""
        words = re.findall(r"[a-z]+", self.title.lower().replace("+=", "plus equals"))
        return f"{self.number}_{'_'.join(words)}.ipynb"

    def at(self, section):
        """Where a section of its notebook is, for a link from another notebook: 05_….ipynb#Read-too-early."""
        return f"{self.file}#{section.replace(' ', '-').replace('`', '')}"


HOUR = "one_hour.ipynb"  # the short way, before or in place of the lessons
LESSONS = (
    Lesson("00", "Start here", 10),
    Lesson("01", "Nudges and slopes", 30),
    Lesson("02", "A Value that remembers", 35),
    Lesson("03", "Local rules, one step at a time", 60),
    Lesson("04", "Fan-out: why +=", 35),
    Lesson("05", "Order: topological sort", 45),
    Lesson("06", "Prove the engine right", 45),
    Lesson("07", "Accumulate, zero, repeat", 45),
    Lesson("08", "From a neuron to an MLP", 40),
    Lesson("09", "XOR: training, luck and symmetry", 45),
    Lesson("10", "Vanishing and exploding gradients", 60),
    Lesson("11", "From scalars to tensors", 50),
    Lesson("12", "Ten digits", 50),
    Lesson("13", "Debugging clinic", 60),
    Lesson("14", "What the frameworks add", 45),
)
BY_NUMBER = {lesson.number: lesson for lesson in LESSONS}


def folder():
    """Where the lessons' notebooks are: in the folder that runs now, above it, or in the project's; None if nowhere."""
    here = Path.cwd()
    places = here, here.parent, Path(__file__).parents[2] / "notebooks"
    return next((place for place in places if any(place.glob("[0-9][0-9]_*.ipynb"))), None)
