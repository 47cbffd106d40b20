"""A moving picture: the lab's frames with the engine's numbers, played without a script, and still where asked."""

import re
from xml.etree import ElementTree

import pytest

from autograd import Value
from figures import gallery
from figures.gallery import animated
from figures.labs import step
from figures.page import style
from tests import pictures
from tests.pictures import SVG

KEPT = gallery.HERE / "backward_pass.svg"
TAGS = {"svg", "g", "title", "desc", "style", "rect", "path", "polygon", "text"}


@pytest.fixture(scope="module")
def svg():
    """The gallery's moving picture, as its function makes it."""
    return gallery.backward_pass()


@pytest.fixture(scope="module")
def frames(svg):
    """Its frames, as elements."""
    return [group for group in ElementTree.fromstring(svg) if group.get("class") == "frame"]


def rules(svg):
    """Its style sheet."""
    return ElementTree.fromstring(svg).find(f"{SVG}style").text


def placeless(svg):
    """A picture without the places of its parts, which differ from one Graphviz to the next."""
    return re.sub(r' (x|y|d|points|transform|width|height|viewBox)="[^"]*"', "", svg)


def test_animation_frames_match_the_lab_and_the_stored_file(svg, frames):
    """The lab's numbers are the engine's, as its own tests show."""
    assert placeless(KEPT.read_text(encoding="utf-8")) == placeless(svg)
    recording = step.record(pictures.xyz(), forward=False, direction="LR")
    assert len(frames) == len(recording.frames) == 6
    for frame, recorded in zip(frames, recording.frames):
        keyed = {part.get("data-key"): part for part in frame.iter() if part.get("data-key")}
        texts = {key: part.text or "" for key, part in keyed.items() if part.tag == f"{SVG}text"}
        assert texts == pictures.expected(recorded.updates)
        states = {key: part.get("data-state") for key, part in keyed.items() if part.tag == f"{SVG}g"}
        assert states == {key: mark["state"] for key, mark in recorded.updates.items() if "state" in mark}
        lines = {kind: [t.text for t in frame.iter(f"{SVG}text") if t.get("class") == kind] for kind in ("say", "at")}
        assert " ".join(lines["say"]) == recorded.say and max(map(len, lines["say"])) <= animated.LETTERS
        assert lines["at"] == [recorded.at]


def test_animation_is_safe_in_an_img_element(svg):
    """No script, nothing from elsewhere, also with hostile names; a title and a description, and small."""
    a = Value(2.0, label="</svg><script>")
    for made in (svg, animated.moving(step.record(a * a, forward=False))):
        pictures.assert_inert(made, TAGS)
    root = ElementTree.fromstring(svg)
    assert svg.count("http") == 1, "the name of SVG itself"
    assert root.get("role") == "img" and root.get("aria-labelledby") == "title told"
    assert root.find(f"{SVG}title").text == "The backward pass of f = (x + y) · z"
    assert root.find(f"{SVG}desc").text.endswith("so y.grad goes from 0.0000 to -4.0000.")
    assert len(svg.encode()) < 50_000


def test_animation_shows_the_last_frame_without_motion(svg, frames):
    """Each frame covers those before it, and all that moves stands in one rule for systems that allow motion."""
    for frame in frames:
        first = frame[0]
        assert first.get("class") == "card" and float(first.get("width")) == animated.WIDTH - 1
    still, found, moved = rules(svg).partition("@media (prefers-reduced-motion:no-preference){")
    assert found and "opacity" not in still and "visibility" not in still and "animation" not in still
    assert len([*style.blocks(found + moved)]) == 1
    assert "@media (prefers-color-scheme: dark){.bp" in still and "fill: var(--bp-paper)" in still


def test_animation_shows_each_frame_long_enough_to_read(svg, frames):
    times = animated.seconds(step.record(pictures.xyz(), forward=False).frames)
    total = sum(times)
    assert len(times) == len(frames) and 20 < total < 40 and min(times) > 2.5
    assert times[-1] == pytest.approx(times[-2] + animated.PAUSE)
    durations = set(re.findall(r"animation:f\d ([\d.]+)s linear infinite", rules(svg)))
    assert durations == {f"{total:.2f}"}
    spans = {int(i): span for i, span in re.findall(r"@keyframes f(\d)\{(.*?)\}\}", rules(svg))}
    assert list(spans) == list(range(1, len(frames)))
    comes = [float(re.match(r"0%,([\d.]+)%\{opacity:0\}", span)[1]) * total / 100 for span in spans.values()]
    assert comes == pytest.approx([sum(times[:i]) for i in spans], abs=0.01)
    covered = [float(re.findall(r"([\d.]+)%\{opacity:1\}", span)[1]) * total / 100 for span in spans.values()]
    assert covered[:-1] == pytest.approx([start + animated.FADE for start in comes[1:]], abs=0.01)
    assert covered[-1] == pytest.approx(total - animated.FADE, abs=0.01)


def test_style_subset_contains_only_the_needed_rules(svg):
    sheet = """
    /* a comment { } */
    .bp { --a: 1; }
    .bp svg .node rect, svg.bp .node rect { fill: red; }
    svg.bp .node[data-state~="target"] rect { fill: blue; }
    svg.bp .node[data-state~="lost"] rect { fill: lost; }
    svg.bp .tile, .bp table { fill: tile; }
    [data-jp-theme-light="false"] .bp { --a: 2; }
    :is(.bp svg, svg.bp) .turn { fill: turn; }
    @media (prefers-color-scheme: dark) {
      .bp:not([data-jp-theme-light] *, .vscode-light *) { --a: 3; }
      svg.bp .tile { fill: tile; }
    }
    @media (max-width: 1px) { .bp-tile { fill: tile; } }
    @keyframes bp-flash { 50% { fill: flash; } }
    """
    assert style.needed(svg, sheet) == (
        ".bp{--a: 1;}.bp svg .node rect,svg.bp .node rect{fill: red;}"
        'svg.bp .node[data-state~="target"] rect{fill: blue;}'
        "@media (prefers-color-scheme: dark){.bp:not([data-jp-theme-light] *, .vscode-light *){--a: 3;}}"
    )
