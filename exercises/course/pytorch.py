"""`beside_pytorch`: one program on this course's engine and in PyTorch, side by side, with the result of each line."""

import ast
import html
import json
import re
from pathlib import Path

import numpy

from exercises.content import library
from exercises.course import at_work
from figures.graph.pytorch import one_thread

RECORDED = Path(__file__).with_name("recorded") / "pytorch.json"  # PyTorch's results, in case it is not installed

OURS, THEIRS = "import autograd", "import torch"


def leaves(**numbers):
    """Return the line that makes leaves with these names and numbers, here and in PyTorch."""
    names = ", ".join(numbers)
    ours = ", ".join(f"autograd.Value({number})" for number in numbers.values())
    theirs = ", ".join(f"torch.tensor({number}, requires_grad=True)" for number in numbers.values())
    return f"{names} = {ours}", f"{names} = {theirs}"


def same_lines(lines):
    """Return lines, separated by semicolons, that are the same here and in PyTorch."""
    return [(line, line) for line in lines.split("; ")]


def network(seed):
    """Yield the lines that make a network here, and one of the same shape and weights in PyTorch."""
    ours = f'autograd.MLP(2, [4, 4, 1], output="tanh", rng=random.Random({seed}))'
    yield f"net = {ours}", f"ours = {ours}"
    yield "", "net = Sequential(Linear(2, 4), Tanh(), Linear(4, 4), Tanh(), Linear(4, 1), Tanh()).double()"
    yield (
        "",
        "with torch.no_grad():\n"
        "    for linear, layer in zip(net[::2], ours.layers):\n"
        "        linear.weight[:] = torch.DoubleTensor([[w.data for w in n.weights] for n in layer.neurons])\n"
        "        linear.bias[:] = torch.DoubleTensor([n.bias.data for n in layer.neurons])",
    )


RANDOM = "import random", "import random, autograd\nfrom torch.nn import Linear, Sequential, Tanh"
EPOCHS = "for epoch in range(61):\n    loss = {}\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()"

