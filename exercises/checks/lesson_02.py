"""The checks of lesson 02: a number of one's own, what it remembers, and plain numbers beside it."""

import contextlib
import functools
import io
import math
import random
import re
from dataclasses import dataclass, replace

from exercises.cases import FLOATS, Case, cases, random_case, same
from exercises.diagnosis import mistake_of
from exercises.grading import answer, called, exercise, has, kind, number_of, wrong
from exercises.guard import Trouble, Unfinished, trying
from exercises.verdict import Mistake

OWN, KEEP, ONCE = "A number of your own", "Keep what made it", "One node, two arrows"
PLAIN, MINUS, SET = "Plain numbers join in", "Minus and division", "Break it: a set of inputs"
COMMON = "Common mistakes"


def slip(name, sentence, section):
    """A mistake that this lesson treats."""
    return Mistake(name, sentence, "02", section)


# The class with a number in it

NO_INIT = slip("no `__init__`", "Python looks for `__init__` with two underscores on either side, and finds none.", OWN)
NOT_KEPT = slip(
    "the number is not kept",
    "What is to stay belongs on `self`. A name without it, as in `data = data`, is gone when `__init__` ends.",
    OWN,
)
RENAMED = slip("kept under another name", "What you keep is there, but not as `data`, which the rest looks for.", OWN)
SHARED = slip(
    "one number for all", "It is kept on the class, which all Numbers share. Keep it on `self`, which is this one.", OWN
)
AS_TEXT = slip("a text is kept", "`data` should stay a number: a text cannot be added up. Only `__repr__` writes.", OWN)
ROUNDED = slip(
    "the number itself is rounded", "`data` keeps every digit. Only the printed form has four decimals.", OWN
)
WHOLE = slip("only the whole part is kept", "`int` cuts the decimals off. Keep the number as it came.", OWN)
NO_REPR = slip("no `__repr__`", "Python's own form is shown, as it finds no method of the name `__repr__`.", OWN)
PRINTED = slip("printed, not returned", "`__repr__` hands a text back with `return`; Python does the printing.", OWN)
ONE_TEXT = slip("the same text for every number", "The text is fixed. Put `self.data` into it: an f-string does.", OWN)

FORMS = (  # (what a slip in the format makes of data, the mistake)
    (
        lambda n: f"Value(data={n})",
        slip("all digits, or too few", "An f-string takes the number of decimals after a colon.", OWN),
    ),
    (lambda n: f"Value(data={n:.4})", slip("`:.4` without f", "That is four digits in all. `:.4f` is decimals.", OWN)),
    (lambda n: f"Value(data={n:4f})", slip("`:4f` without a point", "That is a width of 4. `:.4f` is decimals.", OWN)),
    (
        lambda n: f"Value(data={round(n, 4)})",
        slip("rounded, not formatted", "`round` drops zeros at the end: 2.0, not 2.0000. `:.4f` keeps them.", OWN),
    ),
    (lambda n: f"{n:.4f}", slip("the number alone", "The text also names the class: Value(data=…).", OWN)),
    (lambda n: f"Value({n:.4f})", slip("`data=` is missing", "The text says what the number is: data=….", OWN)),
    (
        lambda n: f"Value(data={n:.4f}, grad=0.0000)",
        slip("a gradient already", "The text has the number alone. Gradients come in lesson 03.", OWN),
    ),
    (
        lambda n: f"Number(data={n:.4f})",
        slip("the other class's name", "It prints as Value, the class of the engine that is built on this one.", OWN),
    ),
)


