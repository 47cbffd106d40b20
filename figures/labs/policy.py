"""The policy lab: which old gradients a backward pass clears first, and what that does to the next pass."""

from dataclasses import dataclass

from autograd import Value, topological_order
from autograd.real import show
from figures import svg
from figures.graph import Node, description, marks_of, read_graph
from figures.labs.drawing import Steady, cell, drawing, listed, place, question
from figures.labs.neuron import finite, named
from figures.player import Control, Frame, Recording
from figures.style import number

POLICIES = {  # a reset of `backward`, and what it does, in words
    "nothing": "no old grad is cleared",
    "all": "every old grad is cleared",
    "intermediates": "all but the leaves', as in PyTorch",
}
GROUPS = {  # what each policy goes through twice: the headings of its two columns
    "passes": ("first pass", "second pass"),
    "batches": ("first batch", "second batch"),
    "chain": ("first pass", "second pass"),
}
WHAT = {"passes": ("a", "b", "d"), "batches": ("w",), "chain": ("x",)}  # the leaves whose grads the table holds
TITLES = {
    "passes": "two passes over one graph",
    "batches": "two mini-batches, one w",
    "chain": "a chain with k nodes between leaf and root, two passes",
}
ASKED = {  # the passes before which the learner is to predict, and what to ask beside the numbers
    ("passes", "nothing", 2): "Will they double?",
    ("passes", "intermediates", 2): "Will these double?",
    ("batches", "all", 2): "Is it the sum of both?",
    ("batches", "intermediates", 2): "And here?",
    ("chain", "nothing", 2): "How many times the gradient is it?",
    ("chain", "intermediates", 2): "And here?",
}
DEEPEST = 6  # nodes between leaf and root in the chain
NUMBERS = {"a": 3.0, "b": 2.0, "d": 1.0, "x1": 3.0, "x2": 5.0}
ROOM = 420, 240  # pixels for a graph


@dataclass(frozen=True)
class Event:
    """A backward pass under a policy: `grads` of every node after it, by name."""

    group: str
    policy: str
    turn: int  # 1 or 2
    grads: dict


def policy(k=1, *, predict=False):
    """Run three reset policies twice each: over one graph, over two mini-batches, over a chain; a table fills.

    k: how many nodes stand between the leaf and the root of the chain, 0 to 6. Under one policy it matters what k is.
    Sliders change k and the numbers. Every number is that of `Value.backward(reset=…)`.
    predict: before six of the second passes the learner may type a leaf's grad after it; a wrong number that another
    policy gives is said to be that policy's, any other is answered by a question.
    """
    controls = [
        Control("range", "k", "k, nodes between", depth(k), min=0, max=DEEPEST, step=1, whole=True),
        *(Control("range", name, name, value, min=-5, max=5, step=0.5) for name, value in NUMBERS.items()),
    ]
    render = stage()

    def record_for(k, **numbers):
        numbers = {name: finite(numbers[name], name) for name in NUMBERS}
        return record(depth(k), numbers, render, predict)

    return Steady(controls=controls, record=record_for)


def depth(k):
    """The number of nodes between leaf and root. ValueError if it is none that the chain has room for."""
    number = finite(k, "k")
    if number != int(number) or not 0 <= number <= DEEPEST:
        raise ValueError(f"k is a whole number from 0 to {DEEPEST}, got {k!r}.")
    return int(number)


def graphs(numbers, k):
    """For each group its losses, one a turn, built anew: the roots of two passes."""
    a, b, d = (Value(numbers[name], label=name) for name in ("a", "b", "d"))
    e = named(named(a + b, "c") * d, "e")
    w = Value(1.0, label="w")
    losses = [named(w * Value(numbers[f"x{i}"], label=f"x{i}"), f"L{i}") for i in (1, 2)]
    y = Value(1.0, label="x")
    for i in range(k):
        y = named(y.relu(), f"n{i + 1}")
    y = named(y.relu(), "y")
    return {"passes": (e, e), "batches": losses, "chain": (y, y)}


