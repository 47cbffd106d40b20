"""PyTorch's own graph as a picture: what is recorded is what PyTorch gives, and each node and leaf is there."""

import builtins
import json
import re

import numpy as np
import pytest

import figures
from autograd import Value
from autograd.lessons.digits import load_digits, network, scores
from autograd.topo import topological_order
from figures.graph import pytorch

OPS = {"digits": ["Addmm", "Addmm", "LogSoftmax", "NllLoss", "Relu", "T", "T"], "detached": None}
OPS["detached"] = ["Addmm", "LogSoftmax", "NllLoss", "T"]


@pytest.fixture
def no_torch(monkeypatch):
    """As where PyTorch is not installed."""
    usual = builtins.__import__

    def importing(name, *args, **kwargs):
        if name == "torch":
            raise ImportError("no module named torch")
        return usual(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", importing)


@pytest.mark.parametrize("name", pytorch.PROGRAMS)
def test_what_is_recorded_is_what_pytorch_gives(name, torch):
    assert pytorch.ran(name)[0] == pytorch.recorded(name)[0]
    assert "run now" in figures.torch_graph(name).note


def test_recording_writes_what_is_kept(torch, tmp_path, monkeypatch):
    kept = json.loads(pytorch.RECORDED.read_text(encoding="utf-8"))
    monkeypatch.setattr(pytorch, "RECORDED", tmp_path / "torch_graphs.json")
    pytorch.record()
    assert json.loads(pytorch.RECORDED.read_text(encoding="utf-8"))["graphs"] == kept["graphs"]


@pytest.mark.parametrize("name", pytorch.PROGRAMS)
def test_the_nodes_of_a_step(name):
    nodes = pytorch.recorded(name)[0]
    assert sorted(node.name for node in nodes if node.op) == OPS[name]
    assert {node.name for node in nodes if not node.op} == {"w1 (32, 64)", "b1 (32,)", "w2 (10, 32)", "b2 (10,)"}
    assert nodes[-1].op == "NllLossBackward0"


def test_the_digits_step_has_as_many_nodes_here_as_there():
    """11 in both: PyTorch has a T for each weight, and one node for @ and +; here the pictures are a leaf, too."""
    digits = load_digits()
    loss = scores(digits.train[:50], *network()).softmax_cross_entropy(digits.train_labels[:50])
    assert len(topological_order(loss)) == len(pytorch.recorded("digits")[0]) == 11


def test_of_a_detached_network_half_the_leaves_are_reached(no_torch):
    picture = figures.torch_graph("detached")
    assert picture.note.startswith("6 nodes, 2 of them leaves. 2 of 4 leaves not reached: w1, b1. PyTorch ")
    assert "as recorded: it is not installed here" in picture.note and picture.alt.startswith(
        "PyTorch's graph of NllLoss"
    )


def test_the_picture_has_every_node_and_arrow(no_torch):
    picture = figures.torch_graph("digits")
    assert picture.note.startswith("11 nodes, 4 of them leaves. PyTorch ")
    titles = re.findall("<title>(.*?)</title>", picture.svg)
    assert sorted(titles) == sorted(node.name for node in pytorch.recorded("digits")[0])
    assert len(re.findall('class="edge"', picture.svg)) == picture.source.count("->") == 10
    assert "Addmm" in repr(picture) and "AddmmBackward0" in repr(picture)


def test_a_graph_of_ones_own_and_its_gradients_go_where_it_says(torch):
    a, b = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0))
    c = a * b
    (loss := c * c + a.detach()).backward()
    picture = figures.torch_graph(loss, {"a": a, "b": b})
    assert picture.note == "5 nodes, 2 of them leaves."
    assert picture.source.count("->") == 5, "c goes into the second product twice"
    assert (a.grad.item(), b.grad.item()) == (36.0, 24.0)


def test_a_leaf_without_a_name_and_one_that_is_not_reached(torch):
    a, b = (torch.tensor(np.ones(2).tolist(), requires_grad=True) for _ in range(2))
    picture = figures.torch_graph((a * 2).sum(), {"b": b})
    assert picture.note == "3 nodes, 1 of them leaves. 1 of 2 leaves not reached: b."
    assert "leaf (2,)" in repr(picture)


def test_a_large_graph_is_drawn_collapsed(torch):
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(100):
        y = (y * 1.01).tanh()
    picture = figures.torch_graph(y, {"x": x})
    assert picture.note.startswith("201 nodes, 1 of them leaves. This graph has 201 nodes")


def test_what_is_no_graph_of_pytorchs_is_a_sentence(torch):
    for thing in (Value(1.0), 3.0, None):
        with pytest.raises(TypeError, match="torch_graph takes a PyTorch tensor, 'digits' or 'detached'; got"):
            figures.torch_graph(thing)
    with pytest.raises(ValueError, match="There are: digits, detached"):
        figures.torch_graph("moons")
    with pytest.raises(ValueError, match="no operation made it"):
        figures.torch_graph(torch.tensor(1.0, requires_grad=True))


def test_without_a_graphviz_it_is_a_table(monkeypatch, no_torch):
    def nowhere(*args):
        raise figures.graph.layout.LayoutError("no Graphviz")

    monkeypatch.setattr(figures.graph.draw, "lay_out", nowhere)
    picture = figures.torch_graph("detached")
    assert "<table>" in picture.html() and "AddmmBackward0" in picture.html()
    assert picture.alt.startswith("PyTorch's graph of NllLoss: 6 nodes")


def test_pytorch_is_imported_only_when_it_is_used(no_torch):
    assert figures.torch_graph("digits").svg
    with pytest.raises(ImportError), pytorch.one_thread():
        pass
