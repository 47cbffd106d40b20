"""Shared by the tests of the labs that walk over a graph: the graphs of the reference numbers, whether a lab plays."""

from autograd import Value
from figures.page.player import deltas
from tests.figures.page.test_player import completed
from tests.pictures import change, labelled, texts, tree


def two_paths():
    """Return y = (c + d) + c·d, c = a + b, d = a·b at (2, 3)."""
    a, b = Value(2, label="a"), Value(3, label="b")
    c, d = labelled(a + b, "c"), labelled(a * b, "d")
    return labelled(labelled(c + d, "s") + labelled(c * d, "p"), "y")


def skip_connection():
    """Return y = b·(b + 1), b = 2a at a = 1.5."""
    b = labelled(2 * Value(1.5, label="a"), "b")
    return labelled(b * labelled(b + 1, "c"), "y")


def doubled(times):
    """Return x with half of itself added, again and again: 2 to the power of `times` paths."""
    v = Value(1.0, label="x")
    for _ in range(times):
        v = v + v * 0.5
    return v


def assert_plays(player):
    """Assert that the stage, changed part by part as in player.js, is each frame's stage; each mark has its part."""
    recording = player.recording
    stage = tree(player.spec["stage"])
    keyed = {part.get("data-key"): part for part in stage.iter() if part.get("data-key")}
    first = set(recording.frames[0].updates)
    assert set(keyed) <= first
    for updates, frame in zip(completed(deltas(recording.frames)), recording.frames, strict=True):
        assert set(frame.updates) == first
        for key, mark in updates.items():
            if key in keyed:
                change(keyed[key], mark)
        drawn = tree(recording.render(frame.updates))
        for part, again in zip(stage.iter(), drawn.iter(), strict=True):
            assert (part.tag, part.attrib, part.text or "") == (again.tag, again.attrib, again.text or "")


def shown(player, index=-1):
    return texts(player.recording.render(player.recording.frames[index].updates))


def as_float(text):
    """Return the number that a drawing shows, which has a true minus sign."""
    return float(text.replace("−", "-"))
