"""Expressions with fan-out, for several checks."""

import functools
import random
from collections import Counter
from dataclasses import dataclass

from autograd import topological_order
from autograd.dual import Dual, forward_gradient
from exercises.engine_file import parts
from exercises.engines.wrong_engines import engine_with
from exercises.judging.vocabulary import AnswerError, answer, is_close, make_result, needs_functions, stranger, trying

MOST = 4  # operations
FAR_TOO_MANY = 50  # nodes; larger graphs are not followed
Value = engine_with("`.grad += ` → `.grad = `", "engine with = in every rule")


@dataclass(frozen=True)
class Trial:
    """A learner's function at one point: the leaves by name, the result, the true gradients, and what = may leave.

    left: a set of numbers for each leaf, since the number may depend on which consumer is visited last.
    """

    asked: str
    leaves: dict
    root: Value
    right: dict
    left: dict

    def goes_wrong(self, name):
        """Return whether = can leave a leaf with anything but its true gradient."""
        return any(not is_close(left, self.right[name]) for left in self.left[name])

    def row(self, name):
        """Return the row of a leaf: (name, true gradient, what = leaves)."""
        bad = (left for left in self.left[name] if not is_close(left, self.right[name]))
        return f"{name}.grad with =", self.right[name], next(bad, self.right[name])

    def nodes(self):
        """Return the result and all nodes that it depends on, inputs first."""
        return topological_order(self.root)

    def operations(self):
        """Count the operations on the way to the result."""
        return sum(bool(node._prev) for node in self.nodes())

    def shared(self, leaf=None):
        """Return the nodes with several edges to consumers, leaves first; with `leaf`, only those that depend on it."""
        edges = Counter(input for node in self.nodes() for input in node._prev)
        found = [node for node in self.nodes() if edges[node] > 1]
        if leaf is not None:
            found = [node for node in found if self.leaves[leaf] in topological_order(node)]
        return sorted(found, key=lambda node: bool(node._prev))

    def seen(self, says, *rows, because=()):
        names, made = ", ".join(self.leaves), ", ".join(f"Value({leaf.data:g})" for leaf in self.leaves.values())
        return make_result(
            says, *rows, case=f"{names} = {made}\n{self.asked}({names})", graph=self.root, because=because
        )


WHOLE = "Compute with the Values themselves: a plain number has no edge, so no gradient flows back through it."


@functools.cache
def points(count, seed=0):
    """Draw points of `count` coordinates: the first of whole numbers, half of the rest positive, half of any sign."""
    rng = random.Random(4 + seed)
    lattice = [step / 10 for step in range(5, 31)]
    positive = [tuple(rng.sample(lattice, count)) for _ in range(12)]
    signed = [tuple(rng.choice((-1, 1)) * x for x in rng.sample(lattice, count)) for _ in range(12)]
    return ((2, 3, 5)[:count], *positive, *signed)


def trials(asked, function, names, seed):
    """Return the Trials of a learner's function at random points; points outside its domain are left out."""
    needs_functions(**{asked: function})
    found, outside = [], None
    for numbers in points(len(names), seed):
        leaves = {name: Value(x, label=name) for name, x in zip(names, numbers)}
        what = f"your function at {place(leaves)}"
        with trying(what), parts.bound_globals([function], {"Value": Value}):
            try:
                root = answer(function(*leaves.values()), what, object)
                right = slopes(function, numbers, what) if isinstance(root, Value) else ()
            except (ValueError, ArithmeticError) as fault:
                outside = outside or (what, fault)
                continue
        if not isinstance(root, Value):
            said = f"A Value was expected; it returned {stranger(root)}. {WHOLE}"
            raise AnswerError(f"Tested: {what}.", said, kind=f"returned {type(root).__name__}")
        found.append(Trial(asked, leaves, root, dict(zip(names, right)), left_by_equals(leaves, root)))
    if not found:
        with trying(outside[0]):
            raise outside[1]
    return found


def slopes(function, numbers, what):
    """Return the true gradients of a learner's function, by dual numbers. Raise AnswerError if a second run differs."""
    try:
        with parts.bound_globals([function], {"Value": Dual}):
            found = forward_gradient(function, numbers)
            for _ in range(random.Random(str(numbers)).randrange(4)):  # a function with a memory may show now
                function(*map(Dual, numbers))
            again = forward_gradient(function, numbers)
    except AttributeError:  # a Dual has no `data`
        raise AnswerError(f"Tested: {what}.", f"It uses an attribute of a Value, such as `.data`. {WHOLE}") from None
    if not all(map(is_close, found, again)):
        raise AnswerError(
            f"Tested: {what}.", "The same numbers gave two results. Compute everything again in each call."
        )
    return found


def place(leaves):
    return ", ".join(f"{name} = {leaf.data:g}" for name, leaf in leaves.items())


def left_by_equals(leaves, root):
    """Return {name: the numbers that = may leave} for the leaves, over two orders, both of them valid."""
    left = {name: set() for name in leaves}
    if len(topological_order(root)) > FAR_TOO_MANY:
        return left
    for turned in (False, True):  # an operation's last input before its first
        order = []
        visit(root, turned, order)
        run_pass(order[::-1])
        for name, leaf in leaves.items():
            left[name].add(leaf.grad)
    return left


def visit(node, turned, order):
    """Append all nodes that a node depends on to `order`, then the node itself."""
    if node not in order:
        for input in reversed(node._prev) if turned else node._prev:
            visit(input, turned, order)
        order.append(node)


def run_pass(order):
    """Run a backward pass from fresh grads, calling the nodes' rules in this order, the root's first."""
    for node in order:
        node.grad = 0.0
    order[0].grad = 1.0
    for node in order:
        node._backward()


def form(trial):
    """Return (sentence, rows, mistake) for a result's inputs and number of steps; the sentence is "" if both fit."""
    names, count = list(trial.leaves), trial.operations()
    reached = [name for name in names if trial.leaves[name] in trial.nodes()]
    rows = (
        ("inputs that take part", ", ".join(names), ", ".join(reached) or "none"),
        ("operations", f"at most {MOST}", str(count), count <= MOST),
    )
    if missing := [name for name in names if name not in reached]:
        verb = "does" if len(missing) == 1 else "do"
        return f"{' and '.join(missing)} {verb} not reach the result.", rows, "an input is left out"
    if count > MOST:
        return f"That takes {count} operations; at most {MOST} are allowed.", rows, "too many operations"
    return "", rows, ()


def sharing(trial, leaf):
    """Return (which node on the way from a leaf is used more than once, and how; the name of that mistake)."""
    node = trial.shared(leaf)[0]
    name = node.label or f"the result of {node._op}"
    consumers = [each for each in trial.nodes() if node in each._prev]
    if len(consumers) == 1:
        return f"{name} is both inputs of {consumers[0]._op}", "one node on both sides"
    return f"{name} has {len(consumers)} consumers", "a result used twice" if node._prev else "an input used twice"
