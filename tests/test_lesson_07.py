"""Lesson 07: every number in its text is what the engines, plain floats or PyTorch give; its labs show what it says."""

import builtins
import itertools
import json
import statistics

import pytest

import autograd
import figures
from autograd import Value
from autograd.dual import forward_gradient
from autograd.messages import show
from exercises import course_engine
from exercises.course import pytorch
from exercises.engine_file import parts
from exercises.lessons.lesson_07.place_zero_grad import check as place_zero_grad_check
from exercises.lessons.lesson_07.second_pass import check as second_pass_check
from exercises.quizzes import quiz_data
from figures import policy, stale
from figures.charts.still import histogram
from tests import lessons
from tests.walks import ask, shown

PATH = lessons.NOTEBOOKS / "07_accumulate_zero_repeat.ipynb"


@pytest.fixture(scope="module")
def story():
    """The names that the lesson's cells define, unsolved."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PATH.parent)
        return lessons.names_of(PATH, with_solutions=False)


def closures():
    """A Value like the one that the lesson's story is told with."""
    return course_engine().Value


# The second pass, and the policies


def test_the_second_pass_frame_by_frame(story, prose):
    e, a, b, d = story["small_graph"]()
    c = e._prev[0]
    assert parts.is_the_courses(story["Value"]) and isinstance(e, story["Value"])
    assert [node.label for node in (e, c, a, b, d)] == list("ecabd")
    story["plain_pass"](e)
    assert (a.grad, b.grad, d.grad, c.grad, e.grad) == (1, 1, 5, 1, 1)
    assert forward_gradient(lambda a, b, d: (a + b) * d, [3.0, 2.0, 1.0]) == [1, 1, 5]
    e.grad, frames = 1.0, []
    for node in (e, c):
        node._backward()
        frames.append((e.grad, c.grad, d.grad, a.grad))
    assert frames == [(1, 2, 10, 1), (1, 2, 10, 3)] and b.grad == 3
    for line in (
        "| left by the first pass | 1 | 1 | 5 | 1 |",
        "| rule of e: c receives d × 1, d receives c × 1 | 1 | 1 + 1 = 2 | 5 + 5 = 10 | 1 |",
        "| rule of c: a receives what c has | 1 | 2 | 10 | 1 + 2 = 3 |",
        "(1.0, 1.0, 5.0)",
        "d doubled to 10, but a and b trebled to 3",
    ):
        assert line in prose
    root, *again = story["small_graph"]()
    story["plain_pass"](root)
    story["plain_pass"](root)
    assert [leaf.grad for leaf in again] == [3, 3, 10]


def test_the_pass_of_the_story_is_that_of_lesson_05(story):
    Lesson05, Closures = parts.fresh("backward"), story["Value"]
    for passes in (1, 2, 3):
        a, b, c, d = Lesson05(0.5), Lesson05(-1.5), Closures(0.5), Closures(-1.5)
        root, other = (a * b + a).tanh() * a, (c * d + c).tanh() * c
        for _ in range(passes):
            root.backward()
            story["plain_pass"](other)
        assert [a.grad, b.grad] == [c.grad, d.grad]


def test_a_right_engine_gives_what_the_text_says_of_the_learners_own(prose):
    """Whoever wrote it: with the pass of lesson 05, or with one that accumulates."""
    for engine in (parts.stage("backward"), parts.stage("accumulate"), vars(course_engine())):
        zero_grad = engine.get("zero_grad", parts.stage("accumulate")["zero_grad"])
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
    assert "should give 8, the loop of four steps 1.5, 2.25, 2.625 and 2.8125" in prose
    own = [cell for cell in lessons.read(PATH).cells if "own-engine" in cell.metadata.get("tags", [])]
    assert [cell.source for cell in own[:2]] == ['mine = exercises.my_engine("07")', 'mine = exercises.my_engine("08")']
    for run in (lessons.ran(PATH), lessons.ran(PATH, True)):
        ran = [cell for cell in run.cells if "own-engine" in cell.metadata.get("tags", [])]
        assert [cell.outputs[0].data["text/plain"] for cell in ran[2:]] == ["8.0", "[1.5, 2.25, 2.625, 2.8125]"]


