"""The check of `place_zero_grad`: the updates that four loops make of small lines, against descent by plain floats."""

import copy
import functools
import itertools
import random
from dataclasses import dataclass

from autograd import Module, Value, sum_of_squares
from exercises.content import library
from exercises.judging.vocabulary import (
    AnswerError,
    NotAttempted,
    any_value,
    equal_results,
    exercise,
    make_result,
    needs_functions,
    same_outcome,
    trying,
)

TASKS = dict.fromkeys(("one", "two"), "one update in each round, with the gradient of all its rows") | {
    "three": "an update for each batch, with the gradient of that batch alone",
    "four": "one update in each round, with the sum of the gradients of all its batches",
}
WITH_BATCHES = "three", "four"
AS_GIVEN = "The four loops are unchanged. Fix each one, run the cell above, then run this cell again."


class Loss(Value):
    """A loss of a Line. The line is looked at before and after a pass from this loss, or from a sum with it."""

    __slots__ = ("line",)

    @classmethod
    def from_node(cls, root, line):
        """Make the same node as a Loss."""
        made = cls(root.data, root._prev, root._op, "", root._local)
        made.line = line
        return made

    def backward(self, *args, **named):
        self.line.note_state()
        super().backward(*args, **named)
        self.line.note_state()

    def __add__(self, other):
        return Loss.from_node(super().__add__(other), self.line)

    __radd__ = __add__


class Line(Module):
    """The line w·x + b with its learning rate. It keeps its numbers after each update, and all states that it had."""

    def __init__(self, w, b, lr):
        self.w, self.b, self.lr = Value(w, label="w"), Value(b, label="b"), lr
        self.history, self.states, self.now, self.losses = [], [], [], 0
        self.note_state()

    def parameters(self):
        return [self.w, self.b]

    def note_state(self):
        """Note the state if it has changed: w, b and their gradients."""
        before, self.now = self.now, [self.w.data, self.b.data, self.w.grad, self.b.grad]
        if self.now != before:
            self.states.append(self.now)

    def loss(self, rows):
        """Return the sum of squares over rows (x, y), as a new graph."""
        self.note_state()
        self.losses += 1
        return Loss.from_node(sum_of_squares([self.w * x + self.b for x, _ in rows], [y for _, y in rows]), self)

    def zero_grad(self):
        self.note_state()
        super().zero_grad()
        self.note_state()

    def step(self):
        """Make one update."""
        self.note_state()
        for parameter in self.parameters():
            parameter.data -= self.lr * parameter.grad
        self.states.append("step")
        self.note_state()
        self.history.append(self.now[:2])

    def path(self):
        """Return [w, b] after each update, also after those made by hand, and at the end."""
        moves = [numbers for numbers, _ in itertools.groupby(state[:2] for state in self.states if state != "step")]
        return [*(self.history or moves[1:]), moves[-1]]


@dataclass(frozen=True)
class Start:
    """The input of a loop: a line's first numbers and learning rate, batches of rows (x, y), and how many rounds."""

    w: float
    b: float
    lr: float
    batches: tuple
    rounds: int

    def given(self, name):
        """Return the rows for a loop, all at once or in batches."""
        return [list(rows) for rows in self.batches] if name in WITH_BATCHES else list(sum(self.batches, ()))

    def to_source(self, name):
        """Return the run as lines of Python."""
        given = "batches" if name in WITH_BATCHES else "rows"
        line = "# the line w * x + b; a row is (x, y)"
        first = f"model.w.data, model.b.data, model.lr = {self.w}, {self.b}, {self.lr}"
        return f"{line}\n{first}\n{given} = {self.given(name)}\n{name}(model, {given}, {self.rounds})"


@functools.cache
def descent(start, name):
    """Return [w, b] after each update that a loop should make and at the end, by plain floats."""
    w, b, path = start.w, start.b, []
    for rows in (start.batches if name == "three" else (sum(start.batches, ()),)) * start.rounds:
        errors = [(x, w * x + b - y) for x, y in rows]
        w, b = w - start.lr * sum(2 * e * x for x, e in errors), b - start.lr * sum(2 * e for _, e in errors)
        path.append([w, b])
    return [*path, path[-1]]


