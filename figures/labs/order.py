"""The order lab: a backward pass in any order of the nodes, and what goes wrong if one is read too early."""

import contextlib
import math

from autograd.errors.messages import show
from figures.graph.draw import LIMIT, description, draw_graph, whole
from figures.graph.reader import known_slopes
from figures.graph.stage import (
    consumers_of,
    drawing,
    few,
    graph,
    grid,
    leaves_of,
    names_of,
    place,
    question,
    row,
)
from figures.labs.order_rules import ORDERS, OWN, PARTS, first_broken, reverse_topological, run, run_in, truth
from figures.page.frame_recorder import CachedFragment, FrameTemplate
from figures.page.player import Control, Frame, Player, Recording
from figures.page.style import NOT_YET, number

GRAPH_SIZE = 640, 500  # pixels for the graph
TERMS = 3  # contributions named in one sentence
TURNS = 70  # characters of an order on its two lines
TURN_HEADINGS = "node", "heard from", "read", ""
LEAF_HEADINGS = "leaf", "this order", "right", ""


def order(root, *, choice="naive recursion", predict=False, direction=None, limit=LIMIT):
    """Run the backward pass of `root` in an order of your choice, and see which node is read before it is complete.

    choice: the order to begin with: "naive recursion", "depth-first pre-order", "breadth-first", "post-order, not
    reversed", "reverse topological", "recursion, a part at a time", or "your own: click the nodes". A click on a node
    (or Enter) gives it the next turn in your own. At the end the lab compares the leaves' gradients with the right
    ones. Any order in which each node comes after its consumers is right; for another the lab names the first broken
    dependency. Needs local derivatives.
    predict: before the first turn the learner may type the gradient that the first leaf will get in that order; for a
    wrong number that another order gives, the lab names that order, and any other it answers with a question. The local
    derivatives come with the first turn.
    """
    nodes = known_slopes(root)
    if not isinstance(choice, str) or choice not in ORDERS:
        raise ValueError(f"choice is one of {', '.join(map(repr, ORDERS))}; got {choice!r}.")
    if len(nodes) > whole(limit):
        return draw_graph(root, direction=direction, limit=limit)
    return Order(nodes, choice, direction, predict)


class Order(Player):
    """The lab: a Player whose nodes can be pressed. `own` is the learner's order so far."""

    def __init__(self, nodes, choice, direction=None, predict=False):
        self.nodes, self.names, self.own, self.predict = nodes, names_of(nodes), [], predict
        whole_stage = CachedFragment(draw, nodes, self.names, place(nodes, direction, True, GRAPH_SIZE, badges=True))
        self.stage, self.room = FrameTemplate(whole_stage), longest(nodes, self.names)
        try:
            recording, message = self.record(choice), ""
        except ValueError as fault:
            choice, message = "reverse topological", str(fault)
            recording = self.record(choice)
        controls = [
            Control("choice", "order", "order", choice, options=tuple(ORDERS)),
            Control("button", "undo", "Undo"),
            Control("button", "clear", "Clear"),
        ]
        super().__init__(recording, controls=controls, record=self.record)
        self.spec = {**self.spec, "message": message}
        self._tell(choice)

    def record(self, order):
        """Return the Recording of the pass in an order by name, or in the learner's own."""
        if order not in ORDERS:
            raise ValueError(f"order is one of {', '.join(map(repr, ORDERS))}; got {order!r}.")
        turns = self.own if order == OWN else ORDERS[order](self.nodes)
        return record(self.nodes, self.names, order, turns, self.stage, self.room, self.predict)

    def answer(self, values, presses):
        """Switch to another order; or give a node its turn, or take one back, in the learner's own."""
        choice, own = values["order"], list(self.own)
        for press in presses:
            if press == "clear":
                own = []
            elif press == "undo":
                if not own:
                    raise ValueError("There is nothing to undo: no node has had its turn in your order.")
                own.pop()
            else:
                own = self._pressed(own if choice == OWN else [], press)
            choice = OWN
        before, self.own = self.own, own
        try:
            recording = self.record(choice)
        except ValueError:
            self.own = before
            raise
        self.values = {"order": choice}
        frames = len(recording.frames)
        jump = 0 if not presses else frames - 1 if is_complete(self.nodes, own) else len(own)
        self._tell(choice)  # before the picture, so that it cannot overwrite what a learner then chooses
        self.load(recording, jump=jump)

    def _pressed(self, own, press):
        """Return the learner's order with the pressed node; raise ValueError if it can have no turn."""
        node = int(press[1:]) if press[:1] == "n" and press[1:].isdecimal() else len(self.nodes)
        if node >= len(self.nodes):
            raise ValueError(f"{press!r} is not a node of this graph.")
        name = self.names[node]
        if not self.nodes[node].inputs:
            raise ValueError(f"{name} is a leaf: it has no inputs to pass its gradient on to, so it needs no turn.")
        if node in own:
            raise ValueError(f"{name} has had its turn already, as number {own.index(node) + 1}. Undo takes one back.")
        return [*own, node]

    def _tell(self, choice):
        """Show the page which order is chosen, and whether there is something to take back."""
        buttons = {name: {"disabled": choice != OWN or not self.own} for name in ("undo", "clear")}
        number = self.patch.get("number", 0) + 1  # so that the page gets it again even if nothing has changed here
        self.patch = {"controls": {"order": {"value": choice}, **buttons}, "number": number}


