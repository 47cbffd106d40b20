"""A Report as a table for the terminal, as CSV, and as a page of HTML."""

import csv
import html
import io

from exercises.teachers.report.names import cell, printable
from exercises.teachers.report.rerun import DOUBT, LEFT, LOOP, MEMORY, PROCESSES
from exercises.teachers.report.results import CLAIMED, NOTHING, TRIED
from exercises.verdicts.results import NOT_YET, PASSED, WRONG

LOOKS = {  # {a state when run again: its symbol, its words and its class in the page}
    PASSED: ("✓", "right", "right"),
    WRONG: ("✗", "not right", "wrong"),
    DOUBT: ("?", "claims to be right, not confirmed", "wrong"),
    LOOP: ("L", "stopped: a loop", "wrong"),
    MEMORY: ("M", "stopped: memory", "wrong"),
    PROCESSES: ("P", "stopped: processes", "wrong"),
    LEFT: ("E", "it ended Python", "wrong"),
    NOT_YET: ("○", "unchanged, or not finished", ""),
    NOTHING: ("·", "nothing to run", ""),
}
SAME = "=", "right, in the words of the course's solution, which each exercise offers", "right"
CLAIMS = {CLAIMED: ("p", "passed"), TRIED: ("t", "tried"), NOTHING: ("·", "nothing")}  # by a progress file
NOT_APART = (
    "This system does not isolate what is run: a submission could have changed others, or the course itself, whose "
    "checks judge it. If you do not trust your learners, run the report in a container on Linux."
)
SHOWN = 15  # the most mistakes
COLUMNS = ("learner", "lesson", "exercise", "run again", "from", "claimed by a file", "tries", "passed first")
COLUMNS += ("mistakes", "why", "text is the solution's")

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 84em; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; } th, td { padding: 3px 8px; text-align: left; border-bottom: 1px solid #8886; }
.class th, .class td { text-align: center; padding: 3px 5px; }
.class tbody th { text-align: left; white-space: nowrap; }
.class .turned { writing-mode: vertical-rl; transform: rotate(180deg); font-weight: 400; font-size: 12px; }
.class .first { border-left: 2px solid #8886; } .class td { font-variant-numeric: tabular-nums; }
.class th small { display: block; max-width: 30em; font-weight: 400; white-space: normal; }
.right { background: #009e7333; } .wrong { background: #d55e0044; } .said { background: #0072b222; }
"""


def render_text(report):
    """Return the report as lines of text: one row per learner, one symbol per exercise; below it the claims."""
    lessons, names = report.lessons(), {each: printable(each) for each in report.learners}
    width, total = max([7, *map(len, names.values())]), len(report.names())
    heads = [lesson.number.ljust(len(of)) for lesson, of in lessons]
    lines = ["  ".join(["learner".ljust(width), *heads, "run again".ljust(len(f"{total} of {total}")), "claimed"])]
    for learner in report.learners:
        counts = f"{report.passed(learner)} of {total}".ljust(9), f"{report.claimed(learner)} of {total}"
        lines.append(
            row_of(report, learner, lambda got: look_of(got)[0], width, (*counts, report.unused.get(learner, "")))
        )
    lines += ["", "  ".join(f"{sign} {words}" for sign, words, _ in (*LOOKS.values(), SAME))]
    if any(map(report.claimed, report.learners)) or any(got.claim != NOTHING for got in report.results.values()):
        lines += ["", "Claimed by the learners' own progress files: none of this was run."]
        lines += [row_of(report, each, lambda got: CLAIMS[got.claim][0], width) for each in report.learners]
        lines += ["", "  ".join(f"{sign} {words}" for sign, words in CLAIMS.values())]
    if named := report.mistakes():
        lines += ["", "Most frequent mistakes:"]
        lines += [f"{times:4}  {name}: {said}{place and f' ({place})'}" for times, name, said, place in named[:SHOWN]]
    if not report.apart:
        lines += ["", NOT_APART]
    if report.faults:
        lines += [
            "",
            "Could not be used, or not completely:",
            *(f"      {name}: {why}." for name, why in report.faults),
        ]
    return "\n".join(lines)


def look_of(result):
    """Return the symbol of a result, its words and its class in the page."""
    return SAME if result.same else LOOKS[result.state]


def row_of(report, learner, sign, width, counts=()):
    """Return a learner's line: one symbol per exercise, and counts after them."""
    signs = ["".join(sign(report.result_of(learner, n)) for n in names).ljust(2) for _, names in report.lessons()]
    return "  ".join([printable(learner).ljust(width), *signs, *counts]).rstrip()


def as_csv(report):
    """Return the report as CSV: one row for each learner and exercise. No cell of it is a formula."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(COLUMNS)
    for learner in report.learners:
        for lesson, names in report.lessons() or [(None, [""])]:
            for name in names:
                got = report.result_of(learner, name)
                _, state, look = LOOKS[got.state]
                claim = CLAIMS[got.claim][1], got.tries, got.day
                why = report.unused.get(learner, "") if got.state == NOTHING else got.says if look == "wrong" else ""
                said = "; ".join(mistake for mistake, _ in got.mistakes), why
                place = learner, lesson.number if lesson else "", name
                rows.writerow(map(cell, (*place, state, got.kind, *claim, *said, "yes" if got.same else "")))
    return file.getvalue()


def page(report, title):
    """Return the report as a self-contained HTML page."""
    title = escaped(title)
    parts = [f"<h1>{title}</h1>", f'<div class="wide">{class_table(report)}</div>']
    parts.append(
        f"<p>Run again: {' &nbsp; '.join(f'<b>{sign}</b> {words}' for sign, words, _ in (*LOOKS.values(), SAME))}</p>"
    )
    claims = " &nbsp; ".join(f"<b>{sign}</b> {words}" for sign, words in CLAIMS.values())
    parts.append(f"<p>Below it: what the learner's own progress file claims, which was not run: {claims}</p>")
    if named := report.mistakes():
        rows = "".join(
            f"<tr><td>{times}</td><td>{name}</td><td>{escaped(said)}</td><td>{escaped(place)}</td></tr>"
            for times, name, said, place in named
        )
        head = "<tr><th>learners</th><th>exercise</th><th>mistake</th><th>treated in</th></tr>"
        parts.append(f"<h2>Most frequent mistakes</h2><table><thead>{head}</thead><tbody>{rows}</tbody></table>")
    parts += [] if report.apart else [f"<p>{escaped(NOT_APART)}</p>"]
    if report.faults:
        rows = "".join(f"<li>{escaped(name)}: {escaped(why)}.</li>" for name, why in report.faults)
        parts.append(f"<h2>Could not be used, or not completely</h2><ul>{rows}</ul>")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def escaped(words):
    return html.escape(printable(words))


def class_table(report):
    """Return a table of learners × exercises; the last rows count how many have passed each."""
    columns = [(name, i == 0) for _, names in report.lessons() for i, name in enumerate(names)]
    lessons = "".join(
        f'<th scope="colgroup" class="first" colspan="{len(names)}" title="{html.escape(of.title)}">{of.number}</th>'
        for of, names in report.lessons()
    )
    heads = "".join(f'<th scope="col"{first(begins)}><span class="turned">{n}</span></th>' for n, begins in columns)
    rows = "".join(
        f'<tr><th scope="row">{escaped(learner)}{unused(report, learner)}</th>'
        f"{''.join(sign_of(report.result_of(learner, name), begins) for name, begins in columns)}"
        f'<td class="first">{report.passed(learner)}</td><td>{report.claimed(learner)}</td></tr>'
        for learner in report.learners
    )
    ends = '<td class="first"></td><td></td></tr>'
    kinds = {"right, run again": lambda got: got.state == PASSED, "claimed by a file": lambda got: got.claim == CLAIMED}
    sums = "".join(
        f'<tr><th scope="row">{words}</th>'
        + "".join(
            f"<td{first(b)}>{sum(is_so(report.result_of(who, n)) for who in report.learners)}</td>" for n, b in columns
        )
        + ends
        for words, is_so in kinds.items()
    )
    return (
        f'<table class="class"><thead><tr><th></th>{lessons}<th class="first" colspan="2"></th></tr>'
        f'<tr><th scope="col">learner</th>{heads}<th scope="col" class="first">right, run again</th>'
        f'<th scope="col">claimed by a file</th></tr></thead><tbody>{rows}</tbody><tfoot>{sums}</tfoot></table>'
    )


def unused(report, learner):
    """Return why what a learner handed in could not be used, below their name; "" if it could."""
    why = report.unused.get(learner, "")
    return f"<small>{escaped(why)}</small>" if why else ""


def first(begins, look=""):
    """Return the class attribute of a cell; `begins`: it begins a lesson."""
    names = " ".join(filter(None, ["first" * begins, look]))
    return names and f' class="{names}"'


def sign_of(result, begins):
    sign, words, look = look_of(result)
    tries = f"{result.tries} wrong before" if result.tries else ""
    named = "; ".join(mistake for mistake, _ in result.mistakes)
    claim = "" if result.claim == NOTHING else f"its progress file claims: {CLAIMS[result.claim][1]}"
    said = ". ".join(filter(None, (words, result.says if look == "wrong" else "", named, claim, tries)))
    below = "" if result.claim == NOTHING else f'<br><span class="said">{CLAIMS[result.claim][0]}</span>'
    return f'<td{first(begins, look)} title="{escaped(said)}">{sign}{below}</td>'
