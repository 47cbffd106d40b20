"""Memory: what a graph of Values holds, and that nothing of it stays. Each measured in a process of its own."""

import gc

import pytest

from benchmarks import measure, plan, report, tasks, worker
from benchmarks.measure import MEMORY, Outcome
from benchmarks.peers import ON_NUMBERS, PEERS


def measured(task, peer, collect=False):
    """The memory that one of this project's engines holds after each phase of a task."""
    (outcome,) = measure.measure_memory(task, [peer], task, collect).values()
    assert not outcome.trouble
    return outcome


@pytest.mark.parametrize("shape", plan.SHAPES)
def test_bytes_per_node_and_that_none_stays(shape):
    """At most 205 for each of 20,000 mixed operations before the backward pass; a float more after it.

    A dropped graph is gone at once, without the cycle collector, which finds nothing at any time.
    """
    outcome = measured(tasks.graph(shape, tasks.MEMORY_OPS), "every op", True)
    results = {("W1", shape, MEMORY): {"every op": outcome}}
    before, after = (report.bytes_per_node(results, shape, "every op", phase) for phase in ("build", "backward"))
    assert before <= 205
    assert before < after <= before + 32
    phases = outcome.memory["phases"]
    assert [phase for phase, _, _ in phases] == ["build", "backward", "free"]
    assert [found for _, _, found in phases] == [0, 0, 0]
    assert phases[-1][1] < 2_000 < phases[0][1] / 100  # bytes: the gradients that were asked for


@pytest.mark.parametrize("peer", ["every op", "neurons", "Tensor"])
def test_training_runs_at_constant_memory_with_gc_off(peer):
    """Once Python's free lists are full, a step leaves nothing behind, and afterwards the collector finds nothing."""
    nodes = PEERS[peer].nodes
    outcome = measured(tasks.moons(n=20, steps=60 if peer == "Tensor" else 8), peer)
    results = {("W3", nodes, MEMORY): {peer: outcome}}
    assert report.growth(results, peer) == 0
    assert report.garbage(results, "W3", nodes, peer) == 0


class Leaky:
    """An engine whose nodes are parts of reference cycles, as closures make them."""

    def train(self, task):
        yield "setup"
        for _ in range(task["steps"]):
            node = []
            node.append(node)
            yield "step"


def test_the_measurement_sees_a_leak():
    """Cycles add to each step, and the collector finds them; so the zeros above mean something."""
    task = {"kind": "train", "steps": 8}
    try:
        found = worker.memory(Leaky(), {"task": task, "warm_up": task, "collect": False})
    finally:
        gc.enable()
    results = {("W3", ON_NUMBERS, MEMORY): {"micrograd": Outcome(memory=found)}}
    assert report.growth(results, "micrograd") > 50
    assert report.garbage(results, "W3", ON_NUMBERS, "micrograd") == 8
