"""The tables, as Markdown: ratios of medians, and the engine's targets."""

import itertools
import statistics
from dataclasses import dataclass
from functools import partial

from benchmarks import plan
from benchmarks.environments import machine
from benchmarks.measure import DEFAULT, FULL, IMPORTS, MEMORY, NOTEBOOK, OFF, SLOW
from benchmarks.peers import ON_NUMBERS, PEERS
from benchmarks.plan import NODES, SHAPES
from benchmarks.questions import MOST
from benchmarks.tasks import MEMORY_OPS, OPS, SIZES, STEPS

TITLES = {
    "W1": f"W1: {OPS:,} mixed operations on single numbers",
    "W2": "W2: XOR, 100 epochs of MLP(2, [4, 4, 1]), tanh, the graph built anew each epoch",
    "W3": "W3: two moons, 100 points, one full-batch step of MLP(2, [16, 16, 1]), relu, max-margin loss and L2",
    "W4": "W4: 20 layers of 32 tanh units, batch 16, on arrays, forward and backward",
    "W5": "W5: import in a fresh process",
    "W6": "W6: time per operation as the graph grows: build, backward and free",
    "W7": "W7: a question of the gym, made and drawn",
    "W8": f"W8: {STEPS} steps on arrays: digits, 50 × 64-32-10; moons, 100 × 2-16-1; windows, 64 × 4 letters, 8-64-30",
}
HOW = """\
A figure is how many times as long as the first row's engine this one takes, in the same column; in brackets, its own \
time. Quote the ratios: times belong to the machine. Each engine runs in a fresh process that imports nothing else, on \
one thread, in turn with the others, from the same numbers; figures are medians over rounds, of processor time. An \
engine whose loss or gradients are not the first row's gets no figure. **default gc** is Python as it comes; \
**gc off** is after `gc.disable()`; **in a notebook** is default gc in a process that has imported matplotlib and \
scikit-learn. A step lets go of its graph when it ends. micrograd's recursion limit is raised, and it is given a \
tanh."""
MEMORY_NOTE = f"""\
Memory is taken at {MEMORY_OPS:,} operations. It is what Python's allocator holds (tracemalloc): what PyTorch holds in \
C++ is not in it. A node is an operation; the 16 leaves are not counted."""
GROWTH_NOTE = """\
Memory with gc off, over eight steps on 20 points (on arrays: 60 steps on 100), and what `gc.collect()` finds once all \
is dropped:"""


@dataclass(frozen=True)
class Target:
    """A target of the engine: a figure and its bound."""

    workload: str
    text: str
    figure: object  # results -> float, or None if it was not measured
    at_least: float | None = None
    at_most: float | None = None

    def row(self, results):
        """Return workload, target, measured, met or not."""
        measured = self.figure(results)
        if measured is None:
            return [self.workload, self.text, "not measured", "–"]
        met = measured >= self.at_least if self.at_most is None else measured <= self.at_most
        return [self.workload, self.text, three_digits(measured), "met" if met else "**not met**"]


def faster(workload, peer, other, at_least, condition=DEFAULT):
    """Return the target of being k times as fast as another engine on numbers."""
    text = f"{PEERS[peer].name}: ≥ {at_least:g} × as fast as {PEERS[other].name}, {condition}"
    figure = partial(ratio, cell=(workload, ON_NUMBERS, condition), peer=other, other=peer)
    return Target(workload, text, figure, at_least=at_least)


def no_slower(workload, peer, other, at_most):
    """Return the target of taking at most k times as long as another engine on the same: numbers, or arrays."""
    text = f"{PEERS[peer].name}: ≤ {at_most:g} × the time of {PEERS[other].name}, {DEFAULT}"
    figure = partial(ratio, cell=(workload, PEERS[peer].nodes, DEFAULT), peer=peer, other=other)
    return Target(workload, text, figure, at_most=at_most)


