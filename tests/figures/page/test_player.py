"""The player: what it sends to the browser, what it answers, and the page that works without a kernel."""

import gc
import json
import types
import weakref

import pytest
from ipywidgets.widgets.widget import _instances as REGISTRY

import figures
from figures.labs import step
from figures.page.player import MODEL, SCRIPT, Control, Frame, Player, Recording, deltas
from tests import pictures
from tests.labs import ask, message
from tests.pictures import LABELS, Reader, embedded


def completed(frames):
    """Every frame in full, from frames that say only what changes: as player.js does it."""
    known, full = {}, []
    for frame in frames:
        for key, mark in frame["set"].items():
            more = {"d": known[key]["d"] + mark["d+"]} if "d+" in mark else {}
            known = {**known, key: {**known.get(key, {}), **mark, **more}}
            known[key].pop("d+", None)
        full.append(known)
    return full


FRAMES = [
    Frame("one", "Start", {"a": {"text": "1"}, "b": {"text": "–"}, "n": {"state": ""}}),
    Frame("two", "", {"a": {"text": "1"}, "b": {"text": "2"}, "n": {"state": "forward"}}),
    Frame("three", "", {"a": {"text": "1"}, "b": {"text": "2"}, "n": {"state": ""}}),
]


def recording(say="one", frames=None):
    frames = frames or [Frame(say, "", {"a": {"text": say}})]
    return Recording("A title", frames, lambda updates: f"<svg>{updates['a']['text']}</svg>", "alt")


def test_frame_deltas_contain_only_changes():
    """Of a path that grows only what came to it is sent: else a curve of 80 points would be sent 80 times."""
    assert deltas(FRAMES) == [
        {"say": "one", "at": "Start", "set": FRAMES[0].updates},
        {"say": "two", "at": "", "set": {"b": {"text": "2"}, "n": {"state": "forward"}}},
        {"say": "three", "at": "", "set": {"n": {"state": ""}}},
    ]
    paths = ["M0,0", "M0,0L1,1", "M0,0L1,1L2,4", "M5,5", "M5,5"]
    frames = [Frame("", "", {"curve": {"d": d, "state": ""}}) for d in paths]
    sent = [frame["set"].get("curve") for frame in deltas(frames)]
    grows = [{"d": "M0,0", "state": ""}, {"d+": "L1,1", "state": ""}, {"d+": "L2,4", "state": ""}]
    assert sent == [*grows, {"d": "M5,5", "state": ""}, None]
    assert [updates["curve"] for updates in completed(deltas(frames))] == [frame.updates["curve"] for frame in frames]


def test_player_spec_is_plain_data():
    """The stage of the first frame, all frames, and where to begin; as plain data that JSON takes."""
    player = Player(recording("one"), index=0)
    assert player.spec == {
        "title": "A title",
        "stage": "<svg>one</svg>",
        "frames": [{"say": "one", "at": "", "set": {"a": {"text": "one"}}}],
        "controls": [],
        "message": "",
        "index": 0,
    }
    assert set(player.get_state()) >= {"name", "news", "patch", "values", "index", "request", "reply", "_esm"}
    assert json.loads(json.dumps(player.spec, allow_nan=False)) == player.spec
    player = Player(recording(frames=FRAMES), index=2)
    assert player.index == player.spec["index"] == 2
    assert player.render_text() == "1. one\n2. two\n3. three"


# Controls and requests


def asking(record):
    """A player with one control of each kind."""
    controls = [
        Control("range", "x", "x", 1.0, min=-5, max=5, step=0.1),
        Control("choice", "f", "function", "tanh", options=("tanh", "relu")),
        Control("toggle", "on", "shown", True),
    ]
    return Player(controls=controls, record=record)


def test_controls_are_sent_without_missing_fields():
    player = asking(lambda x, f, on: recording(f"{x} {f} {on}"))
    assert player.recording.frames[0].say == "1.0 tanh True"
    expected = [
        {"kind": "range", "name": "x", "label": "x", "value": 1.0, "min": -5, "max": 5, "step": 0.1},
        {"kind": "choice", "name": "f", "label": "function", "value": "tanh", "options": ("tanh", "relu")},
        {"kind": "toggle", "name": "on", "label": "shown", "value": True},
    ]
    for control, fields in zip(player.spec["controls"], expected, strict=True):
        assert fields.items() <= control.items()
        assert None not in control.values()


def test_request_is_answered_with_a_new_recording_only():
    """State that the page has is not sent with the model, nor saved where a notebook keeps the state of its widgets."""
    player = asking(lambda x, f, on: recording(f"{x} {f} {on}"))
    state, watched = player.get_state(), observers(player)
    assert state["_esm"] == MODEL and not state.get("_css") and state["news"] == {} and len(json.dumps(state)) < 3000
    assert state["values"] == {"x": 1.0, "f": "tanh", "on": True}
    ask(player, x=2.5, f="relu", on=False)
    assert player.spec["stage"] == "<svg>2.5 relu False</svg>" and player.render_text() == "1. 2.5 relu False"
    assert message(player) == "" and player.get_state()["news"] == player.spec
    assert player.get_state()["values"] == {"x": 2.5, "f": "relu", "on": False}
    assert observers(player) == watched


def observers(player):
    """How many there are."""
    return sum(len(kinds) for names in player._trait_notifiers.values() for kinds in names.values())


