"""What a check is written with: the words of judging from one place, and the shapes that several checks have."""

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
    plain,
    short,
    stranger,
)
from exercises.judging.grading import UNFINISHED, exercise, of_trouble
from exercises.sandbox.guard import ENDLESS, Trouble, Unfinished, guarded, trying
from exercises.sandbox.pristine import code_of
from exercises.verdicts.cases import FLOATS, OPERATIONS, Case, cases, same
from exercises.verdicts.seen import Seen, alike, anything, equal, seen

__all__ = ["ENDLESS", "FLOATS", "NUMPY", "OPERATIONS", "Case", "Seen", "Trouble", "Unfinished", "alike", "all_right"]
__all__ += ["anything", "needs_functions"]
__all__ += ["answer", "called", "cases", "computed", "equal", "exercise", "failed", "function_exercise", "guarded"]
__all__ += ["has", "holding", "in_turn", "is_a_sequence", "is_unwritten", "kind", "method_exercise", "names_read"]
__all__ += ["number_of", "of_trouble", "outcome", "plain", "same", "seen", "short", "still_to", "stranger", "trying"]

NUMPY = {"finds": lambda: {"np": np}}  # what `exercise` is told where an answer's cell finds NumPy


def function_exercise(body=None, **settings):
    """`exercise` for answers that are functions: of anything else, a call for one, it is said that it is none."""
    if body is None:
        return functools.partial(function_exercise, **settings)

    @functools.wraps(body)
    def tests(*answers, **beside):
        needs_functions(**dict(zip(inspect.signature(body).parameters, answers)))
        return (yield from body(*answers, **beside))

    return exercise(tests, **settings)


def method_exercise(body=None, **settings):
    """`exercise` for an answer that is a class whose methods go into Value, or a function for each of these."""
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
    """Trouble where no class was passed, where it lacks a method, or has one that cannot work in Value itself."""
    if not isinstance(cls, type):
        raise Trouble(f"Tested: {part.gives[0]}. It is {kind(cls)}.", "Pass the class itself, by its name, without ().")
    own = vars(cls)
    if missing := [f"`{method}`" for method in part.methods if method not in own]:
        raise Trouble(f"Your class {cls.__name__} defines no {' and no '.join(missing)}.")
    for method in part.methods:
        if isinstance(own[method], type) or not callable(own[method]):
            raise Trouble(f"`{method}` of your class is {kind(own[method])}, not a method.")
    if any("super" in names_read(code) for code, _ in code_of(cls)):
        raise Trouble(
            "A method of your class uses `super()`. It is to work in Value itself, which has no class above it with "
            "that method. Call other methods on `self`, and make a node with `Value(…)`."
        )


def all_right(tests):
    """Yield these tests; the value is whether all of them are right."""
    right = True
    for test in tests:
        right = test.is_right and right
        yield test
    return right


def holding(facts):
    """The names of the facts that hold, of {name: whether it holds}."""
    return [name for name, holds in facts.items() if holds]


def is_unwritten(function, *args):
    """Whether a function of the stub's is as it was; what else is wrong with it is told where the tests come to it."""
    with contextlib.suppress(Trouble):
        try:
            with trying("it"):
                function(*args)
        except Unfinished:
            return True
    return False


def names_read(code):
    """The global names that some code, or a function inside it, reads; attributes are none."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(names_read(inner) for inner in code.co_consts if inspect.iscode(inner)))


def in_turn(parts, say):
    """Yield the tests of several parts until one of them is wrong: those after it do not matter to it.

    parts: {name: (its tests, those that stand for them while nothing is written)}. say: makes the sentence for what is
    not finished, of the names of the parts that are right and of those that are not written yet.
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
        raise Unfinished(say(done, missing))


def still_to(verb, done, missing):
    """The sentence for what is not finished."""
    right = f"Right so far: {', '.join(done)}. " if done else ""
    return f"{right}Still to {verb}: {', '.join(missing)}."


def until_trouble(tests):
    """These tests, and what ended them; none where nothing is written yet."""
    count = 0
    try:
        for test in tests:
            count += 1
            yield test
    except Unfinished as unfinished:
        if count:
            says = str(unfinished) or UNFINISHED
            yield of_trouble(Trouble(says))
    except Trouble as trouble:
        yield of_trouble(trouble)
