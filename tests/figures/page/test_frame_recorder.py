"""The pen: a part of a stage stands once, and whatever a frame would drop in silence is raised."""

import pytest

from figures.page.frame_recorder import CachedFragment, FrameRecorder, FrameTemplate, render_once
from tests import pictures


def draw(pen, x, words="moved"):
    """A stage with a part of each kind."""
    inside = pen("circle", "dot", "dot s0", cx=float(x), r=5, at={"cy": 2.0}) + f"<text>{words}</text>"
    return pen("svg", "all", inside=inside, state="on" if x else "") + pen("b", "x", text=x, room=2)


def test_frame_template_draws_and_updates_frames():
    """The blank stage is the same for all frames."""
    stage, other = FrameTemplate(draw), FrameTemplate(draw)
    first, second = stage.updates(0), stage.updates(123)
    assert first == {"dot": {"cx": "0.0", "r": "5"}, "all": {"state": ""}, "x": {"text": "0"}}
    assert second == {"dot": {"cx": "123.0", "r": "5"}, "all": {"state": "on"}, "x": {"text": "123"}}
    assert stage(second) == (
        '<svg data-key="all" data-state="on"><circle data-key="dot" class="dot s0" cy="2.0" cx="123.0" r="5"></circle>'
        '<text>moved</text></svg><b data-key="x" data-room="2" data-long="yes">123</b>'
    )
    assert 'data-long="no"' in stage(first)
    other.updates(5)
    assert (
        stage.blank
        == other.blank
        == (
            '<svg data-key="all"><circle data-key="dot" class="dot s0" cy="2.0"></circle><text>moved</text></svg>'
            '<b data-key="x" data-room="2"></b>'
        )
    )
    assert pictures.texts(render_once(draw, 3))["x"] == "3" and render_once(draw, 3).isprintable()
    assert not draw(FrameRecorder(), 3).isprintable()


def test_recorded_values_are_escaped():
    hostile = "</b><script>'\"&"
    stage = FrameTemplate(lambda pen, name: pen("b", "<k>", text=name, at={"title": '"<'}, aria_label=name))
    updates = stage.updates(hostile)
    assert updates == {"<k>": {"aria-label": hostile, "text": hostile}}
    (part,) = pictures.parts(stage(updates)).values()
    assert (part.tag, part.text, part.get("aria-label"), part.get("title")) == ("b", hostile, hostile, '"<')


OTHER = "only what is drawn with a key may change"


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda pen, x: pen("b", "a", text=x) + pen("b", "a", text=x), "'a' is drawn twice in one frame"),
        (lambda pen, x: pen("b", "a", text=x) and "<b></b>", "drawn with a key, but not put on the stage: a."),
        (lambda pen, x: (pen("b", "c"), pen("b", "a"))[0][:0] + "<b></b>", "but not put on the stage: a, c."),
        (lambda pen, x: pen("b", "a", text=x) + FrameRecorder()("b", "c"), "but not put on the stage: c."),
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
def test_invalid_recordings_raise(draw, sentence):
    stage = FrameTemplate(draw)
    with pytest.raises(ValueError, match=sentence):
        [stage.updates(1), stage.updates(2)]


def test_cached_fragment_is_drawn_once_and_reports_updates():
    drawn = []

    def piece(pen, name):
        drawn.append(name)
        return pen("b", "a", text=name, state="") + pen("i", "c", text="c")

    stamps = [CachedFragment(piece, name, within=f"{name}.") for name in ("one", "two")]
    stage = FrameTemplate(lambda pen, **one: stamps[0](pen, **one) + stamps[1](pen))
    updates = [stage.updates(), stage.updates(states={"a": "on"}, texts={"c": "d"})]
    assert drawn == ["one", "two"] and set(updates[0]) == {"one.a", "one.c", "two.a", "two.c"}
    assert updates[1]["one.a"] == {"text": "one", "state": "on"} and updates[1]["one.c"] == {"text": "d"}
    assert [key for key in ("two.a", "two.c") if updates[0][key] is not updates[1][key]] == []
    for wrong in ({"states": {"c": "on"}}, {"texts": {"x": "1"}}):
        with pytest.raises(ValueError, match=r"no part with the key 'one\.[cx]' has a (state|text) in this drawing"):
            stage.updates(**wrong)
    with pytest.raises(ValueError, match=r"'one\.a' is drawn twice"):
        FrameTemplate(lambda pen: stamps[0](pen) + stamps[0](pen)).updates()
