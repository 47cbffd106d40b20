"""A learner's results, read as the kind of answer that the exercise expects: a number, numbers, an engine's tests."""

import collections
import contextlib
import copy
import itertools
import math
import re
import reprlib
from collections.abc import Iterator, Mapping, Set

from exercises.sandbox.guard import AnswerError, NotAttempted, trying
from exercises.verdicts.cases import ALL, cases
from exercises.verdicts.results import make_result

MISSING = ". Is a `return` missing?"
PRINTED = " What it printed was only shown, not returned."
MOST = 100_000  # items read from a learner's generator


class NothingReturned(NotAttempted):
    """A learner's function returned None. case: the call, as lines of Python. printed: whether it printed something."""

    def __init__(self, says, case, printed):
        super().__init__(says)
        self.case, self.printed = case, printed


def called(function, *args, what, returns=float):
    """Call a learner's function with `args` and return its result; `what` says what is tested.

    returns: the type expected: float for any real number, or a type or tuple of types. None and ... raise NotAttempted.
    AnswerError if lists, dicts or sets among the arguments have changed afterwards.
    """
    kinds = list | dict | set | collections.deque
    given = [(arg, copy.copy(arg), short(arg)) for arg in args if isinstance(arg, kinds)]
    with trying(what) as printed:
        found = function(*args)
        if returns is not float and isinstance(found, Iterator):
            found = list(itertools.islice(found, MOST))
    for now, before, text in given:  # the text is from before the call, which may have changed a list inside, too
        if len(now) != len(before) or any(one is not other for one, other in zip(contents(now), contents(before))):
            says = f"It changed the {type(now).__name__} that it was given: it was {text}, and is now {short(now)}."
            raise AnswerError(
                f"Tested: {what}.", says, "Leave it unchanged.", kind=f"{how(before, now)} {type(now).__name__}"
            )
    return answer(found, what, returns, printed=printed.getvalue())


def outcome(what, function, *arguments):
    """Return (the result of a learner's code, ""), or (None, what it raised), so that later tests still run."""
    try:
        with trying(what):
            return function(*arguments), ""
    except AnswerError as error:
        if not error.sentences[-1].startswith("It raised "):  # it did not end, or exited: no test can follow
            raise
        return None, error.sentences[-1]


def failed(raised, case):
    """Return the TestResult of a test in which something was raised."""
    kind = re.match(r"It raised (\w+)|", raised)[1] or raised  # whatever its message, and wherever it was raised
    return make_result(raised, ("raised", None, kind), case=case)


def how(before, now):
    """Say in a word how something that should have stayed unchanged was changed."""
    if not len(now):
        return "an emptied"
    old, new = ([*map(id, contents(things))] for things in (before, now))
    return "a reordered" if sorted(old) == sorted(new) else "a longer" if len(new) > len(old) else "a changed"


def contents(things):
    """Return the items of a list or a set, or the keys and values of a dict, as a list."""
    return [part for item in things.items() for part in item] if isinstance(things, dict) else list(things)


def short(thing):
    """Return a learner's object as Python would show it, cut off if it is long."""
    try:
        return reprlib.repr(thing)
    except Exception:
        return kind(thing)


def answer(found, what, returns=float, came="it returned", printed=""):
    """Return a learner's result if it is of the type expected; else raise NotAttempted, for None and ..., or
    AnswerError.

    If a list is accepted, any other sequence is made one: a tuple, a deque, a generator, an array of one dimension.
    came: "it is", if nothing was called. printed: the text that the call has printed.
    """
    if found is None or found is ... or found is NotImplemented:
        if came == "it returned" and found is None:
            more = PRINTED if printed.strip() else ""
            raise NothingReturned(f"Tested: {what}. It returned None{MISSING}{more}", what, bool(more))
        raise NotAttempted(
            f"Tested: {what}. {came.capitalize()} {'...' if found is ... else found}: not filled in yet."
        )
    if returns is float:
        if isinstance(found, bool) or (not isinstance(found, int | float) and not hasattr(type(found), "__float__")):
            raise AnswerError(f"Tested: {what}.", f"A number was expected; {came} {kind(found)}.")
        try:
            return float(found)
        except OverflowError:  # a whole number with more than 308 digits
            return math.inf if found > 0 else -math.inf
        except Exception:  # an array of several numbers, for example
            raise AnswerError(f"Tested: {what}.", f"A number was expected; {came} {kind(found)}.") from None
    wanted = returns if isinstance(returns, tuple) else (returns,)
    if list in wanted and not isinstance(found, wanted) and is_a_sequence(found):
        with trying(what):
            return list(itertools.islice(found, MOST))
    if returns is not object and not isinstance(found, wanted):
        names = " or ".join(t.__name__ for t in wanted)
        raise AnswerError(f"Tested: {what}.", f"A {names} was expected; {came} {kind(found)}.")
    return found


