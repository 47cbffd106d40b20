"""Graphs of arrays, drawn and stepped through: a Tensor's, and those of a learner's engine made of closures."""

import random

import numpy as np
import pytest

from autograd import topological_order
from autograd.tensor import Tensor
from autograd.training.tensor_nn import TensorMLP
from exercises.engine_file.trial import template_engine
from figures import depth_first, draw_graph, step_backward, step_forward, step_through
from figures.graph.reader import read_graph
from figures.page import arrays
from figures.page.picture import Picture
from figures.page.style import number
from figures.passes import array_passes
from tests import pictures
from tests.lab_graphs import assert_plays, shown
from tests.pictures import Bare, labelled, texts

Rules = template_engine().Tensor  # each op has a closure that adds to the `grad` of its inputs


def layer(kind):
    """Return the sum of tanh(X @ W + b)² in an engine, with a bias for two rows and a node used twice."""
    x = kind([[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]], label="X")
    w = kind([[0.1, -0.2], [0.2, 0.0], [0.05, 0.3]], label="W")
    b = kind([0.5, -0.25], label="b")
    z = labelled(labelled(x @ w, "Y") + b, "Z").tanh()
    return labelled((z * z).sum(), "L")


def digits():
    """Return the loss of a 64-32-10 network on 50 random pictures after its backward pass, and its Player before it."""
    net, rng = TensorMLP(64, [32, 10], activation="relu", rng=random.Random(0)), np.random.RandomState(0)
    root = labelled(net(Tensor(rng.rand(50, 64))).softmax_cross_entropy(np.arange(50) % 10), "loss")
    player = step_backward(root)
    root.backward()
    return root, player


def expected(root, what):
    """Return the texts that a drawing shows for all nodes' data or grads."""
    found = {}
    for i, (node, drawn) in enumerate(zip(topological_order(root), read_graph(root))):
        array = getattr(node, what)
        if arrays.grid(drawn.data):
            rows = np.atleast_2d(array)
            texts = iter(arrays.quiet(*rows.flat))
            found |= {f"n{i}.{what}.{r}.{c}": next(texts) for r, c in np.ndindex(rows.shape)}
        else:
            found[f"n{i}.{what}"] = number(array.item()) if array.size == 1 else str(array.shape)
    return found


# Drawn


def test_small_array_shows_numbers_and_large_one_its_shape():
    root = layer(Tensor)
    before = texts(draw_graph(root).svg)
    assert expected(root, "data").items() <= before.items()
    assert {text for key, text in before.items() if ".grad" in key} == {"–"}
    root.backward()
    after = texts(draw_graph(root).svg)
    assert (expected(root, "data") | expected(root, "grad")).items() <= after.items()
    assert before["n1.data.2.0"] == "0.05" and len([key for key in before if key.startswith("n1.data")]) == 6
    assert ">(3, 2)</text>" in draw_graph(root).svg and "data (3, 2)" in draw_graph(root).source


def test_digits_step_has_eleven_boxes_and_ten_edges():
    root, player = digits()
    picture = draw_graph(root)
    found = texts(picture.svg)
    assert len(read_graph(root)) == 11
    assert sorted(found[f"n{i}.data"] for i in range(10)) == sorted(
        ["(50, 64)", "(64, 32)", "(32,)", "(32, 10)", "(10,)", *["(50, 32)"] * 3, *["(50, 10)"] * 2]
    )
    assert [i for i in range(10) if found[f"n{i}.grad"] != found[f"n{i}.data"]] == []
    assert found["n10.data"] == number(root.data.item())
    assert "(64, 32)" in picture.text and ">CE</text>" in picture.svg
    assert len(player.recording.frames) == 1 + 1 + 10
    said = player.recording.frames[2].say
    assert "G * (p - one-hot) / n, an array of shape (50, 10)" in said
    assert said.endswith(f"is now {np.abs(root._prev[0].grad).max():.4f}.")
    assert_plays(player)


