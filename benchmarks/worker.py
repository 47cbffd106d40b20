"""The process in which one engine runs: `python -E -P benchmarks/worker.py PEER CONDITION`.

It gets one job per line, as JSON, and answers each with a line. It starts again for each cell of a table, and imports
nothing heavy but the engine. The checkout comes last on its path, so that in an environment with HIPS autograd `import
autograd` finds that one.
"""

import gc
import json
import os
import sys
import time
from array import array

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from benchmarks import peers

MOST_RUNS, MOST_PHASES = 2000, 100


def timed(engine, job):
    """Return the processor time of each phase, in seconds per run, over as many runs as fit into `job["block"]`.

    It is processor time because the machine may have other work: all engines run on one thread.
    """
    totals, runs = {}, 0
    while runs == 0 or (sum(totals.values()) * (runs + 1) / runs < job["block"] and runs < MOST_RUNS):
        answer = one_run(engine, job, totals)
        runs += 1
    if not gc.isenabled():
        gc.collect()
    return {"seconds": {phase: seconds / runs for phase, seconds in totals.items()}, **answer}


def one_run(engine, job, totals):
    """Run a workload once, add the seconds of each of its phases to `totals`, and return what it computed."""
    run = getattr(engine, job["task"]["kind"])(job["task"])
    next(run)
    clock = time.process_time
    while True:
        start = clock()
        try:
            phase = next(run)
        except StopIteration as stop:
            return stop.value
        totals[phase] = totals.get(phase, 0.0) + clock() - start


def memory(engine, job):
    """Return, for each phase's end with the collector off, its name, and the bytes that Python newly holds.

    With `job["collect"]` the collector runs after each phase, and the third number is what it found.
    """
    import tracemalloc

    gc.disable()
    names, held, found = [""] * MOST_PHASES, array("q", [0]) * MOST_PHASES, array("q", [0]) * MOST_PHASES
    for task in (job["warm_up"], job["task"]):  # the first run makes some things that stay
        run = getattr(engine, task["kind"])(task)
        next(run)
        gc.collect()
        tracemalloc.start()
        for i, phase in enumerate(run):
            found[i] = gc.collect() if job["collect"] else 0
            names[i], held[i] = phase, tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        del run
    garbage = gc.collect()
    return {"phases": list(zip(names, held, found))[: i + 1], "garbage": garbage}


def main():
    """Report whether the engine is there, then do jobs until there are no more."""
    peer, condition = sys.argv[1:]
    try:
        if condition == "in a notebook":
            import matplotlib.pyplot  # noqa: F401
            import sklearn.datasets  # noqa: F401
        engine = peers.load(peer)
    except ImportError as error:
        print(json.dumps({"missing": str(error)}), flush=True)
        return
    print(json.dumps({"ready": peer}), flush=True)
    if condition == "gc off":
        gc.disable()
    for line in sys.stdin:
        job = json.loads(line)
        answer = memory(engine, job) if job["measure"] == "memory" else timed(engine, job)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
