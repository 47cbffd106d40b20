"""`Runner`: work on the kernel's event loop in small slices, for labs whose picture changes while it runs."""

import asyncio
import math
import time

SLICE = 0.03  # seconds of work between two checks for what the learner did
PAUSE = 0.02  # seconds left to the page between two slices


class Runner:
    """A worker on the kernel's event loop, in slices of at most 30 ms, so that neither the page nor a button waits.

    step: does a small piece, well under 30 ms, and returns whether there is more. show: draws the current state.
    failed: gets an exception that step or show raised, in place of a traceback that no one would see.
    rate: the most pieces per second; None: as many as there is time for. It may change while work goes on.
    """

    def __init__(self, step, show, failed, rate=None):
        self.step, self.show, self.failed, self.rate = step, show, failed, rate
        self._task = None

    @property
    def running(self):
        """True while work is going on; False once the loop that it was on has ended, as when a page was closed."""
        task = self._task
        return task is not None and not task.done() and task.get_loop().is_running()

    def start(self):
        """Begin, or go on after `stop`; raise RuntimeError without a running event loop."""
        if not self.running:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def stop(self):
        """Stop before the next slice. Call it from any thread: JupyterLab may handle widget messages in another."""
        self._task = None

    async def _run(self):
        """Run slice after slice, until there is no more to do, or `stop` or a new `start` ends it."""
        me = asyncio.current_task()
        try:
            more, due, now = True, 1.0, time.perf_counter()
            while more and self._task is me:
                before, now = now, time.perf_counter()
                due = math.inf if self.rate is None else min(due + self.rate * (now - before), max(1.0, self.rate / 5))
                idle = due < 1
                while more and due >= 1 and time.perf_counter() < now + SLICE:
                    more, due = self.step(), due - 1
                if self._task is not me:
                    break
                if not more:
                    self._task = None  # so that `show` sees that nothing is running
                if not idle:
                    self.show()
                await asyncio.sleep(PAUSE)
        except Exception as fault:
            self._task = None
            self.failed(fault)
            if not isinstance(fault, ArithmeticError | ValueError):
                raise
