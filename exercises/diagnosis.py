"""Which known mistakes give exactly this answer: for a learner's engine, and for a number typed in the step lab."""

import functools
import math
from collections import Counter

from autograd import topological_order
from autograd.again import operation, run_again
from exercises.cases import same
from exercises.verdict import Mistake
from exercises.wrong_engines import WRONG_ENGINES, Engine, SlopesAtZero

PATHS = 20_000  # recursion without an order walks every path from the root; above so many it is not tried

FORGOT_UPSTREAM = Mistake(
    "the upstream gradient forgotten",
    "That adds the local derivative alone. The contribution is local × upstream.",
    "03",
    "Break it: forget the upstream gradient",
)
FORGOT_LOCAL = Mistake(
    "the local derivative forgotten",
    "That adds the upstream gradient as it is. The contribution is local × upstream.",
    "03",
    "Two operations: multiply along the way",
)
REPLACED = Mistake(
    "= instead of +=",
    "That is this edge's contribution alone. It is added to what was there.",
    "04",
    "Break it: = for +=",
)
WRONG_SIGN = Mistake(
    "the sign of a subtraction",
    "The second input of a subtraction has local derivative -1.",
    "03",
    "Common mistakes",
)
AT_ZERO = Mistake(
    "the slope at 0 everywhere",
    "¼ is the sigmoid's slope at 0, and 1 is tanh's: the steepest they have. Elsewhere it is output · (1 - output), or "
    "1 minus the output squared.",
    "10",
    "A product of small numbers",
)
AHEAD = Mistake(
    "one step too far",
    "That is where this gradient ends. At this step one edge adds its contribution; others are still to come.",
)


def explain(root, step):
    """Yield (number, sentence) for what known mistakes give at one backward `Step` of the graph of `root`.

    For `figures.step_through(root, predict=True, explain=exercises.explain)`. Numbers that equal the right one are
    left out; two mistakes that give the same number are both named.
    """
    order, runs = whole_runs(root)
    known = [*slips(order, step), *((grads[step.input], mistake) for mistake, grads in runs[1:])]
    known.append((runs[0][1][step.input], AHEAD) if runs else (math.nan, AHEAD))
    yield from named(known, step.after)


def named(known, right):
    """(number, sentence) for each known mistake whose number is not the right one, each once."""
    known = [(value, mistake) for value, mistake in dict.fromkeys(known) if math.isfinite(value)]
    for value, mistake in known:
        if same(value, right):
            continue
        if mistake is REPLACED and any(m.name.startswith(f"{REPLACED.name} in") and same(v, value) for v, m in known):
            continue  # which rule it is in says more
        sentence = mistake.text()
        yield value, sentence[0].upper() + sentence[1:]


def slips(order, step):
    """(number, Mistake) for mistakes made at this one step, with all steps before it right."""
    before, upstream, op = step.before, step.upstream, step.op
    x, y = order[step.input].data, order[step.node].data
    yield step.contribution, REPLACED
    yield before + step.local, mistake_of("M11") if op == "*" else FORGOT_UPSTREAM
    if op == "-" and step.edge == 1:
        yield before + upstream, WRONG_SIGN
    elif op == "relu":
        yield before + upstream, mistake_of("M16" if x == 0 else "M17")
    else:
        yield before + upstream, FORGOT_LOCAL
    if op == "*":
        yield before + x * upstream, mistake_of("M12")
    elif operation(op) == "**" and order[step.node]._constants:
        yield before + order[step.node]._constants[0] * y * upstream, mistake_of("M13")
    elif op == "tanh":
        yield before + (1 - x * x) * upstream, mistake_of("M14")
    elif op == "exp":
        yield before + x * upstream, mistake_of("M15")


def mistake_of(id):
    """The Mistake of a wrong engine."""
    return next(Mistake.of(wrong) for wrong in WRONG_ENGINES if wrong.id == id)


@functools.lru_cache(maxsize=1)  # a lab asks for each step of one graph
def whole_runs(root):
    """The nodes of a graph in order, and (Mistake, their gradients) of each wrong engine; first the right one's."""
    order = topological_order(root)
    if paths(order) > PATHS:
        return order, []
    runs = []
    known = ((Mistake.of(wrong), wrong.engine) for wrong in WRONG_ENGINES)
    for mistake, engine in [(None, Engine), *known, (AT_ZERO, SlopesAtZero)]:
        try:
            nodes = rebuilt(order, engine)
            nodes[-1].backward()
        except (ArithmeticError, ValueError):
            if mistake is None:
                return order, []
            continue
        runs.append((mistake, [node.grad for node in nodes]))
    return order, runs


def paths(order):
    """The number of paths from the root, the last node, to all nodes."""
    place, count = {node: i for i, node in enumerate(order)}, [0] * len(order)
    count[-1] = 1
    for i in range(len(order) - 1, -1, -1):
        for input in order[i]._prev:
            count[place[input]] += count[i]
    return sum(count)


def rebuilt(order, engine):
    """The same graph computed on another engine: its nodes in order."""
    place, nodes = {node: i for i, node in enumerate(order)}, []
    uses = Counter(input for node in order for input in node._prev)
    for node in order:
        inputs = [nodes[place[input]] for input in node._prev]
        reflected = node._op in ("-", "/") and plain(node._prev[0], node) and uses[node._prev[0]] == 1
        if reflected:
            inputs[0] = node._prev[0].data  # Python asks the second operand: 1 - v is v.__rsub__(1)
        made = run_again(node, inputs) if inputs else engine(node.data, label=node.label)
        if reflected:
            nodes[place[node._prev[0]]] = next(input for input in made._prev if input is not inputs[1])
        nodes.append(made)
    return nodes


def plain(input, node):
    """Whether an input was written as a plain number: a leaf without a label, beside one that is none."""
    return not input._prev and not input.label and node._prev[1] is not input
