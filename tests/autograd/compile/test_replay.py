"""A recorded function gives what the engine gives, to the last bit, and notices when Python would decide otherwise."""

import math
import random
import re
import struct
from fractions import Fraction

import pytest

from autograd import (
    MLP,
    SGD,
    Value,
    binary_cross_entropy,
    hinge,
    record,
    record_graph,
    softmax_cross_entropy,
    sum_of_squares,
)
from autograd.compile.replay import MOST, Replay
from autograd.lessons.moons import make_moons
from autograd.tensor import Tensor
from autograd.training.losses import total
from tests.approve import approved
from tests.approved_calls import check_approved_calls
from tests.ops_table import OPS, random_program


def bits(loss, gradients):
    """Return numbers as bytes, so that 0.0 and -0.0 differ and nan equals nan."""
    return [struct.pack("d", x) if x == x else "nan" for x in (loss, *gradients)]


def by_engine(f, *numbers):
    leaves = [Value(x) for x in numbers]
    root = f(*leaves)
    root.backward()
    return root.data, [leaf.grad for leaf in leaves]


def outcome(run, *arguments):
    """Return the bits of a run's result, or its error message, without labels."""
    try:
        return bits(*run(*arguments))
    except (ValueError, ArithmeticError) as failure:
        return type(failure), re.sub(r"x[123] = ", "", str(failure))


def assert_alike(replay, f, points):
    """Assert that a replay gives what the engine gives for f, to the last bit, or refuses in the same words."""
    for point in points:
        assert outcome(replay, *point) == outcome(by_engine, f, *point), (replay.source, point)


def random_function(rng):
    """Return (a function of three Values with up to twelve operations, numbers where it is defined)."""
    program = random_program(rng, 3, rng.randint(1, 12))
    return (lambda *leaves: program.run(leaves, lambda op: op.function)), program.leaves


@pytest.mark.long
def test_replay_matches_engine_on_random_functions():
    rng, answers, sentences = random.Random(7), 0, 0
    for _ in range(2000):
        f, leaves = random_function(rng)
        replay = record(f, *leaves)
        for _ in range(3):
            point = [
                rng.choice((rng.uniform(-2, 2), rng.uniform(-2, 2), rng.choice((0.0, -0.0, 1.0, 800.0)))) for _ in "123"
            ]
            expected = outcome(by_engine, f, *point)
            assert outcome(replay, *point) == expected, (replay.source, point)
            answers, sentences = answers + isinstance(expected, list), sentences + isinstance(expected, tuple)
    assert answers > 3000 and sentences > 500  # so that both are tested


@pytest.mark.parametrize("op", [op for op in OPS if op.arity == 1], ids=str)
def test_replay_handles_infinities_nan_and_subnormals(op):
    def f(a):
        return op.function(a * 1.0) * a

    assert_alike(record(f, 0.5), f, [[x] for x in (math.inf, -math.inf, math.nan, 1e308, 5e-324, 0.0, -0.0)])


def test_replay_does_not_bake_in_a_branch():
    replay = record(lambda x: x * x if x.data > 0 else -x, 2.0)
    assert replay(2.0) == (4.0, [4.0])
    assert replay(-3.0) == (3.0, [-1.0])  # baked in, it were 9 and -6
    assert replay(5.0) == (25.0, [10.0]) and len(replay.programs) == 2  # both are kept
    replay = record(lambda x: x * float(x), 1.0)
    assert [replay(float(n))[0] for n in range(40)] == [n * n for n in range(40)]
    assert len(replay.programs) == MOST  # and no more


