"""Look at the rows that are still bold. A wrong rule shows only if its operation is used, with sizes that differ and an
upstream that is not all ones: let tanh or a product follow. Fold either operand; sum along axis 1; take a row twice.

Two nodes that share an array do no harm until something is added to it: a sum a + b whose result meets a once more.
"""


def met_again(a, b):
    s = a + b
    return (s + a).sum()


three_tests = [
    (lambda x, w, b: ((b + x @ w).tanh() * b).sum(), [(2, 3), (3, 4), (4,)]),
    (lambda x: (x[[1, 1, 0]].softmax() * x).sum(axis=1).tanh().sum(), [(3, 4)]),
    (met_again, [(2,), (2,)]),
]
