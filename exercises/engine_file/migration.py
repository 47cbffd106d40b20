"""Converts a `my_engine.py` of the earlier form: a row of regions, each under a ruled heading with a hash."""

import hashlib
import re

from exercises.engine_file import merging
from exercises.engine_file.parts import EXERCISES
from exercises.engine_file.places import (
    COVERED,
    EARLIER_NAMES,
    FILE,
    OLD_NAMES,
    PLACES,
    TENSOR_FILE,
    file_of,
    order,
    slots_of,
    template,
)
from exercises.engine_file.source import HEAD, IMPORT, MAIN, NODES, Item, parse
from exercises.engine_file.sources import EDITED, UNCHECKED, YOURS, Sources, lacking

OWNERS = {"yours since": YOURS, "yours, changed in the file": EDITED, "yours, unchecked since": UNCHECKED}
HEADING = re.compile(
    rf"# ── (\w+) · lesson \d\d · (?:({'|'.join(OWNERS)}) ([\d-]+)|the course's) · ([0-9a-f]{{8}}) ─* *"
)
BELOW = "# ── below this line all is yours"
WIRES = re.compile(r"# Put to work:.*")
A_WIRE = re.compile(r"(Value|Tensor)\.\w+.* = |topological_order = |inputs_first = |\s*$")
SINCE = ("multiply", "first_rules", "rules", "relu", "functions", "sigmoid", "first_backward", "matmul", "rows")
GIVES = {"make_value": ("Number",), **EARLIER_NAMES}  # in order of insertion
GIVES |= {part.name: part.names for part in EXERCISES if part.name not in (*SINCE, *GIVES)}


def is_old(text):
    """Return whether a text is a file of the earlier form."""
    return any(HEADING.fullmatch(line) for line in lines_of(text))


def lines_of(text):
    """Return the lines of a file, whatever its line endings."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")


def migrated(text):
    """Return the Sources of a file of the earlier form, with all that is the learner's in its new place."""
    own, rest = regions(text)
    sources = Sources()
    for name in sorted(own, key=[*GIVES, *own].index):
        code, owner, since = own[name]
        if name in GIVES:
            put_exercise(sources, name, code, owner, since)
        else:
            put_given(sources, code)
    put_rest(sources, rest)
    sources.fill()
    return sources


def regions(text):
    """Return ({name: (text, owner, since)} of the learner's parts, the text that belongs to no part)."""
    own, rest, heading, body = {}, [], None, []
    below = False
    for line in [*lines_of(text), BELOW]:
        found = HEADING.fullmatch(line)
        if not (found or line.startswith(BELOW)):
            (rest if below else body).append(line)
            continue
        if heading:
            for name, (code, owner, since) in owned(heading, body).items():
                if name == "":
                    rest.append(code)
                elif name not in own or owner != YOURS:
                    own[name] = code, owner, since
        elif any(each.strip() for each in body):
            rest += head_of(body)
        heading, body, below = found, [], not found
    return own, "\n".join(rest).strip("\n")


def head_of(body):
    """Return the lines above the first heading without the course's docstring."""
    text = "\n".join(body)
    return re.sub(r'^"""My engine: .*?"""\n', "", text.lstrip("\n"), count=1, flags=re.DOTALL).split("\n")


def owned(heading, body):
    """Return {name: (text, owner, since)} of the learner's code under a heading; "" for code of no part."""
    name, owner, since, mark = heading.groups()
    text, others = parted(body)
    found, name = {}, "product" if name == "multiply" else name
    if owner or mark != mark_of(text):
        found[name] = text, OWNERS.get(owner, EDITED) if mark == mark_of(text) else EDITED, since or ""
    for other in others:
        found[""] = found.get("", ("",))[0] + "\n\n" + other, EDITED, ""
    return found


def parted(body):
    """Return (the text of a region up to its wires, texts after them that are no wires)."""
    texts, inside = [[]], False
    for line in body:
        if WIRES.fullmatch(line):
            inside = True
        elif inside and not A_WIRE.match(line):
            texts.append([line])
            inside = False
        elif not inside:
            texts[-1].append(line)
    first, *others = ["\n".join(lines).strip() for lines in texts]
    return first + "\n", [text for text in others if text]


def mark_of(text):
    """Return the eight digits that a heading holds for the text below it."""
    return hashlib.sha256(text.strip().encode("utf-8", "backslashreplace")).hexdigest()[:8]


def put_exercise(sources, name, code, owner, since):
    """Put a part of the learner's into its place: moved if that can be, else assigned."""
    if parse(code).items and not any(item.broken for item in parse(code).items):
        for form in (merging.MOVED, merging.ASSIGNED):
            try:
                merging.merge(sources, name, code, GIVES[name], form, since, owner)
                return
            except (merging.CannotMove, SyntaxError):
                continue
    put_rest(sources, code)


def put_given(sources, code):
    """Put the learner's changes of the course's own parts into their places."""
    new = []
    for item in parse(code).items:
        for each in item.members or [item]:
            name = OLD_NAMES.get(each.name, each.name)
            file = TENSOR_FILE if name.startswith("Tensor") or file_of(name) == TENSOR_FILE else FILE
            if each.name != name and each.text.startswith("def ") and "." in name:
                each = merging.as_method(each, each.name, name)
                if name == "Tensor.T":
                    each = Item(name, f"    @property\n{each.text}", 1)
            elif "." in each.name and not each.text.startswith(" "):
                new.extend((file, item) for item in merging.assigned_attribute(file, each, merging.node_of(each), []))
                continue
            each = Item(name, re.sub(r"super\(\).__init__\(data\)", "self.data = data", each.text), each.gap)
            known = template(file).find(name)
            if not (known and known.tree == each.tree) and each.name != IMPORT:
                new.append((file, each))
    if any(item.name == MAIN for _, item in new):
        put_rest(sources, code)
        return
    for file, item in new:
        merging.put(sources, file, item)


def put_rest(sources, text):
    """Put code that belongs to no part below everything else: into my_tensor.py if it needs Tensors."""
    items = parse(text).items
    missing = lacking(parse(text))
    file = TENSOR_FILE if any(name in order(TENSOR_FILE) and name not in order(FILE) for name in missing) else FILE
    document = sources.documents[file]
    for item in items:
        name = OLD_NAMES.get(item.name, item.name)
        if item.name == HEAD:
            item = Item("", item.text, item.gap)
        if item.name == IMPORT:
            merging.put(sources, file, item)
        elif name in COVERED or name in PLACES or item.name in GIVES or item.name in NODES or document.find(item.name):
            put_part(sources, item)
        else:
            document.items.append(item)


def put_part(sources, item):
    """Put a part without its heading into its place, or, if that is taken, below everything else."""
    exercise = next((key for key, names in GIVES.items() if item.name in names), None)
    if exercise and not any(map(sources.is_theirs, slots_of(exercise))):
        put_exercise(sources, exercise, item.text, EDITED, "")
    else:
        sources.documents[FILE].items.append(Item("", item.text, item.gap))
