"""The text of `my_engine.py`: put together from regions, and read back into them.

The file is a row of regions, each under a heading: the course's parts, and in their place, one by one, the learner's.
The mark in a heading is a hash of the text below it: a part whose mark fits was judged before.
"""

import datetime
import hashlib
import importlib.metadata
import re
from dataclasses import dataclass, replace

from exercises.engine_file import cells
from exercises.engine_file.parts import BY_NAME, PARTS, used

FILE = "my_engine.py"
WIRES = "# Put to work:"
YOURS, EDITED, KEPT = "yours since", "yours, changed in the file", "yours, unchecked since"
COURSES = "the course's"
HEADING = re.compile(
    rf"# ── (\w+) · lesson \d\d · (?:({YOURS}|{EDITED}|{KEPT}) ([\d-]+)|{COURSES}) · ([0-9a-f]{{8}}) ─* *"
)
VERSION = "The course's parts are those of its version"
UNKNOWN = "The version of the course's parts is not known"
EXTRA = "# ── below this line all is yours; the course leaves it as it is ".ljust(110, "─")
CUTS = 500  # places at which a region is looked through for another below it


@dataclass(frozen=True)
class Region:
    """A learner's text for a part: since when it is theirs, its mark, and the line of the file that it begins on.

    owner: whether it came from a cell, was changed in the file, or is kept unchecked. What stands below the last line
    is a Region without a name.
    """

    name: str
    text: str
    since: str
    mark: str
    owner: str = YOURS
    line: int = 1

    @property
    def is_noted(self):
        """Whether this very text has been judged, or is kept without."""
        return self.mark == mark_of(self.text)

    def noted(self, owner):
        """The same, noted as judged, or as kept without."""
        return replace(self, mark=mark_of(self.text), owner=owner)


NO_EXTRA = Region("", "", "", "")


def mark_of(text):
    """Eight digits that tell one text from another."""
    return hashlib.sha256(text.strip().encode("utf-8", "backslashreplace")).hexdigest()[:8]


def version_line():
    """The sentence on the course's version, as installed."""
    try:
        return f"{VERSION} {importlib.metadata.version('backprop-from-scratch')}."
    except importlib.metadata.PackageNotFoundError:
        return f"{UNKNOWN}."


def slot_owner(part, own):
    """The learner's part that fills the place of a part, by name: itself, or one that replaces it; else None."""
    replacing = [other.name for other in PARTS if part.name in other.replaces]
    return next((name for name in [*replacing, part.name] if name in own), None)


def compose(own, extra=NO_EXTRA):
    """The whole file, with the learner's regions where there are any."""
    head = (
        '"""My engine: numbers that remember how they were made, and a backward pass through them.\n\n'
        "Each part is an exercise of the course Backpropagation from scratch. It begins as the course's, and becomes\n"
        'yours when you pass the exercise. It imports nothing of the course: "python my_engine.py" learns XOR.\n'
        f"{version_line()}\n"
        '"""\n'
    )
    blocks = [head]
    for part in used(own):
        region = own.get(part.name)
        text = region.text if region else part.text
        owner = f"{region.owner} {region.since}" if region else COURSES
        heading = f"# ── {part.name} · lesson {part.lesson} · {owner} · "
        heading = f"{heading}{region.mark if region else mark_of(text)} ".ljust(110, "─")
        wires = f"\n\n{WIRES} {mark_of(part.wires)}\n{part.wires}" if part.wires else ""
        blocks.append(f"{heading}\n\n{text.strip()}{wires}\n")
    line = f"{EXTRA.rstrip('─')}· {extra.mark} ".ljust(110, "─") if extra.mark else EXTRA
    blocks.append(f"{line}\n{extra.text}" if extra.text.strip() else f"{EXTRA}\n")
    return "\n\n".join(blocks)


def blocks(text):
    """(heading, number of the line below it, lines) of each region; None for what is above all.

    The heading of what stands below the last line is that line, a text.
    """
    heading, first, body = None, 1, []
    for i, line in enumerate(lines_of(text), start=1):
        found = HEADING.fullmatch(line) or (line if line.startswith(EXTRA[:40]) else None)
        if found:
            yield heading, first, body
            heading, first, body = found, i + 1, []
        else:
            body.append(line)
    yield heading, first, body


