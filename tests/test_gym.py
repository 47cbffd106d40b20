"""The gym: its answers are those of calculus, its wrong numbers those of its mistakes, and a miss comes back."""

import ast
import datetime
import functools
import html
import math
import re
import subprocess
import sys

import numpy as np
import pytest

from autograd import Value
from autograd.tensor import Tensor
from exercises import progress
from exercises.cases import Case
from exercises.practice import arrays, graphs, schedule
from exercises.practice.asked import APART, LEAST, LOST_PATH, MOST, SIGN, TENS, UPSTREAM, gathered
from exercises.practice.drawing import drawn
from exercises.practice.gym import deck, gym, page
from exercises.practice.questions import question
from exercises.practice.round import OTHERWISE, Round
from exercises.wrong_engines import WRONG_ENGINES
from exercises.wrong_tensors import WRONG_TENSORS

DAY = datetime.date(2030, 5, 1)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


@pytest.mark.parametrize("level", graphs.LEVELS)
def test_answers_are_those_of_dual_numbers_and_mistakes_are_told_apart(level):
    for seed in range(12):
        made = question(level, seed)
        assert made.answer == pytest.approx(made.case.gradients()[made.asked], abs=1e-9)
        numbers = [made.answer, *made.wrong]
        assert all(abs(a - b) > APART * 0.99 for i, a in enumerate(numbers) for b in numbers[:i])
        named = {m.name for ms in made.wrong.values() for m in ms if not m.name.startswith("a slip of arithmetic")}
        assert len(named) >= LEAST.get(level, 5)
        assert len(made.case.steps) == graphs.LEVELS[level][1]


@pytest.mark.parametrize("level", (2, 4, 6, 8))
def test_a_number_with_the_name_of_a_wrong_engine_is_what_that_engine_gives(level):
    engines, seen = {wrong.name: wrong.engine for wrong in WRONG_ENGINES}, 0
    for seed in range(12):
        made = question(level, seed)
        for number, mistake in ((n, m) for n, ms in made.wrong.items() for m in ms):
            if mistake.name in engines:
                nodes = made.case.run(engines[mistake.name])
                nodes[made.case.root].backward()
                assert nodes[made.asked].grad == pytest.approx(number, abs=APART)
                seen += 1
    assert seen > 10


def test_slips_are_named_on_a_graph_worked_out_by_hand():
    made = next(q for q in (question(1, seed) for seed in range(99)) if q.case.leaves == (("a", 3), ("b", 2)))
    other = dict(made.case.leaves)["b" if made.asked == "a" else "a"]
    assert made.answer == other and made.patterns == ("multiplication",)
    assert [m.name for m in made.named(-other)] == ["a slip of arithmetic: the sign"]
    assert [m.name for m in made.named(10 * other)] == ["a slip of arithmetic: the decimal point"]
    assert made.named(1)[0].name == "the local derivative forgotten"
    assert made.named(17.3) == () == made.named(other)


def test_the_same_seed_gives_the_same_question_and_a_preferred_pattern_is_more_frequent():
    assert question(5, 3) == question(5, 3)
    asked = [sum("order" in question(8, s, prefer=p).patterns for s in range(15)) for p in ((), ("order",))]
    assert asked[1] > asked[0]


def test_what_is_right_waits_longer_and_what_is_missed_comes_back():
    day, state, waits = DAY, {}, []
    for _ in range(5):
        state = schedule.after(state, ["order"], True, day, 3)
        due = datetime.date.fromisoformat(state["order"]["due"])
        waits.append((due - day).days)
        day = due
    assert waits == [1, 3, 7, 21, 21]
    missed = schedule.after(state, ["order", "division"], False, day, 7)
    assert schedule.due(missed, day) == ["division", "order"] and state["order"]["box"] == 4
    assert schedule.improved({"order": {"box": 0}}, state) == ["order"] and schedule.improved(state, missed) == []
    assert [schedule.next_level(3, [True] * n + [False] * (10 - n)) for n in (3, 5, 8)] == [2, 3, 4]


