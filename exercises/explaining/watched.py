"""Watch a backward pass: note each write to a grad, with the line of a learner's code that made it."""

import contextlib
import inspect
import linecache
import sys
from dataclasses import dataclass
from pathlib import Path

import autograd
from exercises.engine_file import namespace, parts
from exercises.explaining.reference_graph import as_number

COURSE = Path(autograd.__file__).parent, Path(__file__).parents[1]
WATCHERS = {
    str(Path(__file__).with_name(f"{name}.py"))
    for name in ("tracing", "watched", "shadow_run", "reference_graph", "pass_diagnosis")
}
LIMIT = 5_000  # writes: enough for a small expression; a recursion without an order may exceed it


@dataclass(frozen=True)
class Line:
    """A line of code that ran: its number, its text, the function that contains it, and whose it is."""

    number: int
    text: str
    function: str
    whose: str = "your"

    def __str__(self):
        where = f"line {self.number}" if self.whose == "your" else f"line {self.number} of {self.whose}"
        return f"{where}: {self.text}" if self.text else f"{where}, in {self.function}"

    @property
    def with_owner(self):
        """The line and its owner, for use in a sentence."""
        return f"your {self}" if self.whose == "your" else str(self)


class Stopped(Exception):
    """The pass wrote too often and was stopped."""


class Watched:
    """A descriptor for `grad` of a watched class, on top of the original attribute, with the list of writes."""

    def __init__(self, under):
        self.under, self.noted, self.made, self.seen, self.lost = under, [], {}, [], []
        self.owns = {}  # {id of an autograd Value: the learner's node that corresponds to it}

    def __get__(self, node, cls=None):
        if node is None:
            return self
        frame = sys._getframe(1)
        self.seen.append((node, frame.f_code, frame.f_lineno))
        return self.value(node, cls)

    def value(self, node, cls):
        """Return the `grad` of a node without noting the access."""
        if hasattr(self.under, "__get__") and hasattr(type(self.under), "__set__"):  # a slot, or a property
            return self.under.__get__(node, cls)
        if "grad" in vars(node):
            return vars(node)["grad"]
        if self.under is None:
            raise AttributeError(f"{type(node).__name__!r} object has no attribute 'grad'")
        return self.under

    def __set__(self, node, value):
        try:
            before = self.value(node, type(node))
        except AttributeError:
            before = None
        if hasattr(type(self.under), "__set__"):
            self.under.__set__(node, value)
        else:
            vars(node)["grad"] = value
        frame = sys._getframe(1)
        lines, here = lines_of(frame), (frame.f_code, frame.f_lineno)
        self.made.setdefault(id(node), lines)
        read = [each for each, *where in self.seen if tuple(where) == here]
        self.seen.clear()
        self.noted.append((node, before, value, lines[0] if lines else Line(0, "", ""), read))
        if len(self.noted) > LIMIT:
            raise Stopped

    def grad(self, node):
        """Return the gradient that a node has now, or None."""
        try:
            return as_number(self.value(node, type(node)))
        except AttributeError:
            return None


def lines_of(frame):
    """Return the Lines that a frame is in, innermost first, up to where this module called them."""
    found = []
    while frame is not None and frame.f_code.co_filename not in WATCHERS:
        found.append(line_of(frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return tuple(found)


def line_of(code, number):
    """Return the Line of a code object: from a learner, or from code that the course provides."""
    file = code.co_filename
    linecache.checkcache(file)
    text = linecache.getline(file, number).strip()
    if file.startswith(parts.COURSE_CODE):
        name = file.removeprefix(parts.COURSE_CODE).rstrip(">")
        given = parts.BY_NAME[name].source if name in parts.BY_NAME else namespace.COURSES_TEXT.get(file)
        text = "".join(given.splitlines()[number - 1 : number]).strip() if given else text
        return Line(number, text, code.co_name, f"the course's {name}")
    place = Path(file)
    whose = f"the course's {place.name}" if any(folder in place.parents for folder in COURSE) else "your"
    return Line(number, text, code.co_name, whose)


@contextlib.contextmanager
def watched(cls):
    """Yield a Watched that notes the writes to `grad` of a class until the block ends."""
    own = "grad" in vars(cls)
    under = inspect.getattr_static(cls, "grad", None)
    descriptor = Watched(under)
    cls.grad = descriptor
    try:
        yield descriptor
    finally:
        if own:
            cls.grad = under
        else:
            del cls.grad


def run(nodes, seed):
    """Run `backward()` of the last node; return the exception that ended it as a sentence, or "".

    If the class has no `backward` yet, but a rule in each node, run the rules in the right order, from this seed.
    """
    root = nodes[-1]
    try:
        if hasattr(root, "backward"):
            root.backward()
        else:
            root.grad = seed
            for node in reversed(nodes):
                node._backward()
    except Stopped:
        return f"It had written to a gradient {LIMIT:,} times, and was stopped."
    except RecursionError:
        return "It called itself over and over, until Python gave up: RecursionError."
    except Exception as fault:
        where = lines_of_fault(fault)
        return f"It raised {type(fault).__name__}: {fault}".rstrip(".: ") + (f", in {where[-1]}." if where else ".")
    return ""


def lines_of_fault(fault):
    """Return the learner's Lines that an exception passed through, outermost first."""
    found, at = [], fault.__traceback__
    while at is not None:
        code = at.tb_frame.f_code
        if code.co_filename not in WATCHERS:
            found.append(line_of(code, at.tb_lineno))
        at = at.tb_next
    return found
