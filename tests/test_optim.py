"""Optimizers and clipping: against PyTorch's over several steps, and by hand."""

import math

import numpy as np
import pytest

from autograd import MLP, SGD, Adam, Value, clip_grad_norm, clip_grad_value
from autograd.tensor import Tensor
from tests.ops_table import nan, same

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
    ("make", "torch_name", "options"),
    [
        (SGD, "SGD", {"lr": 0.05}),
        (SGD, "SGD", {"lr": 0.02, "momentum": 0.9}),
        (Adam, "Adam", {"lr": 0.1}),
        (Adam, "Adam", {"lr": 0.01, "betas": (0.5, 0.9), "eps": 1e-3}),
    ],
)
def test_thirty_steps_equal_pytorchs(make, torch_name, options, torch):
    parameters = [Value(x) for x in START]
    tensors = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in START]
    optimizer, other = make(parameters, **options), getattr(torch.optim, torch_name)(tensors, **options)
    for _ in range(30):
        optimizer.zero_grad()
        other.zero_grad()
        loss_of(*parameters).backward()
        loss_of(*tensors).backward()
        optimizer.step()
        other.step()
        for parameter, tensor in zip(parameters, tensors, strict=True):
            assert same(parameter.data, tensor.item(), rel=1e-10)


def test_sgd_by_hand():
    (p,) = with_grads(4.0)
    SGD([p], lr=0.25).step()
    assert p.data == 0.0


def test_momentum_by_hand():
    """velocity = .5 · velocity + grad: 4, then 6, then 7."""
    (p,) = with_grads(4.0)
    optimizer = SGD([p], lr=1.0, momentum=0.5)
    path = []
    for _ in range(3):
        optimizer.step()
        path.append(p.data)
    assert path == [-3.0, -9.0, -16.0]


@pytest.mark.parametrize("grad", [1e-6, 3.0, -1e8, 1e100])
def test_adams_first_step_is_lr_whatever_the_size_of_the_gradient(grad):
    (p,) = with_grads(grad)
    Adam([p], lr=0.125).step()
    assert p.data == pytest.approx(1 - math.copysign(0.125, grad), rel=1e-2)


def test_adam_survives_a_gradient_whose_square_overflows():
    """grad² is inf, as in IEEE and in PyTorch, and no OverflowError ends the training run."""
    (p,) = with_grads(1e200)
    Adam([p], lr=0.1).step()
    assert p.data == 1.0


def test_defaults_are_pytorchs(torch):
    tensor = torch.zeros(1, requires_grad=True)
    (p,) = with_grads(1.0)
    ours, theirs = Adam([p]), torch.optim.Adam([tensor]).defaults
    assert (ours.lr, (ours.beta1, ours.beta2), ours.eps) == (theirs["lr"], theirs["betas"], theirs["eps"])


@pytest.mark.parametrize("make", [SGD, Adam])
def test_zero_grad_and_step_touch_only_what_they_name(make):
    a, b = with_grads(2.0, 3.0)
    optimizer = make(iter([a]), lr=0.1)
    optimizer.step()
    assert a.data != 1.0
    assert (a.grad, b.data, b.grad) == (2.0, 1.0, 3.0)
    optimizer.zero_grad()
    assert (a.grad, b.grad) == (0.0, 3.0)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda p: SGD([], lr=1), "an optimizer needs at least one parameter, got none. Pass mlp.parameters()."),
        (lambda p: SGD(p, lr=0), "lr is a number above 0, got 0.0."),
        (lambda p: SGD(p, lr=nan), "lr is a number above 0, got nan."),
        (lambda p: SGD(p, lr=1, momentum=1), "momentum is at least 0 and below 1, got 1.0."),
        (lambda p: Adam(p, betas=(0.9, -0.1)), "betas[1] is at least 0 and below 1, got -0.1."),
        (lambda p: Adam(p, eps=-1), "eps is a number above 0, got -1.0."),
        (lambda p: clip_grad_norm(p, 0), "max_norm is a number above 0, got 0.0."),
        (lambda p: clip_grad_value(p, -2), "max_value is a number above 0, got -2.0."),
    ],
)
def test_refusals(make, sentence):
    with pytest.raises(ValueError) as caught:
        make(with_grads(1.0))
    assert str(caught.value) == sentence


def test_an_lr_that_is_not_a_number():
    with pytest.raises(TypeError, match=r"^lr needs a real number, got the str 'fast'"):
        SGD(with_grads(1.0), lr="fast")


# Clipping


def test_clip_norm_scales_all_and_returns_the_norm_before():
    parameters = with_grads(3.0, -4.0)
    assert clip_grad_norm(parameters, 1.0) == 5.0
    assert [p.grad for p in parameters] == pytest.approx([0.6, -0.8], rel=1e-15)


def test_clip_norm_leaves_small_gradients():
    parameters = with_grads(3.0, -4.0)
    assert clip_grad_norm(iter(parameters), 5.0) == 5.0
    assert [p.grad for p in parameters] == [3.0, -4.0]


def test_clip_norm_of_gradients_whose_squares_overflow():
    parameters = with_grads(3e200, -4e200)
    assert clip_grad_norm(parameters, 1.0) == pytest.approx(5e200)
    assert [p.grad for p in parameters] == pytest.approx([0.6, -0.8])


def test_clip_value_bounds_each_and_counts():
    parameters = with_grads(0.5, -3.0, 1.0, math.inf)
    assert clip_grad_value(parameters, 1.0) == 2
    assert [p.grad for p in parameters] == [0.5, -1.0, 1.0, 1.0]


