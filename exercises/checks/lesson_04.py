"""The checks of lesson 04: where = would do, where it would not, and a gradient as the sum over all paths."""

import functools
import math
import random
from collections import Counter
from dataclasses import dataclass

from autograd import topological_order
from autograd.dual import forward_gradient
from exercises.cases import same
from exercises.checks.lesson_02 import needs_functions
from exercises.checks.lesson_03 import rule_fault
from exercises.grading import answer, called, exercise, kind, wrong
from exercises.guard import Trouble, Unfinished, trying
from exercises.verdict import Mistake
from exercises.wrong_engines import Engine, overwriting
from figures.style import number

MOST = 4  # operations
WHOLE = "Compute with the Values themselves: a plain number has no edge, and nothing comes back through it."
BREAK, PATHS = "Break it: = for +=", "Paths and their sum"


class Value(Engine):
    """The engine with = in place of += in every rule. Errors name it as the learner's class."""

    def made(self, data, inputs, op, locals):
        return overwriting(super().made(data, inputs, op, locals), locals)


@dataclass(frozen=True)
class Trial:
    """A learner's function at one point: the leaves by name, the result, the true gradients, and what = may leave.

    left: for each leaf a set of numbers, as that may depend on which consumer is visited last.
    """

    leaves: dict
    root: Value
    right: dict
    left: dict

    def goes_wrong(self, name):
        """Whether = can leave a leaf with anything but its true gradient."""
        return any(not same(left, self.right[name]) for left in self.left[name])

    def rows(self, names):
        """(what, true gradient, what = leaves) for these leaves."""
        bad = {name: next(n for n in self.left[name] if not same(n, self.right[name])) for name in names}
        return [(f"{name}.grad with =", self.right[name], left) for name, left in bad.items()]

    def case(self, function):
        """The trial as lines of Python."""
        names, made = ", ".join(self.leaves), ", ".join(f"Value({shown(leaf.data)})" for leaf in self.leaves.values())
        return f"{names} = {made}\n{function}({names})"

    def operations(self):
        """How many operations were made on the way to the result."""
        return sum(bool(node._prev) for node in topological_order(self.root))

    def shared(self, leaf=None):
        """The nodes with more than one edge to a consumer, leaves first; only those that depend on `leaf`, if given."""
        order = topological_order(self.root)
        edges = Counter(input for node in order for input in node._prev)
        found = [node for node in order if edges[node] > 1]
        if leaf is not None:
            found = [node for node in found if self.leaves[leaf] in topological_order(node)]
        return sorted(found, key=lambda node: bool(node._prev))


def shown(number):
    """A whole number without its .0."""
    return f"{number:g}"


@functools.cache
def points(count):
    """Random points of so many coordinates: the first of whole numbers, half of them positive, the rest of any sign."""
    rng = random.Random(4)
    lattice = [step / 10 for step in range(5, 31)]
    positive = [tuple(rng.sample(lattice, count)) for _ in range(12)]
    signed = [tuple(rng.choice((-1, 1)) * x for x in rng.sample(lattice, count)) for _ in range(12)]
    return ((2, 3, 5)[:count], *positive, *signed)


def trials(function, names):
    """The Trials of a learner's function at random points; points outside its domain are left out."""
    if not callable(function):
        raise Trouble("Tested: your function.", f"A function was expected; this is {kind(function)}.")
    found, outside = [], None
    for numbers in points(len(names)):
        leaves = {name: Value(x, label=name) for name, x in zip(names, numbers)}
        what = f"your function at {place(leaves)}"
        with trying(what):
            try:
                root = answer(function(*leaves.values()), what, object)
                right = dict(zip(names, slopes(function, numbers, what))) if isinstance(root, Value) else {}
            except (ValueError, ArithmeticError) as fault:
                outside = outside or (what, fault)
                continue
        if not isinstance(root, Value):
            said = f"A Value was expected; it returned {kind(root)}. {WHOLE}"
            raise Trouble(f"Tested: {what}.", said)
        found.append(Trial(leaves, root, right, left_by_equals(leaves, root)))
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
    if len(topological_order(root)) > 50:  # far too many operations, and that is what it is told
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


