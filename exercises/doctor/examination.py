"""Judge the engine in a file: right, wrong with the mistakes that explain every result, or not run."""

import functools
import time
from pathlib import Path

from autograd.operations import FUNCTIONS
from exercises.content.library import Mistake
from exercises.doctor import notes
from exercises.doctor.loading import texts_of
from exercises.doctor.report import NOT_RUN, RIGHT, WRONG, Verdict
from exercises.explaining import explanation, identifying
from exercises.explaining.identifying import Identity, is_right, judged, single, truth
from exercises.explaining.recording import BACKWARD, FORWARD
from exercises.sandbox.runner import Ended, Runner
from exercises.verdicts.cases import ALL, FLOATS, KINDS, is_close

EXTRA = ("sqrt", "sin", "cos")
SLIPS = {"NameError", "UnboundLocalError", "RecursionError", "NotANode"}  # faults wherever they are raised
SINGLE_PRECISION = 1e6  # times the tolerance: how far off float32 may be
BATCH, AGAIN = 40, 3  # graphs in a question; how often graphs are built to see whether the order of a set matters
CHILD = "exercises.doctor.child:"
TIMES = 10, 30.0  # seconds of CPU time, and of wall-clock time, for one question


def examine(path):
    """Return the Verdict of a .py or .ipynb file; raise OSError if it cannot be read, ValueError for another kind."""
    path, begun = Path(path).resolve(), time.perf_counter()
    if path.suffix not in (".py", ".ipynb"):
        raise ValueError(f"The doctor reads .py and .ipynb files; this is {path.name}.")
    path.read_bytes()
    verdict = examined(path, False)
    if lacks_engine(verdict):
        whole = examined(path, True)
        verdict = whole if whole.engine else verdict
    verdict.seconds = round(time.perf_counter() - begun, 2)
    return verdict


def lacks_engine(verdict):
    """Return whether no engine was found, so that the whole file may be worth a try."""
    return verdict.verdict == NOT_RUN and not verdict.engine


def examined(path, is_whole, start=Runner):
    """Return the Verdict of a file.

    is_whole: whether to run all of it, not only its definitions. start: returns the Runner in which the file runs.
    """
    with start() as runner:

        def send(function, *given):
            return runner.ask(CHILD + function, *given, work=TIMES[0], timeout=TIMES[1])

        try:
            engine = send("begin", str(path), is_whole)
            if "why" in engine:
                broken = engine.get("depth") in (5, 6)
                failed = [f"Left out: {each}." for each in engine.get("failed", ())[:3]]
                return Verdict(NOT_RUN, engine["why"] + (" Nothing can be judged before that." * broken), notes=failed)
            return Examination(functools.partial(send, "ask"), engine, functools.partial(text_in, path)).verdict()
        except Ended as fault:
            return Verdict(NOT_RUN, f"The engine could not be tried: {fault}.")


def text_in(path, file):
    """Return the text of a file with code of the engine in `path`, or of a cell of this notebook."""
    return dict(texts_of(path)).get(file) or (Path(file).read_text(encoding="utf-8") if Path(file).is_file() else "")


