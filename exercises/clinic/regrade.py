"""`python -m exercises certificate SEED answers.json`: redraw an exam from its seed, and judge a file of answers.

The file is JSON, as `exam.save("answers.json")` writes it:

    {"patients": {"1": {"suspected": "…", "taken": ["kept"], "named": "no_zero"}, …},
     "tests": [["lambda a, b: a * b", [2.0, 3.0]], …],
     "questions": {"1": "-6", …}}

A patient's number, the instruments used and the cause that was named, by its key; each test as the text of f and the
numbers that it gets; the answer to each question, as text. "seed", "edition" and "begun" are optional. An exam from a
different edition of the course is judged with its original questions; if that is impossible, it says so. Patients and
questions come from the seed, and every answer is judged again. What was suspected, which instruments were used and how
many exams were started is taken from the file. The texts of the tests are run: judge only files of people you trust.
"""

import argparse
import ast
import json
import linecache
import math
import sys
import textwrap
from pathlib import Path

import autograd
from exercises.clinic.answers import LEVELS, LONGEST, MOST, PATIENTS, SEEDS, Case, Sheet, drawn_from, exam_engines
from exercises.clinic.instruments import INSTRUMENTS, MINUTES
from exercises.clinic.patients import faults, is_cause, one_drawn
from exercises.judging.matrices import matrix_of
from exercises.practice.questions import question
from exercises.practice.round import check
from exercises.sandbox.isolation import code_objects

FIELDS = {"seed", "edition", "begun", "patients", "tests", "questions"}
SOURCE = "Judged again from the seed; suspicions, instruments and exams started are taken from the file."


def counts_as_right(patient, key):
    """Return whether a cause is the patient's, or no instrument can tell the two apart."""
    return is_cause(patient, key) or faults()[key].cause not in patient.ruled_out


def text_of_test(f, xs):
    """Return a test as [text of f, xs]; the text is "" if it is not known."""
    numbers = [float(getattr(x, "data", x)) for x in xs]
    for code, _ in code_objects(f):
        lines = linecache.getlines(code.co_filename)
        place = [at[:1] + at[2:3] for at in code.co_positions() if None not in at and at[2] != at[3]]
        text = "".join(lines)
        try:
            nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Lambda | ast.FunctionDef)]
        except SyntaxError:
            break
        around = [n for n in nodes if place and all(is_in(n, *each) for each in place)]
        if around:
            node = max(around, key=lambda n: (n.lineno, n.col_offset))  # the innermost
            return [textwrap.dedent(ast.get_source_segment(text, node, padded=True)), numbers]
    return ["", numbers]


def is_in(node, line, column):
    return (node.lineno, node.col_offset) <= (line, column) <= (node.end_lineno, node.end_col_offset)


def judged(seed, found):
    """Return the Sheet of the exam of a seed, with the answers of a file.

    Raise ValueError, with a sentence, if the file holds no such answers.
    """
    wants(isinstance(found, dict), "The file should hold a JSON object with patients, tests and questions.")
    strange = sorted(set(found) - FIELDS)
    wants(
        not strange, f"The file has {strange[:1]!r}, which no file of answers has. It has: {', '.join(sorted(FIELDS))}."
    )
    wants(
        found.get("seed", seed) == seed, f"The file is from exam {found.get('seed')!r:.40}, and you asked for {seed}."
    )
    begun = found.get("begun")
    wants(begun is None or (is_whole(begun) and begun > 0), f"begun is a number of exams; got {begun!r:.40}.")
    among = drawn_from(found.get("edition"))
    patients, questions = (entry(found, name, dict) for name in ("patients", "questions"))
    known = [each for each in map(str, range(1, PATIENTS + 1))]
    for name, places, given in (("patients", known, patients), ("questions", range(1, len(LEVELS) + 1), questions)):
        odd = [key for key in given if key not in map(str, places)]
        wants(not odd, f"{name} are numbered from 1 to {len(places)}; got {odd[:1]!r:.40}.")
    cases = [case_of(seed, int(number), patients.get(number, {}), among) for number in known]
    given = {place: answered(seed, place, questions[str(place)]) for place in map(int, sorted(questions, key=int))}
    matrix = tests_of(entry(found, "tests", list), exam_engines(found.get("edition")))
    return Sheet(seed, cases, matrix, given, begun, source=SOURCE)


def wants(yes, sentence):
    if not yes:
        raise ValueError(sentence)


def is_whole(thing):
    return isinstance(thing, int) and not isinstance(thing, bool)


def entry(found, name, kind):
    """Return a part of the file; an empty one if it is missing."""
    there = found.get(name, kind())
    wants(isinstance(there, kind), f"{name} should be {'an object' if kind is dict else 'a list'}; got {there!r:.40}.")
    return there