def is_a_sequence(found):
    """Return whether something can be read as a list: it has an order, and is not text."""
    if isinstance(found, str | bytes | Mapping | Set | type):
        return False
    return isinstance(found, Iterator | collections.deque | range) or (has(found, "tolist") and has(found, "shape"))


def needs_functions(**given):
    """Raise AnswerError if anything but a function was passed: a class, or the result of calling the function."""
    for name, thing in given.items():
        if isinstance(thing, type) or not callable(thing):
            raise AnswerError(
                f"Tested: {name}. It is {kind(thing)}.", "Pass the function itself, by its name, without ()."
            )


def stranger(thing):
    """Describe something that is not a Value of the engine under test in a few words."""
    return "a Value of another engine" if type(thing).__name__ == "Value" else kind(thing)


def has(thing, member):
    """Return whether a learner's object has a member, even if asking for it raises something."""
    try:
        return hasattr(thing, member)
    except Exception:
        return False


def kind(thing):
    """Return what something is, in a few words: 'a list', 'None', 'the string "3"', 'the class Value'."""
    if thing is None:
        return "None"
    if isinstance(thing, str):
        return f"the string {thing!r}"
    if isinstance(thing, type):
        return f"the class {thing.__name__}"
    name = type(thing).__name__
    spelled = name[:2].isupper() or name.startswith("nd")  # as MLP is: then the name of its first letter decides
    first = name[0].upper() if spelled else name[0]
    with_n = first in ("AEFHILMNORSX" if spelled else "aeiouAEIOU") and not re.match(r"u(int|func|ni)", name)
    return f"{'an' if with_n else 'a'} {name}"


def to_plain_data(thing):
    """Return something as plain data: a float for any real number, text in quotes, anything else in a few words."""
    if isinstance(thing, str):
        return repr(thing)
    if not isinstance(thing, bool) and hasattr(type(thing), "__float__"):
        with contextlib.suppress(Exception):
            return float(thing)
    return kind(thing)


def engine_tests(Value, kinds=ALL, *, gradients=True, seed=0, count=24):
    """Yield the tests of a learner's class of numbers in random Cases from operations of these kinds.

    They compare Values with plain floats and, with `gradients`, a backward pass on each fresh graph with dual numbers.
    """
    for case in cases(kinds, count, seed):
        value, slopes = computed(Value, case, gradients)
        rows = [(case.root, case.value, value)]
        if gradients:
            rows += [(f"{leaf}.grad", slope, slopes[leaf]) for leaf, slope in case.gradients().items()]
        rows_wrong = "a gradient is" if make_result("", rows[0]).is_right else "the value is"
        yield make_result(f"For this expression {rows_wrong} wrong.", *rows, case=case.to_source(), graph=case.graph)


def computed(Value, case, gradients):
    """Compute (value, {leaf: gradient}) of a Case with a learner's class; AnswerError with its text if that fails."""
    what = "; ".join(case.to_source().splitlines())
    with trying(what):
        nodes = case.run(Value)
        root = nodes[case.root]
        if gradients:
            root.backward()
    value = number_of(root, "data", what)
    return value, {leaf: number_of(nodes[leaf], "grad", what) for leaf, _ in case.leaves} if gradients else {}


def number_of(node, member, what):
    """Return a number kept on a learner's node. Raise AnswerError if it is missing or not a number."""
    if not has(node, member):
        raise AnswerError(f"Tested: {what}.", f"The result is {kind(node)} and has no `{member}`.")
    found = getattr(node, member)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise AnswerError(f"Tested: {what}.", f"`{member}` should be a number; it is {kind(found)}.")
    return float(found) if not math.isnan(found) else math.inf
