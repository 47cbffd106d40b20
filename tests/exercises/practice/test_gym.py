"""The gym: its answers are those of calculus, its wrong numbers those of its mistakes, and a miss comes back."""

import dataclasses
import datetime
import html
import math
import random
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from autograd import Value
from autograd.tensor import Tensor
from exercises.authors.sections import sections
from exercises.engines.wrong_engines import WRONG_ENGINES
from exercises.explaining.typed_numbers import matches
from exercises.practice import graphs, hand
from exercises.practice.asked import APART, LEAST
from exercises.practice.drawing import drawn
from exercises.practice.gym import Practice, boxes, deck, gym, page
from exercises.practice.questions import LEVELS, question
from exercises.practice.round import GIVES, OTHERWISE, Round
from exercises.storage import progress, schedule
from exercises.verdicts.cases import FLOATS

DAY = datetime.date(2030, 5, 1)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


def asked(level, count):
    return [question(level, seed) for seed in range(count)]


def given_by(made):
    """Return (number, Mistake) for each wrong number of a question."""
    return [(number, mistake) for mistake, numbers in made.wrong.items() for number in numbers]


def certain(made):
    """Return (number, Mistake) of a wrong number that can have only one cause."""
    return next(each for each in given_by(made) if made.certain(each[0]))


def told_apart(made):
    """Return how many mistakes other than of arithmetic have a number that is neither the answer nor another's."""
    numbers, own = [made.answer], set()
    for number, mistake in given_by(made):
        assert abs(number - made.answer) > APART * 0.99
        if mistake.name.startswith("a slip of arithmetic") or mistake.name in own:
            continue
        if all(abs(number - other) > APART for other in numbers):
            numbers.append(number)
            own.add(mistake.name)
    return len(own)


@pytest.mark.parametrize("level", graphs.LEVELS)
def test_gym_answers_match_dual_numbers_and_mistakes_differ(level):
    """A number that is off by one or two counts as no mistake; one named as a wrong engine is what that gives."""
    engines, seen = {wrong.name: wrong.engine for wrong in WRONG_ENGINES}, 0
    for made in asked(level, 12):
        assert made.answer == pytest.approx(made.case.gradients()[made.asked], abs=1e-9)
        assert told_apart(made) >= LEAST.get(level, 5)
        assert len(made.case.steps) == graphs.LEVELS[level][1]
        assert [off for off in (-2, -1, 1, 2) if made.certain(made.answer + off)] == []
        for number, mistake in given_by(made):
            if mistake.name in engines:
                nodes = made.case.run(engines[mistake.name])
                nodes[made.case.root].backward()
                assert nodes[made.asked].grad == pytest.approx(number, abs=1e-5)
                seen += 1
    assert seen > 10 or level not in (2, 4, 6, 8)


def test_hand_errors_are_named_on_a_small_graph():
    made = next(q for q in asked(1, 99) if q.case.leaves == (("a", 3), ("b", 2)))
    other = dict(made.case.leaves)["b" if made.asked == "a" else "a"]
    assert made.answer == other and made.patterns == ("multiplication",)
    named = [made.mistakes_of(number)[0].name for number in (-other, 10 * other)]
    assert named == ["a slip of arithmetic: the sign", "a slip of arithmetic: the decimal point"]
    assert [mistake.name for mistake in made.mistakes_of(1)] == ["the local derivative forgotten"]
    assert made.mistakes_of(17.3) == made.mistakes_of(other) == ()


HANDS = {  # what a hand takes for an operation's local derivatives, given the output and the inputs; and its name
    ("/", "the minus of a division"): lambda y, a, b: (1 / b, a / b**2),
    ("/", "1/b for both inputs"): lambda y, a, b: (1 / b, 1 / b),
    ("/", "-1/b² without a"): lambda y, a, b: (1 / b, -(b**-2)),
    ("/", "the slopes of a division swapped"): lambda y, a, b: (-a / b**2, 1 / b),
    ("-", "the sign of a subtraction"): lambda y, a, b: (1, 1),
    ("*", "* does not swap its factors"): lambda y, a, b: (a, b),
    ("**", "** leaves the exponent unchanged"): lambda y, a, n: (2 * a**2,),
    ("**", "the exponent not brought down"): lambda y, a, n: (a,),
    ("tanh", "1 - y for tanh"): lambda y, a: (1 - math.tanh(a),),
    ("tanh", "tanh's output for its slope"): lambda y, a: (math.tanh(a),),
    ("tanh", "tanh's derivative is computed from the input"): lambda y, a: (1 - a**2,),
    ("relu", "relu's output for its slope"): lambda y, a: (max(a, 0),),
}
RIGHT = {
    "+": lambda y, a, b: (1, 1),
    "-": lambda y, a, b: (1, -1),
    "*": lambda y, a, b: (b, a),
    "/": lambda y, a, b: (1 / b, -a / b**2),
    "**": lambda y, a, n: (2 * a,),
    "tanh": lambda y, a: (1 - math.tanh(a) ** 2,),
    "relu": lambda y, a: (float(a > 0),),
}


