"""What is seen of a learner's own tests, set against wrong engines: the exercises of lessons 06 and 11 ask for such."""

from exercises.judging.kill_matrix import kill_matrix
from exercises.judging.matrices import ONLY_COMPUTES, Scalars, listed
from exercises.sandbox.guard import Trouble, Unfinished
from exercises.verdicts.seen import Seen, seen

FAULTS = {  # what a fault of a test says, and the mistake that is named for it
    ONLY_COMPUTES: "more than computing inside f",
    "f should return one number": "no single number at the end",
}


def caught(given, most, enough, blind_spots, family=Scalars):
    """Yield what is seen of a learner's tests; return what to say if they catch enough wrong engines.

    most: so many tests are allowed. enough: so many wrong engines of the family are to be caught. blind_spots: a
    function from tests and the ids of those that got away to the names of what let them.
    """
    tests, of = [test for test in listed(given, family) if test is not None and test is not ...], len(family.wrong)
    if not tests:
        raise Unfinished
    if len(tests) > most:
        raise Trouble(f"There are {len(tests)} tests; at most {most} are asked for. Which ones catch nothing new?")
    matrix = kill_matrix(tests, arrays=family is not Scalars)
    if matrix.faults:
        because = [name for text, name in FAULTS.items() if any(text in fault for fault in matrix.faults)]
        says = " ".join(["Each test has to pass on the right engine first.", *matrix.faults])
        yield Seen(says, because=tuple(because[-1:]), ended="a test fails on the right engine")
        return ""
    count = f"{'One test catches' if len(tests) == 1 else f'{len(tests)} tests catch'} {matrix.score} of {of}"
    away = [wrong for wrong in family.wrong if wrong not in matrix.caught]
    asked, least = ("all of them", f"{of}") if enough == of else (f"{enough}", f"at least {enough}")
    one = f" One that got away is {away[0].id}, {away[0].name}. {away[0].sentence}" if away else ""
    yield seen(
        f"{count}; {asked} are asked for.{one}",
        ("caught", least, str(matrix.score), matrix.score >= enough),
        because=blind_spots(tests, {wrong.id for wrong in away}) if matrix.score < enough else (),
    )
    return f"{count}. " + (f"Got away: {'; '.join(wrong.name for wrong in away)}." if away else "None got away.")
