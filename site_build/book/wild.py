"""The page "Bugs in the wild": the faults of published engines, how often, and the smallest graph that shows each.

The faults are data, `texts/bugs.toml`. Graphs and numbers are computed, by the judge that `identify` and the doctor
have: it tries all graphs, the smallest first, until the engine with the fault is wrong.
"""

import itertools

from autograd import operations
from exercises.content.library import changed
from exercises.doctor.examination import has_no_corner
from exercises.engines.wrong_engines import HUNT, RIGHT, WRONG_ENGINES
from exercises.explaining.identifying import is_right, rows
from exercises.explaining.recording import Engine, record
from exercises.verdicts.cases import ALL, KINDS, OPERATIONS, Case
from site_build import bughunt
from site_build.book import lessons, texts
from site_build.bughunt.graphs import short

TITLE = "Bugs in the wild"
HEAD = "import math\n\n\n"
BY_ID = {wrong.id: wrong for wrong in (*WRONG_ENGINES, *HUNT)}
LEAVES = ((2.0,), (-2.0,), (2.0, 3.0), (2.0, 2.0))
FIRST = ("+", "*")  # graphs of these alone are tried before others of the same size
MOST = 3  # operations
PLAIN = {"n": 3.0, "k": 3}  # a plain number, and an exponent


def page():
    """Return the page as MyST."""
    known = texts.bugs()
    faults = known["fault"]
    return "\n\n".join(
        [
            f"# {TITLE}",
            "Many people have published a small autograd engine of their own, most of them after the same lecture. "
            f"The doctor of this course began with a trial on {known['judged']} such engines. {known['wrong']} were "
            f"wrong; each of these was then read, and {known['several']} had several faults, so the counts overlap.",
            "For an engine of your own, `backprop doctor engine.py` tells you. Here, each fault is put into the "
            "course's engine, and below it is the smallest graph on which that engine goes wrong.",
            "\n".join(["| fault | engines |", "| --- | --- |", *map(row, faults)]),
            *(section(one) for one in faults),
            "## Operations that raise",
            "These raise an exception instead of giving a wrong number. Python names the line, but only once somebody "
            "calls that operation.",
            "\n".join(map(raising, known["raised"])),
            "## What is not a fault",
            "Right engines differ, too. Of 252, 136 do not take a plain number on the left of an operator, and 241 "
            "find their order by recursion, which fails on a chain of 2,000 operations. In 234, a second pass over the "
            "same graph adds to the gradients of intermediate nodes as well (PyTorch's add up in leaves only); four "
            "set all gradients back first. At 0, where relu has a corner, 115 take the slope 0, as PyTorch does, and "
            "six take 1.",
        ]
    )


def row(fault):
    """Return a fault's line of the table: its title as a link to its section, and how many engines have it."""
    return f"| [{fault['title']}](#{lessons.slug(fault['title'])}) | {fault['engines']} |"


def played(fault):
    """Return links to the cases of the bug hunt whose culprit has a fault."""
    culprits = [row[2] for row in bughunt.settings()["levels"]]
    numbers = [number for number, culprit in enumerate(culprits, 1) if culprit in fault.get("game", ())]
    return ", ".join(lessons.case_link(number, number) for number in numbers)


def section(fault):
    """Return the section on a fault: how many engines have it, what it is, and each way in which it occurs."""
    parts = [f"## {fault['title']}", f"*{engines(fault['engines'])}.* {fault['says']}"]
    for name, count, how in fault["kinds"]:
        case, record = smallest(class_of(text_of(how)))
        counted = f" ({engines(count)})" if count else ""
        lines = "\n".join([case.to_source(), f"{case.root}.backward()"])
        numbers = [(what, *map(short, map(float, pair))) for what, *pair in rows(case, record)]
        wrong = [f"`{what}` should be {right} and is **{got}**" for what, right, got in numbers if right != got]
        parts += [f"**{name}**{counted}", f"```python\n{lines}\n```", f"{', and '.join(wrong)}."]
    if links := played(fault):
        parts.append(f"<details><summary>Its cases in the bug hunt</summary>{links}</details>")
    return "\n\n".join(parts)


def raising(fault):
    """Return a line of the list of what raises: what it is, in how many engines, on which graph, and the exception."""
    case, record = smallest(class_of(text_of(fault["change"])))
    graph = case.to_source().splitlines()[-1].partition(" = ")[2]
    is_python = record["error"] != "NotANode"
    said = f"raises `{record['error']}: {record['message']}`" if is_python else "returns nothing"
    return f"- **{fault['what']}** ({engines(fault['engines'])}). `{graph}` at a = {short(case.leaves[0][1])} {said}."


def engines(count):
    """Return a count of engines with its noun."""
    return "one engine" if count == 1 else f"{count} engines"


def text_of(how):
    """Return the text of an engine with a fault: a wrong engine's, by its id, or the right one's with changes."""
    return HEAD + BY_ID[how].text if how in BY_ID else changed(HEAD + RIGHT, "→", how)


def class_of(text):
    """Return the class of numbers that the text of an engine defines."""
    names = {"__name__": "engine"}
    exec(compile(text, "engine", "exec"), names)
    return names["Value"]


def smallest(cls):
    """Return (Case, record) of the smallest graph on which a class is wrong. ValueError if there is none."""
    functions = {name: getattr(cls, name) for name in operations.FUNCTIONS if callable(getattr(cls, name, None))}
    engine = Engine(cls, cls, lambda root: root.backward(), OPERATIONS, functions)
    for case in graphs():
        found = record(engine, case.leaves, case.steps, tape=False)
        if not is_right(case, found):
            return case, found
    raise ValueError(f"{cls} is right on all graphs of {MOST} operations.")


def graphs():
    """Yield all graphs in which each operation takes the result of the one before, the smallest first."""
    for size, kinds in itertools.product(range(1, MOST + 1), (FIRST, ALL)):
        for numbers in LEAVES:
            leaves = tuple(zip("ab", numbers))
            yield from filter(is_defined, grown(Case(leaves, ()), kinds, size))


def grown(case, kinds, size):
    """Yield a Case with `size` more operations of some kinds, in all ways that use every leaf."""
    if not size:
        if {name for name, _ in case.leaves} <= {operand for _, _, operands in case.steps for operand in operands}:
            yield case
        return
    known = [name for name, _ in case.leaves] + [name for name, _, _ in case.steps]
    for kind in kinds:
        operation, pattern = KINDS[kind]
        for operands in itertools.product(*([PLAIN[place]] if place in PLAIN else known for place in pattern)):
            if not case.steps or case.root in operands:
                step = ("defg"[len(case.steps)], operation, operands)
                yield from grown(Case(case.leaves, (*case.steps, step)), kinds, size - 1)


def is_defined(case):
    """Return whether a Case has a value and gradients, and no relu at its corner."""
    try:
        return has_no_corner(case) and case.gradients() is not None
    except (ValueError, ZeroDivisionError, OverflowError):
        return False
