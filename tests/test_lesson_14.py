"""Lesson 14: every number in its text is what its cells, the engine or a formula gives."""

import math
import random

import numpy as np
import pytest

import autograd
import figures
from autograd import Dual, Value
from autograd.lessons import curvature
from autograd.tensor import Tensor
from autograd.topo import topological_order
from exercises import check, library, quiz_data
from exercises.parts import course_engine
from figures.labs import memory
from tests import lessons

PATH = lessons.NOTEBOOKS / "14_what_the_frameworks_add.ipynb"


@pytest.fixture(scope="module")
def prose():
    return lessons.prose_of(PATH)


@pytest.fixture(scope="module")
def names():
    """The names that the lesson's cells define, unsolved."""
    return lessons.names_of(PATH, with_solutions=False)


def output(source):
    """What the cell that has this in it shows, as text."""
    cell = next(cell for cell in lessons.cells(lessons.ran(PATH), "code") if source in cell.source)
    return "".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in cell.outputs)


def test_a_step_has_eleven_boxes_here_and_in_pytorch(prose):
    assert figures.torch_graph("digits").alt.startswith("PyTorch's graph of NllLoss: 11 nodes, 4 of them leaves")
    rng = np.random.RandomState(0)
    w1, b1, w2, b2 = (Tensor(rng.standard_normal(shape)) for shape in ((64, 32), (32,), (32, 10), (10,)))
    hidden = (Tensor(rng.standard_normal((50, 64))) @ w1 + b1).relu()
    root = (hidden @ w2 + b2).softmax_cross_entropy(np.zeros(50, dtype=int))
    assert len(topological_order(root)) == 11 and "11, as many as this course's Tensor makes" in prose
    assert "2 of 4 leaves not reached: w1, b1." in figures.torch_graph("detached").alt
    assert "w2 and b2. Two of four leaves are not reached" in prose


def test_detach_and_the_switch(prose):
    assert output("(mine.Value(hidden.data) * v)") == "(0.0, 8.0)"
    whole, alone = map(int, output("with no_grad").strip("[]").split(", "))
    assert alone == 1 and 180 < whole < 200 and "Nearly two hundred nodes, and one." in prose


def test_the_switch_is_undone_also_after_an_exception(names):
    engine = course_engine().Value
    plain = dict(vars(engine))
    with pytest.raises(KeyError), names["no_grad"](engine):
        assert (engine(2.0) * 3 + 1)._prev == () and (engine(2.0) ** 2).data == 4.0 and engine(0.5).tanh()._prev == ()
        raise KeyError
    assert {name: vars(engine)[name] for name in plain} == plain
    assert len((engine(2.0) * 3)._prev) == 2


def test_the_program_that_is_written_reads_as_the_text_says(prose):
    source = output("print(source)")
    assert source.startswith("def program(w, x, b):") and source.count("    d_w += ") == 2
    assert "two lines add to `d_w`" in prose
    assert output("sum(program(*point) == by_graph(point)") == "1000" and "At all 1,000 points" in prose


def test_it_is_the_engines_on_graphs_of_other_shapes(names):
    """Fan-out, constants and a deeper graph; to the last bit."""
    engine, rng = names["mine"].Value, random.Random(1)

    def f(w, x):
        y = w * x + 0.5
        return (y * y + w).tanh() * y + (x * -1.0)

    leaves = [engine(0.3, label="w"), engine(-0.7, label="x")]
    program = names["compiled"](names["written"](f(*leaves), leaves))
    for _ in range(100):
        point = [rng.uniform(-2, 2), rng.uniform(-2, 2)]
        again = [engine(number) for number in point]
        root = f(*again)
        root.backward()
        assert program(*point) == (root.data, [leaf.grad for leaf in again])


def test_lesson_09s_network_recorded(prose):
    assert output("step = autograd.record") == "(132, 218)"
    assert "132 nodes became 218 lines" in prose


def test_a_branch_is_baked_in_and_a_guard_notices(prose):
    assert output("baked = compiled") == "(9.0, [-6.0])" and "9 and -6." in prose
    said = output("recorded = autograd.record(f, 2.0)")
    assert "if not (x1 > 0.0): raise Otherwise" in said and said.endswith("(3.0, [-1.0])")
    assert "where 3 and the slope -1 are right" in prose


