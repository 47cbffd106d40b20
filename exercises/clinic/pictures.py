"""The clinic's pictures: a panel for each instrument's reading, and what a patient shows before any of them."""

import html
import math

import numpy as np

from exercises.clinic.numbers import rounded
from figures.page.picture import Picture, labelled
from figures.page.svg import Scale, label, line, power_text, svg

WIDTH, HEIGHT = 312, 236  # pixels of a panel
LEFT, RIGHT, TOP = 42, 300, 48  # of a drawing in it; the words below it decide where it ends
ZERO = 58  # the place of exact zeros, left of a scale of powers of ten
USUAL = (1e-3, 1e-1)  # of a step's share of the weights, if a network learns
LINE = 18  # pixels of a word's line
LEARNED = 0.05  # below it eight rows are learned, as in the instrument's own word
RIGHT_BELOW = 1e-5  # a difference in a gradient check: the share of the largest slope that is allowed
UNUSUAL = "M-4.5,0L0,-4.5L4.5,0L0,4.5Z"  # next to a word that no healthy program gives


def picture(reading):
    """Draw a reading as an SVG: what was measured, and below it the word of each dial."""
    instrument = reading.instrument
    bottom = HEIGHT - LINE * len(instrument.dials) - 8
    with np.errstate(all="ignore"):
        drawn = DRAWINGS[instrument.name](reading.numbers, bottom)
    drawn = svg(WIDTH, HEIGHT, *heads(instrument), *drawn, *words(reading, bottom + 4))
    return labelled(drawn, f"{reading!r} {in_words(reading)}")


def heads(instrument):
    return [label(instrument.title, 2, 16, "heading start"), label(instrument.asks, 2, 34, "caption start")]


def words(reading, y):
    """Draw the word of each dial, one per line, and a mark next to those that no healthy program gives."""
    parts = [path("grid", f"M2,{y}H{WIDTH - 2}")]
    for i, (dial, word) in enumerate(reading.dials):
        at, kind = y + LINE * (i + 1) - 3, "" if word in dial.healthy else " unusual"
        mark = f'<path class="dial unusual" transform="translate(9 {at - 4})" d="{UNUSUAL}"/>'
        said = f'<tspan class="reads{kind}">{html.escape(word)}</tspan>'
        parts.append(mark if kind else circle("dial", 9, at - 4, 3.5))
        parts.append(f'<text class="start" x="20" y="{at}">{html.escape(dial.title)}: {said}</text>')
    return parts


def in_words(reading):
    """Return the word of each dial, as a sentence."""
    found = (f"{dial.title}: {word}{' (unusual)' * (word not in dial.healthy)}" for dial, word in reading.dials)
    return "; ".join(found).capitalize() + "."


def bundle(reading):
    """Return what a notebook shows of a reading: the picture, the sentence below it, and the same as text."""
    shown = Picture(picture(reading), repr(reading), note=reading.says)
    return {"text/html": shown.html(), "text/plain": repr(reading)}


def beside_others(reading, name=""):
    """Return a reading as HTML that fits next to others, with a name above it."""
    style = f"display:inline-block;width:{WIDTH}px;margin:0 16px 8px 0;vertical-align:top"
    above = f"<b>{html.escape(name)}</b>" if name else ""
    return f'<div class="bp" style="{style}">{above}{bundle(reading)["text/html"]}</div>'


def patient_bundle(patient):
    """Return what a notebook shows of a patient: its name, and its owner's complaint."""
    name, said = patient.name or "A patient", complaint(patient)
    quote = f'<p style="margin:0 0 8px;font-size:15px"><b>{html.escape(name)}.</b> {html.escape(said)}</p>'
    return {"text/html": f'<div class="bp">{quote}</div>', "text/plain": f"{name}. {said}"}


def complaint(patient):
    """Return the complaint of a patient's owner."""
    if patient.fault is None:
        return "Nobody has complained. You will compare the other programs with its readings."
    return f"“{patient.complaint}”"


def pixels(x):
    """Return a coordinate as an attribute's text."""
    return f"{x:.1f}" if isinstance(x, float) else str(x)


def path(kind, d):
    return f'<path class="{kind}" d="{d}"/>'


def rect(kind, x, y, width, height):
    x, y, width, height = map(pixels, (x, y, width, height))
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}"/>'


def circle(kind, x, y, r):
    return f'<circle class="{kind}" cx="{pixels(x)}" cy="{pixels(y)}" r="{pixels(r)}"/>'


