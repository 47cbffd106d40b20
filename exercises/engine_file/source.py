"""The text of a Python file as a list of items: imports, functions, classes with their methods, and the rest.

`render(parse(text).items)` returns the same text. A part that is not valid Python becomes its own item, so one
typing error does not hide the rest of the file.
"""

import ast
import copy
import hashlib
import re
import textwrap
from dataclasses import dataclass, field

COURSES = "# the course's"  # ends the first line of code that the learner has not written
NODES = ("Value", "Tensor")  # the classes whose methods are items, too
MAIN, HEAD, IMPORT = "main", "head", "import"
STARTS = re.compile(r"([ \t]*)(?:@|(?:async )?def |class |if )")


@dataclass
class Item:
    """A statement, with the comment right above it and the number of empty lines before that.

    name: "Value.__add__", "train", MAIN, HEAD, IMPORT; "" for any other statement or comment. members: the items of a
    class of nodes, whose text then ends before the first of them. line: where the text begins in its file. broken: why
    it is not valid Python.
    """

    name: str
    text: str
    gap: int = 2
    members: list = field(default_factory=list)
    line: int = 0
    broken: str = ""

    @property
    def first(self):
        """The index of the line of the text that its `def`, `class` or `if` begins."""
        lines = self.text.split("\n")
        code = [i for i, line in enumerate(lines) if line.strip() and not line.strip().startswith("#")]
        starts = [i for i in code if STARTS.match(lines[i]) and not lines[i].strip().startswith("@")]
        return (starts or code or [0])[0]

    @property
    def is_courses(self):
        """True if its first line is marked as the course's."""
        return self.text.split("\n")[self.first].rstrip().endswith(COURSES)

    def with_first_line(self, change):
        lines, i = self.text.split("\n"), self.first
        lines[i] = change(lines[i])
        return Item(self.name, "\n".join(lines), self.gap, self.members, self.line, self.broken)

    def marked(self):
        """Return the item marked as the course's, instead of any comment on its first line."""
        return self.with_first_line(lambda line: f"{re.sub(r'  # .*', '', line)}  {COURSES}")

    def unmarked(self):
        """Return the item without the course's mark."""
        return self.with_first_line(lambda line: line.rstrip().removesuffix(COURSES).rstrip())

    @property
    def code(self):
        """The text without its indentation."""
        return textwrap.dedent(self.text)

    @property
    def tree(self):
        """A hash of its syntax tree: comments and layout do not change it."""
        try:
            return digest(ast.dump(ast.parse(self.code)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return digest(self.text)


@dataclass
class Document:
    """The items of a file, in order."""

    items: list = field(default_factory=list)

    def copy(self):
        """Return a copy whose items can be changed."""
        return Document(copy.deepcopy(self.items))

    def all(self):
        """Yield every item that is not a class of nodes, and the list that it is in."""
        for item in self.items:
            if not item.members:
                yield item, self.items
            for member in item.members:
                yield member, item.members

    def find(self, name):
        """Return the item with a name, None if there is none."""
        return next((item for item, _ in self.all() if item.name == name), None)

    def names(self):
        return [item.name for item, _ in self.all() if item.name]

    def replace(self, old, new):
        """Put an item in the place of another."""
        for item, items in self.all():
            if item is old:
                items[items.index(old)] = Item(new.name, new.text, old.gap, new.members, old.line)
                return

    def remove(self, item):
        """Remove an item, and a class of nodes with its last one."""
        for each, items in list(self.all()):
            if each is item:
                items.remove(item)
        self.items = [each for each in self.items if each.members or each.name not in NODES]

    def class_of(self, name):
        """Return the item of a class of nodes, None if there is none."""
        return next((item for item in self.items if item.name == name), None)

    def to_source(self):
        return render(self.items)


def digest(text):
    """Return eight hexadecimal digits that distinguish one text from another."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def render(items):
    lines = []
    for item in items:
        for each in (item, *item.members):
            lines += [""] * (each.gap if lines else 0) + each.text.split("\n")
    return "\n".join(lines) + "\n" if lines else ""


def parse(text):
    """Return the Document of a file's text, whatever its line endings."""
    lines = re.sub(r"\r\n?", "\n", text.removeprefix("\ufeff")).split("\n")
    tree, broken = tree_of(lines)
    return Document(items_of(tree.body, lines, 0, len(lines), broken))


def tree_of(lines):
    """Return (the syntax tree of some lines, {index of the first line: why}) with broken definitions left out."""
    lines, broken = list(lines), {}
    while True:
        try:
            return ast.parse("\n".join(lines)), broken
        except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
            start, lines = without_broken(lines, fault)
            broken[start] = f"{type(fault).__name__}: {getattr(fault, 'msg', fault)}"


def without_broken(lines, fault):
    """Return (index of the first line, lines) with an empty definition in place of the one that has an error.

    An open bracket shows only in a later definition, so the ones before it are tried, too.
    """
    error_line = getattr(fault, "lineno", None) or 1
    at = min(error_line, len(lines)) - 1
    for _ in range(4):
        start, end = definition_around(lines, at)
        found = re.match(r"([ \t]*)(?:async )?(def|class) (\w+)", lines[start])
        stand_in = f"{found[1]}{found[2]} {found[3]}{'()' * (found[2] == 'def')}: ..." if found else "..."
        changed = [*lines[:start], stand_in, *[""] * (end - start - 1), *lines[end:]]
        try:
            ast.parse("\n".join(changed))
            return start, changed
        except (SyntaxError, ValueError, RecursionError, MemoryError) as other:
            if (getattr(other, "lineno", 0) or 0) > max(error_line, end):
                return start, changed
        at = max(start - 1, 0)
    return 0, ["..."] + [""] * (len(lines) - 1)


def definition_around(lines, at):
    """Return (start, end) of the definition, of the module or of a class in it, that has the line at an index."""
    heads = re.compile(r"(?: {4})?(?:async def|def|class)\b|if __name__\b|@|import\b|from\b")
    starts = [i for i, line in enumerate(lines) if heads.match(line)]
    start = max((i for i in starts if i <= at), default=0)
    indent = len(lines[start]) - len(lines[start].lstrip())
    end = next((i for i in starts if i > max(start, at)), len(lines))
    for i in range(max(start, at) + 1, end):
        if lines[i].strip() and not lines[i].startswith(" ") and indent == 0 and not lines[i].startswith(")"):
            return start, i
    return start, end


def items_of(body, lines, low, high, broken, prefix=""):
    """Return the items of some statements, which are in `lines[low:high]`, with the comments between them."""
    found, end = [], low
    for i, node in enumerate(body):
        start = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))]) - 1
        if start < end:  # it shares a line with the previous one
            end = max(end, node.end_lineno)
            found[-1].text = "\n".join(lines[found[-1].line - 1 : end])
            continue
        while start > end and lines[start - 1].strip().startswith("#"):
            start -= 1
        found += comments(lines, end, start)
        below = body[i + 1].lineno - 1 if i + 1 < len(body) else high
        why = next((broken[k] for k in range(start, node.lineno) if k in broken), "")
        stop = last_line(lines, node.end_lineno, below, is_broken=bool(why), indent=len(prefix and "    "))
        gap = start - last_text(lines, low, start)
        item = Item(name_of(node, prefix, i), "", gap, line=start + 1, broken=why)
        if item.name in NODES and not prefix and isinstance(node, ast.ClassDef) and not why:
            first = next((k for k, each in enumerate(node.body) if not is_text(each)), len(node.body))
            begins = node.body[first - 1].end_lineno if first else opening(lines, node)
            item.members = items_of(node.body[first:], lines, begins, stop, broken, f"{node.name}.")
            item.text = "\n".join(lines[start : begins if item.members else stop])
        else:
            item.text = "\n".join(lines[start:stop])
        if found and found[-1].name == item.name and prefix and gap < 2:  # a property and its setter
            item = Item(item.name, f"{found[-1].text}\n{chr(10) * gap}{item.text}", found[-1].gap, line=found[-1].line)
            found.pop()
        found.append(item)
        end = stop
    return found + comments(lines, end, high)


