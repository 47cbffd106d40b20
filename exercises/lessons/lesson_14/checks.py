"""The checks of lesson 14: a guard for recorded programs, a pass in segments, and a rule that knows versions."""

import functools
import itertools
import math
import random

from autograd.dual import Dual, forward_gradient
from autograd.messages import show
from exercises.engine_file import parts
from exercises.judging.grading import called, exercise, kind, needs_functions, stranger
from exercises.sandbox.guard import Trouble, trying
from exercises.verdicts.cases import same
from exercises.verdicts.seen import seen

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


def two_ifs(x):
    """Two `if`s, each of which answers by itself: a pair of answers."""
    ways = x > 0, x > 1.5
    return ways, {(False, False): (-x, -1.0), (True, False): (4.0 * x, 4.0), (True, True): (x, 1.0)}[ways]


def five_ways(x):
    """Four `if`s, five answers: how many of them x is above."""
    way = sum(x > border for border in (-2, -1, 1, 2))
    return way, ((way + 1.0) * x, way + 1.0)


WORDS = {
    five_ways: "f(x) = x, and x more above each of -2, -1, 1 and 2",
    squares: "f(x) = x · x if x > 0 else -x",
    three_ways: "f(x) = x above 1, -x below -1, else 3 · x",
    two_ifs: "f(x) = x above 1.5, 4 · x above 0, else -x; decide(x) gives two answers",
    both_sides: "f(x) = x if x > 0 else -x",
}
GUARDED = (  # the functions, and (which function, x) in turn
    ((squares,), WORDS[squares], ((0, 2.0), (0, 3.5), (0, -3.25), (0, -1.0), (0, 0.5), (0, -2.75))),
    ((squares,), f"{WORDS[squares]}, first below 0", ((0, -1.0), (0, -1.0), (0, 4.0), (0, 4.0))),
    ((three_ways,), WORDS[three_ways], ((0, 0.5), (0, 2.25), (0, -2.0), (0, -0.5), (0, 7.5), (0, -1.25))),
    ((squares, both_sides), "two functions, each with a guard", ((0, 2.0), (1, 3.0), (0, -2.0), (1, -3.5), (0, 1.5))),
    ((two_ifs,), WORDS[two_ifs], ((0, 0.75), (0, 2.5), (0, -0.25), (0, 1.25), (0, 3.5), (0, -4.5))),
)


def guarded_calls(seed):
    """What GUARDED holds; with a seed, calls at drawn numbers, 0 among them, and on more sides than three."""
    if not seed:
        return GUARDED
    luck = random.Random(f"guarded {seed}")
    sets = (two_ifs,), (three_ways, both_sides), (squares, three_ways)
    sides = luck.sample((-2.75, -1.75, 0.25, 1.25, 2.25), 5)
    calls = [(0, side + luck.randrange(16) / 32) for side in (*sides, *sides)]
    return [((five_ways,), WORDS[five_ways], calls)] + [
        (
            fs,
            "; ".join(map(WORDS.get, fs)),
            [(luck.randrange(len(fs)), x) for x in luck.sample([0.0, *luck.choices(NUMBERS, k=9)], 10)],
        )
        for fs in sets
    ]


NUMBERS = [step / 32 for step in range(-120, 121) if step not in (0, 32, -32, 48)]  # none of them at a border


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
    if callable(found):
        return "a function"
    return f"{found[0]:g}, slope {found[1]:g}" if fine else kind(found)


@exercise
def guarded(guarded, *, seed=0):
    """`guarded(record, decide)` replays a program where `decide` answers as before, and else records anew."""
    needs_a_maker(guarded=guarded)
    for functions, words, calls in guarded_calls(seed):
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


def needs_a_maker(**given):
    """Trouble where something is neither a function nor a class: a class, too, makes something that can be called."""
    if not all(isinstance(thing, type) for thing in given.values()):
        needs_functions(**given)


def told(xs):
    """Numbers as text."""
    return ", ".join(f"{x:g}" if isinstance(x, int | float) else kind(x) for x in xs) or "never"


# Exercise 2: a pass in segments

