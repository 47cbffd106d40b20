"""Checks of lesson 06: a gradient check that works on any engine, dual numbers, and tests that catch mistakes."""

import functools
import random
from collections import Counter
from dataclasses import dataclass

import autograd
from exercises.engines.wrong_engines import WRONG_ENGINES, Engine, post_order
from exercises.judging.grading import answer, exercise, failed, has, kind, outcome, stranger
from exercises.judging.kills import caught
from exercises.judging.matrices import engine_in, numbers
from exercises.sandbox.guard import Trouble, Unfinished, trying
from exercises.verdicts.cases import Case, cases
from exercises.verdicts.seen import equal, seen

# Exercise 1: a gradient check

SMOOTH = "+", "*", "**", "-", "n-v", "v+n", "n*v", "exp", "tanh", "sigmoid"  # no corner: nudging is right everywhere
NUDGES = 1e-3, 2e-3, 5e-4  # so large that a one-sided difference is told from one both ways
TESTED = "M1", "M2", "M4", "M12", "M14", "M15"  # wrong engines whose gradients do not fit their values
DEFAULT = 1e-5  # of epsilon

ONE_INPUT = Case((("a", 1.5),), (("b", "**", ("a", 3)),))
EQUAL_NUMBERS = Case((("a", 2.0), ("b", 2.0)), (("c", "*", ("a", "a")), ("d", "*", ("c", "b"))))
WHOLE_NUMBERS = Case((("a", 2), ("b", -1)), (("c", "**", ("a", 3)), ("d", "*", ("c", "b"))))
UNUSED_INPUT = Case((("a", 1.5), ("b", -0.5)), (("c", "*", ("a", "a")), ("d", "*", ("c", "a"))))
TURNED = Case((("a", 3.0),), (("b", "-", (1.0, "a")), ("c", "*", ("b", "a")), ("d", "*", ("c", "a"))))
ZERO_GRADIENT = Case((("a", 0.0),), (("b", "**", ("a", 3)),))  # where nudging finds ε²
ZERO_SLOPE = Case((("a", 0.0),), (("b", "**", ("a", 3)), ("c", "*", ("a", -0.25)), ("d", "+", ("b", "c"))))  # at ε = ½
CUBE = Case((("a", 0.0),), (("b", "*", ("a", "a")), ("c", "*", ("b", "a")), ("d", "*", ("c", 1e6))))  # nudging: 1e6·ε²


def many_inputs(seed):
    """A Case of five inputs or more, of which only the last is bent; with a nudge of ½ its output is exactly 0 once."""
    rng = random.Random(seed)
    a, inner = rng.choice((0.25, 0.75, 1.5)), [f"x{i}" for i in range(seed % 3 + 2)]
    leaves = ("a", a), ("b", -a - 0.5), *((name, round(rng.uniform(-2, 2), 4)) for name in inner), ("z", 0.0)
    steps = [("s", "+", ("a", "b"))]
    for name in inner:
        steps += [(f"{name}z", "*", (name, "z")), (f"s{name}", "+", (steps[-1][0], f"{name}z"))]
    return Case(leaves, (*steps, ("bend", "**", ("z", 3)), ("out", "+", (steps[-1][0], "bend"))))


class Recorded:
    """The function of a Case, for numbers of any class; it notes how it is called, and whether backward() is."""

    def __init__(self, case):
        self.case = case

    def begin(self, engine):
        """The class to be tested, a subclass of this engine; from here on notes are taken."""

        def backward(root):
            self.passes = "at least once"
            engine.backward(root)

        self.engine = type("Value", (engine,), {"backward": backward})
        self.calls, self.given, self.passes, self.nudged = 0, {}, "never", "no"
        return self.engine

    def __call__(self, *xs):
        self.calls += 1
        if [getattr(x, "data", x) for x in xs] != [number for _, number in self.case.leaves]:
            self.nudged = "yes"
        self.given |= {"Values of `engine`" if isinstance(x, self.engine) else stranger(x): True for x in xs}
        if len(xs) != (takes := len(self.case.leaves)):
            raise TypeError(f"f takes {takes} input{'s' * (takes > 1)}, one by one; it was given {len(xs)}")
        return self.case.compute(xs)[self.case.root]

    def rows(self):
        """What was noted."""
        yield "f was called", "more than once", ("never", "once")[self.calls] if self.calls < 2 else "more than once"
        yield "f was given", "Values of `engine`", ", ".join(self.given) or "nothing"
        yield "f was given a nudged number", "yes", self.nudged
        yield "backward() was called", "at least once", self.passes


