"""Lesson 07: every number in its text is what the engines, plain floats or PyTorch give; its labs show what it says."""

import itertools
import json
import statistics
import sys

import pytest

import autograd
import figures
from autograd import Value
from autograd.dual import forward_gradient
from exercises.course import pytorch
from exercises.engine_file import parts
from exercises.engine_file.trial import template_engine
from exercises.lessons.lesson_07.place_zero_grad import check as place_zero_grad_check
from exercises.lessons.lesson_07.second_pass import check as second_pass_check
from exercises.quizzes import quiz_data
from figures import policy, stale
from figures.charts.still import histogram
from figures.labs.descent import LOSSES, walk
from tests import notebooks
from tests.labs import ask, message
from tests.walks import shown

LESSON = notebooks.Lesson("07", trains=True)
Closures = template_engine().Value  # a Value like the one that the lesson's story is told with
RESETS = ("nothing", "all", "intermediates")


# The second pass, and the policies


@pytest.mark.long
def test_the_second_pass_and_the_chain_frame_by_frame():
    e, a, b, d = LESSON["small_graph"]()
    c = e._prev[0]
    assert parts.is_the_courses(LESSON["Value"]) and isinstance(e, LESSON["Value"])
    assert [node.label for node in (e, c, a, b, d)] == list("ecabd")
    LESSON["plain_pass"](e)
    assert [node.grad for node in (a, b, d, c, e)] == [1, 1, 5, 1, 1]
    assert forward_gradient(lambda a, b, d: (a + b) * d, [3.0, 2.0, 1.0]) == [1, 1, 5]
    e.grad = 1.0
    e._backward()
    LESSON.says(f"It passed on 1 + 1 = {c.grad:g}, of which only half was new")
    c._backward()
    LESSON.says(f"a came to 1 + 2 = {a.grad:g}.")
    LESSON.says(f"d doubled to {d.grad:g}, but a and b trebled to {b.grad:g}")
    assert [node.grad for node in (c, d, a, b)] == [2, 10, 3, 3]
    LESSON.shows("(1.0, 1.0, 5.0)")
    # n2, n1 and x after one pass, what arrives in the second, and what is there then.
    x = Closures(1.0)
    n1 = x.relu()
    n2 = n1.relu()
    y, found = n2.relu(), []
    for _ in range(2):
        LESSON["plain_pass"](y)
        found.append([node.grad for node in (n2, n1, x)])
    before, after = found
    assert before == [1, 1, 1] and after == [2, 3, 4]
    LESSON.says("n2 comes to 1 + 1 = 2, n1 to 1 + 2 = 3, and x to 1 + 3 = 4.")


@pytest.mark.long
def test_a_right_engine_gives_what_the_text_says_of_the_learners_own():
    """Whoever wrote it: with the pass of lesson 05, or with one that accumulates."""
    for engine in (parts.grown("backward"), parts.grown("accumulate"), vars(template_engine())):
        zero_grad = engine.get("zero_grad", parts.grown("accumulate")["zero_grad"])
        w = engine["Value"](1.0)
        (3 * w).backward()
        (5 * w).backward()
        assert w.grad == 8
        w, path = engine["Value"](0.0), []
        for _ in range(4):
            zero_grad([w])
            ((w - 3) ** 2).backward()
            w.data -= 0.25 * w.grad
            path.append(round(w.data, 6))
        assert path == [1.5, 2.25, 2.625, 2.8125]
    LESSON.says("should give 8, and the loop of four steps 1.5, 2.25, 2.625 and 2.8125")
    for run in (notebooks.ran(LESSON.path), notebooks.ran(LESSON.path, True)):
        own = [cell for cell in notebooks.cells(run, "code") if notebooks.runs_own_engine(cell)]
        assert notebooks.output_of(own[1]) == "8.0"
        assert [notebooks.output_of(cell) for cell in own[2:]] == ["[1.5, 2.25, 2.625, 2.8125]"]