def form_fault(found, names):
    """What is wrong with a function whatever its gradients are, as a `wrong(…)` Verdict; None if nothing is."""
    trial = found[0]
    reached = topological_order(trial.root)
    missing = [name for name in names if trial.leaves[name] not in reached]
    if missing:
        lead = f"{' and '.join(missing)} {'does' if len(missing) == 1 else 'do'} not reach the result."
        said = "Its gradient is 0 with = and with +=, so it shows no difference. Each input must take part."
        return wrong(lead, graph=trial.root, mistakes=[Mistake("an input left out", said)])
    if (count := max(each.operations() for each in found)) > MOST:
        said = "Each +, -, * or function makes one node, and so does each minus sign. Look for a shorter expression."
        lead = f"That takes {count} operations; at most {MOST} are allowed."
        return wrong(lead, mistakes=[Mistake("too many operations", said)])
    return None


def name_of(node):
    """A node as a sentence names it."""
    return node.label or f"The result of {node._op}"


def sharing(trial, leaf):
    """The Mistake that says which node on the way from a leaf is used more than once, and how."""
    node = trial.shared(leaf)[0]
    name, consumers = name_of(node), [n for n in topological_order(trial.root) if node in n._prev]
    if len(consumers) == 1:
        said = (
            f"{name} is both inputs of {consumers[0]._op}: one operation, two edges. "
            "Two contributions arrive, and = keeps the second."
        )
        return Mistake("one node on both sides", said, "04", BREAK)
    if node._prev:
        said = f"{name} has {len(consumers)} consumers, and = keeps the share of one. Leaves behind it are wrong too."
        return Mistake("a result used twice", said, "04", BREAK)
    said = f"{name} has {len(consumers)} consumers. Each sends a contribution, and = keeps one of them."
    return Mistake("an input used twice", said, "04", BREAK)


@exercise
def collect(collecting_add, collecting_multiply, *, engine):
    """The backward rules of + and *, on numbers that are used twice and on grads that hold something already."""
    needs_functions(collecting_add=collecting_add, collecting_multiply=collecting_multiply)
    missing = []
    for sign in "+*":
        try:
            fault = rule_fault(engine.Value, sign, collecting=True)
        except Unfinished:
            missing.append(sign)
            continue
        if fault is not None:  # a Verdict that is wrong counts as False
            return fault
    if len(missing) == 1:
        other = "*" if missing == ["+"] else "+"
        raise Unfinished(f"The rule of {other} is right. That of {missing[0]} is not written yet.")
    if missing:
        raise Unfinished
    return (
        "Both rules, also where something had arrived before. In a + a the input received upstream twice; in a * a it "
        "received 2·a times upstream, the slope of a²."
    )


@exercise
def equals_is_right(function):
    """Whether a function of a, b and c has right gradients where every rule uses =."""
    names = ("a", "b", "c")
    found = trials(function, names)
    if (fault := form_fault(found, names)) is not None:
        return fault
    for trial in found:
        if bad := [name for name in names if trial.goes_wrong(name)]:
            return wrong(
                "With = in every rule this goes wrong.",
                case=trial.case("equals_is_right"),
                graph=trial.root,
                rows=trial.rows(bad),
                mistakes=[sharing(trial, bad[0])],
            )
    if found[0].shared():
        return f"Right with = at {len(found)} points, though a node is used twice: what = loses there is 0."
    return f"Right with = at {len(found)} points. No node has two consumers, so no contribution meets another."


@exercise
def equals_is_wrong(function):
    """Whether a function of a and b has a right a.grad and a wrong b.grad where every rule uses =."""
    names = ("a", "b")
    found = trials(function, names)
    if (fault := form_fault(found, names)) is not None:
        return fault
    bad = {name: next((trial for trial in found if trial.goes_wrong(name)), None) for name in names}
    if bad["a"]:
        trial = bad["a"]
        says = "With = a.grad is wrong too." if bad["b"] else "With = a.grad is wrong, and b.grad is right."
        known = sharing(trial, "a")
        if not bad["b"]:
            known = Mistake("the other way round", "Here a is the one that fans out. It should be b.", "04", BREAK)
        rows = trial.rows([name for name in names if trial.goes_wrong(name)])
        return wrong(says, case=trial.case("equals_is_wrong"), graph=trial.root, rows=rows, mistakes=[known])
    if not bad["b"]:
        return wrong(
            f"With = both gradients are right at all {len(found)} points: nothing is lost.",
            case=found[0].case("equals_is_wrong"),
            graph=found[0].root,
            mistakes=[all_used_once(found[0])],
        )
    trial = bad["b"]
    _, right, left = trial.rows(["b"])[0]
    shorter = " Two operations are enough, by the way." if found[0].operations() > 2 else ""
    return (
        f"At {place(trial.leaves)} the sign = leaves b.grad at {number(left)}, where {number(right)} is right; "
        f"a.grad is right.{shorter}"
    )


