"""The package `autograd` as it was when the checks were loaded: they judge with that, whatever a notebook did to it."""

import contextlib
import inspect
import sys

from autograd import dual, gradcheck, losses, nn, optim, steps, topo  # noqa: F401  loaded before it is looked at


def places():
    """(name, object) of each module of the package that is loaded, and of each class in it."""
    for name, module in sorted(sys.modules.items()):
        if name == "autograd" or name.startswith("autograd."):
            yield name, module
            for member in list(vars(module).values()):
                if inspect.isclass(member) and member.__module__ == name:
                    yield f"{name}.{member.__name__}", member


def members(thing):
    """What a module or a class defines, but for Python's own entries of a module."""
    hidden = () if inspect.isclass(thing) else ("__builtins__", "__cached__", "__loader__", "__spec__")
    return {
        name: member
        for name, member in vars(thing).items()
        if name not in hidden and (callable(member) or isinstance(member, property | staticmethod | classmethod))
    }


MISSING = object()
KEPT = [(name, thing, members(thing)) for name, thing in places()]


@contextlib.contextmanager
def package():
    """While it lasts, the package is as it was. Gives the sentence that says what had been changed; "" if nothing."""
    changed = []
    for place, thing, kept in KEPT:
        for name, member in kept.items():
            other = vars(thing).get(name, MISSING)
            if other is not member:
                changed.append((place, thing, name, other, member))
    for _, thing, name, _, member in changed:
        setattr(thing, name, member)
    try:
        yield sentence([f"{place}.{name}" for place, _, name, _, _ in changed])
    finally:
        for _, thing, name, other, _ in changed:
            if other is MISSING:
                delattr(thing, name)
            else:
                setattr(thing, name, other)


def sentence(names):
    """What is said of members that were changed."""
    if not names:
        return ""
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return (
        f"By the way: this notebook has changed the package itself ({', '.join(names[:2])}{more}). The check used it "
        "as it was; your cells do not. Restart the kernel to have it back."
    )