def run(numbers, k):
    """Every Event in the order of the lab: each group, under each policy, first and second turn."""
    events = []
    for group in GROUPS:
        for reset in POLICIES:
            roots = graphs(numbers, k)[group]
            nodes = {node.label: node for root in roots for node in topological_order(root)}
            for turn, root in enumerate(roots, start=1):
                root.backward(reset=reset)
                reached = {node.label for done in roots[:turn] for node in topological_order(done)}
                grads = {name: node.grad for name, node in nodes.items() if name in reached}
                events.append(Event(group, reset, turn, grads))
    return events


def record(k, numbers, render, predict=False):
    """The Recording: a first frame, one for each Event, with a question before it if wanted, and what they come to."""
    events = run(numbers, k)
    frames = [Frame(f"Nothing has been run yet. {announced(events[0])}", "Start", marks_at(events, 0, k, numbers))]
    for turn in range(1, len(events) + 1):
        said = sentence(events, turn - 1, k, numbers)
        if turn < len(events):
            said = f"{said} {announced(events[turn])}"
        ask = prediction(events, turn - 1, numbers, k) if predict and key(events[turn - 1]) in ASKED else None
        frames.append(Frame(said, f"Pass {turn} of {len(events)}", marks_at(events, turn, k, numbers), ask))
    frames.append(Frame(summary(k), "Summary", marks_at(events, len(events) + 1, k, numbers)))
    alt = "Three reset policies: " + description(nodes_of_passes(numbers))
    return Recording("What a second backward pass adds", frames, render, alt)


def key(event):
    """What ASKED knows an Event by."""
    return event.group, event.policy, event.turn


def prediction(events, at, numbers, k):
    """What a learner is asked before an event: the first leaf's grad after it, and what wrong numbers would mean."""
    event, name = events[at], WHAT[events[at].group][0]
    column = [one for one in events if (one.group, one.turn) == (event.group, event.turn)]
    which, others = GROUPS[event.group][event.turn - 1], {}
    for one in column:
        if one.policy != event.policy:
            others.setdefault(one.grads[name], []).append(one.policy)
    here = f"Here it is reset {event.policy}: {POLICIES[event.policy]}."
    wrong = [(grad, f"That is what reset {listed(names, 'or')} leaves. {here}") for grad, names in others.items()]
    if event.turn == 2:
        before = events[at - 1].grads[name]
        new = next(one.grads[name] for one in column if one.policy == "all")
        wrong += [
            (before, "That is what stood there before this pass."),
            (new, "That is what this pass adds by itself."),
        ]
    wrong += [
        (event.grads[other], f"That is {other}.grad. This asks for {name}.grad.") for other in WHAT[event.group][1:]
    ]
    if name in numbers:
        wrong.append((numbers[name], f"That is {name}.data, its number; not its gradient."))
    between = {"passes": ("c",), "batches": (), "chain": [f"n{i + 1}" for i in range(k)]}[event.group]
    hint = (
        f"Reset {event.policy}: {POLICIES[event.policy]}. So which of the old grads are still there when this pass "
        f"begins: {listed((f'{one}.grad' for one in (name, *between)), 'or')}? And what does the pass bring to {name}?"
    )
    return question(f"{name}.grad after the {which} with reset {event.policy}", event.grads[name], wrong, hint)


def announced(event):
    """What comes next, and what to predict of it."""
    said = f"Next: reset {event.policy}, {GROUPS[event.group][event.turn - 1]}."
    if key(event) not in ASKED:
        return said
    names = listed(f"{name}.grad" for name in WHAT[event.group])
    return f"{said} Predict {names}. {ASKED[key(event)]}"


def sentence(events, at, k, numbers):
    """What an event left, and why."""
    event = events[at]
    values = [show(event.grads[name]) for name in WHAT[event.group]]
    names = listed(f"{name}.grad" for name in WHAT[event.group])
    said = f"Reset {event.policy}, {GROUPS[event.group][event.turn - 1]}: {names} = {listed(values)}."
    before = events[at - 1].grads if event.turn == 2 else {}
    return f"{said} {WHY[event.group](event, before, k, numbers)}".rstrip()


