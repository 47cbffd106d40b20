"""The glossary: what people say, what it means, and which lesson treats it. The entries are in glossary.json."""

import difflib
import functools
import html
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from autograd.errors import messages
from exercises.content.lessons import BY_NUMBER, link
from exercises.quizzes.quiz_data import marked_up, strip_markup
from exercises.storage.progress import Note
from figures.page.style import page_sheet

FILE = Path(__file__).with_name("glossary.json")
CONCEPTS = Path(__file__).with_name("concepts.toml")
CLOSE = 0.7  # how similar a word must be to be suggested for an unknown one

LOOKS = """
.bp.bp-words { max-width: 1000px; container-type: inline-size; }
.bp.bp-words table { width: 100%; margin: 0; font-size: 14px; table-layout: fixed; }
.bp.bp-words table :is(th, td) { padding: 6px 10px; text-align: left; vertical-align: top; white-space: normal; }
.bp.bp-words table :is(th, td) { background: transparent; color: var(--bp-ink); overflow-wrap: break-word; }
.bp.bp-words tbody tr:nth-child(n) { background: transparent; }
.bp.bp-words table thead th { font-size: 12px; font-weight: 400; color: var(--bp-soft); }
.bp.bp-words thead th:nth-child(1) { width: 15%; }
.bp.bp-words thead th:nth-child(2) { width: 24%; }
.bp.bp-words thead th:nth-child(4) { width: 21%; }
@container (max-width: 600px) {
  .bp.bp-words table :is(tbody, tr, th, td) { display: block; width: auto; padding: 2px 0; border: 0; }
  .bp.bp-words thead { display: none; }
  .bp.bp-words table tbody tr { padding: 10px 0; border-bottom: 1px solid var(--bp-line); }
}
"""
COLUMNS = "word", "people say", "it means", "treated in"


@dataclass(frozen=True)
class Entry:
    """A word: what people say, what it means, the lesson and heading that treat it, related words, other names."""

    word: str
    say: str
    mean: str
    lesson: str
    heading: str
    see: tuple
    also: tuple = ()

    @property
    def place(self):
        """The lesson and the heading, in words."""
        return f"{BY_NUMBER[self.lesson].name}, “{self.heading}”"

    def render_text(self):
        """Return the entry as lines of text."""
        lines = [", ".join([self.word, *self.also])]
        lines += [f"  people say  {strip_markup(self.say)}", f"  it means    {strip_markup(self.mean)}"]
        lines += [f"  treated in  {strip_markup(self.place)}", f"  see also    {', '.join(self.see)}"]
        return "\n".join(lines)

    def row(self):
        """Return the entry as a row of the table, with a cell for each of COLUMNS."""
        also = f"<br><small>{html.escape(', '.join(self.also))}</small>" if self.also else ""
        target = html.escape(link(BY_NUMBER[self.lesson].link_to(self.heading)))
        see = f"<br><small>see also {html.escape(', '.join(self.see))}</small>"
        told = marked_up(self.say), marked_up(self.mean), f'<a href="{target}">{marked_up(self.place)}</a>{see}'
        cells = "".join(f"<td>{cell}</td>" for cell in told)
        return f'<tr><th scope="row"><b>{html.escape(self.word)}</b>{also}</th>{cells}</tr>'


@functools.cache
def concepts():
    """Return {(lesson, heading): {"words": …, "terms": …}} of concepts.toml: the section that teaches each."""
    listed = tomllib.loads(CONCEPTS.read_text(encoding="utf-8"))
    return {tuple(place.split(" ", 1)): {"words": [], "terms": [], **each} for place, each in listed.items()}


@functools.cache
def entries():
    """Return all Entries, in the order of their words."""
    homes = {word: place for place, each in concepts().items() for word in each["words"]}
    found = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        Entry(
            *(each[name] for name in ("word", "say", "mean")),
            *homes[each["word"]],
            tuple(each["see"]),
            tuple(each.get("also", ())),
        )
        for each in found
    )


class Glossary:
    """Some entries of the glossary, as a table."""

    def __init__(self, shown):
        self.shown = tuple(shown)

    def __repr__(self):
        return "\n\n".join(entry.render_text() for entry in self.shown)

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": repr(self)}

    def html(self):
        """Return the table, with a link from each word to the section that treats it."""
        head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
        body = "".join(entry.row() for entry in self.shown)
        return (
            f'<div class="bp bp-words"><style>{page_sheet() + LOOKS}</style>'
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )


def as_key(text):
    """Normalise a word for comparison: lower case, with a space for each gap, hyphen and underscore."""
    return " ".join(text.lower().replace("-", " ").replace("_", " ").split()) or text.strip()


def glossary(word=None):
    """Show what people mean by a word, and which lesson treats it: glossary("upstream"); without a word, show all.

    For an unknown word, return a sentence with the nearest ones.
    """
    if word is None:
        return Glossary(entries())
    if not isinstance(word, str) or not word.strip():
        raise TypeError(f'glossary takes a word, such as "upstream", or nothing; got {messages.described(word)}.')
    known = {as_key(name): entry for entry in entries() for name in (entry.word, *entry.also)}
    if entry := known.get(as_key(word)):
        return Glossary([entry])
    near = [known[name].word for name in difflib.get_close_matches(as_key(word), known, 4, CLOSE)]
    near += [entry.word for name, entry in known.items() if set(as_key(word).split()) & set(name.split())]
    near = list(dict.fromkeys(near))[:4]
    nearest = f"The nearest: {', '.join(near)}." if near else "exercises.glossary() shows all that it has."
    return Note(f"The glossary has no word {word!r}. {nearest}")