@functools.cache
def starts(seed=0):
    """Return random Starts: the first with whole numbers, the last two equal to the first.

    Among them are one whose losses rise from round to round, and one whose loss becomes very small.
    """
    rng, made = random.Random(seed or 7), []
    shapes = ((2, 1), 3), ((1, 2, 1), 2), ((2,), 1 + seed % 5), *([((1, 2) * (seed % 3 + 2), 2)] if seed else [])
    for i, (sizes, rounds) in enumerate(shapes):
        digits = 1 if i else None
        rows = [(round(rng.uniform(-2, 2), digits) or 1, round(rng.uniform(-3, 3), digits)) for _ in range(sum(sizes))]
        ends = list(itertools.accumulate(sizes, initial=0))
        batches = tuple(tuple(rows[start:end]) for start, end in itertools.pairwise(ends))
        w, b = (round(rng.uniform(-2, 2), 1), round(rng.uniform(-2, 2), 1)) if i else (1.0, 0.0)
        made.append(Start(w, b, 0.02, batches, rounds))
    target = 3.0 + seed % 4
    rises = Start(1.5, -0.5, 0.4, (((2.0, target),), ((-1.0, 1.0), (1.5, 0.5))), 4)
    return (*made, rises, Start(0.5, 0.0, 0.1, (((1.0, target),),), 17), made[0], made[0])


def rows_of(name, start, line, given):
    """Return the rows for a loop that was run: how many updates, the first wrong one, and the data afterwards."""
    right, path = descent(start, name), line.path()
    rows = [("updates", f"{len(right) - 1}", f"{len(path) - 1}")]
    if len(path) == len(right):
        when = [f"after update {i}" for i in range(1, len(right))] + ["at the end"]
        off = [both for both in zip(when, right, path) if not equal_results(both[2], both[1])][:1]
        rows += [(f"{what} {when}", e, g) for when, *pair in off for what, e, g in zip("wb", *pair)]
    return [*rows, (f"{'batches' if name in WITH_BATCHES else 'rows'}, afterwards", start.given(name), given)]


def tests_of(name, loop, before=(), seed=0):
    """Return the tests of a loop; those of a wrong loop also hold its states. before: loops that are right."""
    says = f"`{name}` is not right yet. It should make {TASKS[name]}."
    says = f"Right so far: {', '.join(f'`{each}`' for each in before)}. {says}" if before else says
    runs = []
    for start in starts(seed):
        line, given = Line(start.w, start.b, start.lr), start.given(name)
        with trying(f"{name}(model, {'batches' if name in WITH_BATCHES else 'rows'}, {start.rounds})"):
            loop(line, given, start.rounds)
            line.note_state()
        notes = ("states", [], line.states), ("path", [], line.path()), ("losses", 0, line.losses)
        more = [(*note, any_value) for note in notes]
        runs.append((rows_of(name, start, line, copy.deepcopy(given)), more, start.to_source(name)))
    right = all(make_result("", *rows).is_right for rows, *_ in runs)
    return [make_result(says, *rows, *(() if right else more), case=text) for rows, more, text in runs]


@functools.cache
def stubs():
    """Return {name: the tests of the loop as the stub gives it}."""
    names = place_zero_grad.answers(library.stub("place_zero_grad"))
    return {name: tests_of(name, loop) for name, loop in zip(TASKS, names)}


@exercise(work=200)
def place_zero_grad(one, two, three, four, *, seed):
    """Place `zero_grad` in four loops, which run on small lines. Only the first wrong loop is shown.

    So the other loops do not affect its verdict; a mistake looks the same in `one` and in `two`.
    """
    loops = dict(zip(TASKS, (one, two, three, four)))
    needs_functions(**loops)
    tests = {}
    for name, loop in loops.items():
        tests[name] = tests_of(name, loop, tuple(tests), seed)
        if not all(test.is_right for test in tests[name]):
            if name == "one" and all(is_as_given(*each) for each in loops.items()):
                raise NotAttempted(AS_GIVEN)
            yield from tests[name]
            return None
    yield from itertools.chain(*tests.values())
    return f"{len(starts())} runs of each on small lines: all four loops make the right updates."


def is_as_given(name, loop):
    """Return whether a loop does the same as that of the stub."""
    try:
        return all(map(same_outcome, tests_of(name, loop), stubs()[name]))
    except AnswerError:
        return False
