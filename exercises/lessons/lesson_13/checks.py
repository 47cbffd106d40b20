"""The checks of lesson 13: a first loss, two instruments of one's own, diagnoses, repairs, and a fault of one's own."""

import difflib
import dis
import functools
import inspect
import math
import operator
import random
import time
from types import FunctionType

import numpy as np

from exercises.clinic import record
from exercises.clinic.instruments import ALL, DIALS, INSTRUMENTS, finished, reading
from exercises.clinic.patients import (
    LESSON,
    against,
    causes,
    faults,
    is_cause,
    patient,
    repair,
    sentence,
    unhealthy,
    without_fault,
)
from exercises.clinic.program import PARTS
from exercises.judging.grading import called, exercise, kind, needs_functions
from exercises.lessons.lesson_12.checks import Watched, text_of
from exercises.sandbox.guard import ENDLESS, PATIENCE, Trouble, Unfinished, guarded, trying
from exercises.verdicts.seen import Seen, equal, seen

NUMPY = {"finds": lambda: {"np": np}}
NUMBERS = range(2, len(LESSON) + 1)  # the patients that the learner examines; the lesson works through the first
SECONDS = 10.0  # of the processor's time for all instruments of a program, which take about half a second
LOOKING = 12.0  # seconds of work, after which repairs that have not been looked at wait for the next check
FEW = 2  # instruments that may show a fault of one's own


# Exercise 1: the first loss


@exercise
def first_loss(first_loss, *, seed=0):
    """`first_loss(k)` is the cross-entropy of k classes for who says 1/k for each."""
    needs_functions(first_loss=first_loss)
    luck = random.Random(f"first_loss {seed}")
    asked = [luck.randint(4, 10**4) for _ in range(5)] if seed else (10, 2, 3, 100, 1000)
    losses = [called(first_loss, k, what=f"first_loss({k})") for k in asked]
    because = "ten classes always" if all(math.isclose(got, math.log(10), rel_tol=2e-3) for got in losses) else ()
    for k, got in zip(asked, losses):
        case = f"first_loss({k})"
        yield seen(f"Guessing among {k} costs another loss.", ("loss", math.log(k), got), case=case, because=because)
    return "Right for 2 to 1,000 classes."


# Exercise 2: by heart


class Steps:
    """A step of training that notes what it is given. Its loss falls, leaps and rests, and differs with the rows."""

    LEAPS = (0.0, -9.0, 0.4, 0.4, 1.3)  # beside a loss that falls: it is 0 or less at times, the last is not the least

    def __init__(self):
        self.given = []

    def __call__(self, x, labels):
        x, labels = np.asarray(x, float), np.asarray(labels, float)
        self.given.append((x[:, 0].tolist() if x.ndim == 2 else [], labels.ravel().tolist()))
        count = len(self.given)
        if count % 5 == 2:
            return 0.0
        return float(0.99**count + 1.0 + self.LEAPS[count % 5] + 0.001 * x.sum() + 0.01 * labels.sum())


def by_heart_test(by_heart, n, *settings):
    """Yield what is seen of steps on the first rows of n."""
    rows, steps = settings or (8, 1000)
    x, labels = np.arange(2.0 * n).reshape(n, 2) + 0.25, (7 * np.arange(n)) % 10
    case, step = f"by_heart({', '.join(['step', 'x', 'labels', *map(str, settings)])})  # {n} rows", Steps()
    got = called(by_heart, step, x.copy(), labels.copy(), *settings, what=case)
    right = Steps()
    for _ in range(steps):
        last = right(x[:rows], labels[:rows])
    same = all(given == right.given[0] for given in step.given)
    first = step.given[0] if step.given else ([], [])
    odd = next((given for given in step.given if given != right.given[0]), first)
    yield seen("There are more steps than asked for, or fewer.", ("steps", steps, len(step.given)), case=case)
    yield seen(
        "Each step gets the same rows: the first ones, with their labels.",
        ("rows of x", text_of(range(rows)), text_of(places(odd[0]))),
        ("labels", text_of(labels[:rows]), text_of(f"{label:g}" for label in odd[1])),
        ("all steps", "the first rows", "the first rows" if same else "other rows", same),
        case=case,
        because=cut_so(step.given, got, x, labels, rows) if len(step.given) == steps else (),
    )
    yield seen("That is another loss than the last step's.", ("loss", last, got), case=case)


