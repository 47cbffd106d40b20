"""The checks of lesson 03: the backward rules of + and *, six local derivatives, and a neuron worked out by hand."""

import itertools
import math
import random
from dataclasses import dataclass
from types import SimpleNamespace

import autograd
from autograd.dual import Dual, forward_gradient
from exercises.cases import FLOATS, OPERATIONS, same
from exercises.checks.lesson_02 import needs_functions, stranger
from exercises.diagnosis import FORGOT_UPSTREAM, WRONG_SIGN, mistake_of
from exercises.grading import answer, called, exercise, kind, wrong
from exercises.guard import Trouble, Unfinished, trying
from exercises.verdict import Mistake

MULTIPLY, PATTERNS, RULES = "Two operations: multiply along the way", "Three patterns", "Common mistakes"
EIGHT_STEPS = "A neuron in eight steps"


def here(name, sentence, section=RULES):
    """A Mistake that a section of this lesson treats."""
    return Mistake(name, sentence, "03", section)


# ---- the rules of + and *

REPLACED = Mistake(
    "= instead of +=",
    "What was in `grad` before is lost. Where one number is both inputs, the second contribution replaces the first.",
    "04",
    "One number, two uses",
)
SUBTRACTED = here(
    "the sign turned round",
    "Each contribution was subtracted, or given a minus. The input receives it as it is.",
    MULTIPLY,
)
DATA_FOR_GRAD = here(
    "the output's number in place of its gradient",
    "out.data is the number that came out. What arrives from further up is out.grad.",
    MULTIPLY,
)
LEFT_OUT = here(
    "an input left out",
    "Both inputs receive a contribution, one for each arrow in the drawing.",
    PATTERNS,
)
SHARED_OUT = here(
    "the gradient shared out between the inputs",
    "It is not split. A nudge of either input moves the sum in full, so each receives all of it.",
    PATTERNS,
)
PRODUCT_RULE = here(
    "the rule of * in a sum",
    "That multiplies upstream by the other input. A sum's slope along an input is 1, whatever the other one is.",
    PATTERNS,
)
SUM_RULE = here(
    "the rule of + in a product",
    "That passes upstream on as it is. Along one factor the local derivative is the other factor.",
    PATTERNS,
)
OWN_NUMBER = here(
    "each input's own number as its local derivative",
    "A sum climbs by 1 for each unit of an input, however large that input is: the local derivative is 1.",
    PATTERNS,
)
OUTPUT_AS_SLOPE = here(
    "the product as local derivative",
    "out.data is the product itself. The slope along one factor is the other factor.",
    PATTERNS,
)
OLD_GRAD = here(
    "the input's own grad as a factor",
    "The contribution is local × upstream. What is in an input's grad before is no factor of it.",
    MULTIPLY,
)

# What each mistake contributes to (a, b); `c` is the RuleCase and its `out`, the output's number.
SLIPS = {
    "+": {
        None: lambda c: (c.upstream, c.upstream),
        FORGOT_UPSTREAM: lambda c: (1.0, 1.0),
        PRODUCT_RULE: lambda c: (c.b * c.upstream, c.a * c.upstream),
        OWN_NUMBER: lambda c: (c.a * c.upstream, c.b * c.upstream),
        DATA_FOR_GRAD: lambda c: (c.out, c.out),
        SHARED_OUT: lambda c: (c.upstream / 2, c.upstream / 2),
        WRONG_SIGN: lambda c: (c.upstream, -c.upstream),
        OLD_GRAD: lambda c: (c.before[0] * c.upstream, c.before[1] * c.upstream),
        LEFT_OUT: lambda c: (c.upstream, 0.0),
        (LEFT_OUT, "second"): lambda c: (0.0, c.upstream),
        (LEFT_OUT, "in a + a"): lambda c: (c.upstream, 0.0 if c.twice else c.upstream),
    },
    "*": {
        None: lambda c: (c.b * c.upstream, c.a * c.upstream),
        mistake_of("M11"): lambda c: (c.b, c.a),
        mistake_of("M12"): lambda c: (c.a * c.upstream, c.b * c.upstream),
        SUM_RULE: lambda c: (c.upstream, c.upstream),
        DATA_FOR_GRAD: lambda c: (c.b * c.out, c.a * c.out),
        OUTPUT_AS_SLOPE: lambda c: (c.out * c.upstream, c.out * c.upstream),
        OLD_GRAD: lambda c: (c.before[1] * c.upstream, c.before[0] * c.upstream),
        LEFT_OUT: lambda c: (c.b * c.upstream, 0.0),
        (LEFT_OUT, "second"): lambda c: (0.0, c.a * c.upstream),
        (LEFT_OUT, "in a * a"): lambda c: (c.b * c.upstream, 0.0 if c.twice else c.a * c.upstream),
        (mistake_of("M11"), mistake_of("M12")): lambda c: (c.a, c.b),
    },
}
HOW = {"+=": lambda old, new: old + new, "=": lambda old, new: new, "-=": lambda old, new: old - new}
MODES = (  # how self's and other's grad are written, and the mistake in it
    ("+=", "+=", None),
    ("=", "=", REPLACED),
    ("-=", "-=", SUBTRACTED),
    ("+=", "=", REPLACED),
    ("=", "+=", REPLACED),
)

