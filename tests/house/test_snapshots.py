"""The safety net: texts are the approved ones (a sample of those that take long), and one changed word is noticed."""

import itertools
import sys

import pytest

from exercises.engine_file import check
from tests import sampling, snapshots

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11) or sys.platform != "linux",
    reason="what was approved are the words and digits of Python 3.11 on Linux; others word their exceptions otherwise",
)


def test_snapshots_cover_every_kind_of_text():
    kinds = {name.split()[0] for name in snapshots.approved()}
    assert kinds == {"verdict", "identify", "lab", "stage", "answers", "page", "file"}
    lacks = [name for name in check.LESSON_OF if f"verdict {name}" not in snapshots.approved()]
    assert not lacks, f"not approved yet: python -m tests.snapshots --approve {' '.join(lacks)}"


def test_named_snapshots_are_made_and_merged():
    made = {snapshots.group_of(name) for name, _ in snapshots.texts(["slope", "nudge"])}
    assert {name.partition(" ")[0] for name in made} == {"verdict", "lab", "stage", "answers"}
    assert made == {name for name in snapshots.approved() if name.split()[1] == "slope" or "nudge(" in name}
    assert snapshots.refuse_names(["slope", "nudge", "07"]) == ""
    assert snapshots.refuse_names(["slope", "no_such_lab"]).startswith(
        "no_such_lab: no exercise, no lesson's number, and no lab of LABS"
    )
    old = {"verdict a": "1", "lab b": "2", "stage b": "3", "lab d": "4"}
    assert " ".join(
        map(" ".join, snapshots.merged(old, {"verdict c": "5", "verdict a": "6", "page": "7"}).items())
    ) == ("verdict a 6 verdict c 5 lab b 2 stage b 3 lab d 4 page 7")


@pytest.fixture(scope="module")
def texts():
    """Return {name: text} of the current files, engines, labs, the verdicts of some exercises, and no pages."""
    names = sampling.sample(check.LESSON_OF, 2)
    parts = snapshots.files(), snapshots.identified(), snapshots.labs(), snapshots.verdicts(names)
    return {name: snapshots.normalise(text) for name, text in itertools.chain(*parts)}


def test_texts_match_the_approved_snapshots(texts):
    """If you meant a difference: `python -m tests.snapshots --approve`, and a line in the commit that says why."""
    approved = snapshots.approved()
    assert [name for name, digest in snapshots.hash_groups(texts).items() if approved.get(name) != digest] == []


def test_added_character_changes_the_hash(texts):
    name = next(iter(texts))
    more = snapshots.hash_groups(texts | {name: f"{texts[name]}."})
    assert [group for group, digest in snapshots.hash_groups(texts).items() if more[group] != digest] == [
        snapshots.group_of(name)
    ]
