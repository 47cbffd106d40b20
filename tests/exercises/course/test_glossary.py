"""The glossary: its entries are complete, point to sections that treat them, and any of their names finds them."""

import html
import json
import re

import pytest

import exercises
from exercises.authors import sections
from exercises.content.lessons import BY_NUMBER
from exercises.course import glossary
from tests import notebooks
from tests.lessons import test_notebooks

ENTRIES = glossary.entries()


def test_glossary_entries_have_the_required_fields():
    found = json.loads(glossary.FILE.read_text(encoding="utf-8"))
    assert len(found) >= 35
    for each in found:
        assert set(each) - {"also"} == {"word", "say", "mean", "see"}, each["word"]
        assert [text for text in (each["word"], each["say"], each["mean"]) if not (text.strip() == text != "")] == [], (
            each["word"]
        )
        assert each["say"][0] == "“" and each["say"].count("“") == each["say"].count("”"), each["word"]
        assert 8 <= len(each["mean"].split()) <= 50, each["word"]
        assert [text for text in (each["say"], each["mean"]) if text.count("`") % 2 != 0] == [], each["word"]
    order = [each["word"] for each in found]
    assert order == sorted(order, key=lambda word: (not word[0].isalpha(), word))
    names = [glossary.as_key(name) for entry in ENTRIES for name in (entry.word, *entry.also)]
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)
    for entry in ENTRIES:
        assert entry.see and set(entry.see) <= {other.word for other in ENTRIES} - {entry.word}, entry.word


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.word)
def test_glossary_section_exists_and_its_lesson_uses_the_word(entry):
    path = notebooks.NOTEBOOKS / BY_NUMBER[entry.lesson].file
    assert entry.heading.replace("-", " ") in test_notebooks.headings_of(path)
    told = "\n".join(cell.source for cell in notebooks.read(path).cells).lower()
    assert any(re.search(rf"(?<!\w){re.escape(name.lower())}", told) for name in (entry.word, *entry.also))


def test_glossary_finds_a_word_by_any_of_its_names():
    for name in ("upstream", "Upstream Gradient", " upstream-gradient "):
        assert [entry.word for entry in exercises.glossary(name).shown] == ["upstream gradient"]
    shown = repr(exercises.glossary("upstream"))
    assert "people say  “Upstream is what came before" in shown
    assert "treated in  lesson 00, “Backward, by hand”" in shown


def test_glossary_without_a_word_shows_all_entries():
    page, text = (exercises.glossary()._repr_mimebundle_()[f"text/{kind}"] for kind in ("html", "plain"))
    assert text.count("it means    ") == page.count('<th scope="row">') == len(ENTRIES)
    for entry in ENTRIES:
        assert f'href="{html.escape(BY_NUMBER[entry.lesson].link_to(entry.heading))}"' in page
    assert "`" not in page + text and "glossary" in exercises.__all__
    assert BY_NUMBER["02"].link_to("A `+` that does it") == f"{BY_NUMBER['02'].file}#A-+-that-does-it"


def test_each_concept_has_one_section():
    """A section of a notebook; each of the glossary's words and each term is at one place in the table."""
    for kind in ("words", "terms"):
        listed = [name for each in glossary.concepts().values() for name in each[kind]]
        assert len(listed) == len(set(listed))
    assert {word for each in glossary.concepts().values() for word in each["words"]} == {one.word for one in ENTRIES}
    assert [
        (place, heading)
        for place, heading in glossary.concepts()
        if (place, heading.replace("-", " ")) not in sections.sections()
    ] == []


def test_unknown_word_suggests_the_nearest():
    for word, said in (
        ("upstrem", "The glossary has no word 'upstrem'. The nearest: upstream gradient."),
        ("dead gradient", "The nearest: gradient, "),
        ("xyzzy", "The glossary has no word 'xyzzy'. exercises.glossary() shows all that it has."),
    ):
        assert said in repr(exercises.glossary(word))
    for word, got in ((3, "an int"), ("", "the str ''"), (["leaf"], "a list of 1")):
        with pytest.raises(TypeError, match=rf'^glossary takes a word, such as "upstream", or nothing; got {got}\.$'):
            exercises.glossary(word)