def test_the_policies_and_the_mini_batches(story, prose):
    assert {reset: story["two_passes"](reset) for reset in second_pass_check.RESETS} == {
        "nothing": (3, 3, 10),
        "all": (1, 1, 5),
        "intermediates": (2, 2, 10),
    }
    assert "'nothing': (3.0, 3.0, 10.0)" in prose and "'intermediates': (2.0, 2.0, 10.0)" in prose
    assert [story["two_batches"](reset) for reset in ("nothing", "all", "intermediates")] == [8, 5, 8]
    assert "{'nothing': 8.0, 'all': 5.0, 'intermediates': 8.0}" in prose


def test_a_first_pass_on_a_fresh_graph_is_right_under_every_policy():
    for reset in second_pass_check.RESETS:
        w = Value(2.0)
        for _ in range(3):
            w.grad = 0.0
            (w * w).tanh().backward(reset=reset)
        assert [w.grad] == pytest.approx(forward_gradient(lambda w: (w * w).tanh(), [2.0]), abs=1e-12)


def test_the_answers_of_the_policy_labs_task(prose):
    player = policy(4, predict=True)
    text = shown(player)
    assert [text[f"cell.{reset}.chain.2"] for reset in ("nothing", "intermediates")] == ["6.0000", "2.0000"]
    assert "6 and 2, where the gradient is 1." in prose
    ask(player, k=0)
    text = shown(player)
    assert text["cell.nothing.chain.2"] == text["cell.intermediates.chain.2"] == "2.0000"
    assert all(factor_differs(k) for k in range(1, 7)) and not factor_differs(0)


def factor_differs(k):
    """Whether a chain of k nodes tells the policies "nothing" and "intermediates" apart."""
    return second_pass_check.factor(k, "nothing") != second_pass_check.factor(k, "intermediates")


def test_the_chain_by_hand(story, prose):
    """y, n2, n1 and x after one pass, what arrives in the second, and what is there then."""
    Closures = closures()
    x = Closures(1.0)
    n1 = x.relu()
    n2 = n1.relu()
    y = n2.relu()
    story["plain_pass"](y)
    assert [node.grad for node in (y, n2, n1, x)] == [1, 1, 1, 1]
    before = [node.grad for node in (n2, n1, x)]
    story["plain_pass"](y)
    after = [node.grad for node in (n2, n1, x)]
    assert after == [2, 3, 4] and [new - old for new, old in zip(after, before)] == [1, 2, 3]
    assert "| arrives in the second pass | set to 1 | 1 | 2 | 3 |" in prose
    assert "| after the second pass | 1 | 1 + 1 = 2 | 1 + 2 = 3 | 1 + 3 = 4 |" in prose


# The loop


def test_one_parameter_with_and_without_zeroing(story, prose):
    w, total, rows = 0.0, 0.0, []
    for i in range(1, 4):
        slope = 2 * (w - 3)
        total += slope
        rows.append(f"| {i} | {w:g} | {slope:g} | {total:g} | {w - 0.25 * total:g} |")
        w -= 0.25 * total
    assert all(row in prose for row in rows)
    assert story["fit"](3, zero=False) == [1.5, 3.75, 5.625]
    assert story["fit"](3, zero=True) == [1.5, 2.25, 2.625]
    distances = [abs(w - 3) for w in story["fit"](20, zero=True)]
    assert distances == sorted(distances, reverse=True) and distances[-1] < 1e-5


