"""Hosts that keep widgets apart: what a lab's output is there, with Colab and VS Code as they show in a kernel."""

import json
import sys
from types import ModuleType, SimpleNamespace

import IPython
import pytest
from IPython.core.formatters import DisplayFormatter

import exercises
import figures
from figures import display, hosts
from tests import pictures


@pytest.fixture
def colab(monkeypatch):
    """Colab's modules; whether its manager of widgets was asked for."""
    asked, output = [], ModuleType("google.colab.output")
    output.enable_custom_widget_manager = lambda: asked.append(True)
    output._widgets = SimpleNamespace(_installed_url="https://localhost/manager.js")
    modules = {
        "google": ModuleType("google"),
        "google.colab": ModuleType("google.colab"),
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
    shell = SimpleNamespace(user_ns={"__vsc_ipynb_file__": "lesson.ipynb"}, display_formatter=formatter)
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)


@pytest.mark.parametrize("host", [None, "colab", "vs_code"])
@pytest.mark.parametrize(
    "make",
    [figures.neuron, lambda: figures.lottery(epochs=10), lambda: exercises.quiz("03"), exercises.self_test],
    ids=["a lab with inputs", "two labs in one", "a quiz", "the self-test"],
)
def test_the_output_is_the_page_and_in_a_host_that_keeps_widgets_apart_the_view_as_well(
    request, host, make, monkeypatch
):
    """A view that asks is sent the page. Elsewhere a saved notebook has no model to look for."""
    if host:
        request.getfixturevalue(host)
    shown = make()
    made = shown._repr_mimebundle_()
    found = made[0] if host else made
    assert hosts.keeps_widgets_apart() is bool(host)
    assert set(found) == {"text/html", "text/plain"} | ({hosts.VIEW} if host else set())
    assert found["text/plain"] == shown.text()
    assert not host or found[hosts.VIEW]["model_id"] == shown.model_id
    sent = []
    monkeypatch.setattr(shown, "send", sent.append)
    shown._handle_custom_msg({}, [])
    assert sent == [{"html": shown.html()}]


def test_colab_is_asked_for_its_manager_and_told_of_it(colab):
    from anywidget import _util

    _util.enable_custom_widget_manager_once.cache_clear()
    lab = figures.neuron()
    _, metadata = lab._repr_mimebundle_()
    assert colab == [True]
    assert metadata[hosts.VIEW]["colab"]["custom_widget_manager"]["url"] == "https://localhost/manager.js"


def test_in_another_host_a_fold_holds_the_page_and_a_lab_without_inputs_is_one(vs_code):
    found = display.bundle(exercises.folded(figures.neuron()))
    assert "bp-embed" in found["text/html"] and hosts.VIEW not in found
    lab = figures.step_backward(pictures.twice())
    assert lab._repr_mimebundle_() == {"text/html": lab.html(), "text/plain": lab.text()}


@pytest.mark.parametrize("text", ["'", '"', "&lt;", "<b>", "</div>", "a\nb", "∂f/∂x", "\\", "<!--", "--> ]]>"])
def test_data_in_an_attribute_come_back_as_they_were(text):
    attribute = hosts.as_attribute({"say": [text, 0.5, None]})
    read = pictures.Reader(f"<div {attribute}></div>").elements[0][1]["data-spec"]
    assert json.loads(read) == {"say": [text, 0.5, None]}
    assert "<" not in attribute and attribute.count("'") == 2