def test_zero_or_misshaped_gradient_differs_from_none():
    """A wrong rule leaves another shape in an engine that does not check it."""
    root = (Tensor(np.ones((6, 6))) * Tensor(np.zeros((6, 6)))).sum()
    assert texts(draw_graph(root).svg)["n0.grad"] == "–"
    root.backward()
    found = texts(draw_graph(root).svg)
    assert (found["n0.grad"], found["n1.grad"], found["n1.data"]) == ("all 0", "(6, 6)", "(6, 6)")
    node = Rules([[1.0, 2.0], [3.0, 4.0]])
    node.grad = np.ones(2)
    found = texts(draw_graph(node).svg)
    assert [found[f"n0.grad.{r}.{c}"] for r in (0, 1) for c in (0, 1)] == ["", "(2,)", "", ""]
    node.grad = 2.0
    assert texts(draw_graph(node).svg)["n0.grad.1.1"] == "2"


@pytest.mark.parametrize(
    ("shape", "room"),
    [
        *((shape, True) for shape in [(4,), (1, 3), (3, 1), (4, 3), (3, 4)]),
        *((shape, False) for shape in [(13,), (5, 2), (2, 5), (2, 2, 2), (0,), (0, 3)]),
    ],
)
def test_array_box_fits_its_rows_or_shows_the_shape(shape, room):
    svg = draw_graph((Tensor(np.ones(shape)) * 2).sum()).svg
    if room:
        assert f">{shape}</text>" in svg and texts(svg)["n0.data.0.0"] == "1"
    else:
        assert texts(svg)["n0.data"] == str(shape)


def test_long_content_of_a_box_is_abbreviated():
    """No text covers another: a narrow box of a long op keeps the name, and not the shape."""
    x = Tensor(np.zeros((3, 1)), label="w")
    assert ">(3, 1)</text>" in draw_graph(x).svg and ">w</text>" in draw_graph(x).svg
    made = draw_graph(labelled(x.reshape(1, 3).reshape(3, 1), "columns")).svg
    assert made.count(">(3, 1)</text>") == 1 and ">reshape</text>" in made
    assert texts(draw_graph(Tensor([123456.789, -0.00001])).svg)["n0.data.0.0"] == "1.2e+05"


def test_arrays_are_shown_in_a_table_without_graphviz():
    root = layer(Tensor)
    with pictures.without_graphviz():
        assert draw_graph(root).rows[1][3] == "0.10 −0.20; 0.20 0.00; 0.05 0.30"
        player = step_backward(root)
        assert_plays(player)
        found = shown(player)
    root.backward()
    assert found["n1.grad.0.0"] == expected(root, "grad")["n1.grad.0.0"]


def test_depth_first_and_collapsed_drawing_accept_tensors():
    root = layer(Tensor)
    assert shown(depth_first(root))["n1.data.0.0"] == "0.10"
    assert "more than the 3" in draw_graph(root, limit=3).note
    assert isinstance(step_backward(root, limit=3), Picture)
    assert array_passes.is_of_arrays(Tensor(2.0) * 3) and not array_passes.is_of_arrays(Bare(np.float64(2.0)))


# Stepped through


def test_last_frame_matches_backward_in_both_engines():
    """The engines differ in the two edges of z * z, which a closure serves at once."""
    frames = []
    for kind in (Tensor, Rules):
        root = layer(kind)
        player = step_backward(root)
        assert [node for node in topological_order(root) if np.any(node.grad)] == [], "the graph itself is not changed"
        root.backward()
        assert expected(root, "grad").items() <= shown(player).items()
        assert_plays(player)
        frames.append(len(player.recording.frames))
    assert frames[0] == frames[1] + 1
    assert "the rule of @ turns it into" in player.render_text() and "ᵀ" not in player.render_text(), (
        "no formula is claimed of a rule"
    )


@pytest.mark.parametrize("reset", ["intermediates", "all", "nothing"])
def test_old_gradients_are_treated_the_same_as_by_the_engine(reset):
    root = layer(Tensor)
    root.backward()
    before = {key: text for key, text in shown(step_backward(root, reset=reset), 0).items() if "grad" in key}
    player = step_backward(root, reset=reset)
    root.backward(reset)
    assert expected(root, "grad").items() <= shown(player).items()
    assert (before["n0.grad.0.0"] == "–") == (reset == "all") and (before["n7.grad"] == "–") == (reset != "nothing")


