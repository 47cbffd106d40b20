"""Lesson 11: every number in its text is what an engine gives, and the learner's Tensor is the package's."""

import re

import numpy as np
import pytest

import autograd
from autograd import Value
from autograd.tensor import Tensor
from autograd.training.tensor_nn import TensorMLP
from exercises.engine_file import check, trial
from exercises.engine_file.parts import GIVEN
from exercises.engines.wrong_tensors import AxisNotRestored, TensorEngine
from exercises.quizzes import quiz_data
from tests import notebooks

LESSON = notebooks.Lesson("11")
nodes = autograd.topological_order


@pytest.mark.long
def test_the_nodes_of_one_step_on_50_digits():
    """A node for each sign: counted on two rows and on three, since all rows add the same number of their own."""
    network, net, pixels, labels = (LESSON[name] for name in ("network", "net", "pixels", "labels"))
    loss, batch = LESSON["with_numbers"](), LESSON["with_arrays"]()
    assert [node._op for node in nodes(batch) if node._prev] == [*"@+", "relu", *"@+", batch._op]
    assert sum(not node._prev for node in nodes(batch)) == 5 and float(batch) == pytest.approx(loss.data, abs=1e-12)
    loss.backward(reset="all")
    batch.backward(reset="all")
    for one, other in zip(net.parameters(), TensorMLP.from_mlp(network).parameters()):
        assert one.grad == pytest.approx(other.grad, abs=1e-12)
    count = sum(p.data.size for p in net.parameters())
    assert count == 64 * 32 + 32 * 10 + 32 + 10

    def signs(rows):
        found = []
        for row in pixels[:rows].tolist():
            outputs = [Value(x) for x in row]
            for layer in network.layers:
                sums = [sum((w * x for w, x in zip(n.weights, outputs)), n.bias) for n in layer.neurons]
                outputs = [each.relu() for each in sums] if layer is network.layers[0] else sums
            found.append(outputs)
        return len(nodes(autograd.softmax_cross_entropy(found, labels[:rows].tolist())))

    two, three = signs(2), signs(3)
    assert len(nodes(loss)) == three + 47 * (three - two)
    LESSON.says(
        f"One step, {len(nodes(loss)):,} nodes", f"{len(nodes(batch))}. Five are leaves", f"all {count:,} gradients"
    )
    LESSON.shows(f"{len(nodes(loss))}")


@pytest.mark.long
def test_a_step_with_numbers_takes_thousands_of_times_as_long():
    seconds = LESSON["seconds"]
    arrays = min(seconds(LESSON["with_arrays"]) for _ in range(5))
    assert seconds(LESSON["with_numbers"]) > 1000 * arrays
    LESSON.says("Thousands of times as long.", "a quarter of a million objects")


def test_small_products_sums_and_a_bias_that_every_row_uses():
    LESSON["total"].backward(reset="all")
    assert float(LESSON["total"]) == 10 and LESSON["a"].grad.tolist() == LESSON["b"].data.tolist()
    LESSON.says("[[5, 0], [-1, 2]], the numbers of b")
    assert LESSON["b"].data.tolist() == [[5, 0], [-1, 2]]
    LESSON["by_row"].backward(reset="all")
    upstream = LESSON["upstream"]
    assert (
        LESSON["b1"].grad == 4 and check.predict(LESSON["by_row"], b1=4) and not check.predict(LESSON["by_row"], b1=0)
    )
    assert upstream[:, 0].tolist() == [1, 1, 2, 0]
    assert LESSON["biases"].grad.tolist() == upstream.sum(axis=0).tolist() == [4, 5, 4]
    assert LESSON["table"].grad.tolist() == [[10, 10, 10], [20, 20, 20]]
    LESSON.says("[4, 5, 4]", "2 × 4 = 8 places", "[[10, 10, 10], [20, 20, 20]]")
    shown = re.search(
        r"```python\n(.*?)\n```", "\n".join(c.source for c in notebooks.read(LESSON.path).cells), re.DOTALL
    )
    assert shown[1].strip("\n") in (GIVEN / "tensor.py").read_text(encoding="utf-8")  # the plus


def test_the_matrix_product_by_values_and_by_tensors():
    x, w = (
        [[Value(n) for n in row] for row in each] for each in ([[1, 2, 0], [0, -1, 3]], [[1, -1], [2, 0], [0.5, 1]])
    )
    y = [[row[0] * w[0][j] + row[1] * w[1][j] + row[2] * w[2][j] for j in range(2)] for row in x]
    (1 * y[0][0] + 0 * y[0][1] + 2 * y[1][0] + -1 * y[1][1]).backward()
    by_values = [[[v.grad for v in row] for row in table] for table in (x, w)]
    assert by_values == [[[1, 2, 0.5], [3, 4, 0]], [[1, 0], [0, 1], [6, -3]]]
    LESSON["Y"].backward(gradient=[[1.0, 0], [2, -1]], reset="all")
    assert [LESSON["X"].grad.tolist(), LESSON["W"].grad.tolist()] == by_values
    assert LESSON["Y"].data.tolist() == [[5, -1], [-0.5, 3]]
    LESSON.says("dW = [[1, 0], [0, 1], [6, -3]] and dX = [[1, 2, ½], [3, 4, 0]]")
    LESSON.says(f"1·1 + 0·2 = {by_values[1][0][0]:g}")


