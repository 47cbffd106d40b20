"""The drawing of the gradient microscope: ridges of gradients, bars of gains, the sum below."""

import functools
import itertools
import math

from autograd.errors.messages import show
from figures.labs.microscope_slides import DEEPEST, INTERVALS, LEFT, RIGHT, format_gain, percent, to_pixel, words
from figures.page.style import steady
from figures.page.svg import Scale, label, power_text, svg
from figures.training.deep import SEEDS, mean_gain

WIDTH, HEIGHT, TOP, BOTTOM = 712, 388, 44, 354  # of the drawing; the top and bottom of its rows
SIZE, ZEROS, BAD = 320, 361, 416  # the right ends of the columns next to it
SECOND, LOW, HIGH = 434, 464, 584  # the left end of the gains, and their axis
PRODUCT, SHARE = 648, 712  # the right ends of the columns next to it
DEAD = 656, 22  # the left end of the bars of dead units, and the length of a full one


def draw(pen, slide):
    """Draw the sum, and under it the histograms on the left, the gains on the right."""
    alt = f"{slide.description()} {'. '.join(slide.lines())}."
    halves = pen("g", "halves", "", gradients(pen, slide) + gains(pen, slide), at={"role": "img"}, aria_label=alt)
    return sum_html(pen, slide) + svg(WIDTH, HEIGHT, standing(), halves)


def sum_html(pen, slide):
    """Draw the sum: weights' gain × activation's gain, to the power of the steps, is first / last."""
    n, steps = slide.steps, slide.steps != 1 or not math.isnan(slide.gains[0])
    gains = [mean_gain(part[:n]) if part and not math.isnan(part[0]) else math.nan for part in parts_of(slide)]
    mean, last = f"mean of {n} step{'s' * (n > 1)}", slide.names[-1]
    taken = [mean if gain == gain else "not measured" for gain in gains]
    cells = (
        (
            "weights",
            "weights' gain",
            format_gain(gains[0]),
            "no weights" if steps and gains[0] != gains[0] else taken[0],
        ),
        ("activation", "× activation's gain", format_gain(gains[1]), slide.scaled("× residual scale ") or taken[1]),
        ("step", "= gain of a step back", format_gain(gains[2]), taken[2]),
        ("steps", "to the power of steps", str(n), f"from {slide.title(n)} to {slide.names[0]}"),
    )
    made = [
        f'<div class="bp-plain"><span>{heading}</span>{pen("b", f"sum.{key}", text=text)}'
        f"{pen('small', f'sum.{key}.note', text=note)}</div>"
        for key, heading, text, note in cells
    ]
    of = pen("span", "sum.of", text=f"= layer {slide.names[0]} / {slide.title(n) if last.isdigit() else last}")
    ratio = pen("b", "sum.ratio", text=steady(slide.ratio)) + pen("small", "sum.ratio.note", text=slide.judged)
    return f'<div class="bp-sum bp-microscope">{"".join(made)}<div>{of}{ratio}</div></div>'


@functools.cache
def standing():
    """Draw the fixed parts."""
    parts = [
        label("Gradients, layer by layer", 0, 14, "heading"),
        label("layer", 0, 34, "caption start"),
        label("are 0", ZEROS, 34, "caption end"),
        label("nan, inf", BAD, 34, "caption end"),
        label("Gains of a step back", SECOND, 14, "heading"),
        f'<path class="bars s0 scope-solid" d="M{SECOND},25h12v9h-12Z"/>',
        label("weights", SECOND + 15, 34, "caption start"),
        f'<path class="bars s1 scope-hollow" d="M{SECOND + 68},25h12v9h-12Z"/>',
        f'<path class="scope-stripes s1" d="M{SECOND + 72},25v9m4,-9v9"/>',
        label("activation", SECOND + 83, 34, "caption start"),
        f'<path class="scope-line" d="M{PRODUCT - 67},29.5h18"/>',
        f'<path class="scope-dot" d="M{PRODUCT - 62},29.5a4,4 0 1 0 8,0a4,4 0 1 0 -8,0Z"/>',
        label("product", PRODUCT, 34, "caption end"),
        label("dead", SHARE, 34, "caption end"),
        label("dead: slope 0", SHARE, 14, "caption end"),
        label("1", (LOW + HIGH) / 2, BOTTOM + 15, "tick"),
    ]
    for i in range(INTERVALS + 1):
        parts.append(f'<path class="grid" d="M{to_pixel(i):.1f},{TOP}V{BOTTOM}"/>')
    for place in range(5):
        x = LOW + (HIGH - LOW) * place / 4
        parts.append(f'<path class="{"axis" if place == 2 else "grid"}" d="M{x:.1f},{TOP}V{BOTTOM}"/>')
    return "".join([*parts, f'<path class="axis" d="M{LEFT},{BOTTOM}H{RIGHT}"/>'])


