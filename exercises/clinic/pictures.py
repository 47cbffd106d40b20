"""The clinic's pictures: a panel for each instrument's reading, and what is known of a patient before any of them."""

import html
import math

import numpy as np

from exercises.clinic.axes import LEFT, RIGHT, TOP, baseline, decades, exponent, levels
from exercises.clinic.numbers import number
from figures.page.picture import Picture, labelled
from figures.page.svg import Scale, label, line, svg

WIDTH, HEIGHT = 312, 236  # pixels of a panel
LINE = 18  # pixels of a word's line
LEARNED = 0.05  # below it eight rows are learned: as the instrument's own word has it
RIGHT_BELOW = 1e-5  # a difference in a gradient check: the share of the largest slope that is allowed
UNUSUAL = "M-4.5,0L0,-4.5L4.5,0L0,4.5Z"  # beside a word that no healthy program gives


def picture(reading):
    """A reading as an SVG: what was measured, and under it the word of each dial."""
    instrument = reading.instrument
    bottom = HEIGHT - LINE * len(instrument.dials) - 8
    with np.errstate(all="ignore"):
        drawn = DRAWINGS[instrument.name](reading.numbers, bottom)
    heads = [label(instrument.title, 2, 16, "heading start"), label(instrument.asks, 2, 34, "caption start")]
    return labelled(svg(WIDTH, HEIGHT, *heads, *drawn, *words(reading, bottom + 4)), f"{reading!r} {in_words(reading)}")


def words(reading, y):
    """The word of each dial, a line each, and a mark beside those that no healthy program gives."""
    parts = [f'<path class="grid" d="M2,{y}H{WIDTH - 2}"/>']
    for i, dial in enumerate(reading.instrument.dials):
        word, at = reading.words[dial.name], y + LINE * (i + 1) - 3
        usual = word in dial.healthy
        mark = f'<circle class="dial" cx="9" cy="{at - 4}" r="3.5"/>'
        if not usual:
            mark = f'<path class="dial unusual" transform="translate(9 {at - 4})" d="{UNUSUAL}"/>'
        said = f'<tspan class="reads{"" if usual else " unusual"}">{html.escape(word)}</tspan>'
        parts.append(f'{mark}<text class="start" x="20" y="{at}">{html.escape(dial.title)}: {said}</text>')
    return parts


def in_words(reading):
    """The word of each dial, as a sentence."""
    found = (
        f"{dial.title}: {reading.words[dial.name]}" + (" (unusual)" * (reading.words[dial.name] not in dial.healthy))
        for dial in reading.instrument.dials
    )
    return "; ".join(found).capitalize() + "."


def bundle(reading):
    """What a notebook shows of a reading: the picture, the sentence beneath, and the same as text."""
    shown = Picture(picture(reading), repr(reading), note=reading.says)
    return {"text/html": shown.html(), "text/plain": repr(reading)}


def patient_bundle(patient):
    """What a notebook shows of a patient: its complaint, its loss curve and what it can do, with words for it."""
    curve = patient.read("curve")
    name, said = patient.name or "A patient", complaint(patient)
    shown = Picture(picture(curve), repr(curve), note=curve.says)
    quote = f'<p style="margin:0 0 8px;font-size:15px"><b>{html.escape(name)}.</b> {html.escape(said)}</p>'
    return {"text/html": f'<div class="bp">{quote}</div>{shown.html()}', "text/plain": f"{name}. {said}\n{curve!r}"}


def complaint(patient):
    """What the owner of a patient says."""
    if patient.fault is None:
        return "Nobody has complained. Its readings are what others are compared with."
    return f"“{patient.fault.complaint}”"


def loss_lines(losses, x, y, limits, ends):
    """A line of losses, lines for limits, (number, words) each, the axis of losses, and a cross where it ends early."""
    parts = [baseline(y.start, x.start, x.end)]
    for tick, text in y.ticks(5):
        parts.append(f'<path class="grid" d="M{x.start},{y(tick):.1f}H{x.end}"/>')
        parts.append(label(text, x.start - 6, y(tick) + 4, "tick y"))
    points = list(enumerate(losses))
    parts.append(f'<path class="line thin s0" d="{line(points, x, y)}"/>')
    for limit, said in limits:
        above = y(limit) - 5 if y(limit) - 16 > y.end else y(limit) + 14
        parts.append(f'<path class="guide now" d="M{x.start},{y(limit):.1f}H{x.end}"/>')
        parts.append(label(said, x.end, above, "caption end halo"))
    if ends:
        parts.append(f'<path class="cross" d="M{x(len(losses) - 1) - 5:.1f},{y.end}l10,10m0,-10l-10,10"/>')
        at = x(len(losses) - 1)
        side, shift = ("end", -10) if at > 150 else ("start", 10)
        parts.append(label("no number", at + shift, y.end + 9, f"caption {side} halo"))
    return parts


