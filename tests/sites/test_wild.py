"""The book's page on the bugs of published engines: what it shows is what engines with those bugs give."""

import re

import pytest

from autograd import Value
from exercises.doctor.examination import examine
from site_build import bughunt
from site_build.book import texts, wild
from site_build.bughunt.graphs import short
from tests.sampling import sample

BUGS = texts.bugs()
KINDS = [(fault["title"], *kind) for fault in BUGS["fault"] for kind in fault["kinds"]]
SHOWN = re.compile(r"```python\n(.*?)\n```\n\n(.*?\.)(?:\n|$)", re.DOTALL)
NUMBERS = re.compile(r"`(\S+)` should be (\S+) and is \*\*(\S+)\*\*")


def numbers_of(code, cls, whats):
    """Run some lines with a class of numbers; return what they give for `d` or `a.grad`, as text."""
    names = {"Value": cls}
    exec(code, names)
    found = [eval(what, names) for what in whats]
    return [short(getattr(each, "data", each)) for each in found]


@pytest.mark.parametrize("fault", sample(BUGS["fault"], 4), ids=lambda fault: fault["title"])
def test_displayed_graph_gives_the_displayed_numbers(fault):
    """On autograd's own Value those called right, on the engine with the bug those called got."""
    blocks = SHOWN.findall(wild.section(fault))
    assert len(blocks) == len(fault["kinds"])
    for (code, said), (_, _, how) in zip(blocks, fault["kinds"]):
        whats, right, got = map(list, zip(*NUMBERS.findall(said)))
        assert right == numbers_of(code, Value, whats) and right != got
        assert got == numbers_of(code, wild.class_of(wild.text_of(how)), whats)


@pytest.mark.parametrize("kind", sample(KINDS, 3), ids=lambda kind: kind[1])
def test_doctor_calls_each_published_bug_wrong(kind, tmp_path):
    file, (title, name, _, how) = tmp_path / "engine.py", kind
    file.write_text(wild.text_of(how), encoding="utf-8")
    assert examine(file).verdict == "wrong", (title, name)


@pytest.mark.parametrize("fault", sample(BUGS["raised"], 2), ids=lambda fault: fault["what"])
def test_listed_raising_bugs_raise(fault):
    case, record = wild.smallest(wild.class_of(wild.text_of(fault["change"])))
    assert "error" in record and len(case.steps) == 1
    with pytest.raises((AttributeError, NameError, RecursionError, TypeError, ValueError)):
        exec(f"{case.to_source()}\n{case.root}.backward()", {"Value": wild.class_of(wild.text_of(fault["change"]))})
    assert f"**{fault['what']}** ({fault['engines']} engines). `" in wild.raising(fault)


def test_right_engine_has_no_failing_graph(monkeypatch):
    """So each graph of the page is shown because of its bug alone."""
    monkeypatch.setattr(wild, "MOST", 2)
    with pytest.raises(ValueError, match="is right on all graphs"):
        wild.smallest(wild.class_of(wild.HEAD + wild.RIGHT))


def test_page_and_bug_hunt_link_to_each_other():
    """Each case is listed at the bug of its culprit; and no bug counts more engines of a kind than in all."""
    culprits = [row[2] for row in bughunt.settings()["levels"]]
    assert {*bughunt.bug_titles()} <= {*bughunt.suspects()}
    for fault in BUGS["fault"]:
        assert max(count for _, count, _ in fault["kinds"]) <= fault["engines"] <= BUGS["wrong"]
        links = re.findall(r"bughunt\.html#case-(\d+)", wild.played(fault))
        assert [culprits[int(number) - 1] for number in links] == [id for id in culprits if id in fault.get("game", ())]
