"""PyTorch's own graph as a picture: what is recorded is what PyTorch gives, and each node and leaf is there."""

import json
import re
import sys

import numpy as np
import pytest

import figures
from autograd import Value
from figures.graph import pytorch
from tests import pictures

OPS = {
    "digits": ["Addmm", "Addmm", "LogSoftmax", "NllLoss", "Relu", "T", "T"],
    "detached": ["Addmm", "LogSoftmax", "NllLoss", "T"],
    "listed": ["Addmm", "Addmm", "Logsumexp", "Mean", "Relu", "T", "T"],
}
NAMED = ["w1 (32, 64)", "b1 (32,)", "w2 (10, 32)", "b2 (10,)"]
LEAVES = {"listed": ["leaf (32, 64)", "leaf (32,)", "last.weight (10, 32)", "last.bias (10,)"]}


@pytest.fixture
def no_torch(monkeypatch):
    """Make PyTorch seem not installed."""
    monkeypatch.setitem(sys.modules, "torch", None)


def test_recorded_graphs_match_pytorch(torch, tmp_path, monkeypatch):
    """Recording writes the stored file again."""
    for name in pytorch.PROGRAMS:
        assert pytorch.ran(name)[0] == pytorch.recorded(name)[0]
        assert "run now" in figures.torch_graph(name).note
    kept = json.loads(pytorch.RECORDED.read_text(encoding="utf-8"))
    monkeypatch.setattr(pytorch, "RECORDED", tmp_path / "torch_graphs.json")
    pytorch.keep_graphs()
    assert json.loads(pytorch.RECORDED.read_text(encoding="utf-8"))["graphs"] == kept["graphs"]


@pytest.mark.parametrize("name", pytorch.PROGRAMS)
def test_without_pytorch_the_recorded_graph_is_complete(name, no_torch):
    """In a detached network half the leaves are reached. Without Graphviz the picture is a table."""
    nodes = pytorch.recorded(name)[0]
    assert sorted(node.name for node in nodes if node.op) == OPS[name]
    assert {node.name for node in nodes if not node.op} == {*LEAVES.get(name, NAMED)}
    root = "Mean" if name == "listed" else "NllLoss"
    assert nodes[-1].op == f"{root}Backward0"
    picture, said = figures.torch_graph(name), "11 nodes, 4 of them leaves."
    if name == "detached":
        said = "6 nodes, 2 of them leaves. 2 of 4 leaves not reached: w1, b1."
    assert picture.alt == f"PyTorch's graph of {root}: {said}"
    assert picture.note.startswith(f"{said} PyTorch ") and "as recorded: it is not installed here" in picture.note
    assert sorted(re.findall("<title>(.*?)</title>", picture.svg)) == sorted(node.name for node in nodes)
    arrows = sum(len(node.inputs) for node in nodes)
    assert (
        picture.svg.count('class="edge"') == picture.source.count("->") == arrows == (5 if name == "detached" else 10)
    )
    assert "Addmm" in repr(picture) and "AddmmBackward0" in repr(picture)
    with pictures.without_graphviz():
        table = figures.torch_graph(name)
    assert "<table>" in table.html() and "AddmmBackward0" in table.html() and table.alt == picture.alt
    with pytest.raises(ImportError), pytorch.one_thread():
        pass


def test_torch_graph_draws_a_learners_graph_with_gradients(torch):
    """Try also a leaf without a name, and one that is not reached; a large graph is drawn collapsed."""
    a, b = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0))
    c = a * b
    (loss := c * c + a.detach()).backward()
    picture = figures.torch_graph(loss, {"a": a, "b": b})
    assert picture.note == "5 nodes, 2 of them leaves."
    assert picture.source.count("->") == 5, "c goes into the second product twice"
    assert (a.grad.item(), b.grad.item()) == (36.0, 24.0)
    a, b = (torch.tensor(np.ones(2).tolist(), requires_grad=True) for _ in range(2))
    picture = figures.torch_graph((a * 2).sum(), {"b": b})
    assert picture.note == "3 nodes, 1 of them leaves. 1 of 2 leaves not reached: b."
    assert "leaf (2,)" in repr(picture)
    y = x = torch.tensor(1.0, requires_grad=True)
    for _ in range(100):
        y = (y * 1.01).tanh()
    picture = figures.torch_graph(y, {"x": x})
    assert picture.note.startswith("201 nodes, 1 of them leaves. This graph has 201 nodes")


def test_torch_graph_rejects_other_objects(torch):
    for thing in (Value(1.0), 3.0, None):
        with pytest.raises(
            TypeError, match="torch_graph takes a PyTorch tensor, 'digits' or 'detached' or 'listed'; got"
        ):
            figures.torch_graph(thing)
    with pytest.raises(ValueError, match="There are: digits, detached"):
        figures.torch_graph("moons")
    with pytest.raises(ValueError, match="no operation made it"):
        figures.torch_graph(torch.tensor(1.0, requires_grad=True))
    with pytest.raises(TypeError, match=r"drawn by figures.torch_graph\(loss\)"):
        figures.draw_graph(torch.tensor(1.0, requires_grad=True) * 2)
