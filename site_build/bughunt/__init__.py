"""Bug hunt: a game in one HTML file, which needs no network and no Python; `build(out)` makes it.

A small graph, an engine that may be wrong, and a list of suspects, all taken from the course: the wrong engines of
`exercises/engines`, translated to JavaScript; their lessons and lines of code; its colours and its font. `solver.py`
proves that each case can be solved.
"""

import base64
import functools
import hashlib
import json
import re
import tomllib
from pathlib import Path

from exercises.content.lessons import BY_NUMBER
from exercises.engines.wrong_engines import RIGHT
from figures.page.scripts import joined
from figures.page.style import FACE, PAPER, compact, style_sheet
from site_build import HUNT_FILE, ROOT
from site_build.book.texts import BUGS, bugs
from site_build.bughunt import daily
from site_build.bughunt.graphs import STALE, USUAL, WRONG, Graph
from site_build.bughunt.layout import BOX, CONSTANT, placed
from site_build.bughunt.solver import Case
from site_build.bughunt.to_javascript import script

HERE = Path(__file__).parent
ICON = ROOT / "site_build" / "book" / "static" / "icon.svg"
LANGUAGES = ("en", "de")
MODULES = ("words", "storage", "game", "drawing", "panels", "end", "list", "hands")  # after the generated code
LIKES_HIDING = 4.0  # for levels that do not give the inputs they open with
MOST_BYTES = 300_000


def build(out=HUNT_FILE.parent):
    """Make the game in a folder and return the file; raise ValueError if it would be too large."""
    text = page()
    if len(text.encode()) > MOST_BYTES:
        raise ValueError(f"{HUNT_FILE.name} may have {MOST_BYTES} bytes and would have {len(text.encode())}.")
    Path(out).mkdir(parents=True, exist_ok=True)
    place = Path(out) / HUNT_FILE.name
    place.write_text(text, encoding="utf-8", newline="\n")
    return place


def page():
    """Return the whole page as HTML."""
    code = joined(HERE / "browser" / "python.js") + "\n" + made() + "\n"
    code += joined(*(HERE / "browser" / f"{name}.js" for name in ("passes", *MODULES)))
    code = f'"use strict";\n{code}\n'.replace("</", "<\\/")
    texts = all_texts()
    parts = {
        "HASH": f"sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}",
        "ICON": f"data:image/svg+xml;base64,{base64.b64encode(ICON.read_bytes()).decode()}",
        "STYLE": font() + colours() + compact((HERE / "page.css").read_text(encoding="utf-8")),
        "LANGUAGES": "".join(option(key, texts[key]["name"]) for key in texts),
        "SCRIPT": code,
    }
    shell = (HERE / "page.html").read_text(encoding="utf-8")
    return re.sub(r"%%(\w+)%%", lambda match: parts[match[1]], shell)


def option(language, name):
    """Return a language as an option of the page's list."""
    return f'<option value="{language}" lang="{language}" aria-label="{name}">{language.upper()}</option>'


def made():
    """Return what the page's modules import from `made.js`: the engines, the data of all cases, the texts."""
    ids = {id: WRONG[id].text for id in suspects() if id in WRONG}
    return f"{script(RIGHT, ids)}const DATA={to_json(data())};\nconst TEXTS={to_json(all_texts())};"


def to_json(thing):
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"))


@functools.cache
def settings():
    """Return the contents of levels.toml."""
    return tomllib.loads((HERE / "levels.toml").read_text(encoding="utf-8"))


@functools.cache
def levels():
    """Return [(name, Case, the inputs that it opens with)] of all levels."""
    texts, numbers = settings()["graphs"], settings()["numbers"]
    graphs = {name: Graph(name, text, numbers.get(name, USUAL)) for name, text in texts.items()}
    found = []
    for name, graph, culprit, ids, *opens in settings()["levels"]:
        case = Case(graphs[graph], culprit, ids.split())
        at = {leaf: float(x) for leaf, x in (pair.split("=") for pair in opens[0].split())} if opens else None
        found.append((name, case, at or daily.opening(case, LIKES_HIDING)))
    return found


def suspects():
    """Return the ids of all suspects, in the order in which the levels introduce them."""
    return list(dict.fromkeys(id for _, case, _ in levels() for id in case.suspects))


@functools.cache
def days():
    """Return seven lists of (Case, the inputs that it opens with), and {name: Graph} of all graphs."""
    return daily.pool({case.graph.name: case.graph for _, case, _ in levels()}, suspects())


