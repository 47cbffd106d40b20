"""What the lessons and the labs say of themselves, a line each: the book, the page and the tests read it here."""

from pathlib import Path

HERE = Path(__file__).parent


def lessons():
    """The table of the lessons, and what stands beside them, as Markdown with links from the repository's folder."""
    return (HERE / "lessons.md").read_text(encoding="utf-8").strip().replace("](../../../", "](")


def labs():
    """What a lab is, and the table of the labs, as Markdown."""
    return (HERE / "labs.md").read_text(encoding="utf-8").strip()
