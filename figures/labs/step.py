"""The step lab: a graph's forward and backward pass, one step at a time."""

import html
import math
from collections import Counter

from autograd import Value
from autograd.steps import backward_steps, forward_steps
from figures import layout
from figures.graph import LIMIT, clean, description, draw_graph, graph_svg, lay_out, marks_of, read_graph, whole
from figures.labs import asking
from figures.picture import table
from figures.player import Frame, Player, Recording
from figures.style import number

NAME = 22  # characters of a name in the sum under the graph
LABEL = 40  # and in a sentence

SUM = (  # the sum under the graph: key, heading
    ("upstream", "upstream gradient"),
    ("local", "× local derivative"),
    ("contribution", "= contribution"),
    ("before", "+ sum before"),
    ("after", "= sum after"),
)


def step_forward(root, *, direction=None, limit=LIMIT):
    """Step through the forward pass that made `root`: each node gets its number and its edges' local derivatives."""
    return lab(root, forward=True, backward=False, direction=direction, limit=limit)


def step_backward(root, *, reset="intermediates", predict=False, explain=None, direction=None, limit=LIMIT):
    """Step through `root.backward(reset)`: one edge at a time, upstream × local added to the input's grad.

    The graph itself is not changed: the steps show what a pass would do, from the grads as they are now.
    predict: before an edge the learner may type the gradient to come, at most six times; a score stands at the end.
    The local derivative comes onto an arrow once it has been used. A wrong number is explained by `explain(root,
    step)`, which yields (number, sentence) for the numbers that known mistakes give; any other is answered by a
    question.
    """
    prediction = {"predict": predict, "explain": explain}
    return lab(root, forward=False, backward=True, reset=reset, direction=direction, limit=limit, **prediction)


def step_through(root, *, reset="intermediates", predict=False, explain=None, direction=None, limit=LIMIT):
    """Step through both passes in one: forward to the root, then backward to the leaves. See `step_backward`."""
    prediction = {"predict": predict, "explain": explain}
    return lab(root, forward=True, backward=True, reset=reset, direction=direction, limit=limit, **prediction)


def lab(root, *, forward, backward, direction, limit, reset="intermediates", predict=False, explain=None):
    """The lab for one or both passes; the collapsed drawing where the graph is too large."""
    nodes = read_graph(root)
    if any(node.inputs and node.locals is None for node in nodes):
        raise TypeError(
            "The step lab shows local derivatives, which this engine's nodes do not keep. Build the graph from "
            "autograd.Value; draw_graph takes any engine's."
        )
    if len(nodes) > whole(limit):
        return draw_graph(root, direction=direction, limit=limit)
    options = {"reset": reset, "direction": direction, "predict": predict, "explain": explain}
    return Player(record(root, forward=forward, backward=backward, **options))


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
    """The Recording of a pass: a first frame before anything is known, then a frame for each step."""
    nodes = read_graph(root)
    root = rebuilt(nodes)
    steps = [*(forward_steps(root) if forward else ()), *(backward_steps(root, reset) if backward else ())]
    marks = blank(nodes, forward, reset if backward else None, predict)
    asked = asking.chosen(steps) if predict else []
    arrows, used = Counter(input for node in nodes for input in node.inputs), Counter()
    frames = [Frame(opening(nodes, forward, backward), "Start", marks)]
    counts = {"forward": sum(step.kind == "value" for step in steps)}
    counts["backward"] = len(steps) - counts["forward"]
    done = {"forward": 0, "backward": 0}
    for step in steps:
        way = "forward" if step.kind == "value" else "backward"
        done[way] += 1
        marks = stepped(marks, step, nodes, predict)
        used[step.input] += 1
        hint = asking.about_step(step, arrows[step.input], used[step.input]) if step in asked else ""
        ask = question(root, step, explain, hint) if step in asked else None
        frames.append(Frame(step.sentence(), f"{way.capitalize()}: step {done[way]} of {counts[way]}", marks, ask))
    name = clean(nodes[-1].name, NAME)
    passes = " and ".join(["forward"] * forward + ["backward"] * backward)
    return Recording(
        title or f"The {passes} pass of {name}", frames, stage(nodes, backward, direction), description(nodes)
    )


def question(root, step, explain, hint):
    """What a learner is asked before an edge is used: the gradient to come, and how wrong numbers are answered."""
    name = clean(step.inputs[step.edge][0], NAME)
    explained = explain(root, step) if explain else ()
    wrong = [[value, sentence] for value, sentence in explained if math.isfinite(value)]
    return {"what": f"{name}.grad", "answer": step.after, "shown": number(step.after), "wrong": wrong, "hint": hint}


def rebuilt(nodes):
    """The root of the same graph made of autograd's Values, whatever engine it is of, with names fit for a sentence."""
    values = []
    for node in nodes:
        label, inputs = clean(node.name, LABEL) if node.labelled else "", tuple(values[input] for input in node.inputs)
        values.append(Value(node.data, inputs, node.op, label, node.locals or ()))
        values[-1].grad = node.grad or 0.0
    return values[-1]


