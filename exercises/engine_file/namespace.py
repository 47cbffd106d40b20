"""A running engine: the items of its files, put one by one into two modules whose classes stay the same objects."""

import contextlib
import sys
import types
from types import FunctionType

from exercises.engine_file.parts import COURSE_CODE
from exercises.engine_file.places import FILES
from exercises.engine_file.source import HEAD, IMPORT, MAIN, NODES
from exercises.engine_file.sources import key_of
from exercises.sandbox.guard import EXCEPTION_SENTENCES, SECONDS, TimeUp, describe_exception, run_guarded
from exercises.sandbox.output import Output, Printed

COURSES_TEXT = {}  # {the file name of each of the course's items that ran: its text}


class Namespace:
    """The modules my_engine and my_tensor, not in `sys.modules`, after `run`.

    Running changed sources puts the changes into the same modules and classes, and removes what is gone.
    """

    def __init__(self, place):
        self.place, self.done = place, {}
        self.modules = {file: types.ModuleType(file.removesuffix(".py")) for file in FILES}
        for file, module in self.modules.items():
            module.__file__ = str(place.with_name(file))

    @property
    def names(self):
        """All names of both modules."""
        engine, tensors = map(vars, self.modules.values())
        return {**tensors, **engine}

    def run(self, sources):
        """Put in the changes since the last run; return {(file, key): why} of the items that could not run."""
        broken, there = {}, set()
        with self.importable():
            for file, document in sources.documents.items():
                for item in document.items:
                    for each in (item, *item.members):
                        key = file, key_of(each)
                        there.add(key)
                        now = each.text, 0 if each.is_courses else each.line  # a traceback shows the file's lines
                        if each.name in (HEAD, MAIN) or (self.done.get(key) == now and each.name != IMPORT):
                            continue
                        if why := self.put_in(file, each):
                            broken[key] = why
                        else:
                            self.done[key] = now
        for file, name in self.done.keys() - there:
            self.take_out(file, name)
        return broken

    @contextlib.contextmanager
    def importable(self):
        """Let `import my_engine` return these modules within the block."""
        before = {module.__name__: sys.modules.get(module.__name__) for module in self.modules.values()}
        sys.modules.update({module.__name__: module for module in self.modules.values()})
        try:
            yield
        finally:
            for name, module in before.items():
                if module is None:
                    sys.modules.pop(name, None)
                else:
                    sys.modules[name] = module

    def put_in(self, file, item):
        """Run an item. Return why that failed, as a sentence without its full stop; "" if it did not."""
        if item.broken:
            return item.broken
        names, owner = vars(self.modules[file]), item.name.partition(".")[0]
        is_member = item.text.startswith(" ") and owner in NODES
        code = item.code if item.name not in NODES else f"{item.code}\n    pass"
        if item.name in NODES and isinstance(names.get(item.name), type):
            return ""  # the class is there, and stays
        text, where = code, f"{COURSE_CODE}{item.name}>"
        if item.is_courses:
            COURSES_TEXT[where] = code
        elif item.name not in NODES:
            text, where = "\n" * (item.line - 1) + code, names["__file__"]
        local = dict(vars(names[owner])) if is_member else names
        before = dict(local)

        def run():
            exec(compile(text, where, "exec"), names, local)

        if why := failure(run, is_guarded=not item.is_courses):
            return why
        if is_member:
            if "super" in code or "__class__" in code:
                local = self.in_a_class(item, where, names)
            for name, value in local.items():
                if name not in before or before[name] is not value:
                    put(names[owner], name, value)
        elif isinstance(old := before.get(item.name), type) and isinstance(new := names.get(item.name), type):
            names[item.name] = renewed(old, new)
        return ""

    def in_a_class(self, item, where, names):
        """Return what a member defines, run in a class statement, where `super()` has a meaning."""
        local = {}
        exec(compile(f"class {item.name.partition('.')[0]}:\n{item.text}", where, "exec"), names, local)
        (cls,) = local.values()
        rebind(cls, names[cls.__name__])
        return {name: value for name, value in vars(cls).items() if name == item.name.rpartition(".")[2]}

    def take_out(self, file, name):
        """Remove what an item had put in."""
        del self.done[file, name]
        names = vars(self.modules[file])
        owner, _, member = name.rpartition(".")
        if owner in NODES and member.isidentifier() and isinstance(names.get(owner), type):
            if member in vars(names[owner]):
                delattr(names[owner], member)
        elif name.isidentifier() and name not in NODES:
            names.pop(name, None)


def put(cls, name, value):
    """Set an attribute of a class; name a method after the class."""
    if isinstance(value, FunctionType) and "." not in value.__qualname__:
        value.__qualname__ = f"{cls.__name__}.{value.__name__}"
    setattr(cls, name, value)
    if hasattr(value, "__set_name__"):
        value.__set_name__(cls, name)


def renewed(old, new):
    """Return the old class with the content of the new one; the new one if that is impossible."""
    kept = ("__dict__", "__weakref__")
    if old.__bases__ != new.__bases__ or type(old) is not type(new) or "__slots__" in vars(new):
        return new
    rebind(new, old)
    for name in [name for name in vars(old) if name not in vars(new) and name not in kept]:
        delattr(old, name)
    for name, value in vars(new).items():
        if name not in kept:
            setattr(old, name, value)
    return old


def rebind(cls, other):
    """Let `super()` in the methods of a class refer to another class."""
    for value in vars(cls).values():
        function = getattr(value, "__func__", value)
        for name, cell in (
            zip(getattr(function, "__code__", cls).co_freevars, function.__closure__ or ())
            if isinstance(function, FunctionType)
            else ()
        ):
            if name == "__class__":
                cell.cell_contents = other


def failure(run, is_guarded=True):
    """Return why a function of a learner's code failed, as a sentence without its full stop; "" if it did not."""
    try:
        with contextlib.redirect_stdout(Output()):
            run_guarded(run) if is_guarded else run()
    except TimeUp:
        return f"it had not ended after {SECONDS:g} seconds"
    except RecursionError:
        return "it calls itself over and over"
    except (SystemExit, Printed) as fault:
        return EXCEPTION_SENTENCES[type(fault)][0].lower() + EXCEPTION_SENTENCES[type(fault)][1:].removesuffix(".")
    except BaseException as fault:
        return describe_exception(fault).removesuffix(".")
    return ""
