"""The two passes as steps: pure, equal to `backward`, and one plain sentence each."""

import dataclasses
import random

import pytest

from autograd import MLP, Step, Value, backward_steps, forward_steps, topological_order, weighted_sum
from autograd.tensor import Tensor
from tests.ops_table import OPS, by_name, random_program

RESETS = ["intermediates", "all", "nothing"]


def sentences(steps):
    return [step.sentence() for step in steps]


def x_plus_y_times_z():
    x, y, z = Value(-2, label="x"), Value(5, label="y"), Value(-4, label="z")
    q = x + y
    q.label = "q"
    f = q * z
    f.label = "f"
    return f


def random_graph(seed):
    """A random graph, labels on its leaves, with old grads on every node."""
    rng = random.Random(seed)
    program = random_program(rng)
    root = program.run([Value(x, label=f"x{i}") for i, x in enumerate(program.leaves)], lambda op: op.function)
    for node in topological_order(root):
        node.grad = rng.choice([0.0, rng.uniform(-2, 2)])
    return root


def state(root):
    return [(node, node.data, node.grad, node.label) for node in topological_order(root)]


@pytest.mark.parametrize("reset", RESETS)
@pytest.mark.parametrize("seed", range(30))
def test_steps_are_pure_and_end_where_backward_does(seed, reset):
    """The last `after` of each node is, to the bit, the grad that `backward` leaves there."""
    root = random_graph(seed)
    before = state(root)
    steps = list(backward_steps(root, reset))
    list(forward_steps(root))
    assert state(root) == before
    finals = {step.node if step.kind == "seed" else step.input: step.after for step in steps}
    root.backward(reset)
    assert finals == {i: node.grad for i, node in enumerate(topological_order(root))}


@pytest.mark.parametrize("seed", range(10))
def test_each_chain_step_is_the_rule(seed):
    """contribution = local × upstream, added to what was there; a node's gradient is complete when it is used."""
    root = random_graph(seed)
    order = topological_order(root)
    seed_step, *chain = backward_steps(root, "all")
    complete = {len(order) - 1: seed_step.after}
    for i in range(len(chain)):
        step = chain[i]
        node = order[step.node]
        assert step.kind == "chain"
        assert step.op == node._op
        assert order[step.input] is node._prev[step.edge]
        assert step.local == node._local[step.edge]
        assert step.contribution == step.local * step.upstream
        assert step.after == step.before + step.contribution
        assert step.upstream == complete[step.node]
        assert all(later.input != step.node for later in chain[i:])
        complete[step.input] = step.after
    assert len(chain) == sum(len(node._prev) for node in order)


@pytest.mark.parametrize("op", OPS, ids=by_name)
def test_forward_steps_say_each_ops_number(op):
    root = op.function(*map(Value, op.points[0]))
    (step,) = forward_steps(root)
    assert (step.kind, step.op, step.after) == ("value", root._op, root.data)
    assert step.node == len(topological_order(root)) - 1
    assert [value for _, value in step.inputs] == list(op.points[0])


def test_a_step_is_frozen():
    step = next(backward_steps(Value(1)))
    with pytest.raises(dataclasses.FrozenInstanceError):
        step.after = 2.0


def test_a_step_is_plain_data():
    """Every field, of a step over the second edge of a + a."""
    a = Value(3, label="a")
    *_, last = backward_steps(a + a)
    assert last == Step(
        kind="chain",
        node=1,
        op="+",
        name="v1",
        inputs=(("a", 3.0), ("a", 3.0)),
        edge=1,
        input=0,
        local=1.0,
        upstream=1.0,
        contribution=1.0,
        before=1.0,
        after=2.0,
    )


def test_a_leaf_has_no_forward_step_and_one_seed():
    a = Value(3, label="a")
    assert list(forward_steps(a)) == []
    assert [step.kind for step in backward_steps(a)] == ["seed"]


def test_invalid_reset_is_refused():
    with pytest.raises(ValueError, match='reset is "intermediates", "all" or "nothing", got \'some\''):
        list(backward_steps(Value(1) * 2, "some"))


def test_steps_come_one_at_a_time():
    """They are generators: the first step of a large graph is there before the last is made."""
    root = MLP(20, [20, 1], rng=random.Random(0))([1.0] * 20)
    assert next(backward_steps(root)).kind == "seed"
    assert next(forward_steps(root)).kind == "value"


# Sentences


