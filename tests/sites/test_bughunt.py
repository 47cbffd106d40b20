"""Bug hunt: each case can be solved, the page's engines are Python's, its texts are complete, the file is current."""

import functools
import json
import math
import random
import re
import subprocess
from datetime import date, timedelta

import pytest

from autograd import Value, operations
from exercises.engines.wrong_engines import RIGHT
from exercises.verdicts.cases import cases as CASES
from figures.page.scripts import joined
from figures.page.style import compact
from site_build import HUNT_FILE, bughunt
from site_build.bughunt import to_javascript
from site_build.bughunt.graphs import NOTHING, STALE, WRONG, Graph, short
from site_build.bughunt.solver import MOST, Case
from tests import notebooks, textbook
from tests.behaviour import agree, behaviour_or_none
from tests.house.test_javascript import HERE as JAVASCRIPT
from tests.house.test_javascript import NODE, with_node
from tests.sampling import Drawing, sample

PROBES = 10_000
PAGE = HUNT_FILE.read_text(encoding="utf-8")
TEXT = PAGE.replace("<\\/", "</")  # without the escapes that keep a script in a page from ending early


@functools.cache
def data():
    return json.loads(re.search(r"^const DATA=(.*);$", TEXT, re.MULTILINE)[1])


@functools.cache
def graph(name):
    found = data()["graphs"][name]
    made = Graph.__new__(Graph)
    nodes = [
        (node, op, tuple(x if isinstance(x, str) else float(x) for x in inputs)) for node, op, inputs in found["n"]
    ]
    numbers = {leaf: [*map(float, choices)] for leaf, choices in found["r"].items()}
    made.__dict__ |= {"name": name, "nodes": nodes, "leaves": [*numbers], "root": nodes[-1][0], "numbers": numbers}
    made.first_runs = {}
    return made


def cases():
    """Yield (which, graph, culprit, suspects, start, par, telling) of all cases; which: as bughunt.mjs has it."""
    for number, (_, *case) in enumerate(data()["cases"], 1):
        yield number, *case
    for weekday, listed in enumerate(data()["daily"]):
        for week, case in enumerate(listed):
            yield [weekday, week], *case


