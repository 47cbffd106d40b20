"""What calls say, as approved texts: each line is a call and what it raises or gives, and is read from there."""

from tests.approve import APPROVED, approved

ARROW = " → "


def said_by(name, names):
    """Run each call of `approved/<name>.txt` anew, with these names, and hold what is said now against the text.

    A new line is a call alone, and `pytest --approve` writes the rest. A line without brackets is a heading.
    """
    lines = (APPROVED / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    approved(name, "\n".join(answered(line.split(ARROW)[0], names) if "(" in line else line for line in lines))


def answered(call, names):
    """A call, and after it the error that it raises, or what it gives, on one line."""
    try:
        said = repr(eval(call, dict(names)))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    return f"{call}{ARROW}{said}".replace("\n", "\\n")
