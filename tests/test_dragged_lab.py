"""The drag lab: what it shows for other numbers, whose nodes it leaves alone, and which graphs stay a still."""

import pytest
from micrograd.engine import Value as Micrograd

import figures
from autograd import MLP, Value, topological_order, weighted_sum
from autograd.messages import show
from figures.graph.draw import draw_graph
from figures.labs.dragged import Dragged, drag
from figures.page.picture import Picture
from tests import pictures
from tests.walks import ask, assert_plays, two_paths


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
    root = build()
    before = [(node.data, node.grad) for node in topological_order(root)]
    player = drag(root)
    assert isinstance(player, Dragged) and numbers(player) == expected(build())
    assert [(node.data, node.grad) for node in topological_order(root)] == before
    assert_plays(player)


def test_another_number_changes_what_depends_on_it_and_no_node_of_the_learners():
    root = every_op()
    root.backward()
    before = [(node.data, node.grad) for node in topological_order(root)]
    player, order = drag(root), topological_order(root)
    a, b = (f"n{i}" for i, node in enumerate(order) if node.label in ("a", "b"))
    stage = player.spec["stage"]
    assert ask(player, **{a: 0.7}) == ""
    assert numbers(player) == expected(every_op(0.7))
    assert ask(player, **{a: 0.7, b: 1.5}) == ""
    assert numbers(player) == expected(every_op(0.7, 1.5))
    assert [(node.data, node.grad) for node in order] == before
    assert player.spec["stage"] == stage, "the page keeps its drawing, and the focus in it"
    assert_plays(player)


def test_the_sentence_compares_the_change_with_what_the_gradient_foretold():
    player = drag(two_paths())
    assert player.recording.frames[0].say.startswith("y = 41.0000. Drag a leaf")
    ask(player, n0=2.1)
    assert player.recording.frames[0].say == (
        "y = 43.5300: it went up by 2.5300 as a went up by 0.1000. The gradient that a began with, 25.0000, foretold "
        "2.5000."
    )
    ask(player, n0=1.9, n1=3.1)
    assert player.recording.frames[0].say == (
        "y = 40.3400: it went down by 0.6600 as 2 leaves moved. The gradients that they began with, each × how far its "
        "leaf went, foretold -0.6000."
    )


def test_start_over_puts_back_the_numbers_that_it_opened_with():
    player = drag(two_paths())
    opened = player.spec
    ask(player, n0=7.5)
    assert player.spec != opened
    ask(player, ["reset"], n0=7.5)
    assert player.spec == opened


def test_each_leaf_and_nothing_else_is_a_slider_with_its_exact_number():
    player = drag(every_op(0.7))
    ask(player, n0=2 / 3)
    parts = [
        part
        for part in pictures.tree(player.recording.render(player.recording.frames[0].marks)).iter()
        if part.get("data-drag")
    ]
    leaves = [i for i, node in enumerate(topological_order(every_op())) if not node._prev]
    assert [part.get("data-drag") for part in parts] == [f"n{i}" for i in leaves]
    assert {part.get("role") for part in parts} == {"slider"}
    assert float(parts[0].get("data-value")) == 2 / 3 and parts[0].get("aria-valuetext") == "0.6667"


@pytest.mark.parametrize(
    ("build", "number", "words"),
    [
        (lambda: Value(0.5, label="x").log(), -1.0, "log"),
        (lambda: 1 / Value(0.5, label="x"), 0.0, "0"),
        (lambda: Value(0.5, label="x") ** 0.5, -1.0, "x"),
    ],
)
def test_a_number_outside_of_an_operations_domain_gets_its_sentence(build, number, words):
    player = drag(build())
    before, leaf = numbers(player), next(key for key, value in player.numbers.items() if value == 0.5)
    assert words in ask(player, **{leaf: number})
    assert numbers(player) == before
    assert ask(player, **{leaf: 0.75}) == ""


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
    ("build", "reason"),
    [
        (
            lambda: Micrograd(2.0) * Micrograd(3.0),
            "for nodes of autograd.Value, and here is a Value of micrograd.engine",
        ),
        (lambda: changed(Value(2.0) * Value(3.0)), "no operation 'hyperlog'"),
        (lambda: MLP(2, [3, 1])([1.0, 2.0]), "in a graph of at most 12"),
    ],
    ids=["another engine", "an operation nobody knows", "too many nodes"],
)
def test_a_graph_that_cannot_be_run_again_stays_a_still_that_says_why(build, reason):
    root = build()
    picture = drag(root)
    assert isinstance(picture, Picture) and not isinstance(picture, figures.page.player.Player)
    assert reason in picture.note and reason in picture.html().replace("&#x27;", "'")
    assert picture.svg == draw_graph(root).svg


def test_without_graphviz_it_is_a_table_that_says_why(monkeypatch):
    def none(*args, **kwargs):
        raise figures.graph.layout.LayoutError("no Graphviz")

    monkeypatch.setattr("figures.graph.layout.lay_out", none)
    assert "where no drawing can be made" in drag(two_paths()).html()


def test_what_is_no_graph_is_refused_with_a_sentence():
    with pytest.raises(TypeError, match="A graph is drawn from a node"):
        drag(3.0)


def test_what_a_request_may_not_be():
    """A name that is no leaf changes nothing; what is no number is refused."""
    player = drag(two_paths())
    before = numbers(player)
    assert ask(player, n6=1.0, x=2.0) == "" and numbers(player) == before
    assert ask(player, n0="two") != "" and numbers(player) == before
