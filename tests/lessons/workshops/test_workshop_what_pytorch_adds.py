"""The workshop on what PyTorch adds: boxes, the switch, the program that is written, guards and versions."""

import numpy as np
import pytest

import autograd
import figures
from exercises.engine_file.trial import template_engine
from tests.notebooks import Lesson

LESSON = Lesson("what_pytorch_adds")


def test_node_counts_and_no_grad_restores_after_an_exception():
    LESSON.says(f"{len(autograd.topological_order(LESSON['of_batch'](*LESSON['batch'])))}, as many as this course's")
    assert ": 11 nodes, 4 of them leaves" in figures.torch_graph("digits").alt
    assert "2 of 4 leaves not reached: w1, b1." in figures.torch_graph("detached").alt
    assert LESSON.output("(mine.Value(hidden.data) * v)") == "(0.0, 8.0)"
    engine = template_engine().Value
    plain = dict(vars(engine))
    with pytest.raises(KeyError), LESSON["no_grad"](engine):
        x = engine(0.5)
        made = [x + 1, 1 + x, x - 1, 1 - x, x * 3, 3 * x, x / 2, 2 / x, x**2, -x, x.exp(), x.log(), x.tanh()]
        assert [node for node in [*made, x.sigmoid(), x.relu()] if node._prev] == []
        raise KeyError
    assert {name: vars(engine)[name] for name in plain} == plain and len((engine(2.0) * 3)._prev) == 2


def test_recorded_programs_and_version_checks():
    assert LESSON["source"].count("    d_w += ") == 2 and LESSON.output("sum(program(*point)") == "1000"
    LESSON.says("{} nodes became {} lines".format(*eval(LESSON.output("step = autograd.record"))))
    forward, back = LESSON["on_arrays"].source.split("# backward")
    assert (forward.count("\n    "), back.count("\n    ") - 1) == (12 + 1, 9)
    assert np.array_equal(*LESSON["w1_twice"].values())
    assert LESSON.output("compiled(written(f(x)") == "(9.0, [-6.0])"
    said = LESSON.output("recorded = autograd.record(f, 2.0)")
    assert "if not (x1 > 0.0): raise GuardFailed" in said and said.endswith("(3.0, [-1.0])")
    assert (LESSON.output("L.backward()\nb.grad"), LESSON.output("class Counted")) == ("60.0", "(5.0, 1)")
    assert "was changed: it is at version 1, expected 0" in LESSON.output("versions.counted")