def is_complete(nodes, turns):
    return {i for i, node in enumerate(nodes) if node.inputs} <= set(turns)


def record(nodes, names, choice, turns, stage, room="", predict=False):
    """Return the Recording of a pass: a first frame, one for each turn, and the result.

    predict: with a question before the first turn; each turn shows the current grads, and so a part of the answer.
    """
    visits = run(nodes, turns, choice == PARTS)
    ats = [f"Turn {turn}" if choice == OWN else f"Turn {turn} of {len(visits)}" for turn in range(1, len(visits) + 1)]
    ats = ["Start", *ats, "Result" if is_complete(nodes, turns) else "Result so far"]
    said, scenes = sentences(nodes, names, choice, turns, visits), walk(nodes, names, visits, truth(nodes))
    asks = [None] * len(said)
    if predict and visits and choice != OWN:
        asks[1] = prediction(nodes, names, choice, visits)
    if any(asks):  # otherwise two visible numbers might multiply to the answer
        scenes[0][1].update(
            {f"e{i}.{edge}.local": "" for i, node in enumerate(nodes) for edge in range(len(node.inputs))}
        )
    updates = [stage.updates(*scene) for scene in scenes]
    frames = [Frame(*each) for each in zip(said, ats, updates, asks, strict=True)]
    title = f"The backward pass of {names[-1]} in this order: {choice.split(':')[0]}"
    return Recording(title, frames, stage, description(nodes), room=room)


def prediction(nodes, names, choice, visits):
    leaf = named_leaves(nodes, leaves_of(nodes))[0]
    right, wrong = truth(nodes)[leaf] or 0.0, []
    wrong.append(
        (right, "That is the true gradient, which a right order would find. In this one a node is read too early.")
    )
    for other, turns_of in ORDERS.items():
        if turns_of is not None and other != choice:
            with contextlib.suppress(ValueError):  # naive recursion may have too many turns
                got = run_in(nodes, other)[-1].grads[leaf] or 0.0
                wrong.append((got, f"That is the result of a different order: {other}. Here the order is: {choice}."))
    user = next((consumer for consumer, _ in consumers_of(nodes)[leaf]), leaf)
    hint = (
        f"Write down whose turn comes when. What is in {names[user]}.grad when {names[user]} has its turn, and "
        f"what does {names[leaf]} receive from that?"
    )
    return question(f"the final {names[leaf]}.grad", visits[-1].grads[leaf] or 0.0, wrong, hint)


def sentences(nodes, names, choice, turns, visits):
    said = [sentence(nodes, names, visit) for visit in visits]
    return [opening(nodes, names, choice), *said, verdict(nodes, names, turns, visits)]


def longest(nodes, names):
    """Return the longest sentence of any order by name, because a click on a node must not move the drawing."""
    said = [opening(nodes, names, OWN)]
    for choice, turns_of in ORDERS.items():
        with contextlib.suppress(ValueError):  # naive recursion may have too many turns
            turns = turns_of(nodes) if turns_of else []
            said += sentences(nodes, names, choice, turns, run(nodes, turns, choice == PARTS))
    return max(said, key=len)


