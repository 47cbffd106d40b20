"""Place the boxes, the arrows and the arrows' labels of a graph on the page, in whole pixels."""

import re

from figures.graph import draw, layout

BOX, CONSTANT = (96, 76), (34, 26)
LABEL = {"LR": (54, 16), "TB": (34, 24)}  # the room for a label such as “−2, not 4”, by the direction of the graph


def placed(graph, direction):
    """Return the places of a graph's parts, drawn left to right ("LR") or top to bottom ("TB"), as plain data."""
    wide, high = LABEL[direction]
    room = f'FIXEDSIZE="TRUE" WIDTH="{wide}" HEIGHT="{high}"><TR><TD></TD></TR></TABLE>>'
    lines = draw.opening(direction, 'node [shape=box, fixedsize=true, label=""]', True, 0.2)
    place = {name: i for i, (name, _, _) in enumerate(graph.nodes)}
    for i, (_, op, inputs) in enumerate(graph.nodes):
        lines.append(node(f"n{i}", BOX))
        for j, x in enumerate(inputs[:1] if op == "**" else inputs):  # an exponent has no box
            source = f"n{place[x]}" if isinstance(x, str) else f"k{i}_{j}"
            lines += [] if isinstance(x, str) else [node(source, CONSTANT)]
            lines.append(f'  {source} -> n{i} [id="e{i}.{j}", label=<<TABLE BORDER="1" CELLBORDER="0" {room}];')
    drawn = layout.lay_out("\n".join([*lines, "}"]))
    labels = on_curves(drawn, wide / 2 - 2)
    return {
        "w": round(drawn.width),
        "h": round(drawn.height),
        "b": {key: [round(box.x), round(box.y)] for key, box in drawn.boxes.items()},
        "e": {key[1:]: [whole(curve.path), whole(curve.arrow), labels[key]] for key, curve in drawn.curves.items()},
    }


def node(id, size):
    """Return a box in Graphviz's language, in which sizes are in inches."""
    return f'  {id} [id="{id}", width={size[0] / 72:.4f}, height={size[1] / 72:.4f}];'


def whole(path):
    """Return a path with its numbers rounded."""
    return re.sub(r"-?\d+\.\d+", lambda number: str(round(float(number[0]))), path)


def on_curves(drawn, half):
    """Return {arrow: the place of its label}: on its curve, near the middle, away from boxes, labels and curves."""
    curves = {key: points(curve.path) for key, curve in drawn.curves.items()}
    others = {key: [p for name, ps in curves.items() if name != key for p in ps[::3]] for key in curves}
    boxes, labels = drawn.boxes.values(), {}

    def cost(key, share, x, y):
        over = sum(b.x - half < x < b.x + b.width + half and b.y - 15 < y < b.y + b.height + 15 for b in boxes)
        label = min((max(abs(x - u) / 1.8, abs(y - v)) for u, v in labels.values()), default=99)
        line = min((max(abs(x - u) / 1.8, abs(y - v)) for u, v in others[key]), default=99)
        return 200 * over + 3 * max(0, 28 - label) + max(0, 15 - line) + 6 * abs(share - 0.58)

    for key in sorted(curves, key=lambda key: len(curves[key])):  # the short ones have the least choice
        steps = len(curves[key]) - 1
        near = [(k / steps, x, y) for k, (x, y) in enumerate(curves[key]) if 0.25 <= k / steps <= 0.75]
        labels[key] = min(near, key=lambda each: cost(key, *each))[1:]
    return {key: [round(x), round(y)] for key, (x, y) in labels.items()}


def points(path):
    """Return points on a path of Bézier curves, from its start to its end."""
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path)]
    ends = list(zip(numbers[::2], numbers[1::2]))
    curves = (ends[start : start + 4] for start in range(0, len(ends) - 3, 3))
    return [layout.bezier(curve, step / 16) for curve in curves for step in range(17)]
