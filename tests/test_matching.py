"""`exercises.matching.matches` and the player's own `matches`, in a real browser, give the same answer on a table."""

import re

import pytest

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
