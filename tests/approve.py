"""Long texts that a person has read, one file each in `approved/`; `pytest --approve` writes the current ones.

Read what then differs in the files as a diff, and explain it in the commit.
"""

from pathlib import Path

from autograd import operations
from autograd.training import nn

APPROVED = Path(__file__).with_name("approved")


class Approving:
    """Whether this run writes the texts instead of comparing them; set before tests are collected."""

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
