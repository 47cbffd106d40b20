"""Isolation for a check: package, checks and Python's builtins in the state in which the checks were loaded.

What an answer changes outside itself during a check is restored; a notebook's own changes stay for its own cells.
No process can be started meanwhile.
"""

import contextlib
import copy  # noqa: F401  these are among GUARDED_MODULES, and must be loaded before the first snapshot
import functools
import gc
import inspect
import itertools  # noqa: F401
import locale
import math  # noqa: F401
import os
import random
import signal
import subprocess  # noqa: F401
import sys
import threading
import time
import warnings
from types import FunctionType

from autograd.inspect import steps  # noqa: F401  loaded before the first snapshot, as all that autograd itself loads
from exercises.sandbox import freezing

PACKAGES = ("autograd", "exercises")
GUARDED_MODULES = ("builtins", "math", "random", "copy", "itertools", "functools", "numpy")  # PyTorch changes inspect
HOT_MEMBERS = (*GUARDED_MODULES, "autograd.value", "autograd.topo", "autograd.dual")
HOT_MEMBERS += ("exercises.verdicts", "exercises.judging")
IPYTHONS = "display", "get_ipython", "exit", "quit", "input", "_"  # which a notebook sets itself
HIDDEN = ("__builtins__", "__cached__", "__loader__", "__spec__")
MISSING = object()

PROCESS_CALLS = ("fork", "forkpty", "system", "posix_spawn", "posix_spawnp", "execv", "execve", "spawnv", "spawnve")
STARTS = {  # what starts a process, in Python's modules and in the C modules below them
    **dict.fromkeys(("os", os.name), (*PROCESS_CALLS, "startfile", "startfile2")),
    **dict.fromkeys(("subprocess", "_posixsubprocess"), ("fork_exec", "_fork_exec")),
    "_winapi": ("CreateProcess",),
}

running_budgets = []  # the budgets of the guarded calls that are running, the innermost last
_forbidding = []  # one entry for each active `forbid_processes`; one that was abandoned may stay
_unpatched = []  # one entry for each active `unpatched_package`
_hot = []  # the places to compare after each answer: what a check judges with
_saved = {}  # {name of a module or class: (itself, its namespace, its first definitions)}


def module_and_classes(module):
    """Yield (name, object) for a module, and for each class in it."""
    name = module.__name__
    yield name, module
    for member in list(vars(module).values()) if name not in GUARDED_MODULES else ():
        if inspect.isclass(member) and member.__module__ == name:
            yield f"{name}.{member.__name__}", member


def defined_members(thing):
    """Return what a module or a class defines, except Python's own entries of a module."""
    hidden = () if inspect.isclass(thing) else (*HIDDEN, *(IPYTHONS if thing.__name__ == "builtins" else ()))
    return {
        name: member
        for name, member in vars(thing).items()
        if name not in hidden and (callable(member) or isinstance(member, property | staticmethod | classmethod))
    }


def snapshot():
    """Take a snapshot of the modules that have been loaded since the last time."""
    for name, module in list(sys.modules.items()):
        is_ours = name.partition(".")[0] in PACKAGES or name in GUARDED_MODULES
        if is_ours and name not in _saved and inspect.ismodule(module):
            for place, thing in module_and_classes(module):
                _saved.setdefault(place, (thing, vars(thing), defined_members(thing)))
    _hot[:] = [place for place in _saved if place.startswith(HOT_MEMBERS)]


def changed_members(places=None):
    """Return [(place, thing, name, the value now, the value before)] of the members that have changed.

    places: those to compare; by default all.
    """
    found = []
    for place in _saved if places is None else places:
        thing, now, kept = _saved[place]
        get = now.get  # a comprehension calls no builtin, which an answer may have replaced
        found += [(place, thing, name, get(name, MISSING), kept[name]) for name in kept if get(name) is not kept[name]]
    return found


def set_or_delete(thing, name, member):
    """Set a member, or delete it if the value is MISSING."""
    if member is not MISSING:
        setattr(thing, name, member)
    elif name in vars(thing):
        delattr(thing, name)


def restore(places=None):
    """Restore changed members; return the changes undone."""
    found = changed_members(places)
    for _, thing, name, _, member in found:
        set_or_delete(thing, name, member)
    return found


def restore_after_answer():
    """Restore what the check judges with after a call of an answer, and everything if it is sealed."""
    if _unpatched:
        restore(None if freezing.frozen else _hot)


def freeze_course():
    """Restore everything after each answer from now on, and freeze the code of functions: for strangers' answers."""
    snapshot()
    for _, _, kept in _saved.values():
        freezing.freeze_functions(kept.values())


snapshot()