def targets():
    """Yield the targets, in the order in which they are printed."""
    yield faster("W2", "every op", "micrograd", 2.4)
    yield faster("W2", "neurons", "micrograd", 4.8)
    yield faster("W2", "neurons", "PyTorch 0-d", 12)
    yield faster("W3", "every op", "micrograd", 1.5, OFF)
    yield faster("W3", "neurons", "micrograd", 7, OFF)
    yield faster("W3", "neurons", "PyTorch 0-d", 30)
    yield no_slower("W3", "Tensor", "NumPy by hand", 3)
    yield no_slower("W3", "Tensor", "PyTorch arrays", 1)
    name = PEERS["every op"].name
    backward = partial(ratio, peer="every op", other="micrograd", phases=["backward"])
    for condition in (DEFAULT, OFF):
        text = f"{name}: backward through a chain ≤ 1 × the time of micrograd, {condition}"
        yield Target("W1", text, partial(backward, cell=("W1", "chain", condition)), at_most=1)
    for shape in SHAPES:
        text = f"{name}: ≤ 205 bytes per node before backward, {shape}"
        yield Target("W1", text, partial(bytes_per_node, shape=shape, peer="every op", phase="build"), at_most=205)
    for shape in SHAPES:
        text = f"{name}: objects that gc finds after del, {shape}"
        yield Target("W1", text, partial(garbage, workload="W1", part=shape, peer="every op"), at_most=0)
    trained = ("every op", "neurons", "Tensor")
    for peer in trained:
        text = f"{PEERS[peer].name}: objects that gc finds after del"
        yield Target("W3", text, partial(garbage, workload="W3", part=PEERS[peer].nodes, peer=peer), at_most=0)
    for peer in trained:
        text = f"{PEERS[peer].name}: bytes added by each step of training, {OFF}"
        yield Target("W3", text, partial(growth, peer=peer), at_most=0)
    for shape, (condition, most) in itertools.product(SHAPES, ((OFF, 1.4), (DEFAULT, 1.8))):
        text = f"{name}: time per node at 10⁶ ≤ {most} × that at 10⁴, {shape}, {condition}"
        yield Target("W6", text, partial(steepness, shape=shape, condition=condition, peer="every op"), at_most=most)
    yield no_slower("W2", "recorded", "Python by hand", 1.5)
    yield no_slower("W3", "recorded rows", "Python by hand", 1.3)
    for part, as_fast in (("digits", 2.5), ("moons", 2.5), ("windows", 2)):
        cell, name = ("W8", part, DEFAULT), PEERS["recorded Tensor"].name
        figure = partial(ratio, cell=cell, peer="recorded Tensor", other="NumPy by hand")
        yield Target("W8", f"{name}: ≤ 1.2 × the time of NumPy by hand, {part}", figure, at_most=1.2)
        figure = partial(ratio, cell=cell, peer="PyTorch arrays", other="recorded Tensor")
        yield Target("W8", f"{name}: ≥ {as_fast} × as fast as PyTorch, arrays, {part}", figure, at_least=as_fast)
    text = f"the gym: a question in at most {MOST * 1000:g} ms, the median at the slowest level, of making and drawing"
    yield Target("W7", text, slowest_level, at_most=MOST * 1000)


# Figures from the results of plan.run. Each is None if something was not measured.


def seconds(results, cell, peer, phases=None):
    """Return the median over rounds of the time of one run, in some of its phases or in all."""
    outcome = results.get(cell, {}).get(peer)
    if outcome is None or outcome.trouble:
        return None
    chosen = [times for phase, times in outcome.seconds.items() if phases is None or phase in phases]
    return statistics.median(map(sum, zip(*chosen)))


def ratio(results, cell, peer, other, phases=None):
    """Return how many times as long as another a peer takes: the ratio of their medians."""
    times = [seconds(results, cell, key, phases) for key in (peer, other)]
    return None if None in times else times[0] / times[1]


def memory(results, workload, part, peer):
    """Return the answer of worker.memory."""
    outcome = results.get((workload, part, MEMORY), {}).get(peer)
    return None if outcome is None or outcome.trouble else outcome.memory


