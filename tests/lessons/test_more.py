"""The short notebooks of notebooks/more: each runs, is stripped and linked, and its numbers are what they should be."""

import functools
import json
import math
import re
import subprocess
import sys
import tempfile

import nbclient
import nbformat
import numpy as np
import pytest

import autograd
import figures
from autograd.dual import forward_gradient
from autograd.tensor import Tensor
from exercises.clinic.answers import ThirtyTwo
from exercises.course import alone, pytorch
from exercises.engine_file import parts
from site_build.book import texts
from tests import caps, learners_files, notebooks

pytestmark = pytest.mark.long

MORE = sorted((notebooks.NOTEBOOKS / "more").glob("*.ipynb"))
each = pytest.mark.parametrize("path", MORE, ids=lambda path: path.stem)


class Short(notebooks.Lesson):
    """A short notebook by its name."""

    def __init__(self, stem, **how):
        super().__init__("00", **how)
        self.path = notebooks.NOTEBOOKS / "more" / f"{stem}.ipynb"

    @functools.cached_property
    def printed(self):
        notebook = notebooks.read(self.path)
        with tempfile.TemporaryDirectory() as folder:
            nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()
        assert not notebooks.faults(notebook)
        return notebooks.joined(notebooks.text_of(notebook))


short = functools.cache(Short)


@each
def test_a_short_notebook_runs_is_short_stripped_and_found_from_its_lessons_and_the_list_of_them(path):
    notebook, listed = notebooks.read(path), texts.lessons()
    code = notebooks.cells(notebook, "code")
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert [*caps.of_more(notebook, path.stem)] == []
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    nbformat.validate(notebook)
    first = notebook.cells[0].source
    assert f"notebooks/more/{path.name}" in listed and "*Goes with " in first and " minutes · [Run it](" in first
    for name in re.findall(r"\(\.\./(\d\d_\w+\.ipynb)\)", first):
        assert f"](more/{path.name})" in notebooks.Lesson(name).written, name
    assert short(path.stem).printed


def test_the_eight_weights():
    found = short("the_eight_weights")
    printed = dict(
        w1=0.149780716, w2=0.199561432, w3=0.249751144, w4=0.299502287,
        w5=0.35891648, w6=0.408666186, w7=0.51130127, w8=0.561370121,
    )  # fmt: skip
    assert {name: round(found["leaf"][name].data, 9) for name in printed} == printed
    assert found["loss"] == pytest.approx(0.298371109, abs=1e-9)

    def loss(*numbers):
        w1, w2, w3, w4, w5, w6, w7, w8, b1, b2 = numbers
        h1, h2 = (w1 * 0.05 + w2 * 0.1 + b1).sigmoid(), (w3 * 0.05 + w4 * 0.1 + b1).sigmoid()
        o1, o2 = (w5 * h1 + w6 * h2 + b2).sigmoid(), (w7 * h1 + w8 * h2 + b2).sigmoid()
        return (o1 + -0.01) ** 2 * 0.5 + (o2 + -0.99) ** 2 * 0.5

    starts = [*found["w"].values(), 0.35, 0.60]
    slopes = forward_gradient(loss, starts)
    assert [leaf.grad for leaf in found["leaf"].values()] == pytest.approx(slopes, abs=1e-12)
    moved = [start - 0.5 * slope for start, slope in zip(starts, slopes)]
    ways = starts, [*moved[:8], *starts[8:]], moved
    before, eight, ten = after = [loss(*map(autograd.Dual, numbers)).value for numbers in ways]
    found.shows(str(tuple(round(number, 6) for number in after)), str(printed["w8"]))
    assert (eight - ten) / (before - ten) == pytest.approx(2 / 5, abs=0.03)
    o1, h1, through = found["o1"], found["h1"], (found["through_1"], found["through_2"])
    factors = (o1 - 0.01, o1 * (1 - o1), h1, found["d1"] * h1)
    found.says(
        f"It falls from {before:.4f} to {eight:.4f} with the eight weights, and to {ten:.4f} with all ten",
        "{:.4f} · {:.4f} · {:.4f} = {:.4f}".format(*factors),
        "{:.4f} and {:.4f}".format(*through),
        f"sum is {sum(through):.4f}",
        f"slope {h1 * (1 - h1):.4f}",
        f"it is {slopes[0]:.4f}",
    )
    assert 1 / 2100 < slopes[0] / (o1 - 0.01) < 1 / 1600