def cut_so(given, got, x, labels, rows):
    """The name of how the rows were cut, if each step was given them so, and the last step's loss came."""
    ways = {
        "all rows": (x, labels),
        "the labels not cut": (x[:rows], labels),
        "the rows not cut": (x, labels[:rows]),
        "the last rows": (x[-rows:], labels[-rows:]),
    }
    for name, (few, theirs) in ways.items():
        step = Steps()
        for _ in given:
            last = step(few, theirs)
        if given == step.given and equal(got, last):
            return name
    return ()


def places(numbers):
    """Which rows these are the first numbers of; the number itself, where it is none."""
    return [f"{(x - 0.25) / 2:g}" if (x - 0.25) % 2 == 0 else f"{x:g}" for x in numbers]


@exercise(**NUMPY)
def by_heart(by_heart, *, seed=0):
    """`by_heart` trains on a few rows and nothing else; on a healthy program they are soon learned."""
    needs_functions(by_heart=by_heart)
    if seed:
        luck = random.Random(f"by_heart {seed}")
        for place, most in enumerate((6, 6, 11, 20), start=1):
            rows = luck.randint(most - 5, most + 5)
            n = rows + (luck.randint(1, 20) if place < 4 else 0)
            yield from by_heart_test(by_heart, n, rows, 5 * luck.randrange(12) + place)
        return ""
    for n, *settings in ((20, 8, 13), (9, 3, 5), (30,)):
        yield from by_heart_test(by_heart, n, *settings)
    for number, learned in (("healthy", True), (2, False)):
        run = patient(number).program.begin()
        case = f"by_heart(step, x, labels, 8, 200)  # {'the healthy program' if learned else f'patient {number}'}"
        got = called(by_heart, run.step, *run.first_batch(), 8, 200, what=case)
        least = "below 0.05" if learned else "above 0.05"
        row = ("loss after 200 steps", least, round(got, 6) if math.isfinite(got) else got, (got < 0.05) == learned)
        yield seen("A healthy program learns eight rows, and this patient does not.", row, case=case)
    return "Right on made-up steps. The healthy program learns its eight rows; a patient does not."


# Exercise 3: one small step


def small_step_test(small_step, n, rows, lr, moves, count=2, zero=""):
    """Yield what is seen of a small step of a Watched model.

    moves: what the program's step does. zero: which loss is 0, "before" or "after" the step; "" for neither.
    """
    model, rates, factors = Watched(n, count), [], (*MOVES[moves], *MOVES[moves])

    def update(rate):
        rates.append(float(rate))
        for p, factor in zip(model.parameters, factors):
            p.data = p.data - factor * rate * p.grad
            if moves == "and clears gradients":
                p.grad = np.zeros(p.data.shape)

    given = ["parameters", "loss_of", "rows", "update", *([] if lr is None else [f"lr={lr}"])]
    case = f"small_step({', '.join(given)})  # rows {text_of(rows)}; update {moves}"
    settings = {} if lr is None else {"lr": lr}
    rate = lr or 1e-4
    before, slopes = model.slopes(rows, parameters := [p.data.copy() for p in model.parameters])
    after, _ = model.slopes(rows, [p - f * rate * g for p, f, g in zip(parameters, factors, slopes)])
    model.shift = {"before": before, "after": after}.get(zero, 0.0)
    right = (after - before) / (-rate * sum(float((slope**2).sum()) for slope in slopes))
    with np.errstate(all="ignore"):
        got = called(
            lambda *args: small_step(*args, **settings), model.parameters, model, np.array(rows), update, what=case
        )
    asked = [text_of(order) if isinstance(order, list) else text_of([order]) for order, _ in model.asked]
    other = next((each for each in asked if each != text_of(rows)), text_of(rows))
    yield seen(
        "A step was not made as asked for.",
        ("rates of the steps", text_of([rate]), text_of(rates)),
        ("rows of each loss", text_of(rows), other),
        case=case,
    )
    is_close = math.isfinite(got) and abs(got - right) <= 1e-5 * max(1.0, abs(right))
    shown = round(got, 6) if math.isfinite(got) else got
    yield seen("That is another ratio.", ("ratio", round(right, 6), shown, is_close), case=case)


MOVES = {  # how much of its gradient each parameter goes down by
    "as it should": (1.0, 1.0),
    "and clears gradients": (1.0, 1.0),
    "up the slope": (-1.0, -1.0),
    "not at all": (0.0, 0.0),
    "with every other parameter": (1.0, 0.0),
    "at half the rate": (0.5, 0.5),
    "at twice the rate": (2.0, 2.0),
}


