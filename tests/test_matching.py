"""Whether a number typed is the answer, in Python and in a browser; and how `check.predict` answers one that is not."""

import re

import pytest

from autograd import Value
from exercises import check
from exercises.matching import matches
from figures import player
from tests import lab_server

playwright = pytest.importorskip("playwright.sync_api", reason='a browser test needs: pip install -e ".[test]"')

TABLE = [  # what is typed, the answer, whether it is that
    ("-4", -4.0, True),
    ("4", -4.0, False),
    ("-4", -4.00004, True),
    ("-4", -4.0001, False),
    ("0.24", 0.240261, True),
    ("0.2403", 0.240261, True),
    ("0.2402", 0.240261, False),
    ("0.24026", 0.240261, True),
    ("0.24022", 0.240261, True),  # more than four decimals are read as four
    ("0.2401", 0.240261, False),
    ("0.2", 0.240261, False),  # one decimal is no rounding to be taken for the answer
    ("0.25", 0.240261, False),
    ("-0.29", -0.287682, True),
    ("-0.28", -0.287682, False),
    ("0", 0.0, True),
    ("0", 0.00004, True),
    ("0", 0.0001, False),
    ("0.01", 0.0128, True),
    ("0.01", 0.0151, False),
    ("-14.8", -14.8, True),
    ("-14.79", -14.8, False),
    ("-14.81", -14.8, False),
    ("1000000", 1000000.0005, True),
    ("1000000", 1000000.5, False),
    ("1e-05", 0.00001, True),
    ("1e-05", 0.00009, False),
    ("1.5e-07", 0.0, True),
    ("3e+20", 3e20, True),
    ("0.1", 0.1 + 1e-12, True),
]


@pytest.fixture(scope="module")
def in_the_browser():
    """The player's function, as one of Python: it gets what is typed as text."""
    if lab_server.CHROMIUM is None:
        pytest.skip("no Chromium here; to add one: apt install chromium")
    source = re.search(r"^function matches\(.*?^}", player.SCRIPT, re.MULTILINE | re.DOTALL)
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=lab_server.CHROMIUM, args=lab_server.CHROMIUM_FLAGS)
        page = browser.new_page()
        yield lambda typed, answer: page.evaluate(f"([typed, answer]) => ({source[0]})(typed, answer)", [typed, answer])
        browser.close()


@pytest.mark.parametrize("typed, answer, right", TABLE)
def test_python_and_the_browser_agree(in_the_browser, typed, answer, right):
    assert matches(float(typed), answer) is right
    assert in_the_browser(typed, answer) is right


def test_python_is_the_stricter_where_zeros_were_typed_at_the_end(in_the_browser):
    """3.50 typed in the browser is known to have two decimals; to Python it is 3.5."""
    assert in_the_browser("3.50", 3.504) is True
    assert matches(3.50, 3.504) is False


def used_twice():
    """f = m + x²/2 with m = q · z, q = x + y: the gradients of x, y, z are 3.39, 1.7 and 4.2."""
    x, y, z = Value(1.69, label="x"), Value(2.51, label="y"), Value(1.7, label="z")
    q = x + y
    m = q * z
    f = m + x * x / 2
    q.label, m.label, f.label = "q", "m", "f"
    return f


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ({"z": 77}, "z.grad: m is a product. Which number stands in its other factor, q? And which number is m.grad, "),
        ({"x": 77}, "x.grad: How many arrows leave x? Find what comes back along each: have you added all of it?"),
        ({"y": 77, "x": 55, "z": 66}, "z.grad: m is a product."),
        ({"y": 77, "q": 1.7}, "y.grad: Raise y by 0.01. Does q rise or fall, and by how much?"),
        ({"f": 3}, "f is the root: how fast does a number change with itself?"),
    ],
    ids=str,
)
def test_a_number_that_no_mistake_gives_is_answered_by_a_question(typed, asked):
    """About the node nearest to the root. No right number is told, not even of those typed with it."""
    said = check.predict(used_twice(), **typed).text()
    assert asked in said and "off by" not in said
    assert {"3.39", "3.3900", "4.2", "4.2000", "1.7", "1.7000"}.isdisjoint(re.findall(r"[\d.]+\d", said))


def test_a_number_that_a_mistake_gives_is_answered_by_it():
    said = check.predict(used_twice(), y=1).text()
    assert "upstream gradient" in said and "?" not in said
    both = check.predict(used_twice(), y=1, z=66).text()
    assert "z.grad: " in both and "y.grad. The upstream gradient forgotten" in both
