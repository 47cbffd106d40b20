"""The check of `version_rule`: what calls of a rule end in, when inputs were set in between."""

import functools
import random

from exercises.judging.vocabulary import Trouble, anything, called, exercise, kind, needs_functions, seen, trying


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
    if not isinstance(version_rule, type):  # a class, too, makes something that can be called
        needs_functions(version_rule=version_rule)
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
        rows.append(("versions read, when it is made and when it is called", "", [read > 0, then], anything))
        lines = [f"versions {', '.join(map(str, versions)) or 'of no inputs'}; {words}"]
        yield seen(f"Not as it should be: {words}.", *rows, case="\n".join(lines))
    return f"Right in {len(VERSIONS)} cases: it raises if and only if an input was set in between."


def end_of(rule, runs, what):
    """What a call of the rule ends in."""
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
