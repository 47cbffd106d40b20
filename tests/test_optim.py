"""Optimizers, against PyTorch's over several steps, and clipping, by hand."""

import math
from functools import partial

import numpy as np
import pytest

from autograd import SGD, Adam, Value, clip_grad_norm, clip_grad_value
from autograd.tensor import Tensor
from tests.ops_table import nan, same
from tests.said import said_by

START = [1.5, -0.7, 0.02]


def loss_of(a, b, c):
    """A loss with a gradient that changes from step to step, on Values or tensors."""
    return (a * b + c) ** 2 + (b - a).tanh() * c + a**4


def with_grads(*grads):
    parameters = [Value(1.0) for _ in grads]
    for parameter, grad in zip(parameters, grads):
        parameter.grad = grad
    return parameters


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (SGD, {"lr": 0.05}),
        (SGD, {"lr": 0.02, "momentum": 0.9}),
        (Adam, {"lr": 0.1}),
        (Adam, {"lr": 0.01, "betas": (0.5, 0.9), "eps": 1e-3}),
        (Adam, {}),
    ],
)
def test_thirty_steps_equal_pytorchs(make, options, torch):
    parameters = [Value(x) for x in START]
    tensors = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in START]
    optimizer, other = make(parameters, **options), getattr(torch.optim, make.__name__)(tensors, **options)
    for _ in range(30):
        optimizer.zero_grad()
        other.zero_grad()
        loss_of(*parameters).backward()
        loss_of(*tensors).backward()
        optimizer.step()
        other.step()
        for parameter, tensor in zip(parameters, tensors, strict=True):
            assert same(parameter.data, tensor.item(), rel=1e-10)


def test_momentum_by_hand():
    """velocity = .5 · velocity + grad: 4, then 6, then 7."""
    (p,) = with_grads(4.0)
    optimizer = SGD([p], lr=1.0, momentum=0.5)
    path = []
    for _ in range(3):
        optimizer.step()
        path.append(p.data)
    assert path == [-3.0, -9.0, -16.0]


@pytest.mark.parametrize("grad", [1e-6, 3.0, -1e8, 1e100, 1e200])
def test_adams_first_step_is_lr_whatever_the_size_of_the_gradient(grad):
    """Where its square is inf, as in IEEE and in PyTorch, no step is made, and no OverflowError ends the training."""
    (p,) = with_grads(grad)
    Adam([p], lr=0.125).step()
    assert p.data == (1.0 if grad == 1e200 else pytest.approx(1 - math.copysign(0.125, grad), rel=1e-2))


@pytest.mark.parametrize("make", [SGD, Adam])
def test_zero_grad_and_step_touch_only_what_they_name(make):
    a, b = with_grads(2.0, 3.0)
    optimizer = make(iter([a]), lr=0.1)
    optimizer.step()
    assert a.data != 1.0
    assert (a.grad, b.data, b.grad) == (2.0, 1.0, 3.0)
    optimizer.zero_grad()
    assert (a.grad, b.grad) == (0.0, 3.0)


def test_sentences():
    said_by("optim_sentences")


# Clipping


@pytest.mark.parametrize(
    ("clip", "bound", "grads", "found", "after"),
    [
        (clip_grad_norm, 1.0, [3.0, -4.0], 5.0, [0.6, -0.8]),
        (clip_grad_norm, 5.0, [3.0, -4.0], 5.0, [3.0, -4.0]),
        (clip_grad_norm, 1.0, [3e200, -4e200], 5e200, [0.6, -0.8]),
        (clip_grad_norm, 3.5, [1.0, -4.0, 8.0, 0.0], 9.0, [3.5 / 9, -14 / 9, 28 / 9, 0.0]),
        (clip_grad_value, 1.0, [0.5, -3.0, 1.0, math.inf], 2, [0.5, -1.0, 1.0, 1.0]),
    ],
)
def test_clipping_by_hand(clip, bound, grads, found, after):
    """The norm before, or how many were changed; squares that overflow; small gradients stay."""
    parameters = with_grads(*grads)
    assert clip(iter(parameters), bound) == pytest.approx(found, rel=1e-15)
    assert [p.grad for p in parameters] == pytest.approx(after, rel=1e-15)


GRADS = [0.3, -2.0, 0.0, 1e-9, 5.0, -0.25, 4.0]


@np.errstate(all="ignore")
@pytest.mark.parametrize("grads", [GRADS, [*GRADS, math.inf, -math.inf, nan]], ids=len)
@pytest.mark.parametrize(
    "run",
    [
        lambda parameters: [SGD(parameters, 0.02, 0.9).step] * 5,
        lambda parameters: [SGD(parameters, 0.05).step] * 5,
        lambda parameters: [Adam(parameters, 0.02, (0.5, 0.99)).step] * 5,
        *(lambda parameters, bound=bound: [partial(clip_grad_norm, parameters, bound)] for bound in (0.1, 1.0, 100.0)),
        *(lambda parameters, bound=bound: [partial(clip_grad_value, parameters, bound)] for bound in (0.1, 1.0, 100.0)),
    ],
)
def test_each_number_of_a_tensor_is_treated_as_a_value_is(run, grads):
    """To the last bit. All Tensors together have one norm."""
    values, start = with_grads(*grads), np.ones(len(grads))
    tensors = [Tensor(start[:6].reshape(2, 3)), Tensor(start[6:])]
    tensors[0].grad, tensors[1].grad = np.reshape(grads[:6], (2, 3)), grads[6:]
    for step, on_values in zip(run(tensors), run(values)):
        found, expected = step(), on_values()
        assert found is expected is None or same(found, expected)
    for name in ("data", "grad"):
        numbers = np.concatenate([getattr(tensor, name).ravel() for tensor in tensors])
        assert all(same(number, getattr(value, name)) for number, value in zip(numbers, values, strict=True))
    optimizer = SGD(tensors)
    optimizer.zero_grad()
    assert all((tensor.grad == 0).all() and tensor.grad.shape == tensor.shape for tensor in tensors)
