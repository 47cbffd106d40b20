"""The pen: a part of a stage stands once, and whatever a frame would drop in silence is raised."""

import pytest

from figures.page.frame_recorder import Pen, Stage, Stamp, still
from tests import pictures


def draw(pen, x, words="moved"):
    """A stage with a part of each kind."""
    inside = pen("circle", "dot", "dot s0", cx=float(x), r=5, at={"cy": 2.0}) + f"<text>{words}</text>"
    return pen("svg", "all", inside=inside, state="on" if x else "") + pen("b", "x", text=x, room=2)


def test_a_frame_is_drawn_noted_and_filled_in_again():
    """The blank stage is the same for all frames."""
    stage, other = Stage(draw), Stage(draw)
    first, second = stage.marks(0), stage.marks(123)
    assert first == {"dot": {"cx": "0.0", "r": "5"}, "all": {"state": ""}, "x": {"text": "0"}}
    assert second == {"dot": {"cx": "123.0", "r": "5"}, "all": {"state": "on"}, "x": {"text": "123"}}
    assert stage(second) == (
        '<svg data-key="all" data-state="on"><circle data-key="dot" class="dot s0" cy="2.0" cx="123.0" r="5"></circle>'
        '<text>moved</text></svg><b data-key="x" data-room="2" data-long="yes">123</b>'
    )
    assert 'data-long="no"' in stage(first)
    other.marks(5)
    assert (
        stage.blank
        == other.blank
        == (
            '<svg data-key="all"><circle data-key="dot" class="dot s0" cy="2.0"></circle><text>moved</text></svg>'
            '<b data-key="x" data-room="2"></b>'
        )
    )
    assert pictures.texts(still(draw, 3))["x"] == "3" and still(draw, 3).isprintable()
    assert not draw(Pen(), 3).isprintable()


def test_what_is_written_is_text():
    hostile = "</b><script>'\"&"
    stage = Stage(lambda pen, name: pen("b", "<k>", text=name, at={"title": '"<'}, aria_label=name))
    marks = stage.marks(hostile)
    assert marks == {"<k>": {"aria-label": hostile, "text": hostile}}
    (part,) = pictures.parts(stage(marks)).values()
    assert (part.tag, part.text, part.get("aria-label"), part.get("title")) == ("b", hostile, hostile, '"<')


OTHER = "only what is drawn with a key may change"


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda pen, x: pen("b", "a", text=x) + pen("b", "a", text=x), "'a' is drawn twice in one frame"),
        (lambda pen, x: pen("b", "a", text=x) and "<b></b>", "drawn with a key, but not put on the stage: a."),
        (lambda pen, x: (pen("b", "c"), pen("b", "a"))[0][:0] + "<b></b>", "but not put on the stage: a, c."),
        (lambda pen, x: pen("b", "a", text=x) + Pen()("b", "c"), "but not put on the stage: c."),
        (lambda pen, x: pen("b", "a", text=x) + f"<p>{'so ' * 30}{x}</p>", r"… (so )+2</p> …"),
        (lambda pen, x: pen("b", "a", "", "<i></i>", text=x), "'a' has a text that changes or parts inside, not both"),
        (lambda pen, x: pen("b", f"a{x}", text=x), "drawn in one and not in another: a1, a2."),
        (lambda pen, x: pen("b", "a", text=x) + (pen("b", "b") if x > 1 else ""), "in one and not in another: b."),
        (lambda pen, x: pen("b", "a", text=x, **({"cx": x} if x > 1 else {})), "'a' changes cx, text here, and text"),
        (lambda pen, x: f"<p>so far: {x}</p>" + pen("b", "a", text=x), f"{OTHER} .* <p>so far: 2"),
        (lambda pen, x: pen("b", "a", text=x, at={"x": x}), OTHER),
        (lambda pen, x: pen("b", "a", "one" if x > 1 else "two", text=x), OTHER),
    ],
)
def test_nothing_is_dropped_in_silence(draw, sentence):
    stage = Stage(draw)
    with pytest.raises(ValueError, match=sentence):
        [stage.marks(1), stage.marks(2)]


def test_a_stamp_is_drawn_once_and_says_what_differs():
    drawn = []

    def piece(pen, name):
        drawn.append(name)
        return pen("b", "a", text=name, state="") + pen("i", "c", text="c")

    stamps = [Stamp(piece, name, within=f"{name}.") for name in ("one", "two")]
    stage = Stage(lambda pen, **one: stamps[0](pen, **one) + stamps[1](pen))
    marks = [stage.marks(), stage.marks(states={"a": "on"}, texts={"c": "d"})]
    assert drawn == ["one", "two"] and set(marks[0]) == {"one.a", "one.c", "two.a", "two.c"}
    assert marks[1]["one.a"] == {"text": "one", "state": "on"} and marks[1]["one.c"] == {"text": "d"}
    assert all(marks[0][key] is marks[1][key] for key in ("two.a", "two.c"))
    for wrong in ({"states": {"c": "on"}}, {"texts": {"x": "1"}}):
        with pytest.raises(ValueError, match=r"no part with the key 'one\.[cx]' has a (state|text) in this drawing"):
            stage.marks(**wrong)
    with pytest.raises(ValueError, match=r"'one\.a' is drawn twice"):
        Stage(lambda pen: stamps[0](pen) + stamps[0](pen)).marks()