def bar(i, name, x, y, width, height, said, kind="end"):
    """Draw a bar with its name on the left and its number on the right."""
    below = y + (height + 8) / 2
    drawn = rect(f"bars s{i}", x, y, width, height)
    return [label(name, 2, below, "caption start"), drawn, label(said, RIGHT, below, kind)]


def beside(text, x, y, kind, gap, last):
    """Draw text to the right of a point, or to its left if the point is beyond `last`. kind: with {} for the side."""
    side, shift = ("end", -gap) if x > last else ("start", gap)
    return label(text, x + shift, y, kind.format(side))


def histogram(logs, x, base, high, count):
    """Draw numbers on a Scale as a histogram. count: of bars. high: the height of the highest."""
    counts = np.histogram(logs, np.linspace(x.low, x.high, count + 1))[0].tolist()
    tall, step = high / max(1, *counts), (x.end - x.start) / count
    rises = "".join(f"v{-tall * (b - a):.1f}h{step:.2f}" for a, b in zip([0, *counts], counts))
    return path("bars s0", f"M{x.start},{pixels(base)}{rises}V{pixels(base)}Z")


def baseline(y, left=LEFT, right=RIGHT):
    return path("axis", f"M{left},{y}H{right}")


def decades(scale, y, top, every=2):
    """Draw grid lines with their powers of ten, on a Scale of exponents."""
    parts = []
    for power in range(math.ceil(scale.low), math.floor(scale.high) + 1, every):
        x = scale(power)
        parts += [path("grid", f"M{x:.1f},{top}V{y}"), label(power_text(power), x, y + 15, "tick")]
    return parts


def exponent(x):
    """Return log10 of a number; None for 0 and for anything not finite."""
    return math.log10(x) if 0 < x < math.inf else None


def levels(losses, least, bottom, top):
    """Return the Scale of a chart of losses up to at least a number: linear, or logarithmic if they go far."""
    finite = [*filter(math.isfinite, losses), least]
    high, low = max(finite), max(min(x for x in finite if x > 0), 1e-4)
    if high <= 8:
        return Scale(0, 1.08 * high, bottom, top)
    return Scale(low / 1.5, high * 1.5, bottom, top, log=True)


def loss_lines(losses, x, y, limits):
    """Draw a line of losses, lines for limits, (number, words) each, the axis, and a cross if it ends early."""
    parts = [baseline(y.start, x.start, x.end)]
    for tick, text in y.ticks(5):
        parts.append(path("grid", f"M{x.start},{y(tick):.1f}H{x.end}"))
        parts.append(label(text, x.start - 6, y(tick) + 4, "tick y"))
    parts.append(path("line thin s0", line(list(enumerate(losses)), x, y)))
    for limit, said in limits:
        parts.append(path("guide now", f"M{x.start},{y(limit):.1f}H{x.end}"))
        parts.append(label(said, x.end, free_of(losses, y, limit), "caption end halo"))
    if not math.isfinite(losses[-1]):
        at = x(len(losses) - 1)
        parts.append(path("cross", f"M{at - 5:.1f},{y.end}l10,10m0,-10l-10,10"))
        parts.append(beside("no number", at, y.end + 9, "caption {} halo", 10, 150))
    return parts


def free_of(losses, y, limit):
    """Return the baseline of a label: above a line or below it, where fewer of the late losses cross the label."""
    late = [y(loss) for loss in losses[-math.ceil(len(losses) / 3) :]]
    above, below = y(limit) - 5, y(limit) + 14
    bases = [above, below] if above - 11 > y.end else [below]
    return min(bases, key=lambda base: sum(base - 11 < at < base + 3 for at in late))


def curve(found, bottom):
    """Draw the loss of each step, and the loss of guessing."""
    losses, guess = found["losses"], found["guess"]
    limit = (guess, f"guessing {rounded(guess)}") if guess else (1.0, "always the mean 1")
    x, y = Scale(0, max(2, len(losses) - 1), LEFT, RIGHT), levels(losses, limit[0], bottom - 22, TOP + 6)
    steps = f"{len(losses):,} steps" + ("" if math.isfinite(losses[-1]) else ", then it ends")
    return [*loss_lines(losses, x, y, [limit]), label(steps, (x.start + x.end) / 2, bottom - 6, "caption")]