def downhill(lr, zero=True, rounds=60):
    """The (u, v) of gradient descent on 4u² + v² from (1, 3), by the engine."""
    u, v = autograd.Value(1.0), autograd.Value(3.0)
    path = [(1.0, 3.0)]
    for _ in range(rounds):
        if zero:
            u.grad = v.grad = 0.0
        (4 * u * u + v * v).backward()
        for leaf in (u, v):
            leaf.data -= lr * leaf.grad
        path.append((u.data, v.data))
    return path


def test_the_border_is_2_divided_by_the_largest_curvature(prose):
    for lr in (0.05, 0.125, 0.2, 0.25, 0.3):
        for step, (u, v) in enumerate(downhill(lr)):
            assert (u, v) == pytest.approx(((1 - 8 * lr) ** step, 3 * (1 - 2 * lr) ** step), rel=1e-6, abs=1e-300)
    assert downhill(0.125)[1][0] == 0 and "With 0.125, as 1 - 8 · 0.125 is 0." in prose
    assert {u for u, _ in downhill(0.25)} == {1.0, -1.0} and "u jumps from side to side for ever" in prose
    assert abs(downhill(0.26)[-1][0]) > 90 > 1 > abs(downhill(0.24)[-1][0]) and "The border is 2/8" in prose
    assert 2 / 2 == 1 and "v alone would stand a rate of 1." in prose
    last = {lr: 4 * u * u + v * v for lr in (0.005 * n for n in range(1, 121)) for u, v in downhill(lr)[-1:]}
    assert min(last, key=last.get) == pytest.approx(0.2) and "0.2, where both factors have the size 0.6" in prose
    player = figures.descent()
    assert "4u² + v²" in player.recording.title + player.recording.alt and len(player.recording.frames) == 61


def test_without_zeroing_it_swings_until_twice_the_border(prose):
    assert abs(downhill(0.3)[-1][0]) > 1e8 and "The right loop flies away." in prose
    for lr, least, most in ((0.3, 1.5, 1.6), (0.05, 1, 1.1), (0.005, 1, 1.1)):
        path = [abs(u) for u, _ in downhill(lr, zero=False, rounds=5000)]
        assert least <= max(path) < most and max(path[-500:]) > 0.98 * max(path)  # neither further, nor less far
    assert max(abs(u) for u, _ in downhill(0.49, zero=False, rounds=5000)) < 20
    far = [abs(u) for u, _ in downhill(0.5, zero=False)]
    assert far[:4] == [1, 3, 5, 7] and far == sorted(far) and "From 0.5 on, twice the border" in prose
    crossings = [
        sum(one[0] * other[0] < 0 for one, other in itertools.pairwise(path))
        for path in (downhill(lr, zero=False, rounds=1000) for lr in (0.05, 0.0125))
    ]
    assert crossings[0] == pytest.approx(2 * crossings[1], rel=0.05) and "slower swings, none smaller" in prose


def test_the_network_without_zeroing_freezes(story, prose):
    used_with, used_without = story["used_with"], story["used_without"]
    assert len(used_with) == len(used_without) == 3700 and len(story["without"].parameters()) == 37
    counted = histogram({"zeroed": used_with, "not zeroed": used_without}, bins=40)
    assert [round(mean, 2) for mean in counted.means.values()] == [0.16, 0.93]
    assert "0.93 in the mean against 0.16" in prose
    assert [round(max(map(abs, used)), 1) for used in (used_without, used_with)] == [5.5, 3.4]
    assert "the largest in size is 5.5, and it was 3.4" in prose

    net, _ = story["train"](0, zero=False)
    before = [p.grad for p in net.parameters()]
    loss = autograd.sum_of_squares([net(row) for row in story["ROWS"]], story["TARGETS"])
    loss.backward()
    assert [p.grad for p in net.parameters()] == before
    assert loss.data == pytest.approx(2.0, abs=1e-9)
    assert round(max(abs(p.data) for p in net.parameters())) == 46
    assert "(0.0, 45.887" in prose and "up to 46, to where" in prose
    assert [net(row).data for row in story["ROWS"]] == pytest.approx([1, 1, 1, 1])
    answers = [story["with_zero"](row).data > 0.5 for row in story["ROWS"]]
    assert answers == [False, True, True, False]
    assert statistics.mean(map(abs, used_without[-37:])) == pytest.approx(0.965, abs=1e-3)


