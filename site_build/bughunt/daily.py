"""The cases of the day: 52 for each weekday, drawn once and for all from a fixed seed."""

import random

from site_build.bughunt.graphs import NOTHING, STALE, Graph
from site_build.bughunt.layout import placed
from site_build.bughunt.solver import Case, ugliness

SEED, WEEKS = 20260101, 52
MORE_GRAPHS, LEAST = 22, 9  # graphs besides those of the levels; groups of suspects that each must tell apart
COUNTS = (3, 3, 4, 4, 5, 6, 7)  # suspects, from Monday to Sunday
SIZES = ((3, 5), (3, 6), (4, 6), (4, 7), (5, 7), (5, 8), (6, 8))  # the fewest and the most nodes
HIDES = (-1.5, -1.5, -0.3, -0.3, 1.2, 1.2, 1.2)  # how much the day likes opening inputs that hide the culprit
KINDS = (("+", "*"), ("+", "*", "-"), ("+", "*", "relu"), ("*", "+", "**"), ("*", "-", "relu"))
NUMBERS = (-1, 0, 1, 2, 3)
TWO_INPUTS = ("+", "-", "*")
# The operation that each suspect needs: without it in the graph, nobody would suspect this.
NEEDS = {"M1": "+", "M2": "*", "M11": "*", "M12": "*", "H11": "*", "X2": "exp", "M15": "exp", "M13": "**", "H3": "**"}
NEEDS |= {"M14": "tanh", "H6": "tanh", "H4": "log", "M17": "relu", "X3": "relu", "H7": "relu", "H1": "-", "H2": "/"}
NEEDS |= {"X4": "/"}


def random_graph(rng, name):
    """Return a Graph in which every node leads to the last one; None if it does not, or is too large or too wide."""
    ops, leaves, steps = rng.choice(KINDS), rng.choice([2, 2, 3]), rng.choice([3, 4, 4, 5])
    names, lines, used = list("abcdefgh"), [], set()
    for k in range(leaves, leaves + steps):
        op = rng.choice(ops)
        xs = rng.choices(names[:k], [1 if i < leaves else 2 for i in range(k)], k=2)
        if k == leaves + steps - 1:
            xs = ([x for x in names[:k] if x not in used] + xs)[:2]
            rng.shuffle(xs)
        xs = xs if op in TWO_INPUTS else xs[:1]
        if (op == "-" and xs[0] == xs[1]) or (op == "relu" and lines and f"{xs[0]} = relu" in lines[-1]):
            return None
        used.update(xs)
        text = f" {op} ".join(xs) if op in TWO_INPUTS else f"{xs[0]} ** 2" if op == "**" else f"{op}({xs[0]})"
        lines.append(f"{names[k]} = {text}")
    if used != set(names[: leaves + steps - 1]):
        return None
    graph = Graph(name, "; ".join(lines), NUMBERS)
    wide, high = (placed(graph, "TB")[side] for side in "wh")
    at_its_largest = graph.run(NOTHING, dict.fromkeys(graph.leaves, float(NUMBERS[-1])))
    is_small = all(abs(x) < 1000 for pair in at_its_largest.values() for x in pair)
    return graph if is_small and wide <= 380 and high <= 640 else None


def groups(graph, ids):
    """Return the suspects that fit a graph, in groups that no run can separate, one of them with NOTHING."""
    ops = {op for _, op, _ in graph.nodes}
    is_doubled = any(len(inputs) == 2 and inputs[0] == inputs[1] for _, _, inputs in graph.nodes)
    has_plain = any(isinstance(x, float) for _, op, inputs in graph.nodes if op == "*" for x in inputs)
    allowed = {"H8": is_doubled, "H11": has_plain, STALE: False}
    ids = [id for id in ids if NEEDS.get(id, "") in ("", *ops) and allowed.get(id, True)]
    case, alike = Case(graph, NOTHING, ids), {}
    for k, id in enumerate(ids):
        alike.setdefault(tuple(row[k] for row in case.table.values()), []).append(id)
    return list(alike.values())


def pool(graphs, ids):
    """Return seven lists of WEEKS (Case, its first inputs), and all graphs. graphs: those of the levels."""
    rng, graphs = random.Random(SEED), dict(graphs)
    texts = {graph.text for graph in graphs.values()}
    parted = {name: groups(graph, ids) for name, graph in graphs.items()}
    wanted = len(graphs) + MORE_GRAPHS
    while len(graphs) < wanted:
        graph = random_graph(rng, f"g{len(graphs)}")
        if graph and graph.text not in texts and len(found := groups(graph, ids)) >= LEAST:
            texts.add(graph.text)
            graphs[graph.name], parted[graph.name] = graph, found
    days, named = [[] for _ in COUNTS], {}
    while len(days[-1]) < WEEKS:
        for day, cases in enumerate(days):
            cases.append(draw(rng, day, graphs, parted, cases[-12:], named))
    return days, graphs


def draw(rng, day, graphs, parted, lately, named):
    """Return (a Case for a day, its first inputs). named: {(whether late in the week, culprit): how often so far}."""
    count, (least, most) = COUNTS[day], SIZES[day]
    fit = [name for name, graph in graphs.items() if least <= len(graph.nodes) <= most and len(parted[name]) > count]
    while True:
        graph = graphs[rng.choice(fit)]
        guilty = [group for group in parted[graph.name] if NOTHING not in group]
        choice = [id for group in guilty for id in group]
        choice += [STALE] * (day > 2) + [NOTHING] * (rng.random() < 0.25)
        fewest = min(named.get((day > 3, id), 0) for id in choice)
        culprit = rng.choice([id for id in choice if named.get((day > 3, id), 0) <= fewest + 1])
        others = [rng.choice(group) for group in guilty if culprit not in group]
        rng.shuffle(others)
        others.sort(key=lambda id: NEEDS.get(id) is None or NEEDS.get(id) != NEEDS.get(culprit))  # like ones first
        first = [culprit] + [NOTHING] * (culprit != NOTHING and (day > 0 or rng.random() < 0.5))
        first += [STALE] * (STALE not in first and day > 4 and rng.random() < 0.4)
        suspects = [*first, *others[:2], *rng.sample(others[2:], len(others[2:]))][:count]
        if any((case.graph, case.culprit) == (graph, culprit) for case, _ in lately):
            continue
        rng.shuffle(suspects)
        case = Case(graph, culprit, suspects)
        if case.alike() or case.par()[0] > 3:
            continue
        named[day > 3, culprit] = named.get((day > 3, culprit), 0) + 1
        return case, opening(case, HIDES[day], rng)


def opening(case, likes_hiding, rng=None):
    """Return the first inputs of a case: nice ones, which hide the culprit as much as `likes_hiding` says."""

    def cost(at):
        return ugliness(at) / 4 - likes_hiding * case.fitting(at) + (rng.random() / 2 if rng else 0)

    return min(case.graph.grid(), key=cost)