def gradients(pen, slide):
    """Draw the left half: one histogram per layer, its size, and what it leaves out."""
    n, height = len(slide.names), (BOTTOM - TOP) / len(slide.names)
    xs = [slide.axis.pixel(number) for number in slide.sizes]
    points = [(x, foot(i, height)) for i, x in enumerate(xs) if x is not None]  # of the diamonds
    band = slide.band[0]
    shaded = "M0,0" if band is None else band_of(band, slide.axis.pixel, [foot(i, height) for i in range(n)])
    rules = "".join(f"M{LEFT},{TOP + height * (i + 1):.1f}H{RIGHT}" for i in range(n))
    axis = "log" if slide.axis.log else "linear"
    parts = [
        pen("path", "rules", "grid", d=rules),
        pen("path", "ridge", "bars s2", d=ridge(slide, height)),
        pen("path", "band", "scope-band", d=shaded),
        pen("path", "sizes", "scope-line", d=joined(points)),
        pen("path", "sizes.dots", "scope-dot", d=diamonds(points, min(5.0, height / 3.2))),
        pen("path", "seeds", "scope-band", d="M0,0" if band is None else f"M{LEFT + 4},25h16v9h-16Z"),
        words(pen, "seeds.of", LEFT + 24, 34, "start", "" if band is None else f"seeds {SEEDS[0]} to {SEEDS[-1]}"),
        words(pen, "of", 0, HEIGHT - 4, "start", f"{slide.of}, on a {axis} axis; ◆ {slide.statistic}"),
        words(pen, "size", SIZE, 34, "end", "◆ mean" if slide.statistic == "mean" else "◆ rms"),
        words(pen, "each", BAD, 14, "end", f"of {slide.each:,} in each layer"),
    ]
    for i, text in enumerate(slide.axis.ticks()):
        parts.append(pen("text", f"tick{i}", "tick", text=text, at={"x": to_pixel(i), "y": BOTTOM + 15}))
    columns = (
        ("row{}", 24, "tick y", slide.names),
        ("row{}.size", SIZE, "tick y scope-ink", map(show, slide.sizes)),
        ("row{}.zeros", ZEROS, "tick y", (f"{count:,}" for count in slide.zeros)),
        ("row{}.bad", BAD, "tick y", (f"{count:,}" for count in slide.not_finite)),
    )
    return "".join([*parts, *(column(pen, height, n, *each) for each in columns)])


def gains(pen, slide):
    """Draw the right half: the gains of each step as bars, their product as a line, the share of dead units."""
    n, height, scale = len(slide.names), (BOTTOM - TOP) / len(slide.names), gain_scale(slide)
    middle = [TOP + height * (i + 0.5) for i in range(n)]
    rows = list(zip(middle, slide.weights, slide.activation, slide.gains))
    dots = [(scale(product), y) for y, _, _, product in rows if math.isfinite(product)]
    band = slide.band[1]
    shaded = "M0,0" if band is None else band_of(band, functools.partial(place_of, scale), middle)
    note = slide.note or "gain of a step back to this layer, on a log axis"
    if slide.scale != 1:
        note = f"product: × residual scale {show(slide.scale)}; log axis"
    paths = {
        "weights": ("bars s0 scope-solid", "".join(bar(scale, gain, y, -1, height) for y, gain, _, _ in rows)),
        "activation": ("bars s1 scope-hollow", "".join(bar(scale, gain, y, 1, height) for y, _, gain, _ in rows)),
        "stripes": ("scope-stripes s1", "".join(stripes(scale, gain, y, height) for y, _, gain, _ in rows)),
        "gains.band": ("scope-band", shaded),
        "product": ("scope-line", joined(dots)),
        "product.dots": ("scope-dot", circles(dots, min(4.0, height / 4))),
        "frames": ("axis", "".join(dead_bar(1.0, y, height) for y, s in zip(middle, slide.dead) if s == s)),
        "dead": ("scope-dead", "".join(dead_bar(share, y, height) for y, share in zip(middle, slide.dead))),
    }
    parts = [pen("path", key, kind, d=d or "M0,0") for key, (kind, d) in paths.items()]
    for key, x, end in (("least", LOW, scale.low), ("most", HIGH, scale.high)):
        text = power_text(round(math.log10(end)))
        parts.append(pen("text", key, "tick", text=text, at={"x": x, "y": BOTTOM + 15}))
    parts.append(words(pen, "note", SECOND, HEIGHT - 4, "start", note))
    products = ["start" if i == n - 1 and n > 2 else format_gain(gain) for i, gain in enumerate(slide.gains)]
    for each in (
        ("gain{}", SECOND + 20, "tick y", slide.names),
        ("gain{}.product", PRODUCT, "tick y scope-ink", products),
        ("gain{}.dead", SHARE, "tick y", map(percent, slide.dead)),
    ):
        parts.append(column(pen, height, n, *each))
    return "".join(parts)


