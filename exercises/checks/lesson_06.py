"""The checks of lesson 06: a gradient check that works on any engine, dual numbers, and tests that catch mistakes."""

import functools
import math
import operator
from collections import Counter

from autograd.dual import forward_gradient
from exercises.cases import FLOATS, cases, same
from exercises.grading import answer, exercise, kind, wrong
from exercises.guard import Trouble, Unfinished, trying
from exercises.kill_matrix import kill_matrix
from exercises.verdict import Mistake
from exercises.wrong_engines import WRONG_ENGINES, Engine, post_order

CHECK, DUALS, SUITES = "Nudge and compare", "Carry the slope along", "Break it: tests that miss ="
KINK = "How small may ε be?"

# The gradient check

SMOOTH = "+", "*", "**", "-", "n-v", "v+n", "n*v", "exp", "tanh", "sigmoid"  # no corner: nudging is right everywhere
NUDGES = 1e-3, 2e-3, 5e-4  # so large that a one-sided difference is told from one both ways
TESTED = "M1", "M2", "M4", "M12", "M14", "M15"  # wrong engines that a gradient check is run on


def output(engine, case, numbers):
    """The number that an engine gives for a Case with these leaves."""
    return case.compute([engine(number) for number in numbers])[case.root].data


def true_output(case, numbers):
    """The same by plain floats."""
    return case.compute(numbers, FLOATS)[case.root]


def gradients(engine, case, numbers):
    """What an engine's backward pass gives for a Case with these leaves."""
    leaves = [engine(number) for number in numbers]
    case.compute(leaves)[case.root].backward()
    return [leaf.grad for leaf in leaves]


def true_gradients(case, numbers):
    """The same by dual numbers."""
    return forward_gradient(lambda *xs: case.compute(xs)[case.root], numbers)


def moved(numbers, i, by):
    """The numbers with one of them changed."""
    return [*numbers[:i], numbers[i] + by, *numbers[i + 1 :]]


def central(out, numbers, epsilon):
    """Slopes by nudging both ways."""
    return [
        (out(moved(numbers, i, epsilon)) - out(moved(numbers, i, -epsilon))) / (2 * epsilon)
        for i in range(len(numbers))
    ]


def left_behind(stay, out, numbers, epsilon):
    """Central differences in which a nudged number stays where its last nudge put it: `stay` times ε away."""
    found, at = [], list(numbers)
    for i in range(len(at)):
        found.append((out(moved(at, i, epsilon)) - out(moved(at, i, -epsilon))) / (2 * epsilon))
        at[i] += stay * epsilon
    return found


def one_way(way, out, numbers, epsilon):
    """Slopes by nudging one way only, up (1) or down (-1)."""
    base = out(numbers)
    return [(out(moved(numbers, i, way * epsilon)) - base) / (way * epsilon) for i in range(len(numbers))]


def scaled(factor):
    """Central differences times a factor that depends on ε."""

    def slopes(out, numbers, epsilon):
        return [slope * factor(epsilon) for slope in central(out, numbers, epsilon)]

    return slopes


def with_slopes(slopes):
    """A check that finds its slopes by nudging in this way."""

    def check(out, grads, numbers, epsilon):
        return max(abs(g - s) for g, s in zip(grads, slopes(out, numbers, epsilon)))

    return check


def with_verdict(verdict):
    """A check that makes this of the pairs of a gradient and a slope."""

    def check(out, grads, numbers, epsilon):
        return verdict(list(zip(grads, central(out, numbers, epsilon))))

    return check


ONE_SIDED = Mistake(
    "nudged one way only",
    "(f(x + ε) - f(x)) / ε is off by about ε times the curvature. Nudge both ways, and divide by the distance, 2ε.",
    "06",
    CHECK,
)
DIVIDED = Mistake(
    "divided by the wrong length",
    "From x - ε to x + ε it is 2ε. The change between the two is divided by (2 * epsilon), with the brackets.",
    "06",
    CHECK,
)
NOT_RESTORED = Mistake(
    "a nudged number is not put back",
    "From the second input on, nudging starts from another point. Change one number at a time, and a copy of the list.",
    "01",
    "Break it: nudge and not put back",
)
ONE_INPUT = Mistake(
    "one input stands for all",
    "An engine can be right for one input and wrong for another. Compare every one, and keep the largest difference.",
    "06",
    CHECK,
)
OWN_CLASS = Mistake(
    "the engine that was handed over is not used",
    "It makes its leaves with a class of its own. The engine to be tested comes as an argument: engine(x).",
    "06",
    CHECK,
)

