"""`why`: explain a gradient: the paths that contribute most, what cancels, and which factor made it small.

Paths are counted, not walked: a network of a thousand nodes has millions. The largest are found best first.
"""

import heapq
import html
import itertools
import math
from dataclasses import dataclass

from autograd.errors import messages
from autograd.errors.messages import show
from exercises.explaining.pass_diagnosis import told_apart
from figures.graph.reader import known_slopes, things_of

SHOWN = 3  # paths
FACTORS = 6  # of a path that are written out
ENDS = 4  # factors of 0 that are named


@dataclass(frozen=True)
class Path:
    """A path from a node to the root. product: its contribution. factors: (number, what it is) along it, without 1s."""

    product: float
    factors: tuple
    names: tuple

    def render_text(self):
        """Return the product written out: "2.0000 (x1) × 0.2400 (tanh′) = 0.4800"."""
        factors = [power(list(each)) for _, each in itertools.groupby(self.factors, lambda each: each[0])] or ["1"]
        if len(factors) > FACTORS:
            factors = [*factors[: FACTORS - 1], "…", factors[-1]]
        return f"{' × '.join(factors)} = {show(self.product)}"


@dataclass(frozen=True)
class Why:
    """The explanation of a gradient. paths: the largest; count: how many there are; up, down: their sums, by sign.

    ends: if every path contributes 0, the first factors of 0, counted from the root.
    """

    name: str
    root: str
    gradient: float
    count: int
    up: float
    down: float
    paths: tuple
    ends: tuple = ()

    def sentences(self):
        """Return the explanation in sentences: how many paths, the largest, what cancels, which factor is small."""
        begin = f"∂{self.root}/∂{self.name} is {show(self.gradient)}"
        if not self.count:
            return [f"{begin}: no path leads from {self.name} to {self.root}."]
        if self.count == 1:
            said = [f"{begin}: one path, {self.paths[0].render_text()}."]
        elif self.ends:
            more = [f"{len(self.ends) - ENDS} others"] * (len(self.ends) > ENDS)
            where = f"{' or '.join([*self.ends[:ENDS], *more])}, which {'is' if len(self.ends) == 1 else 'are'} 0"
            return [f"{begin}: each of {many(self.count)} paths brings 0. Going back, they end at {where}."]
        else:
            first = self.paths[0]
            said = [f"{begin}: the sum over {many(self.count)} paths. The largest brings {first.render_text()}."]
        if self.up and self.down and min(self.up, self.down) > 0.1 * max(self.up, self.down):
            rest = self.up - self.down
            whole = abs(rest) < 1e-12 * self.up
            up, down = (show(self.up), show(self.down)) if whole else told_apart(self.up, self.down)
            so = "so they cancel" if whole else f"so they cancel in part, and {show(rest)} is left"
            said.append(f"Some paths bring {up} in all and others -{down}, {so}.")
        it = "it" if self.count == 1 else "this path"
        equal = [list(each) for _, each in itertools.groupby(sorted(self.paths[0].factors), lambda each: each[0])]
        most = max(equal, key=len, default=[])
        small = min(self.paths[0].factors, key=lambda factor: abs(factor[0]), default=None)
        halving = [abs(number) for number, _ in self.paths[0].factors if abs(number) < 0.5]
        if len(most) > 2 and 0 < abs(most[0][0]) < 1:
            number, count = most[0][0], len(most)
            left = abs(number) ** count
            said.append(f"What makes {it} small is {show(number)}, {count} times a factor: they leave {share(left)}.")
        elif len(halving) > 1 and small[0]:
            left = share(math.prod(halving))
            said.append(
                f"{it.capitalize()} is small because of {len(halving)} factors below ½: together they leave {left}."
            )
        elif halving:
            left = "nothing" if small[0] == 0 else share(abs(small[0]))
            said.append(f"What makes {it} small is {small[1]}: it leaves {left}.")
        return said

    @property
    def listed_paths(self):
        """The paths that are worth a list: if there are several, and they contribute something."""
        return self.paths if self.count > 1 and not self.ends else ()

    def __repr__(self):
        more = [f"{i}. {path.render_text()}" for i, path in enumerate(self.listed_paths, 1)]
        return "\n".join([*self.sentences(), *more])

    def _repr_mimebundle_(self, **kwargs):
        said = "".join(f"<p>{html.escape(each)}</p>" for each in self.sentences())
        if self.listed_paths:
            said += (
                "<ol>" + "".join(f"<li>{html.escape(path.render_text())}</li>" for path in self.listed_paths) + "</ol>"
            )
        words = html.escape(f"Why is ∂{self.root}/∂{self.name} = {show(self.gradient)}? Say it yourself first")
        return {
            "text/html": f'<p><label>{words}:<br><input type="text" data-lm-suppress-shortcuts="true" '
            f'style="width:min(40em,100%);font:inherit;padding:.3em"></label></p>'
            f"<details><summary>Then compare</summary>{said}</details>",
            "text/plain": repr(self),
        }