def test_twice_right_on_a_day_is_one_box():
    state = schedule.after(schedule.after({}, ["order"], True, DAY, 3), ["order"], True, DAY, 3)
    assert state["order"]["box"] == 1 and state["order"]["seen"] == 2


def test_a_round_from_a_cell_is_noted_and_ends_with_what_improved():
    first = gym(2, seed=1)
    assert "nothing is due" in first.title and len(first.made) == 10
    wrong, (mistake, *_) = next(iter(first.made[0].wrong.items()))
    assert first.answer(1, wrong).lower().startswith(mistake.name.lower())
    assert first.answer(1, 123.456) == OTHERWISE
    assert first.answer(1, first.made[0].answer) == "Right."  # only the first answer counts
    boxes = progress.noted("gym")["boxes"]
    assert boxes[mistake.name]["missed"] == 1 and boxes[mistake.name]["due"] == datetime.date.today().isoformat()
    assert mistake.name in gym(2, seed=1).title
    said = [str(first.answer(place, first.made[place - 1].answer)) for place in range(2, 11)]
    assert said[-1].endswith("Next time: level 3 (3 operations: + *).") and progress.noted("gym")["level"] == 3
    assert gym(seed=2).level == 3


def test_the_next_question_is_about_what_was_missed():
    round = gym(7, seed=2)
    planned, missed = list(round.made), round.made[0]
    wrong, (mistake, *_) = next(iter(missed.wrong.items()))
    said = round.answer(1, wrong)
    asked = round.made[1]
    assert asked != planned[1] and round.made[2:] == planned[2:]
    assert f"Question 2 is another one now:\n{asked.text()}" in said
    assert mistake.name in {m.name for ms in asked.wrong.values() for m in ms} and asked.level == missed.level
    assert round.renewed["place"] == 1 and round.renewed["question"]["id"] == round.questions[1]["id"]
    round.answer(2, asked.answer)
    assert round.made[2:] == planned[2:]
    late = next(iter(planned[9].wrong))
    assert "another one" not in round.answer(10, late)  # nothing waits behind the last


def test_what_is_due_is_asked_at_its_own_level_and_no_higher_one():
    state = schedule.after(schedule.after({}, ["fan-out"], False, DAY, 2), ["division"], False, DAY, 7)
    waiting = schedule.due(state, DAY, 5)
    assert waiting == ["fan-out"] and schedule.due(state, DAY) == ["division", "fan-out"]
    plan = schedule.planned(5, waiting, state)
    assert plan[0] == (2, ("fan-out",)) and plan[1:] == [(4, ())] * 3 + [(5, ())] * 6


def test_a_browsers_answer_to_a_question_that_was_replaced_meanwhile_counts_once():
    round = gym(3, seed=5)
    old, wrong = round.questions[1]["id"], next(iter(round.made[0].wrong))
    round.answer(1, wrong)
    assert round.questions[1]["id"] != old
    round.typed, round.answers = {**round.typed, old: "1"}, {**round.answers, old: True}
    assert round.waiting() == list(range(2, 10))
    for place in range(3, 11):
        round.answer(place, round.made[place - 1].answer)
    assert "Next time: level 4 (" in round.summary


def test_a_zero_is_named_only_where_a_program_leaves_it():
    zeros = [
        m
        for level in graphs.LEVELS
        for s in range(25)
        for n, ms in question(level, s).wrong.items()
        if n == 0
        for m in ms
    ]
    programs = {m.name for _, m in graphs.ENGINES} | {m.name for rules in graphs.SLOPES.values() for m, _ in rules}
    assert zeros and all(m.name in programs for m in zeros)


def test_the_box_of_the_leaf_that_is_asked_has_a_question_mark():
    for level in (4, 10):
        made = question(level, 1)
        assert drawn(made).svg.count(">?<") == 1
    upstream = [row for row in made.upstream if any(row)]
    assert upstream and f">{upstream[0][0]:.4f}<" in drawn(made).svg
    assert drawn(question(9, 1)) is None