RETURNED_INPUT = here(
    "an input handed back",
    "The operation returned one of its inputs. The rule belongs to the new node: `return out`.",
    RULES,
)
CALLED_EARLY = here(
    "the rule called instead of kept",
    "`out._backward = _backward()` runs the rule at once and keeps what it returned. Write the name without ().",
    RULES,
)
WRONG_WAY = here(
    "the wrong way round",
    "The rule changed out.grad. It should read that, and change the grads of the inputs: the pass goes to them.",
    MULTIPLY,
)
CHANGED_DATA = here(
    "data changed", "The rule changed `data`. Only `grad` of the inputs changes in a backward pass.", MULTIPLY
)
NOT_KEPT = here(
    "no rule on the new node",
    "out has only the rule that every new Value has, which does nothing. `out._backward = _backward` stands below the "
    "rule.",
)
NO_EFFECT = here(
    "a rule that changes nothing",
    "The rule ran, and both grads are what they were. It should read out.grad when it runs, and change self.grad and "
    "other.grad.",
    MULTIPLY,
)


@dataclass(frozen=True)
class RuleCase:
    """One operation on a and b, the upstream gradient it gets, and what is in the inputs' grads before."""

    a: float
    b: float
    upstream: float
    before: tuple = (0.0, 0.0)
    twice: bool = False  # a is both inputs

    def text(self, sign):
        """The case as lines of Python."""
        lines = [f"a = Value({self.a})" if self.twice else f"a, b = Value({self.a}), Value({self.b})"]
        if any(self.before):
            lines += [f"a.grad = {self.before[0]}" if self.twice else f"a.grad, b.grad = {self.before}"]
        return "\n".join(
            [*lines, f"out = a {sign} {'a' if self.twice else 'b'}", f"out.grad = {self.upstream}", "out._backward()"]
        )

    def graph(self, sign):
        """The root of its graph, for a drawing."""
        a = autograd.Value(self.a, label="a")
        out = OPERATIONS[sign](a, a if self.twice else autograd.Value(self.b, label="b"))
        out.label = "out"
        return out

    def grads(self, sign, contributions, first, second):
        """(a.grad, b.grad) for these contributions, written in these ways; one number twice where a is both inputs."""
        known = SimpleNamespace(**vars(self), out=FLOATS[sign](self.a, self.b))
        one, other = contributions(known)
        if self.twice:
            total = HOW[second](HOW[first](self.before[0], one), other)
            return total, total
        return HOW[first](self.before[0], one), HOW[second](self.before[1], other)

    def right(self, sign):
        """(a.grad, b.grad) by dual numbers."""
        slopes = forward_gradient(OPERATIONS[sign], [self.a, self.b])
        if self.twice:
            total = self.before[0] + self.upstream * sum(slopes)
            return total, total
        return tuple(old + self.upstream * slope for old, slope in zip(self.before, slopes))


def rule_cases(collecting):
    """Plain ones first; where contributions are to add up, then some with grads already there or one node twice.

    Whole numbers and floats.
    """
    rng, made = random.Random(3), [RuleCase(2.0, -3.0, 10.0)]
    if collecting:
        made.append(RuleCase(3.0, 3.0, 10.0, twice=True))

    def number(low=-4, high=4):
        while True:
            found = rng.choice((rng.randint(low, high), round(rng.uniform(low, high), 2)))
            if abs(found) > 1.1:
                return found

    for i in range(11):
        a, b = number(), number()
        before = (0.0, 0.0) if i < 2 or not collecting else (number(), number())
        made.append(RuleCase(a, b, number(-9, 9), before))
        if collecting and i % 3 == 2:
            made.append(RuleCase(a, a, number(-9, 9), (before[0], before[0]), twice=True))
    return made


