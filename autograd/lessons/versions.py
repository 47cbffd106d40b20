"""A version counter: an engine whose rules read numbers in the backward pass says when one was changed in between."""


def count_versions(engine):
    """Give a class of values with closures, such as a learner's, a version for each number; returns the class.

    Setting `data` raises `version` by 1. The rule of a product reads its factors' numbers when it runs: where one is no
    longer of the version that the product was made with, backward() raises RuntimeError.
    """

    def change(self, number):
        self._data, self.version = number, getattr(self, "version", -1) + 1

    engine.data = property(lambda self: self._data, change)
    engine.__mul__ = watched(engine.__mul__)
    return engine


def watched(op):
    """An operation on two values whose rule runs only if neither has been changed since."""

    def noting(self, other):
        out = op(self, other)
        rule, seen = out._backward, [(input, input.version) for input in out._prev]

        def _backward():
            for input, version in seen:
                if input.version != version:
                    raise RuntimeError(f"{input!r} was changed: it is at version {input.version}, expected {version}.")
            rule()

        out._backward = _backward
        return out

    return noting
