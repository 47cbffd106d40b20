"""The decorator that makes a function a check, and the class of checks."""

import ast
import contextlib
import dataclasses
import functools
import hashlib
import inspect
import itertools
import random
import warnings
from collections.abc import Iterator
from types import GeneratorType, SimpleNamespace

import autograd
from exercises.content import lessons, library
from exercises.engine_file import cells, parts, saving
from exercises.explaining import catalogue, debugging, search
from exercises.judging.answers import NothingReturned
from exercises.judging.step_counter import TICK, TICKS, Ticks, counted
from exercises.sandbox import isolation
from exercises.sandbox.guard import ENDLESS, TimeUp, Trouble, Unfinished, guarded, raised
from exercises.sandbox.output import Output, Printed
from exercises.storage import progress
from exercises.verdicts.results import MENDED, NOT_YET, PARTLY, PASSED, WHOLE, WRONG, Observation, Seen, Verdict

UNCHANGED = "The cell is unchanged. Write your answer in the cell above, run it, then run this cell again."
NOTHING_YET = "There is nothing to check yet{}. Write your answer in the cell above, run it, then run this cell again."
UNFINISHED = "It is not finished: it returned nothing, or `raise NotImplementedError` is still there."
UNKNOWN = "The check cannot handle this kind of answer."
CALL = "Call it like this: `check.{}({})`."
MIXED_UP = "You passed `{}`, but the check takes `{}`."
CELL_IS_RIGHT = (
    "Run again, its cell passes every test. So what the check was passed is not what that cell defines, or something "
    "has changed since. Run the cell again."
)
CELL_DIFFERS = "Run again, its cell gives different results. Run the cell again, then this one."
UNSTEADY = (
    "Run twice more, your answer gave different results each time. Does it draw its own random numbers, or loop over "
    "a set?"
)
RETURNS = "Does every path through the function end with a `return`?"
TOO_LONG = "It was still running after a while, so it was stopped. Is there a loop that never ends?"
WORK = 400  # at most so many tests of changed answers are run to find what is wrong with one
PATIENT = 60.0  # seconds, for code that the step counter should have stopped long before


def exercise(body=None, **settings):
    """Make the generator function `body(answer, …)` the check of the exercise that it is named after.

    body: its parameters are the names that the exercise's cell defines; with `*, engine` it also gets the names of a
    fresh engine with the answer in it, if that is a part of one, and with `*, seed` a number: 0 for the tests that are
    shown, and another, drawn from the answer's text, for those that a right answer must also pass in silence. It yields
    a `Seen` for each test, all of them, also after one that fails, and returns the sentence for a right answer. It may
    raise Trouble if no test can follow.
    finds: a function that returns the names available in the cell's lesson besides math, random, autograd and Value.
    compares: whether a wrong answer is compared with the wrong code of the known mistakes; not if it is no function but
    the result of one, whose mistake the body itself must see.
    notes: a function of the verdict and the answers that notes more in the progress file than whether it has passed.
    work: how many tests of changed answers are run at most to find what is wrong with one: fewer if a test is slow.
    patience: wall-clock seconds for all tests of an answer; None: the guard's own limit.
    retold: how the tests of a right answer differ from those of the course's solution with the same seed, with which a
    class's report compares them: "" not at all; "more", there may be further ones; "fewer", the last may be missing;
    "once", a second round may be missing; "own", each answer has its own; "calls", its own, which its calls repeat.
    """
    return functools.partial(exercise, **settings) if body is None else Check(body, **settings)


