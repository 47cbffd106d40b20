"""The glossary's page, from the data that `exercises.glossary` reads."""

import json
from pathlib import Path

import exercises
from exercises.shelf.lessons import BY_NUMBER
from site_build.book.lessons import slug

DATA = Path(exercises.__file__).parent / "course" / "glossary.json"


def page():
    """The page as MyST."""
    words = json.loads(DATA.read_text(encoding="utf-8"))
    return "\n\n".join(
        [
            "# Glossary",
            'What people say, and what it means. `exercises.glossary("upstream")` shows an entry in a lesson.',
            *map(entry, words),
        ]
    )


def entry(one):
    """A word: what is said, what it means, where it is met."""
    lesson = BY_NUMBER[one["lesson"]]
    also = f"*Also: {', '.join(one['also'])}.* " if one.get("also") else ""
    where = f"[Lesson {one['lesson']}, “{one['heading']}”](lessons/{lesson.file}#{slug(one['heading'])})"
    return f"## {one['word']}\n\n{also}People say: {one['say']}\n\n{one['mean']}\n\n{where}."
