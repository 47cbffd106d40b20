"""`Player`: shows recorded frames one at a time, in a notebook with or without a kernel and on a plain page."""

import base64
import html
import re
import uuid
from dataclasses import dataclass, field, replace

import anywidget
import traitlets

from figures.page import scripts
from figures.page.hosts import Paged, as_attribute
from figures.page.picture import save, still
from figures.page.style import FACE, PAPER, page_sheet
from figures.page.svg import side_by_side

SCRIPT = scripts.joined(*scripts.PLAYER)
MODEL = scripts.joined(*scripts.LINK, "model")
PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    "<title>{title}</title><style>@font-face {{ font-family: Course Sans; font-weight: 400 700; src: "
    'url("data:font/woff2;base64,{face}") }} :root {{ color-scheme: light dark; --jp-ui-font-family: "Course Sans", '
    "system-ui, sans-serif; background: light-dark(PAPERS) }} "
    "body {{ margin: 1.5em auto; width: min(1100px, 100% - 2em) }}</style>"
    "<body>{body}</body></html>\n"
).replace("PAPERS", ", ".join(PAPER.values()))


STILL = '<div class="bp-still-note">A still picture: run this cell yourself to step through it.</div>'


@dataclass(frozen=True)
class Frame:
    """One frame: its sentence, its place in the story, and the updates (text, state) of all parts of the stage."""

    say: str
    at: str = ""
    updates: dict = field(default_factory=dict)
    ask: dict | None = None  # a prediction to make before this frame: its "what", "answer", "shown", "wrong" and "hint"


@dataclass(frozen=True)
class Control:
    """An input above the stage: kind "range" (min, max, step), "choice" (options), "toggle", "text" or "button".

    log: a range over powers of ten; min, max and step are then those of the exponent, value is the number itself.
    whole: a range over whole numbers. A button has no value; pressing it sends its name.
    """

    kind: str
    name: str
    label: str
    value: object = None
    min: float | None = None
    max: float | None = None
    step: float | None = None
    options: tuple = ()
    log: bool = False
    whole: bool = False
    disabled: bool = False


@dataclass(frozen=True)
class Recording:
    """A lab's frames and stage. `render(updates)` returns the stage as a well-formed HTML string for a frame's updates.

    render: a FrameTemplate, which a pen has drawn, or any such function.
    slider: the quantity of the slider through the frames, if it is one such as h; otherwise its name is "Step".
    room: a sentence as long as the longest of a live lab, so that its stage never moves.
    """

    title: str
    frames: list
    render: object
    alt: str
    slider: str = ""
    room: str = ""

    @property
    def stage(self):
        """The stage as it is sent, without what frames change, so that a page keeps it while a slider moves.

        For a stage that no pen has drawn, the first frame's.
        """
        blank = getattr(self.render, "blank", None)
        return self.render(self.frames[0].updates) if blank is None else blank

    @property
    def asks(self):
        """True if a learner should predict what comes: then no still picture may show the end."""
        return any(frame.ask or "Predict" in frame.say for frame in self.frames)

    def render_text(self):
        return "\n".join(f"{i}. {frame.say}" for i, frame in enumerate(self.frames, start=1))

    def picture(self, index=-1):
        """Return a frame's drawing as an SVG string: the stage without its surroundings. "" if the stage is a table."""
        drawings = re.findall("<svg.*?</svg>", self.render(self.frames[index].updates), re.DOTALL)
        return drawings[0] if len(drawings) == 1 else side_by_side(drawings) if drawings else ""

    def still(self, alt, index=-1):
        """Return a frame as HTML that needs no script: an <img>, or the stage itself if that is a table."""
        svg = self.picture(index)
        return still(svg, alt) if svg else self.render(self.frames[index].updates)

    def strip(self, indices):
        """Return some frames side by side as still pictures with their sentences, as an HTML string."""
        cells = [
            f'<figure style="display:inline-block;width:30%;min-width:240px;margin:0 1% 1em 0;vertical-align:top">'
            f"{self.still(self.frames[i].say, i)}"
            f"<figcaption>{html.escape(self.frames[i].say)}</figcaption></figure>"
            for i in indices
        ]
        return f'<div class="bp">{"".join(cells)}</div>'