def name_of(node, prefix, i):
    """Return the name that an item has from its statement."""
    match node:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            return prefix + name
        case ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)):
            return prefix + name
        case ast.Assign([ast.Attribute(ast.Name(owner), name)]) if owner in NODES and not prefix:
            return f"{owner}.{name}"
        case ast.Import() | ast.ImportFrom():
            return IMPORT
        case ast.If(ast.Compare(ast.Name("__name__"))):
            return MAIN
    return HEAD if is_text(node) and not prefix and i == 0 else ""


def is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def opening(lines, node):
    """Return the number of lines up to the colon that opens a class's body."""
    first = min([node.body[0].lineno, *(each.lineno for each in getattr(node.body[0], "decorator_list", ()))]) - 1
    while first > node.lineno and (not lines[first - 1].strip() or lines[first - 1].strip().startswith("#")):
        first -= 1
    return first


def comments(lines, low, high):
    """Return an item of the comments in some lines between statements, if there are any."""
    there = [i for i in range(low, high) if lines[i].strip()]
    if not there:
        return []
    text = "\n".join(lines[there[0] : there[-1] + 1])
    return [Item("", text, there[0] - last_text(lines, 0, there[0]), line=there[0] + 1)]


def last_line(lines, end, high, is_broken, indent):
    """Return the end of a statement's text: with the comments in its body, or before the next one if broken."""
    for i in range(end, high):
        if lines[i].strip() and not is_broken and len(lines[i]) - len(lines[i].lstrip()) <= indent:
            break
        if lines[i].strip():
            end = i + 1
    return end


def last_text(lines, low, high):
    """Return the index after the last line with text before another line."""
    return next((i + 1 for i in range(high - 1, low - 1, -1) if lines[i].strip()), low)