PROGRAMS = {  # [(a line here, the same line in PyTorch), …]; "" if a side needs none
    "a backward pass": (
        leaves(a=2.0, b=3.0),
        ("c, d = a + b, a * b", "c, d = a + b, a * b"),
        ("y = (c + d) + c * d", "y = (c + d) + c * d"),
        ("y.backward()", "y.backward()"),
        ("a.grad, b.grad", "a.grad, b.grad"),
    ),
    "two passes": (
        leaves(a=3.0, b=2.0),
        leaves(d=1.0),
        *same_lines("c = a + b; e = c * d"),
        ("not a._prev, not c._prev", "a.is_leaf, c.is_leaf"),
        ("", "c.retain_grad()"),
        ("e.backward()", "e.backward(retain_graph=True)"),
        *same_lines("a.grad, b.grad, d.grad; e.backward(); a.grad, b.grad, d.grad; c.grad"),
        *same_lines("e.backward(); a.grad, b.grad, d.grad"),
    ),
    "two mini-batches": (
        leaves(w=1.0),
        ("optimizer = autograd.SGD([w], lr=0.1)", "optimizer = torch.optim.SGD([w], lr=0.1)"),
        *same_lines("w.grad; (3 * w).backward(); (5 * w).backward(); w.grad; optimizer.step(); w.data"),
        *same_lines("optimizer.zero_grad(); w.grad"),
    ),
    "stale numbers": (
        leaves(a=2.0, b=3.0),
        *same_lines("y = a * b; L = y * y"),
        ("a.data = 5.0", "with torch.no_grad():\n    a.fill_(5.0)"),
        *same_lines("L.backward(); b.grad"),
    ),
    "a network": (
        RANDOM,
        *network(8),
        ("count = len(net.parameters())", "count = sum(p.numel() for p in net.parameters())"),
        *same_lines("count"),
        ("", "net[0].weight.shape"),
        ("output = net([1.0, 2.0])", "output = net(torch.DoubleTensor([1.0, 2.0]))"),
        *same_lines("output; output.backward()"),
        ("net.layers[0].neurons[0].weights", "net[0].weight.grad[0]"),
        ("net.layers[0].neurons[0].bias", "net[0].bias.grad[0]"),
    ),
    "a training loop": (
        RANDOM,
        (
            "rows = [[0, 0], [0, 1], [1, 0], [1, 1]]\ntargets = [0, 1, 1, 0]",
            "rows = torch.DoubleTensor([[0, 0], [0, 1], [1, 0], [1, 1]])\n"
            "targets = torch.DoubleTensor([[0], [1], [1], [0]])",
        ),
        *network(0),
        ("optimizer = autograd.SGD(net.parameters(), lr=0.1)", "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)"),
        (
            EPOCHS.format("autograd.sum_of_squares([net(row) for row in rows], targets)"),
            EPOCHS.format("((net(rows) - targets) ** 2).sum()"),
        ),
        ("f'{loss.data:.4f}'", "f'{loss.item():.4f}'"),
        ("[round(net(row).data, 2) for row in rows]", "[round(output.item(), 2) for output in net(rows)]"),
    ),
    "a batch": (
        ("from autograd.tensor import Tensor", ""),
        *(
            (f"{name} = Tensor({numbers})", f"{name} = torch.tensor({numbers}, requires_grad=True)")
            for name, numbers in (
                ("x", "[[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]]"),
                ("w", "[[1.0, -1.0], [2.0, 0.0], [0.5, 1.0]]"),
                ("b", "[0.5, -0.5]"),
            )
        ),
        *same_lines("y = x @ w + b; y.data"),
        ("y.backward(gradient=[[1, 0], [2, -1]])", "y.backward(gradient=torch.tensor([[1.0, 0.0], [2.0, -1.0]]))"),
        *same_lines("x.grad; w.grad; b.grad"),
        ("", "linear = torch.nn.Linear(3, 2)"),
        ("", "linear.weight.shape"),
        ("", "abs(linear(x) - (x @ linear.weight.T + linear.bias)).max().item() < 1e-6"),
    ),
    "six digits": (
        (
            "from autograd.lessons.digits import load_digits, network, scores",
            "from autograd.lessons.digits import load_digits, network\nfrom torch.nn import CrossEntropyLoss",
        ),
        (
            "digits = load_digits()\npictures, labels = digits.train[:6], digits.train_labels[:6]",
            "digits = load_digits()\n"
            "pictures = torch.DoubleTensor(digits.train[:6].tolist())\n"
            "labels = torch.tensor(digits.train_labels[:6].tolist())",
        ),
        (
            "w1, b1, w2, b2 = network()",
            "w1, b1, w2, b2 = [torch.DoubleTensor(p.data.tolist()).requires_grad_() for p in network()]",
        ),
        ("z = scores(pictures, w1, b1, w2, b2)", "z = (pictures @ w1 + b1).relu() @ w2 + b2"),
        ("loss = z.softmax_cross_entropy(labels)", "loss = CrossEntropyLoss()(z, labels)"),
        ("f'{float(loss):.6f}'", "f'{loss.item():.6f}'"),
        *same_lines("loss.backward(); [round(g, 3) for g in b2.grad.tolist()]"),
        ("f'{abs(w1.grad).sum():.6f}'", "f'{w1.grad.abs().sum().item():.6f}'"),
    ),
    **at_work.PROGRAMS,
}
GIVEN = {"a rule of your own": ("sum_vjp",)}  # parts that a program uses: the course's, unless others are given


def outputs(lines, given=()):
    """Run lines as in a console. Return the result of each: "" for nothing, an error by its first sentence.

    given: {name: function} that the lines may use.
    """
    names, found = dict(given), []
    for line in lines:
        try:
            found.append(output(line, names))
        except Exception as fault:
            found.append(f"{type(fault).__name__}: {str(fault).split('. ')[0].splitlines()[0]}")
    return found


