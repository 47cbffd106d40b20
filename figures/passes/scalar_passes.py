"""The forward and the backward pass of a graph as a Recording, one step at a time."""

import math
from collections import Counter

from autograd import Value
from autograd.errors.messages import show
from autograd.inspect.steps import backward_steps, forward_steps
from figures.graph.draw import PAGE, description, texts_of
from figures.graph.reader import clean, known_slopes
from figures.graph.stage import graph, place
from figures.page import arrays
from figures.page.frame_recorder import FrameTemplate
from figures.page.player import Frame, Recording
from figures.page.style import NOT_YET, number
from figures.passes import questions

NAME = 22  # characters of a name in the sum under the graph
LABEL = 40  # characters of a name in a sentence

SUM = (  # the sum under the graph: key, heading
    ("upstream", "upstream gradient"),
    ("local", "× local derivative"),
    ("contribution", "= contribution"),
    ("before", "+ sum before"),
    ("after", "= sum after"),
)


def record(
    root,
    *,
    forward=True,
    backward=True,
    reset="intermediates",
    direction=None,
    title=None,
    predict=False,
    explain=None,
):
    """Return the Recording of a pass: a first frame before anything is known, then a frame for each step."""
    nodes = known_slopes(root)
    root = rebuilt(nodes)
    steps = [*(forward_steps(root) if forward else ()), *(backward_steps(root, reset) if backward else ())]
    first = beginning(nodes, forward, reset if backward else None) | local_slopes(nodes, not (forward or predict))
    scenes, stage = walk(nodes, steps, predict), stage_of(nodes, backward, direction, first)
    asked = questions.chosen(steps) if predict else []
    arrows, used = Counter(input for node in nodes for input in node.inputs), Counter()
    name = clean(nodes[-1].name, NAME)
    left = "This pass has found no gradient yet; what is shown is left from an earlier one."
    said = opening(nodes, forward, reset, f": {name} = {show(nodes[-1].data)}", left)
    frames = [Frame(said, "Start", stage.updates(*next(scenes)))]
    counts = {"forward": sum(step.kind == "value" for step in steps)}
    counts["backward"] = len(steps) - counts["forward"]
    done = {"forward": 0, "backward": 0}
    for step in steps:
        way = "forward" if step.kind == "value" else "backward"
        done[way] += 1
        used[step.input] += 1
        hint = questions.about_step(step, arrows[step.input], used[step.input]) if step in asked else ""
        ask = question(root, step, explain, hint) if step in asked else None
        at = f"{way.capitalize()}: step {done[way]} of {counts[way]}"
        frames.append(Frame(step.sentence(), at, stage.updates(*next(scenes)), ask))
    return Recording(title or title_of(name, forward, backward), frames, stage, description(nodes))


def title_of(name, forward, backward):
    return f"The {' and '.join(['forward'] * forward + ['backward'] * backward)} pass of {name}"


def question(root, step, explain, hint):
    name = clean(step.inputs[step.edge][0], NAME)
    explained = explain(root, step) if explain else ()
    wrong = [[value, f"Known mistake: {said}"] for value, said in explained if math.isfinite(value)]
    return {"what": f"{name}.grad", "answer": step.after, "shown": number(step.after), "wrong": wrong, "hint": hint}


def rebuilt(nodes):
    """Return the root of the same graph made of autograd's Values, for any engine, with names that fit a sentence."""
    values = []
    for node in nodes:
        label, inputs = clean(node.name, LABEL) if node.labelled else "", tuple(values[input] for input in node.inputs)
        values.append(Value(node.data, inputs, node.op, label, node.locals or ()))
        values[-1].grad = node.grad or 0.0
    return values[-1]


def keeps(node, reset):
    """Return whether a backward pass leaves a nonzero old gradient. reset: see `Value.backward`; None: no pass."""
    return bool(node.grad) and (reset == "nothing" or (reset == "intermediates" and not node.inputs))


def opening(nodes, forward, reset, done, left):
    """Return the first frame's sentence. done: the end of the forward pass's sentence. left: that on old gradients."""
    if forward:
        leaves = sum(not node.inputs for node in nodes)
        known = "The leaf has its number" if leaves == 1 else f"The {leaves} leaves have their numbers"
        return f"{known}; nothing has been computed yet."
    kept = any(keeps(node, reset) for node in nodes)
    return f"The forward pass is done{done}. {left if kept else 'No gradient is known yet.'}"