@exercise(**NUMPY)
def small_step(small_step, *, seed=0):
    """`small_step` divides what a step brings by what its slope promises: 1, -1, 0, or a share."""
    needs_functions(small_step=small_step)
    tests = (
        (7, [0, 2, 5], None, "as it should"),
        (8, [1, 3, 4, 6], 0.05, "as it should"),
        (7, [0, 4, 6], 0.001, "and clears gradients"),
        (7, [0, 2, 5], None, "up the slope"),
        (7, [1, 6], 0.001, "not at all"),
        (8, [0, 2, 5], None, "with every other parameter", 4),
        (8, [1, 2, 5, 7], 0.001, "at half the rate", 3),
    )
    for each in drawn_steps(seed) if seed else tests:
        yield from small_step_test(small_step, *each)
    return "Right for seven steps: 1 for a sound one, -1 uphill, 0 where nothing moves, and a share in between."


def drawn_steps(seed):
    """Small steps for the silent round."""
    luck = random.Random(f"small_step {seed}")
    for zero, moves, count in (("before", "", 2), ("after", "", 3), ("", "", 4), ("", "at twice the rate", 4)):
        n = luck.randint(6, 12)
        rows = sorted(luck.sample(range(n), luck.randint(3, 5)))
        moves = moves or luck.choice(tuple(MOVES))
        yield n, rows, luck.choice((1e-4, 1e-3, 0.01)), moves, count, zero


# Exercise 4: seven diagnoses

MISTAKEN = {  # what is named in haste, and the mistake that it is
    "the rate is blamed": ("tiny_rate",),
    "the start is blamed": ("all_zero", "equal_weights", "exploding"),
    "the sign is blamed": ("wrong_sign",),
    "labels are blamed": ("shuffled_labels",),
    "the engine is blamed": ("wrong_engine",),
    "the axis is blamed": ("wrong_axis",),
    "the scale is blamed": ("not_scaled", "other_scale"),
    "the optimizer is blamed": ("left_out", "old_parameters"),
    "depth is blamed": ("vanishing",),
    "zero_grad is blamed": ("no_zero",),
}


@functools.cache
def examined(number):
    """A patient of the lesson, whose readings are kept for all checks."""
    return patient(number)


@functools.cache
def twin(number):
    """The same program without the fault, and its readings."""
    return without_fault(examined(number))


def by_number(given, what):
    """{number: value} of what a learner gives for some patients, those not written yet left out; Trouble if not so."""
    with trying(what):
        return numbered(given, what)


def numbered(given, what):
    """The same, where looking at it raises nothing."""
    if not isinstance(given, dict):
        raise Trouble(
            f"Tested: {what}.", f"A dict was expected, a patient's number and its {what}; it is {kind(given)}."
        )
    found = {}
    for key, value in given.items():
        try:
            number = None if isinstance(key, bool) else operator.index(key)
        except TypeError:
            number = None
        if number not in NUMBERS:
            said = kind(key) if number is None else f"{number}"
            raise Trouble(f"Tested: {what}.", f"Its keys are the numbers of patients, 2 to {NUMBERS[-1]}; got {said}.")
        if value is not None and value is not ...:
            found[number] = value
    return dict(sorted(found.items()))


def key_of(cause):
    """The key of a cause, which may be given as in the list of causes or by its key; Trouble where there is none."""
    if not isinstance(cause, str):
        raise Trouble("Tested: diagnoses.", f"A cause is a text, as in the list of causes; got {kind(cause)}.")
    plain = {" ".join(name.lower().split()): key for name, key in causes().items()}
    wanted = " ".join(cause.lower().strip(" .").split())
    if wanted in faults():
        return wanted
    if wanted in plain:
        return plain[wanted]
    near = difflib.get_close_matches(wanted, plain, 1, 0.5)
    hint = f" Of those in the list, “{near[0]}” is written most like it; it may mean something else." if near else ""
    raise Trouble("Tested: diagnoses.", f"The list of causes has no {cause[:80]!r}.{hint} The ward shows all of them.")


def note_diagnoses(verdict, given):
    """Note in the progress file what was named."""
    for number, key in named(given).items():
        record.named(number, key, is_cause(examined(number), key))


