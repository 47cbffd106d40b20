"""The method has the four parts of `+`. For the rule, start with sizes that all differ: x (2, 3), w (3, 4), so that
upstream is (2, 4). Which product of two of them has the shape of x?

In the lab, dW[k, j] was column k of x times column j of upstream, summed over the rows. To write that as rows times
columns, which of the two must be transposed, and on which side does it belong? For dX it is the other way round.
"""


class MatrixProduct(Tensor):
    def __matmul__(self, other):  # self @ other
        other = as_tensor(other)
        out = Tensor(self.data @ other.data, (self, other), "@")

        def _backward():
            self.grad += out.grad @ other.data.T
            other.grad += self.data.T @ out.grad

        out._backward = _backward
        return out