def opening(nodes, forward, backward):
    """The first frame's sentence."""
    leaves, name = sum(not node.inputs for node in nodes), clean(nodes[-1].name, NAME)
    if forward:
        known = "The leaf has its number" if leaves == 1 else f"The {leaves} leaves have their numbers"
        return f"{known}; nothing has been computed yet."
    return f"The forward pass is done: {name} = {number(nodes[-1].data)}. No gradient is known yet."


def blank(nodes, forward, reset, predict=False):
    """The marks before the first step: what is not known yet is –. Leaves that keep an old grad show it.

    predict: without local derivatives, as the answers would be products of two numbers in view.
    """
    marks = marks_of(nodes, gradients=False, local=True)
    for i, node in enumerate(nodes):
        marks[f"n{i}"] = {"state": ""}
        if forward and node.inputs:
            marks[f"n{i}.data"] = {"text": number(None)}
        if node.grad and (reset == "nothing" or (reset == "intermediates" and not node.inputs)):
            marks[f"n{i}.grad"] = {"text": number(node.grad)}
        for edge in range(len(node.inputs)):
            marks[f"e{i}.{edge}"] = {"state": ""}
            if forward or predict:
                marks[f"e{i}.{edge}.local"] = {"text": ""}
    for key, heading in SUM:
        marks[f"sum.{key}"], marks[f"sum.{key}.of"] = {"text": number(None)}, {"text": heading}
    return marks


def stepped(marks, step, nodes, predict=False):
    """The marks after one more step. predict: a local derivative comes when its edge has been used backward."""
    marks = {
        key: {**mark, "state": "used" if mark["state"] in ("backward", "used") and key.startswith("e") else ""}
        if "state" in mark
        else mark
        for key, mark in marks.items()
    }
    node = f"n{step.node}"
    if step.kind == "value":
        marks[node], marks[f"{node}.data"] = {"state": "forward"}, {"text": number(step.after)}
        for edge, local in enumerate(nodes[step.node].locals):
            marks[f"e{step.node}.{edge}"] = {"state": "forward"}
            if not predict:
                marks[f"e{step.node}.{edge}.local"] = {"text": number(local)}
        return marks
    name = clean(step.name, NAME)
    marks[node] = {"state": "backward"}
    if step.kind == "seed":
        marks[f"{node}.grad"] = {"text": number(step.after)}
        return marks
    input = clean(step.inputs[step.edge][0], NAME)
    marks[f"n{step.input}"], marks[f"n{step.input}.grad"] = {"state": "target"}, {"text": number(step.after)}
    marks[f"e{step.node}.{step.edge}"] = {"state": "backward"}
    marks[f"e{step.node}.{step.edge}.local"] = {"text": number(step.local)}
    names = {
        "upstream": f"{name}.grad",
        "local": f"× ∂{name}/∂{input}",
        "contribution": "= contribution",
        "before": f"+ {input}.grad so far",
        "after": f"= {input}.grad",
    }
    for key, _ in SUM:
        marks[f"sum.{key}"] = {"text": number(getattr(step, key))}
        marks[f"sum.{key}.of"] = {"text": names[key]}
    return marks


def stage(nodes, backward, direction):
    """The function that renders a frame's marks: the graph, and beside or under it the sum of a backward step."""
    try:
        placed = lay_out(nodes, direction, local=True)
    except layout.LayoutError:
        placed = None

    tall = placed is not None and placed.height > placed.width  # then the sum stands beside the graph

    def render(marks):
        drawing = graph_svg(nodes, placed, marks) if placed else numbers_table(nodes, marks)
        return f'<div class="bp-main">{drawing}</div>' + (sum_html(marks, tall) if backward else "")

    return render


def sum_html(marks, tall):
    """upstream × local = contribution, and the running sum it is added to, as cells with keys."""
    cells = []
    for key, _ in SUM:
        kind = ' class="bp-plain"' if key in ("local", "before") else ""
        of, value = html.escape(marks[f"sum.{key}.of"]["text"]), html.escape(marks[f"sum.{key}"]["text"])
        cells.append(f'<div{kind}><span data-key="sum.{key}.of">{of}</span><b data-key="sum.{key}">{value}</b></div>')
    return f'<div class="bp-sum{" bp-tall" if tall else ""}">{"".join(cells)}</div>'


def numbers_table(nodes, marks):
    """Where no Graphviz can place the nodes: the same numbers as a table, with the same keys."""
    rows = table(("node", "made by", "data", "grad"), [], layout.HOW_TO_INSTALL)
    body = "".join(
        f'<tr data-key="n{i}" data-state="{marks[f"n{i}"]["state"]}"><td>{html.escape(clean(node.name, NAME))}</td>'
        f"<td>{html.escape(node.op or 'leaf')}</td>"
        f'<td data-key="n{i}.data">{marks[f"n{i}.data"]["text"]}</td>'
        f'<td data-key="n{i}.grad">{marks[f"n{i}.grad"]["text"]}</td></tr>'
        for i, node in enumerate(nodes)
    )
    return rows.replace("<tbody></tbody>", f"<tbody>{body}</tbody>")
