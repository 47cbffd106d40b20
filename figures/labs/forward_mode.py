"""The forward mode lab: a value and a derivative go along the edges, one pass for each leaf; then one backward pass."""

import html
import re
from dataclasses import dataclass

from autograd.errors.messages import show
from autograd.inspect.steps import expression
from figures.graph.draw import description, draw_graph, whole
from figures.graph.reader import known_slopes
from figures.graph.stage import bracketed, drawing, few, graph, grid, leaves_of, names_of, place, plural, row
from figures.graph.sums import gradients_of
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, choice
from figures.page.player import Frame, Player, Recording
from figures.page.style import NOT_YET, number

LIMIT = 30  # nodes: in a larger graph, the passes of all leaves are too many steps
GRAPH_SIZE = 690, 520  # pixels for the graph
TERMS = 4  # the most terms of a sum in a sentence
WORDS = {"data": "value", "grad": "deriv."}  # in a node's box
WORD = re.compile(f'(<text class="what"[^>]*>)({"|".join(WORDS)})<')
LEAVES = "leaf", "pass", "forward", "backward"  # headings
COSTS = "way", "passes", "products"


@dataclass(frozen=True)
class Pass:
    """A forward pass: the leaf whose derivative is 1, as its place, and the derivatives of all nodes along it."""

    seed: int
    derivatives: tuple


@dataclass(frozen=True)
class Scene:
    """A frame. passes: so far, the current one last. what: "start", the place of a node, "result", or "backward"."""

    passes: list
    what: int | str

    @property
    def is_over(self):
        """True once the last pass is over."""
        return self.what in ("result", "backward")

    def reached(self, i):
        return self.is_over or (self.what != "start" and i <= self.what)


def forward_mode(root, *, seed=None, direction=None, limit=LIMIT):
    """Step through forward mode: each node gets a value and a derivative along one leaf; a pass for each leaf.

    At the end one backward pass gives the same numbers for all leaves at once; the lab counts the products of a
    derivative and a local derivative for both. Choose a leaf, click it, or press Enter on it to give it the next pass.
    seed: the name of the leaf of the first pass; without it, the first leaf. Needs local derivatives. A graph of more
    than `limit` nodes is drawn collapsed.
    """
    nodes = known_slopes(root)
    names = names_of(nodes)
    seeds = choice("seed", [names[i] for i in leaves_of(nodes)], "derivative 1 for", says="seed is the name of a leaf")
    first = seeds.check(names[leaves_of(nodes)[0]] if seed is None else seed)
    if len(nodes) > whole(limit):
        return draw_graph(root, direction=direction, limit=limit)
    return ForwardMode(nodes, names, Inputs(seeds), first, direction)


