"""A learner's tests against wrong engines, as a matrix: which test catches which, on the engines of a family."""

import contextlib
import html
import math
import random
import re
from dataclasses import dataclass

import autograd
from autograd.dual import Dual, forward_gradient
from exercises.engine_file.parts import COURSE_MODULES
from exercises.engines.wrong_engines import WRONG_ENGINES, Engine
from exercises.judging.answers import answer, has, is_a_sequence, kind
from exercises.sandbox.guard import AnswerError, NotAttempted, TimeUp, run_guarded, trying
from exercises.sandbox.isolation import code_objects
from exercises.verdicts.cases import is_close

OF_A_NODE = re.compile(r"'(?:Duals?|Leaf)' object has no attribute '(backward|data|grad|label|_prev|_op|_backward)'")
ONLY_COMPUTES = "f only computes; the comparing is done for you. Don't use assert, backward(), .data or .grad in it."


@dataclass(frozen=True)
class KillMatrix:
    """`killed[i][j]` is whether test i catches wrong engine j. `faults`: bad tests. `wrong`: the wrong engines."""

    killed: tuple
    faults: tuple = ()
    wrong: tuple = WRONG_ENGINES

    @property
    def caught(self):
        """The wrong engines that at least one test catches."""
        return [w for j, w in enumerate(self.wrong) if any(row[j] for row in self.killed)]

    @property
    def score(self):
        return len(self.caught)

    def says(self):
        """Return the result in one sentence, with the mistakes that were not caught."""
        away = [f"{w.id} ({w.name})" for w in self.wrong if w not in self.caught]
        tests = f"{len(self.killed)} test{'s' if len(self.killed) != 1 else ''}"
        got_away = f" Not caught: {'; '.join(away)}." if away else " None was missed."
        if not self.caught:
            got_away = ""
        return f"{tests}: {self.score} of {len(self.wrong)} wrong engines caught.{got_away}"

    def __repr__(self):
        rows = [
            f"test {i}: " + " ".join(w.id for w, k in zip(self.wrong, row) if k) for i, row in enumerate(self.killed, 1)
        ]
        return "\n".join([*([] if self.faults and not self.killed else [self.says()]), *rows, *self.faults])

    def html(self):
        """Return the matrix as a table, one engine per row: ✓ under each test that catches it; in bold if none does."""
        faults = "".join(f"<p>{html.escape(fault)}</p>" for fault in self.faults)
        if faults and not self.killed:
            return faults
        centred = 'style="text-align:center"'
        head = "".join(f'<th scope="col" {centred}>test {i}</th>' for i in range(1, len(self.killed) + 1))
        rows = "".join(self.row(w, [tests[j] for tests in self.killed]) for j, w in enumerate(self.wrong))
        sums = "".join(f"<td {centred}>{sum(tests)}</td>" for tests in self.killed)
        left = 'style="text-align:left"'
        score, _, _ = self.says().partition(" Not caught:")  # the rows have their names
        return (
            f"<p><b>{html.escape(score)}</b></p>{faults}"
            f'<table><thead><tr><th scope="col" {left}>wrong engine</th>{head}</tr></thead>'
            f'<tbody>{rows}</tbody><tfoot><tr><th scope="row" {left}>catches</th>{sums}</tr></tfoot></table>'
        )

    def row(self, wrong, caught):
        name = f"{wrong.id} {html.escape(wrong.name)}"
        weight = "normal" if any(caught) else "bold"
        cells = "".join(f'<td style="text-align:center">{"✓" if each else "·"}</td>' for each in caught)
        return f'<tr><th scope="row" style="text-align:left;font-weight:{weight}">{name}</th>{cells}</tr>'

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": repr(self)}


class Scalars:
    """The engines on numbers, and how a test (f, xs) is run on them; `array_tests.Arrays` is the same for arrays."""

    wrong, right, of = WRONG_ENGINES, Engine, "list of numbers"
    example, takes = "[(lambda a, b: a * b, [2.0, 3.0])]", "check.kill_matrix({})"
    node, home = "Value", autograd  # the class in a learner's test, and where it comes from
    is_right = staticmethod(is_close)

    def inputs(self, xs, what):
        return numbers(xs, what)

    def truth(self, f, xs, what):
        """Return (value, slopes) of f, by dual numbers. Raise AnswerError if f does more than compute."""
        with engine_in(f, Leaf), only_computing(what):
            root = answer(f(*map(Dual, xs)), what, object)
            if not isinstance(root, Dual):
                raise AnswerError(
                    f"Tested: {what}.", f"f should return a result of its inputs; it returned {kind(root)}."
                )
            value, slopes = answer(root, what), forward_gradient(f, xs)
        needs_finite(value, slopes, what)
        return value, slopes

    def agrees(self, f, xs, engine, value, slopes):
        """Return whether an engine gives this value and these slopes; one that fails on the test does not."""
        try:
            with engine_in(f, engine, self.node, self.home):
                leaves = [engine(x) for x in xs]
                root = f(*leaves)
                root.backward()
            return self.is_right(root.data, value) and all(
                self.is_right(leaf.grad, slope) for leaf, slope in zip(leaves, slopes)
            )
        except (ArithmeticError, ValueError, IndexError):
            return False


