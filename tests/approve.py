"""Long texts that a person has read, one file each in `approved/`; `pytest --approve` writes the current ones.

Read what then differs in the files as a diff, and explain it in the commit.
"""

from pathlib import Path

from autograd import operations
from autograd.training import nn

TOLD, AND = " → ", " | "  # between calls and their replies, and between calls
APPROVED = Path(__file__).with_name("approved")


class Approving:
    """True if this run writes the texts instead of comparing them; set before tests are collected."""

    now = False


def approved(name, text):
    """Compare a text with the file `approved/<name>.txt`; a failure shows the line that differs."""
    for functions in (operations.FUNCTIONS, nn.FUNCTIONS):  # a new one changes no other sentence
        text = text.replace(", ".join(functions), "its functions")
    path, text = APPROVED / f"{name}.txt", f"{text.rstrip()}\n"
    if Approving.now:
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.exists(), f"nothing is approved for {name}: pytest --approve writes {path}"
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines()


def calls_of(name):
    """Return the calls of an approved file whose lines are calls and their answers."""
    lines = (APPROVED / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [call for line in lines for call in line.partition(TOLD)[0].split(AND)]


def approved_calls(name, answer):
    """Hold what answer(call) gives for each call of such a file.

    A new line with a call alone is a new case, whose answer `pytest --approve` writes.
    """
    answers = {}
    for call in calls_of(name):
        answers.setdefault(answer(call), []).append(call)
    approved(name, "\n".join(f"{AND.join(calls)}{TOLD}{said}" for said, calls in answers.items()))


def said_to(call, known):
    """Return the answer to a call in one line; for an exception, its kind as well."""
    try:
        said = str(eval(call, dict(known)))
    except Exception as fault:
        said = f"{type(fault).__name__}: {fault}"
    return " ".join(said.split())