def by_hand(made, rules=RIGHT, contribution=lambda local, upstream: local * upstream):
    """Return the asked gradient by a backward pass over the steps of a question, with these rules."""
    values = made.case.compute([x for _, x in made.case.leaves], FLOATS)
    grads = dict.fromkeys(values, 0.0) | {made.case.root: 1.0}
    for name, operation, operands in reversed(made.case.steps):
        numbers = [values[each] if isinstance(each, str) else each for each in operands]
        for each, local in zip(operands, rules[operation](values[name], *numbers)):
            grads[each] += contribution(local, grads[name])
    return grads[made.asked]


@pytest.mark.parametrize("level", graphs.LEVELS)
def test_consistent_hand_error_is_among_the_named_mistakes(level):
    seen = cut = 0
    for made in asked(level, 30):
        assert by_hand(made) == pytest.approx(made.answer, abs=1e-9)
        used = {operation for _, operation, _ in made.case.steps}
        wrong = {name: by_hand(made, RIGHT | {of: rule}) for (of, name), rule in HANDS.items() if of in used}
        wrong["upstream"] = by_hand(made, contribution=lambda local, upstream: local)
        wrong["local"] = by_hand(made, contribution=lambda local, upstream: upstream)
        for name, number in wrong.items():
            if abs(number - made.answer) <= APART or 0 < abs(number) < APART:
                continue
            fits = [each.name for each, of in made.wrong.items() if any(matches(number, other) for other in of)]
            told = [each.name for each in made.mistakes_of(number)]
            assert any(name in each for each in fits), (name, made.code)
            assert len(told) == 3 or told == fits
            seen, cut = seen + 1, cut + (not any(name in each for each in told))
    assert seen >= 40 and cut <= 0.05 * seen


def test_negated_answer_suggests_several_mistakes():
    """None of them is noted then."""
    numbers = [made for level in LEVELS for made in asked(level, 30) if not made.options]
    named = [[mistake.name for mistake in made.mistakes_of(-made.answer)] for made in numbers]
    assert [
        (first, *others)
        for first, *others in named
        if not (first == "a slip of arithmetic: the sign" and len(others) <= 2)
    ] == []
    assert sum(len(each) > 1 for each in named) > 40
    made = next(made for made, names in zip(numbers, named) if made.level == 7 and len(names) == 3)
    said = Practice("", [made], 7, random.Random(0)).answer(1, -made.answer)
    one, two, three = (f"{m.name[0].upper()}{m.name[1:]}. {m.sentence}" for m in made.mistakes_of(-made.answer))
    assert said.startswith(f"{GIVES}{one}") and f" Or: {two}" in said and f" Or: {three}" in said
    assert progress.noted("gym")["boxes"].keys() == set(made.patterns)


@pytest.mark.parametrize("given", ["0.1*2.0025", "0.20", "0.2", "0.20025", 0.20])
def test_answer_from_rounded_factors_is_accepted(given):
    made = dataclasses.replace(question(6, 1), answer=0.20025, wrong={})
    assert made.right(given) and Round("", [made]).answer(1, given) == "Right."


@pytest.mark.parametrize("passed, level", [(None, 2), ("slope", 2), ("topological_order", 5), ("add_gradient", 2)])
def test_gym_starts_at_the_level_of_passed_lessons(passed, level):
    if passed:
        progress.record_pass(passed)
    assert gym(seed=0).level == level
    progress.note("gym", "level", 1)
    assert gym(seed=0).level == 1


