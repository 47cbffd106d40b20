"""A learner's own engine: `my_engine.py`, one plain Python file that grows with each exercise passed.

The files are read at each load, so an edit, or a pass in another kernel, counts at once. The records hold the syntax
tree of each judged item; an item with a different one is judged at the load. In a kernel the engine is live: a passing
check puts the methods into the existing class.
"""

import html
import math
import operator
from dataclasses import dataclass

from exercises.content import library
from exercises.content.library import marked
from exercises.engine_file import cells, engine_card
from exercises.engine_file.namespace import Namespace
from exercises.engine_file.parts import BY_NAME, EXERCISES
from exercises.engine_file.places import FILE, FILES, first_lesson, order, slots_of
from exercises.engine_file.source import HEAD, IMPORT, MAIN
from exercises.engine_file.sources import EDITED, Sources, key_of
from exercises.engine_file.store import NEW_FORM, current, path, update
from exercises.engine_file.trial import build, why_not, why_not_there
from exercises.sandbox import runner
from exercises.sandbox.guard import TimeUp, run_guarded
from exercises.storage import milestones, progress
from exercises.verdicts.results import EDGE_COLOURS, PASSED

ASKED = "not in the file"  # the progress file's section on passed parts that the learner knows to be missing
BACKWARD = ("Value.__add__", "Value.__mul__", "topological_order", "Value.backward")
RULES = {"Value.__add__": ("+", operator.add, 2.0), "Value.__mul__": ("*", operator.mul, 6.0)}  # the slope of 3 ∘ 3
_endless = {}  # {the text of an item that did not end: the message}, so that it costs its seconds once
_live = {}  # for each path, the Live engine of this kernel


@dataclass
class Live:
    """The engine of this kernel: its modules, the Sources that are in them, and the lesson that loaded it."""

    namespace: Namespace
    sources: Sources
    lesson: str | None = None


class Engine:
    """A learner's engine, live: its names as attributes, and the notes on it."""

    def __init__(self, live, lesson, notes):
        self._live, self._lesson, self._notes = live, lesson, notes

    @property
    def _names(self):
        return self._live.namespace.names

    @property
    def _sources(self):
        return self._live.sources

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._names:
            raise AttributeError(f"{FILE} has no {name!r}. It has: {', '.join(self.__dir__())}.")
        return self._names[name]

    def __dir__(self):
        return [name for name in engine_names() if name in self._names]

    def __repr__(self):
        return "\n".join(self.sentences())

    def so_far(self, whole=False):
        """Return the parts of the lessons before this one, or of all, and which of them are the learner's."""
        last = "99" if whole else self._lesson or "99"
        places = [part for part in EXERCISES if part.lesson < last and part.name in library.names(part.lesson)]
        return places, [part for part in places if self.owner(part.name)]

    def owner(self, name):
        """Return the learner's exercise that fills the places of an exercise; None if the course does."""
        return self._sources.owner(name)

    def is_theirs(self, name):
        """Return whether the learner has written an item, such as "Value.__add__"."""
        return self._sources.is_theirs(name)

    def own_code(self):
        """Return the text of everything that is the learner's and in use."""
        return "\n".join(item.text for _, item in self._sources.theirs())

    def card(self):
        """Return the engine's card, a picture to keep: your parts, and what it has learned, tried again.

        `mine.card().savefig("card.svg")` saves it. It takes a few seconds, ten at most.
        """
        return engine_card.card(self)

    def loss_backward(self):
        """Return the code of `loss.backward()` in this engine: the rules of + and *, order, pass; and its authors."""
        sources = self._sources.whole()
        return LossBackward([(name, sources.find(name).code, self._sources.is_theirs(name)) for name in BACKWARD])

    def sentences(self):
        """Return the sentences that a lesson shows when it has loaded the engine."""
        places, mine = self.so_far()
        if not places:
            said = " is your own engine. All of it is still the course's; from this lesson on parts become yours."
        elif len(mine) in (0, len(places)):
            said = f": all {len(places)} parts so far are " + ("yours." if mine else "still the course's.")
        else:
            some = f"{len(mine)} of the {len(places)} parts so far {'is' if len(mine) == 1 else 'are'} yours"
            said = f": {some}; the others are the course's."
        return [FILE + said, *self._notes]

    def code(self):
        """Yield (name, text, whether it is the learner's) of the code that came before the lesson.

        Code that this lesson or a later one asks for is left out, unless the learner wrote it before.
        """
        lesson = self._lesson or "99"
        asked = {slot for part in EXERCISES if part.lesson >= lesson for slot in slots_of(part.name)}
        sources = self._sources.copy()
        sources.fill(lesson)
        for file, document in sources.documents.items():
            for item, _ in document.all():
                mine = not item.is_courses and item.name in order(file)
                if item.name in (HEAD, IMPORT, MAIN) or item.name not in order(file):
                    continue
                exercise = self._sources.exercise_of(item.name)
                early = BY_NAME[exercise].lesson < lesson if exercise in BY_NAME else item.name not in asked
                if early and (mine or first_lesson(file, item.name) < lesson):
                    yield item.name, item.code, mine

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": card(self), "text/plain": "\n".join([repr(self), *milestones.describe_if_begun()])}


