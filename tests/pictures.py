"""Code shared by the tests of pictures: graphs of several engines, hostile labels, and readers of SVG and HTML."""

import base64
import contextlib
import itertools
import json
import os
import random
import re
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from autograd import MLP, Value, half_squares, topological_order
from figures.graph import layout
from figures.graph.draw import LABEL_HEIGHT, LABEL_WIDTH
from figures.labs import neuron
from figures.page import picture
from tests.ops_table import OPS, random_program

SVG = "{http://www.w3.org/2000/svg}"
GRAPH_TAGS = {"svg", "g", "title", "rect", "path", "polygon", "text"}  # the elements in a drawing of a graph
CHART_TAGS = {"svg", "g", "path", "defs", "style", "use", "clipPath", "rect", "pattern"}

# A label that somebody may give a Value, and what a picture shows of it in one line ("" : the node's place, as v0).
LABELS = {
    "script": ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    "end of script": ("</script><img src=x onerror=alert(1)>", "</script><img src=x onerror=alert(1)>"),
    "comment": ("<!--<script>", "<!--<script>"),
    "double quotes": ('say "x"', 'say "x"'),
    "single quotes": ("' onload='alert(1)", "' onload='alert(1)"),
    "record": ("|{}<>", "|{}<>"),
    "name of a node": (r"\N", r"\N"),
    "a group of a pattern": (r"\1\g<0>", r"\1\g<0>"),
    "trailing backslash": ("x\\", "x\\"),
    "escaped newline": (r"x\ny", r"x\ny"),
    "entity": ("&lt;", "&lt;"),
    "long": ("w" * 1000, "w" * 1000),
    "Arabic": ("مرحبا x", "مرحبا x"),
    "override of direction": ("\u202eabc", "abc"),
    "emoji": ("🎈 é", "🎈 é"),
    "newline": ("a\nb", "a b"),
    "spaces": ("  a   b\t", "a b"),
    "NUL and others": ("a\0b\x1b[31m\x7f", "a b [31m"),
    "not of Unicode": ("x\ud800y\uffff", "x y"),
    "nothing to show": ("\ud800\n", ""),
    "empty": ("", ""),
    "a number": (5, "5"),
    "None": (None, ""),
    "markup of DOT": ("<<b>x</b>>", "<<b>x</b>>"),
    "end of DOT": ('"]; } //', '"]; } //'),
    "CDATA": ("]]><x/>", "]]><x/>"),
    "a formula": ("$\\bad$ %s {0}", "$\\bad$ %s {0}"),
}


def labelled(value, label):
    value.label = label
    return value


def xyz(labels=("x", "y", "z", "q", "f")):
    x, y, z = (Value(number, label=label) for number, label in zip((-2.0, 5.0, -4.0), labels))
    return labelled(labelled(x + y, labels[3]) * z, labels[4])


def tanh_neuron():
    """Return a neuron of two inputs and its loss, one op per node."""
    numbers = {"x1": 2.0, "x2": 3.0, "w1": 0.5, "w2": -0.5, "b": 0.1, "y": 1.0}
    return neuron.build(numbers, "tanh", "half_squares")


def random_graph(seed, n_leaves=3, n_ops=8):
    """Return a random graph of every op, with old grads on half of its nodes."""
    rng = random.Random(seed)
    program = random_program(rng, n_leaves, n_ops, OPS[:25])  # the same where more ops are added
    root = program.run([Value(x, label=f"x{i}") for i, x in enumerate(program.leaves)], lambda op: op.function)
    stack, seen = [root], set()
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            node.grad = rng.choice([0.0, rng.uniform(-2, 2)])
            stack.extend(node._prev)
    return root


def network(sizes=(2, 1), n_inputs=2, every_op=True):
    return MLP(n_inputs, list(sizes), every_op=every_op, rng=random.Random(0))([1.0] * n_inputs)


def twice():
    a = Value(3, label="a")
    return labelled(a + a, "b")


GRAPHS = {
    "leaf": lambda: Value(3, label="a"),
    "a + a": twice,
    "xyz": xyz,
    "neuron": tanh_neuron,
    "network": network,
    "network by neurons": lambda: network((3, 2, 1), 3, every_op=False),
    "loss": lambda: half_squares([network()], [1.0]),
    **{f"random {seed}": lambda seed=seed: random_graph(seed) for seed in range(6)},
    "random, wide": lambda: random_graph(7, n_leaves=6, n_ops=14),
}


class Closures:
    """An engine as learners write it: inputs in a set, each op with a closure for its chain rule; no labels."""

    def __init__(self, data, _children=(), _op=""):
        self.data, self.grad = data, 0
        self._prev, self._op, self._backward = set(_children), _op, lambda: None

    def made(self, data, op, *inputs):
        """Return the node of an operation, from (input, its local derivative) of each input."""
        out = Closures(data, [input for input, _ in inputs], op)

        def _backward():
            for input, local in inputs:
                input.grad += local * out.grad

        out._backward = _backward
        return out

    def __add__(self, other):
        return self.made(self.data + other.data, "+", (self, 1), (other, 1))

    def __mul__(self, other):
        return self.made(self.data * other.data, "*", (self, other.data), (other, self.data))

    def relu(self):
        return self.made(max(0, self.data), "ReLU", (self, self.data > 0))

    def backward(self):
        self.grad = 1
        for node in reversed(topological_order(self)):
            node._backward()