def beginning(nodes, forward, reset):
    """Return the texts before the first step: – for what is not known yet. Leaves that keep an old grad show it."""
    texts = texts_of(nodes, gradients=False)
    for i, node in enumerate(nodes):
        if forward and node.inputs:
            texts |= arrays.texts(f"n{i}.data", node.data, None, NOT_YET)
        if keeps(node, reset):
            texts |= arrays.texts(f"n{i}.grad", node.data, node.grad, NOT_YET)
    return texts


def local_slopes(nodes, known):
    """Return the texts of the local derivatives: "" until they are known, or while the answers are their products."""
    return {
        f"e{i}.{edge}.local": number(local) if known else ""
        for i, node in enumerate(nodes)
        for edge, local in enumerate(node.locals or ())
    }


def walk(nodes, steps, predict=False):
    """Yield what changes in each frame, at the first step and after each: states and texts by key; and the sum."""
    used, texts, total = {}, {}, {key: (heading, NOT_YET) for key, heading in SUM}
    yield {}, texts, total
    for step in steps:
        states, changed, added = shown_step(step, nodes, predict)
        texts, total = texts | changed, added or total
        yield used | states, texts, total
        used |= {key: "used" for key, state in states.items() if state == "backward" and key.startswith("e")}


def shown_step(step, nodes, predict=False):
    """Return a step's states, its texts, and the sum, {key: (heading, text)}, which only a chain step has.

    predict: a local derivative appears when its edge has been used backward.
    """
    node, after = f"n{step.node}", number(step.after)
    if step.kind == "value":
        edges = {f"e{step.node}.{edge}": number(local) for edge, local in enumerate(nodes[step.node].locals)}
        texts = {} if predict else {f"{edge}.local": text for edge, text in edges.items()}
        return {node: "forward"} | dict.fromkeys(edges, "forward"), {f"{node}.data": after} | texts, None
    if step.kind == "seed":
        return {node: "backward"}, {f"{node}.grad": after}, None
    name, input, edge = clean(step.name, NAME), clean(step.inputs[step.edge][0], NAME), f"e{step.node}.{step.edge}"
    headings = {
        "upstream": f"{name}.grad",
        "local": f"× ∂{name}/∂{input}",
        "contribution": "= contribution",
        "before": f"+ {input}.grad so far",
        "after": f"= {input}.grad",
    }
    total = {key: (heading, number(getattr(step, key))) for key, heading in headings.items()}
    states = {node: "backward", f"n{step.input}": "target", edge: "backward"}
    return states, {f"n{step.input}.grad": after, f"{edge}.local": number(step.local)}, total


def stage_of(nodes, backward, direction, texts):
    """Return the FrameTemplate: the graph, which begins with these texts, and near it the sum of a backward step."""
    placed = place(nodes, direction, True, PAGE)
    tall = placed is not None and placed.height > placed.width  # then the sum is next to the graph
    return graph_and_sum(nodes, placed, texts, (lambda pen, total: sum_html(pen, total, tall)) if backward else None)


def graph_and_sum(nodes, placed, texts, the_sum):
    """Return the FrameTemplate: a graph, which begins with these texts; `the_sum(pen, total)` draws the rest, if
    any.
    """
    drawn = graph(nodes, placed, texts=texts)

    def draw(pen, states, texts, total):
        main = f'<div class="bp-main">{drawn(pen, states, texts)}</div>'
        return main + (the_sum(pen, total) if the_sum else "")

    return FrameTemplate(draw)


def sum_html(pen, total, tall):
    """Draw upstream × local = contribution, and the running sum that it is added to, as cells."""
    flows = {"data-flows": ""}  # animated along its edge
    return f'<div class="bp-sum{" bp-tall" if tall else ""}">{cells(pen, total, flows)}</div>'


def cells(pen, total, flows=None):
    """Draw the cells of a sum, {key: (heading, text)}. flows: attributes of the contribution's cell."""
    made = []
    for key, (heading, text) in total.items():
        kind = ' class="bp-plain"' if key in ("local", "before") else ""
        at = flows if key == "contribution" else None
        made.append(
            f"<div{kind}>{pen('span', f'sum.{key}.of', text=heading)}{pen('b', f'sum.{key}', text=text, at=at)}</div>"
        )
    return "".join(made)