def test_a_network_line_by_line_and_the_same_loop_in_pytorch():
    found = short("a_network_line_by_line")
    nodes, kept = len(found["first"]), len(set(found["first"]) & set(found["second"]))
    found.shows(f"({nodes}, {kept})")
    found.says(f"{nodes} nodes. The {kept} parameters are in both graphs; the other {nodes - kept} are new")
    assert len(found["net"].parameters()) == kept
    # Its counts are held by tests/lessons/test_lesson_09.py, where PyTorch is installed.
    found = short("the_same_loop_in_pytorch")
    found.says("With the sum and our weights 25 or 26 of the 30 are right")
    found.says("17 with the mean, and 1 with the mean and PyTorch's own start")
    assert "0.0767" in found.written + found.printed  # the loss at epoch 60, on both sides


def test_momentum_and_adam():
    found = short("momentum_and_adam")
    path, u, v = found["path"], 1.0, 10.0
    for _ in range(99):  # plain descent by its formula: each step multiplies by 1 - rate · curvature
        u, v = u * (1 - 0.018 * 100), v * (1 - 0.018 * 2)
    plain, momentum, adam = (path(found[name])[-1] for name in ("plain", "momentum", "adam"))
    assert plain == pytest.approx(50 * u * u + v * v)
    found.says(f"{plain:.4f}, {momentum:.4f} and {adam:.4f}")
    found.says(f"After 99 steps the loss is still {plain:.2f}. v shrinks by {100 * 0.018 * 2:.1f} % a step")
    assert found["velocity"] == pytest.approx(10, abs=1e-3)
    assert [leaf.data for leaf in found["first"]] == pytest.approx([0.7, 9.7], abs=1e-6)
    steep = path(found["plain"], 10, found["steep"])
    assert steep[-1] == pytest.approx(2e63, rel=0.05) and steep == sorted(steep)
    assert path(found["adam"], 100, found["steep"])[-1] / 1000 == pytest.approx(adam, rel=1e-5)
    found.shows("[True, True]")
    curvatures = [forward_gradient(f, [1.0])[0] for f in (lambda u: u * u * 50.0, lambda v: v * v)]
    assert curvatures == [100, 2] and found["valley"](1.0, 10.0) == 150


def test_saving_a_figure_and_the_exam():
    text = short("saving_a_figure").printed
    assert "['gradients.png', 'graph.svg', 'steps.html']" in text
    assert "So v3" not in text and "No gradient is known yet" in text
    found = short("exam")
    found.shows("The exam: 5 programs with a fault, 6 tests of your own, 10 questions.", "Patient 1 of the exam.")
    found.shows("The exam, part 3: ten questions", "Tests 1, 2, 3, 4, 5, 6 are not written yet.", "so far")
    found.shows("Not all is handed in yet.", "this is read with: gradients are never set to 0.")
    found.shows("5 of 21 dials do not read as on a healthy program.")
    found.says(f"{len(ThirtyTwo.wrong)} wrong engines: the twenty of lesson 06, and twelve", "Five dials of 21")
    assert found.printed.count("Not yet: ") == 4
    dials = "course of the loss", "what it can do", "dead units", "units that differ", "kept : fresh"
    assert found.printed.count("; healthy: ") == len(dials)
    assert all(re.search(rf"{dial}: [^:;]+; healthy: ", found.printed) for dial in dials)


