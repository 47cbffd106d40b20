"""What the labs that draw a graph share: a stage that stays, the drawing and its marks, cells of fixed size."""

import html
import math
from dataclasses import replace

from figures import layout
from figures.graph import clean, graph_svg, lay_out, own_size, read_graph
from figures.labs.step import numbers_table
from figures.player import Player
from figures.style import number

NAME = 14  # characters of a name in a table beside a graph
MARGIN = 10  # pixels round a graph, for the marks on its nodes


class Steady(Player):
    """A Player whose stage holds no number of a frame: while a slider moves, the page keeps the drawing it has."""

    def _spec(self, recording, message="", index=0):
        blank = {key: dict.fromkeys(mark, "") for key, mark in recording.frames[0].marks.items()}
        empty = recording.render(blank)
        return super()._spec(replace(recording, render=lambda marks: empty), message, index)


def nodes_of(root, lab, local=True):
    """The nodes of a graph. TypeError where `lab` needs local derivatives that this engine's nodes do not keep."""
    nodes = read_graph(root)
    if local and any(node.inputs and node.locals is None for node in nodes):
        raise TypeError(
            f"The {lab} lab multiplies local derivatives, which this engine's nodes do not keep. Build the graph from "
            "autograd.Value; draw_graph and depth_first take any engine's."
        )
    return nodes


def names_of(nodes):
    """A short name for each node, none of them twice."""
    names, taken = [], set()
    for node in nodes:
        short, count = clean(node.name, NAME), 1
        name = short
        while name in taken:
            count += 1
            name = f"{short} ({count})"
        taken.add(name)
        names.append(name)
    return names


def consumers_of(nodes):
    """For each node the edges that use it, as (consumer, place among its inputs); the consumers nearest to it first."""
    consumers = [[] for _ in nodes]
    for i, node in enumerate(nodes):
        for edge, input in enumerate(node.inputs):
            consumers[input].append((i, edge))
    return consumers


def place(nodes, direction, local, room):
    """The Layout of nodes that fits `room` (width, height) best; None without a Graphviz."""
    try:
        return lay_out(nodes, direction, local, room)
    except layout.LayoutError:
        return None


def drawing(nodes, placed, marks, alt, turns=False, press=None):
    """The graph as SVG (a table without a Graphviz).

    turns: each node has room for a number at its corner: the mark n3.turn, its state n3.turn.of. press: a function
    from a node's place to the name of a button over it.
    """
    if placed is None:
        return numbers_table(nodes, marks)
    rest = graph_svg(nodes, placed, marks).split(">", 1)[1]
    width, height = placed.width + 2 * MARGIN, placed.height + 2 * MARGIN
    role = f'role="{"group" if press else "img"}" aria-label="{html.escape(alt)}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" {role} '
        f'viewBox="0 0 {width:.2f} {height:.2f}" style="{own_size(width, height)}">'
        f'<g transform="translate({MARGIN} {MARGIN})">',
        rest.removesuffix("</svg>"),
    ]
    for i in range(len(nodes)):
        box = placed.boxes[f"n{i}"]
        if press:
            size = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
            parts.append(
                f'<rect class="over" data-press="n{i}" tabindex="0" role="button" data-lm-suppress-shortcuts="true" '
                f'aria-label="{html.escape(press(i))}" rx="7" {size}/>'
            )
        if turns:
            parts.append(turn(i, box, marks))
    return "".join([*parts, "</g></svg>"])


def turn(i, box, marks):
    """The number at a node's corner: its turn in an order."""
    x, y = box.x - 2, box.y - 3
    state, text = marks[f"n{i}.turn.of"]["state"], html.escape(marks[f"n{i}.turn"]["text"])
    return (
        f'<g class="turn" data-key="n{i}.turn.of" data-state="{state}"><circle cx="{x:.1f}" cy="{y:.1f}" r="9.5"/>'
        f'<text data-key="n{i}.turn" x="{x:.1f}" y="{y + 4:.1f}">{text}</text></g>'
    )


def question(what, answer, wrong, hint):
    """A Frame's `ask`: what the learner predicts, the answer, and (number, sentence) for the numbers of known mistakes.

    hint: the question that answers any other number. None where no one could type the answer: inf and nan. Numbers
    that are the answer, to the digits that are shown, are no mistakes; of several sentences for one number the first
    is kept.
    """
    if not math.isfinite(answer):
        return None
    told, shown = {}, number(answer)
    for mistaken, sentence in wrong:
        if math.isfinite(mistaken) and number(mistaken) != shown:
            told.setdefault(number(mistaken), [mistaken, sentence])
    return {"what": what, "answer": answer, "shown": shown, "wrong": list(told.values()), "hint": hint}


def cell(key, marks, tag="td", kind=""):
    """A part with a text and a state that marks can change."""
    mark = marks[key]
    named = f' class="{kind}"' if kind else ""
    state = f' data-state="{mark["state"]}"' if "state" in mark else ""
    return f'<{tag}{named} data-key="{key}"{state}>{html.escape(mark["text"])}</{tag}>'


def roomy(key, marks, longest, kind=""):
    """A text that changes, in the room of the longest that it will be: what stands below never moves."""
    return (
        f'<div class="bp-roomy {kind}"><span aria-hidden="true">{html.escape(longest)}</span>'
        f"{cell(key, marks, 'span')}</div>"
    )


def grid(headings, rows, label):
    """An HTML table from its headings and the HTML of its rows; it scrolls where it is long, also by key."""
    head = "".join(f'<th scope="col">{html.escape(heading)}</th>' for heading in headings)
    return (
        f'<div class="bp-rows" tabindex="0" role="group" aria-label="{html.escape(label)}"><table><thead>'
        f"<tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def row(name, cells, press=None):
    """A row of such a table, headed by a name; with `press` the name is a button."""
    head = html.escape(name)
    if press:
        head = f'<span data-press="{press}" tabindex="0" role="button" data-lm-suppress-shortcuts="true">{head}</span>'
    return f'<tr><th scope="row">{head}</th>{"".join(cells)}</tr>'


def listed(words, last="and"):
    """Words as in a sentence: a, b and c."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""


def plural(count, word):
    """1 path, 2 paths."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
