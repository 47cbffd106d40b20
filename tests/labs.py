"""Act as a browser does with a lab, for all tests of labs: `ask` sends its inputs, `run` presses Play and waits.

`scalars` turns a lab's arrays into Values, to compare them with the scalar engine.
"""

import asyncio
import json
import types

import numpy as np

from autograd import Value
from figures.page.player import deltas
from tests import pictures

FEW = 3  # options of a choice, or parts to press, that are tried of a lab


def ask(lab, *presses, **changed):
    """Send a lab what the browser sends after changed inputs, or presses of parts; return its last frame's marks."""
    lab.request = {"values": {**lab.values, **changed}, "presses": list(presses), "number": lab.reply + 1}
    assert lab.reply == lab.request["number"], "the lab did not answer"
    assert json.loads(json.dumps(lab.patch, allow_nan=False)) == lab.patch, "an answer that no browser could read"
    return lab.recording.frames[-1].updates


def in_a_cell(monkeypatch, cell, run):
    """Pretend that a notebook's cell is running, for the `run`-th time."""
    parent = {"metadata": {"cellId": cell}, "header": {"msg_id": run}}
    monkeypatch.setattr("IPython.get_ipython", lambda: types.SimpleNamespace(get_parent=lambda: parent))


def page(lab):
    """Return the lab that answers the page; for the lottery, the upper one."""
    return getattr(lab, "lottery", lab)


def choices(lab, few=FEW):
    """Yield changes of the inputs: to both ends of each slider, to some options, a switch to its other way, a drag."""
    for control in lab.controls:
        if control.kind == "range":
            ends = [10**end if control.log else end for end in (control.min, control.max)]
            yield from ({control.name: int(end) if control.whole else end} for end in ends)
        elif control.kind == "choice":
            yield from ({control.name: option} for option in control.options[-few:])
        elif control.kind == "toggle":
            yield {control.name: not lab.values[control.name]}
    for part in pictures.tree(lab.recording.render(lab.recording.frames[0].updates)).iter():
        if part.get("data-drag"):
            yield {part.get("data-drag"): round(float(part.get("data-value")) + 0.1, 4)}


def parts_to_press(lab):
    """Return the names of some parts that can be pressed, and of the buttons except Play."""
    stage = pictures.tree(lab.spec["stage"]).iter()
    parts = [part.get("data-press") for part in stage if part.get("data-press")]
    return [*parts[:1], *parts[-1:], *(control.name for control in lab.controls if control.kind == "button")]


def message(lab):
    """Return the message of the lab about the last request, over its picture; "" if there is none."""
    return (lab.patch if lab.live else lab.spec).get("message", "")


def message_after(lab, *presses, **changed):
    """Send a lab these presses and inputs; return its message about them."""
    ask(lab, *presses, **changed)
    return message(lab)


def questions(lab):
    """Return what a lab asks a learner to predict, one line each: the answer, and the replies to other numbers."""
    lines = []
    for asked in filter(None, (frame.ask for frame in lab.recording.frames)):
        wrong = "".join(f" {number:g}: {said}" for number, said in asked["wrong"])
        lines.append(f"{asked['what']}: {asked['shown']}.{wrong} Any other: {asked['hint']}")
    return lines


def answers(lab):
    """Yield what a lab shows after each change of an input, each press, and a few steps, a line for a frame."""
    lab = page(lab)
    opened = dict(lab.values)
    changes = [
        ({}, []),
        *((each, []) for each in choices(lab, few=99)),
        *(({}, [each]) for each in parts_to_press(lab)),
    ]
    for changed, presses in changes:
        if presses != ["play"]:
            ask(lab, *presses, **opened | changed)
            yield f"{changed or presses}: {message(lab)}"
            yield from frames_as_text(lab)
    if hasattr(lab, "step"):
        ask(lab, "reset", **opened)
        for _ in range(10):
            lab.step()
        lab.draw()
        yield from frames_as_text(lab)


def frames_as_text(lab):
    """Yield a lab's title, its frames, each with the marks that change, and its last stage."""
    recording = lab.recording
    yield recording.title
    yield from (json.dumps(frame, ensure_ascii=False) for frame in deltas(recording.frames))
    yield recording.render(recording.frames[-1].updates)


def looped(test):
    """Return an async test as one that runs on a new event loop."""
    return lambda: asyncio.run(test())


async def wait_until(true, seconds=60.0):
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.005)


def moved(lab):
    """Return {name: value} of the controls that a live lab's last answer moved."""
    return {name: change["value"] for name, change in lab.patch.get("controls", {}).items() if "value" in change}


def run(lab, *presses, until=None, then=(), seconds=60.0, **changed):
    """Press (Play, if nothing else is named), and let the event loop go on to the run's end, or until `until(lab)`.

    then: what to press at that moment, such as Play for a pause, while the event loop still goes on.
    """

    async def go():
        ask(lab, *(presses or ("play",)), **changed)
        assert lab.runner.running
        async with asyncio.timeout(seconds):
            while lab.runner.running and not (until and until(lab)):
                await asyncio.sleep(0.005)
        if then:
            ask(lab, *then)

    asyncio.run(go())


def scalars(array):
    """Return rows of Values of an array's numbers; for a vector, one row."""
    return [[Value(float(number)) for number in row] for row in np.atleast_2d(array)]