@pytest.mark.long
def test_nothing_is_due_after_thirty_days_of_right_answers(monkeypatch):
    """Each round leaves less due than before; what was missed, and would have shown, is in higher boxes."""
    day, waiting = [DAY], []
    monkeypatch.setattr("exercises.practice.gym.datetime", SimpleNamespace(date=SimpleNamespace(today=lambda: day[0])))
    round = gym(4, seed="first")
    for place in range(1, 11):  # it begins with some misses
        made = round.made[place - 1]
        round.answer(place, next((n for n, _ in given_by(made) if made.certain(n)), 99.5))
    missed = [name for name, entry in boxes().items() if entry["missed"]]
    for today in range(1, 31):
        day[0] = DAY + datetime.timedelta(days=today)
        before, round = len(schedule.due(boxes(), day[0])), gym(4)
        for place in range(1, 11):
            round.answer(place, round.made[place - 1].answer)
        waiting.append(len(schedule.due(boxes(), day[0])))
        assert waiting[-1] < before or before == 0
    shown = {m.name for level in (3, 4) for made in asked(level, 30) for m in made.wrong}
    assert missed and [each for each in waiting[10:] if each] == []
    assert [name for name in missed if name in shown and not (boxes()[name]["box"] >= 2)] == []


def test_each_hand_error_points_to_an_existing_section():
    of_rules = [mistake for known in hand.LOCALS.values() for _, mistake in known]
    assert len(of_rules) == 9
    for mistake in (*of_rules, hand.NO_UPSTREAM, hand.NO_LOCAL, hand.LOST_PATH):
        assert (mistake.lesson, mistake.section) in sections() and mistake.sentence.endswith("."), mistake.name


def test_page_contains_each_sentence_once():
    spec = (round := gym(7, seed=3)).spec()
    assert len(set(spec["sentences"])) == len(spec["sentences"])
    for made, shown in zip(round.made, spec["questions"], strict=True):
        said = {spec["sentences"][at]: list(numbers) for numbers, at in shown["number"]["wrong"]}
        assert spec["sentences"][shown["number"]["otherwise"]] == OTHERWISE
        assert list(said.values()) == list(map(list, made.wrong.values()))
        assert [
            (mistake, each) for mistake, each in zip(made.wrong, said) if mistake.sentence not in html.unescape(each)
        ] == []


def test_question_depends_on_seed_and_prefers_patterns():
    assert question(5, 3) == question(5, 3)
    found = [sum("order" in question(8, s, prefer=p).patterns for s in range(15)) for p in ((), ("order",))]
    assert found[1] > found[0]


def test_right_patterns_wait_longer_and_missed_ones_return():
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
    twice = schedule.after(schedule.after({}, ["order"], True, DAY, 3), ["order"], True, DAY, 3)
    assert twice["order"]["box"] == 1 and twice["order"]["seen"] == 2, "twice right on a day is one box"
    state = schedule.after(schedule.after({}, ["fan-out"], False, DAY, 2), ["division"], False, DAY, 7)
    waiting = schedule.due(state, DAY, 5)
    assert waiting == ["fan-out"] and schedule.due(state, DAY) == ["division", "fan-out"]
    plan = schedule.planned(5, waiting, state)
    assert plan[0] == (2, ("fan-out",)) and plan[1:] == [(4, ())] * 3 + [(5, ())] * 6


def test_gym_round_is_recorded_and_ends_with_a_summary():
    first = gym(2, seed=1)
    assert "nothing is due" in first.title and len(first.made) == 10
    wrong, mistake = certain(first.made[0])
    assert mistake in first.made[0].mistakes_of(wrong) and mistake.sentence in first.answer(1, wrong)
    assert first.answer(1, 123.456) == OTHERWISE
    assert first.answer(1, first.made[0].answer) == "Right."  # only the first answer counts
    boxes = progress.noted("gym")["boxes"]
    assert boxes[mistake.name]["missed"] == 1 and boxes[mistake.name]["due"] == datetime.date.today().isoformat()
    assert mistake.name in gym(2, seed=1).title
    said = [str(first.answer(place, first.made[place - 1].answer)) for place in range(2, 11)]
    assert said[-1].endswith("Next time: level 3 (3 operations: + *).") and progress.noted("gym")["level"] == 3
    assert gym(seed=2).level == 3


def test_next_question_is_about_the_missed_pattern():
    round = gym(7, seed=2)
    planned, missed = list(round.made), round.made[0]
    wrong, mistake = certain(missed)
    said, instead = round.answer(1, wrong), round.made[1]
    assert instead != planned[1] and f"Question 2 is a new one now:\n{instead.render_text()}" in said
    assert mistake.name in {m.name for m in instead.wrong} and instead.level == missed.level
    assert round.renewed["place"] == 1 and round.renewed["question"]["id"] == round.questions[1]["id"]
    round.answer(2, instead.answer)
    assert round.made[2:] == planned[2:]
    assert "another one" not in round.answer(10, -planned[9].answer)  # nothing waits behind the last


