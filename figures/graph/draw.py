"""A computation graph as a picture: read from any engine's nodes, written as DOT, drawn as SVG."""

import html

from figures.graph import layout
from figures.graph.fold import fold
from figures.graph.reader import Node, clean, fitted, known_slopes, read_graph
from figures.page import arrays
from figures.page.frame_recorder import render_once
from figures.page.picture import Picture, table
from figures.page.style import NOT_YET, number

LIMIT = 60  # nodes: a larger drawing cannot be read on a screen
PAGE = 980, 560  # the comfortable size of a drawing on a page, in pixels
LEAST = 0.92  # the smallest scale at which a drawing can still be read
SCALE = 1.15  # of a drawing if there is room; page/style.css has the same for labs
WIDTH, HEIGHT, COLLAPSED_HEIGHT = 104, 53, 28  # of a node's box, in pixels
LABEL_WIDTH, LABEL_HEIGHT = 50, 16  # of an edge's label: as wide as -00.0000
GAP, CLOSE = 0.18, 0.09  # between two boxes side by side, in inches; CLOSE for columns too high for a page
LONG = 8  # characters of a number that fit next to the word before it; a longer one replaces the word
MOST = 300  # nodes: with more, each step takes a browser seconds
LETTER, SIGN, SMALL = 7.2, 9, 6.4  # pixels, about: a letter of a name, of an op's symbol and of a shape
ALONE = 24  # the most characters of a name that has a box to itself
NAME_LENGTH = 12  # characters of a name that fit next to an op's symbol
SIGNS = {"*": "×", "-": "−", "/": "÷", "neg": "−( )", "weighted_sum": "Σ", "softmax_cross_entropy": "CE"}


def quoted(lines):
    """Return lines of text as a DOT string that shows them unchanged: no escapes, no entities, no markup."""
    lines = [line.replace("\\", "\\\\").replace("&", "&amp;").replace('"', '\\"') for line in lines]
    return '"' + "\\n".join(lines) + '"'