@dataclass(frozen=True)
class GradientTest:
    """A call of check_gradients: an engine and its name for the learner, a Case, and ε; none stands for the default."""

    engine: type
    case: Case
    epsilon: float | None
    name: str = ""

    @property
    def numbers(self):
        """The list xs."""
        return [number for _, number in self.case.leaves]

    @functools.cached_property
    def answer(self):
        """The largest difference: backward() of the engine against nudging its output both ways."""
        epsilon, leaves = self.epsilon or DEFAULT, [self.engine(x) for x in self.numbers]
        self.case.compute(leaves)[self.case.root].backward()
        slopes = [(self.output(i, epsilon) - self.output(i, -epsilon)) / (2 * epsilon) for i in range(len(leaves))]
        return max(abs(leaf.grad - slope) for leaf, slope in zip(leaves, slopes))

    def output(self, i, nudge):
        """The number that the engine gives where one leaf is nudged."""
        xs = [x + nudge * (i == k) for k, x in enumerate(self.numbers)]
        return self.case.compute([self.engine(x) for x in xs])[self.case.root].data

    def is_near(self, got):
        """Whether this is the answer, up to the rounding that a nudge enlarges; at 0 there is none."""
        return abs(got - self.answer) <= 1e-9 * (self.answer if self.case is CUBE else max(1.0, self.answer))

    def is_nudged(self, number, now):
        """Whether a number of the list has moved by about a nudge or two; rounding moves it less."""
        return isinstance(now, float) and 0.5 < abs(now - number) / (self.epsilon or DEFAULT) < 2.5

    def text(self):
        """The call as lines of Python."""
        names = ", ".join(name for name, _ in self.case.leaves)
        steps = "\n".join(f"    {line}" for line in self.case.text().splitlines()[1:])
        engine, comment = ("WrongValue", f"  # {self.name}") if self.name else ("Value", "")
        epsilon = f", {self.epsilon:g}" if self.epsilon else ""
        call = f"check_gradients({engine}, f, {self.numbers}{epsilon}){comment}"
        return f"def f({names}):\n{steps}\n    return {self.case.root}\n\n\n{call}"


@functools.cache
def gradient_tests(seed=0):
    """GradientTests: right engines on random Cases, wrong ones where they go wrong, and what is easily overlooked."""
    tests, wrongs = [GradientTest(Engine, ONE_INPUT, 0.5)], [w for w in WRONG_ENGINES if w.id in TESTED]
    for i, case in enumerate(cases(SMOOTH, 16, 6 + seed)):
        epsilon = NUDGES[i % len(NUDGES)]
        tests.append(GradientTest(Engine, case, epsilon))
        failing = (GradientTest(w.engine, case, epsilon, w.name) for w in wrongs)
        if found := next((test for test in failing if test.answer > 1e-2), None):  # each engine serves in its turn
            tests.append(found)
            wrongs.sort(key=lambda w: w.engine is found.engine)
    turned = next(w for w in WRONG_ENGINES if w.id == "M18")
    special = [GradientTest(Engine, case, 1e-3) for case in (EQUAL_NUMBERS, WHOLE_NUMBERS, UNUSED_INPUT)]
    special += [GradientTest(Engine, case, 0.5) for case in (ZERO_GRADIENT, ZERO_SLOPE)]
    special += [GradientTest(Engine, CUBE, epsilon) for epsilon in (None, 1.2345e-8)]
    special += [GradientTest(Engine, many_inputs(seed), 0.5)] if seed else []
    return [*tests, *special, GradientTest(turned.engine, TURNED, 2e-3, turned.name), tests[1], tests[0]]


@exercise(work=300)
def check_gradients(check_gradients, *, seed):
    """`check_gradients(engine, f, xs, epsilon)` is the largest difference between backward() and nudging both ways."""
    tests = gradient_tests(seed)
    functions = {test.case: Recorded(test.case) for test in tests}
    for test in tests:
        f, handed = functions[test.case], test.numbers
        arguments = (f.begin(test.engine), f, handed, *([test.epsilon] if test.epsilon else []))
        what = f"check_gradients of {test.case.root} in {'; '.join(test.case.text().splitlines())}"
        got, raised = outcome(what, check_gradients, *arguments)
        if raised:
            yield failed(raised, test.text())
            continue
        got = answer(got, what)
        is_near, is_moved = test.is_near(got), any(map(test.is_nudged, test.numbers, handed))
        yield seen(
            "The difference is right. This is not:" if is_near else "The largest difference is another one.",
            ("largest difference", test.answer, got, is_near),
            *f.rows(),
            ("xs afterwards", test.numbers, handed),
            case=test.text(),
            graph=test.case.graph,
            because="a nudged number is not put back" if is_moved else (),
        )
    wrongs = sum(bool(test.name) for test in tests)
    return f"Right in {len(tests)} tests, {len(tests) - wrongs} on a right engine and {wrongs} on wrong ones."


# Exercise 2: dual numbers