def engine_names():
    """Return the names that an engine has, in the order of its files."""
    return [name for file in FILES for name in order(file) if "." not in name and name not in (HEAD, IMPORT, MAIN)]


class LossBackward:
    """Parts of an engine as code, under a sentence that counts their lines."""

    def __init__(self, parts):
        self.parts = parts

    def __repr__(self):
        lines = [(sum(bool(line.strip()) for line in text.splitlines()), mine) for _, text, mine in self.parts]
        total, mine = sum(count for count, _ in lines), sum(count for count, mine in lines if mine)
        whose = "all of them yours" if mine == total else f"{mine} of them yours" if mine else "the course's"
        return f"This is loss.backward(): {total} lines, {whose}."

    def _repr_mimebundle_(self, **kwargs):
        code = "".join(block(*each) for each in self.parts)
        plain = "\n\n".join(text.strip() for _, text, _ in self.parts)
        return {"text/html": f"<p>{marked(repr(self))}</p>{code}", "text/plain": f"{self!r}\n\n{plain}"}


def card(engine):
    """Return the sentences on an engine, and the parts of the lessons before this one behind one click, as HTML."""
    first, *notes = map(marked, [*engine.sentences(), *milestones.describe_if_begun()])
    said = "".join(f'<p style="margin:.4em 0">{note}</p>' for note in notes)
    if code := "".join(block(*each) for each in engine.code()):
        code = f'<details style="margin:.4em 0 0"><summary style="cursor:pointer">Its code</summary>{code}</details>'
    return (
        f'<div style="border-left:4px solid {EDGE_COLOURS[PASSED]};padding:.3em 0 .3em 1em;max-width:60em">'
        f"{first}{said}{code}</div>"
    )


def block(name, text, mine):
    """Return a part as a block of code, under a line that says whose it is."""
    edge, whose = (EDGE_COLOURS[PASSED], "<b>yours</b>") if mine else ("transparent", "the course's")
    return (
        f'<div style="border-left:4px solid {edge};padding-left:.8em;margin:1em 0">'
        f'<div style="opacity:.75;font-size:90%">{name} · {whose}</div>'
        f'<pre style="margin:.1em 0;padding:0;background:none">{html.escape(text.strip())}</pre></div>'
    )


def my_engine(lesson=None):
    """Load the learner's engine when a lesson opens, and show which parts are theirs.

    lesson: the lesson's number, such as "05": only what came before it is counted and shown. Return the engine, whose
    names are attributes: `mine.Value`, `mine.MLP`. Within a kernel these stay the same classes, whatever passes.
    """
    engine = load(lesson)
    if cells.shell() is None:
        print(engine)
    else:
        from IPython.display import display

        display(engine)
    return engine


def load(lesson=None):
    """Return the learner's engine, with edits judged; notes name the parts that fail, which the course's replace."""
    place = path()
    progress.try_again()
    try:
        sources, notes = current(place)
    except OSError as fault:
        note = f"{place} cannot be read ({fault.strerror or fault}): this lesson goes on with the course's engine."
        return Engine(run(Sources(), place, lesson)[0], lesson, [*filter(None, [note, progress.in_memory()])])
    accepted, refused, untried = tried(sources, place)
    for key, why in refused.items():
        name = named(sources, key)
        if is_extra(sources, key) or why.startswith("SyntaxError"):
            notes.append(cannot_run(name, why))
        else:
            notes.append(
                f"Your {name} was changed in the file and is not right: {why}. This lesson goes on with the course's. "
                f'To use yours all the same: exercises.keep("{name.strip("`")}"). To have the course\'s in the file: '
                f'exercises.reset("{name.strip("`")}").'
            )
    if untried:
        notes.append(
            "There is no other process here to try it in, so what was changed in the file was tried in this one."
        )
    live, broken, assigning = run(sources.without(sources.unnoted().keys() - accepted), place, lesson)
    notes += [cannot_run(named(sources, key), why) for key, why in broken.items()]
    notes += [
        f"Your rule of {RULES[name][0]} assigns, so a number that is used twice loses a contribution: from here on the "
        "course's is used in its place. Exercise 1 of lesson 02 fixes it."
        for name in assigning
    ]

    def note(now):
        for file, item in now.theirs():
            if (file, key_of(item)) in accepted and not now.is_noted(file, item):
                now.note(file, item, owner=EDITED)
        return ""

    more, copy = update(note, waits=False)
    notes = [said for said in notes if said != NEW_FORM and not any(each.startswith(said) for each in more)] + more
    if copy and not any(copy in said for said in notes):
        notes.append(f"The file as it was is now {copy}.")
    notes += filter(None, [passed_before(lesson, sources), progress.in_memory()])
    return Engine(live, lesson, notes)