def closures():
    """Return a graph of the set-based engine in which several nodes have the same number."""
    zeros = [Closures(-1.0).relu(), Closures(-2.0).relu(), (Closures(1.0) * Closures(-1.0)).relu(), Closures(0.0)]
    return zeros[0] * zeros[1] + zeros[2] * zeros[3]


class Bare:
    """As little as a node may have: a number, and its inputs in a list."""

    def __init__(self, data, _prev=()):
        self.data, self._prev = data, list(_prev)


class Equal(Bare):
    """Nodes with equal numbers are equal, and so none can be hashed."""

    def __eq__(self, other):
        return self.data == other.data

    __hash__ = None


class WithLocals(Bare):
    """Another engine that keeps local derivatives: just enough for the step lab."""

    def __init__(self, data, _prev=(), _local=()):
        super().__init__(data, _prev)
        self._local = _local


def clear():
    """Forget every layout, so that the backends run again."""
    layout.dot_to_svg.cache_clear()
    layout.lay_out.cache_clear()


def absent(dot):
    """Fail like a layout backend that is not installed."""
    raise ImportError("No module named 'pygraphviz'")


@contextlib.contextmanager
def without_graphviz(*backends):
    """Act as if Graphviz were not installed, or only these of its backends were."""
    with pytest.MonkeyPatch.context() as patch:
        clear()
        patch.setattr(layout, "BACKENDS", backends or (absent,))
        yield
    clear()


def assert_clear(placed, rooms=(LABEL_WIDTH, LABEL_HEIGHT)):
    """Assert that a Layout holds everything, that no two boxes overlap, and that each edge's number has its room."""
    boxes, width, height = list(placed.boxes.values()), *rooms
    numbers = [curve.label for curve in placed.curves.values() if curve.label]
    boxes += [layout.Box(x - width / 2, y - height / 2, width, height) for x, y in numbers]
    lines = [layout.points(text, 0, 0) for curve in placed.curves.values() for text in (curve.path, curve.arrow)]
    corners = [corner for box in boxes for corner in ((box.x, box.y), (box.x + box.width, box.y + box.height))]
    assert [
        (x, y) for x, y in itertools.chain(corners, *lines) if not (0 <= x <= placed.width and 0 <= y <= placed.height)
    ] == []
    for a, b in itertools.combinations(boxes, 2):
        beside = a.x + a.width <= b.x or b.x + b.width <= a.x
        assert beside or a.y + a.height <= b.y or b.y + b.height <= a.y, (a, b)


def printed_twice(code):
    """Return what two fresh processes print, with different hash seeds: it must be the same, to the byte."""
    said = set()
    for seed in "12":
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": os.getcwd()}
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment)
        said.add(ran.stdout)
    (text,) = said
    return text.decode()


def parts(stage):
    return {part.get("data-key"): part for part in tree(stage).iter() if part.get("data-key")}


def texts(stage):
    """Return the text of each part of a stage that has a key, except those that hold other parts."""
    return {key: part.text or "" for key, part in parts(stage).items() if len(part) == 0}


def expected(updates):
    """Return the text of each part for which a frame's marks have one."""
    return {key: mark["text"] for key, mark in updates.items() if "text" in mark}


def change(part, mark):
    """Change a part of a stage as player.js does."""
    if "text" in mark:
        part.text = mark["text"]
        if room := part.get("data-room"):
            part.set("data-long", "yes" if len(mark["text"]) > int(room) else "no")
    for name in mark.keys() - {"text"}:
        part.set("data-state" if name == "state" else name, mark[name])


def tree(stage):
    """Return a stage as an element tree, which proves that it is well-formed."""
    return ElementTree.fromstring(f"<div>{stage}</div>")


def names(svg):
    return [title.text for title in tree(svg).iter(f"{SVG}title")]


class Reader(HTMLParser):
    """An HTML text as a browser reads it: its elements, and the text of each script."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self._open = [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag == "script":
            self.scripts.append("")
        self._open = tag

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        if self._open == "script":
            self.scripts[-1] += data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def spec(self):
        (place,) = [attributes for _, attributes in self.elements if "data-spec" in attributes]
        return json.loads(place["data-spec"])


def embedded(image):
    """Return the SVG inside an <img> of a data address, as text."""
    kind, data = image["src"].split(",", 1)
    assert kind == "data:image/svg+xml;base64"
    return base64.b64decode(data).decode()


def drawn(page):
    """Return the SVG of the picture on an HTML page, as text: a script replaces its still."""
    reader = Reader(page)
    assert reader.scripts == ["{" + picture.SCRIPT.read_text(encoding="utf-8") + "}"], "and no other script"
    return embedded(reader.all("img")[0])


def assert_inert(svg, tags):
    """Assert that an SVG is well-formed, has only these elements, no handlers, and no reference outside itself."""
    for element in ElementTree.fromstring(svg).iter():
        assert element.tag.startswith(SVG) and element.tag.removeprefix(SVG) in tags, element.tag
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            if name.endswith("href"):
                assert value.startswith("#")
        if element.tag == f"{SVG}style":
            assert "@import" not in element.text
    assert re.findall(r"url\((?!#)", svg) == []
