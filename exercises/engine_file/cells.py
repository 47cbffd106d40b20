"""The text of the cell that defined a learner's function or class, as that cell was when it ran."""

import ast
import builtins
import contextlib
import hashlib
import inspect
import io
import linecache
import os
import re
import symtable
import textwrap
import tokenize
from dataclasses import dataclass
from types import FunctionType

from exercises.engine_file.parts import USABLE
from exercises.sandbox.guard import ProcessStarted, TimeUp, forbid_processes, run_guarded
from exercises.sandbox.isolation import code_objects
from exercises.sandbox.output import Output, Printed

SYNTAX = (
    "The cell that was run last with `{0}` in it has a SyntaxError, so `{0}` is still the one from an earlier cell. "
    "Correct that cell and run it, then run this one again."
)
STOPPED = (
    "`{0}` is not the one that the cell run last with `def {0}` defines: that cell stopped before it came to it, or "
    "the name means something else since. Run that cell again, then this one."
)


class NoText(Exception):
    """The text of an object is not available; the message says why."""


@dataclass(frozen=True)
class Cell:
    """A cell's text, and the names that the requested objects have in it."""

    text: str
    names: tuple


def shell():
    """Return the running notebook's IPython shell; None outside a notebook."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def kernel_names():
    """Return the running notebook's namespace; None outside a notebook."""
    return None if (running := shell()) is None else running.user_ns


class Unbound:
    """A check about to be called with names that the notebook does not define: they are None until then."""

    def __init__(self, check, names, missing):
        self.check, self.names, self.missing = check, names, missing
        names.update(dict.fromkeys(missing))

    def __call__(self, *answers, **named):
        self.__del__()
        return self.check(*answers, **named)

    def __del__(self):
        for name in self.missing:
            if self.names.get(name, self) is None:
                del self.names[name]
        self.missing = ()


def callable_with_missing(check, frame):
    """Return the check for a line of a cell, `check.add(add)`; if `add` does not exist, it will say "not yet".

    frame: that of the line. Python looks up the check first, and its arguments after that.
    """
    names = kernel_names()
    if names is None or not (frame.f_globals is frame.f_locals is names):
        return check
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
    except (SyntaxError, ValueError, RecursionError):
        return check
    missing = {
        arg.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.lineno <= frame.f_lineno <= node.end_lineno
        if isinstance(node.func, ast.Attribute) and node.func.attr == check.name
        for arg in node.args
        if isinstance(arg, ast.Name) and arg.id not in names and not hasattr(builtins, arg.id)
    }
    return Unbound(check, names, missing) if missing else check


def cell_of(things):
    """Return the Cell that defined all of these objects. Raise NoText if there is none, or more than one.

    The text is found through the object's own code, so an edit of the cell that was not run does not count.
    """
    texts = [text_of(thing) for thing in things]
    if len(set(texts)) > 1:
        raise NoText("What you passed is spread over more than one cell. Put it into one, then run that and this one.")
    text, known = texts[0], kernel_names() or {}
    bound = names_of(text)
    names = tuple(next((name for name in bound if known.get(name) is thing), "") for thing in things)
    if not all(names):
        raise NoText(
            "The cell that defined it has no name for it, or the name means something else by now. Run that cell and "
            "this one again."
        )
    if "get_ipython" in undefined_names(text, ()):
        raise NoText("A line of that cell begins with % or !, which only a notebook understands. Leave it out.")
    return Cell(text.strip("\n") + "\n", names)


def rerun_in_clean_namespace(things, names):
    """Return these objects again, made by running their cell's text with an engine's names and without the notebook.

    Return None if the cell uses names from other cells, or does not run alone: then use the objects unchanged.
    """
    if kernel_names() is None:
        return None
    try:
        cell = cell_of(things)
        if undefined_names(cell.text, USABLE):
            return None
        place = next(code.co_filename for thing in things for code, _ in code_objects(thing))
        code = compile(cell.text, place, "exec")
        with contextlib.redirect_stdout(Output()), forbid_processes():
            run_guarded(lambda: exec(code, names))
        return tuple(names[name] for name in cell.names)
    except (Exception, TimeUp, SystemExit, ProcessStarted, Printed):
        return None