def test_clipping_equals_pytorchs(torch):
    """PyTorch divides by the norm plus 1e-6, hence the tolerance."""
    grads = [0.3, -7.0, 2.0, 0.0]
    for ours, theirs, bound in [
        (clip_grad_norm, torch.nn.utils.clip_grad_norm_, 1.5),
        (clip_grad_norm, torch.nn.utils.clip_grad_norm_, 100.0),
        (clip_grad_value, torch.nn.utils.clip_grad_value_, 1.5),
    ]:
        parameters, tensor = with_grads(*grads), torch.zeros(4, dtype=torch.float64, requires_grad=True)
        tensor.grad = torch.tensor(grads, dtype=torch.float64)
        ours(parameters, bound)
        theirs([tensor], bound)
        assert [p.grad for p in parameters] == pytest.approx(tensor.grad.tolist(), rel=1e-6)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (MLP(2, [1]).parameters, "got a method. Call it, with parentheses: parameters()."),
        (MLP(2, [1]), "got an MLP. Pass its parameters()."),
        (Value(1), "got a Value. One alone stands in brackets: [x]."),
        (None, "got None. A function without a return statement gives None: did one come before?"),
    ],
)
def test_what_is_no_list_of_parameters_gets_a_sentence(given, sentence):
    for make in (SGD, Adam):
        with pytest.raises(TypeError) as caught:
            make(given)
        assert str(caught.value) == f"an optimizer's parameters come as a list, {sentence}"
    for clip in (clip_grad_norm, clip_grad_value):
        with pytest.raises(TypeError) as caught:
            clip(given, 1.0)
        assert str(caught.value) == f"parameters come as a list, {sentence}"


# Tensors: each number is treated as a Value is


GRADS = [[[0.3, -2.0, 0.0], [1e-9, 5.0, -0.25]], [math.inf, -math.inf, nan], 4.0]  # of three Tensors


def tensors_and_values(grads=GRADS):
    """Tensors with these grads, and for each of them Values with the same numbers and grads."""
    tensors = [Tensor(np.linspace(-1, 2, np.size(grad)).reshape(np.shape(grad))) for grad in grads]
    for tensor, grad in zip(tensors, grads):
        tensor.grad = grad
    values = [[Value(x) for x in tensor.data.ravel().tolist()] for tensor in tensors]
    for tensor, row in zip(tensors, values):
        for value, grad in zip(row, tensor.grad.ravel().tolist()):
            value.grad = grad
    return tensors, values


def assert_alike(tensors, values, name):
    """To the last bit."""
    for tensor, row in zip(tensors, values, strict=True):
        for number, value in zip(getattr(tensor, name).ravel().tolist(), row, strict=True):
            assert same(number, getattr(value, name))


@np.errstate(all="ignore")
@pytest.mark.parametrize("options", [{"lr": 0.05}, {"lr": 0.02, "momentum": 0.9}])
@pytest.mark.parametrize("make", [SGD, Adam])
def test_steps_on_tensors_are_those_on_values(make, options):
    if make is Adam:
        options = {"lr": options["lr"], "betas": (options.get("momentum", 0.5), 0.99)}
    tensors, values = tensors_and_values()
    optimizers = [make(tensors, **options), make([value for row in values for value in row], **options)]
    for _ in range(5):
        for optimizer in optimizers:
            optimizer.step()
        assert_alike(tensors, values, "data")
    for optimizer in optimizers:
        optimizer.zero_grad()
    assert all((tensor.grad == 0).all() and tensor.grad.shape == tensor.shape for tensor in tensors)


@np.errstate(all="ignore")
@pytest.mark.parametrize("bound", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("clip", [clip_grad_norm, clip_grad_value])
def test_clipping_tensors_is_clipping_their_numbers(clip, bound):
    for grads in (GRADS, [GRADS[0], GRADS[2]]):
        tensors, values = tensors_and_values(grads)
        assert same(clip(tensors, bound), clip([value for row in values for value in row], bound))
        assert_alike(tensors, values, "grad")


@pytest.mark.parametrize(
    ("make", "torch_name", "options"),
    [(SGD, "SGD", {"lr": 0.02, "momentum": 0.9}), (Adam, "Adam", {"lr": 0.01, "betas": (0.5, 0.9)})],
)
def test_training_tensors_equals_pytorchs(make, torch_name, options, torch):
    """Twenty steps of a layer with clipped gradients, to 1e-10."""
    random = np.random.RandomState(0)
    x, starts = random.randn(6, 3), [random.randn(3, 2), random.randn(2)]
    ours, theirs = [Tensor(s) for s in starts], [torch.tensor(s, requires_grad=True) for s in starts]
    optimizer, other = make(ours, **options), getattr(torch.optim, torch_name)(theirs, **options)
    for _ in range(20):
        optimizer.zero_grad()
        other.zero_grad()
        ((Tensor(x) @ ours[0] + ours[1]).tanh() ** 2).mean().backward()
        ((torch.tensor(x) @ theirs[0] + theirs[1]).tanh() ** 2).mean().backward()
        clip_grad_value(ours, 0.05)
        torch.nn.utils.clip_grad_value_(theirs, 0.05)
        optimizer.step()
        other.step()
    for tensor, twin in zip(ours, theirs):
        np.testing.assert_allclose(tensor.data, twin.detach().numpy(), rtol=1e-10)


def test_an_optimizers_tensors_do_not_share_arrays():
    """a + b hands one gradient to both; changing one in place leaves the other."""
    a, b = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    (a + b).backward(gradient=[1.0, 1.0], reset="all")
    a.grad *= 2
    assert b.grad.tolist() == [1.0, 1.0]
