"""The depth-first lab: how a topological order is found, call by call, and why it is read backwards."""

from dataclasses import dataclass

from figures.graph import LIMIT, description, draw_graph, marks_of, whole
from figures.labs.drawing import cell, consumers_of, drawing, listed, names_of, nodes_of, place, roomy
from figures.player import Frame, Player, Recording

STEPS = (  # a line of the search in words, for the code is the learner's to write, and its name
    ("visit", "To visit a node:"),
    ("skip", "  · If it was visited before, go back."),
    ("mark", "  · Note it as visited."),
    ("inputs", "  · First visit each of its inputs."),
    ("append", "  · Then put it at the end of the list."),
    ("", ""),
    ("start", "Begin: visit the root."),
    ("read", "End: read the list backwards."),
)
LEVELS = 8  # of the call stack that are shown; deeper ones are counted
ROOM = 690, 520  # pixels for the graph


@dataclass(frozen=True)
class Event:
    """One thing that the search does. `stack`: the open calls, outermost first; `visited` and `order` after it."""

    kind: str  # "call", "skip" (visited before), "append"; then "read", one node of the list backwards
    node: int
    edge: tuple | None  # (consumer, place among its inputs) that led here
    stack: tuple
    visited: tuple
    order: tuple


def depth_first(root, *, direction=None, limit=LIMIT):
    """Step through the depth-first search that lists a graph's nodes, inputs first; then read the list backwards.

    Beside the graph stand the search in words with the line at work marked, the stack of calls, the set of visited
    nodes and the list. Takes any engine's graph: only `data` and `_prev` are used. A graph of more than `limit` nodes
    is drawn collapsed.
    """
    nodes = nodes_of(root, "depth-first", local=False)
    if len(nodes) > whole(limit):
        return draw_graph(root, direction=direction, limit=limit)
    return Player(record(nodes, direction))


def search(nodes):
    """The Events of the search from the root, inputs from left to right, and of reading its list backwards."""
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
    """The Recording of the search."""
    names, events = names_of(nodes), search(nodes)
    calls = sum(event.kind != "read" for event in events)
    depth = min(LEVELS, max(len(event.stack) for event in events))
    ready = Event("ready", len(nodes) - 1, None, (), (), ())
    said = f"The search begins at the root, {names[-1]}. Nothing has been visited. Which node will be the first in the "
    frames = [Frame(f"{said}list? Predict, then step.", "Start", marks_at(nodes, names, ready, 0, set(), depth))]
    used = set()
    for i, event in enumerate(events):
        at = f"Search: step {i + 1} of {calls}" if i < calls else f"Backwards: {i + 1 - calls} of {len(nodes)}"
        frames.append(Frame(sentence(nodes, names, event), at, marks_at(nodes, names, event, i - calls, used, depth)))
        if event.edge:
            used.add(event.edge)
    return Recording(
        f"Depth-first search from {names[-1]}", frames, stage(nodes, names, depth, direction), description(nodes)
    )


def sentence(nodes, names, event):
    """What the search does, and why."""
    name, inputs = names[event.node], [names[input] for input in nodes[event.node].inputs]
    if event.kind == "call":
        came = f"{name} is an input of {names[event.edge[0]]}" if event.edge else f"{name} is the root"
        if not inputs:
            return f"{came}. It is new: mark it as visited. It is a leaf: there are no inputs to go to first."
        return f"{came}. It is new: mark it as visited, and go to its inputs first: {listed(dict.fromkeys(inputs))}."
    if event.kind == "skip":
        return (
            f"{name} is an input of {names[event.edge[0]]} too, but it was visited before: return at once, so that it "
            "is listed only once."
        )
    if event.kind == "append":
        where = f"so {name} goes to the end of the list, as number {len(event.order)}"
        before = "No input is missing" if not inputs else "All its inputs are in the list"
        if event.node == len(nodes) - 1:
            return (
                f"{before}, {where}. The list is complete: every node stands after all of its inputs. What will "
                "the list be, read backwards?"
            )
        return f"{before}, {where}."
    users = list(dict.fromkeys(names[consumer] for consumer, _ in consumers_of(nodes)[event.node]))
    if not users:
        return f"Now the list backwards, from its end: {name}, the root, comes first. Its gradient is 1."
    kind = "consumer" if len(users) == 1 else "consumers"
    end = " So backward() goes through the list from its end to its start." if event.node == 0 else ""
    return f"{name}: its {kind} {listed(users)} came before it, so its gradient is complete when it is read.{end}"