class Check:
    """The check of an exercise: called with an answer it gives a Verdict, whatever the answer is.

    It raises nothing for a learner's mistake; it stops code that does not end; it records progress, and keeps a part
    that has passed in the learner's own engine.
    """

    def __init__(self, body, *, finds=dict, compares=True, notes=None, work=WORK, patience=None, retold=""):
        functools.update_wrapper(self, body)
        self.body, self.finds, self.compares, self.notes, self.work = body, finds, compares, notes, work
        self.patience, self.retold = patience, retold
        self.name, wanted = body.__name__, inspect.signature(body).parameters
        self.wants_engine, self.wants_seed = "engine" in wanted, "seed" in wanted
        self.takes = tuple(name for name in wanted if name not in ("engine", "seed"))
        self.is_part = self.name in parts.BY_NAME
        self.methods = parts.BY_NAME[self.name].methods if self.is_part else ()
        self.kept = {}  # {(a known mistake's code, seed): its tests so far, and None once these are all}

    def __call__(self, *answers, **named):
        answers = self.in_order(answers, named)
        if isinstance(answers, Verdict):
            return answers
        if outdated := cells.outdated(answers, self.wanted(answers)):
            return Verdict(self.name, NOT_YET, (outdated,))
        with isolation.world() as said, warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's: the verdict shows the result
            verdict = self.judge(*((cells.alone(answers, parts.grown(self.name)) if self.is_part else None) or answers))
            if not verdict and (mixed_up := self.mixed_up(answers)):
                verdict = Verdict(self.name, WRONG, (mixed_up, self.call))
            if verdict:
                progress.record_pass(self.name)
                kept = saving.save_part(self.name, answers)
                verdict = dataclasses.replace(verdict, says=(*verdict.says, *([kept] if kept else [])))
            elif verdict.state == WRONG:
                progress.record_try(self.name)
                if self.is_part:
                    verdict = dataclasses.replace(verdict, offer=self.offer(answers, verdict.case))
            if self.notes:
                self.notes(verdict, *answers)
        return dataclasses.replace(verdict, says=(*verdict.says, *said)) if said else verdict

    def in_order(self, answers, named):
        """Return the answers in the order of the parameters; a Verdict if that is impossible."""
        given = [*answers, *named.values()]
        if self.methods and len(given) == len(self.methods) and all(map(inspect.isfunction, given)):
            return given
        if not given or any(answer is None or answer is ... for answer in given):
            missing = [f"`{name}`" for name, answer in zip(self.takes, answers) if answer is None]
            what = f": {missing[0]} is None, or was not defined" if missing else ""
            return Verdict(self.name, NOT_YET, (NOTHING_YET.format(what),))
        try:
            bound = inspect.signature(self.body).bind(*answers, **named, **self.beside(0, 0))
        except TypeError:
            return Verdict(self.name, WRONG, (self.call,))
        return [bound.arguments[name] for name in self.takes]

    def wanted(self, answers):
        """Return the name that each answer should have; for an older cell's functions, the methods' function names."""
        are_methods = self.methods and not any(isinstance(each, type) for each in answers)
        return parts.BY_NAME[self.name].functions if are_methods else self.takes

    @property
    def call(self):
        """The sentence that shows how to call the check."""
        return CALL.format(self.name, ", ".join(self.takes))

    def mixed_up(self, answers):
        """Return the sentence for an answer that belongs in another place or to another exercise; "" if none does."""
        notebook = cells.kernel_names() or {}
        if self.is_part and any(map(parts.is_the_courses, answers)):
            return ""  # the verdict already says so
        for thing, wanted in zip(answers, self.wanted(answers)):
            own = [name for name in self.takes if notebook.get(name) is thing]
            names = own or [cells.name_of(thing)]
            if wanted not in names and (own or names[0] in {*self.takes, *library.asked_for()}):
                return MIXED_UP.format(names[0], wanted)
        return ""

    def judge(self, *answers, compares=True):
        """Return the Verdict on these answers, without recording progress or keeping a part.

        compares: whether a wrong one is compared with the known mistakes.
        """
        return self.verdict(self.observe(*answers), compares)

    def observe(self, *answers):
        """Return the Observation of these answers: the results of all tests that were run, as plain data."""
        source = cells.source_of(answers)
        observation, unseen = functools.partial(Observation, self.name, source), ()
        try:
            for thing, wanted in zip(answers, self.wanted(answers)):
                if self.is_part and parts.is_the_courses(thing):
                    said = f"`{wanted}` comes from the course itself. The exercise is to write your own."
                    return observation(WRONG, said=said)
            tests, said = guarded(lambda: everything(self.tests(answers)), patience=self.patience, counts=False)
            used_up = any(isinstance(each, Iterator) for each in answers)
            seed = self.seed_of(source) if all(test.is_right for test in tests) and not used_up else 0
            if seed:  # a right answer is never shown these tests
                unseen, _ = guarded(lambda: everything(self.tests(answers, seed)), counts=False)
                if not all(test.is_right for test in unseen):
                    return observation(WRONG, tuple(unseen), seed=seed)
        except Unfinished as unfinished:
            return observation(NOT_YET, said=str(unfinished) or (UNCHANGED if self.is_stub(source) else UNFINISHED))
        except Trouble as trouble:
            tests, said, seed = [of_trouble(trouble)], "", 0
        except TimeUp:
            return observation(WRONG, said=TOO_LONG)
        except Exception as fault:  # the check itself failed, on an answer of a kind that nobody thought of
            return observation(WRONG, said=f"{UNKNOWN} {raised(fault)}")
        if all(test.is_right for test in tests):
            said = said or f"Right in all of {len(tests)} tests."
            return observation(PASSED, tuple(tests), said, seed, tuple(unseen))
        return observation(WRONG, tuple(tests))

    def verdict(self, observation, compares=True):
        """Return the Verdict on an Observation."""
        if observation.state == WRONG and observation.tests:
            return self.wrong(observation, compares)
        return Verdict(self.name, observation.state, (observation.said,))

    def seed_of(self, source):
        """Return the seed of an answer's silent round, drawn from its text; 0 if there is none."""
        digest = hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()
        return int(digest[:8], 16) if self.wants_seed and source else 0

    def is_stub(self, source):
        """Return whether a text has the same code as the exercise's stub."""
        with contextlib.suppress(ValueError, SyntaxError):
            return ast.dump(ast.parse(source)) == ast.dump(ast.parse(library.stub(self.name)))
        return False

    def beside(self, engine, seed):
        """Return the keyword arguments that the body takes besides the answers."""
        return ({"engine": engine} if self.wants_engine else {}) | ({"seed": seed} if self.wants_seed else {})

    def tests(self, answers, seed=0):
        """Yield a Seen for each test of these answers. Return the sentence for right ones.

        The random numbers are the same every time, so that two answers can be compared.
        """
        luck = random.getstate()
        random.seed(self.name)
        try:
            names = self.grown(answers) if self.is_part else {}
            with parts.meaning(answers, names) if self.is_part else contextlib.nullcontext():
                tests = self.body(*answers, **self.beside(SimpleNamespace(**names), seed))
                return (yield from until_nothing(tests)) if isinstance(tests, GeneratorType) else tests
        except Trouble as trouble:
            yield of_trouble(trouble)
        finally:
            random.setstate(luck)

    def offer(self, answers, case):
        """Return the line that offers to step through a failing case with these answers; "" if that is impossible."""
        with contextlib.suppress(Exception):  # a learner's cell may do anything in the engine
            return debugging.offer(self.grown(answers), answers, case)
        return ""

    def grown(self, answers):
        """Return the names of a fresh engine with these answers in it."""
        is_whole = len(answers) in (len(self.takes), len(self.methods))
        return parts.grown(self.name, *answers) if is_whole else parts.grown(self.name)

    def answers(self, code, ticks=None):
        """Run a cell's text as in the exercise's lesson and return what it defines for the check.

        ticks: counts the rounds of its loops and the calls of its functions; without it the text is known afterwards.
        """
        names = parts.grown(self.name) if self.is_part else {}
        names = {name: thing for name, thing in names.items() if name not in self.takes}  # the text must define these
        names = {**parts.MODULES, "autograd": autograd, "Value": autograd.Value} | names
        names |= {"__name__": "answer", TICK: ticks} | self.finds()
        if ticks is None:
            exec(compile(code, cells.known_as(code, self.name), "exec"), names)
        else:
            with contextlib.redirect_stdout(Output()):
                exec(compile(counted(code), f"<an answer to {self.name}>", "exec"), names)
        older = () if self.takes[0] in names or not self.methods else parts.BY_NAME[self.name].functions
        return [names[name] for name in older or self.takes]

    def of_code(self, code, seed=0, spend=None):
        """Yield the tests of a wrong answer's code, up to one in which it does not end or cannot be run.

        spend: a function that gets the work of each test, in units of one test of an answer without loops.
        """
        ticks = Ticks()
        try:
            tests = self.tests(self.answers(code, ticks), seed)
            while (test := next(tests, None)) is not None:
                if spend:
                    spend(1 + (TICKS - ticks.left) // 1000)
                yield dataclasses.replace(test, graph=None)
                ticks.left = TICKS
        except search.Exhausted:  # raised by `spend`, not by the answer
            raise
        except TimeUp:
            if ticks.left > 0:  # the guard raised it
                raise
            if spend:
                spend(TICKS // 1000)
            yield Seen("", ended=ENDLESS)
        except (Exception, Printed) as fault:
            yield Seen("", ended=f"no answer: {type(fault).__name__}")

    def of_mistake(self, seed, code):
        """Yield the tests of a known mistake's code. They are the same each time, so they are kept."""
        if seed and not any(seed == other for _, other in self.kept):
            self.kept = {key: kept for key, kept in self.kept.items() if not key[1]}
        kept = self.kept.setdefault((code, seed), [])
        yield from (test for test in kept if test is not None)
        if kept and kept[-1] is None:
            return
        for test in itertools.islice(self.of_code(code, seed), len(kept), None):
            kept.append(test)
            yield test
        kept.append(None)

    def wrong(self, observation, compares):
        """Return the Verdict on an answer that fails in one of its tests."""
        tests, seed, note = observation.tests, observation.seed, ""
        place, test = next((i, test) for i, test in enumerate(tests) if not test.is_right)
        mistakes, lead = (), WHOLE
        if test.because or (compares and self.compares):
            with warnings.catch_warnings():  # of code that is not the learner's
                warnings.simplefilter("ignore")
                note = self.other_than_its_text(observation) if compares and self.compares else ""
                mistakes, lead = self.cause(observation) if not note else ((), WHOLE)
        count = f" (Test {place + 1} of {len(tests)}.)" if len(tests) > 1 and not (tests[-1].ended or seed) else ""
        return showable(
            Verdict(
                self.name,
                WRONG,
                (f"{test.says}{count}", *([note] if note else [])),
                test.case,
                test.graph() if callable(test.graph) else test.graph,
                test.wrong_rows,
                tuple(each if lessons.has_met(each.lesson) else each.without_place() for each in mistakes),
                lead,
            )
        )

    def other_than_its_text(self, observation):
        """Return the sentence for an answer that does not match its own text; "" if it does or cannot be told."""
        tests, source, again, third = observation.tests, observation.source, [], []
        with contextlib.suppress(TimeUp):
            for runs in (again, third) if source else ():
                runs += guarded(lambda: list(self.of_code(source, observation.seed)), PATIENT, PATIENT)
                agreed, all_of_it = catalogue.agreement(tests, again)
                ends = [test.ended for run in (tests, again) for test in run[agreed : agreed + 1]]
                if all_of_it or ENDLESS in ends:
                    return ""  # the same, or too slow: how far it gets depends on the machine
        if again and all(test.is_right for test in again):
            return f"{CELL_IS_RIGHT} {self.call}"
        if not again or not {test.ended for test in again} <= {"", *(test.ended for test in tests)}:
            return ""
        return CELL_DIFFERS if catalogue.agreement(again, third)[1] else UNSTEADY

    def cause(self, observation):
        """Return (Mistakes, the words that lead to them) for a wrong answer's Observation: known ones, or one found."""
        tests, seed = observation.tests, observation.seed
        source, missing = search.completed(self.name, observation.source)
        mistakes, lead = (), WHOLE
        with contextlib.suppress(TimeUp):
            if turned := guarded(
                lambda: search.turned(functools.partial(self.through, seed), source), PATIENT, PATIENT
            ):
                return counting(turned, missing), MENDED
            observe = functools.partial(self.of_mistake, seed)
            explain = functools.partial(catalogue.explain, self.name, tests, observe, source)
            mistakes, lead = guarded(explain, PATIENT, PATIENT)
        if lead == PARTLY or not mistakes:
            with contextlib.suppress(TimeUp):
                observe = functools.partial(self.through, seed)
                look = functools.partial(search.search, self.name, tests, observe, source, self.work)
                mistakes, lead = guarded(look, PATIENT, PATIENT) or (mistakes, lead)
        return counting(mistakes, missing) if lead == MENDED else mistakes, lead

    def through(self, seed, code, spend=None):
        """Yield the tests of a changed answer with a seed and, if it passes them, those of a silent round."""
        right = True
        for test in self.of_code(code, seed, spend):
            yield test
            right = right and test.is_right
        if right and not seed and (seed := self.seed_of(code)):
            yield from self.of_code(code, seed, spend)


def counting(mistakes, missing):
    """Return the mistakes that one change repairs, each with the names of the functions still to be written."""
    said = f" (Still to be written: {', '.join(f'`{name}`' for name in missing)}.)" if missing else ""
    return [dataclasses.replace(each, sentence=f"{each.sentence}{said}".strip()) for each in mistakes]


def until_nothing(tests):
    """Yield these tests. Once one has passed, a None returned without a printed text is a failed test."""
    has_passed = False
    try:
        while True:
            test = next(tests)
            has_passed = has_passed or test.is_right
            yield test
    except StopIteration as end:
        return end.value
    except NothingReturned as nothing:
        if nothing.printed or not has_passed:
            raise
        yield Seen(f"It returned None here. {RETURNS}", case=nothing.case, ended="None")


def everything(tests):
    """Return (all Seen of a generator, the value that it returns)."""
    found = []
    while True:
        try:
            found.append(next(tests))
        except StopIteration as end:
            return found, end.value


def of_trouble(trouble):
    """Return the Seen of a test after which none can follow."""
    return Seen(" ".join(trouble.sentences), ended=trouble.kind)


def showable(verdict):
    """Return the verdict, without its rows if a learner's object in them cannot be shown."""
    try:
        verdict.text()
    except Exception:
        return dataclasses.replace(verdict, rows=())
    return verdict
