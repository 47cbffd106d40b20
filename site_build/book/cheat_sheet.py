"""The cheat sheet, one printed page: local rules, the loop, numbers to check an engine with, instruments."""

import math

from autograd import MLP, Neuron, Value, half_squares
from autograd.errors.messages import show
from exercises.clinic.instruments import INSTRUMENTS

POINTS = ((0.7, 1.3), (2.5, -0.4), (1.9, 3.1))  # x and y at which each rule is compared with the engine
RULES = (  # an operation as it is written, as it is run, and its local derivatives in x, y and out
    ("x + y", lambda x, y: x + y, ("1", "1")),
    ("x - y", lambda x, y: x - y, ("1", "-1")),
    ("x · y", lambda x, y: x * y, ("y", "x")),
    ("x / y", lambda x, y: x / y, ("1 / y", "-out / y")),
    ("x ** 3, and so x ** n", lambda x, y: x**3, ("3 * x ** 2",)),
    ("exp x", lambda x, y: x.exp(), ("out",)),
    ("log x", lambda x, y: x.log(), ("1 / x",)),
    ("√x", lambda x, y: x.sqrt(), ("1 / (2 * out)",)),
    ("sin x", lambda x, y: x.sin(), ("cos(x)",)),
    ("cos x", lambda x, y: x.cos(), ("-sin(x)",)),
    ("tanh x", lambda x, y: x.tanh(), ("1 - out ** 2",)),
    ("σ(x)", lambda x, y: x.sigmoid(), ("out * (1 - out)",)),
    ("relu x", lambda x, y: (x - 1).relu(), ("1 if out > 0 else 0",)),
)
LOOP = """\
for epoch in range(epochs):
    predictions = [net(row) for row in rows]      # forward: values and local derivatives
    loss = sum_of_squares(predictions, targets)
    optimizer.zero_grad()                         # else gradients add up
    loss.backward()                               # from the root: local × upstream, added
    optimizer.step()                              # p.data -= lr * p.grad
"""
IDEAS = (
    "**contribution to an input = local derivative × upstream gradient**; contributions to a node are added (`+=`).",
    "A node passes on when its own gradient is complete: the reverse of a topological order. The root starts with 1.",
    "One pass forward and one back give every gradient. Nudging takes a pass for each parameter.",
    "To check: (f(x + h) - f(x - h)) / 2h, with h about 1e-5.",
)


def page():
    """Return the sheet as MyST."""
    checked = [(written, ", ".join(f"`{rule}`" for rule in held(*each))) for written, *each in RULES]
    rules = "\n".join(f"| {written} | {found} |" for written, found in checked)
    numbers = "\n".join(f"| {what} | {value} |" for what, value in signature_numbers())
    ideas = "\n".join(f"- {idea}" for idea in IDEAS)
    instruments = "\n".join(f"| {each.title} | {each.asks} | {words_of(each)} |" for each in INSTRUMENTS.values())
    return (
        "# Cheat sheet\n\n"
        f"{ideas}\n\n"
        f"## The loop\n\n```python\n{LOOP}```\n\n"
        "## Local rules\n\n*out* is what the operation gives. Each rule was held against the engine.\n\n"
        f"| operation | local derivatives |\n|---|---|\n{rules}\n\n"
        f"## Numbers to check an engine with\n\n| | |\n|---|---|\n{numbers}\n\n"
        "## The clinic's instruments\n\nWhat each asks, and what it reads where nothing is wrong (the clinic).\n\n"
        f"| instrument | asks | healthy |\n|---|---|---|\n{instruments}\n"
    )


def words_of(instrument):
    """Return what the dials of an instrument read on a healthy program."""
    return "; ".join(f"{dial.title}: {' or '.join(dial.healthy)}" for dial in instrument.dials)


def held(operation, rules):
    """Return the rules of an operation if they agree with the engine at every point; else raise ValueError."""
    for x, y in POINTS:
        node = operation(Value(x), Value(y))
        names = {"x": x, "y": y, "out": node.data, "cos": math.cos, "sin": math.sin}
        told = [eval(rule, names) for rule in rules]
        if not all(map(math.isclose, told, node._local)) or len(told) != len(node._local):
            raise ValueError(f"the engine's local derivatives of {node._op!r} at {x}, {y} are not {', '.join(rules)}.")
    return rules


def signature_numbers():
    """Yield (what, its number) for known examples, computed."""
    x, y, z = Value(-2.0), Value(5.0), Value(-4.0)
    f = (x + y) * z
    f.backward()
    yield "(x + y) · z at -2, 5, -4", f"{show(f.data)}; gradients {format_gradients(x, y, z)}"
    x, y = Value(3.0), Value(1.0)
    f = x**2 + 3 * x * y + 1
    f.backward()
    yield "x² + 3xy + 1 at 3, 1", f"{show(f.data)}; gradients {format_gradients(x, y)}"
    a = Value(1.5)
    b = 2 * a
    f = b * (b + 1)
    f.backward()
    yield "b(b + 1), b = 2a, at a = 1.5", f"{show(f.data)}; gradient {format_gradients(a)} (naive recursion: 22)"
    one = Neuron(2, activation="sigmoid")
    for parameter, number in zip((*one.weights, one.bias), (0.5, -0.5, 0.1)):
        parameter.data = number
    loss = half_squares([one([2.0, 3.0])], [1.0])
    loss.backward()
    yield (
        "½(σ(0.5·2 - 0.5·3 + 0.1) - 1)²",
        f"{show(loss.data)}; gradients of w₁, w₂, b {format_gradients(*one.weights, one.bias)}",
    )
    yield "parameters of MLP(2, [4, 4, 1])", len(MLP(2, [4, 4, 1]).parameters())
    yield "the most that ten sigmoids leave, ¼¹⁰", f"{0.25**10:.2e}"
    yield "cross-entropy of ten equal probabilities, ln 10", show(math.log(10))
    yield "floor of softmax used twice, ten classes, ln(1 + 9/e)", show(math.log(1 + 9 / math.e))


def format_gradients(*values):
    """Return gradients, as they are shown."""
    return ", ".join(show(value.grad) for value in values)
