"""micrograd 0.1 from PyPI. It has no tanh: this adds one, a closure like those of the library's ops."""

import math
import sys

from micrograd.engine import Value

from benchmarks.peers.engine import Nodes, Numbers

sys.setrecursionlimit(10_000_000)  # its sort is recursive, and stops at about 1000 chained ops otherwise


class Micrograd(Nodes, Numbers):
    """micrograd's Values. Neurons are summed op by op, as its own `micrograd.nn` does."""

    leaf, relu = Value, staticmethod(Value.relu)

    @staticmethod
    def tanh(x):
        t = math.tanh(x.data)
        out = Value(t, (x,), "tanh")

        def _backward():
            x.grad += (1 - t * t) * out.grad

        out._backward = _backward
        return out

    def inputs(self, row):
        return [Value(x) for x in row]