def case_of(seed, number, found, among):
    """Return the Case of a patient, whose program is drawn again."""
    of = f"patient {number}"
    wants(isinstance(found, dict), f"What the file has for {of} should be an object; got {found!r:.40}.")
    taken, named, suspected = found.get("taken", []), found.get("named", ""), found.get("suspected", "")
    is_list = isinstance(taken, list) and all(isinstance(name, str) and name in INSTRUMENTS for name in taken)
    wants(is_list, f"taken of {of} is a list of instruments, of {', '.join(INSTRUMENTS)}; got {taken!r:.80}.")
    wants(len(set(taken)) == len(taken) <= MINUTES, f"{of} has {MINUTES} minutes, and no instrument is read twice.")
    wants(isinstance(suspected, str), f"suspected of {of} is a string; got {suspected!r:.40}.")
    is_key = isinstance(named, str) and (not named or named in faults())
    wants(is_key, f"named of {of} is the key of a cause, such as no_zero; got {named!r:.40}.")
    if not named:
        return Case(number, tuple(taken), suspected=suspected[:LONGEST])
    patient = one_drawn(seed, number - 1, among=among)
    return Case(number, tuple(taken), named, patient.fault.key, counts_as_right(patient, named), suspected[:LONGEST])


def tests_of(found, family):
    """Return the KillMatrix of the file's tests on a family of wrong engines; None if there are no tests."""
    if not found:
        return None
    wants(len(found) <= MOST, f"At most {MOST} tests count; the file has {len(found)}.")
    tests = []
    for i, test in enumerate(found, start=1):
        is_pair = isinstance(test, list) and len(test) == 2 and isinstance(test[0], str) and isinstance(test[1], list)
        numbers = is_pair and all(isinstance(x, int | float) and math.isfinite(x) for x in test[1])
        wants(is_pair and numbers, f"Test {i} is a pair, the text of f and a list of numbers; got {test!r:.60}.")
        tests.append((function_of(test[0], i), test[1]))
    matrix = matrix_of((tests,), {}, family())
    wants(not matrix.faults, " ".join(matrix.faults))
    return matrix


def function_of(text, i):
    """Return the function that a text defines; it can use the names `autograd`, `Value` and `math`."""
    names = {"math": math, "autograd": autograd, "Value": autograd.Value, "__name__": "answers"}
    try:
        body = ast.parse(text.strip()).body
        if len(body) == 1 and isinstance(body[0], ast.FunctionDef):
            exec(compile(text.strip(), f"<test {i}>", "exec"), names)
            return names[body[0].name]
        is_lambda = len(body) == 1 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Lambda)
        wants(is_lambda, f"Test {i} has no function in it: its text is {text!r:.60}.")
        return eval(compile(text.strip(), f"<test {i}>", "eval"), names)
    except SyntaxError as fault:
        raise ValueError(f"Test {i} is not Python: {fault.msg}, in {text!r:.60}.") from None


def answered(seed, place, text):
    """Return (whether it is right, the answer) of a question of the third part."""
    wants(isinstance(text, str), f'The answer to question {place} is a string, such as "-6"; got {text!r:.40}.')
    made = question(LEVELS[place - 1], f"exam {seed} {place}")
    try:
        check(made, text)
    except ValueError as fault:
        raise ValueError(f"Question {place}: {fault}") from None
    return bool(made.right(text)), text


def main(arguments=None):
    """Read the command line, judge, and print; return the exit code."""
    from exercises.clinic.certificate import drawn

    about, _, more = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m exercises certificate",
        description=about.partition(": ")[2],
        epilog=more,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("seed", metavar="SEED", help="the exam's seed, which is on its certificate")
    parser.add_argument("file", metavar="FILE", type=Path, help="the answers, such as answers.json")
    parser.add_argument("--name", default="", help="the name to put on it")
    parser.add_argument("--svg", type=Path, help="a file to write the picture to")
    asked = parser.parse_args(arguments)
    try:
        is_seed = asked.seed.isdecimal() and int(asked.seed) < SEEDS
        wants(is_seed, f"SEED is a whole number from 0 to {SEEDS - 1}, as on the certificate; got {asked.seed!r:.40}.")
        picture = drawn(judged(int(asked.seed), json.loads(asked.file.read_text(encoding="utf-8"))), asked.name)
    except OSError as fault:
        said = f"{asked.file} cannot be read: {fault.strerror or fault}."
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as fault:
        said = f"{asked.file} is not JSON: {fault}."
    except ValueError as fault:
        said = f"{asked.file}: {fault}"
    else:
        print(repr(picture))
        if asked.svg:
            print(f"Written: {picture.savefig(asked.svg)}")
        return 0
    print(said, file=sys.stderr)
    return 2
