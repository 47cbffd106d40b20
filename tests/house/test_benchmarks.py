"""The benchmarks measure what they claim, without timing; what a graph holds in memory, and that nothing stays."""

import collections
import functools
import gc
import importlib.metadata
import math
import os
import platform
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from autograd import Value, topological_order
from autograd.arrays import validation as tensor_validation
from autograd.tensor import Tensor
from benchmarks import __main__ as command
from benchmarks import environments, measure, peers, plan, report, safeties, segments, tasks, worker
from benchmarks.measure import DEFAULT, MEMORY, OFF, Outcome, Settings
from benchmarks.peers import ON_NUMBERS, PEERS
from benchmarks.peers.engine import SHAPES
from benchmarks.questions import measure_questions
from exercises.practice.questions import LEVELS

ROOT = Path(__file__).parents[2]
ONCE = Settings(rounds=1, slow_rounds=1, block=0.0)
SMALL = {  # one small step of each workload, made when it is needed
    "W1 chain": lambda: tasks.graph("chain", ops=40),
    "W1 balanced": lambda: tasks.graph("balanced", ops=100),
    "W2": lambda: tasks.xor(epochs=2),
    "W3": lambda: tasks.moons(n=10, steps=2),
    "W4": lambda: tasks.deep(depth=3, width=4, batch=2),
    "W8 digits": lambda: tasks.digits(n=5, steps=2),
    "W8 moons": lambda: tasks.moons(n=10, steps=2, hidden=(4,), decay=0.0),
    "W8 windows": lambda: tasks.windows(n=5, steps=2),
}


def run_here(peer, task):
    run = getattr(peers.load(peer), task["kind"])(task)
    while True:
        try:
            next(run)
        except StopIteration as stop:
            return stop.value


@functools.cache
def expected(name):
    """Return the loss and gradients of a task by this project's own engine; of W4 and W8 by NumPy."""
    answer = run_here("NumPy by hand" if name[:2] in ("W4", "W8") else "every op", SMALL[name]())
    return Outcome(loss=answer["loss"], gradients=answer["gradients"])


@pytest.mark.parametrize("peer", PEERS)
def test_peer_computes_the_same_or_is_named_as_missing(peer):
    with measure.Worker(peer) as worker:
        for name in [name for name in SMALL if name.split()[0] in PEERS[peer].workloads]:
            answer = worker.ask(measure="time", task=SMALL[name](), block=0.0)
            if worker.trouble:
                assert worker.trouble.startswith("missing: "), worker.trouble
                assert PEERS[peer].install in worker.trouble and PEERS[peer].install
                continue
            got = Outcome()
            got.add(answer)
            assert measure.difference(expected(name), got) == "", name
            assert [seconds for seconds in answer["seconds"].values() if not (seconds >= 0)] == []


@pytest.mark.parametrize("name", SMALL)
def test_tasks_give_distinguishing_gradients(name):
    answer = expected(name)
    assert math.isfinite(answer.loss) and abs(answer.loss) > 1e-3
    assert sum(gradient != 0 for gradient in answer.gradients) > len(answer.gradients) / 3


@pytest.mark.parametrize("shape", plan.SHAPES)
def test_w1_operations_match_its_title(shape):
    task = tasks.graph(shape)
    root = SHAPES[shape]([Value(x) for x in task["leaves"]], task["ops"], Value.tanh, Value.relu)
    ops = collections.Counter(node._op for node in topological_order(root) if node._op)
    assert ops.total() == tasks.OPS
    assert ops["*"] == ops["+"] == 0.4 * tasks.OPS and ops["tanh"] + ops["relu"] == 0.2 * tasks.OPS


@pytest.mark.parametrize("safety", safeties.SAFETIES)
def test_tensor_without_a_safety_computes_the_same(safety):
    tensors, job = peers.load("Tensor"), {"task": tasks.moons(n=20)}
    whole, code = worker.one_run(tensors, job, {}), {**vars(Tensor), **vars(tensor_validation)}
    with safeties.without(safety):
        assert {**vars(Tensor), **vars(tensor_validation)} != code
        assert worker.one_run(tensors, job, {}) == whole
    assert {**vars(Tensor), **vars(tensor_validation)} == code


# A library that is missing, fails or disagrees is named, and gets no figure.


@pytest.fixture
def empty(tmp_path, monkeypatch):
    venv.create(tmp_path / "empty", with_pip=False)
    monkeypatch.setattr(environments, "HIPS_FOLDER", tmp_path / "empty")
    monkeypatch.setattr(measure, "python_of", lambda peer: environments.python_of("HIPS floats"))


