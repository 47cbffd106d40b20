"""`explained`: a stage of the learner's class on one screen, with what each of its lines does behind a click."""

import ast
import html

from exercises import library

LINES = {  # a line of code, and what it does
    "class Value:": "The class: each of its objects is one node of a graph.",
    'def __init__(self, data, _prev=(), _op="", label=""):': "A leaf needs its number only; an operation gives more.",
    "def __init__(self, data):": "The least that a number needs.",
    "self.data = data": "The number itself.",
    "self.grad = 0.0  # ∂root/∂self": "The gradient. It begins at 0, so that contributions can be added to it.",
    "self.label = label": "A name for drawings. No calculation uses it.",
    "self._prev = _prev  # the inputs, in order": "The inputs, a tuple. a + a has a in it twice: two edges.",
    'self._op = _op  # what made this number; "" for a leaf': "The sign or name of the operation, for drawings too.",
    "self._backward = lambda: None  # a leaf has nothing to pass on": "Does nothing; an operation puts its rule here.",
    "def __repr__(self):": "What a notebook shows for a Value.",
    'return f"Value(data={self.data:.4f}, grad={self.grad:.4f})"': "Both numbers, with four decimals.",
    'return f"Value(data={self.data:.4f})"': "The number, with four decimals.",
    "def __add__(self, other):": "Python calls this for self + other.",
    "return Value(self.data + other.data)": "The sum, which forgets where it came from.",
    'return Value(self.data + other.data, (self, other), "+")': "The sum, which remembers its two inputs.",
    "other = as_value(other)": "A plain number becomes a leaf.",
    'out = Value(self.data + other.data, (self, other), "+")': "Forward: the sum, which remembers its two inputs.",
    "def _backward():": "The node's rule, written now and run later. It can still see self, other and out: a closure.",
    "self.grad += out.grad": "local × upstream, with the local derivative 1. +=, as self may be used elsewhere too.",
    "other.grad += out.grad": "The same for the second input.",
    "out._backward = _backward": "The rule is kept on the node that was made.",
    "return out": "The new node, which further operations can use.",
    "def __mul__(self, other):": "Python calls this for self * other.",
    "return Value(self.data * other.data)": "The product, which forgets where it came from.",
    'return Value(self.data * other.data, (self, other), "*")': "The product, which remembers its two inputs.",
    'out = Value(self.data * other.data, (self, other), "*")': "Forward: the product, which remembers its two inputs.",
    "self.grad += other.data * out.grad": "The local derivative along one factor is the other factor.",
    "other.grad += self.data * out.grad": "And the other way round.",
    "def one_input(self, y, op, local):": "All operations with one input are made here. They differ in two numbers.",
    "out = Value(y, (self,), op)": "Forward: the output, which remembers its one input.",
    "self.grad += local * out.grad": "local × upstream. The local derivative was worked out in the forward pass.",
    "def __pow__(self, n):": "Python calls this for self ** n, with a plain number n.",
    'return Value(self.data**n, (self,), f"**{n}")': "A power, which remembers its one input.",
    'return self.one_input(self.data**n, f"**{n}", n * self.data ** (n - 1))': "The derivative of xⁿ is n·xⁿ⁻¹.",
    "def exp(self):": "e to the power of self.",
    "y = math.exp(self.data)": "Kept in y, as it is needed twice.",
    'return self.one_input(y, "exp", y)': "The derivative of eˣ is the output itself.",
    "def log(self):": "The natural logarithm.",
    'return self.one_input(math.log(self.data), "log", 1 / self.data)': "The derivative of log x is 1/x.",
    "def tanh(self):": "A bend into -1 … 1.",
    "y = math.tanh(self.data)": "Kept in y, as it is needed twice.",
    'return self.one_input(y, "tanh", 1 - y * y)': "The local derivative is 1 minus the square of the output.",
    "def sigmoid(self):": "A bend into 0 … 1.",
    "y = 1 / (1 + math.exp(-self.data))": "Kept in y, as it is needed twice.",
    'return self.one_input(y, "sigmoid", y * (1 - y))': "The local derivative is the output times (1 - output).",
    "def relu(self):": "self where it is positive, else 0.",
    'return self.one_input(max(0.0, self.data), "relu", float(self.data > 0))': "float(True) is 1, float(False) 0.",
    "def backward(self):": "The whole backward pass, from this node as the root.",
    "self.grad = 1.0": "The root changes exactly as fast as itself.",
    "for node in reversed(topological_order(self)):": "Each node after all of its consumers, so its grad is complete.",
    "node._backward()": "It passes on local × grad to its inputs, once.",
    "def __radd__(self, other):  # other + self": "Python calls this where the left operand is a plain number.",
    "return as_value(other) + self": "The number becomes a leaf, and __add__ does the rest.",
    "def __rmul__(self, other):  # other * self": "The same for *.",
    "return as_value(other) * self": "The number becomes a leaf, and __mul__ does the rest.",
    "def __sub__(self, other):  # self - other": "A difference, made of what is there already.",
    "return self + as_value(other) * -1": "Both operations have their rules, so a difference needs none of its own.",
    "def __rsub__(self, other):  # other - self": "The number stands on the left.",
    "return as_value(other) - self": "So it comes first here as well.",
    "def __neg__(self):  # -self": "The opposite.",
    "return self * -1": "A product with -1.",
    "def __truediv__(self, other):  # self / other": "A quotient, made of what is there already.",
    "return self * as_value(other) ** -1": "Times the reciprocal.",
    "def __rtruediv__(self, other):  # other / self": "The number stands on top.",
    "return as_value(other) / self": "So it comes first here as well.",
    "def as_value(thing):": "Lets 2 * a and a * 2 work.",
    "return thing if isinstance(thing, Value) else Value(thing)": "A Value stays. A number becomes a new leaf.",
    "def topological_order(root):": "The order in which nodes can be computed: leaves first.",
    "order, visited, stack = [], {root}, [(root, iter(root._prev))]": "The list to be made; the nodes met so "
    "far; and those that wait, each with those of its inputs that are still to come.",
    "while stack:": "Until no node waits any more.",
    "node, inputs = stack[-1]": "Look at the newest of them. It stays on the stack.",
    "for input in inputs:": "Its inputs, from where the search last left off: an iterator remembers that.",
    "if input not in visited:": "A node that was met before is passed over. Nodes are compared, not numbers.",
    "visited.add(input)": "Met now.",
    "stack.append((input, iter(input._prev)))": "It comes first, so it goes on the stack, and the node waits.",
    "break": "On to the new node.",
    "else:": "Of a `for`: run where no `break` was. No input is left.",
    "order.append(node)": "All inputs stand in the list, so the node may.",
    "stack.pop()": "It waits no more.",
    "return order": "The root is the last that was appended.",
}  # fmt: skip