@exercise
def make_value(Number):
    """The class keeps a number and prints it with four decimals."""
    needs_class(Number)
    rng = random.Random(2)
    numbers = [2.5, *(rng.uniform(-99, 99) for _ in range(13)), 2, -3, 0, *(rng.randint(-99, 99) for _ in range(7))]
    if Number.__init__ is object.__init__:
        return wrong("Number has no `__init__` of its own.", case="v = Number(2.5)", mistakes=[NO_INIT])
    values = [called(Number, number, what=f"v = Number({number})", returns=Number) for number in numbers]
    found = not_kept(numbers, values)
    if found is not None:
        return found
    texts, trouble = [], None
    for value in values:
        try:
            texts.append(text_of(Number, value))
        except Trouble as fault:
            trouble = fault
            break
    found = misprinted(values, texts)
    if found is None and trouble is not None:
        raise trouble
    return (
        found if found is not None else f"{len(numbers)} numbers, each kept to the last digit, shown to four decimals."
    )


def needs_class(Number):
    """Trouble where something other than the class itself was passed."""
    if not isinstance(Number, type):
        raise Trouble(f"Tested: your class. It got {kind(Number)}.", "Pass the class itself: check.make_value(Number).")


def needs_functions(**given):
    """Trouble where something other than a function was passed: a class, or what a call of it gave."""
    for name, thing in given.items():
        if isinstance(thing, type) or not callable(thing):
            what = "a class" if isinstance(thing, type) else kind(thing)
            raise Trouble(f"Tested: {name}. It is {what}.", "Pass the function itself, by its name, without ().")


def not_kept(numbers, values):
    """What is wrong with `data` of these Values, as a Verdict; None if nothing is."""
    if not all(hasattr(value, "data") for value in values):
        known = RENAMED if getattr(values[0], "__dict__", None) else NOT_KEPT
        return wrong("Number(2.5) has no `data`.", case="v = Number(2.5)\nv.data", mistakes=[known])
    kept = [value.data for value in values]
    failing = [i for i, (number, data) in enumerate(zip(numbers, kept)) if isinstance(data, str) or data != number]
    if not failing:
        return None
    number, data = numbers[failing[0]], kept[failing[0]]
    known = []
    if isinstance(data, str):
        known = [AS_TEXT]
    elif all(other == numbers[-1] for other in kept):
        known = [SHARED]
    elif isinstance(data, int | float):
        known = [WHOLE] if data == int(number) else [ROUNDED] if abs(data - number) < 0.5 else []
    case, rows = f"v = Number({number})\nv.data", [("v.data", number, repr(data) if isinstance(data, str) else data)]
    return wrong("`data` is not the number that was given.", case=case, rows=rows, mistakes=known)


def text_of(Number, value):
    """What a learner's `__repr__` returns, or PRINTED; Unfinished or Trouble where it does not get so far."""
    what = f"repr(Number({value.data}))"
    try:
        with trying(what), contextlib.redirect_stdout(io.StringIO()) as printed:
            text = Number.__repr__(value)
    except Unfinished:
        raise Unfinished("`__init__` keeps the number. Now `__repr__`.") from None
    return PRINTED if text is None and printed.getvalue() else answer(text, what, str)


def misprinted(values, texts):
    """What is wrong with the printed forms of these Values, as a Verdict; None if nothing is."""
    pairs = [(value.data, text) for value, text in zip(values, texts) if text != f"Value(data={value.data:.4f})"]
    if not pairs:
        return None
    data, text = pairs[0]
    if text is PRINTED:
        return wrong("`__init__` is right. `__repr__` returned None.", case=f"repr(Number({data}))", mistakes=[PRINTED])
    floats = [(data, text) for data, text in pairs if isinstance(data, float)]
    known = [mistake for form, mistake in FORMS if floats and all(text == form(data) for data, text in floats)]
    if len(texts) > 1 == len(set(texts)):
        known = [ONE_TEXT]
    elif text.startswith("<"):
        known, text = [NO_REPR], "<… object at …>"
    rows = [(f"repr(Number({data}))", f"Value(data={data:.4f})", text)]
    return wrong("`__init__` is right. The printed form differs.", rows=rows, mistakes=known[:1])


# Operations: what they return