@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: x * y if x.data - y.data > 1 else x + y,
        lambda x, y: x if abs((x * y).data) < 0.5 else y,
        lambda x, y: max((x, y), key=lambda v: v.data) ** 2,
        lambda x, y: x ** int(2 + abs(y.data)),
        lambda x, y: x * round(y.data, 1),
        lambda x, y: x * float(y),
        lambda x, y: x * math.floor(y.data) + math.ceil(x.data),
        lambda x, y: x * y.data + y.data * x,  # by number alone: no gradient for y
        lambda x, y: x * Value(-2 * y.data + 1) + y,
        lambda x, y: (x * y).relu() + (x if x.data else y),
        lambda x, y: x * y if 0 < x.data < y.data else x,
        lambda x, y: total([x] * (3 if not y.data < 0 else 2)),
        lambda x, y: binary_cross_entropy([x, y], [1, 0], from_logits=True),
        lambda x, y: softmax_cross_entropy([[x, y, x * y], [y, x, 0.0]], [0, 1]),
        lambda x, y: hinge([x, y], [1, -1]),
        # A constant base with a Value as exponent is no power with a number.
        lambda x, y: Value(2.0) ** x,
        lambda x, y: (1 - x) ** Value(2.0),
        lambda x, y: (1 - x) ** 2.0,
        # Data read as text, or as a ratio.
        lambda x, y: x * float(str(y.data)[0]),
        lambda x, y: x * len(repr(y.data)),
        lambda x, y: x * float(f"{y.data:.1f}"),
        lambda x, y: x * (3.0 if y.data.is_integer() else 5.0),
        lambda x, y: x * y.data.as_integer_ratio()[1],
        lambda x, y: x * Fraction(y.data).denominator,
        lambda x, y: x * len(y.data.hex()),
    ],
    ids=range(25),
)
def test_python_decisions_on_data_are_guarded(f):
    rng = random.Random(3)
    points = [[rng.choice((rng.uniform(-3, 3), float(rng.randint(-2, 2)))) for _ in "12"] for _ in range(60)]
    assert_alike(record(f, 0.3, 0.7), f, points)


def test_generated_program_is_readable():
    x, y = Value(3.0, label="x"), Value(1.0, label="y")
    replay = record_graph(x**2 + 3 * x * y + 1, [x, y])
    net = MLP(2, [3, 2, 1])
    layers = record(lambda a, b: net([a, b]), 1.0, 2.0, parameters=net.parameters())
    approved("program", replay.source)
    assert replay(3.0, 1.0) == (19.0, [9.0, 9.0])
    comments = [line.strip() for line in layers.source.splitlines() if "#" in line]
    assert comments == ["# layer 1", "# layer 2", "# layer 3", "# backward"]


def trained(kind, make, function, data, mean):
    net = make()
    parameters, seen = net.parameters(), []

    def f(a, b, t):
        return function(net([a, b]), t)

    def loss():
        root = total([f(*map(Value, row)) for row in data])
        return root / len(data) if mean else root

    def by_backward():
        root = loss()
        root.backward()
        return root.data

    replay, whole = record(f, *data[0], parameters=parameters), record(loss, parameters=parameters)
    step = {
        "engine": by_backward,
        "whole": whole.backward,
        "rows": lambda: replay.rows(data, mean=mean),
    }[kind]
    optimizer = SGD(parameters, 0.05)
    for _ in range(100):
        optimizer.zero_grad()
        seen.append(step())
        optimizer.step()
    return seen, [p.data for p in parameters]


POINTS, LABELS = make_moons(20, noise=0.1, random_state=1)
XOR = [(0, 0, -1), (0, 1, 1), (1, 0, 1), (1, 1, -1)]
MOONS = [(*map(float, point), 2.0 * label - 1) for point, label in zip(POINTS, LABELS)]


@pytest.mark.parametrize(
    "training",
    [
        (lambda: MLP(2, [4, 1], rng=random.Random(42)), sum_of_squares, XOR, False),
        (lambda: MLP(2, [4, 1], rng=random.Random(42), every_op=True), sum_of_squares, XOR, False),
        (lambda: MLP(2, [8, 8, 1], "relu", rng=random.Random(1)), lambda y, t: (1 - t * y).relu(), MOONS, True),
    ],
    ids=["xor, neurons", "xor, every op", "moons"],
)
def test_training_steps_match_the_engine_bit_for_bit(training):
    losses, parameters = trained("engine", *training)
    assert trained("whole", *training) == trained("rows", *training) == (losses, parameters)