def text_of(thing):
    """Return the text of the cell that defined an object. Raise NoText if it is not known."""
    files = {code.co_filename for code, _ in code_objects(thing)}
    found = {file: strip_magics("".join(linecache.cache[file][2])) for file in files if is_cell(file)}
    if len(found) == 1:
        return next(iter(found.values()))
    if len(found) > 1:
        return latest_cell_that_binds(thing)
    if files and all(os.path.exists(file) for file in files):
        raise NoText("It was not written in a cell of this notebook but comes from a file.")
    return latest_cell_that_binds(thing)


def outdated(things, names):
    """Return a sentence if the cell run last with an object's name does not define it; "" if each is up to date."""
    known = kernel_names() or {}
    for thing, name in zip(things, names):
        own = name_of(thing, name) == name
        text = None
        with contextlib.suppress(Exception):
            text = text_of(thing).strip("\n") if own else None
        for cell in reversed(known.get("In", [])) if text is not None else ():
            if "\n".join(cell.splitlines()).strip("\n") == text or "get_ipython()" in cell:  # as linecache splits it
                break
            if has_error := is_broken(cell):
                begins = rf"(?m)^[ \t]*((async )?def|class) {name}\b|^{name} *="
            else:
                begins = rf"(?m)(?<!\n)(?<!.)def {name}\b|^(?!@).*\ndef {name}\b"
            if re.search(begins, cell) and (has_error or isinstance(thing, FunctionType)):
                return (SYNTAX if has_error else STOPPED).format(name)
    return ""


def name_of(thing, default=""):
    """Return the name of a function or class; `default` if it has none, or raises when it is read."""
    with contextlib.suppress(Exception):
        return getattr(thing, "__name__", default)
    return default


def is_broken(text):
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return True
    return False


def source_of(things):
    """Return the text of the one cell that defined objects; else that of each of their functions; "" without any."""
    with contextlib.suppress(Exception):
        called = [thing for thing in things if is_callable(thing)]
        with contextlib.suppress(NoText):
            if len(texts := {text_of(thing) for thing in called or things}) == 1:
                return texts.pop()
        codes = dict.fromkeys(code for thing in called for code, _ in code_objects(thing))
        return "\n\n".join(textwrap.dedent(inspect.getsource(code)) for code in codes)
    return ""


def is_callable(thing):
    """Return whether an object is callable, or a static method, a class method or a property."""
    return callable(thing) or isinstance(thing, staticmethod | classmethod | property)


def register_text(text, name):
    """Register a text with linecache as an answer to an exercise. Return the file name under which Python finds it."""
    file = f"<an answer to {name}, {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    return file


def is_cell(file):
    """Return whether code under this file name comes from a cell of a notebook."""
    entry = linecache.cache.get(file)
    return entry is not None and len(entry) == 4 and entry[1] is None and not os.path.exists(file)


def latest_cell_that_binds(thing):
    """Return the last cell run that gives an object its name: for objects without their own code."""
    known = kernel_names() or {}
    names = {name for name, value in known.items() if value is thing and not name.startswith("_")}
    for text in map(strip_magics, reversed(known.get("In", []))):
        try:
            if names & set(names_of(text)):
                return text
        except SyntaxError:
            continue
    raise NoText("It was not defined in a cell of this notebook.")