def whole(limit):
    """Return a drawing limit; raise ValueError unless it is a whole number from 0 to MOST."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise ValueError(f"limit is how many nodes a drawing may show, a whole number; got {limit!r}.")
    if limit > MOST:
        raise ValueError(f"limit is at most {MOST}: a browser cannot show more nodes; got {limit}.")
    return limit


def shows_gradients(nodes, gradients=None):
    """Return whether a drawing shows grads: as asked, or else if any is not 0, as after a backward pass."""
    return any(node.grad for node in nodes) if gradients is None else gradients


def to_dot(nodes, direction="LR", gradients=None, local=False):
    """Return the nodes as DOT text for people and for Graphviz: each box has a name and op, data and grad."""
    shown = shows_gradients(nodes, gradients)
    lines = opening(direction, 'node [shape=box, style=rounded, fontname="Helvetica", fontsize=11]', local)
    for i, node in enumerate(nodes):
        label = [f"{clean(node.name, 40)}   {clean(node.op, 20)}".rstrip()]
        if node.data is not None:
            label += [f"data {number(node.data)}", f"grad {number(node.grad if shown else None)}"]
        lines.append(f'  n{i} [id="n{i}", label={quoted(label)}];')
        for edge, input in enumerate(node.inputs):
            text = f", label={quoted([number(node.locals[edge])])}" if local and node.locals else ""
            lines.append(f'  n{input} -> n{i} [id="e{i}.{edge}"{text}];')
    return "\n".join([*lines, "}"]) + "\n"


def wide_enough(name):
    return max(WIDTH, round(14 + LETTER * len(clean(name, ALONE))))


def skeleton(nodes, direction, local, gap=GAP, straight=False):
    """Return the nodes as DOT text with empty boxes of fixed size, so that places depend on no font and no number.

    gap: between boxes side by side. straight: keep edges from nodes that an op made straight, rather than
    those from leaves.
    """
    lines = opening(direction, 'node [shape=box, fixedsize=true, label=""]', local, gap)
    size = f'FIXEDSIZE="TRUE" WIDTH="{LABEL_WIDTH}" HEIGHT="{LABEL_HEIGHT}"'
    room = f'<<TABLE BORDER="1" CELLBORDER="0" {size}><TR><TD></TD></TR></TABLE>>'
    for i, node in enumerate(nodes):
        usual = (WIDTH, HEIGHT) if node.data is not None else (wide_enough(node.name), COLLAPSED_HEIGHT)
        width, height = arrays.size(node.data, usual)
        lines.append(f'  n{i} [id="n{i}", width={width / 72:.4f}, height={height / 72:.4f}];')
        for edge, input in enumerate(node.inputs):
            weight = ", weight=8" if straight and nodes[input].inputs else ""
            lines.append(f'  n{input} -> n{i} [id="e{i}.{edge}"{weight}{f", label={room}" if local else ""}];')
    return "\n".join([*lines, "}"])


def opening(direction, node_line, local, gap=GAP):
    if direction not in ("LR", "TB"):
        raise ValueError(f'direction is "LR" (left to right) or "TB" (top to bottom), got {direction!r}.')
    ranks = 0.45 if not local else 0.14 if direction == "LR" else 0.08
    gaps = f"ranksep={ranks}, nodesep={gap}"
    return [
        "digraph {",
        f"  graph [rankdir={direction}, bgcolor=transparent, {gaps}]",
        f"  {node_line}",
        '  edge [fontname="Helvetica", fontsize=10, arrowsize=0.6]',
    ]


def lay_out(nodes, direction=None, local=False, room=PAGE, close=True):
    """Return the Layout of nodes: from left to right or top to bottom, as asked, or else whichever fits `room` better.

    Boxes from left to right move closer if they do not fit and `close` allows it. If neither direction fits, a third
    way is tried: from left to right, folded into rows. Width counts before height: a drawing that is too wide is scaled
    down until it fits, and one that is too high is not.
    """

    def fits(found):
        across, down = room[0] / found.width, room[1] / found.height
        return across >= LEAST, min(1.0, across, down)

    def place(way):
        found = layout.lay_out(skeleton(nodes, way, local))
        if way == "TB" or fits(found)[1] == 1 or not close:
            return found
        return layout.lay_out(skeleton(nodes, way, local, CLOSE))

    if direction is not None:
        return place(direction)
    tried = [place(way) for way in ("LR", "TB")]
    if max(fits(found)[1] for found in tried) < 1:
        folded = fold(
            nodes, layout.lay_out(skeleton(nodes, "LR", local, CLOSE if close else GAP, straight=True)), room[0] / LEAST
        )
        tried += [folded] if folded else []
    return max(tried, key=fits)


def graph_svg(pen, nodes, placed, texts):
    """Draw the nodes as an SVG string, in the places of a Layout.

    texts: those of the parts, by key, as texts_of returns them. Keys: n3 is a node, n3.data and n3.grad its numbers;
    e3.0 is the edge from its first input, e3.0.local the number on it. A node and an edge have a state: "forward",
    "backward", "target", "used" and others, or "".
    """
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SCALE * placed.width:.0f}" '
        f'height="{SCALE * placed.height:.0f}" '
        f'viewBox="0 0 {placed.width:.2f} {placed.height:.2f}" style="{own_size(placed.width, placed.height)}">'
    ]
    for i, node in enumerate(nodes):
        for edge in range(len(node.inputs)):
            key = f"e{i}.{edge}"
            curve = placed.curves[key]
            line = f'<path d="{curve.path}"/><polygon points="{curve.arrow}"/>'
            if curve.label:
                at = {"x": curve.label[0], "y": curve.label[1] + 4}
                line += pen("text", f"{key}.local", "local", text=texts.get(f"{key}.local", ""), at=at)
            parts.append(pen("g", key, "edge", line, state=""))
    for i, node in enumerate(nodes):
        kind = "leaf" if not node.inputs else "made"
        parts.append(pen("g", f"n{i}", f"node {kind}", box_svg(pen, i, node, placed.boxes[f"n{i}"], texts), state=""))
    return "".join([*parts, "</svg>"])


def box_svg(pen, i, node, box, texts):
    """Draw the content of a node's box: its name, its op's symbol, data and grad."""
    left, right, top = box.x + 7, box.x + box.width - 6, box.y
    size = f'x="{box.x:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
    sign, small = SIGNS.get(node.op, clean(node.op, 10)), arrays.grid(node.data) is not None
    named, down = "name" if node.labelled else "name unnamed", 18 if node.data is None else 14
    shape = str(node.data) if small and letters_beside(sign, str(node.data), box) >= min(4, len(node.name)) else ""
    name = fitted(node.name, ALONE if node.data is None else max(4, letters_beside(sign, shape, box)))
    parts = [
        f'<title>{html.escape(clean(node.name, 1000))}</title><rect rx="7" {size}/>',
        f'<text class="{named}" x="{left:.1f}" y="{top + down:.1f}">{html.escape(name)}</text>',
    ]
    if node.data is not None:
        parts.append(f'<text class="op" x="{right:.1f}" y="{top + 14:.1f}">{html.escape(sign)}</text>')
        parts.append(f'<path class="rule" d="M{box.x:.1f},{top + 19.5:.1f}h{box.width:.1f}"/>')
        if shape:
            middle = right - SIGN * len(sign) - 8 if sign else right
            parts.append(f'<text class="what end" x="{middle:.1f}" y="{top + 14:.1f}">{shape}</text>')
        lines = len(node.data.rows) if small else 1
        for row, what in ((33, "data"), (33 + arrays.LINE * lines, "grad")):
            key, at = f"n{i}.{what}", {"x": right, "y": top + row}
            parts.append(f'<text class="what" x="{left:.1f}" y="{top + row:.1f}">{what}</text>')
            if small:
                parts.append(arrays.box_svg(pen, key, what, node.data, texts, right, top + row))
            else:
                parts.append(pen("text", key, what, text=texts.get(key, ""), at=at, room=LONG))
    return "".join(parts)


def letters_beside(sign, shape, box):
    """Return how many letters of a name fit in a box, next to its op's symbol and, if shown, its array's shape."""
    if not shape:
        return int((box.width - WIDTH) / LETTER) + NAME_LENGTH + 1 - len(sign)
    return int((box.width - 28 - SIGN * len(sign) - SMALL * len(shape)) / LETTER)


def own_size(width, height):
    """Return a drawing's size for the style sheet, which scales it down to the space there is, within limits."""
    return f"--bp-width:{width:.0f}px;--bp-ratio:{width / height:.3f}"


