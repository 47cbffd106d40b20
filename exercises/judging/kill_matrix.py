"""`kill_matrix`: a learner's tests against the wrong engines, on numbers or on arrays: which test catches which."""

from exercises.judging.array_tests import Arrays
from exercises.judging.matrices import Scalars, matrix_of


def kill_matrix(*given, arrays=False, **named):
    """The KillMatrix of tests, each `(f, xs)`: f is computed on Values made of the numbers xs, and differentiated.

    A test catches an engine if the output or any gradient differs by more than 1e-9 from what dual numbers give. A test
    that fails on the right engine is reported as a fault, and catches nothing.
    arrays: whether the tests are of Tensors, and the wrong engines those on arrays; then xs are arrays, or shapes of
    such, and f gives one number.
    """
    return matrix_of(given, named, Arrays() if arrays else Scalars())