def answers(found, bottom):
    """Draw bars for the shares of train and test that are right."""
    tall, parts = Scale(0, 1, bottom - 22, TOP + 16), []
    for i, name in enumerate(("train", "test")):
        share, left = found[name], 78 + 90 * i
        said = "–" if not math.isfinite(share) else f"{100 * share:.0f} %" if found["guess"] else f"{share:.2f}"
        if not found["guess"] and share < -99:
            said = "< −99"
        top = tall(min(1.0, max(0.0, share))) if math.isfinite(share) else tall.start
        parts.append(rect(f"bars s{i}", left, top, 66, tall.start - top))
        parts += [label(said, left + 33, top - 5, "name"), label(name, left + 33, bottom - 6, "caption")]
    of = label("right" if found["guess"] else "R²", 62, tall.end + 4, "caption end")
    return [baseline(tall.start, 66, 246), path("grid", f"M66,{tall.end:.1f}H246"), *parts, of]


def rows_of(count, top, bottom):
    """Lay out rows. Return (the base of each, the height of a row, the rows that get a name)."""
    high = (bottom - top) / count
    named = range(count) if high >= 12 else (0, count - 1)
    return [top + high * (i + 1) for i in range(count)], high, named


def layer_names(bases, high, named):
    return [label(f"layer {i + 1}", 2, bases[i] - high / 2 + 4, "caption start") for i in named]


def gradients(found, bottom):
    """Draw each layer's gradients as a histogram, and their root mean square as a line."""
    x, top, end = Scale(-12, 3, 92, RIGHT), TOP, bottom - 22
    bases, high, named = rows_of(len(found["sizes"]), top, end)
    parts = [*decades(x, end, top, 3), label("0", ZERO, end + 15, "tick"), baseline(end)]
    for i, (base, logs, size) in enumerate(zip(bases, found["logs"], found["sizes"])):
        if high > 12:
            parts.append(baseline(f"{base:.1f}"))
        if not size > 0:
            parts.append(circle("zero", ZERO, base - high / 2, float(min(5, high / 3))))
            if high >= 12:
                said = "all 0" if size == 0 else "no number"
                parts.append(label(said, 72, base - high / 2 + 4, "caption start"))
            continue
        finite = np.clip([each for each in logs if math.isfinite(each)], x.low, x.high)
        parts.append(histogram(finite, x, base, high - min(16, high / 3), 45))
        if (at := exponent(size)) is not None:
            parts.append(path("mark", f"M{x(at):.1f},{base:.1f}v{-0.8 * high:.1f}"))
            if high >= 18 or i in (0, len(bases) - 1):
                parts.append(beside(rounded(size), x(at), base - 0.8 * high + 9, "tick ink {} halo", 6, 240))
    return [*parts, *layer_names(bases, high, named)]


def moved(found, bottom):
    """Draw the size of the first step relative to the weights, for each layer."""
    x, top, end = Scale(-8, 2, 92, RIGHT), TOP, bottom - 22
    bases, high, named = rows_of(len(found["shares"]), top, end)
    low, upper = (x(math.log10(edge)) for edge in USUAL)
    parts = [rect("band", low, top, upper - low, end - top)]
    parts += [*decades(x, end, top), label("0", ZERO, end + 15, "tick"), baseline(end)]
    for i, (base, share) in enumerate(zip(bases, found["shares"])):
        y, at = base - high / 2, exponent(share)
        middle = float(ZERO if share == 0 else x(at) if at is not None else RIGHT)
        if share:
            parts.append(path("line thin s0", f"M{x.start},{y:.1f}H{middle:.1f}"))
        parts.append(circle("dot s0" if share else "zero", middle, y, float(min(5, high / 3))))
        if high >= 18 or i in (0, len(bases) - 1):
            near_end = middle > 240
            where = (middle, y - 7, "tick ink end halo") if near_end else (middle + 9, y + 4, "tick ink start halo")
            parts.append(label(rounded(share), *where))
    return [*parts, *layer_names(bases, high, named)]