def test_missing_library_is_named_with_its_install_command(empty):
    """micrograd, PyTorch and HIPS autograd are missing here; Values need nothing that is missing."""
    found = measure.measure(tasks.xor(1), ["every op", "micrograd", "PyTorch 0-d", "HIPS floats"], settings=ONCE)
    assert found["every op"].trouble == ""
    assert found["micrograd"].trouble == "missing: pip install -e \".[bench]\" (No module named 'micrograd')"
    assert found["PyTorch 0-d"].trouble == "missing: pip install -e \".[bench]\" (No module named 'torch')"
    assert found["HIPS floats"].trouble.startswith("missing: python -m benchmarks --install-peers (No module named ")
    text = "\n".join(report.training_section({("W2", ON_NUMBERS, DEFAULT): found}, "W2"))
    assert "| micrograd                    | missing: pip install -e" in text


def test_missing_peers_are_named_in_all_measurements(empty, tmp_path, monkeypatch):
    imports = measure.measure_imports(["every op", "micrograd"], rounds=1)
    assert imports["every op"].seconds["import"][0] > 0
    assert imports["micrograd"].trouble.startswith("missing: pip install -e")
    memory = measure.measure_memory(tasks.xor(1), ["micrograd"], tasks.xor(1))
    assert memory["micrograd"].trouble.startswith("missing: pip install -e")
    assert environments.versions()["HIPS autograd"] == "missing"
    monkeypatch.undo()
    monkeypatch.setattr(environments, "HIPS_FOLDER", tmp_path / "nowhere")
    expected = "missing: python -m benchmarks --install-peers"
    assert measure.measure(tasks.xor(1), ["HIPS floats"], settings=ONCE)["HIPS floats"].trouble == expected
    assert measure.measure_imports(["HIPS arrays"], rounds=1)["HIPS arrays"].trouble == expected
    assert environments.versions()["HIPS autograd"] == "missing"
    fails = measure.measure({**tasks.xor(1), "kind": "nothing"}, ["every op"], settings=ONCE)["every op"]
    assert fails.trouble == "failed: AttributeError: 'EveryOp' object has no attribute 'nothing'"


@pytest.mark.parametrize(
    ("loss", "gradients", "trouble"),
    [
        (2.0 + 1e-12, [1.0, -3.0 + 1e-12], ""),
        (2.1, [1.0, -3.0], "losses differ: 2.1, not 2.0"),
        (math.nan, [1.0, -3.0], "losses differ: nan, not 2.0"),
        (2.0, [1.0, -3.001], "gradients differ: -3.001, not -3.0; the largest is 3"),
        (2.0, [1.0, math.nan], "gradients differ: nan, not -3.0; the largest is 3"),
        (2.0, [1.0], "1 gradients, not 2"),
    ],
)
def test_peer_with_a_different_result_gets_no_ratio(loss, gradients, trouble):
    outcomes = {
        "every op": Outcome({"step": [1.0]}, loss=2.0, gradients=[1.0, -3.0]),
        "micrograd": Outcome({"step": [5.0]}, loss=loss, gradients=gradients),
    }
    measure.compare(outcomes)
    assert outcomes["micrograd"].trouble == trouble and not outcomes["every op"].trouble
    results = {("W2", ON_NUMBERS, DEFAULT): outcomes}
    assert report.ratio(results, *results, "micrograd", "every op") == (None if trouble else 5.0)
    assert (trouble or "| 5 (5 s)") in next(report.training_section(results, "W2"))
    row = next(report.targets()).row(results)
    assert row[2:] == (["not measured", "–"] if trouble else ["5", "met"])


# Figures and tables, from made-up measurements.


@pytest.fixture(scope="module")
def results():
    """Return results as of plan.run: each peer's median is its place in PEERS, times 10 with gc on; some outliers.

    There are two levels of the gym, the second of which takes 20 + 11 ms at the median.
    """
    place = {key: i for i, key in enumerate(PEERS, start=1)}

    def measured(task, peers, condition=DEFAULT, settings=None):
        scale = 1 if condition == OFF else 10
        phases = ("build", "backward", "free") if task["kind"] == "graph" else ("step",)
        size = task.get("ops", 1)
        return {p: Outcome({f: [scale * place[p] * size * k for k in (1, 1, 1, 1, 50)] for f in phases}) for p in peers}

    def held(task, peers, warm_up, collect=False):
        phases = [["build", 200 * tasks.MEMORY_OPS, 0], ["backward", 240 * tasks.MEMORY_OPS, 0], ["free", 0, 7]]
        steps = [["step", 1000 + 100 * i, 0] for i in range(8)]
        return {p: Outcome(memory={"phases": phases if collect else steps, "garbage": 0}) for p in peers}

    first = Outcome({"made": [0.001, 0.001, 0.9], "drawn": [0.004] * 3})
    levels = {1: first, 2: Outcome({"made": [0.02, 0.02, 0.07], "drawn": [0.011] * 3})}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plan, "measure", measured)
        patched.setattr(plan, "measure_memory", held)
        patched.setattr(plan, "measure_imports", lambda p, rounds: measured({"kind": "import"}, p))
        patched.setattr(plan, "measure_questions", lambda count: levels)
        return plan.run(settings=Settings(longest=math.inf))


