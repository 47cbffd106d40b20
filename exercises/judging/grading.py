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
from exercises.sandbox.guard import ENDLESS, AnswerError, NotAttempted, TimeUp, describe_exception, run_guarded
from exercises.sandbox.output import Output, Printed
from exercises.storage import progress
from exercises.verdicts.results import MENDED, NOT_YET, PARTLY, PASSED, WHOLE, WRONG, Observation, TestResult, Verdict

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
CAUSE_TIMEOUT = 60.0  # seconds, for code that the step counter should have stopped long before


def exercise(body=None, **settings):
    """Make the generator function `body(answer, …)` the check of the exercise that it is named after.

    body: its parameters are the names that the exercise's cell defines; with `*, engine` it also gets the names of a
    fresh engine with the answer in it, if that is a part of one, and with `*, seed` a number: 0 for the tests that are
    shown, and another, drawn from the answer's text, for those that a right answer must also pass in silence. It yields
    a `TestResult` for each test, all of them, also after one that fails, and returns the sentence for a right answer.
    It may raise AnswerError if no test can follow.
    finds: a function that returns the names available in the cell's lesson besides math, random, autograd and Value.
    compares: whether a wrong answer is compared with the wrong code of the known mistakes; not if it is no function but
    the result of one, whose mistake the body itself must see.
    notes: a function of the verdict and the answers that notes more in the progress file than whether it has passed.
    work: how many tests of changed answers are run at most to find what is wrong with one: fewer if a test is slow.
    timeout: wall-clock seconds for all tests of an answer; None: the guard's own limit.
    determinism: how the tests of a right answer differ from those of the course's solution with the same seed, with
    which a class's report compares them: "" not at all; "more", there may be further ones; "fewer", the last may be
    missing; "once", a second round may be missing; "own", each answer has its own; "calls", its own, which its calls
    repeat.
    """
    return functools.partial(exercise, **settings) if body is None else Check(body, **settings)