CHECK_MISTAKES = (  # (a gradient check with a mistake in it, the mistake)
    (with_slopes(functools.partial(one_way, 1)), ONE_SIDED),
    (with_slopes(functools.partial(one_way, -1)), ONE_SIDED),
    (with_slopes(scaled(lambda epsilon: 2)), DIVIDED),
    (with_slopes(scaled(lambda epsilon: epsilon * epsilon)), DIVIDED),  # / 2 * epsilon
    (with_slopes(scaled(lambda epsilon: 2 * epsilon)), DIVIDED),  # not divided at all
    (with_slopes(functools.partial(left_behind, -1)), NOT_RESTORED),
    (with_slopes(functools.partial(left_behind, 1)), NOT_RESTORED),
    (
        with_slopes(lambda out, numbers, epsilon: [0.0] * len(numbers)),
        Mistake(
            "the graph was not made anew",
            "Its result was worked out before the nudge and does not change when a leaf's `data` does. "
            "Every nudge needs new leaves and another call of f.",
            "06",
            CHECK,
        ),
    ),
    (
        lambda out, grads, numbers, epsilon: max(map(abs, central(out, numbers, epsilon))),
        Mistake(
            "no backward pass reached these leaves",
            "All their gradients are 0. Call backward() on the result, and read `grad` from the leaves that made it.",
            "06",
            CHECK,
        ),
    ),
    *(
        (
            with_verdict(lambda pairs, sign=sign: max(sign * (g - s) for g, s in pairs)),
            Mistake(
                "the sign is kept",
                "A gradient that is too small gives a negative difference, and that passes for the smallest. "
                "Take abs(…) of each.",
                "06",
                CHECK,
            ),
        )
        for sign in (1, -1)
    ),
    (
        with_verdict(lambda pairs: sum(abs(g - s) for g, s in pairs)),
        Mistake("the differences are added", "The largest of them was asked for: max, not sum.", "06", CHECK),
    ),
    (
        with_verdict(lambda pairs: sum(abs(g - s) for g, s in pairs) / len(pairs)),
        Mistake(
            "the differences are averaged",
            "Among a thousand right gradients one wrong one would not show. Keep the largest difference.",
            "06",
            CHECK,
        ),
    ),
    (
        with_verdict(lambda pairs: max(abs(abs(g) - abs(s)) for g, s in pairs)),
        Mistake(
            "sizes are compared",
            "A gradient with the wrong sign has the right size. Take abs(…) of the difference, not of its parts.",
            "06",
            CHECK,
        ),
    ),
    (
        with_verdict(lambda pairs: max(abs(g - s) / max(abs(g), abs(s), 1e-300) for g, s in pairs)),
        Mistake(
            "a share in place of a difference",
            "That is the difference as a part of the gradient. A good choice, but here the difference itself is asked.",
            "06",
            CHECK,
        ),
    ),
    (with_verdict(lambda pairs: abs(pairs[0][0] - pairs[0][1])), ONE_INPUT),
    (with_verdict(lambda pairs: abs(pairs[-1][0] - pairs[-1][1])), ONE_INPUT),
    (with_verdict(lambda pairs: min(abs(g - s) for g, s in pairs)), ONE_INPUT),
    (
        lambda out, grads, numbers, epsilon: with_slopes(central)(out, grads, numbers, 1e-5),
        Mistake(
            "epsilon is not used",
            "It nudges by 1e-5, whatever `epsilon` says. Whoever calls it must be able to choose.",
            "06",
            KINK,
        ),
    ),
)


@functools.cache
def gradient_tests():
    """(engine, Case, ε, true answer): right engines on random Cases, and wrong ones on Cases where they go wrong."""
    right = with_slopes(central)
    tests, wrongs = [], [w.engine for w in WRONG_ENGINES if w.id in TESTED]
    for i, case in enumerate(cases(SMOOTH, 24, 6)):
        numbers, epsilon = [number for _, number in case.leaves], NUDGES[i % len(NUDGES)]
        out = functools.partial(true_output, case)
        tests.append((Engine, case, epsilon, right(out, true_gradients(case, numbers), numbers, epsilon)))
        for engine in wrongs:
            out = functools.partial(output, engine, case)
            found = right(out, gradients(engine, case, numbers), numbers, epsilon)
            if found > 1e-2:  # this engine fails the check here, and each serves once or twice
                tests.append((engine, case, epsilon, found))
                wrongs = [*(w for w in wrongs if w is not engine), engine]
                break
    return tests