def graph(found, bottom):
    """Draw the parameters as squares, filled if reached; the count of nodes; the largest array to scale."""
    parts, each = [label("parameters", 2, TOP + 18, "caption start")], float(min(16, 165 / found["of"]))
    for i in range(found["of"]):
        kind = "cell on" if i < found["reached"] else "cell"
        parts.append(rect(kind, 82 + i * each, TOP + 6, each - 2, each - 2))
    parts.append(label(f"{found['reached']} of {found['of']}", 86 + found["of"] * each, TOP + 18, "start"))
    most = max(found["nodes"], found["needed"])
    x = Scale(0, most, 82, 240)
    parts += [
        label("nodes", 2, TOP + 47, "caption start"),
        rect("bars s0", 82, TOP + 35, x(found["nodes"]) - 82, 15),
        path("mark", f"M{x(found['needed']):.1f},{TOP + 31}v23"),
        label(found["nodes"], x(most) + 8, TOP + 47, "start"),
        label(f"line: {found['needed']}, what it needs", 82, TOP + 68, "caption start"),
        label("largest array", 2, TOP + 88, "caption start"),
    ]
    shape, room = found["largest"], bottom - TOP - 84
    rows, columns = shape if len(shape) == 2 else (1, shape[0]) if shape else (1, 1)
    scale = min(room / max(rows, 300), 150 / max(columns, 300)) if max(rows, columns) > 100 else room / 100
    wide, high = max(3.0, columns * scale), max(3.0, rows * scale)
    parts.append(rect("bars s1", 82, TOP + 78, wide, high))
    return [*parts, label(" × ".join(map(str, shape)) or "one number", 92 + wide, TOP + 88, "start")]