def opening(nodes, names, choice):
    if not any(node.inputs for node in nodes):
        return f"{names[-1]} is a leaf: there is nothing to pass a gradient on to."
    if choice == OWN:
        return (
            "In which order should the nodes pass their gradients on? Click them one after the other, starting with "
            f"the root, {names[-1]}. Each reads its grad when you click it."
        )
    leaves = [names[i] for i in named_leaves(nodes, leaves_of(nodes))]
    asked = f"Which gradient will {leaves[0]} get" if len(leaves) == 1 else f"Which gradients will {few(leaves)} get"
    return f"The pass starts with {names[-1]}.grad = 1. The order is: {choice}. {asked}? Predict, then step."


def named_leaves(nodes, leaves):
    """Return the leaves that a sentence names: those with a label, if there are any."""
    return [i for i in leaves if nodes[i].labelled] or leaves


def sentence(nodes, names, visit):
    name = names[visit.node]
    given = [f"{show(contribution)} to {names[input]}" for _, input, _, contribution in visit.given]
    passes = f"passes on {few(given, TERMS)}"
    if visit.part:
        return f"{name} has just received {show(visit.grad)}, and passes on only that: {few(given, TERMS)}."
    if visit.again:
        said = (
            f"{name} has another turn: it reads all of its {show(visit.grad)}, though it has already passed "
            "on part of it"
        )
        said = f"{said}, and {passes}. That part is counted twice."
    elif visit.missing:
        said = (
            f"Too early: {name}.grad is {show(visit.grad)} when it is read, but {few(names[i] for i in visit.missing)} "
            f"{'has' if len(visit.missing) == 1 else 'have'} still to add to it. {name} {passes}."
        )
    elif visit.node == len(nodes) - 1:
        said = f"{name} is the root: it reads 1.0000 and {passes}."
    else:
        users = [names[i] for i, node in enumerate(nodes) if visit.node in node.inputs]
        said = f"{name} has heard from {few(users)}: it reads {show(visit.grad)} and {passes}."
    if visit.late:
        late = few(names[i] for i in visit.late)
        said += (
            f" Too late: {late} had {'its' if len(visit.late) == 1 else 'their'} turn before, so this goes no further."
        )
    return said


def verdict(nodes, names, turns, visits):
    """Return whether the pass gave the right gradients; if not, the first dependency that its order breaks."""
    leaves, right = leaves_of(nodes), truth(nodes)
    got = visits[-1].grads if visits else tuple([None] * (len(nodes) - 1) + [1.0])
    if visits and visits[0].part:
        found = few(f"{names[i]}.grad = {show(right[i])}" for i in named_leaves(nodes, leaves))
        made = sum(bool(node.inputs) for node in nodes)
        return (
            f"Right: {found}. Nothing was counted twice. But it took {len(visits)} turns, one for each path from "
            f"{names[-1]}, although {made} are enough; if paths double with each operation, so do the turns."
        )
    wrong = [i for i in leaves if not is_same_gradient(got[i], right[i])]
    broken, twice = first_broken(nodes, turns), next((visit.node for visit in visits if visit.again), None)
    left = [names[i] for i in reverse_topological(nodes) if i not in set(turns)]
    why = []
    if broken:
        why.append(
            f"The first dependency that it breaks: {names[broken[0]]} is read before {names[broken[1]]}, "
            f"which uses {names[broken[0]]}."
        )
    if twice is not None:
        why.append(f"{names[twice]} has more than one turn, and passes on the same part again.")
    why = " ".join(why)
    if left:
        return f"Not finished: {few(left)} {'has' if len(left) == 1 else 'have'} had no turn yet. {why}".rstrip()
    if wrong:
        found = few(
            f"{names[i]}.grad is {show(got[i] or 0.0)} where {show(right[i])} is right"
            for i in named_leaves(nodes, wrong)
        )
        return f"Wrong: {found}. {why}"
    found = few(f"{names[i]}.grad = {show(right[i])}" for i in named_leaves(nodes, leaves))
    if why:
        return f"The numbers are right, {found}, but by luck: with other numbers this order fails. {why}"
    return f"Right: {found}. Each node was read after all of its consumers. Every such order gives the same."


def is_same_gradient(got, right):
    got, right = got or 0.0, right or 0.0
    return got == right or (got != got and right != right) or math.isclose(got, right, rel_tol=1e-9, abs_tol=1e-12)


