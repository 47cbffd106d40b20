"""The book's pages that are not lessons, as sources: front page, guide and its tests, sheets, bugs, reference."""

import re
import shutil

from exercises.content.lessons import BY_NUMBER
from figures.gallery import HERE as PICTURES
from site_build.book import cheat_sheet, front, glossary, guide, reference, texts, wild

TREES = "```{{toctree}}\n:hidden:\n:caption: {}\n\n{}\n```"


def write(notebooks, source, files, page):
    """Write the pages into the folder of sources. files: the Shared. page: where lessons run, "" if nowhere."""
    pages = {
        "labs": labs(),
        "micrograd": texts.micrograd(),
        "glossary": glossary.page(notebooks),
        "cheat_sheet": cheat_sheet.page(),
        texts.BUGS: wild.page(),
    }
    pages |= {"teachers": guide.page(), **guide.tests(), **reference.pages()}
    shutil.copytree(PICTURES, source / "gallery", ignore=shutil.ignore_patterns("*.py", "*.css", "__pycache__"))
    pages["index"] = "\n\n".join([front.page(files, page), *trees(notebooks, pages)])
    for name, text in pages.items():
        place = source / f"{name}.md"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")


def labs():
    """Return the table of the labs as cards, each with its picture; each notebook that it names is a link."""
    rows = []
    for line in texts.labs().splitlines():
        lab, *cells = re.split(r"(?<!\\) \| ", line) if line.startswith("| ") else [line]
        if cells:
            cells[0] = "in no lesson" if cells[0] == "–" else re.sub(r"\b\d\d\b|`\w+`", link, cells[0])
        rows.append(" | ".join([lab, *cells]))
    return front.cards("\n".join(["# The labs", "", *rows]), "labs", picture_of)


def picture_of(row):
    """Return the name of the picture of a lab, of which a row tells; "" if there is none."""
    calls = re.findall(r"`([\w.]+)\(", row.split(" | ")[0])
    return next((call for call in calls if (PICTURES / f"{call}.svg").exists()), "")


def link(found):
    """Return the link to the notebook that a match names: 04, or `why_backward`, which has its title as text."""
    lesson = BY_NUMBER[found[0].strip("`")]
    return f"[{lesson.title if lesson.after else f'lesson {lesson.number}'}](lessons/{lesson.file})"


def trees(notebooks, pages):
    """Return the tables of contents at the side."""
    there = [place.with_suffix("").as_posix() for place in notebooks]
    groups = {
        "Lessons": [f"lessons/{name}" for name in there if "/" not in name],
        "Workshops": [f"lessons/{name}" for name in there if "/" in name],
        "Beside them": ["labs", "glossary", "cheat_sheet", "micrograd", texts.BUGS],
        "To teach": ["teachers", *guide.tests()],
        "Reference": [name for name in pages if name.startswith("reference/")],
    }
    return [TREES.format(caption, "\n".join(names)) for caption, names in groups.items()]