def as_call(case, engine, epsilon):
    """A gradient check of a Case as lines of Python."""
    names = ", ".join(name for name, _ in case.leaves)
    steps = "\n".join(f"    {line}" for line in case.text().splitlines()[1:])
    which = "Value" if engine is Engine else "WrongValue"
    call = f"check_gradients({which}, f, {[number for _, number in case.leaves]}, {epsilon:g})"
    comment = "" if engine is Engine else f"  # {next(w.name for w in WRONG_ENGINES if w.engine is engine)}"
    return f"def f({names}):\n{steps}\n    return {case.root}\n\n\n{call}{comment}"


@exercise
def check_gradients(function):
    """A learner's gradient check on right and wrong engines, at several sizes of the nudge."""
    tests, found = gradient_tests(), []
    for engine, case, epsilon, _ in tests:
        numbers, made = [number for _, number in case.leaves], 0
        handed = list(numbers)

        class Tested(engine):  # which counts the leaves that are made of it
            def __init__(self, data, _prev=(), _op="", label=""):
                nonlocal made
                made += not _prev
                super().__init__(data, _prev, _op, label)

        def f(*xs, case=case):
            return case.compute(xs)[case.root]

        what = f"check_gradients on {case.root} of {case.text().splitlines()[0]}, epsilon {epsilon:g}"
        with trying(what):
            result = function(Tested, f, handed, epsilon)
        found.append(answer(result, what))
        call = as_call(case, engine, epsilon)
        if not made:
            return wrong("The engine that it should test was never used.", case=call, mistakes=[OWN_CLASS])
        if any(not same(now, before) for now, before in zip(handed, numbers)):
            rows = [("xs", str(numbers), str([round(x, 6) for x in handed]))]
            return wrong("Afterwards the list xs is another one.", case=call, rows=rows, mistakes=[NOT_RESTORED])
    failing = [i for i, (got, test) in enumerate(zip(found, tests)) if not near(got, test[3])]
    if not failing:
        wrongs = len([engine for engine, *_ in tests if engine is not Engine])
        return (
            f"Tested on {len(tests) - wrongs} random functions on a right engine, and on {wrongs} with wrong engines. "
            "It gave the right difference each time."
        )
    engine, case, epsilon, expected = tests[failing[0]]
    says = f"The largest difference is another one (test {failing[0] + 1} of {len(tests)})."
    rows = [("largest difference", expected, found[failing[0]])]
    known = check_mistakes(found, failing)
    return wrong(says, case=as_call(case, engine, epsilon), graph=case.graph(), rows=rows, mistakes=known[:1])


def near(got, expected):
    """Whether a largest difference is the expected one, up to the rounding that a nudge of 5e-4 enlarges."""
    return abs(got - expected) <= 1e-9 * max(1.0, abs(expected))


def check_mistakes(found, failing):
    """The mistakes that give a learner's answers: on all tests; if none does, on the first that fails."""
    tests, everywhere, there = gradient_tests(), [], []
    for check, mistake in CHECK_MISTAKES:
        gives = []
        for engine, case, epsilon, _ in tests:
            numbers = [number for _, number in case.leaves]
            gives.append(
                check(functools.partial(output, engine, case), gradients(engine, case, numbers), numbers, epsilon)
            )
        if all(map(near, found, gives)):
            everywhere.append(mistake)
        elif (
            near(found[failing[0]], gives[failing[0]])
            and len(failing) > 1
            and near(found[failing[1]], gives[failing[1]])
        ):
            there.append(mistake)
    return everywhere or there


# Dual numbers

DUAL_KINDS = "+", "*", "v+n", "v*n", "exp", "tanh"
METHODS = {  # how each is tried by itself
    "__add__": operator.add,
    "__mul__": operator.mul,
    "exp": lambda a, b: a.exp(),
    "tanh": lambda a, b: a.tanh(),
}


