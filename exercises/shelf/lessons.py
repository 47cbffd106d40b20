"""The lessons of the course, listed once: number, title, and minutes; all other lists are made from this one."""

import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple


class Lesson(NamedTuple):
    """A lesson, how many minutes it takes, and how many more with what may be skipped."""

    number: str
    title: str
    minutes: int
    more: int = 0

    @property
    def file(self):
        """The name of its notebook: 03_local_rules_one_step_at_a_time.ipynb."""
        words = re.findall(r"[a-z]+", self.title.lower().replace("+=", "plus equals"))
        return f"{self.number}_{'_'.join(words)}.ipynb"

    @property
    def time(self):
        """Its minutes as a table has them: "45", or "45 + 12" with what may be skipped."""
        return f"{self.minutes} + {self.more}" if self.more else str(self.minutes)

    def at(self, section):
        """Where a section of its notebook is, for a link from another notebook: 05_….ipynb#Read-too-early."""
        return f"{self.file}#{section.replace(' ', '-').replace('`', '')}"


HOUR, HOUR_MINUTES = "one_hour.ipynb", 45  # the short way, before or in place of the lessons
LESSONS = (
    Lesson("00", "Start here", 12),
    Lesson("01", "Nudges and slopes", 40),
    Lesson("02", "A Value that remembers", 40, 7),
    Lesson("03", "Local rules, one step at a time", 70),
    Lesson("04", "Fan-out: why +=", 60),
    Lesson("05", "Order: topological sort", 50, 17),
    Lesson("06", "Prove the engine right", 70),
    Lesson("07", "Accumulate, zero, repeat", 50),
    Lesson("08", "From a neuron to an MLP", 50, 8),
    Lesson("09", "XOR: training, luck and symmetry", 60, 10),
    Lesson("10", "Vanishing and exploding gradients", 65),
    Lesson("11", "From scalars to tensors", 75, 8),
    Lesson("12", "Ten digits", 60, 4),
    Lesson("13", "Debugging clinic", 60, 8),
    Lesson("14", "What the frameworks add", 50, 8),
    Lesson("15", "Your engine invents colours", 60, 8),
)
BY_NUMBER = {lesson.number: lesson for lesson in LESSONS}


def folder():
    """Where the lessons' notebooks are: in the folder that runs now, above it, or in the project's; None if nowhere."""
    here = Path.cwd()
    places = here, here.parent, Path(__file__).parents[2] / "notebooks"
    return next((place for place in places if any(place.glob("[0-9][0-9]_*.ipynb"))), None)


def here():
    """The number of the lesson whose notebook runs, or HOUR; "" where neither can be told.

    By the notebook's name, as Jupyter or VS Code gives it; else by the cells that have been run.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        return ""
    name = Path(os.environ.get("JPY_SESSION_NAME") or str(shell.user_ns.get("__vsc_ipynb_file__", ""))).name
    for known in (*BY_NUMBER, HOUR):
        if name.startswith(known.removesuffix(".ipynb")):
            return known
    ran = {text.strip() for text in shell.user_ns.get("In", ()) if text.strip()}
    files = {lesson.number: lesson.file for lesson in LESSONS} | {HOUR: HOUR}
    counts = {known: len(ran & texts_of(file)) for known, file in files.items()} if folder() else {"": 0}
    most = max(counts.values())
    return max(counts, key=counts.get) if most and [*counts.values()].count(most) == 1 else ""


def texts_of(file):
    """The texts of a notebook's code cells."""
    path = folder() / file
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else []
    return {"".join(cell["source"]).strip() for cell in cells if cell["cell_type"] == "code"}


def has_met(lesson):
    """Whether the reader of the notebook that runs has come as far as a lesson: in the hour, as far as none."""
    return not (place := here()) or (place != HOUR and lesson <= place)