def rule_fault(Value, sign, collecting=False):
    """What is wrong with the rule of `a sign b` in a learner's class, as `wrong(…)`; None where all is right.

    collecting: whether each contribution must be added to what is there, as a number that is used twice needs.
    """
    tests, found = rule_cases(collecting), []
    for test in tests:
        grads = passed_back(Value, sign, test)
        if not isinstance(grads, tuple):
            return grads
        found.append(grads)
    right = [test.right(sign) for test in tests]
    if all(agree(grads, test.before) for grads, test in zip(found, tests)):
        rows = [(f"{name}.grad", expected, 0.0) for name, expected in zip("ab", right[0])]
        says = f"`a {sign} b` was computed, then its rule was run."
        return wrong(says, case=tests[0].text(sign), rows=rows, mistakes=[idle(Value, sign)])
    failing = next((i for i, pair in enumerate(zip(found, right)) if not agree(*pair)), None)
    if failing is None:
        return constant_fault(Value, sign)
    test, rows = tests[failing], [("a.grad", right[failing][0], found[failing][0])]
    if not test.twice:
        rows.append(("b.grad", right[failing][1], found[failing][1]))
    rows = [row for row in rows if not same(row[2], row[1])]
    known = rule_mistakes(sign, tests, found, failing, collecting)
    says = f"The rule of {sign} passes back something else here (test {failing + 1} of {len(tests)})."
    return wrong(says, case=test.text(sign), graph=test.graph(sign), rows=rows, mistakes=known)


def rule_mistakes(sign, tests, found, failing, collecting):
    """The Mistakes that give these grads on all tests; if none does, on all up to the failing one. At most two.

    A single mistake goes before two made together.
    """
    on_all, on_one = [], []
    for (slip, contributions), (first, second, mode) in itertools.product(SLIPS[sign].items(), MODES):
        made = [one for one in (*(slip if isinstance(slip, tuple) else (slip,)), mode) if isinstance(one, Mistake)]
        if not made or (mode is REPLACED and not collecting):
            continue
        gives = [test.grads(sign, contributions, first, second) for test in tests]
        if all(map(agree, found[: failing + 1], gives)):  # also where the rule was right: else it is another mistake
            on_one.append(made)
            if all(map(agree, found, gives)):
                on_all.append(made)
    return list(dict.fromkeys(together(made) for made in sorted(on_all or on_one, key=len)))[:2]


def together(made):
    """Mistakes made at the same time, as one."""
    if len(made) == 1:
        return made[0]
    name = ", and ".join(mistake.name for mistake in made)
    return Mistake(name, " ".join(mistake.sentence for mistake in made), made[0].lesson, made[0].section)


def agree(one, other):
    """Whether two tuples of numbers are the same, up to float noise."""
    return all(map(same, one, other))


def passed_back(Value, sign, test):
    """(a.grad, b.grad) after a learner's rule has run on a RuleCase; a `wrong(…)` where it broke a rule of the game."""
    what = f"the rule of {sign}, as in a {sign} {'a' if test.twice else 'b'}"
    with trying(what):
        a = Value(test.a)
        b = a if test.twice else Value(test.b)
    a.grad, b.grad = test.before
    out = called(OPERATIONS[sign], a, b, what=what, returns=object)
    says = f"`a {sign} {'a' if test.twice else 'b'}` was computed, then its rule was run."
    if out is a or out is b:
        return wrong(says, case=test.text(sign), mistakes=[RETURNED_INPUT])
    if not isinstance(out, Value):
        says = f"A Value of the engine was expected; it returned {stranger(out)}."
        raise Trouble(f"Tested: {what}.", says, "Write `Value(…)`, with nothing before it.")
    rule, value = getattr(out, "_backward", None), FLOATS[sign](test.a, test.b)
    if not same(out.data, value):
        return wrong("The number itself is wrong.", case=test.text(sign), rows=[("out.data", value, out.data)])
    if not callable(rule):
        return wrong(says, case=test.text(sign), mistakes=[CALLED_EARLY])
    out.grad = test.upstream
    with trying(f"{what}, out._backward()"):
        rule()
    for node, number in ((a, test.a), (b, test.b), (out, value)):
        if not same(node.data, number):
            return wrong(says, case=test.text(sign), mistakes=[CHANGED_DATA])
    if not same(float(out.grad), test.upstream):
        rows = [("out.grad", test.upstream, out.grad)]
        return wrong(says, case=test.text(sign), rows=rows, mistakes=[WRONG_WAY])
    return number_in(a, "a", what), number_in(b, "b", what)