PROMISE = "What it promises, in words."


class Explained:
    """The parts of a stage, each as its lines of code with what they do."""

    def __init__(self, stage):
        self.stage, source = stage, library.stage(stage)
        lines, tree = source.splitlines(), ast.parse(source)
        starts = []
        for node in tree.body:
            starts.append(node.lineno)
            if isinstance(node, ast.ClassDef):
                starts += [item.lineno for item in node.body if isinstance(item, ast.FunctionDef)]
        ends = [*starts[1:], len(lines) + 1]
        self.parts = [
            [(line, meaning(line)) for line in lines[start - 1 : end - 1] if line.strip()]
            for start, end in zip(starts, ends)
        ]

    def html(self):
        """The first line of each part, and the others with their explanations behind a click."""
        return f'<div style="line-height:1.35">{"".join(map(part_html, self.parts))}</div>'

    def __repr__(self):
        return "\n\n".join("\n".join(f"{line}\n    → {said}" for line, said in part) for part in self.parts)

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": repr(self)}


def meaning(line):
    """What a line of a stage does."""
    line = line.strip()
    if line.startswith('"""'):
        return PROMISE
    return LINES[line]


def part_html(part):
    """One part: its head, which opens it, and a row for each of its other lines."""
    (head, said), *rest = part
    margin = indent(head)
    rows = "".join(
        '<div style="display:grid;grid-template-columns:minmax(0,11fr) minmax(0,9fr);gap:0 1.5em;padding:.15em 0">'
        f"{code(line, indent(line) - margin)}<span>{library.marked(says)}</span></div>"
        for line, says in rest
    )
    return (
        f'<details style="margin:0"><summary style="cursor:pointer;margin-left:{margin}ch">{code(head, 0)}</summary>'
        f'<div style="margin:.2em 0 .6em {margin + 3}ch;max-width:72em">'
        f'<div style="padding:.15em 0">{library.marked(said)}</div>{rows}</div></details>'
    )


def indent(line):
    """How many spaces a line begins with."""
    return len(line) - len(line.lstrip())


def code(line, columns):
    """A line of code, moved to the right by so many columns; where it is too long, its rest stays there."""
    place = "inline" if not columns else "block"
    style = f"display:{place};padding:0 0 0 {columns}ch;white-space:pre-wrap;background:none"
    return f'<code style="{style}">{html.escape(line.strip())}</code>'


def explained(stage):
    """The learner's class at the end of a stage, 1 to 4: each method opens on a click, and says what its lines do."""
    return Explained(stage)