def deltas(frames):
    """Return the frames as plain data, each with only the updates that differ from the frame before."""
    known, made = {}, []
    for frame in frames:
        changed = {
            key: change(known.get(key), update)
            for key, update in frame.updates.items()
            if (old := known.get(key)) is not update and old != update
        }
        made.append({"say": frame.say, "at": frame.at, "set": changed} | ({"ask": frame.ask} if frame.ask else {}))
        known.update(frame.updates)
    return made


def change(old, update):
    """Return an update as it is sent: if a path has grown, only the new part."""
    begun = (old or {}).get("d")
    if not begun or not update.get("d", "").startswith(begun) or len(update["d"]) == len(begun):
        return update
    return {**{name: value for name, value in update.items() if name != "d"}, "d+": update["d"][len(begun) :]}


def embedded(spec, still, style="", model=""):
    """Return the place of a player in a page: what the page shows without scripts, and the data of a spec.

    model: the name of the widget that answers for it, if any. A page that removes scripts, as JupyterLab does with
    outputs of somebody else, also removes the style that hides the note.
    """
    named = f' data-model="{model}"' if model else ""
    return (
        f'<div class="bp-embed"{named} {as_attribute(spec)}>{style}<div class="bp-instead">{still}{STILL}</div></div>'
    )


_shown = {}  # for each notebook cell, its latest run that made players, and the players


def close_earlier(player):
    """Close the players that an earlier run of the same notebook cell made, because nobody can see them any more."""
    try:
        from IPython import get_ipython

        parent = get_ipython().get_parent()
        cell, run = parent["metadata"]["cellId"], parent["header"]["msg_id"]
    except (ImportError, AttributeError, KeyError, TypeError):
        return  # not in a notebook that names its cells
    earlier, players = _shown.get(cell, (run, []))
    if earlier != run:
        for old in players:
            old.close()
        players = []
    _shown[cell] = (run, [*players, player])


