"""Notebook 04: what its text says of its numbers, on six engines."""

import itertools

import pytest

from tests.lessons.core.engines import TRIED, mine, names_after


@pytest.fixture(scope="module", params=TRIED)
def engine(request):
    return mine(request.param)


@pytest.mark.parametrize(
    ("cell", "b", "a"), [("11", 7, 22), ("13", 7, 8), ("16", 7, 14)], ids=["pass_on", "y b c", "y c b"]
)
def test_three_orders_of_the_small_graph(engine, cell, b, a):
    names = names_after("04", engine, "7", "13", cell)
    assert (names["b"].grad, names["a"].grad) == (b, a)


def test_exactly_four_orders_of_the_larger_graph_are_right(engine):
    names, right = names_after("04", engine, "7", "13", "20"), set()
    for order in itertools.permutations("yspcd"):
        a, b, y = names["large"]()
        nodes = {node.label: node for node in engine.topological_order(y)}
        names["run_pass"](y, [nodes[label] for label in order])
        if (a.grad, b.grad) == (25, 19):
            right.add("".join(order))
    assert right == {"yspcd", "yspdc", "ypscd", "ypsdc"}


def test_own_engine_trains(engine):
    names = names_after("04", engine, "c04-0052")
    assert len(names["slopes"]) == 337
    network = names_after("04", engine, "c04-0054")["network"]
    assert [round(network(inputs).data) for inputs in ((0, 0), (0, 1), (1, 0), (1, 1))] == [0, 1, 1, 0]
