"""The known mistakes of each exercise, as text beside wrong code; and which of them give all that was seen.

`mistakes.md` in an exercise's folder holds them, in the notation of exercises/engines/changes.py.
"""

import ast
import contextlib
import functools
import itertools
import re
import textwrap
from dataclasses import replace

from exercises.engines.changes import changed, mistakes_in
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.engines.wrong_tensors import WRONG_TENSORS
from exercises.explaining import evidence
from exercises.explaining.slips import each_slip
from exercises.shelf import library
from exercises.verdicts.seen import alike
from exercises.verdicts.verdict import MENDED, PAIR, PARTLY, WHOLE, Mistake

SHOWN = 2  # mistakes that were seen and are told; of others one, where no second is borne out as well
PAIRS = 300  # of mistakes that are tried together

ENGINES = {wrong.id: wrong for wrong in (*WRONG_ENGINES, *WRONG_TENSORS)}


@functools.cache
def known(name):
    """The Known mistakes of an exercise, in the order of their file; none where it has no file."""
    return tuple(map(named, mistakes_in(library.place(name, "mistakes.md")))) if name in library.names() else ()


def named(each):
    """A Known mistake; one whose heading is a wrong engine's, such as M9 or TM3, with the words of that engine."""
    mistake, engine = each.mistake, ENGINES.get(each.mistake.name)
    if engine is None:
        return each
    said = {field: getattr(mistake, field) or getattr(engine, field) for field in ("sentence", "lesson", "section")}
    return replace(each, mistake=Mistake(engine.name, **said))


def explain(exercise, tests, observe, source=""):
    """(Mistakes, the words that lead to them) for the tests of a wrong answer: one mistake, or two that were seen.

    observe(code) runs a wrong answer and yields its tests. source: the answer's text. A mistake that is seen in the
    first failing test goes before all others; then one that gives the same in every test; then one that gives the same
    up to the first failing test. Of several, the one that the text bears out is named; none, if it bears out none. One
    that the text speaks against is named if it alone gives the same numbers in every test.
    """
    failing = first_failing(tests)
    if tests[failing].because:
        names = tests[failing].because[:SHOWN]
        return [each.mistake for name in names for each in known(exercise) if each.mistake.name == name], WHOLE
    solution, whole, partly, against = solution_of(exercise), {}, {}, []
    for each in known(exercise):
        codes = each.codes(solution)
        possible = evidence.possible(source, solution, codes)
        if not possible and not speaks(tests):
            continue
        agrees = [agreement(tests, observe(code)) for code in codes]
        if not possible:
            against += [each.mistake] * any(all_of_it for _, all_of_it in agrees)
        elif any(all_of_it for _, all_of_it in agrees):
            whole[each.mistake] = evidence.score(source, solution, codes)
        elif any(count > failing for count, _ in agrees):
            partly[each.mistake] = evidence.score(source, solution, codes)
    if speaks(tests) and len(whole or against) == 1:
        return list(whole or against), WHOLE
    told = evidence.SOME if speaks(tests) or (len(whole) == 1 and not tests[failing].ended) else evidence.ENOUGH
    if found := borne_out(whole, told, alone=not tests[failing].ended):
        return found, WHOLE
    return borne_out(partly, 1.0), PARTLY


def solution_of(exercise):
    """The text of the solution; "" where there is no such exercise."""
    try:
        return library.solution(exercise).code
    except ValueError:
        return ""


def speaks(tests):
    """Whether what was seen of an answer is more than an exception, a type or a shape."""
    return not any(test.ended for test in tests) and not any(
        isinstance(row[2], str) for row in tests[first_failing(tests)].wrong_rows
    )


def borne_out(scores, enough, alone=False):
    """The mistake that an answer's text bears out best, in a list; none if none is borne out, or two as well.

    alone: whether a single one is named of an answer whose text is not to be had.
    """
    if scores and all(score is None for score in scores.values()):
        return list(scores) if alone and len(scores) == 1 else []
    best = sorted(scores, key=lambda mistake: -scores[mistake])[:SHOWN]
    if not best or scores[best[0]] < enough:
        return []
    return best[:1] if len(best) == 1 or scores[best[0]] > scores[best[1]] or scores[best[0]] >= 1 else []


