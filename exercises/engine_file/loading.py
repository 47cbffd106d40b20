"""A learner's own engine: `my_engine.py`, one plain Python file that grows with each exercise passed.

The file is a row of regions, each under a heading: the course's parts, and in their place, one by one, the learner's.
It is read and run at each load, never imported, so that an edit, or a pass in another kernel, counts at once. The mark
in a heading is a hash of the text below it: a part whose mark fits was judged before; any other is judged at the load.
"""

import html
import math
import operator

from exercises.engine_file import cells, engine_card
from exercises.engine_file.parts import BY_NAME, EXERCISES, NAMES, PARTS, used
from exercises.engine_file.regions import EDITED, FILE, NO_EXTRA, mark_of, slot_owner
from exercises.engine_file.store import current, path, update
from exercises.engine_file.trial import build, why_not, why_not_there
from exercises.sandbox import runner
from exercises.sandbox.guard import TimeUp, guarded
from exercises.shelf import progress, thread
from exercises.shelf.library import marked
from exercises.verdicts.seen import EDGES, PASSED

ASKED = "not in the file"  # the progress file's section on passed parts whose learner knows that they are not in it
BELOW = "What stands below your parts"
BACKWARD = {"add_rule", "multiply_rule", "collect", "topological_order", "deep_order", "backward", "accumulate"}
RULES = {"add_rule": ("+", operator.add, 2.0), "multiply_rule": ("*", operator.mul, 6.0)}  # the slope of 3 ∘ 3
_endless = {}  # for the mark of each text that did not end: what was said of it, so that it costs its seconds once


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

        `mine.card().savefig("card.svg")` keeps it. It takes some seconds, and ten at most.
        """
        return engine_card.card(self)

    def loss_backward(self):
        """What `loss.backward()` is in this engine: the rules of + and *, order and pass, and whose they are."""
        return LossBackward(
            [
                (part, region.text if region else part.text, region is not None)
                for part in used(self._own)
                if part.name in BACKWARD
                for region in [self._own.get(part.name)]
            ]
        )

    def sentences(self):
        """What a lesson says when it has loaded the engine."""
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
        """(Part, text, whether it is the learner's) of what came before the lesson.

        What this lesson or a later one asks for is left out, also where an exercise asks for an earlier part anew.
        """
        lesson = self._lesson or "99"
        asked = {name for part in PARTS if part.lesson >= lesson for name in (part.name, *part.replaces)}
        for part in used(self._own):
            region = self._own.get(part.name)
            if part.lesson < lesson and (region or part.name not in asked):
                yield part, region.text if region else part.text, region is not None

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": card(self), "text/plain": f"{self!r}\n{thread.told()}"}


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
    """The sentences on an engine, and the parts of the lessons before this one, each behind one click, as HTML."""
    first, *notes = map(marked, [*engine.sentences(), thread.told()])
    said = "".join(f'<p style="margin:.4em 0">{note}</p>' for note in notes)
    if code := "".join(block(*each) for each in engine.code()):
        code = f'<details style="margin:.4em 0 0"><summary style="cursor:pointer">Its code</summary>{code}</details>'
    return (
        f'<div style="border-left:4px solid {EDGES[PASSED]};padding:.3em 0 .3em 1em;max-width:60em">'
        f"{first}{said}{code}</div>"
    )


def block(part, text, mine):
    """A part as a block of code, under a line that says whose it is."""
    edge, whose = (EDGES[PASSED], "<b>yours</b>") if mine else ("transparent", "the course's")
    return (
        f'<div style="border-left:4px solid {edge};padding-left:.8em;margin:1em 0">'
        f'<div style="opacity:.75;font-size:90%">{part.name} · lesson {part.lesson} · {whose}</div>'
        f'<pre style="margin:.1em 0;padding:0;background:none">{html.escape(text.strip())}</pre></div>'
    )


def my_engine(lesson=None):
    """Load the learner's engine, as a lesson does when it opens, and show what of it is theirs.

    lesson: the lesson's number, such as "05": what is counted and shown is what came before it. Returns the engine,
    whose names are attributes: `mine.Value`, `mine.MLP`.
    """
    engine = load(lesson)
    if cells.shell() is None:
        print(engine)
    else:
        from IPython.display import display

        display(engine)
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
                f"Your part {name} was changed in the file and is not right: {why}. This lesson goes on with the "
                f"course's. To use yours all the same: exercises.keep(\"{name}\"). To have the course's in the file: "
                f'exercises.reset("{name}").'
            )
        else:
            notes.append(cannot_run(BELOW, why))
            extra = NO_EXTRA
    if untried:
        notes.append(
            "There is no other process here to try it in, so what was changed in the file was tried in this one."
        )
    names, broken = build(good, place, extra)
    notes += [cannot_run(f"Your part {name}" if name else BELOW, why) for name, why in broken.items()]
    good = {name: region for name, region in good.items() if name not in broken}
    if (lesson or "00") >= "05":
        for name in [name for name in RULES if name in good and assigns(names, name)]:
            del good[name]
            notes.append(
                f"Your rule of {RULES[name][0]} assigns, so a number that is used twice loses a contribution: from "
                "here on the course's stands in its place. Exercise 1 of lesson 04 mends it."
            )
        names, _ = build(good, place, extra)

    def note(current):
        for name in changed:
            if name in current and current[name].text == good.get(name, current[name]).text:
                current[name] = current[name].noted(EDITED)
        return ""

    more, copy = update(note, waits=False, below="" in changed and extra.text)
    notes = [said for said in notes if not any(each.startswith(said) for each in more)] + more
    if copy and not any(copy in said for said in notes):
        notes.append(f"{FILE} held lines that belong to none of its parts. They are in {copy}, the file as it was.")
    notes += filter(None, [passed_before(lesson, own), progress.in_memory()])
    return Engine(names, lesson, good, notes)


def cannot_run(what, why):
    """The sentence on something of the learner's that the engine does without."""
    return f"{what} in {FILE} cannot be run: {why}. This lesson goes on without it."


def passed_before(lesson, own):
    """The sentence on parts that were passed and are not in the file, said once of each; "" where there are none."""
    known = progress.noted(ASKED)
    early = [part.name for part in EXERCISES if part.lesson < (lesson or "99")]
    passed = [n for n in early if progress.passed(n) and not slot_owner(BY_NAME[n], own) and not known.get(n)]
    for name in passed:
        progress.note(ASKED, name, True)
    said = f"Passed, and not in the file: {', '.join(passed)}. Run your cell and its check to take it in."
    return said if passed else ""


def tried(own, extra, place):
    """What was changed by hand, tried in a process of its own.

    (the regions to use, names changed and right, {name: why} of those refused, whether they were tried here). The name
    "" stands for what is below the last line.
    """
    good, changed, refused = {name: region for name, region in own.items() if region.is_noted}, [], {}
    unknown = [region for region in own.values() if not region.is_noted]
    if extra.text.strip() and not extra.is_noted:
        unknown.append(extra)
    apart = runner.works()
    with runner.Runner() as process:
        for region in unknown:
            mark = mark_of(region.text)
            why = _endless.get(mark)
            if why is None:
                try:
                    why = why_not_there(process, good, region, place) if apart else why_not(good, region, place)
                except runner.Ended as fault:
                    why = str(fault)
            if "not end" in why:
                _endless[mark] = why
            if why:
                refused[region.name] = why
                continue
            changed.append(region.name)
            if region.name:
                good[region.name] = region.noted(EDITED)
    return good, changed, refused, bool(unknown) and not apart


def assigns(names, name):
    """Whether a rule of the engine puts a contribution in place of an earlier one: a + a and a * a tell."""
    _, combine, slope = RULES[name]

    def grad():
        a = names["Value"](3.0)
        out = combine(a, a)
        out.grad = 1.0
        out._backward()
        return a.grad

    try:
        return not math.isclose(guarded(grad), slope)
    except (Exception, TimeUp):  # of a part that is kept unchecked
        return True
