"""A still picture carries only its own style: it looks, to the pixel, as with the whole style sheet."""

import base64
import time

import pytest

from autograd import Value
from figures import draw_graph, gallery, gradient_histogram
from figures.charts.static_charts import as_picture
from figures.page.picture import standalone
from figures.page.style import style_sheet
from tests.lab_pages import plain_page

SMALLEST = 12_000  # bytes of a still graph of five nodes, at the most
PATIENCE = 10  # seconds in which the two pictures must look the same

page = plain_page(reduced_motion="reduce")


def shot(page, svg):
    data = base64.b64encode(svg.encode()).decode()
    page.set_content(f'<img src="data:image/svg+xml;base64,{data}">')
    page.locator("img").evaluate("image => image.decode()")
    return page.locator("img").screenshot()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", gallery.PICTURES)
def test_still_looks_the_same_as_with_the_whole_style_sheet(page, name, scheme):
    page.emulate_media(color_scheme=scheme)
    svg = gallery.PICTURES[name]()
    opening, rest = svg.split(">", 1)
    whole = f'{opening} class="bp bp-still"><style>{style_sheet()}</style>{rest}'
    deadline = time.monotonic() + PATIENCE
    while (lean := shot(page, standalone(svg))) != (full := shot(page, whole)) and time.monotonic() < deadline:
        pass  # the browser may paint an image before the colour scheme has reached it
    assert lean == full


@pytest.mark.parametrize(("light", "colour"), [("true", "rgb(0, 114, 178)"), ("false", "rgb(86, 180, 233)")])
def test_chart_uses_the_colours_of_the_jupyterlab_theme(page, light, colour):
    """Also on a page without a lab, which would bring its style sheet; whatever the system's colour scheme is."""
    chart = as_picture(gradient_histogram({"layer 1": [0.1, 0.2]})).html()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.set_content(f'<body data-jp-theme-light="{light}">{chart}</body>')
        line = page.locator(".bp-picture svg path[style*='stroke: var(--bp-s0']").first
        assert line.evaluate("line => getComputedStyle(line).stroke") == colour


def test_a_still_graph_of_five_nodes_is_small():
    x, y = Value(2.0, label="x"), Value(3.0, label="y")
    assert len(draw_graph(x * y + x * 2.0).html()) < SMALLEST
