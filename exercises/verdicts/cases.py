"""`Case`: a small expression as data, which any number class can compute; and random ones that tell engines apart."""

import functools
import itertools
import random
from dataclasses import dataclass

from autograd import Value, operations, topological_order
from autograd.dual import forward_gradient

TOLERANCE = 1e-9

OPERATIONS = operations.RUN  # for any class of numbers with these operators and methods
FLOATS = OPERATIONS | {row.name: operations.on_floats(row)[0] for row in operations.ROWS if not row.sign}

# The kinds of random steps: an operation, and letters for its operands: n a plain number, k an exponent, v a node
# (w: one that is not 0, 1 or -1; z: 0; m: below 0; l: between 0 and 1).
KINDS = {
    "+": ("+", "vv"),
    "*": ("*", "vv"),
    "**": ("**", "wk"),
    "-": ("-", "vv"),
    "/": ("/", "vv"),
    "neg": ("neg", "v"),
}
KINDS |= {kind: (sign, kind.replace(sign, "")) for sign in "+*-/" for kind in (f"v{sign}n", f"n{sign}v")}
ALL = (*KINDS, "exp", "log", "tanh", "sigmoid", "relu")
KINDS |= {name: (name, "v") for name in operations.FUNCTIONS}
KINDS |= {"relu at 0": ("relu", "z"), "relu below 0": ("relu", "m"), "relu below 1": ("relu", "l")}
FITS = {
    "v": lambda x: True,
    "w": lambda x: abs(x) not in (0, 1),
    "z": lambda x: x == 0,
    "m": lambda x: x < 0,
    "l": lambda x: 0 < x < 1,
}

LATTICE = [step / 2 for step in range(-6, 7)]  # few numbers, so that equal ones and 0 occur often
NUMBERS, EXPONENTS = (2.0, -1.0, 0.5, 3.0), (2, 3, -1, 2)
TRIALS = 3000  # attempts at a Case, before a shorter one is tried
LARGEST = 30.0  # no value is larger, so differences of 1e-9 are far above rounding


@dataclass(frozen=True)
class Case:
    """Leaves, as (name, number), and steps, as (name, operation, operands); an operand is a name or a plain number."""

    leaves: tuple
    steps: tuple

    def compute(self, numbers, operations=OPERATIONS):
        """Return {name: result} for these leaves, in the order of the steps."""
        known = dict(zip([name for name, _ in self.leaves], numbers, strict=True))
        for name, operation, operands in self.steps:
            known[name] = operations[operation](*(known[o] if isinstance(o, str) else o for o in operands))
        return known

    def run(self, make):
        """Return the nodes by name, computed on `make(number)` for each leaf."""
        return self.compute([make(number) for _, number in self.leaves])

    @property
    def root(self):
        """The name of the last step."""
        return self.steps[-1][0]

    @property
    def value(self):
        """The root's value, by plain floats."""
        return self.compute([number for _, number in self.leaves], FLOATS)[self.root]

    def gradients(self):
        """Return {leaf: ∂root/∂leaf}, by dual numbers."""
        slopes = forward_gradient(lambda *xs: self.compute(xs)[self.root], [number for _, number in self.leaves])
        return dict(zip([name for name, _ in self.leaves], slopes))

    def graph(self):
        """Return the root of the same graph made of autograd's Values, labelled, for a drawing."""
        nodes = self.run(Value)
        for name, node in nodes.items():
            node.label = name
        return nodes[self.root]

    def to_source(self):
        """Return the case as lines of Python."""
        names = ", ".join(name for name, _ in self.leaves)
        made = ", ".join(f"Value({number})" for _, number in self.leaves)
        return "\n".join(
            [f"{names} = {made}", *(f"{name} = {format_operation(op, of)}" for name, op, of in self.steps)]
        )


def format_operation(operation, operands):
    """Return one operation as Python: 'a + b', '-a', 'a**2', 'a.tanh()', 'a[[1, 0]]'."""
    if operation == "[]":
        return f"{operands[0]}[{list(operands[1])}]"
    if operation == "neg":
        return f"-{operands[0]}"
    if operation == "**":
        return f"{operands[0]}**{operands[1]}"
    if len(operands) == 2:
        return f"{operands[0]} {operation} {operands[1]}"
    return f"{operands[0]}.{operation}()"


