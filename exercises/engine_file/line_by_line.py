"""`explained`: the course's engine part by part, with what each of its lines does behind a click."""

import html

from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String

from exercises.engine_file.parts import BY_NAME, PARTS, THE_COURSES
from exercises.shelf import library

COLOURS = {  # kinds of words in code, and what JupyterLab's themes call their colours
    Keyword: "keyword",
    Operator.Word: "keyword",
    Name.Function: "def",
    Name.Class: "def",
    Name.Builtin: "builtin",
    Number: "number",
    String: "string",
    Comment: "comment",
}

LINES = {  # a line of code, and what it does
    "import math": "For exp, log and tanh.",
    "import random": "For the first weights of a network, in lesson 08.",
    "class Number:": "The least that a number of one's own needs.",
    "def __init__(self, data):": "Python calls this when Number(2.5) is written.",
    "self.data = data": "The number itself.",
    "def __repr__(self):": "What a notebook shows for it.",
    'return f"Value(data={self.data:.4f})"': "The number, with four decimals.",
    "class Value(Number):": "A Number that has more: each Value is one node of a graph.",
    'def __init__(self, data, _prev=(), _op="", label=""):': "A leaf needs its number only; an operation gives more.",
    "super().__init__(data)": "First what a Number does: it keeps data.",
    "self.grad = 0.0  # ∂root/∂self": "The gradient. It begins at 0, so that contributions can be added to it.",
    "self.label = label": "A name for drawings. No calculation uses it.",
    "self._prev = _prev  # the inputs, in order": "The inputs, a tuple. a + a has a in it twice: two edges.",
    'self._op = _op  # what made this number; "" for a leaf': "The sign or name of the operation, for drawings too.",
    "self._backward = lambda: None  # a leaf has nothing to pass on": "Does nothing; an operation puts its rule here.",
    "__eq__, __hash__ = object.__eq__, object.__hash__  # equal numbers are not one node": "So a set of visited nodes "
    "tells apart two nodes that hold the same number.",
    "def add(self, other):": "self + other, where both are Values.",
    'return Value(self.data + other.data, (self, other), "+")': "The sum, which remembers its two inputs.",
    "Value.__add__ = add": "A function in a class is a method: from now on Python calls it for +.",
    "def multiply(self, other):": "self * other, where both are Values.",
    'return Value(self.data * other.data, (self, other), "*")': "The product, which remembers its two inputs.",
    "Value.__mul__ = multiply": "Python calls it for *.",
    "def as_value(thing):": "Lets 2 * a and a * 2 work.",
    "return thing if isinstance(thing, Value) else Value(thing)": "A Value stays. A number becomes a new leaf.",
    "def reflected_add(self, other):  # other + self": "For a plain number on the left: 2 + a.",
    "return as_value(other) + self": "The number becomes a leaf, and + does the rest.",
    "def reflected_multiply(self, other):  # other * self": "The same for *.",
    "return as_value(other) * self": "The number becomes a leaf, and * does the rest.",
    "Value.__add__ = lambda self, other: add(self, as_value(other))": "For a plain number on the right: a + 2.",
    "Value.__mul__ = lambda self, other: multiply(self, as_value(other))": "The same for *.",
    "Value.__radd__, Value.__rmul__ = reflected_add, reflected_multiply": "The r stands for the right: Python calls "
    "these where self stands there.",
    "def power(self, n):  # self ** n": "A power with a plain number n as exponent.",
    'return Value(self.data**n, (self,), f"**{n}")': "It remembers its one input. The exponent is no node.",
    "Value.__pow__ = power": "Python calls it for **.",
    "Value.__neg__ = lambda self: self * -1  # -self": "The opposite, a product with -1.",
    "def subtract(self, other):  # self - other": "A difference, made of what is there already.",
    "return self + as_value(other) * -1": "Both operations will have their rules, so a difference needs none.",
    "def reflected_subtract(self, other):  # other - self": "The number stands on the left.",
    "return as_value(other) - self": "So it comes first here as well.",
    "Value.__sub__, Value.__rsub__ = subtract, reflected_subtract": "Python calls them for -.",
    "def divide(self, other):  # self / other": "A quotient, made of what is there already.",
    "return self * as_value(other) ** -1": "Times the reciprocal.",
    "def reflected_divide(self, other):  # other / self": "The number stands on top.",
    "return as_value(other) / self": "So it comes first here as well.",
    "Value.__truediv__, Value.__rtruediv__ = divide, reflected_divide": "Python calls them for /.",
    "def add_with_rule(self, other):": "The sum of lesson 02, with a rule for the way back.",
    "out = add(self, as_value(other))": "Forward: the sum, which remembers its two inputs.",
    "self, other = out._prev": "Both inputs as Values, also where one was a plain number.",
    "def _backward():": "The node's rule, written now and run later. It can still see the inputs and out: a closure.",
    "self.grad += out.grad": "local × upstream, with the local derivative 1. +=, as self may be used elsewhere too.",
    "other.grad += out.grad": "The same for the second input.",
    "out._backward = _backward": "The rule is kept on the node that was made.",
    "return out": "The new node, which further operations can use.",
    "Value.__add__ = add_with_rule": "It takes the place of the sum without a rule.",
    "def multiply_with_rule(self, other):": "The product of lesson 02, with its rule.",
    "out = multiply(self, as_value(other))": "Forward: the product, which remembers its two inputs.",
    "self.grad += other.data * out.grad": "The local derivative along one factor is the other factor.",
    "other.grad += self.data * out.grad": "And the other way round.",
    "Value.__mul__ = multiply_with_rule": "It takes the place of the product without a rule.",
    "def local_derivative(op, x, y, n=None):": "For all operations with one input.",
    'if op == "**":': "A power …",
    "return n * x ** (n - 1)": "… has the derivative n·xⁿ⁻¹.",
    'if op == "exp":': "e to the power of x …",
    "return y": "… is its own derivative: the output itself.",
    'if op == "log":': "The natural logarithm …",
    "return 1 / x": "… has the derivative 1/x.",
    'if op == "tanh":': "A bend into -1 … 1:",
    "return 1 - y * y": "1 minus the square of the output.",
    'if op == "sigmoid":': "A bend into 0 … 1:",
    "return y * (1 - y)": "the output times (1 - output).",
    'if op == "relu":': "x where it is positive, else 0:",
    "return 1.0 if x > 0 else 0.0": "so the slope is 1, else 0.",
    "def one_input(x, y, op, n=None):": "All operations with one input are made here.",
    'out = Value(y, (x,), op if n is None else f"**{n}")': "Forward: the output, which remembers its one input.",
    "local = local_derivative(op, x.data, y, n)": "Worked out in the forward pass, while x and y are at hand.",
    "x.grad += local * out.grad": "local × upstream, added.",
    'Value.__pow__ = lambda self, n: one_input(self, self.data**n, "**", n)': "Powers have a rule from now on.",
    'Value.exp = lambda self: one_input(self, math.exp(self.data), "exp")': "What is worked out here is y, the output.",
    'Value.log = lambda self: one_input(self, math.log(self.data), "log")': "The same for the logarithm …",
    'Value.tanh = lambda self: one_input(self, math.tanh(self.data), "tanh")': "… for tanh …",
    'Value.sigmoid = lambda self: one_input(self, 1 / (1 + math.exp(-self.data)), "sigmoid")': "… for the sigmoid …",
    'Value.relu = lambda self: one_input(self, max(0.0, self.data), "relu")': "… and for relu.",
    "def deep_order(root):": "The order in which nodes can be computed: leaves first.",
    "order, visited, waiting = [], {root}, [(root, iter(root._prev))]": "The list to be made; the nodes met so far; "
    "and those that wait, each with those of its inputs that are still to come.",
    "while waiting:": "Until no node waits any more.",
    "node, inputs = waiting[-1]": "Look at the newest of them. It goes on waiting.",
    "for input in inputs:": "Its inputs, from where the search last left off: an iterator remembers that.",
    "if input not in visited:": "A node that was met before is passed over. Nodes are compared, not numbers.",
    "visited.add(input)": "Met now.",
    "waiting.append((input, iter(input._prev)))": "It comes first, so it goes on top, and the node waits.",
    "break": "On to the new node.",
    "else:": "Of a `for`: run where no `break` was. No input is left.",
    "order.append(node)": "All inputs stand in the list, so the node may.",
    "waiting.pop()": "It waits no more.",
    "return order": "The root is the last that was appended.",
    "inputs_first = deep_order": "Exercise 1 asked for the same order, by a shorter way.",
    "topological_order = lambda root: list(deep_order(root))": "As a list, whatever kind of sequence it is.",
    "def backward(self):": "The whole backward pass, from this node as the root.",
    "self.grad = 1.0": "The root changes exactly as fast as itself.",
    "for node in reversed(topological_order(self)):": "Each node after all of its consumers, so its grad is complete.",
    "node._backward()": "It passes on local × grad to its inputs, once.",
    "Value.backward = backward": "From now on any Value can be the root.",
    "class Neuron:": "A weighted sum of its inputs, bent by tanh.",
    "def __init__(self, n_inputs):": "The parameters are made here, once: a call makes none.",
    "self.weights = [Value(random.uniform(-1, 1)) for _ in range(n_inputs)]": "One weight for each input. Each is a "
    "leaf of its own; `[Value(…)] * n` would be one leaf n times.",
    "self.bias = Value(random.uniform(-1, 1))": "One bias, however many inputs there are.",
    "def __call__(self, inputs):": "Python calls this for `thing(inputs)`. Each call builds a new graph.",
    "total = self.bias": "The sum begins at the bias, so that it gets an edge, and with it a gradient.",
    "for w, x in zip(self.weights, inputs):": "Each weight meets its own input.",
    "total = total + w * x": "A product and a sum: two nodes for each input.",
    "return total.tanh()": "The bend. Without it, layers in a row would be no more than one layer.",
    "def parameters(self):": "What training moves, as one flat list. Inputs are none of it.",
    "return [*self.weights, self.bias]": "The leaves themselves, no copies: a copy would be moved in vain.",
    "class Layer:": "Neurons side by side.",
    "def __init__(self, n_inputs, n_outputs):": "How many numbers each neuron reads; how many neurons there are.",
    "self.neurons = [Neuron(n_inputs) for _ in range(n_outputs)]": "`Neuron` is called anew for each, so all differ.",
    "return [neuron(inputs) for neuron in self.neurons]": "All read the same inputs; each gives one answer.",
    "return [p for neuron in self.neurons for p in neuron.parameters()]": "The first neuron's, then the second's, …",
    "class MLP:": "Layers one after the other.",
    "def __init__(self, n_inputs, sizes):": "sizes: the number of neurons in each layer.",
    "reads = [n_inputs, *sizes]": "What each layer reads: the first the inputs, the next the layer before.",
    "self.layers = [Layer(n, m) for n, m in zip(reads, sizes)]": "`zip` stops at the shorter list: no layer reads the "
    "last size.",
    "for layer in self.layers:": "From the inputs to the output.",
    "inputs = layer(inputs)": "What one layer gives, the next one reads. The graph grows by a layer.",
    "return inputs[0] if len(inputs) == 1 else inputs": "One number comes as a Value: a loss can be made of it.",
    "return [p for layer in self.layers for p in layer.parameters()]": "The first layer's first.",
}  # fmt: skip

