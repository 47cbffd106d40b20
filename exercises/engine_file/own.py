"""A learner's own engine: `my_engine.py`, one plain Python file that grows with each exercise passed.

The file is a row of regions, each under a heading: the course's parts, and in their place, one by one, the learner's.
It is read and run at each load, never imported, so that an edit, or a pass in another kernel, counts at once. The mark
in a heading is a hash of the text below it: a part whose mark fits was judged before; any other is judged at the load.
"""

import builtins
import contextlib
import copy as copies
import datetime
import errno
import io
import math
import os
import stat
import sys
import types
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from autograd.dual import Dual, forward_gradient
from exercises.engine_file import cells, check
from exercises.engine_file.own_card import card
from exercises.engine_file.own_file import (
    EDITED,
    FILE,
    KEPT,
    NO_EXTRA,
    Region,
    compose,
    lost,
    mark_of,
    parse,
    part_names,
    slot_owner,
    today,
    used,
)
from exercises.engine_file.parts import BY_NAME, EXERCISES, IMPORTS, NAMES, OWN_MODULES, PARTS, USABLE, code_of
from exercises.sandbox import runner
from exercises.sandbox.guard import TimeUp, Trouble, guarded, raised, trying
from exercises.shelf import files, lessons, progress
from exercises.verdicts.dual_arrays import forward_gradients, same_array
from exercises.verdicts.verdict import NOT_YET

TRIAL = "<the part on trial>"  # the file name of code that is in no file yet
MOST = 2**20  # bytes of the file; a finished engine has some 30,000

_waiting = {}  # for each file that could not be written: why, and [(change, copy)] that the next write takes in


def path():
    """Where the file is: in the folder of BACKPROP_ENGINE_DIR, else beside the notebooks."""
    if folder := os.environ.get("BACKPROP_ENGINE_DIR"):
        return Path(folder) / FILE
    return (lessons.folder() or Path.cwd()) / FILE


# The file on the disk, and what waits for it


def read(place):
    """(own regions, what is below them, sentences on what was wrong with the file) as they stand in it now.

    A file that is none of this kind is set aside. OSError where it can be neither read nor set aside.
    """
    if place.exists() and not place.is_file():  # reading a pipe would wait for ever
        raise OSError(errno.EINVAL, "it is no file")
    try:
        if (size := place.stat().st_size) > MOST:
            raise OSError(errno.EFBIG, f"it has {size / 2**20:.1f} MB, and more than {MOST // 2**20} is not read")
        text = place.read_bytes().decode("utf-8")
    except FileNotFoundError:
        gone = f"{FILE} is a link to {os.path.realpath(place)}, and no file is there."
        return {}, NO_EXTRA, [gone] if place.is_symlink() else []
    except UnicodeDecodeError:
        text = ""
    if (found := parse(text)) is None:
        aside = files.beside(place, "set-aside")
        place.rename(aside)
        said = f"{FILE} held something else or was damaged: it is now {aside.name}, and a new one begins."
        return {}, NO_EXTRA, [said]
    own, extra, again = found
    said = f"In {FILE} the heading above {', '.join(again)} is missing. What stands there was found all the same."
    return own, extra, [said] if again else []


def current(place):
    """What `read` gives, with what waits for the file put over it."""
    own, extra, notes = read(place) if not is_waiting(place) else readable(place)
    for change, _ in _waiting.get(place, ("", ()))[1]:
        change(own)
    return own, extra, notes


def is_waiting(place):
    """Whether something is in memory only."""
    return place in _waiting


def readable(place):
    """What `read` gives; an engine without a learner's part where the file cannot be read."""
    try:
        return read(place)
    except OSError:
        return {}, NO_EXTRA, []


def in_memory():
    """The sentence on what is in this kernel's memory only; "" where all is in the file."""
    place = path()
    if not is_waiting(place):
        return ""
    kept, now = readable(place)[0], current(place)[0]
    names = [name for name in now if name not in kept or kept[name].text != now[name].text]
    what = ", ".join(names) or f"A change to {FILE}"
    return (
        f"In this kernel's memory only: {what}, as {place} could not be written ({_waiting[place][0]}). "
        "The next write that works takes in all of it."
    )


