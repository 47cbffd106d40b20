"""A lesson loads `my_engine.py`: what was changed by hand is judged apart, and what fails gives way to the course's."""

import numpy as np
import pytest

from autograd.tensor import Tensor
from exercises.engine_file import keeping, loading, parts, regions, store, trial
from exercises.sandbox import runner
from exercises.shelf import library, progress
from tests import sampling
from tests.learners_files import kept_in, part, put, runs_alone, text_in, under, write

HEAD, SUM = "def add(self, other):", 'return Value(self.data + other.data, (self, other), "+")'


@pytest.mark.long
def test_it_begins_as_the_course_s_whole_engine(folder):
    engine = loading.load("04")
    assert engine.sentences()[0] == "my_engine.py: all 9 parts so far are still the course's."
    assert runs_alone(text_in(folder))
    assert trial.works(engine._names) == ""
    assert {name for name in parts.NAMES if name not in dir(engine)} == {"collecting_add", "collecting_multiply"}
    with pytest.raises(AttributeError, match=r"my_engine\.py has no 'Optimizer'\. It has: Number, Value"):
        engine.Optimizer  # noqa: B018


@pytest.mark.long
def test_every_part_can_be_the_learners_and_each_alone(folder):
    for each in sampling.sample(parts.EXERCISES, 6, lambda part: part.name):
        assert runs_alone(write(folder, each.name)), each.name
        engine = loading.load()
        assert not engine._notes and trial.works(engine._names) == "", each.name
    write(folder, *(each.name for each in parts.EXERCISES))
    replaced = {name for part in parts.PARTS for name in part.replaces}
    assert kept_in(folder).keys() == {each.name for each in parts.EXERCISES} - replaced


def test_what_is_counted_is_what_came_before_the_lesson(folder):
    write(folder, "add", "multiply", "collect", "train")
    assert repr(loading.load("03")) == "my_engine.py: 2 of the 6 parts so far are yours; the others are the course's."
    assert repr(loading.load("05")).startswith("my_engine.py: 4 of the 9 parts")
    assert repr(loading.load("02")).startswith("my_engine.py is your own engine. All of it is still the course's")
    shown = loading.load("03")._repr_mimebundle_()["text/html"]
    assert shown.count("<b>yours</b>") == 2 and "collecting_add" not in shown and "<details" in shown


@pytest.mark.long
def test_a_part_that_was_changed_by_hand_is_judged(folder):
    write(folder, "add", changed=[(HEAD, f"{HEAD}  # mine")])
    engine = loading.load("03")
    assert not engine._notes and (engine.Value(1) + 2).data == 3
    assert f"{HEAD}  # mine" in text_in(folder) and kept_in(folder)["add"].is_noted

    text = write(folder, "add", changed=[(SUM, SUM.replace("+", "-", 1))])
    engine = loading.load("03")
    assert "Your part add was changed in the file and is not right" in engine._notes[0]
    assert 'exercises.keep("add")' in engine._notes[0] and 'exercises.reset("add")' in engine._notes[0]
    assert (engine.Value(1) + 2).data == 3  # the course's
    assert text_in(folder) == text  # nothing of theirs is lost
    assert "unchecked" in keeping.keep("add")
    assert (loading.load("03").Value(1) + 2).data == -1


@pytest.mark.parametrize(
    ("new", "why"),
    [("return Value(self.data +", "SyntaxError"), ("raise ValueError('no')", "ValueError: no")],
)
def test_a_part_that_cannot_run_falls_back_to_the_course_s(folder, new, why):
    write(folder, "add", changed=[(SUM, new)])
    engine = loading.load("03")
    assert "Your part add" in engine._notes[0] and why in engine._notes[0]
    assert (engine.Value(1) + 2).data == 3


@pytest.mark.long
@pytest.mark.parametrize("below", [False, True])
def test_what_does_not_end_costs_its_seconds_once_until_it_is_changed(folder, monkeypatch, below):
    loop = "while True: pass"
    write(folder, "add", changed=[] if below else [(SUM, loop)], below=f"{loop}\n" * below)
    (note,) = loading.load("03")._notes
    assert "had not ended" in note
    with monkeypatch.context() as nothing:
        nothing.setattr(runner.Runner, "start", None)
        assert loading.load("03")._notes == [note]
    write(folder, "add", below="x = 3\n")
    assert loading.load("03")._names["x"] == 3 and not loading.load("03")._notes


def test_a_course_part_that_was_changed_by_hand_counts_as_the_learners(folder):
    write(folder, changed=[("def divide(self, other):  # self / other", "def divide(self, other):  # my way")])
    assert not loading.load("03")._notes
    assert "yours, changed in the file" in under(text_in(folder), "divide")[1]