def run(sources, place, lesson):
    """Return (the Live engine of this kernel, brought up to date, {key: why} of what fails, rules that assign)."""
    live = _live.setdefault(place, Live(Namespace(place), sources))
    _, broken = build(sources, place, live.namespace)
    sources, assigning = sources.without(broken), []
    if (lesson or "00") >= "04":
        assigning = [name for name in RULES if sources.is_theirs(name) and assigns(live.namespace.names, name)]
        sources = sources.without([(FILE, name) for name in assigning])
        build(sources, place, live.namespace)
    live.sources, live.lesson = sources, lesson
    return live, broken, assigning


def refresh():
    """Put the file's current content into the engine of this kernel, if it has been loaded."""
    if live := _live.get(place := path()):
        try:
            sources, _ = current(place)
        except OSError:
            return
        run(sources.without(sources.unnoted()), place, live.lesson)


def named(sources, key):
    """Return the name of an item in a sentence."""
    return f"`{key[1]}`" if any(item.name == key[1] for _, item in sources.theirs()) else "code"


def is_extra(sources, key):
    return key[1] not in order(key[0]) and not sources.records[key[0]].get(key[1], {}).get("exercise")


def cannot_run(what, why):
    """Return the sentence on code of the learner's that the engine leaves out."""
    return f"Your {what} in {FILE} cannot be run: {why}. This lesson goes on without it."


def passed_before(lesson, sources):
    """Return the sentence on parts that were passed and are not in the file, once for each; "" if there are none."""
    known = progress.noted(ASKED)
    early = [part.name for part in EXERCISES if part.lesson < (lesson or "99")]
    passed = [n for n in early if progress.passed(n) and not sources.owner(n) and not known.get(n)]
    passed = [n for n in passed if not all(map(sources.is_bridge, slots_of(n)))]  # in use, through its function
    for name in passed:
        progress.note(ASKED, name, True)
    said = f"Passed, and not in the file: {', '.join(passed)}. Run your cell and its check to take it in."
    return said if passed else ""


def tried(sources, place):
    """Try what was changed by hand in a separate process.

    Return ({key} of the items that are right, {key: why} of those refused, whether this process tried them).
    """
    groups, accepted, refused = {}, set(), {}
    for (file, key), item in sources.unnoted().items():
        exercise = sources.exercise_of(item.name) or sources.records[file].get(key, {}).get("exercise") or ""
        groups.setdefault(exercise or (key if not is_extra(sources, (file, key)) else ""), []).append((file, key))
    unnoted, apart = sources.unnoted(), runner.is_available()
    with runner.Runner() as process:
        for keys in sorted(groups.values(), key=lambda keys: is_extra(sources, keys[0])):
            text = "\n".join(unnoted[key].text for key in keys)
            why = next((unnoted[key].broken for key in keys if unnoted[key].broken), "") or _endless.get(text)
            if why is None:
                candidate = sources.without(unnoted.keys() - accepted - {*keys})
                try:
                    why = why_not_there(process, candidate, keys, place) if apart else why_not(candidate, keys, place)
                except runner.Ended as fault:
                    why = str(fault)
            if "not end" in why:
                _endless[text] = why
            if why:
                refused[keys[0]] = why
            else:
                accepted.update(keys)
    return accepted, refused, bool(groups) and not apart


def assigns(names, name):
    """Return whether a rule of the engine overwrites an earlier contribution: a + a and a * a show it."""
    _, combine, slope = RULES[name]

    def grad():
        a = names["Value"](3.0)
        out = combine(a, a)
        out.grad = 1.0
        out._backward()
        return a.grad

    try:
        return not math.isclose(run_guarded(grad), slope)
    except (Exception, TimeUp):  # the part may be accepted unchecked
        return True