def why(node, root):
    """Explain ∂root/∂node: return a Why, shown after a line for your own sentence.

    node, root: nodes of one graph, of autograd.Value or of your own engine with `data`, `_prev` and `_op`.
    Gradients are computed from the local derivatives, which for your engine come from what its rules pass on; all nodes
    are left unchanged. Raises TypeError if these are not nodes, ValueError if a local derivative is not known.
    """
    for each in (node, root):
        if not hasattr(each, "_prev") or not isinstance(getattr(each, "data", None), int | float):
            raise TypeError(f"why takes two nodes of a graph of numbers, got {messages.described(each)}.")
    things, order = things_of(root), known_slopes(root)
    slopes, inputs, names = ([getattr(each, what) for each in order] for what in ("locals", "inputs", "name"))
    target, last = next((i for i, thing in enumerate(things) if thing is node), None), len(order) - 1
    if target is None:
        if any(thing is root for thing in things_of(node)):
            raise ValueError("why takes the node first and the root second, as in why(w1, loss).")
        return Why(str(getattr(node, "label", "") or "the node"), names[last], 0.0, 0, 0.0, 0.0, ())
    count, gradient = [0] * (last + 1), [0.0] * (last + 1)
    up, down = [0.0] * (last + 1), [0.0] * (last + 1)
    count[last], gradient[last], up[last] = 1, 1.0, 1.0
    for i in range(last, target, -1):
        for input, local in zip(inputs[i], slopes[i]):
            if not count[i]:
                continue
            count[input] += count[i]
            gradient[input] += local * gradient[i]
            higher, lower = (up[i], down[i]) if local >= 0 else (down[i], up[i])
            up[input] += abs(local) * higher if higher else 0.0  # no path of this sign: not inf × 0
            down[input] += abs(local) * lower if lower else 0.0
    largest = best(order, inputs, slopes, names, target)
    ends = [factor(order, inputs, slopes, names, *edge)[1] for edge in zeros(inputs, slopes, target)]
    sums = gradient[target], count[target], up[target], down[target]
    return Why(names[target], names[last], *sums, tuple(largest), tuple(dict.fromkeys(ends)))


def power(equal):
    """Return equal factors that follow each other as text: "0.5000³⁰ (v1 … v59)"."""
    number, what = equal[0]
    if len(equal) == 1:
        return f"{show(number)} ({what})"
    raised = str(len(equal)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    text = f"({show(number)})" if number < 0 else show(number)
    return f"{text}{raised} ({what})" if equal[-1][1] == what else f"{text}{raised} ({what} … {equal[-1][1]})"


def many(count):
    return f"{count:,}" if count < 10**12 else f"about 10^{round(math.log10(count))}"


def share(part):
    return f"{100 * part:.2g} %" if part > 1e-6 else f"next to nothing, {part:.1e} of it"


def best(order, inputs, slopes, names, target):
    """Return the SHOWN largest Paths from the root to a node, best first, using a bound on the rest of each path."""
    reach = [0.0] * len(order)  # the largest product from here to the target
    reach[target] = 1.0
    for i in range(target + 1, len(order)):
        reach[i] = max((abs(slope) * reach[j] for j, slope in zip(inputs[i], slopes[i])), default=0.0)
    last, ties, found = len(order) - 1, itertools.count(0, -1), []  # the deepest of equals first
    waiting = [(-reach[last], next(ties), last, 1.0, ())]
    while waiting and len(found) < SHOWN:
        _, _, i, product, edges = heapq.heappop(waiting)
        if i == target:
            factors = tuple(factor(order, inputs, slopes, names, *edge) for edge in reversed(edges))
            nodes = tuple(names[j] for j, _ in reversed(edges))
            found.append(Path(product, tuple(each for each in factors if each), nodes))
            continue
        for edge, (j, slope) in enumerate(zip(inputs[i], slopes[i])):
            if j >= target and (reach[j] or not reach[last]) and can_reach(reach, inputs, j, target):
                bound = abs(product * slope) * reach[j]
                heapq.heappush(waiting, (-bound, next(ties), j, product * slope, (*edges, (i, edge))))
    return found


def zeros(inputs, slopes, target):
    """Return the edges of slope 0 that every path meets first, going back from the root; [] if a path meets none."""
    feeds = {target}  # the nodes that depend on the target
    for i in range(target + 1, len(inputs)):
        if not feeds.isdisjoint(inputs[i]):
            feeds.add(i)
    found, alive = [], {len(inputs) - 1}
    for i in range(len(inputs) - 1, target, -1):
        for edge, (j, slope) in enumerate(zip(inputs[i], slopes[i])) if i in alive else ():
            if j in feeds and slope == 0:
                found.append((i, edge))
            elif j in feeds:
                alive.add(j)
    return [] if target in alive else found


def can_reach(reach, inputs, i, target):
    """Return whether a path leads from a node to the target, even if its product is 0."""
    if reach[i] or i == target:
        return True
    seen, stack = set(), [i]
    while stack:
        j = stack.pop()
        if j == target:
            return True
        if j not in seen and j > target:
            seen.add(j)
            stack.extend(inputs[j])
    return False


def factor(order, inputs, slopes, names, i, edge):
    """Return (number, what it is) of an edge; None if it is 1 and shows nothing."""
    node, local = order[i], slopes[i][edge]
    op, count = node.op, len(inputs[i])
    if math.isclose(local, 1.0) and op in ("+", "-", "sum", ""):
        return None
    if op == "*" and count == 2:
        other = inputs[i][1 - edge]
        return local, names[other]
    if op == "weighted_sum":
        half = count // 2
        if edge == count - 1:
            return None
        return local, names[inputs[i][edge + half if edge < half else edge - half]]
    if op in ("-", "neg"):
        return local, "the sign of -"
    return local, f"{op}′ at {names[inputs[i][edge]]}"
