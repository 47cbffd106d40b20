"""A learner's own engine: `my_engine.py`, one plain Python file that grows with each exercise passed.

The file is a row of regions, each under a heading: the course's parts, and in their place, one by one, the learner's.
It is read and run at each load, never imported, so that an edit, or a pass in another kernel, counts at once. The mark
in a heading is a hash of the text below it: a part whose mark fits was judged before; any other is judged at the load.
"""

import builtins
import contextlib
import math
from dataclasses import asdict, replace

from exercises.engine_file import cells, engine_card
from exercises.engine_file.own_card import card
from exercises.engine_file.own_file import (
    EDITED,
    FILE,
    KEPT,
    NO_EXTRA,
    Region,
    compose,
    mark_of,
    parse,
    part_names,
    slot_owner,
    today,
    used,
)
from exercises.engine_file.parts import BY_NAME, EXERCISES, IMPORTS, NAMES, OWN_MODULES, PARTS, USABLE, code_of
from exercises.engine_file.store import MOST, current, is_waiting, path, read, update
from exercises.engine_file.trial import build, judged, works
from exercises.sandbox import runner
from exercises.sandbox.clocks import TimeUp
from exercises.sandbox.guard import guarded
from exercises.shelf import progress

TRIAL = "<the part on trial>"  # the file name of code that is in no file yet


# An exercise is passed


def take(name, given):
    """Put a learner's part into the file, now that its check has passed; says so in a sentence, or why not.

    given: what the check was handed. "" where there is nothing to say: no notebook runs, or the exercise is no part.
    """
    is_part = name in BY_NAME and cells.kernel_names() is not None and not all(is_in_file(thing) for thing in given)
    said = taken(name, given) if is_part else ""
    if is_part:
        with contextlib.suppress(OSError):
            progress.note(ASKED, name, slot_owner(BY_NAME[name], read(path())[0]) is None)
    return " ".join(filter(None, [said, progress.in_memory()]))


ASKED = (
    "not in the file"  # the section of the progress file on passed parts whose learner knows that they are not in it
)


def taken(name, given):
    """What `take` says of the engine's file."""
    part, place = BY_NAME[name], path()
    try:
        cell = cells.cell_of(given)
        text = cell.text + "".join(
            f"\n{wanted} = {bound}  # the name that the engine has for it\n"
            for wanted, bound in zip(part.gives, cell.names)
            if wanted != bound
        )
        own, *_ = current(place)
        if (later := slot_owner(part, own)) not in (None, name) and name in BY_NAME[later].replaces:
            return f"{FILE} has a later part of yours in its place: {later}."
        region = region_for(part, text, own)
        if name in own and own[name].is_noted and own[name].text == region.text and not is_waiting(place):
            return f"It is in {FILE}."
        if why := fault_alone(region, own, cell.text):  # before the file is locked: this runs the learner's code
            return f"It is not in {FILE}, though. {why}"
    except cells.NoText as why:
        return f"It is not in {FILE}, though. {why}"
    except SyntaxError as fault:
        return f"It is not in {FILE}, though. There it would be a SyntaxError: {fault.msg}."
    except OSError:
        pass  # `update` says what is wrong with the file

    def change(own):
        own[name] = region_for(part, text, own)
        for earlier in part.replaces:
            own.pop(earlier, None)
        return ""

    notes, copy = update(change)
    kept = [f"What you had changed there by hand is in {copy}."] if copy else []
    has = [] if is_waiting(place) else [f"{FILE} has it now, as its cell was last run."]  # it was read back
    return " ".join([*has, *kept, *notes])


def region_for(part, text, own):
    """A part's region for a cell's text, which is wrapped in a function where it has to be."""
    body = imports(text, part) + wrapped(text, part, own)
    return Region(part.name, body.strip() + "\n", today(), mark_of(body))


def imports(text, part):
    """The imports of its lesson's first cell that a part's text relies on, and that no part before it has."""
    earlier = "".join(other.text for other in PARTS[: PARTS.index(part)] if other.is_frame)
    found = [IMPORTS[name] for name in cells.lacking(text, NAMES) if name in IMPORTS and IMPORTS[name] not in earlier]
    return "".join(f"{line}\n" for line in found) + ("\n\n" if found else "")


def is_in_file(thing):
    """Whether a thing comes from the engine's file already."""
    return any(code.co_filename == str(path()) for code, _ in code_of(thing))


def wrapped(text, part, own):
    """A cell's text, in a function of its own where it gives a name that another part, or Python, gives too."""
    names = set(cells.names_of(text)) - set(part.gives)
    others = {name for other in used(own) if other.name != part.name for name in part_names(other, own)}
    others |= {name for name in NAMES if name not in part.gives} | set(vars(builtins))
    return cells.in_a_function(text, f"_{part.name}", part.gives) if names & others else text


