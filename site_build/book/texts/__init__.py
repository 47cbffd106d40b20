"""What the lessons and the labs say of themselves, and a door from micrograd: book, page and tests read it here."""

from pathlib import Path

HERE = Path(__file__).parent


def lessons():
    """The table of the lessons, and what stands beside them, as Markdown with links from the repository's folder."""
    return (HERE / "lessons.md").read_text(encoding="utf-8").strip().replace("](../../../", "](")


def micrograd():
    """The page for those who come from the micrograd lecture, as Markdown."""
    return (HERE / "micrograd.md").read_text(encoding="utf-8")


def labs():
    """What a lab is, and the table of the labs, as Markdown."""
    return (HERE / "labs.md").read_text(encoding="utf-8").strip()
