"""A learner's engine as text: my_engine.py and my_tensor.py, with the course's items if the learner has none."""

import ast
import copy
import importlib.metadata
import sys
from dataclasses import dataclass, field

from exercises.engine_file import cells
from exercises.engine_file.parts import BY_NAME, EXERCISES
from exercises.engine_file.places import (
    BRIDGES,
    COVERED,
    FILE,
    FILES,
    OLD_NAMES,
    TENSOR_FILE,
    file_of,
    first_lesson,
    imports,
    order,
    slots_of,
    template,
)
from exercises.engine_file.source import COURSES, HEAD, IMPORT, MAIN, NODES, Document, Item, digest, parse

YOURS, EDITED, UNCHECKED, THE_COURSES = "yours", "changed in the file", "unchecked", "the course's"


def version():
    """Return the installed version of the course; "" if it is not installed."""
    try:
        return importlib.metadata.version("backprop-from-scratch")
    except importlib.metadata.PackageNotFoundError:
        return ""


@dataclass
class Sources:
    """The Documents of both files, and the records of their items: {file: {name: {"tree", "text", …}}}."""

    documents: dict = field(default_factory=lambda: {file: Document() for file in FILES})
    records: dict = field(default_factory=lambda: {file: {} for file in FILES})

    def copy(self):
        return Sources({file: each.copy() for file, each in self.documents.items()}, copy.deepcopy(self.records))

    @classmethod
    def from_texts(cls, texts, records):
        """Return the Sources of plain data: {file: text} and records."""
        documents = {file: parse(texts.get(file, "")) for file in FILES}
        return cls(documents, {file: dict(records.get(file, {})) for file in FILES})

    def texts(self):
        """Return {file: its text} of the files that have one."""
        return {file: text for file, each in self.documents.items() if (text := each.to_source())}

    def find(self, name):
        """Return the item with a name, in the file that it belongs to."""
        return self.documents[file_of(name)].find(name)

    def is_theirs(self, name):
        """Return whether the learner has written the item with a name."""
        item = self.find(name)
        return item is not None and not item.is_courses

    def record_of(self, name):
        return self.records[file_of(name)].get(name, {})

    def theirs(self):
        """Yield (file, item) of all that is not the course's, except the first lines, imports and comments."""
        for file, document in self.documents.items():
            for item, _ in document.all():
                if item.name not in (HEAD, IMPORT) and not item.is_courses and not is_comment(item):
                    yield file, item

    def exercise_of(self, slot):
        """Return the exercise that the learner's item in a place comes from; None if it is the course's."""
        if not self.is_theirs(slot):
            return None
        recorded = self.record_of(slot).get("exercise")
        asking = [part.name for part in EXERCISES if slot in slots_of(part.name)]
        if recorded in BY_NAME and (recorded in asking or not asking):
            return recorded
        return asking[0] if asking else None

    def owner(self, name):
        """Return the learner's exercise that fills the places of an exercise: it, or another; else None."""
        slots = slots_of(name)
        if len(slots) == 1 and slots[0] in COVERED and not self.is_theirs(slots[0]):
            slots = (COVERED[slots[0]],)
        filled = [self.exercise_of(slot) for slot in slots]
        return max(filled, key=list(BY_NAME).index) if filled and all(filled) else None

    def later_parts(self, name):
        """Return the learner's later exercises that fill places of an exercise."""
        filled, known = map(self.exercise_of, slots_of(name)), list(BY_NAME)
        return [each for each in dict.fromkeys(filled) if each in known[known.index(name) + 1 :]]

    def later_in_place(self, name):
        """Return a sentence on the learner's later exercises if they fill all places of an exercise; else ""."""
        later = self.later_parts(name) if name in BY_NAME else ()
        if not later or any(self.exercise_of(slot) not in later for slot in slots_of(name)):
            return ""
        return f"{FILE} has a later part of yours in its place: {' and '.join(later)}."

    def owned(self):
        """Return the exercises whose answers are in the files."""
        return [part.name for part in EXERCISES if self.owner(part.name) == part.name]

    def is_noted(self, file, item):
        """Return whether an item is unchanged since it was last judged, or accepted unchecked."""
        return self.records[file].get(key_of(item), {}).get("tree") == item.tree

    def unnoted(self):
        """Return {(file, name or text): item} of all that the learner has changed in the files since it was judged."""
        return {(file, key_of(item)): item for file, item in self.theirs() if not self.is_noted(file, item)}

    def without(self, keys):
        """Return a copy with the course's items, or none, in place of these."""
        left = self.copy()
        for file, key in keys:
            left.leave_out(file, key)
        return left

    def leave_out(self, file, key):
        """Replace an item by the course's, or remove it."""
        for item, _ in list(self.documents[file].all()):
            if key_of(item) == key and not item.is_courses:
                self.give_back(file, item)

    def whole(self):
        """Return a copy with all items of the course's that the learner has not written."""
        left = self.copy()
        left.fill("99")
        return left

    def as_theirs(self, exercises):
        """Return a whole copy in which the course's items in the places of these exercises are not marked."""
        whole = self.whole()
        for slot in {slot for name in exercises for slot in slots_of(name)}:
            if (item := whole.find(slot)) and item.is_courses:
                whole.documents[file_of(slot)].replace(item, item.unmarked())
        return whole

    def exercise_items(self, exercise):
        """Return (file, item) of the items recorded as an exercise's."""
        file = file_of(exercise)
        names = [name for name, each in self.records[file].items() if each.get("exercise") == exercise]
        names += [slot for slot in slots_of(exercise) if self.exercise_of(slot) == exercise]
        found = [self.documents[file].find(name) for name in dict.fromkeys(names)]
        return [(file, item) for item in found if item and not item.is_courses]

    def note(self, file, item, **fields):
        """Record the current state of an item."""
        known = self.records[file].get(key_of(item), {})
        self.records[file][key_of(item)] = known | {"tree": item.tree, "text": digest(item.code)} | fields

    def lesson(self):
        """Return the lesson that the learner has reached, judging by their parts."""
        return max((BY_NAME[name].lesson for name in self.owned()), default="00")

    # The course's items

    def courses(self, file, name):
        """Return the course's item for a place, marked: one that uses a learner's function if that has no rule."""
        if file == FILE and self.is_bridge(name):
            return template("bridges.py").find(name).marked()
        found = template(file).find(name)
        return found and found.marked()

    def is_bridge(self, name):
        """Return whether the course's item in a place uses a learner's function that has no rule."""
        return any(name in names and self.is_theirs(function) for function, names in BRIDGES.items())

    def untouched(self, file, item):
        """Return whether an item marked as the course's really is, in any version."""
        if not item.is_courses:
            return False
        known = self.records[file].get(item.name, {}).get("tree")
        candidates = [
            self.courses(file, item.name),
            template(file).find(item.name),
            template("bridges.py").find(item.name),
        ]
        return item.tree in {known, *(each.tree for each in candidates if each)}

    def fill(self, lesson=None):
        """Put in the course's current items that a learner at a lesson has reached and not written.

        Without a lesson: those that the learner has reached, judging by their parts. Whatever these use comes with
        them.
        """
        lesson = lesson or self.lesson()
        for file, document in self.documents.items():
            wanted = [name for name in order(file) if name not in (HEAD, IMPORT, *NODES)]
            wanted = [name for name in wanted if first_lesson(file, name) <= lesson]
            for item, _ in list(document.all()):
                if item.is_courses and (found := self.courses(file, item.name)) and item.name in wanted:
                    document.replace(item, found)
                elif item.is_courses:
                    document.remove(item)
            for name in wanted:
                if not document.find(name):
                    self.insert(file, self.courses(file, name))
            self.complete(file)

    def complete(self, file):
        """Put in what the items of a file use: other items of the course, names of exercises, imports."""
        document = self.documents[file]
        if not document.items:
            return
        for _ in range(9):
            missing = lacking(document)
            for name in missing:
                if (name == "one_input" and self.is_theirs("local_derivative")) or (
                    name in order(file) and name not in NODES
                ):
                    self.insert(file, self.courses(file, name))
                elif name in OLD_NAMES and file_of(OLD_NAMES[name]) == file:
                    self.insert(file, Item(name, f"{name} = {OLD_NAMES[name]}  {COURSES}", 1))
            if not set(missing) & {*order(file), *OLD_NAMES}:
                break
        others = Document() if file == FILE else self.documents[FILE]
        for name in missing:
            if file == TENSOR_FILE and (name in order(FILE) or others.find(name)):
                if not others.find(name) and name not in NODES:
                    self.insert(FILE, self.courses(FILE, name))
                    self.complete(FILE)
                self.add_import(file, f"from my_engine import {name}")
            elif line := imports().get(name):
                self.add_import(file, line)
        whole = template(file).find(HEAD)
        short = Item(HEAD, whole.text.split("\n")[0] + '"""', 0)  # as long as it does nothing when run as a script
        wanted = copy.copy(whole if document.find(MAIN) else short)
        if document.items[0].name != HEAD:
            document.items.insert(0, wanted)
            document.items[1].gap = 1 if document.items[1].name == IMPORT else 2
        elif document.items[0].text in (whole.text, short.text):
            document.items[0].text = wanted.text

    def insert(self, file, item, above=False):
        """Put an item into its place in the order of the template; below or above the class, if it has none there."""
        document, places = self.documents[file], order(file)
        owner = item.name.partition(".")[0]
        if owner in NODES and item.text.startswith(" "):
            if (node := document.class_of(owner)) is None:
                shape = template(file).class_of(owner)
                node = Item(owner, shape.text, 2)
                place(document.items, node, places)
            place(node.members, item, places)
            item.gap = 1
            if node.members[0] is item and len(node.members) > 1:
                node.members[1].gap = 1
        elif item.name in places and "." not in item.name:
            place(document.items, item, places)
        else:
            at = next((i for i, each in enumerate(document.items) if each.name in NODES), None)
            start = len([each for each in document.items if each.name in (HEAD, IMPORT)]) - 1
            at = start if at is None else at - 1 if above else at
            while not above and at + 1 < len(document.items) and is_helper(document.items[at + 1], places):
                at += 1
            document.items.insert(at + 1, item)

    def add_import(self, file, line):
        """Add an import at the top, to a line that imports from the same module if there is one."""
        items = self.documents[file].items
        there = [i for i, item in enumerate(items) if item.name == IMPORT]
        start, _, name = line.partition(" import ")
        for i in there if name else ():
            if items[i].text.startswith(f"{start} import ") and "(" not in items[i].text:
                names = {*items[i].text.partition(" import ")[2].split(", "), name}
                items[i].text = f"{start} import {', '.join(sorted(names))}"
                return
        before = [i for i in there if kind_of_import(items[i].text) <= kind_of_import(line)]
        at = before[-1] + 1 if before else there[0] if there else int(bool(items) and items[0].name == HEAD)
        items.insert(at, Item(IMPORT, line, 1))
        for above, item in zip(items[at - 1 : at + 1] if at else (), items[at : at + 2]):
            if above.name == item.name == IMPORT:
                item.gap = int(kind_of_import(above.text) != kind_of_import(item.text))

    def give_back(self, file, item):
        """Replace the learner's item by the course's, or remove it if the course has none there."""
        self.records[file].pop(key_of(item), None)
        found = None if item.name in COVERED else self.courses(file, item.name)
        if found and item.text[:1].isspace() == found.text[:1].isspace():
            self.documents[file].replace(item, found)
        else:
            self.documents[file].remove(item)

    def claim(self):
        """Mark changed items of the course as the learner's, and those that only lost their mark as the course's."""
        for file, document in self.documents.items():
            for item, _ in list(document.all()):
                known = self.records[file].get(item.name, {})
                if item.is_courses and not self.untouched(file, item):
                    document.replace(item, item.unmarked())
                    self.records[file].pop(item.name, None)
                elif not item.is_courses and known.get("owner") == THE_COURSES and known["tree"] == item.tree:
                    document.replace(item, item.marked())

    def note_courses(self):
        """Record the course's items of this version."""
        for file, document in self.documents.items():
            for item, _ in document.all():
                if item.is_courses:
                    self.records[file][item.name] = {"tree": item.tree, "owner": THE_COURSES}
            there = {key_of(item) for item, _ in document.all()}
            self.records[file] = {name: each for name, each in self.records[file].items() if name in there}