def texts_of(nodes, gradients=None, local=False):
    """Return the current numbers of a graph, {key: text}: what its drawing shows unless a step says otherwise."""
    shown, texts = shows_gradients(nodes, gradients), {}
    for i, node in enumerate(nodes):
        texts |= arrays.texts(f"n{i}.data", node.data, node.data, NOT_YET)
        texts |= arrays.texts(f"n{i}.grad", node.data, node.grad if shown else None, NOT_YET)
        for edge in range(len(node.inputs)):
            if local and node.locals:
                texts[f"e{i}.{edge}.local"] = number(node.locals[edge])
    return texts


def collapsed(nodes, limit=LIMIT):
    """Return a large graph as a small one, in which similar nodes become one, and the sentences that say so.

    Nodes are similar if they have the same op and distance from the leaves; if that leaves too many, the same op.
    """
    depths, ops = [], [node.op for node in nodes]
    for node in nodes:
        depths.append(1 + max((depths[input] for input in node.inputs if input < len(depths)), default=-1))
    ways = {
        "Nodes with the same operation, as far from the leaves, are drawn as one.": list(zip(depths, ops)),
        "Nodes with the same operation are drawn as one.": ops,
        "All leaves are drawn as one, and all operations as another.": [bool(node.inputs) for node in nodes],
    }
    tried = [(grouped(nodes, keys), way) for way, keys in ways.items()]
    groups, way = next(((groups, way) for groups, way in tried if len(groups) <= limit), tried[-1])
    return groups, f"This graph has {len(nodes):,} nodes, more than the {limit} that a drawing can show. {way}"


