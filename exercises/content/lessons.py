"""The notebooks of the course, listed once: number, title and minutes; all other lists are made from this one."""

import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple


class Lesson(NamedTuple):
    """A notebook: a lesson of the core, such as "04", or a workshop, such as "why_backward".

    A workshop has a name instead of a number, and builds on the core up to the lesson `after`. minutes: how long it
    takes; more: the minutes of parts that may be skipped.
    """

    number: str
    title: str
    minutes: int
    more: int = 0
    after: str = ""

    @property
    def file(self):
        """Its path in the folder of notebooks: 04_in_which_order.ipynb, workshops/why_backward.ipynb."""
        if self.after:
            return f"workshops/{self.number}.ipynb"
        return f"{self.number}_{'_'.join(re.findall(r'[a-z]+', self.title.lower()))}.ipynb"

    @property
    def time(self):
        """Its minutes as text: "45", or "45 + 12" with parts that may be skipped."""
        return f"{self.minutes} + {self.more}" if self.more else str(self.minutes)

    @property
    def name(self):
        """Its name in a sentence: lesson 04, the workshop “Why backward, and not forward?”."""
        return f"the workshop “{self.title}”" if self.after else f"lesson {self.number}"

    def link_to(self, section):
        """Return the link to a section of its notebook, from the folder of notebooks: 04_….ipynb#Read-too-early."""
        return f"{self.file}#{section.replace(' ', '-').replace('`', '')}"


LESSONS = (
    Lesson("00", "Backpropagation in one sitting", 37),
    Lesson("01", "A number that remembers", 39),
    Lesson("02", "A rule for each step", 44),
    Lesson("03", "Used more than once", 37),
    Lesson("04", "In which order?", 39),
    Lesson("05", "Again and again", 34, 15),
    Lesson("06", "A network of your own", 43),
    Lesson("07", "Thirty layers", 32),
    Lesson("08", "A node that is an array", 44),
    Lesson("09", "Ten digits", 43),
    Lesson("10", "Your engine invents colours", 39),
)
EVENINGS = (("00",), ("01", "02"), ("03", "04"), ("05", "06"), ("07", "08"), ("09", "10"))  # the first introduces
WORKSHOPS = (
    Lesson("are_my_gradients_right", "How do I know that my gradients are right?", 40, after="04"),
    Lesson("do_my_tests_catch_anything", "Would my tests notice a wrong engine?", 38, after="04"),
    Lesson("why_backward", "Why backward, and not forward?", 27, after="04"),
    Lesson("does_the_order_matter", "How deep may a graph be, and which orders fail?", 35, after="04"),
    Lesson("an_empty_page", "Can I write it from memory?", 37, after="04"),
    Lesson("what_should_be_zeroed", "When do I zero the gradients, and of what?", 28, after="05"),
    Lesson("every_weight_by_hand", "Can I do it on paper?", 37, after="06"),
    Lesson("why_is_this_gradient_zero", "Why is this gradient exactly 0?", 28, after="06"),
    Lesson("which_loss", "Which loss, and does it hold on new points?", 40, after="06"),
    Lesson("why_0_02", "Why do weights start at 0.02?", 45, after="07"),
    Lesson("how_long_a_step", "SGD, momentum, Adam: how long a step?", 27, after="09"),
    Lesson("the_shape_is_right", "The shape fits. Are the numbers right?", 57, after="08"),
    Lesson("a_batch_by_hand", "Can I train a network without an engine?", 28, after="09"),
    Lesson("my_network_does_not_learn", "Why does my network not learn?", 58, after="09"),
    Lesson("it_learns_is_it_right", "It learns. Is it right?", 38, after="09"),
    Lesson("what_pytorch_adds", "What does PyTorch do that mine does not?", 32, after="08"),
    Lesson("out_of_memory", "Why am I out of memory?", 25, after="08"),
    Lesson("at_work", "How do I take my loop to PyTorch?", 46, after="09"),
    Lesson("attention_by_hand", "What is attention, by hand?", 50, after="10"),
    Lesson("a_language_model_in_single_numbers", "What is in a language model?", 30, after="10"),
    Lesson("exam", "What can I catch?", 62, 15, after="10"),
)
BY_NUMBER = {each.number: each for each in (*LESSONS, *WORKSHOPS)}
CALLS = re.compile(r"\bexercises\.(?:my_engine|recall|quiz)\(['\"](\w+)['\"]\)")  # its own number


def notebooks(folder):
    """Return the course's notebooks that exist in a folder, the core first, as paths in it."""
    return [each.file for each in BY_NUMBER.values() if (folder / each.file).exists()]


def folder():
    """Return the folder of the notebooks: the current one, one above it, or the project's; None if there is none."""
    here = Path.cwd()
    places = here, here.parent, Path(__file__).parents[2] / "notebooks"
    return next((place for place in places if any(place.glob("[0-9][0-9]_*.ipynb"))), None)


def here():
    """Return the number of the lesson or workshop whose notebook runs; "" if it is not known.

    It follows from the notebook's name, if Jupyter or VS Code gives it; else from the calls in the cells that have run;
    else from those cells.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        return ""
    name = Path(os.environ.get("JPY_SESSION_NAME") or str(shell.user_ns.get("__vsc_ipynb_file__", ""))).name
    for known in BY_NUMBER:
        if name.startswith(known):
            return known
    ran = {text.strip() for text in shell.user_ns.get("In", ()) if text.strip()}
    if len(named := {number for text in ran for number in CALLS.findall(text)} & BY_NUMBER.keys()) == 1:
        return named.pop()
    counts = {each.number: len(ran & texts_of(each.file)) for each in BY_NUMBER.values()} if folder() else {"": 0}
    most = max(counts.values())
    return max(counts, key=counts.get) if most and [*counts.values()].count(most) == 1 else ""


def link(place):
    """Return a link to a place in the folder of notebooks from the running notebook; workshops are one folder below."""
    return f"../{place}" if BY_NUMBER.get(here(), LESSONS[0]).after else place


def texts_of(file):
    path = folder() / file
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else []
    return {"".join(cell["source"]).strip() for cell in cells if cell["cell_type"] == "code"}


def before(lesson):
    """Return the lessons of the core that a lesson or workshop builds on, the first one first."""
    after = BY_NUMBER[lesson].after
    return [each.number for each in LESSONS if each.number < lesson and (not after or each.number <= after)]


def has_met(lesson):
    """Return whether the reader of the running notebook has reached a lesson; a workshop has only met itself."""
    place = here()
    return not place or lesson == place or lesson in before(place)