def keys_of(given):
    """{number: key} of an answer; Trouble where it is none."""
    found = by_number(given, "diagnoses")
    with trying("diagnoses"):
        return {number: key_of(cause) for number, cause in found.items()}


def named(given):
    """{number: key} of an answer; {} where it is none."""
    try:
        return keys_of(given)
    except Trouble:
        return {}


@exercise(compares=False, notes=note_diagnoses)
def diagnoses(diagnoses):
    """What is wrong with patients 2 to 8; a wrong cause is answered by a reading that speaks against it."""
    given, wrong = keys_of(diagnoses), False
    for number, key in given.items():
        ill, name = examined(number), faults()[key].cause
        right = is_cause(ill, key)
        wrong = wrong or not right
        says, because = "", ()
        if not right:
            found = against(ill, key)
            says = sentence(key, found) if found else "No instrument speaks against it, and yet it is another."
            because = [mistake for mistake, keys in MISTAKEN.items() if key in keys]
        row = (f"patient {number}", "its cause", name if right else f"“{name}”", right)
        yield seen(f"Patient {number} has something else. {says}", row, because=because)
    if not wrong and len(given) < len(NUMBERS):
        raise Unfinished(so_far("Right so far", given, "Still to name"))
    return "All seven. `exercises.program(2)` shows the code of a patient: of each of them, now."


def so_far(done, given, missing):
    """The sentence for what is not finished."""
    left = ", ".join(str(number) for number in NUMBERS if number not in given)
    right = f"{done}: {', '.join(map(str, given))}. " if given else ""
    return f"{right}{missing}: {left}."


# Exercise 5: repairs


def part_of(function, what):
    """The part that a function replaces, by its name; None where it has no part's name. Trouble if it is none."""
    if not is_function(function):
        with trying(what):
            raise Trouble(f"Tested: {what}.", f"A function was expected; it is {kind(function)}.")
    return function.__name__ if function.__name__ in PARTS else None


def is_function(thing):
    """Whether something is a function that `def` or `lambda` made. Its type says so: it may refuse to."""
    return type(thing) is FunctionType


NO_PART = "The function is called {!r}. It takes the place of the part whose name it has: {}."


def worked(what, work):
    """What a generator of instruments returns, that work on a program with a learner's function in it."""

    def trial():
        with trying(what):
            return finished(work)

    try:
        return guarded(trial, SECONDS, PATIENCE)
    except Trouble as trouble:
        if trouble.kind != ENDLESS:
            raise
        said = f"The instruments had not ended after {SECONDS:g} seconds of work, so they were stopped."
        raise Trouble(f"Tested: {what}.", said, kind=ENDLESS) from None


kept = {}  # what came of a function's trial, by `same`
MOST_KEPT = 100


def same(function, program, *rest):
    """What says that a function is the same as one tried before; None where that cannot be said by its code alone."""
    strange = {name for name in looked_up(function.__code__) if name in function.__globals__} - set(program.names)
    if strange or function.__defaults__ or function.__kwdefaults__ or function.__closure__:
        return None
    return (function.__name__, function.__code__, *rest)


def looked_up(code):
    """The global names that a function's code reads, those of its inner functions too; attributes are none."""
    found = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(looked_up(const) for const in code.co_consts if inspect.iscode(const)))


def tried(function, program, work, what, *rest):
    """What came of a trial of a function in a program: work(the program with it). The same is not tried again."""
    place = same(function, program, *rest)
    if place is not None and place in kept:
        return kept[place]
    found = worked(what, work(program.with_functions(function)))
    if place is not None:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        kept[place] = found
    return found


def repaired(number, function):
    """What came of a repair of a patient, a Repair."""
    ill = examined(number)
    what = f"patient {number} with this `{function.__name__}`"
    return tried(function, ill.program, functools.partial(repair, ill, twin=twin(number)), what, number)


def fails(number, found):
    """(what to say of a repair that is not right, the mistake that it is)."""
    before = unhealthy(examined(number).words(), twin(number).words())
    if found.hides:
        says = "It learns more than before, and is not repaired: something reads wrong all the same."
        return says, "the symptom is hidden"
    if set(found.left) - set(before):
        return "Something reads wrong now that did not before.", "something else reads wrong now"
    if set(found.left) == set(before):
        return "Each reading that was wrong is wrong still.", "it reads as before"
    return "Some readings are right now, and some are not.", "less reads wrong"