PLAIN_RESULT = slip(
    "a plain number is returned",
    "A plain number remembers nothing. Wrap it: `Value(…)`.",
    KEEP,
)
OTHER_CLASS = slip(
    "a node of another class",
    "The engine's class is `Value`: write `Value(…)`, with nothing before it and under no other name.",
    KEEP,
)
IN_PLACE = slip(
    "an input is changed",
    "An operation makes a new Value and leaves its inputs as they are; they may be used again.",
    KEEP,
)
NO_DATA = slip("a plain number has no `.data`", "Make a Value of it first: `other = as_value(other)`.", PLAIN)
HANDED_BACK = slip(
    "the question handed back",
    "NotImplemented says that another is to be asked. The number on the left was asked already and knows nothing.",
    PLAIN,
)
CALLS_ITSELF = slip(
    "a reflected method that calls itself",
    "With the plain number on the left Python hands the question back to it. Make the number a Value first.",
    PLAIN,
)


@dataclass(frozen=True)
class Done:
    """One operation that a learner's class did: its Case and place there, its operands, and the node that came out."""

    case: Case
    place: int
    operands: tuple
    node: object
    nodes: dict

    @property
    def name(self):
        return self.case.steps[self.place][0]

    @property
    def operation(self):
        return self.case.steps[self.place][1]

    @property
    def pattern(self):
        """Which operands are Values and which numbers: "vv", "vn" or "nv"."""
        return "".join("v" if isinstance(operand, str) else "n" for operand in self.case.steps[self.place][2])

    @property
    def numbers(self):
        """The numbers of the operands."""
        return [o if isinstance(o, int | float) else o.data for o in self.operands]

    @property
    def expected(self):
        return FLOATS[self.operation](*self.numbers)

    def part(self):
        """The Case as far as this operation, without what it does not need."""
        needed, steps = {self.name}, []
        for step in reversed(self.case.steps[: self.place + 1]):
            if step[0] in needed:
                needed |= {operand for operand in step[2] if isinstance(operand, str)}
                steps.insert(0, step)
        return Case(tuple(leaf for leaf in self.case.leaves if leaf[0] in needed), tuple(steps))

    def fault(self, *says, rows=(), mistakes=()):
        """A Verdict for a wrong answer that shows this operation."""
        part = self.part()
        return wrong(*says, case=part.text(), graph=part.graph(), rows=rows, mistakes=mistakes)


@functools.cache
def small_cases(kinds):
    """Random Cases of these kinds of operation, first of one step, then longer; ints in every third."""
    rng = random.Random(2)
    twice = [Case((("a", 1.5),), (("d", kind, ("a", "a")),)) for kind in kinds if kind in "+*"]
    single = [
        case for kind in kinds for case in (telling(rng, kind), *(random_case(rng, (kind,), 1) for _ in range(5)))
    ]
    return tuple(varied(case, i, rng) for i, case in enumerate([*single, *twice, *cases(kinds, 12, seed=2)]))


def telling(rng, kind):
    """A random Case of one step in which few mistakes hide: a before b, no 0, 1 or -1, no two numbers of one size."""
    while True:
        case = random_case(rng, (kind,), 1)
        operands, known = case.steps[0][2], dict(case.leaves)
        sizes = [abs(known.get(operand, operand)) for operand in operands]
        if operands != ("b", "a") and len({0, 1, *sizes}) == 4:
            return case


def varied(case, i, rng):
    """The Case as it is, or with ints where its numbers are whole, or, of one step, with many decimals."""
    if i % 3 == 1:
        leaves = tuple((name, as_int(number)) for name, number in case.leaves)
        steps = tuple((name, op, tuple(map(as_int, operands))) for name, op, operands in case.steps)
        return Case(leaves, steps)
    if i % 3 == 2 and len(case.steps) == 1:
        return replace(case, leaves=tuple((name, round(rng.uniform(1, 9), 5)) for name, _ in case.leaves))
    return case


def as_int(number):
    """An int where a float is whole; a name as it is."""
    return int(number) if isinstance(number, float) and number == int(number) else number


