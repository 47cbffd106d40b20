"""Files for authors to fill in: written from a template, and checked for what is still to fill in.

A template says “Fill in …” for what it wants, up to the next full stop, colon or end of the line.
"""

import keyword
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]  # of the repository
TO_FILL = re.compile(r"\bFill in [^.:\n\"”]*")


def write(template, path, **names):
    """Write a template's text to a path that does not exist, replacing the names in capitals by these."""
    text = template.read_text(encoding="utf-8")
    for name, value in names.items():
        text = text.replace(name.upper(), value)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)


def unfilled(paths):
    """Yield a sentence for each of these files that does not exist, and for each thing still to fill in."""
    for path in paths:
        if not path.exists():
            yield f"There is no {from_root(path)}."
            continue
        for words in TO_FILL.findall(path.read_text(encoding="utf-8")):
            yield f"{path.name} still says: “{words.strip()}”."


def from_root(path):
    return path.relative_to(ROOT).as_posix()


def refused(name):
    """Return why nothing new can be written, or not with this name, as a sentence; "" if it can."""
    if not (ROOT / "README.md").exists():
        return f"The repository is not in {ROOT}: install the course there with -e."
    if name.isidentifier() and name.isascii() and name == name.lower() and not keyword.iskeyword(name):
        return ""
    return f"{name!r} is no name for it: small letters, digits and underscores, as in steps_to_leave."


def report_missing(missing):
    """Print what is missing, and return the exit status."""
    print("\n".join(missing or ["Nothing is missing."]))
    return 1 if missing else 0
