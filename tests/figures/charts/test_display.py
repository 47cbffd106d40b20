"""How a notebook shows Figures and Graphviz graphs, with no `dot` program needed; and labs, whoever hosts it."""

import json
import os
import re
import subprocess
import sys
import types

import graphviz
import IPython
import matplotlib
import pytest
from IPython.core.formatters import DisplayFormatter
from matplotlib.figure import Figure

import exercises
import figures
from figures import gradient_histogram
from figures.charts import display
from figures.charts.static_charts import as_picture
from figures.graph import layout
from figures.page import hosts
from tests import pictures


@pytest.fixture
def shown(monkeypatch):
    """Return a notebook's output for an object, with a fake IPython as far as `install` looks, and no `dot` program."""
    running = types.SimpleNamespace(display_formatter=DisplayFormatter())
    monkeypatch.setattr("IPython.get_ipython", lambda: running)
    monkeypatch.setenv("PATH", "")
    display.install()
    return lambda thing: running.display_formatter.format(thing)[0]


def digraph(kind=graphviz.Digraph, name="a-b", label="x < y & z"):
    graph = kind()
    graph.node(name, label)
    graph.edge(name, "c")
    return graph


@pytest.mark.parametrize(
    "make",
    [digraph, lambda: digraph(graphviz.Graph), lambda: graphviz.Source(digraph().source)],
    ids=["Digraph", "Graph", "Source"],
)
def test_graphviz_graph_is_displayed_without_dot(shown, make):
    """As a described SVG with the text of its nodes, and a still; as text, its source. In the ink of the page."""
    graph = make()
    bundle = shown(graph)
    assert set(bundle) == {"text/html", "text/plain"}
    assert bundle["text/plain"] == graph.source
    assert pictures.Reader(bundle["text/html"]).all("img")[0]["alt"] == "A Graphviz drawing of 2 nodes: a-b, c."
    svg = pictures.drawn(bundle["text/html"]).split("</style>", 1)[1]
    assert re.findall(r"<text[^>]*>([^<]*)</text>", svg) == ["x &lt; y &amp; z", "c"]
    assert "white" not in svg and '"black"' not in svg, "no white sheet behind, no black lines"
    assert svg.count('stroke="currentColor"') >= 3
    with pictures.without_graphviz(pictures.absent, layout.program_svg):
        bundle = shown(graph)
    assert set(bundle) == {"text/plain"}
    assert bundle["text/plain"].startswith(layout.HOW_TO_INSTALL) and bundle["text/plain"].endswith(graph.source)


def test_first_graph_of_a_process_has_node_names():
    """Give inner nodes no label, next to one that has one."""
    code = "from figures.graph import layout; print(layout.pygraphviz_svg('digraph { a [label=x]; b }'))"
    svg = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout
    assert re.findall(r"<text[^>]*>([^<]*)</text>", svg) == ["x", "b"]


def test_colours_chosen_by_a_learner_are_kept(shown):
    graph = digraph()
    graph.node("c", style="filled", fillcolor="white", color="red")
    assert 'fill="white" stroke="red"' in pictures.drawn(shown(graph)["text/html"])
    graph.node("sheet", shape="box", style="filled", fillcolor="white", color="transparent")
    assert pictures.drawn(shown(graph)["text/html"]).count('<polygon fill="white"') == 1


def test_hostile_labels_are_escaped_and_invalid_dot_is_reported(shown):
    page = shown(digraph(name='<script>"', label=graphviz.nohtml("<script>alert(1)</script>")))["text/html"]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in pictures.drawn(page)
    assert pictures.Reader(page).all("img")[0]["alt"] == 'A Graphviz drawing of 2 nodes: <script>", c.'
    assert shown(graphviz.Source("digraph { a -> "))["text/plain"].startswith("Graphviz cannot read this DOT text")


def test_only_figures_of_the_course_are_restyled(shown):
    """A learner's own scatter stays the PNG of a few kilobytes that matplotlib makes, not an SVG of 13 MB."""
    for figure in (gradient_histogram({"a": [1.0, 2.0]}), gradient_histogram({"a": [1.0]}, figure=Figure())):
        bundle = shown(figure)
        assert pictures.Reader(bundle["text/html"]).all("img")[0]["alt"] == bundle["text/plain"] == figure.get_label()
    own = Figure(label="Loss")
    own.subplots().set_title("Loss", loc="left")
    assert set(shown(own)) == {"text/plain"} and shown(3) == {"text/plain": "3"}


