"""What a browser does with a lab, for all tests of labs: `ask` sends its inputs, `run` presses Play and waits.

`scalars` turns a lab's arrays into Values, to compare them with the scalar engine.
"""

import asyncio
import json
import types

import numpy as np

from autograd import Value


def ask(lab, *presses, **changed):
    """Send a lab what the browser sends after changed inputs, or presses of parts; return its last frame's marks."""
    lab.request = {"values": {**lab.values, **changed}, "presses": list(presses), "number": lab.reply + 1}
    assert lab.reply == lab.request["number"], "the lab did not answer"
    assert json.loads(json.dumps(lab.patch, allow_nan=False)) == lab.patch, "an answer that no browser could read"
    return lab.recording.frames[-1].marks


def in_a_cell(monkeypatch, cell, run):
    """Pretend that a notebook's cell is running, for the `run`-th time."""
    parent = {"metadata": {"cellId": cell}, "header": {"msg_id": run}}
    monkeypatch.setattr("IPython.get_ipython", lambda: types.SimpleNamespace(get_parent=lambda: parent))


def message(lab):
    """Return the message of the lab about the last request, over its picture; "" if there is none."""
    return (lab.patch if lab.live else lab.spec).get("message", "")


def told(lab, *presses, **changed):
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
