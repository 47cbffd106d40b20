"""The paths lab: a gradient as the sum over all paths, and what is left of it with = instead of +=."""

import math
from dataclasses import dataclass

from autograd.errors.messages import show
from figures.graph.draw import LIMIT, description, draw_graph, whole
from figures.graph.reader import clean, known_slopes, things_of
from figures.graph.stage import bracketed, drawing, graph, grid, names_of, place, plural, question
from figures.graph.sums import count_paths, gradients_of
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, choice
from figures.page.player import Frame, Player, Recording
from figures.page.style import NOT_YET, number
from figures.passes import questions

MOST = 16  # the most paths that can be stepped through
GRAPH_SIZE = 1040, 300  # pixels for the graph
HOW = ADD, ASSIGN = "added (+=)", "assigned (=)"

HEADINGS = "path, from leaf to root", "local derivatives, multiplied", "product", ""


@dataclass(frozen=True)
class Path:
    """A way from a leaf to the root, in this direction.

    edges: (consumer, place among its inputs) of each edge, and `locals` the local derivatives on them. lost: the edge
    whose contribution is overwritten under =, and the consumer that does it; None if the path's contribution is left.
    """

    nodes: tuple
    edges: tuple
    locals: tuple
    product: float
    lost: tuple | None


def assigned(nodes):
    """Run the backward pass with = instead of +=, in reverse topological order.

    Return the grads that it leaves, and for each node the edge (consumer, place among its inputs) that wrote last.
    """
    grads, writers = [0.0] * len(nodes), [None] * len(nodes)
    grads[-1] = 1.0
    for i in reversed(range(len(nodes))):
        for edge, input in enumerate(nodes[i].inputs):
            grads[input] = nodes[i].locals[edge] * grads[i]
            writers[input] = (i, edge)
    return grads, writers


def all_paths(nodes, leaf):
    """Return every Path from `leaf` to the root, in the order in which a search from the root finds them."""
    leads = [i == leaf for i in range(len(nodes))]  # whether a node depends on the leaf
    for i, node in enumerate(nodes):
        leads[i] = leads[i] or any(leads[input] for input in node.inputs)
    writers, found, stack = assigned(nodes)[1], [], [(len(nodes) - 1, ())]
    while stack:
        i, edges = stack.pop()
        if i == leaf:
            found.append(made_of(nodes, edges, leaf, writers))
            continue
        for edge in reversed(range(len(nodes[i].inputs))):
            input = nodes[i].inputs[edge]
            if leads[input]:
                stack.append((input, (*edges, (i, edge))))
    return found


def made_of(nodes, down, leaf, writers):
    """Return the Path with the edges `down` from the root on; its product starts at the root, too, as in backward()."""
    product, lost = 1.0, None
    for i, edge in down:
        product = nodes[i].locals[edge] * product
        writer = writers[nodes[i].inputs[edge]]
        if lost is None and writer != (i, edge):
            lost = (i, edge), writer[0]
    up = down[::-1]
    return Path((leaf, *(i for i, _ in up)), up, tuple(nodes[i].locals[edge] for i, edge in up), product, lost)


def paths(root, leaf=None, *, predict=False, direction=None, limit=LIMIT):
    """Step through all paths from a leaf to `root`: local derivatives multiplied along each, added up over all.

    leaf: the leaf to begin with, as a node or by its name; None takes the one with the most paths that can be shown.
    The sum is the leaf's gradient (the chain rule, written out). A second choice runs the pass with = instead of +=
    and shows which contribution survives. More than 16 paths are counted, not shown. Needs local derivatives.
    The lab does not say how many paths there are before the first step.
    predict: the learner may type how many paths there are, the product of each of the first four whose factors are new,
    and their sum. A local derivative appears on an arrow once a path over it has been shown. The lab explains a wrong
    number if a known mistake gives it; any other it answers with a question.
    """
    nodes = known_slopes(root)
    if len(nodes) > whole(limit):
        return draw_graph(root, direction=direction, limit=limit)
    names, ways = names_of(nodes), count_paths(nodes)
    leaves = {names[i]: i for i, node in enumerate(nodes) if not node.inputs}
    if leaf is None:
        start = max(leaves, key=lambda name: (ways[leaves[name]] <= MOST, ways[leaves[name]]))
    else:
        start = leaf_named(root, nodes, leaves, leaf)
    most = max((ways[i] for i in leaves.values() if ways[i] <= MOST), default=1)
    stage = FrameTemplate(drawer(nodes, names, most, direction))
    inputs = Inputs(
        choice("leaf", leaves), choice("how", HOW, "contributions", says=f"contributions are {' or '.join(HOW)}")
    )

    @inputs.check
    def record_for(leaf, how):
        return record(nodes, names, leaves[leaf], how, stage, predict)

    return Player(controls=inputs.controls(leaf=start, how=ADD), record=record_for)