def key_of(item):
    """Return the key of an item in its file: its name, or a hash of its text if it has none."""
    return item.name or digest(item.text)


def kind_of_import(line):
    """Return 0 for an import of Python's own modules, 1 for other ones, 2 for the learner's engine."""
    module = line.split()[1].split(".")[0]
    return 2 if module == "my_engine" else int(module not in sys.stdlib_module_names)


def is_helper(item, places):
    """Return whether an item below the class has no place in the template."""
    return item.name not in places or "." in item.name


def is_comment(item):
    return not item.name and all(not line.strip() or line.strip().startswith("#") for line in item.text.split("\n"))


def place(items, item, places):
    """Insert an item after the last one that precedes it in the order; at the end, if it has no place in it."""
    own = places.get(item.name, len(places))
    before = [i for i, each in enumerate(items) if places.get(each.name, own) < own]
    first = len([each for each in items if each.name in (HEAD, IMPORT)])
    items.insert(before[-1] + 1 if before else first if item.name in places else len(items), item)


def lacking(document):
    """Return the names that a file's items use but neither define nor get from Python."""
    sound = [item for item in document.items if not item.broken]
    sound = [Item(i.name, i.text, i.gap, [m for m in i.members if not m.broken]) for i in sound]
    try:
        return [
            name for name in cells.undefined_names(Document(sound).to_source(), ("__file__",)) if name != "__name__"
        ]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def bound_by_main():
    """Return the names that the last lines of the files bind."""
    texts = [template(file).find(MAIN).text for file in FILES]
    return {name for text in texts for node in ast.walk(ast.parse(text)) for name in names_bound(node)}


def names_bound(node):
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    return {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else set()