def test_the_labs_of_policies_and_of_stale_numbers():
    text = shown(policy(predict=True))
    first, batches = ([text[f"cell.{reset}.{group}.2"] for reset in RESETS] for group in ("passes", "batches"))
    assert first == ["3.0000, 3.0000, 10.0000", "1.0000, 1.0000, 5.0000", "2.0000, 2.0000, 10.0000"]
    assert batches == ["8.0000", "5.0000", "8.0000"]
    says = 'Under "nothing" a and b hold it 3 times and d twice, as above. Under "all" each holds it once, '
    LESSON.says(f'{says}and under "intermediates" twice.')
    LESSON.says("The whole loss is 8 · w, so the gradient should be 8.", '"all" has lost the first mini-batch.')
    player = policy(4, predict=True)
    cells = [f"cell.{reset}.chain.2" for reset in ("nothing", "intermediates")]
    text = shown(player)
    assert [text[cell] for cell in cells] == ["6.0000", "2.0000"]
    LESSON.says("6 and 2, where the gradient is 1.")
    ask(player, k=0)
    text = shown(player)
    assert [text[cell] for cell in cells] == ["2.0000"] * 2
    for k in range(7):  # a chain of k nodes tells the two apart, but for k = 0
        assert (second_pass_check.factor(k, "nothing") != second_pass_check.factor(k, "intermediates")) == bool(k)
    player = stale(a=3, b=2, new=-1, predict=True)
    text = shown(player)
    assert [text[f"cell.{key}.b"] for key in ("closures", "numbers", "after")] == ["-12.0000 ✗", "36.0000", "4.0000"]
    ask(player, new=0.0)
    text = shown(player)
    assert text["cell.closures.b"].startswith("0.0000") and text["cell.numbers.b"] == "36.0000"
    assert message(player) == ""
    LESSON.says("b.grad is 0 with closures", "it is 36")


# The loop


def test_stale_numbers_and_one_parameter_with_and_without_zeroing():
    w, slopes, totals, path = 0.0, [], [], []
    for _ in range(3):
        slopes.append(2 * (w - 3))
        totals.append(sum(slopes))
        w -= 0.25 * totals[-1]
        path.append(w)
    LESSON.says("{:g}, {:g} and {:g}.".format(*path), "three gradients are {:g}, {:g} and {:g},".format(*slopes))
    LESSON.says("w.grad holds their sums, {:g}, {:g} and {:g}.".format(*totals))
    assert LESSON["fit"](3, zero=False) == path and LESSON["fit"](3, zero=True) == [1.5, 2.25, 2.625]
    distances = [abs(w - 3) for w in LESSON["fit"](20, zero=True)]
    assert distances == sorted(distances, reverse=True) and distances[-1] < 1e-5
    for engine, left in ((Closures, 60), (Value, 24)):
        a, b = engine(2.0), engine(3.0)
        y = a * b
        loss = y * y
        a.data = 5.0
        loss.backward()
        assert b.grad == left and (y.grad == 12 or engine is Value)
    old, new = (forward_gradient(lambda a, b: (a * b) * (a * b), [a, 3.0])[1] for a in (2.0, 5.0))
    LESSON.says(f"2 · y · a = {old:g}", f"2 · 15 · 5 = {new:g}", "60 is neither: the rule of `*` is a closure")


def downhill(lr, zero=True, rounds=60):
    """The u of the lab's descent from (1, 3), which test_descent_lab.py holds against plain loops."""
    return [place.u for place in walk(LOSSES["bowl"], (1.0, 3.0), lr, zero, rounds)]


