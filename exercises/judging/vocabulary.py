"""The names that checks are written with: all of judging in one place, and forms that several checks share."""

import contextlib
import dis
import functools
import inspect

import numpy as np

from exercises.engine_file import parts
from exercises.judging.answers import (
    answer,
    called,
    computed,
    failed,
    has,
    is_a_sequence,
    kind,
    needs_functions,
    number_of,
    outcome,
    short,
    stranger,
    to_plain_data,
)
from exercises.judging.grading import UNFINISHED, exercise, failed_test
from exercises.sandbox.guard import ENDLESS, AnswerError, NotAttempted, run_guarded, trying
from exercises.sandbox.isolation import code_objects
from exercises.verdicts.cases import FLOATS, OPERATIONS, Case, cases, is_close
from exercises.verdicts.results import TestResult, any_value, equal_results, make_result, same_outcome

__all__ = [
    "ENDLESS",
    "FLOATS",
    "NUMPY",
    "OPERATIONS",
    "Case",
    "TestResult",
    "AnswerError",
    "NotAttempted",
    "same_outcome",
    "all_right",
]
__all__ += ["any_value", "needs_functions", "needs_methods", "needs_no_blanks"]
__all__ += [
    "answer",
    "called",
    "cases",
    "computed",
    "equal_results",
    "exercise",
    "failed",
    "function_exercise",
    "run_guarded",
]
__all__ += ["has", "holding", "in_turn", "is_a_sequence", "is_unwritten", "kind", "method_exercise", "names_read"]
__all__ += [
    "number_of",
    "failed_test",
    "outcome",
    "to_plain_data",
    "is_close",
    "make_result",
    "short",
    "still_to",
    "stranger",
    "trying",
]

NUMPY = {"finds": lambda: {"np": np}}  # settings of `exercise` for an answer whose cell finds NumPy


def function_exercise(body=None, **settings):
    """Make an `exercise` whose answers are functions; anything else, even the result of a call, is reported."""
    if body is None:
        return functools.partial(function_exercise, **settings)

    @functools.wraps(body)
    def tests(*answers, **beside):
        needs_functions(**dict(zip(inspect.signature(body).parameters, answers)))
        return (yield from body(*answers, **beside))

    return exercise(tests, **settings)


def method_exercise(body=None, **settings):
    """Make an `exercise` whose answer is a class with methods for Value or Tensor, or a function for each."""
    if body is None:
        return functools.partial(method_exercise, **settings)

    @functools.wraps(body)
    def tests(*answers, **beside):
        part = parts.BY_NAME[body.__name__]
        (cls,) = part.as_class(answers)
        needs_methods(part, cls)
        return (yield from body(cls, **beside))

    return exercise(tests, **settings)


def needs_methods(part, cls):
    """Raise AnswerError unless a class was passed that has all methods, and they can work in the node itself."""
    if not isinstance(cls, type):
        raise AnswerError(
            f"Tested: {part.gives[-1]}. It is {kind(cls)}.", "Pass the class itself, by its name, without ()."
        )
    own = vars(cls)
    if missing := [f"`{method}`" for method in part.methods if method not in own]:
        raise AnswerError(f"Your class {cls.__name__} defines no {' and no '.join(missing)}.")
    for method in part.methods:
        if isinstance(own[method], type) or not callable(own[method]):
            raise AnswerError(f"`{method}` of your class is {kind(own[method])}, not a method.")
    if any("super" in names_read(code) for code, _ in code_objects(cls)):
        raise AnswerError(
            f"A method of your class uses `super()`. It has to work inside {part.node}, which has no parent class "
            f"with that method. Call other methods on `self`, and make a node with `{part.node}(…)`."
        )


def needs_no_blanks(thing):
    """Raise NotAttempted if a `...` of the stub is still in an answer's code."""
    codes = [code for code, _ in code_objects(thing)]
    for code in codes:
        codes += filter(inspect.iscode, code.co_consts)
        if any(constant is ... for constant in code.co_consts):
            raise NotAttempted("Replace each `...` in the cell, then run both cells again.")


def all_right(tests):
    """Yield these tests; return whether all of them are right."""
    right = True
    for test in tests:
        right = test.is_right and right
        yield test
    return right


def holding(facts):
    """Return the names of the facts that hold, of {name: whether it holds}."""
    return [name for name, holds in facts.items() if holds]


def is_unwritten(function, *args):
    """Return whether a stub's function is unchanged; the tests report what else is wrong with it."""
    with contextlib.suppress(AnswerError):
        try:
            with trying("it"):
                function(*args)
        except NotAttempted:
            return True
    return False


def names_read(code):
    """Return the global names that some code, or a function inside it, reads; attributes do not count."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(names_read(inner) for inner in code.co_consts if inspect.iscode(inner)))


def in_turn(parts, say):
    """Yield the tests of several parts until one of them is wrong; the parts after it do not affect it.

    parts: {name: (its tests, the tests that stand in while nothing is written)}. say: makes the sentence for an answer
    that is not finished, from the names of the parts that are right and of those that are not written yet.
    """
    done, missing = [], []
    for name, (tests, stand_ins) in parts.items():
        found = []
        for test in until_trouble(tests):
            found.append(test.is_right)
            yield test
        if not all(found):
            return
        (done if found else missing).append(name)
        yield from () if found else stand_ins
    if missing:
        raise NotAttempted(say(done, missing))


def still_to(verb, done, missing):
    """Return the sentence for an answer that is not finished."""
    right = f"Right so far: {', '.join(done)}. " if done else ""
    return f"{right}Still to {verb}: {', '.join(missing)}."


def until_trouble(tests):
    """Yield these tests, and what ended them; none if nothing is written yet."""
    count = 0
    try:
        for test in tests:
            count += 1
            yield test
    except NotAttempted as unfinished:
        if count:
            says = str(unfinished) or UNFINISHED
            yield failed_test(AnswerError(says))
    except AnswerError as error:
        yield failed_test(error)
