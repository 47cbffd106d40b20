"""What every check is made with: the decorator that makes a function a check, and tests of a learner's engine."""

import dataclasses
import functools
import inspect
import math
from types import SimpleNamespace

from exercises import cells, own, parts, progress
from exercises.cases import ALL, cases, same
from exercises.diagnosis import agree, mistakes
from exercises.guard import TimeUp, Trouble, Unfinished, guarded, raised, trying
from exercises.verdict import NOT_YET, PASSED, WRONG, Mistake, Verdict

NOTHING_YET = "It is as it was. Write your answer in the cell above, run it, then run this cell again."
UNKNOWN = "The check does not know what to do with an answer of this kind."
TOO_LONG = "It had not ended after a while, so it was stopped. Is there a loop that never ends?"


def exercise(body):
    """Make `body(answer, …)` the check of the exercise that it is named after.

    `body` returns the sentence for a right answer, or `wrong(…)`. An answer that is missing, None or ... is "not yet".
    A body with a parameter `engine` gets the names of a fresh engine with the answer in it, if that is a part of one.
    The check raises nothing for a learner's mistake; it stops code that does not end; it records progress, and keeps
    a part that has passed in the learner's own engine.
    """
    name = body.__name__
    wanted = inspect.signature(body)
    wants_engine = "engine" in wanted.parameters
    takes = parts.BY_NAME[name].gives if name in parts.BY_NAME else list(wanted.parameters)

    def judge(*answers, **named):
        """What the body finds; a part of the engine is put into a fresh one of its stage."""
        if name not in parts.BY_NAME:
            return guarded(lambda: body(*answers, **named), counts=False)
        given = [*answers, *named.values()]
        for thing, wanted_name in zip(given, takes):
            if parts.is_the_courses(thing):
                raise Trouble(
                    f"`{wanted_name}` comes from the course itself. The exercise is to write one of your own."
                )
        names = parts.stage(name, *given) if len(given) == len(parts.BY_NAME[name].gives) else parts.stage(name)
        engine = {"engine": SimpleNamespace(**names)} if wants_engine else {}
        with parts.meaning(given, names):
            return guarded(lambda: body(*answers, **named, **engine), counts=False)

    @functools.wraps(body)
    def check(*answers, **named):
        given = [*answers, *named.values()]
        if not given or any(answer is None or answer is ... for answer in given):
            return Verdict(name, NOT_YET, (NOTHING_YET,))
        try:
            bound = wanted.bind(*answers, **named, **({"engine": None} if wants_engine else {})).arguments
        except TypeError:
            return Verdict(name, WRONG, (f"The check is called so: check.{name}({', '.join(takes)}).",))
        given = [answer for key, answer in bound.items() if key != "engine"]
        try:
            part = name in parts.BY_NAME
            found = judge(*((cells.alone(given, parts.stage(name)) if part else None) or given))
        except Unfinished as unfinished:
            return Verdict(name, NOT_YET, (str(unfinished) or NOTHING_YET,))
        except Trouble as trouble:
            found = Verdict(name, WRONG, trouble.sentences)
        except TimeUp:
            found = Verdict(name, WRONG, (TOO_LONG,))
        except Exception as fault:  # the check itself failed, on an answer of a kind that nobody thought of
            found = Verdict(name, WRONG, (f"{UNKNOWN} {raised(fault)}",))
        if isinstance(found, str):
            progress.record_pass(name)
            kept = own.take(name, given)
            return Verdict(name, PASSED, (found, kept) if kept else (found,))
        progress.record_try(name)
        return showable(dataclasses.replace(found, exercise=name))

    check.judge = judge
    return check


def showable(verdict):
    """The verdict, without its rows where a learner's object in them cannot be shown."""
    try:
        verdict.text()
    except Exception:
        return dataclasses.replace(verdict, rows=())
    return verdict


def wrong(*says, case="", graph=None, rows=(), mistakes=()):
    """The Verdict for a wrong answer; the check puts its own name on it."""
    return Verdict("", WRONG, says, case, graph, tuple(rows), tuple(mistakes))


def called(function, *args, what, returns=float):
    """What a learner's function returns for `args`; `what` says what is tested.

    returns: the type expected: float for any real number, or a type or tuple of types. None and ... are not yet.
    """
    with trying(what):
        found = function(*args)
    return answer(found, what, returns)


