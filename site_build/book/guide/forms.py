"""The test before the course and the one after it, as parallel forms to print or to fill in, and their key."""

import html
import re
import tomllib
from pathlib import Path

from exercises.content.lessons import BY_NUMBER

FORMS = {"A": "before the course", "B": "after the course"}
PAGES = {"A": "test_a", "B": "test_b", "key": "test_key"}
LETTERS = "abcd"
PLACES = {"A": (2, 0, 3, 1, 0, 2, 1, 3, 2, 0, 3, 1), "B": (1, 3, 0, 2, 3, 1, 2, 0, 1, 3, 0, 2)}  # of the right option


def questions():
    """Return the questions as data; see questions.toml."""
    return tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))["question"]


def render_guide():
    """Return what a teacher needs to know about the tests, as MyST."""
    return (
        f"[Test A]({PAGES['A']}.md) is for before the course, [test B]({PAGES['B']}.md) for after it: twelve questions "
        "each, ten to twenty minutes, no calculator. Question by question both ask for the same with other numbers, so "
        "what has changed between them was learned, and not remembered. Each prints on two sheets, with a line for a "
        f"name. [The key]({PAGES['key']}.md) stands on a page of its own and says what each wrong answer shows. After "
        "test B, ask why as well."
    )


def ordered(form, number):
    """Return the places of a question's options in questions.toml, in the order in which a form shows them."""
    first = PLACES[form][number - 1]
    others = [1, 2, 3]
    return [*others[:first], 0, *others[first:]]


def page(form):
    """Return a form as MyST: each option on its own line, with a ring to press, or to cross on paper."""
    asked = "".join(question(form, number, one) for number, one in enumerate(questions(), start=1))
    return (
        f"# Test {form}: {FORMS[form]}\n\nTwelve questions, ten to twenty minutes, no calculator. One answer to each "
        "is right. If you do not know, leave it open: what you cannot know yet is what the course is for. What you "
        "mark here is not sent anywhere, and is gone when the page is closed; it can be printed.\n\n"
        f'```{{raw}} html\n<form class="test" autocomplete="off"><p class="test-name"><label>Name <input type="text">'
        f'</label> <label>Date <input type="text"></label></p>{asked}</form>\n```\n'
    )


def question(form, number, one):
    """Return a question as HTML."""
    texts = [render_code(one[form]["options"][place]) for place in ordered(form, number)]
    rows = "".join(
        f'<div><label><input type="radio" name="{form}{number}" value="{letter}">{letter}) {text}</label></div>'
        for letter, text in zip(LETTERS, texts)
    )
    return f"<fieldset><legend>{number}. {render_code(one[form]['asks'])}</legend>{rows}</fieldset>"


def render_code(text):
    """Return a text with `code` as HTML."""
    return re.sub(r"`(.+?)`", r"<code>\1</code>", html.escape(text, quote=False))


def key():
    """Return the key of both forms as MyST, and what a wrong answer shows."""
    rows = []
    for number, one in enumerate(questions(), start=1):
        right = [LETTERS[PLACES[form][number - 1]] for form in FORMS]
        lesson = BY_NUMBER[one["lesson"]]
        link = f"[{lesson.title if lesson.after else lesson.number}](lessons/{lesson.file})"
        texts = [f"**{letter}** {one[form]['options'][0]}" for letter, form in zip(right, FORMS)]
        rows.append(f"| {number} | {one['concept']} | {link} | {' | '.join(texts)} |")
    return "\n\n".join(
        [
            "# The key to both tests",
            "The right answers of form A and of form B, and the lesson that treats what is asked for.",
            "\n".join(["| | asks whether | lesson | A | B |", "|---|---|---|---|---|", *rows]),
            "## What a wrong answer shows",
            *(shown(number, one) for number, one in enumerate(questions(), start=1)),
        ]
    )


def shown(number, one):
    """Return what each wrong option of a question shows, with its letter in A and in B."""
    rows = []
    for place in (1, 2, 3):
        letters = [LETTERS[ordered(form, number).index(place)] for form in FORMS]
        texts = [f"{letter}) {one[form]['options'][place]}" for letter, form in zip(letters, FORMS)]
        rows.append(f"| {' | '.join(texts)} | {one['shows'][place]} |")
    return "\n".join([f"**{number}.** {one['concept'].capitalize()}.", "", "| A | B | shows |", "|---|---|---|", *rows])
