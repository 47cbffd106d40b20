"""Lesson 14: every number in its text is what its cells, the engine or a formula gives."""

import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

import autograd
import exercises
import figures
from autograd import Dual, Value
from autograd.lessons import curvature, recompute
from autograd.tensor import Tensor
from autograd.topo import topological_order
from exercises.engine_file.trial import template_engine
from exercises.engines.wrong_engines import Engine
from exercises.quizzes import quiz_data
from exercises.shelf import library
from figures.labs import memory
from tests.notebooks import Lesson

LESSON = Lesson("14")
no_warnings = pytest.mark.filterwarnings("ignore")


def test_a_step_has_eleven_boxes_here_and_in_pytorch():
    assert figures.torch_graph("digits").alt.startswith("PyTorch's graph of NllLoss: 11 nodes, 4 of them leaves")
    rng = np.random.RandomState(0)
    w1, b1, w2, b2 = (Tensor(rng.standard_normal(shape)) for shape in ((64, 32), (32,), (32, 10), (10,)))
    hidden = (Tensor(rng.standard_normal((50, 64))) @ w1 + b1).relu()
    root = (hidden @ w2 + b2).softmax_cross_entropy(np.zeros(50, dtype=int))
    LESSON.says(f"{len(topological_order(root))}, as many as this course's Tensor makes")
    assert "2 of 4 leaves not reached: w1, b1." in figures.torch_graph("detached").alt
    LESSON.says("w2 and b2. Two of four leaves are not reached")


@pytest.mark.long
def test_detach_and_the_switch_which_is_undone_also_after_an_exception():
    assert LESSON.output("(mine.Value(hidden.data) * v)") == "(0.0, 8.0)"
    whole, alone = map(int, LESSON.output("with no_grad").strip("[]").split(", "))
    assert alone == 1 and 180 < whole < 200
    LESSON.says("Some two hundred nodes, depending on how your neuron adds up, and one.")
    engine = template_engine().Value
    plain = dict(vars(engine))
    with pytest.raises(KeyError), LESSON["no_grad"](engine):
        x = engine(0.5)
        made = [x + 1, 1 + x, x - 1, 1 - x, x * 3, 3 * x, x / 2, 2 / x, x**2, -x, x.exp(), x.log(), x.tanh()]
        made += [x.sigmoid(), x.relu()]
        assert [node._prev for node in made] == [()] * 15 and sum(node.data for node in made[:9]) == 10.5
        raise KeyError
    assert {name: vars(engine)[name] for name in plain} == plain and len((engine(2.0) * 3)._prev) == 2


@pytest.mark.long
def test_the_program_that_is_written_and_recorded_and_a_branch_that_is_baked_in():
    source = LESSON.output("print(source)")
    assert source.startswith("def program(w, x, b):") and source.count("    d_w += ") == 2
    assert LESSON.output("sum(program(*point) == by_graph(point)") == "1000"
    LESSON.says("two lines add to `d_w`", "It is, at all 1,000 points")
    nodes, lines = eval(LESSON.output("step = autograd.record"))
    LESSON.says(f"{nodes} nodes became {lines} lines", "9 and -6.", "where 3 and the slope -1 are right")
    assert LESSON.output("exercises.folded(compiled(written(f(x)") == "(9.0, [-6.0])"
    said = LESSON.output("recorded = autograd.record(f, 2.0)")
    assert "if not (x1 > 0.0): raise GuardFailed" in said and said.endswith("(3.0, [-1.0])")


@pytest.mark.long
def test_the_whole_ladder():
    """From a node a number to NumPy by hand; a program of arrays is the engine to the last bit, and by hand nearly."""
    forward, back = LESSON.output("on_arrays = autograd.record").split("# backward")
    assert (forward.count("\n    "), back.count("\n    ") - 1) == (12 + 1, 9)
    LESSON.says("246,111 nodes in lesson 11, and 11 with arrays", "a dozen lines of NumPy forward and nine back")
    assert abs(float(LESSON.output("def by_hand"))) < 1e-12
    arrays, batch = LESSON["arrays"], LESSON["batch"]
    for ours, theirs in zip(LESSON["on_arrays"](*arrays, *batch)[1], LESSON["by_hand"](*arrays, *batch)[1]):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)
    assert list(LESSON["ladder"]) == ["numbers", "arrays", "recorded", "by hand"]  # how long: benchmarks/RESULTS.md


def test_the_peaks_of_memory_versions_and_duals():
    peaks = [f"{moment.bytes / 1e6:.1f}" for moment in memory.peaks(64).values()]
    least = min(map(float, peaks))
    assert min(zip(map(float, peaks), memory.SEGMENTS))[1] == 4 and round(float(peaks[-1]) / least) == 9
    LESSON.says(f"| peak, MB | {' | '.join(peaks)} |", "a ninth of the", f"= {math.sqrt(64 / 6):.1f}", "24 gradients")
    assert LESSON.output("exercises.folded(sum(differs))") == "0"
    assert LESSON.output("class Counted") == "(5.0, 1)"
    assert "was changed: it is at version 1, expected 0" in LESSON.output("versions.counted")
    LESSON.says("closures silently said 60 where 24 is right")
    # Its output is of an engine without answers; tests/autograd/lessons/test_curvature.py has the second derivatives.
    assert LESSON.output("(x**3).backward()") == f"Dual(value={3 * 2.0**2:.4f}, derivative={6 * 2.0:.4f})"
    LESSON.says("12 and 12")


