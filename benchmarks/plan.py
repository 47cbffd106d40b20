"""The plan: each workload with its parts, conditions and peers."""

import functools
import statistics

from benchmarks import tasks
from benchmarks.measure import (
    DEFAULT,
    FULL,
    IMPORTS,
    MEMORY,
    NOTEBOOK,
    OFF,
    Outcome,
    measure,
    measure_imports,
    measure_memory,
)
from benchmarks.peers import ON_ARRAYS, ON_NUMBERS, PEERS
from benchmarks.questions import measure_questions

STEPS = {
    "digits": tasks.digits,
    "moons": functools.partial(tasks.moons, steps=tasks.STEPS, hidden=(16,), decay=0.0),
    "windows": tasks.windows,
}
CONDITIONS, SHAPES, NODES = (DEFAULT, OFF), ("chain", "balanced"), (ON_NUMBERS, ON_ARRAYS)


def run(only=(), settings=FULL, say=lambda cell: None):
    """Measure some workloads, or all; return {(workload, part, condition): {peer: Outcome}}.

    `say` is called for each cell as it ends. A part is a graph's shape (in W6 with its size), or what the nodes hold. A
    condition is the collector's; or memory.
    """
    results = {}
    for workload in only or WORKLOADS:
        for (part, condition), outcomes in WORKLOADS[workload](settings):
            results[workload, part, condition] = outcomes
            say(" ".join(filter(None, (workload, part, condition))))
    return results


def w1(settings):
    """Measure graphs of 100,000 operations: seconds of each phase, and memory."""
    for shape in SHAPES:
        for condition in CONDITIONS:
            yield (shape, condition), measure(tasks.graph(shape), peers_of("W1"), condition, settings)
        task, warm_up = tasks.graph(shape, tasks.MEMORY_OPS), tasks.graph(shape, 1_000)
        yield (shape, MEMORY), measure_memory(task, peers_of("W1"), warm_up, collect=True)


def w2(settings):
    """Measure XOR."""
    yield from training("W2", tasks.xor(), CONDITIONS, settings)


def w3(settings):
    """Measure moons, and the memory held after each step. Arrays take more steps, to fill Python's free lists."""
    yield from training("W3", tasks.moons(), (*CONDITIONS, NOTEBOOK), settings)
    warm_up = tasks.moons(n=20, steps=2)
    for nodes, task in ((ON_NUMBERS, tasks.moons(n=20, steps=8)), (ON_ARRAYS, tasks.moons(steps=60))):
        yield (nodes, MEMORY), measure_memory(task, peers_of("W3", nodes), warm_up)


def w4(settings):
    """Measure the deep network."""
    yield from training("W4", tasks.deep(), CONDITIONS, settings)


def w5(settings):
    """Measure imports."""
    yield ("", ""), measure_imports(IMPORTS, settings.rounds)


def w6(settings):
    """Measure graphs of 10³ to 10⁶ operations. Skip an engine that would take too long for the next size."""
    for shape in SHAPES:
        for condition in CONDITIONS:
            expected = dict.fromkeys(peers_of("W6"), 0.0)
            for ops in tasks.SIZES:
                able = [peer for peer, seconds in expected.items() if seconds <= settings.longest]
                outcomes = measure(tasks.graph(shape, ops), able, condition, settings)
                for peer, seconds in expected.items():
                    if peer not in able:
                        outcomes[peer] = Outcome(trouble=f"not run: about {seconds:.0f} s")
                    else:
                        expected[peer] = 10 * sum(map(statistics.median, outcomes[peer].seconds.values()))
                yield (f"{shape} {ops}", condition), outcomes


def w7(settings):
    """Measure questions of the gym, which no peer makes: ten for each round."""
    yield ("", ""), measure_questions(10 * settings.rounds)


def w8(settings):
    """Measure small steps on arrays."""
    for part, task in STEPS.items():
        yield (part, DEFAULT), measure(task(), peers_of("W8", ON_ARRAYS), DEFAULT, settings)


def training(workload, task, conditions, settings):
    """Measure a task on numbers and on arrays, if there are peers for it."""
    for nodes in NODES:
        for condition in conditions if peers_of(workload, nodes) else ():
            yield (nodes, condition), measure(task, peers_of(workload, nodes), condition, settings)


def peers_of(workload, nodes=ON_NUMBERS):
    """Return the peers that take part in a workload."""
    return [key for key, peer in PEERS.items() if workload in peer.workloads and peer.nodes == nodes]


WORKLOADS = {"W1": w1, "W2": w2, "W3": w3, "W4": w4, "W5": w5, "W6": w6, "W7": w7, "W8": w8}
