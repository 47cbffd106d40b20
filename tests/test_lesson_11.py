"""Lesson 11: every number in its text is what an engine gives, and the learner's Tensor is the package's."""

import math
import random

import numpy as np
import pytest

import autograd
from autograd import Value
from autograd.lessons.digits import load_digits
from autograd.tensor import Tensor
from autograd.tensor_nn import TensorMLP
from exercises.engine_file import check, parts
from exercises.engine_file.parts import FRAMES
from exercises.engines.wrong_tensors import AxisNotRestored, TensorEngine
from exercises.quizzes import quiz_data
from tests import lessons

PATH = lessons.NOTEBOOKS / "11_from_scalars_to_tensors.ipynb"


@pytest.fixture(scope="module")
def names():
    """The names that the lesson's cells define, unsolved."""
    return lessons.names_of(PATH, with_solutions=False)


@pytest.fixture(scope="module")
def step():
    """A step on 50 digits as in the lesson: the network of Values, the pixels and the labels."""
    digits = load_digits()
    network = autograd.MLP(64, [32, 10], "relu", init="he", rng=random.Random(0))
    return network, digits.train[:50], digits.train_labels[:50]


def test_the_nodes_of_one_step(step, prose):
    network, pixels, labels = step
    loss = autograd.softmax_cross_entropy([network(row) for row in pixels], labels.tolist())
    assert len(autograd.topological_order(loss)) == 11_411 and "it has 11,411 nodes" in prose
    net = TensorMLP.from_mlp(network)
    batch = net(pixels).softmax_cross_entropy(labels)
    order = autograd.topological_order(batch)
    assert len(order) == 11 and [node._op for node in order if node._prev] == [*"@+", "relu", *"@+", batch._op]
    assert sum(not node._prev for node in order) == 5 and "11. Five leaves" in prose
    assert sum(p.data.size for p in net.parameters()) == 64 * 32 + 32 * 10 + 32 + 10 == 2410 and "2,410" in prose
    assert float(batch) == pytest.approx(loss.data, abs=1e-12)


def test_a_node_for_each_sign_makes_246111(step, prose):
    """Counted on one row, since all rows add the same number of nodes of their own."""
    network, pixels, labels = step

    def loss(rows):
        found = []
        for row in pixels[:rows].tolist():
            outputs = [Value(x) for x in row]
            for layer in network.layers:
                sums = [sum((w * x for w, x in zip(n.weights, outputs)), n.bias) for n in layer.neurons]
                outputs = [each.relu() for each in sums] if layer is network.layers[0] else sums
            found.append(outputs)
        return len(autograd.topological_order(autograd.softmax_cross_entropy(found, labels[:rows].tolist())))

    two, three = loss(2), loss(3)
    assert three + 47 * (three - two) == 246_111 and "246,111" in prose


def test_a_product_number_by_number(names, prose):
    names["total"].backward(reset="all")
    assert float(names["total"]) == 10 and names["a"].grad.tolist() == [[5, 0], [-1, 2]] == names["b"].data.tolist()
    assert "[[5, 0], [-1, 2]], the numbers of b" in prose


def test_the_plus_that_is_shown_is_the_engines():
    markdown = "\n".join(cell.source for cell in lessons.cells(lessons.read(PATH), "markdown"))
    shown = markdown.split("```python\n")[1].split("```")[0].strip("\n")
    assert shown in (FRAMES / "tensor.py").read_text(encoding="utf-8")


def test_a_bias_that_every_row_uses(names, prose):
    names["by_row"].backward(reset="all")
    assert names["b1"].grad == 4 and check.predict(names["by_row"], b1=4) and not check.predict(names["by_row"], b1=0)
    assert names["upstream"][:, 0].tolist() == [1, 1, 2, 0]
    assert names["biases"].grad.tolist() == names["upstream"].sum(axis=0).tolist() == [4, 5, 4] and "[4, 5, 4]" in prose
    assert np.broadcast_shapes((3, 1), (2, 3, 4)) == (2, 3, 4) and "2 × 4 = 8 copies" in prose


X, W, G = [[1.0, 2, 0], [0, -1, 3]], [[1.0, -1], [2, 0], [0.5, 1]], [[1.0, 0], [2, -1]]


