"""The stale lab: a number is changed between the forward and the backward pass, under two ways to keep a rule."""

from autograd import Value
from autograd.real import show
from figures.graph import description, marks_of, read_graph
from figures.labs.drawing import Steady, cell, drawing, place, question
from figures.labs.neuron import finite, named
from figures.player import Control, Frame, Recording
from figures.style import number

NUMBERS = {"a": 2.0, "b": 3.0, "new": 5.0}
WAYS = {  # how an engine keeps a node's rule, and what that means for the numbers in it
    "closures": "a rule reads its inputs' numbers in the backward pass",
    "numbers": "the local derivatives are noted in the forward pass",
}
TRUE = {  # what is compared with, in words
    "before": "true where L was computed",
    "after": "true at the new a, computed afresh",
}
NAMES = "a", "b", "y", "L"
ROOM = 420, 200  # pixels for a graph


def stale(a=2.0, b=3.0, new=5.0, *, predict=False):
    """L = y·y, y = a·b. After the forward pass a.data is set to `new`; then the backward pass runs in two engines.

    An engine whose rules are closures multiplies by the new a, though y and L were made with the old one. One that
    keeps local derivatives as numbers, as `autograd.Value` does, gives the gradient of the forward pass that ran.
    predict: before b receives its gradient, the learner may type what the closures give. The numbers that were noted
    come onto the arrows when they are used.
    """
    numbers = {"a": finite(a, "a"), "b": finite(b, "b"), "new": finite(new, "new")}
    names = {"a": "a", "b": "b", "new": "a.data afterwards"}
    controls = [Control("range", key, names[key], value, min=-5, max=5, step=0.5) for key, value in numbers.items()]
    render = stage()

    def record_for(**numbers):
        return record({name: finite(numbers[name], name) for name in NUMBERS}, render, predict)

    return Steady(controls=controls, record=record_for)


def graph(a, b):
    """L = y·y with y = a·b, and its nodes by name."""
    a, b = Value(a, label="a"), Value(b, label="b")
    y = named(a * b, "y")
    loss = named(y * y, "L")
    return loss, dict(zip(NAMES, (a, b, y, loss)))


def gradients(a, b):
    """{name: ∂L/∂name} at a and b."""
    loss, nodes = graph(a, b)
    loss.backward()
    return {name: node.grad for name, node in nodes.items()}


def run(numbers):
    """What both engines leave, {way: {name: grad}}; a's number is changed between the passes."""
    loss, nodes = graph(numbers["a"], numbers["b"])
    nodes["a"].data = numbers["new"]
    loss.backward()
    kept = {name: node.grad for name, node in nodes.items()}
    read = kept | {"b": nodes["a"].data * kept["y"]}  # the rule of y reads a's number now
    return {"closures": read, "numbers": kept}


def record(numbers, render, predict=False):
    """The Recording: forward, the change, two steps backward, and what the numbers are worth."""
    a, b, new = (numbers[name] for name in NUMBERS)
    found, before, after = run(numbers), gradients(a, b), gradients(new, b)
    y, upstream = a * b, found["numbers"]["y"]
    read, kept = found["closures"]["b"], found["numbers"]["b"]
    says = [
        f"Forward pass: y = a·b = {show(y)} and L = y·y = {show(y * y)}, the same in both engines. "
        f"Next: a.data is set to {show(new)}.",
        f"a.data is {show(new)} now. No operation has run again, so y is still {show(y)} and L {show(y * y)}. "
        "Next: the backward pass.",
        f"From L to y: y.grad = y + y = {show(upstream)} in both, as y is what it was. "
        "Next: y passes on to a and b. Predict b.grad in each engine.",
        f"From y to b: local derivative a × upstream. The closure reads a.data now: {show(new)} × {show(upstream)} = "
        f"{show(read)}. The other engine noted a in the forward pass: {show(a)} × {show(upstream)} = {show(kept)}.",
        worth(read, before["b"], after["b"]),
    ]
    at = ("Forward", "Change", "Backward, L", "Backward, y", "Summary")
    ask = None
    if predict:
        wrong = [
            (kept, "That is what the forward pass calls for. The closure does not remember a; it reads a.data now."),
            (after["b"], "That is the gradient of a new forward pass. None was run: y.grad is that of the old y."),
            (found["closures"]["a"], "That is a.grad. This asks for b.grad."),
            (new, "That is the local derivative alone. It is multiplied by y.grad."),
        ]
        hint = "What does the closure find in a.data when it runs? And which number is y.grad, to multiply it by?"
        ask = question("b.grad in the engine with closures", read, wrong, hint)
    frames = [
        Frame(say, at[turn], marks_at(turn, numbers, found, before, after, predict), ask if turn == 3 else None)
        for turn, say in enumerate(says)
    ]
    alt = "The same graph in two engines: " + description(read_graph(graph(a, b)[0]))
    return Recording("A number changed between the passes", frames, render, alt)


