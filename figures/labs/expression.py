"""The expression lab: type a formula, and its computation graph is redrawn at every key; names get sliders."""

from autograd import Value
from autograd.errors.messages import described, show
from figures.graph.draw import LIMIT, PAGE, collapsed, description, graph_svg
from figures.graph.reader import read_graph
from figures.graph.stage import graph, join_words, place, readings
from figures.page.expression_parser import Fault, build, names, parse
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import finite, switch
from figures.page.picture import labelled
from figures.page.player import Control, Frame, Player, Recording
from figures.page.style import NOT_YET, number

STARTS = (2.0, 3.0, 0.5, 4.0, 1.5, 5.0, 2.5, 1.0)  # of names without a number, in order of appearance
REACH = 10.0  # of a slider, in both directions

WIDTH, HEIGHT = 1040, 330  # of the pane for the graph
SMALLEST, LARGEST = 0.8, 1.35  # the scale of a drawn graph

LEAF = "leaf "  # before a name, in the name of its slider: a leaf may well be called gradients
GRADIENTS = switch("gradients", "gradients (run backward)")


def expression(text="x*y + 3*x", values=None, *, gradients=False):
    """Show a text box for a formula, and its computation graph, redrawn at every key.

    The formula is made of names, numbers, + - * / **, parentheses and the functions that a Value has, such as exp and
    tanh; for anything else a message points at the error, and the last graph stays. A parser reads it; nothing typed
    is run as Python. Each name is a leaf with a slider; values, as in {"x": 2.0}, are where the
    sliders begin. Gradients are – until the switch runs the backward pass.
    """
    if not (values is None or (isinstance(values, dict) and all(isinstance(name, str) for name in values))):
        raise TypeError(f'values is a dict from a name to its number, as in {{"x": 2.0}}; got {described(values)}.')
    numbers = {name: slider(name).check(value) for name, value in (values or {}).items()}
    return Expression(text, numbers, GRADIENTS.check(gradients))


def slider(name):
    return finite(LEAF + name, name, reach=REACH, what=name)


class Expression(Player):
    """The lab: a Player whose controls follow the names in the text."""

    def __init__(self, text, numbers, gradients):
        self.numbers = numbers  # of every name so far, so that a name that returns gets its old number
        self.term = parse(text)
        self.named = self._named(self.term)
        super().__init__(self._recorded(gradients), controls=self._controls(text, gradients))

    def answer(self, values, presses):
        """Read the text, keep the sliders' numbers, and draw; or report an error, and leave the graph unchanged."""
        for name in self.named:
            if LEAF + name in values:
                self.numbers[name] = slider(name).check(values[LEAF + name])
        text, gradients = values["expression"], bool(values["gradients"])
        try:
            term = parse(text)
        except Fault as fault:
            point = {"name": "expression", "at": fault.at}
            return self.say(f"At character {fault.at + 1}: {fault.sentence}", fault=point)
        self.term, self.named = term, self._named(term)
        self.controls, self.values = self._controls(text, gradients), values
        try:
            self.load(self._recorded(gradients))
        except (ValueError, ZeroDivisionError) as fault:  # outside an op's domain: keep the sliders to fix it
            self.say(str(fault), controls=[self._control(control) for control in self.controls])

    def _named(self, term):
        """Return the names in a term; a name that replaces another while a learner types takes over its number."""
        found, before = names(term), getattr(self, "named", [])
        new, gone = [name for name in found if name not in before], [name for name in before if name not in found]
        if len(new) == len(gone) == 1 and new[0] not in self.numbers:
            self.numbers[new[0]] = self.numbers[gone[0]]
        for i, name in enumerate(found):
            self.numbers.setdefault(name, STARTS[i])
        return found

    def _recorded(self, gradients):
        return record(self.term, {name: self.numbers[name] for name in self.named}, gradients)

    def _controls(self, text, gradients):
        fixed = [Control("text", "expression", "expression", text), GRADIENTS.control_at(gradients)]
        return [*fixed, *(slider(name).control_at(self.numbers[name]) for name in self.named)]


def record(term, numbers, gradients):
    """Return a Recording of one frame: the graph of a Term at these numbers, with values and, if wanted, gradients."""
    root = build(term, {name: Value(value, label=name) for name, value in numbers.items()})
    if gradients:
        root.backward()
    nodes = read_graph(root)
    drawn, note = collapsed(nodes) if len(nodes) > LIMIT else (nodes, "")
    shown = graph(drawn, place(drawn, "LR", False, PAGE), False, pane, len(nodes))
    grads = {f"n{i}.grad": number(node.grad) for i, node in enumerate(nodes)} if gradients and drawn is nodes else {}

    def draw(pen):
        cells = (("count", "nodes", str(len(nodes)), True), ("root", "result", number(root.data), True))
        graph_pane = (
            f'<div class="bp-pane" tabindex="0" role="group" aria-label="The graph">{shown(pen, texts=grads)}</div>'
        )
        return graph_pane + readings(pen, cells, kind="bp-pair")

    stage = FrameTemplate(draw)
    frame = Frame(f"{meaning(nodes, gradients)} {note}".strip(), "", stage.updates())
    return Recording("An expression and its graph", [frame], stage, description(nodes, note))


def pane(pen, drawn, placed, texts, count):
    """Draw the graph as large as it fits into a pane of fixed height, so that nothing else moves. count: of nodes."""
    drawing = labelled(graph_svg(pen, drawn, placed, texts), f"Computation graph of {counted(count, 'node')}.")
    share = min(LARGEST, WIDTH / placed.width, HEIGHT / placed.height)
    fitting, least = placed.width * max(share, SMALLEST), placed.width * SMALLEST  # below that it scrolls
    return drawing.replace(' style="', f' style="width:min(100%,{fitting:.0f}px);min-width:{least:.0f}px;', 1)


def meaning(nodes, gradients):
    """Describe in a few sentences what the graph is made of, and what its gradients are."""
    root = nodes[-1]
    leaves = list(dict.fromkeys(node.name for node in nodes if not node.inputs and node.labelled))
    constants = sum(not node.inputs and not node.labelled for node in nodes)
    operations = sum(bool(node.inputs) for node in nodes)
    parts = [counted(len(leaves), "leaf", "leaves") + (f" ({', '.join(leaves)})" if leaves else "")] if leaves else []
    parts += [counted(constants, "plain number")] if constants else []
    parts += [counted(operations, "operation")] if operations else []
    said = f"{counted(len(nodes), 'node')}: {join_words(parts)}. The result is {show(root.data)}."
    if not leaves:
        return f"{said} Plain numbers are computed before the engine sees them; add a name to give it something to do."
    if not gradients:
        return f"{said} No backward pass has run, so every gradient is {NOT_YET}."
    slopes = {node.name: node.grad for node in nodes if node.labelled and not node.inputs}
    return f"{said} Backward: {', '.join(f'{name}.grad = {show(slope)}' for name, slope in slopes.items())}."


def counted(count, one, many=None):
    return f"{count} {one if count == 1 else many or one + 's'}"
