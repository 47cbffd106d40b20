"""The hour: its numbers are what the engine gives, it keeps its budget, and what is passed there is passed."""

import re

import pytest

import autograd
import figures
from exercises.engine_file import trial
from exercises.shelf import library
from tests import caps, minutes, notebooks

HOUR = notebooks.Lesson("one_hour")


def test_it_takes_as_long_as_it_says_and_keeps_its_budget():
    notebook = notebooks.read(notebooks.HOUR)
    code = notebooks.cells(notebook, "code")
    assert len(code) <= 20 and sum(map(caps.words_in, notebook.cells)) <= 1300
    assert minutes.stated(notebook)[0] <= 60


def test_the_slopes_by_hand():
    x, y, z, f = (HOUR[name] for name in "xyzf")
    x, y, q = autograd.Value(-2.0), autograd.Value(5.0), f._prev[0]
    root = (x + y) * (z := autograd.Value(-4.0))
    root.backward()
    assert (q.data, root.data) == (3, f.data)
    HOUR.says(f"x: {x.grad:g}, y: {y.grad:g}, z: {z.grad:g}.")
    assert 0.01 * z.data == pytest.approx(-0.04)
    y = (x := autograd.Value(3.0)) + 2
    (y * x).backward()
    HOUR.says(f"{y.data:g} comes straight from the product", f"Together they are {x.grad:g}.")
    assert pytest.approx(15.0801) == (3.01 + 2) * 3.01 and pytest.approx(x.grad, abs=0.02) == 0.0801 / 0.01


def test_the_training():
    losses = re.findall(r"^\d+ (\S+)", HOUR.output("rows])"), re.MULTILINE)
    lab = figures.xor(network=trial.template_engine().MLP).training
    for _ in range(300):
        lab.step()
    lab.look()
    assert f"{lab.total:.4f}" == losses[-1]
    HOUR.says("the same 300 epochs live: press *Play*", "figures.xor(network=mine.MLP, epochs=300)")
    HOUR.says(f"should fall from {losses[0]} to {losses[-1]}, and the four answers should end near 0, 1, 1, 0")
    assert "[0.0, 0.95, 0.95, 0.0]" in HOUR.output("rows])")
    HOUR.says(f"This network has {len(HOUR['first'])} numbers to tune")
    assert sum(map(abs, HOUR["slopes"](HOUR["network"]))) < sum(map(abs, HOUR["first"])) / 100


def test_it_is_seven_lines_of_ones_own():
    new = [
        line
        for name in ("collect", "backward")
        for line in library.solution(name).code.splitlines()
        if line not in library.stub(name).splitlines()
    ]
    assert len(new) == 7
    HOUR.says("seven lines of your own", "Four lines of rules and three lines of `backward`.")


@pytest.mark.long
def test_what_is_passed_there_is_passed_in_the_lessons_and_in_the_file():
    solved = notebooks.ran(notebooks.HOUR, with_solutions=True)
    said = notebooks.verdicts(solved)
    assert all(said[name].startswith("✓") and "Saved to " in said[name] for name in ("collect", "backward"))
    assert {"collect": "04", "backward": "05"}.items() <= {
        name: number for number in ("04", "05") for name in library.names(number)
    }.items()
    assert re.search(r"\b4 of 31 parts are mine", notebooks.text_of(solved))
