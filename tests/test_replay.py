"""A recorded function gives what the engine gives, to the last bit, and notices where Python would decide otherwise."""

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
    mean_squares,
    record,
    record_graph,
    softmax_cross_entropy,
    sum_of_squares,
    weighted_sum,
)
from autograd.array_replay import replay_columns
from autograd.lessons.moons import make_moons
from autograd.losses import total
from autograd.replay import MOST, Replay

ONE = ("exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu", "leaky_relu", "__neg__")
TWO = ("__add__", "__sub__", "__mul__", "__truediv__", "__pow__")


def bits(loss, gradients):
    """Numbers as bytes, so that 0.0 and -0.0 differ and nan equals nan."""
    return [struct.pack("d", x) if x == x else "nan" for x in (loss, *gradients)]


def by_engine(f, *numbers):
    """What the engine gives: the bits of value and gradients, or its sentence."""
    leaves = [Value(x) for x in numbers]
    try:
        root = f(*leaves)
    except (ValueError, ArithmeticError) as failure:
        return type(failure), str(failure).replace("x1 = ", "").replace("x2 = ", "").replace("x3 = ", "")
    root.backward()
    return bits(root.data, [leaf.grad for leaf in leaves])


def by_replay(replay, *numbers):
    """What a replay gives, in the same form."""
    try:
        return bits(*replay(*numbers))
    except (ValueError, ArithmeticError) as failure:
        return type(failure), str(failure).replace("x1 = ", "").replace("x2 = ", "").replace("x3 = ", "")


STEPS = {
    "one": lambda step, a, *rest: getattr(a, step["one"])(),
    "two": lambda step, a, b, *rest: getattr(a, step["two"])(b),
    "constant": lambda step, a, b, *rest: step["number"] * a + b,
    "power": lambda step, a, *rest: a ** step["number"],
    "slope": lambda step, a, *rest: a.leaky_relu(step["number"]),
    "sum": lambda step, a, b, c, d, e: weighted_sum([a, b], [c, d], e),
}


def random_function(rng):
    """A function of three Values with up to twelve operations, fan-out, and constants."""
    plan = [
        {
            "kind": rng.choice((*STEPS, "two", "two")),
            "one": rng.choice(ONE),
            "two": rng.choice(TWO),
            "at": [rng.randrange(made) for _ in range(5)],
            "number": rng.choice((-2, -1, 0, 0.5, 1, 2, 3, 1.5)),
        }
        for made in range(3, 3 + rng.randint(1, 12))
    ]

    def f(*leaves):
        nodes = list(leaves)
        for step in plan:
            nodes.append(STEPS[step["kind"]](step, *(nodes[i] for i in step["at"])))
        return nodes[-1]

    return f


def test_two_thousand_random_functions_at_other_points_to_the_last_bit():
    rng, recorded, answers, sentences = random.Random(7), 0, 0, 0
    while recorded < 2000:
        f = random_function(rng)
        try:
            replay = record(f, *(rng.uniform(-2, 2) for _ in range(3)))
        except (ValueError, ArithmeticError):
            continue  # not in the domain there
        recorded += 1
        for _ in range(3):
            point = [
                rng.choice((rng.uniform(-2, 2), rng.uniform(-2, 2), rng.choice((0.0, -0.0, 1.0, 800.0)))) for _ in "123"
            ]
            expected = by_engine(f, *point)
            assert by_replay(replay, *point) == expected, (replay.source, point)
            answers, sentences = answers + isinstance(expected, list), sentences + isinstance(expected, tuple)
    assert answers > 3000 and sentences > 500  # so that both are tested


@pytest.mark.parametrize("x", [math.inf, -math.inf, math.nan, 1e308, 5e-324, 0.0, -0.0])
@pytest.mark.parametrize("name", ONE)
def test_numbers_at_the_border(name, x):
    def f(a):
        return getattr(a * 1.0, name)() * a

    assert by_replay(record(f, 0.5), x) == by_engine(f, x)


def test_a_constant_base_with_a_value_as_exponent_is_no_power_with_a_number():
    for f in (lambda a: Value(2.0) ** a, lambda a: a ** Value(2.0), lambda a: a**2.0, lambda a: (-a) ** Value(2.0)):
        try:
            replay = record(f, 1.5)
        except ValueError:
            replay = record(f, -1.5)
        for x in (3.0, -3.0, 0.0):
            assert by_replay(replay, x) == by_engine(f, x)