def curve(found, bottom):
    """The loss of each step, the loss of guessing, and bars for train and test."""
    losses, guess = found["losses"], found["guess"]
    limit = (guess, f"guessing {number(guess)}") if guess else (1.0, "always the mean 1")
    x = Scale(0, max(2, len(losses) - 1), LEFT, 206)
    y = levels(losses, limit[0])(bottom - 22, TOP + 6)
    ends = not math.isfinite(losses[-1])
    parts = loss_lines(losses, x, y, [limit], ends)
    steps = f"{len(losses):,} steps" + (", then it ends" if ends else "")
    parts.append(label(steps, (x.start + x.end) / 2, bottom - 6, "caption"))
    tall = Scale(0, 1, bottom - 22, TOP + 22)
    parts += [baseline(tall.start, 226, RIGHT), f'<path class="grid" d="M226,{tall.end:.1f}H{RIGHT}"/>']
    for i, name in enumerate(("train", "test")):
        share, left = found[name], 230 + 36 * i
        said = "–" if not math.isfinite(share) else f"{100 * share:.0f} %" if guess else f"{share:.2f}"
        if not guess and share < -99:
            said = "< −99"
        high = tall.start - tall(share)
        parts.append(f'<rect class="bars s{i}" x="{left}" y="{tall(share):.1f}" width="30" height="{high:.1f}"/>')
        parts.append(label(said, left + 15, tall(share) - 4, "tick ink"))
        parts.append(label(name, left + 15, bottom - 6, "caption"))
    parts.append(label("right" if guess else "R²", 263, TOP + 4, "caption"))
    return parts


ZERO = 58  # where what is exactly 0 stands, left of a scale of powers of ten


def rows_of(count, top, bottom):
    """(where each row's base is, how high a row is, which rows are named) of so many rows."""
    high = (bottom - top) / count
    named = range(count) if high >= 12 else (0, count - 1)
    return [top + high * (i + 1) for i in range(count)], high, named


def layer_names(bases, high, named):
    """The name of each row: layer 1, layer 2, ….."""
    return [label(f"layer {i + 1}", 2, bases[i] - high / 2 + 4, "caption start") for i in named]


def gradients(found, bottom):
    """For each layer how large its gradients are, as a histogram, and their root mean square as a line."""
    x, top, end = Scale(-12, 3, 92, RIGHT), TOP, bottom - 22
    bases, high, named = rows_of(len(found["sizes"]), top, end)
    parts = [*decades(x, end, top, 3), label("0", ZERO, end + 15, "tick"), baseline(end)]
    for i, (base, logs, size) in enumerate(zip(bases, found["logs"], found["sizes"])):
        if high > 12:
            parts.append(baseline(f"{base:.1f}"))
        if not size > 0:
            said = "all 0" if size == 0 else "no number"
            parts.append(f'<circle class="zero" cx="{ZERO}" cy="{base - high / 2:.1f}" r="{min(5, high / 3):.1f}"/>')
            if high >= 12:
                parts.append(label(said, 72, base - high / 2 + 4, "caption start"))
            continue
        finite = np.clip([each for each in logs if math.isfinite(each)], x.low, x.high)
        counts = np.histogram(finite, np.linspace(x.low, x.high, 46))[0].tolist()
        tall, step = (high - min(16, high / 3)) / max(1, *counts), (x.end - x.start) / 45
        rises = "".join(f"v{-tall * (b - a):.1f}h{step:.2f}" for a, b in zip([0, *counts], counts))
        parts.append(f'<path class="bars s0" d="M{x.start},{base:.1f}{rises}V{base:.1f}Z"/>')
        if (at := exponent(size)) is not None:
            parts.append(f'<path class="mark" d="M{x(at):.1f},{base:.1f}v{-0.8 * high:.1f}"/>')
            if high >= 18 or i in (0, len(bases) - 1):
                side, shift = ("end", -6) if x(at) > 240 else ("start", 6)
                parts.append(label(number(size), x(at) + shift, base - 0.8 * high + 9, f"tick ink {side} halo"))
    return [*parts, *layer_names(bases, high, named)]


USUAL = (1e-3, 1e-1)  # of a step's share of the weights, where a network learns


