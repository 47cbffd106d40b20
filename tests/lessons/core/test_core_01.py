"""Notebook 01: what its text says of its numbers, on six engines."""

import math

import pytest

from tests.lessons.core.engines import TRIED, cells, mine, names_after


@pytest.fixture(scope="module", params=TRIED)
def network(request):
    """Return the names after the network's slopes were found both ways."""
    return names_after("01", mine(request.param), "c01-0047", "53", "60")


def test_337_slopes_take_338_runs_or_one(network):
    assert len(network["by_nudging"]) == 337
    assert names_after("01", network["mine"], "c01-0047")["runs"] == 338
    assert network["runs"] == 1 and max(network["gaps"]) < 1e-3


def test_slopes_are_largest_in_layer_3_and_near_0_in_layer_2(network):
    sizes = {name: sum(map(abs, found)) / len(found) for name, found in network["layers"].items()}
    assert max(sizes, key=sizes.get) == "layer 3" and min(sizes, key=sizes.get) == "layer 2"
    assert sum(abs(slope) < 0.1 for slope in network["layers"]["layer 2"]) > 272 / 2


@pytest.mark.parametrize("name", TRIED)
def test_graph_gradients_and_edge_counts(name):
    names = names_after("01", mine(name), "37", "14", "38", "38b")
    order = names["topological_order"]
    names["wall"].backward()
    assert (names["width"].grad, names["height"].grad) == (4, 3)
    edges = {each: sum(len(node._prev) for node in order(each)) for each in (names["d"], names["a"] + names["a"])}
    assert names["d"].data == 4 and [*edges.values()] == [4, 2]
    assert len(order(names["d"])) == 5 and len(order(names["a"] + names["twin"])) == 3


def test_difference_quotients_of_the_floor():
    names = {}
    exec(cells("01")["5"], names)
    found = [(names["area"](3 + h) - 9) / h for h in (1, 0.1, 0.01, 0.001)]
    assert [
        (one, h) for one, h in zip(found, (1, 0.1, 0.01, 0.001)) if not math.isclose(one, 6 + h, rel_tol=1e-9)
    ] == []
    assert math.isclose(names["area"](3.01) - 9, 0.0601) and 768 * 3072 == 2_359_296
