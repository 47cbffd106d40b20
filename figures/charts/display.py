"""Display the course's matplotlib Figures in a notebook, and Graphviz graphs if no `dot` program is installed."""

import html
import re
import shutil

from figures.graph import layout
from figures.page.picture import Picture
from figures.page.style import is_course_figure


def install():
    """Register the formatters with the running IPython, if there is one."""
    try:
        from IPython import get_ipython
    except ImportError:
        return
    if shell := get_ipython():
        register(shell.display_formatter)


def bundle(thing):
    """Return what a notebook shows of a thing: {kind of content: content}, such as "text/html" and "text/plain"."""
    from IPython import get_ipython
    from IPython.core.formatters import DisplayFormatter

    if shell := get_ipython():
        return shell.display_formatter.format(thing)[0]
    formatter = DisplayFormatter()
    register(formatter)
    return formatter.format(thing)[0]


def register(formatter):
    """Register how an IPython display formatter shows Figures and Graphviz graphs."""
    bundles = formatter.mimebundle_formatter
    bundles.for_type_by_name("matplotlib.figure", "Figure", show_figure)
    for name in ("Digraph", "Graph"):
        bundles.for_type_by_name("graphviz.graphs", name, show_dot)
    bundles.for_type_by_name("graphviz.sources", "Source", show_dot)


def show_figure(figure, include=None, exclude=None):
    """Return a Figure that the course drew as HTML with a description; None for any other, which stays unchanged."""
    if not is_course_figure(figure):
        return None
    from figures.charts.static_charts import as_picture

    return as_picture(figure)._repr_mimebundle_()


def show_dot(graph, include=None, exclude=None):
    """Return what a notebook shows of a graphviz.Digraph, Graph or Source.

    That is its own picture if `dot` is installed, else one that the course's Graphviz laid out, else text and advice.
    """
    if shutil.which("dot"):
        return graph._repr_mimebundle_(include, exclude)
    try:
        svg = layout.dot_to_svg(graph.source)
    except layout.LayoutError as fault:
        return {"text/plain": f"{fault}\n\n{graph.source}"}
    svg = svg[svg.index("<svg") :]
    names = re.findall(r'<g id="[^"]*" class="node[^"]*">\s*<title>(.*?)</title>', svg)
    alt = html.unescape(f"A Graphviz drawing of {len(names)} nodes: {', '.join(names[:12])}.")
    shown = Picture(in_ink(svg), alt, graph.source)
    return shown._repr_mimebundle_()


def in_ink(svg):
    """Return a Graphviz SVG with its black lines and text in the page's text colour and no white background."""
    svg = re.sub(r'<polygon fill="white" stroke="(?:none|transparent)"[^>]*/>', "", svg, count=1)
    svg = svg.replace('stroke="black"', 'stroke="currentColor"').replace('fill="black"', 'fill="currentColor"')
    return svg
