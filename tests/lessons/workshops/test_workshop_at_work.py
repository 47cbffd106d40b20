"""The workshop on PyTorch: what it quotes of its programs is what they found, run or recorded, and what they must."""

import math

import numpy as np
import pytest

import figures
from exercises.course import pytorch, torch_only
from tests.notebooks import Lesson

LESSON = Lesson("at_work")


def found(name):
    return torch_only.recorded(name)[0]


def test_training_loops_initial_weights_and_error_messages():
    ours, theirs = pytorch.ran_here("the digits loop"), pytorch.recorded("the digits loop")[0]
    for place, pair, says in ((7, ("'2.3343'", "'2.3343'"), "2.3343"), (-3, ("'0.97'", "'0.98'"), "98 % there")):
        assert (ours[place], theirs[place]) == pair
        LESSON.says(says)
    spread = found("first weights")["spread of the weights"]
    assert spread == pytest.approx(1 / math.sqrt(3 * 64), abs=0.002)
    LESSON.says(f"{spread:.3f}, the 0.125 divided by √3", f"√(2/inputs), {math.sqrt(2 / 64):.3f}", "· 2 = 1.99.")
    assert found("first weights")["2 after a step with weight decay"] == 1.99
    assert [*found("no gradient, by name").values()] == [True, True, False, False]
    given = {name: pytorch.recorded(name)[0] for name in pytorch.at_work.PROGRAMS}
    for name, place, words in [
        ("in place", 3, "is at version 1; expected version 0 instead"),
        ("a graph that is freed", 3, "Trying to backward through the graph a second time"),
        ("a graph that is cut", 2, "does not require grad and does not have a grad_fn"),
        ("a rule of your own", -1, "Jacobian mismatch for output 0 with respect to input 0"),
    ]:
        assert words in given[name][place]
        LESSON.says(words)
    assert given["no gradient"][2] == "None" and pytorch.ran_here("no gradient")[2] == "0.4"
    assert given["softmax, and softmax twice"][-1].strip("'") == f"{math.log(1 + 9 / math.e):.4f}"


def test_underflow_reused_test_sets_and_clinic_readings():
    upstream, layers = (found("by hooks")[key] for key in ("upstream", "gradients"))
    LESSON.says(f"From {upstream[-1]:.1e} at the last layer to {upstream[0]:.1e}", "by a factor of about 7.5 at each")
    assert (upstream[-1] / upstream[0]) ** (1 / 7) == pytest.approx(7.5, abs=0.05)
    sizes = [np.abs(layers[name]).mean() for name in ("layer 1", "layer 8")]
    assert math.log10(sizes[1] / sizes[0]) == pytest.approx(6.9, abs=0.1)
    LESSON.says(
        "After {}, {}, {} (<code>bfloat16</code>) and {} (<code>float16</code>)".format(
            *found("where it is zero")["zero after"].values()
        )
    )
    assert [*found("loss scaling").values()][:2] == pytest.approx([0, 0.25**14], rel=1e-4)
    LESSON.says("{} % on the 50 that it was chosen by, and {} % on the others".format(*LESSON["chosen"](50)))
    LESSON.says(f"On average {100 * LESSON['table'].mean():.1f} % are right")
    assert found("examined").count("✗") == 2 and " 1.46 " in found("examined")
    assert figures.torch_graph("listed").note.startswith("11 nodes, 4 of them leaves")