LAYERS = (  # functions of h and of a parameter, and the parameter's number
    (lambda h, w: h * w + 0.25, 1.5),
    (lambda h, w: (h * w).tanh(), 0.75),
    (lambda h, w: h * h + w, 0.5),
    (lambda h, w: (h * w).exp(), -0.5),
    (lambda h, w: h * h * h * w, 0.5),
    (lambda h, w: (h + h * w).tanh(), 0.5),
    (lambda h, w: w * h + -1.0, 1.5),
)
PLACES = 0, 1, 2, 3, 4, 5, 0  # of each layer's parameter: the last layer shares the first one's
SEGMENTED = ((6, 2, 0.4), (7, 3, 0.4), (7, 3, -0.8), (7, 1, 0.4), (4, 4, 0.4), (5, 8, -0.8), (1, 1, 0.3))


def parameters_of(count, scale):
    """The numbers of the parameters of so many layers."""
    return [scale * LAYERS[place][1] for place in sorted(set(PLACES[:count]))]


def layers_of(count):
    """(function, the place of its parameter) of so many layers; after the last the first comes again."""
    kinds = itertools.cycle(zip(LAYERS, PLACES))
    return [(layer, place) for (layer, _), place in itertools.islice(kinds, count)]


def derivatives(count, x, scale=1.0):
    """(the number that so many layers come to, its derivatives by x and by each parameter), by dual numbers."""
    numbers = [x, *parameters_of(count, scale)]

    def output(h, *parameters):
        for layer, place in layers_of(count):
            h = layer(h, parameters[place])
        return h

    return output(*map(Dual, numbers)).value, forward_gradient(output, numbers)


class Chain:
    """Layers with parameters on a fresh engine, which note their runs and the graphs that they stand in.

    runs: of each layer. longest: layers in one graph. passes: backward passes. kept: runs of other layers between the
    making of a graph and the pass back through it.
    """

    def __init__(self, count, scale=1.0):
        self.engine, self.runs, self.longest, self.passes, self.kept = parts.fresh("accumulate"), [0] * count, 0, 0, 0
        self.parameters = list(map(self.engine, parameters_of(count, scale)))
        self.layers = [functools.partial(self.run, i, *each) for i, each in enumerate(layers_of(count))]
        plain = self.engine.backward

        def backward(root):
            made = self.made_in(root)
            self.passes += 1
            self.kept += sum(self.runs) - min(made, default=0) + 1 - len(made) if made else 0
            plain(root)

        self.engine.backward = backward

    def run(self, i, layer, place, h):
        """One layer, with the parameter at a place, on a Value."""
        if not isinstance(h, self.engine):
            raise TypeError(f"a layer takes a Value, and was given {stranger(h)}")
        self.runs[i] += 1
        out = layer(h, self.parameters[place])
        out.turn = sum(self.runs)  # of all runs, which one made it
        self.longest = max(self.longest, len(self.made_in(out)))
        return out

    def made_in(self, root):
        """The turns of the layers whose results stand in a graph."""
        found, stack = {root}, [root]
        while stack:
            for node in stack.pop()._prev:
                if node not in found:
                    found.add(node)
                    stack.append(node)
        return [node.turn for node in found if node._prev and hasattr(node, "turn")]