def column(pen, height, n, key, x, kind, texts):
    """Draw a text in each of n rows, and empty ones in the rows up to DEEPEST."""
    texts = [*texts, *[""] * (DEEPEST - n)]
    ys = [(TOP + height * (i + 0.5) if i < n else BOTTOM) + 4 for i in range(DEEPEST)]
    return "".join(
        pen("text", key.format(i), kind, text=text, at={"x": x}, y=y) for i, (text, y) in enumerate(zip(texts, ys))
    )


def foot(i, height):
    """Return the y of a row's size: near its foot."""
    return TOP + height * (i + 1) - min(6.0, height / 2)


def place_of(scale, gain):
    """Return the x of a gain; None if it has no place on a log axis."""
    return scale(gain) if gain > 0 and math.isfinite(gain) else None


def parts_of(slide):
    """Return the gains of the weights, of the activations, and of whole steps."""
    return slide.weights, slide.activation, slide.gains


def ridge(slide, height):
    parts, xs = [], [f"{to_pixel(edge):.1f}" for edge in slide.edges]
    for i, counts in enumerate(slide.counts.tolist()):
        most, base, before = max(counts), TOP + height * (i + 1), 0
        if not most:
            continue
        unit = (height - min(4.0, 0.15 * height)) / most
        for x, count in zip(xs, [*counts, 0]):
            if count != before:
                start = f"M{x},{base:.1f}" if not before else f"H{x}"
                parts.append(f"{start}V{base - unit * count:.1f}" + ("" if count else "Z"))
                before = count
    return "".join(parts) or "M0,0"


def joined(points):
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points) if points else "M0,0"


def band_of(ends, pixel, ys):
    """Return the `d` of the band between two rows of numbers, one pair at each y, cut where a number has no place."""
    parts = []
    for has_place, rows in itertools.groupby(
        zip(*map(functools.partial(map, pixel), ends), ys), lambda row: None not in row
    ):
        low, high, at = zip(*rows) if has_place else ((), (), ())
        parts += [joined([*zip(low, at), *zip(high[::-1], at[::-1])]) + "Z"] * (len(at) > 1)
    return "".join(parts) or "M0,0"


def diamonds(points, r):
    r = round(r, 1)
    return on_each(points, r, f"l{r:g},{-r:g} {r:g},{r:g} {-r:g},{r:g}Z")


def circles(points, r):
    r = round(r, 1)
    half = f"a{r:g},{r:g} 0 1 0 "
    return on_each(points, r, f"{half}{2 * r:g},0{half}{-2 * r:g},0Z")


def on_each(points, r, shape):
    """Return the `d` of a shape on each point, drawn from r to the left of it."""
    return "".join(f"M{x - r:.1f},{y:.1f}{shape}" for x, y in points) or "M0,0"


def gain_scale(slide):
    """Return the axis of gains: from 1/r to r for the smallest r of 10, 100, 10⁴, … that holds them all."""
    band = slide.band[1] or ()
    gains = [gain for part in (*parts_of(slide), *band) for gain in part]
    powers = [abs(math.log10(gain)) for gain in gains if gain > 0 and math.isfinite(gain)]
    reach = next(reach for reach in (1, 2, 4, 8, 16, 32, 64, 128, 300) if reach >= min(max(powers, default=1), 300))
    return Scale(10.0**-reach, 10.0**reach, LOW, HIGH, log=True)


def thickness(height):
    return min(12.0, max(2.0, (height - 3) / 2))


def bar(scale, gain, y, side, height):
    """Return the `d` of a gain's bar, from 1 to the gain; side -1 is above the middle of the row, 1 below."""
    if math.isnan(gain):
        return ""
    thick, end = thickness(height), scale(gain)
    top = y - thick if side < 0 else y
    return f"M{scale(1):.1f},{top:.1f}H{end:.1f}v{thick:.1f}H{scale(1):.1f}Z"


def stripes(scale, gain, y, height):
    """Return the `d` of upright stripes in the bar below the middle, so that it is known not only by its colour."""
    if math.isnan(gain):
        return ""
    left, right = sorted((scale(1), scale(gain)))
    return "".join(
        f"M{left + 4 * i:.1f},{y:.1f}v{thickness(height):.1f}" for i in range(1, int((right - left) / 4) + 1)
    )


def dead_bar(share, y, height):
    if not share > 0:
        return ""
    thick = min(12.0, height - 4)
    return f"M{DEAD[0]},{y - thick / 2:.1f}h{DEAD[1] * share:.1f}v{thick:.1f}h{-DEAD[1] * share:.1f}Z"