def leaf_values(graph, numbers):
    return dict(zip(graph.leaves, map(float, numbers)))


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Return a function that asks the game's modules in Node: a list of questions, for a list of answers."""
    folder = tmp_path_factory.mktemp("modules")
    for module in (bughunt.HERE / "browser").glob("*.js"):
        (folder / module.name).write_bytes(module.read_bytes())
    names = ",".join(
        re.findall(r"^export (?:const|function) (\w+)", (folder / "python.js").read_text(encoding="utf-8"), re.M)
    )
    made = re.search(r"^const PROGRAM=.*?^const TEXTS=.*?;$", TEXT, re.MULTILINE | re.DOTALL)[0]
    exports = "export { PROGRAM, CHANGES, DATA, TEXTS };"
    (folder / "made.js").write_text(f'import {{ {names} }} from "./python.js";\n{made}\n{exports}', encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")

    def ask(questions):
        text = "\n".join(map(json.dumps, questions))
        command = [NODE, JAVASCRIPT / "bughunt.mjs", folder]
        ran = subprocess.run(command, input=text, capture_output=True, encoding="utf-8")
        assert ran.returncode == 0, ran.stderr
        return [json.loads(line) for line in ran.stdout.splitlines()]

    return ask


def test_game_file_is_up_to_date():
    """After a change run python -m site_build bughunt. The cases of the day, and where it draws parts, take longer."""
    ids = {id: WRONG[id].text for id in bughunt.suspects() if id in WRONG}
    assert to_javascript.script(RIGHT, ids) in TEXT
    assert f"const TEXTS={bughunt.to_json(bughunt.all_texts())};" in TEXT
    levels = [[name, *bughunt.case_data(case, at)] for name, case, at in bughunt.levels()]
    assert json.loads(bughunt.to_json(levels)) == data()["cases"]
    assert {key: data()[key] for key in ("packs", "hard", "orders", "pads", "code", "lessons")} == {
        **{key: bughunt.settings()[key] for key in ("packs", "hard", "orders", "pads")},
        "code": {id: code for id in ids | {STALE: ""} if (code := bughunt.code_of(id))},
        "lessons": {id: bughunt.lesson_of(id) for id in ids | {STALE: ""}},
    }
    modules = [bughunt.HERE / "browser" / f"{name}.js" for name in ("passes", *bughunt.MODULES)]
    assert joined(*modules) in TEXT and {each.stem for each in modules} | {"python"} == {
        each.stem for each in (bughunt.HERE / "browser").glob("*.js")
    }
    shell = (bughunt.HERE / "page.html").read_text(encoding="utf-8").splitlines()
    assert [line for line in shell if "%%" not in line and line not in TEXT] == []
    sheet = compact((bughunt.HERE / "page.css").read_text(encoding="utf-8"))
    assert bughunt.font() + bughunt.colours() + sheet in TEXT and len(PAGE.encode()) <= bughunt.MOST_BYTES


@pytest.mark.long
def test_game_file_is_reproducible():
    """Other releases of Graphviz may place a box a few pixels away."""
    parts = [re.split(r"const DATA=|;\nconst TEXTS=", text) for text in (PAGE, bughunt.page())]
    assert parts[0][2] == parts[1][2]
    (_, old, _), (_, new, _) = parts
    old, new = (json.loads(each.replace("<\\/", "</")) for each in (old, new))
    drawn = [
        {name: [each.pop(side) for side in ("LR", "TB")] for name, each in found["graphs"].items()}
        for found in (old, new)
    ]
    assert old == new
    for name, layouts in drawn[0].items():
        for one, other in zip(layouts, drawn[1][name]):
            assert one["b"].keys() == other["b"].keys() and one["e"].keys() == other["e"].keys()
            for key, box in one["b"].items():
                assert box == pytest.approx(other["b"][key], abs=6), (name, key)


def test_each_case_is_solvable_and_suspects_are_distinct():
    """Five runs tell the true bug from all others, whichever it is; so too each other suspect."""
    listed = list(cases())
    assert len(data()["cases"]) == 30 == sum(data()["packs"]) and {len(week) for week in data()["daily"]} == {52}
    for which, name, culprit, suspects, start, par, telling in [*listed[:30], *sample(listed[30:], 12)]:
        case = Case(graph(name), culprit, suspects)
        assert culprit in suspects and len({*suspects}) == len(suspects) and case.alike() == [], which
        assert case.worst() <= MOST and case.par()[0] == par, which
        assert {
            tuple(leaf_values(graph(name), numbers).values()) for numbers in (start, telling)
        } <= case.table.keys(), which
    culprits = [culprit for _, _, culprit, *_ in listed[:30]]
    assert culprits.count(NOTHING) == 2 and {"M1", "M8", "X4", STALE} <= {*culprits}


def test_unsolvable_case_is_detected():
    double = Graph("double", "d = a + a")
    assert Case(double, "M1", ["M1", "H8", "OK"]).alike() == [("M1", "H8")]
    assert Case(double, "M1", ["M1", "H8", "OK"]).worst() is None
    with pytest.raises(ValueError, match="no 5 runs leave M1 alone"):
        Case(double, "M1", ["M1", "H8"]).par()


def test_lessons_name_the_cases_on_their_culprits():
    treats = {}
    for number, (_, case, _) in enumerate(bughunt.levels(), 1):
        if lesson := bughunt.lesson_of(case.culprit):
            treats.setdefault(lesson[0], []).append(number)
    for path in notebooks.LESSONS:
        recap = "".join(cell.source for cell in notebooks.read(path).cells if "## Recap" in cell.source)
        named = re.findall(r"Play case (\d+) of the bug hunt", recap)
        lesson = notebooks.number(path)
        assert len(named) == (lesson in treats) and {*map(int, named)} <= {*treats.get(lesson, ())}, lesson


def close(one, other):
    return one == other or math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)


