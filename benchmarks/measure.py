"""Run engines side by side, each in a fresh process, interleaved; collect their answers; see whether they agree."""

import json
import math
import os
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.environments import ROOT, missing, python_of

DEFAULT, OFF, NOTEBOOK, MEMORY = "default gc", "gc off", "in a notebook", "memory"
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
SLOW = 2.0  # seconds for one run
TOLERANCE = 1e-9

IMPORTS = {  # what W5 imports; a peer that is not here has no module
    "every op": "import autograd",
    "micrograd": "import micrograd.nn",
    "Tensor": "import autograd.training.tensor_nn",
    "PyTorch arrays": "import torch",
    "HIPS arrays": "import autograd.numpy",
    "NumPy by hand": "import numpy",
}
IMPORT_TIMER = """\
import sys, time
sys.path.append(sys.argv[1])
start = time.process_time()
{statement}
print(time.process_time() - start)
"""


@dataclass(frozen=True)
class Settings:
    """How long to measure."""

    rounds: int = 7
    slow_rounds: int = 3  # of an engine that takes more than SLOW seconds for one run
    block: float = 0.1  # seconds: shorter runs are repeated to fill it
    longest: float = 30.0  # seconds: in W6 an engine that would take longer for one run is not run


FULL, QUICK = Settings(), Settings(rounds=3, slow_rounds=1, block=0.02, longest=3.0)


@dataclass
class Outcome:
    """The result of one engine in one cell: seconds per run of each phase, a list over rounds; or what was wrong."""

    seconds: dict = field(default_factory=dict)
    trouble: str = ""
    loss: float | None = None
    gradients: list = field(default_factory=list)
    memory: dict = field(default_factory=dict)

    def add(self, answer):
        """Keep the answer of one round."""
        for phase, seconds in answer["seconds"].items():
            self.seconds.setdefault(phase, []).append(seconds)
        self.loss, self.gradients = answer["loss"], answer["gradients"]


class Worker:
    """A process that runs one engine. `trouble` says why it cannot."""

    def __init__(self, peer, condition=DEFAULT):
        self.trouble, self.process = "", None
        python = python_of(peer)
        if not python.exists():
            self.trouble = missing(peer)
            return
        self.process = subprocess.Popen(
            [python, "-E", "-P", Path(__file__).with_name("worker.py"), peer, condition],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, **ONE_THREAD},
        )
        reason = self._answer().get("missing")
        if reason:
            self.trouble = missing(peer, reason)

    def ask(self, **job):
        """Return the answer to a job; {} if there is trouble."""
        if self.trouble:
            return {}
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended, and its last answer is read next
        return self._answer()

    def _answer(self):
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        lines = self.process.stderr.read().strip().splitlines() or [f"exit code {self.process.wait()}"]
        self.trouble = f"failed: {lines[-1]}"
        return {}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process:
            self.process.communicate()


def measure(task, peers, condition=DEFAULT, settings=FULL):
    """Return {peer: Outcome}: each peer runs the task once to warm up, then once per round, in turn with the others."""
    with ExitStack() as stack:
        workers, outcomes, left = {}, {}, {}
        for peer in peers:
            workers[peer] = stack.enter_context(Worker(peer, condition))
            outcomes[peer] = Outcome()
            first = workers[peer].ask(measure="time", task=task, block=0.0)
            left[peer] = settings.rounds if first else 0
            if first and sum(first["seconds"].values()) > SLOW:
                outcomes[peer].add(first)  # it would be no warmer the second time
                left[peer] = settings.slow_rounds - 1
        while any(left.values()):
            for peer in peers:
                if left[peer]:
                    answer = workers[peer].ask(measure="time", task=task, block=settings.block)
                    left[peer] = left[peer] - 1 if answer else 0
                    if answer:
                        outcomes[peer].add(answer)
        for peer in peers:
            outcomes[peer].trouble = workers[peer].trouble
    compare(outcomes)
    return outcomes


def compare(outcomes):
    """Note trouble if the loss or a gradient differs from that of the first peer that has one."""
    sound = [outcome for outcome in outcomes.values() if not outcome.trouble]
    for outcome in sound[1:]:
        outcome.trouble = difference(sound[0], outcome)


def difference(expected, got):
    """Return '' if losses agree to a relative 1e-9 and gradients to 1e-9 of the largest; else what differs."""
    if not math.isclose(expected.loss, got.loss, rel_tol=TOLERANCE):
        return f"losses differ: {got.loss!r}, not {expected.loss!r}"
    if len(expected.gradients) != len(got.gradients):
        return f"{len(got.gradients)} gradients, not {len(expected.gradients)}"
    largest = max(map(abs, expected.gradients))
    for a, b in zip(expected.gradients, got.gradients):
        if not abs(a - b) <= TOLERANCE * largest:  # so that nan differs too
            return f"gradients differ: {b!r}, not {a!r}; the largest is {largest:.2g}"
    return ""


def measure_memory(task, peers, warm_up, collect=False):
    """Return {peer: Outcome} with the `memory` of one run, after one of a smaller task: see `worker.memory`."""
    outcomes = {}
    for peer in peers:
        with Worker(peer) as worker:
            memory = worker.ask(measure="memory", task=task, warm_up=warm_up, collect=collect)
            outcomes[peer] = Outcome(memory=memory, trouble=worker.trouble)
    return outcomes


def measure_imports(peers, rounds):
    """Return {peer: Outcome}: seconds of processor time to import each engine, in a fresh process each time."""
    outcomes = {peer: Outcome() for peer in peers}
    for i in range(rounds + 1):
        for peer, outcome in outcomes.items():
            if not python_of(peer).exists():
                outcome.trouble = missing(peer)
            if outcome.trouble:
                continue
            code = IMPORT_TIMER.format(statement=IMPORTS[peer])
            ran = subprocess.run([python_of(peer), "-E", "-P", "-c", code, ROOT], capture_output=True, encoding="utf-8")
            if ran.returncode:
                outcome.trouble = missing(peer, ran.stderr.strip().splitlines()[-1])
            elif i:  # the first round writes the bytecode
                outcome.seconds.setdefault("import", []).append(float(ran.stdout))
    return outcomes
