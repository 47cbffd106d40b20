"""Long texts that a person has read: a file each in `approved/`; `pytest --approve` writes what is said now.

What then differs in the files is read as a diff, and is what a commit explains.
"""

from pathlib import Path

from autograd import operations
from autograd.training import nn

APPROVED = Path(__file__).with_name("approved")


class Approving:
    """Whether this run writes the texts in place of comparing them; set before tests are collected."""

    now = False


def approved(name, text):
    """Hold a text against the file of this name, `approved/<name>.txt`; the line that differs is in the failure."""
    for functions in (operations.FUNCTIONS, nn.FUNCTIONS):  # a new one changes no other sentence
        text = text.replace(", ".join(functions), "its functions")
    path, text = APPROVED / f"{name}.txt", f"{text.rstrip()}\n"
    if Approving.now:
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.exists(), f"nothing is approved for {name}: pytest --approve writes {path}"
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines()
