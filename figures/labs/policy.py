"""The policy lab: which old gradients a backward pass clears first, and what that does to the next pass."""

from dataclasses import dataclass

from autograd import Value, topological_order
from autograd.errors.messages import show
from figures.graph.draw import description
from figures.graph.reader import Node, read_graph
from figures.graph.stage import drawing, graph, join_words, place, question, with_label
from figures.page import svg
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, finite, whole
from figures.page.picture import labelled
from figures.page.player import Frame, Player, Recording
from figures.page.style import number

POLICIES = {  # a reset of `backward`, and what it does, in words
    "nothing": "no old grad is cleared",
    "all": "every old grad is cleared",
    "intermediates": "every old grad except the leaves', as in PyTorch",
}
GROUPS = {  # what each policy runs through twice: the headings of its two columns
    "passes": ("first pass", "second pass"),
    "batches": ("first batch", "second batch"),
    "chain": ("first pass", "second pass"),
}
WHAT = {"passes": ("a", "b", "d"), "batches": ("w",), "chain": ("x",)}  # the leaves whose grads the table shows
TITLES = {
    "passes": "two passes over one graph",
    "batches": "two mini-batches, one w",
    "chain": "a chain with k nodes between leaf and root, two passes",
}
ASKED = {  # the passes before which the learner should predict, and the question besides the numbers
    ("passes", "nothing", 2): "Will they double?",
    ("passes", "intermediates", 2): "Will these double?",
    ("batches", "all", 2): "Is it the sum of both?",
    ("batches", "intermediates", 2): "And here?",
    ("chain", "nothing", 2): "How many times the gradient is it?",
    ("chain", "intermediates", 2): "And here?",
}
DEEPEST = 6  # nodes between leaf and root in the chain
NUMBERS = {"a": 3.0, "b": 2.0, "d": 1.0, "x1": 3.0, "x2": 5.0}
GRAPH_SIZE = 420, 240  # pixels for a graph

INPUTS = Inputs(whole("k", 0, DEEPEST, "k, nodes between"), *(finite(name, step=0.5) for name in NUMBERS))


@dataclass(frozen=True)
class Event:
    """A backward pass under a policy: `grads` of every node after it, by name."""

    group: str
    policy: str
    turn: int  # 1 or 2
    grads: dict


def policy(k=1, *, predict=False):
    """Run three reset policies twice each: over one graph, over two mini-batches, over a chain; a table fills.

    k: how many nodes lie between the leaf and the root of the chain, 0 to 6. Under one policy it matters what k is.
    Sliders change k and the numbers. Every number comes from `Value.backward(reset=…)`.
    predict: before six of the second passes the learner may type a leaf's grad after it; for a wrong number that
    another policy gives, the lab names that policy, and any other it answers with a question.
    """
    stage = FrameTemplate(drawer())

    @INPUTS.check
    def record_for(k, **numbers):
        return record(k, numbers, stage, predict)

    return Player(controls=INPUTS.controls(k=k, **NUMBERS), record=record_for)


def graphs(numbers, k):
    """Return for each group its losses, one per turn, built again: the roots of two passes."""
    a, b, d = (Value(numbers[name], label=name) for name in ("a", "b", "d"))
    e = with_label(with_label(a + b, "c") * d, "e")
    w = Value(1.0, label="w")
    losses = [with_label(w * Value(numbers[f"x{i}"], label=f"x{i}"), f"L{i}") for i in (1, 2)]
    y = Value(1.0, label="x")
    for i in range(k):
        y = with_label(y.relu(), f"n{i + 1}")
    y = with_label(y.relu(), "y")
    return {"passes": (e, e), "batches": losses, "chain": (y, y)}


def run(numbers, k):
    """Return every Event in the order of the lab: each group, under each policy, first and second turn."""
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


def record(k, numbers, stage, predict=False):
    """Return the Recording: a first frame, one for each Event, with a question before it if wanted, and a summary."""
    events, nodes = run(numbers, k), {group: nodes_for(numbers) for group, nodes_for in DRAWN.items()}
    said = [f"Nothing has been run yet. {announced(events[0])}"]
    for at in range(len(events)):
        after = f" {announced(events[at + 1])}" if at + 1 < len(events) else ""
        said.append(sentence(events, at, k, numbers) + after)
    ats = ["Start", *(f"Pass {turn} of {len(events)}" for turn in range(1, len(events) + 1)), "Summary"]
    asked = [predict and key(event) in ASKED for event in events]
    asks = [prediction(events, at, numbers, k) if asked[at] else None for at in range(len(events))]
    frames = [
        Frame(say, at, stage.updates(events, turn, k, nodes), ask)
        for turn, (say, at, ask) in enumerate(zip([*said, summary(k)], ats, [None, *asks, None], strict=True))
    ]
    alt = "Three reset policies: " + description(nodes["passes"])
    return Recording("What a second backward pass adds", frames, stage, alt)


