"""Three things to remember. A node stores its inputs, so that `backward` can find them. An operation makes a new node,
and stores a function `_backward` on it. And that function adds to the `grad` of each input.

`backward` puts 1 into its own `grad` and calls `_backward` of every node, each after all that use it. For that, list
each node once, after its inputs, and go through the list backwards.
"""


class Fresh:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, _prev
        self._backward = lambda: None

    def __add__(self, other):
        out = Fresh(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Fresh(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def backward(self):
        order, visited = [], set()

        def visit(node):
            if node not in visited:
                visited.add(node)
                for each in node._prev:
                    visit(each)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