class Pair:
    """A dual number whose rules can be replaced, one at a time, by wrong ones."""

    constant = 0.0  # the derivative of a plain number

    def __init__(self, value, derivative=0.0):
        self.value, self.derivative = value, derivative

    def __add__(self, other):
        other = other if isinstance(other, Pair) else type(self)(other, self.constant)
        return type(self)(self.value + other.value, self.sum_rule(other))

    def __mul__(self, other):
        other = other if isinstance(other, Pair) else type(self)(other, self.constant)
        return type(self)(self.value * other.value, self.product_rule(other))

    def exp(self):
        y = math.exp(self.value)
        return type(self)(y, self.exp_rule(self.value, y, self.derivative))

    def tanh(self):
        y = math.tanh(self.value)
        return type(self)(y, self.tanh_rule(self.value, y, self.derivative))

    def sum_rule(self, other):
        return self.derivative + other.derivative

    def product_rule(self, other):
        return self.derivative * other.value + self.value * other.derivative

    def exp_rule(self, x, y, dx):
        return y * dx

    def tanh_rule(self, x, y, dx):
        return (1 - y * y) * dx


def pair(**rules):
    """A Pair with some of its rules replaced."""
    return type("WrongPair", (Pair,), rules)


HALF_A_PRODUCT = Mistake(
    "half of the product rule",
    "Both factors may change, and each change is scaled by the other factor: (u·v)′ = u′·v + u·v′, two terms.",
    "06",
    DUALS,
)
NO_CHAIN = Mistake(
    "the derivative that comes in is left out",
    "The slope of the function is multiplied by how fast its input changes: that is the chain rule, going forward.",
    "06",
    DUALS,
)
OF_INPUT = Mistake(
    "a derivative taken of the input in place of the output",
    "exp's slope is its output; tanh's is 1 minus the square of its output.",
    "03",
    "Common mistakes",
)

ON_DERIVATIVE = Mistake(
    "the function applied to the derivative",
    "The function acts on the value. The derivative is multiplied by the function's slope there.",
    "06",
    DUALS,
)

DUAL_MISTAKES = (  # (dual numbers with a mistake in them, the mistake)
    (pair(product_rule=lambda self, other: self.derivative * other.value), HALF_A_PRODUCT),
    (pair(product_rule=lambda self, other: self.value * other.derivative), HALF_A_PRODUCT),
    (
        pair(product_rule=lambda self, other: self.derivative * other.derivative),
        Mistake(
            "the derivatives multiplied",
            "The derivative of a product is not the product of the derivatives: at 3, x · x has 6, not 1 · 1.",
            "06",
            DUALS,
        ),
    ),
    (
        pair(product_rule=lambda self, other: self.derivative * self.value + other.value * other.derivative),
        Mistake(
            "the factors are not swapped",
            "Each derivative is scaled by the other factor: (u·v)′ = u′·v + u·v′.",
            "06",
            DUALS,
        ),
    ),
    (
        pair(product_rule=Pair.sum_rule),
        Mistake(
            "the rule of addition used for a product",
            "A product changes by more where its factors are large: (u·v)′ = u′·v + u·v′.",
            "06",
            DUALS,
        ),
    ),
    (
        pair(constant=1.0),
        Mistake(
            "a constant with the derivative 1",
            "A plain number does not change when an input does: its derivative is 0. Only the seeded input has 1.",
            "06",
            DUALS,
        ),
    ),
    (
        pair(sum_rule=lambda self, other: self.derivative),
        Mistake(
            "the second derivative of a sum is left out",
            "Both inputs of an addition may change, and their changes add up.",
            "06",
            DUALS,
        ),
    ),
    (
        pair(sum_rule=Pair.product_rule),
        Mistake(
            "the product rule used for a sum",
            "Through an addition a change passes as it is: (u + v)′ = u′ + v′.",
            "06",
            DUALS,
        ),
    ),
    (pair(exp_rule=lambda self, x, y, dx: y), NO_CHAIN),
    (pair(tanh_rule=lambda self, x, y, dx: 1 - y * y), NO_CHAIN),
    (pair(exp_rule=lambda self, x, y, dx: y, tanh_rule=lambda self, x, y, dx: 1 - y * y), NO_CHAIN),
    (pair(exp_rule=lambda self, x, y, dx: x * dx), OF_INPUT),
    (pair(tanh_rule=lambda self, x, y, dx: (1 - x * x) * dx), OF_INPUT),
    (
        pair(exp_rule=lambda self, x, y, dx: x * dx, tanh_rule=lambda self, x, y, dx: (1 - x * x) * dx),
        OF_INPUT,
    ),
    (
        pair(tanh_rule=lambda self, x, y, dx: (1 - y) * dx),
        Mistake("a square is missing", "tanh's slope is 1 minus the *square* of its output.", "03", "Common mistakes"),
    ),
    (
        pair(exp_rule=lambda self, x, y, dx: math.exp(dx)),
        ON_DERIVATIVE,
    ),
    (
        pair(tanh_rule=lambda self, x, y, dx: math.tanh(dx)),
        ON_DERIVATIVE,
    ),
)


