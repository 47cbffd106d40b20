"""Freezes the code of functions: those of a check, when strangers' answers run."""

import sys
from types import FunctionType

frozen = set()


def freeze_functions(members):
    """Freeze these functions, and those inside methods, properties and caches, for as long as Python runs."""
    if not frozen:
        sys.addaudithook(refuse_changes)
    for member in members:
        for function in (member, *(getattr(member, name, None) for name in ("__func__", "__wrapped__", "fget"))):
            if isinstance(function, FunctionType):
                frozen.add(function)


def refuse_changes(event, given):
    """Refuse to change a frozen function's code or defaults, as an audit hook of Python."""
    if event == "object.__setattr__" and type(given[0]) is FunctionType and given[0] in frozen:
        raise PermissionError("The code of the checks stays as it is.")