def all_used_once(trial):
    """The Mistake of a function in which = loses nothing, though b was to fan out."""
    if any(node._op.startswith("**") for node in topological_order(trial.root)):
        said = "b**2 has one input, so one edge and one contribution. b * b is the same number with two edges."
        return Mistake("a power has one edge", said, "04", "One number, two uses")
    if trial.shared():
        said = "A node is used twice, but what = loses there is 0. Choose an operation that passes something on."
        return Mistake("what is lost is 0", said, "04", BREAK)
    said = "Each node receives one contribution, and then = does what += does."
    return Mistake("no node is used twice", said, "04", "One number, two uses")


X, Y, Z = 2.0, -3.0, 4.0
ALONG = ((Y, 1.0), (1.0, X, 1.0), (X + Z, 1.0))  # the local derivatives from each use of x to the root


def uses(x1, x2, x3):
    """x·y + (x + z)·x with the three uses of x told apart."""
    return x1 * Y + (x2 + Z) * x3


RIGHT = forward_gradient(uses, [X, X, X])  # each use's own gradient is its contribution

ADDED_ALONG = Mistake(
    "added along a path", "Along a path local derivatives multiply. The paths are what is added.", "04", PATHS
)

SLIPS = (
    (
        [sum(path) for path in ALONG],
        Mistake(
            "added along a path", "Along a path local derivatives multiply. The paths are what is added.", "04", PATHS
        ),
    ),
    (
        [RIGHT[0], 2 * X + Z],
        Mistake(
            "two uses taken as one",
            "That is the slope of (x + z) * x as school finds it, two contributions in one. List them one by one.",
            "04",
            PATHS,
        ),
    ),
    (
        [X, X, X + Z],
        Mistake(
            "x * y does not swap",
            "The local derivative of x * y along x is y. The number you used is x itself.",
            "03",
            "Three patterns",
        ),
    ),
    (
        [RIGHT[0], 1.0, RIGHT[2]],
        Mistake(
            "the upstream gradient forgotten",
            "1 is the local derivative of x + z. Go on to the root: the upstream gradient of x + z comes on top.",
            "03",
            "Break it: forget the upstream gradient",
        ),
    ),
    (
        [X * Y, X + Z, (X + Z) * X],
        Mistake(
            "values in place of gradients",
            "Those are the numbers that the nodes hold. A contribution is local derivative × upstream gradient.",
            "03",
            "Two operations: multiply along the way",
        ),
    ),
)


def alike(some, others):
    """Whether two lists hold the same numbers, in any order."""
    return len(some) == len(others) and all(map(same, sorted(some), sorted(others)))


def contributions_fault(contributions):
    """What is wrong with a list of x's contributions, as a `wrong(…)` Verdict; None if nothing is."""
    what = "your list of contributions"
    if not isinstance(contributions, list | tuple):
        raise Trouble(f"Tested: {what}.", f"A list of three numbers was expected; this is {kind(contributions)}.")
    if any(each is ... or each is None for each in contributions):
        raise Unfinished("Put a number in place of each `...` in the list of contributions, then run both cells again.")
    given = [called(lambda each=each: each, what=what) for each in contributions]
    if alike(given, RIGHT):
        return None
    filled = [each for each in given if each]  # a 0 may stand where the learner saw nothing
    known = [mistake for numbers, mistake in SLIPS if alike(filled, numbers)]
    hits = [right for right in RIGHT if any(same(each, right) for each in given)]
    if not known and len(given) <= 3 and any(same(each, sum(RIGHT)) for each in given):
        said = "One of these numbers is x.grad, the sum. What is asked for are the three parts that make it up."
        known = [Mistake("the sum in place of its parts", said, "04", PATHS)]
    if not known and len(hits) == 2 and alike(filled, hits):
        said = "What is there is right, but x has three edges to a consumer. Follow each of them to the root."
        known = [Mistake("a use left out", said, "04", PATHS)]
    verb = "is" if len(hits) == 1 else "are"
    says = [f"{('None', 'One', 'Two', 'All')[len(hits)]} of the three contributions {verb} in your list."]
    if len(given) != 3:
        says.append(f"It holds {len(given)} number{'s' if len(given) != 1 else ''}.")
    return wrong(*says, graph=drawn(), mistakes=known[:2])


