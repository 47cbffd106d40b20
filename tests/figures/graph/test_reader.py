"""Graphs read from nodes of any engine, in the same order in every process; anything else gets a sentence."""

import random
import re
from collections import Counter

import pytest

import figures
from autograd import Value
from figures import draw_graph
from figures.graph.reader import read_graph
from tests.figures.graph.test_graph import drawn_by_graphviz
from tests.pictures import Bare, Closures, Equal, WithLocals, names, parts, texts


def micrograd():
    return pytest.importorskip("micrograd.engine", reason='micrograd is not here: pip install -e ".[bench]"').Value


@pytest.fixture(params=[lambda: Closures, micrograd], ids=["own", "micrograd"])
def engine(request):
    return request.param()


def test_engine_with_inputs_in_a_set_is_drawn(engine):
    """(x·y + relu(x))², as learners write an engine: no labels, a set of inputs, closures."""
    x, y = engine(2.0), engine(-3.0)
    z = x * y + x.relu()
    root = z * z
    root.backward()
    picture = draw_graph(root)
    assert sorted((node.op, node.data, node.grad) for node in read_graph(root)) == [
        ("", -3.0, -16.0),
        ("", 2.0, 16.0),
        ("*", -6.0, -8.0),
        ("*", 16.0, 1),
        ("+", -4.0, -8.0),
        ("ReLU", 2.0, -8.0),
    ]
    assert names(picture.svg) == [f"v{i}" for i in range(6)]
    assert Counter(texts(picture.svg).values())["−8"] == 3
    assert set(drawn_by_graphviz(picture.source)) >= {f"n{i}" for i in range(6)}


def test_drawing_order_of_set_inputs_is_deterministic(engine):
    """Try also inputs with the same number, like the zeros of ReLU, and nan."""
    kept, sources = [], set()
    for _ in range(20):
        kept.append([engine(0.0) for _ in range(random.randrange(40))])  # so that the next ones get other addresses
        zeros = [engine(-1.0).relu(), engine(-2.0).relu(), (engine(1.0) * engine(-1.0)).relu(), engine(0.0)]
        kept.append(zeros)
        total = zeros[0] * zeros[1] + zeros[2] * zeros[3] + engine(float("nan")) * engine(1.0)
        sources.add(draw_graph(total).source)
    assert len(sources) == 1


def test_node_needs_only_data_and_inputs():
    """Slots that hold None count as missing."""
    root = Bare(3, [Bare(1), Bare(2.0)])
    root.label = root.grad = root._op = None
    assert draw_graph(root).text.splitlines()[1:] == [
        "v0    leaf             1     –",
        "v1    leaf             2     –",
        "v2    leaf     v0, v1  3     –",
    ]


def test_equal_nodes_stay_distinct_and_self_loops_are_drawn():
    """Try a class with __eq__ by value, which cannot be hashed, and the result of a wrong +=, also collapsed."""
    one, another = Equal(1.0), Equal(1.0)
    picture = draw_graph(Equal(2.0, [one, another, one]))
    assert len(names(picture.svg)) == 3
    assert re.findall(r"n(\d) -> n2", picture.source) == ["0", "1", "0"]
    node = Bare(1.0)
    node._prev = [node]
    assert "n0 -> n0" in draw_graph(node).source and "e0.0" in parts(draw_graph(node).svg)
    assert "more than the 0" in draw_graph(node, limit=0).note


def test_local_derivatives_are_read_only_if_ordered():
    """With a set, nobody can tell which belongs to which input."""
    x = WithLocals(3.0)
    assert texts(draw_graph(WithLocals(9.0, [x, x], (3.0, 3.0)), local=True).svg)["e1.1.local"] == "3"
    root = WithLocals(6.0, (), (3.0, 2.0))
    root._prev = {WithLocals(2.0), WithLocals(3.0)}
    assert read_graph(root)[-1].locals is None


@pytest.mark.parametrize("lab", ["forward_mode", "order", "paths", "step_forward", "step_backward"])
def test_lab_finds_local_derivatives_of_another_engine(lab):
    """It runs the engine's rules: the lab says the same of a chain as with the course's own nodes."""
    labs = [getattr(figures, lab)((engine(3.0) ** 2) ** -1) for engine in (Value, micrograd())]
    own, others = ([frame.say for frame in each.recording.frames] for each in labs)
    for each in labs:
        each.close()
    assert own == others
