"""Puts the text of a learner's cell into the files: methods into the class, the rest below it."""

import ast
import builtins
import datetime
import io
import keyword
import re
import tokenize

from exercises.engine_file import cells
from exercises.engine_file.parts import BY_NAME
from exercises.engine_file.places import COVERED, FILE, OLD_NAMES, file_of, order, slots_of, template
from exercises.engine_file.source import HEAD, IMPORT, NODES, Item, parse
from exercises.engine_file.sources import YOURS, bound_by_main

MOVED, ASSIGNED = "moved", "assigned"  # as methods in the class; or unchanged, and assigned below it
AS_A_LIST = "def topological_order(root):\n    return list({}(root))"  # for an order that is not a list
OF_THE_CLASS = ("__eq__", "__hash__", "__slots__", "__getattr__", "__setattr__", "__getattribute__")


DEFINES = ("def ", "class ", "@", "#")


class CannotMove(Exception):
    """The text of an answer would have a different meaning inside the class."""


def merge(sources, exercise, text, names=(), form=MOVED, since="", owner=YOURS):
    """Put a cell's text, which answers an exercise, into the sources; its answers are the `names` in it.

    form: MOVED or ASSIGNED. Raise CannotMove if the text cannot be moved.
    """
    sources.fill(max(sources.lesson(), lesson_of(exercise)))  # so that there is a class
    file, slots = file_of(exercise), slots_of(exercise)
    document, targets = sources.documents[file], targets_of(exercise, text, names)
    text = with_free_names(sources, file, exercise, text, {*targets, *slots})
    found = parse(text).items
    old = [name for name, each in sources.records[file].items() if each.get("exercise") == exercise]
    new = MOVING[form](sources, file, found, targets)
    left = [item for name in set(old) - {item.name for item in new} - set(slots) if (item := document.find(name))]
    since = since or datetime.date.today().isoformat()
    for i, item in enumerate(new):
        item.gap = (
            1 if item.text.startswith(" ") else min(2, item.gap) if i and not item.text.startswith(DEFINES) else 2
        )
        put(sources, file, item, early=names_at_definition(new))
        if item.name not in ("", IMPORT):
            sources.note(file, item, exercise=exercise, since=since, owner=owner)
    drop(sources, file, left)
    prune(sources)


def drop(sources, file, helpers):
    """Remove those of some helpers that nothing else uses."""
    while unused := [each for each in helpers if not is_used(sources.documents[file], each)]:
        for each in unused:
            sources.give_back(file, each)
            helpers.remove(each)


def is_used(document, item):
    return any(item.name in names_in([node_of(other)]) for other, _ in document.all() if other.name != item.name)


def lesson_of(exercise):
    """Return the lesson of an exercise, the first for one that no longer exists."""
    return BY_NAME[exercise].lesson if exercise in BY_NAME else "00"


def targets_of(exercise, text, names=()):
    """Return {name in the cell: places of the answers that it has}."""
    slots, part = slots_of(exercise), BY_NAME.get(exercise)
    bound = cells.names_of(text)
    names = names or tuple(part.gives if part else ())
    if len(names) != len(slots) and not any(name in bound for name in names):
        names = part.names if part else names
    classes = [name for name in names if is_class(text, name, slots[0])]
    if len(names) == len(slots) and exercise != "make_value" and not classes:
        return {name: (slot,) for name, slot in zip(names, slots)}
    return {(classes or names)[0]: slots}


def is_class(text, name, slot):
    """Return whether a name is a class in a text, for a place that takes a function."""
    return slot[:1].islower() | ("." in slot) and any(
        isinstance(node, ast.ClassDef) and node.name == name for node in ast.parse(text).body
    )


# Methods are moved into the class


def moved(sources, file, found, targets):
    """Return the items for a cell's items, with the answers under the names of their places."""
    new = []
    for item in found:
        node = node_of(item)
        name = getattr(node, "name", None) or (item.name if isinstance(node, ast.Assign) else "")
        if item.name == HEAD:
            new.append(Item("", item.text))
        elif (
            name in targets
            and isinstance(node, ast.ClassDef)
            and targets[name][0].startswith(("Value.", "Tensor.", *COVERED))
        ):
            new += from_class(sources, item, node, targets[name])
        elif name in targets:
            new += placed(file, item, node, name, targets[name][0])
        elif "." in item.name and isinstance(node, ast.Assign):
            new += assigned_attribute(file, item, node, new)
        else:
            new.append(item)
    return new


def placed(file, item, node, name, slot):
    owner = slot.rpartition(".")[0]
    is_lambda = isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) and not is_lambda:
        return [item, *below(slot, name)]
    if owner:
        return [as_method(item, name, slot)]
    return [Item(slot, renamed(item.text, {name: slot}), 2)]