def seeded(make, case, leaf):
    """The nodes of a Case on dual numbers; this leaf has derivative 1, the others 0."""
    return case.compute([make(number, float(name == leaf)) for name, number in case.leaves])


def forward_run(make, case):
    """[value, derivative along each leaf] of a Case on dual numbers."""
    try:
        runs = [seeded(make, case, name)[case.root] for name, _ in case.leaves]
    except ArithmeticError:  # a wrong rule led to numbers that are too large
        return [math.inf] * (1 + len(case.leaves))
    return [runs[0].value, *(run.derivative for run in runs)]


def as_forward(case, leaf):
    """A Case on dual numbers, with one leaf seeded, as lines of Python."""
    made = ", ".join(f"Dual({number}, {float(name == leaf)})" for name, number in case.leaves)
    return "\n".join([f"{', '.join(name for name, _ in case.leaves)} = {made}", *case.text().splitlines()[1:]])


@exercise
def dual(Dual):
    """A learner's dual numbers on random expressions: values by floats, derivatives by the course's own."""
    if not isinstance(Dual, type):
        raise Trouble("Tested: dual.", f"The class itself was expected, as in check.dual(Dual); it is {kind(Dual)}.")
    unwritten = []
    for method, run in METHODS.items():
        try:
            with trying(f"{method} of Dual(0.5, 1.0)"):
                run(Dual(0.5, 1.0), Dual(2.0))
        except Unfinished:
            unwritten.append(method)
    if len(unwritten) < len(METHODS) and unwritten:
        raise Unfinished(f"Still to be written: {', '.join(unwritten)}.")
    if unwritten:
        raise Unfinished
    tests, found = cases(DUAL_KINDS, 24, 6), []
    for case in tests:
        found.append([])
        for leaf, _ in case.leaves:
            what = "; ".join(as_forward(case, leaf).splitlines())
            with trying(what):
                result = seeded(Dual, case, leaf)[case.root]
            result = answer(result, what, object)
            if not hasattr(result, "value") or not hasattr(result, "derivative"):
                raise Trouble(f"Tested: {what}.", f"A Dual was expected; the result is {kind(result)}.")
            value, derivative = (answer(getattr(result, part), what) for part in ("value", "derivative"))
            found[-1] += [value, derivative] if not found[-1] else [derivative]
    right = [[case.value, *case.gradients().values()] for case in tests]
    failing = [i for i in range(len(tests)) if not alike(found[i], right[i])]
    if not failing:
        return (
            f"Tested on {len(tests)} random expressions, once for each input. Nothing was nudged, so the "
            "derivatives are as exact as the values."
        )
    i = failing[0]
    off = next(k for k, (got, expected) in enumerate(zip(found[i], right[i])) if not same(got, expected))
    leaf = tests[i].leaves[max(0, off - 1)][0]
    part = f"{tests[i].root}.value" if off == 0 else f"{tests[i].root}.derivative"
    what = "The value is" if off == 0 else "The value is right, a derivative is"
    gives = [([forward_run(make, case) for case in tests], mistake) for make, mistake in DUAL_MISTAKES]
    known = [mistake for each, mistake in gives if all(map(alike, each, found))]
    known = known or [mistake for each, mistake in gives if alike(each[i], found[i])]
    return wrong(
        f"{what} wrong for this expression (test {i + 1} of {len(tests)}).",
        case=as_forward(tests[i], leaf),
        graph=tests[i].graph(),
        rows=[(part, right[i][off], found[i][off])],
        mistakes=list(dict.fromkeys(known))[:2],
    )


def alike(one, other):
    """Whether two lists of numbers are the same, up to float noise."""
    return all(map(same, one, other))


