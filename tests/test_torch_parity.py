"""500 random graphs, on Values and on PyTorch's float64 tensors. (Each op at its edges: test_ops.py.)"""

import math
import random

import pytest

from autograd import Value, topological_order
from autograd.tensor import Tensor
from tests.ops_table import random_program, same


@pytest.mark.parametrize("block", range(10))
def test_random_graphs(block, torch):
    """Values and every leaf's gradient to a relative 1e-9; where contributions cancel, to 1e-12 of the largest."""
    for seed in range(50 * block, 50 * block + 50):
        program = random_program(random.Random(seed), n_leaves=3, n_ops=12)
        values = [Value(x) for x in program.leaves]
        tensors = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in program.leaves]
        root = program.run(values, lambda op: op.function)
        other = program.run(tensors, lambda op: op.torch(torch))
        root.backward()
        other.backward()
        expected = [0.0 if tensor.grad is None else tensor.grad.item() for tensor in tensors]
        largest = max(abs(node.grad) for node in topological_order(root))
        assert same(root.data, other.item(), rel=1e-9, abs_tol=1e-12)
        for value, grad in zip(values, expected, strict=True):
            assert same(value.grad, grad, rel=1e-9, abs_tol=1e-12 * largest), seed


@pytest.mark.parametrize("root", [lambda x: x.relu().sqrt(), lambda x: 3 * x.relu() ** 0.25])
@pytest.mark.parametrize("start", [-1.0, 0.0, 4.0])
def test_a_root_behind_a_shut_relu_is_the_one_known_difference(root, start, torch):
    """The relu there selects, and the root's infinite slope does not count; here ∞ · 0 is nan. README says so."""
    there = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    root(there).backward()
    for here in (Value(start), Tensor(start)):
        root(here).backward()
        if start > 0:
            assert float(here.grad) == pytest.approx(there.grad.item(), rel=1e-12)
        else:
            assert math.isnan(here.grad) and there.grad.item() == 0
