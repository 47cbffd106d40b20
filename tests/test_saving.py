"""Figures as files: a graph as SVG, a lab as a page that steps without a kernel, a chart as matplotlib saves it."""

import re
from xml.etree import ElementTree

import pytest

import figures
from tests import pictures


def test_a_figure_is_saved_as_a_file_of_its_own(tmp_path):
    graph, lab = figures.draw_graph(pictures.xyz()), figures.step_backward(pictures.xyz())
    path = graph.savefig(tmp_path / "graph.svg")
    text = path.read_text(encoding="utf-8")
    assert path == tmp_path / "graph.svg" and "<style>" in text and "-12.0000" in text
    assert ElementTree.fromstring(text).tag.endswith("svg")
    text = lab.savefig(str(tmp_path / "lab.html")).read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and f"<title>{lab.recording.title}</title>" in text
    told = [frame["say"] for frame in pictures.Reader(text).spec()["frames"]]
    assert told == [frame.say for frame in lab.recording.frames]
    figures.gradient_histogram({"layer 1": [0.1, 0.2, 0.4]}).savefig(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes()[:4] == b"\x89PNG"
    for figure, name, said in (
        (graph, "graph.png", "saved as .svg, as in savefig('graph.svg'); got 'graph.png'"),
        (lab, "lab", "saved as .html"),
        (lab, "no such folder/lab.html", "there is no folder"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            figure.savefig(tmp_path / name)
    assert {each.name for each in tmp_path.iterdir()} == {"graph.svg", "lab.html", "chart.png"}