def worth(read, before, after):
    """What the closures' b.grad is the gradient of."""
    said = f"b.grad is {show(before)} where L was computed, and would be {show(after)} after a new forward pass."
    if number(read) == number(before):
        return f"{said} Here both engines agree: nothing that a rule reads has changed."
    if number(read) == number(after):
        return f"{said} Here the closures happen to give the second, though L is still the first."
    return f"{said} The closures' {show(read)} is neither, and nothing has warned of it."


def marks_at(turn, numbers, found, before, after, predict=False):
    """The marks of frame 0 (forward) to 4 (summary). predict: no local derivative before its edge is used."""
    nodes, marks = read_graph(graph(numbers["a"], numbers["b"])[0]), {}
    data = {node.name: node.data for node in nodes}
    data |= {"a": numbers["new"]} if turn else {}
    reached = {"L": turn >= 2, "y": turn >= 2, "a": turn >= 3, "b": turn >= 3}
    for way in WAYS:
        own = marks_of(nodes, gradients=False, local=way == "numbers")
        for i, node in enumerate(nodes):
            own[f"n{i}"] = {"state": "target" if turn == 1 and node.name == "a" else ""}
            own[f"n{i}.data"] = {"text": number(data[node.name])}
            own[f"n{i}.grad"] = {"text": number(found[way][node.name] if reached[node.name] else None)}
            for edge in range(len(node.inputs)):
                used = turn >= (2 if node.name == "L" else 3)
                own[f"e{i}.{edge}"] = {"state": "used" if used else ""}
                if predict and not used and way == "numbers":
                    own[f"e{i}.{edge}.local"] = {"text": ""}
        marks |= {f"{way}.{key}": mark for key, mark in own.items()}
        marks[f"group.{way}"] = {"state": ""}
    for name in ("a", "b"):
        for way in WAYS:
            off = reached[name] and number(found[way][name]) != number(before[name])
            text = show(found[way][name]) if reached[name] else "?" if turn == 2 else ""
            marks[f"cell.{way}.{name}"] = {"text": text + (" ✗" if off and turn == 4 else ""), "state": ""}
        for what, true in (("before", before), ("after", after)):
            marks[f"cell.{what}.{name}"] = {"text": show(true[name]) if turn == 4 else "", "state": ""}
    return marks


def stage():
    """The function that renders a frame's marks: a graph for each engine, and the table."""
    nodes = read_graph(graph(NUMBERS["a"], NUMBERS["b"])[0])
    placed = {way: place(nodes, "LR", way == "numbers", ROOM) for way in WAYS}

    def card(way, marks):
        own = {key.removeprefix(f"{way}."): mark for key, mark in marks.items() if key.startswith(f"{way}.")}
        text = drawing(nodes, placed[way], own, description(nodes)).replace('data-key="', f'data-key="{way}.')
        return (
            f'<div class="bp-card" data-key="group.{way}" data-state="{marks[f"group.{way}"]["state"]}">'
            f'<p class="bp-label"><span>{way}: {WAYS[way]}</span></p>{text}</div>'
        )

    def render(marks):
        head = "".join(f'<th scope="col">{name}.grad</th>' for name in ("a", "b"))
        headings = {way: f"{way}<small>{words}</small>" for way, words in WAYS.items()} | TRUE
        rows = "".join(
            f'<tr><th scope="row">{heading}</th>'
            f"{''.join(cell(f'cell.{key}.{name}', marks, kind='bp-number') for name in ('a', 'b'))}</tr>"
            for key, heading in headings.items()
        )
        return (
            f'<div class="bp-walk bp-policy"><div class="bp-cards bp-halves">{"".join(card(w, marks) for w in WAYS)}'
            '</div><div class="bp-rows" tabindex="0" role="group" aria-label="Gradients"><table>'
            f"<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div></div>"
        )

    return render
