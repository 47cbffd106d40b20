"""Checks of lesson 04: rules that add, where = would do and where it would not, a gradient as the sum over paths."""

import functools
import math
import random
from collections import Counter
from dataclasses import dataclass

from autograd import topological_order
from autograd.dual import forward_gradient
from exercises.engines.wrong_engines import Engine, overwriting
from exercises.judging.grading import answer, called, exercise, kind, needs_functions
from exercises.lessons.lesson_03.checks import in_turn, rule_tests
from exercises.sandbox.guard import Trouble, Unfinished, trying
from exercises.verdicts.cases import same
from exercises.verdicts.seen import seen
from figures.page.style import number

# Exercise 1: rules that add


@exercise
def collect(collecting_add, collecting_multiply, *, engine, seed):
    """The backward rules of + and *, on numbers that are used twice and on grads that hold something already."""
    needs_functions(collecting_add=collecting_add, collecting_multiply=collecting_multiply)
    parts = {sign: tuple(rule_tests(each, sign, True, seed) for each in (engine.Value, Engine)) for sign in "+*"}
    yield from in_turn(parts, one_of_two)
    return (
        "Both rules, also where something had arrived before. In a + a the input received upstream twice; in a * a it "
        "received 2·a times upstream, the slope of a²."
    )


def one_of_two(done, missing):
    """The sentence for rules that are not written yet."""
    if done:
        return f"The rule of {done[0]} is right. That of {missing[0]} is not written yet, or returns nothing."
    return (
        "Neither rule is written yet, or both return nothing. Put a rule in place of each `raise`; keep `return out`."
    )


# Exercises 2 and 3: what = does to an expression

MOST = 4  # operations
FAR_TOO_MANY = 50  # so many are not followed any further


class Value(Engine):
    """The engine with = in place of += in every rule. Errors name it as the learner's class."""

    def made(self, data, inputs, op, locals):
        """A node made by an operation, with = in its rule."""
        return overwriting(super().made(data, inputs, op, locals), locals)


@dataclass(frozen=True)
class Trial:
    """A learner's function at one point: the leaves by name, the result, the true gradients, and what = may leave.

    left: for each leaf a set of numbers, as that may depend on which consumer is visited last.
    """

    asked: str
    leaves: dict
    root: Value
    right: dict
    left: dict

    def goes_wrong(self, name):
        """Whether = can leave a leaf with anything but its true gradient."""
        return any(not same(left, self.right[name]) for left in self.left[name])

    def row(self, name):
        """(what, true gradient, what = leaves) for a leaf."""
        bad = (left for left in self.left[name] if not same(left, self.right[name]))
        return f"{name}.grad with =", self.right[name], next(bad, self.right[name])

    def case(self):
        """The trial as lines of Python."""
        names, made = ", ".join(self.leaves), ", ".join(f"Value({shown(leaf.data)})" for leaf in self.leaves.values())
        return f"{names} = {made}\n{self.asked}({names})"

    def nodes(self):
        """All that the result depends on, inputs first, and itself."""
        return topological_order(self.root)

    def operations(self):
        """How many operations were made on the way to the result."""
        return sum(bool(node._prev) for node in self.nodes())

    def shared(self, leaf=None):
        """The nodes with more than one edge to a consumer, leaves first; only those that depend on `leaf`, if given."""
        edges = Counter(input for node in self.nodes() for input in node._prev)
        found = [node for node in self.nodes() if edges[node] > 1]
        if leaf is not None:
            found = [node for node in found if self.leaves[leaf] in topological_order(node)]
        return sorted(found, key=lambda node: bool(node._prev))

    def seen(self, says, *rows, because=()):
        """The Seen of this trial."""
        return seen(says, *rows, case=self.case(), graph=self.root, because=because)


WHOLE = "Compute with the Values themselves: a plain number has no edge, and nothing comes back through it."


def shown(number):
    """A whole number without its .0."""
    return f"{number:g}"


@functools.cache
def points(count, seed=0):
    """Random points of so many coordinates: the first of whole numbers, half of the rest positive, half of any sign."""
    rng = random.Random(4 + seed)
    lattice = [step / 10 for step in range(5, 31)]
    positive = [tuple(rng.sample(lattice, count)) for _ in range(12)]
    signed = [tuple(rng.choice((-1, 1)) * x for x in rng.sample(lattice, count)) for _ in range(12)]
    return ((2, 3, 5)[:count], *positive, *signed)