def idle(Value, sign):
    """The Mistake in a rule that leaves grads of 0 as they are."""
    if not has_own_rule(Value, sign):
        return NOT_KEPT
    found = [passed_back(Value, sign, RuleCase(2.0, -3.0, upstream, before=(5.0, 7.0))) for upstream in (10.0, 20.0)]
    multiplies = all(isinstance(grads, tuple) for grads in found) and not agree(*found)
    return OLD_GRAD if multiplies else NO_EFFECT


def has_own_rule(Value, sign):
    """Whether a new node has a rule of its own, not the lambda that `__init__` gives to every node."""
    rule = OPERATIONS[sign](Value(2.0), Value(3.0))._backward
    return getattr(rule, "__name__", "") != "<lambda>"


def number_in(node, name, what):
    """A learner's grad, if it is a number."""
    if isinstance(node.grad, bool) or not isinstance(node.grad, int | float):
        raise Trouble(f"Tested: {what}.", f"{name}.grad should be a number; it is {kind(node.grad)}.")
    return float(node.grad) if not math.isnan(node.grad) else math.inf


def constant_fault(Value, sign):
    """What is wrong with `a sign 2`, a number as the other input, as `wrong(…)`; None where it is right."""
    a = Value(3.0)
    what = f"a {sign} 2, with a number as the other input"
    out = called(OPERATIONS[sign], a, 2, what=what, returns=Value)
    out.grad = 10.0
    with trying(what):
        out._backward()
    right = RuleCase(3.0, 2.0, 10.0).right(sign)[0]
    if same(number_in(a, "a", what), right):
        return None
    return wrong(f"Tested: {what}.", rows=[("a.grad", right, a.grad)])


@exercise
def add_rule(add_with_rule, *, engine):
    """The backward rule of +, against dual numbers, on sums of two numbers, with upstream gradients other than 1."""
    needs_functions(add_with_rule=add_with_rule)
    fault = rule_fault(engine.Value, "+")  # a Verdict that is no pass is false, so no `or` here
    return f"{len(rule_cases(False))} sums, with upstream gradients other than 1." if fault is None else fault


@exercise
def multiply_rule(multiply_with_rule, *, engine):
    """The backward rule of *, against dual numbers, on products of two numbers, upstream gradients other than 1."""
    needs_functions(multiply_with_rule=multiply_with_rule)
    fault = rule_fault(engine.Value, "*")  # a Verdict that is no pass is false, so no `or` here
    return f"{len(rule_cases(False))} products, with upstream gradients other than 1." if fault is None else fault


# ---- six local derivatives

POINTS = {  # where each operation is tested, beside random numbers; a learner's rule may be right on one side only
    "**": (2, 1.5, -1.5),
    "exp": (0.5, 1, -2.0),
    "log": (0.5, 2, 4.0),
    "tanh": (0.5, -1, 2.0),
    "sigmoid": (0.5, -1, 2.0),
    "relu": (2.0, -1.5, 3),
}
EXPONENTS = (3, 2, -1, 1, 5, -2)

HALF_OPEN = mistake_of("M16")
ITSELF = here("the number, not its slope", "That is what the operation gives. Asked is how fast it changes with x.")
OF_OUTPUT_TWICE = "y is the output already: the function has been taken of x. Taking it of y does so a second time."
SIGMOIDS, TANHS = "y(1 - y) belongs to the sigmoid.", "1 - y² belongs to tanh."
POWER_OF_E = here("the power rule on eˣ", "In xⁿ the base changes, in eˣ the exponent does. eˣ is its own slope.")


