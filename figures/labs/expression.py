"""The expression lab: a formula is typed, and its computation graph is drawn at every key; names get sliders."""

import html
import math

from autograd import Value, messages
from autograd.real import show
from figures import layout
from figures.graph import LIMIT, collapsed, description, graph_svg, lay_out, marks_of, read_graph
from figures.labs.drawing import Steady
from figures.labs.expression_parser import Fault, build, names, parse
from figures.labs.step import numbers_table
from figures.picture import labelled
from figures.player import Control, Frame, Recording
from figures.style import NOT_YET

STARTS = (2.0, 3.0, 0.5, 4.0, 1.5, 5.0, 2.5, 1.0)  # of names that come without a number, in the order of their coming
REACH = 10.0  # of a slider, either way

WIDTH, HEIGHT = 1040, 330  # of the pane for the graph
SMALLEST, LARGEST = 0.8, 1.35  # how many times its own size a graph is drawn at

LEAF = "leaf "  # before a name, in the name of its slider: a leaf may well be called gradients


def expression(text="x*y + 3*x", values=None, *, gradients=False):
    """A text box for a formula, and its computation graph, drawn anew at every key.

    The formula is made of names, numbers, + - * / **, parentheses and the functions exp, log, sqrt, sin, cos, tanh,
    sigmoid, relu and leaky_relu; anything else gets a sentence that points at the fault, and the last graph stays. It
    is read by a parser of its own; nothing typed is run as Python. Each name is a leaf with a slider; values, as in
    {"x": 2.0}, are where the sliders begin. Gradients are – until the switch runs the backward pass.
    """
    numbers = {name: number(value, name) for name, value in dict(values or {}).items()}
    if not isinstance(gradients, bool):
        raise TypeError(f"gradients is True or False, got {messages.described(gradients)}.")
    return Expression(text, numbers, gradients)


def number(value, name):
    """A number for a slider. TypeError or ValueError if it is none."""
    value = messages.real(value, name)
    if not math.isfinite(value):
        raise ValueError(f"{name} is a number on a slider, from -1.8e308 to 1.8e308; got {value}.")
    return value


class Expression(Steady):
    """The lab: a Player whose controls follow the names in the text."""

    def __init__(self, text, numbers, gradients):
        self.numbers = numbers  # of every name there has been, so that one that comes back is where it was
        self.term = parse(text)
        self.named = self._named(self.term)
        super().__init__(self._recorded(gradients), controls=self._controls(text, gradients))

    def answer(self, values, presses):
        """Read the text, keep what the sliders say, and draw; or say what is wrong, and leave the graph as it is."""
        for name in self.named:
            if LEAF + name in values:
                self.numbers[name] = number(values[LEAF + name], name)
        text, gradients = values["expression"], bool(values["gradients"])
        try:
            term = parse(text)
        except Fault as fault:
            self.spec = {
                **self.spec,
                "message": f"At character {fault.at + 1}: {fault.sentence}",
                "fault": {"name": "expression", "at": fault.at},
            }
            return
        self.term, self.named = term, self._named(term)
        self.controls, self.values = self._controls(text, gradients), values
        try:
            self.recording = self._recorded(gradients)
        except (ValueError, ZeroDivisionError) as fault:  # outside an op's domain: the sliders must be there to mend it
            spec = {key: value for key, value in self.spec.items() if key != "fault"}
            self.spec = {**spec, "message": str(fault), "controls": controls_of(self.controls)}
            return
        self.spec = self._spec(self.recording)

    def _named(self, term):
        """The names in a term. One that takes another's place while a learner types takes over its number."""
        found, before = names(term), getattr(self, "named", [])
        new, gone = [name for name in found if name not in before], [name for name in before if name not in found]
        if len(new) == len(gone) == 1 and new[0] not in self.numbers:
            self.numbers[new[0]] = self.numbers[gone[0]]
        for place, name in enumerate(found):
            self.numbers.setdefault(name, STARTS[place])
        return found

    def _recorded(self, gradients):
        """The Recording of the term as it is now."""
        return record(self.term, {name: self.numbers[name] for name in self.named}, gradients)

    def _controls(self, text, gradients):
        """The text box, the switch, and a slider for each name."""
        fixed = [
            Control("text", "expression", "expression", text),
            Control("toggle", "gradients", "gradients (run backward)", gradients),
        ]
        return [*fixed, *(slider(name, self.numbers[name]) for name in self.named)]