def performed(Value, tests, slips):
    """(the operations done, what is wrong with the numbers): the second is a Verdict, or None if nothing is.

    slips: (pattern, operation, function of the operands, Mistake), most special first.
    """
    done, fault = [], None
    for case in tests:
        try:
            nodes, fault = built(Value, case, done)
        except Trouble:
            if miscalculated(done, slips) is None:
                raise
            break
        if fault is None:
            steps = [
                Done(case, i, tuple(nodes[o] if isinstance(o, str) else o for o in operands), nodes[name], nodes)
                for i, (name, _, operands) in enumerate(case.steps)
            ]
            fault = next((f for step in steps if (f := misshapen(Value, step)) is not None), None)
        if fault is not None:
            break
        done += steps
    wrong_number = miscalculated(done, slips)
    return done, wrong_number if wrong_number is not None else fault


def built(Value, case, done):
    """(nodes by name, None) that a learner's class makes for a Case; (None, Verdict) where it raises what is known."""
    what, known = "; ".join(case.text().splitlines()), None
    reflected = any(not isinstance(operands[0], str) for _, _, operands in case.steps)
    try:
        with trying(what):
            try:
                return case.run(Value), None
            except RecursionError:
                if not reflected:
                    raise
                known, raised = CALLS_ITSELF, "It called itself over and over, until Python gave up."
            except AttributeError as error:
                if error.name != "data" or not isinstance(error.obj, int | float):
                    raise
                known, raised = NO_DATA, f"It raised AttributeError: {error}."
            except TypeError as error:
                if not reflected or not re.match(r"unsupported operand .*: '(int|float)' and 'Value'$", str(error)):
                    raise
                known, raised = HANDED_BACK, f"It raised TypeError: {error}."
    except Unfinished:
        if not done:
            raise
        line = case.text().splitlines()[-1]
        raise Unfinished(f"What was tested so far is right. Not written yet: {line}.") from None
    return None, wrong(raised, case=case.text(), graph=case.graph(), mistakes=[known])


def misshapen(Value, step):
    """What is wrong with the kind of thing that an operation returned, or did to its inputs; None if nothing is."""
    what = "; ".join(step.part().text().splitlines())
    node = answer(step.node, what, object)
    for name, number in step.case.leaves:
        if step.nodes[name] is node or not same(number_of(step.nodes[name], "data", what), number):
            rows = [(f"{name}.data afterwards", number, step.nodes[name].data)]
            return step.fault("An input is not what it was.", rows=rows, mistakes=[IN_PLACE])
    if not isinstance(node, Value):
        known = [PLAIN_RESULT] if isinstance(node, int | float) else [OTHER_CLASS] if has(node, "data") else []
        return step.fault(f"A Value of the engine was expected; it returned {stranger(node)}.", mistakes=known)
    if not isinstance(getattr(node, "data", None), complex):  # a negative number to a fraction: a wrong number too
        number_of(node, "data", what)
    return None


def stranger(thing):
    """What something is that is no Value of the engine under test, in a few words."""
    return "a Value of another engine" if type(thing).__name__ == "Value" else kind(thing)


def miscalculated(done, slips):
    """The first wrong number among these operations, as a Verdict; None if all are right."""
    failing = [step for step in done if not same(step.node.data, step.expected)]
    if not failing:
        return None
    first = failing[0]
    known = [
        mistake
        for pattern, operation, function, mistake in slips
        if all(
            step.pattern in pattern.split() and step.operation == operation and gives(function, step)
            for step in failing
        )
    ]
    rows = [(f"{first.name}.data", first.expected, first.node.data)]
    return first.fault("The number is wrong.", rows=rows, mistakes=known[:1])


def gives(function, step):
    """Whether a mistaken function of the operands gives the number that came out."""
    try:
        return same(step.node.data, function(*step.numbers))
    except (ArithmeticError, TypeError):
        return False


# Operations: what they record