def sigma(x):
    """1 / (1 + e⁻ˣ)."""
    return 1 / (1 + math.exp(-x))


# (x, y, n) -> the number that a mistake gives
LOCAL_SLIPS = {
    "**": (
        (mistake_of("M13"), lambda x, y, n: n * y),
        (
            here("the exponent not brought down as a factor", "xⁿ⁻¹ is half of the rule: n stands in front."),
            lambda x, y, n: x ** (n - 1),
        ),
        (
            here("n·xⁿ - 1 in place of n·xⁿ⁻¹", "In Python ** binds before -: put parentheses around n - 1."),
            lambda x, y, n: n * x**n - 1,
        ),
        (
            here("the exponent lowered twice", "The factor is n, as it was before it was lowered."),
            lambda x, y, n: (n - 1) * x ** (n - 1),
        ),
        (here("n·x", "The exponent comes down as a factor, and one less of it stays: n·xⁿ⁻¹."), lambda x, y, n: n * x),
        (
            here(
                "the exponent taken for the input",
                "xⁿ·log x is how fast it changes with n. Here x moves and n is a number.",
            ),
            lambda x, y, n: y * math.log(x) if x > 0 else math.nan,
        ),
    ),
    "exp": (
        (mistake_of("M15"), lambda x, y, n: x),
        (here("exp taken of the output", OF_OUTPUT_TWICE), lambda x, y, n: math.exp(y)),
        (POWER_OF_E, lambda x, y, n: x * math.exp(x - 1)),
        (POWER_OF_E, lambda x, y, n: x * y),
        (POWER_OF_E, lambda x, y, n: math.exp(x - 1)),
    ),
    "log": (
        (
            here("1 over the output", "The slope of log x is 1/x, of its input; 1/y is something else."),
            lambda x, y, n: 1 / y if y else math.inf,
        ),
        (here("the input itself", "The slope of log x is 1/x: it is small where x is large."), lambda x, y, n: x),
        (
            here(
                "the derivative of 1/x",
                "-1/x² is the slope of 1/x, and 1/x the slope of log x: one derivative too many.",
            ),
            lambda x, y, n: -1 / x**2,
        ),
        (
            here("the logarithm to base 10", "math.log is to base e, so there is no log 10 in its slope."),
            lambda x, y, n: 1 / (x * math.log(10)),
        ),
    ),
    "tanh": (
        (mistake_of("M14"), lambda x, y, n: 1 - x * x),
        (
            here("the output not squared", "tanh's local derivative is 1 - y²: the square is missing."),
            lambda x, y, n: 1 - y,
        ),
        (here("the sigmoid's rule for tanh", f"{SIGMOIDS} {TANHS}"), lambda x, y, n: y * (1 - y)),
        (here("tanh taken of the output", OF_OUTPUT_TWICE), lambda x, y, n: 1 - math.tanh(y) ** 2),
    ),
    "sigmoid": (
        (
            here("the sigmoid's derivative taken of the input", "It is y(1 - y), of the output. x(1 - x) is wrong."),
            lambda x, y, n: x * (1 - x),
        ),
        (here("tanh's rule for the sigmoid", f"{TANHS} {SIGMOIDS}"), lambda x, y, n: 1 - y * y),
        (here("a factor missing", "y(1 - y) has two factors, and only the second is there."), lambda x, y, n: 1 - y),
        (here("the sigmoid taken of the output", OF_OUTPUT_TWICE), lambda x, y, n: sigma(y) * (1 - sigma(y))),
    ),
    "relu": (
        (mistake_of("M17"), lambda x, y, n: 1.0),
        (here("the gate the wrong way", "relu passes where x is positive.", PATTERNS), lambda x, y, n: float(x < 0)),
        (
            here("the input as slope", "Where relu is open, y rises by 1 for each 1 of x: the slope is 1.", PATTERNS),
            lambda x, y, n: x,
        ),
        (
            here("always shut", "Where x is positive relu hands x through, so the slope there is 1.", PATTERNS),
            lambda x, y, n: 0.0,
        ),
    ),
}
TURNED = here("the sign", "The size is right and the sign is not: see whether y rises or falls when x rises.")


