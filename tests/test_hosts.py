"""Hosts that keep widgets apart: what a lab's output is there, with Colab and VS Code as they show in a kernel."""

import json
import sys
from html import unescape
from types import ModuleType, SimpleNamespace

import IPython
import pytest
from IPython.core.formatters import DisplayFormatter

import exercises
import figures
from autograd import Value
from figures.charts import display
from figures.page import hosts
from tests.pictures import Reader


@pytest.fixture
def colab(monkeypatch):
    """Colab's modules; whether its manager of widgets was asked for."""
    asked, output = [], ModuleType("google.colab.output")
    output.enable_custom_widget_manager = lambda: asked.append(True)
    output._widgets = SimpleNamespace(_installed_url="https://localhost/manager.js")
    for name, module in (("google", ModuleType("google")), ("google.colab", ModuleType("google.colab"))):
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["google.colab"].output = output
    monkeypatch.setitem(sys.modules, "google.colab.output", output)
    return asked


@pytest.fixture
def vs_code(monkeypatch):
    """A kernel to which VS Code has told the notebook's place."""
    formatter = DisplayFormatter()
    display.register(formatter)
    shell = SimpleNamespace(user_ns={"__vsc_ipynb_file__": "lesson.ipynb"}, display_formatter=formatter)
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)


def bundle(shown):
    """What a host is given of a thing: its data alone."""
    made = shown._repr_mimebundle_()
    return made[0] if isinstance(made, tuple) else made


LIVE = {
    "a lab with inputs": figures.neuron,
    "two labs in one": lambda: figures.lottery(epochs=10),
    "a quiz": lambda: exercises.quiz("03"),
    "the self-test": exercises.self_test,
}


@pytest.mark.parametrize("make", LIVE.values(), ids=LIVE)
def test_elsewhere_the_output_is_the_page_alone(make):
    assert not hosts.keeps_widgets_apart()
    assert set(bundle(make())) == {"text/html", "text/plain"}


@pytest.mark.parametrize("make", LIVE.values(), ids=LIVE)
@pytest.mark.parametrize("host", ["colab", "vs_code"])
def test_there_it_is_the_view_as_well(request, host, make):
    request.getfixturevalue(host)
    shown = make()
    found = bundle(shown)
    assert set(found) == {"text/html", "text/plain", hosts.VIEW}
    assert found[hosts.VIEW]["model_id"] == shown.model_id and found["text/plain"] == shown.text()


def test_colab_is_asked_for_its_manager_and_told_of_it(colab):
    from anywidget import _util

    _util.enable_custom_widget_manager_once.cache_clear()
    lab = figures.neuron()
    _, metadata = lab._repr_mimebundle_()
    assert colab == [True]
    assert metadata[hosts.VIEW]["colab"]["custom_widget_manager"]["url"] == "https://localhost/manager.js"


def test_a_lab_without_inputs_is_a_page_everywhere(vs_code):
    a = Value(2.0, label="a")
    assert set(bundle(figures.step_backward(a * a))) == {"text/html", "text/plain"}


def test_a_view_that_asks_is_sent_the_page(monkeypatch):
    for shown in (figures.neuron(), exercises.quiz("03")):
        sent = []
        monkeypatch.setattr(shown, "send", sent.append)
        shown._handle_custom_msg({}, [])
        assert sent == [{"html": shown.html()}]


def test_in_another_host_a_fold_holds_the_page(vs_code):
    found = display.bundle(exercises.folded(figures.neuron()))
    assert "bp-embed" in found["text/html"] and hosts.VIEW not in found


@pytest.mark.parametrize("text", ["'", '"', "&lt;", "<b>", "</div>", "a\nb", "∂f/∂x", "\\", "<!--", "--> ]]>"])
def test_data_in_an_attribute_come_back_as_they_were(text):
    attribute = hosts.as_attribute({"say": [text, 0.5, None]})
    assert json.loads(Reader(f"<div {attribute}></div>").elements[0][1]["data-spec"]) == {"say": [text, 0.5, None]}
    assert "<" not in attribute and unescape(attribute) != "" and attribute.count("'") == 2