@pytest.mark.parametrize("changed", ["a weight", "random numbers", "random numbers whose state is kept"])
def test_a_second_run_has_to_be_the_same(changed):
    """What the common mistake says: gradients of another function, unless the state of the random numbers is kept."""

    def gradients(every):
        layers, parameters, inputs = recompute.deep_network(4, 6, 5)
        rng, runs, states = np.random.RandomState(1), [], []

        def dropped(h):
            runs.append(1)
            if changed.endswith("kept"):  # in its second run a layer draws what it drew in its first
                rng.set_state(states[0]) if len(runs) > 1 else states.append(rng.get_state())
            return h * (rng.uniform(size=h.data.shape) < 0.5).astype(float) if "random" in changed else h

        def loss(h):
            if changed == "a weight":
                parameters[0].data = parameters[0].data * 1.1
            return (h * h).mean()

        recompute.backward([layers[0], dropped, *layers[1:]], inputs, loss, every)
        return [parameter.grad for parameter in parameters]

    same = all(np.array_equal(one, other) for one, other in zip(gradients(None), gradients(2)))
    assert same == changed.endswith("kept")
    LESSON.says("If a weight changed in between", "a segment's second run is another function")


@pytest.mark.parametrize(
    ("line", "counted"),
    [
        ("a.data = torch.tensor(5.0)", False),
        ("a.data += 3", False),
        ("a.data.fill_(5)", False),
        ("with torch.no_grad(): a += 3", True),
        ("with torch.no_grad(): a.fill_(5)", True),
        ("a.detach().fill_(5)", True),
        ("y += 1", True),  # in the middle of a network
    ],
)
def test_what_pytorchs_counter_sees(line, counted, torch):
    """Lesson 07's example, changed by a line as a learner would type it."""
    a, b = (torch.tensor(number, requires_grad=True) for number in (2.0, 3.0))
    y = a * b
    L = y * y
    exec(line, {"torch": torch, "a": a, "y": y})
    assert line.startswith("y") or (a.item() == 5 and a._version == counted)
    if counted:
        with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
            L.backward()
    else:
        L.backward()
        assert b.grad.item() == 60
    LESSON.says("after `a.data = …`, `a.data += 3` or `a.data.fill_(5)` you get 60 for 24")
    LESSON.says("Under `no_grad`, `a += 3` and `a.fill_(5)` are counted, and so is `h += 1` *in the middle")


@no_warnings
def test_what_cuts_pytorchs_graph_without_an_error_and_what_numpy_says(torch):
    x = torch.tensor(2.0, requires_grad=True)
    for cut in (x.item(), x.data, float(x)):
        assert float(cut) == 2 and not getattr(cut, "requires_grad", False)
    for ufunc in (np.tanh, np.exp, lambda x: np.maximum(x, 0)):
        with pytest.raises(RuntimeError, match="requires grad"):
            ufunc(x)
        assert float(ufunc(x.detach().numpy())) == pytest.approx(float(ufunc(2.0)), rel=1e-6)
    LESSON.says("`.item()`, `.data` or `float(…)` inside a network cut the graph.", "a gradient is an error in PyTorch")


@pytest.fixture
def dynamo(torch):
    """What compiles for PyTorch, with nothing compiled yet."""
    torch._dynamo.reset()
    yield torch._dynamo
    torch._dynamo.reset()


@pytest.mark.long
def test_what_torch_compile_does_with_a_branch(torch, dynamo):
    """An `if` on a tensor breaks the graph; one on a plain number is guarded. Both stay right."""
    of_tensor, of_number = (lambda x: x * x if x > 0 else x * -1.0), (lambda x, n: x * x if n > 0 else x * -1.0)
    for f, given, counts in ((of_tensor, (), (2, 1)), (of_number, (3,), (1, 0))):
        parts = dynamo.explain(f)(torch.tensor(2.0), *given)
        assert (parts.graph_count, parts.graph_break_count) == counts
        dynamo.reset()
    compiled = torch.compile(of_tensor, backend="eager")
    assert [compiled(torch.tensor(x)).item() for x in (2.0, -3.0, 4.0, -5.0)] == [4, 3, 16, 5]
    dynamo.reset()
    counter = dynamo.testing.CompileCounter()
    compiled = torch.compile(of_number, backend=counter)
    assert [compiled(torch.tensor(2.0), n).item() for n in (3, 3, -1, -1, 3)] == [4, 4, -2, -2, 4]
    assert counter.frame_count == 2, "a program for each way the guard may fall"
    LESSON.says("it breaks the graph instead")


