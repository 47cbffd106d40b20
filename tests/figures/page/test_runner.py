"""A runner: it keeps to its rate, and draws when something was done."""

import asyncio

from figures.page.runner import Runner
from tests.labs import looped, wait_until


@looped
async def test_runner_keeps_its_rate():
    done, drawn = [], []

    def step():
        done.append(asyncio.get_running_loop().time())
        return len(done) < 6

    runner = Runner(step, lambda: drawn.append(len(done)), print, rate=50)
    runner.start()
    await wait_until(lambda: not runner.running)
    assert len(done) == 6 and done[-1] - done[0] >= 5 / 50 * 0.9
    assert drawn == sorted(set(drawn)), "a picture is drawn only when something was done"
