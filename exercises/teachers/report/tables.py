"""A Report as a table for the terminal, as CSV, and as a page of HTML."""

import csv
import html
import io

from exercises.teachers.report.results import CLAIMED, NOTHING, TRIED
from exercises.verdicts.seen import NOT_YET, PASSED, WRONG

LOOKS = {  # for each state its sign, its words and its class in the page
    PASSED: ("✓", "right, run again", "right"),
    WRONG: ("✗", "not right, run again", "wrong"),
    CLAIMED: ("p", CLAIMED, "said"),
    TRIED: ("t", TRIED, "said"),
    NOT_YET: ("○", "as it was, or not finished", ""),
    NOTHING: ("·", "nothing handed in", ""),
}
SHOWN = 15  # mistakes at the most
COLUMNS = "learner", "lesson", "exercise", "state", "from", "tries", "passed first", "mistakes"

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
.right { background: #009e7333; } .wrong { background: #d55e0044; } .said { background: #0072b222; }
"""


def text(report):
    """The report as lines of text: a row a learner, a sign an exercise."""
    lessons, width = report.lessons(), max([7, *map(len, report.learners)])
    total = sum(len(names) for _, names in lessons)
    heads = [lesson.number.ljust(len(names)) for lesson, names in lessons]
    lines = ["  ".join(["learner".ljust(width), *heads, "passed"])]
    for learner in report.learners:
        signs = ["".join(LOOKS[report.at(learner, n).state][0] for n in names).ljust(2) for _, names in lessons]
        lines.append("  ".join([learner.ljust(width), *signs, f"{report.passed(learner)} of {total}"]))
    lines += ["", "  ".join(f"{sign} {words}" for sign, words, _ in LOOKS.values())]
    if named := report.mistakes():
        lines += ["", "Mistakes named most:"]
        lines += [f"{times:4}  {name}: {said}{place and f' ({place})'}" for times, name, said, place in named[:SHOWN]]
    if report.faults:
        lines += ["", "Could not be used:", *(f"      {name}: {why}." for name, why in report.faults)]
    return "\n".join(lines)


def as_csv(report):
    """The report as CSV: a row for each learner and exercise."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(COLUMNS)
    for learner in report.learners:
        for lesson, names in report.lessons():
            for name in names:
                got = report.at(learner, name)
                said = "; ".join(mistake for mistake, _ in got.mistakes)
                rows.writerow([harmless(learner), lesson.number, name, got.state, got.kind, got.tries, got.day, said])
    return file.getvalue()


def harmless(name):
    """A name that no spreadsheet takes for a formula."""
    return f"'{name}" if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name


def page(report, title):
    """The report as a page of HTML that needs nothing else."""
    parts = [f"<h1>{html.escape(title)}</h1>", f'<div class="wide">{class_table(report)}</div>']
    parts.append(f"<p>{' &nbsp; '.join(f'<b>{sign}</b> {words}' for sign, words, _ in LOOKS.values())}</p>")
    if named := report.mistakes():
        rows = "".join(
            f"<tr><td>{times}</td><td>{name}</td><td>{html.escape(said)}</td><td>{html.escape(place)}</td></tr>"
            for times, name, said, place in named
        )
        head = "<tr><th>learners</th><th>exercise</th><th>mistake</th><th>treated in</th></tr>"
        parts.append(f"<h2>Mistakes named most</h2><table><thead>{head}</thead><tbody>{rows}</tbody></table>")
    if report.faults:
        rows = "".join(f"<li>{html.escape(name)}: {html.escape(why)}.</li>" for name, why in report.faults)
        parts.append(f"<h2>Could not be used</h2><ul>{rows}</ul>")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def class_table(report):
    """Learners × exercises, with a line below for how many have passed each."""
    columns = [(name, i == 0) for _, names in report.lessons() for i, name in enumerate(names)]
    lessons = "".join(
        f'<th scope="colgroup" class="first" colspan="{len(names)}" title="{html.escape(of.title)}">{of.number}</th>'
        for of, names in report.lessons()
    )
    heads = "".join(f'<th scope="col"{first(begins)}><span class="turned">{n}</span></th>' for n, begins in columns)
    rows = "".join(
        f'<tr><th scope="row">{html.escape(learner)}</th>'
        f"{''.join(sign_of(report.at(learner, name), begins) for name, begins in columns)}"
        f'<td class="first">{report.passed(learner)}</td></tr>'
        for learner in report.learners
    )
    sums = "".join(
        f"<td{first(begins)}>{sum(report.at(who, name).state in (PASSED, CLAIMED) for who in report.learners)}</td>"
        for name, begins in columns
    )
    return (
        f'<table class="class"><thead><tr><th></th>{lessons}<th class="first"></th></tr>'
        f'<tr><th scope="col">learner</th>{heads}<th scope="col" class="first">passed</th></tr></thead>'
        f'<tbody>{rows}</tbody><tfoot><tr><th scope="row">passed</th>{sums}<td class="first"></td></tr></tfoot></table>'
    )


def first(begins, look=""):
    """The class attribute of a cell, which may begin a lesson."""
    names = " ".join(filter(None, ["first" * begins, look]))
    return names and f' class="{names}"'


def sign_of(result, begins):
    """A Result as a cell, with what was said when the pointer rests on it."""
    sign, words, look = LOOKS[result.state]
    tries = f"{result.tries} wrong before" if result.tries else ""
    named = "; ".join(mistake for mistake, _ in result.mistakes)
    said = ". ".join(filter(None, (words, tries, result.says if result.state == WRONG else "", named)))
    return f'<td{first(begins, look)} title="{html.escape(said)}">{sign}</td>'