@pytest.mark.long
def test_the_border_is_2_divided_by_the_largest_curvature():
    """Without zeroing it is twice as far: until there the point swings, slower with a smaller rate."""
    assert downhill(0.125)[1] == 0 and {*downhill(0.25)} == {1.0, -1.0}
    assert abs(downhill(0.26)[-1]) > 90 > 1 > abs(downhill(0.24)[-1])
    last = {lr: walk(LOSSES["bowl"], (1.0, 3.0), lr, True, 60)[-1].loss for lr in (0.005 * n for n in range(1, 121))}
    LESSON.says("With 0.125, as 1 - 8 · 0.125 is 0.", "u jumps from side to side for ever", "The border is 2/8")
    LESSON.says(
        "For v alone, the border would be 1.", f"{min(last, key=last.get):g}, where both factors have the size 0.6"
    )
    assert abs(downhill(0.3)[-1]) > 1e8 and max(map(abs, downhill(0.49, False, 5000))) < 20
    far = [abs(u) for u in downhill(0.5, zero=False)]
    fast, slow = (
        sum(one * other < 0 for one, other in itertools.pairwise(downhill(lr, False, 1000))) for lr in (0.05, 0.0125)
    )
    assert far[:4] == [1, 3, 5, 7] and far == sorted(far) and fast == pytest.approx(2 * slow, rel=0.05)
    LESSON.says("The right loop flies away.", "From 0.5 on, twice the border", "makes the swings slower but ends none")
    player = figures.descent()
    assert "4u² + v²" in player.recording.title + player.recording.alt and len(player.recording.frames) == 61


@pytest.mark.long
def test_the_network_without_zeroing_freezes_and_7_of_30_are_right():
    used_with, used_without = LESSON["used_with"], LESSON["used_without"]
    assert len(used_with) == len(used_without) == 3700 and len(LESSON["without"].parameters()) == 37
    zeroed, not_zeroed = histogram({"zeroed": used_with, "not zeroed": used_without}, bins=40).means.values()
    largest = [max(map(abs, used)) for used in (used_without, used_with)]
    LESSON.says(f"their mean size is {not_zeroed:.2f} against {zeroed:.2f}")
    LESSON.says("the largest is {:.1f} against {:.1f}".format(*largest))

    net, rows = LESSON["train"](0, zero=False)[0], LESSON["ROWS"]
    before = [p.grad for p in net.parameters()]
    loss = autograd.sum_of_squares([net(row) for row in rows], LESSON["TARGETS"])
    loss.backward()
    assert [p.grad for p in net.parameters()] == before and loss.data == pytest.approx(2.0, abs=1e-9)
    LESSON.says(f"one of them to {max(abs(p.data) for p in net.parameters()):.0f}, that tanh is flat")
    LESSON.shows("(0.0, 45.887")
    assert [net(row).data for row in rows] == pytest.approx([1, 1, 1, 1])
    assert [LESSON["with_zero"](row).data > 0.5 for row in rows] == [False, True, True, False]
    assert statistics.mean(map(abs, used_without[-37:])) == pytest.approx(0.965, abs=1e-3)
    assert LESSON.output("for zero in (True, False)]") in (
        "[25, 7]",
        "[26, 7]",
    )  # tanh's last digits are the platform's
    LESSON.says("25 or 26 with zeroing, depending on your machine's last digits, and 7 without")
    largest = max(abs(g) for seed in range(30) for g in LESSON["train"](seed, False)[1])
    assert largest < 10  # they do not grow without bound
    assert LESSON["train"](3, zero=True)[1] == LESSON["train"](3, zero=True)[1]  # the same each time


# PyTorch


def columns(name):
    """What a program says here and, as recorded, in PyTorch: each line's output, and those that are not empty."""
    ours, theirs = pytorch.ran_here(name), pytorch.recorded(name)[0]
    assert len(theirs) == len(pytorch.PROGRAMS[name])
    return ours, theirs, [line for line in ours if line], [line for line in theirs if line]


@pytest.mark.parametrize("name", pytorch.PROGRAMS)
def test_the_recorded_run_is_what_pytorch_gives(name, torch):
    assert pytorch.ran_in_pytorch(name)[0] == pytorch.recorded(name)[0]


def test_the_columns_agree_where_the_lesson_says_so():
    _, theirs, ours_said, theirs_said = columns("two passes")
    assert ours_said == ["(True, False)", "(1.0, 1.0, 5.0)", "(2.0, 2.0, 10.0)", "1.0", "(3.0, 3.0, 15.0)"]
    plain = [line.replace("tensor(", "").replace(".)", ".0").rstrip(")") for line in theirs_said[:3]]
    assert plain == ["(True, False", "(1.0, 1.0, 5.0", "(2.0, 2.0, 10.0"]
    assert theirs[10] == "tensor(2.)" and theirs[11].startswith("RuntimeError: Trying to backward through the graph a")
    assert theirs[12] == theirs[9]
    ours, theirs, ours_said, theirs_said = columns("two mini-batches")
    assert (ours_said[:2], theirs_said[:2]) == (["0.0", "8.0"], ["None", "tensor(8.)"])
    assert float(ours_said[2]) == pytest.approx(0.2, abs=1e-12) and "tensor(0.2000)" in theirs
    assert [ours[-1], theirs[-1]] == ["0.0", "None"]
    ours, theirs, *_ = columns("stale numbers")
    assert ours[-1] == "24.0" and theirs[-1] == "None" and "modified by an inplace operation" in theirs[-2]


