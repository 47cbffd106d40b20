"""What the lessons and the labs say of themselves, a line each, and the bugs in the wild: read here by all."""

import tomllib
from pathlib import Path

BUGS = "bugs_in_the_wild"  # the page of the book
HERE = Path(__file__).parent


def lessons():
    """The table of the lessons, and what stands beside them, as Markdown with links from the repository's folder."""
    return (HERE / "lessons.md").read_text(encoding="utf-8").strip().replace("](../../../", "](")


def labs():
    """What a lab is, and the table of the labs, as Markdown."""
    return (HERE / "labs.md").read_text(encoding="utf-8").strip()


def bugs():
    """The faults of published engines as data: {"judged", "wrong", "several", "fault": […], "raised": […]}."""
    return tomllib.loads((HERE / "bugs.toml").read_text(encoding="utf-8"))
