"""The parts that labs share: a graph that frames change, cells and tables around it, words for lists and counts."""

import html
import math

from figures.graph import layout
from figures.graph.draw import LABEL_HEIGHT, LABEL_WIDTH, SCALE, graph_svg, lay_out, own_size, texts_of
from figures.graph.layout import Box
from figures.graph.reader import clean
from figures.page import arrays, svg
from figures.page.frame_recorder import CachedFragment
from figures.page.picture import labelled, table
from figures.page.style import number

NAME = 14  # characters of a name in a table next to a graph
MARGIN = 13  # pixels around a graph, for the badges on its nodes
FEW = 20  # nodes: the boxes of a larger graph are close together, or its numbers would be too small
BADGE = 9.5  # pixels: the radius of the badge with a node's turn
WIDTH, HEIGHT, TOP, BOTTOM = 338, 306, 52, 262  # of a chart, and the top and bottom of its y axis


def names_of(nodes):
    """Return a short, unique name for each node."""
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


def leaves_of(nodes):
    return [i for i, node in enumerate(nodes) if not node.inputs]


def consumers_of(nodes):
    """Return for each node the edges that use it, as (consumer, place among its inputs), nearest consumers first."""
    consumers = [[] for _ in nodes]
    for i, node in enumerate(nodes):
        for edge, input in enumerate(node.inputs):
            consumers[input].append((i, edge))
    return consumers


def place(nodes, direction, local, room, badges=False):
    """Return the Layout of nodes that fits `room` (width, height) best; None without a Graphviz.

    badges: whether a badge should fit between two boxes, if they are few.
    """
    try:
        return lay_out(nodes, direction, local, room, close=not badges or len(nodes) > FEW)
    except layout.LayoutError:
        return None


def graph(nodes, placed, local=False, draw=graph_svg, *more, within="", texts=None):
    """Return the nodes as a CachedFragment drawn by `draw(pen, nodes, placed, texts, …)`, or by a table without a
    Graphviz.

    Unless a frame says otherwise it shows each node's number and no gradient; local: and the local derivatives; or
    these texts.
    """
    texts = texts_of(nodes, gradients=False, local=local) if texts is None else texts
    return CachedFragment(draw if placed else numbers_table, nodes, placed, texts, *more, within=within)


def drawing(pen, nodes, placed, texts, alt, turns=False, press=None):
    """Draw the graph as SVG, with its description.

    turns: each node has a badge for a number at its corner: n3.turn, in n3.turn.of, whose state is "off" without it.
    press: a function from a node's place to the name of a button over it; "" for none.
    """
    rest = graph_svg(pen, nodes, placed, texts).split(">", 1)[1]
    width, height = placed.width + 2 * MARGIN, placed.height + 2 * MARGIN
    role = f'role="{"group" if press else "img"}" aria-label="{html.escape(alt)}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SCALE * width:.0f}" height="{SCALE * height:.0f}" {role} '
        f'viewBox="0 0 {width:.2f} {height:.2f}" style="{own_size(width, height)}">'
        f'<g transform="translate({MARGIN} {MARGIN})">',
        rest.removesuffix("</svg>"),
    ]
    places = badges(placed) if turns else {}
    for i in range(len(nodes)):
        box = placed.boxes[f"n{i}"]
        if press and (words := press(i)):
            size = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
            parts.append(
                f'<rect class="over" data-press="n{i}" tabindex="0" role="button" data-lm-suppress-shortcuts="true" '
                f'aria-label="{html.escape(words)}" rx="7" {size}/>'
            )
        if turns:
            x, y = places[f"n{i}"]
            text = pen("text", f"n{i}.turn", text="", at={"x": x, "y": y + 4})
            circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{BADGE}"/>'
            parts.append(pen("g", f"n{i}.turn.of", "turn", circle + text, state="off"))
    return "".join([*parts, "</g></svg>"])


def badges(placed):
    """Return the place of each node's badge, by the node's key: one where it covers nothing else.

    The corners of a node's box are tried first, then its sides.
    """
    found = {}
    for node, box in placed.boxes.items():
        across = [box.x - 2 + share * (box.width + 4) for share in (0.0, 1.0, 0.25, 0.5, 0.75)]
        places = [(x, y) for xs in (across[:2], across[2:]) for y in (box.y - 3, box.y + box.height + 3) for x in xs]
        places += [(x, box.y + box.height / 2) for x in (box.x - 3, box.x + box.width + 3)]
        others = list(found.values())
        found[node] = max(places, key=lambda place: min(clearance(place, node, placed, others), BADGE))
    return found


def clearance(place, node, placed, badges):
    """Return how far a badge at a place is from the next edge, label, badge, or box of another node."""
    boxes = [box for name, box in placed.boxes.items() if name != node] + label_boxes(placed)
    distances = [math.dist(place, point) for curve in placed.curves.values() for point in curve.points()]
    distances += [math.dist(place, badge) - BADGE for badge in badges]
    return min([math.inf, *distances, *(distance(place, box) for box in boxes)])


def label_boxes(placed):
    middles = [curve.label for curve in placed.curves.values() if curve.label]
    return [Box(x - LABEL_WIDTH / 2, y - LABEL_HEIGHT / 2, LABEL_WIDTH, LABEL_HEIGHT) for x, y in middles]


def distance(place, box):
    x, y = place
    return math.hypot(max(box.x - x, 0, x - box.x - box.width), max(box.y - y, 0, y - box.y - box.height))