def search(exercise, tests, observe, source, limit):
    """The same, from what no file names: one change that mends the answer, or two known mistakes; None if nothing.

    observe(code, spend) runs a changed answer, and tells `spend` of the work. limit: how much of it is done at most,
    in tests of a short answer; a number and no time, so that a verdict is the same on any machine.
    """
    if not known(exercise):
        return None
    with contextlib.suppress(Exhausted):
        if found := mended(Limited(observe, limit), source):
            return found, MENDED
    with contextlib.suppress(Exhausted):
        ended = tests[first_failing(tests)].ended  # that tells too little apart
        if not ended and (found := both(exercise, tests, Limited(observe, limit), source)):
            return found, PAIR
    return None


class Exhausted(Exception):
    """A search has done all the work that it may."""


class Limited:
    """`observe` for a search that may do so much work: Exhausted where that is done."""

    def __init__(self, observe, limit):
        self.observe, self.left = observe, limit

    def spend(self, work):
        """Note work that was done."""
        self.left -= work
        if self.left < 0:
            raise Exhausted

    def __call__(self, code):
        return self.observe(code, self.spend)


def first_failing(tests):
    """The place of the first test that fails."""
    return next(i for i, test in enumerate(tests) if not test.is_right)


def mended(observe, source):
    """The one thing in an answer's own text that, changed, makes all tests right, as a Mistake in a list."""
    text = definitions(source)
    if not re.search(r"^(def|class) ", text, re.MULTILINE):
        return []
    for slip in each_slip(text):
        tests = observe(slip.code)
        if (first := next(tests, None)) and first.is_right and all(test.is_right for test in tests):
            return [Mistake(slip.undone, "")]
    return []


def definitions(source):
    """The functions, classes, imports and names that a text defines, without what it does beside: "" if unreadable."""
    try:
        tree = ast.parse(textwrap.dedent(source))
    except (SyntaxError, ValueError):
        return ""
    kinds = ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Assign
    return "\n".join(ast.unparse(node) for node in tree.body if isinstance(node, kinds))


def agreement(tests, others):
    """(how many tests, from the first on, two answers agree in; whether they agree in all)."""
    count = 0
    for one, other in itertools.zip_longest(tests, others):
        if one is None or other is None or not alike(one, other):
            return count, False
        count += 1
    return count, True


def both(exercise, tests, observe, source):
    """Two mistakes that together give everything, each of which changes something that is seen, as one in a list.

    Only where the answer's text bears out both; else none.
    """
    solution = library.solution(exercise).code
    changes = [(each.mistake, change) for each in known(exercise) for change in each.changes if change[0] != "python"]
    changes.sort(key=lambda each: -(evidence.score(source, solution, [changed(solution, *each[1])]) or 0.0))
    places = sorted(itertools.combinations(range(len(changes)), 2), key=sum)  # both high in the list before one alone
    for (one, first), (other, second) in ([changes[i] for i in pair] for pair in places[:PAIRS]):
        code = together(solution, first, second) if one != other else None
        if not code or (evidence.score(source, solution, [code]) or 0.0) < evidence.ENOUGH:
            continue
        alone = (changed(solution, *change) for change in (first, second))
        if agreement(tests, observe(code))[1] and all(is_wrong(observe(each)) for each in alone):
            return [Mistake(f"{one.name}, and {other.name}", "", one.lesson, one.section)]
    return []


def is_wrong(tests):
    """Whether one of these tests fails."""
    return any(not test.is_right for test in tests)


def together(solution, first, second):
    """The text of an answer with two changes; None where they are changes of the same lines."""
    try:
        code, turned = changed(changed(solution, *first), *second), changed(changed(solution, *second), *first)
    except ValueError:
        return None
    return code if code == turned and code not in (changed(solution, *first), changed(solution, *second)) else None