def trials(asked, function, names, seed):
    """The Trials of a learner's function at random points; points outside its domain are left out."""
    needs_functions(**{asked: function})
    found, outside = [], None
    for numbers in points(len(names), seed):
        leaves = {name: Value(x, label=name) for name, x in zip(names, numbers)}
        what = f"your function at {place(leaves)}"
        with trying(what):
            try:
                root = answer(function(*leaves.values()), what, object)
                right = slopes(function, numbers, what) if isinstance(root, Value) else ()
            except (ValueError, ArithmeticError) as fault:
                outside = outside or (what, fault)
                continue
        if not isinstance(root, Value):
            said = f"A Value was expected; it returned {kind(root)}. {WHOLE}"
            raise Trouble(f"Tested: {what}.", said, kind=f"returned {type(root).__name__}")
        found.append(Trial(asked, leaves, root, dict(zip(names, right)), left_by_equals(leaves, root)))
    if not found:
        with trying(outside[0]):
            raise outside[1]
    return found


def slopes(function, numbers, what):
    """The true gradients of a learner's function, by dual numbers."""
    try:
        return forward_gradient(function, numbers)
    except AttributeError:  # a Dual has no `data`
        raise Trouble(f"Tested: {what}.", f"It takes a part of a Value, such as its `.data`. {WHOLE}") from None


def place(leaves):
    """A point in words: 'a = 2, b = 3'."""
    return ", ".join(f"{name} = {shown(leaf.data)}" for name, leaf in leaves.items())


def left_by_equals(leaves, root):
    """{name: the numbers that = may leave} for each leaf, over two orders, each of them valid."""
    left = {name: set() for name in leaves}
    if len(topological_order(root)) > FAR_TOO_MANY:
        return left
    for turned in (False, True):
        order = []
        visit(root, turned, order)
        backward(order)
        for name, leaf in leaves.items():
            left[name].add(leaf.grad)
    return left


def visit(node, turned, order):
    """Put what a node depends on, then itself, in `order`; `turned`: an operation's last input before its first."""
    if node not in order:
        for input in reversed(node._prev) if turned else node._prev:
            visit(input, turned, order)
        order.append(node)


def backward(order):
    """One backward pass over fresh gradients."""
    for node in order:
        node.grad = 0.0
    order[-1].grad = 1.0
    for node in reversed(order):
        node._backward()


def form(trial):
    """(sentence, rows, name of a mistake) for what a result must be whatever its gradients are; "" where it is that."""
    names, count = list(trial.leaves), trial.operations()
    reached = [name for name in names if trial.leaves[name] in trial.nodes()]
    rows = (
        ("inputs that take part", ", ".join(names), ", ".join(reached) or "none"),
        ("operations", f"at most {MOST}", str(count), count <= MOST),
    )
    if missing := [name for name in names if name not in reached]:
        verb = "does" if len(missing) == 1 else "do"
        return f"{' and '.join(missing)} {verb} not reach the result.", rows, "an input left out"
    if count > MOST:
        return f"That takes {count} operations; at most {MOST} are allowed.", rows, "too many operations"
    return "", rows, ()


def sharing(trial, leaf):
    """(what node on the way from a leaf is used more than once, and how; the name of that mistake)."""
    node = trial.shared(leaf)[0]
    name = node.label or f"the result of {node._op}"
    consumers = [each for each in trial.nodes() if node in each._prev]
    if len(consumers) == 1:
        return f"{name} is both inputs of {consumers[0]._op}", "one node on both sides"
    return f"{name} has {len(consumers)} consumers", "a result used twice" if node._prev else "an input used twice"


@exercise
def equals_is_right(equals_is_right, *, seed):
    """Whether a function of a, b and c has right gradients where every rule uses =."""
    found = trials("equals_is_right", equals_is_right, ("a", "b", "c"), seed)
    for trial in found:
        says, rows, because = form(trial)
        bad = [name for name in trial.leaves if trial.goes_wrong(name)]
        if bad and not says:
            how, because = sharing(trial, bad[0])
            says = f"With = in every rule this goes wrong: {how}."
        yield trial.seen(says, *rows, *map(trial.row, trial.leaves), because=because)
    if found[0].shared():
        return f"Right with = at {len(found)} points, though a node is used twice: what = loses there is 0."
    return f"Right with = at {len(found)} points. No node has two consumers, so no contribution meets another."


@exercise
def equals_is_wrong(equals_is_wrong, *, seed):
    """Whether a function of a and b has a right a.grad and a wrong b.grad where every rule uses =."""
    found = trials("equals_is_wrong", equals_is_wrong, ("a", "b"), seed)
    bad = next((trial for trial in found if trial.goes_wrong("b")), None)
    for trial in found:
        says, rows, because = form(trial)
        if trial.goes_wrong("a") and not says:
            how, because = sharing(trial, "a") if bad else ("b.grad is right", "the other way round")
            says = f"With = a.grad is wrong{':' if bad else ', and'} {how}."
        yield trial.seen(says, *rows, trial.row("a"), because=because)
    says = f"With = both gradients are right at all {len(found)} points: nothing is lost."
    row = "b.grad with =", "wrong somewhere", "wrong somewhere" if bad else "right everywhere"
    yield found[0].seen(says, row, because=() if bad else used_once(found[0]))
    if bad is None:
        return ""
    _, right, left = bad.row("b")
    shorter = " Two operations are enough, by the way." if found[0].operations() > 2 else ""
    where = f"At {place(bad.leaves)} the sign = leaves b.grad at {number(left)}, where {number(right)} is right"
    return f"{where}; a.grad is right.{shorter}"