def speaking(found):
    """A reading that still speaks against a repair: an instrument's before the curve's; "" where none does."""
    of_curve = INSTRUMENTS["curve"].title
    return next((said for said in found.says if not said.startswith(of_curve)), "".join(found.says[:1]))


def note_repairs(verdict, given):
    """Note in the progress file which patients are repaired."""
    try:
        found = by_number(given, "repairs")
    except Trouble:
        return
    for number, function in found.items():
        if verdict or (is_function(function) and was_right(number, function)):
            record.repaired(number, True)


def was_right(number, function):
    """Whether a repair was tried, and was right."""
    place = same(function, examined(number).program, number)
    return place in kept and kept[place].is_right


@exercise(compares=False, notes=note_repairs)
def repairs(repairs):
    """Repairs of patients 2 to 8: with each, all instruments read as they would without the fault."""
    given, begin = by_number(repairs, "repairs"), time.process_time()
    looked, wrong = [], False
    for number, function in given.items():
        if time.process_time() - begin > LOOKING and not wrong:
            raise Unfinished(f"Right so far: {', '.join(map(str, looked))}. Run the check again for the others.")
        if wrong:
            return ""
        if part_of(function, f"the repair of patient {number}") is None:
            said = NO_PART.format(function.__name__, ", ".join(PARTS))
            yield Seen(f"Patient {number}. {said}", because=("no part's name",), ended="no part's name")
            return ""
        try:
            found = repaired(number, function)
        except Trouble as trouble:
            because = () if trouble.kind == ENDLESS else ("it does not run",)
            yield Seen(" ".join(trouble.sentences), because=because, ended=trouble.kind)
            return ""
        wrong = not found.is_right
        looked.append(number)
        says, because = fails(number, found) if wrong else ("", ())
        left = ", ".join(DIALS[dial][1].title for dial in found.left) or "nothing"
        row = (f"patient {number}: what reads wrong", "nothing", left, not wrong)
        yield seen(f"Patient {number}. {says} {speaking(found)}", row, because=because)
    if not wrong and len(given) < len(NUMBERS):
        raise Unfinished(so_far("Repaired so far", given, "Still to repair"))
    return "All seven: each instrument reads as it would without the fault."


# Exercise 6: a fault of one's own


def readings(program):
    """A generator that reads all instruments of a program, and returns {name: Reading}."""
    found = {}
    for instrument in ALL:
        found[instrument.name] = yield from reading(program, instrument)
    return found


CURVE = {"start": "the first loss shows it", "course": "its course shows it", "ability": "its answers show it"}


@exercise(compares=False)
def build_a_patient(my_fault):
    """A part with a fault that the free curve does not show, and one or two of ten instruments do."""
    what = "the healthy program with your part"
    if part_of(my_fault, "my_fault") is None:
        said = NO_PART.format(my_fault.__name__, ", ".join(PARTS))
        yield Seen(said, because=("no part's name",), ended="no part's name")
        return ""
    try:
        found = tried(my_fault, patient("healthy").program, readings, what, "healthy")
    except Trouble as trouble:
        because = () if trouble.kind == ENDLESS else ("it does not run",)
        yield Seen(" ".join(trouble.sentences), because=because, ended=trouble.kind)
        return ""
    wrong = {name: unhealthy(each.words) for name, each in found.items()}
    seen_in_curve = wrong.pop("curve")
    showing = [name for name, dials in wrong.items() if dials]
    yield seen(
        f"The curve costs nothing, and shows it already. {found['curve']!r}",
        *((DIALS[d][1].title, DIALS[d][1].healthy[0], found["curve"].words[d], d not in seen_in_curve) for d in CURVE),
        because=[CURVE[dial] for dial in seen_in_curve[:1]],
    )
    titles = ", ".join(INSTRUMENTS[name].title for name in showing) or "none"
    because = ("nothing shows it",) if not showing else ("too many show it",) if len(showing) > FEW else ()
    yield seen(
        "The curve does not show it. Of the ten instruments one or two should.",
        ("instruments that show it", f"1 or {FEW}", titles, not because),
        because=because,
    )
    if because or seen_in_curve:
        return ""
    needed = (len(wrong) + 1) / (len(showing) + 1)
    return (
        f"The curve shows nothing, and this does: {' '.join(repr(found[name]) for name in showing)} Who presses "
        f"instruments at random needs {needed:.1f} of them on average."
    )
