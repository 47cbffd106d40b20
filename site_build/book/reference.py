"""The reference: pages of docstrings, as plain text, for Sphinx to read."""

import inspect
import pkgutil
import re

import autograd
import exercises
import figures
from figures.page.player import Player

directive = "```{{eval-rst}}\n.. {} :: {}\n{}```".format
MEMBERS = "   :members:\n   :special-members: __call__\n"
FIRST = ("value", "topo", "steps", "nn", "losses", "optim", "gradcheck", "dual", "tensor", "tensor_nn")  # then the rest
CODE = re.compile(r"`([^`]+)`")


def setup(app):
    """Register with Sphinx."""
    app.connect("autodoc-process-docstring", restructured)
    return {"parallel_read_safe": True}


def restructured(app, what, name, thing, options, lines):
    """Turn a plain docstring into reStructuredText: `code` is code, and nothing else has a meaning."""
    parts = CODE.split("\n".join(lines))
    plain = [f"``{part}``" if i % 2 else re.sub(r"([*|\\_])", r"\\\1", part) for i, part in enumerate(parts)]
    lines[:] = "".join(plain).splitlines()


def pages():
    return {"reference/autograd": engine(), "reference/figures": labs(), "reference/exercises": asked()}


def engine():
    """Return the page of the engine: a section for each of its modules."""
    found = [
        module.name
        for module in pkgutil.walk_packages(autograd.__path__, "autograd.")
        if not module.ispkg and not module.name.rsplit(".", 1)[-1].startswith("_")
    ]
    parts = [f"## {name}\n\n{directive('automodule', name, MEMBERS)}" for name in sorted(found, key=read_in_turn)]
    return "\n\n".join(["# autograd: the engine", inspect.getdoc(autograd), *parts])


def read_in_turn(module):
    """Return the place of an engine's module in the page: those that readers know come first."""
    name = module.removeprefix("autograd.")
    return (FIRST.index(name) if name in FIRST else len(FIRST), name)


def labs():
    """Return the page of the figures by their public names, then the Player that every lab is."""
    things = [getattr(figures, name) for name in figures.__all__]
    parts = [directive("autofunction", f"{thing.__module__}.{thing.__name__}", "") for thing in things]
    player = directive("autoclass", f"{Player.__module__}.Player", "   :members: render_text, html, savefig\n")
    text = "Each of these is called as `figures.<name>(…)`, and shows itself where it is a cell's last line."
    return "\n\n".join(["# figures: the labs", text, *parts, "## Player", player])


def asked():
    """Return the page of what lessons use from the exercises, by their public names."""
    parts = []
    for name in exercises.__all__:
        thing = getattr(exercises, name)
        if inspect.ismodule(thing):
            parts.append(f"## exercises.{name}\n\n{directive('automodule', thing.__name__, MEMBERS)}")
        else:
            kind = "autofunction" if inspect.isfunction(thing) else "autodata"
            place = f"exercises.{exercises.PLACES[name]}.{name}"
            parts.append(f"## exercises.{name}\n\n{directive(kind, place, '')}")
    return "\n\n".join(["# exercises: checks, hints and quizzes", inspect.getdoc(exercises), *parts])