def test_at_work():
    """Its programs ran or were recorded; what is quoted of them is what they found, and what they must."""
    found = short("at_work")
    ours, theirs = pytorch.ran_here("the digits loop"), pytorch.recorded("the digits loop")[0]
    first, ours_right, their_right = (
        next(pair for pair in zip(ours, theirs) if pair[0].startswith(start)) for start in ("'2.", "'0.9", "'0.9")
    )
    assert first == ("'2.3343'", "'2.3343'") and (ours_right, their_right) == (("'0.97'", "'0.98'"),) * 2
    assert {"dtype('float64')", "torch.float32"} <= {*ours, *theirs}
    found.says("to four digits, 2.3343", "97 % are right here and 98 % there")
    drawn, kept = (re.findall(r"\d", pytorch.recorded("two modes")[0][i]) for i in (2, 4))
    assert set(drawn) == {"0", "2"} and kept == ["1"] * 8
    assert pytorch.recorded("two modes")[0][-1] == "(False, None)"
    given = {name: pytorch.recorded(name)[0] for name in pytorch.at_work.PROGRAMS}
    assert given["no gradient"][2] == "None" and pytorch.ran_here("no gradient")[2] == "0.4"
    for name, place, words in [
        ("in place", 3, ("has been modified by an inplace operation", "is at version 1; expected version 0 instead")),
        ("a graph that is freed", 3, ("Trying to backward through the graph a second time",)),
        ("a graph that is cut", 2, ("does not require grad and does not have a grad_fn",)),
        ("a rule of your own", -1, ("Jacobian mismatch for output 0 with respect to input 0",)),
    ]:
        assert all(each in given[name][place] for each in words)
        found.says(*words)
    assert given["a graph that is freed"][4] == "tensor(2.7183)" and given["a rule of your own"][-3] == "True"
    assert float(pytorch.ran_here("a graph that is freed")[4]) == pytest.approx(2 * math.e)
    assert pytorch.ran_here("a graph that is cut")[3] == "0.0" and "numpy()" in given["a graph that is cut"][-1]
    twice = [f"{0:.4f}", f"{math.log(1 + 9 / math.e):.4f}"]
    assert [text.strip("'") for text in given["softmax, and softmax twice"][-2:]] == twice
    found.says(f"0 and {twice[1]}, the floor ln(1 + 9/e)")
    assert figures.torch_graph("listed").note.startswith("11 nodes, 4 of them leaves")
    upstream, layers = (alone.recorded("by hooks")[0][key] for key in ("upstream", "gradients"))
    assert (upstream[-1] / upstream[0]) ** (1 / 7) == pytest.approx(7.5, abs=0.05) and len(upstream) == 8
    found.says(f"From {upstream[-1]:.1e} at the last layer to {upstream[0]:.1e} at the first")
    sizes = [np.abs(layers[name]).mean() for name in ("layer 1", "layer 8")]
    assert math.log10(sizes[1] / sizes[0]) == pytest.approx(6.9, abs=0.1)
    zero = alone.recorded("where it is zero")[0]
    least = [1074, 149, 133, 24]  # of each format the power of two of its smallest number
    assert [*zero["zero after"].values()] == [
        least[0] // 2 + 1,
        least[1] // 2 + 1,
        least[2] // 2 + 1,
        least[3] // 2 + 1,
    ]
    found.says("After 538, 75, 67 and 13")
    assert zero["1 + 0.001"]["torch.bfloat16"] == 1.0 < zero["1 + 0.001"]["torch.float16"]
    assert [*alone.recorded("loss scaling")[0].values()] == pytest.approx([0, 0.25**14, 0.25**14], rel=1e-4)
    found.says(f"0, and {0.25**14:.3e}")
    table, chosen = found["table"], found["chosen"]
    pairs = {few: chosen(few) for few in (50, 100)}
    found.shows(str(pairs))
    found.says(f"On average {100 * table.mean():.1f} % are right")
    found.says("{} % on the 50 that it was chosen by, and {} % on the others".format(*pairs[50]))
    found.says("With 100 pictures it is {} and {} %".format(*pairs[100]))
    assert table.shape == (40, 397) and pairs[50][1] - 100 * table.mean() == pytest.approx(1, abs=0.3)
    examined = alone.recorded("examined")[0]
    assert "this is read with: softmax is used twice." in examined and examined.count("✗") == 2
    assert all(f"✗ {title}" in examined for title in ("Loss of sure scores", "Eight by heart")) and " 1.46 " in examined


