"""A case: a graph, its culprit and a list of suspects; and proofs about it by trying all inputs."""

import functools
import itertools

from site_build.bughunt.graphs import NOTHING, STALE, seen

MOST = 5  # probes, after which the last square is for a name


class Case:
    """A graph, the true bug, and the ids of all suspects."""

    def __init__(self, graph, culprit, suspects):
        self.graph, self.culprit, self.suspects = graph, culprit, tuple(suspects)
        self.has_stale = STALE in suspects  # then a run depends on earlier runs
        self.table = {tuple(at.values()): tuple(graph.shown(id, at) for id in suspects) for at in graph.grid()}

    def row(self, at):
        """Return what each suspect shows in a first run at these inputs."""
        return self.table[tuple(at[leaf] for leaf in self.graph.leaves)]

    def alike(self):
        """Return the pairs of suspects that show the same at all inputs, even if the same run is repeated."""
        pairs = itertools.combinations(enumerate(self.suspects), 2)
        alike = [(a, b) for (i, a), (j, b) in pairs if all(row[i] == row[j] for row in self.table.values())]
        return [pair for pair in alike if STALE not in pair or self.twice(pair[0]) == self.twice(pair[1])]

    def twice(self, id):
        """Return what a suspect shows in the second of two runs at the same inputs, for all inputs."""
        return [seen(self.graph.runs(id, (at, at))[1]) for at in self.graph.grid()]

    @functools.cached_property
    def probes(self):
        """Inputs, one choice for each way in which a run separates the suspects: the one that best exposes STALE."""
        best = {}
        for at in self.graph.grid():
            row = self.row(at)
            parted = tuple(row.index(each) for each in row)
            wakes = sum(grad != "0" for grad in self.graph.shown(NOTHING, at)) if self.has_stale else 0
            if parted not in best or wakes > best[parted][0]:
                best[parted] = wakes, at
        return [at for _, at in best.values()]

    def parts(self, alive, history, at):
        """Return the remaining suspects, grouped by what they show at some inputs after earlier runs."""
        groups = {}
        for i in alive:
            shown = seen(self.graph.runs(self.suspects[i], (*history, at))[-1]) if self.has_stale else self.row(at)[i]
            groups.setdefault(shown, []).append(i)
        return list(groups.values())

    def worst(self, alive=None, history=(), limit=MOST):
        """Return how many runs the best strategy needs in the worst case, for any culprit; None if above the limit."""
        alive = tuple(range(len(self.suspects))) if alive is None else alive
        if len(alive) == 1:
            return 0
        best = None
        for at in self.probes if limit else ():
            parts = self.parts(alive, history, at)
            is_first_of_two = not history and STALE in [self.suspects[i] for i in alive]
            room = (limit if best is None else best - 1) - 1
            if (len(parts) == 1 and not is_first_of_two) or room < 0:
                continue
            needs = [self.worst(tuple(part), (*history, at) if self.has_stale else (), room) for part in parts]
            if None not in needs:
                best = 1 + max(needs)
        return best

    def par(self):
        """Return (the fewest runs after which only the culprit fits, such runs); raise ValueError if there are none."""
        for count in range(1, MOST + 1):
            ordered = itertools.product(self.probes, repeat=count)
            for ats in ordered if self.has_stale else itertools.combinations(self.probes, count):
                if self.settled(ats):
                    return count, ats
        raise ValueError(f"{self.graph.name}: no {MOST} runs leave {self.culprit} alone of {self.suspects}")

    def settled(self, ats):
        """Return whether these runs leave only the culprit."""
        shown = {id: [*map(seen, self.graph.runs(id, ats))] for id in self.suspects}
        return all(shown[id] != shown[self.culprit] for id in self.suspects if id != self.culprit)

    def fitting(self, at):
        """Return how many suspects show the same as the culprit in a first run at these inputs."""
        row = self.row(at)
        return sum(each == row[self.suspects.index(self.culprit)] for each in row)

    def telling(self, ats):
        """Return the inputs at which the culprit shows best: wrong in the fewest nodes, with small numbers."""
        if self.culprit in (NOTHING, STALE):
            return ats[0]

        def unclear(at):
            right, got = (self.graph.shown(id, at) for id in (NOTHING, self.culprit))
            return sum(one != other for one, other in zip(right, got)) or 99, ugliness(at)

        return min(self.graph.grid(), key=unclear)


def ugliness(at):
    """Return how hard inputs are to read: small positive numbers that differ are best, and all 0 is worst."""
    numbers = list(at.values())
    twins, negative = len(numbers) - len(set(numbers)), sum(x < 0 for x in numbers)
    return sum(map(abs, numbers)) + 4 * numbers.count(0) + 2 * twins + 1.5 * negative + 99 * (not any(numbers))