def key(event):
    return event.group, event.policy, event.turn


def prediction(events, at, numbers, k):
    """Return the question before an event: the first leaf's grad after it, and what wrong numbers would mean."""
    event, name = events[at], WHAT[events[at].group][0]
    column = [one for one in events if (one.group, one.turn) == (event.group, event.turn)]
    which, others = GROUPS[event.group][event.turn - 1], {}
    for one in column:
        if one.policy != event.policy:
            others.setdefault(one.grads[name], []).append(one.policy)
    here = f"Here it is reset {event.policy}: {POLICIES[event.policy]}."
    wrong = [(grad, f"That is what reset {join_words(names, 'or')} leaves. {here}") for grad, names in others.items()]
    if event.turn == 2:
        before = events[at - 1].grads[name]
        new = next(one.grads[name] for one in column if one.policy == "all")
        wrong += [
            (before, "That is what was there before this pass."),
            (new, "That is what this pass adds on its own."),
        ]
    wrong += [
        (event.grads[other], f"That is {other}.grad. The question is about {name}.grad.")
        for other in WHAT[event.group][1:]
    ]
    if name in numbers:
        wrong.append((numbers[name], f"That is {name}.data, its number, not its gradient."))
    between = {"passes": ("c",), "batches": (), "chain": [f"n{i + 1}" for i in range(k)]}[event.group]
    hint = (
        f"Reset {event.policy}: {POLICIES[event.policy]}. So which of the old grads are still there when this pass "
        f"begins: {join_words((f'{one}.grad' for one in (name, *between)), 'or')}? "
        f"And what does the pass bring to {name}?"
    )
    return question(f"{name}.grad after the {which} with reset {event.policy}", event.grads[name], wrong, hint)


def announced(event):
    said = f"Next: reset {event.policy}, {GROUPS[event.group][event.turn - 1]}."
    if key(event) not in ASKED:
        return said
    names = join_words(f"{name}.grad" for name in WHAT[event.group])
    return f"{said} Predict {names}. {ASKED[key(event)]}"


def sentence(events, at, k, numbers):
    event = events[at]
    values = [show(event.grads[name]) for name in WHAT[event.group]]
    names = join_words(f"{name}.grad" for name in WHAT[event.group])
    said = f"Reset {event.policy}, {GROUPS[event.group][event.turn - 1]}: {names} = {join_words(values)}."
    before = events[at - 1].grads if event.turn == 2 else {}
    return f"{said} {why(event, before, k, numbers)}".rstrip()


def why(event, before, k, numbers):
    if event.turn == 1:
        return {
            "passes": "All grads were 0 before, so it makes no difference what is cleared.",
            "batches": f"L1 = w × {show(numbers['x1'])}.",
            "chain": "Every local derivative on the way is 1, and so is every gradient.",
        }[event.group]
    c, c_before, x2 = (show(grad) for grad in (event.grads.get("c", 0.0), before.get("c", 0.0), numbers["x2"]))
    terms = f"{show(numbers['x1'])} + {x2}"
    added = ["there is no node in between whose old grad would be passed on", "n1 passes its old grad on as well"]
    added = added[k] if k < 2 else f"each of n1 to n{k} passes its old grad on as well"
    return {
        ("passes", "nothing"): f"c still held {c_before}, so it passed on {c}; a and b got that on top, and came to 3 "
        "times the gradient; d to 2 times.",
        ("passes", "all"): "The leaves began at 0 again: the first pass is forgotten.",
        ("passes", "intermediates"): f"c began at 0 again and passed on {c}; the leaves add up: exactly 2 times.",
        ("batches", "nothing"): f"The sum of both, {terms}: L2 is a new graph, with no old grads in between.",
        ("batches", "all"): f"The gradient of L2 = w × {x2} alone: the first mini-batch is lost.",
        ("batches", "intermediates"): f"The sum of both, {terms}, which is what a loop over mini-batches needs.",
        ("chain", "nothing"): f"{k + 2} times the gradient: {added}.",
        ("chain", "all"): "1 times the gradient, however long the chain.",
        ("chain", "intermediates"): "2 times the gradient, however long the chain. Move the slider for k.",
    }[event.group, event.policy]


def summary(k):
    return (
        "Reset intermediates does both: two passes count 2 times at every depth, and mini-batches add up. Reset "
        f"nothing counts {k + 2} times with k = {k}; reset all forgets. Since leaves keep adding up, a training loop "
        "has to call zero_grad() before each update."
    )


def nodes_of_passes(numbers):
    return read_graph(graphs(numbers, 0)["passes"][0])


def nodes_of_batches(numbers):
    """Return the nodes of both mini-batches in one list: they share w."""
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


