"""The drag lab: what it shows for other numbers, whose nodes it leaves alone, and which graphs stay a still."""

import pytest
from micrograd.engine import Value as Micrograd

import figures
from autograd import MLP, Value, topological_order, weighted_sum
from autograd.errors.messages import show
from figures.graph.draw import draw_graph
from figures.labs.dragged import Dragged, drag
from figures.page.picture import Picture
from tests import pictures
from tests.labs import ask, message
from tests.walks import assert_plays, two_paths


def numbers(player):
    """{key: text} of the data and grads that the lab shows."""
    return {
        key: mark["text"] for key, mark in player.recording.frames[0].marks.items() if key.endswith((".data", ".grad"))
    }


def expected(root):
    """The same of a graph after its backward pass."""
    root.backward()
    order = topological_order(root)
    return {f"n{i}.{what}": show(getattr(node, what)) for i, node in enumerate(order) for what in ("data", "grad")}


def every_op(x=0.5, y=2.0):
    """A graph with constants, a shared node, one edge twice, and a Value as exponent."""
    a, b = Value(x, label="a"), Value(y, label="b")
    return ((a + a) ** 3 - a / b).leaky_relu(0.2) ** b


def neuron(x=0.5):
    return weighted_sum([Value(0.3)], [Value(x)], Value(0.1)).tanh()


@pytest.mark.parametrize("build", [two_paths, every_op, neuron, lambda: Value(3.0, label="x")])
def test_it_opens_with_the_numbers_and_gradients_of_the_graph(build):
    player = drag(build())
    assert isinstance(player, Dragged) and numbers(player) == expected(build())
    assert_plays(player)


def test_another_number_changes_what_depends_on_it_and_no_node_of_the_learners():
    root = every_op()
    root.backward()
    before = [(node.data, node.grad) for node in topological_order(root)]
    player, order = drag(root), topological_order(root)
    a, b = (f"n{i}" for i, node in enumerate(order) if node.label in ("a", "b"))
    stage, opened = player.spec["stage"], numbers(player)
    ask(player, **{a: 0.7})
    assert numbers(player) == expected(every_op(0.7))
    ask(player, **{a: 0.7, b: 1.5})
    assert numbers(player) == expected(every_op(0.7, 1.5))
    assert player.spec["stage"] == stage, "the page keeps its drawing, and the focus in it"
    assert_plays(player)
    ask(player, "reset", **{a: 0.7, b: 1.5})
    assert numbers(player) == opened and message(player) == ""
    assert [(node.data, node.grad) for node in order] == before


def test_the_sentence_compares_the_change_with_what_the_gradient_foretold():
    player = drag(two_paths())
    opened = player.spec
    assert player.text().startswith("1. y = 41.0000. Drag a leaf")
    ask(player, n0=2.1)
    assert player.text() == (
        "1. y = 43.5300: it went up by 2.5300 when a went up by 0.1000. Its gradient at the start, 25.0000, "
        "predicted 2.5000."
    )
    ask(player, n0=1.9, n1=3.1)
    assert player.text() == (
        "1. y = 40.3400: it went down by 0.6600 when 2 leaves moved. Their gradients at the start, each × how far "
        "its leaf moved, predicted -0.6000."
    )
    ask(player, "reset", n0=1.9)
    assert player.spec == opened
    ask(player, n6=1.0, x=2.0)
    assert player.spec == opened, "a name that is no leaf changes nothing"


def test_each_leaf_and_nothing_else_is_a_slider_with_its_exact_number():
    player = drag(every_op(0.7))
    ask(player, n0=2 / 3)
    drawn = pictures.tree(player.recording.render(player.recording.frames[0].marks))
    parts = [part for part in drawn.iter() if part.get("data-drag")]
    leaves = [i for i, node in enumerate(topological_order(every_op())) if not node._prev]
    assert [part.get("data-drag") for part in parts] == [f"n{i}" for i in leaves]
    assert {part.get("role") for part in parts} == {"slider"}
    assert float(parts[0].get("data-value")) == 2 / 3 and parts[0].get("aria-valuetext") == "0.6667"


@pytest.mark.parametrize(
    ("build", "number", "sentence"),
    [
        (lambda: Value(0.5, label="x").log(), -1.0, "log of x = -1.0: log needs a positive number."),
        (lambda: 1 / Value(0.5, label="x"), 0.0, "(1.0) / (x = 0.0): division by 0 has no value."),
        (lambda: Value(0.5, label="x") ** 0.5, -1.0, "(x = -1.0) ** 0.5: a negative number needs a whole exponent."),
    ],
)
def test_a_number_outside_of_an_operations_domain_gets_its_sentence(build, number, sentence):
    player = drag(build())
    before, leaf = numbers(player), next(key for key, value in player.numbers.items() if value == 0.5)
    ask(player, **{leaf: number})
    assert message(player).startswith(sentence) and numbers(player) == before
    ask(player, **{leaf: 0.75})
    assert message(player) == ""


def test_numbers_past_the_largest_float_are_said_to_be_that():
    player = drag(Value(2.0, label="x").exp())
    ask(player, n0=1000.0)
    assert "larger than the largest float" in player.text()
    assert numbers(player)["n1.data"] == "inf"
    ask(player, n0=2.0)
    assert "largest float" not in player.text()


def changed(root):
    """A graph with an operation that no engine knows."""
    root._op = "hyperlog"
    return root


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        (Micrograd(2.0) * Micrograd(3.0), "only nodes of autograd.Value can, and this is a Value of micrograd.engine"),
        (changed(Value(2.0) * Value(3.0)), "no operation 'hyperlog'"),
        (MLP(2, [3, 1])([1.0, 2.0]), "in a graph of at most 12"),
    ],
)
def test_a_graph_that_cannot_be_rerun_stays_a_still_that_says_why(root, reason):
    picture = drag(root)
    assert isinstance(picture, Picture) and not isinstance(picture, figures.page.player.Player)
    assert reason in picture.note and reason in picture.html().replace("&#x27;", "'")
    assert picture.svg == draw_graph(root).svg
