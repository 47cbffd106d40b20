"""`exercises.identify`: what a whole class behaves as, and the smallest graph that shows it."""

import pytest

import autograd
import exercises
from exercises.engine_file import parts
from exercises.engines.wrong_engines import WRONG_ENGINES, Engine
from exercises.explaining.identifying import agree, result, truth


@pytest.mark.parametrize("cls", [Engine, autograd.Value, parts.course_engine().Value])
def test_a_right_class(cls):
    found = exercises.identify(cls)
    assert found.is_right and not found.alike and not found.lacks
    assert repr(found) == "Your class is right on 60 random graphs: values and gradients."


@pytest.mark.parametrize("wrong", WRONG_ENGINES, ids=lambda wrong: wrong.id)
def test_each_wrong_engine_is_known_as_itself(wrong):
    found = exercises.identify(wrong.engine)
    assert [mistake.name for mistake in found.alike] == [wrong.name]
    assert not agree(result(wrong.engine, found.case), truth(found.case))
    assert len(found.case.steps) <= 3
    assert f"On all 60 graphs your class gives what this mistake gives: {wrong.name}." in repr(found)
    assert "<img" in found._repr_mimebundle_()["text/html"]


def test_what_no_known_mistake_gives_is_called_so():
    class Other(Engine):
        def __add__(self, other):
            other = self.lifted(other)
            return self.made(self.data + other.data, (self, other), "+", (2.0, 1.0))

    found = exercises.identify(Other)
    assert not found.is_right and not found.alike
    assert "no known mistake gives this" in repr(found)
    assert [op for _, op, _ in found.case.steps] == ["+"]


def test_two_mistakes_at_once_are_like_none():
    ids = {wrong.id: wrong.engine for wrong in WRONG_ENGINES}

    class Both(ids["M14"], ids["M15"]):
        pass

    assert not exercises.identify(Both).alike


def test_a_class_that_has_only_some_operations_is_tried_on_these():
    class Few:
        def __init__(self, data, prev=()):
            self.data, self.grad, self._prev, self._backward = data, 0.0, prev, lambda: None

        def __mul__(self, other):
            out = Few(self.data * other.data, (self, other))

            def _backward():
                self.grad += other.data * out.grad
                other.grad += self.data * out.grad

            out._backward = _backward
            return out

        backward = Engine.backward
        order = Engine.order

    found = exercises.identify(Few)
    assert "+" in found.lacks and "tanh" in found.lacks and "*" not in found.lacks
    assert found.tried and "Not tried, as your class has not: +, **" in repr(found)


def test_a_class_without_backward_raises_everywhere_and_is_like_none():
    class Silent(Engine):
        backward = None

    found = exercises.identify(Silent)
    assert (
        not found.is_right
        and not found.alike
        and found.rows == (("it", "comes to its end", "TypeError in backward()"),)
    )


def test_an_endless_loop_ends():
    class Loops(Engine):
        def backward(self):
            while True:
                pass

    said = "It had not ended after 3 seconds of work, so it was stopped. Is there a loop that never ends?"
    assert repr(exercises.identify(Loops)) == said


def test_an_engine_that_has_a_class_and_what_is_none():
    assert exercises.identify(parts.course_engine()).is_right
    for odd in (3, None, "Value"):
        with pytest.raises(TypeError, match="identify takes a class"):
            exercises.identify(odd)


class Stored:
    """A right engine that keeps local derivatives, and composes - and /."""

    upstream, locals_of_mul = True, staticmethod(lambda a, b: (b, a))

    def __init__(self, data, prev=(), local=(), op=""):
        self.data, self.grad, self._prev, self.local, self._op = data, 0.0, prev, local, op

    def lifted(self, other):
        return other if isinstance(other, Stored) else type(self)(other)

    def __add__(self, other):
        other = self.lifted(other)
        return type(self)(self.data + other.data, (self, other), (1.0, 1.0), "+")

    def __mul__(self, other):
        other = self.lifted(other)
        local = self.locals_of_mul(self.data, other.data)
        return type(self)(self.data * other.data, (self, other), local, "*")

    def __pow__(self, n):
        return type(self)(self.data**n, (self,), (n * self.data ** (n - 1),), f"**{n}")

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * self.lifted(other) ** -1

    def __rtruediv__(self, other):
        return self**-1 * other

    def order(self):
        found, seen = [], set()

        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for each in node._prev:
                    visit(each)
                found.append(node)

        visit(self)
        return found[::-1]

    def backward(self):
        self.grad = 1.0
        for node in self.order():
            for each, local in zip(node._prev, node.local):
                each.grad += local * node.grad


def test_a_mistake_that_shows_in_composed_operations_too_is_known():
    class Unswapped(Stored):
        locals_of_mul = staticmethod(lambda a, b: (a, b))

    assert exercises.identify(Stored).is_right
    found = exercises.identify(Unswapped)
    assert [mistake.name for mistake in found.alike] == ["* does not swap its factors"] and found.without
    assert "graphs without - and / your class gives what this mistake gives" in found.says()


def test_the_roots_own_gradient_tells_mistakes_apart():
    class Skips(Stored):
        """It has set the root's gradient to 1, and leaves out the root's rule."""

        def order(self):
            return super().order()[1:]

    found = exercises.identify(Skips)
    assert not found.is_right
    assert "the first gradient is not set to 1" not in [mistake.name for mistake in found.alike]


def test_where_it_raises_is_said_and_numbers_that_look_alike_are_written_out():
    class Exits(Stored):
        def backward(self):
            raise SystemExit

    class Nearly(Stored):
        locals_of_mul = staticmethod(lambda a, b: (b + 1e-6, a))

    assert exercises.identify(Exits).rows == (("it", "comes to its end", "SystemExit in backward()"),)
    rows = exercises.identify(Nearly).rows
    assert any(right != got for _, right, got in rows)