def test_25_of_30_against_7_of_30(story, prose):
    solved = [sum(story["solves"](story["train"](seed, zero)[0]) for seed in range(30)) for zero in (True, False)]
    assert solved in ([25, 7], [26, 7])  # the last digits of tanh are the platform's
    assert str(solved) in prose and "25 or 26 with zeroing, by the last digits of your machine, and 7 without" in prose
    largest = max(abs(g) for seed in range(30) for g in story["train"](seed, False)[1])
    assert largest < 10  # they do not grow without bound


# Stale numbers


def test_stale_numbers_in_the_closure_engine(prose):
    Closures = closures()
    a, b = Closures(2.0), Closures(3.0)
    y = a * b
    loss = y * y
    a.data = 5.0
    loss.backward()
    square = lambda a, b: (a * b) * (a * b)  # noqa: E731
    assert b.grad == 60 and y.grad == 12
    assert [forward_gradient(square, [a, 3.0])[1] for a in (2.0, 5.0)] == [24, 150]
    assert (
        "2 · y · a = 24" in prose
        and "2 · 15 · 5 = 150" in prose
        and "60 is neither: the rule of `*` is a closure" in prose
    )
    a, b = Value(2.0), Value(3.0)
    y = a * b
    loss = y * y
    a.data = 5.0
    loss.backward()
    assert b.grad == 24


def test_the_answer_of_the_stale_labs_task(prose):
    player = stale(a=3, b=2, new=-1, predict=True)
    text = shown(player)
    assert [text[f"cell.{key}.b"] for key in ("closures", "numbers", "after")] == ["-12.0000 ✗", "36.0000", "4.0000"]
    assert ask(player, new=0.0) == ""
    text = shown(player)
    assert text["cell.closures.b"].startswith(show(0.0)) and text["cell.numbers.b"] == show(36.0)
    assert "b.grad is 0 with closures" in prose and "it is 36" in prose


# PyTorch


@pytest.mark.parametrize("name", pytorch.PROGRAMS)
def test_the_recorded_run_is_what_pytorch_gives(name, torch):
    given, _ = pytorch.ran_in_pytorch(name)
    assert given == pytorch.recorded(name)[0]


def test_the_columns_agree_where_the_lesson_says_so(prose):
    for name in pytorch.PROGRAMS:
        assert len(pytorch.recorded(name)[0]) == len(pytorch.PROGRAMS[name])
    ours, theirs = pytorch.ran_here("two passes"), pytorch.recorded("two passes")[0]
    assert [o for o in ours if o] == ["(True, False)", "(1.0, 1.0, 5.0)", "(2.0, 2.0, 10.0)", "1.0", "(3.0, 3.0, 15.0)"]
    plain = [t.replace("tensor(", "").replace(".)", ".0") for t in theirs if t]
    assert [p.rstrip(")") for p in plain[:3]] == ["(True, False", "(1.0, 1.0, 5.0", "(2.0, 2.0, 10.0"]
    assert theirs[10] == "tensor(2.)" and theirs[11].startswith("RuntimeError: Trying to backward through the graph a")
    assert theirs[12] == theirs[9]
    ours, theirs = pytorch.ran_here("two mini-batches"), pytorch.recorded("two mini-batches")[0]
    assert [o for o in ours if o][:2] == ["0.0", "8.0"] and [t for t in theirs if t][:2] == ["None", "tensor(8.)"]
    assert float([o for o in ours if o][2]) == pytest.approx(0.2, abs=1e-12) and "tensor(0.2000)" in theirs
    assert [ours[-1], theirs[-1]] == ["0.0", "None"]
    ours, theirs = pytorch.ran_here("stale numbers"), pytorch.recorded("stale numbers")[0]
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


