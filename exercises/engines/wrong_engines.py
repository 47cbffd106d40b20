"""The right engine in closure style, and twenty wrong ones: the same engine with one classic mistake each."""

import math
from dataclasses import dataclass


class Engine:
    """The scalar engine as learners write it: each node keeps a closure that passes its gradient to its inputs."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data, self.grad, self.label = float(data), 0.0, label
        self._prev, self._op = _prev, _op
        self._backward = lambda: None

    def made(self, data, inputs, op, locals):
        """A node made by an operation, with the local derivative for each of its inputs."""
        out = type(self)(data, inputs, op)

        def _backward():
            for input, local in zip(inputs, locals):
                input.grad += local * out.grad

        out._backward = _backward
        return out

    def lifted(self, other):
        """`other` if it is a node, else a leaf with that number."""
        return other if isinstance(other, Engine) else type(self)(other)

    def __add__(self, other):
        other = self.lifted(other)
        return self.made(self.data + other.data, (self, other), "+", (1.0, 1.0))

    def __mul__(self, other):
        other = self.lifted(other)
        return self.made(self.data * other.data, (self, other), "*", (other.data, self.data))

    def __sub__(self, other):
        other = self.lifted(other)
        return self.made(self.data - other.data, (self, other), "-", (1.0, -1.0))

    def __truediv__(self, other):
        other = self.lifted(other)
        quotient = self.data / other.data
        return self.made(quotient, (self, other), "/", (1 / other.data, -quotient / other.data))

    def __pow__(self, other):
        if isinstance(other, Engine):
            return (other * self.log()).exp()
        slope = other * self.data ** (other - 1) if other else 0.0
        return self.made(self.data**other, (self,), f"**{other:g}", (slope,))

    def __neg__(self):
        return self.made(-self.data, (self,), "neg", (-1.0,))

    def __radd__(self, other):  # other + self
        return self.lifted(other) + self

    def __rmul__(self, other):  # other * self
        return self.lifted(other) * self

    def __rsub__(self, other):  # other - self
        return self.lifted(other) - self

    def __rtruediv__(self, other):  # other / self
        return self.lifted(other) / self

    def __rpow__(self, other):  # other ** self
        return self.lifted(other) ** self

    def exp(self):
        y = math.exp(self.data)
        return self.made(y, (self,), "exp", (y,))

    def log(self):
        return self.made(math.log(self.data), (self,), "log", (1 / self.data,))

    def sqrt(self):
        y = math.sqrt(self.data)
        return self.made(y, (self,), "sqrt", (0.5 / y,))

    def sin(self):
        return self.made(math.sin(self.data), (self,), "sin", (math.cos(self.data),))

    def cos(self):
        return self.made(math.cos(self.data), (self,), "cos", (-math.sin(self.data),))

    def tanh(self):
        y = math.tanh(self.data)
        return self.made(y, (self,), "tanh", (1 - y * y,))

    def sigmoid(self):
        y = 0.5 + 0.5 * math.tanh(0.5 * self.data)
        return self.made(y, (self,), "sigmoid", (y * (1 - y),))

    def relu(self):
        return self.made(max(0.0, self.data), (self,), "relu", (float(self.data > 0),))

    def leaky_relu(self, slope=0.01):
        local = 1.0 if self.data > 0 else slope
        return self.made(local * self.data, (self,), "leaky_relu", (local,))

    def order(self):
        """The nodes in the order in which `backward` visits them: consumers before inputs."""
        return reversed(post_order(self))

    def backward(self):
        self.grad = 1.0
        for node in self.order():
            node._backward()


def post_order(root, key=id):
    """Inputs before consumers, by depth-first search; `key` says by what a node is known to have been visited."""
    order, visited = [], set()

    def visit(node):
        if key(node) not in visited:
            visited.add(key(node))
            for input in node._prev:
                visit(input)
            order.append(node)

    visit(root)
    return order


def overwriting(out, locals):
    """A closure that stores each contribution with = where += is meant."""

    def _backward():
        for input, local in zip(out._prev, locals):
            input.grad = local * out.grad

    out._backward = _backward
    return out


class OverwritesInAdd(Engine):
    def __add__(self, other):
        return overwriting(super().__add__(other), (1.0, 1.0))


class OverwritesInMul(Engine):
    def __mul__(self, other):
        out = super().__mul__(other)
        return overwriting(out, (out._prev[1].data, out._prev[0].data))


class OverwritesInExp(Engine):
    def exp(self):
        out = super().exp()
        return overwriting(out, (out.data,))


class OverwritesInTanh(Engine):
    def tanh(self):
        out = super().tanh()
        return overwriting(out, (1 - out.data**2,))


class Recurses(Engine):
    def backward(self):
        self.grad = 1.0
        self.pass_on()

    def pass_on(self):
        """Pass the gradient to the inputs, and let each of them pass on at once what it has so far."""
        self._backward()
        for input in self.inputs():
            input.pass_on()

    def inputs(self):
        """The inputs as this engine keeps them."""
        return self._prev


class RecursesOverSet(Recurses):
    def inputs(self):
        return dict.fromkeys(self._prev)  # as a set, each once; in an order that is the same in every process


class PreOrder(Engine):
    def order(self):
        order, visited, stack = [], set(), [self]
        while stack:
            node = stack.pop()
            if node not in visited:
                visited.add(node)
                order.append(node)
                stack.extend(reversed(node._prev))
        return order


class BreadthFirst(Engine):
    def order(self):
        order, visited = [self], {self}
        for node in order:  # which grows as it is read
            for input in node._prev:
                if input not in visited:
                    visited.add(input)
                    order.append(input)
        return order


class NotReversed(Engine):
    def order(self):
        return post_order(self)


class NoFirstGradient(Engine):
    def backward(self):
        for node in self.order():
            node._backward()


class ForgetsUpstream(Engine):
    def __mul__(self, other):
        out = super().__mul__(other)
        left, right = out._prev

        def _backward():
            left.grad += right.data
            right.grad += left.data

        out._backward = _backward
        return out


class DoesNotSwap(Engine):
    def __mul__(self, other):
        other = self.lifted(other)
        return self.made(self.data * other.data, (self, other), "*", (self.data, other.data))


class KeepsExponent(Engine):
    def __pow__(self, other):
        if isinstance(other, Engine):
            return super().__pow__(other)
        return self.made(self.data**other, (self,), f"**{other:g}", (other * self.data**other,))


class TanhOfInput(Engine):
    def tanh(self):
        return self.made(math.tanh(self.data), (self,), "tanh", (1 - self.data**2,))


class ExpOfInput(Engine):
    def exp(self):
        return self.made(math.exp(self.data), (self,), "exp", (self.data,))


class OpenAtZero(Engine):
    def relu(self):
        return self.made(max(0.0, self.data), (self,), "relu", (float(self.data >= 0),))


class SlopesAtZero(Engine):
    """The slopes of tanh and of the sigmoid as they are at 0. None of the twenty: a mistake of a hand, not of code."""

    def tanh(self):
        return self.made(math.tanh(self.data), (self,), "tanh", (1.0,))

    def sigmoid(self):
        return self.made(super().sigmoid().data, (self,), "sigmoid", (0.25,))


class NoGate(Engine):
    def relu(self):
        return self.made(max(0.0, self.data), (self,), "relu", (1.0,))


class ReflectedMinusTurned(Engine):
    def __rsub__(self, other):
        return self - other


class ReflectedDivisionTurned(Engine):
    def __rtruediv__(self, other):
        return self / other


class VisitedByValue(Engine):
    def order(self):
        return reversed(post_order(self, key=lambda node: node.data))


@dataclass(frozen=True)
class WrongEngine:
    """A wrong engine: its class, the name and the sentence of its mistake, and the lesson and section that treat it."""

    id: str
    engine: type
    name: str
    sentence: str
    lesson: str
    section: str


FAN_OUT, RULES, OPERATORS = "Break it: = for +=", "Common mistakes", "Common mistakes"
ORDERS, FIRST, GATE = "What a wrong order costs", "The first 1", "Three patterns"
OVERWRITES = "Its rule stores a contribution with = where += is meant: a second contribution replaces the first."

WRONG_ENGINES = (
    WrongEngine("M1", OverwritesInAdd, "= instead of += in the rule of +", OVERWRITES, "04", FAN_OUT),
    WrongEngine("M2", OverwritesInMul, "= instead of += in the rule of *", OVERWRITES, "04", FAN_OUT),
    WrongEngine("M3", OverwritesInExp, "= instead of += in the rule of exp", OVERWRITES, "04", FAN_OUT),
    WrongEngine("M4", OverwritesInTanh, "= instead of += in the rule of tanh", OVERWRITES, "04", FAN_OUT),
    WrongEngine(
        "M5",
        Recurses,
        "recursion without an order",
        "A node passes on what it has so far, and does so again for each contribution that comes later.",
        "05",
        ORDERS,
    ),
    WrongEngine(
        "M6",
        RecursesOverSet,
        "recursion without an order, inputs kept in a set",
        "A node passes on what it has so far each time that it is reached; and a set forgets that a + a has two edges.",
        "05",
        ORDERS,
    ),
    WrongEngine(
        "M7",
        PreOrder,
        "depth-first order with the node before its inputs",
        "A node is read when it is first reached, before all its consumers have passed their share to it.",
        "05",
        ORDERS,
    ),
    WrongEngine(
        "M8",
        BreadthFirst,
        "breadth-first order",
        "A node near the root is read early, though a consumer further away still has a share for it.",
        "05",
        ORDERS,
    ),
    WrongEngine(
        "M9",
        NotReversed,
        "the order is not reversed",
        "The pass begins at the leaves, whose gradients are still 0, and comes to the root last.",
        "05",
        ORDERS,
    ),
    WrongEngine(
        "M10",
        NoFirstGradient,
        "the first gradient is not set to 1",
        "The root's own gradient stays 0, so every product along the way is 0.",
        "03",
        "Two operations: multiply along the way",
    ),
    WrongEngine(
        "M11",
        ForgetsUpstream,
        "* forgets the upstream gradient",
        "The rule of * hands on the local derivative alone. At the last operation upstream is 1 and nothing shows.",
        "03",
        "Break it: forget the upstream gradient",
    ),
    WrongEngine(
        "M12",
        DoesNotSwap,
        "* does not swap its factors",
        "Each factor's gradient is scaled by itself. The local derivative along one factor is the other factor.",
        "03",
        GATE,
    ),
    WrongEngine(
        "M13",
        KeepsExponent,
        "** leaves the exponent as it was",
        "The derivative of xⁿ is n·xⁿ⁻¹: the exponent goes down by one.",
        "03",
        RULES,
    ),
    WrongEngine(
        "M14",
        TanhOfInput,
        "tanh's derivative taken of the input",
        "tanh's local derivative is 1 minus the square of its output, not of its input.",
        "03",
        RULES,
    ),
    WrongEngine(
        "M15",
        ExpOfInput,
        "exp's derivative taken of the input",
        "exp's local derivative is its output, not its input.",
        "03",
        RULES,
    ),
    WrongEngine(
        "M16",
        OpenAtZero,
        "relu's gate is open at 0",
        "At 0 relu has a corner. Taking 1 there is a convention, not an error; this course takes 0, as PyTorch does.",
        "03",
        GATE,
    ),
    WrongEngine(
        "M17",
        NoGate,
        "relu's gate is missing",
        "The gradient passes relu even where its input is negative. The output stands still there: the slope is 0.",
        "03",
        GATE,
    ),
    WrongEngine(
        "M18",
        ReflectedMinusTurned,
        "number - value computed as value - number",
        "In `1 - v` Python asks v for __rsub__(1). The number stands on the left: 1 - v, not v - 1.",
        "02",
        OPERATORS,
    ),
    WrongEngine(
        "M19",
        ReflectedDivisionTurned,
        "number / value computed as value / number",
        "In `1 / v` Python asks v for __rtruediv__(1). The number stands on top: 1 / v, not v / 1.",
        "02",
        OPERATORS,
    ),
    WrongEngine(
        "M20",
        VisitedByValue,
        "nodes told apart by their number",
        "Two nodes with equal numbers were taken for one. What was visited is a node, not its value.",
        "05",
        ORDERS,
    ),
)