def test_the_products_that_fit_and_the_jacobian():
    fitting, arrays = LESSON["fitting"], {}
    counts = [len(fitting(*sizes)) for sizes in ((2, 3, 4), (2, 3, 3), (3, 3, 3))]
    LESSON.says("{}, {} and {}.".format(*counts), f"all {counts[2]} fit, and only one is right")
    rng = np.random.RandomState(0)
    for name in "XWG":
        arrays[name] = rng.randn(3, 3)
        arrays[f"{name}ᵀ"] = arrays[name].T
    right = np.einsum("nk,nm->km", arrays["X"], arrays["G"])
    pairs = {text: text.split(" @ ") for text in fitting(3, 3, 3)}
    found = [text for text, (a, b) in pairs.items() if np.allclose(arrays[a] @ arrays[b], right)]
    assert found == fitting(2, 3, 4) == ["Xᵀ @ G"]
    size = (50 * 32) * (64 * 32)
    LESSON.says(f"{size:,} numbers, {size * np.dtype(float).itemsize / 1e6:.0f} megabytes")
    LESSON.says(f"{50 * 64 * 32:,} multiplications", "31 of 32 are 0")
    n, k, m = 3, 4, 5  # a smaller one, written down: an output for each row, an input for each column
    x, jacobian = np.random.RandomState(0).randn(n, k), np.zeros((n * m, k * m))
    for i in range(n * m):
        w, seed = Tensor(np.zeros((k, m))), np.zeros(n * m)
        seed[i] = 1.0
        (Tensor(x) @ w).backward(gradient=seed.reshape(n, m))
        jacobian[i] = w.grad.ravel()
    upstream = np.random.RandomState(1).randn(n, m)
    assert np.count_nonzero(jacobian) * m == jacobian.size
    assert upstream.ravel() @ jacobian == pytest.approx((x.T @ upstream).ravel())


# The learner's Tensor


def squares(kind):
    """The sum of squares of the lesson's network on its digits, and its parameters, on this class of Tensors."""
    w1, b1, w2, b2 = parameters = [kind(p.data) for p in LESSON["net"].parameters()]
    errors = (kind(LESSON["pixels"]) @ w1 + b1).relu() @ w2 + b2 - np.eye(10)[LESSON["labels"]]
    return (errors * errors).sum(), parameters


def test_the_course_s_tensor_for_the_learner_equals_the_packages_on_a_step_on_digits():
    (own_loss, own), (loss, package) = steps = [squares(kind) for kind in (trial.template_engine().Tensor, Tensor)]
    for root, _ in steps:
        root.backward()
    assert float(own_loss.data) == pytest.approx(float(loss), rel=1e-12)
    for one, other in zip(own, package):
        assert one.grad.shape == other.grad.shape
        assert np.abs(one.grad - other.grad).max() <= 1e-12 * max(1.0, np.abs(other.grad).max())


def test_the_learners_tensor_learns_fifty_digits():
    named, own = LESSON["named"], trial.template_engine().Tensor
    assert [named(kind, 200) for kind in (own, Tensor)] == [50, 50]
    LESSON.says(f"gets {named(Tensor, 0)} of the 50 digits right")
    slopes = autograd.MLP(2, [16, 16, 1])
    assert len(slopes.parameters()) == 337 and len(TensorMLP.from_mlp(slopes).parameters()) == 3 + 3


def test_leaves_add_up_and_what_is_in_between_begins_anew():
    engine = trial.template_engine()
    a = engine.Tensor([[1.0, 2.0], [3.0, 4.0]])
    h = a * a
    root = h.sum()
    root.backward()
    root.backward()
    assert a.grad.tolist() == (4 * a.data).tolist() and h.grad.tolist() == [[1, 1], [1, 1]]
    with pytest.raises(ValueError, match="starts from one number, and this has shape"):
        h.backward()
    assert (np.ones(2) * a).data.tolist() == a.data.tolist() and isinstance(2 - a, engine.Tensor)


@pytest.mark.long
def test_the_batch_beside_pytorch_and_the_quiz():
    singles, batch = np.array(LESSON["singles"]), LESSON["whole_batch"]
    assert singles.shape == (50, 10) and np.abs(singles.mean(axis=0) - batch).max() < 1e-12
    assert (singles < 0).sum(axis=1).tolist() == [1] * 50 and (singles.argmin(axis=1) == LESSON["labels"]).all()
    assert np.median(singles.min(axis=1)) < -0.85
    LESSON.says(f"{singles.std() / batch.std():.1f} times as wide", "a gradient near -1")
    LESSON.shows("torch.Size([2, 3])", "tensor([ 3., -1.])", "array([ 3., -1.])")
    numbers = {q["id"]: q["number"]["answer"] for q in quiz_data.load("11")["questions"] if "number" in q}
    assert numbers["11-shared-weight"] == 2 + 3 - 4
    x = Tensor(np.zeros((4, 1)))
    x[[1, 1, 3]].backward(gradient=[[5.0], [5.0], [5.0]])
    assert x.grad.ravel().tolist() == [0, 10, 0, 5] and numbers["11-repeated-row"] == 10


# Break it


def test_the_axis_that_is_not_put_back_and_a_square_test():
    right, wrong = (LESSON["train"](kind, 10) for kind in (TensorEngine, AxisNotRestored))
    assert right == sorted(right, reverse=True) and right[-1] < 0.35
    assert wrong[1] < wrong[0] and right[1] < wrong[1] < 1 < max(wrong[2:])  # chaotic: later losses are not quoted
    message = "operands could not be broadcast together with shapes (50,) (50,10)"
    with pytest.raises(ValueError, match=re.escape(message)):
        LESSON["train"](AxisNotRestored, 50, epochs=1)
    LESSON.says(message, "It learns for two epochs")
    matrix = check.kill_matrix([(lambda x, w: (x @ w).sum(), [(3, 3), (3, 3)])], arrays=True)
    assert matrix.score == 4
    LESSON.shows("1 test: 4 of 12 wrong engines caught.")
    LESSON.says("A test with square matrices and a plain sum catches four")


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
