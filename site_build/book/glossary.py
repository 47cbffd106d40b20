"""The glossary's page, in the order in which the lessons treat its words, from the data of `exercises.glossary`."""

import re

from exercises.content.lessons import BY_NUMBER
from exercises.course.glossary import entries
from site_build.book.lessons import slug

HEADING = re.compile(r"^#+ (.*?) *$", re.MULTILINE)


def page(notebooks):
    """Return the page as MyST. notebooks: {path: notebook}, whose headings give the order within a lesson."""
    listed = sorted((one.word for one in entries()), key=str.casefold)
    parts = [
        "# Glossary",
        "What people say, and what it means, in the order in which the lessons treat it. In a lesson "
        '`exercises.glossary("upstream")` shows an entry.',
        " · ".join(f"[{word}](#{slug(word)})" for word in listed),
    ]
    for lesson in BY_NUMBER.values():
        treated = [one for one in entries() if one.lesson == lesson.number]
        order = headings(notebooks, lesson.file)
        if treated:
            title = lesson.title if lesson.after else f"{lesson.number} · {lesson.title}"
            parts.append(f"## [{title}](lessons/{lesson.file})")
        parts += [entry(one, lesson) for one in sorted(treated, key=lambda one: order.index(one.heading))]
    return "\n\n".join(parts)


def headings(notebooks, file):
    """Return the headings of a lesson's notebook in their order, without the marks of code."""
    book = next(book for place, book in notebooks.items() if place.as_posix() == file)
    texts = [cell.source for cell in book.cells if cell.cell_type == "markdown"]
    return [found.replace("`", "") for text in texts for found in HEADING.findall(text)]


def entry(one, lesson):
    """Return a word's entry: what people say, what it means, where it is treated."""
    also = f"*Also: {', '.join(one.also)}.* " if one.also else ""
    where = f"[“{one.heading}”](lessons/{lesson.file}#{slug(one.heading)})"
    return f"### {one.word}\n\n{also}People say: {one.say}\n\n{one.mean}\n\nTreated in {where}."