def drawer():
    """Return the function that draws a frame after `turn` events, one more for the summary: graphs, table, chain."""
    stamps = {}
    for group, nodes_for in DRAWN.items():
        nodes = nodes_for(NUMBERS)
        placed = place(nodes, "LR", False, GRAPH_SIZE)
        stamps[group] = graph(nodes, placed, False, drawing, description(nodes), within=f"{group}.")

    def draw(pen, events, turn, k, nodes):
        now = events[turn - 1].group if 0 < turn <= len(events) else None
        latest = {event.group: event for event in events[:turn]}
        grads = {group: latest[group].grads if group in latest else {} for group in GROUPS}
        graphs = "".join(
            card(pen, group, now, latest, drawn(pen, *looks(nodes[group], grads[group], group == now)))
            for group, drawn in stamps.items()
        )
        more = ": " + pen("b", "k", text=f"k = {k}")
        chain = card(pen, "chain", now, latest, chain_svg(pen, grads["chain"], k), more)
        cards = f'<div class="bp-cards">{graphs}</div>'
        return f'<div class="bp-walk bp-policy">{cards}{grades(pen, events, turn)}{chain}</div>'

    return draw


def looks(nodes, grads, now):
    """Return the states and the texts of a graph after its latest pass. now: whether that was the last of all."""
    states = {f"n{i}": "target" for i, node in enumerate(nodes) if now and not node.inputs}
    texts = {f"n{i}.data": number(node.data) for i, node in enumerate(nodes)}
    for i, node in enumerate(nodes):
        texts[f"n{i}.grad"] = number(grads.get(node.name))
        if node.name in grads:
            states |= {f"e{i}.{edge}": "used" for edge in range(len(node.inputs))}
    return states, texts


def card(pen, group, now, latest, inner, more=""):
    """Draw a group's picture, with the name of its latest pass."""
    event = latest.get(group)
    said = f"reset {event.policy}, {GROUPS[group][event.turn - 1]}" if event else "not run yet"
    label = f'<p class="bp-label"><span>{TITLES[group]}{more}</span>{pen("span", f"now.{group}", text=said)}</p>'
    return pen("div", f"group.{group}", "bp-card", label + inner, state="on" if group == now else "")


def grades(pen, events, turn):
    """Draw the table of gradients; a cell to predict has a question mark."""
    cells = {reset: [] for reset in POLICIES}
    for i, event in enumerate(events):
        asked = i == turn and key(event) in ASKED
        text = ", ".join(show(event.grads[name]) for name in WHAT[event.group]) if i < turn else "?" if asked else ""
        state = "new" if i == turn - 1 else "asked" if asked else ""
        name = f"cell.{event.policy}.{event.group}.{event.turn}"
        cells[event.policy].append(pen("td", name, "bp-number", text=text, state=state))
    heads = "".join(
        f'<th scope="colgroup" colspan="2">{", ".join(f"{name}.grad" for name in WHAT[group])}</th>' for group in GROUPS
    )
    turns = "".join(f'<th scope="col">{heading}</th>' for headings in GROUPS.values() for heading in headings)
    rows = "".join(
        f'<tr><th scope="row">{reset}<small>{words}</small></th>{"".join(cells[reset])}</tr>'
        for reset, words in POLICIES.items()
    )
    return (
        '<div class="bp-rows" tabindex="0" role="group" aria-label="Gradients"><table>'
        '<colgroup><col class="bp-reset"/><col class="bp-triple" span="2"/><col span="4"/></colgroup>'
        f'<thead><tr><td></td>{heads}</tr><tr><th scope="col">reset</th>{turns}</tr></thead><tbody>{rows}</tbody>'
        "</table></div>"
    )


def chain_svg(pen, grads, k):
    """Draw the chain as an SVG that fits a leaf, up to 6 nodes, and a root."""
    width, height, gap, parts = 76, 46, 20, []
    names = ["x", *(f"n{i + 1}" for i in range(k)), "y"]
    for slot in range(DEEPEST + 2):
        x, name = 2 + slot * (width + gap), names[slot] if slot < len(names) else ""
        arrow = f'<path class="arrow" d="M{x - gap + 1},{height / 2 + 2}h{gap - 4}m-5,-4l5,4l-5,4"/>' if slot else ""
        inside = f'{arrow}<rect x="{x}" y="2" width="{width}" height="{height}" rx="7"/>'
        inside += pen("text", f"slot.{slot}.name", "name", text=name, at={"x": x + 8, "y": 18})
        grad = number(grads.get(name)) if name else ""
        inside += pen("text", f"slot.{slot}.grad", "grad", text=grad, at={"x": x + width - 8, "y": 39})
        state = ("on" if name in grads else "idle") if name else "off"
        parts.append(pen("g", f"slot.{slot}", "slot", inside, state=state))
    whole_chain = svg.svg((DEEPEST + 2) * (width + gap) - gap + 4, height + 4, *parts)
    return labelled(whole_chain, "The chain from the leaf x to the root y")