def grouped(nodes, keys):
    """Return nodes with equal keys as one Node each, named by their number; edges between groups, each once."""
    counts, ops, edges = {}, {}, {}
    for key, node in zip(keys, nodes):
        counts[key] = counts.get(key, 0) + 1
        ops.setdefault(key, set()).add(node.op)
        edges.setdefault(key, {}).update(dict.fromkeys(keys[input] for input in node.inputs))
    place, groups = {key: i for i, key in enumerate(counts)}, []
    for key, count in counts.items():
        op = ops[key].pop() if len(ops[key]) == 1 else "operation"
        name = f"{count} × {SIGNS.get(op, clean(op, 14)) or 'leaf'}"
        groups.append(Node(name, True, op, None, None, tuple(place[input] for input in edges[key]), None))
    return groups


def graph_dot(root, *, gradients=None, local=False, direction="LR"):
    """Return the computation graph of `root` as DOT text, the same in every process. See `draw_graph`."""
    return to_dot(nodes_drawn(root, local), direction, gradients, local)


def draw_graph(root, *, gradients=None, local=False, direction=None, limit=LIMIT):
    """Draw the computation graph of `root` as a Picture: each Value a box, each input an arrow.

    gradients: whether grads are shown; None shows them once one is not 0 (before that each is –).
    local: whether each arrow shows the local derivative. direction: "LR" or "TB"; None takes what fits better.
    A graph of more than `limit` nodes is drawn collapsed. `.source` is DOT text, which `graphviz.Source` takes.
    """
    nodes, limit = nodes_drawn(root, local), whole(limit)
    if len(nodes) > limit:
        groups, note = collapsed(nodes, limit)
        return picture(groups, {}, direction, False, to_dot(groups, direction or "LR"), note)
    source = to_dot(nodes, direction or "LR", gradients, local)
    return picture(nodes, texts_of(nodes, gradients, local), direction, local, source)


def nodes_drawn(root, local):
    """Return the nodes of a graph, in which a node may depend on itself; local: with any engine's local derivatives."""
    nodes = read_graph(root, allow_cycle=True)
    is_known = all(node.locals is not None for node in nodes if node.inputs)
    return nodes if is_known or not local else known_slopes(root)


def picture(nodes, texts, direction, local, source, note="", room=PAGE, alt=""):
    """Return nodes and their texts as a Picture that fits `room`, or as a table if no Graphviz can place them.

    alt: the picture in words; "" for the usual description.
    """
    words = alt or description(nodes, note), as_text(nodes, texts), note, source
    try:
        return Picture(render_once(graph_svg, nodes, lay_out(nodes, direction, local, room), texts), *words)
    except layout.LayoutError:
        return Table(rows_of(nodes, texts), *words)


class Table(Picture):
    """A graph as a table of its nodes, for machines on which no Graphviz can place them."""

    def __init__(self, rows, *words):
        super().__init__("", *words)
        self.rows = rows

    def html(self):
        return table(HEADINGS, self.rows, f"{layout.HOW_TO_INSTALL} {self.note}".strip())


HEADINGS = ("node", "made by", "from", "data", "grad")


def rows_of(nodes, texts):
    return [
        (
            clean(node.name),
            node.op or "leaf",
            ", ".join(clean(nodes[input].name, 20) for input in node.inputs),
            arrays.joined(texts, f"n{i}.data", node.data),
            arrays.joined(texts, f"n{i}.grad", node.data) or NOT_YET,
        )
        for i, node in enumerate(nodes)
    ]


def as_text(nodes, texts):
    rows = [HEADINGS, *rows_of(nodes, texts)]
    widths = [min(24, max(len(row[i]) for row in rows)) for i in range(len(HEADINGS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def description(nodes, note=""):
    """Describe a graph's picture."""
    if note:
        return f"Collapsed computation graph. {note}"
    leaves = [clean(node.name, 20) for node in nodes if not node.inputs]
    root = nodes[-1]
    made = f" made by {root.op}" if root.op else ""
    return (
        f"Computation graph of {len(nodes)} node{'s' * (len(nodes) > 1)}. Root: {clean(root.name, 20)}{made}, "
        f"data {number(root.data)}. Leaves: {', '.join(leaves[:12])}{' …' if len(leaves) > 12 else ''}."
    )