def data():
    """Return all cases as plain data."""
    pool, graphs = days()
    used = {case.graph.name for _, case, _ in levels()} | {case.graph.name for cases in pool for case, _ in cases}
    return {
        "graphs": {name: as_data(graphs[name]) for name in graphs if name in used},
        "cases": [[name, *case_data(case, at)] for name, case, at in levels()],
        "daily": [[case_data(case, at) for case, at in cases] for cases in pool],
        **{key: settings()[key] for key in ("packs", "hard", "orders", "pads")},
        "code": {id: code for id in suspects() if (code := code_of(id))},
        "lessons": {id: lesson for id in suspects() if (lesson := lesson_of(id))},
        "bugs": {"page": f"{BUGS}.html", "titles": bug_titles()},
        "size": [*BOX, *CONSTANT],
    }


def case_data(case, at):
    """Return a case: its graph, culprit and suspects, its first inputs, its par, and inputs that show the culprit."""
    par, ats = case.par()
    numbers = [[whole(chosen[leaf]) for leaf in leaves(case.graph)] for chosen in (at, case.telling(ats))]
    return [case.graph.name, case.culprit, [*case.suspects], numbers[0], par, numbers[1]]


def as_data(graph):
    """Return a graph: its nodes, the numbers that its inputs may have, and where it is drawn."""
    nodes = [[name, op, [x if isinstance(x, str) else whole(x) for x in inputs]] for name, op, inputs in graph.nodes]
    numbers = {leaf: [*map(whole, graph.numbers[leaf])] for leaf in leaves(graph)}
    return {"n": nodes, "r": numbers, **{direction: placed(graph, direction) for direction in ("LR", "TB")}}


def leaves(graph):
    """Return the names of a graph's inputs: a, b, c in this order, others such as w and h as the lines bring them."""
    names = [name for name, op, _ in graph.nodes if not op]
    return sorted(names) if {*names} <= {*"abcde"} else names


def whole(x):
    """Return a number without a trailing .0."""
    return int(x) if x == int(x) else x


def code_of(id):
    """Return [right lines, wrong lines] of a suspect's mistake; None if the suspect is right."""
    shown = WRONG[id].shown if id in WRONG else [settings()["stale"][side] for side in ("right", "wrong")]
    pairs = shown if id in WRONG else [shown] if id == STALE else []
    return [[line for pair in pairs for line in pair[side].split("\n")] for side in (0, 1)] if pairs else None


def lesson_of(id):
    """Return [number, section, page of the book] of the lesson on a suspect's mistake; None for OK."""
    if id not in WRONG and id != STALE:
        return None
    about = settings()["stale"] if id == STALE else {"lesson": WRONG[id].lesson, "section": WRONG[id].section}
    number, section = about["lesson"], about["section"]
    return [number, section, BY_NUMBER[number].link_to(section).replace(".ipynb", ".html")]


def bug_titles():
    """Return {suspect: title of its section on the book's page on the bugs of published engines}."""
    return {id: fault["title"] for fault in bugs()["fault"] for id in fault.get("game", ())}


@functools.cache
def all_texts():
    """Return {language: its texts}. They speak of boxes and arrows, and the wrong engines' file of nodes and edges."""
    return {each: json.loads((HERE / "texts" / f"{each}.json").read_text(encoding="utf-8")) for each in LANGUAGES}


def colours():
    """Return the course's colours as CSS, from its style sheet, for light and for dark."""
    sheet = re.sub(r"var\(--jp-[\w-]+, ([^)]+)\)", r"\1", style_sheet())
    light, dark = (";".join(re.findall(r"--bp-(?!face)[\w-]+: [^;]+", part)) for part in sheet.split("\n}\n")[:2])
    light, dark = f":root{{color-scheme:light dark;--page:{PAPER['light']};{light}}}", f"--page:{PAPER['dark']};{dark}"
    return compact(f"{light}@media (prefers-color-scheme: dark){{:root{{{dark}}}}}")


def font():
    """Return the CSS rule that embeds the course's font in the page."""
    coded = base64.b64encode(FACE.read_bytes()).decode()
    source = f'url(data:font/woff2;base64,{coded}) format("woff2")'
    return f'@font-face{{font-family:"Course Sans";font-weight:400 700;font-display:swap;src:{source}}}'
