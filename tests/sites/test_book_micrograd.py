"""The book's page for readers who know micrograd: each line that it calls different is so, in both libraries."""

import pytest

import autograd
from exercises.content.lessons import BY_NUMBER
from site_build.book import texts

engine = pytest.importorskip("micrograd.engine")
nn = pytest.importorskip("micrograd.nn")
PAGE = texts.micrograd()


def twice(Value):
    """Return the gradient that two passes leave at a = 2, b = 3."""
    a, b = Value(2.0), Value(3.0)
    root = a * b + a
    root.backward()
    root.backward()
    return a.grad


def chain(Value):
    """Return the gradient of a leaf that is added 5,000 times."""
    leaf = node = Value(1.0)
    for _ in range(5000):
        node = node + leaf
    node.backward()
    return leaf.grad


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("Neuron(3, nonlin=False)", 'Neuron(3, activation="linear")'),
        ("Neuron(3).w", "Neuron(3).weights"),
        ("Neuron(3).b", "Neuron(3).bias"),
        ('Value(6.0, (a,), "triple")', 'Value(6.0, (a,), "triple", _local=(3.0,))'),
    ],
)
def test_micrograd_line_fails_here_and_its_replacement_works(theirs, ours):
    there = {"Neuron": nn.Neuron, "Value": engine.Value, "a": engine.Value(2.0)}
    here = {"Neuron": autograd.Neuron, "Value": autograd.Value, "a": autograd.Value(2.0)}
    assert f"{theirs}`" in PAGE and f"`{ours}`" in PAGE
    eval(theirs, there)
    eval(ours, here)
    with pytest.raises((TypeError, AttributeError, ValueError)):
        eval(theirs, here)


def test_default_activation_differs():
    ops = [{node._op for node in autograd.topological_order(net([1.0, 2.0, 3.0]))} for net in networks()]
    assert "tanh" in ops[0] and "relu" in ops[1] and "`MLP(3, [4, 1])`" in PAGE
    assert "ReLU" in repr(nn.MLP(3, [4, 1])) and nn.Neuron(3).b.data == 0 != autograd.Neuron(3).bias.data


def networks():
    """Return a network with the default activation, and one made as the page says to get micrograd's."""
    return autograd.MLP(3, [4, 1]), eval('MLP(3, [4, 1], activation="relu")', {"MLP": autograd.MLP})


def test_backward_is_derived_here_and_assigned_in_micrograd():
    a = autograd.Value(2.0)
    out = autograd.Value(6.0, (a,), "triple", _local=(3.0,))
    with pytest.raises(AttributeError):
        out._backward = None
    out.backward()
    there = engine.Value(1.0)
    there._backward = None
    assert a.grad == 3.0 and there._backward is None


def test_inputs_second_passes_and_long_chains_differ():
    sizes = [len((a + a)._prev) for a in (engine.Value(1.0), autograd.Value(1.0))]
    assert sizes == [1, 2] and (twice(engine.Value), twice(autograd.Value)) == (11, 8)
    assert chain(autograd.Value) == 5001
    with pytest.raises(RecursionError):
        chain(engine.Value)


def test_micrograd_lacks_the_listed_functions():
    lacks = ("exp", "log", "tanh", "sigmoid", "sqrt", "sin", "cos")
    for name in lacks:
        assert f"`{name}`" in PAGE and hasattr(autograd.Value, name) and not hasattr(engine.Value, name)
    with pytest.raises(AssertionError):
        engine.Value(2.0) ** engine.Value(3.0)
    with pytest.raises(TypeError):
        engine.Value(2.0, label="a")
    assert (autograd.Value(2.0, label="a") ** autograd.Value(3.0)).data == 8


def test_page_links_to_lesson_05():
    assert f"(lessons/{BY_NUMBER['05'].file})" in PAGE
