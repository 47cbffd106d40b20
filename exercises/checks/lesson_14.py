"""The checks of lesson 14: a guard for recorded programs, a pass in segments, and a rule that knows versions."""

import functools
import itertools
import math

from autograd.dual import Dual
from autograd.messages import show
from exercises import parts
from exercises.cases import same
from exercises.grading import called, exercise, kind, needs_functions
from exercises.guard import Trouble, trying
from exercises.seen import seen

# Exercise 1: a guard


def both_sides(x):
    """|x| as an `if` writes it: (what decides, (value, slope))."""
    return x > 0, (x, 1.0) if x > 0 else (-x, -1.0)


def squares(x):
    """x · x on one side, -x on the other, as in the lesson."""
    return x > 0, (x * x, 2.0 * x) if x > 0 else (-x, -1.0)


def three_ways(x):
    """Two `if`s, three answers: -1, 0 and 1."""
    way = (x > 1) - (x < -1)
    return way, ((x, 1.0), (3.0 * x, 3.0), (-x, -1.0))[way]


GUARDED = (  # the functions, and (which function, x) in turn
    ((squares,), "f(x) = x · x if x > 0 else -x", ((0, 2.0), (0, 3.0), (0, -3.0), (0, -1.0), (0, 5.0), (0, -2.0))),
    ((squares,), "f(x) = x · x if x > 0 else -x, first below 0", ((0, -1.0), (0, -1.0), (0, 4.0), (0, 4.0))),
    ((three_ways,), "f(x) = x above 1, -x below -1, else 3 · x", ((0, 0.5), (0, 2.0), (0, -2.0), (0, -0.5), (0, 7.0))),
    ((squares, both_sides), "two functions, each with a guard", ((0, 2.0), (1, 3.0), (0, -2.0), (1, -3.0), (0, 1.0))),
)


class Recorder:
    """A recorder of one function, which notes at which x it was asked to record."""

    def __init__(self, f):
        self.f, self.at = f, []

    def record(self, x):
        """The program of f at x: it does, at every number, what f did at x."""
        self.at.append(x)
        way = self.f(x)[0]
        like = next(y for y in (x, *FIXED) if self.f(y)[0] == way)
        return functools.partial(straight, self.f, like)

    def decide(self, x):
        """How f's `if`s fall at x."""
        return self.f(x)[0]


FIXED = (2.0, -2.0, 0.5)  # a number on each side of each `if`


def straight(f, like, x):
    """What f, decided as it was at `like`, gives at x: each of these functions is a · x or x · x on a side."""
    if f is squares and like > 0:
        return x * x, 2.0 * x
    slope = f(like)[1][1]
    return slope * x, slope


def pair(found):
    """(value, slope) as text; what else it is, where it is none."""
    fine = isinstance(found, tuple) and len(found) == 2 and all(isinstance(x, int | float) for x in found)
    return f"{found[0]:g}, slope {found[1]:g}" if fine else kind(found)


@exercise
def guarded(guarded):
    """`guarded(record, decide)` replays a program where `decide` answers as before, and else records anew."""
    needs_functions(guarded=guarded)
    for functions, words, calls in GUARDED:
        recorders = [Recorder(f) for f in functions]
        runs = [called(guarded, r.record, r.decide, what="guarded(record, decide)", returns=object) for r in recorders]
        for run in runs:
            if not callable(run):
                raise Trouble("Tested: guarded(record, decide).", f"It returned {kind(run)}. Return a function of x.")
        rows, lines = [], ["run = guarded(record, decide)"]
        for which, x in calls:
            found = called(runs[which], x, what=f"run({x:g}), with {words}", returns=object)
            rows.append((f"run({x:g})", pair(functions[which](x)[1]), pair(found)))
            lines.append(f"run({x:g})")
        for recorder, f, number in zip(recorders, functions, itertools.count(1)):
            asked = [x for which, x in calls if functions[which] is f]
            first = [x for i, x in enumerate(asked) if f(x)[0] not in {f(y)[0] for y in asked[:i]}]
            of = f" of function {number}" if len(functions) > 1 else ""
            rows.append((f"recorded at{of}", told(first), told(recorder.at)))
        yield seen(f"Not as it should be: {words}.", *rows, case="\n".join(lines))
    return "Right: each branch is recorded once, at the first x that takes it, and replayed from then on."


def told(xs):
    """Numbers as text."""
    return ", ".join(f"{x:g}" if isinstance(x, int | float) else kind(x) for x in xs) or "never"


# Exercise 2: a pass in segments

LAYERS = (
    lambda h: h * 1.5 + 0.25,
    lambda h: (h * 0.75).tanh(),
    lambda h: h * h + 0.5,
    lambda h: (h * -0.5).exp(),
    lambda h: h * h * h * 0.5,
    lambda h: (h + h * 0.5).tanh(),
    lambda h: 2.0 * h + -1.0,
)
SEGMENTED = ((6, 2, 0.4), (7, 3, 0.4), (7, 3, -0.8), (7, 1, 0.4), (4, 4, 0.4), (5, 8, -0.8), (1, 1, 0.3))


