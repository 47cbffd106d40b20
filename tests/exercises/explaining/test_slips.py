"""Slips: what one change of a text may be, and what it is called."""

import ast

import pytest

from exercises.engine_file import check
from exercises.explaining.slips import slips
from exercises.shelf import library

SLIPS = [  # a text, a text with one slip in it, its words
    ("x = a - b", "x = a + b", "`+` where `-` belongs"),
    ("x = a - b", "x = b - a", "the two sides of `-` exchanged"),
    ("x = a * 2", "x = a + 2", "`+` where `*` belongs beside a number"),
    ("ok = f(a, int | b)", "ok = f(a, int + b)", "`+` where `|` belongs"),
    ("x %= 2.0", "x /= 2.0", "`/=` where `%=` belongs"),
    ("x += 1.0", "x -= 1.0", "`-=` where `+=` belongs"),
    ("x += 1.0", "x += 2.0", "another number in one place"),
    ("ok = a < b", "ok = a <= b", "`<=` where `<` belongs"),
    ("ok = a in b", "ok = a not in b", "`not in` where `in` belongs"),
    ("ok = a and b", "ok = a or b", "`or` where `and` belongs"),
    ("x = -a", "x = +a", "a minus left out"),
    ("x = f(a, b)", "x = f(b, a)", "the arguments of `f` in the other order"),
    ("x = f(a, k=1)", "x = f(a)", "an argument of `f` left out"),
    ("x = (a, b)", "x = (b, a)", "the items in the other order"),
    ("x = [a, b]", "x = [a]", "one of 2 items left out"),
    ("x = v.data", "x = v.grad", "`.grad` where `.data` belongs"),
    ("x = [a for a in b if a]", "x = [a for a in b]", "a condition left out"),
    ("x = [a for a in b]", "x = [a for a in b[1:]]", "the first one left out"),
    ("if a:\n    b = 1", "if not a:\n    b = 1", "a condition turned round"),
    ("if a:\n    b = 1", "if a:\n    pass", "the line that sets `b` left out"),
    ("x = (a @ b).T", "x = a @ b", "`.T` left out"),
    ("if a:\n    f(b)", "if a:\n    pass", "the call of `f` left out"),
    ("def f(a, b):\n    return a", "def f(a, b):\n    return b", "`b` where `a` belongs"),
    ("def f(a):\n    a = 1\n    b = 2", "def f(a):\n    b = 2\n    a = 1", "two lines in the other order"),
]


@pytest.mark.parametrize("right, wrong, words", SLIPS)
def test_each_kind_is_made_and_has_its_words_and_lines(right, wrong, words):
    assert words in [slip.words for slip in slips(right) if slip.code == ast.unparse(ast.parse(wrong))]
    assert "return a + b -> return a - b" in [slip.change for slip in slips("def f(a, b):\n    return a + b")]


def test_an_operator_beside_a_number_is_not_said_to_belong_where_another_does_the_same():
    undone = {slip.code: slip.undone for slip in slips("x = 1 - p")}
    assert undone["x = 1 * p"] == "`-` with a number, in `x = 1 - p`"
    assert undone["x = 1 + p"] == "`-` where `+` belongs, in `x = 1 - p`"


AS_WRITTEN = [  # a text, what a slip makes of it, and the line that is shown
    ("def f(a,b):\n    'A sum.'\n    return  ((a+b))  # of both", "a - b", "return ((a+b))"),
    ("if (a<1) :  # always\n    b = 2", "a <= 1", "if (a<1) :"),
    ("x = [ 1,\n      y ]", "[0, y]", "x = [ 1, y ]"),
    ("def f( a ):\n    'One.'\n    for b in [ 2 ] : a += b", "[3]", "for b in [ 2 ] :"),
    ("if a: b = 1; c = 2", "c = 3", "c = 2"),
]


@pytest.mark.parametrize("code, made, line", AS_WRITTEN)
def test_a_line_is_shown_as_its_author_wrote_it(code, made, line):
    assert [slip.line for slip in slips(code) if made in slip.code] == [line]


@pytest.mark.parametrize("name", check.LESSON_OF)
def test_each_text_is_python_and_stands_once(name):
    made = slips(library.solution(name).code)
    assert len({slip.code for slip in made}) == len(made) > 2
    assert all(ast.parse(slip.code) and slip.words and " -> " in slip.change for slip in made)
    assert ast.unparse(ast.parse(library.solution(name).code)) not in [slip.code for slip in made]
