"""Figures as files: a graph as SVG, a lab as a page that steps without a kernel, a chart as matplotlib saves it."""

import html
import json
import re
from xml.etree import ElementTree

import pytest

import autograd
import figures


def product():
    a, b = autograd.Value(2.0, label="a"), autograd.Value(3.0, label="b")
    return a * b + a


def test_a_graph_is_saved_as_an_svg_file_of_its_own(tmp_path):
    path = figures.draw_graph(product()).savefig(tmp_path / "graph.svg")
    assert path == tmp_path / "graph.svg"
    text = path.read_text(encoding="utf-8")
    assert ElementTree.fromstring(text).tag.endswith("svg") and "<style>" in text and "2.0000" in text


def test_a_lab_is_saved_as_a_page_with_all_its_frames(tmp_path):
    lab = figures.step_backward(product())
    text = lab.savefig(str(tmp_path / "lab.html")).read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and f"<title>{lab.recording.title}</title>" in text
    spec = json.loads(html.unescape(re.search(r"data-spec='(.*?)'", text, re.DOTALL)[1]))
    assert [frame["say"] for frame in spec["frames"]] == [frame.say for frame in lab.recording.frames]


def test_a_chart_is_saved_by_matplotlib(tmp_path):
    figures.gradient_histogram({"layer 1": [0.1, 0.2, 0.4]}).savefig(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes()[:4] == b"\x89PNG"


def test_a_wrong_name_is_a_sentence_and_writes_nothing(tmp_path):
    graph, lab = figures.draw_graph(product()), figures.step_backward(product())
    for figure, name, said in (
        (graph, "graph.png", "saved as .svg, as in savefig('graph.svg'); got 'graph.png'"),
        (lab, "lab", "saved as .html"),
        (lab, "no such folder/lab.html", "there is no folder"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            figure.savefig(tmp_path / name)
    assert not list(tmp_path.iterdir())
