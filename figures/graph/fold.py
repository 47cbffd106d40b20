"""A wide Layout folded into rows, like a long line of text: each row begins below the one before, on the left."""

import re

from figures.graph.layout import Box, Curve, Layout, moved

MARGIN = 14  # pixels next to the first and the last column, for an edge that goes from row to row
GAP = 12  # between a row and an edge above or below it
LANE = 20  # the height of such an edge's path back, with room for a number on it
BEND = 7  # the radius of a corner of such an edge
STUB = 12  # the distance from a box at which it turns
ARROW = 6, 2.1  # the length and half the width of an arrowhead, as Graphviz draws them
MOST = 2  # the most edges from a row to the next: more would look alike


def fold(nodes, placed, width):
    """Return a left-to-right Layout in rows that fit `width`; None if one row does, or if rows would not be clear.

    nodes: the graph's Nodes. Rows are broken where few edges are. Rows are not clear if more than two edges go from a
    row to the next, or if one goes further, or if boxes have several widths.
    """
    edges = {
        f"e{i}.{edge}": (f"n{input}", f"n{i}") for i, node in enumerate(nodes) for edge, input in enumerate(node.inputs)
    }
    if len({round(box.width) for box in placed.boxes.values()}) > 1:
        return None  # boxes in one column do not begin at one x
    columns = sorted({round(box.x) for box in placed.boxes.values()})
    column_of = {key: columns.index(round(box.x)) for key, box in placed.boxes.items()}
    box = max(box.width for box in placed.boxes.values())
    starts = row_starts(columns, width - 2 * MARGIN - box, [(column_of[a], column_of[b]) for a, b in edges.values()])
    if starts is None or len(starts) == 1:
        return None
    row_of = {key: sum(column >= start for start in starts) - 1 for key, column in column_of.items()}
    return put_together(edges, placed, row_of, len(starts))


def row_starts(columns, room, spans):
    """Return the first column of each row; None if no break is clear.

    columns: the x of each. room: how far right of its first the last column of a row may lie. spans: the columns
    that each edge joins.
    """
    crossing = [sum(low < column <= high for low, high in spans) for column in range(len(columns))]
    whole = columns[-1] - columns[0]
    goal = whole * len(columns) / (len(columns) - 1) / -(-whole // room) if whole and room > 0 else 0
    starts = [0]
    while columns[-1] - columns[starts[-1]] > room:
        first = columns[starts[-1]]
        breaks = [
            i
            for i in range(starts[-1] + 2, len(columns))
            if columns[i - 1] - first <= room and columns[i] - first >= 0.6 * goal and crossing[i] <= MOST
        ]
        if not breaks:
            return None
        starts.append(min(breaks, key=lambda i: (crossing[i], abs(columns[i] - first - goal))))
    far = any(sum(low < start <= high for start in starts) > 1 for low, high in spans)
    return None if far else starts


def put_together(edges, placed, row_of, rows):
    turning = {row: [key for key, (a, b) in edges.items() if row_of[a] == row < row_of[b]] for row in range(rows)}
    shifts, lanes, widest, bottom = [], [], 0.0, 0.0
    for row in range(rows):
        left, top, right, low = extent(placed, edges, row_of, row)
        widest, lanes = max(widest, right - left), [*lanes, bottom + GAP]
        bottom += 2 * GAP + LANE * len(turning[row - 1]) - top if row else -top
        shifts.append((MARGIN - left, bottom))
        bottom += low
    boxes = {
        key: Box(box.x + shifts[row_of[key]][0], box.y + shifts[row_of[key]][1], box.width, box.height)
        for key, box in placed.boxes.items()
    }
    curves = {key: shifted(placed.curves[key], *shifts[row_of[b]]) for key, (_, b) in edges.items()}
    for row, keys in turning.items():
        for place, key in enumerate(keys):
            port = 8 * place - 4 * (len(keys) - 1)  # two edges come in side by side
            lane, labelled = lanes[row + 1] + LANE * (place + 0.7), placed.curves[key].label is not None
            curves[key] = turned(*(boxes[end] for end in edges[key]), port, lane, labelled)
    return Layout(widest + 2 * MARGIN, bottom, boxes, curves)


def extent(placed, edges, row_of, row):
    """Return how far a row reaches, with its boxes and the curves within it: left, top, right, bottom."""
    boxes = [box for key, box in placed.boxes.items() if row_of[key] == row]
    ys = [y for box in boxes for y in (box.y - 1, box.y + box.height + 1)]
    for key, (a, b) in edges.items():
        if row_of[a] == row_of[b] == row:
            curve = placed.curves[key]
            ys += [float(y) for y in re.findall(r",(-?[\d.]+)", curve.path)]
            ys += [curve.label[1] - 8, curve.label[1] + 8] if curve.label else []
    return min(box.x for box in boxes), min(ys), max(box.x + box.width for box in boxes), max(ys)


def shifted(curve, dx, dy):
    label = (curve.label[0] + dx, curve.label[1] + dy) if curve.label else None
    return Curve(moved(curve.path, dx, dy), moved(curve.arrow, dx, dy), label)


def turned(source, target, port, lane, labelled):
    """Return the Curve from a box to one in the next row: out to the right, back along the lane, and in from the left.

    port: how far from the middle of the target's side it comes in. lane: the y of its path back.
    """
    start, end = source.y + source.height / 2, target.y + target.height / 2 + port
    out, back, tip = source.x + source.width + STUB, target.x - STUB, target.x - ARROW[0]
    corners = [(source.x + source.width, start), (out, start), (out, lane), (back, lane), (back, end), (tip, end)]
    arrow = " ".join(f"{x:.1f},{y:.1f}" for x, y in ((target.x, end), (tip, end + ARROW[1]), (tip, end - ARROW[1])))
    return Curve(rounded(corners), arrow, (back + 36, lane - 8) if labelled else None)


def rounded(corners):
    parts = ["M{:.1f},{:.1f}".format(*corners[0])]
    for before, corner, after in zip(corners, corners[1:], corners[2:]):
        start, end = towards(corner, before), towards(corner, after)
        parts.append("L{:.1f},{:.1f}Q{:.1f},{:.1f} {:.1f},{:.1f}".format(*start, *corner, *end))
    return "".join([*parts, "L{:.1f},{:.1f}".format(*corners[-1])])


def towards(corner, other):
    """Return the point BEND from a corner towards another, or halfway if that is nearer."""
    (x, y), (to_x, to_y) = corner, other
    length = max(abs(to_x - x), abs(to_y - y))
    share = min(BEND / length, 0.5) if length else 0.0
    return x + share * (to_x - x), y + share * (to_y - y)
