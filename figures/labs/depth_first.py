"""The depth-first lab: how a topological order is found, call by call, and why it is read backwards."""

from dataclasses import dataclass

from figures.graph.draw import LIMIT, description, draw_graph, whole
from figures.graph.reader import read_graph
from figures.graph.stage import consumers_of, drawing, graph, join_words, names_of, place, roomy
from figures.page.frame_recorder import FrameTemplate
from figures.page.player import Frame, Player, Recording

STEPS = (  # each line's name, and the line in words: the learner writes the code
    ("visit", "To visit a node:"),
    ("skip", "  · If it has been visited, go back."),
    ("mark", "  · Mark it as visited."),
    ("inputs", "  · First visit each of its inputs."),
    ("append", "  · Then put it at the end of the list."),
    ("", ""),
    ("start", "Start: visit the root."),
    ("read", "End: read the list backwards."),
)
LEVELS = 8  # of the call stack that the lab shows; deeper ones are counted
GRAPH_SIZE = 690, 520  # pixels for the graph


@dataclass(frozen=True)
class Event:
    """One event of the search. `stack`: the open calls, outermost first; `visited`, `order`: as they are after it."""

    kind: str  # "call", "skip" (visited before), "append"; then "read", one node of the list backwards
    node: int
    edge: tuple | None  # (consumer, place among its inputs) that led here
    stack: tuple
    visited: tuple
    order: tuple


def depth_first(root, *, direction=None, limit=LIMIT):
    """Step through the depth-first search that lists a graph's nodes, inputs first; then read the list backwards.

    Next to the graph are the search in words with the active line marked, the call stack, the set of visited nodes
    and the list. It takes any engine's graph, using only `data` and `_prev`. A graph of more than `limit` nodes
    is drawn collapsed.
    """
    nodes = read_graph(root)
    if len(nodes) > whole(limit):
        return draw_graph(root, direction=direction, limit=limit)
    return Player(record(nodes, direction))


def search(nodes):
    """Return the Events of the search from the root, inputs from left to right, and of reading its list backwards."""
    visited, order, events = [], [], []
    calls = [(len(nodes) - 1, None, iter(()))]  # (node, edge that led here, inputs still to come)

    def note(kind, node, edge):
        stack = tuple(call[0] for call in calls)
        events.append(Event(kind, node, edge, stack, tuple(visited), tuple(order)))

    def enter():
        node, edge, _ = calls[-1]
        if node in visited:
            note("skip", node, edge)
            calls.pop()
            return
        visited.append(node)
        calls[-1] = (node, edge, iter(enumerate(nodes[node].inputs)))
        note("call", node, edge)

    enter()
    while calls:
        node, edge, inputs = calls[-1]
        found = next(inputs, None)
        if found is None:
            order.append(node)
            note("append", node, edge)
            calls.pop()
        else:
            calls.append((found[1], (node, found[0]), None))
            enter()
    events += [Event("read", node, None, (), tuple(visited), tuple(order)) for node in reversed(order)]
    return events


def record(nodes, direction=None):
    names, events = names_of(nodes), search(nodes)
    calls = sum(event.kind != "read" for event in events)
    depth = min(LEVELS, max(len(event.stack) for event in events))
    stage, used = FrameTemplate(drawer(nodes, names, depth, direction)), set()
    ready = Event("ready", len(nodes) - 1, None, (), (), ())
    said = f"The search starts at the root, {names[-1]}. Nothing has been visited. Which node will be the first in the "
    frames = [Frame(f"{said}list? Predict, then step.", "Start", stage.updates(ready, 0, used))]
    for i, event in enumerate(events):
        at = f"Search: step {i + 1} of {calls}" if i < calls else f"Backwards: {i + 1 - calls} of {len(nodes)}"
        frames.append(Frame(sentence(nodes, names, event), at, stage.updates(event, i - calls, used)))
        if event.edge:
            used.add(event.edge)
    return Recording(f"Depth-first search from {names[-1]}", frames, stage, description(nodes))


