"""A version counter: if a backward pass reads a number that was changed after the forward pass, it raises."""

import contextlib


@contextlib.contextmanager
def counted(engine):
    """Give nodes that a class of values with closures makes a version for a while: how often `data` was set.

    The rule of a product reads its factors' numbers when it runs. If one no longer has the version that the product was
    made with, backward() raises RuntimeError.
    """

    def change(self, number):
        self._data, self.version = number, getattr(self, "version", -1) + 1

    before = {name: vars(engine).get(name) for name in ("data", "__mul__")}
    engine.data, engine.__mul__ = property(lambda self: self._data, change), watched(engine.__mul__)
    try:
        yield
    finally:
        for name, held in before.items():
            if held is None:
                delattr(engine, name)
            else:
                setattr(engine, name, held)


def watched(op):
    """Return an operation on two values whose rule runs only if neither has been changed since."""

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
