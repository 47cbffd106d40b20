"""`python -m exercises examine my_script:parts`: what the clinic's instruments read on your training script."""

import argparse
import importlib
import operator
import os
import sys

from exercises.clinic.examine import examine

WANTED = "(model, loader, loss_fn, optimizer), and a fifth, batch, if the loader yields no pairs"


def main(arguments=None):
    """Read the command line and print the Overview; return the exit code."""
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
    """Return the Overview of what a function, "module:function", returns.

    Raise ImportError, TypeError or ValueError, with a sentence, if that fails.
    """
    if name.count(":") != 1 or not all(part.isidentifier() for part in name.replace(":", ".").split(".")):
        raise ValueError(f"name a function by its module and its name, as in my_script:parts; got {name!r}.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    file, _, attribute = name.partition(":")
    try:
        module = importlib.import_module(file)
    except ModuleNotFoundError as fault:
        if fault.name == "torch":
            raise ImportError("this script needs PyTorch, which is not installed here.") from None
        raise ImportError(f"there is no module {fault.name!r} here; {file} was asked for.") from None
    except Exception as fault:  # the script can raise anything, a SyntaxError too
        raise ImportError(f"{file} cannot be imported: it raised {type(fault).__name__}: {fault}") from None
    try:
        function = operator.attrgetter(attribute)(module)
    except AttributeError:
        raise ImportError(f"the module {file!r} has no function {attribute!r}.") from None
    if not callable(function):
        raise TypeError(f"{name} is a function that returns {WANTED}; it is of the type {type(function).__name__}.")
    try:
        given = function()
    except Exception as error:
        raise ValueError(f"{name} raised {type(error).__name__}: {error}") from None
    if isinstance(given, dict):
        return examine(given)
    if not isinstance(given, tuple | list) or not 3 <= len(given) <= 5:
        raise TypeError(f"{name} returns {WANTED}; it returned {type(given).__name__}.")
    model, loader, loss_fn, optimizer, batch = (*given, *[None] * (5 - len(given)))
    return examine(model, loader, loss_fn, optimizer, batch=batch)