def drawn():
    """The graph of x·y + (x + z)·x."""
    x, y, z = Engine(X, label="x"), Engine(Y, label="y"), Engine(Z, label="z")
    f = x * y + (x + z) * x
    f.label = "f"
    return f


@functools.cache
def path_sets(count=30):
    """Random lists of paths, each path a tuple of local derivatives: small ones first, whole numbers and others."""
    rng, found = random.Random(4), []
    whole, tenths = [n for n in range(-4, 5) if n], [n / 10 for n in range(-25, 26) if n]
    for i in range(count):
        numbers = tenths if i % 2 else whole
        lengths = [rng.randint(1, min(4, 2 + i // 3)) for _ in range(min(4, 1 + i // 2))]
        found.append(tuple(tuple(rng.choices(numbers, k=length)) for length in lengths))
    return tuple(found)


def carried(paths):
    """The sum where the product goes on from one path to the next."""
    total, product = 0.0, 1.0
    for path in paths:
        product *= math.prod(path)
        total += product
    return total


WRONG_SUMS = (
    (
        lambda paths: math.prod(paths[-1]),
        Mistake("only the last path is left", "An = where += is meant forgets the paths before it.", "04", BREAK),
    ),
    (
        lambda paths: math.prod(paths[0]),
        Mistake(
            "only the first path is counted",
            "Is there a `return` inside the loop? It ends the loop in its first round.",
        ),
    ),
    (
        lambda paths: sum(map(sum, paths)),
        ADDED_ALONG,
    ),
    (
        lambda paths: math.prod(map(math.prod, paths)),
        Mistake(
            "paths multiplied", "Each path's product is right. The products of several paths are added.", "04", PATHS
        ),
    ),
    (
        lambda paths: math.prod(map(sum, paths)),
        Mistake("sum and product the wrong way round", "Multiply along a path, then add the paths.", "04", PATHS),
    ),
    (
        lambda paths: sum(map(math.prod, paths)) / len(paths),
        Mistake(
            "the mean of the paths",
            "Contributions are added, not averaged: a nudge goes all ways at once.",
            "04",
            PATHS,
        ),
    ),
    (
        carried,
        Mistake(
            "the product goes on from path to path",
            "Each path's product starts at 1 again. Is that line inside the loop?",
        ),
    ),
    (len, Mistake("paths counted", "That is the number of paths. Each counts with its product.", "04", PATHS)),
)


@exercise
def used_three_times(contributions, gradient_from_paths):
    """Whether a list holds x's three contributions, and whether a function adds up the products of random paths."""
    if (fault := contributions_fault(contributions)) is not None:
        return fault
    if not callable(gradient_from_paths):
        given = kind(gradient_from_paths)
        raise Trouble(
            "Tested: gradient_from_paths.", f"A function was expected; this is {given}. Leave out its brackets."
        )
    tests = path_sets()
    right = [sum(map(math.prod, paths)) for paths in tests]
    found = [result(gradient_from_paths, paths) for paths in tests]
    failing = next((i for i, (got, expected) in enumerate(zip(found, right)) if not same(got, expected)), None)
    if failing is None:
        total = " + ".join(map(shown, RIGHT))
        return f"x.grad is {total} = {shown(sum(RIGHT))}; and your sum was right for {len(tests)} random sets of paths."
    known = [mistake for mistaken, mistake in WRONG_SUMS if all(map(same, found, map(mistaken, tests)))]
    known = known or [m for mistaken, m in WRONG_SUMS if same(found[failing], mistaken(tests[failing]))]
    return wrong(
        f"The three contributions are right. The function is not, yet (test {failing + 1} of {len(tests)}).",
        case=call_of(tests[failing]),
        rows=[("gradient", right[failing], found[failing])],
        mistakes=known[:2],
    )


def result(function, paths):
    """What a learner's function gives for lists of its own, which it may change."""
    try:
        return called(function, [list(path) for path in paths], what=call_of(paths))
    except Unfinished:
        text = "The three contributions are right. gradient_from_paths returns nothing yet: it is still missing."
        raise Unfinished(text) from None


def call_of(paths):
    """The call for some paths as Python."""
    return f"gradient_from_paths({[list(path) for path in paths]})"