def test_the_table_beside_pytorch_is_true(torch):
    leaf = torch.tensor(3.0, requires_grad=True)
    assert leaf.is_leaf and leaf.grad is None and Value(3.0).grad == 0.0
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    y = a * b
    loss = y * y
    a.data.fill_(5.0)  # not counted as a change: no error, and as wrong as closures
    loss.backward()
    assert b.grad.item() == 60.0
    total = a + b  # + keeps no number, so there is nothing to free: a second pass is let through
    total.backward()
    total.backward()


@pytest.mark.parametrize("name", pytorch.PROGRAMS)
def test_without_pytorch_the_record_is_shown_and_said_to_be_one(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    beside, recorded = pytorch.beside_pytorch(name), pytorch.recorded(name)[0]
    assert "as recorded: it is not installed here, and nothing needs it" in beside.html()
    assert [there for _, (_, there) in beside.rows] == recorded and all(there in repr(beside) for there in recorded)


def test_with_it_both_columns_show_every_line_and_recording_writes_what_ran(torch, tmp_path, monkeypatch):
    beside = pytorch.beside_pytorch("two passes")
    assert "run now" in beside.html() and "retain_graph=True" in beside.html()
    assert repr(beside).count("e.backward()") >= 4
    with pytest.raises(ValueError, match="no program 'three passes'"):
        pytorch.beside_pytorch("three passes")
    monkeypatch.setattr(pytorch, "RECORDED", tmp_path / "recorded" / "pytorch.json")
    pytorch.keep_outputs()
    kept = json.loads(pytorch.RECORDED.read_text(encoding="utf-8"))
    assert set(kept["outputs"]) == set(pytorch.PROGRAMS) and kept["version"] in torch.__version__


# The exercises and the questions


def test_the_loops_of_the_exercise_and_the_questions_numbers():
    """The stub's loops, and their faults, on the model of the check."""
    model = place_zero_grad_check.Line(1.0, 0.0, 0.02)
    LESSON["two"](model, [(1.0, 2.0)], 3)
    assert model.history == [[1.0, 0.0]] * 3
    asked = {question["id"]: question for question in quiz_data.load("07")["questions"]}
    answers = {name: question.get("number", {}).get("answer") for name, question in asked.items()}
    assert asked["07-how-it-adds-up"]["asks"] == "how-accumulation-works"
    nodes, root = quiz_data.graph_of(asked["07-fourfold"]["graph"])
    for _ in range(2):
        root.backward(reset="nothing")
    assert nodes["x"].grad == answers["07-fourfold"] == 4
    a, b = Closures(4.0), Closures(3.0)
    loss = a * b
    a.data = 10.0
    loss.backward()
    assert b.grad == answers["07-old-a"] == 10 and a.grad == 3
    w = Value(1.0)
    for factor in (4, -1, 2):
        (factor * w).backward()
    assert w.grad == answers["07-three-batches"] == 5


@pytest.mark.parametrize("order", ["ZFBS", "FZBS", "FBSZ", "FBZS"])
def test_zero_may_stand_anywhere_but_between_backward_and_step(order):
    w, by_formula = Value(0.0), 3 * (1 - 0.8**3)
    for _ in range(3):
        for letter in order:
            if letter == "F":
                loss = (w - 3) ** 2
            elif letter == "B":
                loss.backward()
            elif letter == "S":
                w.data -= 0.1 * w.grad
            else:
                w.grad = 0.0
    assert w.data == pytest.approx(0.0 if order == "FBZS" else by_formula, abs=1e-12)