def answer(found, what, returns=float):
    """A learner's result, if it is of the type expected; else Unfinished, for None and ..., or Trouble."""
    if found is None or found is ... or found is NotImplemented:
        nothing = "..." if found is ... else found
        raise Unfinished(f"Tested: {what}. It returned {nothing}: nothing yet, or a `return` is missing.")
    if returns is float:
        if isinstance(found, bool) or (not isinstance(found, int | float) and not hasattr(type(found), "__float__")):
            raise Trouble(f"Tested: {what}.", f"A number was expected; it returned {kind(found)}.")
        try:
            return float(found)
        except OverflowError:  # a whole number with more than 308 digits
            return math.inf if found > 0 else -math.inf
        except Exception:  # an array of several numbers, for one
            raise Trouble(f"Tested: {what}.", f"A number was expected; it returned {kind(found)}.") from None
    if returns is not object and not isinstance(found, returns):
        wanted = " or ".join(t.__name__ for t in (returns if isinstance(returns, tuple) else (returns,)))
        raise Trouble(f"Tested: {what}.", f"A {wanted} was expected; it returned {kind(found)}.")
    return found


def has(thing, member):
    """Whether a learner's object has a member, whatever it does when it is asked."""
    try:
        return hasattr(thing, member)
    except Exception:
        return False


def kind(thing):
    """What something is, in a few words: 'a list', 'the string "3"'."""
    if isinstance(thing, str):
        return f"the string {thing!r}"
    name = type(thing).__name__
    spelled = name[:2].isupper()  # as MLP is: its first letter is read by its name
    return f"{'an' if name[0] in ('AEFHILMNORSX' if spelled else 'aeiouAEIOU') else 'a'} {name}"


def engine_fault(Value, kinds=ALL, *, gradients=True, seed=0, count=24):
    """What is wrong with a learner's class of numbers, as a `wrong(…)` Verdict, or a sentence where only relu'(0) is 1.

    Random Cases from operations of these kinds: values against plain floats and, with `gradients`, one backward pass on
    each fresh graph against dual numbers. None: all is right.
    """
    tests = cases(kinds, count, seed)
    right = [(case.value, case.gradients() if gradients else {}) for case in tests]
    found, failing = [], None
    for i, case in enumerate(tests):
        try:
            found.append(computed(Value, case, gradients))
        except Trouble:
            if failing is None:
                raise
            break  # a wrong number of an earlier case says more than where such numbers lead
        if failing is None and not agree(found[i], right[i]):
            failing = i
    if failing is None:
        return None
    tests = tests[: len(found)]
    case = tests[failing]
    known = mistakes(tests, found, failing) if gradients else []
    if [m.id for m in known] == ["M16"]:
        return f"One note: {known[0].sentence}"
    rows = [(case.root, right[failing][0], found[failing][0])]
    rows += [(f"{leaf}.grad", slope, found[failing][1][leaf]) for leaf, slope in right[failing][1].items()]
    rows = [row for row in rows if not same(row[2], row[1])]
    what = "The value is" if not same(found[failing][0], right[failing][0]) else "The value is right, a gradient is"
    says = f"{what} wrong for this expression (test {failing + 1} of {len(tests)})."
    return wrong(says, case=case.text(), graph=case.graph(), rows=rows, mistakes=[Mistake.of(m) for m in known[:2]])


def computed(Value, case, gradients):
    """(value, {leaf: gradient}) that a learner's class gives for a Case; Trouble with its text where that fails."""
    what = "; ".join(case.text().splitlines())
    with trying(what):
        nodes = case.run(Value)
        root = nodes[case.root]
        if gradients:
            root.backward()
    value = number_of(root, "data", what)
    return value, {leaf: number_of(nodes[leaf], "grad", what) for leaf, _ in case.leaves} if gradients else {}


def number_of(node, member, what):
    """A number kept on a learner's node; Trouble where it is missing or none."""
    if not has(node, member):
        raise Trouble(f"Tested: {what}.", f"The result is {kind(node)} and has no `{member}`.")
    found = getattr(node, member)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise Trouble(f"Tested: {what}.", f"`{member}` should be a number; it is {kind(found)}.")
    return float(found) if not math.isnan(found) else math.inf