def test_step_names_the_rule_and_shows_the_sum():
    player = step_backward(layer(Tensor))
    said = [frame.say for frame in player.recording.frames]
    (to_w,) = [i for i, text in enumerate(said) if text.startswith("From Y back to W")]
    assert "the contribution is Xᵀ @ G = [[" in said[to_w]
    assert any("G @ Wᵀ" in text for text in said) and any("G, summed to (2,)" in text for text in said)
    text = shown(player, to_w)
    assert text["sum.contribution.of"] == "contribution: Xᵀ @ G" and text["sum.before"] == "all 0"
    assert text["sum.after"] == text["sum.contribution"] and text["sum.after"].count("\n") == 2
    assert text["sum.upstream"].split("\n")[0].split() == [text["n2.grad.0.0"], text["n2.grad.0.1"]]


def test_forward_pass_begins_with_the_leaves():
    player = step_through(layer(Tensor))
    first = shown(player, 0)
    assert first["n0.data.0.1"] == "2" and first["n2.data.0.0"] == first["n7.data"] == "–"
    assert player.recording.frames[1].say == (
        "Y is made by @ from X, of shape (2, 3) and W, of shape (3, 2): it is [[0.5000, -0.2000], [-0.0500, 0.9000]]."
    )
    assert expected(layer(Tensor), "data").items() <= shown(player).items()
    assert_plays(player)
    assert_plays(step_forward(layer(Rules)))


# A learner's wrong rules


def test_failing_rule_is_named_and_grads_are_unchanged():
    root = layer(Rules)
    z = root._prev[0]._prev[0]
    bias = z._prev[0]._prev[1]  # which two rows use

    def broken():
        root._prev[0].grad = None
        raise NotImplementedError("to write")

    right, root._backward = root._backward, broken
    with pytest.raises(ValueError, match="The rule of L raised NotImplementedError: to write"):
        step_backward(root)
    assert root._prev[0].grad.shape == (2, 2)
    root._backward, z._prev[0]._backward = right, lambda: setattr(bias, "grad", bias.grad + np.ones((2, 2)))
    player = step_backward(root)
    assert shown(player)["n3.grad.0.1"] == "(2, 2)" and "were not added" in player.render_text()
    root._backward = lambda: setattr(root._prev[0], "grad", np.ones(3))
    with pytest.raises(ValueError, match="The rule of v6 raised ValueError: operands could not be broadcast"):
        step_backward(root)


def test_array_shared_by_two_nodes_is_detected():
    """In s = a + b, r = s + a, a rule passes its own grad on: a gets 2, and b with it."""
    a, b = Rules([1.0, 1.0], label="a"), Rules([1.0, 1.0], label="b")

    def add(one, other, label):
        out = labelled(one + other, label)

        def rule():
            for input in (one, other):
                if input.grad.any():
                    input.grad += out.grad
                else:
                    input.grad = out.grad

        out._backward = rule
        return out

    root = add(add(a, b, "s"), a, "r").sum()
    player = step_backward(root)
    root.backward()
    found = shown(player)
    for i, node in enumerate(topological_order(root)[:4]):
        assert [found[f"n{i}.grad.0.{j}"] for j in (0, 1)] == arrays.quiet(*node.grad)
    assert "changed as well, though no edge leads there" in player.render_text()


def test_assigning_array_rule_is_detected():
    a = Rules([1.0, 2.0], label="a")
    square = a * a
    square._backward = lambda: setattr(a, "grad", a.data * square.grad)
    out = (square * a).sum()
    player = step_backward(out)
    assert player.recording.frames[-1].say == (
        "From v1 back to a (its 2 edges at once): G = v1.grad is [1.0000, 2.0000]; the rule of * turns it into "
        "[1.0000, 4.0000]. a.grad was [1.0000, 4.0000] and is [1.0000, 4.0000] now: the old and the new were "
        "not added."
    )
    out.backward()
    assert [shown(player)[f"n0.grad.0.{j}"] for j in (0, 1)] == arrays.quiet(*a.grad)


def test_inputs_in_a_set_keep_their_order():
    root, found = layer(Rules), []
    for kind in (tuple, set):
        for node in topological_order(root):
            node._prev = kind(node._prev)
        texts = shown(step_backward(root))
        nodes = [(node.name, f"n{i}.grad") for i, node in enumerate(read_graph(root)) if node.labelled]
        found.append({name: [texts[key] for key in texts if key.startswith(begins)] for name, begins in nodes})
    assert found[0] == found[1] and found[0].keys() == {"X", "W", "Y", "b", "Z", "L"}