@pytest.mark.parametrize("name", arrays.WAYS)
def test_ways_to_write_a_gradient_are_the_known_mistakes_that_they_are_called(name):
    rng, place = np.random.default_rng(3), "XW".index(name)
    X, W, G = rng.normal(size=(3, 3, 3))
    known = {}
    for result, mistake in arrays.results("matmul_vjps", X, W, G):
        known.setdefault(mistake.name, []).append(result[place])
    known[""] = [(G @ W.T, X.T @ G)[place]]
    for way, mistake in arrays.WAYS[name].items():
        got = eval(way, {"np": np, "X": X, "W": W, "G": G})
        assert any(np.allclose(got, other) for other in known[mistake]), way


@pytest.mark.parametrize("seed", range(40))
def test_shapes_and_axes_are_those_that_the_engine_gives(seed):
    made = question(9, seed)
    sizes = dict(re.findall(r"(\w)\.shape is (\([\d, ]+\))", made.code))
    leaves = {name: Tensor(np.ones(ast.literal_eval(size))) for name, size in sizes.items()}
    assert len(set(made.options)) == len(made.options) == len(made.wrong) + 1 >= 6
    if "axes summed back" in made.patterns:
        (x, b), along = leaves.values(), [int(axis) for axis in re.findall(r"\d", made.answer)]
        upstream = np.random.default_rng(seed).normal(size=x.shape)
        (x + b).backward(gradient=upstream)
        assert np.allclose(upstream.sum(axis=tuple(along)).reshape(b.shape), b.grad)
    elif "shape of a gradient" in made.patterns:
        assert made.answer == sizes["b"]
    else:
        assert made.answer == {"W": "X.T @ G", "X": "G @ W.T"}[made.says.split("`")[1][0]]


@pytest.mark.parametrize("seed", range(20))
def test_entries_are_those_of_the_engine_and_of_the_wrong_engines(seed):
    made = question(10, seed)
    name, *place = made.asked
    run = functools.partial(grad_of, made, name)
    assert run(Tensor)[tuple(place)] == made.answer
    numbers = [made.answer, *made.wrong]
    assert all(abs(a - b) > APART * 0.99 for i, a in enumerate(numbers) for b in numbers[:i])
    assert len({m.name for ms in made.wrong.values() for m in ms if not m.name.startswith("a slip of arithmetic")}) >= 5
    for wrong in WRONG_TENSORS[2:6]:  # those whose gradients have the right shape
        got = run(wrong.engine)[tuple(place)]
        assert abs(got - made.answer) < APART or made.named(got), wrong.name


def grad_of(made, name, engine):
    """The gradient that an engine leaves in a leaf of a question on arrays, from the upstream that it is told."""
    nodes = made.case.run(engine)
    (nodes[made.case.root] * np.array(made.upstream)).sum().backward()
    return nodes[name].grad


def test_without_a_seed_a_round_stays_until_something_is_answered():
    first = gym(3)
    assert gym(3).made == first.made != gym(3, seed=1).made
    first.answer(1, first.made[0].answer)
    assert gym(3).made != first.made


@pytest.mark.parametrize("foreign", [7, {"order": 3}, {"order": {"box": 99, "due": "x", "seen": 1, "missed": 0}}])
def test_foreign_notes_are_left_out(foreign):
    progress.note("gym", "boxes", foreign)
    progress.note("gym", "level", "high")
    assert "level 1; nothing is due" in gym(seed=0).title


def test_bad_arguments_are_sentences():
    for level in (0, 11, True, 2.0, "3", [1]):
        with pytest.raises(ValueError, match=r"^level is a whole number from 1 to 10, got "):
            gym(level)
    with pytest.raises(ValueError, match="place is a whole number from 1 to 10, got 11"):
        gym(1, seed=0).answer(11, 1)
    with pytest.raises(TypeError, match="The answer is a number, got str"):
        gym(1, seed=0).answer(1, "2")
    made = next(q for q in map(functools.partial(question, 9), range(9)) if q.options)
    with pytest.raises(ValueError, match=r"The answer is one of .*; got 3"):
        Round("", [made]).answer(1, 3)


