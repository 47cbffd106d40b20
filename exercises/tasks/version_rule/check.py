"""The check of `version_rule`: the outcome of calls of a rule, when inputs were set in between."""

import functools
import random

from exercises.judging.vocabulary import (
    AnswerError,
    any_value,
    called,
    exercise,
    kind,
    make_result,
    needs_functions,
    trying,
)


class Held:
    """A Value with only data and version. Each read of the version gives a new int object of the same value."""

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


Held.__name__ = Held.__qualname__ = "Value"  # the name in an exception's message
AGAIN = object()  # for an input that is set to the object that it already holds
RAN, RAISED = "the rule runs", "RuntimeError, and the rule does not run"


@exercise
def version_rule(version_rule, *, seed=0):
    """Check that `version_rule(rule, inputs)` gives a rule that raises if an input's version has changed since."""
    if not isinstance(version_rule, type):  # calling a class also gives something that can be called
        needs_functions(version_rule=version_rule)
    for words, versions, change, right in drawn_versions(seed) if seed else VERSIONS:
        twins = words.startswith("equal numbers")
        inputs, runs = [Held(2.0 if twins else 2.0 + i, version) for i, version in enumerate(versions)], []
        what = f"version_rule(rule, inputs), {words}"
        rule = called(version_rule, functools.partial(runs.append, 1), inputs, what=what, returns=object)
        at_once, read = len(runs), sum(each.reads for each in inputs)
        if not callable(rule):
            raise AnswerError(f"Tested: {what}.", f"It returned {kind(rule)}. Return a function without arguments.")
        rows = [("when it is made", "nothing runs", "the rule runs" if at_once else "nothing runs")]
        for turn, (changed, expected) in enumerate(zip(change, right), start=1):
            for i, number in changed:
                inputs[i].data = inputs[i].data if number is AGAIN else number
            rows.append((f"call {turn}", expected, end_of(rule, runs, what)))
        then = sum(each.reads for each in inputs) > read
        rows.append(("versions read, when it is made and when it is called", "", [read > 0, then], any_value))
        lines = [f"versions {', '.join(map(str, versions)) or 'of no inputs'}; {words}"]
        yield make_result(f"Wrong here: {words}.", *rows, case="\n".join(lines))
    yield of_two(version_rule)
    return f"Right in {len(VERSIONS)} cases: it raises if and only if an input was set in between."


def of_two(version_rule):
    """Return the TestResult of two rules that are made before either is called, when the second one's input is set."""
    (a, b), (runs, others), what = (Held(2.0, 5), Held(3.0, 8)), ([], []), "two rules, made one after the other"
    make = functools.partial(called, version_rule, what=what, returns=object)
    one, two = make(functools.partial(runs.append, 1), [a]), make(functools.partial(others.append, 1), [b])
    b.data = 4.0
    case = "one, two = version_rule(rule, [a]), version_rule(rule, [b])\nb.data = 4\none()\ntwo()"
    rows = ("one()", RAN, end_of(one, runs, what)), ("two()", RAISED, end_of(two, others, what))
    return make_result("Each rule needs its own versions.", *rows, case=case)


def end_of(rule, runs, what):
    """Say how a call of the rule ends."""
    before = len(runs)
    with trying(what):
        try:
            back = rule()
            is_exception = isinstance(back, BaseException) or (
                isinstance(back, type) and issubclass(back, BaseException)
            )
            raised = "an exception is returned" if is_exception else ""
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
    ("an input is set to the object that it has, as in a.data = a.data", (0, 0), (((1, AGAIN),),), (RAISED,)),
    ("an input is set, and the rule is called three times", (0, 2), (((0, 5.0),), (), ()), (RAISED, RAISED, RAISED)),
    ("an input is set between the first call and two more", (1, 0), ((), ((1, 9.0),), ()), (RAN, RAISED, RAISED)),
    ("equal numbers with different versions, and nothing is changed", (0, 1), ((), ()), (RAN, RAN)),
    ("the first input is set to the second one's number", (0, 1), (((0, 3.0),),), (RAISED,)),
    ("the first of three is set, to a version that another has", (0, 0, 1), (((0, 5.0),),), (RAISED,)),
    ("an input is set after the first call", (1, 0), ((), ((1, 9.0),)), (RAN, RAISED)),
    ("an input is set and set back", (0, 4), (((1, 8.0), (1, 3.0)),), (RAISED,)),
    ("one input only", (2,), ((), ((0, 1.0),)), (RAN, RAISED)),
    ("no inputs", (), ((),), (RAN,)),
    ("versions of long training, and nothing is changed", (1000, 70000), ((), ()), (RAN, RAN)),
    ("the last of three inputs is set", (257, 257, 257), ((), ((2, 0.5),)), (RAN, RAISED)),
)


def drawn_versions(seed):
    """Draw rows of VERSIONS for the silent round: of up to five inputs, one is set before the last call, or none."""
    luck = random.Random(f"version_rule {seed}")
    for place in range(8):
        count = luck.randint(1, 5) if place else 5
        versions = tuple(luck.choice((0, 1, luck.randint(2, 10**6))) for _ in range(count))
        calls, which = luck.randint(1, 3), luck.choice((None, *range(count)) if place else (3, 4))
        after = luck.randint(0, 2)  # calls before which nothing more is set
        setting = () if which is None else ((which, luck.choice((2.0 + which, AGAIN, 2.0, 0.25))),)
        words = "nothing is changed" if which is None else f"input {which + 1} of {len(versions)} is set"
        end = RAN if which is None else RAISED
        yield words, versions, [()] * (calls - 1) + [setting] + [()] * after, [RAN] * (calls - 1) + [end] * (after + 1)
