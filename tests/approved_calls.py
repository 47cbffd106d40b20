"""Replies to calls, as approved texts: each line is a call and what it raises or returns, read from there."""

import math

import numpy as np

import autograd
from autograd.tensor import Tensor
from tests.approve import APPROVED, approved

ARROW = " → "
NAMES = {name: getattr(autograd, name) for name in autograd.__all__} | {"Tensor": Tensor, "np": np, "math": math}


def check_approved_calls(name, **names):
    """Run each call of `approved/<name>.txt` again, with the engine's names and these; compare the answers.

    A new line is just a call, and `pytest --approve` writes the rest. A line without brackets is a heading.
    """
    names, lines = NAMES | names, (APPROVED / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    approved(name, "\n".join(answer_call(line.split(ARROW)[0], names) if "(" in line else line for line in lines))


def answer_call(call, names):
    """Return a call, and after it the error that it raises, or what it returns, on one line."""
    try:
        said = repr(eval(call, dict(names)))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    return f"{call}{ARROW}{said}".replace("\n", "\\n")