def test_without_pytorch_the_record_is_shown_and_said_to_be_one(monkeypatch):
    real = builtins.__import__

    def without_torch(name, *args, **kwargs):
        if name == "torch":
            raise ModuleNotFoundError("No module named 'torch'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_torch)
    for name in pytorch.PROGRAMS:
        beside = pytorch.beside_pytorch(name)
        assert "as recorded: it is not installed here, and nothing needs it" in beside.html()
        assert [there for _, (_, there) in beside.rows] == pytorch.recorded(name)[0]
        assert all(there in repr(beside) for there in pytorch.recorded(name)[0])


def test_both_columns_show_every_line(torch):
    beside = pytorch.beside_pytorch("two passes")
    assert "run now" in beside.html() and "retain_graph=True" in beside.html()
    assert repr(beside).count("e.backward()") >= 4
    with pytest.raises(ValueError, match="no program 'three passes'"):
        pytorch.beside_pytorch("three passes")


def test_recording_writes_what_ran(torch, tmp_path, monkeypatch):
    monkeypatch.setattr(pytorch, "RECORDED", tmp_path / "recorded" / "pytorch.json")
    pytorch.record()
    kept = json.loads(pytorch.RECORDED.read_text(encoding="utf-8"))
    assert set(kept["outputs"]) == set(pytorch.PROGRAMS) and kept["version"] in torch.__version__


# The exercises and the questions


def test_the_loops_that_learners_mend_run_in_the_notebook_too(story):
    """The stub's loops, and their faults, on the model of the check."""
    model = place_zero_grad_check.Line(1.0, 0.0, 0.02)
    story["two"](model, [(1.0, 2.0)], 3)
    assert model.history == [[1.0, 0.0]] * 3


def test_the_questions_are_well_made_and_their_numbers_true():
    data = quiz_data.load("07")
    assert quiz_data.faults(data) == []
    asked = {question["id"]: question for question in data["questions"]}
    assert asked["07-how-it-adds-up"]["asks"] == "how-accumulation-works"
    nodes, root = quiz_data.graph_of(asked["07-fourfold"]["graph"])
    for _ in range(2):
        root.backward(reset="nothing")
    assert nodes["x"].grad == asked["07-fourfold"]["number"]["answer"] == 4
    Closures = closures()
    a, b = Closures(4.0), Closures(3.0)
    loss = a * b
    a.data = 10.0
    loss.backward()
    assert b.grad == asked["07-old-a"]["number"]["answer"] == 10 and a.grad == 3
    w = Value(1.0)
    for factor in (4, -1, 2):
        (factor * w).backward()
    assert w.grad == asked["07-three-batches"]["number"]["answer"] == 5


def test_the_four_orders_of_a_round():
    """zero may stand anywhere but between backward and step."""
    right = None
    for order, fits in (("ZFBS", True), ("FZBS", True), ("FBSZ", True), ("FBZS", False)):
        w = Value(0.0)
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
        right = right or w.data
        assert (w.data == right) == fits and (fits or w.data == 0.0)


def test_two_losses_of_one_network_go_wrong_where_nothing_is_cleared():
    """They share nodes in between: each policy gives another sum, and only one is right."""

    def two_losses(reset):
        x = Value(0.5)
        hidden = (x * 2).tanh()
        (hidden * hidden).backward(reset=reset)
        (3 * hidden).backward(reset=reset)
        return x.grad

    [right] = forward_gradient(lambda x: (x * 2).tanh() ** 2 + 3 * (x * 2).tanh(), [0.5])
    assert two_losses("intermediates") == pytest.approx(right, abs=1e-12)
    assert abs(two_losses("nothing") - right) > 0.1 and abs(two_losses("all") - right) > 0.1


def test_the_random_runs_are_the_same_each_time(story):
    assert story["train"](3, zero=True)[1] == story["train"](3, zero=True)[1]