def update(change, copy=False, waits=True, below=""):
    """Apply `change(own)` to the learner's regions as they stand in the file now, after all that waits for it.

    Between reading and writing no other kernel writes, so that two lessons at once lose no part. `change` may return a
    sentence, and then it is left out. A dated copy is made first if `copy` asks for it, or if something that is in no
    cell would be lost. What cannot be written waits for the next write, if `waits`. below: what was tried of what
    stands below the parts. Returns (sentences on what went wrong, the name of the copy).
    """
    place, said = path(), ""
    _, waiting = _waiting.get(place, ("", []))
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with files.locked(place):
            own, extra, notes = read(place)
            before = dict(own)
            for each, _ in waiting:
                each(own)
            if (said := change(own)) and not waiting:
                return [*notes, said], ""
            if below and below == extra.text:
                extra = replace(extra, mark=mark_of(below))
            name = put(place, compose(own, extra), before, copy or any(asked for _, asked in waiting))
            _waiting.pop(place, None)
            return [*notes, *([said] if said else [])], name
    except OSError as fault:
        own, *_ = current(place) if is_waiting(place) else readable(place)
        why = fault.strerror or str(fault)
        if said := change(copies.copy(own)):
            return [said, *filter(None, [in_memory()])], ""
        if waits or waiting:
            _waiting[place] = why, [*waiting, *([(change, copy)] if waits else [])]
            return [in_memory()], ""
        return [f"{place} cannot be written ({why}): new parts last as long as this kernel runs."], ""


def put(place, text, own, copy):
    """Write the file, unless that is what it holds; the name of the copy of the old one, "" where none was needed.

    OSError where it cannot be written, or where another text is read back from it.
    """
    name, data = "", text.encode("utf-8", "backslashreplace")
    if place.exists():
        old = place.read_bytes()
        if old == data:
            return name
        if not place.stat().st_mode & stat.S_IWUSR:
            raise PermissionError(errno.EACCES, "it is read-only")
        if copy or lost(old.decode("utf-8", "replace"), text, own):
            beside = files.beside(place, datetime.datetime.now().strftime("%Y-%m-%d-%H%M"))
            files.write(beside, old)
            name = beside.name
    files.write(Path(os.path.realpath(place)), data)
    if place.read_bytes() != data:
        raise OSError(errno.EIO, "something else stands in it than was written")
    return name


# The engine: the file's regions, run one after the other


def build(own, place, extra=NO_EXTRA):
    """(names of the engine, {name: why it could not be run}) from the learner's regions and the course's parts."""
    broken = {}
    while True:
        module = types.ModuleType("my_engine")
        names = vars(module)
        names["__file__"] = str(place)
        before, sys.modules["my_engine"] = sys.modules.get("my_engine"), module
        try:
            if failing := first_that_fails(own, names, place):
                name, why = failing
                broken[name] = why
                own = {other: region for other, region in own.items() if other != name}
                continue
            if extra.text.strip() and (why := ran(lambda: compile(extra.text, "below your parts", "exec"), names)):
                broken[""] = why
            return names, broken
        finally:
            if before is None:
                sys.modules.pop("my_engine", None)
            else:
                sys.modules["my_engine"] = before


def first_that_fails(own, names, place):
    """Run the parts in order; (name, why) of the first of the learner's that raises, None if none does."""
    for part in used(own):
        if part.name == "end":
            continue
        if (region := own.get(part.name)) is None:
            exec(part.code, names)
            continue
        ahead = "\n" * (region.line - 1)
        if why := ran(lambda r=region, a=ahead, p=part: compiled(r, a, place), names):
            return part.name, why
        if missing := [name for name in part.gives if name not in names]:
            return part.name, f"it does not define {missing[0]}"
        exec(part.wires, names)
    return None


def compiled(region, ahead, place):
    """The code of a region, with the lines that it has in the file."""
    return compile(ahead + region.text, str(place), "exec")


def ran(code, names):
    """Why some code of a learner's could not be run, in a sentence without its full stop; "" where it could."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            guarded(lambda: exec(code(), names))
    except TimeUp:
        return "it had not ended after 3 seconds"
    except RecursionError:
        return "it calls itself over and over"
    except SystemExit:
        return "it leaves Python with sys.exit"
    except BaseException as fault:
        return raised(fault).removesuffix(".")
    return ""


def judged(name, names):
    """What the check of an exercise says against an engine's part; "" where it is right."""
    part = BY_NAME[name]
    if part.is_frame:
        return works(names)
    verdict = check.judge(name, *(names[each] for each in part.gives))
    if verdict.state == NOT_YET:
        return "it is not finished"
    said = [*verdict.says, *(mistake.text() for mistake in verdict.mistakes)]
    return "" if verdict else " ".join(said).removesuffix(".")


