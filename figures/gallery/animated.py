"""A recording as a moving picture: an SVG file that plays its frames by itself, with no script."""

import html
import re
import textwrap
from pathlib import Path

from figures.page.style import needed, style_sheet
from figures.page.svg import label
from figures.passes.scalar_passes import SUM

STYLE_SHEET = Path(__file__).with_name("animated.css")

WIDTH, EDGE = 830, 24  # of the picture and its margin, in pixels: the width of a README on a code host
HEAD, SUM_HEIGHT, LINE = 60, 62, 25  # of the title's row, of the sum, of a line of the sentence
LETTERS = 84  # per line of the sentence: fewer than fit in any system's font

READING = 1.5, 0.03  # seconds to look at a frame, and to read each letter of its sentence
PAUSE = 3.0  # seconds more for the last frame
FADE = 0.35  # seconds in which a frame covers the one before


def moving(recording):
    """Return a step lab's frames as one SVG text, each shown for as long as its sentence takes to read.

    Every frame is whole and hides those before it, so a still picture shows the last one: in a program
    without animation, and for a reader whose system asks for less motion. Light and dark follow the system.
    """
    indices = range(len(recording.frames))
    lines = [textwrap.wrap(frame.say, LETTERS) for frame in recording.frames]
    drawings = [drawing(recording.picture(i)) for i in indices]
    tall = drawings[0][1]
    height = HEAD + tall + 20 + SUM_HEIGHT + 12 + LINE * max(map(len, lines)) + 42
    drawn = [
        f'<g class="frame">{card(height)}{label(recording.title, EDGE, 38, "title")}'
        f"{label(frame.at, WIDTH - EDGE, 38, 'at')}{drawings[i][0]}{the_sum(frame.updates, HEAD + tall + 20)}"
        f"{draw_lines(lines[i], HEAD + tall + 20 + SUM_HEIGHT + 12)}{progress(i, len(indices), height - 22)}</g>"
        for i, frame in enumerate(recording.frames)
    ]
    inside = "".join([*drawn, card(height, "border")])
    told = html.escape(f"{recording.alt} {' '.join(frame.say for frame in recording.frames)}")
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bp" role="img" aria-labelledby="title told" '
        f'width="{WIDTH}" height="{height:.0f}" viewBox="0 0 {WIDTH} {height:.0f}">'
        f'<title id="title">{html.escape(recording.title)}</title><desc id="told">{told}</desc>'
    )
    own = STYLE_SHEET.read_text(encoding="utf-8")
    sheet = needed(f"{opening}{inside}</svg>", style_sheet() + own) + motion(recording.frames)
    return f"{opening}<style>{sheet}</style>{inside}</svg>\n"


def card(height, kind="card"):
    return f'<rect class="{kind}" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:.0f}" rx="12"/>'


def drawing(svg):
    """Return an SVG drawing as a group as wide as the picture, and its height there."""
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
    scale = (WIDTH - 2 * EDGE) / width
    inside = svg.split(">", 1)[1].removesuffix("</svg>")
    return f'<g transform="translate({EDGE} {HEAD}) scale({scale:.4f})">{inside}</g>', scale * height


def the_sum(updates, top):
    """Draw upstream × local = contribution, and the running sum that it is added to, in a row of cells."""
    wide = (WIDTH - 2 * EDGE) / len(SUM)
    box = f'<rect class="cell" x="{EDGE}" y="{top:.1f}" width="{WIDTH - 2 * EDGE}" height="{SUM_HEIGHT}" rx="8"/>'
    parts = [box]
    for i, (key, _) in enumerate(SUM):
        left = EDGE + i * wide
        if i:
            parts.append(f'<path class="cell" d="M{left:.1f},{top:.1f}v{SUM_HEIGHT}"/>')
        plain = " plain" if key in ("local", "before") else ""
        parts.append(label(updates[f"sum.{key}.of"]["text"], left + 12, top + 23, "of", f"sum.{key}.of"))
        parts.append(label(updates[f"sum.{key}"]["text"], left + 12, top + 48, f"amount{plain}", f"sum.{key}"))
    return "".join(parts)


def draw_lines(lines, top):
    return "".join(label(line, EDGE, top + LINE * (i + 0.8), "say") for i, line in enumerate(lines))


def progress(index, count, y):
    """Draw a line with a part for each frame, those already shown in the colour of gradients."""
    wide = (WIDTH - 2 * EDGE + 6) / count
    parts = (
        f'<path class="{"gone" if i <= index else "way"}" d="M{EDGE + i * wide:.1f},{y:.0f}h{wide - 6:.1f}"/>'
        for i in range(count)
    )
    return "".join(parts)


def seconds(frames):
    """Return how long each frame is shown: as long as its sentence takes to read, and the last one longer."""
    looking, letter = READING
    times = [looking + letter * len(frame.say) for frame in frames]
    return [*times[:-1], times[-1] + PAUSE]


def motion(frames):
    """Return the rules that show frames in turn, for systems that do not ask for less motion.

    The first lies beneath all others. Each of these appears over the one before and goes when it is covered itself;
    the last one fades, and the first is visible again. In each, the dashes of the edge in use run the gradient's way.
    """
    times = seconds(frames)
    total = sum(times)

    def share(time):
        return f"{100 * time / total:.3f}%"

    rules, at = [], times[0]
    for i, time in enumerate(times[1:], start=1):
        comes, there, covered, gone = map(share, (at, at + FADE, at + time + FADE, at + time + FADE + 0.01))
        ends = f"{covered}{{opacity:1}}{gone},to{{opacity:0}}"
        if i == len(times) - 1:
            ends = f"{share(total - FADE)}{{opacity:1}}to{{opacity:0}}"
        rules.append(f"@keyframes f{i}{{0%,{comes}{{opacity:0}}{there}{{opacity:1}}{ends}}}")
        rules.append(f".frame:nth-of-type({i + 1}){{animation:f{i} {total:.2f}s linear infinite}}")
        at += time
    rules.append("@keyframes flow{to{stroke-dashoffset:9}}")  # the length of a dash and its gap
    rules.append('.edge[data-state="backward"] path{animation:flow 0.8s linear infinite}')
    return f"@media (prefers-reduced-motion:no-preference){{{''.join(rules)}}}"