def as_method(item, name, slot):
    """Return a function's item as a method."""
    if any(each.startswith("__") and not each.endswith("__") for each in identifiers(item.text)):
        raise CannotMove(f"{name} uses a private name")
    member = slot.rpartition(".")[2]
    text = renamed(item.text, {name: member}, definition=True)
    return Item(slot, "\n".join(cells.indented(text)), 1)


def from_class(sources, item, node, slots):
    """Return the items of a class whose methods are the answer; all of them go into Value or Tensor, or below it."""
    owner = COVERED.get(slots[0], slots[0]).partition(".")[0]
    if node.decorator_list or node.keywords or any(ast.unparse(base) not in (owner, "object") for base in node.bases):
        raise CannotMove(f"the class {node.name} is not a plain one")
    wanted = {slot.rpartition(".")[2]: slot for slot in slots}
    wanted |= {COVERED[slot].rpartition(".")[2]: slot for slot in slots if slot in COVERED}
    (body,) = parse(re.sub(rf"\bclass {node.name}\b[^:]*:", f"class {owner}:", item.code, count=1)).items
    above, _, said = f"\n{body.text}".partition(f"\nclass {owner}:")
    new = []
    for member in body.members:
        name = member.name.rpartition(".")[2]
        if member.name in NODES or (name in OF_THE_CLASS or not name):
            raise CannotMove(f"the class {node.name} has more than methods")
        slot = wanted.get(name, f"{owner}.{name}")
        if slot == "Value.__mul__" and slots == slots_of("multiply"):
            continue
        if slot in COVERED:
            new.append(Item(slot, renamed(member.code, {name: slot}, definition=True), 2))
        elif slot == "Value.__init__" and slot in slots:
            new.append(Item(slot, grown(member.text, node_of(member)), 1))
        else:
            new.append(Item(slot, member.text, 1))
    if "Value.__init__" in slots:
        sources.documents[FILE].class_of("Value").text = f"{above}\nclass Value:{said}".lstrip("\n")
    elif above.strip() or said.strip():
        said = re.sub(
            r'^( *)("""|\'\'\')?', r"\1# ", re.sub(r'("""|\'\'\')$', "", said.strip("\n").rstrip()), flags=re.MULTILINE
        )
        lines = [*above.strip("\n").split("\n"), *said.strip("\n").split("\n")]
        comment = "\n".join(f"    {line.strip()}" for line in lines if line.strip())
        new[0].text = f"{comment}\n{new[0].text}"
    return new


def grown(text, node):
    """Return a learner's `__init__` of one number, extended by the other attributes of a node."""
    args = node.args
    if len(args.args) > 2:  # it sets all attributes of a node
        return text
    plain = len(args.args) == 2 and not (
        args.defaults or args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs
    )
    if not plain or any(isinstance(each, ast.Return | ast.Yield) for each in ast.walk(node)):
        raise CannotMove("its __init__ is not a plain one")
    given = template(FILE).find("Value.__init__").text.split("\n")
    me, data = (arg.arg for arg in args.args)
    start, count = re.subn(r"\(\s*\w+\s*,\s*\w+[^,)]*\)", f'({me}, {data}, _prev=(), _op="", label="")', text, count=1)
    rest = [re.sub(r"\bself\b", me, line) for line in given[2:]]
    if not count:
        raise CannotMove("its __init__ is not a plain one")
    return "\n".join([start.rstrip(), *rest])


def assigned_attribute(file, item, node, new):
    """Return the items of `Value.x = …`, as a method if that is a function of this cell or a lambda."""
    value, before = node.value, {each.name: each for each in new}
    if isinstance(value, ast.Lambda):
        text = re.sub(r"^\w+\.", "", item.text, count=1, flags=re.MULTILINE)
        return [Item(item.name, "\n".join(cells.indented(text)), 1)]
    if isinstance(value, ast.Name) and value.id in before and before[value.id].text.lstrip().startswith(("def", "#")):
        function = before[value.id]
        new.remove(function)
        return [as_method(function, value.id, item.name)]
    return [item]


# Code that cannot be moved stays unchanged


def assigned(sources, file, found, targets):
    """Return a cell's items unchanged, with its answers assigned below them."""
    new = []
    for name, slots in targets.items():
        node = next((node_of(item) for item in found if item.name == name), None)
        for slot in slots:
            owner, _, member = COVERED.get(slot, slot).rpartition(".")
            if isinstance(node, ast.ClassDef) and slots == slots_of("multiply") and not owner:
                continue
            if slots == slots_of("make_value"):
                made = template(FILE).find(slot).text.replace("self.data = data", f"{name}.__init__(self, data)")
                of_data = member == "__init__" and not takes_more_than_data(node)
                new.append(Item(slot, made if of_data else f"    {member} = {name}.{member}", 1))
            else:
                new += below(slot, f"{name}.{member}" if owner in NODES and isinstance(node, ast.ClassDef) else name)
    return [Item("", each.text) if each.name == HEAD else each for each in found] + new