def test_graphviz_display_is_used_when_dot_is_installed(shown, tmp_path, monkeypatch):
    (tmp_path / "dot").write_text("#!/bin/sh\necho '<svg>by dot</svg>'\n")
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert "by dot" in shown(digraph())["image/svg+xml"]


@pytest.mark.parametrize(
    "settings", [{"text.usetex": True}, {"axes.grid": True, "font.size": 30}, {"lines.linewidth": 9}]
)
def test_learners_matplotlib_settings_do_not_affect_charts(settings):
    def draw():
        return as_picture(gradient_histogram({"a": [1.0, 2.0]})).svg

    expected = draw()
    with matplotlib.rc_context(settings):
        assert draw() == expected
        assert [(name, value) for name, value in settings.items() if matplotlib.rcParams[name] != value] == []


def test_display_is_not_installed_without_ipython(monkeypatch):
    """IPython may be absent, or present but not running."""
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


@pytest.mark.long
def test_import_figures_installs_display_in_a_real_shell(tmp_path):
    """Use a separate IPython, with no program on the PATH."""
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path), "PATH": "", "PYTHONPATH": os.getcwd()}
    command = [sys.executable, "-c", REAL]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env=environment)
    assert json.loads(ran.stdout.splitlines()[-1]) == [["text/html", "text/plain"]] * 6


# Hosts that keep widgets apart: Colab and VS Code, as they show in a kernel


@pytest.fixture
def colab(monkeypatch):
    """Colab's modules; whether the page requested its widget manager."""
    asked, output = [], types.ModuleType("google.colab.output")
    output.enable_custom_widget_manager = lambda: asked.append(True)
    output._widgets = types.SimpleNamespace(_installed_url="https://localhost/manager.js")
    modules = {
        "google": types.ModuleType("google"),
        "google.colab": types.ModuleType("google.colab"),
        "google.colab.output": output,
    }
    modules["google.colab"].output = output
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return asked


@pytest.fixture
def vs_code(monkeypatch):
    """A kernel to which VS Code has told the notebook's place."""
    formatter = DisplayFormatter()
    display.register(formatter)
    shell = types.SimpleNamespace(user_ns={"__vsc_ipynb_file__": "lesson.ipynb"}, display_formatter=formatter)
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)


@pytest.mark.parametrize("host", [None, "colab", "vs_code"])
@pytest.mark.parametrize(
    "make",
    [figures.neuron, lambda: figures.lottery(epochs=10), lambda: exercises.quiz("03"), exercises.self_test],
    ids=["a lab with inputs", "two labs in one", "a quiz", "the self-test"],
)
def test_lab_output_is_a_page_plus_a_view_in_other_hosts(request, host, make, monkeypatch):
    """A view that asks is sent the page. Elsewhere a saved notebook has no model to look for."""
    if host:
        request.getfixturevalue(host)
    shown = make()
    made = shown._repr_mimebundle_()
    found = made[0] if host else made
    assert hosts.keeps_widgets_apart() is bool(host)
    assert set(found) == {"text/html", "text/plain"} | ({hosts.VIEW} if host else set())
    assert found["text/plain"] == shown.render_text()
    assert not host or found[hosts.VIEW]["model_id"] == shown.model_id
    sent = []
    monkeypatch.setattr(shown, "send", sent.append)
    shown._handle_custom_msg({}, [])
    assert sent == [{"html": shown.html()}]


def test_colab_widget_manager_is_requested(colab):
    from anywidget import _util

    _util.enable_custom_widget_manager_once.cache_clear()
    lab = figures.neuron()
    _, metadata = lab._repr_mimebundle_()
    assert colab == [True]
    assert metadata[hosts.VIEW]["colab"]["custom_widget_manager"]["url"] == "https://localhost/manager.js"


def test_fold_in_another_host_contains_the_page(vs_code):
    found = display.bundle(exercises.folded(figures.neuron()))
    assert "bp-embed" in found["text/html"] and hosts.VIEW not in found
    lab = figures.step_backward(pictures.twice())
    assert lab._repr_mimebundle_() == {"text/html": lab.html(), "text/plain": lab.render_text()}


@pytest.mark.parametrize("text", ["'", '"', "&lt;", "<b>", "</div>", "a\nb", "∂f/∂x", "\\", "<!--", "--> ]]>"])
def test_data_in_an_attribute_round_trips(text):
    attribute = hosts.as_attribute({"say": [text, 0.5, None]})
    read = pictures.Reader(f"<div {attribute}></div>").elements[0][1]["data-spec"]
    assert json.loads(read) == {"say": [text, 0.5, None]}
    assert "<" not in attribute and attribute.count("'") == 2
