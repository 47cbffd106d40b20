"""One line about each lesson and lab, a door from micrograd and the bugs in the wild, for the book, page and tests."""

import tomllib
from pathlib import Path

BUGS = "bugs_in_the_wild"  # the page of the book
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


def bugs():
    """Return the faults of published engines as data: {"judged", "wrong", "several", "fault": […], "raised": […]}."""
    return tomllib.loads((HERE / "bugs.toml").read_text(encoding="utf-8"))