def takes_more_than_data(node):
    """Return whether a class defines an `__init__` with more than one number, as `make_value` requires today."""
    methods = [each for each in getattr(node, "body", ()) if getattr(each, "name", "") == "__init__"]
    return any(isinstance(each, ast.FunctionDef) and len(each.args.args) > 2 for each in methods)


def below(slot, value):
    """Return the item, if one is needed, that assigns a value to a place where its text cannot be."""
    if slot == "topological_order" != value:
        return [Item(slot, AS_A_LIST.format(value))]
    return [] if slot == value else [Item(slot, f"{slot} = {value}", 1)]


MOVING = {MOVED: moved, ASSIGNED: assigned}


# Into the file


def put(sources, file, item, early=()):
    """Put an item into its place, or in place of the one with its name."""
    document = sources.documents[file]
    if item.name == IMPORT:
        lines = item.text.strip()
        if all(each.text.strip() != lines for each in document.items):
            if "\n" in lines or "," in lines:
                at = len([each for each in document.items if each.name in (HEAD, IMPORT)])
                document.items.insert(at, Item(IMPORT, lines, 0 if at and document.items[at - 1].name == IMPORT else 1))
            else:
                sources.add_import(file, lines)
        return
    known = document.find(item.name) if item.name else None
    if known and known.text[:1].isspace() == item.text[:1].isspace():
        document.replace(known, item)
        return
    if known:
        document.remove(known)
    sources.insert(file, item, above=item.name in early and item.name not in order(file))


def names_at_definition(items):
    """Return the names of those items that methods need when the class is made: in decorators and defaults."""
    needed = set()
    for item in items:
        if item.text.startswith(" "):
            needed |= names_in(defining(node_of(item)))
    by_name = {item.name: item for item in items if not item.text.startswith(" ")}
    while True:
        more = {name for each in needed & by_name.keys() for name in names_in([node_of(by_name[each])])}
        if more <= needed:
            return needed & by_name.keys()
        needed |= more


def defining(node):
    """Return the parts of a definition that run when it is made."""
    if isinstance(node, ast.FunctionDef):
        args = node.args
        return [*node.decorator_list, *args.defaults, *filter(None, args.kw_defaults)]
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
        return [*node.value.args.defaults]
    return [node.value] if isinstance(node, ast.Assign) else []


def prune(sources):
    """Remove the functions of lesson 02 that nothing uses any more, because methods with rules have replaced them."""
    document = sources.documents[FILE]
    for name, slot in COVERED.items():
        item = document.find(name)
        is_from_cell = sources.record_of(name).get("owner") == YOURS
        if item and is_from_cell and sources.is_theirs(slot) and not is_used(document, item):
            document.remove(item)
            sources.records[FILE].pop(name, None)


def with_free_names(sources, file, exercise, text, own):
    """Return a cell's text with its helpers renamed if the file has other things of these names."""
    document, changes = sources.documents[file], {}
    taken = {name for names in (order(file), OLD_NAMES, bound_by_main(), vars(builtins)) for name in names} - own
    helpers = {item.name: item for item in parse(text).items if item.name and item.name not in own}
    for name in cells.names_of(text):
        item = document.find(name)
        is_other = item and sources.records[file].get(name, {}).get("exercise") != exercise
        is_same = is_other and name in helpers and helpers[name].tree == item.tree
        imported = name not in helpers and any(each.name == IMPORT for each in parse(text).items)
        if name not in own and not is_same and not imported and (is_other or name in taken):
            changes[name] = f"{name}_{exercise}"
    return renamed(text, changes) if changes else text


# Names in a text


def node_of(item):
    """Return the statement of an item; None if there is none."""
    try:
        body = ast.parse(item.code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return body[0] if body else None


def names_in(nodes):
    return {each.id for node in nodes if node for each in ast.walk(node) if isinstance(each, ast.Name)}


def identifiers(text):
    tokens = tokenize.generate_tokens(io.StringIO(text + "\n").readline)
    return {token.string for token in tokens if token.type == tokenize.NAME and not keyword.iskeyword(token.string)}


def renamed(text, changes, definition=False):
    """Return a text with some names changed; with `definition`, only the first, which is the one defined."""
    lines, before, places = text.split("\n"), "", []
    for token in tokenize.generate_tokens(io.StringIO(text + "\n").readline):
        if token.type == tokenize.NAME and token.string in changes and before != ".":
            places.append((*token.start, token.string))
        elif token.type == tokenize.STRING and "f" in token.string[:2].lower() and not definition:
            for name in changes:  # before Python 3.12 an f-string is one token
                for match in re.finditer(r"(?<=\{)[^{}]*", token.string):
                    for use in re.finditer(rf"(?<![\w.]){name}\b", match[0]):
                        if "\n" not in token.string:
                            places.append((token.start[0], token.start[1] + match.start() + use.start(), name))
        before = token.string
    for row, column, name in sorted(places[:1] if definition else places, reverse=True):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + changes[name] + line[column + len(name) :]
    return "\n".join(lines)