# Six tests

MOST, ENOUGH = 6, 18


@exercise
def six_tests(tests):
    """A learner's test graphs against the twenty wrong engines: at least 18 must be caught."""
    if not isinstance(tests, list | tuple):
        raise Trouble("Tested: six_tests.", f"A list of pairs (f, xs) was expected; it is {kind(tests)}.")
    tests = [test for test in tests if test is not None and test is not ...]
    if not tests:
        raise Unfinished
    if len(tests) > MOST:
        return wrong(f"There are {len(tests)} tests; at most {MOST} are asked for. Which ones catch nothing new?")
    matrix = kill_matrix(tests)
    if matrix.faults:
        return wrong("Each test has to pass on the right engine first.", *matrix.faults)
    count = f"{'One test catches' if len(tests) == 1 else f'{len(tests)} tests catch'} {matrix.score} of 20"
    away = [w for w in WRONG_ENGINES if w not in matrix.caught]
    if matrix.score >= ENOUGH:
        rest = f" Away got: {'; '.join(w.name for w in away)}." if away else " None got away."
        return f"{count}.{rest}"
    one = away[0]
    says = f"{count}; {ENOUGH} are asked for. One that got away is {one.id}, {one.name}. {one.sentence}"
    return wrong(says, mistakes=blind_spots(tests, {w.id for w in away})[:2])


SINGLE_USE = Mistake(
    "nothing is used twice",
    "In none of these graphs does a second contribution arrive anywhere, so = does what += does.",
    "04",
    "Break it: = for +=",
)
LEAVES_ONLY = Mistake(
    "no result is used twice",
    "Only leaves are. A leaf passes nothing on, so it does not matter when it is read: a wrong order does not show.",
    "05",
    "What a wrong order costs",
)
ALWAYS_LAST = Mistake(
    "upstream is always 1",
    "Each * is the last operation of its graph, or is followed by additions only. Who forgets to multiply by 1 "
    "makes no mistake.",
    "03",
    "Break it: forget the upstream gradient",
)
ALIKE = Mistake(
    "numbers that hide a mistake",
    "Where both factors are equal, swapping them changes nothing; and at 0 or 1 many wrong formulas are right. "
    "Take numbers such as 0.7 and -1.3.",
    "06",
    SUITES,
)
UNTRIED = Mistake(
    "an operation that no test uses",
    "A wrong rule shows only where it is used, and before the last operation.",
    "06",
    SUITES,
)
ONE_SIDE = Mistake(
    "only one side of relu",
    "relu does different things above 0, below 0 and at 0.",
    "03",
    "Three patterns",
)
NUMBER_SECOND = Mistake(
    "no number stands on the left",
    "`1 - v` and `1 / v` are methods of their own. `v - 1` and `v / 1` do not use them.",
    "02",
    "Common mistakes",
)
RULES_OF = {
    "M12": "*",
    "M3": "exp",
    "M4": "tanh",
    "M13": "**",
    "M14": "tanh",
    "M15": "exp",
    "M16": "relu",
    "M17": "relu",
}


def blind_spots(tests, away):
    """What these tests have in common that lets these wrong engines (ids) get away, the weightiest first."""
    roots = [f(*map(Engine, xs)) for f, xs in tests]
    orders = [post_order(root) for root in roots]
    uses = Counter(input for order in orders for node in order for input in node._prev)
    operations = {op_of(node) for order in orders for node in order}
    found = []
    if all(count < 2 for count in uses.values()):
        if away & {"M1", "M2", "M3", "M4"}:
            found.append(SINGLE_USE)
    elif away & {"M5", "M6", "M7", "M8"} and all(count < 2 or not node._prev for node, count in uses.items()):
        found.append(LEAVES_ONLY)
    if "M11" in away and "*" in operations:
        found.append(ALWAYS_LAST)
    if "M12" in away and "*" in operations:
        found.append(ALIKE)
    if any(id in away and op not in operations for id, op in RULES_OF.items()):
        found.append(UNTRIED)
    if {"M18", "M19"} & away:
        found.append(NUMBER_SECOND)
    if "relu" in operations and {"M16", "M17"} & away:
        found.append(ONE_SIDE)
    return found


def op_of(node):
    """The operation of a node, without the exponent of a power."""
    return "**" if node._op.startswith("**") else node._op