def matrix_of(given, named, family):
    """Return the KillMatrix of kill_matrix's arguments, on the engines of a family."""
    if len(given) != 1 or named:
        return KillMatrix((), (f"It takes one list of tests: {family.takes.format(family.example)}.",), family.wrong)
    try:
        tests = require_tests(*given, family)
    except AnswerError as error:
        return KillMatrix((), (" ".join(error.sentences),), family.wrong)
    killed, faults, unwritten = [], [], []
    for i, test in enumerate(tests, start=1):
        try:
            killed.append(run_guarded(lambda test=test, i=i: kills(test, i, family)))
            continue
        except NotAttempted as unfinished:
            (faults if str(unfinished) else unwritten).append(str(unfinished) or str(i))
        except AnswerError as error:
            faults.append(" ".join(error.sentences))
        except TimeUp:
            faults.append(f"Test {i} did not end, and was stopped.")
        killed.append((False,) * len(family.wrong))
    if unwritten:
        which = f"Test {unwritten[0]} is" if len(unwritten) == 1 else f"Tests {', '.join(unwritten)} are"
        faults.append(f"{which} not written yet.")
    return KillMatrix(tuple(killed), tuple(faults), family.wrong)


def require_tests(tests, family=Scalars):
    """Return the tests as a list. Raise AnswerError if they are anything else, or a single test."""
    if isinstance(tests, tuple) and len(tests) == 2 and callable(tests[0]):
        raise AnswerError(f"That is one test. Put it in a list: {family.example}.")
    if not isinstance(tests, list | tuple) and not is_a_sequence(tests):
        raise AnswerError(f"A list of pairs (f, xs) was expected, as in {family.example}; it is {kind(tests)}.")
    return answer(tests, "the list of tests", (list, tuple))


def kills(test, i, family):
    """Return for each wrong engine whether this test catches it. Raise AnswerError if it fails on the right one too."""
    what = f"test {i}"
    if test is None or test is ...:
        raise NotAttempted
    if not isinstance(test, tuple | list) or len(test) != 2 or not callable(test[0]):
        raise AnswerError(
            f"Tested: {what}.", f"A test is a pair (f, xs): a function, and the {family.of} to call it with."
        )
    f, xs = test
    with trying(what):
        xs = family.inputs(xs, what)
        value, slopes = family.truth(f, xs, what)
        right, engines, agrees = family.right, [w.engine for w in family.wrong], {family.right: True}
        again = random.Random(i).sample(engines, len(engines))  # in another order, in which an f with a memory differs
        for engine in (right, *engines, right, *again, right):
            found = bool(family.agrees(f, xs, engine, value, slopes))
            if agrees.setdefault(engine, found) is not found:
                says = (
                    "It fails on the right engine too."
                    if engine is right
                    else "It gave two results on the same engine."
                )
                raise AnswerError(f"Tested: {what}.", f"{says} f must give the same result each time.")
        return tuple(not agrees[engine] for engine in engines)


def numbers(xs, what="a test"):
    """Return the inputs of a test as floats, from a list of numbers or of leaves."""
    if isinstance(xs, str | bytes) or not has(xs, "__iter__"):
        raise AnswerError(
            f"Tested: {what}.", f"The inputs are a list of numbers, such as [2.0, 3.0]; it is {kind(xs)}."
        )
    given = [x.data if has(x, "grad") else x for x in xs]
    for x in given:
        if not isinstance(x, int | float) and not hasattr(type(x), "__float__"):
            says = f"The inputs are a list of numbers, such as [2.0, 3.0]; one of them is {kind(x)}."
            raise AnswerError(f"Tested: {what}.", says)
        if not math.isfinite(x):
            raise AnswerError(
                f"Tested: {what}.", f"One of the inputs is {float(x)}. Take finite numbers, such as 0.7 and -1.3."
            )
    return list(map(float, given))


@contextlib.contextmanager
def only_computing(what):
    """Turn errors of a run of f on dual numbers into a sentence if f does more than compute."""
    try:
        yield
    except AttributeError as fault:
        if found := OF_A_NODE.match(str(fault)):  # read or set
            raise AnswerError(f"Tested: {what}.", f"f uses .{found[1]}. {ONLY_COMPUTES}") from None
        raise
    except AssertionError:
        raise AnswerError(f"Tested: {what}.", f"f has an assert that fails. {ONLY_COMPUTES}") from None


def needs_finite(value, slopes, what):
    """Raise AnswerError if a value or a slope is nan or infinite."""
    if any(map(math.isnan, [value, *slopes])) and not any(map(math.isinf, [value, *slopes])):
        raise AnswerError(f"Tested: {what}.", "Its value or a gradient is nan, which no engine can be compared with.")
    if not all(map(math.isfinite, [value, *slopes])):
        raise AnswerError(f"Tested: {what}.", "Its value or a gradient is too large for a float. Take smaller numbers.")


class Leaf(Dual):
    """A constant among dual numbers, with the arguments of an engine's leaf."""

    __slots__ = ()

    def __init__(self, data, *rest, label=""):
        super().__init__(data)


@contextlib.contextmanager
def engine_in(f, engine, name="Value", home=autograd):
    """Replace, for a while, the Values that f makes or finds in its notebook by this engine's.

    name: "Tensor" for those; home: the module of the package that has it.
    """
    places = [
        globals_ for _, globals_ in code_objects(f) if not str(globals_.get("__name__")).startswith(COURSE_MODULES)
    ]
    changed = [(vars(home), name, vars(home)[name])]
    for place in places:
        changed += [(place, bound, thing) for bound, thing in place.items() if is_a_value(thing, name)]
    for place, bound, thing in changed:
        place[bound] = engine if isinstance(thing, type) else engine(thing.data)
    try:
        yield
    finally:
        for place, bound, thing in changed:
            place[bound] = thing


def is_a_value(thing, name="Value"):
    """Return whether something is a class of this name, of any engine, or a leaf of one."""
    if isinstance(thing, type):
        return thing.__name__ == name
    return type(thing).__name__ == name and has(thing, "data") and not getattr(thing, "_prev", ())
