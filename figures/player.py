"""`Player`: shows recorded frames one at a time, in a notebook with or without a kernel and on a plain page."""

import html
import json
from dataclasses import dataclass, field
from pathlib import Path

import anywidget
import traitlets

from figures.picture import still
from figures.style import style_sheet

SCRIPT = Path(__file__).with_name("player.js")


@dataclass(frozen=True)
class Frame:
    """One frame: its sentence, where in the story it is, and the marks (text, state) of all parts of the stage."""

    say: str
    at: str = ""
    marks: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Control:
    """An input above the stage: kind "range" (min, max, step), "choice" (options) or "toggle"."""

    kind: str
    name: str
    label: str
    value: object
    min: float | None = None
    max: float | None = None
    step: float | None = None
    options: tuple = ()


@dataclass(frozen=True)
class Recording:
    """What a lab shows. `render(marks)` gives the stage as a well-formed HTML string for the marks of a frame."""

    title: str
    frames: list
    render: object
    alt: str

    def text(self):
        """The frames as numbered sentences."""
        return "\n".join(f"{i}. {frame.say}" for i, frame in enumerate(self.frames, start=1))

    def picture(self, index=-1):
        """A frame's drawing as an SVG string: the stage without what stands around it."""
        stage = self.render(self.frames[index].marks)
        return stage[stage.index("<svg") : stage.index("</svg>") + len("</svg>")]

    def strip(self, indices):
        """Some frames side by side as still pictures with their sentences, as an HTML string."""
        cells = [
            f'<figure style="display:inline-block;width:30%;min-width:240px;margin:0 1% 1em 0;vertical-align:top">'
            f"{still(self.picture(i), self.frames[i].say)}"
            f"<figcaption>{html.escape(self.frames[i].say)}</figcaption></figure>"
            for i in indices
        ]
        return f'<div class="bp">{"".join(cells)}</div>'


def deltas(frames):
    """The frames as plain data, each with only the marks that differ from the frame before."""
    known, made = {}, []
    for frame in frames:
        changed = {key: mark for key, mark in frame.marks.items() if known.get(key) != mark}
        made.append({"say": frame.say, "at": frame.at, "set": changed})
        known.update(changed)
    return made


class Player(anywidget.AnyWidget):
    """A Recording as a live figure: buttons, a slider, keys, a caption, and every step as text.

    controls: Controls above the stage; `record(**values)` then makes the Recording for their values anew, in the
    kernel. A ValueError, TypeError or ZeroDivisionError from it is shown as its sentence, and the last picture stays.
    """

    _esm = SCRIPT
    _css = Path(__file__).with_name("style.css")

    spec = traitlets.Dict().tag(sync=True)
    index = traitlets.Int(0).tag(sync=True)
    request = traitlets.Dict().tag(sync=True)
    reply = traitlets.Int(0).tag(sync=True)

    def __init__(self, recording=None, *, controls=(), record=None, index=0):
        self.controls, self._record = list(controls), record
        if recording is None:
            recording = record(**{control.name: control.value for control in self.controls})
        self.recording = recording
        super().__init__(spec=self._spec(recording, index=index), index=index)
        self.observe(self._on_request, "request")

    def _spec(self, recording, message="", index=0):
        """What the browser needs of a recording, as plain data."""
        return {
            "title": recording.title,
            "stage": recording.render(recording.frames[0].marks),
            "frames": deltas(recording.frames),
            "controls": [{k: v for k, v in vars(control).items() if v is not None} for control in self.controls],
            "message": message,
            "index": index,
        }

    def _on_request(self, change):
        """Answer a change of the controls: a new recording for the same stage, or a sentence."""
        try:
            self.recording = self._record(**change["new"]["values"])
            self.spec = self._spec(self.recording, index=self.spec["index"])
        except (ValueError, TypeError, ZeroDivisionError) as fault:
            self.spec = {**self.spec, "message": str(fault)}
        finally:
            self.reply = change["new"]["number"]

    def text(self):
        """The frames as numbered sentences: the lab's text mode."""
        return self.recording.text()

    def _repr_mimebundle_(self, **kwargs):
        made = super()._repr_mimebundle_(**kwargs)
        bundle, metadata = made if isinstance(made, tuple) else (made, {})
        return {**bundle, "text/html": self.html(), "text/plain": self.text()}, metadata

    def html(self):
        """The same player for a page without a kernel: a still picture, which a script replaces."""
        data = json.dumps(self.spec, ensure_ascii=False).replace("<", "\\u003c")
        script = SCRIPT.read_text(encoding="utf-8").replace("export default", "const player =")
        return (
            f'<div class="bp-embed"><style>{style_sheet()}</style>'
            f"{still(self.recording.picture(), self.recording.alt)}"
            f'<script type="application/json">{data}</script></div>'
            f'<script type="module">{script}\n'
            'for (const place of document.querySelectorAll(".bp-embed:not([data-mounted])")) {\n'
            '  place.dataset.mounted = "yes";\n'
            '  const spec = JSON.parse(place.querySelector("script").textContent);\n'
            '  const stand = document.createElement("div");\n'
            '  place.querySelector("img").replaceWith(stand);\n'
            "  player.mount(stand, spec);\n}</script>"
        )