def test_a_branch_is_not_baked_in():
    replay = record(lambda x: x * x if x.data > 0 else -x, 2.0)
    assert replay(2.0) == (4.0, [4.0])
    assert replay(-3.0) == (3.0, [-1.0])  # baked in, it were 9 and -6
    assert replay(5.0) == (25.0, [10.0]) and len(replay.programs) == 2  # both are kept


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
        lambda x, y: x * y.data,  # by number alone: no gradient for y
        lambda x, y: x * Value(-2 * y.data + 1) + y,
        lambda x, y: (x * y).relu() + (x if x.data else y),
        lambda x, y: x * y if 0 < x.data < y.data else x,
        lambda x, y: total([x] * (3 if not y.data < 0 else 2)),
        lambda x, y: binary_cross_entropy([x, y], [1, 0], from_logits=True),
        lambda x, y: softmax_cross_entropy([[x, y, x * y], [y, x, 0.0]], [0, 1]),
        lambda x, y: hinge([x, y], [1, -1]),
    ],
    ids=range(15),
)
def test_what_python_decides_by_a_number_is_guarded(f):
    rng, replay = random.Random(3), record(f, 0.3, 0.7)
    for _ in range(60):
        point = [rng.choice((rng.uniform(-3, 3), float(rng.randint(-2, 2)))) for _ in "12"]
        assert by_replay(replay, *point) == by_engine(f, *point), (replay.source, point)


def test_numbers_that_are_guarded_one_by_one_fill_no_memory():
    replay = record(lambda x: x * float(x), 1.0)
    assert [replay(float(n))[0] for n in range(40)] == [n * n for n in range(40)]
    assert len(replay.programs) == MOST


def test_the_program_can_be_read():
    x, y = Value(3.0, label="x"), Value(1.0, label="y")
    replay = record_graph(x**2 + 3 * x * y + 1, [x, y])
    assert replay.source == (
        "def program(x, y):\n"
        "    v2 = pow(x, 2.0)\n"
        "    v3 = 3.0 * x\n"
        "    v4 = v3 * y\n"
        "    v5 = v2 + v4\n"
        "    v6 = v5 + 1.0\n"
        "    # backward\n"
        "    d_v6 = 1.0\n"
        "    d_v5 = d_v6\n"
        "    d_v4 = d_v5\n"
        "    d_y = v3 * d_v4\n"
        "    d_v3 = y * d_v4\n"
        "    d_v2 = d_v5\n"
        "    d_x = 3.0 * d_v3 + (2.0 * x) * d_v2\n"
        "    return v6, [d_x + 0.0, d_y + 0.0]\n"
    )
    assert replay(3.0, 1.0) == (19.0, [9.0, 9.0])


def test_a_comment_begins_each_layer():
    net = MLP(2, [3, 2, 1], rng=random.Random(1))
    lines = record(lambda a, b: net([a, b]), 1.0, 2.0, parameters=net.parameters()).source.splitlines()
    comments = [line.strip() for line in lines if "#" in line]
    assert comments == ["# layer 1", "# layer 2", "# layer 3", "# backward"]


def losses(net, step, loss, steps=100):
    """The losses of a training by gradient descent, and the parameters at its end."""
    optimizer, seen = SGD(net.parameters(), 0.05), []
    for _ in range(steps):
        optimizer.zero_grad()
        seen.append(step())
        optimizer.step()
    return seen, [p.data for p in net.parameters()]


def by_backward(loss):
    """A step of the engine."""

    def step():
        root = loss()
        root.backward()
        return root.data

    return step


@pytest.mark.parametrize("every_op", [False, True], ids=["neurons", "every op"])
def test_a_hundred_steps_of_xor_are_the_engines(every_op):
    rows, targets = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]

    def training(kind):
        net = MLP(2, [4, 1], rng=random.Random(42), every_op=every_op)

        def loss():
            return sum_of_squares([net(row) for row in rows], targets)

        one = record(lambda a, b, t: sum_of_squares(net([a, b]), t), 0.0, 1.0, 1.0, parameters=net.parameters())
        data = [(*row, t) for row, t in zip(rows, targets)]
        whole = record(loss, parameters=net.parameters())
        step = {"engine": by_backward(loss), "whole": whole.backward, "rows": lambda: one.rows(data)}[kind]
        return losses(net, step, loss)

    assert training("whole") == training("engine")
    assert training("rows") == training("engine")


def test_a_hundred_steps_of_moons_by_rows_are_the_engines():
    points, labels = make_moons(20, noise=0.1, random_state=1)
    data = [(*map(float, point), 2.0 * label - 1) for point, label in zip(points, labels)]

    def training(recorded):
        net = MLP(2, [8, 8, 1], activation="relu", rng=random.Random(1))

        def one(a, b, t):
            return (1 - t * net([a, b])).relu()

        def loss():
            return total([one(*map(Value, row)) for row in data]) / len(data)

        if not recorded:
            return losses(net, by_backward(loss), loss)
        replay = record(one, *data[0], parameters=net.parameters())
        return losses(net, lambda: replay.rows(data, mean=True), loss)

    assert training(recorded=True) == training(recorded=False)