DUAL_KINDS = "+", "*", "v+n", "v*n", "exp", "tanh"
METHODS = {  # one step each, by the name of its method
    "__add__": ("c", "+", ("a", "b")),
    "__mul__": ("c", "*", ("a", "b")),
    "exp": ("c", "exp", ("a",)),
    "tanh": ("c", "tanh", ("a",)),
}
CONSTANTS = [("c", sign, ("a", n)) for sign in "+*" for n in (2, 0.5, 0, -1)]  # of both kinds of plain number


@dataclass(frozen=True)
class Forward:
    """A Case on dual numbers: `seeds` are the leaves' derivatives; None is left to the class, as for a constant."""

    case: Case
    seeds: tuple

    def run(self, make):
        """The nodes by name, computed on numbers of this class."""
        pairs = zip([number for _, number in self.case.leaves], self.seeds)
        return self.case.compute([make(number) if seed is None else make(number, seed) for number, seed in pairs])

    @functools.cached_property
    def answers(self):
        """{name: dual number} of the course's own."""
        return self.run(autograd.Dual)

    def text(self):
        """The run as lines of Python."""
        pairs = zip([number for _, number in self.case.leaves], self.seeds)
        made = ", ".join(f"Dual({number})" if seed is None else f"Dual({number}, {seed})" for number, seed in pairs)
        names = ", ".join(name for name, _ in self.case.leaves)
        return "\n".join([f"{names} = {made}", *self.case.text().splitlines()[1:]])


@functools.cache
def forwards(seed=0):
    """Forwards: each operation alone, then random expressions, each once for every leaf and once for all together."""
    pair, one = (("a", 0.5), ("b", -1.5)), (("a", 0.5),)
    made = [Forward(Case(pair if "b" in step[2] else one, (step,)), (2.0, 3.0)) for step in METHODS.values()]
    made += [Forward(Case((("a", 3),), (("b", "*", ("a", "a")),)), (1,))]
    made += [Forward(Case(one, (step,)), (2.0,)) for step in CONSTANTS]
    made += [Forward(Case(pair, (METHODS["__mul__"],)), (1.0, None)), Forward(Case(one, (METHODS["tanh"],)), (None,))]
    for case in cases(DUAL_KINDS, 20, 6 + seed):
        n = len(case.leaves)
        made += [Forward(case, tuple(float(i == k) for k in range(n))) for i in range(n)]
        made += [Forward(case, (0.5, -2.0, 3.0)[:n])] if n > 1 else []
    made += [Forward(Case((("a", 0.0),), (METHODS[name],)), (2.0,)) for name in ("exp", "tanh") if seed]
    return [*made, made[0]]


@exercise
def dual(Dual, *, seed):
    """`Dual` carries a derivative through +, *, exp and tanh, for Duals and for plain numbers on the right."""
    if not isinstance(Dual, type):
        raise Trouble("Tested: dual.", f"The class itself was expected, as in check.dual(Dual); it is {kind(Dual)}.")
    tests, unwritten = forwards(seed), [name for name in METHODS if is_unwritten(Dual, name)]
    if unwritten:
        raise Unfinished(f"Still to be written: {', '.join(unwritten)}." if len(unwritten) < len(METHODS) else "")
    for test in tests:
        what = "; ".join(test.text().splitlines())
        nodes, raised = outcome(what, test.run, Dual)
        if raised:
            yield failed(raised, test.text())
            continue
        found = {name: pair_of(node, Dual, what) for name, node in nodes.items()}
        yield seen(verdict_on(test, found), *rows_of(test, found), case=test.text(), graph=test.case.graph)
    return (
        f"Right in {len(tests)} runs of {len({test.case for test in tests})} expressions. Nothing was nudged, so the "
        "derivatives are as exact as the values."
    )


def is_unwritten(Dual, method):
    """Whether a method is as it was in the stub."""
    try:
        with trying(f"{method} of Dual(0.5, 1.0)"):
            Case((("a", 0.5), ("b", 2.0)), (METHODS[method],)).run(lambda number: Dual(number, 1.0))
    except Unfinished:
        return True
    except Trouble:
        pass  # it is met again, and told, where the tests come to it
    return False


def pair_of(node, Dual, what):
    """(value, derivative) of what a learner's class gave; Trouble where that is no Dual of this class."""
    node = answer(node, what, object)
    if not isinstance(node, Dual) or not has(node, "value") or not has(node, "derivative"):
        other = " of another class" if type(node).__name__ == Dual.__name__ else ""
        raise Trouble(f"Tested: {what}.", f"A Dual was expected; it is {kind(node)}{other}.")
    return answer(node.value, f"value in {what}"), answer(node.derivative, f"derivative in {what}")


def rows_of(test, found):
    """What is right and what came, for the value and derivative of each node; the leaves' as they are afterwards."""
    for name, pair in found.items():
        when = " afterwards" if name in dict(test.case.leaves) else ""
        right = test.answers[name]
        yield f"{name}.value{when}", right.value, pair[0]
        yield f"{name}.derivative{when}", right.derivative, pair[1]