NOT_RECORDED = slip(
    "what made it is not kept",
    "The constructor takes two more things: the inputs as a tuple, and the sign of the operation.",
    KEEP,
)
A_SET = slip(
    "a set of inputs",
    "A set holds each thing once, in no order: `a + a` then has one input in place of two. A tuple keeps both.",
    SET,
)
NO_TUPLE = slip("not a tuple", "The inputs belong together in parentheses, with a comma: (self, other).", KEEP)
NUMBERS_KEPT = slip(
    "numbers in place of inputs",
    "A number does not know where it came from. Keep the Values themselves: (self, other).",
    KEEP,
)
COPIES = slip(
    "copies of the inputs",
    "An equal number in a new Value is another node, with no past. Keep the very Values that were given.",
    ONCE,
)
MORE_THAN_INPUTS = slip(
    "more than the inputs",
    "`_prev` holds the Values that went in, and nothing else. The sign comes third, after the tuple.",
    KEEP,
)
ONE_INPUT = slip("an input is missing", "Each Value that goes in is an input: (self, other).", KEEP)
TURNED_INPUTS = slip(
    "the inputs turned round", "They are kept in the order in which they are written: self, then other.", KEEP
)
NUMBER_LOST = slip(
    "the plain number is no input",
    "It went into the result and left no trace. As a leaf it is an input like any other.",
    PLAIN,
)
NO_SIGN = slip("no sign", "`_op` says what made the number. The constructor takes it third.", KEEP)

ANY = "vv vn nv"
ADDS = (
    (ANY, "+", lambda a, b: a * b, slip("multiplied", "The two numbers were multiplied, not added.", COMMON)),
    (ANY, "+", lambda a, b: a - b, slip("subtracted", "The two numbers were subtracted, not added.", COMMON)),
    (ANY, "+", lambda a, b: a + a, slip("self twice", "`self` was added to itself; `other` is the second.", COMMON)),
    (ANY, "+", lambda a, b: a, slip("`other` left out", "The result is `self` alone.", COMMON)),
)
MULTIPLIES = (
    (ANY, "*", lambda a, b: a + b, slip("added", "The two numbers were added, not multiplied.", COMMON)),
    (ANY, "*", lambda a, b: a * a, slip("self twice", "`self` was multiplied by itself; `other` is second.", COMMON)),
    (ANY, "*", lambda a, b: a**b, slip("a power", "`**` is a power. One star multiplies.", COMMON)),
    (ANY, "*", lambda a, b: a, slip("`other` left out", "The result is `self` alone.", COMMON)),
)


@exercise
def add(add, *, engine):
    """Step 1: a + b is a Value with the sum. Step 2: it keeps its inputs and its sign."""
    needs_functions(add=add)
    return two_steps(engine.Value, "+", ADDS)


@exercise
def multiply(multiply, *, engine):
    """Step 1: a * b is a Value with the product. Step 2: it keeps its inputs and its sign."""
    needs_functions(multiply=multiply)
    return two_steps(engine.Value, "*", MULTIPLIES)


def two_steps(Value, sign, slips):
    """Which of the two steps of an operation is reached: the number, and the record."""
    done, fault = performed(Value, small_cases((sign,)), slips)
    if fault is not None:
        return replace(fault, says=("Step 1 of 2.", *fault.says))
    fault = misrecorded(Value, done)
    if fault is not None:
        return replace(fault, says=("Step 1 of 2 is reached: every number is right. Step 2.", *fault.says))
    return f"Both steps, on {len(done)} random operations; a {sign} a keeps a twice."


def misrecorded(Value, done):
    """The first operation that does not record its inputs and its sign, as a Verdict; None if all do."""
    return next((fault for step in done if (fault := record_fault(Value, step)) is not None), None)