def test_rows_of_both_branches():
    w = Value(0.5, label="w")

    def f(x):
        return w * x * x if x.data > 0 else (w * x).tanh() + w

    data = [[1.0], [-2.0], [0.0], [3.0]]
    replay = record(f, 1.0, parameters=[w])
    loss = replay.rows(data)
    found, w.grad = w.grad, 0.0
    root = total([f(Value(x)) for [x] in data])
    root.backward()
    assert (loss, found) == (root.data, w.grad)


def test_grads_add_up_as_backward_says():
    a = Value(3.0, label="a")
    replay = record(lambda: a * a, parameters=[a])
    assert [replay.backward(), replay.backward(), a.grad] == [9.0, 9.0, 12.0]
    assert [replay.backward(reset="all"), a.grad] == [9.0, 6.0]
    with pytest.raises(ValueError, match="no node keeps a grad"):
        replay.backward(reset="nothing")
    a.data = 5.0
    assert [replay.backward(reset="all"), a.grad] == [25.0, 10.0]


def test_calling_a_replay_changes_no_value():
    a = Value(3.0, label="a")
    a.grad = 7.0
    replay = record(lambda x: a * x / x, 2.0, parameters=[a])
    assert replay(4.0, 5.0) == (4.0, [1.0, 0.0])
    with pytest.raises(ZeroDivisionError, match="division by 0 has no value"):
        replay(4.0, 0.0)
    assert (a.data, a.grad) == (3.0, 7.0)


def test_a_parameter_that_the_function_does_not_use_has_gradient_0():
    a, b = Value(3.0, label="a"), Value(2.0, label="b")
    assert record(lambda: a * a, parameters=[a, b])(3.0, 2.0) == (9.0, [6.0, 0.0])


def test_labels_that_are_no_names():
    labels = ["lambda", "exp", "w 1", "w-1", "", "x", "x", "d_x", "v3", "é", "Otherwise", "rows", "7"]
    leaves = [Value(float(i), label=label) for i, label in enumerate(labels, start=1)]
    replay = record_graph(total([leaf * leaf for leaf in leaves]).exp().log(), leaves)
    numbers = [0.1 * i for i in range(len(leaves))]
    assert replay(*numbers)[0] == pytest.approx(sum(x * x for x in numbers))
    assert replay(*numbers)[1] == pytest.approx([2 * x for x in numbers])


def test_a_sum_of_ten_thousand_and_a_chain_of_ten_thousand():
    xs = [Value(float(i)) for i in range(10_000)]
    assert record_graph(total(xs) * xs[0], xs)(*(1.0 for _ in xs)) == (10_000.0, [10_001.0] + [1.0] * 9_999)
    x = deep = Value(1.0)
    for _ in range(10_000):
        deep = deep + x
    assert record_graph(deep, [x])(2.0) == (20_002.0, [10_001.0])


def test_wrong_use_gets_a_sentence_and_leaves_the_engine_as_it_was():
    data, made = Value.__dict__["data"], Value.__init__
    old = Value(2.0) * 3.0
    x = Value(1.0)
    for what, kind, says in [
        (lambda: record(3.0), TypeError, "record takes a function of Values, got a float"),
        (lambda: record(lambda x: x, "a"), TypeError, "an input needs a real number"),
        (lambda: record(lambda x: None, 1.0), TypeError, "the root of a graph is a Value"),
        (lambda: record(lambda x: x * old, 1.0), ValueError, "before it was called"),
        (lambda: record_graph(x * x, [x * x]), ValueError, "parameters and inputs are leaves"),
        (lambda: record_graph(x * x, [x])(1.0, 2.0), ValueError, "This replay takes 1 numbers, got 2"),
        (lambda: record_graph(x * x, [x])(True), TypeError, "a replay needs a real number"),
        (lambda: record(lambda x: setattr(x, "data", 2.0), 1.0), RuntimeError, "writes the data of a Value"),
        (lambda: record(lambda x: record(lambda y: y, 1.0), 1.0), RuntimeError, "cannot record another"),
        (lambda: record(lambda x: x / 0, 1.0), ZeroDivisionError, "division by 0"),
        (lambda: record(lambda x: x, 1.0).rows([]), ValueError, "at least one list of inputs"),
    ]:
        with pytest.raises(kind, match=says):
            what()
        assert Value.__dict__["data"] is data and Value.__init__ is made


def test_mean_squares_of_rows_with_the_mean():
    w = Value(2.0, label="w")
    replay = record(lambda x, t: mean_squares(w * x, t), 1.0, 1.0, parameters=[w])
    assert replay.rows([[1, 1], [2, 2], [3, 1]], mean=True) == pytest.approx((1 + 4 + 25) / 3)
    assert w.grad == pytest.approx((2 + 8 + 30) / 3)


