"""The lab of writes: how a class changes the gradients of a graph, one write at a time, with the code that does it."""

from figures.graph.draw import PAGE, description, texts_of
from figures.graph.reader import clean, read_graph, things_of
from figures.graph.stage import graph, place
from figures.page.frame_recorder import FrameTemplate
from figures.page.player import Frame, Player, Recording
from figures.page.style import number
from figures.passes.scalar_passes import NAME

CODE = 90  # characters of a line of code


def writes(root, events, *, opening="Nothing has been written yet.", ending="", title=None, first=None, direction=None):
    """Step through the writes that a class makes to the gradients of the graph of `root`, right or wrong.

    events: objects with node (an object of the graph), before and after (its grad, or None), code (the line that
    wrote, with its number), says (a sentence), along ((consumer, place among its inputs) of the edge that it belongs
    to, or None), expected (what that edge gives, or None) and wrong (whether nothing allows it).
    opening, ending: the sentences of the first frame, and of a frame after the last event. first: the place of the
    event that is shown first; by default the beginning.
    """
    nodes, things = read_graph(root), things_of(root)
    where = {id(thing): i for i, thing in enumerate(things)}
    placed, texts = place(nodes, direction, False, PAGE), texts_of(nodes, gradients=False)
    texts |= {f"n{i}.grad": number(None) for i in range(len(nodes))}
    drawn = graph(nodes, placed, texts=texts)

    def draw(pen, states, texts, code, cells):
        return f'<div class="bp-main">{drawn(pen, states, texts)}</div>{below(pen, code, cells)}'

    stage = FrameTemplate(draw)
    frames, used, no = [Frame(opening, "Start", stage.updates({}, texts, "", cells_of()))], {}, len(events)
    for i, event in enumerate(events):
        at = where[id(event.node)]
        texts = texts | {f"n{at}.grad": number(event.after)}
        states = {f"n{at}": "wrong" if event.wrong else "target"}
        if event.along:
            consumer, edge = where[id(event.along[0])], event.along[1]
            states |= {f"n{consumer}": "backward", f"e{consumer}.{edge}": "backward"}
        updates = stage.updates(used | states, texts, event.code, cells_of(clean(nodes[at].name, NAME), event))
        frames.append(Frame(event.says, f"Event {i + 1} of {no}", updates))
        used |= {key: "used" for key in states if key.startswith("e")}
    if ending:
        frames.append(Frame(ending, "End", stage.updates(used, texts, "", cells_of())))
    title = title or f"What is written into the graph of {clean(nodes[-1].name, NAME)}"
    return Player(Recording(title, frames, stage, description(nodes)), index=0 if first is None else first + 1)


def cells_of(name="", event=None):
    """Return {key: (heading, number)} of an event at the node of this name; without one, dashes."""
    of = f"{name}.grad" if name else "grad"
    before, after, expected = (event.before, event.after, event.expected) if event else (None, None, None)
    change = None if before is None or after is None else after - before
    return {
        "before": (f"{of} was", number(before)),
        "change": ("changed by", number(change)),
        "after": (f"{of} is", number(after)),
        "edge": ("its edge gives", number(expected)),
    }


def below(pen, code, cells):
    parts = []
    for key, (heading, text) in cells.items():
        kind = ' class="bp-plain"' if key in ("before", "after") else ""
        parts.append(f"<div{kind}>{pen('span', f'w.{key}.of', text=heading)}{pen('b', f'w.{key}', text=text)}</div>")
    line = pen("code", "w.code", text=clean(code, CODE))
    return f'<p class="bp-code">{line}</p><div class="bp-sum bp-writes">{"".join(parts)}</div>'