def verdict_on(test, found):
    """What is said of a run that is not right."""
    right, (value, derivative) = test.answers[test.case.root], found[test.case.root]
    if not equal(value, right.value):
        return "The value is wrong for this expression."
    if not equal(derivative, right.derivative):
        return "The value is right, the derivative is wrong for this expression."
    return "The result is right. But what it was made of is not what it was."


# Exercise 3: six tests

MOST, ENOUGH = 6, 18
RULES = {  # wrong engines whose mistake is in one rule, and the operation
    "M1": "+",
    "M2": "*",
    "M3": "exp",
    "M4": "tanh",
    "M11": "*",
    "M12": "*",
    "M13": "**",
    "M14": "tanh",
    "M15": "exp",
    "M16": "relu",
    "M17": "relu",
    "M18": "number -",
    "M19": "number /",
}
OVERWRITING, ORDERS, NUMBERS_FIRST = {"M1", "M2", "M3", "M4"}, {"M5", "M6", "M7", "M8"}, {"M18", "M19"}
HIDES = {  # where a wrong rule gives what is right
    "M12": lambda node: node._prev[0].data == node._prev[1].data,
    "M13": lambda node: node._prev[0].data in (0, 1),
    "M14": lambda node: node._prev[0].data == 0,
}


@exercise(compares=False)
def six_tests(six_tests):
    """`six_tests` are at most six tests (f, xs) that catch at least 18 of the twenty wrong engines."""
    return (yield from caught(six_tests, MOST, ENOUGH, blind_spots))


class Traced(Engine):
    """The right engine, whose nodes tell how they were made, and whether `=` in their rule would have been seen."""

    def made(self, data, inputs, op, locals):
        out = super().made(data, inputs, op, locals)
        add, out.comes_second = out._backward, False

        def _backward():
            out.comes_second = any(input.grad for input in inputs) or len(set(inputs)) < len(inputs)
            add()

        out._backward = _backward
        return out

    def renamed(self, op):
        """The same node, with this for its operation."""
        self._op = op
        return self

    def __pow__(self, other):
        out = super().__pow__(other)
        return out if isinstance(other, Engine) else out.renamed("**")

    def __rsub__(self, other):
        return super().__rsub__(other).renamed("number -")

    def __rtruediv__(self, other):
        return super().__rtruediv__(other).renamed("number /")


def orders_of(tests):
    """The nodes of each test's graph on the right engine, inputs first, after a backward pass."""
    made = []
    for f, xs in tests:
        with trying("a test"), engine_in(f, Traced):
            root = f(*map(Traced, numbers(xs)))
            root.backward()
        made.append(post_order(root))
    return made


def blind_spots(tests, away):
    """The names of what lets these wrong engines (ids) get away from all of these tests, the weightiest first."""
    graphs = orders_of(tests)
    nodes = [node for graph in graphs for node in graph if node._prev]
    edges = Counter(input for node in nodes for input in node._prev)
    of_rule = {id: [node for node in nodes if node._op == RULES[id]] for id in away & RULES.keys()}
    used = {id: found for id, found in of_rule.items() if found}
    unused = of_rule.keys() - used.keys()
    relu = [node._prev[0].data for node in nodes if node._op == "relu"]
    single = all(count < 2 for count in edges.values())
    spots = {
        "one operation each": "M9" in away and all(sum(bool(node._prev) for node in graph) < 2 for graph in graphs),
        "nothing is used twice": single and away & OVERWRITING,
        "no result is used twice": not single and away & ORDERS and all(n < 2 or not x._prev for x, n in edges.items()),
        "upstream is always 1": all(node.grad == 1 for node in used.get("M11", [])) and "M11" in used,
        "the rule always comes first": not single
        and any(not any(node.comes_second for node in used[id]) for id in OVERWRITING & used.keys()),
        "numbers that hide a mistake": any(all(map(HIDES[id], used[id])) for id in HIDES.keys() & used.keys()),
        "no gradient arrives": any(all(node.grad == 0 for node in found) for found in used.values()),
        "an operation that no test uses": unused - NUMBERS_FIRST,
        "no number stands on the left": unused >= NUMBERS_FIRST,
        "no number stands before a minus": unused & NUMBERS_FIRST == {"M18"},
        "no number stands before a /": unused & NUMBERS_FIRST == {"M19"},
        "a minus that does not matter": "M18" in used,
        "relu is never used below 0": "M17" in used and min(relu) >= 0,
        "relu is never used at 0": "M16" in used and 0 not in relu,
        "no two equal numbers": "M20" in away and all(len({node.data for node in g}) == len(g) for g in graphs),
    }
    return tuple(name for name, is_so in spots.items() if is_so)