def test_a_newer_course_renews_its_own_parts_alone(folder):
    text = write(folder, "add")
    body, heading = under(text, "power")
    old = body.replace("self ** n", "an older way")
    new_heading = heading.replace(regions.mark_of(body), regions.mark_of(old))
    write(folder, "add", changed=[(body, old), (heading, new_heading)])
    assert old in text_in(folder) and not loading.load("03")._notes
    assert text_in(folder) == text


def test_what_stands_below_the_last_line_is_left_and_run_and_no_process_is_begun_where_nothing_changed(
    folder, monkeypatch
):
    write(folder, "add", below="\n\ndef triple(x):\n    return 3 * x\n")
    engine = loading.load("03")
    assert engine._names["triple"](engine.Value(2)).data == 6
    put("multiply")
    assert "def triple(x):\n    return 3 * x" in text_in(folder)
    monkeypatch.setattr(runner.Runner, "start", None)
    assert "triple" in loading.load("03")._names and not loading.load("03")._notes


def test_a_rule_that_assigns_is_the_course_s_from_lesson_05_on(folder):
    mine = part("add_rule", library.solution("add_rule").code.replace("+=", "="))
    store.update(lambda parts: parts.update(add_rule=mine))
    four, five = loading.load("04"), loading.load("05")
    assert loading.assigns(four._names, "add_rule") and not four._notes
    assert not loading.assigns(five._names, "add_rule") and "Your rule of + assigns" in five._notes[0]
    assert "self.grad = 1.0 * out.grad" in text_in(folder)


def test_a_part_kept_unchecked_that_fails_does_not_stop_a_lesson(folder):
    fails = "out = nothing + (self.data + other.data"
    write(folder, "add_rule", changed=[("out = Value(self.data + other.data", fails)])
    assert "unchecked" in keeping.keep("add_rule")
    assert loading.load("04")._notes == []
    assert "Your rule of + assigns" in loading.load("05")._notes[0]


def test_a_pass_that_is_not_in_the_file_is_said_once():
    progress.record_pass("add")
    assert "Passed, and not in the file: add. Run your cell and its check to take it in." in repr(loading.load("03"))
    assert "Passed" not in repr(loading.load("03"))


@pytest.mark.parametrize(
    "top", ["import os\nos._exit(0)", "import os\nos.fork()", "raise SystemExit", "x = bytearray(5 * 10**9)"]
)
@pytest.mark.parametrize("below", [False, True])
def test_what_would_end_the_kernel_costs_a_sentence(folder, top, below):
    above = [] if below else [(HEAD, f"{top}\n\n\n{HEAD}")]
    text = write(folder, "add", changed=above, below=f"{top}\n" * below)
    (note,) = loading.load("03")._notes
    assert ("cannot be run: " if below else "is not right: ") in note
    assert text_in(folder) == text


def test_a_part_that_ends_python_cannot_be_kept(folder):
    text = write(folder, "add", changed=[(HEAD, f"import os\nos._exit(0)\n\n\n{HEAD}")])
    assert "cannot be used, as a lesson would end with it: it ended Python" in keeping.keep("add")
    assert text_in(folder) == text


def test_in_a_browser_it_is_said_that_it_was_tried_here(folder, monkeypatch):
    write(folder, "add", changed=[(HEAD, f"{HEAD}  # mine")])
    monkeypatch.setattr(runner, "works", lambda: False)
    assert "no other process here" in loading.load("03")._notes[0]


def test_its_tensor_has_what_attention_needs_and_agrees_with_the_course_s(folder):
    """.T, softmax and normalise by rows: values and gradients, with scores that are masked among them."""
    arrays = [np.cos(np.arange(12.0) * k).reshape(4, 3) for k in (1, 2, 3)]
    mask = np.where(np.tri(4) > 0, 0.0, -1e9)
    found = []
    for make in (loading.load().Tensor, Tensor):
        q, k, v = leaves = [make(array) for array in arrays]
        out = (((q.normalise() @ k.T + mask).softmax() @ v) * arrays[0]).sum()
        out.backward()
        found.append([out.data, *(leaf.grad for leaf in leaves)])
    for own, package in zip(*found):
        np.testing.assert_allclose(own, package, rtol=1e-12, atol=1e-14)


def test_a_file_of_before_lesson_15_is_as_it_was_and_gets_the_new_parts(folder):
    text = write(folder, "add", "softmax")
    start, end = (text.index(f"# ── {name} ") for name in ("softmax_vjp", "end"))
    (folder / regions.FILE).write_text(text[:start] + text[end:], encoding="utf-8")
    engine = loading.load("15")
    assert not engine._notes and engine.Tensor([[1.0, 2.0]]).T.shape == (2, 1)
    assert text_in(folder) == text and kept_in(folder).keys() == {"add", "softmax"}