def controls_of(controls):
    """Controls as plain data, as a Player sends them."""
    return [{key: value for key, value in vars(control).items() if value is not None} for control in controls]


def slider(name, value):
    """A slider for a leaf, wide enough for its number."""
    reach = max(REACH, math.ceil(abs(value)))
    return Control("range", LEAF + name, name, value, min=-reach, max=reach, step=0.1)


def record(term, numbers, gradients):
    """One frame: the graph of a Term at these numbers, with its values, and its gradients if wanted."""
    root = build(term, {name: Value(value, label=name) for name, value in numbers.items()})
    if gradients:
        root.backward()
    nodes = read_graph(root)
    drawn, note = collapsed(nodes) if len(nodes) > LIMIT else (nodes, "")
    marks = {f"n{i}.{what}": {"text": ""} for i in range(len(drawn)) for what in ("data", "grad")}
    marks |= {f"n{i}": {"state": ""} for i in range(len(drawn))}
    if drawn is nodes:
        marks |= marks_of(nodes, gradients=gradients)
    marks |= {"count": {"text": str(len(nodes))}, "root": {"text": show(root.data)}}
    say, alt = f"{meaning(nodes, gradients)} {note}".strip(), description(nodes, note)
    return Recording("An expression and its graph", [Frame(say, "", marks)], stage(drawn, len(nodes)), alt)


def meaning(nodes, gradients):
    """What the graph is made of, and what its gradients say, in a few sentences."""
    root = nodes[-1]
    leaves = list(dict.fromkeys(node.name for node in nodes if not node.inputs and node.labelled))
    constants = sum(not node.inputs and not node.labelled for node in nodes)
    operations = sum(bool(node.inputs) for node in nodes)
    parts = [counted(len(leaves), "leaf", "leaves") + (f" ({', '.join(leaves)})" if leaves else "")] if leaves else []
    parts += [counted(constants, "plain number")] if constants else []
    parts += [counted(operations, "operation")] if operations else []
    said = f"{counted(len(nodes), 'node')}: {listed(parts)}. The result is {show(root.data)}."
    if not leaves:
        return f"{said} Numbers alone are worked out before the engine sees them; add a name to give it work."
    if not gradients:
        return f"{said} No backward pass has run, so every gradient is {NOT_YET}."
    slopes = {node.name: node.grad for node in nodes if node.labelled and not node.inputs}
    return f"{said} Backward: {', '.join(f'{name}.grad = {show(slope)}' for name, slope in slopes.items())}."


def counted(count, one, many=None):
    """A count of things in words: 1 node, 3 leaves."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def listed(parts):
    """Parts of a sentence: a, b and c."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def stage(drawn, count):
    """The function that renders marks: the graph in a pane of fixed height, so that nothing else moves."""
    try:
        placed = lay_out(drawn, "LR")
    except layout.LayoutError:
        placed = None
    share = min(LARGEST, WIDTH / placed.width, HEIGHT / placed.height) if placed else 1.0

    def render(marks):
        if placed is None:
            inner = numbers_table(drawn, marks)
        else:
            inner = labelled(graph_svg(drawn, placed, marks), f"Computation graph of {counted(count, 'node')}.")
            fitting, least = placed.width * max(share, SMALLEST), placed.width * SMALLEST  # below that it scrolls
            style = f"width:min(100%,{fitting:.0f}px);min-width:{least:.0f}px"
            inner = inner.replace(' style="', f' style="{style};', 1)
        return f'<div class="bp-pane" tabindex="0" role="group" aria-label="The graph">{inner}</div>{counts(marks)}'

    return render


def counts(marks):
    """How many nodes there are, and the result."""
    cells = "".join(
        f'<div class="bp-plain"><span>{name}</span><b data-key="{key}">{html.escape(marks[key]["text"])}</b></div>'
        for key, name in (("count", "nodes"), ("root", "result"))
    )
    return f'<div class="bp-sum bp-pair">{cells}</div>'