def record_fault(Value, step):
    """What is wrong with what one operation recorded, as a Verdict; None if nothing is."""
    node, wanted = step.node, [operand_name(step, i) for i in (0, 1)]
    for member in ("_prev", "_op"):
        if not hasattr(node, member):
            what = "; ".join(step.part().text().splitlines())
            raise Trouble(f"Tested: {what}.", f"The result has no `{member}`: it is to be made with `Value(…)`.")
    prev, expected = node._prev, f"({', '.join(wanted)})"
    if isinstance(prev, tuple | list) and not prev and not node._op:
        rows = [(f"{step.name}._prev", expected, "()"), (f"{step.name}._op", repr(step.operation), "''")]
        return step.fault("Nothing is kept yet.", rows=rows, mistakes=[NOT_RECORDED])
    known = [known] if (known := inputs_fault(Value, step)) else []
    if known:
        rows = [(f"{step.name}._prev", expected, described(step, prev))]
        return step.fault("The inputs are not kept as they should be.", rows=rows, mistakes=known)
    if node._op != step.operation:
        rows = [(f"{step.name}._op", repr(step.operation), repr(node._op))]
        return step.fault("The sign is another one.", rows=rows, mistakes=[] if node._op else [NO_SIGN])
    return None


def inputs_fault(Value, step):
    """The Mistake in `_prev` of one operation, or None."""
    prev = step.node._prev
    if isinstance(prev, set | frozenset):
        return A_SET
    if not isinstance(prev, tuple | list):
        return NO_TUPLE
    right = [is_operand(Value, input, operand) for input, operand in zip(prev, step.operands)]
    turned = [is_operand(Value, input, operand) for input, operand in zip(prev, reversed(step.operands))]
    if len(prev) == 2 and (all(right) or (step.pattern == "nv" and all(turned))):
        return None
    if len(prev) > 2:
        return MORE_THAN_INPUTS
    if any(isinstance(input, int | float) for input in prev):
        return NUMBERS_KEPT if step.pattern == "vv" else NUMBER_LOST
    if len(prev) != 2:
        return ONE_INPUT if step.pattern == "vv" else NUMBER_LOST
    return TURNED_INPUTS if all(turned) else COPIES


def is_operand(Value, input, operand):
    """Whether an input is the operand: that very Value; for a plain number a leaf with that number."""
    if not isinstance(operand, int | float):
        return input is operand
    return isinstance(input, Value) and not input._prev and same(input.data, operand)


def operand_name(step, i):
    """An operand as the record should show it: its name, or the leaf made of a number."""
    operand = step.case.steps[step.place][2][i]
    return operand if isinstance(operand, str) else f"Value({operand})"


def described(step, prev):
    """A learner's `_prev` with the names of the nodes in it."""
    names = {id(node): name for name, node in step.nodes.items()}

    def one(thing):
        return names.get(id(thing)) or (f"another {thing!r}" if hasattr(thing, "data") else repr(thing))

    if not isinstance(prev, tuple | list | set | frozenset):
        return one(prev)
    inner = ", ".join(map(one, prev) if isinstance(prev, tuple | list) else sorted(map(one, prev)))
    return f"{{{inner}}}" if isinstance(prev, set | frozenset) else f"({inner},)" if len(prev) == 1 else f"({inner})"


# Plain numbers

UNWRAPPED = slip(
    "the number as it was", "as_value should make a Value of a plain number, an int as well as a float.", PLAIN
)
NESTED = slip(
    "a Value inside a Value", "What is a Value already is handed back as it is; only a plain number is wrapped.", PLAIN
)
COPIED = slip(
    "a Value copied",
    "A new Value has no inputs, so what `thing` remembers is lost. Hand back `thing` itself.",
    PLAIN,
)
CONSTANT_SLIPS = (
    ("nv", "*", lambda a, b: a + b, slip("number * value computed as a sum", "`__rmul__` adds.", COMMON)),
    ("nv", "+", lambda a, b: a * b, slip("number + value computed as a product", "`__radd__` multiplies.", COMMON)),
    *ADDS,
    *MULTIPLIES,
)


