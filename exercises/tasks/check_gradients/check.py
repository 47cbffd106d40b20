"""The check of `check_gradients`: the largest difference on right and wrong engines, and how it calls f."""

import functools
import random
from dataclasses import dataclass

from exercises.engines.wrong_engines import WRONG_ENGINES, Engine
from exercises.judging.vocabulary import Case, answer, cases, exercise, failed, make_result, outcome, stranger

SMOOTH = "+", "*", "**", "-", "n-v", "v+n", "n*v", "exp", "tanh", "sigmoid"  # no corner: nudging is right everywhere
NUDGES = 1e-3, 2e-3, 5e-4  # so large that a one-sided difference differs from a central one
TESTED = "M1", "M2", "M4", "M12", "M14", "M15"  # wrong engines whose gradients do not fit their values
DEFAULT = 1e-5  # the default epsilon
ONE_INPUT = Case((("a", 1.5),), (("b", "**", ("a", 3)),))
EQUAL_NUMBERS = Case((("a", 2.0), ("b", 2.0)), (("c", "**", ("b", 3)), ("d", "*", ("a", "c"))))  # only b is bent
WHOLE_NUMBERS = Case((("a", 2), ("b", -1)), (("c", "**", ("a", 3)), ("d", "*", ("c", "b"))))
UNUSED_INPUT = Case((("a", 1.5), ("b", -0.5)), (("c", "*", ("a", "a")), ("d", "*", ("c", "a"))))
TURNED = Case((("a", 3.0),), (("b", "-", (1.0, "a")), ("c", "*", ("b", "a")), ("d", "*", ("c", "a"))))
ZERO_GRADIENT = Case((("a", 0.0),), (("b", "**", ("a", 3)),))  # where nudging finds ε²
ZERO_SLOPE = Case((("a", 0.0),), (("b", "**", ("a", 3)), ("c", "*", ("a", -0.25)), ("d", "+", ("b", "c"))))  # at ε = ½
CUBE = Case((("a", 0.0),), (("b", "*", ("a", "a")), ("c", "*", ("b", "a")), ("d", "*", ("c", 1e6))))  # nudging: 1e6·ε²


def many_inputs(seed):
    """Make a Case of five inputs or more, only the last of them bent; a nudge of ½ makes its output exactly 0 once."""
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
        """Begin to take notes and return the class to test, a subclass of this engine."""

        def backward(root):
            self.passes = "at least once"
            engine.backward(root)

        self.engine = type("Value", (engine,), {"backward": backward})
        self.calls, self.given, self.passes, self.nudged, self.met = 0, {}, "never", "no", set()
        return self.engine

    def __call__(self, *xs):
        self.calls += 1
        if (now := [getattr(x, "data", x) for x in xs]) != [number for _, number in self.case.leaves]:
            self.nudged = "yes"
            self.met.add(f"{now}")
        self.given |= {"Values of `engine`" if isinstance(x, self.engine) else stranger(x): True for x in xs}
        if len(xs) != (takes := len(self.case.leaves)):
            raise TypeError(f"f takes {takes} input{'s' * (takes > 1)}, one by one; it was given {len(xs)}")
        return self.case.compute(xs)[self.case.root]

    def rows(self):
        """Yield the rows for what was noted."""
        yield "f was called", "more than once", ("never", "once")[self.calls] if self.calls < 2 else "more than once"
        yield "f was given", "Values of `engine`", ", ".join(self.given) or "nothing"
        yield "f was given a nudged number", "yes", self.nudged
        yield "backward() was called", "at least once", self.passes
        yield "more nudges than inputs", "", len(self.met) > len(self.case.leaves), True


@dataclass(frozen=True)
class GradientTest:
    """A call of check_gradients: an engine and its name for the learner, a Case, and ε; None means the default."""

    engine: type
    case: Case
    epsilon: float | None
    name: str = ""

    @property
    def numbers(self):
        return [number for _, number in self.case.leaves]

    @functools.cached_property
    def answer(self):
        """The largest difference: backward() of the engine against nudging its output both ways."""
        epsilon, leaves = self.epsilon or DEFAULT, [self.engine(x) for x in self.numbers]
        self.case.compute(leaves)[self.case.root].backward()

        def output(i, nudge):
            xs = [x + nudge * (i == k) for k, x in enumerate(self.numbers)]
            return self.case.compute([self.engine(x) for x in xs])[self.case.root].data

        slopes = [(output(i, epsilon) - output(i, -epsilon)) / (2 * epsilon) for i in range(len(leaves))]
        return max(abs(leaf.grad - slope) for leaf, slope in zip(leaves, slopes))

    def is_near(self, got):
        """Return whether this is the answer, up to the rounding that a nudge enlarges; at 0 there is none."""
        return abs(got - self.answer) <= 1e-9 * (self.answer if self.case is CUBE else max(1.0, self.answer))

    def is_nudged(self, number, now):
        """Return whether a number of the list has moved by about a nudge or two; rounding moves it less."""
        return isinstance(now, float) and 0.5 < abs(now - number) / (self.epsilon or DEFAULT) < 2.5

    def to_source(self):
        """Return the call as lines of Python."""
        names = ", ".join(name for name, _ in self.case.leaves)
        steps = "\n".join(f"    {line}" for line in self.case.to_source().splitlines()[1:])
        engine, comment = ("WrongValue", f"  # {self.name}") if self.name else ("Value", "")
        epsilon = f", {self.epsilon:g}" if self.epsilon else ""
        call = f"check_gradients({engine}, f, {self.numbers}{epsilon}){comment}"
        return f"def f({names}):\n{steps}\n    return {self.case.root}\n\n\n{call}"


@functools.cache
def gradient_tests(seed=0):
    """Return GradientTests: right engines on random Cases, wrong ones where they fail, and special cases."""
    tests, wrongs = [GradientTest(Engine, ONE_INPUT, 0.5)], [w for w in WRONG_ENGINES if w.id in TESTED]
    for i, case in enumerate(cases(SMOOTH, 16, 6 + seed)):
        epsilon = NUDGES[i % len(NUDGES)]
        tests.append(GradientTest(Engine, case, epsilon))
        failing = (GradientTest(w.engine, case, epsilon, w.name) for w in wrongs)
        if found := next((test for test in failing if test.answer > 1e-2), None):  # each engine gets its turn
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
        what = f"check_gradients of {test.case.root} in {'; '.join(test.case.to_source().splitlines())}"
        got, raised = outcome(what, check_gradients, *arguments)
        if raised:
            yield failed(raised, test.to_source())
            continue
        got = answer(got, what)
        is_near, is_moved = test.is_near(got), any(map(test.is_nudged, test.numbers, handed))
        yield make_result(
            "The difference is right, but this is not:" if is_near else "The largest difference is wrong.",
            ("largest difference", test.answer, got, is_near),
            *f.rows(),
            ("xs afterwards", test.numbers, handed),
            case=test.to_source(),
            graph=test.case.graph,
            because="a nudged number is not put back" if is_moved else (),
        )
    wrongs = sum(bool(test.name) for test in tests)
    return f"Right in {len(tests)} tests, {len(tests) - wrongs} on a right engine and {wrongs} on wrong ones."
