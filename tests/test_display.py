"""How a notebook shows Figures and Graphviz graphs: as described HTML, with no `dot` program needed."""

import json
import os
import re
import subprocess
import sys
import types

import graphviz
import pytest
from IPython.core.formatters import DisplayFormatter
from matplotlib.figure import Figure

from figures import draw_graph, gradient_histogram
from figures.charts import display
from figures.graph import layout
from tests import pictures


@pytest.fixture
def shell(monkeypatch):
    """A running IPython, as far as `install` looks, with IPython's own formatters and no `dot` program."""
    running = types.SimpleNamespace(display_formatter=DisplayFormatter())
    monkeypatch.setattr("IPython.get_ipython", lambda: running)
    monkeypatch.setenv("PATH", "")
    display.install()
    return running


def shown(shell, thing):
    """What a notebook gets for an object."""
    return shell.display_formatter.format(thing)[0]


def digraph(kind=graphviz.Digraph):
    graph = kind()
    graph.node("a-b", "x < y & z")
    graph.edge("a-b", "c")
    return graph


GRAPHS = {
    "Digraph": digraph,
    "Graph": lambda: digraph(graphviz.Graph),
    "Source": lambda: graphviz.Source(digraph().source),
}


@pytest.mark.parametrize("make", GRAPHS.values(), ids=GRAPHS.keys())
def test_a_graphviz_graph_is_shown_without_a_dot_program(shell, make):
    """As a described SVG with the text of its nodes, and a still; as text, its source."""
    graph = make()
    bundle = shown(shell, graph)
    assert set(bundle) == {"text/html", "text/plain"}
    assert bundle["text/plain"] == graph.source
    reader = pictures.Reader(bundle["text/html"])
    alt = "A Graphviz drawing of 2 nodes: a-b, c."
    assert reader.all("img")[0]["alt"] == alt
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", pictures.drawn(bundle["text/html"]))
    assert drawn == ["x &lt; y &amp; z", "c"]


def test_the_first_graph_of_a_process_has_the_names_of_its_nodes():
    """Those without a label of their own, beside one that has one."""
    code = "from figures import layout; print(layout.pygraphviz_svg('digraph { a [label=x]; b }'))"
    svg = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout
    assert re.findall(r"<text[^>]*>([^<]*)</text>", svg) == ["x", "b"]


def test_a_graphviz_graph_is_drawn_in_the_ink_of_the_page(shell):
    """No white sheet behind, no black lines."""
    svg = pictures.drawn(shown(shell, digraph())["text/html"]).split("</style>", 1)[1]
    assert "white" not in svg and '"black"' not in svg
    assert svg.count('stroke="currentColor"') >= 3


def test_colours_that_a_learner_chose_stay(shell):
    graph = digraph()
    graph.node("c", style="filled", fillcolor="white", color="red")
    assert 'fill="white" stroke="red"' in pictures.drawn(shown(shell, graph)["text/html"])
    graph.node("sheet", shape="box", style="filled", fillcolor="white", color="transparent")
    assert pictures.drawn(shown(shell, graph)["text/html"]).count('<polygon fill="white"') == 1


def test_hostile_labels_of_a_graphviz_graph_are_text(shell):
    graph = graphviz.Digraph()
    graph.node('<script>"', graphviz.nohtml("<script>alert(1)</script>"))
    page = shown(shell, graph)["text/html"]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in pictures.drawn(page)
    assert pictures.Reader(page).all("img")[0]["alt"] == 'A Graphviz drawing of 1 nodes: <script>".'


def test_a_figure_is_shown_with_its_description(shell):
    figure = gradient_histogram({"a": [1.0, 2.0]})
    bundle = shown(shell, figure)
    assert pictures.Reader(bundle["text/html"]).all("img")[0]["alt"] == figure.get_label()
    assert bundle["text/plain"] == figure.get_label()
    plain = Figure()
    plain.subplots().set_title("Loss", loc="left")
    assert pictures.Reader(shown(shell, plain)["text/html"]).all("img")[0]["alt"] == "Loss"


def test_other_objects_are_shown_as_before(shell):
    assert shown(shell, 3) == {"text/plain": "3"}


def test_our_own_pictures_are_shown_by_themselves(shell):
    picture = draw_graph(pictures.xyz())
    assert shown(shell, picture) == {"text/html": picture.html(), "text/plain": str(picture)}


@pytest.mark.parametrize("make", GRAPHS.values(), ids=GRAPHS.keys())
def test_where_no_graphviz_is_there_a_graph_is_text_and_a_sentence(shell, make, monkeypatch):
    pictures.clear()
    monkeypatch.setattr(layout, "BACKENDS", (pictures.absent, layout.program_svg))
    graph = make()
    bundle = shown(shell, graph)
    assert set(bundle) == {"text/plain"}
    assert bundle["text/plain"].startswith(layout.HOW_TO_INSTALL)
    assert bundle["text/plain"].endswith(graph.source)


def test_text_that_is_no_dot_is_said_to_be_none(shell):
    bundle = shown(shell, graphviz.Source("digraph { a -> "))
    assert bundle["text/plain"].startswith("Graphviz cannot read this DOT text")


def test_without_ipython_nothing_is_installed(monkeypatch):
    """Neither where it is not running nor where it is not there."""
    monkeypatch.setattr("IPython.get_ipython", lambda: None)
    assert display.install() is None
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert display.install() is None


REAL = """
import json
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("import figures, graphviz; from autograd import Value", silent=True)
things = [
    "graphviz.Digraph(body=['a -> b'])",
    "graphviz.Source('digraph {a -> b}')",
    "figures.gradient_histogram({'a': [1.0]})",
    "figures.draw_graph(Value(2) * 3)",
    "figures.step_through(Value(2) * 3)",
    "figures.neuron()",
]
print(json.dumps([sorted(shell.display_formatter.format(shell.ev(thing))[0]) for thing in things]))
"""


def test_import_figures_installs_it_in_a_real_shell(tmp_path):
    """In an IPython of its own, with no program on the PATH."""
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path), "PATH": "", "PYTHONPATH": os.getcwd()}
    ran = subprocess.run(
        [sys.executable, "-c", REAL], capture_output=True, encoding="utf-8", check=True, env=environment
    )
    assert json.loads(ran.stdout.splitlines()[-1]) == [["text/html", "text/plain"]] * 6
