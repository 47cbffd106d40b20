"""The stale lab: a number changes between the forward and the backward pass, in two kinds of engine."""

from autograd import Value
from autograd.errors.messages import show
from figures.graph.draw import description
from figures.graph.reader import read_graph
from figures.graph.stage import drawing, graph, place, question, with_label
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, finite
from figures.page.player import Frame, Player, Recording
from figures.page.style import number

NUMBERS = {"a": 2.0, "b": 3.0, "new": 5.0}
WAYS = {  # how an engine stores a node's rule, and what that means for the numbers in it
    "closures": "a rule reads its inputs' numbers in the backward pass",
    "numbers": "the local derivatives are stored in the forward pass",
}
TRUE = {  # the references, in words
    "before": "true for the L that was computed",
    "after": "true at the new a, computed afresh",
}
NAMES = "a", "b", "y", "L"
GRAPH_SIZE = 420, 200  # pixels for a graph

REACHED = ((), (), ("L", "y"), ("L", "y", "a", "b"), ("L", "y", "a", "b"))  # nodes that have a grad in each frame

INPUTS = Inputs(finite("a", step=0.5), finite("b", step=0.5), finite("new", "a.data afterwards", step=0.5))


def stale(a=2.0, b=3.0, new=5.0, *, predict=False):
    """Compare two engines on L = y·y, y = a·b, if a.data changes to `new` between the forward and the backward pass.

    An engine whose rules are closures multiplies by the new a, though y and L were made with the old one. One that
    stores local derivatives as numbers, as `autograd.Value` does, gives the gradient of the forward pass that ran.
    predict: before b receives its gradient, the learner may type what the closures give. The stored numbers
    appear on the arrows when they are used.
    """
    stage = FrameTemplate(drawer())

    @INPUTS.check
    def record_for(**numbers):
        return record(numbers, stage, predict)

    return Player(controls=INPUTS.controls(a=a, b=b, new=new), record=record_for)


def made(a, b):
    """Return L = y·y with y = a·b, and its nodes by name."""
    a, b = Value(a, label="a"), Value(b, label="b")
    y = with_label(a * b, "y")
    loss = with_label(y * y, "L")
    return loss, dict(zip(NAMES, (a, b, y, loss)))


def gradients(a, b):
    """Return {name: ∂L/∂name} at a and b."""
    loss, nodes = made(a, b)
    loss.backward()
    return {name: node.grad for name, node in nodes.items()}


def run(numbers):
    """Return the grads of both engines, {way: {name: grad}}, with a's number changed between the passes."""
    loss, nodes = made(numbers["a"], numbers["b"])
    nodes["a"].data = numbers["new"]
    loss.backward()
    kept = {name: node.grad for name, node in nodes.items()}
    read = kept | {"b": nodes["a"].data * kept["y"]}  # the rule of y reads a's number now
    return {"closures": read, "numbers": kept}


def record(numbers, stage, predict=False):
    """Return the Recording: forward, the change, two steps backward, and what the numbers are worth."""
    a, b, new = (numbers[name] for name in NUMBERS)
    found, before, after = run(numbers), gradients(a, b), gradients(new, b)
    y, upstream = a * b, found["numbers"]["y"]
    read, kept = found["closures"]["b"], found["numbers"]["b"]
    says = [
        f"Forward pass: y = a·b = {show(y)} and L = y·y = {show(y * y)}, the same in both engines. "
        f"Next: a.data is set to {show(new)}.",
        f"a.data is {show(new)} now. No operation has run again, so y is still {show(y)} and L {show(y * y)}. "
        "Next: the backward pass.",
        f"From L to y: y.grad = y + y = {show(upstream)} in both, because y has not changed. "
        "Next: y passes on to a and b. Predict b.grad in each engine.",
        f"From y to b: local derivative a × upstream. The closure reads a.data now: {show(new)} × {show(upstream)} = "
        f"{show(read)}. The other engine stored a in the forward pass: {show(a)} × {show(upstream)} = {show(kept)}.",
        worth(read, before["b"], after["b"]),
    ]
    at = ("Forward", "Change", "Backward, L", "Backward, y", "Summary")
    ask = None
    if predict:
        wrong = [
            (kept, "That is what the forward pass calls for. The closure does not remember a; it reads a.data now."),
            (after["b"], "That is the gradient of a new forward pass. None was run: y.grad belongs to the old y."),
            (found["closures"]["a"], "That is a.grad. The question is about b.grad."),
            (new, "That is the local derivative alone. It is multiplied by y.grad."),
        ]
        hint = "What does the closure find in a.data when it runs? And which number is y.grad, to multiply it by?"
        ask = question("b.grad in the engine with closures", read, wrong, hint)
    frames = [
        Frame(say, at[turn], stage.updates(turn, numbers, found, before, after, predict), ask if turn == 3 else None)
        for turn, say in enumerate(says)
    ]
    alt = "The same graph in two engines: " + description(read_graph(made(a, b)[0]))
    return Recording("A number changed between the passes", frames, stage, alt)


