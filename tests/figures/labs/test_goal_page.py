"""The goal lab in a page without a kernel: its script says and draws what Python does, whatever a hand does."""

import json
import random
import subprocess
from pathlib import Path

import pytest

from figures import goal
from figures.labs import goal as module
from figures.labs.goal import BUTTONS, DIALS, REACH
from tests.house.test_javascript import NODE, with_node
from tests.labs import ask, message

HERE = Path(__file__).parent
STARTS = ((0, 0, 0), (-0.2, 1.9, -0.9), (3, 3, 3), (-3, 3, -3), (0.37, -1.2, 2.5))


def a_hand(player, rng, count):
    """Act as a user might: turn dials dragged by tenths and beyond their ends; then buttons, and steps looked at."""
    for done in range(count):
        index, presses, values = player.index, [], dict(player.heard)
        if done > 25 and rng.random() < 0.2:
            index = rng.randrange(len(player.recording.frames))
        if rng.random() < 0.6:
            held = {name: float(number) for name, number in player.walk[max(index - 1, 0)].dials.items()}
            name = rng.choice(list(DIALS))
            values = {**held, name: round(held[name] + rng.choice((-50, -10, -1, 1, 1, 2, 10, 50)) / 10, 10)}
        if done > 25 and rng.random() < 0.3:
            presses = rng.choices(list(BUTTONS), weights=(2, 2, 3, 4), k=rng.choice((1, 1, 1, 5)))
        yield {"index": index, "values": values, "presses": presses}
    yield {"index": player.index, "values": dict(player.heard), "presses": ["ten"] * 5}  # more steps than there are


def shown(player):
    """The messages that Python sent: frames with all their marks, the sentence over them, and the frame to show."""
    frames = [{"say": each.say, "at": each.at, "set": each.updates} for each in player.recording.frames]
    return {"frames": comparable(frames), "message": message(player), "jump": player.spec.get("jump")}


def comparable(frames):
    """Frames in which a number that is no text, a dial's own, is a number."""
    for frame in frames:
        for name in DIALS:
            handle = frame["set"][f"{name}.handle"]
            frame["set"][f"{name}.handle"] = {**handle, "data-value": float(handle["data-value"])}
    return frames


@with_node
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.long
def test_script_matches_python_after_every_answer(start):
    player, rng, answers = goal(*start), random.Random(repr(start)), []
    place = player.without_kernel()
    spec = {**player.spec, "frames": player.spec["frames"][:2]}
    assert len(place) < 25_000, "the page holds little of it"
    expected = [shown(player)]
    for answer in a_hand(player, rng, 120):
        answers.append(answer)
        player.index = answer["index"]
        ask(player, *answer["presses"], **answer["values"])
        expected.append(shown(player))
    sent = json.dumps({"spec": spec, "answers": answers})
    command = [NODE, HERE / "goal_replay.mjs", Path(module.__file__).with_suffix(".js")]
    ran = subprocess.run(command, input=sent, capture_output=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr
    for number, (python, page) in enumerate(zip(expected, json.loads(ran.stdout), strict=True)):
        drawn = {**page, "frames": comparable(page["frames"]), "jump": page.get("jump")}
        assert drawn == python, answers[:number]
    said = {each["frames"][0]["at"] for each in expected}
    assert len(said) > 3 and expected[-1]["message"], "the hand has tried it all"
    assert any(abs(answer["values"].get(name, 0)) > REACH for answer in answers for name in DIALS), answers
