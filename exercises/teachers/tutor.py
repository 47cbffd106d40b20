"""`python -m exercises tutor NAME [FILE]`: print evidence about an answer, as JSON, for whoever helps the learner.

It says what a check says, and gives nothing away: no line of a solution, no hint that the learner has not opened, and
no change that would make the answer right. Only opened hints are recorded.
"""

import argparse
import ast
import contextlib
import dataclasses
import json
import sys
import warnings
from pathlib import Path

from exercises.content import lessons, library
from exercises.engine_file import cells, check, store, trial
from exercises.engine_file.parts import USABLE
from exercises.engine_file.places import FILES, slots_of
from exercises.sandbox import isolation
from exercises.sandbox.guard import ENDLESS, TimeUp, run_guarded
from exercises.sandbox.output import Output, Printed
from exercises.storage import progress
from exercises.teachers.report import handed_in
from exercises.verdicts.results import MENDED, NOT_YET, PASSED, WRONG, Verdict, equal_results, format_answer

WITHHELD = "(withheld: it would give the answer away)"
SHORTEST = 9  # the fewest characters of a solution's line that gives something away: `return a` does not
NO_FILE = "There is no answer to {} here yet. Save the notebook of {}, or name the file: a .py or an .ipynb."
QUESTIONS = {  # what to ask next; code answers none of them
    PASSED: "It passes. Without looking at the code: what would go wrong if you left out one line of it? Which one?",
    NOT_YET: "Before any code: for the smallest input you can think of, what should come out, worked out by hand?",
    "loop": "Which value changes in each round of your loop, and what makes the loop stop?",
    "error": "Read the message aloud. Which of your lines raised it, and what did each name in that line hold?",
    "line": "Look at this line of yours: `{}`. In the failing case, what does each name in it hold when it runs?",
    "mistake": "In the failing case, what should come out, by hand? And which of your lines makes it “{}”?",
    "case": "Work the failing case out by hand, line by line. Which of your lines is the first to differ from it?",
}


class NoAnswer(Exception):
    """There is no answer to read; the message says why."""


