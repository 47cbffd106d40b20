"""What is said of a notebook that is too long: which cap, by how much, and where its longest texts are."""

import nbformat.v4 as made

from tests import caps

LONG = "one two three four five six seven"


def said(caps_of, **kinds):
    """What is said of a notebook with these cells: (kind, source) so many times."""
    new = {"text": made.new_markdown_cell, "code": made.new_code_cell}
    cells = [new[kind](source) for kind, sources in kinds.items() for source in sources]
    return [*caps_of(made.new_notebook(cells=cells))]


def test_a_lesson_within_its_caps_gets_no_word():
    assert said(caps.of_lesson, text=["word " * 52] * 36, code=["x = 1\n\n" * 4] * 36) == []


def test_each_cap_is_told_with_how_much_it_is_exceeded_and_the_longest_cells():
    text, code = [*["word " * 52] * 40, f"{LONG} <br> " * 50], [*["x = 1\n" * 5] * 29, "y = 2\n" * 26]
    longest = "The longest: cell 70 (26: “y = 2 y = 2 …”), cell 41 (5: “x = 1 x = 1 …”), cell 42 (5: “x = 1 x = 1 …”)."
    assert said(caps.of_lesson, text=text, code=code) == [
        "It has 2430 words of text, 230 over the cap of 2200. The longest: cell 40 (350: “one two three four five six "
        "…”), cell 0 (52: “word word word word word word …”), cell 1 (52: “word word word word word word …”).",
        f"It has 5 lines in the middle code cell, 1 over the cap of 4. {longest}",
        f"It has 26 lines in its longest code cell, 1 over the cap of 25. {longest}",
    ]
    few = said(caps.of_lesson, text=["two words"], code=["x = 1\n" * 13] * 2)
    assert few[:2] == ["It has 3 cells, 27 short of 30.", "It has 2 words of text, 1198 short of 1200."]
    assert few[-1].startswith(
        "It has 2 code cells of more than 12 lines, 2 over the cap of 0. The longest: cell 1 (13: "
    )


def test_a_notebook_of_more_over_twenty_minutes_has_a_lessons_caps_and_its_minutes_are_counted():
    def of(stated):
        return said(lambda notebook: caps.of_more(notebook, "some"), text=[f"*{stated} minutes.*"], code=["x = 1"])

    assert of(20) == [] and of(21)[-1] == "It says 21 minutes and takes 0."


def test_a_short_notebook_has_caps_of_its_own():
    assert said(caps.of_short, text=["word " * 26] * 30) == []
    cells, words = said(caps.of_short, text=["word " * 26] * 31)
    assert cells.startswith("It has 31 cells, 1 over the cap of 30. The longest: cell 0 (26: “word word")
    assert words.startswith("It has 806 words of text, 6 over the cap of 800. The longest: cell 0 (26: “word word")