def local_cases(op):
    """(x, y, n, right) for an operation: fixed points, then random ones; y by plain floats, right by dual numbers."""
    rng = random.Random(f"lesson 03 {op}")
    low = 0.2 if op == "log" else -2.5
    xs = [*POINTS[op], *(round(rng.uniform(low, 3.0), 3) for _ in range(10))]
    for x, n in zip(xs, itertools.cycle(EXPONENTS)):
        n, operands = (n, (n,)) if op == "**" else (None, ())
        yield x, FLOATS[op](x, *operands), n, OPERATIONS[op](Dual(x, 1.0), *operands).derivative


def local_text(op, x, y, n):
    """A call of a learner's function, as lines of Python."""
    made = {"**": f"{x if x >= 0 else f'({x})'}**{n}", "sigmoid": f"1 / (1 + math.exp({-x}))", "relu": f"max(0.0, {x})"}
    last = f", n={n}" if n is not None else ""
    return f'y = {made.get(op, f"math.{op}({x})")}\nlocal_derivative("{op}", {x}, y{last})'


def given_local(function, op, x, y, n):
    """What a learner's function gives: a float; None where it is not written yet. True counts as 1, False as 0."""
    what = f'local_derivative("{op}", x={x}, y={y:.4f}{f", n={n}" if n is not None else ""})'
    with trying(what):
        found = function(op, x, y, n=n)
    if found is None or found is ...:
        return None
    return answer(float(found) if isinstance(found, bool) else found, what)


def local_fault(op, tests, found):
    """What is wrong with one operation's local derivative, as `wrong(…)`; None where all is right."""
    failing = next((i for i, (got, test) in enumerate(zip(found, tests)) if not same(got, test[3])), None)
    if failing is None:
        return None
    x, y, n, right = tests[failing]
    if found[failing] is None or not math.isfinite(found[failing]):
        return wrong(f"The local derivative of {op} is no finite number here.", case=local_text(op, x, y, n))
    on_all, on_one = [], []
    slips = (*LOCAL_SLIPS[op], (ITSELF, lambda x, y, n: y))
    for mistake, slip in slips:
        gives = [slip(x, y, n) for x, y, n, _ in tests]
        if same(found[failing], gives[failing]):
            on_one.append(mistake)
        if all(math.isfinite(number) for number in gives) and all(map(same, found, gives)):
            on_all.append(mistake)
    if right and same(found[failing], -right):
        on_one.append(TURNED)
        on_all += [TURNED] if all(same(got, -test[3]) for got, test in zip(found, tests)) else []
    known = list(dict.fromkeys(on_all or on_one))[:2]
    says = f"The local derivative of {op} is another number here."
    return wrong(says, case=local_text(op, x, y, n), rows=[(op, right, found[failing])], mistakes=known)


@exercise
def local_derivatives(function):
    """`local_derivative(op, x, y, n)` for six operations, each at fixed and random points."""
    right, missing = [], []
    for op in LOCAL_SLIPS:
        tests = list(local_cases(op))
        first = given_local(function, op, *tests[0][:3])
        if first is None:
            missing.append(op)
            continue
        found = [first, *(given_local(function, op, x, y, n) for x, y, n, _ in tests[1:])]
        if None in found:
            x, y, n, _ = tests[found.index(None)]
            says = f"The local derivative of {op} is missing here: no `return` is reached."
            return wrong(says, case=local_text(op, x, y, n))
        fault = local_fault(op, tests, found)
        if fault is not None:
            return fault
        right.append(op)
    if missing:
        done = f"Right so far: {', '.join(right)}. " if right else ""
        raise Unfinished(f"{done}Still to write: {', '.join(missing)}.")
    corner = given_local(function, "relu", 0.0, 0.0, None)
    if corner == 1:
        return f"All six. One note on relu: {HALF_OPEN.sentence}"
    if corner != 0:
        return wrong(
            "relu's derivative is wrong at 0.", case=local_text("relu", 0.0, 0.0, None), rows=[("relu", 0.0, corner)]
        )
    return f"All six, each at {len(tests)} points on both sides of 0 where it is defined there."


# ---- source E's neuron: x 2, w 0.5, b 0.3, target 5