def walk(nodes, names, visits, right):
    """Return (states, texts) by key for each frame: before the first visit, after each, and of the result."""
    consumers, heard, done = consumers_of(nodes), [0] * len(nodes), {}
    stay, texts = {}, {f"n{len(nodes) - 1}.grad": number(1.0)}  # stay: states that last
    scenes = [({}, texts)]
    for turn, visit in enumerate(visits, start=1):
        i, texts = visit.node, dict(texts)
        fault, edges = fault_of(visit), [f"e{visit.node}.{edge}" for edge in range(len(visit.given))]
        for one in (i, *nodes[i].inputs):
            texts[f"n{one}.grad"] = number(visit.grads[one])
            if not nodes[one].inputs:
                texts[f"got.{one}"] = texts[f"n{one}.grad"]
        for input in () if i in done else nodes[i].inputs:
            heard[input] += 1
            if nodes[input].inputs and input not in done:  # what it had heard when it was read
                texts[f"heard.{input}"] = f"{heard[input]} of {len(consumers[input])}"
        done[i] = visit
        texts |= {f"n{i}.turn": str(turn), f"read.{i}": number(visit.grad)}
        texts[f"fault.{i}"] = (
            "a part" if visit.part else {"early": "too early", "again": "once more", "": "in time"}[fault]
        )
        texts["order"] = tail([names[one.node] for one in visits[:turn]])
        stay |= {f"n{i}.turn.of": fault or "on", f"fault.{i}": fault}
        now = {f"n{input}": "target late" if input in visit.late else "target" for input in nodes[i].inputs}
        now |= {f"n{i}": fault or "backward"} | dict.fromkeys(edges, "backward")
        scenes.append((stay | now, texts))
        stay |= dict.fromkeys(edges, "used")
    got = visits[-1].grads if visits else [None] * (len(nodes) - 1) + [1.0]
    verdicts = {f"mark.{i}": "right" if is_same_gradient(got[i], right[i]) else "wrong" for i in leaves_of(nodes)}
    faults = {f"n{i}": f"was-{fault_of(visit)}" for i, visit in done.items() if fault_of(visit)}
    ends = {f"right.{i}": number(right[i]) for i in leaves_of(nodes)}
    return [*scenes, (stay | faults | verdicts, texts | ends | verdicts)]


def fault_of(visit):
    """Return what is wrong with a visit: "again", "early" or ""."""
    return "again" if visit.again else "early" if visit.missing else ""


def tail(names):
    text = " → ".join(names)
    while len(text) > TURNS:
        names = names[1:]
        text = "… → " + " → ".join(names)
    return text


def draw(pen, nodes, names, placed):
    """Draw the stage before the first turn: the graph, the line of the order, the nodes' table and the leaves'."""
    made, leaves, consumers = reverse_topological(nodes), leaves_of(nodes), consumers_of(nodes)
    buttons = {} if placed else {i: f"n{i}" for i in made}  # without a drawing, the learner presses names in the table

    def press(i):
        return f"{names[i]}: next turn" if nodes[i].inputs else f"{names[i]}, a leaf"

    def turns(i):
        heard = f"0 of {len(consumers[i])}" if consumers[i] else "root"
        yield pen("td", f"heard.{i}", "bp-number", text=heard)
        yield pen("td", f"read.{i}", "bp-number", text=NOT_YET)
        yield pen("td", f"fault.{i}", "bp-mark", text="", state="")

    def ends(i):
        yield pen("td", f"got.{i}", "bp-number", text=number(1.0) if i == len(nodes) - 1 else NOT_YET)
        yield pen("td", f"right.{i}", "bp-number", text=NOT_YET)
        yield pen("td", f"mark.{i}", "bp-mark", text="", state="")

    drawn = graph(nodes, placed, True, drawing, description(nodes), True, press)
    turn_rows = [row(names[i], turns(i), buttons.get(i)) for i in made]
    leaf_rows = [row(names[i], ends(i)) for i in leaves]
    return (
        f'<div class="bp-walk bp-order"><div class="bp-main">{drawn(pen)}</div>'
        f'<div class="bp-side"><div><p class="bp-label">order so far</p>{pen("p", "order", "bp-turns", text=NOT_YET)}'
        f"</div>{grid(TURN_HEADINGS, turn_rows, 'Nodes')}{grid(LEAF_HEADINGS, leaf_rows, 'Leaves')}</div></div>"
    )