@contextlib.contextmanager
def unpatched_package():
    """Restore package, checks and builtins within the block. Yield the sentence on what was changed, or ""."""
    snapshot()
    changed = restore()
    _unpatched.append(True)
    try:
        yield describe_patches([f"{place}.{name}" for place, _, name, _, _ in changed])
    finally:
        _unpatched.pop()
        restore()  # an answer may have changed them since
        for _, thing, name, other, _ in changed:
            set_or_delete(thing, name, other)


@contextlib.contextmanager
def preserved_state():
    """Restore `unpatched_package`, and all that an answer changes outside itself.

    Yield a list that gets sentences at the end.
    """
    said = []
    running = set(threading.enumerate())
    with preserved_interpreter(), unpatched_package() as patched:
        try:
            yield said
        finally:
            said += [patched] if patched else []
            if [each for each in threading.enumerate() if each not in running and not each.name.startswith("guard")]:
                said.append(
                    "By the way: a thread that your code has started runs on. Python cannot end it: what it changes "
                    "from now on stays changed. Kernel → Restart ends it."
                )


@contextlib.contextmanager
def preserved_interpreter():
    """Restore Python's own state after the block: folder, generators, limits, filters, handlers, modules."""
    before = [(put_back, get()) for module, get, put_back in SAVED_STATES if module in sys.modules]
    set_defaults()
    modules, numpy = dict(sys.modules), "numpy" in sys.modules
    try:
        yield
    finally:
        for name, module in modules.items():
            if sys.modules.get(name) is not module:
                sys.modules[name] = module
        if not numpy and "numpy" in sys.modules:
            sys.modules["numpy"].seterr(**NUMPY_ERRORS)
        for put_back, was in reversed(before):
            with contextlib.suppress(Exception):  # a folder that was deleted, a signal that another thread may not set
                put_back(was)


NUMPY_ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def set_defaults():
    """Reset what decides whether arithmetic raises to Python's defaults: no setting of a notebook fails an answer."""
    if numpy := sys.modules.get("numpy"):
        numpy.seterr(**NUMPY_ERRORS)
        numpy.seterrcall(None)
    if decimal := sys.modules.get("decimal"):
        decimal.setcontext(decimal.DefaultContext.copy())
    warnings.filters[:] = [each for each in warnings.filters if each[0] != "error"]
    refresh_warning_filters(None)


def attribute_state(module, name):
    """Return (module, get, restore) for the state in an attribute of a module."""
    return (
        module,
        lambda: getattr(sys.modules[module], name, MISSING),
        lambda was: getattr(sys.modules[module], name, MISSING) is was or set_or_delete(sys.modules[module], name, was),
    )


def container_state(module, name):
    """Return (module, get, restore) for the contents of a list or a dict, which stays the same object."""

    def get():
        thing = getattr(sys.modules[module], name)
        return thing, thing.copy()

    def put_back(was):
        thing, kept = was
        set_or_delete(sys.modules[module], name, thing)
        if thing != kept:
            thing.clear()
            thing.extend(kept) if isinstance(thing, list) else thing.update(kept)

    return module, get, put_back


def function_state(module, get, put_back):
    """Return (module, get, restore) for state that one function reads and another one sets."""

    def back(was):
        if get() != was:
            put_back(was)

    return module, get, back


def working_folder():
    """Return the working folder; "" if it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def umask():
    """Return the current umask."""
    was = os.umask(0o022)
    os.umask(was)
    return was


SIGNALS = sorted(signal.valid_signals())


def signal_handlers():
    """Return the handler of each signal."""
    return [signal.getsignal(each) for each in SIGNALS]


def set_signal_handlers(was):
    """Set these signal handlers; only the main thread may."""
    for each, handler in zip(SIGNALS, was):
        if handler is not None and signal.getsignal(each) is not handler:
            signal.signal(each, handler)


def refresh_warning_filters(was):
    """Invalidate Python's cache of warning filters."""
    getattr(warnings, "_filters_mutated", lambda: None)()


def set_environment(was):
    if dict(os.environ) != was:
        os.environ.clear()
        os.environ.update(was)
        getattr(time, "tzset", lambda: None)()


def set_tracers(was):
    """Set Python's trace and profile functions, and those of new threads."""
    now = current_tracers()
    for new, old, put_back in zip(now, was, (sys.settrace, sys.setprofile, threading.settrace, threading.setprofile)):
        if new is not old:
            put_back(old)


def current_tracers():
    return sys.gettrace(), sys.getprofile(), threading._trace_hook, threading._profile_hook