@pytest.mark.parametrize("fault", [ValueError, TypeError, ZeroDivisionError])
def test_rejected_request_gets_a_message_and_keeps_the_picture(fault):
    """The last picture and the values stay, the answer is given, and the next request clears the message."""

    def record(x, f, on):
        if x == 0:
            raise fault("x = 0 has no picture.")
        return recording(f"at {x}")

    player = asking(record)
    ask(player, x=2)
    before = player.spec
    ask(player, x=0, f="relu")
    assert player.spec == {**before, "message": "x = 0 has no picture."} and player.render_text() == "1. at 2"
    assert player.get_state()["values"] == {"x": 2, "f": "tanh", "on": True}
    ask(player, x=3)
    assert message(player) == "" and player.spec["stage"] == "<svg>at 3</svg>"


def test_unexpected_exception_is_raised_and_still_answered():
    """It is a mistake of ours: it must not be hidden, and the browser must not wait for ever."""
    player = asking(lambda x, f, on: {1.0: recording()}[x])
    with pytest.raises(KeyError):
        player.request = {"values": {"x": 2, "f": "tanh", "on": True}, "number": 4}
    assert player.reply == 4


def test_closed_player_is_freed():
    """Nothing holds on to it: no observer, no registry; also not after requests."""
    gc.collect()
    before, gone = len(REGISTRY), []
    for i in range(20):
        player = asking(lambda x, f, on: recording(str(x)))
        ask(player, x=i)
        gone.append(weakref.ref(player))
        player.close()
    del player
    gc.collect()
    assert [ref() for ref in gone] == [None] * 20
    assert len(REGISTRY) == before


def test_rerun_cell_closes_its_earlier_players(monkeypatch):
    """All that its last run made, and those of no other cell. Outside of a notebook players stay open."""
    monkeypatch.setattr("figures.page.player._shown", {})
    made = []
    for parent in [("a", "1"), ("a", "1"), ("b", "2"), ("a", "3"), ("a", "3"), None, None]:
        kernel = parent and types.SimpleNamespace(
            get_parent=lambda parent=parent: {"metadata": {"cellId": parent[0]}, "header": {"msg_id": parent[1]}}
        )
        monkeypatch.setattr("IPython.get_ipython", lambda kernel=kernel: kernel)
        made.append(Player(recording()))
    assert [player.comm is None for player in made] == [True, True, False, False, False, False, False]


# The page


def test_page_names_the_widget_of_its_controls():
    """By the name that the widget tells the page; without controls it needs none, and is the same each time."""
    one, other = figures.neuron(), figures.neuron()
    (place,) = [each for each in Reader(one.html()).all("div") if each["class"] == "bp-embed"]
    assert place | {"data-spec": ""} == {"class": "bp-embed", "data-model": one.name, "data-spec": ""}
    assert one.name == one.model_id == one.get_state()["name"] != other.name
    pages = {Player(step.record(pictures.xyz())).html() for _ in range(2)}
    assert len(pages) == 1 and "data-model=" not in pages.pop()


def test_page_reflects_the_current_player_state():
    player = asking(lambda x, f, on: recording(frames=FRAMES))
    ask(player, x=2, f="relu", on=False)
    player.index = 2
    spec = Reader(player.html()).spec()
    assert spec["index"] == 2 and [control["value"] for control in spec["controls"]] == [2, "relu", False]
    lab = figures.xor()
    ask(lab, "step", lr=0.5)
    spec = Reader(lab.html()).spec()
    assert spec["frames"] == json.loads(json.dumps(deltas(lab.recording.frames)))
    assert spec["frames"][0]["at"] == "epoch 1 of 1000 · step 1"
    assert {control["name"]: control.get("value") for control in spec["controls"]}["lr"] == 0.5


def test_page_has_a_still_data_and_script_and_loads_nothing():
    player = Player(step.record(pictures.xyz()))
    reader = Reader(player.html())
    (image,), scripts = reader.all("img"), reader.all("script")
    assert image["alt"] == player.recording.alt
    assert pictures.texts(embedded(image)).items() <= pictures.expected(player.recording.frames[-1].updates).items()
    assert [script["type"] for script in scripts] == ["module"]
    assert reader.scripts[0] == SCRIPT and not [
        word for word in ("export", "import", "fetch", "http") if word in SCRIPT
    ]
    attributes = [pair for _, each in reader.elements for pair in each.items()]
    assert not [name for name, _ in attributes if name.startswith("on")]
    (address,) = [value for name, value in attributes if name in ("src", "href")]
    assert address.startswith("data:")


def test_still_of_a_predicting_lab_shows_no_answer():
    """Where no script is run, and before it is: the frame at which the lab opens."""
    for player in (figures.step_backward(pictures.xyz(), predict=True), figures.paths(pictures.xyz())):
        shown, frames = pictures.texts(embedded(Reader(player.html()).all("img")[0])), player.recording.frames
        assert player.recording.asks and shown.items() <= pictures.expected(frames[0].updates).items()
        assert {text for key, text in shown.items() if key.endswith(".grad")} == {"–"}


@pytest.mark.parametrize(("label", "shown"), LABELS.values(), ids=LABELS.keys())
def test_hostile_label_cannot_escape_the_data(label, shown):
    """Neither in the page nor on the way to the browser: it is text in JSON, in the stage and in every sentence."""
    player = Player(step.record(pictures.xyz([label] * 5)))
    page = player.html().encode().decode()
    assert page.count("<script") == page.count("</script") == 1
    assert "<!--" not in page
    reader = Reader(page)
    assert reader.spec() == json.loads(json.dumps(player.spec))
    assert {tag for tag, _ in reader.elements} == {"div", "style", "img", "script"}
    assert json.dumps(player.spec, ensure_ascii=False).encode()
    assert player.render_text().encode() and len(player.render_text().splitlines()) == len(player.recording.frames)
    assert pictures.names(player.recording.picture()) == [shown or f"v{i}" for i in range(5)]
    for frame in player.recording.frames:
        pictures.tree(player.recording.render(frame.updates))
