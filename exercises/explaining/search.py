"""Search for what no known mistake explains: one change that fixes an answer, or two known mistakes at once.

Both searches have a limit on how much they try.
"""

import ast
import contextlib
import itertools
import re
import textwrap
from dataclasses import replace

from exercises.content import library
from exercises.content.library import Mistake, changed
from exercises.explaining.catalogue import agreement, first_failing, known_mistakes
from exercises.explaining.features import ENOUGH, normalise_code, possible, score
from exercises.explaining.mutations import BESIDE, each_mutation, likely, quoted
from exercises.verdicts.results import MENDED, PAIR

LATE = "It shows in a later test. "
PAIRS = 300  # of mistakes that are tried together
SIGN_NAMES = {"=+": "plus", "=-": "minus"}
CHANCE = [  # slips that make an answer right by chance: 1 ** x is always 1
    f".+{BESIDE}",
    r"`\*\*=?` where `(?!\*=?`).+` belongs",
]


def search(exercise, tests, observe, source, limit):
    """Return ([Mistake], kind) for an answer that no known mistake explains, or None.

    First looks for one change that fixes the answer (MENDED), then for two known mistakes (PAIR).
    observe(code, spend) runs a changed answer, and reports the work to `spend`. limit: the most work to do, counted
    in tests of a short answer and not in time, so that a verdict is the same on any machine.
    """
    if not known_mistakes(exercise):
        return None
    with contextlib.suppress(Exhausted):
        early = exercise in library.names("01")  # where every grad is 0
        chance = [*CHANCE, r"`\.grad` where `\.data` belongs"] if early else CHANCE
        if found := mended(tests, Limited(observe, limit), source, "|".join(chance)):
            return found, MENDED
    with contextlib.suppress(Exhausted):
        ended = tests[first_failing(tests)].ended  # an exception distinguishes too little
        if not ended and (found := both(exercise, tests, Limited(observe, limit), source)):
            return found, PAIR
    return None


class Exhausted(Exception):
    """A search has done all the work that it may."""


class Limited:
    """Wraps `observe` with a limit on the work of a search: raises Exhausted beyond it."""

    def __init__(self, observe, limit):
        self.observe, self.left = observe, limit

    def spend(self, work):
        """Note work that was done."""
        self.left -= work
        if self.left < 0:
            raise Exhausted

    def __call__(self, code):
        return self.observe(code, self.spend)


def mended(tests, observe, source, chance):
    """Return a Mistake, in a list, for one change of an answer's own text that makes all tests right; else [].

    chance: a pattern of slips that are not tried.
    """
    text = definitions(source)
    if not re.search(r"^(def|class) ", text, re.MULTILINE):
        return []
    if not agreement(tests, observe(text))[1]:
        return []  # the text does not give the results that were judged
    for mutation in each_mutation(text, likely):
        if re.fullmatch(chance, mutation.words) or gives_away(text, mutation):
            continue
        changed_tests = observe(mutation.code)
        if (first := next(changed_tests, None)) and first.is_right and all(test.is_right for test in changed_tests):
            return [Mistake(mutation.remedy, "")]
    return []


def gives_away(text, mutation):
    """Return whether a change is of a value outside functions and classes: that value is the answer itself."""
    if not mutation.words.endswith(" in one place"):
        return False
    kinds = ast.FunctionDef | ast.ClassDef | ast.Lambda
    before, after = (
        [ast.unparse(node) for node in ast.walk(ast.parse(normalise_code(each))) if isinstance(node, kinds)]
        for each in (text, mutation.code)
    )
    return before == after