def moved(found, bottom):
    """For each layer the size of the first step beside that of its weights."""
    x, top, end = Scale(-8, 2, 92, RIGHT), TOP, bottom - 22
    bases, high, named = rows_of(len(found["shares"]), top, end)
    low, upper = (x(math.log10(edge)) for edge in USUAL)
    parts = [f'<rect class="band" x="{low:.1f}" y="{top}" width="{upper - low:.1f}" height="{end - top}"/>']
    parts += [*decades(x, end, top), label("0", ZERO, end + 15, "tick"), baseline(end)]
    for i, (base, share) in enumerate(zip(bases, found["shares"])):
        y, at = base - high / 2, exponent(share)
        middle = ZERO if share == 0 else x(at) if at is not None else RIGHT
        kind = "zero" if share == 0 else "dot s0"
        if share:
            parts.append(f'<path class="line thin s0" d="M{x.start},{y:.1f}H{middle:.1f}"/>')
        parts.append(f'<circle class="{kind}" cx="{middle:.1f}" cy="{y:.1f}" r="{min(5, high / 3):.1f}"/>')
        if high >= 18 or i in (0, len(bases) - 1):
            side = "end" if middle > 240 else "start"
            text_y = y + 4 if side == "start" else y - 7
            parts.append(label(number(share), middle + (9 if side == "start" else 0), text_y, f"tick ink {side} halo"))
    return [*parts, *layer_names(bases, high, named)]


def graph(found, bottom):
    """The parameters as squares, those that are reached filled; the count of nodes; the largest array to scale."""
    parts, y = [label("parameters", 2, TOP + 18, "caption start")], TOP + 6
    each = min(16, 165 / found["of"])
    for i in range(found["of"]):
        kind = "cell on" if i < found["reached"] else "cell"
        parts.append(
            f'<rect class="{kind}" x="{82 + i * each:.1f}" y="{y}" width="{each - 2:.1f}" height="{each - 2:.1f}"/>'
        )
    parts.append(label(f"{found['reached']} of {found['of']}", 86 + found["of"] * each, TOP + 18, "start"))
    most = max(found["nodes"], found["needed"])
    x = Scale(0, most, 82, 240)
    parts.append(label("nodes", 2, TOP + 47, "caption start"))
    parts.append(f'<rect class="bars s0" x="82" y="{TOP + 35}" width="{x(found["nodes"]) - 82:.1f}" height="15"/>')
    at = f"{x(found['needed']):.1f}"
    parts.append(f'<path class="mark" d="M{at},{TOP + 31}v23"/>')
    parts.append(label(str(found["nodes"]), x(most) + 8, TOP + 47, "start"))
    parts.append(label(f"line: {found['needed']}, what it needs", 82, TOP + 68, "caption start"))
    parts.append(label("largest array", 2, TOP + 88, "caption start"))
    shape = found["largest"]
    rows, columns = shape if len(shape) == 2 else (1, shape[0]) if shape else (1, 1)
    room = bottom - TOP - 84
    scale = min(room / max(rows, 300), 150 / max(columns, 300)) if max(rows, columns) > 100 else room / 100
    wide, high = max(3.0, columns * scale), max(3.0, rows * scale)
    parts.append(f'<rect class="bars s1" x="82" y="{TOP + 78}" width="{wide:.1f}" height="{high:.1f}"/>')
    parts.append(label(" × ".join(map(str, shape)) or "one number", 92 + wide, TOP + 88, "start"))
    return parts