class ForwardMode(Player):
    """The lab. seeds: the leaves in the order of their passes. reached: the furthest frame of these that was shown."""

    def __init__(self, nodes, names, inputs, seed, direction=None):
        self.nodes, self.names, self.inputs = nodes, names, inputs
        self.stage = FrameTemplate(drawer(nodes, names, direction))
        self.size = 2 + sum(bool(node.inputs) for node in nodes)  # frames per pass
        self.seeds, self.reached = next_after([], names.index(seed), leaves_of(nodes)), 0
        super().__init__(self.recorded(), controls=inputs.controls(seed=seed))
        self.observe(self.follow, "index")

    def recorded(self):
        return record(self.nodes, self.names, self.seeds, self.stage)

    def answer(self, values, presses):
        """Give the next pass to the leaf that was chosen or last pressed; if it has had one, show that again."""
        seed = self.names.index(self.inputs.checked(values)["seed"])
        for press in presses:
            seed = self.pressed(press)
        done = self.seeds[: (self.reached + 1) // self.size]
        if seed not in done:
            self.seeds = next_after(done, seed, leaves_of(self.nodes))
            self.reached = self.size * len(done)
        self.index = self.size * self.seeds.index(seed)
        self.tell()  # before the picture: what a learner chooses on seeing it is not overwritten
        self.load(self.recorded(), jump=self.index, number=self.reply)

    def pressed(self, press):
        """Return the place of the leaf that was pressed; raise ValueError if it is no leaf."""
        keys = {f"n{i}": i for i in leaves_of(self.nodes)}
        if press not in keys:
            raise ValueError(f"{press!r} is not a leaf of this graph.")
        return keys[press]

    def follow(self, change):
        """After a frame is shown, note how far the passes have come, and show in the input whose pass it is."""
        self.reached = max(self.reached, change["new"])
        if self.seed != self.names.index(self.values["seed"]):
            self.tell()

    @property
    def seed(self):
        """The leaf whose pass is on screen."""
        return self.seeds[min(self.index // self.size, len(self.seeds) - 1)]

    def tell(self):
        self.values = {"seed": self.names[self.seed]}
        number = self.patch.get("number", 0) + 1  # so that the page gets it again even if nothing has changed here
        self.patch = {"controls": {"seed": {"value": self.values["seed"]}}, "number": number}


def next_after(done, seed, leaves):
    """Return the order of passes: those that are done, then the one of `seed`, then the other leaves."""
    return [*done, seed, *(leaf for leaf in leaves if leaf not in (*done, seed))]


# Both modes


def forward(nodes, seed):
    """Return the derivatives along a leaf: of a computed node, the sum of derivative × local over its inputs."""
    derivatives = []
    for i, node in enumerate(nodes):
        terms = [derivatives[input] * local for input, local in zip(node.inputs, node.locals or ())]
        derivatives.append(sum(terms) if node.inputs else float(i == seed))
    return tuple(derivatives)


# Record


def record(nodes, names, seeds, stage):
    """Return the Recording: for each pass its start, each operation and its result; at the end the backward pass."""
    passes = [Pass(seed, forward(nodes, seed)) for seed in seeds]
    steps = ["start", *(i for i, node in enumerate(nodes) if node.inputs), "result"]
    frames = []
    for turn in range(1, len(seeds) + 1):
        for step, what in enumerate(steps):
            scene = Scene(passes[:turn], what)
            at = f"Pass {turn} of {len(seeds)}: {what if isinstance(what, str) else f'step {step}'}"
            frames.append(Frame(sentence(nodes, names, seeds, scene), at, stage.updates(scene)))
    end = Scene(passes, "backward")
    frames.append(Frame(verdict(nodes, names, len(seeds)), "The backward pass", stage.updates(end)))
    title = f"Forward mode, then backward: the derivatives of {names[-1]}"
    return Recording(title, frames, stage, description(nodes))


def sentence(nodes, names, seeds, scene):
    one, i = scene.passes[-1], scene.what
    seed, others = names[one.seed], [names[leaf] for leaf in leaves_of(nodes) if leaf != one.seed]
    if i == "start":
        still = f", and {few(others, TERMS)} the derivative 0: only {seed} moves" if others else ""
        said = f"{seed} gets the derivative 1{still}. Each node will get a value, and how fast it changes with {seed}."
        return f"{said} Press another leaf to start with that one." if others and len(scene.passes) == 1 else said
    if i == "result":
        return result(names, one, [names[leaf] for leaf in seeds[len(scene.passes) :]])
    node = nodes[i]
    terms = [term(one.derivatives[input], local) for input, local in zip(node.inputs, node.locals)]
    return f"{computed(nodes, names, i)}. Its derivative: {summed(terms)} = {show(one.derivatives[i])}."


def computed(nodes, names, i):
    """Return a node's value, written out; for an operation with many inputs, the value alone."""
    node, value = nodes[i], show(nodes[i].data)
    if len(node.inputs) > TERMS:
        return f"{names[i]}, made by {node.op.replace('_', ' ')}, has the value {value}"
    symbols, numbers = zip(*((names[input], show(nodes[input].data)) for input in node.inputs))
    return f"{names[i]} = {expression(node.op, list(symbols))} = {expression(node.op, list(numbers))} = {value}"


def result(names, one, left):
    root, seed = names[-1], names[one.seed]
    said = (
        f"∂{root}/∂{seed} = {show(one.derivatives[-1])}. This pass also found how fast every node changes with {seed}"
    )
    if not left:
        return f"{said}. Now every leaf has had its own pass. What does one backward pass find?"
    return f"{said}, but nothing about {few(left, TERMS)}: {'each' if len(left) > 1 else 'that'} needs its own pass."


def verdict(nodes, names, count):
    """Describe what one backward pass finds, and what both modes cost."""
    root, found, arrows = names[-1], gradients_of(nodes), arrows_of(nodes)
    numbers = few((f"∂{root}/∂{names[i]} = {show(found[i])}" for i in leaves_of(nodes)), TERMS)
    return (
        f"After one backward pass, each node shows how fast {root} changes with it: {numbers}. It took "
        f"{plural(arrows, 'product')}, one for each arrow; forward mode took {count} · {arrows} = {count * arrows}."
    )


def term(derivative, local):
    return f"{bracketed(show(derivative))} · {bracketed(show(local))}"


def summed(terms):
    """Join terms with plus signs; of many, the first ones and the last."""
    return " + ".join(terms if len(terms) <= TERMS else [*terms[: TERMS - 2], "…", terms[-1]])


def arrows_of(nodes):
    return sum(len(node.inputs) for node in nodes)


# The stage


def drawer(nodes, names, direction):
    """Return the function that draws the stage of a frame: the graph, and next to it the results and the costs."""
    placed = place(nodes, direction, True, GRAPH_SIZE)
    drawn = graph(nodes, placed, True, pairs, description(nodes), False, lambda i: press_of(nodes, names, i))
    buttons = {} if placed else {i: f"n{i}" for i in leaves_of(nodes)}  # without a drawing, the learner presses names

    heading = f"derivative of {html.escape(names[-1])} along each leaf"

    def draw(pen, scene):
        found, cost = table_of(pen, nodes, names, scene, buttons), costs(pen, nodes, scene)
        return (
            f'<div class="bp-walk bp-search bp-forward"><div class="bp-main">{drawn(pen, *looks(nodes, scene))}</div>'
            f'<div class="bp-side"><div><p class="bp-label">{heading}</p>{found}</div>'
            f'<div><p class="bp-label">what it took so far</p>{cost}</div></div></div>'
        )

    return draw


def pairs(pen, *things):
    """Draw the graph with "value" and "deriv." in its nodes."""
    return WORD.sub(lambda found: f"{found[1]}{WORDS[found[2]]}<", drawing(pen, *things))


def press_of(nodes, names, i):
    """Return the label of pressing a node; "" for nodes that are not leaves."""
    return "" if nodes[i].inputs else f"{names[i]}: derivative 1"


def looks(nodes, scene):
    back = scene.what == "backward"
    derivatives = gradients_of(nodes) if back else scene.passes[-1].derivatives
    states, texts = {} if back else {f"n{scene.passes[-1].seed}": "target"}, {}
    for i, node in enumerate(nodes):
        known = not node.inputs or scene.reached(i)
        texts[f"n{i}.data"], texts[f"n{i}.grad"] = (number(x if known else None) for x in (node.data, derivatives[i]))
        state = "used" if back else "forward" if i == scene.what else "walked" if known else ""
        for edge, local in enumerate(node.locals or ()):
            texts[f"e{i}.{edge}.local"], states[f"e{i}.{edge}"] = number(local) if known else "", state
        if i == scene.what:
            states[f"n{i}"] = "forward"
    return states, texts


def table_of(pen, nodes, names, scene, buttons):
    """Draw a table of the leaves with the results of their forward passes and of the backward pass."""
    found, rows = gradients_of(nodes) if scene.what == "backward" else [None] * len(nodes), []
    turns = {one.seed: turn for turn, one in enumerate(scene.passes, start=1)}
    ended = {one.seed: one.derivatives[-1] for one in scene.passes[: len(scene.passes) - (not scene.is_over)]}
    for i in leaves_of(nodes):
        cells = (
            pen("td", f"turn.{i}", "bp-number", text=turns.get(i, NOT_YET)),
            pen("td", f"forward.{i}", "bp-number", text=number(ended.get(i))),
            pen("td", f"backward.{i}", "bp-number", text=number(found[i])),
        )
        rows.append(row(names[i], cells, buttons.get(i)))
    return grid(LEAVES, rows, "Leaves")


def costs(pen, nodes, scene):
    arrows, count, back = arrows_of(nodes), len(leaves_of(nodes)), scene.what == "backward"
    now = sum(len(node.inputs) for i, node in enumerate(nodes) if scene.reached(i))
    ended = len(scene.passes) - 1
    numbers = {
        "forward": (f"{ended + scene.is_over} of {count}", f"{ended * arrows + now} of {count * arrows}"),
        "backward": (f"{int(back)} of 1", f"{arrows * back} of {arrows}"),
    }
    rows = []
    for way, texts in numbers.items():
        cells = [pen("td", f"{way}.{what}", "bp-number", text=text) for what, text in zip(COSTS[1:], texts)]
        rows.append(row(way, cells))
    return grid(COSTS, rows, "What it took")
