"""How long a notebook may be: a sentence for each cap that it exceeds, by how much, and its longest texts.

`python -m tests.caps notebooks/05*.ipynb` reports it for files, with the minutes that they take.
"""

import ast
import io
import re
import statistics
import sys
import tokenize
from pathlib import Path

import nbformat

from exercises.content.library import exercise_of
from tests import minutes

SITTING, WORKSHOP = 55, (25, 60)  # minutes
WIDTH = 88  # characters of a code line, at 1,000 px
TEXT = 4  # words from which a string in a code cell is a text

SHOWN = 3  # of the longest, how many are named
FIRST = 6  # words of a cell that name it
MARKUP = re.compile(r"```.*?```|<[^>]+>", re.DOTALL)


def cells(notebook, kind):
    return [cell for cell in notebook.cells if cell.cell_type == kind]


def words_in(cell):
    """Count the words a reader finds in a cell: its text without markup, or a code cell's comments and texts."""
    if cell.cell_type == "markdown":
        return len(MARKUP.sub(" ", cell.source).split())
    found = 0
    for token in tokenize.generate_tokens(io.StringIO(cell.source).readline):
        if token.type == tokenize.COMMENT:
            found += len(token.string.lstrip("# ").split())
        elif token.type == tokenize.STRING:
            count = len(str(ast.literal_eval(token.string)).split()) if not token.string.startswith("f") else 0
            found += count if count >= TEXT else 0
    return found


def of_core(notebook):
    """Yield the caps that a lesson of the core exceeds; for the core as a whole see `of_the_core`."""
    yield from of_notebook(notebook, 60, 1_600)
    if minutes.needed(notebook) > SITTING:
        yield f"It takes {minutes.needed(notebook):.0f} minutes; a sitting has at most {SITTING}."


def of_workshop(notebook, stem):
    """Yield the caps that a workshop exceeds; for the exam, which shows what somebody asks for, no minutes."""
    yield from of_notebook(notebook, 72, 2_200)
    least, most = WORKSHOP
    if stem != "exam" and not least <= minutes.needed(notebook) <= most:
        yield f"It takes {minutes.needed(notebook):.0f} minutes; a workshop has {least} to {most}."


def of_notebook(notebook, cells_at_most, words_at_most):
    code = {cell.id: sum(bool(line.strip()) for line in cell.source.splitlines()) for cell in cells(notebook, "code")}
    words = {cell.id: words_in(cell) for cell in notebook.cells}
    wide = {cell.id: max(map(len, cell.source.splitlines()), default=0) for cell in cells(notebook, "code")}
    few = [count for count in code.values() if count > 12]
    yield from kept("signs in its widest code line", max(wide.values(), default=0), 0, WIDTH, notebook, wide)
    yield from kept("cells", len(notebook.cells), 0, cells_at_most, notebook, words)
    yield from kept("words of text", sum(words.values()), 0, words_at_most, notebook, words)
    yield from kept("lines in the middle code cell", statistics.median(code.values()), 0, 4, notebook, code)
    yield from kept("lines in its longest code cell", max(code.values()), 0, 25, notebook, code)
    yield from kept("code cells of more than 12 lines", len(few), 0, len(code) // 10, notebook, code)


def of_the_core(notebooks):
    """Yield the caps that the lessons of the core exceed together."""
    parts = (
        ("minutes", sum(map(minutes.needed, notebooks)), 440),
        ("words of text", sum(words_in(cell) for notebook in notebooks for cell in notebook.cells), 16_000),
        ("checked exercises", sum(bool(exercise_of(cell)) for each in notebooks for cell in each.cells), 30),
        ("names of the API", len(set().union(*map(names_of_api, notebooks))), 45),
    )
    for what, count, most in parts:
        if count > most:
            yield f"The core has {count:.0f} {what}, {count - most:.0f} over the cap of {most}."


def names_of_api(notebook):
    """Return what a notebook uses of the packages and the learner's engine, without checks: {"figures.xor", …}."""
    code = "\n".join(cell.source for cell in cells(notebook, "code"))
    return set(re.findall(r"\b(?:figures|exercises|autograd|mine)\.[A-Za-z_]\w*", code))


def kept(what, count, least, most, notebook, sizes):
    """Yield one sentence if a count is not from least to most. sizes: {id of a cell: how long it is}."""
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
    words = text.split()
    return " ".join(words[:FIRST]) + (" …" if len(words) > FIRST else "")


def all_of(path, notebook):
    yield from of_workshop(notebook, path.stem) if path.parent.name == "workshops" else of_core(notebook)
    yield from minutes.wrong(notebook)


def main(paths):
    for path in map(Path, paths):
        notebook = nbformat.read(path, as_version=4)
        words = sum(map(words_in, notebook.cells))
        counted, apart = minutes.needed(notebook), minutes.apart(notebook)
        print(f"{path.name}: {len(notebook.cells)} cells, {words} words, {counted:.1f} minutes and {apart} apart")
        for sentence in all_of(path, notebook):
            print(f"    {sentence}")


if __name__ == "__main__":
    if sys.argv[1:] and all(Path(each).exists() for each in sys.argv[1:]):
        main(sys.argv[1:])
    else:
        sys.exit("python -m tests.caps FILE …: notebooks, such as notebooks/05*.ipynb")