@exercise
def constants(as_value, reflected_add, reflected_multiply, *, engine):
    """Plain numbers on either side of + and *; each becomes a leaf."""
    needs_functions(as_value=as_value, reflected_add=reflected_add, reflected_multiply=reflected_multiply)
    Value = engine.Value
    fault = unwrapped(Value, as_value)
    if fault is not None:
        return fault
    done, fault = performed(Value, small_cases(("+", "*", "v+n", "v*n", "n+v", "n*v")), CONSTANT_SLIPS)
    if fault is None:
        fault = misrecorded(Value, done)
    if fault is not None:
        return replace(fault, says=("as_value is right.", *fault.says))
    return f"{len(done)} operations with whole numbers and decimals on either side; each plain number is a leaf."


def unwrapped(Value, as_value):
    """What is wrong with a learner's as_value, as a Verdict; None if nothing is."""
    rng = random.Random(2)
    for number in [2, 2.5, -1, 0, *(rng.uniform(-9, 9) for _ in range(6)), *(rng.randint(-9, 9) for _ in range(6))]:
        found = called(as_value, number, what=f"as_value({number})", returns=object)
        if has(found, "data") and not isinstance(found, Value):
            says = f"A Value of the engine was expected; it returned {stranger(found)}."
            return wrong(says, case=f"as_value({number})", mistakes=[OTHER_CLASS])
        if not isinstance(found, Value):
            rows = [(f"as_value({number})", f"Value(data={number:.4f})", found)]
            return wrong("as_value does not make a Value of this number.", rows=rows, mistakes=[UNWRAPPED])
        if not same(number_of(found, "data", f"as_value({number})"), number):
            return wrong("Another number comes out.", rows=[(f"as_value({number}).data", number, found.data)])
    for given, code in ((Value(2.0), "v = Value(2.0)"), (Value(5.0, (Value(2.0), Value(3.0)), "+"), "v = a + b")):
        with trying(f"{code}; as_value(v)"):
            found = as_value(given)
        found = answer(found, f"{code}; as_value(v)", object)
        if found is not given:
            known = [NESTED] if has(found, "data") and isinstance(found.data, Value) else []
            known = known or ([COPIED] if isinstance(found, Value) else [])
            says = "as_value should hand back a Value as it is."
            rows = [("as_value(v) is v", True, False)]
            return wrong(says, case=f"{code}\nas_value(v)", rows=rows, mistakes=known)
    return None


# Minus and division: any graph will do that gives the number, also from other leaves

