"""The guide's syllabi, and its two tests: parallel, and the engine gives each of their numbers and the key's."""

import math
import random
import re

import pytest

pytest.importorskip("myst_nb", reason='the book needs: pip install -e ".[book]"')

from autograd import MLP, SGD, Value, half_squares, topological_order
from exercises.content.lessons import BY_NUMBER, LESSONS
from site_build.book import guide
from site_build.book.guide import forms

NUMBER = re.compile(r"(?:(-?[\d.,]+)/)?(-?\d[\d,]*\.?\d*)")


def gradient(f, *at, times=1):
    """Return the first slope of a function at some numbers, after so many backward passes."""
    leaves = [Value(number) for number in at]
    root = f(*leaves) * 1
    for _ in range(times):
        root.backward()
    return leaves[0].grad


def passes(count):
    """Return how many backward passes it takes until so many parameters all have their slope."""
    parameters = [Value(0.5) for _ in range(count)]
    loss, done = sum(p * 2 for p in parameters), 0
    while any(p.grad != 2 for p in parameters):
        loss.backward()
        done += 1
    return done


def step(start, slope, rate):
    """Return a number after a step of the engine's optimizer."""
    w = Value(start)
    (w * slope).backward()
    SGD([w], rate).step()
    return w.data


NAMES = {"gradient": gradient, "passes": passes, "step": step, "math": math}


def number_in(option):
    """Return the number in an option, 1/40 as a share; None if there is none."""
    found = NUMBER.search(option)
    return found and float(found[2].replace(",", "")) ** (-1 if found[1] == "1" else 1)


def test_syllabi_name_lessons_and_add_up():
    assert [one["title"] for one in guide.syllabi()] == [
        "One hour",
        "Ninety minutes",
        "Three hours",
        "Five evenings",
        "A term",
    ]
    for one in guide.syllabi():
        assert sum(session["minutes"] for session in one["session"]) == one["minutes"]
        assert [
            (session, number) for session in one["session"] for number in session["lessons"] if number not in BY_NUMBER
        ] == []
        said = " ".join(session["does"] for session in one["session"])
        assert said.count("Test A") == said.lower().count("test b") == (one["title"] in ("Three hours", "A term"))
    evenings, term = ([n for session in one["session"] for n in session["lessons"]] for one in guide.syllabi()[3:])
    assert evenings == [lesson.number for lesson in LESSONS] and set(evenings) < set(term)


@pytest.mark.parametrize("form", forms.FORMS)
@pytest.mark.parametrize("one", forms.questions(), ids=lambda one: one["concept"].replace(" ", "-"))
def test_every_number_of_the_tests_is_computed(one, form):
    """Those of wrong options are what their mistake gives. An option without one has none."""
    for option, number in zip(one[form]["options"], one[form]["numbers"], strict=True):
        if number:
            assert number_in(option) == pytest.approx(eval(number, NAMES), rel=0.05), (
                option
            )  # a millionth is a round number
        else:
            assert number_in(option) is None, option
    assert one["lesson"] in BY_NUMBER and [bool(shows) for shows in one["shows"]] == [False, True, True, True]


def test_test_forms_are_parallel_with_different_numbers():
    questions = forms.questions()
    assert len(questions) == 12 and len({one["concept"] for one in questions}) == 12
    for one in questions:
        a, b = one["A"], one["B"]
        assert a["asks"] != b["asks"] and len(set(a["options"])) == len(set(b["options"])) == 4
        assert [bool(number) for number in a["numbers"]] == [bool(number) for number in b["numbers"]]
    for places in forms.PLACES.values():
        assert sorted(places) == sorted([0, 1, 2, 3] * 3), "the right answer is at no letter more often than at others"


def test_answers_without_numbers_match_the_engine():
    a = Value(1.0)
    b = 2 * a
    c = b + 1
    order = topological_order(b * c)
    assert order.index(b) < order.index(c), "going back, b's turn is after that of y and c"
    net = MLP(2, [3, 1], rng=random.Random(0))
    for parameter in net.parameters():
        parameter.data = 0.3
    optimizer = SGD(net.parameters(), 0.1)
    for _ in range(20):
        loss = half_squares([net([0.2, 0.9]), net([0.8, -0.4])], [1.0, 0.0])
        net.zero_grad()
        loss.backward()
        optimizer.step()
    twins = [[p.data for p in neuron.parameters()] for neuron in net.layers[0].neurons]
    assert twins[0] == twins[1] == twins[2] and twins[0][0] != 0.3


def test_test_pages_ask_and_the_key_answers():
    pages = guide.tests()
    assert [*pages] == ["test_a", "test_b", "test_key"]
    rows = re.findall(
        r"^\| (\d+) \| .*? \| \*\*(\w)\*\* (.*?) \| \*\*(\w)\*\* (.*?) \|$", pages["test_key"], re.MULTILINE
    )
    assert len(rows) == 12
    for number, *answers in rows:
        for form, letter, text in zip(forms.FORMS, answers[::2], answers[1::2]):
            line = f'name="{form}{number}" value="{letter}">{letter}) {forms.render_code(text)}</label></div>'
            assert line in pages[forms.PAGES[form]], "each option is a line of its own"
            assert text == forms.questions()[int(number) - 1][form]["options"][0]
    for form in forms.FORMS:
        page = pages[forms.PAGES[form]]
        assert page.count("<fieldset><legend>") == 12 and page.count('type="radio"') == 48
        assert [(one, shows) for one in forms.questions() for shows in one["shows"] if shows and shows in page] == []
    assert [name for name in pages if f"({name}.md)" not in forms.render_guide()] == []


def test_guide_has_a_note_on_each_core_notebook():
    page, notes = guide.page(), guide.notes()
    assert [each.splitlines()[0] for each in notes] == [
        f"### [{lesson.number}](lessons/{lesson.file}) · {lesson.title}" for lesson in LESSONS
    ]
    assert [note for note in notes if not (note in page and len(note.split()) > 20)] == []