def fault_alone(region, own, text):
    """Why a part does not work in the engine alone, without the notebook; "" where it does."""
    with_it = {**{name: each for name, each in own.items() if each.is_noted}, region.name: region}
    for earlier in BY_NAME[region.name].replaces:
        with_it.pop(earlier, None)
    file = compose(with_it)
    if len(file.encode("utf-8", "backslashreplace")) > MOST:
        return f"With it {FILE} would have more than {MOST // 2**20} MB, and that is not read."
    compile(file, FILE, "exec")
    found, extra, again = parse(file)
    if region.name not in found or found[region.name].text != region.text or extra.text.strip() or again:
        return f"A line of that cell looks like a heading of {FILE}: take it out."
    if ours := [name for name in cells.imported(text) if name in OWN_MODULES]:
        return f"{FILE} imports nothing of the course, and your part imports `{ours[0]}`."
    missing = cells.lacking(text, USABLE)
    if ours := [name for name in missing if name in (*OWN_MODULES, "check")]:
        return f"{FILE} imports nothing of the course, and your part uses `{ours[0]}`."
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing)
        them = "it" if len(missing) == 1 else "them"
        return f"Your part uses {listed} from another cell: move {them} into its cell, and run both cells again."
    names, broken = build(with_it, TRIAL)
    why = broken.get(region.name) or judged(region.name, names)
    if not why:
        why = works(names)
        without = {name: each for name, each in with_it.items() if name != region.name}
        if why and works(build(without, TRIAL)[0]):
            return ""  # something else was wrong before
    if not why:
        return ""
    return f"Run alone in the engine, this came of it: {why}."


# A lesson begins


class Engine:
    """A learner's engine as it was when it was loaded: its names as attributes, and what is to be said of it."""

    def __init__(self, names, lesson, own, notes):
        self._names, self._lesson, self._own, self._notes = names, lesson, own, notes

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._names:
            raise AttributeError(f"{FILE} has no {name!r}. It has: {', '.join(n for n in NAMES if n in self._names)}.")
        return self._names[name]

    def __dir__(self):
        return [name for name in NAMES if name in self._names]

    def __repr__(self):
        return "\n".join(self.sentences())

    def so_far(self, whole=False):
        """The places of the lessons before this one, or of all, and which of them are the learner's."""
        last = "99" if whole else self._lesson or "99"
        places = [part for part in EXERCISES if not part.replaces and part.lesson < last]
        return places, [part for part in places if slot_owner(part, self._own)]

    def regions(self):
        """{part: its Region} of what is the learner's and in use."""
        return dict(self._own)

    def card(self):
        """The engine's card, a picture to keep: what of it is yours, its mark, and what it has learned, tried anew.

        `mine.card().savefig("card.svg")` keeps it. It takes some seconds, and six at most.
        """
        return engine_card.card(self)

    def sentences(self):
        """What a lesson says when it has loaded the engine."""
        places, mine = self.so_far()
        if not places:
            first = (
                f"{FILE} is your own engine. All of it is still the course's; from this lesson on parts become yours."
            )
        elif len(mine) in (0, len(places)):
            whose = "yours" if mine else "still the course's"
            first = f"{FILE}: all {len(places)} parts so far are {whose}."
        else:
            some = f"{len(mine)} of the {len(places)} parts so far {'is' if len(mine) == 1 else 'are'} yours"
            first = f"{FILE}: {some}; the others are the course's."
        return [first, *self._notes]

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": card(self), "text/plain": repr(self)}


def my_engine(lesson=None):
    """Load the learner's engine, as a lesson does when it opens, and show what of it is theirs.

    lesson: the lesson's number, such as "05": what is counted and shown is what came before it. Returns the engine,
    whose names are attributes: `mine.Value`, `mine.MLP`.
    """
    engine = load(lesson)
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        get_ipython = display = None
    if display and get_ipython():
        display(engine)
    else:
        print(engine)
    return engine


def load(lesson=None):
    """The learner's engine, judged where it was changed by hand; what fails is the course's, and a note says so."""
    place = path()
    progress.try_again()
    try:
        own, extra, notes = current(place)
    except OSError as fault:
        note = f"{place} cannot be read ({fault.strerror or fault}): this lesson goes on with the course's engine."
        return Engine(build({}, place)[0], lesson, {}, [*filter(None, [note, progress.in_memory()])])
    good, changed, refused, untried = tried(own, extra, place)
    for name, why in refused.items():
        if name:
            notes.append(
                f"Your part {name} was changed in the file and is not right: {why}. "
                f"This lesson goes on with the course's. "
                f'To use yours all the same: exercises.keep("{name}"). To have the course\'s in the file: '
                f'exercises.reset("{name}").'
            )
        else:
            notes.append(
                f"What stands below your parts in {FILE} cannot be run: {why}. This lesson goes on without it."
            )
            extra = NO_EXTRA
    if untried:
        notes.append(
            "There is no other process here to try it in, so what was changed in the file was tried in this one."
        )
    names, broken = build(good, place, extra)
    for name, why in broken.items():
        whose = f"Your part {name}" if name else "What stands below your parts"
        notes.append(f"{whose} in {FILE} cannot be run: {why}. This lesson goes on without it.")
    good = {name: region for name, region in good.items() if name not in broken}
    if (lesson or "00") >= "05":
        for name in [n for n in ("add_rule", "multiply_rule") if n in good and assigns(names, n)]:
            del good[name]
            sign = "+" if name == "add_rule" else "*"
            notes.append(
                f"Your rule of {sign} assigns, so a number that is used twice loses a contribution: from here on the "
                "course's stands in its place. Exercise 1 of lesson 04 mends it."
            )
        names, _ = build(good, place, extra)

    def note(current):
        for name in changed:
            if name in current and current[name].text == good.get(name, current[name]).text:
                current[name] = replace(current[name], mark=mark_of(current[name].text), owner=EDITED)
        return ""

    more, copy = update(note, waits=False, below="" in changed and extra.text)
    notes += [said for said in more if said not in notes]
    if copy:
        notes.append(f"{FILE} held lines that belong to none of its parts. They are in {copy}, the file as it was.")
    notes += filter(None, [passed_before(lesson, own), progress.in_memory()])
    return Engine(names, lesson, good, notes)


