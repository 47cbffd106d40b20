"""`python -m exercises examine my_script:parts`: what the instruments read on a training script of your own."""

import argparse
import os
import pkgutil
import sys

from exercises.clinic.examine import examine

WANTED = "(model, loader, loss_fn, optimizer), and a fifth, batch, where the loader yields no pairs"


def main(arguments=None):
    """Read the command line and print the Overview; what to return to the shell."""
    parser = argparse.ArgumentParser(prog="python -m exercises examine", description=__doc__)
    parser.add_argument("function", metavar="MODULE:FUNCTION", help=f"a function that returns {WANTED}")
    name = parser.parse_args(arguments).function
    try:
        print(examined(name))
    except (ImportError, TypeError, ValueError) as fault:
        print(f"{fault}", file=sys.stderr)
        return 2
    return 0


def examined(name):
    """The Overview of what a function, "module:function", returns. ImportError, TypeError, ValueError: a sentence."""
    if name.count(":") != 1 or not all(part.isidentifier() for part in name.replace(":", ".").split(".")):
        raise ValueError(f"a function is named as my_script:parts, its module and itself; got {name!r}.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        function = pkgutil.resolve_name(name)
    except ModuleNotFoundError as fault:
        if fault.name == "torch":
            raise ImportError("this script needs PyTorch, which is not installed here.") from None
        raise ImportError(f"there is no module {fault.name!r} here; {name.split(':')[0]} was asked for.") from None
    except AttributeError:
        raise ImportError("the module {!r} has no function {!r}.".format(*name.split(":"))) from None
    if not callable(function):
        raise TypeError(f"{name} is a function that returns {WANTED}; it is of the type {type(function).__name__}.")
    given = function()
    if isinstance(given, dict):
        return examine(given)
    if not isinstance(given, tuple | list) or not 3 <= len(given) <= 5:
        raise TypeError(f"{name} returns {WANTED}; it returned {type(given).__name__}.")
    model, loader, loss_fn, optimizer, batch = (*given, *[None] * (5 - len(given)))
    return examine(model, loader, loss_fn, optimizer, batch=batch)