def test_columns_are_rows_but_for_rounding(monkeypatch):
    rng, compared, one_by_one, refused = random.Random(3), 0, [], 0
    rows = Replay.rows
    while compared < 300:
        f, w = random_function(rng), Value(rng.uniform(-2, 2), label="w")
        data = [[rng.uniform(-2, 2), rng.uniform(-2, 2)] for _ in range(8)]
        try:
            replay = record(lambda x, y, f=f, w=w: f(w, x, y) + w * w, *data[0], parameters=[w])
        except (ValueError, ArithmeticError):
            continue  # not in the domain there
        try:
            expected = rows(replay, data, reset="all"), w.grad
        except (ValueError, ArithmeticError) as failure:
            refused += 1
            with pytest.raises(type(failure), match=re.escape(str(failure))):
                replay_columns(replay, *zip(*data))
            continue
        with monkeypatch.context() as patch:
            patch.setattr(Replay, "rows", lambda *given, **named: one_by_one.append(1) or rows(*given, **named))
            found = replay_columns(replay, *zip(*data), reset="all"), w.grad
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True), replay.source
        compared += 1
    assert len(one_by_one) < 20 and refused > 50  # most run at once, and what has no value is refused in words


def test_columns_train_a_network_as_rows_do():
    points, labels = make_moons(40, noise=0.1, random_state=1)
    targets = 2.0 * labels - 1
    nets = [MLP(2, [8, 1], activation="relu", rng=random.Random(1)) for _ in "12"]
    replays = [
        record(lambda a, b, t, net=net: (1 - t * net([a, b])).relu(), 1.0, 1.0, 1.0, parameters=net.parameters())
        for net in nets
    ]
    for _ in range(50):
        for net in nets:
            SGD(net.parameters(), lr=0.1).zero_grad()
        by_rows = replays[0].rows([(*map(float, point), t) for point, t in zip(points, targets)], mean=True)
        by_columns = replay_columns(replays[1], *points.T, targets, mean=True)
        assert by_columns == pytest.approx(by_rows, rel=1e-9)
        for net in nets:
            SGD(net.parameters(), lr=0.1).step()
    assert by_rows < 0.5


def test_columns_whose_rows_decide_differently_run_one_by_one():
    w = Value(0.5, label="w")
    replay = record(lambda x: w * x * x if x.data > 0 else (w * x).tanh() + w, 1.0, parameters=[w])
    for column in ([1.0, -2.0, 0.0, 3.0], [-1.0, -2.0], [3.0, 2.0]):
        found = replay_columns(replay, column, reset="all"), w.grad
        assert found == pytest.approx((replay.rows([[x] for x in column], reset="all"), w.grad))
    logarithm = record(lambda x: w * x.log(), 1.0, parameters=[w])
    with pytest.raises(ValueError, match="log"):
        replay_columns(logarithm, [1.0, 0.0])


@pytest.mark.parametrize("columns", [(), ([1.0], [2.0, 3.0]), ([], []), ([[1.0]], [[1.0]]), (1.0, 2.0), ([1.0],)])
def test_columns_of_wrong_shapes(columns):
    w = Value(0.5, label="w")
    with pytest.raises(ValueError, match="takes 2 columns, all of one shape"):
        replay_columns(record(lambda x, y: w * x * y, 1.0, 1.0, parameters=[w]), *columns)
    assert w.grad == 0


READS = {  # what makes a number of text, or of a ratio, that Python reads from data
    "str": lambda a: float(str(a.data)[0]),
    "repr": lambda a: len(repr(a.data)),
    "format": lambda a: float(f"{a.data:.1f}"),
    "is_integer": lambda a: 3.0 if a.data.is_integer() else 5.0,
    "as_integer_ratio": lambda a: a.data.as_integer_ratio()[1],
    "Fraction": lambda a: Fraction(a.data).denominator,
    "hex": lambda a: len(a.data.hex()),
}


@pytest.mark.parametrize("name", READS)
def test_what_is_read_as_text_or_as_a_ratio_is_not_baked_in(name):
    def f(a):
        return a * READS[name](a)

    replay = record(f, 2.0)
    for x in (2.0, 3.75, 7.125, -0.3, 2.0, 40.0):
        assert by_replay(replay, x) == by_engine(f, x), x


@pytest.mark.parametrize("read", [math.sin, hash], ids=["math.sin", "hash"])
def test_what_is_not_seen_is_what_the_docstring_says(read):
    """math's functions and a hash get the number itself: what they gave stays."""
    replay = record(lambda a: a * float(read(a.data) % 7), 2.0)
    assert replay(3.0)[0] == 3.0 * float(read(2.0) % 7) != 3.0 * float(read(3.0) % 7)
    assert "math module" in Replay.__doc__ and "hashed" in Replay.__doc__
