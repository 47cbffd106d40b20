"""The drawing of the attention lab: the triangle of shares, and under its columns the numbers of the opened row."""

from autograd.errors.messages import show
from figures.page import svg
from figures.page.arrays import short
from figures.page.picture import labelled
from figures.page.style import NOT_YET, steady

# Lines under the triangle: key, caption, the frame that fills it in, and the frame that fills in its last column
FORWARD = (
    ("scores", "score: q · k", 1, None),
    ("powers", "exp(score); sum", 2, 2),
    ("shares", "share p; sum", 2, 2),
    ("parts", "p · v; output", 3, 3),
)
BACKWARD = (
    ("upstream", "backward: the output's upstream", None, 4),
    ("dv", "v's gradient: p · upstream", 4, None),
    ("dp", "p's gradient: upstream · v; mean", 5, 6),
    ("less", "the same, minus the mean", 6, None),
    ("ds", "score's gradient: times p; sum", 7, 7),
    ("pulls", "that · k; q's gradient", 8, 8),
    ("dk", "k's gradient: the score's · q", 8, None),
)
LEFT, NUMBER, LINE, ROW, EDGE = 216, 53, 24, 30, 8  # pixels: the names on the left; a number, a line, a row; a margin
DARKEST = 0.6  # the opacity of a share of 1: its number must be readable on top


def vector(numbers):
    """Return a row of numbers as a sentence shows it."""
    return f"[{', '.join(show(float(x)) for x in numbers)}]"


def drawer(known, rows, row, mask):
    """Return the function that draws a frame: queries at left, keys and values above, shares, the opened row below."""
    count, one = len(known.letters), rows[row]
    wide = NUMBER * max(known.q.shape[1], known.v.shape[1]) + 12
    lefts = [LEFT + i * wide for i in range(count + 1)]
    square = 26 + 2 * LINE + 6
    below = square + count * ROW + 14
    size = LEFT + (count + 1) * wide + EDGE, below + (len(FORWARD) + len(BACKWARD)) * LINE + 30
    fixed = [svg.label("together", lefts[-1] + wide - 14, below + 8, "caption end")]
    for i, letter in enumerate(known.letters):
        fixed.append(svg.label(letter, lefts[i] + wide / 2 - 2, 18, "sign word"))
        fixed.append(svg.label(letter, EDGE + 10, square + i * ROW + 19, "sign word"))
        fixed.append(numbers_at(known.q[i], LEFT - 12, square + i * ROW + 19))
        for line, array in enumerate((known.k, known.v)):
            fixed.append(numbers_at(array[i], lefts[i] + wide - 14, 26 + (line + 0.7) * LINE))
    fixed += [svg.label(name, LEFT - 12, 26 + (i + 0.7) * LINE, "word end") for i, name in enumerate("kv")]
    fixed.append(svg.label("q", LEFT - 12 - NUMBER * max(1, known.q.shape[1] - 1), square - 8, "word end"))
    bounds = f'x="{EDGE - 4}" y="{square + row * ROW - 2}" width="{LEFT + count * wide - EDGE + 2}" height="{ROW}"'
    fixed.append(f'<rect class="opened" {bounds} rx="7"/>')

    def triangle(pen, turn):
        parts = []
        for i, each in enumerate(rows):
            there = (i == row and turn >= 2) or turn == 9
            for j in range(count):
                x, y = lefts[j], square + i * ROW
                box = f'x="{x}" y="{y}" width="{wide - 4}" height="{ROW - 4}" rx="5"'
                if j not in each.seen:
                    parts.append(f'<rect class="unseen" {box}/>')
                    parts.append(svg.label("masked", x + wide / 2 - 2, y + 17, "caption"))
                    continue
                share = float(each.shares[each.seen.index(j)])
                parts.append(f'<rect class="look-box" {box}/>')
                at = {"x": x, "y": y, "width": wide - 4, "height": ROW - 4, "rx": 5}
                parts.append(
                    pen("rect", f"look.{i}.{j}", "look", at=at, fill_opacity=f"{DARKEST * share if there else 0:.3f}")
                )
                text, at = steady(share) if there else NOT_YET, {"x": x + wide / 2 - 2, "y": y + 18}
                parts.append(pen("text", f"share.{i}.{j}", "shared", text=text, at=at))
        return "".join(parts)

    def ledger(pen, turn):
        parts, top = [], below + 16
        for key, words, begins, ends in FORWARD + BACKWARD:
            back = (key, words, begins, ends) in BACKWARD
            kind = "grad" if back else "data"
            now = turn in (begins, ends)
            state = ("backward" if back else "forward") if now else ""
            box = f'<rect x="{EDGE - 4}" y="{top + 1}" width="{size[0] - EDGE}" height="{LINE - 2}" rx="5"/>'
            parts.append(pen("g", f"line.{key}", "node made", box, state=state))
            parts.append(svg.label(words, EDGE + 4, top + 16, "start"))
            for j in range(count if begins else 0):
                if j in one.seen:
                    value = getattr(one, key)[one.seen.index(j)] if turn >= begins else None
                    parts.append(
                        vector_at(pen, f"{key}.{j}", kind, getattr(one, key).shape[1:], value, lefts[j] + wide, top)
                    )
            if ends:
                value = total(known, one, key)
                shape = getattr(value, "shape", ())
                end = lefts[-1] + wide
                parts.append(vector_at(pen, f"{key}.all", kind, shape, value if turn >= ends else None, end, top))
            top += LINE + (6 if key == "parts" else 0)
        return "".join(parts)

    def draw(pen, turn):
        alt = (
            f"Who looks at whom in {known.letters}: a row for each letter, a column for each letter that is looked at."
        )
        drawing = labelled(svg.svg(*size, triangle(pen, turn), *fixed, ledger(pen, turn)), alt)
        return f'<div class="bp-main">{drawing}</div>'

    return draw


def total(known, one, key):
    """Return the last column of a line: a sum, a mean or a vector."""
    together = {"parts": one.output, "upstream": known.upstream, "dp": one.mean, "pulls": one.dq}
    return together[key] if key in together else float(getattr(one, key).sum())


def numbers_at(numbers, right, y):
    """Draw a row of numbers that never change, the last one ending at `right`."""
    return "".join(
        svg.label(f"{x:.4g}", right - NUMBER * i, y, "data") for i, x in enumerate(reversed(numbers.tolist()))
    )


def vector_at(pen, key, kind, shape, value, right, top):
    """Draw a line's number or row of numbers, or placeholders while `value` is None."""
    parts, width = [], shape[0] if shape else 1
    for i in range(width):
        number = None if value is None else float(value[i] if shape else value)
        at = {"x": right - 14 - NUMBER * (width - 1 - i), "y": top + 16}
        text = NOT_YET if number is None else short(number + 0.0 if abs(number) > 1e-12 else 0.0)
        parts.append(pen("text", f"{key}.{i}", kind, text=text, at=at))
    return "".join(parts)
