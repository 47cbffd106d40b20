"""A pen draws the stage of a lab for one frame, and notes of each part with a key what may change in other frames."""

import functools
import html
import itertools
import re

OPEN, NEXT, CLOSE = "\x02", "\x1f", "\x03"  # round the key of a mark, where its text stands; after it, its attributes
escaped = functools.lru_cache(maxsize=4096)(html.escape)  # of keys, which come again in every frame
SLOT = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")


class Pen:
    """Draws the parts of one frame's stage. `marks` are what it has noted: {key: {"text", "state", attribute: value}}.

    within: what stands before every key, where a stage has several drawings of one kind.
    """

    def __init__(self, within=""):
        self.within, self.marks = within, {}

    def __call__(self, tag, key, kind="", inside="", *, text=None, state=None, at=None, room=None, **changing):
        """An element with a key: its text or what is inside it, its state, and any attributes that change.

        kind: its class. at: attributes that stay, as a dict. room: how many characters of a text have room; of a
        longer one the element is told. Names of changing attributes are written with _ for -. Numbers get one decimal.
        """
        if text is not None and inside:
            raise ValueError(f"{key!r} has a text that changes or parts inside, not both.")
        key, mark = self.within + key, {}
        for name, value in changing.items():
            mark[name.replace("_", "-")] = written(value)
        if state is not None:
            mark["state"] = state
        fixed = f' class="{kind}"' if kind else ""
        for name, value in at.items() if at else ():
            fixed += f' {name}="{html.escape(written(value))}"'
        if room is not None:
            fixed += f' data-room="{room}"'
        names = f"{OPEN}{key}{NEXT}{NEXT.join([*mark, f'room {room}'] if room else mark)}{CLOSE}"
        if text is not None:
            mark["text"], inside = str(text), f"{OPEN}{key}{CLOSE}"
        if key in self.marks:
            self.note({key: mark})  # says so
        self.marks[key] = mark
        return f'<{tag} data-key="{escaped(key)}"{fixed}{names}>{inside}</{tag}>'

    def note(self, marks):
        """Note marks. ValueError where a key has one already: two parts of a stage cannot be told apart by it."""
        if twice := self.marks.keys() & marks.keys():
            raise ValueError(f"{min(twice)!r} is drawn twice in one frame: each part of a stage has a key of its own.")
        self.marks |= marks


def written(value):
    """The value of an attribute as it stands in a page."""
    return value if isinstance(value, str) else f"{value:.1f}" if isinstance(value, float) else str(value)


class Stamp:
    """A piece of a stage that is drawn once, by `draw(pen, …)`, and put into frames with what is other there.

    For pieces of many parts of which few change in a frame, such as a graph.
    """

    def __init__(self, draw, *things, within=""):
        pen = Pen(within)
        self.within, self.drawn, self.marks = within, draw(pen, *things), pen.marks

    def __call__(self, pen, states=None, texts=None):
        """The piece in a pen's frame. states, texts: of parts by their keys, where they differ from what was drawn."""
        marks = dict(self.marks)
        for what, known in (("state", states), ("text", texts)):
            for key, value in known.items() if known else ():
                key = self.within + key
                mark = marks.get(key, ())
                if what not in mark:
                    raise ValueError(f"no part with the key {key!r} has a {what} in this drawing.")
                marks[key] = {what: value} if len(mark) == 1 else {**mark, what: value}
        pen.note(marks)
        return self.drawn


class Stage:
    """A stage for many frames, drawn by `draw(pen, …)`, a function of what a frame shows, as an HTML string.

    `stage.marks(…)` draws a frame and gives its marks; `stage(marks)` is the HTML of that frame. Only what a part with
    a key shows may differ between frames. A draw that does otherwise gets a ValueError: nothing is dropped in silence.
    """

    def __init__(self, draw):
        self._draw, self._drawn = draw, None
        self.blank = ""  # the stage with nothing in it that a frame changes: a page keeps it while a slider moves

    def marks(self, *scene, **more):
        """The marks of a frame, whose scene is what `draw` takes beside the pen."""
        pen = Pen()
        drawn = self._draw(pen, *scene, **more)
        if self._drawn is None:
            placed = slots(drawn)
            if pen.marks.keys() != placed.keys():
                lost = ", ".join(sorted(pen.marks.keys() ^ placed.keys()))
                raise ValueError(f"drawn with a key, but not put on the stage: {lost}.")
            self._drawn = drawn
            self.blank = self({})
        elif drawn != self._drawn:
            raise ValueError(difference(self._drawn, drawn))
        return pen.marks

    def __call__(self, marks):
        """The stage with these marks; what has none is empty."""
        return SLOT.sub(functools.partial(filled, marks), self._drawn)


def still(draw, *scene):
    """What `draw` draws for a single frame, as an HTML string."""
    stage = Stage(draw)
    return stage(stage.marks(*scene))


def filled(marks, slot):
    """What stands in a slot: the text of a mark, or its attributes."""
    key, *names = slot[1].split(NEXT)
    mark = marks.get(key)
    if mark is None:
        return ""
    if not names:
        return html.escape(mark["text"])
    return "".join(map(functools.partial(attribute, mark), filter(None, names)))


def attribute(mark, name):
    """An attribute of a mark as it stands in a page; of a room, whether the text is longer."""
    if name.startswith("room "):
        return f' data-long="{"yes" if len(mark["text"]) > int(name[5:]) else "no"}"'
    return f' {"data-state" if name == "state" else name}="{html.escape(mark[name])}"'


def slots(drawn):
    """What each key of a stage may change, {key: [names of attributes]}."""
    found = {}
    for slot in SLOT.findall(drawn):
        key, *names = slot.split(NEXT)
        found.setdefault(key, []).extend(filter(None, names or ["text"]))
    return found


def difference(first, drawn):
    """In a sentence, how a frame's stage is another than the first one's."""
    before, now = slots(first), slots(drawn)
    if other := ", ".join(sorted(before.keys() ^ now.keys())):
        return f"each frame draws the same parts; these are drawn in one and not in another: {other}."
    for key, names in now.items():
        if set(names) != set(before[key]):
            return f"{key!r} changes {', '.join(sorted(names))} here, and {', '.join(sorted(before[key]))} before."
    at = next(i for i, (a, b) in enumerate(itertools.zip_longest(first, drawn)) if a != b)
    here = " ".join(SLOT.sub("", drawn[max(0, at - 60) : at + 20]).split())
    return f"only what is drawn with a key may change from frame to frame, and here other things do: … {here} …"