def test_answer_to_a_replaced_question_counts_once():
    round = gym(3, seed=5)
    old = round.questions[1]["id"]
    round.answer(1, -round.made[0].answer)
    assert round.questions[1]["id"] != old
    round.typed, round.answers = {**round.typed, old: "1"}, {**round.answers, old: True}
    assert round.waiting() == list(range(2, 10))
    for place in range(3, 11):
        round.answer(place, round.made[place - 1].answer)
    assert "Next time: level 4 (" in round.summary


def test_zero_is_explained_only_by_consistent_mistakes():
    found = [each for level in graphs.LEVELS for made in asked(level, 25) for each in given_by(made)]
    zeros = {mistake.name for number, mistake in found if number == 0}
    at_one_edge = {"a path forgotten", "the local derivative forgotten", "the upstream gradient is forgotten"}
    assert "nodes identified by their number" in zeros and not zeros & at_one_edge


@pytest.mark.parametrize(
    "level, seed",
    [*[(4, 4), (5, 12), (6, 3), (7, 3), (8, 2)], *((level, 1) for level in (1, 2, 3, 4, 10)), (10, 3), (11, 0)],
)
def test_drawing_and_labels_suffice_to_answer(level, seed):
    """In the first five operands could change places, and no number would show it."""
    made = question(level, seed)
    shown, picture = Round("", [made]).spec()["questions"][0], drawn(made)
    assert picture.svg.count(">?<") == 1, "in the box of the leaf that is asked"
    assert f'aria-label="{html.escape(picture.alt)}"' in shown["graph"]
    lines = [re.sub(", which is .*", "", line) for line in picture.alt.split(". ")[1:-1]]
    assert shown["code"] == (made.code if made.level < 9 else next(line for line in lines if line.startswith("Y = ")))
    names = {"Value": Value, "Tensor": Tensor}
    exec("\n".join(lines), names)
    if made.upstream:
        names["Y"].backward(gradient=np.array(made.upstream, dtype=float))
        found, off = names[made.asked[0]].grad[tuple(made.asked[1:])], 1e-4 if level == 11 else 0  # rounded scores
        assert found == pytest.approx(made.answer, rel=0, abs=off)
        assert str(list(map(list, made.upstream))) in picture.alt
        assert f">{next(row for row in made.upstream if any(row))[0]:g}<".replace("-", "−") in picture.svg
    else:
        names[made.case.root].backward()
        assert names[made.asked].grad == made.answer


def test_static_page_puts_code_under_the_drawing():
    shown = Round("", [question(5, 12), question(5, 43)]).instead()
    assert shown.count("<img") == 1 and shown.index("<img") < shown.index("d = c - a  # 0") < shown.index("</li>")
    assert shown.count("<pre>") == 2


def test_unseeded_round_stays_until_a_question_is_answered():
    first = gym(3)
    assert gym(3).made == first.made != gym(3, seed=1).made
    first.answer(1, first.made[0].answer)
    assert gym(3).made != first.made


@pytest.mark.parametrize("foreign", [7, {"order": 3}, {"order": {"box": 99, "due": "x", "seen": 1, "missed": 0}}])
def test_invalid_gym_notes_are_ignored(foreign):
    progress.note("gym", "boxes", foreign)
    progress.note("gym", "level", "high")
    assert "level 2; nothing is due" in gym(seed=0).title


def test_bad_gym_arguments_get_messages():
    for level in (0, 12, True, 2.0, "3", [1]):
        with pytest.raises(ValueError, match=r"^level is a whole number from 1 to 11, got "):
            gym(level)
    of_numbers, of_options = Round("", asked(1, 10)), Round("", asked(9, 1))
    for round, place, given, fault, said in [
        (of_numbers, 11, 1, ValueError, "place is a whole number from 1 to 10, got 11"),
        (of_numbers, 1, [2], TypeError, r"is a number, or a string such as '0.42\*3'; got list"),
        (of_numbers, 1, "2,5", ValueError, "A decimal point is a point here"),
        (of_options, 1, 3, ValueError, r"The answer is one of .*; got 3"),
    ]:
        with pytest.raises(fault, match=said):
            round.answer(place, given)


@pytest.mark.long
def test_deck_is_a_standalone_page(tmp_path):
    subprocess.run([sys.executable, "-m", "exercises", "practice", tmp_path / "deck.html"], check=True)
    text, small = (tmp_path / "deck.html").read_text(encoding="utf-8"), deck(3)
    assert text.startswith("<!doctype html>") and "<script src" not in text
    assert small.spec()["shuffled"] and [q["id"] for q in small.spec()["questions"]] == ["gym-0", "gym-1", "gym-2"]
    assert small.made[2].case.root in page(small) and "slip of arithmetic" in page(small)
