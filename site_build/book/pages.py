"""The pages of the book that are no lessons, as sources."""

from exercises.lessons import LESSONS

TITLE = "Backpropagation from scratch"


def write(notebooks, source, files, page):
    """Write them into the folder of sources."""
    there = "\n".join(f"lessons/{place.with_suffix('').as_posix()}" for place in notebooks)
    (source / "index.md").write_text(f"# {TITLE}\n\n## The lessons\n\n```{{toctree}}\n:caption: Lessons\n{there}\n```\n", encoding="utf-8")