@no_warnings
def test_prints_and_random_numbers_are_baked_in_here_and_not_by_torch_compile(torch, dynamo, capsys):
    def f(x):
        print("seen")
        return x * random.random()

    compiled, recorded = torch.compile(f, backend="eager"), autograd.record(f, 1.0)
    assert capsys.readouterr().out.count("seen") == 1
    assert len({recorded(1.0)[0] for _ in range(3)}) == 1 and "seen" not in capsys.readouterr().out
    assert len({compiled(torch.tensor(1.0)).item() for _ in range(3)}) == 3
    assert capsys.readouterr().out.count("seen") == 3
    LESSON.says("In `autograd.record` and `jax.jit`, a print and Python's random numbers run once")
    LESSON.says("`torch.compile` leaves both to Python, at each call.")


@pytest.mark.long
def test_the_borders_of_the_learning_rate():
    """The numbers on the way are held in tests/autograd/lessons/test_curvature.py."""
    assert LESSON.output("largest, direction = ") in ("20.02", "19.91")
    LESSON.says("λ is 20.02 here, or 19.91", f"2/λ is {2 / LESSON['largest']:.1f}", "the loss is about 0.0015")
    loss = curvature.xor([4])([Value(number) for number in LESSON["small"]]).data
    assert 0.00145 < loss < 0.0016 and len(LESSON["small"]) == 17
    later = eval(LESSON.output("exercises.folded({share:"))
    down, up = (
        {f"{later[share]:.{digits}f}": share for share in shares}
        for digits, shares in ((4, (1.5, 1.9)), (2, (2.1, 2.5)))
    )
    assert [*down] == ["0.0005"]
    LESSON.says("Down to {} at 1.5/λ and 1.9/λ; up to {} and {} at 2.1/λ and 2.5/λ.".format(*down, *up))
    found = eval(LESSON.output("path, xor, at = trained"))
    assert [*found] == [10, 30, 40, 60]
    LESSON.says("{}, {}, {}, {}. From epoch 32 on it is above 20".format(*found.values()), "leapt from 0.07 to 1.74")
    # A change of 1e-16 of each first weight: as between two machines, whose tanh is rounded otherwise.
    loss, found = curvature.xor([4]), set()
    for seed in range(4):
        net, rng = autograd.MLP(2, [4, 1], output="tanh", rng=random.Random(0)), random.Random(seed)
        for parameter in net.parameters():
            parameter.data *= 1 + rng.choice((-1, 0, 1)) * 2.2e-16
        step = autograd.record(lambda net=net: loss(net.parameters()), parameters=net.parameters())
        for _ in range(2000):
            step.backward(reset="all")
            for parameter in net.parameters():
                parameter.data -= 0.1 * parameter.grad
        at = [parameter.data for parameter in net.parameters()]
        found.add(f"{curvature.sharpest(template_engine().Value, loss, at)[0]:.1f}")
    assert found <= {"20.0", "19.9"}
    LESSON.says("your machine's last digits decide")


def test_numbers_in_its_quiz():
    asked = {q["id"]: q for q in quiz_data.load("14")["questions"]}
    s = asked["14-root-of-n"]["number"]["answer"]
    assert min(range(1, 101), key=lambda s: 100 / s + 4 * s) == s
    names = {}
    exec(asked["14-baked"]["code"], names)
    assert autograd.record(names["f"], 1.0).source.count("+") and names["f"](Value(-2.0)).data == 36.0
    assert asked["14-recompute-cost"]["number"]["answer"] == pytest.approx(4 / 3, abs=1e-4)
    assert 1 - 10 * asked["14-curvature"]["number"]["answer"] == pytest.approx(-1)


class Other(Engine):
    """A right engine that is not the course's: of floats alone, and with a slope of tanh that is rounded otherwise."""

    def tanh(self):
        out = super().tanh()

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out


@pytest.mark.long
def test_another_right_engine_gives_what_the_text_says(monkeypatch):
    classes = {"Value": Other, "random": random}
    for name in ("neuron", "layer", "mlp"):
        exec(library.solution(name).code, classes)
    other = SimpleNamespace(Value=Other, topological_order=topological_order, MLP=classes["MLP"])
    monkeypatch.setattr(exercises, "my_engine", lambda lesson: other)
    names = Lesson("14").names
    assert names["mine"] is other and (names["w"].grad, names["v"].grad) == (0.0, 8.0)
    assert 170 < len(topological_order(names["loss_of"](names["own_net"]))) < 240 and names["alone"]._prev == ()
    x = Other(2.0, label="x")
    baked = names["compiled"](names["written"](names["f"](x), [x]))
    assert names["source"].count("    d_w += ") == 2 and baked(-3.0) == (9.0, [-6.0])
    for point in names["points"]:
        number, slopes = names["by_graph"](point)
        assert names["program"](*point) == (number, pytest.approx(slopes, rel=1e-12))
    x = Other(Dual(2.0, 1.0))
    (x**3).backward()
    assert x.grad == 12.0
    LESSON.says("If yours shows one number, your class makes a `float`")
