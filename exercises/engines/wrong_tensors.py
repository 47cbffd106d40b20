"""The right engine on arrays, as a learner has it in my_engine.py, and the twelve wrong ones of `wrong_tensors.md`.

Most of the wrong rules give an array of the right shape: only its numbers are wrong.
"""

from exercises.engines.wrong_engines import names_in, text_of, wrong_engines

CHANGES = """
`out = Tensor(` → `out = type(self)(`,
`else Tensor(thing)` → `else type(self)(thing)`,
`as_tensor(` → `as_tensor(self, `,
`self.grad += ` → `self.grad = self.grad + `,
`other.grad += ` → `other.grad = other.grad + `
"""
OPERATIONS = '''

def divide(self, other):  # self / other
    other = as_tensor(self, other)
    quotient = self.data / other.data
    out = type(self)(quotient, (self, other), "/")

    def _backward():
        self.grad = self.grad + unbroadcast(1 / other.data * out.grad, self.shape)
        other.grad = other.grad + unbroadcast(-quotient / other.data * out.grad, other.shape)

    out._backward = _backward
    return out


def elementwise(self, y, local, op):
    return self.one_input(y, lambda upstream: local * upstream, op)


def power(self, n):  # self ** n
    return elementwise(self, self.data**n, n * self.data ** (n - 1) if n else 0.0 * self.data, f"**{n:g}")


def exp(self):
    y = np.exp(self.data)
    return elementwise(self, y, y, "exp")


def mean(self, axis=None, keepdims=False):
    total = self.sum(axis, keepdims)
    return total * (total.data.size / self.data.size)


def softmax(self):
    """e to the power of each number, and each row of that divided by its sum."""
    powers = np.exp(self.data - self.data.max(axis=-1, keepdims=True))
    p = powers / powers.sum(axis=-1, keepdims=True)
    return self.one_input(p, lambda upstream: p * (upstream - (p * upstream).sum(axis=-1, keepdims=True)), "softmax")


Tensor.__truediv__, Tensor.__pow__, Tensor.exp, Tensor.mean, Tensor.softmax = divide, power, exp, mean, softmax
Tensor.__rtruediv__ = lambda self, other: as_tensor(self, other) / self
Tensor.__neg__ = lambda self: self * -1.0
Tensor.__len__ = lambda self: len(self.data)
Tensor.log = lambda self: elementwise(self, np.log(self.data), 1 / self.data, "log")
'''
PARTS = "deep_order", "unbroadcast", "matmul_vjps", "sum_vjp", "rows_vjp", "tensor", "assemble"
RIGHT = text_of(PARTS, CHANGES, OPERATIONS)
TensorEngine = names_in(RIGHT, "engine on arrays")["Tensor"]
WRONG_TENSORS = tuple(wrong_engines("wrong_tensors.md", RIGHT))
AxisNotRestored = next(wrong.engine for wrong in WRONG_TENSORS if wrong.id == "TM7")