def main(arguments=None):
    """Read the command line and print the evidence; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m exercises tutor", description=__doc__.split("\n\n")[0])
    parser.add_argument("name", metavar="NAME", help="the exercise: its check is check.NAME")
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help="a .py or .ipynb; else the saved notebook")
    parser.add_argument("--hint", type=int, choices=(1, 2), help="the learner has opened this hint: record it, show it")
    asked = parser.parse_intermixed_args(arguments)
    try:
        library.place(asked.name, "stub.py")
        open_hint(asked.name, asked.hint)
        path = asked.file or saved(asked.name)
        found = evidence(asked.name, *answer_in(path, asked.name))
    except (NoAnswer, handed_in.Unreadable, ValueError, OSError) as fault:
        said = f"The answer cannot be read: {fault}." if isinstance(fault, handed_in.Unreadable) else fault
        print(said, file=sys.stderr)
        return 2
    print(json.dumps({"file": path.name, **found}, indent=1, ensure_ascii=False))
    return 0


def open_hint(name, number):
    """Record that a hint was opened; raise NoAnswer for the second one before the first."""
    reached = progress.noted("hints").get(name, 0)
    if number and number > reached + 1:
        raise NoAnswer("Hint 2 comes after hint 1: open that one first, and try again with it.")
    if number and number > reached:
        progress.note("hints", name, number)


def saved(name):
    """Return the file with the learner's answer: the lesson's notebook or, if only that has it, my_engine.py."""
    lesson = lessons.BY_NUMBER[check.LESSON_OF[name]]
    place = next((each / lesson.file for each in places() if (each / lesson.file).exists()), None)
    engine = store.path()
    is_blank = place is None or text_in(place, name) == library.stub(name).strip()
    if is_blank and engine.exists() and handed_in.sources_in(engine).owner(name) == name:
        return engine
    if place is None:
        raise NoAnswer(NO_FILE.format(name, lesson.name))
    return place


def places():
    """Return the folders that may hold the notebooks, the nearest first."""
    return [Path.cwd(), Path.cwd() / "notebooks", *filter(None, [lessons.folder()])]


def answer_in(path, name):
    """Return (the text of an answer, the answers or None if the text has to run). Raise NoAnswer if there is none."""
    if path.name in FILES:
        sources = handed_in.sources_in(path)
        if sources.owner(name) != name:
            raise NoAnswer(f"{path.name} has no answer to {name}: a part is stored there once it has passed its check.")
        engine, broken = trial.build(sources, path)
        if any(slot in slots_of(name) for _, slot in broken):
            raise NoAnswer(f"The code for {name} in {path.name} cannot be run: {next(iter(broken.values()))}")
        return "\n".join(sources.texts().values()), trial.answers_of(name, engine.names)
    if path.suffix not in (".py", ".ipynb"):
        raise NoAnswer(f"An answer comes from a .py or an .ipynb file; got {path.name}.")
    return text_in(path, name) if path.suffix == ".ipynb" else path.read_text(encoding="utf-8-sig"), None


def text_in(path, name):
    """Return the text of an exercise's cell in a notebook, after the code that it uses from earlier cells."""
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = [(library.exercise_of(each), "".join(each["source"])) for each in listed if each["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise NoAnswer(f"{path.name} is not a complete notebook. Save it again.") from None
    at = next((i for i, (exercise, _) in enumerate(code) if exercise == name), None)
    if at is None:
        raise NoAnswer(f"{path.name} has no cell with the tag exercise-{name}.")
    text = code[at][1].strip()
    with contextlib.suppress(SyntaxError, ValueError):
        lacks = {*cells.undefined_names(text, (*USABLE, "Value", "autograd"))}
        text = "\n\n".join([*(each for _, cell in code[:at] for each in defined(cell, lacks)), text])
    return text


def defined(cell, names):
    """Yield the functions, classes and imports of a cell that bind one of these names, as text."""
    with contextlib.suppress(SyntaxError, ValueError):  # a line for IPython, or an unfinished one
        for node in ast.parse(cell).body:
            is_import = isinstance(node, ast.Import | ast.ImportFrom)
            given = {each.asname or each.name for each in node.names} if is_import else {getattr(node, "name", "")}
            if given & names:
                yield ast.get_source_segment(cell, node)


def evidence(name, text, answers=None):
    """Return the evidence about an answer, as plain data. answers: what the text defines, if it need not run."""
    checked = getattr(check, name)
    with isolation.preserved_state(), warnings.catch_warnings(), contextlib.redirect_stdout(Output()):
        warnings.simplefilter("ignore")
        verdict, test = looked_at(checked, text, answers)
        rows = test.wrong_rows if test else verdict.rows
        given = data_in(checked)
        differs = [
            {
                "what": str(what),
                "expected": WITHHELD
                if any(equal_results(expected, each) for each in given)
                else format_answer(expected),
                "got": format_answer(got),
            }
            for what, expected, got in rows
        ]
    mistake = verdict.mistakes[0] if verdict.mistakes and verdict.lead != MENDED else None
    reached = progress.noted("hints").get(name, 0)
    hints = library.solution(name).hints
    found = {
        "exercise": name,
        "asks": checked.__doc__,
        "verdict": verdict.state,
        "says": test.says if test else " ".join(verdict.says),
        "smallest_failing_case": test.case if test else verdict.case,
        "differs": differs,
        "known_mistake": {"name": mistake.name, "how_sure": verdict.lead} if mistake else None,
        "reread": section(name, mistake),
        "ask_next": question(verdict, test, mistake),
        "hint": {"reached": reached, "of": len(hints), "text": hints[reached - 1] if reached else ""},
    }
    return without_solution(found, solution_lines(name, text))


def looked_at(checked, text, answers):
    """Return (the Verdict, the smallest failing test or None) of an answer."""
    try:
        answers = run_guarded(lambda: checked.answers(text)) if answers is None else answers
    except SyntaxError as fault:
        return Verdict(checked.name, WRONG, (f"SyntaxError in line {fault.lineno} of the answer: {fault.msg}.",)), None
    except KeyError as fault:
        if fault.args[0] in checked.takes:
            return Verdict(checked.name, NOT_YET, (f"The answer does not define `{fault.args[0]}` yet.",)), None
        return Verdict(checked.name, WRONG, (f"Running the answer raised KeyError: {fault}.",)), None
    except TimeUp:
        return Verdict(checked.name, WRONG, ("The answer was still running after a while, and was stopped.",)), None
    except NotImplementedError:
        return Verdict(checked.name, NOT_YET, ("`raise NotImplementedError` is still in the way.",)), None
    except (Exception, Printed) as fault:
        return Verdict(checked.name, WRONG, (f"Running the answer raised {type(fault).__name__}: {fault}.",)), None
    answers = checked.in_order(answers, {})
    if isinstance(answers, Verdict):
        return answers, None
    seen = checked.observe(*answers)
    failing = [test for test in seen.tests if not test.is_right and not test.ended and test.case]
    smallest = min(failing, key=lambda test: (test.case.count("\n"), len(test.case)), default=None)
    return checked.verdict(dataclasses.replace(seen, source=seen.source or text)), smallest


def data_in(checked):
    """Return those answers of the solution that are data, no functions or classes; and the items in them."""
    try:
        right = [each for each in checked.answers(library.solution(checked.name).code) if not cells.is_callable(each)]
    except Exception:  # a solution may need more than its cell, such as an exam's
        return []
    held = [each.values() if isinstance(each, dict) else each for each in right if isinstance(each, dict | list)]
    return [*right, *(each for inner in held for each in inner)]


def section(name, mistake):
    """Return where to read: the section that treats a mistake, if the learner has met it; else the exercise's own."""
    own = check.LESSON_OF[name]
    if mistake and mistake.lesson and mistake.lesson in (own, *lessons.before(own)):
        return f"{lessons.BY_NUMBER[mistake.lesson].name}, “{mistake.section}”"
    heading, file = "", lessons.BY_NUMBER[own].file
    place = next((each / file for each in places() if (each / file).exists()), None)
    for cell in json.loads(place.read_text(encoding="utf-8"))["cells"] if place else ():
        if library.exercise_of(cell) == name:
            break
        lines = "".join(cell["source"]).splitlines() if cell["cell_type"] == "markdown" else ()
        heading = next((line[3:] for line in reversed(lines) if line.startswith("## ")), heading)
    return f"{lessons.BY_NUMBER[own].name}, “{heading}”" if heading else lessons.BY_NUMBER[own].name


def question(verdict, test, mistake):
    if verdict.state != WRONG:
        return QUESTIONS[verdict.state]
    if verdict.lead == MENDED and verdict.mistakes:
        return QUESTIONS["line"].format(verdict.mistakes[0].name.partition("` → `")[0].removeprefix("`"))
    if mistake:
        return QUESTIONS["mistake"].format(mistake.name)
    said = " ".join(verdict.says)
    kind = (
        "loop" if ENDLESS in said or "stopped" in said else "error" if "raised" in said or "Error" in said else "case"
    )
    return QUESTIONS[kind]


def solution_lines(name, text):
    """Return the solution's telling lines, without those in its stub or in the answer."""
    known = {line.strip() for line in f"{library.stub(name)}\n{text}".splitlines()}
    lines = {line.strip() for line in library.solution(name).code.splitlines()} - known
    return {line for line in lines if len(line) >= SHORTEST and '"""' not in line}


def without_solution(found, lines):
    """Return the same data, with each text withheld that contains one of these lines."""
    if isinstance(found, str):
        return WITHHELD if any(line in found for line in lines) else found
    if isinstance(found, dict):
        return {key: without_solution(each, lines) for key, each in found.items()}
    return [without_solution(each, lines) for each in found] if isinstance(found, list) else found
