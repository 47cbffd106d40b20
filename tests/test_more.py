"""The short notebooks of notebooks/more: each runs, is stripped and linked, and its numbers are what they should be."""

import math
import re

import nbclient
import nbformat
import numpy as np
import pytest

import autograd
from autograd.dual import forward_gradient
from exercises.clinic.answers import ThirtyTwo
from tests import lessons

MORE = sorted((lessons.NOTEBOOKS / "more").glob("*.ipynb"))
each = pytest.mark.parametrize("path", MORE, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def prose(tmp_path_factory):
    """The text of a short notebook by its name, and of what its cells print; each is run once."""
    return {path.stem: told(path, tmp_path_factory.mktemp(path.stem)) for path in MORE}


def told(path, folder):
    notebook = lessons.read(path)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output for cell in lessons.cells(notebook, "code") for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    return "\n".join([*(cell.source for cell in lessons.cells(notebook, "markdown")), lessons.text_of(notebook)])


def names(path):
    """The names that a short notebook's cells define."""
    found = {}
    for cell in lessons.cells(lessons.read(path), "code"):
        exec(cell.source, found)
    return found


def story(stem):
    return names(lessons.NOTEBOOKS / "more" / f"{stem}.ipynb")


@each
def test_a_short_notebook_is_short_and_stripped(path):
    notebook = lessons.read(path)
    code, markdown = lessons.cells(notebook, "code"), lessons.cells(notebook, "markdown")
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert len(notebook.cells) <= 30 and sum(len(cell.source.split()) for cell in markdown) <= 800
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    nbformat.validate(notebook)


@each
def test_a_short_notebook_is_found_from_its_lessons_and_from_the_readme(path):
    first = lessons.read(path).cells[0].source
    readme = (lessons.NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    assert f"notebooks/more/{path.name}" in readme
    assert "*Goes with " in first and " minutes." in first
    for name in re.findall(r"\(\.\./(\d\d_\w+\.ipynb)\)", first):
        lesson = lessons.read(lessons.NOTEBOOKS / name)
        assert any(f"](more/{path.name})" in cell.source for cell in lesson.cells), name


def test_the_eight_weights(prose):
    text, found = prose["the_eight_weights"], story("the_eight_weights")
    printed = dict(
        w1=0.149780716, w2=0.199561432, w3=0.249751144, w4=0.299502287,
        w5=0.35891648, w6=0.408666186, w7=0.51130127, w8=0.561370121,
    )  # fmt: skip
    assert {name: round(found["leaf"][name].data, 9) for name in printed} == printed and str(printed["w8"]) in text
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
    after = [
        loss(*map(autograd.Dual, numbers)).value for numbers in (starts, [*moved[:8], *starts[8:]], moved)
    ]  # fmt: skip
    assert str(tuple(round(number, 6) for number in after)) in text
    assert [f"{number:.4f}" for number in after] == ["0.2984", "0.2910", "0.2858"]
    assert "From 0.2984 to 0.2910 with the eight weights, and to 0.2858 with all ten" in text
    assert (after[1] - after[2]) / (after[0] - after[2]) == pytest.approx(2 / 5, abs=0.03)
    o1, h1 = found["o1"], found["h1"]
    factors = (o1 - 0.01, o1 * (1 - o1), h1, found["d1"] * h1)
    assert "{:.4f} · {:.4f} · {:.4f} = {:.4f}".format(*factors) in text
    through = found["through_1"], found["through_2"], found["through_1"] + found["through_2"]
    assert "{:.4f} and {:.4f}".format(*through) in text and f"sum is {through[2]:.4f}" in text
    assert f"slope {h1 * (1 - h1):.4f}" in text and f"it is {slopes[0]:.4f}" in text
    assert 1 / 2100 < slopes[0] / (o1 - 0.01) < 1 / 1600


def test_a_network_line_by_line(prose):
    text, found = prose["a_network_line_by_line"], story("a_network_line_by_line")
    assert (len(found["first"]), len(set(found["first"]) & set(found["second"]))) == (26, 9)
    assert "(26, 9)" in text and "26 nodes. The 9 parameters are in both graphs; the other 17 are new" in text
    assert len(found["net"].parameters()) == 9


def test_momentum_and_adam(prose):
    text, found = prose["momentum_and_adam"], story("momentum_and_adam")
    path, valley = found["path"], found["valley"]
    u, v = 1.0, 10.0
    for _ in range(99):  # plain descent by its formula: each step multiplies by 1 - rate · curvature
        u, v = u * (1 - 0.018 * 100), v * (1 - 0.018 * 2)
    assert path(found["plain"])[-1] == pytest.approx(50 * u * u + v * v) == pytest.approx(0.0703, abs=5e-5)
    last = [path(found[name])[-1] for name in ("plain", "momentum", "adam")]
    assert [f"{loss:.4f}" for loss in last] == ["0.0703", "0.0050", "0.0030"] and "0.0703, 0.0050 and 0.0030" in text
    assert "After 99 steps the loss is still 0.07. v shrinks by 3.6 % a step" in text
    assert found["velocity"] == pytest.approx(10, abs=1e-3)
    assert [leaf.data for leaf in found["first"]] == pytest.approx([0.7, 9.7], abs=1e-6)
    steep = path(found["plain"], 10, found["steep"])
    assert steep[-1] == pytest.approx(2e63, rel=0.05) and steep == sorted(steep)
    assert path(found["adam"], 100, found["steep"])[-1] / 1000 == pytest.approx(last[2], rel=1e-5)
    assert "[True, True]" in text and valley(1.0, 10.0) == 150
    assert forward_gradient(lambda u: u * u * 50.0, [1.0]) == [100] and forward_gradient(lambda v: v * v, [10.0]) == [
        20
    ]


def test_saving_a_figure(prose):
    assert "['gradients.png', 'graph.svg', 'steps.html']" in prose["saving_a_figure"]
    assert "So v3" not in prose["saving_a_figure"] and "No gradient is known yet" in prose["saving_a_figure"]


def test_exactly_zero(prose):
    text, found = prose["exactly_zero"], story("exactly_zero")
    a, b, c = (found[name] for name in "abc")
    assert (b.grad, c.grad) == (0, 0) and a.grad != 0 and 2 * b.data == pytest.approx(-1.4)
    assert [leaf in found["reached"] for leaf in (a, b, c)] == [True, True, False] and "(['b', 'c'], ['c'])" in text
    dead = found["dead"]
    shut = (dead.pre_activations <= 0).all(axis=1)
    assert (shut.sum(), shut.size, shut[0].sum(), shut[-1].sum()) == (49, 384, 0, 16)
    assert "49 of 384, none of them in the first layer, half of the last one" in text
    for layer, units in enumerate(shut, start=1):
        assert f"{layer:2} " + "".join("·█"[unit] for unit in units.astype(int)) in text
        assert not dead.weight_gradients[layer - 1][:, units].any()
    alike = [found["likeness"](layer) for layer in dead.activations]
    assert (f"{alike[0]:.2f}", f"{alike[-1]:.2f}") == ("0.34", "0.94")
    assert "it is 0.34, as relu's" in text and "After twelve layers it is 0.94" in text
    assert (found["shut"], found["zero"]) == (
        [49, 49],
        [49, 0],
    ) and "as many of the first, and none of the second" in text
    one, other = np.array([1.0, 2.0, -1.0]), np.array([0.5, 0.0, 2.0])
    cosine = one @ other / math.sqrt((one @ one) * (other @ other))
    assert found["likeness"](np.stack([one, other])) == pytest.approx(cosine)
    assert autograd.Value(-2.0).leaky_relu()._local == (0.01,)
    (b.relu().sqrt()).backward(reset="all")
    assert math.isnan(b.grad) and "∞ · 0 is nan" in text


def test_the_same_loop_in_pytorch(prose):
    """Its counts are held by tests/test_lesson_09.py, where PyTorch is installed."""
    text = prose["the_same_loop_in_pytorch"]
    assert "With the sum and our weights 25 or 26 of the 30 are right" in text
    assert "17 with the mean, and 1 with the mean and PyTorch's own start" in text
    assert "0.0767" in text  # the loss at epoch 60, on both sides


def test_the_exam(prose):
    text = prose["exam"]
    assert "The exam: 5 programs with a fault, 6 tests of your own, 10 questions." in text
    assert "Patient 1 of the exam." in text and "The exam, part 3: ten questions" in text
    assert text.count("Not yet: ") == 3 and "Tests 1, 2, 3, 4, 5, 6 are not written yet." in text
    assert "so far" in text and "Not all is handed in yet." in text
    assert f"{len(ThirtyTwo.wrong)} wrong engines: the twenty of lesson 06, and twelve" in text
    assert "5 of 21 dials do not read as on a healthy program." in text and "Five dials of 21" in text
    assert "this is read with: gradients are never set to 0." in text
    wrong = {"course of the loss", "what it can do", "dead units", "units that differ", "kept : fresh"}
    assert set(re.findall(r"^    (.+): .+; healthy: ", text, re.MULTILINE)) == wrong
