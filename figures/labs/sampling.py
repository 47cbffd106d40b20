"""The sampling lab: scores become shares at a temperature, and a dart on the bar of shares picks the next letter."""

import functools
from dataclasses import dataclass

import numpy as np

from autograd.errors import messages, validation
from autograd.errors.messages import show
from figures.graph.stage import readings
from figures.page import arrays, svg
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, bounded
from figures.page.picture import labelled
from figures.page.player import Frame, Player, Recording
from figures.page.style import steady

# How often each character follows a b in the 949 colour names of the xkcd survey (2010), the end as "."
COUNTS = {" ": 1, ".": 2, "a": 19, "b": 3, "e": 16, "i": 5, "l": 155, "o": 5, "r": 93, "u": 17, "y": 11}
DARTS = 100  # places of the dart, from 0 on
SIGNS = 2, 40  # how many characters a reader can tell apart in one drawing
ROOMY, SPACED = 12, 16  # up to so many characters fit with four decimals, and with their scores
BAR = 700  # pixels: the length of the bar of all shares
LEFT, TOP, BOTTOM, LINE, HEIGHT = (
    44,
    46,
    206,
    300,
    366,
)  # pixels: chart, top and foot of its bars, the long bar, drawing
ACROSS = svg.Scale(0, 1, LEFT, LEFT + BAR)
UP = svg.Scale(0, 1, BOTTOM, TOP)
INPUTS = Inputs(bounded("temperature", 0.1, 5, 0.1, why=" here; near 0 the largest score gets everything"))


@dataclass(frozen=True, eq=False)
class Next:
    """The characters that may come next, their scores, and their shares at a temperature and at 1: arrays of (signs,).

    ends: where each character's part ends on a bar from 0 to 1.
    """

    signs: str
    scores: np.ndarray
    temperature: float

    @functools.cached_property
    def shares(self):
        """The shares at the temperature."""
        return softmax(self.scores / self.temperature)

    @functools.cached_property
    def base_shares(self):
        """The shares at temperature 1."""
        return softmax(self.scores)

    @functools.cached_property
    def ends(self):
        """The cumulative shares."""
        ends = np.cumsum(self.shares)
        ends[-1] = 1.0  # make up for rounding
        return ends


def softmax(scores):
    """Return shares that add up to 1 from scores; the largest is subtracted first, because exp(800) overflows."""
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def sampling(scores=None, letters=None, *, temperature=1.0, u=0.5):
    """Show bars for the shares of the next character, a temperature, and a dart that picks one of them.

    scores: a finite number for each character, such as a row of a network's output. letters: the characters, a text in
    which none occurs twice. Without them: the logarithms of how often each character follows a b in 949 colour names,
    so that the shares at temperature 1 are those counts. temperature: from 0.1 to 5; shares are exp(score /
    temperature) over their sum. u: the first place of the dart, from 0 to below 1, to the nearest hundredth; the
    slider under the drawing moves it, which needs no kernel. The dart hits the first character whose cumulative share
    is above u.
    """
    signs, numbers = read(scores, letters)
    u = validation.real(u, "u")
    if not 0 <= u < 1:
        raise ValueError(f"u, the dart's place on the bar, goes from 0 to below 1; got {u}.")

    @INPUTS.check
    def record_at(temperature):
        return record(Next(signs, numbers, temperature))

    index = min(round(u * DARTS), DARTS - 1)
    return Player(controls=INPUTS.controls(temperature=temperature), record=record_at, index=index)


def read(scores, letters):
    """Return the characters as a text, and their scores as an array; raise ValueError or TypeError if invalid."""
    if scores is None and letters is None:
        return "".join(COUNTS), np.log(np.array([*COUNTS.values()], dtype=float))
    if scores is None or letters is None:
        raise TypeError("sampling takes both, the scores and their characters: sampling([2.0, 1.0, 0.5], 'abc').")
    array = arrays.numbers(scores, "scores")
    if array.ndim == 2 and len(array) == 1:  # a row of a network's output
        array = array[0]
    if array.ndim != 1:
        raise ValueError(f"scores is one row of numbers, one for each character; got shape {array.shape}.")
    if not isinstance(letters, (str, list, tuple)) or not all(isinstance(sign, str) for sign in letters):
        got = messages.described(letters)
        raise TypeError(f"letters is a string with one character for each score, such as 'abc'; got {got}.")
    if any(len(sign) != 1 for sign in letters) or len(set(letters)) < len(letters):
        raise ValueError(
            f"letters has one character for each score, each only once; got {messages.described(letters)}."
        )
    if len(letters) != len(array):
        raise ValueError(f"letters has one character for each score: {len(array)} scores, {len(letters)} characters.")
    if not SIGNS[0] <= len(array) <= SIGNS[1]:
        raise ValueError(f"this lab draws {SIGNS[0]} to {SIGNS[1]} characters; got {len(array)}.")
    return "".join(letters), array


# Record


def record(known):
    stage, ends = FrameTemplate(drawer(known)), known.ends
    frames = []
    for place in range(DARTS):
        u = place / DARTS
        hit = int(np.searchsorted(ends, u, side="right"))
        frames.append(Frame(sentence(known, u, hit), f"u = {u:.2f}", stage.updates(u, hit)))
    alt = (
        f"Bars for the shares of {len(known.signs)} characters at temperature {known.temperature:g}, outlines for "
        "temperature 1, and a bar of all shares with a dart on it."
    )
    title = f"The next character, at temperature {known.temperature:g}"
    return Recording(title, frames, stage, alt, slider="u", room=room(known))