def units(found, bottom):
    """A cell for each hidden unit, filled as far as it is open; a cross where it never is."""
    across, wide, parts = 16, 15, []
    deep = math.ceil(found["of"] / across)
    tall = min(34, (bottom - 44 - TOP) / deep - 5)
    for i, share in enumerate(found["open"]):
        x, y, high = 2 + (wide + 4) * (i % across), TOP + 2 + (tall + 5) * (i // across), share * tall
        parts.append(f'<rect class="cell" x="{x}" y="{y:.1f}" width="{wide}" height="{tall:.1f}"/>')
        parts.append(f'<rect class="level" x="{x}" y="{y + tall - high:.1f}" width="{wide}" height="{high:.1f}"/>')
        if share == 0:
            parts.append(f'<path class="cross" d="M{x + 5},{y + tall / 2 - 4:.1f}l8,8m0,-8l-8,8"/>')
    parts.append(label("filled: share of the rows for which it is not 0", 2, bottom - 24, "caption start"))
    parts.append(label("cross: 0 for every row, it is dead", 2, bottom - 6, "caption start"))
    return parts


def by_heart(found, bottom):
    """The loss on eight rows over the steps."""
    losses = found["losses"]
    finite = [loss for loss in losses if math.isfinite(loss)] or [1.0]
    low, high = max(1e-6, min(LEARNED / 5, *finite)), max(10.0, *finite)
    x, y = Scale(0, max(2, len(losses) - 1), LEFT, RIGHT), Scale(low / 1.5, high, bottom - 22, TOP + 4, log=True)
    limits = [(LEARNED, f"learned below {LEARNED:g}")]
    if (spread := found["variance"]) is not None and spread > 2 * LEARNED:
        limits.append((spread, f"variance {number(spread)}"))
    parts = loss_lines(losses, x, y, limits, not math.isfinite(losses[-1]))
    parts.append(label(f"{len(losses):,} steps on the same {ROWS_TEXT}", (LEFT + RIGHT) / 2, bottom - 6, "caption"))
    return parts


ROWS_TEXT = "eight rows"


def small_step(found, bottom):
    """Two bars, what the step should change and what it did; and their ratio on a line from -1 to 1."""
    largest = max(abs(found["expected"]), abs(found["change"])) or 1.0
    if not math.isfinite(largest):
        return [label("The loss is no number.", 2, TOP + 30, "start")]
    x, parts = Scale(-largest, largest, 82, 226), []
    for i, (name, size) in enumerate((("promised", found["expected"]), ("measured", found["change"]))):
        y = TOP + 8 + 26 * i
        left, wide = min(x(0), x(size)), abs(x(size) - x(0))
        parts.append(label(name, 2, y + 12, "caption start"))
        parts.append(f'<rect class="bars s{i}" x="{left:.1f}" y="{y}" width="{wide:.1f}" height="16"/>')
        parts.append(label(number(size), RIGHT, y + 12, "end"))
    parts.append(f'<path class="axis" d="M{x(0)},{TOP + 2}v54"/>')
    parts.append(label("falls", x(0) - 6, TOP + 72, "tick end"))
    parts.append(label("rises", x(0) + 6, TOP + 72, "tick start"))
    line_y, ratio = bottom - 34, Scale(-1.5, 1.5, 82, 226)
    parts += [label("ratio", 2, line_y + 4, "caption start"), baseline(line_y, 74, 234)]
    for at in (-1, 0, 1):
        parts.append(f'<path class="axis" d="M{ratio(at):.1f},{line_y - 5}v10"/>')
        parts.append(label(at, ratio(at), line_y + 20, "tick"))
    share = found["ratio"]
    if math.isfinite(share):
        parts.append(f'<circle class="dot s3" cx="{ratio(share):.1f}" cy="{line_y}" r="6"/>')
    beyond = " →" if share > 1.5 else ""
    parts.append(label(f"{'←' if share < -1.5 else ''}{number(share)}{beyond}", RIGHT, line_y + 4, "name end"))
    return parts


def kept(found, bottom):
    """Two bars, the size of the gradient that is kept and of a fresh one."""
    largest = max([x for x in (found["kept"], found["fresh"]) if math.isfinite(x)], default=0) or 1.0
    x, parts = Scale(0, largest, 62, 236), []
    for i, name in enumerate(("kept", "fresh")):
        y = TOP + 12 + 34 * i
        end = x(found[name]) if math.isfinite(found[name]) else 62
        parts.append(label(name, 2, y + 15, "caption start"))
        parts.append(f'<rect class="bars s{i}" x="62" y="{y}" width="{end - 62:.1f}" height="22"/>')
        parts.append(label(number(found[name]), RIGHT, y + 15, "end"))
    parts.append(f'<path class="axis" d="M62,{TOP + 6}v62"/>')
    parts.append(label(f"kept : fresh = {number(found['ratio'])}", 62, bottom - 18, "large start"))
    return parts


def check(found, bottom):
    """The largest difference beside the largest slope, on a line of powers of ten."""
    x, y = Scale(-12, 1, 16, RIGHT - 8), bottom - 40
    limit = x(math.log10(RIGHT_BELOW))
    share = found["error"] / max(found["largest"], 1e-3)
    parts = [
        f'<rect class="band" x="{x.start}" y="{TOP + 18}" width="{limit - x.start:.1f}" height="{y - TOP - 18}"/>',
        *decades(x, y, TOP + 18, 3),
        baseline(y, x.start, x.end),
        f'<path class="guide now" d="M{limit:.1f},{TOP + 18}V{y}"/>',
        label("right", (x.start + limit) / 2, TOP + 12, "caption"),
        label("wrong", (limit + x.end) / 2, TOP + 12, "caption"),
        label("largest difference : largest slope", (x.start + x.end) / 2, y + 32, "caption"),
    ]
    at = x(exponent(share)) if exponent(share) is not None else x.start if share == 0 else x.end
    middle = (TOP + 18 + y) / 2
    parts.append(f'<circle class="dot s{0 if at <= limit else 1}" cx="{at:.1f}" cy="{middle:.1f}" r="7"/>')
    side = "start" if at < 200 else "end"
    parts.append(label(number(share), at + (13 if side == "start" else -13), middle + 4, f"name {side} halo"))
    return parts


def sheet(found, bottom):
    """Mean and spread of the data before, after and of the test; and how near rows of the test are."""
    parts, top = [], TOP - 2
    rows = (("train", *found["train"]), ("after", found["train"][0], found["after"]), ("test", *found["test"]))
    finite = [edge for _, mean, spread in rows for edge in (mean - spread, mean + spread) if math.isfinite(edge)]
    low, high = min(finite, default=-1), max(finite, default=1)
    x = Scale(low, high if high > low else low + 1, 88, 204)
    for i, (name, mean, spread) in enumerate(rows):
        y = top + 8 + 16 * i
        parts.append(label({"after": "train, after"}.get(name, name), 2, y + 4, "caption start"))
        ends = x(mean - spread), x(mean + spread)
        parts.append(f'<path class="spread s{i}" d="M{ends[0]:.1f},{y}H{ends[1]:.1f}"/>')
        if name != "after":
            parts.append(f'<circle class="dot ink" cx="{x(mean):.1f}" cy="{y}" r="3.5"/>')
        middle = "" if name == "after" else f"{number(mean)} "
        parts.append(label(f"{middle}± {number(spread)}", RIGHT, y + 4, "tick ink end"))
    x = Scale(0, max(found["near"], found["among"]) or 1.0, 88, 204)
    for i, (name, key) in enumerate((("test to train", "near"), ("train to train", "among"))):
        y = top + 60 + 16 * i
        parts.append(label(name, 2, y + 4, "caption start"))
        kind, wide = f"bars s{2 * (1 - i)}", x(found[key]) - 88
        parts.append(f'<rect class="{kind}" x="88" y="{y - 5}" width="{wide:.1f}" height="10"/>')
        parts.append(label(f"nearest {number(found[key])}", RIGHT, y + 4, "tick ink end"))
    return parts


def rows(found, bottom):
    """A histogram of the sizes of the rows' gradients, with the largest; and the rows of a batch that count."""
    logs = [at for at in map(exponent, found["sizes"]) if at is not None]
    low, high = math.floor(min(logs, default=-3)), math.ceil(max(logs, default=0) + 1e-9)
    x, end, top = Scale(min(low, high - 2), max(high, low + 2), 16, RIGHT - 8), bottom - 56, TOP + 20
    counts = np.histogram(logs, np.linspace(x.low, x.high, 41))[0]
    tall, step = (end - top) / max(1, counts.max()), (x.end - x.start) / 40
    shape = "".join(f"v{-tall * (b - a):.1f}h{step:.2f}" for a, b in zip([0, *counts.tolist()], counts.tolist()))
    parts = [*decades(x, end, top, math.ceil((x.high - x.low) / 6)), baseline(end, x.start, x.end)]
    parts.append(f'<path class="bars s0" d="M{x.start},{end}{shape}V{end}Z"/>')
    if (at := exponent(found["sizes"][found["row"]])) is not None:
        name = f"row {found['row']}"
        parts.append(f'<path class="line thin s1" d="M{x(at):.1f},{end}V{top - 8}"/>')
        side = "end" if x(at) > 180 else "start"
        parts.append(label(f"largest: {name}", x(at) + (-5 if side == "end" else 5), top - 6, f"caption {side}"))
    y, each = bottom - 30, (RIGHT - 24) / max(found["of"], 1)
    for i in range(found["of"]):
        kind = "cell on" if i < found["counted"] else "cell"
        parts.append(f'<rect class="{kind}" x="{16 + i * each:.1f}" y="{y}" width="{each - 1.5:.1f}" height="9"/>')
    said = f"rows of a batch that change the loss: {found['counted']} of {found['of']}"
    parts.append(label(said, 16, y + 24, "caption start"))
    return parts


DRAWINGS = {
    drawing.__name__: drawing
    for drawing in (curve, gradients, moved, graph, units, by_heart, small_step, kept, check, sheet, rows)
}
