"""The two passes as steps: pure, equal to `backward`, and each one plain sentence."""

import dataclasses
import random

import pytest

from autograd import MLP, Step, Value, backward_steps, forward_steps, topological_order, weighted_sum
from autograd.tensor import Tensor
from tests.approve import approved
from tests.ops_table import random_program


def random_graph(seed):
    """Return a random graph, labels on its leaves, with old grads on every node."""
    rng = random.Random(seed)
    program = random_program(rng)
    root = program.run([Value(x, label=f"x{i}") for i, x in enumerate(program.leaves)], lambda op: op.function)
    for node in topological_order(root):
        node.grad = rng.choice([0.0, rng.uniform(-2, 2)])
    return root


@pytest.mark.parametrize("reset", ["intermediates", "all", "nothing"])
@pytest.mark.parametrize("seed", range(30))
def test_steps_are_pure_and_end_with_the_gradients_of_backward(seed, reset):
    """The last `after` of each node is, to the bit, the grad that `backward` leaves there."""
    root = random_graph(seed)
    before = [(node.data, node.grad, node.label) for node in topological_order(root)]
    steps = list(backward_steps(root, reset))
    list(forward_steps(root))
    assert [(node.data, node.grad, node.label) for node in topological_order(root)] == before
    finals = {step.node if step.kind == "seed" else step.input: step.after for step in steps}
    root.backward(reset)
    assert finals == {i: node.grad for i, node in enumerate(topological_order(root))}


@pytest.mark.parametrize("seed", range(10))
def test_chain_steps_apply_the_chain_rule(seed):
    """It adds contribution = local × upstream to the old grad; a node's gradient is complete when it is used."""
    root = random_graph(seed)
    order = topological_order(root)
    seed_step, *chain = backward_steps(root, "all")
    complete = {len(order) - 1: seed_step.after}
    for i in range(len(chain)):
        step = chain[i]
        node = order[step.node]
        assert (step.kind, step.op) == ("chain", node._op)
        assert order[step.input] is node._prev[step.edge]
        assert step.local == node._local[step.edge]
        assert step.contribution == step.local * step.upstream
        assert step.after == step.before + step.contribution
        assert step.upstream == complete[step.node]
        assert [later for later in chain[i:] if later.input == step.node] == []
        complete[step.input] = step.after
    assert len(chain) == sum(len(node._prev) for node in order)


def test_step_is_plain_data():
    a = Value(3, label="a")
    *_, last = backward_steps(a + a)
    expected = {"kind": "chain", "node": 1, "op": "+", "name": "v1", "inputs": (("a", 3.0), ("a", 3.0)), "edge": 1}
    expected |= {"input": 0, "local": 1.0, "upstream": 1.0, "contribution": 1.0, "before": 1.0, "after": 2.0}
    assert last == Step(**expected)
    with pytest.raises(dataclasses.FrozenInstanceError):
        last.after = 3.0


def test_steps_are_generated_lazily():
    """The first step of a large graph is there before the last is made. A leaf has only a seed."""
    root = MLP(20, [20, 1], rng=random.Random(0))([1.0] * 20)
    assert next(backward_steps(root)).kind == "seed"
    assert next(forward_steps(root)).kind == "value"
    assert list(forward_steps(Value(3))) == [] and [step.kind for step in backward_steps(Value(3))] == ["seed"]


# Sentences


def labelled(node, label):
    node.label = label
    return node


def passes(root):
    return [step.sentence() for steps in (forward_steps, backward_steps) for step in steps(root)]


def test_step_descriptions():
    x, y, z = Value(-2, label="x"), Value(5, label="y"), Value(-4, label="z")
    a, b = Value(3, label="a"), Value(0.1, label="b")
    ops = [
        *(lambda x: x - 1, lambda x: x / 4, lambda x: -x, lambda x: x**2, lambda x: x**-1, lambda x: 2**x),
        *(Value.exp, Value.leaky_relu, lambda x: x * 1e-9),
    ]
    scenes = {
        "f = (x + y) · z": passes(labelled(labelled(x + y, "q") * z, "f")),
        "a + a: the edges are told apart, and what has no label is named by its place": passes(a + a),
        "y = f(x) of each kind": [passes(labelled(f(x), "y"))[0] for f in ops],
        "weighted sums, of which a long one is shortened": [
            *passes(labelled(weighted_sum([y], [x], b), "z"))[::2],
            passes(weighted_sum([1.0] * 6, [1, 2, 3, 4, 5, 6], b))[0],
        ],
    }
    a.grad = 2.0
    scenes["a second pass, of a · 5 and of a"] = [*passes(a * 5)[1:3], *passes(a)]
    approved("steps", "\n".join(line for scene, lines in scenes.items() for line in (f"{scene}:", *lines)))


@pytest.mark.parametrize("steps", [forward_steps, backward_steps])
def test_steps_reject_tensors_and_unknown_resets(steps):
    with pytest.raises(TypeError, match=r"^Steps go from number to number, got a Tensor of shape \(2,\)\. Build"):
        list(steps(Tensor([1.0, 2.0]) * 2))
    with pytest.raises(ValueError, match='reset is "intermediates", "all" or "nothing", got \'some\''):
        list(backward_steps(Value(1) * 2, "some"))
