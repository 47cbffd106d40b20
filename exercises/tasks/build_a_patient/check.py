"""The check of `build_a_patient`: the readings of all instruments on the healthy program with a new part."""

from exercises.clinic.instruments import DIALS, INSTRUMENTS
from exercises.clinic.patients import patient, unhealthy
from exercises.clinic.program import PARTS
from exercises.clinic.readings import reading
from exercises.judging.vocabulary import ENDLESS, AnswerError, TestResult, exercise, make_result
from exercises.tasks.shared.programs import CLOCK, NO_PART, part_of, tried

FEW = 2  # instruments that may show the learner's fault
CURVE = {"start": "the first loss shows it", "course": "its loss curve shows it", "ability": "its answers show it"}


def readings(program):
    """Read all instruments of a program, as a generator that returns {name: Reading}."""
    found = {}
    for name, instrument in INSTRUMENTS.items():
        found[name] = yield from reading(program, instrument)
    return found


@exercise(compares=False, timeout=CLOCK)
def build_a_patient(my_fault):
    """Build a part whose fault curve and answers do not show, and one or two of the other instruments do."""
    what = "the healthy program with your part"
    if part_of(my_fault, "my_fault") is None:
        said = NO_PART.format(my_fault.__name__, ", ".join(PARTS))
        yield TestResult(said, because=("no part's name",), ended="no part's name")
        return ""
    try:
        found = tried(my_fault, patient("healthy").program, readings, what, "healthy")
    except AnswerError as error:
        because = () if error.kind == ENDLESS else ("it does not run",)
        yield TestResult(" ".join(error.sentences), because=because, ended=error.kind)
        return ""
    wrong = {name: unhealthy(each.words) for name, each in found.items()}
    seen_in_curve = [*wrong.pop("curve"), *wrong.pop("answers")]
    read = {dial: word for each in found.values() for dial, word in each.words.items()}
    showing = [name for name, dials in wrong.items() if dials]
    yield make_result(
        f"It shows where everyone looks first. {found['curve']!r} {found['answers']!r}",
        *((DIALS[d][1].title, DIALS[d][1].healthy[0], read[d], d not in seen_in_curve) for d in CURVE),
        because=[CURVE[dial] for dial in seen_in_curve[:1]],
    )
    titles = ", ".join(INSTRUMENTS[name].title for name in showing) or "none"
    because = ("nothing shows it",) if not showing else ("too many show it",) if len(showing) > FEW else ()
    yield make_result(
        f"The curve and the answers do not show it. Of the other {len(wrong)} instruments one or two should.",
        ("instruments that show it", f"1 or {FEW}", titles, lambda got: got != "none" and got.count(",") < FEW),
        because=because,
    )
    if because or seen_in_curve:
        return ""
    needed = (len(wrong) + 1) / (len(showing) + 1)
    return (
        f"The curve and the answers show nothing, but this does: {' '.join(repr(found[name]) for name in showing)} "
        f"Somebody who presses instruments at random needs {needed:.1f} of them on average."
    )
