"""The known mistakes of each exercise, as text with wrong code; and which of them give all the observed results.

`mistakes.md` in an exercise's folder holds them, in the notation of exercises/content/library.py. If several
mistakes give all the results, the answer's own text decides: it shows which of their changes were made.
If the results are only an exception, a shape or a type, a mistake is named only if the text supports it.
"""

import functools
import itertools
import re
from dataclasses import replace

from exercises.content import library
from exercises.content.library import mistakes_in
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.engines.wrong_tensors import WRONG_TENSORS
from exercises.explaining.features import ENOUGH, SOME, adds, inputs_read, possible, score
from exercises.verdicts.results import ALIKE, PARTLY, WHOLE, same_outcome

# A text of numbers. A single number with an exponent is not an answer, but an error that a check measured.
NUMBER = re.compile(r"(\[+-?\d[^a-df-z]*|-?\d[^a-z]*)(, (slope|shape) .*)?$")
SHOWN = 2  # observed mistakes that are named; of others one, if the text supports no second one as well
ENGINES = {wrong.id: wrong for wrong in (*WRONG_ENGINES, *WRONG_TENSORS)}


@functools.cache
def known_mistakes(name):
    """Return the Known mistakes of an exercise, in the order of their file; () if it has no file."""
    return (
        tuple(map(with_engine_words, mistakes_in(library.place(name, "mistakes.md"))))
        if name in library.names()
        else ()
    )


def with_engine_words(each):
    """Return a Known mistake; if its heading is a wrong engine's id, such as M9 or TM3, with that engine's words.

    The place stays out: it is for readers of the workshops on testing engines, who know more.
    """
    mistake, engine = each.mistake, ENGINES.get(each.mistake.name)
    if engine is None:
        return each
    return replace(each, mistake=replace(mistake, name=engine.name, sentence=mistake.sentence or engine.sentence))


def explain(exercise, tests, observe, source=""):
    """Return (Mistakes, what leads to them) for the tests of a wrong answer: one mistake, or two that were seen.

    observe(code) runs a wrong answer and yields its tests. source: the answer's text. A mistake that is seen in the
    first failing test goes before all others; then one that gives the same in every test; then one that gives the same
    up to the first failing test, if the text has all of it. Of several, the one that the text supports is named, or
    none. One that gives the same numbers in every test, but that the text does not support, is returned as ALIKE.
    One that reads an input that the text never reads is named only if the text has all of it.
    """
    failing = first_failing(tests)
    if tests[failing].because:
        names = tests[failing].because[:SHOWN]
        return [each.mistake for name in names for each in known_mistakes(exercise) if each.mistake.name == name], WHOLE
    solution = library.solution(exercise).code if known_mistakes(exercise) else ""
    whole, partly, against = {}, {}, []
    for each in known_mistakes(exercise):
        codes = [code for code in each.codes(solution) if reads_no_more(source, solution, code)]
        may_be = possible(source, solution, codes)
        if not may_be and not has_numbers(tests):
            continue
        agrees = [agreement(tests, observe(code)) for code in codes]
        if not may_be:
            against += [each.mistake] * any(all_of_it for _, all_of_it in agrees)
        elif any(all_of_it for _, all_of_it in agrees):
            whole[each.mistake] = score(source, solution, codes)
        elif any(count > failing and adds(solution, code) for (count, _), code in zip(agrees, codes)):
            partly[each.mistake] = score(source, solution, codes)
    if has_numbers(tests) and len(whole or against) == 1:
        found = list(whole or against)
        return found, WHOLE if (whole.get(found[0]) or 0) >= ENOUGH else ALIKE
    told = SOME if has_numbers(tests) or (len(whole) == 1 and not tests[failing].ended) else ENOUGH
    if found := borne_out(whole, told, alone=not tests[failing].ended):
        return found, WHOLE if (whole[found[0]] or 0) >= ENOUGH else ALIKE
    return borne_out(partly, 1.0), PARTLY


def reads_no_more(source, solution, code):
    """Return whether a text reads all inputs that a mistake's code reads, or has all that makes the mistake."""
    return inputs_read(code) <= inputs_read(source, code) or (score(source, solution, [code]) or 0) >= 1


def has_numbers(tests):
    """Return whether an answer's results are more than an exception, a type or a shape: numbers, even in a text."""
    return not any(test.ended for test in tests) and not any(
        isinstance(row[2], str) and not NUMBER.match(row[2]) for row in tests[first_failing(tests)].wrong_rows
    )


def borne_out(scores, enough, alone=False):
    """Return the mistake that an answer's text supports best, in a list; [] if it supports none, or two equally.

    alone: whether to name a single mistake if the answer's text is not available.
    """
    if scores and all(score is None for score in scores.values()):
        return list(scores) if alone and len(scores) == 1 else []
    best = sorted(scores, key=lambda mistake: -scores[mistake])[:SHOWN]
    if not best or scores[best[0]] < enough:
        return []
    return best[:1] if len(best) == 1 or scores[best[0]] > scores[best[1]] or scores[best[0]] >= 1 else []


def first_failing(tests):
    return next(i for i, test in enumerate(tests) if not test.is_right)


def agreement(tests, others):
    """Return (how many tests, from the first on, two answers agree in; whether they agree in all)."""
    count = 0
    for one, other in itertools.zip_longest(tests, others):
        if one is None or other is None or not same_outcome(one, other):
            return count, False
        count += 1
    return count, True