def test_the_matrix_product_by_values_and_by_tensors(names, prose):
    x, w = ([[Value(number) for number in row] for row in table] for table in (X, W))
    y = [[row[0] * w[0][j] + row[1] * w[1][j] + row[2] * w[2][j] for j in range(2)] for row in x]
    (1 * y[0][0] + 0 * y[0][1] + 2 * y[1][0] + -1 * y[1][1]).backward()
    by_values = [[[v.grad for v in row] for row in table] for table in (x, w)]
    assert by_values == [[[1, 2, 0.5], [3, 4, 0]], [[1, 0], [0, 1], [6, -3]]]
    names["Y"].backward(gradient=G, reset="all")
    assert [names["X"].grad.tolist(), names["W"].grad.tolist()] == by_values
    assert names["Y"].data.tolist() == [[5, -1], [-0.5, 3]]
    assert "dW = [[1, 0], [0, 1], [6, -3]] and dX = [[1, 2, ½], [3, 4, 0]]" in prose
    assert by_values[1][0][0] == 1 * 1 + 0 * 2 and "1·1 + 0·2 = 1" in prose
    assert by_values[1][1][0] == 2 * 1 + (-1) * 2 and "2·1 + (-1)·2 = 0" in prose


def test_the_products_that_fit(names, prose):
    counts = [len(names["fitting"](*sizes)) for sizes in ((2, 3, 4), (2, 3, 3), (3, 3, 3))]
    assert counts == [1, 8, 36] and "1, 8 and 36." in prose and "35 wrong products" in prose
    assert names["fitting"](2, 3, 4) == ["Xᵀ @ G"]
    rng = np.random.RandomState(0)
    arrays = dict(zip("XWG", (rng.randn(3, 3) for _ in range(3))))
    arrays |= {f"{name}ᵀ": array.T for name, array in arrays.items()}
    products = {text: arrays[text.split(" @ ")[0]] @ arrays[text.split(" @ ")[1]] for text in names["fitting"](3, 3, 3)}
    right = np.einsum("nk,nm->km", arrays["X"], arrays["G"])
    assert [text for text, product in products.items() if np.allclose(product, right)] == ["Xᵀ @ G"]


def test_the_jacobian(names, prose):
    assert (50 * 32) * (64 * 32) == 3_276_800 == names["outputs"] * names["inputs"]
    assert 3_276_800 * np.dtype(float).itemsize / 1e6 == 26.2144 and "3,276,800 numbers, 26 megabytes" in prose
    assert 50 * 64 * 32 == 102_400 and "102,400 multiplications" in prose
    n, k, m = 3, 4, 5  # a smaller one, written down: an output for each row, an input for each column
    x, jacobian = np.random.RandomState(0).randn(n, k), np.zeros((n * m, k * m))
    for i in range(n * m):
        w, seed = Tensor(np.zeros((k, m))), np.zeros(n * m)
        seed[i] = 1.0
        (Tensor(x) @ w).backward(gradient=seed.reshape(n, m))
        jacobian[i] = w.grad.ravel()
    assert np.count_nonzero(jacobian) * m == jacobian.size and "31 of 32 of these numbers are 0" in prose
    upstream = np.random.RandomState(1).randn(n, m)
    assert upstream.ravel() @ jacobian == pytest.approx((x.T @ upstream).ravel())


def test_a_sum_repeats(names, prose):
    assert names["table"].grad.tolist() == [[10, 10, 10], [20, 20, 20]] and "[[10, 10, 10], [20, 20, 20]]" in prose


# The learner's Tensor


def test_the_course_s_tensor_for_the_learner_equals_the_packages_on_a_step_on_digits(names):
    own_loss, own = names["squares_on"](parts.course_engine().Tensor)
    loss, package = names["squares_on"](Tensor)
    own_loss.backward()
    loss.backward()
    assert float(own_loss.data) == pytest.approx(float(loss), rel=1e-12)
    for one, other in zip(own, package):
        assert one.grad.shape == other.grad.shape
        assert np.abs(one.grad - other.grad).max() <= 1e-12 * max(1.0, np.abs(other.grad).max())


def test_it_trains_zeroed_by_lesson_07s_zero_grad():
    engine = parts.course_engine()
    rng = np.random.RandomState(0)
    x, w, b = rng.randn(20, 3), engine.Tensor(np.zeros((3, 2))), engine.Tensor(np.zeros(2))
    targets = x @ [[1.0, -1.0], [0.5, 2.0], [0.0, 1.0]] + [0.3, -0.2]
    for _ in range(300):
        engine.zero_grad([w, b])
        errors = engine.Tensor(x) @ w + b - targets
        (errors * errors).sum().backward()
        for p in (w, b):
            p.data -= 0.01 * p.grad
    assert np.abs(w.data - [[1.0, -1.0], [0.5, 2.0], [0.0, 1.0]]).max() < 1e-3
    assert w.grad.shape == (3, 2) and b.grad.shape == (2,)