NO_PAST = slip(
    "the result forgets",
    "The number is right, but the result has no inputs. Build it from operations that record.",
    MINUS,
)
DATA_ONLY = slip(
    "the number of an input was used, not the input",
    "With `.data` the number goes in without its node, so the result does not depend on it. Leave `.data` out.",
    MINUS,
)
ANOTHER_STORY = slip(
    "the record tells another story",
    "The number is right, but inputs and sign, worked out again from other leaves, give another one.",
    MINUS,
)
TURNED_MINUS = slip("turned round", "That is other - self. In `a - b` self is a.", COMMON)
TURNED_DIVISION = slip("turned round", "That is other / self. In `a / b` self is a.", COMMON)
SUBTRACTS = (
    ("nv", "-", lambda a, b: b - a, mistake_of("M18")),
    (ANY, "-", lambda a, b: b - a, TURNED_MINUS),
    (ANY, "-", lambda a, b: a + b, slip("added", "The `* -1` is missing: that is the sum.", COMMON)),
    (ANY, "-", lambda a, b: -a - b, slip("both signs turned", "`* -1` belongs to the second one alone.", COMMON)),
    (ANY, "-", lambda a, b: -a * b, slip("multiplied", "That is self * other * -1. One + is needed.", COMMON)),
)
DIVIDES = (
    ("nv", "/", lambda a, b: b / a, mistake_of("M19")),
    (ANY, "/", lambda a, b: b / a, TURNED_DIVISION),
    (ANY, "/", lambda a, b: a * b, slip("multiplied", "The `** -1` is missing: that is the product.", COMMON)),
    (ANY, "/", lambda a, b: a // b, slip("`//` for `/`", "Two strokes cut the decimals off.", COMMON)),
    (ANY, "/", lambda a, b: -a * b, slip("`* -1` for `** -1`", "One star turns the sign; two make 1/b.", COMMON)),
    (ANY, "/", lambda a, b: 1 / (a * b), slip("both below", "`** -1` belongs to the second one alone.", COMMON)),
)


@exercise
def subtract(subtract, reflected_subtract, *, engine):
    """Minus, with a plain number on either side."""
    needs_functions(subtract=subtract, reflected_subtract=reflected_subtract)
    return either_side(engine.Value, "-", SUBTRACTS)


@exercise
def divide(divide, reflected_divide, *, engine):
    """Division, with a plain number on either side."""
    needs_functions(divide=divide, reflected_divide=reflected_divide)
    return either_side(engine.Value, "/", DIVIDES)


def either_side(Value, sign, slips):
    """An operation whose record may be of any shape, as long as it gives the number, also from other leaves."""
    kinds = (sign, f"v{sign}n", f"n{sign}v")
    done, fault = performed(Value, small_cases(kinds), slips)
    if fault is not None:
        return fault
    fault = next((fault for step in done if (fault := story_fault(step)) is not None), None)
    if fault is not None:
        return fault
    return f"{len(done)} operations, numbers on either side; each can be worked out again from its record."


def story_fault(step):
    """What is wrong with the record of one operation, worked out again from other leaves; None if nothing is."""
    what = "; ".join(step.part().text().splitlines())
    factors, others = iter((1.5, 2.5)), {}
    for operand in step.operands:
        if not isinstance(operand, int | float):
            factor = next(factors)
            others.setdefault(id(operand), (factor * operand.data) or factor / 2)
    with trying(what):
        reached, again = worked_out(step.node, others)
    lost = [operand_name(step, i) for i, o in enumerate(step.operands) if id(o) in others and id(o) not in reached]
    if lost:
        known = NO_PAST if not step.node._prev else DATA_ONLY
        rows = [(f"{step.name} depends on {name}", "yes", "no") for name in dict.fromkeys(lost)]
        return step.fault("The number is right, its past is not.", rows=rows, mistakes=[known])
    expected = FLOATS[step.operation](*(others.get(id(o), o) for o in step.operands))
    if same(again, expected):
        return None
    names = {name: others[id(node)] for name, node in step.nodes.items() if id(node) in others}
    given = ", ".join(f"{name} = {number:g}" for name, number in names.items())
    rows = [(f"{step.name} worked out again with {given}", expected, again)]
    return step.fault("The number is right, its record is not.", rows=rows, mistakes=[ANOTHER_STORY])


def worked_out(root, others):
    """(ids of the nodes reached, the root's number) from its record, with `others` in place of some nodes' numbers."""
    reached = {}

    def number(node):
        if isinstance(node, int | float):
            raise Trouble(
                "The numbers are right.", f"A plain number, {node}, stands among the inputs. Make it a Value."
            )
        if id(node) not in reached:
            reached[id(node)] = others[id(node)] if id(node) in others else computed(node, list(node._prev))
        return reached[id(node)]

    def computed(node, inputs):
        if not inputs:
            return node.data
        xs = [number(input) for input in inputs]
        if node._op.startswith("**") and len(xs) == 1:
            return xs[0] ** float(node._op.strip("*() "))
        if node._op in ("neg", "-") and len(xs) == 1:
            return -xs[0]
        if node._op not in ("+", "-", "*", "/", "**") or len(xs) != 2:
            of = "1 input" if len(xs) == 1 else f"{len(xs)} inputs"
            raise Trouble(
                "The numbers are right.",
                f"A node has the sign {node._op!r} and {of}: the check cannot work that out again. "
                "Signs of two inputs are + - * / **, of one neg and **n.",
            )
        return FLOATS[node._op](*xs)

    found = number(root)
    return reached, found if isinstance(found, int | float) else math.nan