def test_the_peaks_of_memory(prose):
    peaks = [round(moment.bytes / 1e6, 1) for moment in memory.peaks(64).values()]
    row = next(line for line in prose.splitlines() if line.startswith("| peak, MB |"))
    quoted = [float(cell) for cell in row.split("|")[2:-1]]
    assert quoted == peaks
    assert (
        min(zip(quoted, memory.SEGMENTS))[1] == 4 and round(quoted[-1] / min(quoted)) == 9 and "hold a ninth" in prose
    )
    assert f"{math.sqrt(64 / 6):.1f}" == "3.3" and "= 3.3" in prose


def test_recomputed_gradients_are_the_same_bits(prose):
    assert output("exercises.folded(sum(one.tobytes()") == "0" and "24 gradients" in prose


def test_a_version_and_its_error(prose):
    assert output("engine.data = property") == "(5.0, 1)"
    assert "was changed: it is at version 1, expected 0" in output("versions.count_versions")
    a, b = course_engine().Value(2.0), course_engine().Value(3.0)
    assert "closures said 60 where 24 is right" in prose and a.data * b.data == 6.0


def test_dual_numbers_in_the_learners_class(prose):
    assert output("(x**3).backward()") == "Dual(value=12.0000, derivative=12.0000)" and "12 and 12" in prose
    x = course_engine().Value(Dual(2.0, 1.0))
    (x**3).backward()
    assert (x.grad.value, x.grad.derivative) == (3 * 2.0**2, 6 * 2.0)


def test_the_border_of_the_learning_rate(prose, names):
    largest = float(output("largest, direction = "))
    assert f"{largest:.2f}" == "20.02" and f"{2 / largest:.4f}" == "0.0999" and "λ is 20.02, and 2/λ is 0.0999" in prose
    loss = curvature.xor([4])([Value(number) for number in names["small"]]).data
    assert f"{loss:.4f}" == "0.0015" and "the loss is 0.0015" in prose and len(names["small"]) == 17
    later = eval(output("exercises.folded({share:"))
    assert later == pytest.approx({1.5: 0.0005, 1.9: 0.0005, 2.1: 0.0235, 2.5: 0.077}, abs=6e-4)
    assert "Down to 0.0005 at 1.5/λ and 1.9/λ; up to 0.024 and 0.077" in prose


def test_why_lesson_09s_loss_leapt(prose):
    """The numbers on the way are held in tests/test_curvature.py, too."""
    assert eval(output("{epoch: round(curvature.sharpest")) == {10: 13.2, 30: 19.1, 40: 28.5, 60: 43.1}
    assert "13.2, 19.1, 28.5, 43.1. From epoch 32 on it is above 20." in prose
    net = autograd.MLP(2, [4, 4, 1], output="tanh", rng=random.Random(0))
    step = autograd.record(lambda: curvature.xor([4, 4])(net.parameters()), parameters=net.parameters())
    losses = []
    for _ in range(66):
        losses.append(step.backward(reset="all"))
        for p in net.parameters():
            p.data -= 0.1 * p.grad
    assert max(losses[61:]) == losses[65] == pytest.approx(1.74, abs=0.005)
    assert min(losses[50:62]) == pytest.approx(0.074, abs=0.001) and "leapt from 0.07 to 1.74" in prose


def test_its_exercises():
    assert library.names("14") == ["guarded", "segmented", "version_rule"]
    assert all(check.LESSON_OF[name] == "14" for name in library.names("14"))


def test_numbers_in_its_quiz():
    asked = {q["id"]: q for q in quiz_data.load("14")["questions"]}
    s = asked["14-root-of-n"]["number"]["answer"]
    assert min(range(1, 101), key=lambda s: 100 / s + 4 * s) == s
    names = {}
    exec(asked["14-baked"]["code"], names)
    assert autograd.record(names["f"], 1.0).source.count("+") and names["f"](Value(-2.0)).data == 36.0
    assert (3 * -2.0) + (3 * -2.0) == -12.0
    assert asked["14-recompute-cost"]["number"]["answer"] == pytest.approx(4 / 3, abs=1e-4)
    rate, x = asked["14-curvature"]["number"]["answer"], 1.0
    assert x - rate * 10 * x == pytest.approx(-x)
