"""The self-test of lesson 00: do kernel, engine, widgets and graph layout work here?

Importing this needs the standard library only, so it works even if `autograd` is another library of that name.
"""

import importlib
import sys

REMOVE = f'"{sys.executable}" -m pip uninstall --yes autograd'
INSTALL = f'"{sys.executable}" -m pip install --force-reinstall --no-deps -e .'
WHAT_TO_DO = (
    "This course has its own engine under that name. Choose the kernel of the environment that the course was "
    "installed in (in JupyterLab: Kernel, Change Kernel). If this is that environment, both are in it, in one "
    f"one name. First {REMOVE} removes the other library, and files of the course with it. After that, in the folder "
    f"of the course, {INSTALL} installs the course again. Then restart the kernel."
)


class WrongAutograd(ImportError):
    """`import autograd` imports a library other than this course's engine. A notebook shows the sentence alone."""

    def _render_traceback_(self):
        return [str(self)]


def wrong_autograd():
    """Return what is wrong with the `autograd` imported here, and what to do, as sentences; "" if nothing is."""
    try:
        found = importlib.import_module("autograd")
    except Exception as fault:  # an unknown library can raise anything: the answer is the same
        return f"`import autograd` fails here ({type(fault).__name__}: {fault}). {WHAT_TO_DO}"
    if hasattr(found, "Value") and hasattr(found, "topological_order"):
        return ""
    where = getattr(found, "__file__", None) or "an unknown place"
    return f"`import autograd` found another library of that name, in {where}. {WHAT_TO_DO}"


def demand():
    """Raise WrongAutograd, with what to do, if `autograd` is not this course's engine."""
    if wrong := wrong_autograd():
        raise WrongAutograd(wrong)


def self_test():
    """Try what the lessons need, and show what works. Raise WrongAutograd if `autograd` is another library."""
    demand()
    from exercises.course.selftest_page import SelfTest  # only now: it needs the right engine

    return SelfTest()
