"""Typical use of the public names: what a type checker must accept and, line by line at the end, what it must not."""

import random

import autograd
from autograd.tensor import Tensor


def numbers() -> float:
    a = autograd.Value(2.0, label="a")
    b = (3 * a + 1) ** 2 / a.tanh()
    b.backward(reset="all")
    order: list[autograd.Value] = autograd.topological_order(b)
    sentences: list[str] = [step.sentence() for step in [*autograd.forward_steps(b), *autograd.backward_steps(b)]]
    assert autograd.check_gradients(b).passed and sentences and order
    return a.grad + float(autograd.weighted_sum([a, 1], [0.5, b], 0)) + (autograd.Dual(1.0, 1.0) * 2).derivative


def networks() -> float:
    net = autograd.MLP(2, [4, 1], "relu", init="he", rng=random.Random(0))
    outputs: list[autograd.Value] = autograd.Layer(2, 3)([1, 2])
    loss = autograd.hinge([net([0, 1]), net([1, 0])], [1, -1]) + autograd.sum_of_squares(outputs, [0, 1, 2])
    loss = loss + autograd.softmax_cross_entropy([outputs], [2]) + autograd.Neuron(2)([1.0, 2.0])
    optimizer = autograd.SGD(net.parameters(), lr=0.1, momentum=0.9)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return autograd.clip_grad_norm(net.parameters(), 1.0) + autograd.clip_grad_value(net.parameters(), 0.5)


def arrays() -> tuple[int, ...]:
    w = Tensor([[1.0], [2.0]], label="w")
    loss = ([[1.0, 2.0]] @ w - 1).relu().sum(axis=0).mean()
    loss.backward()
    autograd.Adam([w], lr=0.01).step()
    w.grad = 0.0
    step = autograd.record(lambda rows: (w[rows] * w).sum(), [0, 1], parameters=[w])
    loss_again: float = step.backward([1, 0], reset="nothing")
    report = autograd.gradcheck(lambda x: (x * x).sum(), [w])
    return w.grad.shape if report.passed and loss_again else (len(autograd.numerical_gradient(lambda x: x * x, [1.0])),)


def wrong() -> None:
    """Expect on each line the error that its comment names; a line without one is reported as well."""
    a = autograd.Value(1.0)
    autograd.Value("three")  # type: ignore[arg-type]
    a + "1"  # type: ignore[operator]
    print(a.gradient)  # type: ignore[attr-defined]
    a.backward(reset="none")  # type: ignore[arg-type]
    autograd.weighted_sum(a, a, a)  # type: ignore[arg-type]
    autograd.MLP(2, 4)  # type: ignore[arg-type]
    autograd.SGD(lr=0.1)  # type: ignore[call-arg]
    autograd.Adam(autograd.MLP(2, [1]))  # type: ignore[arg-type]
    autograd.gradcheck(1.0, [1.0])  # type: ignore[arg-type]
    autograd.backward_steps(Tensor([1.0]))  # type: ignore[arg-type]
    autograd.record(3.0, 1.0)  # type: ignore[call-overload]
    print(autograd.record(a.__mul__, 1.0).backward(reset="none"))  # type: ignore[arg-type]
    Tensor([1.0]).backward(gradient=a)  # type: ignore[arg-type]
    print(autograd.nothing)  # type: ignore[attr-defined]