def marks_at(nodes, names, event, turn, used, depth):
    """The marks of all parts at an event: the graph's, the words', the stack's, the set's and the list's.

    used: edges that the search has gone along. turn: how many nodes have been read backwards before this one. depth:
    how many levels of the stack are shown.
    """
    marks, reading = marks_of(nodes, gradients=False), event.kind == "read"
    place_in = {node: i for i, node in enumerate(event.order)}
    read = set(event.order[len(event.order) - turn :]) if reading else set()
    for i, node in enumerate(nodes):
        now = i == event.node and event.kind != "ready"
        state = "done" if i in read or (not reading and i in place_in) else "open" if i in event.stack else ""
        marks[f"n{i}"] = {"state": "backward" if now and reading else "again" if now and event.kind == "skip"
                          else "forward" if now else state}  # fmt: skip
        marks[f"n{i}.turn"] = {"text": str(place_in[i] + 1) if i in place_in else ""}
        marks[f"n{i}.turn.of"] = {"state": "on" if i in place_in else "off"}
        for edge in range(len(node.inputs)):
            here = (i, edge) == event.edge and event.kind in ("call", "skip")
            marks[f"e{i}.{edge}"] = {"state": "forward" if here else "walked" if (i, edge) in used else ""}
    lines = {
        "ready": ("start",),
        "call": ("mark", "inputs") if nodes[event.node].inputs else ("mark",),
        "skip": ("skip",),
        "append": ("append",),
        "read": ("read",),
    }[event.kind]
    for name, line in STEPS:
        if name:
            marks[f"code.{name}"] = {"text": line, "state": "on" if name in lines else ""}
    hidden = max(0, len(event.stack) - depth)
    shown = [names[i] for i in event.stack[hidden:]]
    if hidden:
        shown[0] = f"{hidden + 1} calls: … {shown[0]}"
    for level in range(depth):
        text = f"visit({shown[level]})" if level < len(shown) else ""
        marks[f"call.{level}"] = {"text": text, "state": "on" if text and level == len(shown) - 1 else ""}
    marks["visited"] = {"text": braces(names[i] for i in event.visited)}
    for i in range(len(nodes)):
        text = names[event.order[i]] if i < len(event.order) else ""
        now = (event.kind == "append" and i == len(event.order) - 1) or (reading and event.order[i] == event.node)
        marks[f"list.{i}"] = {"text": text, "state": "on" if now else "read" if i in map(place_in.get, read) else ""}
    return marks


def braces(names):
    """A set of names as Python writes it, without the quotes."""
    return f"{{{', '.join(names)}}}"


def stage(nodes, names, depth, direction):
    """The function that renders a frame's marks."""
    placed = place(nodes, direction, False, ROOM)

    def render(marks):
        code = "".join(
            cell(f"code.{name}", marks, "span", "bp-line") if name else '<span class="bp-line"> </span>'
            for name, _ in STEPS
        )
        calls = "".join(cell(f"call.{level}", marks, "li") for level in reversed(range(depth)))
        cells = "".join(f"<li><small>{i + 1}</small>{cell(f'list.{i}', marks, 'b')}</li>" for i in range(len(nodes)))
        return (
            f'<div class="bp-walk bp-search"><div class="bp-main">'
            f"{drawing(nodes, placed, marks, description(nodes), turns=True)}</div>"
            f'<div class="bp-side"><div class="bp-code" role="img" aria-label="The search in words">{code}</div>'
            f'<div class="bp-stack"><p class="bp-label">call stack, newest on top</p><ol>{calls}</ol></div></div>'
            f'<div class="bp-below"><div><p class="bp-label">visited</p>'
            f"{roomy('visited', marks, braces(names))}</div>"
            f'<div><p class="bp-label">order, the list</p><ol>{cells}</ol></div></div></div>'
        )

    return render
