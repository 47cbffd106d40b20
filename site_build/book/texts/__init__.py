"""One line about each lesson and each lab, and a door from micrograd: the book, the page and the tests read it here."""

from pathlib import Path

HERE = Path(__file__).parent


def lessons():
    """Return the table of the lessons, and what comes with them, as Markdown with links from the repository's root."""
    return (HERE / "lessons.md").read_text(encoding="utf-8").strip().replace("](../../../", "](")


def micrograd():
    """Return the page for those who come from the micrograd lecture, as Markdown."""
    return (HERE / "micrograd.md").read_text(encoding="utf-8")


def labs():
    """Return what a lab is, and the table of the labs, as Markdown."""
    return (HERE / "labs.md").read_text(encoding="utf-8").strip()