def why_passes(event, before, k, numbers):
    """Why two passes over e = (a + b)·d leave what they leave."""
    if event.turn == 1:
        return "All grads were 0 before, so it makes no difference what is cleared."
    c = event.grads["c"]
    return {
        "nothing": f"c still held {show(before['c'])}, so it passed on {show(c)}; a and b got that on top, and came to "
        "3 times the gradient; d to 2 times.",
        "all": "The leaves began at 0 again: the first pass is forgotten.",
        "intermediates": f"c began at 0 again and passed on {show(c)}; the leaves add up: exactly 2 times.",
    }[event.policy]


def why_batches(event, before, k, numbers):
    """Why two mini-batches leave what they leave."""
    if event.turn == 1:
        return f"L1 = w × {show(numbers['x1'])}."
    terms = f"{show(numbers['x1'])} + {show(numbers['x2'])}"
    return {
        "nothing": f"The sum of both, {terms}: L2 is a new graph, with no old grads in between.",
        "all": f"The gradient of L2 = w × {show(numbers['x2'])} alone: the first mini-batch is lost.",
        "intermediates": f"The sum of both, {terms}, as a loop over mini-batches needs it.",
    }[event.policy]


def why_chain(event, before, k, numbers):
    """Why two passes over the chain leave what they leave."""
    if event.turn == 1:
        return "Every local derivative on the way is 1, and so is every gradient."
    added = ["there is no node in between whose old grad would go on", "n1 passes its old grad on as well"]
    added = added[k] if k < 2 else f"each of n1 to n{k} passes its old grad on as well"
    return {
        "nothing": f"{k + 2} times the gradient: {added}.",
        "all": "Once the gradient, however long the chain.",
        "intermediates": "2 times the gradient, however long the chain. Move the slider for k.",
    }[event.policy]


WHY = {"passes": why_passes, "batches": why_batches, "chain": why_chain}


def summary(k):
    """What the events come to."""
    return (
        "Reset intermediates does both: two passes count 2 times at every depth, and mini-batches add up. Reset "
        f"nothing counts {k + 2} times with k = {k}; reset all forgets. Since leaves keep adding up, a training loop "
        "has to call zero_grad() before each update."
    )


def nodes_of_passes(numbers):
    """The nodes of e = (a + b)·d."""
    return read_graph(graphs(numbers, 0)["passes"][0])


def nodes_of_batches(numbers):
    """The nodes of both mini-batches in one list: they share w."""
    first, second = (read_graph(root) for root in graphs(numbers, 0)["batches"])
    place_of = {"w": next(i for i, node in enumerate(first) if node.name == "w")}
    nodes = list(first)
    for node in second:
        if node.name not in place_of:
            inputs = tuple(place_of[second[input].name] for input in node.inputs)
            nodes.append(Node(node.name, node.labelled, node.op, node.data, node.grad, inputs, node.locals))
            place_of[node.name] = len(nodes) - 1
    return nodes


DRAWN = {"passes": nodes_of_passes, "batches": nodes_of_batches}


def marks_at(events, turn, k, numbers):
    """The marks after `turn` events; a cell to predict has a question mark. One turn more is the summary."""
    marks, done = {}, events[:turn]
    for i, event in enumerate(events):
        text = ", ".join(show(event.grads[name]) for name in WHAT[event.group])
        asked = i == turn and key(event) in ASKED
        marks[f"cell.{event.policy}.{event.group}.{event.turn}"] = {
            "text": text if i < turn else "?" if asked else "",
            "state": "new" if i == turn - 1 else "asked" if asked else "",
        }
    now = events[turn - 1].group if 0 < turn <= len(events) else None
    latest = {event.group: event for event in done}
    for group in GROUPS:
        event = latest.get(group)
        marks[f"group.{group}"] = {"state": "on" if group == now else ""}
        said = f"reset {event.policy}, {GROUPS[group][event.turn - 1]}" if event else "not run yet"
        marks[f"now.{group}"] = {"text": said}
    for group, nodes_for in DRAWN.items():
        grads, nodes = latest[group].grads if group in latest else {}, nodes_for(numbers)
        plain = marks_of(nodes, gradients=False)
        for i, node in enumerate(nodes):
            plain[f"n{i}"] = {"state": "target" if group == now and not node.inputs else ""}
            plain[f"n{i}.grad"] = {"text": number(grads.get(node.name))}
            for edge in range(len(node.inputs)):
                plain[f"e{i}.{edge}"] = {"state": "used" if node.name in grads else ""}
        marks |= {f"{group}.{key}": mark for key, mark in plain.items()}
    grads = latest["chain"].grads if "chain" in latest else {}
    names = ["x", *(f"n{i + 1}" for i in range(k)), "y"]
    for slot in range(DEEPEST + 2):
        name = names[slot] if slot < len(names) else ""
        marks[f"slot.{slot}"] = {"state": ("on" if name in grads else "idle") if name else "off"}
        marks[f"slot.{slot}.name"] = {"text": name}
        marks[f"slot.{slot}.grad"] = {"text": number(grads.get(name)) if name else ""}
    marks["k"] = {"text": f"k = {k}"}
    return marks