def test_ratios_are_of_medians(results):
    """They are not ratios of means, which one slow round would move, nor of the fastest."""
    cell = ("W3", ON_NUMBERS, DEFAULT)
    results = {cell: {"neurons": Outcome({"step": [2, 9, 1]}), "micrograd": Outcome({"step": [70, 8, 90, 10, 9]})}}
    assert report.seconds(results, cell, "neurons") == 2
    assert report.ratio(results, cell, "micrograd", "neurons") == 5
    phases = Outcome({"build": [1, 9, 9], "backward": [9, 1, 2]})  # a run is the sum of its phases in one round
    assert report.seconds({cell: {"neurons": phases}}, cell, "neurons") == 10
    assert report.seconds({cell: {"neurons": phases}}, cell, "neurons", ["backward"]) == 2


def test_targets_match_the_table(results):
    rows = {
        row[1].replace("this engine, ", ""): row[2:] for row in (target.row(results) for target in report.targets())
    }
    for text, measured, verdict in (
        ("every op a node: ≥ 2.4 × as fast as micrograd, default gc", "3", "met"),  # places 3 / 1 and 3 / 2
        ("neurons as nodes: ≥ 4.8 × as fast as micrograd, default gc", "1.50", "**not met**"),
        ("Tensor: ≤ 3 × the time of NumPy by hand, default gc", "0.7", "met"),
        ("every op a node: ≤ 205 bytes per node before backward, chain", "200", "met"),
        ("every op a node: objects that gc finds after del, balanced", "7", "**not met**"),
        ("Tensor: bytes added by each step of training, gc off", "100", "**not met**"),
        ("every op a node: time per node at 10⁶ ≤ 1.4 × that at 10⁴, chain, gc off", "1", "met"),
    ):
        assert rows[text] == [measured, verdict]


def test_report_has_a_row_for_each_peer_in_each_table(results):
    def rows(peer, part):
        return len(re.findall(rf"^\| {re.escape(PEERS[peer].name)} .*$", part, re.MULTILINE))

    text = report.report(results)
    sections = {f"W{part[0]}": part for part in text.split("\n## W")}
    for key in PEERS:
        assert (rows(key, sections["W2"]), rows(key, sections["W3"])) == (1, 2), key  # W3 has a table of memory, too
    assert "in a notebook" in sections["W3"]
    assert plan.peers_of("W1") == ["every op", "micrograd", "PyTorch 0-d", "HIPS floats"]
    for key in plan.peers_of("W1"):
        assert (rows(key, sections["W1"]), rows(key, sections["W6"])) == (2, 4)
    for line in text.splitlines():  # every table is whole
        assert line.count("|") in (0, *range(3, 12)), line


def test_report_names_the_machine_and_has_a_row_for_each_level(results):
    text = report.report({key: value for key, value in results.items() if key[0] in ("W5", "W7")})
    assert environments.processor() in text and platform.python_version() in text and f"{os.cpu_count()} cores" in text
    assert f"numpy {importlib.metadata.version('numpy')}" in text
    assert re.search(r"^- \d{4}-\d\d-\d\d$", text, re.MULTILINE) and "- 7 rounds; 3 where" in text
    assert "## W5" in text and "## W1" not in text
    assert re.search(r"^\| level 2 +\| 20 ms, 70 ms +\| 11 ms, 11 ms", text, re.MULTILINE)
    assert re.search(r"^\| W7 +\| the gym: a question in at most 50 ms.* \| 31 +\| met", text, re.MULTILINE)
    made = measure_questions(2)
    assert list(made) == list(LEVELS) and [each for each in made.values() if len(each.seconds["drawn"]) != 2] == []


def test_slow_engine_is_skipped_at_larger_sizes(monkeypatch):
    slow = {"every op": 1e-6, "micrograd": 1e-3, "PyTorch 0-d": 1e-6, "HIPS floats": 1e-6}
    monkeypatch.setattr(
        plan, "measure", lambda task, peers, *_: {p: Outcome({"build": [slow[p] * task["ops"]]}) for p in peers}
    )
    found = {cell: outcomes["micrograd"].trouble for cell, outcomes in plan.w6(Settings(longest=60))}
    assert found["chain 10000", DEFAULT] == ""
    assert found["chain 100000", DEFAULT] == found["chain 1000000", DEFAULT] == "not run: about 100 s"


