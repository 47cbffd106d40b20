"""The check of `guarded`: the results of runs, and the numbers at which their programs are recorded."""

import functools
import itertools
import random

from exercises.judging.vocabulary import AnswerError, called, exercise, kind, make_result, needs_functions


def both_sides(x):
    """Return |x| as an `if` computes it: (the decision, (value, slope))."""
    return x > 0, (x, 1.0) if x > 0 else (-x, -1.0)


def squares(x):
    """Return x · x on one side and -x on the other, as in the lesson: (the decision, (value, slope))."""
    return x > 0, (x * x, 2.0 * x) if x > 0 else (-x, -1.0)


def three_ways(x):
    """Return -x, x or 3 · x from two `if`s with three outcomes: (-1, 0 or 1, (value, slope))."""
    way = (x > 1) - (x < -1)
    return way, ((x, 1.0), (3.0 * x, 3.0), (-x, -1.0))[way]


def two_ifs(x):
    """Return the result of two independent `if`s: (a pair of decisions, (value, slope))."""
    ways = x > 0, x > 1.5
    return ways, {(False, False): (-x, -1.0), (True, False): (4.0 * x, 4.0), (True, True): (x, 1.0)}[ways]


def five_ways(x):
    """Return a multiple of x from four `if`s with five outcomes: (how many of them x is above, (value, slope))."""
    way = sum(x > border for border in (-2, -1, 1, 2))
    return way, ((way + 1.0) * x, way + 1.0)


WORDS = {
    five_ways: "f(x) = x, and x more above each of -2, -1, 1 and 2",
    squares: "f(x) = x · x if x > 0 else -x",
    three_ways: "f(x) = 3 · x above 1, -x below -1, else x",
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
    """Return GUARDED; with a seed, calls at random numbers, 0 among them, and on more sides than three."""
    if not seed:
        return GUARDED
    luck = random.Random(f"guarded {seed}")
    sets = (two_ifs,), (three_ways, both_sides), (squares, three_ways)
    sides = luck.sample((-2.75, -1.75, 0.25, 1.25, 2.25), 5)
    calls = [(0, side + luck.randrange(16) / 32) for side in (*sides, *sides)]
    made = [((five_ways,), WORDS[five_ways], calls)]
    for fs in sets:
        xs = luck.sample([0.0, *luck.choices(NUMBERS, k=9)], 10)
        made.append((fs, "; ".join(map(WORDS.get, fs)), [(luck.randrange(len(fs)), x) for x in xs]))
    return made


FIXED = (2.0, -2.0, 0.5)  # a number on each side of each `if`
NUMBERS = [step / 32 for step in range(-120, 121) if step not in (0, 32, -32, 48)]  # none of them on a border


class Recorder:
    """A recorder of one function, which notes at which x it was asked to record."""

    def __init__(self, f):
        self.f, self.at = f, []

    def record(self, x):
        """Return the program of f at x: at every number it does what f did at x."""
        self.at.append(x)
        way = self.f(x)[0]
        like = next(y for y in (x, *FIXED) if self.f(y)[0] == way)
        return functools.partial(straight, self.f, like)

    def decide(self, x):
        """Return how f's `if`s decide at x."""
        return self.f(x)[0]


def straight(f, like, x):
    """Compute f at x with the decisions of `like`: each of these functions is a · x or x · x on a side."""
    if f is squares and like > 0:
        return x * x, 2.0 * x
    slope = f(like)[1][1]
    return slope * x, slope


def pair(found):
    """Return (value, slope) as text; describe anything else."""
    fine = isinstance(found, tuple) and len(found) == 2 and all(isinstance(x, int | float) for x in found)
    if callable(found):
        return "a function"
    return f"{found[0]:g}, slope {found[1]:g}" if fine else kind(found)


@exercise
def guarded(guarded, *, seed=0):
    """Check that `guarded(record, decide)` replays a program if `decide` answers as before, and else records again."""
    if not isinstance(guarded, type):  # calling a class also gives something that can be called
        needs_functions(guarded=guarded)
    for functions, words, calls in guarded_calls(seed):
        recorders = [Recorder(f) for f in functions]
        runs = [called(guarded, r.record, r.decide, what="guarded(record, decide)", returns=object) for r in recorders]
        for run in runs:
            if not callable(run):
                raise AnswerError(
                    "Tested: guarded(record, decide).", f"It returned {kind(run)}. Return a function of x."
                )
        rows, lines = [], ["run = guarded(record, decide)"]
        for which, x in calls:
            found = called(runs[which], x, what=f"run({x:g}), with {words}", returns=object)
            rows.append((f"run({x:g})", pair(functions[which](x)[1]), pair(found)))
            lines.append(f"run({x:g})")
        for recorder, f, number in zip(recorders, functions, itertools.count(1)):
            asked = [x for which, x in calls if functions[which] is f]
            first = [x for i, x in enumerate(asked) if f(x)[0] not in {f(y)[0] for y in asked[:i]}]
            of = f" of function {number}" if len(functions) > 1 else ""
            rows.append((f"recorded at{of}", format_inputs(first), format_inputs(recorder.at)))
        yield make_result(f"Wrong here: {words}.", *rows, case="\n".join(lines))
    return "Right: each branch is recorded once, at the first x that takes it, and replayed from then on."


def format_inputs(xs):
    return ", ".join(f"{x:g}" if isinstance(x, int | float) else kind(x) for x in xs) or "never"