def test_exactly_zero():
    found = short("exactly_zero")
    a, b, c = (found[name] for name in "abc")
    assert (b.grad, c.grad) == (0, 0) and a.grad != 0 and 2 * b.data == pytest.approx(-1.4)
    assert [leaf in found["reached"] for leaf in (a, b, c)] == [True, True, False]
    dead = found["dead"]
    shut = (dead.pre_activations <= 0).all(axis=1)
    assert (shut.size, shut[0].sum(), shut[-1].sum()) == (384, 0, 16)
    found.says(f"{shut.sum()} of {shut.size}, none of them in the first layer, half of the last one")
    found.shows("(['b', 'c'], ['c'])")
    for layer, units in enumerate(shut, start=1):
        found.shows(f"{layer:2} " + "".join("·█"[unit] for unit in units.astype(int)))
        assert not dead.weight_gradients[layer - 1][:, units].any()
    alike = [found["likeness"](layer) for layer in dead.activations]
    found.says(f"it is {alike[0]:.2f}, as relu's", f"After twelve layers it is {alike[-1]:.2f}")
    assert (found["shut"], found["zero"]) == ([49, 49], [49, 0])
    found.says("as many of the first, and none of the second")
    one, other = np.array([1.0, 2.0, -1.0]), np.array([0.5, 0.0, 2.0])
    cosine = one @ other / math.sqrt((one @ one) * (other @ other))
    assert found["likeness"](np.stack([one, other])) == pytest.approx(cosine)
    assert autograd.Value(-2.0).leaky_relu()._local == (0.01,)
    (b.relu().sqrt()).backward(reset="all")
    assert math.isnan(b.grad)
    found.says("∞ · 0 is nan")


def test_layer_normalisation_by_hand():
    found = short("layer_normalisation_by_hand")
    found.shows("[[ 0.5, -0.5, 0. , 0. ]]", "[False, False, True]", "[[237.2, -79.1, -79.1, -79.1]]")
    rule, row, y = found["by_three_ways"], found["row"], found["y"]
    t = Tensor(row)
    t.normalise().backward(gradient=[[1.0, -2.0, 0.5, 3.0]])
    assert rule(row, np.array([[1.0, -2.0, 0.5, 3.0]])) == pytest.approx(t.grad, rel=1e-12)
    assert np.abs(rule(row, y)).max() == pytest.approx(0.00003, abs=1e-5)
    found.says(f"the spread is √0.00001 = {1e-5**0.5:.4f}", f"which is 0.75 · {1e5**0.5:.0f}")


def test_a_language_model_in_single_numbers(tmp_path):
    """Its counts, and the same network of Tensors; three cells are a program of one's own with the same losses."""
    found = Short("a_language_model_in_single_numbers", trains=True)
    nodes, tensors = len(found["order"]), found["tensors"]
    share = sum(node._op in ("+", "*") for node in found["order"]) / nodes
    assert [tensor.data.size for tensor in tensors] == [120, 112, 16, 16, 16, 16, 32, 32, 120]
    assert (tensors[0].grad.any(axis=1).sum(), tensors[1].grad.any(axis=1).sum()) == (4, 4)
    assert float(found["array_loss"].data) == pytest.approx(3.3576, abs=5e-5) and found["apart"] < 1e-14
    shown = short(found.path.stem).printed
    large = int(re.search(r"\((\d{6}), '", shown)[1])
    found.says(
        f"{sum(tensor.data.size for tensor in tensors)} parameters",
        f"It has {nodes:,} nodes, and {100 * share:.0f} % of them",
        "The first loss is 3.36",
        f"{found['nodes']} nodes do what {nodes:,} did",
        f"{large:,} nodes, for a word",
    )
    source = {cell.id: cell.source for cell in notebooks.read(found.path).cells}
    header = re.search(r"```python\n(.*?)```", source["file"], re.DOTALL)[1]
    learners_files.write(tmp_path, *(part.name for part in parts.EXERCISES))
    program = tmp_path / "in_numbers.py"
    program.write_text("\n\n".join([header, *map(source.get, ("model", "network", "train"))]), encoding="utf-8")
    command = [sys.executable, "-W", "error", program.name]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=120)
    first, last = json.loads(ran.stdout)
    assert f"[{first}, {last}]" in shown and not ran.stderr
    found.says(f"the first twenty names is {first:.2f}, that of the last twenty {last:.2f}")