def turned(observe, source):
    """Return the Mistake, in a list, of an answer that is right with `+=` for each of its `=+`, and `-=` for `=-`.

    observe(code) runs a changed answer.
    """
    text = definitions(source)
    lines, found = [line.encode() for line in text.splitlines()], []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            line, place = node.value.lineno - 1, node.value.col_offset
            if (sign := lines[line][place - 1 : place + 1]) in (b"=+", b"=-"):
                new = lines[line][: place - 1] + sign[::-1] + lines[line][place + 1 :]
                found.append((sign.decode(), *(quoted(each.decode().strip()) for each in (lines[line], new))))
                lines[line] = new
    if not found or not all(test.is_right for test in observe(b"\n".join(lines).decode())):
        return []
    sign, changes = found[0][0], " and ".join(dict.fromkeys(f"{old} → {new}" for _, old, new in found))
    sentence = f"Python reads `{sign}` as `=` and a {SIGN_NAMES[sign]} sign, so what was there before is lost."
    return [Mistake(changes, sentence)]


def definitions(source):
    """Return the functions, classes, imports and assignments of a text, without its other lines; "" if unreadable."""
    try:
        tree = ast.parse(text := textwrap.dedent(source))
    except (SyntaxError, ValueError):
        return ""
    kinds, lines = ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Assign, text.splitlines()
    kept = [node for node in tree.body if isinstance(node, kinds)]
    starts = [min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))]) for node in kept]
    places = dict.fromkeys(zip(starts, (node.end_lineno for node in kept)))  # two on one line count once
    return "\n".join("\n".join(lines[start - 1 : end]) for start, end in places)


def completed(exercise, source):
    """Return an answer's text, and the names of the functions not begun: those come from the solution."""
    if exercise not in library.names():
        return source, []
    text = definitions(source)
    solution = library.solution(exercise).code
    stub, own, right = map(functions_of, (library.stub(exercise), text, solution))
    missing = [name for name in own if name in right and is_empty(own[name]) and name in stub]
    parts = [text, *(ast.get_source_segment(solution, right[name]) for name in missing)]
    return ("\n\n\n".join(parts) if missing else source), missing


def functions_of(text):
    """Return {name: node} of the functions that a text defines."""
    return {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def is_empty(function):
    """Return whether a function has nothing but a docstring and a stub's last line."""
    return len(function.body) <= 2 and ast.unparse(function.body[-1]) in ("return ...", "raise NotImplementedError")


def both(exercise, tests, observe, source):
    """Return two mistakes that together give all the results, first one that the first failing test shows; else [].

    Each alone makes something wrong that these tests compare, neither alone gives all of it, and the answer's text
    supports both. An answer that gives nothing but 0 shows too little.
    """
    if all(got == 0 for test in tests for _, _, got in test.wrong_rows):
        return []
    solution = library.solution(exercise).code
    changes = [
        (each.mistake, change) for each in known_mistakes(exercise) for change in each.changes if change[0] != "python"
    ]
    changes.sort(key=lambda each: -(score(source, solution, [changed(solution, *each[1])]) or 0.0))
    places = sorted(itertools.combinations(range(len(changes)), 2), key=sum)  # two high in the list come first
    for (one, first), (other, second) in ([changes[i] for i in pair] for pair in places[:PAIRS]):
        code = together(solution, first, second) if one != other else None
        if not code or (score(source, solution, [code]) or 0.0) < ENOUGH:
            continue
        alone = [changed(solution, *change) for change in (first, second)]
        if not all(possible(source, each, [code]) for each in alone) or not agreement(tests, observe(code))[1]:
            continue
        runs = [list(observe(each)) for each in alone]
        if all(is_seen(tests, run) for run in runs):
            late = [all(test.is_right for test in run[: first_failing(tests) + 1]) for run in runs]
            pair = [replace(each, sentence=LATE * is_late + each.sentence) for each, is_late in zip((one, other), late)]
            return pair[::-1] if late[0] else pair
    return []


def is_seen(tests, others):
    """Return whether other tests have something wrong in rows that these tests have, and differ from them."""
    wrong = [{row[0] for row in other.wrong_rows} & {row[0] for row in test.rows} for test, other in zip(tests, others)]
    return any(wrong) and not agreement(tests, others)[1]


def together(solution, first, second):
    """Return the text of an answer with two changes; None if both change the same lines."""
    try:
        code, turned = changed(changed(solution, *first), *second), changed(changed(solution, *second), *first)
    except ValueError:
        return None
    return code if code == turned and code not in (changed(solution, *first), changed(solution, *second)) else None