def test_leaves_add_up_and_what_is_in_between_begins_anew():
    engine = parts.course_engine()
    a = engine.Tensor([[1.0, 2.0], [3.0, 4.0]])
    h = a * a
    root = h.sum()
    root.backward()
    root.backward()
    assert a.grad.tolist() == (4 * a.data).tolist() and h.grad.tolist() == [[1, 1], [1, 1]]
    with pytest.raises(ValueError, match="starts from one number, and this has shape"):
        h.backward()
    assert (np.ones(2) * a).data.tolist() == a.data.tolist() and isinstance(2 - a, engine.Tensor)


def test_the_batch_is_the_mean_of_its_rows(names, prose):
    singles, batch = np.array(names["singles"]), names["whole_batch"]
    assert singles.shape == (50, 10) and np.abs(singles.mean(axis=0) - batch).max() < 1e-12
    assert f"{singles.std() / batch.std():.1f}" == "6.4" and "6.4 times as wide" in prose
    assert (singles < 0).sum(axis=1).tolist() == [1] * 50 and (singles.argmin(axis=1) == names["labels"]).all()
    assert np.median(singles.min(axis=1)) < -0.85 and "by a gradient near -1" in prose
    assert f"{math.sqrt(50):.1f}" == "7.1" and "√50 = 7.1" in prose


# Break it


def test_the_axis_that_is_not_put_back(names, prose):
    right, wrong = names["train"](TensorEngine, 10), names["train"](AxisNotRestored, 10)
    assert right == sorted(right, reverse=True) and right[-1] < 0.35
    assert wrong[1] < wrong[0] and right[1] < wrong[1] < 1 < max(wrong[2:])  # chaotic: later losses are not quoted
    assert "It learns in the first two epochs" in prose
    message = "operands could not be broadcast together with shapes (50,) (50,10)"
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace(")", r"\)")):
        names["train"](AxisNotRestored, 50, epochs=1)
    assert message in prose


def test_a_square_test_catches_four(prose):
    matrix = check.kill_matrix([(lambda x, w: (x @ w).sum(), [(3, 3), (3, 3)])], arrays=True)
    assert matrix.score == 4 and "1 test: 4 of 12 wrong engines caught." in prose and "It catches four." in prose


def test_a_gradient_check_does_not_see_a_softmax_of_columns():
    """The common mistake: the gradient is right, of another function."""
    engine = next(each.engine for each in check.kill_matrix([], arrays=True).wrong if each.id == "TM11")
    x, weights = np.random.RandomState(0).randn(2, 3), np.arange(6.0).reshape(2, 3)
    leaf = engine(x)
    (leaf.softmax() * weights).sum().backward()
    for place in np.ndindex(x.shape):
        nudge = np.zeros(x.shape)
        nudge[place] = 1e-5
        up, down = (float((engine(x + s * nudge).softmax() * weights).sum().data) for s in (1, -1))
        assert leaf.grad[place] == pytest.approx((up - down) / 2e-5, abs=1e-8)
    assert np.abs(engine(x).softmax().data.sum(axis=1) - 1).max() > 0.1


# Beside PyTorch, exercises, quiz


def test_beside_pytorch(prose):
    assert "torch.Size([2, 3])" in prose and "tensor([ 3., -1.])" in prose and "array([ 3., -1.])" in prose


def test_what_the_note_for_teachers_expects_is_called_by_its_name():
    for name, answer, called in [
        ("unbroadcast", lambda g, s: g.sum(axis=tuple(range(g.ndim - len(s)))), "only the new axes are summed"),
        ("sum_vjp", lambda x, g, axis=None, keepdims=False: g * np.ones(x.shape), "the axis of a sum is not put back"),
        ("rows_vjp", plus_equals, "a row taken twice counts once"),
    ]:
        assert called in getattr(check, name)(answer).text()


def plus_equals(x, rows, upstream):
    gradient = np.zeros(x.shape)
    gradient[rows] += upstream
    return gradient


def test_the_quiz_is_well_made():
    data = quiz_data.load("11")
    assert quiz_data.faults(data) == []
    numbers = {each["id"]: each["number"]["answer"] for each in data["questions"] if "number" in each}
    assert numbers["11-shared-weight"] == 2 + 3 - 4
    x = Tensor(np.zeros((4, 1)))
    x[[1, 1, 3]].backward(gradient=[[5.0], [5.0], [5.0]])
    assert x.grad.ravel().tolist() == [0, 10, 0, 5] and numbers["11-repeated-row"] == 10
