"""List the missing parts of an exercise, in sentences, for the command `new` and for the tests."""

from exercises.authors import sections
from exercises.content import library
from exercises.engine_file import check
from exercises.explaining.catalogue import known_mistakes
from figures.authors.templates import unfilled

FILES = ("stub.py", "solution.py", "check.py", "mistakes.md")
FEWEST = 6  # known mistakes of an exercise
WIDEST = 88  # characters of a code line in a lesson, at 1,000 px
CELLS = (
    "Four cells follow each other: a text with Difficulty, Importance and minutes; the text of stub.py, with the tag "
    'exercise-{name}; {call}; and exercises.hints("{name}").'
)


def missing(name):
    """Return all that an exercise still lacks, one sentence each; [] if nothing. Answers are judged as in a lesson."""
    paths = [library.place(name, file) for file in FILES]
    found = [*unfilled(paths)]
    if not all(path.exists() for path in paths):
        return found
    try:
        found = found or [*not_made(name)]
        found = found or [*of_files(name), *(said for each in known_mistakes(name) for said in of_mistake(name, each))]
        return [*found, *of_lesson(name)]
    except Exception as fault:  # half-written files can raise anything
        return [*found, f"Its files do not work yet: {type(fault).__name__}: {fault}"]


def not_made(name):
    """Yield which known mistakes change code that the solution does not have."""
    solution = library.solution(name).code
    for each in known_mistakes(name):
        try:
            each.codes(solution)
        except ValueError as fault:
            yield str(fault)


def of_files(name):
    """Yield what is wrong with a solution, its hints, a stub, and the list of known mistakes."""
    solution, stub = library.solution(name), library.stub(name)
    if not (found := verdict(name, solution.code)):
        yield f"The solution does not pass: {found.render_text()}"
    if (state := verdict(name, stub).state) != "not yet":
        yield f"For the stub the check says “{state}”; it should say “not yet”."
    if (widest := max(map(len, stub.splitlines()))) > WIDEST:
        yield f"The widest line of stub.py has {widest} characters; a lesson's page has room for {WIDEST}."
    if len(solution.hints) != 2 or any(len(hint.split()) < 5 for hint in solution.hints):
        yield "solution.py does not start with two hints, in a docstring, a paragraph of five words or more each."
    for line in long_lines(solution.code):
        if any(line in hint for hint in solution.hints):
            yield f"A hint contains a line of the solution: {line}"
    if not getattr(check, name).__doc__:
        yield "The check has no docstring: what a right answer does."
    names = [each.mistake.name for each in known_mistakes(name)]
    if len(names) < FEWEST:
        yield f"mistakes.md has {len(names)} known mistakes; it needs at least {FEWEST}."
    yield from (f"Two known mistakes are called “{each}”." for each in sorted({*names}) if names.count(each) > 1)
    for each in known_mistakes(name):
        if said := sections.fault(each.mistake, each.words, check.LESSON_OF[name], sections.cell_of(name)):
            where = f"lesson {each.mistake.lesson}, “{each.mistake.section}”"
            yield f"“{each.mistake.name}” points to {where}. {said} {sections.advice(each.mistake)}"


def of_mistake(name, each):
    """Yield what is wrong with a known mistake: its check accepts it, or gives it a different name, and more."""
    solution, called = library.solution(name), f"“{each.mistake.name}”"
    if not (each.mistake.sentence and each.changes):
        yield f"The known mistake {called} says nothing, or has no wrong code."
    for code in each.codes(solution.code):
        found = verdict(name, code)
        names = [mistake.name for mistake in found.mistakes]
        if found.state != "wrong":
            yield f"The check does not refuse the known mistake {called}; it says “{found.state}” for:\n{code}"
        elif not found.is_whole or each.mistake.name not in names:
            named = ", ".join(f"“{other}”" for other in names) or "nothing"
            yield f"The check names {named} where the known mistake is {called}:\n{code}\n{found.render_text()}"
        said = " ".join([*found.says, each.mistake.render_text()])
        for line in {*long_lines(solution.code)} - {*long_lines(library.stub(name))}:
            if line in said and line not in code:
                yield f"What is said about the known mistake {called} contains a line of the solution: {line}"


def of_lesson(name):
    """Yield which of an exercise's cells its lesson lacks."""
    number, call = check.LESSON_OF[name], f"check.{name}({', '.join(getattr(check, name).takes)})"
    cells = [{"cell_type": "", "source": ""}, *sections.cells(number)]
    place = next((i for i, cell in enumerate(cells) if library.exercise_of(cell) == name), None)
    if place is None:
        yield f"Lesson {number} has no cell with the tag exercise-{name}. {CELLS.format(call=call, name=name)}"
        return
    above, stub, *below = cells[place - 1 : place + 4]
    if stub["source"].strip() != library.stub(name).strip():
        yield f"The cell with the tag exercise-{name} in lesson {number} does not have the text of stub.py."
    words = ("Difficulty", "Importance", "minute") if number != "00" else ()
    if above["cell_type"] != "markdown" or not all(word in above["source"] for word in words):
        yield f"Above the cell with the tag exercise-{name} its text is missing. {CELLS.format(call=call, name=name)}"
    elif [cell["source"] for cell in below[:2]] != [call, f'exercises.hints("{name}")']:
        yield f"Below the cell with the tag exercise-{name} there are other cells. {CELLS.format(call=call, name=name)}"


def verdict(name, code):
    """Return the check's Verdict on a cell with this text."""
    checked = getattr(check, name)
    return checked(*checked.answers(code))


def long_lines(code):
    """Return the lines of a solution that are long enough to give something away."""
    return [line.strip() for line in code.splitlines() if len(line.strip()) > 25 and '"""' not in line]