def lines_of(text):
    """The lines of a file, however they end."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")


def split(body):
    """(a region's text, the line that its wires begin with or "", the lines of the wires and below)."""
    at = next((i for i, line in enumerate(body) if re.fullmatch(rf"{WIRES}( [0-9a-f]{{8}})?", line)), len(body))
    return "\n".join(body[:at]).strip() + "\n", *(body[at:] or [""])[:1], body[at + 1 :]


def is_untouched(heading, body):
    """Whether the text of a region is the course's, as it wrote it, in whatever version."""
    return not heading[2] and heading[4] == mark_of(split(body)[0])


ALL_WIRES = {line for part in PARTS for line in part.wires.split("\n")}  # of files that have no mark there yet


def wires_are_the_courses(begins, lines):
    """Whether the wires of a region are as the course, in whatever version, wrote them."""
    if mark := begins.removeprefix(WIRES).strip():
        return mark == mark_of("\n".join(lines))
    return ALL_WIRES.issuperset(line for line in lines if line.strip())


def parse(text):
    """({name: Region} of what is the learner's, the Region of what stands below the last line, names found again).

    None where this is no such file. Found again are parts whose heading was taken out, under that of another.
    """
    own, extra, again = {}, NO_EXTRA, []
    found = list(blocks(text))
    there = {heading[1] for heading, *_ in found if isinstance(heading, re.Match)}
    if not there:
        return None
    for heading, first, body in found:
        if isinstance(heading, str):
            mark = re.search(r"· ([0-9a-f]{8}) ", heading)
            lines = extra.text + "\n".join(body).strip("\n") + "\n"
            extra = Region("", lines, "", mark[1] if mark else "", line=extra.line if extra.text else first)
        elif heading:
            name, owner, since, mark = heading.groups()
            body, below = parted(heading, body, there)
            text, *_ = split(body)
            if name in BY_NAME and not is_untouched(heading, body):
                own[name] = Region(name, text, since or today(), mark, owner or EDITED, first + leading(body))
            for other, at, lines in below:
                again.append(other)
                text, *_ = split(lines)
                if text.strip() != BY_NAME[other].text.strip():
                    own[other] = Region(other, text, today(), "", EDITED, first + at + leading(lines))
    return own, extra, again


def parted(heading, body, there):
    """(the lines of a region itself, [(name, place, lines)] of parts below it whose heading was taken out).

    Where the region ends is told by its mark; whose the rest is, by what it defines.
    """
    names, below = [part.name for part in PARTS], []
    start = end = end_of(heading, body)
    for name in names[names.index(heading[1]) + 1 :] if heading[1] in names else ():
        rest = body[start:]
        if name in there or not any(line.strip() for line in rest):
            break
        if defines(rest, BY_NAME[name]):
            size = with_wires(rest)
            below.append((name, start, rest[:size]))
            start += size
    return (body[:end], below) if below else (body, [])


def end_of(heading, body):
    """After how many lines of it a region's own text and wires end, as its mark says; all of it where none fits."""
    if heading[4] == mark_of(split(body)[0]):
        return with_wires(body)
    ends = [i for i in range(1, len(body)) if body[i - 1].strip() and not body[i].strip()][:CUTS]
    return next((i for i in ends if heading[4] == mark_of("\n".join(body[:i]))), len(body))


def with_wires(body):
    """How many lines a text has up to the end of its wires; all of it where it has none."""
    _, begins, wires = split(body)
    return len(body) - len(wires) + leading(wires, empty=False) if begins else len(body)


def leading(lines, empty=True):
    """How many lines at the head are empty, or are not."""
    return next((i for i, line in enumerate(lines) if bool(line.strip()) == empty), len(lines))


def defines(lines, part):
    """Whether some lines are a part's: the course's text of it, or a text that gives its names."""
    text = "\n".join(lines)
    if not part.gives:
        return text.strip().startswith(part.text.strip())
    return all(re.search(rf"(?m)^(?:(?:async )?def |class )?{name}\b", text) for name in part.gives)


def lost(old, new, own):
    """The lines of an old file that the new one has no more, where they are a learner's and no cell's.

    own: the learner's regions as they were. What a cell gave may be replaced by what a cell gives, and what the course
    wrote, in whatever version, by what it writes.
    """
    here, gone = {*lines_of(new), *lines_of(compose({}))}, []
    for heading, _, body in blocks(old):
        if isinstance(heading, re.Match):
            text, begins, wires = split(body)
            region = own.get(heading[1])
            noted = region and region.owner == YOURS and region.is_noted and region.text == text
            body = [] if noted or is_untouched(heading, body) else text.split("\n")
            body += [] if wires_are_the_courses(begins, wires) else wires
        gone += [line for line in body if line.strip() and line not in here and not line.startswith((VERSION, UNKNOWN))]
    return gone


def today():
    """The day, as "2026-01-31"."""
    return datetime.date.today().isoformat()


def part_names(part, own):
    """The names that a part gives at the outermost level of the file."""
    region = own.get(part.name)
    try:
        return cells.names_of(region.text if region else part.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # of a text that was changed by hand
        return ()
