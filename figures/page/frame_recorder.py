"""The pen that draws a lab's stage for one frame, and notes, by keys, the parts that other frames may change."""

import functools
import html
import itertools
import re

OPEN, NEXT, CLOSE = "\x02", "\x1f", "\x03"  # around an update's key, in place of its text; before its attributes
escaped = functools.lru_cache(maxsize=4096)(html.escape)  # of keys, which recur in every frame
SLOT = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")


class FrameRecorder:
    """A pen that draws the parts of one frame's stage, and notes {key: {"text", "state", attribute: value}} in
    `updates`.

    within: a prefix of every key, if a stage has several drawings of one kind.
    """

    def __init__(self, within=""):
        self.within, self.updates = within, {}

    def __call__(self, tag, key, kind="", inside="", *, text=None, state=None, at=None, room=None, **changing):
        """Draw an element with a key: its text or its content, its state, and any attributes that change.

        kind: its class. at: attributes that stay, as a dict. room: how many characters of a text fit; a longer one
        updates the element. Names of changing attributes are written with _ for -. Numbers get one decimal.
        """
        if text is not None and inside:
            raise ValueError(f"{key!r} has a text that changes or parts inside, not both.")
        key, update = self.within + key, {}
        for name, value in changing.items():
            update[name.replace("_", "-")] = format_attribute(value)
        if state is not None:
            update["state"] = state
        fixed = f' class="{kind}"' if kind else ""
        for name, value in at.items() if at else ():
            fixed += f' {name}="{html.escape(format_attribute(value))}"'
        if room is not None:
            fixed += f' data-room="{room}"'
        names = f"{OPEN}{key}{NEXT}{NEXT.join([*update, f'room {room}'] if room else update)}{CLOSE}"
        if text is not None:
            update["text"], inside = str(text), f"{OPEN}{key}{CLOSE}"
        if key in self.updates:
            self.note({key: update})  # raises
        self.updates[key] = update
        return f'<{tag} data-key="{escaped(key)}"{fixed}{names}>{inside}</{tag}>'

    def note(self, updates):
        """Note updates; raise ValueError for a key that already has one, because each part of a stage needs its own."""
        if twice := self.updates.keys() & updates.keys():
            raise ValueError(f"{min(twice)!r} is drawn twice in one frame: each part of a stage has a key of its own.")
        self.updates |= updates


def format_attribute(value):
    """Return the value of an attribute as a page writes it."""
    return value if isinstance(value, str) else f"{value:.1f}" if isinstance(value, float) else str(value)


class CachedFragment:
    """A piece of a stage that `draw(pen, …)` draws once, and that frames use with their own states and texts.

    It is for pieces of many parts of which few change in a frame, such as a graph.
    """

    def __init__(self, draw, *things, within=""):
        pen = FrameRecorder(within)
        self.within, self.drawn, self.updates = within, draw(pen, *things), pen.updates

    def __call__(self, pen, states=None, texts=None):
        """Return the piece in a pen's frame. states, texts: of parts by their keys, if they differ from those drawn."""
        updates = dict(self.updates)
        for what, known in (("state", states), ("text", texts)):
            for key, value in known.items() if known else ():
                key = self.within + key
                update = updates.get(key, ())
                if what not in update:
                    raise ValueError(f"no part with the key {key!r} has a {what} in this drawing.")
                updates[key] = {what: value} if len(update) == 1 else {**update, what: value}
        pen.note(updates)
        return self.drawn


class FrameTemplate:
    """A stage for many frames. `draw(pen, …)`, a function of what a frame shows, returns it as an HTML string.

    `stage.updates(…)` draws a frame and returns its updates; `stage(updates)` is the HTML of that frame. Frames may
    differ only in what parts with keys show. Any other difference raises a ValueError: nothing is dropped in silence.
    """

    def __init__(self, draw):
        self._draw, self._drawn = draw, None
        self.blank = ""  # the stage without what frames change: a page keeps it while a slider moves

    def updates(self, *scene, **more):
        """Return the updates of a frame; `scene` is what `draw` takes besides the pen."""
        pen = FrameRecorder()
        drawn = self._draw(pen, *scene, **more)
        if self._drawn is None:
            placed = slots_by_key(drawn)
            if pen.updates.keys() != placed.keys():
                lost = ", ".join(sorted(pen.updates.keys() ^ placed.keys()))
                raise ValueError(f"drawn with a key, but not put on the stage: {lost}.")
            self._drawn = drawn
            self.blank = self({})
        elif drawn != self._drawn:
            raise ValueError(describe_difference(self._drawn, drawn))
        return pen.updates

    def __call__(self, updates):
        """Return the stage with these updates; a part without updates is empty."""
        return SLOT.sub(functools.partial(fill_slot, updates), self._drawn)


def render_once(draw, *scene):
    """Return what `draw` draws for a single frame, as an HTML string."""
    stage = FrameTemplate(draw)
    return stage(stage.updates(*scene))


def fill_slot(updates, slot):
    key, *names = slot[1].split(NEXT)
    update = updates.get(key)
    if update is None:
        return ""
    if not names:
        return html.escape(update["text"])
    return "".join(map(functools.partial(render_attribute, update), filter(None, names)))


def render_attribute(update, name):
    """Return an attribute of an update as a page writes it; for a room, whether the text is longer."""
    if name.startswith("room "):
        return f' data-long="{"yes" if len(update["text"]) > int(name[5:]) else "no"}"'
    return f' {"data-state" if name == "state" else name}="{html.escape(update[name])}"'


def slots_by_key(drawn):
    """Return what each key of a stage may change, {key: [names of attributes]}."""
    found = {}
    for slot in SLOT.findall(drawn):
        key, *names = slot.split(NEXT)
        found.setdefault(key, []).extend(filter(None, names or ["text"]))
    return found


def describe_difference(first, drawn):
    """Describe in a sentence how a frame's stage differs from the first one's."""
    before, now = slots_by_key(first), slots_by_key(drawn)
    if other := ", ".join(sorted(before.keys() ^ now.keys())):
        return f"each frame draws the same parts; these are drawn in one and not in another: {other}."
    for key, names in now.items():
        if set(names) != set(before[key]):
            return f"{key!r} changes {', '.join(sorted(names))} here, and {', '.join(sorted(before[key]))} before."
    at = next(i for i, (a, b) in enumerate(itertools.zip_longest(first, drawn)) if a != b)
    here = " ".join(SLOT.sub("", drawn[max(0, at - 60) : at + 20]).split())
    return f"only what is drawn with a key may change from frame to frame, and here other things do: … {here} …"