def test_the_deck_is_a_page_that_needs_nothing(tmp_path):
    subprocess.run([sys.executable, "-m", "exercises.practice", tmp_path / "deck.html"], check=True)
    text = (tmp_path / "deck.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and "<script src" not in text
    small = deck(3)
    assert small.spec()["shuffled"] and [q["id"] for q in small.spec()["questions"]] == ["gym-0", "gym-1", "gym-2"]
    assert small.made[2].case.root in page(small) and "slip of arithmetic" in page(small)


@pytest.mark.parametrize("level", [*graphs.LEVELS, 10])
def test_the_order_of_operands_is_told_to_everybody(level):
    """d = c - a and d = a - c are one picture: the code stands beside it, and in its description."""
    for seed in range(10):
        made = question(level, seed)
        shown = Round("a round", [made]).spec()["questions"][0]
        assert shown["code"] == made.code
        steps = [line.partition("  #")[0] for line in made.code.splitlines() if not line.startswith("#")]
        alt = html.unescape(re.search(r'aria-label="([^"]*)"', shown["graph"])[1])
        assert all(step in alt for step in steps)


@pytest.mark.parametrize("level", graphs.LEVELS)
def test_the_sign_is_among_the_names_of_minus_the_answer(level):
    for seed in range(25):
        made = question(level, seed)
        assert "a slip of arithmetic: the sign" in [mistake.name for mistake in made.named(-made.answer)]
        assert all(
            1 <= len(mistakes) <= MOST and len(set(mistakes)) == len(mistakes) for mistakes in made.wrong.values()
        )


def test_division_and_tanh_have_mistakes_of_their_own():
    """Of d = a / b at 3 and 2 the slopes are 1/2 and -3/4; of tanh with output y, 1 - y²."""
    case = Case((("a", 3.0), ("b", 2.0)), (("d", "/", ("a", "b")),))
    nodes = case.run(Value)
    nodes["d"].backward()
    of_b = {mistake.name: number for number, mistake, _ in graphs.wrong_slopes(nodes, case, "b")}
    assert of_b == {
        "the slopes of / exchanged": 0.5,
        "the sign of a divisor's slope": 0.75,
        "the numerator forgotten": -0.25,
        "the divisor not squared": -1.5,
        "/ taken for *": -0.75,
    }
    of_a = {mistake.name: number for number, mistake, _ in graphs.wrong_slopes(nodes, case, "a")}
    assert (of_a["the slopes of / exchanged"], of_a["/ taken for *"]) == (-0.75, 2.0)
    case = Case((("a", 1.0),), (("d", "tanh", ("a",)),))
    nodes = case.run(Value)
    nodes["d"].backward()
    y = math.tanh(1)
    found = {mistake.name: number for number, mistake, _ in graphs.wrong_slopes(nodes, case, "a")}
    assert found == {"tanh's slope taken for its output": y, "tanh's output not squared": 1 - y}


def test_a_number_that_several_mistakes_give_has_all_their_names():
    """d = a * b, e = d * a at 2 and 3: without local derivatives a.grad counts two paths."""
    case = Case((("a", 2.0), ("b", 3.0)), (("d", "*", ("a", "b")), ("e", "*", ("d", "a"))))
    nodes = case.run(Value)
    assert [number for number, _, _ in graphs.no_slopes(nodes, case, "a")] == [2.0]
    found = gathered(12.0, [(6.0, LOST_PATH, False), (6.005, UPSTREAM, False), (6.0, SIGN, True), (6.0, TENS, True)])
    assert found == {6.0: (LOST_PATH, UPSTREAM, SIGN)}
    round = Round("a round", [question(3, 4)])
    number, mistakes = next((n, ms) for n, ms in round.made[0].wrong.items() if len(ms) > 1)
    said = round.answer(1, number)
    assert all(mistake.sentence in said for mistake in mistakes) and " Or: " in said