def leaf_named(root, nodes, leaves, leaf):
    """Return the name in `leaves` of a leaf that was passed as a node or by its label, or raise ValueError."""
    if isinstance(leaf, str):
        found = next((name for name, i in leaves.items() if leaf in (name, nodes[i].name)), None)
    else:
        things = things_of(root)
        found = next((name for name, i in leaves.items() if things[i] is leaf), None)
    if found is None:
        raise ValueError(f"leaf is one of this graph's leaves, {few(leaves)}; got {clean(repr(leaf), 60)}.")
    return found


def few(names, most=12):
    names = list(names)
    return ", ".join(names) if len(names) <= most else f"{', '.join(names[:most])} and {len(names) - most} more"


def record(nodes, names, leaf, how, stage, predict=False):
    """Return the Recording of all paths from a leaf: a first frame, one for each path, and their sum.

    predict: with a question before each frame, and no sum before the last, because it would be the answer.
    """
    name, root, count = names[leaf], names[-1], count_paths(nodes)[leaf]
    title, found = f"Every path from {name} to {root}", all_paths(nodes, leaf) if count <= MOST else []

    def frame(say, at, turn, rows=0, ask=None, predict=predict):
        return Frame(say, at, stage.updates(leaf, how, found, turn, predict, rows), ask)

    if not found:
        opening = f"How many paths lead from {name} to {root}? Predict, then step."
        end = frame(crowd(nodes, names, leaf, how, count), "Sum", 1, predict=False)
        return Recording(title, [frame(opening, "Start", 0), end], stage, description(nodes))
    comes = "what will their products add up to" if how == ADD else "which of them will be left in the gradient"
    frames = [frame(f"How many paths lead from {name} to {root}, and {comes}? Predict, then step.", "Start", 0)]
    counting = predict and how == ADD  # under = the same paths come a second time
    if counting:
        said = f"{lead(count)} from {name} to {root}. The first is {format_path(nodes, names, found[0])}."
        frames.append(frame(said, "Paths", 0, count, count_question(nodes, names, leaf, count)))
    asked = asked_for(found, questions.MOST - 1 - counting) if predict else []
    for turn in range(1, count + 1):
        ask = product_question(nodes, names, found, turn) if turn in asked else None
        say, rows = sentence(nodes, names, how, found, turn, predict), count if predict else turn
        frames.append(frame(say, f"Path {turn} of {count}", turn, rows, ask))
    ask = sum_question(nodes, names, leaf, how, found) if predict else None
    frames.append(frame(summary(nodes, names, leaf, how, found), "Sum", count + 1, ask=ask, predict=False))
    return Recording(title, frames, stage, description(nodes))


def lead(count):
    return f"{plural(count, 'path')} {'leads' if count == 1 else 'lead'}"


def asked_for(found, most):
    """Return the turns of the paths whose products the lab asks for: those whose factors no earlier path had."""
    new = {path.locals: turn for turn, path in reversed(list(enumerate(found, start=1)))}
    return sorted(new.values())[:most]


def count_question(nodes, names, leaf, count):
    name, edges = names[leaf], sum(node.inputs.count(leaf) for node in nodes)
    wrong = {}
    if edges != count:
        wrong[edges] = f"That is how many arrows leave {name}. From the end of each, more than one path may lead on."
    between = sum(len(node.inputs) for node in nodes)
    if between not in (count, edges):
        wrong[between] = "That is how many arrows there are. A path takes several in a row, and paths share arrows."
    hint = f"How many arrows leave {name}? And from the end of each, how many paths lead on to {names[-1]}?"
    what = f"the number of paths from {name} to {names[-1]}"
    return {"what": what, "answer": count, "shown": str(count), "wrong": [*map(list, wrong.items())], "hint": hint}


