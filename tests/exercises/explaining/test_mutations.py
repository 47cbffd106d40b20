"""Slips: what one change of a text may be, and its name."""

import ast

import pytest

from exercises.content import library
from exercises.engine_file import check
from exercises.explaining.mutations import all_mutations, each_mutation, likely

SLIPS = [  # a text, a text with one slip in it, its words
    ("x = a - b", "x = a + b", "`+` where `-` belongs"),
    ("x = a - b", "x = b - a", "the two sides of `-` exchanged"),
    ("x = a * 2", "x = a + 2", "`+` where `*` belongs"),
    ("ok = f(a, int | b)", "ok = f(a, int + b)", "`+` where `|` belongs"),
    ("x %= 2.0", "x /= 2.0", "`/=` where `%=` belongs"),
    ("x += 1.0", "x -= 1.0", "`-=` where `+=` belongs"),
    ("x += 1.0", "x += 2.0", "another number in one place"),
    ("ok = a < b", "ok = a <= b", "`<=` where `<` belongs"),
    ("ok = a in b", "ok = a not in b", "`not in` where `in` belongs"),
    ("ok = a and b", "ok = a or b", "`or` where `and` belongs"),
    ("x = -a", "x = +a", "a minus left out"),
    ("x = 1 - p", "x = 1 * p", "`*` where `-` belongs beside 1"),
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
def test_each_kind_of_mutation_is_made_and_described(right, wrong, words):
    assert words in [
        mutation.words for mutation in all_mutations(right) if mutation.code == ast.unparse(ast.parse(wrong))
    ]
    assert "return a + b -> return a - b" in [
        mutation.change for mutation in all_mutations("def f(a, b):\n    return a + b")
    ]


REMEDIES = [  # a text, a part of the changed text, and the description of the change
    ("def f(a,b):\n    'A sum.'\n    return  ((a+b))  # of both", "a - b", "`return ((a+b))` → `return a - b`"),
    ("if (a<1) :  # always\n    b = 2", "a <= 1", "`if (a<1) :` → `if a <= 1:`"),
    ("x = [ 1,\n      y ]", "[0, y]", "`x = [ 1, y ]` → `x = [ 0, y ]`"),
    ("def f( a ):\n    'One.'\n    for b in [ 2 ] : a += b", "[3]", "`for b in [ 2 ] :` → `for b in [ 3 ] :`"),
    ("if a: b = 1; c = 2", "c = 3", "`c = 2` → `c = 3`"),
    ('x = {"a":1-p}', "1 + p", '`x = {"a":1-p}` → `x = {"a":1+p}`'),
    ("x = log(1/k)-log(1 - k)", "x = log(1 / k)", "`x = log(1/k)-log(1 - k)` → `x = log(1/k)`"),
    ("if a<1:\n    b = 2", "not a", "`if a<1:` → `if not a<1:`"),
    ("a = f(b)\nfor c in a:\n    d=c\n    g(d)", "\n    pass\n    g", "take away `d=c`"),
    ("if a:\n    b = 1", "pass", "write `pass` in place of `b = 1`"),
    ("def f():\n    x=1\n    for a in b:\n        c(a)", ":\n    pass", "take away `x=1`"),
    ("def f():\n    x=1\n    for a in b:\n        c(a)", "1\n    pass", "take away `for a in b: c(a)`"),
    ("def f():\n    x=1\n    if a: b = 2\n    else: c = 3", "3\n    x", "put `if a: …` before `x=1`"),
    (f"x = {'a + ' * 30}b - c", "b + c", f"`… + {'a + ' * 10}b - c` → `… + {'a + ' * 10}b + c`"),
    ("x = f(a,k=1)+0.00001*1e3", "f(a) +", "`x = f(a,k=1)+0.00001*1e3` → `x = f(a)+0.00001*1e3`"),
    ("ok = a < b[:, None]", "a <= b", "`ok = a < b[:, None]` → `ok = a <= b[:, None]`"),
    ("x = [a -b,c]", "[a, c]", "`x = [a -b,c]` → `x = [a,c]`"),
]


@pytest.mark.parametrize("code, made, words", REMEDIES)
def test_remedy_shows_the_line_before_and_after(code, made, words):
    assert words in [mutation.remedy for mutation in each_mutation(code, likely) if made in mutation.code]


@pytest.mark.parametrize("name", check.LESSON_OF)
def test_mutations_are_valid_python_and_unique(name):
    made = all_mutations(library.solution(name).code)
    assert len({mutation.code for mutation in made}) == len(made) > 2
    assert [
        mutation for mutation in made if not (ast.parse(mutation.code) and mutation.words and " -> " in mutation.change)
    ] == []
    assert ast.unparse(ast.parse(library.solution(name).code)) not in [mutation.code for mutation in made]