@exercise
def segmented(segmented):
    """`segmented(Value, layers, x, every)` gives number and slope, with graphs of at most `every` layers."""
    needs_functions(segmented=segmented)
    for count, every, x in SEGMENTED:
        words = f"{count} layer{'s' * (count > 1)}, {every} in a segment, x = {x:g}"
        engine, runs, longest = parts.fresh("accumulate"), [0] * count, [0]
        layers = [noted(layer, i, runs, longest) for i, layer in enumerate(LAYERS[:count])]
        found = called(
            segmented, engine, layers, x, every, what=f"segmented(Value, layers, x, every), {words}", returns=object
        )
        number, slope = two_numbers(found, words)
        right = functools.reduce(lambda h, layer: layer(h), LAYERS[:count], Dual(x, 1.0))
        rows = [
            ("number", show(right.value), show(number), same(number, right.value)),
            ("slope", show(right.derivative), show(slope), same(slope, right.derivative)),
            ("layers in the longest graph", f"at most {every}", str(longest[0]), longest[0] <= every),
            ("runs of a layer", "1 or 2", most(runs), all(1 <= n <= 2 for n in runs)),
        ]
        yield seen(f"Not as it should be: {words}.", *rows, case=f"segmented(Value, layers[:{count}], {x:g}, {every})")
    return f"Right for {len(SEGMENTED)} chains: the numbers of one whole graph, and never more than a segment of it."


def noted(layer, i, runs, longest):
    """A layer that counts its runs, and how many layers stand in one graph with its result."""

    def run(h):
        if not hasattr(h, "_prev"):
            raise TypeError(f"a layer takes a Value, and was given {kind(h)}")
        runs[i] += 1
        out = layer(h)
        out.layers = getattr(h, "layers", 0) + 1
        longest[0] = max(longest[0], out.layers)
        return out

    return run


def most(runs):
    """How often layers ran, in words."""
    low, high = min(runs), max(runs)
    return str(low) if low == high else f"from {low} to {high}"


def two_numbers(found, words):
    """What `segmented` returned, as two floats; Trouble where it is something else."""
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Trouble(f"Tested: {words}.", f"Return two numbers, (number, slope). It returned {kind(found)}.")
    for name, each in zip(("number", "slope"), found):
        if isinstance(each, bool) or not isinstance(each, int | float):
            raise Trouble(
                f"Tested: {words}.", f"The {name} is {'None' if each is None else kind(each)}, and no number."
            )
    return tuple(float(each) if math.isfinite(each) else math.nan for each in found)


# Exercise 3: a rule that knows versions


class Held:
    """A Value of which only data and version count."""

    def __init__(self, data, version=0):
        self._data, self.version = data, version

    @property
    def data(self):
        return self._data

    @data.setter
    def data(self, number):
        self._data, self.version = number, self.version + 1

    def __repr__(self):
        return f"Value(data={self._data:g})"


RAN, RAISED = "the rule runs", "RuntimeError, and the rule does not run"


@exercise
def version_rule(version_rule):
    """`version_rule(rule, inputs)` gives a rule that raises where an input's version has changed since."""
    needs_functions(version_rule=version_rule)
    for words, versions, change, right in VERSIONS:
        inputs, runs = [Held(2.0 + i, version) for i, version in enumerate(versions)], []
        what = f"version_rule(rule, inputs), {words}"
        rule = called(version_rule, functools.partial(runs.append, 1), inputs, what=what, returns=object)
        at_once = len(runs)
        if not callable(rule):
            raise Trouble(f"Tested: {what}.", f"It returned {kind(rule)}. Return a function without arguments.")
        rows = [("when it is made", "nothing runs", "the rule runs" if at_once else "nothing runs")]
        for turn, (changed, expected) in enumerate(zip(change, right), start=1):
            for i, number in changed:
                inputs[i].data = number
            rows.append((f"call {turn}", expected, end_of(rule, runs, what)))
        lines = [f"versions {', '.join(map(str, versions)) or 'of no inputs'}; {words}"]
        yield seen(f"Not as it should be: {words}.", *rows, case="\n".join(lines))
    return f"Right in {len(VERSIONS)} cases: it raises if and only if an input was set in between."


def end_of(rule, runs, what):
    """What a call of the rule ends in."""
    before = len(runs)
    with trying(what):
        try:
            rule()
            raised = ""
        except RuntimeError as fault:
            if isinstance(fault, NotImplementedError | RecursionError):
                raise
            raised = "RuntimeError"
        except (ValueError, TypeError, AssertionError, ArithmeticError) as fault:
            raised = type(fault).__name__
    ran = len(runs) - before
    if not raised:
        return RAN if ran == 1 else "nothing happens" if not ran else f"the rule runs {ran} times"
    return f"{raised}, and the rule does not run" if not ran else f"the rule runs, and then {raised}"


VERSIONS = (  # what happens, the versions at first, what is set before each call, and what each call should end in
    ("nothing is changed", (0, 0), ((), ()), (RAN, RAN)),
    ("the first input is set", (0, 0), (((0, 5.0),),), (RAISED,)),
    ("the second input is set", (0, 0), (((1, 5.0),),), (RAISED,)),
    ("both are set", (0, 0), (((0, 5.0), (1, 6.0)),), (RAISED,)),
    ("versions that have been raised before, and nothing is changed", (3, 1), ((), ()), (RAN, RAN)),
    ("versions that have been raised before, and one is set", (3, 1), (((0, 7.0),),), (RAISED,)),
    ("an input is set to the number that it has", (0, 0), (((0, 2.0),),), (RAISED,)),
    ("an input is set after the first call", (1, 0), ((), ((1, 9.0),)), (RAN, RAISED)),
    ("an input is set and set back", (0, 4), (((1, 8.0), (1, 3.0)),), (RAISED,)),
    ("one input only", (2,), ((), ((0, 1.0),)), (RAN, RAISED)),
    ("no inputs", (), ((),), (RAN,)),
)