def product_question(nodes, names, found, turn):
    path, wrong = found[turn - 1], []
    if len(path.locals) > 1:
        wrong.append((sum(path.locals), "That adds the local derivatives. Along a path they are multiplied."))
        wrong.append((math.prod(path.locals[1:]), "That leaves out the first edge's local derivative."))
        wrong.append((math.prod(path.locals[:-1]), "That leaves out the last edge's local derivative."))
    hint = "This path has no arrows: how fast does a number change with itself?"
    if path.edges:
        start, end = names[path.nodes[0]], names[path.nodes[1]]
        hint = f"Start with the first arrow: if {start} rises by 0.01, how far does it move {end}?"
    if len(path.edges) > 1:
        hint += f" Find such a number for each of the {len(path.edges)} arrows. What is their product?"
    return question(f"the product along {format_path(nodes, names, path)}", path.product, wrong, hint)


def sum_question(nodes, names, leaf, how, found):
    right, left = gradients_of(nodes)[leaf], assigned(nodes)[0][leaf]
    name, count = names[leaf], len(found)
    if how == ASSIGN:
        wrong = [(right, "That is the true gradient, which += would find. With = not every path is left.")]
        for i, path in enumerate(found, start=1):
            if path.lost is not None:
                at = names[nodes[path.lost[0][0]].inputs[path.lost[0][1]]]
                wrong.append((path.product, f"That is the product of path {i}, which is lost at {at}."))
        hint = f"Of the nodes that use {name}, which one writes to {name}.grad last? And what does it pass on?"
        return question(f"{name}.grad with =", left, wrong, hint)
    wrong = [(left, "That is what = leaves. With += nothing is overwritten, and every path is added.")]
    wrong += [
        (path.product, f"That is only path {i}. All {count} paths are added.")
        for i, path in enumerate(found, start=1)
        if path.lost is not None
    ]
    wrong += [(right - path.product, f"That leaves out path {i}.") for i, path in enumerate(found, start=1)]
    wrong.append((sum(map(sum, (path.locals for path in found))), "That adds up the local derivatives of all paths. "
                  "Along a path they are multiplied; then the products are added."))  # fmt: skip
    wrong.append((math.prod(path.product for path in found), "That multiplies the paths' products. They are added."))
    wrong.append((float(count), "That is how many paths there are; each counts with its product."))
    hint = "Which products are in the table? Have you added each of them once, with its sign?"
    return question(f"{name}.grad", right, wrong, hint)


def crowd(nodes, names, leaf, how, count):
    name, edges = names[leaf], plural(sum(len(node.inputs) for node in nodes), "edge")
    right = show(gradients_of(nodes)[leaf])
    left = "" if how == ADD else f" With = it is left at {show(assigned(nodes)[0][leaf])}."
    return (
        f"{lead(count)} from {name} to {names[-1]}; more than {MOST} cannot be stepped through. backward() goes "
        f"once along each of the {edges} instead, and finds {name}.grad = {right}.{left} Choose "
        "another leaf, or a smaller graph."
    )


def sentence(nodes, names, how, found, turn, predict=False):
    """Describe a path; with `predict`, without the sum so far."""
    path = found[turn - 1]
    said = f"Path {turn}: {format_path(nodes, names, path)}. "
    if len(path.locals) > 1:
        said += f"{multiplied(path)} = {show(path.product)}"
    else:
        said += f"Its {'only local derivative' if path.locals else 'product of no factors'} is {show(path.product)}"
    if how == ADD:
        so_far = "" if predict else f" The sum so far: {show(sum(path.product for path in found[:turn]))}."
        return f"{said}.{so_far}"
    if predict:
        return f"{said}. Is it left?"
    if path.lost is None:
        return f"{said}. Nothing overwrites it: this contribution is left."
    (i, edge), writer = path.lost
    at, by = names[nodes[i].inputs[edge]], names[writer]
    again = "again, along its next edge" if writer == i else "later"
    return f"{said}. It is lost at {at}: {by} writes to {at}.grad {again}, and = overwrites what was there."


def summary(nodes, names, leaf, how, found):
    name, right = names[leaf], gradients_of(nodes)[leaf]
    if how == ADD:
        if len(found) == 1:
            return f"With one path there is nothing to add: {name}.grad = {show(right)}. Here = would work too."
        terms = " + ".join(bracketed(show(path.product)) for path in found)
        return f"The sum over all paths is the gradient: {terms} = {show(right)} = {name}.grad."
    left = assigned(nodes)[0][leaf]
    if len(found) == 1:
        return f"With one path nothing is overwritten: {name}.grad = {show(left)}, also with =."
    kept = next(i for i, path in enumerate(found, start=1) if path.lost is None)
    result = "the right number only by luck" if left == right else f"where {show(right)} is right"
    return f"With = only path {kept} of {len(found)} is left: {name}.grad = {show(left)}, {result}."