def numbers_table(pen, nodes, placed, texts, alt="", turns=False, press=None):
    """Draw the same parts as a table, for machines on which no Graphviz can place the nodes."""
    rows = []
    for i, node in enumerate(nodes):
        inputs = " ".join(input_cell(pen, nodes, i, edge, texts) for edge in range(len(node.inputs)))
        known = [what for what in ("data", "grad") if node.data is not None]  # not for nodes that are drawn as one
        cells = "".join(arrays.cell_html(pen, f"n{i}.{what}", node.data, texts) for what in known)
        if turns:
            turn = pen("b", f"n{i}.turn", text="")
            cells += pen("td", f"n{i}.turn.of", "", turn, state="off")
        name, op = html.escape(clean(node.name, 22)), html.escape(node.op or "leaf")
        rows.append(pen("tr", f"n{i}", "", f"<td>{name}</td><td>{op}</td><td>{inputs}</td>{cells}", state=""))
    headings = ("node", "made by", "from", "data", "grad", *["turn"] * turns)
    return table(headings, [], layout.HOW_TO_INSTALL).replace("<tbody></tbody>", f"<tbody>{''.join(rows)}</tbody>")


def input_cell(pen, nodes, i, edge, texts):
    """Draw an edge in such a table: the input's name, and the local derivative, if there is one."""
    key, name = f"e{i}.{edge}", html.escape(clean(nodes[nodes[i].inputs[edge]].name, 22))
    local = pen("small", f"{key}.local", text=texts[f"{key}.local"]) if f"{key}.local" in texts else ""
    return pen("span", key, "", f"{name} {local}", state="")


def question(what, answer, wrong, hint):
    """Return a Frame's `ask`: what to predict, the answer, and (number, sentence) for the numbers of known mistakes.

    hint: the question that answers any other number. None if no one could type the answer: inf and nan. Numbers
    that equal the answer, to the digits shown, are no mistakes; of several sentences for one number the first
    is kept.
    """
    if not math.isfinite(answer):
        return None
    told, shown = {}, number(answer)
    for mistaken, sentence in wrong:
        if math.isfinite(mistaken) and number(mistaken) != shown:
            told.setdefault(number(mistaken), [mistaken, sentence])
    return {"what": what, "answer": answer, "shown": shown, "wrong": list(told.values()), "hint": hint}


def roomy(pen, key, text, longest, kind=""):
    """Draw a text that changes in the space of its longest version, so that nothing below it moves."""
    return (
        f'<div class="bp-roomy {kind}"><span aria-hidden="true">{html.escape(longest)}</span>'
        f"{pen('span', key, text=text)}</div>"
    )


def handle(pen, name, label, held, box, kind="handle", words=None):
    """Draw a slider over a box for the number of this name, for pointer and keys; data-value has all its digits.

    label, words: its name and its number for screen readers; words: if that is more than the number.
    """
    fixed = {"data-drag": name, "tabindex": "0", "role": "slider", "aria-label": label, **box}
    now = {"data_value": repr(held), "aria_valuenow": f"{held:f}", "aria_valuetext": words or number(held)}
    return pen("rect", f"{name}.handle", kind, at=fixed, **now)


def chart(heading, words, axes, names, *parts):
    """Draw a chart in the size for three side by side, with its description. names: the entries of its key, if any."""
    drawing = svg.svg(WIDTH, HEIGHT, axes, svg.label(heading, 6, 18, "heading"), svg.legend(*names), *parts)
    return labelled(drawing, words)


def readings(pen, cells, more="", kind="bp-wide"):
    """Draw numbers under a stage, each with its heading: (key, heading, text, plain). more: content of a last cell."""
    made = []
    for key, heading, text, plain in cells:
        kind_of, number_of = ' class="bp-plain"' if plain else "", pen("b", key, text=text)
        made.append(f"<div{kind_of}><span>{heading}</span>{number_of}</div>")
    last = f'<div class="bp-plain">{more}</div>' if more else ""
    return f'<div class="bp-sum {kind}">{"".join(made)}{last}</div>'


def grid(headings, rows, label):
    """Return an HTML table from its headings and the HTML of its rows; a long one scrolls, also by key."""
    head = "".join(f'<th scope="col">{html.escape(heading)}</th>' for heading in headings)
    return (
        f'<div class="bp-rows" tabindex="0" role="group" aria-label="{html.escape(label)}"><table><thead>'
        f"<tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def row(name, cells, press=None):
    """Return a row of such a table, headed by a name; with `press` the name is a button."""
    head = html.escape(name)
    if press:
        head = f'<span data-press="{press}" tabindex="0" role="button" data-lm-suppress-shortcuts="true">{head}</span>'
    return f'<tr><th scope="row">{head}</th>{"".join(cells)}</tr>'


def join_words(words, last="and"):
    """Join words as in a sentence: a, b and c."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""


def few(words, most=6):
    """Join words as in a sentence; if there are more than `most`, the first ones and how many more there are."""
    words = list(words)
    return join_words(words if len(words) <= most else [*words[: most - 1], f"{len(words) - most + 1} more"])


def plural(count, word):
    """Return "1 path", "2 paths"."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def with_label(value, label):
    """Set a Value's label and return the Value."""
    value.label = label
    return value


def bracketed(text):
    """Return a number for a sum or a product: in brackets if it has a sign."""
    return f"({text})" if text.startswith("-") else text


def mistaken(*known):
    """Return the `wrong` of a question: (number, sentence) from (number, mistake) for known mistakes."""
    return [(float(number), f"Known mistake: {done}.") for number, done in known]