@functools.cache
def cases(kinds=ALL, count=24, seed=0):
    """Return `count` random Cases in a tuple, small ones first; kinds of operation take turns, so none is left out.

    The only exception is a kind that is useless with the others: relu at 0 with nothing but products.
    """
    rng, other = random.Random(seed), random.Random(seed)
    wanted = [*kinds, *(("relu at 0", "relu below 0", "relu below 1") if "relu" in kinds else ())]
    wanted = [kind for kind in wanted if any(attempt(other, kinds, 1, [kind]) for _ in range(TRIALS))]
    turns = itertools.cycle(rng.sample(wanted, len(wanted)))
    made, apart = [], []
    for i in range(count):
        length = min(8, 3 + i)
        made.append(random_case(rng, kinds, length, [next(turns) for _ in range(min(2, (length - 1) // 2))], apart))
    return tuple(made)


def random_case(rng, kinds, length, featured, apart):
    """Return a Case of at most three leaves and `length` steps. Every leaf reaches the root.

    Each featured kind occurs, has a gradient to pass on, and is followed by a step that uses its result and, once
    more, its input: there a second contribution arrives before its own. apart: lists of kinds for which no common Case
    was found; for a list that is in it twice, only the first kind is featured.
    """
    featured = featured[:1] if apart.count(featured) > 1 else featured
    trials_before_giving_up = TRIALS if any(KINDS[kind][1] == "vv" for kind in kinds) else TRIALS // 30
    for trial in itertools.count():  # shorter, if so many steps of these kinds never stay in range
        if trial == trials_before_giving_up == TRIALS:
            apart.append(featured)
        case = attempt(
            rng,
            kinds,
            max(1, length - trial // trials_before_giving_up),
            featured if trial < trials_before_giving_up else featured[:1],
        )
        if case is not None:
            return case


def attempt(rng, kinds, length, featured):
    """Return a random Case; None if a number leaves its domain, or the root ignores a leaf or a featured step."""
    leaves = [(name, rng.choice(LATTICE)) for name in "abc"[: rng.choice((1, 2, 2, 3, 3))]]
    if "relu at 0" in featured:
        leaves[-1] = (leaves[-1][0], 0.0)
    values, unused, steps, marked = dict(leaves), [name for name, _ in leaves], [], []
    joins = [kind for kind in kinds if KINDS[kind][1] == "vv"]
    parts = [[("feature", kind), *([("join", rng.choice(joins))] if joins else [])] for kind in featured]
    parts += [[("", rng.choice(kinds))] for _ in range(length - sum(map(len, parts)))]
    rng.shuffle(parts)
    for role, kind in itertools.chain(*parts):
        operation, pattern = KINDS[kind]
        name = "defghijk"[len(steps)]
        if role == "join" and (again := [o for o in steps[-1][2] if isinstance(o, str)]):
            operands = rng.sample([steps[-1][0], rng.choice(again)], 2)
        else:
            operands = [operand(rng, place, values, unused) for place in pattern]
        try:
            numbers = [values[o] if isinstance(o, str) else o for o in operands]
            value = FLOATS[operation](*numbers)
        except (KeyError, ValueError, ZeroDivisionError, OverflowError):
            return None
        if abs(value) > LARGEST or steep(operation, numbers):
            return None
        values[name] = value
        marked += [name] if role == "feature" else []
        unused = [*(known for known in unused if known not in operands), name]
        steps.append((name, operation, tuple(operands)))
    case = Case(tuple(leaves), tuple(steps))
    return case if len(unused) == 1 and matters(case, marked) else None


def operand(rng, place, values, unused):
    """Return an operand for a place of a pattern: a number, or a known name, often one that nothing has used yet."""
    if place in "nk":
        return rng.choice(NUMBERS if place == "n" else EXPONENTS)
    pool = [name for name in (unused if rng.random() < 0.6 else values) if FITS[place](values[name])]
    return rng.choice(pool) if pool else "none that fits"


def matters(case, names):
    """Return whether each of these results has a gradient, neither 0 nor huge, and an input that passes it on."""
    nodes = case.run(Value)
    nodes[case.root].backward()
    if not all(1e-3 < abs(nodes[name].grad) < 1e3 for name in names):
        return False
    leaves = [nodes[leaf] for leaf, _ in case.leaves]
    for name in names:
        for input in nodes[name]._prev:
            input.backward(reset="all")
            if any(leaf.grad for leaf in leaves if leaf in topological_order(input)):
                break
        else:
            return False
    return True


def steep(operation, numbers):
    """Return whether an operation's derivative is so large there that rounding would show."""
    divisor = {"/": numbers[-1], "log": numbers[0], "**": numbers[0] if numbers[-1] == -1 else 1.0}.get(operation, 1.0)
    return abs(divisor) < 0.1


def is_close(got, expected):
    """Return whether two numbers agree up to float noise: to 1e-9, relative to the expected one if that is above 1."""
    return abs(got - expected) <= TOLERANCE * max(1.0, abs(expected))