PARTS = ("z", "loss", "w.grad", "b.grad")
HALF_RULE = here("the 2 of the square forgotten", "The derivative of e² is 2e: the exponent comes down as a factor.")
ERROR_TURNED = here(
    "the sign of the error",
    "The error is z - 5, which is negative, so both gradients are: raising w or b lowers the loss.",
)
INPUT_FORGOTTEN = here("the input forgotten", "∂L/∂w is what arrives at z, times the other factor of w·x.", PATTERNS)
BY_ITSELF = here("scaled by itself", "Multiplication swaps: w's gradient is scaled by x, and b's by 1.", PATTERNS)
BY_NUDGING = here(
    "a nudge's rounding", "That is a little off, as nudging is. Along the chain the number comes out exactly."
)
TARGET_FORGOTTEN = here("the target left out", "The error is z - 5. The target has to be taken from z first.")
FROM_LOSS = here(
    "the loss as upstream", "The loss is a number, its gradient is 1. Upstream at z is ∂L/∂z = 2(z - 5).", MULTIPLY
)

HAND_SLIPS = {  # part: (number, Mistake)
    "z": (
        (1.0, here("the bias left out", "z is w·x + b: the bias is added to the product.")),
        (2.8, here("w added, not multiplied", "z is w·x + b: the input is multiplied by its weight.")),
        (1.6, here("the bias multiplied", "z is w·x + b, with b added once: it does not go through x.")),
        (-3.7, here("the error for the sum", "-3.7 is z - 5. Asked is z itself, before the target is taken from it.")),
    ),
    "loss": (
        (-3.7, here("the error not squared", "-3.7 is the error z - 5. The loss is its square.", EIGHT_STEPS)),
        (3.7, here("the error not squared", "3.7 is the size of the error. The loss is its square.", EIGHT_STEPS)),
        (6.845, here("a half in front", "That is ½(z - 5)². The loss here has no ½.", EIGHT_STEPS)),
        (1.69, TARGET_FORGOTTEN),
        (-13.69, here("the sign of a square", "A square is never negative, whatever the sign of what is squared.")),
    ),
    "w.grad": (
        (-7.4, INPUT_FORGOTTEN),
        (-7.4, HALF_RULE),
        (14.8, ERROR_TURNED),
        (7.4, ERROR_TURNED),
        (-3.7, BY_ITSELF),
        (5.2, TARGET_FORGOTTEN),
        (27.38, FROM_LOSS),
    ),
    "b.grad": (
        (-3.7, HALF_RULE),
        (7.4, ERROR_TURNED),
        (-2.22, BY_ITSELF),
        (
            -14.8,
            here(
                "the weight's gradient for the bias", "b is added as it is: its local derivative is 1, not x.", PATTERNS
            ),
        ),
        (2.6, TARGET_FORGOTTEN),
        (13.69, FROM_LOSS),
        (0.0, here("the bias taken for a constant", "z rises by 1 when b does, so the loss does change with b.")),
    ),
}


def neuron(w, b, x=2.0, y=5.0):
    """The loss (w·x + b - y)² of the neuron, on any class of numbers."""
    return (w * x + b - y) ** 2


@exercise
def neuron_by_hand(numbers):
    """The four numbers of a neuron worked out by hand, as a dict that may be filled in part."""
    if not isinstance(numbers, dict) or not set(PARTS) <= set(numbers):
        raise Trouble("Tested: the four numbers.", f"A dict with the keys {', '.join(PARTS)} was expected.")
    w_grad, b_grad = forward_gradient(neuron, [0.5, 0.3])
    expected = {"z": 0.5 * 2 + 0.3, "loss": neuron(0.5, 0.3), "w.grad": w_grad, "b.grad": b_grad}
    given = {part: numbers[part] for part in PARTS if numbers[part] is not None and numbers[part] is not ...}
    for part, number in given.items():
        got, right = answer(number, part), expected[part]
        if same(got, right):
            continue
        known = [mistake for value, mistake in HAND_SLIPS[part] if same(got, value)]
        if not known and abs(got - right) < 0.02:
            known = [BY_NUDGING]
        case = "z = w·x + b and L = (z - 5)², at x = 2, w = 0.5, b = 0.3"
        return wrong(f"{part} is another number.", case=case, rows=[(part, "another number", got)], mistakes=known[:2])
    if missing := [part for part in PARTS if part not in given]:
        done = f"Right so far: {', '.join(given)}. " if given else ""
        raise Unfinished(f"{done}Still to find: {', '.join(missing)}.")
    return "w's gradient is twice b's, since w's input is 2 and b's is 1."