@with_node
def test_javascript_engines_match_python(ask):
    """In 10,000 probes of all suspects, 1,250 in a plain run: data, gradients and what the page shows."""
    rng, listed = random.Random(Drawing.seed), list(cases())
    count = PROBES if Drawing.everything else PROBES // 8
    probes = []
    for case in (rng.choice(listed) for _ in range(count)):
        made = graph(case[1])
        ats = [{leaf: rng.choice(made.numbers[leaf]) for leaf in made.leaves} for _ in range(rng.choice([1, 1, 2]))]
        probes.append((case[1], rng.choice(case[3]), ats))
    assert {id for _, id, _ in probes} == {id for case in listed for id in case[3]}
    for (name, id, ats), results in zip(probes, ask(["runs", *probe] for probe in probes), strict=True):
        for right, (numbers, grads, shown) in zip(graph(name).runs(id, ats), results, strict=True):
            for node, (x, grad) in right.items():
                assert close(x, numbers[node]) and close(grad, grads[node]), (name, id, ats, node)
                assert shown[node] == short(grad), (name, id, ats, node)
    found = ask(["shares", name, id, ats[0]] for name, id, ats in probes[:300])
    assert found == [[]] * 300, "what came along the arrows is not the gradient"
    nudged = [(name, ats[0], rng.choice(graph(name).nodes)[0]) for name, _, ats in probes[:300]]
    for (name, inputs, node), result in zip(nudged, ask(["nudge", *each] for each in nudged)):
        nodes = graph(name).build({leaf: Value(x) for leaf, x in inputs.items()})
        nodes[graph(name).root].backward()
        at_corner = any(op == "relu" and nodes[xs[0]].data == 0 for _, op, xs in graph(name).nodes)
        assert result["corner"] is False or at_corner, (name, inputs, node)
        assert result["corner"] or abs(result["slope"] - nodes[node].grad) < 1e-4 * max(1, abs(nodes[node].grad))
    numbers = [
        0.0,
        -0.0,
        0.00005,
        123456.75,
        1e6,
        -2.5e-7,
        1 / 3,
        -0.125,
        1e-9,
        2.00005,
        1 / 32,
        -3 / 32,
        5 / 32,
        7 / 32,
        99.96875,
    ]
    assert ask(["short", x] for x in numbers) == list(map(short, numbers))


@with_node
def test_each_case_can_be_played_to_its_end(ask):
    """The solver's runs solve it, prove it and keep to par; hints alone solve it as well."""
    listed = list(cases())
    tried = [*listed[:30], *sample(listed[30:], 30)]
    ats = [Case(graph(name), culprit, suspects).par()[1] for _, name, culprit, suspects, *_ in tried]
    for case, (over, kind, probes, shared) in zip(tried, ask(["solve", case[0], way] for case, way in zip(tried, ats))):
        assert (over, kind, probes) == ("won", "right", case[5]), case
        if isinstance(case[0], int):
            squares = "🟧" * case[5] + "🟩"
            assert shared == f"Bug hunt, Case {case[0]} {squares} {case[5]} square{'s' * (case[5] > 1)}"
    for case, (over, proved, probes) in zip(tried, ask(["hints", case[0]] for case in tried)):
        assert over == "won" and (proved or probes == MOST), case


@with_node
def test_wrong_accusation_costs_one_square_or_two_from_case_7(ask):
    for number, (steps, said, over, squares) in enumerate(ask(["wrong", number] for number in range(1, 31)), 1):
        each = 2 if number >= 7 else 1
        assert steps == [min(1 + each * i, 7) for i in range(1, len(steps) + 1)] and squares <= 6, number
        assert (over == "lost") is (steps[-1] >= 6) and said[0].startswith("Run the engine at least once")
        assert [
            text
            for text in said[2:]
            if not re.search("would have shown .* You saw|need a run in which the two would differ", text)
        ] == []
    assert ask([["solve", 1, []]])[0][0] is None, "without a run nobody can be named"
    assert ask([["solve", 4, [{"a": 1, "b": 0}]]])[0][:3] == ["won", "lucky", 1], "another suspect fits as well"