def test_figure_without_a_comparison_is_still_reported():
    ok, failed = Outcome({"build": [0.001]}), Outcome(trouble="failed: MemoryError")
    cells = [("W6", f"{shape} {ops}", c) for shape in plan.SHAPES for ops in tasks.SIZES for c in (DEFAULT, OFF)]
    results = {cell: {"every op": failed if "10000" in cell[1].split() else ok} for cell in cells}
    text = "\n".join(report.growth_section(results, "W6"))
    assert text.count("| – (1 µs)") == 4 and text.count("failed: MemoryError") == 4
    cell = ("W2", ON_NUMBERS, DEFAULT)
    assert report.timed({cell: {"every op": failed, "micrograd": ok}}, cell, "micrograd", "every op") == "– (1 ms)"


def test_command_prints_and_writes_the_same_report(monkeypatch, capsys, tmp_path, results):
    chosen = {}

    def run(only, settings, say):
        chosen.update(only=only, settings=settings)
        return {key: value for key, value in results.items() if key[0] in only}

    monkeypatch.setattr(plan, "run", run)
    monkeypatch.setattr("sys.argv", ["benchmarks", "--quick", "--only", "w2,W4", "--markdown", str(tmp_path / "t.md")])
    command.main()
    assert chosen == {"only": ["W2", "W4"], "settings": measure.QUICK}
    assert capsys.readouterr().out == (tmp_path / "t.md").read_text(encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["benchmarks", "--only", "W9"])
    with pytest.raises(SystemExit):
        command.main()
    assert "W9: one of W1, W2, W3, W4, W5, W6, W7, W8" in capsys.readouterr().err


def test_plain_moons_need_no_scikit_learn():
    """The same two half circles: 50 points on each, a noise of .1 away, and half the targets -1."""
    rows, targets = tasks.plain_moons(100)
    assert sorted(targets) == [-1.0] * 50 + [1.0] * 50
    for (x, y), target in zip(rows, targets):
        assert abs(math.dist((x, y), (0, 0) if target < 0 else (1, 0.5)) - 1) < 0.5
        assert y > -0.5 if target < 0 else y < 1.0


def test_worker_loads_only_the_engine():
    code = "import sys; from benchmarks import peers, worker; peers.load('every op'); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert not {"numpy", "torch", "sklearn", "matplotlib", "micrograd", "statistics"} & set(ran.stdout.split())


def test_segments_benchmark_counts_memory_and_runs(monkeypatch):
    monkeypatch.setattr(segments, "LAYERS", 8)
    monkeypatch.setattr(segments, "SEGMENTS", (8, 4, 2))
    found = list(segments.rows(4, 64, rounds=1))
    assert [row[0] for row in found] == ["all is kept", "segments of 4", "segments of 2"]
    assert [row[2] for row in found] == ["0", "4", "6"]
    assert segments.peak(4, 64, 8) > segments.peak(4, 64, 4) > segments.peak(4, 64, 2)


def measured(task, peer, collect=False):
    (outcome,) = measure.measure_memory(task, [peer], task, collect).values()
    assert not outcome.trouble
    return outcome


@pytest.mark.parametrize("shape", plan.SHAPES)
def test_memory_per_node_is_bounded_and_freed(shape):
    """At most 205 for each of 20,000 mixed operations before the backward pass; one float more after it.

    A dropped graph is freed at once, without the cycle collector, which never finds anything.
    """
    outcome = measured(tasks.graph(shape, tasks.MEMORY_OPS), "every op", True)
    results = {("W1", shape, MEMORY): {"every op": outcome}}
    before, after = (report.bytes_per_node(results, shape, "every op", phase) for phase in ("build", "backward"))
    assert before <= 205
    assert before < after <= before + 32
    phases = outcome.memory["phases"]
    assert [phase for phase, _, _ in phases] == ["build", "backward", "free"]
    assert [found for _, _, found in phases] == [0, 0, 0]
    assert phases[-1][1] < 2_000 < phases[0][1] / 100  # bytes: the requested gradients


@pytest.mark.long
@pytest.mark.parametrize("peer", ["every op", "neurons", "Tensor"])
def test_training_uses_constant_memory_without_gc(peer):
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


def test_measurement_detects_a_leak():
    """Cycles add to each step, and the collector finds them; so the zeros above mean something."""
    task = {"kind": "train", "steps": 8}
    try:
        found = worker.memory(Leaky(), {"task": task, "warm_up": task, "collect": False})
    finally:
        gc.enable()
    results = {("W3", ON_NUMBERS, MEMORY): {"micrograd": Outcome(memory=found)}}
    assert report.growth(results, "micrograd") > 50
    assert report.garbage(results, "W3", ON_NUMBERS, "micrograd") == 8
