"""Twelve wrong engines of the exam, with mistakes that are not among the twenty: no lesson's tests have met them."""

import math

from exercises.engines.wrong_engines import FAN_OUT, GATE, ORDERS, RULES, Engine, WrongEngine, post_order


class DifferenceWithoutSign(Engine):
    def __sub__(self, other):
        other = self.lifted(other)
        return self.made(self.data - other.data, (self, other), "-", (1.0, 1.0))


class QuotientWithoutSquare(Engine):
    def __truediv__(self, other):
        other = self.lifted(other)
        locals = (1 / other.data, -self.data / other.data)
        return self.made(self.data / other.data, (self, other), "/", locals)


class PowerWithoutFactor(Engine):
    def __pow__(self, other):
        if isinstance(other, Engine):
            return super().__pow__(other)
        slope = self.data ** (other - 1) if other else 0.0
        return self.made(self.data**other, (self,), f"**{other:g}", (slope,))


class LogTurned(Engine):
    def log(self):
        return self.made(math.log(self.data), (self,), "log", (self.data,))


class SigmoidOfInput(Engine):
    def sigmoid(self):
        return self.made(super().sigmoid().data, (self,), "sigmoid", (self.data * (1 - self.data),))


class TanhWithoutSquare(Engine):
    def tanh(self):
        y = math.tanh(self.data)
        return self.made(y, (self,), "tanh", (1 - y,))


class GatesUpstream(Engine):
    def relu(self):
        out = super().relu()

        def _backward():
            self.grad += max(0.0, out.grad)

        out._backward = _backward
        return out


class EachInputOnce(Engine):
    def made(self, data, inputs, op, locals):
        if len(inputs) == 2 and inputs[0] is inputs[1]:
            locals = (locals[0], 0.0)
        return super().made(data, inputs, op, locals)


class BeginsWithOutput(Engine):
    def backward(self):
        self.grad = self.data
        for node in self.order():
            node._backward()


class StopsAtZero(Engine):
    def backward(self):
        self.grad = 1.0
        for node in self.order():
            if node.grad == 0:
                break
            node._backward()


class ForgetsPlainFactor(Engine):
    def __mul__(self, other):
        out = super().__mul__(other)
        return out if isinstance(other, Engine) else self.made(out.data, out._prev, "*", (1.0, self.data))


class FirstInputOnly(Engine):
    def order(self):
        path = [self]
        while path[-1]._prev:
            path.append(path[-1]._prev[0])
        return [node for node in reversed(post_order(self)) if node in path]


HELD_OUT = (
    WrongEngine(
        "H1",
        DifferenceWithoutSign,
        "- without its sign",
        "If b grows, a - b becomes smaller: the local derivative along b is -1.",
        "03",
        RULES,
    ),
    WrongEngine(
        "H2",
        QuotientWithoutSquare,
        "/ without its square",
        "The local derivative of a / b along b is -a / b²; here it is -a / b.",
        "03",
        RULES,
    ),
    WrongEngine(
        "H3",
        PowerWithoutFactor,
        "** without its factor",
        "The derivative of xⁿ is n·xⁿ⁻¹; here the factor n is missing.",
        "03",
        RULES,
    ),
    WrongEngine(
        "H4",
        LogTurned,
        "log multiplies where it should divide",
        "log's local derivative is 1 / x, not x. At x = 1 nothing shows.",
        "03",
        RULES,
    ),
    WrongEngine(
        "H5",
        SigmoidOfInput,
        "the sigmoid's derivative taken of the input",
        "The sigmoid's local derivative is y·(1 - y), y its output, not its input.",
        "03",
        RULES,
    ),
    WrongEngine(
        "H6",
        TanhWithoutSquare,
        "tanh's derivative without the square",
        "tanh's local derivative is 1 - y², y its output; here it is 1 - y.",
        "03",
        RULES,
    ),
    WrongEngine(
        "H7",
        GatesUpstream,
        "relu's gate looks at the gradient",
        "relu passes a gradient on where its input was above 0, whatever the gradient's sign. Here the sign decides.",
        "03",
        GATE,
    ),
    WrongEngine(
        "H8",
        EachInputOnce,
        "a node that is both inputs counts once",
        "a + a and a * a have two edges from a, and each has a share.",
        "04",
        FAN_OUT,
    ),
    WrongEngine(
        "H9",
        BeginsWithOutput,
        "the first gradient is the output",
        "The pass begins with the slope of the root along itself, which is 1, not with the root's number.",
        "03",
        "Two operations: multiply along the way",
    ),
    WrongEngine(
        "H10",
        StopsAtZero,
        "a gradient of 0 ends the pass",
        "Nothing goes on from a node with gradient 0; nodes that come later in the order still have their share.",
        "05",
        ORDERS,
    ),
    WrongEngine(
        "H11",
        ForgetsPlainFactor,
        "a plain number as a factor is forgotten",
        "The slope of v * 3 along v is 3, also where 3 is a plain number; here it is 1.",
        "03",
        RULES,
    ),
    WrongEngine(
        "H12",
        FirstInputOnly,
        "the search goes into the first input only",
        "A node's second input has inputs of its own, and they need their gradients, too.",
        "05",
        ORDERS,
    ),
)