def sentence(nodes, names, event):
    name, inputs = names[event.node], [names[input] for input in nodes[event.node].inputs]
    if event.kind == "call":
        came = f"{name} is an input of {names[event.edge[0]]}" if event.edge else f"{name} is the root"
        if not inputs:
            return f"{came}. It is new: mark it as visited. It is a leaf: there are no inputs to go to first."
        return (
            f"{came}. It is new: mark it as visited, and go to its inputs first: {join_words(dict.fromkeys(inputs))}."
        )
    if event.kind == "skip":
        return (
            f"{name} is an input of {names[event.edge[0]]} too, but it has been visited before: return at once, "
            "so that it "
            "is listed only once."
        )
    if event.kind == "append":
        where = f"so {name} goes to the end of the list, as number {len(event.order)}"
        before = "It has no inputs" if not inputs else "All its inputs are in the list"
        if event.node == len(nodes) - 1:
            return (
                f"{before}, {where}. The list is complete: every node comes after all of its inputs. What will "
                "the list be, read backwards?"
            )
        return f"{before}, {where}."
    users = list(dict.fromkeys(names[consumer] for consumer, _ in consumers_of(nodes)[event.node]))
    if not users:
        return f"Now the list backwards, from its end: {name}, the root, comes first. Its gradient is 1."
    kind = "consumer" if len(users) == 1 else "consumers"
    end = " So backward() goes through the list from its end to its start." if event.node == 0 else ""
    return f"{name}: its {kind} {join_words(users)} came before it, so its gradient is complete when it is read.{end}"


def drawer(nodes, names, depth, direction):
    """Return the function that draws the stage at an event: the graph, the words, the stack, the set and the list.

    The drawing's turn: how many nodes have been read backwards before this one. used: edges that the search has
    followed. depth: how many levels of the stack are shown.
    """
    drawn = graph(
        nodes, place(nodes, direction, False, GRAPH_SIZE, badges=True), False, drawing, description(nodes), True
    )

    def draw(pen, event, turn, used):
        read = event.order[len(event.order) - turn :] if event.kind == "read" else ()
        visited = roomy(pen, "visited", braces(names[i] for i in event.visited), braces(names))
        return (
            f'<div class="bp-walk bp-search"><div class="bp-main">{drawn(pen, *looks(nodes, event, read, used))}</div>'
            '<div class="bp-side"><div class="bp-code" role="img" aria-label="The search in words">'
            f"{words(pen, nodes, event)}</div>"
            f'<div class="bp-stack"><p class="bp-label">call stack, newest on top</p>{stack(pen, names, event, depth)}'
            f'</div></div><div class="bp-below"><div><p class="bp-label">visited</p>{visited}</div>'
            f'<div><p class="bp-label">order, the list</p>{the_list(pen, names, event, read)}</div></div></div>'
        )

    return draw


def looks(nodes, event, read, used):
    """Return the states and the texts of the graph at an event. read: the nodes that have been read backwards."""
    reading, states, texts = event.kind == "read", {}, {}
    for turn, i in enumerate(event.order, start=1):
        states[f"n{i}"], states[f"n{i}.turn.of"], texts[f"n{i}.turn"] = "" if reading else "done", "on", str(turn)
    states |= dict.fromkeys((f"n{i}" for i in event.stack), "open") | dict.fromkeys((f"n{i}" for i in read), "done")
    states |= {f"e{i}.{edge}": "walked" for i, edge in used}
    if event.kind != "ready":
        states[f"n{event.node}"] = "backward" if reading else "again" if event.kind == "skip" else "forward"
    if event.edge and event.kind in ("call", "skip"):
        states[f"e{event.edge[0]}.{event.edge[1]}"] = "forward"
    return states, texts


def words(pen, nodes, event):
    at_work = {
        "ready": ("start",),
        "call": ("mark", "inputs") if nodes[event.node].inputs else ("mark",),
        "skip": ("skip",),
        "append": ("append",),
        "read": ("read",),
    }[event.kind]
    return "".join(
        pen("span", f"code.{name}", "bp-line", text=line, state="on" if name in at_work else "")
        if name
        else '<span class="bp-line"> </span>'
        for name, line in STEPS
    )


def stack(pen, names, event, depth):
    """Draw the call stack; a number stands for the calls that do not fit."""
    hidden = max(0, len(event.stack) - depth)
    shown = [names[i] for i in event.stack[hidden:]]
    if hidden:
        shown[0] = f"{hidden + 1} calls: … {shown[0]}"
    calls = [f"visit({name})" for name in shown] + [""] * (depth - len(shown))
    lines = [
        pen("li", f"call.{level}", text=calls[level], state="on" if level == len(shown) - 1 else "")
        for level in reversed(range(depth))
    ]
    return f"<ol>{''.join(lines)}</ol>"


def the_list(pen, names, event, read):
    """Draw the list of nodes so far: the one added or read now, and those already read, are marked."""
    cells = []
    for i in range(len(names)):
        node = event.order[i] if i < len(event.order) else None
        added = event.kind == "append" and i == len(event.order) - 1
        now = added or (event.kind == "read" and node == event.node)
        name = pen("b", f"list.{i}", text="" if node is None else names[node],
                   state="on" if now else "read" if node in read else "")  # fmt: skip
        cells.append(f"<li><small>{i + 1}</small>{name}</li>")
    return f"<ol>{''.join(cells)}</ol>"


def braces(names):
    """Format a set of names as Python writes it, without the quotes."""
    return f"{{{', '.join(names)}}}"
