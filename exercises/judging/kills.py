"""`kill_matrix`: a learner's tests against the wrong engines; and the check of exercises that ask for such tests."""

from exercises.judging.array_tests import Arrays
from exercises.judging.matrices import ONLY_COMPUTES, Scalars, matrix_of, require_tests
from exercises.sandbox.guard import AnswerError, NotAttempted
from exercises.verdicts.results import TestResult, make_result

FAULTS = {  # {what a test's fault says: the mistake to name}
    ONLY_COMPUTES: "more than computing inside f",
    "f should return one number": "no single number at the end",
}


def kill_matrix(*given, arrays=False, **named):
    """Return the KillMatrix of tests, each `(f, xs)`: f is computed on Values of the numbers xs, and differentiated.

    A test catches an engine if the output or any gradient differs by more than 1e-9 from what dual numbers give. A test
    that fails on the right engine is reported as a fault, and catches nothing.
    arrays: whether the tests are of Tensors, and the wrong engines those on arrays; then xs are arrays, or shapes of
    arrays, and f gives one number.
    """
    return matrix_of(given, named, Arrays() if arrays else Scalars())


def caught(given, most, enough, blind_spots, family=Scalars):
    """Yield the TestResult of a learner's tests; return what to say if they catch enough wrong engines.

    most: how many tests are allowed. enough: how many wrong engines of the family must be caught. blind_spots: a
    function of the tests and the ids of the engines not caught that names what hides these.
    """
    tests, of = (
        [test for test in require_tests(given, family) if test is not None and test is not ...],
        len(family.wrong),
    )
    if not tests:
        raise NotAttempted
    if len(tests) > most:
        raise AnswerError(f"There are {len(tests)} tests; at most {most} are allowed. Which ones catch nothing new?")
    matrix = matrix_of((tests,), {}, family())
    if matrix.faults:
        because = [name for text, name in FAULTS.items() if any(text in fault for fault in matrix.faults)]
        says = " ".join(["Each test first has to pass on the correct engine.", *matrix.faults])
        yield TestResult(says, because=tuple(because[-1:]), ended="a test fails on the right engine")
        return ""
    count = f"{'One test catches' if len(tests) == 1 else f'{len(tests)} tests catch'} {matrix.score} of {of}"
    away = [wrong for wrong in family.wrong if wrong not in matrix.caught]
    asked, least = ("all of them", f"{of}") if enough == of else (f"{enough}", f"at least {enough}")
    one = f" Not caught, for example: {away[0].id}, {away[0].name}. {away[0].sentence}" if away else ""
    yield make_result(
        f"{count}; you need {asked}.{one}",
        ("caught", least, str(matrix.score), lambda got: int(got) >= enough),
        because=blind_spots(tests, {wrong.id for wrong in away}) if matrix.score < enough else (),
    )
    return f"{count}. " + (f"Not caught: {'; '.join(wrong.name for wrong in away)}." if away else "None was missed.")