def used_once(trial):
    """The name of the mistake in a function in which = loses nothing, though b was to fan out."""
    if trial.shared():
        return "what is lost reaches no input"
    powers = [node for node in trial.nodes() if node._op.startswith("**") and node._op != "**-1"]  # which / makes
    is_of_b = any(trial.leaves["b"] in topological_order(node) for node in powers)
    return "a power has one edge" if is_of_b else "no node is used twice"


# Exercise 4: the contributions along three edges, and a gradient from its paths

X, Y, Z = 2.0, -3.0, 4.0


def uses(x1, x2, x3):
    """x·y + (x + z)·x with the three uses of x told apart."""
    return x1 * Y + (x2 + Z) * x3


RIGHT = forward_gradient(uses, [X, X, X])  # each use's own gradient is its contribution


def contributions_test(contributions):
    """The Seen of a list of x's contributions, in any order. A 0 may stand where the learner saw nothing."""
    what = "your list of contributions"
    try:
        listed = answer(contributions, what, (list, tuple, set, frozenset))
    except Trouble:
        said = f"A list of three numbers was expected; this is {kind(contributions)}."
        raise Trouble(f"Tested: {what}.", said) from None
    if any(each is ... or each is None for each in listed):
        raise Unfinished("Put a number in place of each `...` in the list of contributions, then run both cells again.")
    given = [answer(each, what) for each in listed]
    hits = sum(any(same(each, right) for each in given) for right in RIGHT)
    says = (
        f"{('None', 'One', 'Two', 'All')[hits]} of the three contributions {'is' if hits == 1 else 'are'} in your list."
    )
    if len(given) != 3:
        says += f" It holds {len(given)} number{'s' if len(given) != 1 else ''}."
    numbers = sorted(each for each in given if each)
    is_right = len(given) == 3 and all(map(same, sorted(given), sorted(RIGHT)))
    because = "the sum in place of its parts" if numbers and all(same(each, sum(RIGHT)) for each in numbers) else ()
    return seen(
        says, ("what is listed, but for zeros", "one for each edge", numbers, is_right), graph=drawn, because=because
    )


def drawn():
    """The graph of x·y + (x + z)·x."""
    x, y, z = Engine(X, label="x"), Engine(Y, label="y"), Engine(Z, label="z")
    f = x * y + (x + z) * x
    f.label = "f"
    return f


@functools.cache
def path_sets(seed=0, count=30):
    """Random lists of paths, each path a tuple of local derivatives: small ones first, whole numbers and others."""
    rng, found = random.Random(4 + seed), []
    whole, tenths = [n for n in range(-4, 5) if n], [n / 10 for n in range(-25, 26) if n]
    for i in range(count):
        numbers = tenths if i % 2 else whole
        lengths = [rng.randint(1, min(7, 2 + i // 3)) for _ in range(min(6, 1 + i // 2))]
        found.append(tuple(tuple(rng.choices(numbers, k=length)) for length in lengths))
    equal_ones = (
        ((2, 3), (2, 3)),
        ((-1.5,), (4, 0), (-1.5,)),
        ((1, 1), (1,), (1, 1, 1)),
        ((3, 3), (0.1234567, 1.7654321)),
    )
    return (*found, *equal_ones, found[0])


@exercise
def used_three_times(contributions, gradient_from_paths, *, seed):
    """A list that holds x's three contributions, then a function that adds up the products of random paths.

    The list comes first: while it is wrong the function is not looked at.
    """
    test = contributions_test(contributions)
    yield test
    if not test.is_right:
        return ""
    needs_functions(gradient_from_paths=gradient_from_paths)
    for paths in path_sets(seed):
        yield sum_test(gradient_from_paths, paths)
    total = " + ".join(map(shown, RIGHT))
    return f"x.grad is {total} = {shown(sum(RIGHT))}; and your sum was right for {len(path_sets(seed))} sets of paths."


def sum_test(function, paths):
    """The Seen of a learner's function on some paths: what it gives, and what it leaves of the lists."""
    given = [list(path) for path in paths]
    case = f"gradient_from_paths({given})"
    try:
        got = called(function, given, what=case)
    except Unfinished:
        says = "The three contributions are right. gradient_from_paths returns nothing: nothing yet,"
        raise Unfinished(f"{says} or a `return` is missing.") from None
    return seen(
        "The three contributions are right. The function is not, yet.",
        ("gradient", sum(map(math.prod, paths)), got),
        ("the paths afterwards", [list(path) for path in paths], given),
        case=case,
    )
