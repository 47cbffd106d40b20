"""How long a notebook may be: each cap that it is over, by how much, and its longest texts, as a sentence."""

import re
import statistics

from tests.notebooks import cells

SHOWN = 3  # of the longest, how many are named
FIRST = 6  # words of a cell that name it
MARKUP = re.compile(r"```.*?```|<[^>]+>", re.DOTALL)


def of_lesson(notebook):
    """Yield the caps that a lesson does not keep."""
    code = {cell.id: sum(bool(line.strip()) for line in cell.source.splitlines()) for cell in cells(notebook, "code")}
    words = {cell.id: len(MARKUP.sub(" ", cell.source).split()) for cell in cells(notebook, "markdown")}
    few = [count for count in code.values() if count > 12]
    yield from kept("cells", len(notebook.cells), 40, 80, notebook, words)
    yield from kept("words of text", sum(words.values()), 1200, 2500, notebook, words)
    yield from kept("lines in the middle code cell", statistics.median(code.values()), 0, 4, notebook, code)
    yield from kept("lines in its longest code cell", max(code.values()), 0, 25, notebook, code)
    yield from kept("code cells of more than 12 lines", len(few), 0, len(code) // 10, notebook, code)


def of_short(notebook):
    """Yield the caps that a notebook of `more` does not keep."""
    words = {cell.id: len(cell.source.split()) for cell in cells(notebook, "markdown")}
    yield from kept("cells", len(notebook.cells), 0, 30, notebook, words)
    yield from kept("words of text", sum(words.values()), 0, 800, notebook, words)


def kept(what, count, least, most, notebook, sizes):
    """Yield one sentence where a count is not from least to most. sizes: {id of a cell: how long it is}."""
    if least <= count <= most:
        return
    if count < least:
        yield f"It has {count:g} {what}, {least - count:g} short of {least}."
        return
    found = [(sizes[cell.id], i, begin(cell.source)) for i, cell in enumerate(notebook.cells) if cell.id in sizes]
    found.sort(key=lambda each: -each[0])
    longest = (f"cell {i} ({size}: “{words}”)" for size, i, words in found[:SHOWN])
    yield f"It has {count:g} {what}, {count - most:g} over the cap of {most}. The longest: {', '.join(longest)}."


def begin(text):
    """The first words of a cell."""
    words = text.split()
    return " ".join(words[:FIRST]) + (" …" if len(words) > FIRST else "")
