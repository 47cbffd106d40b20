"""The pages of the book that are no lessons, as sources: the front page, the guide, the sheet, the reference."""

import re

from exercises.shelf.lessons import HOUR, LESSONS
from figures import gallery
from site_build import ROOT, TITLE
from site_build.book import cheat_sheet, glossary, guide, reference, shared, texts

PICTURE = gallery.HERE / "backward_pass.svg"
DARK = "@media (prefers-color-scheme: dark)"
TREES = "```{{toctree}}\n:hidden:\n:caption: {}\n\n{}\n```"


def write(notebooks, source, files, page):
    """Write them into the folder of sources. files: the Shared. page: where lessons run, "" if nowhere."""
    drawn = PICTURE.read_text(encoding="utf-8")
    for theme, media in (("light", "@media not all"), ("dark", "@media all")):  # of the page, not of the system
        (source / f"{theme}.svg").write_text(drawn.replace(DARK, media), encoding="utf-8")
    pages = {"teachers": guide.page(notebooks), "cheat_sheet": cheat_sheet.page(), **reference.pages()}
    pages["glossary"] = glossary.page()
    for name, text in pages.items():
        place = source / f"{name}.md"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (source / "index.md").write_text(front(notebooks, pages, files, page), encoding="utf-8")


def front(notebooks, pages, files, page):
    """The front page: what this is, how it looks, how to begin; and the tree of all pages."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    goal = re.search(r"^# .*?\n\n(?:\[.*?\n\n)*?([A-Z].*?)\n\n", readme, re.DOTALL)[1]
    alt = re.search(r"!\[([^\]]*)\]\(figures/gallery/backward_pass\.svg\)", readme)[1]
    wrong = section(readme, "What a wrong answer gets")
    return "\n\n".join(
        [
            f"# {TITLE}",
            goal,
            *(f"```{{image}} {theme}.svg\n:alt: {alt}\n:class: only-{theme}\n```" for theme in ("light", "dark")),
            "## Start",
            *ways(page, block(section(readme, "Start"), "bash")),
            "## What a wrong answer gets",
            "An exercise of lesson 01 asks for the slope of a secant. Leave out two brackets, and the check knows it:",
            block(wrong, "python"),
            shared.linked(files.slim(verdict(block(wrong, "python"))).replace('href="', 'href="lessons/')),
            "## The lessons",
            texts.lessons().replace("](notebooks/", "](lessons/"),
            *trees(notebooks, pages),
        ]
    )


def ways(page, lines):
    """How to begin: here, in the browser if lessons run there, and on one's own machine."""
    first = LESSONS[0].file
    yield (
        f"[Read, and step through the labs, here](lessons/{first}). Nothing is installed, and no kernel runs: labs "
        f"that need one show a recorded run. No more than [an hour](lessons/{HOUR})? You write seven lines, and a "
        "small network learns with them."
    )
    if page:
        yield (
            f'<a href="../{page.format(first)}">Run the lessons in your browser</a>: with live labs and exercises that '
            "are checked, and still nothing to install."
        )
    yield (
        "On your own machine it is two lines, with Python 3.11 or later; `ADDRESS` is the address of the project's "
        "repository:"
    )
    yield lines


def section(text, heading):
    """A section of a Markdown text, without its heading."""
    return re.search(rf"^## {re.escape(heading)}\n\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)[1]


def block(text, language):
    """The first block of code in a language."""
    return re.search(rf"```{language}\n.*?\n```", text, re.DOTALL)[0]


def verdict(code):
    """What the last line of a block of code prints, as the card that a notebook shows."""
    *lines, last = code.removeprefix("```python\n").removesuffix("\n```").splitlines()
    names = {}
    exec("\n".join(lines), names)  # of the README, whose tests run it too
    return eval(last.removeprefix("print(").removesuffix(")"), names)._repr_mimebundle_()["text/html"]


def trees(notebooks, pages):
    """The tables of contents at the side."""
    there = [place.with_suffix("").as_posix() for place in notebooks]
    groups = {
        "Lessons": [f"lessons/{name}" for name in there if "/" not in name],
        "More, in short": [f"lessons/{name}" for name in there if "/" in name],
        "Beside them": ["glossary", "cheat_sheet", "teachers"],
        "Reference": [name for name in pages if name.startswith("reference/")],
    }
    return [TREES.format(caption, "\n".join(names)) for caption, names in groups.items()]