def on_numbers(a, b, c, d, e):
    """An expression with all operations of a Value, numbers on either side of each, ints and floats.

    None of its leaves is used twice: whether contributions add up is asked by lesson 04.
    """
    left = ((1 + a) * 3 - b / 2 + (2.5 - c) * 0.5).tanh() * (4 / d)
    return left + (2 * e - 1.5).exp() / 2 - 7


def on_two(a, b, c, d, e):
    """The rest of them, between Values."""
    return ((a * b + 2) - 1 / c).tanh() + (d**2).relu().sigmoid() * (3 - e).exp()


NUMBERS = [0.5, -1.5, 2.0, 0.7, 2.5]
ARRAYS = [[0.5, -1.0, 2.0], [1.5, 0.5, -0.5]], [[1.0, -0.5], [0.25, 2.0], [-1.5, 1.0]], [0.75, -0.25]
CUBE = [[[0.3, -0.7, 1.1], [0.2, -0.4, 0.9]], [[0.6, -1.3, 0.8], [0.1, -0.5, 0.7]]]


def on_arrays(x, w, b):
    """An expression with all operations of a Tensor."""
    y = x[[1, 0, 1]] @ w - b
    return (y.tanh().sum(axis=1) * 2.0 + (b * y).relu().sum(axis=1)).sum()


def on_axes(t):
    """Sums of an array of three axes along each of them."""
    sums = (
        (t.sum(axis=axis, keepdims=keep) * 0.3).tanh().sum() for axis in (0, 1, 2, -1, -2) for keep in (False, True)
    )
    return sum(sums, t.sum())


def works(names):
    """Why an engine as a whole gives something else than it should; "" where it does not."""
    try:
        for f in (on_numbers, on_two):
            right = [f(*map(Dual, NUMBERS)).value, *forward_gradient(f, NUMBERS)]
            found = passed_back(names["Value"], f, NUMBERS)
            if not all(math.isclose(got, true, rel_tol=1e-9, abs_tol=1e-12) for got, true in zip(found, right)):
                return "in an expression with all operations, gradients come out wrong"
        with trying("one round of training"):
            net = names["MLP"](2, [2, 1])
            losses = guarded(lambda: names["train"](net, [[0.0, 1.0]], [1.0], 0.01, 2))
        if len(losses) != 2:
            return "training gives no loss for each epoch"
        for f, arrays in ((on_arrays, ARRAYS), (on_axes, [CUBE])):
            value, gradients = forward_gradients(f, list(map(np.array, arrays)))
            if not all(map(same_array, passed_back(names["Tensor"], f, arrays), [value, *gradients])):
                return "in an expression with all operations on arrays, gradients come out wrong"
        return of_ten_classes(names)
    except (Trouble, TimeUp) as fault:
        return " ".join(getattr(fault, "sentences", ("it does not end",))).removesuffix(".")
    except Exception as fault:
        return raised(fault).removesuffix(".")


def passed_back(make, f, numbers):
    """[value, gradients of the leaves] by an engine's class, from a root that held a gradient before."""
    with trying("the whole engine, in an expression with all of its operations"):
        leaves = [make(x) for x in numbers]
        root = guarded(lambda: f(*leaves))
        root.grad = root.grad + 5.0
        guarded(root.backward)
        return [root.data, *(leaf.grad for leaf in leaves)]


def of_ten_classes(names):
    """Why the cross-entropy of ten classes, each of them a target once, comes out wrong; "" where it does not."""
    z, targets = np.cos(np.arange(100.0)).reshape(10, 10), np.arange(10)[::-1]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    with trying("the cross-entropy of ten classes"):
        scores = names["Tensor"](z)
        loss = guarded(lambda: names["softmax_cross_entropy"](scores, targets))
        guarded(loss.backward)
    right = (-np.log(p[np.arange(10), targets]).mean(), (p - np.eye(10)[targets]) / 10)
    fine = all(map(same_array, (loss.data, scores.grad), right))
    return "" if fine else "in a cross-entropy of ten classes, gradients come out wrong"


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

    def so_far(self):
        """The places of the lessons before this one, and which of them are the learner's."""
        places = [part for part in EXERCISES if not part.replaces and part.lesson < (self._lesson or "99")]
        return places, [part for part in places if slot_owner(part, self._own)]

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
