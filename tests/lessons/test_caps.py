"""The report on a notebook that is too long: which cap, by how much, and where its longest texts are."""

import nbformat.v4 as made

from tests import caps

LONG = "one two three four five six seven"


def caps_report(caps_of, **kinds):
    """Return the report on a notebook with these cells: (kind, source) so many times."""
    new = {"text": made.new_markdown_cell, "code": made.new_code_cell}
    cells = [new[kind](source) for kind, sources in kinds.items() for source in sources]
    return [*caps_of(made.new_notebook(cells=cells))]


def test_lesson_within_its_caps_reports_nothing():
    assert caps_report(caps.of_core, text=["word " * 52] * 30, code=["x = 1\n\n" * 4] * 30) == []


def test_exceeded_caps_are_reported_with_the_longest_cells():
    text, code = [*["word " * 52] * 40, f"{LONG} <br> " * 50], [*["x = 1\n" * 5] * 18, "y = 2\n" * 26]
    longest = "The longest: cell 59 (26: “y = 2 y = 2 …”), cell 41 (5: “x = 1 x = 1 …”), cell 42 (5: “x = 1 x = 1 …”)."
    assert caps_report(caps.of_core, text=text, code=code) == [
        "It has 2430 words of text, 830 over the cap of 1600. The longest: cell 40 (350: “one two three four five six "
        "…”), cell 0 (52: “word word word word word word …”), cell 1 (52: “word word word word word word …”).",
        f"It has 5 lines in the middle code cell, 1 over the cap of 4. {longest}",
        f"It has 26 lines in its longest code cell, 1 over the cap of 25. {longest}",
    ]


def test_lessons_and_workshops_have_time_limits():
    def report_of(words, caps_of):
        return caps_report(caps_of, text=["word " * words] * 10, code=["x = 1"])[-1:]

    assert report_of(160, caps.of_core) == []
    assert report_of(840, caps.of_core) == ["It takes 56 minutes; a sitting has at most 55."]
    workshop = lambda notebook: caps.of_workshop(notebook, "some")  # noqa: E731
    assert report_of(200, workshop) == ["It takes 14 minutes; a workshop has 25 to 60."]


def test_core_lessons_have_total_caps():
    cell = made.new_code_cell("figures.xor(); mine.MLP")
    alone = made.new_notebook(cells=[made.new_markdown_cell("word " * 5_400), cell])
    assert [*caps.of_the_core([alone] * 2)] == [] and caps.names_of_api(alone) == {"figures.xor", "mine.MLP"}
    assert [*caps.of_the_core([alone] * 3)][-1] == "The core has 16200 words of text, 200 over the cap of 16000."