def numpy_state():
    """Return the state of NumPy's errors, prints and global generator."""
    np = sys.modules["numpy"]
    return np.geterr(), np.geterrcall(), np.get_printoptions(), np.random.get_state()


def set_numpy_state(was):
    np = sys.modules["numpy"]
    errors, call, printing, luck = was
    np.seterr(**errors)
    np.seterrcall(call)
    if np.get_printoptions() != printing:
        np.set_printoptions(**printing)
    np.random.set_state(luck)


def code_objects(thing, depth=4):
    """Yield (code, globals) of each function that an object is, wraps, or has as a method."""
    if depth == 0 or thing is None:
        return
    if isinstance(thing, FunctionType):
        yield thing.__code__, thing.__globals__
    elif isinstance(thing, type):
        for member in vars(thing).values():
            yield from code_objects(member, depth - 1)
        return
    for inner in ("__func__", "__wrapped__", "func", "fget"):
        with contextlib.suppress(Exception):
            found = vars(thing).get(inner) if inner == "__wrapped__" else getattr(thing, inner, None)
            if callable(found) and found is not thing:
                yield from code_objects(found, depth - 1)
    plain = isinstance(thing, FunctionType) or type(thing).__module__ in ("builtins", "functools")
    if callable(thing) and not plain:
        yield from code_objects(type(thing), depth - 1)


SYS_HOOKS = ("stdin", "stdout", "stderr", "displayhook", "excepthook", "unraisablehook", "breakpointhook", "modules")
SAVED_STATES = [
    ("sys", random.getstate, random.setstate),
    ("numpy", numpy_state, set_numpy_state),
    ("decimal", lambda: sys.modules["decimal"].getcontext().copy(), lambda was: sys.modules["decimal"].setcontext(was)),
    function_state("sys", working_folder, os.chdir),
    function_state("sys", umask, os.umask),
    ("sys", lambda: dict(os.environ), set_environment),
    ("sys", current_tracers, set_tracers),
    *(attribute_state("sys", name) for name in SYS_HOOKS),
    *(container_state("sys", name) for name in ("path", "argv", "meta_path", "path_hooks", "warnoptions")),
    function_state("sys", sys.getrecursionlimit, sys.setrecursionlimit),
    function_state("sys", sys.getswitchinterval, sys.setswitchinterval),
    ("warnings", lambda: None, refresh_warning_filters),
    container_state("warnings", "filters"),
    attribute_state("warnings", "showwarning"),
    attribute_state("threading", "excepthook"),
    function_state("gc", gc.isenabled, lambda was: gc.enable() if was else gc.disable()),
    function_state("gc", gc.get_threshold, lambda was: gc.set_threshold(*was)),
    function_state("sys", lambda: locale.setlocale(locale.LC_ALL), lambda was: locale.setlocale(locale.LC_ALL, was)),
    attribute_state("asyncio.events", "_event_loop_policy"),
    attribute_state("tempfile", "tempdir"),
    attribute_state("numpy.random.mtrand", "_rand"),
    ("signal", signal_handlers, set_signal_handlers),
]
if hasattr(sys, "get_int_max_str_digits"):
    SAVED_STATES.append(function_state("sys", sys.get_int_max_str_digits, sys.set_int_max_str_digits))


def describe_patches(names):
    """Return the sentence on members that were changed."""
    if not names:
        return ""
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    owners = {name.partition(".")[0] for name in names}
    what = "the package itself" if owners == {"autograd"} else "what the checks work with"
    return (
        f"By the way: this notebook has changed {what} ({', '.join(names[:2])}{more}). The check used it "
        "as it was; your cells do not. Restart the kernel to have it back."
    )


class ProcessStarted(BaseException):
    """Raised if a learner's code starts a process."""


@functools.cache
def refusing_start(start):
    """Return a function that starts a process, unless an answer that is running calls it."""

    def ask(*given, **named):
        if _forbidding and running_budgets:
            raise ProcessStarted
        return start(*given, **named)

    return ask


@contextlib.contextmanager
def guarded_process_starts():
    """Put whatever starts a process under the control of `forbid_processes` within the block."""
    found = [(sys.modules[place], name) for place, names in STARTS.items() if place in sys.modules for name in names]
    before = [(module, name, getattr(module, name)) for module, name in found if hasattr(module, name)]
    try:
        for module, name, start in before:
            setattr(module, name, refusing_start(start))
        yield
    finally:
        for each in before:
            setattr(*each)


@contextlib.contextmanager
def forbid_processes():
    """Prevent the start of any process within the block; a fork made all the same ends here."""
    this = os.getpid()
    _forbidding.append(True)
    try:
        yield
    finally:
        if os.getpid() != this:
            os._exit(0)
        _forbidding.pop()