@pytest.mark.parametrize("column", [[1.0, -2.0, 0.0, 3.0], [-1.0, -2.0], [3.0, 2.0]])
def test_rows_may_take_different_branches(column):
    w = Value(0.5, label="w")

    def f(x):
        return w * x * x if x.data > 0 else (w * x).tanh() + w

    replay, rows = record(f, 1.0, parameters=[w]), [[x] for x in column]
    found = replay.rows(rows), w.grad
    w.grad = 0.0
    root = total([f(Value(x)) for x in column])
    root.backward()
    assert found == (root.data, w.grad)


def test_replay_backward_accumulates_and_call_leaves_grads_alone():
    a = Value(3.0, label="a")
    replay = record(lambda: a * a, parameters=[a])
    assert [replay.backward(), replay.backward(), a.grad] == [9.0, 9.0, 12.0]
    assert [replay.backward(reset="all"), a.grad] == [9.0, 6.0]
    a.data = 5.0
    assert [replay.backward(reset="all"), a.grad] == [25.0, 10.0]
    unused = Value(2.0, label="b")
    replay = record(lambda x: a * x / x, 2.0, parameters=[a, unused])  # a call changes no Value
    assert replay(4.0, 1.0, 5.0) == (4.0, [1.0, 0.0, 0.0])
    with pytest.raises(ZeroDivisionError, match="division by 0 has no value"):
        replay(4.0, 1.0, 0.0)
    assert (a.data, a.grad, unused.grad) == (5.0, 10.0, 0.0)


def test_replay_handles_labels_that_are_not_identifiers():
    labels = ["lambda", "exp", "w 1", "w-1", "", "x", "x", "d_x", "v3", "é", "GuardFailed", "rows", "7"]
    leaves = [Value(float(i), label=label) for i, label in enumerate(labels, start=1)]
    replay = record_graph(total([leaf * leaf for leaf in leaves]).exp().log(), leaves)
    numbers = [0.1 * i for i in range(len(leaves))]
    assert replay(*numbers)[0] == pytest.approx(sum(x * x for x in numbers))
    assert replay(*numbers)[1] == pytest.approx([2 * x for x in numbers])
    leaf = Value(-1.0, label="abs")  # nor does it hide what an operation calls
    assert record(leaf.sigmoid, parameters=[leaf])(-2.0) == by_engine(Value.sigmoid, -2.0)


@pytest.mark.long
def test_replay_handles_wide_sums_and_deep_chains():
    xs = [Value(float(i)) for i in range(10_000)]
    assert record_graph(total(xs) * xs[0], xs)(*(1.0 for _ in xs)) == (10_000.0, [10_001.0] + [1.0] * 9_999)
    x = deep = Value(1.0)
    for _ in range(10_000):
        deep = deep + x
    assert record_graph(deep, [x])(2.0) == (20_002.0, [10_001.0])


def test_replay_errors_have_messages_and_leave_the_engine_unchanged():
    data, made, x, w = Value.__dict__["data"], Value.__init__, Value(1.0), Tensor(1.0, label="w")
    check_approved_calls("replay_sentences", old=Value(2.0) * 3.0, x=x, w=w, made=w * 2.0)
    assert Value.__dict__["data"] is data and Value.__init__ is made and (x.data, x.grad) == (1.0, 0.0)


@pytest.mark.parametrize("read", [math.sin, hash], ids=["math.sin", "hash"])
def test_math_functions_and_hashes_are_unguarded_as_documented(read):
    """Functions of math and a hash get the number itself: what they gave stays."""
    replay = record(lambda a: a * float(read(a.data) % 7), 2.0)
    assert replay(3.0)[0] == 3.0 * float(read(2.0) % 7) != 3.0 * float(read(3.0) % 7)
    assert "math module" in Replay.__doc__ and "hashed" in Replay.__doc__