class Check:
    """The check of an exercise: called with an answer it gives a Verdict, whatever the answer is.

    It raises nothing for a learner's mistake; it stops code that does not end; it records progress, and keeps a part
    that has passed in the learner's own engine.
    """

    def __init__(self, body, *, finds=dict, compares=True, notes=None, work=WORK, timeout=None, determinism=""):
        functools.update_wrapper(self, body)
        self.body, self.finds, self.compares, self.notes, self.work = body, finds, compares, notes, work
        self.timeout, self.determinism = timeout, determinism
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
        with isolation.preserved_state() as said, warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's: the verdict shows the result
            rerun = cells.rerun_in_clean_namespace(answers, parts.engine_namespace(self.name)) if self.is_part else None
            verdict = self.judge(*(rerun or answers))
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
            bound = inspect.signature(self.body).bind(*answers, **named, **self.extra_arguments(0, 0))
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
        if self.is_part and any(map(parts.is_from_course, answers)):
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
                if self.is_part and parts.is_from_course(thing):
                    said = f"`{wanted}` comes from the course itself. The exercise is to write your own."
                    return observation(WRONG, said=said)
            tests, said = run_guarded(lambda: run_all(self.tests(answers)), timeout=self.timeout, counts=False)
            used_up = any(isinstance(each, Iterator) for each in answers)
            seed = self.seed_of(source) if all(test.is_right for test in tests) and not used_up else 0
            if seed:  # a right answer is never shown these tests
                unseen, _ = run_guarded(lambda: run_all(self.tests(answers, seed)), counts=False)
                if not all(test.is_right for test in unseen):
                    return observation(WRONG, tuple(unseen), seed=seed)
        except NotAttempted as unfinished:
            return observation(NOT_YET, said=str(unfinished) or (UNCHANGED if self.is_stub(source) else UNFINISHED))
        except AnswerError as error:
            tests, said, seed = [failed_test(error)], "", 0
        except TimeUp:
            return observation(WRONG, said=TOO_LONG)
        except Exception as fault:  # the check itself failed, on an answer of a kind that nobody thought of
            return observation(WRONG, said=f"{UNKNOWN} {describe_exception(fault)}")
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

    def extra_arguments(self, engine, seed):
        """Return the keyword arguments that the body takes besides the answers."""
        return ({"engine": engine} if self.wants_engine else {}) | ({"seed": seed} if self.wants_seed else {})

    def tests(self, answers, seed=0):
        """Yield a TestResult for each test of these answers. Return the sentence for right ones.

        The random numbers are the same every time, so that two answers can be compared.
        """
        luck = random.getstate()
        random.seed(self.name)
        try:
            names = self.engine_namespace(answers) if self.is_part else {}
            with parts.bound_globals(answers, names) if self.is_part else contextlib.nullcontext():
                tests = self.body(*answers, **self.extra_arguments(SimpleNamespace(**names), seed))
                return (yield from until_returned_none(tests)) if isinstance(tests, GeneratorType) else tests
        except AnswerError as error:
            yield failed_test(error)
        finally:
            random.setstate(luck)

    def offer(self, answers, case):
        """Return the line that offers to step through a failing case with these answers; "" if that is impossible."""
        with contextlib.suppress(Exception):  # a learner's cell may do anything in the engine
            return debugging.offer(self.engine_namespace(answers), answers, case)
        return ""

    def engine_namespace(self, answers):
        """Return the names of a fresh engine with these answers in it."""
        is_whole = len(answers) in (len(self.takes), len(self.methods))
        return parts.engine_namespace(self.name, *answers) if is_whole else parts.engine_namespace(self.name)

    def answers(self, code, ticks=None):
        """Run a cell's text as in the exercise's lesson and return what it defines for the check.

        ticks: counts the rounds of its loops and the calls of its functions; without it the text is known afterwards.
        """
        names = parts.engine_namespace(self.name) if self.is_part else {}
        names = {name: thing for name, thing in names.items() if name not in self.takes}  # the text must define these
        names = {**parts.MODULES, "autograd": autograd, "Value": autograd.Value} | names
        names |= {"__name__": "answer", TICK: ticks} | self.finds()
        if ticks is None:
            exec(compile(code, cells.register_text(code, self.name), "exec"), names)
        else:
            with contextlib.redirect_stdout(Output()):
                exec(compile(counted(code), f"<an answer to {self.name}>", "exec"), names)
        older = () if self.takes[0] in names or not self.methods else parts.BY_NAME[self.name].functions
        return [names[name] for name in older or self.takes]

    def run_code(self, code, seed=0, spend=None):
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
            yield TestResult("", ended=ENDLESS)
        except (Exception, Printed) as fault:
            yield TestResult("", ended=f"no answer: {type(fault).__name__}")

    def run_mistake(self, seed, code):
        """Yield the tests of a known mistake's code. They are the same each time, so they are kept."""
        if seed and not any(seed == other for _, other in self.kept):
            self.kept = {key: kept for key, kept in self.kept.items() if not key[1]}
        kept = self.kept.setdefault((code, seed), [])
        yield from (test for test in kept if test is not None)
        if kept and kept[-1] is None:
            return
        for test in itertools.islice(self.run_code(code, seed), len(kept), None):
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
                note = self.explain_text_mismatch(observation) if compares and self.compares else ""
                mistakes, lead = self.cause(observation) if not note else ((), WHOLE)
        count = f" (Test {place + 1} of {len(tests)}.)" if len(tests) > 1 and not (tests[-1].ended or seed) else ""
        return without_unshowable_rows(
            Verdict(
                self.name,
                WRONG,
                (f"{test.says}{count}", *([note] if note else [])),
                test.case,
                test.graph() if callable(test.graph) else test.graph,
                tuple(row for row in test.wrong_rows if row[1] is not None),
                tuple(each if lessons.has_met(each.lesson) else each.without_place() for each in mistakes),
                lead,
            )
        )

    def explain_text_mismatch(self, observation):
        """Return the sentence for an answer that does not match its own text; "" if it does, or if that is unknown."""
        tests, source, again, third = observation.tests, observation.source, [], []
        with contextlib.suppress(TimeUp):
            for runs in (again, third) if source else ():
                runs += run_guarded(lambda: list(self.run_code(source, observation.seed)), CAUSE_TIMEOUT, CAUSE_TIMEOUT)
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
            changed = functools.partial(self.run_changed_answer, seed)
            if turned := run_guarded(lambda: search.turned(changed, source), CAUSE_TIMEOUT, CAUSE_TIMEOUT):
                return counting(turned, missing), MENDED
            observe = functools.partial(self.run_mistake, seed)
            explain = functools.partial(catalogue.explain, self.name, tests, observe, source)
            mistakes, lead = run_guarded(explain, CAUSE_TIMEOUT, CAUSE_TIMEOUT)
        if lead == PARTLY or not mistakes:
            with contextlib.suppress(TimeUp):
                observe = functools.partial(self.run_changed_answer, seed)
                look = functools.partial(search.search, self.name, tests, observe, source, self.work)
                mistakes, lead = run_guarded(look, CAUSE_TIMEOUT, CAUSE_TIMEOUT) or (mistakes, lead)
        return counting(mistakes, missing) if lead == MENDED else mistakes, lead

    def run_changed_answer(self, seed, code, spend=None):
        """Yield the tests of a changed answer with a seed and, if it passes them, those of a silent round."""
        right = True
        for test in self.run_code(code, seed, spend):
            yield test
            right = right and test.is_right
        if right and not seed and (seed := self.seed_of(code)):
            yield from self.run_code(code, seed, spend)


def counting(mistakes, missing):
    """Return the mistakes that one change repairs, each with the names of the functions still to be written."""
    said = f" (Still to be written: {', '.join(f'`{name}`' for name in missing)}.)" if missing else ""
    return [dataclasses.replace(each, sentence=f"{each.sentence}{said}".strip()) for each in mistakes]


def until_returned_none(tests):
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
        yield TestResult(f"It returned None here. {RETURNS}", case=nothing.case, ended="None")


def run_all(tests):
    """Return (all TestResult of a generator, the value that it returns)."""
    found = []
    while True:
        try:
            found.append(next(tests))
        except StopIteration as end:
            return found, end.value


def failed_test(error):
    """Return the TestResult of a test after which none can follow."""
    return TestResult(" ".join(error.sentences), ended=error.kind)


def without_unshowable_rows(verdict):
    """Return the verdict, without its rows if a learner's object in them cannot be shown."""
    try:
        verdict.render_text()
    except Exception:
        return dataclasses.replace(verdict, rows=())
    return verdict