def test_sentences_of_x_plus_y_times_z():
    f = x_plus_y_times_z()
    assert sentences(forward_steps(f)) == [
        "q = x + y = (-2.0000) + 5.0000 = 3.0000.",
        "f = q · z = 3.0000 · (-4.0000) = -12.0000.",
    ]
    assert sentences(backward_steps(f)) == [
        "Start at the root: ∂f/∂f = 1, so f.grad = 1.0000.",
        "From f back to q: local derivative -4.0000 times upstream gradient 1.0000 contributes -4.0000, "
        "so q.grad goes from 0.0000 to -4.0000.",
        "From f back to z: local derivative 3.0000 times upstream gradient 1.0000 contributes 3.0000, "
        "so z.grad goes from 0.0000 to 3.0000.",
        "From q back to x: local derivative 1.0000 times upstream gradient -4.0000 contributes -4.0000, "
        "so x.grad goes from 0.0000 to -4.0000.",
        "From q back to y: local derivative 1.0000 times upstream gradient -4.0000 contributes -4.0000, "
        "so y.grad goes from 0.0000 to -4.0000.",
    ]


def test_sentences_of_a_plus_a():
    """The two edges are told apart, and unlabelled nodes are named by their place in the order."""
    b = Value(3, label="a")
    b = b + b
    assert sentences(forward_steps(b)) == ["v1 = a + a = 3.0000 + 3.0000 = 6.0000."]
    assert sentences(backward_steps(b)) == [
        "Start at the root: ∂v1/∂v1 = 1, so v1.grad = 1.0000.",
        "From v1 back to a (edge 1 of 2): local derivative 1.0000 times upstream gradient 1.0000 contributes 1.0000, "
        "so a.grad goes from 0.0000 to 1.0000.",
        "From v1 back to a (edge 2 of 2): local derivative 1.0000 times upstream gradient 1.0000 contributes 1.0000, "
        "so a.grad goes from 1.0000 to 2.0000.",
    ]


def test_sentence_of_a_second_pass():
    """Old leaf grads are read, not cleared; a leaf that is the root says where the rest comes from."""
    a = Value(3, label="a")
    a.grad = 2.0
    *_, last = backward_steps(a * 5)
    assert last.sentence().endswith("contributes 3.0000, so v1.grad goes from 0.0000 to 3.0000.")
    assert "so a.grad goes from 2.0000 to 7.0000." in sentences(backward_steps(a * 5))[1]
    assert sentences(backward_steps(a)) == [
        "Start at the root: ∂a/∂a = 1, so a.grad = 3.0000, on top of the 2.0000 of earlier passes."
    ]


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda x: x - 1, "y = x - v1 = (-2.0000) - 1.0000 = -3.0000."),
        (lambda x: x / 4, "y = x / v1 = (-2.0000) / 4.0000 = -0.5000."),
        (lambda x: -x, "y = -x = -(-2.0000) = 2.0000."),
        (lambda x: x**2, "y = x**2 = (-2.0000)**2 = 4.0000."),
        (lambda x: x**-1, "y = x**-1 = (-2.0000)**-1 = -0.5000."),
        (lambda x: 2**x, "y = v0 ** x = 2.0000 ** (-2.0000) = 0.2500."),
        (lambda x: x.exp(), "y = exp(x) = exp(-2.0000) = 0.1353."),
        (lambda x: x.relu(), "y = relu(x) = relu(-2.0000) = 0.0000."),
        (lambda x: x.leaky_relu(), "y = leaky_relu(x) = leaky_relu(-2.0000) = -0.0200."),
        (lambda x: x * 1e-9, "y = x · v1 = (-2.0000) · 1.000e-09 = -2.000e-09."),
    ],
)
def test_forward_sentences(function, sentence):
    y = function(Value(-2, label="x"))
    y.label = "y"
    assert sentences(forward_steps(y)) == [sentence]


def test_sentences_of_a_weighted_sum():
    w = [Value(0.5, label="w1"), Value(-0.5, label="w2")]
    z = weighted_sum(w, [Value(2, label="x1"), Value(3, label="x2")], Value(0.1, label="b"))
    z.label = "z"
    assert sentences(forward_steps(z)) == [
        "z = b + w1·x1 + w2·x2 = 0.1000 + 0.5000·2.0000 + (-0.5000)·3.0000 = -0.4000."
    ]
    assert sentences(backward_steps(z))[2] == (
        "From z back to w2: local derivative 3.0000 times upstream gradient 1.0000 contributes 3.0000, "
        "so w2.grad goes from 0.0000 to 3.0000."
    )


def test_a_long_weighted_sum_is_shortened():
    z = weighted_sum([1.0] * 6, [1, 2, 3, 4, 5, 6], Value(0.5, label="b"))
    (sentence,) = sentences(forward_steps(z))
    assert sentence == (
        "v13 = b + v0·v6 + v1·v7 + … + v5·v11 = 0.5000 + 1.0000·1.0000 + 1.0000·2.0000 + … + 1.0000·6.0000 = 21.5000."
    )


@pytest.mark.parametrize("steps", [forward_steps, backward_steps])
def test_a_tensor_gets_a_sentence(steps):
    with pytest.raises(TypeError, match=r"^Steps go from number to number, got a Tensor of shape \(2,\)\. Build"):
        list(steps(Tensor([1.0, 2.0]) * 2))