class Player(Paged, anywidget.AnyWidget):
    """A Recording as a live figure: buttons, a slider, keys, a caption, and every step as text.

    controls: Controls above the stage; for each change of their values, `record(**values)` makes a new Recording in the
    kernel. If it raises ValueError, TypeError or ZeroDivisionError, its sentence is shown, and the last picture stays.

    A lab that does more derives from it and writes `answer(values, presses)`. It sends a new recording (`load`), or,
    if its picture changes while it works, a change of the current frame (`show`); the latter kind sets live = True.

    A notebook's output is the page, so that it is whole when saved and reopened. The script in it looks for this widget
    by its `name`, and lets the controls work for as long as the page has it.
    """

    _esm = MODEL  # text: for a Path, anywidget keeps an observer that outlives the widget

    name = traitlets.Unicode().tag(sync=True)
    spec = traitlets.Dict()
    news = traitlets.Dict().tag(sync=True)  # the spec, once it differs from the page's
    patch = traitlets.Dict().tag(sync=True)  # changes of the current frame, and of the controls
    values = traitlets.Dict().tag(sync=True)  # current values of the controls
    index = traitlets.Int(0).tag(sync=True)
    request = traitlets.Dict().tag(sync=True)
    reply = traitlets.Int(0).tag(sync=True)

    live = False  # whether the kernel changes the current frame
    runner = None  # the worker of a live lab: stopped when the lab is closed or its cell is run again

    def __init__(self, recording=None, *, controls=(), record=None, index=0):
        self.controls, self._record = list(controls), record
        self.values = {control.name: control.value for control in self.controls if control.kind != "button"}
        self.recording = recording = record(**self.values) if recording is None else recording
        name = uuid.uuid4().hex
        super().__init__(spec=self._spec(recording, index=index), index=index, name=name, model_id=name)
        self.observe(self._on_request, "request")
        close_earlier(self)

    def _spec(self, recording, message="", index=0):
        """Return a recording as plain data for the browser."""
        return {
            "title": recording.title,
            "stage": recording.stage,
            "frames": deltas(recording.frames),
            "controls": [self._control(control) for control in self.controls],
            "message": message,
            "index": index,
            **({"slider": recording.slider} if recording.slider else {}),
            **({"room": recording.room} if recording.room else {}),
        }

    @traitlets.observe("spec")
    def _on_spec(self, change):
        """Send a new spec; the first one is in the page, so no saved widget state need repeat it."""
        if change["old"]:
            self.news = change["new"]

    @property
    def needs_kernel(self):
        """True if it has inputs: without them there is nothing to ask."""
        return bool(self.controls)

    def _control(self, control):
        now = {**vars(control), "value": self.values.get(control.name, control.value)}
        return {name: value for name, value in now.items() if value is not None}

    def _on_request(self, change):
        """Answer a change of the controls, or a press: by `answer`, or by a sentence over the last picture."""
        try:
            self.answer(change["new"]["values"], change["new"].get("presses", []))
        except (ValueError, TypeError, ZeroDivisionError) as fault:
            self.say(str(fault))
        finally:
            self.reply = change["new"]["number"]

    def answer(self, values, presses):
        """React to changed controls or presses: by default, with a new recording."""
        recording = self._record(**values)
        self.values = values
        self.load(recording)

    def load(self, recording, **more):
        """Show another recording, at the current frame. more: further entries of the spec."""
        self.recording = recording
        self.spec = {**self._spec(recording, index=self.spec["index"]), **more}

    def show(self, updates, say, at="", controls=None, message=""):
        """Show these updates (of all parts that ever change) and this sentence. controls: {name: its changes}."""
        shown = self.recording.frames[-1]
        self.recording.frames[-1] = replace(shown, say=say, at=at, updates={**shown.updates, **updates})
        self.patch = {"set": updates, "say": say, "at": at, "controls": controls or {}, "message": message}

    def say(self, sentence, **more):
        """Show a sentence over the last picture."""
        if self.live:
            frame = self.recording.frames[-1]
            self.show(frame.updates, frame.say, frame.at, message=sentence)
        else:  # at the current frame, and with no other fault
            kept = {name: part for name, part in self.spec.items() if name not in ("jump", "fault")}
            self.spec = {**kept, "message": sentence, **more}

    def close(self):
        """Free the player, and the ipywidgets Layout that came with it, and stop its worker."""
        if self.runner is not None:
            self.runner.stop()
        if self.comm is not None:
            self.layout.close()
        super().close()

    def render_text(self):
        """Return the frames as numbered sentences: the lab's text mode."""
        return self.recording.render_text()

    def savefig(self, path):
        """Write the player's current state to an .html file, which needs no kernel for stepping; return its Path."""
        face = base64.b64encode(FACE.read_bytes()).decode()
        return save(path, ".html", PAGE.format(title=html.escape(self.recording.title), body=self.html(), face=face))

    def html(self, *beneath):
        """Return the player's current state for a page: a still that a script replaces, with or without a kernel.

        beneath: players that go under it in the same output, with the one script and style.
        """
        parts = self.without_script(f"<style>{page_sheet()}</style>") + "".join(
            player.without_script() for player in beneath
        )
        return f'{parts}<script type="module">{SCRIPT}</script>'

    def without_script(self, style=""):
        """Return the player for a page that has its script: its still picture, and its data."""
        spec = self._spec(self.recording, self.spec["message"], self.index)
        still = self.recording.still(self.recording.alt, 0 if self.recording.asks else -1)
        return embedded(spec, still, style, self.name if self.needs_kernel else "")


def buttons(titles):
    return [Control("button", name, title) for name, title in titles.items()]
