"""Show a Verdict: as text, as plain data, as a badge, and in a notebook with the graph drawn."""

from exercises.doctor.examination import NOT_RUN, RIGHT, WRONG

COLOURS = {RIGHT: "#2e7d32", WRONG: "#b3261e", NOT_RUN: "#5f6368"}
WIDE = 6.6  # pixels of a character of the badge


def to_text(verdict):
    """Return what was read, the verdict, the smallest wrong graph, its causes, and notes."""
    lines = [what_was_read(verdict.engine)] if verdict.engine else []
    if verdict.verdict == NOT_RUN:
        lines.append(f"Not run. {verdict.why}")
    elif verdict.verdict == RIGHT:
        lines.append(f"Right on {verdict.tried} random graphs: every value and every gradient.")
    else:
        lines += ["Not right.", *graph_lines(verdict), *cause_lines(verdict)]
    lines += ["", "Notes:", *(f"- {note}" for note in verdict.notes)] if verdict.notes else []
    return "\n".join(lines)


def what_was_read(engine):
    """Return the names that were found, so that a mapping error is seen."""
    backward = engine["backward"] if engine["backward"].endswith(")") else f"{engine['backward']}()"
    return f"Read: class {engine['class']}, number `{engine['data']}`, gradient `{engine['grad']}`, pass `{backward}`."


def graph_lines(verdict):
    """Return the smallest wrong graph as lines of Python, and its numbers in a table."""
    if not verdict.smallest:
        return []
    case, rows = verdict.smallest
    text = case.text().replace("Value(", f"{verdict.engine['class']}(")
    wide = max(len(right) for _, right, _ in [("", "expected", ""), *rows]) + 2
    lines = [f"    {what:8}{right:>{wide}}  {got}" for what, right, got in rows]
    return ["", *(f"    {line}" for line in text.splitlines()), "", f"    {'':8}{'expected':>{wide}}  got", *lines, ""]


def cause_lines(verdict):
    """Return each mistake in words, with its line."""
    if not verdict.mistakes:
        return ["Cause unknown: no known mistakes together explain every result."]
    where = [f" ({line})" if line else "" for line in verdict.lines]
    return [
        f"Mistake: {mistake.name}{place}. {mistake.sentence}".rstrip()
        for mistake, place in zip(verdict.mistakes, where)
    ]


def as_dict(verdict):
    """Return a Verdict as plain data, for --json."""
    smallest = None
    if verdict.smallest:
        case, rows = verdict.smallest
        expected, got = ({what: pair[i] for what, *pair in rows} for i in (0, 1))
        smallest = {"expression": "; ".join(case.text().splitlines()), "expected": expected, "got": got}
    return {
        "verdict": verdict.verdict,
        "mistakes": [mistake.name for mistake in verdict.mistakes],
        "smallest": smallest,
        "notes": ([verdict.why] if verdict.why else []) + verdict.notes,
        "seconds": verdict.seconds,
    }


def badge(verdict):
    """Return the verdict as a small SVG."""
    words = {RIGHT: f"right on {verdict.tried} graphs", WRONG: "not right", NOT_RUN: "not run"}[verdict.verdict]
    left, right = (round(len(text) * WIDE + 12) for text in ("gradients", words))
    text = '<text x="{}" y="14" text-anchor="middle">{}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="gradients: {words}"><title>gradients: {words}</title>'
        f'<rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{COLOURS[verdict.verdict]}"/>'
        f'<g fill="#fff" font-family="Verdana,sans-serif" font-size="11">'
        f"{text.format(left / 2, 'gradients')}{text.format(left + right / 2, words)}</g></svg>\n"
    )
