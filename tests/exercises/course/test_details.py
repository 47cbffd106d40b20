"""`exercises.folded`: closed at every run, with everything that a notebook can show inside; as text, unfolded."""

import html
import re

import ipywidgets
import pytest
from IPython.core.interactiveshell import InteractiveShell

import exercises
import figures
from autograd import Value
from exercises.engine_file import check
from figures.charts import display
from tests.pictures import LABELS, Reader, xyz


def page(thing, *prompt):
    bundle = exercises.folded(thing, *prompt)._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    return bundle["text/html"], bundle["text/plain"]


def inside(shown):
    """Return what is in the fold, after its summary. It is closed, and all of the page."""
    assert shown.startswith("<details><summary ") and shown.endswith("</details>")
    assert Reader(shown).all("details")[0] == {}
    return shown.split("</summary>", 1)[1].removesuffix("</details>")


def words(shown):
    return html.unescape(re.sub("<[^>]*>", "", inside(shown)))


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        *((thing, repr(thing)) for thing in (3.5, (6.0, -3.0), "yes", None, [], {"a": [1, 2]})),
        (Value(2.0), "Value(data=2.0000, grad=0.0000)"),
        ([0.12345678901] * 12, "[" + ",\n ".join(["0.12345678901"] * 12) + "]"),
        ("12 1.0\n41 0.4", "12 1.0\n41 0.4"),  # lines, as print shows them
        *(([label], repr([label])) for label, _ in LABELS.values()),  # hostile texts
    ],
    ids=repr,
)
def test_details_show_a_plain_result_like_a_notebook(thing, text):
    shown, plain = page(thing)
    assert plain == text == repr(exercises.folded(thing)) == words(shown)
    assert {tag for tag, _ in Reader(shown).elements} == {"details", "summary", "b", "div", "pre"}


def test_details_summary_shows_the_prompt():
    assert "<b>Show</b> · What did you predict?</summary>" in page(3)[0]
    assert "<b>Show</b> · How many &lt;boxes&gt;?</summary>" in page(3, "How many <boxes>?")[0]
    for prompt in ("", "  ", 3, None):
        with pytest.raises(TypeError, match=r"the prompt is a string, such as 'What did you predict\?'; got"):
            exercises.folded(3, prompt)


@pytest.mark.parametrize(
    "make",
    [
        lambda: figures.draw_graph(xyz()),
        lambda: figures.gradient_histogram({"one": [0.1, 0.2], "two": [0.3, -0.1]}),
        lambda: figures.step_through(xyz()),
        figures.clip,  # a lab with controls
        lambda: check.predict(xyz(), x=3),
    ],
    ids=["picture", "chart", "lab", "lab with controls", "verdict"],
)
def test_details_show_pictures_unchanged(make):
    thing = make()
    shown, plain = page(thing)
    bundle = display.bundle(thing)
    assert inside(shown) == f'<div style="margin:.6em 0 0">{bundle["text/html"]}</div>'
    assert plain == bundle["text/plain"] and len(plain) > 20


def test_details_show_each_part_of_a_tuple_with_a_picture():
    graph = figures.draw_graph(xyz())
    shown, plain = page((3, graph, [1]))
    assert plain == f"3\n{graph.text}\n[1]"
    assert inside(shown).count('<div style="margin:.6em 0 0">') == 3 and graph.html() in shown
    assert page((3, ("a\nb", 4)))[1] == r"(3, ('a\nb', 4))"


@pytest.mark.parametrize("data", [b"\x89PNG", "iVBORw=="])
def test_details_show_images_of_other_libraries(data):
    pixels = type("Pixels", (), {"_repr_png_": lambda self: data, "__repr__": lambda self: 'four "pixels"'})
    (image,) = Reader(page(pixels())[0]).all("img")
    assert image == {"alt": 'four "pixels"', "src": "data:image/png;base64,iVBORw=="}


def test_details_reject_ipywidgets():
    with pytest.raises(TypeError, match="folded cannot hold a widget that JupyterLab itself draws"):
        page(ipywidgets.IntSlider())


def test_details_use_the_kernels_formatters(monkeypatch):
    """So that what a learner has registered there looks as it does without the fold."""
    shell = InteractiveShell()
    shell.display_formatter.formatters["text/html"].for_type(complex, lambda number: f"<i>{number.real:g}</i>")
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    assert "<i>3</i>" in page(3 + 1j)[0] and page(7)[1] == "7"