def chain_svg(marks):
    """The chain as an SVG: room for a leaf, up to 6 nodes, and a root."""
    width, height, gap, parts = 76, 46, 20, []
    for slot in range(DEEPEST + 2):
        x, key = 2 + slot * (width + gap), f"slot.{slot}"
        arrow = f'<path class="arrow" d="M{x - gap + 1},{height / 2 + 2}h{gap - 4}m-5,-4l5,4l-5,4"/>' if slot else ""
        parts.append(
            f'<g class="slot" data-key="{key}" data-state="{marks[key]["state"]}">{arrow}'
            f'<rect x="{x}" y="2" width="{width}" height="{height}" rx="7"/>'
            f"{svg.label(marks[f'{key}.name']['text'], x + 8, 18, 'name', f'{key}.name')}"
            f"{svg.label(marks[f'{key}.grad']['text'], x + width - 8, 39, 'grad', f'{key}.grad')}</g>"
        )
    whole = svg.svg((DEEPEST + 2) * (width + gap) - gap + 4, height + 4, *parts)
    return whole.replace("<svg", '<svg role="img" aria-label="The chain from the leaf x to the root y"', 1)


def stage():
    """The function that renders a frame's marks: two graphs, the table, and the chain."""
    drawn = {group: nodes_for(NUMBERS) for group, nodes_for in DRAWN.items()}
    placed = {group: place(nodes, "LR", False, ROOM) for group, nodes in drawn.items()}

    def card(group, inner, marks, more=""):
        return (
            f'<div class="bp-card" data-key="group.{group}" data-state="{marks[f"group.{group}"]["state"]}">'
            f'<p class="bp-label"><span>{TITLES[group]}{more}</span>{cell(f"now.{group}", marks, "span")}</p>'
            f"{inner}</div>"
        )

    def graph(group, marks):
        own = {key.removeprefix(f"{group}."): mark for key, mark in marks.items() if key.startswith(f"{group}.")}
        text = drawing(drawn[group], placed[group], own, description(drawn[group]))
        return card(group, text.replace('data-key="', f'data-key="{group}.'), marks)

    def render(marks):
        heads = "".join(
            f'<th scope="colgroup" colspan="2">{", ".join(f"{name}.grad" for name in WHAT[group])}</th>'
            for group in GROUPS
        )
        turns = "".join(f'<th scope="col">{heading}</th>' for headings in GROUPS.values() for heading in headings)
        cells = [(group, turn) for group in GROUPS for turn in (1, 2)]
        rows = "".join(
            f'<tr><th scope="row">{reset}<small>{words}</small></th>'
            f"{''.join(cell(f'cell.{reset}.{group}.{turn}', marks, kind='bp-number') for group, turn in cells)}</tr>"
            for reset, words in POLICIES.items()
        )
        return (
            f'<div class="bp-walk bp-policy"><div class="bp-cards">{graph("passes", marks)}{graph("batches", marks)}'
            f"</div>"
            f'<div class="bp-rows" tabindex="0" role="group" aria-label="Gradients"><table>'
            '<colgroup><col class="bp-reset"/><col class="bp-triple" span="2"/><col span="4"/></colgroup>'
            f"<thead><tr><td></td>{heads}"
            f'</tr><tr><th scope="col">reset</th>{turns}</tr></thead><tbody>{rows}</tbody></table></div>'
            f"{card('chain', chain_svg(marks), marks, ': ' + cell('k', marks, 'b'))}</div>"
        )

    return render