def strip_magics(text):
    """Return a cell's text without a magic such as %%time at its head, and without %time at the head of a line."""
    if "get_ipython()" not in text:
        return text
    from IPython.core.inputtransformer2 import TransformerManager

    with contextlib.suppress(SyntaxError, ValueError):
        lines = text.split("\n")
        for node in reversed(ast.parse(text).body):
            call = node.value if isinstance(node, ast.Expr) else None
            if not (isinstance(call, ast.Call) and ast.unparse(call.func).startswith("get_ipython().run_")):
                continue
            kind, *given = call.func.attr, *(ast.literal_eval(argument) for argument in call.args)
            if kind == "run_cell_magic" or (kind == "run_line_magic" and given[0] == "time"):
                inner = strip_magics(TransformerManager().transform_cell(given[-1])).rstrip("\n")
                lines[node.lineno - 1 : node.end_lineno] = inner.split("\n")
        return "\n".join(lines)
    return text


def names_of(text):
    """Return the names that a text binds at its outermost level."""
    table = symtable.symtable(text, "cell", "exec")
    return [s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()]


DEFINING = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom


def drop_trial_statements(text, answers):
    """Return a text without the statements at its outermost level that only try out what it defines.

    Imports, functions, classes and texts stay, and so do statements that bind one of the names of `answers` or a name
    that a kept statement uses, or that set an attribute of a class. A line stays whole if a kept statement is on it.
    """
    body, lines = ast.parse(text).body, text.split("\n")

    kept = [node for node in body if isinstance(node, DEFINING) or is_text(node) or given_by(node) & {*answers}]
    while True:
        asked = {"Value", *(node.name for node in kept if isinstance(node, ast.ClassDef))}
        asked |= {*undefined_names(ast.unparse(ast.Module(kept, [])), ())}
        asked |= {
            name for node in kept for each in ast.walk(node) if isinstance(each, ast.Global) for name in each.names
        }
        more = [node for node in body if node not in kept and given_by(node) & asked]
        if not more:
            break
        kept += more
    stays = {line for node in kept for line in range(node.lineno, node.end_lineno + 1)}
    goes = {line for node in body if node not in kept for line in range(node.lineno, node.end_lineno + 1)} - stays
    return "\n".join(line for number, line in enumerate(lines, start=1) if number not in goes)


def is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def given_by(node):
    """Return the names that a statement binds, and those of which it sets an attribute or an element."""
    stored = [each for each in ast.walk(node) if isinstance(getattr(each, "ctx", None), ast.Store)]
    return {inner.id for each in stored for inner in ast.walk(each) if isinstance(inner, ast.Name)}


def undefined_names(text, known):
    """Return the names that a text uses but that neither the text, nor `known`, nor Python defines."""
    top = symtable.symtable(text, "cell", "exec")
    python = set(vars(builtins)) - {"get_ipython", "display"}  # added by a notebook
    given, used = {*names_of(text), *known, *python, "__name__"}, []

    def walk(table):
        for symbol in table.get_symbols():
            name = symbol.get_name()
            if table is not top and symbol.is_declared_global() and symbol.is_assigned():
                given.add(name)
            if symbol.is_referenced() and (symbol.is_global() or table is top):
                used.append(name)
        for child in table.get_children():
            walk(child)

    walk(top)
    return tuple(name for name in dict.fromkeys(used) if name not in given)


def imported(text):
    """Return the packages that a text imports from, at any level."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.module or "").split(".")[0])
    return found


def indented(text):
    """Return the lines of a text, indented by four columns, except lines that continue a string."""
    inside, starts = set(), []
    for token in tokenize.generate_tokens(io.StringIO(text + "\n").readline):
        kind = tokenize.tok_name[token.type]
        if kind == "STRING":
            inside |= set(range(token.start[0] + 1, token.end[0] + 1))
        elif kind == "FSTRING_START":  # from Python 3.12 on
            starts.append(token.start[0])
        elif kind == "FSTRING_END":
            inside |= set(range(starts.pop() + 1, token.end[0] + 1))
    return [
        line if i in inside or not line.strip() else f"    {line}" for i, line in enumerate(text.split("\n"), start=1)
    ]
