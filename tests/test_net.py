"""The net under a move: what is said is as it was approved (of what takes long, a sample), and a word more is seen."""

import itertools
import sys

import pytest

from tests import net, sampling

NAMES = [name for name in net.approved() if not name.startswith("page ")]  # of pages, lessons' own tests tell more


pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11) or sys.platform != "linux",
    reason="what was approved are the words and digits of Python 3.11 on Linux; others word their exceptions otherwise",
)


def test_every_kind_of_text_is_held():
    kinds = {name.split()[0] for name in net.approved()}
    assert kinds == {"verdict", "identify", "lab", "stage", "page", "file"} and len(net.approved()) > 3500


@pytest.fixture(scope="module")
def said():
    """{name: text} of what is said now: files, engines, labs, and the verdicts of some exercises."""
    from exercises import check

    names = sampling.sample(check.LESSON_OF, 6)
    parts = net.files(), net.identified(), net.labs(), net.verdicts(names)
    return {name: net.plain(text) for name, text in itertools.chain(*parts)}


def test_what_is_said_is_what_was_approved(said):
    """Where a difference is meant: `python -m tests.net --approve`, and a line in the commit that says why."""
    approved = net.approved()
    assert [name for name, text in said.items() if approved.get(net.line_of(name)) != net.hashed(text)] == []


def test_a_word_more_is_a_difference(said):
    name, text = next(iter(said.items()))
    assert net.approved()[net.line_of(name)] != net.hashed(f"{text}.")