def output(line, names):
    """Run a line. Return the value of an expression as text, except that of a call, and "" for a statement."""
    tree = ast.parse(line)
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr) or isinstance(tree.body[0].value, ast.Call):
        exec(line, names)
        return ""
    return re.sub(r"\n\s*", " ", repr(eval(line, names)))  # an array comes in lines


def ran_here(name):
    """Run this course's lines of a program, and return the result of each."""
    return outputs([OURS, *(ours for ours, _ in PROGRAMS[name])])[1:]


def parts_of(name):
    """Return {name: function} of the course's parts that a program uses."""
    names = {"np": numpy}
    for part in GIVEN.get(name, ()):
        exec(library.solution(part).code, names)
    return {part: names[part] for part in GIVEN.get(name, ())}


def ran_in_pytorch(name, given=()):
    """Run PyTorch's lines of a program. Return the results and its version; raise ImportError without PyTorch."""
    with one_thread() as torch:
        lines = [THEIRS, *(theirs for _, theirs in PROGRAMS[name])]
        return outputs(lines, parts_of(name) | dict(given))[1:], torch.__version__.split("+")[0]


def recorded(name):
    """Return PyTorch's recorded results, and its version then."""
    kept = json.loads(RECORDED.read_text(encoding="utf-8"))
    return kept["outputs"][name], kept["version"]


def keep_outputs():
    """Run all programs in PyTorch and store their results."""
    found = {name: ran_in_pytorch(name) for name in PROGRAMS}
    version = next(version for _, version in found.values())
    kept = {"version": version, "outputs": {name: given for name, (given, _) in found.items()}}
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


class Beside:
    """A program's two columns, run now; PyTorch's from the record if it is not installed."""

    def __init__(self, name, given=()):
        if name not in PROGRAMS:
            raise ValueError(f"There is no program {name!r}. There are: {', '.join(PROGRAMS)}.")
        try:
            theirs, version = ran_in_pytorch(name, given)
            self.source = f"PyTorch {version}, run now"
        except ImportError:
            theirs, version = recorded(name)
            self.source = f"PyTorch {version}, as recorded: it is not installed here, and nothing needs it"
        ours, others = zip(*PROGRAMS[name])
        self.rows = list(zip(zip(ours, ran_here(name)), zip(others, theirs)))

    def html(self):
        """Return the rows as an HTML table: a line of code, and below it its result."""
        rows = "".join(f"<tr>{cell_html(*ours)}{cell_html(*theirs)}</tr>" for ours, theirs in self.rows)
        head = f'<tr><th scope="col" style="{LEFT}">here</th><th scope="col" style="{LEFT}">{self.source}</th></tr>'
        style = "table-layout:fixed;width:100%;max-width:70em"
        return f'<table style="{style}"><thead>{head}</thead><tbody>{rows}</tbody></table>'

    def __repr__(self):
        lines = [f"here | {self.source}"]
        for (ours, here), (theirs, there) in self.rows:
            lines.append(f"{ours or '–'} | {theirs or '–'}".replace("\n    ", " "))
            if here or there:
                lines.append(f"    {here or '–'} | {there or '–'}")
        return "\n".join(lines)

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": repr(self)}


LEFT = "text-align:left;vertical-align:top"


def cell_html(line, given):
    code = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;background:none;padding:0"
    shown = f'<code style="{code}">{html.escape(line)}</code>' if line else ""
    if given:
        shown += f'<div style="padding-left:1.5em;overflow-wrap:anywhere"><b>{html.escape(given)}</b></div>'
    return f'<td style="{LEFT}">{shown}</td>'


def beside_pytorch(name, **given):
    """Show a program in two columns: on this course's engine, and in PyTorch, live if that is installed.

    given: your own functions for it to use, such as sum_vjp in "a rule of your own"; the record used the course's.
    """
    strange = [each for each in given if each not in GIVEN.get(name, ())]
    if strange:
        raise TypeError(
            f"the program {name!r} uses no {strange[0]!r}; it uses: {', '.join(GIVEN.get(name, ('none',)))}."
        )
    return Beside(name, given)