@with_node
def test_scratch_pad_is_free_and_computes_any_order(ask):
    """In the right order the gradients are right; in an early one c lacks a share."""
    fork = graph("fork")  # c = a + b; d = c * a; e = c + d
    slopes = {"e": {"2.0": 0, "4.0": 1, "4.1": 1}, "d": {"3.0": 2, "3.1": 3}, "c": {"2.0": 1, "2.1": 1}}
    right = {name: grad for name, (_, grad) in fork.run(NOTHING, {"a": 2.0, "b": 1.0}).items()}
    early = {name: grad for name, (_, grad) in fork.run("M8", {"a": 2.0, "b": 1.0}).items()}
    for order, grads in (("edc", right), ("ecd", early)):
        assert ask([["pad", 21, [[name, slopes[name]] for name in order]]])[0] == [grads, 0]
    assert set(data()["orders"]) <= {id for case in data()["cases"] for id in case[3]}


@with_node
def test_daily_case_grows_with_the_week_and_survives_a_restart(ask):
    days = [date(2026, 1, 1) + timedelta(days=n) for n in range(0, 3653, 1 if Drawing.everything else 7 * 5 + 1)]
    for day, (weekday, known, suspects, by_the_browser) in zip(days, ask(["day", day.isoformat()] for day in days)):
        assert (
            known
            and weekday == day.weekday() == (by_the_browser - 1) % 7
            and suspects == [3, 3, 4, 4, 5, 6, 7][weekday]
        )
    (moves, _), *_ = ask([["again", [0, 0], leaf_values(graph(data()["daily"][0][0][0]), data()["daily"][0][0][3])]])
    assert [move["kind"] for move in moves] == ["run"]
    assert ask([["say", "de"]]) == [["−0,25", "1 Feld", "2 Felder"]]


def keys(texts):
    """Return the keys of a language's texts, with the lengths of lists."""
    return {
        name: sorted(each) if isinstance(each, dict) else len(each) for name, each in texts.items() if name != "name"
    }


def test_both_languages_have_the_same_used_texts():
    en, de = bughunt.all_texts().values()
    assert keys(en) == keys(de)
    sources = [bughunt.HERE / "page.html", *(bughunt.HERE / "browser").glob("*.js")]
    used = re.findall(
        r"""\bt\("(\w+)"|data-t(?:-label)?="(\w+)\"""", "\n".join(each.read_text(encoding="utf-8") for each in sources)
    )
    assert {key for pair in used for key in pair if key} == {*en["page"]}
    ids = {id for case in cases() for id in case[3]}
    assert ids == {*en["suspects"]} == {*en["stories"]} and {name for name, *_ in data()["cases"]} == {*en["levels"]}
    ops = {op for name in data()["graphs"] for _, op, _ in graph(name).nodes} - {""}
    assert ops == {*en["rules"]} and ops <= {row.name.removesuffix("n") for row in operations.ROWS}
    for one, other in zip(json.dumps(en["page"]).split('", "'), json.dumps(de["page"]).split('", "')):
        assert sorted(re.findall(r"\{\w+\}", one)) == sorted(re.findall(r"\{\w+\}", other)), one
    same = [key for key in en["stories"] if en["stories"][key] == de["stories"][key]]
    assert same == [] and len(data()["code"]) == len(ids) - 1 == len(data()["lessons"])


@pytest.mark.parametrize("id", [id for id in bughunt.suspects() if id in WRONG])
def test_displayed_line_is_the_mistake(id):
    """In an engine with one rule for each operation, it causes the behaviour of the wrong engine."""
    wrong, ours = WRONG[id].engine, textbook.with_lines(*WRONG[id].shown)
    tried = [case for seed in range(3) for case in CASES(count=16, seed=seed)]
    one, other = ([behaviour_or_none(engine, case) for case in tried] for engine in (wrong, ours))
    assert [(a, b) for a, b in zip(one, other) if not (agree(a, b) or a is b is None)] == []
    assert sum(each is not None for each in one) > 40


def test_unsupported_python_is_not_translated():
    for text in ("with x: pass", "def f(x):\n    return {**x}", "del x", "x = a and b", "class A:\n    y = 1"):
        with pytest.raises(SyntaxError, match="no JavaScript for"):
            to_javascript.program(text)
    with pytest.raises(SyntaxError, match="the right engine has 1 statements and this one has 2"):
        to_javascript.changes(to_javascript.program("x = 1"), "x = 1\ny = 2")