@exercise
def segmented(segmented, *, seed=0):
    """`segmented(Value, layers, x, every)` gives number and slope, and the parameters their gradients, in segments."""
    needs_functions(segmented=segmented)
    for count, every, x, scale in drawn_chains(seed) if seed else ((*each, 1.0) for each in SEGMENTED):
        words = f"{count} layer{'s' * (count > 1)}, {every} in a segment, x = {x:g}"
        chain, graphs = Chain(count, scale), -(-count // every)
        found = called(
            segmented,
            chain.engine,
            chain.layers,
            x,
            every,
            what=f"segmented(Value, layers, x, every), {words}",
            returns=object,
        )
        number, slope = two_numbers(found, words)
        right, (by_x, *by_parameters) = derivatives(count, x, scale)
        grads = [float(parameter.grad) for parameter in chain.parameters]
        rows = [
            ("number", show(right), show(number), same(number, right)),
            ("slope", show(by_x), show(slope), same(slope, by_x)),
            *(
                (f"grad of parameter {i}", show(expected), show(got), same(got, expected))
                for i, (expected, got) in enumerate(zip(by_parameters, grads), start=1)
            ),
            ("layers in the longest graph", f"at most {every}", str(chain.longest), chain.longest <= every),
            ("runs of a layer", "1 or 2", most(chain.runs), all(1 <= n <= 2 for n in chain.runs)),
            ("runs of other layers while a graph is kept", "0", str(chain.kept)),
            ("backward passes", f"{graphs}, one a segment", str(chain.passes), chain.passes in (0, graphs)),
        ]
        yield seen(f"Not as it should be: {words}.", *rows, case=f"segmented(Value, layers[:{count}], {x:g}, {every})")
    return f"Right for {len(SEGMENTED)} chains: the gradients of one whole graph, and never more than a segment of it."


def drawn_chains(seed):
    """(layers, so many in a segment, x, the scale of the parameters) for the silent round."""
    luck = random.Random(f"segmented {seed}")
    many = luck.randint(11, 14)
    yield 5, luck.choice((1, 2)), -0.125, 4 / 3  # 0 goes into a segment, and comes back to it
    lengths = [(luck.randint(2, 7), luck.randint(1, 8)) for _ in range(5)] + [(many, many), (many, luck.randint(1, 5))]
    numbers = [0.0, luck.uniform(1.1, 1.6), *(luck.uniform(-1.6, 1.6) for _ in lengths[2:])]
    for (count, every), x in zip(lengths, numbers):
        yield count, every, round(x, 5), round(luck.uniform(0.5, 1.2), 5)


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
    """A Value of which only data and version count. A version is another int, an equal one, at each read."""

    def __init__(self, data, version=0):
        self._data, self._version, self.reads = data, version, 0

    @property
    def version(self):
        self.reads += 1
        return int(str(self._version))

    @property
    def data(self):
        return self._data

    @data.setter
    def data(self, number):
        self._data, self._version = number, self._version + 1

    def __repr__(self):
        return f"Value(data={self._data:g})"


Held.__name__ = Held.__qualname__ = "Value"  # by which an exception calls it
RAN, RAISED = "the rule runs", "RuntimeError, and the rule does not run"


@exercise
def version_rule(version_rule, *, seed=0):
    """`version_rule(rule, inputs)` gives a rule that raises where an input's version has changed since."""
    needs_a_maker(version_rule=version_rule)
    for words, versions, change, right in drawn_versions(seed) if seed else VERSIONS:
        inputs, runs = [Held(2.0 + i, version) for i, version in enumerate(versions)], []
        what = f"version_rule(rule, inputs), {words}"
        rule = called(version_rule, functools.partial(runs.append, 1), inputs, what=what, returns=object)
        at_once, read = len(runs), sum(each.reads for each in inputs)
        if not callable(rule):
            raise Trouble(f"Tested: {what}.", f"It returned {kind(rule)}. Return a function without arguments.")
        rows = [("when it is made", "nothing runs", "the rule runs" if at_once else "nothing runs")]
        for turn, (changed, expected) in enumerate(zip(change, right), start=1):
            for i, number in changed:
                inputs[i].data = number
            rows.append((f"call {turn}", expected, end_of(rule, runs, what)))
        then = sum(each.reads for each in inputs) > read
        rows.append(("versions read, when it is made and when it is called", "", [read > 0, then], True))
        lines = [f"versions {', '.join(map(str, versions)) or 'of no inputs'}; {words}"]
        yield seen(f"Not as it should be: {words}.", *rows, case="\n".join(lines))
    return f"Right in {len(VERSIONS)} cases: it raises if and only if an input was set in between."


def end_of(rule, runs, what):
    """What a call of the rule ends in."""
    before = len(runs)
    with trying(what):
        try:
            back = rule()
            raised = "an exception is returned" if is_exception(back) else ""
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


def is_exception(thing):
    """Whether something is an exception, or a class of them."""
    return isinstance(thing, BaseException) or (isinstance(thing, type) and issubclass(thing, BaseException))


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
    ("versions of long training, and nothing is changed", (1000, 70000), ((), ()), (RAN, RAN)),
    ("the last of three inputs is set", (257, 257, 257), ((), ((2, 0.5),)), (RAN, RAISED)),
)


def drawn_versions(seed):
    """Rows of VERSIONS for the silent round: of up to five inputs, one is set before the last call, or none."""
    luck = random.Random(f"version_rule {seed}")
    for place in range(8):
        count = luck.randint(1, 5) if place else 5
        versions = tuple(luck.choice((0, 1, luck.randint(2, 10**6))) for _ in range(count))
        calls, which = luck.randint(1, 3), luck.choice((None, *range(count)) if place else (3, 4))
        change = [()] * (calls - 1) + [() if which is None else ((which, luck.choice((2.0 + which, 0.25))),)]
        words = "nothing is changed" if which is None else f"input {which + 1} of {len(versions)} is set"
        yield words, versions, change, [RAN] * (calls - 1) + [RAN if which is None else RAISED]