class Examination:
    """The examination of one engine.

    ask: calls a method of its Subject, by name, with arguments. text: returns the text of a file with its code.
    is_own: whether it is a learner's, which follows the course's conventions and gets no notes on others. wanted: the
    kinds of steps that it must have, and the only ones tried; () for those that it has.
    """

    def __init__(self, ask, engine, text, is_own=False, wanted=()):
        self.ask, self.engine, self.text, self.is_own, self.wanted, self.seed = ask, engine, text, is_own, wanted, None
        kinds = wanted or (ALL if is_own else (*ALL, *EXTRA))
        self.kinds = [kind for kind in kinds if KINDS[kind][0] not in FUNCTIONS or kind in engine["functions"]]

    def run(self, cases, passes=1, seed=None):
        asked, records = [[case.leaves, case.steps] for case in cases], []
        for start in range(0, len(asked), BATCH):
            records += self.ask("compute", asked[start : start + BATCH], seed or self.seed, passes)
        return records

    def verdict(self):
        """Ask all questions and return the Verdict."""
        alone = dict(zip(self.kinds, self.run([single(kind) for kind in self.kinds])))
        mistakes = self.slips(alone)
        usable = [kind for kind in self.kinds if "error" not in alone[kind]]
        if not usable:
            return self.stopped(alone, mistakes)
        if not self.is_seeded(alone, usable):
            if not self.seed:
                why = f"No gradient arrives in `{self.engine['grad']}`, whatever is computed."
                return Verdict(NOT_RUN, why, self.engine)
            mistakes.append(explanation.mistake(explanation.TABLES["whole"]["start"]["0"]))
        found = judged(self.run, tuple(usable), self.is_tried)
        found, is_rough = self.in_single_precision(found, tuple(usable))
        mistakes = [*mistakes, *found.alike, *map(raised, found.raised)]
        noted = notes.lacks(alone) + ([] if self.is_own else notes.conventions(self, alone, is_rough))
        varying, always = self.varying(found, tuple(usable))
        is_wrong = bool(mistakes) or not found.is_right or bool(varying)
        if mistakes and not (found.is_right or found.alike or found.raised):
            noted.insert(0, notes.MORE)
        if varying and (found.alike or always):
            noted.append(notes.SOME_RUNS)
        elif varying:
            mistakes.insert(0, notes.SET_ORDER)
        smallest = (found.case, found.rows) if found.case else varying or self.smallest_slip(alone, mistakes)
        lines = self.lines(mistakes, found.raised, alone)
        verdict = WRONG if is_wrong else RIGHT
        return Verdict(verdict, "", self.engine, mistakes, lines, smallest, found.tried, noted)

    def slips(self, alone):
        """Return the Mistakes of operations that the engine defines, but that raise instead of giving a node."""
        listed = [(name, fault, message, FORWARD) for name, (fault, message) in self.engine["failed"].items()]
        for kind, record in alone.items():
            if "error" in record:
                listed.append((kind, record["error"], record["message"], record["where"]))
        named = {}
        for kind, fault, message, where in listed:
            is_plain = "n" in KINDS[kind][1] and KINDS[kind][0] != kind
            is_defined = where == BACKWARD or KINDS[kind][0] in FUNCTIONS or self.defines(kind)
            is_slip = fault in SLIPS or where == BACKWARD or not (is_plain or kind == "**")
            if kind in self.wanted or (is_defined and is_slip and fault != "NotImplementedError"):
                named.setdefault((fault, message, where), []).append(kind)
        return [notes.mistake_note(kinds, *key, len(alone)) for key, kinds in named.items()]

    def is_tried(self, case):
        """Return whether to try a Case: the slope at a corner is a convention of the course, not of every engine."""
        return self.is_own or has_no_corner(case)

    def defines(self, kind):
        """Return whether an engine has the method of a kind of step."""
        sign, pattern = KINDS[kind]
        names = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "**": "pow", "neg": "neg"}
        return f"__{'r' * (pattern == 'nv')}{names[sign]}__" in self.engine["methods"]

    def stopped(self, alone, mistakes):
        """Return the Verdict of an engine if every one of its operations raises."""
        record = alone["+"]
        rows = identifying.rows(single("+"), record)
        if not mistakes:
            return Verdict(NOT_RUN, f"a + b raises {record['error']}: {record['message']}.", self.engine)
        lines = self.lines(mistakes, (), alone)
        return Verdict(WRONG, "", self.engine, mistakes, lines, (single("+"), rows))

    def smallest_slip(self, alone, mistakes):
        """Return (Case, rows) of an operation that raises or gives no gradient; None if neither is a mistake."""
        records = {kind: record for kind, record in alone.items() if "error" in record}
        for name, (fault, message) in self.engine["failed"].items():
            records[name] = {"error": fault, "message": message, "where": FORWARD}
        if self.seed:
            records |= {kind: record for kind, record in alone.items() if any(truth(single(kind))[1])}
        named = [kind for kind in records if any(kind in each.name.partition(" r")[0].split(", ") for each in mistakes)]
        kind = next(iter(named or records), None) if mistakes else None
        return (single(kind), identifying.rows(single(kind), records[kind])) if kind else None

    def is_seeded(self, alone, usable):
        """Return whether gradients arrive; if they do only when the root's is set by hand, set the seed."""
        wanted = [kind for kind in usable if any(truth(single(kind))[1])]
        simple = [kind for kind in wanted if kind in "+*"]
        arrives = [kind for kind in wanted if any(alone[kind]["grads"]) or alone[kind]["root"]]
        if any(kind in arrives for kind in simple or wanted):
            return True
        by_hand = self.run(map(single, simple or wanted), seed=1.0)
        if any("grads" in record and any(record["grads"]) for record in by_hand):
            self.seed = 1.0
        return bool(arrives) and not self.seed

    def in_single_precision(self, found, usable):
        """Return (the Identity, whether the engine is right except for the digits that float32 lacks)."""
        if self.is_own or found.is_right or found.raised or found.alike:
            return found, False
        tried = [case for case in identifying.cases(usable, identifying.COUNT) if self.is_tried(case)]
        if all(is_right(case, record, SINGLE_PRECISION) for case, record in zip(tried, self.run(tried))):
            return Identity(True, lacks=found.lacks, tried=len(tried)), True
        return found, False

    def varying(self, found, usable):
        """Return ((Case, rows) of a graph whose gradients differ each time that it is built, or None; a boolean).

        The boolean: whether another graph is wrong in the same way each time.
        """
        tried = [case for case in identifying.cases(usable, identifying.COUNT) if self.is_tried(case)]
        tried += [found.case] if found.case else []
        runs = self.ask("compute_again", [[case.leaves, case.steps] for case in tried], AGAIN)
        varying, always = None, False
        for case, records in zip(tried, zip(*runs)):
            wrong = [record for record in records if not is_right(case, record)]
            if wrong and any(differ(record, records[0]) for record in records):
                varying = varying or (case, identifying.rows(case, wrong[0]))
            always = always or (len(wrong) == len(records) and "grads" in wrong[0] and not varying)
        return varying, always

    def lines(self, mistakes, ended, alone):
        """Return where each Mistake is, as `notes.line_of` writes it: an exception's own line, or that of a rule."""
        known = {raised(record).name: record["line"] for record in ended}
        for record in alone.values():
            if record.get("line"):
                known.setdefault(f"raises {record['error']}", record["line"])
        return [notes.line_of(each, self.engine, self.text, known) for each in mistakes]


def raised(record):
    """Return the Mistake of an exception that an engine raises on some graphs, from its record."""
    message = record["message"].rstrip(".!")
    said = f"{message[0].upper()}{message[1:]}. " if message else ""
    return Mistake(f"it raises {identifying.said_of(record)}", f"{said}On other graphs it comes to its end.")


def differ(record, other):
    """Return whether two records of a graph have other gradients, and not only other rounding."""
    here, there = record.get("grads"), other.get("grads")
    return here != there and not (here and there and all(map(is_close, here, there)))


def has_no_corner(case):
    """Return whether no relu or root in a Case is at 0, where the slope is a convention or infinite."""
    known = case.compute([number for _, number in case.leaves], FLOATS)
    return not any(operation in ("relu", "sqrt") and known[of[0]] == 0 for _, operation, of in case.steps)