def span_of(known, hit):
    ends = known.ends
    return (float(ends[hit - 1]) if hit else 0.0), float(ends[hit])


def sentence(known, u, hit):
    low, high = span_of(known, hit)
    share, plain = float(known.shares[hit]), float(known.base_shares[hit])
    said = (
        f"The dart at u = {u:.2f} lands between {show(low)} and {show(high)}, in the part of "
        f"{word(known.signs[hit])}, so that comes next."
    )
    if known.temperature == 1:
        return f"{said} It gets {show(share)} of all darts."
    return f"{said} It gets {show(share)} of all darts; at temperature 1 it would get {show(plain)}."


def room(known):
    """Return a sentence as long as the longest."""
    longest = max(map(word, known.signs), key=len)
    return (
        f"The dart at u = 0.00 lands between 0.0000 and 0.000e-000, in the part of {longest}, so that comes next. "
        "It gets 0.000e-000 of all darts; at temperature 1 it would get 0.000e-000."
    )


def word(sign):
    return "the space" if sign == " " else f"“{sign}”"


# Draw


def drawer(known):
    """Return the function that draws a frame: the fixed bars and bar of all shares, the dart, and what it hits."""
    count, shares = len(known.signs), known.shares
    wide = BAR / count
    half = min(22.0, wide * 0.36)
    middles = [LEFT + (i + 0.5) * wide for i in range(count)]
    tops = [UP(float(share)) for share in shares]
    parts = [(ACROSS(low), ACROSS(high)) for low, high in (span_of(known, i) for i in range(count))]
    beneath, above = chart(known, middles, tops, half), texts(known, middles, parts)
    beneath += "".join(
        f'<rect class="pick part{i % 2}" x="{low:.1f}" y="{LINE}" width="{high - low:.1f}" height="30"/>'
        for i, (low, high) in enumerate(parts)
    )

    def draw(pen, u, hit):
        (start, end), top, x = parts[hit], tops[hit], ACROSS(u)
        box = {"y": top, "height": BOTTOM - top, "x": middles[hit] - half, "width": 2 * half}
        hits = pen("rect", "hit.bar", "picked", **box)
        hits += pen("rect", "hit.part", "picked", at={"y": LINE, "height": 30}, x=start, width=end - start)
        dart = f"M{x:.1f},{LINE + 34}V{LINE - 9}M{x - 5:.1f},{LINE - 17}h10L{x:.1f},{LINE - 4}Z"
        hits += pen("path", "dart", "dart", d=dart)
        name = pen("text", "dart.u", "sign", text=f"u = {u:.2f}", at={"y": LINE - 22}, x=x)
        size = LEFT + BAR + 32, HEIGHT
        drawing = labelled(svg.svg(*size, beneath, hits, above, name), "Bars of shares, and a dart on all of them.")
        low, high = span_of(known, hit)
        cells = (
            ("hit", "hits", svg.visible(known.signs[hit]), False),
            ("from", "its part begins at", steady(low), True),
            ("to", "and ends at", steady(high), True),
            ("share", "its share", steady(float(shares[hit])), True),
            ("plain", "its share at temperature 1", steady(float(known.base_shares[hit])), True),
        )
        return f'<div class="bp-main">{drawing}</div>{readings(pen, cells)}'

    return draw


def chart(known, middles, tops, half):
    made = [svg.rungs([(UP(at), f"{at:g}") for at in (0, 0.25, 0.5, 0.75, 1)], LEFT, LEFT + BAR)]
    now = f"share at temperature {known.temperature:g}"
    made.append(svg.legend(("bars s0", now, 152), ("bars after", "at temperature 1", 110)))
    for middle, top, plain in zip(middles, tops, known.base_shares):
        corner = f'x="{middle - half:.1f}" y="{top:.1f}" width="{2 * half:.1f}"'
        made.append(f'<rect class="pick part0" {corner} height="{BOTTOM - top:.1f}"/>')
        outline = f"M{middle - half:.1f},{BOTTOM}V{UP(float(plain)):.1f}h{2 * half:.1f}V{BOTTOM}"
        made.append(f'<path class="bars after" d="{outline}"/>')
    for at in (0, 0.25, 0.5, 0.75, 1):
        made.append(f'<path class="axis" d="M{ACROSS(at):.1f},{LINE + 30}v4"/>')
        made.append(svg.label(f"{at:g}", ACROSS(at), LINE + 46, "tick"))
    return "".join(
        [*made, svg.label("all shares, one after the other, in this order", LEFT, LINE + 62, "caption start")]
    )


def texts(known, middles, parts):
    """Draw the characters under the bars, with shares and scores if they fit, and in their parts of the long bar."""
    count, made = len(known.signs), []
    if count <= SPACED:
        made.append(svg.label("score", LEFT - 6, BOTTOM + 50, "caption end"))
    for sign, middle, share, score, (low, high) in zip(known.signs, middles, known.shares, known.scores, parts):
        made.append(svg.label(svg.visible(sign), middle, BOTTOM + 18, "sign"))
        short = f"{share:.2f}".removeprefix("0") if count > ROOMY else f"{share:.4f}"
        made.append(svg.label(short, middle, BOTTOM + 34, "tick"))
        if count <= SPACED:
            made.append(svg.label(f"{score:.4g}", middle, BOTTOM + 50, "tick"))
        if high - low >= 14:
            made.append(svg.label(svg.visible(sign), (low + high) / 2, LINE + 20, "sign"))
    return "".join(made)