PROMISE = "What it promises, in words."


def composed():
    """The parts of the course's engine as lesson 05 leaves it, in their order."""
    parts = PARTS[: PARTS.index(BY_NAME["backward"]) + 1]
    parts = [part for part in parts if not part.replaces or part.name in THE_COURSES]
    given_up = {name for part in parts for name in part.replaces}
    return [part for part in parts if part.name not in given_up]


class Explained:
    """(Part, [(line, what it does)]) for each of some parts of the course's, the wires of a part among its lines."""

    def __init__(self, parts):
        self.parts = [
            (part, [(line, meaning(line)) for line in f"{part.text}\n{part.wires}".splitlines() if line.strip()])
            for part in parts
        ]

    def html(self):
        """The parts, each behind a click."""
        return f'<div style="line-height:1.35">{"".join(part_html(*each) for each in self.parts)}</div>'

    def __repr__(self):
        return "\n\n".join(
            "\n".join([heading(part), *(f"{line}\n    → {said}" for line, said in lines)]) for part, lines in self.parts
        )

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": repr(self)}


def meaning(line):
    """What a line of the engine does."""
    line = line.strip()
    if line.startswith('"""'):
        return PROMISE
    return LINES[line]


def heading(part):
    """A part's name and lesson, as in `my_engine.py`."""
    return f"{part.name} · lesson {part.lesson}"