def passed_before(lesson, own):
    """The sentence on parts that were passed and are not in the file, said once of each; "" where there are none."""
    known = progress.noted(ASKED)
    early = [part.name for part in EXERCISES if part.lesson < (lesson or "99")]
    passed = [n for n in early if progress.passed(n) and not slot_owner(BY_NAME[n], own) and not known.get(n)]
    for name in passed:
        progress.note(ASKED, name, True)
    return f"Passed, and not in the file: {', '.join(passed)}. Run your cell and its check to take it in." * bool(
        passed
    )


# What was changed by hand is tried in a process of its own


def tried(own, extra, place):
    """(the regions to use, names changed and right, {name: why} of those refused, whether they were tried here).

    The name "" stands for what is below the last line.
    """
    good, changed, refused = {name: region for name, region in own.items() if region.is_noted}, [], {}
    unknown = [name for name in own if name not in good]
    if extra.text.strip() and not extra.is_noted:
        unknown.append("")
    apart = runner.works()
    with runner.Runner() as process:
        for name in unknown:
            region = own.get(name, extra)
            given = [asdict(each) for each in good.values()], asdict(region), str(place)
            try:
                why = process.ask("exercises.engine_file.own:why_not", *given) if apart else why_not(*given)
            except runner.Ended as fault:
                why = str(fault)
            if why:
                refused[name] = why
                continue
            changed.append(name)
            if name:
                good[name] = replace(region, mark=mark_of(region.text), owner=EDITED)
    return good, changed, refused, bool(unknown) and not apart


def why_not(good, region, place):
    """Why a region that was changed by hand is not right beside these, as plain data; "" where it is."""
    good, region = {each["name"]: Region(**each) for each in good}, Region(**region)
    if not region.name:
        return build(good, place, region)[1].get("", "")
    names, broken = build({**good, region.name: region}, place)
    why = broken.get(region.name) or judged(region.name, names)
    if not why and (why := works(names)) and works(build(good, place)[0]):
        why = ""  # something else was wrong before
    return why


def assigns(names, name):
    """Whether a rule of the engine puts a contribution in place of an earlier one: a + a and a * a tell."""

    def grad():
        a = names["Value"](3.0)
        out = a + a if name == "add_rule" else a * a
        out.grad = 1.0
        out._backward()
        return a.grad

    try:
        return not math.isclose(guarded(grad), 2.0 if name == "add_rule" else 6.0)
    except (Exception, TimeUp):  # of a part that is kept unchecked
        return True


def keep(name):
    """Use a part that was changed by hand as it is, though its check refuses it."""
    if name not in BY_NAME:
        return progress.Note(f"The engine has no part {name!r}. It has: {', '.join(part.name for part in EXERCISES)}.")
    kept = []

    def change(own):
        if name not in own:
            return f"The part {name} in {FILE} is the course's: there is nothing to keep."
        if runner.works() and not own[name].is_noted:
            try:
                with runner.Runner() as process:
                    process.ask("exercises.engine_file.own:why_not", [], asdict(own[name]), str(path()))
            except runner.Ended as why:
                return f"Your part {name} cannot be used, as a lesson would end with it: {why}."
        own[name] = replace(own[name], mark=mark_of(own[name].text), owner=KEPT)
        kept.append(name)
        return ""

    said, _ = update(change)
    return progress.Note(" ".join(said) or f"Your part {name} is used as it is from the next load on, unchecked.")


def give_back(name=None):
    """Put the course's part, or all of them, into the file, after a dated copy; "" if nothing there was theirs."""
    given = []

    def change(own):
        given[:] = [each for each in own if name is None or each == name]
        for each in given:
            del own[each]
        return "" if given else " "

    notes, copy = update(change, copy=True)
    if not given:
        return " ".join(notes).strip()
    what = f"The part {name} is" if name else "All parts are"
    where = f"; {copy} is a copy of {FILE} as it was" if copy else "; no copy could be made"
    return " ".join([f"{what} the course's again{where}.", *notes])