def bytes_per_node(results, shape, peer, phase):
    """Return the bytes held for each operation of W1 at the end of a phase."""
    measured = memory(results, "W1", shape, peer)
    return measured and {name: held for name, held, _ in measured["phases"]}[phase] / MEMORY_OPS


def garbage(results, workload, part, peer):
    """Return how many objects the cycle collector finds when everything has been dropped."""
    measured = memory(results, workload, part, peer)
    return measured and measured["garbage"] + sum(found for phase, _, found in measured["phases"] if phase == "free")


def growth(results, peer):
    """Return the bytes that a step of W3 adds, the median over the last half of the steps, with the collector off.

    It is not the mean: now and then one of Python's free lists grows once more, which is no growth per step.
    """
    measured = memory(results, "W3", PEERS[peer].nodes, peer)
    if measured is None:
        return None
    held = [held for _, held, _ in measured["phases"]]
    late = held[len(held) // 2 - 1 :]
    return statistics.median(after - before for before, after in itertools.pairwise(late))


def steepness(results, shape, condition, peer, ops=SIZES[-1]):
    """Return the time per operation in a graph of so many, as a multiple of that at 10⁴."""
    large, small = (seconds(results, ("W6", f"{shape} {n}", condition), peer) for n in (ops, 10_000))
    return None if large is None or small is None else (large / ops) / (small / 10_000)


# Text.


def slowest_level(results):
    """Return the median milliseconds of a question at the slowest level."""
    cell = ("W7", "", "")
    return 1000 * max(seconds(results, cell, level) for level in results[cell]) if cell in results else None


def report(results, settings=FULL):
    """Return the whole report, as Markdown."""
    workloads = sorted({workload for workload, _, _ in results})
    rounds = f"{settings.rounds} rounds; {settings.slow_rounds} where one run takes more than {SLOW:g} s"
    blocks = ["# Benchmarks", "\n".join(f"- {line}" for line in [*machine(), rounds]), HOW]
    rows = [target.row(results) for target in targets() if target.workload in workloads]
    if rows:
        blocks += ["## What the engine was to reach", table(["", "target", "measured", ""], rows)]
    for workload in workloads:
        blocks += [f"## {TITLES[workload]}", *SECTIONS[workload](results, workload)]
    return "\n\n".join(blocks) + "\n"


def graph_section(results, workload):
    """Yield W1: for each shape, the time of building and of the backward pass, and memory."""
    phases = ("build", "backward")
    for shape in SHAPES:
        first = next(iter(results[workload, shape, DEFAULT]))
        times = {
            f"{phase}, {condition}": partial(timed, results, (workload, shape, condition), first=first, phases=[phase])
            for phase, condition in itertools.product(phases, (DEFAULT, OFF))
        }
        held = {f"bytes per node after {phase}": partial(bytes_cell, results, shape, phase=phase) for phase in phases}
        found = {"found by gc after del": lambda peer, shape=shape: count(garbage(results, workload, shape, peer))}
        yield peer_table(shape, results[workload, shape, DEFAULT], times | held | found)
    yield MEMORY_NOTE


def training_section(results, workload):
    """Yield W2 to W4: for each kind of node, the time under each condition; and W3's memory."""
    for nodes in NODES:
        conditions = [c for c in (DEFAULT, OFF, NOTEBOOK) if (workload, nodes, c) in results]
        if conditions:
            outcomes = results[workload, nodes, DEFAULT]
            columns = {c: partial(timed, results, (workload, nodes, c), first=next(iter(outcomes))) for c in conditions}
            yield peer_table(f"on {nodes}", outcomes, columns)
    if (workload, ON_NUMBERS, MEMORY) in results:
        yield GROWTH_NOTE
    for nodes in NODES:
        if (workload, nodes, MEMORY) in results:
            columns = {
                "bytes added per step": lambda peer: count(growth(results, peer)),
                "found by gc after del": lambda peer, nodes=nodes: count(garbage(results, workload, nodes, peer)),
            }
            yield peer_table(f"on {nodes}", results[workload, nodes, MEMORY], columns)


def import_section(results, workload):
    """Yield W5: the time of an import."""
    outcomes = results[workload, "", ""]
    columns = {
        "statement": lambda peer: f"`{IMPORTS[peer]}`",
        "time": partial(timed, results, (workload, "", ""), first=next(iter(outcomes))),
    }
    yield peer_table("", outcomes, columns)


def growth_section(results, workload):
    """Yield W6: for each shape and condition, the time per operation at each size, as a multiple of that at 10⁴."""
    yield "Here a figure is a multiple of the same engine's time per operation at 10⁴."

    def growth_cell(shape, condition, ops, peer):
        cell = (workload, f"{shape} {ops}", condition)
        multiple = steepness(results, shape, condition, peer, ops)
        return results[cell][peer].trouble or figure(multiple, seconds(results, cell, peer) / ops)

    for shape, condition in itertools.product(SHAPES, (DEFAULT, OFF)):
        columns = {f"{ops:,} operations": partial(growth_cell, shape, condition, ops) for ops in SIZES}
        yield peer_table(f"{shape}, {condition}", results[workload, f"{shape} {SIZES[0]}", condition], columns)


def step_section(results, workload):
    """Yield W8: the time of each peer's steps, one column per network."""
    columns = {
        part: partial(timed, results, (workload, part, DEFAULT), first="Tensor")
        for part in plan.STEPS
        if (workload, part, DEFAULT) in results
    }
    yield peer_table("", results[workload, next(iter(columns)), DEFAULT], columns)


def question_section(results, workload):
    """Yield W7: for each level, the time to make a question and to draw it, at the median and at worst."""
    yield "No peer makes such questions: here a figure is a time, and the worst is that of the slowest question."
    rows = []
    for level, outcome in results[workload, "", ""].items():
        cells = [f"{duration(statistics.median(each))}, {duration(max(each))}" for each in outcome.seconds.values()]
        rows.append([f"level {level}", *cells])
    yield table(["", "made: median, worst", "drawn: median, worst"], rows)


SECTIONS = {
    "W1": graph_section,
    "W2": training_section,
    "W3": training_section,
    "W4": training_section,
    "W5": import_section,
    "W6": growth_section,
    "W7": question_section,
    "W8": step_section,
}


def timed(results, cell, peer, first, phases=None):
    """Return a cell: how many times as long as the first row's engine, and the time; or what was wrong."""
    trouble = results[cell][peer].trouble
    return trouble or figure(ratio(results, cell, peer, first, phases), seconds(results, cell, peer, phases))


def figure(multiple, s):
    """Return a multiple, or – if there is nothing to compare with, and seconds."""
    return f"{'–' if multiple is None else three_digits(multiple)} ({duration(s)})"


def bytes_cell(results, shape, peer, phase):
    """Return a cell: bytes per node."""
    return "in C++" if "torch" in PEERS[peer].packages else count(bytes_per_node(results, shape, peer, phase))


def peer_table(title, outcomes, columns):
    """Return a table with a row per peer. Trouble that all of its columns share appears once."""
    rows = []
    for peer in outcomes:
        cells = [column(peer) for column in columns.values()]
        if outcomes[peer].trouble and len(set(cells) - {"–"}) == 1:
            cells = [outcomes[peer].trouble, *["–"] * (len(cells) - 1)]
        rows.append([PEERS[peer].name, *cells])
    return table([title, *columns], rows)


def table(header, rows):
    """Return a Markdown table, padded so that it can be read as text."""
    rows = [header, *([text.replace("|", "\\|") for text in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def three_digits(x):
    """Return a figure with three significant digits; a whole one unchanged."""
    return f"{x:,.0f}" if x == round(x) or abs(x) >= 100 else f"{x:.2f}" if 1 <= abs(x) < 10 else f"{x:.3g}"


def count(x):
    """Return a whole number; – if it was not measured."""
    return "–" if x is None else f"{x:,.0f}"


def duration(s):
    """Return seconds in a unit that suits them."""
    for size, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if s >= size:
            return f"{s / size:.3g} {unit}" if s / size < 100 else f"{s / size:,.0f} {unit}"
    return f"{s / 1e-9:.0f} ns"