def part_html(part, lines):
    """One part: its heading, which opens it, and a row for each of its lines."""
    rows = "".join(
        '<div style="display:grid;grid-template-columns:minmax(0,11fr) minmax(0,9fr);gap:0 1.5em;padding:.15em 0">'
        f"{code(line, indent(line))}<span>{library.marked(says)}</span></div>"
        for line, says in lines
    )
    return (
        f'<details style="margin:0"><summary style="cursor:pointer">{heading(part)}</summary>'
        f'<div style="margin:.2em 0 .6em 3ch;max-width:72em">{rows}</div></details>'
    )


def indent(line):
    """How many spaces a line begins with."""
    return len(line) - len(line.lstrip())


def code(line, columns):
    """A line of code, moved to the right by so many columns; where it is too long, its rest stays there."""
    place = "inline" if not columns else "block"
    style = f"display:{place};padding:0 0 0 {columns}ch;white-space:pre-wrap;background:none"
    return f'<code style="{style}">{coloured(line.strip())}</code>'


def coloured(line):
    """A line of Python as HTML, in the colours of JupyterLab's editor, which follow its theme."""
    parts = []
    for kind, text in PythonLexer(ensurenl=False).get_tokens(line):
        colour = next((COLOURS[each] for each in reversed(kind.split()) if each in COLOURS), None)
        text = html.escape(text)
        parts.append(f'<span style="color:var(--jp-mirror-editor-{colour}-color)">{text}</span>' if colour else text)
    return "".join(parts)


NETWORK = tuple(BY_NAME[name] for name in ("neuron", "layer", "mlp"))


def explained(what="engine"):
    """The course's code, part by part: each opens on a click, and says what its lines do.

    what: "engine", as lesson 05 leaves it, or "network", the three classes of lesson 08.
    """
    if what not in ("engine", "network"):
        raise ValueError(f'what is explained is the "engine" or the "network", got {what!r}.')
    return Explained(composed() if what == "engine" else NETWORK)