def units(found, bottom):
    """Draw a cell for each hidden unit, filled as far as it is open; a cross if it never is."""
    across, wide, parts = 16, 15, []
    deep = math.ceil(found["of"] / across)
    tall = float(min(34, (bottom - 44 - TOP) / deep - 5))
    for i, share in enumerate(found["open"]):
        x, y, high = 2 + (wide + 4) * (i % across), TOP + 2 + (tall + 5) * (i // across), share * tall
        parts += [rect("cell", x, y, wide, tall), rect("level", x, y + tall - high, wide, high)]
        if share == 0:
            parts.append(path("cross", f"M{x + 5},{y + tall / 2 - 4:.1f}l8,8m0,-8l-8,8"))
    parts.append(label("filled: share of the rows for which it is not 0", 2, bottom - 24, "caption start"))
    return [*parts, label("cross: 0 for every row, it is dead", 2, bottom - 6, "caption start")]


def by_heart(found, bottom):
    """Draw the loss on eight rows over the steps."""
    losses, spread = found["losses"], found["variance"]
    finite = [*filter(math.isfinite, losses)] or [1.0]
    low, high = max(1e-6, min(LEARNED / 5, *finite)), max(10.0, *finite)
    x, y = Scale(0, max(2, len(losses) - 1), LEFT, RIGHT), Scale(low / 1.5, high, bottom - 22, TOP + 4, log=True)
    limits = [(LEARNED, f"learned below {LEARNED:g}")]
    if spread is not None and spread > 2 * LEARNED:
        limits.append((spread, f"variance {rounded(spread)}"))
    steps = label(f"{len(losses):,} steps on the same eight rows", (LEFT + RIGHT) / 2, bottom - 6, "caption")
    return [*loss_lines(losses, x, y, limits), steps]


def small_step(found, bottom):
    """Draw two bars, the expected change of the loss and the measured one; and their ratio on a line."""
    largest = max(abs(found["expected"]), abs(found["change"])) or 1.0
    if not math.isfinite(largest):
        return [label("The loss is not a number.", 2, TOP + 30, "start")]
    x, parts = Scale(-largest, largest, 82, 226), []
    for i, (name, size) in enumerate((("promised", found["expected"]), ("measured", found["change"]))):
        parts += bar(i, name, min(x(0), x(size)), TOP + 8 + 26 * i, abs(x(size) - x(0)), 16, rounded(size))
    parts.append(path("axis", f"M{x(0)},{TOP + 2}v54"))
    parts.append(label("falls", x(0) - 6, TOP + 72, "tick end"))
    parts.append(label("rises", x(0) + 6, TOP + 72, "tick start"))
    y, ratio, share = bottom - 34, Scale(-1.5, 1.5, 82, 226), found["ratio"]
    parts += [label("ratio", 2, y + 4, "caption start"), baseline(y, 74, 234)]
    for at in (-1, 0, 1):
        parts += [path("axis", f"M{ratio(at):.1f},{y - 5}v10"), label(at, ratio(at), y + 20, "tick")]
    if math.isfinite(share):
        parts.append(circle("dot s3", ratio(share), y, 6))
    said = f"{'←' if share < -1.5 else ''}{rounded(share)}{' →' if share > 1.5 else ''}"
    return [*parts, label(said, RIGHT, y + 4, "name end")]


def kept(found, bottom):
    """Draw two bars, the size of the gradient that is kept and of a fresh one."""
    largest = max([x for x in (found["kept"], found["fresh"]) if math.isfinite(x)], default=0) or 1.0
    x, parts = Scale(0, largest, 62, 236), []
    for i, name in enumerate(("kept", "fresh")):
        wide = x(found[name]) - 62 if math.isfinite(found[name]) else 0.0
        parts += bar(i, name, 62, TOP + 12 + 34 * i, wide, 22, rounded(found[name]))
    ratio = label(f"kept : fresh = {rounded(found['ratio'])}", 62, bottom - 18, "large start")
    return [*parts, path("axis", f"M62,{TOP + 6}v62"), ratio]


def check(found, bottom):
    """Draw the largest difference relative to the largest slope, on a line of powers of ten."""
    x, y, top = Scale(-12, 1, 16, RIGHT - 8), bottom - 40, TOP + 18
    limit, share = x(math.log10(RIGHT_BELOW)), found["error"] / max(found["largest"], 1e-3)
    at = x(exponent(share)) if exponent(share) is not None else float(x.start if share == 0 else x.end)
    middle = (top + y) / 2
    return [
        rect("band", x.start, top, limit - x.start, y - top),
        *decades(x, y, top, 3),
        baseline(y, x.start, x.end),
        path("guide now", f"M{limit:.1f},{top}V{y}"),
        label("right", (x.start + limit) / 2, TOP + 12, "caption"),
        label("wrong", (limit + x.end) / 2, TOP + 12, "caption"),
        label("largest difference : largest slope", (x.start + x.end) / 2, y + 32, "caption"),
        circle(f"dot s{0 if at <= limit else 1}", at, middle, 7),
        beside(rounded(share), at, middle + 4, "name {} halo", 13, 200),
    ]


def sheet(found, bottom):
    """Draw mean and spread of the data before, after and of the test; and how near the test's rows are."""
    parts, top = [], TOP - 2
    rows = (("train", *found["train"]), ("train, after", found["train"][0], found["after"]), ("test", *found["test"]))
    finite = [edge for _, mean, spread in rows for edge in (mean - spread, mean + spread) if math.isfinite(edge)]
    low, high = min(finite, default=-1), max(finite, default=1)
    x = Scale(low, high if high > low else low + 1, 88, 204)
    for i, (name, mean, spread) in enumerate(rows):
        y, after = top + 8 + 16 * i, i == 1  # its mean is not known
        parts.append(label(name, 2, y + 4, "caption start"))
        parts.append(path(f"spread s{i}", f"M{x(mean - spread):.1f},{y}H{x(mean + spread):.1f}"))
        if not after:
            parts.append(circle("dot ink", x(mean), y, 3.5))
        parts.append(label(f"{'' if after else f'{rounded(mean)} '}± {rounded(spread)}", RIGHT, y + 4, "tick ink end"))
    x = Scale(0, max(found["near"], found["among"]) or 1.0, 88, 204)
    for i, (name, distance) in enumerate((("test to train", found["near"]), ("train to train", found["among"]))):
        said = f"nearest {rounded(distance)}"
        parts += bar(2 * (1 - i), name, 88, top + 55 + 16 * i, x(distance) - 88, 10, said, "tick ink end")
    return parts


def rows(found, bottom):
    """Draw a histogram of the sizes of the rows' gradients, the largest one, and the rows of a batch that count."""
    logs = [at for at in map(exponent, found["sizes"]) if at is not None]
    low, high = math.floor(min(logs, default=-3)), math.ceil(max(logs, default=0) + 1e-9)
    x, end, top = Scale(min(low, high - 2), max(high, low + 2), 16, RIGHT - 8), bottom - 56, TOP + 20
    parts = [*decades(x, end, top, math.ceil((x.high - x.low) / 6)), baseline(end, x.start, x.end)]
    parts.append(histogram(logs, x, end, end - top, 40))
    if (at := exponent(found["sizes"][found["row"]])) is not None:
        parts.append(path("line thin s1", f"M{x(at):.1f},{end}V{top - 8}"))
        parts.append(beside(f"largest: row {found['row']}", x(at), top - 6, "caption {}", 5, 180))
    y, each = bottom - 30, (RIGHT - 24) / max(found["of"], 1)
    for i in range(found["of"]):
        parts.append(rect("cell on" if i < found["counted"] else "cell", 16 + i * each, y, each - 1.5, 9))
    said = f"rows of a batch that change the loss: {found['counted']} of {found['of']}"
    return [*parts, label(said, 16, y + 24, "caption start")]


DRAWINGS = {
    drawing.__name__: drawing
    for drawing in (curve, answers, gradients, moved, graph, units, by_heart, small_step, kept, check, sheet, rows)
}