def worth(read, before, after):
    """Return the sentence about what the closures' b.grad is the gradient of."""
    said = (
        f"b.grad is {show(before)} at the a that L was computed with, and would be {show(after)} after a new "
        "forward pass."
    )
    if number(read) == number(before):
        return f"{said} Here both engines agree: nothing that a rule reads has changed."
    if number(read) == number(after):
        return f"{said} Here the closures happen to find the second, though L is still the old one."
    return f"{said} The closures' {show(read)} is neither, and nothing has warned you."


def drawer():
    """Return the function that draws frame 0 (forward) to 4 (summary): a graph for each engine, and the table."""
    nodes = read_graph(made(NUMBERS["a"], NUMBERS["b"])[0])
    graphs = {
        way: graph(nodes, place(nodes, "LR", local, GRAPH_SIZE), local, drawing, description(nodes), within=f"{way}.")
        for way, local in (("closures", False), ("numbers", True))
    }
    edges = [(f"e{i}.{edge}", i, edge) for i, node in enumerate(nodes) for edge in range(len(node.inputs))]

    def card(pen, way, turn, numbers, found, predict):
        own, reached = read_graph(made(numbers["a"], numbers["b"])[0]), REACHED[turn]
        states, texts = {}, {}
        for i, node in enumerate(own):
            changed = turn and node.name == "a"
            states[f"n{i}"] = "target" if changed and turn == 1 else ""
            texts[f"n{i}.data"] = number(numbers["new"] if changed else node.data)
            texts[f"n{i}.grad"] = number(found[way][node.name] if node.name in reached else None)
        for key, i, edge in edges:
            used = nodes[own[i].inputs[edge]].name in reached
            states[key] = "used" if used else ""
            if way == "numbers":
                texts[f"{key}.local"] = number(own[i].locals[edge]) if used or not predict else ""
        return (
            f'<div class="bp-card"><p class="bp-label"><span>{way}: {WAYS[way]}</span></p>'
            f"{graphs[way](pen, states, texts)}</div>"
        )

    def cell(pen, row, name, turn, grads, before):
        known, text = name in REACHED[turn], number(grads[name])
        if row in TRUE:
            text = text if turn == 4 else ""
        elif not known:
            text = "?" if turn == 2 else ""
        elif turn == 4 and text != number(before[name]):
            text += " ✗"
        return pen("td", f"cell.{row}.{name}", "bp-number", text=text)

    def draw(pen, turn, numbers, found, before, after, predict):
        cards = "".join(card(pen, way, turn, numbers, found, predict) for way in WAYS)
        headings = {way: f"{way}<small>{words}</small>" for way, words in WAYS.items()} | TRUE
        grads = found | {"before": before, "after": after}
        rows = "".join(
            f'<tr><th scope="row">{heading}</th>'
            f"{''.join(cell(pen, row, name, turn, grads[row], before) for name in ('a', 'b'))}</tr>"
            for row, heading in headings.items()
        )
        return (
            f'<div class="bp-walk bp-policy"><div class="bp-cards bp-halves">{cards}</div>'
            '<div class="bp-rows" tabindex="0" role="group" aria-label="Gradients"><table><thead><tr><td></td>'
            '<th scope="col">a.grad</th><th scope="col">b.grad</th></tr></thead>'
            f"<tbody>{rows}</tbody></table></div></div>"
        )

    return draw