def format_path(nodes, names, path):
    parts = [names[path.nodes[0]]]
    for i, edge in path.edges:
        twins = nodes[i].inputs.count(nodes[i].inputs[edge]) > 1
        parts.append(f" → {names[i]}" + (f" (edge {edge + 1})" if twins else ""))
    return "".join(parts)


def multiplied(path):
    return " × ".join(bracketed(show(local)) for local in path.locals)


def drawer(nodes, names, most, direction):
    """Return the function that draws a frame after `turn` paths, one turn more for the sum: the graph over the table.

    predict: before the sum, hide what is left, the sum so far, and the local derivatives of edges to come.
    rows: how many of the table's rows are visible; at the end all that have a path.
    """
    drawn = graph(nodes, place(nodes, direction, True, GRAPH_SIZE), True, drawing, description(nodes))
    right, (left, writers) = gradients_of(nodes), assigned(nodes)

    def draw(pen, leaf, how, found, turn, predict, rows):
        end, done = turn > len(found), found[:turn]
        path, grads = done[-1] if turn and not end else None, right if how == ADD else left
        states, texts = looks(nodes, writers, leaf, how, found, turn, predict)
        if end:
            texts |= {f"n{i}.grad": number(grad) for i, grad in enumerate(grads)}
        lines = [
            row(pen, nodes, names, how, done[at] if at < len(done) else None, at, path is not None and at == turn - 1,
                at >= (len(found) if end else rows), predict) for at in range(most)
        ]  # fmt: skip
        terms = [one.product for one in done if (how == ADD or one.lost is None) and not predict]
        lines.append(
            '<tr class="bp-total">'
            + pen("th", "sum.of", text="sum of the products" if how == ADD else "what = leaves")
            + pen("td", "right", "bp-mark", text=f"right: {number(right[leaf])}" if end and how == ASSIGN else "")
            + pen("td", "sum", "bp-number", text=number(grads[leaf] if end else sum(terms) if terms else None))
            + pen("td", "sum.is", "bp-mark", text=f"{names[leaf]}.grad" if end else "so far" if terms else "")
            + "</tr>"
        )
        main = f'<div class="bp-main">{drawn(pen, states, texts)}</div>'
        return f'<div class="bp-walk bp-paths">{main}{grid(HEADINGS, lines, "Paths")}</div>'

    return draw


def looks(nodes, writers, leaf, how, found, turn, predict):
    """Return the states of the graph's parts after `turn` paths, and the texts that are hidden until then."""
    end = turn > len(found)
    path = found[turn - 1] if turn and not end else None
    kept = {edge for one in found if one.lost is None for edge in one.edges} if end and how == ASSIGN else set()
    known, states, texts = {edge for one in found[:turn] for edge in one.edges}, {}, {}
    for i, node in enumerate(nodes):
        states[f"n{i}"] = "target" if i == leaf else "backward" if path and i in path.nodes else ""
        for edge, input in enumerate(node.inputs):
            state = "backward" if path and (i, edge) in path.edges else "used" if (i, edge) in kept else ""
            cut = (path and path.lost and path.lost[0] == (i, edge) and not predict) or (
                end and writers[input] != (i, edge)
            )
            states[f"e{i}.{edge}"] = f"{state} lost".strip() if how == ASSIGN and cut else state
            if predict and not end and (i, edge) not in known:
                texts[f"e{i}.{edge}.local"] = ""
    return states, texts


def row(pen, nodes, names, how, path, at, now, off, predict):
    """Draw a row of the table, a path's or an empty one. off: invisible, because empty rows would tell the count."""
    lost = path is not None and how == ASSIGN and path.lost is not None and not predict
    left = path is not None and how == ASSIGN and path.lost is None and not predict
    fate = "" if path is None or predict else "added" if how == ADD else "left"
    if lost:
        fate = f"lost at {names[nodes[path.lost[0][0]].inputs[path.lost[0][1]]]}"
    cells = (
        pen("th", f"path.{at}", "bp-path", text=format_path(nodes, names, path) if path else ""),
        pen("td", f"product.{at}", "bp-wide", text=(multiplied(path) or NOT_YET) if path else ""),
        pen("td", f"term.{at}", "bp-number", text=number(path.product) if path else ""),
        pen("td", f"fate.{at}", "bp-mark", text=fate),
    )
    state = "off" if off else " ".join(["lost"] * lost + ["left"] * left + ["on"] * now)
    return pen("tr", f"row.{at}", "", "".join(cells), state=state)
